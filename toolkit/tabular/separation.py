"""Is there anything to see? Cross-validated errors of simple models, beside chance and beside permuted targets."""

from dataclasses import dataclass

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..core.arrays import as_frame
from ..core.progress import results

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
    data : Prepared, as :func:`prepared` gives it
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
    >>> from toolkit.tabular import as_table, prepared, split, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data, task = prepared(table.features, table.kinds), task_of(table.task, table.y, table.label_names)
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
        alone = _alone(data, part, rows, groups, seed)
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
    alone = _alone(data, part, rows, groups[rows], seed)
    return {column: error for column, error in alone.items() if error < limit}


def _alone(data, part, rows, groups, seed):
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
