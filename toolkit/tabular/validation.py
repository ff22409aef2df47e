"""Rows held out, and errors of simple models by cross-validation.

Samples that belong together (a repeated id, equal rows, a group) stay on one side of
every split. Errors are compared with chance and with those of permuted targets.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..core.arrays import as_frame
from ..core.progress import results
from ..plots.inputs import is_continuous
from .rows import correlations

FITTED = 2 / 3


def split(strata, groups, most, seed, held_out=0.25, is_test=None):
    """Rows to fit, and rows held out of the fit.

    Parameters
    ----------
    strata : ndarray of shape (n,) or None
        Classes whose shares both parts keep.
    groups : ndarray of int, shape (n,)
    most : int
        Largest number of rows to fit; the others count as held out, too.
    seed : int
    held_out : float, default=0.25
        Least fraction of the groups kept out.
    is_test : ndarray of bool, shape (n,), optional
        Rows kept out by the user; then no others are.

    Returns
    -------
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Sorted; a row whose group was fitted is in neither.

    Examples
    --------
    >>> sides = split(None, np.array([0, 0, 1, 2, 3, 4, 5, 6]), 100, 0)
    >>> sum(map(len, sides)), [0 in rows and 1 in rows for rows in sides]
    (8, [True, False])
    """
    fits = np.ones(len(groups), dtype=bool) if is_test is None else ~is_test
    allowed = np.flatnonzero(fits)
    # one row of each group is drawn, the others follow it
    _, first = np.unique(groups[allowed], return_index=True)
    chosen = first = allowed[np.sort(first)]
    n_groups = len(first)
    size = n_groups
    if is_test is None:
        size = max(1, int(n_groups * (1 - held_out)))
    size = min(most, size)
    if size < n_groups:
        if strata is not None:
            # where each has two rows or more and there are fewer of them than rows on
            # either side
            strata = strata[first]
            counts = np.unique(strata, return_counts=True)[1]
            if counts.min() < 2 or len(counts) > min(size, n_groups - size):
                strata = None
        chosen, _ = train_test_split(
            first, train_size=size, random_state=seed, stratify=strata
        )
    if size != most:
        chosen = allowed[np.isin(groups[allowed], groups[chosen])]
    fitted = np.sort(chosen)
    others = ~fits | (is_test is None)
    return fitted, np.flatnonzero(~np.isin(groups, groups[fitted]) & others)


def folds(strata, groups, n_splits, seed):
    """Training and test rows of each fold, as :func:`split`.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
    """
    _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
    kind = KFold
    if strata is not None:
        strata = strata[first]
        if np.unique(strata, return_counts=True)[1].max() >= n_splits:
            kind = StratifiedKFold
    splitter = kind(n_splits, shuffle=True, random_state=seed)
    # of a class with fewer groups than folds: it is in no fit of some
    with warnings.catch_warnings(action="ignore"):
        splits = list(splitter.split(first, strata))
    return [
        tuple(np.flatnonzero(np.isin(codes, side)) for side in sides)
        for sides in splits
    ]


def check_sides(table, fitted, held_out, is_test=None):
    """Refuse a split of a table that leaves nothing to hold out, or one class to fit.

    What is lost is noted in the table.

    Parameters
    ----------
    table : Table
    fitted, held_out, is_test : as :func:`split` takes and gives them
    """
    if is_test is not None:
        if not len(held_out):
            raise ValueError(
                "`test` must have rows with a target whose id, group and features are"
                " not those of rows of `data`; none is left. Give rows that are new, or"
                " leave `test` out."
            )
        if lost := int(is_test.sum()) - len(held_out):
            table.notes.append(
                f"{lost:,} of the rows of the test have the id, group or features of"
                " others: left out."
            )
    if len(np.unique(table.groups[fitted])) < 2:
        raise ValueError(
            "`data` must have two groups of rows or more to be fitted; got one. Rows of"
            " one group, id or of equal features stay together: leave out `groups` or"
            " `id`, or add columns or rows."
        )
    if table.task == "classes" and len(np.unique(table.y[fitted])) < 2:
        raise ValueError(
            "`data` must have two classes or more among the rows to be fitted; got one."
            " Rows of one group, id or of equal features stay together: leave out"
            " `groups` or `id`, or add rows of the other classes."
        )


def fitted_rows(y, most=None, random_state=0):
    """Which samples a map is fitted to (n,): two thirds of each class, at least one.

    Parameters
    ----------
    y : ndarray of shape (n,) or (n, l)
        Classes or values, or 0/1 labels, where the rarest label of each sample counts.
    most : int, optional
        `most` of all about; more only where there are more classes.
    random_state : int, default=0

    Returns
    -------
    ndarray of bool, shape (n,)
        Sample 0 is among them, so that "fitted" is the side named first.

    Examples
    --------
    >>> int(fitted_rows(np.repeat([0, 1], [30, 3])).sum())
    22
    """
    y = np.asarray(y)
    n = len(y)
    order = np.random.default_rng(random_state).permutation(n)
    order = np.append(0, order[order != 0])
    if y.ndim == 2:
        y = np.where(y > 0, y.sum(axis=0), np.inf).argmin(axis=1)
    elif is_continuous(y):
        y = np.zeros(n)
    part = FITTED if most is None else min(FITTED, most / n)
    fitted = np.zeros(n, dtype=bool)
    for label in np.unique(y):
        members = order[y[order] == label]
        fitted[members[: int(np.ceil(part * len(members)))]] = True
    return fitted


# ---- errors ----

FEWEST = 5  # rows with a label, for a column to be suspected to contain it
# with the true target one of 20: at the lowest error of all, a level of 5 %
PERMUTATIONS = 19
MAX_ROWS = 1000
# that are asked one by one whether they predict the target alone
MAX_COLUMNS = 500
# fraction of the error of chance; a column that leaves less is suspected to contain the
# target
LEAK = 0.05


@dataclass(frozen=True)
class Separation:
    """Errors of models that predict the target.

    Attributes
    ----------
    errors, standard_errors : dict of str to float
        By model; cross-validated.
    permuted : ndarray of shape (n_permutations, n_models)
        The same with permuted targets.
    chance : float
        Error of the best answer that does not look at the features.
    without_leaks : dict of str to float
        Errors without the columns of `leaks`; empty where there are none.
    leaks : dict of str to float
        Columns that predict the target alone, and the error of each: as `find_leaks`
        gives them, or one that does as well as all together, where the others do
        clearly worse.
    n_rows : int
        Samples that this was measured on.
    task : Task
    """

    errors: dict
    standard_errors: dict
    permuted: np.ndarray
    chance: float
    without_leaks: dict
    leaks: dict
    n_rows: int
    task: object

    @property
    def best(self):
        """Name of the model with the smallest error."""
        return min(self.errors, key=self.errors.get)

    @property
    def noise(self):
        """The smallest error that a model reached with permuted targets."""
        return float(self.permuted.min())

    @property
    def is_signal(self):
        """Whether the best error is below chance and all with permuted targets."""
        return self.errors[self.best] < min(self.noise, self.chance)

    def to_frame(self):
        """A pandas DataFrame: one row for each model."""
        columns = {
            "error": self.errors,
            "± standard error": self.standard_errors,
            "chance": self.chance,
            "best of permuted targets": self.permuted.min(axis=0),
        }
        if self.without_leaks:
            columns["error without suspected columns"] = self.without_leaks
        return as_frame(columns, list(self.errors))


def separation(
    data,
    task,
    groups,
    leaks=None,
    *,
    n_permutations=PERMUTATIONS,
    seed=0,
    n_jobs=None,
    verbose=False,
):
    """Measure errors of simple models by cross-validation.

    Parameters
    ----------
    data : NumericTable, as :func:`prepare_rows` gives it
    task : Task, as :func:`task_of` gives it
    groups : ndarray of int, shape (n,)
        Rows that stay on one side of each split.
    leaks : dict of str to float, optional
        Columns that predict the target alone, and their error.
    n_permutations : int, default=19
        How often the target is permuted.
    seed, n_jobs, verbose : as everywhere

    Returns
    -------
    Separation
        Of at most 1,000 rows, drawn at random.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import as_table, prepare_rows, split, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> found = separation(data, task, table.groups, n_permutations=1)
    >>> found.best, found.is_signal
    ('linear model', True)
    """
    rng = np.random.default_rng(seed)
    rows = task.sample(MAX_ROWS, seed)
    groups = groups[rows]
    part = task.of(task.y[rows])
    models = task.models(seed)

    def errors_of(X, targets):
        """Error and standard error of each model for each target."""
        jobs = [
            delayed(_error)(part, model, X, y, groups, seed)
            for y in targets
            for model in models.values()
        ]
        found = results(jobs, n_jobs, bar=([1] * len(jobs), "models", verbose))
        return np.reshape(list(found), (len(targets), len(models), 2))

    # 1. the true target, and permuted ones
    permuted = [
        part.y[rng.permutation(len(rows))] for _ in range(n_permutations)
    ]
    found = errors_of(data.X[rows], [part.y, *permuted])
    errors, deviations = (
        dict(zip(models, column, strict=True)) for column in found[0].T.tolist()
    )
    best = min(errors, key=errors.get)
    chance = part.chance()
    # 2. one column that does as well as all together
    suspects = leaks or {}
    if not leaks and part.y.ndim == 1 and errors[best] < chance:
        most = errors[best] + deviations[best]
        alone = _single_column_errors(data, part, rows, groups, seed)
        suspects = {
            name: error for name, error in alone.items() if error <= most
        }
        if len(suspects) > 1:
            suspects = {}
    # 3. the errors without it
    rest = {}
    if suspects and (without := data.without(suspects)[rows]).shape[1]:
        found_rest = errors_of(without, [part.y])[0, :, 0].tolist()
        rest = dict(zip(models, found_rest, strict=True))
    least = min(rest.values(), default=0)
    if not leaks and least <= errors[best] + 2 * deviations[best]:
        suspects = rest = {}
    return Separation(
        errors,
        deviations,
        found[1:, :, 0],
        chance,
        rest,
        suspects,
        len(rows),
        task,
    )


def find_leaks(data, task, groups, seed=0):
    """Columns that predict the target alone nearly without error, and that error.

    Parameters
    ----------
    data, task, groups, seed : as for :func:`separation`

    Returns
    -------
    dict of str to float
        A column is named where a small decision tree on it leaves less than a twentieth
        of the error of chance (of a real value, of its square); of several labels,
        where it follows one of them with a correlation above .95. It may contain the
        target, or be known only after it.
    """
    rows = task.sample(MAX_ROWS, seed, labelled=False)
    part = task.of(task.y[rows])
    if part.y.ndim == 2:
        strength = correlations(data.X[rows], part.y.astype(float))
        strength *= part.y.sum(axis=0) >= FEWEST
        return {
            data.columns[data.parents[j]]: max(
                0.0, 1 - float(strength[j, label])
            )
            for j, label in np.argwhere(strength > 0.95)
        }
    limit = np.sqrt(LEAK) if task.is_value else LEAK * part.chance()
    alone = _single_column_errors(data, part, rows, groups[rows], seed)
    return {column: error for column, error in alone.items() if error < limit}


def _single_column_errors(data, part, rows, groups, seed):
    """Error of a small decision tree on each column alone.

    Of many columns on those that are most related to the target.
    """
    options = {"min_samples_leaf": 2, "random_state": seed}
    tree = DecisionTreeRegressor(max_leaf_nodes=100, **options)
    if not part.is_value:
        leaves = 2 * len(np.unique(part.y))
        tree = DecisionTreeClassifier(max_leaf_nodes=leaves, **options)
    columns = data.columns
    if len(columns) > MAX_COLUMNS:
        related = data.relatedness(part.y, rows).argsort()[-MAX_COLUMNS:]
        columns = [columns[j] for j in np.sort(related)]
    return {
        column: _error(part, tree, data.of(column)[rows], part.y, groups, seed)[
            0
        ]
        for column in columns
    }


def _error(task, model, X, y, groups, seed):
    return task.error(y, task.predictions(clone(model), X, y, groups, seed))
