"""Nearest neighbours in the Fisher metric among the rows of a Dask array: no process holds all of them.

Each block of rows meets all blocks, its own first, one after the other; what it has found bounds how far the others are
searched. Only the graph has a row for each sample.
"""

from copy import copy

import numpy as np
from scipy.spatial import cKDTree

from ..core.checkpoint import kept_results
from ..core.checks import check_integer, shown
from ..core.graphs import check_n_neighbors
from ..core.lazy import computed
from ..core.progress import progress
from .neighbors import NONE, Columns, as_graph, nearest, spread

__all__ = ["knn_distances"]

MOST_SEGMENTS = 10_000


def knn_distances(metric, X, n_neighbors=15, *, n_segments=4, checkpoint=None):
    """As `ClassFisher.knn_distances`, for a Dask array X (n, n_features): csr_matrix (n, n), and `knn_share_`."""
    import dask

    X = X.to_dask_array() if hasattr(X, "columns") else X
    if X.ndim != 2:
        raise ValueError(f"`X` must be a table, one row per sample; got shape {shown(X.shape)}. Reshape your data.")
    X = X.compute_chunk_sizes() if np.isnan(X.shape[0]) else X
    X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
    if (n := len(X)) < 2:
        raise ValueError(f"`X` must hold at least two samples; got {n}.")
    k = check_n_neighbors(n_neighbors, n)
    n_segments = check_integer(n_segments, "n_segments", 1, MOST_SEGMENTS)
    metric._checked(np.zeros((1, X.shape[1])))
    blocks, sizes = X.to_delayed().ravel(), X.chunks[0]
    ends = np.cumsum([0, *(size for size in sizes if size)])
    light = copy(metric)
    light._X = None  # its training samples, which no line between others needs
    one, put = dask.delayed(light, traverse=False), dask.delayed(_columns, pure=False)
    some = (block for block, size in zip(blocks, sizes, strict=True) if size)
    columns = [put(one, block, int(first)) for block, first in zip(some, ends[:-1], strict=True)]
    search, part = (dask.delayed(step, pure=False) for step in (_search, _as_part))
    tasks = [_chain(search, part, one, i, columns, k, n_segments) for i in range(len(columns))]
    lengths, who, pairs = np.empty((n, k)), np.empty((n, k), dtype=np.int64), 0
    state = {
        name: value for name, value in vars(metric).items() if name != "knn_share_"
    }  # parameters and what was fitted
    about = None if checkpoint is None else (X.name, X.shape, sizes, state, k, n_segments)
    with progress(n, "neighbours", metric.verbose) as done:
        parts = kept_results(tasks, checkpoint, about, compute=computed)
        for first, end, (found, numbers, measured) in zip(ends[:-1], ends[1:], parts, strict=True):
            lengths[first:end], who[first:end] = found, numbers
            pairs += int(measured)
            done(int(end - first))
    metric.knn_share_ = pairs / n**2
    return as_graph(lengths, who, n)


def _columns(metric, X, first):
    """A block of samples as others are searched for in it."""
    X = metric._checked(np.asarray(X))
    at = spread(metric._by_rows(metric._components.probabilities, X), metric._lam, metric._vectors(X))
    return Columns(X, at, first, cKDTree(at))


def _chain(search, part, metric, i, columns, k, n_segments):
    """The task that searches all blocks for the nearest samples of block i."""
    found = search(metric, columns[i], columns[i], k, n_segments, None)
    for j, others in enumerate(columns):
        if j != i:
            found = search(metric, columns[i], others, k, n_segments, found)
    return part(found, k)


def _search(metric, block, columns, k, n_segments, found):
    """The nearest found before, (pairs, how many were measured), and those of one more block."""
    pairs, measured = (NONE, 0) if found is None else found
    rows = np.arange(len(block.X))
    found, more = nearest(metric, block.of(rows), columns, k, n_segments, pairs)
    return found, measured + more


def _as_part(found, k):
    (_, who, lengths), measured = found
    return lengths.reshape(-1, k), who.reshape(-1, k), np.array(measured)
