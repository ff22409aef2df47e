"""Maps by density: every sample is counted once, cells have the colours of their classes, memory stays small."""

import tracemalloc

import matplotlib

matplotlib.use("agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from toolkit.plots import DecisionDisplay, MapDisplay, MapsDisplay, RegressionDisplay, TargetDisplay
from toolkit.plots.density import FAINTEST, cell_values, class_counts, density_image
from toolkit.plots.style import CLASS_COLORS


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def cloud(n, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    return rng.normal(size=(n, 2)) + 2 * np.column_stack([y, y % 2]), y


def drawn(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


@pytest.mark.parametrize("cell", [(0.1, 0.1), (0.03, 1.7), (100, 100), (1 / 3, 1 / 7)])
def test_every_sample_is_in_one_cell_of_its_class(cell):
    Z, y = cloud(5000)
    counts, (x0, x1, y0, y1) = class_counts(Z, y, 4, cell)
    np.testing.assert_array_equal(counts.sum(axis=(0, 1)), np.bincount(y, minlength=4))
    edges = np.linspace(y0, y1, counts.shape[0] + 1), np.linspace(x0, x1, counts.shape[1] + 1)
    same = [np.histogram2d(Z[y == c, 1], Z[y == c, 0], bins=edges)[0] for c in range(4)]
    moved = np.abs(counts - np.moveaxis(same, 0, -1)).sum()
    assert moved <= 4  # samples on an edge, by rounding


def test_a_lattice_fills_its_cells_evenly():
    """Middles of 4 x 3 cells of width 1 from the first sample on: one sample each, also on the far edges."""
    Z = np.array([(x, y) for y in range(3) for x in range(4)], dtype=float)
    counts, extent = class_counts(Z, np.zeros(12, dtype=int), 1, (1, 1))
    assert counts.shape == (3, 4, 1) and (counts == 1).all() and extent == (0, 4, 0, 3)


def test_order_of_rows_does_not_matter():
    Z, y = cloud(4000)
    order = np.random.default_rng(1).permutation(4000)
    for a, b in zip(class_counts(Z, y, 3, (0.1, 0.2)), class_counts(Z[order], y[order], 3, (0.1, 0.2)), strict=True):
        np.testing.assert_array_equal(a, b)


def colors_in(image):
    """Which of four classes has the colour of a cell: bool, shape (h, w, 4)."""
    colors = np.rint(255 * np.array([to_rgb(color) for color in CLASS_COLORS[:4]]))
    return (image[..., None, :3] == colors).all(axis=-1)


def test_cells_have_colours_of_their_classes_and_each_class_its_share():
    counts = np.random.default_rng(0).multinomial(7, [0.5, 0.3, 0.2, 0.0], size=(60, 80))
    which = colors_in(density_image(counts, CLASS_COLORS[:4]))
    assert (which.sum(axis=-1) == 1).all() and (counts[which] > 0).all()  # no colour that no sample there has
    wanted, noise = counts.sum(axis=(0, 1)) / counts.sum(), np.sqrt(0.25 / (60 * 80))  # of lots drawn by chance
    np.testing.assert_allclose(which.mean(axis=(0, 1)), wanted, atol=3 * noise)
    # in another order of the classes the lots fall otherwise, and the shares stay
    order = np.array([2, 0, 1, 3])
    other = colors_in(density_image(counts[..., order], np.array(CLASS_COLORS[:4])[order]))
    np.testing.assert_allclose(other.mean(axis=(0, 1)), wanted, atol=3 * noise)


def test_where_classes_mix_alike_each_part_of_the_picture_shows_it():
    """Lots drawn evenly: in each square of 400 cells the shares are nearer than one standard error of chance."""
    counts = np.tile([4, 2, 1, 0], (60, 80, 1))
    which = colors_in(density_image(counts, CLASS_COLORS[:4]))
    for row in range(0, 41, 5):
        for column in range(0, 61, 5):
            shares = which[row : row + 20, column : column + 20].mean(axis=(0, 1))
            np.testing.assert_allclose(shares, [4 / 7, 2 / 7, 1 / 7, 0], atol=np.sqrt(0.25 / 400))


def test_pure_cells_have_the_colour_of_their_class_and_more_samples_are_more_opaque():
    counts = np.array([[[9, 0], [0, 1], [3, 0], [0, 0]]])
    image = density_image(counts, CLASS_COLORS[:2])[0].astype(int)
    first, second = (np.rint(255 * np.array(to_rgb(color))) for color in CLASS_COLORS[:2])
    np.testing.assert_array_equal(image[:3, :3], [first, second, first])
    opacity = image[:, 3] / 255
    assert opacity[0] == 1 > opacity[2] > opacity[1] >= FAINTEST and opacity[3] == 0


def test_many_samples_are_cells_few_are_marks_and_one_may_choose():
    Z, y = cloud(20_001)
    of_cells, of_marks = MapDisplay(Z, y).plot(), MapDisplay(Z[1:], y[1:]).plot()
    assert of_cells.counts_.sum() == 20_001 and not of_cells.ax_.collections and len(of_cells.figure_.legends) == 1
    assert of_marks.counts_ is None and not of_marks.ax_.images
    assert MapDisplay(Z, y).plot(size=1).counts_ is None  # who gives an area of marks wants marks
    assert MapDisplay(Z, y).plot(density=False).counts_ is None
    assert MapDisplay(Z[:50], y[:50]).plot(density=True).counts_.sum() == 50
    assert of_cells.alt_.startswith("20,001 samples of 3 classes in ")
    words = [text.get_text() for text in of_cells.figure_.legends[0].get_texts()]
    assert words[:3] == ["0", "1", "2"] and words[3].startswith("cells: the colour of one of the samples")
    assert {mark.get_marker() for mark in of_cells.figure_.legends[0].legend_handles} == {"s"}  # cells have no shapes
    assert of_marks.alt_ == "20,000 samples of 3 classes"


def test_cells_lie_where_the_samples_are_and_are_square():
    Z = np.array([[0.0, 0.0], [4.0, 1.0]])
    display = MapDisplay(Z, ["a", "b"]).plot(density=True)
    x0, x1, y0, y1 = display.ax_.images[0].get_extent()
    h, w, _ = display.counts_.shape
    assert (x1 - x0) / w == pytest.approx((y1 - y0) / h) and display.ax_.get_aspect() == 1
    assert display.counts_[0, 0].tolist() == [1, 0] and display.counts_[-1, -1].tolist() == [0, 1]
    (left, right), (low, high) = display.ax_.get_xlim(), display.ax_.get_ylim()
    assert left < x0 < x1 < right and low < y0 < y1 < high


@pytest.mark.parametrize("one_frame", [False, True])
def test_a_sample_alone_is_seen_beside_many_others(one_frame):
    """With `one_frame` the first map is small in the limits of the second: its cells stay as large on the screen."""
    Z, y = np.random.default_rng(0).normal(size=(50_000, 2)), np.zeros(50_000, dtype=int)
    Z[0], y[0] = (5.3, 5.1), 1
    display = MapsDisplay({"near": Z, "wide": 7.3 * Z}, y).plot(one_frame=one_frame)
    assert all(image.counts_.sum() == 50_000 for image in display.displays)
    pixels = drawn(display.figure_)
    for ax in display.axes_:
        at = ax.images[0].get_extent()
        x, top = ax.transData.transform((at[1], at[3])) - 1  # a pixel inside of the last cell, the sample's own
        color = pixels[len(pixels) - 1 - int(top), int(x)]
        assert (color < 250).any() and color[0] > color[2] + 20  # orange, not blue and not white


def test_highlighted_samples_and_prototypes_are_marks_on_top():
    Z, y = cloud(30_000)
    chosen = np.zeros(30_000, dtype=bool)
    chosen[:7] = True
    display = MapDisplay(Z, y, highlighted=chosen, prototypes=Z[:3], prototype_labels=y[:3]).plot()
    marks = np.vstack([c.get_offsets() for c in display.ax_.collections])
    assert len(marks) == 10 and np.isin(Z[:7], marks).all()
    assert min(c.get_zorder() for c in display.ax_.collections) > display.ax_.images[0].get_zorder()


def test_a_cell_has_the_value_of_one_of_its_samples():
    Z, _ = cloud(5000)
    values = np.random.default_rng(1).normal(size=5000)
    field, counts, (x0, x1, y0, y1) = cell_values(Z, values, (0.4, 0.7))
    assert counts.sum() == 5000 and np.array_equal(counts > 0, np.isfinite(field))
    row, column = ((Z[:, 1] - y0) / 0.7).astype(int), ((Z[:, 0] - x0) / 0.4).astype(int)
    for i, j in np.argwhere(counts > 0):
        assert field[i, j] in values[(row == i) & (column == j)]
    again, same, _ = cell_values(Z[::-1], values[::-1], (0.4, 0.7))
    np.testing.assert_array_equal(again, field)
    np.testing.assert_array_equal(same, counts)
    assert (x1 - x0) / 0.4 == pytest.approx(counts.shape[1]) and (y1 - y0) / 0.7 == pytest.approx(counts.shape[0])


def test_classes_as_values_are_drawn_by_the_same_lots():
    """Numbers of classes as values, and counts of classes: the same cells, the same colours."""
    Z, y = cloud(20_000, n_classes=4)
    field, total, extent = cell_values(Z, y, (0.1, 0.1))
    counts, same = class_counts(Z, y, 4, (0.1, 0.1))
    drawn_class = np.argmax(colors_in(density_image(counts, CLASS_COLORS[:4])), axis=-1)
    np.testing.assert_array_equal(drawn_class[total > 0], field[total > 0])
    np.testing.assert_array_equal(total, counts.sum(axis=-1))
    assert extent == same


def test_values_of_many_samples_are_cells_in_the_colours_of_the_bar():
    """Two values mixed alike: cells have the two colours of the ends, each half of them, and none between."""
    Z = np.random.default_rng(0).normal(size=(60_000, 2))
    values = np.arange(60_000) % 2
    display = TargetDisplay(Z, values, "half").plot(limits=(0, 1))
    cells = np.asarray(display.ax_.images[0].get_array())
    np.testing.assert_array_equal(cells[..., 3], np.where(display.counts_ > 0, 255, 0))
    image = cells[display.counts_ > 0]
    colors, shares = np.unique(image[:, :3], axis=0, return_counts=True)
    ends = matplotlib.colormaps["cividis"]([0.0, 1.0], bytes=True)[:, :3]
    assert sorted(colors.tolist()) == sorted(ends.tolist()) and abs(shares[0] / shares.sum() - 0.5) < 0.01
    assert display.counts_.sum() == 60_000 and not display.ax_.collections
    assert display.alt_ == f"60,000 samples in {len(image):,} cells, up to {display.counts_.max():,} in one"
    assert display.figure_.axes[-1].get_ylabel() == "half"
    few = TargetDisplay(Z[:20_000], values[:20_000]).plot()
    assert few.counts_ is None and few.alt_ == "20,000 samples" and not few.ax_.images
    assert TargetDisplay(Z, values).plot(size=2).counts_ is None
    with pytest.raises(ValueError, match="`density` must be True or False"):
        few.plot(density=1.5)


def field_display(Z, y, wrong=None):
    codes = np.tile(np.arange(3), (20, 10))
    return DecisionDisplay(Z, y, list("abc"), codes, (-4, 8, -4, 6), misrepresented=wrong)


def test_many_samples_on_a_field_are_cells_below_its_lines():
    Z, y = cloud(21_000)
    display = field_display(Z, y).plot(prototypes=Z[:2], prototype_index=y[:2])
    field, cells = display.ax_.images
    lines = [c for c in display.ax_.collections if type(c).__name__ == "QuadContourSet"]
    assert field.get_zorder() < cells.get_zorder() < min(line.get_zorder() for line in lines)
    assert display.counts_.sum() == 21_000 and (cells.get_array()[display.counts_.sum(axis=-1) > 0][:, 3] >= 204).all()
    assert display.ax_.get_aspect() == 1 and not display.misrepresented.any()
    assert sum(len(c.get_offsets()) for c in display.ax_.collections if c not in lines) == 2  # the prototypes alone
    assert field_display(Z[:500], y[:500]).plot().counts_ is None


def test_cells_are_black_where_most_samples_are_shown_as_another_class():
    """Two far groups: in one all samples are shown wrong, in the other one of three in each place."""
    Z = np.vstack([np.repeat(np.random.default_rng(0).normal(size=(4000, 2)), 3, axis=0), np.full((9000, 2), 6.0)])
    wrong = np.concatenate([np.arange(12_000) % 3 == 0, np.ones(9000, dtype=bool)])
    display = field_display(Z, np.arange(21_000) % 3, wrong).plot()
    image = np.asarray(display.ax_.images[1].get_array())
    black = (image == [0, 0, 0, 255]).all(axis=-1)
    assert black.sum() == 1 and display.counts_[black].sum() == 9000
    assert display.alt_.endswith("; 62 % shown as another class than the model says")
    display.legend()
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert "mostly shown as another class than the model says" in legend
    assert not (np.asarray(display.plot(rings=False).ax_.images[1].get_array())[..., :3][black] == 0).all()


def test_targets_of_many_samples_on_the_field_of_a_regressor():
    Z, y = cloud(25_000)
    display = RegressionDisplay(Z, y, np.arange(12.0).reshape(3, 4), (-4, 8, -4, 6), name="y").plot()
    assert (
        display.counts_.sum() == 25_000 and len(display.ax_.images) == 2 and display.alt_.startswith("25,000 samples")
    )
    assert RegressionDisplay(Z, y, np.zeros((2, 2)), (-4, 8, -4, 6)).plot(density=False).counts_ is None


def test_more_classes_than_colours_share_them():
    Z, y = cloud(21_000, n_classes=25)
    display = MapDisplay(Z, y).plot()
    np.testing.assert_array_equal(display.counts_.sum(axis=(0, 1)), np.bincount(y % 10))
    assert display.alt_.endswith("several colours lie")


@pytest.mark.parametrize("Z", [np.zeros((30, 2)), np.column_stack([np.arange(30.0), np.zeros(30)])])
@pytest.mark.parametrize("equal_aspect", [True, False])
def test_points_and_lines_are_drawn_too(Z, equal_aspect):
    display = MapDisplay(Z, np.arange(30) % 2).plot(density=True, equal_aspect=equal_aspect)
    assert display.counts_.sum() == 30 and (drawn(display.figure_) < 250).any()


def test_what_cannot_be_drawn_is_refused():
    Z, y = cloud(30)
    Z_with_gap = Z.copy()
    Z_with_gap[3, 1] = np.nan
    with pytest.raises(ValueError, match="`embedding` .*NaN"):
        MapDisplay(Z_with_gap, y)
    with pytest.raises(ValueError, match="`cell` must leave at most 4000 cells on a side"):
        class_counts(Z, y, 3, (1e-6, 1))
    with pytest.raises(ValueError, match="`density` must be False where there are `sides`"):
        MapDisplay(Z, y, sides=["here", "there"] * 15).plot(density=True)
    with pytest.raises(ValueError, match="`density` must be True or False"):
        MapDisplay(Z, y).plot(density="yes")


@pytest.mark.parametrize("kind", [MapDisplay, TargetDisplay])
def test_a_million_samples_need_a_few_times_the_memory_of_the_map(kind):
    Z, y = cloud(1_000_000, n_classes=5)
    kind(Z[:30_000], y[:30_000]).plot()  # what is loaded at the first picture does not count
    tracemalloc.start()
    try:
        display = kind(Z, y).plot()
        display.figure_.canvas.draw()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert display.counts_.sum() == 1_000_000
    assert most < 4 * (Z.nbytes + y.nbytes)
