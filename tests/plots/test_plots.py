"""Displays: what is drawn is what was computed, and everything can be read."""

import matplotlib

matplotlib.use("agg")

import base64
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

from toolkit.multilabel import FeatureLabelEigenmap, SampleLabelMap
from toolkit.plots import (
    DecisionDisplay,
    FeatureLabelDisplay,
    MapDisplay,
    RegressionDisplay,
    SampleLabelDisplay,
    TargetDisplay,
    ellipse_segments,
    panels,
    publish,
    voronoi_segments,
)
from toolkit.plots.decisions import decision_image, value_image
from toolkit.plots.names import write_names
from toolkit.plots.style import CLASS_COLORS, class_styles, measured


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def fitted():
    rng = np.random.default_rng(0)
    Y = np.eye(3, dtype=int)[np.arange(60) % 3]
    Y[::6, 1] = 1
    X = Y @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(60, 4))
    return SampleLabelMap().fit(X, Y), X, Y


def nearest(points, grid):
    return np.argmin(((grid[:, None] - points) ** 2).sum(axis=-1), axis=1)


def test_voronoi_edges_lie_half_way_between_their_two_nearest_points():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(7, 2))
    edges = voronoi_segments(points, (-3, 3, -3, 3))
    t = np.linspace(0.001, 0.999, 50)[:, None]
    for x0, y0, x1, y1 in edges:
        d = np.sort(np.linalg.norm((np.array([x0, y0]) * (1 - t) + np.array([x1, y1]) * t)[:, None] - points, axis=-1))
        np.testing.assert_allclose(d[:, 0], d[:, 1], rtol=1e-6)


def test_voronoi_edges_separate_every_pair_of_neighbouring_cells():
    """Walking across the box, the nearest point changes exactly where an edge is crossed."""
    points = np.random.default_rng(1).normal(size=(6, 2))
    edges = voronoi_segments(points, (-3, 3, -3, 3))
    xs = np.linspace(-3, 3, 4001)
    for y in (-1.234, 0.1, 0.777):
        changes = np.count_nonzero(np.diff(nearest(points, np.column_stack([xs, np.full(4001, y)]))))
        crossed = sum(
            (y0 - y) * (y1 - y) < 0 and -3 < x0 + (y - y0) / (y1 - y0) * (x1 - x0) < 3 for x0, y0, x1, y1 in edges
        )
        assert changes == crossed


@pytest.mark.parametrize("points", [np.zeros((1, 2)), np.zeros((4, 2))])
def test_one_cell_has_no_edges(points):
    assert voronoi_segments(points, (-1, 1, -1, 1)).shape == (0, 4)


def test_collinear_points_have_parallel_edges():
    points = np.column_stack([np.arange(4.0), np.zeros(4)])
    np.testing.assert_allclose(np.sort(voronoi_segments(points, (-1, 4, -1, 1))[:, 0]), [0.5, 1.5, 2.5], atol=1e-6)


def test_styles_of_many_classes_are_all_different():
    assert len(set(class_styles(64))) == 64


def test_names_do_not_cover_each_other():
    figure, ax = plt.subplots(figsize=(5, 5))
    rng = np.random.default_rng(0)
    xy = rng.normal(size=(12, 2)) * 0.4
    ax.set(xlim=(-2, 2), ylim=(-2, 2))
    figure.canvas.draw()
    assert write_names(ax, xy, [f"a long name {i}" for i in range(12)], []) == list(range(12))
    figure.canvas.draw()
    boxes = [Text.get_window_extent(t) for t in ax.texts]  # the text alone, not its leading line
    assert len(boxes) == 12
    overlaps = sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert overlaps == 0


def test_sample_label_display_draws_every_sample_and_label(fitted):
    sla, X, Y = fitted
    display = SampleLabelDisplay.from_estimator(sla, X, Y, ["sea", "sky", "sand"])
    drawn = display.plot().ax_.collections
    offsets = np.vstack([c.get_offsets() for c in drawn if hasattr(c, "get_offsets")])
    for point in np.vstack([sla.embedding_, sla.label_embedding_]):
        assert np.isclose(offsets, point).all(axis=1).any()
    assert {"sea", "sky", "sand"} <= {t.get_text() for t in display.ax_.texts}
    assert display.ax_.get_aspect() == 1
    only_single = display.plot(composites=False, cells=False).ax_
    assert sum(len(c.get_offsets()) for c in only_single.collections) == np.sum(Y.sum(axis=1) == 1) + 3


def test_names_of_columns_are_those_of_features_and_labels(fitted):
    sla, X, Y = fitted
    columns = ["sea", "sky", "sand"]
    table, labels = pd.DataFrame(abs(X), columns=list("abcd")), pd.DataFrame(Y, columns=columns)
    display = FeatureLabelDisplay.from_estimator(FeatureLabelEigenmap().fit(table, labels))
    assert (display.feature_names, display.label_names) == (list("abcd"), columns)
    named = SampleLabelMap().fit(X, labels)
    for model, Y_given in ((named, Y), (named, labels), (sla, labels)):
        assert SampleLabelDisplay.from_estimator(model, X, Y_given).label_names == columns
    assert SampleLabelDisplay.from_estimator(sla, X, Y).label_names == ["0", "1", "2"]
    with pytest.raises(ValueError, match="`Y` must have the columns that the map was fitted to.*got .'sky', 'sea'"):
        SampleLabelDisplay.from_estimator(named, X, labels[["sky", "sea", "sand"]])


def test_alt_text_speaks_the_numbers_of_the_map(fitted):
    sla, X, Y = fitted
    text = SampleLabelDisplay.from_estimator(sla, X, Y, ["sea", "sky", "sand"]).alt_text()
    x, y = sla.label_embedding_[0]
    assert "60 samples" in text and f"sea ({x:.2f}, {y:.2f})" in text


def test_feature_label_display(fitted):
    _, X, Y = fitted
    display = FeatureLabelDisplay.from_estimator(FeatureLabelEigenmap().fit(X, Y), label_names=["a", "b", "c"])
    display.plot(name_features=[1, 3])
    assert {"a", "b", "c", "#2", "#4"} <= {t.get_text() for t in display.ax_.texts}
    low, high = display.feature_points.min(axis=0), display.feature_points.max(axis=0)
    display.plot(zoom=(low[0], high[0], low[1], high[1]), values=np.arange(4), connect=True)
    (x0, x1), (y0, y1) = display.ax_.get_xlim(), display.ax_.get_ylim()
    least = min(((x1 - x0) / (high[0] - low[0])), (y1 - y0) / (high[1] - low[1]))
    assert least == pytest.approx(1) and x0 <= low[0] + 1e-9 and y1 >= high[1] - 1e-9
    assert "4 features and 3 labels" in display.alt_text()


def test_published_figures_are_the_same_bytes_and_carry_their_text(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **kw: shown.append((data, kw)))
    folder = tmp_path / "figures"
    monkeypatch.setenv("TOOLKIT_FIGURES", str(folder))
    for name in ("one", "two"):
        figure, ax = plt.subplots()
        ax.plot([0, 1])
        publish(figure, name, "A line.", "A line from 0 to 1.")
    assert (folder / "one.png").read_bytes() == (folder / "two.png").read_bytes()
    data, kw = shown[0]
    assert kw["metadata"]["image/png"]["alt"] == "A line from 0 to 1."
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="must not be empty"):
        publish(plt.figure(), "three", "A caption.", " ")
    for name in ("../evil", "a/b", "", ".", "x" * 300, "a\0b", None):
        with pytest.raises(ValueError, match=r"`name` must be the name of a file.*; got"):
            publish(plt.figure(), name, "A caption.", "A text.")
    assert sorted(path.name for path in tmp_path.rglob("*.png")) == ["one.png", "two.png"]


@pytest.mark.parametrize(
    ("caption", "markdown"),
    [("a <b> &lt; AT&T", r"a \<b> \&lt; AT&T"), ("$a<b$ `<i>` \\< *c*", "$a<b$ `<i>` \\< *c*"), ("<!--<", r"\<!--\<")],
)
def test_a_caption_is_markdown_without_html(monkeypatch, caption, markdown):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    publish(plt.figure(), "name", caption, "A text.")
    assert shown[1] == {"text/markdown": f"*{markdown}*", "text/plain": caption}


def test_map_display_draws_each_class_and_frames_the_highlighted():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(30, 2)), np.array(["b", "a", "c"] * 10)
    display = MapDisplay(Z, y, highlighted=np.arange(30) < 5).plot(title="three")
    drawn = [c.get_offsets() for c in display.ax_.collections]
    assert [len(points) for points in drawn] == [10, 2, 10, 2, 10, 1]
    np.testing.assert_allclose(drawn[0], Z[y == "a"])
    written = {t.get_text() for t in display.figure_.findobj(Text)}  # few classes: in a legend
    assert {"a", "b", "c", "three"} <= written
    with pytest.raises(ValueError, match="`embedding` must have shape .m, 2.; got shape .30, 1."):
        MapDisplay(Z[:, :1], y)
    with pytest.raises(ValueError, match="`class_names` must be a sequence of 3 names, one per class"):
        MapDisplay(Z, y, ["a"])


def test_the_side_named_first_is_drawn_as_outlines_in_the_colours_of_the_classes():
    Z, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    display = MapDisplay(Z, y, sides=["old"] * 10 + ["new"] * 20).plot()
    full, outlines = display.ax_.collections[2:]  # of the second class
    np.testing.assert_allclose(outlines.get_offsets(), Z[1:10:2])
    np.testing.assert_allclose(full.get_offsets(), Z[11::2])
    assert len(outlines.get_facecolor()) == 0
    np.testing.assert_allclose(outlines.get_edgecolor()[0, :3], full.get_facecolor()[0, :3])
    assert [t.get_text() for t in display.figure_.legends[0].get_texts()] == ["0", "1", "old", "new"]
    with pytest.raises(ValueError, match="`sides` must hold one of two names for each of the 30 samples"):
        MapDisplay(Z, y, sides=["old", "new", "newer"] * 10)


def test_values_by_colour_highest_on_top():
    Z = np.random.default_rng(0).normal(size=(30, 2))
    display = TargetDisplay(Z, np.arange(30.0), "price").plot(title="map")
    drawn = display.ax_.collections[0]
    assert drawn.get_array().tolist() == list(range(30))
    np.testing.assert_allclose(drawn.get_offsets(), Z)
    assert drawn.get_clim() == pytest.approx((0.58, 28.42))
    assert [ax.get_ylabel() for ax in display.figure_.axes] == ["", "price"]
    with pytest.raises(ValueError, match="`values` must be finite"):
        TargetDisplay(Z, np.full(30, np.nan))
    with pytest.raises(ValueError, match="`embedding` and `values` must have the same number of samples"):
        TargetDisplay(Z, np.ones(29))
    with pytest.raises(ValueError, match="`ax` must be"):
        TargetDisplay(Z, np.ones(30)).plot(3)


def test_two_sets_of_values_in_panels_have_a_bar_each():
    Z = np.random.default_rng(0).normal(size=(30, 2))
    figure, axes = panels(2)
    for ax, name in zip(axes, ("price", "size"), strict=True):
        TargetDisplay(Z, Z[:, 0], name).plot(ax, title=name)
    assert [ax.get_xlabel() for ax in figure.axes] == ["", "", "price", "size"]


def test_ellipses_are_as_wide_as_the_metric():
    J = np.array([[[4.0, 0], [0, 1]], [[0, 0], [0, 0]]])
    segments = ellipse_segments(np.array([[0.0, 0], [5, 5]]), J, size=0.5, n_edges=8)
    first, second = segments[:8].reshape(-1, 2), segments[8:].reshape(-1, 2)
    np.testing.assert_allclose(np.sum((first / [0.5, 0.25]) ** 2, axis=1), 1)
    np.testing.assert_allclose(second, 5)
    np.testing.assert_allclose(segments[:7, 2:], segments[1:8, :2])
    assert np.isfinite(ellipse_segments(np.zeros((1, 2)), np.zeros((1, 2, 2)), size=1.0)).all()


# ---------------------------------------------------------------- fields of models
BLUE, ORANGE = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in CLASS_COLORS[:2])
GREY = 0.93 * 255


def test_colours_of_classes_are_known():
    codes = np.array([[0, 1], [1, 0]])
    plain = decision_image(codes)
    assert plain.dtype == np.uint8 and plain.shape == (2, 2, 3)
    np.testing.assert_allclose(plain[0, 0], 255 - 0.45 * (255 - BLUE), atol=1)
    np.testing.assert_allclose(plain[1, 0], 255 - 0.45 * (255 - ORANGE), atol=1)
    certain = decision_image(codes, np.array([[0.0, 1.0], [0.25, 1.0]]))
    assert certain[0, 0].tolist() == [255, 255, 255]  # white at a boundary
    np.testing.assert_allclose(certain[0, 1], 255 - 0.6 * (255 - ORANGE), atol=1)
    np.testing.assert_allclose(certain[1, 0], 255 - 0.3 * (255 - ORANGE), atol=1)  # the root of a quarter
    np.testing.assert_array_equal(certain, decision_image(codes, 1e-9 * np.array([[0.0, 1.0], [0.25, 1.0]])))
    assert (decision_image(codes, np.zeros((2, 2))) == 255).all()
    # colours go by the order of all classes, the picture need not show them all
    np.testing.assert_array_equal(decision_image(0 * codes)[0, 0], plain[0, 0])


def test_regions_far_from_samples_are_grey():
    codes = np.array([[0, 1, 1]])
    near, half, far = (decision_image(codes, trust=np.full((1, 3), t)).astype(float) for t in (1.0, 0.5, 0.0))
    np.testing.assert_allclose(far, np.full((1, 3, 3), GREY), atol=1)
    np.testing.assert_allclose(half, 0.5 * near + 0.5 * GREY, atol=1)
    # certainty beyond the samples does not make that among them pale
    certainty, trust = np.array([[1.0, 1.0, 1e6]]), np.array([[1.0, 1.0, 0.0]])
    full = decision_image(codes, np.ones((1, 3)))
    np.testing.assert_array_equal(decision_image(codes, certainty, trust)[0, :2], full[0, :2])
    np.testing.assert_allclose(
        decision_image(codes, certainty, 0 * trust).astype(float), np.full((1, 3, 3), GREY), atol=1
    )
    values = np.array([[0.0, 5.0]])
    np.testing.assert_allclose(value_image(values, np.zeros((1, 2))), np.full((1, 2, 3), GREY), atol=1)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_as_many_pixels_change_as_are_far(share):
    codes = np.arange(400).reshape(20, 20) % 3
    trust = np.ones(400)
    trust[: int(400 * share)] = 0.2
    changed = np.any(decision_image(codes, trust=trust.reshape(20, 20)) != decision_image(codes), axis=2)
    assert changed.mean() == share
    changed = np.any(value_image(codes * 1.0, trust.reshape(20, 20)) != value_image(codes * 1.0), axis=2)
    assert changed.mean() == share


def test_colours_of_values_are_known():
    ends = matplotlib.colormaps["cividis"]([0.0, 0.5, 1.0])[:, :3] * 255
    np.testing.assert_allclose(value_image(np.array([[-1.0, 0.0, 1.0]]))[0], ends, atol=1)
    np.testing.assert_allclose(value_image(np.array([[-9.0, 0.0, 9.0]]), limits=(-1, 1))[0], ends, atol=1)
    np.testing.assert_allclose(value_image(np.full((1, 3), 7.0))[0], ends[[0, 0, 0]], atol=1)


@pytest.fixture
def field():
    """Thirty samples of three classes, the left, middle and right third of the unit square."""
    Z = np.random.default_rng(0).uniform(size=(30, 2))
    index = np.minimum((3 * Z[:, 0]).astype(int), 2)
    x = (np.arange(12) + 0.5) / 12
    codes = np.tile((3 * x).astype(int), (9, 1))
    certainty = np.tile(np.abs(np.sin(3 * np.pi * x)), (9, 1))
    trust = np.tile(np.where(x < 0.9, 1.0, 0.0), (9, 1))
    return Z, index, codes, certainty, trust


def assert_between_the_colours_of_the_grid(image, colours):
    """`image` shows a field that varies from left to right alone: its colours, linear between the cells' middles."""
    shown, (h, w) = image.get_array(), colours.shape[:2]
    finer = shown.shape[1] // w
    # About three pixels of the figure wide: the layout may still move the axes a little.
    wide = image.axes.get_window_extent().width / image.figure.dpi * 100 / shown.shape[1]
    assert shown.shape == (finer * h, finer * w, 3) and 1 < wide < 4.5 and image.get_interpolation() == "nearest"
    middles = (np.arange(finer * w) + 0.5) / finer - 0.5
    for channel in range(3):
        expected = np.interp(middles, np.arange(w), colours[0, :, channel])
        np.testing.assert_allclose(shown[..., channel], np.tile(expected, (finer * h, 1)), atol=1)


def test_a_field_stands_the_right_way_up():
    colours = value_image(np.arange(6.0).reshape(3, 2))
    display = RegressionDisplay(np.eye(2), [0, 1], np.arange(6.0).reshape(3, 2), (0, 1, 0, 1))
    shown = display.plot(contours=False, color_bar=False).ax_.images[0]
    assert shown.origin == "lower" and len(np.unique(colours[:, 0], axis=0)) == 3
    np.testing.assert_array_equal(shown.get_array()[[0, -1]][:, [0, -1]], display.image()[[0, -1]][:, [0, -1]])


def test_the_field_of_a_classifier(field):
    Z, index, codes, certainty, trust = field
    wrong = np.arange(30) < 4
    display = DecisionDisplay(
        Z, index, ["sea", "sky", "sand"], codes, (0, 1, 0, 1), certainty=certainty, trust=trust, misrepresented=wrong
    )
    assert (
        display.plot(
            title="three",
            size=9,
            contours=True,
            name_classes=True,
            prototypes=np.array([[0.1, 0.5], [0.9, 0.5]]),
            prototype_index=np.array([0, 2]),
        ).legend(ncols=2)
        is display
    )
    ax = display.ax_
    (image,) = ax.images
    assert_between_the_colours_of_the_grid(image, decision_image(codes, certainty, trust))
    assert image.get_extent() == [0, 1, 0, 1] and image.origin == "lower"
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert left <= 0 and right >= 1 and low <= 0 and high >= 1 and ax.get_aspect() == 1
    offsets = np.vstack([c.get_offsets() for c in ax.collections if len(c.get_offsets())])
    for point in np.vstack([Z, [[0.1, 0.5], [0.9, 0.5]]]):
        assert np.isclose(offsets, point).all(axis=1).any()
    rings = ax.collections[-1]
    np.testing.assert_array_equal(rings.get_offsets(), Z[wrong])
    assert {"sea", "sky", "sand"} <= {t.get_text() for t in ax.texts} and ax.get_title("left") == "three"
    labels = [t.get_text() for t in display.figure_.legends[0].get_texts()]
    assert labels[:-1] == ["sea", "sky", "sand", "prototypes", "shown as another class than the model says"]
    assert labels[-1].startswith("background: what the model says")
    display.figure_.canvas.draw()
    assert not len(display.plot(rings=False).ax_.collections[-1].get_offsets())


def test_boundaries_lie_between_the_classes(field):
    Z, index, codes, _, _ = field
    ax = DecisionDisplay(Z, index, ["a", "b", "c"], codes, (0, 1, 0, 1)).plot().ax_
    xs = [p.vertices[:, 0] for c in ax.collections if hasattr(c, "levels") for p in c.get_paths()]
    np.testing.assert_allclose(np.unique(np.round(np.concatenate(xs), 6)), [1 / 3, 2 / 3], atol=1e-5)
    one = DecisionDisplay(Z, index, ["a", "b", "c"], 0 * codes, (0, 1, 0, 1), certainty=np.ones(codes.shape))
    lines = [c for c in one.plot(contours=True).ax_.collections if hasattr(c, "levels")]
    assert not lines and one.legend().figure_.legends
    unseen = DecisionDisplay(Z, index, ["a", "b", "c"], codes, (0, 1, 0, 1), trust=np.zeros(codes.shape))
    assert not [c for c in unseen.plot().ax_.collections if hasattr(c, "levels")]


def test_the_field_of_a_regressor_flat_and_as_a_surface(field):
    Z, _, _, values, trust = field
    display = RegressionDisplay(Z, Z[:, 0], values, (0, 1, 0, 1), trust=trust, name="price")
    display.plot(title="flat", size=5)
    assert_between_the_colours_of_the_grid(display.ax_.images[0], display.image())
    assert [ax.get_ylabel() for ax in display.figure_.axes] == ["", "price"]
    low, high = np.percentile(np.concatenate([Z[:, 0], values[trust > 0.5]]), [1, 99])
    marks = display.ax_.collections[-1]
    assert marks.get_clim() == pytest.approx((low, high))
    assert marks.get_array().tolist() == sorted(Z[:, 0])  # the highest on top
    assert len(display.plot(color_bar=False, contours=False).figure_.axes) == 1
    display.plot_surface(title="hills", elevation=20, azimuth=10, least_trust=0.5)
    assert display.ax_.get_zlabel() == "price" and display.ax_.elev == 20 and display.ax_.azim == 10
    display.figure_.canvas.draw()
    figure = plt.figure()
    ax = figure.add_subplot(projection="3d")
    assert RegressionDisplay(Z, Z[:, 0], values, (0, 1, 0, 1)).plot_surface(ax).ax_ is ax
    flat = RegressionDisplay(Z, np.ones(30), np.ones((9, 12)), (0, 1, 0, 1)).plot()
    flat.figure_.canvas.draw()


def test_regressors_that_are_compared_share_limits_and_one_bar(field):
    Z, _, _, values, trust = field
    display = RegressionDisplay(Z, Z[:, 0], values, (0, 2, 0, 1), trust=trust, name="price")
    figure, axes = panels(3)
    for ax in axes:
        display.plot(ax, title="a price", limits=(-1, 3), color_bar=ax is axes[-1])
        assert ax.collections[-1].get_clim() == (-1, 3)
    np.testing.assert_array_equal(axes[0].images[0].get_array()[-1, -1], value_image(values, trust, (-1, 3))[-1, -1])
    assert [ax.get_label() for ax in figure.axes[3:]] == ["<colorbar>"]
    (width, height), *others = measured(figure)["frames"]
    np.testing.assert_allclose(others, [(width, height)] * 2, atol=0.02)
    surface = display.plot_surface(limits=(-1, 3)).ax_
    assert surface.get_zlim() == (-1, 3) and surface.collections[-1].get_clim() == (-1, 3)


def test_wrong_axes(field):
    Z, index, codes, certainty, _ = field
    classes = DecisionDisplay(Z, index, ["a", "b", "c"], codes, (0, 1, 0, 1))
    numbers = RegressionDisplay(Z, Z[:, 0], certainty, (0, 1, 0, 1))
    for display in (classes, numbers):
        with pytest.raises(ValueError, match="`ax` must be matplotlib Axes or None; got int"):
            display.plot(3)
    for ax in (3, plt.subplots()[1]):
        with pytest.raises(ValueError, match="`ax` must be 3-D Axes"):
            numbers.plot_surface(ax)
    _, ax = plt.subplots()
    assert classes.plot(ax).ax_ is ax and numbers.plot(ax).ax_ is ax


def test_wrong_arguments_of_fields(field):
    Z, index, codes, certainty, _ = field
    box = (0, 1, 0, 1)
    for arguments, message in [
        ((Z[:, :1], index, ["a", "b", "c"], codes, box), "`embedding` must have shape"),
        ((Z, index[:-1], ["a", "b", "c"], codes, box), "`embedding` and `index` must have the same number"),
        ((Z, index, ["a", "b"], codes, box), "`class_names` must be a sequence of 3 names"),
    ]:
        with pytest.raises(ValueError, match=message):
            DecisionDisplay(*arguments)
    with pytest.raises(ValueError, match="`embedding` and `targets` must have the same number"):
        RegressionDisplay(Z, np.ones(29), certainty, box)
    display = DecisionDisplay(Z, index, ["a", "b", "c"], codes, box)
    with pytest.raises(ValueError, match="`prototype_index` must be finite"):
        display.plot(prototypes=Z[:2])
    with pytest.raises(ValueError, match="Call `plot` before `legend`"):
        DecisionDisplay(Z, index, ["a", "b", "c"], codes, box).legend()


@pytest.mark.parametrize("unit", [1e-17, 1e-300])
def test_fields_that_are_constant_but_for_rounding(field, unit):
    Z, index, codes, certainty, _ = field
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nearly = 0.5 + unit * certainty if unit > 1e-20 else unit * certainty
        display = DecisionDisplay(Z, index, ["a", "b", "c"], codes, (0, 1, 0, 1), certainty=nearly)
        display.plot(contours=True).figure_.canvas.draw()
        RegressionDisplay(Z, nearly.ravel()[:30], nearly, (0, 1, 0, 1)).plot().figure_.canvas.draw()


def test_fields_of_many_classes_differ():
    fields = [decision_image(np.full((8, 8), c)) for c in range(10)]
    for a in range(10):
        for b in range(a):
            assert not np.array_equal(fields[a], fields[b])


def test_no_display_draws_on_what_is_not_axes(fitted):
    sla, X, Y = fitted
    features = FeatureLabelDisplay.from_estimator(FeatureLabelEigenmap().fit(X, Y))
    for display in (SampleLabelDisplay.from_estimator(sla, X, Y), features, MapDisplay(np.eye(2), [0, 1])):
        with pytest.raises(ValueError, match="`ax` must be matplotlib Axes or None; got int"):
            display.plot(3)
    with pytest.raises(ValueError, match="Call `plot` before `legend`"):
        MapDisplay(np.eye(2), [0, 1]).legend()


@pytest.mark.parametrize("extent", [(0, 30, 0, 1), (0, 1, 0, 30)])
def test_the_legend_of_a_wide_or_high_view_of_a_model_lies_inside_the_figure(field, extent):
    Z, index, codes, certainty, trust = field
    names = ["class number one", "class number two", "class number three"]
    options = {"certainty": certainty, "trust": trust, "misrepresented": np.arange(30) < 4}
    display = DecisionDisplay(Z * [extent[1], extent[3]], index, names, codes, extent, **options).plot().legend()
    display.figure_.draw_without_rendering()
    box, whole = display.figure_.legends[0].get_window_extent(), display.figure_.bbox
    assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1


def test_a_legend_of_long_names_has_fewer_columns():
    names = ["a class with quite a long name", "another class with a long name", "a third", "and the fourth"]
    display = MapDisplay(np.random.default_rng(0).normal(size=(8, 2)), names * 2).plot()
    [narrow] = display.legend().figure_.legends
    assert narrow.get_window_extent().width <= display.figure_.bbox.width < 2 * narrow.get_window_extent().width
    narrow.remove()
    [wide] = display.legend(ncols=4).figure_.legends  # as asked for
    assert wide.get_window_extent().width > display.figure_.bbox.width
