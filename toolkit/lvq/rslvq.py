"""Robust soft LVQ: a Gaussian about each prototype, and posterior probabilities."""

import numpy as np
from scipy.special import logsumexp

from ..core import OPTIONAL_POSITIVE, by_blocks, parameters, squared_distances
from .classifier import PrototypeClassifier

# Of a learned variance, relative to the mean variance of a feature: separable data
# would drive it to 0.
SIGMA2_LIMITS = (1e-6, 1e6)


@parameters
class RSLVQ(PrototypeClassifier):
    """Robust soft LVQ: prototypes as centres of equal Gaussians, fitted to the labels.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
        Number of prototypes of each class. They start at the class means, several of a
        class with small random deviations.
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
    sigma2 : float > 0 or None, default=None
        Variance of the Gaussians, in squared units of the features; None: learned with
        the prototypes.

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

    sigma2: OPTIONAL_POSITIVE = None

    _recorded = "cost", "error", "sigma2"

    def _train(self, samples, W, rng):
        # Start: the variance given, or that about the nearest prototype
        unit2 = samples.unit**2
        if self.sigma2 is None:
            nearest = [
                squared_distances(X, W).min(
                    axis=1,
                    where=codes[:, None] == self._w_codes,
                    initial=np.inf,
                )
                for X, codes in samples.blocks(len(W))
            ]
            variance = np.mean(np.concatenate(nearest)) / samples.rank
            variance = np.clip(variance, *SIGMA2_LIMITS)
        else:
            variance = self.sigma2 / unit2
        start = [W, np.log([variance])]
        # the descent moves the prototypes, and ln sigma^2 where it is learned
        n = 2 if self.sigma2 is None else 1

        def objective(arrays):
            W, log_sigma2 = [*arrays, start[1]][:2]
            sigma2 = np.exp(log_sigma2.item())
            value, error, *by = rslvq_cost(samples, W, self._w_codes, sigma2)
            return value, by[:n], (error, sigma2 * unit2)

        [W, *_], steps = self._lbfgs(
            objective,
            start[:n],
            record=lambda value, arrays, further: (value, *further),
            bounds=[(None, None), tuple(np.log(SIGMA2_LIMITS))][:n],
        )
        self._store(samples, W, steps)
        self.sigma2_ = float(steps[-1][2])

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
        # -|x - w|^2 / (2 sigma^2), (m, p)
        A = self.distances(X) / (-2 * self.sigma2_)
        groups = [
            logsumexp(A[:, self._w_codes == c], axis=1, keepdims=True)
            for c in range(len(self.classes_))
        ]
        return np.hstack(groups) - logsumexp(A, axis=1, keepdims=True)


def rslvq_cost(samples, W, w_codes, sigma2):
    """Mean of -ln P(y | x), fraction of wrong classes, gradients by W and ln sigma^2.

    With T = P(k | x) - P(k | x, y), the second being the fraction within the prototypes
    of the class y, dE/dW = T^T X - diag(T^T 1) W over sigma^2, and dE/d ln sigma^2 =
    sum T d / (2 sigma^2).
    """
    n = len(samples.X)
    value = error = grad_log_sigma2 = 0.0
    grad_W = np.zeros_like(W)
    members = np.eye(w_codes.max() + 1)[w_codes]  # (p, c)
    for X, codes in samples.blocks(len(W)):
        own = codes[:, None] == w_codes
        D = squared_distances(X, W)
        A = D / (-2 * sigma2)
        A -= A.max(axis=1, keepdims=True)
        P = np.exp(A)
        total = P.sum(axis=1)
        # the sample's own prototypes scaled by themselves: their weights may underflow
        # beside the nearest
        A = np.where(own, A, -np.inf)
        nearest = A.max(axis=1)
        P_own = np.exp(A - nearest[:, None])
        of_class = P_own.sum(axis=1)
        losses = np.log(total) - np.log(of_class) - nearest
        value += np.full(len(losses), 1 / n) @ losses
        classes = P @ members
        wrong = classes.max(axis=1) > classes[np.arange(len(X)), codes]
        error += np.count_nonzero(wrong) / n
        T = P / total[:, None] - P_own / of_class[:, None]
        T *= 1 / n
        grad_W += (T.T @ X - T.sum(axis=0)[:, None] * W) / sigma2
        grad_log_sigma2 += np.sum(T * D) / (2 * sigma2)
    return float(value), float(error), grad_W, np.array([grad_log_sigma2])
