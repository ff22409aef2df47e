"""The style: colours for all eyes, readable sizes, frames of equal size."""

import matplotlib
import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises

from toolkit.plots import (
    CurvesDisplay,
    HistogramDisplay,
    MapDisplay,
    MapsDisplay,
    panels,
    write_heading,
    write_title,
)
from toolkit.plots.pictures import draw_layout
from toolkit.plots.style import (
    CLASS_COLORS,
    class_styles,
    figure_layout,
    fit_frames,
)


@mark.skipif(
    "petroff10" not in matplotlib.color_sequences, reason="an old matplotlib"
)
def test_the_colours_are_those_that_all_eyes_tell_apart():
    assert np.allclose(
        list(map(to_rgb, CLASS_COLORS)), matplotlib.color_sequences["petroff10"]
    )


@given(st.integers(1, 200))
def test_no_two_classes_look_the_same(n):
    styles = class_styles(n)
    assert len(set(styles)) == min(n, 100)


@mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(1, 9), st.sampled_from([0.5, 0.8, 1.0]), st.integers(1, 3))
def test_frames_are_equal_readable_and_not_too_wide(count, ratio, columns):
    rng = default_rng(0)
    figure, axes = panels(count, ratio=ratio, columns=columns)
    for k, ax in enumerate(axes):  # maps of very different shape
        Z = rng.normal(size=(30, 2)) * [1, 10.0**k]
        MapDisplay(Z, np.arange(30) % 2).plot(
            ax, title=f"map {k}", number="error .5, held-out samples"
        )
    layout = figure_layout(figure)
    areas = [width * height for width, height in layout["frames"]]
    assert len(areas) == count and max(areas) <= 1.2 * min(areas)
    assert layout["width"] <= 1100 and layout["smallest_text"] >= 9
    plt.close(figure)


def test_a_missing_title_is_none():
    display = HistogramDisplay([0.0, 1.0], ["a", "b"]).plot(title=pd.NA)
    assert display.ax_.get_title(loc="left") == ""


def test_the_settings_of_others_and_the_style_are_independent():
    with matplotlib.rc_context({"font.size": 20, "axes.titlesize": 30}):
        ax = HistogramDisplay([0.0, 1.0], ["a", "b"]).plot(title="t").ax_
        assert (
            ax.title.get_fontsize() != 30
            and matplotlib.rcParams["font.size"] == 20
        )
        assert ax._left_title.get_fontsize() == 10
        assert not ax.spines["top"].get_visible()


def test_a_title_is_the_finding_and_below_it_the_number():
    _, axes = panels(3)
    write_title(
        axes[0],
        "a finding that does not fit into one line of so small a frame",
        "error .25",
    )
    lines = axes[0].get_title("left").split("\n")
    assert len(lines) > 2
    assert lines[-1] == "error .25"
    assert " ".join(lines[:-1]).startswith("a finding that")


def test_charts_draw_their_values():
    curves = np.array([[1.0, 2], [3, 4], [5, 6]])
    options = {"bands": (curves - 1, curves + 1), "references": {"paper": 2.5}}
    ax = CurvesDisplay(np.arange(3), curves, ["a", "b"], **options).plot().ax_
    assert_array_equal(ax.lines[0].get_ydata(), [1, 3, 5])
    assert list(ax.lines[2].get_ydata()) == [2.5, 2.5]
    assert {t.get_text() for t in ax.texts} == {"a", "b", "paper"}
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (0, 6)
    bars = HistogramDisplay([0.0, 0.1, 1.0], ["x", "y", "y"]).plot().ax_.patches
    starts = [bar.get_x() for bar in bars if bar.get_height()]
    assert starts == approx([0, 0.1, 0.975], abs=1e-9)


@mark.parametrize("wrong", [{"columns": 4}, {"width": 20}])
def test_wrong_panels_are_an_error(wrong):
    with raises(ValueError, match=f"`{[*wrong][0]}` must be"):
        panels(**{"count": 2} | wrong)


def test_a_heading_names_the_figure_and_leaves_the_frames_as_they_are():
    figure, axes = panels(2)
    fit_frames(figure)
    before = [ax.get_window_extent().size for ax in axes]
    write_heading(
        figure, "A finding " * 20, "what one has to know to read it, " * 12
    )
    fit_frames(figure)
    draw_layout(figure)
    assert_allclose(
        [ax.get_window_extent().size for ax in axes], before, rtol=0.02
    )
    over = [
        text.get_window_extent()
        for text in figure.findobj(Text)
        if "finding" in text.get_text() or "to know" in text.get_text()
    ]
    assert len(over) == 2
    assert all(0 <= box.x0 and box.x1 <= figure.bbox.width for box in over)
    assert min(box.y0 for box in over) > max(
        ax.get_window_extent().y1 for ax in axes
    )
    assert max(box.y1 for box in over) <= figure.bbox.height + 1


def test_names_stand_at_the_right_ends_of_curves_whatever_the_order_of_x():
    x = np.array([1, 2, 3])
    curves = np.array([[0, 5], [1, 5], [4, 1]])
    for order in ([0, 1, 2], [2, 1, 0]):
        ax = (
            CurvesDisplay(x[order], curves[order], ["rises", "falls"])
            .plot()
            .ax_
        )
        assert [text.get_text() for text in ax.texts] == ["falls", "rises"]
        low, high = (text.xy[1] for text in ax.texts)
        assert high - low > 0.3


def test_highlighted_samples_are_in_the_legend(legend_of):
    y = np.array(["a", "b"] * 5)
    chosen = np.arange(10) < 5
    maps = {"one": default_rng(0).normal(size=(10, 2))}
    options = {"highlighted": chosen, "highlighted_name": "labelled"}
    display = MapsDisplay(maps, y, numbers=["error .5"], **options).plot()
    assert legend_of(display) == ["a", "b", "labelled"]
