"""Pages lead to the pages before and after them that are there, and to no others."""

import re

import pytest
from small_notebooks import notebook

from toolkit.report.export import notebook_page
from toolkit.report.neighbours import linked, unlinked
from toolkit.report.pages import Pages
from toolkit.report.runner import Outcome, failure

TITLES = {"01_a": "One <&>", "02_b": "Two", "03_c": "Three"}


@pytest.fixture
def add(tmp_path):
    """Function (run, name, scale): the page of a run in the folder of reports, which is linked anew."""
    pages = Pages(tmp_path)

    def keep(run, name, scale="default", error=None):
        work = tmp_path / "work"
        for kind in ("claims", "figures"):
            (work / kind).mkdir(parents=True, exist_ok=True)
        about = {"name": name, "scale": scale, "parameters": {}, "digest": "d"}
        page, _ = notebook_page(notebook("# Title"), name)
        pages.keep(run, about, Outcome(1.0, error), work, page)
        pages.link(TITLES)
        return pages

    return keep


def links(path):
    """The addresses before and after, which stand at the top and at the end."""
    found = re.findall(r'<a rel="(\w+)" href="([^"]*)"', path.read_text())
    assert len(found) % 2 == 0 and found[: len(found) // 2] == found[len(found) // 2 :]
    return dict(found)


def test_each_page_leads_to_the_nearest_that_is_there(add, tmp_path):
    add("03_c", "03_c")
    assert links(tmp_path / "03_c.html") == {}
    add("01_a", "01_a")
    assert links(tmp_path / "03_c.html") == {"prev": "01_a.html"}
    assert links(tmp_path / "01_a.html") == {"next": "03_c.html"}
    pages = add("02_b", "02_b")
    assert links(tmp_path / "02_b.html") == {"prev": "01_a.html", "next": "03_c.html"}
    assert "Previous<span>: One &lt;&amp;&gt;</span>" in (tmp_path / "02_b.html").read_text()
    (tmp_path / "02_b.html").unlink()  # by hand
    pages.link(TITLES)
    assert links(tmp_path / "01_a.html") == {"next": "03_c.html"}


def test_a_page_leads_to_one_of_its_scale_where_there_is_one(add, tmp_path):
    for run, name, scale in (("01_a", "01_a", "default"), ("01_a.quick", "01_a", "quick"), ("02_b", "02_b", "default")):
        add(run, name, scale)
    add("03_c.quick", "03_c", "quick")
    add("02_b.quick", "02_b", "quick")
    assert links(tmp_path / "02_b.html") == {"prev": "01_a.html", "next": "03_c.quick.html"}
    assert links(tmp_path / "02_b.quick.html") == {"prev": "01_a.quick.html", "next": "03_c.quick.html"}
    assert links(tmp_path / "03_c.quick.html") == {"prev": "02_b.quick.html"}


def test_a_page_of_a_failed_run_leads_on_and_is_led_to_by_none(add, tmp_path):
    add("01_a", "01_a")
    add("02_b", "02_b", error=failure("E", "says"))
    add("03_c", "03_c")
    assert links(tmp_path / "02_b.failed.html") == {"prev": "01_a.html", "next": "03_c.html"}
    assert links(tmp_path / "01_a.html") == {"next": "03_c.html"}


def test_a_page_is_current_whatever_stands_beside_it(add, tmp_path):
    pages = add("01_a", "01_a")
    add("02_b", "02_b")
    assert links(tmp_path / "01_a.html") and pages.is_current("01_a", "d") and pages.is_current("02_b", "d")
    page = (tmp_path / "01_a.html").read_bytes()
    (tmp_path / "01_a.html").write_bytes(page.replace(b"Title", b"title"))
    assert not pages.is_current("01_a", "d")


def test_links_are_renewed_and_taken_away():
    page, _ = notebook_page(notebook("# T"), "x")
    page = page.encode()
    twice = linked(linked(page, ("a b.html", "A"), None), None, ("c.html", "C\n"))
    assert twice.count(b'<a rel="next" href="c.html">Next<span>: C</span></a>') == 2 and b"a%20b" not in twice
    assert b"a%20b.html" in linked(page, ("a b.html", "A"), None)
    assert unlinked(twice) == page == unlinked(page)
