"""The claims themselves: complete, well-formed, and judged by their own rules."""

import json

import numpy as np
import pytest

from toolkit import claims
from toolkit.datasets.registry import registry

COUNTS = {"SL": 30, "LE": 16, "SE": 15, "GM": 27, "FI": 33, "VI": 27, "RE": 35, "TR": 8}
GOOD = {"paper": "kudo", "where": "here", "title": "Something holds.", "kind": "number", "published": 1.0}
GOOD |= {"expected": 1.0, "tol": 0.1, "compare": "within", "rule": "It is within.", "data": ["synthetic"]}


@pytest.fixture
def read(tmp_path):
    """Function (more text, **changes): the one claim of a file with these fields."""

    def load(more="", id="SL-01", **changes):
        entry = {key: value for key, value in (GOOD | changes).items() if value is not None}
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.toml"  # a file is read once
        path.write_text(f"[{id}]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in entry.items()) + more)
        return claims.load(path)["SL-01"]

    return load


def test_all_191_claims_are_listed_in_order():
    expected = [f"{prefix}-{i:02d}" for prefix, count in COUNTS.items() for i in range(1, count + 1)]
    assert list(claims.load()) == expected
    assert len(expected) == 191


@pytest.mark.parametrize("claim", claims.load().values(), ids=lambda claim: claim.id)
def test_each_claim_names_its_paper_and_data_and_counts_what_is_printed_as_reproduced(claim):
    papers = {"SL": "kudo", "LE": "sleml", "SE": "self", "GM": "gmlvq"}
    assert claim.paper == papers.get(claim.id[:2], "schulz")
    assert {*claim.data, *claim.optional} <= {"synthetic", *registry()}
    assert (claim.kind == "open") == (claim.published == "left open") == claim.title.startswith("Beyond ")
    assert claim.kind != "open" or claim.compare == "rule"
    is_printed = claim.kind == "number" and claim.compare != "rule"
    if is_printed and np.shape(claim.published) == np.shape(claim.expected):
        assert claims.judge(claim, claim.published) == "reproduced"  # a slip in `expected` or `tol` shows here


def test_no_two_claims_say_the_same_and_unpublished_data_are_never_counted():
    listed = claims.load().values()
    assert len({claim.title for claim in listed}) == len(listed)
    assert {claim.id for claim in listed if not claim.available} == {"FI-11", "FI-26", "RE-05", "RE-18"}


def test_numbers_of_the_issue():
    """Rates and tolerances that the project was set, spelled out once more."""
    seen = {id: (c.expected, c.tol, c.compare) for id, c in claims.load().items()}
    assert seen["SL-07"] == (0.458, 0.005, "within")
    assert seen["SL-08"] == (0.015, 0.003, "within")
    assert seen["SL-13"] == (0.161, 0.005, "within")
    assert seen["SL-03"] == (0, 1e-10, "at_most")
    assert seen["GM-09"] == ([0.154, 0.189], 0.01, "at_most")
    assert seen["VI-04"][1:] == ([0.04, 0.04, 0.04, 0.07, 0.07, 0.07], "at_least")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "SL-1"}, "must look like SL-07"),
        ({"colour": "red"}, "unexpected keyword argument 'colour'"),
        ({"rule": None}, "missing 1 required positional argument: 'rule'"),
        ({"rule": " "}, "`rule` must be a text"),
        ({"paper": "knuth"}, "`paper` must be one of kudo"),
        ({"kind": "numbers"}, "`kind` must be one of number"),
        ({"compare": "near"}, "`compare` must be one of within"),
        ({"compare": "rule"}, "`expected` goes with a numeric"),
        ({"tol": None}, "`tol` goes with a numeric"),
        ({"tol": -0.1}, "`tol` must not be negative"),
        ({"tol": [0.1, 0.2]}, "`tol` must be one number or as many"),
        ({"data": []}, "`data` must be a list of names"),
        ({"available": False}, "`reason` goes with"),
        ({"reason": "lost"}, "`reason` goes with"),
        ({"instead": "iris"}, "`instead` goes with"),
    ],
)
def test_malformed_claims_are_refused(read, changes, message):
    with pytest.raises(ValueError, match=f"Claim {changes.get('id', 'SL-01')}: .*{message}"):
        read(**changes)


ONE = '{ name = "one", source = "text", decides = "it is printed" }'
CHOSEN = '{ name = "one", source = "text", decides = "it fits", fitted = "the 7" }'
TWO = "{ name = 'two', source = '-', fitted = 'the 7' }"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"readings = [{ONE}]", "two or more"),
        (f"readings = [{ONE}, {ONE}]", "two or more, by name"),
        (f"readings = [{ONE}, {TWO.replace('fitted', 'decides')}]", "one that says in `decides`"),
        (f"readings = [{TWO}, {TWO.replace('two', 'one')}]", "one that says in `decides`"),
        (f"readings = [{TWO}, {CHOSEN}]", "chosen to meet the print"),
        (f"readings = [{ONE}, {{ name = 'two' }}]", "must have the fields"),
        ("mended = { before = 'It was twice that.', verdict = 'maybe', why = 'ours' }", "must name the verdict before"),
    ],
)
def test_readings_and_what_is_mended_are_checked(read, text, message):
    assert read(f"readings = [{ONE}, {TWO}]").main.name == "one"
    with pytest.raises(ValueError, match=f"SL-01: `{text.partition(' ')[0]}`.*{message}"):
        read(text)


@pytest.mark.parametrize(
    ("compare", "value", "verdict"),
    [
        ("within", 1.0, "reproduced"),
        ("within", 1.1, "reproduced"),  # 1.1 - 1.0 exceeds 0.1 in floating point only
        ("within", 0.9, "reproduced"),
        ("within", 1.1001, "differs"),
        ("within", 0.8999, "differs"),
        ("at_most", -7, "reproduced"),
        ("at_most", 1.1, "reproduced"),
        ("at_most", 1.1001, "differs"),
        ("at_least", 7, "reproduced"),
        ("at_least", 0.9, "reproduced"),
        ("at_least", 0.8999, "differs"),
    ],
)
def test_numeric_verdicts(read, compare, value, verdict):
    assert claims.judge(read(compare=compare), value) == verdict


@pytest.mark.parametrize(
    ("values", "verdict"), [([1.05, 2.4], "reproduced"), ([1.2, 2.0], "differs"), ([1.0, 2.6], "differs")]
)
def test_lists_are_compared_entry_by_entry(read, values, verdict):
    assert claims.judge(read(expected=[1.0, 2.0], tol=[0.1, 0.5]), values) == verdict


def test_one_claim_is_told_in_full(capsys):
    assert claims.main(["--only", "GM-08"]) == 0
    told, claim = " ".join(capsys.readouterr().out.split()), claims.find("GM-08")
    assert f"says: {claim.title}" in told and f"rule: {claim.rule}" in told
    assert told.endswith("measured by: tests/claims/test_04_gmlvq.py::test_gm_08_one_prototype_on_landsat")
    assert claims.main(["--only", "GM-0"]) == 0 and "measured by" not in capsys.readouterr().out
