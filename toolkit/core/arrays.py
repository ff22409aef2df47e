"""Tables, maps and targets as arrays of floats, and back.

One reader for all: errors of pandas, polars, NumPy and scikit-learn become one line
that names the argument.
"""

import re
from contextlib import contextmanager
from numbers import Number

import numpy as np
from sklearn import config_context
from sklearn.utils.validation import check_array

from .checks import check_same_length, require
from .frames import is_missing
from .matrices import check_magnitude
from .words import short_repr

TABLE = "a table of finite real numbers, one row per sample"
SIMILARITIES = (
    "a table of similarities, finite numbers of shape (n_samples, n_samples)"
)


def check_table(
    X,
    name="X",
    *,
    min_rows=1,
    sparse=False,
    shape=None,
    magnitude=True,
    rule=TABLE,
):
    """A table (n, d) of finite numbers as floats, with at least `min_rows`.

    `sparse` also takes sparse matrices, as CSR; `shape` is the one wanted, letters for
    any length; `magnitude=False` also takes values whose squares overflow.

    Examples
    --------
    >>> check_table([[1, 2]], "Z", shape=("m", 3))
    Traceback (most recent call last):
    ...
    ValueError: `Z` must have shape (m, 3); got shape (1, 2).
    """
    return _read(
        X,
        name,
        rule,
        shape,
        magnitude,
        accept_sparse="csr" if sparse else False,
        ensure_min_samples=min_rows,
    )


def check_numbers(values, name, *, shape=None, magnitude=True):
    """Finite numbers of any shape, or of the one wanted, as an array of floats.

    Examples
    --------
    >>> check_numbers(["a", "b"], "y")
    Traceback (most recent call last):
    ...
    ValueError: `y` must be finite real numbers; could not convert string to float: 'a'.
    """
    return _read(
        values,
        name,
        "finite real numbers",
        shape,
        magnitude,
        ensure_2d=False,
        allow_nd=True,
        ensure_min_samples=0,
        ensure_min_features=0,
    )


def check_flags(flags, name, *shape):
    """Whether something holds, such as that a sample has a label, as booleans.

    It holds nowhere where none are given.
    """
    if flags is None:
        return np.zeros(shape, dtype=bool)
    A = check_numbers(flags, name, shape=shape)
    if not np.isin(A, (0, 1)).all():
        raise ValueError(
            f"`{name}` must hold 0 and 1 only, or True and False; got"
            f" {short_repr(flags)}."
        )
    return A.astype(bool)


def check_target(y, n_samples=None, name="y", *, magnitude=True):
    """A real target of each sample, (n,) or (n, 1), as floats (n,)."""
    y = from_column(check_numbers(y, name, magnitude=magnitude))
    if y.ndim != 1 or len(y) == 0:
        raise ValueError(
            f"`{name}` must hold one number per sample, shape (n,); got shape"
            f" {y.shape}."
        )
    if n_samples is not None:
        check_same_length(range(n_samples), y, ("X", name))
    return y


def from_column(y):
    """An array (n, 1) as (n,), others as they are."""
    if y.shape[1:] == (1,):
        return y.ravel()
    return y


def check_map(y, n_samples):
    """The map Z that a method is fitted to, positions (n, m) or (n,), as (n, m)."""
    if y is None:
        raise ValueError(
            "`y` (the map Z) is missing: it requires y to be passed, but the target y"
            " is None."
        )
    Z = check_numbers(y, "y")
    if Z.ndim == 1:
        Z = Z[:, None]
    else:
        Z = check_table(Z, "y")
    check_same_length(range(n_samples), Z)
    return Z


def _read(values, name, rule, shape, magnitude, **options):
    """`values` as an array of floats, checked against a `rule` in words and a shape.

    The shape may hold letters for any number. With `magnitude`, numbers whose squares
    overflow are refused. `options` go to scikit-learn's `check_array`.
    """
    with reading(name, values, rule):
        A = check_array(values, dtype=np.float64, input_name=name, **options)
    if magnitude:
        check_magnitude(A, name)
    if shape is not None and not _has_shape(A, shape):
        wanted = str(tuple(shape)).replace("'", "")
        raise ValueError(
            f"`{name}` must have shape {wanted}; got shape {A.shape}."
        )
    return A


def _has_shape(A, shape):
    """Whether an array has the lengths of a shape, in which letters are any length."""
    if len(shape) != A.ndim:
        return False
    pairs = zip(shape, A.shape, strict=True)
    return all(isinstance(wanted, str) or wanted == n for wanted, n in pairs)


@contextmanager
def reading(name, values, rule=TABLE):
    """Says of every error below which argument broke which rule, and what helps."""
    refuse_lazy(values, name)
    if np.ma.is_masked(values):
        raise ValueError(
            f"`{name}` must be {rule}; got masked entries. Fill them or drop their"
            " rows."
        )
    try:
        # Numbers beyond the range of floats become infinity, which is refused; arrays
        # of other libraries become NumPy's.
        with (
            np.errstate(over="ignore"),
            config_context(array_api_dispatch=False),
        ):
            yield
    except (MemoryError, AssertionError):
        raise
    except Exception as error:  # each library of tables has kinds of its own
        reason = _reason(name, values, str(error))
        # scikit-learn wants errors of the type of `X` as they are.
        is_of_type = isinstance(error, TypeError) and name == "X"
        kind = TypeError if is_of_type else ValueError
        raise kind(f"`{name}` must be {rule}; {reason}") from None


def _reason(name, values, message):
    """Why scikit-learn's `message` refuses values, and the remedy, in words."""
    columns = list(getattr(values, "columns", ()))
    if len(set(columns)) < len(columns):
        return "it has columns of the same name. Rename them."
    word_columns = []
    for column in columns:
        if _holds_words(np.asarray(values[column])):
            word_columns.append(repr(column))
    if word_columns:
        first_columns = ", ".join(word_columns[:5])
        return (
            f"these columns hold text, categories or dates: {first_columns}."
            " Turn them into numbers first, for example with"
            " sklearn.compose.make_column_transformer and OneHotEncoder."
        )
    if "NaN" in message:
        return (
            f"{_first_line(message)} Fill gaps first, for example with"
            " sklearn.impute.SimpleImputer."
        )
    if "inhomogeneous" in message or "setting an array element" in message:
        return "its rows are no rows of numbers of equal length."
    if "Reshape your data" in message:
        return (
            f"{_first_line(message.partition(':')[0])} Reshape your data:"
            f" {name}.reshape(-1, 1) if it has one feature, {name}.reshape(1, -1) if it"
            " is one sample."
        )
    return _first_line(re.sub(rf"^`{name}`[^;]*; ", "", message))


def _first_line(message):
    """The first line of a message, as a sentence."""
    lines = message.strip().splitlines()
    if not lines:
        return "it cannot be read."
    return lines[0].rstrip(":. ") + "."


def _holds_words(column):
    """Whether an array (n,) holds text, dates or objects that are no numbers."""
    if column.dtype.kind != "O":
        return column.dtype.kind in "mMUS"
    return any(not isinstance(v, Number) and not is_missing(v) for v in column)


def refuse_lazy(X, name):
    """Refuse what is lazy where all rows would be gathered in this process.

    Examples
    --------
    >>> refuse_lazy(np.eye(2), "X")
    """
    if is_lazy(X):
        raise ValueError(
            f"`{name}` must be in memory; got a Dask {type(X).__name__}. Take a sample"
            " of its rows, by `compute()`; methods with one result per row, such as"
            " `transform`, take the others block by block."
        )


def is_lazy(X):
    """Whether X is a Dask array or data frame; Dask need not be installed."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(
        X, "shape"
    )


def check_box(box, name):
    """Edges x_min < x_max, y_min < y_max as floats."""
    x0, x1, y0, y1 = check_numbers(box, name, shape=(4,)).tolist()
    require(
        x0 < x1 and y0 < y1,
        name,
        "(x_min, x_max, y_min, y_max) with x_min < x_max and y_min < y_max",
        box,
    )
    return x0, x1, y0, y1
