"""Predictions of a regressor in the plane: colours, and a surface."""

import numpy as np

from ..core import check_target, require, sanitize_text
from .fields import LEAST_TRUST, FieldDisplay, cell_centers, fade
from .inputs import AS_TEXT, check_field, color_limits
from .style import with_style


class RegressionDisplay(FieldDisplay):
    """Predictions of a regressor in the plane or as a surface, and samples by target.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
        Positions of the samples.
    targets : ndarray of shape (n,)
        Target of each sample.
    values : ndarray of shape (h, w)
        Predictions at the grid, lowest row first.
    extent : (x_min, x_max, y_min, y_max)
        Outer edges of the grid's cells.
    trust : ndarray of shape (h, w), optional
        1 near samples, falling to 0 away from them.
    name : str, default=""
        What the values are.

    Attributes
    ----------
    counts_ : ndarray of int, shape (h, w), or None
        With more than 20,000 samples, their number in each cell, first row at the
        bottom.

    Examples
    --------
    >>> values = np.arange(6.0).reshape(2, 3)
    >>> RegressionDisplay(np.eye(2), [0, 1], values, (-1, 2, -1, 2)).image().shape
    (2, 3, 3)
    """

    def __init__(
        self, embedding, targets, values, extent, *, trust=None, name=""
    ):
        self.targets = check_target(targets, name="targets")
        self.values = check_field(values, "values")
        self._place(embedding, self.targets, "targets")
        self._read_field(extent, trust, self.values.shape)
        self.name = name

    def _limits(self, limits=None):
        """Values of the two ends of the colours, those given or those of the values."""
        trusted = self.values[self.trust > 0.5]
        values = np.concatenate([self.targets, trusted])
        return color_limits(limits, values, 1)

    def image(self):
        """Return the colours of the grid.

        Returns
        -------
        image : ndarray of shape (h, w, 3), uint8
            Red, green and blue of each cell, lowest row first.
        """
        return value_image(self.values, self.trust, self._limits())

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        size=None,
        color_bar=True,
        contours=True,
        limits=None,
    ):
        """Draw the predictions as colours, and the samples.

        A sample contrasts with the background where its target differs from the
        prediction.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        size : float, optional
            Area of a mark; smaller for more samples by default. More than 20,000
            samples become small cells, see :meth:`MapDisplay.plot`.
        color_bar : bool, default=True
            Whether to draw a colour bar.
        contours : bool, default=True
            Whether to draw lines of equal prediction.
        limits : pair of float, optional
            Values of the two ends of the colours; the same in panels that are compared.

        Returns
        -------
        self : object
            The drawn display.
        """
        limits = self._limits(limits)
        size = self._mark_size(size, min_area=4, max_area=26)
        ax = self._draw_field(ax, value_image(self.values, self.trust, limits))
        if contours:
            look = {"colors": "white", "linewidths": 0.5, "alpha": 0.8}
            self._draw_lines(ax, self.values, levels=8, **look)
        self._draw_values(
            ax, self.targets, limits, color_bar, size, ec="white", lw=0.4
        )
        return self._finish(ax, title, number)

    @with_style
    def plot_surface(
        self, ax, *, title="", number="", azimuth=-60, limits=None
    ):
        """Draw predictions as heights over the map, and samples at their targets.

        Parameters
        ----------
        ax : matplotlib 3-D Axes
            Axes to draw on, such as of ``panels(..., projection="3d")``.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        azimuth : float, default=-60
            Direction of view, in degrees.
        limits : pair of float, optional
            Both ends of the colours and of the axis of heights; the same for surfaces
            that are compared.

        Returns
        -------
        self : object
            The drawn display.
        """
        require(
            hasattr(ax, "plot_surface"),
            "ax",
            'matplotlib 3-D Axes, of `projection="3d"`',
            ax,
        )
        low, high = self._limits(limits)
        centers = cell_centers(self.extent, self.values.shape)
        x, y = np.meshgrid(*centers)
        # The surface ends where the samples do.
        heights = np.where(self.trust < LEAST_TRUST, np.nan, self.values)
        ax.plot_surface(
            x,
            y,
            heights,
            facecolors=value_image(self.values, limits=(low, high)) / 255,
            rcount=60,
            ccount=60,
            lw=0,
            antialiased=False,
            shade=False,
        )
        x, y = self.embedding.T
        ax.scatter(
            x,
            y,
            self.targets,
            s=np.clip(3000 / len(self.targets), 3, 12),
            c=self.targets,
            vmin=low,
            vmax=high,
            ec="0.2",
            lw=0.3,
            depthshade=False,
        )
        ax.view_init(28, azimuth)
        ax.set_box_aspect((4, 4, 3), zoom=1.02)
        ax.set(xticks=[], yticks=[], zlim=limits)
        ax.set_zlabel(sanitize_text(self.name), **AS_TEXT)
        return self._finish(ax, title, number)


def value_image(values, trust=1.0, limits=(None, None)):
    """Colours of a field of numbers; as :func:`decision_image`.

    Parameters
    ----------
    values : ndarray of shape (h, w)
    trust : ndarray of shape (h, w), or a number
    limits : pair of float or None
        Values of the two ends of the colours; those of the field by default.

    Returns
    -------
    ndarray of uint8, shape (h, w, 3)

    Examples
    --------
    >>> value_image(np.array([[0.0, 1.0]])).tolist()
    [[[0, 34, 78], [254, 232, 56]]]
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    # The whole range has the whole scale where no limits are given.
    scale = Normalize(*limits)
    colors = ScalarMappable(scale, "cividis").to_rgba(values)
    return fade(colors[..., :3], trust)
