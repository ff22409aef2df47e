"""Which columns name persons, places or other groups whose rows are alike, or opposed?

Words name groups where rows of equal words are alike, in the target and in the other
columns. Whole numbers need more: ages and years make rows alike, too, but smoothly. All
columns are tested together at a level of 0.01 (`trials`). Words need both, rows that
are alike in the target and in the other columns: each is tested at this level, since a
word that only tells of the target names nothing. A column that is coarser than one
that is found, as schools are than classes, is tested at 0.05, on the means of the
finer values.

Rows of a group may also have different targets, as bride and groom have: a model that
is fitted to one row of such a set predicts the others' target wrongly, so that
cross-validation by rows is worse than chance.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from .dependence import cubic, residuals, target_columns
from .trials import (
    N_PERMUTATIONS,
    TEST_LEVEL,
    Key,
    Trial,
    deviations,
    group_means,
    make_trial,
    passing_trials,
)

# The level for schools where classes are found already: schools that are missed leave
# false relations.
COARSER_LEVEL = 0.05
MOST_KEYS = 30
NEIGHBOURS = "nearest neighbours"
# Sets are not searched among more rows than this.
MOST_PAIRED_ROWS = 2000


@dataclass(frozen=True, kw_only=True)
class NamedGroups:
    """Groups of rows that are alike, and the columns that name them.

    Attributes
    ----------
    key : Key
        The column: of nested ones the coarsest at which rows are alike.
    names : list of Key
        All columns that name groups, this one included.
    finer : list of str
        Columns of which each value belongs to one of these groups.
    """

    key: Key
    names: list
    finer: list


def named_groups(target, X, parents, keys, seed=0):
    """Find the columns that name groups of rows that are alike.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    X : ndarray of shape (n, p)
        All columns as numbers.
    parents : ndarray of int, shape (p,)
        Number of the table's column that each column of X comes from.
    keys : list of Key
        Columns that may name groups; the first 30 are tested.
    seed : int, default=0
        Seed of the random number generator.

    Returns
    -------
    groups : NamedGroups or None
        None if no column names groups.

    Notes
    -----
    Words are tested for rows that are alike in the target and in what the target leaves
    of the other columns; numbers for one of the two. A column whose values a finer one
    determines is tested again on the means of the finer values: the age of a person,
    the same in all of the person's rows, names nothing.

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> rng = np.random.default_rng(0)
    >>> person = np.repeat(np.arange(30), 4)
    >>> X = rng.normal(size=(30, 2))[person] + 0.5 * rng.normal(size=(120, 2))
    >>> target = as_target(rng.integers(2, size=30)[person], 120)
    >>> key = Key(name="person", values=1011.0 + person, is_number=True)
    >>> named_groups(target, X, np.arange(2), [key]).key.name
    'person'
    """
    rng = np.random.default_rng(seed)
    T = target_columns(target)
    trials = []
    for key in keys[:MOST_KEYS]:
        # Numbers of schools and of their pupils are alike by the way of counting.
        nested_parts = [other.part for other in keys if key.is_nested(other)]
        is_other = ~np.isin(parents, nested_parts)
        trial = make_trial(key, T, X[:, is_other], rng)
        # The rows that are used may be too few.
        if trial.key.is_repeated:
            trials.append(trial)
    passing = passing_trials(trials, rng)
    # The finest columns come first: they may explain coarser ones.
    passing.sort(key=lambda trial: -len(trial.full_key.levels))
    accepted = []
    for trial in passing:
        finer_keys = [finer.full_key for finer in accepted]
        if _is_alike_beyond(trial, finer_keys, rng):
            accepted.append(trial)
    if not accepted:
        return None
    strongest = max(accepted, key=lambda trial: trial.strength.min())
    coarsest = strongest.full_key
    names = []
    for trial in accepted:
        is_nested = trial.full_key.is_nested(coarsest)
        if is_nested or _is_alike_within(trial, coarsest, rng):
            names.append(trial.full_key)
    for key in names:
        if coarsest.determines(key):
            coarsest = key
    finer_names = [
        key.name
        for key in names
        if key is not coarsest and key.determines(coarsest)
    ]
    return NamedGroups(key=coarsest, names=names, finer=finer_names)


def _is_alike_beyond(trial, finer_keys, rng):
    """Whether rows of a value are alike beyond those of finer columns' values.

    `finer_keys` are keys at all rows, the finest first.
    """
    determining_keys = []
    for key in finer_keys:
        is_finer = len(key.levels) > len(trial.full_key.levels)
        if is_finer and key.determines(trial.full_key):
            determining_keys.append(key)
    if not determining_keys:
        return True
    groups = determining_keys[-1].groups[trial.rows]
    _, first_rows, units = np.unique(
        groups, return_index=True, return_inverse=True
    )
    if not trial.key.at(first_rows).is_repeated:
        return False
    trial_of_means = Trial(
        full_key=trial.full_key,
        rows=trial.rows[first_rows],
        A=group_means(trial.A, units),
        n_targets=trial.n_targets,
    )
    return bool(passing_trials([trial_of_means], rng, COARSER_LEVEL))


def _is_alike_within(trial, key, rng):
    """Whether rows of a value are alike beyond those of another key's groups.

    The time of a patient's death, the same in the patient's rows, names nothing.
    """
    groups = key.groups[trial.rows]
    units = np.unique(groups, return_inverse=True)[1]
    smooth = cubic(trial.key.values[:, None])
    A = residuals(deviations(trial.A, units), deviations(smooth, units))
    trial_within_groups = Trial(
        full_key=trial.full_key,
        rows=trial.rows,
        A=A,
        n_targets=trial.n_targets,
        blocks=units,
        exchanged=A,
    )
    return bool(passing_trials([trial_within_groups], rng))


def opposed_sets(target, X, keys, seed=0):
    """Find the sets of rows within which targets differ more than by chance.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    X : ndarray of shape (n, p)
        All columns as numbers, for the nearest neighbour of each row.
    keys : list of Key
        Columns whose values may name sets.
    seed : int, default=0
        Seed of the random number generator.

    Returns
    -------
    name : str
        Name of the column, "nearest neighbours", or "" if there are no such sets.

    Notes
    -----
    The statistic is the sum of squares of the target between sets, or the sum of
    products with the target of the nearest neighbour. All are tested together at a
    level of 0.01, by the minimum of the standardised statistics over permutations of
    the target.

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> couple = Key(name="couple", values=np.arange(40.0) // 2, is_number=True)
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> opposed_sets(as_target(np.arange(40) % 2, 40), X, [couple])
    'couple'
    """
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(X))[:MOST_PAIRED_ROWS])
    T = target_columns(target[rows])
    matrices = [_scaled_sums(key.at(rows)) for key in keys]
    search = NearestNeighbors(n_neighbors=1).fit(X[rows])
    nearest = search.kneighbors(return_distance=False)[:, 0]

    def statistics(T):
        """Sum of squares between the sets of each key, and that of neighbours."""
        squares = [np.sum((matrix @ T) ** 2) for matrix in matrices]
        product_with_nearest = np.sum(T * T[nearest])
        return np.array([*squares, product_with_nearest])

    permuted = []
    for _ in range(N_PERMUTATIONS):
        order = rng.permutation(len(T))
        permuted.append(statistics(T[order]))
    permuted = np.array(permuted)
    centre = permuted.mean(axis=0)
    scale = np.maximum(permuted.std(axis=0), 1e-9)
    minima = ((permuted - centre) / scale).min(axis=1)
    true = (statistics(T) - centre) / scale
    strongest = true.argmin()
    n_below = np.sum(minima <= true[strongest])
    p_value = (1 + n_below) / (1 + N_PERMUTATIONS)
    if p_value > TEST_LEVEL:
        return ""
    names = [key.name for key in keys]
    return [*names, NEIGHBOURS][strongest]


def _scaled_sums(key):
    """The matrix (n_values, n) that sums rows of each value, over the root of n."""
    rows = np.flatnonzero(key.codes >= 0)
    codes = key.codes[rows]
    scale = 1 / np.sqrt(np.bincount(codes))
    shape = len(scale), len(key.codes)
    return csr_array((scale[codes], (codes, rows)), shape=shape)
