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

from ..core import Shared, results, row_blocks, squared_distances
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


def fisher_knn(metric, X, coordinates, k, n_segments):
    """Lengths of lines to the `k` nearest others, and the fraction of pairs measured.

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
    tasks = (delayed(_nearest)(samples, tile, k, n_segments) for tile in tiles)
    bar = list(map(len, tiles)), "neighbours", metric.verbose
    *pairs, counts = zip(
        *results(tasks, metric.n_jobs, "threads", bar), strict=True
    )
    order = np.argsort(by_class)
    lengths, columns = (np.concatenate(parts)[order].ravel() for parts in pairs)
    ends = np.arange(0, len(lengths) + 1, k)
    graph = csr_matrix((lengths, columns, ends), (n, n))
    graph.sort_indices()
    return graph, sum(counts) / n**2


def _nearest(samples, rows, k, n_segments):
    """Lengths (r, k) to the nearest of r rows, their numbers, and all pairs measured.

    The lengths rise, and ties go to the lower number. No sample is its own neighbour.
    """
    n = len(samples.X)
    size = k + 1
    best = np.full((len(rows), k), np.inf)
    who = np.full((len(rows), k), -1)
    open_rows = np.arange(len(rows))
    tried = np.empty(0, dtype=np.int64)
    measured = 0
    # there are tiles for all workers
    with parallel_config("sequential"):
        while len(open_rows) and (
            size <= MOST_CANDIDATES or len(open_rows) * size <= n
        ):
            size = min(size, n)
            ours = rows[open_rows][:, None]
            chords, candidates = samples.tree.query(
                samples.coordinates[ours[:, 0]], size
            )
            pairs = ours * n + candidates
            near = chords <= _reach(best[open_rows])
            near &= (candidates != ours) & ~np.isin(pairs, tried)
            tried = np.concatenate([tried, pairs[near]])
            D = np.full(pairs.shape, np.inf)
            D[near] = _pair_lengths(samples, pairs[near], n_segments)
            best[open_rows], who[open_rows] = _least(
                best[open_rows], who[open_rows], D, candidates
            )
            measured += np.count_nonzero(near)
            if size == n:
                return best, who, measured
            further = chords[:, -1:] <= _reach(best[open_rows])
            open_rows = open_rows[further[:, 0]]
            size *= 2
        if len(open_rows):  # as a whole, what was tried once more
            best[open_rows], who[open_rows] = _by_products(
                samples, rows[open_rows], k, n_segments
            )
            measured += len(open_rows) * n
    return best, who, measured


def _reach(lengths):
    """How far in the coordinates a sample nearer than the last length may lie."""
    return lengths[:, -1:] / BOUND_FACTOR * (1 + 1e-9) + 1e-12


def _least(best, who, D, columns):
    """The least lengths (r, k) and their numbers, of those so far and D (r, q)."""
    k = best.shape[1]
    best = np.hstack([best, D])
    who = np.hstack([who, np.broadcast_to(columns, D.shape)])
    order = np.lexsort([who, best])[:, :k]
    return [np.take_along_axis(A, order, axis=1) for A in (best, who)]


def _pair_lengths(samples, pairs, n_segments):
    """Lengths (p,) of pairs, i n + j for samples i and j."""
    metric = samples.metric
    X = samples.X
    lengths = np.empty(len(pairs))
    for part in np.array_split(
        np.arange(len(pairs)), len(pairs) // PAIRS_AT_ONCE + 1
    ):
        a, b = np.divmod(pairs[part], len(X))
        # the logits of each sample are computed once
        ends, where = np.unique([a, b], return_inverse=True)
        more = None
        if metric._lam:
            more = metric._lam * metric._squared_pairs(X[a], X[b], a, b)
        lengths[part] = pair_distances(
            metric._logits(X[ends]),
            metric._components,
            *where.reshape(2, -1),
            n_segments=n_segments,
            more=more,
        )
    return lengths


def _by_products(samples, rows, k, n_segments):
    """Lengths (r, k) to the nearest of each row, and their numbers.

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
        near = block[(bounds <= _reach(best) ** 2).any(axis=0)]
        for part in row_blocks(len(near), metric._n_kernels, ENTRIES_AT_ONCE):
            columns = near[part]
            more = None
            if metric._lam:
                more = metric._lam * metric._squared(
                    X[rows], X[columns], rows, columns
                )
            D = line_distances(
                logits,
                metric._components,
                metric._logits(X[columns]),
                n_segments=n_segments,
                more=more,
            )
            D[rows[:, None] == columns] = np.inf
            best, who = _least(best, who, D, columns)
    return best, who
