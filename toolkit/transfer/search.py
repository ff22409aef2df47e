"""Deterministic annealing from several starts: where EM ends depends on where it begins, and on nothing else.

An alignment is found up to what the likelihood tells apart. Starts are the principal axes of the target laid on those
of the source, in every order and with every sign, and the structural coupling; the observed likelihood ranks what comes
of them, without a label.
"""

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
import scipy.linalg

from ..core.linalg import fix_signs
from .em import Expectation, expect

__all__ = ["Candidate", "Problem", "anneal", "axis_starts", "paired", "principal_axes"]

STEPS, LAST_STEPS = 4, 30
"""EM steps at each bandwidth and, unless nothing moves any more, at the last."""

STILL = 1e-7
"""Relative change of the objective below which EM has converged."""

FLAT = 1e-8
"""Scores with a smaller share of the largest standard deviation count as constant."""

MOST_AXES = 48
"""No more ways to lay axes on axes are tried: all of them for up to three components."""


@dataclass(frozen=True)
class Problem:
    """Source places, a design of the target, and the M-step that goes with them.

    Attributes
    ----------
    source : ndarray of shape (n_source, n_components), places in their unit
    design : ndarray of shape (n_target, p); coefficients B map to places ``design @ B``
    maximise : callable, (expectation, B) -> B
    penalty : callable, B -> float, what the M-step adds to (5.5), over the number of source samples
    fit_weights : bool, whether theta is updated
    watch : callable, optional, (step, bandwidth, log_likelihood) -> None
    """

    source: np.ndarray
    design: np.ndarray
    maximise: object
    penalty: object
    fit_weights: bool = False
    watch: object = None


@dataclass(frozen=True)
class Candidate:
    """Where a start led: coefficients, weights, places of the target, log p(xi_i), penalty and the way there.

    The penalty is in the unit of the log likelihood: what the M-step adds to (5.5) over twice the squared bandwidth.
    """

    start: str
    B: np.ndarray
    log_theta: np.ndarray
    places: np.ndarray
    rows: np.ndarray
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
        return {name: np.array([step[name] for step in self.history]) for name in self.history[0]}


def anneal(problem, B, bandwidths, *, start="", history=(), last_steps=LAST_STEPS):
    """EM at each bandwidth in turn, from coefficients `B`; at the last until it converges.

    Parameters
    ----------
    problem : Problem
    B : ndarray of shape (p, n_components)
    bandwidths : sequence of float > 0
    start : str, a name for where it began
    history : sequence of dict, steps before these
    last_steps : int, steps at the last bandwidth at most

    Returns
    -------
    Candidate
    """
    n, K = len(problem.source), len(problem.design)
    log_theta, history = np.full(K, -np.log(K)), list(history)
    for position, bandwidth in enumerate(bandwidths):
        before = -np.inf
        for _ in range(last_steps if position == len(bandwidths) - 1 else STEPS):
            e = expect(problem.source, problem.design @ B, log_theta, bandwidth)
            objective = e.log_likelihood - problem.penalty(B) / (2 * bandwidth**2)
            step = {"bandwidth": float(bandwidth), "log_likelihood": e.log_likelihood, "objective": objective}
            history.append(step | {"expected": e.expected, "coefficients": B})
            if problem.watch:
                problem.watch(len(history) - 1, float(bandwidth), e.log_likelihood)
            if objective - before < STILL * abs(objective):
                break
            before = objective
            B = problem.maximise(e, B)
            if problem.fit_weights:
                log_theta = np.log(np.maximum(e.weight / n, np.finfo(float).tiny))
    places = problem.design @ B
    rows = expect(problem.source, places, log_theta, bandwidth).rows
    return Candidate(start, B, log_theta, places, rows, problem.penalty(B) / (2 * bandwidth**2), history)


def paired(pairs, source):
    """A coupling (n_source, n_target) as the outcome of an E-step."""
    pairs = pairs * len(source)
    return Expectation(pairs.sum(axis=0), pairs.T @ source, np.zeros(len(source)), np.nan)


def principal_axes(places):
    """Standard deviations along the principal axes of places about their mean, and the axes as columns."""
    _, s, Vt = scipy.linalg.svd(places - places.mean(axis=0), full_matrices=False)
    return s / np.sqrt(len(places)), Vt.T * fix_signs(Vt.T)


def axis_starts(source, scores, rng):
    """Maps of principal scores that lay the first axes of the target on those of the source.

    Parameters
    ----------
    source : ndarray of shape (n_source, k), places
    scores : ndarray of shape (n_target, r), principal scores with r >= k, the largest first
    rng : RandomState, draws which are tried where there are more than `MOST_AXES`

    Yields
    ------
    name : str, such as "axes +1 -2": the axis of the target with its sign, for each axis of the source
    W : ndarray of shape (r, k)
    """
    k, r = source.shape[1], scores.shape[1]
    spread, axes = principal_axes(source)
    if k <= 4:
        ways = list(product(permutations(range(k)), product((1.0, -1.0), repeat=k)))
        if len(ways) > MOST_AXES:
            ways = [ways[i] for i in np.sort(rng.choice(len(ways), MOST_AXES, replace=False))]
    else:
        others = [(rng.permutation(k), rng.choice([1.0, -1.0], k)) for _ in range(MOST_AXES - 1)]
        ways = [(np.arange(k), np.ones(k)), *others]
    own = scores.std(axis=0)
    own[own <= FLAT * own.max()] = np.inf  # a part of the samples may lack a direction: no weight
    for order, signs in ways:
        order, signs = np.asarray(order), np.asarray(signs)
        W = np.zeros((r, k))
        W[order, np.arange(k)] = signs * spread[:k] / own[order]
        yield "axes " + " ".join(f"{s * (o + 1):+.0f}" for o, s in zip(order, signs, strict=True)), W @ axes.T
