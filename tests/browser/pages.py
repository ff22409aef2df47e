"""Explorers as a page on disk, opened with the network off, and their parts."""

import contextlib
import csv
import functools
import time
from xml.etree import ElementTree

from ipywidgets.embed import dependency_state

from toolkit.explorer.offline import offline_fragment, offline_module

OPEN_DETAILS = (
    "document.querySelectorAll('details').forEach((each) => (each.open = true))"
)
VIEWPORT = {"width": 900, "height": 1800}
COLOURS = """(c, places) => places.map(([x, y]) => [...c.getContext("2d").getImageData(
  x * c.width / c.clientWidth, y * c.height / c.clientHeight, 1, 1).data].slice(0, 3))"""


def write(code, path):
    """Run `code`, as in a notebook but without its kernel; the explorers that it displays as a page at `path`."""
    shown = []
    exec(code, {"display": lambda *explorers: shown.extend(explorers)})
    state = dependency_state(shown, drop_defaults=False)
    body = "".join(
        offline_fragment(state, explorer.model_id) for explorer in shown
    )
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><body>{body}{offline_module()}',
        "utf-8",
    )
    return path


@contextlib.contextmanager
def open_explorers(chromium, path, explorers=1):
    """The page once its explorers are painted; at the end, nothing may have failed or been fetched."""
    page = page_of(chromium)
    page.goto("about:blank")
    page.requests.clear()
    page.errors.clear()
    page.set_viewport_size(VIEWPORT)
    # a test that failed may have left them down
    for key in ("Shift", "Control"):
        page.keyboard.up(key)
    page.mouse.up()
    page.mouse.move(0, 0)
    page.goto(path.as_uri())
    # the page's policy keeps functions from polling
    page.locator("canvas[data-drawn]").nth(explorers - 1).wait_for()
    yield page
    assert not page.errors
    own = "file:", "data:", "blob:", "about:"
    assert [url for url in page.requests if not url.startswith(own)] == []


@functools.cache
def page_of(chromium):
    """The page of a browser for all explorers, with the network off."""
    context = chromium.new_context(viewport=VIEWPORT, accept_downloads=True)
    context.set_offline(True)
    return watch(context.new_page())


def watch(page):
    """A page that notes its requests and errors."""
    page.requests = []
    page.errors = []

    def read_console(message):
        if message.type == "error":
            page.errors.append(message.text)

    page.on("request", lambda request: page.requests.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", read_console)
    return page


def wait_until(page, condition, seconds=30):
    """A page's policy may keep `wait_for_function` from asking more than once."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(20)


class View:
    """An explorer on a page, by its parts."""

    def __init__(self, page, number=0):
        self.page = page
        self.root = root = page.locator(".tkx").nth(number)
        self.canvas = root.locator(".stage > canvas")
        self.tip = root.locator(".tip")
        self.status = root.locator(".status")
        self.slider = root.locator("input[type=range]").first
        self.box = root.locator("input[type=checkbox]").first
        self.selection = root.locator(".bottom .count")
        self.found = root.locator(".tools .count")

    def button(self, name):
        return self.root.get_by_role("button", name=name).first

    def click(self, name):
        self.button(name).click()

    def keys(self, *keys):
        """Press keys on the picture."""
        for key in keys:
            self.canvas.press(key)

    def evaluate(self, script, *arguments):
        """What a script says of the canvas, once the next picture is painted."""
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        return self.canvas.evaluate(script, *arguments)

    def text(self, part):
        """Text of a part, once the next picture is painted."""
        self.evaluate("() => 0")
        return part.inner_text()

    def bounds(self):
        """Left, top, width and height of the picture on the page."""
        box = self.canvas.bounding_box()
        return [box[key] for key in ("x", "y", "width", "height")]

    def centre(self, span):
        """Pixels of a unit, of which `span` fit, and the centre in the picture, as explore.js places them."""
        _, _, w, h = self.bounds()
        w -= 64
        h -= 64
        return min(w, h) / span, 50 + w / 2, 26 + h / 2

    def pixels(self):
        return self.evaluate("(c) => c.toDataURL()")

    def colours(self, places):
        """Colours at places (x, y), in pixels from the picture's upper left corner."""
        return self.evaluate(COLOURS, [list(place) for place in places])

    def tip_lines(self):
        """Lines of the tip."""
        return [line.strip() for line in self.tip.inner_text().splitlines()]

    def file(self, name):
        """The file that a button gives, and its name."""
        with self.page.expect_download() as download:
            self.click(name)
        return download.value.path(), download.value.suggested_filename

    def table(self):
        """Rows of the CSV file, and its name."""
        path, name = self.file("CSV")
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file)), name

    def selected_names(self):
        """Names of the samples that are selected."""
        rows, _ = self.table()
        first = next(iter(rows[0]))
        return {row[first] for row in rows if row["selected"] == "1"}

    def svg(self):
        """Elements of the SVG file by their tag, and the texts in it."""
        path, _ = self.file("SVG")
        elements = list(ElementTree.parse(path).iter())
        return elements, {e.text for e in elements if e.tag.endswith("text")}

    def drag(self, first, *others, key=None):
        """Drag from place to place of the page, with a key held down."""
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.move(*first)
        self.page.mouse.down()
        for corner in others:
            self.page.mouse.move(*corner, steps=3)
        self.page.mouse.up()
        if key:
            self.page.keyboard.up(key)
