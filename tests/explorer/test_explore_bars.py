"""Bars of features in the explorer: traits, refusals, text and static picture."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, fixture, importorskip, mark, raises

importorskip("anywidget")
from toolkit.explorer import Explorer
from toolkit.plots.style import CLASS_COLORS

BOUNDS = np.array([[0.0, 0.2], [0.1, 0.4], [0.5, 0.5], [0.0, 0.0], [0.3, 1.0]])
NAMES = ["age", "sex", "bmi", "bp", "s1"]


def wider(slack):
    """Bounds that open with the slack."""
    lower = BOUNDS[:, 0] * (1 - slack)
    return {
        "bars": np.c_[lower, BOUNDS[:, 1] * (1 + slack)],
        "status": f"slack {slack}",
    }


def unchanging(frame, **options):
    """An explorer whose one slider has one value."""
    return Explorer(lambda k: frame, {"k": [1]}, **options)


@fixture
def explorer():
    return Explorer(
        wider, {"slack": [0.0, 0.5]}, bar_names=NAMES, title="bounds"
    )


def test_lower_and_upper_ends_are_sent_in_turn_as_they_are(explorer):
    bars = wider(0.5)["bars"]
    sent = np.frombuffer(explorer.frames[1], dtype="<f4").reshape(-1, 2)
    assert_array_equal(sent, bars.astype("<f4"))
    explorer.set(slack=0.5)
    assert_allclose(explorer.embedding_, bars, atol=1e-6)
    assert explorer.bar_names == NAMES and not explorer.equal_aspect
    assert explorer.axis_names == ["feature", "relevance"]


def test_the_axis_of_values_begins_at_zero_and_is_the_same_for_every_frame(
    explorer,
):
    assert explorer.limits[0] == explorer.limits[1]
    x0, x1, y0, y1 = explorer.limits[0]
    assert (x0, x1, y0) == (0.5, 5.5, 0.0) and 1.5 < y1 < 1.6
    explorer_shown = Explorer(wider, {"slack": [0.0, 0.5]}, rescale=["slack"])
    expected = [0.5, 5.5, 0, 1.5 * explorer_shown.limits[0][3]]
    assert_allclose(explorer_shown.limits[1], expected)


def test_bars_of_zero_only_have_limits_too_and_anchors_widen_them():
    assert unchanging({"bars": np.zeros((3, 2))}).limits == [
        [0.5, 3.5, 0, 1.05]
    ]
    frame = {"bars": [[0, 0.1], [0, 0.2]], "anchors": [[1, 2]]}
    assert unchanging(frame, anchor_names=["mean"]).limits[0][3] == approx(2.1)


NAMED = {"bar_names": NAMES}
WRONG = [
    (
        {"bars": [[0.1, np.nan]]},
        {},
        "at {'k': 1} what cannot be drawn: `bars` must be fin",
    ),
    (
        {"bars": [[0, 1], [0.5, 0.25]]},
        {},
        "0 <= lower <= upper; got 0.5 to 0.25 for bar 1.* Clip",
    ),
    ({"bars": [[-1e-9, 0.1]]}, {}, "got -1e-09 to 0.1 for bar 0"),
    ({"bars": []}, {}, r"`bars` must have shape \(n, 2\)"),
    ({"bars": BOUNDS, "Z": BOUNDS}, {}, "`bars` stand without `Z`"),
    (
        {"bars": 1e40 * BOUNDS},
        {},
        r"numbers up to 1e\+37, as single precision holds",
    ),
    ({"bars": BOUNDS[:4]}, NAMED, "`bar_names` must be a sequence of 4 names"),
    (BOUNDS, NAMED, "`bar_names` names bars, but `compute` returned a map"),
]


@mark.parametrize(("frame", "options", "says"), WRONG)
def test_wrong_bars_are_an_error(frame, options, says):
    with raises(ValueError, match=says):
        unchanging(frame, **options)


@mark.parametrize(
    ("second", "says"),
    [
        ({"bars": BOUNDS}, "got bars of shape"),
        (BOUNDS[1:], r"got a map of shape \(4, 2\)"),
    ],
)
def test_frames_that_change_their_kind_or_shape_are_an_error(second, says):
    with raises(
        ValueError, match=rf"'k': 1\}} .* must be a map of shape .*; {says}"
    ):
        Explorer(lambda k: second if k else BOUNDS, {"k": [0, 1]})


def test_the_text_speaks_of_features(explorer):
    assert explorer.text_() == (
        "Explorer 'bounds': 5 features (age, sex, bmi, bp, s1) at slack = 0,"
        " one of 2 settings computed. slack 0.0"
    )
    spectrum = unchanging(
        {"bars": np.ones((256, 2))}, bar_names=range(850, 1106)
    )
    assert "256 features (850 to 1105) at k = 1" in spectrum.text_()
    assert "5 features (1 to 5) at" in Explorer(wider, {"slack": [0.0]}).text_()


def test_the_still_picture_shows_upper_bars_in_black_and_lower_ones_in_white(
    still,
):
    def black(bars):
        pixels = still(unchanging({"bars": bars}, title="x"))
        return (np.abs(pixels - 0x22).max(axis=2) < 3).sum()

    area_of_bars = black([[0, 1.0]] * 4)
    half = black([[0.5, 1.0]] * 4)
    area_without_bars = black([[1.0, 1.0]] * 4)
    assert area_of_bars > 60_000
    assert half == approx(area_of_bars / 2, rel=0.05)
    assert area_without_bars < 0.05 * area_of_bars


def test_the_still_picture_colours_classes(still):
    pixels = still(unchanging({"bars": [[0, 1]] * 4}, labels=[0, 0, 0, 1]))
    colors = [
        [int(color[i : i + 2], 16) for i in (1, 3, 5)]
        for color in CLASS_COLORS[:2]
    ]
    first, second = ((pixels == color).all(axis=2).sum() for color in colors)
    assert first == approx(3 * second, rel=0.05) and second > 10_000


@mark.parametrize(
    "names",
    [["a"], ["a long name of a feature"] * 12, [str(i) for i in range(1, 501)]],
)
def test_any_number_of_names_has_room(names, still):
    lengths = np.ones((len(names), 2))
    explorer = unchanging({"bars": lengths, "rings": [0]}, bar_names=names)
    assert still(explorer).shape[1:] == (800, 3)
