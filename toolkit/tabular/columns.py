"""The columns of a table as they are read, each by the first kind that it fits."""

from dataclasses import replace

from ..core import as_frame
from .cells import Cells, missing_words, words_of
from .column import OtherColumn
from .date_columns import DateColumn
from .headers import unique_names
from .notations import UNDECIDED
from .number_columns import NUMBER_COLUMNS
from .numbers import read_all_numbers
from .word_columns import CategoryColumn, TextColumn, WordColumn

MOST_WORDS_ASKED = 2000  # rows whose words tell about the decimal mark
# Each kind takes what those before it leave; what none of them takes are words.
READ_ORDER = (OtherColumn, *NUMBER_COLUMNS, DateColumn)
CLASS_OF_KIND = {
    column_class.kind: column_class
    for column_class in (
        *NUMBER_COLUMNS,
        CategoryColumn,
        DateColumn,
        TextColumn,
        OtherColumn,
    )
}


def categories_of(kinds):
    """Names of the columns that have one indicator for each of their words.

    Parameters
    ----------
    kinds : dict of str to str
        Kinds by the names of the columns.
    """
    return [
        name
        for name, kind in kinds.items()
        if CLASS_OF_KIND[kind].has_indicators
    ]


def shown_values(features, kinds):
    """The features of some rows as a page shows them.

    Parameters
    ----------
    features : DataFrame of shape (n, d)
        Columns of a table.
    kinds : dict of str to str
        Kinds by the names of the columns.
    """
    columns = {}
    for name, values in features.items():
        columns[name] = CLASS_OF_KIND[kinds[name]].as_shown(values)
    return as_frame(columns)


def read_column(series, notation=UNDECIDED):
    """A column of any table as a Column."""
    cells = Cells(series)
    for column_class in READ_ORDER:
        column = column_class.read(cells, notation)
        if column is not None:
            return column
    return WordColumn.read(cells, notation)


def read_columns(frame, notation=UNDECIDED, undivided=()):
    """The columns as Columns by name; but for the `undivided`, some become two.

    Where the notation does not decide, the words of all columns do.
    """
    words_of_column = {}
    for name, series in frame.items():
        if series.dtype.kind == "O":
            words, _ = missing_words(words_of(series.head(MOST_WORDS_ASKED)))
            words_of_column[name] = words
    _, mark = read_all_numbers(words_of_column, notation)
    notation = replace(notation, likely=mark == ",")
    columns = {}
    for name, series in frame.items():
        column = read_column(series, notation)
        parts = {name: column}
        if name not in undivided:
            parts = column.parts()
        for part_name, part in parts.items():
            if part_name != name:
                part_name = unique_names([*columns, *frame, part_name])[-1]
                part = part.renamed(part_name)
            columns[part_name] = part
    return columns
