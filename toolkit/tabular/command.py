"""The command `look`: a page about a table, a similarity matrix or a model.

``python -m toolkit look FILE --target COLUMN`` executes
``notebooks/00_your_data.ipynb`` and writes ``FILE_look.html``, which needs no network,
and ``FILE_look.ipynb``, to be continued in JupyterLab. Only a run without errors
replaces these two.
"""

import contextlib
import copy
import html
import itertools
import os
import re
import sys
import tempfile
from datetime import date
from pathlib import Path

from ..core import write_text
from ..explorer import Explorer
from ..explorer.offline import check_page
from ..report import export
from ..report.execute import Execution, kernel_environment, run_notebooks
from ..report.processes import caught_signals
from ..report.project import Project, digest
from ..report.stored import read_notebook, write_notebook
from .headers import one_line
from .richtext import RichText

SECONDS = 24 * 3600  # allowed to one cell: tables may be large


def run(options):
    """Run the command; returns its exit code."""
    options = vars(options)
    stem = Path(options["file"]).name.partition(".")[0] or "table"
    title = options.pop("title") or stem
    page = check_page(options.pop("out") or f"{stem}_look.html", "--out")
    folder = page.parent
    for name in ("file", "classes", "test", "model", "map"):
        if options[name] is not None:  # as seen from the folder of the notebook
            path = os.path.abspath(options[name])
            options[name] = os.path.relpath(path, folder.absolute())
    parameters = {
        "data": options.pop("file"),
        "target": options.pop("target"),
        "options": {
            name: value
            for name, value in options.items()
            if value is not None and value is not False
        },
    }
    work = tempfile.TemporaryDirectory(
        prefix=".look-", dir=folder, ignore_cleanup_errors=True
    )
    with caught_signals("nothing was written") as stop, work as folder:
        return _look(parameters, page, Path(folder), title, stop)


def _look(parameters, page, folder, title, stop):
    """Execute the notebook with some parameters, and write both files if that works."""
    nb = template(title)
    for cell in nb.cells:
        if "parameters" in cell.metadata.get("tags", []):
            lines = [
                f"{name} = {value!r}" for name, value in parameters.items()
            ]
            cell.source = "\n".join(lines)
    path = folder / "look.ipynb"
    write_notebook(path, nb)
    # Models and draws run in as many processes as there are cores, a thread each.
    environment = kernel_environment(
        TOOLKIT_FIGURES=None, IPYTHONDIR=str(folder)
    )
    run = Execution("look", path, page.parent.resolve(), environment, {})
    run_notebooks([run], 1, SECONDS, stop)
    if stop:
        return None
    if error := run.error:
        if error["name"] in ("ValueError", "ImportError"):
            raise ValueError(error["says"])
        end = f"toolkit look: {error['name']}: {error['says']}"
        print(*error["lines"], end, sep="\n", file=sys.stderr)
        return 1
    write_text(page, page_of(run.nb, title))
    notebook = _notebook_of(page)
    run.nb.metadata["toolkit"] = {"sources": _sources(run.nb)}
    write_notebook(notebook, run.nb)
    size = page.stat().st_size / 1e6
    print(f"{page} ({size:.1f} MB), and {notebook.name} for JupyterLab.")
    return 0


def _notebook_of(page):
    """Where the notebook goes: next to the page, and not over a changed one."""
    for number in itertools.count(1):
        end = f"_{number}" if number > 1 else ""
        path = page.with_name(f"{page.stem}{end}.ipynb")
        if not path.exists():
            return path
        # of what is no notebook of ours; nbformat has many
        with contextlib.suppress(Exception):
            nb = read_notebook(path)
            if nb.metadata["toolkit"]["sources"] == _sources(nb):
                return path


def _sources(nb):
    """Digest of the sources of the cells."""
    return digest([cell.source for cell in nb.cells])


# ---- the page ----


def template(title):
    """The notebook of a page, with its title and the date."""
    nb = read_notebook(Project.find().notebooks / "00_your_data.ipynb")
    title = html.escape(one_line(title), quote=False)
    nb.cells = [
        cell
        for cell in nb.cells
        if "example" not in cell.metadata.get("tags", [])
    ]
    # no Markdown in the title
    title = re.sub(r"([\\`*_$\[\]#])", r"\\\1", title)
    nb.cells[0].source = f"# {title}\n\nComputed on {date.today():%d %B %Y}."
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    return nb


def page_of(nb, title):
    """The page of the executed notebook, without its code."""
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.source = ""
    page, _ = export.notebook_page(
        nb, title, title=one_line(title), home=None, alt_texts=False
    )
    return page


def write_report(seen, path, title):
    """Write the page of a `Look` that is there already; returns the path."""
    path = check_page(path)
    nb = template(title)
    state = {}
    for cell in nb.cells:
        last = cell.source.rpartition("\n")[2]
        if cell.cell_type == "code" and last.startswith("seen."):
            cell.outputs = [_output(eval(last, {"seen": seen}), state)]
    mime = "application/vnd.jupyter.widget-state+json"
    nb.metadata["widgets"] = {mime: {"state": state}}
    write_text(path, page_of(nb, title))
    return path


def _output(value, state):
    """Output of a cell whose last line is `value`.

    The state of a widget is added to `state`.
    """
    from ipywidgets.embed import dependency_state
    from nbformat.v4 import new_output

    if isinstance(value, RichText):
        data = {"text/html": value._repr_html_(), "text/plain": repr(value)}
        metadata = {}
    else:
        data, metadata = value._repr_mimebundle_()
    if isinstance(value, Explorer):
        state |= dependency_state([value], drop_defaults=False)
    return new_output("display_data", data, metadata=metadata)
