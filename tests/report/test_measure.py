"""``python -m toolkit measure``: what is measured, what counts as a failure."""

import json
import subprocess
import sys

from pytest import fixture, mark

from toolkit import claims
from toolkit.claims import stale
from toolkit.core.files import write_json
from toolkit.report import measure

IDS = ["SL-03", "SL-04", "LE-12"]


@fixture
def entries():
    """What a run of the code of today leaves for three claims with generated data."""
    kept = {
        "measured": 0.0,
        "verdict": "reproduced",
        "scale": "default",
        "published": "x",
        "source": "tests",
    }
    return {id: {"id": id} | kept | stale.digests(id) for id in IDS}


@fixture
def run(entries, monkeypatch, tmp_path, capsys):
    """Function (stored, measured, *arguments): exit code, text and commands of a run that measures `measured`."""

    def call(stored, measured=(), *arguments):
        commands = []

        def pretend(command, environment, root, stop):
            commands.append(command)
            for entry in measured:
                write_json(
                    tmp_path / "claims" / "experiments" / f"{entry['id']}.json", entry
                )
            return False

        blank = {
            id: {"reason": "the data were never published", "verdict": "not checked"}
            for id in claims.load()
        }
        monkeypatch.setattr(claims, "stored_ledger", lambda: blank | stored)
        monkeypatch.setattr(
            measure,
            "experiment_of",
            lambda id: stale.experiment_of(id) if id in IDS else None,
        )
        monkeypatch.setattr(measure, "_run", pretend)
        monkeypatch.setattr(
            measure.claims, "table", lambda stored, fresh, only: sorted(fresh)
        )
        monkeypatch.setattr(measure.claims, "format_table", str)
        code = measure.main(["--out", str(tmp_path), *arguments])
        return code, "".join(capsys.readouterr()), commands

    return call


def test_nothing_is_measured_where_all_is_up_to_date(run, entries):
    code, text, commands = run(entries)
    assert (code, commands) == (0, [])
    assert "0 claims to measure" in text and "every stored entry is up to date" in text


def test_what_is_out_of_date_is_measured_and_nothing_else(run, entries):
    old = entries["LE-12"] | {"code": "linalg:000000"}
    code, text, [command] = run(entries | {"LE-12": old}, [entries["LE-12"]])
    assert code == 0 and "1 claim to measure" in text
    assert [part for part in command if "::" in part] == [
        stale.experiment_of("LE-12").test
    ]
    assert run(entries | {"LE-12": old})[2] == []  # its result is there: not again
    assert len(run(entries, [], "--force")[2][0][-3:]) == 3


def test_a_worse_verdict_fails_and_an_entry_that_stays_out_of_date(run, entries):
    old = entries["LE-12"] | {"code": "linalg:000000"}
    code, text, _ = run(
        entries | {"LE-12": old}, [entries["LE-12"] | {"verdict": "differs"}]
    )
    assert (
        code == 1 and "LE-12 got worse: reproduced is stored, this run differs." in text
    )
    # `make refresh` stores it
    assert run(entries | {"LE-12": old}, [], "--refresh")[0] == 0
    code, text, _ = run(entries | {"SL-04": entries["SL-04"] | {"rule": "000000"}}, [])
    assert code == 1 and "SL-04 stays out of date: rule." in text


def test_only_some_and_unknown_ones(run, entries):
    assert (
        run(entries, [], "--force", "--only", "LE")[2][0][-1]
        == stale.experiment_of("LE-12").test
    )
    code, text, _ = run(entries, [], "--only", "XX")
    assert code == 2 and "No claim's id begins with 'XX'." in text


@mark.slow
def test_an_experiment_for_real(tmp_path):
    command = [
        sys.executable,
        "-m",
        "toolkit",
        "measure",
        "--only",
        "SL-03",
        "--force",
        "--out",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
    assert done.stdout.startswith("1 claim to measure at default scale, by 1 tests")
    left = json.loads((tmp_path / "claims" / "experiments" / "SL-03.json").read_text())
    assert left["verdict"] == "reproduced" and stale.why_stale("SL-03", left) == ""


@mark.slow  # those of a report are among the fast ones
def test_a_signal_ends_what_a_command_has_started(tmp_path, gone):
    """That it sets the flag and the exit code is the same for reports."""
    child = "import subprocess; print(subprocess.Popen(['sleep', '600']).pid, file=open('pid', 'w'), flush=True)"

    class Stop:
        def __bool__(self):
            return (tmp_path / "pid").exists() and bool((tmp_path / "pid").read_text())

    measure._run(
        [sys.executable, "-c", f"{child}; import time; time.sleep(600)"],
        None,
        tmp_path,
        Stop(),
    )
    assert gone([int((tmp_path / "pid").read_text())])
