"""Centre, unit and scales of data, and widths of windows at a given perplexity.

Squares neither overflow nor vanish, outliers cost no digits. Dividing by a power of two
is exact, so results in the data's own units do not change by a bit.
"""

from contextlib import contextmanager

import numpy as np

from .checks import EPSILON
from .frames import feature_names
from .linalg import about_mean
from .matrices import magnitude
from .warning import warn

# of a large matrix that are computed at once, 2 MiB: larger blocks leave the cache, of
# narrower ones products are slow
BLOCK_ENTRIES = 2**18
# of the ranges of two features: distances then hardly depend on the smaller one
MAX_SCALE_RATIO = 100.0
DISTANCES = "distances between samples hardly depend on the latter"
# standard deviations that hold the middle 80 % of a normal distribution
NORMAL_80 = 2.563
# of a table of which every k-th row gives the ranges well enough
ENOUGH_ENTRIES = 2**20

# Newton's steps come first, where they stay within the limits; the others bisect
NEWTON_STEPS, MAX_STEPS = 20, 90
# squared distances count up to this multiple of that to the last centre needed
LARGEST_RATIO = 1e300

_warnings_on = [True]


def power_of_two(*arrays):
    """The power of two next above the largest absolute value; 1 for zeros.

    Examples
    --------
    >>> power_of_two(np.array([3.0, -5.0])), power_of_two(np.zeros(2))
    (8.0, 1.0)
    """
    largest = max(magnitude(A) for A in arrays)
    return float(2.0 ** min(np.frexp(largest)[1], 1023)) if largest > 0 else 1.0


def unit_of(A):
    """The largest magnitude, 1 where all are 0."""
    return float(magnitude(A)) or 1.0


def centred(X):
    """Samples about their mean, in a unit that is a power of two."""
    X = X / power_of_two(X)
    X = about_mean(X)
    return X / power_of_two(X)


def median_centred(X):
    """Samples about their median over the largest value, and that value.

    Third, which features vary beyond rounding.

    Examples
    --------
    >>> X = np.array([[0.1, 5.0], [0.1, 5.5], [0.1, 9.5]])
    >>> X, unit, varying = median_centred(X)
    >>> X.tolist(), unit, varying.tolist()
    ([[0.0, -0.125], [0.0, 0.0], [0.0, 1.0]], 4.0, [False, True])
    """
    varying = np.ptp(X, axis=0) > 4 * EPSILON * np.abs(X).max(axis=0)
    X = np.where(varying, X - np.median(X, axis=0), 0.0)
    unit = unit_of(X)
    return X / unit, unit, varying


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
    X, estimator=None, name="X", *, limit=MAX_SCALE_RATIO, so=DISTANCES
):
    """Warn if features (n, d) have such scales that distances depend on few of them.

    The larger scale is a standard deviation, or what the middle 80 % of the samples
    give of it; the smaller one is taken among the samples that differ from the
    feature's median, so that a column of zeros and ones has 1, however rare the ones.
    Standardised data never warn, constant features do not count. The names of features
    are those of `estimator`, or of a table given as such. `so` says what follows of a
    ratio above `limit`.

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
    if not _warnings_on[-1]:
        return
    X = X[:: max(1, X.size // ENOUGH_ENTRIES)]
    about, unit, varying = median_centred(X)
    if np.sum(varying) < 2:
        return
    low, high = np.quantile(about, [0.1, 0.9], axis=0)
    # a few outliers do not count
    spread = unit * np.minimum(about.std(axis=0), (high - low) / NORMAL_80)
    differ = np.count_nonzero(about, axis=0)
    among = unit * np.sqrt(np.sum(about**2, axis=0) / np.maximum(differ, 1))
    far = np.argmax(spread)
    near = np.argmin(np.where(varying & (among > 0), among, np.inf))
    if not spread[far] > limit * among[near]:
        return
    ratio = float(f"{spread[far] / among[near]:.{1 + (limit < 10)}g}")
    names = feature_names(estimator, len(spread))
    warn(
        f'`{name}`: "{names[far]}" has about {ratio:,g} times the standard deviation'
        f' of "{names[near]}", so that {so}. Unless all have the same unit, scale them'
        " first, for example with sklearn.preprocessing.StandardScaler."
    )


@contextmanager
def suppress_scale_warning():
    """Within, :func:`warn_of_scales` is silent: the samples were checked before."""
    _warnings_on.append(False)
    try:
        yield
    finally:
        _warnings_on.pop()


def perplexity_widths(squared, perplexity, own=None):
    """Widths at which Gaussian weights of the centres have the given perplexity.

    The weights are exp(-d^2 / (2 sigma^2)) for the width sigma of a sample.

    Parameters
    ----------
    squared : ndarray of shape (n, m)
        Squared distances of samples to centres.
    perplexity : float > 1
        The exp(-sum p ln p) of the normalised weights p: the effective number of
        neighbours.
    own : ndarray of int, shape (n,), default=None
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
    # each step of the search makes four arrays, beside copies of the rows
    for block in row_blocks(len(squared), 8 * squared.shape[1]):
        rows = squared[block].copy()
        if own is not None:
            known = np.flatnonzero(own[block] >= 0)
            rows[known, own[block][known]] = np.inf
        sigmas.append(
            _widths(rows - rows.min(axis=1, keepdims=True), perplexity)
        )
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
    known = (unit > 0) & (perplexity < count)
    if not known.any():
        return sigma
    unit = unit[known]
    with np.errstate(over="ignore"):
        rows = np.minimum(rows[known] / unit[:, None], LARGEST_RATIO)
    furthest = np.max(rows, axis=1, where=rows < LARGEST_RATIO, initial=1.0)
    # Limits of t = ln(sigma^2 / unit): below, fewer centres than needed have weight;
    # above, all have the same.
    low = np.full(len(rows), -8.0)
    high = np.log(furthest) + 40
    t = np.zeros(len(rows))
    for step in range(MAX_STEPS):
        # exp(-700) is nothing compared with 1
        half = np.minimum(rows * (np.exp(-t) / 2)[:, None], 700)
        weights = np.exp(-half)
        total = weights.sum(axis=1)
        weights *= half
        mean = weights.sum(axis=1) / total
        excess = np.log(total) + mean - np.log(perplexity)
        found = (np.abs(excess) < 1e-12) | (high - low < 1e-14)
        if found.all():
            break
        low = np.where(excess < 0, t, low)
        high = np.where(excess < 0, high, t)
        # of the entropy: variance of d^2 / (2 sigma^2)
        slope = np.einsum("ij,ij->i", weights, half) / total - mean**2
        with np.errstate(divide="ignore"):
            newton = t - np.where(slope > 1e-12, excess / slope, np.inf)
        inside = (low < newton) & (newton < high) & (step < NEWTON_STEPS)
        t = np.where(found, t, np.where(inside, newton, (low + high) / 2))
    sigma[known] = np.sqrt(unit) * np.exp(t / 2)
    return sigma
