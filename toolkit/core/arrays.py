"""Tables, maps and targets as arrays of floats, and back.

One reader for all: errors of pandas, polars, NumPy and scikit-learn become one line
that names the argument.
"""

import re
import warnings
from bisect import bisect_left
from collections.abc import Hashable
from contextlib import contextmanager
from importlib import import_module
from itertools import zip_longest
from numbers import Number

import numpy as np
from sklearn import config_context
from sklearn.utils.validation import check_array

from .checks import check_magnitude, check_same_length, short_repr

TABLE = "a table of finite real numbers, one row per sample"
SIMILARITIES = (
    "a table of similarities, finite numbers of shape (n_samples, n_samples)"
)


def check_table(
    X,
    name="X",
    *,
    least=1,
    sparse=False,
    shape=None,
    magnitude=True,
    rule=TABLE,
):
    """A table (n, d) of finite numbers as floats, with at least `least` rows.

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
        accept_sparse=sparse and "csr",
        ensure_min_samples=least,
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
    flags = np.zeros(shape) if flags is None else flags
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
    return y.ravel() if y.shape[1:] == (1,) else y


def check_map(y, n_samples):
    """The map Z that a method is fitted to, positions (n, m) or (n,), as (n, m)."""
    if y is None:
        raise ValueError(
            "`y` (the map Z) is missing: it requires y to be passed, but the target y"
            " is None."
        )
    Z = check_numbers(y, "y")
    Z = Z[:, None] if Z.ndim == 1 else check_table(Z, "y")
    check_same_length(range(n_samples), Z)
    return Z


def _read(values, name, rule, shape, magnitude, **how):
    with reading(name, values, rule):
        A = check_array(values, dtype=np.float64, input_name=name, **how)
    if magnitude:
        check_magnitude(A, name)
    if shape is not None:
        fits = [
            n if isinstance(want, str) else want
            for want, n in zip_longest(shape, A.shape)
        ]
        if tuple(fits) != A.shape:
            wanted = str(tuple(shape)).replace("'", "")
            raise ValueError(
                f"`{name}` must have shape {wanted}; got shape {A.shape}."
            )
    return A


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
        # numbers beyond the range of floats become infinity, which is refused; arrays
        # of other libraries become NumPy's
        with (
            np.errstate(over="ignore"),
            config_context(array_api_dispatch=False),
        ):
            yield
    except (MemoryError, AssertionError):
        raise
    except Exception as error:  # each library of tables has kinds of its own
        # as scikit-learn wants it
        kind = (
            TypeError
            if isinstance(error, TypeError) and name == "X"
            else ValueError
        )
        raise kind(
            f"`{name}` must be {rule}; {_reason(name, values, str(error))}"
        ) from None


def _reason(name, values, message):
    columns = list(getattr(values, "columns", ()))
    if len(set(columns)) < len(columns):
        return "it has columns of the same name. Rename them."
    words = [repr(c) for c in columns if _holds_words(np.asarray(values[c]))]
    if words:
        return (
            f"these columns hold text, categories or dates: {', '.join(words[:5])}."
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
    lines = message.strip().splitlines() or ["it cannot be read"]
    return lines[0].rstrip(":. ") + "."


def _holds_words(column):
    if column.dtype.kind != "O":
        return column.dtype.kind in "mMUS"
    return any(not isinstance(v, Number) and not is_missing(v) for v in column)


def is_missing(value):
    """Whether a value is None, NaN or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        # pandas' NA neither equals nor differs, nor does a list of arrays
        return isinstance(value, Hashable)


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


def as_frame(columns, index=None, of=None):
    """A pandas DataFrame of columns by name; `of` names the index.

    Examples
    --------
    >>> as_frame({"lower": [0.0], "upper": [1.5]}, ["hue"])
         lower  upper
    hue    0.0    1.5
    """
    return pd.DataFrame(columns, index).rename_axis(index=of)


def import_package(package, what):
    """An optional package, or an ImportError that says how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(
            f'{what} needs {package}; install it with `pip install -e ".[table]"`.'
        ) from None


class Pandas:
    """The package pandas, imported where it is used; it may not be installed."""

    def __getattr__(self, name):
        return getattr(import_package("pandas", "a DataFrame"), name)


pd = Pandas()


def feature_names(owner, d=None):
    """Names of d features: those of `owner`, an estimator or table, or X1, X2, ...

    Without d, None where the owner has no names.
    """
    names = getattr(owner, "feature_names_in_", getattr(owner, "columns", None))
    if names is not None:
        return [str(name) for name in names]
    return None if d is None else [f"X{j + 1}" for j in range(d)]


def as_rows(X):
    """A table with rows to pick: a data frame as it is, others as an array (n, d)."""
    if hasattr(X, "columns"):
        if len(set(X.columns)) < len(X.columns):
            raise ValueError("`X` must have columns of different names.")
        return X
    with reading("X", X, "a table, one row per sample"):
        A = X if hasattr(X, "dtype") else np.asarray(X, dtype=object)
        return check_array(
            A, dtype=None, ensure_all_finite=False, input_name="X"
        )


def pick_rows(X, rows):
    """Some rows of a table or an array by their numbers, rising; as many are all.

    Examples
    --------
    >>> pick_rows(as_frame({"hue": [0.0, 0.5]}, ["a", "b"]), [1])
       hue
    b  0.5
    """
    if not isinstance(rows, slice) and len(rows) == len(X):
        return X
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def stack_rows(X, other):
    """The rows of two tables, by the columns of the first.

    Examples
    --------
    >>> stack_rows(np.array([[1.0]]), [[2.0]]).tolist()
    [[1.0], [2.0]]
    """
    if not hasattr(X, "iloc"):
        return np.vstack([X, other])
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
        row = None if numbers is None else _first_failing(function, rows)
        where = "" if row is None else f", first at row {numbers[row]}"
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{failure}{where}: {why}") from error


def _first_failing(function, rows):
    """Number of the first row at which a function fails, None if no single row does."""

    def fails(sample):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(pick_rows(rows, sample))
        except Exception:  # the same that has been caught already
            return True
        return False

    row = bisect_left(
        range(1, len(rows)), True, key=lambda n: fails(np.arange(n))
    )
    return row if len(rows) and fails(np.array([row])) else None


def check_columns(columns, known, name="X"):
    """Refuse columns other than those of a model or a frame, or in another order.

    Examples
    --------
    >>> check_columns(["hue"], as_frame({"hue": [], "size": []}))
    Traceback (most recent call last):
    ...
    ValueError: `X` must have the columns that the model was fitted to, in their \
order; got nothing in place of size. Select them by name first.
    """
    known = getattr(known, "feature_names_in_", getattr(known, "columns", None))
    if columns is None or known is None or list(columns) == list(known):
        return
    got, due = next(
        pair
        for pair in zip_longest(columns, known, fillvalue="nothing")
        if pair[0] != pair[1]
    )
    raise ValueError(
        f"`{name}` must have the columns that the model was fitted to, in their order;"
        f" got {got} in place of {due}. Select them by name first."
    )
