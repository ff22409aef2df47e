"""The target: classes, a real value, or several 0/1 labels; which rows have it, and why a target cannot be learnt."""

import numpy as np

from ..core.checks import LARGEST, shown
from .columns import is_number, read_column, words_of
from .wording import counted, listed

__all__ = ["labels_of", "lone_classes", "target_of"]

MOST_CLASSES_OF_NUMBERS = 20
FLAGS = dict.fromkeys(("1", "yes", "true", "y", "t"), 1.0) | dict.fromkeys(("0", "no", "false", "n", "f"), 0.0)


def target_of(frame, name, task, notes):
    """(task, DataFrame of its values with NaN, Column by name) of a target: classes or values; a note says which."""
    column = read_column(frame[name])
    if column.kind in ("date", "other"):
        what = "dates" if column.kind == "date" else "values that are neither numbers nor words"
        raise ValueError(f"`target` must hold classes or numbers; `{name}` holds {what}. Make one of these of them.")
    values, numbers = column.values.reset_index(drop=True), column.kind == "number"
    known = values.dropna()
    if known.empty:
        raise ValueError(f"`target` must have values; all of `{name}` are missing. Choose another column.")
    notes += column.said
    strange = known[np.abs(known) > LARGEST] if numbers else known[[not is_number(word) for word in known]]
    if len(strange) and (numbers or task == "value"):
        rule = f"hold finite numbers up to {LARGEST:g}" if numbers else "hold numbers for the task value"
        value = f"{strange.iloc[0]:g}" if numbers else shown(strange.iloc[0])
        raise ValueError(f"`target` must {rule}; `{name}` is {value} in row {strange.index[0] + 1}. Mend or empty it.")
    distinct = known.nunique()
    if distinct == 1:
        raise ValueError(f"`target` must vary; `{name}` is {shown(known.tolist()[0])} in every row. Choose another.")
    few = distinct <= MOST_CLASSES_OF_NUMBERS and distinct < len(known) / 5
    found = "classes" if not numbers or column.flags or few and np.all(np.mod(known, 1) == 0) else "value"
    other = "value" if found == "classes" else "classes"
    why = ", as asked for." if task else f"; --task {other} overrides." if numbers and not column.flags else "."
    task, what = task or found, "numbers" if numbers and not column.flags else "values"
    taken = "a real value" if task == "value" else task
    notes.append(f"`{name}` has {distinct:,} different {what}: taken as {taken}{why}")
    if task == "classes":
        if distinct == len(known):
            what = f"all {distinct:,} values of `{name}` are different"
            raise ValueError(f"`target` must repeat its classes; {what}. Choose another column or task.")
        values = words_of(values.map({0.0: "False", 1.0: "True"}) if column.flags else values)
    return task, values.to_frame(), {name: column}


def labels_of(frame, names):
    """The same of several columns of 0 and 1, or of yes and no."""
    if len(names) < 2:
        raise ValueError(f"`labels` must name at least two columns; got {shown(names)}. Take `target` for one.")
    columns, flags = {name: read_column(frame[name]) for name in names}, {}
    for name, column in columns.items():
        words = words_of(column.values).reset_index(drop=True)
        flags[name] = words.str.casefold().map(FLAGS).astype(float)
        if len(strange := words[words.notna() & flags[name].isna()]):
            what = f"`{name}` is {shown(strange.iloc[0])} in row {strange.index[0] + 1}"
            raise ValueError(f"`labels` must be 0 or 1, yes or no; {what}. Mend it, or leave out the column.")
    return "labels", frame[[]].reset_index(drop=True).assign(**flags), columns


def lone_classes(classes, notes):
    """The rows of classes that have one row only; they cannot be on both sides of a split."""
    counts = classes.value_counts()
    lone = sorted(counts.index[counts == 1])
    if len(counts) - len(lone) < 2:
        what = f"`{classes.name}` has one row only of {listed(map(shown, lone))}"
        raise ValueError(f"`target` must have at least two classes of two rows or more; {what}. Merge small classes.")
    notes += [f"{counted(len(lone), 'class')} with one row only, which is left out: {listed(lone)}."] * bool(lone)
    return classes.isin(lone).to_numpy()
