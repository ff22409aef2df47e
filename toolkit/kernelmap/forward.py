"""Out-of-sample extension of any embedding, thesis Eq. (2.4) to (2.8).

x -> sum_j alpha_j k_j(x) / sum_l k_l(x), with Gaussian kernels k_j about some of the
samples, alpha by least squares.
"""

from contextlib import suppress
from dataclasses import KW_ONLY
from typing import Literal

import numpy as np
from scipy import linalg
from scipy.special import softmax

from ..core import (
    BLOCK_ENTRIES,
    TINY,
    MapEstimator,
    NotNegative,
    Seed,
    by_blocks,
    check_distances,
    check_integer,
    check_is_fitted,
    check_lengths,
    check_magnitude,
    check_map,
    check_memory,
    check_number,
    check_seed,
    draw_rows,
    even_blocks,
    fit_method,
    new_samples,
    parameters,
    require,
    row_blocks,
    rule,
    squared_distances,
    training_samples,
    unit_of,
)

# Squared distances up to this are those of duplicates.
COINCIDENT_SQUARE = 1e-200
# Equations with singular values below this fraction of the largest lose more digits
# than the SVD does.
WELL_CONDITIONED = 1e-4


@parameters
class KernelMap(MapEstimator):
    """Out-of-sample extension of a map by normalised Gaussian kernels.

    Parameters
    ----------
    bandwidth : float > 0 or "rule", default=0.25
        Width of a kernel, as a multiple of the distance of its centre to the nearest
        other centre. The default was chosen on t-SNE maps of scikit-learn's digits.
        "rule" takes, as the thesis does, the smallest factor with which every kernel of
        a centre at every sample is a number above 0.
    widths : {"shared", "own"}, default="shared"
        "shared": one width for all kernels, from the median of those nearest distances.
        "own": a width for each kernel, as in the thesis. Then the few wide kernels of
        outliers outweigh the others wherever samples are scarce.
    n_centers : int or None, default=None
        Number of samples, chosen at random, that are centres of kernels; all of them by
        default.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether X holds vectors, or distances: (n, n) in `fit` and those of new samples
        to the n in `transform`, as `transform` of a Fisher metric returns them.
    cutoff : float >= 0, default=1e-8
        Singular values of the normalised kernel matrix below this fraction of the
        largest count as zero.
    random_state : int, RandomState instance or None, default=None
        Seed for the choice of `n_centers` samples.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_centers, n_components)
        Coefficients alpha.
    centers_ : ndarray of int, shape (n_centers,)
        Row indices of the samples that are centres.
    bandwidth_ : float
        Factor used for the bandwidth.

    Notes
    -----
    (2.8) is transposed as printed: with samples in rows A = K^+ Z. With as many centres
    as samples and narrow kernels each sample is mapped to its own position exactly, and
    new samples near their nearest centre.

    The time is that of solving n equations if all samples are centres and the equations
    are well conditioned, as with the default bandwidth. Otherwise it is that of a
    singular value decomposition, ten times as much.

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

    _labels_required = True
    _multilabel = True

    bandwidth: float | Literal["rule"] = 0.25
    _: KW_ONLY
    widths: Literal["shared", "own"] = "shared"
    n_centers: int | None = None
    metric: Literal["euclidean", "precomputed"] = "euclidean"
    cutoff: NotNegative = 1e-8
    random_state: Seed = None

    @fit_method
    def fit(self, X, y):
        """Fit the map to samples and their positions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; with ``metric="precomputed"`` distances (n_samples, n_samples).
        y : array-like of shape (n_samples, n_components)
            Positions of the samples.

        Returns
        -------
        self : object
            Fitted map.
        """
        X = training_samples(self, X)
        Z = check_map(y, len(X))
        factor = self.bandwidth
        if not isinstance(factor, str) or factor != "rule":
            check_bandwidth(factor, "bandwidth")
        require(self.cutoff < 1, "cutoff", "a fraction below 1", self.cutoff)
        if self.metric == "precomputed":
            X = check_distances(X)
        n, self._n_features_out = Z.shape
        m = check_integer(self.n_centers, "n_centers", 2, n, optional=True)
        if m is None:
            m = n
        check_memory(
            "Kernels",
            n,
            m,
            arrays=5,
            remedy="Give fewer of them by `n_centers`.",
        )
        self.centers_ = draw_rows(n, m, check_seed(self.random_state))
        # Samples are scaled, and centred by the median: neither over- nor underflow,
        # and outliers cost no precision.
        self._middle = 0.0
        if self.metric != "precomputed":
            self._middle = np.median(X, axis=0)
        self._unit = unit_of(X - self._middle)
        self._scaled_centers = None
        if self.metric != "precomputed":
            centers = X[self.centers_] - self._middle
            self._scaled_centers = centers / self._unit
        # the widths
        squared = self._squared(X)
        nearest_distances = nearest_center(
            squared[self.centers_], shared=self.widths == "shared"
        )
        self.bandwidth_ = self.bandwidth
        # The rule takes the smallest factor with which no kernel vanishes at any
        # sample.
        if self.bandwidth == "rule":
            largest_ratio = np.max(squared / nearest_distances**2)
            factor = np.sqrt(largest_ratio / (-2 * np.log(TINY)))
            self.bandwidth_ = max(float(factor), TINY)
        self._widths = self.bandwidth_ * nearest_distances
        # The kernels replace the distances in memory.
        for rows in row_blocks(n, len(self.centers_)):
            squared[rows] = kernels(squared[rows], self._widths)
        self.coefficients_ = least_squares(squared, Z, self.cutoff)
        return self

    @by_blocks
    def transform(self, X):
        """Project new samples.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
            New samples; with ``metric="precomputed"`` distances (m, n_samples) to those
            of `fit`.

        Returns
        -------
        Z : ndarray of shape (m, n_components)
            Positions of the samples.
        """
        check_is_fitted(self)
        if self._scaled_centers is None:
            n = self.n_features_in_
            lengths = (
                f"the distances to the {n} samples of `fit`, finite numbers of shape"
                f" (m, {n}), such as `metric.transform(X_new)` of a Fisher metric or"
                " sklearn.metrics.pairwise_distances(X_new, X)"
            )
            X = new_samples(self, X, rule=lengths)
            check_lengths(X)
        else:
            X = new_samples(self, X)
        return blockwise(self._kernels, X, self.coefficients_)

    def _kernels(self, X):
        """Normalised kernels (m, n_centers) at samples."""
        return kernels(self._squared(X), self._widths)

    def _squared(self, X):
        """Squared distances to the centres, (m, n_centers)."""
        X = (X - self._middle) / self._unit
        check_magnitude(X)
        if self._scaled_centers is None:
            return X[:, self.centers_] ** 2
        return squared_distances(X, self._scaled_centers)


check_bandwidth = rule(check_number, low=1e-6, high=1e6)


def nearest_center(squared, *, shared):
    """Distance (m,) of each centre to the nearest other, from squared ones (m, m).

    With `shared` it is their median.
    """
    # Duplicates have no distance to be as wide as.
    is_distinct = squared > COINCIDENT_SQUARE
    if not is_distinct.any():
        raise ValueError(
            "`X` must hold at least two different samples to carry kernels; all rows"
            " are equal."
        )
    smallest_squares = np.min(
        squared, axis=1, where=is_distinct, initial=np.inf
    )
    nearest_distances = np.sqrt(smallest_squares)
    if shared:
        return np.median(nearest_distances)
    return nearest_distances


def kernels(squared, widths):
    """Normalised kernels (n, m) from squared distances.

    In the log domain outliers keep their nearest centre.

    `squared` (n, m) are those to the centres, `widths` (m,) or a number are theirs.
    """
    with np.errstate(over="ignore"):
        exponent = -0.5 * squared / widths**2  # Eq. (2.5)
        exponent = np.maximum(exponent, -1e300)
    return softmax(exponent, axis=1)  # Eq. (2.6)


def least_squares(K, Z, cutoff):
    """Coefficients A (m, k) of K A ~ Z, for kernels K (n, m) whose rows sum to 1.

    Singular values below the `cutoff` times the largest count as zero. |K x| |x| >= x^T
    K x, so that none is below the least eigenvalue of the symmetric part of a square K;
    the largest is at most the root of its largest sums of a row and of a column. Where
    this shows that none is cut, the equations are solved as they are.
    """
    if K.shape[0] == K.shape[1]:
        fraction = max(cutoff, WELL_CONDITIONED)
        bound = fraction * np.sqrt(K.sum(axis=0).max())
        twice_symmetric = K + K.T
        twice_symmetric.flat[:: len(K) + 1] -= 2 * bound
        with suppress(linalg.LinAlgError):
            # The factor exists if all eigenvalues are above 0.
            linalg.cholesky(
                twice_symmetric.T, overwrite_a=True, check_finite=False
            )
            return linalg.solve(K, Z, assume_a="gen", check_finite=False)
    # Eq. (2.8)
    return linalg.lstsq(K, Z, cond=cutoff)[0]


def blockwise(kernels_of, X, coefficients):
    """Kernels of the rows of X times coefficients (m, k), by moderate blocks."""
    parts = []
    for rows in even_blocks(len(X), len(coefficients), BLOCK_ENTRIES):
        K = kernels_of(X[rows])
        parts.append(K @ coefficients)  # Eq. (2.4), (3.2)
    return np.vstack(parts)
