"""Widths of Gaussian windows at a given perplexity, the effective number of neighbours of each sample."""

import numpy as np

from .scaling import row_blocks

ROWS_AT_ONCE = 512
# Newton's steps come first, where they stay within the limits; the others bisect
NEWTON_STEPS, MAX_STEPS = 20, 90
# squared distances count up to this multiple of that to the last centre needed
LARGEST_RATIO = 1e300


def perplexity_widths(squared, perplexity, own=None):
    """Sigma of each sample at which the weights exp(-d^2 / (2 sigma^2)) of the centres have the given perplexity.

    Parameters
    ----------
    squared : ndarray of shape (n, m), squared distances of samples to centres
    perplexity : float > 1, exp(-sum p ln p) of the normalised weights p
    own : ndarray of int, shape (n,), optional
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
    for block in row_blocks(len(squared), 1, ROWS_AT_ONCE):
        rows = squared[block].copy()
        if own is not None:
            known = np.flatnonzero(own[block] >= 0)
            rows[known, own[block][known]] = np.inf
        sigmas.append(_widths(rows - rows.min(axis=1, keepdims=True), perplexity))
    return np.concatenate(sigmas)


def _widths(rows, perplexity):
    """Widths (n,) from squared distances (n, m) less the least of the row; inf marks centres that do not count."""
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
    # Limits of t = ln(sigma^2 / unit): below, fewer centres than wanted have weight;
    # above, all have the same.
    low, high = np.full(len(rows), -8.0), np.log(furthest) + 40
    wanted, t = np.log(perplexity), np.zeros(len(rows))
    for step in range(MAX_STEPS):
        # exp(-700) is nothing beside 1
        half = np.minimum(rows * (np.exp(-t) / 2)[:, None], 700)
        weights = np.exp(-half)
        total = weights.sum(axis=1)
        weights *= half
        mean = weights.sum(axis=1) / total
        excess = np.log(total) + mean - wanted
        found = (np.abs(excess) < 1e-12) | (high - low < 1e-14)
        if found.all():
            break
        low = np.where(excess < 0, t, low)
        high = np.where(excess < 0, high, t)
        # of the entropy: variance of d^2 / (2 sigma^2)
        slope = np.einsum("ij,ij->i", weights, half) / total - mean**2
        newton = t - np.divide(
            excess, slope, out=np.full(len(t), np.inf), where=slope > 1e-12
        )
        newton = np.where(
            (low < newton) & (newton < high) & (step < NEWTON_STEPS),
            newton,
            (low + high) / 2,
        )
        t = np.where(found, t, newton)
    sigma[known] = np.sqrt(unit) * np.exp(t / 2)
    return sigma
