"""Synthetic data, thesis chapter 2 (Fisher metric): a class of two modes, a ball with a tube, a ball with a target."""

import numpy as np

from ...core.checks import check_seed
from ...core.graphs import squared_distances
from .common import ABOVE_0, ANY, FROM_0, bunch_of, checked, groups, in_unit_ball, polar

__all__ = ["make_ball_with_tube", "make_sphere", "make_two_modes"]


@checked(n_samples=3, spread=ABOVE_0)
def make_two_modes(n_samples=300, *, spread=0.5, random_state=None):
    """Two classes in the plane: the second has two modes, of which one overlaps the first class.

    After Fig. 2.3 (left) of the thesis, which gives no numbers: centres (0, 0) for the first class, (1, 1) and (-2, 2)
    for the second, a third of the samples each.

    Parameters
    ----------
    n_samples : int
    spread : float > 0, standard deviation of a mode
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 2), ``target`` (n,), ``mode`` (n,), 0 to 2

    Examples
    --------
    >>> toy = make_two_modes(random_state=0)
    >>> toy.data.shape, np.bincount(toy.target).tolist()
    ((300, 2), [100, 200])
    """
    mode, rng = groups(n_samples, 3, random_state)
    centers = np.array([[0.0, 0.0], [1.0, 1.0], [-2.0, 2.0]])
    X = centers[mode] + spread * rng.normal(size=(n_samples, 2))
    return bunch_of(X, (mode > 0).astype(int), "class", mode=mode)


@checked(n_samples=1, tube_radius=ABOVE_0, noise_below=ANY, gap="[0, 1)")
def make_ball_with_tube(n_samples=1000, *, tube_radius=0.25, noise_below=-0.7, gap=0.0, random_state=None):
    """A filled unit ball with a bent tube inside, which is the second class, and a noisy region at the bottom.

    After sections 2.4.2 and 3.5 of the thesis, whose figures show the shape and no numbers. The tube follows three
    quarters of a turn of a helix of radius .55 that rises from -.45 to .45. Below the height `noise_below` labels are
    drawn at random.

    Parameters
    ----------
    n_samples, random_state : as in :func:`make_two_modes`
    tube_radius : float > 0
    noise_below : float, samples whose third coordinate is lower have random labels; -1 or less for none
    gap : float in [0, 1), middle fraction of the tube's length that belongs to the first class

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,), ``clean`` (n,) the labels before the noise, ``noisy`` (n,) whether a
    sample lies in the noisy region, ``along`` (n,) the position along the tube, from 0 to 1

    Examples
    --------
    >>> ball = make_ball_with_tube(random_state=0)
    >>> ball.data.shape, bool((np.linalg.norm(ball.data, axis=1) <= 1).all())
    ((1000, 3), True)
    >>> bool((ball.target == ball.clean)[~ball.noisy].all())
    True
    """
    rng = check_seed(random_state)
    X = in_unit_ball(n_samples, rng)
    t = np.linspace(0, 1, 401)
    line = np.column_stack([polar(0.55, 1.5 * np.pi * t), 0.9 * t - 0.45])
    squared = squared_distances(X, line)  # (n, 401)
    along = t[squared.argmin(axis=1)]
    clean = (squared.min(axis=1) < tube_radius**2) & (np.abs(along - 0.5) >= gap / 2)
    noisy = X[:, 2] < noise_below
    target = np.where(noisy, rng.randint(2, size=n_samples), clean).astype(int)
    return bunch_of(X, target, ["ball", "tube"], clean=clean.astype(int), noisy=noisy, along=along)


@checked(n_samples=1, noise=FROM_0)
def make_sphere(n_samples=1000, *, noise=0.0, random_state=None):
    """A filled unit ball in three dimensions whose target is a polynomial of the first two.

    After section 2.6.4 of the thesis, which does not print the polynomial; assumed: x1^2 + x1 x2 + x2^2 + x1 + x2.

    Parameters
    ----------
    n_samples, random_state : as in :func:`make_two_modes`
    noise : float >= 0, standard deviation of noise on the target, as a fraction of its own

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,)

    Examples
    --------
    >>> sphere = make_sphere(50, random_state=0)
    >>> x1, x2, _ = sphere.data.T
    >>> bool(np.allclose(sphere.target, x1**2 + x1 * x2 + x2**2 + x1 + x2))
    True
    """
    rng = check_seed(random_state)
    X = in_unit_ball(n_samples, rng)
    x1, x2, _ = X.T
    y = x1**2 + x1 * x2 + x2**2 + x1 + x2
    return bunch_of(X, y + noise * y.std() * rng.normal(size=n_samples))
