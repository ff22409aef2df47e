"""Rows to fit and rows held out.

Samples that belong together (a repeated id, equal rows, a group) stay on one side of
every split.
"""

import numpy as np
from sklearn.model_selection import train_test_split

from ..core import and_list, count_phrase
from ..validation.intervals import units_of
from ..validation.splits import FEWEST_OF_CLASS, first_rows, ranks_in_classes


def split(strata, groups, most, seed, held_out=0.25, is_test=None):
    """Split rows into training rows and held-out rows.

    A class of two groups or more has rows on both sides. Where `most` limits the
    training rows, they contain at least 20 groups of each class, or the fraction of its
    groups that is not held out.

    Parameters
    ----------
    strata : ndarray of shape (n,) or None
        Classes whose proportions both parts keep.
    groups : ndarray of int, shape (n,)
        Rows of equal values stay on one side.
    most : int
        Largest number of training rows; the others are held out, too.
    seed : int
        Seed of the random number generator.
    held_out : float, default=0.25
        Least fraction of the groups held out.
    is_test : ndarray of bool, shape (n,), optional
        Rows held out by the user; then no others are.

    Returns
    -------
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Numbers of the rows, sorted. A row whose group was fitted, and one of a class
        that no fitted row has, is in neither.

    Examples
    --------
    >>> fitted, held_out = split(None, np.array([0, 0, 1, 2, 3, 4, 5, 6]), 100, 0)
    >>> len(fitted), len(held_out), 0 in fitted and 1 in fitted
    (6, 2, True)
    """
    is_test_given = is_test is not None
    if is_test_given:
        held_out = 0
        candidates = np.flatnonzero(~is_test)
    else:
        candidates = np.arange(len(groups))
    # One row of each group is drawn, the others follow it.
    candidate_strata = None if strata is None else strata[candidates]
    group_codes = units_of(groups[candidates])
    rows_of_groups = first_rows(group_codes, candidate_strata)
    rows_of_groups = candidates[np.sort(rows_of_groups)]
    n_groups = len(rows_of_groups)
    n_fitted = min(most, max(1, int(n_groups * (1 - held_out))))
    drawn = rows_of_groups
    if n_fitted < n_groups:
        drawn = _draw_groups(
            rows_of_groups, strata, n_fitted, most, held_out, seed=seed
        )
    if n_fitted != most:
        is_drawn = np.isin(groups[candidates], groups[drawn])
        drawn = candidates[is_drawn]
    fitted = np.sort(drawn)
    is_held_out = ~np.isin(groups, groups[fitted])
    if is_test_given:
        is_held_out &= is_test
    if strata is not None:
        is_held_out &= np.isin(strata, strata[fitted])
    return fitted, np.flatnonzero(is_held_out)


def _draw_groups(rows, strata, n_fitted, most_fitted, held_out, *, seed):
    """Draw so many of the rows, one of each group, and with them rows of each class."""
    classes = None
    if strata is not None:
        counts = np.unique(strata[rows], return_counts=True)[1]
        n_smaller_side = min(n_fitted, len(rows) - n_fitted)
        # Proportions are kept where each class has two rows or more, and where there
        # are no more classes than rows on either side.
        if counts.min() > 1 and len(counts) <= n_smaller_side:
            classes = strata[rows]
    drawn, left = train_test_split(
        rows, train_size=n_fitted, random_state=seed, stratify=classes
    )
    if strata is None:
        return drawn
    order = np.concatenate([drawn, left])
    codes = units_of(strata[order])
    counts = np.bincount(codes)
    n_needed = 1
    if n_fitted == most_fitted:
        n_needed = min(FEWEST_OF_CLASS, most_fitted // len(counts))
    n_not_held_out = np.maximum(1, (1 - held_out) * counts)
    n_needed = np.minimum(n_needed, n_not_held_out)
    is_single = counts == 1
    # A class of one group stays where it is drawn.
    n_needed[is_single] = 0
    ranks = ranks_in_classes(codes) + 1
    is_needed = ranks <= n_needed[codes]
    is_last = (ranks == counts[codes]) & ~is_single[codes]
    # The last row of a class is held out, if any rows are.
    is_free = ~is_last | (held_out == 0)
    needed_rows = order[is_needed]
    free_rows = order[~is_needed & is_free]
    return np.concatenate([needed_rows, free_rows])[:n_fitted]


def check_sides(table, fitted, held_out, is_test=None):
    """Refuse a split of a table that leaves nothing to hold out, or one class to fit.

    Rows that are lost are noted in the table.

    Parameters
    ----------
    table : Table
        The table that is split.
    fitted, held_out : ndarray of int, shape (m,) and (k,)
        Rows, from :func:`split`.
    is_test : ndarray of bool, shape (n,), optional
        Rows held out by the user.
    """
    is_unknown = np.zeros(len(table.y), dtype=bool)
    if table.task == "classes":
        is_unknown = ~np.isin(table.y, table.y[fitted])
    n_unknown = int(is_unknown.sum())
    lost_classes = and_list(np.unique(table.y[is_unknown]))
    if n_unknown:
        reason = "of a class that the training rows lack"
        table.rows_left_out[reason] = table.ids[is_unknown].tolist()
        table.notes.append(
            f"{count_phrase(n_unknown, 'row')} {reason} ({lost_classes}): held-out"
            f" errors are those of the {len(held_out):,} rows of known classes."
        )
    if is_test is not None:
        if not len(held_out):
            raise ValueError(
                "`test` must have rows of a class that rows of `data` have, and of an"
                " id, group and features that these have not; none is left. Give rows"
                " that are new, or leave `test` out."
            )
        n_lost = int((is_test & ~is_unknown).sum()) - len(held_out)
        if n_lost:
            table.notes.append(
                f"{n_lost:,} of the rows of the test have the id, group or features of"
                " others: left out."
            )
    needed = {"groups of rows": table.groups, "targets": table.y}
    for name, values in needed.items():
        if len(np.unique(values[fitted])) < 2:
            raise ValueError(
                f"`data` must have two {name} or more to be fitted; got one, and held"
                f" out: {lost_classes}. Rows of equal features, and of one group or id"
                " where these are given, stay together: add columns, or rows of"
                " another target."
            )
