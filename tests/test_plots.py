"""Displays: what is drawn is what was computed, and everything can be read."""

import matplotlib

matplotlib.use("agg")

import base64

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

from toolkit.multilabel import FeatureLabelEigenmap, SampleLabelMap
from toolkit.plots import (
    FeatureLabelDisplay,
    MapDisplay,
    SampleLabelDisplay,
    TargetDisplay,
    class_styles,
    ellipse_segments,
    place_names,
    publish,
    voronoi_segments,
)


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
        d = np.sort(
            np.linalg.norm((np.array([x0, y0]) * (1 - t) + np.array([x1, y1]) * t)[:, None] - points, axis=-1)
        )
        np.testing.assert_allclose(d[:, 0], d[:, 1], rtol=1e-6)


def test_voronoi_edges_separate_every_pair_of_neighbouring_cells():
    """Walking across the box, the nearest point changes exactly where an edge is crossed."""
    points = np.random.default_rng(1).normal(size=(6, 2))
    edges = voronoi_segments(points, (-3, 3, -3, 3))
    xs = np.linspace(-3, 3, 4001)
    for y in (-1.234, 0.1, 0.777):
        changes = np.count_nonzero(np.diff(nearest(points, np.column_stack([xs, np.full(4001, y)]))))
        crossed = sum(
            (y0 - y) * (y1 - y) < 0 and -3 < x0 + (y - y0) / (y1 - y0) * (x1 - x0) < 3
            for x0, y0, x1, y1 in edges
        )
        assert changes == crossed


@pytest.mark.parametrize("points", [np.zeros((1, 2)), np.zeros((4, 2))])
def test_one_cell_has_no_edges(points):
    assert voronoi_segments(points, (-1, 1, -1, 1)).shape == (0, 4)


def test_collinear_points_have_parallel_edges():
    points = np.column_stack([np.arange(4.0), np.zeros(4)])
    np.testing.assert_allclose(
        np.sort(voronoi_segments(points, (-1, 4, -1, 1))[:, 0]), [0.5, 1.5, 2.5], atol=1e-6
    )


def test_styles_of_many_classes_are_all_different():
    assert len(set(class_styles(64))) == 64


def test_names_do_not_cover_each_other():
    figure, ax = plt.subplots(figsize=(5, 5))
    rng = np.random.default_rng(0)
    xy = rng.normal(size=(12, 2)) * 0.4
    ax.set(xlim=(-2, 2), ylim=(-2, 2))
    figure.canvas.draw()
    place_names(ax, xy, [f"a long name {i}" for i in range(12)])
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


def test_alt_text_speaks_the_numbers_of_the_map(fitted):
    sla, X, Y = fitted
    text = SampleLabelDisplay.from_estimator(sla, X, Y, ["sea", "sky", "sand"]).alt_text()
    x, y = sla.label_embedding_[0]
    assert "60 samples" in text and f"sea ({x:.2f}, {y:.2f})" in text


def test_feature_label_display(fitted):
    _, X, Y = fitted
    display = FeatureLabelDisplay.from_estimator(
        FeatureLabelEigenmap().fit(X, Y), label_names=["a", "b", "c"]
    )
    display.plot(name_features=[1, 3])
    assert {"a", "b", "c", "#2", "#4"} <= {t.get_text() for t in display.ax_.texts}
    low, high = display.feature_points.min(axis=0), display.feature_points.max(axis=0)
    display.plot(zoom=(low[0], high[0], low[1], high[1]), values=np.arange(4), connect=True)
    np.testing.assert_allclose(display.ax_.get_xlim(), (low[0], high[0]))
    assert "4 features and 3 labels" in display.alt_text()


def test_published_figures_are_the_same_bytes_and_carry_their_text(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **kw: shown.append((data, kw)))
    monkeypatch.setenv("TOOLKIT_FIGURES", str(tmp_path))
    for name in ("one", "two"):
        figure, ax = plt.subplots()
        ax.plot([0, 1])
        publish(figure, name, "A line.", "A line from 0 to 1.")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    data, kw = shown[0]
    assert kw["metadata"]["image/png"]["alt"] == "A line from 0 to 1."
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="must not be empty"):
        publish(plt.figure(), "three", "A caption.", " ")


def test_map_display_draws_each_class_and_frames_the_highlighted():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(30, 2)), np.array(["b", "a", "c"] * 10)
    display = MapDisplay(Z, y, highlighted=np.arange(30) < 5).plot(title="three")
    drawn = [c.get_offsets() for c in display.ax_.collections]
    assert [len(points) for points in drawn] == [10, 2, 10, 2, 10, 1]
    np.testing.assert_allclose(drawn[0], Z[y == "a"])
    written = {t.get_text() for t in display.ax_.findobj(Text)}
    assert {"a", "b", "c", "three"} <= written
    with pytest.raises(ValueError, match="shapes .n, 2. and .n,."):
        MapDisplay(Z[:, :1], y)
    with pytest.raises(ValueError, match="`class_names` must hold one name a class .3."):
        MapDisplay(Z, y, ["a"])


def test_values_by_colour_highest_on_top():
    Z = np.random.default_rng(0).normal(size=(30, 2))
    display = TargetDisplay(Z, np.arange(30.0), "price").plot(title="map")
    drawn = display.ax_.collections[0]
    assert drawn.get_array().tolist() == list(range(30))
    np.testing.assert_allclose(drawn.get_offsets(), Z)
    assert drawn.get_clim() == pytest.approx((0.58, 28.42))
    assert [ax.get_ylabel() for ax in display.figure_.axes] == ["", "price"]
    with pytest.raises(ValueError, match="must be finite"):
        TargetDisplay(Z, np.full(30, np.nan))
    with pytest.raises(ValueError, match="must have shapes"):
        TargetDisplay(Z, np.ones(29))
    with pytest.raises(ValueError, match="`ax` must be"):
        TargetDisplay(Z, np.ones(30)).plot(3)


def test_ellipses_are_as_wide_as_the_metric():
    J = np.array([[[4.0, 0], [0, 1]], [[0, 0], [0, 0]]])
    segments = ellipse_segments(np.array([[0.0, 0], [5, 5]]), J, size=0.5, n_edges=8)
    first, second = segments[:8].reshape(-1, 2), segments[8:].reshape(-1, 2)
    np.testing.assert_allclose(np.sum((first / [0.5, 0.25]) ** 2, axis=1), 1)
    np.testing.assert_allclose(second, 5)
    np.testing.assert_allclose(segments[:7, 2:], segments[1:8, :2])
    assert np.isfinite(ellipse_segments(np.zeros((1, 2)), np.zeros((1, 2, 2)), size=1.0)).all()
