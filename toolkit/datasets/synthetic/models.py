"""Synthetic data, thesis chapters 2 and 3: modes, balls, plates, layers, a cube."""

import numpy as np

from ...core import check_flag, squared_distances
from .common import (
    ABOVE_0,
    bunch_of,
    check_arguments,
    groups,
    in_unit_ball,
    polar,
    spiral,
)

LAYER_DEVIATION = 0.05  # standard deviation across a flat layer
DISC_RADIUS = 1.9  # of the stacked discs
HALF_GAP = 0.04  # between the one plane of the cube and its nearest samples


@check_arguments(std=ABOVE_0)
def make_two_modes(n_samples=300, *, std=0.5, random_state=None):
    """Generate two classes in the plane; one mode of the second overlaps the first.

    After Fig. 2.3 (left) of the thesis, which gives no numbers: centres (0, 0) for the
    first class, (1, 1) and (-2, 2) for the second, a third of the samples each.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples.
    std : float > 0, default=0.5
        Standard deviation of a mode.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 2), ``target`` (n,), and ``mode`` (n,), 0 to 2.

    Examples
    --------
    >>> toy = make_two_modes(random_state=0)
    >>> toy.data.shape, np.bincount(toy.target).tolist()
    ((300, 2), [100, 200])
    """
    mode = groups(n_samples, 3, random_state)
    centers = np.array([[0.0, 0.0], [1.0, 1.0], [-2.0, 2.0]])
    X = centers[mode] + std * random_state.randn(n_samples, 2)
    return bunch_of(X, mode > 0, "class", mode=mode)


@check_arguments(
    n_samples=1, tube_radius=ABOVE_0, noise_below=(), gap=(0, 0.999)
)
def make_ball_with_tube(
    n_samples=1000,
    *,
    tube_radius=0.25,
    noise_below=-0.7,
    gap=0.0,
    random_state=None,
):
    """Generate a ball with a bent tube, the second class, and a region of label noise.

    The ball is filled and of radius 1. After sections 2.4.2 and 3.5 of the thesis,
    whose figures show the shape and no numbers. The tube follows three quarters of a
    turn of a helix of radius 0.55 that rises from -0.45 to 0.45. Below the height
    `noise_below` labels are random.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    tube_radius : float > 0, default=0.25
        Radius of the tube.
    noise_below : float, default=-0.7
        Samples whose third coordinate is lower have random labels; -1 or less for none.
    gap : float from 0 to 0.999, default=0.0
        Middle fraction of the tube's length that belongs to the first class.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3), ``target`` (n,), ``clean`` (n,), the labels without noise,
        ``noisy`` (n,), whether a sample is in the noisy region, and ``along`` (n,), the
        position along the tube, from 0 to 1.

    Examples
    --------
    >>> ball = make_ball_with_tube(random_state=0)
    >>> ball.data.shape, bool((np.linalg.norm(ball.data, axis=1) <= 1).all())
    ((1000, 3), True)
    >>> bool((ball.target == ball.clean)[~ball.noisy].all())
    True
    """
    X = in_unit_ball(n_samples, random_state)
    # The axis of the tube is a helix of 401 points.
    t = np.linspace(0, 1, 401)
    turn = polar(0.55, 1.5 * np.pi * t)
    height = 0.9 * t - 0.45
    axis = np.column_stack([turn, height])
    squared = squared_distances(X, axis)  # (n, 401)
    along = t[squared.argmin(axis=1)]
    is_in_tube = squared.min(axis=1) < tube_radius**2
    is_beyond_gap = np.abs(along - 0.5) >= gap / 2
    clean = is_in_tube & is_beyond_gap
    noisy = X[:, 2] < noise_below
    random_labels = random_state.randint(2, size=n_samples)
    target = np.where(noisy, random_labels, clean)
    return bunch_of(
        X,
        target,
        ["ball", "tube"],
        clean=clean.astype(int),
        noisy=noisy,
        along=along,
    )


@check_arguments()
def make_plate_in_ring(n_samples=300, *, outlier=True, random_state=None):
    """Generate a flat plate, one class, within a flat ring, the other class.

    One sample of the plate is an outlier near the ring.

    Data set 1 of section 3.5.1 of the thesis; Fig. 3.3 (left) gives no numbers.
    Assumed: a disc of radius 1 and a ring from 1.6 to 2.4, uniform, half of the samples
    each; a third feature of noise, standard deviation 0.05; the outlier at (1.2, 1.2,
    0), 0.1 within the ring's inner edge.

    Parameters
    ----------
    n_samples : int >= 3, default=300
        Number of samples, the outlier included.
    outlier : bool, default=True
        Whether there is an outlier.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3), ``target`` (n,), and ``outlier``, the index of the
        outlier, which is the last row (None without one).

    Examples
    --------
    >>> toy = make_plate_in_ring(random_state=0)
    >>> toy.data.shape, np.bincount(toy.target).tolist(), toy.outlier
    ((300, 3), [150, 150], 299)
    >>> toy.data[toy.outlier].tolist(), int(toy.target[toy.outlier])
    ([1.2, 1.2, 0.0], 0)
    """
    check_flag(outlier, "outlier")
    classes = (np.arange(n_samples - outlier) + 1) % 2
    target = random_state.permutation(classes)
    # A position is uniform in area where the square of its radius is uniform.
    limits = np.array([[0.0, 1.0], [1.6, 2.4]])  # of the plate, of the ring
    inner, outer = limits[target].T
    radius = np.sqrt(random_state.uniform(inner**2, outer**2))
    angle = random_state.uniform(0, 2 * np.pi, len(target))
    height = LAYER_DEVIATION * random_state.randn(len(target))
    X = np.column_stack([polar(radius, angle), height])
    outlier_row = None
    if outlier:
        outlier_row = n_samples - 1
        X = np.vstack([X, [1.2, 1.2, 0.0]])
        target = np.append(target, 0)
    return bunch_of(X, target, ["plate", "ring"], outlier=outlier_row)


@check_arguments()
def make_stacked_discs(n_samples=600, *, random_state=None):
    """Generate three discs above each other: the middle one is a separate class.

    Data set 2 of section 3.5.1 of the thesis; Fig. 3.3 (right) gives no numbers.
    Assumed: discs of radius 1.9 at the heights -1, 0 and 1; the upper two with standard
    deviation 0.05 in height, the lowest uniform from -1.25 to -0.75. The discs are
    filled evenly (a Fibonacci spiral with jitter of 0.3 of the spacing), so that the
    five nearest neighbours are hardly ever of another disc. The standard deviation is
    0.95 along the first two features and 0.82 along the third: in two principal
    components the discs overlap.

    Parameters
    ----------
    n_samples : int >= 3, default=600
        Number of samples, a third in each disc.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3), ``target`` (n,), and ``cluster`` (n,), 0 to 2 from the
        lowest disc upwards.

    Examples
    --------
    >>> toy = make_stacked_discs(random_state=0)
    >>> np.bincount(toy.target).tolist(), np.bincount(toy.cluster).tolist()
    ([400, 200], [200, 200, 200])
    >>> lowest, middle, top = (toy.data[toy.cluster == c, 2] for c in range(3))
    >>> bool(lowest.max() < middle.min() and middle.max() < top.min())
    True
    """
    X, cluster = _stack(n_samples, -1.0, random_state)
    is_middle = cluster == 1
    class_names = ["outer discs", "middle disc"]
    return bunch_of(X, is_middle, class_names, cluster=cluster)


@check_arguments(n_samples=1, n_features=3)
def make_labelled_cube(n_samples=500, n_features=10, *, random_state=None):
    """Generate a cube with three labellings, mapped to more features at random.

    After section 3.5.2 of the thesis, which gives 500 samples, 10 features and no
    planes. Assumed: the cube [0, 1]^3, filled uniformly; a standard normal matrix,
    generated first, so that it depends on `random_state` alone; and the labellings

    1. "one plane": through the centre, normal (1, 1, 1), class 1 above, a gap of 0.08
       between the classes.
    2. "two planes": across the first axis at 1/3 and 2/3, class 1 between them, no gap.
       These are three layers, though the thesis' picture shows four regions.
    3. "random": either class with probability 1/2, at any position.

    Parameters
    ----------
    n_samples : int >= 1, default=500
        Number of samples.
    n_features : int >= 3, default=10
        Number of features.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, d), ``target`` (n, 3), one labelling with 0 and 1 per column,
        named in ``target_names``, ``clean`` (n, 3), the positions in the cube, and
        ``matrix`` (3, d).

    Examples
    --------
    >>> cube = make_labelled_cube(random_state=0)
    >>> cube.data.shape, cube.target.shape, cube.target_names.tolist()
    ((500, 10), (500, 3), ['one plane', 'two planes', 'random'])
    >>> bool(np.allclose(cube.data, cube.clean @ cube.matrix))
    True
    """
    matrix = random_state.randn(3, n_features)
    cube = random_state.rand(n_samples, 3)
    # Positions in the gap around the one plane are drawn again.
    is_in_gap = _is_in_gap(cube)
    while is_in_gap.any():
        cube[is_in_gap] = random_state.rand(is_in_gap.sum(), 3)
        is_in_gap = _is_in_gap(cube)
    is_above = _height_above_plane(cube) > 0
    position = cube[:, 0]
    is_within = (position > 1 / 3) & (position < 2 / 3)
    random = random_state.randint(2, size=n_samples)
    target = np.column_stack([is_above, is_within, random])
    names = ["one plane", "two planes", "random"]
    return bunch_of(cube @ matrix, target, names, clean=cube, matrix=matrix)


@check_arguments()
def make_stacked_clusters(n_samples=450, *, random_state=None):
    """Generate three flat clusters above each other; the target is the height squared.

    Data set 1 of section 3.6 of the thesis; Fig. 3.20 (left) gives no numbers. Assumed:
    the discs of :func:`make_stacked_discs` at the heights 1, 2 and 3, so that the
    targets are near 1, 4 and 9 and each height has a different target.

    Parameters
    ----------
    n_samples : int >= 3, default=450
        Number of samples, a third in each cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3), ``target`` (n,), and ``cluster`` (n,), 0 to 2 from the
        lowest upwards.

    Examples
    --------
    >>> toy = make_stacked_clusters(random_state=0)
    >>> toy.data.shape, bool((toy.target == toy.data[:, 2] ** 2).all())
    ((450, 3), True)
    >>> [round(float(np.median(toy.target[toy.cluster == c]))) for c in range(3)]
    [1, 4, 9]
    """
    X, cluster = _stack(n_samples, 1.0, random_state)
    return bunch_of(X, X[:, 2] ** 2, cluster=cluster)


@check_arguments()
def make_two_clusters_with_outlier(n_samples=301, *, random_state=None):
    """Generate two balls with a linear and a squared target, and an outlier.

    Data set 2 of section 3.6 of the thesis; Fig. 3.20 (right) gives no numbers.
    Assumed: filled balls of radius 1 around (-2, 0, 0), target x1 + 2 + x2, and (2, 0,
    0), target 2 ((x1 - 2)^2 + x2^2); neither depends on the third feature. The outlier
    is at (0, 0, 0) with target -4, more than 2.5 below all others.

    Parameters
    ----------
    n_samples : int >= 3, default=301
        Number of samples, the outlier included; half of the others in each ball.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3), ``target`` (n,), ``cluster`` (n,), 0 left, 1 right, -1 for
        the outlier, and ``outlier``, its index, which is the last row.

    Examples
    --------
    >>> toy = make_two_clusters_with_outlier(random_state=0)
    >>> toy.data.shape, np.unique(toy.cluster, return_counts=True)[1].tolist()
    ((301, 3), [1, 150, 150])
    >>> toy.outlier, float(toy.target[toy.outlier])
    (300, -4.0)
    >>> bool(np.delete(toy.target, toy.outlier).min() > -1.42)
    True
    """
    n_in_balls = n_samples - 1
    ball = random_state.permutation(np.arange(n_in_balls) % 2)
    cluster = np.append(ball, -1)
    # Each sample has an offset from the centre of its ball.
    offset_in_ball = in_unit_ball(n_in_balls, random_state)
    offset = np.vstack([offset_in_ball, np.zeros(3)])
    centers = np.array([[-2.0, 0, 0], [2.0, 0, 0], [0.0, 0, 0]])
    X = offset + centers[cluster]
    u1, u2, _ = offset.T
    linear = u1 + u2
    squared = 2 * (u1**2 + u2**2)
    targets = [linear, squared, np.full(n_samples, -4.0)]
    # Cluster -1 is the last one.
    target = np.choose(cluster, targets, mode="wrap")
    return bunch_of(X, target, cluster=cluster, outlier=n_samples - 1)


def _stack(n, bottom, rng):
    """Flat discs at the heights `bottom`, + 1 and + 2, and the disc of each sample.

    They are points X (n, 3), and numbers 0 to 2 (n,). The first disc is thick.
    """
    cluster = groups(n, 3, rng)
    X = np.empty((n, 3))
    for level, size in enumerate(np.bincount(cluster)):
        if level == 0:
            height_in_disc = rng.uniform(-0.25, 0.25, size)
        else:
            height_in_disc = LAYER_DEVIATION * rng.randn(size)
        # A Fibonacci spiral with jitter fills a disc evenly.
        rank, angle = spiral(size, rng)
        spacing = DISC_RADIUS * np.sqrt(np.pi / size)
        jitter = 0.3 * spacing * rng.uniform(-1, 1, (size, 2))
        radius = DISC_RADIUS * np.sqrt((rank + 0.5) / size)
        disc = polar(radius, angle) + jitter
        height = bottom + level + height_in_disc
        X[cluster == level] = np.column_stack([disc, height])
    return X, cluster


def _is_in_gap(cube):
    return np.abs(_height_above_plane(cube)) < HALF_GAP


def _height_above_plane(cube):
    """Signed distances from the plane through the centre with normal (1, 1, 1).

    `cube` (n, 3) are points of the unit cube.
    """
    return (cube - 0.5).sum(axis=1) / np.sqrt(3)
