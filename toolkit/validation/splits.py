"""Samples of rows with rows of each class, splits into training and held-out rows."""

import warnings

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from ..core import import_pandas, require, short_repr
from .intervals import units_of

FEWEST_TRAINING_ROWS = 2  # Each is predicted by the others.
# Up to so many rows, samples are drawn without regard to classes.
MOST_AS_THEY_ARE = 1000
# Rows that a sample of more has of each class, if there are so many.
FEWEST_OF_CLASS = 20


def folds(target, groups, n_splits, seed):
    """Split rows into training and test rows of each fold; groups stay together.

    The proportions of classes are kept; a group of several classes counts as one of
    its rarest class. There are at most as many folds as the rarest class has groups.

    Parameters
    ----------
    target : Target
        Target of the n rows.
    groups : ndarray of shape (n,)
        Rows of equal values stay on one side of each split.
    n_splits : int
        Largest number of folds; there are at least two.
    seed : int
        Seed of the random number generator.

    Returns
    -------
    splits : list of (ndarray of int, ndarray of int)
        Numbers of the training rows and of the test rows, per fold.

    Examples
    --------
    >>> from toolkit.validation import as_target
    >>> target = as_target([0, 0, 1, 1], 4)
    >>> [test.tolist() for _, test in folds(target, np.arange(4), 5, 0)]
    [[1, 2], [0, 3]]
    """
    codes = units_of(groups)
    strata = target.strata()
    rows_of_groups = first_rows(codes, strata)
    strata_of_groups = None
    splitter_class = KFold
    n_rarest = len(rows_of_groups)
    if strata is not None:
        strata_of_groups = strata[rows_of_groups]
        class_group_pairs = np.unique(
            np.column_stack([units_of(strata), codes]), axis=0
        )
        n_rarest = np.bincount(class_group_pairs[:, 0]).min()
    n_splits = max(2, min(n_splits, n_rarest))
    if strata is not None:
        n_groups_of_class = np.bincount(units_of(strata_of_groups))
        if n_groups_of_class.max() >= n_splits:
            splitter_class = StratifiedKFold
    splitter = splitter_class(n_splits, shuffle=True, random_state=seed)
    # A class with fewer groups than folds is in no fit of some, which is warned of.
    with warnings.catch_warnings(action="ignore"):
        group_splits = list(splitter.split(rows_of_groups, strata_of_groups))
    splits = []
    for train_groups, test_groups in group_splits:
        train = np.flatnonzero(np.isin(codes, train_groups))
        test = np.flatnonzero(np.isin(codes, test_groups))
        splits.append((train, test))
    return splits


def first_rows(codes, strata=None):
    """Return the first row of each group, or the first of its rarest class.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Numbers of the groups, from 0.
    strata : ndarray of shape (n,), optional
        Classes.

    Returns
    -------
    rows : ndarray of int, shape (n_groups,)
        Numbers of the rows, in the order of the groups.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 1, 1]), np.array(["a", "a", "a", "b"])).tolist()
    [0, 3]
    """
    class_counts = np.zeros(len(codes))
    if strata is not None:
        class_codes = units_of(strata)
        class_counts = np.bincount(class_codes)[class_codes]
    order = np.lexsort([class_counts, codes])
    first_places = np.unique(codes[order], return_index=True)[1]
    return order[first_places]


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


def ranks_in_classes(strata):
    """How many rows before each one are of its class, (n,).

    Examples
    --------
    >>> ranks_in_classes(np.array(["a", "b", "a"])).tolist()
    [0, 0, 1]
    """
    pd = import_pandas()
    return pd.Series(strata).groupby(strata).cumcount().to_numpy()


def draw_sample(strata, n_rows, most_rows, seed):
    """Draw rows at random, and with them rows of each class.

    Parameters
    ----------
    strata : ndarray of shape (n_rows,) or None
        Classes of the rows, if there are any.
    n_rows : int
        Number of rows.
    most_rows : int
        Largest number of rows to draw.
    seed : int or numpy Generator
        Seed of the random number generator, or the generator.

    Returns
    -------
    rows : ndarray of int, shape (m,)
        Numbers of the rows, sorted.
    """
    order = np.random.default_rng(seed).permutation(n_rows)
    if strata is not None and n_rows > MOST_AS_THEY_ARE:
        strata = strata[order]
        n_classes = len(np.unique(strata))
        n_of_class = min(FEWEST_OF_CLASS, most_rows // n_classes)
        is_needed = ranks_in_classes(strata) < n_of_class
        # The sample stays as it is drawn where it has these rows.
        if is_needed[most_rows:].any():
            order = np.concatenate([order[is_needed], order[~is_needed]])
    return np.sort(order[:most_rows])


def class_weights(strata, rows):
    """Weights of all rows by which a sample has the proportions of the classes.

    Parameters
    ----------
    strata : ndarray of shape (n,) or None
        Classes of all rows, if there are any.
    rows : ndarray of int, shape (m,)
        Numbers of the rows of the sample.

    Returns
    -------
    weights : ndarray of shape (n,) or None
        Proportion of each row's class in all rows over that in the sample; None where
        no weights are needed.
    """
    _, codes, counts = np.unique(
        strata, return_inverse=True, return_counts=True
    )
    expected_counts = counts * len(rows) / len(codes)
    if expected_counts.min() >= FEWEST_OF_CLASS:
        return None
    sampled_counts = np.bincount(codes[rows], minlength=len(counts))
    ratios = expected_counts / np.maximum(sampled_counts, 1)
    return ratios[codes]
