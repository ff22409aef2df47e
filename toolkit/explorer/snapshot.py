"""The explorer as a static PNG, for pages without widgets."""

from itertools import product

import numpy as np

from ..plots.drawing import write_legend
from ..plots.inputs import sanitize_text
from ..plots.pictures import figure_png
from ..plots.style import with_style, write_heading
from .frames import ends

LEVELS, MISSING = 32, "#b9bec4"  # of a scale of values, as in explore.js
HINT = "A still: run the cell in Jupyter, or open the report, to move the sliders."


@with_style
def snapshot(frame, picture, limits, setting=""):
    """One frame of `check_frame` as PNG with the names and styles of `picture`; the same bytes each time.

    Over it stand the title, the caption, and what the sliders show (`setting`) with the
    status.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    figure.get_layout_engine().set(rect=(0, 0.025, 1, 0.975))  # room for the hint
    ax = figure.add_subplot()
    field = frame["background"] is not None
    if field:
        ax.imshow(
            frame["background"],
            origin="lower",
            extent=frame["extent"],
            interpolation="nearest",
            zorder=0,
        )
    ax.add_collection(
        LineCollection(
            frame["segments"].reshape(-1, 2, 2), colors="0.6", linewidths=0.8
        )
    )
    codes, styles, names, scale = _colours(picture)
    if frame["bars"]:
        points, marks = _bars(ax, frame["Z"], picture)
    else:
        # On colours, samples are opaque and edged: theirs may be the ones beneath.
        look = (
            {"lw": 0.4, "ec": "black", "alpha": 1} if field else {"lw": 0, "alpha": 0.6}
        )
        points, marks = frame["Z"], _marks(ax, frame["Z"], codes, styles, picture, look)
    ringed = points[frame["rings"]]
    for color, width in (("#222", 2.4), ("white", 1.2)):
        ax.scatter(
            *ringed.T,
            s=65,
            facecolors="none",
            edgecolors=color,
            linewidths=width,
            zorder=3,
        )
    above = {
        "xytext": (0, 11),
        "textcoords": "offset points",
        "ha": "center",
        "va": "center",
        "zorder": 5,
    }
    for point, name, (color, marker) in zip(
        frame["anchors"], picture.anchor_names, picture.anchor_styles, strict=True
    ):
        ax.scatter(*point, s=90, c=color, marker=marker, ec="black", zorder=4)
        ax.annotate(sanitize_text(name), point, **above)
    x, y = map(sanitize_text, frame["axis_names"] or picture.axis_names)
    ax.set(xlim=limits[:2], ylim=limits[2:], xlabel=x, ylabel=y)
    if picture.equal_aspect:
        ax.set_aspect("equal", adjustable="box")
    status = ": ".join(filter(None, (setting, frame["status"])))
    write_heading(
        figure, picture.title, "\n".join(filter(None, (picture.caption, status)))
    )
    if scale is not None:
        figure.colorbar(scale, ax=ax, label=sanitize_text(picture.color_by), shrink=0.8)
    elif 1 < len(styles) <= 16 or frame["bars"] and frame["Z"].ndim == 2:
        words = [names[key] if isinstance(key, int) else key for key in marks]
        write_legend(
            figure,
            list(marks.values()),
            words,
            loc="outside right center",
            markerscale=2,
        )
    # Under the frame, where it hides nothing: a stored picture says how it comes to
    # life.
    figure.text(0.992, 0.008, HINT, ha="right", va="bottom", size=7, color="0.4")
    return figure_png(figure, dpi=100)


def _marks(ax, Z, codes, styles, picture, look):
    """Samples by class; returns the marks of a legend by what they stand for, words or the number of a class."""
    outlined = np.array(picture.outlined or [False] * len(Z), dtype=bool)
    marks = {}
    turn = np.arange(len(Z)) % 8  # in turns, or the last class would cover the others
    size = 16 if picture.side_names else 10
    for k, (c, (color, marker)) in product(range(8), enumerate(styles)):
        drawn = (codes == c) & (turn == k)
        if outlined.any():
            ax.scatter(
                *Z[drawn & outlined].T, s=16, fc="none", ec=color, marker=marker, lw=0.8
            )
        marks[c] = ax.scatter(
            *Z[drawn & ~outlined].T, s=size, c=color, marker=marker, **look
        )
    for name, fill in zip(picture.side_names, ("none", "0.4"), strict=False):
        marks[name] = ax.scatter([], [], fc=fill, ec="0.4", lw=0.8)
    return marks


def _colours(picture):
    """Number of its style for each sample, the styles, their names, and of values the scale of the colours."""
    column = next(
        (column for column in picture.columns if column["name"] == picture.color_by),
        None,
    )
    if column is None:
        return np.array(picture.labels), picture.styles, picture.label_names, None
    if column["kind"] == "category":
        return np.array(column["codes"]), column["styles"], column["names"], None
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize, to_hex

    values = np.frombuffer(column["values"], dtype="<f8")
    low, high = (
        (0.0, 1.0) if np.isnan(values).all() else (np.nanmin(values), np.nanmax(values))
    )
    level = (
        np.nan_to_num((values - low) / (high - low or 1) * (LEVELS - 1), nan=LEVELS)
        .round()
        .astype(int)
    )
    styles = [
        [to_hex(colormaps["viridis"](k / (LEVELS - 1))), "o"] for k in range(LEVELS)
    ] + [[MISSING, "o"]]
    return level, styles, [], ScalarMappable(Normalize(low, high), "viridis")


def _bars(ax, bars, picture):
    """Upper ends black or in the colour of the class, over them lower ends in white.

    Returns the tops (n, 2), and the marks of a legend as `_marks` does.
    """
    (lower, upper), n, names = ends(bars), len(bars), picture.bar_names
    x, palette = np.arange(1, n + 1), [color for color, _ in picture.styles]
    classed = len(palette) > 1
    colors = np.array(palette if classed else ["#222"])[picture.labels]
    width = 0.72 if n < 80 else 1
    ax.bar(x, upper, width, color=colors, zorder=1.5)
    seen = lower > 0
    ax.bar(
        x[seen],
        lower[seen],
        width,
        color="white",
        ec=colors[seen],
        lw=min(1.2, 45 / n),
        zorder=1.6,
    )
    marks = {}
    if bars.ndim == 2:
        marks["upper bound"] = ax.bar(1, 0, color="#777" if classed else "#222")
        marks["lower bound"] = ax.bar(1, 0, color="white", ec="#222")
    if classed:
        marks |= {c: ax.bar(1, 0, color=color) for c, color in enumerate(palette)}
    ax.set_axisbelow(True)
    ax.grid(axis="y", color="0.92")
    room = n * max(map(len, names)) / 70  # in widths of the picture
    slant = n <= 40 and room > 1
    step = (
        1
        if slant
        else next(
            k
            for m in (1, 10, 100, 1000, 10_000)
            for k in (m, 2 * m, 5 * m)
            if k >= room
        )
    )
    shown = x[(x - (names[0] != "1")) % step == 0]
    turned = {"rotation": 42, "ha": "right", "rotation_mode": "anchor"} if slant else {}
    ax.set_xticks(shown, [sanitize_text(names[j - 1]) for j in shown], **turned)
    return np.column_stack([x, upper]), marks
