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
    n_noise=7,
    n_classes=4,
    *,
    radii=(3.0, 1.0),
    noise_scale=1.0,
    jitter=0.0,
    random_state=None,
):
    """Generate the surface of a torus, cut into classes, with noise features.

    Three features are the coordinates of the surface; the classes are sectors of the
    ring. After the data set Torus of Tai2019, which has seven noise features. Assumed,
    because the paper does not state them: radii, classes (equal sectors of the ring),
    noise features (Gaussian, `noise_scale` times the mean standard deviation of the
    coordinates).

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    n_noise : int, default=7
        Number of noise features.
    n_classes : int, default=4
        Number of classes.
    radii : (float, float), default=(3.0, 1.0)
        Radii of the ring and of the tube.
    noise_scale : float >= 0, default=1.0
        Standard deviation of the noise features, relative to the mean standard
        deviation of the coordinates.
    jitter : float >= 0, default=0.0
        Standard deviation of the noise on the surface.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3 + n_noise), ``target`` (n,), and ``clean`` (n, 3), the
        surface without noise features.

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
    # Rejection makes the samples even on the surface: its outer side is larger.
    while len(tube) < n_samples:
        angle = random_state.uniform(0, 2 * np.pi, size=2 * n_samples)
        level = random_state.rand(2 * n_samples) * (R + r)
        is_accepted = level < R + r * np.cos(angle)
        tube = np.append(tube, angle[is_accepted])
    tube = tube[:n_samples]
    distance_from_axis = R + r * np.cos(tube)
    height = r * np.sin(tube)
    clean = np.column_stack([polar(distance_from_axis, ring), height])
    # The classes are equal sectors of the ring.
    sector = (ring / (2 * np.pi) * n_classes).astype(int)
    return _with_noise_features(
        clean,
        sector,
        n_noise=n_noise,
        noise_scale=noise_scale,
        jitter=jitter,
        rng=random_state,
    )


@check_arguments(n_samples=1, clusters_per_class=1, std=FROM_0)
def make_clusters(
    n_samples=1000,
    n_noise=8,
    n_classes=3,
    *,
    clusters_per_class=2,
    std=0.15,
    noise_scale=1.0,
    random_state=None,
):
    """Generate Gaussian clusters on a ring, several per class, with noise features.

    After the data set Clusdat of Tai2019, which has eight noise features. Assumed,
    because the paper does not state them: two features with structure, clusters at
    equal steps of the unit circle with alternating classes, and noise features as in
    :func:`make_torus`.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    n_noise : int, default=8
        Number of noise features.
    n_classes : int, default=3
        Number of classes.
    clusters_per_class : int, default=2
        Number of clusters per class.
    std : float >= 0, default=0.15
        Standard deviation of a cluster.
    noise_scale : float >= 0, default=1.0
        Standard deviation of the noise features, relative to the mean standard
        deviation of the first two.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 2 + n_noise), ``target`` (n,), ``clean`` (n, 2), and
        ``cluster`` (n,).

    Examples
    --------
    >>> clusters = make_clusters(120, random_state=0)
    >>> clusters.data.shape, len(set(clusters.cluster))
    ((120, 10), 6)
    """
    n_clusters = n_classes * clusters_per_class
    cluster = groups(n_samples, n_clusters, random_state)
    center_angle = 2 * np.pi * cluster / n_clusters
    centers = polar(1.0, center_angle)
    clean = centers + std * random_state.randn(n_samples, 2)
    label = cluster % n_classes
    bunch = _with_noise_features(
        clean,
        label,
        n_noise=n_noise,
        noise_scale=noise_scale,
        jitter=0.0,
        rng=random_state,
    )
    bunch.cluster = cluster
    return bunch


def _with_noise_features(clean, target, *, n_noise, noise_scale, jitter, rng):
    """Bunch of the structure `clean` (n, d) with jitter and further noise features.

    The noise has `noise_scale` times the mean standard deviation of the structure.
    """
    n, d = clean.shape
    # The noise features are as wide as the structure is on average.
    mean_deviation = clean.std(axis=0).mean()
    noise = noise_scale * mean_deviation * rng.randn(n, n_noise)
    structure = clean + jitter * rng.randn(n, d)
    X = np.column_stack([structure, noise])
    bunch = bunch_of(X, target, "class", clean=clean)
    bunch.feature_names = np.append(names(d), names(n_noise, "noise "))
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
    """Generate two interleaved half circles among noise features, with few labels.

    After the toy data of Kitamura2007, section 3.2: 20 features, ten labelled and 490
    unlabelled samples per moon. The paper states neither the noise nor the positions of
    the labelled samples; they are parameters.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    n_features : int, default=20
        Number of features, of which two hold the moons.
    n_labelled : int, default=10
        Number of labelled samples in each moon.
    noise : float >= 0, default=0.5
        Standard deviation of the other features; the moons have radius 1.
    jitter : float >= 0, default=0.1
        Standard deviation of the noise within the two features.
    placement : {"even", "one-sided"}, default="even"
        Labelled samples from the whole moon, or from the third of each moon near its
        own left end.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator of the samples.
    labels_state : int, RandomState instance or None, default=None
        Seed for the choice of the labelled samples; None continues with the generator
        of `random_state`.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, d), ``target`` (n,), -1 if unlabelled, ``truth`` (n,), and
        ``angle`` (n,) along the moon, from 0 to 1.

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
    # The second moon is the first one turned by 180 degrees.
    lower = [1, 0.5] - upper
    is_upper = truth[:, None] == 0
    moons = np.where(is_upper, upper, lower)
    moons += jitter * random_state.randn(*upper.shape)
    noise_features = noise * random_state.randn(n_samples, n_features - 2)
    X = np.column_stack([moons, noise_features])
    target = np.full(n_samples, -1)
    rng = random_state
    if labels_state is not None:
        rng = check_seed(labels_state, "labels_state")
    # The upper moon runs from right to left.
    is_left_part = [along > 2 / 3, along < 1 / 3]
    for moon in (0, 1):
        may_be_labelled = truth == moon
        if placement == "one-sided":
            may_be_labelled &= is_left_part[moon]
        candidates = np.flatnonzero(may_be_labelled)
        size = min(n_labelled, len(candidates))
        labelled = rng.choice(candidates, size=size, replace=False)
        target[labelled] = moon
    moon_names = ["upper moon", "lower moon"]
    return bunch_of(X, target, moon_names, truth=truth, angle=along)


@check_arguments()
def make_enclosed_class(
    n_samples=600,
    *,
    centers=((0, 0, -5), (0, 0, 5), (0.4, 0, 0.8)),
    std=(0.5, 10.0, 0.5),
    random_state=None,
):
    """Generate two classes in 3-D; one has clusters on both sides of the other.

    Only the third axis separates the classes, and not by one threshold. The second
    has most of the variance and does not separate them. Along the first the class
    means differ a little and the variance is small.

    Parameters
    ----------
    n_samples : int >= 3, default=600
        Number of samples, a third in each cluster.
    centers : array-like of shape (3, 3), default=((0, 0, -5), (0, 0, 5), (0.4, 0, 0.8))
        Centres of both clusters of class 0 and of class 1.
    std : array-like of shape (3,), default=(0.5, 10.0, 0.5)
        Standard deviation of a cluster along each axis.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3), ``target`` (n,) in {0, 1}, ``cluster`` (n,) in {0, 1, 2},
        and ``target_names``.

    Notes
    -----
    After Fig. 1 of Biehl2012, whose numbers are not printed; the defaults are ours.

    Examples
    --------
    >>> bunch = make_enclosed_class(30, random_state=0)
    >>> bunch.data.shape, bunch.target[:6].tolist()
    ((30, 3), [0, 0, 1, 0, 0, 1])
    """
    centers = check_numbers(centers, "centers", shape=(3, 3))
    std = check_numbers(std, "std", shape=(3,))
    require(std.min() >= 0, "std", "not negative", std)
    cluster = np.arange(n_samples) % 3
    X = centers[cluster] + std * random_state.randn(n_samples, 3)
    is_enclosed = cluster == 2
    class_names = ["two clusters", "between them"]
    return bunch_of(X, is_enclosed, class_names, cluster=cluster)
