"""Shared nonlinear embedding: kernel t-SNE of the target, moved onto the source's map, Eq. (5.6) and (5.7)."""

import numpy as np
import scipy.optimize

from ..embed import TSNE
from ..embed.parametric import affinities, divergence_with_gradient
from ..graphs import squared_distances
from ..kernelmap import check_bandwidth, kernels, nearest_center
from ..validation import check_n_components, check_positive
from .base import SharedEmbedding
from .em import ridge_step
from .search import STEPS, Problem, anneal, axis_starts, paired

__all__ = ["SharedKernelEmbedding"]

WEIGHTS = np.geomspace(1.0, 0.01, 5)
"""Of the t-SNE cost, tried in turn, the strongest first."""

DESCENT = 5
"""Steps of L-BFGS in an M-step, which need not reach the minimum."""

RIDGE = 1e-6
"""Weight of the squared coefficients over the number of source samples, for kernels that nearly coincide."""

SHORT_LIST = 4
"""So many of the turns go on after half of the bandwidths, those that then are best."""

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
    lam : float >= 0, optional
        Weight of the t-SNE cost of the target in (5.7), beside a mean over source samples in units in which source
        places have root mean square 1. By default the largest of 1 to .01 with which the target explains the source as
        well as the source explains itself.
    perplexity : float > 1, optional
        Of the t-SNE cost, and of "tsne"; 30 by default, or a third of the other samples where these are fewer than 90.
    n_centers : int, optional
        How many target samples, drawn at random, carry a kernel; by default a quarter of those that take part in the
        search, at least 20.
    kernel_width : float > 0, default=0.5
        Width of the kernels, as a multiple of the median distance of a centre to the nearest other.
    bandwidth : float > 0, optional
        The last sigma, in root mean squares of the source places; by default that under which each source place is
        likeliest given the others.
    n_bandwidths : int, default=8
    starts : tuple of {"turns", "structure"}
        Where EM begins: the target's own t-SNE map (kernel t-SNE), turned in eight ways and mirrored; the
        Gromov-Wasserstein coupling. The likeliest outcome is kept.
    random_state : int, RandomState or None
    callback : callable, optional
        Called with (step, bandwidth, log_likelihood) before each step.

    Attributes
    ----------
    source_embedding_, target_embedding_, confidence_, evidence_, log_likelihood_, self_log_likelihood_, history_,
    candidates_, start_, bandwidth_, theta_
        As for `SharedLinearEmbedding`.
    lam_ : float, as used
    centers_ : ndarray of shape (n_centers, n_target_features), in standard units if `standardize`
    coefficients_ : ndarray of shape (n_centers, n_components), w_j of (5.6)

    Notes
    -----
    The cost is taken in the unit of the target's own t-SNE map, on the samples that take part in the search. Each
    M-step lowers (5.7), so EM raises the observed likelihood less the cost.

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
        return self._B * self._unit + self._middle  # kernels add up to 1

    def _checked(self, X, Z):
        k = super()._checked(X, Z)
        if self.lam is not None:
            check_positive(self.lam, "lam", zero=True)
        check_bandwidth(self.kernel_width, "kernel_width")
        if self.n_centers is not None:
            m = check_n_components(self.n_centers, len(Z), Z.shape[1], "n_samples", name="n_centers")
            if m <= k:
                raise ValueError(f"`n_centers` must exceed `n_components` = {k}; got {m}. Give more centres.")
        return k

    def _prepare(self, Z, columns, k, rng):
        part = Z[columns]
        m = max(20, len(part) // 4) if self.n_centers is None else self.n_centers
        order = np.lexsort(Z.T[::-1])
        self.centers_ = Z[np.sort(order[rng.choice(len(Z), min(m, len(Z)), replace=False)])]
        squared = squared_distances(self.centers_, self.centers_)
        self._width = self.kernel_width * nearest_center(squared, shared=True)
        own = TSNE(k, perplexity=self.perplexity, random_state=rng.randint(2**31 - 1)).fit(part)
        own = own.embedding_ - own.embedding_.mean(axis=0)
        self._map_unit = float(np.sqrt(np.mean(own**2)))
        self._own = own / self._map_unit
        perplexity = min(30.0, (len(part) - 1) / 3) if self.perplexity is None else self.perplexity
        P = self._affinities = affinities(squared_distances(part, part), perplexity)
        self._entropy = float(np.sum(P[P > 0] * np.log(P[P > 0])))

    def _design(self, Z):
        return kernels(squared_distances(Z, self.centers_), self._width)  # Eq. (5.6)

    def _problem(self, xi, design, part=slice(None)):
        n, inner, lam, unit = len(xi), design[part], self.lam_, self._map_unit

        def cost(B):
            value, slope = divergence_with_gradient(self._affinities, self._entropy, inner @ B * unit)
            return lam * value + RIDGE * np.sum(B**2), lam * unit * (inner.T @ slope) + 2 * RIDGE * B

        def maximise(e, B):
            gram, pull = (design * e.weight[:, None]).T @ design / n, design.T @ e.pull / n

            def objective(flat):  # Eq. (5.7) but for a constant
                B = flat.reshape(pull.shape)
                half = gram @ B - pull
                value, slope = cost(B)
                return np.sum(B * (half - pull)) + value, (2 * half + slope).ravel()

            steps = {"maxiter": DESCENT}
            found = scipy.optimize.minimize(objective, B.ravel(), jac=True, method="L-BFGS-B", options=steps)
            return found.x.reshape(pull.shape)

        return Problem(
            xi, design, maximise=maximise, penalty=lambda B: float(cost(B)[0]), watch=self.callback
        )

    def _search(self, xi, design, bandwidths, pairs, rng):
        starts = dict(self._beginnings(xi, design, pairs, rng))
        probes = ["structure"] if pairs is not None else list(starts)
        for self.lam_ in WEIGHTS if self.lam is None else np.array([self.lam]):  # noqa: B020
            problem = self._problem(xi, design)
            found = [anneal(problem, starts[name], bandwidths, start=name) for name in probes]
            if max(c.log_likelihood for c in found) >= self.self_log_likelihood_:
                break
        half = len(bandwidths) // 2
        others = [
            anneal(problem, B, bandwidths[:half], start=name, last_steps=STEPS)
            for name, B in starts.items()
            if name not in probes and half
        ]
        others.sort(key=lambda c: -c.objective)
        found += [
            anneal(problem, c.B, bandwidths[half:], start=c.start, history=c.history)
            for c in others[:SHORT_LIST]
        ]
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


def turns(source, places, rng):
    """Ways to lay a map on another: turned and mirrored in the plane, axis on axis in other dimensions."""
    k = places.shape[1]
    if k != 2:
        for name, W in axis_starts(source, places, rng):
            yield name, places @ W
        return
    for angle in np.arange(TURNS) * (2 * np.pi / TURNS):
        c, s = np.cos(angle), np.sin(angle)
        for sign in (1, -1):
            name = f"turned {np.degrees(angle):.0f}" + (" mirrored" if sign < 0 else "")
            yield name, places @ np.array([[c, s], [-sign * s, sign * c]])
