"""Text of notes, messages and pages: counts, lists, refusals, conclusions, HTML."""

import html
import re
from collections import Counter

import numpy as np

from ..core.checks import short_repr

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
    lowest = found.errors[found.best]
    deviation = found.standard_errors[found.best]
    error, noise, chance = map(
        task.percent, (lowest, found.noise, found.chance)
    )
    numbers = (
        f"Error ({task.error_name}): {found.best} {error} (±"
        f" {task.percent(deviation)}), cross-validated on {found.n_rows:,} rows; chance"
        f" {chance}, and at best"
        f" {noise} with the target permuted {len(found.permuted)} times."
    )
    if found.is_signal:
        # two standard errors below what permuted targets and chance reach
        sure = lowest + 2 * deviation < min(found.noise, found.chance)
        yield f"There is {'something' if sure else 'hardly anything'} to see. {numbers}"
    else:
        yield (
            f"There is nothing to see that chance would not show, too. {numbers} Do not"
            " read anything into the maps."
        )
    for column, alone in found.leaks.items():
        if task.y.ndim == 2:
            what = (
                f"Suspected leak: `{column}` goes with one of the labels (correlation"
                f" {1 - alone:.2f})"
            )
        else:
            what = (
                f"One column does it all: `{column}` alone predicts the target (error"
                f" {task.percent(alone)}, all columns together {error})"
            )
        yield (
            f"{what}. If it is not known before the target is, leave it out: all "
            f"that follows rests on it (`--drop {column}`)."
        )
    if found.without_leaks:
        least = task.percent(min(found.without_leaks.values()))
        yield f"Without {and_list(found.leaks)} the error is {least}."
    if task.y.ndim == 1 and not task.is_value and found.chance < 0.2:
        yield (
            f"One class has {1 - task.chance():.0%} of the rows: an error is small"
            " already if the others are never found."
        )


def about_map(found):
    """Sentences on a `MapComparison`."""
    true = found.true
    shuffled = found.shuffled
    percent = found.task.percent
    chance = found.task.chance()
    n = true.n_fitted
    if len(true.rows) > 4 * n:
        yield (
            f"There are more rows than a map takes: {n:,} made it, drawn at random with"
            " the shares of the classes kept; all others were placed on it."
        )
    yield (
        f"In the map, {len(true.rows) - n:,} held-out rows that were placed on it have"
        f" an error of {percent(true.error)}, the {n:,} rows that made it"
        f" {percent(true.fitted_error)}. Believe the first."
    )
    yield (
        "A map that does not know the target has"
        f" {percent(found.plain.error)} at held-out rows, so {what_helps(found)}."
    )
    # a method that overfits separates even permuted targets on its training rows
    overfits = shuffled.fitted_error < 0.9 * chance
    much = (
        "That much order it paints by itself"
        if overfits
        else "It paints no order"
    )
    yield (
        f"Told a shuffled target, the same method has {percent(shuffled.error)} at"
        f" held-out rows and {percent(shuffled.fitted_error)} at its own; chance is"
        f" {percent(chance)}. {much}."
    )


def what_helps(found):
    """What the errors of the map and of the plain one say of the target."""
    true = found.true
    plain = found.plain
    noise = np.hypot(true.standard_error, plain.standard_error)
    # within two standard errors of chance
    by_chance = [
        one.error + 2 * one.standard_error > found.task.chance()
        for one in (true, plain)
    ]
    if all(by_chance):
        return "neither map tells more of a new row than chance"
    if true.error < plain.error - noise:
        return "the target helps to see what a map of the features alone hides"
    if by_chance[1]:
        return "it is open whether the target helps"
    if true.error > plain.error + noise:
        return "the plain map is the better one here"
    return "what is apart in the map is apart in the features themselves"


def about_linear(found, separation):
    """Sentences on a `LinearMap` or None, compared with the best model."""
    if found is None:
        return
    percent = found.task.percent
    error = found.map.error
    best = separation.best
    lowest = separation.errors[best]
    yield (
        f"In a plane that is linear in the columns ({found.method}) held-out rows have"
        f" an error of {percent(error)}."
    )
    # standard error of the difference
    noise = np.hypot(separation.standard_errors[best], found.map.standard_error)
    if separation.is_signal and lowest < error - 2 * noise:
        yield f"The {best} ({percent(lowest)}) knows more than that plane can show."


def about_features(found):
    """Sentences on `Features`, or None."""
    if found is None:
        return
    kinds = "needed", "replaceable", "no evidence"
    needed, others, none = (found.of(kind) for kind in kinds)
    if needed:
        # needed: significant in weights or in the error
        those = "one of these" if len(needed) > 1 else "it"
        yield (
            f"Needed: {and_list(needed)}. Without {those} the error of the"
            f" {found.model} grows by more than chance would have it, or every linear"
            " model that predicts alike gives it more weight than noise gets."
        )
    if others:
        yield (
            f"Above noise, but not missed where it alone is left out:"
            f" {and_list(others)}. Other columns know the same, or it adds little to"
            " them."
        )
    if not needed and not others:
        yield "No column has more relevance than noise reaches."
    if none:
        yield (
            f"No evidence for {and_list(none)}: columns of noise reach as much. That is"
            " no proof that they carry nothing in more rows or for another model."
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
        error, deviation = map(
            model.task.percent, (model.error, model.standard_error)
        )
        yield (
            f"{capital(model.name)}: error {error} (± {deviation}) at {model.rows};"
            f" {picture}."
        )


def capital(text):
    """A text with a capital letter at the start."""
    return text[0].upper() + text[1:]
