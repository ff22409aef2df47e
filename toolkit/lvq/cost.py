"""The cost of GLVQ and its gradients, for one matrix of all prototypes or one a class.

    E = sum_i v_i e(x_i),   e = (d_J - d_K) / (d_J + d_K),   d_L = |Omega^T (x - w_L)|^2

with J the nearest prototype of the sample's own class, K the nearest of another, and shares v that sum to one.
"""

from typing import NamedTuple

import numpy as np

from ..core.graphs import squared_distances

__all__ = ["Cost", "glvq_cost", "gradient_matrix", "penalty", "project", "relative_distances"]

ZERO = 1e-24
"""Sums of two squared distances below this are rounding errors, in coordinates with a mean variance of 1."""


class Cost(NamedTuple):
    """Value of the cost, share of wrong nearest prototypes, and the gradients."""

    value: float
    error: float
    grad_W: np.ndarray  # (p, r)
    grad_omegas: np.ndarray | None  # (g, r, M)


def relative_distances(D, own):
    """Relative distance e of each sample and its derivatives by the squared distances.

    Parameters
    ----------
    D : ndarray of shape (n, p), squared distances to the prototypes
    own : ndarray of bool, shape (n, p), which prototypes bear the sample's class

    Returns
    -------
    e : ndarray of shape (n,), between -1 (on its own prototype) and 1; 0 where both winners have distance 0
    C : ndarray of shape (n, p), de/dd, two entries a row

    Examples
    --------
    >>> e, C = relative_distances(np.array([[1.0, 3.0, 5.0]]), np.array([[True, False, False]]))
    >>> e.tolist(), C.tolist()
    ([-0.5], [[0.375, -0.125, 0.0]])
    """
    rows = np.arange(len(D))
    J = np.where(own, D, np.inf).argmin(axis=1)
    K = np.where(own, np.inf, D).argmin(axis=1)
    d_J, d_K = D[rows, J], D[rows, K]
    total = d_J + d_K
    total[total < ZERO] = np.inf  # both winners on the sample: e = 0 and no pull, 0/0 is left undecided
    C = np.zeros_like(D)
    C[rows, J] = 2 * (d_K / total) / total  # Biehl2012 Eq. (8), first factor
    C[rows, K] = -2 * (d_J / total) / total  # Biehl2012 Eq. (8), second factor
    return (d_J - d_K) / total, C  # Biehl2012 Eq. (6)


def glvq_cost(samples, W, w_codes, omegas):
    """Cost (6) with the distance (2), and its gradients.

    Parameters
    ----------
    samples : Samples
    W : ndarray of shape (p, r), prototypes in the coordinates of `samples`
    w_codes : ndarray of int, shape (p,), their classes
    omegas : ndarray of shape (1, r, M), or (c, r, M) with one matrix a class of prototypes; None: Euclidean

    Returns
    -------
    Cost

    Notes
    -----
    With z = Omega^T x, v = Omega^T w and C = de/dd, all sums over samples and prototypes are products:

        dE/dW = -2 (C^T Z - diag(C^T 1) V) Omega^T
        dE/dOmega = 2 X^T (diag(C 1) Z - C V) - 2 W^T (C^T Z - diag(C^T 1) V)
    """
    fixed = omegas is None
    matrices = [None] if fixed else omegas
    groups = [slice(None)] if len(matrices) == 1 else [w_codes == c for c in range(len(matrices))]
    projected = [project(W[k], Omega) for k, Omega in zip(groups, matrices, strict=True)]
    value, error, grad_W, grads = 0.0, 0.0, np.zeros_like(W), None if fixed else np.zeros_like(omegas)
    for X, codes, shares in samples.blocks(max(projected[0].shape[1], len(W))):
        own = codes[:, None] == w_codes
        D, maps = np.empty(own.shape), []
        for k, Omega, V in zip(groups, matrices, projected, strict=True):
            maps.append(project(X, Omega))
            D[:, k] = squared_distances(maps[-1], V)  # Biehl2012 Eq. (2)
        e, C = relative_distances(D, own)
        C *= shares[:, None]
        value += shares @ e
        error += np.count_nonzero(e >= 0) / len(samples.X)
        for g, (k, Omega, V, Z) in enumerate(zip(groups, matrices, projected, maps, strict=True)):
            C_k = C[:, k]
            pull = C_k.T @ Z - C_k.sum(axis=0)[:, None] * V
            grad_W[k] -= 2 * project(pull, None if fixed else Omega.T)
            if not fixed:  # Biehl2012 Eq. (8) with (4)
                Z *= C_k.sum(axis=1)[:, None]  # in place: these arrays are the largest here
                Z -= C_k @ V
                grads[g] += 2 * (X.T @ Z - W[k].T @ pull)
    return Cost(float(value), float(error), grad_W, grads)


def project(X, Omega):
    """X Omega, or X itself where the metric is Euclidean (None)."""
    return X if Omega is None else X @ Omega


def gradient_matrix(samples, W, w_codes, Omega):
    """The matrix G of the gradient, dE/dOmega = G Omega.

    Parameters
    ----------
    samples, W, w_codes : as in :func:`glvq_cost`
    Omega : ndarray of shape (r, M)

    Returns
    -------
    ndarray of shape (r, r), symmetric, with positive and negative eigenvalues

    Notes
    -----
    G = sum_i v_i [4 d_K x_J x_J^T - 4 d_J x_K x_K^T] / (d_J + d_K)^2 with x_L = x - w_L, from (8) and (4). As printed
    (18) has the distances in each other's place and no factor 4.
    """
    V = W @ Omega
    G = np.zeros((len(Omega), len(Omega)))
    for X, codes, shares in samples.blocks(max(Omega.shape[1], len(W))):
        _, C = relative_distances(squared_distances(X @ Omega, V), codes[:, None] == w_codes)
        C *= shares[:, None]
        cross = X.T @ (C @ W)
        G += 2 * (X.T @ (C.sum(axis=1)[:, None] * X) - cross - cross.T + (W.T * C.sum(axis=0)) @ W)
    return (G + G.T) / 2  # Biehl2012 Eq. (18), corrected


def penalty(Omega, mu):
    """-(mu / 2) ln det(Omega^T Omega) and its gradient -mu (Omega^+)^T; infinite for a singular Omega.

    Examples
    --------
    >>> value, gradient = penalty(np.diag([1.0, 0.5]), mu=0.1)
    >>> round(value, 4), np.diag(gradient).round(4).tolist()
    (0.0693, [-0.1, -0.2])
    """
    U, s, Vt = np.linalg.svd(Omega, full_matrices=False)
    with np.errstate(divide="ignore"):
        return float(-mu * np.log(s).sum()), -mu * (U / np.maximum(s, 1e-150)) @ Vt  # Biehl2012 Eq. (10)
