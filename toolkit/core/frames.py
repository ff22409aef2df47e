"""Data frames of pandas, which may not be installed, and names of columns."""

from importlib import import_module
from itertools import zip_longest


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
    names = getattr(owner, "feature_names_in_", getattr(owner, "columns", None))
    if names is not None:
        return [str(name) for name in names]
    return None if d is None else [f"X{j + 1}" for j in range(d)]


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
