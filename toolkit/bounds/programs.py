"""Certified linear programs: the range that each weight has over a set of weight vectors.

A weight w is written p - n with p, n >= 0, so that |w|_1 is at most the sum of both. Over a convex set the weights
w_j fill an interval, whose ends are two programs; the smallest and the largest |w_j| follow from it. The thesis
writes (4.16) and (4.17) with one bound a feature on its absolute value, 2D + 1 constraints on D + (D - I) variables,
and solves three programs a feature; here are I + 1 constraints on 2D variables and two programs. Optima are the same.
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.optimize import linprog

__all__ = ["Ranges", "WeightSet", "absolute_ranges", "weight_ranges"]

# The programs are small, and alike but for their objective; nearly equal features need the narrow tolerances.
OPTIONS = {"presolve": False, "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}

CERTIFIED = 1e-6
"""Largest gap between the values of a program and of its dual, and largest breach of a constraint of either."""


class WeightSet(NamedTuple):
    """All x = (p, n, further variables) with A_eq x = b_eq, A_ub x <= b_ub and the bounds; the weights are p - n."""

    n_weights: int
    A_eq: np.ndarray | None
    b_eq: np.ndarray | None
    A_ub: np.ndarray | None = None
    b_ub: np.ndarray | None = None
    free: int = 0  # last variables that may be negative; all others are >= 0

    @property
    def n_variables(self):
        return (self.A_eq if self.A_eq is not None else self.A_ub).shape[1]

    def weights(self, x):
        return x[: self.n_weights] - x[self.n_weights : 2 * self.n_weights]

    def within(self, row, limit):
        """With one more constraint, row @ x <= limit."""
        A = np.atleast_2d(row) if self.A_ub is None else np.vstack([self.A_ub, row])
        return self._replace(A_ub=A, b_ub=np.append([] if self.b_ub is None else self.b_ub, limit))

    @property
    def norm(self):
        """Coefficients of the L1 norm of the weights."""
        row = np.zeros(self.n_variables)
        row[: 2 * self.n_weights] = 1.0
        return row


class Ranges(NamedTuple):
    """Ends of the interval of each weight, the weight vectors that attain them, and the largest gap."""

    low: np.ndarray
    high: np.ndarray
    at_low: np.ndarray
    at_high: np.ndarray
    gap: float


def smallest(c, weights):
    """Minimise c @ x over a set of weight vectors: the value, where it is attained, and the gap to the dual.

    Raises
    ------
    ArithmeticError
        Where no solver closes the gap.
    """
    limits = np.tile([0.0, np.inf], (len(c), 1))
    if weights.free:
        limits[-weights.free :, 0] = -np.inf
    worst = np.inf
    for method in ("highs-ds", "highs-ipm"):
        found = linprog(
            c, weights.A_ub, weights.b_ub, weights.A_eq, weights.b_eq, limits, method=method, options=OPTIONS
        )
        if found.status == 0:
            worst = _gap(c, weights, found)
        if worst <= CERTIFIED:
            return float(found.fun), found.x, worst
    raise ArithmeticError(
        f"A linear program could not be certified (gap {worst:.2g}, {found.message.strip()}). Standardise the features "
        "and count directions with nearly no variance in `null_space`."
    )


def _gap(c, weights, found):
    """How far primal and dual are from certifying each other: values, constraints, signs."""
    dual, reduced, breach = 0.0, np.array(c, dtype=float), 0.0
    if weights.A_eq is not None:
        y = found.eqlin.marginals
        dual += y @ weights.b_eq
        reduced -= weights.A_eq.T @ y
        breach = np.abs(weights.A_eq @ found.x - weights.b_eq).max(initial=0.0)
    if weights.A_ub is not None:
        z = found.ineqlin.marginals
        dual += z @ weights.b_ub
        reduced -= weights.A_ub.T @ z
        breach = max(breach, (weights.A_ub @ found.x - weights.b_ub).max(initial=0.0), z.max(initial=0.0))
    if weights.free:
        breach = max(breach, np.abs(reduced[-weights.free :]).max())
        reduced = reduced[: -weights.free]
    return max(abs(dual - found.fun) / max(1.0, abs(found.fun)), breach, -reduced.min(initial=0.0))


def weight_ranges(weights, *, n_jobs=None):
    """Smallest and largest value of each weight over a set of weight vectors.

    Parameters
    ----------
    weights : WeightSet
        Set up once; the programs differ in their objective only.
    n_jobs : int, optional
        Processes for joblib, over features.

    Returns
    -------
    Ranges

    Examples
    --------
    >>> budget = WeightSet(2, np.array([[1.0, 1, -1, -1]]), np.array([1.0]))  # w_1 + w_2 = 1
    >>> ranges = weight_ranges(budget.within(budget.norm, 2.0))  # |w|_1 <= 2
    >>> (ranges.low + 0).tolist(), ranges.high.tolist()
    ([-0.5, -0.5], [1.5, 1.5])
    """
    d = weights.n_weights
    chunks = np.array_split(np.arange(d), min(d, 4 * effective_n_jobs(n_jobs)))
    parts = Parallel(n_jobs)(delayed(_some_ranges)(chunk, weights) for chunk in chunks)
    low, high, at_low, at_high = (np.concatenate(part) for part in zip(*(p[:4] for p in parts), strict=True))
    return Ranges(low, high, at_low, at_high, max(p[4] for p in parts))


def _some_ranges(features, weights):
    ends, places, gaps = np.empty((2, len(features))), np.empty((2, len(features), weights.n_weights)), [0.0]
    for i, j in enumerate(features):
        for end, sign in enumerate((1.0, -1.0)):
            c = np.zeros(weights.n_variables)
            c[j], c[weights.n_weights + j] = sign, -sign  # Eq. (4.19), and its mirror image
            value, x, gap = smallest(c, weights)
            ends[end, i], places[end, i] = sign * value, weights.weights(x)
            gaps.append(gap)
    return *ends, *places, max(gaps)


def absolute_ranges(ranges, tiny):
    """Smallest and largest |w_j|, (4.16) and (4.17), and weight vectors that attain them.

    Parameters
    ----------
    ranges : Ranges
    tiny : float
        An end of an interval this near to 0 is 0.

    Returns
    -------
    lower, upper : ndarray of shape (d,)
    at_lower, at_upper : ndarray of shape (d, d), a weight vector a row
        Where an interval holds 0, the row of `at_lower` lies between its two ends, where the weight is 0.

    Examples
    --------
    >>> ends = Ranges(np.array([-1.0]), np.array([3.0]), np.array([[-1.0]]), np.array([[3.0]]), 0.0)
    >>> [part.tolist() for part in absolute_ranges(ends, 1e-9)]
    [[0.0], [3.0], [[0.0]], [[3.0]]]
    """
    low, high, at_low, at_high, _ = ranges
    lower = np.maximum(0.0, np.maximum(low, -high))
    lower[lower <= tiny] = 0.0
    upper = np.maximum(lower, np.maximum(high, -low))
    upper[upper <= tiny] = 0.0
    width = high - low
    share = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, high / np.where(width > 0, width, 1.0)))[:, None]
    at_upper = np.where((high >= -low)[:, None], at_high, at_low)
    return lower, upper, share * at_low + (1 - share) * at_high, at_upper
