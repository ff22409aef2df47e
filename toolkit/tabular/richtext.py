"""Sentences, remarks, a table and code, as text and as HTML."""

import html
import re

import numpy as np

from ..core import import_pandas

MOST_TABLE_ROWS = 60  # longer tables are cut in the middle


def rounded(number):
    """A number of a table of results: three decimals, or none of large ones."""
    if abs(number) >= 100:
        return f"{number:.0f}"
    if 0 < number < 0.0005:
        return "<0.001"
    return f"{number:.3f}"


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
    if float(cell).is_integer() or abs(cell) >= 1e5:
        return f"{cell:.0f}"
    return f"{cell:.5g}"


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
    """Sentences, remarks, a pandas DataFrame and code, as text and as HTML.

    Parameters
    ----------
    sentences : iterable of str
        Sentences, one per paragraph.
    frame : DataFrame, optional
        Table; its index is shown if it has a name.
    code : str, default=""
        Python to copy.
    remarks : iterable of (str, str), optional
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
        self,
        sentences=(),
        frame=None,
        code="",
        remarks=(),
        fold="",
        shaded=False,
    ):
        self.sentences = list(sentences)
        self.frame = frame
        self.code = code
        self.remarks = list(remarks)
        self.fold = fold
        self.shaded = shaded

    def __repr__(self):
        lines = list(self.sentences)
        for kind, sentence in self.remarks:
            lines.append(f"{kind.capitalize()}: {sentence}")
        parts = [self.fold, "\n".join(lines)]
        if self.frame is not None:
            parts.append(self.frame.to_string(**FORMAT))
        parts.append(self.code)
        return "\n\n".join(part for part in parts if part)

    def _repr_html_(self):
        parts = []
        for sentence in self.sentences:
            parts.append(f"<p>{as_html(sentence)}</p>")
        for kind, sentence in self.remarks:
            parts.append(
                f'<p class="remark {kind}"><strong>{kind.capitalize()}:</strong>'
                f" {as_html(sentence)}</p>"
            )
        if self.frame is not None:
            parts.append(self._table_html())
        if self.code:
            code = html.escape(self.code)
            parts.append(f'<pre class="text" tabindex="0">{code}</pre>')
        content = "".join(parts)
        if not self.fold:
            return content
        summary = f"<summary>{self.fold}</summary>"
        return f"<details>{summary}{content}</details>"

    def _table_html(self):
        """The table; its names and values are text, never markup."""
        table = self.frame.to_html(
            max_rows=MOST_TABLE_ROWS,
            border=0,
            escape=True,
            index=self.frame.index.name is not None,
            index_names=False,
            classes="sortable",
            **FORMAT,
        )
        if self.shaded:
            return shade(table)
        return table


def shade(table):
    """HTML of a table whose cells with a percentage in brackets have a ground.

    The larger the percentage, the darker it is, and legible in both themes.
    """

    def shaded(match):
        opacity = 0.45 * float(match["percent"]) / 100
        colour = f"rgba(0, 114, 178, {opacity:.2f})"
        return f'<td style="background: {colour}">{match["text"]}</td>'

    cell = r"<td>(?P<text>[\d,]+ \((?P<percent>[\d.]+) %\))</td>"
    return re.sub(cell, shaded, table)
