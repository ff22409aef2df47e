"""The command on a folder of a user's notebooks, which is no project: nothing of claims, nothing written elsewhere."""

import contextlib
import io

import nbformat
import pytest

from toolkit.report import command as report
from toolkit.report.project import Project

PICTURE = """
import base64, io
from IPython.display import display
from PIL import Image
Image.new("RGB", (3, 3)).save(buffer := io.BytesIO(), format="png")
display({"image/png": base64.b64encode(buffer.getvalue()).decode()}, raw=True)
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A folder with a table and a notebook without kernelspec; exit code, standard output and error stream."""
    folder = tmp_path_factory.mktemp("project") / "mine"
    folder.mkdir()
    (folder / "mine.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    nb = nbformat.v4.new_notebook()
    sources = ["import os\nprint(open('mine.csv').read(), os.path.basename(os.getcwd()))", PICTURE]
    nb.cells = [nbformat.v4.new_markdown_cell("# Mine"), *map(nbformat.v4.new_code_cell, sources)]
    assert "kernelspec" not in nb.metadata
    nbformat.write(nb, folder / "first.ipynb")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = report.main(["--notebooks", str(folder)])
    return folder, code, out.getvalue(), err.getvalue()


def test_it_runs_beside_its_files_and_without_kernelspec(ran):
    folder, code, _, err = ran
    assert code == 0, err
    page = (folder / "reports" / "first.html").read_text(encoding="utf-8")
    assert "a,b\n1,2" in page and "mine" in page and "<h1" in page


def test_nothing_is_said_of_claims(ran):
    folder, _, out, _ = ran
    assert "laim" not in out and "1 notebook: 1 done." in out and out.count("\n") == 2
    index = (folder / "reports" / "index.html").read_text(encoding="utf-8")
    assert "<h1>Reports</h1>" in index and "1 executed notebook," in index and 'href="first.html"' in index
    for word in ("claims", "course", "held-out", "make docs"):
        assert word not in index
    assert not (folder / "reports" / "claims.html").exists()


def test_pictures_of_ones_own_need_no_alt_text(ran):
    folder, _, _, err = ran
    assert "alt text" not in err
    assert "data:image/png" in (folder / "reports" / "first.html").read_text(encoding="utf-8")


def test_pages_stay_in_the_folder_and_nothing_else_is_written(ran):
    folder = ran[0]
    assert [path.name for path in folder.parent.iterdir()] == ["mine"]
    assert sorted(path.name for path in folder.iterdir()) == ["first.ipynb", "mine.csv", "reports"]
    assert not nbformat.read(folder / "first.ipynb", as_version=4).cells[1].outputs


def test_nothing_is_written_back_to_it(ran, capsys):
    assert report.main(["--notebooks", str(ran[0]), "--refresh"]) == 2
    assert "needs a clone with its own notebooks" in capsys.readouterr().err


def test_the_project_s_own_notebooks_have_claims(tmp_path):
    assert Project.find().has_claims and Project.find().reports.name == "reports"
    (tmp_path / "notebooks").mkdir()
    assert not Project.find(tmp_path / "notebooks").has_claims
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "claims.json").write_text("{}")
    assert Project.find(tmp_path / "notebooks").has_claims
    assert not Project.find(tmp_path / "figures").has_claims
