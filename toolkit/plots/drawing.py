"""Common parts of displays: axes, names, cells instead of marks, legends."""

import numpy as np

from ..core import (
    check_number,
    check_same_length,
    feature_names,
    is_rare,
    largest,
    names_or,
    require,
    sanitize_text,
)
from .density import Cells, density_image
from .inputs import AS_TEXT, check_points
from .pictures import draw_layout
from .style import (
    CLASS_COLORS,
    class_styles,
    has_equal_frames,
    with_style,
    write_title,
)

RARE_LABEL_COLOR = "#D0D0D0"
MOST_MARKS = 20_000  # more would overlap
CELLS_PER_INCH = 60  # of a picture by density: two pixels of its file each
# opacity of a sample alone in its cell: on white it is still seen
FAINTEST = 0.4
FAINTEST_ON_FIELD = 0.8  # the same where the background has colours, too
# classes whose names are written among the samples: more would cover them
MOST_NAMED_CLASSES = 60
# A name may stand at these distances from its point, in units of its font size, in each
# of these directions.
_DISTANCES = [1.15, 2.0, 3.4, 5.4, 8.0]
_DIRECTIONS = [0, 180, 90, 270, 35, 145, 215, 325]
NAME_DISTANCES = np.repeat(_DISTANCES, len(_DIRECTIONS))
NAME_ANGLES = np.radians(np.tile(_DIRECTIONS, len(_DISTANCES)))
FONT_SIZE = 9
NAME_BOX = {
    "boxstyle": "round,pad=0.12",
    "fc": "white",
    "ec": "none",
    "alpha": 0.75,
}


class Display:
    """Base of the displays: `plot` keeps axes and figure as `ax_` and `figure_`."""

    counts_ = None  # of samples in cells, where these are drawn

    def _place(self, embedding, values, name):
        """Keep the positions of the samples, one for each of `values`."""
        self.embedding = check_points(embedding)
        check_same_length(self.embedding, values, ("embedding", name))

    def _canvas(self, ax, size=(6.4, 5.4)):
        """Begin a picture on the axes given, or on new ones, of `size` inches."""
        self.counts_ = None
        require(
            hasattr(ax, "scatter"), "ax", "matplotlib Axes", ax, optional=True
        )
        if ax is not None:
            return ax
        from matplotlib import pyplot as plt

        return plt.figure(figsize=size).add_subplot()

    def _mark_size(self, size, min_area, max_area, cells=True):
        """Area of a mark: `size` if given, otherwise smaller for more samples.

        It is None where samples become `cells`, since marks would overlap.
        """
        if size is not None:
            return check_number(size, "size", 0, 1e5)
        n = len(self.embedding)
        if cells and n > MOST_MARKS:
            return None
        return float(np.clip(9000 / n, min_area, max_area))

    def _cells(self, ax, square=True):
        """The samples in cells, `square` in the unit of the map or of the picture."""
        draw_layout(ax.figure)
        # The limits are wider where more is drawn than samples.
        ax.update_datalim(self.embedding)
        pixels = np.maximum(ax.get_window_extent().size, 1)
        cell_size = ax.dataLim.size * ax.figure.dpi / CELLS_PER_INCH / pixels
        if square:
            cell_size[:] = cell_size.max()
        return Cells(self.embedding, np.where(cell_size > 0, cell_size, 1.0))

    def _draw_cells(self, ax, cells, image):
        """Draw an image (h, w, 4) of cells, on a field if any; sets `counts_`."""
        picture = ax.imshow(
            image, extent=cells.extent, zorder=1.5, aspect=ax.get_aspect()
        )
        # There is a margin as around marks.
        picture.sticky_edges.x.clear()
        picture.sticky_edges.y.clear()
        ax.autoscale_view()
        self.counts_ = cells.counts

    def _draw_values(self, ax, values, limits, color_bar, size, **look):
        """Draw samples by real values, as marks of a size, or as cells without.

        `limits` are the values at the ends of the colours.
        """
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        scale = Normalize(*limits)
        colors = ScalarMappable(scale)
        if size is None:
            # Cells are not paler where samples are few: the colour would be that of
            # another value. Cells without a value have no colour.
            cells = self._cells(ax)
            image = colors.to_rgba(cells.pick(values), bytes=True)
            self._draw_cells(ax, cells, image)
        else:
            # The highest values are on top, always in the same order.
            order = np.argsort(values, kind="stable")
            x, y = self.embedding[order].T
            ax.scatter(x, y, s=size, c=values[order], norm=scale, **look)
        if color_bar:
            self._draw_color_bar(ax, colors)

    def _draw_color_bar(self, ax, colors):
        """Draw a colour bar next to the axes, or under all frames of `panels`.

        So these stay equal.

        `colors` is the ScalarMappable of matplotlib.
        """
        figure = ax.figure
        options = {"ax": ax, "shrink": 0.7, "pad": 0.02}
        if has_equal_frames(figure):
            frames = [frame for frame in figure.axes if frame.get_subplotspec()]
            options = {"ax": frames, "shrink": 0.5, "aspect": 40}
            options["location"] = "bottom"
        name = sanitize_text(self.name)
        bar = figure.colorbar(colors, extend="both", label=name, **options)
        bar.outline.set_visible(False)

    def _frame(self, ax, equal=True):
        """Close the frame and leave out scales: only distances mean something.

        They mean the same in all directions if they are `equal`.
        """
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set(visible=True, color="0.8")
        if equal:  # wider limits rather than a smaller frame
            ax.set_aspect("equal", adjustable="datalim")

    def _finish(self, ax, title="", number="", labels=None):
        """Write title, number and `labels` (x, y) of the axes; keep the axes."""
        if labels is not None:
            ax.set_xlabel(sanitize_text(labels[0]), **AS_TEXT)
            ax.set_ylabel(sanitize_text(labels[1]), **AS_TEXT)
        # The title comes last, since the room for it depends on the rest.
        if sanitize_text(title) or sanitize_text(number):
            write_title(ax, title, number)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


class ClassDisplay(Display):
    """Base of displays of classes: `embedding`, class numbers `index` and `names`."""

    def _styles(self):
        """Number, colour and marker of each class; the rare ones last, to be on top."""
        counts = np.bincount(self.index, minlength=len(self.names))
        rare = is_rare(counts)
        styles = class_styles(len(self.names))
        for c in np.lexsort([np.where(rare, -counts, 0), rare]):
            yield c, *styles[c]

    def _scatter(self, ax, points, index, marker=None, **look):
        """Draw points by class, with the marker of each class if none is given.

        `points` (m, 2) are of the classes `index` (m,), by number.
        """
        for c, color, class_marker in self._styles():
            x, y = points[index == c].T
            if marker is not None:
                class_marker = marker
            if len(x):
                ax.scatter(x, y, c=color, marker=class_marker, **look)

    def _draw_stars(self, ax, points, index, size, zorder):
        """Draw stars of the area `size` at points (m, 2).

        `index` (m,) are the numbers of their classes, whose colours they have.
        """
        self._has_stars = len(points) > 0
        self._scatter(
            ax, points, index, "*", s=size, ec="black", lw=1, zorder=zorder
        )

    def _draw_density(self, ax, square=True, wrong=None):
        """Draw samples as cells in the colours of their classes.

        On a field a cell is black where more than half are `wrong` (n,).
        """
        faintest = FAINTEST if wrong is None else FAINTEST_ON_FIELD
        cells = self._cells(ax, square)
        drawn = cells.pick(self.index % len(CLASS_COLORS))
        image = density_image(drawn, cells.counts, CLASS_COLORS, faintest)
        if wrong is not None:
            mostly_wrong = 2 * cells.sums(wrong) > cells.counts
            image[mostly_wrong] = 0, 0, 0, 255
        self._draw_cells(ax, cells, image)

    def _name_classes(self, ax):
        """Write names at the medians of the largest classes."""
        counts = np.bincount(self.index)
        medians = []
        names = []
        for c in largest(counts, MOST_NAMED_CLASSES):
            if counts[c] > 0:
                points = self.embedding[self.index == c]
                medians.append(np.median(points, axis=0))
                names.append(self.names[c])
        write_names(ax, medians, names, fontweight="bold")

    def _legend(self, look_of_mark, behind=()):
        """Write a legend: classes, stars, marks with their looks, cells, `behind`.

        `behind` are words and looks of what lies behind the marks.
        """
        if not hasattr(self, "figure_"):
            raise ValueError(
                "There is no figure yet. Call `plot` before `legend`."
            )
        has_cells = self.counts_ is not None
        styles = class_styles(len(self.names))
        marks = []
        for name, (color, marker) in zip(self.names, styles, strict=True):
            if has_cells:
                marker = "s"
            marks.append((name, {"c": color, "marker": marker, "ms": 7}))
        if self._has_stars:
            star = {"marker": "*", "ms": 12, "mfc": "white", "mec": "black"}
            marks.append(("prototypes", star))
        marks += look_of_mark.items()
        if has_cells:
            meaning = (
                "cells: the colour of one of the samples in it, paler where there"
                " are few"
            )
            marks.append((meaning, {"marker": "s", "ms": 3, "c": "0.4"}))
        write_marks(self.figure_, [*marks, *behind])
        return self


def names_or_numbers(names, d, item):
    """The names of `d` items, by default X1, X2, ..."""
    return names_or(feature_names(None, d), names, "names", item)


def row_font_size(ax, count):
    """Size of the names of `count` rows, in points, such that they do not overlap."""
    inches = ax.get_position().height * ax.figure.get_figheight()
    points = 72 * 0.8 * inches / count
    return np.clip(points, 3, 9)


def write_legend(owner, handles, labels, **options):
    """Write a legend of axes or a figure, whose labels are shown as they are.

    `handles` are the artists that the labels name.
    """
    labels = [sanitize_text(label) for label in labels]
    return owner.legend(handles, labels, **options)


@with_style
def write_marks(figure, marks, ncols=None):
    """Write a legend under the whole figure in the place of an earlier one.

    By default it has fewer columns where names are long. `marks` are pairs of words and
    what they explain: a dict of properties of matplotlib's `Line2D`, or several on top
    of each other.
    """
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D

    for earlier in list(figure.legends):
        earlier.remove()
    words = []
    handles = []
    for text, looks in marks:
        if not isinstance(looks, list):
            looks = [looks]
        handle = []
        for look in looks:
            options = {"ls": "", "marker": "o"} | look
            handle.append(Line2D([], [], **options))
        words.append(text)
        handles.append(tuple(handle))
    stacked = {tuple: HandlerTuple(None, pad=0)}
    options = {"loc": "outside lower center", "handler_map": stacked}
    if ncols is not None:
        write_legend(figure, handles, words, ncols=ncols, **options)
        return
    n = len(words)
    for rows in range(-(-n // 7), n + 1):
        columns = -(-n // rows)
        legend = write_legend(figure, handles, words, ncols=columns, **options)
        fits = legend.get_window_extent().width <= figure.bbox.width
        if fits or rows == n:
            return
        # Names are too long for so many columns.
        legend.remove()


def write_names(ax, xy, names, taken=(), *, avoid=(), **text):
    """Write names next to points that cover no other name and, if possible, no point.

    Each name tries eight directions at growing distance and takes the position with the
    least overlap; a thin line leads back to the point when the name had to move away.

    Parameters
    ----------
    ax : matplotlib Axes
        With its limits set.
    xy : ndarray of shape (m, 2)
    names : sequence of m str
    taken : list of pairs of ndarray of shape (2,)
        Lower left and upper right corners, in pixels, of earlier names.
    avoid : ndarray of shape (q, 2), optional
        More points not to write on.
    text
        Further arguments of matplotlib's `Axes.annotate`.

    Returns
    -------
    list of pairs of ndarray of shape (2,)
        `taken` and the corners of these names.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = plt.figure().add_subplot()
    >>> len(write_names(ax, np.array([[0.2, 0.5], [0.8, 0.5]]), ["left", "right"]))
    2
    """
    taken = list(taken)
    draw_layout(ax.figure)  # a colour bar may have moved the axes
    to_data = ax.transData.inverted().transform
    dots = ax.transData.transform(np.vstack([xy, *avoid]))
    anchors = dots[: len(xy)]
    text |= {
        "fontsize": FONT_SIZE,
        "ha": "center",
        "va": "center",
        "bbox": NAME_BOX,
    }
    line = {"arrowstyle": "-", "lw": 0.6, "color": "0.4"}
    for anchor, name in zip(anchors, names, strict=True):
        name = sanitize_text(name)
        label = ax.annotate(name, (0, 0), xycoords="figure pixels", **text)
        size = label.get_window_extent().size + [3, 2]
        label.remove()
        middle, distance = _free_position(ax, anchor, size, dots, taken)
        taken.append((middle - size / 2, middle + size / 2))
        ax.annotate(
            name,
            to_data(anchor),
            to_data(middle),
            annotation_clip=False,
            arrowprops=line if distance > 1.5 else None,
            zorder=4.2,  # below the marks
            **text,
        )
    return taken


def _free_position(ax, anchor, size, dots, taken):
    """Middle of the box of a name that covers least, and its distance in font sizes.

    In pixels: `anchor` is the point that the name belongs to, `size` that of the name,
    `dots` (n, 2) are samples, `taken` the corners of names that are written.
    """
    frame = ax.get_window_extent()
    directions = np.column_stack([np.cos(NAME_ANGLES), np.sin(NAME_ANGLES)])
    font_pixels = FONT_SIZE * ax.figure.dpi / 72
    reach = size / 2 + NAME_DISTANCES[:, None] * font_pixels
    middles = anchor + directions * reach
    low = middles - size / 2
    high = middles + size / 2
    # Other names, points, the distance, and the edge of the frame cost.
    covered_area = 0
    for corner, opposite in taken:
        overlap = np.minimum(high, opposite) - np.maximum(low, corner)
        covered_area = covered_area + overlap.clip(0).prod(axis=1)
    inside = (dots[:, None] > low) & (dots[:, None] < high)
    n_hidden = inside.all(axis=2).sum(axis=0)
    outside = np.any((low < frame.min) | (high > frame.max), axis=1)
    point_cost = 3.0 * np.minimum(n_hidden, 3) + 1.5 * NAME_DISTANCES
    name_cost = 400 * covered_area / np.prod(size)
    best = np.argmin(name_cost + point_cost + 60 * outside)
    return middles[best], NAME_DISTANCES[best]


class LegendDisplay(Display):
    """Base of displays with a legend of what was drawn."""

    @with_style
    def legend(self):
        """Write a legend under the whole figure, for several panels.

        Returns
        -------
        self : object
            The drawn display.
        """
        write_legend(
            self.figure_,
            *self.ax_.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=3,
        )
        return self
