"""The cost of generalised LVQ and its gradients, for one matrix of all prototypes or one per class; stochastic descent.

    E = sum_i v_i e(x_i),   e = (d_J - d_K) / (d_J + d_K),   d_L = |Omega (x - w_L)|^2

with J the nearest prototype of the sample's own class, K the nearest of another, and
weights v that sum to one. Omega holds rows, shape (M, r), with Lambda = Omega^T Omega.
Biehl2012 (see GMLVQ) writes it as columns: its Omega is our Omega^T, its Lambda = Omega
Omega^T the same matrix, its gradient G Omega our Omega G. Bare numbers in this folder
are those of that paper.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.graphs import squared_distances
from ..core.progress import progress

# Sums of two squared distances below this are rounding errors, in coordinates with a
# mean variance of 1.
ROUNDING = 1e-24


class Cost(NamedTuple):
    """Value of the cost, fraction of samples with a wrong nearest prototype, and the gradients."""

    value: float
    error: float
    grad_W: np.ndarray  # (p, r)
    grad_omegas: np.ndarray | None  # (g, M, r)


def relative_distances(D, own):
    """e (n,) between -1 and 1, and de/dD (n, p), of squared distances D (n, p) and `own` (n, p), same class or not."""
    rows = np.arange(len(D))
    J = np.where(own, D, np.inf).argmin(axis=1)
    K = np.where(own, np.inf, D).argmin(axis=1)
    d_J, d_K = D[rows, J], D[rows, K]
    total = d_J + d_K
    # both winners on the sample: e = 0 and no pull, 0/0 is left undecided
    total[total < ROUNDING] = np.inf
    slopes = np.zeros_like(D)
    slopes[rows, J] = 2 * (d_K / total) / total  # the factors before d_J and d_K in (8)
    slopes[rows, K] = -2 * (d_J / total) / total
    return (d_J - d_K) / total, slopes  # Biehl2012 Eq. (6)


def glvq_cost(samples, W, w_codes, omegas):
    """The cost (6) of prototypes W (p, r) with one matrix or one per class, `omegas` (1 or c, M, r); None: Euclidean.

    With z = Omega x, v = Omega w and C = de/dD, all sums over samples and prototypes
    are products:

        dE/dW = -2 (C^T Z - diag(C^T 1) V) Omega
        dE/dOmega = 2 (diag(C 1) Z - C V)^T X - 2 (C^T Z - diag(C^T 1) V)^T W
    """
    fixed = omegas is None
    matrices = [None] if fixed else omegas
    groups = (
        [slice(None)]
        if len(matrices) == 1
        else [w_codes == c for c in range(len(matrices))]
    )
    projected = [
        project(W[k], Omega) for k, Omega in zip(groups, matrices, strict=True)
    ]
    value, error, grad_W, grads = (
        0.0,
        0.0,
        np.zeros_like(W),
        None if fixed else np.zeros_like(omegas),
    )
    for X, codes, weights in samples.blocks(max(projected[0].shape[1], len(W))):
        own = codes[:, None] == w_codes
        D, maps = np.empty(own.shape), []
        for k, Omega, V in zip(groups, matrices, projected, strict=True):
            maps.append(project(X, Omega))
            D[:, k] = squared_distances(maps[-1], V)  # Biehl2012 Eq. (2)
        e, C = relative_distances(D, own)
        C *= weights[:, None]
        value += weights @ e
        error += np.count_nonzero(e >= 0) / len(samples.X)
        for g, (k, Omega, V, Z) in enumerate(
            zip(groups, matrices, projected, maps, strict=True)
        ):
            C_k = C[:, k]
            pull = C_k.T @ Z - C_k.sum(axis=0)[:, None] * V
            grad_W[k] -= 2 * (pull if fixed else pull @ Omega)
            if not fixed:  # Biehl2012 Eq. (8) with (4)
                # in place: these arrays are the largest here
                Z *= C_k.sum(axis=1)[:, None]
                Z -= C_k @ V
                grads[g] += 2 * (X.T @ Z - W[k].T @ pull).T
    return Cost(float(value), float(error), grad_W, grads)


def project(X, Omega):
    """Omega x of each row of X, or X itself where the metric is Euclidean (None)."""
    return X if Omega is None else X @ Omega.T


def gradient_matrix(samples, W, w_codes, Omega):
    """The symmetric matrix G (r, r) of the gradient, dE/dOmega = Omega G, for Omega (M, r).

    G = sum_i v_i [4 d_K x_J x_J^T - 4 d_J x_K x_K^T] / (d_J + d_K)^2 with x_L = x -
    w_L, from (8) and (4). As printed (18) has the distances in each other's place and
    no factor 4.
    """
    V = project(W, Omega)
    G = np.zeros((Omega.shape[1], Omega.shape[1]))
    for X, codes, weights in samples.blocks(max(len(Omega), len(W))):
        _, C = relative_distances(
            squared_distances(project(X, Omega), V), codes[:, None] == w_codes
        )
        C *= weights[:, None]
        cross = X.T @ (C @ W)
        G += 2 * (
            X.T @ (C.sum(axis=1)[:, None] * X)
            - cross
            - cross.T
            + (W.T * C.sum(axis=0)) @ W
        )
    return (G + G.T) / 2  # Biehl2012 Eq. (18), corrected


def penalty(Omega, mu):
    """-(mu / 2) ln det(Omega Omega^T) and its gradient -mu (Omega^+)^T; infinite for a singular Omega."""
    U, s, Vt = np.linalg.svd(Omega.T, full_matrices=False)
    with np.errstate(divide="ignore"):
        # Biehl2012 Eq. (10)
        return float(-mu * np.log(s).sum()), (-mu * (U / np.maximum(s, 1e-150)) @ Vt).T


def stochastic(
    samples, W, w_codes, Omega, *, mu, eta_w, eta, n_epochs, rng, record, verbose=False
):
    """Stochastic descent as in the paper: W (p, r), Omega (M, r), and what `record` kept of the start and each epoch.

    In an epoch all samples come once, in random order, one per step; with class weights
    a step is longer or shorter.
    """
    X = samples.inside(samples.X)
    lengths, codes = samples.weights * len(X), samples.codes
    others = [np.flatnonzero(w_codes != c).tolist() for c in range(w_codes.max() + 1)]
    own = [np.flatnonzero(w_codes == c).tolist() for c in range(w_codes.max() + 1)]
    overflow = (
        f"`eta_w`={eta_w:g} and `eta`={eta:g} made the descent overflow; lower them."
    )
    inverse = np.linalg.inv if Omega.shape[0] == Omega.shape[1] else np.linalg.pinv
    # feature by feature, as products with X read it
    W, Omega = W.copy(), np.array(Omega, order="F")
    epochs = [record(W, Omega)]
    with np.errstate(all="ignore"), progress(n_epochs, "GMLVQ", verbose) as done:
        for _ in range(n_epochs):
            # an overflow is found at the end of the epoch
            for i in rng.permutation(len(X)):
                differences = X[i] - W  # (p, r)
                V = differences @ Omega.T  # (p, M)
                d = np.einsum("ij,ij->i", V, V)
                c = codes[i]
                J, K = min(own[c], key=d.__getitem__), min(others[c], key=d.__getitem__)
                d_J, d_K = d[J], d[K]
                total = d_J + d_K
                if total == 0:
                    continue
                towards, away = (
                    2 * lengths[c] * d_K / total**2,
                    2 * lengths[c] * d_J / total**2,
                )
                v_J, v_K = V[J], V[K]
                # (8) of one sample
                change = 2 * towards * (v_J[:, None] * differences[J])
                change -= 2 * away * (v_K[:, None] * differences[K])
                W[J] += 2 * eta_w * towards * (Omega.T @ v_J)  # Biehl2012 Eq. (7)
                W[K] -= 2 * eta_w * away * (Omega.T @ v_K)
                if mu:
                    try:
                        change -= mu * inverse(Omega.T)
                    except np.linalg.LinAlgError:
                        raise ValueError(overflow) from None
                Omega -= eta * change  # Biehl2012 Eq. (9), (11)
                Omega /= math.sqrt(Omega.ravel("K") @ Omega.ravel("K"))
            if not (np.all(np.isfinite(W)) and abs(np.sum(Omega**2) - 1) < 1e-6):
                raise ValueError(overflow)
            epochs.append(record(W, Omega))
            done()
    return W, Omega, epochs
