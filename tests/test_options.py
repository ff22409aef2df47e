"""Options of the commands that no other fast test gives: each reaches what does the work, here replaced."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from ledger import measure, restamping
from public_names import commands
from pytest import fixture, mark

from toolkit import __main__ as command_line
from toolkit.arguments import SCALES
from toolkit.core import read_json, write_json
from toolkit.report import command as report
from toolkit.tabular import command as look

FAILED = {"name": "Stopped", "says": "here", "cell": 0, "lines": []}


COMMANDS = list(commands())


def test_each_command_has_help():
    """At once: nothing that takes long is imported; it refuses unknown options."""
    code = f"""
import sys
from toolkit.__main__ import main
for command in {COMMANDS}:
    assert main([*command.split(), "--help"]) == 0
assert not {{"numpy", "sklearn", "joblib"}} & set(sys.modules)
for command in {COMMANDS}:
    assert main([*command.split(), "--wrong"]) == 2
"""
    subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True
    )


@fixture
def look_request(tmp_path, monkeypatch):
    """Function (*words): the title and the parameters that `look` asks for."""
    requests = []

    def pretend(command, *_, **__):
        folder = Path(command[-1])
        requests.append(read_json(folder / look.REQUEST))
        failure = {"name": "Stopped", "says": "here", "lines": []}
        write_json(folder / look.FAILURE, failure)
        return 1

    def call(*words):
        assert command_line.main(["look", "t.csv", *words]) == 1
        request = requests.pop()
        given = request["parameters"]
        parameters = {"target": given["target"], **given["options"]}
        return request["title"], parameters

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(look, "run_process", pretend)
    return call


OPTIONS = {
    "--target kind": {"target": "kind"},
    "--labels a,b": {"labels": ["a", "b"]},
    "--similarities": {"similarities": True},
    "--distances": {"distances": True},
    "--classes c.csv": {"classes": "c.csv"},
    "--model m.py:best": {"model": "m.py:best"},
    "--map m.py:mine": {"map": "m.py:mine"},
    "--test new.csv": {"test": "new.csv"},
    "--task classes": {"task": "classes"},
    "--task value": {"task": "value"},
    "--drop a,b": {"drop": ["a", "b"]},
    "--keep a,b": {"keep": ["a", "b"]},
    "--id who": {"id": "who"},
    "--groups farm": {"groups": "farm"},
    "--rows 50": {"rows": 50},
    "--no-rows": {"no_rows": True},
    "--seed 7": {"random_state": 7},
    "--sheet data": {"sheet": "data"},
    "--encoding cp1251": {"encoding": "cp1251"},
    "--decimal ,": {"decimal": ","},
    "--thousands '": {"thousands": "'"},
    "--dates month": {"dates": "month"},
}


@mark.parametrize("words", OPTIONS)
def test_options_of_a_look_are_parameters_of_its_notebook(look_request, words):
    _, parameters = look_request(*words.split())
    assert parameters == {"target": None, "random_state": 0} | OPTIONS[words]


def test_a_look_has_a_title(look_request):
    title, _ = look_request("--title", "My fruit")
    assert title == "My fruit"
    title, _ = look_request()
    assert title == "t"


@fixture
def report_run(write_notebook, tmp_path, monkeypatch):
    """Function (*words): the scale of what `report` would run, and for how many seconds at most."""
    folder = write_notebook("01_a", "# A", "1").parent
    settings = []

    def pretend(runs, _, limit, *__):
        settings.append((runs[0].environment["TOOLKIT_SCALE"], limit))
        return []

    def call(*words):
        out = ["--notebooks", str(folder), "--out", str(tmp_path / "out")]
        assert command_line.main(["report", *out, *words]) == 0
        return settings.pop()

    monkeypatch.setattr(report, "run_notebooks", pretend)
    return call


@mark.parametrize("scale", SCALES)
def test_reports_have_a_scale_and_its_limit(report_run, scale):
    assert report_run("--scale", scale) == (
        scale,
        report.SECONDS_OF_CELL[scale],
    )


def test_reports_have_a_limit_of_ones_own(report_run):
    assert report_run("--timeout", "25") == ("default", 25)


@fixture
def measurement(tmp_path, monkeypatch, capsys):
    """Function (*words): the command by which `measure` would measure two claims, and what it prints."""
    commands = []

    def pretend(command, *_):
        commands.append(command)
        return False

    def call(*words):
        claims = ["measure", "--only", "LE-12", "--only", "LE-08", "--force"]
        command_line.main([*claims, "--out", str(tmp_path), *words])
        [command] = commands
        return command, capsys.readouterr().out

    monkeypatch.setattr(measure, "_run", pretend)
    return call


@mark.parametrize("scale", SCALES)
def test_claims_are_measured_at_a_scale(measurement, scale):
    assert f" to measure at {scale} scale" in measurement("--scale", scale)[1]


def test_claims_are_measured_by_so_many_processes(measurement):
    command, _ = measurement("--jobs", "2")
    assert command[command.index("-n") + 1] == "2"


def test_digests_are_renewed_for_a_reason(monkeypatch, capsys):
    reasons = []

    def restamp(path, why, day):
        reasons.append(why)
        return ["SL-01"], {}

    done = SimpleNamespace(returncode=0)
    monkeypatch.setattr(restamping.subprocess, "run", lambda *_, **__: done)
    monkeypatch.setattr(restamping, "restamp", restamp)
    assert command_line.main(["claims", "--restamp", "shorter code"]) == 0
    assert reasons == ["shorter code"]
    assert capsys.readouterr().out == "1 entries renewed, 0 refused.\n"
