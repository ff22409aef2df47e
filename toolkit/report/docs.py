"""The API reference: a page per subpackage, made by pdoc from the docstrings.

It needs no network. Public is what the ``__all__`` of a subpackage lists;
``module.html.jinja2`` says what is shown of a class.
"""

import argparse
import shutil
from pathlib import Path

from .. import SUBPACKAGES
from ..core import project_root

MODULES = [
    "toolkit",
    *(f"toolkit.{name}" for name in SUBPACKAGES if name != "report"),
]
# modules of a subpackage that are called as one of its functions
DEEPER = r"!toolkit\.\w+\."


def write_docs(out, modules=MODULES):
    """Write the pages into the folder `out`; the path of the first.

    They replace earlier ones and link to the index of the reports one folder above
    `out`; `modules` are names, of all subpackages by default.
    """
    import pdoc

    pdoc.render.configure(
        docformat="numpy", template_directory=Path(__file__).parent
    )
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    pdoc.pdoc(*modules, DEEPER, output_directory=out)
    return out / "index.html"


def main(argv=None):
    """``python -m toolkit docs``: write the API reference; the exit code."""
    argparse.ArgumentParser(
        "python -m toolkit docs",
        description="Write the API reference into reports/api/.",
    ).parse_args(argv)
    print(
        f"Wrote {write_docs((project_root() or Path.cwd()) / 'reports' / 'api')}."
    )
    return 0
