"""The cost of generalised LVQ, its gradients, and the stochastic descent.

    E = mean_i e(x_i),   e = (d_J - d_K) / (d_J + d_K),   d_L = |Omega (x - w_L)|^2

with J the nearest prototype of the sample's own class, K the nearest of another; one
matrix Omega of all prototypes, or one per class. Omega holds rows, shape (M, r), with
Lambda = Omega^T Omega. Biehl2012 (see GMLVQ) writes it as columns: its Omega is our
Omega^T, its Lambda = Omega Omega^T the same matrix, its gradient G Omega our Omega G.
Bare numbers in this folder are those of that paper.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core import progress, squared_distances, warn_convergence

# Sums of two squared distances below this are rounding errors, in coordinates with a
# mean variance of 1.
ROUNDING = 1e-24


class Cost(NamedTuple):
    """The cost, the fraction of samples that are misclassified, and the gradients."""

    value: float
    error: float
    grad_W: np.ndarray  # (p, r)
    grad_omegas: np.ndarray | None  # (g, M, r)


def relative_distances(D, own):
    """e (n,) in [-1, 1] and de/dD (n, p), of squared distances D (n, p).

    `own` (n, p) says which prototypes are of the sample's class.
    """
    rows = np.arange(len(D))
    # nearest prototypes of the own class and of the others
    J = np.where(own, D, np.inf).argmin(axis=1)
    K = np.where(own, np.inf, D).argmin(axis=1)
    d_J = D[rows, J]
    d_K = D[rows, K]
    total = d_J + d_K
    # both prototypes on the sample: e = 0 and no gradient, 0/0 is left undecided
    total[total < ROUNDING] = np.inf
    slopes = np.zeros_like(D)
    # the factors before d_J and d_K in (8)
    slopes[rows, J] = 2 * (d_K / total) / total
    slopes[rows, K] = -2 * (d_J / total) / total
    return (d_J - d_K) / total, slopes  # Biehl2012 Eq. (6)


def glvq_cost(samples, W, w_codes, omegas):
    """The cost (6) of prototypes W (p, r) and its gradients, a :class:`Cost`.

    `omegas` (1 or c, M, r) is one matrix or one per class; None: Euclidean. With z =
    Omega x, v = Omega w and C = de/dD, all sums over samples and prototypes are
    products:

        dE/dW = -2 (C^T Z - diag(C^T 1) V) Omega
        dE/dOmega = 2 (diag(C 1) Z - C V)^T X - 2 (C^T Z - diag(C^T 1) V)^T W
    """
    matrices = [None] if omegas is None else omegas
    groups = [slice(None)]
    if len(matrices) > 1:
        groups = [w_codes == c for c in range(len(matrices))]
    metrics = [
        (k, Omega, project(W[k], Omega))
        for k, Omega in zip(groups, matrices, strict=True)
    ]
    n = len(samples.X)
    value = error = 0.0
    grad_W = np.zeros_like(W)
    grads = None if omegas is None else np.zeros_like(omegas)
    for X, codes in samples.blocks(max(metrics[0][2].shape[1], len(W))):
        own = codes[:, None] == w_codes
        D = np.empty(own.shape)
        images = []
        for k, Omega, V in metrics:
            images.append(project(X, Omega))
            D[:, k] = squared_distances(images[-1], V)  # Biehl2012 Eq. (2)
        e, C = relative_distances(D, own)
        C *= 1 / n
        value += np.full(len(e), 1 / n) @ e
        error += np.count_nonzero(e >= 0) / n
        for g, ((k, Omega, V), Z) in enumerate(
            zip(metrics, images, strict=True)
        ):
            C_k = C[:, k]
            pull = C_k.T @ Z - C_k.sum(axis=0)[:, None] * V
            if Omega is None:
                grad_W[k] -= 2 * pull
                continue
            # Biehl2012 Eq. (8) with (4)
            grad_W[k] -= 2 * (pull @ Omega)
            # in place: these arrays are the largest here
            Z *= C_k.sum(axis=1)[:, None]
            Z -= C_k @ V
            grads[g] += 2 * (X.T @ Z - W[k].T @ pull).T
    return Cost(float(value), float(error), grad_W, grads)


def project(X, Omega):
    """Omega x of each row of X, or X itself where the metric is Euclidean (None)."""
    return X if Omega is None else X @ Omega.T


def gradient_matrix(samples, W, w_codes, Omega):
    """The symmetric matrix G (r, r) of dE/dOmega = Omega G, for Omega (M, r).

    G = mean_i [4 d_K x_J x_J^T - 4 d_J x_K x_K^T] / (d_J + d_K)^2 with x_L = x -
    w_L, from (8) and (4). As printed (18) has the distances exchanged and no factor 4.
    """
    V = project(W, Omega)
    G = np.zeros((Omega.shape[1], Omega.shape[1]))
    for X, codes in samples.blocks(max(len(Omega), len(W))):
        D = squared_distances(project(X, Omega), V)
        _, C = relative_distances(D, codes[:, None] == w_codes)
        C *= 1 / len(samples.X)
        cross = X.T @ (C @ W)
        of_samples = X.T @ (C.sum(axis=1)[:, None] * X)
        G += 2 * (of_samples - cross - cross.T + (W.T * C.sum(axis=0)) @ W)
    return (G + G.T) / 2  # Biehl2012 Eq. (18), corrected


def penalty(Omega, mu):
    """-(mu / 2) ln det(Omega Omega^T) and its gradient -mu (Omega^+)^T.

    It is infinite for a singular Omega, and 0 where mu is.
    """
    if not mu:
        return 0.0, np.zeros_like(Omega)
    U, s, Vt = np.linalg.svd(Omega.T, full_matrices=False)
    with np.errstate(divide="ignore"):
        value = float(-mu * np.log(s).sum())  # Biehl2012 Eq. (10)
    return value, (-mu * (U / np.maximum(s, 1e-150)) @ Vt).T


def matrix_cost(samples, W, w_codes, Omega, mu):
    """The cost (8) with the penalty (10) for one Omega: value, error, gradients."""
    cost = glvq_cost(samples, W, w_codes, Omega[None])
    value, slope = penalty(Omega, mu)
    return (
        cost.value + value,
        cost.error,
        cost.grad_W,
        cost.grad_omegas[0] + slope,
    )


def stochastic(samples, W, w_codes, Omega, model, rng, record):
    """Stochastic descent as in the paper, from W (p, r) and Omega (M, r).

    `model` is a GMLVQ with the penalty weight `mu`, the learning rates `eta_w` of the
    prototypes and `eta` of Omega, `max_iter` epochs, and `verbose`. In an epoch all
    samples come once, in random order, one per step. The last result is what `record`
    gives, as that of :func:`core.descent.lbfgs`, for the start and each epoch.
    """
    rates = f"`eta_w`={model.eta_w:g} and `eta`={model.eta:g}"
    n_epochs = model.max_iter or 100
    X = samples.inside(samples.X)
    classes = range(w_codes.max() + 1)
    own = [np.flatnonzero(w_codes == c).tolist() for c in classes]
    nodes = np.arange(len(w_codes))
    others = [np.delete(nodes, some).tolist() for some in own]
    W = W.copy()
    # feature by feature, as products with X read it
    Omega = np.array(Omega, order="F")

    def epoch():
        value, error, *_ = matrix_cost(samples, W, w_codes, Omega, model.mu)
        return record(value, [W, Omega.T], error)

    epochs = [epoch()]
    with (
        np.errstate(all="ignore"),
        progress(n_epochs, "GMLVQ", model.verbose) as done,
    ):
        for _ in range(n_epochs):
            try:
                for i in rng.permutation(len(X)):
                    c = samples.codes[i]
                    stochastic_step(X[i], W, Omega, own[c], others[c], model)
                # an overflow is found at the end of the epoch
                is_unit = abs(np.sum(Omega**2) - 1) < 1e-6
                finite = is_unit and np.all(np.isfinite(W))
            except np.linalg.LinAlgError:
                finite = False
            if not finite:
                message = f"{rates} made the descent overflow; lower them."
                raise ValueError(message)
            epochs.append(epoch())
            done()
    first, last = (epochs[i][0] for i in (0, -1))
    if last > first:
        warn_convergence(
            f"The stochastic descent ended at a higher cost ({last:.3g}) than it began"
            f" with ({first:.3g}); lower {rates}."
        )
    return W, Omega, epochs


def stochastic_step(x, W, Omega, own, others, model):
    """Move W and Omega, in place, for one sample x (r,).

    `own` and `others` are the numbers of the prototypes of its class and of all others.
    """
    differences = x - W  # (p, r)
    V = differences @ Omega.T  # (p, M)
    d = np.einsum("ij,ij->i", V, V)
    J = min(own, key=d.__getitem__)
    K = min(others, key=d.__getitem__)
    total = d[J] + d[K]
    if total == 0:
        return
    change = 0.0
    for k, other in ((J, d[K]), (K, -d[J])):
        slope = 4 * other / total**2
        # (8) of one sample
        change += slope * (V[k][:, None] * differences[k])
        W[k] += model.eta_w * slope * (Omega.T @ V[k])  # Biehl2012 Eq. (7)
    if model.mu:
        square = Omega.shape[0] == Omega.shape[1]
        change -= model.mu * (np.linalg.inv if square else np.linalg.pinv)(
            Omega.T
        )
    Omega -= model.eta * change  # Biehl2012 Eq. (9), (11)
    Omega /= math.sqrt(Omega.ravel("K") @ Omega.ravel("K"))
