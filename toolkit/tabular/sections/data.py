"""The rows and columns of a table, as they are used."""

import numpy as np

from ...core import and_list, count_phrase
from ..columns import shown_values
from ..richtext import RichText, as_read
from .samples import NO_ROWS

N_FIRST_ROWS = 5  # that are listed


def show_rows(look):
    """The first five rows, as they are used."""
    table = look.table_
    if not look.shows_rows:
        return RichText([NO_ROWS])
    if look.is_matrix:
        return RichText(["Rows of a matrix are not listed."])
    frame = shown_values(table.features.head(N_FIRST_ROWS), table.kinds)
    n = len(frame)
    targets = np.reshape(table.y[:n], (n, -1))
    names = table.label_names
    if table.target:
        names = [table.target]
    for name, values in zip(names, targets.T, strict=True):
        frame.insert(0, name, values, allow_duplicates=True)
    frame.index = table.ids[:n]
    return RichText(
        [f"The first {count_phrase(n, 'row')}:"],
        frame.rename_axis("row").map(as_read),
    )


def show_table(look):
    """All columns, whether they are used, and what was left out and why."""
    table = look.table_
    n, d = table.features.shape
    n_missing = table.features.isna().to_numpy().sum()
    finding = (
        f"{count_phrase(n, 'row')} and {count_phrase(d, 'column')} are used;"
        f" {count_phrase(n_missing, 'cell')} missing."
    )
    overview = table.overview()
    notes = table.notes
    if not look.shows_rows:
        # The smallest value of a column is that of a row.
        overview = overview.drop(columns="values")
        for names in table.rows_left_out.values():
            list_of_rows = f": {and_list(names)}."
            notes = [note.replace(list_of_rows, ".") for note in notes]
    return RichText([finding, *notes], overview)
