"""Out-of-sample extension of any embedding by kernel regression, thesis Eq. (2.4) to (2.8): kernel t-SNE and the like.

x -> sum_j alpha_j k_j(x) / sum_l k_l(x), with Gaussian kernels k_j about some of the
samples, alpha by least squares.
"""

from dataclasses import KW_ONLY

import numpy as np
import scipy.linalg
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import TABLE, check_numbers, check_table
from ..core.checks import (
    check_distances,
    check_integer,
    check_lengths,
    check_magnitude,
    check_option,
    check_positive,
    check_same_length,
    check_seed,
    short_repr,
)
from ..core.estimators import (
    by_blocks,
    new_samples,
    restore_on_failure,
    training_samples,
)
from ..core.graphs import squared_distances
from ..core.memory import check_memory
from ..core.parameters import parameters
from ..core.progress import progress
from ..core.scaling import warn_of_scales
from .kernels import blockwise, check_bandwidth, kernels, nearest_center

LENGTHS = (
    "the distances to the {n} samples of `fit`, finite numbers of shape (m, {n}), such"
    " as `metric.transform(X_new)` of a Fisher metric or"
    " sklearn.metrics.pairwise_distances(X_new, X)"
)


@parameters
class KernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Out-of-sample extension of a map by normalised Gaussian kernels.

    Parameters
    ----------
    bandwidth : float > 0 or "rule", default=0.25
        Width of a kernel, as a multiple of the distance of its centre to the nearest
        other centre. The default was chosen on t-SNE maps of scikit-learn's digits.
        "rule" takes, as the thesis does, the smallest factor with which every kernel of
        a centre at every sample is a number above 0.
    widths : {"shared", "own"}
        One width for all kernels, from the median of those nearest distances; or for
        each kernel its own, as in the thesis. Own widths let the few wide kernels of
        outliers outweigh the others wherever samples are scarce.
    n_centers : int, optional
        How many samples, drawn at random, carry a kernel; all of them by default.
    metric : {"euclidean", "precomputed"}
        Whether X holds vectors, or distances: (n, n) in `fit` and those of new samples
        to the n in `transform`, such as a Fisher metric's own `transform` gives.
    cutoff : float, default=1e-8
        Singular values of the normalised kernel matrix below this fraction of the
        largest count as zero.
    random_state : int, RandomState or None, for `n_centers`
    verbose : bool, default=False, whether to show how long the least squares take

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_centers, n_components), alpha
    centers_ : ndarray of int, shape (q,), row numbers of the samples that carry a kernel
    bandwidth_ : float, the factor used

    Notes
    -----
    (2.8) is transposed as printed: with samples in rows A = K^+ Z. With as many centres
    as samples and narrow kernels each sample is mapped to its own position exactly, and
    new ones land near their nearest centre.

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

    bandwidth: float = 0.25
    _: KW_ONLY
    widths: str = "shared"
    n_centers: int = None
    metric: str = "euclidean"
    cutoff: float = 1e-8
    random_state: object = None
    verbose: bool = False

    @restore_on_failure
    def fit(self, X, y):
        """Fit the map to samples X (n_samples, n_features) and their positions y (n_samples, n_components)."""
        X = training_samples(self, X)
        if y is None:
            raise ValueError(
                "`y` (the positions Z) is missing: it requires y to be passed, but the"
                " target y is None."
            )
        Z = check_numbers(y, "y")
        Z = Z[:, None] if Z.ndim == 1 else check_table(Z, "y")
        check_same_length(X, Z, ("X", "y"))
        self._precomputed = (
            check_option(self.metric, "metric", ("euclidean", "precomputed"))
            == "precomputed"
        )
        shared = check_option(self.widths, "widths", ("shared", "own")) == "shared"
        by_rule = isinstance(self.bandwidth, str) and self.bandwidth == "rule"
        if not by_rule:
            check_bandwidth(self.bandwidth)
        if check_positive(self.cutoff, "cutoff", zero=True) >= 1:
            raise ValueError(
                f"`cutoff` must be a fraction below 1; got {short_repr(self.cutoff)}."
            )
        if self._precomputed:
            X = check_distances(X)
        else:
            warn_of_scales(X, self)
        n = len(X)
        m = check_integer(self.n_centers, "n_centers", 2, n, none=True)
        check_memory(
            "Kernels", n, m or n, arrays=5, remedy="Give fewer of them by `n_centers`."
        )
        self.centers_ = np.arange(n)
        if m:
            self.centers_ = np.sort(
                check_seed(self.random_state).choice(n, m, replace=False)
            )
        # scaled and centred by the median: neither over- nor underflow, and outliers
        # cost no precision
        self._middle = 0.0 if self._precomputed else np.median(X, axis=0)
        self._unit = float(np.abs(X - self._middle).max()) or 1.0
        self._at = (
            None
            if self._precomputed
            else (X[self.centers_] - self._middle) / self._unit
        )
        squared = self._squared(X)
        nearest = nearest_center(squared[self.centers_], shared=shared)
        self.bandwidth_ = self.bandwidth
        if by_rule:  # the smallest factor with which no kernel vanishes at any sample
            tiny = np.finfo(float).tiny
            self.bandwidth_ = max(
                float(np.sqrt(np.max(squared / nearest**2) / (-2 * np.log(tiny)))), tiny
            )
        self._widths = self.bandwidth_ * nearest
        with progress(1, "least squares", self.verbose):
            # Eq. (2.8)
            self.coefficients_ = scipy.linalg.lstsq(
                kernels(squared, self._widths), Z, cond=self.cutoff
            )[0]
        return self

    @by_blocks
    def transform(self, X):
        """Positions (m, n_components) of new samples X (m, n_features), or X (m, n), distances to those of `fit`."""
        check_is_fitted(self)
        X = new_samples(
            self,
            X,
            rule=LENGTHS.format(n=self.n_features_in_) if self._precomputed else TABLE,
        )
        if self._precomputed:
            check_lengths(X)
        return blockwise(self._map, X, len(self.centers_))

    def _map(self, X):
        return kernels(self._squared(X), self._widths) @ self.coefficients_  # Eq. (2.4)

    @property
    def _n_features_out(self):
        return self.coefficients_.shape[1]

    def _squared(self, X):
        """Squared distances to the centres, (m, n_centers)."""
        X = (X - self._middle) / self._unit
        check_magnitude(X)
        return (
            X[:, self.centers_] ** 2
            if self._precomputed
            else squared_distances(X, self._at)
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.target_tags.multi_output = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
