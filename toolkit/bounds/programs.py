"""Certified linear programs: the range of each weight over a polyhedron of weight vectors.

A weight w is written p - n with p, n >= 0, so that |w|_1 is at most the sum of both.
Over a convex set the weights w_j fill an interval, whose ends are two programs; the
smallest and the largest |w_j| follow from it. The thesis, Eqs. (4.18) and (4.19), has
one variable per feature for its absolute value, 2D + 1 constraints on D + (D - I)
variables and three programs per feature; here are I + 1 constraints on 2D variables and
two programs. Optima are the same.
"""

from typing import NamedTuple

import numpy as np
from joblib import delayed, effective_n_jobs
from scipy.optimize import linprog

from ..core.checks import check_jobs
from ..core.progress import results

# The programs are small, and alike but for their objective; nearly equal features need
# the narrow tolerances.
OPTIONS = {
    "presolve": False,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}

# Largest gap between the values of a program and of its dual, and largest violation of
# a constraint of either.
MAX_DUALITY_GAP = 1e-6


class WeightSet(NamedTuple):
    """Feasible set: x = (p, n, further variables) >= 0 with A_eq x = b_eq, A_ub x <= b_ub; the weights are p - n."""

    n_weights: int
    A_eq: np.ndarray | None
    b_eq: np.ndarray | None
    A_ub: np.ndarray | None = None
    b_ub: np.ndarray | None = None
    free: int = 0  # last variables that may be negative; all others are >= 0

    @property
    def n_variables(self):
        """Length of x."""
        return (self.A_eq if self.A_eq is not None else self.A_ub).shape[1]

    def weights(self, x):
        """Weights (n_weights,) of a feasible x."""
        return x[: self.n_weights] - x[self.n_weights : 2 * self.n_weights]

    def within(self, row, limit):
        """The subset with row @ x <= limit."""
        A = np.atleast_2d(row) if self.A_ub is None else np.vstack([self.A_ub, row])
        return self._replace(
            A_ub=A, b_ub=np.append([] if self.b_ub is None else self.b_ub, limit)
        )

    @property
    def norm(self):
        """Coefficients (n_variables,) of the L1 norm of the weights."""
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


def smallest(c, feasible):
    """Minimise c @ x over a `WeightSet`: value, minimiser, gap to the dual; ArithmeticError if no solver closes it."""
    limits = np.tile([0.0, np.inf], (len(c), 1))
    if feasible.free:
        limits[-feasible.free :, 0] = -np.inf
    worst = np.inf
    for method in ("highs-ds", "highs-ipm"):
        constraints = feasible.A_ub, feasible.b_ub, feasible.A_eq, feasible.b_eq
        found = linprog(c, *constraints, limits, method=method, options=OPTIONS)
        if found.status == 0:
            worst = _gap(c, feasible, found)
        if worst <= MAX_DUALITY_GAP:
            return float(found.fun), found.x, worst
    raise ArithmeticError(
        f"A linear program could not be certified (gap {worst:.2g},"
        f" {found.message.strip()}). Standardise the features and count directions with"
        " nearly no variance in `null_space`."
    )


def _gap(c, feasible, found):
    """How far primal and dual are from certifying each other: values, constraints, signs."""
    dual, reduced, violation = 0.0, np.array(c, dtype=float), 0.0
    if feasible.A_eq is not None:
        y = found.eqlin.marginals
        dual += y @ feasible.b_eq
        reduced -= feasible.A_eq.T @ y
        violation = np.abs(feasible.A_eq @ found.x - feasible.b_eq).max(initial=0.0)
    if feasible.A_ub is not None:
        z = found.ineqlin.marginals
        dual += z @ feasible.b_ub
        reduced -= feasible.A_ub.T @ z
        violation = max(
            violation,
            (feasible.A_ub @ found.x - feasible.b_ub).max(initial=0.0),
            z.max(initial=0.0),
        )
    if feasible.free:
        violation = max(violation, np.abs(reduced[-feasible.free :]).max())
        reduced = reduced[: -feasible.free]
    return max(
        abs(dual - found.fun) / max(1.0, abs(found.fun)),
        violation,
        -reduced.min(initial=0.0),
    )


def weight_ranges(feasible, *, n_jobs=None, verbose=False):
    """Smallest and largest value of each weight over a `WeightSet`, as `Ranges`; `n_jobs` processes over features."""
    d = feasible.n_weights
    chunks = np.array_split(
        np.arange(d), min(d, max(50, 4 * effective_n_jobs(check_jobs(n_jobs))))
    )
    tasks = (delayed(_some_ranges)(chunk, feasible) for chunk in chunks)
    parts = results(
        tasks, n_jobs, bar=([len(chunk) for chunk in chunks], "features", verbose)
    )
    *ranges, gaps = zip(*parts, strict=True)
    return Ranges(*map(np.concatenate, ranges), max(gaps))


def _some_ranges(features, feasible):
    """`Ranges` of some features, as a tuple."""
    found = []
    for j in features:
        for sign in (1.0, -1.0):
            c = np.zeros(feasible.n_variables)
            # The least w_j serves Eq. (4.18), the largest, with the sign turned, Eq.
            # (4.19).
            c[j], c[feasible.n_weights + j] = sign, -sign
            value, x, gap = smallest(c, feasible)
            found.append((sign * value, feasible.weights(x), gap))
    ends, vectors, gaps = map(np.array, zip(*found, strict=True))
    return ends[::2], ends[1::2], vectors[::2], vectors[1::2], gaps.max()


def absolute_ranges(ranges, tiny):
    """Smallest and largest |w_j|, and a weight vector per row that attains each; ends within `tiny` of 0 are 0."""
    low, high, at_low, at_high, _ = ranges
    lower = np.maximum(0.0, np.maximum(low, -high))  # Eq. (4.16)
    lower[lower <= tiny] = 0.0
    upper = np.maximum(lower, np.maximum(high, -low))  # Eq. (4.17)
    upper[upper <= tiny] = 0.0
    width = high - low
    # Where an interval holds 0, the vector of the lower bound lies between its two
    # ends, where the weight is 0.
    portion = np.where(
        low >= 0, 1.0, np.where(high <= 0, 0.0, high / np.where(width > 0, width, 1.0))
    )[:, None]
    at_upper = np.where((high >= -low)[:, None], at_high, at_low)
    return lower, upper, portion * at_low + (1 - portion) * at_high, at_upper
