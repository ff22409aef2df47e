"""Tables and square matrices from files: what a file is, and what was decided in reading it."""

import numpy as np

from ..core.checks import check_integer, check_seed, shown
from .arff import read_arff
from .arrays import read_arrays
from .columns import counted
from .delimited import read_delimited
from .files import PACKED, check_content, existing, needed, opened, plain_suffix
from .sheets import read_excel, read_parquet
from .squares import check_square, classes_of, square_of

__all__ = ["read_square", "read_table"]

READERS = {
    ".xlsx": read_excel,
    ".xlsm": read_excel,
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".arff": read_arff,
    ".npz": read_arrays,
    ".npy": read_arrays,
}
TEXT_INSIDE = {".arff", ".csv", ".tsv", ".tab", ".txt", ".data", ".dat", ""}  # of a compressed file


def read_table(path, rows=None, random_state=0):
    """A table from a file, and what was decided in reading it.

    Text (CSV, TSV; compressed as .gz, .bz2, .xz or .zip, too), Excel (.xlsx, the first sheet), Parquet, ARFF and NumPy
    (.npz, .npy) are read. Separator, decimal comma, encoding and header of a text are found out. Words such as NA, ?
    or n/a become missing values. Nothing is unpickled.

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

    Raises
    ------
    ValueError
        If the file is none of these, is broken, or has no rows, rows of different length or columns of the same name.
    ImportError
        If pandas, or the package that reads this format, is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "flowers.csv"
    ...     size = path.write_text("width;kind\\n1,5;rose\\n2,25;tulip\\n?;rose\\n")
    ...     frame, notes = read_table(path)
    >>> frame["width"].tolist()
    [1.5, 2.25, nan]
    >>> print(*notes, sep="\\n")
    The columns are separated by semicolons.
    Numbers with a decimal comma: `width`.
    Read as missing: 1 '?'.
    """
    needed("pandas", "reading a table")
    rows = check_integer(rows, "rows", none=True)
    rng = check_seed(random_state)
    path = existing(path)
    reader = _reader(path)
    if reader is None:
        return read_delimited(path, rows, rng)
    frame, notes = reader(path)
    if rows is not None and len(frame) > rows:
        kept = np.sort(rng.permutation(len(frame))[:rows])
        notes.append(f"{rows:,} of {counted(len(frame), 'row')} were drawn at random.")
        frame = frame.iloc[kept].set_axis(np.asarray(kept) + 1).rename_axis("row")
    return frame, notes


def _reader(path):
    """The function for a file, None for text; the suffix says which, and the content must not say otherwise."""
    suffix = plain_suffix(path)
    compressed = suffix != path.suffix.lower() if path.suffix else False
    if compressed and suffix not in TEXT_INSIDE and suffix in READERS:
        raise ValueError(f"`path` must be text if it is compressed; {path.name!r} is {suffix} inside. Unpack it first.")
    if suffix in (".xlsx", ".xlsm", ".parquet", ".pq"):
        _check_packed(path, suffix)
    return READERS.get(suffix)


def _check_packed(path, suffix):
    """Refuse what is no Excel or Parquet file before its library does, in words of its own."""
    head = check_content(path)
    mark = b"PAR1" if suffix in (".parquet", ".pq") else b"PK\x03\x04"
    if not head.startswith(mark):
        what = next((what for start, what in PACKED.items() if head.startswith(start)), "something else")
        raise ValueError(
            f"`path` cannot be read: {path.name!r} is no {suffix} file but {what}. Write or "
            f"download it again, "
            "or give it the suffix that says what it is."
        )


def read_square(path, classes=None):
    """A square matrix of similarities or distances from a file, with names and classes.

    Parameters
    ----------
    path : str or Path
        CSV, TSV or another text, with names in the first row, in the first column, in both or in none; .npz with `S`
        or `D`, and `y` for classes; or .npy.
    classes : str or Path, optional
        A file with the classes: one column in the order of the matrix, or a column of names and one of classes.

    Returns
    -------
    S : ndarray of shape (n, n), exactly symmetric
    names : list of n str, "row 1", ... where the file has none
    classes : Series of length n by name, or None
    notes : list of str, sentences about how the files were read

    Raises
    ------
    ValueError
        If the matrix is not square, numeric, complete and symmetric, or names differ from those of the classes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "distances.csv"
    ...     size = path.write_text(",sea,lake\\nsea,0,2\\nlake,2,0\\n")
    ...     S, names, classes, notes = read_square(path)
    >>> S
    array([[0., 2.],
           [2., 0.]])
    >>> names
    ['sea', 'lake']
    """
    needed("pandas", "reading a matrix")
    path = existing(path)
    suffix = plain_suffix(path)
    if suffix in READERS and suffix not in (".npz", ".npy"):
        raise ValueError(f"`path` must be a matrix as text, .npz or .npy; got {shown(suffix)}. Save it as CSV.")
    with opened(path):
        pass
    S, names, own, notes = square_of(path, suffix)
    S = check_square(S, names, path)
    if classes is None:
        return S, names or _numbered(len(S)), _by_name(own, names, len(S)), notes
    if own is not None:
        notes.append(f"The classes are those of the second file, not `y` of {path.name!r}.")
    known, found = classes_of(existing(classes, "classes"), names, len(S), notes)
    return S, known or _numbered(len(S)), _by_name(found, known, len(S)), notes


def _numbered(n):
    return [f"row {i + 1}" for i in range(n)]


def _by_name(classes, names, n):
    import pandas as pd

    return None if classes is None else pd.Series(classes, index=names or _numbered(n), name="class", dtype=object)
