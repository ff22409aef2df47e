"""t-SNE with a rule for new samples: of the data alone, or of Fisher distances, which know the target.

A map that was told the target separates the samples that it was told of, whatever they
are. What it says of others, which are placed on it afterwards, is the vote of their
nearest neighbours in the plane.
"""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import NearestNeighbors

from ..core.graphs import squared_distances
from ..core.scaling import row_blocks
from ..embed import TSNE
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..kernelmap import KernelMap

UNSUPERVISED = 0.01  # weight of the Euclidean metric in those that know the target
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
    seed : int

    Attributes
    ----------
    Z : ndarray of shape (n, 2), their positions
    distances : ndarray of shape (n, n), in `metric`, which is fitted now

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.fisher import ParzenFisher
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherTSNE(ParzenFisher(), X[::2], y[::2]).transform(X[1::2]).shape
    (75, 2)
    """

    def __init__(self, metric, X, y, seed=0):
        self.X, self.metric = X, clone(metric).fit(X, y)
        self.distances = self.metric.distances()
        self.Z = TSNE(metric="precomputed", random_state=seed).fit_transform(
            self.distances
        )
        self._kernel = KernelMap(metric="precomputed", cutoff=CUTOFF).fit(
            self.distances, self.Z
        )

    def transform(self, X):
        """Positions (m, 2) of new samples X (m, p)."""
        placed = [np.empty((0, 2))]
        for block in row_blocks(len(X), len(self.X), PAIRS_AT_ONCE):
            D = self.metric.distances(X[block], self.X)
            Z = self._kernel.transform(D)
            outside = np.any(
                (Z < self.Z.min(axis=0)) | (Z > self.Z.max(axis=0)), axis=1
            )
            # of samples thrown out of the map: that of the nearest
            Z[outside] = self.Z[D.argmin(axis=1)[outside]]
            placed.append(Z)
            del D  # or it would stay beside the next
        return np.concatenate(placed)


class PlainTSNE:
    """t-SNE of samples X (n, p) alone, positions `Z` (n, 2); new samples by a kernel map.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> PlainTSNE(X[:20]).transform(X[20:]).shape
    (10, 2)
    """

    metric = distances = None

    def __init__(self, X, seed=0, perplexity=None):
        self.Z = TSNE(perplexity=perplexity, random_state=seed).fit_transform(X)
        self._kernel = KernelMap().fit(X, self.Z)

    def transform(self, X):
        """Positions (m, 2) of new samples X (m, p)."""
        return self._kernel.transform(X) if len(X) else np.empty((0, 2))


def by_neighbours(Z, y, new, own=False):
    """Mean of the targets of the nearest fitted samples, or the class that most of them have."""
    k = min(N_NEIGHBORS, len(Z) - own)
    return vote(
        y,
        NearestNeighbors(n_neighbors=k)
        .fit(Z)
        .kneighbors(None if own else new, return_distance=False),
    )


def vote(y, near):
    """What the neighbours `near` (m, k), the nearest first, say: their mean, or the class of most, of the nearer."""
    if y.dtype.kind in "fiu":
        return y[near].mean(axis=1)
    classes, codes = np.unique(y, return_inverse=True)
    votes = np.zeros((len(near), len(classes)))
    np.add.at(
        votes,
        (np.arange(len(near))[:, None], codes[near]),
        1 + 1e-6 * np.arange(near.shape[1], 0, -1),
    )
    return classes[votes.argmax(axis=1)]


class Logistic(LogisticRegression):
    """Logistic regression; one that gives all samples the class of most is fitted again with classes of equal weight.

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
    """Fisher metric of a linear regression with normal errors, J = w w^T / sigma^2 + lam I: the same everywhere.

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
        error = max(np.std(y - model.predict(X)), 1e-3 * np.std(y))
        self.Omega_ = np.vstack(
            [model.coef_ / error, np.sqrt(self.lam) * np.eye(X.shape[1])]
        )
        self._X = X
        return self

    def distances(self, X=None, X_new=None):
        """Distances (m, q) of X to X_new, by default among the samples of `fit`."""
        A = (self._X if X is None else X) @ self.Omega_.T
        return np.sqrt(
            squared_distances(A, A if X_new is None else X_new @ self.Omega_.T)
        )


METRICS = {  # by the model whose answers they measure
    "logistic regression": ModelFisher(
        Logistic(C=0.1, max_iter=1000), lam=UNSUPERVISED
    ),
    "Parzen windows": ParzenFisher(),
    "linear regression": LinearFisher(),
    "Gaussian process": GPFisher(),
}
MODELS = list(METRICS)[:2], list(METRICS)[2:]  # of classes, of a value
