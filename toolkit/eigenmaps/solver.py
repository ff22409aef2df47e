"""Solver of the graph maps: eigenvectors of the sum of a feature and a label graph.

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
from scipy import linalg, sparse
from scipy.sparse.linalg import (
    ArpackNoConvergence,
    LinearOperator,
    eigsh,
    minres,
)

from ..core import (
    components_of,
    fix_signs,
    fixed_noise,
    pad_zeros,
    symmetric_eigenpairs,
    warn,
    warn_convergence,
)

# The eigenvectors come from LAPACK up to this many nodes, beyond it from ARPACK.
DENSE_LIMIT = 400
MAX_RESIDUAL = 1e-8  # residual of an eigenvector above which a warning is given


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A map and its eigenvalues."""

    Z: np.ndarray  # (n, m)
    # (m,), mu, rising; in the limit `lam` -> 0 divided by `lam`
    eigenvalues: np.ndarray
    # (m,), 1 - mu: weighted mean of the neighbours' coordinates = shrinkage * own
    # coordinates
    shrinkage: np.ndarray
    residual: float  # the largest |D^-1/2 W D^-1/2 v - (1 - mu) v|


@dataclass(frozen=True, kw_only=True)
class Eigenpairs:
    """Leading eigenvalues of a symmetric operator, falling, and their vectors."""

    values: np.ndarray  # (k,)
    vectors: np.ndarray  # (n, k)
    residual: float  # the largest |A v - value v|


def eigenmap(W_F, labels, lam, n_components, start=None):
    """The map of one `lam` as :class:`Solution`; 0 is the limit from above.

    `W_F` (n, n) is sparse, `labels` a LabelGraph over the same nodes or None (then
    `lam` is taken as 1), `start` (n or more, m) the map of a near `lam`.
    """
    if labels is None:
        lam = 1.0
    if lam == 0:
        return small_lambda_limit(W_F, labels, n_components)
    has_labels = lam < 1

    def weigh(V):
        """The weights of both graphs, mixed by `lam`, times V (n, k) or (n,)."""
        product = lam * (W_F @ V)
        if has_labels:
            product += (1 - lam) * (labels @ V)
        return product

    degrees = weigh(np.ones(W_F.shape[0]))
    root = np.sqrt(degrees)
    count, component = _connected_components(
        W_F, labels if has_labels else None
    )
    # Orthonormal contrasts of the connected components, of weighted mean 0: each
    # against all that come after it.
    trivial = _trivial_vectors(root, component, count)
    volumes = np.bincount(component, degrees)
    unit_vectors = np.eye(count)[:, :-1]
    contrasts, _ = np.linalg.qr(
        np.column_stack([np.sqrt(volumes), unit_vectors])
    )
    vectors = trivial @ contrasts[:, 1 : n_components + 1]
    values = np.ones(vectors.shape[1])
    residual = 0.0
    if count > 1:
        rising_sizes = np.sort(np.bincount(component))
        sizes = rising_sizes[:-6:-1].tolist()
        warn(
            f"The graph has {count} connected components, the largest of {sizes} nodes;"
            " the first coordinates only separate them. Raise `n_neighbors`, or let"
            " labels join them by a `lam` < 1."
        )
    n_within = n_components - len(values)
    if n_within > 0:
        start_vector = None
        if start is not None:
            start_vector = start[: len(root)].sum(axis=1) * root
        # Tai2019 Eq. (1)
        product = _normalized_weights(weigh, root, trivial)
        within = leading_eigenpairs(product, len(root), n_within, start_vector)
        values = np.append(values, within.values)
        vectors = np.hstack([vectors, within.vectors])
        residual = within.residual
    Z = vectors / root[:, None] * np.sqrt(degrees.sum())
    return Solution(
        Z=Z * fix_signs(Z),
        eigenvalues=1 - values,
        shrinkage=values,
        residual=residual,
    )


def _trivial_vectors(root, component, count):
    """Eigenvectors D^1/2 1 of the connected components, unit columns (n, count)."""
    vectors = np.eye(count)[component] * root[:, None]
    return vectors / np.linalg.norm(vectors, axis=0)


def _normalized_weights(weigh, root, trivial):
    """The operator D^-1/2 W D^-1/2 with the trivial eigenvectors below all others.

    `weigh` gives W times vectors, `root` (n,) is the diagonal of D^1/2, `trivial` (n,
    count) are the eigenvectors of the eigenvalue 1.
    """
    scaling = sparse.diags(1 / root)

    def product(U):
        """The operator whose eigenvectors are wanted, times U (n, k)."""
        normalized = scaling @ weigh(scaling @ U)
        # The trivial eigenvalue 1 becomes -3.
        projection = trivial @ (trivial.T @ U)
        return normalized - 4 * projection

    return product


def leading_eigenpairs(product, n, k, start=None):
    """The k largest eigenpairs of a symmetric operator (n, n), from `start` (n,)."""
    if n <= DENSE_LIMIT or k >= n - 1:
        A = product(np.eye(n))
        values, vectors = symmetric_eigenpairs((A + A.T) / 2, k)
    else:
        values, vectors = _lanczos(product, n, k, start)
    errors = product(vectors) - vectors * values
    residual = float(np.linalg.norm(errors, axis=0).max())
    if residual > MAX_RESIDUAL:
        warn_convergence(
            f"The eigenvectors are imprecise: residual {residual:.1e}, more than"
            f" {MAX_RESIDUAL:.0e}."
        )
    return Eigenpairs(values=values, vectors=vectors, residual=residual)


def _lanczos(product, n, k, start):
    """The k largest eigenpairs by ARPACK, with a larger basis if the first fails.

    `product` gives the operator (n, n) times a vector (n,).
    """
    if start is None:
        start = fixed_noise(n)
    operator = LinearOperator((n, n), matvec=product, dtype=float)
    options = {"which": "LA", "v0": start, "tol": 1e-12, "maxiter": 20 * n}
    for basis in (max(20, 2 * k + 1), max(80, 6 * k)):
        try:
            values, vectors = eigsh(operator, k, ncv=min(basis, n), **options)
            return values[::-1], vectors[:, ::-1]
        except ArpackNoConvergence as error:
            reason = str(error)
    raise RuntimeError(
        f"The eigenvectors did not converge ({reason}). A graph that is nearly"
        " disconnected has eigenvalues too close to each other: raise"
        " `n_neighbors`, or lower `lam`."
    )


def small_lambda_limit(W_F, labels, n_components):
    """The limit of the map as `lam` falls to 0, eigenvalues divided by `lam`.

    At 0 itself every vector that is constant on the components of the label graph (the
    classes, if each sample has one) has eigenvalue 0, and a solver returns an arbitrary
    mixture. For any `lam` above 0 the features decide: the limit solves the problem of
    W_F within those vectors, which has the size of the components. Further coordinates
    are the next eigenvectors of the label graph, constant on each label set. Nodes
    without labels follow their neighbours.
    """
    members = (labels.membership > 0).astype(float)  # (n, s), without factors
    mass = members.T @ labels.degrees
    n_connected, _ = _connected_components(W_F, labels)
    if n_connected > 1:
        raise ValueError(
            "`lam`=0 needs a connected graph; features and labels together give"
            f" {n_connected} components. Raise `n_neighbors`, or take `lam` > 0."
        )
    if not mass.any():
        raise ValueError(
            "`lam`=0 needs samples that share a label; here every label set occurs"
            " once. Take `lam` > 0."
        )
    # Only label sets with label weights matter: a sample that shares no label moves as
    # one without labels.
    used = np.flatnonzero(mass)
    mass = mass[used]
    n_parts, part = components_of(labels.set_weights[used][:, used])
    degrees = W_F.sum(axis=1).A1
    extend = partial(
        _set_values, W_F, degrees, labels.degrees == 0, members[:, used]
    )

    # First the coordinates that are constant on each component of the label graph.
    indicators = np.eye(n_parts)[part]
    U = extend(indicators)
    LU = degrees[:, None] * U - W_F @ U
    A = U.T @ LU
    B = np.diag(np.bincount(part, mass))
    rates, V = symmetric_eigenpairs((A + A.T) / 2, B=B, rising=True)
    nonconstant = slice(1, n_components + 1)  # the first is the constant vector
    Z = U @ V[:, nonconstant]
    eigenvalues = rates[nonconstant]
    shrinkage = np.ones(n_components)
    # Then those that differ within the components.
    n_between = Z.shape[1]
    n_within = min(n_components - n_between, len(used) - n_parts)
    if n_within:
        between = labels.between_sets()[used][:, used]
        root = np.sqrt(mass)
        # Eigenpairs of the label graph without the trivial ones.
        trivial = _trivial_vectors(root, part, n_parts)
        product = _normalized_weights(between.dot, root, trivial)
        within = leading_eigenpairs(product, len(root), n_within)
        on_sets = within.vectors / root[:, None]
        shrinkage[n_between : n_between + n_within] = within.values
        columns = [Z]
        for j, value in enumerate(within.values):
            columns.append(extend(on_sets[:, j, None], 1 - value))
        Z = np.hstack(columns)
        eigenvalues = np.append(eigenvalues, 1 - within.values)
    n_zero = n_components - Z.shape[1]
    if n_zero:
        warn(
            f"At `lam`=0 {len(used)} label sets give {Z.shape[1]} coordinates; the"
            f" other {n_zero} of `n_components`={n_components} are zero."
        )
    Z = pad_zeros(Z, n_components) * np.sqrt(mass.sum())
    return Solution(
        Z=Z * fix_signs(Z),
        eigenvalues=pad_zeros(eigenvalues, n_components),
        shrinkage=shrinkage,
        residual=0.0,
    )


def _set_values(W_F, degrees, free, members, on_sets, shift=0.0):
    """Values of label sets (s, k) at their samples and at the `free` nodes: (n, k).

    A node without labels has the weighted mean of its neighbours.

    `members` (n, s) has 1 where a node has a set, `on_sets` (s, k) are the values, W_F
    (n, n) are the weights of the graph and `degrees` (n,) their sums.
    """
    U = members @ on_sets
    if free.any():
        diagonal = degrees[free] * (1 - shift)
        A = sparse.diags(diagonal) - W_F[free][:, free]
        B = W_F[free] @ U
        if len(B) <= 2000:
            U[free] = linalg.solve(A.toarray(), B, assume_a="sym")
            return U
        # Many free nodes take an iteration.
        for j, b in enumerate(B.T):
            U[free, j], failure = minres(A, b, rtol=1e-10, maxiter=20 * len(b))
            if failure:
                raise RuntimeError(
                    "The samples without labels could not be placed at `lam`=0; take"
                    " `lam` > 0."
                )
    return U


def _connected_components(W_F, labels):
    """Components of both sides together: number, and the component of each node.

    W_F (n, n) are weights of the graph, `labels` is a LabelGraph, or None.
    """
    count, component = components_of(W_F)
    if labels is None:
        return count, component
    # Each node is joined to the first one of its component: fewer edges connect the
    # same nodes.
    _, first_nodes = np.unique(component, return_index=True)
    identity = sparse.eye(len(component), format="csr")
    star = identity[first_nodes[component]]
    links = [
        [star, labels.membership],
        [labels.membership.T, labels.set_weights],
    ]
    count, component_of_all = components_of(sparse.bmat(links))
    return count, component_of_all[: len(component)]
