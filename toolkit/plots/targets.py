"""Scatter plot of an embedding with a real value per sample, such as a target or a feature, by colour."""

import numpy as np

from ..core.arrays import check_target
from .drawing import Display
from .inputs import check_limits
from .style import styled

__all__ = ["TargetDisplay"]


class TargetDisplay(Display):
    """Samples of a map coloured by a real value.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
    values : array-like of shape (n,), finite
    name : str, what the values are
    point_names : sequence of n str, optional, names to be written beside the samples; "" for those without one

    Attributes
    ----------
    named_ : ndarray of int, shape (q,), the samples whose names `plot` has written, of those with `point_names`
    hidden_ : int, names that had no room
    counts_ : ndarray of int, shape (h, w), or None
        Of a picture by density: samples in each cell, first row at the bottom.
    alt_ : str, what the picture shows, with its numbers, for `alt` of :func:`publish`

    Examples
    --------
    >>> TargetDisplay([[0, 0], [1, 1]], [3.0, 4.0], "price").name
    'price'
    """

    def __init__(self, embedding, values, name="", *, point_names=None):
        self.values, self.name = check_target(values, name="values"), name
        self._place(embedding, self.values, "values")
        self._keep_point_names(point_names)

    @styled
    def plot(
        self, ax=None, *, title="", number="", size=None, color_bar=True, limits=None, most_names=40, density=None
    ):
        """Draw the map.

        Parameters
        ----------
        ax, title, number, size : as for :meth:`MapDisplay.plot`
        color_bar : bool
        limits : pair of float, optional
            Values of the two ends of the colours; by default the 2nd and the 98th percentile.
        most_names : int, of `point_names`; those that fit are written, of the most isolated samples first
        density : bool, optional
            Draw small cells in the place of marks: the colour is that of the value of one sample in the cell, by lots
            drawn evenly. By default so for more than 20,000 samples without `size`.
        """
        limits = np.percentile(self.values, [2, 98]) if limits is None else check_limits(limits)
        ax, cells = self._canvas(ax), self._as_cells(density, size)
        self._draw_values(ax, self.values, limits, color_bar, cells, s=self._mark_size(size, 0.3, 24), lw=0)
        self._frame(ax)
        ax.set_aspect("equal", adjustable="datalim")
        self._finish(ax, title, number)
        self._name_points(ax, most_names)
        return self
