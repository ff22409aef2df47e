"""A million samples in JupyterLab: they are painted, zoomed and found, and the kernel says what each of them is."""

from pytest import fixture, importorskip, mark

importorskip("anywidget")
importorskip("jupyterlab")
from . import lab, pages

pytestmark = mark.slow

CODE = """
import numpy as np
from toolkit.explorer import Explorer, SampleInfo
n, rng = 1_000_000, np.random.default_rng(0)
y = rng.integers(5, size=n)
Z = rng.normal(size=(n, 2)) + 3 * np.column_stack([np.cos(y), np.sin(2 * y)])
Z[0] = 12, 9
names = ["the outlier", *(f"row {i}" for i in range(1, n))]
days = np.datetime64("2020-02-29") + np.arange(n) % 1000
ids = np.array([f"id {i % 5000}" for i in range(n)])
explorer = Explorer(
    lambda s: Z * s, {"s": [1.0, 1.5]}, labels=np.array(list("abcde"))[y], align=False, rescale=["s"],
    samples=SampleInfo(names=names, columns={"day": days, "id": ids}), title="a million",
)
explorer
"""


@fixture
def page(chromium, lab_server):
    folder, address = lab_server
    lab.write(folder, "million.ipynb", CODE)
    page = lab.open_notebook(chromium, address, "million.ipynb", height=900)
    lab.run_all(page, explorers=1)
    yield page
    page.close()


def test_a_million_samples_are_painted_and_the_kernel_tells_what_one_of_them_is(
    page,
):
    view = pages.View(page)
    words = "A cell has the colour of one of its samples"
    view.selection.filter(has_text=words).wait_for(timeout=20_000)

    # The outlier is the sample at the top right.
    view.canvas.scroll_into_view_if_needed()
    search = view.root.locator("input[type=search]")
    search.fill("the outlier")
    view.found.filter(has_text="1 found").wait_for(timeout=30_000)
    search.press("Enter")
    view.tip.filter(has_text="the outlier").wait_for(timeout=20_000)
    for words in ("day: 2020-02-29", "id: id 0"):
        assert words in view.tip.inner_text()

    # Under the pointer: the middle of the picture is full of samples.
    left, top, width, height = view.bounds()
    page.mouse.move(left + width / 2, top + height / 2)
    view.tip.filter(has_text="row ").wait_for(timeout=20_000)

    lab.press(view, view.slider, "ArrowRight")
