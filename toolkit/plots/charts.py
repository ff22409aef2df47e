"""Charts of numbers: curves with bands, histograms by class, bars of bounds on relevance, and why there are bounds."""

import numpy as np

from ..core.arrays import check_numbers, check_table
from ..core.checks import (
    check_flag,
    check_integer,
    check_number,
    check_same_length,
    short_repr,
)
from ..core.labels import check_classes
from .drawing import Display, names_or_numbers, write_legend
from .inputs import AS_TEXT, check_field, largest, names_or, sanitize_text
from .style import CLASS_COLORS, CLASS_MARKERS, class_styles, with_style

DASHES = ("-", "--", "-.", ":")


class CurvesDisplay(Display):
    """One line per thing with a name: relevance profiles, paths of coefficients, errors over a parameter.

    Parameters
    ----------
    x : array-like of shape (m,), m >= 1
    curves : array-like of shape (m, d), one line per column
    names : sequence of d str, optional
    bands : pair of array-likes of shape (m, d), optional, lower and upper ends of a band around each line
    references : dict of str to float, optional, values to mark by dotted lines, such as one from a paper

    Examples
    --------
    >>> CurvesDisplay([1, 2], [[0.0, 1.0], [2.0, 3.0]]).names
    ['X1', 'X2']
    """

    def __init__(self, x, curves, names=None, *, bands=None, references=None):
        self.x, self.curves = check_field(x, "x", ndim=1), check_table(curves, "curves")
        check_same_length(self.x, self.curves, ("x", "curves"), what="rows")
        self.names = names_or_numbers(names, self.curves.shape[1], "curve")
        self.bands = None
        if bands is not None:
            self.bands = check_numbers(
                bands, "bands", ndim=3, shape=(2, *self.curves.shape)
            )
            if (self.bands[0] > self.bands[1]).any():
                raise ValueError(
                    "`bands` must be lower ends and upper ends; a lower one exceeds its"
                    " upper one."
                )
        self.references = {
            str(name): check_number(value, "references")
            for name, value in (references or {}).items()
        }

    @with_style
    def plot(
        self, ax=None, *, title="", number="", xlabel="", ylabel="", limit=None, marks=False, named=6, log=False,
        legend=False,
    ):  # fmt: skip
        """Draw the lines, each with its name at its end.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number, xlabel, ylabel : str
        limit : float, optional, upper end of the axis
        marks : bool, also a mark at each value
        named : int, number of lines with colours and names, those of the largest mean absolute value; others are grey
        log : bool, logarithmic abscissa
        legend : bool, names in a legend, for lines that end in one point
        """
        limit, named = (
            check_number(limit, "limit", none=True),
            check_integer(named, "named", 0),
        )
        ax = self._canvas(ax, (5.4, 3.4))
        chosen = largest(np.abs(self.curves).mean(axis=0), named)
        ax.plot(
            self.x, np.delete(self.curves, chosen, axis=1), color="0.75", lw=1, zorder=1
        )
        lines = ax.plot(self.x, self.curves[:, chosen], ms=5)
        for i, (j, line) in enumerate(zip(chosen, lines, strict=True)):
            line.set(
                color=CLASS_COLORS[i % 10],
                ls=DASHES[i % 4],
                marker=CLASS_MARKERS[i % 10] if marks else "",
            )
            if self.bands is not None:
                ax.fill_between(
                    self.x,
                    *self.bands[:, :, j],
                    color=line.get_color(),
                    alpha=0.2,
                    lw=0,
                )
        if log:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
            ax.minorticks_off()
        if limit is not None:
            ax.set_ylim(top=limit)
        marked = [
            ax.axhline(value, color="0.3", lw=1.2, ls=":", zorder=1)
            for value in self.references.values()
        ]
        names = [self.names[j] for j in chosen]
        if legend:
            write_legend(ax, lines, names)
        else:
            values = [
                *self.curves[np.argmax(self.x), chosen],
                *self.references.values(),
            ]
            self._write_names(ax, lines + marked, values, names + list(self.references))
        return self._finish(ax, title, number, (xlabel, ylabel))

    def _write_names(self, ax, lines, values, names):
        """Names to the right of the lines' ends, pushed apart where they would cover each other."""
        ax.autoscale_view()  # else the limits are still those of an empty frame
        to_axes = (ax.transData + ax.transAxes.inverted()).transform
        ends = to_axes(np.column_stack([np.full(len(values), self.x.max()), values]))[
            :, 1
        ]
        order, steps = np.argsort(ends, kind="stable"), 0.075 * np.arange(len(ends))
        # upwards from the lowest, and as a whole no higher than the frame
        heights = steps + np.minimum(
            np.maximum.accumulate(ends[order] - steps), 1.0 - steps[-1:]
        )
        style = {
            "xycoords": "axes fraction",
            "textcoords": "offset points",
            "va": "center",
            "annotation_clip": False,
        }
        for height, i in zip(heights, order, strict=True):
            ax.annotate(
                sanitize_text(names[i]),
                (1.0, height),
                (4, 0),
                color=lines[i].get_color(),
                **style,
            )


class HistogramDisplay(Display):
    """Samples along one direction, by class: bars of equal width, transparent, one colour per class.

    Parameters
    ----------
    values : array-like of shape (n,)
    y : array-like of shape (n,), class of each sample
    class_names : sequence of str, optional, in the order of the sorted classes

    Examples
    --------
    >>> HistogramDisplay([0.0, 1.0, 2.0], ["a", "b", "b"]).names
    ['a', 'b']
    """

    def __init__(self, values, y, class_names=None):
        self.values = check_field(values, "values", ndim=1)
        classes, self.index = check_classes(y, len(self.values))
        self.names = names_or(classes, class_names, "class_names", "class")

    @with_style
    def plot(self, ax=None, *, title="", number="", xlabel="", bins=40, legend=None):
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number, xlabel : str
        bins : int
        legend : bool, optional, names of the classes in a legend; by default on axes of its own
        """
        legend = ax is None if legend is None else check_flag(legend, "legend")
        edges = np.linspace(
            self.values.min(),
            self.values.max(),
            check_integer(bins, "bins", 1, 10_000) + 1,
        )
        ax = self._canvas(ax, (5.4, 2.8))
        bars = [
            ax.hist(
                self.values[self.index == c], edges, color=color, alpha=0.5, ec=color
            )[2][0]
            for c, (color, _) in enumerate(class_styles(len(self.names)))
        ]
        if legend:
            write_legend(ax, bars, self.names)
        return self._finish(ax, title, number, (xlabel, "samples"))


class _LegendDisplay(Display):
    """Base of both: a legend of what was drawn."""

    @with_style
    def legend(self):
        """A legend under the whole figure, for several panels."""
        write_legend(
            self.figure_,
            *self.ax_.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=3,
        )
        return self


class BoundsDisplay(_LegendDisplay):
    """Bounds on the relevance of each feature: black bars up to the upper bound, white ones up to the lower bound.

    A white bar: every equivalent model gives the feature that much weight; black
    without white: another feature can take its place; no bar: no model uses it. A bar
    that ends before its mark, the level of noise, is no evidence. One value per
    feature, such as the weights as trained, is a blue bar.

    Parameters
    ----------
    lower, upper : array-like of shape (d,), lower <= upper; `lower` is None for one value each, of any sign
    names : sequence of d str, optional, by default X1, X2, ...
    positions : array-like of shape (d,), optional
        Rising positions along the axis, such as wavelengths; then bars stand upright,
        and no names are written.
    level : float or array-like of shape (d,), >= 0, optional, what noise reaches, drawn as a line across each bar

    Examples
    --------
    >>> BoundsDisplay([0.0, 1.0], [2.0, 3.0]).names
    ['X1', 'X2']
    """

    def __init__(self, lower, upper, names=None, *, positions=None, level=None):
        self.upper = check_field(upper, "upper", ndim=1)
        d = len(self.upper)
        self.names = names_or_numbers(names, d, "feature")
        self.lower = self.positions = self.level = None
        if lower is not None:
            self.lower = check_numbers(lower, "lower", shape=(d,))
            if (self.lower > self.upper + 1e-9 * np.abs(self.upper).max()).any():
                raise ValueError("`lower` must nowhere exceed `upper`.")
        if positions is not None:
            self.positions = check_numbers(positions, "positions", shape=(d,))
            if (np.diff(self.positions) <= 0).any():
                raise ValueError(
                    "`positions` must be rising, one per feature; got"
                    f" {short_repr(positions)}."
                )
        if level is not None:
            self.level = check_numbers(
                np.full(d, level) if np.ndim(level) == 0 else level, "level", shape=(d,)
            )
            if (self.level < 0).any():
                raise ValueError(
                    f"`level` must not be negative; got {short_repr(level)}."
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
        sort=None,
    ):
        """Draw the bars; bounds on axes of their own get a legend, for panels call `legend`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number : str, the finding, and below it the number that shows it
        label : str, what the length of the bars is
        xlabel : str, what the positions are
        limit : float, optional, upper end of the axis; panels that are compared share one
        sort : bool, optional
            Whether the largest upper bound comes first; by default on axes of its own.
            In panels that are compared the features keep their order.
        """
        limit, sort = (
            check_number(limit, "limit", none=True),
            check_flag(ax is None if sort is None else sort, "sort"),
        )
        d, upright, explained = (
            len(self.upper),
            self.positions is not None,
            ax is None and self.lower is not None,
        )
        ax = self._canvas(ax, (6.4, 3.2 if upright else 0.9 + 0.2 * max(d, 4)))
        order = (
            np.argsort(-np.abs(self.upper), kind="stable")
            if sort and not upright
            else np.arange(d)
        )
        at, width, inner, edge = np.arange(d), 0.72, 0.72, 0.8
        bars, zero, across = ax.barh, ax.axvline, ax.vlines
        if upright:
            at, edge = self.positions, 0.0
            width = np.diff(at).min() if d > 1 else 1.0
            inner, bars, zero, across = 0.6 * width, ax.bar, ax.axhline, ax.hlines
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
                label="upper bound",
                ec="black",
            )
            seen = np.where(lower > 0, lower, np.nan)
            bars(
                at, seen, inner, color="white", lw=0.8, label="lower bound", ec="black"
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
                label="level of noise",
            )
        ends = min(0.0, 1.05 * lower.min()), limit
        if upright:
            ax.set_ylim(*ends)
            ax.margins(x=0.02)
            self._finish(ax, title, number, (xlabel, label))
        else:
            ax.set(xlim=ends, ylim=(d - 0.5, -0.5))  # the first feature at the top
            size = np.clip(
                72 * 0.8 * ax.get_position().height * ax.figure.get_figheight() / d,
                3,
                9,
            )
            self._finish(ax, title, number, (label, ""))
            ax.set_yticks(
                at,
                [sanitize_text(self.names[j]) for j in order],
                fontsize=size,
                **AS_TEXT,
            )
        return self.legend() if explained else self


class EquivalentWeightsDisplay(_LegendDisplay):
    """Why there are bounds: in the plane of two weights the line of equivalent ones meets the diamond of a short norm.

    Parameters
    ----------
    weights : array-like of shape (2,), as trained
    direction : array-like of shape (2,), neither 0; along it weights may move, since the samples do not vary
    slack : float >= 1, by how much the L1 norm may exceed the least

    Attributes
    ----------
    norm : float, the least one
    shortest, ends : ndarray of shape (2, 2)
        Ends of the part of the line that has the least norm, and of that within `slack`
        times it; to three digits.

    Examples
    --------
    >>> display = EquivalentWeightsDisplay([3, -1], [1, -1], slack=1.5)
    >>> display.norm, display.shortest.tolist(), display.ends.tolist()
    (2.0, [[0.0, 2.0], [2.0, 0.0]], [[-0.5, 2.5], [2.5, -0.5]])
    """

    def __init__(self, weights, direction, slack=1.0):
        self.weights = check_numbers(weights, "weights", shape=(2,))
        self.direction, self.slack = (
            check_numbers(direction, "direction", shape=(2,)),
            check_number(slack, "slack", 1),
        )
        if not self.direction.all():
            raise ValueError(
                "`direction` must have two numbers other than 0; got"
                f" {short_repr(direction)}."
            )
        # where one of the weights is 0; the norm is least at one of them
        kinks = -self.weights / self.direction
        self.norm = float(
            np.abs(self.weights + kinks[:, None] * self.direction).sum(axis=1).min()
        )
        self.shortest, self.ends = (
            self._within(factor * self.norm, kinks) for factor in (1.0, self.slack)
        )

    def _within(self, level, kinks):
        """Ends (2, 2) of the part of the line whose norm is at most `level`: kinks, or where it leaves the diamond."""
        # of the diamond's four sides
        signs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        rates = signs @ self.direction
        moving = rates != 0
        steps = np.append(kinks, (level - signs @ self.weights)[moving] / rates[moving])
        line = self.weights + np.sort(steps)[:, None] * self.direction
        inside = np.abs(line).sum(axis=1) <= level + 1e-9 * np.abs(self.weights).sum()
        return line[inside][[0, -1]].round(3) + 0.0

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        names=("first weight", "second weight"),
        limit=None,
    ):
        """Draw the plane; on axes of its own with a legend. Panels should be square, of ``panels(..., ratio=1)``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number : str, the finding, and below it the number that shows it
        names : pair of str, of the axes
        limit : float, optional, end of both axes; panels that are compared share one
        """
        limit, explained = check_number(limit, "limit", none=True), ax is None
        ax, corners = (
            self._canvas(ax),
            self.norm * np.array([[1, 0, -1, 0, 1], [0, 1, 0, -1, 0]]),
        )
        ax.fill(*corners, color="0.85", label="norm up to the least")
        ax.plot(
            *(self.slack * corners),
            color="0.4",
            ls="--",
            lw=1.2,
            label="norm allowed by the slack",
        )
        ax.axline(
            self.weights,
            self.weights + self.direction,
            color="0.2",
            lw=1.2,
            label="equivalent weights",
        )
        for ends, color, which in (
            (self.ends, 4, "allowed"),
            (self.shortest, 2, "shortest"),
        ):
            ax.plot(
                *ends.T,
                color=CLASS_COLORS[color],
                lw=5,
                marker="o",
                ms=5,
                label=f"equivalent and {which}",
            )
        ax.plot(*self.weights, "o", color=CLASS_COLORS[0], ms=8, label="as trained")
        for line in (ax.axhline, ax.axvline):
            line(0, color="0.6", lw=0.8, zorder=0.9)
        reach = (
            1.15 * max(self.slack * self.norm, np.abs(self.weights).max())
            if limit is None
            else limit
        )
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
        if explained:
            ax.set_aspect("equal")
        self._finish(ax, title, number, names)
        return self.legend() if explained else self
