"""Base classes of the prototype classifiers: training data and start, decisions by distance, the plane of a metric."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight

from ..core.checks import check_integer, check_positive, check_seed
from ..core.estimators import (
    by_blocks,
    new_samples,
    restore_on_failure,
    training_samples,
)
from ..core.graphs import squared_distances
from ..core.labels import check_classes, label_array
from ..core.metrics import LinearMap
from ..core.parameters import parameters
from ..core.scaling import row_blocks, warn_of_scales
from ..plots import MapDisplay
from .cost import project
from .training import TrainingSet, initial_prototypes, prototype_codes


@parameters
class PrototypeClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Reads samples and places prototypes; subclasses move them."""

    prototypes_per_class: object = 1
    _: KW_ONLY
    prototype_init: str = "means"
    tol: float = 1e-4
    max_iter: int = 1000
    class_weight: object = None
    random_state: object = None
    verbose: bool = False

    @restore_on_failure
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
        X = training_samples(self, X)
        warn_of_scales(X, self)
        self.classes_, codes = check_classes(y, len(X))
        samples = TrainingSet.of(X, codes, self._class_weights(self.classes_, codes))
        self._w_codes = prototype_codes(self.prototypes_per_class, self.classes_, codes)
        rng = check_seed(self.random_state)
        vars(self).update(self._checked(samples))
        self._descend(
            samples,
            initial_prototypes(samples, self._w_codes, self.prototype_init, rng),
            rng,
        )
        return self

    def _class_weights(self, classes, codes):
        given, names = self.class_weight, classes.tolist()
        if isinstance(given, dict):
            if not set(given) <= set(names):
                raise ValueError(
                    f"`class_weight` must name classes in `y` ({names}); got"
                    f" {list(given)}."
                )
            return [
                check_positive(given.get(name, 1.0), "class_weight") for name in names
            ]
        if given is not None and not (isinstance(given, str) and given == "balanced"):
            raise ValueError(
                '`class_weight` must be None, "balanced" or a dict from class to'
                f" number; got {given!r}."
            )
        return compute_class_weight(given, classes=np.arange(len(classes)), y=codes)

    def _checked(self, samples, default=None):
        """Parameters as the descent and later calls use them, a dict of attributes; `default` is that of `max_iter`."""
        descent = {
            "tol": check_positive(self.tol, "tol", zero=True),
            "max_iter": check_integer(
                default if self.max_iter is None else self.max_iter, "max_iter"
            ),
            "verbose": self.verbose,
        }
        return {"_descent": descent}

    @abstractmethod
    def _descend(self, samples, W, rng):
        """Move the prototypes and store the results."""

    def _store(self, samples, W, history):
        self.prototypes_ = samples.back(W)
        self.prototype_labels_ = self.classes_[self._w_codes]
        self.mean_ = samples.center
        self.history_, self.n_iter_ = history, len(history["cost"]) - 1

    def distances(self, X):
        """Squared distances (2) of samples X (m, n_features) to all prototypes, an ndarray of shape (m, p)."""
        X = new_samples(self, X)
        D = np.empty((len(X), len(self.prototypes_)))
        for rows in row_blocks(len(X), X.shape[1]):
            for k, Omega in self._matrices():
                V = project(self.prototypes_[k] - self.mean_, Omega)
                D[rows, k] = squared_distances(project(X[rows] - self.mean_, Omega), V)
        return D

    def _matrices(self):
        """Pairs of prototypes, as an index, and their matrix (M, n_features), None for the Euclidean metric."""
        return [(slice(None), getattr(self, "omega_", None))]

    @by_blocks
    def predict(self, X):
        """Class of each sample in X (m, n_features), an ndarray of shape (m,)."""
        scores = self._scores(X)  # first, for it says that a model is not fitted
        return self.classes_[scores.argmax(axis=1)]

    @abstractmethod
    def _scores(self, X):
        """(m, c), the largest for the class predicted."""


class DistanceClassifier(PrototypeClassifier):
    """The nearest prototype decides."""

    @by_blocks
    def decision_function(self, X):
        """Margin of each class: relative distance of its nearest prototype to the nearest of all others.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, c), or (m,) for two classes, then of the second one
            (d_other - d_class) / (d_other + d_class), between -1 and 1: for the true
            class -e of (6). Positive for the class predicted, 0 on the boundary,
            scale-free, 0 where both distances are 0.
        """
        scores = self._scores(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    @by_blocks
    def predict_proba(self, X):
        """Class fractions by inverse distance; not calibrated.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, c), rows sum to 1
            The fraction of class c is (1 / d_c) / sum_b (1 / d_b), d_c the squared
            distance to its nearest prototype: for two classes (1 + margin) / 2. It
            orders samples by their margin and has no model of frequencies behind it;
            scikit-learn's CalibratedClassifierCV turns margins into calibrated
            probabilities.
        """
        d = self._class_distances(X)
        least = d.min(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            # the nearest has 1, also at distance 0
            fractions = np.where(d == least, 1.0, least / d)
        return fractions / fractions.sum(axis=1, keepdims=True)

    def _class_distances(self, X):
        D = self.distances(X)
        return np.column_stack(
            [D[:, self._w_codes == c].min(axis=1) for c in range(len(self.classes_))]
        )

    def _scores(self, X):
        d = self._class_distances(X)
        order = np.sort(d, axis=1)
        other = np.where(d == order[:, :1], order[:, 1:2], order[:, :1])
        total = d + other
        return np.divide(other - d, total, out=np.zeros_like(d), where=total > 0)


class PrototypeMap(LinearMap):
    """`transform` about `mean_`, and `plot`, for classifiers with `components_` and prototypes."""

    def _project(self, X):
        return super()._project(X - self.mean_)

    def plot(self, X, y, ax=None, *, title="", class_names=None, **options):
        """Draw samples, and prototypes as stars, in the plane of the two leading directions.

        `X` is what `fit` was given: in a pipeline,
        ``pipeline[-1].plot(pipeline[:-1].transform(X), y)``.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,), classes known to the model
        ax : matplotlib Axes, optional
        title : str
        class_names : sequence of str, optional, in the order of `classes_`
        options : further arguments of :meth:`toolkit.plots.MapDisplay.plot`

        Returns
        -------
        MapDisplay
        """
        Z = self.transform(X)
        if Z.shape[1] != 2:
            raise ValueError(
                f"A picture needs a map of two dimensions; got {Z.shape[1]}. Fit with"
                " `n_components=2`, or with `rank=2` where there is no such parameter."
            )
        display = MapDisplay(
            Z,
            label_array(y),
            class_names,
            prototypes=self._project(self.prototypes_),
            prototype_labels=self.prototype_labels_,
            classes=self.classes_,
        )
        return display.plot(ax, title=title, **options)


def history_of(steps, *names):
    """Arrays with one entry per step, from one tuple per step."""
    return {
        name: np.array(values)
        for name, values in zip(names, zip(*steps, strict=True), strict=True)
    }
