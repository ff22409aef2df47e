"""Ranking of rare classes: area under the ROC curve and average precision.

A constant prediction of the most frequent class has a small error where the others are
rare. The order of the rows by their probability of a rare class tells whether the class
can be found.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm, rankdata, t
from sklearn.metrics import average_precision_score

from ..core import number_phrase, percent
from .intervals import INTERVAL_LEVEL, units_of


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """How well predictions rank the rows of a rare class before the others.

    Attributes
    ----------
    name : str
        Name of the class.
    n_rows, n_others : int
        Numbers of its rows and of the others.
    baseline : float
        Proportion of the class, which is the average precision of a random order.
    area : float
        Area under the ROC curve, the class against the rest.
    interval : (float, float)
        Interval of the area, of level 0.9.
    average_precision : float
        Average precision.
    """

    name: str
    n_rows: int
    n_others: int
    baseline: float
    area: float
    interval: tuple
    average_precision: float

    @property
    def chance_area(self):
        """The area that random orders exceed with a probability of 0.05."""
        n_pairs = self.n_rows * self.n_others
        variance = (self.n_rows + self.n_others + 1) / (12 * n_pairs)
        return min(1.0, 0.5 + norm.isf(0.05) * np.sqrt(variance))

    @property
    def span(self):
        """The interval in words."""
        return f"{percent(INTERVAL_LEVEL)} interval {area_span(self.interval)}"

    @property
    def short_phrase(self):
        """Area in words."""
        area = number_phrase(self.area, 2)
        return f"area under ROC of {self.name} {area} ({self.span})"

    @property
    def phrase(self):
        """Area and average precision in words."""
        precision = number_phrase(self.average_precision, 2)
        baseline = number_phrase(self.baseline, 2)
        precision = f"average precision {precision} (baseline {baseline})"
        return f"{self.short_phrase}, {precision}"


def area_span(interval):
    """An interval of areas under a curve in words, such as "0.61 to 0.74"."""
    low, high = interval
    return f"{number_phrase(low, 2)} to {number_phrase(high, 2)}"


def rankings_of(target, predictions, groups):
    """Compute the `Ranking` of each rare class that some of the rows have.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    predictions : ndarray of shape (n_repeats, n, n_classes)
        Probabilities of the classes.
    groups : ndarray of shape (n,)
        Rows of equal values depend on each other.

    Returns
    -------
    rankings : list of Ranking
        The rarest class first.
    """
    rankings = []
    classes = target.classes.tolist()
    for label in target.rare_classes:
        is_class = target.y == label
        if not is_class.any() or is_class.all():
            continue
        scores = predictions[:, :, classes.index(label)]
        area, interval = area_under_roc(is_class, scores, groups)
        precisions = [
            average_precision_score(
                is_class, scores_of_repeat, sample_weight=target.weights
            )
            for scores_of_repeat in scores
        ]
        baseline = np.average(is_class, weights=target.weights)
        ranking = Ranking(
            name=target.name_of(label),
            n_rows=int(is_class.sum()),
            n_others=int((~is_class).sum()),
            baseline=float(baseline),
            area=area,
            interval=interval,
            average_precision=float(np.mean(precisions)),
        )
        rankings.append(ranking)
    return rankings


def area_of_two_classes(target, predictions, groups):
    """Compute the area under the ROC curve of two classes, with its interval.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    predictions : ndarray of shape (n_repeats, n, n_classes)
        Probabilities of the classes.
    groups : ndarray of shape (n,)
        Rows of equal values depend on each other.

    Returns
    -------
    area : (float, (float, float)) or None
        Area under the curve and its interval of level 0.9; None if there are not two
        classes among the rows.
    """
    if target.kind != "classes" or len(np.unique(target.y)) != 2:
        return None
    if len(target.classes) != 2:
        return None
    is_class = target.y == target.classes[1]
    return area_under_roc(is_class, predictions[:, :, 1], groups)


def area_under_roc(is_class, scores, groups, level=INTERVAL_LEVEL):
    """Compute the area under the ROC curve of a class, with its interval.

    Parameters
    ----------
    is_class : ndarray of bool, shape (n,)
        Rows of the class.
    scores : ndarray of shape (n_repeats, n)
        Scores of the rows, larger for those that are predicted as of the class; the
        area is the mean over the repeats.
    groups : ndarray of shape (n,)
        Rows of equal values depend on each other.
    level : float, default=0.9
        Level of the interval.

    Returns
    -------
    area : float
        Area under the curve.
    interval : (float, float)
        Interval by DeLong's variance on the logit scale, whose influences are summed in
        each group, times 2 - (2a - 1)^2 for an area a: where an order is by chance, the
        covariance of two folds counts twice, as each trains the models of the other,
        and where it is perfect there is none. The interval is not narrower than
        Newcombe's score interval of as many rows as there are groups: of a few rows
        that rank nearly perfectly, DeLong's variance is too small. For an area of 1 the
        lower end is that at which all of the m groups of the smaller side rank so with
        a probability of 0.05, 0.05^(1/m); for an area of 0 alike.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more
    correlated receiver operating characteristic curves.

    Newcombe (2006), Confidence intervals for an effect size measure based on the
    Mann-Whitney statistic, part 2: method 5.

    Examples
    --------
    >>> is_class = np.array([True, True, False, False])
    >>> scores = np.array([[0.9, 0.2, 0.4, 0.1]])
    >>> area_under_roc(is_class, scores, np.arange(4))[0]
    0.75
    """
    placements_of_repeats = [
        _placements(is_class, scores_of_repeat) for scores_of_repeat in scores
    ]
    placements = np.mean(placements_of_repeats, axis=0)
    area = float(placements[is_class].mean())
    influences = placements - area
    n_groups = []
    for rows in (is_class, ~is_class):
        n = len(np.unique(groups[rows]))
        correction = np.sqrt(n / max(n - 1, 1))
        influences[rows] *= correction / rows.sum()
        n_groups.append(n)
    n_smaller_side = min(n_groups)
    if n_smaller_side < 2:
        return area, (0.0, 1.0)
    bound = ((1 - level) / 2) ** (1 / n_smaller_side)
    if area == 1:
        return area, (bound, 1.0)
    if area == 0:
        return area, (0.0, 1 - bound)
    low, high = _delong_interval(area, influences, groups, level)
    score_low, score_high = _newcombe_interval(area, n_groups, level)
    return area, (float(min(low, score_low)), float(max(high, score_high)))


def _delong_interval(area, influences, groups, level):
    """Interval of an area by DeLong's variance, on the logit scale."""
    sums = np.bincount(units_of(groups), influences)
    variance = (sums**2).sum() * (2 - (2 * area - 1) ** 2)
    error = np.sqrt(variance) / (area * (1 - area))
    half_width = t.ppf((1 + level) / 2, len(sums) - 1) * error
    logit_area = logit(area)
    return expit(logit_area - half_width), expit(logit_area + half_width)


def _newcombe_interval(area, n_groups, level):
    """Score interval of an area, of as many rows of both sides as there are groups."""
    quantile = norm.ppf((1 + level) / 2)

    def excess(a):
        """Square of the distance from `a`, less that at an end of the interval."""
        ratio = (1 - a) / (2 - a) + a / (1 + a)
        factor = 1 + (np.mean(n_groups) - 1) * ratio
        variance = a * (1 - a) * factor
        square_at_end = quantile**2 * variance / np.prod(n_groups)
        return (area - a) ** 2 - square_at_end

    return brentq(excess, 0, area), brentq(excess, area, 1)


def _placements(is_class, scores):
    """Fraction (n,) of the rows of the other side that each row is ranked right to."""
    all_ranks = rankdata(scores)
    placements = np.empty(len(scores))
    for rows in (is_class, ~is_class):
        ranks_of_side = rankdata(scores[rows])
        n_other_side = np.sum(~rows)
        placements[rows] = (all_ranks[rows] - ranks_of_side) / n_other_side
    placements[~is_class] = 1 - placements[~is_class]
    return placements
