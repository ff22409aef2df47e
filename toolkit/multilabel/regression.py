"""SL-A and SL-AK: samples and labels in one plane, by reduced-rank regression.

With X centred and sphered, min ||Y - X A||^2 over matrices A of rank k has the solution
that approximates X^T Y / n best: the first k terms U_k S_k V_k^T of its singular value
decomposition (Kudo2016, Theorem 1 and (3)). A sample is drawn at S_k U_k^T x, a label
set y at V_k^T (y - mean of y); V_k maps the first to the predicted second.
"""

from copy import deepcopy
from dataclasses import KW_ONLY
from typing import Annotated, Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin
from sklearn.metrics.pairwise import pairwise_kernels

from ..core import (
    EPSILON,
    RANK_TOLERANCE,
    MapEstimator,
    by_blocks,
    check_is_fitted,
    check_kernel,
    check_memory,
    check_n_components,
    check_number,
    check_positive,
    class_column,
    count_explaining,
    label_array,
    magnitude,
    new_samples,
    parameters,
    percent,
    reading,
    rule,
    sphering,
    symmetric_eigenpairs,
    thin_svd,
    warn,
    warn_of_scales,
)
from .base import JointMap, dense

KernelParameter = Annotated[
    float | None, rule(check_positive, zero=True, optional=True)
]


@parameters
class _LowRankRegression(MapEstimator, ClassifierMixin, JointMap):
    """The common part of SL-A and SL-AK: samples have coordinates with Z^T Z = n I."""

    _: KW_ONLY
    variance: Annotated[float, rule(check_number, low=1e-100, high=1)] = 1.0

    def _fit_labels(self, coordinates, Y, label_mean):
        """Solve the regression on `coordinates` (n, r); returns their map (r, k).

        Y (n, l) are indicators, `label_mean` (l,) is what is subtracted from them.
        """
        # Kudo2016 Eq. (1), (2): the matrix of the right-hand side, whose best
        # approximation of rank k is wanted: (r, q), (q,), (l, q) with q = min(r, l)
        covariance = coordinates.T @ Y / len(coordinates)
        U, s, V = thin_svd(covariance)
        numerical_rank = int(np.sum(s > RANK_TOLERANCE * s[0]))
        k = self.n_components
        if k is None:
            k = numerical_rank
        k = check_n_components(
            k,
            len(s),
            self.n_features_in_,
            "the smaller of the rank kept of X and the number of labels",
        )
        if k > numerical_rank:
            is_two_classes = not self.multilabel_ and len(self.classes_) == 2
            reason = ""
            if is_two_classes:
                reason = ": two classes differ along one axis only"
            warn(
                f"X^T Y / n has numerical rank {numerical_rank}, below"
                f" `n_components`={k}; the last axes hold zeros{reason}."
                f" `n_components`={numerical_rank} leaves them out."
            )
            U[:, numerical_rank:] = 0
            V[:, numerical_rank:] = 0
        self.label_mean_ = label_mean
        self.singular_values_ = s
        # Kudo2016 footnote 3: unsquared
        self.contribution_rate_ = float(s[:k].sum() / s.sum())
        self.label_components_ = V[:, :k]  # (l, k)
        single_labels = np.eye(len(V)) - label_mean
        self.label_embedding_ = single_labels @ V[:, :k]  # (l, k)
        to_plane = U[:, :k] * s[:k]  # Kudo2016 Eq. (3): x~ = S_k U_k^T x
        self.embedding_ = coordinates @ to_plane
        self._n_features_out = k
        return to_plane

    def transform_labels(self, Y):
        """Map label sets, by `V_k^T (y - mean of y)`; they need not occur in training.

        Parameters
        ----------
        Y : array-like of shape (n_sets, n_labels) or (n_sets,)
            Label sets as 0 and 1; or class labels, if fitted on such.

        Returns
        -------
        Z : ndarray of shape (n_sets, n_components)
            Coordinates of the label sets.
        """
        check_is_fitted(self)
        if not self.multilabel_ and label_array(Y, "Y").ndim == 1:
            classes = class_column(Y, "Y")
            unknown = set(classes.tolist()) - set(self.classes_.tolist())
            if unknown:
                raise ValueError(
                    "`Y` holds classes not seen in `fit`:"
                    f" {sorted(unknown, key=str)[:5]}."
                )
            Y = classes[:, None] == self.classes_
        Y = self._label_matrix(Y) - self.label_mean_
        return Y @ self.label_components_

    @by_blocks
    def decision_function(self, X):
        """Predict label values, by `V_k S_k U_k^T x` + mean of y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples, n_labels)
            Predicted label values.
        """
        Z = self._coordinates(X)
        # Kudo2016 Eq. (4)
        return Z @ self.label_components_.T + self.label_mean_

    @by_blocks
    def predict(self, X):
        """Predict the class of each sample, or its labels if fitted on indicators.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Classes with the largest predicted value; or 0/1 indicators of the labels
            with a predicted value above 1/2.
        """
        values = self.decision_function(X)
        if self.multilabel_:
            return (values > 0.5).astype(int)  # Kudo2016 Eq. (5)
        return self.classes_[np.argmax(values, axis=1)]

    @by_blocks
    def transform(self, X):
        """Map samples, by `S_k U_k^T x`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Coordinates of the samples.
        """
        return self._coordinates(X)


@parameters
class SampleLabelMap(_LowRankRegression):
    """SL-A (Kudo2016, section III-A): reduced-rank regression of labels on samples.

    With one class per sample the axes span Fisher's discriminant directions; with `Y`
    sphered too it would be canonical correlation analysis. Sparse `X` is made dense, as
    sphered samples always are. `score` is the accuracy of `predict`, for indicators the
    fraction of samples whose whole label set is right.

    Parameters
    ----------
    n_components : int or None, default=2
        Dimension of the map; None for the full rank (for `predict` without a rank
        limit).
    scaling : {"sphere", "center", "sum"}, default="sphere"
        "sphere": centre and sphere (whiten) `X`, as the regression needs it. "center":
        centre only. "sum": divide each (non-negative) feature by its sum and take the
        mean of `Y` as 0, the paper's variant for binary features (IV-A).
    variance : float in (0, 1], default=1.0
        With "sphere": fraction of the variance of `X` to keep. Values below 1 reduce
        overfitting where features are as many as samples.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    label_embedding_ : ndarray of shape (n_labels, n_components)
        Coordinates of the sets of one label.
    components_ : ndarray of shape (n_components, n_features)
        `transform(X) = (X - mean_) @ components_.T`.
    label_components_ : ndarray of shape (n_labels, n_components)
        The matrix V_k of `transform_labels`.
    singular_values_ : ndarray of shape (min(rank, n_labels),)
        All singular values of the regression, falling.
    contribution_rate_ : float
        Fraction of the shown singular values (unsquared) in their sum.
    mean_, label_mean_ : ndarray of shape (n_features,), (n_labels,)
        Means of features and of labels.
    rank_ : int
        Dimension of the sphered space.
    classes_ : ndarray of shape (n_labels,)
        Classes, or names of the labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sla = SampleLabelMap().fit(X, y)
    >>> sla.transform(X).shape, round(sla.contribution_rate_, 3)
    ((150, 2), 1.0)
    >>> round(float((sla.predict(X) == y).mean()), 2)
    0.85
    """

    _: KW_ONLY
    scaling: Literal["sphere", "center", "sum"] = "sphere"

    def _fit(self, X, Y, target):
        """Regression in the data space; the arguments are those of the base class.

        W (d, r) takes centred samples to the coordinates (n, r) in which the labels are
        regressed, `to_plane` (r, k) these to the map.
        """
        # 1. centre and sphere the samples (or the paper's other scalings)
        X = dense(X)
        label_mean = Y.mean(axis=0)
        if self.scaling == "sphere":
            sphered = sphering(X, self.variance)
            W = sphered.W
            coordinates = sphered.Z
            self.mean_ = sphered.mean
        elif self.scaling == "center":
            self.mean_ = X.mean(axis=0)
            W = np.eye(X.shape[1])
            coordinates = X - self.mean_
        else:
            if X.min() < 0:
                raise ValueError(
                    "`scaling`='sum' needs non-negative features; use 'sphere' for"
                    " others."
                )
            # Kudo2016 section IV-A: every column sums to one
            total = X.sum(axis=0)
            divisors = np.where(total > 0, total, 1.0)
            W = np.diag(1 / divisors)
            self.mean_ = np.zeros(len(W))
            label_mean = np.zeros(Y.shape[1])
            coordinates = X @ W
        self.rank_ = W.shape[1]
        if self.rank_ == 0:
            raise ValueError(
                f"`X` must hold a feature that varies; all n_features={len(W)} are"
                " constant."
            )
        # 2. the regression of the labels on them, of low rank
        to_plane = self._fit_labels(coordinates, Y, label_mean)
        directions = W @ to_plane
        self.components_ = directions.T

    def _coordinates(self, X):
        """Coordinates (m, k) of new samples X (m, d), as given."""
        X = dense(new_samples(self, X))
        return (X - self.mean_) @ self.components_.T


@parameters
class KernelSampleLabelMap(_LowRankRegression):
    """SL-AK (Kudo2016, section VI): SL-A on samples mapped by a kernel.

    They are centred and sphered in the kernel's feature space. With a linear kernel it
    is :class:`SampleLabelMap`. At full rank (`variance=1`) a strictly positive definite
    kernel overfits: it maps every training sample to its label set, which says nothing
    about new samples.

    Parameters
    ----------
    n_components : int or None, default=2
        Dimension of the map; None for the full rank.
    kernel : str, callable or "precomputed", default="rbf"
        A name accepted by :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function
        of two vectors, or "precomputed": then `X` is the kernel matrix, (n, n) in `fit`
        and (m, n) afterwards.
    gamma, degree : float >= 0 or None, default=None, 3
        Parameters of the named kernels; None means scikit-learn's default.
    coef0 : float or None, default=1
        The constant of the polynomial and sigmoid kernels.
    variance : float in (0, 1], default=1.0
        Fraction of the (centred) kernel's trace to keep before sphering.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    label_embedding_ : ndarray of shape (n_labels, n_components)
        Coordinates of the sets of one label.
    label_components_ : ndarray of shape (n_labels, n_components)
        The matrix V_k of `transform_labels`.
    singular_values_ : ndarray of shape (min(rank, n_labels),)
        All singular values of the regression, falling.
    contribution_rate_ : float
        Fraction of the shown singular values (unsquared) in their sum.
    classes_ : ndarray of shape (n_labels,)
        Classes, or names of the labels.
    dual_coef_ : ndarray of shape (n_samples, n_components)
        The map's weights on the centred kernel.
    rank_ : int
        Dimension kept in feature space; at most n_samples - 1.

    Notes
    -----
    Kudo2016 (12) leaves out a factor 1/n; it is restored here. A centred kernel has
    rank n - 1 at most, so sphering takes a pseudo-inverse where footnote 4 assumes rank
    n. All eigenvectors of the n x n kernel are needed: for 10,000 samples minutes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> slak = KernelSampleLabelMap(gamma=0.2, variance=0.99).fit(X[::2], y[::2])
    >>> round(float((slak.predict(X[1::2]) == y[1::2]).mean()), 2)
    0.97
    """

    _kind = "kernel"

    _: KW_ONLY
    kernel: object = "rbf"
    gamma: KernelParameter = None
    degree: KernelParameter = 3
    coef0: Annotated[float | None, rule(check_number, optional=True)] = 1

    def _fit(self, X, Y, target):
        """Regression on the kernel; the arguments are those of the base class."""
        n = X.shape[0]
        # Sphering takes a linear kernel's scales away.
        has_no_scales = self.kernel in ("precomputed", "linear")
        if not has_no_scales and not issparse(X):
            warn_of_scales(X, self)
        # 1. the kernel, centred in feature space
        G = check_kernel(self._kernel(X))
        self.kernel_mean_ = G.mean(axis=0)  # (n,)
        centred_kernel = _centred(G, self.kernel_mean_, self.kernel_mean_)
        values, V = symmetric_eigenpairs(centred_kernel)
        # 2. its positive eigenvalues, as many as hold the variance asked for
        rounding = n * EPSILON
        if values[0] <= rounding * magnitude(G):
            raise ValueError(
                "`kernel` maps all samples to one point"
                f" (n_features={self.n_features_in_}); check its parameters."
            )
        if -values[-1] > 1e-8 * values[0]:
            negative_sum = -values[values < 0].sum()
            fraction = negative_sum / np.abs(values).sum()
            warn(
                f"`kernel` is not positive semi-definite: {percent(fraction, 1)} of its"
                " spectrum is negative and left out."
            )
        # Eigenvalues are squared lengths, so the tolerance of a rank is that of
        # rounding, n eps.
        tolerance = rounding * values[0] * 10
        values = values[values > tolerance]
        self.rank_ = count_explaining(values, self.variance)
        values = values[: self.rank_]
        V = V[:, : self.rank_]
        # 3. the regression on the sphered samples
        # Kudo2016 footnote 4: phi(x) <- sqrt(n) (Lambda^g)^-1 (V^g)^T Phi(X)^T phi(x)
        # Kudo2016 Eq. (12), with 1/n
        coordinates = np.sqrt(n) * V
        to_plane = self._fit_labels(coordinates, Y, Y.mean(axis=0))
        self.dual_coef_ = np.sqrt(n) * (V / values) @ to_plane
        self.X_fit_ = None
        if self.kernel != "precomputed":
            self.X_fit_ = deepcopy(X)

    def _kernel(self, A, B=None):
        """The kernel of samples A (m, d) and B (n, d), or A with itself."""
        if self.kernel == "precomputed":
            return dense(A)
        if B is None:
            B = A
            check_memory(
                "The kernel matrix",
                A.shape[0],
                arrays=7,
                remedy="Fit a sample, or a SampleLabelMap.",
            )
        options = {
            "gamma": self.gamma,
            "degree": self.degree,
            "coef0": self.coef0,
        }
        if callable(self.kernel):
            # A copy: for equal objects scikit-learn computes one triangle and would
            # hide an asymmetric kernel.
            A = dense(A)
            B = dense(B).copy()
            options = {}
        with reading(
            "kernel",
            None,
            "a name or a function of two samples that gives a number",
        ):
            return pairwise_kernels(
                A, B, metric=self.kernel, filter_params=True, **options
            )

    def _coordinates(self, X):
        """Coordinates (m, k) of new samples X (m, d), or of their kernel (m, n)."""
        K = self._kernel(new_samples(self, X), self.X_fit_)
        K = _centred(K, K.mean(axis=1), self.kernel_mean_)
        return K @ self.dual_coef_


def _centred(K, row_mean, column_mean):
    """Kernel of the samples less their mean in feature space (Kudo2016 footnote 4).

    K (m, n) is the kernel, `row_mean` (m,) and `column_mean` (n,) are its means over
    the training samples.
    """
    return K - row_mean[:, None] - column_mean + column_mean.mean()
