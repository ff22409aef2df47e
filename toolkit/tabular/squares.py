"""Square matrices as files have them: names in rows and columns, and classes from a second file."""

import difflib

import numpy as np

from ..core.checks import shown
from .arrays import array_of, arrays_of, names_in, with_names
from .columns import missing_words, read_column, words_of
from .delimited import NO_HEADER, read_delimited
from .files import existing, needed, plain_suffix
from .wording import check_names, listed

__all__ = ["read_square"]

ROUNDING = 1e-6  # of the largest entry, as in toolkit.core.checks
CLASS_NAMES = ("class", "classes", "label", "target", "y", "group")


def read_square(path, classes=None):
    """A square matrix of similarities or distances from a file, with names and classes.

    Parameters
    ----------
    path : str or Path
        CSV, TSV or another text, with names in the first row, in the first column, in both or in none; .npz with `S`
        or `D`, and `y` for classes; or .npy.
    classes : str or Path, optional
        A text with the classes: one column in the order of the matrix, or a column of names and one of classes.

    Returns
    -------
    S : ndarray of shape (n, n), exactly symmetric
    names : list of n str, "row 1", ... where the file has none
    classes : Series of length n by name, or None
    notes : list of str, sentences about how the files were read

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
    pd = needed("pandas", "reading a matrix")
    path = existing(path)
    S, names, found, notes = _from_arrays(path) if plain_suffix(path) in (".npz", ".npy") else _from_text(path)
    S = _check_square(S, names, path)
    if classes is not None:
        names, found = _classes_of(existing(classes, "classes"), names, len(S), notes)
    names = names or [f"row {i + 1}" for i in range(len(S))]
    found = None if found is None else missing_words(pd.Series(found, index=names, name="class", dtype=object))[0]
    if found is not None and found.isna().any():
        raise ValueError(f"`classes` must have a class for each row; {found.isna().idxmax()!r} has none. Fill it in.")
    return S, names, found, notes


def _from_arrays(path):
    """(matrix, names or None, classes or None, notes) of NumPy's files."""
    arrays = arrays_of(path)
    S = array_of(arrays, next((name for name in ("S", "D", "X") if name in arrays), "S"), path, 2).astype(float)
    classes = None
    if "y" in arrays:
        y = with_names(array_of(arrays, "y", path, 1, len(S)), arrays)
        classes = [str(value) for value in y.tolist()]
    return S, names_in(arrays, "names", len(S), path), classes, []


def _from_text(path):
    """The same of a text."""
    import pandas as pd

    frame, notes = read_delimited(path)
    named, down = not any(note.startswith(NO_HEADER) for note in notes), None
    if frame.shape[1] == len(frame) + 1 or read_column(frame.iloc[:, 0]).kind != "number":
        down, frame = words_of(frame.iloc[:, 0]).tolist(), frame.iloc[:, 1:]
    across = list(frame.columns) if named else down
    if down and across != down:
        pairs = [f"{shown(a)} and {shown(b)}" for a, b in zip(across, down, strict=False) if a != b]
        what = f"{path.name!r} has {listed(pairs, 1) or f'{len(across)} and {len(down)}'}"
        raise ValueError(f"`path` must have the same names in the first row and column, in the same order; {what}.")
    numbers = frame.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    unsaid = ("1 column has no name", "The first column has no name", "The first line", NO_HEADER)
    notes = [note for note in notes if not note.startswith(unsaid)]
    return numbers, across and check_names(across, "path", repr(path.name)), None, notes


def _at(names, i, j):
    row, column = (f"{k + 1} ({names[k]})" if names and k < len(names) else f"{k + 1}" for k in (i, j))
    return f"row {row}, column {column}"


def _check_square(S, names, path):
    """A matrix that is square, finite and symmetric up to rounding, exactly symmetric."""
    if S.shape[0] != S.shape[1] or len(S) < 2:
        raise ValueError(f"`path` must be a square matrix; {path.name!r} has shape {S.shape}. Give all pairs.")
    if not np.isfinite(S).all():
        i, j = np.argwhere(~np.isfinite(S))[0]
        what = "missing or no number" if np.isnan(S[i, j]) else S[i, j]
        where = f"{path.name!r} at {_at(names, i, j)}"
        raise ValueError(f"`path` must hold finite numbers; that of {where} is {what}. Fill it in.")
    gap = np.abs(S - S.T)
    if gap.max() > ROUNDING * np.abs(S).max():
        i, j = sorted(np.unravel_index(np.argmax(gap), gap.shape))
        what = f"the largest difference in {path.name!r} is {gap[i, j]:.6g}, between {S[i, j]:.6g} and {S[j, i]:.6g}"
        raise ValueError(f"`path` must be a symmetric matrix; {what} at {_at(names, i, j)}. Take (S + S.T) / 2.")
    return S / 2 + S.T / 2


def _classes_of(path, names, n, notes):
    """(names, classes) of a file with classes, in the order of the matrix."""
    frame, more = read_delimited(path)
    words = {column: [column] * (len(frame) == n - 1) + words_of(frame[column]).tolist() for column in frame}
    if len(words) == 1:  # above and below: the first line is no header if one row lacks
        (given,) = words.values()
        if len(given) != n:
            what = f"{path.name!r} has {len(given)} below its first line"
            raise ValueError(f"`classes` must have one class per row, {n}; {what}. Give all of them.")
        return names, given
    notes += more
    key = max(words, key=lambda column: len(set(words[column]) & set(names or words[column])))
    others = [column for column in words if column != key]
    others = others if len(others) == 1 else [column for column in others if column.casefold() in CLASS_NAMES]
    if len(others) != 1:
        what = f"{path.name!r} has {len(words) - 1} beside the names"
        raise ValueError(f"`classes` must have a column of names and one of classes; {what}. Keep one.")
    names, by_name = names or words[key], dict(zip(words[key], words[others[0]], strict=True))
    missing = [name for name in names if name not in by_name]
    if missing or len(names) != n or len(by_name) < len(words[key]):
        near = difflib.get_close_matches(missing[0], map(str, by_name), n=1) if missing else []
        hint = f"Is {missing[0]!r} the same as {near[0]!r}?" if near else "Use the same names."
        what = f"lacks {listed(missing, 3)}" if missing else f"has {len(words[key])}, {len(by_name)} of them different"
        raise ValueError(f"`classes` must name each of {n} rows once; {path.name!r} {what}. {hint}")
    return names, [by_name[name] for name in names]
