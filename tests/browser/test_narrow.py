"""Every page of the project on a phone: none is wider than the screen, and what is wider in it scrolls in itself."""

from pytest import fixture, mark, param

from toolkit.report.project import Project

from .pages import OPEN_DETAILS

NOTEBOOKS = [path.stem for path in Project.find().select([])]
TOO_WIDE = """() => [...document.querySelectorAll("main *")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > 390.5
                    && !each.closest("pre, .scroll, math, .contents")).map((each) => each.outerHTML.slice(0, 80))"""


@fixture(scope="module")
def page(open_page):
    return open_page(viewport={"width": 390, "height": 800})


@mark.parametrize(
    "name",
    ["teacher/00_your_data", "index", "claims", "course/index"]
    + [param(f"teacher/{name}", marks=mark.slow) for name in NOTEBOOKS[1:]],
)
def test_no_page_is_wider_than_a_phone(page, reports, course, name):
    """Those of the notebooks are in the teachers' edition of the course, with all cells and outputs."""
    folder = reports if name in ("index", "claims") else course
    page.goto((folder / f"{name.removeprefix('course/')}.html").as_uri())
    page.evaluate(OPEN_DETAILS)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(TOO_WIDE) == []
    figures = page.locator("main figure > img").count()
    assert figures == page.locator(".enlarge").count()
    assert figures > 1 or "teacher" not in name
