"""One style for all figures: ten colours, readable sizes, panels of equal frames."""

import textwrap
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from ..core import check_integer, check_number, check_positive, sanitize_text
from .inputs import AS_TEXT
from .pictures import draw_layout

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
# One marker per class: colour is never the only sign.
CLASS_MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", "p"]

STYLE_FILE = Path(__file__).with_name("toolkit.mplstyle")
WIDTH = 8.0  # of a figure at most, in inches; sizes of text are meant for it
PIXELS = 1100  # of the file of a figure at most
MOST_FRAMES_IN_ROW = 3

# Titles and their numbers by axes, to be wrapped again where the layout has changed.
_titles = WeakKeyDictionary()
# Height over width of the frames of figures that `panels` made.
_frame_ratios = WeakKeyDictionary()


@contextmanager
def _style():
    import matplotlib

    with matplotlib.rc_context(fname=STYLE_FILE):
        yield


# This decorator lets a function draw in the toolkit's style, whatever the settings are.
with_style = _style()


def class_styles(n_classes):
    """A colour and a marker for each of `n_classes`.

    Beyond ten the pairs differ, not the colours alone.

    Examples
    --------
    >>> class_styles(2)
    [('#3f90da', 'o'), ('#ffa90e', 's')]
    """
    n_colors = len(CLASS_COLORS)
    styles = []
    for c in range(n_classes):
        color = CLASS_COLORS[c % n_colors]
        marker = CLASS_MARKERS[(c + c // n_colors) % n_colors]
        styles.append((color, marker))
    return styles


@with_style
def panels(
    count,
    *,
    ratio=0.8,
    columns=MOST_FRAMES_IN_ROW,
    width=WIDTH,
    projection=None,
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
    check_integer(columns, "columns", 1, MOST_FRAMES_IN_ROW)
    check_positive(ratio, "ratio")
    check_number(width, "width", 1, WIDTH)
    rows = -(-count // columns)
    columns = -(-count // rows)  # four are two rows of two
    row_height = width / columns * ratio * 0.94 + 0.55
    figure = plt.figure(figsize=(width, rows * row_height))
    _frame_ratios[figure] = ratio
    axes = []
    for k in range(count):
        ax = figure.add_subplot(rows, columns, k + 1, projection=projection)
        axes.append(ax)
    return figure, axes


def has_equal_frames(figure):
    """Whether a figure was made by :func:`panels`."""
    return figure in _frame_ratios


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
    if below.get_text():
        # Empty lines make room for the text below.
        text = heading.get_text()
        for _ in below.get_text().split("\n"):
            text += "\n"
        heading.set_text(text)
    # The figure grows, so that frames stay as they are.
    heading_height = heading.get_window_extent().height / figure.dpi
    figure.set_figheight(height + heading_height + 0.1)


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
    _titles[ax] = f"{sanitize_text(finding)}\n{sanitize_text(number)}"
    draw_layout(ax.figure)
    _wrap_title(ax)


@with_style
def _wrap_title(ax):
    """Write the title of a frame in lines that end with its part of the figure."""
    figure_box = ax.figure.bbox
    spec = ax.get_subplotspec()
    end = 1
    if spec is not None:
        end = spec.colspan.stop / spec.get_gridspec().ncols
    left = ax.get_window_extent().x0
    room = figure_box.x0 + figure_box.width * end - left - 6
    title = ax.set_title("", loc="left", **AS_TEXT)
    _write_lines(title, _titles[ax], room)


def _write_lines(artist, text, room):
    """Set the text of an artist, with lines of at most `room` pixels."""

    def width():
        return artist.get_window_extent().width

    lines = []
    for line in text.split("\n"):
        artist.set_text(line)
        letters_of_room = int(len(line) * room / max(width(), 1))
        letters = max(12, letters_of_room)
        while width() > room and letters > 11:
            artist.set_text("\n".join(textwrap.wrap(line, letters)))
            letters -= 1
        if artist.get_text():
            lines.append(artist.get_text())
    artist.set_text("\n".join(lines))


def fit_frames(figure):
    """Wrap titles, and make a figure of :func:`panels` as high as its frames need."""
    draw_layout(figure)
    for ax in figure.axes:
        if ax in _titles:
            _wrap_title(ax)
    if not has_equal_frames(figure):
        return
    ratio = _frame_ratios[figure]
    rows = figure.axes[0].get_gridspec().nrows
    # The titles' lines stay as they are, the legend may move.
    for _ in range(2):
        draw_layout(figure)
        lacking = max(ratio * box.width - box.height for box in _frames(figure))
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
    font_sizes = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            font_sizes.append(text.get_fontsize())
    frames = []
    for box in _frames(figure):
        inches = box.size / figure.dpi
        frames.append(inches.round(2).tolist())
    return {
        "width": round(figure.get_figwidth() * file_dpi(figure)),
        "smallest_text": round(scale * min(font_sizes, default=np.inf), 2),
        "frames": frames,
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
    box = {
        "boxstyle": "round,pad=0.25",
        "fc": "white",
        "ec": "0.7",
        "alpha": 0.9,
    }
    arrow = {"arrowstyle": "->", "lw": 1.2, "color": "0.2"}
    return ax.annotate(
        sanitize_text(words),
        xy,
        at,
        bbox=box,
        arrowprops=arrow,
        ha="center",
        va="center",
        zorder=7,
    )
