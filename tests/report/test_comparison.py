"""Stored outputs are compared with fresh ones, where the data are at hand."""

import os
import re
import subprocess
import sys

import available_data
import nbformat
from folders import ROOT
from nbformat.v4 import new_output
from pytest import fixture, mark
from small_notebooks import notebook

# Stands for `toolkit.datasets` in a kernel: the names of the sets are read from the
# text of the cells.
LOAD = "load = load_or_substitute = print\nload_or_substitute({!r})"
MAYBE = (
    "load = print\n"
    "for name in ('ida_german', 'iris'):\n    name == 'iris' and load(name)"
)
VERSIONS = "import sys, numpy\nprint('numpy', numpy.__version__)\nprint('in 1.25 s', object())"
VERSIONS += "\nprint('w', file=sys.stderr)"

# By name: what is stored of the last cell, that cell, one before it; then how the cells
# end, and what is said.
PASSES = ["PASSED"] * 3
FAILS = ["PASSED", "PASSED", "FAILED"]
NOT_COMPARED = "executed, NOT compared with its stored outputs: no data (usps)"
COMPARED = {
    "differs": (
        ("error 0.12\n", "print('error 0.13')", LOAD.format("iris")),
        (FAILS, "Cell outputs differ"),
    ),
    "may_differ": (
        (
            "numpy 1.0.0\nin 9 s <object object at 0x7f0000000000>\n",
            VERSIONS,
            "1",
        ),
        (PASSES, ""),
    ),
    "no_data": (
        ("error 0.12\n", "print('error 0.13')", LOAD.format("usps")),
        (PASSES, f"no_data.ipynb: {NOT_COMPARED}"),
    ),
    "no_data_and_fails": (
        ("error 0.12\n", "1 / 0", LOAD.format("usps")),
        (FAILS, "ZeroDivisionError"),
    ),
    "optional_differs": (
        ("error 0.12\n", "print('error 0.13')", MAYBE),
        (FAILS, "Cell outputs differ"),
    ),
}


def write(folder, name, stored, printing, *before):
    nb = notebook("# T", *before, printing)
    cells = (cell for cell in nb.cells if cell.cell_type == "code")
    for count, cell in enumerate(cells, 1):
        cell["execution_count"] = count
    nb.cells[-1].outputs = [new_output("stream", text=stored)]
    for cell in nb.cells[2:-1]:
        cell.metadata["tags"] = ["nbval-ignore-output"]
    path = folder / f"{name}.ipynb"
    nbformat.write(nb, path)
    return path


def compare(folder, paths, *options):
    """Exit code and output of the comparison of notebooks with their stored outputs."""
    words = "-m pytest -p conftest -p no:cacheprovider --color=no -v --rootdir"
    nbval = "--nbval --nbval-current-env --nbval-sanitize-with"
    command = [sys.executable, *words.split(), folder, *nbval.split()]
    command.append(ROOT / "tests" / "nbval_sanitize.cfg")
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "TOOLKIT_CACHE": str(folder),
        "TOOLKIT_DATA": "",
    }
    done = subprocess.run(
        [*command, *options, *paths],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    return done.returncode, done.stdout + done.stderr


@fixture(scope="module")
def said(tmp_path_factory):
    """What one comparison of all these notebooks says."""
    folder = tmp_path_factory.mktemp("compared")
    paths = [
        write(folder, name, *cells) for name, (cells, _) in COMPARED.items()
    ]
    code, said = compare(folder, paths, "-p", "no:xdist")
    assert code == 1
    return said


@mark.slow
@mark.parametrize("name", COMPARED)
def test_a_number_that_differs_fails_where_the_data_are_at_hand(said, name):
    ends, words = COMPARED[name][1]
    matches = re.findall(rf"^{name}::ipynb::Cell \d+ (\w+)", said, re.MULTILINE)
    assert matches == ends and words in said
    assert (f"{name}.ipynb: executed" in said) == name.startswith("no_data")


@mark.slow
def test_cells_run_in_one_process_in_their_order_also_in_a_parallel_run(
    tmp_path,
):
    before = [f"x{i} = {i}" + (f" + x{i - 1}" if i else "") for i in range(6)]
    path = write(tmp_path, "01_t", "15\n", "print(x5)", *before)
    code, said = compare(tmp_path, [path], "-n", "2", "--dist", "loadgroup")
    assert code == 0, said


def test_a_set_that_was_not_at_hand_then_is_named_in_the_reason(monkeypatch):
    monkeypatch.setattr(available_data, "at_hand", lambda name: name != "usps")
    assert (
        available_data.other_data(["iris", "ida_german"])
        == "stored without ida_german"
    )
    assert (
        available_data.other_data(["iris", "ida_german", "usps"])
        == "no data (usps)"
    )
    assert available_data.other_data(["iris"]) == ""
    monkeypatch.setattr(
        available_data,
        "at_hand",
        lambda name: name not in ("usps", "ida_german", "poland_electricity"),
    )
    # as in the ledger
    assert (
        available_data.other_data(["poland_electricity", "ida_german", "iris"])
        == ""
    )
