"""Inverse of a map, from the plane to the data space, by the kernel regression of :mod:`.forward`: thesis Eq. (3.2).

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

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import check_numbers, check_table, reading
from ..core.checks import (
    check_integer,
    check_magnitude,
    check_option,
    check_positive,
    check_same_length,
    check_seed,
)
from ..core.estimators import by_blocks, restore_on_failure, training_samples, warn
from ..core.graphs import squared_distances
from ..core.memory import check_memory
from ..core.parameters import parameters
from ..core.progress import openmp_threads, progress
from .kernels import (
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
class InverseMap(BaseEstimator):
    """From positions in a map to points of the data space, by normalised Gaussian kernels in the plane.

    Parameters
    ----------
    n_centers : int or None, default=None
        How many centres carry a kernel, at most one per position; None: a fifth of the
        samples, from 15 to 300. With as many as samples these are interpolated, noise
        included, and a metric changes nothing.
    centers : {"kmeans", "samples"}
        Centres are codebook vectors of the positions, or a random part of them.
    bandwidth : float > 0, default=1.0
        Width of the kernels, as a multiple of the median distance of a centre to the
        nearest other.
    lam : float >= 0, default=1.0
        With a metric, weight of the Euclidean error beside it, in units of the mean
        eigenvalue of the Fisher matrices. These are singular: with little `lam` points
        leave the data along directions that the matrices do not see, and a model may
        see them.
    random_state : int, RandomState or None, default=0
    verbose : bool, default=False, whether to show how long the fit takes

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_centers, n_features), beta of (3.2), about the mean of the samples
    centers_ : ndarray of shape (n_centers, n_components)
    mean_ : ndarray of shape (n_features,)

    Notes
    -----
    The defaults were chosen by ten-fold agreement on scikit-learn's digits and diabetes
    and on toy sets; without a metric (3.3) is ordinary least squares. Memory is that of
    kernels (n, n_centers) and factors (n, c, n_features).

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

    n_centers: int = None
    _: KW_ONLY
    centers: str = "kmeans"
    bandwidth: float = 1.0
    lam: float = 1.0
    random_state: object = 0
    verbose: bool = False

    @restore_on_failure
    def fit(self, X, Z, metric=None):
        """Fit the inverse map to samples X (n_samples, n_features) and their positions Z (n_samples, n_components).

        The Fisher matrices J(x_i) of (3.3) are those of `metric`, a fitted metric of
        :mod:`toolkit.fisher`, whose factors take less memory, or an array of shape
        (n_samples, n_features, n_features).
        """
        X = training_samples(self, X)
        Z = check_table(Z, "Z")
        check_same_length(X, Z, ("X", "Z"))
        check_option(self.centers, "centers", ("kmeans", "samples"))
        bandwidth = check_bandwidth(self.bandwidth)
        lam = check_positive(self.lam, "lam", zero=True)
        m = check_integer(self.n_centers, "n_centers", 2, none=True) or int(
            np.clip(len(Z) // 5, 15, 300)
        )
        with progress(1, "inverse map", self.verbose):
            factors, ridge = _factors(metric, X, lam)
            self.mean_ = X.mean(axis=0)
            self._middle = np.median(Z, axis=0)
            self._unit = float(np.abs(Z - self._middle).max()) or 1.0
            Z = (Z - self._middle) / self._unit
            self._at = self._chosen(np.unique(Z, axis=0), m)
            check_memory(
                "Kernels",
                len(Z),
                len(self._at),
                arrays=6,
                remedy="Give fewer of them by `n_centers`.",
            )
            self.centers_ = self._at * self._unit + self._middle
            squared = squared_distances(self._at, self._at)
            # otherwise any width gives the mean of the samples
            distinct = np.any(squared > COINCIDENT_SQUARE)
            self._width = (
                bandwidth * nearest_center(squared, shared=True) if distinct else 1.0
            )
            self.coefficients_ = metric_least_squares(
                self._kernels(Z), X - self.mean_, factors, ridge
            )
        return self

    @by_blocks
    def inverse_transform(self, Z):
        """Points of the data space (m, n_features) for positions Z (m, n_components) in the map."""
        check_is_fitted(self)
        Z = check_table(Z, "Z", shape=("m", self._at.shape[1]), magnitude=False)
        with np.errstate(over="ignore"):
            Z = (Z - self._middle) / self._unit
        check_magnitude(Z, "Z")
        # Eq. (3.2)
        return self.mean_ + blockwise(
            lambda B: self._kernels(B) @ self.coefficients_, Z, len(self._at)
        )

    def _chosen(self, distinct, m):
        """So many centres among the distinct positions of samples."""
        if m >= len(distinct):
            return distinct
        rng = check_seed(self.random_state)
        if self.centers == "samples":
            return distinct[np.sort(rng.choice(len(distinct), m, replace=False))]
        with openmp_threads(1), warnings.catch_warnings():
            # sums of threads end in another order each time; positions may coincide but
            # for rounding
            warnings.filterwarnings(
                "ignore",
                message="Number of distinct clusters",
                category=ConvergenceWarning,
            )
            centers = (
                KMeans(m, n_init=1, random_state=rng.randint(2**31 - 1))
                .fit(distinct)
                .cluster_centers_
            )
        different = np.unique(centers, axis=0)
        return centers if len(different) == m else different

    def _kernels(self, Z):
        return kernels(squared_distances(Z, self._at), self._width)


def _factors(metric, X, lam):
    """Factors (n, c, d) of the Fisher matrices in units of their mean eigenvalue, and the ridge for their diagonal."""
    if metric is None:
        return None, 0.0
    own = getattr(metric, "lam", 0.0)
    if hasattr(metric, "factors"):
        factors = metric.factors(X)
    else:
        J = checked_matrices(metric, X)
        J = J / (np.abs(J).max() or 1.0)  # only their proportions matter
        values, vectors = np.linalg.eigh((J + J.transpose(0, 2, 1)) / 2)
        if values.min() < -1e-9 * max(values.max(), 0):
            raise ValueError(
                "`metric` must hold positive semi-definite matrices; their least"
                f" eigenvalue is {values.min():.3g}."
            )
        factors = (vectors * np.sqrt(np.maximum(values, 0))[:, None]).transpose(0, 2, 1)
    size = np.abs(factors).max(initial=0.0)
    if size > 0:  # so that no square over- or underflows
        factors = factors / size
        own = own / size / size
    mean = np.mean(np.sum(factors**2, axis=(1, 2))) / X.shape[1] + own
    if mean == 0:
        return None, 0.0  # nothing changes the labels: ordinary least squares
    total = 1 + lam
    return factors / np.sqrt(mean) / np.sqrt(total), (lam + own / mean) / total


def checked_matrices(metric, X):
    """Fisher matrices of samples X (n, d) as an array (n, d, d)."""
    n, d = X.shape
    with reading(
        "metric",
        metric,
        f"a fitted Fisher metric of vectors, or finite matrices of shape {(n, d, d)}",
    ):
        return check_numbers(metric, "metric", shape=(n, d, d), magnitude=False)


def metric_least_squares(K, X, factors, lam, *, cutoff=1e-8):
    """Coefficients B (m, d) of K B ~ X in the metrics of the samples, from K (n, m), X (n, d), factors F_i (n, c, d).

    Without `factors` they are ordinary least squares. Singular values of K below
    `cutoff` times the largest are 0.
    """
    U, s, Vt = scipy.linalg.svd(K, full_matrices=False)
    kept = s > cutoff * s[0]
    U = U[:, kept]
    back = Vt[kept].T / s[kept]
    if factors is None:
        return back @ (U.T @ X)
    n, d = X.shape
    flat = factors.reshape(-1, d)
    mean = flat.T @ flat / n + lam * np.eye(d)
    values, vectors = np.linalg.eigh(mean)
    # directions that no sample and no lam measures get ordinary least squares
    known = values > 1e-14 * values[-1]
    root = np.sqrt(np.where(known, values, 1.0))
    whiten = vectors / root
    unwhiten = vectors * root
    factors = factors @ whiten
    ridge = lam * whiten.T @ whiten + np.diag(~known * 1.0)

    def measured(E):  # Eq. (3.3): J_i e_i of every sample
        return (factors.transpose(0, 2, 1) @ (factors @ E[:, :, None]))[
            :, :, 0
        ] + E @ ridge

    unit = np.abs(X).max() or 1.0  # so that no square vanishes
    X = X / unit @ unwhiten
    start = U.T @ X
    shape = (U.shape[1], d)
    if not start.any():
        return unit * (back @ start)

    def product(b):
        return (U.T @ measured(U @ b.reshape(shape))).ravel()

    operator = LinearOperator((start.size, start.size), product, dtype=np.float64)
    right = (U.T @ measured(X)).ravel()
    # what rounding leaves of the right-hand side, where its terms cancel
    terms = (np.sum(factors**2, axis=(1, 2)) + np.trace(ridge)) * np.linalg.norm(
        X, axis=1
    )
    atol = ABSOLUTE_TOLERANCE * float(np.linalg.norm(terms))
    solution, unfinished = cg(
        operator,
        right,
        x0=start.ravel(),
        maxiter=MAX_STEPS,
        rtol=RELATIVE_TOLERANCE,
        atol=atol,
    )
    if unfinished:
        warn(
            "the equations of the inverse map were not solved to"
            f" {RELATIVE_TOLERANCE:g} in {MAX_STEPS} steps; raise `lam`.",
            RuntimeWarning,
        )
    return unit * (back @ (solution.reshape(shape) @ whiten.T))
