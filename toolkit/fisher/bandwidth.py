"""Bandwidths of a Parzen window, from squared distances or from vectors."""

import numpy as np

from ..core.perplexity import perplexity_widths

__all__ = ["check_width", "perplexity_bandwidth", "reference_bandwidth"]


def check_width(width, spread):
    """Refuse a window so narrow or wide beside the spread of the samples that distances have no digits left.

    Examples
    --------
    >>> check_width(1e-20, 1.0)
    Traceback (most recent call last):
    ...
    ValueError: `bandwidth` must be between 1e-9 and 1e9 times the standard deviation of the samples, 1; got 1e-20.
    """
    if not 1e-9 <= width / max(spread, 1e-300) <= 1e9:
        raise ValueError(
            f"`bandwidth` must be between 1e-9 and 1e9 times the standard deviation of the samples, {spread:.3g}; got "
            f"{width:.3g}."
        )
    return width


def perplexity_bandwidth(squared, perplexity, own=None):
    """Mean over samples of the sigma at which exp(-d^2 / (2 sigma^2)) has the given perplexity.

    Parameters
    ----------
    squared : ndarray of shape (n, m), squared distances of samples to centres
    perplexity : float > 1
    own : ndarray of int, shape (n,), optional
        Which centre is the sample itself, -1 for none; it does not count.

    Returns
    -------
    float

    Notes
    -----
    Samples with more duplicates than the perplexity asks for have no such sigma and are left out of the mean.

    Examples
    --------
    >>> grid = np.subtract.outer(np.arange(50.0), np.arange(50.0)) ** 2
    >>> round(perplexity_bandwidth(grid, 8, np.arange(50)), 1)
    2.3
    """
    sigmas = perplexity_widths(squared, perplexity, own)
    sigmas = sigmas[np.isfinite(sigmas)]
    return float(sigmas.mean()) if len(sigmas) else 0.0


def reference_bandwidth(X):
    """The normal-reference rule: sigma (4 / ((d + 2) n))^(1 / (d + 4)), sigma^2 the mean variance of a feature.

    Parameters
    ----------
    X : ndarray of shape (n, d)

    Returns
    -------
    float

    Examples
    --------
    >>> round(reference_bandwidth(np.array([[-1.0], [1.0]])), 3)
    0.922
    """
    n, d = X.shape
    return float(np.sqrt(X.var(axis=0).mean()) * (4 / ((d + 2) * n)) ** (1 / (d + 4)))
