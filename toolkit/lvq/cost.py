"""The cost of generalised LVQ, its gradients, and the stochastic descent.

    E = mean_i e(x_i),   e = (d_J - d_K) / (d_J + d_K),   d_L = |Omega (x - w_L)|^2

with J the nearest prototype of the sample's own class, K the nearest of another; one
matrix Omega of all prototypes, or one per class. Omega holds rows, shape (M, r), with
Lambda = Omega^T Omega. Biehl2012 (see GMLVQ) writes it as columns: its Omega is our
Omega^T, its Lambda = Omega Omega^T the same matrix, its gradient G Omega our Omega G.
Bare numbers in this folder are those of that paper. Its letters:

    n samples of d features, in r independent directions; `samples` is a TrainingSet
    p prototypes, the rows of W (p, r); `w_codes` (p,) are their classes, 0 to c - 1
    M rows of Omega (M, r); X (b, r) a block of samples
"""

import math
from dataclasses import dataclass

import numpy as np

from ..core import progress, squared_distances, warn_convergence

# Sums of two squared distances below this are rounding errors, in coordinates with a
# mean variance of 1.
LEAST_DISTANCE_SUM = 1e-24


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The cost, the fraction of samples that are misclassified, and the gradients."""

    value: float
    error: float
    grad_W: np.ndarray  # (p, r)
    grad_omegas: np.ndarray | None  # (g, M, r)


@dataclass(frozen=True, kw_only=True)
class Descent:
    """The end of a stochastic descent, and what was recorded of each epoch."""

    W: np.ndarray  # (p, r)
    Omega: np.ndarray  # (M, r)
    epochs: list


def relative_distances(D, same_class):
    """e (n,) in [-1, 1] and de/dD (n, p), of squared distances D (n, p).

    `same_class` (n, p) says which prototypes are of the sample's class.
    """
    rows = np.arange(len(D))
    # J and K are the nearest prototypes of the sample's class and of other classes.
    to_same_class = np.where(same_class, D, np.inf)
    to_other_classes = np.where(same_class, np.inf, D)
    J = to_same_class.argmin(axis=1)
    K = to_other_classes.argmin(axis=1)
    d_J = D[rows, J]
    d_K = D[rows, K]
    total = d_J + d_K
    # Both prototypes lie on the sample: e = 0 and no gradient, 0/0 is left undecided.
    total[total < LEAST_DISTANCE_SUM] = np.inf
    e = (d_J - d_K) / total  # Biehl2012 Eq. (6)
    # The slopes are the factors before d_J and d_K in (8).
    slopes = np.zeros_like(D)
    slopes[rows, J] = 2 * (d_K / total) / total
    slopes[rows, K] = -2 * (d_J / total) / total
    return e, slopes


def glvq_cost(samples, W, w_codes, omegas):
    """The cost (6) of prototypes W (p, r) and its gradients, a :class:`Cost`.

    `omegas` (1 or c, M, r) is one matrix or one per class; None: Euclidean. With z =
    Omega x, v = Omega w and C = de/dD, all sums over samples and prototypes are
    products:

        dE/dW = -2 (C^T Z - diag(C^T 1) V) Omega
        dE/dOmega = 2 (diag(C 1) Z - C V)^T X - 2 (C^T Z - diag(C^T 1) V)^T W
    """
    n = len(samples.X)
    metrics = _metrics(W, w_codes, omegas)
    value = 0.0
    error = 0.0
    grad_W = np.zeros_like(W)
    grad_omegas = None
    if omegas is not None:
        grad_omegas = np.zeros_like(omegas)
    _, _, V = metrics[0]
    width = max(V.shape[1], len(W))
    for X, codes in samples.blocks(width):
        same_class = codes[:, None] == w_codes
        D = np.empty(same_class.shape)
        images = []
        for k, Omega, V in metrics:
            Z = project(X, Omega)
            D[:, k] = squared_distances(Z, V)  # Biehl2012 Eq. (2)
            images.append(Z)
        e, C = relative_distances(D, same_class)
        C *= 1 / n
        weights = np.full(len(e), 1 / n)
        value += weights @ e
        error += np.count_nonzero(e >= 0) / n
        for g, (k, Omega, V) in enumerate(metrics):
            Z = images[g]
            C_k = C[:, k]
            of_prototypes = C_k.sum(axis=0)
            of_samples = C_k.sum(axis=1)
            pull = C_k.T @ Z - of_prototypes[:, None] * V
            if Omega is None:
                grad_W[k] -= 2 * pull
                continue
            # Biehl2012 Eq. (8) with (4)
            grad_W[k] -= 2 * (pull @ Omega)
            # Z changes in place: these arrays are the largest here.
            Z *= of_samples[:, None]
            Z -= C_k @ V
            slope = X.T @ Z - W[k].T @ pull
            grad_omegas[g] += 2 * slope.T
    return Cost(
        value=float(value),
        error=float(error),
        grad_W=grad_W,
        grad_omegas=grad_omegas,
    )


def _metrics(W, w_codes, omegas):
    """For each Omega an index k of its prototypes, Omega, their images V (p_k, M).

    The index is a slice or a mask of the rows of W (p, r).
    """
    if omegas is None:
        return [(slice(None), None, W)]
    groups = [slice(None)]
    if len(omegas) > 1:
        groups = [w_codes == c for c in range(len(omegas))]
    return [
        (k, Omega, project(W[k], Omega))
        for k, Omega in zip(groups, omegas, strict=True)
    ]


def project(X, Omega):
    """Omega x of each row of X, or X itself where the metric is Euclidean (None)."""
    if Omega is None:
        return X
    return X @ Omega.T


def gradient_matrix(samples, W, w_codes, Omega):
    """The symmetric matrix G (r, r) of dE/dOmega = Omega G, for Omega (M, r).

    G = mean_i [4 d_K x_J x_J^T - 4 d_J x_K x_K^T] / (d_J + d_K)^2 with x_L = x -
    w_L, from (8) and (4). As printed (18) has the distances exchanged and no factor 4.
    """
    M, r = Omega.shape
    V = project(W, Omega)
    G = np.zeros((r, r))
    for X, codes in samples.blocks(max(M, len(W))):
        Z = project(X, Omega)
        D = squared_distances(Z, V)
        same_class = codes[:, None] == w_codes
        _, C = relative_distances(D, same_class)
        C *= 1 / len(samples.X)
        weights = C.sum(axis=1)
        of_samples = X.T @ (weights[:, None] * X)
        of_prototypes = (W.T * C.sum(axis=0)) @ W
        cross = X.T @ (C @ W)
        G += 2 * (of_samples - cross - cross.T + of_prototypes)
    return (G + G.T) / 2  # Biehl2012 Eq. (18), corrected


def penalty(Omega, mu):
    """-(mu / 2) ln det(Omega Omega^T) and its gradient -mu (Omega^+)^T.

    It is infinite for a singular Omega, and 0 where mu is.
    """
    if not mu:
        return 0.0, np.zeros_like(Omega)
    U, s, Vt = np.linalg.svd(Omega.T, full_matrices=False)
    with np.errstate(divide="ignore"):
        log_s = np.log(s)
    value = float(-mu * log_s.sum())  # Biehl2012 Eq. (10)
    U_over_s = U / np.maximum(s, 1e-150)
    slope = -mu * U_over_s @ Vt
    return value, slope.T


def matrix_cost(samples, W, w_codes, Omega, mu):
    """The cost (6) with the penalty (10) for one Omega (M, r), a :class:`Cost`."""
    cost = glvq_cost(samples, W, w_codes, Omega[None])
    value, slope = penalty(Omega, mu)
    grad_Omega = cost.grad_omegas[0] + slope
    return Cost(
        value=cost.value + value,
        error=cost.error,
        grad_W=cost.grad_W,
        grad_omegas=grad_Omega[None],
    )


def stochastic(samples, W, w_codes, Omega, model, rng, record):
    """Stochastic descent as in the paper, from W (p, r) and Omega (M, r).

    `model` is a GMLVQ with the penalty weight `mu`, the learning rates `eta_w` of the
    prototypes and `eta` of Omega, `max_iter` epochs, and `verbose`. In an epoch all
    samples come once, in random order, one per step. `epochs` of the result, a
    :class:`Descent`, holds what `record` gives, as that of :func:`core.descent.lbfgs`,
    for the start and each epoch.
    """
    rates = f"`eta_w`={model.eta_w:g} and `eta`={model.eta:g}"
    n_epochs = model.max_iter
    if n_epochs is None:
        n_epochs = 100
    X = samples.inside(samples.X)
    of_class = []
    of_other_classes = []
    for c in range(w_codes.max() + 1):
        is_of_class = w_codes == c
        of_class.append(np.flatnonzero(is_of_class).tolist())
        of_other_classes.append(np.flatnonzero(~is_of_class).tolist())
    W = W.copy()
    # Products with X read Omega feature by feature.
    Omega = np.array(Omega, order="F")

    def recorded():
        cost = matrix_cost(samples, W, w_codes, Omega, model.mu)
        return record(cost.value, [W, Omega.T], cost.error)

    epochs = [recorded()]
    with (
        np.errstate(all="ignore"),
        progress(n_epochs, "GMLVQ", model.verbose) as done,
    ):
        for _ in range(n_epochs):
            try:
                for i in rng.permutation(len(X)):
                    c = samples.codes[i]
                    stochastic_step(
                        x=X[i],
                        W=W,
                        Omega=Omega,
                        of_class=of_class[c],
                        of_other_classes=of_other_classes[c],
                        model=model,
                    )
                # The end of the epoch shows whether the descent overflowed.
                squares = np.sum(Omega**2)
                is_unit = abs(squares - 1) < 1e-6
                finite = is_unit and np.all(np.isfinite(W))
            except np.linalg.LinAlgError:
                finite = False
            if not finite:
                message = f"{rates} made the descent overflow; lower them."
                raise ValueError(message)
            epochs.append(recorded())
            done()
    first = epochs[0][0]
    last = epochs[-1][0]
    if last > first:
        warn_convergence(
            f"The stochastic descent ended at a higher cost ({last:.3g}) than it began"
            f" with ({first:.3g}); lower {rates}."
        )
    return Descent(W=W, Omega=Omega, epochs=epochs)


def stochastic_step(x, W, Omega, of_class, of_other_classes, model):
    """Move W and Omega, in place, for one sample x (r,).

    `of_class` and `of_other_classes` are the numbers of the prototypes of its class and
    of all others.
    """
    differences = x - W  # (p, r)
    V = differences @ Omega.T  # (p, M)
    d = np.einsum("ij,ij->i", V, V)
    J = min(of_class, key=d.__getitem__)
    K = min(of_other_classes, key=d.__getitem__)
    total = d[J] + d[K]
    if total == 0:
        return
    change = 0.0
    for k, distance in ((J, d[K]), (K, -d[J])):
        slope = 4 * distance / total**2
        # This is (8) of one sample.
        change += slope * (V[k][:, None] * differences[k])
        W[k] += model.eta_w * slope * (Omega.T @ V[k])  # Biehl2012 Eq. (7)
    if model.mu:
        M, r = Omega.shape
        if M == r:
            inverse = np.linalg.inv(Omega.T)
        else:
            inverse = np.linalg.pinv(Omega.T)
        change -= model.mu * inverse
    Omega -= model.eta * change  # Biehl2012 Eq. (9), (11)
    entries = Omega.ravel("K")
    Omega /= math.sqrt(entries @ entries)
