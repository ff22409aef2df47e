"""Names and captions that hold markup: pages and explorers show them as text, nothing runs, nothing is swallowed."""

import nbformat
from nbclient import NotebookClient
from pytest import fixture, importorskip

importorskip("anywidget")
from toolkit.report.export import claims_page, index_page, notebook_page

from . import pages

MARKUP = [
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 2</script>",
    "<!--<script>",
    "<img src=data:, onerror=window.ran=3>",
    "&lt;b&gt; & <b>",
]
CODE = f"""
import numpy as np
from matplotlib import pyplot as plt
from toolkit import plots
from toolkit.explorer import Explorer
names = {MARKUP!r}
Z = np.random.default_rng(0).normal(size=(20, 2))
def view(**setting):
    return {{"Z": Z, "anchors": Z[:5], "status": names[0] + names[2], "hover": [" ".join(names)] * 20}}
said = " ".join(names)
display(Explorer(view, {{said: [0, 1], "choice": names}}, labels=np.arange(20) % 5, label_names=names,
                 anchor_names=names, axis_names=names[:2], title=said, caption=said, code=said))
for number, name in enumerate(names):
    plots.publish(plt.figure(), f"picture_{{number}}", f"See {{name}} there", f"Classes {{name}}")
print(said)
raise ValueError(said)
"""
SHOWN = " ".join(MARKUP)


@fixture(scope="module")
def notebook():
    cells = [
        nbformat.v4.new_code_cell(CODE),
        nbformat.v4.new_markdown_cell("The end of the page"),
    ]
    nb = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(f"# `{SHOWN}`"), *cells]
    )
    NotebookClient(nb, timeout=120, kernel_name="python3", allow_errors=True).execute()
    return nb


@fixture
def show(open_page, tmp_path):
    """Function (text): the page of this text, with the network off; at the end nothing may have run or failed."""
    page = pages.watch(open_page(offline=True))

    def show_text(text):
        path = tmp_path / "page.html"
        path.write_text(text, "utf-8")
        page.goto(path.as_uri())
        return page

    yield show_text
    assert page.evaluate("window.ran") is None and not page.errors
    assert page.locator("footer").is_visible()


def test_the_page_of_a_notebook_with_its_explorer(show, notebook):
    text, problems = notebook_page(notebook, "names")
    assert not problems
    page = show(text)
    page.locator("canvas[data-painted]").wait_for()
    explorer = pages.View(page)
    for part in ("h4", ".caption", "label >> nth=0"):
        assert SHOWN in explorer.root.locator(part).text_content()
    assert [
        name.strip()
        for name in explorer.root.locator(".groups button").all_text_contents()
    ] == MARKUP
    assert explorer.root.locator(".row option").all_text_contents() == MARKUP
    assert explorer.status.text_content() == MARKUP[0] + MARKUP[2]
    explorer.keys("ArrowRight")
    assert SHOWN in explorer.tip.inner_text()
    assert page.title() == SHOWN
    for part in ("h1", "pre.text"):
        assert page.locator(part).inner_text() == SHOWN
    captions = page.locator("figcaption").all_inner_texts()
    assert [text.strip() for text in captions] == [f"See {m} there" for m in MARKUP]
    pictures = page.locator("figure img").all()
    alts = [picture.get_attribute("alt") for picture in pictures]
    assert alts == [f"Classes {name}" for name in MARKUP]
    assert f"ValueError: {SHOWN}" in page.locator("pre.error").inner_text()
    assert page.get_by_text("The end of the page").is_visible()


def test_the_list_of_reports(show):
    error = {"cell": 0, "name": MARKUP[0], "says": SHOWN, "lines": [SHOWN]}
    run = {
        "page": f"{SHOWN}.html",
        "scale": "default",
        "parameters": {SHOWN: SHOWN},
        "seconds": 1.0,
        "ok": False,
        "substituted": MARKUP,
        "error": error,
        "failed_page": "x.html",
    }
    entry = {
        "name": "1",
        "title": SHOWN,
        "question": SHOWN,
        "png": None,
        "alt": "",
        "runs": [run, run | {"page": None}],
    }
    page = show(index_page([entry], SHOWN))
    assert page.locator("h2").first.inner_text() == SHOWN
    # and in each run name, value, error
    assert page.locator("main").inner_text().count(SHOWN) == 3 + 2 * 3


def test_the_claims(show, rows):
    page = show(claims_page([rows[0] | {"title": SHOWN, "remark": SHOWN}]))
    page.evaluate(pages.OPEN_DETAILS)
    assert page.locator("main").inner_text().count(SHOWN) == 2
