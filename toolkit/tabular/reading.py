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
    value_list,
)
from ..datasets.arff import arff_rows
from .cells import MISSING_WORDS, UNDECIDED, Notation
from .delimited import TableFile, read_text_table
from .files import (
    BROKEN,
    check_content,
    encoding_of,
    existing_file,
    open_file,
    plain_suffix,
    reading_error,
)
from .headers import check_names, find_header

# Parts of a date in ARFF; those of other lengths are found by their first letter.
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
USED_ARRAYS = {"X", "y", "Y", "feature_names", "target_names"}


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
    table = read_file(
        path,
        rows=rows,
        random_state=random_state,
        notation=Notation(decimal, thousands),
        sheet=sheet,
        encoding=encoding,
    )
    return table.frame, table.notes


def read_file(
    path,
    *,
    rows=None,
    random_state=0,
    notation=UNDECIDED,
    sheet=None,
    encoding=None,
):
    """As :func:`read_table`, as a TableFile."""
    rows = check_integer(rows, "rows", optional=True)
    rng = check_seed(random_state)
    path = existing_file(path)
    # 1. the format
    suffix = plain_suffix(path)
    is_text = suffix not in (".xlsx", *READERS)
    rule = f"None of a file such as {path.name!r}"
    require(sheet is None or suffix == ".xlsx", "sheet", rule, sheet)
    require(encoding is None or is_text, "encoding", rule, encoding)
    if not is_text and suffix != path.suffix.lower():
        raise ValueError(
            f"`path` must be text if it is compressed; {path.name!r} is {suffix}"
            " inside. Unpack it first."
        )
    # 2. the table, and what every table must have
    if suffix == ".xlsx":
        table = _read_excel(path, sheet)
    elif suffix == ".arff":
        table = _read_arff(path, encoding)
    elif suffix in READERS:
        table = READERS[suffix](path)
    else:
        table = read_text_table(
            path, rows=rows, rng=rng, notation=notation, encoding=encoding
        )
    frame = table.frame
    check_names(list(frame), "path", repr(path.name))
    if frame.empty:
        raise ValueError(
            f"`path` must be a table with rows; {path.name!r} has shape {frame.shape}."
            f" Add rows. {' '.join(table.notes)}".rstrip()
        )
    # 3. a part of the rows
    n = len(frame)
    if rows is None or n <= rows:
        return table
    drawn = draw_rows(n, rows, rng)
    note = f"{rows:,} of {count_phrase(n, 'row')} were drawn at random."
    return TableFile(
        frame=frame.iloc[drawn].set_axis(drawn + 1).rename_axis("row"),
        notes=[*table.notes, note],
        mark=table.mark,
    )


def _read_excel(path, sheet):
    """A sheet of an Excel file."""
    pd = import_pandas()
    import_package("openpyxl", "reading .xlsx")
    check_content(path, b"PK\x03\x04")
    cells = None
    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = book.sheet_names
            chosen = _sheet_name(sheets, sheet)
            if chosen:
                cells = pd.read_excel(
                    book,
                    chosen,
                    header=None,
                    dtype=object,
                    keep_default_na=False,
                    na_values=[""],
                )
    except Exception as error:
        # Errors are openpyxl's, those of the archive, or of XML.
        raise reading_error(
            path, error, "Save it again without a password."
        ) from None
    rule = f"the name or number of a sheet, of {value_list(sheets)}"
    require(chosen, "sheet", rule, sheet)
    # Tables need not start in the first cell.
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    notes = []
    if len(sheets) > 1:
        other_sheets = and_list([name for name in sheets if name != chosen])
        notes.append(
            f"Read from the sheet {chosen!r}; other sheets: {other_sheets}. `--sheet`"
            " chooses one."
        )
    first_rows = cells.head(SAMPLE).fillna("").astype(str).map(str.strip)
    if not first_rows.empty:
        header = find_header(first_rows.values.tolist())
        notes += header.notes + header.name_notes
        cells = cells.iloc[header.n_lines :].set_axis(header.names, axis=1)
    return TableFile(
        frame=cells.reset_index(drop=True).infer_objects(), notes=notes
    )


def _sheet_name(sheets, sheet):
    """The name of a sheet that is given by name or number, None if there is none."""
    if sheet is None:
        return sheets[0]
    if str(sheet) in sheets:
        return str(sheet)
    name_of_number = {str(k): name for k, name in enumerate(sheets, 1)}
    return name_of_number.get(str(sheet))


def _read_parquet(path):
    """A Parquet file; a named index becomes a column."""
    parquet = import_package("pyarrow.parquet", "reading .parquet")
    check_content(path, b"PAR1")
    try:
        frame = parquet.ParquetFile(path).read().to_pandas()
    except Exception as error:  # pyarrow's, of many kinds
        raise reading_error(path, error) from None
    for name in reversed(frame.index.names):
        if name is not None and name not in frame:
            frame = frame.reset_index(name)
    return TableFile(frame=frame, notes=[])


def _read_arff(path, encoding):
    """An ARFF file, with floats, dates and words."""
    pd = import_pandas()
    encoding, notes = encoding_of(path, encoding)
    try:
        with open_file(path, encoding) as lines:
            content = arff_rows(lines)
    except ValueError as error:
        raise reading_error(path, error, "Save one table as CSV.") from None
    names, rows = content.names, content.rows
    if not names or not rows:
        raise reading_error(
            path,
            "no row, or no line @data below lines @attribute",
            "Save the table as CSV.",
        )
    for line, row in rows:
        if len(row) != len(names):
            raise reading_error(
                path,
                f"line {line} does not hold the {len(names)} attributes",
                "Correct that line.",
            )
    words = pd.DataFrame([row for _, row in rows], dtype=object)
    columns = {}
    for j, kind in enumerate(content.kinds):
        columns[j] = _arff_column(words[j], kind)
        for row, word in words[j][columns[j].isna()].dropna().items():
            line, _ = rows[row]
            problem = f"line {line}: {word!r} is no {names[j]}"
            raise reading_error(path, problem, "Correct that line.")
    return TableFile(
        frame=pd.DataFrame(columns).set_axis(names, axis=1), notes=notes
    )


def _arff_column(words, kind):
    """Words as numbers, dates or the categories that the header names."""
    pd = import_pandas()
    if isinstance(kind, list):
        declared = words.where(words.isin(kind))
        categories = pd.Series(pd.Categorical(declared, kind))
        if any(word.casefold() in MISSING_WORDS for word in kind):
            return categories
        return categories.astype(object)
    if kind.lower().startswith("date"):
        form = kind[4:].strip(" '\"")
        if not form:
            form = "yyyy-MM-dd'T'HH:mm:ss"
        form = re.sub(r"([A-Za-z])\1*", _python_date, form).replace("'", "")
        return pd.to_datetime(words, format=form, errors="coerce")
    if kind.lower().split()[0] in ("numeric", "real", "integer"):
        return pd.to_numeric(words, errors="coerce").astype(float)
    return words


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


def array_of(arrays, name, path, *, ndim, n=None):
    """One of the arrays, if it has the wanted number of dimensions, and n rows."""
    array = np.asarray(arrays.get(name))
    length = "n" if n is None else n
    wanted = f"numbers, shape ({length}, d)"
    dtype_kinds = "biuf"
    if ndim == 1:
        wanted = f"values, shape ({length},)"
        dtype_kinds = "biufUS"
    has_values = array.dtype.kind in dtype_kinds and array.size > 0
    has_rows = array.ndim == ndim and n in (None, len(array))
    if not (has_values and has_rows):
        raise ValueError(
            f"`path` must hold an array `{name}` of {wanted}; {path.name!r} holds"
            f" {and_list(sorted(arrays))}, and got shape {array.shape} of"
            f" {array.dtype}. Save it again."
        )
    return array


def names_in(arrays, key, count, path):
    """The array `key` as a list of `count` strings, or None if `arrays` lacks it."""
    if key not in arrays:
        return None
    return array_of(arrays, key, path, ndim=1, n=count).astype(str).tolist()


def target_in(arrays, n, path):
    """The target `y`, (n,), or None; and notes about its names.

    Classes have their names in `target_names`, where y counts these from 0 or 1.
    """
    if "y" not in arrays:
        return None, []
    y = array_of(arrays, "y", path, ndim=1, n=n)
    names = np.ravel(arrays.get("target_names", [])).astype(str).astype(object)
    if len(names) < 2:
        return y, []
    if y.dtype.kind in "biuf":
        for start in (0, 1):
            if np.isin(y, start + np.arange(len(names))).all():
                notes = []
                if 0 not in y:
                    notes = [
                        f"`target_names` are those of `y` counted from {start}."
                    ]
                return names[y.astype(int) - start], notes
    note = "`target_names` were not used: `y` does not count them from 0 or 1."
    return y, [note]


def _read_arrays(path):
    """Arrays `X`, `y` or `Y`, and names of both."""
    pd = import_pandas()
    arrays = arrays_of(path)
    X = array_of(arrays, "X", path, ndim=2)
    n, d = X.shape
    names = names_in(arrays, "feature_names", d, path)
    if names is None:
        names = feature_names(None, d)
    parts = [pd.DataFrame(X, columns=names)]
    # `Y` holds labels, `y` one target.
    y, notes = target_in(arrays, n, path)
    if "Y" in arrays:
        Y = array_of(arrays, "Y", path, ndim=2, n=n)
        n_labels = Y.shape[1]
        label_names = None
        if y is None:
            label_names = names_in(arrays, "target_names", n_labels, path)
        if label_names is None:
            label_names = [f"label {j + 1}" for j in range(n_labels)]
        parts.append(pd.DataFrame(Y, columns=label_names))
    if y is not None:
        parts.append(pd.DataFrame({"y": y}))
    unused = arrays.keys() - USED_ARRAYS
    if unused:
        notes.append(f"Not read from the file: {', '.join(sorted(unused))}.")
    return TableFile(frame=pd.concat(parts, axis=1), notes=notes)


READERS = {
    ".parquet": _read_parquet,
    ".npz": _read_arrays,
    ".npy": _read_arrays,
}
