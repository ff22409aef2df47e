"""The course: each notebook without solutions and with them, and a syllabus.

Students have the edition without solutions, teachers the one with them.

A chapter's exercises are cells with tags: ``answer``, where students write;
``solution``; ``check``, which says whether the answer is right (`toolkit.course`).
"""

from copy import deepcopy

from ..core import write_json, write_text
from .export import neighbours, notebook_page, page_of
from .project import Project
from .stored import describe, read_notebook


def student_edition(nb):
    """A copy of a notebook without solutions and without outputs of answers."""
    from nbconvert.preprocessors import TagRemovePreprocessor

    without = TagRemovePreprocessor(
        remove_cell_tags={"solution"},
        remove_all_outputs_tags={"answer", "check"},
    )
    return without.preprocess(deepcopy(nb), {})[0]


def write_course(out, project):
    """Write both editions, as notebooks and as pages, and the syllabus; its path."""
    notebooks = {path.stem: read_notebook(path) for path in project.select([])}
    sessions = [describe(nb) | {"name": name} for name, nb in notebooks.items()]
    pages = neighbours(notebooks)
    for name, nb in notebooks.items():
        home = ("../index.html", "Syllabus")
        for edition, cells in (
            ("student", student_edition(nb)),
            ("teacher", nb),
        ):
            write_json(out / edition / f"{name}.ipynb", cells)
            page, _ = notebook_page(
                cells, name, home=home, adjacent=pages[name]
            )
            write_text(out / edition / f"{name}.html", page)
    has_reports = (out.parent / "index.html").is_file()
    write_text(
        out / "index.html",
        page_of(
            "Syllabus",
            "syllabus.html",
            sessions=sessions,
            home=("../index.html", "All reports") if has_reports else None,
        ),
    )
    return out / "index.html"


def run(options):
    """Write the course to the folder of the reports; return the exit code."""
    project = Project.find()
    print(f"Course: {write_course(project.reports / 'course', project)}")
    return 0
