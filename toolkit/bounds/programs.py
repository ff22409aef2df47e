"""Certified linear programs: the range of each weight over a polyhedron of weights.

A weight w is written p - n with p, n >= 0, so that |w|_1 is at most the sum of both.
Over a convex set the weights w_j fill an interval, whose ends are two programs; the
smallest and the largest |w_j| follow from it. The thesis, Eqs. (4.18) and (4.19), has
one variable per feature for its absolute value, 2D + 1 constraints on D + (D - I)
variables and three programs per feature; here are I + 1 constraints on 2D variables and
two programs. Optima are the same.
"""

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
        return x[: self.n_weights] - x[self.n_weights : 2 * self.n_weights]

    def within(self, row, limit):
        """The subset with row @ x <= limit."""
        A = np.vstack([self.A_ub, row])
        return self._replace(A_ub=A, b_ub=np.append(self.b_ub, limit))

    @property
    def norm(self):
        """Coefficients of the L1 norm of the weights."""
        return (np.arange(self.A_eq.shape[1]) < 2 * self.n_weights).astype(
            float
        )


class Programs:
    """Programs over one `WeightSet`, each from the vertex of least L1 norm on.

    All start there, so that no result depends on earlier programs.
    """

    def __init__(self, feasible):
        # where bounds are asked for only; `Highs` would greet on standard output
        import highspy

        self.feasible = feasible
        # |w| (d,) of each solution so far
        self.met = []
        _, A_eq, b_eq, A_ub, b_ub = feasible
        A = csr_array(np.vstack([A_eq, A_ub]))
        m, n = A.shape
        solver = self._solver = highspy._Highs()
        for name, value in OPTIONS.items():
            solver.setOptionValue(name, value)
        solver.addVars(n, np.zeros(n), np.full(n, np.inf))
        low = np.append(b_eq, np.full(len(b_ub), -np.inf))
        high = np.append(b_eq, b_ub)
        solver.addRows(m, low, high, A.nnz, A.indptr, A.indices, A.data)
        self._start = None
        self.least = self.smallest(feasible.norm)
        self._start = solver.getBasis()

    def limit_norm(self, limit):
        """Only weights of an L1 norm up to `limit` from now on; the start stays."""
        norm = self.feasible.norm
        self.feasible = self.feasible.within(norm, limit)
        columns = np.flatnonzero(norm).astype(np.int32)
        self._solver.setBasis(self._start)
        self._solver.addRow(
            -np.inf, limit, len(columns), columns, norm[columns]
        )
        self._start = self._solver.getBasis()

    def smallest(self, c):
        """Minimise c @ x: value, weights that attain it, gap to the dual.

        ArithmeticError where no method closes the gap.
        """
        gap = np.inf
        for method in ("simplex", "ipm"):
            x, y, message = self._solution(c, method)
            if message == "Optimal":
                gap = _gap(c, self.feasible, x, y)
            if gap <= MAX_DUALITY_GAP:
                weights = self.feasible.weights(x)
                self.met.append(np.abs(weights))
                return float(c @ x), weights, gap
        raise ArithmeticError(
            f"A linear program could not be certified (gap {gap:.2g}, {message})."
            " Standardise the features and count directions with nearly no variance in"
            " `null_space`."
        )

    def ends(self, j):
        """Programs of the least and of the largest weight j, as `smallest` has them."""
        for sign in (1.0, -1.0):
            c = np.zeros_like(self.feasible.norm)
            # The least w_j serves Eq. (4.18), the largest, with the sign turned,
            # Eq. (4.19).
            c[[j, self.feasible.n_weights + j]] = sign, -sign
            value, weights, gap = self.smallest(c)
            yield sign * value, weights, gap

    def _solution(self, c, method):
        """Minimiser, multipliers of the constraints, and how the solver ended."""
        solver = self._solver
        solver.setOptionValue("solver", method)
        solver.changeColsCost(len(c), np.arange(len(c), dtype=np.int32), c)
        solver.clearSolver()  # its random numbers start again
        if self._start is not None:
            solver.setBasis(self._start)
        solver.run()
        found = solver.getSolution()
        ended = solver.modelStatusToString(solver.getModelStatus())
        return np.array(found.col_value), np.array(found.row_dual), ended


def _gap(c, feasible, x, multipliers):
    """How far primal and dual are from certifying each other."""
    _, A_eq, b_eq, A_ub, b_ub = feasible
    y, z = np.split(multipliers, [len(b_eq)])
    # reduced costs: not negative
    reduced = c - A_eq.T @ y - A_ub.T @ z
    off = np.abs(A_eq @ x - b_eq)
    violations = np.concatenate([z, off, A_ub @ x - b_ub, -reduced])
    value = c @ x
    gap = abs(y @ b_eq + z @ b_ub - value) / max(1.0, abs(value))
    return max(gap, violations.max(initial=0.0))


def weight_ranges(feasible, tiny, *, n_jobs=None, verbose=False):
    """Smallest and largest |w_j| over a `WeightSet`, (d,), and the largest gap.

    Between them two arrays (d, d), of which row j holds weights that attain it for
    w_j. Ends within `tiny` of 0 are 0.
    """
    d = feasible.n_weights
    # few tasks, as each carries the constraints and solves for the common start
    chunks = np.array_split(np.arange(d), min(50, 1 + d // 8))
    tasks = (delayed(_some_ranges)(chunk, feasible) for chunk in chunks)
    bar = list(map(len, chunks)), "features", verbose
    *ranges, gaps = zip(*results(tasks, n_jobs, bar=bar), strict=True)
    low, high, at_low, at_high = map(np.concatenate, ranges)
    lower = np.maximum(0.0, np.maximum(low, -high))  # Eq. (4.16)
    lower[lower <= tiny] = 0.0
    upper = np.maximum(lower, np.maximum(high, -low))  # Eq. (4.17)
    upper[upper <= tiny] = 0.0
    # Where an interval holds 0, the vector of the lower bound lies between its two
    # ends, where the weight is 0.
    width = np.where(high > low, high - low, 1.0)
    portion = np.select([low >= 0, high <= 0], [1.0, 0.0], high / width)
    portion = portion[:, None]
    at_lower = portion * at_low + (1 - portion) * at_high
    at_upper = np.where((high >= -low)[:, None], at_high, at_low)
    return lower, upper, at_lower, at_upper, max(gaps)


def _some_ranges(features, feasible):
    """Ends of the intervals of some weights, weights that attain them, largest gap."""
    solve = Programs(feasible)
    found = [end for j in features for end in solve.ends(j)]
    ends, vectors, gaps = map(np.array, zip(*found, strict=True))
    return ends[::2], ends[1::2], vectors[::2], vectors[1::2], gaps.max()
