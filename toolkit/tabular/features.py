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
from ..core import results
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
from .feature_results import RELEVANCE_LEVEL, Features
from .user_models import RawModel, model_name

MOST_ROWS = 1000
# A linear program for each end of the bound of each part of a column, in each run.
MOST_PARTS = 50
TREES = 60
COLUMNS_OF_NOISE = 200  # in all runs together
MOST_ASSOCIATED = 10_000  # rows
# So few columns are all permuted one by one: two may predict only together.
FEW_COLUMNS = 10


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
    errors = _permuted_errors(
        problem,
        np.array(names),
        is_candidate,
        groups=group_of_row,
        permute=permute,
        seed=seed,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    p_values = holm(errors.p_values, len(data.columns))
    criteria = [p_values <= RELEVANCE_LEVEL, is_above]
    kinds = np.select(criteria, EVIDENCE_KINDS[:2], EVIDENCE_KINDS[2])
    return Features(
        names=names,
        kinds=kinds,
        weights=weights,
        forest=forest,
        not_evaluated=[name for name in data.columns if name not in names],
        permuted_errors=errors.permuted,
        p_values=p_values,
        associated=associated,
        model=problem.model_name,
        error=errors.unpermuted,
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


@dataclass(frozen=True, kw_only=True)
class _Errors:
    """Cross-validated errors of a model.

    Attributes
    ----------
    unpermuted : float
        Error with all columns as they are.
    permuted : ndarray of shape (d,)
        Error with each column permuted; NaN where it was not.
    p_values : ndarray of shape (d,)
        P-values of the growth of the score; 1 where no column was permuted.
    """

    unpermuted: float
    permuted: np.ndarray
    p_values: np.ndarray


def _permuted_errors(
    problem, names, is_candidate, *, groups, permute, seed, n_jobs, verbose
):
    """Errors of a model that is fitted anew with each of some columns permuted."""
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
        permuted_scores = np.array([fit[1] for fit in fits[1:]])
        growths = permuted_scores - scores
        permuted_errors[permuted_columns] = target.error(permuted_losses)
        p_values[permuted_columns] = growth_p_values(growths, groups)
    return _Errors(
        unpermuted=float(target.error(losses)),
        permuted=permuted_errors,
        p_values=p_values,
    )


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
