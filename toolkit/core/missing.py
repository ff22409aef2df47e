"""Missing values of any library."""

from collections.abc import Hashable


def is_missing(value):
    """Whether a value is None, NaN or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        # pandas' NA neither equals nor differs, nor does a list of arrays
        return isinstance(value, Hashable)
