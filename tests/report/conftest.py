"""What the tests of reports share."""

import contextlib
import io
from types import SimpleNamespace

from pytest import fixture

from toolkit.__main__ import main


@fixture(scope="session")
def report():
    """Function (folder of notebooks, *words): the command's code, out and err."""

    def run(notebooks, *words):
        out = io.StringIO()
        err = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["report", "--notebooks", str(notebooks), *words])
        return SimpleNamespace(
            code=code, out=out.getvalue(), err=err.getvalue()
        )

    return run
