"""Fisher lengths of straight lines between all pairs, from logits; shortest paths (geodesics) over samples.

Along the line x(a) = (1 - a) x_i + a x_j affine logits are mixed, z_l(a) = (1 - a) z_l(x_i) + a z_l(x_j), up to what
they share. The squared speed is the variance over classes of the mean slope within each class,

    u^T J(x(a)) u = sum_c p_c (r_c - sum_b p_b r_b)^2,   r_c = E[z_l(x_j) - z_l(x_i) | x(a), c],

and the weights exp(z_l(a)) = exp(z_l(x_i))^(1 - a) exp(z_l(x_j))^a of all pairs at one a are products of two matrices:
no exponential per pair, no d.
"""

from functools import lru_cache

import numpy as np
from joblib import delayed
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path
from scipy.special import logsumexp

from ..core.parallel import results
from ..core.progress import progress

__all__ = ["graph_distances", "line_distances", "pair_distances", "through", "trapezoid"]

ENTRIES_AT_ONCE = 2**21
UNDERFLOW = 1e-250  # sums of weights below this are computed again with logarithms, pair by pair
TINY = 1e-305  # added to the weights of classes, so that 0/0 is 0 for one without any


def line_distances(Z, components, Z_new=None, *, n_segments=4, squared=None, lam=0.0, n_jobs=None, verbose=False):
    """Symmetrised lengths of straight lines between all pairs, (n, n), or from samples to others, (n, q).

    `Z` (n, m) and `Z_new` (q, m) hold logits, `squared` the squared Euclidean distances, which `lam` weights.
    (2.18) of both directions, averaged, is the trapezoid rule at a = 0, 1/T, ..., 1. Among samples of one set the speed
    at 1 - a is the transposed one at a.
    """
    n, symmetric = len(Z), Z_new is None
    Z = Z - Z.max(axis=1, keepdims=True)
    Z_new = Z if symmetric else Z_new - Z_new.max(axis=1, keepdims=True)
    # blocks in proportion to the result: products of few rows are slow, and peak memory is its multiple anyway
    entries = max(ENTRIES_AT_ONCE, n * len(Z_new) // 3)
    rows_at_once = max(1, entries // (len(Z_new) * len(components.slices)))
    blocks = [slice(i, min(i + rows_at_once, n)) for i in range(0, n, rows_at_once)]

    @lru_cache(1)  # all blocks of rows share it
    def right(a):
        F = np.exp(a * Z_new)
        return F, F * Z_new

    def task(a, rows, columns):
        added = lam * squared[rows, columns] if lam else None
        return delayed(_speeds)(Z[rows], Z_new[columns], [A[columns] for A in right(a)], a, components, added)

    return trapezoid(task, blocks, (n, len(Z_new)), symmetric, n_segments, n_jobs, verbose)


def trapezoid(task, blocks, shape, symmetric, n_segments, n_jobs, verbose=False):
    """Lengths of lines, `shape`: `task` (a, rows, columns) makes the joblib task that gives the speeds at a."""
    D, T = np.zeros(shape), n_segments
    steps = T // 2 + 1 if symmetric else T + 1
    with progress(steps * shape[0], "distances", verbose) as done:
        for t in range(steps):
            speed = np.zeros(shape)
            half = symmetric and 2 * t == T  # the speed at the middle is symmetric
            ranges = [slice(rows.start if half else 0, None) for rows in blocks]
            tasks = (task(t / T, rows, columns) for rows, columns in zip(blocks, ranges, strict=True))
            # Workers return their rows: those of another process could not write into an array of this one.
            for rows, columns, part in zip(blocks, ranges, results(tasks, n_jobs, prefer="threads"), strict=True):
                speed[rows, columns] = part
                done(rows.stop - rows.start)
            if half:
                speed = np.triu(speed, 1)
            weight = (0.5 if t in (0, T) else 1.0) / T
            D += weight * (speed + speed.T if symmetric else speed)  # Eq. (2.18), both directions
    if symmetric:
        np.fill_diagonal(D, 0.0)
    return D


def _speeds(Z, Z_new, right, a, components, added):
    """Speeds (b, q) of some rows at the point a of their lines to all others; logits are at most 0."""
    E = np.exp((1 - a) * Z)
    EZ, (F, FZ) = E * Z, right
    shape = (len(components.slices), len(Z), len(Z_new))
    weights, slopes = np.empty(shape), np.empty(shape)
    for s, weight, slope in zip(components.slices, weights, slopes, strict=True):
        if a == 0:  # F is 1
            weight[:] = E[:, s].sum(axis=1, keepdims=True)
            np.matmul(E[:, s], FZ[:, s].T, out=slope)
            slope -= EZ[:, s].sum(axis=1, keepdims=True)
        else:
            np.matmul(E[:, s], F[:, s].T, out=weight)
            np.matmul(E[:, s], FZ[:, s].T, out=slope)
            slope -= EZ[:, s] @ F[:, s].T
    total = weights.sum(axis=0)
    lost = np.argwhere(total < UNDERFLOW)
    total[total < UNDERFLOW] = 1.0
    mean = slopes.sum(axis=0) / total
    weights += TINY
    slopes /= weights
    slopes -= mean  # Eq. (2.25), of x_j less that of x_i
    speeds = np.sqrt(np.einsum("cbq,cbq,cbq->bq", weights, slopes, slopes) / total)  # Eq. (2.24)
    step = max(1, ENTRIES_AT_ONCE // Z.shape[1])
    for first in range(0, len(lost), step):
        i, j = lost[first : first + step].T
        speeds[i, j] = _pair_speeds(Z[i], Z_new[j], a, components)
    return speeds if added is None else np.sqrt(speeds**2 + added)  # Eq. (2.16)


def _pair_speeds(start, end, a, components):
    """Speeds at the point a of some lines, from logits (k, m) at their ends, with logarithms throughout."""
    rise = end - start
    mixed = start + a * rise
    sums = components.log_sums(mixed)
    means = (np.sum(np.exp(mixed[:, s] - sums[:, [c]]) * rise[:, s], axis=1) for c, s in enumerate(components.slices))
    slopes = np.column_stack(list(means))
    P = np.exp(sums - logsumexp(sums, axis=1, keepdims=True))
    slopes -= np.sum(P * slopes, axis=1, keepdims=True)
    return np.sqrt(np.sum(P * slopes**2, axis=1))


def pair_distances(Z, components, i, j, *, n_segments=4, squared=None, lam=0.0):
    """Symmetrised lengths of some pairs i, j (k,), as of :func:`line_distances`; `squared` has shape (k,)."""
    result = np.zeros(len(i))
    step = max(1, ENTRIES_AT_ONCE // Z.shape[1])
    for first in range(0, len(i), step):
        rows = slice(first, first + step)
        for t in range(n_segments + 1):
            speed = _pair_speeds(Z[i[rows]], Z[j[rows]], t / n_segments, components)
            if lam:
                speed = np.sqrt(speed**2 + lam * squared[rows])
            result[rows] += (0.5 if t in (0, n_segments) else 1.0) / n_segments * speed
    return result


def graph_distances(D):
    """Shortest paths over samples with edges of lengths D (n, n), symmetric; they obey the triangle inequality."""
    n = len(D)
    # sparse with every entry, since in a dense array tiny lengths are read as missing edges
    edges = csr_matrix((D.ravel(), np.tile(np.arange(n), n), np.arange(0, n * n + 1, n)), shape=(n, n))
    return shortest_path(edges, method="FW")


def through(D_left, D_right):
    """Lengths min_k (left_ik + right_kj) of paths through intermediate samples, (n, q)."""
    best = np.full((len(D_left), D_right.shape[1]), np.inf)
    for column, row in zip(D_left.T, D_right, strict=True):
        np.minimum(best, column[:, None] + row, out=best)
    return best
