"""Centre, unit and scales of data, and widths of windows at a given perplexity.

Squares neither overflow nor vanish, outliers cost no digits. Dividing by a power of two
is exact, so results in the data's own units do not change by a bit.
"""

from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np

from .checks import EPSILON
from .frames import feature_names
from .linalg import about_mean
from .matrices import magnitude
from .warning import warn

# Entries of a large matrix that are computed at once, 2 MiB: larger blocks leave the
# cache, products of narrower ones are slow.
BLOCK_ENTRIES = 2**18
# Distances hardly depend on a feature whose range is smaller by more than this ratio.
MAX_SCALE_RATIO = 100.0
DISTANCES = "distances between samples hardly depend on the latter"
# standard deviations that hold the middle 80 % of a normal distribution
NORMAL_80 = 2.563
# Every k-th row of a table with more entries gives the ranges well enough.
ENTRIES_FOR_RANGES = 2**20

# Newton's steps come first, where they stay within the limits; the others bisect.
NEWTON_STEPS = 20
MAX_STEPS = 90
# Squared distances count up to this multiple of that to the last centre needed.
LARGEST_RATIO = 1e300

_is_suppressed = ContextVar("_is_suppressed", default=False)


def power_of_two(*arrays):
    """The power of two next above the largest absolute value; 1 for zeros.

    Examples
    --------
    >>> power_of_two(np.array([3.0, -5.0])), power_of_two(np.zeros(2))
    (8.0, 1.0)
    """
    largest = max(magnitude(A) for A in arrays)
    if not largest > 0:
        return 1.0
    exponent = np.frexp(largest)[1]
    return float(2.0 ** min(exponent, 1023))


def unit_of(A):
    """The largest magnitude, 1 where all are 0."""
    largest = float(magnitude(A))
    if largest == 0:
        return 1.0
    return largest


def centred(X):
    """Samples about their mean, in a unit that is a power of two."""
    X = X / power_of_two(X)
    X = about_mean(X)
    return X / power_of_two(X)


class MedianCentred(NamedTuple):
    """Samples X (n, d) about their median, in a unit in which the largest value is 1.

    `varying` (d,) are the features that vary beyond rounding; others are 0.
    """

    X: np.ndarray
    unit: float
    varying: np.ndarray


def median_centred(X):
    """Samples about their median over the largest value, as :class:`MedianCentred`.

    Examples
    --------
    >>> X = np.array([[0.1, 5.0], [0.1, 5.5], [0.1, 9.5]])
    >>> about_median = median_centred(X)
    >>> about_median.X.tolist(), about_median.unit, about_median.varying.tolist()
    ([[0.0, -0.125], [0.0, 0.0], [0.0, 1.0]], 4.0, [False, True])
    """
    varying = np.ptp(X, axis=0) > 4 * EPSILON * np.abs(X).max(axis=0)
    X = np.where(varying, X - np.median(X, axis=0), 0.0)
    unit = unit_of(X)
    return MedianCentred(X=X / unit, unit=unit, varying=varying)


def row_blocks(n, width, entries=BLOCK_ENTRIES):
    """Slices of rows such that a block of `width` columns has about `entries` numbers.

    Examples
    --------
    >>> row_blocks(10, 2**16)
    [slice(0, 4, None), slice(4, 8, None), slice(8, 10, None)]
    """
    rows = max(1, entries // max(width, 1))
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]


def even_blocks(n, width, entries=BLOCK_ENTRIES):
    """Row numbers in even blocks, of `width` columns with about `entries` numbers.

    Examples
    --------
    >>> even_blocks(5, 4, 10)
    [array([0, 1, 2]), array([3, 4])]
    """
    return np.array_split(np.arange(n), max(1, n * width // entries))


def warn_of_scales(
    X, estimator=None, name="X", *, limit=MAX_SCALE_RATIO, consequence=DISTANCES
):
    """Warn if features (n, d) have such scales that distances depend on few of them.

    The larger scale is a standard deviation, or what the middle 80 % of the samples
    give of it; the smaller one is taken among the samples that differ from the
    feature's median, so that a column of zeros and ones has 1, however rare the ones.
    Standardised data never warn, constant features do not count. The names of features
    are those of `estimator`, or of a table given as such. `consequence` says what
    follows of a ratio above `limit`.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     named = pd.DataFrame(columns=["hue", "proline"])
    ...     warn_of_scales(np.array([[0.1, 200.0], [0.3, 900.0], [0.2, 100.0]]), named)
    >>> print(str(caught[0].message)[:65])
    `X`: "proline" has about 2,000 times the standard deviation of "h
    """
    if _is_suppressed.get():
        return
    step = max(1, X.size // ENTRIES_FOR_RANGES)
    about_median = median_centred(X[::step])
    centred_samples = about_median.X
    unit = about_median.unit
    varying = about_median.varying
    if np.sum(varying) < 2:
        return
    low, high = np.quantile(centred_samples, [0.1, 0.9], axis=0)
    # The range of the middle 80 % does not depend on a few outliers.
    robust_deviation = (high - low) / NORMAL_80
    deviation = unit * np.minimum(centred_samples.std(axis=0), robust_deviation)
    n_differing = np.count_nonzero(centred_samples, axis=0)
    mean_square = np.sum(centred_samples**2, axis=0) / np.maximum(
        n_differing, 1
    )
    deviation_of_differing = unit * np.sqrt(mean_square)
    has_scale = varying & (deviation_of_differing > 0)
    largest = np.argmax(deviation)
    smallest = np.argmin(np.where(has_scale, deviation_of_differing, np.inf))
    larger_scale = deviation[largest]
    smaller_scale = deviation_of_differing[smallest]
    if not larger_scale > limit * smaller_scale:
        return
    digits = 1
    if limit < 10:
        digits = 2
    ratio = float(f"{larger_scale / smaller_scale:.{digits}g}")
    names = feature_names(estimator, len(deviation))
    warn(
        f'`{name}`: "{names[largest]}" has about {ratio:,g} times the standard'
        f' deviation of "{names[smallest]}", so that {consequence}. Unless all have the'
        " same unit, scale them first, for example with"
        " sklearn.preprocessing.StandardScaler."
    )


@contextmanager
def suppress_scale_warning():
    """Within, :func:`warn_of_scales` is silent: the samples were checked before.

    Other threads are not concerned, but those that `results` starts for its tasks.
    """
    token = _is_suppressed.set(True)
    try:
        yield
    finally:
        _is_suppressed.reset(token)


def is_scale_warning_suppressed():
    """Whether :func:`suppress_scale_warning` is in force."""
    return _is_suppressed.get()


def perplexity_widths(squared, perplexity, own_centers=None):
    """Widths at which Gaussian weights of the centres have the given perplexity.

    The weights are exp(-d^2 / (2 sigma^2)) for the width sigma of a sample.

    Parameters
    ----------
    squared : ndarray of shape (n, m)
        Squared distances of samples to centres.
    perplexity : float > 1
        The exp(-sum p ln p) of the normalised weights p: the effective number of
        neighbours.
    own_centers : ndarray of int, shape (n,), default=None
        Which centre is the sample itself, -1 for none; it does not count. Other
        duplicates do.

    Returns
    -------
    ndarray of shape (n,)
        NaN where no width has the perplexity: too many centres are equally near, or
        there are too few.

    Examples
    --------
    >>> grid = np.subtract.outer(np.arange(50.0), np.arange(50.0)) ** 2
    >>> round(float(perplexity_widths(grid, 8, np.arange(50))[25]), 2)
    2.12
    """
    sigmas = []
    # Each step of the search makes four arrays, beside copies of the rows.
    for block in row_blocks(len(squared), 8 * squared.shape[1]):
        rows = squared[block].copy()
        if own_centers is not None:
            centers = own_centers[block]
            rows_with_own = np.flatnonzero(centers >= 0)
            rows[rows_with_own, centers[rows_with_own]] = np.inf
        nearest = rows.min(axis=1, keepdims=True)
        sigmas.append(_widths(rows - nearest, perplexity))
    return np.concatenate(sigmas)


def _widths(rows, perplexity):
    """Widths (n,) from squared distances (n, m) less the least of the row.

    Centres at infinity do not count.
    """
    sigma = np.full(len(rows), np.nan)
    count = np.isfinite(rows).sum(axis=1)
    last = min(int(np.ceil(perplexity)), rows.shape[1]) - 1
    # The search, for ln sigma^2, starts at the last centre needed: outliers change
    # nothing for who does not see them.
    unit = np.partition(rows, last, axis=1)[:, last]
    has_width = (unit > 0) & (perplexity < count)
    if not has_width.any():
        return sigma
    unit = unit[has_width]
    with np.errstate(over="ignore"):
        rows = np.minimum(rows[has_width] / unit[:, None], LARGEST_RATIO)
    furthest = np.max(rows, axis=1, where=rows < LARGEST_RATIO, initial=1.0)
    # Limits of t = ln(sigma^2 / unit): below, fewer centres than needed have weight;
    # above, all have the same.
    low = np.full(len(rows), -8.0)
    high = np.log(furthest) + 40
    t = np.zeros(len(rows))
    for step in range(MAX_STEPS):
        inverse = np.exp(-t) / 2
        # exp(-700) is nothing compared with 1
        exponents = np.minimum(rows * inverse[:, None], 700)
        weights = np.exp(-exponents)
        total = weights.sum(axis=1)
        weights *= exponents
        mean = weights.sum(axis=1) / total
        excess = np.log(total) + mean - np.log(perplexity)
        converged = (np.abs(excess) < 1e-12) | (high - low < 1e-14)
        if converged.all():
            break
        low = np.where(excess < 0, t, low)
        high = np.where(excess < 0, high, t)
        # The slope of the entropy is the variance of d^2 / (2 sigma^2).
        slope = np.einsum("ij,ij->i", weights, exponents) / total - mean**2
        with np.errstate(divide="ignore"):
            newton = t - np.where(slope > 1e-12, excess / slope, np.inf)
        inside = (low < newton) & (newton < high)
        t_next = (low + high) / 2
        if step < NEWTON_STEPS:
            t_next = np.where(inside, newton, t_next)
        t = np.where(converged, t, t_next)
    sigma[has_width] = np.sqrt(unit) * np.exp(t / 2)
    return sigma
