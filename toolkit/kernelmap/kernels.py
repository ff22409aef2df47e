"""Normalised Gaussian kernels about centres, and their widths, thesis Eq. (2.5), (2.6)."""

import numpy as np

from ..core.checks import check_positive

__all__ = ["LEAST_SQUARE", "check_bandwidth", "kernels", "nearest_center"]

LEAST_SQUARE = 1e-200
"""Squared distances up to this are those of duplicates."""


def check_bandwidth(bandwidth, name="bandwidth"):
    """`bandwidth` as a float."""
    if not 1e-6 <= check_positive(bandwidth, name) <= 1e6:
        raise ValueError(f"`{name}` must lie between 1e-6 and 1e6; got {bandwidth!r}.")
    return float(bandwidth)


def nearest_center(squared, *, shared):
    """Distance of each centre to the nearest other, from squared distances among them; shared: their median for all.

    Examples
    --------
    >>> nearest_center(np.array([[0.0, 1, 9], [1, 0, 4], [9, 4, 0]]), shared=False).tolist()
    [1.0, 1.0, 2.0]
    """
    apart = squared > LEAST_SQUARE  # duplicates have no distance to be as wide as
    if not apart.any():
        raise ValueError("`X` must hold at least two different samples to carry kernels; all rows are equal.")
    nearest = np.sqrt(np.min(squared, axis=1, where=apart, initial=np.inf))
    return np.full(len(nearest), np.median(nearest)) if shared else nearest


def kernels(squared, widths):
    """Kernel values over their sum, Eq. (2.6), in the log domain: far samples keep their nearest centre.

    Examples
    --------
    >>> kernels(np.array([[0.0, 2e6]]), np.ones(2)).tolist()
    [[1.0, 0.0]]
    """
    with np.errstate(over="ignore"):
        exponent = np.maximum(-0.5 * squared / widths**2, -1e300)  # Eq. (2.5)
    K = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return K / K.sum(axis=1, keepdims=True)  # Eq. (2.6)
