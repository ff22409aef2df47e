"""Rows kept out: samples that belong together (a repeated id, equal rows, a group) stay on one side of every split."""

import warnings

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from ..plots.inputs import is_continuous

FITTED = 2 / 3


def split(strata, groups, most, seed, held_out=0.25, is_test=None):
    """Rows to fit, and rows held out of the fit.

    Parameters
    ----------
    strata : ndarray of shape (n,), classes whose shares both parts keep, or None
    groups : ndarray of int, shape (n,)
    most : int, largest number of rows to fit; the others count as held out, too
    seed : int
    held_out : float, least fraction of the groups kept out
    is_test : ndarray of bool, shape (n,), optional, rows kept out by the user; then no others are

    Returns
    -------
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Sorted; a row whose group was fitted is in neither.

    Examples
    --------
    >>> fitted, held_out = split(None, np.array([0, 0, 1, 2, 3, 4, 5, 6]), 100, 0)
    >>> len(fitted) + len(held_out), bool(np.isin([0, 1], fitted).all() or np.isin([0, 1], held_out).all())
    (8, True)
    """
    given = np.zeros(len(groups), dtype=bool) if is_test is None else is_test
    allowed = np.flatnonzero(~given)
    _, first = np.unique(groups[allowed], return_index=True)
    chosen = first = allowed[np.sort(first)]
    size = min(
        most, len(first) if is_test is not None else int(len(first) * (1 - held_out))
    )
    if size < len(first):
        # where each has two rows or more and there are fewer of them than rows on
        # either side
        if strata is not None:
            strata, counts = (
                strata[first],
                np.unique(strata[first], return_counts=True)[1],
            )
            strata = (
                strata
                if counts.min() > 1 and len(counts) <= min(size, len(first) - size)
                else None
            )
        chosen, _ = train_test_split(
            first, train_size=size, random_state=seed, stratify=strata
        )
    fitted = np.sort(
        chosen if size == most else allowed[np.isin(groups[allowed], groups[chosen])]
    )
    return fitted, np.flatnonzero(
        ~np.isin(groups, groups[fitted]) & (given | (is_test is None))
    )


def folds(strata, groups, n_splits, seed):
    """Training and test rows of each fold, as :func:`split`.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
    """
    _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
    strata = None if strata is None else strata[first]
    few = strata is None or np.unique(strata, return_counts=True)[1].max() < n_splits
    kind = KFold if few else StratifiedKFold
    # of a class with fewer groups than folds: it is in no fit of some
    with warnings.catch_warnings(action="ignore"):
        splits = list(
            kind(n_splits, shuffle=True, random_state=seed).split(first, strata)
        )
    return [
        (np.flatnonzero(np.isin(codes, train)), np.flatnonzero(np.isin(codes, test)))
        for train, test in splits
    ]


def check_groups(groups):
    """Refuse a table of fewer groups of rows, ndarray of int (n,), than a fit, its folds and what is held out need."""
    if (n_groups := len(np.unique(groups))) < 3:
        raise ValueError(
            f"`data` must have at least 3 groups of rows; got {n_groups}. Rows of one"
            " group, id or of equal features stay together: leave out `groups` or"
            " `id`, or add columns or rows."
        )


def check_sides(table, fitted, held_out, is_test=None):
    """Refuse a split of a table that leaves nothing to hold out, or one class to fit; what is lost is noted there.

    Parameters
    ----------
    table : Table
    fitted, held_out, is_test : as :func:`split` takes and gives them
    """
    if is_test is not None:
        if not len(held_out):
            raise ValueError(
                "`test` must have rows with a target whose id, group and features are"
                " not those of rows of `data`; none is left. Give rows that are new, or"
                " leave `test` out."
            )
        if lost := int(is_test.sum()) - len(held_out):
            table.notes.append(
                f"{lost:,} of the rows of the test have the id, group or features of"
                " others: left out."
            )
    if len(np.unique(table.groups[fitted])) < 2:
        raise ValueError(
            "`data` must have two groups of rows or more that are not in `test`; got"
            " one. Add rows."
        )
    if table.task == "classes" and len(np.unique(table.y[fitted])) < 2:
        raise ValueError(
            "`data` must have two classes or more among the rows to be fitted; got one."
            " Rows of one group, id or of equal features stay together: leave out"
            " `groups` or `id`, or add rows of the other classes."
        )


def fitted_rows(y, most=None, random_state=0):
    """Which samples a map is fitted to (n,): two thirds of each class and at least one, `most` of all about.

    Parameters
    ----------
    y : ndarray of shape (n,) classes or values, or (n, l) 0/1 labels, where the rarest label of each sample counts
    most : int, optional, more only where there are more classes
    random_state : int

    Returns
    -------
    ndarray of bool, shape (n,)
        Sample 0 is among them, so that "fitted" is the side named first.

    Examples
    --------
    >>> int(fitted_rows(np.repeat([0, 1], [30, 3])).sum())
    22
    """
    y, order = np.asarray(y), np.random.default_rng(random_state).permutation(len(y))
    order = np.append(0, order[order != 0])
    if y.ndim == 2:
        y = np.where(y > 0, y.sum(axis=0), np.inf).argmin(axis=1)
    elif is_continuous(y):
        y = np.zeros(len(y))
    part = FITTED if most is None else min(FITTED, most / len(y))
    fitted = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        members = order[y[order] == label]
        fitted[members[: int(np.ceil(part * len(members)))]] = True
    return fitted
