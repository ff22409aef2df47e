"""A map for new samples from any map of given ones: x goes to a kernel-weighted mean of fitted points.

x -> sum_j alpha_j k_j(x) / sum_l k_l(x), with Gaussian k_j as wide as the distance of x_j to its nearest neighbour and
alpha by least squares, Eq. (2.4)-(2.8) of the thesis.
"""

import numpy as np
import scipy.linalg
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from .graphs import local_scales, squared_distances
from .validation import check_magnitude, check_positive

__all__ = ["KernelMap"]


class KernelMap(TransformerMixin, BaseEstimator):
    """Out-of-sample extension of a map by normalised Gaussian kernels.

    Parameters
    ----------
    bandwidth : float > 0, default=0.5
        Width of each kernel, as a multiple of the distance of its centre to the nearest other sample.
    cutoff : float, default=1e-8
        Singular values of the normalised kernel matrix below this share of the largest count as zero.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_samples, n_components), alpha

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

    def __init__(self, bandwidth=0.5, *, cutoff=1e-8):
        self.bandwidth = bandwidth
        self.cutoff = cutoff

    def fit(self, X, y):
        """Fit the map to samples X (n_samples, n_features) and their places y (n_samples, n_components)."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if y is None:
            raise ValueError(
                "`y` (the places Z) is missing: it requires y to be passed, but the target y is None."
            )
        Z = check_array(y, dtype=np.float64, ensure_2d=False)
        Z = Z[:, None] if Z.ndim == 1 else Z
        if len(Z) != len(X):
            raise ValueError(
                f"`X` and `y` must hold the same number of samples; got inconsistent {len(X)} and {len(Z)}."
            )
        check_magnitude(X)
        check_positive(self.bandwidth, "bandwidth")
        self._X, self._widths = X, self.bandwidth * local_scales(X, 1)
        K = self._normalised(X)
        self.coefficients_ = scipy.linalg.lstsq(K, Z, cond=self.cutoff)[0]  # Eq. (2.8)
        return self

    def transform(self, X):
        """Places of new samples, shape (m, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._normalised(X) @ self.coefficients_  # Eq. (2.4)

    def _normalised(self, X):
        """Kernel values over their sum, Eq. (2.6), in the log domain: far samples keep their nearest centre."""
        center = self._X.mean(axis=0)
        squared = squared_distances(X - center, self._X - center)
        exponent = -0.5 * squared / self._widths**2  # Eq. (2.5)
        K = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        return K / K.sum(axis=1, keepdims=True)  # Eq. (2.6)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
