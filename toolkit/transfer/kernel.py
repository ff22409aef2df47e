"""Shared nonlinear embedding: kernel t-SNE of the target on the source's map.

Thesis, Eqs. (5.6) and (5.7).

Here xi (n, k) are source coordinates, `design` (m, p) are kernels of the target
samples, B (p, k) their coefficients, and `pairs` (n, m) is the structural coupling, or
None.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from scipy.spatial.distance import squareform

from ..core import (
    Count,
    OptionalPositive,
    about_mean,
    check_integer,
    check_is_fitted,
    descend,
    parameters,
    root_mean_square,
    squared_distances,
)
from ..embed import TSNE
from ..embed.affinities import (
    affinities,
    check_perplexity,
    divergence_with_gradient,
)
from ..kernelmap.forward import check_bandwidth, kernels, nearest_center
from .annealing import (
    STEPS,
    Problem,
    Start,
    anneal_starts,
    axis_starts,
    coupling_expectation,
    principal_axes,
    ridge_step,
)
from .base import PenaltyWeight, SharedEmbedding
from .confidence import DISTINCT_DISTANCE, KERNEL_WEIGHTS

# Weights of the t-SNE cost, tried in turn, the strongest first.
LAMBDAS = np.geomspace(1.0, 0.01, 5)
# Steps of L-BFGS in an M-step, which need not reach the minimum.
MAX_DESCENT = 5
# Weight of the squared coefficients over the number of source samples, for kernels that
# nearly coincide.
RIDGE = 1e-6
# Starts that go on after half of the bandwidths, the best of those that then differ
# first.
N_CONTINUED = 4
# Angles at which the target's own map is laid on the source's, each with and without a
# reflection.
N_ANGLES = 8


@parameters
class SharedKernelEmbedding(SharedEmbedding):
    """Source and target in one space, by a kernel map of the target.

    It preserves the neighbourhoods of the target.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the shared space.
    source : "tsne", "pca", estimator or array-like, default="tsne"
        Coordinates of the source, of shape (n_source, n_components), or how they are
        found. An estimator is cloned and gets standardised samples and `y_source`.
    lam : float from 0 to 1e6, optional
        Weight of the t-SNE cost of the target, relative to a mean over source samples
        in units in which source coordinates have root mean square 1. By default the
        largest of 1 to 0.01 with which the target explains the source as well as the
        source explains itself, or 0.01 if none does.
    perplexity : float > 1, optional
        Perplexity of the t-SNE cost, and of "tsne"; 30 by default, or a third of the
        other samples where these are fewer than 90.
    n_centers : int above n_components, optional
        Number of target samples with a kernel, drawn at random from those that differ.
        By default a quarter of those in the search, at least 20.
    kernel_width : float from 1e-6 to 1e6, default=0.5
        Width of the kernels, as a multiple of the median distance of a centre to the
        nearest other.
    n_bandwidths : int, default=8
        Number of bandwidths of the annealing.
    starts : tuple of {"turns", "structure"}, default=("turns", "structure")
        Where EM begins. "turns": the target's own t-SNE map (kernel t-SNE), turned in
        eight ways and mirrored; the best four that differ after half of the bandwidths
        go on. "structure": the Gromov-Wasserstein coupling. The outcome with the
        greatest likelihood less cost is kept.
    standardize : bool, default=True
        Whether to give each feature, separately on each side, mean 0 and variance 1.
    bandwidth : float from 1e-6 to 1e6, optional
        The last sigma, in root mean squares of the source coordinates; by default that
        under which each source sample is likeliest given the others.
    random_state : int, RandomState instance or None, default=None
        Seed of the random number generator: for t-SNE, the centres, and the samples in
        the search, above 400 on a side; an int makes results reproducible.
    n_jobs : int or None, default=None
        Number of parallel processes of joblib over starts; None means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar of the annealing, which may end early.

    Attributes
    ----------
    source_embedding_ : ndarray of shape (n_source, n_components)
        The coordinates xi.
    target_embedding_ : ndarray of shape (n_target, n_components)
        Coordinates of the target samples.
    confidence_ : float
        Confidence in [0, 1] that the alignment is right, computed without labels.
    evidence_ : dict
        Quantities from which the confidence is computed, see
        `toolkit.transfer.confidence`.
    log_likelihood_, self_log_likelihood_ : float
        Log likelihood over the number of source samples: of the source under the
        target, and of each source sample under the others.
    history_ : dict of arrays
        One entry per step of the annealing; ``objective`` is the likelihood less cost.
        Keys and shapes are listed in :class:`SharedLinearEmbedding`.
    candidates_ : list of dict
        All ends of the search, ranked by likelihood less cost.
    start_ : str
        Start of the alignment that was chosen.
    bandwidth_, lam_ : float
        Values used.
    theta_ : ndarray of shape (n_target,)
        Weights of the mixture, adding up to 1.
    centers_ : ndarray of shape (n_centers, n_target_features)
        Centres of the kernels, in standard units if `standardize`.
    coefficients_ : ndarray of shape (n_centers, n_components)
        The w_j of the kernel map.

    Notes
    -----
    The cost is taken in the unit of the target's own t-SNE map, on the samples in the
    search. Each M-step lowers its objective, so EM raises the observed likelihood less
    the cost, over twice the squared bandwidth.

    References
    ----------
    Schulz (2017), section 5.2.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> target = X[1::2, ::-1]
    >>> model = SharedKernelEmbedding(starts="structure", random_state=0)
    >>> model.fit(X[::2], target).transform_target(target).shape
    (75, 2)
    """

    _ranked_by = "objective"
    _weights = KERNEL_WEIGHTS

    _: KW_ONLY
    source: object = "tsne"
    lam: PenaltyWeight = None
    perplexity: OptionalPositive = None
    n_centers: int | None = None
    kernel_width: Annotated[float, check_bandwidth] = 0.5
    n_bandwidths: Count = 8
    starts: tuple = ("turns", "structure")

    @property
    def coefficients_(self):
        """The w_j of the kernel map, of shape (n_centers, n_components)."""
        check_is_fitted(self)
        # The kernels of a sample add up to 1.
        return self._B * self._unit + self._middle

    def _check(self, X_source, X_target):
        n = len(X_target)
        check_integer(
            self.n_centers,
            "n_centers",
            self.n_components + 1,
            n,
            optional=True,
            remedy="Above `n_components`, at most all target samples; None takes a"
            " quarter of them.",
        )
        if isinstance(self.source, str) and self.source == "tsne":
            n = min(n, len(X_source))
        check_perplexity(self.perplexity, n - 1)

    def _prepare(self, X_target, columns, rng):
        """Kernels, and the target's own t-SNE map in its unit with its affinities."""
        part = X_target[columns]
        # Centres, some of the different samples, and the width of their kernels
        k = self.n_components
        distinct_samples = np.unique(X_target, axis=0)
        if len(distinct_samples) <= k:
            raise ValueError(
                f"`X_target` must hold more than `n_components` = {k} different"
                f" samples; got {len(distinct_samples)}. Lower `n_components` or give"
                " more samples."
            )
        m = self.n_centers
        if m is None:
            m = max(20, k + 1, len(part) // 4)
        m = min(m, len(distinct_samples))
        drawn_rows = rng.choice(len(distinct_samples), m, replace=False)
        self.centers_ = distinct_samples[np.sort(drawn_rows)]
        squared = squared_distances(self.centers_, self.centers_)
        self._width = self.kernel_width * nearest_center(squared, shared=True)
        # t-SNE of sorted samples, so that their order does not matter
        order = np.lexsort(part.T[::-1])
        seed = rng.randint(2**31 - 1)
        tsne = TSNE(k, perplexity=self.perplexity, random_state=seed)
        Z = tsne.fit(part[order]).embedding_
        self._target_map = np.empty_like(Z)
        self._target_map[order] = about_mean(Z)
        self._map_unit = root_mean_square(self._target_map)
        self._target_map /= self._map_unit
        perplexity = check_perplexity(self.perplexity, len(part) - 1)
        P = affinities(squared_distances(part, part), perplexity)
        self._affinities = squareform(P, checks=False)

    def _design(self, X_target):
        """Normalised kernels (n, n_centers)."""
        squared = squared_distances(X_target, self.centers_)
        return kernels(squared, self._width)  # Eq. (5.6), times B

    def _problem(self, xi, design, part=slice(None)):
        """The mixture, and the t-SNE cost of a part of the samples."""
        cost = Cost(design[part], self._affinities, self.lam_, self._map_unit)
        return KernelProblem(xi, design, cost)

    def _search(self, xi, design, bandwidths, pairs, rng):
        """Candidates from all starts for the largest lambda that is good enough."""
        starts = list(self._starts(xi, design, pairs, rng))
        # The structural start alone chooses lambda.
        choosing_starts = starts
        further_starts = []
        if pairs is not None:
            choosing_starts = starts[-1:]
            further_starts = starts[:-1]

        def candidates_from(starts):
            """Candidates from these starts for the present lambda."""
            problem = self._problem(xi, design)
            return self._candidates(problem, starts, bandwidths)

        candidates = self._weigh(
            "lam", LAMBDAS, lambda: candidates_from(choosing_starts)
        )
        return candidates + candidates_from(further_starts)

    def _candidates(self, problem, starts, bandwidths):
        """Candidates from starts: all to half of the bandwidths, a few to the end."""
        n_wide = len(bandwidths) // 2
        wide_bandwidths = bandwidths[: max(n_wide, 1)]
        halfway_candidates = anneal_starts(
            problem, starts, wide_bandwidths, self.n_jobs, last_steps=STEPS
        )
        # The best few that differ come first: without a different alignment the
        # evidence would have nothing to compare with.
        different_candidates = []
        copied_candidates = []
        for c in sorted(halfway_candidates, key=lambda c: -c.objective):
            nearest_distance = np.inf
            for d in different_candidates:
                distance = root_mean_square(c.positions - d.positions)
                nearest_distance = min(nearest_distance, distance)
            if nearest_distance <= DISTINCT_DISTANCE:
                copied_candidates.append(c)
            else:
                different_candidates.append(c)
        candidates = different_candidates + copied_candidates
        starts = []
        for c in candidates[:N_CONTINUED]:
            starts.append(Start(c.B, c.start, c.history))
        narrow_bandwidths = bandwidths[n_wide:]
        candidates = anneal_starts(
            problem, starts, narrow_bandwidths, self.n_jobs
        )
        return list(candidates)

    def _starts(self, xi, design, pairs, rng):
        """Each `Start`, the structural one last."""
        n, p = design.shape
        penalty = np.full(p, RIDGE * len(xi))
        if "turns" in self.starts:
            for name, Z in rotations(xi, self._target_map, rng):
                # kernel t-SNE
                B = ridge_step(design, np.ones(n), Z, penalty)
                yield Start(B, name)
        if pairs is not None:
            e = coupling_expectation(pairs, xi)
            B = ridge_step(design, e.weight, e.pull, penalty)
            yield Start(B, "structure")


@dataclass
class Cost:
    """What the M-step adds to weighted least squares.

    lam times the t-SNE cost of unit * design @ B, and a ridge.
    """

    design: np.ndarray
    affinities: np.ndarray  # p_ij for i < j
    lam: float
    unit: float

    _last = None

    def __post_init__(self):
        p = self.affinities[self.affinities > 0]
        self.entropy = 2 * float(np.sum(p * np.log(p)))

    def __call__(self, B):
        """Value and gradient at coefficients B (p, k).

        The last is cached: each EM step needs it three times.
        """
        # Threads may share this object.
        cached = self._last
        if cached is None or not np.array_equal(B, cached[0]):
            Z = self.design @ B * self.unit
            divergence, slope_Z = divergence_with_gradient(
                self.affinities, self.entropy, Z
            )
            slope_B = self.lam * self.unit * (self.design.T @ slope_Z)
            value = self.lam * divergence + RIDGE * np.sum(B**2)
            cached = B.copy(), value, slope_B + 2 * RIDGE * B
            self._last = cached
        return cached[1:]


@dataclass(frozen=True)
class KernelProblem(Problem):
    """The mixture with a few steps of L-BFGS as its M-step."""

    cost: Cost

    def maximise(self, e, B):
        n = len(self.source)
        objective = m_step_objective(e, self.design, n, self.cost)
        B, _ = descend(objective, B, maxiter=MAX_DESCENT)
        return B

    def penalty(self, B):
        return float(self.cost(B)[0])


def m_step_objective(e, design, n, cost):
    """What an M-step lowers over n source samples, but for a constant.

    A function of B (p, k) that returns value and gradient.

    `e` is the `Expectation`, `cost` a :class:`Cost`.
    """
    weighted_design = design * e.weight[:, None]
    gram = weighted_design.T @ design / n
    pull = design.T @ e.pull / n

    def objective(B):
        """Value and gradient at coefficients B (p, k)."""
        half_slope = gram @ B - pull
        squares = np.sum(B * (half_slope - pull))
        value, slope = cost(B)
        return float(squares + value), 2 * half_slope + slope  # Eq. (5.7)

    return objective


def rotations(source, Z, rng):
    """Names, and a map Z laid on the source's.

    It is turned and mirrored in the plane, in other dimensions laid axis on axis.

    `source` (n_source, k) and Z (n_target, k) are coordinates.
    """
    k = Z.shape[1]
    if k != 2:
        _, axes = principal_axes(Z)
        scores = Z @ axes
        for name, W in axis_starts(source, scores, rng):
            yield name, scores @ W
        return
    for angle in np.arange(N_ANGLES) * (2 * np.pi / N_ANGLES):
        c = np.cos(angle)
        s = np.sin(angle)
        name = f"turned {np.degrees(angle):.0f}"
        yield name, Z @ np.array([[c, s], [-s, c]])
        yield f"{name} mirrored", Z @ np.array([[c, s], [s, -c]])
