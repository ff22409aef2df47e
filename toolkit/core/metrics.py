"""Learned Mahalanobis metrics as linear maps: ``d(x, x') = |Omega (x - x')|``.

Lambda = Omega^T Omega. Thesis, (4.4) and (4.5). Everywhere in this package Omega holds
rows, shape (r, d).
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from .arrays import check_table
from .estimators import MapEstimator, by_blocks, new_samples
from .linalg import safe_root, symmetric_eigenpairs, thin_svd


def principal_rows(metric):
    """The mapping of a metric along its eigenvectors.

    Each row is sqrt(eigenvalue) times an eigenvector of Lambda.

    Parameters
    ----------
    metric : array-like of shape (r, d) or fitted model
        The mapping Omega, x -> Omega x; or a model with `lambda_` or `coef_`: a GMLVQ,
        an LMNN, a NeRV metric, a linear model with several rows.

    Returns
    -------
    ndarray of shape (q, d)
        By falling eigenvalue, without those that are 0 up to rounding; Lambda stays the
        same.

    Examples
    --------
    >>> principal_rows([[0.0, 3.0], [0.0, 4.0]]).tolist()
    [[0.0, 5.0]]
    """
    rank_tolerance = 1e-10
    if hasattr(metric, "lambda_"):
        values, V = symmetric_eigenpairs(metric.lambda_)
        s = safe_root(values)
        # Roots of eigenvalues are as inexact as the root of rounding.
        rank_tolerance = 1e-6
    else:
        rule = (
            "a fitted model with `lambda_` or `coef_`, or a matrix of finite numbers,"
            " shape (r, n_features)"
        )
        Omega = metric
        if hasattr(metric, "coef_"):
            Omega = np.atleast_2d(metric.coef_)
        _, s, V = thin_svd(check_table(Omega, "metric", rule=rule))
    if not s[0] > 0:
        raise ValueError(
            "`metric` must not be 0 throughout: it maps all samples to one point."
        )
    used = s > rank_tolerance * s[0]
    rows = (V[:, used] * s[used]).T
    return rows + 0.0  # no negative zeros


class LinearMap(MapEstimator):
    """`transform` for fitted models with `components_`, the rows of a linear map."""

    @by_blocks
    def transform(self, X):
        """Project samples onto the rows of `components_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Coordinates of the samples.
        """
        return self._project(new_samples(self, X, accept_sparse="csr"))

    def _project(self, X):
        """Coordinates (m, k) of samples X (m, d) along the components."""
        return X @ self.components_.T

    @property
    def _n_features_out(self):
        return len(self.components_)

    @property
    def feature_importances_(self):
        """Relevances divided by their sum, by which scikit-learn selects features."""
        total = self.relevances_.sum()
        if total == 0:
            total = 1.0
        return self.relevances_ / total


class CentredMap(LinearMap):
    """A linear map about `mean_`."""

    def _project(self, X):
        """Coordinates (m, k) of samples X (m, d) about the mean."""
        project = super()._project
        if issparse(X):
            return project(X) - project(self.mean_)
        return project(X - self.mean_)  # Kitamura2007 Eq. (2)


class LearnedMetric(LinearMap):
    """Lambda and its eigenvalues, for fitted models whose metric can be replaced.

    Subclasses set `components_`.
    """

    def _set_mapping(self, Omega, V, eigenvalues):
        """Take Omega (r, d) as the metric, with eigenvectors V (d, k) of Lambda."""
        self.lambda_ = Omega.T @ Omega
        self.relevances_ = np.diag(self.lambda_).copy()
        self.eigenvalues_ = eigenvalues

    def with_metric(self, Omega, *, like=None):
        """Return a copy of the fitted model with another metric ``|Omega (x - x')|``.

        Parameters
        ----------
        Omega : array-like of shape (r, n_features)
            The mapping x -> Omega x, of any rank and length. Examples are `omega_` of
            another GMLVQ, one of the regularised mappings of :mod:`toolkit.bounds`, or
            one with weights set to 0. It is used unchanged, neither scaled nor rotated.
        like : array-like of shape (r, n_features) or None, default=None
            A mapping with as many rows: prototypes move to where `Omega` has the images
            that `like` has of them now. Mappings that are equal on the data need not be
            equal on prototypes, which may lie anywhere.

        Returns
        -------
        model : fitted model of the same class
            `lambda_`, `eigenvalues_`, `relevances_`, `components_` and `transform` are
            those of the new metric; `history_` and `n_iter_` are those of the old one.

        Raises
        ------
        ValueError
            If `Omega` does not have one column per feature, or `like` not the shape of
            `Omega`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from toolkit.lvq import GMLVQ
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GMLVQ().fit(X, y)
        >>> petals = model.with_metric(model.omega_ * [0, 0, 1, 1])
        >>> petals.relevances_.round(2).tolist()[:2], bool(petals.score(X, y) > 0.9)
        ([0.0, 0.0], True)
        """
        check_is_fitted(self)
        Omega = check_table(
            Omega, "Omega", shape=("n_rows", self.n_features_in_)
        ).copy()
        # copying would drop what pickling does, GMLVQ's samples
        model = type(self).__new__(type(self))
        vars(model).update(vars(self))
        _, s, V = thin_svd(Omega)
        model._set_mapping(Omega, V, s**2)
        if like is not None and hasattr(self, "prototypes_"):
            like = check_table(like, "like", shape=Omega.shape)
            images = (self.prototypes_ - self.mean_) @ like.T
            model.prototypes_ = self.mean_ + images @ np.linalg.pinv(Omega).T
        return model
