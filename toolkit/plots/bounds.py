"""Bars from the smallest to the largest relevance of each feature, and what noise reaches."""

import numpy as np

from ..core.arrays import check_numbers
from ..core.checks import check_flag, check_number, check_same_length, shown
from .drawing import Display, names_or_numbers
from .inputs import AS_TEXT, check_field, plain
from .style import CLASS_COLORS, styled

__all__ = ["BoundsDisplay"]


class BoundsDisplay(Display):
    """Bounds on the relevance of each feature: black bars up to the upper bound, white ones up to the lower bound.

    A white bar: every equivalent model gives the feature that much weight; black without white: another feature can
    take its place; no bar: no model uses it. A bar that ends before its mark, the level of noise, is no evidence.

    Parameters
    ----------
    lower, upper : array-like of shape (d,), lower <= upper
    names : sequence of d str, optional, by default X1, X2, ...
    positions : array-like of shape (d,), optional
        Rising positions along the axis, such as wavelengths; then bars stand upright, and no names are written.
    level : float or array-like of shape (d,), >= 0, optional, what noise reaches, drawn as a line across each bar

    Examples
    --------
    >>> BoundsDisplay([0.0, 1.0], [2.0, 3.0]).names
    ['X1', 'X2']
    """

    def __init__(self, lower, upper, names=None, *, positions=None, level=None):
        self.lower, self.upper = check_field(lower, "lower", ndim=1), check_field(upper, "upper", ndim=1)
        check_same_length(self.lower, self.upper, ("lower", "upper"), what="features")
        d, rounding = len(self.lower), 1e-9 * np.abs(self.upper).max()
        if (self.lower > self.upper + rounding).any():
            raise ValueError("`lower` must nowhere exceed `upper`.")
        self.names = names_or_numbers(names, d, "feature")
        self.positions = None if positions is None else check_numbers(positions, "positions", shape=(d,))
        if positions is not None and not (np.diff(self.positions) > 0).all():
            raise ValueError(f"`positions` must be rising, one per feature; got {shown(positions)}.")
        self.level = level
        if level is not None:
            self.level = check_field(np.broadcast_to(level, d) if np.ndim(level) == 0 else level, "level", (d,), ndim=1)
            if (self.level < 0).any():
                raise ValueError(f"`level` must not be negative; got {shown(level)}.")

    @styled
    def plot(self, ax=None, *, title="", number="", label="relevance", xlabel="", limit=None, sort=None):
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number : str, the finding, and below it the number that shows it
        label : str, what the length of the bars is
        xlabel : str, what the positions are
        limit : float, optional, upper end of the axis; panels that are compared share one
        sort : bool, optional
            Whether the largest upper bound comes first; by default on axes of its own. In panels that are compared the
            features keep their order.
        """
        limit, sort = check_number(limit, "limit", none=True), check_flag(ax is None if sort is None else sort, "sort")
        d, upright = len(self.lower), self.positions is not None
        ax = self._canvas(ax, (6.4, 3.2) if upright else (6.4, 0.9 + 0.2 * max(d, 4)))
        order, at, width, inner, edge = np.arange(d), np.arange(d), 0.72, 0.72, 0.8
        if upright:
            at, edge = self.positions, 0.0
            width = np.diff(at).min() if d > 1 else 1.0
            inner = 0.6 * width
        elif sort:
            order = np.argsort(-self.upper, kind="stable")
        bars = ax.bar if upright else ax.barh
        lower = np.where(self.lower > 0, self.lower, np.nan)[order]
        bars(at, self.upper[order], width, color="black", edgecolor="black", lw=edge, label="upper bound")
        bars(at, lower, inner, color="white", edgecolor="black", lw=0.8, label="lower bound")
        (ax.axhline if upright else ax.axvline)(0, color="0.3", lw=0.8)
        if self.level is not None:
            ends = at - width / 2 - 0.1, at + width / 2 + 0.1
            across = ax.hlines if upright else ax.vlines
            across(self.level[order], *ends, color=CLASS_COLORS[1], lw=2.5, label="level of noise")
        ends = min(0.0, 1.05 * self.lower.min()), limit
        if upright:
            ax.set_ylim(*ends)
            ax.margins(x=0.02)
            return self._finish(ax, title, number, (xlabel, label))
        ax.set_xlim(*ends)
        ax.set_ylim(d - 0.5, -0.5)  # the first feature at the top
        size = min(9.0, max(3.0, 72 * 0.8 * ax.get_position().height * ax.figure.get_size_inches()[1] / d))
        self._finish(ax, title, number, (label, ""))
        ax.set_yticks(at, [plain(self.names[j]) for j in order], fontsize=size, **AS_TEXT)
        return self
