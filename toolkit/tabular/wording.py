"""Words of notes, messages and pages: counts with their noun, lists, what several places refuse, sentences as HTML."""

import html
import re
from collections import Counter

from ..core.checks import short_repr

MOST_ROWS = 60  # of a table; longer ones are cut in the middle


def counted(n, noun, verbs=("", "")):
    """A number with its noun, and the verb of one and of several: "1 row has", "1,200 classes have"."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{n:,} {noun if n == 1 else plural} {verbs[int(n != 1)]}".rstrip()


def listed(names, most=5):
    """The first of some names, and how many more there are."""
    names = [str(name) for name in names]
    return ", ".join(names[:most]) + (
        f" and {len(names) - most:,} more" if len(names) > most else ""
    )


def named(names, most=8):
    """Names in a sentence; of more than `most` how many others there are.

    Examples
    --------
    >>> named(["age", "size", "hue"]), named("abcd", most=2)
    ('age, size and hue', 'a, b and 2 others')
    """
    names = [str(name) for name in names] or ["none"]
    if len(names) > most:
        names = [
            *names[:most],
            f"{len(names) - most} other{'s' * (len(names) > most + 1)}",
        ]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def one_line(text):
    """Text without line breaks and other characters that cannot be seen, and without blanks at the ends."""
    if text.isprintable():
        return text.strip()
    return " ".join(
        "".join(char if char.isprintable() else " " for char in text).split()
    )


def missing_said(found):
    """The words of a Counter that were read as missing."""
    words = [
        f"{n:,} {repr(word) if word else 'empty field' + 's' * (n > 1)}"
        for word, n in found.most_common()
    ]
    return f"read as missing: {listed(words, 8)}."


def broken(path, why, remedy="Write or download it again."):
    """The ValueError about a file that its reader refuses, in one line."""
    why = short_repr(" ".join(str(why).split()) or type(why).__name__)
    return ValueError(
        f"`path` cannot be read: {path.name!r} is broken, locked or of another format"
        f" ({why}). {remedy}"
    )


def check_names(names, argument, owner):
    """The names of columns, if none comes twice."""
    if repeated := [
        short_repr(name) for name, count in Counter(names).items() if count > 1
    ]:
        what = f"{owner} repeats {listed(repeated)}"
        raise ValueError(
            f"`{argument}` must have columns of different names; {what}. Rename them."
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


class Said:
    """What a page shows beside pictures: sentences, and a pandas DataFrame or none below them.

    Parameters
    ----------
    sentences : iterable of str
    frame : DataFrame, optional
    code : str, optional, Python to copy

    Examples
    --------
    >>> print(Said(["a < b"])._repr_html_())
    <ul><li>a &lt; b</li></ul>
    """

    def __init__(self, sentences=(), frame=None, code=""):
        self.sentences, self.frame, self.code = list(sentences), frame, code

    def __repr__(self):
        table = "" if self.frame is None else self.frame.to_string()
        return "\n\n".join(filter(None, ["\n".join(self.sentences), table, self.code]))

    def _repr_html_(self):
        said = "".join(f"<li>{as_html(sentence)}</li>" for sentence in self.sentences)
        options = {
            "max_rows": MOST_ROWS,
            "border": 0,
            "escape": True,
            "index_names": False,
        }
        table = "" if self.frame is None else self.frame.to_html(**options)
        code = (
            f'<pre class="text" tabindex="0">{html.escape(self.code)}</pre>'
            if self.code
            else ""
        )
        return (f"<ul>{said}</ul>" if said else "") + table + code
