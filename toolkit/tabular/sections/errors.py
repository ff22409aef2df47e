"""Errors of a page: each with its rows and protocol; words for errors and p-values."""

from ...core import and_list, as_frame, number_phrase, percent
from ...validation.intervals import INTERVAL_LEVEL
from ...validation.rankings import area_span
from .samples import IN_MAP

COLUMNS_OF_ERRORS = [
    "error",
    "interval",
    "level",
    "rows",
    "protocol",
    "classifier",
]
MOST_RANKED = 3  # rare classes whose ranking is in a sentence


def errors_of_page(look):
    """Every error of the page, as a DataFrame."""
    lines = _errors_of_models_chosen(look)
    lines |= _errors_of_maps(look)
    for model in look.models_:
        lines[f"{model.name}, decision map"] = _line(
            look.task,
            model,
            level=model.level,
            n_rows=model.n_rows,
            protocol=model.rows,
            classifier=model.name,
        )
    return as_frame(lines, COLUMNS_OF_ERRORS).T.rename_axis("error of")


def _line(task, result, *, n_rows, protocol, classifier, level=INTERVAL_LEVEL):
    """Values of `COLUMNS_OF_ERRORS` for something with an error and an interval."""
    return [
        task.percent(result.error),
        task.span(result.interval),
        percent(level),
        n_rows,
        protocol,
        classifier,
    ]


def _errors_of_models_chosen(look):
    """Errors of the best model, with rows as they are and with linked rows together."""
    separation = look.separation_
    models = and_list(separation.errors)
    evidence_of = {"chosen on other folds": separation}
    evidence_of |= look.dependence_.evidence
    lines = {}
    for kind, evidence in evidence_of.items():
        n_repeats, n_rows = evidence.choice.predictions.shape[:2]
        protocol = "cross-validation, up to 5 folds"
        if n_repeats > 1:
            protocol += f", {n_repeats} times"
        if evidence is not separation:
            protocol += f"; {kind}: linked rows in one fold"
        lines[f"best model, {kind}"] = _line(
            look.task,
            evidence,
            n_rows=n_rows,
            protocol=protocol,
            classifier=models,
        )
    return lines


def _errors_of_maps(look):
    """Errors of the supervised, unsupervised, control and linear map."""
    comparison = look.map_
    map_of = {
        "supervised map": comparison.supervised,
        "unsupervised map": comparison.unsupervised,
        "map of permuted targets": comparison.permuted,
    }
    if look.linear_map_ is not None:
        map_of["linear projection"] = look.linear_map_.map
    lines = {}
    for name, result in map_of.items():
        training_error = look.task.percent(result.training_error)
        lines[name] = _line(
            look.task,
            result,
            n_rows=len(result.losses),
            protocol=f"{result.protocol}; training error {training_error}",
            classifier=IN_MAP,
        )
    return lines


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
