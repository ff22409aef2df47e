"""Tables from files of every format: what a file is, and what was decided in reading it."""

import numpy as np

from ..core.checks import check_integer, check_seed
from .arff import read_arff
from .arrays import read_arrays
from .delimited import names_of_columns, read_delimited
from .files import check_content, existing, needed, plain_suffix
from .wording import broken, check_names, counted, listed

__all__ = ["read_table"]

SAMPLE = 200  # rows of a sheet from which its header is found out


def read_table(path, rows=None, random_state=0):
    """A table from a file, and what was decided in reading it.

    Text (CSV, TSV; compressed as .gz, .bz2, .xz or .zip, too), Excel (.xlsx, the first sheet), Parquet, ARFF and NumPy
    (.npz, .npy) are read. Separator, decimal comma, encoding and header of a text are found out. Words such as NA, ?
    or n/a become missing values; so do words in a column that is at least 95 % numbers. Nothing is unpickled.

    Parameters
    ----------
    path : str or Path
    rows : int, optional
        At most so many rows, drawn at random, in the order of the file; a text is never held as a whole for that.
        The index is then called "row" and counts the rows of the file from 1.
    random_state : int or RandomState, default=0

    Returns
    -------
    frame : DataFrame of shape (n, d)
    notes : list of str, sentences about how the file was read

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "flowers.csv"
    ...     size = path.write_text("width;kind\\n1,5;rose\\n2,25;tulip\\n?;rose\\n")
    ...     frame, notes = read_table(path)
    >>> frame["width"].tolist(), notes[-1]
    ([1.5, 2.25, nan], "Read as missing: 1 '?'.")
    """
    needed("pandas", "reading a table")
    rows, rng, path = check_integer(rows, "rows", none=True), check_seed(random_state), existing(path)
    suffix = plain_suffix(path)
    reader = READERS.get(suffix)
    if reader is None:
        return read_delimited(path, rows, rng)
    if reader is not read_arff and suffix != path.suffix.lower():
        raise ValueError(f"`path` must be text if it is compressed; {path.name!r} is {suffix} inside. Unpack it first.")
    frame, notes = reader(path)
    if frame.empty:
        raise ValueError(f"`path` must be a table with rows; {path.name!r} has shape {frame.shape}. Add rows.")
    if rows is not None and len(frame) > rows:
        kept = np.sort(rng.permutation(len(frame))[:rows])
        notes.append(f"{rows:,} of {counted(len(frame), 'row')} were drawn at random.")
        frame = frame.iloc[kept].set_axis(kept + 1).rename_axis("row")
    return frame, notes


def _read_excel(path):
    """The first sheet of an Excel file as a DataFrame (n, d), and notes."""
    import pandas as pd

    needed("openpyxl", "reading .xlsx")
    check_content(path, b"PK\x03\x04")
    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheet, *others = book.sheet_names
            cells = pd.read_excel(book, header=None, dtype=object, keep_default_na=False, na_values=[""])
    except Exception as error:  # of many kinds: openpyxl's, of the archive, of XML
        raise broken(path, error, "Save it again without a password.") from None
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    notes = [f"Read from the sheet {sheet!r}; other sheets: {listed(others)}."] * bool(others)
    sample = cells.head(SAMPLE).fillna("").astype(str).map(str.strip).values.tolist()
    names, header = names_of_columns(sample, notes) if sample else ([], False)
    cells = cells.iloc[int(header) :].set_axis(check_names(names, "path", repr(path.name)), axis=1)
    return cells.reset_index(drop=True).infer_objects(), notes


def _read_parquet(path):
    """A Parquet file as a DataFrame (n, d), and notes; a named index becomes a column."""
    import pandas as pd

    needed("pyarrow", "reading .parquet")
    check_content(path, b"PAR1")
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except Exception as error:  # pyarrow's, of many kinds
        raise broken(path, error) from None
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(level=named) if named else frame, []


READERS = {
    ".xlsx": _read_excel,
    ".parquet": _read_parquet,
    ".arff": read_arff,
    ".npz": read_arrays,
    ".npy": read_arrays,
}
