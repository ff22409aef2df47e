"""Notebooks: normalised for the repository, described, and their parameters.

A notebook is stored as a run leaves it, less everything that differs from run to run: two runs on one machine give the
same bytes, so that a difference in a stored notebook is a difference in a result.
"""

import ast
import re

__all__ = ["WIDGET_VIEW", "describe", "minutes", "normalise", "parameters_of"]

WORDS, LINES, TABLE = 180, 15, 2 / 3  # read in a minute; minutes to read a table; a picture takes one
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
CELL_KEYS = {"tags", "jupyter", "collapsed"}  # what an author sets; the rest is bookkeeping
IMAGE_KEYS = {"alt", "caption", "width", "height", "layout"}


def normalise(nb):
    """Copy of an executed notebook without anything that differs from run to run.

    Left out: injected parameters, error streams and progress bars, widget state and widget views (a picture or a
    text stands beside each), times, papermill's notes and the interpreter's version. Execution counts become 1..n.
    """
    from nbformat import from_dict

    cells, count = [], 0
    for number, cell in enumerate(nb.cells):
        tags = cell.metadata.get("tags", [])
        if "injected-parameters" in tags or "papermill-error-cell-tag" in tags:
            continue
        stored = {"id": cell.get("id", f"cell-{number:03d}"), "cell_type": cell.cell_type, "source": cell.source}
        stored["metadata"] = {key: value for key, value in cell.metadata.items() if key in CELL_KEYS and value}
        if cell.get("attachments"):
            stored["attachments"] = cell.attachments
        if cell.cell_type == "code":
            ran = cell.get("execution_count") is not None
            count += ran
            stored["execution_count"] = count if ran else None
            stored["outputs"] = _outputs(cell.outputs, stored["execution_count"])
        cells.append(stored)
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    return from_dict({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _outputs(outputs, execution_count):
    kept = []
    for output in outputs:
        if output.output_type == "stream":
            text = re.sub(r"[^\n]*\r(?!\n)", "", output.text)  # a line that was written over was a progress bar
            if output.name == "stderr" or not text:
                continue
            if kept and kept[-1]["output_type"] == "stream":
                kept[-1]["text"] += text
            else:
                kept.append({"output_type": "stream", "name": "stdout", "text": text})
        elif output.output_type == "error":
            kept.append(dict(output))
        else:
            data = {kind: content for kind, content in output.data.items() if kind != WIDGET_VIEW}
            if not data:
                continue
            given = output.get("metadata", {})
            pictures = {kind: given[kind] for kind in data if isinstance(given.get(kind), dict)}
            about = {kind: {k: v for k, v in found.items() if k in IMAGE_KEYS} for kind, found in pictures.items()}
            metadata = {kind: words for kind, words in about.items() if words}
            if given.get("caption") is True:  # `toolkit.plots.publish` marks the caption of the picture before it
                metadata["caption"] = True
            entry = {"output_type": output.output_type, "data": data, "metadata": metadata}
            if output.output_type == "execute_result":
                entry["execution_count"] = execution_count
            kept.append(entry)
    return kept


def describe(nb):
    """What lists of notebooks say of one, in plain text but for the concordance.

    ``title`` is the first H1; ``question`` and ``before`` are the paragraphs that start with ``**Question.**`` and
    ``**Before.**``; ``concordance`` is the table, in Markdown, of the source's figures and ours; ``reading`` are
    `minutes` and ``exercises`` their number; ``png`` is the first picture in base64 or None, and ``alt`` its text.
    """
    prose = "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    title = re.search(r"^#\s+(.+)$", prose, re.M)
    question = re.search(r"^\*\*Question\.\*\*\s*(.+?)(?:\n\s*\n|\Z)", prose, re.M | re.S)
    before = re.search(r"^\*\*Before\.\*\*\s*(.+?)(?:\n\s*\n|\Z)", prose, re.M | re.S)
    table = re.search(r"^\| the \w+'s figure .*?(?=\n\s*\n|\Z)", prose, re.M | re.S)
    about = {"title": _plain(title), "question": _plain(question), "before": _plain(before)}
    about |= {"concordance": table[0] if table else "", "reading": minutes(nb)}
    about |= {"exercises": sum("answer" in cell.metadata.get("tags", []) for cell in nb.cells)}
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
                return about | {"png": "".join(output.data["image/png"].split()), "alt": alt}
    return about | {"png": None, "alt": ""}


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
            time += len(re.sub(r"\$\$.*?\$\$", "", cell.source, flags=re.DOTALL).split()) / WORDS
        elif cell.cell_type == "code" and "solution" not in cell.metadata.get("tags", []):
            time += len(cell.source.splitlines()) / LINES
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                time += 1 if "image/png" in data else TABLE if "text/html" in data else 0
    return round(time)


def _plain(match):
    if match is None:
        return ""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1])  # links keep their words
    return " ".join(re.sub(r"[*`$]", "", text).split())


def parameters_of(nb):
    """Names assigned in the cell tagged ``parameters``, in order; a ValueError if it is not Python alone."""
    names = []
    for cell in nb.cells:
        if cell.cell_type == "code" and "parameters" in cell.metadata.get("tags", []):
            try:
                statements = ast.parse(cell.source).body
            except (SyntaxError, ValueError) as error:
                raise ValueError(f"its cell of parameters is not Python: {error}") from None
            for node in statements:
                targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
                names += [target.id for target in targets if isinstance(target, ast.Name)]
    return names
