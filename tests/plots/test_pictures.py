"""Stored pictures: small, the same bytes every time, and the same to the eye."""

import base64
import io

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.random import default_rng
from numpy.testing import assert_array_equal
from PIL import Image

from toolkit.plots.decisions import decision_image
from toolkit.plots.pictures import figure_png, lossless_png, thumbnail
from toolkit.plots.style import CLASS_COLORS


def drawing():
    """A smooth field of eight classes under marks, and words."""
    figure = Figure(figsize=(6, 4))
    ax = figure.add_subplot()
    y, x = np.mgrid[:1:60j, :1:90j]
    codes = (8 * x).astype(int).clip(0, 7)
    wave = np.abs(np.sin(8 * np.pi * x)) * y
    bell = np.exp(-(((x - 0.5) / 0.4) ** 2))
    image = decision_image(codes, wave, bell)
    ax.imshow(
        image, interpolation="bilinear", extent=(0, 1, 0, 1), aspect="auto"
    )
    for c, color in enumerate(CLASS_COLORS):
        points = default_rng(c).uniform(size=(2, 20))
        ax.scatter(*points, c=color, ec="white", lw=0.4)
    ax.set_title("a title with its letters in black")
    return figure


def pixels(png):
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def true_png(figure, dpi):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def test_a_figure_has_a_palette_a_third_of_the_bytes_and_the_same_look():
    """No pixel is off by more than 40 of 255 levels, white is exactly white."""
    small = figure_png(drawing(), 120)
    true = true_png(drawing(), 120)
    with Image.open(io.BytesIO(small)) as picture:
        assert picture.format == "PNG" and picture.mode == "P"
    assert len(small) < len(true) / 3
    difference = np.abs(pixels(small) - pixels(true))
    assert difference.mean() < 2 and difference.max() <= 40
    assert np.percentile(difference.max(axis=2), 99) <= 8
    assert (pixels(small)[:20] == 255).all()


def test_a_figure_of_few_colours_keeps_the_thinnest():
    figure = Figure(figsize=(3, 2), facecolor="white")
    figure.add_artist(
        matplotlib.lines.Line2D([0.1, 0.9], [0.2, 0.7], color="#D55E00", lw=0.6)
    )
    assert (
        np.abs(
            pixels(figure_png(figure, 100)) - pixels(true_png(figure, 100))
        ).max()
        <= 3
    )


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 5, 3), (100, 100, 3)])
def test_an_array_comes_back_as_it_was(shape):
    pixels_drawn = default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    assert_array_equal(pixels(lossless_png(pixels_drawn)), pixels_drawn)
    assert_array_equal(
        pixels(lossless_png(pixels_drawn[::-1])), pixels_drawn[::-1]
    )


def test_a_thumbnail_is_smaller_and_never_larger():
    full_picture = base64.b64encode(true_png(drawing(), 100)).decode()
    small = thumbnail(full_picture, 150)
    assert pixels(base64.b64decode(small)).shape == (100, 150, 3)
    assert len(small) < len(full_picture) / 4
    assert thumbnail(small, 150) == small and thumbnail(small, 400) == small
