"""Scatter matrices as sums over weighted pairs, computed as products.

With the graph Laplacian L = D - W,

    1/2 sum_ij W_ij (x_i - x_j)(x_i - x_j)^T = X^T L X   (rows are samples),

so that a d x d matrix costs one product with W, dense or sparse, and no n x n x d
array.
"""

import numpy as np

from ..core import about_mean


def pair_scatter(W, X):
    """1/2 sum_ij W_ij (x_i - x_j)(x_i - x_j)^T, (d, d), of symmetric W and X (n, d)."""
    X = about_mean(X)  # changes nothing but the rounding
    degrees = W @ np.ones(len(X))
    S = X.T @ (degrees[:, None] * X) - X.T @ (W @ X)
    return (S + S.T) / 2


def class_scatters(X, codes):
    """Between- and within-class scatter (d, d) of the labelled samples.

    `codes` (n,) are classes, -1 for unlabelled.
    """
    X, codes = (A[codes >= 0] for A in (X, codes))
    X = about_mean(X)
    counts = np.bincount(codes)
    means = np.array([X[codes == c].mean(axis=0) for c in range(len(counts))])
    within = X - means[codes]
    S_w = within.T @ within  # Kitamura2007 Eq. (6)
    S_b = (counts[:, None] * means).T @ means  # Kitamura2007 Eq. (7)
    return S_b, S_w


def local_class_scatters(X, codes, A):
    """Local between- and within-class scatter (d, d) of LFDA, from the affinity `A`.

    Pairs of different classes have the weight 1/n, whatever their affinity. Their sum
    is that of all pairs less that of the pairs within classes, and both of these are
    covariances: only pairs within classes need A.
    """
    labelled = codes >= 0
    n = int(labelled.sum())
    S_lw = 0
    total = about_mean(X[labelled])
    S_lb = total.T @ total  # 1/n on all pairs
    for c in range(codes.max() + 1):
        rows = np.flatnonzero(codes == c)
        n_c = len(rows)
        within = about_mean(X[rows])
        local = pair_scatter(A[rows][:, rows], X[rows])
        S_lw += local / n_c  # Kitamura2007 Eq. (16), (18)
        # Kitamura2007 Eq. (17), (19)
        S_lb += (1 / n - 1 / n_c) * local - (n_c / n) * within.T @ within
    return S_lb, S_lw


def local_scatters(X, A):
    """Local scatter and normalisation matrix (d, d) of LPP, for all samples.

    The scatter has no positive eigenvalue.
    """
    n = len(X)
    # X^T D X changes with the origin; the mean is the stated one
    X = about_mean(X)
    degrees = A @ np.ones(len(X)) / n
    S_n = X.T @ (degrees[:, None] * X)  # Kitamura2007 Eq. (9)
    S_l = -pair_scatter(A, X) / n  # Kitamura2007 Eq. (10)
    return S_l, S_n
