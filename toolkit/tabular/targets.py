"""The target: classes, a real value, or several labels; its models, error and chance.

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

from ..core.arrays import as_frame, check_target
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

# of the linear model of many labels, which is fitted many times
PENALTY = 100.0
TREES, LEAF = 50, 3  # of a forest that is fitted many times
MOST_CLASSES_OF_NUMBERS = 20
FLAGS = dict.fromkeys(("1", "yes", "true", "y", "t"), 1.0) | dict.fromkeys(
    ("0", "no", "false", "n", "f"), 0.0
)


def task_of(kind, y, names=()):
    """What follows from the kind of target: models, their error, what chance gives.

    Parameters
    ----------
    kind : "classes", "labels" or "value"
        As :class:`Table` has it in ``task``.
    y : ndarray of shape (n,) or (n, l)
        Classes or values, or labels as 0 and 1.
    names : sequence of l str, default=()
        Of the labels.

    Returns
    -------
    Task, with ``models(seed)``, ``chance()``, ``error(y, predicted)`` and ``strata()``
    for splits

    Examples
    --------
    >>> task = task_of("classes", np.array(["a", "a", "b"]))
    >>> error, standard_error = task.error(task.y, np.array(["a", "b", "b"]))
    >>> round(task.chance(), 3), round(error, 3)
    (0.333, 0.333)
    """
    return {"classes": Classes, "labels": Labels, "value": Value}[kind](
        y, names
    )


class Task:
    """A target y, (n,) or (n, l), and what follows from its kind.

    `names` are those of the labels.
    """

    error_name = "error"
    is_value = False

    def __init__(self, y, names=()):
        self.y = y
        self.names = list(names)

    def of(self, y):
        """The same of other rows, or of another target."""
        return type(self)(y, self.names)

    def sample(self, most, seed, labelled=True):
        """Numbers of at most so many rows, drawn at random.

        Without a label any answer is wrong.
        """
        rows = np.sort(
            np.random.default_rng(seed).permutation(len(self.y))[:most]
        )
        return (
            rows[self.y[rows].any(axis=1)]
            if labelled and self.y.ndim == 2
            else rows
        )

    def models(self, seed=0):
        """Models by name, not fitted: linear, neighbours, and one with interactions."""
        return {
            "linear model": clone(self.linear),
            f"{N_NEIGHBORS} nearest neighbours": self.neighbours(N_NEIGHBORS),
            "random forest": clone(self.forest).set_params(
                n_estimators=TREES, min_samples_leaf=LEAF, random_state=seed
            ),
        }

    def usual_models(self, seed):
        """Three models to look at in the plane, of classes or a value."""
        return {
            self.linear_name: clone(self.linear),
            "random forest": clone(self.forest).set_params(random_state=seed),
            "SVM": self.svm(),
        }

    def strata(self):
        """Classes whose shares splits keep, or None."""
        return None

    def n_splits(self, groups, most=5):
        """Number of folds: at least 2, at most the groups of the rarest class."""
        _, first = np.unique(groups, return_index=True)
        rarest = len(first)
        if self.strata() is not None:
            rarest = np.unique(self.y[first], return_counts=True)[1].min()
        return max(2, min(most, rarest))

    def predictions(self, model, X, y, groups, seed):
        """Of each row, from a model that was fitted to the other folds."""
        strata = None if self.strata() is None else y
        splits = folds(strata, groups, self.n_splits(groups), seed)
        # of fits that did not converge: their error is measured
        with warnings.catch_warnings(action="ignore"):
            answers = [
                self._answers(model, X[train], y[train], X[test])
                for train, test in splits
            ]
        order = np.argsort(np.concatenate([test for _, test in splits]))
        return np.concatenate(answers)[order]

    def _answers(self, model, X, y, new):
        # of a rare class all rows are in the fold that is kept out
        if y.ndim == 1 and np.all(y == y[0]):
            return np.repeat(y[:1], len(new))
        if getattr(model, "n_neighbors", 0) > len(X):
            model.set_params(n_neighbors=len(X))
        return self.predict(model.fit(X, y), new)

    def predict(self, model, X):
        return model.predict(X)

    def error(self, y, predicted):
        """The error, and its standard error."""
        return self.from_losses(self.losses(y, predicted), y)

    def from_losses(self, loss, y):
        """The same from what each row loses."""
        return float(loss.mean()), deviation(loss)

    def percent(self, value):
        """An error in words."""
        return (
            f"{100 * value:.1f} %"
            if 0 < value < 0.1
            else f"{100 * value:.0f} %"
        )

    def chance_phrase(self):
        return f"chance {self.percent(self.chance())}"


def deviation(loss):
    """Standard error of the mean of losses of 0 and 1, as with one more of each.

    No wrong row of few is not certain.
    """
    # Laplace's rule: one more right and one more wrong
    share = (loss.sum() + 1) / (len(loss) + 2)
    return float(np.sqrt(share * (1 - share) / max(len(loss), 1)))


class Classes(Task):
    """Classes, (n,) of str."""

    error_name = "wrong classes"

    linear = LogisticRegression(max_iter=1000)
    linear_name = "logistic regression"
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()
    svm = SVC

    def strata(self):
        return self.y

    def chance(self):
        """Error of the answer that is most often right."""
        return 1 - float(np.unique(self.y, return_counts=True)[1].max()) / len(
            self.y
        )

    def losses(self, y, predicted):
        return (y != predicted).astype(float)


class Labels(Task):
    """Several labels per sample, (n, l) of 0 and 1."""

    error_name = "rows whose most probable label is none of theirs"

    linear = Ridge(PENALTY)
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()

    def predict(self, model, X):
        """Score of each label, (m, l): its probability where the model has such."""
        if not hasattr(model, "predict_proba"):
            return model.predict(X)
        # Of each label (m, 2), or (m, 1) where only one of 0 and 1 was met.
        each = zip(model.predict_proba(X), model.classes_, strict=True)
        return np.column_stack([p @ c for p, c in each])

    def chance(self):
        return 1 - float(self.y.mean(axis=0).max())

    def losses(self, y, predicted):
        return 1.0 - y[np.arange(len(y)), predicted.argmax(axis=1)]


class Value(Task):
    """A real value, (n,)."""

    error_name = "root mean squared error / standard deviation of the target"
    is_value = True

    linear = RidgeCV(PENALTIES)
    linear_name = "ridge regression"
    neighbours = KNeighborsRegressor
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
        # of the root of a mean, by the delta method
        standard = loss.std() / np.sqrt(len(loss)) / (2 * max(error, 1e-300))
        return error / scale, float(standard / scale)

    def percent(self, value):
        return f"{value:.2f}"


@dataclass(frozen=True, eq=False)
class Target:
    """The target of n samples that `show` draws; `read_target` makes one.

    Attributes
    ----------
    kind : "classes", "labels", "values" or None
        None: there is no target.
    y : ndarray of shape (n,) or (n, l)
        Numbers of classes or values, or labels as 0 and 1; zeros if there is none.
    names : list of str
        Of classes or labels.
    code : list of str
        Lines that make an array of `y`.
    colours : dict
        `labels` and `label_names` of an explorer.
    """

    kind: str | None
    y: np.ndarray
    names: list
    code: list
    colours: dict

    def describe_error(self, Z, fitted, kept_out):
        """What the nearest fitted samples in the map Z (n, 2) predict, in words.

        Of those `kept_out`, and of each other.
        """
        if self.kind is None:
            return ""
        if self.kind == "classes":
            task = Classes(self.y.astype(str))
        else:
            task = {"labels": Labels, "values": Value}[self.kind](self.y)
        y = task.y
        own = by_neighbours(Z[fitted], y[fitted], None, own=True)
        new = y[kept_out]
        if len(new):
            new = by_neighbours(Z[fitted], y[fitted], Z[kept_out])
        losses = task.losses(y[kept_out], new), task.losses(y[fitted], own)
        how = f"by the {N_NEIGHBORS} nearest"
        return self._error_sentence(how, *losses, fitted, kept_out)

    def describe_cell_error(self, Z, anchors, fitted, kept_out):
        """The same of the cells of label points (l, 2) that the samples lie in."""
        loss = (
            1.0
            - self._indicators()[np.arange(len(Z)), nearest_label(Z, anchors)]
        )
        losses = loss[kept_out], loss[fitted]
        return self._error_sentence("by the cell", *losses, fitted, kept_out)

    def restrict(self, fitted):
        """The same with the labels alone that a fitted sample has, and code for it."""
        if self.kind == "labels":
            used = self.y[fitted].any(axis=0)
            if not used.all():
                names = np.array(self.names)[used].tolist()
                code = ["y = y[:, y[fitted].any(axis=0)]"]
                return replace(self, y=self.y[:, used], names=names), code
        return self, []

    def _indicators(self):
        """Classes or labels as 0 and 1, (n, l)."""
        return (
            self.y
            if self.y.ndim == 2
            else np.eye(len(self.names), dtype=int)[self.y]
        )

    def _error_sentence(self, how, new, own, fitted, kept_out):
        """Losses of new samples and of fitted ones in words, and what chance loses."""
        rows = kept_out if kept_out.any() else fitted
        uncertainty = ""
        if self.kind == "values":
            what = f"Error {how}, in standard deviations of y"
            of = "in"
            unit = self.y[fitted].std() or 1.0
            chance = (self.y[rows] - self.y[fitted].mean()) ** 2

            def phrase(loss):
                return f"{np.sqrt(loss.mean()) / unit:.2f}"
        else:
            what = f"Right {how}"
            of = "of"
            Y = self._indicators()
            chance = 1 - Y[rows, Y[fitted].sum(axis=0).argmax()]
            uncertainty = f" (± {deviation(new):.1%})"

            def phrase(loss):
                return f"{1 - loss.mean():.1%}"

        kept = (
            "none kept out that differ from the fitted, so nothing is known of new"
            " samples"
        )
        if len(new):
            kept = f"kept out {phrase(new)}{uncertainty} {of} {len(new):,}"
        return (
            f"{what}: {kept}; fitted {phrase(own)} {of} {len(own):,}; chance"
            f" {phrase(chance)}."
        )


def read_target(y, n, label_names=None):
    """The target y of n samples as a `Target`.

    Numbers that measure something are values, others classes.

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
    first = (
        "y = y.toarray()" if scipy.sparse.issparse(y) else "y = np.asarray(y)"
    )
    if (
        values.size
        and values.size == len(values)
        and is_continuous(class_column(y))
    ):
        values = check_target(class_column(y), n)
        if label_names is not None:
            raise ValueError(
                "`label_names` must be None for values; `y` holds numbers that measure,"
                f" such as {values[0]:g}. Leave it out, or make classes by"
                " y.astype(str)."
            )
        return Target(
            "values", values, [], [first + ".astype(float).ravel()"], {}
        )
    labels = check_labels(y, n, name="y")
    names = class_names(label_names, labels)
    if labels.multilabel:
        Y = labels.Y.astype(int)
        _, sets, set_names = label_sets(Y, names)
        colours = {"labels": sets, "label_names": set_names}
        return Target("labels", Y, names, [first + ".astype(int)"], colours)
    codes = labels.Y.argmax(axis=1)
    code = [
        first + ".ravel()",
        "y = np.unique(y, return_inverse=True)[1]  # numbers of the classes",
    ]
    colours = {"labels": codes, "label_names": names}
    return Target("classes", codes, names, code, colours)


def target_of(columns, name, task, notes):
    """(task, DataFrame of its values with NaN) of the target among some Columns.

    A note says what it is taken as.
    """
    column = columns[name]
    if column.kind in ("date", "other"):
        other = "values that are neither numbers nor words"
        raise ValueError(
            f"`target` must hold classes or numbers; `{name}` holds"
            f" {'dates' if column.kind == 'date' else other}. Make one of these of"
            " them."
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
    if column.kind == "number" or task == "value":
        for row, value in known.items():
            if not is_number(str(value)) or abs(float(value)) > LARGEST:
                raise ValueError(
                    f"`target` must hold finite numbers up to {LARGEST:g}; `{name}` is"
                    f" {short_repr(value)} in {row}. Mend or empty it."
                )
    if distinct == 1:
        raise ValueError(
            f"`target` must vary; `{name}` is {short_repr(known.tolist()[0])} in every"
            " row. Choose another."
        )
    # whole numbers of few kinds are names of classes
    numbers = column.kind == "number" and not column.flags
    # as many as a legend can name
    few = distinct <= MOST_CLASSES_OF_NUMBERS and distinct < len(known) / 5
    is_value = numbers and not (few and np.all(np.mod(known, 1) == 0))
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
        if distinct == len(known):
            raise ValueError(
                f"`target` must repeat its classes; all {distinct:,} values of `{name}`"
                " are different. Choose another column or task."
            )
        values = column.value_words
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
                f" {short_repr(strange.iloc[0])} in {strange.index[0]}. Mend it, or"
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
            f" {short_list(map(short_repr, lone))}. Merge small classes."
        )
    if lone:
        notes.append(
            f"{count_phrase(len(lone), 'class')} with one row only, which is left out:"
            f" {short_list(lone)}."
        )
    return classes.isin(lone).to_numpy()
