"""Isomap: classical scaling of the shortest paths over a graph of neighbours.

Connected components of the graph, from which maximum variance unfolding starts too, are
joined by the shortest edges between them, a minimum spanning tree.
"""

from dataclasses import KW_ONLY

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path

from ..core import (
    TINY,
    OptionalCount,
    check_n_neighbors,
    components_of,
    knn_graph,
    nearest_graph,
    parameters,
    symmetrize,
    warn,
)
from .base import Embedder, EmbedInput, classical_map


@parameters
class Isomap(Embedder):
    """Isometric feature mapping: a map of the distances along the data (geodesics).

    If all samples are neighbours of each other, it is classical scaling.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    n_neighbors : int or None, default=None
        Number of neighbours. None: 10, or all others where these are fewer.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n_samples, n_features) or distances (n_samples,
        n_samples). These may be sparse, with the distances of some neighbours only.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the scalar products.
    distances_ : ndarray of shape (n_samples, n_samples)
        The geodesic distances.

    Notes
    -----
    Unlike scikit-learn's Isomap it takes all tied neighbours, so that the order of the
    samples does not matter. It joins connected components of the graph by one edge
    each. Takes two arrays of shape (n, n), and for up to 2,500 samples a few more.
    Nearly all of the time is spent on the shortest paths, about n^2 log n.

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear
    dimensionality reduction.

    Examples
    --------
    A curve is unrolled: the distances of its ends in the map are those along it.

    >>> import numpy as np
    >>> angle = np.linspace(0, np.pi, 50)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> Z = Isomap(1, n_neighbors=2).fit_transform(X)
    >>> round(float(abs(Z[-1, 0] - Z[0, 0])), 2)
    3.14
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: OptionalCount = None

    _accepts_sparse = "precomputed"
    _n_dense_matrices = (3, 4)

    def _embed(self, samples):
        samples, unit = samples.rescale()
        # the graph of neighbours, its shortest paths, classical scaling of them
        with self._bar("neighbours"):
            k = self.n_neighbors
            if k is None:
                k = min(10, samples.n - 1)
            graph = neighborhood_graph(samples, k)
        with self._bar("shortest paths"):
            # Each edge is stored in both directions.
            D = shortest_path(graph)
        with self._bar("eigenvectors"):
            Z, values = classical_map(EmbedInput(D=D), self.n_components)
        self.embedding_ = Z * unit
        self.eigenvalues_ = values * unit * unit
        D *= unit
        self.distances_ = D


def neighborhood_graph(samples, n_neighbors):
    """Distances (n, n) from the samples of an EmbedInput to their nearest, sparse.

    Ties are included. The graph is symmetric and connected; a duplicate is a stored 0.
    A given graph is used as it is, without `n_neighbors`.
    """
    if samples.graph is not None:
        graph = samples.graph
    elif samples.X is not None:
        graph = knn_graph(samples.X, n_neighbors)
    else:
        squared = samples.squared()
        np.fill_diagonal(squared, np.inf)
        k = check_n_neighbors(n_neighbors, samples.n)
        graph = nearest_graph([squared], k, squared.shape)
    edges = _symmetric(graph)
    count, component = components_of(edges)
    if count == 1:
        return edges
    pieces = f"{count} pieces (connected components)"
    if samples.graph is not None:
        raise ValueError(
            f"`X` holds a neighbourhood graph in {pieces} without distances between"
            " them: give it more neighbours, or all distances as a dense matrix."
        )
    warn(
        f"The graph of {n_neighbors} neighbours falls into {pieces}; they are joined"
        " where they are nearest. A larger `n_neighbors` may connect them."
    )
    D = samples.distances()
    joints = _joints(D, component, count)
    edges = edges.tocoo()
    i = np.concatenate([edges.row, joints[:, 0]])
    j = np.concatenate([edges.col, joints[:, 1]])
    joined_graph = sparse.csr_matrix((D[i, j], (i, j)), shape=D.shape)
    return _symmetric(joined_graph)


def _joints(D, component, count):
    """Edges (count - 1, 2) of a minimum spanning tree between connected components.

    `component` (n,) holds the number of each sample's.
    """
    order = np.argsort(component, kind="stable")
    starts = np.searchsorted(component[order], np.arange(count))
    gaps_to_samples = np.minimum.reduceat(D[order], starts)[:, order]
    gaps = np.minimum.reduceat(gaps_to_samples, starts, axis=1)
    # SciPy drops entries below 1e-8 of a dense matrix, not of a sparse one.
    tree = minimum_spanning_tree(sparse.csr_matrix(gaps))
    joints = []
    for p, q in zip(*tree.nonzero(), strict=True):
        samples_p = np.flatnonzero(component == p)
        samples_q = np.flatnonzero(component == q)
        block = D[np.ix_(samples_p, samples_q)]
        i, j = np.unravel_index(np.argmin(block), block.shape)
        joints.append((samples_p[i], samples_q[j]))
    return np.array(joints)


def _symmetric(W):
    """Each edge in both directions."""
    W = W.copy()
    # A stored zero would be lost.
    W.data = np.maximum(W.data, TINY)
    W = symmetrize(W)
    W.data[W.data == TINY] = 0.0
    return W
