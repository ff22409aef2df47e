"""Deterministic annealing from several starts: where EM ends depends on where it begins, and on nothing else.

The likelihood has several maxima, one per alignment that it can distinguish. Starts are
the principal axes of the target laid on those of the source, in every order and with
every sign, and the structural coupling; the observed likelihood ranks the results,
without a label.
"""

from dataclasses import dataclass, field
from itertools import permutations, product

import numpy as np
import scipy.linalg
from joblib import delayed

from ..core.linalg import fix_signs
from ..core.progress import Shared, results
from .em import Expectation, expect

# EM steps at each bandwidth and, unless EM converges, at the last
STEPS, MAX_LAST_STEPS = 4, 30
TOLERANCE = 1e-7  # relative change of the objective below which EM has converged
# scores with a smaller fraction of the largest standard deviation count as constant
CONSTANT_RATIO = 1e-8
MAX_AXIS_STARTS = 48  # ways to lay axes on axes: all of them for up to three components


@dataclass(frozen=True)
class Problem:
    """Source coordinates, a design of the target, and, in subclasses, the M-step that goes with them.

    That is `maximise(e, B)`, the coefficients after the M-step of an expectation e, B
    those before, and `penalty(B)`, what it adds, over the number of source samples.
    """

    source: np.ndarray  # (n_source, n_components), in their unit
    design: np.ndarray  # (n_target, p); coefficients B give the coordinates design @ B
    fit_weights: bool = field(default=False, kw_only=True)  # whether theta is updated


@dataclass(frozen=True)
class Candidate:
    """Where a start led: the best alignment that EM found from it, and the steps on the way."""

    start: str
    B: np.ndarray  # (p, n_components)
    log_theta: np.ndarray  # (n_target,)
    positions: np.ndarray  # (n_target, n_components)
    rows: np.ndarray  # (n_source,), log p(xi_i)
    # in the unit of the log likelihood: over twice the squared bandwidth
    penalty: float
    history: list

    @property
    def log_likelihood(self):
        return float(np.mean(self.rows))

    @property
    def objective(self):
        """What EM raises: the observed log likelihood less the penalty."""
        return self.log_likelihood - self.penalty

    def course(self):
        """The steps as a dict of arrays."""
        return {
            name: np.array([step[name] for step in self.history])
            for name in self.history[0]
        }


def anneal(
    problem,
    B,
    bandwidths,
    *,
    start="",
    history=(),
    last_steps=MAX_LAST_STEPS,
    watch=None,
):
    """EM at each bandwidth in turn from coefficients B (p, k), at the last until it converges; a `Candidate`.

    `watch` is called with step, bandwidth and log likelihood before each step.
    """
    n, K = len(problem.source), len(problem.design)
    log_theta, history = np.full(K, -np.log(K)), list(history)
    for position, bandwidth in enumerate(bandwidths):
        before = -np.inf
        for _ in range(last_steps if position == len(bandwidths) - 1 else STEPS):
            e = expect(problem.source, problem.design @ B, log_theta, bandwidth)
            objective = e.log_likelihood - problem.penalty(B) / (2 * bandwidth**2)
            step = {
                "bandwidth": float(bandwidth),
                "log_likelihood": e.log_likelihood,
                "objective": objective,
            }
            history.append(step | {"expected": e.expected, "coefficients": B})
            if watch:
                watch(len(history) - 1, float(bandwidth), e.log_likelihood)
            if objective - before < TOLERANCE * abs(objective):
                break
            before = objective
            B = problem.maximise(e, B)
            if problem.fit_weights:
                log_theta = np.log(np.maximum(e.weight / n, np.finfo(float).tiny))
    positions = problem.design @ B
    rows = expect(problem.source, positions, log_theta, bandwidth).rows
    return Candidate(
        start,
        B,
        log_theta,
        positions,
        rows,
        problem.penalty(B) / (2 * bandwidth**2),
        history,
    )


def annealed(problem, starts, bandwidths, *, n_jobs=None, watch=None, **settings):
    """Candidates of :func:`anneal` from each of some starts (name, B, history), as they come; each is a task.

    With `watch` they run here, one after the other, so that it is called in their
    order.
    """
    shared = Shared(problem=problem)
    if watch:
        return (
            _annealed(shared, bandwidths, start, watch=watch, **settings)
            for start in starts
        )
    return results(
        (delayed(_annealed)(shared, bandwidths, start, **settings) for start in starts),
        n_jobs,
    )


def _annealed(shared, bandwidths, start, **settings):
    name, B, history = start
    return anneal(
        shared.problem, B, bandwidths, start=name, history=history, **settings
    )


def paired(pairs, source):
    """A coupling (n_source, n_target) as the outcome of an E-step."""
    pairs = pairs * len(source)
    return Expectation(
        pairs.sum(axis=0), pairs.T @ source, np.zeros(len(source)), np.nan
    )


def principal_axes(Z):
    """Standard deviations (k,) along the principal axes of coordinates (n, k), and the axes as columns."""
    _, s, Vt = scipy.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    return s / np.sqrt(len(Z)), Vt.T * fix_signs(Vt.T)


def axis_starts(source, scores, rng):
    """Names, such as "axes +1 -2", and maps (r, k) that lay the first axes of scores (n_target, r) on the source's."""
    k, r = source.shape[1], scores.shape[1]
    deviations, axes = principal_axes(source)
    if k <= 4:
        ways = list(product(permutations(range(k)), product((1.0, -1.0), repeat=k)))
        if len(ways) > MAX_AXIS_STARTS:
            ways = [
                ways[i]
                for i in np.sort(rng.choice(len(ways), MAX_AXIS_STARTS, replace=False))
            ]
    else:
        others = [
            (rng.permutation(k), rng.choice([1.0, -1.0], k))
            for _ in range(MAX_AXIS_STARTS - 1)
        ]
        ways = [(np.arange(k), np.ones(k)), *others]
    own = scores.std(axis=0)
    # a part of the samples may lack a direction: no weight
    own[own <= CONSTANT_RATIO * own.max()] = np.inf
    for order, signs in ways:
        order, signs = np.asarray(order), np.asarray(signs)
        W = np.zeros((r, k))
        W[order, np.arange(k)] = signs * deviations[:k] / own[order]
        yield (
            "axes "
            + " ".join(
                f"{s * (o + 1):+.0f}" for o, s in zip(order, signs, strict=True)
            ),
            W @ axes.T,
        )
