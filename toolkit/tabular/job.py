"""The work of the command `look`, in a separate process.

``python -m toolkit.tabular.job FOLDER`` reads `REQUEST` there, and leaves `PAGE_FILE`
and `NOTEBOOK_FILE`, or `FAILURE`.
"""

import os
import signal
import sys
import threading
import traceback
from pathlib import Path

from ..core import read_json, write_json, write_text
from ..report.stored import write_notebook
from .look import look
from .page import notebook_of, page_of

REQUEST = "request.json"
FAILURE = "failure.json"
PAGE_FILE = "look.html"
NOTEBOOK_FILE = "look.ipynb"


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
