"""Splits of rows into training rows and held-out rows, each checked once."""

import warnings

import numpy as np
from sklearn.model_selection import check_cv

from ..core import require, short_repr

FEWEST_TRAINING_ROWS = 2  # Each is predicted by the others.


def is_pairs(cv):
    """Whether `cv` holds pairs of row numbers, rather than a rule for splits."""
    is_rule = hasattr(cv, "split") or isinstance(cv, int | np.integer)
    return cv is not None and not is_rule


def splits_of_cv(cv, X, target, groups):
    """The splits of scikit-learn's `cv`: a number of folds, a splitter, or pairs."""
    is_class = target.kind == "classes"
    try:
        splitter = check_cv(cv, target.y, classifier=is_class)
        # Splitters that ignore groups warn; a group on both sides is refused later.
        with warnings.catch_warnings(action="ignore"):
            return list(splitter.split(X, target.y, groups))
    except (TypeError, ValueError) as error:
        raise ValueError(
            "`cv` must be a number of folds, a splitter such as StratifiedKFold(5), or"
            f" pairs of training and held-out rows; got {short_repr(cv)}: {error}"
        ) from error


def check_splits(splits, groups, is_grouped, name):
    """Splits with each side checked: row numbers in range, filled, disjoint, by groups.

    Parameters
    ----------
    splits : list of pairs of array-like of int
        Training rows and held-out rows.
    groups : ndarray of shape (n,)
        Groups of all rows.
    is_grouped : bool
        Whether groups may not be on both sides.
    name : str
        Name of the argument.

    Returns
    -------
    splits : list of (ndarray of int, ndarray of int)
        The same as arrays.
    """
    n_rows = len(groups)
    require(len(splits) > 0, name, "at least one split", splits)
    checked_splits = []
    for number, split in enumerate(splits):
        require(
            isinstance(split, list | tuple) and len(split) == 2,
            name,
            "pairs of training rows and held-out rows",
            split,
        )
        train, test = split
        side_name = f"training rows of split {number}"
        train = _check_side(
            train, n_rows, FEWEST_TRAINING_ROWS, name, side_name
        )
        side_name = f"held-out rows of split {number}"
        test = _check_side(test, n_rows, 1, name, side_name)
        common_rows = np.intersect1d(train, test)
        if len(common_rows):
            raise ValueError(
                f"`{name}` must be splits without a row on both sides; split {number}"
                f" has {len(common_rows):,} such rows, the first {common_rows[0]}. Hold"
                " out rows that are not fitted."
            )
        divided_groups = np.intersect1d(groups[train], groups[test])
        if is_grouped and len(divided_groups):
            raise ValueError(
                f"`{name}` must be splits with each of the `groups` on one side; split"
                f" {number} has {len(divided_groups):,} groups on both. Use a splitter"
                " such as GroupKFold(5)."
            )
        checked_splits.append((train, test))
    return checked_splits


def _check_side(side, n_rows, n_least, name, side_name):
    """Row numbers (m,) of one side of a split, at least so many."""
    try:
        rows = np.asarray(side)
    except ValueError:
        rows = np.array(None)
    is_flat = rows.ndim == 1 and rows.size >= n_least
    are_whole = rows.dtype.kind in "iu"
    require(
        is_flat and are_whole,
        name,
        f"row numbers, at least {n_least}, as {side_name}",
        side,
        remedy="Truth values become row numbers by np.flatnonzero.",
    )
    in_range = (rows >= 0) & (rows < n_rows)
    require(
        in_range.all(),
        name,
        f"row numbers from 0 to {n_rows - 1} as {side_name}",
        rows[~in_range][:1].tolist(),
        remedy="They are numbers of rows of `X`, of at most `max_rows` rows.",
    )
    require(
        len(np.unique(rows)) == len(rows),
        name,
        f"different row numbers as {side_name}",
        side,
        remedy="Give each row once.",
    )
    return rows
