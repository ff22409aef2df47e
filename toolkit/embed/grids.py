"""What maps on a grid of nodes share: the grid, new samples, and the way back.

The image of node k is w_k = sum_i a_ki x_i with weights that sum to 1, so that distances suffice (D2: squared ones):
|x - w_k|^2 = sum_i a_ki |x - x_i|^2 - 1/2 a_k^T D2 a_k.
"""

from abc import abstractmethod

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ..core.checks import check_magnitude
from ..core.graphs import squared_distances
from ..core.linalg import fix_signs
from .base import Embedder, squared_to_new, starting_map

__all__ = ["GridMap", "check_pair", "lattice"]


def check_pair(value, name, *, least=1):
    """Two integers of at least `least`, together at least two nodes.

    Examples
    --------
    >>> check_pair((1, 1), "grid")
    Traceback (most recent call last):
    ...
    ValueError: `grid` must be two integers (rows, columns), each >= 1 and with at least 2 nodes; got (1, 1).
    """
    try:
        pair = np.array(value)
        good = pair.shape == (2,) and pair.dtype.kind in "iu" and pair.min() >= least and pair.prod() >= 2
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError(
            f"`{name}` must be two integers (rows, columns), each >= {least} and with at least 2 nodes; got {value!r}."
        )
    return int(pair[0]), int(pair[1])


def lattice(rows, cols):
    """Places (column, row) of the nodes, row by row.

    Examples
    --------
    >>> lattice(2, 2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    row, col = np.divmod(np.arange(rows * cols), cols)
    return np.column_stack([col, row]).astype(float)


class GridMap(Embedder):
    """A map onto a grid of nodes, each with an image among the data.

    `_embed` sets, besides its results, `_samples_of_fit`, `_unit`, and in that unit `_nodes` (centred images of
    vectors) or `_half_norms` (a_k^T D2 a_k / 2, for distances).
    """

    def transform(self, X):
        """Places of new samples.

        Parameters
        ----------
        X : array-like of shape (m, d); with ``metric="precomputed"`` distances (m, n) to the samples of `fit`

        Returns
        -------
        ndarray of shape (m, 2)
        """
        check_is_fitted(self)
        if self.prototypes_ is None:
            D = np.sqrt(squared_to_new(self, X)) / self._unit
            check_magnitude(D)
            return self._places(self._from_distances(D**2))
        X = validate_data(self, X, dtype=np.float64, reset=False)
        check_magnitude(X)
        X = (X - self._samples_of_fit.mean) / self._unit
        check_magnitude(X)
        return self._places(squared_distances(X, self._nodes))

    def inverse_transform(self, Z):
        """Points of the data space that belong to places of the map.

        Parameters
        ----------
        Z : array-like of shape (m, 2)

        Returns
        -------
        ndarray of shape (m, d)

        Raises
        ------
        ValueError
            After a fit on distances, which know no data space.
        """
        check_is_fitted(self)
        if self.prototypes_ is None:
            raise ValueError(
                "`inverse_transform` needs vectors, but the map was fitted to distances, which know no data space. Fit "
                'vectors with metric="euclidean", or read `coefficients_` as weights of the samples.'
            )
        Z = check_array(Z, dtype=np.float64, input_name="Z")
        if Z.shape[1] != 2:
            raise ValueError(f"`Z` must hold places in the plane, shape (m, 2); got shape {Z.shape}.")
        check_magnitude(Z)
        return self._points(Z)

    def _start(self, samples):
        """The map to start from, (n, 2); its axes point where samples lie furthest, for vectors as for distances."""
        Z = starting_map(self.init, samples, 2, self.random_state)
        return Z * fix_signs(Z) if self.init is None or isinstance(self.init, str) else Z

    def _from_distances(self, squared):
        """Squared distances to the images of the nodes, from those to the samples (m, n)."""
        return squared @ self.coefficients_.T - self._half_norms

    @abstractmethod
    def _places(self, squared):
        """Places (m, 2) from squared distances to the images of the nodes (m, K), in the unit of the fit."""

    @abstractmethod
    def _points(self, Z):
        """Points of the data space (m, d) from places (m, 2)."""
