"""The hint at the end of a message about a mistyped name."""

from pytest import mark, raises

from toolkit.claims import find
from toolkit.core.words import did_you_mean
from toolkit.datasets import load

COLUMNS = ["age", "Risk", "risk factor", 1990, "sex"]


@mark.parametrize(
    ("word", "nearest"),
    [
        ("risk", "Risk"),
        ("ris", "Risk"),
        ("RISK_FACTOR", "risk factor"),
        ("gae", "age"),
        (199, "1990"),
        ("1991", "1990"),
    ],
)
def test_the_nearest_name_is_proposed(word, nearest):
    assert did_you_mean(word, COLUMNS) == f" Did you mean `{nearest}`?"


@mark.parametrize("word", ["income", "", None, 7, "\ud800"])
def test_nothing_is_proposed_where_no_name_is_near(word):
    assert did_you_mean(word, COLUMNS) == ""


def test_the_first_of_equally_near_names_is_proposed():
    assert did_you_mean("b7", ["b17", "b07"]) == " Did you mean `b17`?"
    assert did_you_mean("b7", ["b07", "b17"]) == " Did you mean `b07`?"


def test_no_names_no_hint():
    assert did_you_mean("risk", []) == ""


@mark.parametrize("wrong", ["SL-7", "sl07"])
def test_claim_ids_are_proposed(wrong):
    with raises(ValueError, match=f"got '{wrong}'. Did you mean `SL-07`?"):
        find(wrong)


def test_data_sets_are_proposed():
    with raises(ValueError, match="got 'landsatt'. Did you mean `landsat`?"):
        load("landsatt")
