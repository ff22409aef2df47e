"""The NeRV cost of a metric with respect to a fixed map.

Neighbour retrieval visualizer, thesis, (4.3), with the roles exchanged: the map is
fixed, the data move.
"""

import numpy as np

from ..core import check_numbers, draw_rows, even_blocks, squared_distances
from ..embed.affinities import (
    log_affinities,
    neighbor_widths,
    nerv_cost,
    position_gradient,
)

# A block of rows has this many entries, which fit the CPU cache.
CACHE_ENTRIES = 2**18
# Samples that are nearer than this fraction of the extent are duplicates.
LEAST_WIDTH = 1e-30


class Neighborhoods:
    """The cost (4.3) of moved data against a map Z (n, m).

    Its widths are those of the data X (n, d) at Omega = I.
    `gamma` weighs KL(p || q) against KL(q || p), p of the data and q of the map. The
    neighbourhoods of the samples `rows` (r,) among all are compared, with `weights`
    (r,). Numbers in X and Z must be up to about 1 in size.
    """

    def __init__(self, X, Z, n_neighbors, gamma, rows=None, weights=1.0):
        n = len(X)
        self.rows = rows
        if rows is None:
            self.rows = np.arange(n)
        self.gamma = gamma
        weights = np.asarray(weights, dtype=float)
        self.weights = np.broadcast_to(weights, len(self.rows))
        self._blocks = even_blocks(len(self.rows), n, CACHE_ENTRIES)
        # The affinities p have the widths of the data, q those of the map.
        self.sigma = self._widths(self._squared(X), n_neighbors)
        log_q = self._squared(Z)
        sigma_map = self._widths(log_q, n_neighbors)
        for part in self._blocks:
            rows_of_part = self.rows[part]
            log_q[part] = log_affinities(
                log_q[part], sigma_map[part], rows_of_part
            )
        self.log_q = log_q

    def __call__(self, Y):
        """Cost of the data moved to Y (n, r), and its gradient, of the same shape."""
        value = 0.0
        gradient = np.zeros_like(Y)
        for part in self._blocks:
            rows = self.rows[part]
            squared = squared_distances(Y[rows], Y)
            # The weight is 1 - gamma, for the fixed distribution is that of the map.
            cost, slopes = nerv_cost(
                self.log_q[part],
                squared,
                self.sigma[part],
                1 - self.gamma,
                sample_of_row=rows,
                weights=self.weights[part],
            )
            value += cost
            gradient += position_gradient(Y, slopes, rows)
        return value, gradient

    def _squared(self, Y):
        """Squared distances (r, n) of the rows of Y (n, d) to all."""
        squared = np.empty((len(self.rows), len(Y)))
        for part in self._blocks:
            rows = self.rows[part]
            squared[part] = squared_distances(Y[rows], Y)
        return squared

    def _widths(self, squared, n_neighbors):
        """Width (r,) of each row with squared distances (r, n)."""
        widths = neighbor_widths(squared, n_neighbors, self.rows)
        return np.maximum(widths, LEAST_WIDTH)


def energy(Omega, X, neighborhoods, delta):
    """Cost of Omega (r, d) on X (n, d) with the penalty delta, and its gradient.

    `neighborhoods` is a `Neighborhoods`, which gives the cost of images.
    """
    value, pulls = neighborhoods(X @ Omega.T)  # Eq. (4.7)
    value += delta * np.sum(Omega**2)  # Eq. (4.8)
    gradient = pulls.T @ X + 2 * delta * Omega  # Eq. (4.9)
    return value, gradient


def diagonal_energy(weights, X, neighborhoods, delta):
    """The same for Omega = diag(weights), with the gradient by the weights (d,)."""
    value, pulls = neighborhoods(X * weights)
    value += delta * np.sum(weights**2)
    slopes = np.einsum("il,il->l", pulls, X)
    return value, slopes + 2 * delta * weights


def check_importance(importance, n, max_samples, rng):
    """The samples whose neighbourhoods are compared, rising (r,), and their weights.

    These are positive and sum to n.
    """
    weights = np.ones(n)
    if importance is not None:
        weights = check_numbers(importance, "importance", shape=(n,))
        if weights.min() < 0 or weights.max() <= 0:
            raise ValueError(
                f"`importance` must hold a number >= 0 per sample, shape ({n},), not"
                f" all 0; got numbers from {weights.min():.3g} to {weights.max():.3g}."
            )
        weights = weights / weights.max()
    positive_rows = np.flatnonzero(weights)
    drawn = draw_rows(len(positive_rows), max_samples, rng)
    rows = positive_rows[drawn]
    weights = weights[rows]
    return rows, n * weights / weights.sum()
