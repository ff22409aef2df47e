"""GLVQ, and the base classes of prototype classifiers: checks and decisions."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY

import numpy as np

from ..core import (
    Count,
    Estimator,
    Flag,
    NotNegative,
    ScoreClassifier,
    Seed,
    by_blocks,
    check_classes,
    check_seed,
    fit_method,
    lbfgs,
    new_samples,
    parameters,
    row_blocks,
    squared_distances,
    training_samples,
)
from .cost import glvq_cost, project
from .training import TrainingSet, initial_prototypes, prototype_codes


@parameters
class PrototypeClassifier(ScoreClassifier, Estimator, ABC):
    """Checks samples and parameters; `_train` of a subclass is the method.

    Results that `_store` keeps of each step are named by `_recorded`, in `history_`.
    """

    prototypes_per_class: object = 1
    _: KW_ONLY
    tol: NotNegative = 1e-4
    max_iter: Count = 1000
    random_state: Seed = None
    verbose: Flag = False

    _recorded = "cost", "error"

    @fit_method
    def fit(self, X, y):
        """Fit prototypes, and the metric where it is learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target: classes, at least two, one per sample.

        Returns
        -------
        self : object
            The fitted classifier.

        Raises
        ------
        ValueError
            If a parameter violates its rule, if `y` has fewer than two classes, or if
            all samples are equal.
        """
        # Checks and names; all steps of the method are in `_train` of the class.
        samples = self._training_set(X, y)
        rng = check_seed(self.random_state)
        W = initial_prototypes(samples, self._w_codes, rng)
        self._train(samples, W, rng)
        return self

    def _training_set(self, X, y):
        """A TrainingSet of X (n, d) and y (n,); sets the classes of the prototypes."""
        X = training_samples(self, X)
        self.classes_, codes = check_classes(y, len(X))
        samples = TrainingSet.of(X, codes)
        self._w_codes = prototype_codes(
            self.prototypes_per_class, self.classes_, codes
        )
        return samples

    @abstractmethod
    def _train(self, samples, W, rng):
        """All steps of the method: cost, descent, results, which `_store` keeps.

        `samples` is a TrainingSet of coordinates (n, r), W (p, r) are the prototypes at
        the start, `rng` is a random generator.
        """

    def _store(self, samples, W, history):
        """Keep the prototypes W (p, r) and the `history` of the descent.

        `history` is a list of tuples of the `_recorded` values, one for the start and
        for each step.
        """
        self.prototypes_ = samples.to_data_space(W)
        self.prototype_labels_ = self.classes_[self._w_codes]
        self.mean_ = samples.center
        columns = zip(*history, strict=True)
        self.history_ = {
            name: np.array(column)
            for name, column in zip(self._recorded, columns, strict=True)
        }
        self.n_iter_ = len(history) - 1

    def distances(self, X):
        """Compute squared distances (2) of samples to the prototypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        D : ndarray of shape (n_samples, n_prototypes)
            Squared distances in the metric of the model.
        """
        X = new_samples(self, X)
        D = np.empty((len(X), len(self.prototypes_)))
        for rows in row_blocks(len(X), X.shape[1]):
            for prototypes, Omega in self._matrices():
                V = project(self.prototypes_[prototypes] - self.mean_, Omega)
                Z = project(X[rows] - self.mean_, Omega)
                D[rows, prototypes] = squared_distances(Z, V)
        return D

    def _matrices(self):
        """Pairs: an index of several prototypes, and their Omega (M, d).

        The index is a slice or a mask. Omega is None where the metric is Euclidean.
        """
        return [(slice(None), getattr(self, "omega_", None))]

    @abstractmethod
    def _scores(self, X):
        """Scores (m, c) of samples X (m, d), the largest for the class predicted."""


class DistanceClassifier(PrototypeClassifier):
    """Base class of classifiers that predict the class of the nearest prototype."""

    @by_blocks
    def decision_function(self, X):
        """Compute the margin of each class between its nearest prototype and others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        margins : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Margins (d_other - d_class) / (d_other + d_class), for two classes those of
            the second one. They are between -1 and 1: for the true class -e of (6).
            Positive for the predicted class, 0 on the decision boundary, scale-free, 0
            where both distances are 0.
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return scores[:, 1]
        return scores

    @by_blocks
    def predict_proba(self, X):
        """Compute class fractions by inverse distance; they are not calibrated.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Class fractions; rows sum to 1. The fraction of class c is (1 / d_c) / sum_b
            (1 / d_b), d_c the squared distance to its nearest prototype: for two
            classes (1 + margin) / 2. It orders samples by their margin and has no model
            of frequencies behind it; scikit-learn's CalibratedClassifierCV turns
            margins into calibrated probabilities.
        """
        d = self._class_distances(X)
        d_nearest = d.min(axis=1, keepdims=True)
        # The nearest has 1, also at distance 0.
        fractions = np.ones_like(d)
        np.divide(d_nearest, d, out=fractions, where=d > d_nearest)
        return fractions / fractions.sum(axis=1, keepdims=True)

    def _class_distances(self, X):
        """Squared distances (m, c) of X (m, d) to the nearest prototype per class."""
        D = self.distances(X)
        _, starts = np.unique(self._w_codes, return_index=True)
        return np.minimum.reduceat(D, starts, axis=1)

    def _scores(self, X):
        """Margins (m, c) of `decision_function`, of samples X (m, d)."""
        d = self._class_distances(X)
        rising = np.sort(d, axis=1)
        d_first = rising[:, :1]
        d_second = rising[:, 1:2]
        d_other = np.where(d == d_first, d_second, d_first)
        total = d + d_other
        margins = np.zeros_like(d)
        return np.divide(d_other - d, total, out=margins, where=total > 0)


class GLVQ(DistanceClassifier):
    """Generalised learning vector quantisation: prototypes in the Euclidean metric.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
        Number of prototypes of each class. They start at the class means, several of a
        class with small random deviations. All samples have equal weights, so that a
        rare class may end with no region at all: repeat its samples, or give it more
        prototypes.
    tol : float >= 0, default=1e-4
        L-BFGS stops when no entry of the gradient is larger (prototypes in units of the
        data's standard deviation). It also stops where a step lowers the cost by a
        fraction below tol^2 / 100.
    max_iter : int, default=1000
        Maximal number of iterations of L-BFGS.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator; an int makes results reproducible. Random
        are the starts of several prototypes of a class.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes, n_features)
        The prototypes.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        Class of each prototype.
    classes_ : ndarray of shape (n_classes,)
        Sorted class names.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    history_ : dict of arrays
        With one entry per step, the start first: ``cost``, ``error`` (of the nearest
        prototype).
    n_iter_ : int
        Steps of the descent.

    References
    ----------
    Sato and Yamada (1996); Biehl2012 (6) with a fixed metric, the special case of
    :class:`GMLVQ`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> GLVQ().fit(*load_iris(return_X_y=True)).prototypes_.shape
    (3, 4)
    """

    def _train(self, samples, W, rng):
        def objective(arrays):
            cost = glvq_cost(samples, arrays[0], self._w_codes, None)
            return cost.value, [cost.grad_W], cost.error

        [W], history = lbfgs(self, objective, [W])
        self._store(samples, W, history)
