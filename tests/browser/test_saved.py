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
    with pages.opened(chromium, path, explorers=1) as page:
        assert page.title() == page.locator("h1").inner_text() == "sizes & <i>"
        assert page.get_by_text("What <to> see.").locator("visible=true").count() == 1
        assert page.locator(".status").first.inner_text() == "size 2.0"
        before = page.locator(".stage > canvas").first.evaluate("canvas => canvas.toDataURL()")
        page.locator("input[type=range]").first.press("ArrowRight")
        page.locator(".status").filter(has_text="size 3.0").first.wait_for()  # painted with the next frame
        other = "(before) => document.querySelector('.stage > canvas').toDataURL() !== before"
        page.wait_for_function(other, arg=before)
        assert page.get_by_role("button", name="red & <b>").count() == 1


def test_without_scripts_there_is_the_picture_with_its_text(chromium, path):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    picture = page.locator("img")
    assert picture.is_visible() and "size = 2" in picture.get_attribute("alt")
    assert page.locator("h1").inner_text() == "sizes & <i>"
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_window_shows_all_of_it(chromium, path, scheme):
    context = chromium.new_context(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_function("document.querySelectorAll('canvas[data-painted]').length === 1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
