"""Which columns are relevant: linear weights, importances, errors of permuted columns.

Bounds on the weights and a forest's importances are compared with null levels.

All parts of a column (its categories, the indicator of missing values) are treated
together. "strongly relevant": the score of the best model, fitted anew, grows where the
column is replaced by permuted copies of itself (Holm's correction over all columns). It
is not compared with its absence: a forest of one column overfits, and gains from any
second one (Mentch and Zhou, 2022). What the other columns predict of a column stays in
its copies, so that one that only repeats others is not called relevant. "weakly
relevant": its weight in some equivalent linear model, or its importance in a forest, is
above the null level, or it is associated with the target, but copies do as well. "not
significant": permuted columns are as relevant.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import delayed
from scipy.stats import t
from sklearn.linear_model import RidgeCV

from ..bounds.base import KINDS
from ..core import as_frame, check_option, results
from ..plots import EvidenceDisplay
from ..relevance import relevance_evidence
from ..relevance.noise import column_importances, column_weights, refit
from ..validation import folds, permutations_of, shifts, standard_error
from ..validation.choice import N_REPEATS
from ..validation.intervals import WIDER
from ..validation.models import RIDGE_PENALTIES
from .raw_model import RawModel, model_name

MOST_ROWS = 1000
# of columns: a linear program for each end of the bound of each, in each draw
MOST_PARTS = 50
# chance that any column of noise is found; of those that are weakly relevant shared by
# weights, forest and association
LEVEL = 0.05
TREES = 60
NOT_JUDGED = "not judged"  # where no relation is shown for the rows that matter
COLUMNS_OF_NOISE = 200  # in all draws together
MOST_ASSOCIATED = 10_000  # rows
N_ORDERS = 2000  # of the target, for the association of a column alone
# so many are permuted one by one in any case: two columns may tell together
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
        "strongly relevant", "weakly relevant" or "not significant"; "not judged" where
        no relation is shown for rows of other groups or parts of the file.
    weights : RelevanceEvidence
        Bounds on the L1 norm of the weights of all parts of a column.
    forest : RelevanceEvidence
        Importances in a random forest.
    not_evaluated : list of str
        Columns that this was not measured for: the others are more related to the
        target.
    permuted_errors : ndarray of shape (d,)
        Cross-validated error of a model that is fitted with each column permuted, if
        they are few or it is weakly relevant; NaN for others.
    p_values : ndarray of shape (d,)
        P-values of the hypothesis that the model's score does not grow where the column
        is permuted, by Holm's correction.
    associated : ndarray of shape (d,)
        P-values of the association of each column alone, corrected in the same way.
    model : str
        Name of that model.
    error : float
        Its error with all columns as they are.
    """

    names: list
    kinds: np.ndarray
    weights: object
    forest: object
    not_evaluated: list
    permuted_errors: np.ndarray
    p_values: np.ndarray
    associated: np.ndarray
    model: str
    error: float

    @property
    def order(self):
        """Numbers of the columns (d,), the largest upper bounds first."""
        return np.argsort(-self.weights.upper, kind="stable")

    def of(self, kind):
        """Return the columns of one kind, the largest upper bounds first."""
        check_option(kind, "kind", (*KINDS, NOT_JUDGED))
        return [self.names[j] for j in self._numbers_of(kind)]

    def _numbers_of(self, kind):
        return [j for j in self.order if self.kinds[j] == kind]

    @property
    def criteria(self):
        """Whether each column (d,) meets each criterion, by its name."""
        return {
            "error if permuted": self.p_values <= LEVEL,
            "linear models": self.weights.is_above,
            "forest": self.forest.is_above,
            "association": self.associated <= LEVEL / 2,
        }

    @property
    def evidence(self):
        """Evidence for the kind of each column (d,), in words."""
        relevant = np.isin(self.kinds, KINDS[:2])
        return [
            ", ".join(
                name
                for name, is_met in self.criteria.items()
                if is_met[j] & relevant[j]
            )
            for j in range(len(self.names))
        ]

    @property
    def heading(self):
        """Name of the permuted errors in a table."""
        return f"error of the {self.model} with the column permuted"

    def to_frame(self):
        """Return kind, bounds, level and importance of each column as a DataFrame."""
        bounds = self.weights
        columns = {
            "relevance": self.kinds,
            "criteria met": self.evidence,
            "in every equivalent linear model": bounds.lower > bounds.level,
            "lower bound": bounds.lower,
            "upper bound": bounds.upper,
            "null level": bounds.level,
            "forest importance": self.forest.upper,
            "null level of the forest": self.forest.level,
            self.heading: self.permuted_errors,
            "p-value": self.p_values,
            "p-value of association": self.associated,
        }
        kinds = *KINDS, NOT_JUDGED
        names = [name for kind in kinds for name in self.of(kind)]
        return as_frame(columns, self.names, "column").loc[names]

    @property
    def ratios(self):
        """The measures (d,) of the `criteria` over their null levels.

        Of p-values the ratio of their logarithms. From 1 on, the criterion is met.
        """
        measures = (
            _log_ratio(self.p_values, LEVEL),
            _ratio(self.weights),
            _ratio(self.forest),
            _log_ratio(self.associated, LEVEL / 2),
        )
        return dict(zip(self.criteria, measures, strict=True))

    def plot(self):
        """Draw each measure over its null level; returns an EvidenceDisplay."""
        order = [
            j for kind in (*KINDS, NOT_JUDGED) for j in self._numbers_of(kind)
        ]
        order = order[:MOST_SHOWN]
        return EvidenceDisplay(
            {name: ratios[order] for name, ratios in self.ratios.items()},
            [f"{self.names[j]}: {self.kinds[j]}" for j in order],
        ).plot()


def _ratio(evidence):
    """Upper bounds (d,) over their null levels, of `RelevanceEvidence`."""
    smallest = np.finfo(float).tiny
    return evidence.upper / np.maximum(evidence.level, smallest)


def _log_ratio(p_values, level):
    """Logarithms of p-values (d,) over that of the level below which they count."""
    return np.log(p_values) / np.log(level)


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
    model : str or RawModel, optional
        Name of the model of `task` that is evaluated with a column permuted, the linear
        one by default; or your own model of raw columns.
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
            partial(column_weights, parts=parts, penalties=RIDGE_PENALTIES),
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
    # 3. the score with each of those permuted, or with each of all if they are few
    table = data[rows]
    if isinstance(model, RawModel):
        raw = model[rows]
        model_of_cells = raw.model
        model = model_name(raw.estimator)
        target = type(task)(raw.y, task.names)
        cells = raw.cells
        column_of_cells = raw.columns
    else:
        models = task.models(seed)
        model = model or next(iter(models))
        model_of_cells = models[model]
        target = part
        cells = table.X
        column_of_cells = np.array(table.columns)[table.parents]
    is_asked = above | (len(names) <= FEW_COLUMNS)
    asked = np.flatnonzero(is_asked & np.isin(names, column_of_cells))
    repeats = [folds(part, own, 5, seed + r) for r in range(N_REPEATS)]
    orders = [[permute() for _ in splits] for splits in repeats]
    fits = partial(refit, target, model_of_cells, cells, repeats)
    jobs = [delayed(fits)()]
    for name in np.array(names)[asked]:
        copies = _copies(table, name, orders, own)
        jobs.append(delayed(fits)(column_of_cells == name, copies))
    bar = len(jobs), "permuted columns", verbose
    (own_losses, scores), *permuted_fits = results(jobs, n_jobs, bar=bar)
    permuted_errors = np.full(len(names), np.nan)
    p_values = np.ones(len(names))
    if permuted_fits:
        losses, permuted_scores = map(
            np.array, zip(*permuted_fits, strict=True)
        )
        permuted_errors[asked] = target.error(losses)
        p_values[asked] = _growth_p_values(permuted_scores - scores, own)
    p_values = _holm(p_values, len(data.columns))
    kinds = np.select([p_values <= LEVEL, above], KINDS[:2], KINDS[2])
    not_evaluated = [column for column in data.columns if column not in names]
    return Features(
        names,
        kinds,
        weights,
        forest,
        not_evaluated,
        permuted_errors,
        p_values,
        associated,
        model,
        float(target.error(own_losses)),
    )


def _permute(task, groups, permuted, seed):
    """A function that gives another order of the rows at each call."""
    rng = np.random.default_rng(seed)
    if permuted == "order":
        ways = shifts(len(groups), rng)
    else:
        ways = permutations_of(task.y, groups, permuted == "groups", rng)
    # of too few groups nothing is shown, whatever this says
    ways = ways or {"rows": partial(rng.permutation, len(groups))}

    def permute():
        """Whole groups and the rows in them: columns may vary in both."""
        order = np.arange(len(groups))
        for way in ways.values():
            order = order[way()]
        return order

    return permute


def _copies(table, name, orders, groups):
    """Orders of the rows for copies of a column: what others predict of it stays.

    A ridge regression predicts the parts of the column by the other columns; z are the
    parts in the direction that varies most in that, f is what is predicted of z. Row i
    gets the cell whose z has the rank of f_i + (z - f)_order(i). This is the order
    itself where nothing is predicted, and the column stays as it is where all is.
    """
    is_part = table.is_of([name])
    part = table.X[:, is_part]
    rest = table.X[:, ~is_part]
    if not rest.shape[1]:
        return orders
    model = RidgeCV(RIDGE_PENALTIES).fit(rest, part)
    predicted = model.predict(rest).reshape(part.shape)
    _, _, directions = np.linalg.svd(
        predicted - predicted.mean(axis=0), full_matrices=False
    )
    direction = directions[0]
    if _are_categories(part):
        # The numbers 0, 1, ... tell categories apart that differ little along it.
        direction = np.argsort(np.argsort(direction))
    z = part @ direction
    predicted = predicted @ direction
    _, first, units = np.unique(groups, return_index=True, return_inverse=True)
    if np.allclose(z, z[first][units]):
        # What is constant in groups stays so.
        predicted = (np.bincount(units, predicted) / np.bincount(units))[units]
    residuals = z - predicted

    def copy(order):
        cells = order[np.argsort(z[order], kind="stable")]
        ranks = np.argsort(predicted + residuals[order], kind="stable")
        return cells[np.argsort(ranks)]

    return [[copy(order) for order in of_folds] for of_folds in orders]


def _growth_p_values(growths, groups):
    """P-values (d,) of growths (d, m, n) of scores, in m repeats, by permuted columns.

    The variance of a mean growth has two parts: that of the rows, and that of the
    permutations, s^2 (1 + 1/m), since the column itself is one more. s^2 is the
    variance of the means of the repeats, less that by the rows in them, which the first
    part has already; it is pooled over the columns.
    """
    d, m, n = growths.shape

    def variances(values):
        errors = [standard_error(of_rows, groups) for of_rows in values]
        return np.array(errors) ** 2

    of_rows = growths.mean(axis=1)
    deviations = (growths - of_rows[:, None]).reshape(d * m, n)
    within_repeats = variances(deviations).mean() / WIDER**2 * m / (m - 1)
    repeats = growths.mean(axis=2).var(axis=1, ddof=1).mean()
    draws = max(repeats - within_repeats, 0) * (1 + 1 / m)
    error = np.sqrt(variances(of_rows) + draws)
    ratios = of_rows.mean(axis=1) / np.maximum(error, 1e-300)
    return t.sf(ratios, len(np.unique(groups)) - 1)


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
    if _are_categories(part):
        part = np.delete(part, part.mean(axis=0).argmax(), axis=1)
    return (part - part.mean(axis=0)) / part.std(axis=0)


def _are_categories(part):
    """Whether parts (n, q) of a column are indicators of which one is 1 in each row."""
    return part.shape[1] > 1 and np.ptp(part.sum(axis=1)) < 1e-9
