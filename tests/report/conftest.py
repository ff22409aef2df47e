"""What the tests of reports share."""

import contextlib
import io
from dataclasses import dataclass

import pytest

from toolkit.report import command


@dataclass
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def report():
    """Function (folder of notebooks, *words): the command's exit code, output and error stream."""

    def run(notebooks, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command.main(["--notebooks", str(notebooks), *words])
        return Ran(code, out.getvalue(), err.getvalue())

    return run
