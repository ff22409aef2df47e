"""What every classifier by prototypes shares: checked samples, starting prototypes, decisions by distance."""

from abc import ABC, abstractmethod
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.checks import check_magnitude, check_positive
from ..core.graphs import squared_distances
from ..core.labels import check_labels
from ..core.scaling import row_blocks
from .cost import project
from .prototypes import check_prototypes_per_class, initial_prototypes
from .samples import Samples

__all__ = ["DistanceClassifier", "PrototypeClassifier", "checked_descent"]


def check_max_iter(value, name="max_iter"):
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"`{name}` must be an integer >= 1, or left at its default; got {value!r}.")
    return int(value)


class PrototypeClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Reads samples and places prototypes; subclasses move them."""

    def fit(self, X, y):
        """Fit prototypes, and the metric where it is learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), at least two classes

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_magnitude(X)
        check_classification_targets(y)
        labels = check_labels(y, len(X), name="y")
        codes = labels.Y.argmax(axis=1)
        samples = Samples.of(X, codes, self._class_weights(labels.classes, codes))
        w_codes = check_prototypes_per_class(self.prototypes_per_class, labels.classes, samples.codes)
        rng = check_random_state(self.random_state)
        settings = self._checked(samples)
        W = initial_prototypes(samples, w_codes, self.prototype_init, rng)
        # only now, so that a refusal leaves an earlier fit as it was
        self.__dict__.update(settings, classes_=labels.classes, _w_codes=w_codes)
        self._descend(samples, W, rng)
        return self

    def _class_weights(self, classes, codes):
        given = self.class_weight
        if isinstance(given, dict):
            names = classes.tolist()
            if not set(given) <= set(names) or any(not check_positive(v, "class_weight") for v in given.values()):
                raise ValueError(f"`class_weight` must name classes in `y` ({names}); got {list(given)}.")
            return [given.get(name, 1.0) for name in names]
        if given is not None and not (isinstance(given, str) and given == "balanced"):
            raise ValueError(f'`class_weight` must be None, "balanced" or a dict from class to number; got {given!r}.')
        return compute_class_weight(given, classes=np.arange(len(classes)), y=codes)

    @abstractmethod
    def _checked(self, samples):
        """Parameters as the descent and later calls use them, a dict of attributes."""

    @abstractmethod
    def _descend(self, samples, W, rng):
        """Move the prototypes and store the results."""

    def _new(self, X):
        """Samples to place, checked."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        check_magnitude(X)
        return X

    def _store_prototypes(self, samples, W):
        self.prototypes_ = samples.back(W)
        self.prototype_labels_ = self.classes_[self._w_codes]
        self.mean_ = samples.center

    def predict(self, X):
        """Class of each sample.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
        """
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    @abstractmethod
    def _scores(self, X):
        """(m, c), the largest for the class predicted."""


class DistanceClassifier(PrototypeClassifier):
    """The nearest prototype decides."""

    def distances(self, X):
        """Squared distances (2) of samples to all prototypes.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, p)
        """
        X = self._new(X)
        D = np.empty((len(X), len(self.prototypes_)))
        for rows in row_blocks(len(X), X.shape[1]):
            for k, Omega in self._matrices():
                V = project(self.prototypes_[k] - self.mean_, Omega)
                D[rows, k] = squared_distances(project(X[rows] - self.mean_, Omega), V)
        return D

    @abstractmethod
    def _matrices(self):
        """Pairs of prototypes, as an index, and their matrix (n_features, M), None for the Euclidean metric."""

    def decision_function(self, X):
        """Margin of each class: relative distance of its nearest prototype to the nearest of all others.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, c), or (m,) for two classes, then of the second one
            (d_other - d_class) / (d_other + d_class), between -1 and 1: for the true class -e of (6). Positive for the
            class predicted, 0 on the boundary, scale-free, 0 where both distances are 0.
        """
        scores = self._scores(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Shares of the classes by inverse distance; not calibrated.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, c), rows sum to 1
            The share of class c is (1 / d_c) / sum_b (1 / d_b), d_c the squared distance to its nearest prototype: for
            two classes (1 + margin) / 2. It orders samples by their margin and has no model of frequencies behind
            it; scikit-learn's CalibratedClassifierCV turns margins into calibrated probabilities.
        """
        d = self._class_distances(X)
        least = d.min(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(d == least, 1.0, least / d)  # the nearest has 1, also at distance 0
        return shares / shares.sum(axis=1, keepdims=True)

    def _class_distances(self, X):
        D = self.distances(X)
        return np.column_stack([D[:, self._w_codes == c].min(axis=1) for c in range(len(self.classes_))])

    def _scores(self, X):
        d = self._class_distances(X)
        order = np.sort(d, axis=1)
        other = np.where(d == order[:, :1], order[:, 1:2], order[:, :1])
        total = d + other
        return np.divide(other - d, total, out=np.zeros_like(d), where=total > 0)


def checked_descent(estimator, max_iter):
    """Tolerance and number of iterations as numbers."""
    return {"_tol": check_positive(estimator.tol, "tol", zero=True), "_max_iter": check_max_iter(max_iter)}
