"""The page of each kind of table, and of explorers, has the headings, contents and controls that are listed."""

from pytest import importorskip, mark, param

importorskip("anywidget")
from features import PAGES, make_page, on_page, read_list

SLOW = {"values", "labels", "distances", "similarities", "model"}


KINDS = [
    param(kind, marks=mark.slow) if kind in SLOW else kind for kind in PAGES
]


@mark.parametrize("kind", KINDS)
def test_a_page_has_what_the_list_says(chromium, tmp_path, kind):
    found = on_page(chromium, kind, make_page(kind, tmp_path))
    known = {
        id
        for id, entry in read_list().items()
        if kind in entry.get("pages", ())
    }
    assert sorted(found) == sorted(known)
