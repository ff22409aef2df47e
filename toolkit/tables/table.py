"""A table that is ready to be looked at: features, target, names of rows, and a reason for all that was left out."""

import re
from dataclasses import dataclass, field

import numpy as np

from ..core.checks import LARGEST, check_option, shown
from .columns import counted, listed, missing_words, read_column, words_of
from .files import needed
from .frames import check_column, frame_of, names_of, with_target
from .identifiers import identifier_reason, own_ids
from .rows import group_codes, repeated_note, row_names, unique_names
from .summaries import summary_of
from .targets import check_labels, labels_of, lone_classes, target_of

__all__ = ["Table", "as_table"]

FEWEST_ROWS = 10
MOST_MISSING = 0.99
MOST_SENTENCES = 5  # about columns that are left out for the same reason


@dataclass(frozen=True, eq=False)
class Table:
    """Features and target of n rows, and what was decided about them; `as_table` makes one.

    Attributes
    ----------
    features : DataFrame of shape (n, d)
        The columns kept: "number" as floats, "category" as str, "date" as dates; NaN or NaT where a value is missing.
    kinds : dict of str to str, "number", "category" or "date" by column
    y : ndarray of shape (n,) or (n, l)
        Classes as str, values as floats, or labels as 0 and 1.
    task : "classes", "value" or "labels"
    target : str, name of the target, "" for labels
    label_names : list of str, sorted classes, or names of labels, empty for values
    ids : ndarray of str, shape (n,), a different name for each row
    groups : ndarray of int, shape (n,)
        Rows of the same number must stay on the same side of every split: same value of the column `groups`, same id,
        or identical features.
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
        """All columns of the given table, one row each.

        Returns
        -------
        DataFrame of shape (columns, 5): `kind`, `missing`, `distinct`, `values` (the smallest, median and largest, or
        the most frequent) and `used` (as what, or why not)
        """
        return self._summary.copy()


def as_table(data, target=None, *, labels=None, task=None, drop=(), id=None, groups=None, notes=()):
    """Find out what the columns of a table are, and which of them can be looked at.

    Numbers written as text (decimal comma, thousands, percent, currency) are read as numbers, dates as dates, if at
    least 95 % of the values are some. Words of at most 50 kinds are categories; free text and identifiers, constant
    and empty columns, and copies of other columns are left out. Rows without a target are left out.

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

    Raises
    ------
    ValueError
        If there is no such target, or nothing could be learnt from the table.

    Examples
    --------
    >>> table = as_table({"width": [1.5, 2.5] * 10, "kind": ["rose", "tulip"] * 10, "no": range(20)}, "kind")
    >>> table.kinds, table.label_names
    ({'width': 'number'}, ['rose', 'tulip'])
    >>> table.left_out
    {'no': 'identifier: whole numbers that count through, 0 to 19'}
    >>> table.ids[:2].tolist()
    ['0', '1']
    """
    needed("pandas", "looking at a table")
    notes = list(notes)
    check_option(task, "task", ("classes", "value", None))
    frame = frame_of(data, notes)
    frame, target, labels = _target_columns(frame, target, labels, task, notes)
    id, groups = (
        None if name is None else check_column(name, frame, of) for name, of in ((id, "id"), (groups, "groups"))
    )
    roles = _roles(frame, [target] if labels is None else labels, drop, id, groups)
    if len(frame) < FEWEST_ROWS:
        raise ValueError(f"`data` must have at least {FEWEST_ROWS} rows; got {len(frame)}. Add rows.")
    found = target_of(frame, target, task, notes) if labels is None else labels_of(frame, labels)
    kept, out = _rows(found, target, notes)
    if groups is not None:
        _check_groups(frame[groups], kept, row_names(frame, id))
    columns = {name: read_column(frame[name]) for name in frame.columns if name not in found.columns}
    notes += [said for name, column in columns.items() if name not in roles for said in column.said]
    candidates = {name: column for name, column in columns.items() if name not in roles}
    reasons = roles | _reasons(candidates, kept, row_names(frame, id))
    left_out = {name: reasons[name] for name in frame.columns if name in reasons}
    features = _features({name: column for name, column in candidates.items() if name not in left_out}, kept, left_out)
    id, words = (id, words_of(frame[id])) if id is not None else own_ids(frame, candidates, left_out)
    names = unique_names(row_names(frame, words=words))
    if words is not None and (note := repeated_note(id, words)):
        notes.append(note)
    notes += [
        f"{counted(len(rows), 'row')} left out, {why}: {listed([names[i] for i in rows])}." for why, rows in out.items()
    ]
    notes += _about_left_out(left_out)
    y, label_names = found.final(kept)
    keys = [_row_codes(features)]
    keys += [] if words is None else [words.to_numpy(dtype=object)[kept]]
    keys += [] if groups is None else [words_of(frame[groups]).to_numpy(dtype=object)[kept]]
    notes += _about_repeats(keys[0], y)
    used = dict.fromkeys(found.columns, "target" if labels is None else "label") | dict.fromkeys(features, "feature")
    used |= {name: f"no: {why}" for name, why in left_out.items()}
    return Table(
        features=features,
        kinds={name: columns[name].kind for name in features},
        y=y,
        task=found.task,
        target=target,
        label_names=label_names,
        ids=np.array([names[i] for i in kept], dtype=str),
        groups=group_codes(*keys),
        left_out=left_out,
        rows_left_out={why: [names[i] for i in rows] for why, rows in out.items()},
        notes=notes,
        rows=kept,
        _summary=summary_of(frame.columns, columns | found.columns, used),
    )


def _target_columns(frame, target, labels, task, notes):
    """The frame with the target in it, the target's name ("" for labels), and the labels or None."""
    if (target is None) == (labels is None):
        got = "neither" if target is None else "both"
        columns = listed([shown(column) for column in frame.columns], 8)
        raise ValueError(f"`target` or `labels` must be given; got {got}. Choose from the columns: {columns}.")
    if labels is None:
        return *with_target(frame, target, notes), None
    if task is not None:
        raise ValueError(f"`task` must be None with `labels`; got {shown(task)}. Leave one of them out.")
    return frame, "", names_of(labels, frame, "labels")


def _roles(frame, targets, drop, id, groups):
    """Columns that are no features, as the caller says, and why."""
    roles = {}
    for name in names_of(drop, frame, "drop"):
        roles[name] = "dropped on request"
    if groups is not None:
        roles[groups] = "it says which rows belong together"
    if id is not None:
        roles[id] = "it names the rows"
    if wrong := [name for name in targets if name in roles]:
        raise ValueError(
            f"`target` and `labels` must not be dropped, ids or groups; {shown(wrong[0])} is. Choose one use."
        )
    return roles


def _rows(found, target, notes):
    """The rows that are kept, and the others by the reason why not."""
    out = {}
    if not found.known.all():
        out["no value in " + (f"`{target}`" if target else "a label")] = np.flatnonzero(~found.known).tolist()
    lone = lone_classes(found, target, notes) if found.task == "classes" else np.zeros(len(found.known), dtype=bool)
    if lone.any():
        out["the only row of its class"] = np.flatnonzero(lone).tolist()
    kept = np.flatnonzero(found.known & ~lone)
    if len(kept) < FEWEST_ROWS:
        raise ValueError(f"`data` must have at least {FEWEST_ROWS} rows with a target; got {len(kept)}. Add rows.")
    if found.task == "labels":
        check_labels(found.values[kept], found.names)
    return kept, out


def _check_groups(column, kept, names):
    missing = missing_words(words_of(column))[0].isna().to_numpy()[kept]
    if missing.any():
        rows = listed([names[i] for i in kept[missing]], 3)
        raise ValueError(f"`groups` must have a value in each row; `{column.name}` has none in {rows}. Fill it in.")


def _reasons(columns, kept, names):
    """Why columns are no features, for those that are none; infinite values are refused."""
    reasons = {}
    for name, column in columns.items():
        if column.kind == "other":
            reasons[name] = column.said[0].removeprefix(f"`{name}` ").rstrip(".").replace("holds", "it holds")
            continue
        values = column.values.iloc[kept]
        if column.kind == "number":
            _check_finite(values.to_numpy(), name, [names[i] for i in kept])
        present = values.dropna()
        missing = 1 - len(present) / len(values)
        if present.empty:
            reasons[name] = "all values are missing"
        elif missing > MOST_MISSING:
            reasons[name] = f"{100 * missing:.1f} % of the values are missing"
        elif present.nunique() == 1:
            reasons[name] = (
                f"constant: {shown(words_of(present).iloc[0])} in each row{' that has a value' * (missing > 0)}"
            )
        elif reason := identifier_reason(name, column.kind, values):
            reasons[name] = reason
        elif column.kind == "text":
            reasons[name] = f"free text: {present.nunique():,} different values"
    return reasons


def _check_finite(values, name, names):
    wrong = np.flatnonzero(np.abs(values) > LARGEST)
    if len(wrong):
        raise ValueError(
            f"`data` must hold finite numbers up to {LARGEST:g}; column `{name}` is "
            f"{values[wrong[0]]:g} in "
            f"{names[wrong[0]]}. Mend the value, empty it, or drop the column."
        )


def _features(columns, kept, left_out):
    """The features of the rows that are kept; copies of an earlier column go to `left_out`."""
    import pandas as pd

    features, seen = {}, {}
    for name, column in columns.items():
        values = column.values.iloc[kept]
        if column.kind == "number":
            values = values + 0.0  # no negative zeros
        else:
            values = values.astype(object) if column.kind == "category" else values
        values = values.reset_index(drop=True)
        code = (column.kind, int(pd.util.hash_pandas_object(values, index=False).sum()))
        original = next((other for other in seen.get(code, []) if features[other].equals(values)), None)
        if original is not None:
            left_out[name] = f"a copy of `{original}`"
            continue
        seen.setdefault(code, []).append(name)
        features[name] = values
    if not features:
        constant = all(why.startswith("constant") for why in left_out.values())
        why = "all are constant" if constant and left_out else "none is left" if left_out else "there is none"
        listing = listed([f"`{name}` ({why})" for name, why in left_out.items()], 3)
        raise ValueError(
            f"`data` must have columns to look at beside the target; "
            f"{why}{': ' * bool(listing)}{listing}. "
            "Add columns that vary."
        )
    return pd.DataFrame(features)


def _about_left_out(left_out):
    """Sentences about the columns left out; one for all of a kind, if these are many."""
    kinds = {}
    for name, why in left_out.items():
        kinds.setdefault(re.split(r"[:`]| %", why)[0].strip("0123456789. "), []).append(name)
    notes = []
    for kind, names in kinds.items():
        if len(names) > MOST_SENTENCES:
            kind = {"a copy of": "copies of other columns", "": "nearly all values are missing"}.get(kind, kind)
            notes.append(f"{len(names):,} columns are left out, {kind}: {listed([f'`{name}`' for name in names])}.")
        else:
            notes += [f"`{name}` is left out, {left_out[name]}." for name in names]
    return notes


def _row_codes(features):
    """A number for each row, the same for rows of the same features."""
    import pandas as pd

    return pd.util.hash_pandas_object(features, index=False).to_numpy()


def _about_repeats(codes, y):
    """Sentences about rows that repeat another one, and about those that do so with another target."""
    import pandas as pd

    both = pd.DataFrame(np.asarray(y).reshape(len(codes), -1)).assign(codes=codes)
    both.columns = range(both.shape[1])
    same, alike = int(both.duplicated().sum()), int(pd.Series(codes).duplicated().sum())
    notes = []
    if same:
        notes.append(
            f"{counted(same, 'row')} {'repeats' if same == 1 else 'repeat'} features and target of "
            f"another row: "
            "kept, and on its side of every split."
        )
    if alike > same:
        more = alike - same
        notes.append(
            f"{counted(more, 'row')} {'has' if more == 1 else 'have'} the features of another row, but another target."
        )
    return notes
