"""Inputs of displays: points of the plane, fields, limits of colours."""

import numpy as np

from ..core import check_numbers, check_table, require, require_that

# Option of matplotlib's texts: dollars are dollars, not formulas.
AS_TEXT = {"parse_math": False}


def check_points(Z, name="embedding", m="m"):
    """Points of the plane (m, 2)."""
    return check_table(Z, name, shape=(m, 2))


def check_points_or_none(Z, name):
    """Points of the plane (m, 2), of which there are none by default."""
    return np.empty((0, 2)) if Z is None else check_points(Z, name)


def check_plane(Z):
    """The map (n, 2) of an estimator."""
    require_that(
        Z.shape[1] == 2,
        "estimator",
        "have `n_components`=2 to be drawn",
        Z.shape[1],
    )
    return Z


def check_field(values, name, shape=("h", "w")):
    """Numbers at the cells of a grid (h, w), or of another shape, at least one."""
    field = check_numbers(values, name, shape=shape)
    require_that(field.size, name, "not be empty", values)
    return field


def color_limits(limits, values, percent):
    """Lower and upper end of colours: those given, or percentiles of the values."""
    if limits is None:
        return np.percentile(values, [percent, 100 - percent])
    low, high = check_numbers(limits, "limits", shape=(2,)).tolist()
    require(low <= high, "limits", "a lower and an upper value", limits)
    return low, high
