"""The claims themselves: complete, well-formed, and judged by their own rules."""

import json

import numpy as np
import pytest

from toolkit import claims
from toolkit.datasets.registry import registry

COUNTS = {"SL": 30, "LE": 16, "SE": 15, "GM": 27, "FI": 33, "VI": 27, "RE": 35, "TR": 8}
NUMERIC = ("within", "at_most", "at_least")
GOOD = {
    "paper": "kudo",
    "where": "here",
    "title": "Something holds.",
    "kind": "number",
    "published": 1.0,
    "expected": 1.0,
    "tol": 0.1,
    "compare": "within",
    "rule": "It is within.",
    "data": ["synthetic"],
}


def toml(tmp_path, **changes):
    entry = {key: value for key, value in (GOOD | changes).items() if value is not None}
    id = entry.pop("id", "SL-01")
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.toml"
    path.write_text(f"[{id}]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in entry.items()))
    return path


def test_all_191_claims_are_listed_in_order():
    expected = [f"{prefix}-{i:02d}" for prefix, count in COUNTS.items() for i in range(1, count + 1)]
    assert list(claims.load()) == expected
    assert len(expected) == 191


def test_prefixes_belong_to_papers():
    papers = {"SL": "kudo", "LE": "sleml", "SE": "self", "GM": "gmlvq"}
    for id, claim in claims.load().items():
        assert claim.paper == papers.get(id[:2], "schulz")


def test_open_problems_are_marked_and_left_to_a_rule():
    for claim in claims.load().values():
        assert (claim.kind == "open") == (claim.published == "left open") == claim.title.startswith("Beyond "), claim.id
        assert claim.kind != "open" or claim.compare == "rule"


def test_no_two_claims_say_the_same():
    titles = [claim.title for claim in claims.load().values()]
    assert len(set(titles)) == len(titles)


def test_unpublished_data_are_never_counted():
    unavailable = {claim.id for claim in claims.load().values() if not claim.available}
    assert unavailable == {"FI-11", "FI-26", "RE-05", "RE-18"}


def test_numbers_of_the_issue():
    """Rates and tolerances that the project was set, spelled out once more."""
    seen = {id: (c.expected, c.tol, c.compare) for id, c in claims.load().items()}
    assert seen["SL-07"] == (0.458, 0.005, "within")
    assert seen["SL-08"] == (0.015, 0.003, "within")
    assert seen["SL-13"] == (0.161, 0.005, "within")
    assert seen["SL-03"] == (0, 1e-10, "at_most")
    assert seen["GM-09"] == ([0.154, 0.189], 0.01, "at_most")
    assert seen["VI-04"][1:] == ([0.04, 0.04, 0.04, 0.07, 0.07, 0.07], "at_least")


def test_a_printed_number_counts_as_reproduced():
    """What the paper prints must pass where it is compared with itself: a slip in `expected` or `tol` shows here."""
    for claim in claims.load().values():
        if (
            claim.kind == "number"
            and claim.compare in NUMERIC
            and np.shape(claim.published) == np.shape(claim.expected)
        ):
            assert claims.judge(claim, claim.published) == "reproduced", claim.id


def test_data_names_are_known():
    names = {"synthetic", *registry()}
    for claim in claims.load().values():
        assert set(claim.data) | set(claim.optional) <= names, claim.id


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "SL-1"}, "must look like SL-07"),
        ({"colour": "red"}, "`colour` is not a field"),
        ({"rule": None}, "`rule` is missing"),
        ({"rule": " "}, "`rule` must be a text"),
        ({"paper": "knuth"}, "`paper` must be one of kudo"),
        ({"kind": "numbers"}, "`kind` must be one of number"),
        ({"compare": "near"}, "`compare` must be one of within"),
        ({"compare": "rule"}, "`expected` goes with a numeric"),
        ({"expected": None}, "`expected` goes with a numeric"),
        ({"tol": None}, "`tol` goes with a numeric"),
        ({"tol": -0.1}, "`tol` must not be negative"),
        ({"tol": [0.1, 0.2]}, "`tol` must be one number or as many"),
        ({"data": []}, "`data` must be a list of names"),
        ({"available": False}, "`reason` goes with"),
        ({"reason": "lost"}, "`reason` goes with"),
        ({"instead": "iris"}, "`instead` goes with"),
    ],
)
def test_malformed_claims_are_refused(tmp_path, changes, message):
    assert list(claims.load(toml(tmp_path))) == ["SL-01"]
    with pytest.raises(ValueError, match=message):
        claims.load(toml(tmp_path, **changes))


ONE = '{ name = "one", source = "text", decides = "it is printed" }'


@pytest.mark.parametrize(
    ("readings", "message"),
    [
        ([ONE], "two or more"),
        ([ONE, ONE], "two or more, by name"),
        ([ONE, '{ name = "two", source = "-", decides = "too" }'], "one that says in `decides`"),
        (['{ name = "one", source = "-" }', '{ name = "two", source = "-" }'], "one that says in `decides`"),
        ([ONE.replace("}", ', fitted = "the 7" }'), '{ name = "two", source = "-" }'], "chosen to meet the print"),
        ([ONE, '{ name = "two" }'], "must have the fields"),
    ],
)
def test_readings_are_checked(tmp_path, readings, message):
    path = toml(tmp_path)
    whole = path.read_text()
    path.write_text(f"{whole}readings = [{ONE}, {{ name = 'two', source = '-', fitted = 'the 7' }}]")
    assert claims.load(path)["SL-01"].main.name == "one"
    bad = tmp_path / "bad.toml"
    bad.write_text(f"{whole}readings = [{', '.join(readings)}]")
    with pytest.raises(ValueError, match=f"SL-01: `readings`.*{message}"):
        claims.load(bad)


def test_what_is_mended_is_checked(tmp_path):
    path = toml(tmp_path)
    whole = path.read_text()
    path.write_text(f"{whole}mended = {{ before = 'It was twice that.', verdict = 'maybe', why = 'ours' }}")
    with pytest.raises(ValueError, match="`mended` must name the verdict before"):
        claims.load(path)


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
def test_numeric_verdicts(tmp_path, compare, value, verdict):
    claim = claims.load(toml(tmp_path, compare=compare))["SL-01"]
    assert claims.judge(claim, value) == verdict


def test_lists_are_compared_entry_by_entry(tmp_path):
    claim = claims.load(toml(tmp_path, expected=[1.0, 2.0], tol=[0.1, 0.5]))["SL-01"]
    assert claims.judge(claim, [1.05, 2.4]) == "reproduced"
    assert claims.judge(claim, [1.2, 2.0]) == "differs"
    assert claims.judge(claim, [1.0, 2.6]) == "differs"


def test_exact_claims_allow_nothing_else():
    printed = claims.load()["SL-24"].published
    assert claims.judge(claims.find("SL-24"), printed) == "reproduced"
    assert claims.judge(claims.find("SL-24"), [*printed[:-1], 61]) == "differs"


def test_one_claim_is_told_in_full(capsys):
    assert claims.main(["--only", "GM-08"]) == 0
    told = capsys.readouterr().out
    claim = claims.find("GM-08")
    assert f"says: {claim.title}" in told.replace("\n", " ") and f"rule: {claim.rule}" in told.replace("\n", " ")
    assert told.strip().endswith("measured by: tests/claims/test_04_gmlvq.py::test_gm_08_one_prototype_on_landsat")
    assert claims.main(["--only", "GM-0"]) == 0 and "measured by" not in capsys.readouterr().out
