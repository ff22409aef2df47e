"""Rows to fit and rows held out.

Samples that belong together (a repeated id, equal rows, a group) stay on one side of
every split.
"""

import numpy as np
from sklearn.model_selection import train_test_split

from ..plots.inputs import is_continuous

FITTED = 2 / 3


def split(strata, groups, most, seed, held_out=0.25, is_test=None):
    """Rows to fit, and rows held out of the fit.

    Parameters
    ----------
    strata : ndarray of shape (n,) or None
        Classes whose shares both parts keep.
    groups : ndarray of int, shape (n,)
    most : int
        Largest number of rows to fit; the others count as held out, too.
    seed : int
    held_out : float, default=0.25
        Least fraction of the groups kept out.
    is_test : ndarray of bool, shape (n,), optional
        Rows kept out by the user; then no others are.

    Returns
    -------
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Sorted; a row whose group was fitted is in neither.

    Examples
    --------
    >>> sides = split(None, np.array([0, 0, 1, 2, 3, 4, 5, 6]), 100, 0)
    >>> sum(map(len, sides)), [0 in rows and 1 in rows for rows in sides]
    (8, [True, False])
    """
    fits = np.ones(len(groups), dtype=bool) if is_test is None else ~is_test
    allowed = np.flatnonzero(fits)
    # one row of each group is drawn, the others follow it
    _, first = np.unique(groups[allowed], return_index=True)
    chosen = first = allowed[np.sort(first)]
    n_groups = len(first)
    size = n_groups
    if is_test is None:
        size = max(1, int(n_groups * (1 - held_out)))
    size = min(most, size)
    if size < n_groups:
        if strata is not None:
            # where each has two rows or more and there are fewer of them than rows on
            # either side
            strata = strata[first]
            counts = np.unique(strata, return_counts=True)[1]
            if counts.min() < 2 or len(counts) > min(size, n_groups - size):
                strata = None
        chosen, _ = train_test_split(
            first, train_size=size, random_state=seed, stratify=strata
        )
    if size != most:
        chosen = allowed[np.isin(groups[allowed], groups[chosen])]
    fitted = np.sort(chosen)
    others = ~fits | (is_test is None)
    return fitted, np.flatnonzero(~np.isin(groups, groups[fitted]) & others)


def check_sides(table, fitted, held_out, is_test=None):
    """Refuse a split of a table that leaves nothing to hold out, or one class to fit.

    What is lost is noted in the table.

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
            "`data` must have two groups of rows or more to be fitted; got one. Rows of"
            " one group, id or of equal features stay together: leave out `groups` or"
            " `id`, or add columns or rows."
        )
    if table.task == "classes" and len(np.unique(table.y[fitted])) < 2:
        raise ValueError(
            "`data` must have two classes or more among the rows to be fitted; got one."
            " Rows of one group, id or of equal features stay together: leave out"
            " `groups` or `id`, or add rows of the other classes."
        )


def fitted_rows(y, most=None, random_state=0):
    """Which samples a map is fitted to (n,): two thirds of each class, at least one.

    Parameters
    ----------
    y : ndarray of shape (n,) or (n, l)
        Classes or values, or 0/1 labels, where the rarest label of each sample counts.
    most : int, optional
        `most` of all about; more only where there are more classes.
    random_state : int, default=0

    Returns
    -------
    ndarray of bool, shape (n,)
        Sample 0 is among them, so that "fitted" is the side named first.

    Examples
    --------
    >>> int(fitted_rows(np.repeat([0, 1], [30, 3])).sum())
    22
    """
    y = np.asarray(y)
    n = len(y)
    order = np.random.default_rng(random_state).permutation(n)
    order = np.append(0, order[order != 0])
    if y.ndim == 2:
        y = np.where(y > 0, y.sum(axis=0), np.inf).argmin(axis=1)
    elif is_continuous(y):
        y = np.zeros(n)
    part = FITTED if most is None else min(FITTED, most / n)
    fitted = np.zeros(n, dtype=bool)
    for label in np.unique(y):
        members = order[y[order] == label]
        fitted[members[: int(np.ceil(part * len(members)))]] = True
    return fitted
