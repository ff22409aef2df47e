"""Bounds on the relevance of features, and the equivalent weights behind them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..core import (
    check_number,
    check_numbers,
    check_positive,
    magnitude,
    require,
    require_that,
    sanitize_text,
)
from .drawing import LegendDisplay, names_or_numbers, row_font_size
from .inputs import AS_TEXT, check_field
from .style import CLASS_COLORS, with_style


class BoundsDisplay(LegendDisplay):
    """Bounds on the relevance of each feature: black bars, white up to the lower bound.

    A white bar means that every equivalent model gives the feature that much weight.
    Black without white means that another feature can replace it; without a bar no
    model uses it. A bar that ends below its mark, the null level, is not significant. A
    single value per feature, such as the weights as trained, is a blue bar.

    Parameters
    ----------
    lower, upper : array-like of shape (d,), lower <= upper
        Lower and upper bounds; `lower` is None for a single value each, of any sign.
    names : sequence of d str, optional
        Names of the features; by default X1, X2, ...
    positions : array-like of shape (d,), optional
        Ascending positions along the axis, such as wavelengths; then bars are vertical,
        and no names are written.
    level : array-like of shape (d,), >= 0, optional
        The null level, drawn as a line across each bar.

    Examples
    --------
    >>> BoundsDisplay([0.0, 1.0], [2.0, 3.0]).names
    ['X1', 'X2']
    """

    def __init__(self, lower, upper, names=None, *, positions=None, level=None):
        self.upper = check_field(upper, "upper", ("d",))
        d = len(self.upper)
        self.names = names_or_numbers(names, d, "feature")
        self.lower = None
        self.positions = None
        self.level = None
        if lower is not None:
            self.lower = check_numbers(lower, "lower", shape=(d,))
            tolerance = 1e-9 * magnitude(self.upper)
            if (self.lower > self.upper + tolerance).any():
                raise ValueError("`lower` must nowhere exceed `upper`.")
        if positions is not None:
            self.positions = check_numbers(positions, "positions", shape=(d,))
            rises = (np.diff(self.positions) > 0).all()
            require(rises, "positions", "rising, one per feature", positions)
        if level is not None:
            self.level = check_numbers(level, "level", shape=(d,))
            valid = (self.level >= 0).all()
            require_that(valid, "level", "not be negative", level)

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        label="relevance",
        xlabel="",
        limit=None,
    ):
        """Draw the bars.

        On a new figure there is a legend, and the largest upper bound comes first. In
        panels that are compared the features keep their order; call `legend` for them.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        label : str, default="relevance"
            What the length of the bars is.
        xlabel : str, default=""
            What the positions are.
        limit : float, optional
            Upper end of the axis; the same in panels that are compared.

        Returns
        -------
        self : object
            The drawn display.
        """
        limit = check_number(limit, "limit", optional=True)
        has_legend = ax is None and self.lower is not None
        if self.positions is None:
            self._plot_rows(ax, title, number, label, limit)
        else:
            ax = self._canvas(ax, (6.4, 3.2))
            self._draw_columns(ax, limit)
            self._finish(ax, title, number, (xlabel, label))
        if has_legend:
            return self.legend()
        return self

    def _draw_columns(self, ax, limit):
        """Draw upright bars at the positions of the features.

        `limit` is the upper end of the vertical axis, or None.
        """
        d = len(self.upper)
        width = 1.0
        if d > 1:
            width = np.diff(self.positions).min()
        low = self._draw_bars(
            _AxesParts(bars=ax.bar, zero=ax.axhline, across=ax.hlines),
            order=np.arange(d),
            at=self.positions,
            width=width,
            inner_width=0.6 * width,
            edge=0.0,
        )
        ax.set_ylim(low, limit)
        ax.margins(x=0.02)

    def _plot_rows(self, ax, title, number, label, limit):
        """Draw a row per feature, the first at the top, with its name."""
        d = len(self.upper)
        order = np.arange(d)
        if ax is None:
            order = np.argsort(-np.abs(self.upper), kind="stable")
        ax = self._canvas(ax, (6.4, 0.9 + 0.2 * max(d, 4)))
        low = self._draw_bars(
            _AxesParts(bars=ax.barh, zero=ax.axvline, across=ax.vlines),
            order=order,
            at=np.arange(d),
            width=0.72,
            inner_width=0.72,
            edge=0.8,
        )
        ax.set(xlim=(low, limit), ylim=(d - 0.5, -0.5))
        font_size = row_font_size(ax, d)
        self._finish(ax, title, number, (label, ""))
        names = [sanitize_text(self.names[j]) for j in order]
        ax.set_yticks(np.arange(d), names, fontsize=font_size, **AS_TEXT)

    def _draw_bars(self, parts, *, order, at, width, inner_width, edge):
        """Draw bars in an order by `parts` of axes; the lower end of their axis.

        `order` (d,) are features, `at` (d,) their positions; `inner_width` is that of
        the white bar inside a black one of the width `width`, `edge` that of its line.
        """
        upper = self.upper[order]
        lower = upper
        if self.lower is None:
            parts.bars(at, upper, width, color=CLASS_COLORS[0])
        else:
            lower = self.lower[order]
            black = {"color": "black", "ec": "black", "lw": edge}
            parts.bars(at, upper, width, label="upper bound", **black)
            white = {"color": "white", "ec": "black", "lw": 0.8}
            positive = np.where(lower > 0, lower, np.nan)
            parts.bars(at, positive, inner_width, label="lower bound", **white)
        parts.zero(0, color="0.3", lw=0.8)
        if self.level is not None:
            reach = width / 2 + 0.1
            level = self.level[order]
            look = {"color": CLASS_COLORS[1], "lw": 2.5, "label": "null level"}
            parts.across(level, at - reach, at + reach, **look)
        return min(0.0, 1.05 * lower.min())


@dataclass(frozen=True, kw_only=True)
class _AxesParts:
    """Methods of axes that draw bars, a line at zero and lines across the bars."""

    bars: Callable
    zero: Callable
    across: Callable


class EquivalentWeightsDisplay(LegendDisplay):
    """Equivalent weights of two features that have a small norm, which have bounds.

    In the plane of two weights the line of equivalent ones meets the diamond of those
    with a small L1 norm.

    Parameters
    ----------
    weights : array-like of shape (2,)
        Weights as trained.
    direction : array-like of shape (2,), neither 0
        Direction along which weights may change, since the samples do not vary.
    slack : float >= 1, default=1
        Factor by which the L1 norm may exceed the least.

    Attributes
    ----------
    norm : float
        The least norm.
    shortest, ends : ndarray of shape (2, 2)
        Ends of the part of the line with the least norm, and of the part within `slack`
        times it; to three digits.

    Examples
    --------
    >>> display = EquivalentWeightsDisplay([3, -1], [1, -1], slack=1.5)
    >>> display.norm, display.shortest.tolist(), display.ends.tolist()
    (2.0, [[0.0, 2.0], [2.0, 0.0]], [[-0.5, 2.5], [2.5, -0.5]])
    """

    def __init__(self, weights, direction, slack=1.0):
        self.weights = check_numbers(weights, "weights", shape=(2,))
        self.direction = check_numbers(direction, "direction", shape=(2,))
        self.slack = check_number(slack, "slack", 1)
        require_that(
            self.direction.all(),
            "direction",
            "have two numbers other than 0",
            direction,
        )
        # One of the weights is 0 at a kink; the norm is least at one of them.
        kinks = -self.weights / self.direction
        weights_at_kinks = self.weights + np.outer(kinks, self.direction)
        norms = np.abs(weights_at_kinks).sum(axis=1)
        self.norm = float(norms.min())
        self.shortest = self._within(self.norm)
        self.ends = self._within(self.slack * self.norm)

    def _within(self, level):
        """Ends (2, 2) of the part of the line whose norm is at most `level`."""
        # The diamond has four sides, on each of which the norm is linear.
        signs = np.array(list(product((1, -1), repeat=2)))
        rates = signs @ self.direction
        # Rounding must not cut off a side that is parallel to the line.
        tolerance = 1e-12 * np.abs(self.weights).sum()
        room = level - signs @ self.weights + tolerance
        out = rates > 0
        back = rates < 0
        first = (room[back] / rates[back]).max()
        last = (room[out] / rates[out]).min()
        line = self.weights + np.outer([first, last], self.direction)
        return line.round(3) + 0.0

    @with_style
    def plot(self, ax=None, *, limit, title="", number=""):
        """Draw the plane; `legend` explains lines and marks.

        Axes should be square, of ``panels(..., ratio=1)``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        limit : float > 0
            End of both axes; the same in panels that are compared.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.

        Returns
        -------
        self : object
            The drawn display.
        """
        check_positive(limit, "limit")
        ax = self._canvas(ax)
        corners = self.norm * np.array([[1, 0, -1, 0, 1], [0, 1, 0, -1, 0]])
        ax.fill(*corners, color="0.85", label="norm up to the least")
        ax.plot(
            *(self.slack * corners),
            label="norm allowed by the slack",
            color="0.4",
            ls="--",
            lw=1.2,
        )
        ax.axline(
            self.weights,
            self.weights + self.direction,
            color="0.2",
            lw=1.2,
            label="equivalent weights",
        )
        thick = {"lw": 5, "marker": "o", "ms": 5}
        allowed = {"color": CLASS_COLORS[4], "label": "equivalent and allowed"}
        ax.plot(*self.ends.T, **allowed, **thick)
        shortest = {
            "color": CLASS_COLORS[2],
            "label": "equivalent and shortest",
        }
        ax.plot(*self.shortest.T, **shortest, **thick)
        ax.plot(
            *self.weights, "o", color=CLASS_COLORS[0], ms=8, label="as trained"
        )
        thin = {"color": "0.6", "lw": 0.8, "zorder": 0.9}
        ax.axhline(0, **thin)
        ax.axvline(0, **thin)
        ax.set(xlim=(-limit, limit), ylim=(-limit, limit))
        labels = ("first weight", "second weight")
        return self._finish(ax, title, number, labels)
