"""Do rows depend on each other? Order in the file and near duplicates.

Cross-validation by rows is too optimistic where neighbouring rows of the file are
alike, or rows are near duplicates of others. Each is tested at a level of 0.01.
Columns that name persons or places are found in `naming`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from .ranks import cubic, ranks, residuals, target_columns

N_LAGS = 5
N_ROW_PERMUTATIONS = 299
AS_GOOD = 2  # of these may be as large at a level of 0.01
N_BLOCKS = 5
# probability of a gap in the distances of independent rows, and the share of rows that
# have one where there are near duplicates
RARE_GAP, LEAST_GAP_FRACTION = 1e-4, 0.02
MOST_SORT_KEYS = 6
FEWEST_SHIFTS = (
    20  # of the file that do not depend on each other, for a p-value
)
FEWEST_STEPS = 20  # of rows in order, for a column to be a key


@dataclass(frozen=True)
class Linked:
    """Rows that depend on each other.

    Attributes
    ----------
    groups : ndarray of int, shape (n,)
        Blocks of the file, linked rows, or values of a column.
    sentence : str
        The finding in words.
    is_order : bool
        Whether these are blocks of rows in order.
    can_shift : bool
        Whether the target may be shifted in the file relative to the columns.
    column : str
        The column whose values are the groups; "" if none names them.
    decides : bool
        Whether statements are about rows of other groups, not of these.
    """

    groups: np.ndarray
    sentence: str
    is_order: bool = False
    can_shift: bool = False
    column: str = ""
    decides: bool = True


def linked_rows(target, X, columns, seed=0):
    """Find kinds of dependence among the rows of a table.

    Parameters
    ----------
    target : Target
        Target of the n rows, in the order of the file.
    X : ndarray of shape (n, p)
        All columns as numbers.
    columns : dict of str to ndarray of shape (n,)
        The columns: numbers as float, NaN where one is missing, or codes of words as
        int.
    seed : int, default=0
        Seed of the random number generator.

    Returns
    -------
    found : dict of str to Linked
        The kinds that are found, among "order" and "near duplicates".

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> rng = np.random.default_rng(0)
    >>> walk = rng.normal(size=(99, 3)).cumsum(axis=0)
    >>> columns = {"a": walk[:, 0], "b": walk[:, 1]}
    >>> target = as_target(walk[:, 2], 99)
    >>> list(linked_rows(target, walk[:, :2], columns))
    ['order']
    """
    rng = np.random.default_rng(seed)
    T = target_columns(target)
    R = ranks(X)
    found = {
        "order": _order(target, T, R, columns, rng),
        "near duplicates": _near_duplicates(columns),
    }
    return {kind: linked for kind, linked in found.items() if linked}


def shifts(n, rng):
    """Return the way to permute rows in order: cyclic shifts of the file.

    Parameters
    ----------
    n : int
        Number of rows.
    rng : numpy Generator
        Random number generator that draws the shifts.

    Returns
    -------
    ways : dict of str to function without arguments
        One way, in the form of :func:`permutations_of`: each call returns row numbers
        (n,).

    Examples
    --------
    >>> turn = shifts(3, np.random.default_rng(0))["shifts of the file"]
    >>> turn().tolist()
    [1, 2, 0]
    """
    return {
        "shifts of the file": lambda: np.roll(np.arange(n), rng.integers(1, n))
    }


def _order(target, T, R, columns, rng):
    """Blocks of the file where rows that follow each other are alike in both."""
    y = target.y
    if not target.is_value:
        # classes or sets of labels, by the row where each comes first
        _, first, y = np.unique(
            y, axis=0, return_index=True, return_inverse=True
        )
        y = first[y.ravel()]
    n = len(y)
    A = np.column_stack([y, *columns.values()])
    keys, runs = _sort_keys(A)
    # a column that is constant within runs says nothing of rows that follow each other
    R = R[:, np.abs(_within(R, runs)).max(axis=0) > 1e-9]
    if not R.shape[1]:
        return None
    # a smooth term of the last key
    smooth = cubic(A[:, keys[-1:]] if keys else np.zeros((n, 1)))
    if 0 not in keys and not _follow(residuals(T, smooth), runs, rng):
        return None
    if not _follow(residuals(R, np.hstack([T, smooth])), runs, rng):
        return None
    place = np.arange(n) / n
    if 0 in keys and not target.is_value:
        place = np.concatenate([np.arange(k) / k for k in np.bincount(y)])
    return Linked(
        (place * N_BLOCKS).astype(int),
        "Rows that follow each other in the file are alike, in the columns and in the"
        " target",
        is_order=True,
        can_shift=0 not in keys and _n_stretches(T[:, 0]) >= FEWEST_SHIFTS,
    )


def _n_stretches(values):
    """How many independent ones so many values in order are worth.

    That is n over the time in which the autocorrelation, summed up, decays.
    """
    n = len(values)
    centred = values - values.mean()
    sums = np.correlate(centred, centred, "full")[n:] / np.sum(centred**2)
    falls = np.append(np.flatnonzero(sums < 0), n)[0]
    return n / (1 + 2 * sums[:falls].sum())


def _sort_keys(A):
    """Columns of A (n, d) by which rows are in order, one after the other.

    And runs (n,) of equal keys, without the last key where that leaves single rows.
    """
    runs = np.zeros(len(A), dtype=int)
    keys = []
    while len(keys) < MOST_SORT_KEYS:
        steps = np.diff(A, axis=0)[np.diff(runs) == 0]
        in_order = (steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)
        in_order &= (steps != 0).any(axis=0)
        if len(steps) < FEWEST_STEPS or not in_order.any():
            break
        keys.append(int(in_order.argmax()))
        changes = (np.diff(runs) != 0) | (np.diff(A[:, keys[-1]]) != 0)
        finer = np.append(0, np.cumsum(changes))
        if finer[-1] > len(A) / 2:
            break
        runs = finer
    return keys, runs


def _follow(R, runs, rng):
    """Whether rows of R (n, p) that follow each other within runs are alike."""
    same = {k: runs[k:] == runs[:-k] for k in range(1, N_LAGS + 1)}
    R = _within(R, runs)

    def alike(R):
        sums = [
            np.einsum("i,ij,ij->j", s, R[k:], R[:-k]) for k, s in same.items()
        ]
        return np.square(sums).sum(axis=0).max()

    return _is_rare(alike, R, lambda: np.lexsort([rng.random(len(R)), runs]))


def _within(R, runs):
    """Deviations of rows R (n, p) from the means of their runs."""
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    means = np.add.reduceat(R, starts) / np.bincount(runs)[:, None]
    return R - means[runs]


def _near_duplicates(columns):
    """Rows that are linked by distances with a gap that independent rows have not.

    Rows with a missing number are not compared: what replaces it is equal in them all.
    """
    numbers = [
        column
        for column in columns.values()
        if column.dtype.kind == "f" and len(np.unique(column)) > len(column) / 2
    ]
    if len(numbers) < 2:
        return None
    X = np.transpose(numbers)
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    n = len(X)
    X = X[complete]
    if len(X) < FEWEST_STEPS:
        return None
    X /= np.maximum(X.std(axis=0), 1e-300)
    D, near = NearestNeighbors(n_neighbors=N_LAGS + 1).fit(X).kneighbors()
    k = np.arange(1, N_LAGS + 1)
    logs = np.log(np.maximum(D, 1e-12))
    # k m log(d_{k+1} / d_k) is exponential where rows are uniform in m dimensions
    gaps = k * np.diff(logs, axis=1)
    gaps *= np.log(2) / np.maximum(np.median(gaps), 1e-12)
    wide = gaps > -np.log(RARE_GAP)
    if np.mean(wide.any(axis=1)) <= LEAST_GAP_FRACTION:
        return None
    # a row with a gap is linked with its neighbours before it
    linked = np.maximum.accumulate(wide[:, ::-1], axis=1)[:, ::-1]
    rows, k = np.nonzero(linked)
    pairs = complete[rows], complete[near[rows, k]]
    graph = coo_array((linked[linked], pairs), shape=(n, n))
    n_groups, groups = connected_components(graph)
    return Linked(
        groups, f"{n - n_groups:,} rows are nearly equal to another one"
    )


def _is_rare(statistic, A, order):
    """Whether hardly any permutation of the rows gives as large a statistic."""
    true = statistic(A)
    as_good = 0
    for _ in range(N_ROW_PERMUTATIONS):
        as_good += statistic(A[order()]) >= true
        if as_good > AS_GOOD:
            return False
    return True
