"""Which columns are relevant: linear weights, importances, errors without a column.

Bounds on the weights and a forest's importances are compared with null levels.

All parts of a column (its categories, the indicator of missing values) are treated
together. "strongly relevant": the score of the best model grows where the column is
left out (Holm's correction over all columns). "weakly relevant": its weight in some
equivalent linear model, or its importance in a forest, is above the null level, or it
is associated with the target, but the score without it is as good. "not significant":
permuted columns are as relevant.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import delayed
from scipy.stats import t

from ..bounds.base import KINDS
from ..core import as_frame, check_option, results
from ..plots import BoundsDisplay
from ..relevance import relevance_evidence
from ..relevance.noise import column_importances, column_weights
from ..validation import (
    choice_of,
    folds,
    permutations_of,
    shifts,
    standard_error,
)
from ..validation.targets import PENALTIES

MOST_ROWS = 1000
# of columns: a linear program for each end of the bound of each, in each draw
MOST_PARTS = 50
# chance that any column of noise is found; of those that are weakly relevant shared by
# weights, forest and association
LEVEL = 0.05
TREES = 60
COLUMNS_OF_NOISE = 200  # in all draws together
MOST_ASSOCIATED = 10_000  # rows
N_ORDERS = 2000  # of the target, for the association of a column alone
# so many are left out one by one in any case: two columns may tell together
FEW_COLUMNS = 10
MOST_SHOWN = 25  # columns of a picture


@dataclass(frozen=True)
class Features:
    """Relevance of the columns of a table, compared with permuted columns.

    Attributes
    ----------
    names : list of d str
        Names of the columns.
    kinds : ndarray of shape (d,)
        "strongly relevant", "weakly relevant" or "not significant".
    weights : RelevanceEvidence
        Bounds on the L1 norm of the weights of all parts of a column.
    forest : RelevanceEvidence
        Importances in a random forest.
    not_evaluated : list of str
        Columns that this was not measured for: the others are more related to the
        target.
    without : ndarray of shape (d,)
        Cross-validated error of a model without each column, if they are few or it is
        weakly relevant; NaN for others.
    p_values : ndarray of shape (d,)
        P-values of the hypothesis that the model's score does not grow without the
        column, by Holm's correction.
    associated : ndarray of shape (d,)
        P-values of the association of each column alone, corrected in the same way.
    model : str
        Name of that model.
    """

    names: list
    kinds: np.ndarray
    weights: object
    forest: object
    not_evaluated: list
    without: np.ndarray
    p_values: np.ndarray
    associated: np.ndarray
    model: str

    @property
    def order(self):
        """Numbers of the columns (d,), the largest upper bounds first."""
        return np.argsort(-self.weights.upper, kind="stable")

    def of(self, kind):
        """Return the columns of one kind, the largest upper bounds first."""
        check_option(kind, "kind", KINDS)
        return [self.names[j] for j in self.order if self.kinds[j] == kind]

    @property
    def evidence(self):
        """Evidence for the kind of each column (d,), in words."""
        shown = {
            "error without it": self.p_values <= LEVEL,
            "linear models": self.weights.is_above,
            "forest": self.forest.is_above,
            "association": self.associated <= LEVEL / 2,
        }
        relevant = self.kinds != KINDS[2]
        return [
            ", ".join(
                name for name, some in shown.items() if some[j] & relevant[j]
            )
            for j in range(len(self.names))
        ]

    def to_frame(self):
        """Return kind, bounds, level and importance of each column as a DataFrame."""
        bounds = self.weights
        columns = {
            "relevance": self.kinds,
            "rests on": self.evidence,
            "in every equivalent linear model": bounds.lower > bounds.level,
            "lower bound": bounds.lower,
            "upper bound": bounds.upper,
            "null level": bounds.level,
            "forest importance": self.forest.upper,
            "null level of the forest": self.forest.level,
            f"error of the {self.model} without it": self.without,
            "p-value": self.p_values,
            "p-value of association": self.associated,
        }
        names = [name for kind in KINDS for name in self.of(kind)]
        return as_frame(columns, self.names, "column").loc[names]

    def plot(self):
        """Draw the largest bounds and the null levels; returns a BoundsDisplay."""
        order = self.order[:MOST_SHOWN]
        bounds = self.weights
        names = [f"{self.names[j]}: {self.kinds[j]}" for j in order]
        return BoundsDisplay(
            bounds.lower[order],
            bounds.upper[order],
            names,
            level=bounds.level[order],
        ).plot()


def which_features(
    data,
    task,
    groups,
    model=None,
    *,
    permuted="rows",
    seed=0,
    n_jobs=None,
    verbose=False,
):
    """Measure which columns of a table are relevant for its target.

    Parameters
    ----------
    data : NumericTable
        Columns as numbers, from :func:`prepare_rows`.
    task : Target
        Target, from :func:`task_of`.
    groups : ndarray of int, shape (n,)
        Rows of equal values stay on one side of each split.
    model : str, optional
        Name of the model of `task` whose score without a column is evaluated; the
        linear one by default.
    permuted : "rows", "groups" or "order", default="rows"
        How columns are permuted: whole groups where their rows depend on each other;
        "order" shifts the file, and `groups` are blocks of it.
    seed : int, default=0
        Seed of the random number generator.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show progress bars.

    Returns
    -------
    features : Features
        Relevance of up to 50 parts of columns, those most related to the target one by
        one, on at most 1,000 rows drawn at random. For wider tables they are chosen on
        one half of the rows and measured on the other.

    Examples
    --------
    >>> from toolkit.tabular import as_table, prepare_rows, task_of
    >>> X = np.random.default_rng(0).normal(size=(40, 12))
    >>> table = as_table(X, X[:, 0])
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> which_features(data, task, table.groups).of("strongly relevant")
    ['X1']
    """
    # 1. the columns, chosen on other rows than those that they have to hold on
    rows = chosen_on = task.sample(MOST_ROWS, seed)
    if data.X.shape[1] > MOST_PARTS:
        first, second = folds(task[rows], groups[rows], 2, seed)[0]
        chosen_on = rows[first]
        rows = many = rows[second]
    else:
        # the association of one column takes little time
        many = task.sample(MOST_ASSOCIATED, seed)
    part = task[rows]
    own = groups[rows]
    names, parts = [], []
    for column in _best_columns(data, task.y[chosen_on], chosen_on):
        block = data.X[rows][:, data.parents == column]
        if block.std(axis=0).any():
            names.append(data.columns[column])
            parts.append(_standardise(block))
    # 2. relevance of columns and of noise: of their cells as numbers, so that all parts
    # of a column are permuted together
    codes = np.arange(len(rows))[:, None] + len(rows) * np.arange(len(parts))
    permute = _permute(part, own, permuted, seed)
    n_repeats = int(np.clip(-(-COLUMNS_OF_NOISE // len(names)), 10, 50))
    weights, forest = (
        relevance_evidence(
            measure,
            codes,
            part.y,
            alpha=LEVEL / 4,
            n_repeats=n_repeats,
            permute=permute,
            random_state=seed,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        for measure in (
            partial(column_weights, parts=parts, penalties=PENALTIES),
            partial(column_importances, parts=parts, n_trees=TREES, seed=seed),
        )
    )
    associated = _associations(
        [_standardise(data.of(name)[many]) for name in names],
        task[many],
        groups[many],
        permuted,
        len(data.columns),
    )
    above = weights.is_above | forest.is_above | (associated <= LEVEL / 2)
    # 3. the score without each of those, or of all if they are few
    models = task.models(seed)
    model = model or next(iter(models))
    only = {model: models[model]}
    asked = np.flatnonzero(above | (len(names) <= FEW_COLUMNS))
    left_out = [[], *([names[j]] for j in asked)]
    jobs = (
        delayed(choice_of)(part, data.without(some)[rows], own, only, seed)
        for some in left_out
    )
    bar = len(left_out), "columns left out", verbose
    whole, *others = results(jobs, n_jobs, bar=bar)
    without = np.full(len(names), np.nan)
    p_values = np.ones(len(names))
    for j, one in zip(asked, others, strict=True):
        without[j] = part.error(one.losses)
        growth = one.scores - whole.scores
        ratio = growth.mean() / max(standard_error(growth, own), 1e-300)
        p_values[j] = t.sf(ratio, len(np.unique(own)) - 1)
    p_values = _holm(p_values, len(data.columns))
    kinds = np.select([p_values <= LEVEL, above], KINDS[:2], KINDS[2])
    not_evaluated = [column for column in data.columns if column not in names]
    return Features(
        names,
        kinds,
        weights,
        forest,
        not_evaluated,
        without,
        p_values,
        associated,
        model,
    )


def _permute(task, groups, permuted, seed):
    """A function that gives another order of the rows at each call."""
    rng = np.random.default_rng(seed)
    if permuted == "order":
        ways = shifts(len(groups), rng)
    else:
        ways = permutations_of(task.y, groups, permuted == "groups", rng)
    # of too few groups nothing is shown, whatever this says
    return list(ways.values() or [partial(rng.permutation, len(groups))])[-1]


def _associations(parts, task, groups, permuted, n_tests):
    """P-values (d,) of the association of all parts of a column with the target."""
    Y = task.columns(task.y).reshape(len(task.y), -1)
    Y = Y - Y.mean(axis=0)
    bases = [np.linalg.qr(part)[0] for part in parts]

    def explained(Y):
        """Sum of squares of the target that each column explains."""
        return np.array([np.sum((Q.T @ Y) ** 2) for Q in bases])

    limit = explained(Y) * (1 - 1e-9)
    permute = _permute(task, groups, permuted, 0)
    orders = (permute() for _ in range(N_ORDERS))
    as_large = sum(explained(Y[order]) >= limit for order in orders)
    return _holm((1 + as_large) / (1 + N_ORDERS), n_tests)


def _holm(p_values, n_tests):
    """P-values (d,) by Holm's correction for so many tests."""
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * (n_tests - np.arange(len(order)))
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected


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
