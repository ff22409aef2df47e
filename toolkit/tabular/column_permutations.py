"""Permuted columns: orders of the rows, and copies that keep what others predict."""

from functools import partial

import numpy as np
from sklearn.linear_model import RidgeCV

from ..validation import permutations_of, shifts
from ..validation.models import RIDGE_PENALTIES


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
