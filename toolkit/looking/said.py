"""What a cell of the notebook shows beside pictures: sentences and a table, as HTML in which names are only text."""

import html

__all__ = ["Said"]


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
        said = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in self.sentences)
        table = "" if self.frame is None else self.frame.to_html(max_rows=60, border=0, escape=True)
        code = f"<pre>{html.escape(self.code)}</pre>" if self.code else ""
        return (f"<ul>{said}</ul>" if said else "") + table + code
