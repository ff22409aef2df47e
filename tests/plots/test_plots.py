"""Displays: what is drawn is what was computed, and everything can be read."""

import base64
import warnings

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises

from toolkit.multilabel import FeatureLabelEigenmap, SampleLabelMap
from toolkit.plots import (
    DecisionDisplay,
    FeatureLabelDisplay,
    MapDisplay,
    RegressionDisplay,
    SampleLabelDisplay,
    TargetDisplay,
    panels,
    publish,
    voronoi_segments,
)
from toolkit.plots.decisions import decision_image
from toolkit.plots.regression import value_image
from toolkit.plots.style import CLASS_COLORS, figure_layout

LABELS = ["sea", "sky", "sand"]
BOX = (0, 1, 0, 1)
Z = default_rng(0).normal(size=(30, 2))


def words_in(display):
    return {text.get_text() for text in display.figure_.findobj(Text)}


# ---------------------------------------------------------------- segments
def test_voronoi_edges_lie_half_way_between_their_two_nearest_points():
    points = default_rng(0).normal(size=(7, 2))
    t = np.linspace(0.001, 0.999, 50)[:, None]
    for edge in voronoi_segments(points, (-3, 3, -3, 3)):
        from_end = edge[2:] * t
        along = edge[:2] * (1 - t) + from_end
        distances = np.linalg.norm(along[:, None] - points, axis=-1)
        d = np.sort(distances)
        assert_allclose(d[:, 0], d[:, 1], rtol=1e-6)


def test_collinear_points_have_parallel_edges_and_equal_ones_none():
    points = np.column_stack([np.arange(4.0), np.zeros(4)])
    segments = voronoi_segments(points, (-1, 4, -1, 1))
    assert_allclose(np.sort(segments[:, 0]), [0.5, 1.5, 2.5], atol=1e-6)
    assert voronoi_segments(np.zeros((4, 2)), (-1, 1, -1, 1)).shape == (0, 4)


# ---------------------------------------------------------------- labels
def test_sample_label_display_draws_every_sample_and_label(labelled, shows):
    X, Y = labelled
    sla = SampleLabelMap().fit(X, Y)
    display = SampleLabelDisplay.from_estimator(sla, X, Y).plot()
    assert shows(display, sla.embedding_, sla.label_embedding_)
    assert {*Y.columns} <= words_in(display) and display.ax_.get_aspect() == 1
    assert "80 samples" in display.alt_text()
    marks = display.plot(composites=False, cells=False).ax_.collections
    assert sum(len(c.get_offsets()) for c in marks) == 68 + 4


def test_names_of_columns_are_those_of_the_labels(labelled):
    X, labels = labelled
    Y = labels.to_numpy()
    named = SampleLabelMap().fit(X, labels)
    sla = SampleLabelMap().fit(X, Y)
    columns = [*labels]
    for model, label_matrix, names in (
        (named, Y, columns),
        (named, labels, columns),
        (sla, labels, [*"0123"]),
        (sla, Y, [*"0123"]),
    ):
        assert (
            SampleLabelDisplay.from_estimator(
                model, X, label_matrix
            ).label_names
            == names
        )
    with raises(
        ValueError, match="`Y` must have the columns that the model was"
    ):
        SampleLabelDisplay.from_estimator(named, X, labels[columns[::-1]])


def test_feature_label_display(labelled):
    X, Y = labelled
    model = FeatureLabelEigenmap().fit(X.to_numpy(), Y)
    display = FeatureLabelDisplay.from_estimator(
        model, label_names=["s", "k", "d", "c"]
    )
    assert {"s", "k", "d", "c", "#2", "#4"} <= words_in(
        display.plot(name_features=[1, 3])
    )
    ax = display.plot(zoom=(-1, 1, 2, 7), connect=True).ax_
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    # centred, as large as the frame allows
    assert x0 + x1 == approx(0) and y0 + y1 == approx(9)
    assert min((x1 - x0) / 2, (y1 - y0) / 5) == approx(1)
    assert "6 features and 4 labels" in display.alt_text()


# ---------------------------------------------------------------- publications figures
def test_published_figures_are_the_same_bytes_and_carry_their_text(
    tmp_path, monkeypatch, publications
):
    folder = tmp_path / "figures"
    monkeypatch.setenv("TOOLKIT_FIGURES", str(folder))
    for name in ("one", "two"):
        figure, ax = plt.subplots()
        ax.plot([0, 1])
        publish(figure, name, "A line.", "A line from 0 to 1.")
    assert (folder / "one.png").read_bytes() == (
        folder / "two.png"
    ).read_bytes()
    data, options = publications[0]
    about = options["metadata"]["image/png"]
    assert about["alt"] == "A line from 0 to 1."
    layout = about["layout"]
    assert (layout["width"], layout["smallest_text"]) == (880, 10)
    assert len(layout["frames"]) == 1
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    with raises(ValueError, match="must not be empty"):
        publish(plt.figure(), "three", "A caption.", " ")
    for name in ("../evil", "", ".", "x" * 300, "a\0b", None):
        with raises(
            ValueError, match=r"`name` must be the name of a file.*; got"
        ):
            publish(plt.figure(), name, "A caption.", "A text.")
    assert sorted(path.name for path in tmp_path.rglob("*.png")) == [
        "one.png",
        "two.png",
    ]


@mark.parametrize(
    ("caption", "markdown"),
    [
        ("a <b> &lt; AT&T", r"a \<b> \&lt; AT&T"),
        ("$a<b$ `<i>` \\< *c*", "$a<b$ `<i>` \\< *c*"),
        ("<!--<", r"\<!--\<"),
    ],
)
def test_a_caption_is_markdown_without_html(publications, caption, markdown):
    publish(plt.figure(), "name", caption, "A text.")
    assert publications[1][0] == {
        "text/markdown": f"*{markdown}*",
        "text/plain": caption,
    }


# ---------------------------------------------------------------- maps
def test_map_display_draws_each_class_and_frames_some():
    y = np.array(["b", "a", "c"] * 10)
    is_highlighted = np.arange(30) < 5
    display = MapDisplay(Z, y, highlighted=is_highlighted).plot(title="three")
    drawn = [c.get_offsets() for c in display.ax_.collections]
    assert [len(points) for points in drawn] == [10, 10, 10, 2, 2, 1]
    assert_allclose(drawn[0], Z[y == "a"])
    # few classes: in a legend
    assert {"a", "b", "c", "three"} <= words_in(display)


def test_the_side_named_first_is_drawn_as_outlines_in_the_colours_of_the_classes(
    legend_of,
):
    y = np.arange(30) % 2
    display = MapDisplay(Z, y, sides=["old"] * 10 + ["new"] * 20).plot()
    filled_marks, outlines = display.ax_.collections[2:]  # of the second class
    assert_allclose(outlines.get_offsets(), Z[1:10:2])
    assert_allclose(filled_marks.get_offsets(), Z[11::2])
    assert len(outlines.get_facecolor()) == 0
    face = filled_marks.get_facecolor()[0, :3]
    assert_allclose(outlines.get_edgecolor()[0, :3], face)
    assert legend_of(display) == ["0", "1", "old", "new"]
    with raises(
        ValueError, match="`sides` must hold one of two names for each of"
    ):
        MapDisplay(Z, y, sides=["old", "new", "newer"] * 10)


def test_values_by_colour_highest_on_top():
    display = TargetDisplay(Z, np.arange(30.0), "price").plot(title="map")
    drawn = display.ax_.collections[0]
    assert drawn.get_array().tolist() == list(range(30))
    assert_allclose(drawn.get_offsets(), Z)
    assert drawn.get_clim() == approx((0.58, 28.42))
    assert [ax.get_ylabel() for ax in display.figure_.axes] == ["", "price"]


# ---------------------------------------------------------------- fields of models
BLUE, ORANGE = 255 * np.array([to_rgb(color) for color in CLASS_COLORS[:2]])
GREY = 0.93 * 255


def test_colours_of_classes():
    codes = np.array([[0, 1], [1, 0]])
    plain = decision_image(codes)
    assert plain.dtype == np.uint8
    expected = 255 - 0.45 * (255 - np.array([BLUE, ORANGE]))
    assert_allclose(plain[0], expected, atol=1)
    certainty = np.array([[0.0, 1.0], [0.25, 1.0]])
    certain = decision_image(codes, certainty)
    assert certain[0, 0].tolist() == [255, 255, 255]  # white at a boundary
    strong = 255 - 0.6 * (255 - ORANGE)
    assert_allclose(certain[0, 1], strong, atol=1)
    # the root of a quarter
    weak = 255 - 0.3 * (255 - ORANGE)
    assert_allclose(certain[1, 0], weak, atol=1)
    assert_array_equal(certain, decision_image(codes, 1e-9 * certainty))
    # colours go by the order of all classes, the picture need not show them all
    assert_array_equal(decision_image(0 * codes)[0, 0], plain[0, 0])


def test_regions_far_from_samples_are_grey():
    codes = np.array([[0, 1, 1]])
    trusts = np.array([[1.0, 0.5, 0.0]])
    grey_part = (1 - trusts[..., None]) * GREY
    mixed = trusts[..., None] * decision_image(codes) + grey_part
    assert_allclose(decision_image(codes, trust=trusts), mixed, atol=1)
    # certainty beyond the samples does not make that among them pale
    certainty = np.array([[1.0, 1.0, 1e6]])
    trust = np.array([[1.0, 1.0, 0.0]])
    trusted_image = decision_image(codes, np.ones((1, 3)))
    assert_array_equal(
        decision_image(codes, certainty, trust)[0, :2], trusted_image[0, :2]
    )
    grey = value_image(np.array([[0.0, 5.0]]), np.zeros((1, 2)))
    assert_allclose(grey, GREY, atol=1)


# Thirty samples of three classes, the left, middle and right third of the unit square,
# and fields of a model.
SAMPLES = default_rng(0).uniform(size=(30, 2))
INDEX = (3 * SAMPLES[:, 0]).astype(int)
X_OF_CELLS = (np.arange(12) + 0.5) / 12
CODES, CERTAINTY, TRUST = (
    np.tile(row, (9, 1))
    for row in (
        (3 * X_OF_CELLS).astype(int),
        abs(np.sin(3 * np.pi * X_OF_CELLS)),
        X_OF_CELLS < 0.9,
    )
)


def classifier(codes=CODES, extent=BOX, **options):
    return DecisionDisplay(
        SAMPLES * [extent[1], extent[3]],
        INDEX,
        LABELS,
        codes,
        extent,
        **options,
    )


def regressor(values=CODES, extent=BOX, **options):
    return RegressionDisplay(
        SAMPLES, SAMPLES[:, 0], values, extent, name="price", **options
    )


def assert_between_the_colours_of_the_grid(image, colours):
    """`image` is linear from left to right between the colours of the cells."""
    pixels = image.get_array()
    (h, w) = colours.shape[:2]
    finer = pixels.shape[1] // w
    # About three pixels of the figure wide: the layout may still move the axes a
    # little.
    wide = (
        image.axes.get_window_extent().width
        / image.figure.dpi
        * 100
        / pixels.shape[1]
    )
    assert 1 < wide < 4.5
    assert image.get_interpolation() == "nearest"
    middles = (np.arange(finer * w) + 0.5) / finer - 0.5
    for channel in range(3):
        positions = np.arange(w)
        expected = np.interp(middles, positions, colours[0, :, channel])
        repeated = np.tile(expected, (finer * h, 1))
        assert_allclose(pixels[..., channel], repeated, atol=1)


def test_a_field_stands_the_right_way_up():
    display = RegressionDisplay(
        np.eye(2), [0, 1], np.arange(6.0).reshape(3, 2), BOX
    )
    shown = display.plot(contours=False, color_bar=False).ax_.images[0]
    assert shown.origin == "lower"
    corners = display.image()[[0, -1]][:, [0, -1]]
    assert_array_equal(shown.get_array()[[0, -1]][:, [0, -1]], corners)


def test_the_field_of_a_classifier(shows, legend_of):
    wrong = np.arange(30) < 4
    stars = np.array([[0.1, 0.5], [0.9, 0.5]])
    display = classifier(certainty=CERTAINTY, trust=TRUST, misrepresented=wrong)
    options = {"title": "three", "size": 9, "name_classes": True}
    display.plot(prototypes=stars, prototype_index=[0, 2], **options).legend()
    ax = display.ax_
    (image,) = ax.images
    assert_between_the_colours_of_the_grid(
        image, decision_image(CODES, CERTAINTY, TRUST)
    )
    assert image.get_extent() == [0, 1, 0, 1]
    assert ax.get_aspect() == 1
    assert shows(display, SAMPLES, stars)
    # rings
    assert_array_equal(ax.collections[-3].get_offsets(), SAMPLES[wrong])
    assert {*LABELS, "three"} <= words_in(display)
    *labels, background = legend_of(display)
    assert labels == [
        *LABELS,
        "prototypes",
        "shown as another class than predicted",
    ]
    assert background.startswith("background: predicted class")
    assert not len(display.plot(rings=False).ax_.collections[-1].get_offsets())


def lines_of(display):
    return [c for c in display.plot().ax_.collections if hasattr(c, "levels")]


def test_boundaries_lie_between_the_classes():
    xs = [
        path.vertices[:, 0]
        for line in lines_of(classifier())
        for path in line.get_paths()
    ]
    positions = np.unique(np.round(np.concatenate(xs), 6))
    assert_allclose(positions, [1 / 3, 2 / 3], atol=1e-5)
    of_one_class = classifier(0 * CODES, certainty=np.ones(CODES.shape))
    assert not lines_of(of_one_class) and of_one_class.legend().figure_.legends
    assert not lines_of(classifier(trust=np.zeros(CODES.shape)))


def test_the_field_of_a_regressor_flat_and_as_a_surface():
    display = regressor(trust=TRUST).plot(title="flat", size=5)
    assert_between_the_colours_of_the_grid(
        display.ax_.images[0], display.image()
    )
    assert [ax.get_ylabel() for ax in display.figure_.axes] == ["", "price"]
    at_trusted = CODES[TRUST > 0.5]
    values_nearby = np.concatenate([SAMPLES[:, 0], at_trusted])
    marks = display.ax_.collections[-1]
    assert marks.get_clim() == approx(
        tuple(np.percentile(values_nearby, [1, 99]))
    )
    # the highest on top
    assert marks.get_array().tolist() == sorted(SAMPLES[:, 0])
    assert len(display.plot(color_bar=False, contours=False).figure_.axes) == 1
    ax = plt.figure().add_subplot(projection="3d")
    assert display.plot_surface(ax, title="hills", azimuth=10).ax_ is ax
    assert (ax.get_zlabel(), ax.azim) == ("price", 10)
    ax.figure.canvas.draw()


def test_regressors_that_are_compared_share_limits_and_one_bar():
    display = regressor(extent=(0, 2, 0, 1), trust=TRUST)
    figure, axes = panels(3)
    for ax in axes:
        display.plot(
            ax, title="a price", limits=(-1, 3), color_bar=ax is axes[-1]
        )
        assert ax.collections[-1].get_clim() == (-1, 3)
    assert [ax.get_xlabel() for ax in figure.axes[3:]] == ["price"]
    frames = figure_layout(figure)["frames"]
    assert_allclose(frames[1:], [frames[0]] * 2, atol=0.02)
    (surface,) = panels(1, projection="3d")[1]
    display.plot_surface(surface, limits=(-1, 3))
    assert surface.get_zlim() == (-1, 3)
    assert surface.collections[-1].get_clim() == (-1, 3)


def test_axes_of_the_user():
    _, ax = plt.subplots()
    assert classifier().plot(ax).ax_ is ax and regressor().plot(ax).ax_ is ax
    with raises(
        ValueError, match="`ax` must be None or matplotlib Axes; got 3"
    ):
        classifier().plot(3)
    with raises(ValueError, match="`ax` must be matplotlib 3-D Axes"):
        regressor().plot_surface(ax)
    with raises(ValueError, match="Call `plot` before `legend`"):
        classifier().legend()


@mark.parametrize("unit", [1e-17, 1e-300])
def test_fields_that_are_constant_but_for_rounding(unit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nearly = 0.5 + unit * CERTAINTY if unit > 1e-20 else unit * CERTAINTY
        classifier(certainty=nearly).plot().figure_.canvas.draw()
        regressor(nearly).plot().figure_.canvas.draw()


@mark.parametrize("extent", [(0, 30, 0, 1), (0, 1, 0, 30)])
def test_the_legend_of_a_wide_or_high_view_of_a_model_lies_inside_the_figure(
    extent,
):
    display = (
        classifier(
            extent=extent, certainty=CERTAINTY, misrepresented=np.arange(30) < 4
        )
        .plot()
        .legend()
    )
    display.figure_.draw_without_rendering()
    box = display.figure_.legends[0].get_window_extent()
    figure_box = display.figure_.bbox
    assert (figure_box.min <= box.min).all() and (
        box.max <= figure_box.max
    ).all()


def test_a_legend_of_long_names_has_fewer_columns():
    names = [f"class {k} with quite a long name" for k in range(4)]
    display = MapDisplay(Z[:8], names * 2).plot()
    [legend] = display.legend().figure_.legends
    width = legend.get_window_extent().width
    assert width <= display.figure_.bbox.width < 2 * width
