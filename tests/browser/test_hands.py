"""What hands do with an explorer in a page on disk: wheel, drag, box, lasso, keys, fingers, search, files."""

import numpy as np
from PIL import Image
from pytest import fixture, importorskip

importorskip("anywidget")
from toolkit.explorer import Explorer, SampleInfo

from . import pages

# A lattice of 21 x 21 points from -1 to 1: each is known by its place. Classes are the
# signs of x.
LINE = np.linspace(-1, 1, 21)
Z = np.array([(x, y) for y in LINE for x in LINE])
CLASSES = np.where(
    Z[:, 0] < 0, "left", np.where(Z[:, 0] > 0, "right", "middle")
)
NAMES = np.array([f"x {x:.1f} y {y:.1f}" for x, y in Z.round(1) + 0.0])
VALUES = np.where(np.arange(441) % 50 == 7, np.nan, Z[:, 1])


def view(k, mirror):
    turned = Z * [-1 if mirror else 1, 1] * (1 + k / 10)
    return {
        "Z": turned,
        "status": f"k {k}, mirror {mirror}",
        "axis_names": (f"u at {k}", "v"),
    }


@fixture(scope="module")
def path(tmp_path_factory):
    columns = {"height": VALUES, "row": [f"row {i // 21}" for i in range(441)]}
    explorer = Explorer(
        view,
        {"k": [0, 1, 2], "mirror": [False, True]},
        labels=CLASSES,
        samples=SampleInfo(names=NAMES, columns=columns),
        align=False,
        title="A lattice: every point is known",
        caption="Points of a lattice.",
        code="view({k}, {mirror})",
    )
    return explorer.save(tmp_path_factory.mktemp("hands") / "lattice.html")


class Lattice(pages.View):
    def corner(self):
        """Pixels of a unit and the page's coordinates of the origin at the first setting."""
        self.canvas.scroll_into_view_if_needed()
        self.evaluate("() => 0")
        left, top, _, _ = self.bounds()
        unit, x, y = self.centre(2.592)  # 1.2 and a margin of .04 at each side
        return unit, left + x, top + y

    def at(self, x, y):
        unit, left, top = self.corner()
        return left + x * unit, top - y * unit

    def point(self, x, y):
        self.page.mouse.move(*self.at(x, y))

    def pull(self, *corners, key=None):
        self.drag(*(self.at(*corner) for corner in corners), key=key)
        self.evaluate("() => 0")

    def colour(self, x, y):
        left, top, _, _ = self.bounds()
        place = np.subtract(self.at(x, y), [left, top])
        return np.array(self.colours([place.tolist()])[0])


@fixture
def lattice(chromium, path):
    with pages.open_explorers(chromium, path) as page:
        page.set_viewport_size({"width": 900, "height": 700})
        page.evaluate("document.body.style.paddingBottom = '2000px'")
        yield Lattice(page)


def inside(low, high):
    return set(NAMES[((Z > low) & (Z < high)).all(1)])


def scroll(page):
    page.mouse.wheel(0, 40)
    pages.wait_until(page, "scrollY > 0")


def test_the_wheel_is_the_pages_until_the_picture_is_clicked_and_then_zooms_at_the_pointer(
    lattice,
):
    page = lattice.page
    before = lattice.pixels()
    lattice.point(0.5, 0.5)
    scroll(page)
    assert lattice.pixels() == before
    page.evaluate("scrollTo(0, 0)")
    page.mouse.click(*lattice.at(-1.15, 1.15))  # where no sample is
    lattice.point(0.5, 0.5)
    assert lattice.tip_lines()[0] == "x 0.5 y 0.5 right"
    for _ in range(4):
        page.mouse.wheel(0, -120)
    assert lattice.pixels() != before and page.evaluate("scrollY") == 0
    page.mouse.move(*(v + 1 for v in lattice.at(0.5, 0.5)))
    assert lattice.tip_lines()[0] == "x 0.5 y 0.5 right"  # it has not run away
    page.locator("h1").click()
    lattice.point(0.5, 0.5)
    scroll(page)


def test_with_ctrl_the_wheel_zooms_at_once_and_a_double_click_brings_the_whole_back(
    lattice,
):
    page = lattice.page
    before = lattice.pixels()
    lattice.point(0.5, 0.5)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    assert lattice.pixels() != before and page.evaluate("scrollY") == 0
    page.mouse.dblclick(*lattice.at(-1.19, 0.03))
    page.mouse.move(5, 5)
    assert lattice.pixels() == before


def test_a_drag_moves_the_picture_and_buttons_zoom_it(lattice):
    before = lattice.pixels()
    lattice.pull((0.03, 0.03), (0.33, 0.03))
    lattice.point(0.8, 0.5)
    # three tenths to the right
    assert lattice.tip_lines()[0] == "x 0.5 y 0.5 right"
    lattice.click("Fit")
    lattice.page.mouse.move(5, 5)
    assert lattice.pixels() == before
    lattice.click("Zoom in")
    assert lattice.pixels() != before
    lattice.click("Zoom out")
    assert lattice.pixels() == before


def test_box_and_lasso_select_and_add_and_take(lattice):
    lattice.pull((-0.55, -0.55), (0.05, 0.05), key="Shift")
    first = inside((-0.55, -0.55), (0.05, 0.05))
    assert lattice.selected_names() == first and len(first) == 36
    assert (
        lattice.text(lattice.selection)
        == "36 of 441 selected: left (30), middle (6)"
    )
    how = lattice.root.get_by_label("What a new selection does")
    lattice.click("Lasso")
    assert lattice.button("Lasso").get_attribute("aria-pressed") == "true"
    how.select_option(label="add to selection")
    # a triangle
    lattice.pull((0.42, 0.42), (0.42, 0.94), (0.94, 0.42), (0.42, 0.42))
    selected = first | set(NAMES[(Z > 0.42).all(1) & (Z.sum(1) < 1.36)])
    assert lattice.selected_names() == selected and len(selected) == 46
    lattice.click("Box")
    how.select_option(label="remove from selection")
    lattice.pull((-0.25, -1), (0.05, 1))
    assert lattice.selected_names() == selected - inside(
        (-0.25, -1.1), (0.05, 1.1)
    )
    faded = lattice.pixels()
    lattice.keys("Escape")
    assert lattice.text(lattice.selection) == "" and lattice.pixels() != faded
    lattice.pull((0.03, 0.03), (0.33, 0.03))  # Escape has ended the box, too
    assert lattice.selected_names() == set()


def test_keys_select_what_is_shown_and_a_class(lattice):
    lattice.click("right")
    lattice.keys("a")
    assert lattice.selected_names() == set(NAMES[CLASSES != "right"])
    lattice.keys("Escape", "ArrowLeft", "ArrowLeft", "c")
    assert lattice.selected_names() == set(NAMES[CLASSES == "left"])
    name, *told = lattice.root.locator(".spoken").inner_text().split(" left, ")
    assert name in NAMES and told == ["height: 0, row: row 10"]


def test_the_legend_hides_classes_by_key_and_a_double_click_shows_one_alone(
    lattice,
):
    buttons = lattice.root.locator("[aria-label=classes] button")
    before = lattice.pixels()
    middle = buttons.nth(1)
    for act, pressed in (
        (lambda: middle.press("Enter"), ["true", "false", "true"]),
        (lambda: middle.dblclick(), ["false", "true", "false"]),
    ):
        for state in (pressed, ["true"] * 3):
            act()
            results = [b.get_attribute("aria-pressed") for b in buttons.all()]
            assert results == state
            assert (lattice.pixels() == before) == ("false" not in state)


def test_a_column_colours_the_samples_with_a_scale_or_its_categories(lattice):
    choice = lattice.root.get_by_label("Colour by")
    classes = lattice.root.locator("[aria-label=classes] button")
    names = choice.locator("option").all_text_contents()
    assert names == ["colour: class", "colour: height", "colour: row"]
    assert (lattice.colour(0.5, 1) == lattice.colour(0.5, -1)).all()
    choice.select_option(label="colour: height")
    low = lattice.colour(0.5, -1)
    high = lattice.colour(0.5, 1)
    assert low[2] > low[1] and high[1] > high[2]  # viridis: violet to yellow
    assert "9 missing" in lattice.root.locator(".legend").inner_text()
    choice.select_option(label="colour: row")
    assert classes.count() == 21
    lattice.click("row 20")
    choice.select_option(label="colour: height")
    lattice.click("right")  # what was hidden stays so
    lattice.keys("a")
    assert (lattice.colour(0.5, -1) != low).any()
    words = lattice.text(lattice.selection)
    assert words == "220 of 441 selected: left (200), middle (20)"
    lattice.click("Reset")
    assert choice.input_value() == "0"


def test_the_search_finds_names_classes_and_columns(lattice):
    find = lattice.root.get_by_label("Find a sample")
    count = lattice.found
    find.fill("x 0.3 y 0.3")
    count.filter(has_text="1 found").wait_for()
    find.press("Enter")
    assert lattice.tip_lines()[0] == "x 0.3 y 0.3 right"
    find.fill("row 20")
    find.press("Enter")
    find.press("Enter")
    assert count.inner_text() == "2 of 21"
    lattice.click("left")
    find.fill("row 19")
    count.filter(has_text="11 found, 10 more hidden").wait_for()
    find.press("Escape")
    assert count.inner_text() == ""


def test_every_setting_has_its_own_picture_words_axes_code_and_files(lattice):
    first = lattice.pixels()
    pictures = set()
    heights = VALUES[~np.isnan(VALUES)].tolist()
    for mirror in (False, True):
        lattice.box.set_checked(mirror)
        lattice.slider.press("Home")
        for k in range(3):
            pictures.add(lattice.pixels())
            status = f"k {k}, mirror {mirror}"
            assert lattice.text(lattice.status) == status
            assert status in lattice.canvas.get_attribute("aria-label")
            lattice.click("Copy code")
            lattice.status.filter(has_text="Code copied.").wait_for()
            assert (
                lattice.root.get_attribute("data-code")
                == f"view({k}, {mirror})"
            )
            lattice.slider.press("ArrowRight")
        rows, name = lattice.table()
        assert name == f"a-lattice_k-2_mirror-{str(mirror).lower()}.csv"
        shown = np.array(
            [(row["axis_1"], row["axis_2"]) for row in rows], float
        )
        np.testing.assert_allclose(shown, view(2, mirror)["Z"], atol=1e-6)
        assert rows[7]["setting k"] == "2" and rows[8]["row"] == "row 0"
        results = [float(row["height"]) for row in rows if row["height"]]
        assert results == heights
    _, texts = lattice.svg()
    title = "A lattice: every point is known"
    assert {"u at 2", "v", "left", "middle", "right", title} <= texts
    assert any("k = 2, mirror = true" in text for text in texts)
    assert len(pictures) == 6
    lattice.box.press("Space")
    lattice.slider.press("Home")
    assert lattice.pixels() == first  # the axes have not moved


def test_the_png_holds_title_and_legend_at_twice_the_pixels(lattice):
    path, name = lattice.file("PNG")
    assert name == "a-lattice_k-0_mirror-false.png"
    with Image.open(path) as picture:
        _, _, width, height = lattice.bounds()
        assert picture.width == 2 * round(width)
        assert picture.height > 2 * height + 60
        assert (np.array(picture.convert("L"))[:40] < 100).any()  # the title


def test_fingers_tap_pinch_and_leave_the_page_its_scrolling(open_page, path):
    page = open_page(
        path,
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    page.locator("canvas[data-drawn]").first.wait_for()
    page.evaluate("document.body.style.paddingBottom = '2000px'")
    lattice = Lattice(page)
    before = lattice.pixels()
    page.touchscreen.tap(*lattice.at(0.5, 0.5))
    lattice.tip.filter(has_text="x 0.5 y 0.5").wait_for()
    # a tap looks, it does not select
    assert lattice.text(lattice.selection) == ""
    touch = page.context.new_cdp_session(page)

    def drag(*steps):
        """Fingers at these places (x, y) from the picture's centre, one after the other."""
        kinds = ["touchStart", *["touchMove"] * (len(steps) - 1), "touchEnd"]
        x, y = lattice.at(0, 0)
        for kind, places in zip(kinds, [*steps, []], strict=True):
            points = [{"x": x + dx, "y": y + dy} for dx, dy in places]
            event = {"type": kind, "touchPoints": points}
            touch.send("Input.dispatchTouchEvent", event)
            page.wait_for_timeout(16)

    scroll_before = page.evaluate("scrollY")
    drag(*([(0, -20 * k)] for k in range(9)))
    pages.wait_until(page, f"scrollY > {scroll_before}")
    assert lattice.pixels() == before
    page.wait_for_timeout(300)
    drag(*([(-30 - 10 * k, 0), (30 + 10 * k, 0)] for k in range(5)))
    assert lattice.pixels() != before


def test_where_not_all_is_computed_the_sliders_offer_what_is_and_move_together(
    chromium, tmp_path
):
    explorer = Explorer(
        lambda a, b: {"Z": Z * (1 + a) * (1 + b), "status": f"a {a}, b {b}"},
        {"a": [0, 1, 2, 3], "b": [0, 1, 2]},
        precompute=False,
        align=False,
        title="some",
    )
    for setting in ({"a": 3, "b": 2}, {"a": 2, "b": 0}):
        explorer.set(**setting)
    path = explorer.save(tmp_path / "some.html", complete=False)
    with pages.open_explorers(chromium, path) as page:
        view = pages.View(page)
        note = page.locator(".note")
        words = "3 of 12 settings are computed; only those are offered."
        assert note.inner_text() == words
        # that was shown when it was saved
        assert view.text(view.status) == "a 2, b 0"
        before = view.pixels()
        _, b = page.locator("input[type=range]").all()
        assert b.get_attribute("max") == "1"
        b.press("End")
        assert view.pixels() != before
        assert view.text(view.status) == "a 3, b 2"
        assert page.locator("output").all_inner_texts() == ["3", "2"]
        assert note.inner_text() == f"{words} a changed as well."


def test_a_narrow_window_shows_all_of_it(open_page, path):
    page = open_page(path, viewport={"width": 390, "height": 800})
    page.locator("canvas[data-drawn]").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_night_is_dark_and_paper_is_light_in_its_own_shape(open_page, path):
    page = open_page(
        path, color_scheme="dark", viewport={"width": 1280, "height": 900}
    )
    page.locator("canvas[data-drawn]").first.wait_for()
    view = pages.View(page)
    assert view.colours([(3, 60)]) == [[20, 24, 29]]
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 620, "height": 900})
    assert view.colours([(3, 60)]) == [[255] * 3]
    ratios = "(c) => c.width / c.height - c.clientWidth / c.clientHeight"
    assert abs(view.evaluate(ratios)) < 0.01
    assert not page.locator(".row, .tools, .help").filter(visible=True).count()
    assert page.locator(".printed").inner_text() == "k = 0, mirror = false"


def test_many_samples_are_counted_in_cells_and_marked_when_one_zooms_in(
    chromium, tmp_path
):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60_000)
    many = rng.normal(size=(60_000, 2)) + 6 * y[:, None] * [1, 0]
    path = Explorer(lambda k: many, {"k": [1]}, labels=y, title="many").save(
        tmp_path / "many.html"
    )
    with pages.open_explorers(chromium, path) as page:
        view = pages.View(page)
        words = "A cell has the colour of one of its samples; zoom in for all."
        assert view.text(view.selection) == words
        left, top, width, height = view.bounds()
        page.mouse.move(left + 0.4 * width, top + 0.4 * height)
        page.keyboard.down("Control")
        for _ in range(20):
            page.mouse.wheel(0, -120)
        page.keyboard.up("Control")
        view.pixels()
        assert view.text(view.selection) == ""


def test_a_map_with_a_colouring_of_its_own_takes_it_and_gives_it_back(
    chromium, tmp_path
):
    explorer = Explorer(
        lambda kind: {"Z": Z, "color_by": "row" if kind == "rows" else ""},
        {"kind": ["classes", "rows"]},
        labels=CLASSES,
        samples=SampleInfo(columns={"row": NAMES, "height": VALUES}),
        align=False,
    )
    path = explorer.save(tmp_path / "own.html")
    with pages.open_explorers(chromium, path) as page:
        view = pages.View(page)
        choice = view.root.get_by_label("Colour by")
        kind = view.root.get_by_label("kind")
        before = view.pixels()
        kind.select_option(label="rows")
        assert view.text(choice.locator("option:checked")) == "colour: row"
        assert view.pixels() != before
        # a choice of one's own stays within a map
        choice.select_option(label="colour: height")
        kind.select_option(label="classes")
        assert view.text(choice.locator("option:checked")) == "colour: class"
        assert view.pixels() == before
