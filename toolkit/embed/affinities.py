"""Affinities of t-SNE and NeRV, and the Kullback-Leibler costs of a map.

t-SNE compares symmetric p_ij with q_ij ~ 1 / (1 + |z_i - z_j|^2): sum_{i != j} p_ij
ln(p_ij / q_ij), thesis, Eq. (2.1). NeRV compares conditional p_{j|i} with q_{j|i},
Gaussians of one width per sample: thesis, Eqs. (4.1) to (4.3). Where `sample_of_row` is
given, a matrix has rows for some of the n samples only: their numbers, none twice, int
(r,).
"""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from ..core import perplexity_widths, require, row_blocks

# Blocks of rows with this many forces stay in the processor's cache.
CACHE_ENTRIES_PER_BLOCK = 2**16


def check_perplexity(perplexity, limit, default=30.0, *, name="perplexity"):
    """`perplexity` as a float above 1 and below `limit`, the number of others.

    None is `default`, or a third of the others where that is less.
    """
    if perplexity is None:
        return min(default, max(1.01, limit / 3))
    require(
        1 < perplexity < limit,
        name,
        f"above 1 and below the number of other samples, {limit}",
        perplexity,
        remedy=f"Try {max(1.5, limit / 3):.3g}, or give more samples.",
    )
    return float(perplexity)


def affinities(squared, perplexity):
    """Symmetric p_ij of t-SNE (n, n), with zero diagonal and sum 1.

    From squared distances (n, n). A sample with more duplicates than the perplexity
    asks for gives them equal weights.
    """
    n = len(squared)
    sigma = perplexity_widths(squared, perplexity, np.arange(n))
    excess = squared.copy()
    np.fill_diagonal(excess, np.inf)
    excess -= excess.min(axis=1, keepdims=True)
    two_variances = 2 * sigma[:, None] ** 2
    weights = np.exp(-excess / two_variances)
    has_width = np.isfinite(sigma)[:, None]
    P = np.where(has_width, weights, excess == 0)
    P /= P.sum(axis=1, keepdims=True)
    return (P + P.T) / (2 * n)


def divergence_with_gradient(p, entropy, Z):
    """Cost of a t-SNE map Z (n, k) and its gradient (n, k), each pair computed once.

    `p` holds p_ij of the pairs i < j, shape (n (n - 1) / 2,), `entropy` is the sum of
    p_ij ln p_ij over all i and j.
    """
    T = pdist(Z, "sqeuclidean")
    T += 1
    cost = entropy + 2 * np.dot(p, np.log(T))
    np.reciprocal(T, out=T)
    total = 2 * T.sum()
    F = T * (-1 / total)
    F += p
    F *= T
    F = squareform(F, checks=False)
    cost += np.log(total)  # Eq. (2.1)
    return float(cost), 4 * _laplacian_times(F, Z)


def divergence(P, Z):
    """Cost of a t-SNE map Z (n, k) from the matrix P (n, n)."""
    T = _student(Z)
    W = 1 / T
    total = np.sum(W) - np.trace(W)
    positive = P > 0
    p = P[positive]
    cost = np.sum(p * np.log(p * T[positive]))
    return float(cost + np.log(total) * P.sum())


def divergence_gradient(P, Z, exaggeration=1.0):
    """Gradient (n, k) from the matrix P (n, n).

    It is 4 sum_j (p_ij - q_ij)(z_i - z_j) / (1 + |z_i - z_j|^2).

    P is multiplied by `exaggeration`.
    """
    W = _student(Z)
    np.reciprocal(W, out=W)
    np.fill_diagonal(W, 0)
    scale = -1 / W.sum()
    # W becomes the force of each pair.
    for rows in row_blocks(len(Z), len(Z), CACHE_ENTRIES_PER_BLOCK):
        force = W[rows] * scale
        force += exaggeration * P[rows]
        W[rows] *= force
    return 4 * _laplacian_times(W, Z)


def _student(Z):
    """1 + |z_i - z_j|^2, shape (n, n), computed by blocks of rows."""
    size = np.einsum("ij,ij->i", Z, Z)
    right = -2 * Z.T
    T = np.empty((len(Z), len(Z)))
    for rows in row_blocks(len(Z), len(Z), CACHE_ENTRIES_PER_BLOCK):
        part = np.matmul(Z[rows], right, out=T[rows])
        part += size
        part += 1 + size[rows, None]
        np.maximum(part, 1, out=part)
    return T


def neighbor_widths(squared, perplexity, sample_of_row=None):
    """Widths (r,), all > 0, at which samples have the given perplexity.

    From squared distances (r, n) to all samples. Where there is no such width, the
    median of the others; if there is none at all, the root mean squared distance.
    """
    columns = _own_entries(squared, sample_of_row)[1]
    sigma = perplexity_widths(squared, perplexity, columns)
    has_width = np.isfinite(sigma) & (sigma > 0)
    if has_width.any():
        usual_width = np.median(sigma[has_width])
    else:
        usual_width = np.sqrt(squared.mean())
        if usual_width == 0:
            usual_width = 1.0
    return np.where(has_width, sigma, usual_width)


def log_affinities(squared, sigma, sample_of_row=None):
    """ln p_{j|i} or ln q_{j|i} (r, n), -inf for the sample itself.

    From squared distances (r, n) and widths (r,).
    """
    return _log_affinities(squared, sigma, sample_of_row)[0]


def _log_affinities(squared, sigma, sample_of_row):
    """Logarithms of the conditional affinities, and the affinities, both (r, n).

    From squared distances (r, n) and widths `sigma` (r,).
    """
    log_p = squared * (-0.5 / sigma**2)[:, None]  # Eqs. (4.1) and (4.2)
    log_p[_own_entries(log_p, sample_of_row)] = -np.inf
    log_p -= log_p.max(axis=1, keepdims=True)
    p = np.exp(log_p)
    total = p.sum(axis=1, keepdims=True)
    log_p -= np.log(total)
    p /= total
    return log_p, p


def _own_entries(A, sample_of_row):
    """Where the samples themselves are in an array with a row for each of them."""
    rows = np.arange(len(A))
    if sample_of_row is None:
        return rows, rows
    return rows, sample_of_row


def nerv_cost(
    log_p, squared, sigma, gamma=0.5, *, sample_of_row=None, weights=1.0
):
    """Cost of NeRV, and its derivatives (r, n) by the squared map distances (r, n).

    Each row has separate distances. `log_p` (r, n) is from :func:`log_affinities`,
    `sigma` (r,) are the widths in the map, `weights` (r,) of the rows.

    `squared` (r, n) are the squared distances in the map; `gamma` is the weight of
    neighbours that the map misses.
    """
    p = np.exp(log_p)
    ratio, q = _log_affinities(squared, sigma, sample_of_row)
    with np.errstate(invalid="ignore"):
        ratio -= log_p  # ln(q / p)
    ratio[_own_entries(p, sample_of_row)] = 0.0  # p = q = 0
    kl_wrong = np.einsum("ij,ij->i", q, ratio)  # KL(q_i || p_i)
    kl_missed = -np.einsum("ij,ij->i", p, ratio)  # KL(p_i || q_i)
    cost_missed = gamma * np.sum(weights * kl_missed)
    cost_wrong = (1 - gamma) * np.sum(weights * kl_wrong)
    cost = cost_missed + cost_wrong  # Eq. (4.3)
    ratio -= kl_wrong[:, None]
    ratio *= q
    ratio *= 1 - gamma
    p -= q
    p *= gamma
    p -= ratio  # gamma (p - q) - (1 - gamma) q (ln(q / p) - KL(q_i || p_i))
    scale = weights * (0.5 / sigma**2)
    p *= scale[:, None]
    return float(cost), p


def position_gradient(Z, slopes, sample_of_row=None):
    """Gradient (n, k) by the map Z (n, k), from derivatives by squared distances.

    These derivatives are the `slopes` (r, n).
    """
    if sample_of_row is None:
        return 2 * _laplacian_times(slopes + slopes.T, Z)
    Z_rows = Z[sample_of_row]
    column_sums = slopes.sum(axis=0)[:, None]
    row_sums = slopes.sum(axis=1)[:, None]
    force = column_sums * Z - slopes.T @ Z_rows
    force[sample_of_row] += row_sums * Z_rows - slopes @ Z
    return 2 * force


def _laplacian_times(W, Z):
    """The Laplacian of symmetric weights W (n, n), times Z (n, k)."""
    degrees = W.sum(axis=1)[:, None]
    return degrees * Z - W @ Z
