"""Rows and columns of tables, and results as tables of pandas, which is no requirement of this package."""

import numpy as np
from sklearn.utils.validation import check_array

from .arrays import reading

__all__ = ["as_frame", "as_rows", "check_columns", "feature_names", "pick_rows"]


def as_frame(columns, index=None, of=None):
    """A pandas DataFrame of columns by name; `of` names the index.

    Examples
    --------
    >>> as_frame({"lower": [0.0], "upper": [1.5]}, ["hue"], "feature")  # doctest: +NORMALIZE_WHITESPACE
             lower  upper
    feature
    hue        0.0    1.5
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("`to_frame` needs pandas; install it with `pip install pandas`.") from None
    return pd.DataFrame(columns, index=None if index is None else pd.Index(index, name=of))


def feature_names(owner, d):
    """Names of d features: those that an estimator was fitted to, or the columns of a table; X1, X2, ... otherwise."""
    names = getattr(owner, "feature_names_in_", getattr(owner, "columns", None))
    return [f"X{j + 1}" for j in range(d)] if names is None else [str(name) for name in names]


def as_rows(X):
    """A table whose rows can be counted and picked: a data frame as it is, anything else as an array (n, d)."""
    if hasattr(X, "columns"):
        if not getattr(X.columns, "is_unique", True):
            twice = str(X.columns[X.columns.duplicated()][0])
            raise ValueError(f"`X` must have columns of different names; {twice!r} occurs more than once.")
        return X
    with reading("X", X, "a table, one row per sample"):
        A = X if hasattr(X, "dtype") else np.asarray(X, dtype=object)
        return check_array(A, dtype=None, ensure_all_finite=False, input_name="X")


def pick_rows(X, rows):
    """Some of the rows of a table or an array by their numbers, or all of them as they are.

    Examples
    --------
    >>> pick_rows(as_frame({"hue": [0.0, 0.5]}, ["a", "b"]), [1])
       hue
    b  0.5
    """
    if not isinstance(rows, slice) and len(rows) == len(X):
        return X
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def check_columns(columns, known, name="X"):
    """Refuse columns other than those that a model or a frame knows, or in another order.

    Examples
    --------
    >>> check_columns(["hue"], as_frame({"hue": [], "size": []}))
    Traceback (most recent call last):
    ...
    ValueError: `X` must have the columns that the model was fitted to, in their order; size is missing.
    """
    known = getattr(known, "feature_names_in_", getattr(known, "columns", None))
    if columns is None or known is None or list(columns) == list(known):
        return
    missing = [str(column) for column in known if column not in set(columns)]
    pairs = [f"{a} in place of {b}" for a, b in zip(columns, known, strict=False) if a != b][:3]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        got = f"{', '.join(missing[:3])}{more} {'is' if len(missing) == 1 else 'are'} missing"
    else:
        got = f"got {', '.join(pairs) or f'{len(columns)} columns, not {len(known)}'}. Select them by name first"
    raise ValueError(f"`{name}` must have the columns that the model was fitted to, in their order; {got}.")
