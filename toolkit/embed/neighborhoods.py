"""The neighbourhood graph that Isomap and maximum variance unfolding start from, in one piece."""

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from ..core.estimators import warn
from ..core.graphs import check_n_neighbors, components_of, knn_graph, nearest

__all__ = ["neighborhood_graph"]


def neighborhood_graph(samples, n_neighbors):
    """Lengths of the edges between each sample and its nearest ones, ties included, as one connected graph.

    Parameters
    ----------
    samples : Samples
        Where they hold a graph, it is taken as it is and `n_neighbors` is not used.
    n_neighbors : int

    Returns
    -------
    csr_matrix of shape (n, n), symmetric; an edge of length 0 (a duplicate) is a stored entry

    Raises
    ------
    ValueError
        `n_neighbors` out of range, or a given graph in several pieces.

    Notes
    -----
    Pieces are joined by a shortest tree of edges between their nearest samples, with a warning: on the way from piece
    to piece a map then shows these few distances and no neighbourhood.

    Examples
    --------
    >>> from .base import Samples
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     neighborhood_graph(Samples(np.array([[0.0], [1.0], [4.0], [6.0]])), 1).toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 3., 0.],
           [0., 3., 0., 2.],
           [0., 0., 2., 0.]])
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
    pieces, piece = components_of(edges)
    if pieces == 1:
        return edges
    if samples.graph is not None:
        raise ValueError(
            f"`X` holds a neighbourhood graph in {pieces} pieces without distances between them: "
            "give it more neighbours, or all distances as a dense matrix."
        )
    warn(
        f"The graph of {n_neighbors} neighbours falls into {pieces} pieces; they are joined where they are nearest. A "
        "larger `n_neighbors` may connect them."
    )
    D = samples.distances()
    i, j = _joints(D, piece, pieces).T
    edges = edges.tocoo()
    i, j = np.r_[edges.row, i], np.r_[edges.col, j]
    return _symmetric(scipy.sparse.csr_matrix((D[i, j], (i, j)), shape=D.shape))


def _joints(D, piece, pieces):
    """Edges (pieces - 1, 2) of a shortest tree between the pieces."""
    ends = np.zeros((pieces, pieces, 2), dtype=int)
    gaps = np.zeros((pieces, pieces))
    members = [np.flatnonzero(piece == p) for p in range(pieces)]
    for p in range(pieces):
        for q in range(p):
            block = D[np.ix_(members[p], members[q])]
            i, j = np.unravel_index(np.argmin(block), block.shape)
            gaps[p, q], ends[p, q] = block[i, j], (members[p][i], members[q][j])
    return np.array([ends[p, q] for p, q in zip(*minimum_spanning_tree(gaps).nonzero(), strict=True)])


def _symmetric(W):
    """Each edge in both directions; where both were given, the shorter length."""
    W = W.tocoo()
    off = W.row != W.col
    i, j, length = W.row[off], W.col[off], W.data[off]
    i, j, length = np.r_[i, j], np.r_[j, i], np.r_[length, length]
    order = np.lexsort((length, j, i))
    i, j, length = i[order], j[order], length[order]
    first = np.r_[True, (np.diff(i) != 0) | (np.diff(j) != 0)][: len(i)]
    return scipy.sparse.csr_matrix((length[first], (i[first], j[first])), shape=W.shape)
