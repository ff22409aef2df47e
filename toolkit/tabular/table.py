"""A table that is ready to be looked at: features, target, names of rows, and a reason for all that was left out."""

import difflib
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..core.arrays import refuse_lazy
from ..core.checks import LARGEST, check_option, shown
from .columns import identifier_reason, missing_words, read_column, words_of
from .files import needed
from .targets import labels_of, lone_classes, target_of
from .wording import check_names, counted, listed, one_line

__all__ = ["Table", "as_table"]

MOST_COLUMNS = 10_000
FEWEST_ROWS = 10
MOST_MISSING = 0.99


@dataclass(frozen=True, eq=False)
class Table:
    """Features and target of n rows, and what was decided about them; `as_table` makes one.

    Attributes
    ----------
    features : DataFrame of shape (n, d)
        The columns kept: "number" as floats, "category" as str, "date" as dates; NaN or NaT where a value is missing.
    kinds : dict of str to str, "number", "category" or "date" by column
    y : ndarray of shape (n,) or (n, l), classes as str, values as floats, or labels as 0 and 1
    task : "classes", "value" or "labels"
    target : str, name of the target, "" for labels
    label_names : list of str, sorted classes, or names of labels, empty for values
    ids : ndarray of str, shape (n,), a different name for each row
    groups : ndarray of int, shape (n,)
        Rows of one number stay on one side of every split: same value of `groups`, same id, or identical features.
    left_out : dict of str to str, why a column is no feature
    rows_left_out : dict of str to list of str, names of rows by the reason
    notes : list of str, sentences about what was decided
    rows : ndarray of int, shape (n,), numbers of these rows in the given table, from 0
    """

    features: object
    kinds: dict
    y: np.ndarray
    task: str
    target: str
    label_names: list
    ids: np.ndarray
    groups: np.ndarray
    left_out: dict
    rows_left_out: dict
    notes: list
    rows: np.ndarray
    _summary: object = field(repr=False)

    def overview(self):
        """All columns of the given table, one row each, as a DataFrame of shape (columns, 5)."""
        return self._summary.copy()


def as_table(data, target=None, *, labels=None, task=None, drop=(), id=None, groups=None, notes=()):
    """Find out what the columns of a table are, and which of them can be looked at.

    Numbers written as text (decimal comma, thousands) are read as numbers, dates as dates, if at least 95 % of the
    values are some. Words of at most 50 kinds are categories. Free text, identifiers, constant and empty columns,
    copies of other columns, and rows without a target are left out.

    Parameters
    ----------
    data : DataFrame, dict of columns, or array of shape (n, d)
    target : str, or array-like of shape (n,)
        Name of the target's column, or its values. Numbers are classes if they are whole, at most 20 and fewer than a
        fifth of the rows.
    labels : list of str, optional, instead of `target`: columns of 0 and 1, or of yes and no
    task : "classes" or "value", optional, what `target` is
    drop : list of str, columns to leave out
    id : str, optional, the column that names the rows
    groups : str, optional, the column whose equal values must stay on the same side of every split
    notes : list of str, what is known already, such as the notes of `read_table`

    Returns
    -------
    Table

    Examples
    --------
    >>> table = as_table({"width": [1.5, 2.5] * 10, "kind": ["rose", "tulip"] * 10, "no": range(20)}, "kind")
    >>> table.kinds, table.label_names
    ({'width': 'number'}, ['rose', 'tulip'])
    >>> table.left_out
    {'no': 'identifier: whole numbers that count through, 0 to 19'}
    """
    pd = needed("pandas", "looking at a table")
    notes = list(notes)
    check_option(task, "task", ("classes", "value", None))
    frame = _frame_of(data, notes)
    frame, target, labels = _target_columns(frame, target, labels, task, notes)
    id = None if id is None else _check_column(id, frame, "id")
    groups = None if groups is None else _check_column(groups, frame, "groups")
    roles = _roles(frame, labels or [target], drop, id, groups)
    task, values, targets = labels_of(frame, labels) if labels else target_of(frame, target, task, notes)
    kept, out = _rows(task, values, notes)
    columns = {name: read_column(frame[name]) for name in frame if name not in targets}
    candidates = {name: column for name, column in columns.items() if name not in roles}
    notes += [said for column in candidates.values() for said in column.said if column.kind != "other"]
    reasons = roles | _reasons(candidates, kept, _row_names(frame))
    features, copies = _features({name: candidates[name] for name in candidates if name not in reasons}, kept)
    reasons |= copies
    left_out = {name: reasons[name] for name in columns if name in reasons}
    reasons_said = listed([f"`{name}` ({why})" for name, why in left_out.items()], 10)
    if features.empty:
        why = f"none is left: {reasons_said}" if left_out else "there is none"
        raise ValueError(f"`data` must have columns to look at beside the target; {why}. Add columns that vary.")
    id, words = (id, words_of(frame[id])) if id is not None else _own_ids(frame, candidates, left_out)
    names = _unique_names(_row_names(frame, words))
    keys = [pd.util.hash_pandas_object(features, index=False).to_numpy()]
    if words is not None:
        notes.append(f"The rows are named by {f'`{id}`' if id in frame else id}.")
        keys.append(words.to_numpy()[kept])
        if len(repeated := words[words.duplicated()].dropna().unique()):
            notes.append(f"`{id}` repeats {listed(repeated)}. These rows stay together in every split.")
    rows_left_out = {why: [names[i] for i in rows] for why, rows in out.items()}
    notes += [f"{counted(len(rows), 'row')} left out, {why}: {listed(rows)}." for why, rows in rows_left_out.items()]
    if left_out:
        notes.append(f"{counted(len(left_out), 'column')} left out: {reasons_said}.")
    y = np.array(values.iloc[kept].values.tolist(), dtype={"classes": str, "value": float, "labels": int}[task])
    y, label_names = (y, labels) if labels else (y[:, 0], np.unique(y).tolist() if task == "classes" else [])
    notes += _about_repeats(keys[0], y)
    if groups is not None:
        words = missing_words(words_of(frame[groups]))[0].iloc[kept]
        keys.append(words.to_numpy())
        if empty := listed([names[i] for i in kept[words.isna()]], 3):
            raise ValueError(f"`groups` must have a value in each row; `{groups}` has none in {empty}. Fill it in.")
    used = dict.fromkeys(targets, "label" if labels else "target") | dict.fromkeys(features, "feature")
    used |= {name: f"no: {why}" for name, why in left_out.items()}
    return Table(
        features,
        {name: columns[name].kind for name in features},
        y,
        task,
        target,
        label_names,
        np.array(names, dtype=str)[kept],
        _group_codes(*keys),
        left_out,
        rows_left_out,
        notes,
        kept,
        _summary({name: (columns | targets)[name] for name in frame}, used),
    )


def _target_columns(frame, target, labels, task, notes):
    """The frame with the target in it, the target's name ("" for labels), and the labels or None."""
    if (target is None) == (labels is None):
        got, columns = "neither" if target is None else "both", listed(map(shown, frame.columns), 8)
        raise ValueError(f"`target` or `labels` must be given; got {got}. Choose from the columns: {columns}.")
    if labels is not None and task is not None:
        raise ValueError(f"`task` must be None with `labels`; got {shown(task)}. Leave one of them out.")
    if labels is not None:
        return frame, "", _names_of(labels, frame, "labels")
    return *_with_target(frame, target, notes), None


def _roles(frame, targets, drop, id, groups):
    """Columns that are no features, as the caller says, and why."""
    roles = dict.fromkeys(_names_of(() if drop is None else drop, frame, "drop"), "dropped on request")
    roles |= {groups: "it says which rows belong together", id: "it names the rows"}
    roles.pop(None, None)
    if wrong := [shown(name) for name in targets if name in roles]:
        raise ValueError(f"`target` and `labels` must not be dropped, ids or groups; {wrong[0]} is. Choose one use.")
    return roles


def _rows(task, values, notes):
    """The rows that are kept, and the others by the reason why not."""
    known = values.notna().all(axis=1).to_numpy()
    lone = lone_classes(values.iloc[:, 0], notes) if task == "classes" else ~known & known
    name = "a label" if task == "labels" else f"`{values.columns[0]}`"
    out = {f"no value in {name}": np.flatnonzero(~known), "the only row of its class": np.flatnonzero(lone)}
    kept = np.flatnonzero(known & ~lone)
    if len(kept) < FEWEST_ROWS:
        raise ValueError(f"`data` must have at least {FEWEST_ROWS} rows with a target; got {len(kept)}. Add rows.")
    for name, fraction in values.iloc[kept].mean().items() if task == "labels" else ():
        if fraction in (0, 1):
            what = f"`{name}` is set in {'every' if fraction else 'no'} row"
            raise ValueError(f"`labels` must differ between rows; {what}. Leave it out of `labels`.")
    return kept, {why: rows for why, rows in out.items() if len(rows)}


def _reasons(columns, kept, names):
    """Why columns are no features, for those that are none; infinite values are refused."""
    reasons = {}
    for name, column in columns.items():
        if column.kind == "other":
            reasons[name] = column.said[0]
            continue
        values = column.values.iloc[kept].reset_index(drop=True)
        present = values.dropna()
        missing = 1 - len(present) / len(values)
        if column.kind == "number" and len(large := present[np.abs(present) > LARGEST]):
            what = f"column `{name}` is {large.iloc[0]:g} in {names[kept[large.index[0]]]}"
            raise ValueError(
                f"`data` must hold finite numbers up to {LARGEST:g}; {what}. Mend or empty it, or drop it."
            )
        if present.empty:
            reasons[name] = "all values are missing"
        elif missing > MOST_MISSING:
            reasons[name] = f"{100 * missing:.1f} % of the values are missing"
        elif present.nunique() == 1:
            word = shown(words_of(present).iloc[0])
            reasons[name] = f"constant: {word} in each row{' that has a value' if missing else ''}"
        elif reason := missing <= 0.5 and identifier_reason(name, column.kind, present):
            reasons[name] = reason
        elif column.kind == "text":
            reasons[name] = f"free text: {present.nunique():,} different values"
    return reasons


def _features(columns, kept):
    """The features of the rows that are kept as a DataFrame, and why columns are not among them that are copies."""
    import pandas as pd

    features, copies, seen = {}, {}, {}
    for name, column in columns.items():
        values = column.values.iloc[kept].reset_index(drop=True)
        values = values + 0.0 if column.kind == "number" else values  # no negative zeros
        code = column.kind, pd.util.hash_pandas_object(values, index=False).to_numpy().tobytes()
        if code in seen:
            copies[name] = f"a copy of `{seen[code]}`"
        else:
            features[name], seen[code] = values, name
    return pd.DataFrame(features), copies


def _own_ids(frame, columns, left_out):
    """(name, words) of an identifier, text before numbers; of the index, if it has words; or (None, None)."""
    found = [name for name, why in left_out.items() if why.startswith("identifier")]
    if found:
        name = min(found, key=lambda name: columns[name].kind != "text")
        return name, words_of(columns[name].values)
    words = all(isinstance(label, str) for label in frame.index)
    return ("the index", words_of(frame.index.to_series())) if words else (None, None)


def _about_repeats(codes, y):
    """Sentences about rows that repeat another one, and about those that do so with another target."""
    import pandas as pd

    both = pd.DataFrame(np.asarray(y).reshape(len(codes), -1)).assign(codes=codes)
    same, alike = int(both.duplicated().sum()), int(both["codes"].duplicated().sum())
    if same:
        repeat = counted(same, "row", ("repeats", "repeat"))
        yield f"{repeat} features and target of another row: kept, and on its side of every split."
    if alike > same:
        yield f"{counted(alike - same, 'row', ('has', 'have'))} the features of another row, but another target."


def _summary(columns, used):
    """One row for each Column of the given table: kind, missing values, range or most frequent values, use."""
    import pandas as pd

    rows = {}
    for name, column in columns.items():
        values = column.values.dropna()
        counts = len(column.values) - len(values), values.astype(str).nunique()
        rows[name] = column.kind, *counts, _in_short(column.kind, values), used[name]
    return pd.DataFrame(rows, ["kind", "missing", "distinct", "values", "used"]).T.infer_objects().rename_axis("column")


def _in_short(kind, values):
    """The smallest, median and largest value, or the most frequent ones."""
    if values.empty or kind == "other":
        return ""
    if kind in ("number", "date"):
        chosen = values.quantile([0, 0.5, 1], "linear" if kind == "number" else "lower")
        low, middle, high = chosen.map("{:.6g}".format) if kind == "number" else words_of(chosen)
        return f"{low} to {high}, median {middle}"
    counts = sorted(values.value_counts().items(), key=lambda item: (-item[1], item[0]))
    frequent = [f"{value} ({count})" for value, count in counts[:3]]
    return ", ".join([*frequent, "..."] if len(counts) > 3 else frequent)


# ---- whatever a table comes as


def _frame_of(data, notes):
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
    levels = [name if isinstance(name, tuple) else (name,) for name in frame.columns]
    names = [one_line(" ".join(filter(None, map(str, name)))) or f"X{j + 1}" for j, name in enumerate(levels)]
    if names != list(frame.columns):
        notes.append("Names of columns are text in one line now; those of several levels are joined, empty ones count.")
    frame.columns = check_names(names, "data", "it")
    return frame


def _check_column(name, frame, argument):
    """The name of a column as text in one line; the nearest one is proposed if there is none."""
    name = one_line(str(name))
    if name in frame.columns:
        return name
    lower = {column.lower(): column for column in frame.columns}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    hint = f"Did you mean {shown(lower[near[0]])}?" if near else "Choose one of these."
    columns = listed(map(shown, frame.columns), 8)
    raise ValueError(f"`{argument}` must be a column; got {shown(name)}. The columns are {columns}. {hint}")


def _names_of(names, frame, argument):
    """One or several names of columns as a list, each checked."""
    names = [_check_column(name, frame, argument) for name in np.atleast_1d(np.array(names, dtype=object)).tolist()]
    if len(set(names)) < len(names):
        raise ValueError(f"`{argument}` must name columns once; got {shown(names)}. Leave repeats out.")
    return names


def _with_target(frame, target, notes):
    """The frame with the target among its columns, and the target's name; values given apart become a column."""
    import pandas as pd

    if np.ndim(target) == 0:
        return frame, _check_column(target, frame, "target")
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
        name = _unique_names([*frame.columns, "target"])[-1]
    notes.append(f"The target was given beside the table: {counted(n, 'value')}, called `{name}` here.")
    return frame.assign(**{name: target}), name


def _row_names(frame, words=None):
    """Name of each row as a list: its id of the Series `words`, or its number from 1 in the table or in the file."""
    numbers = frame.index if frame.index.name == "row" else range(1, len(frame) + 1)
    names = [f"row {number}" for number in numbers]
    return names if words is None else words.where(words.notna() & (words != ""), names).tolist()


def _unique_names(names):
    """The names with " (2)", " (3)", ... behind repeats."""
    import pandas as pd

    names = pd.Series(names, dtype=object)
    while names.duplicated().any():
        k = names.groupby(names).cumcount() + 1
        names = names.where(k == 1, names + " (" + k.astype(str) + ")")
    return names.tolist()


def _group_codes(*keys):
    """Codes of rows that agree in any of the keys, directly or by way of other rows; NaN agrees with nothing."""
    import pandas as pd

    rows = pd.Series(range(len(keys[0])))
    firsts = [rows.groupby(np.asarray(key)).transform("first").fillna(rows).astype(int) for key in keys]
    links = sum(sparse.coo_array((np.ones(len(rows)), (rows, first)), (len(rows),) * 2) for first in firsts)
    return pd.factorize(connected_components(links, directed=False)[1])[0].astype(int)
