"""One style for all figures: readable where a page shows them 800 pixels wide, ten colours, panels of equal frames."""

import base64
import os
import re
import textwrap
from functools import wraps
from pathlib import Path

import numpy as np

from ..core.checks import check_integer, check_number, check_positive, short_repr
from .inputs import AS_TEXT, sanitize_text
from .pictures import draw_layout, figure_png

# Ten colours that the common forms of colour blindness keep apart (Petroff, 2021;
# matplotlib's "petroff10").
CLASS_COLORS = (
    "#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6", "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd",
)  # fmt: skip
# one per class: colour is never the only sign
CLASS_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", "p")

STYLE_FILE = Path(__file__).with_name("toolkit.mplstyle")
# of a figure at most: inches, in which sizes of text are meant, and pixels of its file
WIDTH, PIXELS = 8.0, 1100
MOST_COLUMNS = 3


def with_style(draw):
    """A method that draws, in the toolkit's style whatever the settings of matplotlib are."""

    @wraps(draw)
    def in_style(*args, **kwargs):
        import matplotlib

        with matplotlib.rc_context(fname=STYLE_FILE):
            return draw(*args, **kwargs)

    return in_style


def class_styles(n_classes):
    """A colour and a marker for each of `n_classes`; beyond ten the pairs differ, not the colours alone.

    Parameters
    ----------
    n_classes : int

    Returns
    -------
    list of (color, marker)

    Examples
    --------
    >>> class_styles(2)
    [('#3f90da', 'o'), ('#ffa90e', 's')]
    """
    n = len(CLASS_COLORS)
    return [
        (CLASS_COLORS[c % n], CLASS_MARKERS[(c + c // n) % n]) for c in range(n_classes)
    ]


@with_style
def panels(count, *, ratio=0.8, columns=MOST_COLUMNS, width=WIDTH, projection=None):
    """A figure with frames of equal size, at most three in a row, all of them used.

    Parameters
    ----------
    count : int from 1
    ratio : float, default=0.8, height of a frame over its width
    columns : int from 1 to 3
    width : float up to 8, inches of the figure
    projection : str, optional, such as "3d"

    Returns
    -------
    figure : matplotlib Figure
    axes : list of `count` matplotlib Axes, row by row

    Examples
    --------
    >>> figure, axes = panels(4)
    >>> len(axes), figure.get_size_inches().round(1).tolist()
    (4, [8.0, 7.1])
    """
    from matplotlib import pyplot as plt

    count, columns = (
        check_integer(count, "count", 1, 60),
        check_integer(columns, "columns", 1, MOST_COLUMNS),
    )
    ratio, width = (
        check_positive(ratio, "ratio"),
        check_number(width, "width", 1, WIDTH),
    )
    rows = -(-count // columns)
    columns = -(-count // rows)  # four are two rows of two
    height = rows * (width / columns * ratio * 0.94 + 0.55)
    figure = plt.figure(figsize=(width, height))
    figure.frame_ratio = ratio
    return figure, [
        figure.add_subplot(rows, columns, k + 1, projection=projection)
        for k in range(count)
    ]


@with_style
def write_heading(figure, finding, about=""):
    """Over all frames: what they show together, in bold, and below it what one has to know to read them.

    Parameters
    ----------
    figure : matplotlib Figure
    finding : str, a sentence that names the data and the method
    about : str, what a parameter means at its ends, which error on which samples, and what chance would give

    Examples
    --------
    >>> figure, axes = panels(2)
    >>> write_heading(figure, "LDA separates the species of Iris", "error of the nearest neighbour; chance .67")
    >>> print(figure.get_suptitle().strip())
    LDA separates the species of Iris
    """
    from matplotlib.text import Annotation

    left, before = 0.008, figure.get_figheight()  # share of the width, inches
    heading = figure.suptitle("", x=left, ha="left", size=11, weight="bold")
    below = Annotation(
        "",
        (0, 0),
        xycoords=heading,
        ha="left",
        va="bottom",
        annotation_clip=False,
        in_layout=False,
    )
    figure.add_artist(below)
    for text, written in ((about, below), (finding, heading)):
        _write_wrapped(written, sanitize_text(text), figure.bbox.width * (1 - 2 * left))
    if about:  # empty lines make the room
        heading.set_text(heading.get_text() + "\n" * (1 + below.get_text().count("\n")))
    # frames stay as they are
    figure.set_figheight(before + heading.get_window_extent().height / figure.dpi + 0.1)


@with_style
def write_title(ax, finding, number=""):
    """Title of a frame: the finding in words, below it the number, its name and on which samples; lines are wrapped.

    Examples
    --------
    >>> figure, (ax,) = panels(1, width=3)
    >>> write_title(ax, "Labels lie near their samples", "held-out samples: 63 %")
    >>> print(ax.get_title(loc="left"))
    Labels lie near their samples
    held-out samples: 63 %
    """
    # wrapped again where the layout has changed since
    ax.title_words = (finding, number)
    draw_layout(ax.figure)
    _wrap_title(ax)


@with_style
def _wrap_title(ax):
    whole, spec = ax.figure.bbox, ax.get_subplotspec()
    end = 1 if spec is None else spec.colspan.stop / spec.get_gridspec().ncols
    # up to the end of its part of the figure
    room = whole.x0 + whole.width * end - ax.get_window_extent().x0 - 6
    _write_wrapped(
        ax.set_title("", loc="left", **AS_TEXT),
        "\n".join(map(sanitize_text, ax.title_words)),
        room,
    )


def _write_wrapped(written, text, room):
    """Lines as the text of `written`, broken where they would be wider than `room` pixels."""
    lines = []
    for line in text.split("\n"):
        written.set_text(line)
        letters = max(
            12, int(len(line) * room / max(written.get_window_extent().width, 1))
        )
        while written.get_window_extent().width > room and letters > 11:
            written.set_text("\n".join(textwrap.wrap(line, letters)))
            letters -= 1
        lines.append(written.get_text())
    written.set_text("\n".join(filter(None, lines)))


def fit_frames(figure):
    """Wrap titles where they now stand, and make a figure of :func:`panels` as high as its frames need beside these."""
    draw_layout(figure)
    for ax in figure.axes:
        if hasattr(ax, "title_words"):
            _wrap_title(ax)
    if not hasattr(figure, "frame_ratio"):
        return
    for _ in range(2):  # the titles' lines stay as they are, the legend may move
        draw_layout(figure)
        lacking = (
            max(figure.frame_ratio * box.width - box.height for box in _frames(figure))
            / figure.dpi
        )
        rows = figure.axes[0].get_gridspec().nrows
        figure.set_figheight(np.clip(figure.get_figheight() + rows * lacking, 1, 20))


def _frames(figure):
    return [
        ax.get_window_extent() for ax in figure.axes if ax.get_label() != "<colorbar>"
    ]


def file_dpi(figure):
    """Dots per inch at which a figure becomes a file: 1,100 pixels for 8 inches and more."""
    return PIXELS / max(WIDTH, figure.get_figwidth())


def figure_layout(figure):
    """What can be read where a page shows the figure: pixels of the file, points of the smallest text, frames.

    Returns
    -------
    dict
        "width": pixels of the file; "smallest_text": points at 800 pixels for 8 inches;
        "frames": width and height of each frame in inches, colour bars left out.

    Examples
    --------
    >>> figure, axes = panels(2)
    >>> found = figure_layout(figure)
    >>> found["width"], found["smallest_text"], len(found["frames"])
    (1100, 9.0, 2)
    """
    from matplotlib.text import Text

    figure.draw_without_rendering()
    scale = min(1.0, WIDTH / figure.get_figwidth())
    sizes = [
        t.get_fontsize()
        for t in figure.findobj(Text)
        if t.get_visible() and t.get_text().strip()
    ]
    return {
        "width": round(figure.get_figwidth() * file_dpi(figure)),
        "smallest_text": round(scale * min(sizes, default=np.inf), 2),
        "frames": [
            [round(box.width / figure.dpi, 2), round(box.height / figure.dpi, 2)]
            for box in _frames(figure)
        ],
    }


@with_style
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
        sanitize_text(words),
        xy,
        at,
        bbox=white,
        arrowprops=arrow,
        ha="center",
        va="center",
        zorder=7,
    )


def publish(figure, name, caption, alt):
    """Show a figure in a notebook with a caption and a text for those who do not see it.

    Where the variable ``TOOLKIT_FIGURES`` names a folder, the picture is also written
    there as ``name.png``.

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
        rule = (
            "up to 100 letters, digits, _, - and ., the first of them a letter, a digit"
            " or _"
        )
        raise ValueError(f"`name` must be the name of a file: {rule}; got {name!r}.")
    if not (caption.strip() and alt.strip()):
        raise ValueError(
            f"`caption` and `alt` of figure {name!r} must not be empty: not everybody"
            " sees the picture."
        )
    if not hasattr(figure, "savefig"):
        raise ValueError(
            f"`figure` must be a matplotlib Figure; got {short_repr(figure)}."
        )
    fit_frames(figure)
    layout = figure_layout(figure)
    picture = figure_png(figure, file_dpi(figure))
    plt.close(figure)
    if folder := os.environ.get("TOOLKIT_FIGURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(picture)
    words = textwrap.fill(f"[Figure {name}] {alt}", 110)
    png = {"image/png": base64.b64encode(picture).decode("ascii"), "text/plain": words}
    display(png, metadata={"image/png": {"alt": alt, "layout": layout}}, raw=True)
    # HTML becomes text, so that JupyterLab does not swallow it; formulas and code stay
    # as they are
    parts = r"(?P<kept>\\.|(`+).+?\2|\$.+?\$)|<|&(?=#?\w+;)"
    markdown = re.sub(
        parts, lambda found: found["kept"] or f"\\{found[0]}", caption, flags=re.DOTALL
    )
    display(
        {"text/markdown": f"*{markdown}*", "text/plain": caption},
        metadata={"caption": True},
        raw=True,
    )
