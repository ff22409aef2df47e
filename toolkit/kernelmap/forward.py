"""A map for new samples from any map of given ones (out-of-sample extension): kernel-weighted means of fitted points.

x -> sum_j alpha_j k_j(x) / sum_l k_l(x), with Gaussian k_j about some of the samples and alpha by least squares,
Eq. (2.4)-(2.8) of the thesis: after a t-SNE map this is kernel t-SNE.
"""

import numpy as np
import scipy.linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ..core.checks import check_distances, check_magnitude, check_n_components, check_positive
from ..core.estimators import restore_on_failure
from ..core.graphs import squared_distances
from .kernels import check_bandwidth, kernels, nearest_center

__all__ = ["KernelMap"]

ENTRIES_AT_ONCE = 2**22


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

    @restore_on_failure
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
