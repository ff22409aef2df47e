"""What hands do with an explorer in a page on disk: wheel, drag, box, lasso, keys, fingers, search, files."""

import csv
import io
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("anywidget")
from toolkit.explore import Explorer

from . import pages

# A lattice of 21 x 21 points from -1 to 1: each is known by its place. Classes are the signs of x.
LINE = np.linspace(-1, 1, 21)
Z = np.array([(x, y) for y in LINE for x in LINE])
CLASSES = np.where(Z[:, 0] < 0, "left", np.where(Z[:, 0] > 0, "right", "middle"))
NAMES = [f"x {x:.1f} y {y:.1f}" for x, y in Z.round(1) + 0.0]
VALUES = np.where(np.arange(441) % 50 == 7, np.nan, Z[:, 1])


def view(k, mirror):
    turned = Z * [-1 if mirror else 1, 1] * (1 + k / 10)
    return {"Z": turned, "status": f"k {k}, mirror {mirror}", "axis_names": (f"u at {k}", "v")}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    columns = {"height": VALUES, "row": [f"row {i // 21}" for i in range(441)]}
    explorer = Explorer(
        view, {"k": [0, 1, 2], "mirror": [False, True]}, labels=CLASSES, names=NAMES, columns=columns, align=False,
        title="A lattice: every point is known", caption="Points of a lattice.", code="view({k}, {mirror})",
    )  # fmt: skip
    return explorer.save(tmp_path_factory.mktemp("hands") / "lattice.html")


@pytest.fixture
def page(chromium, path):
    with pages.opened(chromium, path, explorers=1) as page:
        page.set_viewport_size({"width": 900, "height": 700})
        page.evaluate("document.body.style.paddingBottom = '2000px'")
        frames(page)
        yield page


def frames(page):
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def pixels(page):
    frames(page)
    return page.evaluate("document.querySelector('.stage > canvas').toDataURL()")


def scale(page):
    """Pixels of a unit and the page's coordinates of the origin at the first setting, as explore.js places them."""
    page.locator(".stage > canvas").scroll_into_view_if_needed()
    frames(page)
    box = page.locator(".stage > canvas").bounding_box()
    unit = min((box["width"] - 64) / 2.592, (box["height"] - 64) / 2.592)  # 1.2 and a margin of .04 at each side
    return unit, box["x"] + 50 + (box["width"] - 64) / 2, box["y"] + 26 + (box["height"] - 64) / 2


def at(page, x, y):
    return place(scale(page), x, y)


def place(scale, x, y):
    unit, left, top = scale
    return left + x * unit, top - y * unit


def drag(page, *corners):
    now = scale(page)
    first, *others = (place(now, *corner) for corner in corners)
    page.mouse.move(*first)
    page.mouse.down()
    for corner in others:
        page.mouse.move(*corner, steps=3)
    page.mouse.up()
    frames(page)


def table(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    with open(download.value.path(), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file)), download.value.suggested_filename


def selected(page):
    return {row["sample"] for row in table(page)[0] if row["selected"] == "1"}


def inside(low, high):
    return {name for name, (x, y) in zip(NAMES, Z, strict=True) if low[0] < x < high[0] and low[1] < y < high[1]}


def test_the_wheel_is_the_pages_until_the_picture_is_clicked_and_then_zooms_at_the_pointer(page):
    before = pixels(page)
    place = at(page, 0.5, 0.5)
    page.mouse.move(*place)
    page.mouse.wheel(0, 40)
    page.wait_for_function("() => scrollY > 0")
    assert pixels(page) == before
    page.evaluate("scrollTo(0, 0)")
    page.mouse.click(*at(page, -1.15, 1.15))  # where no sample is
    page.mouse.move(*at(page, 0.5, 0.5))
    tip = page.locator(".tip")
    assert tip.inner_text().startswith("x 0.5 y 0.5")
    for _ in range(4):
        page.mouse.wheel(0, -120)
    frames(page)
    assert page.evaluate("scrollY") == 0 and pixels(page) != before
    page.mouse.move(*(v + 1 for v in at(page, 0.5, 0.5)))
    assert tip.inner_text().startswith("x 0.5 y 0.5")  # it has not run away
    page.mouse.move(5, 5)
    page.mouse.move(*at(page, 0.5, 0.5))
    page.locator("h1").click()
    page.mouse.move(*at(page, 0.5, 0.5))
    page.mouse.wheel(0, 40)
    page.wait_for_function("() => scrollY > 0")


def test_with_ctrl_the_wheel_zooms_at_once_and_a_double_click_brings_the_whole_back(page):
    before = pixels(page)
    page.mouse.move(*at(page, 0.5, 0.5))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    assert pixels(page) != before and page.evaluate("scrollY") == 0
    page.mouse.dblclick(*at(page, -1.19, 0.03))
    page.mouse.move(5, 5)
    assert pixels(page) == before


def test_a_drag_moves_the_picture_and_buttons_zoom_it(page):
    before = pixels(page)
    drag(page, (0.03, 0.03), (0.33, 0.03))
    page.mouse.move(*at(page, 0.8, 0.5))
    assert page.locator(".tip").inner_text().startswith("x 0.5 y 0.5")  # three tenths to the right
    page.get_by_role("button", name="Fit").click()
    page.mouse.move(5, 5)
    assert pixels(page) == before
    page.get_by_role("button", name="Zoom in").click()
    assert pixels(page) != before
    page.get_by_role("button", name="Zoom out").click()
    assert pixels(page) == before


def test_box_and_lasso_select_and_add_and_take(page):
    page.keyboard.down("Shift")
    drag(page, (-0.55, -0.55), (0.05, 0.05))
    page.keyboard.up("Shift")
    first = inside((-0.55, -0.55), (0.05, 0.05))
    assert selected(page) == first and len(first) == 36
    assert page.locator(".bottom .count").inner_text() == "36 of 441 selected: left (30), middle (6)"
    lasso = page.get_by_role("button", name="Lasso")
    lasso.click()
    assert lasso.get_attribute("aria-pressed") == "true"
    page.get_by_label("What a new selection does").select_option(label="add to it")
    drag(page, (0.42, 0.42), (0.42, 0.94), (0.94, 0.42), (0.42, 0.42))  # a triangle
    triangle = {n for n, (x, y) in zip(NAMES, Z, strict=True) if x > 0.42 and y > 0.42 and x + y < 1.36}
    assert selected(page) == first | triangle and len(triangle) == 10
    page.get_by_role("button", name="Box").click()
    page.get_by_label("What a new selection does").select_option(label="take from it")
    drag(page, (-0.25, -1), (0.05, 1))
    assert selected(page) == (first | triangle) - inside((-0.25, -1.1), (0.05, 1.1))
    faded = pixels(page)
    page.locator(".stage > canvas").press("Escape")
    assert selected(page) == set() and page.locator(".bottom .count").inner_text() == "" and pixels(page) != faded
    drag(page, (0.03, 0.03), (0.33, 0.03))  # Escape has ended the box, too
    assert selected(page) == set()


def test_keys_select_what_is_shown_and_a_class(page):
    canvas = page.locator(".stage > canvas")
    page.get_by_role("button", name="right").click()
    canvas.press("a")
    assert selected(page) == {n for n, c in zip(NAMES, CLASSES, strict=True) if c != "right"}
    canvas.press("Escape")
    canvas.press("ArrowLeft")
    canvas.press("ArrowLeft")
    canvas.press("c")
    assert selected(page) == {n for n, c in zip(NAMES, CLASSES, strict=True) if c == "left"}
    name, *told = page.locator(".spoken").inner_text().split(" left, ")
    assert name in NAMES and told == ["height: 0, row: row 10"]


def test_a_double_click_shows_one_class_alone_and_again_all(page):
    buttons = page.locator("[aria-label=classes] button")
    before = pixels(page)
    pressed = lambda: [button.get_attribute("aria-pressed") for button in buttons.all()]  # noqa: E731
    assert [text.strip() for text in buttons.all_inner_texts()] == ["left", "middle", "right"]
    buttons.nth(1).dblclick()
    frames(page)
    assert pressed() == ["false", "true", "false"] and pixels(page) != before
    buttons.nth(1).dblclick()
    frames(page)
    assert pressed() == ["true"] * 3 and pixels(page) == before


def test_a_column_colours_the_samples_with_a_scale_or_its_categories(page):
    box = page.locator(".stage > canvas").bounding_box()
    colour = "(c, [x, y]) => [...c.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3)"

    def read(x, y):
        frames(page)
        spot = [v - box[k] for v, k in zip(at(page, x, y), "xy", strict=True)]
        return np.array(page.locator(".stage > canvas").evaluate(colour, spot))

    choice = page.get_by_label("Colour by")
    assert choice.locator("option").all_text_contents() == ["colour: class", "colour: height", "colour: row"]
    assert (read(0.5, 1) == read(0.5, -1)).all()
    choice.select_option(label="colour: height")
    low, high = read(0.5, -1), read(0.5, 1)
    assert low[2] > low[1] and high[1] > high[2]  # viridis: violet to yellow
    assert (
        page.locator(".legend").inner_text().split()
        == [*("colour: class colour: height colour: row -1 1 grey: 9 missing".split())]
        or "9 missing" in page.locator(".legend").inner_text()
    )
    choice.select_option(label="colour: row")
    assert page.locator("[aria-label=classes] button").count() == 21
    page.get_by_role("button", name="row 20").click()
    choice.select_option(label="colour: height")
    page.locator("[aria-label=classes] button").nth(2).click()  # "right"; what was hidden stays so
    page.locator(".stage > canvas").press("a")
    frames(page)
    assert page.locator(".bottom .count").inner_text() == "220 of 441 selected: left (200), middle (20)"
    assert (read(0.5, -1) != low).any()
    page.get_by_role("button", name="Reset").click()
    assert choice.input_value() == "0"


def test_the_search_finds_names_classes_and_columns(page):
    find, count = page.get_by_label("Find a sample"), page.locator(".tools .count")
    find.fill("x 0.3 y 0.3")
    count.filter(has_text="1 found").wait_for()
    find.press("Enter")
    assert page.locator(".tip").inner_text().startswith("x 0.3 y 0.3") and count.inner_text() == "1 of 1"
    find.fill("row 20")
    find.press("Enter")
    find.press("Enter")
    assert count.inner_text() == "2 of 21"
    page.get_by_role("button", name="left").click()
    find.fill("row 19")
    count.filter(has_text="11 found, 10 more hidden").wait_for()
    find.fill("nowhere")
    count.filter(has_text="0 found").wait_for()
    find.press("Escape")
    assert count.inner_text() == ""


def test_a_found_sample_out_of_sight_is_brought_into_it(page):
    for _ in range(8):
        page.get_by_role("button", name="Zoom in").click()
    find = page.get_by_label("Find a sample")
    find.fill("x 1.0 y -1.0")
    find.press("Enter")
    frames(page)
    tip, stage = page.locator(".tip").bounding_box(), page.locator(".stage").bounding_box()
    assert stage["x"] < tip["x"] < stage["x"] + stage["width"] and page.locator(".tip").inner_text().startswith("x 1.0")


def test_every_setting_has_its_own_picture_words_axes_code_and_files(page):
    slider, box, seen = page.locator("input[type=range]"), page.locator(".row input[type=checkbox]"), set()
    for mirror in (False, True):
        box.set_checked(mirror)
        slider.press("Home")
        for k in range(3):
            frames(page)
            assert page.locator(".status").inner_text() == f"k {k}, mirror {mirror}"
            with page.expect_download() as download:
                page.get_by_role("button", name="SVG").click()
            texts = [e.text for e in ElementTree.parse(download.value.path()).iter() if e.tag.endswith("text")]
            assert {f"u at {k}", "v", "left", "middle", "right", "A lattice: every point is known"} <= set(texts)
            assert any(f"k = {k}, mirror = {str(mirror).lower()}" in text for text in texts)
            page.get_by_role("button", name="Copy code").click()
            assert page.locator(".tkx").get_attribute("data-code") == f"view({k}, {mirror})"
            rows, name = table(page)
            assert name == f"a-lattice_k-{k}_mirror-{str(mirror).lower()}.csv"
            shown = np.array([[float(row["axis_1"]), float(row["axis_2"])] for row in rows])
            np.testing.assert_allclose(shown, view(k, mirror)["Z"], atol=1e-6)
            assert rows[7]["setting k"] == str(k) and rows[7]["height"] == "" and rows[8]["row"] == "row 0"
            assert [float(row["height"]) for row in rows if row["height"]] == VALUES[~np.isnan(VALUES)].tolist()
            seen.add(pixels(page))
            slider.press("ArrowRight")
    assert len(seen) == 6


def test_the_png_holds_title_and_legend_at_twice_the_pixels(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == "a-lattice_k-0_mirror-false.png"
    with Image.open(download.value.path()) as picture:
        stage = page.locator(".stage > canvas").bounding_box()
        assert picture.width == 2 * round(stage["width"]) and picture.height > 2 * stage["height"] + 60
        assert (np.array(picture.convert("L"))[:40] < 100).any()  # the title


def test_fingers_tap_pinch_and_leave_the_page_its_scrolling(chromium, path):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator("canvas[data-painted]").first.wait_for()
    page.evaluate("document.body.style.paddingBottom = '2000px'")
    before = pixels(page)
    page.touchscreen.tap(*at(page, 0.5, 0.5))
    page.locator(".tip").filter(has_text="x 0.5 y 0.5").wait_for()
    assert page.locator(".bottom .count").inner_text() == ""  # a tap looks, it does not select
    touch, (x, y) = context.new_cdp_session(page), at(page, 0, 0)
    send = lambda kind, *places: touch.send(  # noqa: E731
        "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in places]}
    )
    scrolled = page.evaluate("scrollY")
    send("touchStart", (x, y))
    for k in range(1, 9):
        send("touchMove", (x, y - 20 * k))
        page.wait_for_timeout(16)
    send("touchEnd")
    page.wait_for_function("(before) => scrollY > before", arg=scrolled)
    assert pixels(page) == before
    page.wait_for_timeout(300)
    x, y = at(page, 0, 0)
    send("touchStart", (x - 30, y), (x + 30, y))
    for k in range(1, 5):
        send("touchMove", (x - 30 - 10 * k, y), (x + 30 + 10 * k, y))
    send("touchEnd")
    assert pixels(page) != before
    context.close()


def test_where_not_all_is_computed_the_sliders_offer_what_is_and_move_together(chromium, tmp_path):
    def corner(a, b):
        return {"Z": Z * (1 + a) * (1 + b), "status": f"a {a}, b {b}"}

    explorer = Explorer(corner, {"a": [0, 1, 2, 3], "b": [0, 1, 2]}, precompute=False, align=False, title="some")
    for setting in ({"a": 2}, {"a": 3, "b": 2}, {"a": 0, "b": 0}):
        explorer.set(**setting)
    path = explorer.save(tmp_path / "some.html", complete=False)
    with pages.opened(chromium, path, explorers=1) as page:
        assert page.locator(".note").inner_text() == "3 of 12 settings are computed; only those are offered."
        a, b = page.locator("input[type=range]").all()
        assert [slider.get_attribute("max") for slider in (a, b)] == ["2", "1"]
        said = lambda: (page.locator(".status").inner_text(), page.locator("output").all_inner_texts())  # noqa: E731
        assert said() == ("a 0, b 0", ["0", "0"])
        pictures = {pixels(page)}
        for slider, key, wanted in (
            (a, "ArrowRight", (2, 0)),
            (b, "End", (3, 2)),
            (a, "Home", (0, 0)),
            (a, "End", (3, 2)),
        ):
            slider.press(key)
            pictures.add(pixels(page))
            assert said() == ("a {}, b {}".format(*wanted), [str(v) for v in wanted])
            other = "b" if slider == a else "a"
            went_along = {(2, 0): "", (3, 2): f" {other} moved, too.", (0, 0): " b moved, too."}[wanted]
            assert page.locator(".note").inner_text().endswith(f"offered.{went_along}")
        assert len(pictures) == 3


def test_linked_explorers_share_selection_and_zoom(chromium, tmp_path):
    code = """
import numpy as np
from toolkit.explore import Explorer
Z = np.random.default_rng(0).normal(size=(50, 2))
left = Explorer(lambda k: Z, {"k": [1]}, title="left")
right = Explorer(lambda k: Z * 2, {"k": [1]}, title="right")
left.link(right, view=True)
display(left, right)
"""
    path = pages.write(code, tmp_path / "page.html")
    with pages.opened(chromium, path, explorers=2) as page:
        canvases = page.locator(".stage > canvas")
        shots = lambda: [c.evaluate("(c) => c.toDataURL()") for c in canvases.all()]  # noqa: E731
        before = shots()
        canvases.first.press("+")
        frames(page)
        assert all(a != b for a, b in zip(before, shots(), strict=True))
        canvases.first.press("0")
        frames(page)
        assert shots() == before
        canvases.first.press("ArrowRight")
        assert page.locator(".tip").first.inner_text() == page.locator(".tip").nth(1).inner_text() != ""
        canvases.first.press("Enter")
        frames(page)
        assert page.locator(".bottom .count").all_inner_texts() == ["1 of 50 selected"] * 2


def test_night_is_dark_and_paper_is_light_and_not_squeezed(chromium, path):
    context = chromium.new_context(color_scheme="dark", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator("canvas[data-painted]").first.wait_for()
    corner = "(c) => [...c.getContext('2d').getImageData(3, 60, 1, 1).data]"
    canvas = page.locator(".stage > canvas")
    assert canvas.evaluate(corner) == [20, 24, 29, 255]
    shape = "(c) => [c.width / c.height, c.clientWidth / c.clientHeight]"
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 620, "height": 900})
    frames(page)
    assert canvas.evaluate(corner) == [255] * 4
    assert np.ptp(canvas.evaluate(shape)) < 0.01
    assert [page.locator(part).is_visible() for part in (".row", ".tools", ".help", ".printed")] == [False] * 3 + [True]
    assert page.locator(".printed").inner_text() == "k = 0, mirror = false"
    with Image.open(io.BytesIO(canvas.screenshot())) as picture:
        assert np.array(picture.convert("L")).mean() > 200
    context.close()


def test_many_samples_are_counted_in_cells_and_marked_when_one_zooms_in(chromium, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60_000)
    many = rng.normal(size=(60_000, 2)) + 6 * y[:, None] * [1, 0]
    path = Explorer(lambda k: many, {"k": [1]}, labels=y, title="many").save(tmp_path / "many.html")
    with pages.opened(chromium, path, explorers=1) as page:
        told = page.locator(".bottom .count")
        assert told.inner_text() == "A cell has the colour of one of its samples; zoom in for all."
        page.keyboard.down("Control")
        box = page.locator(".stage > canvas").bounding_box()
        page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 0.4 * box["height"])
        for _ in range(20):
            page.mouse.wheel(0, -120)
        page.keyboard.up("Control")
        frames(page)
        assert told.inner_text() == ""
