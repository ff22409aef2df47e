"""Ranks of neighbours, in which a map and its data are compared (co-ranking)."""

import numpy as np
import scipy.sparse

from .checks import check_distances, check_option

__all__ = ["BLOCK_PAIRS", "checked_pair", "neighbor_ranks"]

BLOCK_PAIRS = 2_000_000  # pairs of samples whose ranks are computed at once


def checked_pair(X, Z, metric):
    """Samples X (n, d), or distances (n, n), and their map Z (n, m) as finite arrays of equal length."""
    if scipy.sparse.issparse(X) or scipy.sparse.issparse(Z):
        raise ValueError("`X` and `Z` must be dense; got a sparse matrix. Call its toarray() first.")
    X, Z = np.asarray(X, dtype=float), np.asarray(Z, dtype=float)
    check_option(metric, "metric", ("euclidean", "precomputed"))
    if X.ndim != 2 or Z.ndim != 2 or len(X) != len(Z) or len(X) < 3:
        raise ValueError(
            f"`X` and `Z` must be 2-D with the same number of rows, at least 3; got shapes {X.shape} and {Z.shape}."
        )
    if metric == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(f"`X` must be a square matrix of distances; got shape {X.shape}.")
    if not (np.all(np.isfinite(X)) and np.all(np.isfinite(Z))):
        raise ValueError("`X` and `Z` must be finite; there is NaN or infinity.")
    return (check_distances(X) if metric == "precomputed" else X), Z


def neighbor_ranks(distances, rows):
    """Rank of each sample from each of some rows (r,), 1 for the nearest and 0 for itself, from distances (r, n)."""
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
