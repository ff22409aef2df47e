"""Solver of the graph maps: eigenvectors of a graph that is the sum of a feature and a label side.

The weights are W = lam W_F + (1 - lam) W_L, D their row sums. Minimising sum_ij |z_i -
z_j|^2 w_ij subject to Z^T D Z = I (Tai2019, (1)) leads to L Z = D Z diag(mu), L = D -
W, and so to the largest eigenvalues 1 - mu of D^-1/2 W D^-1/2, a product with a sparse
matrix and a label operator. All maps here are scaled so that the squares of a
coordinate have the D-weighted mean 1: pictures for different `lam` are then of one
size.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, minres
from sklearn.exceptions import ConvergenceWarning

from ..core.estimators import warn
from ..core.graphs import components_of
from ..core.linalg import fix_signs, symmetric_eigenpairs

# up to this many nodes the eigenvectors come from LAPACK, beyond it from ARPACK
DENSE_LIMIT = 400
MAX_RESIDUAL = 1e-8  # residual of an eigenvector above which a warning is given


@dataclass(frozen=True)
class Solution:
    """A map and its eigenvalues."""

    Z: np.ndarray  # (n, m)
    # (m,), mu, rising; in the limit `lam` -> 0 divided by `lam`
    eigenvalues: np.ndarray
    # (m,), 1 - mu: weighted mean of the neighbours' coordinates = shrinkage * own
    # coordinates
    shrinkage: np.ndarray
    residual: float  # the largest |D^-1/2 W D^-1/2 v - (1 - mu) v|


def eigenmap(W_F, labels, lam, n_components, start=None):
    """The map of one `lam` as :class:`Solution`; 0 stands for the limit from above.

    `W_F` (n, n) is sparse, `labels` a LabelGraph over the same nodes or None (then
    `lam` counts as 1), `start` (n, m) the map of a near `lam`, `connected` whether the
    feature graph is known to be connected.
    """
    if labels is None:
        lam = 1.0
    if lam == 0:
        return limit_of_labels(W_F, labels, n_components)

    def weigh(V):
        return lam * (W_F @ V) + ((1 - lam) * (labels @ V) if lam < 1 else 0)

    n = W_F.shape[0]
    degrees = weigh(np.ones(n))
    root = np.sqrt(degrees)
    count, component = _components(W_F, labels if lam < 1 else None)
    constants = _constants(root, component, count)
    product = _normalised(weigh, root, constants)
    n_constant = min(count - 1, n_components)
    if count > 1:
        sizes = np.sort(np.bincount(component))[:-6:-1].tolist()
        warn(
            f"The graph has {count} connected components, the largest of {sizes} nodes;"
            " the first coordinates only separate them. Raise `n_neighbors`, or let"
            " labels join them by a `lam` < 1."
        )
    wanted = n_components - n_constant
    first = None if start is None else (start * root[:, None]).sum(axis=1)
    values = np.empty(0)
    vectors = np.empty((n, 0))
    residual = 0.0
    if wanted:
        # Tai2019 Eq. (1)
        values, vectors, residual = leading_eigenpairs(product, n, wanted, first)
    contrasts = _contrasts(np.sum(constants * root[:, None], axis=0) ** 2)[
        :, :n_constant
    ]
    vectors = np.hstack([constants @ contrasts, vectors])
    Z = vectors / root[:, None] * np.sqrt(degrees.sum())
    mu = np.concatenate([np.zeros(n_constant), 1 - values])
    return Solution(Z * fix_signs(Z), mu, 1 - mu, residual)


def _constants(root, component, count):
    """Trivial eigenvectors D^1/2 1 of the connected components, unit columns (n, count)."""
    constants = np.zeros((len(root), count))
    constants[np.arange(len(root)), component] = root
    return constants / np.sqrt(np.sum(constants**2, axis=0))


def _normalised(weigh, root, constants):
    """The operator D^-1/2 W D^-1/2, W given as a function, with the trivial eigenvectors moved below all others."""

    def product(U):
        scale = root if U.ndim == 1 else root[:, None]
        # their eigenvalue 1 becomes -3
        return weigh(U / scale) / scale - 4 * (constants @ (constants.T @ U))

    return product


def leading_eigenpairs(product, n, k, start=None):
    """The k largest eigenvalues (k,), falling, of a symmetric operator, vectors (n, k) and the largest residual."""
    if n <= DENSE_LIMIT or k >= n - 1:
        A = product(np.eye(n))
        values, vectors = symmetric_eigenpairs((A + A.T) / 2, k)
    else:
        start = np.random.default_rng(0).normal(size=n) if start is None else start
        operator = LinearOperator((n, n), matvec=product, dtype=float)
        for basis in (max(20, 2 * k + 1), max(80, 6 * k)):
            try:
                values, vectors = eigsh(
                    operator,
                    k,
                    which="LA",
                    v0=start,
                    tol=1e-12,
                    ncv=min(basis, n),
                    maxiter=20 * n,
                )
                break
            except ArpackNoConvergence as error:
                reason = str(error)
        else:
            raise RuntimeError(
                f"The eigenvectors did not converge ({reason}). A graph that is nearly"
                " disconnected has eigenvalues too close to each other: raise"
                " `n_neighbors`, or lower `lam`."
            )
        values = values[::-1]
        vectors = vectors[:, ::-1]
    residual = float(
        np.max(np.linalg.norm(product(vectors) - vectors * values, axis=0), initial=0.0)
    )
    if residual > MAX_RESIDUAL:
        imprecise = (
            f"The eigenvectors are imprecise: residual {residual:.1e}, more than"
            f" {MAX_RESIDUAL:.0e}."
        )
        warn(imprecise, ConvergenceWarning)
    return values, vectors, residual


def limit_of_labels(W_F, labels, n_components):
    """The limit of the map as `lam` falls to 0, eigenvalues divided by `lam`.

    At 0 itself every vector that is constant on the components of the label graph (the
    classes, if each sample has one) has eigenvalue 0, and a solver returns an arbitrary
    mixture. For any `lam` above 0 the features decide: the limit solves the problem of
    W_F within those vectors, which has the size of the components. Further coordinates
    are the next eigenvectors of the label graph, constant on each label set. Nodes
    without labels follow their neighbours.
    """
    count, _ = _components(W_F, labels)
    if count > 1:
        raise ValueError(
            "`lam`=0 needs a connected graph; features and labels together give"
            f" {count} components. Raise `n_neighbors`, or take `lam` > 0."
        )
    members = (labels.membership > 0).astype(float)  # (n, s), without factors
    mass = members.T @ labels.degrees
    if not mass.any():
        raise ValueError(
            "`lam`=0 needs samples that share a label; here every label set occurs"
            " once. Take `lam` > 0."
        )
    # Of the sets only those with label weights count: a sample that shares no label
    # moves as one without labels.
    kept = np.flatnonzero(mass)
    mass = mass[kept]
    n_sets = len(kept)
    n_parts, part = components_of(labels.set_weights[kept][:, kept])
    feature_degrees = W_F.sum(axis=1).A1
    extend = partial(
        _from_sets, W_F, feature_degrees, labels.degrees == 0, members[:, kept]
    )

    # First the coordinates that are constant on each component of the label graph, then
    # those that differ within.
    U = extend(np.eye(n_parts)[part])
    A = U.T @ (feature_degrees[:, None] * U - W_F @ U)
    rates, V = symmetric_eigenpairs(
        (A + A.T) / 2, B=np.diag(np.bincount(part, mass)), rising=True
    )
    Z = U @ V[:, 1 : n_components + 1]
    eigenvalues = rates[1 : n_components + 1]  # the first is the constant vector
    shrinkage = np.ones(n_components)
    missing = min(n_components - Z.shape[1], n_sets - n_parts)
    if missing > 0:
        between = labels.between_sets()[kept][:, kept]
        root = np.sqrt(mass)
        product = _normalised(
            lambda V: between @ V, root, _constants(root, part, n_parts)
        )
        values, vectors, _ = leading_eigenpairs(product, n_sets, missing)
        on_sets = vectors / root[:, None]
        columns = [
            extend(on_sets[:, [j]], shift=1 - value) for j, value in enumerate(values)
        ]
        shrinkage[Z.shape[1] :][:missing] = values
        Z = np.hstack([Z, *columns])
        eigenvalues = np.concatenate([eigenvalues, 1 - values])
    empty = n_components - Z.shape[1]
    if empty > 0:
        warn(
            f"At `lam`=0 {n_sets} label sets give {Z.shape[1]} coordinates; the other"
            f" {empty} of `n_components`={n_components} are zero."
        )
        Z = np.pad(Z, ((0, 0), (0, empty)))
        eigenvalues = np.pad(eigenvalues, (0, empty))
    Z = Z * np.sqrt(mass.sum())
    return Solution(Z * fix_signs(Z), eigenvalues, shrinkage, 0.0)


def _from_sets(W_F, feature_degrees, free, members, on_sets, shift=0.0):
    """Values of the label sets (s, k) given to their samples, and from there to the `free` nodes without: (n, k)."""
    U = members @ on_sets
    if free.any():
        A = scipy.sparse.diags(feature_degrees[free] * (1 - shift)) - W_F[free][:, free]
        U[free] = _solve(A.tocsr(), W_F[free] @ U)
    return U


def _solve(A, B):
    """A^-1 B of a sparse symmetric matrix: directly if it is small, by iteration if not."""
    if A.shape[0] <= 2000:
        return scipy.linalg.solve(A.toarray(), B, assume_a="sym")
    U = np.empty(B.shape)
    for j in range(B.shape[1]):
        U[:, j], failed = minres(A, B[:, j], rtol=1e-10, maxiter=20 * len(U))
        if failed:
            raise RuntimeError(
                "The samples without labels could not be placed at `lam`=0; take `lam`"
                " > 0."
            )
    return U


def _components(W_F, labels):
    """Connected components of both sides together: number, component of each node."""
    count, component = components_of(W_F)
    if count == 1 or labels is None:
        return count, component
    links = [[W_F, labels.membership], [labels.membership.T, labels.set_weights]]
    component = components_of(scipy.sparse.bmat(links))[1][: W_F.shape[0]]
    kept, component = np.unique(component, return_inverse=True)
    return len(kept), component


def _contrasts(volumes):
    """Orthonormal contrasts of components of given volumes, of weighted mean 0: each against all smaller ones."""
    root = np.sqrt(volumes / volumes.sum())
    C = len(root)
    H = np.zeros((C, C - 1))
    for j in range(C - 1):
        rest = root[j + 1 :]
        H[j, j] = np.linalg.norm(rest)
        H[j + 1 :, j] = -rest * root[j] / H[j, j]
        H[:, j] /= np.linalg.norm(H[:, j])
    return H
