"""Notebooks under one bar: failures, a limit of time, and what they leave behind."""

import contextlib
import io
import re

from pytest import fixture, mark

from toolkit.report import execute
from toolkit.report.execute import Execution, kernel_environment, run_notebooks

CHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open("pid", "w").write(str(child.pid))
"""


@fixture
def run(write_notebook, tmp_path):
    """Function (code by name, ...): the executions by name, and what was printed."""

    def call(codes, limit=60, stream=None, **options):
        runs = []
        for name, code in codes.items():
            path = write_notebook(name, "# T", code)
            runs.append(
                Execution(
                    name=name,
                    notebook=path,
                    cwd=tmp_path,
                    environment=kernel_environment(),
                    parameters={},
                )
            )
        with contextlib.redirect_stderr(stream or io.StringIO()) as said:
            ended = run_notebooks(runs, 2, limit, [], **options)
        assert {one.name for one in ended} == set(codes)
        return {one.name: one for one in ended}, said.getvalue()

    return call


def test_a_failure_is_that_notebooks_and_the_others_finish(run):

    def conclude(done):
        if done.name == "full":
            raise OSError("the disk is full")

    codes = {"fine": "print(1)", "wrong": "1 / 0", "full": "1"}
    codes |= {
        "killed": "import os; os.kill(os.getpid(), 9)",
        "crashed": "import os; os.abort()",
    }
    done, said = run(codes, conclude=conclude)
    assert done["fine"].error is None
    assert done["wrong"].error["name"] == "ZeroDivisionError"
    assert done["full"].error["says"] == "the disk is full"
    for name in ("killed", "crashed"):
        error = done[name].error
        assert (
            error["cell"] == 2
            and "perhaps there was no memory" in error["says"]
        )
    assert said.count(": FAILED\n") == 4 and "fine: done\n" in said


def test_a_cell_has_a_limit_and_the_message_the_remedy(run):
    done, _ = run({"waits": "import time; time.sleep(600)"}, limit=5)
    error = done["waits"].error
    assert (error["name"], error["cell"]) == ("Timeout", 2)
    for words in ("longer than 5 s", "TIMEOUT=", "--timeout"):
        assert words in error["says"]


def test_children_end_with_their_notebook(run, tmp_path, gone):
    """Also where its kernel, the parent, has ended before."""
    done, _ = run({"a": CHILD})
    assert done["a"].error is None and gone(
        [int((tmp_path / "pid").read_text())]
    )


class Terminal(io.StringIO):
    def isatty(self):
        return True


@mark.slow
def test_on_a_terminal_one_bar_says_which_cells_run(run):
    code = "import time; time.sleep(1.2)"
    _, said = run({"a": code, "b": code}, stream=Terminal())
    assert re.search(r"  0% \|.*left, .*a cell 3; b cell", said)
    assert "100% |" in said


PARTS = """
import time
from toolkit.core import progress, whole_progress
from toolkit.explorer.progress import transient_bars
with transient_bars(), whole_progress({"rows": 60}, "table", True):
    with progress(3, "rows", True) as step:
        time.sleep(1)
        step(2)
        time.sleep(1)
"""


@mark.slow
def test_a_bar_within_a_notebook_is_seen_with_the_time_left(run):
    """Two of three steps of a part that takes 60 % of the time are 40 %."""
    _, said = run({"a": PARTS}, stream=Terminal())
    assert re.search(r"a table:  40% \|.*\| 00:01, 00:01 left", said)


def test_a_kernel_that_dies_at_its_start_is_started_once_more(
    write_notebook, tmp_path, monkeypatch
):
    """Another program may have taken its ports."""
    calls = []

    def start(client, **_):
        calls.append(client)
        raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(
        "papermill.clientwrap.PapermillNotebookClient.execute", start
    )
    one = Execution(
        name="a",
        notebook=write_notebook("a", "# A", "1"),
        cwd=tmp_path,
        environment={},
        parameters={},
    )
    execute.execute(one, 60)
    assert len(calls) == 2 and "died before" in one.error["says"]
