"""What `record` makes of a measurement: a verdict, a line, a fragment."""

import json
import math
from dataclasses import replace

import numpy as np
from pytest import fixture, mark, raises

from toolkit import claims, datasets
from toolkit.claims.claim import Reading


@fixture(autouse=True)
def at_hand(monkeypatch):
    """All data are there, but for names that a test gives; no fragment is left."""
    state = {"substituted": set(), "absent": set()}

    def checksums(name):
        # it was not available: it is not looked for again
        assert name not in state["substituted"]
        if name in state["absent"]:
            raise FileNotFoundError(name)
        return f"{name:_<64}"

    monkeypatch.setattr(
        datasets, "substituted_names", lambda: state["substituted"]
    )
    monkeypatch.setattr(datasets, "checksums", checksums)
    monkeypatch.delenv("TOOLKIT_CLAIMS_DIR", raising=False)
    monkeypatch.delenv("TOOLKIT_CLAIMS_SOURCE", raising=False)
    claims.start()
    yield state
    claims.start()


@fixture
def fragment(tmp_path, monkeypatch):
    """Function id -> what `record` left for it."""
    monkeypatch.setenv("TOOLKIT_CLAIMS_DIR", str(tmp_path / "deep" / "claims"))
    folder = tmp_path / "deep" / "claims"
    return lambda id: json.loads((folder / f"{id}.json").read_text())


@mark.parametrize(
    "id, arguments, line",
    [
        (
            "SL-07",
            {"value": 0.458912345},
            "SL-07  paper 0.458  ours 0.4589  tol 0.005  reproduced",
        ),
        (
            "SL-03",
            {"value": 3.1e-16},
            "SL-03  paper closed form  ours 1e-15  at most 1e-10  reproduced",
        ),
        ("VI-18", {"value": 6, "spread": 0.51234}, "ours 6 +- 0.5123  tol 2"),
        (
            "VI-01",
            {"value": [1.0, 0.97]},
            "ours 1, 0.97  at least 0.99, 0.98  differs",
        ),
        (
            "SL-10",
            {"value": np.arange(20), "ok": np.bool_(False)},
            "ours 0, 1, 2, 3, 4, 5, 6, 7, ... (20)  by rule  differs",
        ),
        (
            "SL-10",
            {"value": [True, False], "ok": True},
            "ours yes, no  by rule  rep",
        ),
    ],
)
def test_record_prints_one_rounded_line(capsys, id, arguments, line):
    verdict = claims.record(id, **arguments)
    said = capsys.readouterr().out
    assert (
        line in said
        and said.endswith(f"  {verdict}\n")
        and said.count("\n") == 1
    )


def test_fragment(fragment, monkeypatch):
    monkeypatch.setenv("TOOLKIT_CLAIMS_SOURCE", "01_lesson")
    claims.start(seed=np.int64(0), scale="paper")
    value = np.array([0.0212345, 0.033333333])
    claims.record(
        "GM-03", value, note="two\n planes", spread=[0.001, 0.00200004]
    )
    assert fragment("GM-03") == {
        "id": "GM-03",
        "published": [0.02, 0.033],
        "measured": [0.02123, 0.03333],
        "tol": 0.01,
        "spread": [0.001, 0.002],
        "verdict": "reproduced",
        "note": "two planes",
        "seed": 0,
        "scale": "paper",
        "data": {"iris": "iris________"},
        "source": "01_lesson",
    }


@mark.parametrize("how", ["substituted", "absent"])
def test_missing_data_have_no_verdict(at_hand, fragment, capsys, how):
    at_hand[how].add("medical")
    assert claims.record("SL-13", math.nan) == "not checked"
    assert claims.record("SL-07", 0.459) == "reproduced"
    line = "SL-13  not checked: no data (medical)\n"
    assert capsys.readouterr().out.startswith(line)
    left = fragment("SL-13")
    assert (left["verdict"], left["reason"]) == (
        "not checked",
        "no data (medical)",
    )
    assert "measured" not in left


def test_optional_data_may_be_absent_but_never_replaced(at_hand, fragment):
    at_hand["absent"].add("letter")
    assert claims.record("VI-05", 10, ok=True) == "reproduced"
    assert set(fragment("VI-05")["data"]) == {"usps", "phoneme"}
    at_hand["substituted"].add("phoneme")
    assert claims.record("VI-05", 10, ok=True) == "not checked"


def test_unpublished_data_give_no_verdict(fragment):
    assert claims.record("RE-05", [0.1, 0.2], note="on wine") == "not checked"
    left = fragment("RE-05")
    assert left["measured"] == [0.1, 0.2]
    assert left["reason"] == "the data were never published"


@fixture
def read_twice(monkeypatch):
    """SL-10 as a claim of two readings, of which the first decides."""
    main = Reading(
        name="all", source="it says all", decides="it is what the text says"
    )
    other = Reading(name="some", source="-")
    claim = replace(claims.find("SL-10"), readings=(main, other))
    monkeypatch.setattr("toolkit.claims.recording.find", lambda id: claim)


def test_the_main_reading_decides(read_twice, fragment, capsys):
    both = {
        "some": {"value": 0.3, "ok": False, "spread": 0.1},
        "all": {"value": [0.9, 0.7], "ok": True},
    }
    assert claims.record("SL-10", readings=both, note="two") == "reproduced"
    line = "ours 0.9, 0.7  by rule  reproduced (1 of 2 readings)\n"
    assert capsys.readouterr().out.endswith(line)
    left = fragment("SL-10")
    assert left["measured"] == [0.9, 0.7] and "spread" not in left
    some = {"measured": 0.3, "verdict": "differs", "spread": 0.1}
    assert left["readings"]["some"] == some


@mark.parametrize(
    "arguments",
    [
        {"value": 0.9, "ok": True},
        {"readings": {"all": {"value": 1, "ok": True}}},
    ],
)
def test_all_readings_are_necessary(read_twice, arguments):
    with raises(
        ValueError, match="SL-10: `readings` must be those of .*'all', 'some'"
    ):
        claims.record("SL-10", **arguments)


@mark.parametrize(
    "argument, value", [("value", 0.9), ("ok", True), ("spread", 0.1)]
)
def test_nothing_is_given_beside_readings(read_twice, argument, value):
    readings = dict.fromkeys(["all", "some"], {"value": 1, "ok": True})
    with raises(
        ValueError,
        match=f"SL-10: `{argument}` must not be given beside `readings`.* {value}",
    ):
        claims.record("SL-10", readings=readings, **{argument: value})


REFUSALS = [
    ("SL-10", "`ok` must be True or False", {"value": 0.9, "ok": 1}),
    ("SL-07", "`ok` must be True or False where", {"value": 0.459, "ok": True}),
    (
        "SL-07",
        "`readings` must be",
        {"readings": {"mine": {"value": 1, "ok": True}}},
    ),
    ("SL-7", "`id` must be one of claims.toml", {"value": 1.0}),
    *(
        ("SL-07", "`value` must be a finite number", {"value": value})
        for value in ("0.4", math.inf, [], [[0.1]], [0.1, [0.2]])
    ),
    (
        "GM-03",
        "`value` must not have masked entries.* Leave them out",
        {"value": np.ma.array([0.02, 0.03], mask=[0, 1])},
    ),
    (
        "GM-03",
        "`spread` must not have masked entries",
        {"value": [0.02, 0.03], "spread": np.ma.array([1, 2], mask=[0, 1])},
    ),
    ("SL-07", "`value` must have the shape", {"value": [0.458]}),
    ("GM-03", "`spread` must be", {"value": [0.02, 0.03], "spread": math.inf}),
    (
        "FI-11",
        "cannot be measured .the data were never published.",
        {"value": 0.1},
    ),
]


@mark.parametrize("id, message, arguments", REFUSALS)
def test_what_is_no_measurement_is_an_error(id, message, arguments):
    with raises(ValueError, match=message):
        claims.record(id, **arguments)
