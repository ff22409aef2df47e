"""What makes an error too small: rows that depend on each other, columns that leak.

The error on independent rows, and columns that contain the target, or are known only
after it.
"""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..core import import_pandas
from ..validation import (
    cross_predict,
    folds,
    linked_rows,
    permutations_of,
    shifts,
)
from ..validation.dependence import Linked
from ..validation.intervals import FEWEST_GROUPS, units_of
from .evidence import MOST_TESTED, measure_evidence, n_measured
from .rows import MISSING, correlations

# Rows with a label, for a column to be suspected to contain it.
FEWEST_WITH_LABEL = 5
LEAK_CORRELATION = 0.95
# A column that leaves less of the baseline than this is suspected.
LEAK_FRACTION = 0.05
# Most columns that are tried alone, those that are most related to the target.
MOST_SINGLE_COLUMNS = 500


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """Dependence among the rows of a table, by kind.

    Attributes
    ----------
    linked : dict of str to Linked
        The kinds that are found, among "order", "near duplicates" and "group column".
    groups : dict of str to ndarray of int, shape (n,)
        Groups of all rows by kind; each row that was not tested is a group.
    evidence : dict of str to Evidence
        Evidence with dependent rows kept together, by kind.
    """

    linked: dict
    groups: dict
    evidence: dict

    @property
    def deciding(self):
        """The evidence that the verdict uses, by kind."""
        return {
            kind: evidence
            for kind, evidence in self.evidence.items()
            if self.linked[kind].decides
        }

    @property
    def found(self):
        """By kind: what is found, in words."""
        return {kind: rows.sentence for kind, rows in self.linked.items()}

    @property
    def error(self):
        """By kind: the error at other parts of the file, or at other groups."""
        return {
            kind: evidence.error for kind, evidence in self.evidence.items()
        }


def dependence(data, task, groups, table, *, seed=0, n_jobs=None):
    """Find rows that depend on each other, and measure the error on independent rows.

    Parameters
    ----------
    data : NumericTable
        Columns as numbers, from :func:`prepare_rows`.
    task : Target
        Target, from :func:`task_of`.
    groups : ndarray of int, shape (n,)
        Rows of equal values are known to belong together.
    table : Table
        The columns as they are.
    seed : int, default=0
        Seed of the random number generator.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.

    Returns
    -------
    dependence : Dependence
        The kinds of dependence found, with the error for each.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import as_table, prepare_rows, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> dependence(data, task, table.groups, table).found
    {}
    """
    pd = import_pandas()
    rng = np.random.default_rng(seed)
    rows = task.sample(MOST_TESTED, seed)
    units = groups[rows]
    linked_by_column = {}
    if table.named_groups is not None:
        linked_by_column["group column"] = Linked(
            groups=table.named_groups,
            sentence=table.row_names.sentence,
            column=table.row_names.column,
            decides=table.row_names.decides,
        )
        # Rows of one person are alike, which is known: one of each is tested.
        units = table.split_groups[rows]
    # Units are numbered in the order of the file, which is tested.
    units = pd.factorize(units)[0]
    first_rows = rows[np.unique(units, return_index=True)[1]]
    columns = _columns_as_read(data, table, first_rows)
    linked = linked_rows(task[first_rows], data.X[first_rows], columns, seed)
    linked |= linked_by_column
    groups_of_kind = {}
    evidence_of_kind = {}
    for kind, link in linked.items():
        together = link.groups
        if not link.column:
            # Each row that was not tested is a group.
            together = -1 - np.arange(len(groups))
            together[rows] = link.groups[units]
        groups_of_kind[kind] = together
        evidence_of_kind[kind] = _evidence_elsewhere(
            data,
            task,
            rows,
            link,
            rng,
            together=together,
            seed=seed,
            n_jobs=n_jobs,
        )
    return Dependence(
        linked=linked, groups=groups_of_kind, evidence=evidence_of_kind
    )


def _columns_as_read(data, table, rows):
    """Columns (n_rows,) by name: numbers with NaN where missing, or codes of words."""
    pd = import_pandas()
    columns = {name: data.of(name)[rows, 0] for name in data.columns}
    # Coordinates of a square table are no columns of it.
    for name in columns.keys() & table.kinds.keys():
        cells = table.features[name].iloc[rows]
        if name in table.categories:
            # Words are numbered by first rows: blocks of words are an order, whichever
            # comes first.
            columns[name] = pd.factorize(cells.fillna(MISSING))[0]
        else:
            columns[name] = np.where(cells.isna(), np.nan, columns[name])
    return columns


def _sample_groups(task, groups, most_rows, rng):
    """Numbers of the rows of whole groups, drawn at random, of at most so many rows.

    Groups with rows of rare classes come first.
    """
    codes = units_of(groups)
    sizes = np.bincount(codes)
    order = rng.permutation(len(sizes))
    if len(codes) > most_rows and len(task.rare_classes):
        sample = task.sample(most_rows, rng)
        is_rare = np.isin(task.y[sample], task.rare_classes)
        groups_of_rare = np.unique(codes[sample[is_rare]])
        is_other = ~np.isin(order, groups_of_rare)
        order = np.concatenate([groups_of_rare, order[is_other]])
    n_rows = sizes[order].cumsum()
    n_groups = np.searchsorted(n_rows, most_rows, side="right")
    drawn = order[: max(FEWEST_GROUPS, n_groups)]
    return np.flatnonzero(np.isin(codes, drawn))


def _evidence_elsewhere(
    data, task, rows, link, rng, *, together, seed, n_jobs=None
):
    """Evidence with rows that depend on each other kept together.

    It is that of some rows, or of whole groups of all rows where a column names these.
    """
    if link.column:
        rows = _sample_groups(task, together, n_measured(data), rng)
    part = task[rows]
    groups = together[rows]
    tested = np.arange(len(rows))
    if link.column:
        tested = _sample_groups(part, groups, MOST_TESTED, rng)
    if not link.is_order:
        permuters = permutations_of(part.y[tested], groups[tested], True, rng)
    elif link.can_shift:
        permuters = shifts(len(rows), rng)
    else:
        permuters = {}
    evidence = measure_evidence(
        part, data.X[rows], groups, permuters, tested, seed=seed, n_jobs=n_jobs
    )
    if link.column:
        return replace(
            evidence,
            new_rows=f"new values of `{link.column}`",
            known_rows="values in the table",
        )
    if not link.is_order:
        return replace(evidence, new_rows="rows of other groups")
    any_rows = np.arange(len(rows))[None]
    constant = part.neighbor_predictions(part.y, any_rows)
    score_of_constant = part.scores(constant).mean()
    return replace(
        evidence,
        new_rows="rows of another part of the file",
        is_useful=evidence.choice.scores.mean() < score_of_constant,
    )


def find_leaks(data, task, groups, seed=0):
    """Find columns that predict the target alone nearly without error, and that error.

    Parameters
    ----------
    data : NumericTable
        Columns as numbers, from :func:`prepare_rows`.
    task : Target
        Target, from :func:`task_of`.
    groups : ndarray of int, shape (n,)
        Rows of equal values stay on one side of each split.
    seed : int, default=0
        Seed of the random number generator.

    Returns
    -------
    leaks : dict of str to float
        Columns and their errors. A column is named where a small decision tree on it
        has an error below a twentieth of the baseline (for values, of its square). For
        several labels it is named where its correlation with one of them is above 0.95.
        It may contain the target, or be known only after it.
    """
    rows = task.sample(MOST_TESTED, seed)
    part = task.with_sample(rows)[rows]
    if part.y.ndim == 2:
        return _columns_like_labels(data, part, rows)
    limit = LEAK_FRACTION * part.baseline()
    if task.is_value:
        limit = np.sqrt(LEAK_FRACTION)
    errors = _single_column_errors(data, part, rows, groups[rows], seed)
    return {column: error for column, error in errors.items() if error < limit}


def _columns_like_labels(data, part, rows):
    """Columns that correlate with one of several labels, and 1 - correlation."""
    strength = correlations(data.X[rows], part.y.astype(float))
    strength *= part.y.sum(axis=0) >= FEWEST_WITH_LABEL
    errors = {}
    for j, label in np.argwhere(strength > LEAK_CORRELATION):
        column = data.columns[data.parents[j]]
        unexplained = 1 - float(strength[j, label])
        errors[column] = max(0.0, unexplained)
    return errors


def _single_column_errors(data, part, rows, groups, seed):
    """Error of a small decision tree on each column alone.

    Of many columns on those that are most related to the target.
    """
    options = {"min_samples_leaf": 2, "random_state": seed}
    tree = DecisionTreeRegressor(max_leaf_nodes=100, **options)
    if not part.is_value:
        n_leaves = 2 * len(np.unique(part.y))
        tree = DecisionTreeClassifier(max_leaf_nodes=n_leaves, **options)
    columns = data.columns
    if len(columns) > MOST_SINGLE_COLUMNS:
        by_relatedness = data.relatedness(part.y, rows).argsort()
        most_related = np.sort(by_relatedness[-MOST_SINGLE_COLUMNS:])
        columns = [columns[j] for j in most_related]
    splits = folds(part, groups, 5, seed)
    errors = {}
    for name in columns:
        column = data.of(name)[rows]
        predictions = cross_predict(part, tree, column, splits)
        losses = part.prediction_losses(predictions)
        errors[name] = float(part.error(losses))
    return errors
