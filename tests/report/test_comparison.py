"""Stored outputs are compared with fresh ones, except where the data are not at hand; then the run says so."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_output
from small_notebooks import notebook

ROOT = Path(__file__).resolve().parents[2]
LOAD = "from toolkit.datasets import load_or_substitute\nbunch, is_real = load_or_substitute({!r})"


@pytest.fixture
def compare(tmp_path):
    """Function (stored text, cell, *cells before): exit code and output of the comparison of one notebook."""

    def run(stored, printing, *before, options=("-p", "no:xdist")):
        nb = notebook("# T", *before, printing)
        for count, cell in enumerate((cell for cell in nb.cells if cell.cell_type == "code"), 1):
            cell["execution_count"] = count
        nb.cells[-1].outputs = [new_output("stream", text=stored)]
        for cell in nb.cells[2:-1]:
            cell.metadata["tags"] = ["nbval-ignore-output"]
        path = tmp_path / "01_t.ipynb"
        nbformat.write(nb, path)
        command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "--color=no", "-q"]
        command += ["--nbval", "--nbval-current-env", "--nbval-sanitize-with", ROOT / "tests" / "nbval_sanitize.cfg"]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "TOOLKIT_CACHE": str(tmp_path), "TOOLKIT_DATA": ""}
        done = subprocess.run(
            [*command, *options, path], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600
        )
        return done.returncode, done.stdout + done.stderr

    return run


def test_a_number_that_differs_fails(compare):
    code, said = compare("error 0.12\n", "print('error 0.13')", LOAD.format("iris"))
    assert code == 1 and "Cell outputs differ" in said and "NOT compared" not in said


def test_cells_run_in_one_process_in_their_order_also_in_a_parallel_run(compare):
    before = [f"x{i} = {i}" + (f" + x{i - 1}" if i else "") for i in range(6)]
    code, said = compare("15\n", "print(x5)", *before, options=("-n", "2", "--dist", "loadgroup"))
    assert code == 0, said


def test_what_may_differ_is_not_compared(compare):
    printing = "import sys, numpy\nprint('numpy', numpy.__version__)\nprint('in 1.25 s', object())"
    printing += "\nprint('w', file=sys.stderr)"
    code, said = compare("numpy 1.0.0\nin 9 s <object object at 0x7f0000000000>\n", printing)
    assert code == 0, said


def test_without_its_data_a_notebook_is_run_but_not_compared(compare):
    code, said = compare("error 0.12\n", "print('error 0.13')", LOAD.format("usps"))
    assert code == 0 and "01_t.ipynb: executed, NOT compared with its stored outputs: no data (usps)" in said
    code, said = compare("error 0.12\n", "1 / 0", LOAD.format("usps"))
    assert code == 1 and "ZeroDivisionError" in said


def test_names_in_variables_are_found_too(compare):
    loop = "from toolkit import datasets\nfor name in ('iris', 'usps'):\n    datasets.load_or_substitute(name)"
    code, said = compare("1\n", "print(2)", loop)
    assert code == 0 and "no data (usps)" in said


def test_names_made_by_f_strings_are_found_too(settings):
    nb = notebook("# T", "for name in ('heart', 'x'):\n    load_or_substitute(f'ida_{name}')\nload('iris')")
    assert settings.data_names(nb) == ["ida_heart", "iris"]


def test_sets_that_are_not_public_do_not_stop_the_comparison(compare):
    maybe = "from toolkit.datasets import load\nfor name in ('ida_german', 'iris'):\n    name == 'iris' and load(name)"
    code, said = compare("error 0.12\n", "print('error 0.12')", maybe)
    assert code == 0 and "NOT compared" not in said
    code, said = compare("error 0.12\n", "print('error 0.13')", maybe)
    assert code == 1 and "Cell outputs differ" in said


@pytest.fixture
def settings():
    found = importlib.util.spec_from_file_location("settings_of_the_run", ROOT / "conftest.py")
    settings = importlib.util.module_from_spec(found)
    found.loader.exec_module(settings)
    return settings


def test_a_set_that_was_not_at_hand_then_is_told(settings, monkeypatch):
    monkeypatch.setattr(settings, "at_hand", lambda name: name != "usps")
    assert settings.other_data(["iris", "ida_german"]) == "stored without ida_german"
    assert settings.other_data(["iris", "ida_german", "usps"]) == "no data (usps)"
    assert settings.other_data(["iris"]) == ""
    monkeypatch.setattr(settings, "at_hand", lambda name: name not in ("usps", "ida_german", "poland_electricity"))
    assert settings.other_data(["poland_electricity", "ida_german", "iris"]) == ""  # as in the ledger
