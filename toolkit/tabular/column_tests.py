"""Tests of the columns of a table, each of one or several parts in a design matrix.

A cell is the number of a row of its column's part, so that all features that come from
one column are permuted together. Its relevance is measured in a linear model, in a
forest, and by the scores of a model fitted to permuted cells; p-values are those of the
growth of these scores, and of the association with the target.
"""

from functools import partial

import numpy as np
from scipy.stats import t
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import RidgeClassifierCV, RidgeCV

from ..bounds import group_bounds
from ..core import RANK_TOLERANCE
from ..validation import permutations_of, shifts, standard_error
from ..validation.intervals import WIDER
from ..validation.models import RIDGE_PENALTIES

N_ORDERS = 2000  # of the target, for the association of a column alone
MOST_MAPPINGS = 2  # of a linear model of classes
# The null space leaves out one of so many directions, those of least variance.
DIRECTIONS_PER_LEFT_OUT = 6


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


def permutation_of_rows(task, groups, permuted, seed):
    """A function that gives another order of the rows at each call."""
    rng = np.random.default_rng(seed)
    if permuted == "order":
        permutations = shifts(len(groups), rng)
    else:
        permutations = permutations_of(
            task.y, groups, permuted == "groups", rng
        )
    if not permutations:
        # Nothing is shown with so few groups, whatever is permuted.
        permutations = {"rows": partial(rng.permutation, len(groups))}

    def permute():
        """Whole groups and the rows in them: columns may vary in both."""
        order = np.arange(len(groups))
        for permutation in permutations.values():
            order = order[permutation()]
        return order

    return permute


def copies_of_column(table, name, orders, groups):
    """Orders of the rows for copies of a column: what others predict of it stays.

    A ridge regression predicts the parts of the column by the other columns; z are the
    parts in the direction that varies most in that, f is what is predicted of z. Row i
    gets the cell whose z has the rank of f_i + (z - f)_order(i). This is the order
    itself where nothing is predicted, and the column stays as it is where all is.
    """
    is_part = table.is_of([name])
    part = table.X[:, is_part]
    rest = table.X[:, ~is_part]
    if not rest.shape[1]:
        return orders
    model = RidgeCV(RIDGE_PENALTIES).fit(rest, part)
    predicted_parts = model.predict(rest).reshape(part.shape)
    centred = predicted_parts - predicted_parts.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    direction = directions[0]
    if are_categories(part):
        # The numbers 0, 1, ... tell categories apart that differ little along it.
        direction = np.argsort(np.argsort(direction))
    z = part @ direction
    f = predicted_parts @ direction
    _, first_rows, group_of_row = np.unique(
        groups, return_index=True, return_inverse=True
    )
    if np.allclose(z, z[first_rows][group_of_row]):
        # What is constant in groups stays so.
        means = np.bincount(group_of_row, f) / np.bincount(group_of_row)
        f = means[group_of_row]
    residuals = z - f

    def copy(order):
        cells = order[np.argsort(z[order], kind="stable")]
        by_value = np.argsort(f + residuals[order], kind="stable")
        ranks = np.argsort(by_value)
        return cells[ranks]

    copies = []
    for orders_of_folds in orders:
        copies.append([copy(order) for order in orders_of_folds])
    return copies


def are_categories(part):
    """Whether parts (n, q) of a column are indicators of which one is 1 in each row."""
    return part.shape[1] > 1 and np.ptp(part.sum(axis=1)) < 1e-9


def _design_matrix(cells, parts):
    """The design matrix of cells, which are numbers of rows of `parts`.

    And which of the parts its columns are from.
    """
    cells = cells.astype(int)
    n = len(parts[0])
    blocks = []
    for column in cells.T:
        part = parts[column[0] // n]
        blocks.append(part[column % n])
    widths = [block.shape[1] for block in blocks]
    part_of_column = np.repeat(np.arange(len(blocks)), widths)
    return np.hstack(blocks), part_of_column


def column_weights(cells, y, parts, penalties):
    """Bounds (2, d) on the weights of each column in a ridge regression.

    The largest of all its mappings.
    """
    X, part_of_column = _design_matrix(cells, parts)
    if y.dtype.kind == "f":
        model = RidgeCV(penalties)
    else:
        model = RidgeClassifierCV(penalties)
    model.fit(X, y)
    mappings = np.atleast_2d(model.coef_)
    if len(mappings) > MOST_MAPPINGS:
        # The classes differ most along these directions.
        _, sizes, directions = np.linalg.svd(mappings, full_matrices=False)
        mappings = (sizes[:, None] * directions)[:MOST_MAPPINGS]
    singular_values = np.linalg.svd(X, compute_uv=False)
    rank = int((singular_values > RANK_TOLERANCE * singular_values[0]).sum())
    null_space = X.shape[1] - rank + rank // DIRECTIONS_PER_LEFT_OUT
    bounds = []
    for w in mappings:
        lower, upper = group_bounds(w, X, part_of_column, null_space)
        bounds.append([lower, upper])
    return np.max(bounds, axis=0)


def column_importances(cells, y, parts, n_trees, seed):
    """Importance (d,) of each column in a random forest."""
    X, part_of_column = _design_matrix(cells, parts)
    forest_class = RandomForestClassifier
    if y.dtype.kind == "f":
        forest_class = RandomForestRegressor
    forest = forest_class(n_trees, max_features="sqrt", random_state=seed)
    forest.fit(X, y)
    return np.bincount(part_of_column, forest.feature_importances_)


def permute_cells(X, is_permuted, order):
    """X (n, p), with the cells of some of its columns (p,) in another order (n,)."""
    permuted = X.copy()
    permuted[:, is_permuted] = X[order][:, is_permuted]
    return permuted


def refit(target, model, X, repeats, is_permuted=(), orders=None):
    """Losses (n,) and scores (m, n) of a model in m repeats of cross-validation.

    The losses are means over the repeats. With `orders`, one for each repeat and fold,
    the cells of some columns are permuted before the fit, in all rows.
    """
    # Threads share the model.
    model = clone(model)
    losses = np.empty((len(repeats), len(X)))
    scores = np.empty_like(losses)
    for r, splits in enumerate(repeats):
        for k, (train, test) in enumerate(splits):
            table = X
            if orders is not None:
                table = permute_cells(X, is_permuted, orders[r][k])
            predictions = target.fit_predict(model, table, train, test)
            held_out = target[test]
            losses[r, test] = held_out.prediction_losses(predictions)
            scores[r, test] = held_out.scores(predictions)
    return losses.mean(axis=0), scores
