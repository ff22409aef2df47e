"""Reasons to doubt the figures of a page, each with its remedy."""

from functools import partial

import numpy as np

from ...core import and_list, count_phrase, number_phrase, percent
from ...validation.map_validation import VISIBLE_FRACTION
from ...validation.naming import NEIGHBOURS
from ...validation.splits import FEWEST_OF_CLASS
from ..generated_code import as_arguments, command_of
from ..richtext import RichText
from .errors import MOST_RANKED, p_phrase

WARNING, NOTE = "warning", "note"
UNEQUAL_BASELINE = 0.2  # a smaller one is of classes that are very unequal


def show_notes(look):
    """The reasons to doubt the figures of the summary."""
    remarks = remarks_on(
        look.separation_,
        dependence=look.dependence_,
        supervised=look.map_.supervised,
        row_names=look.table_.row_names,
        is_declared=look.is_declared,
        command=partial(command_of, look),
    )
    return RichText(remarks=remarks)


def remarks_on(
    separation,
    *,
    dependence,
    supervised,
    row_names,
    is_declared,
    command=as_arguments,
):
    """What endangers a `Separation`, each with its remedy, as pairs for `RichText`.

    `command(groups=column)` returns what to call with this argument, to copy.
    """
    yield from _leak_notes(separation, command)
    for kind, link in dependence.linked.items():
        held_out = dependence.evidence[kind]
        sentences = dependence_note(link, held_out, separation, command)
        if link.decides and _is_doubt(separation, held_out):
            yield WARNING, sentences
        else:
            yield NOTE, sentences
    if separation.is_worse or separation.opposed:
        yield WARNING, worse_note(separation, command)
    if not separation.is_significant and not separation.is_worse:
        yield (
            WARNING,
            f"{_detectable_phrase(separation)} More rows may show a relation; do not"
            " interpret the maps.",
        )
    # Dependent training rows are alike: the warning above has the cause.
    if _is_overfitted(supervised, separation) and not dependence.deciding:
        training_error = separation.task.percent(supervised.training_error)
        error = separation.task.percent(supervised.error)
        yield (
            WARNING,
            "The map shows its training rows better than held-out rows (error"
            f" {training_error} and {error}). Report the held-out error.",
        )
    if separation.task.kind == "classes":
        yield from _class_notes(separation)
    if row_names is None or dependence.linked or separation.opposed:
        return
    if not is_declared:
        yield NOTE, _independence_note(row_names)


def _leak_notes(separation, command):
    """Columns that predict the target alone, and the error without them."""
    task = separation.task
    for column, error in separation.leaks.items():
        size = f"an error of {task.percent(error)}"
        if task.kind == "labels":
            size = f"a correlation of {1 - error:.2f} with one of the labels"
        yield (
            WARNING,
            f"Possible data leak: `{column}` alone predicts the target with {size}. If"
            " it is recorded after the target, leave it out:"
            f" `{command(drop=[column])}`.",
        )
    if np.isfinite(separation.without_leaks):
        error = task.percent(separation.without_leaks)
        yield (
            NOTE,
            f"With {and_list(separation.leaks)} permuted the error is {error}.",
        )


def _is_doubt(separation, held_out):
    """Whether evidence on other groups or parts contradicts the error of known rows."""
    if not separation.is_judged(held_out):
        return False
    is_larger = held_out.interval[0] > separation.error
    return is_larger or not held_out.is_significant


def _is_overfitted(supervised, separation):
    """Whether a picture shows that the training error of a map is smaller."""
    gap = supervised.error - supervised.training_error
    is_below = supervised.training_error < supervised.interval[0]
    return is_below and gap > VISIBLE_FRACTION * separation.baseline


def _class_notes(separation):
    """Classes that are too few, or too frequent, to be judged by the error."""
    if separation.baseline < UNEQUAL_BASELINE:
        largest = percent(1 - separation.baseline)
        yield (
            WARNING,
            f"One class has {largest} of the rows. A small error is possible without"
            " finding the others: read the confusion matrix.",
        )
    small_classes = _small_classes(separation.task)
    if small_classes:
        yield (
            WARNING,
            f"Too few rows to judge the accuracy of {and_list(small_classes)}: of a"
            f" class it takes {FEWEST_OF_CLASS} rows to know it within 20 percentage"
            " points.",
        )


def _independence_note(row_names):
    """Which columns were tested as names of groups, and what cannot be detected."""
    tested = "No column has values that repeat as names of groups do"
    if row_names.candidates:
        names = and_list(f"`{name}`" for name in row_names.candidates)
        tested = f"Tested as names of groups: {names}"
    return (
        f"No dependence among rows was detected. {tested}. Groups that no column names"
        " cannot be detected: if rows share a person or place, add that column and name"
        " it with `groups`."
    )


def dependence_note(link, held_out, separation, command=as_arguments):
    """Sentences on a `Linked`: both errors, with the rows that each is for."""
    task = separation.task
    remedy = _remedy_of_dependence(link, command)
    error = task.percent(separation.error)
    start = f"{link.sentence}. For {held_out.known_rows} the error is {error}"
    if not separation.is_judged(held_out):
        relation = ""
        if held_out.is_significant:
            relation = f", but the relation holds there ({p_phrase(held_out)})"
        return (
            f"{start}; for {held_out.new_rows} it cannot be judged: too few independent"
            f" parts or groups{relation}. {remedy}"
        )
    doubts = ""
    if not held_out.is_significant:
        doubts = "; no relation is shown there"
    if not held_out.is_useful:
        doubts += ", a constant prediction is as good"
    span = task.span(held_out.interval)
    return (
        f"{start}; for {held_out.new_rows} it is {task.percent(held_out.error)} (90 %"
        f" interval {span}; {p_phrase(held_out)}){doubts}. {remedy}"
    )


def _remedy_of_dependence(link, command):
    """What to do about a `Linked`."""
    if link.is_order:
        return (
            "If this is an order of time or place, hold out the last rows with `test`;"
            " if the rows were only arranged, shuffle them."
        )
    if not link.decides:
        return "The verdict is about these values, as `keep` says."
    if link.column:
        return (
            "If these are persons, or others of which new ones will come, keep the rows"
            f" of each together: `{command(groups=link.column)}`. If new rows will have"
            " the same values, as kinds or places do that are all here:"
            f" `{command(keep=[link.column])}`."
        )
    return "Name the groups with `groups`, or keep one row of each."


def worse_note(separation, command=as_arguments):
    """What may be the reason of errors above the baseline, and the remedy."""
    groups = "groups"
    if separation.opposed and separation.opposed != NEIGHBOURS:
        groups = command(groups=separation.opposed)
    remedy = (
        f"Keep rows of a set together (`{groups}`), or use differences within the set"
        " as columns."
    )
    if not separation.opposed:
        return (
            "The error is above the baseline. Pairs or sets of rows with different"
            " targets, such as couples or judges of the same wines, have this effect;"
            f" no column names them. {remedy} In one of twenty tables this happens by"
            " chance."
        )
    if separation.opposed == NEIGHBOURS:
        return (
            "Rows that are most alike in the columns have different targets more often"
            " than by chance, as in pairs or sets with one row of each target: errors"
            f" of cross-validation by rows are too large. {remedy}"
        )
    return (
        f"Rows of one value of `{separation.opposed}` have different targets, more"
        " often than by chance, so that errors of cross-validation by rows are too"
        f" large. {remedy}"
    )


def _detectable_phrase(separation):
    """What a `Separation` could have distinguished from chance in the tested rows."""
    if separation.rankings:
        areas = [
            f"{number_phrase(ranking.chance_area, 2)} for {ranking.name}"
            for ranking in separation.rankings
        ]
        return (
            "By chance alone, areas under the ROC curve of up to"
            f" {and_list(areas, MOST_RANKED)} are to be expected."
        )
    rows = f"With {count_phrase(separation.n_tested, 'row')}"
    if not separation.detectable:
        return f"{rows} no error can be distinguished from the baseline."
    limit = separation.task.percent(separation.detectable)
    return (
        f"{rows} only an error below {limit} can be distinguished from the"
        " baseline."
    )


def _small_classes(task):
    """Classes of too few rows to judge their accuracy, and far below an equal part."""
    classes, counts = np.unique(task.y, return_counts=True)
    equal_part = len(task.y) / len(classes)
    fewest = min(FEWEST_OF_CLASS, equal_part / 2)
    phrases = []
    for name, count in zip(classes, counts, strict=True):
        if count < fewest:
            rows = count_phrase(count, "row")
            phrases.append(f"{task.name_of(name)} ({rows})")
    return phrases
