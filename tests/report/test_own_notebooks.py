"""The command on a folder of a user's notebooks: no claims, no files elsewhere."""

import nbformat
from pytest import fixture

from toolkit.report.project import Project

PICTURE = """
import base64, io
from IPython.display import display
from PIL import Image
Image.new("RGB", (3, 3)).save(buffer := io.BytesIO(), format="png")
display({"image/png": base64.b64encode(buffer.getvalue()).decode()}, raw=True)
"""


@fixture(scope="module")
def ran(tmp_path_factory, report):
    """A folder with a table and a notebook without kernelspec, and a run on it."""
    folder = tmp_path_factory.mktemp("project") / "mine"
    folder.mkdir()
    (folder / "mine.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    table = "import os\nprint(open('mine.csv').read(), os.path.basename(os.getcwd()))"
    cells = [*map(nbformat.v4.new_code_cell, (table, PICTURE))]
    cells.insert(0, nbformat.v4.new_markdown_cell("# Mine"))
    nb = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(nb, folder / "first.ipynb")
    return folder, report(folder)


def test_it_runs_beside_its_files_and_without_kernelspec(ran):
    """Pictures of one's own need no text; no other file is written or changed."""
    folder, done = ran
    assert done.code == 0 and "alt text" not in done.err, done.err
    page = (folder / "reports" / "first.html").read_text("utf-8")
    for text in ("a,b\n1,2", "mine", "<h1", "data:image/png"):
        assert text in page
    files = {
        path.name for path in (*folder.iterdir(), *folder.parent.iterdir())
    }
    assert files == {"mine", "first.ipynb", "mine.csv", "reports"}
    assert not nbformat.read(folder / "first.ipynb", 4).cells[1].outputs


def test_nothing_is_said_of_claims(ran):
    folder, done = ran
    assert "laim" not in done.out
    index = (folder / "reports" / "index.html").read_text("utf-8")
    assert "1 executed notebook," in index and 'href="first.html"' in index
    for word in ("claims", "course", "held-out", "make docs"):
        assert word not in index
    assert not (folder / "reports" / "claims.html").exists()


def test_results_go_back_to_a_clone_alone(ran, report):
    done = report(ran[0], "--refresh")
    assert (
        done.code == 2 and "back to a clone with its own notebooks" in done.err
    )


def test_the_project_s_own_notebooks_have_claims(tmp_path):
    assert (
        Project.find().has_claims and Project.find().reports.name == "reports"
    )
    folder = tmp_path / "notebooks"
    folder.mkdir()
    assert not Project.find(folder).has_claims
