"""The settings of an explorer: its sliders, and what may be asked of their values."""

import inspect
import sys
from collections.abc import Mapping

import numpy as np

from ..core import did_you_mean, require, require_that

# Types of the values of a slider by its kind.
TYPES_OF_KIND = {"bool": {bool}, "choice": {str}, "number": {int, float}}


def check_axes(axes):
    """For each slider its name, values and kind: "bool", "choice" or "number"."""
    require_that(
        isinstance(axes, Mapping) and axes,
        "axes",
        "name at least one slider with its values, such as {'lam': [0, 0.5, 1]}",
        axes,
    )
    return [_axis(name, values) for name, values in axes.items()]


def _axis(name, sequence):
    """A slider, its values as Python objects."""
    values = []
    if np.ndim(sequence) == 1:
        for value in sequence:
            is_numpy = isinstance(value, np.generic)
            values.append(value.item() if is_numpy else value)
    kind = _kind(values)
    require_that(
        values and kind and len(set(values)) == len(values),
        f"axes[{name!r}]",
        "hold finite numbers, booleans or strings, at least one, that differ",
        sequence,
    )
    return {"name": name, "values": values, "kind": kind}


def _kind(values):
    """The kind of the slider for some values, or None."""
    types = {type(value) for value in values}
    kinds = [
        kind
        for kind, allowed_types in TYPES_OF_KIND.items()
        if types <= allowed_types
    ]
    if not kinds:
        return None
    # NaN and infinity have no position on a slider.
    if kinds[0] == "number":
        for value in values:
            if not abs(value) <= sys.float_info.max:
                return None
    return kinds[0]


def check_call(compute, axes):
    """Refuse what cannot be called with one value of each axis by name."""
    names = ", ".join([str(name) for name in axes])
    try:
        signature = inspect.signature(compute)
    except TypeError as error:
        raise ValueError(
            f"`compute` must be a function of {names}; {error}."
        ) from None
    except ValueError:
        # Functions of other languages may not tell their arguments.
        return
    try:
        signature.bind(**axes)
    except TypeError as error:
        raise ValueError(
            f"`compute` must be a function of {names}; {error}."
        ) from None


def complete_setting(setting, axes):
    """A value of each axis, in their order; of an axis left out the first.

    `axes` has the values of each axis by name.
    """
    unknown = sorted(set(setting) - set(axes))
    if unknown:
        raise ValueError(
            f"`start` or `set` names no axis {unknown}; there are {list(axes)}."
            + did_you_mean(unknown[0], axes)
        )
    whole_setting = {}
    for name, values in axes.items():
        value = setting.get(name, values[0])
        require_that(value in values, name, f"be one of {values}", value)
        whole_setting[name] = values[values.index(value)]
    return whole_setting


def setting_words(setting):
    """A setting in words: "lam = 0.5, size = 3"."""
    phrases = []
    for name, value in setting.items():
        text = f"{value:.4g}" if isinstance(value, float) else str(value)
        phrases.append(f"{name} = {text}")
    return ", ".join(phrases)


def code_of(code, setting):
    """The code of a setting, from a template or by a function."""
    text = code(**setting) if callable(code) else code
    require(
        isinstance(text, str),
        "code",
        "a text, or a function of the setting that returns one",
        text,
    )
    if not callable(code):
        for name, value in setting.items():
            text = text.replace(f"{{{name}}}", repr(value))
    return text
