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
    pages = neighbours(notebooks)
    home = ("../index.html", "Syllabus")
    sessions = []
    for name, nb in notebooks.items():
        sessions.append(describe(nb) | {"name": name})
        editions = {"student": student_edition(nb), "teacher": nb}
        for edition, notebook in editions.items():
            write_json(out / edition / f"{name}.ipynb", notebook)
            page, _ = notebook_page(
                notebook, name, home=home, adjacent=pages[name]
            )
            write_text(out / edition / f"{name}.html", page)
    home_of_syllabus = None
    if (out.parent / "index.html").is_file():
        home_of_syllabus = ("../index.html", "All reports")
    syllabus = page_of(
        "Syllabus", "syllabus.html", sessions=sessions, home=home_of_syllabus
    )
    write_text(out / "index.html", syllabus)
    return out / "index.html"


def run(options):
    """Write the course to the folder of the reports; return the exit code."""
    project = Project.find()
    print(f"Course: {write_course(project.reports / 'course', project)}")
    return 0
