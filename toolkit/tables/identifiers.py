"""Columns that name the rows: no features, but good for telling which row is meant."""

import re

import numpy as np

from .columns import words_of

__all__ = ["identifier_reason", "own_ids"]

NEARLY_ALL = 0.95  # of the values are different
MOSTLY = 0.9  # of the differences between sorted values are 1
LONGEST = 60  # characters of a name; longer words are free text
NAMES = {"id", "ids", "name", "key", "index", "nr", "no", "code", "uuid"}


def says_so(name):
    """Whether a column's name has a word such as id or code: "PatientID", "row_no".

    Examples
    --------
    >>> says_so("PatientID"), says_so("row_no"), says_so("humid")
    (True, True, False)
    """
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return any(word.lower() in NAMES for word in words)


def identifier_reason(name, kind, values):
    """Why a column is an identifier, "" if it is none.

    Parameters
    ----------
    name : str
    kind : str, of a Column
    values : Series of length n
    """
    present = values.dropna()
    distinct = present.nunique()
    if len(present) < len(values) / 2 or distinct < NEARLY_ALL * len(present):
        return ""
    if kind == "text" and present.str.len().max() <= LONGEST:
        return f"identifier: {distinct:,} different values in {len(present):,} rows"
    if kind != "number" or not np.all(np.mod(present, 1) == 0):
        return ""
    steps = np.diff(np.unique(present))
    if np.mean(steps == 1) >= MOSTLY:
        return f"identifier: whole numbers that count through, {present.min():.0f} to {present.max():.0f}"
    return f"identifier: {distinct:,} different whole numbers, and its name says so" if says_so(name) else ""


def own_ids(frame, columns, left_out):
    """(name, words) of the best identifier, text before numbers; of the index, if it has words; or (None, None)."""
    found = [name for name, why in left_out.items() if why.startswith("identifier") and name in columns]
    if found:
        name = min(found, key=lambda name: (columns[name].kind != "text", not says_so(name)))
        return name, words_of(columns[name].values)
    if all(isinstance(label, str) for label in frame.index):
        return "the index", words_of(frame.index.to_series())
    return None, None
