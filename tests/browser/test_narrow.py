"""Every page of the project on a phone: none is wider than the screen, and what is wider in it scrolls in itself."""

import pytest

from toolkit import claims
from toolkit.report.course import write_course
from toolkit.report.export import claims_page, count_claims, index_page, notebook_page
from toolkit.report.project import Project
from toolkit.report.stored import describe, read_notebook

NOTEBOOKS = [path.stem for path in Project.find().select([])]
TOO_WIDE = """() => [...document.querySelectorAll("main *")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > 390.5
                    && !each.closest("pre, .scroll, math, .contents")).map((each) => each.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, project = tmp_path_factory.mktemp("pages"), Project.find()
    entries = []
    for path in project.select([]):
        nb = read_notebook(path)
        (folder / f"{path.stem}.html").write_text(notebook_page(nb, path.stem)[0], encoding="utf-8")
        run = {"page": f"{path.stem}.html", "scale": "default", "parameters": {"name": "x" * 60}, "ok": True}
        run |= {"seconds": 1.0, "substituted": [], "failed_page": None}
        entries.append({"name": path.stem, "runs": [run], **describe(nb)})
    rows = claims.table(claims.committed())
    (folder / "index.html").write_text(index_page(entries, count_claims(rows)), encoding="utf-8")
    (folder / "claims.html").write_text(claims_page(rows), encoding="utf-8")
    write_course(folder / "course", project)
    return folder


@pytest.mark.parametrize("name", [*NOTEBOOKS, "index", "claims", "course/index"])
def test_no_page_is_wider_than_a_phone(chromium, folder, name):
    page = chromium.new_context(viewport={"width": 390, "height": 800}).new_page()
    page.goto((folder / f"{name}.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") == 390 and page.evaluate(TOO_WIDE) == []
    figures, buttons = page.locator("main figure > img").count(), page.locator(".enlarge").count()
    assert figures == buttons and (figures > 1 or name not in NOTEBOOKS)
    page.context.close()
