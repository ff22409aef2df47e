"""axe-core finds nothing serious or moderate on the pages, by day and by night.

It is looked for where ``$AXE_CORE`` says (the package's folder, or the script) and in
``.make/axe``, where ``.ci/run`` installs it.
"""

import os
from pathlib import Path

import nbformat
import numpy as np
from pytest import fixture, importorskip, mark, param, skip

importorskip("anywidget")
from toolkit.explorer import Explorer, SampleInfo
from toolkit.report.export import notebook_page
from toolkit.report.project import Project
from toolkit.tabular.page import page_of

from . import pages

# a lesson with code, figures, tables and formulas; a look
NAME, LOOK = "03_semisupervised_self", "00_your_data"
PAGES = (
    "lesson.html",
    "explorer.html",
    "index.html",
    "claims.html",
    "look.html",
    "course/index.html",
    f"course/student/{NAME}.html",
)
RULES = """(options) => axe.run(document, options)
  .then(({violations}) => violations.map(({impact, id, nodes}) =>
    `${impact}: ${id}: ${nodes.map((node) => node.target).slice(0, 3).join("; ")}`))"""
ALL = {"rules": {"target-size": {"enabled": True}}}
# What the scheme of colours changes.
OF_COLOUR = {
    "runOnly": {
        "type": "rule",
        "values": ["color-contrast", "link-in-text-block"],
    }
}

# The page notices by itself what scrolls, a moment after something was opened.
REACHED = """[...document.querySelectorAll("main pre")]
  .every((each) => (each.scrollWidth > each.clientWidth) === (each.tabIndex === 0))"""


@fixture(scope="module")
def axe():
    """The text of axe-core."""
    own = (
        Path(__file__).parents[2]
        / ".make"
        / "axe"
        / "node_modules"
        / "axe-core"
    )
    place = Path(os.environ.get("AXE_CORE") or own)
    script = place / "axe.min.js" if place.is_dir() else place
    if not script.is_file():
        remedy = "npm install --no-save --prefix .make/axe axe-core@4"
        skip(
            f"no axe-core at {script}; `{remedy}` fetches it, and $AXE_CORE can name another place"
        )
    return script.read_text("utf-8")


@fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    nb = nbformat.read(Project.find().notebooks / f"{NAME}.ipynb", 4)
    look = nbformat.read(Project.find().notebooks / f"{LOOK}.ipynb", 4)
    Z = np.random.default_rng(0).normal(size=(30, 2))
    columns = {"height": Z[:, 0], "kind": ["x", "y"] * 15}
    axes = {"angle": [1, 2, 3], "flag": [False, True], "how": ["a", "b"]}
    explorer = Explorer(
        lambda angle, flag, how: {"Z": Z * angle, "status": "said"},
        axes,
        labels=np.arange(30) % 3,
        samples=SampleInfo(columns=columns),
        title="An explorer",
        code="{angle}",
        precompute=False,
    )
    explorer.save(folder / "explorer.html", complete=False)
    beside = ("index.html", "Before"), ("index.html", "After")
    page, _ = notebook_page(nb, NAME, adjacent=beside)
    (folder / "lesson.html").write_text(page, "utf-8")
    (folder / "look.html").write_text(page_of(look, "A look"), "utf-8")
    return folder


def violations(page, options):
    lines = page.evaluate(RULES, options)
    return [line for line in lines if not line.startswith("minor")]


def is_slow(name):
    return name.startswith(("course", "claims"))


@mark.parametrize(
    "name", [param(p, marks=mark.slow) if is_slow(p) else p for p in PAGES]
)
def test_axe_finds_nothing_serious_or_moderate(
    open_page, axe, folder, reports, request, name
):
    """By day with all rules, by night with those of colour."""
    where, _, inner = name.partition("/")
    path = (
        request.getfixturevalue("course") / inner if inner else folder / where
    )
    if not path.is_file():
        path = reports / where
    page = open_page(
        path, color_scheme="light", viewport={"width": 1280, "height": 800}
    )
    if name == "lesson.html":
        assert page.locator("figure, table, math, .highlight").count() > 20
    if name == "explorer.html":
        page.locator(".groups button").first.click()
        page.locator(".stage > canvas").press("a")
        page.locator(".stage > canvas").press("ArrowRight")
    page.evaluate(pages.OPEN_DETAILS)
    pages.wait_until(page, REACHED)
    page.evaluate(axe)
    assert violations(page, ALL) == []
    page.emulate_media(color_scheme="dark")
    pages.wait_until(page, "matchMedia('(prefers-color-scheme: dark)').matches")
    assert violations(page, OF_COLOUR) == []


def test_axe_sees_what_is_wrong(open_page, axe):
    page = open_page()
    page.set_content(
        "<main><p style='color: #ccc'>faint</p><img src='data:,'></main>"
    )
    page.evaluate(axe)
    results = {line.split(": ")[1] for line in page.evaluate(RULES, ALL)}
    of_colour = {
        line.split(": ")[1] for line in page.evaluate(RULES, OF_COLOUR)
    }
    assert {"image-alt", "color-contrast"} <= results
    assert of_colour == {"color-contrast"}
