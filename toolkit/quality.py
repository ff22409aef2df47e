"""How good a map is: neighbours kept (Q_NX, R_NX and its area), classes told apart, labels near their samples."""

from numbers import Integral

import numpy as np
import scipy.sparse
from joblib import delayed
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

from .core.checks import check_distances
from .core.graphs import squared_distances
from .core.parallel import results
from .core.scaling import centred, power_of_two

__all__ = ["knn_error", "knn_nrmse", "log_area", "nearest_label", "nearest_label_share", "q_nx", "r_nx"]

PAIRS_AT_ONCE = 2_000_000


def q_nx(X, Z, *, metric="euclidean", n_jobs=None):
    """Share of the k nearest neighbours that a map keeps, for each k.

    Parameters
    ----------
    X : array-like of shape (n, d), or distances (n, n) with ``metric="precomputed"``
        Distances must be symmetric with a zero diagonal.
    Z : array-like of shape (n, m), the map
    metric : {"euclidean", "precomputed"}
        What `X` holds.
    n_jobs : int, optional
        Workers of joblib, each for some of the rows; threads by default.

    Returns
    -------
    ndarray of shape (n - 1,), the value for k = 1, ..., n - 1

    Notes
    -----
    Q_NX(k) = |{pairs whose rank is at most k in both}| / (n k), Eq. (2.2) of the thesis. With max(rank, rank') counted
    in row blocks no co-ranking matrix is formed. Ties get ranks in the order of the row numbers; a sample is
    never its own neighbour, its duplicates are.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> q_nx(X, X)
    array([1., 1., 1.])
    """
    X, Z = checked_pair(X, Z, metric)
    n = len(X)
    if metric == "euclidean":
        X = centred(X)
    Z = centred(Z)

    blocks = np.array_split(np.arange(n), max(1, n * n // PAIRS_AT_ONCE))
    counts = sum(results((delayed(_rank_counts)(X, Z, metric, rows) for rows in blocks), n_jobs, prefer="threads"))
    k = np.arange(1, n)
    return np.cumsum(counts[1:]) / (n * k)  # Eq. (2.2)


def _rank_counts(X, Z, metric, rows):
    """How many pairs of some rows with all have each value as the larger of their two ranks, (n,)."""
    high = neighbor_ranks(X[rows] if metric == "precomputed" else squared_distances(X[rows], X), rows)
    low = neighbor_ranks(squared_distances(Z[rows], Z), rows)
    return np.bincount(np.maximum(high, low).ravel(), minlength=len(X))


def r_nx(X, Z, *, metric="euclidean", n_samples=None, n_repeats=10, random_state=None, n_jobs=None):
    """How much more neighbours a map keeps than a random one does: 0 for chance, 1 for all.

    Parameters
    ----------
    X, Z, metric, n_jobs : as in :func:`q_nx`
    n_samples : int >= 3, optional
        Take the mean over random subsets of that many samples, as the thesis does: it saves time, and maps of different
        numbers of samples, such as of those fitted and of new ones, can be compared on subsets of one size.
    n_repeats : int >= 1, default=10
        How many subsets.
    random_state : int, RandomState or None, for the subsets

    Returns
    -------
    ndarray of shape (n - 2,), for k = 1, ..., n - 2 (at n - 1 it is 0/0); with `n_samples` in place of n

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> r_nx(X, X)
    array([1., 1.])
    """
    repeats = _check_count(n_repeats, 1, 10**6, "n_repeats")
    if n_samples is not None:
        X, Z = checked_pair(X, Z, metric)
        size = _check_count(n_samples, 3, len(X), "n_samples")
        rng = check_random_state(random_state)
        subsets = [np.sort(rng.choice(len(X), size, replace=False)) for _ in range(repeats)]
        return np.mean(
            [
                r_nx(
                    X[np.ix_(rows, rows)] if metric == "precomputed" else X[rows], Z[rows], metric=metric, n_jobs=n_jobs
                )
                for rows in subsets
            ],
            axis=0,
        )
    Q = q_nx(X, Z, metric=metric, n_jobs=n_jobs)[:-1]
    n = len(Q) + 2
    k = np.arange(1, n - 1)
    return ((n - 1) * Q - k) / (n - 1 - k)  # Eq. (2.3)


def log_area(R):
    """Area under R_NX with k on a logarithmic axis: sum_k R(k) / k over sum_k 1 / k.

    Parameters
    ----------
    R : array-like of shape (K,), the values for k = 1, ..., K

    Returns
    -------
    float

    Examples
    --------
    >>> log_area([1.0, 1.0, 1.0])
    1.0
    """
    R = np.asarray(R, dtype=float)
    if R.ndim != 1 or len(R) == 0:
        raise ValueError(f"`R` must hold one value a neighbourhood size, shape (K,); got shape {R.shape}.")
    weights = 1 / np.arange(1, len(R) + 1)
    return float(np.sum(R * weights) / np.sum(weights))


def knn_error(Z, y, k=1, *, metric="euclidean", Z_new=None, y_new=None):
    """Error of the k-nearest-neighbour vote: leave-one-out, or on held-out samples.

    Parameters
    ----------
    Z : array-like of shape (n, m), or distances (n, n) with ``metric="precomputed"``
    y : array-like of shape (n,)
    k : int, default=1
    metric : {"euclidean", "precomputed"}
        What `Z` and `Z_new` hold.
    Z_new, y_new : array-like of shape (q, m) and (q,), optional
        Held-out samples, classified by their neighbours in `Z`; with ``"precomputed"`` `Z_new` is (q, n).

    Returns
    -------
    float, share of wrong votes; a tied vote goes to the class whose nearest sample is nearer

    Examples
    --------
    >>> knn_error([[0], [1], [5], [6]], [0, 0, 1, 1])
    0.0
    >>> knn_error([[0], [1], [5], [6]], [0, 0, 1, 1], Z_new=[[2], [4]], y_new=[1, 1])
    0.5
    """
    y, y_new = np.asarray(y), None if y_new is None else np.asarray(y_new)
    _, nearest = _neighbours(Z, y, k, metric, Z_new, y_new)
    classes, index = np.unique(y, return_inverse=True)
    truth = y if y_new is None else y_new
    votes, rows = index[nearest], np.arange(len(nearest))  # (q, k)
    tally = np.zeros((len(votes), len(classes)), dtype=int)
    first = np.zeros_like(tally)  # place of the nearest sample of each class
    for place in reversed(range(k)):
        tally[rows, votes[:, place]] += 1
        first[rows, votes[:, place]] = place
    tally = tally * k - first  # counts first, then places, of which the last is k - 1
    return float(np.mean(classes[tally.argmax(axis=1)] != truth))


def knn_nrmse(Z, y, k=5, *, weights="distance", metric="euclidean", Z_new=None, y_new=None):
    """Error of the k-nearest-neighbour regression relative to the spread of the target: leave-one-out, or held out.

    Parameters
    ----------
    Z : array-like of shape (n, m), or distances (n, n) with ``metric="precomputed"``
    y : array-like of shape (n,), real
    k : int, default=5
    weights : {"distance", "uniform"}, default="distance"
        Neighbours count by inverse distance (those at distance 0 alone, where there are any), or alike.
    metric : {"euclidean", "precomputed"}
        What `Z` and `Z_new` hold.
    Z_new, y_new : array-like of shape (q, m) and (q,), optional
        Held-out samples, predicted by their neighbours in `Z`; with ``"precomputed"`` `Z_new` is (q, n).

    Returns
    -------
    float
        Root of the mean squared error over the standard deviation of the targets that are predicted: 0 for perfect, 1
        for as good as their mean.

    Notes
    -----
    Section 2.6.4 of the thesis; the printed values of its Table 2.2 are met with inverse-distance weights.

    Examples
    --------
    >>> round(knn_nrmse([[0], [1], [2], [3]], [0, 1, 2, 3], k=2), 3)
    0.843
    >>> knn_nrmse([[0], [2]], [0, 1], k=1, Z_new=[[0.5], [1.5]], y_new=[0, 1])
    0.0
    """
    y, y_new = _targets(y, "y"), None if y_new is None else _targets(y_new, "y_new")
    if not isinstance(weights, str) or weights not in ("distance", "uniform"):
        raise ValueError(f'`weights` must be "distance" or "uniform"; got {weights!r}.')
    distance, index = _neighbours(Z, y, k, metric, Z_new, y_new)
    unit = power_of_two(y, y if y_new is None else y_new)
    y, truth = y / unit, (y if y_new is None else y_new) / unit
    if np.ptp(truth) <= 1e-12 * np.abs(truth).max():
        raise ValueError(
            f"`{'y' if y_new is None else 'y_new'}` must vary: the error is relative to its standard deviation, which "
            f"is 0 to within rounding; all {len(truth)} values are {truth[0] * unit:.6g}."
        )
    count = np.ones_like(distance)
    if weights == "distance":
        nearest = distance[:, :1]  # weights relative to its own: inverse distances may overflow
        count = np.where(nearest == 0, distance == 0, nearest / np.where(distance == 0, 1, distance))
    predicted = np.sum(count * y[index], axis=1) / count.sum(axis=1)
    return float(_rms(truth - predicted) / _rms(truth - truth.mean()))


def _targets(y, name):
    y = np.asarray(y, dtype=float)
    if not np.all(np.isfinite(y)):
        raise ValueError(f"`{name}` must be finite; there is NaN or infinity. Drop those samples.")
    return y


def _rms(v):
    unit = power_of_two(v)
    return unit * np.sqrt(np.mean((v / unit) ** 2))


def _neighbours(Z, y, k, metric, Z_new, y_new):
    """Distances (in some unit) to the k nearest samples and their numbers, each (q, k), after the checks."""
    Z = np.asarray(Z, dtype=float)
    if Z.ndim != 2 or y.shape != (len(Z),):
        raise ValueError(f"`Z` and `y` must have shapes (n, m) and (n,); got {Z.shape} and {y.shape}.")
    _check_metric(metric)
    if (Z_new is None) != (y_new is None):
        raise ValueError("`Z_new` and `y_new` go together: give both or neither.")
    if Z_new is not None:
        Z_new = np.asarray(Z_new, dtype=float)
        if Z_new.ndim != 2 or len(Z_new) == 0 or y_new.shape != (len(Z_new),):
            raise ValueError(
                f"`Z_new` and `y_new` must have shapes (q, m) and (q,), q >= 1; got {Z_new.shape} and {y_new.shape}."
            )
    _check_count(k, 1, len(Z) - (Z_new is None), "k")
    for name, values in (("Z", Z), ("Z_new", Z_new)):
        if values is not None and not np.all(np.isfinite(values)):
            raise ValueError(f"`{name}` must be finite; there is NaN or infinity.")
    if metric == "euclidean":
        if Z_new is not None and Z_new.shape[1] != Z.shape[1]:
            raise ValueError(f"`Z` and `Z_new` must have as many columns; got {Z.shape} and {Z_new.shape}.")
        unit = power_of_two(Z, Z if Z_new is None else Z_new)  # so that no square over- or underflows
        return NearestNeighbors(n_neighbors=k).fit(Z / unit).kneighbors(None if Z_new is None else Z_new / unit)
    D = Z if Z_new is None else Z_new
    if D.shape[1] != len(Z) or Z.shape != (len(Z), len(Z)):
        raise ValueError(f"`Z` must hold distances, shape (n, n), and `Z_new` (q, n); got {Z.shape} and {D.shape}.")
    D = check_distances(Z, name="Z")
    if Z_new is None:
        np.fill_diagonal(D, np.inf)
    else:
        D = Z_new
        if D.min() < 0:
            raise ValueError(f"`Z_new` must hold distances, which are not negative; got {D.min():.6g}.")
    index = np.argsort(D, axis=1, kind="stable")[:, :k]  # tied ones in the order of the rows
    return np.take_along_axis(D, index, axis=1), index


def nearest_label(Z, label_points):
    """Which label point is nearest to each sample (its Voronoi cell).

    Parameters
    ----------
    Z : array-like of shape (n, m)
    label_points : array-like of shape (l, m)

    Returns
    -------
    ndarray of int, shape (n,)

    Examples
    --------
    >>> nearest_label([[0.1, 0], [0.9, 0]], [[0, 0], [1, 0]])
    array([0, 1])
    """
    Z, P = np.asarray(Z, dtype=float), np.asarray(label_points, dtype=float)
    if Z.ndim != 2 or P.ndim != 2 or Z.shape[1] != P.shape[1]:
        raise ValueError(f"`Z` and `label_points` must have as many columns; got shapes {Z.shape} and {P.shape}.")
    # |z - p|^2 without the term that all labels share
    return np.argmin(np.sum(P**2, axis=1) - 2 * Z @ P.T, axis=1)


def nearest_label_share(Z, label_points, Y):
    """Share of the samples whose nearest label point is one of their labels.

    Parameters
    ----------
    Z : array-like of shape (n, m)
    label_points : array-like of shape (l, m)
    Y : array-like of shape (n, l), 0/1

    Returns
    -------
    float

    Examples
    --------
    >>> nearest_label_share([[0.1, 0], [0.9, 0]], [[0, 0], [1, 0]], [[1, 0], [1, 0]])
    0.5
    """
    Y = np.asarray(Y)
    if Y.shape != (len(Z), len(label_points)):
        raise ValueError(f"`Y` must have shape ({len(Z)}, {len(label_points)}), a row a sample; got {Y.shape}.")
    return float(np.mean(Y[np.arange(len(Y)), nearest_label(Z, label_points)]))


def checked_pair(X, Z, metric):
    if scipy.sparse.issparse(X) or scipy.sparse.issparse(Z):
        raise ValueError("`X` and `Z` must be dense; got a sparse matrix. Call its toarray() first.")
    X, Z = np.asarray(X, dtype=float), np.asarray(Z, dtype=float)
    _check_metric(metric)
    if X.ndim != 2 or Z.ndim != 2 or len(X) != len(Z) or len(X) < 3:
        raise ValueError(
            f"`X` and `Z` must be 2-D with the same number of rows, at least 3; got shapes {X.shape} and {Z.shape}."
        )
    if metric == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(f"`X` must be a square matrix of distances; got shape {X.shape}.")
    if not (np.all(np.isfinite(X)) and np.all(np.isfinite(Z))):
        raise ValueError("`X` and `Z` must be finite; there is NaN or infinity.")
    return (check_distances(X) if metric == "precomputed" else X), Z


def _check_metric(metric):
    if not isinstance(metric, str) or metric not in ("euclidean", "precomputed"):
        raise ValueError(f'`metric` must be "euclidean" or "precomputed"; got {metric!r}.')


def _check_count(value, least, most, name):
    if not isinstance(value, Integral) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"`{name}` must be an integer between {least} and {most}; got {value!r}.")
    return int(value)


def neighbor_ranks(distances, rows):
    """Rank of each sample from each row, 1 for the nearest, 0 for the sample itself.

    Examples
    --------
    >>> neighbor_ranks(np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), np.array([0, 2])).tolist()
    [[0, 2, 1], [1, 2, 0]]
    """
    distances = distances.copy()
    distances[np.arange(len(rows)), rows] = -1.0
    ranks = np.empty(distances.shape, dtype=np.int32)
    numbers = np.arange(distances.shape[1], dtype=np.int32)
    for row, rank in zip(distances, ranks, strict=True):
        order = np.argsort(row)
        ordered = row[order]
        if (ordered[1:] == ordered[:-1]).any():  # the fast sort leaves the order of ties open
            order = np.argsort(row, kind="stable")
        rank[order] = numbers
    return ranks
