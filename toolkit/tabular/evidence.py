"""Can the target be predicted? The error of the best model, and reasons to doubt it.

An interval, a p-value by permuted targets, suspected leaks, and the error where rows
that depend on each other are kept together.
"""

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from ..core import as_frame
from ..validation import (
    INTERVAL_LEVEL,
    choice_of,
    permutations_of,
    significance,
)
from ..validation.rankings import area_of_two_classes, rankings_of

ALPHA = 0.05
MOST_TESTED = 1000  # rows of a permutation test
# Rows, and numbers in these rows, that the error is measured on.
MOST_MEASURED = 20_000
MOST_NUMBERS = 1_000_000


class Conclusion(Enum):
    """Whether models predict the target, with the phrase that says so."""

    WORSE = "worse than chance"
    NOT_SHOWN = "not shown"
    NOT_SHOWN_ELSEWHERE = "not shown for rows of another time or group"
    IN_DECISIONS = "better than chance in decisions"
    IN_PROBABILITIES = "better than chance only in probabilities"


@dataclass(frozen=True, kw_only=True)
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
        if not self.p_values:
            return np.nan
        smallest = min(self.p_values.values())
        return min(1.0, len(self.p_values) * smallest)

    @property
    def is_significant(self):
        """Whether a relation is shown at a level of 0.05."""
        return self.p_value <= ALPHA and self.is_useful


@dataclass(frozen=True, kw_only=True)
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
        candidates = list(self.unlike.values())
        failing = [
            evidence for evidence in candidates if not evidence.is_significant
        ]
        if failing:
            candidates = failing
        return max(
            candidates, key=lambda evidence: evidence.error, default=self
        )

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
    def conclusion(self):
        """The result, a `Conclusion`."""
        if self.is_worse:
            return Conclusion.WORSE
        if not self.is_significant:
            return Conclusion.NOT_SHOWN
        if not self.holds_elsewhere:
            return Conclusion.NOT_SHOWN_ELSEWHERE
        _, upper_end = self.leading.interval
        if upper_end < self.baseline:
            return Conclusion.IN_DECISIONS
        return Conclusion.IN_PROBABILITIES

    @property
    def verdict(self):
        """The result, in one of five phrases."""
        return self.conclusion.value

    @property
    def holds_elsewhere(self):
        """Whether a relation is shown with rows that depend on each other together."""
        return all(evidence.is_significant for evidence in self.unlike.values())

    @property
    def columns_are_judged(self):
        """Whether there is a p-value, and no sign that a relation ends with a group.

        It is False, too, where a relation is not shown for rows of other groups.
        """
        return not np.isnan(self.p_value) and self.holds_elsewhere

    @property
    def is_signal(self):
        """Whether the columns predict the target better than chance."""
        return self.conclusion in (
            Conclusion.IN_DECISIONS,
            Conclusion.IN_PROBABILITIES,
        )

    @property
    def detectable(self):
        """The largest error that is better than chance in the rows of the test."""
        low, high = self.interval
        factor = np.sqrt(self.n_rows / self.n_tested)
        half_width = (high - low) / 2 * factor
        return max(0.0, self.baseline - half_width)

    def to_frame(self):
        """Return a DataFrame with one row per model, and one for the best."""
        errors = {
            **self.errors,
            "best of these, chosen on other rows": self.error,
        }
        columns = {"error": errors, "baseline": self.baseline}
        return as_frame(columns, list(errors))


def measure_evidence(
    part, X, groups, permuters, tested=None, *, seed, n_jobs=None, verbose=False
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
    permuters : dict of str to function
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
    jobs = {"n_jobs": n_jobs, "verbose": verbose}
    choice = choice_of(part, X, groups, models, seed, **jobs)
    least_score = choice.least_score
    tested_rows = slice(None)
    if tested is not None and len(tested) < len(X):
        # The score of the tested rows alone is computed anew.
        least_score = None
        tested_rows = tested
    p_values = significance(
        part[tested_rows],
        X[tested_rows],
        groups[tested_rows],
        models,
        permuters,
        seed=seed,
        true=least_score,
        **jobs,
    )
    return Evidence(
        choice=choice,
        error=float(part.error(choice.losses)),
        interval=part.interval(choice.losses, groups),
        p_values=p_values,
        rankings=rankings_of(part, choice.predictions, groups),
        area=area_of_two_classes(part, choice.predictions, groups),
    )


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
    >>> result = separation(data, task, table.groups)
    >>> result.best, result.verdict, result.p_value
    ('random forest', 'better than chance in decisions', 0.05)
    """
    rows = task.sample(n_measured(data), seed)
    part = task.with_sample(rows)[rows]
    groups = groups[rows]
    tested = part.sample(MOST_TESTED, seed)
    rng = np.random.default_rng(seed)
    permuters = permutations_of(part.y[tested], groups[tested], declared, rng)
    evidence = measure_evidence(
        part,
        data.X[rows],
        groups,
        permuters,
        tested,
        seed=seed,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    without_leaks = np.nan
    if leaks is None:
        leaks = {}
    if leaks:
        order = rng.permutation(len(rows))
        X = data[rows].permuted(leaks, order)
        models = part.models(seed)
        choice = choice_of(part, X, groups, models, seed, n_jobs=n_jobs)
        without_leaks = float(part.error(choice.losses))
    return Separation(
        **vars(evidence),
        baseline=part.baseline(),
        leaks=leaks,
        without_leaks=without_leaks,
        n_rows=len(rows),
        n_tested=len(tested),
        task=task,
        rows=rows,
    )


def n_measured(data):
    """How many rows of a `NumericTable` the error is measured on."""
    most_rows = MOST_NUMBERS // data.X.shape[1]
    return min(MOST_MEASURED, max(MOST_TESTED, most_rows))
