"""An explorer in JupyterLab computes, loses its kernel, is saved and opened again, and never pretends."""

import json

from pytest import importorskip, mark

importorskip("anywidget")
importorskip("jupyterlab")
from . import lab, pages

CODE = """
import time
import numpy as np
import ipywidgets
from toolkit.explorer import Explorer
Z, y = np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) % 4
def turn(angle):
    time.sleep(0.03)
    return {"Z": Z * (1 + angle), "status": f"angle {angle}"}
def slow(k):
    time.sleep(1.5 * (k > 0))
    if k == 3:
        raise ValueError("three is refused")
    background = np.full((9, 9, 3), [0, 50 * k, 0], np.uint8)
    return {"Z": Z * (1 + k), "background": background, "extent": (-40, 40, -40, 40), "status": f"k {k}"}
quick = Explorer(turn, {"angle": list(range(60))}, labels=y, align=False, title="quick")
late = Explorer(slow, {"k": [0, 1, 2, 3, 4]}, labels=y, align=False, precompute=False, title="late")
own = ipywidgets.IntSlider(max=59)
link = ipywidgets.jslink((own, "value"), (quick, "value_angle"))
"""


def says(shown, text):
    shown.status.filter(has_text=text).wait_for(timeout=20_000)


def press(shown, *keys):
    shown.canvas.scroll_into_view_if_needed()
    for key in keys:
        shown.slider.press(key)


@mark.slow
def test_it_computes_and_says_so_loses_its_kernel_and_plays_on_and_plays_when_opened_again(
    chromium, lab_server
):
    folder, address = lab_server
    path = lab.write(folder, "life.ipynb", CODE, "quick", "late", "own")
    page = lab.open_notebook(chromium, address, path.name, height=768)
    lab.run_all(page, explorers=2)
    quick = pages.View(page)
    late = pages.View(page, 1)
    assert page.locator(".tkx h4").all_inner_texts() == ["quick", "late"]
    page.locator(".widget-slider").wait_for()
    # The bar of the settings computed ahead has left nothing behind.
    outputs = page.locator(".jp-Cell").first.locator(".jp-OutputArea-output")
    assert "".join(outputs.all_inner_texts()).strip() == ""
    fits = """() => { const box = document.querySelector(".tkx").getBoundingClientRect();
      return document.querySelector(".tkx .status").getBoundingClientRect().bottom - box.top; }"""
    room = "document.querySelector('.jp-WindowedPanel-outer, .jp-Notebook').clientHeight"
    assert page.evaluate(fits) < page.evaluate(room)

    # A slider of one's own, coupled in the browser, and the explorer's.
    press(quick, "ArrowRight")
    says(quick, "angle 1")
    page.locator(".widget-slider .noUi-handle").press("ArrowRight")
    says(quick, "angle 2")

    press(late, "ArrowRight")
    says(late, "computing k = 1 …")
    assert late.root.locator("[aria-busy=true]").count() == 1
    says(late, "k 1")
    press(late, "ArrowRight", "ArrowRight")
    says(late, "Error: ValueError: three is refused. The picture shows k = ")
    assert late.root.locator("[aria-busy=true]").count() == 0
    press(late, "ArrowRight")
    says(late, "k 4")
    late.root.locator(".stage > canvas[data-drawn]").wait_for()
    # the background comes with the picture
    assert late.colours([(late.bounds()[2] / 2, 60)]) == [[0, 200, 0]]

    # JupyterLab stores the state of widgets while their kernel lives
    lab.menu(page, "File", "Save Notebook")
    page.wait_for_timeout(2500)
    assert "widgets" in json.loads(path.read_text("utf-8"))["metadata"]
    lab.menu(page, "Kernel", "Restart Kernel…")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    note = late.root.locator(".note")
    note.filter(has_text="Not connected to a kernel").wait_for(timeout=30_000)
    assert "settings are computed; only those are offered" in note.inner_text()
    press(late, "Home")
    says(late, "k 0")
    press(quick, "ArrowRight")
    says(quick, "angle 3")
    page.close()

    page = lab.open_notebook(chromium, address, path.name, height=768)
    page.locator(".tkx canvas[data-drawn]").nth(1).wait_for(timeout=60_000)
    quick = pages.View(page)
    late = pages.View(page, 1)
    press(quick, "End")
    says(quick, "angle 59")
    press(late, "Home")
    note = late.root.locator(".note").inner_text()
    assert "run the cell again for the others" in note
    before = late.pixels()
    press(late, "End")
    says(late, "k 4")
    assert late.pixels() != before
    page.close()
