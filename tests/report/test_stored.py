"""Stored notebooks: nothing in them differs from run to run."""

import copy

import nbformat
from nbformat.v4 import new_code_cell, new_output
from pytest import mark
from small_notebooks import notebook

from toolkit.report.export import WIDGET_STATE
from toolkit.report.stored import (
    WIDGET_VIEW,
    describe,
    normalise,
    parameters_of,
)


def executed_notebook(run):
    """A notebook as a run leaves it; `run` is what differs from run to run."""
    nb = notebook("# Title", "1 + 1", "print(1)")
    nb.metadata = {
        "papermill": {"start_time": run},
        "widgets": {WIDGET_STATE: {"state": {run: {}}}},
        "kernelspec": {"name": "other", "display_name": run},
        "language_info": {"name": "python", "version": run},
    }
    for cell in nb.cells:
        cell.metadata["papermill"] = {"duration": run}
    _, parameters, plus, printing = nb.cells
    for cell, count in ((parameters, 1), (plus, 3), (printing, 7)):
        cell["execution_count"] = count
    for tag in ("injected-parameters", "papermill-error-cell-tag"):
        nb.cells.insert(2, new_code_cell("seed = 3", metadata={"tags": [tag]}))
    view = {WIDGET_VIEW: {"model_id": run}}
    result = {"text/plain": "2", "image/png": "AAAA", **view}
    about = {"image/png": {"alt": "two", "caption": "Two."}}
    plus["outputs"] = [
        new_output(
            "execute_result", data=result, metadata=about, execution_count=3
        ),
        new_output("display_data", data=view),
        new_output("error", ename="E", evalue="v", traceback=["t"]),
    ]
    texts = (
        ("stdout", f"  0%\r 50% {run}\rdone\n"),
        ("stderr", run),
        ("stdout", "1\n"),
    )
    printing["outputs"] = [
        new_output("stream", name=n, text=text) for n, text in texts
    ]
    return nb


def test_two_runs_are_stored_as_the_same_bytes_and_storing_again_changes_nothing():
    first = normalise(executed_notebook("aaaa"))
    second = normalise(executed_notebook("bbbb"))
    assert nbformat.writes(first) == nbformat.writes(second)
    assert nbformat.writes(normalise(first)) == nbformat.writes(first)
    nbformat.validate(first)


def test_results_stay():
    given = executed_notebook("aaaa")
    before = copy.deepcopy(given)
    _, parameters, plus, printing = normalise(given).cells
    assert given == before
    counts = [cell.execution_count for cell in (parameters, plus, printing)]
    assert counts == [1, 2, 3]
    assert (
        parameters.metadata == {"tags": ["parameters"]} and plus.metadata == {}
    )
    result, error = plus.outputs
    assert result.data == {"text/plain": "2", "image/png": "AAAA"}
    assert result.metadata == {"image/png": {"alt": "two", "caption": "Two."}}
    assert result.execution_count == 2 and error.ename == "E"
    [text] = printing.outputs
    assert (text.name, text.text) == ("stdout", "done\n1\n")


def test_describe():
    question = "**Question.** Do [they](x.html)\nagree?"
    table = "| the paper's figure | here |\n|---|---|\n| 1 | first |"
    nb = notebook(f"# Maps of *labels*\n\n{question}\n\n{table}\n\nMore.", "1")
    image = {
        "data": {"image/png": "AA\nBB"},
        "metadata": {"image/png": {"alt": "x"}},
    }
    nb.cells[2]["outputs"] = [new_output("display_data", **image)]
    assert describe(nb) == {
        "title": "Maps of labels",
        "question": "Do they agree?",
        "before": "",
        "concordance": table,
        "reading": 1,
        "sessions": 1,
        "exercises": 0,
        "png": "AABB",
        "alt": "x",
    }
    blank = describe(notebook("no heading"))
    assert (blank["title"], blank["png"]) == ("", None)


@mark.parametrize(
    "source, names",
    [
        ("seed = 0\na = b = 1", ["seed", "a", "b"]),
        ("x: int = 1\nx.y = 2\n# z = 3", ["x"]),
        ("", []),
    ],
)
def test_parameters_of(source, names):
    assert (
        parameters_of(notebook("# T", "other = 1", parameters=source)) == names
    )
