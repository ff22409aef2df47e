"""Maps of more samples than marks could show: what lies in the cells of a grid, and its picture."""

import numpy as np

__all__ = ["cell_values", "class_counts", "density_image", "in_words"]

MOST_CELLS = 4000  # on a side
FAINTEST = 0.4  # opacity of a sample alone in its cell: on white it is still seen
# 1/g and 1/g^2 for g^3 = g + 1: the fractions of row and column times these are spread evenly in the plane
LOT_STEPS = 0.7548776662466927, 0.5698402909980532


def class_counts(embedding, codes, n_classes, cell):
    """Samples of each class in the cells of a grid that holds the whole map.

    Memory and time grow with n plus the number of counts, whatever the map looks like.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2), n >= 1
    codes : ndarray of int, shape (n,), classes from 0 to `n_classes` - 1
    n_classes : int
    cell : pair of float, width and height of a cell, in the unit of the map; at most 4,000 cells on a side

    Returns
    -------
    counts : ndarray of int, shape (h, w, n_classes), first row at the bottom; their sum is n
    extent : (x_min, x_max, y_min, y_max), outer edges of the cells

    Examples
    --------
    >>> counts, extent = class_counts(np.array([[0, 0], [0.5, 0], [3, 0]]), np.array([0, 1, 1]), 2, (1, 1))
    >>> counts[0].tolist(), [float(edge) for edge in extent]
    ([[1, 1], [0, 0], [0, 0], [0, 1]], [0.0, 4.0, 0.0, 1.0])
    """
    at, (h, w), extent = _cells(embedding, cell)
    counts = np.bincount(at * n_classes + codes, minlength=h * w * n_classes).reshape(h, w, n_classes)
    return counts, extent


def cell_values(embedding, values, cell):
    """For each cell of a grid that holds the whole map the value of one of its samples, and how many it has.

    Lots are drawn evenly over the picture, so that where values mix each has its share of the cells; a mean would be a
    value that no sample there needs to have.

    Parameters
    ----------
    embedding, cell : as for :func:`class_counts`
    values : ndarray of shape (n,)

    Returns
    -------
    field : ndarray of shape (h, w), NaN in a cell without samples
    counts : ndarray of int, shape (h, w), samples in each cell, first row at the bottom
    extent : (x_min, x_max, y_min, y_max), outer edges of the cells

    Examples
    --------
    >>> field, counts, _ = cell_values(np.array([[0, 0], [0.5, 0], [3, 0]]), np.array([2.0, 8.0, 5.0]), (1, 1))
    >>> field.tolist(), counts.tolist()
    ([[2.0, nan, nan, 5.0]], [[2, 0, 0, 1]])
    """
    at, shape, extent = _cells(embedding, cell)
    counts = np.bincount(at, minlength=shape[0] * shape[1])
    rank = np.minimum((_lots(shape).ravel() * counts).astype(int), counts - 1)  # of the sample drawn, in its cell
    field, some = np.full(len(counts), np.nan), counts > 0
    field[some] = values[np.lexsort([values, at])[(np.cumsum(counts) - counts + rank)[some]]]
    return field.reshape(shape), counts.reshape(shape), extent


def _cells(Z, cell):
    """The cell of each sample (n,), how many there are, (h, w), and their outer edges."""
    cell = np.asarray(cell)
    low, sides = Z.min(axis=0), np.floor(np.ptp(Z, axis=0) / cell) + 1
    if sides.max() > MOST_CELLS:
        rule = f"at most {MOST_CELLS} cells on a side"
        raise ValueError(f"`cell` must leave {rule}; got {sides.max():.0f} with {cell.tolist()}. Take larger cells.")
    w, h = (int(side) for side in sides)
    # rounding must not lead out of the last cell
    column, row = (
        np.minimum((z - start) / width, side - 1).astype(int)
        for z, start, width, side in zip(Z.T, low, cell, sides, strict=True)
    )
    high = low + cell * sides
    return row * w + column, (h, w), (low[0], high[0], low[1], high[1])


def _lots(shape):
    """A number from [0, 1) for each cell, spread evenly over every part of the picture."""
    row, column = np.indices(shape)
    return (row * LOT_STEPS[0] + column * LOT_STEPS[1]) % 1


def density_image(counts, colors, faintest=FAINTEST):
    """Each cell in the colour of one of its samples, the more opaque the more there are, by the logarithm.

    Lots are drawn evenly over the picture, so that where classes mix each has its share of the cells; a mean of colours
    would look like another class.

    Parameters
    ----------
    counts : ndarray of int, shape (h, w, k)
    colors : sequence of k colours of matplotlib
    faintest : float from 0 to 1, opacity of the cells with the fewest samples

    Returns
    -------
    ndarray of uint8, shape (h, w, 4), red, green, blue and opacity; a cell without samples is transparent

    Examples
    --------
    >>> density_image(np.array([[[1, 0], [2, 2], [2, 2], [0, 0]]]), ["#ff0000", "#0000ff"])[0].tolist()
    [[255, 0, 0, 168], [0, 0, 255, 255], [255, 0, 0, 255], [0, 0, 0, 0]]
    """
    from matplotlib.colors import to_rgba_array

    rgb = np.rint(255 * to_rgba_array(colors)[:, :3])
    total = counts.sum(axis=-1)  # (h, w)
    image = np.zeros((*total.shape, 4), dtype=np.uint8)
    drawn = np.argmax(np.cumsum(counts, axis=-1) > (_lots(total.shape) * total)[..., None], axis=-1)
    image[..., :3] = np.where(total[..., None] > 0, rgb[drawn], 0)
    dense = np.log1p(total) / np.log1p(total.max(initial=1))
    image[..., 3] = np.where(total > 0, np.rint(255 * (faintest + (1 - faintest) * dense)), 0)
    return image


def in_words(counts, of="classes"):
    """What a picture of counts shows, for those who do not see it; of (h, w, k) the k are numbers `of` something.

    Examples
    --------
    >>> in_words(np.array([[[1, 0], [2, 2], [0, 3]]]))
    'in 3 cells, up to 4 in one; 50 % of them where several classes lie'
    """
    total = counts.sum(axis=-1) if counts.ndim == 3 else counts
    cells = f"in {np.count_nonzero(total):,} cells, up to {total.max():,} in one"
    if counts.ndim < 3:
        return cells
    mixed = total[np.count_nonzero(counts, axis=-1) > 1].sum() / total.sum()
    return f"{cells}; {100 * mixed:.0f} % of them where several {of} lie"
