"""One style for all figures: ten colours, readable sizes, panels of equal frames."""

import os
import re
import textwrap
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ..core import (
    check_integer,
    check_number,
    check_positive,
    require,
    sanitize_text,
)
from .inputs import AS_TEXT
from .pictures import as_base64, draw_layout, figure_png

# Ten colours that the common forms of colour blindness keep apart (Petroff, 2021;
# matplotlib's "petroff10").
CLASS_COLORS = [
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#94a4a2",
    "#832db6",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#717581",
    "#92dadd",
]
# one per class: colour is never the only sign
CLASS_MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", "p"]

STYLE_FILE = Path(__file__).with_name("toolkit.mplstyle")
# of a figure at most: inches, in which sizes of text are meant, and pixels of its file
WIDTH, PIXELS = 8.0, 1100
MOST_COLUMNS = 3


@contextmanager
def _style():
    import matplotlib

    with matplotlib.rc_context(fname=STYLE_FILE):
        yield


# decorator: lets a function draw in the toolkit's style, whatever the settings are
with_style = _style()


def class_styles(n_classes):
    """A colour and a marker for each of `n_classes`.

    Beyond ten the pairs differ, not the colours alone.

    Examples
    --------
    >>> class_styles(2)
    [('#3f90da', 'o'), ('#ffa90e', 's')]
    """
    n = len(CLASS_COLORS)
    return [
        (CLASS_COLORS[c % n], CLASS_MARKERS[(c + c // n) % n])
        for c in range(n_classes)
    ]


@with_style
def panels(
    count, *, ratio=0.8, columns=MOST_COLUMNS, width=WIDTH, projection=None
):
    """Make a figure with frames of equal size, at most three in a row.

    Parameters
    ----------
    count : int from 1
        Number of frames.
    ratio : float, default=0.8
        Height of a frame over its width.
    columns : int from 1 to 3, default=3
        Largest number of frames in a row.
    width : float up to 8, default=8
        Width of the figure in inches.
    projection : str, optional
        Projection of the frames, such as "3d".

    Returns
    -------
    figure : matplotlib Figure
        The figure.
    axes : list of `count` matplotlib Axes
        The frames, row by row.

    Examples
    --------
    >>> figure, axes = panels(4)
    >>> len(axes), figure.get_size_inches().round(1).tolist()
    (4, [8.0, 7.1])
    """
    from matplotlib import pyplot as plt

    check_integer(count, "count", 1, 60)
    check_integer(columns, "columns", 1, MOST_COLUMNS)
    check_positive(ratio, "ratio")
    check_number(width, "width", 1, WIDTH)
    rows = -(-count // columns)
    columns = -(-count // rows)  # four are two rows of two
    figure = plt.figure(
        figsize=(width, rows * (width / columns * ratio * 0.94 + 0.55))
    )
    figure.frame_ratio = ratio
    return figure, [
        figure.add_subplot(rows, columns, k + 1, projection=projection)
        for k in range(count)
    ]


@with_style
def write_heading(figure, finding, about=""):
    """Write a heading over all frames of a figure.

    Parameters
    ----------
    figure : matplotlib Figure
        Figure to write on.
    finding : str
        A sentence that names the data and the method, in bold.
    about : str, default=""
        How to read the frames: what a parameter means at its ends, which error on which
        samples, the chance level.

    Examples
    --------
    >>> figure, axes = panels(2)
    >>> write_heading(figure, "LDA separates the species of Iris", "chance level 67 %")
    >>> print(figure.get_suptitle().strip())
    LDA separates the species of Iris
    """
    from matplotlib.text import Annotation

    left = 0.008  # proportion of the width
    height = figure.get_figheight()
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
    room = figure.bbox.width * (1 - 2 * left)
    _write_lines(below, sanitize_text(about), room)
    _write_lines(heading, sanitize_text(finding), room)
    if below.get_text():  # empty lines make the room
        heading.set_text(
            heading.get_text() + "\n" * (1 + below.get_text().count("\n"))
        )
    # frames stay as they are
    figure.set_figheight(
        height + heading.get_window_extent().height / figure.dpi + 0.1
    )


@with_style
def write_title(ax, finding, number=""):
    """Write the title of a frame: the finding, and below it the number.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes to write on.
    finding : str
        What the frame shows.
    number : str, default=""
        Number that shows it, with its name and samples.

    Examples
    --------
    >>> figure, (ax,) = panels(1, width=3)
    >>> write_title(ax, "Labels lie near their samples", "held-out samples: 63 %")
    >>> print(ax.get_title(loc="left"))
    Labels lie near their samples
    held-out samples: 63 %
    """
    # wrapped again where the layout has changed since
    ax.title_words = "\n".join(map(sanitize_text, (finding, number)))
    draw_layout(ax.figure)
    _wrap_title(ax)


@with_style
def _wrap_title(ax):
    """Write the title of a frame in lines that end with its part of the figure."""
    whole = ax.figure.bbox
    spec = ax.get_subplotspec()
    end = 1 if spec is None else spec.colspan.stop / spec.get_gridspec().ncols
    room = whole.x0 + whole.width * end - ax.get_window_extent().x0 - 6
    _write_lines(ax.set_title("", loc="left", **AS_TEXT), ax.title_words, room)


def _write_lines(artist, text, room):
    """Set the text of an artist, with lines of at most `room` pixels."""

    def width():
        return artist.get_window_extent().width

    lines = []
    for line in text.split("\n"):
        artist.set_text(line)
        letters = max(12, int(len(line) * room / max(width(), 1)))
        while width() > room and letters > 11:
            artist.set_text("\n".join(textwrap.wrap(line, letters)))
            letters -= 1
        lines.append(artist.get_text())
    artist.set_text("\n".join(filter(None, lines)))


def fit_frames(figure):
    """Wrap titles, and make a figure of :func:`panels` as high as its frames need."""
    draw_layout(figure)
    for ax in figure.axes:
        if hasattr(ax, "title_words"):
            _wrap_title(ax)
    if not hasattr(figure, "frame_ratio"):
        return
    rows = figure.axes[0].get_gridspec().nrows
    # the titles' lines stay as they are, the legend may move
    for _ in range(2):
        draw_layout(figure)
        lacking = max(
            figure.frame_ratio * box.width - box.height
            for box in _frames(figure)
        )
        height = figure.get_figheight() + rows * (lacking / figure.dpi)
        figure.set_figheight(np.clip(height, 1, 20))


def _frames(figure):
    """Boxes of the frames, colour bars left out."""
    return [
        ax.get_window_extent()
        for ax in figure.axes
        if ax.get_label() != "<colorbar>"
    ]


def file_dpi(figure):
    """Dots per inch of a figure's file: 1,100 pixels for 8 inches and more."""
    return PIXELS / max(WIDTH, figure.get_figwidth())


def figure_layout(figure):
    """Sizes that matter where a page shows the figure.

    Returns
    -------
    dict
        "width": pixels of the file; "smallest_text": points at 800 pixels for 8 inches;
        "frames": width and height of each frame in inches, colour bars left out.

    Examples
    --------
    >>> figure, axes = panels(2)
    >>> layout = figure_layout(figure)
    >>> layout["width"], layout["smallest_text"], len(layout["frames"])
    (1100, 9.0, 2)
    """
    from matplotlib.text import Text

    figure.draw_without_rendering()
    scale = min(1.0, WIDTH / figure.get_figwidth())
    sizes = [
        text.get_fontsize()
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip()
    ]
    return {
        "width": round(figure.get_figwidth() * file_dpi(figure)),
        "smallest_text": round(scale * min(sizes, default=np.inf), 2),
        "frames": [
            (box.size / figure.dpi).round(2).tolist() for box in _frames(figure)
        ],
    }


@with_style
def point_out(ax, words, xy, at):
    """Annotate a position of a picture, with an arrow, in data coordinates.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes to write on.
    words : str
        Text of the annotation.
    xy : pair of float
        Position of the arrow's tip.
    at : pair of float
        Middle of the text.

    Returns
    -------
    annotation : matplotlib Annotation
        The annotation.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = plt.figure().add_subplot()
    >>> point_out(ax, "an outlier", (1, 1), (0.5, 0.5)).get_text()
    'an outlier'
    """
    return ax.annotate(
        sanitize_text(words),
        xy,
        at,
        bbox={
            "boxstyle": "round,pad=0.25",
            "fc": "white",
            "ec": "0.7",
            "alpha": 0.9,
        },
        arrowprops={"arrowstyle": "->", "lw": 1.2, "color": "0.2"},
        ha="center",
        va="center",
        zorder=7,
    )


def publish(figure, name, caption, alt):
    """Show a figure in a notebook with a caption and an alternative text.

    Where the variable ``TOOLKIT_FIGURES`` names a folder, the picture is also written
    there as ``name.png``.

    Parameters
    ----------
    figure : matplotlib Figure
        Figure to show; it is closed, so that a notebook does not show it twice.
    name : str
        Name of the file: letters, digits, ``_``, ``-`` and ``.``, such as
        ``"01_scene_samples"``.
    caption : str
        What to look at, as Markdown without HTML.
    alt : str
        Alternative text: what the picture shows, with its numbers.

    Examples
    --------
    >>> publish(None, "01_scene_samples", "What to look at.", alt="")
    Traceback (most recent call last):
    ...
    ValueError: `caption` and `alt` of figure '01_scene_samples' must not be empty: \
not everybody sees the picture.
    """
    from IPython.display import display

    for data, metadata in figure_outputs(figure, name, caption, alt):
        display(data, metadata=metadata, raw=True)


def figure_outputs(figure, name, caption, alt):
    """Return what a notebook shows of a figure: picture and caption.

    Parameters
    ----------
    figure, name, caption, alt
        As for :func:`publish`.

    Returns
    -------
    outputs : list of (dict, dict)
        Data by MIME type and metadata of both.
    """
    from matplotlib import pyplot as plt

    require(
        isinstance(name, str) and re.fullmatch(r"\w[\w.-]{0,99}", name),
        "name",
        "the name of a file: up to 100 letters, digits, _, - and ., the first of them a"
        " letter, a digit or _",
        name,
    )
    if not (caption.strip() and alt.strip()):
        raise ValueError(
            f"`caption` and `alt` of figure {name!r} must not be empty: not everybody"
            " sees the picture."
        )
    require(hasattr(figure, "savefig"), "figure", "a matplotlib Figure", figure)
    fit_frames(figure)
    layout = figure_layout(figure)
    picture = figure_png(figure, file_dpi(figure))
    plt.close(figure)
    if folder := os.environ.get("TOOLKIT_FIGURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(picture)
    picture_data = {
        "image/png": as_base64(picture),
        # GitHub, nbval and print show the text in place of the picture.
        "text/plain": textwrap.fill(f"[Figure {name}] {alt}", 110),
    }
    picture_metadata = {"image/png": {"alt": alt, "layout": layout}}
    # HTML becomes text, so that JupyterLab does not swallow it; formulas and code stay
    # as they are
    markdown = re.sub(
        r"(?P<kept>\\.|(`+).+?\2|\$.+?\$)|<|&(?=#?\w+;)",
        lambda found: found["kept"] or f"\\{found[0]}",
        caption,
        flags=re.DOTALL,
    )
    caption_data = {"text/markdown": f"*{markdown}*", "text/plain": caption}
    return [(picture_data, picture_metadata), (caption_data, {"caption": True})]
