"""Charts of numbers: curves with bands, histograms by class."""

import numpy as np

from ..core.arrays import check_numbers, check_table
from ..core.checks import check_flag, check_integer, check_names, check_number, check_same_length
from ..core.labels import check_classes
from .drawing import Display, names_or_numbers, write_legend
from .inputs import AS_TEXT, check_field, plain
from .style import CLASS_COLORS, CLASS_MARKERS, class_styles, styled

__all__ = ["CurvesDisplay", "HistogramDisplay"]

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
            self.bands = check_numbers(bands, "bands", ndim=3, shape=(2, *self.curves.shape))
            if (self.bands[0] > self.bands[1]).any():
                raise ValueError("`bands` must be lower ends and upper ends; a lower one exceeds its upper one.")
        self.references = {str(name): check_number(value, "references") for name, value in (references or {}).items()}

    @styled
    def plot(
        self, ax=None, *, title="", number="", xlabel="", ylabel="", limit=None, marks=False, named=6, log=False,
        log_y=False, legend=False,
    ):  # fmt: skip
        """Draw the lines, each with its name at its end.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number, xlabel, ylabel : str
        limit : float, optional, upper end of the axis
        marks : bool, also a mark at each value
        named : int, number of lines with colours and names, those of the largest mean absolute value; others are grey
        log, log_y : bool, logarithmic abscissa, ordinate
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
            style = {"color": CLASS_COLORS[i % 10], "ls": DASHES[i % 4]}
            if marks:
                style |= {"marker": CLASS_MARKERS[i % 10], "ms": 5}
            lines += ax.plot(self.x, self.curves[:, j], **style)
            if self.bands is not None:
                ax.fill_between(self.x, *self.bands[:, :, j], color=style["color"], alpha=0.2, lw=0)
        if log:
            from matplotlib.ticker import NullLocator

            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_locator(NullLocator())
        if log_y:
            ax.set_yscale("log")
        if limit is not None:
            ax.set_ylim(top=limit)
        for value in self.references.values():
            ax.axhline(value, color="0.3", lw=1.2, ls=":", zorder=1)
        if legend:
            write_legend(ax, lines, [self.names[j] for j in chosen])
        else:
            self._write_names(ax, chosen)
        return self._finish(ax, title, number, (xlabel, ylabel))

    def _write_names(self, ax, chosen):
        """Names to the right of the lines' ends, pushed apart where they would cover each other."""
        to_axes, last = (ax.transData + ax.transAxes.inverted()).transform, int(np.argmax(self.x))
        ends = [to_axes((self.x[last], self.curves[last, j]))[1] for j in chosen]
        names = [(self.names[j], CLASS_COLORS[i % 10]) for i, j in enumerate(chosen)]
        ends += [to_axes((self.x[last], value))[1] for value in self.references.values()]
        names += [(name, "0.3") for name in self.references]
        order, gap = np.argsort(ends, kind="stable"), 0.075
        heights = np.array(ends)[order]
        for i in range(1, len(heights)):
            heights[i] = max(heights[i], heights[i - 1] + gap)
        for i in reversed(range(len(heights))):  # back from the upper end
            heights[i] = min(heights[i], heights[i + 1] - gap if i + 1 < len(heights) else 1.0)
        style = {"textcoords": "offset points", "va": "center", "annotation_clip": False} | AS_TEXT
        for height, i in zip(heights, order, strict=True):
            end = {"xy": (1.0, height), "xycoords": "axes fraction", "xytext": (4, 0)}
            ax.annotate(plain(names[i][0]), color=names[i][1], **end, **style)


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
        self.names = check_names(classes if class_names is None else class_names, len(classes), "class_names", "class")

    @styled
    def plot(self, ax=None, *, title="", number="", xlabel="", bins=40, legend=None):
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        title, number, xlabel : str
        bins : int
        legend : bool, optional, names of the classes in a legend; by default on axes of its own
        """
        legend = check_flag(ax is None if legend is None else legend, "legend")
        edges = np.linspace(self.values.min(), self.values.max(), check_integer(bins, "bins", 1, 10_000) + 1)
        ax = self._canvas(ax, (5.4, 2.8))
        styles = class_styles(len(self.names))
        bars = [
            ax.hist(self.values[self.index == c], edges, color=color, alpha=0.5, ec=color)[2][0]
            for c, (color, _) in enumerate(styles)
        ]
        if legend:
            write_legend(ax, bars, self.names)
        return self._finish(ax, title, number, (xlabel, "samples"))
