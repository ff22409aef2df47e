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
"""

from copy import copy

import numpy as np
from joblib import delayed, parallel_config
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from ..core import Shared, results, row_blocks, squared_distances
from .paths import ENTRIES_AT_ONCE, lines_below, pair_distances

TILE_ROWS = 512
PAIRS_AT_ONCE = 2**14
TRIAL_ROWS = 32  # samples whose lengths to others are measured first
TRIAL_STEP = 4  # from one of these others to the next
# of a pair alone, in those of a pair within a product
PAIR_COST = 64
# with few segments a length may be a little shorter than the bound
BOUND_FACTOR = 0.95


def fisher_knn(metric, X, coordinates, k, n_segments):
    """Lengths of lines to the `k` nearest others, and the fraction of pairs measured.

    The lengths are a csr_matrix (n, n). `metric` is a fitted metric of classes, X its
    samples and `coordinates` (n, c or more) the roots of their probabilities, times 2,
    and what `lam` adds, by a function. Rows go by tiles that lie close together, each a
    task.
    """
    n = len(X)
    light = copy(metric).set_params(n_jobs=None, verbose=False)
    light._X = None  # its training samples, which no line between others needs
    samples = Shared(metric=light, X=X)
    tiles = [np.arange(n)]
    share = 1.0
    # none has fewer neighbours than are sought, and of few tiles one costs less
    size = max(TILE_ROWS, 2 * k)
    if n > 4 * size:
        samples.coordinates = coordinates()
        roots = samples.coordinates[:, : len(metric.classes_)]
        first, second = np.argsort(-roots, axis=1)[:, :2].T
        by_class = np.lexsort([roots.max(axis=1), second, first])
        tiles = np.array_split(by_class, n // size)

    def search(task, *arguments):
        tasks = (
            delayed(task)(samples, *each, k, n_segments)
            for each in zip(*arguments, strict=True)
        )
        bar = list(map(len, arguments[0])), "neighbours", metric.verbose
        return results(tasks, metric.n_jobs, "threads", bar)

    if len(tiles) > 1 and _excludes_most(samples, k, n_segments):
        samples.tree = cKDTree(samples.coordinates)
        *found, counts = zip(*search(_nearest, tiles), strict=True)
        found = _least(k, *zip(*found, strict=True))
        share = sum(counts) / n**2
    else:
        found, *more = search(_within, tiles)
        if more:
            found = _least(k, found, *more)
            samples.reach = found[2][k - 1 :: k]
            later = [np.concatenate(tiles[t:]) for t in range(1, len(tiles))]
            for pairs in search(_between, tiles[:-1], later):
                found = _least(k, found, pairs)
    _, columns, lengths = found
    graph = csr_matrix((lengths, columns, np.arange(0, n * k + 1, k)), (n, n))
    graph.sort_indices()
    return graph, share


def _least(k, *pairs):
    """The least `k` of each i, rising, of pairs (i, j, length); ties go to lower j."""
    i, j, lengths = map(np.concatenate, zip(*pairs, strict=True))
    order = np.lexsort([j, lengths, i])
    rows = i[order]
    order = order[np.arange(len(rows)) - np.searchsorted(rows, rows) < k]
    return i[order], j[order], lengths[order]


def _excludes_most(samples, k, n_segments):
    """Whether pairs that the bound leaves cost less than products of all.

    And no length of the trial is below it.
    """
    X = samples.X
    n = len(X)
    if TRIAL_STEP * PAIR_COST * k > n:
        return False
    metric = samples.metric
    rows = np.arange(0, n, -(-n // TRIAL_ROWS))
    others = np.arange(0, n, TRIAL_STEP)
    with parallel_config("sequential"):
        D = [
            metric._segment_lengths(
                X[rows], X[others[block]], n_segments, rows, others[block]
            )
            for block in row_blocks(
                len(others), metric._n_kernels, ENTRIES_AT_ONCE
            )
        ]
    D = np.where(rows[:, None] == others, np.inf, np.hstack(D))
    chords = np.sqrt(
        squared_distances(
            samples.coordinates[rows], samples.coordinates[others]
        )
    )
    if np.any(_reach(D) < chords):
        return False
    reach = np.partition(D, k // TRIAL_STEP)[:, [k // TRIAL_STEP]]
    return PAIR_COST * np.mean(chords <= _reach(reach)) < 1


def _nearest(samples, rows, k, n_segments):
    """Pairs of some rows and their nearest, and how many were measured for them.

    No sample is its own neighbour.
    """
    n = len(samples.X)
    size = k + 1
    found = []
    reach = np.full(n, np.inf)
    tried = np.empty(0, dtype=np.int64)
    while len(rows):
        size = min(size, n)
        ours = rows[:, None]
        chords, candidates = samples.tree.query(samples.coordinates[rows], size)
        pairs = ours * n + candidates
        near = (chords <= reach[ours]) & (candidates != ours)
        pairs = np.setdiff1d(pairs[near], tried)
        tried = np.concatenate([tried, pairs])
        lengths = _pair_lengths(samples, pairs, n_segments)
        found = [_least(k, *found, (*np.divmod(pairs, n), lengths))]
        i, _, lengths = found[0]
        reach[i[k - 1 :: k]] = _reach(lengths[k - 1 :: k])
        if size == n:
            break
        rows = rows[chords[:, -1] <= reach[rows]]
        size *= 2
    return *found[0], len(tried)


def _reach(lengths):
    """How far in the coordinates a sample nearer than these may lie."""
    return lengths / BOUND_FACTOR * (1 + 1e-9) + 1e-12


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
        lengths[part] = pair_distances(
            metric._logits(X[ends]),
            metric._components,
            *where.reshape(2, -1),
            n_segments=n_segments,
            more=metric._ridge(metric._squared_pairs, X[a], X[b], a, b),
        )
    return lengths


def _within(samples, rows, k, n_segments):
    """Pairs of the samples of a tile that are nearest to each other."""
    X = samples.X[rows]
    n = len(X)
    groups = min(n, 4 * k + 1)
    with parallel_config("sequential"):
        D = samples.metric._segment_lengths(X, None, n_segments, rows, rows)
    np.fill_diagonal(D, np.inf)
    # the k-th least of the minima of groups is at least that of all
    least = D[:, : n - n % groups].reshape(n, -1, groups).min(axis=1)
    reach = np.partition(least, k - 1)[:, [k - 1]]
    i, j = np.divmod(np.flatnonzero(D <= reach), n)
    return _least(k, (rows[i], rows[j], D[i, j]))


def _between(samples, rows, later, k, n_segments):
    """Pairs of the samples of a tile and of later ones that are nearer than known ones.

    In both directions.
    """
    metric = samples.metric
    X = samples.X
    reach = samples.reach
    logits = metric._logits(X[rows])
    pairs = []
    for block in row_blocks(len(later), 1, TILE_ROWS):
        columns = later[block]
        some = X[rows], X[columns], rows, columns
        D, near = lines_below(
            np.maximum(reach[rows][:, None], reach[columns]),
            logits,
            metric._components,
            metric._logits(X[columns]),
            n_segments=n_segments,
            more=metric._ridge(metric._squared, *some),
        )
        columns = columns[near]
        for own, others, lengths in ((rows, columns, D), (columns, rows, D.T)):
            i, j = np.nonzero(lengths < reach[own][:, None])
            pairs.append((own[i], others[j], lengths[i, j]))
    return _least(k, *pairs)
