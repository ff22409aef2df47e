"""t-SNE that can project new samples: of the data alone, or of Fisher distances.

A supervised map separates its training samples, whatever their labels are. Its error is
therefore measured on held-out samples: they are projected afterwards and predicted by
their nearest neighbours in the plane.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.utils.validation import validate_data

from ..core import squared_distances
from ..embed import TSNE
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..validation import ProjectedMap
from ..validation.models import RIDGE_PENALTIES

# Weight of the Euclidean metric in supervised ones.
EUCLIDEAN_WEIGHT = 0.01


def fisher_tsne(metric, seed):
    """t-SNE of the distances of a Fisher metric; others by a kernel map."""
    return ProjectedMap(TSNE(metric="precomputed", random_state=seed), metric)


def unsupervised_tsne(seed):
    """t-SNE of the samples alone; others by a kernel map."""
    return ProjectedMap(TSNE(random_state=seed))


class Logistic(LogisticRegression):
    """Logistic regression that is fitted again with balanced classes where needed.

    That is where it predicts the largest class for all samples, and `class_weight` is
    None.

    Parameters
    ----------
    penalty, C, l1_ratio, dual, tol, fit_intercept, intercept_scaling : object
        Parameters of scikit-learn's ``LogisticRegression``, with its defaults.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; with None a second fit may be balanced.
    random_state, solver, max_iter, verbose, warm_start, n_jobs : object
        Parameters of scikit-learn's ``LogisticRegression``, with its defaults.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> len(set(Logistic().fit(X, np.arange(50) < 4).predict(X)))
    2
    """

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target: classes, one per sample.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        self : Logistic
            Fitted estimator.
        """
        predicted = super().fit(X, y, sample_weight).predict(X)
        if len(np.unique(predicted)) > 1 or self.class_weight is not None:
            return self
        self.set_params(class_weight="balanced")
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.set_params(class_weight=None)


class LinearFisher(TransformerMixin, BaseEstimator):
    """Fisher metric of a linear regression with normal errors, the same everywhere.

    J = w w^T / sigma^2 + lam I.

    Parameters
    ----------
    lam : float, default=0.01
        Weight of the Euclidean metric.

    Attributes
    ----------
    Omega_ : ndarray of shape (1 + n_features, n_features)
        Factor of the metric, J = Omega^T Omega.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> LinearFisher().fit(X, X[:, 0] + 0.1 * X[:, 1]).distances().shape
    (50, 50)
    """

    def __init__(self, lam=EUCLIDEAN_WEIGHT):
        self.lam = lam

    def fit(self, X, y):
        """Fit the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target: real values, one per sample.

        Returns
        -------
        self : LinearFisher
            Fitted metric.
        """
        X, y = validate_data(self, X, y, ensure_min_samples=2, y_numeric=True)
        model = RidgeCV(RIDGE_PENALTIES).fit(X, y)
        residuals = y - model.predict(X)
        sigma = max(np.std(residuals), 1e-3 * np.std(y))
        # J = Omega^T Omega
        euclidean = np.sqrt(self.lam) * np.eye(X.shape[1])
        self.Omega_ = np.vstack([model.coef_ / sigma, euclidean])
        self._X = X
        return self

    def distances(self, X=None, X_new=None):
        """Compute distances of samples to others.

        Parameters
        ----------
        X : ndarray of shape (m, n_features), optional
            Samples; by default those of `fit`.
        X_new : ndarray of shape (q, n_features), optional
            Other samples; by default the same as X.

        Returns
        -------
        D : ndarray of shape (m, q)
            Distances of X to X_new.
        """
        A = (self._X if X is None else X) @ self.Omega_.T
        B = A if X_new is None else X_new @ self.Omega_.T
        return np.sqrt(squared_distances(A, B))

    def transform(self, X):
        """Compute distances of samples to those of `fit`.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
            Samples.

        Returns
        -------
        D : ndarray of shape (m, n_samples)
            Distances to the samples of `fit`.
        """
        X = validate_data(self, X, reset=False)
        return self.distances(X, self._X)


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricKind:
    """A Fisher metric, and the model whose predictions it measures.

    Attributes
    ----------
    name, phrase : str
        Name of the model, alone and within a sentence.
    metric : Fisher metric
        The metric, not fitted.
    is_slow : bool, default=False
        Whether it is tried on small tables only.
    """

    name: str
    phrase: str
    metric: object
    is_slow: bool = False


CLASS_METRICS = (
    MetricKind(
        name="logistic regression",
        phrase="logistic regression",
        metric=ModelFisher(
            Logistic(C=0.1, max_iter=1000), lam=EUCLIDEAN_WEIGHT
        ),
    ),
    MetricKind(
        name="Parzen windows", phrase="Parzen windows", metric=ParzenFisher()
    ),
)
VALUE_METRICS = (
    MetricKind(
        name="linear regression",
        phrase="linear regression",
        metric=LinearFisher(),
    ),
    MetricKind(
        name="Gaussian process",
        phrase="a Gaussian process",
        metric=GPFisher(),
        is_slow=True,
    ),
)


def metrics_of(task):
    """The kinds of metrics for a target of classes, or of values."""
    return VALUE_METRICS if task.is_value else CLASS_METRICS
