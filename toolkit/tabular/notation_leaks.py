"""Columns whose notation differs between classes, and may give the target away."""

import re

from .numbers import two_ways

# Probability that all rows of a notation are of one class, below which it is no chance.
RARE_BY_CHANCE = 1e-3


def notation_notes(columns, classes):
    """Sentences on columns that have another notation in one class.

    Parameters
    ----------
    columns : iterable of Column
    classes : Series of str, NaN where one is missing

    Returns
    -------
    notes : list of str
        A sentence for each such column.
    """
    frequencies = classes.value_counts(normalize=True)
    notes = []
    for column in columns:
        if column.has_notation:
            is_known = column.values.notna() & classes.notna()
            raw = column.raw[is_known]
            for rows, name in _rows_of_one_class(raw, classes, frequencies):
                notes.append(
                    f"`{column.name}`: values written like {rows.iloc[0]!r}"
                    f" ({len(rows):,}) are all of the class {name!r}; the notation may"
                    " give the target away."
                )
                # One notation of a column is enough.
                break
    return notes


def _rows_of_one_class(raw, classes, frequencies):
    """The raw values of each notation that only one class has, with the class."""
    notations = [raw.map(_notation_of), *two_ways(raw.astype(str))]
    for notation in notations:
        for _, rows in raw.groupby(notation):
            classes_of_rows = classes[rows.index].unique()
            if len(classes_of_rows) == 1:
                probability = frequencies[classes_of_rows[0]] ** len(rows)
                if probability < RARE_BY_CHANCE:
                    yield rows, classes_of_rows[0]


def _notation_of(value):
    """The decimal mark and what stands around a number, "number" of a true one."""
    if not isinstance(value, str):
        return "number"
    marks = re.findall(r"[.,](?=\d)", value)
    around = re.sub(r"[\d.,'+() -]|[ap]m$|s$", "", value.casefold())
    notation = "".join([around, *marks[-1:]])
    if not notation:
        return None
    return notation
