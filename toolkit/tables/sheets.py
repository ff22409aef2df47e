"""Excel and Parquet, through pandas."""

from collections import Counter

import numpy as np

from ..core.checks import shown
from .columns import counted, listed
from .delimited import has_header
from .files import needed

__all__ = ["read_excel", "read_parquet"]


def read_excel(path):
    """The first sheet of an Excel file as a DataFrame (n, d), and notes."""
    import pandas as pd

    needed("openpyxl", "reading .xlsx")
    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = book.sheet_names
            cells = pd.read_excel(book, header=None, dtype=object, keep_default_na=False, na_values=[""])
    except Exception as error:  # of many kinds: openpyxl's, of the archive, of XML
        raise _broken(path, error, "Excel") from None
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    notes = []
    if len(sheets) > 1:
        notes.append(f"Read from the sheet {sheets[0]!r}; other sheets: {listed(sheets[1:])}.")
    if cells.empty:
        raise ValueError(
            f"`path` must be a table with rows; the sheet {sheets[0]!r} of {path.name!r} is empty. "
            "Put the table into the first sheet."
        )
    sample = [[_as_word(value) for value in row] for row in cells.head(200).itertuples(index=False)]
    if has_header(sample):
        names, cells = [name or f"X{j + 1}" for j, name in enumerate(sample[0])], cells.iloc[1:]
    else:
        names = [f"X{j + 1}" for j in range(cells.shape[1])]
        notes.append(f"There is no line of names: the columns are called {listed(names, 3)}.")
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(
            f"`path` must have columns of different names; {path.name!r} repeats "
            f"{listed(map(shown, repeated))}. "
            "Rename them in its first line."
        )
    if cells.empty:
        raise ValueError(
            f"`path` must be a table with rows; {path.name!r} has only a line of names. Add rows below it."
        )
    return cells.set_axis(names, axis=1).reset_index(drop=True).infer_objects(), notes


def _as_word(value):
    return "" if value is None or isinstance(value, float) and np.isnan(value) else str(value).strip()


def read_parquet(path):
    """A Parquet file as a DataFrame (n, d), and notes; a named index becomes a column."""
    import pandas as pd

    needed("pyarrow", "reading .parquet")
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except Exception as error:  # pyarrow's, of many kinds
        raise _broken(path, error, "Parquet") from None
    notes = []
    named = [name for name in frame.index.names if name is not None]
    if named and not set(named) & set(frame.columns):
        frame = frame.reset_index()
        notes.append(f"The index {listed(map(str, named))} is read as {counted(len(named), 'column')}.")
    if frame.empty:
        raise ValueError(f"`path` must be a table with rows; {path.name!r} has shape {frame.shape}. Write it again.")
    return frame, notes


def _broken(path, error, kind):
    why = " ".join(str(error).split()) or type(error).__name__
    return ValueError(
        f"`path` cannot be read: {path.name!r} is broken, encrypted or no {kind} file ({shown(why)}). "
        "Save it again without a password."
    )
