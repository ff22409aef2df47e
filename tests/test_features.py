"""The list of what users can do is complete, and its tests are there; `browser/test_pages.py` looks at the pages."""

import ast
from collections import defaultdict

from features import ROOT, listed, quick

RENEW = "If it is meant: `python -m tests.features --renew`, and name a test; what has gone is removed by hand."


def test_the_list_is_what_is_found():
    found, known = (
        quick(),
        {id: entry for id, entry in listed().items() if "pages" not in entry},
    )
    assert (sorted(found.keys() - known), sorted(known.keys() - found)) == ([], []), (
        RENEW
    )
    for id, entry in found.items():
        assert sorted(entry.get("cases", ())) == sorted(known[id].get("cases", ())), (
            f"{id}. {RENEW}"
        )


def test_each_feature_has_a_test_that_is_there():
    names = defaultdict(set)
    for id, entry in listed().items():
        path, _, name = entry["test"].partition("::")
        if path not in names and (ROOT / path).is_file():
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            names[path] = {
                node.name for node in tree.body if isinstance(node, ast.FunctionDef)
            }
        assert name.partition("[")[0] in names[path], (
            f"{id}: there is no {entry['test']!r}"
        )
