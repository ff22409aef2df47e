"""The target of a table or of arrays: which column, what kind, and what is refused."""

from dataclasses import dataclass

import numpy as np

from ..core import (
    LARGEST,
    and_list,
    as_frame,
    count_phrase,
    kind_of_numbers,
    short_repr,
    value_list,
)
from ..core.targets import MOST_CLASSES_OF_NUMBERS, ROWS_OF_CLASS
from ..validation import Classes, Labels, Values
from .numbers import is_number

TRUE_WORDS = ("1", "yes", "true", "y", "t")
FALSE_WORDS = ("0", "no", "false", "n", "f")
NUMBER_OF_FLAG = dict.fromkeys(TRUE_WORDS, 1.0) | dict.fromkeys(
    FALSE_WORDS, 0.0
)


def task_of(kind, y, names=()):
    """Return the target with its models, losses, errors and their intervals.

    Parameters
    ----------
    kind : "classes", "labels" or "value"
        Kind of the target, the attribute ``task`` of :class:`Table`.
    y : ndarray of shape (n_rows,) or (n_rows, n_labels)
        Target: classes or values, or labels as 0 and 1.
    names : sequence of n_labels str, default=()
        Names of the labels.

    Returns
    -------
    task : Target
        Target of class `Classes`, `Labels` or `Values`.

    Examples
    --------
    >>> task = task_of("classes", np.array(["a", "a", "b"]))
    >>> losses = task.losses(np.array(["a", "b", "b"]))
    >>> round(task.baseline(), 3), round(float(task.error(losses)), 3)
    (0.333, 0.333)
    """
    kinds = {"classes": Classes, "labels": Labels, "value": Values}
    return kinds[kind](y, names)


@dataclass(frozen=True, kw_only=True, eq=False)
class TargetValues:
    """The target of all rows of a table.

    Attributes
    ----------
    task : "classes", "value" or "labels"
        Kind of the target.
    frame : DataFrame of shape (n, 1) or (n, l)
        Values, NaN where one is missing.
    notes : list of str
        A sentence that says what it is taken as.
    """

    task: str
    frame: object
    notes: list

    @property
    def is_known(self):
        """Which rows (n,) have a target."""
        return self.frame.notna().all(axis=1).to_numpy()

    @property
    def name(self):
        """Name of the target, "" for labels."""
        return "" if self.task == "labels" else self.frame.columns[0]

    def of_rows(self, rows):
        """The target (n,) or labels (n, l) of some rows, by their numbers."""
        frame = self.frame.iloc[rows]
        if self.task == "labels":
            return frame.to_numpy(int)
        return frame.iloc[:, 0].to_numpy(float if self.task == "value" else str)

    def names_of(self, y):
        """Names of the labels, or the sorted classes in `y`; none of values."""
        if self.task == "labels":
            return list(self.frame)
        if self.task == "value":
            return []
        return np.unique(y).tolist()


def check_target(column):
    """Refuse a column whose values cannot be predicted."""
    if not column.can_be_target:
        raise ValueError(
            f"`target` must hold classes or numbers; `{column.name}` holds"
            f" {column.kind}s. Make one of these of them."
        )
    if column.values.notna().sum() == 0:
        raise ValueError(
            f"`target` must have values; all of `{column.name}` are missing. Choose"
            " another column."
        )


def target_of(column, task=None):
    """The target that a column is, as classes or values.

    Parameters
    ----------
    column : Column
        The column, after :func:`check_target`.
    task : "classes" or "value", optional
        Kind of the target, as the caller says.

    Returns
    -------
    target : TargetValues
        Values of all rows.
    """
    name = column.name
    values = column.values
    present = values.dropna()
    n_distinct = present.nunique()
    if task is None and column.limit is not None:
        raise ValueError(
            f"`target` must not be a limit; `{name}` is {column.limit!r} in a row. Give"
            " --task value, which takes the limits as values, or --task classes."
        )
    if column.is_number or task == "value":
        _check_finite(present)
    if n_distinct == 1:
        raise ValueError(
            f"`target` must vary; `{name}` is {short_repr(present.tolist()[0])} in"
            " every row. Choose another."
        )
    if task is None and column.is_like_number:
        _refuse_strange_words(present)
    ending = "."
    if task is not None:
        ending = ", as asked for."
    elif column.is_measured:
        task = kind_of_numbers(present)
        other_task = {"value": "classes", "classes": "value"}[task]
        ending = f"; --task {other_task} overrides."
    else:
        task = "classes"
    meaning = "a real value"
    if task == "classes":
        meaning = "classes"
        values = column.class_words
    noun = "numbers" if column.is_measured else "values"
    note = f"`{name}` has {n_distinct:,} different {noun}: taken as {meaning}{ending}"
    return TargetValues(task=task, frame=values.to_frame(), notes=[note])


def _check_finite(present):
    """Refuse words among the values of a target, and numbers that are too large."""
    for row, value in present.items():
        if not is_number(str(value)) or abs(float(value)) > LARGEST:
            raise ValueError(
                f"`target` must hold finite numbers up to {LARGEST:g};"
                f" `{present.name}` is {short_repr(value)} in {row}. Correct or empty"
                " it."
            )


def _refuse_strange_words(present):
    """Refuse words like numbers, unless they are as few as a legend can name."""
    distinct = present.unique()
    n_distinct = len(distinct)
    has_rows = ROWS_OF_CLASS * n_distinct < len(present)
    if n_distinct > MOST_CLASSES_OF_NUMBERS or not has_rows:
        words = value_list(distinct, 3)
        raise ValueError(
            f"`target` must hold classes or numbers; `{present.name}` holds {words},"
            " which cannot be read as numbers. Write numbers, or give --task classes."
        )


def labels_of(columns):
    """The target that several columns of 0 and 1, or of yes and no, are.

    Parameters
    ----------
    columns : dict of str to Column
        The columns by name.

    Returns
    -------
    target : TargetValues
        Labels of all rows as 0 and 1.
    """
    if len(columns) < 2:
        raise ValueError(
            "`labels` must name at least two columns; got"
            f" {short_repr(list(columns))}. Take `target` for one."
        )
    flags = {}
    for name, column in columns.items():
        words = column.value_words
        numbers = words.str.casefold().map(NUMBER_OF_FLAG).astype(float)
        strange = words[words.notna() & numbers.isna()]
        if not strange.empty:
            raise ValueError(
                f"`labels` must be 0 or 1, yes or no; `{name}` is"
                f" {short_repr(strange.iloc[0])} in {strange.index[0]}. Correct it, or"
                " leave out the column."
            )
        flags[name] = numbers
    frame = as_frame(flags)
    for name, fraction in frame.dropna().mean().items():
        if fraction in (0, 1):
            rows_phrase = "every row" if fraction else "no row"
            raise ValueError(
                f"`labels` must differ between rows; `{name}` is set in {rows_phrase}."
                " Leave it out of `labels`."
            )
    return TargetValues(task="labels", frame=frame, notes=[])


def lone_classes(classes):
    """Names of the classes that have one row only, sorted.

    They cannot be on both sides of a split.
    """
    counts = classes.value_counts()
    lone = sorted(counts.index[counts == 1])
    if len(counts) - len(lone) < 2:
        names = and_list([short_repr(name) for name in lone])
        raise ValueError(
            "`target` must have at least two classes of two rows or more;"
            f" `{classes.name}` has one row only of {names}. Merge small classes."
            " Choose another column or task."
        )
    return lone


def lone_notes(lone):
    """A sentence about the classes that have one row only, if there are some."""
    if not lone:
        return []
    return [
        f"{count_phrase(len(lone), 'class')} with one row only, which is left out:"
        f" {and_list(lone)}."
    ]
