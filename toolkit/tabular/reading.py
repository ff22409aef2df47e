"""Tables from files of every format, and what was decided in reading them.

NumPy's files hold a table `X` with a target `y` or labels `Y`, and are read without
unpickling anything.
"""

import re

import numpy as np

from ..core import (
    and_list,
    check_integer,
    check_seed,
    count_phrase,
    draw_rows,
    feature_names,
    import_package,
    import_pandas,
    require,
)
from ..datasets.arff import arff_rows
from .columns import MISSING
from .delimited import names_of_columns, read_text_table
from .files import (
    BROKEN,
    check_content,
    encoding_of,
    existing_file,
    open_file,
    plain_suffix,
)
from .headers import check_names
from .messages import reading_error
from .notations import Notation

# of a date in ARFF; of other lengths by their first letter
JAVA_DATES = {
    "yy": "%y",
    "y": "%Y",
    "MMM": "%b",
    "M": "%m",
    "d": "%d",
    "H": "%H",
    "h": "%I",
    "m": "%M",
    "s": "%S",
    "S": "%f",
    "a": "%p",
}
SAMPLE = 200  # rows of a sheet from which its header is found out


def read_table(
    path,
    rows=None,
    random_state=0,
    *,
    decimal=None,
    thousands=None,
    sheet=None,
    encoding=None,
):
    """Read a table from a file, with notes on what was decided.

    Text (CSV, TSV; compressed as .gz, too), Excel (.xlsx), Parquet, ARFF and NumPy
    (.npz, .npy) are read. Separator, decimal comma, encoding and header of a text are
    detected. Words such as NA, ? or n/a become missing values; so do words in a column
    that is at least 95 % numbers. Nothing is unpickled.

    Parameters
    ----------
    path : str or Path
        File to read.
    rows : int, optional
        Largest number of rows, drawn at random, in the order of the file; a text is
        never held as a whole for that. The index is then called "row" and holds the
        numbers of the rows in the file from 1.
    random_state : int or RandomState, default=0
        Seed of the random number generator for `rows`; an int makes results
        reproducible.
    decimal, thousands : str, optional
        The decimal mark of a text, and what separates thousands, where a file holds
        only numbers such as 1.234 or 1,234.
    sheet : str or int, optional
        Sheet of an Excel file, by name or number from 1; by default the first.
    encoding : str, optional
        Encoding of a text that is neither UTF-8 nor Windows-1252, such as "cp1251".

    Returns
    -------
    frame : DataFrame of shape (n_rows, n_columns)
        The table.
    notes : list of str
        Sentences about how the file was read.

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
    notation = Notation(decimal, thousands)
    return read_file(path, random_state, notation, rows, sheet, encoding)[:2]


def read_file(
    path, random_state, notation, rows=None, sheet=None, encoding=None
):
    """As :func:`read_table`, with a third result: the decimal mark, if known."""
    rows = check_integer(rows, "rows", optional=True)
    rng = check_seed(random_state)
    path = existing_file(path)
    # 1. the format
    suffix = plain_suffix(path)
    is_text = suffix not in READERS or suffix == ".arff"
    rule = f"None of a file such as {path.name!r}"
    require(sheet is None or suffix == ".xlsx", "sheet", rule, sheet)
    require(encoding is None or is_text, "encoding", rule, encoding)
    if not is_text and suffix != path.suffix.lower():
        raise ValueError(
            f"`path` must be text if it is compressed; {path.name!r} is {suffix}"
            " inside. Unpack it first."
        )
    # 2. the table, and what every table must have
    mark = None
    if suffix in READERS:
        option = {".xlsx": [sheet], ".arff": [encoding]}
        frame, notes = READERS[suffix](path, *option.get(suffix, []))
    else:
        frame, notes, mark = read_text_table(
            path, rows, rng, notation, encoding
        )
    check_names(list(frame), "path", repr(path.name))
    if frame.empty:
        raise ValueError(
            f"`path` must be a table with rows; {path.name!r} has shape {frame.shape}."
            f" Add rows. {' '.join(notes)}".rstrip()
        )
    # 3. a part of the rows
    n = len(frame)
    if rows is not None and n > rows:
        kept = draw_rows(n, rows, rng)
        notes.append(
            f"{rows:,} of {count_phrase(n, 'row')} were drawn at random."
        )
        frame = frame.iloc[kept].set_axis(kept + 1).rename_axis("row")
    return frame, notes, mark


def _read_excel(path, sheet=None):
    """A sheet of an Excel file as a DataFrame (n, d), and notes."""
    pd = import_pandas()
    import_package("openpyxl", "reading .xlsx")
    check_content(path, b"PK\x03\x04")
    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = book.sheet_names
            known = {str(k): name for k, name in enumerate(sheets, 1)}
            known |= zip(sheets, sheets, strict=True)
            chosen = known.get(sheets[0] if sheet is None else str(sheet))
            cells = chosen and pd.read_excel(
                book,
                chosen,
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
    rule = f"the name or number of a sheet, of {and_list(map(repr, sheets))}"
    require(chosen, "sheet", rule, sheet)
    # tables need not start in the first cell
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    notes = []
    if len(sheets) > 1:
        others = and_list(name for name in sheets if name != chosen)
        notes.append(
            f"Read from the sheet {chosen!r}; other sheets: {others}. `--sheet` chooses"
            " one."
        )
    sample = (
        cells.head(SAMPLE).fillna("").astype(str).map(str.strip).values.tolist()
    )
    if sample:
        names, above = names_of_columns(sample, notes)
        cells = cells.iloc[above:].set_axis(names, axis=1)
    return cells.reset_index(drop=True).infer_objects(), notes


def _read_parquet(path):
    """A Parquet file as a DataFrame (n, d), and notes.

    A named index becomes a column.
    """
    parquet = import_package("pyarrow.parquet", "reading .parquet")
    check_content(path, b"PAR1")
    try:
        frame = parquet.ParquetFile(path).read().to_pandas()
    except Exception as error:  # pyarrow's, of many kinds
        raise reading_error(path, error) from None
    for name in reversed(frame.index.names):
        if name is not None and name not in frame:
            frame = frame.reset_index(name)
    return frame, []


def _read_arff(path, encoding=None):
    """An ARFF file as a DataFrame (n, d) of floats, dates and words; and notes."""
    pd = import_pandas()
    encoding, notes = encoding_of(path, encoding)
    try:
        with open_file(path, encoding) as lines:
            names, kinds, rows = arff_rows(lines)
    except ValueError as error:
        raise reading_error(path, error, "Save one table as CSV.") from None
    if not names or not rows:
        why = "no row, or no line @data below lines @attribute"
        raise reading_error(path, why, "Save the table as CSV.")
    for number, row in rows:
        if len(row) != len(names):
            why = f"line {number} does not hold the {len(names)} attributes"
            raise reading_error(path, why, "Correct that line.")
    # words to numbers, dates and the values that the header names
    words = pd.DataFrame([row for _, row in rows], dtype=object)
    for j, kind in enumerate(kinds):
        column = words[j]
        if isinstance(kind, list):
            column = column.where(column.isin(kind))
            column = pd.Series(pd.Categorical(column, kind))
            if MISSING.isdisjoint(map(str.casefold, kind)):
                column = column.astype(object)
        elif kind.lower().startswith("date"):
            form = kind[4:].strip(" '\"") or "yyyy-MM-dd'T'HH:mm:ss"
            form = re.sub(r"([A-Za-z])\1*", _python_date, form).replace("'", "")
            column = pd.to_datetime(column, format=form, errors="coerce")
        elif kind.lower().split()[0] in ("numeric", "real", "integer"):
            column = pd.to_numeric(column, errors="coerce").astype(float)
        for row, word in words[j][column.isna()].dropna().items():
            why = f"line {rows[row][0]}: {word!r} is no {names[j]}"
            raise reading_error(path, why, "Correct that line.")
        words[j] = column
    return words.set_axis(names, axis=1), notes


def _python_date(match):
    """A part of a date as strptime has it, for one as Java has it."""
    part = match[0]
    return JAVA_DATES.get(part, JAVA_DATES.get(part[0], part))


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
    """The array `key` as a list of `count` strings, or None if `arrays` lacks it."""
    if key in arrays:
        return array_of(arrays, key, path, 1, count).astype(str).tolist()
    return None


def target_in(arrays, n, path, notes):
    """The target `y`, (n,), or None.

    Classes have their names in `target_names`, where y counts these from 0 or 1.
    """
    if "y" not in arrays:
        return None
    y = array_of(arrays, "y", path, 1, n)
    names = np.ravel(arrays.get("target_names", [])).astype(str).astype(object)
    if len(names) < 2:
        return y
    is_number = y.dtype.kind in "biuf"
    for start in (0, 1):
        if is_number and np.isin(y, start + np.arange(len(names))).all():
            if 0 not in y:
                notes.append(
                    f"`target_names` are those of `y` counted from {start}."
                )
            return names[y.astype(int) - start]
    notes.append(
        "`target_names` were not used: `y` does not count them from 0 or 1."
    )
    return y


def _read_arrays(path):
    """Arrays `X`, `y` or `Y`, and names of both, as a DataFrame and notes."""
    pd = import_pandas()
    arrays = arrays_of(path)
    X = array_of(arrays, "X", path, 2)
    n, d = X.shape
    names = names_in(arrays, "feature_names", d, path)
    parts = [pd.DataFrame(X, columns=names or feature_names(None, d))]
    # `Y` holds labels, `y` one target
    notes = []
    y = target_in(arrays, n, path, notes)
    if "Y" in arrays:
        Y = array_of(arrays, "Y", path, 2, n)
        q = Y.shape[1]
        names = names_in(arrays, "target_names", q, path) if y is None else None
        names = names or [f"label {j + 1}" for j in range(q)]
        parts.append(pd.DataFrame(Y, columns=names))
    if y is not None:
        parts.append(pd.DataFrame({"y": y}))
    known = {"X", "y", "Y", "feature_names", "target_names"}
    if unused := sorted(set(arrays) - known):
        notes.append(f"Not read from the file: {', '.join(unused)}.")
    return pd.concat(parts, axis=1), notes


READERS = {
    ".xlsx": _read_excel,
    ".parquet": _read_parquet,
    ".arff": _read_arff,
    ".npz": _read_arrays,
    ".npy": _read_arrays,
}
