"""Gromov-Wasserstein coupling: samples of two spaces by the distances within each.

A coupling T with even margins that makes sum T_ij T_kl (D_ik - D'_jl)^2 small pairs
samples with similar distances to all others; no feature of one space is ever
compared with one of the other, and no label. The entropy of T is lowered step by step
from where all entries are equal, so neither order nor seed matters. EM takes T as its
first responsibilities (Peyre, Cuturi and Solomon 2016, Gromov-Wasserstein averaging of
kernel and distance matrices).
"""

import numpy as np

from ..core import magnitude, root_mean_square

# Entropies that are tried in turn, in units of the mean squared distance.
ENTROPIES = np.geomspace(0.1, 0.003, 8)
# Steps of the coupling at one entropy.
MAX_COUPLING_STEPS = 10
# Sweeps of Sinkhorn's scaling within each step.
MAX_SWEEPS = 60


def sinkhorn(cost, entropy):
    """The coupling (n, m) of least cost (n, m) less `entropy` times its entropy.

    Its margins are even.
    """
    n, m = cost.shape
    cost = cost - cost.min(axis=0)
    # Each row and column keeps an entry that does not underflow.
    cost -= cost.min(axis=1, keepdims=True)
    kernel = np.exp(-cost / entropy)
    v = np.ones(m)
    for _ in range(MAX_SWEEPS):
        u = 1 / np.maximum(n * (kernel @ v), 1e-300)
        previous_v = v
        v = 1 / np.maximum(m * (u @ kernel), 1e-300)
        if magnitude(v / previous_v - 1) < 1e-6:
            break
    return u[:, None] * kernel * v


def gw_coupling(D_source, D_target, *, entropies=ENTROPIES):
    """Entropic Gromov-Wasserstein coupling (n, m) of distances (n, n) and (m, m).

    Columns add up to 1 / m, rows to 1 / n only nearly: low entropies would need more
    sweeps.
    """
    D = _divide_by_scale(D_source)
    E = _divide_by_scale(D_target)
    row_means = np.mean(D**2, axis=1)
    column_means = np.mean(E**2, axis=1)
    constant = row_means[:, None] + column_means
    T = np.full(constant.shape, 1 / constant.size)
    for entropy in entropies:
        for _ in range(MAX_COUPLING_STEPS):
            previous_T = T
            # The gradient of the cost at T, but for a factor, is the new cost.
            gradient = constant - 2 * D @ T @ E
            T = sinkhorn(gradient, entropy)
            if np.abs(T - previous_T).sum() < 1e-4:
                break
    return T


def _divide_by_scale(D):
    """Distances over their root mean square: the scale of a space does not matter."""
    unit = root_mean_square(D)
    if unit == 0:
        unit = 1.0
    return D / unit
