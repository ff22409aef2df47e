"""Names beside points of a picture, which cover neither each other nor, if possible, the points."""

import numpy as np

from .inputs import AS_TEXT, plain
from .pictures import settle

__all__ = ["write_names"]

# Where a name may stand: at these distances from its point, in units of its font size, and in these directions.
NAME_DISTANCES = (1.15, 2.0, 3.4, 5.4, 8.0)
NAME_ANGLES = (0, 180, 90, 270, 35, 145, 215, 325)
FONT_SIZE = 9


def write_names(ax, xy, names, taken, *, avoid=None, fitting=False, most=None, **text):
    """Write names beside points so that they cover neither each other nor, if possible, the points.

    Each name tries eight directions at growing distance and takes the position with the least overlap; a thin line
    leads back to the point when the name had to move away.

    Parameters
    ----------
    ax : matplotlib Axes, with its limits set
    xy : ndarray of shape (m, 2)
    names : sequence of m str
    taken : list of pairs of ndarray of shape (2,)
        Lower left and upper right corners, in pixels, of earlier names, to which those of these are added.
    avoid : ndarray of shape (q, 2), optional, more points not to write on
    fitting : bool, leave out names that would cover others or leave the frame
    most : int, optional, of names written
    text : further arguments of matplotlib's `Axes.annotate`

    Returns
    -------
    list of int, numbers of the names that are written

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = plt.figure().add_subplot()
    >>> write_names(ax, np.array([[0.2, 0.5], [0.8, 0.5]]), ["left", "right"], [])
    [0, 1]
    """
    figure, names = ax.figure, [plain(name) for name in names]
    settle(figure)  # a colour bar may have moved the axes
    to_pixels, to_data = ax.transData.transform, ax.transData.inverted().transform
    anchors = to_pixels(xy)
    dots = anchors if avoid is None else np.vstack([anchors, to_pixels(avoid)])
    frame = ax.get_window_extent()
    text |= {"fontsize": FONT_SIZE, "ha": "center", "va": "center"} | AS_TEXT
    white = {"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.75}
    line = {"arrowstyle": "-", "lw": 0.6, "color": "0.4"}
    written = []
    for number, (anchor, name) in enumerate(zip(anchors, names, strict=True)):
        if most is not None and len(written) == most:
            break
        label = ax.annotate(name, (0, 0), xycoords="figure pixels", **text)
        extent = label.get_window_extent()
        label.remove()
        size = np.array([extent.width + 3, extent.height + 2])
        middle, distance, fits = _free_position(anchor, size, FONT_SIZE * figure.dpi / 72, dots, taken, frame)
        if fitting and not fits:
            continue
        written.append(number)
        taken.append((middle - size / 2, middle + size / 2))
        options = {"bbox": white, "arrowprops": line if distance > 1.5 else None, "zorder": 4.2}  # below the marks
        ax.annotate(name, to_data(anchor), to_data(middle), annotation_clip=False, **options, **text)
    return written


def _free_position(anchor, size, unit, dots, taken, frame):
    """Middle of the box of a name that covers least, in pixels, its distance in font sizes, and whether it is free."""
    angles = np.radians(NAME_ANGLES)
    distances = np.repeat(NAME_DISTANCES, len(angles))
    directions = np.tile(np.column_stack([np.cos(angles), np.sin(angles)]), (len(NAME_DISTANCES), 1))
    middles = anchor + directions * (size / 2 + distances[:, None] * unit)
    low, high = middles - size / 2, middles + size / 2
    covered = sum(np.prod(np.maximum(np.minimum(high, b) - np.maximum(low, a), 0), axis=1) for a, b in taken)
    covered = covered + np.zeros(len(middles))  # also of no names at all an array
    hidden = np.all((dots[:, None] > low) & (dots[:, None] < high), axis=2).sum(axis=0)
    outside = np.any((low < frame.min) | (high > frame.max), axis=1)
    cost = 400 * covered / np.prod(size) + (3.0 * np.minimum(hidden, 3) + 1.5 * distances) + 60 * outside
    best = cost.argmin()
    return middles[best], distances[best], not (covered[best] or outside[best])
