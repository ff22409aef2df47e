"""Decision regions of a classifier in the plane."""

import numpy as np

from ..core import check_codes, check_flags, check_names, check_same_length
from .drawing import ClassDisplay
from .fields import FieldDisplay, fade
from .inputs import check_field, check_points_or_none
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
        full_certainty = _full_certainty(certainty, trust)
        strength = 0.6 * np.sqrt(np.clip(certainty / full_certainty, 0, 1))
    # Colours go by the order of all classes.
    palette = to_rgba_array(CLASS_COLORS)[:, :3]
    n_colors = len(CLASS_COLORS)
    # Classes beyond the colours are striped, since a field has no markers to tell them
    # by.
    diagonal = np.indices(codes.shape).sum(axis=0)
    stripes = diagonal // 2 % 2 == 1
    strength[(codes >= n_colors) & stripes] *= 0.3
    darkness = 1 - palette[codes % n_colors]
    return fade(1 - strength[..., None] * darkness, trust)


def _full_certainty(certainty, trust):
    """The certainty that has the full colour: the 90th percentile of trusted cells.

    So a few extreme certainties do not make the rest pale.
    """
    trusted = certainty[np.broadcast_to(trust, certainty.shape) > 0.5]
    if trusted.size == 0:
        trusted = certainty
    for candidate in (np.percentile(trusted, 90), trusted.max()):
        if candidate != 0:
            return candidate
    return 1.0


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
        n_classes = len(self.names)
        classes = check_codes(prototype_index, "prototype_index", n_classes)
        check_same_length(
            stars, classes, ("prototypes", "prototype_index"), unit="rows"
        )
        size = self._mark_size(size, min_area=4, max_area=24)
        ax = self._draw_field(ax, self.image())
        boundary = {"levels": [0.5], "colors": "0.35", "linewidths": 0.7}
        for c in np.unique(self.codes):
            is_class = (self.codes == c).astype(float)
            self._draw_lines(ax, is_class, **boundary)
        ringed = self.misrepresented & rings
        if size is None:
            self._draw_density(ax, wrong=ringed)
        else:
            look = {"ec": "white", "lw": 0.3 * min(1, size / 12), "zorder": 3}
            self._scatter(ax, self.embedding, self.index, s=size, **look)
            self._draw_rings(ax, self.embedding[ringed], size)
        self._draw_stars(ax, stars, classes, 200, 6)
        self._finish(ax, title, number)
        if name_classes:
            self._name_classes(ax)
        return self

    def _draw_rings(self, ax, points, size):
        """Draw black rings around marks of a size.

        A white core shows the sample through the ring; many rings must not bury the
        rest.
        """
        width = np.clip(60 / max(len(points), 1), 0.3, 1.0)
        x, y = points.T
        ring = {"s": 4 * size + 12, "fc": "none"}
        ax.scatter(x, y, ec="black", lw=2.0 * width, zorder=4, **ring)
        ax.scatter(x, y, ec="white", lw=1.1 * width, zorder=5, **ring)

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
        if rings is None:
            rings = self.misrepresented.any()
        marks = {}
        if rings:
            meaning = "shown as another class than predicted"
            if self.counts_ is None:
                marks[meaning] = {"ms": 9, "mfc": "none", "mec": "black"}
            else:
                square = {"marker": "s", "ms": 7, "c": "black"}
                marks[f"mostly {meaning}"] = square
        pale = {"marker": "s", "ms": 8, "alpha": 0.45, "mew": 0}
        looks = [pale | {"c": color} for color in CLASS_COLORS[:2]]
        meaning = "background: predicted class, pale where uncertain"
        return self._legend(marks, [(meaning, looks)])
