"""Square matrices as files have them: names in rows and columns, and classes from a second file."""

import difflib
from itertools import islice

import numpy as np

from ..core.checks import shown
from .arrays import array_of, arrays_of
from .columns import listed, missing_words, words_of
from .delimited import TextTable, as_values, read_delimited
from .files import existing, plain_suffix

__all__ = ["check_square", "classes_of", "square_of"]

ROUNDING = 1e-6  # of the largest entry, as in toolkit.core.checks
CLASS_NAMES = ("class", "classes", "label", "target", "y", "group")
MOST = 30_000  # rows: of a matrix of 7 GB


def square_of(path, suffix):
    """(matrix, names or None, classes or None, notes) of a file, before any check of the matrix."""
    if suffix in (".npz", ".npy"):
        return _square_of_arrays(path)
    text = TextTable(path)
    rows = [fields for _, fields in islice(text.rows(), MOST + 2)]
    if len(rows) > MOST + 1:
        raise ValueError(
            f"`path` must be a matrix of at most {MOST:,} rows; {path.name!r} has more. Draw some of them."
        )
    across, down, body = _split_names(rows, path)
    width = max(len(row) for row in body)
    if uneven := next((i for i, row in enumerate(body) if len(row) != width), None):
        raise ValueError(
            f"`path` must be a square matrix; row {uneven + 1} of {path.name!r} has {len(body[uneven])} "
            f"entries, {width} expected. Mend that row."
        )
    if across and down and across != down:
        i = next((i for i, pair in enumerate(zip(across, down, strict=False)) if pair[0] != pair[1]), None)
        what = (
            "numbers of names" if i is None else f"names: {shown(across[i])} and {shown(down[i])} at position {i + 1}"
        )
        raise ValueError(
            f"`path` must have the same names in the first row and column, in the same order; "
            f"{path.name!r} has "
            f"different {what}. Order rows and columns alike."
        )
    names = across or down
    if names and len(set(names)) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(
            f"`path` must have different names; {path.name!r} repeats {listed(map(shown, repeated))}. Rename them."
        )
    return _numbers(body, text, names, path), names, None, text.notes


def _square_of_arrays(path):
    arrays = arrays_of(path)
    name = next((name for name in ("S", "D", "X" if path.suffix.lower() == ".npy" else "S") if name in arrays), None)
    if name is None:
        raise ValueError(
            f"`path` must hold an array `S` or `D`; {path.name!r} has {listed(sorted(arrays))}. "
            "Save the matrix under that name."
        )
    S = array_of(arrays, name, path, 2)
    classes = None
    if "y" in arrays:
        y = array_of(arrays, "y", path, 1)
        if len(y) != len(S):
            raise ValueError(
                f"`y` of {path.name!r} must have one class per row; got {len(y)} for {len(S)} rows. Save it again."
            )
        classes = _check_classes([str(value) for value in y.tolist()], path)
        target_names = np.ravel(arrays.get("target_names", []))
        if len(target_names) and y.dtype.kind in "iu" and 0 <= y.min() and y.max() < len(target_names):
            classes = [str(target_names[code]) for code in y]
    names = [str(each) for each in np.ravel(arrays["names"])] if "names" in arrays else None
    if names is not None and (len(names) != len(S) or len(set(names)) != len(names)):
        raise ValueError(
            f"`names` of {path.name!r} must be {len(S)} different names; got {shown(names)}. Save it again."
        )
    return S.astype(float), names, classes, []


def _split_names(rows, path):
    """Names of the first row and of the first column (each may be None), and the rest."""
    first, rest = rows[0], rows[1:]
    widths = {len(row) for row in rest}
    if not rest:
        raise ValueError(f"`path` must be a square matrix; {path.name!r} has one row. Check its separators.")
    if widths == {len(first) + 1}:  # as R writes it, without a name for the column of names
        return first, [row[0] for row in rest], [row[1:] for row in rest]
    n, d = len(rows), len(first)
    words = [j for j, field in enumerate(first[1:], 1) if not _is_value(field)]
    above = bool(words) or n == d + 1 or (n == d and not _is_value(first[0]))
    beside = sum(not _is_value(row[0]) for row in rest) > len(rest) / 2 or d == n + 1 or (n == d and above)
    across = (first[1:] if beside else first) if above else None
    down = [row[0] for row in (rest if above else rows)] if beside else None
    body = [row[1:] if beside else row for row in (rest if above else rows)]
    return across, down, body


def _is_value(field):
    return _is_gap(field) or any(char.isdigit() for char in field) and _float(field) is not None


def _is_gap(field):
    """Whether a field means a missing value; an empty one does not, it may stand in the corner."""
    return bool(field) and field.casefold() in ("na", "nan", "?", "n/a", "null")


def _float(field):
    try:
        return float(field.replace(",", "."))
    except ValueError:
        return None


def _numbers(body, text, names, path):
    """The entries as floats; NaN and words are refused with their row and column."""
    import pandas as pd

    frame, notes = as_values(pd.DataFrame(body, dtype=object), comma_likely=text.separator == ";")
    text.notes += [note for note in notes if not note.startswith("Read as missing")]
    for j, column in enumerate(frame.columns):
        values = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=float)
        if np.isnan(values).any():
            i = int(np.flatnonzero(np.isnan(values))[0])
            field = body[i][j]
            what = "is missing" if not field or pd.isna(frame[column].iloc[i]) else f"is {shown(field)}, no number"
            where = f"{_name(names, i)}, {_name(names, j, 'column')}"
            raise ValueError(
                f"`path` must hold numbers; the entry of {path.name!r} at {where} {what}. Fill it in, "
                "or leave out its row and column."
            )
    return frame.to_numpy(dtype=float)


def _name(names, i, what="row"):
    return f"{what} {i + 1}" + (f" ({names[i]})" if names and i < len(names) else "")


def check_square(S, names, path):
    """A matrix that is square, finite and symmetric up to rounding, exactly symmetric."""
    if S.shape[0] != S.shape[1] or len(S) < 2:
        raise ValueError(
            f"`path` must be a square matrix of at least 2 rows; {path.name!r} has shape {S.shape}. Give all pairs."
        )
    if not np.isfinite(S).all():
        i, j = np.argwhere(~np.isfinite(S))[0]
        raise ValueError(
            f"`path` must hold finite numbers; the entry of {path.name!r} at {_name(names, i)}, "
            f"{_name(names, j, 'column')} is {S[i, j]}. Fill it in, or leave out its row and column."
        )
    gap = np.abs(S - S.T)
    if gap.max() > ROUNDING * np.abs(S).max():
        i, j = sorted(np.unravel_index(np.argmax(gap), gap.shape))
        raise ValueError(
            f"`path` must be a symmetric matrix; the largest difference in {path.name!r} is {gap[i, j]:.6g}, between "
            f"{S[i, j]:.6g} and {S[j, i]:.6g} at {_name(names, i)}, {_name(names, j, 'column')}. If that is meant, "
            "symmetrise it: (S + S.T) / 2."
        )
    return S / 2 + S.T / 2


def classes_of(path, names, n, notes):
    """(names, classes) of a file with classes, in the order of the matrix."""
    if plain_suffix(path) in (".xlsx", ".parquet", ".pq", ".arff", ".npz", ".npy"):
        raise ValueError(f"`classes` must be a text (CSV, TSV); got {path.name!r}. Save it as CSV.")
    text = TextTable(existing(path, "classes"))
    rows = [fields for _, fields in text.rows()]
    if all(len(row) == 1 for row in rows):
        if len(rows) not in (n, n + 1):
            raise ValueError(
                f"`classes` must have one class per row of the matrix, {n}; {path.name!r} has "
                f"{len(rows)}. "
                "Add or remove lines."
            )
        return names, _check_classes([row[0] for row in rows[len(rows) - n :]], path)
    frame, more = read_delimited(path)
    notes += more
    words = {column: words_of(frame[column]).tolist() for column in frame.columns}
    key = _name_column(words, names, n, path)
    value = _class_column([column for column in words if column != key], path)
    if names is None:
        return words[key], _check_classes(words[value], path)
    by_name = dict(zip(words[key], words[value], strict=True))
    return names, _check_classes([by_name[name] for name in names], path)


def _name_column(words, names, n, path):
    """The column with the names of the matrix, or with n different words where the matrix has no names."""
    if names is None:
        different = [column for column, values in words.items() if len(values) == n == len(set(values))]
        if not different:
            raise ValueError(
                f"`classes` must have a column of {n} different names, or classes alone; "
                f"{path.name!r} has none. "
                "Give one line per row of the matrix."
            )
        return different[0]
    best = max(words, key=lambda column: len(set(words[column]) & set(names)))
    missing, others = [x for x in names if x not in set(words[best])], [x for x in words[best] if x not in set(names)]
    if missing:
        near = difflib.get_close_matches(missing[0], map(str, others), n=1)
        hint = f"; is {missing[0]!r} the same as {near[0]!r}?" if near else "."
        raise ValueError(
            f"`classes` must name all rows of the matrix; {path.name!r} lacks {listed(missing, 3)}"
            f"{' and has ' + listed(others, 3) + ' instead' if others else ''}{hint} Use the same names."
        )
    if len(set(words[best])) < len(words[best]):
        repeated = sorted({x for x in words[best] if words[best].count(x) > 1}, key=str)
        raise ValueError(
            f"`classes` must have each name once; {path.name!r} repeats {listed(repeated, 3)}. Remove lines."
        )
    return best


def _class_column(columns, path):
    named = [column for column in columns if column.casefold() in CLASS_NAMES]
    if len(columns) != 1 and len(named) != 1:
        raise ValueError(
            f"`classes` must have a column of names and one of classes; {path.name!r} has "
            f"{len(columns)} beside "
            "the names. Keep one, or call it class."
        )
    return columns[0] if len(columns) == 1 else named[0]


def _check_classes(classes, path):
    import pandas as pd

    words, _ = missing_words(pd.Series(classes, dtype=object))
    if words.isna().any():
        i = int(np.flatnonzero(words.isna())[0])
        raise ValueError(
            f"`classes` must have a class for each row; line {i + 1} of the classes in "
            f"{path.name!r} has none. "
            "Fill it in."
        )
    return words.tolist()
