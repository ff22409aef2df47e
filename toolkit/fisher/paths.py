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
# So few logits of single pairs stay in the processor's cache.
PAIR_ENTRIES = 2**16
# Sums of weights below this are computed again with logarithms, pair by pair.
UNDERFLOW = 1e-250
# The weights of classes are raised by this, so that 0/0 is 0 for one without any.
ADDED_WEIGHT = 1e-305


def less_largest(Z):
    """Logits (n, m) less the largest of each row: exponentials do not overflow."""
    return Z - Z.max(axis=1, keepdims=True)


def line_distances(
    Z,
    components,
    Z_new=None,
    *,
    n_segments=4,
    ridge=None,
    n_jobs=None,
    verbose=False,
):
    """Symmetrised lengths of lines between all pairs (n, n), or to others (n, q).

    `Z` (n, m) and `Z_new` (q, m) hold logits of the `components`, `ridge` (n, q) the
    squared lengths that `lam` adds, if any. (2.18) of both directions, averaged, is the
    trapezoid rule at a = 0, 1/T, ..., 1, with T = `n_segments`. Among samples of one
    set the speed at 1 - a is the transposed one at a.
    """
    is_symmetric = Z_new is None
    Z = less_largest(Z)
    Z_new = Z if is_symmetric else less_largest(Z_new)
    n = len(Z)
    q = len(Z_new)
    # Blocks are in proportion to the result: products of few rows are slow, and peak
    # memory is its multiple anyway.
    entries = max(ENTRIES_AT_ONCE, n * q // 3)
    shared = Shared(Z=Z, Z_new=Z_new, components=components)

    # All blocks of rows share the weights of the further ends.
    ends = lru_cache(maxsize=1)(partial(_ends, Z_new))

    def task(a, rows, columns):
        """Task of the speeds at the point `a` of lines, from `rows` to `columns`.

        Both are slices. The logits, which all tasks share, are in `shared`; `ridge` is
        what `lam` adds.
        """
        ridge_block = None
        if ridge is not None:
            ridge_block = ridge[rows, columns]
        return delayed(_speeds)(
            shared, ends(a), a, rows=rows, columns=columns, ridge=ridge_block
        )

    return trapezoid(
        task,
        (n, q),
        blocks=row_blocks(n, q * len(components.slices), entries),
        is_symmetric=is_symmetric,
        n_segments=n_segments,
        n_jobs=n_jobs,
        verbose=verbose,
    )


def trapezoid(
    task, shape, *, blocks, is_symmetric, n_segments, n_jobs=None, verbose=False
):
    """Lengths of lines, of a `shape` (n, q), by the trapezoid rule.

    `task` (a, rows, columns) makes the joblib task that gives the speeds at the point a
    of the lines, a between 0 and 1, for each of the `blocks` of rows.
    """
    D = np.zeros(shape)
    steps = n_segments // 2 + 1 if is_symmetric else n_segments + 1
    with progress(steps * shape[0], "distances", verbose) as done:
        for t in range(steps):
            a = t / n_segments
            speed = np.zeros(shape)
            # The speed at the middle is symmetric.
            is_middle = is_symmetric and 2 * t == n_segments
            parts = []
            for rows in blocks:
                first_column = rows.start if is_middle else 0
                parts.append((rows, slice(first_column, None)))
            # Workers return their rows: those of another process could not write into
            # an array of this one.
            tasks = (task(a, rows, columns) for rows, columns in parts)
            speeds = results(tasks, n_jobs, "threads")
            for part, block in zip(parts, speeds, strict=True):
                speed[part] = block
                done(len(block))
            if is_middle:
                speed = np.triu(speed, 1)
            if is_symmetric:
                speed = speed + speed.T
            # Eq. (2.18), both directions
            D += _weight(t, n_segments) * speed
    if is_symmetric:
        np.fill_diagonal(D, 0.0)
    return D


def _weight(t, T):
    """Weight of the point t / T in the trapezoid rule."""
    if t in (0, T):
        return 0.5 / T
    return 1.0 / T


def lines_below(limit, Z, components, Z_new, *, n_segments, ridge):
    """Lengths (n, p) of lines to those of others that are below a limit for some row.

    And the numbers (p,) of these. `limit` (n, q), the other arguments as of
    :func:`line_distances`. No speed is negative, so that sums over some points of a
    line, from its middle on, tell which others are further away.
    """
    Z = less_largest(Z)
    Z_new = less_largest(Z_new)
    columns = np.arange(len(Z_new))
    D = np.zeros(limit.shape)
    from_middle = sorted(
        range(n_segments + 1), key=lambda t: abs(2 * t - n_segments)
    )
    for t in from_middle:
        a = t / n_segments
        shared = Shared(Z=Z, Z_new=Z_new[columns], components=components)
        ends = _ends(shared.Z_new, a)
        ridge_part = None
        if ridge is not None:
            ridge_part = ridge[:, columns]
        speed = _speeds(shared, ends, a, ridge=ridge_part)
        D += _weight(t, n_segments) * speed
        is_below = (D < limit[:, columns]).any(axis=0)
        D = D[:, is_below]
        columns = columns[is_below]
    return D, columns


def _ends(Z_new, a):
    """Weights F (q, m) of the further ends of lines at the point a, and F times logits.

    `Z_new` (q, m) are the logits of these ends.
    """
    F = np.exp(a * Z_new)
    return Shared(F=F, FZ=F * Z_new)


def _speeds(
    shared, ends, a, *, rows=slice(None), columns=slice(None), ridge=None
):
    """Speeds (b, q) of some rows at the point a of their lines to some columns.

    `shared` holds the logits Z (n, m) of the starts and Z_new (q, m) of the ends, which
    are at most 0, and the components; `ends` is the result of :func:`_ends`. `ridge`
    (b, q) is what `lam` adds to the squares of the speeds.
    """
    Z = shared.Z[rows]
    Z_new = shared.Z_new[columns]
    components = shared.components
    F = ends.F[columns]
    FZ = ends.FZ[columns]
    E = np.exp((1 - a) * Z)
    EZ = E * Z
    slices = components.slices
    weights, slopes = np.empty((2, len(slices), len(Z), len(Z_new)))
    for s, weight, slope in zip(slices, weights, slopes, strict=True):
        E_s = E[:, s]
        EZ_s = EZ[:, s]
        F_s = F[:, s]
        FZ_s = FZ[:, s]
        if a == 0:  # F is 1
            weight[:] = E_s.sum(axis=1, keepdims=True)
            np.matmul(E_s, FZ_s.T, out=slope)
            slope -= EZ_s.sum(axis=1, keepdims=True)
        elif a == 1:  # E is 1
            weight[:] = F_s.sum(axis=1)
            np.matmul(-EZ_s, F_s.T, out=slope)
            slope += FZ_s.sum(axis=1)
        else:
            np.matmul(E_s, F_s.T, out=weight)
            np.matmul(E_s, FZ_s.T, out=slope)
            slope -= EZ_s @ F_s.T
    total = weights.sum(axis=0)
    is_lost = total < UNDERFLOW
    total[is_lost] = 1.0
    mean = slopes.sum(axis=0) / total
    weights += ADDED_WEIGHT
    slopes /= weights
    slopes -= mean  # as in `_speed`, of x_j less that of x_i
    variance = np.einsum("cbq,cbq,cbq->bq", weights, slopes, slopes)
    variance /= total
    speeds = np.sqrt(variance, out=variance)
    lost_pairs = np.argwhere(is_lost)
    for block in row_blocks(len(lost_pairs), Z.shape[1], ENTRIES_AT_ONCE):
        i, j = lost_pairs[block].T
        start = Z[i]
        speeds[i, j] = _pair_speeds(start, Z_new[j] - start, a, components)
    if ridge is None:
        return speeds
    return np.sqrt(speeds**2 + ridge)  # Eq. (2.16)


def _pair_speeds(start, rise, a, components):
    """Speeds (k,) at the point a of k lines, from the logits of each.

    `start` (k, m) are those at the start, `rise` (k, m) what they rise to the end.
    """
    Z = start + a * rise
    # No sum of all weights underflows.
    weights = np.exp(less_largest(Z))
    classes, slopes = components.sums(weights, weights * rise)
    return _speed(classes, slopes)[0]


def pair_distances(Z, components, i, j, *, n_segments, ridge=None):
    """Symmetrised lengths of some pairs i, j (k,), as of :func:`line_distances`."""
    power = _powers(Z, n_segments)
    lengths = np.zeros(len(i))
    block_size = min(len(i), PAIR_ENTRIES // Z.shape[1] + 1)
    # New memory for each step would cost more than its numbers.
    buffers = np.empty((3, block_size, Z.shape[1]))
    for rows in row_blocks(len(i), Z.shape[1], PAIR_ENTRIES):
        a = i[rows]
        b = j[rows]
        rise, weights, scratch = buffers[:, : len(a)]
        _take(Z, b, rise)
        rise -= _take(Z, a, scratch)
        for t in range(n_segments + 1):
            if t < n_segments:
                power(n_segments - t, a, weights)
                if t:
                    weights *= power(t, b, scratch)
            else:
                power(t, b, weights)
            np.multiply(weights, rise, out=scratch)
            classes, slopes = components.sums(weights, scratch)
            speed, total = _speed(classes, slopes)
            lost_pairs = np.flatnonzero(total < UNDERFLOW)
            if len(lost_pairs):
                start = Z[a[lost_pairs]]
                speed[lost_pairs] = _pair_speeds(
                    start, rise[lost_pairs], t / n_segments, components
                )
            if ridge is not None:
                speed = np.sqrt(speed**2 + ridge[rows])
            lengths[rows] += _weight(t, n_segments) * speed
    return lengths


def _powers(Z, T):
    """Function (t, rows, out) -> exp(t Z[rows] / T) for t from 1 to T.

    Z are the logits less their largest. By products where there are few.
    """
    Z = less_largest(Z)
    if T > MOST_POWERS:

        def exponential(t, rows, out):
            """exp(t Z / T) of the samples `rows` (k,), written into `out` (k, m)."""
            exponents = t / T * _take(Z, rows, out)
            return np.exp(exponents, out=out)

        return exponential
    Z /= T
    root = np.exp(Z, out=Z)
    powers = list(accumulate(repeat(root, T), np.multiply))
    return lambda t, rows, out: _take(powers[t - 1], rows, out)


def _take(Z, rows, out):
    """Rows (k, m) of Z (n, m) of the numbers `rows` (k,), written into `out` (k, m)."""
    # Any other mode makes a copy first.
    return np.take(Z, rows, axis=0, out=out, mode="clip")


def _speed(classes, slopes):
    """Speeds (k,) of k pairs, and sums (k,) of all weights.

    `classes` (k, c) are the sums of the weights of each class, `slopes` (k, c) the sums
    of weights times slopes.
    """
    total = classes.sum(axis=1, keepdims=True)
    total[total < UNDERFLOW] = UNDERFLOW / 2
    mean = slopes.sum(axis=1, keepdims=True) / total
    deviations = slopes / (classes + ADDED_WEIGHT) - mean  # Eq. (2.25)
    total = total[:, 0]
    variance = np.sum(classes * deviations**2, axis=1) / total
    return np.sqrt(variance), total  # Eq. (2.24)


def graph_distances(D):
    """Shortest paths over samples with edges of lengths D (n, n), symmetric."""
    n = len(D)
    # The graph is sparse with every entry, since in a dense array tiny lengths are read
    # as missing edges.
    columns = np.tile(np.arange(n), n)
    row_starts = np.arange(0, n * n + 1, n)
    entries = D.ravel(), columns, row_starts
    return shortest_path(csr_matrix(entries, shape=(n, n)), method="FW")


def min_plus_product(D_left, D_right):
    """Lengths min_k (left_ik + right_kj) of paths by way of other samples, (n, q)."""
    best = np.full((len(D_left), D_right.shape[1]), np.inf)
    for column, row in zip(D_left.T, D_right, strict=True):
        np.minimum(best, column[:, None] + row, out=best)
    return best
