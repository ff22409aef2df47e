"""Old public names that still work: parameters, attributes and classes that were renamed, with a FutureWarning."""

import functools

from .estimators import warn

__all__ = ["renamed_attribute", "renamed_names", "renamed_parameters"]


def renamed_parameters(**new_names):
    """Decorator: parameters are also taken by their old names, ``old="new"``.

    Examples
    --------
    >>> import warnings
    >>> @renamed_parameters(way="path")
    ... def walk(path):
    ...     return path
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     walk(way=3), str(caught[0].message)
    (3, '`way` is deprecated; its name is now `path`.')
    """

    def decorate(function):
        @functools.wraps(function)
        def renaming(*args, **kwargs):
            for old in new_names.keys() & kwargs.keys():
                new = new_names[old]
                if new in kwargs:
                    raise TypeError(f"`{new}` is given twice, also by its old name `{old}`.")
                warn(f"`{old}` is deprecated; its name is now `{new}`.", FutureWarning)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return renaming

    return decorate


def renamed_names(module, **new_names):
    """`__getattr__` of a module, given as its `globals()`, for names that were changed, ``old="new"``."""

    def value(name):
        if name not in new_names:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        warn(f"`{name}` is deprecated; its name is now `{new_names[name]}`.", FutureWarning)
        return module[new_names[name]]

    return value


def renamed_attribute(old, new):
    """Property of a class under its old name."""

    def value(self):
        warn(f"`{old}` is deprecated; its name is now `{new}`.", FutureWarning)
        return getattr(self, new)

    return property(value, doc=f"Deprecated name of `{new}`.")
