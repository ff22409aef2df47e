"""Names of samples in maps: those that fit, the highlighted and the most isolated first."""

import numpy as np
import pytest

from toolkit.plots import MapDisplay, TargetDisplay

Z = np.random.default_rng(0).normal(size=(150, 2))


def names(n):
    return [f"sample {i}" for i in range(n)]


def written(display):
    return {text.get_text() for text in display.ax_.texts}


@pytest.mark.parametrize(("kind", "y"), [(MapDisplay, np.arange(150) % 2), (TargetDisplay, np.arange(150.0))])
def test_names_that_have_room_are_written_without_overlap_and_the_others_counted(kind, y, apart):
    display = kind(Z, y, point_names=names(150)).plot(most_names=150)
    assert len(display.named_) + display.hidden_ == 150
    assert 20 < len(display.named_) < 150
    assert written(display) == {f"sample {i}" for i in display.named_}
    apart(display)


def test_the_most_isolated_come_first_and_the_highlighted_before_them():
    points, y = np.vstack([Z[:100], [[9, 9], [-9, 9]]]), np.arange(102) % 3
    few = MapDisplay(points, y, point_names=names(102)).plot(most_names=2)
    np.testing.assert_array_equal(few.named_, [100, 101])
    assert few.hidden_ == 100
    middle = int(np.argmin(np.linalg.norm(Z[:100], axis=1)))
    display = MapDisplay(points, y, highlighted=np.arange(102) == middle, point_names=names(102))
    np.testing.assert_array_equal(display.plot(most_names=2).named_, [middle, 100])


@pytest.mark.parametrize(
    ("given", "most", "shown", "hidden"),
    [(["", " ", "here"], 40, {"here"}, 0), (["", "", ""], 40, set(), 0), (["", " ", "here"], 0, set(), 1)],
)
def test_only_some_samples_have_a_name(given, most, shown, hidden):
    display = MapDisplay(Z, np.arange(150) % 2, point_names=given + [""] * 147).plot(most_names=most)
    assert written(display) == shown and display.hidden_ == hidden


def test_equal_samples_and_a_single_one():
    display = TargetDisplay(np.zeros((4, 2)), np.arange(4.0), point_names=names(4)).plot()
    assert 0 in display.named_
    assert written(TargetDisplay([[0, 0]], [1.0], point_names=["$a_1$"]).plot()) == {"$a_1$"}


def test_names_of_samples_keep_clear_of_those_of_classes(apart):
    y = np.arange(80) % 8
    display = MapDisplay(Z[:80], y, [f"class {c}" for c in range(8)], point_names=names(80)).plot()
    assert apart(display) == 8 + len(display.named_)


def test_wrong_numbers_of_names_are_refused():
    with pytest.raises(ValueError, match="`point_names` must be a sequence of 2 names, one per sample"):
        MapDisplay(np.eye(2), [0, 1], point_names=["a"])
    with pytest.raises(ValueError, match="`most_names` must be an integer >= 0; got -1"):
        TargetDisplay(np.eye(2), [0.0, 1.0], point_names=["a", "b"]).plot(most_names=-1)
