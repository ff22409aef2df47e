"""Isomap: classical scaling of geodesic distances, the shortest paths over a graph of neighbours."""

import numpy as np
from scipy.sparse.csgraph import shortest_path

from ..core.progress import progress
from .base import Embedder, EmbedInput, check_dimension, classical_map
from .neighborhoods import neighborhood_graph

__all__ = ["Isomap"]

SAMPLES_AT_ONCE = 500  # from which paths are searched between two steps of the progress bar


class Isomap(Embedder):
    """Isometric feature mapping: geodesic distances, along the data, become distances in the map.

    With every sample a neighbour of every other one it is classical scaling.

    Parameters
    ----------
    n_components : int, default=2
    n_neighbors : int, default=10
    metric : {"euclidean", "precomputed"}, vectors (n, d), or distances (n, n), of some neighbours only if sparse
    verbose : bool, default=False, whether to show the progress of the search for paths

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
    distances_ : ndarray of shape (n, n), the geodesic distances

    Notes
    -----
    Unlike scikit-learn's Isomap it takes all tied neighbours, so that the order of the samples does not matter, and
    joins connected components of the graph by one edge each. Takes arrays of shape (n, n).

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear dimensionality reduction.

    Examples
    --------
    A curve is unrolled: the distances of its ends in the map are those along it.

    >>> import numpy as np
    >>> angle = np.linspace(0, np.pi, 50)
    >>> Z = Isomap(1, n_neighbors=2).fit_transform(np.column_stack([np.cos(angle), np.sin(angle)]))
    >>> round(float(abs(Z[-1, 0] - Z[0, 0])), 2)
    3.14
    """

    _takes_graphs = True

    def __init__(self, n_components=2, *, n_neighbors=10, metric="euclidean", verbose=False):
        self.n_components, self.n_neighbors, self.metric, self.verbose = n_components, n_neighbors, metric, verbose

    def _all_pairs(self, given):
        return 5

    def _embed(self, samples):
        k = check_dimension(self.n_components, samples)
        samples, unit = samples.in_own_unit()
        with progress(1, "neighbours", self.verbose):
            graph = neighborhood_graph(samples, self.n_neighbors)
        D = _geodesics(graph, self.verbose)
        with progress(1, "eigenvectors", self.verbose):
            Z, values = classical_map(EmbedInput(D=D), k)
        self.embedding_, self.eigenvalues_, self.distances_ = Z * unit, values * unit * unit, D * unit


def _geodesics(graph, verbose):
    """Lengths of the shortest paths over a graph with symmetric edges, (n, n)."""
    n = graph.shape[0]
    dense = 4 * graph.nnz >= n * n  # then one sweep over all samples is faster than a search from each
    parts = [None] if dense else np.array_split(np.arange(n), -(-n // SAMPLES_AT_ONCE))
    D = []
    with progress(n, "shortest paths", verbose) as done:
        for part in parts:
            D.append(shortest_path(graph, "FW" if dense else "D", directed=False, indices=part))
            done(len(D[-1]))
    return D[0] if dense else np.vstack(D)
