"""Explorers without a kernel: a page that plays the computed frames, a static picture.

The page, a report or a single explorer, needs no network either; its
Content-Security-Policy forbids every load from outside.
"""

import html
import json
import os
from itertools import product
from pathlib import Path
from string import Template

import numpy as np

from ..core import is_rare, require, sanitize_text
from ..plots.drawing import write_legend
from ..plots.pictures import as_base64, figure_png
from ..plots.style import with_style, write_heading

FOLDER = Path(__file__).parent
MOST_NAMED = 16  # classes in a legend
MISSING = "#b9bec4"
HINT = "A still. With its data, it moves in Jupyter and in the report."
PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="\
default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; \
script-src 'unsafe-inline' data: blob:; connect-src data: blob:; \
base-uri 'none'; form-action 'none'">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 56rem; margin: 0 auto; padding: 0 1rem; }
body { background: #fff; color: #1b1f24; }
body { font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; }
footer { padding: 1rem 0 2rem; color: #57606a; font-size: .85rem; }
img { max-width: 100%; height: auto; }
/* they stand above, also without scripts */
main .tkx h4, main .tkx .caption { display: none; }
.tkx { color-scheme: light; }
@media screen and (prefers-color-scheme: dark) {
  body { background: #14181d; color: #e3e7ec; }
  footer { color: #a5afba; }
}
</style>
</head>
<body>
<main>
<h1>$title</h1>
<p>$caption</p>
$explorer
<noscript><img src="data:image/png;base64,$picture" alt="$alt"></noscript>
</main>
<footer>$about</footer>
$module
</body>
</html>
""")


def offline_fragment(widget_state, model_id):
    """HTML of one explorer for a page that holds `offline_module()` once.

    It is None if no explorer is stored there. `widget_state` holds models by id as an
    executed notebook stores them (``state``, and ``buffers`` in base64).
    """
    model = widget_state.get(model_id, {"state": {}})
    if "frames" not in model["state"]:
        return None
    state = {
        k: v
        for k, v in model["state"].items()
        # those that only a kernel needs are left out
        if not k.startswith("_")
        and k not in ("layout", "tabbable", "tooltip", "own_id")
    }
    data = {"state": state, "buffers": model.get("buffers", [])}
    # A name with "</script" would end the script element, one with "<!--<script" hide
    # its end; JSON has another "<".
    text = json.dumps(data, sort_keys=True).replace("<", "\\u003c")
    return (
        '<div class="toolkit-explorer"><script type="application/json">'
        f"{text}</script></div>"
    )


def offline_module():
    """The script elements that play the explorers of a page.

    They occur once per page, after the explorers.
    """
    code = as_base64(FOLDER.joinpath("explore.js").read_bytes())
    host = FOLDER.joinpath("offline.js").read_text("utf-8")
    return (
        f'<script type="text/plain" id="toolkit-explore-module">{code}</script>\n'
        f'<script type="module">{host}</script>'
    )


def offline_page(fragment, picture, **words):
    """A whole page that plays one explorer.

    `words` are its `title`, `caption`, `alt` and `about`. Its picture (PNG, bytes) and
    `alt` are for readers without scripts.
    """
    return sanitize_text(
        PAGE.substitute(
            {name: html.escape(text) for name, text in words.items()},
            explorer=fragment,
            picture=as_base64(picture),
            module=offline_module(),
        )
    )


def check_page(path, name="path"):
    """`path` as that of a page in a folder that exists; checked before the work.

    `name` is that of the argument.

    Examples
    --------
    >>> check_page("map.png")
    Traceback (most recent call last):
    ...
    ValueError: `path` must be the name of a page, such as 'map.html'; got 'map.png'.
    """
    require(
        isinstance(path, str | os.PathLike)
        and Path(path).suffix.lower() in (".html", ".htm"),
        name,
        "the name of a page, such as 'map.html'",
        path,
    )
    path = Path(path)
    if not path.parent.is_dir():
        raise ValueError(
            f"`{name}` must be in an existing folder; there is none at"
            f" {path.parent}. Create it first."
        )
    return path


@with_style
def snapshot(frame, picture, setting):
    """A frame of an explorer, the `picture`, as PNG; the same bytes each time.

    Above it are the title, the caption, and the values of the sliders (`setting`) with
    the status.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    # room for the hint
    figure.get_layout_engine().set(rect=(0, 0.025, 1, 0.975))
    ax = figure.add_subplot()
    if frame["background"] is not None:
        ax.imshow(frame["background"], extent=frame["extent"], zorder=0)
    ax.add_collection(
        LineCollection(
            frame["segments"].reshape(-1, 2, 2), colors="0.6", linewidths=0.8
        )
    )
    draw = _draw_bars if frame["bars"] else _draw_samples
    points, marks = draw(ax, frame, picture)
    for color, width in (("#222", 2.4), ("white", 1.2)):
        ax.scatter(
            *points[frame["rings"]].T,
            s=65,
            fc="none",
            ec=color,
            lw=width,
            zorder=3,
        )
    anchors = zip(
        frame["anchors"],
        picture.anchor_names,
        picture.anchor_styles,
        strict=True,
    )
    for point, name, (color, marker) in anchors:
        ax.scatter(*point, s=90, c=color, marker=marker, ec="black", zorder=4)
        ax.annotate(
            sanitize_text(name),
            point,
            (0, 11),
            textcoords="offset points",
            ha="center",
            va="center",
            zorder=5,
        )
    x, y = map(sanitize_text, frame["axis_names"] or picture.axis_names)
    x0, x1, y0, y1 = frame["limits"]
    ax.set(xlim=(x0, x1), ylim=(y0, y1), xlabel=x, ylabel=y)
    if picture.equal_aspect:
        ax.set_aspect("equal", adjustable="box")
    status = ": ".join(filter(None, (setting, frame["status"])))
    write_heading(figure, picture.title, f"{picture.caption}\n{status}")
    if marks:
        write_legend(
            figure,
            marks.values(),
            marks,
            loc="outside right center",
            markerscale=2,
        )
    # Under the frame, where it hides nothing: a stored picture says how it comes to
    # life.
    figure.text(
        0.992, 0.008, HINT, ha="right", va="bottom", size=7, color="0.4"
    )
    return figure_png(figure, dpi=100)


def _draw_samples(ax, frame, picture):
    """Draw samples; returns their positions, and marks of a legend by name."""
    from matplotlib import colormaps

    Z = frame["Z"]
    classes = {
        "kind": "category",
        "codes": picture.labels,
        "styles": picture.styles,
        "names": picture.label_names,
    }
    columns = {column["name"]: column for column in picture.columns}
    column = columns.get(picture.color_by, classes)
    # On colours, samples are opaque and edged: theirs may be the ones beneath.
    look = {"lw": 0, "alpha": 0.6}
    if frame["background"] is not None:
        look = {"lw": 0.4, "ec": "black", "alpha": 1}
    if column["kind"] == "number":
        points = ax.scatter(
            *Z.T,
            s=10,
            c=np.frombuffer(column["values"], dtype="<f8"),
            cmap=colormaps["viridis"].with_extremes(bad=MISSING),
            plotnonfinite=True,
            **look,
        )
        words = sanitize_text(picture.color_by)
        ax.figure.colorbar(points, ax=ax, label=words, shrink=0.8)
        return Z, {}
    outlined = np.array(picture.outlined or [False] * len(Z), dtype=bool)
    size = 16 if picture.side_names else 10
    marks = {}
    # in turns, or the last class would cover the others; rare ones on top
    codes = np.array(column["codes"])
    turn = np.arange(len(Z)) % 8
    turn[is_rare(np.bincount(codes))[codes]] = 8
    names = column["names"]
    for k, (c, (color, marker)) in product(
        range(9), enumerate(column["styles"])
    ):
        here = (codes == c) & (turn == k)
        if outlined.any():
            rims = Z[here & outlined].T
            ax.scatter(*rims, s=16, fc="none", ec=color, marker=marker, lw=0.8)
        full = Z[here & ~outlined].T
        marks[c] = ax.scatter(*full, s=size, c=color, marker=marker, **look)
    if not 1 < len(names) <= MOST_NAMED:
        return Z, {}
    marks = dict(zip(names, marks.values(), strict=True))
    for name, fill in zip(picture.side_names, ("none", "0.4"), strict=False):
        marks[name] = ax.scatter([], [], fc=fill, ec="0.4", lw=0.8)
    return Z, marks


def _draw_bars(ax, frame, picture):
    """Draw upper ends black or in the colour of the class, over them lower ends white.

    Returns the tops (n, 2), and marks of a legend by name.
    """
    lower, upper = frame["Z"].T
    n = len(upper)
    x = np.arange(1, n + 1)
    styles = picture.styles if len(picture.styles) > 1 else [["#222", "o"]]
    colors = np.array([color for color, _ in styles])[picture.labels]
    width = 0.72 if n < 80 else 1
    ax.bar(x, upper, width, color=colors, zorder=1.5)
    seen = lower > 0
    ax.bar(
        x[seen],
        lower[seen],
        width,
        zorder=1.6,
        color="white",
        ec=colors[seen],
        lw=min(1.2, 45 / n),
    )
    color = "#222" if len(styles) == 1 else "#777"
    marks = {
        "upper bound": ax.bar(1, 0, color=color),
        "lower bound": ax.bar(1, 0, color="white", ec="#222"),
    }
    if 1 < len(styles) <= MOST_NAMED:
        for name, (color, _) in zip(picture.label_names, styles, strict=True):
            marks[name] = ax.bar(1, 0, color=color)
    # the grid lies below the bars
    ax.set_axisbelow(True)
    ax.grid(axis="y", color="0.92")
    # names under bars: slanted, or of many long ones every so many
    names = list(map(sanitize_text, picture.bar_names))
    room = n * max(map(len, names)) / 70  # in widths of the picture
    if 1 < room and n <= 40:
        ax.set_xticks(x, names, rotation=42, ha="right", rotation_mode="anchor")
    else:
        step = int(np.ceil(room))
        ax.set_xticks(x[::step], names[::step])
    return np.column_stack([x, upper]), marks
