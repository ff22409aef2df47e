"""Relevance of the columns of a table: kinds, measures and their picture."""

from dataclasses import dataclass

import numpy as np

from ..bounds.base import EVIDENCE_KINDS
from ..core import as_frame, check_option
from ..plots import EvidenceDisplay

# No column has another kind if no relation is shown for the rows that matter.
NOT_JUDGED = "not judged"
ALL_KINDS = (*EVIDENCE_KINDS, NOT_JUDGED)
# Probability that any column of noise is found. Weights, forest and association share
# that of weakly relevant columns.
RELEVANCE_LEVEL = 0.05
MOST_COLUMNS_DRAWN = 25


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
    smallest = np.finfo(float).tiny
    return evidence.upper / np.maximum(evidence.level, smallest)


def _log_ratio(p_values, level):
    """Logarithms of p-values (d,) over that of the level below which they count."""
    return np.log(p_values) / np.log(level)
