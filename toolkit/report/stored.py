"""Notebooks: read and written, in the repository's form, and what lists say of them.

A notebook is stored as a run leaves it, less everything that differs from run to run:
two runs on one machine give the same bytes, so that a difference in a stored notebook
is a difference in a result.
"""

import ast
import itertools
import re
from copy import deepcopy

from ..core import write_text

WORDS, LINES = 180, 15  # read in a minute
MINUTES = {"image/png": 1, "text/html": 2 / 3}  # to read a picture, a table
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
# tags of cells that papermill adds
ADDED = {"injected-parameters", "papermill-error-cell-tag"}


def read_notebook(path):
    import nbformat

    return nbformat.read(path, as_version=4)


def write_notebook(path, nb):
    import nbformat

    write_text(path, nbformat.writes(nb) + "\n")


def normalise(nb):
    """Copy of an executed notebook without anything that differs from run to run.

    Left out: injected parameters, error streams and progress bars, widget state and
    widget views (each has a picture or a text as well), times, papermill's notes and
    the interpreter's version. Execution counts become 1..n.
    """
    from nbconvert.preprocessors import CoalesceStreamsPreprocessor

    nb = deepcopy(nb)
    counts = itertools.count(1)
    nb.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    nb.nbformat_minor = 5
    nb.cells = [cell for cell in nb.cells if not ADDED & tags(cell)]
    for cell in nb.cells:
        words = cell.metadata.get("tags")
        # the rest is bookkeeping
        cell.metadata = {"tags": words} if words else {}
        if cell.cell_type == "code":
            if cell.get("execution_count") is not None:
                cell.execution_count = next(counts)
            cell.outputs = _outputs(cell)
            # of a line that was written over, a progress bar, the last text stays
            CoalesceStreamsPreprocessor().preprocess_cell(cell, {}, None)
    return nb


def tags(cell):
    return set(cell.metadata.get("tags", []))


def _outputs(cell):
    """The outputs of a cell, without error streams and views of widgets."""
    outputs = []
    for output in cell.outputs:
        if "data" in output:
            output.data.pop(WIDGET_VIEW, None)
        if output.output_type == "execute_result":
            output.execution_count = cell.execution_count
        # an error stream, and a widget without a picture
        if output.get("name") != "stderr" and output.get("data", True):
            outputs.append(output)
    return outputs


def substituted(nb):
    """Data sets of which the notebook notes that they were not available."""
    texts = [
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for output in _all_outputs(nb)
    ]
    noted = re.findall(
        r"^NOTE: ([\w, ]+): not available here", "\n".join(texts), re.M
    )
    return sorted({name for names in noted for name in names.split(", ")})


def describe(nb):
    """What lists of notebooks say of one, in plain text but for the concordance.

    ``title`` is the first H1; ``question`` and ``before`` are the paragraphs that start
    with ``**Question.**`` and ``**Prerequisites.**``; ``concordance`` is the table, in
    Markdown, of the source's figures and ours; ``reading`` are `minutes`, ``sessions``
    those of a course that it takes, and ``exercises`` their number; ``png`` is the
    first picture in base64 or None, and ``alt`` its text.
    """
    prose = "\n\n".join(
        cell.source for cell in nb.cells if cell.cell_type == "markdown"
    )
    table = re.search(
        r"^\| the \w+'s figure .*?(?=\n\s*\n|\Z)", prose, re.M | re.S
    )
    png, alt = _first_picture(nb)
    return {
        "title": _plain(r"^#\s+([^\n]+)$", prose),
        "question": _plain(r"^\*\*Question\.\*\*\s*(.+?)(?:\n\s*\n|\Z)", prose),
        "before": _plain(
            r"^\*\*Prerequisites\.\*\*\s*(.+?)(?:\n\s*\n|\Z)", prose
        ),
        "concordance": table[0] if table else "",
        "reading": minutes(nb),
        "sessions": _sessions(prose),
        "exercises": sum("answer" in tags(cell) for cell in nb.cells),
        "png": png,
        "alt": alt,
    }


def _sessions(prose):
    """One, or as many as the notebook says that its parts are."""
    parts = re.search(
        r"Each of the (two|three|four) parts takes one session", prose
    )
    return 2 + ["two", "three", "four"].index(parts[1]) if parts else 1


def _first_picture(nb):
    """Its picture in base64, or None, and its alternative text."""
    for output in _all_outputs(nb):
        if png := output.get("data", {}).get("image/png"):
            about = output.get("metadata", {}).get("image/png", {})
            return "".join(png.split()), about.get("alt", "")
    return None, ""


def _all_outputs(nb):
    return (out for cell in nb.cells for out in cell.get("outputs", []))


def minutes(nb):
    """Minutes that a student needs to read a notebook and its code, not its solutions.

    Examples
    --------
    >>> from nbformat.v4 import new_markdown_cell, new_notebook
    >>> minutes(new_notebook(cells=[new_markdown_cell("word " * 360)]))
    2
    """
    time = 0.0
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"\$\$.*?\$\$", "", cell.source, flags=re.DOTALL)
            time += len(text.split()) / WORDS
        elif cell.cell_type == "code" and "solution" not in tags(cell):
            time += len(cell.source.splitlines()) / LINES
            for output in cell.get("outputs", []):
                kinds = output.get("data", {})
                time += max((MINUTES.get(kind, 0) for kind in kinds), default=0)
    return round(time)


def _plain(pattern, prose):
    """What a pattern finds first, in plain text: "" if it finds nothing."""
    found = re.search(pattern, prose, re.M | re.S)
    # links keep their words
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1] if found else "")
    return " ".join(re.sub(r"[*`$]", "", text).split())


def parameters_of(nb):
    """Names assigned in the cell tagged ``parameters``, in order.

    A SyntaxError if it is not Python alone.
    """
    return [
        node.id
        for cell in nb.cells
        if cell.cell_type == "code" and "parameters" in tags(cell)
        for node in ast.walk(ast.parse(cell.source, "the cell of parameters"))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
