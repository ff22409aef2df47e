"""Errors, intervals and p-values in the words of a page."""

from ...core import number_phrase, percent
from ...validation.intervals import INTERVAL_LEVEL
from ...validation.rankings import area_span

MOST_RANKED = 3  # rare classes whose ranking is in a sentence


def numbers_phrase(separation, evidence):
    """Error, interval and baseline of some `Evidence`, after areas of rare classes."""
    task = separation.task
    unit = ""
    if task.is_value:
        explained = 1 - evidence.error**2
        unit = f" standard deviations (R² {explained:.2f})"
    areas = ""
    if evidence.rankings:
        rankings = evidence.rankings[:MOST_RANKED]
        phrases = "; ".join(ranking.phrase for ranking in rankings)
        areas = f"{phrases}, by the {evidence.choice.best}; "
    error = task.percent(evidence.error)
    level = percent(evidence.interval_level)
    span = task.span(evidence.interval)
    baseline = task.percent(separation.baseline)
    return (
        f"{areas}error {error}{unit}, {level} interval {span}, baseline"
        f" {baseline}"
    )


def area_phrase(evidence):
    """Area under the ROC curve of some `Evidence`, for two classes its interval."""
    if evidence.area is None:
        mean_area = number_phrase(evidence.choice.auc, 2)
        return (
            "mean area under the ROC curve, each class against the rest,"
            f" {mean_area}"
        )
    area, interval = evidence.area
    return (
        f"area under the ROC curve {number_phrase(area, 2)},"
        f" {area_interval_phrase(interval)}"
    )


def area_interval_phrase(interval):
    """The interval of an area under a curve, with its level."""
    return f"{percent(INTERVAL_LEVEL)} interval {area_span(interval)}"


def p_phrase(evidence):
    """The p-value in words, and which permutations it is from."""
    if not evidence.p_values:
        return "too few independent groups (6) or parts of the file (20) for a p-value"
    permutations = min(evidence.p_values, key=evidence.p_values.get)
    return f"p = {evidence.p_value:.2f}, permutations: {permutations}"
