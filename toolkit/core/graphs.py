"""Neighbours: graphs as sparse matrices, ranks, heat weights, local scaling.

Rule for ties: the neighbours of a sample are all samples that are no further away than
its k-th nearest one, itself excluded. So a graph does not depend on the order of the
samples. (Where more than 2 k samples are that near, as many equal rows can be, the 2 k
of them with the lowest row numbers are taken.)
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from .arrays import check_table
from .checks import check_integer, check_option, check_part, check_same_length
from .linalg import about_mean
from .matrices import check_distances, check_magnitude, magnitude
from .memory import check_memory
from .progress import progress
from .scaling import BLOCK_ENTRIES, even_blocks, row_blocks

# up to this many samples neighbours are searched exactly; beyond it `neighbors` must
# say how
EXACT_LIMIT = 50_000
BLOCK_PAIRS = 2_000_000  # pairs of samples whose ranks are computed at once
ROWS_PER_SEARCH = 2**12  # samples whose neighbours are searched in one call
# squared distances within this fraction of the k-th one count as equal to it
TIE_TOLERANCE = 1e-9


def knn_graph(X, n_neighbors, *, neighbors=None, verbose=False):
    """Distances to the nearest neighbours, as a sparse matrix.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_neighbors : int
        From 1 to n - 1.
    neighbors : transformer or None, default=None
        Does the search instead: any object like scikit-learn's KNeighborsTransformer
        with ``mode="distance"``, such as an approximate search. It is cloned; its own
        number of neighbours counts.
    verbose : bool, default=False
        Show a bar of the search.

    Returns
    -------
    csr_matrix of shape (n, n)
        Row i holds the distances to the neighbours of sample i; no diagonal. A distance
        of zero (a duplicate) is a stored entry.
    """
    n = len(X)
    if neighbors is not None:
        return _user_graph(neighbors, X)
    k = check_n_neighbors(n_neighbors, n)
    if n > EXACT_LIMIT:
        raise ValueError(
            f"`X` must hold at most {EXACT_LIMIT:,} samples, whose neighbours are"
            f" searched exactly; got {n:,}. Take a sample; or give `neighbors`, where"
            " it is a parameter, such as"
            f" sklearn.neighbors.KNeighborsTransformer(n_neighbors={k})."
        )
    check_memory(
        "The graph of neighbours",
        n,
        k,
        arrays=6,
        remedy="Take fewer neighbours.",
    )
    # large common offsets cost digits in squared distances
    centred = about_mean(X)
    with progress(n, "neighbours", verbose) as done:
        # so many neighbours that sorting out whole rows is faster than a search
        if 80 * k > n:
            blocks = _squared_blocks(centred, centred, np.arange(n), done)
            return nearest_graph(blocks, k, (n, n))
        return _from_search(centred, k, done)


def _from_search(X, k, done):
    """The graph of neighbours by a search, ties included.

    Each of the samples X (n, d) has its k nearest; `done` is called with numbers of
    rows, as a progress bar is.
    """
    search = NearestNeighbors(n_neighbors=k + 2).fit(X)
    parts = []
    for rows in even_blocks(len(X), 1, ROWS_PER_SEARCH):
        parts.append(other_neighbors(search, X, rows, k + 1))
        done(len(rows))
    distances = np.concatenate([part[0] for part in parts])
    indices = np.concatenate([part[1] for part in parts])
    kth = distances[:, k - 1] ** 2
    next_one = distances[:, k] ** 2
    has_tie = next_one <= (1 + TIE_TOLERANCE) * kth
    clear = np.flatnonzero(~has_tie)
    tied = np.flatnonzero(has_tie)
    blocks = _squared_blocks(X[tied], X, tied)
    tied_graph = nearest_graph(blocks, k, (len(tied), len(X))).tocoo()
    # The graph is built from its entries at once: sums of sparse matrices lose stored
    # zeros, which are duplicates here.
    rows = np.append(np.repeat(clear, k), tied[tied_graph.row])
    columns = np.append(indices[clear, :k], tied_graph.col)
    values = np.append(distances[clear, :k], tied_graph.data)
    n = len(X)
    return sparse.csr_matrix((values, (rows, columns)), shape=(n, n))


def query_knn(X_new, X, n_neighbors):
    """Distances of new samples to their nearest neighbours in `X`, ties included.

    Parameters
    ----------
    X_new : ndarray of shape (m, d)
    X : ndarray of shape (n, d)
    n_neighbors : int
        All n if there are fewer.

    Returns
    -------
    csr_matrix of shape (m, n)

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [-1.0], [5.0]])
    >>> query_knn(np.array([[0.0], [3.0]]), X, 1).toarray()
    array([[1., 1., 0.],
           [2., 0., 2.]])
    """
    center = X.mean(axis=0)
    blocks = _squared_blocks(X_new - center, X - center)
    return nearest_graph(blocks, min(n_neighbors, len(X)), (len(X_new), len(X)))


def other_neighbors(search, X, rows, k):
    """Distances and indices (m, k) of the nearest other samples of some rows of `X`.

    The search is a NearestNeighbors for one neighbour more; its own `kneighbors()` does
    not go block by block.
    """
    lengths, indices = search.kneighbors(X[rows])
    other = indices != rows[:, None]
    # A sample with more duplicates than neighbours is not among them itself.
    other[:, -1] &= ~other.all(axis=1)
    return lengths[other].reshape(-1, k), indices[other].reshape(-1, k)


def nearest_graph(blocks, k, shape):
    """Distances to the `k` nearest, ties included, as a csr_matrix of shape (m, n).

    `blocks` are squared distances of some rows at a time. A row gets 2 k entries at
    most: of too many ties the first. An entry takes 12 bytes.
    """
    max_neighbors = 2 * k
    # There may be so many entries; what is not filled takes no memory.
    max_entries = max_neighbors * shape[0]
    values = np.empty(max_entries)
    columns = np.empty(max_entries, np.int32)
    starts = [0]
    for squared in blocks:
        for row in squared:
            limit = (1 + TIE_TOLERANCE) * _kth_smallest(row, k)
            nearest = np.flatnonzero(row <= limit)
            if len(nearest) > max_neighbors:
                order = np.argsort(row[nearest], kind="stable")
                nearest = np.sort(nearest[order[:max_neighbors]])
            start = starts[-1]
            stop = start + len(nearest)
            values[start:stop] = np.sqrt(row[nearest])
            columns[start:stop] = nearest
            starts.append(stop)
    return sparse.csr_matrix((values, columns, starts), shape=shape)


def _kth_smallest(row, k):
    """The k-th smallest number; of a long row, sorted out from those up to a bound.

    With some processors that of the whole row takes five times as long.
    """
    if 8 * k < len(row):
        # a third more numbers than needed are expected up to it
        bound = np.partition(row[::11], k // 8)[k // 8]
        low = row[row <= bound]
        if len(low) >= k:
            row = low
    return np.partition(row, k - 1)[k - 1]


def _squared_blocks(A, B, rows_in_B=None, done=lambda steps: None):
    """Squared distances (b, q) of blocks of the rows of A (n, d) to B (q, d).

    If A are rows of B, `rows_in_B` (n,) are their numbers there: no row is its own
    neighbour. `done` is called with the number of rows of each block, as a progress bar
    is.
    """
    for block in even_blocks(len(A), len(B), BLOCK_ENTRIES):
        squared = squared_distances(A[block], B)
        if rows_in_B is not None:
            squared[np.arange(len(block)), rows_in_B[block]] = np.inf
        yield squared
        done(len(block))


def check_n_neighbors(n_neighbors, n_samples, *, name="n_neighbors"):
    """`n_neighbors` as an int between 1 and n_samples - 1."""
    return check_integer(
        n_neighbors,
        name,
        1,
        n_samples - 1,
        remedy="The limit is n_samples - 1.",
    )


def _user_graph(neighbors, X):
    """Distances (n, n), sparse, of the samples X (n, d) that `neighbors` finds."""
    graph = check_part(neighbors, "neighbors", "fit_transform").fit_transform(X)
    n = len(X)
    if not sparse.issparse(graph) or graph.shape != (n, n):
        raise ValueError(
            f"`neighbors` must give a sparse matrix of distances of shape ({n}, {n}),"
            " as KNeighborsTransformer(mode='distance') does; got"
            f" {type(graph).__name__} of shape {np.shape(graph)}."
        )
    lengths = graph.tocoo().data
    if len(lengths) and np.all(lengths == 1):
        raise ValueError(
            "`neighbors` must give distances, but all it gives are 1: set its"
            " mode='distance'."
        )
    if not np.isfinite(lengths).all() or lengths.min(initial=0.0) < 0:
        raise ValueError(
            "`neighbors` must give finite distances >= 0; it gave NaN, infinity or less"
            " than 0."
        )
    graph = sparse.csr_matrix(off_diagonal(graph), shape=(n, n))
    counts = np.diff(graph.indptr)
    if not counts.all():
        raise ValueError(
            "`neighbors` must find at least one neighbour of each sample; none of"
            f" sample {counts.argmin()}."
        )
    return graph


def off_diagonal(W):
    """Values and (rows, columns) of the stored entries outside the diagonal.

    W (n, n) is a sparse matrix.
    """
    W = W.tocoo()
    off = W.row != W.col
    return W.data[off], (W.row[off], W.col[off])


def squared_distances(A, B):
    """Squared distances (n, m) of rows of `A` (n, d) and `B` (m, d).

    They are never negative, and 0 for equal rows. Centre the rows if possible:
    precision is that of the squared lengths.
    """
    left = np.einsum("ij,ij->i", A, A)[:, None]
    right = np.einsum("ij,ij->i", B, B)
    # the whole product at once: of A with itself it is symmetric and half the work
    squared = A @ B.T
    step = max(1, 2**20 // A.shape[1])
    for rows in row_blocks(len(A), len(B)):
        part = squared[rows]
        size = left[rows] + right
        part *= -2
        part += size
        # Cancellation leaves rounding of the size of the lengths: sums of differences
        # where that is all there is.
        size *= 1e-6
        close = np.flatnonzero(part < size)
        for first in range(0, len(close), step):
            i, j = np.divmod(close[first : first + step], len(B))
            part[i, j] = np.sum((A[rows][i] - B[j]) ** 2, axis=1)
    return squared


def mean_squared_distance(X):
    """Mean squared distance over all pairs of different samples of `X` (n, d)."""
    n = len(X)
    return 2 * np.sum(np.var(X, axis=0)) * n / (n - 1)


def heat_weights(distances, sigma2):
    """Heat kernel weights exp(-d^2 / sigma2) in place of the distances in a matrix.

    Parameters
    ----------
    distances : csr_matrix of shape (m, n)
    sigma2 : float > 0

    Returns
    -------
    csr_matrix of shape (m, n)

    Examples
    --------
    >>> import scipy.sparse
    >>> heat_weights(sparse.csr_matrix([[0.0, 2.0]]), 4.0).toarray().round(3)
    array([[0.   , 0.368]])
    """
    weights = distances.data
    weights **= 2
    weights /= -sigma2
    np.exp(weights, out=weights)
    # A weight that underflows would remove an edge.
    np.maximum(weights, 1e-12, out=weights)
    return distances


def symmetrize(weights):
    """max(W, W^T): i and j are joined if either is a neighbour of the other."""
    return weights.maximum(weights.T)


def components_of(W):
    """Number of connected components, and that of each node (n,), by falling size.

    W (n, n) is sparse; its entries are edges.
    """
    count, component = connected_components(W, directed=False)
    order = np.argsort(-np.bincount(component), kind="stable")
    return count, np.argsort(order)[component]


def local_scales(X, n_neighbors=7):
    """Distance (n,) > 0 of each row of `X` (n, d) to its `n_neighbors`-th nearest.

    It is the furthest one if there are fewer. A sample with that many duplicates gets
    the distance to the nearest sample that differs from it.
    """
    X = about_mean(X)
    k = min(n_neighbors, len(X) - 1)
    scales = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()[0][:, -1]
    zero = scales <= 1e-12 * magnitude(X)
    if zero.any():
        distinct = np.unique(X, axis=0)
        if len(distinct) < 2:
            raise ValueError(
                "`X` must hold at least two different samples; all rows are equal."
            )
        search = NearestNeighbors(n_neighbors=2).fit(distinct)
        scales[zero] = search.kneighbors(X[zero])[0][:, 1]
    return scales


def local_scaling(X, n_neighbors=7, *, n_affinity=None, verbose=False):
    """Compute affinities by local scaling, ``A_ij = exp(-|x_i - x_j|^2 / (s_i s_j))``.

    The scale s_i is the distance to the 7th neighbour by default.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    n_neighbors : int, default=7
        Number of the neighbour whose distance is the scale.
    n_affinity : int or None, default=None
        Number of nearest neighbours to which the affinity is computed (of either of the
        two), as a sparse matrix. None: of all pairs, as an array.
    verbose : bool, default=False
        Whether to show a progress bar of the samples whose neighbours are found.

    Returns
    -------
    A : ndarray or csr_matrix of shape (n_samples, n_samples)
        Affinities: symmetric, with entries in [0, 1] and a diagonal of 1.

    References
    ----------
    Zelnik-Manor and Perona (2005), as used in Kitamura2007, section 2.3.

    Examples
    --------
    >>> import numpy as np
    >>> A = local_scaling([[0.0], [1.0], [3.0]], n_neighbors=1)  # scales 1, 1, 2
    >>> bool(np.isclose(A[0, 2], np.exp(-9 / 2)))
    True
    """
    X = check_table(X, min_rows=2)
    check_magnitude(X, squares=True)
    n_neighbors = check_integer(n_neighbors, "n_neighbors")
    X = about_mean(X)
    if n_affinity is None:
        check_memory(
            "The affinity of all pairs",
            len(X),
            arrays=2,
            remedy="Give `n_affinity`, for example 50.",
        )
        scales = local_scales(X, n_neighbors)
        return local_affinity(X, X, scales, scales)
    n_affinity = check_n_neighbors(n_affinity, len(X), name="n_affinity")
    graph = knn_graph(X, n_affinity, verbose=verbose).tocoo()
    scales = local_scales(X, n_neighbors)
    values = np.exp(-(graph.data**2) / (scales[graph.row] * scales[graph.col]))
    graph.data = np.maximum(values, 1e-12)
    return symmetrize(graph) + sparse.eye(len(X))


def local_affinity(A, B, scales_A, scales_B):
    """exp(-|a - b|^2 / (s_a s_b)), (m, n), of rows of `A` and `B` with their scales."""
    weights = squared_distances(A, B)
    # The division is in place: fresh arrays cost more than sums.
    weights /= -scales_A[:, None] * scales_B
    return np.exp(weights, out=weights)


def check_pair(X, Z, metric):
    """Samples X (n, d), or distances (n, n), and their map Z (n, m), of at least 3."""
    check_option(metric, "metric", ("euclidean", "precomputed"))
    X = check_table(X, "X", min_rows=3, magnitude=False)
    Z = check_table(Z, "Z", min_rows=3, magnitude=False)
    check_same_length(X, Z, ("X", "Z"))
    if metric == "precomputed":
        X = check_distances(X)
    return X, Z


def neighbor_ranks(distances, rows):
    """Ranks (r, n) of all samples from some rows (r,), 1 for the nearest, 0 for itself.

    From distances (r, n).
    """
    distances = distances.copy()
    distances[np.arange(len(rows)), rows] = -1.0
    ranks = np.empty(distances.shape, dtype=np.int32)
    numbers = np.arange(distances.shape[1], dtype=np.int32)
    for row, rank in zip(distances, ranks, strict=True):
        order = np.argsort(row)
        ordered = row[order]
        # the fast sort leaves the order of ties open
        if (ordered[1:] == ordered[:-1]).any():
            order = np.argsort(row, kind="stable")
        rank[order] = numbers
    return ranks
