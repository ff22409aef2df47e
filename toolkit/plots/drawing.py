"""What every picture shares: colours, names that do not overlap, Voronoi cells, figures with alt text."""

import base64
import os
import textwrap
from pathlib import Path

import numpy as np

from .pictures import figure_png, settle

__all__ = [
    "CLASS_COLORS",
    "CLASS_MARKERS",
    "DPI",
    "class_legend",
    "class_styles",
    "color_bar",
    "place_names",
    "publish",
    "voronoi_segments",
]

CLASS_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C7A00", "#000000")
"""Colours that the common forms of colour blindness keep apart (after Okabe and Ito; yellow darkened)."""

CLASS_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""One marker a class, so that colour is never the only sign."""

OTHER_COLOR = "#9A9A9A"

DPI = 100
"""Pixels an inch of a figure in a notebook."""


def class_styles(n_classes):
    """A colour and a marker for each of `n_classes`; beyond eight the pairs differ, not the colours alone.

    Examples
    --------
    >>> class_styles(2)
    [('#0072B2', 'o'), ('#E69F00', 's')]
    """
    n = len(CLASS_COLORS)
    return [(CLASS_COLORS[c % n], CLASS_MARKERS[(c + c // n) % n]) for c in range(n_classes)]


def class_legend(figure, names, *, stars=False, rings=False, **options):
    """A legend of classes under a whole figure.

    Parameters
    ----------
    figure : matplotlib Figure
    names : sequence of str, all classes in their order
    stars, rings : bool
        Whether there are prototypes, and samples that a field shows wrongly.
    options : further arguments of matplotlib's `Figure.legend`
    """
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], ls="", c=color, marker=marker, ms=7, label=name)
        for name, (color, marker) in zip(names, class_styles(len(names)), strict=True)
    ]
    if stars:
        star = {"marker": "*", "ms": 12, "mfc": "white", "mec": "black", "label": "prototypes"}
        handles.append(Line2D([], [], ls="", **star))
    if rings:
        ring = {"marker": "o", "ms": 9, "mfc": "none", "mec": "black"}
        handles.append(Line2D([], [], ls="", label="shown as another class than the model says", **ring))
    defaults = {"loc": "outside lower center", "ncols": min(len(handles), 7), "fontsize": 9, "frameon": False}
    figure.legend(handles=handles, **defaults | options)


def color_bar(ax, marks, name):
    """A bar of the colours of `marks` beside the axes."""
    bar = ax.figure.colorbar(marks, ax=ax, shrink=0.7, pad=0.02, extend="both")
    bar.set_label(name, fontsize=9)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)


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
    >>> import numpy as np
    >>> edges = voronoi_segments(np.array([[-1.0, 0.0], [1.0, 0.0]]), (-2, 2, -2, 2))
    >>> np.allclose(edges[:, [0, 2]], 0)
    True
    """
    from scipy.spatial import Voronoi

    points = np.unique(np.asarray(points, dtype=float), axis=0)  # equal points have no edge between them
    if len(points) < 2:
        return np.empty((0, 4))
    x0, x1, y0, y1 = box
    centre = points.mean(axis=0)
    reach = 1e3 * max(x1 - x0, y1 - y0, np.ptp(points, axis=0).max())
    # Four far helpers close every cell; their own edges lie far outside the box and are left out.
    helpers = centre + reach * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    cells = Voronoi(np.vstack([points, helpers]))
    m = len(points)
    edges = [
        cells.vertices[pair].ravel()
        for pair, between in zip(cells.ridge_vertices, cells.ridge_points, strict=True)
        if -1 not in pair and max(between) < m
    ]
    return np.array(edges).reshape(-1, 4)


def place_names(ax, xy, names, *, avoid=None, fontsize=8, **text):
    """Write names beside points so that they cover neither each other nor, if it can be helped, the points.

    Each name tries eight places at growing distance and takes the one with the least overlap; a thin line
    leads back to the point when the name had to move away.

    Parameters
    ----------
    ax : matplotlib Axes, with its limits set
    xy : ndarray of shape (m, 2)
    names : sequence of m str
    avoid : ndarray of shape (q, 2), optional
        More points not to write on.
    """
    figure = ax.figure
    settle(figure)  # a colour bar may have moved the axes
    renderer = figure.canvas.get_renderer()
    to_pixels = ax.transData.transform
    anchors = to_pixels(np.asarray(xy, dtype=float))
    dots = anchors if avoid is None else np.vstack([anchors, to_pixels(np.asarray(avoid, dtype=float))])
    frame = ax.get_window_extent(renderer)
    taken = []
    unit = fontsize * figure.dpi / 72
    for (x, y), name in zip(anchors, names, strict=True):
        label = ax.annotate(
            name, (0, 0), xycoords="figure pixels", fontsize=fontsize, ha="center", va="center", zorder=6, **text
        )
        extent = label.get_window_extent(renderer)
        w, h = extent.width + 3, extent.height + 2
        best = None
        for ring in (1.15, 2.0, 3.4, 5.4, 8.0):
            for angle in (0, 180, 90, 270, 35, 145, 215, 325):
                c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
                cx, cy = x + c * (w / 2 + ring * unit), y + s * (h / 2 + ring * unit)
                rect = (cx - w / 2, cx + w / 2, cy - h / 2, cy + h / 2)
                cost = 400 * sum(_overlap(rect, other) for other in taken) / (w * h)
                inside = (
                    (dots[:, 0] > rect[0]) & (dots[:, 0] < rect[1]) & (dots[:, 1] > rect[2]) & (dots[:, 1] < rect[3])
                )
                cost += 3.0 * min(inside.sum(), 3) + 1.5 * ring
                cost += 60 * (rect[0] < frame.x0 or rect[1] > frame.x1 or rect[2] < frame.y0 or rect[3] > frame.y1)
                if best is None or cost < best[0]:
                    best = (cost, cx, cy, rect, ring)
        _, cx, cy, rect, ring = best
        taken.append(rect)
        label.remove()
        back = ax.transData.inverted().transform
        ax.annotate(
            name,
            xy=back((x, y)),
            xytext=back((cx, cy)),
            fontsize=fontsize,
            ha="center",
            va="center",
            zorder=4.2,  # below the marks
            bbox={"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.75},
            arrowprops={"arrowstyle": "-", "lw": 0.6, "color": "0.4"} if ring > 1.5 else None,
            annotation_clip=False,
            **text,
        )


def _overlap(a, b):
    width = min(a[1], b[1]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[2], b[2])
    return max(width, 0) * max(height, 0)


def publish(figure, name, caption, alt):
    """Show a figure in a notebook with a caption and a text for those who do not see it.

    Where the variable ``TOOLKIT_FIGURES`` names a folder, the picture is also written there as ``name.png``.

    Parameters
    ----------
    figure : matplotlib Figure; it is closed, so that a notebook does not show it twice
    name : str, such as ``"01_scene_samples"``
    caption : str, what to look at
    alt : str, what the picture shows, with its numbers

    Raises
    ------
    ValueError
        If caption or alt text is empty.
    """
    from IPython.display import display
    from matplotlib import pyplot as plt

    if not caption.strip() or not alt.strip():
        raise ValueError(f"`caption` and `alt` of figure {name!r} must not be empty: not everybody sees the picture.")
    picture = figure_png(figure, DPI)
    plt.close(figure)
    if folder := os.environ.get("TOOLKIT_FIGURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(picture)
    png = base64.b64encode(picture).decode("ascii")
    plain = textwrap.fill(f"[Figure {name}] {alt}", 110)
    display({"image/png": png, "text/plain": plain}, metadata={"image/png": {"alt": alt}}, raw=True)
    display({"text/markdown": f"*{caption}*", "text/plain": caption}, metadata={"caption": True}, raw=True)
