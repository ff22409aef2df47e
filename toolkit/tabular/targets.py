"""The target: classes, a real value, or several labels; its models, error and chance.

Errors are fractions of wrong classes; of several labels the fraction of rows whose most
probable label is none of theirs (one-error); of a real value the root mean squared
error over the standard deviation of the target.
"""

import warnings

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
)
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
from .embedders import N_NEIGHBORS, PENALTIES, vote
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

    `names` are those of the labels or classes. Of no target y is zero.
    """

    kind = None
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
        answers = []
        # of fits that did not converge: their error is measured
        with warnings.catch_warnings(action="ignore"):
            for train, test in splits:
                known = y[train]
                # of a rare class all rows are in the fold that is kept out
                if y.ndim == 1 and np.all(known == known[0]):
                    answers.append(np.repeat(known[:1], len(test)))
                    continue
                if getattr(model, "n_neighbors", 0) > len(train):
                    model.set_params(n_neighbors=len(train))
                model.fit(X[train], known)
                answers.append(self.predict(model, X[test]))
        order = np.argsort(np.concatenate([test for _, test in splits]))
        return np.concatenate(answers)[order]

    def predict(self, model, X):
        return model.predict(X)

    def error(self, y, predicted):
        """The error, and its standard error."""
        return self.from_losses(self.losses(y, predicted), y)

    def from_losses(self, loss, y):
        """The same from what each row loses.

        The standard error is that with one more right and one more wrong row (Laplace),
        as no wrong row of few is not certain.
        """
        share = (loss.sum() + 1) / (len(loss) + 2)
        deviation = np.sqrt(share * (1 - share) / max(len(loss), 1))
        return float(loss.mean()), float(deviation)

    def percent(self, value):
        """An error in words."""
        return (
            f"{100 * value:.1f} %"
            if 0 < value < 0.1
            else f"{100 * value:.0f} %"
        )

    def chance_phrase(self):
        return f"chance {self.percent(self.chance())}"

    def losses_near(self, Z, fitted, others):
        """Losses of fitted rows and of others, told by neighbours in a map Z (n, 2).

        These are five fitted rows, for a fitted row others than itself.
        """
        # numbers of classes are names
        y = self.y.astype(str) if self.kind == "classes" else self.y
        known = y[fitted]
        answers = y[others]
        n = len(known)
        search = NearestNeighbors().fit(Z[fitted])
        own = search.kneighbors(None, min(N_NEIGHBORS, n - 1), False)
        if len(answers):
            near = search.kneighbors(Z[others], min(N_NEIGHBORS, n), False)
            answers = vote(known, near)
        return self.losses(known, vote(known, own)), self.losses(
            y[others], answers
        )

    def describe_map(self, Z, fitted, kept_out, anchors=None):
        """What a map Z (n, 2) tells of rows kept out and of fitted ones, in words.

        By their nearest fitted rows, or by the label points whose cells they lie in.
        """
        if self.kind is None:
            return ""
        Y = self.y
        if self.kind == "classes":
            Y = np.eye(len(self.names), dtype=int)[Y]
        if anchors is None:
            how = f"by the {N_NEIGHBORS} nearest"
            own, new = self.losses_near(Z, fitted, kept_out)
        else:
            how = "by the cell"
            loss = 1.0 - Y[np.arange(len(Z)), nearest_label(Z, anchors)]
            own, new = loss[fitted], loss[kept_out]
        rows = kept_out if kept_out.any() else fitted
        if self.is_value:
            what, of = f"Error {how}, in standard deviations of y", "in"
            chance = (Y[rows] - Y[fitted].mean()) ** 2
        else:
            what, of = f"Right {how}", "of"
            chance = 1 - Y[rows, Y[fitted].sum(axis=0).argmax()]

        def phrase(loss, deviation=""):
            error, _ = self.from_losses(loss, Y[fitted])
            return (
                f"{error:.2f}"
                if self.is_value
                else f"{1 - error:.1%}{deviation}"
            )

        kept = (
            "none kept out that differ from the fitted, so nothing is known of new"
            " samples"
        )
        if len(new):
            deviation = f" (± {self.from_losses(new, Y)[1]:.1%})"
            kept = f"kept out {phrase(new, deviation)} {of} {len(new):,}"
        return (
            f"{what}: {kept}; fitted {phrase(own)} {of} {len(own):,}; chance"
            f" {phrase(chance)}."
        )


class Classes(Task):
    """Classes, (n,) of str."""

    kind = "classes"
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

    kind = "labels"
    error_name = "rows whose most probable label is none of theirs"

    linear = Ridge(PENALTY)
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()

    def of_used(self, fitted):
        """The same of the labels that a fitted row has, and which these are, (l,)."""
        used = self.y[fitted].any(axis=0)
        return Labels(
            self.y[:, used], np.array(self.names)[used].tolist()
        ), used

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

    kind = "values"
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


def read_target(y, n, label_names=None):
    """The target y of n samples: a `Task`, its code, and `labels` of an explorer.

    Classes are numbers here. Numbers that measure something are values, others
    classes.

    Examples
    --------
    >>> task, code, colours = read_target(["b", "a"], 2)
    >>> task.y, colours["label_names"], read_target([0.5, 1.0], 2)[0].kind
    (array([1, 0]), ['a', 'b'], 'values')
    """
    if y is None:
        if label_names is not None:
            raise ValueError(
                "`label_names` must be None without `y`; got names. Give `y`, too."
            )
        return Task(np.zeros(n)), ["y = np.zeros(len(A))"], {}
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
        return Value(values), [first + ".astype(float).ravel()"], {}
    labels = check_labels(y, n, name="y")
    names = class_names(label_names, labels)
    if labels.multilabel:
        task = Labels(labels.Y.astype(int), names)
        code = [first + ".astype(int)"]
        _, shown, names = label_sets(task.y, names)
    else:
        shown = labels.Y.argmax(axis=1)
        task = Classes(shown, names)
        code = [
            first + ".ravel()",
            "y = np.unique(y, return_inverse=True)[1]  # numbers of the classes",
        ]
    return task, code, {"labels": shown, "label_names": names}


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
