"""The claims themselves: complete, well-formed, and judged by their own rules."""

from dataclasses import replace

import numpy as np
from pytest import mark

from toolkit import claims
from toolkit.__main__ import main
from toolkit.datasets.registry import registry

COUNTS = {
    "SL": 30,
    "LE": 16,
    "SE": 15,
    "GM": 27,
    "FI": 33,
    "VI": 27,
    "RE": 35,
    "TR": 8,
}


def test_all_191_claims_are_listed_in_order():
    numbers = {name: range(1, count + 1) for name, count in COUNTS.items()}
    expected = [f"{name}-{i:02d}" for name in numbers for i in numbers[name]]
    assert list(claims.load()) == expected and len(expected) == 191


@mark.parametrize("claim", claims.load().values(), ids=lambda claim: claim.id)
def test_the_fields_of_each_claim_fit_each_other(claim):
    papers = {"SL": "kudo", "LE": "sleml", "SE": "self", "GM": "gmlvq"}
    assert claim.paper == papers.get(claim.id[:2], "schulz")
    assert all(text.strip() for text in (claim.where, claim.title, claim.rule))
    assert claim.data and {*claim.data, *claim.optional} <= {
        "synthetic",
        *registry(),
    }
    assert (
        (claim.kind == "open")
        == (claim.published == "left open")
        == claim.title.startswith("Beyond ")
    )
    assert bool(claim.reason) != claim.available
    if claim.compare == "rule":
        assert claim.expected is claim.tol is None
        return
    assert claim.kind != "open" and claim.compare in (
        "within",
        "at_most",
        "at_least",
    )
    assert np.shape(claim.tol) in ((), np.shape(claim.expected))
    if claim.kind == "number" and np.shape(claim.published) == np.shape(
        claim.expected
    ):
        # a slip in `expected` or `tol` shows here
        assert claims.judge(claim, claim.published) == "reproduced"


@mark.parametrize(
    "claim",
    [c for c in claims.load().values() if c.readings],
    ids=lambda c: c.id,
)
def test_one_reading_decides_and_none_that_only_fits(claim):
    assert (
        len({reading.name for reading in claim.readings})
        == len(claim.readings)
        > 1
    )
    [main] = [reading for reading in claim.readings if reading.decides]
    assert main.confirmed or not main.fitted


def test_no_two_claims_say_the_same_and_four_have_unpublished_data():
    titles = {claim.title: claim.available for claim in claims.load().values()}
    assert len(titles) == 191 and list(titles.values()).count(False) == 4


@mark.parametrize(
    "compare, reproduced, differs",
    [
        # 1.1 - 1.0 exceeds 0.1 in floating point only
        ("within", (1.0, 1.1, 0.9), (1.1001, 0.8999)),
        ("at_most", (-7, 1.1), (1.1001,)),
        ("at_least", (7, 0.9), (0.8999,)),
    ],
)
def test_numeric_verdicts_also_of_lists_entry_by_entry(
    compare, reproduced, differs
):
    one = replace(claims.find("SL-07"), expected=1.0, tol=0.1, compare=compare)
    two = replace(one, expected=[1.0, 2.0], tol=[0.1, 0.5])
    for value in (*reproduced, *differs):
        verdict = "reproduced" if value in reproduced else "differs"
        assert (
            claims.judge(one, value)
            == claims.judge(two, [value, 2.0])
            == verdict
        )


def test_one_claim_in_full(capsys):
    assert main(["claims", "--only", "GM-08"]) == 0
    claim = claims.find("GM-08")
    text = " ".join(capsys.readouterr().out.split())
    assert f"says: {claim.title}" in text and f"rule: {claim.rule}" in text
    assert text.endswith(
        "tests/claims/test_04_gmlvq.py::test_gm_08_one_prototype_on_landsat"
    )
    assert main(["claims", "--only", "GM-0"]) == 0
    assert "measured by" not in capsys.readouterr().out
