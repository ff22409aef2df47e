"""Merging fragments into the stored ledger, comparing runs, tables and the command."""

import json

from pytest import fixture, mark, raises

from ledger import stale
from ledger.merging import merge
from toolkit import claims
from toolkit.__main__ import main
from toolkit.claims import clone, notebook_table, show
from toolkit.claims.claim import VERDICTS
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
    "missing": ["scene"],
    "reason": "no data (scene)",
}


def fragment(folder, id="SL-07", **fields):
    all_fields = {"id": id} | FRAGMENT | fields
    entry = {
        key: all_fields[key]
        for key in all_fields
        if all_fields[key] is not None
    }
    write_json(folder / entry["source"] / f"{id}.json", entry)


@fixture
def ledger(tmp_path):
    """Path of a ledger in which SL-07 was reproduced at default scale."""
    fragment(tmp_path / "first")
    merge(tmp_path / "first", tmp_path / "figures" / "claims.json")
    return tmp_path / "figures" / "claims.json"


@fixture
def merged(ledger, tmp_path):
    """Function (id, fields of a fragment) -> the entry of the ledger after its merge."""

    def merge_fragment(id="SL-07", **fields):
        fragment(tmp_path / "second", id, **fields)
        merge(tmp_path / "second", ledger)
        return claims.stored_ledger(ledger)[id]

    return merge_fragment


def test_the_ledger_has_all_claims_in_a_deterministic_file(ledger, tmp_path):
    before = ledger.read_bytes()
    stored = json.loads(before)
    assert before.endswith(b"}\n") and list(stored) == sorted(claims.load())
    assert stored["SL-07"] == FRAGMENT
    blank = {"verdict": "not checked", "reason": "not measured yet"}
    assert stored["SL-08"] == {"published": 0.015} | blank
    assert stored["RE-05"]["reason"] == "the data were never published"
    for folder in ("first", "no-such-folder"):
        merge(tmp_path / folder, ledger)
        assert ledger.read_bytes() == before


@mark.parametrize(
    "fields, measured",
    [
        ({"measured": 0.2, "scale": "quick"}, 0.4589),
        ({"measured": 0.2}, 0.2),
        ({"measured": 0.2, "scale": "paper"}, 0.2),
        (MISSING | {"scale": "paper"}, 0.4589),
    ],
)
def test_a_smaller_scale_and_missing_data_never_replace_a_measurement(
    merged, fields, measured
):
    assert merged(**fields)["measured"] == measured


def test_a_measurement_on_other_data_than_the_papers_stays(merged, ledger):
    never = {
        "reason": "the data were never published",
        "verdict": "not checked",
    }
    merged("RE-05", measured=[0.1, 0.2], **never)
    merge("no-such-folder", ledger)
    assert claims.stored_ledger(ledger)["RE-05"]["measured"] == [0.1, 0.2]


def test_missing_data_are_a_reason(merged, ledger):
    merged("SL-08", **MISSING)
    merge("no-such-folder", ledger)
    assert claims.stored_ledger(ledger)["SL-08"]["reason"] == "no data (scene)"
    assert "reason" not in merged("SL-08", scale="quick")


@mark.parametrize(
    "fields, message", [("[", "one JSON object"), ("[1, 2]", "one JSON object")]
)
def test_foreign_files_are_an_error(ledger, tmp_path, fields, message):
    before = ledger.read_bytes()
    if isinstance(fields, dict):
        all_fields = {"id": "SL-07"} | FRAGMENT | fields
        fields = json.dumps(
            {k: all_fields[k] for k in all_fields if all_fields[k] is not None}
        )
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "stray.json").write_text(fields)
    with raises(ValueError, match=f"stray.json .*{message}"):
        merge(tmp_path / "second", ledger)
    assert ledger.read_bytes() == before


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


def test_worse_means_further_down():
    stored = {"SL-07": {"verdict": "differs"}}
    for verdict, worse in zip(VERDICTS, ([], [], ["SL-07"]), strict=True):
        run = {"SL-07": {"verdict": verdict, "measured": 0.4}}
        assert show.print_worse(stored, run) == worse
    missing = {"SL-07": {"verdict": "not checked", "reason": "no data"}}
    assert show.print_worse(stored, missing) == []


def test_rows(ledger, tmp_path):
    numbers = {"measured": 0.44, "spread": 0.01, "scale": "quick"}
    fragment(
        tmp_path / "run", verdict="differs", note="fewer samples", **numbers
    )
    fragment(tmp_path / "run", "SL-08", **MISSING)
    run = claims.read_fragments(tmp_path / "run")
    rows = claims.table(claims.stored_ledger(ledger), run, ["SL-07", "SL-08"])
    fields = "id stored run verdict_words remark"
    ours = "0.44 +- 0.01 (quick)"
    verdict = "differs (stored: reproduced)"
    assert [[row[field] for field in fields.split()] for row in rows] == [
        ["SL-07", "0.4589", ours, verdict, "fewer samples"],
        ["SL-08", "", "no data (scene)", "not checked", "not measured yet"],
    ]


def test_only_must_fit():
    for only in ("XY", 5, [None], b"SL"):
        with raises(
            ValueError, match="`only` must be the beginning of a claim's id"
        ):
            claims.table(claims.stored_ledger(), only=only)


def test_plain_text(ledger):
    lines = claims.format_table(
        claims.table(claims.stored_ledger(ledger))
    ).splitlines()
    assert max(map(len, lines)) <= 160
    assert lines[1].startswith("-----  -----")
    assert lines[8].split()[-5:] == [
        "0.458",
        "0.4589",
        "tol",
        "0.005",
        "reproduced",
    ]
    assert lines[-1] == "191 claims: 1 reproduced, 190 not checked."


@fixture
def command(ledger, monkeypatch, capsys):
    """Function (words) -> exit code, output and errors of the command, on `ledger`."""
    monkeypatch.setattr(
        show, "stored_ledger", lambda: claims.stored_ledger(ledger)
    )
    monkeypatch.setattr(show, "project_root", lambda: ledger.parents[1])

    def run(words):
        code = main(["claims", *words.split()])
        return code, *capsys.readouterr()

    return run


def test_command_prints_the_ledger(command, monkeypatch):
    code, out, _ = command("--only SL --only LE-1")
    assert (
        code == 0 and "SL-07" in out and "LE-16" in out and "LE-01" not in out
    )
    monkeypatch.setattr(stale, "why_stale", lambda id, entry: "")
    _, out, _ = command("--stale --only SL-07")
    assert out == "Of 1 stored entries none is out of date.\n"


def test_command_checks_the_last_run(command, tmp_path):
    code, _, err = command("--check")
    assert code == 2 and "no results of a run" in err
    run = tmp_path / "reports" / "claims"
    fragment(run)
    fragment(run, "SL-13", **MISSING)
    assert command("--check")[0] == 0
    fragment(run, measured=0.4, verdict="differs")
    code, _, err = command("--check")
    assert code == 1
    assert err == "SL-07 got worse: reproduced is stored, this run differs.\n"
    assert command("")[0] == command("--check --only SL-08")[0] == 0
    write_json(run / "x.json", 1)
    code, _, err = command("")
    assert code == 2 and "x.json must hold" in err


def test_markup_names_rows_and_columns_and_escapes_cells():
    row = dict.fromkeys("published stored why id".split(), "a & b")
    row |= {"title": '<td on="x">', "verdict": "differs", "kind": "order"}
    row |= {"named": [], "more": [], "rule": "", "tolerance": "tol < 0.1"}
    head, *_, body, _, _, _ = (
        notebook_table.Comparison([row])._repr_html_().splitlines()
    )
    says = "1 claims of the paper: 1 differ"
    assert head == f"<details><summary>{says}</summary>"
    agrees = "no<details><summary>rule</summary>tol &lt; 0.1</details>"
    cells = ["a &amp; b", "a &amp; b", agrees, "a &amp; b", "a &amp; b"]
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    name = "&lt;td on=&quot;x&quot;&gt;"
    assert body == f'<tr><th scope="row">{name}</th>{row}</tr>'


def test_of_data_that_were_never_published_the_table_says_what_the_values_are_of():
    page = claims.comparison("RE-05")._repr_html_()
    for words in (
        "the data were never published",
        "the values are of wine cultivars and breast cancer",
        "<summary>rule</summary>Cannot be measured.",
    ):
        assert words in page


def test_a_wheel_says_that_it_needs_a_clone(monkeypatch, capsys):
    monkeypatch.setattr(clone, "project_root", lambda: None)
    for words in (
        ["claims", "--stale"],
        ["claims", "--restamp", "shorter"],
        ["measure"],
    ):
        assert main(words) == 2
        message = capsys.readouterr().err
        assert message.startswith(f"toolkit {words[0]}: It needs a clone:")
    assert main(["claims", "--only", "GM-08"]) == 0
    assert capsys.readouterr().out.endswith("measured by: nothing\n")
