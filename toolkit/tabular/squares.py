"""Square matrices as files have them, with names and classes, and their coordinates.

The coordinates are those of classical scaling.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from sklearn.preprocessing import KernelCenterer

from ..core import (
    and_list,
    check_distances,
    check_kernel,
    check_table,
    did_you_mean,
    import_pandas,
    symmetric_eigenpairs,
)
from ..fisher.parzen import check_similarities
from .cells import missing_words, words_of
from .columns import read_column
from .delimited import read_text_table
from .files import existing_file, plain_suffix
from .headers import check_names
from .reading import array_of, arrays_of, names_in, target_in
from .rows import NumericTable
from .table import as_table

# Part of the largest eigenvalue; directions of smaller ones are rounding.
LEAST_EIGENVALUE = 1e-6
SMALLEST_NORM = 1e-300  # in place of 0, to divide by
WORTH_A_WORD = 0.0005  # fraction of the spectrum that is more than rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class SquareMatrix:
    """A square matrix of similarities or distances, as a file has it.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        The matrix, exactly symmetric.
    names : list of n_samples str
        Names of the rows; "row 1", ... where the file has none.
    classes : Series of length n_samples, or None
        Classes by name, None where there are none.
    notes : list of str
        Sentences about how the files were read.
    """

    matrix: np.ndarray
    names: list | None
    classes: object = None
    notes: list = field(default_factory=list)

    def __iter__(self):
        return iter((self.matrix, self.names, self.classes, self.notes))


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
    square : SquareMatrix
        The matrix, with names and classes of its rows, and notes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "distances.csv"
    ...     size = path.write_text(",sea,lake\\nsea,0,2\\nlake,2,0\\n")
    ...     square = read_square(path)
    >>> square.matrix.tolist(), square.names
    ([[0.0, 2.0], [2.0, 0.0]], ['sea', 'lake'])
    """
    path = existing_file(path)
    if plain_suffix(path) in (".npz", ".npy"):
        square = _from_arrays(path)
    else:
        square = _from_text(path)
    S = square.matrix
    n = len(S)
    if S.shape != (n, n) or n < 2:
        raise ValueError(
            f"`path` must be a square matrix; {path.name!r} has shape {S.shape}. Give"
            " all pairs."
        )
    if classes is not None:
        square = _with_classes(square, existing_file(classes, "classes"))
    names = square.names
    if not names:
        names = _numbered_rows(n)
    check_names(names, "path", repr(path.name))
    for i, j in np.argwhere(~np.isfinite(S)):
        raise ValueError(
            f"`path` must hold finite numbers; that of {names[i]!r} and {names[j]!r} in"
            f" {path.name!r} is missing, infinite or no number. Fill it in."
        )
    return replace(
        square,
        matrix=check_kernel(S, name="path"),
        names=names,
        classes=_classes_by_name(square.classes, names),
    )


def _numbered_rows(n):
    return [f"row {i + 1}" for i in range(n)]


def _classes_by_name(classes, names):
    """Classes as words by the names of their rows, each with one; None of None."""
    pd = import_pandas()
    if classes is None:
        return None
    series = pd.Series(classes, names, name="class", dtype=object)
    words, _ = missing_words(words_of(series))
    if words.isna().any():
        raise ValueError(
            f"`classes` must have a class for each row; {words.isna().idxmax()!r} has"
            " none. Fill it in."
        )
    return words


def _from_arrays(path):
    """The matrix of an .npz or .npy, with names and classes if it has them."""
    arrays = arrays_of(path)
    name = next((name for name in "SDX" if name in arrays), "S")
    S = array_of(arrays, name, path, ndim=2).astype(float)
    names = names_in(arrays, "names", len(S), path)
    classes, notes = target_in(arrays, len(S), path)
    return SquareMatrix(matrix=S, names=names, classes=classes, notes=notes)


def _from_text(path):
    """The matrix of a text, with names if it has them."""
    pd = import_pandas()
    text = read_text_table(path)
    frame = text.frame
    names = None
    if text.header.is_found:
        names = list(frame)
    first = frame.iloc[:, 0]
    has_surplus = frame.shape[1] == len(frame) + 1
    if has_surplus or not read_column(first).is_number:
        # The first column has the names of the rows.
        row_names = words_of(first).tolist()
        frame = frame.iloc[:, 1:]
        names = names[1:] if names else row_names
        for name, row_name in zip(names, row_names, strict=False):
            if name != row_name:
                raise ValueError(
                    "`path` must have the same names in the first row and column, in"
                    f" the same order; {path.name!r} has {name!r} and {row_name!r}."
                )
    numbers = frame.apply(pd.to_numeric, errors="coerce")
    # Names of columns mean nothing for a matrix.
    notes = [note for note in text.notes if note not in text.header.name_notes]
    return SquareMatrix(
        matrix=numbers.to_numpy(dtype=float), names=names, notes=notes
    )


def _similar_name(names, given_names):
    """A hint at the name of the matrix that is like a given one, or ""."""
    unknown = given_names.difference(names)
    missing = [name for name in names if name not in given_names]
    return did_you_mean(unknown[0], missing) if len(unknown) else ""


def _with_classes(square, path):
    """What a file holds, with the classes of another file in the same order."""
    n = len(square.matrix)
    text = read_text_table(path)
    frame = text.frame.apply(words_of)
    if len(frame) == n - 1:
        # The first line is no header if one row lacks.
        frame.loc[-1] = list(frame)
        frame = frame.sort_index()
    if frame.shape[1] == 1:
        if len(frame) != n:
            raise ValueError(
                f"`classes` must have one class per row, {n}; {path.name!r} has"
                f" {len(frame)} below its first line. Give all of them."
            )
        return replace(square, classes=frame.iloc[:, 0].tolist())
    # One column has most of the names, and another the classes.
    names = square.names
    if names:
        n_names = frame.isin(names).sum()
    else:
        n_names = frame.nunique()
    name_column = n_names.idxmax()
    class_columns = frame.columns.drop(name_column)
    if len(class_columns) != 1:
        raise ValueError(
            "`classes` must have a column of names and one of classes;"
            f" {path.name!r} has {len(class_columns)} and the names. Keep one."
        )
    classes = frame.set_index(name_column)[class_columns[0]]
    if not names:
        names = classes.index.tolist()
    counts = classes.index.value_counts().reindex(names, fill_value=0)
    wrong_names = counts.index[counts != 1]
    if len(wrong_names) or len(names) != n:
        raise ValueError(
            f"`classes` must name each of {n} rows once; {path.name!r} has"
            f" {len(classes)} names, and not once: {and_list(wrong_names)}. Use the"
            f" same names.{_similar_name(names, classes.index)}"
        )
    return replace(
        square,
        names=names,
        classes=classes[names].tolist(),
        notes=square.notes + text.notes,
    )


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
    if distances:
        squares = S**2
    else:
        self_similarity = np.diag(S)
        squares = -2 * S + self_similarity[:, None] + self_similarity
    # Classical scaling has the eigenvectors of the doubly centred squared distances.
    centred = KernelCenterer().fit_transform(-squares / 2)
    values, vectors = symmetric_eigenpairs(centred)
    is_kept = values > LEAST_EIGENVALUE * max(values.max(), 0.0)
    total = max(np.abs(values).sum(), SMALLEST_NORM)
    lost = -values[values < 0].sum() / total
    return vectors[:, is_kept] * np.sqrt(values[is_kept]), float(lost)


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
        is_file = classes is None or isinstance(classes, str | Path)
        square = read_square(data, classes if is_file else None)
        S = square.matrix
        names = square.names
        notes = square.notes
        if is_file:
            classes = square.classes
    else:
        S = check_table(data, "data")
        names = _numbered_rows(len(S))
    if distances:
        S = check_distances(S, name="data")
    else:
        S = check_similarities(S)
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
    frame = {"name": names, "class": classes, "first coordinate": X[:, 0]}
    table = as_table(frame, "class", id="name", notes=notes)
    names = [f"coordinate {j + 1}" for j in range(X.shape[1])]
    negative = ""
    if lost > WORTH_A_WORD:
        negative = (
            f" ({100 * lost:.1f} % of its spectrum is negative and left out)"
        )
    note = (
        f"A {n} x {n} matrix; {len(names)} coordinates hold all of it that vectors can"
        f" have{negative}."
    )
    table = replace(table, row_names=None, notes=[*table.notes, note])
    # One unit holds for all: the first coordinate has the largest variance.
    X = X[table.rows] / X[:, 0].std()
    return table, NumericTable(
        X=X, names=names, columns=names, parents=np.arange(len(names))
    )
