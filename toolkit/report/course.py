"""The course: each notebook for students, without solutions, and for teachers, with them; and a syllabus.

A chapter's exercises are cells with tags: ``answer``, where students write; ``solution``; ``check``, which says whether
the answer is right (`toolkit.course`).
"""

import argparse
from copy import deepcopy
from pathlib import Path

from ..core.files import write_json, write_text
from .export import notebook_page, syllabus_page
from .project import Project
from .stored import describe

__all__ = ["main", "student_edition", "write_course"]

SESSION = 90  # minutes


def student_edition(nb):
    """A copy of a notebook without solutions, and without what their cells and those of the answers printed."""
    copy = deepcopy(nb)
    copy.cells = [cell for cell in copy.cells if "solution" not in cell.metadata.get("tags", [])]
    for cell in copy.cells:
        if {"answer", "check"} & set(cell.metadata.get("tags", [])):
            cell.outputs = []
    return copy


def write_course(out, project):
    """Write both editions of all notebooks, as notebooks and as pages, and the syllabus; its path is returned."""
    import nbformat

    notebooks = {path.stem: nbformat.read(path, as_version=4) for path in project.select([])}
    sessions = []
    for name, nb in notebooks.items():
        about = describe(nb)
        sessions.append(about | {"name": name, "rest": max(0, SESSION - about["reading"])})
    pages = [(f"{session['name']}.html", session["title"]) for session in sessions]
    for (name, nb), before, after in zip(notebooks.items(), [None, *pages], [*pages[1:], None], strict=False):
        for edition, shown in (("student", student_edition(nb)), ("teacher", nb)):
            write_json(out / edition / f"{name}.ipynb", shown)
            page, _ = notebook_page(shown, name, home=("../index.html", "Syllabus"), before=before, after=after)
            write_text(out / edition / f"{name}.html", page)
    home = ("../index.html", "All reports") if (out.parent / "index.html").is_file() else None
    write_text(out / "index.html", syllabus_page(sessions, SESSION, home))
    return out / "index.html"


def main(argv=None):
    """``python -m toolkit course``."""
    parser = argparse.ArgumentParser("python -m toolkit course", description=__doc__.partition("\n")[0])
    parser.add_argument("--out", default="reports/course", help="folder of the course (reports/course)")
    options = parser.parse_args(argv)
    project = Project.find()
    print(f"Course: {write_course(Path(options.out), project)}")
    return 0
