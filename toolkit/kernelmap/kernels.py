"""Normalised Gaussian kernels about centres, and their widths, thesis Eq. (2.5), (2.6)."""

import numpy as np

from ..core.checks import check_number
from ..core.scaling import BLOCK_ENTRIES

COINCIDENT_SQUARE = 1e-200  # squared distances up to this are those of duplicates


def check_bandwidth(bandwidth, name="bandwidth"):
    """`bandwidth` as a float."""
    return check_number(bandwidth, name, 1e-6, 1e6)


def nearest_center(squared, *, shared):
    """Distance of each centre to the nearest other, (m,), from squared ones (m, m); `shared`: one, their median."""
    # duplicates have no distance to be as wide as
    distinct = squared > COINCIDENT_SQUARE
    if not distinct.any():
        raise ValueError(
            "`X` must hold at least two different samples to carry kernels; all rows"
            " are equal."
        )
    nearest = np.sqrt(np.min(squared, axis=1, where=distinct, initial=np.inf))
    return np.median(nearest) if shared else nearest


def kernels(squared, widths):
    """Normalised kernels (n, m) from squared distances, in the log domain: outliers keep their nearest centre."""
    with np.errstate(over="ignore"):
        exponent = np.maximum(-0.5 * squared / widths**2, -1e300)  # Eq. (2.5)
    K = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return K / K.sum(axis=1, keepdims=True)  # Eq. (2.6)


def blockwise(function, X, n_centers):
    """`function` of the rows of X, in blocks for which the kernels at `n_centers` centres are of moderate size."""
    return np.vstack(
        [
            function(block)
            for block in np.array_split(X, max(1, len(X) * n_centers // BLOCK_ENTRIES))
        ]
    )
