"""Tables from files of every format: what a file is, and what was decided in reading it.

NumPy's files hold a table `X` with a target `y` or labels `Y`, and are read without
unpickling anything.
"""

import zipfile

import numpy as np

from ..core.checks import check_integer, check_seed, short_repr
from ..datasets.arff import arff_rows
from .delimited import names_of_columns, read_text_table
from .files import (
    check_content,
    encoding_of,
    existing_file,
    plain_suffix,
    require,
    text_of,
)
from .text import check_names, count_phrase, reading_error, short_list

SAMPLE = 200  # rows of a sheet from which its header is found out


def read_table(path, rows=None, random_state=0):
    """A table from a file, and what was decided in reading it.

    Text (CSV, TSV; compressed as .gz, .bz2, .xz or .zip, too), Excel (.xlsx, the first
    sheet), Parquet, ARFF and NumPy (.npz, .npy) are read. Separator, decimal comma,
    encoding and header of a text are found out. Words such as NA, ? or n/a become
    missing values; so do words in a column that is at least 95 % numbers. Nothing is
    unpickled.

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
    require("pandas", "reading a table")
    rows, rng, path = (
        check_integer(rows, "rows", none=True),
        check_seed(random_state),
        existing_file(path),
    )
    suffix = plain_suffix(path)
    reader = READERS.get(suffix)
    if reader is None:
        return read_text_table(path, rows, rng)
    if reader is not _read_arff and suffix != path.suffix.lower():
        raise ValueError(
            f"`path` must be text if it is compressed; {path.name!r} is {suffix}"
            " inside. Unpack it first."
        )
    frame, notes = reader(path)
    check_names(frame.columns.tolist(), "path", repr(path.name))
    if frame.empty:
        raise ValueError(
            f"`path` must be a table with rows; {path.name!r} has shape {frame.shape}."
            " Add rows."
        )
    if rows is not None and len(frame) > rows:
        kept = np.sort(rng.permutation(len(frame))[:rows])
        notes.append(
            f"{rows:,} of {count_phrase(len(frame), 'row')} were drawn at random."
        )
        frame = frame.iloc[kept].set_axis(kept + 1).rename_axis("row")
    return frame, notes


def _read_excel(path):
    """The first sheet of an Excel file as a DataFrame (n, d), and notes."""
    import pandas as pd

    require("openpyxl", "reading .xlsx")
    check_content(path, b"PK\x03\x04")
    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheet, *others = book.sheet_names
            cells = pd.read_excel(
                book, header=None, dtype=object, keep_default_na=False, na_values=[""]
            )
    except Exception as error:  # of many kinds: openpyxl's, of the archive, of XML
        raise reading_error(path, error, "Save it again without a password.") from None
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    notes = (
        [f"Read from the sheet {sheet!r}; other sheets: {short_list(others)}."]
        if others
        else []
    )
    sample = cells.head(SAMPLE).fillna("").astype(str).map(str.strip).values.tolist()
    names, header = names_of_columns(sample, notes) if sample else ([], False)
    return (
        cells.iloc[int(header) :]
        .set_axis(names, axis=1)
        .reset_index(drop=True)
        .infer_objects(),
        notes,
    )


def _read_parquet(path):
    """A Parquet file as a DataFrame (n, d), and notes; a named index becomes a column."""
    import pandas as pd

    require("pyarrow", "reading .parquet")
    check_content(path, b"PAR1")
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except Exception as error:  # pyarrow's, of many kinds
        raise reading_error(path, error) from None
    indices = [
        name
        for name in frame.index.names
        if name is not None and name not in frame.columns
    ]
    return frame.reset_index(level=indices) if indices else frame, []


def _read_arff(path):
    """An ARFF file as a DataFrame (n, d) of floats, and words with NaN; and notes."""
    import pandas as pd

    encoding, notes = encoding_of(path)
    with text_of(path, encoding) as lines:
        names, kinds, rows = arff_rows(lines)
    if not names or not rows:
        raise reading_error(
            path,
            "no row, or no line @data below lines @attribute",
            "Save the table as CSV.",
        )
    for number, row in rows:
        if len(row) != len(names):
            raise reading_error(
                path,
                f"line {number} does not hold the {len(names)} attributes",
                "Mend that line.",
            )
    columns = []
    for name, kind, fields in zip(
        names, kinds, zip(*[row for _, row in rows], strict=True), strict=True
    ):
        column = words = pd.Series(fields, name=name, dtype=object).replace("?", np.nan)
        if kind in ("numeric", "real", "integer"):
            column = pd.to_numeric(words, errors="coerce").astype(float)
        elif isinstance(kind, list):
            column = words.where(words.isin(kind))
        if len(wrong := words[column.isna()].dropna()):
            raise reading_error(
                path,
                f"row {wrong.index[0] + 1}: {wrong.iloc[0]!r} is no {name}",
                "Mend that row.",
            )
        columns.append(column)
    return pd.concat(columns, axis=1), notes


def arrays_of(path):
    """The arrays of an .npz or .npy by name; the only one of an .npy is called X."""
    try:
        loaded = np.load(path, allow_pickle=False)
        return (
            {"X": loaded}
            if isinstance(loaded, np.ndarray)
            else {name: loaded[name] for name in loaded.files}
        )
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        if "pickle" not in str(error):
            raise reading_error(path, error) from None
        what = (
            f"{path.name!r} holds Python objects, which could run any code when they"
            " are loaded"
        )
        raise ValueError(
            f"`path` must hold plain arrays; {what}. Save numbers, and arrays of str."
        ) from None


def array_of(arrays, name, path, ndim, n=None):
    """One of the arrays, if it has the wanted number of dimensions, and n rows."""
    array = np.asarray(arrays.get(name))
    fits = (
        array.ndim == ndim
        and array.dtype.kind in ("biuf" if ndim == 2 else "biufUS")
        and array.size > 0
    )
    if not fits or n not in (None, len(array)):
        what = (
            f"numbers, shape ({n or 'n'}, d)"
            if ndim == 2
            else f"one value per row, shape ({n or 'n'},)"
        )
        got = (
            f"got shape {array.shape} of {array.dtype}"
            if name in arrays
            else f"it has {short_list(sorted(arrays))}"
        )
        raise ValueError(
            f"`path` must hold an array `{name}` of {what}; {path.name!r}: {got}. Save"
            " it again."
        )
    return array


def names_in(arrays, key, count, path):
    """Different names as list of str, None where there are none."""
    names = [str(name) for name in np.ravel(arrays[key])] if key in arrays else None
    if names is not None and not len(names) == len(set(names)) == count:
        raise ValueError(
            f"`{key}` must be {count} different names; {path.name!r} has"
            f" {short_repr(names)}. Save it again."
        )
    return names


def with_names(y, arrays):
    """Classes by their names in `target_names`, where y counts these from 0."""
    names = np.ravel(arrays.get("target_names", [])).astype(str).astype(object)
    counts = (
        len(names) > 1
        and y.dtype.kind in "biu"
        and y.min() >= 0
        and y.max() < len(names)
    )
    return names[y.astype(int)] if counts else y


def _read_arrays(path):
    """Arrays `X`, `y` or `Y`, `feature_names` and `target_names` as a DataFrame (n, d + targets) and notes."""
    import pandas as pd

    arrays = arrays_of(path)
    X = array_of(arrays, "X", path, 2)
    n, d = X.shape
    parts = [
        pd.DataFrame(
            X,
            columns=names_in(arrays, "feature_names", d, path)
            or [f"X{j + 1}" for j in range(d)],
        )
    ]
    if "Y" in arrays:
        Y = array_of(arrays, "Y", path, 2, n)
        names = (
            names_in(arrays, "target_names", Y.shape[1], path)
            if "y" not in arrays
            else None
        )
        parts.append(
            pd.DataFrame(
                Y, columns=names or [f"label {j + 1}" for j in range(Y.shape[1])]
            )
        )
    if "y" in arrays:
        y = array_of(arrays, "y", path, 1, n)
        parts.append(pd.DataFrame({"y": y if "Y" in arrays else with_names(y, arrays)}))
    unused = sorted(set(arrays) - {"X", "y", "Y", "feature_names", "target_names"})
    return pd.concat(parts, axis=1), (
        [f"Not read from the file: {', '.join(unused)}."] if unused else []
    )


READERS = {
    ".xlsx": _read_excel,
    ".parquet": _read_parquet,
    ".arff": _read_arff,
    ".npz": _read_arrays,
    ".npy": _read_arrays,
}
