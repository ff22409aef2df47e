"""``python -m toolkit measure``: what is measured, what counts as a failure."""

import json
import subprocess
import sys

import psutil
import pytest

from toolkit import claims
from toolkit.claims import stale
from toolkit.core.files import write_json
from toolkit.report import measure

IDS = ["SL-03", "SL-04", "LE-12"]


@pytest.fixture
def entries():
    """What a run of the code of today leaves for three claims with generated data."""
    kept = {"measured": 0.0, "verdict": "reproduced", "scale": "default", "published": "x", "source": "tests"}
    return {id: {"id": id} | kept | stale.digests(id) for id in IDS}


@pytest.fixture
def run(entries, monkeypatch, tmp_path, capsys):
    """Function (stored, measured, *arguments): exit code, text and commands of a run that measures `measured`."""

    def call(stored, measured=(), *arguments):
        commands = []

        def pretend(command, environment, root, stop):
            commands.append(command)
            for entry in measured:
                write_json(tmp_path / "claims" / "experiments" / f"{entry['id']}.json", entry)
            return False

        blank = {id: {"reason": "the data were never published", "verdict": "not checked"} for id in claims.load()}
        monkeypatch.setattr(claims, "committed", lambda: blank | stored)
        monkeypatch.setattr(measure, "experiment_of", lambda id: stale.experiment_of(id) if id in IDS else None)
        monkeypatch.setattr(measure, "_run", pretend)
        monkeypatch.setattr(measure.claims, "table", lambda stored, fresh, only: sorted(fresh))
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
    assert [part for part in command if "::" in part] == [stale.experiment_of("LE-12").name]
    assert run(entries | {"LE-12": old})[2] == []  # its result is there: not again
    assert len(run(entries, [], "--force")[2][0][-3:]) == 3


def test_a_worse_verdict_fails_and_an_entry_that_stays_out_of_date(run, entries):
    old = entries["LE-12"] | {"code": "linalg:000000"}
    code, text, _ = run(entries | {"LE-12": old}, [entries["LE-12"] | {"verdict": "differs"}])
    assert code == 1 and "LE-12 got worse: reproduced is stored, this run differs." in text
    assert run(entries | {"LE-12": old}, [], "--refresh")[0] == 0  # `make refresh` stores it
    code, text, _ = run(entries | {"SL-04": entries["SL-04"] | {"rule": "000000"}}, [])
    assert code == 1 and "SL-04 stays out of date: rule." in text


def test_only_some_and_unknown_ones(run, entries):
    assert run(entries, [], "--force", "--only", "LE")[2][0][-1] == stale.experiment_of("LE-12").name
    code, text, _ = run(entries, [], "--only", "XX")
    assert code == 2 and "No claim's id begins with 'XX'." in text


@pytest.mark.slow
def test_an_experiment_for_real(tmp_path):
    command = [sys.executable, "-m", "toolkit", "measure", "--only", "SL-03", "--force", "--jobs", "1"]
    done = subprocess.run([*command, "--out", str(tmp_path)], capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines[0].startswith("1 claim to measure at default scale, by 1 tests, 0 notebooks")
    assert "1 passed" in done.stdout and any(line.startswith("SL-03") for line in lines)
    left = json.loads((tmp_path / "claims" / "experiments" / "SL-03.json").read_text())
    assert left["verdict"] == "reproduced" and stale.why_stale("SL-03", left) == ""


@pytest.mark.slow
def test_sigterm_ends_the_experiments_and_keeps_what_is_measured(tmp_path, gone):
    some = [word for id in ("LE-08", "RE-04", "RE-05") for word in ("--only", id)]  # a short one and two long ones
    command = [sys.executable, "-m", "toolkit", "measure", *some, "--force", "--jobs", "2"]
    running = subprocess.Popen(
        [*command, "--out", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for line in running.stdout:
        if "PASSED" in line or "FAILED" in line:
            break
    started = [child.pid for child in psutil.Process(running.pid).children(recursive=True)]
    running.terminate()
    _, errors = running.communicate(timeout=120)
    assert running.returncode == 143 and "what has been measured so far is kept" in errors
    assert len(started) >= 3 and gone(started)
    assert list((tmp_path / "claims" / "experiments").glob("*.json"))
