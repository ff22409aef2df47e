"""The target: classes, a real value, or several labels; the models that are asked, their error, and what chance gives.

Errors are fractions of wrong classes; of several labels the fraction of rows whose most
probable label is none of theirs (one-error); of a real value the root mean squared
error over the standard deviation of the target.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR

from ..core.arrays import check_target
from ..core.checks import LARGEST, short_repr
from ..core.labels import (
    check_labels,
    class_column,
    class_names,
    label_array,
    label_sets,
)
from ..plots.inputs import is_continuous
from ..quality import nearest_label
from .columns import is_number
from .embedders import N_NEIGHBORS, PENALTIES, by_neighbours
from .text import count_phrase, short_list
from .validation import folds

PENALTY = 100.0  # of the linear model of many labels, which is fitted many times
TREES, LEAF = 50, 3  # of a forest that is fitted many times
MOST_CLASSES_OF_NUMBERS = 20
FLAGS = dict.fromkeys(("1", "yes", "true", "y", "t"), 1.0) | dict.fromkeys(
    ("0", "no", "false", "n", "f"), 0.0
)


def task_of(kind, y, names=()):
    """What follows from the kind of target: models, their error, what chance gives.

    Parameters
    ----------
    kind : "classes", "labels" or "value", as :class:`Table` has it in ``task``
    y : ndarray of shape (n,), classes or values, or (n, l), labels as 0 and 1
    names : sequence of l str, of the labels

    Returns
    -------
    Task, with ``models(seed)``, ``chance()``, ``error(y, predicted)`` and ``strata()``
    for splits

    Examples
    --------
    >>> task = task_of("classes", np.array(["a", "a", "b"]))
    >>> round(task.chance(), 3), task.error(task.y, np.array(["a", "b", "b"]))[0].__round__(3)
    (0.333, 0.333)
    """
    return {"classes": Classes, "labels": Labels, "value": Value}[kind](y, names)


class Task:
    """A target y, (n,) or (n, l), and what follows from its kind; `names` are those of the labels."""

    error_name = "error"
    is_value = False

    def __init__(self, y, names=()):
        self.y, self.names = y, list(names)

    def of(self, y):
        """The same of other rows, or of another target."""
        return type(self)(y, self.names)

    def sample(self, most, seed, labelled=True):
        """Numbers of at most so many rows, drawn at random; without a label any answer is wrong."""
        rows = np.sort(np.random.default_rng(seed).permutation(len(self.y))[:most])
        return rows[self.y[rows].any(axis=1)] if labelled and self.y.ndim == 2 else rows

    def models(self, seed=0):
        """Models by name, not fitted: one linear, one of neighbours, one that takes interactions."""
        forest = clone(self.forest).set_params(
            n_estimators=TREES, min_samples_leaf=LEAF, random_state=seed
        )
        return {
            "linear model": clone(self.linear),
            f"{N_NEIGHBORS} nearest neighbours": self.neighbours(N_NEIGHBORS),
            "random forest": forest,
        }

    def usual_models(self, seed):
        """Three models to look at in the plane, of classes or a value."""
        forest = clone(self.forest).set_params(random_state=seed)
        return {
            self.linear_name: clone(self.linear),
            "random forest": forest,
            "SVM": self.svm(),
        }

    def strata(self):
        """Classes whose shares splits keep, or None."""
        return None

    def n_splits(self, groups, most=5):
        first = np.unique(groups, return_index=True)[1]
        rarest = (
            len(first)
            if self.strata() is None
            else np.unique(self.y[first], return_counts=True)[1].min()
        )
        return max(2, min(most, rarest))

    def predictions(self, model, X, y, groups, seed):
        """Of each row, from a model that was fitted to the other folds."""
        splits = folds(
            None if self.strata() is None else y, groups, self.n_splits(groups), seed
        )
        # of fits that did not converge: their error is measured
        with warnings.catch_warnings(action="ignore"):
            answers = [
                self._answers(model, X[train], y[train], X[test])
                for train, test in splits
            ]
        return np.concatenate(answers)[
            np.argsort(np.concatenate([test for _, test in splits]))
        ]

    def _answers(self, model, X, y, new):
        # of a rare class all rows are in the fold that is kept out
        if y.ndim == 1 and np.all(y == y[0]):
            return np.repeat(y[:1], len(new))
        if getattr(model, "n_neighbors", 0) > len(X):
            model.set_params(n_neighbors=len(X))
        return self.predict(model.fit(X, y), new)

    def predict(self, fitted, X):
        return fitted.predict(X)

    def error(self, y, predicted):
        """The error, and its standard error."""
        return self.from_losses(self.losses(y, predicted), y)

    def from_losses(self, loss, y):
        """The same from what each row loses."""
        return float(loss.mean()), deviation(loss)

    def percent(self, value):
        """An error in words."""
        return f"{100 * value:.1f} %" if 0 < value < 0.1 else f"{100 * value:.0f} %"


def deviation(loss):
    """Standard error of the mean of losses of 0 and 1, as with one more of each: no wrong row of few is not certain."""
    share = (loss.sum() + 1) / (len(loss) + 2)
    return float(np.sqrt(share * (1 - share) / max(len(loss), 1)))


class Classes(Task):
    """Classes, (n,) of str."""

    error_name = "wrong classes"

    linear, linear_name, neighbours = (
        LogisticRegression(max_iter=1000),
        "logistic regression",
        KNeighborsClassifier,
    )
    forest = RandomForestClassifier()

    def svm(self):
        return SVC()

    def strata(self):
        return self.y

    def chance(self):
        """Error of the answer that is most often right."""
        return 1 - float(np.unique(self.y, return_counts=True)[1].max()) / len(self.y)

    def losses(self, y, predicted):
        return (y != predicted).astype(float)


class Labels(Task):
    """Several labels per sample, (n, l) of 0 and 1."""

    error_name = "rows whose most probable label is none of theirs"

    linear, neighbours, forest = (
        Ridge(PENALTY),
        KNeighborsClassifier,
        RandomForestClassifier(),
    )

    def predict(self, fitted, X):
        """Score of each label, (m, l): its probability where the model has such."""
        if not hasattr(fitted, "predict_proba"):
            return fitted.predict(X)
        # Of each label (m, 2), or (m, 1) where only one of 0 and 1 was met.
        each = zip(fitted.predict_proba(X), fitted.classes_, strict=True)
        return np.column_stack([p @ c for p, c in each])

    def chance(self):
        return 1 - float(self.y.mean(axis=0).max())

    def losses(self, y, predicted):
        return 1.0 - y[np.arange(len(y)), predicted.argmax(axis=1)]


class Value(Task):
    """A real value, (n,)."""

    error_name = "root mean squared error / standard deviation of the target"
    is_value = True

    linear, linear_name, neighbours = (
        RidgeCV(PENALTIES),
        "ridge regression",
        KNeighborsRegressor,
    )
    forest = RandomForestRegressor(max_features=1 / 3)

    def svm(self):
        return SVR(C=float(np.std(self.y)))

    def chance(self):
        return 1.0

    def losses(self, y, predicted):
        return (y - predicted) ** 2

    def from_losses(self, loss, y):
        scale = float(np.std(y)) or 1.0
        error = float(np.sqrt(loss.mean()))
        return error / scale, float(
            loss.std() / np.sqrt(len(loss)) / (2 * max(error, 1e-300)) / scale
        )

    def percent(self, value):
        return f"{value:.2f}"


@dataclass(frozen=True, eq=False)
class Target:
    """The target of n samples that `show` draws; `read_target` makes one.

    Attributes
    ----------
    kind : "classes", "labels" or "values"; None: there is none
    y : ndarray of shape (n,), numbers of classes or values, or (n, l), 0 and 1; zeros if there is none
    names : list of str, of classes or labels
    code : list of str, lines that make an array of `y`
    colours : dict, `labels` and `label_names` of an explorer
    """

    kind: str | None
    y: np.ndarray
    names: list
    code: list
    colours: dict

    def describe_error(self, Z, fitted, kept_out):
        """What the nearest fitted samples in the map Z (n, 2) tell of those `kept_out` and of each other, in words."""
        if self.kind is None:
            return ""
        task = task_of(
            self.kind.replace("values", "value"),
            self.y.astype(str) if self.kind == "classes" else self.y,
        )
        y = task.y
        near = (
            by_neighbours(Z[fitted], y[fitted], Z[kept_out])
            if kept_out.any()
            else y[kept_out]
        )
        own = by_neighbours(Z[fitted], y[fitted], None, own=True)
        losses = task.losses(y[kept_out], near), task.losses(y[fitted], own)
        return self._in_words(
            f"by the {N_NEIGHBORS} nearest", *losses, fitted, kept_out
        )

    def describe_cell_error(self, Z, anchors, fitted, kept_out):
        """The same of the cells of label points (l, 2) that the samples lie in."""
        loss = 1.0 - self._indicators()[np.arange(len(Z)), nearest_label(Z, anchors)]
        return self._in_words(
            "by the cell", loss[kept_out], loss[fitted], fitted, kept_out
        )

    def restrict(self, fitted):
        """The same with those labels alone that a fitted sample has, and lines of code that leave out the others."""
        if self.kind != "labels" or self.y[fitted].any(axis=0).all():
            return self, []
        known = self.y[fitted].any(axis=0)
        names = np.array(self.names)[known].tolist()
        return replace(self, y=self.y[:, known], names=names), [
            "y = y[:, y[fitted].any(axis=0)]"
        ]

    def _indicators(self):
        return (
            np.eye(len(self.names), dtype=int)[self.y]
            if self.kind == "classes"
            else self.y
        )

    def _in_words(self, how, new, own, fitted, kept_out):
        asked = kept_out if kept_out.any() else fitted
        if self.kind == "values":
            unit = self.y[fitted].std() or 1.0
            chance = (self.y[asked] - self.y[fitted].mean()) ** 2
            said = [
                f"{np.sqrt(loss.mean()) / unit:.2f}" if len(loss) else ""
                for loss in (new, own, chance)
            ]
            what, of = f"Error {how}, in standard deviations of y", "in"
        else:
            Y = self._indicators()
            frequent = Y[fitted].sum(axis=0).argmax()
            right = f"{1 - new.mean():.1%} (± {deviation(new):.1%})" if len(new) else ""
            said = right, f"{1 - own.mean():.1%}", f"{Y[asked, frequent].mean():.1%}"
            what, of = f"Right {how}", "of"
        none = (
            "none kept out that differ from the fitted, so nothing is known of new"
            " samples"
        )
        kept = f"kept out {said[0]} {of} {kept_out.sum():,}" if said[0] else none
        return (
            f"{what}: {kept}; fitted {said[1]} {of} {fitted.sum():,}; chance {said[2]}."
        )


def read_target(y, n, label_names=None):
    """The target y of n samples as a `Target`; numbers that measure something are values, others classes.

    Examples
    --------
    >>> read_target(["b", "a"], 2).y, read_target([0.5, 1.0], 2).kind
    (array([1, 0]), 'values')
    """
    if y is None:
        if label_names is not None:
            raise ValueError(
                "`label_names` must be None without `y`; got names. Give `y`, too."
            )
        return Target(None, np.zeros(n), [], ["y = np.zeros(len(A))"], {})
    values = label_array(y)
    first = "y = y.toarray()" if scipy.sparse.issparse(y) else "y = np.asarray(y)"
    if values.size and values.size == len(values) and is_continuous(class_column(y)):
        values = check_target(class_column(y), n)
        if label_names is not None:
            rule = (
                "`label_names` must be None for values; `y` holds numbers that measure"
            )
            raise ValueError(
                f"{rule}, such as {values[0]:g}. Leave it out, or make classes by"
                " y.astype(str)."
            )
        return Target("values", values, [], [first + ".astype(float).ravel()"], {})
    labels = check_labels(y, n, name="y")
    names = class_names(label_names, labels)
    if labels.multilabel:
        Y = labels.Y.astype(int)
        _, sets, set_names = label_sets(Y, names)
        return Target(
            "labels",
            Y,
            names,
            [first + ".astype(int)"],
            {"labels": sets, "label_names": set_names},
        )
    codes = labels.Y.argmax(axis=1)
    code = [
        first + ".ravel()",
        "y = np.unique(y, return_inverse=True)[1]  # numbers of the classes",
    ]
    return Target(
        "classes", codes, names, code, {"labels": codes, "label_names": names}
    )


def target_of(columns, name, task, notes):
    """(task, DataFrame of its values with NaN) of the target among some Columns; a note says what it is taken as."""
    column = columns[name]
    if column.kind in ("date", "other"):
        what = (
            "dates"
            if column.kind == "date"
            else "values that are neither numbers nor words"
        )
        raise ValueError(
            f"`target` must hold classes or numbers; `{name}` holds {what}. Make one of"
            " these of them."
        )
    values = column.values
    known = values.dropna()
    if known.empty:
        raise ValueError(
            f"`target` must have values; all of `{name}` are missing. Choose another"
            " column."
        )
    notes += column.said
    if column.kind == "number" or task == "value":
        strange = known[
            [
                not is_number(str(value)) or abs(float(value)) > LARGEST
                for value in known
            ]
        ]
        if len(strange):
            what = (
                f"`{name}` is {short_repr(strange.tolist()[0])} in {strange.index[0]}"
            )
            raise ValueError(
                f"`target` must hold finite numbers up to {LARGEST:g}; {what}. Mend or"
                " empty it."
            )
    distinct = known.nunique()
    if distinct == 1:
        raise ValueError(
            f"`target` must vary; `{name}` is {short_repr(known.tolist()[0])} in every row."
            " Choose another."
        )
    numbers = column.kind == "number" and not column.flags
    few = distinct <= MOST_CLASSES_OF_NUMBERS and distinct < len(known) / 5
    found = (
        "value"
        if numbers and not (few and np.all(np.mod(known, 1) == 0))
        else "classes"
    )
    other = "value" if found == "classes" else "classes"
    why = (
        ", as asked for."
        if task
        else f"; --task {other} overrides."
        if numbers
        else "."
    )
    task = task or found
    taken = "a real value" if task == "value" else task
    notes.append(
        f"`{name}` has {distinct:,} different {'numbers' if numbers else 'values'}:"
        f" taken as {taken}{why}"
    )
    if task == "classes":
        if distinct == len(known):
            what = f"all {distinct:,} values of `{name}` are different"
            raise ValueError(
                f"`target` must repeat its classes; {what}. Choose another column or"
                " task."
            )
        values = column.value_words
    return task, values.to_frame()


def labels_of(columns, names):
    """The same of several columns of 0 and 1, or of yes and no."""
    import pandas as pd

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
            what = f"`{name}` is {short_repr(strange.iloc[0])} in {strange.index[0]}"
            raise ValueError(
                f"`labels` must be 0 or 1, yes or no; {what}. Mend it, or leave out the"
                " column."
            )
    values = pd.DataFrame(flags)
    for name, fraction in values.dropna().mean().items():
        if fraction in (0, 1):
            what = f"`{name}` is set in {'every' if fraction else 'no'} row"
            raise ValueError(
                f"`labels` must differ between rows; {what}. Leave it out of `labels`."
            )
    return "labels", values


def lone_classes(classes, notes):
    """The rows of classes that have one row only; they cannot be on both sides of a split."""
    counts = classes.value_counts()
    lone = sorted(counts.index[counts == 1])
    if len(counts) - len(lone) < 2:
        what = (
            f"`{classes.name}` has one row only of {short_list(map(short_repr, lone))}"
        )
        raise ValueError(
            f"`target` must have at least two classes of two rows or more; {what}."
            " Merge small classes."
        )
    if lone:
        notes.append(
            f"{count_phrase(len(lone), 'class')} with one row only, which is left out:"
            f" {short_list(lone)}."
        )
    return classes.isin(lone).to_numpy()
