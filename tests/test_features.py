"""The list of what users can do is complete, and its tests are there; `browser/test_pages.py` looks at the pages."""

import ast
from functools import cache

from features import ROOT, quick, read_list

RENEW = "If it is meant: `python -m tests.features --renew`, and name a test; what has gone is removed by hand."


def test_the_list_is_that_of_the_product():
    found = quick()
    known = {
        id: entry for id, entry in read_list().items() if "pages" not in entry
    }
    assert sorted(found) == sorted(known), RENEW
    for id, entry in found.items():
        cases, listed = (sorted(e.get("cases", ())) for e in (entry, known[id]))
        assert cases == listed, f"{id}. {RENEW}"


@cache
def functions_of(path):
    tree = ast.parse((ROOT / path).read_text("utf-8")).body
    return [node.name for node in tree if isinstance(node, ast.FunctionDef)]


def test_each_feature_has_a_test_that_is_there():
    for id, entry in read_list().items():
        path, _, name = entry["test"].partition("::")
        has_test = (ROOT / path).is_file() and name.partition("[")[
            0
        ] in functions_of(path)
        assert has_test, f"{id}: there is no {entry['test']!r}"
