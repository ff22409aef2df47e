"""Rows of tables: picked, drawn, stacked, and evaluated by a function."""

import warnings
from bisect import bisect_left

import numpy as np
from sklearn.utils.validation import check_array

from .arrays import reading
from .frames import import_pandas


def as_rows(X):
    """A table with rows to pick: a data frame as it is, others as an array (n, d)."""
    if hasattr(X, "columns"):
        if len(set(X.columns)) < len(X.columns):
            raise ValueError("`X` must have columns of different names.")
        return X
    with reading("X", X, "a table, one row per sample"):
        # Lists may mix numbers and words, each of which stays what it is.
        if not hasattr(X, "dtype"):
            X = np.asarray(X, dtype=object)
        return check_array(
            X, dtype=None, ensure_all_finite=False, input_name="X"
        )


def pick_rows(X, rows):
    """Some rows of a table or an array by their numbers, rising; as many are all.

    Examples
    --------
    >>> import pandas as pd
    >>> pick_rows(pd.DataFrame({"hue": [0.0, 0.5]}, ["a", "b"]), [1])
       hue
    b  0.5
    """
    if not isinstance(rows, slice) and len(rows) == len(X):
        return X
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows]


def stack_rows(X, other):
    """The rows of two tables, by the columns of the first.

    Examples
    --------
    >>> stack_rows(np.array([[1.0]]), [[2.0]]).tolist()
    [[1.0], [2.0]]
    """
    if not hasattr(X, "iloc"):
        return np.vstack([X, other])
    pd = import_pandas()
    return pd.concat([X, other[list(X.columns)]], ignore_index=True)


def draw_rows(n, m, rng):
    """Numbers of `m` of n rows at random, rising; of all where `m` is None or more.

    Examples
    --------
    >>> draw_rows(3, 5, None), draw_rows(9, 2, np.random.RandomState(0))
    (array([0, 1, 2]), array([2, 7]))
    """
    if m is None or m >= n:
        return np.arange(n)
    return np.sort(rng.choice(n, m, replace=False))


def evaluate(function, rows, failure, numbers=None):
    """The value of a function of rows; an error names the first row that causes it.

    `failure` begins the message; `numbers` (n,) are those that it has for the rows,
    None where no row is to be named.

    Examples
    --------
    >>> def inverse(rows):
    ...     return [1 // row for row in rows.tolist()]
    >>> evaluate(inverse, np.array([2, 1, 0, 0]), "`f` fails", range(4))
    Traceback (most recent call last):
    ...
    ValueError: `f` fails, first at row 2: ZeroDivisionError: integer division or \
modulo by zero
    """
    try:
        return function(rows)
    except MemoryError:
        raise
    except Exception as error:  # models have kinds of their own
        if numbers is not None:
            row = _first_failing(function, rows)
            if row is not None:
                failure = f"{failure}, first at row {numbers[row]}"
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{failure}: {reason}") from error


def _first_failing(function, rows):
    """Number of the first row at which a function fails, None if no single row does."""

    def fails(sample):
        """Whether the function fails for a sample, numbers of rows."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(pick_rows(rows, sample))
        except Exception:  # the same that has been caught already
            return True
        return False

    if len(rows) == 0:
        return None
    counts = range(1, len(rows))
    row = bisect_left(counts, True, key=lambda count: fails(np.arange(count)))
    if fails(np.array([row])):
        return row
    return None


def largest(values, count):
    """Numbers, in rising order, of the `count` largest values; of equal ones the first.

    Examples
    --------
    >>> largest(np.array([3, 9, 9, 1]), 2).tolist()
    [1, 2]
    """
    return np.sort(np.argsort(-values, kind="stable")[:count])
