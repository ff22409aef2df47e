"""Shared nonlinear embedding: kernel t-SNE of the target on the source's map, Eq. (5.6), (5.7) of the thesis."""

from numbers import Integral

import numpy as np
import scipy.optimize
from scipy.spatial.distance import squareform
from sklearn.utils.validation import check_is_fitted

from ..core.checks import check_positive
from ..core.graphs import squared_distances
from ..embed import TSNE
from ..embed.affinities import affinities, divergence_with_gradient
from ..kernelmap.kernels import check_bandwidth, kernels, nearest_center
from .base import SharedEmbedding
from .confidence import APART, KERNEL
from .em import ridge_step
from .search import STEPS, Problem, anneal, axis_starts, paired, principal_axes

__all__ = ["SharedKernelEmbedding"]

WEIGHTS = np.geomspace(1.0, 0.01, 5)
"""Of the t-SNE cost, tried in turn, the strongest first."""

DESCENT = 5
"""Steps of L-BFGS in an M-step, which need not reach the minimum."""

RIDGE = 1e-6
"""Weight of the squared coefficients over the number of source samples, for kernels that nearly coincide."""

SHORT_LIST = 4
"""So many of the starts go on after half of the bandwidths, the best of those that then differ first."""

TURNS = 8
"""Angles at which the target's own map is laid on the source's, each with and without a reflection."""


class SharedKernelEmbedding(SharedEmbedding):
    """Source and target in one space, by a kernel map of the target that keeps its neighbourhoods.

    Parameters
    ----------
    n_components : int, default=2
    source : "tsne", "pca", estimator with `fit_transform`, or array-like of shape (n_source, n_components)
        Places of the source. An estimator is cloned and gets standardised samples and `y_source`.
    standardize : bool, default=True
        Give each feature, of either side on its own, mean 0 and variance 1.
    lam : float from 0 to 1e6, optional
        Weight of the t-SNE cost of the target in (5.7), beside a mean over source samples in units in which source
        places have root mean square 1. By default the largest of 1 to .01 with which the target explains the source as
        well as the source explains itself, or .01 if none does.
    perplexity : float > 1, optional
        Of the t-SNE cost, and of "tsne"; 30 by default, or a third of the other samples where these are fewer than 90.
    n_centers : int above n_components, optional
        How many target samples, drawn at random from those that differ, carry a kernel; by default a quarter of those
        that take part in the search, at least 20.
    kernel_width : float > 0, default=0.5
        Width of the kernels, as a multiple of the median distance of a centre to the nearest other.
    bandwidth : float > 0, optional
        The last sigma, in root mean squares of the source places; by default that under which each source place is
        likeliest given the others.
    n_bandwidths : int, default=8
    starts : tuple of {"turns", "structure"}
        Where EM begins: the target's own t-SNE map (kernel t-SNE), turned in eight ways and mirrored, of which the best
        four that differ after half of the bandwidths go on; the Gromov-Wasserstein coupling. The outcome with the
        greatest likelihood less cost is kept.
    random_state : int, RandomState or None
        For t-SNE, the centres, and which samples take part in the search, above 400 on a side.
    callback : callable, optional
        Called with (step, bandwidth, log_likelihood) before each step; steps begin at 0 for each start and `lam`.

    Attributes
    ----------
    source_embedding_, target_embedding_, confidence_, evidence_, log_likelihood_, self_log_likelihood_, history_,
    candidates_, start_, bandwidth_, theta_
        As for `SharedLinearEmbedding`, but ranked by likelihood less cost, ``objective`` in `history_`.
    lam_ : float, as used
    centers_ : ndarray of shape (n_centers, n_target_features), in standard units if `standardize`
    coefficients_ : ndarray of shape (n_centers, n_components), w_j of (5.6)

    Notes
    -----
    The cost is taken in the unit of the target's own t-SNE map, on the samples that take part in the search. Each
    M-step lowers (5.7), so EM raises the observed likelihood less the cost, over twice the squared bandwidth.

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

    _starts = ("turns", "structure")
    _ranked_by = "objective"
    _weights = KERNEL

    def __init__(
        self,
        n_components=2,
        *,
        source="tsne",
        standardize=True,
        lam=None,
        perplexity=None,
        n_centers=None,
        kernel_width=0.5,
        bandwidth=None,
        n_bandwidths=8,
        starts=("turns", "structure"),
        random_state=None,
        callback=None,
    ):
        self.n_components = n_components
        self.source = source
        self.standardize = standardize
        self.lam = lam
        self.perplexity = perplexity
        self.n_centers = n_centers
        self.kernel_width = kernel_width
        self.bandwidth = bandwidth
        self.n_bandwidths = n_bandwidths
        self.starts = starts
        self.random_state = random_state
        self.callback = callback

    @property
    def coefficients_(self):
        check_is_fitted(self)
        return self._B * self._unit + self._middle  # kernels add up to 1

    def _checked(self, X, Z):
        k = super()._checked(X, Z)
        if self.lam is not None and check_positive(self.lam, "lam", zero=True) > 1e6:
            raise ValueError(f"`lam` must lie between 0 and 1e6; got {self.lam!r}.")
        check_bandwidth(self.kernel_width, "kernel_width")
        m, n = self.n_centers, len(Z)
        if m is not None and (not isinstance(m, Integral) or isinstance(m, bool) or not k < m <= n):
            raise ValueError(
                f"`n_centers` must be an integer above `n_components` = {k} and at most the number of target samples, "
                f"{n}; got {m!r}. None takes a quarter of them."
            )
        if self.perplexity is not None:
            check_positive(self.perplexity, "perplexity")
            mapped = isinstance(self.source, str) and self.source == "tsne"
            for A, name in ((Z, "X_target"), (X, "X_source"))[: 1 + mapped]:
                if not 1 < self.perplexity < len(A) - 1:
                    raise ValueError(
                        f"`perplexity` must be above 1 and below the number of other samples of `{name}`, "
                        f"{len(A) - 1}; got {self.perplexity!r}. None chooses."
                    )
        return k

    def _prepare(self, Z, columns, k, rng):
        different = np.unique(Z, axis=0)  # sorted, so that the order of the samples has no say
        if len(different) <= k:
            raise ValueError(
                f"`X_target` must hold more than `n_components` = {k} different samples; got {len(different)}. Lower "
                "`n_components` or give more samples."
            )
        part = Z[columns]
        m = max(20, k + 1, len(part) // 4) if self.n_centers is None else self.n_centers
        drawn = rng.choice(len(different), min(m, len(different)), replace=False)
        self.centers_ = different[np.sort(drawn)]
        squared = squared_distances(self.centers_, self.centers_)
        self._width = self.kernel_width * nearest_center(squared, shared=True)
        order, self._own = np.lexsort(part.T[::-1]), np.empty((len(part), k))
        own = TSNE(k, perplexity=self.perplexity, random_state=rng.randint(2**31 - 1)).fit(part[order])
        self._own[order] = own.embedding_ - own.embedding_.mean(axis=0)
        self._map_unit = float(np.sqrt(np.mean(self._own**2)))
        self._own /= self._map_unit
        perplexity = min(30.0, (len(part) - 1) / 3) if self.perplexity is None else self.perplexity
        self._affinities = squareform(affinities(squared_distances(part, part), perplexity), checks=False)

    def _design(self, Z):
        return kernels(squared_distances(Z, self.centers_), self._width)  # Eq. (5.6)

    def _problem(self, xi, design, part=slice(None)):
        cost = Cost(design[part], self._affinities, self.lam_, self._map_unit)

        def maximise(e, B):
            objective = lowered(e, design, len(xi), cost)

            def flat(b):
                value, slope = objective(b.reshape(B.shape))
                return value, slope.ravel()

            steps = {"maxiter": DESCENT}
            found = scipy.optimize.minimize(flat, B.ravel(), jac=True, method="L-BFGS-B", options=steps)
            return found.x.reshape(B.shape)

        return Problem(xi, design, maximise=maximise, penalty=lambda B: float(cost(B)[0]), watch=self.callback)

    def _search(self, xi, design, bandwidths, pairs, rng):
        starts = dict(self._beginnings(xi, design, pairs, rng))
        first = {"structure": starts.pop("structure")} if pairs is not None else starts
        for lam in WEIGHTS if self.lam is None else [self.lam]:
            self.lam_ = float(lam)
            problem = self._problem(xi, design)
            found = annealed(problem, first, bandwidths)
            if max(c.log_likelihood for c in found) >= self.self_log_likelihood_:
                break
        if first is not starts:
            found += annealed(problem, starts, bandwidths)
        return sorted(found, key=lambda c: -c.objective)

    def _beginnings(self, xi, design, pairs, rng):
        """Names and coefficients of the starts, the structural one last."""
        few = np.full(design.shape[1], RIDGE * len(xi))
        if "turns" in self.starts:
            for name, turned in turns(xi, self._own, rng):
                yield name, ridge_step(design, np.ones(len(design)), turned, few)  # kernel t-SNE, Eq. (2.8)
        if pairs is not None:
            e = paired(pairs, xi)
            yield "structure", ridge_step(design, e.weight, e.pull, few)


class Cost:
    """What (5.7) adds to (5.5): lam times the t-SNE cost of places ``design @ B``, and a little ridge.

    Parameters
    ----------
    design : ndarray of shape (n, p)
    affinities : ndarray of shape (n (n - 1) / 2,), p_ij for i < j
    lam : float
    unit : float, the t-SNE cost is that of places times this
    """

    def __init__(self, design, affinities, lam, unit):
        self.design, self.affinities, self.lam, self.unit = design, affinities, lam, unit
        p = affinities[affinities > 0]
        self.entropy = 2 * float(np.sum(p * np.log(p)))
        self._last = None

    def __call__(self, B):
        """Value and gradient at coefficients B (p, k); those of the last B are kept, for EM asks thrice."""
        if self._last is None or not np.array_equal(B, self._last[0]):
            value, slope = divergence_with_gradient(self.affinities, self.entropy, self.design @ B * self.unit)
            value = self.lam * value + RIDGE * np.sum(B**2)
            self._last = B.copy(), value, self.lam * self.unit * (self.design.T @ slope) + 2 * RIDGE * B
        return self._last[1:]


def lowered(e, design, n, cost):
    """What an M-step lowers: (5.7) over n source samples, but for a constant, as a function of B.

    Parameters
    ----------
    e : Expectation
    design : ndarray of shape (n_target, p)
    n : int, number of source samples
    cost : callable, B -> (value, gradient)

    Returns
    -------
    callable, B -> (value, gradient)
    """
    gram, pull = (design * e.weight[:, None]).T @ design / n, design.T @ e.pull / n

    def objective(B):
        half = gram @ B - pull
        value, slope = cost(B)
        return float(np.sum(B * (half - pull)) + value), 2 * half + slope  # Eq. (5.7)

    return objective


def annealed(problem, starts, bandwidths):
    """Where starts lead: all through half of the bandwidths, the best few, different ones first, through the others."""
    half = len(bandwidths) // 2
    found = [anneal(problem, B, bandwidths[: max(half, 1)], start=name, last_steps=STEPS) for name, B in starts.items()]
    kept, copies = [], []  # rivals first: without another alignment the evidence has nothing to compare with
    for c in sorted(found, key=lambda c: -c.objective):
        known = any(np.sqrt(np.mean((c.places - other.places) ** 2)) <= APART for other in kept)
        (copies if known else kept).append(c)
    return [
        anneal(problem, c.B, bandwidths[half:], start=c.start, history=c.history) for c in (kept + copies)[:SHORT_LIST]
    ]


def turns(source, places, rng):
    """Ways to lay a map on another: turned and mirrored in the plane, axis on axis in other dimensions."""
    k = places.shape[1]
    if k != 2:
        scores = places @ principal_axes(places)[1]
        for name, W in axis_starts(source, scores, rng):
            yield name, scores @ W
        return
    for angle in np.arange(TURNS) * (2 * np.pi / TURNS):
        c, s = np.cos(angle), np.sin(angle)
        for sign in (1, -1):
            name = f"turned {np.degrees(angle):.0f}" + (" mirrored" if sign < 0 else "")
            yield name, places @ np.array([[c, s], [-sign * s, sign * c]])
