"""Synthetic data, thesis chapter 4: redundant and locally relevant features."""

import numpy as np

from .common import (
    ABOVE_0,
    FROM_0,
    bunch_of,
    check_arguments,
    corners,
    groups,
    polar,
    spiral,
)


@check_arguments()
def make_three_clusters(n_samples=60, *, random_state=None):
    """Three round clusters, separated by the first two features, not by the third.

    Data set 1 of section 4.2.5 of the thesis: 20 samples per cluster, isotropic.
    Assumed: standard deviation 1 around the corners of an equilateral triangle, 5 from
    the origin; the first two features have variance 13.5, the third 1.

    Parameters
    ----------
    n_samples : int >= 3
        A third to each cluster.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,), the cluster, ``relevant`` (3,), whether
    a feature tells clusters apart

    Examples
    --------
    >>> toy = make_three_clusters(random_state=0)
    >>> toy.data.shape, np.bincount(toy.target).tolist(), toy.relevant.tolist()
    ((60, 3), [20, 20, 20], [True, True, False])
    """
    target = groups(n_samples, 3, random_state)
    X = random_state.randn(n_samples, 3)
    X[:, :2] += corners(5.0)[target]
    return bunch_of(
        X, target, "cluster", relevant=np.array([True, True, False])
    )


@check_arguments()
def make_stacked_gaussians(n_samples=300, *, random_state=None):
    """Three flat Gaussians, separated by the feature of least variance.

    Data set 2 of section 4.2.5 of the thesis, which gives no numbers. Assumed: heights
    -1, 0 and 1 with a standard deviation of .05, hence variance .67 along the third
    feature, and 1 along the first two. The Gaussians are filled evenly (a Fibonacci
    spiral whose radii are quantiles), so that no outlier is as near to the next cluster
    as to its own: two principal components lay the clusters on each other, and
    neighbours are of one cluster.

    Parameters
    ----------
    n_samples, random_state
        As in :func:`make_three_clusters`.

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,), the cluster, 0 to 2 from the lowest
    upwards

    Examples
    --------
    >>> toy = make_stacked_gaussians(random_state=0)
    >>> toy.data.shape, toy.data.var(axis=0).round(1).tolist()
    ((300, 3), [1.0, 1.0, 0.7])
    """
    target = groups(n_samples, 3, random_state)
    X = np.empty((n_samples, 3))
    for c, size in enumerate(np.bincount(target)):
        i, turn = spiral(size, random_state)
        # quantiles of the distance from the centre
        radius = np.sqrt(-2 * np.log1p(-(i + 0.5) / size))
        height = c - 1 + 0.05 * random_state.randn(size)
        X[target == c] = np.column_stack([polar(radius, turn), height])
    return bunch_of(X, target, "cluster")


@check_arguments()
def make_noisy_copies(
    n_samples=150, n_features=10, *, noise=0.25, random_state=None
):
    """Three classes in two features; the others are copies, each with more noise.

    Data set 3 of section 4.2.5 of the thesis, which gives the number of features only.
    Assumed: Gaussians of standard deviation 1 around the corners of an equilateral
    triangle, 3 from the origin; features 3, 5, 7 ... are copies of feature 1, features
    4, 6, 8 ... of feature 2, with noise of standard deviation `noise` (j - 2) on
    feature j. With the defaults, copies correlate with their originals by .99 to .77.

    Parameters
    ----------
    n_samples : int >= 3
        A third to each class.
    n_features : int >= 2
    noise : float >= 0
        Increase of the noise's standard deviation from one feature to the next.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, d), ``target`` (n,), ``copy_of`` (d,), the index of each
    feature's original (its own for the first two), ``noise`` (d,), the standard
    deviations of the noise

    Examples
    --------
    >>> toy = make_noisy_copies(random_state=0)
    >>> toy.data.shape, toy.copy_of.tolist()
    ((150, 10), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    >>> toy.noise[:5].tolist()
    [0.0, 0.0, 0.25, 0.5, 0.75]
    """
    target = groups(n_samples, 3, random_state)
    clean = corners(3.0)[target] + random_state.randn(n_samples, 2)
    j = np.arange(n_features)
    copy_of = j % 2
    deviation = noise * np.maximum(j - 1, 0)
    standard = random_state.randn(n_samples, n_features)
    X = clean[:, copy_of] + deviation * standard
    return bunch_of(X, target, "class", copy_of=copy_of, noise=deviation)


@check_arguments(n_samples=4)
def make_bimodal_class(n_samples=200, *, random_state=None):
    """Three classes in three features; the first has a mode on each side of the second.

    The multimodal data of section 4.2.5 of the thesis, which gives no numbers. Assumed:
    Gaussians of standard deviation 1, a quarter of the samples each, around (0, 0, 5)
    and (0, 0, -5), class 1, (.2, 2, 0), class 2, and (0, 6, 0), class 3. Feature 1 is
    irrelevant, feature 2 separates the classes, feature 3 the modes of class 1. Linear
    discriminant analysis takes feature 2 and then feature 1, by the .2 (left to chance,
    one draw in six would show feature 3; therefore modes have their centres as exact
    means along feature 1). In that plane classes 1 and 2 overlap, though in the data
    they hardly do.

    Parameters
    ----------
    n_samples : int >= 4
        A quarter to each mode.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3), ``target`` (n,), ``mode`` (n,), 0 and 1 of the first
    class, 2 and 3 of the others, ``relevant`` (3,), whether a feature tells modes apart

    Examples
    --------
    >>> toy = make_bimodal_class(random_state=0)
    >>> np.bincount(toy.target).tolist(), np.bincount(toy.mode).tolist()
    ([100, 50, 50], [50, 50, 50, 50])
    """
    mode = groups(n_samples, 4, random_state)
    centers = np.array([[0, 0, 5], [0, 0, -5], [0.2, 2, 0], [0, 6, 0]])
    X = random_state.randn(n_samples, 3)
    # exact means along feature 1
    X[:, 0] -= (np.bincount(mode, X[:, 0]) / np.bincount(mode))[mode]
    X += centers[mode]
    return bunch_of(
        X,
        np.maximum(mode - 1, 0),
        "class",
        mode=mode,
        relevant=np.array([False, True, True]),
    )


@check_arguments(n_samples=2, correlation=(0, 0.999), copy_noise=FROM_0)
def make_redundant_regression(
    n_samples=200,
    n_noise=12,
    *,
    correlation=0.1,
    copy_noise=0.05,
    random_state=None,
):
    """A sum of the last three features, after noisy ones and a near copy of one.

    The copy is that of the first of the three.

    The toy set of section 4.3.4 of the thesis: twelve noisy features, two redundant,
    two necessary ones, the sum of the last three as target. Assumed: the last three are
    standard normal; each noisy feature has variance 1 and correlates with the target by
    `correlation`. The target has no noise: an exact fit has the weights 0 ... 0, 0, 1,
    1, 1.

    Parameters
    ----------
    n_samples : int >= 2
    n_noise : int >= 0
        Number of noisy features.
    correlation : float from 0 to .999
        Of a noisy feature with the target.
    copy_noise : float >= 0
        Standard deviation of the difference of the two redundant features.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, `n_noise` + 4), ``target`` (n,), ``relevance`` (d,), 0 for
    noise, 1 for a feature that another can replace, 2 for one that is needed

    Examples
    --------
    >>> toy = make_redundant_regression(random_state=0)
    >>> toy.data.shape, toy.relevance[-5:].tolist()
    ((200, 16), [0, 1, 1, 2, 2])
    >>> bool(np.allclose(toy.target, toy.data[:, -3:].sum(axis=1)))
    True
    """
    useful = random_state.randn(n_samples, 3)
    target = useful.sum(axis=1)
    copy = useful[:, :1] + copy_noise * random_state.randn(n_samples, 1)
    # the target has variance 3: each noisy feature has variance 1
    own = np.sqrt(1 - correlation**2) * random_state.randn(n_samples, n_noise)
    X = np.hstack(
        [correlation * target[:, None] / np.sqrt(3) + own, copy, useful]
    )
    return bunch_of(X, target, relevance=np.repeat([0, 1, 2], [n_noise, 2, 2]))


@check_arguments(n_samples=4, spread=ABOVE_0, share=(0.001, 0.999))
def make_xor_copies(
    n_samples=200, *, spread=0.2, noise=0.2, share=0.5, random_state=None
):
    """An exclusive or (XOR) of two directions, of which one has three copies.

    Four clusters of two classes.

    The xor data of section 4.3.5 of the thesis, which gives no numbers. Assumed:
    centres at (-1, -1), (1, 1), class 1, and (-1, 1), (1, -1), class 2; features 1 to 3
    are the first direction, each with its own noise, feature 4 is the second, features
    5 and 6 are the same standard normal numbers. With `share` one half the directions
    are independent: after standardising three principal directions carry all but noise,
    the copies (variance 3), the irrelevant pair (2) and feature 4 (1). Otherwise the
    directions correlate by 2 `share` - 1.

    Parameters
    ----------
    n_samples : int >= 4
    spread : float > 0
        Standard deviation of a cluster; up to .2 the clusters are separate.
    noise : float >= 0
        Standard deviation of the noise on each of the three copies.
    share : float from .001 to .999
        Fraction of the samples in class 1.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 6), ``target`` (n,), ``cluster`` (n,), 0 and 1 of class 1, 2
    and 3 of class 2, ``clean`` (n, 2), the two directions, ``relevance`` (6,), 0
    irrelevant, 1 replaceable, 2 needed

    Examples
    --------
    >>> toy = make_xor_copies(random_state=0)
    >>> toy.data.shape, np.bincount(toy.cluster).tolist(), toy.relevance.tolist()
    ((200, 6), [50, 50, 50, 50], [1, 1, 1, 2, 0, 0])
    """
    # no cluster is empty
    n_first = int(np.clip(round(share * n_samples), 2, n_samples - 2))
    ordered = np.append(
        np.arange(n_first) % 2, 2 + np.arange(n_samples - n_first) % 2
    )
    cluster = random_state.permutation(ordered)
    centers = np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]])
    clean = centers[cluster] + spread * random_state.randn(n_samples, 2)
    copies = clean[:, :1] + noise * random_state.randn(n_samples, 3)
    irrelevant = random_state.randn(n_samples, 1)
    X = np.hstack([copies, clean[:, 1:], irrelevant, irrelevant])
    return bunch_of(
        X,
        cluster // 2,
        "class",
        cluster=cluster,
        clean=clean,
        relevance=np.array([1, 1, 1, 2, 0, 0]),
    )


@check_arguments(n_samples=2, gap=(0, 1.999))
def make_switching_relevance(
    n_samples=400, *, n_noise=1, gap=0.0, random_state=None
):
    """A position, and two features that are each relevant in one half of the space.

    For the open problem of section 4.4 of the thesis: locally relevant features. All
    features are uniform in [-1, 1] and independent. Feature 1 is the position; where it
    is below 0, feature 2 is `relevant`, elsewhere feature 3. The class is the sign of
    the relevant feature; the true map has the position as first coordinate and the
    relevant feature as second. Neighbourhoods at the border between the halves are
    mixed, unless there is a gap.

    Parameters
    ----------
    n_samples : int >= 2
        A half to each side.
    n_noise : int >= 0
        Number of further features, which are irrelevant everywhere.
    gap : float from 0 to 1.999
        Width of the strip along the border without samples.
    random_state : int, RandomState or None

    Returns
    -------
    Bunch with ``data`` (n, 3 + `n_noise`), ``target`` (n,), ``relevant`` (n,), the
    index of the relevant feature of each sample, 1 or 2, ``map`` (n, 2)

    Examples
    --------
    >>> toy = make_switching_relevance(random_state=0)
    >>> toy.data.shape, np.bincount(toy.relevant).tolist()
    ((400, 4), [0, 200, 200])
    >>> bool((toy.map[:, 1] == toy.data[np.arange(400), toy.relevant]).all())
    True
    """
    side = groups(n_samples, 2, random_state)
    X = random_state.uniform(-1, 1, size=(n_samples, 3 + n_noise))
    # the position, at least half of the gap from the border
    X[:, 0] = (2 * side - 1) * (gap / 2 + (1 - gap / 2) * np.abs(X[:, 0]))
    values = X[np.arange(n_samples), 1 + side]
    return bunch_of(
        X,
        values > 0,
        "class",
        relevant=1 + side,
        map=np.column_stack([X[:, 0], values]),
    )
