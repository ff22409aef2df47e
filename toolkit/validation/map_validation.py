"""The result of `validate_map`: errors of a map in words and as a table."""

from dataclasses import dataclass, field

import numpy as np

from ..core import as_frame, percent
from .intervals import INTERVAL_LEVEL

ORIGINAL_COLUMNS = "the columns themselves"
ALPHA = 0.05
# A difference of this fraction of the baseline is one that a picture shows.
VISIBLE_FRACTION = 0.1


@dataclass(frozen=True, kw_only=True)
class MapValidation:
    """Errors of a map on rows that it was not fitted to; `validate_map` makes one.

    Parameters
    ----------
    error : float
        Error on held-out rows, predicted by their nearest training rows in the map.
    interval : (float, float)
        Interval of that error, of level `interval_level`. Where one map without target
        and without `transform` has all rows, these share their neighbours: the interval
        is computed at level (1 + `interval_level`) / 2, to contain the error as often.
    training_error : float
        Error on training rows, predicted by the others, as the picture shows it.
    optimism : (float, (float, float))
        Error minus training error, and its interval.
    p_value : float
        The p-value by permuted targets; NaN where there are too few groups to permute.
    permuted_error, permuted_training_error : float
        Medians over the permuted targets; NaN where there were none.
    baseline : float
        Error of the best constant prediction, which does not use the map.
    others : dict of str to (float, (float, float))
        Error minus that of another map of the same rows, and its interval.
    n_rows, n_permutations : int
        Numbers of held-out rows and of permuted targets.
    smallest_p : float
        The smallest p-value that was possible.
    target : Target
        Target of all rows.
    losses : ndarray of shape (n,)
        Loss of each row where it was held out, NaN for the others.
    interval_level : float, default=0.9
        Level of the intervals.

    Attributes
    ----------
    verdict : str
        Conclusion, one of four phrases.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from toolkit import validate_map
    >>> X, y = load_iris(return_X_y=True)
    >>> validation = validate_map(PCA(2), X, y, n_permutations=1, verbose=False)
    >>> validation.n_rows, round(validation.baseline, 2), round(validation.error, 2)
    (150, 0.67, 0.04)
    """

    error: float
    interval: tuple
    training_error: float
    optimism: tuple
    p_value: float
    permuted_error: float
    permuted_training_error: float
    baseline: float
    others: dict
    n_rows: int
    n_permutations: int
    smallest_p: float
    target: object = field(repr=False)
    losses: np.ndarray = field(repr=False)
    interval_level: float = INTERVAL_LEVEL

    @property
    def verdict(self):
        """Conclusion, one of four phrases."""
        if not self.p_value <= ALPHA:
            return "not shown to separate"
        _, (low, _) = self.others[ORIGINAL_COLUMNS]
        if low > 0:
            return "not better than the neighbours in the columns"
        gap, (low, _) = self.optimism
        if low > 0 and gap > VISIBLE_FRACTION * self.baseline:
            return "separates held-out rows, but the picture exaggerates"
        return "separates held-out rows about as drawn"

    def summary(self):
        """Describe the validation in five sentences.

        Returns
        -------
        summary : str
            Held-out error, training error, permuted targets, other maps and verdict,
            one sentence per line.
        """
        target = self.target
        level = self.interval_level
        comparisons = []
        for name, (difference, ends) in self.others.items():
            error = target.percent(self.error - difference)
            phrase = target.difference_phrase(difference, ends, level)
            comparisons.append(f"{name} {error}, this map's is {phrase}")
        held_out = (
            f"Held-out error ({target.error_name}): {target.percent(self.error)}"
            f" ({percent(level)} interval {target.span(self.interval)};"
            f" {self.n_rows:,} rows); baseline {target.percent(self.baseline)}."
        )
        gap = target.difference_phrase(*self.optimism, level)
        training = (
            "Training error, which a picture of the training rows shows:"
            f" {target.percent(self.training_error)}; the held-out one is {gap}."
        )
        permuted = "No permuted target was evaluated, so there is no p-value."
        if self.n_permutations:
            permuted = (
                "With permuted targets: training"
                f" {target.percent(self.permuted_training_error)}, held out"
                f" {target.percent(self.permuted_error)} (medians of"
                f" {self.n_permutations}); p = {self.p_value:.2f}, and none below"
                f" {self.smallest_p:.2f} was possible."
            )
        compared = "; ".join(comparisons)
        compared = f"Held-out errors of others at the same rows: {compared}."
        verdict = f"Verdict: {self.verdict}."
        return "\n".join([held_out, training, permuted, compared, verdict])

    def to_frame(self):
        """Return the errors as a table, training and held out, with intervals.

        Returns
        -------
        frame : DataFrame of shape (n_maps, 4)
            One row per map, with columns ``training error``, ``held-out error``,
            ``from`` and ``to``.
        """
        low, high = self.interval
        training_errors = {
            "this map": self.training_error,
            "permuted targets": self.permuted_training_error,
        }
        held_out_errors = {
            "this map": self.error,
            "permuted targets": self.permuted_error,
            "baseline": self.baseline,
        }
        for name, (difference, _) in self.others.items():
            held_out_errors[name] = self.error - difference
        return as_frame(
            {
                "training error": training_errors,
                "held-out error": held_out_errors,
                "from": {"this map": low},
                "to": {"this map": high},
            },
            list(held_out_errors),
        )
