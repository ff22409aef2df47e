"""The command `look`: a page about a table, a similarity matrix or a model.

``python -m toolkit look FILE --target COLUMN`` writes ``FILE_look.html``, which needs
no network, and ``FILE_look.ipynb``, the notebook with the same content, to be continued
in JupyterLab. Only a run without errors replaces these two.

The work is done in another process, whose numbers of threads are set before any library
is loaded, and which can be ended at any time: ``python -m toolkit.tabular.command
FOLDER`` reads `REQUEST` there, and leaves `PAGE_FILE` and `NOTEBOOK_FILE`, or
`FAILURE`.
"""

import contextlib
import itertools
import json
import os
import signal
import sys
import tempfile
import threading
import traceback
from pathlib import Path

from ..core import read_json, write_json, write_text
from ..explorer.offline import check_page
from ..report.execute import kernel_environment
from ..report.processes import caught_signals, run_process
from ..report.project import digest
from ..report.stored import read_notebook, write_notebook
from .look import look
from .page import notebook_of, page_of

# Arguments that name files.
PATH_ARGUMENTS = ("file", "classes", "test", "model", "map")
# Errors about what the user gave: their message says all.
USER_ERRORS = ("ValueError", "ImportError")
REQUEST = "request.json"
FAILURE = "failure.json"
PAGE_FILE = "look.html"
NOTEBOOK_FILE = "look.ipynb"


def run(options):
    """Run the command; returns its exit code."""
    options = vars(options)
    stem, _, _ = Path(options["file"]).name.partition(".")
    if not stem:
        stem = "table"
    title = options.pop("title")
    if not title:
        title = stem
    out = options.pop("out")
    if not out:
        out = f"{stem}_look.html"
    page = check_page(out, "--out")
    for name in PATH_ARGUMENTS:
        if options[name] is not None:
            # The notebook reads the files from where it is.
            path = os.path.abspath(options[name])
            options[name] = os.path.relpath(path, page.parent.absolute())
    data = options.pop("file")
    target = options.pop("target")
    settings = {
        name: value
        for name, value in options.items()
        if value is not None and value is not False
    }
    parameters = {"data": data, "target": target, "options": settings}
    request = {"title": title, "parameters": parameters}
    folder = tempfile.TemporaryDirectory(
        prefix=".look-", dir=page.parent, ignore_cleanup_errors=True
    )
    with caught_signals("nothing was written") as stop, folder as name:
        return _look(request, page, Path(name), stop)


def _look(request, page, folder, stop):
    """Do the work in a folder, and replace both files if it went well."""
    write_text(folder / REQUEST, json.dumps(request))
    command = [sys.executable, "-m", __name__, str(folder.resolve())]
    # Models and permutations run in as many processes as there are cores, one thread
    # each; pictures have no window.
    environment = kernel_environment(
        MPLBACKEND="agg", PYTHONWARNINGS="ignore", TOOLKIT_FIGURES=None
    )
    returncode = run_process(
        command, stop, cwd=page.parent.resolve(), env=environment
    )
    if stop:
        return None
    if returncode:
        return _report_failure(folder)
    os.replace(folder / PAGE_FILE, page)
    notebook = _path_of_notebook(page)
    nb = read_notebook(folder / NOTEBOOK_FILE)
    nb.metadata["toolkit"] = {"sources": _sources(nb)}
    write_notebook(notebook, nb)
    size = page.stat().st_size / 1e6
    print(f"{page} ({size:.1f} MB), and {notebook.name} for JupyterLab.")
    return 0


def _report_failure(folder):
    """Raise the error of the process as wrong use, or print it; the exit code."""
    failure = read_json(folder / FAILURE)
    if not failure:
        print(
            "toolkit look: the process died; perhaps there was no memory left",
            file=sys.stderr,
        )
        return 1
    if failure["name"] in USER_ERRORS:
        raise ValueError(failure["says"])
    end = f"toolkit look: {failure['name']}: {failure['says']}"
    print(*failure["lines"], end, sep="\n", file=sys.stderr)
    return 1


def _path_of_notebook(page):
    """Where the notebook goes: next to the page, and not over a changed one."""
    for number in itertools.count(1):
        stem = page.stem
        if number > 1:
            stem += f"_{number}"
        path = page.with_name(f"{stem}.ipynb")
        if not path.exists() or _is_unchanged(path):
            return path


def _is_unchanged(path):
    """Whether a file is a notebook of this command whose code nobody has changed."""
    # A file that is no notebook raises one of many errors.
    with contextlib.suppress(Exception):
        nb = read_notebook(path)
        return nb.metadata["toolkit"]["sources"] == _sources(nb)
    return False


def _sources(nb):
    """Digest of the sources of the cells."""
    return digest([cell.source for cell in nb.cells])


def work(folder):
    """Write the page and the notebook of a request."""
    request = read_json(folder / REQUEST)
    title = request["title"]
    parameters = request["parameters"]
    result = look(
        parameters["data"],
        parameters["target"],
        **parameters["options"],
        verbose=sys.stderr.isatty(),
    )
    nb = notebook_of(result, title, parameters)
    write_text(folder / PAGE_FILE, page_of(nb, title))
    write_notebook(folder / NOTEBOOK_FILE, nb)


def end_with_command():
    """End this process and those that it started once the command is gone.

    Its standard input is a pipe of the command, which nothing is written to.
    """

    def wait():
        os.read(sys.stdin.fileno(), 1)
        os.killpg(os.getpgid(0), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def main(folder):
    """Do the work; where it fails, write why, and return 1."""
    end_with_command()
    try:
        work(folder)
    except Exception as error:
        failure = {
            "name": type(error).__name__,
            "says": str(error),
            "lines": traceback.format_exc().splitlines(),
        }
        write_json(folder / FAILURE, failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
