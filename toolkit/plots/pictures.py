"""PNG files, small and reproducible: figures with a palette, arrays, thumbnails."""

import base64
import io

import numpy as np
from scipy.spatial import cKDTree

from ..core import largest

# A palette of PNG holds 256; these look the same and the files have an eighth less.
N_COLORS = 160
# The most frequent colours of a picture stay as they are, so that white stays white.
N_EXACT_COLORS = 12
# Products with these are red, green and blue as one number.
RGB_WEIGHTS = np.array([1 << 16, 1 << 8, 1])


def in_words(values):
    """Put values with names in words, for an alternative text.

    Parameters
    ----------
    values : Series or dict
        Values by name.

    Returns
    -------
    text : str
        Each name with its value.

    Examples
    --------
    >>> in_words({"age": 0.2, "bmi": 24})
    'age 0.2, bmi 24'
    """
    return ", ".join(f"{name} {value}" for name, value in values.items())


def figure_png(figure, dpi):
    """PNG of a figure, with a palette of the figure's colours.

    It has a third to a quarter of the bytes of the full picture. The rarest colours are
    kept too (maximum coverage). Nothing is dithered: dots make areas grainy and files
    larger.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure)
    layout = figure.get_layout_engine()
    figure.set_dpi(dpi)
    draw_layout(figure)
    # The layout of frames of equal aspect settles at the second time only.
    draw_layout(figure)
    # The figure is drawn as it stands now, not laid out again.
    figure.set_layout_engine("none")
    canvas.draw()
    figure.set_layout_engine(layout)
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba()))
    return _png(_with_palette(picture.convert("RGB")))


def draw_layout(figure):
    """Put the parts of a figure, also of a subfigure, where they will be drawn."""
    figure = figure.canvas.figure
    if (layout := figure.get_layout_engine()) is not None:
        layout.execute(figure)
    for ax in figure.axes:
        ax.apply_aspect()


def lossless_png(pixels):
    """PNG of exactly these pixels, uint8 (h, w, 3) from the top row down."""
    from PIL import Image

    return _png(Image.fromarray(np.ascontiguousarray(pixels)))


def as_base64(content):
    """Bytes as text, such as of a picture in a page."""
    return base64.b64encode(content).decode("ascii")


def thumbnail(png, width):
    """A PNG in base64 made smaller, if it is wider than `width` pixels."""
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        if picture.width <= width:
            return png
        small = picture.convert("RGB")
    small.thumbnail((width, small.height), Image.LANCZOS, reducing_gap=None)
    return as_base64(_png(_with_palette(small)))


def _with_palette(picture):
    """A picture in few of its colours, each pixel in the nearest of them."""
    from PIL import Image

    rgb = np.asarray(picture)
    colors, index, counts = np.unique(
        rgb @ RGB_WEIGHTS, return_inverse=True, return_counts=True
    )
    if len(colors) > N_COLORS:
        frequent_colors = colors[largest(counts, N_EXACT_COLORS)]
        n_typical = N_COLORS - N_EXACT_COLORS
        # Every second pixel of every second row says which colours there are, in a
        # quarter of the time.
        sample = Image.fromarray(np.ascontiguousarray(rgb[::2, ::2]))
        sample = sample.quantize(
            n_typical,
            method=Image.Quantize.MAXCOVERAGE,
            kmeans=1,
            dither=Image.Dither.NONE,
        )
        rgb_of_sample = np.reshape(sample.getpalette(), (-1, 3))
        typical_colors = rgb_of_sample[:n_typical] @ RGB_WEIGHTS
        palette = np.unique(np.concatenate([frequent_colors, typical_colors]))
        nearest = cKDTree(_to_rgb(palette)).query(_to_rgb(colors))[1]
        colors = palette
        index = nearest[index]
    pixels = index.reshape(rgb.shape[:2]).astype(np.uint8)
    small = Image.fromarray(pixels, mode="P")
    small.putpalette(_to_rgb(colors).astype(np.uint8).tobytes())
    return small


def _to_rgb(colors):
    """Red, green and blue (m, 3) of colours as one number each."""
    return colors[:, None] // RGB_WEIGHTS % 256


def _png(picture):
    """A picture of Pillow as the bytes of a PNG file."""
    buffer = io.BytesIO()
    picture.save(buffer, format="png", optimize=True)
    return buffer.getvalue()
