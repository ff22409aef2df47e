"""An explorer in JupyterLab computes, loses its kernel, is saved and opened again, and never pretends."""

import json

import nbformat
import pytest

pytest.importorskip("anywidget")
pytest.importorskip("jupyterlab")
CODE = """
import time
import numpy as np
import ipywidgets
from toolkit.explore import Explorer
Z, y = np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) % 4
def turn(angle):
    time.sleep(0.03)
    return {"Z": Z * (1 + angle), "status": f"angle {angle}"}
def slow(k):
    time.sleep(1.5 * (k > 0))
    if k == 3:
        raise ValueError("three is refused")
    return {"Z": Z * (1 + k), "status": f"k {k}"}
quick = Explorer(turn, {"angle": list(range(60))}, labels=y, align=False, title="quick")
late = Explorer(slow, {"k": [0, 1, 2, 3, 4]}, labels=y, align=False, precompute=False, title="late")
own = ipywidgets.IntSlider(max=59)
link = ipywidgets.jslink((own, "value"), (quick, "value_angle"))
"""
CELLS = [CODE, "quick", "late", "own"]


@pytest.fixture
def notebook(lab_server):
    folder, address = lab_server
    spec = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    nbformat.write(nbformat.v4.new_notebook(metadata=spec, cells=cells), folder / "life.ipynb")
    return folder / "life.ipynb", address


def opened(chromium, notebook):
    path, address = notebook
    page = chromium.new_page(viewport={"width": 1366, "height": 768})
    page.goto(f"{address}/lab/tree/{path.name}?reset")
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=60_000)
    page.wait_for_timeout(1000)
    return page


def menu(page, *names):
    page.get_by_role("menuitem", name=names[0], exact=True).click()
    page.get_by_text(names[1], exact=True).first.click()


def says(root, text):
    root.locator(".status").filter(has_text=text).wait_for(timeout=20_000)


@pytest.mark.slow
def test_it_computes_and_says_so_loses_its_kernel_and_plays_on_and_plays_when_opened_again(chromium, notebook):
    page = opened(chromium, notebook)
    page.locator(".jp-Notebook .jp-Cell").first.click()
    menu(page, "Run", "Run All Cells")
    page.locator(".tkx canvas[data-painted]").nth(1).wait_for(timeout=120_000)
    quick, late = page.locator(".tkx").first, page.locator(".tkx").nth(1)
    assert [root.locator("h4").inner_text() for root in (quick, late)] == ["quick", "late"]
    page.locator(".widget-slider").wait_for()
    # The bar of the settings computed ahead has left nothing behind.
    assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert "".join(page.locator(".jp-Cell").first.locator(".jp-OutputArea-output").all_inner_texts()).strip() == ""
    fits = """() => { const box = document.querySelector(".tkx").getBoundingClientRect();
      return document.querySelector(".tkx .status").getBoundingClientRect().bottom - box.top; }"""
    room = "document.querySelector('.jp-WindowedPanel-outer, .jp-Notebook').clientHeight"
    assert page.evaluate(fits) < page.evaluate(room)

    # A slider of one's own, coupled in the browser, and the explorer's.
    quick.scroll_into_view_if_needed()
    quick.locator("input[type=range]").press("ArrowRight")
    says(quick, "angle 1")
    page.locator(".widget-slider .noUi-handle").press("ArrowRight")
    says(quick, "angle 2")

    late.scroll_into_view_if_needed()
    slider = late.locator("input[type=range]")
    slider.press("ArrowRight")
    says(late, "computing k = 1 …")
    assert late.locator("[aria-busy=true]").count() == 1
    says(late, "k 1")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    says(late, "Error: ValueError: three is refused. The picture shows k = ")
    assert late.locator("[aria-busy=true]").count() == 0
    slider.press("ArrowRight")
    says(late, "k 4")

    menu(page, "File", "Save Notebook")  # JupyterLab stores the state of widgets while their kernel lives
    page.wait_for_timeout(2500)
    assert "widgets" in json.loads(notebook[0].read_text(encoding="utf-8"))["metadata"]
    menu(page, "Kernel", "Restart Kernel…")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    late.locator(".note").filter(has_text="Not connected to a kernel").wait_for(timeout=30_000)
    assert "settings are computed; only those are offered" in late.locator(".note").inner_text()
    slider.press("Home")
    says(late, "k 0")
    slider.press("End")
    says(late, "k 4")
    quick.scroll_into_view_if_needed()
    quick.locator("input[type=range]").press("ArrowRight")
    says(quick, "angle 3")
    assert quick.locator(".note").inner_text() == ""

    page.close()

    page = opened(chromium, notebook)
    page.locator(".tkx canvas[data-painted]").nth(1).wait_for(timeout=60_000)
    quick, late = page.locator(".tkx").first, page.locator(".tkx").nth(1)
    quick.scroll_into_view_if_needed()
    quick.locator("input[type=range]").press("End")
    says(quick, "angle 59")
    late.scroll_into_view_if_needed()
    assert "run the cell again for the others" in late.locator(".note").inner_text()
    seen = set()
    late.locator("input[type=range]").press("Home")
    for _ in range(int(late.locator("input[type=range]").get_attribute("max")) + 1):
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        seen.add(late.locator(".stage > canvas").evaluate("(canvas) => canvas.toDataURL()"))
        assert late.locator(".status").inner_text() == f"k {late.locator('output').inner_text()}"
        late.locator("input[type=range]").press("ArrowRight")
    assert len(seen) >= 3
    page.close()
