"""Scatter matrices as sums over weighted pairs, computed as products.

With the graph Laplacian L = D - W,

    1/2 sum_ij W_ij (x_i - x_j)(x_i - x_j)^T = X^T L X   (rows are samples),

so that a d x d matrix costs products with blocks of rows of W, and neither W itself nor
an n x n x d array.
"""

import numpy as np

from ..core import about_mean, local_affinity, row_blocks, with_ones


def pair_scatter(X, scales):
    """1/2 sum_ij A_ij (x_i - x_j)(x_i - x_j)^T, (d, d), and the row sums (n,) of A.

    A is the affinity by local scaling of the rows of X (n, d), whose local scales are
    `scales` (n,). It is never formed: each pair is met once, in blocks of rows.
    """
    X = about_mean(X)  # changes nothing but the rounding
    terms = with_ones(X)
    sums = np.zeros_like(terms)  # A @ terms
    for rows in row_blocks(len(X), len(X)):
        onwards = slice(rows.start, None)
        A = local_affinity(X[rows], X[onwards], scales[rows], scales[onwards])
        sums[rows] += A @ terms[onwards]
        A_later = A[:, len(A) :]
        sums[rows.stop :] += A_later.T @ terms[rows]
    degrees = sums[:, -1]
    LX = degrees[:, None] * X - sums[:, :-1]
    S = X.T @ LX
    return (S + S.T) / 2, degrees


def class_scatters(X, codes):
    """Between- and within-class scatter (d, d) of the labelled samples.

    `codes` (n,) are classes, -1 for unlabelled.
    """
    labelled = codes >= 0
    codes = codes[labelled]
    X = about_mean(X[labelled])
    counts = np.bincount(codes)
    means = np.array([X[codes == c].mean(axis=0) for c in range(len(counts))])
    within = X - means[codes]
    S_w = within.T @ within  # Kitamura2007 Eq. (6)
    sums = counts[:, None] * means
    S_b = sums.T @ means  # Kitamura2007 Eq. (7)
    return S_b, S_w


def local_class_scatters(X, codes, scales):
    """Local between- and within-class scatter (d, d) of LFDA.

    Pairs of different classes have the weight 1/n, whatever their affinity. Their sum
    is that of all pairs less that of the pairs within classes, and both of these are
    covariances: the affinity is needed of pairs within classes alone, from the local
    scales (n,) of all samples.
    """
    labelled = codes >= 0
    n = np.sum(labelled)
    S_lw = 0
    total = about_mean(X[labelled])
    S_lb = total.T @ total  # 1/n on all pairs
    for c in range(codes.max() + 1):
        members = codes == c
        n_c = np.sum(members)
        within = about_mean(X[members])
        local, _ = pair_scatter(within, scales[members])
        S_lw += local / n_c  # Kitamura2007 Eq. (16), (18)
        covariance = (n_c / n) * within.T @ within
        # Kitamura2007 Eq. (17), (19)
        S_lb += (1 / n - 1 / n_c) * local - covariance
    return S_lb, S_lw


def local_scatters(X, scales):
    """Local scatter and normalisation matrix (d, d) of LPP, for all samples.

    The scatter has no positive eigenvalue.

    `scales` (n,) are the local scales of the samples X (n, d).
    """
    n = len(X)
    # X^T D X changes with the origin; the mean is the stated one.
    X = about_mean(X)
    local, degrees = pair_scatter(X, scales)
    S_n = X.T @ (degrees[:, None] * X) / n  # Kitamura2007 Eq. (9)
    return -local / n, S_n  # Kitamura2007 Eq. (10)
