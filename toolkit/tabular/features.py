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

from ..bounds.base import EVIDENCE_KINDS
from ..core import as_frame, check_option, results
from ..plots import EvidenceDisplay
from ..relevance import relevance_evidence
from ..validation import folds
from ..validation.choice import N_REPEATS
from ..validation.models import RIDGE_PENALTIES
from .column_tests import (
    are_categories,
    association_p_values,
    column_importances,
    column_weights,
    copies_of_column,
    growth_p_values,
    holm,
    permutation_of_rows,
    refit,
)
from .user_models import RawModel, model_name

MOST_ROWS = 1000
# A linear program for each end of the bound of each part of a column, in each run.
MOST_PARTS = 50
TREES = 60
COLUMNS_OF_NOISE = 200  # in all runs together
MOST_ASSOCIATED = 10_000  # rows
# So few columns are all permuted one by one: two may predict only together.
FEW_COLUMNS = 10
# No column has another kind if no relation is shown for the rows that matter.
NOT_JUDGED = "not judged"
ALL_KINDS = (*EVIDENCE_KINDS, NOT_JUDGED)
# Probability that any column of noise is found. Weights, forest and association share
# that of weakly relevant columns.
RELEVANCE_LEVEL = 0.05
MOST_COLUMNS_DRAWN = 25


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
    # 1. Columns, of wide tables chosen on one half of the rows, measured on the other.
    rows = task.sample(MOST_ROWS, seed)
    selection_rows = rows
    # The association of a column takes little time.
    association_rows = task.sample(MOST_ASSOCIATED, seed)
    if data.X.shape[1] > MOST_PARTS:
        first, second = folds(task[rows], groups[rows], 2, seed)[0]
        selection_rows = rows[first]
        rows = rows[second]
        association_rows = rows
    target = task[rows]
    group_of_row = groups[rows]
    names = []
    parts = []
    y = task.y[selection_rows]
    for column in _best_columns(data, y, selection_rows):
        block = data.X[rows][:, data.parents == column]
        if block.std(axis=0).any():
            names.append(data.columns[column])
            parts.append(_standardise(block))
    # 2. Relevance of columns and of noise: of their cells as numbers, so that all parts
    # of a column are permuted together.
    n = len(rows)
    codes = np.arange(n)[:, None] + n * np.arange(len(parts))
    permute = permutation_of_rows(target, group_of_row, permuted, seed)
    n_repeats = int(np.ceil(COLUMNS_OF_NOISE / len(names)))
    n_repeats = min(max(n_repeats, 10), 50)
    measure_evidence = partial(
        relevance_evidence,
        alpha=RELEVANCE_LEVEL / 4,
        n_repeats=n_repeats,
        permute=permute,
        random_state=seed,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    measure_weights = partial(
        column_weights, parts=parts, penalties=RIDGE_PENALTIES
    )
    measure_importances = partial(
        column_importances, parts=parts, n_trees=TREES, seed=seed
    )
    weights = measure_evidence(measure_weights, codes, target.y)
    forest = measure_evidence(measure_importances, codes, target.y)
    standardised_parts = []
    for name in names:
        cells = data.of(name)[association_rows]
        standardised_parts.append(_standardise(cells))
    associated = association_p_values(
        standardised_parts,
        task[association_rows],
        groups[association_rows],
        permuted,
        len(data.columns),
    )
    is_associated = associated <= RELEVANCE_LEVEL / 2
    is_above = weights.is_above | forest.is_above | is_associated
    # 3. The score with each of those permuted, or with each of all if they are few.
    is_candidate = is_above | (len(names) <= FEW_COLUMNS)
    problem = _problem_of(model, data, rows, target, seed)
    error, permuted_errors, p_values = _permuted_errors(
        problem,
        np.array(names),
        is_candidate,
        groups=group_of_row,
        permute=permute,
        seed=seed,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    p_values = holm(p_values, len(data.columns))
    criteria = [p_values <= RELEVANCE_LEVEL, is_above]
    kinds = np.select(criteria, EVIDENCE_KINDS[:2], EVIDENCE_KINDS[2])
    return Features(
        names=names,
        kinds=kinds,
        weights=weights,
        forest=forest,
        not_evaluated=[name for name in data.columns if name not in names],
        permuted_errors=permuted_errors,
        p_values=p_values,
        associated=associated,
        model=problem.model_name,
        error=error,
    )


@dataclass(frozen=True, kw_only=True)
class _Problem:
    """A model and the cells that it takes, for a target of n rows.

    Attributes
    ----------
    table : NumericTable
        Columns as numbers, by which copies of columns are made.
    target : Target
        Target in the words of the model.
    cells : ndarray of shape (n, q)
        Columns of the model.
    column_of_cells : ndarray of str, shape (q,)
        Name of the column of the table that each belongs to.
    model : estimator
        Model, not fitted.
    model_name : str
        Its name.
    """

    table: object
    target: object
    cells: np.ndarray
    column_of_cells: np.ndarray
    model: object
    model_name: str


def _problem_of(model, data, rows, target, seed):
    """The problem of some rows, for a model of the target by name or a `RawModel`."""
    table = data[rows]
    if isinstance(model, RawModel):
        raw = model[rows]
        return _Problem(
            table=table,
            target=type(target)(raw.y, target.names),
            cells=raw.cells,
            column_of_cells=raw.columns,
            model=raw.model,
            model_name=model_name(raw.estimator),
        )
    models = target.models(seed)
    if model is None:
        model = next(iter(models))
    return _Problem(
        table=table,
        target=target,
        cells=table.X,
        column_of_cells=np.array(table.columns)[table.parents],
        model=models[model],
        model_name=model,
    )


def _permuted_errors(
    problem, names, is_candidate, *, groups, permute, seed, n_jobs, verbose
):
    """Error of a model; errors and p-values (d,) with each of some columns permuted.

    Errors of columns that are not permuted are NaN, and their p-values 1.
    """
    target = problem.target
    is_of_model = np.isin(names, problem.column_of_cells)
    permuted_columns = np.flatnonzero(is_candidate & is_of_model)
    repeats = [folds(target, groups, 5, seed + r) for r in range(N_REPEATS)]
    orders = [[permute() for _ in splits] for splits in repeats]
    refit_problem = partial(
        refit, target, problem.model, problem.cells, repeats
    )
    tasks = [delayed(refit_problem)()]
    for name in names[permuted_columns]:
        copies = copies_of_column(problem.table, name, orders, groups)
        is_permuted = problem.column_of_cells == name
        tasks.append(delayed(refit_problem)(is_permuted, copies))
    bar = len(tasks), "permuted columns", verbose
    fits = list(results(tasks, n_jobs, bar=bar))
    losses, scores = fits[0]
    permuted_errors = np.full(len(names), np.nan)
    p_values = np.ones(len(names))
    if len(permuted_columns):
        permuted_losses = np.array([fit[0] for fit in fits[1:]])
        growths = np.array([fit[1] for fit in fits[1:]]) - scores
        permuted_errors[permuted_columns] = target.error(permuted_losses)
        p_values[permuted_columns] = growth_p_values(growths, groups)
    return float(target.error(losses)), permuted_errors, p_values


def _best_columns(data, y, rows):
    """Numbers of the columns most related to the target, up to so many parts."""
    varies = data.X[rows].std(axis=0) > 0
    n_parts = np.bincount(data.parents[varies], minlength=len(data.columns))
    columns = np.argsort(-data.relatedness(y, rows), kind="stable")
    columns = columns[n_parts[columns] > 0]
    is_within_limit = np.cumsum(n_parts[columns]) <= MOST_PARTS
    is_within_limit[:1] = True
    return np.sort(columns[is_within_limit])


def _standardise(part):
    """The parts (n, q) of a column, each of mean 0 and standard deviation 1."""
    part = part[:, part.std(axis=0) > 0]
    if are_categories(part):
        # The most frequent category follows from the others.
        most_frequent = part.mean(axis=0).argmax()
        part = np.delete(part, most_frequent, axis=1)
    return (part - part.mean(axis=0)) / part.std(axis=0)


@dataclass(frozen=True, kw_only=True)
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
        check_option(kind, "kind", ALL_KINDS)
        return [self.names[j] for j in self._numbers_of(kind)]

    def _numbers_of(self, kind):
        return [j for j in self.order if self.kinds[j] == kind]

    @property
    def _numbers_by_kind(self):
        """Numbers of all columns, the most relevant kind first."""
        numbers = []
        for kind in ALL_KINDS:
            numbers += self._numbers_of(kind)
        return numbers

    @property
    def criteria(self):
        """Whether each column (d,) meets each criterion, by its name."""
        return {
            "error if permuted": self.p_values <= RELEVANCE_LEVEL,
            "linear models": self.weights.is_above,
            "forest": self.forest.is_above,
            "association": self.associated <= RELEVANCE_LEVEL / 2,
        }

    @property
    def evidence(self):
        """Evidence for the kind of each column (d,), in words."""
        is_relevant = np.isin(self.kinds, EVIDENCE_KINDS[:2])
        criteria = self.criteria.items()
        phrases = []
        for j in range(len(self.names)):
            criteria_met = [name for name, is_met in criteria if is_met[j]]
            if not is_relevant[j]:
                criteria_met = []
            phrases.append(", ".join(criteria_met))
        return phrases

    @property
    def heading(self):
        """Name of the permuted errors in a table."""
        return f"error of the {self.model} with the column permuted"

    def to_frame(self):
        """Return kind, bounds, level and importance of each column as a DataFrame."""
        bounds = self.weights
        in_every_model = bounds.lower > bounds.level
        columns = {
            "relevance": self.kinds,
            "criteria met": self.evidence,
            "in every equivalent linear model": in_every_model,
            "lower bound": bounds.lower,
            "upper bound": bounds.upper,
            "null level": bounds.level,
        }
        columns |= {
            "forest importance": self.forest.upper,
            "null level of the forest": self.forest.level,
            self.heading: self.permuted_errors,
            "p-value": self.p_values,
            "p-value of association": self.associated,
        }
        names = [self.names[j] for j in self._numbers_by_kind]
        return as_frame(columns, self.names, "column").loc[names]

    @property
    def ratios(self):
        """The measures (d,) of the `criteria` over their null levels.

        Of p-values the ratio of their logarithms. From 1 on, the criterion is met.
        """
        measures = [
            _log_ratio(self.p_values, RELEVANCE_LEVEL),
            _ratio(self.weights),
            _ratio(self.forest),
            _log_ratio(self.associated, RELEVANCE_LEVEL / 2),
        ]
        return dict(zip(self.criteria, measures, strict=True))

    def plot(self):
        """Draw each measure over its null level; returns an EvidenceDisplay."""
        numbers = self._numbers_by_kind[:MOST_COLUMNS_DRAWN]
        ratios_drawn = {
            name: ratios[numbers] for name, ratios in self.ratios.items()
        }
        labels = [f"{self.names[j]}: {self.kinds[j]}" for j in numbers]
        return EvidenceDisplay(ratios_drawn, labels).plot()


def _ratio(evidence):
    """Upper bounds (d,) over their null levels, of `RelevanceEvidence`."""
    return evidence.upper / np.maximum(evidence.level, np.finfo(float).tiny)


def _log_ratio(p_values, level):
    """Logarithms of p-values (d,) over that of the level below which they count."""
    return np.log(p_values) / np.log(level)
