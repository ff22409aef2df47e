"""Rows to fit and rows held out.

Samples that belong together (a repeated id, equal rows, a group) stay on one side of
every split.
"""

import numpy as np
from sklearn.model_selection import train_test_split

from ..core import and_list, count_phrase
from ..validation.choice import first_rows
from ..validation.intervals import units_of
from ..validation.samples import FEWEST_OF_CLASS, ranks_in_classes


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
    >>> sides = split(None, np.array([0, 0, 1, 2, 3, 4, 5, 6]), 100, 0)
    >>> sum(map(len, sides)), [0 in rows and 1 in rows for rows in sides]
    (8, [True, False])
    """
    fits = np.ones(len(groups), dtype=bool) if is_test is None else ~is_test
    allowed = np.flatnonzero(fits)
    # one row of each group is drawn, the others follow it
    known = None if strata is None else strata[allowed]
    first = first_rows(units_of(groups[allowed]), known)
    chosen = first = allowed[np.sort(first)]
    n_groups = len(first)
    if is_test is not None:
        held_out = 0
    size = min(most, max(1, int(n_groups * (1 - held_out))))
    if size < n_groups:
        classes = None
        if strata is not None:
            # where each has two rows or more and there are fewer of them than rows on
            # either side
            counts = np.unique(strata[first], return_counts=True)[1]
            if counts.min() > 1 and len(counts) <= min(size, n_groups - size):
                classes = strata[first]
        chosen, others = train_test_split(
            first, train_size=size, random_state=seed, stratify=classes
        )
        if strata is not None:
            order = np.concatenate([chosen, others])
            codes = units_of(strata[order])
            counts = np.bincount(codes)
            fewest = 1
            if size == most:
                fewest = min(FEWEST_OF_CLASS, most // len(counts))
            fewest = np.minimum(fewest, np.maximum(1, (1 - held_out) * counts))
            # a class of one group stays where it is drawn
            fewest[counts == 1] = 0
            ranks = ranks_in_classes(codes)
            is_needed = ranks + 1 <= fewest[codes]
            is_free = (ranks + 1 < counts[codes]) | (counts[codes] == 1)
            is_free |= held_out == 0
            rows = [order[is_needed], order[~is_needed & is_free]]
            chosen = np.concatenate(rows)[:size]
    if size != most:
        chosen = allowed[np.isin(groups[allowed], groups[chosen])]
    fitted = np.sort(chosen)
    others = ~np.isin(groups, groups[fitted]) & (~fits | (is_test is None))
    if strata is not None:
        others &= np.isin(strata, strata[fitted])
    return fitted, np.flatnonzero(others)


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
    unknown = np.zeros(len(table.y), dtype=bool)
    if table.task == "classes":
        unknown = ~np.isin(table.y, table.y[fitted])
    lost_classes = and_list(np.unique(table.y[unknown]))
    if unknown.any():
        why = "of a class that the training rows lack"
        table.rows_left_out[why] = table.ids[unknown].tolist()
        table.notes.append(
            f"{count_phrase(int(unknown.sum()), 'row')} {why}"
            f" ({lost_classes}): held-out errors are those of the {len(held_out):,}"
            " rows of known classes."
        )
    if is_test is not None:
        if not len(held_out):
            raise ValueError(
                "`test` must have rows of a class that rows of `data` have, and of an"
                " id, group and features that these have not; none is left. Give rows"
                " that are new, or leave `test` out."
            )
        if lost := int((is_test & ~unknown).sum()) - len(held_out):
            table.notes.append(
                f"{lost:,} of the rows of the test have the id, group or features of"
                " others: left out."
            )
    for what, values in (
        ("groups of rows", table.groups),
        ("targets", table.y),
    ):
        if len(np.unique(values[fitted])) < 2:
            raise ValueError(
                f"`data` must have two {what} or more to be fitted; got one, and held"
                f" out: {lost_classes}. Rows of equal features, and of one group or id"
                " where these are given, stay together: add columns, or rows of"
                " another target."
            )
