"""Results as tables of pandas, which is no requirement of this package."""

__all__ = ["as_frame", "feature_names"]


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
