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

# EM steps at each bandwidth and, unless EM converges, at the last.
STEPS = 4
MAX_LAST_STEPS = 30
# EM has converged when the objective changes by a smaller fraction.
TOLERANCE = 1e-7
# Scores with a smaller fraction of the largest standard deviation count as constant.
CONSTANT_RATIO = 1e-8
# Ways to lay axes on axes: all of them for up to three components.
MAX_AXIS_STARTS = 48
# Responsibilities computed at a time.
PAIRS_PER_BLOCK_OF_E_STEP = 2**20


class Likelihood:
    """Base of results with `rows`, the log likelihoods of the source samples."""

    @property
    def log_likelihood(self):
        """Observed log likelihood per source sample; EM raises it at one bandwidth."""
        return float(np.mean(self.rows))


@dataclass(frozen=True, kw_only=True)
class Expectation(Likelihood):
    """Result of an E-step: sums over source samples of responsibilities gamma_ij."""

    weight: np.ndarray  # (n_target,), sum_i gamma_ij
    pull: np.ndarray  # (n_target, n_components), sum_i gamma_ij xi_i
    rows: np.ndarray = None  # (n_source,), log p(xi_i)
    # expected complete log likelihood over the number of source samples
    expected: float = None


@dataclass(frozen=True)
class Start:
    """Where EM begins."""

    B: np.ndarray  # (p, n_components), coefficients of the design
    name: str = ""
    history: tuple = ()  # steps on the way to it, dicts


@dataclass(frozen=True)
class Problem:
    """Source coordinates, a design of the target, and, in subclasses, the M-step."""

    source: np.ndarray  # (n_source, n_components), in their unit
    # (n_target, p); coefficients B give the coordinates design @ B
    design: np.ndarray
    _: KW_ONLY
    # whether theta is updated
    fit_weights: bool = False

    def maximise(self, e, B):
        """Coefficients (p, k) after the M-step of an `Expectation` e, B before it."""
        raise NotImplementedError

    def penalty(self, B):
        """The penalty of B (p, k), a float, over the number of source samples."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Candidate(Likelihood):
    """The alignment that EM found from a start, and the steps on the way, dicts."""

    start: str
    B: np.ndarray  # (p, n_components)
    log_theta: np.ndarray  # (n_target,)
    positions: np.ndarray  # (n_target, n_components)
    rows: np.ndarray  # (n_source,), log p(xi_i)
    penalty: float  # in the unit of the log likelihood
    history: list

    @property
    def objective(self):
        """The quantity that EM raises: the observed log likelihood less the penalty."""
        return self.log_likelihood - self.penalty


def anneal(problem, start, bandwidths, *, last_steps=MAX_LAST_STEPS):
    """EM at each bandwidth in turn from a `Start`: a `Candidate`.

    It goes on until it converges at the last bandwidth.

    `problem` is a `Problem`; of the bandwidths the largest comes first. There are at
    most `last_steps` steps at the last.
    """
    n_target = len(problem.design)
    n_source = len(problem.source)
    B = start.B
    log_theta = np.full(n_target, -np.log(n_target))
    history = list(start.history)
    last_position = len(bandwidths) - 1
    for position, bandwidth in enumerate(bandwidths):
        two_variances = 2 * bandwidth**2
        previous_objective = -np.inf
        for _ in range(last_steps if position == last_position else STEPS):
            # E-step
            e = expect(problem.source, problem.design @ B, log_theta, bandwidth)
            penalty = problem.penalty(B) / two_variances
            objective = e.log_likelihood - penalty
            history.append(
                {
                    "bandwidth": float(bandwidth),
                    "log_likelihood": e.log_likelihood,
                    "objective": objective,
                    "expected": e.expected,
                    "coefficients": B,
                }
            )
            if objective - previous_objective < TOLERANCE * abs(objective):
                break
            previous_objective = objective
            # M-step
            B = problem.maximise(e, B)
            if problem.fit_weights:
                theta = e.weight / n_source
                log_theta = np.log(np.maximum(theta, TINY))
    positions = problem.design @ B
    e = expect(problem.source, positions, log_theta, bandwidth)
    return Candidate(
        start=start.name,
        B=B,
        log_theta=log_theta,
        positions=positions,
        rows=e.rows,
        penalty=problem.penalty(B) / two_variances,
        history=history,
    )


def anneal_starts(problem, starts, bandwidths, n_jobs, **settings):
    """Candidates of :func:`anneal` from each `Start`, as they come; each is a task."""
    tasks = (
        delayed(anneal)(problem, start, bandwidths, **settings)
        for start in starts
    )
    return results(tasks, n_jobs)


def coupling_expectation(pairs, source):
    """A coupling (n_source, n_target) as the outcome of an E-step.

    `pairs` is the coupling, of sum 1; `source` (n_source, k) are coordinates.
    """
    gamma = pairs * len(source)
    return Expectation(weight=gamma.sum(axis=0), pull=gamma.T @ source)


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
    scales = scores.std(axis=0)
    # A direction that a part of the samples lacks has no weight.
    scales[scales <= CONSTANT_RATIO * scales.max()] = np.inf
    # all orders and signs of k axes, or some at random
    if k > 4:
        # The number of all of them is too large to list them.
        choices = [(np.arange(k), np.ones(k))]
        while len(choices) < MAX_AXIS_STARTS:
            order = rng.permutation(k)
            choices.append((order, rng.choice([1.0, -1.0], k)))
    else:
        all_signs = product((1.0, -1.0), repeat=k)
        choices = list(product(permutations(range(k)), all_signs))
    for choice in draw_rows(len(choices), MAX_AXIS_STARTS, rng):
        order, signs = choices[choice]
        order = np.array(order)
        signs = np.array(signs)
        W = np.zeros((len(scales), k))
        W[order, range(k)] = signs * deviations / scales[order]
        numbers = [f"{number:+.0f}" for number in signs * (order + 1)]
        yield f"axes {' '.join(numbers)}", W @ axes.T


def log_joint(source, target, log_theta, bandwidth):
    """log theta_j + log N(xi_i | y_j, bandwidth^2), (n_source, n_target)."""
    n, k = source.shape
    precision = 1 / bandwidth**2
    log_normaliser = k / 2 * np.log(2 * np.pi * bandwidth**2)
    source_norms = np.sum(source**2, axis=1)
    target_norms = np.sum(target**2, axis=1)
    # The squared distance is written as one product.
    left_factor = np.ones((n, k + 2))
    right_factor = np.ones((k + 2, len(target)))
    left_factor[:, :k] = source * precision
    left_factor[:, k] = source_norms * (-precision / 2)
    right_factor[:k] = target.T
    right_factor[-1] = log_theta - target_norms * (precision / 2)
    right_factor[-1] -= log_normaliser
    return left_factor @ right_factor


def log_sums(joint):
    """Responsibilities (n_source, n_target) of a log joint density, and log p(xi_i)."""
    largest_joint = joint.max(axis=1, keepdims=True)
    gamma = joint - largest_joint
    np.exp(gamma, out=gamma)
    total = gamma.sum(axis=1, keepdims=True)
    gamma /= total  # Eq. (5.4), with the theta_j that it leaves out
    log_p = largest_joint + np.log(total)  # Eq. (5.2)
    return gamma, log_p[:, 0]


def expect(source, target, log_theta, bandwidth):
    """The E-step, of xi_i, images y_j (n_target, k), log theta_j: an `Expectation`.

    `source` (n, k) are the xi_i, `log_theta` (n_target,) the logarithms of the weights,
    and `bandwidth` is the standard deviation of the Gaussians.
    """
    weight = np.zeros(len(target))
    pull = np.zeros_like(target)
    parts = []
    expected = 0.0
    n = len(source)
    for block in even_blocks(n, len(target), PAIRS_PER_BLOCK_OF_E_STEP):
        joint = log_joint(source[block], target, log_theta, bandwidth)
        gamma, log_p = log_sums(joint)
        weight += gamma.sum(axis=0)
        pull += gamma.T @ source[block]
        parts.append(log_p)
        expected += np.vdot(gamma, joint)  # Eq. (5.3)
    return Expectation(
        weight=weight,
        pull=pull,
        rows=np.concatenate(parts),
        expected=float(expected) / n,
    )


def ridge_step(design, weight, pull, penalty):
    """M-step: the coefficients B (p, k) of the design, rows z_j (n_target, p).

    They minimise sum_ij gamma_ij |xi_i - B^T z_j|^2 + sum_l penalty_l |B_l|^2.

    `weight` (n_target,) and `pull` (n_target, k) are those of an `Expectation`,
    `penalty` (p,) is that of each row of B.
    """
    # Sums of squares would cost half of the digits.
    root = np.sqrt(weight)[:, None]
    means = np.divide(pull, root, out=np.zeros_like(pull), where=root > 0)
    ridge = np.diag(np.sqrt(penalty))[penalty > 0]
    zeros = np.zeros((len(ridge), pull.shape[1]))
    left_side = np.vstack([design * root, ridge])
    right_side = np.vstack([means, zeros])
    # Eq. (5.5) with the penalty; the shortest if the minimum is not unique.
    solution = linalg.lstsq(
        left_side, right_side, cond=1e-12, lapack_driver="gelsy"
    )
    return solution[0]


def self_log_likelihood(xi, bandwidth, n_centers=np.inf):
    """Mean leave-one-out log likelihood of coordinates (n, k) under Gaussians.

    `n_centers` of the coordinates, or all of them if there are fewer, are the centres.
    """
    n = len(xi)
    centers = np.arange(n)
    if n_centers < n:
        centers = np.linspace(0, n - 1, n_centers).astype(int)
    m = len(centers)
    log_theta = np.full(m, -np.log(m))
    # Copies, to nine digits, do not explain each other: no width would be small enough
    # for them.
    _, location = np.unique(np.round(xi, 9), axis=0, return_inverse=True)
    location = location.ravel()
    if np.all(location[centers] == location[centers[0]]):
        # All centres are copies: only the sample itself is left out.
        location = np.arange(n)
    total = 0.0
    for rows in even_blocks(n, m, PAIRS_PER_BLOCK_OF_E_STEP):
        joint = log_joint(xi[rows], xi[centers], log_theta, bandwidth)
        is_copy = location[rows][:, None] == location[centers]
        joint[is_copy] = -np.inf
        _, log_p = log_sums(joint)
        total += np.sum(log_p)
    return total / n
