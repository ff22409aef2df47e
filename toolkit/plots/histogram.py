"""Histograms by class."""

import numpy as np

from ..core import check_classes, names_or
from .drawing import Display, write_legend
from .inputs import check_field
from .style import class_styles, with_style

HISTOGRAM_BINS = 40


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
