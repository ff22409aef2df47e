"""Curves with bands, one per named quantity; histograms by class."""

import numpy as np

from ..core import (
    check_classes,
    check_number,
    check_numbers,
    check_same_length,
    check_table,
    names_or,
    require,
    sanitize_text,
)
from .drawing import Display, names_or_numbers, write_legend
from .inputs import check_field
from .style import CLASS_COLORS, CLASS_MARKERS, class_styles, with_style

DASHES = ("-", "--", "-.", ":")
HISTOGRAM_BINS = 40


class CurvesDisplay(Display):
    """One line per named quantity: relevance profiles, coefficients, errors.

    Parameters
    ----------
    x : array-like of shape (m,), m >= 1
        Abscissas of the values.
    curves : array-like of shape (m, d)
        Values, one line per column.
    names : sequence of d str, optional
        Names of the lines.
    bands : pair of array-likes of shape (m, d), optional
        Lower and upper ends of a band around each line.
    references : dict of str to float, optional
        Values to mark by dotted lines, such as one from a paper, by name.

    Examples
    --------
    >>> CurvesDisplay([1, 2], [[0.0, 1.0], [2.0, 3.0]]).names
    ['X1', 'X2']
    """

    def __init__(self, x, curves, names=None, *, bands=None, references=None):
        self.x = check_field(x, "x", ("m",))
        self.curves = check_table(curves, "curves")
        check_same_length(self.x, self.curves, ("x", "curves"), unit="rows")
        self.names = names_or_numbers(names, self.curves.shape[1], "curve")
        self.bands = bands
        if bands is not None:
            shape = (2, *self.curves.shape)
            self.bands = check_numbers(bands, "bands", shape=shape)
            lower, upper = self.bands
            rule = "lower ends and upper ends, none of them above its upper end"
            require((lower <= upper).all(), "bands", rule, bands)
        self.references = {}
        if references is not None:
            for name, value in references.items():
                self.references[str(name)] = check_number(value, "references")

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        xlabel="",
        ylabel="",
        limit=None,
        marks=False,
        log=False,
        legend=False,
    ):
        """Draw the lines, with names at their ends.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        xlabel, ylabel : str, default="", ""
            Labels of the axes.
        limit : float, optional
            Upper end of the axis.
        marks : bool, default=False
            Whether to mark each value.
        log : bool, default=False
            Whether the abscissa is logarithmic.
        legend : bool, default=False
            Whether to write the names in a legend, for lines that end in one point.

        Returns
        -------
        self : object
            The drawn display.
        """
        limit = check_number(limit, "limit", optional=True)
        ax = self._canvas(ax, (5.4, 3.4))
        # Colours, dashes and markers repeat at different lengths, so that no two agree.
        ax.set_prop_cycle(
            color=CLASS_COLORS * 2, ls=DASHES * 5, marker=CLASS_MARKERS * 2
        )
        lines = ax.plot(self.x, self.curves, ms=5)
        if not marks:
            for line in lines:
                line.set_marker("None")
        if self.bands is not None:
            for j, line in enumerate(lines):
                lower, upper = self.bands[:, :, j]
                color = line.get_color()
                ax.fill_between(
                    self.x, lower, upper, color=color, alpha=0.2, lw=0
                )
        if log:
            # Ticks are plain numbers, not powers.
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
            ax.minorticks_off()
        if limit is not None:
            ax.set_ylim(top=limit)
        dotted = []
        for value in self.references.values():
            line = ax.axhline(value, color="0.3", lw=1.2, ls=":", zorder=1)
            dotted.append(line)
        if legend:
            write_legend(ax, lines, self.names)
        else:
            self._name_lines(ax, lines + dotted)
        return self._finish(ax, title, number, (xlabel, ylabel))

    def _name_lines(self, ax, lines):
        """Write names to the right of the lines' ends, so that none covers another."""
        values = [*self.curves[np.argmax(self.x)], *self.references.values()]
        names = [*self.names, *self.references]
        ax.autoscale_view()  # else the limits are still those of an empty frame
        to_axes = (ax.transData + ax.transAxes.inverted()).transform
        ends = to_axes([(self.x[0], value) for value in values])[:, 1]
        order = np.argsort(ends, kind="stable")
        # Names are at least a line apart, in fractions of the height of the frame.
        least_heights = 0.075 * np.arange(len(ends))
        # Heights go upwards from the lowest, and as a whole no higher than the frame.
        heights = np.maximum.accumulate(ends[order] - least_heights)
        heights = least_heights + np.minimum(heights, 1.0 - least_heights[-1])
        for height, i in zip(heights, order, strict=True):
            ax.annotate(
                sanitize_text(names[i]),
                (1.0, height),
                (4, 0),
                color=lines[i].get_color(),
                xycoords="axes fraction",
                textcoords="offset points",
                va="center",
                annotation_clip=False,
            )


class HistogramDisplay(Display):
    """Histogram of samples along one direction, by class.

    The bars are transparent and of equal width.

    Parameters
    ----------
    values : array-like of shape (n,)
        Value of each sample.
    y : array-like of shape (n,)
        Class of each sample.
    class_names : sequence of str, optional
        Names of the classes, in their sorted order.

    Examples
    --------
    >>> HistogramDisplay([0.0, 1.0, 2.0], ["a", "b", "b"]).names
    ['a', 'b']
    """

    def __init__(self, values, y, class_names=None):
        self.values = check_field(values, "values", ("n",))
        classes, self.index = check_classes(y, len(self.values))
        self.names = names_or(classes, class_names, "class_names", "class")

    @with_style
    def plot(self, ax=None, *, title="", number="", xlabel="", legend=True):
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        xlabel : str, default=""
            Label of the horizontal axis.
        legend : bool, default=True
            Whether to write the names of the classes in a legend.

        Returns
        -------
        self : object
            The drawn display.
        """
        edges = np.linspace(
            self.values.min(), self.values.max(), HISTOGRAM_BINS + 1
        )
        ax = self._canvas(ax, (5.4, 2.8))
        bars = []
        for c, (color, _) in enumerate(class_styles(len(self.names))):
            values = self.values[self.index == c]
            _, _, patches = ax.hist(
                values, edges, color=color, alpha=0.5, ec=color
            )
            bars.append(patches[0])
        if legend:
            write_legend(ax, bars, self.names)
        return self._finish(ax, title, number, (xlabel, "samples"))
