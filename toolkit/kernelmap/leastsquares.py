"""Weighted least squares with one Mahalanobis metric per sample, thesis Eq. (3.3), by conjugate gradients.

Minimised over the coefficients B is the mean of (x_i - B^T k_i)^T (J_i + lam I) (x_i - B^T k_i), J_i = F_i^T F_i.
The normal equations, sum_i (k_i k_i^T kron J_i) vec(B) = sum_i k_i kron J_i x_i, have m d unknowns. Their matrix is
never formed: in an orthonormal basis of the columns of K, and in coordinates in which the mean of the J_i + lam I is
the identity, conjugate gradients need few steps, each of two products with K and two with the factors F_i.
"""

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator, cg

from ..core.estimators import warn

__all__ = ["metric_least_squares"]

MAX_STEPS = 2000
RELATIVE_TOLERANCE = 1e-10  # of the residual: this fraction of the norm of the right-hand side
ABSOLUTE_TOLERANCE = 1e-14  # this fraction of the norm of the summands of the right-hand side, which may cancel


def metric_least_squares(K, X, factors, lam, *, cutoff=1e-8):
    """Coefficients B (m, d) of K B ~ X in the metrics of the samples, from K (n, m), X (n, d), factors F_i (n, c, d).

    Without `factors` they are ordinary least squares. Singular values of K below `cutoff` times the largest are 0.
    """
    U, s, Vt = scipy.linalg.svd(K, full_matrices=False)
    kept = s > cutoff * s[0]
    U, back = U[:, kept], Vt[kept].T / s[kept]
    if factors is None:
        return back @ (U.T @ X)
    n, d = X.shape
    flat = factors.reshape(-1, d)
    mean = flat.T @ flat / n + lam * np.eye(d)
    values, vectors = np.linalg.eigh(mean)
    known = values > 1e-14 * values[-1]  # directions that no sample and no lam measures get ordinary least squares
    root = np.sqrt(np.where(known, values, 1.0))
    whiten, unwhiten = vectors / root, vectors * root
    factors = factors @ whiten
    ridge = lam * whiten.T @ whiten + np.diag(~known * 1.0)

    def measured(E):  # Eq. (3.3): J_i e_i of every sample
        inner = np.matmul(factors, E[:, :, None])
        return np.matmul(factors.transpose(0, 2, 1), inner)[:, :, 0] + E @ ridge

    unit = np.abs(X).max() or 1.0  # so that no square vanishes
    X = X / unit @ unwhiten
    start, shape = U.T @ X, (U.shape[1], d)
    if not start.any():
        return unit * (back @ start)
    operator = LinearOperator(
        (start.size, start.size), matvec=lambda b: (U.T @ measured(U @ b.reshape(shape))).ravel(), dtype=np.float64
    )
    right = (U.T @ measured(X)).ravel()
    # what rounding leaves of the right-hand side, where its terms cancel
    terms = (np.sum(factors**2, axis=(1, 2)) + np.trace(ridge)) * np.linalg.norm(X, axis=1)
    tolerances = {"rtol": RELATIVE_TOLERANCE, "atol": ABSOLUTE_TOLERANCE * float(np.linalg.norm(terms))}
    solution, unfinished = cg(operator, right, x0=start.ravel(), maxiter=MAX_STEPS, **tolerances)
    if unfinished:
        warn(
            f"the equations of the inverse map were not solved to {RELATIVE_TOLERANCE:g} in {MAX_STEPS} steps; raise "
            "`lam`.",
            RuntimeWarning,
        )
    return unit * (back @ (solution.reshape(shape) @ whiten.T))
