"""Bars of progress leave nothing in a notebook; what is no bar stays."""

import sys

import nbformat
import pytest
from nbclient import NotebookClient

pytest.importorskip("ipywidgets")
from toolkit.explorer.progress import track

CODE = """
import sys, warnings
from tqdm import tqdm
from toolkit.explorer.progress import transient_bars
with transient_bars():
    for i in tqdm(range(30), mininterval=0, file=sys.stderr, leave=False):
        print(f"step {i}", file=sys.stderr) if i == 20 else None
    warnings.warn("kept")
print("done")
"""


def test_a_notebook_keeps_the_warnings_and_no_bar():
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE)])
    NotebookClient(nb, timeout=120, kernel_name="python3").execute()
    outputs = nb.cells[0].outputs
    errors = "".join(
        output.text for output in outputs if output.get("name") == "stderr"
    )
    assert "step 20" in errors
    assert "UserWarning: kept" in errors
    assert "%|" not in errors
    assert "\r" not in errors
    assert [
        output.data
        for output in outputs
        if output.output_type == "display_data"
    ] == [{}]
    assert [
        output.text for output in outputs if output.get("name") == "stdout"
    ] == ["done\n"]


def test_outside_of_notebooks_the_steps_come_in_order_and_short_work_is_quiet(
    capsys,
):
    stream = sys.stderr
    assert list(track((i * i for i in range(4)), "squares")) == [0, 1, 4, 9]
    assert sys.stderr is stream and capsys.readouterr().err.strip() == ""
