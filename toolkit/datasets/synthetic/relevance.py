"""Synthetic data, thesis chapter 4: redundant and locally relevant features."""

import numpy as np

from .common import (
    ABOVE_0,
    bunch_of,
    check_arguments,
    corners,
    groups,
    polar,
    spiral,
)


@check_arguments()
def make_three_clusters(n_samples=60, *, random_state=None):
    """Generate three round clusters, separated by the first two features only.

    Data set 1 of section 4.2.5 of the thesis: 20 samples per cluster, isotropic.
    Assumed: standard deviation 1 around the corners of an equilateral triangle, 5 from
    the origin; the first two features have variance 13.5, the third 1.

    Parameters
    ----------
    n_samples : int >= 3, default=60
        Number of samples, a third in each cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3), ``target`` (n,), the cluster, and ``relevant`` (3,),
        whether a feature separates clusters.

    Examples
    --------
    >>> toy = make_three_clusters(random_state=0)
    >>> toy.data.shape, np.bincount(toy.target).tolist(), toy.relevant.tolist()
    ((60, 3), [20, 20, 20], [True, True, False])
    """
    target = groups(n_samples, 3, random_state)
    X = random_state.randn(n_samples, 3)
    X[:, :2] += corners(5.0)[target]
    relevant = np.array([True, True, False])
    return bunch_of(X, target, "cluster", relevant=relevant)


@check_arguments()
def make_stacked_gaussians(n_samples=300, *, random_state=None):
    """Generate three flat Gaussians, separated by the feature of least variance.

    Data set 2 of section 4.2.5 of the thesis, which gives no numbers. Assumed: heights
    -1, 0 and 1 with a standard deviation of 0.05, hence variance 0.67 along the third
    feature, and 1 along the first two. The Gaussians are filled evenly (a Fibonacci
    spiral whose radii are quantiles), so that no sample is as near to another cluster
    as to its own. In two principal components the clusters overlap; the nearest
    neighbours of a sample are in the same cluster.

    Parameters
    ----------
    n_samples : int >= 3, default=300
        Number of samples, a third in each cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 3), and ``target`` (n,), the cluster, 0 to 2 from the lowest
        upwards.

    Examples
    --------
    >>> toy = make_stacked_gaussians(random_state=0)
    >>> toy.data.shape, toy.data.var(axis=0).round(1).tolist()
    ((300, 3), [1.0, 1.0, 0.7])
    """
    target = groups(n_samples, 3, random_state)
    X = np.empty((n_samples, 3))
    for level, size in enumerate(np.bincount(target)):
        rank, angle = spiral(size, random_state)
        # The radii are quantiles of the distance from the centre.
        probability = (rank + 0.5) / size
        radius = np.sqrt(-2 * np.log1p(-probability))
        height = level - 1 + 0.05 * random_state.randn(size)
        plane = polar(radius, angle)
        X[target == level] = np.column_stack([plane, height])
    return bunch_of(X, target, "cluster")


@check_arguments(n_samples=4, std=ABOVE_0, fraction=(0.001, 0.999))
def make_xor_copies(
    n_samples=200, *, std=0.2, noise=0.2, fraction=0.5, random_state=None
):
    """Generate an exclusive or (XOR) of two directions, one of which has three copies.

    Four clusters of two classes.

    The xor data of section 4.3.5 of the thesis, which gives no numbers. Assumed:
    centres at (-1, -1), (1, 1), class 1, and (-1, 1), (1, -1), class 2; features 1 to 3
    are the first direction, each with its own noise; feature 4 is the second; features
    5 and 6 are the same standard normal numbers. With ``fraction=0.5`` the directions
    are independent. After standardising, three principal directions then hold all but
    noise: the copies (variance 3), the irrelevant pair (2) and feature 4 (1). Otherwise
    the directions correlate by 2 `fraction` - 1.

    Parameters
    ----------
    n_samples : int >= 4, default=200
        Number of samples.
    std : float > 0, default=0.2
        Standard deviation of a cluster; up to 0.2 the clusters are separate.
    noise : float >= 0, default=0.2
        Standard deviation of the noise on each of the three copies.
    fraction : float from 0.001 to 0.999, default=0.5
        Fraction of the samples in class 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible.

    Returns
    -------
    bunch : Bunch
        With ``data`` (n, 6), ``target`` (n,), ``cluster`` (n,), 0 and 1 of class 1, 2
        and 3 of class 2, ``clean`` (n, 2), the two directions, and ``relevance`` (6,),
        0 irrelevant, 1 weakly relevant, 2 strongly relevant.

    Examples
    --------
    >>> toy = make_xor_copies(random_state=0)
    >>> toy.data.shape, np.bincount(toy.cluster).tolist(), toy.relevance.tolist()
    ((200, 6), [50, 50, 50, 50], [1, 1, 1, 2, 0, 0])
    """
    # No cluster is empty.
    n_first = int(np.clip(round(fraction * n_samples), 2, n_samples - 2))
    clusters_of_first = np.arange(n_first) % 2
    clusters_of_second = 2 + np.arange(n_samples - n_first) % 2
    ordered = np.append(clusters_of_first, clusters_of_second)
    cluster = random_state.permutation(ordered)
    centers = np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]])
    clean = centers[cluster] + std * random_state.randn(n_samples, 2)
    copies = clean[:, :1] + noise * random_state.randn(n_samples, 3)
    irrelevant = random_state.randn(n_samples, 1)
    X = np.hstack([copies, clean[:, 1:], irrelevant, irrelevant])
    relevance = np.array([1, 1, 1, 2, 0, 0])
    return bunch_of(
        X,
        cluster // 2,
        "class",
        cluster=cluster,
        clean=clean,
        relevance=relevance,
    )
