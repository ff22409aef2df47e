"""Tables from files of every format, and what was decided in reading them.

NumPy's files hold a table `X` with a target `y` or labels `Y`, and are read without
unpickling anything.
"""

import numpy as np

from ..core import check_integer, check_seed, feature_names
from ..datasets.arff import arff_rows
from .delimited import names_of_columns, read_text_table
from .files import (
    BROKEN,
    check_content,
    encoding_of,
    existing_file,
    import_package,
    open_file,
    plain_suffix,
)
from .text import and_list, check_names, count_phrase, reading_error

SAMPLE = 200  # rows of a sheet from which its header is found out


def read_table(path, rows=None, random_state=0):
    """A table from a file, and what was decided in reading it.

    Text (CSV, TSV; compressed as .gz, too), Excel (.xlsx, the first sheet), Parquet,
    ARFF and NumPy (.npz, .npy) are read. Separator, decimal comma, encoding and header
    of a text are found out. Words such as NA, ? or n/a become missing values; so do
    words in a column that is at least 95 % numbers. Nothing is unpickled.

    Parameters
    ----------
    path : str or Path
    rows : int, optional
        At most so many rows, drawn at random, in the order of the file; a text is never
        held as a whole for that. The index is then called "row" and counts the rows of
        the file from 1.
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
    import_package("pandas", "reading a table")
    rows = check_integer(rows, "rows", none=True)
    rng = check_seed(random_state)
    path = existing_file(path)
    # 1. the format
    suffix = plain_suffix(path)
    if suffix not in READERS:
        return read_text_table(path, rows, rng)
    if suffix not in (".arff", path.suffix.lower()):
        raise ValueError(
            f"`path` must be text if it is compressed; {path.name!r} is {suffix}"
            " inside. Unpack it first."
        )
    # 2. the table, and what every table must have
    frame, notes = READERS[suffix](path)
    check_names(list(frame), "path", repr(path.name))
    if frame.empty:
        raise ValueError(
            f"`path` must be a table with rows; {path.name!r} has shape {frame.shape}."
            " Add rows."
        )
    # 3. a part of the rows
    n = len(frame)
    if rows is not None and n > rows:
        kept = np.sort(rng.permutation(n)[:rows])
        notes.append(
            f"{rows:,} of {count_phrase(n, 'row')} were drawn at random."
        )
        frame = frame.iloc[kept].set_axis(kept + 1).rename_axis("row")
    return frame, notes


def _read_excel(path):
    """The first sheet of an Excel file as a DataFrame (n, d), and notes."""
    import pandas as pd

    import_package("openpyxl", "reading .xlsx")
    check_content(path, b"PK\x03\x04")
    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheet, *others = book.sheet_names
            cells = pd.read_excel(
                book,
                header=None,
                dtype=object,
                keep_default_na=False,
                na_values=[""],
            )
    except Exception as error:
        # of many kinds: openpyxl's, of the archive, of XML
        raise reading_error(
            path, error, "Save it again without a password."
        ) from None
    # tables need not start in the first cell
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    notes = []
    if others:
        others = and_list(others)
        notes.append(f"Read from the sheet {sheet!r}; other sheets: {others}.")
    sample = (
        cells.head(SAMPLE).fillna("").astype(str).map(str.strip).values.tolist()
    )
    if sample:
        names, has_header = names_of_columns(sample, notes)
        cells = cells.iloc[int(has_header) :].set_axis(names, axis=1)
    return cells.reset_index(drop=True).infer_objects(), notes


def _read_parquet(path):
    """A Parquet file as a DataFrame (n, d), and notes.

    A named index becomes a column.
    """
    import pandas as pd

    import_package("pyarrow", "reading .parquet")
    check_content(path, b"PAR1")
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except Exception as error:  # pyarrow's, of many kinds
        raise reading_error(path, error) from None
    for name in reversed(frame.index.names):
        if name is not None and name not in frame:
            frame = frame.reset_index(name)
    return frame, []


def _read_arff(path):
    """An ARFF file as a DataFrame (n, d) of floats, and words with NaN; and notes."""
    import pandas as pd

    encoding, notes = encoding_of(path)
    with open_file(path, encoding) as lines:
        names, kinds, rows = arff_rows(lines)
    if not names or not rows:
        why = "no row, or no line @data below lines @attribute"
        raise reading_error(path, why, "Save the table as CSV.")
    for number, row in rows:
        if len(row) != len(names):
            why = f"line {number} does not hold the {len(names)} attributes"
            raise reading_error(path, why, "Mend that line.")
    # words to numbers and to the values that the header names
    words = pd.DataFrame([row for _, row in rows], dtype=object).replace(
        "?", np.nan
    )
    for j, kind in enumerate(kinds):
        column = words[j]
        if kind in ("numeric", "real", "integer"):
            column = pd.to_numeric(column, errors="coerce").astype(float)
        elif isinstance(kind, list):
            column = column.where(column.isin(kind))
        for row, word in words[j][column.isna()].dropna().items():
            why = f"row {row + 1}: {word!r} is no {names[j]}"
            raise reading_error(path, why, "Mend that row.")
        words[j] = column
    return words.set_axis(names, axis=1), notes


def arrays_of(path):
    """The arrays of an .npz or .npy by name; the only one of an .npy is called X."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"X": loaded}
        return {name: loaded[name] for name in loaded.files}
    except (*BROKEN, ValueError, KeyError) as error:
        raise reading_error(
            path, error, "Save plain arrays of numbers or of str."
        ) from None


def array_of(arrays, name, path, ndim, n=None):
    """One of the arrays, if it has the wanted number of dimensions, and n rows."""
    array = np.asarray(arrays.get(name))
    what = f"numbers, shape ({n or 'n'}, d)"
    kinds = "biuf"
    if ndim == 1:
        what = f"values, shape ({n or 'n'},)"
        kinds = "biufUS"
    fits = array.ndim == ndim and array.dtype.kind in kinds and array.size > 0
    if not fits or n not in (None, len(array)):
        raise ValueError(
            f"`path` must hold an array `{name}` of {what}; {path.name!r} holds"
            f" {and_list(sorted(arrays))}, and got shape {array.shape} of"
            f" {array.dtype}. Save it again."
        )
    return array


def names_in(arrays, key, count, path):
    """The names in an array as a list of `count` str, None where there is none."""
    if key in arrays:
        return array_of(arrays, key, path, 1, count).astype(str).tolist()
    return None


def target_in(arrays, n, path):
    """The target `y`, (n,), or None.

    Classes have their names in `target_names`, where y counts these from 0.
    """
    if "y" not in arrays:
        return None
    y = array_of(arrays, "y", path, 1, n)
    names = np.ravel(arrays.get("target_names", [])).astype(str).astype(object)
    is_code = y.dtype.kind in "biu" and len(names) > 1
    if is_code and 0 <= y.min() <= y.max() < len(names):
        return names[y.astype(int)]
    return y


def _read_arrays(path):
    """Arrays `X`, `y` or `Y`, and names of both, as a DataFrame and notes."""
    import pandas as pd

    arrays = arrays_of(path)
    X = array_of(arrays, "X", path, 2)
    n, d = X.shape
    names = names_in(arrays, "feature_names", d, path)
    parts = [pd.DataFrame(X, columns=names or feature_names(None, d))]
    # `Y` holds labels, `y` one target
    y = target_in(arrays, n, path)
    if "Y" in arrays:
        Y = array_of(arrays, "Y", path, 2, n)
        q = Y.shape[1]
        names = names_in(arrays, "target_names", q, path) if y is None else None
        names = names or [f"label {j + 1}" for j in range(q)]
        parts.append(pd.DataFrame(Y, columns=names))
    if y is not None:
        parts.append(pd.DataFrame({"y": y}))
    unused = sorted(
        set(arrays) - {"X", "y", "Y", "feature_names", "target_names"}
    )
    notes = [f"Not read from the file: {', '.join(unused)}."] if unused else []
    return pd.concat(parts, axis=1), notes


READERS = {
    ".xlsx": _read_excel,
    ".parquet": _read_parquet,
    ".arff": _read_arff,
    ".npz": _read_arrays,
    ".npy": _read_arrays,
}
