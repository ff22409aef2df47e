"""The explorer in JupyterLab: each control repaints the picture, the keys reach it.

Its names, and a caption below it, hold markup, which is shown as text and does not run.
"""

from pytest import importorskip, mark

importorskip("anywidget")
importorskip("jupyterlab")
from . import lab, pages

MARKUP = [
    "<script>window.ran=1</script>",
    "</script>",
    "<!--<script>",
    "<img/src=data:,/onerror=window.ran=2>",
    "<b>",
]
CODE = f"""
import numpy as np
from matplotlib import pyplot as plt
from toolkit import plots
from toolkit.explorer import Explorer
Z, y = np.random.default_rng(0).normal(size=(2000, 2)), np.arange(2000) % 5
def view(lam, mirror, style):
    return {{"Z": Z * [-1 if mirror else 1, 1 + lam] + len(style), "status": names[0]}}
names = {MARKUP}
display(Explorer(view, {{"lam": np.linspace(0, 1, 11), "mirror": [False, True], "style": names}},
                 labels=y, label_names=names, align=False, title=names[1], caption=" ".join(names)))
plots.publish(plt.figure(), "empty", " ".join(names), "Nothing.")
"""


@mark.slow
def test_every_control_repaints_and_the_keys_walk_the_samples(
    chromium, lab_server
):
    folder, address = lab_server
    lab.write(folder, "explorer.ipynb", CODE)
    page = lab.open_notebook(chromium, address, "explorer.ipynb")
    lab.run_all(page, explorers=1)
    view = pages.View(page)
    controls = view.root.locator(".row input, .row select").all()
    keys = "ArrowRight", "Space", "ArrowDown"
    for control, key in zip(controls, keys, strict=True):
        for _ in range(3):
            lab.press(view, control, key)
    view.keys("ArrowRight")
    assert view.tip_lines()[0].startswith("#")
    words = [
        view.root.locator(part).inner_text()
        for part in ("h4", ".status", ".caption")
    ]
    assert words == [MARKUP[1], MARKUP[0], " ".join(MARKUP)]
    assert page.locator(".jp-RenderedMarkdown em").inner_text() == " ".join(
        MARKUP
    )
    assert page.evaluate("window.ran") is None
    page.close()
    assert not page.errors
