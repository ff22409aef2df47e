"""The connected graph of neighbours that Isomap and maximum variance unfolding start from.

Connected components are joined by the shortest edges between them, a minimum spanning tree.
"""

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from ..core.estimators import warn
from ..core.graphs import check_n_neighbors, components_of, knn_graph, nearest
from .base import off_diagonal

__all__ = ["neighborhood_graph"]


def neighborhood_graph(samples, n_neighbors):
    """Lengths of the edges from each sample of an EmbedInput to its nearest ones, ties included: csr_matrix (n, n).

    It is symmetric and connected; a duplicate is a stored 0. A given graph is used as it is, without `n_neighbors`.
    """
    if samples.graph is not None:
        edges = _symmetric(samples.graph)
    elif samples.X is not None:
        edges = _symmetric(knn_graph(samples.X, n_neighbors))
    else:
        k = check_n_neighbors(n_neighbors, samples.n)
        D = samples.distances() + np.diag(np.full(samples.n, np.inf))
        neighbors = [nearest(row, k) for row in D]
        starts = np.cumsum([0] + [len(row) for row in neighbors])
        columns = np.concatenate(neighbors)
        lengths = D[np.repeat(np.arange(samples.n), np.diff(starts)), columns]
        edges = _symmetric(scipy.sparse.csr_matrix((lengths, columns, starts), shape=D.shape))
    count, component = components_of(edges)
    if count == 1:
        return edges
    pieces = f"{count} pieces (connected components)"
    if samples.graph is not None:
        raise ValueError(
            f"`X` holds a neighbourhood graph in {pieces} without distances between them: give it more neighbours, or "
            "all distances as a dense matrix."
        )
    warn(
        f"The graph of {n_neighbors} neighbours falls into {pieces}; they are joined where they are nearest. A larger "
        "`n_neighbors` may connect them."
    )
    D = samples.distances()
    i, j = _joints(D, component, count).T
    edges = edges.tocoo()
    i, j = np.r_[edges.row, i], np.r_[edges.col, j]
    return _symmetric(scipy.sparse.csr_matrix((D[i, j], (i, j)), shape=D.shape))


def _joints(D, component, count):
    """Edges (count - 1, 2) of a minimum spanning tree between connected components, numbered in `component` (n,)."""
    ends = np.zeros((count, count, 2), dtype=int)
    gaps = np.zeros((count, count))
    members = [np.flatnonzero(component == p) for p in range(count)]
    for p in range(count):
        for q in range(p):
            block = D[np.ix_(members[p], members[q])]
            i, j = np.unravel_index(np.argmin(block), block.shape)
            gaps[p, q], ends[p, q] = block[i, j], (members[p][i], members[q][j])
    tree = minimum_spanning_tree(scipy.sparse.csr_matrix(gaps))  # of a dense matrix SciPy drops entries below 1e-8
    return np.array([ends[p, q] for p, q in zip(*tree.nonzero(), strict=True)])


def _symmetric(W):
    """Each edge in both directions; where both were given, the shorter length."""
    length, (i, j) = off_diagonal(W)
    i, j, length = np.r_[i, j], np.r_[j, i], np.r_[length, length]
    order = np.lexsort((length, j, i))
    i, j, length = i[order], j[order], length[order]
    first = np.r_[True, (np.diff(i) != 0) | (np.diff(j) != 0)][: len(i)]
    return scipy.sparse.csr_matrix((length[first], (i[first], j[first])), shape=W.shape)
