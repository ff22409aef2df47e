"""Base class of topographic maps, SOM and GTM: grid, out-of-sample extension, inverse.

The image of node k is w_k = sum_i a_ki x_i with weights that sum to 1, so that
distances suffice (D2: squared ones): |x - w_k|^2 = sum_i a_ki |x - x_i|^2 - 1/2 a_k^T
D2 a_k.
"""

import operator
from abc import abstractmethod
from contextlib import suppress
from dataclasses import KW_ONLY

import numpy as np

from ..core import (
    by_blocks,
    check_is_fitted,
    check_lengths,
    check_magnitude,
    check_memory,
    check_table,
    fix_signs,
    new_samples,
    parameters,
    require,
    squared_distances,
)
from .base import Embedder, Iterations


def check_grid(value, name, min_side=1):
    """Two integers of at least `min_side`, together at least two nodes."""
    with suppress(TypeError, ValueError):
        rows, cols = value
        rows = operator.index(rows)
        cols = operator.index(cols)
        if min(rows, cols) >= min_side and rows * cols >= 2:
            return rows, cols
    rule = f"two integers (rows, columns), each >= {min_side} and with at least 2 nodes"
    return require(False, name, rule, value)


def check_nodes(n_samples, n_nodes, n_functions=0):
    """Refuse grids for which there is no memory, for n samples and basis functions."""
    check_memory(
        "The grid",
        max(n_samples, n_nodes),
        max(n_nodes, n_functions),
        arrays=6,
        remedy="Take a smaller `grid`.",
    )


def lattice(rows, cols):
    """Positions (column, row) of the nodes, row by row, (rows * cols, 2)."""
    row, col = np.divmod(np.arange(rows * cols), cols)
    return np.column_stack([col, row]).astype(float)


@parameters
class GridMap(Embedder):
    """A map onto a grid of nodes, each with an image among the data.

    `_embed` calls `_keep` and sets, besides its results, `_half_norms` (a_k^T D2 a_k /
    2) for distances. Subclasses give `_positions` and `_points`.
    """

    _: KW_ONLY
    max_iter: Iterations = 200

    @by_blocks
    def transform(self, X):
        """Project new samples onto the map (out-of-sample extension).

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            New samples. With ``metric="precomputed"`` their distances (n_queries,
            n_samples) to the samples of `fit`.

        Returns
        -------
        Z : ndarray of shape (n_queries, 2)
            Positions on the map.
        """
        X = new_samples(self, X)
        are_distances = self.prototypes_ is None
        if are_distances:
            check_lengths(X)
        X = (X - self._mean) / self._unit
        check_magnitude(X)
        if are_distances:
            return self._positions(self._from_distances(X**2))
        return self._positions(squared_distances(X, self._images))

    @by_blocks
    def inverse_transform(self, Z):
        """Map positions on the map to points of the data space.

        Parameters
        ----------
        Z : array-like of shape (n_samples, 2)
            Positions on the map.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Points of the data space.

        Raises
        ------
        ValueError
            If the map was fitted to distances, which have no data space.
        """
        check_is_fitted(self)
        if self.prototypes_ is None:
            raise ValueError(
                "`inverse_transform` needs vectors, but the map was fitted to"
                " distances, which know no data space. Fit vectors with"
                ' metric="euclidean", or read `coefficients_` as weights of the'
                " samples."
            )
        return self._points(check_table(Z, "Z", shape=("m", 2)))

    @abstractmethod
    def _positions(self, squared):
        """Positions (m, 2) on the map.

        From squared distances (m, K) to the images of the nodes, in the unit of the
        fit.
        """

    @abstractmethod
    def _points(self, Z):
        """Points of the data space (m, d) from positions Z (m, 2) on the map."""

    def _start(self, samples):
        """Starting map (n, 2); its axes point to the most distant samples."""
        Z = self._principal_map(samples, 2)
        return Z * fix_signs(Z)

    def _keep(self, samples, unit, grid, coefficients, images):
        """Keep the nodes of the grid (K, 2) and their images.

        These are weights of the samples (K, n) and, in this unit, centred vectors
        (K, d).
        """
        self._unit = unit
        self._images = images
        self._mean = 0.0
        self.prototypes_ = None
        if samples.X is not None:
            self._mean = samples.mean
            self.prototypes_ = images * unit + self._mean
        self.grid_ = grid
        self.coefficients_ = coefficients

    def _from_distances(self, squared):
        """Squared distances to the images (m, K), from those to the samples (m, n)."""
        return squared @ self.coefficients_.T - self._half_norms
