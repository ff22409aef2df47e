"""Scatter plots of an embedding: by class, several with one legend, by real values."""

from itertools import repeat

import numpy as np

from ..core import (
    check_flags,
    check_same_length,
    check_sides,
    check_target,
    class_column,
    class_numbers,
    kind_of_target,
    names_or,
    require,
    short_repr,
)
from .drawing import ClassDisplay, Display
from .inputs import check_points_or_none, color_limits
from .style import fit_frames, panels, with_style

MOST_IN_LEGEND = 6  # classes; of more names stand in the map


class MapDisplay(ClassDisplay):
    """Samples of a map by class.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
        Positions of the samples.
    y : array-like of shape (n,)
        Class of each sample.
    class_names : sequence of str, optional
        Names of the classes, in their sorted order.
    highlighted : ndarray of bool, shape (n,), optional
        Samples to draw large and framed.
    highlighted_name : str, default="highlighted"
        Name of these samples in the legend.
    prototypes : ndarray of shape (p, 2), optional
        Points to draw as large stars, in the colours of their classes.
    prototype_labels : array-like of shape (p,), optional
        Classes of `prototypes`.
    classes : sequence, optional
        All classes, sorted; those in `y` by default. Colours and markers follow their
        order.
    sides : array-like of str, shape (n,), optional
        One of two names for each sample; those of the side named first are outlines. A
        legend explains it.

    Attributes
    ----------
    counts_ : ndarray of int, shape (h, w), or None
        With more than 20,000 samples, their number in each cell, first row at the
        bottom.

    Examples
    --------
    >>> MapDisplay(np.eye(2), ["a", "b"]).names
    ['a', 'b']
    """

    def __init__(
        self,
        embedding,
        y,
        class_names=None,
        highlighted=None,
        *,
        highlighted_name="highlighted",
        prototypes=None,
        prototype_labels=(),
        classes=None,
        sides=None,
    ):
        y = class_column(y)
        self._place(embedding, y, "y")
        if classes is None:
            classes = np.unique(y)
            if kind_of_target(y) == "value":
                raise ValueError(
                    f"`y` must hold classes; got {len(classes)} different numbers, such"
                    f" as {short_repr(y[:3].tolist())}. Show a real-valued target with"
                    " toolkit.plots.TargetDisplay, or turn classes into words with"
                    " y.astype(str)."
                )
        self.classes = class_column(classes, "classes")
        self.index = class_numbers(y, self.classes, "y")
        self.names = names_or(self.classes, class_names, "class_names", "class")
        self.side_names, self.outlined = check_sides(sides, len(y))
        self.highlighted = check_flags(highlighted, "highlighted", len(y))
        self.highlighted_name = highlighted_name
        self.prototypes = check_points_or_none(prototypes, "prototypes")
        labels = class_column(prototype_labels, "prototype_labels")
        names = ("prototypes", "prototype_labels")
        check_same_length(self.prototypes, labels, names, unit="rows")
        self.prototype_index = class_numbers(
            labels, self.classes, "prototype_labels"
        )

    def legend(self, framed=()):
        """Write a legend under the whole figure, for several maps of the same classes.

        `framed` are names of further marks with a black rim.

        Parameters
        ----------
        framed : sequence of str, default=()
            Names of further marks with a black rim.

        Returns
        -------
        self : object
            The drawn display.
        """
        marks = {}
        for name, fill in zip(self.side_names, ("none", "0.4"), strict=False):
            marks[name] = {"ms": 7, "mfc": fill, "mec": "0.4"}
        if self.highlighted.any():
            framed = [*framed, self.highlighted_name]
        marks |= dict.fromkeys(framed, {"ms": 9, "mfc": "0.8", "mec": "black"})
        return self._legend(marks)

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        name_classes=None,
        size=None,
        equal_aspect=True,
    ):
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        title : str, default=""
            Title of the axes: the finding.
        number : str, default=""
            Number that shows the finding, with its name and samples; below the title.
        name_classes : bool, optional
            Whether to write the names at the medians of the classes, of more than 60
            the largest. By default a new figure has them in a legend, if there are at
            most six
            classes.
        size : float, optional
            Area of a mark; smaller for more samples by default. More than 20,000
            samples without `sides` become small cells. The colour of a cell is that of
            one of its samples, chosen at random. The opacity grows with the logarithm
            of their number, and a single sample is still visible. Highlighted samples
            and prototypes are drawn above the cells.
        equal_aspect : bool, default=True
            Whether both axes have the same scale.

        Returns
        -------
        self : object
            The drawn display.
        """
        # Few classes have a legend, names of more are in the map.
        are_few = len(self.names) <= MOST_IN_LEGEND
        has_legend = ax is None and are_few and name_classes is None
        # Cells have no outlines.
        size = self._mark_size(
            size, min_area=0.3, max_area=20, cells=not self.side_names
        )
        ax = self._canvas(ax)
        if size is None:
            self._draw_density(ax, equal_aspect)
        else:
            self._draw_samples(ax, size)
        points = self.embedding[self.highlighted]
        index = self.index[self.highlighted]
        look = {"s": 55, "ec": "black", "lw": 0.9, "zorder": 4}
        self._scatter(ax, points, index, **look)
        self._draw_stars(ax, self.prototypes, self.prototype_index, 190, 5)
        self._frame(ax, equal_aspect)
        self._finish(ax, title, number)
        if has_legend:
            self.legend()
        elif name_classes is not False:
            self._name_classes(ax)
        return self

    def _draw_samples(self, ax, size):
        """Draw samples as marks, those of the side named first as outlines."""
        n = len(self.index)
        look = {"s": size, "rasterized": n > 5000}
        # Marks of many samples are more transparent.
        alpha = np.clip(40 / np.sqrt(n), 0.15, 0.8)
        for c, color, marker in self._styles():
            look["marker"] = marker
            in_class = self.index == c
            x, y = self.embedding[in_class & ~self.outlined].T
            ax.scatter(x, y, c=color, lw=0, alpha=alpha, **look)
            if self.side_names:
                x, y = self.embedding[in_class & self.outlined].T
                ax.scatter(x, y, fc="none", ec=color, lw=0.9, **look)


class MapsDisplay(Display):
    """Several maps of the same samples in frames of equal size, with one legend.

    Examples are maps of true and of permuted labels, or of several methods.

    Parameters
    ----------
    maps : dict of str to ndarray of shape (n, 2)
        The finding that each map shows, and the map.
    y : array-like of shape (n,), or a list of such
        Classes, the same for all maps, or one array per map.
    class_names : sequence of str, optional
        Names of the classes, in their sorted order.
    numbers : sequence of str, optional
        Number below each title, with its name and samples.
    **options : dict
        `highlighted`, `highlighted_name` and `sides`, as for :class:`MapDisplay`, the
        same in all maps.

    Examples
    --------
    >>> maps = {"here apart": np.eye(2), "there, too": -np.eye(2)}
    >>> MapsDisplay(maps, ["a", "b"]).plot().figure_ is not None
    True
    """

    def __init__(self, maps, y, class_names=None, *, numbers=None, **options):
        rule = "a dict of maps by what they show"
        require(isinstance(maps, dict), "maps", rule, maps)
        n_maps = len(maps)
        labels = y
        if not (
            isinstance(y, list) and len(y) == n_maps and np.ndim(y[0]) == 1
        ):
            labels = list(repeat(y, n_maps))
        all_labels = np.concatenate([class_column(column) for column in labels])
        options["classes"] = np.unique(all_labels)
        self.displays = []
        for Z, column in zip(maps.values(), labels, strict=True):
            display = MapDisplay(Z, column, class_names, **options)
            self.displays.append(display)
        self.titles = list(maps)
        no_numbers = list(repeat("", n_maps))
        self.numbers = names_or(no_numbers, numbers, "numbers", "map")

    @with_style
    def plot(self, *, columns=3, ratio=0.8, same_axes=False, **options):
        """Draw the maps on a new figure; its frames are `axes_`.

        Parameters
        ----------
        columns : int up to 3, default=3
            Number of maps in a row.
        ratio : float, default=0.8
            Height of a frame over its width.
        same_axes : bool, default=False
            Whether all maps have the same limits, for maps in one unit.
        **options : dict
            `size` and `equal_aspect`, as for :meth:`MapDisplay.plot`.

        Returns
        -------
        self : object
            The drawn display.
        """
        self.figure_, self.axes_ = panels(
            len(self.displays), ratio=ratio, columns=columns
        )
        if same_axes:
            # The limits of all maps are there before any is drawn.
            for ax in self.axes_:
                for display in self.displays:
                    ax.update_datalim(display.embedding)
        texts = zip(self.titles, self.numbers, strict=True)
        maps = zip(self.displays, self.axes_, texts, strict=True)
        for display, ax, (title, number) in maps:
            display.plot(
                ax, title=title, number=number, name_classes=False, **options
            )
        self.displays[0].legend()
        fit_frames(self.figure_)
        return self


class TargetDisplay(Display):
    """Samples of a map coloured by a real value.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2)
        Positions of the samples.
    values : array-like of shape (n,), finite
        Value of each sample.
    name : str, default=""
        What the values are.

    Attributes
    ----------
    counts_ : ndarray of int, shape (h, w), or None
        With more than 20,000 samples, their number in each cell, first row at the
        bottom.

    Examples
    --------
    >>> TargetDisplay([[0, 0], [1, 1]], [3.0, 4.0], "price").name
    'price'
    """

    def __init__(self, embedding, values, name=""):
        self.values = check_target(values, name="values")
        self.name = name
        self._place(embedding, self.values, "values")

    @with_style
    def plot(
        self,
        ax=None,
        *,
        title="",
        number="",
        size=None,
        color_bar=True,
        limits=None,
    ):
        """Draw the map.

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
            samples become small cells, see :meth:`MapDisplay.plot`; the colour is that
            of the value of one sample, chosen at random.
        color_bar : bool, default=True
            Whether to draw a colour bar.
        limits : pair of float, optional
            Values of the two ends of the colours; by default the 2nd and the 98th
            percentile.

        Returns
        -------
        self : object
            The drawn display.
        """
        limits = color_limits(limits, self.values, 2)
        size = self._mark_size(size, min_area=0.3, max_area=24)
        ax = self._canvas(ax)
        self._draw_values(ax, self.values, limits, color_bar, size, lw=0)
        self._frame(ax)
        return self._finish(ax, title, number)
