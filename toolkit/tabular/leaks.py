"""Columns that contain the target, or are known only after it."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..validation import cross_predict, folds
from .rows import correlations
from .separation import MOST_TESTED

# Rows with a label, for a column to be suspected to contain it.
FEWEST_WITH_LABEL = 5
LEAK_CORRELATION = 0.95
# A column that leaves less of the baseline than this is suspected.
LEAK_FRACTION = 0.05
# Most columns that are tried alone, those that are most related to the target.
MOST_SINGLE_COLUMNS = 500


def find_leaks(data, task, groups, seed=0):
    """Find columns that predict the target alone nearly without error, and that error.

    Parameters
    ----------
    data : NumericTable
        Columns as numbers, from :func:`prepare_rows`.
    task : Target
        Target, from :func:`task_of`.
    groups : ndarray of int, shape (n,)
        Rows of equal values stay on one side of each split.
    seed : int, default=0
        Seed of the random number generator.

    Returns
    -------
    leaks : dict of str to float
        Columns and their errors. A column is named where a small decision tree on it
        has an error below a twentieth of the baseline (for values, of its square). For
        several labels it is named where its correlation with one of them is above 0.95.
        It may contain the target, or be known only after it.
    """
    rows = task.sample(MOST_TESTED, seed)
    part = task.with_sample(rows)[rows]
    if part.y.ndim == 2:
        return _columns_like_labels(data, part, rows)
    limit = LEAK_FRACTION * part.baseline()
    if task.is_value:
        limit = np.sqrt(LEAK_FRACTION)
    errors = _single_column_errors(data, part, rows, groups[rows], seed)
    return {column: error for column, error in errors.items() if error < limit}


def _columns_like_labels(data, part, rows):
    """Columns that correlate with one of several labels, and 1 - correlation."""
    strength = correlations(data.X[rows], part.y.astype(float))
    strength *= part.y.sum(axis=0) >= FEWEST_WITH_LABEL
    errors = {}
    for j, label in np.argwhere(strength > LEAK_CORRELATION):
        column = data.columns[data.parents[j]]
        unexplained = 1 - float(strength[j, label])
        errors[column] = max(0.0, unexplained)
    return errors


def _single_column_errors(data, part, rows, groups, seed):
    """Error of a small decision tree on each column alone.

    Of many columns on those that are most related to the target.
    """
    options = {"min_samples_leaf": 2, "random_state": seed}
    tree = DecisionTreeRegressor(max_leaf_nodes=100, **options)
    if not part.is_value:
        n_leaves = 2 * len(np.unique(part.y))
        tree = DecisionTreeClassifier(max_leaf_nodes=n_leaves, **options)
    columns = data.columns
    if len(columns) > MOST_SINGLE_COLUMNS:
        by_relatedness = data.relatedness(part.y, rows).argsort()
        most_related = np.sort(by_relatedness[-MOST_SINGLE_COLUMNS:])
        columns = [columns[j] for j in most_related]
    splits = folds(part, groups, 5, seed)
    errors = {}
    for name in columns:
        column = data.of(name)[rows]
        predictions = cross_predict(part, tree, column, splits)
        losses = part.prediction_losses(predictions)
        errors[name] = float(part.error(losses))
    return errors
