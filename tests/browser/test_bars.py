"""Bars of features in a page on disk: sliders move them, the keys walk them, their pixels are read."""

import numpy as np
from pytest import fixture, importorskip

importorskip("anywidget")
from toolkit.plots.style import CLASS_COLORS

from . import pages

# At k = 0 lower and upper ends are (0, 0.8), (0.4, 0.8), (0.8, 0.8), (0, 0), (0, 0.4);
# k takes a quarter off.
CODE = """
import numpy as np
from toolkit.explorer import Explorer
bounds = np.array([[0, 0.8], [0.4, 0.8], [0.8, 0.8], [0, 0], [0, 0.4]])
def view(k):
    return {"bars": bounds * (1 - k / 4), "status": f"setting {k}", "hover": [f"text {i} at {k}" for i in range(5)]}
display(Explorer(view, {"k": [0, 1, 2]}, bar_names=["age", "sex", 'b"mi', "<i>", "s1"], title="bounds"))
display(Explorer(lambda k: {"bars": np.linspace([0, 0], [0, 1], 256) ** k}, {"k": [1, 2]}, title="spectrum",
                 labels=np.arange(256) // 128, label_names=["low", "high"]))
"""
BLACK = [34] * 3
WHITE = [255] * 3


class Bars(pages.View):
    def at(self, *places):
        """Colours at places given as feature (from 1) and value: limits 0.5 to 5.5 and 0 to 0.84, as in explore.js."""
        _, _, width, height = self.bounds()
        slot = (width - 64) / 5
        unit = (height - 64) / 0.84
        return self.colours(
            [(50 + (j - 0.5) * slot, height - 38 - v * unit) for j, v in places]
        )


@fixture
def bars(chromium, path):
    with pages.open_explorers(chromium, path, explorers=2) as page:
        yield Bars(page)


def test_white_stands_in_black_and_both_move_with_the_slider(bars):
    places = (
        (1, 0.1),
        (2, 0.3),
        (2, 0.7),
        (3, 0.7),
        (4, 0.1),
        (5, 0.3),
        (5, 0.45),
    )
    first = [BLACK, WHITE, BLACK, WHITE, WHITE, BLACK, WHITE]
    assert bars.at(*places) == first
    bars.slider.press("ArrowRight")
    colours = bars.at([1, 0.55], [1, 0.65], [2, 0.25], [2, 0.35])
    assert colours == [BLACK, WHITE, WHITE, BLACK]
    bars.slider.press("ArrowLeft")
    assert bars.at(*places) == first
    assert (
        bars.canvas.get_attribute("aria-label")
        == "bounds: 5 features. setting 0"
    )


def test_keys_walk_the_features_and_enter_selects(bars):
    before = bars.pixels()
    seen = []
    for key in (
        *["ArrowRight"] * 4,
        "ArrowLeft",
        "ArrowUp",
        *["ArrowRight"] * 9,
    ):
        bars.keys(key)
        seen.append(bars.tip_lines())
    names = ["age", "sex", 'b"mi', "<i>", 'b"mi', 'b"mi', "<i>"]
    # the last is the end
    assert [text[0] for text in seen] == names + ["s1"] * 8
    assert seen[1] == ["sex", "text 1 at 0", "0.4 to 0.8"]
    bars.keys("Enter")
    marked = bars.pixels()
    bars.keys("Enter")
    assert bars.pixels() != marked != before
    bars.keys("Escape")
    assert bars.tip.is_hidden() and bars.pixels() == before


def test_a_feature_is_found_anywhere_in_its_column_and_its_text_follows_the_slider(
    bars,
):
    left, top, width, height = bars.bounds()
    mouse = bars.page.mouse
    for j, part, name in ((1, 0.2, "age"), (4, 0.6, "<i>"), (5, 0.95, "s1")):
        mouse.move(
            left + 51 + (j - 0.4) * (width - 66) / 5, top + part * height
        )
        assert bars.tip_lines()[0] == name
    bars.slider.press("ArrowRight")
    bars.tip.filter(has_text="0 to 0.3").wait_for()


def test_zoom_keeps_the_baseline_and_the_values(bars):
    before = bars.pixels()
    bars.keys(*["+"] * 5)
    # the third bar, wider
    assert bars.at([3, 0.02], [3, 0.78], [3, 0.82]) == [WHITE] * 3
    # the line
    assert bars.colours([(300, bars.bounds()[3] - 38)])[0][0] < 200
    bars.keys("ArrowRight")  # the first is out of sight and is brought back
    assert bars.tip_lines()[0] == "age"
    bars.keys("Escape")
    assert bars.at([2, 0.4]) == [BLACK]  # where the first stands at this zoom
    bars.keys(*["-"] * 9)
    assert bars.pixels() == before


def test_a_box_selects_columns_and_csv_holds_both_ends(bars):
    left, top, width, _ = bars.bounds()
    slot = (width - 66) / 5
    left += 51
    bars.drag(
        (left + 1.1 * slot, top + 50),
        (left + 3.9 * slot, top + 60),
        key="Shift",
    )
    rows, name = bars.table()
    assert name == "bounds_k-0.csv"
    results = [(row["feature"], row["lower"], row["upper"]) for row in rows[:2]]
    assert results == [("age", "0", "0.8"), ("sex", "0.4", "0.8")]
    assert [row["selected"] for row in rows] == ["0", "1", "1", "1", "0"]


def test_the_svg_holds_every_bar_and_the_names(bars):
    elements, texts = bars.svg()
    assert texts >= {"bounds", "age", "sex", 'b"mi', "<i>", "s1", "relevance"}
    assert texts >= {"upper bound", "lower bound", "k = 0: setting 0"}
    boxes = [e.attrib for e in elements if e.tag.endswith("rect")]
    boxes = [box for box in boxes if float(box["height"]) > 100]
    black = [float(box["height"]) for box in boxes if box["fill"] == "#222222"]
    np.testing.assert_allclose(
        np.divide(black, black[0]), [1, 1, 1, 0.5], atol=0.01
    )
    white = [box.get("stroke") for box in boxes if box["fill"] == "#ffffff"]
    assert white.count("#222222") == 2


def test_a_spectrum_has_some_names_and_classes_that_can_be_hidden(bars):
    spectrum = Bars(bars.page, 1)
    elements, texts = spectrum.svg()
    assert {"20", "40", "240", "upper bound"} <= texts and "21" not in texts
    fills = [e.get("fill") for e in elements if e.tag.endswith("rect")]
    assert fills.count(CLASS_COLORS[0]) == fills.count(CLASS_COLORS[1]) == 128
    spectrum.click("low")
    spectrum.keys("ArrowLeft")
    assert spectrum.tip_lines()[0] == "256 high"
    spectrum.keys(*["ArrowLeft"] * 130)
    assert spectrum.tip.inner_text().split()[:2] == ["129", "high"]
