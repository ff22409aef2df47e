"""Merging fragments into the stored ledger, comparing runs, tables and the command."""

import json

from pytest import fixture, mark, raises

from toolkit import claims
from toolkit.claims import show
from toolkit.claims.show import table_markup, text_table
from toolkit.core.files import write_json

FRAGMENT = {
    "published": 0.458,
    "measured": 0.4589,
    "tol": 0.005,
    "verdict": "reproduced",
    "scale": "default",
    "data": {"scene": "1140deda4fa3"},
    "source": "01_lesson",
}
MISSING = {
    "measured": None,
    "tol": None,
    "verdict": "not checked",
    "reason": "no data (scene)",
}
ORDER = ["reproduced", "differs", "not checked"]


def fragment(folder, id="SL-07", **fields):
    whole = {"id": id} | FRAGMENT | fields
    entry = {key: whole[key] for key in whole if whole[key] is not None}
    write_json(folder / entry["source"] / f"{id}.json", entry)


@fixture
def ledger(tmp_path):
    """Path of a ledger in which SL-07 was reproduced at default scale."""
    fragment(tmp_path / "first")
    claims.merge(tmp_path / "first", tmp_path / "figures" / "claims.json")
    return tmp_path / "figures" / "claims.json"


def test_the_ledger_has_all_claims_in_a_deterministic_file(ledger, tmp_path):
    before = ledger.read_bytes()
    stored = json.loads(before)
    assert before.endswith(b"}\n") and list(stored) == sorted(claims.load())
    assert stored["SL-07"] == FRAGMENT
    blank = {"verdict": "not checked", "reason": "not measured yet"}
    assert stored["SL-08"] == {"published": 0.015} | blank
    assert stored["RE-05"]["reason"] == "the data were never published"
    for folders in (tmp_path / "first", []):
        assert claims.merge(folders, ledger) == {}
        assert ledger.read_bytes() == before


def test_merging_returns_what_is_another_verdict(ledger, tmp_path):
    fragment(tmp_path / "second", measured=0.4, verdict="differs")
    fragment(tmp_path / "second", "SL-08", measured=0.119, verdict="differs")
    assert claims.merge([tmp_path / "second"], ledger) == {
        "SL-07": ("reproduced", "differs"),
        "SL-08": ("not checked", "differs"),
    }
    assert claims.stored_ledger(ledger)["SL-07"]["verdict"] == "differs"


@mark.parametrize(
    "scale, replaces", [("quick", False), ("default", True), ("paper", True)]
)
def test_a_smaller_scale_and_missing_data_never_replace_a_measurement(
    ledger, tmp_path, scale, replaces
):
    fragment(tmp_path / "second", scale=scale, **MISSING)
    assert claims.merge(tmp_path / "second", ledger) == {}
    fragment(tmp_path / "third", scale=scale, measured=0.2)
    claims.merge(tmp_path / "third", ledger)
    measured = claims.stored_ledger(ledger)["SL-07"]["measured"]
    assert measured == (0.2 if replaces else 0.4589)


def test_a_measurement_on_other_data_than_the_papers_stays(ledger, tmp_path):
    never = {"reason": "the data were never published", "verdict": "not checked"}
    fragment(tmp_path / "second", "RE-05", measured=[0.1, 0.2], **never)
    claims.merge(tmp_path / "second", ledger)
    assert claims.merge([], ledger) == {}
    assert claims.stored_ledger(ledger)["RE-05"]["measured"] == [0.1, 0.2]


def test_missing_data_are_a_reason(ledger, tmp_path):
    fragment(tmp_path / "second", "SL-08", **MISSING)
    for folders in (tmp_path / "second", []):
        claims.merge(folders, ledger)
        assert claims.stored_ledger(ledger)["SL-08"]["reason"] == "no data (scene)"
    fragment(tmp_path / "third", "SL-08", scale="quick")
    claims.merge(tmp_path / "third", ledger)
    assert "reason" not in claims.stored_ledger(ledger)["SL-08"]


def test_one_claim_has_one_home(ledger, tmp_path):
    fragment(tmp_path / "second", source="01_lesson")
    fragment(tmp_path / "second", source="tests/claims/test_01.py", measured=0.2)
    message = "SL-07 is measured twice at default scale, by 01_lesson and tests"
    with raises(ValueError, match=message):
        claims.merge(tmp_path / "second", ledger)
    assert claims.stored_ledger(ledger)["SL-07"]["measured"] == 0.4589


def test_of_two_fragments_the_larger_scale_counts(tmp_path):
    fragment(tmp_path, source="a", scale="quick", measured=0.1)
    fragment(tmp_path, source="b", scale="paper", measured=0.2)
    fragment(tmp_path, source="c", scale="paper", **MISSING)
    assert claims.read_fragments(tmp_path)["SL-07"]["measured"] == 0.2
    ledger = tmp_path / "out" / "claims.json"
    claims.merge(tmp_path, ledger)
    assert claims.stored_ledger(ledger)["SL-07"]["scale"] == "paper"


@mark.parametrize(
    "fields, message",
    [
        ({"id": "XX-01"}, "its id is 'XX-01'"),
        ({"id": ["SL-07"]}, r"its id is \['SL-07'\]"),
        ({"verdict": "fine"}, "the verdict of SL-07 is 'fine'"),
        ({"scale": None, "measured": None, "reason": "none"}, "scale of SL-07 is None"),
        ({"measured": None}, "the reason of SL-07 is None"),
        ({"measured": "x"}, "the measured of SL-07 is 'x'"),
        ({"measured": float("nan")}, "the measured of SL-07 is nan"),
        ({"measured": [1, float("inf")]}, "the measured of SL-07 is .1, inf"),
        ({"spread": "x"}, "the spread of SL-07 is 'x'"),
        ({"note": []}, r"the note of SL-07 is \[\]"),
        ("[" * 100_000, "must be a JSON file"),
        ('{"id": "SL-07"', "must be a JSON file"),
        ("[1, 2]", "one JSON object; got a list"),
    ],
)
def test_foreign_files_are_an_error(ledger, tmp_path, fields, message):
    before = ledger.read_bytes()
    if isinstance(fields, dict):
        whole = {"id": "SL-07"} | FRAGMENT | fields
        fields = json.dumps({k: whole[k] for k in whole if whole[k] is not None})
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "stray.json").write_text(fields)
    with raises(ValueError, match=message) as error:
        claims.merge(tmp_path / "second", ledger)
    assert "stray.json" in str(error.value)
    assert ledger.read_bytes() == before


@mark.parametrize(
    "entry",
    ["5", "{}", '{"verdict": "great"}', '{"verdict": "differs", "measured": 1}'],
)
def test_a_damaged_ledger_is_an_error(tmp_path, entry):
    path = tmp_path / "claims.json"
    path.write_text(f'{{"SL-07": {entry}}}')
    message = r"claims.json must hold what .* leaves; the \w+ of SL-07 is"
    with raises(ValueError, match=message):
        claims.stored_ledger(path)


def test_stored_verdicts_follow_from_the_stored_numbers():
    """A rule that was changed since, or a verdict edited in the file, is found."""
    for id, entry in claims.stored_ledger().items():
        claim = claims.find(id)
        assert entry["published"] == claim.published, f"{id}: measure it again"
        if "measured" in entry and claim.available:
            assert entry.get("tol") == claim.tol, f"{id}: measure it again"
            if claim.compare != "rule":
                verdict = claims.judge(claim, entry["measured"])
                assert verdict == entry["verdict"], f"{id}: measure it again"


@mark.parametrize("before", ORDER)
@mark.parametrize("after", ORDER)
def test_worse_means_further_down(before, after):
    stored = {"SL-07": {"verdict": before}}
    run = {"SL-07": {"verdict": after, "measured": 0.4}}
    is_worse = ORDER.index(after) > ORDER.index(before)
    change = "worse" if is_worse else "same" if before == after else "better"
    assert claims.ledger.compare_runs(stored, run) == {"SL-07": change}
    assert claims.check(stored, run) == (["SL-07"] if is_worse else [])
    missing = {"SL-07": {"verdict": "not checked", "reason": "no data"}}
    assert claims.ledger.compare_runs(stored, missing) == {"SL-07": "no data"}
    assert claims.check(stored, missing) == claims.check(stored, {}) == []


def test_rows(ledger, tmp_path):
    numbers = {"measured": 0.44, "spread": 0.01, "scale": "quick"}
    fragment(tmp_path / "run", verdict="differs", note="fewer samples", **numbers)
    fragment(tmp_path / "run", "SL-08", **MISSING)
    run = claims.read_fragments(tmp_path / "run")
    first, second = claims.table(claims.stored_ledger(ledger), run, ["SL-07", "SL-08"])
    expected = {
        "id": "SL-07",
        "published": "0.458",
        "stored": "0.4589",
        "run": "0.44 +- 0.01 (quick)",
        "stored_verdict": "reproduced",
        "run_verdict": "differs",
        "verdict": "differs",
        "change": "worse",
        "remark": "fewer samples",
    }
    assert {field: first[field] for field in expected} == expected
    fields = ("id", "stored", "run", "change", "remark")
    expected = ["SL-08", "", "no data (scene)", "no data", "not measured yet"]
    assert [second[field] for field in fields] == expected


def test_only_must_fit():
    message = "`only` must be the beginning of a claim's id .SL, LE, SE"
    for only in ("XY", 5, [5], [None], b"SL"):
        with raises(ValueError, match=message):
            claims.table(claims.stored_ledger(), only=only)


def test_plain_text(ledger):
    lines = claims.format_table(claims.table(claims.stored_ledger(ledger))).splitlines()
    assert max(map(len, lines)) <= 160
    [line] = [line for line in lines if line.startswith("SL-07")]
    assert line.split()[-5:] == ["0.458", "0.4589", "tol", "0.005", "reproduced"]
    counts = [line.split() for line in lines[-6:]]
    assert [paper for paper, *_ in counts] == [*claims.PAPERS, "all"]
    assert counts[0][1:] == ["1", "0", "29", "30"]
    assert counts[-1][1:] == ["1", "0", "190", "191"]


@fixture
def command(ledger, monkeypatch, capsys):
    """Function (words) -> exit code, output and errors of the command, on `ledger`."""
    monkeypatch.setattr(show, "stored_ledger", lambda: claims.stored_ledger(ledger))

    def run(words):
        try:
            code = claims.main(words.split())
        except SystemExit as stop:
            code = stop.code
        return code, *capsys.readouterr()

    return run


def test_command_prints_the_ledger(command, monkeypatch):
    code, out, _ = command("--only SL --only LE-1")
    assert code == 0 and "SL-07" in out and "LE-16" in out and "LE-01" not in out
    code, out, _ = command("--json --only SL-07")
    assert code == 0 and json.loads(out)[0]["stored"] == "0.4589"
    monkeypatch.setattr(show, "why_stale", lambda id, entry: "")
    _, out, _ = command("--stale --only SL-07")
    assert out == "Of 1 stored entries none is out of date.\n"


def test_command_checks_the_last_run(command, tmp_path):
    run = tmp_path / "run"
    fragment(run)
    fragment(run, "SL-13", **MISSING)
    assert command(f"--check --fragments {run}")[0] == 0
    fragment(run, measured=0.4, verdict="differs")
    code, _, err = command(f"--check --fragments {run}")
    assert code == 1
    assert err == "SL-07 got worse: reproduced is stored, this run differs.\n"
    assert command(f"--fragments {run}")[0] == 0
    assert command(f"--check --only SL-08 --fragments {run}")[0] == 0


def test_command_refuses_wrong_use(command, tmp_path):
    write_json(tmp_path / "bad" / "x.json", {})
    for words, message in {
        "--frobnicate": "unrecognized",
        "--only XY": "beginning of a claim's id",
        f"--check --fragments {tmp_path / 'none'}": "no results of a run",
        f"--fragments {tmp_path / 'bad'}": "must be a fragment",
    }.items():
        code, _, err = command(words)
        assert code == 2 and message in err


def test_columns_are_aligned_and_rows_fit_the_header():
    lines = text_table(["a", "b"], [["1", "22"], ["333", "4"]]).splitlines()
    assert lines == ["a    b", "---  --", "1    22", "333  4"]
    with raises(ValueError):
        text_table(["a", "b"], [["1", "2"], ["3"]])


def test_markup_names_rows_and_columns_and_escapes_cells():
    markup = table_markup(["set", "<rows>"], [["a & b", '<td on="x">']], "a < b")
    assert markup.splitlines() == [
        "<table>",
        "<caption>a &lt; b</caption>",
        '<thead><tr><th scope="col">set</th>'
        '<th scope="col">&lt;rows&gt;</th></tr></thead>',
        "<tbody>",
        '<tr><th scope="row">a &amp; b</th><td>&lt;td on=&quot;x&quot;&gt;</td></tr>',
        "</tbody>",
        "</table>",
    ]
