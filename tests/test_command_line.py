"""A mistyped command or option: the usage of what was meant, and the nearest name."""

import errno
import re

from pytest import mark

from toolkit.__main__ import main


@mark.parametrize(
    ("words", "usage", "message"),
    [
        ("lok t.csv", "[-h] [--version]", "no command 'lok'.*mean `look`?"),
        ("data ftch iris", "data [-h]", "no command 'ftch'.*mean `fetch`?"),
        ("look t.csv --targt a", "look [-h]", "--targt a. .*mean `--target`?"),
        ("look t.csv --targt=a", "look [-h]", "--targt=a. .*mean `--target`?"),
        ("claims --stael", "claims [-h]", "--stael. .* mean `--stale`?"),
        ("data fetch iris --jobs", "data fetch [-h]", "--jobs.$"),
        ("look a.csv b.csv", "look [-h]", "b.csv.$"),
    ],
)
def test_the_usage_of_the_command_and_the_nearest_name(
    words, usage, message, capsys
):
    assert main(words.split()) == 2
    written = capsys.readouterr().err
    assert written.startswith(f"usage: python -m toolkit {usage}")
    assert re.search(message, written.strip())


def test_claims_and_data_sets_propose_the_nearest_name(capsys):
    assert main(["data", "fetch", "iriss"]) == 2
    assert "got 'iriss'. Did you mean `iris`?" in capsys.readouterr().err
    assert main(["claims", "--only", "SL-O7"]) == 2
    assert "got 'SL-O7'. Did you mean `SL-07`?" in capsys.readouterr().err


@mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "Make room, or choose another place with --out"),
        (errno.EACCES, "Change its rights, or choose another place with --out"),
    ],
)
def test_a_full_disk_and_missing_rights_have_a_remedy(
    number, hint, monkeypatch, capsys
):
    def fail(options):
        raise OSError(number, "no", "page.html")

    monkeypatch.setattr("toolkit.report.equations.run", fail)
    monkeypatch.setattr("toolkit.report.command.run", fail)
    assert main(["report"]) == 2
    assert f"{hint}; what is finished is kept." in capsys.readouterr().err
    assert main(["equations"]) == 2
    assert "--out" not in capsys.readouterr().err
