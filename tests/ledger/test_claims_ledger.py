"""Merging fragments into the stored ledger, comparing runs, tables and the command."""

import json

import pytest

from toolkit import claims
from toolkit.claims import show
from toolkit.core.files import write_json


def fragment(folder, id="SL-07", **fields):
    entry = {"id": id, "published": 0.458, "measured": 0.4589, "tol": 0.005, "verdict": "reproduced"}
    entry |= {"scale": "default", "data": {"scene": "1140deda4fa3"}, "source": "01_lesson"} | fields
    entry = {key: value for key, value in entry.items() if value is not None}
    write_json(folder / entry["source"] / f"{id}.json", entry)


def no_data(folder, id="SL-07", **fields):
    fragment(folder, id, measured=None, tol=None, verdict="not checked", reason="no data (scene)", **fields)


@pytest.fixture
def ledger(tmp_path):
    """Path of a ledger in which SL-07 was reproduced at default scale."""
    fragment(tmp_path / "first")
    claims.merge(tmp_path / "first", tmp_path / "figures" / "claims.json")
    return tmp_path / "figures" / "claims.json"


def test_every_claim_is_listed(ledger):
    stored = json.loads(ledger.read_text())
    assert set(stored) == set(claims.load()) and len(stored) == 191
    assert stored["SL-07"] == {
        "published": 0.458,
        "measured": 0.4589,
        "tol": 0.005,
        "verdict": "reproduced",
        "scale": "default",
        "data": {"scene": "1140deda4fa3"},
        "source": "01_lesson",
    }
    assert stored["SL-08"] == {"published": 0.015, "verdict": "not checked", "reason": "not measured yet"}
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
    assert changes == {"SL-07": ("reproduced", "differs"), "SL-08": ("not checked", "differs")}
    assert claims.committed(ledger)["SL-07"]["verdict"] == "differs"


@pytest.mark.parametrize("old", claims.claim.SCALES)
@pytest.mark.parametrize("new", claims.claim.SCALES)
def test_a_smaller_scale_never_replaces_a_larger(tmp_path, old, new):
    path = tmp_path / "claims.json"
    fragment(tmp_path / "old", scale=old, measured=0.1)
    claims.merge(tmp_path / "old", path)
    fragment(tmp_path / "new", scale=new, measured=0.2)
    claims.merge(tmp_path / "new", path)
    scales = ["quick", "default", "paper"]
    assert claims.committed(path)["SL-07"]["measured"] == (0.2 if scales.index(new) >= scales.index(old) else 0.1)


@pytest.mark.parametrize("scale", claims.claim.SCALES)
def test_missing_data_never_replace_a_measurement(ledger, tmp_path, scale):
    before = ledger.read_bytes()
    no_data(tmp_path / "second", scale=scale)
    assert claims.merge(tmp_path / "second", ledger) == {}
    assert ledger.read_bytes() == before


def test_missing_data_say_why_nothing_is_known(ledger, tmp_path):
    no_data(tmp_path / "second", "SL-08")
    claims.merge(tmp_path / "second", ledger)
    assert claims.committed(ledger)["SL-08"]["reason"] == "no data (scene)"
    claims.merge([], ledger)
    assert claims.committed(ledger)["SL-08"]["reason"] == "no data (scene)"
    fragment(tmp_path / "third", "SL-08", scale="quick")
    claims.merge(tmp_path / "third", ledger)
    assert "reason" not in claims.committed(ledger)["SL-08"]


def test_one_claim_has_one_home(ledger, tmp_path):
    fragment(tmp_path / "second", source="01_lesson")
    fragment(tmp_path / "second", source="tests/claims/test_01.py", measured=0.2)
    with pytest.raises(ValueError, match="SL-07 is measured twice at default scale, by 01_lesson and tests"):
        claims.merge(tmp_path / "second", ledger)
    assert claims.committed(ledger)["SL-07"]["measured"] == 0.4589


def test_of_two_fragments_the_larger_scale_counts(tmp_path):
    fragment(tmp_path, source="a", scale="quick", measured=0.1)
    fragment(tmp_path, source="b", scale="paper", measured=0.2)
    no_data(tmp_path, source="c", scale="paper")
    assert claims.read_fragments(tmp_path)["SL-07"]["measured"] == 0.2
    claims.merge(tmp_path, tmp_path / "out" / "claims.json")
    assert claims.committed(tmp_path / "out" / "claims.json")["SL-07"]["scale"] == "paper"


def fields(name, value):
    return f'{{"id": "SL-07", "verdict": "differs", "scale": "default", "measured": 0.4, "{name}": {value}}}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "XX-01", "verdict": "differs", "scale": "default"}', "its id is 'XX-01'"),
        ('{"id": ["SL-07"], "verdict": "differs", "scale": "default"}', r"its id is \['SL-07'\]"),
        ('{"id": "SL-07", "verdict": "fine", "scale": "default"}', "the verdict of SL-07 is 'fine'"),
        ('{"id": "SL-07", "verdict": "differs", "reason": "none"}', "the scale of SL-07 is None"),
        ('{"id": "SL-07", "verdict": "differs", "scale": "default"}', "the reason of SL-07 is None"),
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
    with pytest.raises(ValueError, match=message) as error:
        claims.merge(tmp_path / "second", ledger)
    assert "stray.json" in str(error.value)
    assert ledger.read_bytes() == before


@pytest.mark.parametrize(
    "entry", ["5", '"x"', "[]", "{}", '{"verdict": "great"}', '{"verdict": "differs", "measured": 1}']
)
def test_a_ledger_that_was_damaged_is_refused(tmp_path, entry):
    (tmp_path / "claims.json").write_text(f'{{"SL-07": {entry}}}')
    with pytest.raises(ValueError, match=r"claims.json must hold what .* leaves; the \w+ of SL-07 is"):
        claims.committed(tmp_path / "claims.json")


def test_committed_without_a_ledger(tmp_path):
    stored = claims.committed(tmp_path / "none.json")
    assert len(stored) == 191
    assert {entry["verdict"] for entry in stored.values()} == {"not checked"}


def test_stored_verdicts_follow_from_the_stored_numbers():
    """A rule that was changed after the measurement, or a verdict edited by hand, shows here."""
    for id, entry in claims.committed().items():
        claim = claims.find(id)
        assert entry["published"] == claim.published, f"{id}: measure it again"
        if "measured" in entry and claim.available:
            assert entry.get("tol") == claim.tol, f"{id}: measure it again"
            if claim.compare != "rule":
                assert claims.judge(claim, entry["measured"]) == entry["verdict"], f"{id}: measure it again"


ORDER = ["reproduced", "differs", "not checked"]


@pytest.mark.parametrize("before", ORDER)
@pytest.mark.parametrize("after", ORDER)
def test_worse_means_further_down(before, after):
    stored = {"SL-07": {"verdict": before}}
    fresh = {"SL-07": {"verdict": after, "measured": 0.4}}
    step = ORDER.index(after) - ORDER.index(before)
    assert claims.ledger.compare_runs(stored, fresh) == {
        "SL-07": "worse" if step > 0 else "better" if step < 0 else "same"
    }
    assert claims.check(stored, fresh) == (["SL-07"] if step > 0 else [])


def test_missing_data_are_not_worse():
    stored, fresh = ({"SL-07": {"verdict": "reproduced"}}, {"SL-07": {"verdict": "not checked", "reason": "no data"}})
    assert claims.ledger.compare_runs(stored, fresh) == {"SL-07": "no data"}
    assert claims.check(stored, fresh) == []
    assert claims.check(stored, {}) == []


def test_rows(ledger, tmp_path):
    fragment(tmp_path / "run", measured=0.44, verdict="differs", scale="quick", spread=0.01, note="fewer samples")
    no_data(tmp_path / "run", "SL-08")
    rows = claims.table(claims.committed(ledger), claims.read_fragments(tmp_path / "run"), only=["SL-07", "SL-08"])
    assert [row["id"] for row in rows] == ["SL-07", "SL-08"]
    assert (
        rows[0]["published"] == "0.458" and rows[0]["stored"] == "0.4589" and rows[0]["run"] == "0.44 +- 0.01 (quick)"
    )
    assert (rows[0]["stored_verdict"], rows[0]["run_verdict"]) == ("reproduced", "differs")
    assert (rows[0]["verdict"], rows[0]["change"], rows[0]["remark"]) == ("differs", "worse", "fewer samples")
    assert (rows[1]["stored"], rows[1]["run"], rows[1]["change"]) == ("", "no data (scene)", "no data")
    assert rows[1]["remark"] == "not measured yet"


def test_of_no_entries_none_is_out_of_date():
    assert show.stale_table({}) == "Of 0 stored entries none is out of date."


def test_only_must_fit():
    with pytest.raises(ValueError, match="`only` must be the beginning of a claim's id .SL, LE, SE"):
        claims.table(claims.committed(), only="XY")
    for only in (5, [5], [None], b"SL"):
        with pytest.raises(ValueError, match="`only` must be the beginning of a claim's id"):
            claims.table(claims.committed(), only=only)


def test_plain_text(ledger):
    text = claims.format_table(claims.table(claims.committed(ledger)), width=140)
    lines = text.splitlines()
    assert lines[0].split() == ["claim", "says", "paper", "stored", "this", "run", "tolerance", "verdict"]
    assert max(map(len, lines)) <= 140
    (line,) = [line for line in lines if line.startswith("SL-07")]
    assert line.split()[-5:] == ["0.458", "0.4589", "tol", "0.005", "reproduced"]
    assert lines[-1].split() == ["all", "1", "0", "190", "191"]


def test_summary_counts_by_paper(ledger):
    counts = claims.summary(claims.table(claims.committed(ledger)))
    assert counts["kudo"] == {"reproduced": 1, "differs": 0, "not checked": 29}
    assert counts["schulz"]["not checked"] == 33 + 27 + 35 + 8
    assert list(counts) == ["kudo", "sleml", "self", "gmlvq", "schulz", "all"]


@pytest.fixture
def command(ledger, monkeypatch, capsys):
    """Function arguments -> exit code and output of the command, on the ledger of this test."""
    monkeypatch.setattr(show, "committed", lambda: claims.committed(ledger))

    def run(*arguments):
        try:
            code = claims.main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        return code, *capsys.readouterr()

    return run


def test_command_prints_the_ledger(command):
    code, out, _ = command("--only", "SL", "--only", "LE-1")
    assert code == 0 and "SL-07" in out and "LE-16" in out and "LE-01" not in out
    code, out, _ = command("--json", "--only", "SL-07")
    assert code == 0 and json.loads(out)[0]["stored"] == "0.4589"


def test_command_checks_the_last_run(command, tmp_path):
    fragment(tmp_path / "run")
    no_data(tmp_path / "run", "SL-13")
    assert command("--check", "--fragments", tmp_path / "run")[0] == 0
    fragment(tmp_path / "run", measured=0.4, verdict="differs")
    code, _, err = command("--check", "--fragments", tmp_path / "run")
    assert code == 1 and err == "SL-07 got worse: reproduced is stored, this run differs.\n"
    assert command("--fragments", tmp_path / "run")[0] == 0
    assert command("--check", "--only", "SL-08", "--fragments", tmp_path / "run")[0] == 0


def test_command_refuses_wrong_use(command, tmp_path):
    assert command("--frobnicate")[0] == 2
    code, _, err = command("--only", "XY")
    assert code == 2 and "beginning of a claim's id" in err
    code, _, err = command("--check", "--fragments", tmp_path / "none")
    assert code == 2 and "no results of a run" in err
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "x.json").write_text("{}")
    code, _, err = command("--fragments", tmp_path / "bad")
    assert code == 2 and "must be a fragment" in err
