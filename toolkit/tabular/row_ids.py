"""Names of the rows of a table: those of a column, or of the index."""

from dataclasses import dataclass

import numpy as np

from ..core import and_list
from .column import Reason
from .columns import read_column
from .headers import unique_names


@dataclass(frozen=True, kw_only=True, eq=False)
class RowIds:
    """What the rows of a table are called.

    Attributes
    ----------
    words : Series of str
        The name of each row as it was given, NaN where it has none.
    names : ndarray of str, shape (n,)
        A different name for each row.
    notes : list of str
        Sentences about where the names are from, and which of them repeat.
    """

    words: object
    names: np.ndarray
    notes: list


def numbered_rows(index):
    """Names of the rows of a table by their numbers in the file, or from 1."""
    numbers = range(1, len(index) + 1)
    if index.name == "row":
        numbers = index
    return [f"row {number}" for number in numbers]


def ids_of_rows(index, row_id, uses):
    """Find what the rows of a table are called.

    Parameters
    ----------
    index : Index of length n
        Index of the table; its words name the rows if no column does.
    row_id : str or None
        Column that the caller names.
    uses : dict of str to ColumnUse
        Columns of the table; an identifier names the rows, one of text first.

    Returns
    -------
    ids : RowIds
        Names of the rows.
    """
    if row_id is None:
        row_id = _identifier(uses)
    if row_id is None:
        source = "the index"
        is_word = [isinstance(label, str) for label in index]
        words = read_column(index.to_series().where(is_word)).words
    else:
        source = f"`{row_id}`"
        words = uses[row_id].column.words
    notes = []
    if words.notna().any():
        notes.append(f"The rows are named by {source}.")
    repeated = words[words.duplicated()].dropna().unique()
    if len(repeated):
        notes.append(
            f"{source} repeats {and_list(repeated)}. These rows stay together in every"
            " split."
        )
    named_or_numbered = words.where(words.notna(), numbered_rows(index))
    return RowIds(
        words=words,
        names=np.array(unique_names(named_or_numbered), str),
        notes=notes,
    )


def _identifier(uses):
    """The first identifier of words, otherwise the first of numbers, or None."""
    identifiers = []
    for name, use in uses.items():
        exclusion = use.exclusion
        if exclusion is not None and exclusion.reason is Reason.IDENTIFIER:
            if use.column.is_word:
                return name
            identifiers.append(name)
    return next(iter(identifiers), None)


def group_words(column, rows, names):
    """The declared groups of some rows as words; each row has one.

    Parameters
    ----------
    column : Column
        Column of the groups.
    rows : ndarray of int, shape (n,)
        Numbers of the rows.
    names : ndarray of str, shape (n_all,)
        Names of all rows.
    """
    words = column.words.iloc[rows]
    if words.isna().any():
        unnamed = and_list(names[rows][words.isna()], 3)
        raise ValueError(
            f"`groups` must have a value in each row; `{column.name}` has none in"
            f" {unnamed}. Fill it in."
        )
    return words
