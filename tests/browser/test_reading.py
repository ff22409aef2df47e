"""Pages can be read by day and by night, on a narrow screen and on paper, and by keyboard; their figures enlarge."""

import base64
import io

import nbformat
import pandas as pd
from nbformat.v4 import (
    new_code_cell,
    new_markdown_cell,
    new_notebook,
    new_output,
)
from PIL import Image
from pytest import fixture, mark

from toolkit.report.export import notebook_page
from toolkit.report.project import Project
from toolkit.tabular.page import page_of

from .pages import OPEN_DETAILS, wait_until
from .small_pages import make_page

CODE = '''
@decorated
class Long(Base):
    """A docstring."""

    def method(self, x=0x1F, *args, **kwargs):  # a comment that says why
        if x is None or not isinstance(x, int):
            raise ValueError(f"wrong: {x!r:>10}\\n" + r"\\d" + 'text')
        return lambda y: [y ** 2.5 for y in range(10) if y != 3 and True]
'''
WIDE = "".join(
    "|" + f"{cell}|" * 30 + "\n" for cell in ("column", "---", " 0.123456 ")
)
PARTS = "".join(
    f"\n\n## Part {i}" + "\n\nWords." * 20 + "\n\n### Its detail\n\nMore."
    for i in range(3)
)
FORMULA = "\n\n$$" + " + ".join(f"x_{{{i}}}" for i in range(90)) + "$$"
TEXT = f"# A title\n\nSome words, `code`, [a link](https://example.org), {'unbroken' * 20} and `{'name_' * 30}`.\n\n{WIDE}"

# Texts with less contrast to the ground behind them than 4.5 (WCAG 2.2, 1.4.3), by tag,
# class and colour.
FAINT = """() => {
  const light = (rgb) => rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const [r, g, b, a = 1] = parts(getComputedStyle(element).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const faint = new Set(), texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    const color = getComputedStyle(element).color;
    const [low, high] = [light(parts(color).slice(0, 3)), light(ground(element))].sort((a, b) => a - b);
    if ((high + 0.05) / (low + 0.05) < 4.5) faint.add(`${element.tagName}.${element.className} ${color}`);
  }
  return [...faint];
}"""


@fixture(scope="module")
def path(tmp_path_factory):
    buffer = io.BytesIO()
    Image.new("RGB", (1800, 500), "white").save(buffer, format="png")
    picture = {"image/png": base64.b64encode(buffer.getvalue()).decode()}
    frame = pd.DataFrame(
        [[0.5] * 25] * 3, columns=[f"column {j}" for j in range(25)]
    )
    first = {"alt": "Picture one", "caption": "A caption."}
    second = {"alt": "Picture two"}
    lines = ["\x1b[0;31mValueError\x1b[0m: a long line " * 9]
    outputs = [
        new_output("stream", name="stdout", text="a line " * 60),
        new_output("display_data", {"text/plain": "a short one"}),
    ]
    for metadata in (first, second):
        about = {"image/png": metadata}
        outputs.append(new_output("display_data", picture, metadata=about))
    table = {"text/html": frame._repr_html_()}
    outputs.append(new_output("display_data", table))
    error = new_output("error", ename="E", evalue="e", traceback=lines)
    outputs.append(error)
    parameters = new_code_cell("seed = 0", metadata={"tags": ["parameters"]})
    folded = new_code_cell(
        "\n".join(f"value_{i} = {i}  # folded" for i in range(15))
    )
    short = new_code_cell(CODE.strip(), outputs=outputs)
    cells = [
        new_markdown_cell(TEXT),
        parameters,
        short,
        folded,
        new_markdown_cell(PARTS + FORMULA),
    ]
    beside = ("index.html", "Long before " * 9), ("index.html", "After")
    path = tmp_path_factory.mktemp("pages") / "page.html"
    nb = new_notebook(cells=cells)
    page, _ = notebook_page(nb, "x", adjacent=beside)
    path.write_text(page, "utf-8")
    return path


@fixture(scope="module")
def page(open_page):
    return open_page()


def load(page, path, scheme="light", width=1280, height=720):
    page.emulate_media(media="screen", color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": height})
    page.mouse.move(0, 0)
    page.goto("about:blank")
    page.goto(path.as_uri())
    page.evaluate(OPEN_DETAILS)


@fixture(params=["page.html", "index.html"])
def each(request, path, reports):
    """The page of a notebook, and the list of reports."""
    return path if request.param == path.name else reports / request.param


@mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(page, each, scheme):
    load(page, each, scheme)
    assert page.evaluate(FAINT) == []
    page.add_style_tag(content=".prose, .intro { color: #777; }")
    assert page.evaluate(FAINT)  # the check sees what is faint


def test_night_has_a_dark_ground_and_pictures_keep_a_light_one(page, path):
    load(page, path, "dark")
    ground = "element => getComputedStyle(element).backgroundColor"
    assert page.locator("body").evaluate(ground) == "rgb(20, 24, 29)"
    assert (
        page.locator("main img").first.evaluate(ground) == "rgb(255, 255, 255)"
    )
    page.emulate_media(media="print")
    assert page.locator("body").evaluate(ground) == "rgb(255, 255, 255)"
    assert page.evaluate(FAINT) == []


def test_contents_stand_beside_the_text_or_folded_above_it(open_page, path):
    page = open_page(
        path, viewport={"width": 1280, "height": 800}, java_script_enabled=False
    )
    assert page.get_by_role("img", name="Picture one").is_visible()
    assert page.locator("button").count() == 0
    aside = page.locator(".contents.aside")
    above = page.locator(".contents.above")
    assert aside.is_visible() and above.is_hidden()
    box = aside.bounding_box()
    assert box["x"] + box["width"] <= page.locator("main").bounding_box()["x"]
    aside.get_by_role("link", name="Part 1").click()
    assert abs(page.locator("#part-1").bounding_box()["y"]) < 100
    assert aside.bounding_box()["y"] == 0  # it stays while the text moves
    page.set_viewport_size({"width": 390, "height": 800})
    assert aside.is_hidden() and above.get_by_role("link").count() == 0
    above.locator("summary").click()
    above.get_by_role("link", name="Part 2").click()
    assert page.url.endswith("#part-2")


def test_headings_show_their_link_to_pointer_and_keyboard(page, path):
    load(page, path)
    anchor = page.locator("#part-1 .anchor")
    opacity = "each => getComputedStyle(each).opacity"
    assert anchor.evaluate(opacity) == "0"
    page.locator("#part-1").hover()
    assert anchor.evaluate(opacity) == "1"
    page.mouse.move(0, 0)
    anchor.focus()
    assert anchor.evaluate(opacity) == "1"
    page.keyboard.press("Enter")
    assert page.url.endswith("#part-1")


@mark.parametrize("width", [390, 1280])
def test_what_scrolls_is_reached_by_keyboard_and_nothing_else(
    page, path, width
):
    """Before and after folded code is open_page, and when the window has another width."""
    load(page, path, width=2000 - width, height=800)
    page.set_viewport_size({"width": width, "height": 800})
    scroll_and_reach = """() => [...document.querySelectorAll("main pre, main .scroll, main math[display=block]")]
      .map((each) => [each.scrollWidth > each.clientWidth, each.tabIndex === 0])"""
    agree = "every(([scrolls, reached]) => scrolls === reached)"
    wait_until(page, f"({scroll_and_reach})().{agree}")
    found = page.evaluate(scroll_and_reach)
    assert [True, True] in found and [False, False] in found
    assert (
        page.locator("math[display=block]").evaluate("each => each.tabIndex")
        == 0
    )
    short = page.get_by_text("a short one", exact=True)
    assert short.evaluate("each => each.tabIndex") == -1


def test_paper_has_code_whole_and_no_controls(page, path):
    load(page, path, height=800)
    page.locator("details").evaluate_all(
        "all => all.forEach((each) => (each.open = 0))"
    )
    code = page.get_by_text("value_14 = 14")
    assert code.is_hidden() and page.locator("nav").first.is_visible()
    page.emulate_media(media="print")
    assert code.is_visible() and page.get_by_text("Code, 15 lines").is_hidden()
    controls = page.locator("nav, button, .anchor, .contents, footer")
    assert controls.filter(visible=True).count() == 0
    rule = "each => getComputedStyle(each).breakInside"
    assert page.locator("figure").first.evaluate(rule) == "avoid"
    display = "each => getComputedStyle(each).display"
    assert page.locator("thead").first.evaluate(display) == "table-header-group"


def test_enter_enlarges_and_escape_gives_the_focus_back(page, path):
    load(page, path)
    button = page.get_by_role("button", name="Enlarge figure 2")
    active = "each => each === document.activeElement"
    button.press("Enter")
    dialog = page.get_by_role("dialog", name="Figure 2")
    picture = dialog.get_by_role("img", name="Picture two")
    assert dialog.is_visible() and picture.bounding_box()["width"] == 1800
    assert dialog.get_by_role("button", name="Close").evaluate(active)
    page.keyboard.press("Escape")
    assert dialog.is_hidden() and button.evaluate(active)


def test_a_click_on_the_picture_enlarges_it_and_the_button_closes(page, path):
    load(page, path)
    page.get_by_role("img", name="Picture one").click()
    dialog = page.get_by_role("dialog", name="Figure 1")
    assert dialog.is_visible()
    dialog.get_by_role("button", name="Close").click()
    assert dialog.is_hidden()
    assert page.evaluate("document.activeElement.textContent") == "Enlarge"


def test_on_a_phone_the_enlarged_figure_scrolls_and_zooms(open_page, path):
    page = open_page(
        path,
        viewport={"width": 390, "height": 800},
        has_touch=True,
        is_mobile=True,
    )
    page.get_by_role("img", name="Picture one").tap()
    dialog = page.get_by_role("dialog")
    dialog.evaluate("each => each.scrollTo(900, 0)")
    assert dialog.evaluate("each => each.scrollLeft") == 900
    # it stays in reach
    assert dialog.get_by_role("button", name="Close").bounding_box()["x"] >= 0
    assert (
        dialog.evaluate("each => getComputedStyle(each).touchAction") == "auto"
    )
    content = page.locator("meta[name=viewport]").get_attribute("content")
    assert "user-scalable" not in content


@fixture(scope="module")
def look(tmp_path_factory):
    """The page of the votes, as `python -m toolkit look` lays it out."""
    nb = nbformat.read(Project.find().notebooks / "00_your_data.ipynb", 4)
    nb.cells = [
        c for c in nb.cells if "example" not in c.metadata.get("tags", [])
    ]
    path = tmp_path_factory.mktemp("look") / "look.html"
    path.write_text(page_of(nb, "A look"), "utf-8")
    return path


def test_the_first_screen_has_figures_map_and_notes(open_page, tmp_path):
    path = make_page("classes", tmp_path)
    page = open_page(path, viewport={"width": 1280, "height": 900})
    for part in (".first table", ".first canvas[data-drawn]", ".remark"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] < 900, part


def test_a_column_of_a_table_sorts_by_keyboard(open_page, look):
    page = open_page(look, viewport={"width": 1280, "height": 900})
    head = page.locator("th", has_text="forest importance")
    table = head.locator("xpath=ancestor::table")
    number = head.evaluate("th => th.cellIndex")
    for order in ("ascending", "descending"):
        head.locator("button").press("Enter")
        assert head.get_attribute("aria-sort") == order
        cells = table.locator(f"tbody tr > :nth-child({number + 1})")
        values = [float(text) for text in cells.all_text_contents()]
        assert len(values) == 16
        assert values == sorted(values, reverse=order == "descending")
