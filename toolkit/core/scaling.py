"""Centre and unit of data: squares then neither overflow nor vanish, and outliers cost no digits.

Dividing by a power of two is exact, so results in the data's own units do not change by a bit.
"""

import numpy as np

__all__ = ["BLOCK_ENTRIES", "about_median", "centred", "power_of_two", "row_blocks"]

BLOCK_ENTRIES = 2**22
"""Entries of one block of a large matrix, 32 MiB: larger ones are computed block by block."""


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


def about_median(X):
    """Samples about their median over the largest value, that value, and which features vary beyond rounding.

    Examples
    --------
    >>> X, unit, varying = about_median(np.array([[0.1, 5.0], [0.1, 5.5], [0.1, 9.5]]))
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
