"""Shared nonlinear embedding: kernel t-SNE of the target on the source's map (thesis, Eqs. (5.6) and (5.7))."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
import scipy.optimize
from scipy.spatial.distance import squareform
from sklearn.utils.validation import check_is_fitted

from ..core.checks import check_integer, check_number, check_positive
from ..core.graphs import squared_distances
from ..core.parameters import parameters
from ..core.progress import progress
from ..embed import TSNE
from ..embed.affinities import affinities, divergence_with_gradient
from ..kernelmap.forward import check_bandwidth, kernels, nearest_center
from .base import SharedEmbedding
from .confidence import DISTINCT_DISTANCE, KERNEL_WEIGHTS, root_mean_square
from .em import ridge_step
from .search import STEPS, Problem, annealed, axis_starts, paired, principal_axes

# weights of the t-SNE cost, tried in turn, the strongest first
LAMBDAS = np.geomspace(1.0, 0.01, 5)
MAX_DESCENT = 5  # steps of L-BFGS in an M-step, which need not reach the minimum
# weight of the squared coefficients over the number of source samples, for kernels that
# nearly coincide
RIDGE = 1e-6
# starts that go on after half of the bandwidths, the best of those that then differ
# first
N_CONTINUED = 4
# at which the target's own map is laid on the source's, each with and without a
# reflection
N_ANGLES = 8


@parameters
class SharedKernelEmbedding(SharedEmbedding):
    """Source and target in one space, by a kernel map of the target that keeps its neighbourhoods.

    Parameters
    ----------
    source : "tsne", "pca", estimator with `fit_transform`, or array-like of shape (n_source, n_components)
    n_components, standardize, bandwidth, n_bandwidths, random_state, callback, n_jobs, verbose
        As in :class:`SharedLinearEmbedding`; `random_state` also for t-SNE and the
        centres.
    lam : float from 0 to 1e6, optional
        Weight of the t-SNE cost of the target, beside a mean over source samples in
        units in which source coordinates have root mean square 1. By default the
        largest of 1 to .01 with which the target explains the source as well as the
        source explains itself, or .01 if none does.
    perplexity : float > 1, optional
        Of the t-SNE cost, and of "tsne"; 30 by default, or a third of the other samples
        where these are fewer than 90.
    n_centers : int above n_components, optional
        How many target samples, drawn at random from those that differ, carry a kernel;
        by default a quarter of those that take part in the search, at least 20.
    kernel_width : float > 0, default=0.5
        Width of the kernels, as a multiple of the median distance of a centre to the
        nearest other.
    starts : tuple of {"turns", "structure"}
        Where EM begins: the target's own t-SNE map (kernel t-SNE), turned in eight ways
        and mirrored, of which the best four that differ after half of the bandwidths go
        on; the Gromov-Wasserstein coupling. The outcome with the greatest likelihood
        less cost is kept.

    Attributes
    ----------
    source_embedding_, target_embedding_, confidence_, evidence_, log_likelihood_,
    self_log_likelihood_, history_, candidates_, start_, bandwidth_, theta_
        As for :class:`SharedLinearEmbedding`, but ranked by likelihood less cost,
        ``objective`` in `history_`.
    lam_ : float, as used
    centers_ : ndarray of shape (n_centers, n_target_features), in standard units if `standardize`
    coefficients_ : ndarray of shape (n_centers, n_components), the w_j of the kernel map

    Notes
    -----
    The cost is taken in the unit of the target's own t-SNE map, on the samples that
    take part in the search. Each M-step lowers its objective, so EM raises the observed
    likelihood less the cost, over twice the squared bandwidth.

    References
    ----------
    Schulz (2017), section 5.2.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = SharedKernelEmbedding(starts="structure", random_state=0).fit(X[::2], X[1::2, ::-1])
    >>> model.transform_target(X[1::2, ::-1]).shape
    (75, 2)
    """

    _ranked_by = "objective"
    _weights = KERNEL_WEIGHTS

    _: KW_ONLY
    source: object = "tsne"
    lam: float = None
    perplexity: float = None
    n_centers: int = None
    kernel_width: float = 0.5
    n_bandwidths: int = 8
    starts: tuple = ("turns", "structure")

    @property
    def coefficients_(self):
        check_is_fitted(self)
        return self._B * self._unit + self._middle  # kernels add up to 1

    def _check(self, X_source, X_target, k):
        super()._check(X_source, X_target, k)
        check_number(self.lam, "lam", 0, 1e6, none=True)
        check_bandwidth(self.kernel_width, "kernel_width")
        remedy = (
            "Above `n_components`, at most all target samples; None takes a quarter of"
            " them."
        )
        check_integer(
            self.n_centers, "n_centers", k + 1, len(X_target), none=True, remedy=remedy
        )
        others = len(X_target) - 1
        if isinstance(self.source, str) and self.source == "tsne":
            others = min(others, len(X_source) - 1)
        if (
            self.perplexity is not None
            and not 1 < check_positive(self.perplexity, "perplexity") < others
        ):
            limits = f"must be above 1 and below the number of other samples, {others}"
            raise ValueError(
                f"`perplexity` {limits}; got {self.perplexity!r}. None chooses."
            )

    def _prepare(self, X_target, columns, k, rng):
        """Centres and width of the kernels, the target's own t-SNE map in its unit, and the affinities of its cost."""
        # sorted, so that the order of the samples does not matter
        different = np.unique(X_target, axis=0)
        if len(different) <= k:
            raise ValueError(
                f"`X_target` must hold more than `n_components` = {k} different"
                f" samples; got {len(different)}. Lower `n_components` or give more"
                " samples."
            )
        part = X_target[columns]
        m = max(20, k + 1, len(part) // 4) if self.n_centers is None else self.n_centers
        drawn = rng.choice(len(different), min(m, len(different)), replace=False)
        self.centers_ = different[np.sort(drawn)]
        squared = squared_distances(self.centers_, self.centers_)
        self._width = self.kernel_width * nearest_center(squared, shared=True)
        order, self._own = np.lexsort(part.T[::-1]), np.empty((len(part), k))
        own = TSNE(
            k, perplexity=self.perplexity, random_state=rng.randint(2**31 - 1)
        ).fit(part[order])
        self._own[order] = own.embedding_ - own.embedding_.mean(axis=0)
        self._map_unit = root_mean_square(self._own)
        self._own /= self._map_unit
        perplexity = (
            min(30.0, (len(part) - 1) / 3)
            if self.perplexity is None
            else self.perplexity
        )
        self._affinities = squareform(
            affinities(squared_distances(part, part), perplexity), checks=False
        )

    def _design(self, X_target):
        """Normalised kernels (n, n_centers)."""
        # Eq. (5.6), times B
        return kernels(squared_distances(X_target, self.centers_), self._width)

    def _problem(self, xi, design, part=slice(None)):
        """The mixture with a few steps of L-BFGS as its M-step, and the t-SNE cost of a part of the samples."""
        cost = Cost(design[part], self._affinities, self.lam_, self._map_unit)
        return KernelProblem(xi, design, cost)

    def _search(self, xi, design, bandwidths, pairs, rng):
        """Candidates, the best first, at the largest lambda with which the target explains the source."""
        starts = dict(self._beginnings(xi, design, pairs, rng))
        first = {"structure": starts.pop("structure")} if pairs is not None else starts
        lams = LAMBDAS if self.lam is None else [self.lam]
        with progress(len(lams) + 1, "searches", self.verbose) as done:
            for lam in lams:
                self.lam_ = float(lam)
                problem = self._problem(xi, design)
                found = self._annealed(problem, first, bandwidths)
                done()
                if max(c.log_likelihood for c in found) >= self.self_log_likelihood_:
                    break
            if first is not starts:
                found += self._annealed(problem, starts, bandwidths)
            done()
        return sorted(found, key=lambda c: -c.objective)

    def _annealed(self, problem, starts, bandwidths):
        """Candidates from starts: all through half of the bandwidths, the best few that differ first, to the end."""
        half, how = (
            len(bandwidths) // 2,
            {"n_jobs": self.n_jobs, "watch": self.callback},
        )
        begun = [(name, B, ()) for name, B in starts.items()]
        found = annealed(
            problem, begun, bandwidths[: max(half, 1)], last_steps=STEPS, **how
        )
        # without a different alignment the evidence would have nothing to compare with
        kept, copies = [], []
        for c in sorted(found, key=lambda c: -c.objective):
            known = any(
                root_mean_square(c.positions - other.positions) <= DISTINCT_DISTANCE
                for other in kept
            )
            (copies if known else kept).append(c)
        go_on = [(c.start, c.B, c.history) for c in (kept + copies)[:N_CONTINUED]]
        return list(annealed(problem, go_on, bandwidths[half:], **how))

    def _beginnings(self, xi, design, pairs, rng):
        """Names and coefficients of the starts, the structural one last."""
        penalty = np.full(design.shape[1], RIDGE * len(xi))
        if "turns" in self.starts:
            for name, turned in turns(xi, self._own, rng):
                # kernel t-SNE
                yield name, ridge_step(design, np.ones(len(design)), turned, penalty)
        if pairs is not None:
            e = paired(pairs, xi)
            yield "structure", ridge_step(design, e.weight, e.pull, penalty)


class Cost:
    """What the M-step adds to weighted least squares: lam times the t-SNE cost of unit * design @ B, and a ridge."""

    def __init__(self, design, affinities, lam, unit):
        # p_ij for i < j
        self.design, self.affinities, self.lam, self.unit = (
            design,
            affinities,
            lam,
            unit,
        )
        p = affinities[affinities > 0]
        self.entropy = 2 * float(np.sum(p * np.log(p)))
        self._last = None

    def __call__(self, B):
        """Value and gradient at coefficients B (p, k); the last is cached: each EM step needs it three times."""
        last = self._last  # threads may share this object
        if last is None or not np.array_equal(B, last[0]):
            value, slope = divergence_with_gradient(
                self.affinities, self.entropy, self.design @ B * self.unit
            )
            value = self.lam * value + RIDGE * np.sum(B**2)
            last = (
                B.copy(),
                value,
                self.lam * self.unit * (self.design.T @ slope) + 2 * RIDGE * B,
            )
            self._last = last
        return last[1:]


@dataclass(frozen=True)
class KernelProblem(Problem):
    """The mixture with a few steps of L-BFGS as its M-step."""

    cost: Cost

    def maximise(self, e, B):
        objective = m_step_objective(e, self.design, len(self.source), self.cost)

        def flat(b):
            value, slope = objective(b.reshape(B.shape))
            return value, slope.ravel()

        steps = {"maxiter": MAX_DESCENT}
        found = scipy.optimize.minimize(
            flat, B.ravel(), jac=True, method="L-BFGS-B", options=steps
        )
        return found.x.reshape(B.shape)

    def penalty(self, B):
        return float(self.cost(B)[0])


def m_step_objective(e, design, n, cost):
    """What an M-step lowers over n source samples, but for a constant: B (p, k) -> (value, gradient)."""
    gram, pull = (design * e.weight[:, None]).T @ design / n, design.T @ e.pull / n

    def objective(B):
        half = gram @ B - pull
        value, slope = cost(B)
        return float(np.sum(B * (half - pull)) + value), 2 * half + slope  # Eq. (5.7)

    return objective


def turns(source, Z, rng):
    """Names and ways to lay a map Z on the source's: turned and mirrored in the plane, else axis on axis."""
    k = Z.shape[1]
    if k != 2:
        scores = Z @ principal_axes(Z)[1]
        for name, W in axis_starts(source, scores, rng):
            yield name, scores @ W
        return
    for angle in np.arange(N_ANGLES) * (2 * np.pi / N_ANGLES):
        c, s = np.cos(angle), np.sin(angle)
        for sign in (1, -1):
            name = f"turned {np.degrees(angle):.0f}" + (" mirrored" if sign < 0 else "")
            yield name, Z @ np.array([[c, s], [-sign * s, sign * c]])
