"""A table ready for analysis: features, target and names of rows.

There is a reason for all that was left out.
"""

from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from ..core import as_frame, check_option
from .cells import Notation, notation_notes
from .columns import categories_of, read_columns
from .headers import check_names, unique_names
from .names import (
    copies,
    copy_notes,
    group_words,
    ids_of_rows,
    joined_groups,
    names_of_rows,
    numbered_rows,
)
from .roles import (
    copied_columns,
    exclusion_notes,
    frame_of,
    overview_of,
    reasons_phrase,
    roles_of,
    with_target,
)
from .targets import (
    check_target,
    labels_of,
    lone_classes,
    lone_notes,
    target_of,
    task_of,
)

FEWEST_ROWS_OF_TABLE = 10
MOST_NOTES = 5  # in an error


@dataclass(frozen=True, kw_only=True, eq=False)
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
        The columns kept: numbers as floats, categories as str, dates as dates; NaN or
        NaT where a value is missing.
    kinds : dict of str to str
        Kind of each column, such as "number", "category" or "date".
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
        _, first, group_of_row = np.unique(
            self.groups, return_index=True, return_inverse=True
        )
        return self.row_names.groups[first][group_of_row]

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

    @property
    def categories(self):
        """Names of the features that hold words, each of which is a category."""
        return categories_of(self.kinds)

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
        Name of the target's column, or its values. Whole numbers are classes if at most
        5 are different, or if each has five rows on average and they are at most 20, or
        the codes 0 to k - 1 or 1 to k.
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
    # An error says what was decided before it.
    with errors_with(notes):
        # 1. which columns are what, as the caller says
        frame, name_notes = frame_of(data)
        notes += name_notes
        check_names(list(frame), "data", "it")
        given_names = list(frame)
        frame, target_names = with_target(frame, target, labels, task)
        if list(frame) != given_names:
            # The last column is new.
            notes.append(
                f"The separate target is called `{frame.columns[-1]}` here."
            )
        roles = roles_of(
            frame, target_names, row_id=id, groups=groups, drop=drop, keep=keep
        )
        # 2. what their values are, and which rows have a target
        columns = _read_columns(frame, target_names, roles, notation)
        if target is None:
            targets = labels_of({name: columns[name] for name in target_names})
        else:
            column = columns[target_names[0]]
            check_target(column)
            notes += column.notes
            targets = target_of(column, task)
            notes += targets.notes
        lone = []
        if targets.task == "classes":
            lone = lone_classes(targets.frame.iloc[:, 0])
            notes += lone_notes(lone)
        rows, rows_without_target = _rows_with_target(targets, lone)
        y = targets.of_rows(rows)
        # 3. which of the other columns are features
        free = _without(columns, [*target_names, *roles.exclusions])
        if targets.task == "classes":
            classes = targets.frame.iloc[:, 0]
            notes += notation_notes(free.values(), classes)
        exclusions = {**roles.exclusions}
        candidates = {}
        for name, column in free.items():
            exclusion = column.exclusion(rows)
            notes += column.notes
            if exclusion is None:
                notes += column.feature_notes(rows)
                candidates[name] = column.feature_values(rows)
            else:
                exclusions[name] = exclusion
        exclusions |= copied_columns(candidates, columns)
        left_out = {
            name: exclusions[name].sentence
            for name in columns
            if name in exclusions
        }
        features = as_frame(_without(candidates, left_out))
        if features.empty:
            raise ValueError(
                "`data` must have other columns than the target; left out:"
                f" {reasons_phrase(left_out)}. Add columns that vary."
            )
        # 4. names of rows, and which of them belong together
        words, id_notes = ids_of_rows(
            frame.index, roles.row_id, columns, exclusions
        )
        notes += id_notes
        words_or_numbers = words.where(
            words.notna(), numbered_rows(frame.index)
        )
        ids = np.array(unique_names(words_or_numbers), str)
        keys = [copies(features), words.iloc[rows]]
        if roles.groups is not None:
            keys.append(group_words(columns[roles.groups], rows, ids))
        # 5. columns that name persons or places: numbers that do are no features
        units = joined_groups(keys)
        row_names = names_of_rows(
            _without(columns, [*target_names, roles.row_id, roles.groups]),
            features,
            rows=rows,
            target=task_of(targets.task, y),
            units=units,
            kept=roles.keep,
        )
        if set(row_names.not_features) != set(features):
            # Rows of different names that are equal otherwise are no copies: `keys`
            # remain those of the features with the names.
            features = features.drop(columns=row_names.not_features)
        # 6. what is left out, and what is said about it
        for name in row_names.names:
            if name not in features and name not in roles.exclusions:
                n_values = columns[name].values.iloc[rows].nunique()
                left_out[name] = f"names groups of rows: {n_values:,} values"
        rows_left_out = {
            reason: ids[is_out].tolist()
            for reason, is_out in rows_without_target.items()
        }
        notes += exclusion_notes(rows_left_out, left_out)
        notes += copy_notes(features, y)
        use_phrases = {
            name: f"no: {sentence}" for name, sentence in left_out.items()
        }
        use_phrases |= dict.fromkeys(features, "feature")
        use_phrases |= dict.fromkeys(
            target_names, "label" if targets.task == "labels" else "target"
        )
        kinds = {name: columns[name].kind for name in features}
        overview = overview_of(columns, use_phrases)
        return Table(
            features=features,
            kinds=kinds,
            y=y,
            task=targets.task,
            target=targets.name,
            label_names=targets.names_of(y),
            ids=ids[rows],
            groups=units,
            left_out=left_out,
            rows_left_out=rows_left_out,
            notes=notes,
            rows=rows,
            _summary=overview,
            row_names=row_names,
        )


def _read_columns(frame, targets, roles, notation):
    """The columns of a table by name; those with a role stay whole."""
    with_role = [*targets, *roles.exclusions, *roles.keep]
    numbered = frame.set_axis(numbered_rows(frame.index))
    columns = read_columns(numbered, notation, with_role)
    for name in roles.keep:
        columns[name] = columns[name].as_category()
    return columns


def _without(columns, names):
    """The columns but for some of them."""
    return {
        name: column for name, column in columns.items() if name not in names
    }


def _rows_with_target(targets, lone):
    """Numbers of the rows that are kept, and which others are not, by the reason.

    A split needs two rows of each class: those of the `lone` classes are left out.
    """
    is_known = targets.is_known
    is_lone = targets.frame.iloc[:, 0].isin(lone).to_numpy()
    rows = np.flatnonzero(is_known & ~is_lone)
    if len(rows) < FEWEST_ROWS_OF_TABLE:
        raise ValueError(
            f"`data` must have at least {FEWEST_ROWS_OF_TABLE} rows with a target; got"
            f" {len(rows)}. Add rows."
        )
    wanted = "a label" if targets.task == "labels" else f"`{targets.name}`"
    reasons = {
        f"no value in {wanted}": ~is_known,
        "the only row of its class": is_lone,
    }
    return rows, {
        reason: is_out for reason, is_out in reasons.items() if is_out.any()
    }


@contextmanager
def errors_with(notes_so_far):
    """Errors within end with the first of the notes that a list holds by then."""
    try:
        yield
    except ValueError as error:
        notes = " ".join(notes_so_far[:MOST_NOTES])
        raise ValueError(f"{error} {notes}".rstrip()) from None
