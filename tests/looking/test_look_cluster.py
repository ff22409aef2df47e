"""``look --cluster``: the same page, with loops that run on workers of Dask."""

import ast
import os
import subprocess
import sys

import nbformat
import pytest
from small_tables import table_of

from toolkit.report import execute
from toolkit.report.execute import VARIABLE

pytestmark = pytest.mark.cluster


def look(folder, *words):
    command = [sys.executable, "-m", "toolkit", "look", str(folder / "fruit.csv"), "--target", "kind"]
    out = folder / f"page{len(words)}.html"
    done = subprocess.run([*command, "--out", str(out), *words], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return nbformat.read(out.with_suffix(".ipynb"), as_version=4)


def outputs(nb):
    """What the cells say and draw, without the names of widgets, which are drawn at random."""
    found = [output.get("data", {}) for cell in nb.cells if cell.cell_type == "code" for output in cell.outputs]
    return [{kind: data[kind] for kind in data if kind in ("text/plain", "image/png")} for data in found]


def test_the_page_has_the_same_numbers(tmp_path):
    table_of(n=40).to_csv(tmp_path / "fruit.csv", index=False)
    assert outputs(look(tmp_path)) == outputs(look(tmp_path, "--cluster", "local:2"))


def test_a_wrong_address_is_one_line(tmp_path):
    table_of(n=40).to_csv(tmp_path / "fruit.csv", index=False)
    command = [sys.executable, "-m", "toolkit", "look", "fruit.csv", "--target", "kind"]
    done = subprocess.run(
        [*command, "--cluster", "tcp://127.0.0.1:1"], cwd=tmp_path, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 2 and done.stderr.startswith("toolkit look: There is no scheduler at tcp://127.0.0.1:1")
    assert done.stderr.count("\n") == 1 and [path.name for path in tmp_path.iterdir()] == ["fruit.csv"]


def test_loops_of_a_kernel_run_on_the_workers_of_the_cluster_named(write_notebook, tmp_path, cluster, monkeypatch):
    """What `look --cluster` sets for its kernel; the processes that did the tasks are the workers."""
    monkeypatch.setenv(VARIABLE, cluster.scheduler.address)
    code = (
        "import os\nfrom joblib import Parallel, delayed\nprint(set(Parallel(2)(delayed(os.getpid)() for _ in 'abcd')))"
    )
    path = write_notebook("01_a", "# A", code)
    job = {"notebook": str(path), "output": str(tmp_path / "out.ipynb"), "parameters": {}}
    assert execute.run(job, print)
    text = nbformat.read(tmp_path / "out.ipynb", as_version=4).cells[-1].outputs[0].text
    assert ast.literal_eval(text) <= set(cluster.run(os.getpid).values())
