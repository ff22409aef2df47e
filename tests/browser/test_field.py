"""Coloured backgrounds and ringed samples: in JupyterLab and in a page on disk, where the pixels are read."""

import statistics
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest

pytest.importorskip("anywidget")
from . import lab, pages

# Two halves, the lower one red and the upper one blue at first; each setting adds green to both.
CODE = """
import numpy as np
from toolkit.explore import Explorer
Z = np.c_[np.tile([-0.5, 0.5], 10), np.repeat(np.linspace(-0.9, 0.9, 10), 2)]
def view(k):
    background = np.zeros((100, 100, 3), dtype=np.uint8)
    background[:50], background[50:] = [240, 10 * k, 0], [0, 10 * k, 240]
    return {"Z": Z, "background": background, "extent": (-1, 1, -1, 1), "rings": [4] if k == 0 else [],
            "status": f"setting {k}"}
options = dict(labels=np.arange(20) % 2, label_names=["left", "right"])
"""
STORED = f"""{CODE}
display(Explorer(view, {{"k": [0, 1, 2, 3]}}, title="computed before", **options))
live = Explorer(view, {{"k": [0, 1, 2, 3]}}, precompute=False, title="computed when reached", **options)
live.set(k=2)
live.set(k=0)
display(live)
"""
IN_LAB = f"""{CODE}
display(Explorer(view, {{"k": list(range(25))}}, title="computed before", **options))
display(Explorer(view, {{"k": list(range(25))}}, precompute=False, title="computed when reached", **options))
"""
# Colours at places of the stage given in data units; the stage is as in explore.js, limits -1 to 1, one scale.
COLOURS = """
(canvas, places) => {
  const ratio = canvas.width / canvas.clientWidth, w = canvas.clientWidth, h = canvas.clientHeight;
  const scale = Math.min((w - 64) / 2, (h - 64) / 2), context = canvas.getContext("2d");
  return places.map(([x, y]) => [...context.getImageData(
    (50 + (w - 64) / 2 + x * scale) * ratio, (26 + (h - 64) / 2 - y * scale) * ratio, 1, 1).data].slice(0, 3));
}
"""
LOW, HIGH, OUTSIDE = [0, -0.6], [0, 0.6], [-1.1, 0]


def colours(page, *places, which=0):
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    painted = "(k) => 'painted' in document.querySelectorAll('.stage > canvas')[k].dataset"
    page.wait_for_function(painted, arg=which)  # a background that comes first has to be decoded
    return page.locator(".stage > canvas").nth(which).evaluate(COLOURS, list(places))


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    return pages.write(STORED, tmp_path_factory.mktemp("page") / "page.html")


@pytest.fixture
def page(chromium, page_file):
    with pages.opened(chromium, page_file, explorers=2) as page:
        yield page


def test_the_page_shows_backgrounds_and_changes_them_by_key(page):
    assert colours(page, LOW, HIGH, OUTSIDE) == [[240, 0, 0], [0, 0, 240], [255, 255, 255]]
    slider = page.locator("input[type=range]").first
    slider.press("ArrowRight")
    assert colours(page, LOW, HIGH, OUTSIDE) == [[240, 10, 0], [0, 10, 240], [255, 255, 255]]
    slider.press("ArrowLeft")
    assert colours(page, LOW, HIGH) == [[240, 0, 0], [0, 0, 240]]


def test_the_page_plays_the_backgrounds_that_a_live_explorer_computed(page):
    assert colours(page, LOW, HIGH, which=1) == [[240, 0, 0], [0, 0, 240]]
    slider = page.locator("input[type=range]").nth(1)
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    assert colours(page, LOW, HIGH, which=1) == [[240, 20, 0], [0, 20, 240]]
    assert page.locator(".status").nth(1).inner_text() == "setting 2"


def test_the_background_moves_and_grows_with_the_samples(page):
    canvas = page.locator(".stage > canvas").first
    for _ in range(4):
        canvas.press("+")
    assert colours(page, [0, -0.1], [0, 0.1]) == [[240, 0, 0], [0, 0, 240]]
    assert colours(page, OUTSIDE)[0] in ([240, 0, 0], [0, 0, 240])  # what was outside is covered
    in_margin = "(c) => [...c.getContext('2d').getImageData(3, 100, 1, 1).data]"
    assert canvas.evaluate(in_margin) == [255] * 4  # the axes are not


def test_rings_follow_the_frame_and_the_legend(page):
    ring = 6.5 / 248  # pixels of its radius over those of a unit
    around = [[-0.5 + ring * np.cos(a), -0.5 + ring * np.sin(a)] for a in np.linspace(0, 6, 12)]
    ringed = colours(page, *around)
    assert sum(min(c) > 200 for c in ringed) >= 8
    page.get_by_role("button", name="left").first.click()
    assert colours(page, *around) == [[240, 0, 0]] * 12
    page.get_by_role("button", name="left").first.click()
    page.locator("input[type=range]").first.press("ArrowRight")
    assert sum(min(c) > 200 for c in colours(page, *around)) == 0


def test_samples_on_a_background_can_be_pointed_at_and_selected(page):
    canvas = page.locator(".stage > canvas").first
    canvas.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".tip").first.inner_text().startswith("#")
    before = canvas.evaluate("(c) => c.toDataURL()")
    page.keyboard.press("Enter")
    assert colours(page, LOW) == [[240, 0, 0]] and canvas.evaluate("(c) => c.toDataURL()") != before


def test_the_svg_holds_the_background_and_the_rings(page, tmp_path):
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").first.click()
    download.value.save_as(tmp_path / "map.svg")
    root = ElementTree.parse(tmp_path / "map.svg").getroot()
    (image,) = [e for e in root.iter() if e.tag.endswith("image")]
    assert image.get("href").startswith("data:image/png;base64,")
    rings = [e for e in root.iter() if e.tag.endswith("circle") and e.get("stroke") == "#ffffff"]
    assert len(rings) == 1
    shown = page.context.new_page()
    shown.goto((tmp_path / "map.svg").as_uri())
    drawn = shown.evaluate(
        """async () => {
          const image = new Image(), root = document.documentElement;
          image.src = "data:image/svg+xml;base64," + btoa(new XMLSerializer().serializeToString(root));
          await image.decode();
          const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
          canvas.width = root.width.baseVal.value; canvas.height = root.height.baseVal.value;
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          const x = 46 + (canvas.width - 58) / 2, y = 10 + (canvas.height - 44) / 2;
          return [y + 100, y - 100].map((v) => [...context.getImageData(x, v, 1, 1).data].slice(0, 3));
        }"""
    )
    assert drawn == [[240, 0, 0], [0, 0, 240]]
    shown.close()


@pytest.mark.slow
def test_in_the_lab_each_key_press_redraws_the_background(chromium, lab_server, record_property):
    pytest.importorskip("jupyterlab")
    spec = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    nb = nbformat.v4.new_notebook(metadata=spec, cells=[nbformat.v4.new_code_cell(IN_LAB)])
    folder, address = lab_server
    nbformat.write(nb, folder / "field.ipynb")
    page = chromium.new_page(viewport={"width": 1400, "height": 1100})
    result, errors = lab.latencies(page, address, "field.ipynb", 16, to_and_fro=False, explorers=2)
    assert len(result) == 2
    for which, (name, times) in enumerate(result.items()):
        record_property(f"latency_{name}", times)
        print(f"{name}: {len(times)} repaints, median {statistics.median(times or [0]):.0f} ms")
        assert len(times) >= 15
        k = int(page.locator(".tkx .status").nth(which).inner_text().removeprefix("setting "))
        assert k >= 15
        assert colours(page, LOW, HIGH, which=which) == [[240, 10 * k, 0], [0, 10 * k, 240]]
    page.close()
    assert not errors
