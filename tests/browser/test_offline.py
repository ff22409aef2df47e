"""Two linked explorers in a page on disk, with the network off: they share what is selected and pointed at."""

from pytest import fixture, importorskip

importorskip("anywidget")
from . import pages

CODE = """
import numpy as np
from toolkit.explorer import Explorer, SampleInfo
rng = np.random.default_rng(0)
Z = rng.normal(size=(60, 2))
def view(angle):
    c, s = np.cos(angle), np.sin(angle)
    turned = Z @ [[c, -s], [s, c]]
    return {"Z": turned, "anchors": turned[:2], "segments": [[-1, -1, 1, 1]], "status": f"angle {angle:.2f}",
            "hover": [f"text {i} at {angle}" for i in range(60)], "links": np.tile([0, 1], (60, 1))}
options = dict(labels=np.arange(60) % 3, label_names=["red & <b>", "green", "</script>"], anchor_names=["one", "two"],
               samples=SampleInfo(images=rng.integers(0, 255, size=(60, 4, 4))), align=False)
left = Explorer(view, {"angle": [0, 0.5, 1, 1.5]}, title="left", **options)
right = Explorer(view, {"angle": [0, 1]}, title="right", **options)
left.link(right)
display(left, right)
"""


@fixture
def both(chromium, path):
    with pages.open_explorers(chromium, path, explorers=2) as page:
        yield pages.View(page), pages.View(page, 1)


def test_keys_walk_the_samples_and_selection_is_shared(both):
    left, right = both
    before = [shown.pixels() for shown in both]
    seen = set()
    for way in ("Right", "Right", "Up", "Left", "Down", "Down"):
        left.keys(f"Arrow{way}")
        seen.add(left.tip.inner_text())
    # its image
    assert (
        "text " in left.tip.inner_text()
        and left.tip.locator("canvas").count() == 1
    )
    assert len(seen) > 2 and left.tip.inner_text() == right.tip.inner_text()
    left.keys("Enter")
    assert right.pixels() != before[1]  # it rings the same sample
    for shown in both:
        assert shown.text(shown.selection) == "1 of 60 selected: red & <b> (1)"
    left.keys("Escape", "+")
    assert left.pixels() != before[0] and right.pixels() == before[1]
    left.keys("0")
    assert [shown.pixels() for shown in both] == before and left.tip.is_hidden()


def test_reset_brings_the_first_picture_back(both):
    left, _ = both
    before = left.pixels()
    left.click("green")
    left.keys("ArrowRight", "Enter", "+")
    left.click("Reset")
    left.root.locator(".help").click()
    assert left.pixels() == before
