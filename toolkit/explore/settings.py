"""The settings of an explorer: the values of its sliders, and the code of each setting."""

import contextlib
import inspect
import sys
from collections.abc import Mapping

import numpy as np

from ..core.checks import shown
from .frames import need

__all__ = ["check_takes", "checked_axes", "code_of", "nearest"]

KINDS = {
    "bool": lambda v: isinstance(v, bool),
    "choice": lambda v: isinstance(v, str),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= sys.float_info.max,
}


def checked_axes(axes):
    """For each slider its values as Python objects and their kind: "bool", "choice" or "number"."""
    rule = "`axes` must name at least one slider with its values, such as {'lam': [0, 0.5, 1]}"
    need(
        axes and isinstance(axes, Mapping) and all(isinstance(name, str) for name in axes),
        f"{rule}; got {shown(axes)}.",
    )
    checked = {}
    for name, given in axes.items():
        listed = hasattr(given, "__iter__") and not isinstance(given, str | bytes | Mapping) and np.shape(given) != ()
        values = [v.item() if isinstance(v, np.generic) else v for v in given] if listed else []
        kind = next((kind for kind, fits in KINDS.items() if all(map(fits, values))), None)
        rule = f"`axes`[{name!r}] must hold finite numbers, booleans or strings"
        need(values and kind, f"{rule}, at least one; got {shown(given)}.")
        need(len(set(values)) == len(values), f"{rule}, values that differ; got {shown(given)}.")
        checked[name] = (values, kind)
    return checked


def check_takes(compute, axes):
    """`compute` must be a function of one argument per axis."""
    takes = callable(compute)
    if takes:
        with contextlib.suppress(ValueError):  # functions of other languages may not tell
            signature = inspect.signature(compute)
            try:
                signature.bind(**dict.fromkeys(axes))
            except TypeError:
                takes = False
    if not takes:
        raise ValueError(f"`compute` must be a function with the arguments {', '.join(axes)}; got {shown(compute)}.")


def nearest(value, values, kind):
    """Index of a value, or of the number nearest to it.

    Examples
    --------
    >>> nearest(0.4, [0, 0.5, 1], "number")
    1
    """
    if value in values:
        return values.index(value)
    if kind != "number" or isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise ValueError(f"The value of a slider must be one of {values}; got {value!r}.")
    return min(range(len(values)), key=lambda i: abs(values[i] - value))


def code_of(code, axes):
    """The code of a setting, as a function of it."""
    if isinstance(code, str):

        def filled(setting):
            text = code
            for name, value in setting.items():
                text = text.replace(f"{{{name}}}", repr(value))
            return text

        return filled
    if not callable(code):
        raise ValueError(
            f"`code` must be a text or a function with the arguments {', '.join(axes)}; got {shown(code)}."
        )

    def made(setting):
        text = code(**setting)
        if not isinstance(text, str):
            raise ValueError(f"`code` must return a text at {setting}; got {shown(text)}.")
        return text

    return made
