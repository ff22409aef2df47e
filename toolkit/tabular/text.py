"""Text of notes, messages and pages: counts, lists, refusals, conclusions, HTML."""

import html
import re
from collections import Counter

import numpy as np

from ..core import short_repr
from ..validation.intervals import SMALLEST_P
from .features import FEW_COLUMNS, KINDS

MOST_ROWS = 60  # of a table; longer ones are cut in the middle


def count_phrase(n, noun):
    """A number with its noun: "1 row", "1,200 classes"."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{n:,} {noun if n == 1 else plural}"


def short_list(names, most=5):
    """The first of some names, and how many more there are."""
    names = [str(name) for name in names]
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def and_list(names, most=8):
    """Names in a sentence; of more than `most` how many others there are.

    Examples
    --------
    >>> and_list(["age", "size", "hue"]), and_list("abcd", most=2)
    ('age, size and hue', 'a, b and 2 others')
    """
    names = [str(name) for name in names] or ["none"]
    if len(names) > most:
        names[most:] = [count_phrase(len(names) - most, "other")]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def one_line(text):
    """Text without characters that cannot be seen and without blanks at the ends."""
    if text.isprintable():
        return text.strip()
    return " ".join(
        "".join(c if c.isprintable() else " " for c in text).split()
    )


def missing_note(counts):
    """The words of a Counter that were read as missing."""
    words = [
        f"{n:,} {word!r}" if word else count_phrase(n, "empty field")
        for word, n in counts.most_common()
    ]
    return f"read as missing: {short_list(words, 8)}."


def reading_error(path, why, remedy="Write or download it again."):
    """The ValueError about a file that its reader refuses, in one line."""
    why = short_repr(" ".join(str(why).split()) or type(why).__name__)
    return ValueError(
        f"`path` cannot be read: {path.name!r} is broken, locked or of another format"
        f" ({why}). {remedy}"
    )


def check_names(names, argument, owner):
    """The names of columns, if none comes twice."""
    counts = Counter(names)
    if repeated := [short_repr(name) for name in counts if counts[name] > 1]:
        raise ValueError(
            f"`{argument}` must have columns of different names; {owner} repeats"
            f" {short_list(repeated)}. Rename them."
        )
    return names


def as_html(sentence):
    """A sentence with its `names` as code, everything else as text.

    Examples
    --------
    >>> as_html("`a` < b")
    '<code>a</code> &lt; b'
    """
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(sentence))


class RichText:
    """Sentences, a pandas DataFrame and code, as text and as HTML.

    Parameters
    ----------
    sentences : iterable of str
    frame : DataFrame, optional
    code : str, default=""
        Python to copy.

    Examples
    --------
    >>> print(RichText(["a < b"])._repr_html_())
    <ul><li>a &lt; b</li></ul>
    """

    def __init__(self, sentences=(), frame=None, code=""):
        self.sentences = list(sentences)
        self.frame = frame
        self.code = code

    def __repr__(self):
        table = "" if self.frame is None else self.frame.to_string()
        return "\n\n".join(
            filter(None, ["\n".join(self.sentences), table, self.code])
        )

    def _repr_html_(self):
        parts = []
        if self.sentences:
            items = "".join(
                f"<li>{as_html(one)}</li>" for one in self.sentences
            )
            parts.append(f"<ul>{items}</ul>")
        if self.frame is not None:
            # names and values of a table are text, never markup
            table = self.frame.to_html(
                max_rows=MOST_ROWS, border=0, escape=True, index_names=False
            )
            parts.append(table)
        if self.code:
            code = html.escape(self.code)
            parts.append(f'<pre class="text" tabindex="0">{code}</pre>')
        return "".join(parts)


# ---- conclusions, as sentences computed from the numbers ----


def about_separation(found):
    """Sentences on a `Separation`."""
    task = found.task
    error = task.percent(found.error)
    baseline = task.percent(found.baseline)
    classes = task.kind == "classes"
    beside = ""
    if classes and np.isfinite(found.choice.auc):
        beside = f", area under the ROC curve {found.choice.auc:.2f}"
    elif task.is_value:
        beside = f", R2 {1 - found.error**2:.2f}"
    numbers = (
        f"Error ({task.error_name}) of the best of {len(found.errors)} models, each"
        f" asked at rows that neither fitted nor chose it: {error}"
        f" ({found.interval_level:.0%} interval {task.span(found.interval)};"
        f" {found.n_rows:,} rows){beside}. Baseline, without the columns: {baseline}."
        f" {_p_phrase(found)}"
    )
    if found.verdict == "not shown":
        yield (
            f"No relation is shown between the columns and the target. {numbers} An"
            f" error above {task.percent(found.detectable)} cannot be told from the"
            " baseline in so many rows: do not read anything into the maps."
        )
    elif not found.is_signal:
        yield (
            "No relation is shown for rows of another time or group, only for rows like"
            f" these. {numbers}"
        )
    elif found.interval[1] < found.baseline:
        yield f"The columns predict the target better than chance. {numbers}"
    elif classes:
        yield (
            "The columns tell how likely a class is, but the most probable class is"
            f" nearly always the most frequent one. {numbers}"
        )
    else:
        yield f"The columns tell something of the target, but little. {numbers}"
    for column, alone in found.leaks.items():
        what = f"error {task.percent(alone)}"
        if task.kind == "labels":
            what = f"correlation {1 - alone:.2f} with one of the labels"
        yield (
            f"Suspected leak: `{column}` alone leaves almost no error ({what}). If it"
            " is not known before the target is, leave it out: all that follows rests"
            f" on it (`--drop {column}`)."
        )
    if found.leaks and np.isfinite(found.without_leaks):
        yield (
            f"Without {and_list(found.leaks)} the error is"
            f" {task.percent(found.without_leaks)}."
        )
    if found.alone and found.is_signal:
        yield f"As good as all columns together, alone: {and_list(found.alone)}."
    if classes and found.baseline < 0.2:
        yield (
            f"One class has {1 - found.baseline:.0%} of the rows: an error is small"
            " already if the others are never found."
        )


def _p_phrase(found):
    """The p-value in words, and which permutation it is of."""
    if not found.p_values:
        return "Too few independent groups (6) or stretches of rows (20) for a p-value."
    how = min(found.p_values, key=found.p_values.get)
    least = ", the smallest possible" if found.p_value <= SMALLEST_P else ""
    return f"p = {found.p_value:.2f}{least} (permutations of {how})."


def about_dependence(found, separation, groups_named=False):
    """Sentences on `Dependence` among rows."""
    task = separation.task
    for kind, what in found.found.items():
        one = found.evidence[kind]
        others = "of another time" if kind == "order" else "of other groups"
        shown = "" if one.is_significant else ", and no relation is shown there"
        if not one.is_useful:
            shown += ", where a constant answer is as good"
        yield (
            f"{what}. For new rows like these the error is"
            f" {task.percent(separation.error)}; for rows {others} it is"
            f" {task.percent(one.error)} ({one.interval_level:.0%} interval"
            f" {task.span(one.interval)}){shown}. {_p_phrase(one)}"
        )
    if not found.found and not groups_named:
        yield (
            "No sign that rows depend on each other. Several rows of one person or"
            " place, in any order and without a column that names them, would not be"
            " noticed: name such a column with `groups`."
        )


def about_map(found):
    """Sentences on a `MapComparison`."""
    true = found.true
    shuffled = found.shuffled
    task = found.task
    percent = task.percent
    n = true.n_fitted
    if len(true.rows) > 4 * n:
        yield (
            f"There are more rows than a map takes: {n:,} made it, drawn at random with"
            " the shares of the classes kept; all others were placed on it."
        )
    yield (
        f"In the map, {len(true.rows) - n:,} held-out rows that were placed on it have"
        f" an error of {task.phrase(true.error, true.interval)}, in brackets the 90 %"
        f" interval; the {n:,} rows that made it {percent(true.fitted_error)}. Believe"
        " the first."
    )
    yield (
        "A map that does not know the target has"
        f" {percent(found.plain.error)} at held-out rows, so {what_helps(found)}."
    )
    yield (
        f"Told a permuted target, the same method has {percent(shuffled.error)} at"
        f" held-out rows and {percent(shuffled.fitted_error)} at its own; the baseline"
        f" is {percent(task.baseline())}."
    )


def what_helps(found):
    """What the errors of the map and of the plain one say of the target."""
    baseline = found.task.baseline()
    by_chance = [
        one.interval[1] >= baseline for one in (found.true, found.plain)
    ]
    if all(by_chance):
        return "neither map is shown to tell more of a new row than chance"
    low, high = found.gain[1]
    if low > 0:
        return "the target helps to see what a map of the features alone hides"
    if high < 0:
        return "the plain map is the better one here"
    if by_chance[1]:
        return "it is open whether the target helps"
    return "what is apart in the map is apart in the features themselves"


def about_linear(found, separation):
    """Sentences on a `LinearMap` or None, compared with the best model."""
    if found is None:
        return
    task = found.task
    yield (
        f"In a plane that is linear in the columns ({found.method}) held-out rows have"
        f" an error of {task.phrase(found.map.error, found.map.interval)}, in brackets"
        " the 90 % interval."
    )
    if separation.is_signal and separation.error < found.map.interval[0]:
        yield (
            f"The models ({task.percent(separation.error)}) know more than that plane"
            " can show."
        )


def about_features(found):
    """Sentences on `Features`, or None."""
    if found is None:
        return
    strong, weak, neither = map(found.of, KINDS)
    if strong:
        those = "one of these" if len(strong) > 1 else "it"
        yield (
            f"Strongly relevant: {and_list(strong)}. Without {those} the {found.model}"
            " predicts worse, by more than chance (p at most .05 over all columns)."
        )
    if weak:
        yield (
            f"Weakly relevant: {and_list(weak)}. Associated with the target, or more"
            " than columns of noise in linear models or in a forest, but not missed"
            " where left out alone: other columns know the same, or it adds little."
        )
    if not strong and not weak:
        yield "No column is shown to be relevant."
    if neither:
        pairs = ""
        if len(found.names) > FEW_COLUMNS:
            pairs = (
                f" Of more than {FEW_COLUMNS} columns, two that tell only together are"
                " hardly ever found."
            )
        yield (
            f"Not significant: {and_list(neither)}. That is no proof that they carry"
            f" nothing in more rows or for another model.{pairs}"
        )
    if found.not_asked:
        yield (
            f"Not asked, because {len(found.names)} others go better with the target"
            " (chosen on other rows than those asked):"
            f" {and_list(found.not_asked, 4)}."
        )


def about_models(models):
    """Sentences on the models seen in the plane."""
    for model in models:
        agreement = model.agreement
        if agreement.labels is not None:
            picture = (
                f"the picture says what the model says for {agreement.labels:.0%} of"
                f" them (one colour alone would for {agreement.majority:.0%})"
            )
        elif np.isnan(agreement.predictions):
            picture = "it answers all of them alike, and so does the picture"
        else:
            picture = (
                "the picture's values correlate with the model's by"
                f" {agreement.predictions:.2f}"
            )
        yield (
            f"{capital(model.name)}: error"
            f" {model.task.phrase(model.error, model.interval)} at {model.rows}, in"
            f" brackets the {model.level:.0%} interval; {picture}."
        )


def capital(text):
    """A text with a capital letter at the start."""
    return text[0].upper() + text[1:]
