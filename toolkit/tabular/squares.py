"""Square matrices as files have them, with names and classes, and their coordinates.

The coordinates are those of classical scaling.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.preprocessing import KernelCenterer

from ..core import (
    and_list,
    check_distances,
    check_kernel,
    check_table,
    import_pandas,
    symmetric_eigenpairs,
)
from ..fisher.parzen import check_similarities
from .columns import missing_words, read_column, words_of
from .delimited import NO_HEADER, read_text_table
from .files import existing_file, plain_suffix
from .headers import check_names
from .reading import array_of, arrays_of, names_in, target_in
from .rows import NumericTable
from .table import as_table

KEPT = 1e-6  # of the largest eigenvalue; directions below are rounding
# notes on the header of a table that mean nothing for a matrix
HEADER_NOTES = (
    "Columns without a name",
    "The first column has no name",
    "The first line",
    NO_HEADER,
)


def read_square(path, classes=None):
    """Read a square matrix of similarities or distances, with names and classes.

    Parameters
    ----------
    path : str or Path
        CSV, TSV or another text, with names in the first row, in the first column, in
        both or in none; .npz with `S` or `D`, and `y` for classes; or .npy.
    classes : str or Path, optional
        A text with the classes: one column in the order of the matrix, or a column of
        names and one of classes.

    Returns
    -------
    S : ndarray of shape (n_samples, n_samples)
        The matrix, exactly symmetric.
    names : list of n_samples str
        Names of the rows; "row 1", ... where the file has none.
    classes : Series of length n_samples, or None
        Classes by name, None where there are none.
    notes : list of str
        Sentences about how the files were read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "distances.csv"
    ...     size = path.write_text(",sea,lake\\nsea,0,2\\nlake,2,0\\n")
    ...     S, names, classes, notes = read_square(path)
    >>> S.tolist(), names
    ([[0.0, 2.0], [2.0, 0.0]], ['sea', 'lake'])
    """
    pd = import_pandas()
    path = existing_file(path)
    found = None
    if plain_suffix(path) in (".npz", ".npy"):
        arrays = arrays_of(path)
        name = next((name for name in "SDX" if name in arrays), "S")
        S = array_of(arrays, name, path, 2).astype(float)
        names = names_in(arrays, "names", len(S), path)
        notes = []
        found = target_in(arrays, len(S), path, notes)
    else:
        S, names, notes = _from_text(path)
    n = len(S)
    if S.shape != (n, n) or n < 2:
        raise ValueError(
            f"`path` must be a square matrix; {path.name!r} has shape {S.shape}. Give"
            " all pairs."
        )
    if classes is not None:
        names, found = _classes_of(
            existing_file(classes, "classes"), names, n, notes
        )
    names = check_names(names or _row_names(n), "path", repr(path.name))
    for i, j in np.argwhere(~np.isfinite(S)):
        raise ValueError(
            f"`path` must hold finite numbers; that of {names[i]!r} and {names[j]!r} in"
            f" {path.name!r} is missing, infinite or no number. Fill it in."
        )
    if found is not None:
        found = pd.Series(found, names, name="class", dtype=object)
        found, _ = missing_words(words_of(found))
        if found.isna().any():
            raise ValueError(
                f"`classes` must have a class for each row; {found.isna().idxmax()!r}"
                " has none. Fill it in."
            )
    return check_kernel(S, name="path"), names, found, notes


def _row_names(n):
    return [f"row {i + 1}" for i in range(n)]


def _from_text(path):
    """(matrix, names or None, notes) of a text."""
    pd = import_pandas()
    frame, notes, _ = read_text_table(path)
    names = list(frame)
    if any(note.startswith(NO_HEADER) for note in notes):
        names = None
    first = frame.iloc[:, 0]
    if frame.shape[1] == len(frame) + 1 or read_column(first).kind != "number":
        # names of rows
        down = words_of(first).tolist()
        frame = frame.iloc[:, 1:]
        names = names[1:] if names else down
        for one, other in zip(names, down, strict=False):
            if one != other:
                raise ValueError(
                    "`path` must have the same names in the first row and column, in"
                    f" the same order; {path.name!r} has {one!r} and {other!r}."
                )
    numbers = frame.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    notes = [note for note in notes if not note.startswith(HEADER_NOTES)]
    return numbers, names, notes


def _classes_of(path, names, n, notes):
    """(names, classes) of a file with classes, in the order of the matrix."""
    frame, more, _ = read_text_table(path)
    frame = frame.apply(words_of)
    if len(frame) == n - 1:  # the first line is no header if one row lacks
        frame.loc[-1] = list(frame)
        frame = frame.sort_index()
    if frame.shape[1] == 1:
        if len(frame) != n:
            raise ValueError(
                f"`classes` must have one class per row, {n}; {path.name!r} has"
                f" {len(frame)} below its first line. Give all of them."
            )
        return names, frame.iloc[:, 0].tolist()
    notes += more
    # the column that has most of the names, and the one of classes
    known = frame.isin(names).sum() if names else frame.nunique()
    others = frame.columns.drop(known.idxmax())
    if len(others) != 1:
        raise ValueError(
            "`classes` must have a column of names and one of classes;"
            f" {path.name!r} has {len(others)} and the names. Keep one."
        )
    classes = frame.set_index(known.idxmax())[others[0]]
    names = names or classes.index.tolist()
    counts = classes.index.value_counts().reindex(names, fill_value=0)
    wrong = counts.index[counts != 1]
    if len(wrong) or len(names) != n:
        raise ValueError(
            f"`classes` must name each of {n} rows once; {path.name!r} has"
            f" {len(classes)} names, and not once: {and_list(wrong)}. Use"
            " the same names."
        )
    return names, classes[names].tolist()


def coordinates(S, distances=False):
    """Vectors whose Euclidean distances are those of a matrix, as nearly as can be.

    Parameters
    ----------
    S : ndarray of shape (n, n), symmetric
        Similarities, or distances.
    distances : bool, default=False

    Returns
    -------
    X : ndarray of shape (n, q), columns of falling variance
    lost : float
        Fraction of the absolute spectrum that is negative, which no vectors can have.
    """
    # classical scaling: eigenvectors of the doubly centred squared distances
    squares = S**2 if distances else -2 * S + np.diag(S)[:, None] + np.diag(S)
    centred = KernelCenterer().fit_transform(-squares / 2)
    values, vectors = symmetric_eigenpairs(centred)
    kept = values > KEPT * max(values.max(), 0.0)
    lost = -values[values < 0].sum() / max(np.abs(values).sum(), 1e-300)
    return vectors[:, kept] * np.sqrt(values[kept]), float(lost)


def table_of_matrix(data, classes, distances=False):
    """Convert a square matrix to a table without features, and to coordinates.

    Parameters
    ----------
    data : str, Path, DataFrame or array of shape (n_samples, n_samples)
        Similarities or distances, or the name of a file with them.
    classes : str or Path of a file, array-like of shape (n_samples,), or None
        Classes of the rows; None for a file that has them.
    distances : bool, default=False
        Whether the matrix holds distances; otherwise similarities.

    Returns
    -------
    table : Table
        Table of the names and classes.
    data : NumericTable
        Coordinates of classical scaling.

    Examples
    --------
    >>> points = np.arange(10.0)[:, None]
    >>> classes = ["a"] * 5 + ["b"] * 5
    >>> table, data = table_of_matrix(abs(points - points.T), classes, distances=True)
    >>> table.label_names, data.X.shape
    (['a', 'b'], (10, 1))
    """
    notes = []
    if isinstance(data, str | Path):
        file = classes if isinstance(classes, str | Path) else None
        S, names, found, notes = read_square(data, file)
        classes = found if classes is file else classes
    else:
        S = check_table(data, "data")
        names = _row_names(len(S))
    S = check_distances(S, name="data") if distances else check_similarities(S)
    if classes is None:
        raise ValueError(
            "`classes` is missing: give the classes of the rows, or a file with them"
            " (`--classes FILE`)."
        )
    n = len(S)
    classes = np.asarray(classes, dtype=object)
    if classes.shape != (n,):
        raise ValueError(
            f"`classes` must hold one class for each of the {n} rows; got shape"
            f" {classes.shape}. Give all of them."
        )
    X, lost = coordinates(S, distances)
    if not X.size:
        raise ValueError(
            "`data` must hold different values; all rows of the matrix are equal. Give"
            " another matrix."
        )
    columns = {"name": names, "class": classes, "first coordinate": X[:, 0]}
    table = as_table(columns, "class", id="name", notes=notes)
    table = replace(table, row_names=None)
    # rounding is not worth a word
    negative = ""
    if lost > 0.0005:
        negative = (
            f" ({100 * lost:.1f} % of its spectrum is negative and left out)"
        )
    columns = [f"coordinate {j + 1}" for j in range(X.shape[1])]
    table.notes.append(
        f"A {n} x {n} matrix; {len(columns)} coordinates hold all of it that vectors"
        f" can have{negative}."
    )
    # one unit for all: the first coordinate has the largest variance
    X = X[table.rows] / X[:, 0].std()
    return table, NumericTable(X, columns, columns, np.arange(len(columns)))
