"""The stored notebooks: the parts of each lesson, nothing of one machine or run."""

import os
import re
import subprocess
import sys

import nbformat
from folders import ROOT
from pytest import mark

from toolkit.report.export import PICTURES, notebook_page
from toolkit.report.stored import describe, normalise, parameters_of, tags

PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
HEADINGS = (
    "Learning objectives",
    "Explore",
    "Compared with the paper",
    "Exercises",
    "Summary",
    "Environment",
)
# A folder of somebody's machine; names of files within the project are fine.
ABSOLUTE = re.compile(
    r"(?<![\w.:/~-])/(?:home|root|Users|tmp|work|opt|usr|var|mnt|data|private)/"
    r"|\b[A-Z]:\\\\?\w|file://"
)
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")

each_notebook = mark.parametrize("path", PATHS, ids=lambda path: path.stem)
# 00 is a tool for tables of one's own
LESSONS = [path for path in PATHS if not path.stem.startswith("00")]
each_lesson = mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, 4)


def prose(nb):
    return [cell.source for cell in nb.cells if cell.cell_type == "markdown"]


def code(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def section(nb, heading):
    """Markdown from a heading, or that of a part, to the next of the first level."""
    pattern = rf"^###? {heading}\b[^\n]*$(.*?)(?=^## |\Z)"
    match = re.search(pattern, "\n\n".join(prose(nb)), re.M | re.S)
    return match[1] if match else None


def test_names_are_numbered_once():
    assert PATHS, "there are no notebooks"
    assert all(re.fullmatch(r"\d\d_[a-z0-9_]+", path.stem) for path in PATHS)
    assert len({path.stem[:2] for path in PATHS}) == len(PATHS)


@each_notebook
def test_stored_as_the_runner_stores_it(path):
    """`make refresh` gives these bytes: no widget state, no metadata of a machine."""
    nb = read(path)
    nbformat.validate(nb)
    assert (
        path.read_text("utf-8")
        == nbformat.writes(normalise(nb)).rstrip("\n") + "\n"
    )
    counts = [cell.execution_count for cell in code(nb) if cell.source.strip()]
    assert counts == list(range(1, len(counts) + 1)), "run `make refresh`"


@each_notebook
def test_no_error_and_nothing_of_a_machine(path):
    """Nor `interact` and `Output`: they leave no picture and can hang the run."""
    for cell in read(path).cells:
        texts = [cell.source]
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            data = output.get("data", {})
            texts.append(output.get("text"))
            texts += [data[kind] for kind in data.keys() - PICTURES]
        assert not re.search(r"\b(interact\w*|Output)\(", cell.source)
        for text in map(str, texts):
            assert not ABSOLUTE.search(text) and not ADDRESS.search(text), text[
                :200
            ]


@each_notebook
def test_first_cell_has_title_citation_and_question(path):
    nb = read(path)
    first = nb.cells[0]
    titles = re.findall("^# .*", "\n".join(prose(nb)), re.M)
    assert (
        first.cell_type == "markdown"
        and titles == first.source.splitlines()[:1]
    )
    assert re.search(r"\b(19|20)\d\d\b", first.source), (
        "no citation with its year"
    )
    assert describe(nb)["question"].endswith("?")


@each_lesson
def test_the_parts_of_a_lesson(path):
    nb = read(path)
    for heading in HEADINGS:
        assert section(nb, heading) is not None, (
            f"there is no heading '## {heading}'"
        )
    assert (
        len(re.findall(r"(?m)^\d+\. ", section(nb, "Learning objectives"))) == 3
    )
    assert section(nb, "Summary").strip()


@each_lesson
def test_one_cell_of_parameters_with_seed_and_scale_at_their_defaults(path):
    nb = read(path)
    [cell] = [cell for cell in code(nb) if "parameters" in tags(cell)]
    assert {"seed", "scale"} <= set(parameters_of(nb))
    values = {}
    exec(cell.source, values)  # plain assignments: also what papermill needs
    assert values["scale"] == "default"


@each_notebook
def test_an_explorer_with_its_picture(path):
    """A widget view is not stored; beside it stand a picture and a text."""
    cells = [
        cell
        for cell in code(read(path))
        if re.search(r"(?<!plt\.)\b(Explorer|show|explore_\w+)\(", cell.source)
    ]
    assert cells
    shown = [
        set(output.get("data", {})) for cell in cells for output in cell.outputs
    ]
    assert any({"image/png", "text/plain"} <= kinds for kinds in shown)


@each_notebook
def test_each_published_picture_has_a_caption_and_is_in_figures(path):
    """The alternative texts of pictures are looked for by the test of the page."""
    figures = ROOT / "figures"
    for cell in code(read(path)):
        for name in re.findall(r"publish\([^)]*?\"(\d\d_\w+)\"", cell.source):
            assert (figures / f"{name}.png").is_file(), "run `make refresh`"
            assert name[:3] == path.stem[:3]
        if re.search(r"\bpublish\(", cell.source):
            kinds = [{*output.get("metadata", {})} for output in cell.outputs]
            assert kinds.count({"caption"}) >= kinds.count({"image/png"}), (
                cell.source
            )


@each_notebook
def test_the_page_has_no_problems(path):
    """Formulas can be shown, pictures have texts, nothing is loaded, it is small."""
    _, problems = notebook_page(read(path), path.stem)
    assert not problems
    # viewers on the web take no more
    assert path.stat().st_size <= 1_500_000, "run `make refresh`"


@mark.slow
@each_notebook
def test_a_quick_run_without_data_comes_to_its_end(path, tmp_path):
    """``make SCALE=quick`` in a new clone without any data set."""
    words = f"-m toolkit report {path.stem} --scale quick --out"
    command = [sys.executable, *words.split(), tmp_path]
    folders = {"TOOLKIT_DATA": "", "TOOLKIT_CACHE": str(tmp_path / "cache")}
    environment = os.environ | folders
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
