"""Rows held out, and errors of simple models by cross-validation, beside chance and beside permuted targets.

Samples that belong together (a repeated id, equal rows, a group) stay on one side of every split.
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

FITTED = 2 / 3


def split(strata, groups, most, seed, held_out=0.25, is_test=None):
    """Rows to fit, and rows held out of the fit.

    Parameters
    ----------
    strata : ndarray of shape (n,), classes whose shares both parts keep, or None
    groups : ndarray of int, shape (n,)
    most : int, largest number of rows to fit; the others count as held out, too
    seed : int
    held_out : float, least fraction of the groups kept out
    is_test : ndarray of bool, shape (n,), optional, rows kept out by the user; then no others are

    Returns
    -------
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Sorted; a row whose group was fitted is in neither.

    Examples
    --------
    >>> fitted, held_out = split(None, np.array([0, 0, 1, 2, 3, 4, 5, 6]), 100, 0)
    >>> len(fitted) + len(held_out), bool(np.isin([0, 1], fitted).all() or np.isin([0, 1], held_out).all())
    (8, True)
    """
    given = np.zeros(len(groups), dtype=bool) if is_test is None else is_test
    allowed = np.flatnonzero(~given)
    _, first = np.unique(groups[allowed], return_index=True)
    chosen = first = allowed[np.sort(first)]
    size = min(
        most, len(first) if is_test is not None else int(len(first) * (1 - held_out))
    )
    if size < len(first):
        # where each has two rows or more and there are fewer of them than rows on
        # either side
        if strata is not None:
            strata, counts = (
                strata[first],
                np.unique(strata[first], return_counts=True)[1],
            )
            strata = (
                strata
                if counts.min() > 1 and len(counts) <= min(size, len(first) - size)
                else None
            )
        chosen, _ = train_test_split(
            first, train_size=size, random_state=seed, stratify=strata
        )
    fitted = np.sort(
        chosen if size == most else allowed[np.isin(groups[allowed], groups[chosen])]
    )
    return fitted, np.flatnonzero(
        ~np.isin(groups, groups[fitted]) & (given | (is_test is None))
    )


def folds(strata, groups, n_splits, seed):
    """Training and test rows of each fold, as :func:`split`.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
    """
    _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
    strata = None if strata is None else strata[first]
    few = strata is None or np.unique(strata, return_counts=True)[1].max() < n_splits
    kind = KFold if few else StratifiedKFold
    # of a class with fewer groups than folds: it is in no fit of some
    with warnings.catch_warnings(action="ignore"):
        splits = list(
            kind(n_splits, shuffle=True, random_state=seed).split(first, strata)
        )
    return [
        (np.flatnonzero(np.isin(codes, train)), np.flatnonzero(np.isin(codes, test)))
        for train, test in splits
    ]


def check_groups(groups):
    """Refuse a table of fewer groups of rows, ndarray of int (n,), than a fit, its folds and what is held out need."""
    if (n_groups := len(np.unique(groups))) < 3:
        raise ValueError(
            f"`data` must have at least 3 groups of rows; got {n_groups}. Rows of one"
            " group, id or of equal features stay together: leave out `groups` or"
            " `id`, or add columns or rows."
        )


def check_sides(table, fitted, held_out, is_test=None):
    """Refuse a split of a table that leaves nothing to hold out, or one class to fit; what is lost is noted there.

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
            "`data` must have two groups of rows or more that are not in `test`; got"
            " one. Add rows."
        )
    if table.task == "classes" and len(np.unique(table.y[fitted])) < 2:
        raise ValueError(
            "`data` must have two classes or more among the rows to be fitted; got one."
            " Rows of one group, id or of equal features stay together: leave out"
            " `groups` or `id`, or add rows of the other classes."
        )


def fitted_rows(y, most=None, random_state=0):
    """Which samples a map is fitted to (n,): two thirds of each class and at least one, `most` of all about.

    Parameters
    ----------
    y : ndarray of shape (n,) classes or values, or (n, l) 0/1 labels, where the rarest label of each sample counts
    most : int, optional, more only where there are more classes
    random_state : int

    Returns
    -------
    ndarray of bool, shape (n,)
        Sample 0 is among them, so that "fitted" is the side named first.

    Examples
    --------
    >>> int(fitted_rows(np.repeat([0, 1], [30, 3])).sum())
    22
    """
    y, order = np.asarray(y), np.random.default_rng(random_state).permutation(len(y))
    order = np.append(0, order[order != 0])
    if y.ndim == 2:
        y = np.where(y > 0, y.sum(axis=0), np.inf).argmin(axis=1)
    elif is_continuous(y):
        y = np.zeros(len(y))
    part = FITTED if most is None else min(FITTED, most / len(y))
    fitted = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        members = order[y[order] == label]
        fitted[members[: int(np.ceil(part * len(members)))]] = True
    return fitted


# ---- errors ----

FEWEST = 5  # rows with a label, for a column to be suspected to contain it
# with the true target one of 20: at the lowest error of all, a level of 5 %
PERMUTATIONS = 19
MAX_ROWS = 1000
MAX_COLUMNS = 500  # that are asked one by one whether they predict the target alone
# fraction of the error of chance; a column that leaves less is suspected to contain the
# target
LEAK = 0.05


@dataclass(frozen=True)
class Separation:
    """Errors of models that predict the target.

    Attributes
    ----------
    errors, standard_errors : dict of str to float, by model; cross-validated
    permuted : ndarray of shape (n_permutations, n_models), the same with permuted targets
    chance : float, error of the best answer that does not look at the features
    without_leaks : dict of str to float, errors without the columns of `leaks`; empty where there are none
    leaks : dict of str to float
        Columns that predict the target alone, and the error of each: as `find_leaks`
        gives them, or one that does as well as all together, where the others do
        clearly worse.
    n_rows : int, samples that this was measured on
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
        """The smallest error that a model reached with permuted targets, the best of all permutations."""
        return float(self.permuted.min())

    @property
    def is_signal(self):
        """Whether the best model does better than with any permuted target, and better than chance."""
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
    groups : ndarray of int, shape (n,), rows that stay on one side of each split
    leaks : dict of str to float, optional, columns that predict the target alone, and their error
    n_permutations : int, how often the target is permuted
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
    >>> data, task = prepare_rows(table.features, table.kinds), task_of(table.task, table.y, table.label_names)
    >>> found = separation(data, task, table.groups, n_permutations=1)
    >>> found.best, found.is_signal
    ('linear model', True)
    """
    rng = np.random.default_rng(seed)
    rows = task.sample(MAX_ROWS, seed)
    groups = groups[rows]
    part = task.of(task.y[rows])
    models = task.models(seed)
    targets = [part.y] + [
        part.y[rng.permutation(len(rows))] for _ in range(n_permutations)
    ]

    def errors_of(X, targets):
        """Error and standard error of each model for each target, (targets, models, 2)."""
        jobs = [
            delayed(_error)(part, model, X, y, groups, seed)
            for y in targets
            for model in models.values()
        ]
        found = results(jobs, n_jobs, bar=([1] * len(jobs), "models", verbose))
        return np.reshape(list(found), (len(targets), len(models), 2))

    found = errors_of(data.X[rows], targets)
    errors, standard = (
        dict(zip(models, column, strict=True)) for column in found[0].T.tolist()
    )
    best = min(errors, key=errors.get)
    chance = part.chance()
    suspected, rest = leaks or {}, {}
    if (
        not leaks
        and len(data.columns) > 1
        and part.y.ndim == 1
        and errors[best] < chance
    ):
        alone = _single_column_errors(data, part, rows, groups, seed)
        near = {
            column: error
            for column, error in alone.items()
            if error <= errors[best] + standard[best]
        }
        if len(near) == 1:
            suspected = near
    if suspected and (without := data.without(suspected)[rows]).shape[1]:
        rest = dict(
            zip(models, errors_of(without, [part.y])[0, :, 0].tolist(), strict=True)
        )
    if not leaks and min(rest.values(), default=0) <= errors[best] + 2 * standard[best]:
        suspected, rest = {}, {}
    return Separation(
        errors, standard, found[1:, :, 0], chance, rest, suspected, len(rows), task
    )


def find_leaks(data, task, groups, seed=0):
    """Columns of which one alone predicts the target nearly without error, and that error.

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
        strength = _correlations(data.X[rows], part.y.astype(float)) * (
            part.y.sum(axis=0) >= FEWEST
        )
        told = np.argwhere(strength > 0.95).tolist()
        return {
            data.columns[data.parents[j]]: max(0.0, 1 - float(strength[j, label]))
            for j, label in told
        }
    limit = np.sqrt(LEAK) if task.is_value else LEAK * part.chance()
    alone = _single_column_errors(data, part, rows, groups[rows], seed)
    return {column: error for column, error in alone.items() if error < limit}


def _single_column_errors(data, part, rows, groups, seed):
    """Error of a small decision tree on each column alone; of many columns on those that go best with the target."""
    y = part.y
    columns = data.columns
    options = {"min_samples_leaf": 2, "random_state": seed}
    if part.is_value:
        tree = DecisionTreeRegressor(max_leaf_nodes=100, **options)
    else:
        tree = DecisionTreeClassifier(max_leaf_nodes=2 * len(np.unique(y)), **options)
    if len(columns) > MAX_COLUMNS:
        related = most_related(data, data.X[rows], y).argsort()[-MAX_COLUMNS:]
        columns = [columns[j] for j in np.sort(related)]
    return {
        column: _error(part, tree, data.of(column)[rows], y, groups, seed)[0]
        for column in columns
    }


def most_related(data, X, y):
    """Largest correlation (d,) of any part of each column with the target, one of its classes or of its labels."""
    Y = (
        y[:, None] == np.unique(y)
        if y.dtype.kind not in "fiu"
        else np.atleast_2d(y.T).T
    )
    strength = np.zeros(len(data.columns))
    np.maximum.at(strength, data.parents, _correlations(X, Y.astype(float)).max(axis=1))
    return strength


def _error(task, model, X, y, groups, seed):
    return task.error(y, task.predictions(clone(model), X, y, groups, seed))


def _correlations(X, Y):
    """Absolute correlations (p, l), 0 where one of the two is constant."""
    A, B = X - X.mean(axis=0), Y - Y.mean(axis=0)
    lengths = np.outer(np.linalg.norm(A, axis=0), np.linalg.norm(B, axis=0))
    return np.abs(A.T @ B) / np.where(lengths > 0, lengths, np.inf)
