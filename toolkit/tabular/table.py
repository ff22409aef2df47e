"""A table ready for analysis: features, target and names of rows.

There is a reason for all that was left out.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..core import (
    and_list,
    check_option,
    check_same_order,
    count_phrase,
    feature_names,
    import_pandas,
    percent,
    refuse_lazy,
    short_repr,
)
from .columns import (
    check_size,
    notation_notes,
    read_column,
    read_columns,
    words_of,
)
from .headers import check_names, one_line, unique_names
from .messages import errors_with
from .names import names_of_rows
from .notations import Notation
from .targets import labels_of, lone_classes, target_of

MOST_COLUMNS = 10_000
FEWEST_ROWS = 10
MOST_MISSING = 0.99
MOST_EQUAL_BY_CHANCE = 0.05  # of the rows, if equal rows are copies


@dataclass(frozen=True, eq=False)
class Table:
    """Features and target of n rows; `as_table` makes one.

    Parameters
    ----------
    features, kinds, y, task, target, label_names, ids, groups, left_out : object
        Attributes of the same names.
    rows_left_out, notes, rows : object
        Attributes of the same names.
    _summary : DataFrame
        The result of `overview`.
    row_names : RowNames, optional
        Attribute of the same name.

    Attributes
    ----------
    features : DataFrame of shape (n, d)
        The columns kept: "number" as floats, "category" as str, "date" as dates; NaN or
        NaT where a value is missing.
    kinds : dict of str to str
        "number", "category" or "date" by column.
    y : ndarray of shape (n,) or (n, l)
        Classes as str, values as floats, or labels as 0 and 1.
    task : "classes", "value" or "labels"
        Kind of the target.
    target : str
        Name of the target, "" for labels.
    label_names : list of str
        Sorted classes, or names of labels, empty for values.
    ids : ndarray of str, shape (n,)
        A different name for each row.
    groups : ndarray of int, shape (n,)
        Rows of one number stay on one side of every split: same value of `groups`, same
        id, or identical features.
    left_out : dict of str to str
        Reason why a column is no feature.
    rows_left_out : dict of str to list of str
        Names of rows by the reason.
    notes : list of str
        Sentences about what was decided.
    rows : ndarray of int, shape (n,)
        Numbers of these rows in the given table, from 0.
    row_names : RowNames or None
        Columns that name persons, places or other groups of rows; None of a matrix.

    Examples
    --------
    >>> kinds = ["rose", "tulip"] * 10
    >>> table = as_table({"width": [1.5, 2.5] * 10, "kind": kinds}, "kind")
    >>> table.task, table.features.shape
    ('classes', (20, 1))
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
    row_names: object = None

    @property
    def named_groups(self):
        """Groups (n,) of rows that a column names; None if no column does.

        Rows of one number in `groups` stay together.
        """
        if self.row_names is None or not self.row_names.column:
            return None
        _, first, units = np.unique(
            self.groups, return_index=True, return_inverse=True
        )
        return self.row_names.groups[first][units]

    @property
    def split_groups(self):
        """Groups (n,) of rows on one side of the split of maps and models.

        Rows of one person are; not those of a column that stays a feature, such as an
        occupation.
        """
        named = self.row_names
        if named is None or named.is_category or not named.decides:
            return self.groups
        return self.named_groups

    def overview(self):
        """Return all columns of the given table.

        Returns
        -------
        frame : DataFrame of shape (n_columns, n_properties)
            One row per column: its kind, and whether it is used.
        """
        return self._summary.copy()


def as_table(
    data,
    target=None,
    *,
    labels=None,
    task=None,
    drop=(),
    id=None,
    groups=None,
    keep=(),
    decimal=None,
    thousands=None,
    dates=None,
    notes=(),
):
    """Detect what the columns of a table are, and which of them can be analysed.

    Numbers written as text are read as numbers, dates as dates, if at least 95 % of the
    values are some. Numbers may have a decimal comma, thousands, percent, currency, one
    unit, or limits such as <0.5. Words of at most 50 kinds are categories. Free text,
    identifiers, constant and empty columns, copies of other columns, numbers that name
    groups of rows, and rows without a target are left out.

    Parameters
    ----------
    data : DataFrame, dict of columns, or array of shape (n_rows, n_columns)
        The table.
    target : str, or array-like of shape (n_rows,)
        Name of the target's column, or its values. Numbers are classes if they are
        whole, at most 20 and fewer than a fifth of the rows.
    labels : list of str, optional
        In place of `target`: columns of 0 and 1, or of yes and no.
    task : "classes" or "value", optional
        Kind of `target`.
    drop : list of str, default=()
        Columns to leave out.
    id : str, optional
        The column that names the rows.
    groups : str, optional
        The column whose equal values must stay on the same side of every split.
    keep : list of str, default=()
        Columns whose values are fixed: new rows have the same ones. They are features,
        words of more than 50 kinds included.
    decimal, thousands : str, optional
        The decimal mark of words, and what separates thousands, where a table holds
        only numbers such as 1.234 or 1,234.
    dates : "day", "month" or "year", optional
        First part of dates that can be read in two ways.
    notes : list of str, default=()
        Earlier notes, such as those of `read_table`.

    Returns
    -------
    table : Table
        Features and target, with reasons for what is left out.

    Examples
    --------
    >>> kinds = ["rose", "tulip"] * 10
    >>> columns = {"width": [1.5, 2.5] * 10, "kind": kinds, "no": range(20)}
    >>> table = as_table(columns, "kind")
    >>> table.kinds, table.label_names
    ({'width': 'number'}, ['rose', 'tulip'])
    >>> table.left_out
    {'no': 'identifier: 20 different values'}
    """
    check_option(task, "task", ("classes", "value", None))
    notation = Notation(decimal, thousands, dates)
    notes = list(notes)
    with errors_with(notes):
        # 1. which columns are what, as the caller says
        frame, targets = _with_target(
            _frame_of(data, notes), target, labels, task, notes
        )
        id = _check_column(id, frame, "id")
        groups = _check_column(groups, frame, "groups")
        reasons = _reasons(frame, targets, id, groups, drop)
        keep = _kept(keep, frame, targets, reasons)
        # 2. what their values are, and which rows have a target
        index = frame.index
        numbers = index if index.name == "row" else range(1, len(index) + 1)
        frame = frame.set_axis([f"row {number}" for number in numbers])
        columns = read_columns(frame, notation, [*targets, *reasons, *keep])
        for name in keep:
            if columns[name].kind == "text":
                columns[name] = replace(columns[name], kind="category")
        if target is None:
            task, values = labels_of(columns, targets)
        else:
            task, values = target_of(columns, targets[0], task, notes)
        rows, other_rows = _rows(task, values, notes)
        y, label_names = _target_values(task, values.iloc[rows])
        if task == "classes":
            others = [
                column
                for name, column in columns.items()
                if name not in {*reasons, *targets}
            ]
            notes += notation_notes(others, values.iloc[:, 0])
        # 3. which of the other columns are features
        features, left_out = _features(columns, targets, rows, reasons, notes)
        # 4. names of rows; what is left out, by these names
        words = _ids(index, id, columns, left_out, notes)
        names = np.array(
            unique_names(words.where(words.notna(), frame.index)), str
        )
        rows_left_out = {
            what: names[out].tolist() for what, out in other_rows.items()
        }
        # 5. which rows belong together: repeated, of one name, or of one group
        keys = [_repeats(features), words.iloc[rows]]
        if groups is not None:
            group_words = columns[groups].words.iloc[rows]
            if group_words.isna().any():
                raise ValueError(
                    f"`groups` must have a value in each row; `{groups}` has none in"
                    f" {and_list(names[rows][group_words.isna()], 3)}. Fill it in."
                )
            keys.append(group_words)
        # 6. columns that name persons or places: numbers that do are no features
        row_names = names_of_rows(
            {
                name: column
                for name, column in columns.items()
                if name not in (*targets, id, groups)
            },
            features,
            {name: columns[name].kind for name in features},
            rows,
            y,
            task,
            _group_codes(keys),
            keep,
        )
        if set(row_names.not_features) != set(features):
            # Rows of different names that are equal otherwise are no copies: `keys`
            # remain those of the features with the names.
            features = features.drop(columns=row_names.not_features)
        for name in row_names.names:
            if name not in features and name not in reasons:
                n_values = columns[name].values.iloc[rows].nunique()
                left_out[name] = f"names groups of rows: {n_values:,} values"
        notes += _notes_left_out(rows_left_out, left_out)
        notes += _duplicate_notes(features, y)
        return Table(
            features,
            {name: columns[name].kind for name in features},
            y,
            task,
            "" if target is None else targets[0],
            label_names,
            names[rows],
            _group_codes(keys),
            left_out,
            rows_left_out,
            notes,
            rows,
            _summary(columns, features, left_out, task),
            row_names,
        )


def _reasons(frame, targets, id, groups, drop):
    """Why columns are no features, by what the caller says of them."""
    drop = _check_columns(drop, frame, "drop")
    reasons = dict.fromkeys(drop, "dropped on request") | {
        groups: "it says which rows belong together",
        id: "it names the rows",
    }
    if wrong := [name for name in targets if name in reasons]:
        raise ValueError(
            "`target` and `labels` must not be dropped, ids or groups;"
            f" {short_repr(wrong[0])} is. Choose one use."
        )
    return reasons


def _kept(keep, frame, targets, reasons):
    """Names of the columns whose values are fixed, if they can be features."""
    keep = _check_columns(keep, frame, "keep")
    if wrong := [name for name in keep if name in {*targets, *reasons}]:
        raise ValueError(
            "`keep` must name features; got a target, id, groups or a dropped column,"
            f" {short_repr(wrong[0])}. Choose one use."
        )
    return keep


def _rows(task, values, notes):
    """The rows that are kept, and the others by the reason why not."""
    # a split needs two rows of each class
    known = values.notna().all(axis=1).to_numpy()
    lone = np.zeros_like(known)
    if task == "classes":
        lone = lone_classes(values.iloc[:, 0], notes)
    kept = np.flatnonzero(known & ~lone)
    if len(kept) < FEWEST_ROWS:
        raise ValueError(
            f"`data` must have at least {FEWEST_ROWS} rows with a target; got"
            f" {len(kept)}. Add rows."
        )
    name = "a label" if task == "labels" else f"`{values.columns[0]}`"
    out = {f"no value in {name}": ~known, "the only row of its class": lone}
    return kept, {why: rows for why, rows in out.items() if rows.any()}


def _target_values(task, values):
    """The target (n,) or labels (n, l), and the names of classes or labels."""
    # labels have several columns, other targets one
    if task == "labels":
        return values.to_numpy(int), list(values)
    y = values.iloc[:, 0]
    if task == "value":
        return y.to_numpy(float), []
    y = y.to_numpy(str)
    return y, np.unique(y).tolist()


def _features(columns, targets, rows, reasons, notes):
    """The features of some rows as a DataFrame, and why other columns are none."""
    pd = import_pandas()
    features = {}
    left_out = {}
    first_of = {}
    for name, column in columns.items():
        if name in targets:
            continue
        why = reasons.get(name)
        if not why:
            why = _reason(name, column, rows)
            if column.kind != "other":
                notes += column.notes
        if not why:
            values = column.values.iloc[rows].reset_index(drop=True)
            if column.kind == "number":
                values += 0.0  # no negative zeros
            # of all values, NaN being equal to NaN
            code = column.kind, _hash(values).to_numpy().tobytes()
            first = first_of.setdefault(code, name)
            if first != name:
                why = f"a copy of `{first}`"
        if why:
            left_out[name] = why
        else:
            features[name] = values
    if not features:
        raise ValueError(
            "`data` must have other columns than the target; left out:"
            f" {reasons_phrase(left_out)}. Add columns that vary."
        )
    return pd.DataFrame(features), left_out


def reasons_phrase(left_out):
    """Columns with the reasons why they are left out."""
    return and_list(f"`{name}` ({why})" for name, why in left_out.items())


def _notes_left_out(rows, columns):
    """Sentences about rows and columns left out, by the reason and by name."""
    for what, out in rows.items():
        yield f"{count_phrase(len(out), 'row')} left out, {what}: {and_list(out)}."
    if columns:
        yield (
            f"{count_phrase(len(columns), 'column')} left out:"
            f" {reasons_phrase(columns)}."
        )


def _hash(values):
    """A number for each row of a Series or DataFrame, equal where rows are."""
    pd = import_pandas()
    return pd.util.hash_pandas_object(values, index=False)


def _reason(name, column, rows):
    """Why a column is no feature, "" if it is one; infinite values are refused."""
    if column.kind == "other":
        return column.notes[0]
    present = column.values.iloc[rows].dropna()
    missing = 1 - len(present) / len(rows)
    if column.kind == "number":
        check_size(present, "data")
    if present.empty:
        return "all values are missing"
    if missing > MOST_MISSING:
        return f"{percent(missing, 1)} of the values are missing"
    distinct = present.nunique()
    if distinct == 1:
        return f"constant: {short_repr(column.value_words[present.index[0]])}"
    if missing <= 0.5 and column.is_identifier(present):
        return f"identifier: {distinct:,} different values"
    if column.kind == "number" and distinct == len(present):
        if not np.mod(present, 1).any():
            column.notes.append(
                f"`{name}` has another whole number in each row: kept; `--drop"
                f" {name}` leaves it out."
            )
    if column.kind == "text":
        return f"free text: {distinct:,} different values"
    return ""


def _ids(index, id, columns, left_out, notes):
    """A Series of names of rows: a column, text first, or words of the index."""
    found = [
        name for name, why in left_out.items() if why.startswith("identifier")
    ]
    id = id or min(
        found, key=lambda name: columns[name].kind != "text", default=None
    )
    if id is None:
        who = "the index"
        labels = index.to_series().where(
            [isinstance(label, str) for label in index]
        )
        words = read_column(labels).words
    else:
        who = f"`{id}`"
        words = columns[id].words
    if words.notna().any():
        notes.append(f"The rows are named by {who}.")
    if len(repeated := words[words.duplicated()].dropna().unique()):
        notes.append(
            f"{who} repeats {and_list(repeated)}. These rows stay together in every"
            " split."
        )
    return words


def _repeats(features):
    """A number for each row, equal where rows are; NaN where chance makes rows equal.

    That is where more than a twentieth of the rows would have an equal one if columns
    with the values of the different rows were independent, or where a single column has
    fewer different values than half of the rows.
    """
    pd = import_pandas()
    codes = _hash(features)
    different = features[~codes.duplicated()]
    if features.shape[1] == 1 and len(different) < len(features) / 2:
        # a single column of few values
        return pd.Series(np.nan, features.index)
    n_pairs = max(len(different) * (len(different) - 1), 1)
    n_others = len(features) - 1
    by_chance = 1.0
    for name in features:
        counts = different[name].value_counts(dropna=False)
        by_chance *= float(np.sum(counts * (counts - 1))) / n_pairs
        if 1 - (1 - by_chance) ** n_others <= MOST_EQUAL_BY_CHANCE:
            return codes
    return pd.Series(np.nan, features.index)


def _duplicate_notes(features, y):
    """Sentences about rows that repeat another one, with its target or another one."""
    pd = import_pandas()
    codes = _hash(features)
    n_repeated = codes.duplicated().sum()
    if n_repeated and _repeats(features).isna().all():
        yield (
            "The columns have so few values that rows are equal by chance"
            f" ({n_repeated:,} of {len(codes):,} repeat another one): they count as"
            " different rows. If they are copies, remove them."
        )
        return
    same = pd.DataFrame(y).assign(codes=codes).duplicated().sum()
    others = n_repeated - same
    if same:
        repeat = "1 row repeats" if same == 1 else f"{same:,} rows repeat"
        yield (
            f"{repeat} features and target of another row: kept, and on its side of"
            " every split."
        )
    if others:
        yield (
            "Rows with the features of another row, but another target:"
            f" {others:,}."
        )


def _summary(columns, features, left_out, task):
    """One row for each column of the given table: kind, values and use."""
    pd = import_pandas()
    used = {name: f"no: {why}" for name, why in left_out.items()}
    used |= dict.fromkeys(features, "feature")
    # all that is neither a feature nor left out
    others = "label" if task == "labels" else "target"
    rows = [
        (
            column.kind,
            column.values.isna().sum(),
            column.values.dropna().astype(str).nunique(),
            *column.summary(),
            used.get(name, others),
        )
        for name, column in columns.items()
    ]
    names = ["kind", "missing", "distinct", "values", "distribution", "used"]
    return pd.DataFrame(rows, pd.Index(columns, name="column"), names)


# ---- whatever a table comes as


def _frame_of(data, notes):
    """`data` as a DataFrame (n, d) whose columns have different names as str."""
    pd = import_pandas()
    refuse_lazy(data, "data")
    for convert in ("to_pandas", "toarray"):
        if hasattr(data, convert):
            data = getattr(data, convert)()
    try:
        if not isinstance(data, dict | pd.DataFrame):
            _, d = np.shape(data)
            data = pd.DataFrame(
                np.asarray(data), columns=feature_names(None, d)
            )
        own = list(data)
        if isinstance(data, dict):
            # halves of surrogate pairs are in no index of texts
            data = dict(enumerate(data.values()))
        frame = pd.DataFrame(data)
    except (ValueError, TypeError):
        raise ValueError(
            "`data` must be a table: a DataFrame, a dict of columns of the same length,"
            f" or an array of shape (n, d); got {short_repr(data)}. Make one of these"
            " of it."
        ) from None
    if (d := frame.shape[1]) > MOST_COLUMNS:
        raise ValueError(
            f"`data` must have at most {MOST_COLUMNS:,} columns; got {d:,}. Select some"
            " of them."
        )
    names = []
    for name, number in zip(own, feature_names(None, d), strict=True):
        levels = name if isinstance(name, tuple) else [name]
        names.append(
            one_line(" ".join(filter(None, map(str, levels)))) or number
        )
    if names != own:
        notes.append(
            "Names of columns are text in one line now; those of several levels are"
            " joined, empty ones count."
        )
    return frame.set_axis(check_names(names, "data", "it"), axis=1)


def _check_column(name, frame, argument):
    """The name of a column as text in one line, or None."""
    if name is None or (name := one_line(str(name))) in frame.columns:
        return name
    if len(frame.columns) and name in set(words_of(frame.iloc[:, 0])):
        raise ValueError(
            f"`{argument}` must be a column; {short_repr(name)} is a row, named in"
            f" `{frame.columns[0]}`. Transpose the table, so that samples are rows."
        )
    raise ValueError(
        f"`{argument}` must be a column; got {short_repr(name)}. Choose one of"
        f" {_column_list(frame)}."
    )


def _column_list(frame):
    return and_list(map(short_repr, frame.columns))


def _check_columns(names, frame, argument):
    """One or several names of columns as a list, each checked."""
    names = [_check_column(name, frame, argument) for name in np.ravel(names)]
    if len(set(names)) < len(names):
        raise ValueError(
            f"`{argument}` must name columns once; got {short_repr(names)}. Leave"
            " repeats out."
        )
    return names


def _with_target(frame, target, labels, task, notes):
    """The frame with the target among its columns, and the names of target or labels.

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
        # several levels of names
        target = " ".join(filter(None, map(str, target)))
    shape = np.shape(target)
    if not shape:
        return frame, [_check_column(target, frame, "target")]
    if shape not in ((n,), (n, 1)):
        raise ValueError(
            f"`target` must hold one value per row, {n}; got shape {shape}. For several"
            " columns, give `labels`."
        )
    check_same_order(frame, target, ("data", "target"), labels=True)
    name = one_line(str(getattr(target, "name", None) or "")) or "target"
    values = pd.Series(np.ravel(target) if shape[1:] else target)
    values = values.set_axis(frame.index)
    if name in frame.columns:
        if frame[name].equals(values):
            return frame, [name]
        name = unique_names([*frame.columns, "target"])[-1]
    notes.append(f"The separate target is called `{name}` here.")
    return frame.assign(**{name: values}), [name]


def _group_codes(keys):
    """Codes of rows that agree in any of the keys, directly or by way of other rows.

    NaN agrees with nothing.
    """
    pd = import_pandas()
    n = len(keys[0])
    rows = pd.Series(range(n))
    # edges from each row to the first one of its key
    firsts = [
        rows.groupby(key.to_numpy()).transform("first").fillna(rows)
        for key in keys
    ]
    first = pd.concat(firsts).astype(int)
    graph = coo_array((np.ones(len(first)), (first.index, first)), (n, n))
    return connected_components(graph, directed=False)[1]
