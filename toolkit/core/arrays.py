"""Tables, maps and targets as arrays of floats: one reader for all, whose messages name the argument.

What pandas, polars, NumPy and scikit-learn raise on the way is said in one voice, and in one line.
"""

import re
from contextlib import contextmanager
from numbers import Number

import numpy as np
from sklearn.utils.validation import check_array

from .checks import check_magnitude
from .lazy import refuse_lazy

__all__ = ["SIMILARITIES", "TABLE", "check_numbers", "check_table", "check_target", "reading"]

TABLE = "a table of finite real numbers, one row per sample"
SIMILARITIES = "a table of similarities, finite numbers of shape (n_samples, n_samples)"


def check_table(X, name="X", *, least=1, sparse=False, shape=None, magnitude=True, copy=False, order=None, rule=TABLE):
    """A table (n, d) of finite numbers as floats, with at least `least` rows.

    `sparse` also takes sparse matrices, as CSR; `shape` is the one wanted, letters for any length; `magnitude=False`
    also takes values whose squares overflow.

    Examples
    --------
    >>> check_table([[1, 2]], "Z", shape=("m", 3))
    Traceback (most recent call last):
    ...
    ValueError: `Z` must have shape (m, 3); got shape (1, 2).
    """
    with reading(name, X, rule):
        A = check_array(
            X,
            dtype=np.float64,
            accept_sparse="csr" if sparse else False,
            ensure_min_samples=least,
            input_name=name,
            copy=copy,
            order=order,
        )
    if magnitude:
        check_magnitude(A, name)
    _check_shape(A, name, shape)
    return A


def check_numbers(values, name, *, shape=None, ndim=None, magnitude=True):
    """Finite numbers of any shape, or of the one wanted, as an array of floats.

    Examples
    --------
    >>> check_numbers(["a", "b"], "y")
    Traceback (most recent call last):
    ...
    ValueError: `y` must be finite real numbers; could not convert string to float: 'a'.
    """
    with reading(name, values, "finite real numbers"):
        least = {"ensure_min_samples": 0, "ensure_min_features": 0}
        A = check_array(values, dtype=np.float64, ensure_2d=False, allow_nd=True, input_name=name, **least)
    if magnitude:
        check_magnitude(A, name)
    if ndim is not None and A.ndim != ndim:
        raise ValueError(f"`{name}` must have {ndim} dimension{'s' * (ndim > 1)}; got shape {A.shape}.")
    _check_shape(A, name, shape)
    return A


def check_target(y, n_samples=None, name="y", *, magnitude=True):
    """A real target of each sample, (n,) or (n, 1), as floats (n,)."""
    y = check_numbers(y, name, magnitude=magnitude)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.ndim != 1 or len(y) == 0:
        raise ValueError(f"`{name}` must hold one number per sample, shape (n,); got shape {y.shape}.")
    if n_samples is not None and len(y) != n_samples:
        raise ValueError(
            f"`X` and `{name}` must hold the same number of samples; got inconsistent {n_samples} and {len(y)}."
        )
    return y


def _check_shape(A, name, shape):
    if shape is None:
        return
    same = len(shape) == A.ndim and all(isinstance(n, str) or n == m for n, m in zip(shape, A.shape, strict=True))
    if not same:
        wanted = ", ".join(map(str, shape))
        raise ValueError(f"`{name}` must have shape ({wanted}{',' * (len(shape) == 1)}); got shape {A.shape}.")


@contextmanager
def reading(name, values, rule=TABLE):
    """Says of every error below which argument broke which rule, and what helps."""
    refuse_lazy(values, name)
    if np.ma.is_masked(values):
        raise ValueError(f"`{name}` must be {rule}; got masked entries. Fill them or drop their rows.")
    try:
        with np.errstate(over="ignore"):  # numbers beyond the range of floats become infinity, which is refused
            yield
    except (MemoryError, AssertionError):
        raise
    except Exception as error:  # each library of tables has kinds of its own
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"`{name}` must be {rule}; {_reason(name, values, str(error))}") from None


def _reason(name, values, message):
    columns = _columns_of_words(values)
    if columns:
        return (
            f"column{'s' * (len(columns) > 1)} {', '.join(columns[:5])} hold{'s' * (len(columns) == 1)} "
            "text, categories or dates. Turn them into numbers first, for example with "
            "sklearn.compose.make_column_transformer and OneHotEncoder."
        )
    if "NaN" in message:
        return f"{_first_line(message)} Fill gaps first, for example with sklearn.impute.SimpleImputer."
    if "inhomogeneous" in message or "setting an array element" in message:
        return "its rows are no rows of numbers of equal length."
    if "Reshape your data" in message:
        return (
            f"{_first_line(message.partition(':')[0])} Reshape your data: {name}.reshape(-1, 1) if it has one feature, "
            f"{name}.reshape(1, -1) if it is one sample."
        )
    return _first_line(re.sub(rf"^`{name}`[^;]*; ", "", message))


def _first_line(message):
    lines = message.strip().splitlines() or ["it cannot be read"]
    return lines[0].rstrip(":. ") + "."


def _columns_of_words(values):
    """Names of the columns of a data frame that do not read as numbers."""
    if not hasattr(values, "columns") or len(set(values.columns)) < len(values.columns):
        return []
    return [repr(column) for column in values.columns if _holds_words(np.asarray(values[column]))]


def _holds_words(column):
    gaps = ("NoneType", "NAType", "NaTType")
    return column.dtype.kind in "mMUS" or (
        column.dtype.kind == "O" and any(not isinstance(v, Number) and type(v).__name__ not in gaps for v in column)
    )
