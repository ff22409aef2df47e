"""Bandwidths of a Parzen window, from squared distances or from vectors."""

import numpy as np

__all__ = ["check_width", "perplexity_bandwidth", "reference_bandwidth"]

ROWS_AT_ONCE = 512


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
    The perplexity of weights p is exp(-sum p ln p): how many centres a sample sees. Centres at distance 0 (duplicates)
    count as any other; with more of them than the perplexity asks for, sigma of that sample is left out of the mean.

    Examples
    --------
    >>> grid = np.subtract.outer(np.arange(50.0), np.arange(50.0)) ** 2
    >>> round(perplexity_bandwidth(grid, 8, np.arange(50)), 1)
    2.3
    """
    wanted, sigmas = np.log(perplexity), []
    for first in range(0, len(squared), ROWS_AT_ONCE):
        rows = squared[first : first + ROWS_AT_ONCE].copy()
        if own is not None:
            here = own[first : first + ROWS_AT_ONCE]
            rows[np.flatnonzero(here >= 0), here[here >= 0]] = np.inf
        finite = np.isfinite(rows)
        rows -= rows.min(axis=1, keepdims=True)
        scale = np.where(finite, rows, 0.0).sum(axis=1) / np.maximum(finite.sum(axis=1), 1)
        scale = np.where(scale > 0, scale, 1.0)
        low, high = np.full(len(rows), -40.0), np.full(len(rows), 40.0)  # of ln(sigma^2 / scale)
        rows[~finite] = np.inf
        for _ in range(60):
            middle = (low + high) / 2
            half = np.where(finite, rows, 0.0) / (2 * scale * np.exp(middle))[:, None]
            weights = np.where(finite, np.exp(-half), 0.0)
            total = weights.sum(axis=1)
            entropy = np.log(total) + (weights * half).sum(axis=1) / total
            low, high = np.where(entropy < wanted, middle, low), np.where(entropy < wanted, high, middle)
        found = (middle > -39) & (middle < 39)
        sigmas.append(np.sqrt(scale * np.exp(middle))[found])
    sigmas = np.concatenate(sigmas)
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
