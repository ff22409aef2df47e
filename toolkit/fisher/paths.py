"""Fisher lengths of straight lines between all pairs; shortest paths over samples.

Along the line x(a) = (1 - a) x_i + a x_j affine logits are mixed, z_l(a) = (1 - a)
z_l(x_i) + a z_l(x_j), up to common terms. The squared speed is the variance over
classes of the mean slope within each class,

    u^T J(x(a)) u = sum_c p_c (r_c - sum_b p_b r_b)^2,   r_c = E[z_l(x_j) - z_l(x_i) |
    x(a), c],

and the weights exp(z_l(a)) = exp(z_l(x_i))^(1 - a) exp(z_l(x_j))^a of all pairs at one
a are products of two matrices: no exponential per pair, no d.
"""

from functools import lru_cache, partial
from itertools import accumulate, repeat

import numpy as np
from joblib import delayed
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from ..core import Shared, progress, results, row_blocks

ENTRIES_AT_ONCE = 2**21
MOST_POWERS = 8
# of single pairs, so few that they stay in the processor's cache
PAIR_ENTRIES = 2**16
# sums of weights below this are computed again with logarithms, pair by pair
UNDERFLOW = 1e-250
# added to the weights of classes, so that 0/0 is 0 for one without any
TINY = 1e-305


def less_largest(Z):
    """Logits (n, m) less the largest of each row: exponentials do not overflow."""
    return Z - Z.max(axis=1, keepdims=True)


def line_distances(
    Z,
    components,
    Z_new=None,
    *,
    n_segments=4,
    more=None,
    n_jobs=None,
    verbose=False,
):
    """Symmetrised lengths of lines between all pairs (n, n), or to others (n, q).

    `Z` (n, m) and `Z_new` (q, m) hold logits, `more` the squared lengths that `lam`
    adds, if any. (2.18) of both directions, averaged, is the
    trapezoid rule at a = 0, 1/T, ..., 1. Among samples of one set the speed at 1 - a is
    the transposed one at a.
    """
    symmetric = Z_new is None
    Z = less_largest(Z)
    Z_new = Z if symmetric else less_largest(Z_new)
    shape = len(Z), len(Z_new)
    # blocks in proportion to the result: products of few rows are slow, and peak memory
    # is its multiple anyway
    entries = max(ENTRIES_AT_ONCE, shape[0] * shape[1] // 3)
    blocks = row_blocks(shape[0], shape[1] * len(components.slices), entries)
    shared = Shared(Z=Z, Z_new=Z_new, components=components)

    # all blocks of rows share them
    ends = lru_cache(maxsize=1)(partial(_ends, Z_new))

    def task(a, rows, columns):
        added = None if more is None else more[rows, columns]
        return delayed(_speeds)(shared, ends(a), rows, columns, a, added)

    return trapezoid(
        task, blocks, shape, symmetric, n_segments, n_jobs, verbose
    )


def trapezoid(task, blocks, shape, symmetric, n_segments, n_jobs, verbose):
    """Lengths of lines, of a `shape`, by the trapezoid rule.

    `task` (a, rows, columns) makes the joblib task that gives the speeds at a.
    """
    D = np.zeros(shape)
    steps = n_segments // 2 + 1 if symmetric else n_segments + 1
    with progress(steps * shape[0], "distances", verbose) as done:
        for t in range(steps):
            speed = np.zeros(shape)
            # the speed at the middle is symmetric
            half = symmetric and 2 * t == n_segments
            parts = [
                (rows, slice(rows.start if half else 0, None))
                for rows in blocks
            ]
            # Workers return their rows: those of another process could not write into
            # an array of this one.
            speeds = results(
                (task(t / n_segments, *part) for part in parts),
                n_jobs,
                "threads",
            )
            for part, block in zip(parts, speeds, strict=True):
                speed[part] = block
                done(len(block))
            if half:
                speed = np.triu(speed, 1)
            # Eq. (2.18), both directions
            D += _weight(t, n_segments) * (
                speed + speed.T if symmetric else speed
            )
    if symmetric:
        np.fill_diagonal(D, 0.0)
    return D


def _weight(t, T):
    """Weight of the point t / T in the trapezoid rule."""
    return (0.5 if t in (0, T) else 1.0) / T


def lines_below(limit, Z, components, Z_new, *, n_segments, more):
    """Lengths (n, p) of lines to those of others that are below a limit for some row.

    And the numbers (p,) of these. `limit` (n, q), the rest as of
    :func:`line_distances`. No speed is negative, so that sums over some points of a
    line, from its middle on, tell which others are further away.
    """
    Z = less_largest(Z)
    Z_new = less_largest(Z_new)
    near = np.arange(len(Z_new))
    D = np.zeros(limit.shape)
    all_rows = slice(None)
    for t in sorted(
        range(n_segments + 1), key=lambda t: abs(2 * t - n_segments)
    ):
        a = t / n_segments
        shared = Shared(Z=Z, Z_new=Z_new[near], components=components)
        speed = _speeds(
            shared,
            _ends(shared.Z_new, a),
            all_rows,
            all_rows,
            a,
            None if more is None else more[:, near],
        )
        D += _weight(t, n_segments) * speed
        below = (D < limit[:, near]).any(axis=0)
        D = D[:, below]
        near = near[below]
    return D, near


def _ends(Z_new, a):
    """Weights of the further ends of lines at the point a, and times their logits."""
    F = np.exp(a * Z_new)
    return Shared(F=F, FZ=F * Z_new)


def _speeds(shared, ends, rows, columns, a, more):
    """Speeds (b, q) of some rows at the point a of their lines to some columns.

    `more` is what `lam` adds. Logits are at most 0.
    """
    Z = shared.Z[rows]
    Z_new = shared.Z_new[columns]
    components = shared.components
    F = ends.F[columns]
    FZ = ends.FZ[columns]
    E = np.exp((1 - a) * Z)
    EZ = E * Z
    weights, slopes = np.empty((2, len(components.slices), len(Z), len(Z_new)))
    for s, weight, slope in zip(
        components.slices, weights, slopes, strict=True
    ):
        if a == 0:  # F is 1
            weight[:] = E[:, s].sum(axis=1, keepdims=True)
            np.matmul(E[:, s], FZ[:, s].T, out=slope)
            slope -= EZ[:, s].sum(axis=1, keepdims=True)
        elif a == 1:  # E is 1
            weight[:] = F[:, s].sum(axis=1)
            np.matmul(-EZ[:, s], F[:, s].T, out=slope)
            slope += FZ[:, s].sum(axis=1)
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
    slopes -= mean  # as in `_speed`, of x_j less that of x_i
    speeds = np.sqrt(
        np.einsum("cbq,cbq,cbq->bq", weights, slopes, slopes) / total
    )
    for some in row_blocks(len(lost), Z.shape[1], ENTRIES_AT_ONCE):
        i, j = lost[some].T
        speeds[i, j] = _pair_speeds(Z[i], Z_new[j] - Z[i], a, components)
    return speeds if more is None else np.sqrt(speeds**2 + more)  # Eq. (2.16)


def _pair_speeds(start, rise, a, components):
    """Speeds at the point a of lines, from logits at the start and their rise."""
    Z = start + a * rise
    # so that no sum of all weights underflows
    weights = np.exp(less_largest(Z))
    return _speed(*components.sums(weights, weights * rise))[0]


def pair_distances(Z, components, i, j, *, n_segments, more=None):
    """Symmetrised lengths of some pairs i, j (k,), as of :func:`line_distances`."""
    power = _powers(Z, n_segments)
    result = np.zeros(len(i))
    most = min(len(i), PAIR_ENTRIES // Z.shape[1] + 1)
    # new memory for each step would cost more than its numbers
    buffers = np.empty((3, most, Z.shape[1]))
    for rows in row_blocks(len(i), Z.shape[1], PAIR_ENTRIES):
        a = i[rows]
        b = j[rows]
        rise, weights, others = buffers[:, : len(a)]
        _take(Z, b, rise)
        rise -= _take(Z, a, others)
        for t in range(n_segments + 1):
            if t < n_segments:
                power(n_segments - t, a, weights)
                if t:
                    weights *= power(t, b, others)
            else:
                power(t, b, weights)
            classes, slopes = components.sums(
                weights, np.multiply(weights, rise, out=others)
            )
            speed, total = _speed(classes, slopes)
            lost = np.flatnonzero(total < UNDERFLOW)
            if len(lost):
                speed[lost] = _pair_speeds(
                    Z[a[lost]], rise[lost], t / n_segments, components
                )
            if more is not None:
                speed = np.sqrt(speed**2 + more[rows])
            result[rows] += _weight(t, n_segments) * speed
    return result


def _powers(Z, T):
    """Function (t, rows, out) -> exp(t Z[rows] / T) for t from 1 to T.

    Z are the logits less their largest. By products where there are few.
    """
    Z = less_largest(Z)
    if T > MOST_POWERS:
        return lambda t, rows, out: np.exp(t / T * _take(Z, rows, out), out=out)
    Z /= T
    powers = list(accumulate(repeat(np.exp(Z, out=Z), T), np.multiply))
    return lambda t, rows, out: _take(powers[t - 1], rows, out)


def _take(Z, rows, out):
    # any other mode makes a copy first
    return np.take(Z, rows, axis=0, out=out, mode="clip")


def _speed(classes, slopes):
    """Speeds (k,) and sums of weights, from the sums of each class (k, c)."""
    total = classes.sum(axis=1, keepdims=True)
    total[total < UNDERFLOW] = UNDERFLOW / 2
    # Eq. (2.25)
    means = (
        slopes / (classes + TINY) - slopes.sum(axis=1, keepdims=True) / total
    )
    # Eq. (2.24)
    return np.sqrt(np.sum(classes * means**2, axis=1) / total[:, 0]), total[
        :, 0
    ]


def graph_distances(D):
    """Shortest paths over samples with edges of lengths D (n, n), symmetric."""
    n = len(D)
    # sparse with every entry, since in a dense array tiny lengths are read as missing
    # edges
    edges = csr_matrix(
        (D.ravel(), np.tile(np.arange(n), n), np.arange(0, n * n + 1, n)),
        shape=(n, n),
    )
    return shortest_path(edges, method="FW")


def min_plus_product(D_left, D_right):
    """Lengths min_k (left_ik + right_kj) of paths by way of other samples, (n, q)."""
    best = np.full((len(D_left), D_right.shape[1]), np.inf)
    for column, row in zip(D_left.T, D_right, strict=True):
        np.minimum(best, column[:, None] + row, out=best)
    return best
