"""Which columns of a table are features, and which the caller names for other uses."""

from dataclasses import dataclass

import numpy as np

from ..core import (
    and_list,
    check_same_order,
    count_phrase,
    did_you_mean,
    feature_names,
    import_pandas,
    join_words,
    refuse_lazy,
    short_repr,
)
from .cells import one_line, words_of
from .column import Exclusion
from .headers import unique_names
from .names import codes_of_rows

MOST_COLUMNS_OF_TABLE = 10_000


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Columns that the caller names for other uses than the target.

    Attributes
    ----------
    row_id : str or None
        The column that names the rows.
    groups : str or None
        The column whose equal values must stay together.
    keep : list of str
        Columns whose values are fixed.
    exclusions : dict of str to Exclusion
        Columns that are no features, as the caller says.
    """

    row_id: str | None
    groups: str | None
    keep: list
    exclusions: dict


def frame_of(data):
    """`data` as a DataFrame (n, d) with names as str, and a list of notes."""
    refuse_lazy(data, "data")
    for convert in ("to_pandas", "toarray"):
        if hasattr(data, convert):
            data = getattr(data, convert)()
    try:
        frame, given_names = _as_frame(data)
    except (ValueError, TypeError):
        raise ValueError(
            "`data` must be a table: a DataFrame, a dict of columns of the same length,"
            f" or an array of shape (n, d); got {short_repr(data)}. Make one of these"
            " of it."
        ) from None
    d = frame.shape[1]
    if d > MOST_COLUMNS_OF_TABLE:
        raise ValueError(
            f"`data` must have at most {MOST_COLUMNS_OF_TABLE:,} columns; got {d:,}."
            " Select some of them."
        )
    names = feature_names(None, d)
    for j, given_name in enumerate(given_names):
        name = _name_in_one_line(given_name)
        if name:
            names[j] = name
    notes = []
    if names != given_names:
        notes.append(
            "Names of columns are text in one line now; those of several levels are"
            " joined, empty ones count."
        )
    return frame.set_axis(names, axis=1), notes


def _as_frame(data):
    """`data` as a DataFrame, and the names of its columns as they were given."""
    pd = import_pandas()
    if not isinstance(data, dict | pd.DataFrame):
        _, d = np.shape(data)
        names = feature_names(None, d)
        data = pd.DataFrame(np.asarray(data), columns=names)
    names = list(data)
    if isinstance(data, dict):
        # Halves of surrogate pairs are in no index of texts.
        data = dict(enumerate(data.values()))
    return pd.DataFrame(data), names


def _name_in_one_line(name):
    """A name, or the levels of one, as text in one line."""
    levels = name if isinstance(name, tuple) else [name]
    return one_line(join_words(map(str, levels)))


def with_target(frame, target, labels, task):
    """The table with the target among its columns, and the names of these.

    Values of a target that is no column become one.
    """
    pd = import_pandas()
    if (target is None) == (labels is None):
        raise ValueError(
            "`target` or `labels` must be given, and not both. Choose from the columns:"
            f" {_column_list(frame)}."
        )
    if target is None:
        if task is not None:
            raise ValueError(
                f"`task` must be None with `labels`; got {short_repr(task)}. Leave one"
                " of them out."
            )
        return frame, _check_columns(labels, frame, "labels")
    n = len(frame)
    if isinstance(target, tuple) and len(target) != n:
        # The name of a column has several levels.
        target = join_words(map(str, target))
    shape = np.shape(target)
    if not shape:
        return frame, [_check_column(target, frame, "target")]
    if shape not in ((n,), (n, 1)):
        raise ValueError(
            f"`target` must hold one value per row, {n}; got shape {shape}. For several"
            " columns, give `labels`."
        )
    check_same_order(frame, target, ("data", "target"), labels=True)
    name = ""
    if getattr(target, "name", None):
        name = one_line(str(target.name))
    if not name:
        name = "target"
    if len(shape) == 2:
        target = np.ravel(target)
    values = pd.Series(target).set_axis(frame.index)
    if name in frame.columns:
        if frame[name].equals(values):
            return frame, [name]
        name = unique_names([*frame.columns, "target"])[-1]
    return frame.assign(**{name: values}), [name]


def roles_of(frame, targets, *, row_id, groups, drop, keep):
    """The columns that the caller names for other uses, each checked.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        The table.
    targets : list of str
        Columns of the target or of the labels.
    row_id, groups : str or None
        Columns that name rows, and groups of rows.
    drop, keep : str or sequence of str
        Columns to leave out, and those whose values are fixed.

    Returns
    -------
    roles : Roles
        Names of columns of the table.
    """
    row_id = _check_column(row_id, frame, "id")
    groups = _check_column(groups, frame, "groups")
    exclusions = {}
    for name in _check_columns(drop, frame, "drop"):
        exclusions[name] = Exclusion("dropped on request")
    if groups is not None:
        exclusions[groups] = Exclusion("it says which rows belong together")
    if row_id is not None:
        exclusions[row_id] = Exclusion("it names the rows")
    for name in targets:
        if name in exclusions:
            raise ValueError(
                "`target` and `labels` must not be dropped, ids or groups;"
                f" {short_repr(name)} is. Choose one use."
            )
    keep = _check_columns(keep, frame, "keep")
    for name in keep:
        if name in exclusions or name in targets:
            raise ValueError(
                "`keep` must name features; got a target, id, groups or a dropped"
                f" column, {short_repr(name)}. Choose one use."
            )
    return Roles(row_id=row_id, groups=groups, keep=keep, exclusions=exclusions)


def _check_column(name, frame, argument):
    """The name of a column as text in one line, or None."""
    if name is None:
        return None
    name = one_line(str(name))
    if name in frame.columns:
        return name
    if len(frame.columns) and name in set(words_of(frame.iloc[:, 0])):
        raise ValueError(
            f"`{argument}` must be a column; {short_repr(name)} is a row, named in"
            f" `{frame.columns[0]}`. Transpose the table, so that samples are rows."
        )
    raise ValueError(
        f"`{argument}` must be a column; got {short_repr(name)}. Choose one of"
        f" {_column_list(frame)}.{did_you_mean(name, frame.columns)}"
    )


def _column_list(frame):
    return and_list([short_repr(name) for name in frame.columns])


def _check_columns(names, frame, argument):
    """One or several names of columns as a list, each checked."""
    columns = [_check_column(name, frame, argument) for name in np.ravel(names)]
    if len(set(columns)) < len(columns):
        raise ValueError(
            f"`{argument}` must name columns once; got {short_repr(columns)}. Leave"
            " repeats out."
        )
    return columns


def copied_columns(candidates, columns):
    """Exclusions of the columns with the values of an earlier one of their kind.

    Parameters
    ----------
    candidates : dict of str to Series of length n
        Values of columns that may be features.
    columns : dict of str to Column
        The columns by name.
    """
    first_of_content = {}
    exclusions = {}
    for name, values in candidates.items():
        kind = columns[name].kind
        content = kind, codes_of_rows(values).to_numpy().tobytes()
        first = first_of_content.setdefault(content, name)
        if first != name:
            exclusions[name] = Exclusion(f"a copy of `{first}`")
    return exclusions


def overview_of(columns, use_phrases):
    """One row for each column of the given table: kind, values and use.

    Parameters
    ----------
    columns : dict of str to Column
        Columns of the table.
    use_phrases : dict of str to str
        Use of each column in words.
    """
    pd = import_pandas()
    lines = []
    for name, column in columns.items():
        distinct = column.values.dropna().astype(str)
        extent, bars = column.summary()
        lines.append(
            {
                "kind": column.kind,
                "missing": column.values.isna().sum(),
                "distinct": distinct.nunique(),
                "values": extent,
                "distribution": bars,
                "used": use_phrases[name],
            }
        )
    return pd.DataFrame(lines, pd.Index(columns, name="column"))


def reasons_phrase(left_out):
    """Columns with the sentences that say why they are left out."""
    return and_list(
        [f"`{name}` ({sentence})" for name, sentence in left_out.items()]
    )


def exclusion_notes(rows, columns):
    """Sentences about rows and columns left out.

    Parameters
    ----------
    rows : dict of str to list of str
        Names of rows by the reason.
    columns : dict of str to str
        Reason by the name of the column.

    Returns
    -------
    notes : list of str
        Sentences.
    """
    notes = [
        f"{count_phrase(len(names), 'row')} left out, {reason}: {and_list(names)}."
        for reason, names in rows.items()
    ]
    if columns:
        notes.append(
            f"{count_phrase(len(columns), 'column')} left out:"
            f" {reasons_phrase(columns)}."
        )
    return notes
