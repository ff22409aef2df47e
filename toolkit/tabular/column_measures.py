"""Measures of the columns of a table, each of one or several parts in a design matrix.

A cell is the number of a row of its column's part, so that all features that come from
one column are permuted together: relevance in a linear model and in a forest, and the
scores of a model fitted to permuted cells.
"""

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import RidgeClassifierCV, RidgeCV

from ..bounds import group_bounds
from ..core import RANK_TOLERANCE

MOST_MAPPINGS = 2  # of a linear model of classes
# The null space leaves out one of so many directions, those of least variance.
DIRECTIONS_PER_LEFT_OUT = 6


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
