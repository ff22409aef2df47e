"""Maps by density: counts and colours of cells, and memory."""

import tracemalloc

import matplotlib
import numpy as np
from matplotlib.colors import to_rgb
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, fixture, mark

from toolkit.plots import (
    DecisionDisplay,
    MapDisplay,
    MapsDisplay,
    RegressionDisplay,
    TargetDisplay,
)
from toolkit.plots.density import Cells
from toolkit.plots.drawing import FAINTEST
from toolkit.plots.style import CLASS_COLORS

FIELD = (-4, 8, -4, 6)


@fixture
def of_cells(monkeypatch):
    """Few samples become cells, too."""
    monkeypatch.setattr("toolkit.plots.drawing.MOST_MARKS", 1)


def cloud(n, n_classes=3):
    rng = default_rng(0)
    y = rng.integers(n_classes, size=n)
    centres = 2 * np.column_stack([y, y % 2])
    return rng.normal(size=(n, 2)) + centres, y


MANY = cloud(20_001)


def pixels_of(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


def cells_of(display, which=0):
    """Colours of the cells drawn, (h, w, 4)."""
    return np.asarray(display.ax_.images[which].get_array())


@mark.parametrize("cell", [(0.1, 0.1), (0.03, 1.7), (100, 100), (1 / 3, 1 / 7)])
def test_every_sample_is_in_one_cell(cell):
    Z, y = cloud(5000)
    cells = Cells(Z, cell)
    x0, x1, y0, y1 = cells.extent
    h, w = cells.counts.shape
    row_edges = np.linspace(y0, y1, h + 1)
    edges = row_edges, np.linspace(x0, x1, w + 1)
    points = Z[y == 1, ::-1].T
    expected = np.histogram2d(*points, bins=edges)[0]
    # samples on an edge, by rounding
    assert np.abs(cells.sums(y == 1) - expected).sum() <= 4
    assert_array_equal(cells.sums(y >= 0), cells.counts)
    assert cells.counts.sum() == len(Z)


def test_a_cell_has_the_value_of_one_of_its_samples_whatever_their_order():
    Z, _ = cloud(5000)
    values = default_rng(1).normal(size=5000)
    cell = (0.4, 0.7)
    cells = Cells(Z, cell)
    field = cells.pick(values)
    assert_array_equal(cells.counts > 0, np.isfinite(field))
    places = ((Z - cells.extent[::2]) / cell).astype(int)
    column, row = places.T
    for i, j in np.argwhere(cells.counts > 0):
        assert field[i, j] in values[(row == i) & (column == j)]
    reversed_cells = Cells(Z[::-1], cell)
    assert_array_equal(reversed_cells.pick(values[::-1]), field)


def test_where_classes_mix_alike_each_part_of_the_picture_shows_it():
    """In each square of 400 cells proportions are within a standard error of chance."""
    # four samples of the first class in each cell, two of the next, one, none
    positions = np.argwhere(np.ones((60, 80, 4)))
    at = np.repeat(positions, 4800 * [4, 2, 1, 0], axis=0)
    drawn = Cells(at[:, 1::-1], np.ones(2)).pick(at[:, 2])
    is_of_class = drawn[..., None] == np.arange(4)
    for row in range(0, 41, 5):
        for column in range(0, 61, 5):
            square = is_of_class[row : row + 20, column : column + 20]
            shares = square.mean(axis=(0, 1))
            tolerance = np.sqrt(0.25 / 400)
            assert_allclose(shares, [4 / 7, 2 / 7, 1 / 7, 0], atol=tolerance)


def test_pure_cells_have_the_colour_of_their_class_and_more_samples_are_more_opaque(
    of_cells,
):
    Z = np.repeat([[0.0, 0], [1, 0], [2, 0]], [9, 1, 3], axis=0)
    display = MapDisplay(Z, np.repeat(["a", "b", "a"], [9, 1, 3])).plot()
    image = cells_of(display)[display.counts_ > 0].astype(int)
    first, second = (
        np.rint(255 * np.array(to_rgb(color))) for color in CLASS_COLORS[:2]
    )
    assert_array_equal(image[:, :3], [first, second, first])
    opacity = image[:, 3] / 255
    assert opacity[0] == 1 > opacity[2] > opacity[1] >= FAINTEST
    assert not cells_of(display)[display.counts_ == 0].any()


def test_many_samples_are_cells_few_are_marks_and_one_may_choose(legend_of):
    Z, y = MANY
    of_cells = MapDisplay(Z, y).plot()
    of_marks = MapDisplay(Z[1:], y[1:]).plot()
    assert of_cells.counts_.sum() == 20_001 and not of_cells.ax_.collections
    assert of_marks.counts_ is None and not of_marks.ax_.images
    # who gives an area of marks wants marks, and cells have no outlines
    assert MapDisplay(Z, y).plot(size=1).counts_ is None
    assert MapDisplay(Z, y, sides=y > 1).plot().counts_ is None
    *names, about = legend_of(of_cells)
    assert names == ["0", "1", "2"]
    assert about.startswith("cells: the colour of one of the samples")
    # cells have no shapes
    assert {
        mark.get_marker() for mark in of_cells.figure_.legends[0].legend_handles
    } == {"s"}


def test_cells_lie_where_the_samples_are_and_are_square(of_cells):
    display = MapDisplay([[0.0, 0.0], [4.0, 1.0]], ["a", "b"]).plot()
    x0, x1, y0, y1 = display.ax_.images[0].get_extent()
    h, w = display.counts_.shape
    assert (x1 - x0) / w == approx((y1 - y0) / h)
    assert display.counts_[0, 0] == display.counts_[-1, -1] == 1
    (left, right), (low, high) = display.ax_.get_xlim(), display.ax_.get_ylim()
    assert left < x0 < x1 < right and low < y0 < y1 < high


@mark.parametrize("same_axes", [False, True])
def test_a_sample_alone_is_seen_beside_many_others(same_axes):
    """Cells stay as large on the screen where `same_axes` makes the first map small."""
    Z = default_rng(0).normal(size=(50_000, 2))
    y = np.zeros(50_000, dtype=int)
    Z[0] = (5.3, 5.1)
    y[0] = 1
    display = MapsDisplay({"near": Z, "wide": 7.3 * Z}, y).plot(
        same_axes=same_axes
    )
    assert all(image.counts_.sum() == 50_000 for image in display.displays)
    pixels = pixels_of(display.figure_)
    for ax in display.axes_:
        at = ax.images[0].get_extent()
        # a pixel inside of the last cell, the sample's own
        x, top = ax.transData.transform((at[1], at[3])) - 1
        color = pixels[len(pixels) - 1 - int(top), int(x)]
        # orange, not blue and not white
        assert (color < 250).any() and color[0] > color[2] + 20


def test_values_of_many_samples_are_cells_in_the_colours_of_the_bar():
    """Of two values mixed alike half the cells each have the colour, none between."""
    Z = default_rng(0).normal(size=(60_000, 2))
    values = np.arange(60_000) % 2
    display = TargetDisplay(Z, values, "half").plot(limits=(0, 1))
    cells = cells_of(display)
    assert_array_equal(cells[..., 3], np.where(display.counts_ > 0, 255, 0))
    filled = cells[display.counts_ > 0][:, :3]
    colors, shares = np.unique(filled, axis=0, return_counts=True)
    ends = matplotlib.colormaps["cividis"]([0.0, 1.0], bytes=True)[:, :3]
    assert sorted(colors.tolist()) == sorted(ends.tolist())
    assert abs(shares[0] / shares.sum() - 0.5) < 0.01
    assert display.counts_.sum() == 60_000 and not display.ax_.collections


def field_display(Z, y, wrong=None):
    codes = np.tile(np.arange(3), (20, 10))
    return DecisionDisplay(
        Z, y, list("abc"), codes, FIELD, misrepresented=wrong
    )


def test_many_samples_on_a_field_are_cells_below_its_lines():
    Z, y = MANY
    display = field_display(Z, y).plot(prototypes=Z[:2], prototype_index=y[:2])
    field, cells = display.ax_.images
    lines = [c for c in display.ax_.collections if hasattr(c, "levels")]
    assert field.get_zorder() < cells.get_zorder() < lines[0].get_zorder()
    assert display.counts_.sum() == len(Z)
    assert (cells.get_array()[display.counts_ > 0][:, 3] >= 204).all()
    values = RegressionDisplay(
        Z, y, np.arange(12.0).reshape(3, 4), FIELD
    ).plot()
    assert_array_equal(values.counts_, display.counts_)
    assert len(values.ax_.images) == 2


def test_cells_are_black_where_most_samples_are_shown_as_another_class(
    legend_of,
):
    """Of two far groups all samples are wrong, or one of three in each position."""
    points = default_rng(0).normal(size=(4000, 2))
    Z = np.vstack([np.repeat(points, 3, axis=0), np.full((9000, 2), 6.0)])
    every_third = np.arange(12_000) % 3 == 0
    wrong = np.r_[every_third, np.full(9000, True)]
    display = field_display(Z, np.arange(21_000) % 3, wrong).plot()
    black = (cells_of(display, 1) == [0, 0, 0, 255]).all(axis=-1)
    assert black.sum() == 1 and display.counts_[black].sum() == 9000
    assert "mostly shown as another class than predicted" in legend_of(
        display.legend()
    )
    assert cells_of(display.plot(rings=False), 1)[..., :3][black].any()


def test_more_classes_than_colours_share_them():
    display = MapDisplay(*cloud(21_000, n_classes=25)).plot()
    filled = cells_of(display)[display.counts_ > 0]
    colors = np.unique(filled[:, :3], axis=0)
    assert len(colors) == 10


@mark.parametrize("width", [0.0, 1.0])
@mark.parametrize("equal_aspect", [True, False])
def test_points_and_lines_are_drawn_too(width, equal_aspect, of_cells):
    Z = np.outer(np.arange(30), [width, 0])
    display = MapDisplay(Z, np.arange(30) % 2).plot(equal_aspect=equal_aspect)
    assert (
        display.counts_.sum() == 30 and (pixels_of(display.figure_) < 250).any()
    )


@mark.parametrize("kind", [MapDisplay, TargetDisplay])
def test_many_samples_need_a_few_times_the_memory_of_the_map(kind):
    Z, y = cloud(300_000, n_classes=5)
    # what is loaded at the first picture does not count
    kind(Z[:30_000], y[:30_000]).plot()
    tracemalloc.start()
    try:
        display = kind(Z, y).plot()
        display.figure_.canvas.draw()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert display.counts_.sum() == 300_000
    assert peak < 4 * (Z.nbytes + y.nbytes)
