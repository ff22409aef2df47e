"""t-SNE with a rule for new samples: of the data alone, or of Fisher distances.

A supervised map separates its training samples, whatever they are. Other samples are
projected afterwards, and predicted by their nearest neighbours in the plane.
"""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.utils.validation import validate_data

from ..core import squared_distances
from ..embed import TSNE
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..validation import ProjectedMap
from ..validation.targets import PENALTIES

# weight of the Euclidean metric in those that know the target
UNSUPERVISED = 0.01


def fisher_tsne(metric, seed):
    """t-SNE of the distances of a Fisher metric; others by a kernel map."""
    return ProjectedMap(TSNE(metric="precomputed", random_state=seed), metric)


def plain_tsne(seed):
    """t-SNE of the samples alone; others by a kernel map."""
    return ProjectedMap(TSNE(random_state=seed))


class Logistic(LogisticRegression):
    """Logistic regression that is fitted again with balanced classes where needed.

    That is where it predicts the largest class for all samples, and `class_weight` is
    None.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> len(set(Logistic().fit(X, np.arange(50) < 4).predict(X)))
    2
    """

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,)."""
        found = np.unique(super().fit(X, y, sample_weight).predict(X))
        if len(found) > 1 or self.class_weight is not None:
            return self
        self.set_params(class_weight="balanced")
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.set_params(class_weight=None)


class LinearFisher(TransformerMixin, BaseEstimator):
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
        X, y = validate_data(self, X, y, ensure_min_samples=2, y_numeric=True)
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

    def transform(self, X):
        """Distances (m, n) of X to the samples of `fit`."""
        X = validate_data(self, X, reset=False)
        return self.distances(X, self._X)


LOGISTIC = Logistic(C=0.1, max_iter=1000)
METRICS = {  # by the model whose answers they measure
    "logistic regression": ModelFisher(LOGISTIC, lam=UNSUPERVISED),
    "Parzen windows": ParzenFisher(),
    "linear regression": LinearFisher(),
    "Gaussian process": GPFisher(),
}
MODELS = list(METRICS)[:2], list(METRICS)[2:]  # of classes, of a value
