"""Do rows depend on each other? Order in the file and near duplicates.

Cross-validation by rows is too optimistic where neighbouring rows of the file are
alike, or rows are near duplicates of others. Each is tested at a level of 0.01.
Columns that name persons or places are found in `naming`. Targets and other columns are
compared by ranks, and by what a regression leaves of these.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import rankdata
from sklearn.neighbors import NearestNeighbors

N_LAGS = 5
N_ROW_PERMUTATIONS = 299
# So many permuted statistics may be as large, at a level of 0.01.
MOST_AS_LARGE = 2
N_BLOCKS = 5
# Probability of a wide gap in the distances of independent rows.
RARE_GAP = 1e-4
# Fraction of rows with a wide gap, above which there are near duplicates.
LEAST_GAP_FRACTION = 0.02
MOST_SORT_KEYS = 6
# A p-value needs so many shifts of the file that do not depend on each other.
FEWEST_SHIFTS = 20
# A column is a sort key if so many steps of the rows are in its order.
FEWEST_STEPS = 20
TINY_DEVIATION = 1e-9


@dataclass(frozen=True, kw_only=True)
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
    linked : dict of str to Linked
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
    linked = {
        "order": _order(target, ranks(X), columns, rng),
        "near duplicates": _near_duplicates(columns),
    }
    return {kind: rows for kind, rows in linked.items() if rows is not None}


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


def _order(target, R, columns, rng):
    """Blocks of the file where rows that follow each other are alike in both."""
    T = target_columns(target)
    y = target.y
    if not target.is_value:
        # Classes or sets of labels are numbered by the row where each comes first.
        _, first_rows, codes = np.unique(
            y, axis=0, return_index=True, return_inverse=True
        )
        y = first_rows[codes.ravel()]
    n = len(y)
    A = np.column_stack([y, *columns.values()])
    keys, runs = _sort_keys(A)
    is_sorted_by_target = 0 in keys
    # A column that is constant within runs says nothing of rows that follow each other.
    deviations = np.abs(_within(R, runs)).max(axis=0)
    R = R[:, deviations > TINY_DEVIATION]
    if not R.shape[1]:
        return None
    # The last key may have a smooth effect, which is no dependence of rows.
    last_key = A[:, keys[-1:]] if keys else np.zeros((n, 1))
    smooth = cubic(last_key)
    if not is_sorted_by_target:
        if not _follow(residuals(T, smooth), runs, rng):
            return None
    if not _follow(residuals(R, np.hstack([T, smooth])), runs, rng):
        return None
    positions = np.arange(n) / n
    if is_sorted_by_target and not target.is_value:
        positions_of_classes = [np.arange(k) / k for k in np.bincount(y)]
        positions = np.concatenate(positions_of_classes)
    can_shift = (
        not is_sorted_by_target and _n_stretches(T[:, 0]) >= FEWEST_SHIFTS
    )
    return Linked(
        groups=(positions * N_BLOCKS).astype(int),
        sentence="Rows that follow each other in the file are alike, in the columns and"
        " in the target",
        is_order=True,
        can_shift=can_shift,
    )


def _n_stretches(values):
    """How many independent ones so many values in order are worth.

    That is n over the time in which the autocorrelation, summed up, decays.
    """
    n = len(values)
    centred = values - values.mean()
    covariances = np.correlate(centred, centred, "full")[n:]
    autocorrelations = covariances / np.sum(centred**2)
    negative_lags = np.flatnonzero(autocorrelations < 0)
    first_negative = np.append(negative_lags, n)[0]
    decay_time = 1 + 2 * autocorrelations[:first_negative].sum()
    return n / decay_time


def _sort_keys(A):
    """Columns of A (n, d) by which rows are in order, one after the other.

    And runs (n,) of equal keys, without the last key where that leaves single rows.
    """
    runs = np.zeros(len(A), dtype=int)
    keys = []
    while len(keys) < MOST_SORT_KEYS:
        is_within_run = np.diff(runs) == 0
        steps = np.diff(A, axis=0)[is_within_run]
        rises = (steps >= 0).all(axis=0)
        falls = (steps <= 0).all(axis=0)
        varies = (steps != 0).any(axis=0)
        is_in_order = (rises | falls) & varies
        if len(steps) < FEWEST_STEPS or not is_in_order.any():
            break
        key = int(is_in_order.argmax())
        keys.append(key)
        changes = ~is_within_run | (np.diff(A[:, key]) != 0)
        finer_runs = np.append(0, np.cumsum(changes))
        if finer_runs[-1] > len(A) / 2:
            break
        runs = finer_runs
    return keys, runs


def _follow(R, runs, rng):
    """Whether rows of R (n, p) that follow each other within runs are alike."""
    R = _within(R, runs)
    lags = range(1, N_LAGS + 1)
    is_same_run = {lag: runs[lag:] == runs[:-lag] for lag in lags}

    def likeness(R):
        """The largest sum of squared covariances of a column over the lags."""
        covariances = []
        for lag in lags:
            products = (is_same_run[lag], R[lag:], R[:-lag])
            covariances.append(np.einsum("i,ij,ij->j", *products))
        return np.square(covariances).sum(axis=0).max()

    def permuted_order():
        return np.lexsort([rng.random(len(R)), runs])

    return _is_rare(likeness, R, permuted_order)


def _within(R, runs):
    """Deviations of rows R (n, p) from the means of their runs."""
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    means = np.add.reduceat(R, starts) / np.bincount(runs)[:, None]
    return R - means[runs]


def _near_duplicates(columns):
    """Rows that are linked by distances with a gap that independent rows have not.

    Rows with a missing number are not compared: what replaces it is equal in them all.
    """
    numeric_columns = []
    for column in columns.values():
        is_number = column.dtype.kind == "f"
        if is_number and len(np.unique(column)) > len(column) / 2:
            numeric_columns.append(column)
    if len(numeric_columns) < 2:
        return None
    X = np.transpose(numeric_columns)
    n = len(X)
    complete_rows = np.flatnonzero(~np.isnan(X).any(axis=1))
    X = X[complete_rows]
    if len(X) < FEWEST_STEPS:
        return None
    X /= np.maximum(X.std(axis=0), 1e-300)
    search = NearestNeighbors(n_neighbors=N_LAGS + 1).fit(X)
    D, neighbors = search.kneighbors()
    ranks_of_neighbors = np.arange(1, N_LAGS + 1)
    logs = np.log(np.maximum(D, 1e-12))
    # k m log(d_{k+1} / d_k) is exponential where rows are uniform in m dimensions.
    gaps = ranks_of_neighbors * np.diff(logs, axis=1)
    gaps *= np.log(2) / np.maximum(np.median(gaps), 1e-12)
    is_wide = gaps > -np.log(RARE_GAP)
    if np.mean(is_wide.any(axis=1)) <= LEAST_GAP_FRACTION:
        return None
    # A row with a gap is linked with its neighbours before it.
    is_linked = np.maximum.accumulate(is_wide[:, ::-1], axis=1)[:, ::-1]
    rows, places = np.nonzero(is_linked)
    linked_neighbors = neighbors[rows, places]
    pairs = complete_rows[rows], complete_rows[linked_neighbors]
    graph = coo_array((np.ones(len(rows), dtype=bool), pairs), shape=(n, n))
    n_groups, groups = connected_components(graph)
    return Linked(
        groups=groups,
        sentence=f"{n - n_groups:,} rows are nearly equal to another one",
    )


def _is_rare(statistic, A, permuted_order):
    """Whether hardly any permutation of the rows gives as large a statistic."""
    true = statistic(A)
    n_as_large = 0
    for _ in range(N_ROW_PERMUTATIONS):
        n_as_large += statistic(A[permuted_order()]) >= true
        if n_as_large > MOST_AS_LARGE:
            return False
    return True


def ranks(A):
    """Return ranks of each column of A (n, p), of mean 0 and standard deviation 1."""
    R = rankdata(A, axis=0)
    deviation = np.maximum(R.std(axis=0), 1e-12)
    return (R - R.mean(axis=0)) / deviation


def cubic(A):
    """Return the first three powers (n, 3 p) of the ranks of each column."""
    R = ranks(A)
    return np.hstack([R, R**2, R**3])


def target_columns(target):
    """Return a target as columns (n, q) that can be compared and regressed on."""
    if target.is_value:
        return cubic(target.y[:, None])
    Y = target.columns(target.y)
    return Y - Y.mean(axis=0)


def residuals(A, B):
    """Return what a regression on B (n, q) and a constant leaves of A (n, p)."""
    B = np.column_stack([np.ones(len(A)), B])
    coefficients, *_ = np.linalg.lstsq(B, A, rcond=None)
    return A - B @ coefficients
