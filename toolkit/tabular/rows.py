"""Rows of a table as numbers for a first map, the code that gets them, and which rows a map is fitted to."""

from dataclasses import dataclass, field
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..core.arrays import check_table
from ..plots.inputs import is_measured

__all__ = ["Rows", "fitted_rows", "read_rows"]

MOST_KINDS = 20  # of words in a column, for 0/1 columns to be made of them
FITTED = 2 / 3


@dataclass(frozen=True)
class Rows:
    """What a table holds of n samples; `read_rows` makes one.

    Attributes
    ----------
    numbers : ndarray of shape (n, q)
    words : ndarray of str, shape (n, w), columns of few kinds of words
    code : list of str, lines that get `A`, the numbers, and `W`, the words, of `X`
    left_out : dict of str to str, why a column is in neither
    """

    numbers: np.ndarray
    words: np.ndarray
    code: list
    left_out: dict = field(default_factory=dict)

    def prepared(self, fitted, scale):
        """Numbers (n, p), p >= 2, standardised if `scale`, with 0/1 columns of words; and the code that makes them."""
        A, W, code = self.numbers, self.words, []
        if scale and A.shape[1]:
            A = StandardScaler().fit(A[fitted]).transform(A)
            code.append("A = StandardScaler().fit(A[fitted]).transform(A)")
        if W.shape[1]:
            W = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(W[fitted]).transform(W)
            A = np.hstack([A, W])
            code.append('W = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(W[fitted]).transform(W)')
            code.append("A = np.hstack([A, W])")
        if A.shape[1] == 1:
            A = np.hstack([A, np.zeros((len(A), 1))])
            code.append("A = np.hstack([A, np.zeros((len(A), 1))])  # a plane has two axes")
        if not np.ptp(A[fitted], axis=0).any():
            raise ValueError("`X` must hold samples that differ; all that a map is fitted to are equal. Add columns.")
        return A, code


def read_rows(X):
    """The numbers and words of an array, sparse matrix or data frame X of shape (n, d) as `Rows`.

    Examples
    --------
    >>> import pandas as pd
    >>> day = pd.Timestamp("2024-05-01")
    >>> rows = read_rows(pd.DataFrame({"size": [1, 2], "hue": ["red", "blue"], "day": [day, day]}))
    >>> rows.numbers.shape, rows.words.shape, rows.left_out
    ((2, 1), (2, 1), {'day': 'dates'})
    """
    if not hasattr(X, "columns"):
        A = check_table(X, least=2, sparse=True)
        if not issparse(X):
            return Rows(A, _no_words(len(A)), ["A = np.asarray(X, dtype=float)"])
        return Rows(A.toarray(), _no_words(A.shape[0]), ["A = X.toarray().astype(float)"])
    columns = list(X.columns)
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise ValueError(f"`X` must have columns of different names; {twice!r} comes twice. Rename one.")
    kinds = {name: _kind(X[name]) for name in columns}
    numbers, words = ([name for name in columns if kinds[name] == kind] for kind in ("number", "word"))
    left_out = {str(name): kind for name, kind in kinds.items() if kind not in ("number", "word")}
    if not numbers and not words:
        got = "; ".join(f"{name}: {why}" for name, why in left_out.items()) or "no column"
        raise ValueError(f"`X` must have columns of numbers, or of at most {MOST_KINDS} kinds of words; got {got}.")
    for name in numbers:
        if gaps := int(_gaps(X[name]).sum()):
            remedy = "Fill them, for example by X.fillna(X.median(numeric_only=True)), or call toolkit.look, which does"
            raise ValueError(f"`X` must have no missing numbers; column {name!r} has {gaps} (NaN). {remedy}.")
    which = "X" if len(numbers) == len(columns) else f"X[{numbers!r}]"
    A = check_table(np.asarray(X[numbers], dtype=float), least=2) if numbers else np.empty((len(X), 0))
    code = [f"A = np.asarray({which}, dtype=float)"]
    if words:
        code.append(f"W = np.asarray(X[{words!r}]).astype(str)")
        return Rows(A, np.asarray(X[words]).astype(str), code, left_out)
    return Rows(A, _no_words(len(A)), code, left_out)


def _no_words(n):
    return np.empty((n, 0), dtype=str)


def _gaps(column):
    """Which values of a column are missing (n,)."""
    return np.asarray(column.isna() if hasattr(column, "isna") else column.is_null(), dtype=bool)


def _kind(column):
    """ "number", "word", or why a column is neither."""
    kind, dtype = getattr(column.dtype, "kind", "O"), str(column.dtype).lower()
    if kind in "mM" or dtype.startswith(("date", "time", "duration", "period")):
        return "dates"
    if kind in "biuf" and dtype != "category":
        return "number"
    known = np.asarray(column).astype(object)[~_gaps(column)].tolist()
    if not known:
        return "nothing but gaps"
    if dtype != "category" and all(isinstance(value, Real) for value in known):
        return "number"
    if dtype != "category" and not all(isinstance(value, str) for value in known):
        return "neither numbers nor words"
    kinds = len(set(map(str, known)))
    return "word" if kinds <= MOST_KINDS else f"{kinds} different words"


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
    elif is_measured(y):
        y = np.zeros(len(y))
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    by_class = order[np.argsort(codes[order], kind="stable")]
    rank = np.empty(len(y), dtype=int)
    rank[by_class] = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    part = FITTED if most is None else min(FITTED, most / len(y))
    return rank < np.ceil(part * counts)[codes]
