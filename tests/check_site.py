"""The site that `make docs` has built: links, pages, and what the search finds.

`make docs` runs this; `make test` builds no site.
"""

import html
import importlib
import json
import re
from urllib.parse import unquote, urlsplit

from folders import ROOT
from pytest import fixture

from toolkit import SUBPACKAGES

SITE = ROOT / "reports" / "site"
NOTEBOOKS = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
ADDRESS = re.compile(r'<(\w+)\b[^>]*?\s(?:href|src)="([^"]*)"')


@fixture(scope="module")
def pages():
    """{path: text} of all pages."""
    return {
        path: path.read_text("utf-8")
        for path in SITE.rglob("*.html")
        if "_static" not in path.parts
    }


def test_links_lead_somewhere_and_nothing_is_loaded_from_outside(pages):
    """Pages that `make` writes beside the site need not be there yet."""
    ids = {
        page: {"", *re.findall(r'\bid="([^"]+)"', text)}
        for page, text in pages.items()
    }
    dead = set()
    for page, text in pages.items():
        for tag, address in set(ADDRESS.findall(text)):
            url = urlsplit(html.unescape(address))
            target = (page.parent / unquote(url.path)).resolve()
            if not url.path:
                target = page
            if url.scheme:
                leads = tag == "a" or url.scheme == "data"
            elif target.parent == SITE.parent:
                leads = target.stem in NOTEBOOKS | {"claims"}
            elif target in ids:
                leads = unquote(url.fragment) in ids[target]
            else:
                leads = target.is_file()
            if not leads:
                dead.add(f"{page.relative_to(SITE)}: {address}")
    assert not dead, sorted(dead)


def test_every_public_name_has_a_page(pages):
    for package in ["toolkit", *(f"toolkit.{name}" for name in SUBPACKAGES)]:
        for name in getattr(importlib.import_module(package), "__all__", []):
            if name[0] != "_":
                page = SITE / "docs" / "api" / f"{package}.{name}.html"
                assert f"<h1>{name}<" in pages[page]


def test_a_class_has_its_methods_its_source_and_its_notebook(pages):
    text = pages[SITE / "docs" / "api" / "toolkit.lvq.GMLVQ.html"]
    for words in (
        'id="toolkit.lvq.GMLVQ.transform"',
        "source/lvq/gmlvq.html#line-",
        "notebooks/04_gmlvq.html#04_",
        "/04_enclosed_class.png",
    ):
        assert words in text
    assert "set_fit_request" not in text


def test_the_search_finds_equations_errors_and_methods():
    text = (SITE / "searchindex.js").read_text("utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))

    def titles(word, part="terms"):
        numbers = index[part][word]
        numbers = [numbers] if isinstance(numbers, int) else numbers
        return {index["titles"][number] for number in numbers}

    assert "eq. 2.20" in index["indexentries"]
    assert "0. Your data" in titles("held") & titles("error")
    assert titles("lfda", "titleterms") == {"LFDA"}
