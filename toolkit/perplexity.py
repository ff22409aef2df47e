"""Widths of Gaussian windows such that each sample sees a given number of others."""

import numpy as np

__all__ = ["perplexity_widths"]

ROWS_AT_ONCE = 512


def perplexity_widths(squared, perplexity, own=None):
    """For each sample the sigma at which exp(-d^2 / (2 sigma^2)) has the given perplexity.

    Parameters
    ----------
    squared : ndarray of shape (n, m), squared distances of samples to centres
    perplexity : float > 1
    own : ndarray of int, shape (n,), optional
        Which centre is the sample itself, -1 for none; it does not count.

    Returns
    -------
    ndarray of shape (n,)
        NaN where no width has the perplexity: too many centres are equally near, or there are too few.

    Notes
    -----
    The perplexity of weights p is exp(-sum p ln p): how many centres a sample sees. Centres at distance 0 (duplicates)
    count as any other.

    Examples
    --------
    >>> grid = np.subtract.outer(np.arange(50.0), np.arange(50.0)) ** 2
    >>> round(float(perplexity_widths(grid, 8, np.arange(50))[25]), 2)
    2.12
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
        sigmas.append(np.where(found, np.sqrt(scale * np.exp(middle)), np.nan))
    return np.concatenate(sigmas)
