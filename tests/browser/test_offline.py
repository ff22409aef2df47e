"""The explorer in a page on disk, with the network off: every control works and nothing is fetched."""

import csv

import numpy as np
import pytest

pytest.importorskip("anywidget")
from . import pages

CODE = """
import numpy as np
from toolkit.explore import Explorer
rng = np.random.default_rng(0)
Z = rng.normal(size=(60, 2))
def view(angle, mirror):
    c, s = np.cos(angle), np.sin(angle)
    turned = Z @ [[c, -s], [s, c]] * [-1 if mirror else 1, 1]
    return {"Z": turned, "anchors": turned[:2], "segments": [[-1, -1, 1, 1]], "status": f"angle {angle:.2f}",
            "hover": [f"text {i} at {angle}" for i in range(60)], "links": np.tile([0, 1], (60, 1))}
options = dict(labels=np.arange(60) % 3, label_names=["red & <b>", "green", "</script>"], anchor_names=["one", "two"],
               images=rng.integers(0, 255, size=(60, 4, 4)), align=False,
               code="turn({angle}, {mirror})")
left = Explorer(view, {"angle": [0, 0.5, 1, 1.5], "mirror": [False, True]}, title="left", **options)
right = Explorer(lambda angle: view(angle, False), {"angle": [0, 1]}, title="right", **options)
left.link(right)
display(left, right)
"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    return pages.write(CODE, tmp_path_factory.mktemp("page") / "page.html")


@pytest.fixture
def page(chromium, page_file):
    with pages.opened(chromium, page_file, explorers=2) as page:
        yield page


def pixels(page, which=0):
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.evaluate(f"document.querySelectorAll('.stage > canvas')[{which}].toDataURL()")


def first_sample(page):
    """Page coordinates of a sample, found by walking there with the keyboard and reading the tip's place."""
    canvas = page.locator(".stage > canvas").first
    canvas.focus()
    page.keyboard.press("ArrowRight")
    return canvas


def test_slider_and_check_box_change_the_picture_and_its_words(page):
    before = pixels(page)
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    turned = pixels(page)
    assert turned != before
    assert page.locator(".status").first.inner_text() == "angle 0.50"
    assert "angle 0.50" in page.locator(".stage > canvas").first.get_attribute("aria-label")
    page.locator("input[type=checkbox]").first.press("Space")
    assert pixels(page) not in (before, turned)
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowLeft")
    page.locator("input[type=checkbox]").first.press("Space")
    assert pixels(page) == before  # the axes have not moved


def test_the_legend_hides_classes_by_click_and_by_key(page):
    before = pixels(page)
    button = page.get_by_role("button", name="green").first
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert pixels(page) != before
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert pixels(page) == before


def test_keys_walk_the_samples_and_the_selection_is_shared(page):
    other = pixels(page, 1)
    canvas = first_sample(page)
    tip = page.locator(".tip").first
    assert "text " in tip.inner_text() and tip.locator("canvas").count() == 1
    seen = {tip.inner_text()}
    for key in ("ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        seen.add(tip.inner_text())
    assert len(seen) > 2
    page.keyboard.press("Enter")
    assert pixels(page, 1) != other  # the linked explorer rings the same sample
    page.keyboard.press("Escape")
    assert pixels(page, 1) == other
    assert tip.is_hidden()
    before = pixels(page)
    canvas.press("+")
    assert pixels(page) != before
    canvas.press("0")
    assert pixels(page) == before


def test_hover_shows_the_sample_under_the_pointer(page):
    box = page.locator(".stage > canvas").first.bounding_box()
    tip = page.locator(".tip").first
    for x in np.linspace(0.3, 0.7, 25):
        for y in np.linspace(0.3, 0.7, 12):
            page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
            if tip.is_visible():
                text = tip.inner_text()
                assert text.startswith("#") and text.rstrip().endswith("at 0")
                slider = page.locator("input[type=range]").first
                slider.focus()
                page.keyboard.press("ArrowRight")
                page.wait_for_function("document.querySelector('.tip').innerText.includes('at 0.5')")
                return
    raise AssertionError("no sample was found under the pointer")


def test_box_selection_csv_and_svg(page, tmp_path):
    box = page.locator(".stage > canvas").first.bounding_box()
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 60, box["y"] + 15)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + box["height"] - 40, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").first.click()
    download.value.save_as(tmp_path / "map.csv")
    with (tmp_path / "map.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    Z = np.random.default_rng(0).normal(size=(60, 2))
    got = np.array([[float(r["axis_1"]), float(r["axis_2"])] for r in rows])
    np.testing.assert_allclose(got, Z, atol=1e-6)
    assert rows[0]["label"] == "red & <b>" and all(r["selected"] == "1" for r in rows)
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").first.click()
    download.value.save_as(tmp_path / "map.svg")
    from xml.etree import ElementTree

    root = ElementTree.parse(tmp_path / "map.svg").getroot()
    marks = [e for e in root.iter() if e.tag.endswith(("circle", "polygon"))]
    assert len(marks) >= 60 + 2 + 60  # samples, anchors, rings of the selected


def test_the_setting_is_copied_as_code(page):
    page.locator("input[type=range]").first.press("ArrowRight")
    page.locator("input[type=checkbox]").first.press("Space")
    page.get_by_role("button", name="Copy code").first.click()
    page.wait_for_function("document.querySelector('.tkx').dataset.code")
    assert page.evaluate("document.querySelector('.tkx').dataset.code") == "turn(0.5, True)"


def test_reset_brings_the_first_picture_back(page):
    before = pixels(page)
    page.get_by_role("button", name="green").first.click()
    first_sample(page)
    page.keyboard.press("Enter")
    page.locator(".stage > canvas").first.press("+")
    page.get_by_role("button", name="Reset").first.click()
    page.locator(".help").first.click()
    assert pixels(page) == before
