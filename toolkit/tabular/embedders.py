"""t-SNE with a rule for new samples: of the data alone, or of Fisher distances.

A supervised map separates its training samples, whatever they are. What it says of
others, which are projected afterwards, is the vote of their nearest neighbours in the
plane.
"""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.utils.extmath import weighted_mode

from ..core.graphs import squared_distances
from ..core.scaling import row_blocks
from ..embed import TSNE
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..kernelmap import KernelMap

# weight of the Euclidean metric in those that know the target
UNSUPERVISED = 0.01
PENALTIES = tuple(10.0**k for k in range(-2, 5))  # of ridge regression
PAIRS_AT_ONCE = 2**24
# of a kernel map of Fisher distances, which are nearly equal in whole regions
CUTOFF = 1e-2
N_NEIGHBORS = 5


class FisherTSNE:
    """t-SNE of Fisher distances; new samples by a kernel map of their distances.

    Parameters
    ----------
    metric : Fisher metric, not fitted
    X : ndarray of shape (n, p), samples
    y : ndarray of shape (n,), their classes or values
    seed : int, default=0

    Attributes
    ----------
    Z : ndarray of shape (n, 2), their positions
    distances : ndarray of shape (n, n)
        In `metric`, which is fitted now.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.fisher import ParzenFisher
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherTSNE(ParzenFisher(), X[::2], y[::2]).transform(X[1::2]).shape
    (75, 2)
    """

    def __init__(self, metric, X, y, seed=0):
        self.X = X
        self.metric = clone(metric).fit(X, y)
        self.distances = D = self.metric.distances()
        self.Z = TSNE(metric="precomputed", random_state=seed).fit_transform(D)
        kernel_map = KernelMap(metric="precomputed", cutoff=CUTOFF)
        self._kernel_map = kernel_map.fit(D, self.Z)

    def transform(self, X):
        """Positions (m, 2) of new samples X (m, p)."""
        positions = np.empty((len(X), 2))
        for block in row_blocks(len(X), len(self.X), PAIRS_AT_ONCE):
            D = self.metric.distances(X[block], self.X)
            Z = self._kernel_map.transform(D)
            inside = (Z >= self.Z.min(axis=0)) & (Z <= self.Z.max(axis=0))
            outside = ~inside.all(axis=1)
            # of samples thrown out of the map: that of the nearest
            Z[outside] = self.Z[D.argmin(axis=1)[outside]]
            positions[block] = Z
            del D  # or it would stay beside the next
        return positions


class PlainTSNE:
    """t-SNE of samples X (n, p) alone; new samples by a kernel map.

    Their positions are `Z` (n, 2).

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> PlainTSNE(X[:20]).transform(X[20:]).shape
    (10, 2)
    """

    def __init__(self, X, seed=0, perplexity=None):
        self.Z = TSNE(perplexity=perplexity, random_state=seed).fit_transform(X)
        self._kernel_map = KernelMap().fit(X, self.Z)

    def transform(self, X):
        """Positions (m, 2) of new samples X (m, p)."""
        return self._kernel_map.transform(X) if len(X) else np.empty((0, 2))


def vote(y, near):
    """Mean of the targets of the neighbours `near` (m, k), or the class of most.

    The nearest come first; among classes of as many neighbours the nearer wins.
    """
    if y.dtype.kind in "fiu":
        return y[near].mean(axis=1)
    classes, codes = np.unique(y, return_inverse=True)
    weights = 1 + 1e-6 * np.arange(near.shape[1], 0, -1)
    winners, _ = weighted_mode(codes[near], weights, axis=1)
    return classes[winners[:, 0].astype(int)]


class Logistic(LogisticRegression):
    """Logistic regression that is fitted again with balanced classes where needed.

    That is where it gives all samples the class of most.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> len(set(Logistic().fit(X, np.arange(50) < 4).predict(X)))
    2
    """

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,)."""
        if len(np.unique(super().fit(X, y, sample_weight).predict(X))) > 1:
            return self
        self.set_params(class_weight="balanced")
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.set_params(class_weight=None)


class LinearFisher(BaseEstimator):
    """Fisher metric of a linear regression with normal errors, the same everywhere.

    J = w w^T / sigma^2 + lam I.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> LinearFisher().fit(X, X[:, 0] + 0.1 * X[:, 1]).distances().shape
    (50, 50)
    """

    def __init__(self, lam=UNSUPERVISED):
        self.lam = lam

    def fit(self, X, y):
        """Fit to X (n, p) and y (n,)."""
        model = RidgeCV(PENALTIES).fit(X, y)
        sigma = max(np.std(y - model.predict(X)), 1e-3 * np.std(y))
        # J = Omega^T Omega
        euclidean = np.sqrt(self.lam) * np.eye(X.shape[1])
        self.Omega_ = np.vstack([model.coef_ / sigma, euclidean])
        self._X = X
        return self

    def distances(self, X=None, X_new=None):
        """Distances (m, q) of X to X_new, by default among the samples of `fit`."""
        A = (self._X if X is None else X) @ self.Omega_.T
        B = A if X_new is None else X_new @ self.Omega_.T
        return np.sqrt(squared_distances(A, B))


LOGISTIC = Logistic(C=0.1, max_iter=1000)
METRICS = {  # by the model whose answers they measure
    "logistic regression": ModelFisher(LOGISTIC, lam=UNSUPERVISED),
    "Parzen windows": ParzenFisher(),
    "linear regression": LinearFisher(),
    "Gaussian process": GPFisher(),
}
MODELS = list(METRICS)[:2], list(METRICS)[2:]  # of classes, of a value
