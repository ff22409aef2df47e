"""Is there a relation? The verdict in a sentence, and the figures to report."""

from pathlib import Path

import numpy as np

from ...core import and_list, as_frame, count_phrase, number_phrase, percent
from ...validation.intervals import SMALLEST_P
from ..evidence import ALPHA
from ..features import EVIDENCE_KINDS
from ..richtext import RichText
from .errors import (
    MOST_RANKED,
    area_interval_phrase,
    area_phrase,
    numbers_phrase,
    p_phrase,
)
from .samples import IN_MAP, n_unlabelled, target_and_classes

NEARLY_ALL = 0.95  # of the predictions are the same class
COLUMNS_OF_SUMMARY = ["value", "interval or level", "baseline", "measured on"]


def show_summary(look):
    """Whether there is a relation, and the four figures to report."""
    look.compute()
    table = look.table_
    n, d = table.features.shape
    size = count_phrase(n, "row")
    subject = "columns"
    if look.is_matrix:
        subject = "similarities or distances"
    else:
        size += f", {count_phrase(d, 'column')}"
    file = Path(look.arguments["file"]).name
    facts = (
        f"{file}: {size}; target: {target_and_classes(table)}; random seed"
        f" {look.seed}."
    )
    target = "the labels"
    if table.target:
        target = f"`{table.target}`"
    separation = look.separation_
    lines = _error_lines(separation, n)
    lines |= _p_value_line(separation, n)
    lines |= _map_line(look)
    if look.bounds_ is not None:
        lines |= _columns_line(look.bounds_, separation, n)
    frame = as_frame(lines, COLUMNS_OF_SUMMARY).T.rename_axis("figure")
    return RichText([facts, verdict(separation, subject, target)], frame)


# ---- the verdict, as a sentence


def verdict(separation, subject, target):
    """Sentences on a `Separation`: whether the `subject` predict the target."""
    numbers = numbers_phrase(separation, separation)
    if separation.is_worse:
        return f"The {subject} predict {target} worse than chance: {numbers}."
    if not separation.is_significant:
        return f"No relation between the {subject} and {target} is shown: {numbers}."
    leading = separation.leading
    predict = f"The {subject} predict {target}"
    rank = f"The {subject} rank rows by the classes of {target}"
    if separation.unlike:
        start = f"For {leading.known_rows} the {subject} predict {target}: {numbers}."
        new = f"For {leading.new_rows}"
        is_judged = separation.is_judged(leading)
        if not separation.holds_elsewhere:
            reason = (
                "this cannot be judged: too few independent parts or groups"
            )
            if is_judged:
                reason = (
                    "no relation is shown:"
                    f" {numbers_phrase(separation, leading)}"
                )
            return f"{start} {new} {reason}."
        if not is_judged:
            return (
                f"{start} {new} they predict it, too ({p_phrase(leading)}); with which"
                " error cannot be judged: too few independent parts or groups."
            )
        predict = f"{new} the {subject} predict {target}"
        rank = f"{new} the {subject} rank rows by the classes of {target}"
        error = separation.task.percent(separation.error)
        numbers = (
            f"{numbers_phrase(separation, leading)}. For {leading.known_rows} the error"
            f" is {error}"
        )
    if leading.interval[1] < separation.baseline:
        return f"{predict} better than chance: {numbers}."
    if separation.task.kind != "classes":
        return f"{predict} slightly better than chance: {numbers}."
    area = ""
    if not leading.rankings:
        area = f" ({area_phrase(leading)})"
    return (
        f"{rank} better than chance{area}, but an error below the baseline is not"
        f" shown: {numbers}.{_constant_phrase(separation.task, leading)}"
    )


def _constant_phrase(task, evidence):
    """Which class nearly all rows are predicted as, if there is one."""
    predicted = evidence.choice.predictions.argmax(axis=-1).ravel()
    counts = np.bincount(predicted, minlength=len(task.classes))
    fraction = counts.max() / len(predicted)
    if fraction < NEARLY_ALL:
        return ""
    most_frequent = task.name_of(task.classes[counts.argmax()])
    return (
        f" The most probable class is {most_frequent} for {percent(fraction)} of the"
        " rows."
    )


# ---- lines of the table: value, interval or level, baseline, measured on


def _error_lines(separation, n):
    """Errors of the rows: those that the verdict uses come first."""
    task = separation.task
    leading = separation.leading
    lines = lines_elsewhere(separation)
    suffix = ""
    if separation.unlike:
        suffix = f", {leading.known_rows}"
    if not separation.unlike or not separation.is_judged(leading):
        lines |= ranking_lines(separation, suffix)
    rows = f"{separation.n_rows:,} of {count_phrase(n, 'row')}"
    measured_on = f"{rows}, best of {len(separation.errors)} models"
    mean_area = separation.choice.auc
    # The area of two classes has a line, with its interval.
    if mean_area > 0 and separation.area is None:
        measured_on += f"; ROC AUC {number_phrase(mean_area, 2)}"
    lines[f"Cross-validated error, {task.error_name}{suffix}"] = (
        task.percent(separation.error),
        f"90 % interval {task.span(separation.interval)}",
        task.percent(separation.baseline),
        measured_on,
    )
    lines |= area_line(separation, suffix)
    return lines


def lines_elsewhere(separation):
    """Lines of a summary: errors of a `Separation` for other groups or parts."""
    if not separation.unlike:
        return {}
    task = separation.task
    leading = separation.leading
    # Names of rows are text in a table, without marks of code.
    suffix = ", " + leading.new_rows.replace("`", "")
    name = f"Cross-validated error, {task.error_name}{suffix}"
    baseline = task.percent(separation.baseline)
    measured_on = f"dependent rows in one fold; {p_phrase(leading)}"
    if not separation.is_judged(leading):
        reason = "too few independent parts or groups"
        return {name: ("cannot be judged", reason, baseline, measured_on)}
    lines = ranking_lines(leading, suffix)
    interval = f"90 % interval {task.span(leading.interval)}"
    error = task.percent(leading.error)
    lines[name] = (error, interval, baseline, measured_on)
    lines |= area_line(leading, suffix)
    return lines


def ranking_lines(evidence, suffix):
    """Lines of a summary: how well the rarest classes of some rows are ranked."""
    lines = {}
    model = evidence.choice.best
    for ranking in evidence.rankings[:MOST_RANKED]:
        rows = count_phrase(ranking.n_rows + ranking.n_others, "row")
        lines[f"Area under ROC of {ranking.name}{suffix}"] = (
            number_phrase(ranking.area, 2),
            ranking.span,
            "0.50",
            f"{rows}, {ranking.n_rows:,} of {ranking.name}; {model}",
        )
        lines[f"Average precision of {ranking.name}{suffix}"] = (
            number_phrase(ranking.average_precision, 2),
            "",
            number_phrase(ranking.baseline, 2),
            f"the same rows; {model}",
        )
    return lines


def area_line(evidence, suffix):
    """Line of a summary: the area under the ROC curve of two classes of some rows."""
    if evidence.area is None or evidence.rankings:
        return {}
    area, interval = evidence.area
    return {
        f"Area under the ROC curve{suffix}": (
            number_phrase(area, 2),
            area_interval_phrase(interval),
            "0.50",
            f"the same rows; {evidence.choice.best}",
        )
    }


def _p_value_line(separation, n):
    name = "p-value"
    if separation.unlike:
        name += f", {separation.leading.known_rows}"
    p_value = "too few groups"
    if separation.p_values:
        p_value = f"{separation.p_value:.2f}"
    tested = f"{separation.n_tested:,} of {count_phrase(n, 'row')}"
    return {
        name: (
            p_value,
            f"level {ALPHA}; smallest possible {SMALLEST_P:.2g}",
            "permuted targets",
            f"permutation test on {tested}",
        )
    }


def _map_line(look):
    """The held-out error of the supervised map."""
    task = look.task
    supervised = look.map_.supervised
    rows = supervised.measured_on
    if n_unlabelled(look):
        rows += " (those with a label)"
    return {
        f"Held-out error of the map, {task.error_name}": (
            task.percent(supervised.error),
            f"90 % interval {task.span(supervised.interval)}",
            task.percent(look.map_.task.baseline()),
            f"{rows}, {IN_MAP}",
        )
    }


def _columns_line(features, separation, n):
    """The strongly relevant columns."""
    strong = features.of(EVIDENCE_KINDS[0])
    weak = features.of(EVIDENCE_KINDS[1])
    names = f"{and_list(strong, 2)} ({len(strong)} of {len(features.names)})"
    if weak and not strong:
        names += f"; associated: {len(weak)}"
    if not separation.columns_are_judged:
        names = "not judged"
    tested = f"{separation.n_tested:,} of {count_phrase(n, 'row')}"
    return {
        "Strongly relevant columns": (
            names,
            f"level {ALPHA} for all columns together",
            "",
            f"{tested}, {features.model}",
        )
    }
