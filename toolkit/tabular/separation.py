"""Can the target be predicted? The error of the best model, and reasons to doubt it.

An interval, a p-value by permuted targets, suspected leaks, and the error where rows
that depend on each other are kept together.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..core import as_frame, import_pandas
from ..validation import (
    INTERVAL_LEVEL,
    choice_of,
    cross_predict,
    folds,
    linked_rows,
    permutations_of,
    shifts,
    significance,
)
from ..validation.dependence import Linked
from ..validation.intervals import FEWEST_GROUPS
from ..validation.rankings import area_of_two_classes, rankings_of
from .rows import MISSING, correlations

ALPHA = 0.05
FEWEST = 5  # rows with a label, for a column to be suspected to contain it
MAX_ROWS = 1000  # of the tests
# Rows, and numbers in these rows, that the error is measured on.
MOST_MEASURED, MOST_NUMBERS = 20_000, 1_000_000
# that are asked one by one whether they predict the target alone
MAX_COLUMNS = 500
# fraction of the baseline; a column that leaves less is suspected to contain the target
LEAK = 0.05


@dataclass(frozen=True)
class Evidence:
    """The error of the best model, with rows of a group kept together.

    Attributes
    ----------
    choice : Choice
        Errors and losses of the models.
    error : float
        Error of the best model, chosen without the rows that it predicts.
    interval : (float, float)
        Interval of that error, of the level `interval_level`.
    p_values : dict of str to float
        The p-value for each way to permute the target; empty with too few groups.
    is_useful : bool
        Whether the score is better than that of a constant prediction. Required for
        rows in order: shifts that divide groups of rows vary the scores too little.
    rankings : list of Ranking
        One for each class with less than 5 % of the rows, the rarest first.
    area : (float, (float, float)) or None
        For two classes: the area under the ROC curve of the best model, and its
        interval of level 0.9.
    new_rows : str
        The rows that the error is for, in words.
    known_rows : str
        In contrast to these, the rows that a random split is for.
    """

    choice: object
    error: float
    interval: tuple
    p_values: dict
    interval_level: float = INTERVAL_LEVEL
    is_useful: bool = True
    rankings: list = field(default_factory=list)
    area: tuple | None = None
    new_rows: str = "rows like these"
    known_rows: str = "rows like these"

    @property
    def p_value(self):
        """The p-value, corrected where the target was permuted in two ways."""
        ps = self.p_values.values()
        return min(1.0, len(ps) * min(ps)) if ps else np.nan

    @property
    def is_significant(self):
        return self.p_value <= ALPHA and self.is_useful


@dataclass(frozen=True)
class Separation(Evidence):
    """Evidence on the rows as they are, and what makes the error doubtful.

    Attributes
    ----------
    baseline : float
        Error of the best constant prediction, which does not use the features.
    leaks : dict of str to float
        Columns that predict the target alone nearly without error, and that error.
    without_leaks : float
        The error with these columns permuted; NaN where there are none.
    n_rows : int
        Number of rows that the errors were measured on.
    n_tested : int
        Number of rows of the permutation test.
    task : Target
        Target of all rows.
    rows : ndarray of int, shape (n_rows,)
        Numbers of the rows that the errors were measured on.
    unlike : dict of str to Evidence
        Evidence on rows of other times or groups, by kind of dependence.
    opposed : str
        The column whose values are sets of rows with different targets, "nearest
        neighbours", or "".
    """

    baseline: float = np.nan
    leaks: dict = field(default_factory=dict)
    without_leaks: float = np.nan
    n_rows: int = 0
    n_tested: int = 0
    task: object = None
    rows: np.ndarray = field(default=None, repr=False)
    unlike: dict = field(default_factory=dict)
    opposed: str = ""

    @property
    def errors(self):
        """Each model's own error."""
        return self.choice.errors

    @property
    def best(self):
        """Name of the model with the smallest score."""
        return self.choice.best

    @property
    def leading(self):
        """The evidence that the verdict uses: that of rows of other times or groups.

        Of several kinds it is the one with the largest error, first among those in
        which no relation is shown.
        """
        unlike = self.unlike.values()
        failing = [one for one in unlike if not one.is_significant]
        return max(failing or unlike, key=lambda one: one.error, default=self)

    def is_judged(self, evidence):
        """Whether the error of some `Evidence` says anything.

        Of few independent groups or parts of the file, the interval is wider than the
        baseline is large, or there are too few permutations for a p-value.
        """
        low, high = evidence.interval
        return evidence.p_values != {} and high - low < self.baseline

    @property
    def is_worse(self):
        """Whether models predict the target worse than by chance.

        Without sets of rows that explain it, the interval is above the baseline, and
        all permuted targets are predicted as well: by chance in one of twenty tables.
        """
        if self.is_significant:
            return False
        if self.opposed:
            return self.error > self.baseline
        is_worst = 1.0 in self.p_values.values()
        return is_worst and self.interval[0] > self.baseline

    @property
    def verdict(self):
        """The result, in one of five phrases."""
        if self.is_worse:
            return "worse than chance"
        if not self.is_significant:
            return "not shown"
        if not self.holds_elsewhere:
            return "not shown for rows of another time or group"
        if self.leading.interval[1] < self.baseline:
            return "better than chance in decisions"
        return "better than chance only in probabilities"

    @property
    def holds_elsewhere(self):
        """Whether a relation is shown with rows that depend on each other together."""
        return all(one.is_significant for one in self.unlike.values())

    @property
    def columns_are_judged(self):
        """Whether a relation is shown, or not, for the rows that matter."""
        return not np.isnan(self.p_value) and self.holds_elsewhere

    @property
    def is_signal(self):
        """Whether the columns predict the target better than chance."""
        return self.verdict.startswith("better")

    @property
    def detectable(self):
        """The largest error that is better than chance in the rows of the test."""
        low, high = self.interval
        half = (high - low) / 2 * np.sqrt(self.n_rows / self.n_tested)
        return max(0.0, self.baseline - half)

    def to_frame(self):
        """Return a DataFrame with one row per model, and one for the best."""
        errors = {
            **self.errors,
            "best of these, chosen on other rows": self.error,
        }
        columns = {"error": errors, "baseline": self.baseline}
        return as_frame(columns, list(errors))


def separation(
    data,
    task,
    groups,
    leaks=None,
    *,
    declared=False,
    seed=0,
    n_jobs=None,
    verbose=False,
):
    """Measure whether simple models predict the target better than chance.

    Parameters
    ----------
    data : NumericTable
        Columns as numbers, from :func:`prepare_rows`.
    task : Target
        Target, from :func:`task_of`.
    groups : ndarray of int, shape (n,)
        Rows of equal values stay on one side of each split.
    leaks : dict of str to float, optional
        Columns that predict the target alone, and their error.
    declared : bool, default=False
        Whether rows of a group depend on each other, and are permuted together.
    seed : int, default=0
        Seed of the random number generator.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show progress bars.

    Returns
    -------
    separation : Separation
        Error, interval and baseline on all rows; of more than 20,000 rows, or 1,000,000
        numbers in them, on a sample of so many, but at least 1,000 rows. The p-value is
        that of a sample of at most 1,000 of these rows. Samples have at least 20 rows
        of each class or all that there are, which is corrected in errors by weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.tabular import as_table, prepare_rows, split, task_of
    >>> table = as_table(load_iris(as_frame=True).frame, "target")
    >>> data = prepare_rows(table.features, table.kinds)
    >>> task = task_of(table.task, table.y, table.label_names)
    >>> found = separation(data, task, table.groups)
    >>> found.best, found.verdict, found.p_value
    ('random forest', 'better than chance in decisions', 0.05)
    """
    rows = task.sample(_n_measured(data), seed)
    part = task.with_sample(rows)[rows]
    groups = groups[rows]
    tested = part.sample(MAX_ROWS, seed)
    options = {"seed": seed, "n_jobs": n_jobs}
    rng = np.random.default_rng(seed)
    ways = permutations_of(part.y[tested], groups[tested], declared, rng)
    found = evidence(
        part, data.X[rows], groups, ways, tested, verbose=verbose, **options
    )
    baseline = part.baseline()
    rest = np.nan
    leaks = leaks or {}
    if leaks:
        permuted = data[rows].permuted(leaks, rng.permutation(len(rows)))
        choice = choice_of(part, permuted, groups, part.models(seed), **options)
        rest = float(part.error(choice.losses))
    return Separation(
        **vars(found),
        baseline=baseline,
        leaks=leaks,
        without_leaks=rest,
        n_rows=len(rows),
        n_tested=len(tested),
        task=task,
        rows=rows,
    )


def evidence(
    part, X, groups, ways, tested=None, *, seed, n_jobs=None, verbose=False
):
    """Compute the `Evidence` of rows X, with rows of a group kept together.

    Parameters
    ----------
    part : Target
        Target of these rows.
    X : ndarray of shape (n, p)
        Samples.
    groups : ndarray of int, shape (n,)
        Rows of equal values stay on one side of each split.
    ways : dict of str to function
        Ways to permute the target of the tested rows, from `permutations_of`.
    tested : ndarray of int, optional
        Numbers of the rows of the permutation test; all by default.
    seed : int
        Seed of the random number generator.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show progress bars.

    Returns
    -------
    evidence : Evidence
        Error, interval and p-values.
    """
    models = part.models(seed)
    shown = {"n_jobs": n_jobs, "verbose": verbose}
    choice = choice_of(part, X, groups, models, seed, **shown)
    true = choice.least_score
    sample = part, X, groups
    if tested is not None and len(tested) < len(X):
        true = None
        sample = [each[tested] for each in sample]
    ps = significance(*sample, models, ways, seed, true=true, **shown)
    return Evidence(
        choice,
        float(part.error(choice.losses)),
        part.interval(choice.losses, groups),
        ps,
        rankings=rankings_of(part, choice.predictions, groups),
        area=area_of_two_classes(part, choice.predictions, groups),
    )


@dataclass(frozen=True)
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
        return {kind: one.sentence for kind, one in self.linked.items()}

    @property
    def error(self):
        """By kind: the error at other parts of the file, or at other groups."""
        return {kind: one.error for kind, one in self.evidence.items()}


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
    rows = task.sample(MAX_ROWS, seed)
    units = groups[rows]
    linked = {}
    if table.named_groups is not None:
        linked["group column"] = Linked(
            groups=table.named_groups,
            sentence=table.row_names.sentence,
            column=table.row_names.column,
            decides=table.row_names.decides,
        )
        # That rows of one person are alike is known: one of each is tested.
        units = table.split_groups[rows]
    # Units are numbered in the order of the file, which is tested.
    units = pd.factorize(units)[0]
    first_rows = rows[np.unique(units, return_index=True)[1]]
    columns = {name: data.of(name)[first_rows, 0] for name in data.columns}
    # coordinates of a square table are no columns of it
    for name in columns.keys() & table.kinds.keys():
        cells = table.features[name].iloc[first_rows]
        if name in table.categories:
            # By first rows: blocks of words are an order, whichever comes first.
            columns[name] = pd.factorize(cells.fillna(MISSING))[0]
        else:
            columns[name] = np.where(cells.isna(), np.nan, columns[name])
    tested = linked_rows(task[first_rows], data.X[first_rows], columns, seed)
    linked = tested | linked
    wide = {}
    evidence_of = {}
    for kind, link in linked.items():
        together = link.groups
        if not link.column:
            together = -1 - np.arange(len(groups))
            together[rows] = link.groups[units]
        wide[kind] = together
        evidence_of[kind] = _evidence_elsewhere(
            data, task, rows, together, link, rng, seed=seed, n_jobs=n_jobs
        )
    return Dependence(linked, wide, evidence_of)


def _sample_groups(task, groups, most, rng):
    """Numbers of the rows of whole groups, drawn at random, of at most so many rows.

    Groups with rows of rare classes come first.
    """
    codes = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(codes)
    order = rng.permutation(len(sizes))
    if len(codes) > most and len(task.rare_classes):
        sample = task.sample(most, rng)
        is_rare = np.isin(task.y[sample], task.rare_classes)
        first = np.unique(codes[sample[is_rare]])
        order = np.concatenate([first, order[~np.isin(order, first)]])
    n_groups = np.searchsorted(sizes[order].cumsum(), most, side="right")
    return np.flatnonzero(np.isin(codes, order[: max(FEWEST_GROUPS, n_groups)]))


def _evidence_elsewhere(
    data, task, rows, groups, link, rng, *, seed, n_jobs=None
):
    """Evidence with rows that depend on each other kept together.

    It is that of some rows, or of whole groups of all rows where a column names these.
    """
    if link.column:
        rows = _sample_groups(task, groups, _n_measured(data), rng)
    part = task[rows]
    together = groups[rows]
    tested = np.arange(len(rows))
    if link.column:
        tested = _sample_groups(part, together, MAX_ROWS, rng)
    if link.is_order:
        ways = shifts(len(rows), rng) if link.can_shift else {}
    else:
        ways = permutations_of(part.y[tested], together[tested], True, rng)
    held_out = evidence(
        part, data.X[rows], together, ways, tested, seed=seed, n_jobs=n_jobs
    )
    held_out = replace(
        held_out, new_rows="rows of other groups", known_rows="rows like these"
    )
    if link.column:
        return replace(
            held_out,
            new_rows=f"new values of `{link.column}`",
            known_rows="values in the table",
        )
    if not link.is_order:
        return held_out
    constant = part.neighbor_predictions(part.y, np.arange(len(rows))[None])
    least_score = part.scores(constant).mean()
    return replace(
        held_out,
        new_rows="rows of another part of the file",
        is_useful=held_out.choice.scores.mean() < least_score,
    )


def _n_measured(data):
    """How many rows the error is measured on."""
    most = MOST_NUMBERS // data.X.shape[1]
    return min(MOST_MEASURED, max(MAX_ROWS, most))


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
    rows = task.sample(MAX_ROWS, seed)
    part = task.with_sample(rows)[rows]
    if part.y.ndim == 2:
        strength = correlations(data.X[rows], part.y.astype(float))
        strength *= part.y.sum(axis=0) >= FEWEST
        return {
            data.columns[data.parents[j]]: max(
                0.0, 1 - float(strength[j, label])
            )
            for j, label in np.argwhere(strength > 0.95)
        }
    limit = np.sqrt(LEAK) if task.is_value else LEAK * part.baseline()
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
    splits = folds(part, groups, 5, seed)
    errors = {}
    for name in columns:
        answers = cross_predict(part, tree, data.of(name)[rows], splits)
        errors[name] = float(part.error(part.prediction_losses(answers)))
    return errors
