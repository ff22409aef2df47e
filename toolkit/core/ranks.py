"""Ranks of neighbours, in which a map and its data are compared (co-ranking)."""

import numpy as np

from .arrays import check_table
from .checks import check_distances, check_option, check_same_length

__all__ = ["BLOCK_PAIRS", "checked_pair", "neighbor_ranks"]

BLOCK_PAIRS = 2_000_000  # pairs of samples whose ranks are computed at once


def checked_pair(X, Z, metric):
    """Samples X (n, d), or distances (n, n), and their map Z (n, m) as finite arrays of equal length, at least 3."""
    check_option(metric, "metric", ("euclidean", "precomputed"))
    X, Z = (check_table(A, name, least=3, magnitude=False) for A, name in ((X, "X"), (Z, "Z")))
    check_same_length(X, Z, ("X", "Z"))
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
