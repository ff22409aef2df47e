"""Kinds of targets: classes, several labels, or real values; errors of two compared.

Errors are fractions of wrong classes; of several labels the fraction of wrong labels
(Hamming loss); of real values the root mean squared error over the standard deviation.
Scores, which decide between models and on p-values, are Brier scores of probabilities,
and squared errors.
"""

import numpy as np
from sklearn.base import is_regressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from ..core import (
    check_flags,
    check_fraction,
    check_labels,
    check_target,
    class_column,
    class_names,
    is_rare,
    kind_of_target,
    label_array,
    require,
)
from .intervals import INTERVAL_LEVEL, difference, units_of, wilson_interval
from .models import LABELS_PENALTY, RIDGE_PENALTIES
from .target import Target


def as_target(y, n, label_names=None):
    """Return a target as a `Target`, with numbers for classes.

    Numbers that measure something are values, others classes.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Classes, values, or labels as 0 and 1.
    n : int
        Number of samples.
    label_names : sequence of str, optional
        Names of the classes in sorted order, or of the labels.

    Returns
    -------
    target : Target
        Target of class `Classes`, `Labels` or `Values`.

    Examples
    --------
    >>> as_target(["b", "a"], 2).y, as_target([0.5, 1.0], 2).kind
    (array([1, 0]), 'values')
    """
    values = label_array(y)
    if (
        values.size
        and values.size == len(values)
        and kind_of_target(y) == "value"
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


class Classes(Target):
    """A target of classes, one per sample.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Classes.
    names : sequence of str, default=()
        Names of the classes.

    Examples
    --------
    >>> Classes(np.array([0, 0, 1, 0]), ["a", "b"]).baseline()
    0.25
    """

    kind = "classes"
    error_name = "wrong classes"

    linear = LogisticRegression(max_iter=1000)
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()

    def __init__(self, y, names=()):
        super().__init__(y, names)
        counts = np.unique(y, return_counts=True)[1]
        by_count = np.argsort(counts, kind="stable")
        n_rare = is_rare(counts).sum()
        self.rare_classes = self.classes[by_count[:n_rare]]

    def strata(self):
        return self.y

    def baseline(self):
        """Compute the error of always predicting the most frequent class.

        Returns
        -------
        error : float
            Fraction of samples of other classes.
        """
        counts = np.bincount(units_of(self.y), self.weights)
        return float((counts.sum() - counts.max()) / counts.sum())

    def columns(self, y):
        return (y[:, None] == self.classes).astype(float)

    def predict(self, model, X):
        if is_regressor(model):
            return model.predict(X)
        # Classes that the model was not fitted to have the probability 0.
        P = np.zeros((len(X), len(self.classes)))
        columns = np.searchsorted(self.classes, model.classes_)
        P[:, columns] = model.predict_proba(X)
        k = getattr(model, "n_neighbors", 0)
        if not k:
            return P
        # Each class gets one more vote than it has neighbours.
        return (k * P + 1) / (k + P.shape[1])

    def neighbor_predictions(self, y, nearest):
        indicators = self.columns(y)[nearest]
        k = indicators.shape[1]
        # The nearer class wins where two have as many neighbours.
        weights = 1 + 1e-6 * np.arange(k, 0, -1)
        votes = np.tensordot(indicators, weights, (1, 0)) + 1
        return votes / votes.sum(axis=1, keepdims=True)

    def decide(self, predictions):
        return self.classes[predictions.argmax(axis=1)]

    def losses(self, predicted):
        return (self.y != predicted).astype(float)

    def scores(self, predictions):
        return ((predictions - self.columns(self.y)) ** 2).sum(axis=1)

    def interval(self, losses, groups, level=INTERVAL_LEVEL):
        return wilson_interval(losses, groups, level, self.weights)

    def name_of(self, label):
        """Return the name of a class.

        Parameters
        ----------
        label : object
            One of the `classes`.

        Returns
        -------
        name : str
            Its name; the class itself where there are no names.
        """
        names = self.names or self.classes
        return str(names[np.searchsorted(self.classes, label)])


class Labels(Target):
    """A target of several labels per sample, 0 or 1.

    Parameters
    ----------
    y : ndarray of shape (n_samples, n_labels)
        Labels as 0 and 1.
    names : sequence of str, default=()
        Names of the labels.

    Examples
    --------
    >>> Labels(np.array([[1, 0], [1, 1], [1, 0]]), ["a", "b"]).baseline()
    0.16666666666666666
    """

    kind = "labels"
    error_name = "wrong labels"

    linear = Ridge(LABELS_PENALTY)
    neighbours = KNeighborsClassifier
    forest = RandomForestClassifier()

    def of_used(self, fitted):
        """Keep the labels that a fitted row has.

        Parameters
        ----------
        fitted : ndarray of int, shape (n_fitted,)
            Numbers of the training rows.

        Returns
        -------
        target : Labels
            Target of these labels.
        used : ndarray of bool, shape (n_labels,)
            Which labels these are.
        """
        used = self.y[fitted].any(axis=0)
        names = np.array(self.names)[used].tolist()
        return Labels(self.y[:, used], names), used

    def baseline(self):
        """Compute the error of predicting the more frequent value of each label.

        Returns
        -------
        error : float
            Mean over the labels.
        """
        fractions = self.y.mean(axis=0)
        return float(np.minimum(fractions, 1 - fractions).mean())

    def predict(self, model, X):
        if not hasattr(model, "predict_proba"):
            return model.predict(X)
        scores = []
        labels = zip(model.predict_proba(X), model.classes_, strict=True)
        # P is (n, 2), or (n, 1) for a label of which only one of 0 and 1 was fitted.
        for P, values in labels:
            scores.append(P @ values)
        return np.column_stack(scores)

    def decide(self, predictions):
        return (predictions > 0.5).astype(int)


class Values(Target):
    """A target of real values, one per sample.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Values.
    names : sequence of str, default=()
        Not used.

    Examples
    --------
    >>> Values(np.array([1.0, 3.0])).losses(2.0)
    array([1., 1.])
    """

    kind = "values"
    error_name = "standard deviations"
    is_value = True

    linear = RidgeCV(RIDGE_PENALTIES)
    neighbours = KNeighborsRegressor
    forest = RandomForestRegressor(max_features=1 / 3)

    def baseline(self):
        """Return the error of predicting the mean, in standard deviations.

        Returns
        -------
        error : float
            Always 1.
        """
        return 1.0

    def losses(self, predicted):
        return (self.y - predicted) ** 2

    def error(self, losses, weights=1.0):
        weights = weights * np.isfinite(losses)
        mean = np.average(np.broadcast_to(self.y, weights.shape), -1, weights)
        squares = (self.y - mean[..., None]) ** 2 * weights
        sums = np.sum(np.nan_to_num(losses) * weights, axis=-1)
        return np.sqrt(sums / squares.sum(axis=-1))

    def interval(self, losses, groups, level=INTERVAL_LEVEL):
        _, upper_end = super().interval(losses, groups, level)
        error = self.error(losses)
        excess = max(error - self.baseline(), 0)
        half_width = np.hypot(upper_end - error, excess)
        return max(0.0, float(error - half_width)), float(error + half_width)


def compare_misses(misses, other_misses, level=INTERVAL_LEVEL):
    """Compare the errors of two classifiers or maps on the same samples.

    Parameters
    ----------
    misses : array-like of bool, shape (n_samples,)
        Whether the first one misclassifies each sample.
    other_misses : array-like of bool, shape (n_samples,)
        Whether the second one does.
    level : float, default=0.9
        Level of the interval of the difference.

    Returns
    -------
    text : str
        By how much the first error is larger or smaller, with the interval. If that
        contains 0, the difference is not decided.

    Examples
    --------
    >>> compare_misses([True, False, False, False] * 50, [False] * 200)
    'larger by 25 percentage points (90 % interval 19 to 31)'
    """
    first = check_flags(misses, "misses", np.size(misses))
    second = check_flags(other_misses, "other_misses", np.size(misses))
    require(len(first) > 0, "misses", "of a sample or more", misses)
    check_fraction(level, "level", ends=False)
    target = Classes(np.arange(len(first)) % 2)
    gain = difference(target, first, second, np.arange(len(first)), level)
    return target.difference_phrase(*gain, level)
