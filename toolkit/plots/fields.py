"""Fields of colours behind samples: extent, trust, interpolation, lines."""

import numpy as np

from ..core import check_box
from .drawing import Display
from .inputs import check_field
from .style import file_dpi

LEAST_TRUST = 0.3  # of a cell that has lines, and a surface
UNTRUSTED_COLOR = np.full(3, 0.93)  # of regions without samples


class FieldDisplay(Display):
    """Common parts of displays of a field: extent, trusted part, lines."""

    def _read_field(self, extent, trust, shape):
        """Keep the edges of a field (h, w), and its trust, by default full.

        `extent` is x_min, x_max, y_min, y_max; `trust` (h, w) is from 0 to 1; `shape`
        is (h, w).
        """
        self.extent = check_box(extent, "extent")
        trust = np.ones(shape) if trust is None else trust
        self.trust = check_field(trust, "trust", shape)

    def _draw_field(self, ax, image):
        """Draw a field (h, w, 3) with bilinear interpolation between its cells.

        A new figure is as tall as the field needs. Returns the axes.

        `image` holds the colours as uint8.
        """
        from PIL import Image

        x0, x1, y0, y1 = self.extent
        height = 6.4 * (y1 - y0) / (x1 - x0) + 0.9
        ax = self._canvas(ax, (6.4, np.clip(height, 2.2, 8)))
        h, w = image.shape[:2]
        inches = ax.get_window_extent().width / ax.figure.dpi
        # A column for three pixels of the figure looks the same as one for each, and
        # the file is smaller.
        columns = inches * file_dpi(ax.figure) / 3
        finer = max(1, int(np.ceil(columns / w)))
        size = (finer * w, finer * h)
        picture = Image.fromarray(image).resize(size, Image.Resampling.BILINEAR)
        ax.imshow(np.asarray(picture), extent=self.extent, zorder=0)
        ax.set_facecolor(UNTRUSTED_COLOR)
        self._frame(ax)
        return ax

    def _draw_lines(self, ax, field, **look):
        """Lines of equal value, if there are any, none far from samples."""
        trusted = np.ma.masked_array(field, self.trust < LEAST_TRUST)
        if len(np.unique(trusted.compressed())) > 1:
            x, y = cell_centers(self.extent, field.shape)
            ax.contour(x, y, trusted, **look)


def fade(colors, trust):
    """Colours (h, w, 3) as uint8, the greyer the less they are trusted."""
    trust = np.expand_dims(trust, -1)
    mixture = trust * colors + (1 - trust) * UNTRUSTED_COLOR
    return np.round(255 * mixture).astype(np.uint8)


def cell_centers(extent, shape):
    """Middles of the cells, along x and along y."""
    x0, x1, y0, y1 = extent
    h, w = shape
    return [_middles(x0, x1, w), _middles(y0, y1, h)]


def _middles(low, high, count):
    """Middles of `count` equal parts of an interval."""
    return low + (np.arange(count) + 0.5) * (high - low) / count
