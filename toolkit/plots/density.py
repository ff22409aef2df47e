"""Maps of more samples than marks could show: counts of each class in the cells of a grid, and their picture."""

import numpy as np

from ..core.arrays import check_numbers
from ..core.checks import check_integer, check_same_length
from .inputs import MOST_CLASSES, check_codes, check_points

__all__ = ["class_counts", "density_image", "in_words"]

MOST_CELLS = 4000  # on a side
FAINTEST = 0.4  # opacity of a sample alone in its cell: on white it is still seen
# 1/g and 1/g^2 for g^3 = g + 1: the fractions of row and column times these are spread evenly in the plane
LOT_STEPS = 0.7548776662466927, 0.5698402909980532


def class_counts(embedding, codes, n_classes, cell):
    """Samples of each class in the cells of a grid that holds the whole map.

    Memory and time grow with n plus the number of counts, whatever the map looks like.

    Parameters
    ----------
    embedding : array-like of shape (n, 2), n >= 1
    codes : array-like of int, shape (n,), classes from 0 to `n_classes` - 1
    n_classes : int
    cell : pair of float, width and height of a cell, in the unit of the map; at most 4,000 cells on a side

    Returns
    -------
    counts : ndarray of int, shape (h, w, n_classes), first row at the bottom; their sum is n
    extent : (x_min, x_max, y_min, y_max), outer edges of the cells

    Raises
    ------
    ValueError
        If there is no sample, a number is NaN or infinite, a class is not one of `n_classes`, or cells are too small.

    Examples
    --------
    >>> counts, extent = class_counts([[0, 0], [0.5, 0], [3, 0]], [0, 1, 1], 2, (1, 1))
    >>> counts[0].tolist(), [float(edge) for edge in extent]
    ([[1, 1], [0, 0], [0, 0], [0, 1]], [0.0, 4.0, 0.0, 1.0])
    """
    Z, n_classes = check_points(embedding), check_integer(n_classes, "n_classes", 1, MOST_CLASSES)
    codes = check_codes(codes, "codes", count=n_classes)
    check_same_length(Z, codes, ("embedding", "codes"))
    cell = check_numbers(cell, "cell", shape=(2,))
    if not (cell > 0).all():
        raise ValueError(f"`cell` must be a positive width and height; got {cell.tolist()}.")
    low, sides = Z.min(axis=0), np.floor(np.ptp(Z, axis=0) / cell) + 1
    if sides.max() > MOST_CELLS:
        rule = f"at most {MOST_CELLS} cells on a side"
        raise ValueError(f"`cell` must leave {rule}; got {sides.max():.0f} with {cell.tolist()}. Take larger cells.")
    w, h = (int(side) for side in sides)
    at = codes
    for axis, step in enumerate((n_classes, n_classes * w)):  # rounding must not lead out of the last cell
        at = at + step * np.minimum((Z[:, axis] - low[axis]) / cell[axis], sides[axis] - 1).astype(int)
    counts = np.bincount(at, minlength=h * w * n_classes).reshape(h, w, n_classes)
    high = low + cell * sides
    return counts, (low[0], high[0], low[1], high[1])


def density_image(counts, colors):
    """Each cell in the colour of one of its samples, the more opaque the more there are, by the logarithm.

    Lots are drawn evenly over the picture, so that where classes mix each has its share of the cells; a mean of colours
    would look like another class.

    Parameters
    ----------
    counts : ndarray of int, shape (h, w, k)
    colors : sequence of k colours of matplotlib

    Returns
    -------
    ndarray of uint8, shape (h, w, 4), red, green, blue and opacity; a cell without samples is transparent

    Examples
    --------
    >>> density_image([[[1, 0], [2, 2], [2, 2], [0, 0]]], ["#ff0000", "#0000ff"])[0].tolist()
    [[255, 0, 0, 168], [0, 0, 255, 255], [255, 0, 0, 255], [0, 0, 0, 0]]
    """
    from matplotlib.colors import to_rgba_array

    counts = check_numbers(counts, "counts", ndim=3)
    rgb = np.rint(255 * to_rgba_array(colors)[:, :3])
    check_same_length(counts.T, rgb, ("counts", "colors"), what="classes")
    total = counts.sum(axis=-1)  # (h, w)
    image = np.zeros((*total.shape, 4), dtype=np.uint8)
    row, column = np.indices(total.shape)
    lots = (row * LOT_STEPS[0] + column * LOT_STEPS[1]) % 1 * total
    drawn = np.argmax(np.cumsum(counts, axis=-1) > lots[..., None], axis=-1)
    image[..., :3] = np.where(total[..., None] > 0, rgb[drawn], 0)
    dense = np.log1p(total) / np.log1p(total.max(initial=1))
    image[..., 3] = np.where(total > 0, np.rint(255 * (FAINTEST + (1 - FAINTEST) * dense)), 0)
    return image


def in_words(counts, of="classes"):
    """What a picture of counts (h, w, k) shows, for those who do not see it; the k are numbers `of` something.

    Examples
    --------
    >>> in_words(np.array([[[1, 0], [2, 2], [0, 3]]]))
    'in 3 cells, up to 4 in one; 50 % of them where several classes lie'
    """
    total = counts.sum(axis=-1)
    mixed = total[np.count_nonzero(counts, axis=-1) > 1].sum() / total.sum()
    cells = f"in {np.count_nonzero(total):,} cells, up to {total.max():,} in one"
    return f"{cells}; {100 * mixed:.0f} % of them where several {of} lie"
