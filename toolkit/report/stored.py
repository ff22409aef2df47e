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

WORDS_PER_MINUTE = 180
LINES_PER_MINUTE = 15  # of code
MINUTES_OF_OUTPUT = {"image/png": 1, "text/html": 2 / 3}
SUBSTITUTED = re.compile(r"^NOTE: ([\w, ]+): not available here", re.M)
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
# Tags of cells that papermill adds.
PAPERMILL_TAGS = {"injected-parameters", "papermill-error-cell-tag"}


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
    nb.cells = [cell for cell in nb.cells if not PAPERMILL_TAGS & tags(cell)]
    for cell in nb.cells:
        tag_list = cell.metadata.get("tags")
        # All other metadata are bookkeeping.
        cell.metadata = {}
        if tag_list:
            cell.metadata["tags"] = tag_list
        if cell.cell_type != "code":
            continue
        if cell.get("execution_count") is not None:
            cell.execution_count = next(counts)
        cell.outputs = _outputs(cell)
        # The last text stays of a line that was written over, as a bar is.
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
        is_empty_widget = not output.get("data", True)
        if output.get("name") != "stderr" and not is_empty_widget:
            outputs.append(output)
    return outputs


def substituted(nb):
    """Data sets of which the notebook notes that they were not available."""
    data_sets = set()
    for output in _all_outputs(nb):
        text = output.get("data", {}).get("text/plain", "")
        for words in (output.get("text", ""), text):
            for names in SUBSTITUTED.findall(words):
                data_sets.update(names.split(", "))
    return sorted(data_sets)


def describe(nb):
    """What lists of notebooks say of one, in plain text but for the concordance.

    ``title`` is the first H1; ``question`` and ``before`` are the paragraphs that start
    with ``**Question.**`` and ``**Prerequisites.**``; ``concordance`` is the table, in
    Markdown, of the source's figures and ours; ``reading`` are `minutes`, ``sessions``
    those of a course that it takes, and ``exercises`` their number; ``png`` is the
    first picture in base64 or None, and ``alt`` its text.
    """
    markdown = [cell for cell in nb.cells if cell.cell_type == "markdown"]
    prose = "\n\n".join(cell.source for cell in markdown)
    table = re.search(
        r"^\| the \w+'s figure .*?(?=\n\s*\n|\Z)", prose, re.M | re.S
    )
    concordance = ""
    if table:
        concordance = table[0]
    png, alt = _first_picture(nb)
    title = _plain(r"^#\s+([^\n]+)$", prose)
    question = _paragraph_after("Question", prose)
    prerequisites = _paragraph_after("Prerequisites", prose)
    return {
        "title": title,
        "question": question,
        "before": prerequisites,
        "concordance": concordance,
        "reading": minutes(nb),
        "sessions": _sessions(prose),
        "exercises": sum("answer" in tags(cell) for cell in nb.cells),
        "png": png,
        "alt": alt,
    }


def _sessions(prose):
    """One, or as many as the notebook says that its parts are.

    `prose` is the text of the notebook's Markdown cells.
    """
    parts = re.search(
        r"Each of the (two|three|four) parts takes one session", prose
    )
    if not parts:
        return 1
    return {"two": 2, "three": 3, "four": 4}[parts[1]]


def _first_picture(nb):
    """Its picture in base64, or None, and its alternative text."""
    for output in _all_outputs(nb):
        png = output.get("data", {}).get("image/png")
        if png:
            metadata = output.get("metadata", {}).get("image/png", {})
            return "".join(png.split()), metadata.get("alt", "")
    return None, ""


def _all_outputs(nb):
    for cell in nb.cells:
        yield from cell.get("outputs", [])


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
            time += len(text.split()) / WORDS_PER_MINUTE
        elif cell.cell_type == "code" and "solution" not in tags(cell):
            time += len(cell.source.splitlines()) / LINES_PER_MINUTE
            for output in cell.get("outputs", []):
                kinds = output.get("data", {})
                times = [MINUTES_OF_OUTPUT.get(kind, 0) for kind in kinds]
                time += max(times, default=0)
    return round(time)


def _paragraph_after(word, prose):
    """The paragraph that starts with a bold word, without this."""
    pattern = rf"^\*\*{word}\.\*\*\s*(.+?)(?:\n\s*\n|\Z)"
    return _plain(pattern, prose)


def _plain(pattern, prose):
    """What a pattern finds first, in plain text: "" if it finds nothing."""
    match = re.search(pattern, prose, re.M | re.S)
    if not match:
        return ""
    # Links keep their words.
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1])
    return " ".join(re.sub(r"[*`$]", "", text).split())


def parameters_of(nb):
    """Names assigned in the cell tagged ``parameters``, in order.

    A SyntaxError if it is not Python alone.
    """
    names = []
    for cell in nb.cells:
        if cell.cell_type == "code" and "parameters" in tags(cell):
            tree = ast.parse(cell.source, "the cell of parameters")
            for node in ast.walk(tree):
                if isinstance(node, ast.Name):
                    if isinstance(node.ctx, ast.Store):
                        names.append(node.id)
    return names
