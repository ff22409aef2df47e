"""Ranks of columns, columns of a target, and what a regression leaves of others."""

import numpy as np
from scipy.stats import rankdata


def ranks(A):
    """Return ranks of each column of A (n, p), of mean 0 and standard deviation 1."""
    R = rankdata(A, axis=0)
    deviation = np.maximum(R.std(axis=0), 1e-12)
    return (R - R.mean(axis=0)) / deviation


def cubic(A):
    """Return the first three powers (n, 3 p) of the ranks of each column."""
    R = ranks(A)
    return np.hstack([R, R**2, R**3])


def target_columns(target):
    """Return a target as columns (n, q) that can be compared and regressed on."""
    if target.is_value:
        return cubic(target.y[:, None])
    Y = target.columns(target.y)
    return Y - Y.mean(axis=0)


def residuals(A, B):
    """Return what a regression on B (n, q) and a constant leaves of A (n, p)."""
    B = np.column_stack([np.ones(len(A)), B])
    coefficients, *_ = np.linalg.lstsq(B, A, rcond=None)
    return A - B @ coefficients
