"""Synthetic data, thesis chapter 3 (views of classifiers and regressors): plates, layers, a cube, two clusters."""

from numbers import Integral

import numpy as np
from sklearn.utils import Bunch, check_random_state

from .volumes import _in_unit_ball

__all__ = [
    "make_labelled_cube",
    "make_plate_in_ring",
    "make_stacked_clusters",
    "make_stacked_discs",
    "make_two_clusters_with_outlier",
]

FLAT = 0.05  # standard deviation across a flat layer
MARGIN = 0.04  # of the cube: no sample is nearer to the one plane


def make_plate_in_ring(n_samples=300, *, outlier=True, random_state=None):
    """A flat plate, the first class, within a flat ring, the second; one sample of the plate lies in the ring.

    Data set 1 of section 3.5.1 of the thesis, whose Fig. 3.3 (left) shows the shape and no numbers. Taken are: a disc
    of radius 1 and a ring from radius 1.6 to 2.4, both filled uniformly; a third feature that is noise of standard
    deviation .05; the outlier at (1.2, 1.2, 0), which is .1 within the ring's inner edge and .7 off the plate. The
    classes have half of the samples each, the outlier included.

    Parameters
    ----------
    n_samples : int >= 3, the outlier included
    outlier : bool
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,), ``outlier``, the index of the outlier, which is the last row (None
    without one), and names

    Examples
    --------
    >>> toy = make_plate_in_ring(random_state=0)
    >>> toy.data.shape, np.bincount(toy.target).tolist(), toy.outlier
    ((300, 3), [150, 150], 299)
    >>> toy.data[toy.outlier].tolist(), int(toy.target[toy.outlier])
    ([1.2, 1.2, 0.0], 0)
    """
    _check_integer(n_samples, "n_samples", 3)
    if not isinstance(outlier, (bool, np.bool_)):
        raise ValueError(f"`outlier` must be True or False; got {outlier!r}.")
    rng = _rng(random_state)
    target = rng.permutation((np.arange(n_samples - outlier) + 1) % 2)
    inner, outer = np.array([[0.0, 1.0], [1.6, 2.4]])[target].T
    radius = np.sqrt(rng.uniform(inner**2, outer**2))
    X = np.column_stack([_polar(radius, rng.uniform(0, 2 * np.pi, len(target))), FLAT * rng.normal(size=len(target))])
    if outlier:
        X, target = np.vstack([X, [1.2, 1.2, 0.0]]), np.append(target, 0)
    return Bunch(
        data=X,
        target=target,
        outlier=n_samples - 1 if outlier else None,
        feature_names=_names(3),
        target_names=np.array(["plate", "ring"]),
    )


def make_stacked_discs(n_samples=600, *, random_state=None):
    """Three discs above each other: the middle one is the second class, the outer two are the first.

    Data set 2 of section 3.5.1 of the thesis, whose Fig. 3.3 (right) shows the shape and no numbers. Taken are: discs
    of radius 1.9 at the heights -1, 0 and 1; the upper two with a standard deviation of .05 in the third feature, the
    lowest one uniform from -1.25 to -.75, so that it comes nearer to the middle one and does not reach it. The discs
    are filled evenly (a spiral of Fibonacci, each sample moved by up to .3 of the spacing, along each axis), which
    keeps holes out: with 600 samples or more, five nearest neighbours are hardly ever of another disc. The standard
    deviation is .95 along the first two features and .82 along the third, so that two principal components put the
    discs on top of each other.

    Parameters
    ----------
    n_samples : int >= 3, a third to each disc
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,), ``cluster`` (n,), 0 to 2 from the lowest disc upwards, and names

    Examples
    --------
    >>> toy = make_stacked_discs(random_state=0)
    >>> toy.data.shape, np.bincount(toy.target).tolist(), np.bincount(toy.cluster).tolist()
    ((600, 3), [400, 200], [200, 200, 200])
    >>> lowest, middle, top = (toy.data[toy.cluster == c, 2] for c in range(3))
    >>> bool(lowest.max() < middle.min() and middle.max() < top.min())
    True
    """
    X, cluster = _stack(n_samples, -1.0, random_state)
    return Bunch(
        data=X,
        target=(cluster == 1).astype(int),
        cluster=cluster,
        feature_names=_names(3),
        target_names=np.array(["outer discs", "middle disc"]),
    )


def make_labelled_cube(n_samples=500, n_features=10, *, random_state=None):
    """A filled cube, mapped to more features by a random matrix, with three labellings of its samples.

    After section 3.5.2 of the thesis, which gives the number of samples and of features (500, 10) and no planes. Taken
    are: the cube [0, 1]^3, uniform; a matrix (3, `n_features`) of standard normal numbers, drawn first, so that one
    `random_state` has one matrix whatever the number of samples; and the labels

    1. "one plane": through the centre, with normal (1, 1, 1); class 1 is above. Samples within .04 of the plane are
       drawn again, which leaves a gap of .08 between the classes.
    2. "two planes": across the first axis, at 1/3 and 2/3. Class 1 is between them, about a third of the samples, and
       class 0 on both sides. There is no gap. In the data these are three layers, though the thesis' picture shows
       four regions.
    3. "random": either class with probability 1/2, whatever the place.

    Parameters
    ----------
    n_samples : int >= 1
    n_features : int >= 3
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, d), ``target`` (n, 3), one labelling with 0 and 1 per column, ``clean`` (n, 3), the places
    in the cube, ``matrix`` (3, d), and names; ``target_names`` are those of the labellings

    Examples
    --------
    >>> cube = make_labelled_cube(random_state=0)
    >>> cube.data.shape, cube.target.shape, cube.target_names.tolist()
    ((500, 10), (500, 3), ['one plane', 'two planes', 'random'])
    >>> bool(np.allclose(cube.data, cube.clean @ cube.matrix))
    True
    """
    _check_integer(n_samples, "n_samples", 1)
    _check_integer(n_features, "n_features", 3)
    rng = _rng(random_state)
    matrix = rng.normal(size=(3, n_features))
    cube = rng.uniform(size=(n_samples, 3))
    while (near := np.abs(_above(cube)) < MARGIN).any():
        cube[near] = rng.uniform(size=(near.sum(), 3))
    within = (cube[:, 0] > 1 / 3) & (cube[:, 0] < 2 / 3)
    return Bunch(
        data=cube @ matrix,
        target=np.column_stack([_above(cube) > 0, within, rng.randint(2, size=n_samples)]).astype(int),
        clean=cube,
        matrix=matrix,
        feature_names=_names(n_features),
        target_names=np.array(["one plane", "two planes", "random"]),
    )


def make_stacked_clusters(n_samples=450, *, random_state=None):
    """Three flat clusters above each other, with the square of the third feature as target.

    Data set1 of section 3.6 of the thesis, whose Fig. 3.20 (left) shows the shape and no numbers. Taken are the discs
    of `make_stacked_discs`, at the heights 1, 2 and 3, the lowest from .75 to 1.25: the targets lie around 1, 4 and 9.
    With heights on both sides of 0 the highest and the lowest cluster could have one target, and at 0 the noise of the
    lowest would not show in it; above 0, every height has a target of its own.

    Parameters
    ----------
    n_samples : int >= 3, a third to each cluster
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,), ``cluster`` (n,), 0 to 2 from the lowest upwards, and ``feature_names``

    Examples
    --------
    >>> toy = make_stacked_clusters(random_state=0)
    >>> toy.data.shape, bool((toy.target == toy.data[:, 2] ** 2).all())
    ((450, 3), True)
    >>> [round(float(np.median(toy.target[toy.cluster == c]))) for c in range(3)]
    [1, 4, 9]
    """
    X, cluster = _stack(n_samples, 1.0, random_state)
    return Bunch(data=X, target=X[:, 2] ** 2, cluster=cluster, feature_names=_names(3))


def make_two_clusters_with_outlier(n_samples=301, *, random_state=None):
    """Two separate balls, one with a linear target and one with a squared one, and an outlier half way between them.

    Data set2 of section 3.6 of the thesis, whose Fig. 3.20 (right) shows the shape and no numbers. Taken are: filled
    balls of radius 1 around (-2, 0, 0) and (2, 0, 0), the target x1 + 2 + x2 in the left one, from -1.41 to 1.41, and
    2 ((x1 - 2)^2 + x2^2) in the right one, from 0 to 2; neither depends on the third feature. The outlier is at
    (0, 0, 0) with target -4: more than 2.5 below every target of the left ball, 4 or more below those of the right,
    and 6 and 12 below what the two functions would give at its place.

    Parameters
    ----------
    n_samples : int >= 3, the outlier included; half of the others to each ball
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,), ``cluster`` (n,), 0 left, 1 right, -1 the outlier, ``outlier``, its
    index, which is the last row, and ``feature_names``

    Examples
    --------
    >>> toy = make_two_clusters_with_outlier(random_state=0)
    >>> toy.data.shape, np.unique(toy.cluster, return_counts=True)[1].tolist()
    ((301, 3), [1, 150, 150])
    >>> toy.outlier, float(toy.target[toy.outlier]), bool(np.delete(toy.target, toy.outlier).min() > -1.42)
    (300, -4.0, True)
    """
    _check_integer(n_samples, "n_samples", 3)
    rng = _rng(random_state)
    cluster = np.append(rng.permutation(np.arange(n_samples - 1) % 2), -1)
    offset = np.vstack([_in_unit_ball(n_samples - 1, rng), np.zeros(3)])  # from the centre of its ball
    u1, u2, _ = offset.T
    return Bunch(
        data=offset + np.array([[-2.0, 0, 0], [2.0, 0, 0], [0.0, 0, 0]])[cluster],
        target=np.select([cluster == 0, cluster == 1], [u1 + u2, 2 * (u1**2 + u2**2)], -4.0),
        cluster=cluster,
        outlier=n_samples - 1,
        feature_names=_names(3),
    )


def _stack(n, bottom, random_state):
    """Flat discs at the heights `bottom`, + 1 and + 2, the first of them thick; and which disc a sample is of."""
    _check_integer(n, "n_samples", 3)
    rng = _rng(random_state)
    cluster = rng.permutation(np.arange(n) % 3)
    X = np.empty((n, 3))
    for c, size in enumerate(np.bincount(cluster)):
        across = rng.uniform(-0.25, 0.25, size) if c == 0 else FLAT * rng.normal(size=size)
        X[cluster == c] = np.column_stack([_even_disc(size, 1.9, rng), bottom + c + across])
    return X, cluster


def _even_disc(n, radius, rng):
    """A disc filled evenly, in random order, turned at random: a spiral of Fibonacci with some jitter."""
    i = rng.permutation(n)
    turn = i * np.pi * (3 - np.sqrt(5)) + rng.uniform(0, 2 * np.pi)
    spacing = radius * np.sqrt(np.pi / n)
    return _polar(radius * np.sqrt((i + 0.5) / n), turn) + 0.3 * spacing * rng.uniform(-1, 1, (n, 2))


def _polar(radius, angle):
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _above(cube):
    return (cube - 0.5).sum(axis=1) / np.sqrt(3)


def _names(n):
    return np.array([f"x{j + 1}" for j in range(n)])


def _check_integer(value, name, least):
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"`{name}` must be an integer >= {least}; got {value!r}.")


def _rng(random_state):
    try:
        return check_random_state(random_state)
    except ValueError:
        raise ValueError(
            f"`random_state` must be an integer from 0 to 2**32 - 1, a RandomState or None; got {random_state!r}."
        ) from None
