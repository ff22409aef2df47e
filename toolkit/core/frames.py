"""Data frames of pandas, which may be missing; names of columns, missing cells."""

from collections.abc import Hashable
from importlib import import_module
from itertools import zip_longest

MOST_MISSING_NAMED = 3  # columns that a message names


def as_frame(columns, index=None, index_name=None):
    """A pandas DataFrame of columns by name, and its index.

    Examples
    --------
    >>> as_frame({"lower": [0.0], "upper": [1.5]}, ["hue"])
         lower  upper
    hue    0.0    1.5
    """
    pd = import_pandas()
    return pd.DataFrame(columns, index).rename_axis(index=index_name)


def import_package(package, purpose):
    """An optional package, or an ImportError that says how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(
            f'{purpose} needs {package}; install it with `pip install -e ".[table]"`.'
        ) from None


def import_pandas():
    """The package pandas, which may not be installed."""
    return import_package("pandas", "a DataFrame")


def feature_names(owner, d=None):
    """Names of d features: those of `owner`, an estimator or table, or X1, X2, ...

    Without d, None where the owner has no names.
    """
    names = _column_names(owner)
    if names is not None:
        return [str(name) for name in names]
    if d is None:
        return None
    return [f"X{j + 1}" for j in range(d)]


def _column_names(owner):
    """Names of the columns of an estimator or a table, None where it has none."""
    columns = getattr(owner, "columns", None)
    return getattr(owner, "feature_names_in_", columns)


def check_columns(columns, owner, name="X"):
    """Refuse columns other than those of a model or a frame, or in another order.

    Examples
    --------
    >>> check_columns(["hue"], as_frame({"hue": [], "size": []}))
    Traceback (most recent call last):
    ...
    ValueError: `X` must have the columns that the model was fitted to, in their \
order; not there: size. Select them by name first.
    """
    names = _column_names(owner)
    if columns is None or names is None:
        return
    present = set(columns)
    missing = [column for column in names if column not in present]
    if missing:
        listed = ", ".join(
            [str(column) for column in missing[:MOST_MISSING_NAMED]]
        )
        if len(missing) > MOST_MISSING_NAMED:
            listed += f" and {len(missing) - MOST_MISSING_NAMED} more"
        raise ValueError(
            f"`{name}` must have the columns that the model was fitted to, in their"
            f" order; not there: {listed}. Select them by name first."
        )
    for column, fitted in zip_longest(columns, names, fillvalue="nothing"):
        if column != fitted:
            raise ValueError(
                f"`{name}` must have the columns that the model was fitted to, in their"
                f" order; got {column} in place of {fitted}. Select them by name first."
            )


def is_missing(value):
    """Whether a value is None, NaN or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        # pandas' NA neither equals nor differs, nor does a list of arrays
        return isinstance(value, Hashable)
