"""The course: each notebook for students, without solutions, and for teachers, with them; and a syllabus.

A chapter's exercises are cells with tags: ``answer``, where students write;
``solution``; ``check``, which says whether the answer is right (`toolkit.course`).
"""

import argparse
from copy import deepcopy
from pathlib import Path

from ..core.files import write_json, write_text
from .export import neighbours, notebook_page, syllabus_page
from .project import Project
from .stored import describe

SESSION = 90  # minutes


def student_edition(nb):
    """A copy of a notebook without solutions, and without what their cells and those of the answers printed."""
    copy = deepcopy(nb)
    copy.cells = [
        cell for cell in copy.cells if "solution" not in cell.metadata.get("tags", [])
    ]
    for cell in copy.cells:
        if {"answer", "check"} & set(cell.metadata.get("tags", [])):
            cell.outputs = []
    return copy


def write_course(out, project):
    """Write both editions of all notebooks, as notebooks and as pages, and the syllabus; its path is returned."""
    import nbformat

    notebooks = {
        path.stem: nbformat.read(path, as_version=4) for path in project.select([])
    }
    about = {name: describe(nb) for name, nb in notebooks.items()}
    pages = neighbours({name: said["title"] for name, said in about.items()})
    for name, nb in notebooks.items():
        for edition, shown in (("student", student_edition(nb)), ("teacher", nb)):
            write_json(out / edition / f"{name}.ipynb", shown)
            before, after = pages[name]
            page, _ = notebook_page(
                shown,
                name,
                home=("../index.html", "Syllabus"),
                before=before,
                after=after,
            )
            write_text(out / edition / f"{name}.html", page)
    sessions = [
        said | {"name": name, "rest": max(0, SESSION - said["reading"])}
        for name, said in about.items()
    ]
    home = (
        ("../index.html", "All reports")
        if (out.parent / "index.html").is_file()
        else None
    )
    write_text(out / "index.html", syllabus_page(sessions, SESSION, home))
    return out / "index.html"


def main(argv=None):
    """``python -m toolkit course``."""
    parser = argparse.ArgumentParser(
        "python -m toolkit course", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--out", default="reports/course", help="folder of the course (reports/course)"
    )
    options = parser.parse_args(argv)
    print(f"Course: {write_course(Path(options.out), Project.find())}")
    return 0
