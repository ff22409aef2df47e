"""``python -m toolkit measure``: what is measured, what counts as a failure."""

import json
import subprocess
import sys

from pytest import fixture, mark

from ledger import measure, stale
from toolkit import claims
from toolkit.__main__ import main
from toolkit.core.files import write_json

IDS = ["SL-03", "SL-04", "LE-12"]


@fixture
def entries():
    """What a run of the code of today leaves for three claims with generated data."""
    fields = {"measured": 0.0, "verdict": "reproduced", "scale": "default"}
    return {id: {"id": id} | fields | stale.digests(id) for id in IDS}


@fixture
def run(entries, monkeypatch, tmp_path, capsys):
    """Function (stored, measured, *words): exit code, text, commands of such a run."""

    def call(stored, measured=(), *arguments):
        commands = []

        def pretend(command, environment, stop):
            commands.append(command)
            folder = tmp_path / "claims" / "experiments"
            for entry in measured:
                write_json(folder / f"{entry['id']}.json", entry)
            return False

        def experiment_of(id):
            return stale.experiment_of(id) if id in IDS else None

        blank = {"reason": "never published", "verdict": "not checked"}
        ledger = dict.fromkeys(claims.load(), blank) | stored
        monkeypatch.setattr(claims, "stored_ledger", lambda: ledger)
        monkeypatch.setattr(measure, "experiment_of", experiment_of)
        monkeypatch.setattr(measure, "_run", pretend)
        monkeypatch.setattr(claims, "table", lambda *words: "")
        monkeypatch.setattr(claims, "format_table", str)
        code = main(["measure", "--out", str(tmp_path), *arguments])
        return code, "".join(capsys.readouterr()), commands

    return call


def test_nothing_is_measured_where_all_is_up_to_date(run, entries):
    code, text, commands = run(entries)
    assert (code, commands) == (0, [])
    assert "0 claims to measure" in text


def test_what_is_out_of_date_is_measured_and_nothing_else(run, entries):
    old = entries["LE-12"] | {"code": "linalg:000000"}
    code, text, [command] = run(entries | {"LE-12": old}, [entries["LE-12"]])
    assert code == 0 and "1 claims to measure" in text
    assert [part for part in command if "::" in part] == [
        stale.experiment_of("LE-12")
    ]
    # its result is there: not again
    assert run(entries | {"LE-12": old})[2] == []
    assert len(run(entries, [], "--force")[2][0][-3:]) == 3


def test_a_worse_verdict_fails_and_an_entry_that_stays_out_of_date(
    run, entries
):
    old = entries["LE-12"] | {"code": "linalg:000000"}
    code, text, _ = run(
        entries | {"LE-12": old}, [entries["LE-12"] | {"verdict": "differs"}]
    )
    assert code == 1
    assert "LE-12 got worse: reproduced is stored, this run differs." in text
    # `make refresh` stores it
    assert run(entries | {"LE-12": old}, [], "--refresh")[0] == 0
    code, text, _ = run(
        entries | {"SL-04": entries["SL-04"] | {"rule": "000000"}}, []
    )
    assert code == 1 and "SL-04 stays out of date: rule." in text


def test_only_some_and_unknown_ones(run, entries):
    assert run(entries, [], "--force", "--only", "LE")[2][0][
        -1
    ] == stale.experiment_of("LE-12")
    code, text, _ = run(entries, [], "--only", "XX")
    assert code == 2 and "`only` must be the beginning" in text


@mark.slow
def test_an_experiment_for_real(tmp_path):
    words = "-m toolkit measure --only SL-03 --force --out"
    command = [sys.executable, *words.split(), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "1 passed" in done.stdout, (
        done.stdout + done.stderr
    )
    assert done.stdout.startswith(
        "1 claims to measure at default scale, by 1 tests"
    )
    left = json.loads(
        (tmp_path / "claims" / "experiments" / "SL-03.json").read_text()
    )
    assert (
        left["verdict"] == "reproduced" and stale.why_stale("SL-03", left) == ""
    )


@mark.slow  # those of a report are among the fast ones
def test_a_signal_ends_the_children_of_a_command(tmp_path, gone):
    """That it sets the flag and the exit code is the same for reports."""
    pid = tmp_path / "pid"
    child = (
        "print(subprocess.Popen(['sleep', '600']).pid, file=file, flush=True)"
    )
    code = f"import subprocess, time; file = open({str(pid)!r}, 'w'); {child}; time.sleep(600)"

    class Stop:
        def __bool__(self):
            return pid.exists() and bool(pid.read_text())

    measure._run([sys.executable, "-c", code], None, Stop())
    assert gone([int(pid.read_text())])
