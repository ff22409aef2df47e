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
    "knn_misses",
    "knn_nrmse",
    "log_area",
    "nearest_label",
    "nearest_label_accuracy",
    "q_nx",
    "r_nx",
]


def q_nx(X, Z, *, metric="euclidean", n_jobs=None, verbose=False):
    """Compute the fraction of the k nearest neighbours that a map preserves.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Samples, or distances, symmetric with a zero diagonal.
    Z : array-like of shape (n_samples, n_components)
        Map: positions of the samples.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `X` holds samples or distances.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib over blocks of rows, threads by default; None
        means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    q_nx : ndarray of shape (n_samples - 1,)
        Fraction of neighbours preserved, for k = 1, ..., n_samples - 1.

    Notes
    -----
    ``Q_NX(k) = |{pairs whose rank is at most k in both}| / (n k)``, Eq. (2.2) of the
    thesis, for n samples. With max(rank, rank') counted in row blocks no co-ranking
    matrix is formed. Ties get ranks in the order of the row numbers; a sample is never
    its own neighbour, its duplicates are.

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
    bar = [len(rows) for rows in blocks], "q_nx", verbose
    counts = sum(results(tasks, n_jobs, "threads", bar=bar))
    k = np.arange(1, n)
    n_preserved = np.cumsum(counts[1:])
    return n_preserved / (n * k)  # Eq. (2.2)


def _rank_counts(X, Z, metric, rows):
    """How many pairs of some rows have each value as the larger of two ranks, (n,)."""
    if metric == "precomputed":
        D = X[rows]
    else:
        D = squared_distances(X[rows], X)
    high = neighbor_ranks(D, rows)
    low = neighbor_ranks(squared_distances(Z[rows], Z), rows)
    larger = np.maximum(high, low)
    return np.bincount(larger.ravel(), minlength=len(X))


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
    """Compute the neighbourhood preservation above chance: 0 for chance, 1 for all.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Samples, or distances, symmetric with a zero diagonal.
    Z : array-like of shape (n_samples, n_components)
        Map: positions of the samples.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `X` holds samples or distances.
    n_samples : int >= 3, optional
        Number of samples in each random subset over which the mean is taken, as in the
        thesis. It saves time, and maps of different numbers of samples can be compared
        on subsets of one size. By default all samples are used once.
    n_repeats : int >= 1, default=10
        Number of random subsets.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator for the subsets; an int makes results
        reproducible.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib over blocks of rows, threads by default; None
        means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    r_nx : ndarray of shape (n_samples - 2,)
        Rescaled quality for k = 1, ..., n_samples - 2 (at n_samples - 1 it is 0/0). The
        parameter `n_samples`, if given, is the size of the subsets here.

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
                if metric == "precomputed":
                    part = X[np.ix_(rows, rows)]
                else:
                    part = X[rows]
                curves.append(r_nx(part, Z[rows], metric=metric, n_jobs=n_jobs))
                done()
        return np.mean(curves, axis=0)
    Q = q_nx(X, Z, metric=metric, n_jobs=n_jobs, verbose=verbose)
    Q = Q[:-1]  # R_NX has no value for all other samples
    n = len(Q) + 2
    k = np.arange(1, n - 1)
    return ((n - 1) * Q - k) / (n - 1 - k)  # Eq. (2.3)


def log_area(R):
    """Compute the area under R_NX with a logarithmic axis of neighbourhood sizes.

    Parameters
    ----------
    R : array-like of shape (n_sizes,)
        Values of R_NX for k = 1, ..., n_sizes.

    Returns
    -------
    area : float
        The sum over k of R(k) / k, divided by the sum of 1 / k.

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
    k = np.arange(1, len(R) + 1)
    return float(np.average(R, weights=1 / k))


def knn_error(Z, y, k=1, *, metric="euclidean", Z_new=None, y_new=None):
    """Compute the error of k-nearest-neighbour classification in a map.

    It is the leave-one-out error, or the error on held-out samples.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components) or (n_samples, n_samples)
        Map: positions of the samples, or distances.
    y : array-like of shape (n_samples,)
        Target: classes, one per sample.
    k : int, default=1
        Number of neighbours.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `Z` and `Z_new` hold positions or distances.
    Z_new : array-like of shape (n_queries, n_components), optional
        Held-out samples, predicted by their neighbours in `Z`; as distances, of shape
        (n_queries, n_samples).
    y_new : array-like of shape (n_queries,), optional
        Classes of the held-out samples.

    Returns
    -------
    error : float
        Fraction of samples that are misclassified. In a tie the class whose nearest
        sample is nearer is predicted.

    Examples
    --------
    >>> knn_error([[0], [1], [5], [6]], [0, 0, 1, 1])
    0.0
    >>> knn_error([[0], [1], [5], [6]], [0, 0, 1, 1], Z_new=[[2], [4]], y_new=[1, 1])
    0.5
    """
    wrong = knn_misses(Z, y, k, metric=metric, Z_new=Z_new, y_new=y_new)
    return float(np.mean(wrong))


def knn_misses(Z, y, k=1, *, metric="euclidean", Z_new=None, y_new=None):
    """Tell which samples k-nearest-neighbour classification in a map misclassifies.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components) or (n_samples, n_samples)
        Map: positions of the samples, or distances.
    y : array-like of shape (n_samples,)
        Target: classes, one per sample.
    k : int, default=1
        Number of neighbours.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `Z` and `Z_new` hold positions or distances.
    Z_new : array-like of shape (n_queries, n_components), optional
        Held-out samples, predicted by their neighbours in `Z`; as distances, of shape
        (n_queries, n_samples).
    y_new : array-like of shape (n_queries,), optional
        Classes of the held-out samples.

    Returns
    -------
    misses : ndarray of bool, shape (n_samples,) or (n_queries,)
        Whether each sample, or held-out sample, is misclassified.

    See Also
    --------
    knn_error : Their fraction.
    toolkit.validation.compare_misses : Compare those of two maps.

    Examples
    --------
    >>> knn_misses([[0], [1], [5], [6]], [0, 0, 1, 1], Z_new=[[2], [4]], y_new=[1, 1])
    array([ True, False])
    """
    y = class_column(y)
    truth = y
    if y_new is not None:
        truth = class_column(y_new, "y_new")
    _, neighbors = _nearest(
        Z=Z, y=y, k=k, metric=metric, Z_new=Z_new, y_new=y_new
    )
    votes = y[neighbors]  # (q, k)
    # The votes for each neighbour's class are counted; of equal counts the first wins.
    counts = np.zeros(votes.shape, dtype=int)
    for vote in votes.T:
        counts += votes == vote[:, None]
    column = counts.argmax(axis=1)
    winners = votes[np.arange(len(votes)), column]
    return winners != truth


def knn_nrmse(
    Z, y, k=5, *, weights="distance", metric="euclidean", Z_new=None, y_new=None
):
    """Compute the normalised error of k-nearest-neighbour regression in a map.

    It is the leave-one-out error, or the error on held-out samples, over the standard
    deviation of the target.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components) or (n_samples, n_samples)
        Map: positions of the samples, or distances.
    y : array-like of shape (n_samples,)
        Target: real values, one per sample.
    k : int, default=5
        Number of neighbours.
    weights : {"distance", "uniform"}, default="distance"
        "distance": neighbours are weighted by inverse distance (only those at distance
        0, where there are any). "uniform": all have the same weight.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `Z` and `Z_new` hold positions or distances.
    Z_new : array-like of shape (n_queries, n_components), optional
        Held-out samples, predicted by their neighbours in `Z`; as distances, of shape
        (n_queries, n_samples).
    y_new : array-like of shape (n_queries,), optional
        Values of the held-out samples.

    Returns
    -------
    error : float
        Root of the mean squared error over the standard deviation of the targets that
        are predicted: 0 if perfect, 1 if as good as their mean.

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
    distance, index = _nearest(
        Z=Z, y=y, k=k, metric=metric, Z_new=Z_new, y_new=y_new
    )
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
        # Weights are relative to that of the nearest: inverse distances may overflow.
        least_distance = distance[:, :1]
        divisor = np.where(distance == 0, 1, distance)
        ratio = least_distance / divisor
        w = np.where(least_distance == 0, distance == 0, ratio)
    prediction = np.sum(w * y[index], axis=1) / w.sum(axis=1)
    # The norms are those of BLAS, whose squares neither over- nor underflow.
    residual_norm = norm(truth - prediction)
    return float(residual_norm / norm(truth - truth.mean()))


def _nearest(Z, y, k, metric, Z_new, y_new):
    """Distances (in some unit) to the k nearest samples, and their numbers, (q, k)."""
    check_option(metric, "metric", ("euclidean", "precomputed"))
    is_new = Z_new is not None
    n_itself = 0 if is_new else 1
    Z = check_table(Z, "Z", min_rows=1 + n_itself, magnitude=False)
    check_same_length(Z, y, ("Z", "y"))
    if is_new != (y_new is not None):
        raise ValueError(
            "`Z_new` and `y_new` go together: give both or neither."
        )
    if is_new:
        shape = "q", Z.shape[1]
        Z_new = check_table(Z_new, "Z_new", magnitude=False, shape=shape)
        check_same_length(Z_new, y_new, ("Z_new", "y_new"))
    check_integer(k, "k", 1, len(Z) - n_itself)
    if metric == "euclidean":
        tables = [Z, Z_new] if is_new else [Z]
        unit = power_of_two(*tables)  # no square over- or underflows
        search = NearestNeighbors(n_neighbors=k)
        search.fit(Z / unit)
        return search.kneighbors(Z_new / unit if is_new else None)
    D = check_distances(Z, name="Z")
    if is_new:
        check_lengths(Z_new, "Z_new")
        D = Z_new
    else:
        np.fill_diagonal(D, np.inf)
    # Equal distances stay in the order of the rows.
    order = np.argsort(D, axis=1, kind="stable")
    index = order[:, :k]
    return np.take_along_axis(D, index, axis=1), index


def nearest_label(Z, label_points):
    """Find the nearest label point of each sample, whose Voronoi cell the sample is in.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Map: positions of the samples.
    label_points : array-like of shape (n_labels, n_components)
        Positions of the labels in the map.

    Returns
    -------
    nearest : ndarray of shape (n_samples,)
        Number of the nearest label point, from 0.

    Examples
    --------
    >>> nearest_label([[0.1, 0], [0.9, 0]], [[0, 0], [1, 0]])
    array([0, 1])
    """
    Z = check_table(Z, "Z")
    points = check_table(label_points, "label_points", shape=("l", Z.shape[1]))
    return squared_distances(Z, points).argmin(axis=1)


def nearest_label_accuracy(Z, label_points, Y):
    """Compute the fraction of samples whose nearest label point is one of their labels.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Map: positions of the samples.
    label_points : array-like of shape (n_labels, n_components)
        Positions of the labels in the map.
    Y : array-like of shape (n_samples, n_labels)
        Labels of the samples, 0 or 1.

    Returns
    -------
    accuracy : float
        Fraction of samples that have the label of the nearest label point.

    Examples
    --------
    >>> nearest_label_accuracy([[0.1, 0], [0.9, 0]], [[0, 0], [1, 0]], [[1, 0], [1, 0]])
    0.5
    """
    nearest = nearest_label(Z, label_points)
    Y = check_flags(Y, "Y", len(nearest), len(label_points))
    is_correct = Y[np.arange(len(Y)), nearest]
    return float(np.mean(is_correct))
