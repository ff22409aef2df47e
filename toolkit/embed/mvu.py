"""Maximum variance unfolding (Weinberger and Saul), on a low-rank factor.

Maximise sum_i |z_i|^2 over centred maps with |z_i - z_j| <= d_ij for all neighbours i,
j. In the scalar products K = Z Z^T that is a semidefinite program. Here Z itself is
sought, with few columns (Burer and Monteiro), and a bound from the dual problem says
how far from the optimum it is.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from scipy import linalg, sparse

from ..core import (
    EPSILON,
    Count,
    Seed,
    check_fraction,
    check_seed,
    components_of,
    descend,
    fixed_noise,
    magnitude,
    pad_zeros,
    parameters,
    root_mean_square,
    rule,
    symmetric_eigenpairs,
    unit_of,
    warn_convergence,
)
from .base import Embedder, Iterations
from .isomap import neighborhood_graph

# Steps of L-BFGS between two updates of the multipliers, at first.
STEPS_PER_UPDATE = 100
# The descent stops after this many updates in a row with at most one step.
MAX_IDLE_UPDATES = 10


@parameters
class MVU(Embedder):
    """Maximum variance unfolding: keeps neighbours near and moves others away.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    n_neighbors : int, default=6
        Neighbours of a sample; a pair is used if either is among those of the other.
        Not used for a sparse matrix.
    rank : int, default=20
        Dimensions in which the samples unfold, at least `n_components`. If it is too
        small, a gap remains.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether `fit` gets vectors (n_samples, n_features) or distances (n_samples,
        n_samples). These may be sparse, with the distances of some neighbours only.
    tol : float in (0, 1), default=1e-3
        The `gap_` at which it stops.
    max_iter : int <= 1e6, default=4000
        Maximal number of iterations.
    random_state : int, RandomState instance or None, default=None
        Seed of the start for a sparse matrix; other starts are the classical map.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The first principal coordinates of the unfolded samples.
    eigenvalues_ : ndarray of shape (rank,)
        Variance of each principal coordinate; those after the first `n_components` are
        not shown in the map.
    variance_ : float
        Sum of squared lengths in all coordinates.
    bound_ : float
        Upper bound of the variance of all maps within the lengths, whatever their rank.
    gap_ : float
        The relative gap ``1 - variance_ / bound_``.
    violation_ : float
        Largest relative excess of an edge after the descent; then the map is shrunk so
        that none is too long.
    n_iter_ : int
        Number of iterations.

    Notes
    -----
    Distances are upper limits (the "<=" form), so every matrix of distances has a
    solution, Fisher distances too. Weights of edges whose Laplacian has no eigenvalue
    below 1 but the constant's bound the variance by sum_e w_e d_e^2. The low rank makes
    the problem non-convex; the bound holds all the same. Equal samples are one point of
    the map, and so are neighbours within 1e-9 of the median edge or the rounding of the
    longest one. If an outlier is at f times the width of the other samples, these hold
    a fraction of about 1 / f^2 of the variance: then the gap says little about their
    positions. Several connected components of the graph are joined, with a warning, by
    their shortest distances. A gap above `tol` is a ConvergenceWarning. Takes some
    arrays of shape (n, n), and time of order n^3.

    References
    ----------
    Weinberger and Saul (2006). Dual problem: Sun, Boyd, Xiao and Diaconis (2006). Low
    rank: Burer and Monteiro (2003).

    Examples
    --------
    >>> t = np.linspace(0, 5, 30)  # a bent string becomes straight, as long as it is
    >>> X = np.column_stack([np.cos(t), np.sin(t)])
    >>> mvu = MVU(n_neighbors=1).fit(X)
    >>> round(float(np.ptp(mvu.embedding_[:, 0])), 1), mvu.gap_ < 1e-3
    (5.0, True)
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int = 6
    rank: Count = 20
    max_iter: Iterations = 4000
    # 1 is the gap of no map at all
    tol: Annotated[float, rule(check_fraction, ends=False)] = 1e-3
    random_state: Seed = None

    _accepts_sparse = "precomputed"
    _n_dense_matrices = (13, 13)

    def _embed(self, samples):
        k = self.n_components
        rank = min(max(k, self.rank), samples.n - 1)
        scaled_samples, unit = samples.rescale()
        start = self._start(scaled_samples, rank)
        # the graph of neighbours, whose coinciding samples become one point
        with self._bar("neighbours"):
            graph = neighborhood_graph(scaled_samples, self.n_neighbors)
            edges = sparse.triu(graph).tocoo()
        point, points = _merge_coincident(edges, samples.n)
        mass = points.mass
        # unfolding of the points, with the variance in the unit of the data
        Z = np.zeros((samples.n, rank))
        bound = 0.0
        self.violation_ = 0.0
        self.n_iter_ = 0
        if len(mass) > 1:
            sums = [np.bincount(point, column) for column in start.T]
            means = np.array(sums).T / mass[:, None]
            start = means[:, : len(mass) - 1]
            with self._bar("variance", self.max_iter) as done:
                Z, bound = self._unfold(start, points, done)
            Z = Z[point]
        # principal coordinates
        values, vectors = symmetric_eigenpairs(Z.T @ Z, Z.shape[1])
        Z_k = Z @ vectors[:, :k]
        variance = float(np.sum(Z**2))
        self.eigenvalues_ = np.maximum(values, 0) * unit * unit
        self.embedding_ = pad_zeros(Z_k, k) * unit
        self.variance_ = variance * unit * unit
        self.bound_ = float(bound) * unit * unit
        self.gap_ = 0.0
        if bound > 0:
            self.gap_ = float(1 - variance / bound)
        if self.gap_ > self.tol:
            warn_convergence(
                f"The variance is {self.gap_:.2g} (relative) below its bound, not"
                f" `tol`={self.tol:.2g}, after {self.n_iter_} steps; raise `max_iter`"
                f" ({self.max_iter}) or `rank` ({rank}), or leave distant outliers"
                " out."
            )

    def _start(self, samples, rank):
        """Starting map (n, rank)."""
        if samples.graph is None:
            Z = self._principal_map(samples, rank)
        else:
            Z = check_seed(self.random_state).normal(size=(samples.n, rank))
        Z = Z / unit_of(Z)
        # A little noise opens all coordinates; it is the same each time.
        squared_radii = np.mean((Z - np.median(Z, axis=0)) ** 2, axis=1)
        size = np.sqrt(np.median(squared_radii))
        if size == 0:
            size = Z.std()
        if size == 0:
            size = 1.0
        return Z + 0.01 * size * fixed_noise(Z.shape)

    def _unfold(self, start, points, done):
        """Maximise sum_i m_i |z_i|^2 subject to |z_i - z_j| <= d_ij.

        Augmented Lagrangian method (L-BFGS inside), low-rank factorisation after Burer
        and Monteiro. Takes a start (n, r) and `_Points`, all of which the pairs
        connect. Returns Z (n, r), centred and within all lengths, and an upper bound
        for any number of columns.
        """
        median = np.median(points.lengths)
        program = _Program(points, median)
        d = program.d
        root = np.sqrt(points.mass)
        # The edges are about as long as they may be.
        U = program.centre(start * root[:, None])
        U /= magnitude(U)
        U /= root_mean_square(program.excess(U)[0])
        # multipliers y, weight rho of the squared excess, limit of the inner steps
        y = 1 / (d * len(d))
        rho = 20 / len(d)
        steps = STEPS_PER_UPDATE
        previous_excess = np.inf
        bound = np.inf
        gap = np.inf
        variance = 0
        iterations = 0
        idle_updates = 0
        while (
            iterations < self.max_iter
            and idle_updates < MAX_IDLE_UPDATES
            and gap > self.tol
        ):
            steps_left = self.max_iter - iterations
            U, n_steps = program.descend(U, y, rho, min(steps, steps_left))
            # A short update counts as five steps.
            counted_steps = min(max(n_steps, 5), steps_left)
            iterations += counted_steps
            done(counted_steps)
            idle_updates = idle_updates + 1 if n_steps <= 1 else 0
            _, c = program.excess(U)
            y = np.maximum(y + rho * c, 0)
            size = np.sum(U * U)
            # The best map so far is shrunk until no edge is too long.
            relative_excess = max(0.0, np.max(c / d))
            shrunk_variance = size / (1 + relative_excess)
            if shrunk_variance > variance:
                variance = shrunk_variance
                best = U / np.sqrt(1 + relative_excess)
                violation = relative_excess
            is_last = iterations == self.max_iter
            if idle_updates == MAX_IDLE_UPDATES:
                is_last = True
            # The gap cannot be reached sooner.
            if is_last or (relative_excess <= self.tol and idle_updates < 2):
                goal = variance / (1 - self.tol)
                bound = min(bound, program.bound(size * y, goal))
            gap = 1 - variance / bound
            largest_excess = c.max()
            if largest_excess > previous_excess / 2:
                rho = 2 * rho
                steps = min(steps + STEPS_PER_UPDATE // 4, 4 * STEPS_PER_UPDATE)
            previous_excess = largest_excess
        self.n_iter_ = iterations
        self.violation_ = float(np.sqrt(1 + violation) - 1)
        return best / root[:, None] * median, bound * median**2


@dataclass(frozen=True, kw_only=True)
class _Points:
    """The n different points of the samples, and the edges between them."""

    mass: np.ndarray  # (n,), numbers of samples
    pairs: np.ndarray  # (m, 2), points of each edge
    lengths: np.ndarray  # (m,), all > 0


def _merge_coincident(edges, n):
    """Coinciding neighbours as one: the point of each sample (n,), and the `_Points`.

    `edges` are those of the samples, a COO matrix (n, n).
    """
    pairs = np.column_stack([edges.row, edges.col])
    lengths = edges.data
    typical_length = 0.0
    if lengths.any():
        typical_length = np.median(lengths[lengths > 0])
    rounding = EPSILON * lengths.max(initial=0.0)
    is_short = lengths <= max(1e-9 * typical_length, rounding)
    equal_pairs = np.ones(is_short.sum()), pairs[is_short].T
    _, point = components_of(sparse.csr_matrix(equal_pairs, shape=(n, n)))
    mass = np.bincount(point).astype(float)
    shortest_lengths = np.full((len(mass), len(mass)), np.inf)  # between points
    first, second = np.sort(point[pairs], axis=1).T
    np.minimum.at(shortest_lengths, (first, second), lengths)
    first, second = np.nonzero(np.triu(np.isfinite(shortest_lengths), 1))
    points = _Points(
        mass=mass,
        pairs=np.column_stack([first, second]),
        lengths=shortest_lengths[first, second],
    )
    return point, points


class _Program:
    """Maximise |U|^2 for centred U = sqrt(m) Z with |z_i - z_j|^2 / scale_ij <= d_ij.

    In units of the median length scale_ij is that of the pair: divided by d_ij^2 short
    edges would dominate the descent, undivided they would be ignored. Those above ten
    medians, which else would dominate it, are. Maximising ln(variance) makes the result
    independent of units.
    """

    def __init__(self, points, median):
        lengths = points.lengths / median
        pairs = points.pairs
        m = len(pairs)
        n = len(points.mass)
        scale = lengths * np.maximum(lengths / 10, 1)
        self.d = lengths / scale * lengths
        root = np.sqrt(points.mass)
        # U is centred if flat^T U = 0.
        self.constant_vector = root / np.sqrt(points.mass.sum())
        # B, sparse (m, n), leads from U to the rows (z_i - z_j) / sqrt(scale_ij).
        divisors = np.sqrt(scale)[:, None] * root[pairs]
        values = [1, -1] / divisors
        rows = np.repeat(np.arange(m), 2)
        entries = values.ravel(), (rows, pairs.ravel())
        self.B = sparse.csr_matrix(entries, shape=(m, n))
        self.BT = self.B.T.tocsr()
        # Steps are taken in V, U = S V, where the Laplacian of the graph is the unit
        # matrix: a long chain needs that.
        L = (self.BT @ self.B).toarray()
        L *= n / np.trace(L)
        L += np.outer(self.constant_vector, self.constant_vector)
        L += 1e-10 * np.eye(n)
        self.R = linalg.cholesky(L)
        self.S = linalg.solve_triangular(self.R, np.eye(n))

    def centre(self, U):
        """U (n, r) about the mean of the samples."""
        return U - np.outer(self.constant_vector, self.constant_vector @ U)

    def excess(self, U):
        """Edges (m, r) divided by their scales; squared lengths minus the limits.

        U (n, r) are the positions times the roots of their masses, E the edges.
        """
        E = self.B @ U
        return E, np.einsum("ij,ij->i", E, E) - self.d

    def descend(self, U, y, rho, steps):
        """U after some steps of L-BFGS, and their number.

        y (m,) are the multipliers and rho is the weight of the squared excess.
        """

        def cost(V):
            """Augmented Lagrangian of -ln(variance) with multipliers y >= 0."""
            U = self.centre(self.S @ V)
            E, c = self.excess(U)
            push = np.maximum(y + rho * c, 0)
            variance = np.sum(U * U)
            penalty = np.sum(push**2 - y**2) / (2 * rho)
            value = -np.log(variance) + penalty
            G = self.BT @ (2 * push[:, None] * E)
            G -= (2 / variance) * U
            return value, self.S.T @ self.centre(G)

        options = {"maxiter": steps, "ftol": 0, "gtol": 1e-10, "maxls": 30}
        V, result = descend(cost, self.R @ U, **options)
        return self.centre(self.S @ V), result.nit

    def bound(self, weights, goal):
        """Upper bound on the variance from weights (m,) of the edges, by duality.

        If the Laplacian L of the weights has no eigenvalue below 1 but the constant's,
        every map within the lengths has the variance tr Z^T Z <= tr Z^T L Z = sum_e w_e
        |B_e Z|^2 <= sum_e w_e d_e. Weights divided by the least eigenvalue are such. A
        few samples near the centre, which hardly count, can make that eigenvalue small.
        So weight is first added to the edges across which the eigenvectors below 1
        change, until the bound is the `goal` or no longer falls.
        """
        bound = np.inf
        constant = np.outer(self.constant_vector, self.constant_vector)
        for _ in range(8):
            W = sparse.diags(weights)
            L = (self.B.T @ W @ self.B).toarray()
            L += (2 + np.trace(L)) * constant
            # All eigenvalues are computed: LAPACK's bisection fails beside a very
            # distant sample.
            values, vectors = np.linalg.eigh(L)
            is_low = values <= 1
            vectors = vectors[:, is_low]
            values = values[is_low]
            # What rounding may have added is subtracted, or over many orders of
            # magnitude it would not be a bound.
            size = np.abs(L).sum(axis=0).max()
            rounding = 4 * EPSILON * len(L) * size
            smallest_eigenvalue = np.append(values, 1.0)[0] - rounding
            if smallest_eigenvalue > 1e-9:
                bound = min(bound, (weights @ self.d) / smallest_eigenvalue)
            if bound <= goal or smallest_eigenvalue > 1 - 1e-9:
                break
            # (m, number of eigenvalues below 1)
            change = (self.B @ vectors) ** 2
            total = np.maximum(np.sum(change**2, axis=0), 1e-300)
            weights = weights + change @ ((1 - values) / total)
        return bound
