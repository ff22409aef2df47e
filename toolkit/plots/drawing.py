"""What every display shares: axes, names of classes and of samples, cells in the place of marks, legends."""

import numpy as np

from ..core.arrays import feature_names
from ..core.checks import check_flag, check_number, check_same_length
from .density import Cells, density_image
from .inputs import AS_TEXT, check_points, largest, names_or, sanitize_text
from .pictures import draw_layout
from .style import CLASS_COLORS, class_styles, with_style, write_title

OTHER_COLOR = "#D0D0D0"
MOST_MARKS = 20_000  # more would overlap
CELLS_PER_INCH = 60  # of a picture by density: two pixels of its file each
FAINTEST = 0.4  # opacity of a sample alone in its cell: on white it is still seen
FAINTEST_ON_FIELD = 0.8  # the same where the background has colours, too
# classes whose names are written among the samples: more would cover them
MOST_NAMED = 60
# Where a name may stand: at these distances from its point, in units of its font size,
# and in these directions.
NAME_DISTANCES = (1.15, 2.0, 3.4, 5.4, 8.0)
NAME_ANGLES = (0, 180, 90, 270, 35, 145, 215, 325)
FONT_SIZE = 9
# of prototypes in a legend
STAR = {"marker": "*", "ms": 12, "mfc": "white", "mec": "black"}


class Display:
    """Base of the displays: `plot` draws on the axes given or on new ones, and keeps them as `ax_` and `figure_`."""

    counts_ = None  # of samples in cells, where these are drawn

    def _place(self, embedding, values, name):
        """Keep the positions of the samples, one for each of `values`."""
        self.embedding = check_points(embedding)
        check_same_length(self.embedding, values, ("embedding", name))

    def _canvas(self, ax, size=(6.4, 5.4), projection=None):
        """The axes given, or those of a new figure of `size` inches."""
        if ax is None:
            from matplotlib import pyplot as plt

            return plt.figure(figsize=size).add_subplot(projection=projection)
        if not hasattr(ax, "scatter"):
            raise ValueError(
                f"`ax` must be matplotlib Axes or None; got {type(ax).__name__}."
            )
        return ax

    def _mark_size(self, size, least, most, of_all=9000):
        """Area of a mark: `size` if given, otherwise smaller for more samples."""
        if size is not None:
            return check_number(size, "size", 0, 1e5)
        return float(np.clip(of_all / len(self.embedding), least, most))

    def _as_cells(self, density, size):
        """Whether samples become cells: if `density` says so, by default where marks of no given size would overlap."""
        if density is not None:
            return check_flag(density, "density")
        return len(self.embedding) > MOST_MARKS and size is None

    def _cells(self, ax, square=True):
        """The samples in cells; these are `square` in the unit of the map, or in the picture."""
        draw_layout(ax.figure)
        # what else is drawn widens the limits
        low = np.minimum(self.embedding.min(axis=0), ax.dataLim.p0)
        high = np.maximum(self.embedding.max(axis=0), ax.dataLim.p1)
        cell = (
            (high - low)
            * ax.figure.dpi
            / CELLS_PER_INCH
            / np.maximum(ax.get_window_extent().size, 1)
        )
        if square:
            cell[:] = cell.max()
        return Cells(self.embedding, np.where(cell > 0, cell, 1.0))

    def _draw_cells(self, ax, cells, image, on_field):
        """An image (h, w, 4) of cells, with a margin as around marks; sets `counts_`, and says so in `alt_`."""
        options = {
            "origin": "lower",
            "interpolation": "nearest",
            "aspect": ax.get_aspect(),
        }
        picture = ax.imshow(
            image, extent=cells.extent, zorder=1.5 if on_field else 1, **options
        )
        picture.sticky_edges.x.clear()
        picture.sticky_edges.y.clear()
        ax.autoscale_view()
        self.counts_ = cells.counts
        self.alt_ += (
            f" in {np.count_nonzero(cells.counts):,} cells, up to"
            f" {cells.counts.max():,} in one"
        )

    def _draw_values(
        self, ax, values, limits, color_bar, as_cells, on_field=False, **style
    ):
        """Samples coloured by real values, marks or cells, and a bar of the colours; sets `counts_` and `alt_`."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        colors, self.counts_ = ScalarMappable(Normalize(*limits), "cividis"), None
        self.alt_ = f"{len(self.embedding):,} samples"
        if as_cells:
            cells = self._cells(ax)
            image = colors.to_rgba(np.nan_to_num(cells.pick(values)[0]), bytes=True)
            # paler where samples are few, a colour would be that of another value
            image[..., 3] *= cells.counts > 0
            self._draw_cells(ax, cells, image, on_field)
        else:  # the highest on top, always in the same order
            order = np.argsort(values, kind="stable")
            ax.scatter(
                *self.embedding[order].T,
                c=values[order],
                norm=colors.norm,
                cmap=colors.cmap,
                **style,
            )
        if color_bar:
            beside = {"ax": ax, "shrink": 0.7, "pad": 0.02}
            # of `panels`: one bar under all of them, so that frames stay equal
            if hasattr(ax.figure, "frame_ratio"):
                # no other bars
                frames = [
                    frame
                    for frame in ax.figure.axes
                    if frame.get_subplotspec() is not None
                ]
                beside = {
                    "ax": frames,
                    "shrink": 0.5,
                    "location": "bottom",
                    "aspect": 40,
                }
            bar = ax.figure.colorbar(colors, extend="both", **beside)
            bar.set_label(sanitize_text(self.name))
            bar.outline.set_visible(False)

    def _frame(self, ax, equal=False):
        """A closed frame without a scale: of a map only distances mean something; `equal` ones in all directions."""
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set(visible=True, color="0.8")
        if equal:  # wider limits rather than a smaller frame
            ax.set_aspect("equal", adjustable="datalim")

    def _finish(self, ax, title="", number="", labels=None):
        """Title and the number below it; names of the axes (x, y) where these have a scale."""
        if labels is not None:
            ax.set_xlabel(sanitize_text(labels[0]), **AS_TEXT)
            ax.set_ylabel(sanitize_text(labels[1]), **AS_TEXT)
        if title or number:  # last, since the room for it depends on the rest
            write_title(ax, title, number)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class ClassDisplay(Display):
    """Base of the displays of classes: `embedding`, class numbers `index` and `names`."""

    def _begin(self, ax, size=(6.4, 5.4)):
        """The axes, of a new figure of `size` inches where none are given, and nothing drawn yet."""
        self.counts_ = None
        self.alt_ = (
            f"{len(self.embedding):,} samples of {len(self.names)}"
            f" class{'es' * (len(self.names) != 1)}"
        )
        return self._canvas(ax, size)

    def _draw_density(self, ax, square=True, on_field=False, wrong=None):
        """The samples as cells in the colours of their classes, black where more than half are `wrong` (n,).

        Sets `counts_`, and says in `alt_` what is to be seen.
        """
        cells = self._cells(ax, square)
        drawn, mixed = cells.pick(self.index % len(CLASS_COLORS))
        image = density_image(
            drawn,
            cells.counts,
            CLASS_COLORS,
            FAINTEST_ON_FIELD if on_field else FAINTEST,
        )
        if wrong is not None:
            image[2 * cells.sums(wrong) > cells.counts] = 0, 0, 0, 255
        self._draw_cells(ax, cells, image, on_field)
        share = cells.counts[mixed].sum() / len(self.index)
        of = "classes" if len(self.names) <= len(CLASS_COLORS) else "colours"
        self.alt_ += f"; {100 * share:.0f} % of them where several {of} lie"
        if wrong is not None and wrong.any():
            self.alt_ += (
                f"; {100 * wrong.mean():.2g} % shown as another class than the model"
                " says"
            )

    def _name_classes(self, ax, taken=()):
        """Write names at the medians of the classes, the largest if they are very many, beside boxes `taken`."""
        counts = np.bincount(self.index)
        seen = largest(counts, min(MOST_NAMED, np.count_nonzero(counts)))
        medians = np.array(
            [np.median(self.embedding[self.index == c], axis=0) for c in seen]
        )
        write_names(
            ax, medians, [self.names[c] for c in seen], taken, fontweight="bold"
        )

    def _legend(self, more, behind=(), **options):
        """A legend under the whole figure: classes, `more` marks, cells, and what lies `behind`, words and looks."""
        if not hasattr(self, "figure_"):
            raise ValueError("There is no figure yet. Call `plot` before `legend`.")
        square = {} if self.counts_ is None else {"marker": "s"}
        styles = zip(self.names, class_styles(len(self.names)), strict=True)
        marks = [
            (name, {"c": color, "marker": marker, "ms": 7} | square)
            for name, (color, marker) in styles
        ]
        marks += more.items()
        if square:
            words = (
                "cells: the colour of one of the samples in it, paler where there"
                " are few"
            )
            marks.append((words, square | {"ms": 3, "c": "0.4"}))
        write_marks(self.figure_, [*marks, *behind], **options)
        return self


def names_or_numbers(names, d, of):
    """The names of `d` things, by default X1, X2, ..."""
    return names_or(feature_names(None, d), names, "names", of)


def write_legend(owner, handles, labels, **options):
    """A legend of axes or a figure, whose labels are shown as they are."""
    return owner.legend(handles, [sanitize_text(label) for label in labels], **options)


@with_style
def write_marks(figure, marks, **options):
    """A legend under the whole figure in the place of an earlier one, in fewer columns where names are long.

    `marks` are pairs of words and what they explain: a dict of properties of
    matplotlib's `Line2D`, or several on top of each other.
    """
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D

    for earlier in list(figure.legends):
        earlier.remove()
    words, looks = zip(*marks, strict=True)
    looks = [look if isinstance(look, list) else [look] for look in looks]
    handles = [
        tuple(Line2D([], [], **{"ls": "", "marker": "o"} | one) for one in look)
        for look in looks
    ]
    options = {
        "loc": "outside lower center",
        "handler_map": {tuple: HandlerTuple(None, pad=0)},
    } | options
    n = len(words)
    for rows in range(-(-n // 7), n + 1):
        legend = write_legend(
            figure, handles, words, **{"ncols": -(-n // rows)} | options
        )
        if (
            "ncols" in options
            or rows == n
            or legend.get_window_extent().width <= figure.bbox.width
        ):
            return
        legend.remove()  # names too long for so many columns


def write_names(ax, xy, names, taken=(), *, avoid=None, **text):
    """Write names beside points so that they cover neither each other nor, if possible, the points.

    Each name tries eight directions at growing distance and takes the position with the
    least overlap; a thin line leads back to the point when the name had to move away.

    Parameters
    ----------
    ax : matplotlib Axes, with its limits set
    xy : ndarray of shape (m, 2)
    names : sequence of m str
    taken : list of pairs of ndarray of shape (2,), lower left and upper right corners, in pixels, of earlier names
    avoid : ndarray of shape (q, 2), optional, more points not to write on
    text : further arguments of matplotlib's `Axes.annotate`

    Returns
    -------
    list of pairs of ndarray of shape (2,), `taken` and the corners of these names

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = plt.figure().add_subplot()
    >>> len(write_names(ax, np.array([[0.2, 0.5], [0.8, 0.5]]), ["left", "right"]))
    2
    """
    taken = list(taken)
    draw_layout(ax.figure)  # a colour bar may have moved the axes
    to_pixels, to_data = ax.transData.transform, ax.transData.inverted().transform
    anchors = to_pixels(xy)
    dots = anchors if avoid is None else np.vstack([anchors, to_pixels(avoid)])
    text |= {"fontsize": FONT_SIZE, "ha": "center", "va": "center"}
    text["bbox"] = {
        "boxstyle": "round,pad=0.12",
        "fc": "white",
        "ec": "none",
        "alpha": 0.75,
    }
    line = {"arrowstyle": "-", "lw": 0.6, "color": "0.4"}
    for anchor, name in zip(anchors, map(sanitize_text, names), strict=True):
        label = ax.annotate(name, (0, 0), xycoords="figure pixels", **text)
        size = label.get_window_extent().size + [3, 2]
        label.remove()
        middle, distance = _free_position(ax, anchor, size, dots, taken)
        taken.append((middle - size / 2, middle + size / 2))
        arrow = line if distance > 1.5 else None
        # below the marks
        ax.annotate(
            name,
            to_data(anchor),
            to_data(middle),
            annotation_clip=False,
            arrowprops=arrow,
            zorder=4.2,
            **text,
        )
    return taken


def _free_position(ax, anchor, size, dots, taken):
    """Middle of the box of a name that covers least, in pixels, and its distance in font sizes."""
    frame = ax.get_window_extent()
    distances, angles = np.reshape(
        np.meshgrid(NAME_DISTANCES, np.radians(NAME_ANGLES), indexing="ij"), (2, -1)
    )
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    middles = anchor + directions * (
        size / 2 + distances[:, None] * (FONT_SIZE * ax.figure.dpi / 72)
    )
    low, high = middles - size / 2, middles + size / 2
    covered = sum(
        np.prod(np.maximum(np.minimum(high, b) - np.maximum(low, a), 0), axis=1)
        for a, b in taken
    )
    hidden = np.all((dots[:, None] > low) & (dots[:, None] < high), axis=2).sum(axis=0)
    outside = np.any((low < frame.min) | (high > frame.max), axis=1)
    best = np.argmin(
        400 * covered / np.prod(size)
        + (3.0 * np.minimum(hidden, 3) + 1.5 * distances)
        + 60 * outside
    )
    return middles[best], distances[best]
