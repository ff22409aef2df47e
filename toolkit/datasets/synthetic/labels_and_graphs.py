"""Synthetic data, chapters 2 to 4: a torus, clusters, moons, an enclosed class."""

import numpy as np

from ...core import (
    check_integer,
    check_numbers,
    check_option,
    check_seed,
    require,
)
from .common import FROM_0, bunch_of, check_arguments, groups, names, polar


@check_arguments(n_samples=1)
def make_torus(
    n_samples=1000,
    n_garbage=7,
    n_classes=4,
    *,
    radii=(3.0, 1.0),
    garbage=1.0,
    jitter=0.0,
    random_state=None,
):
    """The surface of a torus, cut into classes, among garbage features.

    Three features hold the surface; the classes are sectors of the ring.

    After the data set Torus of Tai2019, which has seven garbage features. Assumed,
    because the paper is silent: radii, classes (equal sectors of the ring), garbage
    (Gaussian, `garbage` times the coordinates' mean standard deviation).

    Parameters
    ----------
    n_samples, n_garbage, n_classes : int
    radii : (float, float)
        Of the ring and of the tube.
    garbage, jitter : float >= 0
        Of the garbage features, as above; standard deviation of noise on the surface.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3 + n_garbage), ``target`` (n,), ``clean`` (n, 3), the
    surface without garbage

    Examples
    --------
    >>> torus = make_torus(200, random_state=0)
    >>> torus.data.shape, torus.clean.shape
    ((200, 10), (200, 3))
    """
    R, r = check_numbers(radii, "radii", shape=(2,))
    require(R > r > 0, "radii", "two numbers, ring > tube > 0", radii)
    ring = random_state.uniform(0, 2 * np.pi, size=n_samples)
    tube = np.empty(0)
    # evenly on the surface, by rejection: the outer side is larger
    while len(tube) < n_samples:
        angle = random_state.uniform(0, 2 * np.pi, size=2 * n_samples)
        level = random_state.rand(2 * n_samples) * (R + r)
        tube = np.append(tube, angle[level < R + r * np.cos(angle)])
    tube = tube[:n_samples]
    clean = np.column_stack(
        [polar(R + r * np.cos(tube), ring), r * np.sin(tube)]
    )
    # equal sectors of the ring
    sector = (ring / (2 * np.pi) * n_classes).astype(int)
    return _among_garbage(
        clean, sector, n_garbage, garbage, jitter, random_state
    )


@check_arguments(n_samples=1, clusters_per_class=1, spread=FROM_0)
def make_clusters(
    n_samples=1000,
    n_garbage=8,
    n_classes=3,
    *,
    clusters_per_class=2,
    spread=0.15,
    garbage=1.0,
    random_state=None,
):
    """Gaussian clusters on a ring, several per class, among garbage features.

    After the data set Clusdat of Tai2019, which has eight garbage features. Assumed,
    because the paper is silent: two features with structure, clusters at equal steps of
    the unit circle that take the classes in turn, and garbage as in :func:`make_torus`.

    Parameters
    ----------
    n_samples, n_garbage, n_classes, clusters_per_class : int
    spread, garbage : float >= 0
        Standard deviation of a cluster; the garbage as in :func:`make_torus`.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 2 + n_garbage), ``target`` (n,), ``clean`` (n, 2),
    ``cluster`` (n,)

    Examples
    --------
    >>> clusters = make_clusters(120, random_state=0)
    >>> clusters.data.shape, len(set(clusters.cluster))
    ((120, 10), 6)
    """
    n_clusters = n_classes * clusters_per_class
    cluster = groups(n_samples, n_clusters, random_state)
    centers = polar(1.0, 2 * np.pi * cluster / n_clusters)
    clean = centers + spread * random_state.randn(n_samples, 2)
    label = cluster % n_classes
    bunch = _among_garbage(clean, label, n_garbage, garbage, 0.0, random_state)
    bunch.cluster = cluster
    return bunch


def _among_garbage(clean, target, n_garbage, garbage, jitter, rng):
    n, d = clean.shape
    # as wide as the structure is on average
    noise = garbage * clean.std(axis=0).mean() * rng.randn(n, n_garbage)
    X = np.column_stack([clean + jitter * rng.randn(*clean.shape), noise])
    bunch = bunch_of(X, target, "class", clean=clean)
    bunch.feature_names = np.append(names(d), names(n_garbage, "garbage "))
    return bunch


@check_arguments(n_samples=6)
def make_hidden_moons(
    n_samples=1000,
    n_features=20,
    n_labelled=10,
    *,
    noise=0.5,
    jitter=0.1,
    placement="even",
    random_state=None,
    labels_state=None,
):
    """Two interleaved half circles in two of many features, with few labels.

    After the toy data of Kitamura2007, section 3.2: 20 features, ten labelled and 490
    unlabelled samples per moon. The paper gives neither the noise nor the positions of
    the labelled samples: parameters.

    Parameters
    ----------
    n_samples, n_features : int
    n_labelled : int
        Labelled samples in each moon.
    noise : float >= 0
        Standard deviation of the other features; the moons have radius 1.
    jitter : float >= 0
        Standard deviation of the noise within the two features.
    placement : {"even", "one-sided"}
        Labelled samples from anywhere, or from the third of each moon near its own left
        end.
    random_state, labels_state : int, RandomState or None
        For the samples, and for the choice of the labelled ones; None goes on with
        `random_state`.

    Returns
    -------
    Bunch with ``data`` (n, d), ``target`` (n,), -1 if unlabelled, ``truth`` (n,),
    ``angle`` (n,) along the moon, 0 to 1

    Examples
    --------
    >>> moons = make_hidden_moons(random_state=0)
    >>> moons.data.shape, int((moons.target >= 0).sum())
    ((1000, 20), 20)
    """
    check_option(placement, "placement", ("even", "one-sided"))
    check_integer(n_labelled, "n_labelled", 1, n_samples // 6)
    truth = np.arange(n_samples) % 2
    along = random_state.rand(n_samples)
    upper = polar(1.0, np.pi * along)
    # the second moon is the first one turned by 180 degrees
    moons = np.where(truth[:, None] == 0, upper, [1, 0.5] - upper)
    moons += jitter * random_state.randn(*upper.shape)
    others = noise * random_state.randn(n_samples, n_features - 2)
    X = np.column_stack([moons, others])
    target = np.full(n_samples, -1)
    rng = random_state
    if labels_state is not None:
        rng = check_seed(labels_state, "labels_state")
    # the upper moon runs from right to left
    for c, near_left in enumerate([along > 2 / 3, along < 1 / 3]):
        allowed = np.flatnonzero(
            (truth == c) & (near_left | (placement == "even"))
        )
        size = min(n_labelled, len(allowed))
        target[rng.choice(allowed, size=size, replace=False)] = c
    return bunch_of(
        X, target, ["upper moon", "lower moon"], truth=truth, angle=along
    )


@check_arguments()
def make_enclosed_class(
    n_samples=600, *, centers=None, spread=(0.5, 10.0, 0.5), random_state=None
):
    """Two classes in three dimensions, one in two clusters on both sides of the other.

    Only the third axis separates the classes, and not by one threshold. The second
    has most of the variance and no class; along the first the class means differ a
    little and the variance is small.

    Parameters
    ----------
    n_samples : int >= 3, default=600
        A third in each cluster.
    centers : array-like of shape (3, 3), optional
        Of both clusters of class 0 and of class 1; (0, 0, -5), (0, 0, 5) and (0.4, 0,
        0.8) by default.
    spread : array-like of shape (3,)
        Standard deviation of a cluster along each axis.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,) in {0, 1}, ``cluster`` (n,) in {0, 1,
    2}, ``target_names``

    Notes
    -----
    After Fig. 1 of Biehl2012, whose numbers are not printed; these are ours.

    Examples
    --------
    >>> bunch = make_enclosed_class(30, random_state=0)
    >>> bunch.data.shape, bunch.target[:6].tolist()
    ((30, 3), [0, 0, 1, 0, 0, 1])
    """
    centers = (
        [[0, 0, -5], [0, 0, 5], [0.4, 0, 0.8]] if centers is None else centers
    )
    centers = check_numbers(centers, "centers", shape=(3, 3))
    spread = check_numbers(spread, "spread", shape=(3,))
    require(spread.min() >= 0, "spread", "not negative", spread)
    cluster = np.arange(n_samples) % 3
    X = centers[cluster] + spread * random_state.randn(n_samples, 3)
    return bunch_of(
        X, cluster == 2, ["two clusters", "between them"], cluster=cluster
    )
