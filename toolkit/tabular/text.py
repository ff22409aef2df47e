"""Findings as sentences, computed from their numbers."""

import numpy as np

from ..core import and_list, capital, count_phrase, number_phrase, percent
from ..validation.intervals import INTERVAL_LEVEL
from ..validation.map_validation import VISIBLE_FRACTION
from ..validation.opposed import NEIGHBOURS
from ..validation.rankings import area_span
from ..validation.samples import FEWEST_OF_CLASS
from .features import FEW_COLUMNS, KINDS

MOST_RARE = 3  # classes whose ranking is in a sentence
NEARLY_ALL = 0.95  # of the predictions are the same class
RARE = 0.2  # baseline of classes that are very unequal


# ---- findings, as sentences computed from the numbers ----


def verdict(found, subject, target):
    """Sentences on a `Separation`: whether the `subject` predict the target."""
    task = found.task
    numbers = numbers_phrase(found, found)
    if found.is_worse:
        return f"The {subject} predict {target} worse than chance: {numbers}."
    if not found.is_significant:
        return f"No relation between the {subject} and {target} is shown: {numbers}."
    leading = found.leading
    subject = f"The {subject}"
    if found.unlike:
        of_leading = numbers_phrase(found, leading)
        elsewhere = f"For {leading.new_rows}"
        if not found.holds_elsewhere:
            shown = f"no relation is shown: {of_leading}"
            if not found.is_judged(leading):
                shown = (
                    "this cannot be judged: too few independent parts or groups"
                )
            return (
                f"For {leading.known_rows} {subject.lower()} predict {target}:"
                f" {numbers}. {elsewhere} {shown}."
            )
        if not found.is_judged(leading):
            return (
                f"For {leading.known_rows} {subject.lower()} predict {target}:"
                f" {numbers}. {elsewhere} they predict it, too ({p_phrase(leading)});"
                " with which error cannot be judged: too few independent parts or"
                " groups."
            )
        subject = f"{elsewhere} {subject.lower()}"
        error = task.percent(found.error)
        numbers = f"{of_leading}. For {leading.known_rows} the error is {error}"
    if leading.interval[1] < found.baseline:
        return f"{subject} predict {target} better than chance: {numbers}."
    if task.kind == "classes":
        area = ""
        if not leading.rankings:
            area = f" ({area_phrase(leading)})"
        return (
            f"{subject} rank rows by the classes of {target} better than chance{area},"
            f" but an error below the baseline is not shown: {numbers}."
            f"{constant_phrase(task, leading)}"
        )
    return f"{subject} predict {target} slightly better than chance: {numbers}."


def area_phrase(evidence):
    """Area under the ROC curve of some `Evidence`, for two classes its interval."""
    if evidence.area is None:
        area = number_phrase(evidence.choice.auc, 2)
        return f"mean area under the ROC curve, each class against the rest, {area}"
    area, interval = evidence.area
    return (
        f"area under the ROC curve {number_phrase(area, 2)}, {percent(INTERVAL_LEVEL)}"
        f" interval {area_span(interval)}"
    )


def lines_elsewhere(found, unit):
    """Lines of a summary: errors of a `Separation` for other groups or parts."""
    if not found.unlike:
        return {}
    leading = found.leading
    # names of rows of a table are text, without marks of code
    where = ", " + leading.new_rows.replace("`", "")
    name = f"Cross-validated error, {unit}{where}"
    baseline = found.task.percent(found.baseline)
    measured_on = f"dependent rows in one fold; {p_phrase(leading)}"
    if not found.is_judged(leading):
        why = "too few independent parts or groups"
        return {name: ("cannot be judged", why, baseline, measured_on)}
    error = found.task.percent(leading.error)
    interval = f"90 % interval {found.task.span(leading.interval)}"
    return {
        **ranking_lines(leading, where),
        name: (error, interval, baseline, measured_on),
        **area_line(leading, where),
    }


def ranking_lines(evidence, where):
    """Lines of a summary: how well the rarest classes of some rows are ranked."""
    lines = {}
    for each in evidence.rankings[:MOST_RARE]:
        n = each.n_rows + each.n_others
        lines[f"Area under ROC of {each.name}{where}"] = (
            number_phrase(each.area, 2),
            each.span,
            "0.50",
            f"{count_phrase(n, 'row')}, {each.n_rows:,} of {each.name};"
            f" {evidence.choice.best}",
        )
        lines[f"Average precision of {each.name}{where}"] = (
            number_phrase(each.average_precision, 2),
            "",
            number_phrase(each.baseline, 2),
            f"the same rows; {evidence.choice.best}",
        )
    return lines


def area_line(evidence, where):
    """Line of a summary: the area under the ROC curve of two classes of some rows."""
    if evidence.area is None or evidence.rankings:
        return {}
    area, interval = evidence.area
    return {
        f"Area under the ROC curve{where}": (
            number_phrase(area, 2),
            f"{percent(INTERVAL_LEVEL)} interval {area_span(interval)}",
            "0.50",
            f"the same rows; {evidence.choice.best}",
        )
    }


def constant_phrase(task, evidence):
    """Which class nearly all rows are predicted as, if there is one."""
    predicted = evidence.choice.predictions.argmax(axis=-1).ravel()
    counts = np.bincount(predicted, minlength=len(task.classes))
    share = counts.max() / len(predicted)
    if share < NEARLY_ALL:
        return ""
    most_frequent = task.name_of(task.classes[counts.argmax()])
    rows = f"{percent(share)} of the rows"
    return f" The most probable class is {most_frequent} for {rows}."


def numbers_phrase(found, evidence):
    """Error, interval and baseline of some `Evidence`, after areas of rare classes."""
    task = found.task
    unit = ""
    if task.is_value:
        unit = f" standard deviations (R² {1 - evidence.error**2:.2f})"
    lead = ""
    if evidence.rankings:
        areas = [ranking.phrase for ranking in evidence.rankings[:MOST_RARE]]
        lead = f"{'; '.join(areas)}, by the {evidence.choice.best}; "
    return (
        f"{lead}error {task.percent(evidence.error)}{unit},"
        f" {percent(evidence.interval_level)} interval"
        f" {task.span(evidence.interval)}, baseline {task.percent(found.baseline)}"
    )


def p_phrase(found):
    """The p-value in words, and which permutations it is from."""
    if not found.p_values:
        return "too few independent groups (6) or parts of the file (20) for a p-value"
    how = min(found.p_values, key=found.p_values.get)
    return f"p = {found.p_value:.2f}, permutations: {how}"


def as_argument(**options):
    """The options, as arguments of a call."""
    return ", ".join(f"{name}={value!r}" for name, value in options.items())


def notes_on(
    found, dependence, maps, row_names, groups_named, command=as_argument
):
    """What endangers a `Separation`, each with its remedy, as pairs for `RichText`.

    `command(groups=column)` returns what to call with this argument, to copy.
    """
    task = found.task
    for column, alone in found.leaks.items():
        what = f"an error of {task.percent(alone)}"
        if task.kind == "labels":
            what = f"a correlation of {1 - alone:.2f} with one of the labels"
        yield (
            "warning",
            f"Possible data leak: `{column}` alone predicts the target with {what}. If"
            " it is recorded after the target, leave it out:"
            f" `{command(drop=[column])}`.",
        )
    if np.isfinite(found.without_leaks):
        yield (
            "note",
            f"With {and_list(found.leaks)} permuted the error is"
            f" {task.percent(found.without_leaks)}.",
        )
    for kind, link in dependence.linked.items():
        held_out = dependence.evidence[kind]
        is_doubt = found.is_judged(held_out) and (
            not held_out.is_significant or held_out.interval[0] > found.error
        )
        kind_of_note = "warning" if link.decides and is_doubt else "note"
        yield kind_of_note, dependence_note(link, held_out, found, command)
    if found.is_worse or found.opposed:
        yield "warning", worse_note(found, command)
    if found.verdict == "not shown":
        yield (
            "warning",
            f"{detectable_phrase(found)} More rows may show a relation; do not"
            " interpret the maps.",
        )
    one = maps.supervised
    gap = one.error - one.training_error
    is_overfitted = (
        one.training_error < one.interval[0]
        and gap > VISIBLE_FRACTION * found.baseline
    )
    # Of dependent rows, training rows are alike: the warning above has the cause.
    if is_overfitted and not dependence.deciding:
        yield (
            "warning",
            "The map shows its training rows better than held-out rows (error"
            f" {task.percent(one.training_error)} and {task.percent(one.error)})."
            " Report the held-out error.",
        )
    if task.kind == "classes" and found.baseline < RARE:
        yield (
            "warning",
            f"One class has {percent(1 - found.baseline)} of the rows. A small error is"
            " possible without finding the others: read the confusion matrix.",
        )
    if task.kind == "classes" and (few := small_classes(task)):
        yield (
            "warning",
            f"Too few rows to judge the accuracy of {and_list(few)}: of a class it"
            f" takes {FEWEST_OF_CLASS} rows to know it within 20 percentage points.",
        )
    if row_names is None:
        return
    if not dependence.linked and not found.opposed and not groups_named:
        tested = "No column has values that repeat as names of groups do"
        if row_names.candidates:
            names = _code_list(row_names.candidates)
            tested = f"Tested as names of groups: {names}"
        yield (
            "note",
            f"No dependence among rows was detected. {tested}. Groups that no column"
            " names cannot be detected: if rows share a person or place, add that"
            " column and name it with `groups`.",
        )


def dependence_note(link, held_out, found, command=as_argument):
    """Sentences on a `Linked`: both errors, with the rows that each is for."""
    task = found.task
    remedy = "Name the groups with `groups`, or keep one row of each."
    if link.is_order:
        remedy = (
            "If this is an order of time or place, hold out the last rows with `test`;"
            " if the rows were only arranged, shuffle them."
        )
    elif not link.decides:
        remedy = "The verdict is about these values, as `keep` says."
    elif link.column:
        remedy = (
            "If these are persons, or others of which new ones will come, keep the rows"
            f" of each together: `{command(groups=link.column)}`. If new rows will have"
            " the same values, as kinds or places do that are all here:"
            f" `{command(keep=[link.column])}`."
        )
    error = task.percent(found.error)
    if not found.is_judged(held_out):
        holds = f", but the relation holds there ({p_phrase(held_out)})"
        return (
            f"{link.sentence}. For {held_out.known_rows} the error is {error}; for"
            f" {held_out.new_rows} it cannot be judged: too few independent parts or"
            f" groups{holds if held_out.is_significant else ''}. {remedy}"
        )
    shown = "" if held_out.is_significant else "; no relation is shown there"
    if not held_out.is_useful:
        shown += ", a constant prediction is as good"
    return (
        f"{link.sentence}. For {held_out.known_rows} the error is {error}; for"
        f" {held_out.new_rows} it is {task.percent(held_out.error)} (90 % interval"
        f" {task.span(held_out.interval)}; {p_phrase(held_out)}){shown}. {remedy}"
    )


def worse_note(found, command=as_argument):
    """What may be the reason of errors above the baseline, and the remedy."""
    remedy = (
        "Keep rows of a set together (`groups`), or use differences within the set as"
        " columns."
    )
    if found.opposed == NEIGHBOURS:
        return (
            "Rows that are most alike in the columns have different targets more often"
            " than by chance, as in pairs or sets with one row of each target: errors"
            f" of cross-validation by rows are too large. {remedy}"
        )
    if found.opposed:
        return (
            f"Rows of one value of `{found.opposed}` have different targets, more often"
            " than by chance, so that errors of cross-validation by rows are too large."
            f" {remedy.replace('`groups`', f'`{command(groups=found.opposed)}`')}"
        )
    return (
        "The error is above the baseline. Pairs or sets of rows with different targets,"
        " such as couples or judges of the same wines, have this effect; no column"
        f" names them. {remedy} In one of twenty tables this happens by chance."
    )


def _code_list(names):
    return and_list(f"`{name}`" for name in names)


def detectable_phrase(found):
    """What a `Separation` could have distinguished from chance in the tested rows."""
    if found.rankings:
        areas = [
            f"{number_phrase(one.chance_area, 2)} for {one.name}"
            for one in found.rankings
        ]
        return (
            "By chance alone, areas under the ROC curve of up to"
            f" {and_list(areas, MOST_RARE)} are to be expected."
        )
    rows = f"With {count_phrase(found.n_tested, 'row')}"
    if not found.detectable:
        return f"{rows} no error can be distinguished from the baseline."
    limit = found.task.percent(found.detectable)
    return (
        f"{rows} only an error below {limit} can be distinguished from the"
        " baseline."
    )


def small_classes(task):
    """Classes of too few rows to judge their accuracy, and far below an equal part."""
    kinds, counts = np.unique(task.y, return_counts=True)
    fewest = min(FEWEST_OF_CLASS, len(task.y) / len(kinds) / 2)
    return [
        f"{task.name_of(kind)} ({count_phrase(n, 'row')})"
        for kind, n in zip(kinds, counts, strict=True)
        if n < fewest
    ]


def about_maps(found):
    """Sentences on a `MapComparison`."""
    task = found.task
    control = found.permuted
    control_says = "no separation, as it should be"
    baseline = control.training.baseline()
    if control.training_error < (1 - VISIBLE_FRACTION) * baseline:
        control_says = (
            "it separates even these on the training rows, which is overfitting"
        )
    yield f"{what_helps(found)}."
    yield (
        "Fitted to permuted targets, the same method has an error of"
        f" {task.percent(control.training_error)} on training rows and of"
        f" {task.percent(control.error)} on held-out rows: {control_says}."
    )


def what_helps(found):
    """What the errors of the supervised and the unsupervised map say."""
    baseline = found.task.baseline()
    by_chance = [
        one.interval[1] >= baseline
        for one in (found.supervised, found.unsupervised)
    ]
    low, high = found.gain[1]
    if all(by_chance):
        return (
            "Neither map is shown to predict held-out rows better than chance"
        )
    if low > 0:
        return "The supervised map predicts held-out rows better than the unsupervised"
    if high < 0:
        return "The unsupervised map predicts held-out rows better than the supervised"
    if by_chance[1]:
        return "Whether the map gains from the target is not decided"
    if by_chance[0]:
        return (
            "The unsupervised map predicts held-out rows better than chance; of the"
            " supervised one this is not shown"
        )
    return (
        "Both maps predict held-out rows better than chance; which one does it better"
        " is not decided"
    )


def about_features(found, separation):
    """Sentences on `Features`, if there is a `Separation` for the rows that matter."""
    if not separation.columns_are_judged:
        leading = separation.leading
        why = f"no relation is shown for {leading.new_rows}"
        if not separation.is_judged(leading):
            why = (
                f"for {leading.new_rows} there are too few independent parts or"
                " groups"
            )
        yield f"Which columns are relevant is not judged: {why}."
        return
    n = len(found.names)
    strong, weak, neither = map(found.of, KINDS)
    if weak and not strong:
        yield (
            f"Associated with the target: {len(weak)} of {count_phrase(n, 'column')}"
            f" ({and_list(weak, 5)}); none is shown to be needed in addition to the"
            " others."
        )
    yield (
        f"Strongly relevant: {len(strong)} of {count_phrase(n, 'column')}"
        f" ({and_list(strong, 5)}); weakly relevant: {len(weak)}; not significant:"
        f" {len(neither)}."
    )
    yield (
        f"For comparison: with all columns as they are the {found.model}, chosen on"
        f" the same rows, has an error of {separation.task.percent(found.error)}."
    )
    if neither:
        pairs = ""
        if n > FEW_COLUMNS:
            pairs = (
                f" With more than {FEW_COLUMNS} columns, two that predict only together"
                " are rarely found."
            )
        yield (
            "Not significant is no evidence of no effect: a larger sample or another"
            f" model may use these columns.{pairs}"
        )
    if found.not_evaluated:
        yield (
            f"Not tested, because {n} others are more related to the target:"
            f" {and_list(found.not_evaluated, 4)}."
        )


def about_models(models):
    """Say which model of the decision maps has the least error, and the largest."""
    first, *others = models
    sentence = (
        f"{capital(first.name)}: error of {first.phrase}, on {first.rows}"
    )
    if others and others[-1].error == first.error:
        sentence += "; that of the others is the same"
    elif others:
        worst = others[-1]
        sentence += (
            f", the smallest of {len(models)}; that of the {worst.name} is the largest,"
            f" {worst.task.percent(worst.error)}"
        )
        _, (low, _) = worst.excess
        sentence += f", {worst.task.difference_phrase(*worst.excess)}"
        if low <= 0:
            sentence += ": the order may be chance"
    yield f"{sentence}."


def agreement_phrase(agreement):
    """How well a decision map shows the predictions of its model."""
    if agreement.labels is not None:
        return (
            f"map and model agree on {percent(agreement.labels)} of these rows (a"
            f" constant: {percent(agreement.majority)})"
        )
    if np.isnan(agreement.predictions):
        return "the prediction of the model is constant"
    return f"correlation of map and model {agreement.predictions:.2f}"
