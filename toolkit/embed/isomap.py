"""Isomap: classical scaling of geodesic distances, the shortest paths over a graph of neighbours."""

from scipy.sparse.csgraph import shortest_path

from .base import Embedder, EmbedInput, check_dimension, classical_map
from .neighborhoods import neighborhood_graph

__all__ = ["Isomap"]


class Isomap(Embedder):
    """Isometric feature mapping: geodesic distances, along the data, become distances in the map.

    With every sample a neighbour of every other one it is classical scaling.

    Parameters
    ----------
    n_components : int, default=2
    n_neighbors : int, default=10
    metric : {"euclidean", "precomputed"}, vectors (n, d), or distances (n, n), of some neighbours only if sparse

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

    def __init__(self, n_components=2, *, n_neighbors=10, metric="euclidean"):
        self.n_components, self.n_neighbors, self.metric = n_components, n_neighbors, metric

    def _embed(self, samples):
        k = check_dimension(self.n_components, samples)
        samples, unit = samples.in_own_unit()
        D = shortest_path(neighborhood_graph(samples, self.n_neighbors), directed=False)
        Z, values = classical_map(EmbedInput(D=D), k)
        self.embedding_, self.eigenvalues_, self.distances_ = Z * unit, values * unit * unit, D * unit
