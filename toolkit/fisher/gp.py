"""Fisher metric of a real-valued target, by Gaussian process regression.

    k(x, x') = exp(-beta |x - x'|^2),   p(y | x) = N(m(x), v(x)),
    m(x) = k^T alpha,   v(x) = 1 + s2 - k^T M k,   M = (K + s2 I)^-1,   alpha = M y

(the noise s2 on the diagonal, the target standardised). Of a normal density the Fisher
matrix is grad m grad m^T / v + grad v grad v^T / (2 v^2), which is (2.40).
"""

import warnings
from functools import partial
from typing import Annotated

import numpy as np
import scipy.linalg
from joblib import delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel

from ..core import (
    NotNegative,
    Shared,
    check_memory,
    check_number,
    check_target,
    fit_method,
    parameters,
    row_blocks,
    rule,
    squared_distances,
    training_samples,
)
from .base import FisherMetric
from .paths import trapezoid

# Below this the covariance matrix is too close to singular for distances to be trusted.
MIN_NOISE = 1e-4
# The smallest number above 0.
LEAST_BETA = 5e-324
# Products of numbers in a task, which takes some tens of milliseconds.
PRODUCTS_AT_ONCE = 2**27
# Squares of distances beyond so many lengths of the kernel overflow in sums.
MAX_KERNEL_LENGTHS = 1e100


@parameters
class GPFisher(FisherMetric):
    """Fisher metric of a real-valued target, estimated by a Gaussian process.

    Its distances grow where the target changes.

    Parameters
    ----------
    beta : float from 5e-324 to 1e300 or None, default=None
        Inverse squared length of the kernel ``exp(-beta |x - x'|^2)``, one for all
        features, which should have similar units; None: by the marginal likelihood,
        from one start.
    noise : float >= 1e-4 or None, default=None
        Variance of the noise, the target having variance 1; None: by the marginal
        likelihood.
    lam : float >= 0, default=0.0
        Weight of the Euclidean metric added, J + lam I, (2.16).
    n_jobs : int or None, default=None
        Number of threads of joblib for distances; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    beta_ : float
        Inverse squared length of the kernel that was used.
    noise_ : float
        Variance of the noise that was used.
    alpha_ : ndarray of shape (n_samples,)
        Coefficients M y of (2.33).

    Notes
    -----
    The Fisher matrix (2.40) has rank 2 at most. A process with little noise overfits
    the targets, and the map shows them where nothing can be predicted:
    :func:`overfitting_check` compares with permuted targets and held-out samples. All
    lines of n samples cost O(n^4): seconds for 500, a minute for 1,000; beyond that fit
    a part of the samples.

    Lengths are computed in units of a power of two near the kernel's length, so that
    the units of `X` do not matter; arguments and results are in the user's units.
    Schulz (2017), section 2.6.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> gp = GPFisher(beta=30.0, noise=0.5).fit(X[:100], y[:100])
    >>> gp.distances().shape, gp.matrix(X[:1]).shape
    ((100, 100), (1, 10, 10))
    """

    beta: Annotated[
        float | None,
        rule(check_number, low=LEAST_BETA, high=1e300, optional=True),
    ] = None
    # Less noise makes the matrix nearly singular.
    noise: Annotated[
        float | None, rule(check_number, low=MIN_NOISE, optional=True)
    ] = None
    lam: NotNegative = 0.0

    @fit_method
    def fit(self, X, y):
        """Fit the Gaussian process to samples and real targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target: values, one per sample.

        Returns
        -------
        self : object
            The fitted metric.

        Raises
        ------
        ValueError
            If a parameter violates its rule, if all targets or all samples are equal,
            or if memory does not suffice for the arrays of all pairs.
        """
        X = training_samples(self, X)
        y = check_targets(y, X)
        check_memory(
            "The Gaussian process",
            len(X),
            arrays=10,
            remedy=f"To do with less, {self._memory_remedy}.",
        )
        self._keep(X)
        gap = np.ptp(X, axis=0).max()
        if gap < 1e-100:
            raise ValueError(
                "`X` must hold two different samples; all rows are equal, or so close"
                f" that matrices overflow (largest range {gap:.3g}). Rescale it."
            )
        # the target with mean 0 and variance 1
        y = y / np.abs(y).max()  # no square over- or underflows
        y = (y - y.mean()) / y.std()
        # the hyperparameters
        beta = self.beta
        noise = self.noise
        X_centred = X - self._mean
        if beta is None or noise is None:
            with self._bar("marginal likelihood"):
                beta, noise = _by_marginal_likelihood(X_centred, y, beta, noise)
        # the internal unit of length, by which division is exact, and `beta` in it
        largest_coordinate = np.abs(X_centred).max()
        kernel_length = 1 / np.sqrt(beta)
        length = min(kernel_length, 1e9 * largest_coordinate)
        self._unit = nearest_power_of_two(length)
        self._beta = beta * self._unit * self._unit
        if largest_coordinate / self._unit > MAX_KERNEL_LENGTHS:
            limit = (MAX_KERNEL_LENGTHS / largest_coordinate) ** 2
            raise ValueError(
                f"`beta` must be at most {limit:.3g} for these samples, or squared"
                f" distances in lengths of the kernel overflow; got {beta:.3g}. Rescale"
                " `X`, or leave out distant outliers."
            )
        self.beta_ = beta
        self.noise_ = noise
        self._C = self._in_units(X)
        squared = squared_distances(self._C, self._C)
        K = np.exp(-self._beta * squared)
        I = np.eye(len(K))
        factor = scipy.linalg.cho_factor(K + self.noise_ * I)  # Eq. (2.30)
        M = scipy.linalg.cho_solve(factor, I)
        self._M = (M + M.T) / 2
        self.alpha_ = scipy.linalg.cho_solve(factor, y)  # Eq. (2.33)
        return self

    def _in_units(self, X, name="X"):
        """Samples (m, d) about the mean, in the internal unit of length."""
        X = (X - self._mean) / self._unit
        if np.abs(X).max() > 2 * MAX_KERNEL_LENGTHS:
            raise ValueError(
                f"`{name}` must be within {MAX_KERNEL_LENGTHS:g} lengths of the kernel"
                f" from the mean of the training samples, beta_={self.beta_:.3g}; got"
                f" {np.abs(X).max():.3g}. Is it in other units?"
            )
        return X

    def factors(self, X):
        """Compute factors F of the Fisher matrices without `lam`, J(x) = F^T F.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        F : ndarray of shape (n_samples, 2, n_features)
            One factor per sample. Its rows are grad mean / sqrt(variance) and grad
            variance / (sqrt(2) variance) of the prediction.
        """
        X = self._in_units(self._samples(X))
        k, kM = self._kernels(X)
        v = self._variance(k, kM)
        t1 = self._gradient(X, k * self.alpha_)  # Eq. (2.38)
        t2 = 2 * self._gradient(X, k * kM)  # Eq. (2.39)
        scale_mean = 2 * self._beta / np.sqrt(v)
        scale_variance = np.sqrt(2) * self._beta / v
        t1 *= scale_mean[:, None]
        t2 *= scale_variance[:, None]
        return np.stack([t1, t2], axis=1) / self._unit  # Eq. (2.40)

    def _gradient(self, X, a):
        """sum_l a_l (x_l - x), from weights a (m, n)."""
        sums = a.sum(axis=1, keepdims=True)
        return a @ self._C - sums * X

    def predictive_density(self, X):
        """Compute mean (2.33) and variance (2.34) of the standardised target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            Means of the predicted target.
        variance : ndarray of shape (n_samples,)
            Variances of the predicted target, noise included.
        """
        k, kM = self._kernels(self._in_units(self._samples(X)))
        return k @ self.alpha_, self._variance(k, kM)

    def _kernels(self, X):
        """Kernels k of samples in units, and k M, both (m, n)."""
        squared = squared_distances(X, self._C)
        k = np.exp(-self._beta * squared)
        return k, k @ self._M

    def _variance(self, k, kM):
        """Predictive variance (m,).

        k (m, n) are kernels of the samples, kM (m, n) the product with M.
        """
        return 1 + self.noise_ - np.sum(kM * k, axis=1)  # Eq. (2.34)

    def _segment_lengths(self, A, B, n_segments):
        """Lengths of lines by the distances of their ends to the samples of `fit`."""
        A = self._in_units(A)
        C = self._C
        is_symmetric = B is None
        B = A if is_symmetric else self._in_units(B, "X_new")
        shared = Shared(
            M=self._M,
            alpha=self.alpha_,
            beta=self._beta,
            noise=self.noise_,
            root_lam=np.sqrt(self._lam) * self._unit,
        )
        shared.squared_left = squared_distances(A, C)
        shared.squared_right = squared_distances(B, C)
        shared.squared_between = squared_distances(A, B)
        n = len(A)
        m = len(C)
        products_per_row = len(B) * m * (m + 100)
        return trapezoid(
            partial(delayed(_speeds), shared),
            (n, len(B)),
            blocks=row_blocks(n, products_per_row, PRODUCTS_AT_ONCE),
            is_symmetric=is_symmetric,
            n_segments=n_segments,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    @property
    def _n_logits(self):
        return len(self._C)


def _speeds(shared, a, rows, columns):
    """Speeds (b, q) at the point a of the lines from some rows to some columns.

    No vectors are needed, since |x(a) - x_l|^2 = (1 - a) d_il^2 + a d_jl^2 - a (1 - a)
    d_ij^2.

    `shared` holds M, alpha, beta, the noise, the root of `lam`, and squared distances:
    of the starts (`squared_left`) and the ends (`squared_right`) to the samples of
    `fit`, and from the starts to the ends (`squared_between`).
    """
    beta = shared.beta
    squared_right = shared.squared_right[columns]
    speeds = np.empty_like(shared.squared_between[rows, columns])
    for i, speed in enumerate(speeds, start=rows.start):
        squared_left = shared.squared_left[i : i + 1]
        squared_between = shared.squared_between[i, columns]
        # All lines are at one point at a = 0, and the product below is of one row.
        squared = squared_left
        if a:
            # Sums are in place: fresh arrays of this size cost more.
            squared = a * squared_right
            squared += (1 - a) * squared_left
            squared -= a * (1 - a) * squared_between[:, None]
        k = np.maximum(squared, 0)
        k *= -beta
        np.exp(k, out=k)
        projections = squared_left - squared_right
        projections /= 2
        # projections u^T (x_l - x(a))
        projections -= (2 * a - 1) / 2 * squared_between[:, None]
        kM = k @ shared.M
        v = 1 + shared.noise - np.einsum("ql,ql->q", kM, k)
        projections *= k
        s1 = projections @ shared.alpha
        if a:
            s2 = 2 * np.einsum("ql,ql->q", projections, kM)
        else:
            s2 = 2 * (projections @ kM[0])
        slopes2 = 2 * s1**2 + s2**2 / v
        speed[:] = np.sqrt(2 * beta**2 / v * slopes2)
        if shared.root_lam:
            euclidean_speed = shared.root_lam * np.sqrt(squared_between)
            speed[:] = np.hypot(speed, euclidean_speed)
    return speeds


def check_targets(y, X):
    """Real targets y (n,) of the samples X (n, d), finite and not all equal."""
    if y is None:
        raise ValueError(
            "`y` is missing: this method requires y to be passed, but the target y is"
            " None."
        )
    y = check_target(y, len(X), magnitude=False)
    rounding = 1e-12 * max(np.abs(y).max(), 1e-300)
    if np.ptp(y) <= rounding:
        raise ValueError(
            f"`y` must vary; all {len(y)} targets are {y[0]:.6g}, and no direction"
            " changes them."
        )
    return y


def nearest_power_of_two(size):
    """The power of two nearest to a positive number, by their logarithms."""
    exponent = int(np.round(np.log2(size)))
    return float(np.ldexp(1.0, exponent))


def _by_marginal_likelihood(X, y, beta, noise):
    """`beta` and noise by maximal marginal likelihood; what is given stays fixed."""
    unit = nearest_power_of_two(np.abs(X).max())
    X = X / unit
    pairs = squared_distances(X, X)[np.triu_indices(len(X), 1)]
    # A distant outlier does not change the median.
    median = np.median(pairs[pairs > 0])
    size = float(np.sqrt(median))
    rbf_kernel = RBF(size, (1e-2 * size, 1e2 * size))
    noise_kernel = WhiteKernel(0.1, (MIN_NOISE, 10.0))
    if beta is not None:
        length = float(np.sqrt(0.5) / np.sqrt(beta) / unit)
        rbf_kernel = RBF(min(length, 1e9), "fixed")
    if noise is not None:
        noise_kernel = WhiteKernel(noise, "fixed")
    # A bound may be the answer: no noise at all, or a target that is noise.
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore",
            message="The optimal value found",
            category=ConvergenceWarning,
        )
        process = GaussianProcessRegressor(rbf_kernel + noise_kernel)
        kernel = process.fit(X, y).kernel_
    if beta is None:
        two_squares = 2 * kernel.k1.length_scale**2
        beta = float(1 / two_squares / unit / unit)
    return beta, max(float(kernel.k2.noise_level), MIN_NOISE)
