"""Nearest neighbours in the Fisher metric without n x n arrays.

They are found by the Bhattacharyya bound. The square roots of the class probabilities
lie on the unit sphere, where the Fisher metric (2.14) measures twice the length. So no
path between two samples is shorter than the geodesic (great circle) between their
probabilities, twice the Bhattacharyya angle; its chord is the Hellinger distance up to
a factor:

    d(x_i, x_j) >= 2 arccos BC >= 2 |sqrt p_i - sqrt p_j|,   BC = sum_c sqrt(p(c | x_i)
    p(c | x_j)) = 1 - Hellinger^2.

Near a sample all three are nearly equal. So a search tree over the roots, in as many
dimensions as there are classes, finds candidates: the k-th least length among a few of
them bounds what else has to be measured, mostly nothing (the multi-step search of Seidl
and Kriegel, 1998). With `lam`, d^2 >= bound^2 + lam |x_i - x_j|^2: more coordinates.

Where the bound says little, as where most samples are certain of one class, a tile of
rows is measured with all columns that the bound does not exclude, by products of
matrices.
"""

from copy import copy

import numpy as np
from joblib import delayed, parallel_config
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from ..core.graphs import squared_distances
from ..core.progress import Shared, results
from ..core.scaling import row_blocks
from .paths import line_distances, pair_distances

TILE_ROWS = 512
BLOCK_COLUMNS = 4096  # columns whose bounds are computed at once
PAIRS_AT_ONCE = 2**14
# of a tile that is measured with all columns not excluded
FIRST_CANDIDATES = 1024
# of a row whose pairs are measured one by one; of few rows all pairs cost less than a
# product
MOST_CANDIDATES = 1024
ENTRIES_AT_ONCE = 2**24  # logits of columns that are measured by one product
# the bound holds for exact lengths; with few segments a length may be a little shorter
BOUND_FACTOR = 0.95
NONE = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)


def fisher_knn(metric, X, coordinates, n_neighbors, *, n_segments=4):
    """Lengths of lines to the nearest others, and the fraction of pairs measured.

    The lengths are a csr_matrix (n, n). `metric` is a fitted metric of classes, X its
    samples and `coordinates` (n, c or more) the roots of their probabilities, times 2,
    and what `lam` adds. Rows go by tiles that lie close together, each a task.
    """
    n = len(X)
    roots = coordinates[:, : len(metric.classes_)]
    first, second = np.argsort(-roots, axis=1)[:, :2].T
    by_class = np.lexsort([roots[np.arange(n), first], second, first])
    tiles = np.array_split(by_class, -(-n // TILE_ROWS))
    light = copy(metric)
    light._X = None  # its training samples, which no line between others needs
    tree = cKDTree(coordinates)
    samples = Shared(metric=light, X=X, coordinates=coordinates, tree=tree)
    tasks = (
        delayed(_tile)(samples, tile, n_neighbors, n_segments) for tile in tiles
    )
    bar = list(map(len, tiles)), "neighbours", metric.verbose
    *pairs, counts = zip(
        *results(tasks, metric.n_jobs, "threads", bar), strict=True
    )
    order = np.argsort(by_class)
    lengths, columns = (np.concatenate(parts)[order].ravel() for parts in pairs)
    ends = np.arange(0, len(lengths) + 1, n_neighbors)
    graph = csr_matrix((lengths, columns, ends), (n, n))
    graph.sort_indices()
    return graph, sum(counts) / n**2


def _tile(samples, rows, k, n_segments):
    """Lengths (rows, k) to the nearest, their numbers, and how many were measured."""
    with parallel_config("sequential"):  # there are tiles for all workers
        (_, who, lengths), measured = _nearest(samples, rows, k, n_segments)
    return lengths.reshape(-1, k), who.reshape(-1, k), measured


def _nearest(samples, rows, k, n_segments):
    """The k nearest of each of some rows, and how many pairs were measured.

    Pairs are (position in `rows`, row number, length), three arrays sorted by
    position, then by length; ties go to the lower row number. No sample is its own
    neighbour.
    """
    n = len(samples.X)
    size = k + 1
    open_rows = np.arange(len(rows))
    tried = np.empty(0, dtype=np.int64)
    found = NONE
    measured = 0
    while len(open_rows) and (
        size <= MOST_CANDIDATES or len(open_rows) * size <= n
    ):
        size = min(size, n)
        at = samples.coordinates[rows[open_rows]]
        chords, candidates = (
            part.reshape(-1, size) for part in samples.tree.query(at, size)
        )
        reach = _row_reach(found, len(rows), k)[open_rows]
        pairs = (open_rows[:, None] * n + candidates)[chords <= reach[:, None]]
        pairs = np.setdiff1d(pairs, tried)
        tried = np.concatenate([tried, pairs])
        i, j = np.divmod(pairs, n)
        i, j = (ends[rows[i] != j] for ends in (i, j))
        lengths = _pair_lengths(samples, rows[i], j, n_segments)
        found = _least(k, found, (i, j, lengths))
        measured += len(i)
        if size == n:
            return found, measured
        reach = _row_reach(found, len(rows), k)[open_rows]
        open_rows = open_rows[chords[:, -1] <= reach]
        size *= 2
    if len(open_rows):  # measured as a whole, what was tried once more
        row, *others = _by_products(samples, rows[open_rows], k, n_segments)
        done = ~np.isin(found[0], open_rows)
        found = _least(
            k, [part[done] for part in found], (open_rows[row], *others)
        )
        measured += len(open_rows) * n
    return found, measured


def _reach(length):
    """How far in the coordinates a sample nearer than `length` may lie."""
    return length / BOUND_FACTOR * (1 + 1e-9) + 1e-12


def _row_reach(found, n, k):
    """The reach (n,) of the k-th length found; infinity where there is none."""
    row, _, length = found
    counts = np.bincount(row, minlength=n)
    full = counts >= k
    reach = np.full(n, np.inf)
    reach[full] = _reach(length[np.cumsum(counts)[full] - 1])
    return reach


def _least(k, *pairs):
    """The k pairs (row, row number, length) of the least lengths in each row."""
    row, who, length = (
        np.concatenate(parts) for parts in zip(*pairs, strict=True)
    )
    order = np.lexsort([who, length, row])
    row = row[order]
    order = order[np.arange(len(row)) - np.searchsorted(row, row) < k]
    return tuple(
        np.concatenate(parts)[order] for parts in zip(*pairs, strict=True)
    )


def _pair_lengths(samples, i, j, n_segments):
    """Lengths (p,) between samples i and j (p,)."""
    metric = samples.metric
    X = samples.X
    lengths = np.empty(len(i))
    for part in np.array_split(np.arange(len(i)), len(i) // PAIRS_AT_ONCE + 1):
        a = i[part]
        b = j[part]
        # the logits of each sample are computed once
        ends, where = np.unique([a, b], return_inverse=True)
        squared = (
            metric._squared_pairs(X[a], X[b], a, b) if metric._lam else None
        )
        lengths[part] = pair_distances(
            metric._logits(X[ends]),
            metric._components,
            *where.reshape(2, -1),
            n_segments=n_segments,
            squared=squared,
            lam=metric._lam,
        )
    return lengths


def _by_products(samples, rows, k, n_segments):
    """The nearest of each row, as pairs (row, row number, length).

    This is for rows where the bound excludes little. A first block of candidates gives
    each row a k-th length; of the others only those are measured whose bound stays
    below it for some row.
    """
    metric = samples.metric
    X = samples.X
    at = samples.coordinates
    logits = metric._logits(X[rows])
    best = np.full((len(rows), k), np.inf)
    who = np.full((len(rows), k), -1)
    blocks = row_blocks(len(X), 1, BLOCK_COLUMNS)
    closest = [
        squared_distances(at[rows], at[block]).min(axis=0) for block in blocks
    ]
    order = np.argsort(np.concatenate(closest), kind="stable")
    start = max(FIRST_CANDIDATES, 2 * k)
    rest = np.sort(order[start:])
    blocks = [rest[block] for block in row_blocks(len(rest), 1, BLOCK_COLUMNS)]
    for block in (np.sort(order[:start]), *blocks):
        bounds = squared_distances(at[rows], at[block])
        near = block[(bounds <= _reach(best[:, -1:]) ** 2).any(axis=0)]
        for part in row_blocks(len(near), metric._n_kernels, ENTRIES_AT_ONCE):
            columns = near[part]
            squared = None
            if metric._lam:
                squared = metric._squared(X[rows], X[columns], rows, columns)
            D = line_distances(
                logits,
                metric._components,
                metric._logits(X[columns]),
                n_segments=n_segments,
                squared=squared,
                lam=metric._lam,
            )
            D[rows[:, None] == columns] = np.inf
            best = np.hstack([best, D])
            who = np.hstack([who, np.broadcast_to(columns, D.shape)])
            order = np.lexsort([who, best])[:, :k]
            best, who = (
                np.take_along_axis(A, order, axis=1) for A in (best, who)
            )
    return np.repeat(np.arange(len(rows)), k), who.ravel(), best.ravel()
