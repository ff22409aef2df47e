"""Every page of the project on a phone: none is wider than the screen, and what is wider in it scrolls in itself."""

import nbformat
import pytest

from toolkit import claims
from toolkit.report.export import claims_page, count_claims, index_page
from toolkit.report.project import Project
from toolkit.report.stored import describe

NOTEBOOKS = [path.stem for path in Project.find().select([])]
TOO_WIDE = """() => [...document.querySelectorAll("main *")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > 390.5
                    && !each.closest("pre, .scroll, math, .contents")).map((each) => each.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def addresses(tmp_path_factory, course):
    """By name; those of the notebooks are in the teachers' edition of the course, with all cells and outputs."""
    folder, project = tmp_path_factory.mktemp("pages"), Project.find()
    entries, found = [], {"course/index": course / "index.html"}
    for path in project.select([]):
        nb = nbformat.read(path, as_version=4)
        found[path.stem] = course / "teacher" / f"{path.stem}.html"
        run = {"page": f"{path.stem}.html", "scale": "default", "parameters": {"name": "x" * 60}, "ok": True}
        run |= {"seconds": 1.0, "substituted": [], "failed_page": None}
        entries.append({"name": path.stem, "runs": [run], **describe(nb)})
    rows = claims.table(claims.committed())
    for name, text in (("index", index_page(entries, count_claims(rows))), ("claims", claims_page(rows))):
        found[name] = folder / f"{name}.html"
        found[name].write_text(text, encoding="utf-8")
    return {name: path.as_uri() for name, path in found.items()}


@pytest.fixture(scope="module")
def page(chromium):
    page = chromium.new_context(viewport={"width": 390, "height": 800}).new_page()
    yield page
    page.context.close()


@pytest.mark.parametrize("name", [*NOTEBOOKS, "index", "claims", "course/index"])
def test_no_page_is_wider_than_a_phone(page, addresses, name):
    page.goto(addresses[name])
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") == 390 and page.evaluate(TOO_WIDE) == []
    figures, buttons = page.locator("main figure > img").count(), page.locator(".enlarge").count()
    assert figures == buttons and (figures > 1 or name not in NOTEBOOKS)
