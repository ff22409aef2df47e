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

A pair of these costs as much as dozens within a product of matrices, and the bound
holds for exact lengths: in few segments one may be shorter. So the lengths from a few
samples to all others are measured first. Where the bound excludes too little, or one of
these is below it, all pairs are measured, by products of tiles of samples.

In the code i and j (p,) are the numbers of the samples of p pairs, and `samples` holds
the metric and all samples X (n, d).
"""

import math
from copy import copy
from dataclasses import dataclass

import numpy as np
from joblib import delayed, parallel_config
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from ..core import Shared, results, row_blocks, squared_distances
from .paths import ENTRIES_AT_ONCE, lines_below, pair_distances

TILE_ROWS = 512
# Pairs whose lengths are computed at once, each alone.
PAIRS_MEASURED_AT_ONCE = 2**14
# Samples whose lengths to others are measured first, and the step from one of these
# others to the next.
TRIAL_ROWS = 32
TRIAL_STEP = 4
# A pair alone costs as much as so many within a product.
PAIR_COST = 64
# A length in few segments may be a little shorter than the bound.
BOUND_FACTOR = 0.95


@dataclass(frozen=True, kw_only=True)
class _Pairs:
    """Lengths of the lines from samples i to samples j."""

    i: np.ndarray  # (p,), numbers of samples
    j: np.ndarray  # (p,)
    lengths: np.ndarray  # (p,)


def fisher_knn(metric, X, coordinates, k, n_segments):
    """Lengths of lines to the `k` nearest others, and the fraction of pairs measured.

    The lengths are a csr_matrix (n, n). `metric` is a fitted metric of classes, X its
    samples and `coordinates` (n, c or more) the roots of their probabilities, times 2,
    and what `lam` adds, by a function. Rows go by tiles that lie close together, each a
    task.
    """
    n = len(X)
    light_metric = copy(metric).set_params(n_jobs=None, verbose=False)
    # No line between others needs its training samples.
    light_metric._X = None
    samples = Shared(metric=light_metric, X=X)
    tiles = [np.arange(n)]
    fraction = 1.0
    # No tile has fewer neighbours than are sought; of few tiles one costs less.
    size = max(TILE_ROWS, 2 * k)
    if n > 4 * size:
        samples.coordinates = coordinates()
        roots = samples.coordinates[:, : len(metric.classes_)]
        first_class, second_class = np.argsort(-roots, axis=1)[:, :2].T
        by_class = np.lexsort([roots.max(axis=1), second_class, first_class])
        tiles = np.array_split(by_class, n // size)

    def search(task, *arguments):
        """Results of a task for each tile, whose arguments are the rows first."""
        tasks = (
            delayed(task)(samples, *of_tile, k, n_segments)
            for of_tile in zip(*arguments, strict=True)
        )
        sizes = [len(rows) for rows in arguments[0]]
        bar = sizes, "neighbours", metric.verbose
        return results(tasks, metric.n_jobs, "threads", bar)

    if len(tiles) > 1 and _excludes_most(samples, k, n_segments):
        samples.tree = cKDTree(samples.coordinates)
        parts = []
        n_measured = 0
        for part, count in search(_nearest, tiles):
            parts.append(part)
            n_measured += count
        nearest_pairs = _shortest(k, parts)
        fraction = n_measured / n**2
    else:
        nearest_pairs = _shortest(k, list(search(_within, tiles)))
        if len(tiles) > 1:
            samples.reach = nearest_pairs.lengths[k - 1 :: k]
            rows = tiles[:-1]
            later_rows = []
            for t in range(1, len(tiles)):
                later_rows.append(np.concatenate(tiles[t:]))
            for part in search(_between, rows, later_rows):
                nearest_pairs = _shortest(k, [nearest_pairs, part])
    row_starts = np.arange(0, n * k + 1, k)
    entries = nearest_pairs.lengths, nearest_pairs.j, row_starts
    graph = csr_matrix(entries, shape=(n, n))
    graph.sort_indices()
    return graph, fraction


def _shortest(k, parts):
    """The `k` shortest of each i, rising, of several `_Pairs`; ties go to lower j."""
    i = np.concatenate([pairs.i for pairs in parts])
    j = np.concatenate([pairs.j for pairs in parts])
    lengths = np.concatenate([pairs.lengths for pairs in parts])
    order = np.lexsort([j, lengths, i])
    rows = i[order]
    ranks = np.arange(len(rows)) - np.searchsorted(rows, rows)
    order = order[ranks < k]
    return _Pairs(i=i[order], j=j[order], lengths=lengths[order])


def _excludes_most(samples, k, n_segments):
    """Whether pairs that the bound leaves cost less than products of all.

    And no length of the trial is below it.
    """
    X = samples.X
    n = len(X)
    if TRIAL_STEP * PAIR_COST * k > n:
        return False
    metric = samples.metric
    rows = np.arange(0, n, math.ceil(n / TRIAL_ROWS))
    columns = np.arange(0, n, TRIAL_STEP)
    D = np.empty((len(rows), len(columns)))
    blocks = row_blocks(len(columns), metric._n_logits, ENTRIES_AT_ONCE)
    with parallel_config("sequential"):
        for block in blocks:
            j = columns[block]
            D[:, block] = metric._segment_lengths(
                X[rows], X[j], n_segments, rows, j
            )
    D[rows[:, None] == columns] = np.inf
    positions = samples.coordinates
    chords = np.sqrt(squared_distances(positions[rows], positions[columns]))
    if np.any(_reach(D) < chords):
        return False
    k_tried = k // TRIAL_STEP
    reach = np.partition(D, k_tried)[:, [k_tried]]
    fraction_left = np.mean(chords <= _reach(reach))
    return PAIR_COST * fraction_left < 1


def _nearest(samples, rows, k, n_segments):
    """Pairs of some rows and their nearest, and how many were measured for them.

    No sample is its own neighbour.
    """
    n = len(samples.X)
    size = k + 1
    parts = []
    reach = np.full(n, np.inf)
    tried_codes = np.empty(0, dtype=np.int64)
    while len(rows):
        size = min(size, n)
        i = rows[:, None]
        chords, candidates = samples.tree.query(samples.coordinates[rows], size)
        in_reach = (chords <= reach[i]) & (candidates != i)
        codes = i * n + candidates
        codes = np.setdiff1d(codes[in_reach], tried_codes)
        tried_codes = np.concatenate([tried_codes, codes])
        i, j = np.divmod(codes, n)
        lengths = _pair_lengths(samples, i, j, n_segments)
        new_pairs = _Pairs(i=i, j=j, lengths=lengths)
        nearest_pairs = _shortest(k, [*parts, new_pairs])
        parts = [nearest_pairs]
        kth = slice(k - 1, None, k)
        reach[nearest_pairs.i[kth]] = _reach(nearest_pairs.lengths[kth])
        if size == n:
            break
        rows = rows[chords[:, -1] <= reach[rows]]
        size *= 2
    return nearest_pairs, len(tried_codes)


def _reach(lengths):
    """How far in the coordinates a sample nearer than these may lie."""
    return lengths / BOUND_FACTOR * (1 + 1e-9) + 1e-12


def _pair_lengths(samples, i, j, n_segments):
    """Lengths (p,) of the lines from samples i to samples j, (p,) each."""
    metric = samples.metric
    X = samples.X
    lengths = np.empty(len(i))
    n_parts = len(i) // PAIRS_MEASURED_AT_ONCE + 1
    for part in np.array_split(np.arange(len(i)), n_parts):
        a = i[part]
        b = j[part]
        # The logits of each sample are computed once.
        ends, position = np.unique([a, b], return_inverse=True)
        start, end = position.reshape(2, -1)
        ridge = metric._ridge(metric._squared_pairs, X[a], X[b], a, b)
        lengths[part] = pair_distances(
            metric._logits(X[ends]),
            metric._components,
            start,
            end,
            n_segments=n_segments,
            ridge=ridge,
        )
    return lengths


def _within(samples, rows, k, n_segments):
    """Pairs of the samples of a tile that are nearest to each other."""
    X = samples.X[rows]
    n = len(X)
    n_groups = min(n, 4 * k + 1)
    with parallel_config("sequential"):
        D = samples.metric._segment_lengths(X, None, n_segments, rows, rows)
    np.fill_diagonal(D, np.inf)
    # The k-th least of the minima of groups is at least that of all.
    groups = D[:, : n - n % n_groups].reshape(n, -1, n_groups)
    minima = groups.min(axis=1)
    reach = np.partition(minima, k - 1)[:, [k - 1]]
    i, j = np.divmod(np.flatnonzero(D <= reach), n)
    pairs = _Pairs(i=rows[i], j=rows[j], lengths=D[i, j])
    return _shortest(k, [pairs])


def _between(samples, rows, later_rows, k, n_segments):
    """Pairs of the samples of a tile and of later ones that are nearer than known ones.

    In both directions.

    `samples.reach` (n,) is the length to the k-th neighbour known of each sample.
    """
    metric = samples.metric
    X = samples.X
    reach = samples.reach
    logits = metric._logits(X[rows])
    parts = []
    for block in row_blocks(len(later_rows), 1, TILE_ROWS):
        columns = later_rows[block]
        X_columns = X[columns]
        ridge = metric._ridge(
            metric._squared, X[rows], X_columns, rows, columns
        )
        D, kept_columns = lines_below(
            np.maximum(reach[rows][:, None], reach[columns]),
            logits,
            metric._components,
            metric._logits(X_columns),
            n_segments=n_segments,
            ridge=ridge,
        )
        columns = columns[kept_columns]
        parts.append(_below(reach, rows, columns, D))
        parts.append(_below(reach, columns, rows, D.T))
    return _shortest(k, parts)


def _below(reach, rows, columns, D):
    """Pairs from rows to columns whose lengths D (n, q) are below the row's reach."""
    limit = reach[rows][:, None]
    i, j = np.nonzero(D < limit)
    return _Pairs(i=rows[i], j=columns[j], lengths=D[i, j])
