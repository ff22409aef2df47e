"""Robust soft LVQ: a Gaussian about each prototype, and the posterior probabilities that follow."""

import numpy as np
from scipy.special import logsumexp, softmax

from ..core.checks import check_positive
from ..core.descent import lbfgs
from ..core.graphs import squared_distances
from ..core.scaling import row_blocks
from .classifier import PrototypeClassifier, checked_descent

__all__ = ["RSLVQ"]

SIGMA2_LIMITS = (1e-6, 1e6)
"""Of a learned variance, relative to the mean variance of a feature: separable data would drive it to 0."""


class RSLVQ(PrototypeClassifier):
    """Robust soft learning vector quantisation: prototypes as centres of equal Gaussians, fitted to the labels.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
    sigma2 : float or None, default=None
        Variance of the Gaussians, in squared units of the features; None: learned with the prototypes.
    prototype_init : {"means", "kmeans"}, default="means"
        Start: class means, several prototypes of a class with small random deviations; or k-means in each class.
    tol : float, default=1e-4
        L-BFGS stops when no entry of the gradient is larger (prototypes in units of the data's spread), or where the
        cost hardly falls any more: a share tol^2 / 100 a step.
    max_iter : int, default=1000
    class_weight : None, "balanced" or dict from class to number > 0, default=None
        Weight of a sample in the mean cost, by its class; balanced: each class counts the same. Without it a rare
        class may end with no region at all.
    random_state : int, RandomState or None
        Decides everything random: several prototypes of a class, k-means; a number makes fits repeat.

    Attributes
    ----------
    prototypes_ : ndarray of shape (p, n_features)
    prototype_labels_ : ndarray of shape (p,)
    sigma2_ : float
    classes_ : ndarray of shape (c,)
    mean_ : ndarray of shape (n_features,)
    history_ : dict of arrays with one entry a step: ``cost``, ``error``, ``sigma2``
    n_iter_ : int

    Notes
    -----
    Minimises the mean of -ln P(y_i | x_i), weighted where classes are, with P(c | x) = sum_{k of class c} P(k | x) and
    P(k | x) = exp(-|x - w_k|^2 / (2 sigma^2)) / sum_l exp(-|x - w_l|^2 / (2 sigma^2)).

    References
    ----------
    Seo2003: Seo and Obermayer, "Soft learning vector quantization".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RSLVQ().fit(X, y)
    >>> model.predict_proba(X[:1]).round(2).tolist(), model.proba_gradient(X[:1]).shape
    ([[1.0, 0.0, 0.0]], (1, 3, 4))
    """

    def __init__(
        self,
        prototypes_per_class=1,
        *,
        sigma2=None,
        prototype_init="means",
        tol=1e-4,
        max_iter=1000,
        class_weight=None,
        random_state=None,
    ):
        self.prototypes_per_class = prototypes_per_class
        self.sigma2 = sigma2
        self.prototype_init = prototype_init
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def _checked(self, samples):
        if self.sigma2 is not None:
            check_positive(self.sigma2, "sigma2")
        return checked_descent(self, self.max_iter)

    def _descend(self, samples, W, rng):
        learned, steps = self.sigma2 is None, []
        if learned:
            nearest = [
                np.where(codes[:, None] == self._w_codes, squared_distances(B, W), np.inf).min(axis=1)
                for B, codes, _ in samples.blocks(len(W))
            ]
            start = np.mean(np.concatenate(nearest)) / samples.rank  # of a feature about the nearest prototype
        else:
            start = self.sigma2 / samples.unit**2
        log_sigma2 = np.log(np.clip(start, *SIGMA2_LIMITS) if learned else start)

        def objective(arrays):
            value, error, grad_W, grad_sigma = rslvq_cost(
                samples, arrays[0], self._w_codes, np.exp(arrays[1].item() if learned else log_sigma2)
            )
            return value, [grad_W, np.array([grad_sigma])][: 1 + learned], error

        def watch(value, arrays, error):
            sigma2 = np.exp(arrays[1].item() if learned else log_sigma2) * samples.unit**2
            steps.append((value, error, sigma2))

        [W, *_] = lbfgs(
            objective,
            [W, np.array([log_sigma2])][: 1 + learned],
            tol=self._tol,
            max_iter=self._max_iter,
            watch=watch,
            bounds=[(None, None), tuple(np.log(SIGMA2_LIMITS))][: 1 + learned],
        )
        self._store_prototypes(samples, W)
        self.history_ = dict(zip(("cost", "error", "sigma2"), np.array(steps).T, strict=True))
        self.sigma2_ = float(steps[-1][2])
        self.n_iter_ = len(steps) - 1

    def predict_proba(self, X):
        """Posterior probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, c), rows sum to 1
        """
        return np.exp(self._scores(X))

    def log_posterior(self, X):
        """Logarithms of :meth:`predict_proba`, finite where probabilities underflow."""
        return self._scores(X)

    def proba_gradient(self, X):
        """Derivatives of the posterior probabilities by the features.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, c, n_features)
            dP(c|x)/dx = [sum_{k of c} P(k|x) w_k - P(c|x) sum_k P(k|x) w_k] / sigma^2.
        """
        P = softmax(self._log_weights(X), axis=1)
        W = self.prototypes_ - self.mean_
        bears = (self._w_codes == np.arange(len(self.classes_))[:, None]).astype(float)  # (c, p)
        of_class = (P[:, None, :] * bears) @ W
        return (of_class - (P @ bears.T)[:, :, None] * (P @ W)[:, None, :]) / self.sigma2_

    def _scores(self, X):
        A = self._log_weights(X)
        groups = [logsumexp(A[:, self._w_codes == c], axis=1, keepdims=True) for c in range(len(self.classes_))]
        return np.hstack(groups) - logsumexp(A, axis=1, keepdims=True)

    def _log_weights(self, X):
        """-|x - w|^2 / (2 sigma^2), (m, p)."""
        X = self._new(X)
        W = self.prototypes_ - self.mean_
        parts = [squared_distances(X[rows] - self.mean_, W) for rows in row_blocks(len(X), X.shape[1])]
        return np.vstack(parts) / (-2 * self.sigma2_)


def rslvq_cost(samples, W, w_codes, sigma2):
    """Mean of -ln P(y | x), share of wrong classes, and gradients by prototypes and by ln sigma^2.

    Parameters
    ----------
    samples : Samples
    W : ndarray of shape (p, r), in the coordinates of `samples`
    w_codes : ndarray of int, shape (p,)
    sigma2 : float, in squared units of those coordinates

    Returns
    -------
    value, error : float
    grad_W : ndarray of shape (p, r)
    grad_log_sigma2 : float

    Notes
    -----
    With T = P(k | x) - P(k | x, y), the second being the share within the prototypes of the class y,
    dE/dW = T^T X - diag(T^T 1) W over sigma^2, and dE/d ln sigma^2 = sum T d / (2 sigma^2).
    """
    value, error = 0.0, 0.0
    grad_W, grad_log_sigma2 = np.zeros_like(W), 0.0
    bears = (w_codes[:, None] == np.arange(w_codes.max() + 1)).astype(float)  # (p, c)
    for X, codes, shares in samples.blocks(len(W)):
        own = codes[:, None] == w_codes
        D = squared_distances(X, W)
        A = D / (-2 * sigma2)
        A -= A.max(axis=1, keepdims=True)
        P = np.exp(A)
        everything = P.sum(axis=1)
        # the sample's own prototypes in a scale of their own: their weights may underflow beside the nearest
        A = np.where(own, A, -np.inf)
        nearest = A.max(axis=1)
        P_own = np.exp(A - nearest[:, None])
        of_class = P_own.sum(axis=1)
        value += shares @ (np.log(everything) - np.log(of_class) - nearest)
        classes = P @ bears
        error += np.count_nonzero(classes.max(axis=1) > classes[np.arange(len(X)), codes]) / len(samples.X)
        T = P / everything[:, None] - P_own / of_class[:, None]
        T *= shares[:, None]
        grad_W += (T.T @ X - T.sum(axis=0)[:, None] * W) / sigma2
        grad_log_sigma2 += np.sum(T * D) / (2 * sigma2)
    return float(value), float(error), grad_W, float(grad_log_sigma2)
