"""Targets: classes, real values or several labels, with losses, baseline and models.

Every loss has one form per kind of target. Errors are fractions of wrong classes; of
several labels the fraction of wrong labels (Hamming loss); of real values the root mean
squared error over the standard deviation. Scores, which decide between models and on
p-values, are Brier scores of probabilities, and squared errors.
"""

import warnings
from copy import copy

import numpy as np
from scipy.stats import norm, t
from sklearn.base import clone, is_regressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
)
from sklearn.svm import SVC, SVR

from ..core import (
    check_labels,
    check_target,
    class_column,
    class_names,
    label_array,
)
from ..plots.inputs import is_continuous
from .intervals import LEVEL, WIDER, row_weights

N_NEIGHBORS = 5
PENALTIES = tuple(10.0**k for k in range(-2, 5))  # of ridge regression
# of the linear model of many labels, which is fitted many times
PENALTY = 100.0
TREES, LEAF = 50, 3  # of a forest that is fitted many times


def as_target(y, n, label_names=None):
    """The target y (n,) or (n, l) as a `Target`, with numbers for classes.

    Numbers that measure something are values, others classes.

    Examples
    --------
    >>> as_target(["b", "a"], 2).y, as_target([0.5, 1.0], 2).kind
    (array([1, 0]), 'values')
    """
    values = label_array(y)
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
        return Values(values)
    labels = check_labels(y, n, name="y")
    names = class_names(label_names, labels)
    if labels.multilabel:
        return Labels(labels.Y.astype(int), names)
    return Classes(labels.Y.argmax(axis=1), names)


class Target:
    """A target y, (n,) or (n, l), and what follows from its kind.

    `names` are those of the labels or classes. Of no target y is zero.
    """

    kind = None
    is_value = False

    def __init__(self, y, names=()):
        self.y = y
        self.names = list(names)
        self.classes = np.unique(y)

    def of(self, y):
        """The same of another target y, (m,) or (m, l); the classes stay."""
        other = copy(self)
        other.y = y
        return other

    def sample(self, most, seed):
        """Numbers of at most so many rows, drawn at random."""
        rng = np.random.default_rng(seed)
        return np.sort(rng.permutation(len(self.y))[:most])

    def models(self, seed=0):
        """Models by name, not fitted: linear, neighbours, and one with interactions."""
        return {
            "linear model": clone(self.linear),
            f"{N_NEIGHBORS} nearest neighbours": self.neighbours(N_NEIGHBORS),
            # trees of indicators are those of classes, in less time
            "random forest": RandomForestRegressor(
                TREES,
                max_features=self.forest.max_features,
                min_samples_leaf=LEAF,
                random_state=seed,
            ),
        }

    def usual_models(self, seed):
        """Three models to look at in the plane, of classes or values."""
        return {
            self.linear_name: clone(self.linear),
            "random forest": clone(self.forest).set_params(random_state=seed),
            "SVM": self.svm(),
        }

    def strata(self):
        """Classes whose proportions splits preserve, or None."""
        return None

    def fit_predict(self, model, X, y, train, test):
        """Answers for rows `test` of X (n, p), of a model fitted to rows `train`."""
        known = y[train]
        # of a rare class all rows are held out
        if y.ndim == 1 and np.all(known == known[0]):
            return self.answers(known, np.zeros((len(test), 1), dtype=int))
        if getattr(model, "n_neighbors", 0) > len(train):
            model = clone(model).set_params(n_neighbors=len(train))
        if is_regressor(model):
            known = self.columns(known)
        # of fits that did not converge: their error is measured
        with warnings.catch_warnings(action="ignore"):
            return self.predict(model.fit(X[train], known), X[test])

    def columns(self, y):
        """A target y, (n,) or (n, l), as numbers to be predicted."""
        return y

    def predict(self, model, X):
        """Answers of a fitted model for X (m, p): values, or probabilities."""
        return model.predict(X)

    def answers(self, known, near):
        """Answers by targets `known` of neighbours `near` (m, k), the nearest first."""
        return known[near].mean(axis=1)

    def decide(self, answers):
        """What is predicted."""
        return answers

    def wrong(self, y, answers):
        """What each row of y (n,) or (n, l) loses by the decisions."""
        return self.losses(y, self.decide(answers))

    def losses(self, y, predicted):
        """What each row of y (n,) or (n, l) loses."""
        return np.abs(y - predicted).reshape(len(y), -1).mean(axis=1)

    def scores(self, y, answers):
        """The Brier score or squared error of each row of y (n,) or (n, l)."""
        return ((y - answers) ** 2).reshape(len(y), -1).mean(axis=1)

    def error(self, losses, y, weights=1.0):
        """The error of rows y with losses (n,); one for each row of weights (b, n).

        Rows without a loss (NaN) do not count.
        """
        weights = weights * np.isfinite(losses)
        return np.sum(np.nan_to_num(losses) * weights, axis=-1) / weights.sum(
            axis=-1
        )

    def resampled(self, losses, y, groups):
        """Errors (b,) of bootstrap samples of the groups, the same at each call."""
        return self.error(losses, y, row_weights(groups))

    def interval(self, losses, y, groups, level=LEVEL):
        """Interval (low, high) of the error of losses (n,); groups are the units."""
        error = self.error(losses, y)
        drawn = self.resampled(losses, y, groups)
        widest = np.quantile(abs(drawn - error), level)
        half = max(widest, norm.ppf((1 + level) / 2) * WIDER * drawn.std())
        return float(max(0.0, error - half)), float(error + half)

    def percent(self, value):
        """An error in words."""
        digits = 1 if 0 < abs(value) < 0.0995 else 0
        return f"{100 * value:.{digits}f} %"

    def span(self, interval):
        """An interval in words: "8 to 18 %"."""
        low, high = map(self.percent, interval)
        return f"{low.removesuffix(' %')} to {high}"

    def phrase(self, error, interval):
        """An error with its interval in brackets."""
        return f"{self.percent(error)} ({self.span(interval)})"

    def chance_phrase(self):
        """The baseline in words."""
        return f"baseline {self.percent(self.baseline())}"

    def near(self, Z, fitted, others, n_neighbors=N_NEIGHBORS):
        """Predictions for training rows and others, by neighbours in a map Z (n, 2).

        Neighbours are training rows, for a training row others than itself.
        """
        known = self.y[fitted]
        n = len(known)
        search = NearestNeighbors().fit(Z[fitted])
        own = search.kneighbors(None, min(n_neighbors, n - 1), False)
        if not len(self.y[others]):
            return self.answers(known, own), self.answers(known, own[:0])
        near = search.kneighbors(Z[others], min(n_neighbors, n), False)
        return self.answers(known, own), self.answers(known, near)


class Classes(Target):
    """Classes, (n,)."""

    kind = "classes"
    error_name = "wrong classes"

    linear = LogisticRegression(max_iter=1000)
    linear_name = "logistic regression"
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()
    svm = SVC

    def strata(self):
        return self.y

    def baseline(self):
        """Error of the answer that is most often right, counted."""
        counts = np.unique(self.y, return_counts=True)[1]
        return float((counts.sum() - counts.max()) / counts.sum())

    def predict(self, model, X):
        """Probabilities (m, c) for X (m, p)."""
        if is_regressor(model):
            return model.predict(X)
        P = np.zeros((len(X), len(self.classes)))
        at = np.searchsorted(self.classes, model.classes_)
        P[:, at] = model.predict_proba(X)
        # of votes: one more for each class
        k = getattr(model, "n_neighbors", 0)
        return (k * P + 1) / (k + P.shape[1]) if k else P

    def columns(self, y):
        """Indicators (n, c) of classes y (n,)."""
        return (y[:, None] == self.classes).astype(float)

    def answers(self, known, near):
        Y = self.columns(known)[near]
        # among classes of as many neighbours the nearer wins
        weights = 1 + 1e-6 * np.arange(near.shape[1], 0, -1)
        votes = np.tensordot(Y, weights, (1, 0)) + 1
        return votes / votes.sum(axis=1, keepdims=True)

    def decide(self, answers):
        return self.classes[answers.argmax(axis=1)]

    def losses(self, y, predicted):
        """1 for each row of y (n,) or (n, l) that is wrong."""
        return (y != predicted).astype(float)

    def scores(self, y, answers):
        """The Brier score of each row of y (n,) or (n, l)."""
        return ((answers - self.columns(y)) ** 2).sum(axis=1)

    def interval(self, losses, y, groups, level=LEVEL):
        """That of Wilson, with the groups as units; all are (n,)."""
        known = np.isfinite(losses)
        n = len(np.unique(groups[known]))
        tail = (1 + level) / 2
        z = norm.ppf(tail) if n == known.sum() else t.ppf(tail, n - 1)
        q = (WIDER * z) ** 2 / n
        error = losses[known].mean()
        half = np.sqrt(q * (error * (1 - error) + q / 4))
        return tuple(
            float(end / (1 + q)) for end in error + q / 2 + [-half, half]
        )


class Labels(Target):
    """Several labels per sample, (n, l) of 0 and 1.

    Examples
    --------
    >>> Labels(np.array([[1, 0], [1, 1], [1, 0]]), ["a", "b"]).baseline()
    0.16666666666666666
    """

    kind = "labels"
    error_name = "wrong labels"

    linear = Ridge(PENALTY)
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()

    def of_used(self, fitted):
        """The same of the labels that a fitted row has, and which these are, (l,)."""
        used = self.y[fitted].any(axis=0)
        names = np.array(self.names)[used].tolist()
        return Labels(self.y[:, used], names), used

    def predict(self, model, X):
        """Score of each label, (m, l): its probability where the model has such."""
        if not hasattr(model, "predict_proba"):
            return model.predict(X)
        # Of each label (m, 2), or (m, 1) where only one of 0 and 1 was met.
        each = zip(model.predict_proba(X), model.classes_, strict=True)
        return np.column_stack([p @ c for p, c in each])

    def decide(self, answers):
        return (answers > 0.5).astype(int)

    def baseline(self):
        """Error of the more frequent answer for each label."""
        share = self.y.mean(axis=0)
        return float(np.minimum(share, 1 - share).mean())


class Values(Target):
    """Real values, (n,).

    Examples
    --------
    >>> Values(np.array([1.0, 3.0])).losses(np.array([1.0, 3.0]), 2.0)
    array([1., 1.])
    """

    kind = "values"
    error_name = "standard deviations"
    is_value = True

    linear = RidgeCV(PENALTIES)
    linear_name = "ridge regression"
    neighbours = KNeighborsRegressor
    forest = RandomForestRegressor(max_features=1 / 3)

    def svm(self):
        """A support vector machine with slack in the unit of the target."""
        return SVR(C=float(np.std(self.y)))

    def baseline(self):
        """Error of the mean, in standard deviations."""
        return 1.0

    def losses(self, y, predicted):
        """Squared errors of the rows of y (n,) or (n, l)."""
        return (y - predicted) ** 2

    def interval(self, losses, y, groups, level=LEVEL):
        """That of a bootstrap, and what is above the baseline of y (n,): overfitted."""
        _, high = super().interval(losses, y, groups, level)
        error = self.error(losses, y)
        half = np.hypot(high - error, max(error - self.baseline(), 0))
        return max(0.0, float(error - half)), float(error + half)

    def error(self, losses, y, weights=1.0):
        """In standard deviations of y (n,) or (n, l); one for each row of weights."""
        weights = weights * np.isfinite(losses)
        mean = np.average(np.broadcast_to(y, weights.shape), -1, weights)
        squares = (y - mean[..., None]) ** 2 * weights
        sums = np.sum(np.nan_to_num(losses) * weights, axis=-1)
        return np.sqrt(sums / squares.sum(axis=-1))

    def percent(self, value):
        return f"{value:.2f}"
