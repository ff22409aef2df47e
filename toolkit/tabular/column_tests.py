"""P-values of columns: growth of a model's score, association with the target."""

import numpy as np
from scipy.stats import t

from ..validation import standard_error
from ..validation.intervals import WIDER
from .column_permutations import permutation_of_rows

N_ORDERS = 2000  # of the target, for the association of a column alone


def growth_p_values(growths, groups):
    """P-values (d,) of growths (d, m, n) of scores, in m repeats, by permuted columns.

    The variance of a mean growth has two parts: that of the rows, and that of the
    permutations, s^2 (1 + 1/m), since the column itself is one more. s^2 is the
    variance of the means of the repeats, less that by the rows in them, which the first
    part has already; it is pooled over the columns.
    """
    d, m, n = growths.shape

    growth_of_rows = growths.mean(axis=1)
    deviations = growths - growth_of_rows[:, None]
    variances = _variances_of_means(deviations.reshape(d * m, n), groups)
    within_repeats = variances.mean() / WIDER**2 * m / (m - 1)
    variance_of_means = growths.mean(axis=2).var(axis=1, ddof=1)
    s_squared = max(variance_of_means.mean() - within_repeats, 0)
    variance_by_rows = _variances_of_means(growth_of_rows, groups)
    error = np.sqrt(variance_by_rows + s_squared * (1 + 1 / m))
    ratios = growth_of_rows.mean(axis=1) / np.maximum(error, 1e-300)
    n_groups = len(np.unique(groups))
    return t.sf(ratios, n_groups - 1)


def _variances_of_means(values, groups):
    """Squared standard errors (k,) of the means of values (k, n) of rows in groups."""
    errors = [standard_error(row_values, groups) for row_values in values]
    return np.array(errors) ** 2


def association_p_values(parts, task, groups, permuted, n_tests):
    """P-values (d,) of the association of all parts of a column with the target."""
    Y = task.columns(task.y).reshape(len(task.y), -1)
    Y = Y - Y.mean(axis=0)
    bases = [np.linalg.qr(part)[0] for part in parts]

    def explained(Y):
        """Sum of squares of the target that each column explains."""
        return np.array([np.sum((Q.T @ Y) ** 2) for Q in bases])

    limit = explained(Y) * (1 - 1e-9)
    permute = permutation_of_rows(task, groups, permuted, 0)
    n_as_large = np.zeros(len(parts), dtype=int)
    for _ in range(N_ORDERS):
        n_as_large += explained(Y[permute()]) >= limit
    return holm((1 + n_as_large) / (1 + N_ORDERS), n_tests)


def holm(p_values, n_tests):
    """P-values (d,) by Holm's correction for so many tests."""
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * (n_tests - np.arange(len(order)))
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
