"""Bar and line charts of feature relevance: bounds, profiles over the neighbourhood, errors, coefficient paths."""

import numpy as np

from ..core.arrays import check_numbers, check_table
from ..core.checks import check_flag, check_integer, check_names, check_number, check_same_length, shown
from .drawing import CLASS_COLORS, CLASS_MARKERS, Display, write_legend
from .inputs import AS_TEXT, check_field, plain

__all__ = ["BoundsDisplay", "CurvesDisplay"]

DASHES = ("-", "--", "-.", ":")


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
        self.names = _names(names, d, "feature")
        self.positions = None if positions is None else check_numbers(positions, "positions", shape=(d,))
        if positions is not None and not (np.diff(self.positions) > 0).all():
            raise ValueError(f"`positions` must be rising, one per feature; got {shown(positions)}.")
        self.level = level
        if level is not None:
            self.level = check_field(np.broadcast_to(level, d) if np.ndim(level) == 0 else level, "level", (d,), ndim=1)
            if (self.level < 0).any():
                raise ValueError(f"`level` must not be negative; got {shown(level)}.")

    def plot(self, ax=None, *, title="", label="relevance", xlabel="", limit=None, sort=None):
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title : str
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
            return self._finish(ax, title, (xlabel, label))
        ax.set_xlim(*ends)
        ax.set_ylim(d - 0.5, -0.5)  # the first feature at the top
        size = min(8.0, max(3.0, 72 * 0.8 * ax.get_position().height * ax.figure.get_size_inches()[1] / d))
        self._finish(ax, title, (label, ""))
        ax.set_yticks(at, [plain(self.names[j]) for j in order], fontsize=size, **AS_TEXT)
        return self


class CurvesDisplay(Display):
    """One line per feature, or per other thing with a name: relevance profiles, paths of coefficients, errors.

    Parameters
    ----------
    x : array-like of shape (m,), m >= 1
    curves : array-like of shape (m, d), one line per column
    names : sequence of d str, optional

    Examples
    --------
    >>> CurvesDisplay([1, 2], [[0.0, 1.0], [2.0, 3.0]]).names
    ['X1', 'X2']
    """

    def __init__(self, x, curves, names=None):
        self.x, self.curves = check_field(x, "x", ndim=1), check_table(curves, "curves")
        check_same_length(self.x, self.curves, ("x", "curves"), what="rows")
        self.names = _names(names, self.curves.shape[1], "curve")

    def plot(
        self, ax=None, *, title="", xlabel="", ylabel="", limit=None, marks=False, named=6, log=False, legend=False
    ):
        """Draw the lines, each with its name at its end.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, xlabel, ylabel : str
        limit : float, optional, upper end of the axis
        marks : bool, also a mark at each value
        named : int, number of lines with colours and names, those of the largest mean absolute value; others are grey
        log : bool, logarithmic abscissa
        legend : bool, names in a legend, for lines that end in one point
        """
        limit, named = check_number(limit, "limit", none=True), check_integer(named, "named", 0)
        ax = self._canvas(ax, (5.4, 3.4))
        size = np.abs(self.curves).mean(axis=0)
        chosen = np.sort(np.argsort(-size, kind="stable")[:named])
        for j in np.setdiff1d(np.arange(len(self.names)), chosen):
            ax.plot(self.x, self.curves[:, j], color="0.75", lw=1, zorder=1)
        lines = []
        for i, j in enumerate(chosen):
            style = {"color": CLASS_COLORS[i % 8], "ls": DASHES[i % 4], "lw": 1.8}
            if marks:
                style |= {"marker": CLASS_MARKERS[i % 8], "ms": 4}
            lines += ax.plot(self.x, self.curves[:, j], **style)
        if log:
            from matplotlib.ticker import NullLocator

            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_locator(NullLocator())
        if limit is not None:
            ax.set_ylim(top=limit)
        if legend:
            write_legend(ax, lines, [self.names[j] for j in chosen], frameon=False, fontsize=8)
        else:
            self._write_names(ax, chosen)
        return self._finish(ax, title, (xlabel, ylabel))

    def _write_names(self, ax, chosen):
        """Names to the right of the lines' ends, pushed apart where they would cover each other."""
        low, high = ax.get_ylim()
        gap = 0.062 * (high - low)
        ends = self.curves[-1, chosen]
        order = np.argsort(ends, kind="stable")
        heights = ends[order].astype(float)
        for i in range(1, len(heights)):
            heights[i] = max(heights[i], heights[i - 1] + gap)
        for i in reversed(range(len(heights))):  # back from the upper end
            heights[i] = min(heights[i], heights[i + 1] - gap if i + 1 < len(heights) else high)
        style = {"textcoords": "offset points", "va": "center", "fontsize": 8, "annotation_clip": False}
        for height, i in zip(heights, order, strict=True):
            end = {"xy": (1.0, height), "xycoords": ax.get_yaxis_transform(), "xytext": (4, 0)}
            ax.annotate(plain(self.names[chosen[i]]), color=CLASS_COLORS[i % 8], **end, **style, **AS_TEXT)


def _names(names, d, of):
    return [f"X{j + 1}" for j in range(d)] if names is None else check_names(names, d, "names", of)
