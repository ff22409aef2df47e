"""The command `look`: what is refused, in one line with a remedy and exit code 2, and what is written only then."""

import contextlib
import io
import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
from numpy.random import default_rng
from pytest import fixture, mark, raises
from small_notebooks import tree

from toolkit import look
from toolkit.tabular.command import main

N = 40
PAGE = "old page, which stays unless a run goes well"


def frame(**columns):
    rng = default_rng(0)
    return pd.DataFrame(
        {"width": rng.normal(size=N).round(3), "height": rng.normal(size=N).round(3)}
    ).assign(**({"kind": ["rose", "tulip"] * (N // 2)} | columns))


def text(**columns):
    return frame(**columns).to_csv(index=False)


def run(*arguments):
    """Exit code and what the command prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
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
        (("flowers.csv", "--tarjet", "kind"), "unrecognized arguments: --tarjet"),
        (("flowers.csv", "--target"), "expected one argument"),
        (("flowers.csv", "--task", "ranks"), "invalid choice: 'ranks'"),
        (("flowers.csv", "--rows", "many"), "invalid int value: 'many'"),
        (("flowers.csv", "--seed", "x"), "invalid int value: 'x'"),
        (
            ("flowers.csv", "--out", "page.pdf"),
            "--out must be the name of a page, such as flowers_look.html",
        ),
        (
            ("flowers.csv", "--out", "nowhere/page.html"),
            "no folder|folder that exists; there is none at nowhere. Make",
        ),
    ],
)
def test_wrong_use_is_refused_at_once(folder, arguments, says):
    before = tree(folder)
    code, out, err = run(*arguments)
    assert code == 2 and out == "" and re.search(says, err) and "Traceback" not in err
    assert tree(folder) == before


def test_help_has_examples_and_exit_codes():
    code, out, _ = run("--help")
    assert (
        code == 0
        and out.count("python -m toolkit look ") >= 6
        and "exit codes: 0" in out
    )
    for option in ("--target", "--labels", "--similarities", "--distances", "--classes", "--model", "--test", "--task",
                   "--drop", "--id", "--groups", "--rows", "--seed", "--title", "--out"):  # fmt: skip
        assert option in out


# ---- refused by what reads the table: the command prints these messages ----

MATRIX = {"S.csv": "a,b,c\n1,2,3\n2,1,3\n3,3,1\n"}
ALIKE = {"similarities": True}
# files, arguments and options beside flowers.csv and its target, and what is said
REFUSED = {
    "no such file": ({}, {"data": "flower.csv"}, "must name an existing file.*flowers.csv"),
    "no such column": ({}, {"target": "knid"}, "got 'knid'.*Did you mean 'kind'"),
    "no number of rows": ({}, {"rows": 0}, "`rows` must be"),
    "one group": ({"flowers.csv": text(g="x")}, {"groups": "g"}, "at least 3 groups of rows; got 1"),
    "groups are classes": ({"flowers.csv": text(g=["x", "y"] * (N // 2))}, {"groups": "g"}, "at least 3 groups"),
    "nothing new to test": ({}, {"test": "flowers.csv"}, "`test` must have rows.*new"),
    "test without a column": (
        {"new.csv": frame().drop(columns="width").to_csv(index=False)}, {"test": "new.csv"},
        "`test` must have the columns of `data`; not there: width. Add what",
    ),
    "classes of a table": ({}, {"classes": "f.csv"}, "`classes` must be None of a table"),
    "two matrices": ({}, ALIKE | {"distances": True}, "must not both be True"),
    "a matrix without classes": (MATRIX, ALIKE, "`classes` is missing"),
    "a matrix with a model": (
        MATRIX, {"distances": True, "model": "m.py:m"}, "`model` must not be given with a matrix",
    ),
}  # fmt: skip


@mark.parametrize("case", REFUSED)
def test_tables_that_cannot_be_looked_at_are_refused_in_one_line(folder, case):
    """What is wrong with the file or the table itself is in test_reading.py and test_table.py."""
    files, options, says = REFUSED[case]
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    before = tree(folder)
    given = (
        {"data": "S.csv"}
        if "S.csv" in files
        else {"data": "flowers.csv", "target": "kind"}
    )
    with raises(ValueError, match=says) as caught:
        look(**(given | options), verbose=False)
    assert "\n" not in str(caught.value) and str(caught.value).rstrip().endswith(
        (".", "?")
    )
    assert tree(folder) == before


def test_arrays_that_cannot_be_looked_at():
    X = default_rng(0).normal(size=(30, 3))
    y, S = np.array(["a", "b"] * 15), np.corrcoef(X)
    for says, arguments, options in [
        (
            "must hold one class for each of the 30 rows",
            (S,),
            {"similarities": True, "classes": y[:-1]},
        ),
        (
            "`target` must not name a column of a matrix",
            (S, "kind"),
            {"similarities": True},
        ),
        (
            "all rows of the matrix are alike",
            (np.zeros((30, 30)),),
            {"distances": True, "classes": y},
        ),
        (
            "`drop` must not be given with a matrix",
            (S,),
            {"similarities": True, "classes": y, "drop": ["a"]},
        ),
        ("square matrix", (X,), {"similarities": True, "classes": y}),
        ("both with names", (X, y), {"test": X}),
    ]:
        with raises(ValueError, match=says):
            look(*arguments, verbose=False, **options)


def test_what_is_no_error_is_noted(folder):
    """Mixed types, missing targets and lone classes: rows or values are left out with a sentence."""
    mixed = frame(
        kind=["rose", "tulip"] * 19 + ["", "lily"],
        width=["1.5"] * 20 + ["2,5 m"] + ["3"] * 19,
    )
    (folder / "mixed.csv").write_text(mixed.to_csv(index=False), encoding="utf-8")
    notes = "\n".join(look("mixed.csv", "kind", verbose=False).table_.notes)
    assert "lily" in notes and "row 39" in notes and "2,5 m" in notes


def test_a_huge_file_is_read_in_parts_and_the_rows_keep_their_numbers(folder):
    rows = "\n".join(f"{k % 97},{k},{'ab'[k % 97 > 50]}" for k in range(60_000))
    (folder / "huge.csv").write_text("x,y,kind\n" + rows + "\n", encoding="utf-8")
    one = look("huge.csv", "kind", rows=200, verbose=False)
    assert len(one.table_.y) == 200 and any(
        "200 of 60,000 rows" in note for note in one.table_.notes
    )
    numbers = [int(name.split()[1]) for name in one.table_.ids]
    assert numbers == sorted(set(numbers)) and numbers[-1] > 10_000
    again = pd.read_csv("huge.csv").iloc[[k - 1 for k in numbers]]
    assert one.table_.features["x"].tolist() == again["x"].tolist()


# ---- through a kernel ----


def refused(folder, *arguments):
    before = tree(folder)
    code, out, err = run(*arguments)
    lines = [line for line in err.splitlines() if line.startswith("toolkit look: ")]
    assert code == 2 and len(lines) == 1 and "Traceback" not in err, err
    assert tree(folder) == before
    return lines[0]


def test_a_wrong_column_ends_with_2_and_the_nearest_name(folder):
    assert "Did you mean 'kind'?" in refused(folder, "flowers.csv", "--target", "knid")


@mark.slow  # a kernel each
@mark.parametrize(
    ("arguments", "says"),
    [
        (("flower.csv", "--target", "kind"), "'flowers.csv'|flowers.csv"),
        (("flowers.csv", "--target", "kind", "--rows", "0"), "`rows` must be"),
        (("flowers.csv", "--target", "kind", "--seed", "-1"), "`random_state` must be"),
        (
            ("flowers.csv", "--target", "kind", "--test", "flowers.csv"),
            "`test` must have rows",
        ),
        (
            ("flowers.csv", "--target", "kind", "--model", "bad.py:model"),
            "first at row .*: KeyError: 'depth'",
        ),
        (
            ("flowers.csv", "--target", "kind", "--model", "none.py:model"),
            "from none.py: FileNotFoundError",
        ),
    ],
)
def test_what_is_refused_leaves_the_folder_as_it_was(folder, arguments, says):
    code = "from sklearn.linear_model import LogisticRegression\n"
    code += "class Bad(LogisticRegression):\n    def predict(self, X):\n        return X['depth']\n"
    (folder / "bad.py").write_text(code + "model = Bad()\n", encoding="utf-8")
    assert re.search(says, refused(folder, *arguments))


@mark.slow
def test_a_run_that_went_well_replaces_the_page(folder):
    elsewhere = folder / "pages"
    elsewhere.mkdir()
    (folder / "new.csv").write_text(
        frame(width=np.arange(N) / 7).to_csv(index=False), encoding="utf-8"
    )
    code, out, err = run(
        "flowers.csv",
        "--target",
        "kind",
        "--test",
        "new.csv",
        "--title",
        "Anna's <i>flowers</i> & $5",
    )
    assert code == 0, err
    page = Path("flowers_look.html").read_text(encoding="utf-8")
    assert (
        PAGE not in page
        and "<i>flowers" not in page
        and "Anna's &lt;i&gt;flowers&lt;/i&gt; &amp; $5" in page
    )
    assert out.startswith("flowers_look.html (") and sorted(p.name for p in folder.iterdir()) == [
        "flowers.csv", "flowers_look.html", "flowers_look.ipynb", "new.csv", "pages",
    ]  # fmt: skip
    nb = nbformat.read("flowers_look.ipynb", as_version=4)
    assert not any(
        o.output_type == "error"
        for c in nb.cells
        if c.cell_type == "code"
        for o in c.outputs
    )
    code, _, err = run(
        "flowers.csv", "--target", "kind", "--out", elsewhere / "mine.html"
    )
    assert code == 0 and {p.name for p in elsewhere.iterdir()} == {
        "mine.html",
        "mine.ipynb",
    }, err
    # runs again from where it is
    nb = nbformat.read(elsewhere / "mine.ipynb", as_version=4)
    assert any("../flowers.csv" in cell.source for cell in nb.cells)
