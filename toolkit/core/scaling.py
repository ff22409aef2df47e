"""Centre, unit and scales of data: squares neither overflow nor vanish, outliers cost no digits, one warning of scales.

Dividing by a power of two is exact, so results in the data's own units do not change by
a bit.
"""

from contextlib import contextmanager

import numpy as np

from .estimators import warn

BLOCK_ENTRIES = 2**22
"""Entries of one block of a large matrix, 32 MiB: larger ones are computed block by block."""

# of the spreads of two features: distances then hardly see the smaller one
MAX_SCALE_RATIO = 100.0
DISTANCES = "distances between samples hardly depend on the latter"
# standard deviations that hold the middle 80 % of a normal distribution
NORMAL_80 = 2.563
# of a table of which every k-th row tells the spreads well enough
ENOUGH_ENTRIES = 2**20

_telling = [True]


def power_of_two(*arrays):
    """The power of two next above the largest absolute value; 1 for zeros.

    Examples
    --------
    >>> power_of_two(np.array([3.0, -5.0])), power_of_two(np.zeros(2))
    (8.0, 1.0)
    """
    largest = max(np.abs(A).max(initial=0.0) for A in arrays)
    return float(2.0 ** min(np.frexp(largest)[1], 1023)) if largest > 0 else 1.0


def centred(X):
    """Samples about their mean, in a unit that is a power of two."""
    X = X / power_of_two(X)
    X = X - X.mean(axis=0)
    return X / power_of_two(X)


def median_centred(X):
    """Samples about their median over the largest value, that value, and which features vary beyond rounding.

    Examples
    --------
    >>> X, unit, varying = median_centred(np.array([[0.1, 5.0], [0.1, 5.5], [0.1, 9.5]]))
    >>> X.tolist(), unit, varying.tolist()
    ([[0.0, -0.125], [0.0, 0.0], [0.0, 1.0]], 4.0, [False, True])
    """
    varying = np.ptp(X, axis=0) > 4 * np.finfo(float).eps * np.abs(X).max(axis=0)
    X = np.where(varying, X - np.median(X, axis=0), 0.0)
    unit = float(np.abs(X).max()) or 1.0
    return X / unit, unit, varying


def row_blocks(n, width, entries=2**18):
    """Slices of rows such that a block of `width` columns has about `entries` numbers.

    Examples
    --------
    >>> row_blocks(10, 2**16)
    [slice(0, 4, None), slice(4, 8, None), slice(8, 10, None)]
    """
    rows = max(1, entries // max(width, 1))
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]


def warn_of_scales(X, estimator=None, name="X", *, limit=MAX_SCALE_RATIO, so=DISTANCES):
    """Warn if features (n, d) spread so differently that distances between samples see hardly more than some.

    The larger spread is a standard deviation, or what the middle 80 % of the samples
    say of it; the smaller one is taken among the samples that differ from the feature's
    median, so that a column of zeros and ones has 1, however rare the ones.
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
    `X`: "proline" spreads about 2,000 times as far as "hue", so that
    """
    if not _telling[-1]:
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
    far, near = (
        int(np.argmax(spread)),
        int(np.argmin(np.where(varying & (among > 0), among, np.inf))),
    )
    if not spread[far] > limit * among[near]:
        return
    ratio = float(f"{spread[far] / among[near]:.{1 + (limit < 10)}g}")
    names = getattr(estimator, "feature_names_in_", getattr(estimator, "columns", None))
    first, second = (
        f'"{names[j]}"' if names is not None else f"feature {j}" for j in (far, near)
    )
    warn(
        f"`{name}`: {first} spreads about {ratio:,g} times as far as {second}, so that "
        f"{so}. Unless all share one unit, scale them first, for example with "
        "sklearn.preprocessing.StandardScaler."
    )


@contextmanager
def suppress_scale_warning():
    """Within, :func:`warn_of_scales` is silent: the same samples have been looked at."""
    _telling.append(False)
    try:
        yield
    finally:
        _telling.pop()
