"""Bounds on the relevance of features, and the equivalent weights behind them."""

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
from .drawing import LegendDisplay, names_or_numbers
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
        self.lower, self.positions, self.level = lower, positions, level
        if lower is not None:
            self.lower = check_numbers(lower, "lower", shape=(d,))
            if (self.lower > self.upper + 1e-9 * magnitude(self.upper)).any():
                raise ValueError("`lower` must nowhere exceed `upper`.")
        if positions is not None:
            self.positions = check_numbers(positions, "positions", shape=(d,))
            require(
                (np.diff(self.positions) > 0).all(),
                "positions",
                "rising, one per feature",
                positions,
            )
        if level is not None:
            self.level = check_numbers(level, "level", shape=(d,))
            require_that(
                (self.level >= 0).all(), "level", "not be negative", level
            )

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
        alone = ax is None
        d = len(self.upper)
        at = self.positions
        order = np.arange(d)
        if at is not None:  # upright bars
            ax = self._canvas(ax, (6.4, 3.2))
            width = np.diff(at).min() if d > 1 else 1.0
            parts = ax.bar, ax.axhline, ax.hlines
            low = self._draw_bars(parts, order, at, width, 0.6 * width, 0.0)
            ax.set_ylim(low, limit)
            ax.margins(x=0.02)
            self._finish(ax, title, number, (xlabel, label))
        else:  # a row per feature, the first at the top, with its name
            ax = self._canvas(ax, (6.4, 0.9 + 0.2 * max(d, 4)))
            if alone:
                order = np.argsort(-np.abs(self.upper), kind="stable")
            parts = ax.barh, ax.axvline, ax.vlines
            low = self._draw_bars(parts, order, np.arange(d), 0.72, 0.72, 0.8)
            ax.set(xlim=(low, limit), ylim=(d - 0.5, -0.5))
            height = ax.get_position().height * ax.figure.get_figheight()
            self._finish(ax, title, number, (label, ""))
            ax.set_yticks(
                np.arange(d),
                [sanitize_text(self.names[j]) for j in order],
                fontsize=np.clip(72 * 0.8 * height / d, 3, 9),
                **AS_TEXT,
            )
        return self.legend() if alone and self.lower is not None else self

    def _draw_bars(self, axes_parts, order, at, width, inner, edge):
        """Draw bars in an order by `axes_parts`; the lower end of their axis."""
        bars, zero, across = axes_parts
        lower = upper = self.upper[order]
        if self.lower is None:
            bars(at, upper, width, color=CLASS_COLORS[0])
        else:
            lower = self.lower[order]
            bars(
                at,
                upper,
                width,
                color="black",
                lw=edge,
                ec="black",
                label="upper bound",
            )
            bars(
                at,
                np.where(lower > 0, lower, np.nan),
                inner,
                color="white",
                lw=0.8,
                ec="black",
                label="lower bound",
            )
        zero(0, color="0.3", lw=0.8)
        if self.level is not None:
            reach = width / 2 + 0.1
            across(
                self.level[order],
                at - reach,
                at + reach,
                color=CLASS_COLORS[1],
                lw=2.5,
                label="null level",
            )
        return min(0.0, 1.05 * lower.min())


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
        # where one of the weights is 0; the norm is least at one of them
        kinks = -self.weights / self.direction
        line = self.weights + np.outer(kinks, self.direction)
        self.norm = float(np.abs(line).sum(axis=1).min())
        self.shortest = self._within(self.norm)
        self.ends = self._within(self.slack * self.norm)

    def _within(self, level):
        """Ends (2, 2) of the part of the line whose norm is at most `level`."""
        # of the diamond's four sides
        signs = np.array(list(product((1, -1), repeat=2)))
        # by how much the norm grows along the line on each side, and may grow, where
        # rounding must not cut off a side that is parallel
        rates = signs @ self.direction
        room = level - signs @ self.weights + 1e-12 * np.abs(self.weights).sum()
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
        for part, color, which in (
            (self.ends, 4, "allowed"),
            (self.shortest, 2, "shortest"),
        ):
            ax.plot(
                *part.T,
                color=CLASS_COLORS[color],
                label=f"equivalent and {which}",
                lw=5,
                marker="o",
                ms=5,
            )
        ax.plot(
            *self.weights, "o", color=CLASS_COLORS[0], ms=8, label="as trained"
        )
        for line in (ax.axhline, ax.axvline):
            line(0, color="0.6", lw=0.8, zorder=0.9)
        # the diamond of the norm in the middle
        ax.set(xlim=(-limit, limit), ylim=(-limit, limit))
        labels = ("first weight", "second weight")
        return self._finish(ax, title, number, labels)
