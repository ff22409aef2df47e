"""Robust soft LVQ: a Gaussian about each prototype, and the posterior probabilities that follow."""

from dataclasses import KW_ONLY

import numpy as np
from scipy.special import logsumexp, softmax

from ..core.checks import check_positive
from ..core.descent import lbfgs
from ..core.estimators import by_blocks
from ..core.graphs import squared_distances
from ..core.parameters import parameters
from .classifier import PrototypeClassifier, history_of

# Of a learned variance, relative to the mean variance of a feature: separable data
# would drive it to 0.
SIGMA2_LIMITS = (1e-6, 1e6)


@parameters
class RSLVQ(PrototypeClassifier):
    """Robust soft learning vector quantisation: prototypes as centres of equal Gaussians, fitted to the labels.

    Parameters
    ----------
    prototypes_per_class : int or dict from class to int, default=1
    sigma2 : float or None, default=None
        Variance of the Gaussians, in squared units of the features; None: learned with
        the prototypes.
    max_iter : int, default=1000
    prototype_init, tol, class_weight, random_state, verbose : as in :class:`GLVQ`
        Start of the prototypes, end of L-BFGS, weights of the classes in the cost, the
        seed, and a progress bar.

    Attributes
    ----------
    prototypes_, prototype_labels_, classes_, mean_, n_iter_ : as in :class:`GLVQ`
    sigma2_ : float
    history_ : dict of arrays with one entry per step, the start first: ``cost``, ``error``, ``sigma2``

    Notes
    -----
    Minimises the mean of -ln P(y_i | x_i), weighted where classes are, with P(c | x) =
    sum_{k of class c} P(k | x) and P(k | x) = exp(-|x - w_k|^2 / (2 sigma^2)) / sum_l
    exp(-|x - w_l|^2 / (2 sigma^2)).

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

    _: KW_ONLY
    sigma2: float = None

    def _checked(self, samples):
        if self.sigma2 is not None:
            check_positive(self.sigma2, "sigma2")
        return super()._checked(samples)

    def _descend(self, samples, W, rng):
        learned, unit2 = self.sigma2 is None, samples.unit**2
        if learned:
            nearest = [
                np.where(
                    codes[:, None] == self._w_codes, squared_distances(B, W), np.inf
                ).min(axis=1)
                for B, codes, _ in samples.blocks(len(W))
            ]
            # of a feature about the nearest prototype
            start = np.mean(np.concatenate(nearest)) / samples.rank
        else:
            start = self.sigma2 / unit2
        fixed = np.log(np.clip(start, *SIGMA2_LIMITS) if learned else start)

        def sigma2(arrays):
            return np.exp(arrays[1].item() if learned else fixed)

        def objective(arrays):
            value, error, grad_W, grad_sigma = rslvq_cost(
                samples, arrays[0], self._w_codes, sigma2(arrays)
            )
            return value, [grad_W, np.array([grad_sigma])][: 1 + learned], error

        [W, *_], steps = lbfgs(
            objective,
            [W, np.array([fixed])][: 1 + learned],
            what="RSLVQ",
            **self._descent,
            record=lambda value, arrays, error: (value, error, sigma2(arrays) * unit2),
            bounds=[(None, None), tuple(np.log(SIGMA2_LIMITS))][: 1 + learned],
        )
        self._store(samples, W, history_of(steps, "cost", "error", "sigma2"))
        self.sigma2_ = float(steps[-1][2])

    @by_blocks
    def predict_proba(self, X):
        """Posterior probabilities (m, c) of the classes for samples X (m, n_features); rows sum to 1."""
        return np.exp(self._scores(X))

    def log_posterior(self, X):
        """Logarithms of :meth:`predict_proba`, shape (m, c), finite where probabilities underflow."""
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
        bears = np.eye(len(self.classes_))[:, self._w_codes]  # (c, p)
        of_class = (P[:, None, :] * bears) @ W
        return (
            of_class - (P @ bears.T)[:, :, None] * (P @ W)[:, None, :]
        ) / self.sigma2_

    def _scores(self, X):
        A = self._log_weights(X)
        groups = [
            logsumexp(A[:, self._w_codes == c], axis=1, keepdims=True)
            for c in range(len(self.classes_))
        ]
        return np.hstack(groups) - logsumexp(A, axis=1, keepdims=True)

    def _log_weights(self, X):
        """-|x - w|^2 / (2 sigma^2), (m, p)."""
        return self.distances(X) / (-2 * self.sigma2_)


def rslvq_cost(samples, W, w_codes, sigma2):
    """Mean of -ln P(y | x), fraction of wrong classes, and gradients by prototypes W (p, r) and by ln sigma^2.

    With T = P(k | x) - P(k | x, y), the second being the fraction within the prototypes
    of the class y, dE/dW = T^T X - diag(T^T 1) W over sigma^2, and dE/d ln sigma^2 =
    sum T d / (2 sigma^2).
    """
    value, error = 0.0, 0.0
    grad_W, grad_log_sigma2 = np.zeros_like(W), 0.0
    bears = np.eye(w_codes.max() + 1)[w_codes]  # (p, c)
    for X, codes, weights in samples.blocks(len(W)):
        own = codes[:, None] == w_codes
        D = squared_distances(X, W)
        A = D / (-2 * sigma2)
        A -= A.max(axis=1, keepdims=True)
        P = np.exp(A)
        everything = P.sum(axis=1)
        # the sample's own prototypes scaled by themselves: their weights may underflow
        # beside the nearest
        A = np.where(own, A, -np.inf)
        nearest = A.max(axis=1)
        P_own = np.exp(A - nearest[:, None])
        of_class = P_own.sum(axis=1)
        value += weights @ (np.log(everything) - np.log(of_class) - nearest)
        classes = P @ bears
        error += np.count_nonzero(
            classes.max(axis=1) > classes[np.arange(len(X)), codes]
        ) / len(samples.X)
        T = P / everything[:, None] - P_own / of_class[:, None]
        T *= weights[:, None]
        grad_W += (T.T @ X - T.sum(axis=0)[:, None] * W) / sigma2
        grad_log_sigma2 += np.sum(T * D) / (2 * sigma2)
    return float(value), float(error), grad_W, float(grad_log_sigma2)
