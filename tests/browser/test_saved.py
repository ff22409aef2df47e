"""The page that `Explorer.save` writes, opened with the network off: it plays, also from the keyboard."""

import numpy as np
import pytest

pytest.importorskip("anywidget")
from toolkit.explore import Explorer

from . import pages

Z = np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    def view(size):
        return {"Z": size * Z, "status": f"size {size:.1f}"}

    names = ["red & <b>", "green", "</script>"]
    options = {"labels": np.arange(40) % 3, "label_names": names, "title": "sizes & <i>", "caption": "What <to> see."}
    made = Explorer(view, {"size": [1, 2, 3]}, align=False, **options)
    made.set(size=2)
    return made.save(tmp_path_factory.mktemp("saved") / "map.html")


def test_the_page_plays_without_network_from_the_setting_that_was_shown(chromium, path):
    with pages.opened(chromium, path) as page:
        shown = pages.Shown(page)
        assert page.title() == page.locator("h1").inner_text() == "sizes & <i>"
        assert page.get_by_text("What <to> see.").locator("visible=true").count() == 1
        assert shown.status.inner_text() == "size 2.0" and shown.button("red & <b>").is_visible()
        before = shown.pixels()
        shown.slider.press("ArrowRight")
        shown.status.filter(has_text="size 3.0").wait_for()  # painted with the next frame
        assert shown.pixels() != before


def test_without_scripts_there_is_the_picture_with_its_text(opened, path):
    page = opened(path, java_script_enabled=False)
    picture = page.locator("img")
    assert picture.is_visible() and "size = 2" in picture.get_attribute("alt")
    assert page.locator("h1").inner_text() == "sizes & <i>"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_window_shows_all_of_it(opened, path, scheme):
    page = opened(path, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page.locator("canvas[data-painted]").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
