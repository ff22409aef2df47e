"""Decision regions and regression surfaces of a model in the plane."""

import numpy as np

from ..core import (
    check_codes,
    check_flags,
    check_names,
    check_same_length,
    check_target,
    require,
    sanitize_text,
)
from .drawing import ClassDisplay
from .fields import LEAST_TRUST, FieldDisplay, cell_centers, fade
from .inputs import AS_TEXT, check_field, check_points_or_none, color_limits
from .style import CLASS_COLORS, with_style


def decision_image(codes, certainty=None, trust=1.0):
    """Colours of a field of classes: class by colour, certainty by intensity.

    Regions far from samples are grey.

    Parameters
    ----------
    codes : ndarray of int, shape (h, w)
    certainty : ndarray of shape (h, w), optional
        At least 0, which is white; full colour from the 90th percentile of trusted
        cells on, within a picture.
    trust : ndarray of shape (h, w), or a number
        From 0, nothing near, to 1.

    Returns
    -------
    ndarray of uint8, shape (h, w, 3)

    Examples
    --------
    >>> decision_image(np.array([[0, 1]]), np.array([[0.0, 1.0]])).tolist()
    [[[255, 255, 255], [255, 203, 110]]]
    """
    from matplotlib.colors import to_rgba_array

    strength = np.full(codes.shape, 0.45)
    if certainty is not None:
        near = certainty[np.broadcast_to(trust, codes.shape) > 0.5]
        trusted = near if near.size else certainty
        # a few extreme certainties must not make the rest pale
        top = np.percentile(trusted, 90) or trusted.max() or 1.0
        strength = 0.6 * np.sqrt(np.clip(certainty / top, 0, 1))
    # colours go by the order of all classes
    palette = to_rgba_array(CLASS_COLORS)[:, :3]
    n = len(CLASS_COLORS)
    # classes beyond the colours are striped, since a field has no markers to tell them
    # by
    stripes = np.indices(codes.shape).sum(axis=0) // 2 % 2 == 1
    strength[(codes >= n) & stripes] *= 0.3
    return fade(1 - strength[..., None] * (1 - palette[codes % n]), trust)


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

    # by default the whole range has the whole scale
    colors = ScalarMappable(Normalize(*limits), "cividis").to_rgba(values)
    return fade(colors[..., :3], trust)


class DecisionDisplay(FieldDisplay, ClassDisplay):
    """Decision map of a classifier, and samples by class.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
        Positions of the samples.
    index : ndarray of int, shape (n,)
        Class index of each sample.
    class_names : sequence of str
        Names of the classes.
    codes : ndarray of int, shape (h, w)
        Class indices at the grid, lowest row first.
    extent : (x_min, x_max, y_min, y_max)
        Outer edges of the grid's cells.
    certainty : ndarray of shape (h, w), optional
        Certainty of the classifier at the grid.
    trust : ndarray of shape (h, w), optional
        1 near samples, falling to 0 away from them.
    misrepresented : ndarray of bool, shape (n,), optional
        Samples to ring: their class in the decision map is not the model's prediction.

    Attributes
    ----------
    counts_ : ndarray of int, shape (h, w), or None
        With more than 20,000 samples, their number in each cell, first row at the
        bottom.

    Examples
    --------
    >>> codes = np.array([[0, 1], [0, 1]])
    >>> display = DecisionDisplay(np.eye(2), [0, 1], ["a", "b"], codes, (-1, 2, -1, 2))
    >>> display.image().shape
    (2, 2, 3)
    """

    def __init__(
        self,
        embedding,
        index,
        class_names,
        codes,
        extent,
        *,
        certainty=None,
        trust=None,
        misrepresented=None,
    ):
        n_classes = np.size(class_names)
        self.names = check_names(class_names, n_classes, "class_names", "class")
        self.index = check_codes(index, "index", n_classes)
        shape = check_field(codes, "codes").shape
        self.codes = check_codes(codes, "codes", n_classes, shape=shape)
        self._place(embedding, self.index, "index")
        self._read_field(extent, trust, shape)
        self.certainty = certainty
        if certainty is not None:
            self.certainty = check_field(certainty, "certainty", shape)
        self.misrepresented = check_flags(
            misrepresented, "misrepresented", len(self.index)
        )

    def image(self):
        """Return the colours of the grid.

        Returns
        -------
        image : ndarray of shape (h, w, 3), uint8
            Red, green and blue of each cell, lowest row first.
        """
        return decision_image(self.codes, self.certainty, self.trust)

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        size=None,
        name_classes=False,
        prototypes=None,
        prototype_index=(),
        rings=True,
    ):
        """Draw the decision map, the class boundaries and the samples.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        size : float, optional
            Area of a mark; smaller for more samples by default. More than 20,000 become
            small cells, as in :meth:`MapDisplay.plot`. They are black where for more
            than half of the samples the decision map differs from the model's
            prediction.
        name_classes : bool, default=False
            Whether to write the names at the medians of the classes, of more than 60
            the
            largest.
        prototypes : ndarray of shape (p, 2), optional
            Points to draw as stars, such as prototypes of the model.
        prototype_index : ndarray of int, shape (p,), default=()
            Class index of each prototype.
        rings : bool, default=True
            Whether to ring the samples for which the decision map differs from the
            model's prediction.

        Returns
        -------
        self : object
            The drawn display.
        """
        stars = check_points_or_none(prototypes, "prototypes")
        of = check_codes(prototype_index, "prototype_index", len(self.names))
        check_same_length(
            stars, of, ("prototypes", "prototype_index"), unit="rows"
        )
        size = self._mark_size(size, 4, 24)
        ax = self._draw_field(ax, self.image())
        # the boundary of each class
        for c in np.unique(self.codes):
            self._draw_lines(
                ax,
                (self.codes == c).astype(float),
                levels=[0.5],
                colors="0.35",
                linewidths=0.7,
            )
        ringed = self.misrepresented & rings
        if size is None:
            self._draw_density(ax, wrong=ringed)
        else:
            self._scatter(
                ax,
                self.embedding,
                self.index,
                s=size,
                ec="white",
                lw=0.3 * min(1, size / 12),
                zorder=3,
            )
            # black rings; a white core shows the sample through the ring; many must
            # not bury the rest
            look = {"s": 4 * size + 12, "fc": "none"}
            width = np.clip(60 / max(ringed.sum(), 1), 0.3, 1.0)
            points = self.embedding[ringed].T
            ax.scatter(*points, ec="black", lw=2.0 * width, zorder=4, **look)
            ax.scatter(*points, ec="white", lw=1.1 * width, zorder=5, **look)
        self._draw_stars(ax, stars, of, 200, 6)
        self._finish(ax, title, number)
        if name_classes:
            self._name_classes(ax)
        return self

    def legend(self, *, rings=None):
        """Write a legend of classes and background under the figure.

        Parameters
        ----------
        rings : bool, optional
            Whether to explain rings; by default if this display has any. Others of the
            figure may have some.

        Returns
        -------
        self : object
            The drawn display.
        """
        marks = {}
        if self.misrepresented.any() if rings is None else rings:
            words = "shown as another class than predicted"
            marks = {words: {"ms": 9, "mfc": "none", "mec": "black"}}
            if self.counts_ is not None:
                square = {"marker": "s", "ms": 7, "c": "black"}
                marks = {f"mostly {words}": square}
        pale = [
            {"marker": "s", "ms": 8, "alpha": 0.45, "mew": 0, "c": color}
            for color in CLASS_COLORS[:2]
        ]
        words = "background: predicted class, pale where uncertain"
        return self._legend(marks, [(words, pale)])


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

    def _limits(self, given=None):
        """Values of the two ends of the colours."""
        return color_limits(
            given,
            np.concatenate([self.targets, self.values[self.trust > 0.5]]),
            1,
        )

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
        size = self._mark_size(size, 4, 26)
        ax = self._draw_field(ax, value_image(self.values, self.trust, limits))
        if contours:
            self._draw_lines(
                ax,
                self.values,
                levels=8,
                colors="white",
                linewidths=0.5,
                alpha=0.8,
            )
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
        ax.plot_surface(
            *np.meshgrid(*cell_centers(self.extent, self.values.shape)),
            # the surface ends where the samples do
            np.where(self.trust < LEAST_TRUST, np.nan, self.values),
            facecolors=value_image(self.values, limits=(low, high)) / 255,
            rcount=60,
            ccount=60,
            lw=0,
            antialiased=False,
            shade=False,
        )
        ax.scatter(
            *self.embedding.T,
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
