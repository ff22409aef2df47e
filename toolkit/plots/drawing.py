"""What every picture shares: axes, names of classes and of samples, Voronoi cells, figures with alt text."""

import base64
import os
import re
import textwrap
from pathlib import Path

import numpy as np

from ..core.checks import check_flag, check_integer, check_names, check_number, check_same_length, shown
from .density import FAINTEST, cell_values, class_counts, density_image, in_words
from .inputs import AS_TEXT, check_box, check_points, plain
from .names import write_names
from .pictures import figure_png, settle
from .style import CLASS_COLORS, class_styles, file_dpi, fit_frames, measured, styled, write_title

__all__ = ["names_or_numbers", "point_out", "publish", "voronoi_segments", "write_legend"]

OTHER_COLOR = "#D0D0D0"

MOST_MARKS = 20_000  # more would overlap
CELLS_PER_INCH = 60  # of a picture by density: two pixels of its file each
FAINTEST_ON_FIELD = 0.8  # opacity of a sample alone in its cell where the background has colours, too
MOST_NAMED = 60  # classes whose names are written among the samples: more would cover them


class Display:
    """Base of the displays: `plot` draws on the axes given or on new ones, and keeps them as `ax_` and `figure_`."""

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
            raise ValueError(f"`ax` must be matplotlib Axes or None; got {type(ax).__name__}.")
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

    def _cell(self, ax, square=True):
        """Width and height of a cell for the samples, in the unit of the map; `square` there, or in the picture."""
        settle(ax.figure)
        frame, before = ax.get_window_extent(), ax.dataLim  # what else is drawn widens the limits
        low = np.minimum(self.embedding.min(axis=0), before.p0)
        span = np.maximum(self.embedding.max(axis=0), before.p1) - low
        cell = span * ax.figure.dpi / CELLS_PER_INCH / np.maximum([frame.width, frame.height], 1)
        cell = np.full(2, cell.max()) if square else cell
        return np.where(cell > 0, cell, 1.0)

    def _draw_cells(self, ax, image, extent, zorder=1):
        """An image (h, w, 4) of cells, with a margin as around marks."""
        aspect = ax.get_aspect()
        picture = ax.imshow(image, extent=extent, origin="lower", interpolation="nearest", aspect=aspect, zorder=zorder)
        picture.sticky_edges.x.clear()
        picture.sticky_edges.y.clear()
        ax.autoscale_view()

    def _draw_values(self, ax, values, limits, color_bar, cells, on_field=False, **style):
        """Samples coloured by real values, marks or cells, and a bar of the colours; sets `counts_` and `alt_`."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        colors, self.counts_ = ScalarMappable(Normalize(*limits), "cividis"), None
        self.alt_ = f"{len(self.embedding):,} samples"
        if cells:
            field, self.counts_, extent = cell_values(self.embedding, values, self._cell(ax))
            image = colors.to_rgba(np.nan_to_num(field), bytes=True)
            image[..., 3] *= self.counts_ > 0  # paler where samples are few, a colour would be that of another value
            self._draw_cells(ax, image, extent, zorder=1.5 if on_field else 1)
            self.alt_ += " " + in_words(self.counts_)
        else:  # the highest on top, always in the same order
            order = np.argsort(values, kind="stable")
            ax.scatter(*self.embedding[order].T, c=values[order], norm=colors.norm, cmap=colors.cmap, **style)
        if color_bar:
            beside = {"ax": ax, "shrink": 0.7, "pad": 0.02}
            if hasattr(ax.figure, "frame_ratio"):  # of `panels`: one bar under all of them, so that frames stay equal
                frames = [frame for frame in ax.figure.axes if frame.get_subplotspec() is not None]  # no other bars
                beside = {"ax": frames, "shrink": 0.5, "location": "bottom", "aspect": 40}
            bar = ax.figure.colorbar(colors, extend="both", **beside)
            bar.set_label(plain(self.name), **AS_TEXT)
            bar.outline.set_visible(False)

    def _keep_point_names(self, names):
        """Names of the samples, "" for those without one, or None."""
        n = len(self.embedding)
        self.point_names = None if names is None else check_names(names, n, "point_names", "sample")

    def _name_points(self, ax, most, taken=(), first=None, avoid=()):
        """Write names of samples, at most `most`, that fit: of those `first` (n,), then of the most isolated.

        `taken` are boxes of names written before, `avoid` points (q, 2). Sets `named_` and `hidden_`.
        """
        most = check_integer(most, "most_names", 0)
        if self.point_names is None:
            return
        from scipy.spatial import cKDTree

        wanted = np.flatnonzero([bool(name.strip()) for name in self.point_names])
        n = len(self.embedding)
        alone = cKDTree(self.embedding).query(self.embedding, k=2)[0][:, 1] if n > 1 else np.zeros(n)
        behind = np.zeros(n, dtype=bool) if first is None else ~first
        order = wanted[np.lexsort([-alone[wanted], behind[wanted]])]
        names = [self.point_names[i] for i in order]
        options = {"avoid": np.vstack([self.embedding, *avoid]), "fitting": True, "most": most}
        written = write_names(ax, self.embedding[order], names, list(taken), **options) if names else []
        self.named_, self.hidden_ = np.sort(order[np.array(written, dtype=int)]), len(order) - len(written)

    def _frame(self, ax):
        """A closed frame without a scale: of a map only distances mean something."""
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set(visible=True, color="0.8")

    def _finish(self, ax, title="", number="", labels=None):
        """Title and the number below it; names of the axes (x, y) where these have a scale."""
        if labels is not None:
            ax.set_xlabel(plain(labels[0]), **AS_TEXT)
            ax.set_ylabel(plain(labels[1]), **AS_TEXT)
        if title or number:  # last, since the room for it depends on the rest
            write_title(ax, title, number)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class ClassDisplay(Display):
    """Base of the displays of classes: `embedding`, class numbers `index` and `names`."""

    def _draw_density(self, ax, square=True, on_field=False, wrong=None):
        """The samples as cells in the colours of their classes, black where more than half are `wrong` (n,).

        Sets `counts_`, and says in `alt_` what is to be seen.
        """
        colors = CLASS_COLORS[: len(self.names)]
        k, codes = len(colors), self.index % len(CLASS_COLORS)
        wrong = np.zeros(len(codes), dtype=bool) if wrong is None else wrong
        counts, extent = class_counts(self.embedding, codes + k * wrong, 2 * k, self._cell(ax, square))
        self.counts_ = counts[..., :k] + counts[..., k:]
        image = density_image(self.counts_, colors, FAINTEST_ON_FIELD if on_field else FAINTEST)
        image[counts[..., k:].sum(axis=-1) > counts[..., :k].sum(axis=-1)] = 0, 0, 0, 255
        self._draw_cells(ax, image, extent, zorder=1.5 if on_field else 1)
        self.alt_ += " " + in_words(self.counts_, "classes" if len(self.names) <= len(CLASS_COLORS) else "colours")
        if wrong.any():
            self.alt_ += f"; {100 * wrong.mean():.2g} % shown as another class than the model says"

    def _name_classes(self, ax, taken=()):
        """Write names at the medians of the classes, the largest if they are very many; boxes `taken` with theirs."""
        seen, counts = np.unique(self.index, return_counts=True)
        seen = np.sort(seen[np.argsort(-counts, kind="stable")[:MOST_NAMED]])
        medians = np.array([np.median(self.embedding[self.index == c], axis=0) for c in seen])
        taken = list(taken)
        write_names(ax, medians, [self.names[c] for c in seen], taken, fontweight="bold")
        return taken

    @styled
    def _legend(self, *, stars=False, rings=False, field=False, more=None, **options):
        """A legend under the whole figure; of prototypes (stars), misrepresented samples (rings), the field, `more`."""
        from matplotlib.legend_handler import HandlerTuple
        from matplotlib.lines import Line2D

        if not hasattr(self, "figure_"):
            raise ValueError("There is no figure yet. Call `plot` before `legend`.")
        for earlier in list(self.figure_.legends):
            earlier.remove()
        cells = getattr(self, "counts_", None) is not None
        shown = f"{'mostly ' * cells}shown as another class than the model says"
        labels = [*self.names, *["prototypes"] * stars, *[shown] * rings]
        labels += list(more or {})
        styles = class_styles(len(self.names))
        marks = [{"c": color, "marker": "s" if cells else marker, "ms": 7} for color, marker in styles]
        marks += [{"marker": "*", "ms": 12, "mfc": "white", "mec": "black"}] * stars
        marks += [{"marker": "s", "ms": 7, "c": "black"} if cells else {"ms": 9, "mfc": "none", "mec": "black"}] * rings
        marks += (more or {}).values()
        if cells:
            labels.append("cells: the colour of one of the samples in it, paler where there are few")
            marks.append({"marker": "s", "ms": 3, "c": "0.4"})
        handles = [Line2D([], [], **{"ls": "", "marker": "o"} | mark) for mark in marks]
        if field:
            pale = [Line2D([], [], ls="", marker="s", ms=8, c=color, alpha=0.45, mew=0) for color, _ in class_styles(2)]
            handles, labels = (
                [*handles, tuple(pale)],
                [*labels, "background: what the model says, pale where uncertain"],
            )
        options = {"loc": "outside lower center", "handler_map": {tuple: HandlerTuple(None, pad=0)}} | options
        columns = (
            [options.pop("ncols")]
            if "ncols" in options
            else [-(-len(handles) // rows) for rows in range(-(-len(handles) // 7), len(handles) + 1)]
        )
        for ncols in columns:
            legend = write_legend(self.figure_, handles, labels, ncols=ncols, **options)
            if ncols == columns[-1] or legend.get_window_extent().width <= self.figure_.bbox.width:
                break
            legend.remove()  # names too long for so many columns
        return self


def names_or_numbers(names, d, of):
    """The names of `d` things, by default X1, X2, ..."""
    return [f"X{j + 1}" for j in range(d)] if names is None else check_names(names, d, "names", of)


def write_legend(ax, handles, labels, **options):
    """A legend of axes or a figure, whose labels are shown as they are."""
    legend = ax.legend(handles, [plain(label) for label in labels], **options)
    for text in legend.get_texts():
        text.update(AS_TEXT)
    return legend


def voronoi_segments(points, box):
    """Edges of the Voronoi cells of some points, as far as a box may need them.

    Parameters
    ----------
    points : ndarray of shape (m, 2)
    box : (x_min, x_max, y_min, y_max)

    Returns
    -------
    ndarray of shape (s, 4), each row x0, y0, x1, y1; edges leave the box rather than end in it

    Examples
    --------
    >>> edges = voronoi_segments(np.array([[-1.0, 0.0], [1.0, 0.0]]), (-2, 2, -2, 2))
    >>> np.allclose(edges[:, [0, 2]], 0)
    True
    """
    from scipy.spatial import Voronoi

    x0, x1, y0, y1 = check_box(box, "box", flat=True)
    points = np.unique(check_points(points, "points"), axis=0)  # equal points have no edge between them
    if len(points) < 2:
        return np.empty((0, 4))
    reach = 1e3 * max(x1 - x0, y1 - y0, np.ptp(points, axis=0).max())
    # Four distant helpers close every cell; their own edges lie outside the box and are left out.
    helpers = points.mean(axis=0) + reach * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    cells = Voronoi(np.vstack([points, helpers]))
    edges = [
        cells.vertices[pair].ravel()
        for pair, between in zip(cells.ridge_vertices, cells.ridge_points, strict=True)
        if -1 not in pair and max(between) < len(points)
    ]
    return np.array(edges).reshape(-1, 4)


@styled
def point_out(ax, words, xy, at):
    """Write on a picture what is to be seen in it: words at one point, an arrow to another, both in data coordinates.

    Parameters
    ----------
    ax : matplotlib Axes
    words : str
    xy : pair of float, what the arrow points at
    at : pair of float, middle of the words

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = plt.figure().add_subplot()
    >>> point_out(ax, "an outlier", (1, 1), (0.5, 0.5)).get_text()
    'an outlier'
    """
    white = {"boxstyle": "round,pad=0.25", "fc": "white", "ec": "0.7", "alpha": 0.9}
    arrow = {"arrowstyle": "->", "lw": 1.2, "color": "0.2"}
    return ax.annotate(
        plain(words), xy, at, bbox=white, arrowprops=arrow, ha="center", va="center", zorder=7, **AS_TEXT
    )


def publish(figure, name, caption, alt):
    """Show a figure in a notebook with a caption and a text for those who do not see it.

    Where the variable ``TOOLKIT_FIGURES`` names a folder, the picture is also written there as ``name.png``.

    Parameters
    ----------
    figure : matplotlib Figure; it is closed, so that a notebook does not show it twice
    name : str, letters, digits, ``_``, ``-`` and ``.``, such as ``"01_scene_samples"``
    caption : str, what to look at, as Markdown without HTML
    alt : str, what the picture shows, with its numbers

    Examples
    --------
    >>> publish(None, "01_scene_samples", "What to look at.", alt="")
    Traceback (most recent call last):
    ...
    ValueError: `caption` and `alt` of figure '01_scene_samples' must not be empty: not everybody sees the picture.
    """
    from IPython.display import display
    from matplotlib import pyplot as plt

    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.-]{0,99}", name):
        rule = "up to 100 letters, digits, _, - and ., the first of them a letter, a digit or _"
        raise ValueError(f"`name` must be the name of a file: {rule}; got {name!r}.")
    if not caption.strip() or not alt.strip():
        raise ValueError(f"`caption` and `alt` of figure {name!r} must not be empty: not everybody sees the picture.")
    if not hasattr(figure, "savefig"):
        raise ValueError(f"`figure` must be a matplotlib Figure; got {shown(figure)}.")
    fit_frames(figure)
    layout = measured(figure)
    picture = figure_png(figure, file_dpi(figure))
    plt.close(figure)
    if folder := os.environ.get("TOOLKIT_FIGURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(picture)
    png = base64.b64encode(picture).decode("ascii")
    words = textwrap.fill(f"[Figure {name}] {alt}", 110)
    display({"image/png": png, "text/plain": words}, metadata={"image/png": {"alt": alt, "layout": layout}}, raw=True)
    markdown = f"*{_without_html(caption)}*"
    display({"text/markdown": markdown, "text/plain": caption}, metadata={"caption": True}, raw=True)


def _without_html(markdown):
    """Markdown whose HTML is text, so that JupyterLab does not swallow it; formulas and code stay as they are."""
    parts = r"(?P<kept>\\.|(`+).+?\2|\$.+?\$)|<|&(?=#?\w+;)"
    return re.sub(parts, lambda found: found["kept"] or f"\\{found[0]}", markdown, flags=re.DOTALL)
