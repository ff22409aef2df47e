"""The target of a table or of arrays: which column, what kind, and what is refused."""

from ..core import (
    LARGEST,
    and_list,
    as_frame,
    count_phrase,
    kind_of_numbers,
    short_repr,
)
from ..core.targets import MOST_CLASSES_OF_NUMBERS, ROWS_OF_CLASS
from ..validation import Classes, Labels, Values
from .notations import is_number, is_numeric

FLAGS = dict.fromkeys(("1", "yes", "true", "y", "t"), 1.0) | dict.fromkeys(
    ("0", "no", "false", "n", "f"), 0.0
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


def target_of(columns, name, task, notes):
    """(task, DataFrame of its values with NaN) of the target among some Columns.

    A note says what it is taken as.
    """
    column = columns[name]
    if column.kind in ("date", "other"):
        raise ValueError(
            f"`target` must hold classes or numbers; `{name}` holds {column.kind}s."
            " Make one of these of them."
        )
    values = column.values
    known = values.dropna()
    distinct = known.nunique()
    if not distinct:
        raise ValueError(
            f"`target` must have values; all of `{name}` are missing. Choose another"
            " column."
        )
    notes += column.notes
    if task is None and column.further and column.kind == "number":
        limit = next(word for word in column.words if not is_numeric(str(word)))
        raise ValueError(
            f"`target` must not be a limit; `{name}` is {limit!r} in a row. Give"
            " --task value, which takes the limits as values, or --task classes."
        )
    if column.kind == "number" or task == "value":
        for row, value in known.items():
            if not is_number(str(value)) or abs(float(value)) > LARGEST:
                raise ValueError(
                    f"`target` must hold finite numbers up to {LARGEST:g}; `{name}` is"
                    f" {short_repr(value)} in {row}. Correct or empty it."
                )
    if distinct == 1:
        raise ValueError(
            f"`target` must vary; `{name}` is {short_repr(known.tolist()[0])} in every"
            " row. Choose another."
        )
    numbers = column.kind == "number" and not column.flags
    is_value = numbers and kind_of_numbers(known) == "value"
    # Words like numbers are classes only if they are as few as a legend can name.
    few = (
        distinct <= MOST_CLASSES_OF_NUMBERS
        and ROWS_OF_CLASS * distinct < len(known)
    )
    if column.is_like_number and not (task or few):
        words = and_list(map(repr, known.unique()), 3)
        raise ValueError(
            f"`target` must hold classes or numbers; `{name}` holds {words}, which"
            " cannot be read as numbers. Write numbers, or give --task classes."
        )
    why = "."
    if task:
        why = ", as asked for."
    elif numbers:
        why = f"; --task {'classes' if is_value else 'value'} overrides."
    task = task or ("value" if is_value else "classes")
    notes.append(
        f"`{name}` has {distinct:,} different {'numbers' if numbers else 'values'}:"
        f" taken as {'a real value' if task == 'value' else task}{why}"
    )
    if task == "classes":
        values = column.words if column.further else column.value_words
    return task, values.to_frame()


def labels_of(columns, names):
    """The same of several columns of 0 and 1, or of yes and no."""
    if len(names) < 2:
        raise ValueError(
            f"`labels` must name at least two columns; got {short_repr(names)}. Take"
            " `target` for one."
        )
    flags = {}
    for name in names:
        words = columns[name].value_words
        flags[name] = words.str.casefold().map(FLAGS).astype(float)
        if len(strange := words[words.notna() & flags[name].isna()]):
            raise ValueError(
                f"`labels` must be 0 or 1, yes or no; `{name}` is"
                f" {short_repr(strange.iloc[0])} in {strange.index[0]}. Correct it, or"
                " leave out the column."
            )
    values = as_frame(flags)
    for name, fraction in values.dropna().mean().items():
        if fraction in (0, 1):
            raise ValueError(
                f"`labels` must differ between rows; `{name}` is set in"
                f" {'every' if fraction else 'no'} row. Leave it out of `labels`."
            )
    return "labels", values


def lone_classes(classes, notes):
    """The rows of classes that have one row only.

    They cannot be on both sides of a split.
    """
    counts = classes.value_counts()
    lone = sorted(counts.index[counts == 1])
    if len(counts) - len(lone) < 2:
        raise ValueError(
            "`target` must have at least two classes of two rows or more;"
            f" `{classes.name}` has one row only of"
            f" {and_list(map(short_repr, lone))}. Merge small classes. Choose another"
            " column or task."
        )
    if lone:
        notes.append(
            f"{count_phrase(len(lone), 'class')} with one row only, which is left out:"
            f" {and_list(lone)}."
        )
    return classes.isin(lone).to_numpy()
