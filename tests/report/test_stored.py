"""Stored notebooks: nothing in them differs from run to run."""

import copy

import nbformat
from nbformat.v4 import new_code_cell, new_output
from pytest import mark
from small_notebooks import notebook

from toolkit.report.export import STATE
from toolkit.report.stored import WIDGET_VIEW, describe, normalise, parameters_of


def executed_notebook(run):
    """A notebook as a run leaves it; `run` is what differs from run to run."""
    nb = notebook("# Title", "1 + 1", "print(1)", "")
    nb.metadata = {
        "papermill": {"start_time": run},
        "toolkit": {"substituted": []},
        "widgets": {STATE: {"state": {run: {}}}},
        "kernelspec": {"name": "other", "display_name": run},
        "language_info": {"name": "python", "version": run},
    }
    for cell in nb.cells:
        cell.metadata["papermill"] = {"duration": run}
        cell.metadata["execution"] = {"iopub.execute_input": run}
    _, parameters, plus, printing, _ = nb.cells
    for cell, count in ((parameters, 1), (plus, 3), (printing, 7)):
        cell["execution_count"] = count
    tags = {"tags": ["injected-parameters"]}
    nb.cells.insert(2, new_code_cell("seed = 3", metadata=tags, execution_count=2))
    view = {WIDGET_VIEW: {"model_id": run}}
    result = {"text/plain": "2", "image/png": "AAAA", **view}
    about = {"image/png": {"alt": "two", "caption": "Two."}}
    caption = {"data": {"text/markdown": "*c*"}, "metadata": {"caption": True}}
    plus["outputs"] = [
        new_output("execute_result", data=result, metadata=about, execution_count=3),
        new_output("display_data", data=view),
        new_output("display_data", **caption),
    ]
    printing["outputs"] = [
        new_output("stream", name=name, text=text)
        for name, text in (
            ("stdout", f"  0%\r 50% {run}\rdone\n"),
            ("stderr", f"{run} left"),
            ("stdout", "1\n"),
        )
    ]
    return nb


def test_two_runs_are_stored_as_the_same_bytes_and_storing_again_changes_nothing():
    first, second = (normalise(executed_notebook(run)) for run in ("aaaa", "bbbb"))
    assert nbformat.writes(first) == nbformat.writes(second)
    assert nbformat.writes(normalise(first)) == nbformat.writes(first)
    nbformat.validate(first)


def test_results_stay():
    given = executed_notebook("aaaa")
    before = copy.deepcopy(given)
    nb = normalise(given)
    assert given == before
    _, parameters, plus, printing, empty = nb.cells
    assert [cell.get("execution_count") for cell in nb.cells[1:]] == [1, 2, 3, None]
    assert parameters.metadata == {"tags": ["parameters"]} and plus.metadata == {}
    result, caption = plus.outputs
    assert result.data == {"text/plain": "2", "image/png": "AAAA"}
    assert result.execution_count == 2
    assert result.metadata == {"image/png": {"alt": "two", "caption": "Two."}}
    assert caption.metadata == {"caption": True}
    assert printing.outputs == [
        {"output_type": "stream", "name": "stdout", "text": "done\n1\n"}
    ]
    assert empty.outputs == []
    assert nb.metadata.language_info == {"name": "python"}


def test_an_error_stays_visible_and_papermills_remarks_do_not():
    nb = notebook("# T", "1 / 0")
    error = new_output("error", ename="E", evalue="v", traceback=["t"])
    nb.cells[2]["outputs"] = [error]
    tags = {"tags": ["papermill-error-cell-tag"]}
    nb.cells.insert(0, new_code_cell("", metadata=tags))
    stored = normalise(nb)
    assert len(stored.cells) == 3 and stored.cells[2].outputs[0].ename == "E"


def test_describe():
    question = "**Question.** Do [they](x.html)\nagree?"
    nb = notebook(f"# Maps of *labels*\n\n{question}\n\nMore.", "1")
    about = {
        "title": "Maps of labels",
        "question": "Do they agree?",
        "before": "",
        "concordance": "",
        "reading": 0,
        "exercises": 0,
        "png": None,
        "alt": "",
    }
    assert describe(nb) == about
    picture = {"data": {"image/png": "AA\nBB"}, "metadata": {"image/png": {"alt": "x"}}}
    nb.cells[2]["outputs"] = [new_output("display_data", **picture)]
    assert describe(nb) == about | {"png": "AABB", "alt": "x", "reading": 1}
    table = "| the paper's figure | here |\n|---|---|\n| 1 | first |"
    assert describe(notebook(f"# T\n\n{table}\n\nMore."))["concordance"] == table
    assert describe(notebook("no heading"))["title"] == ""


@mark.parametrize(
    "source, names",
    [
        ("seed = 0\na = b = 1", ["seed", "a", "b"]),
        ("x: int = 1\nx.y = 2\n# z = 3", ["x"]),
        ("", []),
    ],
)
def test_parameters_of(source, names):
    assert parameters_of(notebook("# T", "other = 1", parameters=source)) == names
