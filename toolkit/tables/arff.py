"""Weka's ARFF: dense files by SciPy; sparse ones, `{index value, ...}`, and those with text by a small reader."""

import io
import re

import numpy as np

from ..core.checks import shown
from .files import encoding_of, text_of

__all__ = ["read_arff"]

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*(.+)", re.I)
VALUE = re.compile(rf"\s*({QUOTED}|[^,'\"]*?)\s*(?:,|$)")
PAIR = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,'\"\s]+)\s*(?:,|$)")


def read_arff(path):
    """An ARFF file as a DataFrame and notes.

    Parameters
    ----------
    path : Path

    Returns
    -------
    frame : DataFrame of shape (n, d), floats, dates, or words with NaN
    notes : list of str
    """
    import pandas as pd
    from scipy.io import arff

    encoding, note = encoding_of(path)
    with text_of(path, encoding) as lines:
        text = [line.strip() for line in lines]
    names, kinds, start = _header(path, text)
    if not any(text[start:]):
        raise ValueError(f"`path` must be a table with rows; {path.name!r} has none below @data. Add rows.")
    sparse = any(line.startswith("{") for line in text[start:])
    if sparse or "string" in [kind.lower() for kind in kinds]:
        return _own_frame(path, text, names, kinds, start, sparse), [note] * bool(note)
    try:
        data, _ = arff.loadarff(io.StringIO("\n".join(text) + "\n"))
    except Exception as error:  # SciPy's, of many kinds
        raise _broken(path, " ".join(str(error).split())) from None
    columns = {}
    for name, field in zip(names, data.dtype.names, strict=True):
        values = data[field]
        columns[name] = pd.Series(values) if values.dtype.kind != "S" else _words([v.decode() for v in values.tolist()])
    return pd.DataFrame(columns), [note] * bool(note)


def _broken(path, why):
    return ValueError(
        f"`path` cannot be read: {path.name!r} is no ARFF file that follows its header ({shown(why)}). "
        "Mend that line, or save the table as CSV."
    )


def _header(path, text):
    """Names and types of the attributes, and the line after @data."""
    names, kinds = [], []
    for number, line in enumerate(text):
        if line.lower().startswith("@data"):
            if len(set(names)) < len(names) or not names:
                why = "an attribute comes twice" if names else "no attribute"
                raise ValueError(f"`path` must have attributes of different names; {path.name!r}: {why}. Rename them.")
            return names, kinds, number + 1
        if found := ATTRIBUTE.match(line):
            names.append(_unquoted(found[1]))
            kinds.append(found[2].split("%")[0].strip() if not found[2].startswith("{") else found[2])
    raise _broken(path, "there is no line @data")


def _unquoted(word):
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word[:1] in "'\"" and len(word) > 1 else word


def _words(values):
    import pandas as pd

    return pd.Series([np.nan if value == "?" else value for value in values], dtype=object)


def _own_frame(path, text, names, kinds, start, sparse):
    """Rows of a sparse file or of one with text: absent values are 0, or the first word of a list."""
    import pandas as pd

    numeric = [kind.lower().split()[0] in ("numeric", "real", "integer") for kind in kinds]
    first = [_unquoted(VALUE.match(kind[1:].rstrip("} "))[1]) if kind.startswith("{") else "" for kind in kinds]
    absent = ["0" if number else word for number, word in zip(numeric, first, strict=True)]
    rows = []
    for number, line in enumerate(text[start:], start + 1):
        if not line or line.startswith("%"):
            continue
        row = (
            _sparse_row(line, absent)
            if sparse
            else [_unquoted(m[1]) for m in VALUE.finditer(line) if m.end() > m.start()]
        )
        if row is None or len(row) != len(names):
            raise _broken(path, f"line {number} has other fields than the {len(names)} attributes")
        rows.append(row)
    columns = {}
    for j, name in enumerate(names):
        column = _words([row[j] for row in rows])
        try:
            columns[name] = column.astype(float) if numeric[j] else column
        except ValueError as error:
            raise _broken(path, f"attribute {name}: {error}") from None
    return pd.DataFrame(columns)


def _sparse_row(line, absent):
    """The full row of `{index value, ...}`, None if it is no such row."""
    if not (line.startswith("{") and line.endswith("}")):
        return None
    row, inner, end = list(absent), line[1:-1].strip(), 0
    while end < len(inner):
        found = PAIR.match(inner, end)
        if not found or int(found[1]) >= len(row):
            return None
        row[int(found[1])] = _unquoted(found[2])
        end = found.end()
    return row
