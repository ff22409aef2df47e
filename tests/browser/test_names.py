"""Names and captions that hold markup: pages and explorers show them as text, nothing runs, nothing is swallowed."""

import contextlib

import nbformat
import pytest
from nbclient import NotebookClient

pytest.importorskip("anywidget")
from toolkit import claims
from toolkit.report.export import claims_page, index_page, notebook_page

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
from toolkit.explore import Explorer
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


@pytest.fixture(scope="module")
def notebook():
    cells = [nbformat.v4.new_code_cell(CODE), nbformat.v4.new_markdown_cell("The end of the page")]
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"# `{SHOWN}`"), *cells])
    NotebookClient(nb, timeout=120, kernel_name="python3", allow_errors=True).execute()
    return nb


@contextlib.contextmanager
def opened(chromium, path, text):
    """The page of this text, opened with the network off; at the end nothing may have run or failed."""
    path.write_text(text, encoding="utf-8")
    context = chromium.new_context()
    context.set_offline(True)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.goto(path.as_uri())
    yield page
    assert page.evaluate("window.ran") is None and not errors
    assert page.locator("footer").is_visible()
    context.close()


def test_the_page_of_a_notebook_with_its_explorer(chromium, notebook, tmp_path):
    text, problems = notebook_page(notebook, "names")
    assert not problems
    with opened(chromium, tmp_path / "page.html", text) as page:
        page.locator("canvas[data-painted]").wait_for()
        explorer = page.locator(".tkx")
        for part in ("h4", ".caption", "label >> nth=0"):
            assert SHOWN in explorer.locator(part).text_content()
        legend = explorer.locator(".groups button").all()
        assert [button.text_content().strip() for button in legend] == MARKUP
        assert explorer.locator(".row option").all_text_contents() == MARKUP
        assert explorer.locator(".status").text_content() == MARKUP[0] + MARKUP[2]
        explorer.locator(".stage > canvas").focus()
        page.keyboard.press("ArrowRight")
        assert SHOWN in explorer.locator(".tip").inner_text()
        assert page.title() == SHOWN
        captions = page.locator("figcaption")
        assert [caption.inner_text().strip() for caption in captions.all()] == [f"See {name} there" for name in MARKUP]
        alts = [picture.get_attribute("alt") for picture in page.locator("figure img").all()]
        assert alts == [f"Classes {name}" for name in MARKUP]
        assert page.locator("h1").inner_text() == SHOWN
        assert page.locator("pre.text").inner_text() == SHOWN
        assert f"ValueError: {SHOWN}" in page.locator("pre.error").inner_text()
        assert page.get_by_text("The end of the page").is_visible()


def test_the_list_of_reports_and_the_claims(chromium, tmp_path):
    error = {"cell": 0, "name": MARKUP[0], "says": SHOWN, "lines": [SHOWN]}
    run = {"page": f"{SHOWN}.html", "scale": "default", "parameters": {SHOWN: SHOWN}, "seconds": 1.0, "ok": False}
    run |= {"substituted": MARKUP, "error": error, "failed_page": "x.html"}
    failed = run | {"page": None}
    entries = [{"name": "1", "title": SHOWN, "question": SHOWN, "png": None, "alt": "", "runs": [run, failed]}]
    with opened(chromium, tmp_path / "index.html", index_page(entries, SHOWN)) as page:
        assert page.locator("h2").first.inner_text() == SHOWN
        assert page.locator("main").inner_text().count(SHOWN) == 3 + 2 * 3  # and in each run name, value, error
    row = claims.table(claims.committed(), only=["SL-07"])[0] | {"title": SHOWN, "remark": SHOWN}
    with opened(chromium, tmp_path / "claims.html", claims_page([row])) as page:
        page.locator("details").evaluate("details => (details.open = true)")
        assert page.locator("main").inner_text().count(SHOWN) == 2
