"""Whatever a table comes as, a DataFrame with columns of different names; columns are looked up with advice."""

import difflib
from collections import Counter

import numpy as np

from ..core.checks import shown
from .columns import counted, listed, one_line

__all__ = ["check_column", "frame_of", "names_of", "with_target"]

MOST_COLUMNS = 10_000
REMEDY = "Give a DataFrame, a dict of columns, or an array of shape (n, d)."


def frame_of(data, notes):
    """`data` as a DataFrame (n, d) whose columns have different names, which are str; the caller's stays as it is."""
    import pandas as pd

    if hasattr(data, "to_pandas"):
        data = data.to_pandas()
    if hasattr(data, "toarray"):
        data = data.toarray()
    try:
        if isinstance(data, pd.DataFrame):
            frame = data.copy(deep=False)
        elif isinstance(data, dict):
            frame = pd.DataFrame(data)
        else:
            array = np.asarray(data)
            if array.ndim != 2:
                raise ValueError(f"its shape is {array.shape}")
            frame = pd.DataFrame(array, columns=[f"X{j + 1}" for j in range(array.shape[1])])
    except (ValueError, TypeError) as error:
        why = " ".join(str(error).split())
        raise ValueError(f"`data` must be a table; got {shown(data)}: {why}. {REMEDY}") from None
    if frame.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"`data` must have at most {MOST_COLUMNS:,} columns; got {frame.shape[1]:,}. Select some of them."
        )
    if isinstance(frame.columns, pd.MultiIndex):
        frame.columns = [" ".join(str(part) for part in name if str(part)) for name in frame.columns]
        notes.append("The names of columns have several levels: these are joined.")
    names = [one_line(str(name)) or f"X{j + 1}" for j, name in enumerate(frame.columns)]
    if any(not isinstance(name, str) for name in frame.columns):
        notes.append("Names of columns that were no text are text now.")
    elif names != list(frame.columns):
        notes.append(
            "Names of columns are written in one line, without blanks at their ends; empty ones count: X1, X2, ..."
        )
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(
            f"`data` must have columns of different names; {listed(map(shown, repeated))} comes twice. "
            "Rename or drop one."
        )
    frame.columns = names
    return frame


def check_column(name, frame, argument):
    """The name of a column as text in one line; the nearest one is proposed if there is none."""
    name = one_line(str(name))
    if name in frame.columns:
        return name
    near = difflib.get_close_matches(name, frame.columns, n=1) or difflib.get_close_matches(
        name.lower(), [column.lower() for column in frame.columns], n=1
    )
    near = [column for column in frame.columns if column.lower() == near[0].lower()] if near else []
    hint = f"Did you mean {shown(near[0])}?" if near else "Choose one of these."
    columns = listed([shown(column) for column in frame.columns], 8)
    raise ValueError(f"`{argument}` must be a column; got {shown(name)}. The columns are {columns}. {hint}")


def names_of(names, frame, argument):
    """One or several names of columns as a list, each checked."""
    names = [names] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)
    names = [check_column(name, frame, argument) for name in names]
    if len(set(names)) < len(names):
        raise ValueError(f"`{argument}` must name columns once; got {shown(names)}. Leave repeats out.")
    return names


def with_target(frame, target, notes):
    """The frame with the target among its columns, and the target's name; values given apart become a column."""
    import pandas as pd

    if isinstance(target, str) or np.ndim(target) == 0:
        return frame, check_column(target, frame, "target")
    if isinstance(target, pd.DataFrame):
        if target.shape[1] != 1:
            raise ValueError(
                f"`target` must be one column; got {target.shape[1]}. Choose one, or name them as `labels`."
            )
        target = target.iloc[:, 0]
    if not isinstance(target, pd.Series):
        values = np.asarray(target) if not isinstance(target, pd.Categorical) else target
        values = values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values
        if values.ndim != 1:
            raise ValueError(
                f"`target` must hold one value per row; got shape {values.shape}. Give `labels` for several."
            )
        target = pd.Series(values)
    elif len(target) == len(frame) and not target.index.equals(frame.index):
        numbered = pd.RangeIndex(len(frame))
        if not (target.index.equals(numbered) or frame.index.equals(numbered)):
            raise ValueError(
                "`target` must have the index of `data`; it has another. Reorder it, "
                "or give `target.to_numpy()` if the rows are in the same order."
            )
    if len(target) != len(frame):
        raise ValueError(
            f"`target` must hold one value per row, {len(frame)}; got {len(target)}. Give the rows that belong."
        )
    name = "target" if target.name is None else one_line(str(target.name)) or "target"
    target = target.set_axis(frame.index)
    if name in frame.columns:
        if frame[name].equals(target):
            return frame, name
        name = next(
            new
            for new in (f"target {k}" * (k > 0) or "target" for k in range(len(frame.columns) + 2))
            if new not in frame.columns
        )
    notes.append(f"The target was given beside the table: {counted(len(target), 'value')}, called `{name}` here.")
    return frame.assign(**{name: target}), name
