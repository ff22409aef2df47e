"""Pictures of bounds, profiles and paths."""

import warnings

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, mark, raises, warns
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from toolkit.bounds import generic_bounds, metric_bounds, relevance_bounds
from toolkit.plots import (
    BoundsDisplay,
    CurvesDisplay,
    EquivalentWeightsDisplay,
    EvidenceDisplay,
    panels,
)
from toolkit.plots.style import figure_layout


def words(texts):
    return [text.get_text() for text in texts]


def test_bars_end_at_the_bounds():
    ax = BoundsDisplay([0.0, 1.0], [2.0, 3.0]).plot(title="t", limit=4).ax_
    black, white = ax.containers
    # the largest at the top, as the axis points down
    assert [bar.get_width() for bar in black] == [3, 2]
    assert white[0].get_width() == 1 and np.isnan(white[1].get_width())
    assert ax.get_xlim() == (0, 4) and words(ax.get_yticklabels()) == [
        "X2",
        "X1",
    ]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert figure_layout(ax.figure)["smallest_text"] >= 9


def test_all_names_are_written_and_the_level_of_noise_is_a_line():
    names = [f"feature {j}" for j in range(45)]
    level = np.full(45, 2.5)
    upper = np.arange(45.0)
    ax = BoundsDisplay(np.zeros(45), upper, names, level=level).plot().ax_
    assert words(ax.get_yticklabels()) == names[::-1]
    assert {segment[0, 0] for segment in ax.collections[0].get_segments()} == {
        2.5
    }
    low, high = np.transpose(
        [t.get_window_extent().intervaly for t in ax.get_yticklabels()]
    )
    # no name covers another
    assert (high - low).max() < np.abs(np.diff(low)).min() * 1.01


def test_panels_that_are_compared_keep_the_order_of_features():
    _, axes = panels(2)
    for ax, upper in zip(axes, ([1.0, 2.0], [2.0, 1.0]), strict=True):
        BoundsDisplay([0.0, 0.0], upper).plot(ax)
        assert words(ax.get_yticklabels()) == ["X1", "X2"]


def test_the_legend_says_what_the_colours_and_the_mark_are(legend_of):
    bounds = [0.0, 1.0], [2.0, 3.0]
    assert legend_of(BoundsDisplay(*bounds, level=[1.0, 1.0]).plot()) == [
        "null level",
        "upper bound",
        "lower bound",
    ]
    # of panels the caller says where
    display = BoundsDisplay(*bounds).plot(panels(2)[1][0])
    assert not display.figure_.legends
    assert legend_of(display.legend()) == ["upper bound", "lower bound"]


def test_single_values_and_lower_bounds_may_be_negative():
    display = BoundsDisplay(None, [1.0, -3.0], ["a", "b"]).plot()
    (bars,) = display.ax_.containers
    assert [bar.get_width() for bar in bars] == [-3, 1]
    assert display.ax_.get_xlim()[0] < -3
    assert not display.figure_.legends
    assert (
        BoundsDisplay([-0.5, 0.0], [1.0, 1.0]).plot().ax_.get_xlim()[0] <= -0.5
    )


@mark.parametrize(
    ("weights", "direction", "slack"),
    [
        ([3, -1], [1, -1], 1.5),
        ([3, -0.5], [2, -1], 1.5),
        ([1, 2], [1, 0.3], 1.1),
    ],
)
def test_the_plane_of_two_weights_shows_the_bounds_of_the_programs(
    weights, direction, slack, legend_of
):
    rng = default_rng(0)
    # the samples vary across the direction
    perpendicular = np.array([direction[1], -direction[0]])
    along = perpendicular / np.hypot(*direction)
    X = rng.normal(size=(200, 1)) * along * 2
    with (
        warns()
        if len(set(np.abs(direction))) > 1
        else warnings.catch_warnings()
    ):
        programs = [
            relevance_bounds(weights, X, 1, factor) for factor in (1, slack)
        ]
    display = EquivalentWeightsDisplay(weights, direction, slack)
    assert display.norm == approx(programs[0].mu, abs=1e-6)
    for ends, bounds_of_program in zip(
        (display.shortest, display.ends), programs, strict=True
    ):
        assert_allclose(
            np.abs(ends).max(axis=0), bounds_of_program.upper, atol=2e-3
        )
        same_sign = ends.prod(axis=0) > 0
        lower = np.where(same_sign, np.abs(ends).min(axis=0), 0)
        assert_allclose(lower, bounds_of_program.lower, atol=2e-3)
    assert len(legend_of(display.plot(limit=4).legend())) == 6
    with raises(
        ValueError, match="`direction` must have two numbers other than 0"
    ):
        EquivalentWeightsDisplay(weights, [1, 0])


def test_spectra_have_positions_and_no_names():
    ax = (
        BoundsDisplay(np.zeros(3), np.ones(3), positions=[850.0, 852.0, 856.0])
        .plot(xlabel="nm")
        .ax_
    )
    assert {round(bar.get_width(), 9) for bar in ax.containers[0]} == {2.0}
    assert not any(t.get_text() == "X1" for t in ax.get_xticklabels())


def test_bounds_draw_themselves_with_the_names_of_columns():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X = X / X.std()
    model = LinearRegression().fit(X, y)
    for bounds in (
        relevance_bounds(model, X, 3),
        generic_bounds(X, y, n_steps=2),
        metric_bounds(model.coef_[None], X, 3),
    ):
        drawn = words(bounds.plot().ax_.get_yticklabels())
        assert drawn == [
            X.columns[j] for j in np.argsort(-bounds.upper, kind="stable")
        ]
    assert (
        relevance_bounds(model.coef_, X.to_numpy(), 3).plot().names[0] == "X1"
    )


def test_names_of_lines_that_end_together_do_not_cover_each_other():
    curves = np.array([[0.0, 1, 2, 3], [1, 1, 1, 1]])
    ax = CurvesDisplay([1, 2], curves).plot().ax_
    ax.figure.canvas.draw()
    boxes = [t.get_window_extent() for t in ax.texts]
    assert not any(
        a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]
    )


BARS = {"lower": [0.0, 0.0], "upper": [1.0, 1.0]}
LINES = {"x": [1, 2], "curves": np.ones((2, 2))}


@mark.parametrize(
    ("display", "given", "says"),
    [
        (
            BoundsDisplay,
            BARS | {"upper": [0.5, -0.5]},
            "`lower` must nowhere exceed `upper`",
        ),
        (
            BoundsDisplay,
            BARS | {"level": [-1, 0]},
            "`level` must not be negative",
        ),
        (
            BoundsDisplay,
            BARS | {"positions": [2.0, 1.0]},
            "`positions` must be rising",
        ),
        (
            CurvesDisplay,
            LINES | {"bands": np.ones((2, 2, 2)) * [[[2]], [[1]]]},
            "must be lower ends and upper ends",
        ),
    ],
)
def test_wrong_bounds_and_curves_are_an_error(display, given, says):
    with raises(ValueError, match=says):
        display(**given)


def test_marks_of_evidence_stand_at_their_ratios_and_large_ones_at_the_limit():
    ratios = {"forest": [0.5, 9.0, -1.0], "association": [1.0, 2.0, 0.0]}
    display = EvidenceDisplay(ratios, ["a", "<b>", "$c$"]).plot()
    ax = display.ax_
    places = [marks.get_offsets() for marks in ax.collections[1:]]
    assert_allclose(places[0], [[0.5, 0], [4, 1], [0, 2]])
    assert_allclose(places[1], [[1, 0], [2, 1], [0, 2]])
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["a", "<b>", "$c$"] and ax.get_ylim() == (2.5, -0.5)
    (legend,) = display.figure_.legends
    assert words(legend.get_texts()) == ["null level", "forest", "association"]
    assert ax.get_xticklabels()[-1].get_text() == "≥ 4"


@mark.parametrize(
    "ratios, says",
    [
        ([1.0], "`ratios` must be a dict"),
        ({}, "`ratios` must be a dict"),
        ({"a": ["x"]}, "ratios"),
        ({"a": [1.0], "b": [1.0, 2.0]}, "`a`"),
    ],
)
def test_measures_that_cannot_be_drawn_are_refused(ratios, says):
    with raises(ValueError, match=says):
        EvidenceDisplay(ratios)
