"""Which columns matter: weights of linear models, importances, errors without a column.

Bounds on the weights and a forest's importances are compared with those of noise.

All parts of a column (its categories, the mark of missing values) count together.
"needed": every equivalent linear model gives the column more weight than noise gets, or
the error grows by more than two standard errors where it is left out; "replaceable":
above noise in some of these models or in a forest, but not missed; "no evidence":
columns that cannot know the target reach as much.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import delayed
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import RidgeClassifierCV, RidgeCV

from ..bounds import group_bounds
from ..core.arrays import as_frame
from ..core.linalg import RANK_TOLERANCE
from ..core.progress import results
from ..plots import BoundsDisplay
from ..relevance import relevance_evidence
from .embedders import PENALTIES
from .validation import folds

MOST_ROWS = 1000
# of columns: a linear program for each end of the bound of each, in each draw
MOST_PARTS = 50
# chance that any column of noise is found, shared by weights and forest
LEVEL = 0.05
TREES = 60
COLUMNS_OF_NOISE = 200  # in all draws together
MOST_MAPPINGS = 2  # of a linear model of classes
# one of so many directions, those of least variance, is not held against equivalence
GIVEN_UP = 6
MOST_SHOWN = 25  # columns of a picture
KINDS = ("needed", "replaceable", "no evidence")


@dataclass(frozen=True)
class Features:
    """Relevance of the columns of a table beside noise.

    Attributes
    ----------
    names : list of d str
    kinds : ndarray of shape (d,)
        "needed", "replaceable" or "no evidence".
    weights : RelevanceEvidence
        Bounds on the L1 norm of the weights of all parts of a column.
    forest : RelevanceEvidence
        Importances in a random forest.
    not_asked : list of str
        Columns that this was not measured for: the others are more related to the
        target.
    without : ndarray of shape (d,)
        Cross-validated error of a model without each column above noise; NaN of others.
    model : str, that model
    """

    names: list
    kinds: np.ndarray
    weights: object
    forest: object
    not_asked: list
    without: np.ndarray
    model: str

    @property
    def order(self):
        """Numbers of the columns (d,), the largest upper bounds first."""
        return np.argsort(-self.weights.upper, kind="stable")

    def of(self, kind):
        """Names of the columns of one kind, the largest upper bounds first."""
        return [self.names[j] for j in self.order if self.kinds[j] == kind]

    def to_frame(self):
        """A pandas DataFrame: kind, bounds, level and importance of each column."""
        columns = {
            "kind": self.kinds,
            "least weight": self.weights.lower,
            "largest weight": self.weights.upper,
            "noise reaches": self.weights.level,
            "importance in a forest": self.forest.upper,
            "noise reaches there": self.forest.level,
            f"error of the {self.model} without it": self.without,
        }
        order = [
            j for kind in KINDS for j in self.order if self.kinds[j] == kind
        ]
        return as_frame(columns, self.names, "column").iloc[order]

    def plot(self):
        """The largest bounds and the level of noise; returns a BoundsDisplay."""
        order = self.order[:MOST_SHOWN]
        bounds = self.weights
        names = [f"{self.names[j]}: {self.kinds[j]}" for j in order]
        display = BoundsDisplay(
            bounds.lower[order],
            bounds.upper[order],
            names,
            level=bounds.level[order],
        )
        return display.plot()


def which_features(
    data, task, groups, model=None, *, seed=0, n_jobs=None, verbose=False
):
    """Measure which columns of a table matter for its target.

    Parameters
    ----------
    data : NumericTable, as :func:`prepare_rows` gives it
    task : Task, as :func:`task_of` gives it
    groups : ndarray of int, shape (n,)
        Rows that stay on one side of each split.
    model : str, optional
        Name of the model of `task` whose error without a column counts; the linear one
        by default.
    seed, n_jobs, verbose : as everywhere

    Returns
    -------
    Features
        Of at most 1,000 rows, drawn at random, and of the columns that go best with the
        target, one by one, up to 50 parts: of wider tables they are chosen on one half
        of the rows and measured on the other.

    Examples
    --------
    >>> from toolkit.tabular import as_table, prepare_rows, task_of
    >>> X = np.random.default_rng(0).normal(size=(40, 12))
    >>> table = as_table(X, X[:, 0])
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> which_features(data, task, table.groups).of("needed")
    ['X1']
    """
    # 1. the columns, chosen on other rows than those that they have to hold on
    rows = chosen_on = task.sample(MOST_ROWS, seed)
    if data.X.shape[1] > MOST_PARTS:
        strata = None if task.strata() is None else task.y[rows]
        first, second = folds(strata, groups[rows], 2, seed)[0]
        chosen_on = rows[first]
        rows = rows[second]
    part = task.of(task.y[rows])
    names, parts = [], []
    for column in _best_columns(data, task.y[chosen_on], chosen_on):
        block = data.X[rows][:, data.parents == column]
        if block.std(axis=0).any():
            names.append(data.columns[column])
            parts.append(_standardise(block))
    # 2. relevance of columns and of noise: of their cells as numbers, so that all parts
    # of a column are permuted together
    codes = np.arange(len(rows))[:, None] + len(rows) * np.arange(len(parts))
    n_draws = int(np.clip(-(-COLUMNS_OF_NOISE // len(names)), 10, 50))
    weights, forest = (
        relevance_evidence(
            partial(measure, parts=parts, seed=seed),
            codes,
            part.y,
            alpha=LEVEL / 2,
            n_draws=n_draws,
            random_state=seed,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        for measure in (_weights, _importances)
    )
    kinds = weights.kinds().astype(object)
    kinds[(kinds == "no evidence") & (forest.kinds() == "evidence")] = (
        "replaceable"
    )
    # 3. the error without each of those above noise
    models = task.models(seed)
    model = model or next(iter(models))
    relevant = np.flatnonzero(kinds != "no evidence")
    jobs = (
        delayed(_losses)(
            part,
            models[model],
            data.without(left_out)[rows],
            groups[rows],
            seed,
        )
        for left_out in [[], *([names[j]] for j in relevant)]
    )
    whole, *losses = results(jobs, n_jobs)
    without = np.full(len(names), np.nan)
    for j, loss in zip(relevant, losses, strict=True):
        without[j], _ = part.from_losses(loss, part.y)
        more = loss - whole
        if more.mean() > 2 * more.std() / np.sqrt(len(more)) > 0:
            kinds[j] = "needed"
    not_asked = [column for column in data.columns if column not in names]
    return Features(names, kinds, weights, forest, not_asked, without, model)


def _losses(task, model, X, groups, seed):
    """Losses of each row, cross-validated; without any column those of chance."""
    X = X if X.shape[1] else np.zeros((len(X), 1))
    return task.losses(task.y, task.predictions(model, X, task.y, groups, seed))


def _best_columns(data, y, rows):
    """Numbers of the columns most related to the target, up to so many parts."""
    varies = data.X[rows].std(axis=0) > 0
    parts = np.bincount(data.parents[varies], minlength=len(data.columns))
    best = np.argsort(-data.relatedness(y, rows), kind="stable")
    best = best[parts[best] > 0]
    few = np.cumsum(parts[best]) <= MOST_PARTS
    few[:1] = True
    return np.sort(best[few])


def _standardise(part):
    """The parts (n, q) of a column, each of mean 0 and standard deviation 1."""
    part = part[:, part.std(axis=0) > 0]
    # categories: that of most rows says no more
    if part.shape[1] > 1 and np.ptp(part.sum(axis=1)) < 1e-9:
        part = np.delete(part, part.mean(axis=0).argmax(), axis=1)
    return (part - part.mean(axis=0)) / part.std(axis=0)


def _design_matrix(cells, parts):
    """The design matrix of cells, which are numbers of rows of `parts`.

    And which of the parts its columns are from.
    """
    cells = cells.astype(int)
    n = len(parts[0])
    blocks = [parts[column[0] // n][column % n] for column in cells.T]
    sizes = [block.shape[1] for block in blocks]
    return np.hstack(blocks), np.repeat(np.arange(len(blocks)), sizes)


def _weights(cells, y, parts, seed):
    """Bounds (2, d) on the weights of each column in a ridge regression.

    The largest of all its mappings.
    """
    X, of = _design_matrix(cells, parts)
    model = (
        RidgeCV(PENALTIES)
        if y.dtype.kind == "f"
        else RidgeClassifierCV(PENALTIES)
    )
    mappings = np.atleast_2d(model.fit(X, y).coef_)
    # the directions along which the classes differ most
    if len(mappings) > MOST_MAPPINGS:
        _, sizes, directions = np.linalg.svd(mappings, full_matrices=False)
        mappings = (sizes[:, None] * directions)[:MOST_MAPPINGS]
    sizes = np.linalg.svd(X, compute_uv=False)
    rank = int((sizes > RANK_TOLERANCE * sizes[0]).sum())
    null_space = X.shape[1] - rank + rank // GIVEN_UP
    return np.max(
        [[*group_bounds(w, X, of, null_space)] for w in mappings], axis=0
    )


def _importances(cells, y, parts, seed):
    """Importance (d,) of each column in a random forest."""
    X, of = _design_matrix(cells, parts)
    forest = (
        RandomForestRegressor if y.dtype.kind == "f" else RandomForestClassifier
    )
    forest = forest(TREES, max_features="sqrt", random_state=seed).fit(X, y)
    return np.bincount(of, forest.feature_importances_)
