"""Names of samples in maps: those that fit, the highlighted and the most isolated first."""

import matplotlib

matplotlib.use("agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

from toolkit.plots import MapDisplay, TargetDisplay


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def names(n):
    return [f"sample {i}" for i in range(n)]


def written(display):
    return {text.get_text() for text in display.ax_.texts}


@pytest.mark.parametrize("make", [lambda Z, **k: MapDisplay(Z, np.arange(len(Z)) % 2, **k), TargetDisplay])
def test_names_that_have_room_are_written_without_overlap_and_the_others_counted(make):
    Z = np.random.default_rng(0).normal(size=(150, 2))
    values = {} if make is not TargetDisplay else {"values": np.arange(150.0)}
    display = make(Z, point_names=names(150), **values).plot(most_names=150)
    assert len(display.named_) + display.hidden_ == 150
    assert 20 < len(display.named_) < 150
    assert written(display) == {f"sample {i}" for i in display.named_}
    display.figure_.draw_without_rendering()
    boxes, frame = [Text.get_window_extent(text) for text in display.ax_.texts], display.ax_.get_window_extent()
    assert sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]) == 0
    assert all(frame.x0 <= b.x0 and b.x1 <= frame.x1 and frame.y0 <= b.y0 and b.y1 <= frame.y1 for b in boxes)


def test_the_most_isolated_come_first_and_the_highlighted_before_them():
    cloud = np.random.default_rng(0).normal(size=(100, 2))
    Z = np.vstack([cloud, [[9, 9], [-9, 9]]])
    few = MapDisplay(Z, np.arange(102) % 3, point_names=names(102)).plot(most_names=2)
    np.testing.assert_array_equal(few.named_, [100, 101])
    assert few.hidden_ == 100
    middle = int(np.argmin(np.linalg.norm(cloud, axis=1)))
    display = MapDisplay(Z, np.arange(102) % 3, highlighted=np.arange(102) == middle, point_names=names(102))
    np.testing.assert_array_equal(display.plot(most_names=2).named_, [middle, 100])


def test_only_some_samples_have_a_name():
    Z = np.random.default_rng(0).normal(size=(50, 2))
    some = ["", " ", "here", *[""] * 47]
    display = MapDisplay(Z, np.arange(50) % 2, point_names=some).plot()
    assert written(display) == {"here"} and display.hidden_ == 0
    assert MapDisplay(Z, np.arange(50) % 2, point_names=[""] * 50).plot().named_.size == 0
    none = MapDisplay(Z, np.arange(50) % 2, point_names=some).plot(most_names=0)
    assert written(none) == set() and none.hidden_ == 1


def test_equal_samples_and_a_single_one():
    display = TargetDisplay(np.zeros((4, 2)), np.arange(4.0), point_names=names(4)).plot()
    assert 0 in display.named_
    assert TargetDisplay([[0, 0]], [1.0], point_names=["$a_1$"]).plot().ax_.texts[0].get_text() == "$a_1$"


def test_names_of_samples_keep_clear_of_those_of_classes():
    Z = np.random.default_rng(0).normal(size=(80, 2))
    display = MapDisplay(Z, np.arange(80) % 8, [f"class {c}" for c in range(8)], point_names=names(80)).plot()
    display.figure_.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in display.ax_.texts]
    assert len(boxes) == 8 + len(display.named_)
    assert sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i] if i >= 8) == 0


def test_wrong_names_of_samples():
    with pytest.raises(ValueError, match="`point_names` must be a sequence of 2 names, one per sample"):
        MapDisplay(np.eye(2), [0, 1], point_names=["a"])
    with pytest.raises(ValueError, match="`most_names` must be an integer >= 0; got -1"):
        TargetDisplay(np.eye(2), [0.0, 1.0], point_names=["a", "b"]).plot(most_names=-1)
