"""The course: students have questions and checks, teachers the solutions, too."""

import re
import shutil
from urllib.parse import unquote

import nbformat
from folders import ROOT
from pytest import mark

from toolkit.__main__ import main
from toolkit.report.course import student_edition
from toolkit.report.project import Project
from toolkit.report.stored import minutes, tags


def all_tags(nb):
    return [tag for cell in nb.cells for tag in tags(cell)]


def test_students_get_no_solution_and_every_check(course):
    for path in sorted((course / "teacher").glob("*.ipynb")):
        student = nbformat.read(course / "student" / path.name, 4)
        nbformat.validate(student)
        of_teacher = all_tags(nbformat.read(path, 4))
        found = all_tags(student)
        assert "solution" not in found
        n_checks = found.count("check")
        assert (
            n_checks
            == of_teacher.count("check")
            == of_teacher.count("solution")
        )
        for cell in student.cells:
            assert not tags(cell) & {"answer", "check"} or not cell.outputs


@mark.parametrize("edition", ["student", "teacher"])
def test_a_solution_is_on_no_page_of_the_students(course, edition):
    # printed by the solution of the first exercise
    secret = "0.24, and d / n is 0.24"
    page = (course / edition / "01_simultaneous_visualization.html").read_text(
        encoding="utf-8"
    )
    assert (secret in page) == (edition == "teacher")


def links(page):
    """Paths of the files that a page links to."""
    matches = re.findall('<a [^>]*href="([^"#:]+)"', page.read_text("utf-8"))
    return [(page.parent / unquote(address)).resolve() for address in matches]


def test_the_syllabus_has_a_session_a_notebook_and_links_that_lead_somewhere(
    course,
):
    linked = links(course / "index.html")
    # no reports stand above this course
    assert len(linked) == 4 * len(list((course / "teacher").glob("*.ipynb")))
    assert all(path.is_file() for path in linked)


def test_an_edition_leads_to_the_syllabus_and_through_its_own_pages(course):
    pages = sorted((course / "student").glob("*.html"))
    for i, page in enumerate(pages):
        wanted = [
            course / "index.html",
            *pages[max(i - 1, 0) : i],
            *pages[i + 1 : i + 2],
        ]
        assert [
            path for path in links(page) if path.suffix == ".html"
        ] == 2 * wanted


def test_the_students_edition_leaves_the_notebook_as_it_was():
    path = Project.find().select(["1"])[0]
    nb, again = (nbformat.read(path, 4) for _ in range(2))
    assert len(student_edition(nb).cells) < len(nb.cells)
    assert nb == again and 10 < minutes(nb) <= 45


def test_the_command_says_where_the_course_is(tmp_path, monkeypatch, capsys):
    """And the syllabus leads to the reports that stand above it."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "index.html").touch()
    shutil.copy(Project.find().select(["1"])[0], tmp_path / "notebooks")
    one = Project.find(tmp_path / "notebooks")
    monkeypatch.setattr(Project, "find", lambda: one)
    assert main(["course"]) == 0
    page = tmp_path / "reports" / "course" / "index.html"
    assert str(page) in capsys.readouterr().out
    assert '<a href="../index.html">All reports</a>' in page.read_text("utf-8")


def test_the_course_has_as_many_sessions_as_its_lessons_say(course):
    """One for each notebook, and for each part of the one that has them."""
    notebooks = [
        nbformat.read(path, 4)
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    ]
    in_parts = [
        nb
        for nb in notebooks
        if "three parts takes one session" in nb.cells[0].source
    ]
    assert len(in_parts) == 1
    syllabus = (course / "index.html").read_text("utf-8")
    assert f"A course in {len(notebooks) + 2} sessions of" in syllabus
    assert syllabus.count("3 sessions, ") == 1
