"""Names and captions that hold markup: pages and explorers show them as text, nothing runs, nothing is swallowed."""

import nbformat
from nbclient import NotebookClient
from pytest import fixture, importorskip

importorskip("anywidget")
from toolkit.report.export import notebook_page

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
    texts = f"# `{SHOWN}`", "The end of the page"
    first, last = map(nbformat.v4.new_markdown_cell, texts)
    cells = [first, nbformat.v4.new_code_cell(CODE), last]
    nb = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(
        nb, timeout=120, kernel_name="python3", allow_errors=True
    ).execute()
    return nb


def test_the_page_of_a_notebook_with_its_explorer(
    open_page, tmp_path, notebook
):
    """Escapes in lists of reports and claims are those of one template engine."""
    text, problems = notebook_page(notebook, "names")
    assert not problems
    page = pages.watch(open_page(offline=True))
    path = tmp_path / "page.html"
    path.write_text(text, "utf-8")
    page.goto(path.as_uri())
    page.locator("canvas[data-drawn]").wait_for()
    explorer = pages.View(page)
    for part in ("h4", ".caption", "label >> nth=0"):
        assert SHOWN in explorer.root.locator(part).text_content()
    names = explorer.root.locator(".groups button").all_text_contents()
    assert [name.strip() for name in names] == MARKUP
    assert explorer.root.locator(".row option").all_text_contents() == MARKUP
    assert explorer.status.text_content() == MARKUP[0] + MARKUP[2]
    explorer.keys("ArrowRight")
    assert SHOWN in explorer.tip.inner_text()
    assert page.title() == SHOWN
    for part in ("h1", "pre.text"):
        assert page.locator(part).inner_text() == SHOWN
    captions = page.locator("figcaption").all_inner_texts()
    assert [text.strip() for text in captions] == [
        f"See {m} there" for m in MARKUP
    ]
    pictures = page.locator("figure img").all()
    alts = [picture.get_attribute("alt") for picture in pictures]
    assert alts == [f"Classes {name}" for name in MARKUP]
    assert f"ValueError: {SHOWN}" in page.locator("pre.error").inner_text()
    assert page.get_by_text("The end of the page").is_visible()
    assert page.evaluate("window.ran") is None and not page.errors
