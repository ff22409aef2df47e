"""Bars of features in a page on disk: sliders move them, the keys walk them, their pixels are read."""

import csv
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("anywidget")
from toolkit.plots.style import CLASS_COLORS

from . import pages

# At k = 0 lower and upper ends are (0, 0.8), (0.4, 0.8), (0.8, 0.8), (0, 0), (0, 0.4); k takes a quarter off.
CODE = """
import numpy as np
from toolkit.explore import Explorer
bounds = np.array([[0, 0.8], [0.4, 0.8], [0.8, 0.8], [0, 0], [0, 0.4]])
def view(k):
    return {"bars": bounds * (1 - k / 4), "status": f"setting {k}", "hover": [f"text {i} at {k}" for i in range(5)]}
display(Explorer(view, {"k": [0, 1, 2]}, bar_names=["age", "sex", 'b"mi', "<i>", "s1"], title="bounds"))
display(Explorer(lambda k: {"bars": np.linspace(0, 1, 256) ** k}, {"k": [1, 2]}, title="spectrum",
                 labels=np.arange(256) // 128, label_names=["low", "high"]))
"""
# Colours at places given as feature (from 1) and value; limits are 0.5 to 5.5 and 0 to 0.84, margins as in explore.js.
COLOURS = """
(canvas, places) => {
  const ratio = canvas.width / canvas.clientWidth, w = canvas.clientWidth, h = canvas.clientHeight;
  const context = canvas.getContext("2d");
  return places.map(([j, v]) => [...context.getImageData(
    (50 + (j - 0.5) * (w - 64) / 5) * ratio, (h - 38 - v * (h - 64) / 0.84) * ratio, 1, 1).data].slice(0, 3));
}
"""
BLACK, WHITE = [34, 34, 34], [255, 255, 255]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    return pages.write(CODE, tmp_path_factory.mktemp("page") / "page.html")


@pytest.fixture
def page(chromium, page_file):
    with pages.opened(chromium, page_file, explorers=2) as page:
        yield page


def painted(page, script="(c) => c.toDataURL()", *arguments, which=0):
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.locator(".stage > canvas").nth(which).evaluate(script, *arguments)


def colours(page, *places):
    return painted(page, COLOURS, list(places))


def saved(page, name, path, which=0):
    with page.expect_download() as download:
        page.get_by_role("button", name=name).nth(which).click()
    download.value.save_as(path)
    return download.value.suggested_filename


def test_white_stands_in_black_and_both_move_with_the_slider(page):
    places = [1, 0.1], [1, 0.7], [2, 0.3], [2, 0.7], [3, 0.7], [4, 0.1], [5, 0.3], [5, 0.45]
    assert colours(page, *places) == [BLACK, BLACK, WHITE, BLACK, WHITE, WHITE, BLACK, WHITE]
    page.locator("input[type=range]").first.press("ArrowRight")
    assert colours(page, [1, 0.55], [1, 0.65], [2, 0.25], [2, 0.35]) == [BLACK, WHITE, WHITE, BLACK]
    page.locator("input[type=range]").first.press("ArrowLeft")
    assert colours(page, *places) == [BLACK, BLACK, WHITE, BLACK, WHITE, WHITE, BLACK, WHITE]
    assert painted(page, "(c) => c.getAttribute('aria-label')") == "bounds: 5 features. setting 0"


def test_keys_walk_the_features_and_enter_selects(page):
    canvas, tip = page.locator(".stage > canvas").first, page.locator(".tip").first
    before = painted(page)
    canvas.focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        seen.append([line.strip() for line in tip.inner_text().splitlines()])
    assert [text[0] for text in seen] == ["age", "sex", 'b"mi', "<i>", 'b"mi', 'b"mi']
    assert seen[1] == ["sex", "text 1 at 0", "0.4 to 0.8"]
    for _ in range(9):  # the last is the end
        page.keyboard.press("ArrowRight")
    assert tip.inner_text().split() == ["s1", "text", "4", "at", "0", "0", "to", "0.4"]
    page.keyboard.press("Enter")
    marked = painted(page)
    page.keyboard.press("Enter")
    assert painted(page) != marked != before
    page.keyboard.press("Escape")
    assert tip.is_hidden() and painted(page) == before


def test_a_feature_is_found_anywhere_in_its_column_and_its_text_follows_the_slider(page):
    canvas, tip = page.locator(".stage > canvas").first, page.locator(".tip").first
    box = canvas.bounding_box()
    for j, name in ((1, "age"), (4, "<i>"), (5, "s1")):
        for height in (0.2, 0.6, 0.95):
            page.mouse.move(box["x"] + 51 + (j - 0.4) * (box["width"] - 66) / 5, box["y"] + height * box["height"])
            assert tip.inner_text().split()[0] == name
    page.locator("input[type=range]").first.press("ArrowRight")
    page.wait_for_function("document.querySelector('.tip').innerText.includes('0 to 0.3')")
    page.mouse.move(box["x"] + 10, box["y"] + 100)
    assert tip.is_hidden()


def test_zoom_keeps_the_baseline_and_the_values(page):
    page.locator(".stage > canvas").first.focus()
    before = painted(page)
    for _ in range(5):
        page.keyboard.press("+")
    assert colours(page, [3, 0.02], [3, 0.78], [3, 0.82]) == [WHITE] * 3  # the third bar, wider
    line = "(c) => [...c.getContext('2d').getImageData(300, c.clientHeight - 38, 1, 1).data][0]"
    assert painted(page, line) < 200
    page.keyboard.press("ArrowRight")  # the first is out of sight and is brought back
    assert page.locator(".tip").first.inner_text().startswith("age")
    page.keyboard.press("Escape")
    assert colours(page, [2, 0.4]) == [BLACK]  # where the first stands at this zoom
    for _ in range(9):
        page.keyboard.press("-")
    assert painted(page) == before


def test_a_box_selects_columns_and_csv_holds_both_ends(page, tmp_path):
    box = page.locator(".stage > canvas").first.bounding_box()
    slot = (box["width"] - 66) / 5
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 51 + 1.1 * slot, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 51 + 3.9 * slot, box["y"] + 60, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    assert saved(page, "CSV", tmp_path / "bars.csv") == "bounds_k-0.csv"
    with (tmp_path / "bars.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["feature", "lower", "upper", "label", "selected", "hover", "setting k"]
    assert [row["feature"] for row in rows] == ["age", "sex", 'b"mi', "<i>", "s1"]
    assert [(row["lower"], row["upper"]) for row in rows][:2] == [("0", "0.8"), ("0.4", "0.8")]
    assert [row["selected"] for row in rows] == ["0", "1", "1", "1", "0"]


def test_the_svg_holds_every_bar_and_the_names(page, tmp_path):
    assert saved(page, "SVG", tmp_path / "bars.svg") == "bounds_k-0.svg"
    root = ElementTree.parse(tmp_path / "bars.svg").getroot()
    texts = {e.text for e in root.iter() if e.tag.endswith("text")}
    assert texts >= {"age", "sex", 'b"mi', "<i>", "s1", "upper bound", "lower bound", "relevance"}
    assert texts >= {"bounds", "k = 0: setting 0"} and root[0].text == "bounds"
    boxes = [e for e in root.iter() if e.tag.endswith("rect") and float(e.get("height")) > 100]
    heights = [float(e.get("height")) for e in boxes if e.get("fill") == "#222222"]
    np.testing.assert_allclose(np.array(heights) / heights[0], [1, 1, 1, 0.5], atol=0.01)
    assert sum(e.get("fill") == "#ffffff" and e.get("stroke") == "#222222" for e in boxes) == 2


def test_a_spectrum_has_some_names_and_classes_that_can_be_hidden(page, tmp_path):
    saved(page, "SVG", tmp_path / "bars.svg", which=1)
    root = ElementTree.parse(tmp_path / "bars.svg").getroot()
    texts = {e.text for e in root.iter() if e.tag.endswith("text")}
    assert {"20", "40", "240"} <= texts and "21" not in texts and "upper bound" not in texts
    fills = [e.get("fill") for e in root.iter() if e.tag.endswith("rect")]
    assert fills.count(CLASS_COLORS[0]) == fills.count(CLASS_COLORS[1]) == 128
    page.get_by_role("button", name="low", exact=False).first.click()
    page.locator(".stage > canvas").nth(1).focus()
    page.keyboard.press("End")  # no key of ours
    page.keyboard.press("ArrowLeft")
    assert page.locator(".tip").nth(1).inner_text().split() == ["256", "high", "1"]
    for _ in range(130):
        page.keyboard.press("ArrowLeft")
    assert page.locator(".tip").nth(1).inner_text().split()[:2] == ["129", "high"]
