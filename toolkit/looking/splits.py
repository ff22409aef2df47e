"""Rows kept out: samples that belong together (a repeated id, equal rows, a group) stay on one side of every split."""

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

__all__ = ["folds", "split"]


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
    fitted, held_out : ndarray of int, sorted; a row whose group was fitted is in neither

    Examples
    --------
    >>> fitted, held_out = split(None, np.array([0, 0, 1, 2, 3, 4, 5, 6]), 100, 0)
    >>> len(fitted) + len(held_out), bool(np.isin([0, 1], fitted).all() or np.isin([0, 1], held_out).all())
    (8, True)
    """
    n = len(groups)
    allowed = np.arange(n) if is_test is None else np.flatnonzero(~is_test)
    _, first = np.unique(groups[allowed], return_index=True)
    first = allowed[np.sort(first)]
    size = len(first) if is_test is not None else int(np.floor(len(first) * (1 - held_out)))
    chosen = first
    if (size := min(size, most)) < len(first):
        chosen, _ = train_test_split(first, train_size=size, random_state=seed, stratify=_usable(strata, first, size))
    fitted = np.sort(chosen if size == most else allowed[np.isin(groups[allowed], groups[chosen])])
    rest = ~np.isin(groups, groups[fitted])
    return fitted, np.flatnonzero(rest if is_test is None else rest & is_test)


def folds(strata, groups, n_splits, seed):
    """Training and test rows of each fold, as :func:`split`.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
    """
    _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
    strata = None if strata is None else strata[first]
    kind = KFold if strata is None else StratifiedKFold
    splits = kind(n_splits, shuffle=True, random_state=seed).split(first, strata)
    return [(np.flatnonzero(np.isin(codes, train)), np.flatnonzero(np.isin(codes, test))) for train, test in splits]


def _usable(strata, rows, size):
    """The strata, where each has two rows or more and there are fewer of them than rows on either side."""
    if strata is None:
        return None
    _, counts = np.unique(strata[rows], return_counts=True)
    return strata[rows] if counts.min() > 1 and len(counts) <= min(size, len(rows) - size) else None
