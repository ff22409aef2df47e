"""Notebooks: normalised for the repository, described, and their parameters.

A notebook is stored as a run leaves it, less everything that differs from run to run:
two runs on one machine give the same bytes, so that a difference in a stored notebook
is a difference in a result.
"""

import ast
import re
from copy import deepcopy

# read in a minute; minutes to read a table; a picture takes one
WORDS, LINES, TABLE = 180, 15, 2 / 3
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
# tags of cells that papermill adds
ADDED = {"injected-parameters", "papermill-error-cell-tag"}
# what an author sets; the rest is bookkeeping
CELL_KEYS = {"tags", "jupyter", "collapsed"}
IMAGE_KEYS = {"alt", "caption", "width", "height", "layout"}


def normalise(nb):
    """Copy of an executed notebook without anything that differs from run to run.

    Left out: injected parameters, error streams and progress bars, widget state and
    widget views (a picture or a text stands beside each), times, papermill's notes and
    the interpreter's version. Execution counts become 1..n.
    """
    from nbformat import from_dict

    nb, count = deepcopy(nb), 0
    nb.metadata = from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    nb.nbformat_minor = 5
    nb.cells = [
        cell for cell in nb.cells if not ADDED & set(cell.metadata.get("tags", []))
    ]
    for number, cell in enumerate(nb.cells):
        cell.setdefault("id", f"cell-{number:03d}")
        cell.metadata = from_dict(
            {
                key: value
                for key, value in cell.metadata.items()
                if key in CELL_KEYS and value
            }
        )
        if cell.cell_type == "code":
            ran = cell.get("execution_count") is not None
            count += ran
            cell.execution_count = count if ran else None
            cell.outputs = _outputs(cell)
    return nb


def _outputs(cell):
    kept = []
    for output in cell.outputs:
        if output.output_type == "stream":
            # a line that was written over was a progress bar
            output.text = re.sub(r"[^\n]*\r(?!\n)", "", output.text)
            if output.name == "stderr" or not output.text:
                continue
            if kept and kept[-1].output_type == "stream":
                kept[-1].text += output.text
                continue
        elif output.output_type != "error":
            output.data.pop(WIDGET_VIEW, None)
            if not output.data:
                continue
            output.metadata = {
                kind: about
                for kind, given in output.metadata.items()
                if (about := _about(kind, given))
            }
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count
        kept.append(output)
    return kept


def _about(kind, given):
    """What is kept of the metadata of an output: of a picture, and the mark of the caption of the one before."""
    if isinstance(given, dict):
        return {key: value for key, value in given.items() if key in IMAGE_KEYS}
    return given if kind == "caption" else None


def describe(nb):
    """What lists of notebooks say of one, in plain text but for the concordance.

    ``title`` is the first H1; ``question`` and ``before`` are the paragraphs that start
    with ``**Question.**`` and ``**Before.**``; ``concordance`` is the table, in
    Markdown, of the source's figures and ours; ``reading`` are `minutes` and
    ``exercises`` their number; ``png`` is the first picture in base64 or None, and
    ``alt`` its text.
    """
    prose = "\n\n".join(
        cell.source for cell in nb.cells if cell.cell_type == "markdown"
    )
    table = re.search(r"^\| the \w+'s figure .*?(?=\n\s*\n|\Z)", prose, re.M | re.S)
    outputs = (output for cell in nb.cells for output in cell.get("outputs", []))
    picture = next(
        (output for output in outputs if "image/png" in output.get("data", {})), None
    )
    return {
        "title": _plain(r"^#\s+([^\n]+)$", prose),
        "question": _plain(r"^\*\*Question\.\*\*\s*(.+?)(?:\n\s*\n|\Z)", prose),
        "before": _plain(r"^\*\*Before\.\*\*\s*(.+?)(?:\n\s*\n|\Z)", prose),
        "concordance": table[0] if table else "",
        "reading": minutes(nb),
        "exercises": sum(
            "answer" in cell.metadata.get("tags", []) for cell in nb.cells
        ),
        "png": "".join(picture.data["image/png"].split()) if picture else None,
        "alt": (
            picture.get("metadata", {}).get("image/png", {}).get("alt", "")
            if picture
            else ""
        ),
    }


def minutes(nb):
    """Minutes that a student needs to read a notebook with its code, without its solutions.

    Examples
    --------
    >>> from nbformat.v4 import new_markdown_cell, new_notebook
    >>> minutes(new_notebook(cells=[new_markdown_cell("word " * 360)]))
    2
    """
    time = 0.0
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            time += (
                len(re.sub(r"\$\$.*?\$\$", "", cell.source, flags=re.DOTALL).split())
                / WORDS
            )
        elif cell.cell_type == "code" and "solution" not in cell.metadata.get(
            "tags", []
        ):
            time += len(cell.source.splitlines()) / LINES
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                time += (
                    1 if "image/png" in data else TABLE if "text/html" in data else 0
                )
    return round(time)


def _plain(pattern, prose):
    """What a pattern finds first, in plain text: "" if it finds nothing."""
    found = re.search(pattern, prose, re.M | re.S)
    # links keep their words
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1] if found else "")
    return " ".join(re.sub(r"[*`$]", "", text).split())


def parameters_of(nb):
    """Names assigned in the cell tagged ``parameters``, in order; a ValueError if it is not Python alone."""
    names = []
    for cell in nb.cells:
        if cell.cell_type == "code" and "parameters" in cell.metadata.get("tags", []):
            try:
                statements = ast.parse(cell.source).body
            except (SyntaxError, ValueError) as error:
                raise ValueError(
                    f"its cell of parameters is not Python: {error}"
                ) from None
            for node in statements:
                targets = getattr(node, "targets", [getattr(node, "target", None)])
                names += [
                    target.id for target in targets if isinstance(target, ast.Name)
                ]
    return names
