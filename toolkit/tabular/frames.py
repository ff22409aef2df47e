"""Whatever a table comes as, a DataFrame with different names of columns and rows, looked up with advice."""

import difflib

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..core.arrays import refuse_lazy
from ..core.checks import shown
from .wording import check_names, counted, listed, one_line

__all__ = ["check_column", "frame_of", "group_codes", "names_of", "row_names", "unique_names", "with_target"]

MOST_COLUMNS = 10_000


def frame_of(data, notes):
    """`data` as a DataFrame (n, d) whose columns have different names, which are str; the caller's stays as it is."""
    import pandas as pd

    refuse_lazy(data, "data")
    data = data.to_pandas() if hasattr(data, "to_pandas") else data.toarray() if hasattr(data, "toarray") else data
    try:
        if isinstance(data, dict | pd.DataFrame):
            frame = pd.DataFrame(data).copy(deep=False)
        else:
            n, d = np.shape(data)
            frame = pd.DataFrame(np.asarray(data), columns=[f"X{j + 1}" for j in range(d)])
    except (ValueError, TypeError):
        rule = "a table: a DataFrame, a dict of columns of the same length, or an array of shape (n, d)"
        raise ValueError(f"`data` must be {rule}; got {shown(data)}. Make one of these of it.") from None
    if (d := frame.shape[1]) > MOST_COLUMNS:
        raise ValueError(f"`data` must have at most {MOST_COLUMNS:,} columns; got {d:,}. Select some of them.")
    names = [" ".join(filter(None, map(str, n))) if isinstance(n, tuple) else str(n) for n in frame.columns]
    names = [one_line(name) or f"X{j + 1}" for j, name in enumerate(names)]
    if names != list(frame.columns):
        notes.append("Names of columns are text in one line now; those of several levels are joined, empty ones count.")
    frame.columns = check_names(names, "data", "it")
    return frame


def check_column(name, frame, argument):
    """The name of a column as text in one line; the nearest one is proposed if there is none."""
    name = one_line(str(name))
    if name in frame.columns:
        return name
    lower = {column.lower(): column for column in frame.columns}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    hint = f"Did you mean {shown(lower[near[0]])}?" if near else "Choose one of these."
    columns = listed(map(shown, frame.columns), 8)
    raise ValueError(f"`{argument}` must be a column; got {shown(name)}. The columns are {columns}. {hint}")


def names_of(names, frame, argument):
    """One or several names of columns as a list, each checked."""
    names = [check_column(name, frame, argument) for name in np.atleast_1d(np.array(names, dtype=object)).tolist()]
    if len(set(names)) < len(names):
        raise ValueError(f"`{argument}` must name columns once; got {shown(names)}. Leave repeats out.")
    return names


def with_target(frame, target, notes):
    """The frame with the target among its columns, and the target's name; values given apart become a column."""
    import pandas as pd

    if np.ndim(target) == 0:
        return frame, check_column(target, frame, "target")
    shape, n = np.shape(target), len(frame)
    if shape not in ((n,), (n, 1)):
        got = shape[0] if len(shape) == 1 else f"shape {shape}"
        raise ValueError(f"`target` must hold one value per row, {n}; got {got}. For several columns, give `labels`.")
    if isinstance(target, pd.Series) and not target.index.equals(frame.index):
        if not any(index.equals(pd.RangeIndex(n)) for index in (target.index, frame.index)):
            raise ValueError("`target` must have the index of `data`; it has another. Reorder it, or give an array.")
    name = one_line(str(getattr(target, "name", None) or "")) or "target"
    target = pd.Series(target if len(shape) == 1 else np.ravel(target)).set_axis(frame.index)
    if name in frame.columns:
        if frame[name].equals(target):
            return frame, name
        name = unique_names([*frame.columns, "target"])[-1]
    notes.append(f"The target was given beside the table: {counted(n, 'value')}, called `{name}` here.")
    return frame.assign(**{name: target}), name


def row_names(frame, words=None):
    """Name of each row as a list: its id of the Series `words`, or its number from 1 in the table or in the file."""
    numbers = frame.index if frame.index.name == "row" else range(1, len(frame) + 1)
    names = [f"row {number}" for number in numbers]
    return names if words is None else words.where(words.notna() & (words != ""), names).tolist()


def unique_names(names):
    """The names with " (2)", " (3)", ... behind repeats."""
    import pandas as pd

    names = pd.Series(names, dtype=object)
    while names.duplicated().any():
        k = names.groupby(names).cumcount() + 1
        names = names.where(k == 1, names + " (" + k.astype(str) + ")")
    return names.tolist()


def group_codes(*keys):
    """Codes of rows that agree in any of the keys, directly or by way of other rows; NaN agrees with nothing."""
    import pandas as pd

    rows = pd.Series(range(len(keys[0])))
    firsts = [rows.groupby(np.asarray(key)).transform("first").fillna(rows).astype(int) for key in keys]
    links = sum(sparse.coo_array((np.ones(len(rows)), (rows, first)), (len(rows),) * 2) for first in firsts)
    return pd.factorize(connected_components(links, directed=False)[1])[0].astype(int)
