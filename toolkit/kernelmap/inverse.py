"""Inverse of a map, from the plane to the data space: thesis Eq. (3.2).

The least squares (3.3) have one Mahalanobis metric per sample, if there are Fisher
matrices J_i = F_i^T F_i. Minimised over the coefficients B is the mean of (x_i - B^T
k_i)^T (J_i + lam I) (x_i - B^T k_i). The normal equations, sum_i (k_i k_i^T kron J_i)
vec(B) = sum_i k_i kron J_i x_i, have m d unknowns. Their matrix is never formed: in an
orthonormal basis of the columns of K, and in coordinates in which the mean of the J_i +
lam I is the identity, conjugate gradients need few steps, each of two products with K
and two with the factors F_i.
"""

import warnings
from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ..core import (
    Estimator,
    NotNegative,
    Seed,
    by_blocks,
    check_integer,
    check_is_fitted,
    check_magnitude,
    check_memory,
    check_numbers,
    check_same_length,
    check_seed,
    check_table,
    fit_method,
    openmp_threads,
    parameters,
    reading,
    rule,
    safe_root,
    squared_distances,
    training_samples,
    unit_of,
    warn,
)
from .forward import (
    COINCIDENT_SQUARE,
    blockwise,
    check_bandwidth,
    kernels,
    nearest_center,
)

# Steps of conjugate gradients.
MAX_GRADIENT_STEPS = 2000
# Norm of the residual, over that of the right-hand side, at which they end.
RELATIVE_TOLERANCE = 1e-10
# The same over the norm of the summands of the right-hand side, which may cancel.
ABSOLUTE_TOLERANCE = 1e-14


@parameters
class InverseMap(Estimator):
    """Inverse map from positions of a map to points of the data space, by kernels.

    Parameters
    ----------
    n_centers : int >= 2 or None, default=None
        Number of centres of kernels (by k-means of the positions), at most one per
        position; None: a fifth of the samples, from 15 to 300. With as many as samples
        these are interpolated, noise included, and a metric has no effect.
    bandwidth : float from 1e-6 to 1e6, default=1.0
        Width of the kernels, as a multiple of the median distance of a centre to the
        nearest other.
    lam : float >= 0, default=1.0
        With a metric, weight of the Euclidean error, in units of the mean eigenvalue of
        the Fisher matrices. These are singular: with a small `lam` points leave the
        data along directions that the matrices ignore, and a model may use them.
    random_state : int, RandomState instance or None, default=0
        Seed for the centres.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_centers, n_features)
        Coefficients beta of (3.2), about the mean of the samples.
    centers_ : ndarray of shape (n_centers, n_components)
        Centres of the kernels.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.

    Notes
    -----
    The defaults were chosen by ten-fold agreement on scikit-learn's digits and diabetes
    and on synthetic data; without a metric (3.3) is ordinary least squares. Memory is
    that of kernels (n, n_centers) and factors (n, c, n_features).

    References
    ----------
    Schulz (2017), section 3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> InverseMap(n_centers=30).fit(X, X[:, 2:]).inverse_transform([[1.4, 0.2]]).shape
    (1, 4)
    """

    _compares_samples = False

    n_centers: Annotated[
        int | None, rule(check_integer, low=2, optional=True)
    ] = None
    _: KW_ONLY
    bandwidth: Annotated[float, check_bandwidth] = 1.0
    lam: NotNegative = 1.0
    random_state: Seed = 0

    @fit_method
    def fit(self, X, Z, metric=None):
        """Fit the inverse map to samples and their positions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        Z : array-like of shape (n_samples, n_components)
            Positions of the samples.
        metric : fitted metric of :mod:`toolkit.fisher`, array or None, default=None
            Source of the Fisher matrices J(x_i) of (3.3): a metric, whose factors take
            less memory, or an array (n_samples, n_features, n_features).

        Returns
        -------
        self : object
            Fitted inverse map.
        """
        X = training_samples(self, X)
        Z = check_table(Z, "Z")
        check_same_length(X, Z, ("X", "Z"))
        m = self.n_centers
        if m is None:
            m = int(np.clip(len(Z) // 5, 15, 300))
        factors, ridge = _factors(metric, X, self.lam)
        # centres among the positions, in a unit of their own
        self.mean_ = X.mean(axis=0)
        self._middle = np.median(Z, axis=0)
        self._unit = unit_of(Z - self._middle)
        Z = (Z - self._middle) / self._unit
        centers = np.unique(Z, axis=0)
        if m < len(centers):
            rng = check_seed(self.random_state)
            centers = _means(centers, m, rng.randint(2**31 - 1))
        check_memory(
            "Kernels",
            len(Z),
            len(centers),
            arrays=6,
            remedy="Give fewer of them by `n_centers`.",
        )
        self._scaled_centers = centers
        self.centers_ = centers * self._unit + self._middle
        squared = squared_distances(centers, centers)
        # Any width of a single centre gives the mean of the samples.
        self._width = 1.0
        if np.any(squared > COINCIDENT_SQUARE):
            self._width = self.bandwidth * nearest_center(squared, shared=True)
        self.coefficients_ = metric_least_squares(
            self._kernels(Z), X - self.mean_, factors, ridge
        )
        return self

    @by_blocks
    def inverse_transform(self, Z):
        """Return points of the data space for positions of the map.

        Parameters
        ----------
        Z : array-like of shape (m, n_components)
            Positions of the map.

        Returns
        -------
        X : ndarray of shape (m, n_features)
            Points of the data space.
        """
        check_is_fitted(self)
        k = self._scaled_centers.shape[1]
        Z = check_table(Z, "Z", shape=("m", k), magnitude=False)
        with np.errstate(over="ignore"):
            Z = (Z - self._middle) / self._unit
        check_magnitude(Z, "Z")
        return self.mean_ + blockwise(self._kernels, Z, self.coefficients_)

    def _kernels(self, Z):
        """Normalised kernels (m, n_centers) at positions in the unit of the fit."""
        squared = squared_distances(Z, self._scaled_centers)
        return kernels(squared, self._width)


def _means(Z, m, seed):
    """At most `m` different centres of the positions Z (n, k), by k-means."""
    k_means = KMeans(m, n_init=1, random_state=seed)
    # Sums of threads end in another order each time. Positions may coincide but for
    # rounding, of which the warning tells.
    with (
        openmp_threads(1),
        warnings.catch_warnings(action="ignore", category=ConvergenceWarning),
    ):
        centers = k_means.fit(Z).cluster_centers_
    distinct_centers = np.unique(centers, axis=0)
    return centers if len(distinct_centers) == m else distinct_centers


def _factors(metric, X, lam):
    """Factors (n, c, d) of the Fisher matrices, and the ridge for their diagonal.

    Both in units of the mean eigenvalue of the matrices, as the parameter `lam` is.
    """
    if metric is None:
        return None, 0.0
    metric_lam = getattr(metric, "lam", 0.0)
    if hasattr(metric, "factors"):
        factors = metric.factors(X)
    else:
        J = check_matrices(metric, X)
        J = J / unit_of(J)  # only their proportions matter
        J_symmetric = (J + J.transpose(0, 2, 1)) / 2
        values, vectors = np.linalg.eigh(J_symmetric)
        if values.min() < -1e-9 * max(values.max(), 0):
            raise ValueError(
                "`metric` must hold positive semi-definite matrices; their least"
                f" eigenvalue is {values.min():.3g}."
            )
        scaled = vectors * safe_root(values)[:, None]
        factors = scaled.transpose(0, 2, 1)
    size = unit_of(factors)
    factors = factors / size  # no square over- or underflows
    metric_lam = metric_lam / size / size
    traces = np.sum(factors**2, axis=(1, 2))
    mean = np.mean(traces) / X.shape[1] + metric_lam
    if mean == 0:
        # No direction changes the labels: ordinary least squares.
        return None, 0.0
    total = 1 + lam
    factors = factors / np.sqrt(mean) / np.sqrt(total)
    ridge = (lam + metric_lam / mean) / total
    return factors, ridge


def check_matrices(metric, X):
    """Fisher matrices of samples X (n, d) as an array (n, d, d)."""
    shape = (*X.shape, X.shape[1])
    rule = f"a fitted Fisher metric of vectors, or finite matrices of shape {shape}"
    with reading("metric", metric, rule):
        return check_numbers(metric, "metric", shape=shape, magnitude=False)


def metric_least_squares(K, X, factors, lam):
    """Coefficients B (m, d) of K B ~ X in the metrics of the samples.

    From K (n, m), X (n, d) and factors F_i (n, c, d), None for ordinary least squares.
    Singular values of K below 1e-8 times the largest are 0.
    """
    # an orthonormal basis U of the columns of K: B = back @ coefficients in U
    U, s, Vt = linalg.svd(K, full_matrices=False)
    rank = np.count_nonzero(s > 1e-8 * s[0])
    U = U[:, :rank]
    from_basis = Vt[:rank].T / s[:rank]
    if factors is None:
        return from_basis @ (U.T @ X)
    # coordinates in which the mean of J_i + lam I is the identity
    n, _, d = factors.shape
    stacked_factors = factors.reshape(-1, d)
    mean = stacked_factors.T @ stacked_factors / n + lam * np.eye(d)
    values, vectors = np.linalg.eigh(mean)
    # Directions without any metric and lam get ordinary least squares.
    has_metric = values > 1e-14 * values[-1]
    root = np.sqrt(np.where(has_metric, values, 1.0))
    whitening = vectors / root
    # lam I in these coordinates
    ridge = lam * whitening.T @ whitening
    ridge += np.diag(np.where(has_metric, 0.0, 1.0))
    factors = factors @ whitening
    unit = unit_of(X)  # no square vanishes
    X = X / unit @ (vectors * root)
    start = U.T @ X

    def gradient(E):
        """J_i e_i of every sample, in the basis U, as one vector.

        E (n, d) holds the residuals e_i as rows.
        """
        F_e = factors @ E[:, :, None]
        J_e = (factors.transpose(0, 2, 1) @ F_e)[:, :, 0]
        in_basis = U.T @ (J_e + E @ ridge)  # Eq. (3.3)
        return in_basis.ravel()

    operator = LinearOperator(
        (start.size, start.size),
        lambda b: gradient(U @ b.reshape(start.shape)),
        dtype=np.float64,
    )
    # What rounding leaves of the right-hand side, where its terms cancel, is no error.
    sizes = np.sum(factors**2, axis=(1, 2)) + np.trace(ridge)
    terms = sizes * np.linalg.norm(X, axis=1)
    solution, failure_code = cg(
        operator,
        gradient(X),
        x0=start.ravel(),
        maxiter=MAX_GRADIENT_STEPS,
        rtol=RELATIVE_TOLERANCE,
        atol=ABSOLUTE_TOLERANCE * float(np.linalg.norm(terms)),
    )
    if failure_code:
        warn(
            "the equations of the inverse map were not solved to"
            f" {RELATIVE_TOLERANCE:g} in {MAX_GRADIENT_STEPS} steps; raise `lam`.",
            RuntimeWarning,
        )
    E = solution.reshape(start.shape) @ whitening.T
    return unit * (from_basis @ E)
