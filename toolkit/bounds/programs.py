"""Certified linear programs: the range of each weight over a polyhedron of weights.

A weight w is written p - n with p, n >= 0, so that |w|_1 is at most the sum of both.
Over a convex set the weights w_j fill an interval, whose ends are two programs; the
smallest and the largest |w_j| follow from it. The thesis, Eqs. (4.18) and (4.19), has
one variable per feature for its absolute value, 2D + 1 constraints on D + (D - I)
variables and three programs per feature; here are I + 1 constraints on 2D variables and
two programs. Optima are the same.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from joblib import delayed
from scipy.sparse import csr_array

from ..core import results

# The programs are small, and alike but for their objective, so that the start stays
# feasible for the primal simplex; nearly equal features need the narrow tolerances.
OPTIONS = {
    "output_flag": False,
    "presolve": "off",
    "simplex_strategy": 4,  # primal
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}

# Largest gap between the values of a program and of its dual, and largest violation of
# a constraint of either.
MAX_DUALITY_GAP = 1e-6


class WeightSet(NamedTuple):
    """Feasible set: x = (p, n, further variables) >= 0, of which the weights are p - n.

    A_eq x = b_eq and A_ub x <= b_ub; without rows where there are no such constraints.
    """

    n_weights: int
    A_eq: np.ndarray
    b_eq: np.ndarray
    A_ub: np.ndarray
    b_ub: np.ndarray

    def weights(self, x):
        """Weights (n_weights,) of a feasible x."""
        d = self.n_weights
        return x[:d] - x[d : 2 * d]

    def within(self, row, limit):
        """The subset with row @ x <= limit."""
        A_ub = np.vstack([self.A_ub, row])
        b_ub = np.append(self.b_ub, limit)
        return self._replace(A_ub=A_ub, b_ub=b_ub)

    @property
    def norm(self):
        """Coefficients of the L1 norm of the weights."""
        n_variables = self.A_eq.shape[1]
        is_part_of_weight = np.arange(n_variables) < 2 * self.n_weights
        return is_part_of_weight.astype(float)


@dataclass(frozen=True, kw_only=True)
class Optimum:
    """The value of a program, weights that attain it, and its gap to the dual."""

    value: float
    weights: np.ndarray  # (d,)
    gap: float


class WeightRanges(NamedTuple):
    """Smallest and largest |w_j|, weights that attain them, and the largest gap."""

    lower: np.ndarray  # (d,)
    upper: np.ndarray  # (d,)
    at_lower: np.ndarray  # (d, d), row j attains the lower bound of w_j
    at_upper: np.ndarray  # (d, d)
    gap: float


class Programs:
    """Programs over one `WeightSet`, each from the vertex of least L1 norm on.

    All start there, so that no result depends on earlier programs. `solutions` holds
    |w| (d,) of each solution so far.
    """

    def __init__(self, feasible):
        # The solver is imported where bounds are computed only; `Highs` would greet on
        # standard output.
        import highspy

        self.feasible = feasible
        self.solutions = []
        A = csr_array(np.vstack([feasible.A_eq, feasible.A_ub]))
        m, n = A.shape
        solver = highspy._Highs()
        self._solver = solver
        for name, value in OPTIONS.items():
            solver.setOptionValue(name, value)
        solver.addVars(n, np.zeros(n), np.full(n, np.inf))
        no_limits = np.full(len(feasible.b_ub), -np.inf)
        low = np.append(feasible.b_eq, no_limits)
        high = np.append(feasible.b_eq, feasible.b_ub)
        solver.addRows(m, low, high, A.nnz, A.indptr, A.indices, A.data)
        self._start = None
        self.minimal = self.smallest(feasible.norm)
        self._start = solver.getBasis()

    def limit_norm(self, limit):
        """Only weights of an L1 norm up to `limit` from now on; the start stays."""
        norm = self.feasible.norm
        self.feasible = self.feasible.within(norm, limit)
        columns = np.flatnonzero(norm).astype(np.int32)
        n = len(columns)
        self._solver.setBasis(self._start)
        self._solver.addRow(-np.inf, limit, n, columns, norm[columns])
        self._start = self._solver.getBasis()

    def smallest(self, c):
        """Minimise c @ x; an :class:`Optimum`.

        ArithmeticError where no method closes the gap.
        """
        gap = np.inf
        for method in ("simplex", "ipm"):
            x, y, message = self._solution(c, method)
            if message == "Optimal":
                gap = _gap(c, self.feasible, x, y)
            if gap <= MAX_DUALITY_GAP:
                weights = self.feasible.weights(x)
                self.solutions.append(np.abs(weights))
                return Optimum(value=float(c @ x), weights=weights, gap=gap)
        raise ArithmeticError(
            f"A linear program could not be certified (gap {gap:.2g}, {message})."
            " Standardise the features and count directions with nearly no variance in"
            " `null_space`."
        )

    def ends(self, j):
        """Optima of the least and of the largest weight j."""
        for sign in (1.0, -1.0):
            c = np.zeros_like(self.feasible.norm)
            # The least w_j serves Eq. (4.18), the largest, with the sign turned,
            # Eq. (4.19).
            c[j] = sign
            c[self.feasible.n_weights + j] = -sign
            optimum = self.smallest(c)
            yield replace(optimum, value=sign * optimum.value)

    def _solution(self, c, method):
        """Minimiser, multipliers of the constraints, and how the solver ended.

        c (2 d,) are the costs of the variables, `method` is one of the HiGHS solver's.
        """
        solver = self._solver
        solver.setOptionValue("solver", method)
        columns = np.arange(len(c), dtype=np.int32)
        solver.changeColsCost(len(c), columns, c)
        solver.clearSolver()  # its random numbers start again
        if self._start is not None:
            solver.setBasis(self._start)
        solver.run()
        solution = solver.getSolution()
        minimiser = np.array(solution.col_value)
        multipliers = np.array(solution.row_dual)
        status = solver.getModelStatus()
        return minimiser, multipliers, solver.modelStatusToString(status)


def _gap(c, feasible, x, multipliers):
    """How far primal and dual are from certifying each other.

    c (2 d,) are the costs, x (2 d,) are the variables p and n at the optimum,
    `feasible` is the `WeightSet`.
    """
    A_eq = feasible.A_eq
    b_eq = feasible.b_eq
    A_ub = feasible.A_ub
    b_ub = feasible.b_ub
    y, z = np.split(multipliers, [len(b_eq)])
    reduced_costs = c - A_eq.T @ y - A_ub.T @ z
    deviations = np.abs(A_eq @ x - b_eq)
    excess = A_ub @ x - b_ub
    # None of these may be positive.
    violations = np.concatenate([z, deviations, excess, -reduced_costs])
    value = c @ x
    dual_value = y @ b_eq + z @ b_ub
    gap = abs(dual_value - value) / max(1.0, abs(value))
    return max(gap, violations.max(initial=0.0))


def weight_ranges(feasible, tiny, *, n_jobs=None, verbose=False):
    """`WeightRanges` over a `WeightSet`; ends within `tiny` of 0 are 0."""
    d = feasible.n_weights
    # Each task carries the constraints and solves for the common start, so there are
    # few.
    chunks = np.array_split(np.arange(d), min(50, 1 + d // 8))
    tasks = (delayed(_ends)(chunk, feasible) for chunk in chunks)
    bar = [len(chunk) for chunk in chunks], "features", verbose
    # The optima of the least and of the largest weights come in turn.
    values = []
    vectors = []
    gaps = []
    for optima in results(tasks, n_jobs, bar=bar):
        for optimum in optima:
            values.append(optimum.value)
            vectors.append(optimum.weights)
            gaps.append(optimum.gap)
    low = np.array(values[::2])
    high = np.array(values[1::2])
    at_low = np.array(vectors[::2])
    at_high = np.array(vectors[1::2])
    lower = np.maximum(0.0, np.maximum(low, -high))  # Eq. (4.16)
    lower[lower <= tiny] = 0.0
    upper = np.maximum(lower, np.maximum(high, -low))  # Eq. (4.17)
    upper[upper <= tiny] = 0.0
    # An interval may hold 0: the vector of the lower bound lies between its two ends
    # then, where the weight is 0.
    width = np.where(high > low, high - low, 1.0)
    portion = np.select([low >= 0, high <= 0], [1.0, 0.0], high / width)
    portion = portion[:, None]
    high_is_larger = high >= -low
    return WeightRanges(
        lower=lower,
        upper=upper,
        at_lower=portion * at_low + (1 - portion) * at_high,
        at_upper=np.where(high_is_larger[:, None], at_high, at_low),
        gap=max(gaps),
    )


def _ends(features, feasible):
    """Optima of the least and of the largest weight of some features, in turn.

    `features` are numbers of features, `feasible` is the `WeightSet`.
    """
    programs = Programs(feasible)
    optima = []
    for j in features:
        optima.extend(programs.ends(j))
    return optima
