"""Robust soft LVQ: a Gaussian about each prototype, and posterior probabilities."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.special import logsumexp

from ..core import (
    OptionalPositive,
    by_blocks,
    lbfgs,
    parameters,
    squared_distances,
)
from .classifier import PrototypeClassifier

# A learned variance, relative to the mean variance of a feature, stays within these
# limits: separable data would drive it to 0.
SIGMA2_LIMITS = (1e-6, 1e6)


@parameters
class RSLVQ(PrototypeClassifier):
    """Robust soft LVQ: prototypes as centres of equal Gaussians, fitted to the labels.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
        Number of prototypes of each class. They start at the class means, several of a
        class with small random deviations.
    sigma2 : float > 0 or None, default=None
        Variance of the Gaussians, in squared units of the features; None: learned with
        the prototypes.
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
    sigma2_ : float
        Variance used.
    history_ : dict of arrays
        With one entry per step, the start first: ``cost``, ``error``, ``sigma2``.
    n_iter_ : int
        Steps of the descent.

    Notes
    -----
    Minimises the mean of -ln P(y_i | x_i) with P(c | x) = sum_{k of class c} P(k | x)
    and ``P(k | x) = exp(-|x - w_k|^2 / (2 sigma^2)) / sum_l exp(-|x - w_l|^2 / (2
    sigma^2))``.

    References
    ----------
    Seo2003: Seo and Obermayer, "Soft learning vector quantization".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RSLVQ().fit(X, y)
    >>> model.predict_proba(X[:1]).round(2).tolist()
    [[1.0, 0.0, 0.0]]
    """

    _: KW_ONLY
    sigma2: OptionalPositive = None

    _recorded = "cost", "error", "sigma2"

    def _train(self, samples, W, rng):
        # Start: the variance given, or that about the nearest prototype
        unit2 = samples.unit**2
        is_learned = self.sigma2 is None
        if is_learned:
            variance = self._variance_about(W, samples)
        else:
            variance = self.sigma2 / unit2
        log_variance = np.log([variance])
        # The descent moves the prototypes, and ln sigma^2 where it is learned.
        start = [W]
        limits = [(None, None)]
        if is_learned:
            start.append(log_variance)
            limits.append(tuple(np.log(SIGMA2_LIMITS)))

        def objective(arrays):
            """Cost, gradients, and what is recorded, of W and maybe of ln sigma^2."""
            log_sigma2 = arrays[1] if is_learned else log_variance
            sigma2 = np.exp(log_sigma2.item())
            cost = rslvq_cost(samples, arrays[0], self._w_codes, sigma2)
            gradients = [cost.grad_W]
            if is_learned:
                gradients.append(cost.grad_log_sigma2)
            return cost.value, gradients, (cost.error, sigma2 * unit2)

        arrays, history = lbfgs(
            self,
            objective,
            start,
            record=lambda value, arrays, further: (value, *further),
            bounds=limits,
        )
        self._store(samples, arrays[0], history)
        self.sigma2_ = float(self.history_["sigma2"][-1])

    def _variance_about(self, W, samples):
        """Mean variance of a coordinate about the nearest prototype of the class.

        `samples` is a TrainingSet, W (p, r) are prototypes in its coordinates.
        """
        squared_to_nearest = []
        for X, codes in samples.blocks(len(W)):
            same_class = codes[:, None] == self._w_codes
            D = squared_distances(X, W)
            squared_to_nearest.append(
                D.min(axis=1, where=same_class, initial=np.inf)
            )
        variance = np.mean(np.concatenate(squared_to_nearest)) / samples.rank
        return np.clip(variance, *SIGMA2_LIMITS)

    @by_blocks
    def predict_proba(self, X):
        """Compute the posterior probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Probabilities of the classes, in the order of `classes_`; rows sum to 1.
        """
        return np.exp(self._scores(X))

    def _scores(self, X):
        """Log posterior probabilities (m, c) of the classes, of samples X (m, d)."""
        # A is -|x - w|^2 / (2 sigma^2), (m, p).
        A = self.distances(X) / (-2 * self.sigma2_)
        log_sums = []
        for c in range(len(self.classes_)):
            of_class = A[:, self._w_codes == c]
            log_sums.append(logsumexp(of_class, axis=1, keepdims=True))
        log_total = logsumexp(A, axis=1, keepdims=True)
        return np.hstack(log_sums) - log_total


@dataclass(frozen=True, kw_only=True)
class SoftCost:
    """The cost, the fraction of samples that are misclassified, and the gradients."""

    value: float
    error: float
    grad_W: np.ndarray  # (p, r)
    grad_log_sigma2: np.ndarray  # (1,)


def rslvq_cost(samples, W, w_codes, sigma2):
    """Mean of -ln P(y | x) and its gradients by W and ln sigma^2, a :class:`SoftCost`.

    With T = P(k | x) - P(k | x, y), the second being the fraction within the prototypes
    of the class y, dE/dW = T^T X - diag(T^T 1) W over sigma^2, and dE/d ln sigma^2 =
    sum T d / (2 sigma^2).

    `samples` is a TrainingSet, W (p, r) are prototypes of the classes `w_codes` (p,).
    """
    n = len(samples.X)
    value = 0.0
    error = 0.0
    grad_W = np.zeros_like(W)
    grad_log_sigma2 = 0.0
    members = np.eye(w_codes.max() + 1)[w_codes]  # (p, c)
    for X, codes in samples.blocks(len(W)):
        same_class = codes[:, None] == w_codes
        D = squared_distances(X, W)
        A = D / (-2 * sigma2)
        A -= A.max(axis=1, keepdims=True)
        P = np.exp(A)
        total = P.sum(axis=1)
        # The prototypes of the sample's class are scaled by themselves: their weights
        # may underflow beside the nearest.
        A_class = np.where(same_class, A, -np.inf)
        nearest = A_class.max(axis=1)
        P_class = np.exp(A_class - nearest[:, None])
        class_total = P_class.sum(axis=1)
        losses = np.log(total) - np.log(class_total) - nearest
        weights = np.full(len(losses), 1 / n)
        value += weights @ losses
        class_sums = P @ members
        of_true_class = class_sums[np.arange(len(X)), codes]
        is_wrong = class_sums.max(axis=1) > of_true_class
        error += np.count_nonzero(is_wrong) / n
        T = P / total[:, None] - P_class / class_total[:, None]
        T *= 1 / n
        of_prototypes = T.sum(axis=0)
        grad_W += (T.T @ X - of_prototypes[:, None] * W) / sigma2
        grad_log_sigma2 += np.sum(T * D) / (2 * sigma2)
    return SoftCost(
        value=float(value),
        error=float(error),
        grad_W=grad_W,
        grad_log_sigma2=np.array([grad_log_sigma2]),
    )
