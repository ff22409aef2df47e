"""Merging fragments into the stored ledger, comparing runs, tables and the command."""

import json

from pytest import fixture, mark, raises

from toolkit import claims
from toolkit.claims import show
from toolkit.core.files import write_json

FRAGMENT = {
    "published": 0.458,
    "measured": 0.4589,
    "tol": 0.005,
    "verdict": "reproduced",
    "scale": "default",
}
FRAGMENT |= {"data": {"scene": "1140deda4fa3"}, "source": "01_lesson"}
ORDER = ["reproduced", "differs", "not checked"]


def fragment(folder, id="SL-07", **fields):
    entry = {
        key: value
        for key, value in ({"id": id} | FRAGMENT | fields).items()
        if value is not None
    }
    write_json(folder / entry["source"] / f"{id}.json", entry)


def no_data(folder, id="SL-07", **fields):
    fragment(
        folder,
        id,
        measured=None,
        tol=None,
        verdict="not checked",
        reason="no data (scene)",
        **fields,
    )


@fixture
def ledger(tmp_path):
    """Path of a ledger in which SL-07 was reproduced at default scale."""
    fragment(tmp_path / "first")
    claims.merge(tmp_path / "first", tmp_path / "figures" / "claims.json")
    return tmp_path / "figures" / "claims.json"


def test_every_claim_is_listed(ledger):
    stored = json.loads(ledger.read_text())
    assert len(stored) == 191
    assert stored["SL-07"] == FRAGMENT
    assert stored["SL-08"] == {
        "published": 0.015,
        "verdict": "not checked",
        "reason": "not measured yet",
    }
    assert stored["RE-05"]["reason"] == "the data were never published"


def test_the_file_is_deterministic(ledger, tmp_path):
    before = ledger.read_bytes()
    assert before.endswith(b"}\n") and list(json.loads(before)) == sorted(claims.load())
    assert claims.merge(tmp_path / "first", ledger) == {}
    assert claims.merge([], ledger) == {}
    assert ledger.read_bytes() == before


def test_changes_are_reported(ledger, tmp_path):
    fragment(tmp_path / "second", measured=0.4, verdict="differs")
    fragment(tmp_path / "second", "SL-08", measured=0.119, verdict="differs")
    changes = claims.merge([tmp_path / "second"], ledger)
    assert changes == {
        "SL-07": ("reproduced", "differs"),
        "SL-08": ("not checked", "differs"),
    }
    assert claims.stored_ledger(ledger)["SL-07"]["verdict"] == "differs"


@mark.parametrize(
    ("scale", "replaces"), [("quick", False), ("default", True), ("paper", True)]
)
def test_a_smaller_scale_and_missing_data_never_replace_a_measurement(
    ledger, tmp_path, scale, replaces
):
    before = ledger.read_bytes()
    no_data(tmp_path / "second", scale=scale)
    assert (
        claims.merge(tmp_path / "second", ledger) == {}
        and ledger.read_bytes() == before
    )
    fragment(tmp_path / "third", scale=scale, measured=0.2)
    claims.merge(tmp_path / "third", ledger)
    assert claims.stored_ledger(ledger)["SL-07"]["measured"] == (
        0.2 if replaces else 0.4589
    )


def test_a_measurement_on_other_data_than_the_papers_stays(ledger, tmp_path):
    never = {"reason": "the data were never published", "verdict": "not checked"}
    fragment(tmp_path / "second", "RE-05", measured=[0.1, 0.2], **never)
    claims.merge(tmp_path / "second", ledger)
    assert claims.merge([], ledger) == {} and claims.stored_ledger(ledger)["RE-05"][
        "measured"
    ] == [0.1, 0.2]


def test_missing_data_say_why_nothing_is_known(ledger, tmp_path):
    no_data(tmp_path / "second", "SL-08")
    claims.merge(tmp_path / "second", ledger)
    assert claims.stored_ledger(ledger)["SL-08"]["reason"] == "no data (scene)"
    claims.merge([], ledger)
    assert claims.stored_ledger(ledger)["SL-08"]["reason"] == "no data (scene)"
    fragment(tmp_path / "third", "SL-08", scale="quick")
    claims.merge(tmp_path / "third", ledger)
    assert "reason" not in claims.stored_ledger(ledger)["SL-08"]


def test_one_claim_has_one_home(ledger, tmp_path):
    fragment(tmp_path / "second", source="01_lesson")
    fragment(tmp_path / "second", source="tests/claims/test_01.py", measured=0.2)
    with raises(
        ValueError,
        match="SL-07 is measured twice at default scale, by 01_lesson and tests",
    ):
        claims.merge(tmp_path / "second", ledger)
    assert claims.stored_ledger(ledger)["SL-07"]["measured"] == 0.4589


def test_of_two_fragments_the_larger_scale_counts(tmp_path):
    fragment(tmp_path, source="a", scale="quick", measured=0.1)
    fragment(tmp_path, source="b", scale="paper", measured=0.2)
    no_data(tmp_path, source="c", scale="paper")
    assert claims.read_fragments(tmp_path)["SL-07"]["measured"] == 0.2
    claims.merge(tmp_path, tmp_path / "out" / "claims.json")
    assert (
        claims.stored_ledger(tmp_path / "out" / "claims.json")["SL-07"]["scale"]
        == "paper"
    )


def fields(name, value):
    return f'{{"id": "SL-07", "verdict": "differs", "scale": "default", "measured": 0.4, "{name}": {value}}}'


@mark.parametrize(
    ("text", "message"),
    [
        (
            '{"id": "XX-01", "verdict": "differs", "scale": "default"}',
            "its id is 'XX-01'",
        ),
        (
            '{"id": ["SL-07"], "verdict": "differs", "scale": "default"}',
            r"its id is \['SL-07'\]",
        ),
        (
            '{"id": "SL-07", "verdict": "fine", "scale": "default"}',
            "the verdict of SL-07 is 'fine'",
        ),
        (
            '{"id": "SL-07", "verdict": "differs", "reason": "none"}',
            "the scale of SL-07 is None",
        ),
        (
            '{"id": "SL-07", "verdict": "differs", "scale": "default"}',
            "the reason of SL-07 is None",
        ),
        (fields("measured", '"x"'), "the measured of SL-07 is 'x'"),
        (fields("measured", "NaN"), "the measured of SL-07 is nan"),
        (fields("measured", "[1, 1e400]"), "the measured of SL-07 is .1, inf"),
        (fields("spread", '"x"'), "the spread of SL-07 is 'x'"),
        (fields("note", "[]"), r"the note of SL-07 is \[\]"),
        ("[" * 100_000, "must be a JSON file"),
        ('{"id": "SL-07"', "must be a JSON file"),
        ("[1, 2]", "one JSON object; got a list"),
    ],
)
def test_foreign_files_are_refused(ledger, tmp_path, text, message):
    before = ledger.read_bytes()
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "stray.json").write_text(text)
    with raises(ValueError, match=message) as error:
        claims.merge(tmp_path / "second", ledger)
    assert "stray.json" in str(error.value)
    assert ledger.read_bytes() == before


@mark.parametrize(
    "entry",
    ["5", "{}", '{"verdict": "great"}', '{"verdict": "differs", "measured": 1}'],
)
def test_a_ledger_that_was_damaged_is_refused(tmp_path, entry):
    (tmp_path / "claims.json").write_text(f'{{"SL-07": {entry}}}')
    with raises(
        ValueError, match=r"claims.json must hold what .* leaves; the \w+ of SL-07 is"
    ):
        claims.stored_ledger(tmp_path / "claims.json")


def test_stored_verdicts_follow_from_the_stored_numbers():
    """A rule that was changed after the measurement, or a verdict edited by hand, shows here."""
    for id, entry in claims.stored_ledger().items():
        claim = claims.find(id)
        assert entry["published"] == claim.published, f"{id}: measure it again"
        if "measured" in entry and claim.available:
            assert entry.get("tol") == claim.tol, f"{id}: measure it again"
            if claim.compare != "rule":
                assert claims.judge(claim, entry["measured"]) == entry["verdict"], (
                    f"{id}: measure it again"
                )


@mark.parametrize("before", ORDER)
@mark.parametrize("after", ORDER)
def test_worse_means_further_down(before, after):
    stored, run = {"SL-07": {"verdict": before}}, {"verdict": after, "measured": 0.4}
    is_worse = ORDER.index(after) > ORDER.index(before)
    change = "worse" if is_worse else "same" if before == after else "better"
    assert claims.ledger.compare_runs(stored, {"SL-07": run}) == {"SL-07": change}
    assert claims.check(stored, {"SL-07": run}) == (["SL-07"] if is_worse else [])
    missing = {"SL-07": {"verdict": "not checked", "reason": "no data"}}
    assert claims.ledger.compare_runs(stored, missing) == {"SL-07": "no data"}
    assert claims.check(stored, missing) == claims.check(stored, {}) == []


def test_rows(ledger, tmp_path):
    fragment(
        tmp_path / "run",
        measured=0.44,
        verdict="differs",
        scale="quick",
        spread=0.01,
        note="fewer samples",
    )
    no_data(tmp_path / "run", "SL-08")
    only = ["SL-07", "SL-08"]
    ran, blank = claims.table(
        claims.stored_ledger(ledger), claims.read_fragments(tmp_path / "run"), only
    )
    expected = {
        "id": "SL-07",
        "published": "0.458",
        "stored": "0.4589",
        "run": "0.44 +- 0.01 (quick)",
    }
    expected |= {
        "stored_verdict": "reproduced",
        "run_verdict": "differs",
        "verdict": "differs",
        "change": "worse",
    }
    assert ran | expected | {"remark": "fewer samples"} == ran
    expected = {
        "id": "SL-08",
        "stored": "",
        "run": "no data (scene)",
        "change": "no data",
    }
    assert blank | expected | {"remark": "not measured yet"} == blank


def test_only_must_fit():
    for only in ("XY", 5, [5], [None], b"SL"):
        with raises(
            ValueError, match="`only` must be the beginning of a claim's id .SL, LE, SE"
        ):
            claims.table(claims.stored_ledger(), only=only)


def test_plain_text(ledger):
    lines = claims.format_table(claims.table(claims.stored_ledger(ledger))).splitlines()
    assert max(map(len, lines)) <= 160
    (line,) = [line for line in lines if line.startswith("SL-07")]
    assert line.split()[-5:] == ["0.458", "0.4589", "tol", "0.005", "reproduced"]
    counts = [line.split() for line in lines[-6:]]
    assert [paper for paper, *_ in counts] == [
        "kudo",
        "sleml",
        "self",
        "gmlvq",
        "schulz",
        "all",
    ]
    assert counts[0][1:] == ["1", "0", "29", "30"] and counts[-1][1:] == [
        "1",
        "0",
        "190",
        "191",
    ]


@fixture
def command(ledger, monkeypatch, capsys):
    """Function arguments -> exit code and output of the command, on the ledger of this test."""
    monkeypatch.setattr(show, "stored_ledger", lambda: claims.stored_ledger(ledger))

    def run(*arguments):
        try:
            code = claims.main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        return code, *capsys.readouterr()

    return run


def test_command_prints_the_ledger(command, monkeypatch):
    code, out, _ = command("--only", "SL", "--only", "LE-1")
    assert code == 0 and "SL-07" in out and "LE-16" in out and "LE-01" not in out
    code, out, _ = command("--json", "--only", "SL-07")
    assert code == 0 and json.loads(out)[0]["stored"] == "0.4589"
    monkeypatch.setattr(show, "why_stale", lambda id, entry: "")
    assert (
        command("--stale", "--only", "SL-07")[1]
        == "Of 1 stored entries none is out of date.\n"
    )


def test_command_checks_the_last_run(command, tmp_path):
    fragment(tmp_path / "run")
    no_data(tmp_path / "run", "SL-13")
    assert command("--check", "--fragments", tmp_path / "run")[0] == 0
    fragment(tmp_path / "run", measured=0.4, verdict="differs")
    code, _, err = command("--check", "--fragments", tmp_path / "run")
    assert (
        code == 1
        and err == "SL-07 got worse: reproduced is stored, this run differs.\n"
    )
    assert command("--fragments", tmp_path / "run")[0] == 0
    assert (
        command("--check", "--only", "SL-08", "--fragments", tmp_path / "run")[0] == 0
    )


def test_command_refuses_wrong_use(command, tmp_path):
    write_json(tmp_path / "bad" / "x.json", {})
    for words, says in (
        (["--frobnicate"], "unrecognized"),
        (["--only", "XY"], "beginning of a claim's id"),
        (["--check", "--fragments", tmp_path / "none"], "no results of a run"),
        (["--fragments", tmp_path / "bad"], "must be a fragment"),
    ):
        code, _, err = command(*words)
        assert code == 2 and says in err
