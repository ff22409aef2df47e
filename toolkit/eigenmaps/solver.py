"""One solver for every map: the eigenvectors of a graph that is the sum of a feature and a label side.

The weights are W = lam W_F + (1 - lam) W_L, D their row sums. Minimising sum_ij |z_i - z_j|^2 w_ij subject to
Z^T D Z = I leads to L Z = D Z diag(mu), L = D - W (Tai2019 Eq. (1)), and so to the largest eigenvalues 1 - mu of
D^-1/2 W D^-1/2, a product with a sparse matrix and a label operator. All maps here are scaled so that the squares
of a coordinate have the D-weighted mean 1: pictures for different `lam` are then of a size.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, minres
from sklearn.exceptions import ConvergenceWarning

from ..core.graphs import components_of
from ..core.linalg import fix_signs

__all__ = ["Solution", "eigenmap", "leading_eigenpairs", "limit_of_labels"]

DENSE = 400
"""Up to this many nodes the eigenvectors come from LAPACK, beyond it from ARPACK."""

PRECISION = 1e-8
"""Residual of an eigenvector above which a warning is given."""


@dataclass(frozen=True)
class Solution:
    """A map and its eigenvalues.

    Attributes
    ----------
    Z : ndarray of shape (n, m)
    eigenvalues : ndarray of shape (m,), rising; in the limit `lam` -> 0 divided by `lam`
    shrinkage : ndarray of shape (m,), 1 - mu: the weighted mean of a node's neighbours lies there times its own place
    residual : float, the largest |D^-1/2 W D^-1/2 v - (1 - mu) v|
    """

    Z: np.ndarray
    eigenvalues: np.ndarray
    shrinkage: np.ndarray
    residual: float


def eigenmap(W_F, labels, lam, n_components, start=None, *, connected=False):
    """Solve for the map of one `lam`.

    Parameters
    ----------
    W_F : csr_matrix of shape (n, n), symmetric, non-negative
    labels : LabelGraph over the same nodes, or None (then `lam` counts as 1)
    lam : float in [0, 1]; 0 stands for the limit from above, see :func:`limit_of_labels`
    n_components : int
    start : ndarray of shape (n, m), optional
        Map of a near `lam`, from which the iteration starts.
    connected : bool
        Whether the graph is known to be in one piece; otherwise that is found out.

    Returns
    -------
    Solution
    """
    if labels is None:
        lam = 1.0
    if lam == 0:
        return limit_of_labels(W_F, labels, n_components)
    feature_degrees = np.asarray(W_F.sum(axis=1)).ravel()
    degrees = lam * feature_degrees + ((1 - lam) * labels.degrees if lam < 1 else 0)
    root = np.sqrt(degrees)
    n = len(degrees)
    count, piece = (1, np.zeros(n, dtype=int)) if connected else _pieces(W_F, labels if lam < 1 else None)
    K = np.zeros((n, count))  # the constant vector of each piece
    K[np.arange(n), piece] = root
    K /= np.sqrt(np.sum(K**2, axis=0))

    def product(U):
        V = U / (root if U.ndim == 1 else root[:, None])
        V = lam * (W_F @ V) + ((1 - lam) * (labels @ V) if lam < 1 else 0)
        return V / (root if U.ndim == 1 else root[:, None]) - 4 * (K @ (K.T @ U))  # 1 -> -3: below all others

    n_constant = min(count - 1, n_components)
    if count > 1:
        _warn_of_pieces(piece, count, lam if labels is not None else None)
    wanted = n_components - n_constant
    first = None if start is None else (start * root[:, None]).sum(axis=1)
    values, vectors, residual = (
        leading_eigenpairs(product, n, wanted, first) if wanted else (np.empty(0), np.empty((n, 0)), 0.0)
    )
    steps = _contrasts(np.sum(K * root[:, None], axis=0) ** 2)[:, :n_constant]
    vectors = np.hstack([K @ steps, vectors])
    Z = vectors / root[:, None] * np.sqrt(degrees.sum())
    mu = np.concatenate([np.zeros(n_constant), 1 - values])
    return Solution(Z * fix_signs(Z), mu, 1 - mu, residual)


def leading_eigenpairs(product, n, k, start=None):
    """Largest eigenvalues of a symmetric operator with eigenvalues in [-1, 1], falling, and their vectors.

    Returns
    -------
    values (k,), vectors (n, k), largest residual

    Raises
    ------
    RuntimeError
        If the iteration does not converge.
    """
    if n <= DENSE or k >= n - 1:
        A = product(np.eye(n))
        values, vectors = scipy.linalg.eigh((A + A.T) / 2, subset_by_index=[n - k, n - 1])
    else:
        start = np.random.default_rng(0).normal(size=n) if start is None else start
        operator = LinearOperator((n, n), matvec=product, dtype=float)
        for basis in (max(20, 2 * k + 1), max(80, 6 * k)):
            try:
                values, vectors = eigsh(operator, k, which="LA", v0=start, tol=1e-12, ncv=min(basis, n), maxiter=20 * n)
                break
            except ArpackNoConvergence as error:
                reason = str(error)
        else:
            raise RuntimeError(
                f"The eigenvectors did not converge ({reason}). A graph that nearly falls apart has eigenvalues "
                "too close to each other: raise `n_neighbors`, or lower `lam`."
            )
    values, vectors = values[::-1], vectors[:, ::-1]
    residual = float(np.max(np.linalg.norm(product(vectors) - vectors * values, axis=0), initial=0.0))
    if residual > PRECISION:
        warnings.warn(
            f"The eigenvectors are imprecise: residual {residual:.1e}, more than {PRECISION:.0e}.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return values, vectors, residual


def limit_of_labels(W_F, labels, n_components):
    """The limit of the map as `lam` falls to 0.

    At 0 itself every vector that is constant on the pieces of the label graph (the classes, if each sample has one)
    has eigenvalue 0, and a solver returns an arbitrary mixture. For any `lam` above 0 the features decide: the limit
    solves the problem of W_F within those vectors, of size pieces x pieces. Its eigenvalues are those of the map
    divided by `lam`. If more coordinates are wanted than pieces give, they are the next eigenvectors of the label
    graph, which are constant on each label set. Nodes without label weights follow their neighbours.
    """
    feature_degrees = np.asarray(W_F.sum(axis=1)).ravel()
    count, _ = _pieces(W_F, labels)
    if count > 1:
        raise ValueError(
            f"`lam`=0 needs a graph in one piece; features and labels together give {count}. Raise `n_neighbors`, "
            "or take `lam` > 0."
        )
    free = labels.degrees == 0  # without a label, or the only one with it
    S = labels.members()  # (n, s)
    mass = S.T @ labels.degrees
    if not mass.any():
        raise ValueError("`lam`=0 needs samples that share a label; here every label set occurs once. Take `lam` > 0.")
    kept = np.flatnonzero(mass)
    S, mass, J = S[:, kept], mass[kept], labels.J[kept][:, kept]
    n_sets = len(kept)
    n_pieces, piece = components_of(J)
    onto_pieces = scipy.sparse.csr_matrix((np.ones(n_sets), (np.arange(n_sets), piece)))

    def spread(on_sets, shift=0.0):
        """Values of the label sets given to their samples, and from there to samples without labels."""
        U = S @ on_sets
        if free.any():
            A = scipy.sparse.diags(feature_degrees[free] * (1 - shift)) - W_F[free][:, free]
            U[free] = _solve(A.tocsr(), W_F[free] @ U)
        return U

    total = mass.sum()
    U = spread(onto_pieces.toarray())
    A = U.T @ (feature_degrees[:, None] * U - W_F @ U)
    rates, a = scipy.linalg.eigh((A + A.T) / 2, np.diag(onto_pieces.T @ mass))
    Z, eigenvalues = U @ a[:, 1 : n_components + 1], rates[1 : n_components + 1]
    shrinkage = np.ones(n_components)
    missing = min(n_components - Z.shape[1], n_sets - n_pieces)
    if missing > 0:
        root = np.sqrt(mass)
        K = onto_pieces.toarray() * root[:, None]
        K /= np.linalg.norm(K, axis=0)
        between = labels.between_sets()[kept][:, kept]

        def product(U):
            V = U / (root if U.ndim == 1 else root[:, None])
            return (between @ V) / (root if U.ndim == 1 else root[:, None]) - 4 * (K @ (K.T @ U))

        values, vectors, _ = leading_eigenpairs(product, n_sets, missing)
        columns = [spread(vectors[:, [j]] / root[:, None], shift=1 - value) for j, value in enumerate(values)]
        shrinkage[Z.shape[1] : Z.shape[1] + missing] = values
        Z, eigenvalues = np.hstack([Z, *columns]), np.concatenate([eigenvalues, 1 - values])
    if Z.shape[1] < n_components:
        warnings.warn(
            f"At `lam`=0 {n_sets} label sets give {Z.shape[1]} coordinates; the other "
            f"{n_components - Z.shape[1]} of `n_components`={n_components} are zero.",
            stacklevel=5,
        )
        empty = n_components - Z.shape[1]
        Z, eigenvalues = np.pad(Z, ((0, 0), (0, empty))), np.pad(eigenvalues, (0, empty))
    Z = Z * np.sqrt(total)
    return Solution(Z * fix_signs(Z), eigenvalues, shrinkage, 0.0)


def _solve(A, B):
    """A^-1 B of a sparse symmetric matrix: directly if it is small, by iteration if not."""
    if A.shape[0] <= 2000:
        return scipy.linalg.solve(A.toarray(), B, assume_a="sym")
    U = np.empty(B.shape)
    for j in range(B.shape[1]):
        U[:, j], failed = minres(A, B[:, j], rtol=1e-10, maxiter=20 * len(U))
        if failed:
            raise RuntimeError("The samples without labels could not be placed at `lam`=0; take `lam` > 0.")
    return U


def _pieces(W_F, labels):
    """Connected pieces of both sides together: number, piece of each node."""
    count, piece = components_of(W_F)
    if count == 1 or labels is None:
        return count, piece
    count, piece = components_of(scipy.sparse.bmat([[W_F, labels.P], [labels.P.T, labels.J]]))
    piece = piece[: W_F.shape[0]]
    kept, piece = np.unique(piece, return_inverse=True)
    return len(kept), piece


def _contrasts(volumes):
    """Orthonormal steps between pieces of given volumes, of weighted mean 0: each piece against all smaller ones."""
    share = np.sqrt(volumes / volumes.sum())
    C = len(share)
    H = np.zeros((C, max(C - 1, 0)))
    for j in range(C - 1):
        rest = share[j + 1 :]
        H[j, j] = np.linalg.norm(rest)
        H[j + 1 :, j] = -rest * share[j] / H[j, j]
        H[:, j] /= np.linalg.norm(H[:, j])
    return H


def _warn_of_pieces(piece, count, lam):
    sizes = np.sort(np.bincount(piece))[::-1]
    shown = ", ".join(map(str, sizes[:5])) + (", ..." if count > 5 else "")
    remedy = "Raise `n_neighbors`"
    if lam == 1:
        remedy += ", or take `lam` < 1: labels may join them"
    warnings.warn(
        f"The graph falls into {count} separate pieces ({shown} nodes); the first coordinates only tell them apart. "
        f"{remedy}.",
        stacklevel=5,
    )
