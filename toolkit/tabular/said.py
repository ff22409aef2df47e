"""What a cell of the notebook shows beside pictures: sentences and a table, as HTML in which names are only text."""

import html
import re

__all__ = ["Said", "as_html"]

MOST_ROWS = 60  # of a table; longer ones are cut in the middle


def as_html(sentence):
    """A sentence with its `names` as code, everything else as text.

    Examples
    --------
    >>> as_html("`a` < b")
    '<code>a</code> &lt; b'
    """
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(sentence))


class Said:
    """Sentences, and a pandas DataFrame or none below them.

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
        parts = ["\n".join(self.sentences), "" if self.frame is None else self.frame.to_string(), self.code]
        return "\n\n".join(filter(None, parts))

    def _repr_html_(self):
        said = "".join(f"<li>{as_html(sentence)}</li>" for sentence in self.sentences)
        options = {"max_rows": MOST_ROWS, "border": 0, "escape": True, "index_names": False}
        table = "" if self.frame is None else self.frame.to_html(**options)
        code = f'<pre class="text" tabindex="0">{html.escape(self.code)}</pre>' if self.code else ""
        return (f"<ul>{said}</ul>" if said else "") + table + code
