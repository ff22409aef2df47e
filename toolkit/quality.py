"""Quality of maps: neighbourhood preservation, nearest-neighbour errors, label cells.

Neighbourhood preservation is that of co-ranking: Q_NX, R_NX and its area.
"""

import numpy as np
from joblib import delayed
from scipy.linalg import norm
from sklearn.neighbors import NearestNeighbors

from .core import (
    BLOCK_PAIRS,
    centred,
    check_distances,
    check_flags,
    check_integer,
    check_lengths,
    check_numbers,
    check_option,
    check_pair,
    check_same_length,
    check_seed,
    check_table,
    check_target,
    class_column,
    draw_rows,
    even_blocks,
    magnitude,
    neighbor_ranks,
    power_of_two,
    progress,
    results,
    squared_distances,
)

__all__ = [
    "knn_error",
    "knn_nrmse",
    "log_area",
    "nearest_label",
    "nearest_label_accuracy",
    "q_nx",
    "r_nx",
]


def q_nx(X, Z, *, metric="euclidean", n_jobs=None, verbose=False):
    """Fraction of the k nearest neighbours that a map keeps, for each k.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n, n)
        Samples, or distances, symmetric with a zero diagonal.
    Z : array-like of shape (n, m)
        The map.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        What `X` holds.
    n_jobs : int, optional
        Workers of joblib, each for some of the rows; threads by default.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    ndarray of shape (n - 1,)
        The value for k = 1, ..., n - 1.

    Notes
    -----
    ``Q_NX(k) = |{pairs whose rank is at most k in both}| / (n k)``, Eq. (2.2) of the
    thesis. With max(rank, rank') counted in row blocks no co-ranking matrix is formed.
    Ties get ranks in the order of the row numbers; a sample is never its own neighbour,
    its duplicates are.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> q_nx(X, X)
    array([1., 1., 1.])
    """
    X, Z = check_pair(X, Z, metric)
    n = len(X)
    Z = centred(Z)
    if metric == "euclidean":
        X = centred(X)
    blocks = even_blocks(n, n, BLOCK_PAIRS)
    tasks = (delayed(_rank_counts)(X, Z, metric, rows) for rows in blocks)
    bar = (list(map(len, blocks)), "q_nx", verbose)
    counts = sum(results(tasks, n_jobs, "threads", bar=bar))
    k = np.arange(1, n)
    return np.cumsum(counts[1:]) / (n * k)  # Eq. (2.2)


def _rank_counts(X, Z, metric, rows):
    """How many pairs of some rows have each value as the larger of two ranks, (n,)."""
    D = X[rows] if metric == "precomputed" else squared_distances(X[rows], X)
    high = neighbor_ranks(D, rows)
    low = neighbor_ranks(squared_distances(Z[rows], Z), rows)
    return np.bincount(np.maximum(high, low).ravel(), minlength=len(X))


def r_nx(
    X,
    Z,
    *,
    metric="euclidean",
    n_samples=None,
    n_repeats=10,
    random_state=None,
    n_jobs=None,
    verbose=False,
):
    """How many more neighbours a map keeps than a random one: 0 for chance, 1 for all.

    Parameters
    ----------
    X, Z, metric, n_jobs, verbose : as in :func:`q_nx`
    n_samples : int >= 3, optional
        Take the mean over random subsets of that many samples, as the thesis does: it
        saves time, and maps of different numbers of samples can be compared on subsets
        of one size.
    n_repeats : int >= 1, default=10
        How many subsets.
    random_state : int, RandomState or None, default=None
        For the subsets.

    Returns
    -------
    ndarray of shape (n - 2,)
        For k = 1, ..., n - 2 (at n - 1 it is 0/0); with `n_samples` in place of n.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> r_nx(X, X)
    array([1., 1.])
    """
    repeats = check_integer(n_repeats, "n_repeats", 1, 10**6)
    if n_samples is not None:
        X, Z = check_pair(X, Z, metric)
        size = check_integer(n_samples, "n_samples", 3, len(X))
        rng = check_seed(random_state)
        curves = []
        with progress(repeats, "r_nx", verbose) as done:
            for _ in range(repeats):
                rows = draw_rows(len(X), size, rng)
                part = (
                    X[np.ix_(rows, rows)]
                    if metric == "precomputed"
                    else X[rows]
                )
                curves.append(r_nx(part, Z[rows], metric=metric, n_jobs=n_jobs))
                done()
        return np.mean(curves, axis=0)
    Q = q_nx(X, Z, metric=metric, n_jobs=n_jobs, verbose=verbose)[:-1]
    n = len(Q) + 2
    k = np.arange(1, n - 1)
    return ((n - 1) * Q - k) / (n - 1 - k)  # Eq. (2.3)


def log_area(R):
    """Area under R_NX (K,), k = 1, ..., K on a logarithmic axis.

    It is a float, sum_k R(k) / k over sum_k 1 / k.

    Examples
    --------
    >>> log_area([1.0, 1.0, 1.0])
    1.0
    """
    R = check_numbers(R, "R", shape=("k",))
    if len(R) == 0:
        raise ValueError(
            "`R` must hold one value per neighbourhood size, shape (K,); it is empty."
        )
    return float(np.average(R, weights=1 / np.arange(1, len(R) + 1)))


def knn_error(Z, y, k=1, *, metric="euclidean", Z_new=None, y_new=None):
    """Error of the k-nearest-neighbour vote: leave-one-out, or on held-out samples.

    Parameters
    ----------
    Z : array-like of shape (n, m) or (n, n)
        The map, or distances.
    y : array-like of shape (n,)
    k : int, default=1
    metric : {"euclidean", "precomputed"}, default="euclidean"
        What `Z` and `Z_new` hold.
    Z_new, y_new : array-like of shape (q, m) and (q,), optional
        Held-out samples, predicted by their neighbours in `Z`; of distances `Z_new` is
        (q, n).

    Returns
    -------
    float
        Fraction of wrong votes; a tied vote goes to the class whose nearest sample is
        nearer.

    Examples
    --------
    >>> knn_error([[0], [1], [5], [6]], [0, 0, 1, 1])
    0.0
    >>> knn_error([[0], [1], [5], [6]], [0, 0, 1, 1], Z_new=[[2], [4]], y_new=[1, 1])
    0.5
    """
    y = class_column(y)
    truth = y if y_new is None else class_column(y_new, "y_new")
    _, nearest = _nearest(Z, y, k, metric, Z_new, y_new)
    votes = y[nearest]  # (q, k)
    # of each neighbour's class; of the largest the first wins
    counts = sum(votes == one[:, None] for one in votes.T)
    winners = votes[np.arange(len(votes)), counts.argmax(axis=1)]
    return float(np.mean(winners != truth))


def knn_nrmse(
    Z, y, k=5, *, weights="distance", metric="euclidean", Z_new=None, y_new=None
):
    """Error of k-nearest-neighbour regression over the target's standard deviation.

    Leave-one-out, or on held-out samples.

    Parameters
    ----------
    Z, k, metric, Z_new : as in :func:`knn_error`
    y, y_new : array-like of shape (n,) and (q,)
        Real.
    weights : {"distance", "uniform"}, default="distance"
        Neighbours are weighted by inverse distance (those at distance 0 alone, where
        there are any), or alike.

    Returns
    -------
    float
        Root of the mean squared error over the standard deviation of the targets that
        are predicted: 0 for perfect, 1 for as good as their mean.

    Notes
    -----
    Section 2.6.4 of the thesis; the values of its Table 2.2 are reproduced with
    inverse-distance weights.

    Examples
    --------
    >>> round(knn_nrmse([[0], [1], [2], [3]], [0, 1, 2, 3], k=2), 3)
    0.843
    >>> knn_nrmse([[0], [2]], [0, 1], k=1, Z_new=[[0.5], [1.5]], y_new=[0, 1])
    0.0
    """
    y = check_target(y, magnitude=False)
    truth = y
    name = "y"
    if y_new is not None:
        name = "y_new"
        truth = y_new = check_target(y_new, name=name, magnitude=False)
    check_option(weights, "weights", ("distance", "uniform"))
    distance, index = _nearest(Z, y, k, metric, Z_new, y_new)
    unit = power_of_two(y, truth)
    y = y / unit
    truth = truth / unit
    if np.ptp(truth) <= 1e-12 * magnitude(truth):
        raise ValueError(
            f"`{name}` must vary: the error is relative to its standard deviation;"
            f" all {len(truth)} values are {truth[0] * unit:.6g}."
        )
    w = np.ones_like(distance)
    if weights == "distance":
        # relative to the nearest one's: inverse distances may overflow
        nearest = distance[:, :1]
        ratio = nearest / np.where(distance == 0, 1, distance)
        w = np.where(nearest == 0, distance == 0, ratio)
    prediction = np.sum(w * y[index], axis=1) / w.sum(axis=1)
    # their norms as those of BLAS, whose squares neither over- nor underflow
    return float(norm(truth - prediction) / norm(truth - truth.mean()))


def _nearest(Z, y, k, metric, Z_new, y_new):
    """Distances (in some unit) to the k nearest samples, and their numbers, (q, k)."""
    check_option(metric, "metric", ("euclidean", "precomputed"))
    Z = check_table(Z, "Z", least=1 + (Z_new is None), magnitude=False)
    check_same_length(Z, y, ("Z", "y"))
    if (Z_new is None) != (y_new is None):
        raise ValueError(
            "`Z_new` and `y_new` go together: give both or neither."
        )
    D = Z
    if Z_new is not None:
        D = check_table(
            Z_new, "Z_new", magnitude=False, shape=("q", Z.shape[1])
        )
        check_same_length(D, y_new, ("Z_new", "y_new"))
    check_integer(k, "k", 1, len(Z) - (Z_new is None))
    if metric == "euclidean":
        unit = power_of_two(Z, D)  # so that no square over- or underflows
        search = NearestNeighbors(n_neighbors=k).fit(Z / unit)
        return search.kneighbors(None if Z_new is None else D / unit)
    among = check_distances(Z, name="Z")
    if Z_new is None:
        D = among
        np.fill_diagonal(D, np.inf)
    else:
        check_lengths(D, "Z_new")
    # tied ones in the order of the rows
    index = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, index, axis=1), index


def nearest_label(Z, label_points):
    """Number of the label point (l, m) nearest to each sample of Z (n, m), (n,).

    It is the Voronoi cell in which the sample lies.

    Examples
    --------
    >>> nearest_label([[0.1, 0], [0.9, 0]], [[0, 0], [1, 0]])
    array([0, 1])
    """
    Z = check_table(Z, "Z")
    points = check_table(label_points, "label_points", shape=("l", Z.shape[1]))
    return squared_distances(Z, points).argmin(axis=1)


def nearest_label_accuracy(Z, label_points, Y):
    """Fraction of samples Z (n, m) whose nearest label point is one of their labels.

    The label points are (l, m), the labels Y (n, l) 0/1.

    Examples
    --------
    >>> nearest_label_accuracy([[0.1, 0], [0.9, 0]], [[0, 0], [1, 0]], [[1, 0], [1, 0]])
    0.5
    """
    nearest = nearest_label(Z, label_points)
    Y = check_flags(Y, "Y", len(nearest), len(label_points))
    return float(np.mean(Y[np.arange(len(Y)), nearest]))
