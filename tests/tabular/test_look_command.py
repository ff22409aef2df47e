"""The command `look`: what is refused, in one line with a remedy and exit code 2, and what is written only then."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numpy.random import default_rng
from pytest import fixture, mark, raises
from small_notebooks import tree
from small_tables import flowers

from toolkit import look
from toolkit.__main__ import main

N = 40
PAGE = "old page, which stays unless a run goes well"


def text(**columns):
    return flowers(**columns).to_csv(index=False)


def run(*arguments):
    """Exit code and what the command prints."""
    out = io.StringIO()
    err = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["look", *map(str, arguments)])
    return code, out.getvalue(), err.getvalue()


@fixture
def folder(tmp_path, monkeypatch):
    """A folder of a user's, with a table and an older page; the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flowers.csv").write_text(text(), encoding="utf-8")
    (tmp_path / "flowers_look.html").write_text(PAGE, encoding="utf-8")
    return tmp_path


# ---- refused before anything is started ----


@mark.parametrize(
    ("arguments", "says"),
    [
        ((), "the following arguments are required: FILE"),
        (
            ("flowers.csv", "--out", "page.pdf"),
            "`--out` must be the name of a page",
        ),
        (
            ("flowers.csv", "--out", "no/page.html"),
            "existing folder; .* no. Create",
        ),
    ],
)
def test_wrong_use_is_refused_at_once(folder, arguments, says):
    before = tree(folder)
    code, out, err = run(*arguments)
    assert (
        code == 2
        and out == ""
        and re.search(says, err)
        and "Traceback" not in err
    )
    assert tree(folder) == before


def test_help_has_examples_and_exit_codes():
    code, out, _ = run("--help")
    assert code == 0 and out.count("python -m toolkit look ") >= 6
    assert "exit codes: 0" in out


# ---- refused by what reads the table: the command prints these messages ----

MATRIX = {"S.csv": "a,b,c\n1,2,3\n2,1,3\n3,3,1\n"}
ALIKE = {"similarities": True}
# files, arguments and options beside flowers.csv and its target, and what is said
REFUSED = {
    "no number of rows": ({}, {"rows": 0}, "`rows` must be"),
    "one group": ({"flowers.csv": text(g="x")}, {"groups": "g"}, "two groups of rows or more"),
    "nothing new to test": ({}, {"test": "flowers.csv"}, "`test` must have rows.*new"),
    "test without a column": (
        {"new.csv": flowers().drop(columns="width").to_csv(index=False)}, {"test": "new.csv"},
        "`test` must have the columns of `data`; not there: width. Add what",
    ),
    "classes of a table": ({}, {"classes": "f.csv"}, "`classes` must be None of a table"),
    "two matrices": ({}, ALIKE | {"distances": True}, "must not both be True"),
    "a matrix without classes": (MATRIX, ALIKE, "`classes` is missing"),
}  # fmt: skip


@mark.parametrize("case", REFUSED)
def test_tables_that_cannot_be_looked_at_are_refused_in_one_line(folder, case):
    """What is wrong with the file or the table itself is in the tests of these."""
    files, options, says = REFUSED[case]
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    before = tree(folder)
    settings = {"data": "flowers.csv", "target": "kind"}
    if "S.csv" in files:
        settings = {"data": "S.csv"}
    with raises(ValueError, match=says) as caught:
        look(**(settings | options), verbose=False)
    message = str(caught.value).rstrip()
    assert "\n" not in message and message.endswith((".", "?"))
    assert tree(folder) == before


X = default_rng(0).normal(size=(30, 3))
Y = np.array(["a", "b"] * 15)
S = np.corrcoef(X)
KINDS = ALIKE | {"classes": Y}
ARRAYS = {
    "must hold one class for each of the 30 rows": (
        S,
        ALIKE | {"classes": Y[:-1]},
    ),
    "`target` must not name a column of a matrix": (
        S,
        ALIKE | {"target": "kind"},
    ),
    "all rows of the matrix are equal": (
        0 * S,
        {"distances": True, "classes": Y},
    ),
    "`drop` must not be given with a matrix": (S, KINDS | {"drop": ["a"]}),
    "`rows` must be None of a table": (S, {"rows": 50, "target": Y}),
    "`rows` must be None or an integer >= 10": (S, {"rows": 5}),
    "square matrix": (X, KINDS),
    "both with names": (X, {"target": Y, "test": X}),
}


def test_arrays_that_cannot_be_looked_at():
    for says, (data, options) in ARRAYS.items():
        with raises(ValueError, match=says):
            look(data, verbose=False, **options)


def test_a_part_of_a_file_keeps_the_numbers_of_its_rows(folder):
    table = look("flowers.csv", "kind", rows=20, verbose=False).table_
    numbers = [int(name.split()[1]) for name in table.ids]
    widths = flowers()["width"].set_axis(range(1, N + 1))[numbers]
    assert table.features["width"].tolist() == widths.tolist()
    assert len(numbers) == 20


# ---- through another process ----


BAD = """from sklearn.linear_model import LogisticRegression
class Bad(LogisticRegression):
    def predict(self, X):
        return X["depth"]
model = Bad()"""


@mark.parametrize(
    ("arguments", "says"),
    [
        (("--target", "knid"), "got 'knid'.*kind"),
        (
            ("--target", "kind", "--model", "bad.py:model"),
            "first at row .*: KeyError: 'd",
        ),
    ],
)
def test_what_is_refused_leaves_the_folder_as_it_was(folder, arguments, says):
    (folder / "bad.py").write_text(BAD, encoding="utf-8")
    before = tree(folder)
    code, _, err = run("flowers.csv", *arguments)
    (line,) = [
        line for line in err.splitlines() if line.startswith("toolkit look: ")
    ]
    assert code == 2 and re.search(says, line) and "Traceback" not in err
    assert tree(folder) == before


WAITS = """import os, subprocess, time
sleeper = subprocess.Popen(["sleep", "900"])
open("sleeper.pid", "w").write(str(sleeper.pid))
open("job.pid", "w").write(str(os.getpid()))
time.sleep(900)
"""


@mark.parametrize(
    "signum, code",
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
)
def test_a_signal_ends_the_work_and_what_it_started(folder, gone, signum, code):
    """A command that is killed cannot end its process: this ends itself."""
    (folder / "waits.py").write_text(WAITS, encoding="utf-8")
    words = "look flowers.csv --target kind --model waits.py:model"
    process = subprocess.Popen(
        [sys.executable, "-m", "toolkit", *words.split()],
        # A job in the background of a script has signals that are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        start_new_session=True,
        text=True,
        stderr=subprocess.PIPE,
    )
    files = [folder / "sleeper.pid", folder / "job.pid"]
    while not all(file.exists() and file.read_text() for file in files):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signum)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert gone([int(file.read_text()) for file in files])
    assert (folder / "flowers_look.html").read_text() == PAGE
    if signum != signal.SIGKILL:
        assert err.endswith("Interrupted: nothing was written.\n")
        assert not list(folder.glob(".look-*"))


def test_a_process_that_dies_is_said_to_have_died(folder):
    (folder / "dies.py").write_text("import os\nos._exit(1)", "utf-8")
    arguments = "flowers.csv", "--target", "kind", "--model", "dies.py:model"
    code, _, err = run(*arguments)
    assert code == 1 and "the process died; perhaps there was no memory" in err


@mark.slow
def test_a_run_that_went_well_replaces_the_page(folder):
    elsewhere = folder / "pages"
    elsewhere.mkdir()
    new = flowers(width=np.arange(N) / 7).to_csv(index=False)
    (folder / "new.csv").write_text(new, encoding="utf-8")
    arguments = "flowers.csv", "--target", "kind"
    title = "Anna's <i>flowers</i> & $5"
    code, out, err = run(*arguments, "--test", "new.csv", "--title", title)
    assert code == 0 and out.startswith("flowers_look.html ("), err
    page = Path("flowers_look.html").read_text(encoding="utf-8")
    assert PAGE not in page and "<i>flowers" not in page
    assert "Anna's &lt;i&gt;flowers&lt;/i&gt; &amp; $5" in page
    names = "flowers.csv flowers_look.html flowers_look.ipynb new.csv pages"
    assert sorted(os.listdir(folder)) == names.split()
    assert (
        '"output_type": "error"' not in Path("flowers_look.ipynb").read_text()
    )
    code, _, err = run(*arguments, "--out", elsewhere / "mine.html")
    assert code == 0 and sorted(os.listdir(elsewhere)) == [
        "mine.html",
        "mine.ipynb",
    ], err
    # runs again from where it is
    assert "../flowers.csv" in (elsewhere / "mine.ipynb").read_text()
