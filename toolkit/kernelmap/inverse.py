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

MAX_STEPS = 2000
# of the residual: this fraction of the norm of the right-hand side
RELATIVE_TOLERANCE = 1e-10
# this fraction of the norm of the summands of the right-hand side, which may cancel
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
        int | None, rule(check_integer, least=2, none=True)
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
        m = self.n_centers or int(np.clip(len(Z) // 5, 15, 300))
        factors, ridge = _factors(metric, X, self.lam)
        # centres among the positions, in a unit of their own
        self.mean_ = X.mean(axis=0)
        self._middle = np.median(Z, axis=0)
        self._unit = unit_of(Z - self._middle)
        Z = (Z - self._middle) / self._unit
        self._at = np.unique(Z, axis=0)
        if m < len(self._at):
            rng = check_seed(self.random_state)
            # sums of threads end in another order each time; positions may coincide
            # but for rounding, of which the warning tells
            with (
                openmp_threads(1),
                warnings.catch_warnings(
                    action="ignore", category=ConvergenceWarning
                ),
            ):
                means = KMeans(m, n_init=1, random_state=rng.randint(2**31 - 1))
                centers = means.fit(self._at).cluster_centers_
            different = np.unique(centers, axis=0)
            self._at = centers if len(different) == m else different
        check_memory(
            "Kernels",
            len(Z),
            len(self._at),
            arrays=6,
            remedy="Give fewer of them by `n_centers`.",
        )
        self.centers_ = self._at * self._unit + self._middle
        squared = squared_distances(self._at, self._at)
        # of one centre, any width gives the mean of the samples
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
        Z = check_table(Z, "Z", shape=("m", self._at.shape[1]), magnitude=False)
        with np.errstate(over="ignore"):
            Z = (Z - self._middle) / self._unit
        check_magnitude(Z, "Z")
        return self.mean_ + blockwise(self._kernels, Z, self.coefficients_)

    def _kernels(self, Z):
        return kernels(squared_distances(Z, self._at), self._width)


def _factors(metric, X, lam):
    """Factors (n, c, d) of the Fisher matrices, and the ridge for their diagonal.

    Both in units of the mean eigenvalue of the matrices.
    """
    if metric is None:
        return None, 0.0
    own = getattr(metric, "lam", 0.0)
    if hasattr(metric, "factors"):
        factors = metric.factors(X)
    else:
        J = check_matrices(metric, X)
        J = J / unit_of(J)  # only their proportions matter
        values, vectors = np.linalg.eigh((J + J.transpose(0, 2, 1)) / 2)
        if values.min() < -1e-9 * max(values.max(), 0):
            raise ValueError(
                "`metric` must hold positive semi-definite matrices; their least"
                f" eigenvalue is {values.min():.3g}."
            )
        factors = (vectors * safe_root(values)[:, None]).transpose(0, 2, 1)
    size = unit_of(factors)
    factors = factors / size  # so that no square over- or underflows
    own = own / size / size
    mean = np.mean(np.sum(factors**2, axis=(1, 2))) / X.shape[1] + own
    if mean == 0:
        # no direction changes the labels: ordinary least squares
        return None, 0.0
    total = 1 + lam
    return factors / np.sqrt(mean) / np.sqrt(total), (lam + own / mean) / total


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
    back = Vt[:rank].T / s[:rank]
    if factors is None:
        return back @ (U.T @ X)
    # coordinates in which the mean of J_i + lam I is the identity
    n, _, d = factors.shape
    flat = factors.reshape(-1, d)
    values, vectors = np.linalg.eigh(flat.T @ flat / n + lam * np.eye(d))
    # directions without any metric and lam get ordinary least squares
    known = values > 1e-14 * values[-1]
    root = np.sqrt(np.where(known, values, 1.0))
    whiten = vectors / root
    # lam I in these coordinates
    ridge = lam * whiten.T @ whiten + np.diag(~known * 1.0)
    factors = factors @ whiten
    unit = unit_of(X)  # so that no square vanishes
    X = X / unit @ (vectors * root)
    start = U.T @ X

    def gradient(E):  # Eq. (3.3): J_i e_i of every sample, in the basis U
        J_e = (factors.transpose(0, 2, 1) @ (factors @ E[:, :, None]))[:, :, 0]
        return (U.T @ (J_e + E @ ridge)).ravel()

    operator = LinearOperator(
        (start.size, start.size),
        lambda b: gradient(U @ b.reshape(start.shape)),
        dtype=np.float64,
    )
    # what rounding leaves of the right-hand side, where its terms cancel
    sizes = np.sum(factors**2, axis=(1, 2)) + np.trace(ridge)
    terms = sizes * np.linalg.norm(X, axis=1)
    solution, unfinished = cg(
        operator,
        gradient(X),
        x0=start.ravel(),
        maxiter=MAX_STEPS,
        rtol=RELATIVE_TOLERANCE,
        atol=ABSOLUTE_TOLERANCE * float(np.linalg.norm(terms)),
    )
    if unfinished:
        warn(
            "the equations of the inverse map were not solved to"
            f" {RELATIVE_TOLERANCE:g} in {MAX_STEPS} steps; raise `lam`.",
            RuntimeWarning,
        )
    return unit * (back @ (solution.reshape(start.shape) @ whiten.T))
