"""Nearest neighbours in the Fisher metric without an n x n array, by the Bhattacharyya bound.

The square roots of the class probabilities lie on the unit sphere, where the Fisher metric (2.14) measures twice the
length. So no path between two samples is shorter than the geodesic (great circle) between their probabilities, twice
the Bhattacharyya angle; its chord is the Hellinger distance up to a factor:

    d(x_i, x_j) >= 2 arccos BC,   BC = sum_c sqrt(p(c | x_i) p(c | x_j)) = 1 - Hellinger^2.

Samples are taken in tiles that lie close together on the sphere. A first block of candidates gives each row a k-th
distance; of all others only those are measured whose bound stays below it for some row of the tile.
"""

from functools import partial

import numpy as np
from joblib import delayed
from scipy.sparse import csr_matrix

from ..core.parallel import results
from ..core.progress import progress
from .paths import line_distances

__all__ = ["fisher_knn", "sphere_bound"]

TILE_ROWS = 512
FIRST_CANDIDATES = 1024
BLOCK_COLUMNS = 4096  # columns whose bounds are computed at once
BOUND_FACTOR = 0.98  # the bound holds for exact lengths; with few segments a length may be a little shorter


def sphere_bound(P, i, j):
    """Lower bound on Fisher lengths between samples i and j (k,) with class probabilities P (n, c)."""
    return 2 * np.arccos(np.clip(np.sum(np.sqrt(P[i] * P[j]), axis=1), -1, 1))


def fisher_knn(
    logits, P, components, n_neighbors, *, n_segments=4, squared=None, lam=0.0, n_jobs=None, most_columns, verbose=False
):
    """Lengths of lines to the nearest other samples, csr_matrix (n, n), and the fraction of pairs that were measured.

    `logits`, a function of rows, gives those of some samples, and P (n, c) holds the class probabilities of all;
    `squared`, a function of (rows, columns), gives squared Euclidean distances, for `lam`. At most `most_columns`
    samples are measured at once.
    """
    n = len(P)
    first, second = np.argsort(-P, axis=1)[:, : min(2, P.shape[1])].T
    tiles = np.array_split(np.lexsort([P[np.arange(n), first], second, first]), -(-n // TILE_ROWS))
    lengths = partial(_lengths, logits, components, n_segments, squared, lam)
    tasks = (delayed(_nearest)(tile, np.sqrt(P), n_neighbors, lengths, most_columns) for tile in tiles)
    parts = []
    with progress(n, "neighbours", verbose) as done:
        for part in results(tasks, n_jobs, prefer="threads"):
            parts.append(part)
            done(len(part[0]))
    rows = np.repeat(np.concatenate(tiles), n_neighbors)
    data = np.concatenate([best.ravel() for best, _, _ in parts])
    columns = np.concatenate([who.ravel() for _, who, _ in parts])
    graph = csr_matrix((data, (rows, columns)), shape=(n, n))
    graph.sort_indices()
    return graph, sum(pairs for _, _, pairs in parts) / n**2


def _lengths(logits, components, n_segments, squared, lam, rows, columns):
    """Lengths from some samples to others, (rows, columns), none from a sample to itself."""
    euclidean = squared(rows, columns) if lam else None
    D = line_distances(logits(rows), components, logits(columns), n_segments=n_segments, squared=euclidean, lam=lam)
    D[rows[:, None] == columns] = np.inf
    return D


def _nearest(rows, roots, n_neighbors, lengths, most_columns):
    """Of a tile: lengths to the nearest, their numbers, both (rows, n_neighbors), and how many pairs were measured.

    `roots` (n, c) are the square roots of the class probabilities; `lengths` is a function of (rows, columns).
    """
    n = len(roots)
    best, who, pairs = np.empty((len(rows), 0)), np.empty((len(rows), 0), dtype=int), 0

    def measure(columns):
        nonlocal best, who, pairs
        for part in np.split(columns, range(most_columns, len(columns), most_columns)):
            D = lengths(rows, part)
            pairs += D.size
            best, who = np.hstack([best, D]), np.hstack([who, np.broadcast_to(part, D.shape)])
            # ties go to the lower row number, so that the order of tiles does not matter
            order = np.lexsort([who, best])[:, :n_neighbors]
            best, who = np.take_along_axis(best, order, axis=1), np.take_along_axis(who, order, axis=1)

    # the bound grows as the cosine falls, and no arc cosine of all pairs is needed
    blocks = [slice(start, start + BLOCK_COLUMNS) for start in range(0, n, BLOCK_COLUMNS)]
    closest = np.concatenate([(roots[rows] @ roots[block].T).max(axis=0) for block in blocks])
    order = np.argsort(-closest, kind="stable")
    start = min(n, max(FIRST_CANDIDATES, 2 * n_neighbors))
    measure(np.sort(order[:start]))
    rest = np.sort(order[start:])
    for columns in (rest[at : at + BLOCK_COLUMNS] for at in range(0, len(rest), BLOCK_COLUMNS)):
        least = np.cos(np.minimum(best[:, -1] / (2 * BOUND_FACTOR), np.pi))[:, None]
        near = ((roots[rows] @ roots[columns].T) >= least - 1e-15).any(axis=0)
        if near.any():
            measure(columns[near])
    return best, who, pairs
