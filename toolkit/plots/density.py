"""Maps of more samples than marks could show: counts in the cells of a grid."""

import numpy as np

# 1/g and 1/g^2 for g^3 = g + 1: the fractions of row and column times these are spread
# evenly in the plane.
ROW_STEP = 0.7548776662466927
COLUMN_STEP = 0.5698402909980532


class Cells:
    """The cells of a grid that holds a whole map.

    Memory and time grow with n plus the number of cells, whatever the map looks like.

    Parameters
    ----------
    embedding : ndarray of shape (n, 2), n >= 1
    cell : pair of float
        Width and height of a cell, in the unit of the map.

    Attributes
    ----------
    at : ndarray of int, shape (n,)
        The cell of each sample, counted row by row.
    counts : ndarray of int, shape (h, w)
        Samples in each cell, first row at the bottom; their sum is n.
    extent : (x_min, x_max, y_min, y_max)
        Outer edges of the cells.

    Examples
    --------
    >>> cells = Cells(np.array([[0, 0], [0.5, 0], [3, 0]]), (1, 1))
    >>> cells.counts.tolist(), [float(edge) for edge in cells.extent]
    ([[2, 0, 0, 1]], [0.0, 4.0, 0.0, 1.0])
    """

    def __init__(self, embedding, cell):
        low = embedding.min(axis=0)
        sides = np.floor(np.ptp(embedding, axis=0) / cell) + 1
        # Rounding must not lead out of the last cell.
        positions = np.minimum((embedding - low) / cell, sides - 1)
        column, row = positions.astype(int).T
        w, h = sides.astype(int)
        self.at = row * w + column
        self.counts = np.bincount(self.at, minlength=h * w).reshape(h, w)
        high = low + cell * sides
        self.extent = tuple(np.column_stack([low, high]).ravel())

    def sums(self, values):
        """Sum of `values` (n,) over the samples in each cell (h, w)."""
        sums = np.bincount(self.at, values, self.counts.size)
        return sums.reshape(self.counts.shape)

    def pick(self, values):
        """One of the `values` (n,) of each cell (h, w).

        A cell without samples has NaN. Lots are drawn evenly over the picture, so that
        where values mix each has its proportion of the cells; a mean would be a value
        that no sample there needs to have, and a mean of colours would look like
        another class.

        Examples
        --------
        >>> cells = Cells(np.array([[0, 0], [0.5, 0], [3, 0]]), (1, 1))
        >>> cells.pick(np.array([2.0, 8.0, 5.0])).tolist()
        [[2.0, nan, nan, 5.0]]
        """
        has_samples = self.counts > 0
        counts = self.counts[has_samples]
        row, column = np.nonzero(has_samples)
        lots = (row * ROW_STEP + column * COLUMN_STEP) % 1
        # The values rise within each cell.
        order = np.lexsort([values, self.at])
        first = np.cumsum(counts) - counts
        drawn = np.minimum((lots * counts).astype(int), counts - 1)
        field = np.full(has_samples.shape, np.nan)
        field[has_samples] = values[order[first + drawn]]
        return field


def density_image(drawn, counts, colors, faintest):
    """Each cell in the colour of one of its samples, the more opaque the more samples.

    Parameters
    ----------
    drawn : ndarray of shape (h, w)
        Number of a colour, NaN in a cell without samples.
    counts : ndarray of int, shape (h, w)
        Samples in each cell; the opacity grows with their logarithm.
    colors : sequence of colours of matplotlib
    faintest : float from 0 to 1
        Opacity of the cells with the fewest samples.

    Returns
    -------
    ndarray of uint8, shape (h, w, 4)
        Red, green, blue and opacity; a cell without samples is transparent.

    Examples
    --------
    >>> drawn, counts = np.array([[0.0, 1.0, np.nan]]), np.array([[1, 4, 0]])
    >>> density_image(drawn, counts, ["#ff0000", "#0000ff"], 0.4).tolist()
    [[[255, 0, 0, 168], [0, 0, 255, 255], [0, 0, 0, 0]]]
    """
    from matplotlib.colors import to_rgba_array

    color_numbers = np.nan_to_num(drawn).astype(int)
    image = to_rgba_array(colors)[color_numbers]
    scale = np.log1p(counts.max())
    image[..., 3] = faintest + (1 - faintest) * np.log1p(counts) / scale
    image[counts == 0] = 0
    return np.rint(255 * image).astype(np.uint8)
