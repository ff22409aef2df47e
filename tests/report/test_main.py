"""The command line: wrong use of each command, and its exit code."""

import subprocess
import sys
from types import SimpleNamespace

from pytest import fixture, mark, raises

from toolkit import __main__ as command_line


@mark.parametrize("words", [[], ["nonsense"], ["report", "--jobs", "0"]])
def test_wrong_use_ends_with_2_and_says_why(words, capsys):
    assert command_line.main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and "usage: python -m toolkit" in err


def test_help_and_version(capsys):
    assert command_line.main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"    {name}" in out for name in command_line.COMMANDS)
    assert command_line.main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == "0.1.0"


@fixture
def fails(monkeypatch):
    """Function (error): let every command fail with it; the exit code."""

    def run(error):
        def run_command(options):
            raise error

        monkeypatch.setattr(
            command_line,
            "import_module",
            lambda name: SimpleNamespace(run=run_command),
        )
        return command_line.main(["report"])

    return run


def test_a_missing_extra_is_named_with_the_remedy(fails, capsys):
    name = "psutil.missing"
    assert fails(ModuleNotFoundError(f"no {name}", name=name)) == 2
    err = capsys.readouterr().err
    assert err == f"report needs {name}: pip install -e '.[all]' in the clone\n"


@mark.parametrize("name", ["toolkit.misspelt", "json.misspelt", None])
def test_an_error_of_our_own_is_not_hidden(fails, name):
    with raises(ModuleNotFoundError):
        fails(ModuleNotFoundError(f"no {name}", name=name))


def test_interrupt_ends_with_130(fails, capsys):
    assert fails(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


def test_a_reader_that_stops_reading_is_no_error():
    command = f"{sys.executable} -m toolkit claims | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and done.stderr == ""
