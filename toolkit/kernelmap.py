"""A map for new samples from any map of given ones, and the way back: kernel-weighted means of fitted points.

x -> sum_j alpha_j k_j(x) / sum_l k_l(x), with Gaussian k_j about some of the samples and alpha by least squares,
Eq. (2.4)-(2.8) of the thesis: after a t-SNE map this is kernel t-SNE. From places in the plane to points of the data
space the same form serves, with errors measured by Fisher matrices if there are any, Eq. (3.2), (3.3).
"""

import warnings
from numbers import Integral

import numpy as np
import scipy.linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from .contract import keeps_old_model
from .graphs import squared_distances
from .metricfit import metric_least_squares
from .parallel import openmp_threads
from .validation import check_distances, check_magnitude, check_n_components, check_positive

__all__ = ["InverseMap", "KernelMap", "checked_matrices"]

ENTRIES_AT_ONCE = 2**22

LEAST_SQUARE = 1e-200
"""Squared distances up to this are those of duplicates."""


def check_bandwidth(bandwidth, name="bandwidth"):
    """`bandwidth` as a float."""
    if not 1e-6 <= check_positive(bandwidth, name) <= 1e6:
        raise ValueError(f"`{name}` must lie between 1e-6 and 1e6; got {bandwidth!r}.")
    return float(bandwidth)


def nearest_center(squared, *, shared):
    """Distance of each centre to the nearest other, from squared distances among them; shared: their median for all.

    Examples
    --------
    >>> nearest_center(np.array([[0.0, 1, 9], [1, 0, 4], [9, 4, 0]]), shared=False).tolist()
    [1.0, 1.0, 2.0]
    """
    apart = squared > LEAST_SQUARE  # duplicates have no distance to be as wide as
    if not apart.any():
        raise ValueError("`X` must hold at least two different samples to carry kernels; all rows are equal.")
    nearest = np.sqrt(np.min(squared, axis=1, where=apart, initial=np.inf))
    return np.full(len(nearest), np.median(nearest)) if shared else nearest


def kernels(squared, widths):
    """Kernel values over their sum, Eq. (2.6), in the log domain: far samples keep their nearest centre.

    Examples
    --------
    >>> kernels(np.array([[0.0, 2e6]]), np.ones(2)).tolist()
    [[1.0, 0.0]]
    """
    with np.errstate(over="ignore"):
        exponent = np.maximum(-0.5 * squared / widths**2, -1e300)  # Eq. (2.5)
    K = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return K / K.sum(axis=1, keepdims=True)  # Eq. (2.6)


class KernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Out-of-sample extension of a map by normalised Gaussian kernels.

    Parameters
    ----------
    bandwidth : float > 0 or "rule", default=0.25
        Width of a kernel, as a multiple of the distance of its centre to the nearest other centre. The default was
        chosen on t-SNE maps of scikit-learn's digits. "rule" takes, as the thesis does, the smallest factor with which
        every kernel of a centre at every sample is a number above 0.
    widths : {"shared", "own"}
        One width for all kernels, from the median of those nearest distances; or for each kernel its own, as in the
        thesis. Own widths let the few wide kernels of far samples outweigh the others wherever samples are scarce.
    n_centers : int, optional
        How many samples, drawn at random, carry a kernel; all of them by default.
    metric : {"euclidean", "precomputed"}
        Whether X holds vectors, or distances: (n, n) in `fit` and those of new samples to the n in `transform`.
    cutoff : float, default=1e-8
        Singular values of the normalised kernel matrix below this share of the largest count as zero.
    random_state : int, RandomState or None, for `n_centers`

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_centers, n_components), alpha
    centers_ : ndarray of int, row numbers of the samples that carry a kernel
    bandwidth_ : float, the factor used

    Notes
    -----
    (2.8) is transposed as printed: with samples in rows A = K^+ Z. Without noise in K, that is with as many centres as
    samples and narrow kernels, the samples come home exactly and new ones land near their nearest centre.

    References
    ----------
    Schulz (2017), section 2.2.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> KernelMap().fit(X, X[:, :2]).transform(X[:4]).shape
    (4, 2)
    """

    def __init__(
        self, bandwidth=0.25, *, widths="shared", n_centers=None, metric="euclidean", cutoff=1e-8, random_state=None
    ):
        self.bandwidth = bandwidth
        self.widths = widths
        self.n_centers = n_centers
        self.metric = metric
        self.cutoff = cutoff
        self.random_state = random_state

    @keeps_old_model
    def fit(self, X, y):
        """Fit the map to samples X (n_samples, n_features) and their places y (n_samples, n_components)."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if y is None:
            raise ValueError("`y` (the places Z) is missing: it requires y to be passed, but the target y is None.")
        Z = check_array(y, dtype=np.float64, ensure_2d=False)
        Z = Z[:, None] if Z.ndim == 1 else Z
        if len(Z) != len(X):
            raise ValueError(
                f"`X` and `y` must hold the same number of samples; got inconsistent {len(X)} and {len(Z)}."
            )
        check_magnitude(X)
        if self.metric not in ("euclidean", "precomputed"):
            raise ValueError(f'`metric` must be "euclidean" or "precomputed"; got {self.metric!r}.')
        if not isinstance(self.widths, str) or self.widths not in ("shared", "own"):
            raise ValueError(f'`widths` must be "shared" or "own"; got {self.widths!r}.')
        if not isinstance(self.bandwidth, str) or self.bandwidth != "rule":
            check_bandwidth(self.bandwidth)
        if check_positive(self.cutoff, "cutoff", zero=True) >= 1:
            raise ValueError(f"`cutoff` must be a share below 1; got {self.cutoff!r}.")
        if self.metric == "precomputed":
            X = check_distances(X)
        n, m = len(X), self.n_centers
        centers = np.arange(n)
        if m is not None:
            m = check_n_components(m, n, X.shape[1], "n_samples", name="n_centers")
            if m < 2:
                raise ValueError("`n_centers` must be at least 2, since kernels are as wide as centres are apart.")
            centers = np.sort(check_random_state(self.random_state).choice(n, m, replace=False))
        self._precomputed = self.metric == "precomputed"
        # in units of their own and about their median, so that no square vanishes and a far one costs no digits
        self._middle = 0.0 if self._precomputed else np.median(X, axis=0)
        self._unit = float(np.abs(X - self._middle).max()) or 1.0
        self.centers_ = centers
        self._at = None if self._precomputed else (X[centers] - self._middle) / self._unit
        squared = self._squared(X)
        nearest = nearest_center(squared[centers], shared=self.widths == "shared")
        self.bandwidth_ = self._least_bandwidth(squared, nearest) if isinstance(self.bandwidth, str) else self.bandwidth
        self._widths = self.bandwidth_ * nearest
        self.coefficients_ = scipy.linalg.lstsq(kernels(squared, self._widths), Z, cond=self.cutoff)[0]  # Eq. (2.8)
        return self

    def transform(self, X):
        """Places of new samples, shape (m, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        check_magnitude(X)
        if self._precomputed and X.min(initial=0.0) < 0:
            raise ValueError(f"`X` must hold distances, which are not negative; the least is {X.min():.6g}.")
        blocks = np.array_split(X, max(1, len(X) * len(self.centers_) // ENTRIES_AT_ONCE))
        return np.vstack(
            [kernels(self._squared(block), self._widths) @ self.coefficients_ for block in blocks]
        )  # Eq. (2.4)

    @property
    def _n_features_out(self):
        return self.coefficients_.shape[1]

    def _squared(self, X):
        """Squared distances to the centres."""
        X = (X - self._middle) / self._unit
        check_magnitude(X)
        return X[:, self.centers_] ** 2 if self._precomputed else squared_distances(X, self._at)

    def _least_bandwidth(self, squared, nearest):
        """The smallest factor with which no kernel vanishes at any sample."""
        least = -np.log(np.finfo(float).tiny)
        return max(float(np.sqrt(np.max(squared / nearest**2) / (2 * least))), np.finfo(float).tiny)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


class InverseMap(BaseEstimator):
    """From places of a map to points of the data space, by normalised Gaussian kernels in the plane.

    Parameters
    ----------
    n_centers : int or None, default=None
        How many centres carry a kernel, at most one a place; None: a fifth of the samples, from 15 to 300. With as many
        as samples these are hit exactly, noise included, and no metric has a say.
    centers : {"kmeans", "samples"}
        Centres are codebook vectors of the places, or a random part of the places.
    bandwidth : float > 0, default=1.0
        Width of the kernels, as a multiple of the median distance of a centre to the nearest other.
    lam : float >= 0, default=1.0
        With a metric, weight of the Euclidean error beside it, in units of the mean eigenvalue of the Fisher matrices.
        These are singular: with little `lam` points leave the data along directions that the matrices do not see, and a
        model may see them.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_centers, n_features), beta of (3.2), about the mean of the samples
    centers_ : ndarray of shape (n_centers, n_components)
    mean_ : ndarray of shape (n_features,)

    Notes
    -----
    The defaults were chosen by ten-fold agreement on scikit-learn's digits and diabetes and on toy sets; without a
    metric (3.3) is ordinary least squares. In memory are the kernels (n, n_centers) and the factors (n, c, n_features)
    of the Fisher matrices, not the matrices.

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

    def __init__(self, n_centers=None, *, centers="kmeans", bandwidth=1.0, lam=1.0, random_state=0):
        self.n_centers = n_centers
        self.centers = centers
        self.bandwidth = bandwidth
        self.lam = lam
        self.random_state = random_state

    @keeps_old_model
    def fit(self, X, Z, metric=None):
        """Fit the way back.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        Z : array-like of shape (n_samples, n_components), the places of the samples
        metric : fitted metric of :mod:`toolkit.fisher`, or array of shape (n_samples, n_features, n_features), optional
            The Fisher matrices J(x_i) of (3.3); a metric gives their factors, which take less memory.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        Z = check_array(Z, dtype=np.float64, input_name="Z")
        if len(Z) != len(X):
            raise ValueError(f"`X` and `Z` must hold the same number of samples; got {len(X)} and {len(Z)}.")
        check_magnitude(X)
        check_magnitude(Z, "Z")
        if not isinstance(self.centers, str) or self.centers not in ("kmeans", "samples"):
            raise ValueError(f'`centers` must be "kmeans" or "samples"; got {self.centers!r}.')
        bandwidth, lam = check_bandwidth(self.bandwidth), check_positive(self.lam, "lam", zero=True)
        if self.n_centers is not None and (
            not isinstance(self.n_centers, Integral) or isinstance(self.n_centers, bool) or self.n_centers < 2
        ):
            raise ValueError(f"`n_centers` must be None or an integer >= 2; got {self.n_centers!r}.")
        factors, ridge = _factors(metric, X, lam)
        self.mean_ = X.mean(axis=0)
        self._middle = np.median(Z, axis=0)
        self._unit = float(np.abs(Z - self._middle).max()) or 1.0
        Z = (Z - self._middle) / self._unit
        centers = self._chosen(np.unique(Z, axis=0), len(Z))
        squared = squared_distances(centers, centers)
        self._width = 1.0  # centres that coincide: the mean of the samples
        if np.any(squared > LEAST_SQUARE):
            self._width = bandwidth * nearest_center(squared, shared=True)[0]
        self._at = centers
        self.centers_ = centers * self._unit + self._middle
        self.coefficients_ = metric_least_squares(self._kernels(Z), X - self.mean_, factors, ridge)  # Eq. (3.3)
        return self

    def inverse_transform(self, Z):
        """Points of the data space for places of the map.

        Parameters
        ----------
        Z : array-like of shape (m, n_components)

        Returns
        -------
        ndarray of shape (m, n_features)
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=np.float64, input_name="Z")
        if Z.shape[1] != self._at.shape[1]:
            raise ValueError(f"`Z` must hold places of {self._at.shape[1]} coordinates; got {Z.shape[1]}.")
        with np.errstate(over="ignore"):
            Z = (Z - self._middle) / self._unit
        check_magnitude(Z, "Z")
        blocks = np.array_split(Z, max(1, len(Z) * len(self._at) // ENTRIES_AT_ONCE))
        return self.mean_ + np.vstack([self._kernels(B) @ self.coefficients_ for B in blocks])  # Eq. (3.2)

    def _chosen(self, places, n):
        """Centres among the different places of n samples."""
        m = int(np.clip(n // 5, 15, 300)) if self.n_centers is None else self.n_centers
        if m >= len(places):
            return places
        rng = check_random_state(self.random_state)
        if self.centers == "samples":
            return places[np.sort(rng.choice(len(places), m, replace=False))]
        with openmp_threads(1), warnings.catch_warnings():
            # sums of threads end in another order each time; places may coincide but for rounding
            warnings.filterwarnings("ignore", message="Number of distinct clusters", category=ConvergenceWarning)
            centers = KMeans(m, n_init=1, random_state=rng.randint(2**31 - 1)).fit(places).cluster_centers_
        different = np.unique(centers, axis=0)
        return centers if len(different) == m else different

    def _kernels(self, Z):
        return kernels(squared_distances(Z, self._at), np.full(len(self._at), self._width))


def _factors(metric, X, lam):
    """Factors of the Fisher matrices in units of their mean eigenvalue, and what is added to their diagonal."""
    if metric is None:
        return None, 0.0
    own = 0.0
    if hasattr(metric, "factors"):
        factors, own = metric.factors(X), metric.lam
    else:
        J = checked_matrices(metric, X)
        J = J / (np.abs(J).max() or 1.0)  # only their proportions matter
        values, vectors = np.linalg.eigh((J + J.transpose(0, 2, 1)) / 2)
        if values.min() < -1e-9 * max(values.max(), 0):
            raise ValueError(
                f"`metric` must hold positive semi-definite matrices; their least eigenvalue is {values.min():.3g}."
            )
        factors = (vectors * np.sqrt(np.maximum(values, 0))[:, None]).transpose(0, 2, 1)
    size = np.abs(factors).max(initial=0.0)
    if size > 0:  # so that no square over- or underflows
        factors, own = factors / size, own / size / size
    mean = np.mean(np.sum(factors**2, axis=(1, 2))) / X.shape[1] + own
    if mean == 0:
        return None, 0.0  # nothing changes the labels: ordinary least squares
    total = 1 + lam
    return factors / np.sqrt(mean) / np.sqrt(total), (lam + own / mean) / total


def checked_matrices(metric, X):
    """Fisher matrices of samples X (n, d) as an array (n, d, d)."""
    n, d = X.shape
    try:
        J = np.asarray(metric, dtype=float)
    except (TypeError, ValueError):
        J = np.empty(0)
    if J.shape != (n, d, d) or not np.isfinite(J).all():
        raise ValueError(
            f"`metric` must be a fitted Fisher metric of vectors, or finite matrices of shape {(n, d, d)}; got "
            f"{type(metric).__name__}{f' of shape {J.shape}' if J.size else ''}."
        )
    return J
