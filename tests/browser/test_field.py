"""Coloured backgrounds and ringed samples in a page on disk, where the pixels are read."""

import numpy as np
from pytest import fixture, importorskip

importorskip("anywidget")
from . import pages

# Two halves, the lower one red and the upper one blue at first; each setting adds green
# to both.
CODE = """
import numpy as np
from toolkit.explorer import Explorer
Z = np.c_[np.tile([-0.5, 0.5], 10), np.repeat(np.linspace(-0.9, 0.9, 10), 2)]
def view(k):
    background = np.zeros((100, 100, 3), dtype=np.uint8)
    background[:50], background[50:] = [240, 10 * k, 0], [0, 10 * k, 240]
    return {"Z": Z, "background": background, "extent": (-1, 1, -1, 1), "rings": [4] if k == 0 else [],
            "status": f"setting {k}"}
options = dict(labels=np.arange(20) % 2, label_names=["left", "right"])
display(Explorer(view, {"k": [0, 1, 2, 3]}, title="computed before", **options))
live = Explorer(view, {"k": [0, 1, 2, 3]}, precompute=False, title="computed when reached", **options)
live.set(k=2)
live.set(k=0)
display(live)
"""
HALVES = [[240, 0, 0], [0, 0, 240]]
LOW = [0, -0.6]
HIGH = [0, 0.6]
OUTSIDE = [-1.1, 0]
WHITE = [255] * 3


class Field(pages.View):
    def at(self, *places):
        """Colours at places in data units, from -1 to 1."""
        unit, left, top = self.centre(2)
        # a background that comes first has to be decoded
        self.root.locator(".stage > canvas[data-drawn]").wait_for()
        return self.colours(
            [(left + x * unit, top - y * unit) for x, y in places]
        )


@fixture
def field(chromium, path):
    with pages.open_explorers(chromium, path, explorers=2) as page:
        yield Field(page)


def test_the_page_shows_backgrounds_and_changes_them_by_key(field):
    assert field.at(LOW, HIGH, OUTSIDE) == [*HALVES, WHITE]
    field.slider.press("ArrowRight")
    assert field.at(LOW, HIGH, OUTSIDE) == [[240, 10, 0], [0, 10, 240], WHITE]
    field.slider.press("ArrowLeft")
    assert field.at(LOW, HIGH) == HALVES


def test_the_page_plays_the_backgrounds_of_a_live_explorer(field):
    live = Field(field.page, 1)
    assert live.at(LOW, HIGH) == HALVES
    live.slider.press("End")
    assert live.at(LOW, HIGH) == [[240, 20, 0], [0, 20, 240]]


def test_the_background_moves_and_grows_with_the_samples(field):
    field.keys(*["+"] * 4)
    assert field.at([0, -0.1], [0, 0.1]) == HALVES
    assert field.at(OUTSIDE)[0] in HALVES  # what was outside is covered
    assert field.colours([(3, 100)]) == [WHITE]  # the axes are not


def test_rings_follow_the_frame_and_the_legend(field):
    ring = 6.5 / 248  # pixels of its radius over those of a unit
    angles = np.linspace(0, 6, 12)
    around = ring * np.column_stack([np.cos(angles), np.sin(angles)]) - 0.5
    assert sum(min(c) > 200 for c in field.at(*around)) >= 8
    field.click("left")
    assert field.at(*around) == [[240, 0, 0]] * 12
    field.click("left")
    field.slider.press("ArrowRight")
    assert sum(min(c) > 200 for c in field.at(*around)) == 0


def test_the_pointer_and_keys_reach_samples_on_a_background(field):
    field.keys("ArrowRight")
    assert field.tip_lines()[0].startswith("#")
    before = field.pixels()
    field.keys("Enter")
    assert field.at(LOW) == [[240, 0, 0]] and field.pixels() != before


def test_the_svg_holds_the_background_and_the_rings(field):
    path, _ = field.file("SVG")
    elements, _ = field.svg()
    [image] = [e for e in elements if e.tag.endswith("image")]
    assert image.get("href").startswith("data:image/png;base64,")
    rings = [e.get("stroke") for e in elements if e.tag.endswith("circle")]
    assert rings.count("#ffffff") == 1
    page = field.page.context.new_page()
    page.set_content(path.read_text("utf-8"))
    drawn = page.evaluate(
        """async () => {
          const image = new Image(), root = document.querySelector("svg");
          image.src = "data:image/svg+xml;base64," + btoa(new XMLSerializer().serializeToString(root));
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = root.width.baseVal.value; canvas.height = root.height.baseVal.value;
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          const x = 46 + (canvas.width - 58) / 2, y = 10 + (canvas.height - 44) / 2;
          return [y + 100, y - 100].map((v) => [...context.getImageData(x, v, 1, 1).data].slice(0, 3));
        }"""
    )
    assert drawn == HALVES
    page.close()
