"""The static picture of an explorer, for readers without a kernel or scripts.

Here `frame` is the frame of a setting, a dict, and `picture` the explorer with all its
traits.
"""

import numpy as np

from ..core import is_rare, sanitize_text
from ..plots.drawing import write_legend
from ..plots.pictures import figure_png
from ..plots.style import with_style, write_heading

MOST_CLASSES_IN_LEGEND = 16
MISSING_COLOR = "#b9bec4"
HINT = "A still. With its data, it moves in Jupyter and in the report."
# The samples are drawn in so many turns, of each class every so many.
N_TURNS = 8
N_WIDE_BARS = 80  # with fewer bars there are gaps between them
MOST_SLANTED_NAMES = 40
CHARACTERS_PER_WIDTH = 70  # of names that stand below the bars in one line


@with_style
def snapshot(frame, picture, setting):
    """A frame of an explorer, the `picture`, as PNG; the same bytes each time.

    Above it are the title, the caption, and the values of the sliders (`setting`) with
    the status.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    # The hint needs room below.
    figure.get_layout_engine().set(rect=(0, 0.025, 1, 0.975))
    ax = figure.add_subplot()
    if frame["background"] is not None:
        ax.imshow(frame["background"], extent=frame["extent"], zorder=0)
    segments = frame["segments"].reshape(-1, 2, 2)
    lines = LineCollection(segments, colors="0.6", linewidths=0.8)
    ax.add_collection(lines)
    if frame["bars"]:
        points, marks = _draw_bars(ax, frame, picture)
    else:
        points, marks = _draw_samples(ax, frame, picture)
    _draw_rings(ax, points[frame["rings"]])
    _draw_anchors(ax, frame["anchors"], picture)
    axis_names = frame["axis_names"]
    if not axis_names:
        axis_names = picture.axis_names
    x_name, y_name = axis_names
    x_min, x_max, y_min, y_max = frame["limits"]
    ax.set(
        xlim=(x_min, x_max),
        ylim=(y_min, y_max),
        xlabel=sanitize_text(x_name),
        ylabel=sanitize_text(y_name),
    )
    if picture.equal_aspect:
        ax.set_aspect("equal", adjustable="box")
    status = setting
    if frame["status"]:
        status = f"{setting}: {frame['status']}"
    write_heading(figure, picture.title, f"{picture.caption}\n{status}")
    if marks:
        write_legend(
            figure,
            marks.values(),
            marks,
            loc="outside right center",
            markerscale=2,
        )
    # A stored picture says how it comes to life, below the frame, where the words hide
    # nothing.
    figure.text(
        0.992, 0.008, HINT, ha="right", va="bottom", size=7, color="0.4"
    )
    return figure_png(figure, dpi=100)


def _draw_rings(ax, points):
    """White rings with a dark rim around some samples."""
    for color, width in (("#222", 2.4), ("white", 1.2)):
        ax.scatter(*points.T, s=65, fc="none", ec=color, lw=width, zorder=3)


def _draw_anchors(ax, positions, picture):
    """Draw anchors with their names at positions (m, 2)."""
    anchors = zip(
        positions, picture.anchor_names, picture.anchor_styles, strict=True
    )
    for position, name, (color, marker) in anchors:
        ax.scatter(
            *position, s=90, c=color, marker=marker, ec="black", zorder=4
        )
        ax.annotate(
            sanitize_text(name),
            position,
            (0, 11),
            textcoords="offset points",
            ha="center",
            va="center",
            zorder=5,
        )


def _draw_samples(ax, frame, picture):
    """Draw samples; returns their positions, and marks of a legend by name."""
    # Samples on a background are opaque and have an edge: its colours may be theirs.
    options = {"lw": 0, "alpha": 0.6}
    if frame["background"] is not None:
        options = {"lw": 0.4, "ec": "black", "alpha": 1}
    categories = {
        "kind": "category",
        "codes": picture.labels,
        "styles": picture.styles,
        "names": picture.label_names,
    }
    for column in picture.columns:
        if column["name"] == picture.color_by:
            categories = column
    if categories["kind"] == "number":
        _draw_values(ax, frame["Z"], categories, options)
        return frame["Z"], {}
    marks = _draw_categories(ax, frame["Z"], categories, picture, options)
    names = categories["names"]
    if not 1 < len(names) <= MOST_CLASSES_IN_LEGEND:
        return frame["Z"], {}
    mark_of_name = dict(zip(names, marks, strict=True))
    for name, fill in zip(picture.side_names, ("none", "0.4"), strict=False):
        mark_of_name[name] = ax.scatter([], [], fc=fill, ec="0.4", lw=0.8)
    return frame["Z"], mark_of_name


def _draw_values(ax, Z, column, options):
    """Samples in the colours of a column of numbers, and the scale of these."""
    from matplotlib import colormaps

    points = ax.scatter(
        *Z.T,
        s=10,
        c=np.frombuffer(column["values"], dtype="<f8"),
        cmap=colormaps["viridis"].with_extremes(bad=MISSING_COLOR),
        plotnonfinite=True,
        **options,
    )
    name = sanitize_text(column["name"])
    ax.figure.colorbar(points, ax=ax, label=name, shrink=0.8)


def _draw_categories(ax, Z, categories, picture, options):
    """Samples with the colours and markers of their categories; a mark of each."""
    n_samples = len(Z)
    is_outlined = np.zeros(n_samples, dtype=bool)
    if picture.outlined:
        is_outlined = np.array(picture.outlined, dtype=bool)
    size = 16 if picture.side_names else 10
    codes = np.array(categories["codes"])
    # The categories take turns, or the last would cover the others; rare ones come
    # last, on top.
    turn_of_sample = np.arange(n_samples) % N_TURNS
    is_rare_category = is_rare(np.bincount(codes))
    turn_of_sample[is_rare_category[codes]] = N_TURNS
    mark_of_code = {}
    for turn in range(N_TURNS + 1):
        for code, (color, marker) in enumerate(categories["styles"]):
            is_drawn = (codes == code) & (turn_of_sample == turn)
            if is_outlined.any():
                x, y = Z[is_drawn & is_outlined].T
                ax.scatter(
                    x, y, s=16, fc="none", ec=color, marker=marker, lw=0.8
                )
            x, y = Z[is_drawn & ~is_outlined].T
            mark_of_code[code] = ax.scatter(
                x, y, s=size, c=color, marker=marker, **options
            )
    return list(mark_of_code.values())


def _draw_bars(ax, frame, picture):
    """Draw upper ends black or in the colour of the class, over them lower ends white.

    Returns the tops (n, 2), and marks of a legend by name.
    """
    lower, upper = frame["Z"].T
    n_bars = len(upper)
    positions = np.arange(1, n_bars + 1)
    has_classes = len(picture.styles) > 1
    styles = picture.styles if has_classes else [["#222", "o"]]
    class_colors = np.array([color for color, _ in styles])
    bar_colors = class_colors[picture.labels]
    width = 0.72 if n_bars < N_WIDE_BARS else 1
    ax.bar(positions, upper, width, color=bar_colors, zorder=1.5)
    has_lower = lower > 0
    ax.bar(
        positions[has_lower],
        lower[has_lower],
        width,
        zorder=1.6,
        color="white",
        ec=bar_colors[has_lower],
        lw=min(1.2, 45 / n_bars),
    )
    upper_color = "#777" if has_classes else "#222"
    marks = {
        "upper bound": ax.bar(1, 0, color=upper_color),
        "lower bound": ax.bar(1, 0, color="white", ec="#222"),
    }
    if has_classes and len(styles) <= MOST_CLASSES_IN_LEGEND:
        for name, (color, _) in zip(picture.label_names, styles, strict=True):
            marks[name] = ax.bar(1, 0, color=color)
    # The grid lies below the bars.
    ax.set_axisbelow(True)
    ax.grid(axis="y", color="0.92")
    _write_bar_names(ax, positions, picture.bar_names)
    return np.column_stack([positions, upper]), marks


def _write_bar_names(ax, positions, bar_names):
    """Names under bars: slanted where they need it, or of many only every so many."""
    names = [sanitize_text(name) for name in bar_names]
    n_bars = len(names)
    longest = max([len(name) for name in names])
    n_widths = n_bars * longest / CHARACTERS_PER_WIDTH
    if 1 < n_widths and n_bars <= MOST_SLANTED_NAMES:
        ax.set_xticks(
            positions, names, rotation=42, ha="right", rotation_mode="anchor"
        )
    else:
        step = int(np.ceil(n_widths))
        ax.set_xticks(positions[::step], names[::step])
