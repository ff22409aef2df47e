"""Deterministic annealing by expectation maximisation (EM), from several starts.

The source coordinates xi_i are explained by Gaussians of one width about the images of
the target samples (thesis, Eqs. (5.2) to (5.5)). Only a block of responsibilities is in
memory at a time; the M-step needs two sums of them.

The likelihood has several maxima, one per alignment that it can distinguish, and the
start alone decides in which of them EM ends. Starts are the principal axes of the
target laid on those of the source, in every order and with every sign, and the
structural coupling; the observed likelihood ranks the results, without a label.
"""

from dataclasses import KW_ONLY, dataclass
from itertools import permutations, product

import numpy as np
from joblib import delayed
from scipy import linalg

from ..core import TINY, about_mean, draw_rows, even_blocks, results, thin_svd

# EM steps at each bandwidth and, unless EM converges, at the last
STEPS, MAX_LAST_STEPS = 4, 30
# relative change of the objective below which EM has converged
TOLERANCE = 1e-7
# scores with a smaller fraction of the largest standard deviation count as constant
CONSTANT_RATIO = 1e-8
# ways to lay axes on axes: all of them for up to three components
MAX_AXIS_STARTS = 48
# responsibilities computed at a time
PAIRS_PER_BLOCK = 2**20


class Likelihood:
    """Base of results with `rows`, the log likelihoods of the source samples."""

    @property
    def log_likelihood(self):
        """Observed log likelihood per source sample; EM raises it at one bandwidth."""
        return float(np.mean(self.rows))


@dataclass(frozen=True)
class Expectation(Likelihood):
    """Result of an E-step: sums over source samples of responsibilities gamma_ij."""

    weight: np.ndarray  # (n_target,), sum_i gamma_ij
    pull: np.ndarray  # (n_target, n_components), sum_i gamma_ij xi_i
    rows: np.ndarray = None  # (n_source,), log p(xi_i)
    # expected complete log likelihood over the number of source samples
    expected: float = None


@dataclass(frozen=True)
class Problem:
    """Source coordinates, a design of the target, and, in subclasses, the M-step.

    `maximise(e, B)` returns the coefficients after the M-step of an expectation e, with
    B those before. `penalty(B)` is the penalty over the number of source samples.
    """

    source: np.ndarray  # (n_source, n_components), in their unit
    # (n_target, p); coefficients B give the coordinates design @ B
    design: np.ndarray
    _: KW_ONLY
    # whether theta is updated
    fit_weights: bool = False


@dataclass(frozen=True)
class Candidate(Likelihood):
    """The alignment that EM found from a start, and the steps on the way, dicts."""

    start: str
    B: np.ndarray  # (p, n_components)
    log_theta: np.ndarray  # (n_target,)
    positions: np.ndarray  # (n_target, n_components)
    rows: np.ndarray  # (n_source,), log p(xi_i)
    # in the unit of the log likelihood: over twice the squared bandwidth
    penalty: float
    history: list

    @property
    def objective(self):
        """The quantity that EM raises: the observed log likelihood less the penalty."""
        return self.log_likelihood - self.penalty


def anneal(
    problem, B, bandwidths, start="", history=(), *, last_steps=MAX_LAST_STEPS
):
    """EM at each bandwidth in turn from coefficients B (p, k): a `Candidate`.

    At the last bandwidth it goes on until it converges.
    """
    n_target = len(problem.design)
    log_theta = np.full(n_target, -np.log(n_target))
    history = list(history)
    for position, bandwidth in enumerate(bandwidths):
        before = -np.inf
        for _ in range(
            last_steps if position == len(bandwidths) - 1 else STEPS
        ):
            # E-step
            e = expect(problem.source, problem.design @ B, log_theta, bandwidth)
            objective = e.log_likelihood - problem.penalty(B) / (
                2 * bandwidth**2
            )
            history.append(
                {
                    "bandwidth": float(bandwidth),
                    "log_likelihood": e.log_likelihood,
                    "objective": objective,
                    "expected": e.expected,
                    "coefficients": B,
                }
            )
            if objective - before < TOLERANCE * abs(objective):
                break
            before = objective
            # M-step
            B = problem.maximise(e, B)
            if problem.fit_weights:
                log_theta = np.log(
                    np.maximum(e.weight / len(problem.source), TINY)
                )
    positions = problem.design @ B
    rows = expect(problem.source, positions, log_theta, bandwidth).rows
    penalty = problem.penalty(B) / (2 * bandwidth**2)
    return Candidate(start, B, log_theta, positions, rows, penalty, history)


def anneal_starts(problem, starts, bandwidths, n_jobs, **settings):
    """Candidates of :func:`anneal` from starts (B, name[, history]), as they come.

    Each is a task.
    """
    tasks = (
        delayed(anneal)(problem, B, bandwidths, *start, **settings)
        for B, *start in starts
    )
    return results(tasks, n_jobs)


def coupling_expectation(pairs, source):
    """A coupling (n_source, n_target) as the outcome of an E-step."""
    pairs = pairs * len(source)
    return Expectation(pairs.sum(axis=0), pairs.T @ source)


def principal_axes(Z):
    """Standard deviations (k,) along principal axes of (n, k), and these as columns."""
    _, s, V = thin_svd(about_mean(Z))
    return s / np.sqrt(len(Z)), V


def axis_starts(source, scores, rng):
    """Names, such as "axes +1 -2", and maps (r, k): first axes laid on the source's.

    The axes are those of `scores` (n_target, r).
    """
    deviations, axes = principal_axes(source)
    k = len(deviations)
    own = scores.std(axis=0)
    # a part of the samples may lack a direction: no weight
    own[own <= CONSTANT_RATIO * own.max()] = np.inf
    # all orders and signs of k axes, or some at random
    if k > 4:
        # their number is too large to list them
        ways = [(np.arange(k), np.ones(k))]
        while len(ways) < MAX_AXIS_STARTS:
            ways.append((rng.permutation(k), rng.choice([1.0, -1.0], k)))
    else:
        signs = product((1.0, -1.0), repeat=k)
        ways = list(product(permutations(range(k)), signs))
    for i in draw_rows(len(ways), MAX_AXIS_STARTS, rng):
        order, signs = ways[i]
        W = np.zeros((len(own), k))
        W[order, range(k)] = np.array(signs) * deviations / own[list(order)]
        numbers = (
            f"{s * (o + 1):+.0f}" for o, s in zip(order, signs, strict=True)
        )
        yield f"axes {' '.join(numbers)}", W @ axes.T


def log_joint(source, target, log_theta, bandwidth):
    """log theta_j + log N(xi_i | y_j, bandwidth^2), (n_source, n_target)."""
    n, k = source.shape
    precision = 1 / bandwidth**2
    # the squared distance as one product
    left = np.ones((n, k + 2))
    right = np.ones((k + 2, len(target)))
    left[:, :k] = source * precision
    left[:, k] = np.sum(source**2, axis=1) * (-precision / 2)
    right[:k] = target.T
    right[-1] = log_theta - np.sum(target**2, axis=1) * (precision / 2)
    right[-1] -= k / 2 * np.log(2 * np.pi * bandwidth**2)
    return left @ right


def log_sums(joint):
    """Responsibilities (n_source, n_target) of a log joint density, and log p(xi_i)."""
    top = joint.max(axis=1, keepdims=True)
    gamma = joint - top
    np.exp(gamma, out=gamma)
    total = gamma.sum(axis=1, keepdims=True)
    # Eq. (5.4), with the theta_j that it leaves out
    gamma /= total
    return gamma, (top + np.log(total))[:, 0]  # Eq. (5.2)


def expect(source, target, log_theta, bandwidth):
    """The E-step, of xi_i, images y_j (n_target, k), log theta_j: an `Expectation`."""
    weight = np.zeros(len(target))
    pull = np.zeros_like(target)
    rows = []
    expected = 0.0
    for block in even_blocks(len(source), len(target), PAIRS_PER_BLOCK):
        joint = log_joint(source[block], target, log_theta, bandwidth)
        gamma, row = log_sums(joint)
        weight += gamma.sum(axis=0)
        pull += gamma.T @ source[block]
        rows.append(row)
        expected += np.vdot(gamma, joint)  # Eq. (5.3)
    expected = float(expected) / len(source)
    return Expectation(weight, pull, np.concatenate(rows), expected)


def ridge_step(design, weight, pull, penalty):
    """M-step: the coefficients B (p, k) of the design, rows z_j (n_target, p).

    They minimise sum_ij gamma_ij |xi_i - B^T z_j|^2 + sum_l penalty_l |B_l|^2.
    """
    # not sums of squares, which would cost half of the digits
    root = np.sqrt(weight)[:, None]
    right = np.divide(pull, root, out=np.zeros_like(pull), where=root > 0)
    ridge = np.diag(np.sqrt(penalty))[penalty > 0]
    left = np.vstack([design * root, ridge])
    right = np.vstack([right, np.zeros((len(ridge), pull.shape[1]))])
    # Eq. (5.5) with the penalty; where the minimum is not unique, the shortest.
    return linalg.lstsq(left, right, cond=1e-12, lapack_driver="gelsy")[0]


def self_log_likelihood(xi, bandwidth, n_centers=np.inf):
    """Mean leave-one-out log likelihood of coordinates (n, k) under Gaussians.

    `n_centers` of the coordinates, or all of them if there are fewer, are the centres.
    """
    n = len(xi)
    centers = np.arange(n)
    if n_centers < n:
        centers = np.linspace(0, n - 1, n_centers).astype(int)
    log_theta = np.full(len(centers), -np.log(len(centers)))
    # Copies, to nine digits, do not explain each other: no width would be small enough
    # for them.
    copies = np.unique(np.round(xi, 9), axis=0, return_inverse=True)[1].ravel()
    if np.all(copies[centers] == copies[centers[0]]):
        # all centres are copies: only the sample itself is left out
        copies = np.arange(n)
    total = 0.0
    for own in even_blocks(n, len(centers), PAIRS_PER_BLOCK):
        joint = log_joint(xi[own], xi[centers], log_theta, bandwidth)
        joint[copies[own][:, None] == copies[centers]] = -np.inf
        total += np.sum(log_sums(joint)[1])
    return total / n
