"""The page of a look: the notebook's cells, run in a kernel by the command or in this process by `Look.report`."""

import copy
import html
import re
from pathlib import Path

from ..core.files import write_text
from ..explorer import Explorer
from ..explorer.offline import check_page
from ..report import export
from ..report.project import Project
from .views import Picture

NAME = "00_your_data"
STATE = "application/vnd.jupyter.widget-state+json"


def template(title):
    """The notebook, with a title of one's own."""
    import nbformat

    nb = nbformat.read(Project.find().notebooks / f"{NAME}.ipynb", as_version=4)
    words = html.escape(" ".join(str(title).split()), quote=False)
    words = re.sub(r"([\\`*_$\[\]#])", r"\\\1", words)
    nb.cells[0].source = f"# {words}"
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nb


def page_of(nb, title):
    """The page of the executed notebook: what one may believe first, no code but that of the last section."""
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.source = ""
    nb.cells[1:] = sorted(
        nb.cells[1:], key=lambda cell: "first" not in cell.metadata.get("tags", [])
    )
    return export.notebook_page(nb, title, home=None, alt_texts=False)[0]


def write_report(seen, path, title):
    """Write the page of a `Look` that is there already; returns the path."""
    path = check_page(Path(path))
    nb = template(title)
    state = {}
    for cell in nb.cells:
        shown = cell.source.rpartition("\n")[2]
        if cell.cell_type == "code" and shown.startswith("seen."):
            cell.outputs = [_output(eval(shown, {"seen": seen}), state)]
    nb.metadata["widgets"] = {STATE: {"state": state}}
    write_text(path, page_of(nb, title))
    return path


def _output(value, state):
    """Output of a cell whose last line is `value`; the state of a widget is added to `state`."""
    from ipywidgets.embed import dependency_state
    from nbformat.v4 import new_output

    metadata = {}
    if isinstance(value, Picture):
        data = {"image/png": value.png()}
        metadata = {"image/png": {"alt": value.alt, "caption": value.caption}}
    elif isinstance(value, Explorer):
        data, metadata = value._repr_mimebundle_()
        state |= dependency_state([value], drop_defaults=False)
    else:
        data = {"text/html": value._repr_html_(), "text/plain": repr(value)}
    return new_output("display_data", data, metadata=metadata)
