"""Maximum variance unfolding (Weinberger and Saul): pull the samples apart as far as their neighbours allow.

Maximise sum_i |z_i|^2 over centred maps with |z_i - z_j| <= d_ij for all neighbours i, j. In the scalar products
K = Z Z^T that is a semidefinite program; here Z itself is sought, with few columns, and a bound from the dual problem
says how far from the optimum it is.
"""

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..core.checks import check_integer, check_positive
from ..core.estimators import warn
from ..core.graphs import components_of
from ..core.linalg import symmetric_eigenpairs
from .base import Embedder, check_dimension, starting_map
from .neighborhoods import neighborhood_graph

__all__ = ["MVU", "unfold"]

STEPS = 100
"""Steps of the descent between two updates of the multipliers, at first; up to four times that later."""

REPAIRS = 8
"""How often the weights of a bound are mended."""

SAME = 1e-9
"""Neighbours nearer than this part of the median edge are one point of the map."""

LONG = 10.0
"""From so many median edges on, an edge is held to its length by the relative excess."""

IDLE = 10
"""After so many updates in a row that the descent answers with at most one step, it ends."""

LEAST = 5
"""An update counts as at least so many steps."""


class MVU(Embedder):
    """Maximum variance unfolding: neighbours stay as near as they are, all else moves apart.

    Parameters
    ----------
    n_components : int, default=2
    metric : {"euclidean", "precomputed"}
        Whether `fit` gets vectors (n, d) or distances (n, n): all of them, or a sparse matrix whose stored entries are
        the distances of neighbours.
    n_neighbors : int, default=6
        Neighbours of a sample; a pair counts if either is among those of the other. Not used for a sparse matrix.
    rank : int, default=20
        Dimensions in which the samples unfold, at least `n_components`. Too few leave a gap.
    max_iter : int, default=4000
        Steps of the descent.
    tol : float in (0, 1), default=1e-3
        Stop at this `gap_`.
    init : {"pca", "random"}, None or array-like of shape (n, n_components), default=None
        None: "pca", or "random" for a sparse matrix. Its unit does not matter. A little noise is added,
        always the same.
    random_state : int, RandomState or None
        For ``init="random"``.
    callback : callable, optional
        Called with (iteration, variance) after each update of the multipliers.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components), centred
        The first principal coordinates of the unfolded samples.
    eigenvalues_ : ndarray of shape (rank,), or fewer
        Variance of each principal coordinate; those after the first `n_components` are what the map leaves out.
    variance_ : float, sum of squared lengths in all coordinates
    bound_ : float
        No map within the lengths has more variance, whatever its rank.
    gap_ : float, 1 - variance_ / bound_
    violation_ : float
        Largest relative excess of an edge at the end of the descent. The samples are then shrunk by it, so that
        no edge is longer than its distance.
    n_iter_ : int

    Warns
    -----
    ConvergenceWarning
        The gap is not reached within `max_iter`, or not at all as the descent no longer moves.
    UserWarning
        The graph of neighbours was in pieces, which nothing would keep together; they have been joined by the shortest
        distances between them.

    Notes
    -----
    Distances are upper limits (the "<=" form): then every matrix of distances has a solution, Fisher distances too,
    and weights of edges whose Laplacian has no eigenvalue below 1 but the constant's bound the variance by
    sum_e w_e d_e^2. The low rank makes the descent non-convex; the bound holds all the same. Equal samples are one
    point of the map, and so are neighbours within 1e-9 of the median edge or the rounding of the longest one. Beside
    a sample f times as far away as the others are wide, these hold a share of about 1 / f^2 of the variance: the gap
    says little about how they lie. Takes some arrays of shape (n, n), and time of order n^3.

    References
    ----------
    Weinberger and Saul (2006); Sun, Boyd, Xiao and Diaconis (2006) for the dual; Burer and Monteiro (2003) for the
    low rank.

    Examples
    --------
    >>> t = np.linspace(0, 5, 30)  # a bent string becomes straight, as long as it is
    >>> mvu = MVU(n_neighbors=1, random_state=0).fit(np.column_stack([np.cos(t), np.sin(t)]))
    >>> round(float(np.ptp(mvu.embedding_[:, 0])), 1), mvu.gap_ < 1e-3
    (5.0, True)
    """

    _takes_graphs = True

    def __init__(
        self,
        n_components=2,
        *,
        metric="euclidean",
        n_neighbors=6,
        rank=20,
        max_iter=4000,
        tol=1e-3,
        init=None,
        random_state=None,
        callback=None,
    ):
        self.n_components = n_components
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.rank = rank
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.callback = callback

    def _embed(self, samples):
        k = check_dimension(self.n_components, samples)
        rank = max(k, check_integer(self.rank, "rank"))
        max_iter = check_integer(self.max_iter, "max_iter")
        tol = check_positive(self.tol, "tol")
        if tol >= 1:
            raise ValueError(f"`tol` must be below 1, the gap of no map at all; got {self.tol!r}.")
        scaled, unit = samples.in_own_unit()
        start = self._start(scaled, k, min(rank, samples.n - 1))
        edges = scipy.sparse.triu(neighborhood_graph(scaled, self.n_neighbors)).tocoo()
        point, mass, pairs, lengths = _merged(np.column_stack([edges.row, edges.col]), edges.data, samples.n)
        Z, bound, violation, iterations = np.zeros((samples.n, rank)), 0.0, 0.0, 0
        if len(mass) > 1:
            start = np.array([np.bincount(point, column) for column in start.T]).T / mass[:, None]
            Z, bound, violation, iterations = unfold(
                start[:, : len(mass) - 1],
                pairs,
                lengths,
                mass,
                tol=tol,
                max_iter=max_iter,
                callback=None if self.callback is None else lambda i, v: self.callback(i, v * unit * unit),
            )
            Z = Z[point]
        values, vectors = symmetric_eigenpairs(Z.T @ Z, Z.shape[1])
        variance = float(np.sum(Z**2))
        self.eigenvalues_ = np.maximum(values, 0) * unit * unit
        self.embedding_ = np.pad(Z @ vectors[:, :k], ((0, 0), (0, max(0, k - Z.shape[1])))) * unit
        self.variance_, self.bound_ = variance * unit * unit, float(bound) * unit * unit
        self.violation_, self.n_iter_ = violation, iterations
        self.gap_ = float(1 - variance / bound) if bound > 0 else 0.0
        if self.gap_ > tol:
            remedy = f"raise `max_iter` ({max_iter}) or `rank` ({rank})"
            if iterations < max_iter:
                remedy = "there the descent no longer moves, as beside a far outlier; leave such samples out"
            warn(
                f"The variance is {self.gap_:.2g} (relative) below its bound, not `tol`={tol:.2g}, after {iterations} "
                f"steps; {remedy}.",
                ConvergenceWarning,
            )

    def _start(self, samples, k, rank):
        named = self.init is None or (isinstance(self.init, str) and self.init in ("pca", "random"))
        columns = rank if named else k
        default = "pca" if samples.graph is None else "random"
        Z = starting_map(self.init, samples, columns, check_random_state(self.random_state), default=default)
        Z = Z / (np.abs(Z).max() or 1.0)
        Z = np.pad(Z, ((0, 0), (0, max(0, rank - columns))))
        # a little noise opens all coordinates, the same each time: `random_state` is for a random start
        size = np.sqrt(np.median(np.mean((Z - np.median(Z, axis=0)) ** 2, axis=1))) or Z.std() or 1.0
        return Z + 0.01 * size * np.random.default_rng(0).normal(size=Z.shape)


def _merged(pairs, lengths, n):
    """Equal neighbours as one point: the point of each sample, their numbers of samples, edges and lengths."""
    typical = np.median(lengths[lengths > 0]) if lengths.any() else 0.0
    short = lengths <= max(SAME * typical, np.finfo(float).eps * lengths.max(initial=0.0))
    point = components_of(scipy.sparse.csr_matrix((np.ones(short.sum()), pairs[short].T), shape=(n, n)))[1]
    shortest = np.full((point.max() + 1,) * 2, np.inf)  # between points
    np.minimum.at(shortest, tuple(np.sort(point[pairs], axis=1).T), lengths)
    pairs = np.argwhere(np.triu(np.isfinite(shortest), 1))
    return point, np.bincount(point).astype(float), pairs, shortest[tuple(pairs.T)]


def unfold(start, pairs, lengths, mass, *, tol=1e-3, max_iter=4000, callback=None):
    """Maximise sum_i m_i |z_i|^2 subject to |z_i - z_j| <= d_ij, with a bound on what any number of columns reaches.

    Parameters
    ----------
    start : ndarray of shape (n, r)
    pairs : ndarray of int, shape (m, 2), which join all points
    lengths : ndarray of shape (m,), all > 0
    mass : ndarray of shape (n,), how many samples each point stands for
    tol : float
        Stop at this relative gap between variance and bound.
    max_iter : int, steps of the descent in all
    callback : callable, optional

    Returns
    -------
    Z : ndarray of shape (n, r), centred, within all lengths
    bound : float
    violation : float, the largest relative excess of an edge before `Z` was shrunk to remove it
    iterations : int

    Examples
    --------
    >>> Z, bound, *_ = unfold(np.eye(3)[:, :2], np.array([[0, 1], [1, 2]]), np.ones(2), np.ones(3), tol=1e-7)
    >>> np.round(np.sum(Z**2), 5).item(), round(bound, 5)  # a straight line: -1, 0, 1
    (2.0, 2.0)
    """
    # The constraints are |z_i - z_j|^2 / d_ij <= d_ij, in units of the median length: divided by d_ij^2 short edges
    # would rule the descent, undivided they would be ignored; only very long ones are, or they would rule it.
    # Maximising ln(variance) makes all free of units.
    n, r = start.shape
    unit = np.median(lengths)
    d = lengths / unit
    scale = d * np.maximum(d / LONG, 1)
    d = d / scale * d  # limits of the constraints: |z_i - z_j|^2 / scale <= d
    root = np.sqrt(mass)
    flat = root / np.sqrt(mass.sum())  # in U = sqrt(m) Z: variance |U|^2, centred if flat^T U = 0
    B = _incidence(pairs, scale, root)
    BT = B.T.tocsr()
    L = (BT @ B).toarray()
    # Steps are taken in V, U = S V, where the Laplacian of the graph is the unit matrix: a long chain needs that.
    R = scipy.linalg.cholesky(L * (n / np.trace(L)) + np.outer(flat, flat) + 1e-10 * np.eye(n))
    S = scipy.linalg.solve_triangular(R, np.eye(n))

    def excess(U):
        E = B @ U
        return E, np.einsum("ij,ij->i", E, E) - d

    def cost(v, y, rho):
        U = _centred(S @ v.reshape(n, r), flat)
        E, c = excess(U)
        push = np.maximum(y + rho * c, 0)
        variance = np.sum(U * U)
        G = _centred(BT @ (2 * push[:, None] * E) - (2 / variance) * U, flat)
        return -np.log(variance) + np.sum(push**2 - y**2) / (2 * rho), (S.T @ G).ravel()

    U = _centred(start * root[:, None], flat)
    U /= np.abs(U).max()
    U /= np.sqrt(np.mean(excess(U)[0] ** 2))  # edges about as long as they may be
    y, rho, steps, before = 1 / (d * len(d)), 20 / len(d), STEPS, np.inf
    variance, best, violation, bound, iterations = 0.0, U, np.inf, np.inf, 0
    idle = 0
    while iterations < max_iter and idle < IDLE and (variance == 0 or 1 - variance / bound > tol):
        options = {"maxiter": min(steps, max_iter - iterations), "ftol": 0, "gtol": 1e-10, "maxls": 30}
        found = minimize(cost, (R @ U).ravel(), (y, rho), method="L-BFGS-B", jac=True, options=options)
        iterations = min(iterations + max(found.nit, LEAST), max_iter)
        idle = idle + 1 if found.nit <= 1 else 0
        U = _centred(S @ found.x.reshape(n, r), flat)
        c = excess(U)[1]
        y = np.maximum(y + rho * c, 0)
        size, too_long = np.sum(U * U), max(0.0, np.max(c / d))
        if size / (1 + too_long) > variance:
            variance, best, violation = size / (1 + too_long), U / np.sqrt(1 + too_long), too_long
        last = iterations == max_iter or idle == IDLE
        if last or (too_long <= tol and idle < 2):  # sooner the gap cannot be reached
            bound = min(bound, _certificate(B, size * y, d, flat, wanted=variance / (1 - tol)))
        if callback is not None:
            callback(iterations, variance * unit**2)
        if c.max() > before / 2:
            rho, steps = 2 * rho, min(steps + STEPS // 4, 4 * STEPS)
        before = c.max()
    return best / root[:, None] * unit, float(bound * unit**2), float(np.sqrt(1 + violation) - 1), iterations


def _centred(U, flat):
    return U - np.outer(flat, flat @ U)


def _incidence(pairs, scale, root):
    """Rows (z_i - z_j) / sqrt(scale_ij) from sqrt(m) z."""
    i, j = pairs.T
    rows = np.arange(len(scale))
    values = np.concatenate([1 / (np.sqrt(scale) * root[i]), -1 / (np.sqrt(scale) * root[j])])
    return scipy.sparse.csr_matrix((values, (np.tile(rows, 2), np.concatenate([i, j]))), shape=(len(scale), len(root)))


def _certificate(B, weights, d, flat, wanted):
    """A bound on the variance from weights of the edges.

    Where the Laplacian L of the weights has no eigenvalue below 1 beside the constant one, every map within the
    lengths has the variance tr Z^T Z <= tr Z^T L Z = sum_e w_e |B_e Z|^2 <= sum_e w_e d_e. Weights divided by the
    least eigenvalue are such. A few samples near the centre, which hardly count, can hold that eigenvalue down:
    so weight is first added to the edges across which the eigenvectors below 1 change. The bound is sought until it
    is `wanted` or no longer falls.
    """
    bound = np.inf
    for _ in range(REPAIRS):
        L = (B.T @ scipy.sparse.diags(weights) @ B).toarray()
        L += (2 + np.trace(L)) * np.outer(flat, flat)
        values, vectors = scipy.linalg.eigh(L, subset_by_value=(-np.inf, 1))
        # less what rounding can have added: without that a bound over many orders of size would be none
        least = (values[0] if len(values) else 1.0) - 4 * np.finfo(float).eps * len(L) * np.abs(L).sum(axis=0).max()
        if least > 1e-9:
            bound = min(bound, (weights @ d) / least)
        if bound <= wanted or least > 1 - 1e-9:
            break
        change = (B @ vectors) ** 2  # (m, number of eigenvalues below 1)
        weights = weights + change @ ((1 - values) / np.maximum(np.sum(change**2, axis=0), 1e-300))
    return bound
