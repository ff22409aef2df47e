"""Sentences, notes, a table and code, as text and as HTML."""

import html
import re

import numpy as np

from ..core import import_pandas

MOST_TABLE_ROWS = 60  # longer tables are cut in the middle


def rounded(number):
    """A number of a table of results: three decimals, or none of large ones."""
    if abs(number) >= 100:
        return f"{number:.0f}"
    return "<0.001" if 0 < number < 0.0005 else f"{number:.3f}"


def as_read(cell):
    """A cell of the data in words: a number with up to five significant digits.

    Examples
    --------
    >>> as_read(2007.0), as_read(0.1234567), as_read("yes"), as_read(None)
    ('2007', '0.12346', 'yes', '')
    """
    pd = import_pandas()
    if cell is None or cell is pd.NaT or cell is pd.NA or cell != cell:
        return ""
    if not isinstance(cell, float | np.floating):
        return str(cell)
    is_whole = float(cell).is_integer()
    return f"{cell:.0f}" if is_whole or abs(cell) >= 1e5 else f"{cell:.5g}"


FORMAT = {"na_rep": "", "float_format": rounded}


def as_html(sentence):
    """A sentence with its `names` as code, everything else as text.

    Examples
    --------
    >>> as_html("`a` < b")
    '<code>a</code> &lt; b'
    """
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(sentence))


class RichText:
    """Sentences, notes, a pandas DataFrame and code, as text and as HTML.

    Parameters
    ----------
    sentences : iterable of str
        Sentences, one per paragraph.
    frame : DataFrame, optional
        Table; its index is shown if it has a name.
    code : str, default=""
        Python to copy.
    notes : iterable of (str, str), optional
        "warning" or "note", and a sentence.
    fold : str, default=""
        A heading; the content below is shown when it is opened.
    shaded : bool, default=False
        Whether cells such as "53 (95 %)" are the darker the larger the percentage.

    Examples
    --------
    >>> print(RichText(["a < b"])._repr_html_())
    <p>a &lt; b</p>
    """

    def __init__(
        self, sentences=(), frame=None, code="", notes=(), fold="", shaded=False
    ):
        self.sentences = list(sentences)
        self.frame = frame
        self.code = code
        self.notes = list(notes)
        self.fold = fold
        self.shaded = shaded

    def __repr__(self):
        table = ""
        if self.frame is not None:
            table = self.frame.to_string(**FORMAT)
        notes = [f"{kind.capitalize()}: {note}" for kind, note in self.notes]
        lines = "\n".join(self.sentences + notes)
        return "\n\n".join(filter(None, [self.fold, lines, table, self.code]))

    def _repr_html_(self):
        parts = [f"<p>{as_html(one)}</p>" for one in self.sentences]
        parts += [
            f'<p class="remark {kind}"><strong>{kind.capitalize()}:</strong>'
            f" {as_html(note)}</p>"
            for kind, note in self.notes
        ]
        if self.frame is not None:
            # names and values of a table are text, never markup
            table = self.frame.to_html(
                max_rows=MOST_TABLE_ROWS,
                border=0,
                escape=True,
                index=self.frame.index.name is not None,
                index_names=False,
                classes="sortable",
                **FORMAT,
            )
            parts.append(shade(table) if self.shaded else table)
        if self.code:
            code = html.escape(self.code)
            parts.append(f'<pre class="text" tabindex="0">{code}</pre>')
        if self.fold:
            parts = ["<details><summary>", self.fold, "</summary>", *parts]
            parts.append("</details>")
        return "".join(parts)


def shade(table):
    """HTML of a table whose cells with a percentage in brackets have a ground.

    The larger the percentage, the darker it is, and legible in both themes.
    """

    def shaded(match):
        opacity = 0.45 * float(match["percent"]) / 100
        ground = f"background: rgba(0, 114, 178, {opacity:.2f})"
        return f'<td style="{ground}">{match["text"]}</td>'

    cell = r"<td>(?P<text>[\d,]+ \((?P<percent>[\d.]+) %\))</td>"
    return re.sub(cell, shaded, table)
