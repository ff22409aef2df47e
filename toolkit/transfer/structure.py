"""Which samples play the same part in two spaces: a Gromov-Wasserstein coupling of the distances within each.

A coupling T with even margins that makes sum T_ij T_kl (D_ik - D'_jl)^2 small pairs samples whose distances to all
others look alike; no feature of one space is ever compared with one of the other, and no label. The entropy of T is
lowered step by step from where all entries are equal, so neither order nor seed has a say. EM takes T as its first
responsibilities.
"""

import numpy as np

__all__ = ["coupling", "distortion"]

ENTROPIES = np.geomspace(0.1, 0.003, 8)
"""In turn, in units of the mean squared distance."""

STEPS, SWEEPS = 10, 60
"""Of the coupling at one entropy, and of Sinkhorn's scaling within each; fewer where nothing moves."""


def in_unit(D):
    """Distances over their root mean square, so that the scales of the two spaces do not matter."""
    return D / (np.sqrt(np.mean(D**2)) or 1.0)


def balanced(cost, entropy):
    """The coupling with even margins that minimises its cost less `entropy` times its entropy (Sinkhorn).

    Examples
    --------
    >>> np.round(balanced(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.1), 3).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    n, m = cost.shape
    cost = cost - cost.min(axis=0)
    cost -= cost.min(axis=1, keepdims=True)  # each row and column keeps an entry that does not underflow
    kernel = np.exp(-cost / entropy)
    v = np.ones(m)
    for _ in range(SWEEPS):
        u = 1 / np.maximum(n * (kernel @ v), 1e-300)
        before, v = v, 1 / np.maximum(m * (u @ kernel), 1e-300)
        if np.abs(v / before - 1).max() < 1e-6:
            break
    return u[:, None] * kernel * v


def coupling(D_source, D_target, *, entropies=ENTROPIES):
    """Entropic Gromov-Wasserstein coupling with even margins.

    Parameters
    ----------
    D_source : ndarray of shape (n, n), distances
    D_target : ndarray of shape (m, m), distances
    entropies : sequence of float > 0

    Returns
    -------
    ndarray of shape (n, m), entries add up to 1, columns to 1 / m each and rows nearly to 1 / n: low entropies would
        need more sweeps. Of sets with a symmetry rounding picks one of the couplings that are equally good.

    References
    ----------
    Peyre, Cuturi and Solomon (2016), Gromov-Wasserstein averaging of kernel and distance matrices.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 3.0, 7.0])
    >>> D = np.abs(np.subtract.outer(x, x))
    >>> coupling(D, 5 * D[::-1, ::-1]).argmax(axis=1).tolist()
    [3, 2, 1, 0]
    """
    D, E = in_unit(D_source), in_unit(D_target)
    own = np.mean(D**2, axis=1)[:, None] + np.mean(E**2, axis=1)
    T = np.full(own.shape, 1 / own.size)
    for entropy in entropies:
        for _ in range(STEPS):
            before, T = T, balanced(own - 2 * D @ T @ E, entropy)
            if np.abs(T - before).sum() < 1e-4:
                break
    return T


def distortion(T, D_source, D_target):
    """sum T_ij T_kl (D_ik - D'_jl)^2 of a coupling T, distances in units of their root mean square."""
    D, E = in_unit(D_source), in_unit(D_target)
    a, b = T.sum(axis=1), T.sum(axis=0)
    return float(a @ D**2 @ a + b @ E**2 @ b - 2 * np.vdot(D @ T, T @ E))
