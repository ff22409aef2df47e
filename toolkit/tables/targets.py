"""The target: classes, a real value, or several 0/1 labels; which rows have it, and why a target cannot be learnt."""

import numpy as np

from ..core.checks import LARGEST, shown
from .columns import counted, listed, read_column, words_of
from .numbers import is_number

__all__ = ["Target", "labels_of", "target_of"]

MOST_CLASSES_OF_NUMBERS = 20
YES, NO = {"1", "1.0", "yes", "true", "y", "t"}, {"0", "0.0", "no", "false", "n", "f"}


class Target:
    """Values of a target, NaN in rows without one.

    Parameters
    ----------
    task : "classes", "value" or "labels"
    values : ndarray of shape (n,), str with NaN or floats, or (n, l), floats with NaN
    names : list of str
    columns : dict of str to Column
    """

    def __init__(self, task, values, names, columns):
        self.task, self.values, self.names, self.columns = task, values, names, columns
        gaps = np.array([value != value for value in values.ravel()], dtype=bool).reshape(values.shape)
        self.known = ~(gaps if values.ndim == 1 else gaps.any(axis=1))

    def final(self, kept):
        """The target of the rows that are kept, and the names of classes or labels, once it is known that it varies."""
        values = self.values[kept]
        if self.task == "classes":
            y = np.array(values.tolist(), dtype=str)
            return y, np.unique(y).tolist()
        return (values.astype(float), []) if self.task == "value" else (values.astype(int), self.names)


def target_of(frame, name, task, notes):
    """The target of a table as classes or values, with a note of which it is.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
    name : str, column of the target
    task : "classes", "value" or None, to find it out
    notes : list of str, to which the decision is added
    """
    column = read_column(frame[name])
    if column.kind in ("date", "other"):
        what = "dates" if column.kind == "date" else "values that are neither numbers nor words"
        raise ValueError(
            f"`target` must hold classes or numbers; `{name}` holds {what}. Make a number or a class of them."
        )
    known = column.values.dropna()
    if known.empty:
        raise ValueError(f"`target` must have values; all of `{name}` are missing. Choose another column.")
    notes += column.said
    numbers = column.kind == "number"
    if numbers and not np.isfinite(known).all():
        i = int(np.flatnonzero(np.isinf(column.values))[0])
        raise ValueError(
            f"`target` must be finite; `{name}` is {column.values.iloc[i]} in row {i + 1}. Mend or remove it."
        )
    if task == "value" and not numbers:
        i = next(i for i, word in enumerate(column.values) if word == word and not is_number(word))
        raise ValueError(
            f"`target` must hold numbers for the task value; `{name}` is "
            f"{shown(column.values.iloc[i])} in "
            f"row {i + 1}. Mend it, or take the task classes."
        )
    task, why = (task, ", as asked for.") if task else _task(known, numbers, column.flags)
    distinct = known.nunique()
    if distinct == 1:
        raise ValueError(
            f"`target` must vary; `{name}` is {shown(known.tolist()[0])} in every row. Choose another column."
        )
    if task == "value":
        _check_size(known, name)
        notes.append(f"`{name}` has {distinct:,} different numbers: taken as a real value{why}")
        return Target("value", column.values.to_numpy(dtype=float), [], {name: column})
    if distinct == len(known):
        raise ValueError(
            f"`target` must repeat its classes; all {distinct:,} values of `{name}` are different. "
            f"Choose a "
            f"column of classes{', or take the task value' if numbers else ''}."
        )
    words = words_of(column.values if not column.flags else column.values.map({0.0: "False", 1.0: "True"}))
    what = "numbers" if numbers and not column.flags else "values"
    notes.append(f"`{name}` has {distinct:,} different {what}: taken as classes{why}")
    return Target("classes", words.to_numpy(dtype=object), [], {name: column})


def _task(known, numbers, flags):
    """Which task the values suggest, and the end of the sentence that says so."""
    if not numbers or flags:
        return "classes", "."
    whole = bool(np.all(np.mod(known, 1) == 0))
    few = known.nunique() <= MOST_CLASSES_OF_NUMBERS and known.nunique() < len(known) / 5
    return ("classes", "; --task value overrides.") if whole and few else ("value", "; --task classes overrides.")


def _check_size(values, name):
    if np.abs(values).max() > LARGEST:
        raise ValueError(
            f"`target` must not hold values beyond {LARGEST:g}, whose squares overflow; `{name}` does. Rescale it."
        )


def labels_of(frame, names):
    """The 0/1 matrix of several columns of yes and no.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
    names : list of str, columns
    """
    if len(names) < 2:
        raise ValueError(f"`labels` must name at least two columns; got {shown(names)}. Take `target` for one.")
    columns = {name: read_column(frame[name]) for name in names}
    Y = np.full((len(frame), len(names)), np.nan)
    for j, name in enumerate(names):
        for i, word in enumerate(words_of(columns[name].values)):
            if word != word:
                continue
            flag = word.casefold()
            if flag not in YES | NO:
                raise ValueError(
                    f"`labels` must be 0 or 1, yes or no; `{name}` is {shown(word)} in row "
                    f"{i + 1}. Mend it, "
                    "or leave the column out of `labels`."
                )
            Y[i, j] = flag in YES
    return Target("labels", Y, names, columns)


def check_labels(Y, names):
    """Refuse labels that no row or every row has."""
    for name, count in zip(names, Y.sum(axis=0), strict=True):
        if count in (0, len(Y)):
            where = "in no row" if count == 0 else "in every row"
            raise ValueError(f"`labels` must differ between rows; `{name}` is set {where}. Leave it out of `labels`.")
    return Y


def lone_classes(target, name, notes):
    """The rows of classes that have one row only; they cannot be on both sides of a split."""
    import pandas as pd

    counts = pd.Series(target.values[target.known]).value_counts()
    lone = sorted(counts.index[counts == 1])
    if not lone:
        return np.zeros(len(target.values), dtype=bool)
    if len(counts) - len(lone) < 2:
        raise ValueError(
            f"`target` must have at least two classes of two rows or more; `{name}` has one row only of "
            f"{listed(map(shown, lone))}. Merge small classes, or choose another column."
        )
    notes.append(
        f"{counted(len(lone), 'class').replace('classs', 'classes')} of `{name}` "
        f"{'has' if len(lone) == 1 else 'have'} one row only, which is left out: {listed(lone)}."
    )
    return np.array([value in set(lone) for value in target.values], dtype=bool)
