"""Figures of a page enlarge by click, Enter and tap, and give the focus back."""

import base64
import io

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from toolkit.report.export import notebook_page


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    buffer = io.BytesIO()
    Image.new("RGB", (1800, 700), "white").save(buffer, format="png")
    data, about = {"image/png": base64.b64encode(buffer.getvalue()).decode()}, {"image/png": {"caption": "A caption."}}
    outputs = []
    for name in ("one", "two"):
        about = {"image/png": {"alt": f"Picture {name}", "caption": "A caption."}}
        outputs.append(new_output("display_data", data=data, metadata=about))
    cells = [new_markdown_cell("# T\n\n" + "Words.\n\n" * 30), new_code_cell("1", outputs=outputs)]
    path = tmp_path_factory.mktemp("figures") / "page.html"
    path.write_text(notebook_page(new_notebook(cells=cells), "x")[0], encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(chromium, address, request):
    page = chromium.new_context(**getattr(request, "param", {})).new_page()
    page.goto(address)
    yield page
    page.context.close()


def test_enter_enlarges_and_escape_gives_the_focus_back(page):
    button = page.get_by_role("button", name="Enlarge figure 2")
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Figure 2")
    assert dialog.is_visible() and dialog.get_by_role("img", name="Picture two").bounding_box()["width"] == 1800
    assert dialog.get_by_role("button", name="Close").evaluate("each => each === document.activeElement")
    page.keyboard.press("Escape")
    assert dialog.is_hidden() and button.evaluate("each => each === document.activeElement")


def test_a_click_on_the_picture_enlarges_it_and_the_button_closes(page):
    page.get_by_role("img", name="Picture one").click()
    dialog = page.get_by_role("dialog", name="Figure 1")
    assert dialog.is_visible()
    before = page.evaluate("scrollY")
    dialog.get_by_role("button", name="Close").click()
    assert dialog.is_hidden() and page.evaluate("scrollY") == before
    assert page.evaluate("document.activeElement.textContent") == "Enlarge"


@pytest.mark.parametrize(
    "page", [{"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}], indirect=True
)
def test_on_a_phone_the_enlarged_figure_scrolls_and_can_be_pinched(page):
    page.get_by_role("img", name="Picture one").tap()
    dialog = page.get_by_role("dialog")
    dialog.evaluate("each => each.scrollTo(900, 0)")
    assert dialog.evaluate("each => each.scrollLeft") == 900
    assert dialog.get_by_role("button", name="Close").bounding_box()["x"] >= 0  # it stays in reach
    assert dialog.evaluate("each => getComputedStyle(each).touchAction") == "auto"
    assert "user-scalable" not in page.locator("meta[name=viewport]").get_attribute("content")


@pytest.mark.parametrize("page", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_there_is_the_picture_and_no_button(page):
    assert page.get_by_role("img", name="Picture one").is_visible() and page.locator("button").count() == 0
