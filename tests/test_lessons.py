"""The lessons: the call of a chapter stands alone, drawing and records are out of sight, figures can be read, answers
to the exercises are right. For the chapters that have been rewritten as lessons."""

import re
from statistics import median

import nbformat
from folders import ROOT
from pytest import fixture, mark

from toolkit.report.stored import describe

MOST_PICTURES = {
    "01": 5,
    "02": 6,
    "03": 5,
    "04": 7,
    "05": 9,
    "06": 9,
    "07": 9,
    "08": 6,
}


def read(number):
    [path] = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    return nbformat.read(path, 4)


@fixture(scope="module", params=MOST_PICTURES)
def lesson(request):
    return request.param, read(request.param).cells


def tags(cell):
    return cell.metadata.get("tags", [])


def code(cells):
    return [cell for cell in cells if cell.cell_type == "code"]


def outputs(cells):
    return [output for cell in code(cells) for output in cell.outputs]


def test_cells_are_short(lesson):
    sources = [cell.source for cell in code(lesson[1])]
    lines = [len(source.splitlines()) for source in sources]
    assert median(lines) <= 4 and max(lines) <= 20, sorted(lines)
    [imports] = [s for s in sources if re.match("import (numpy|warnings)", s)]
    assert len(list(filter(None, imports.splitlines()))) <= 14


def test_functions_are_those_of_explorers_and_no_cell_records_a_claim(lesson):
    text = "\n".join(cell.source for cell in code(lesson[1]))
    functions = re.findall(r"^ *def (\w+)", text, re.MULTILINE)
    assert set(functions) <= {
        *re.findall(r"(?:Explorer\(\s*|code=)(\w+)", text)
    }
    assert "claims.record" not in text


def test_pictures_are_few_and_can_be_read(lesson):
    number, cells = lesson
    cells = [cell for cell in cells if "solution" not in tags(cell)]
    about = [o.get("metadata", {}).get("image/png", {}) for o in outputs(cells)]
    layouts = [picture["layout"] for picture in about if "layout" in picture]
    # figures of this notebook say how large their text is: `make refresh`
    assert layouts
    explorers = sum("Explorer(" in cell.source for cell in code(cells))
    assert len(layouts) + explorers <= MOST_PICTURES[number]
    for layout in layouts:
        areas = [width * height for width, height in layout["frames"]]
        assert layout["width"] <= 1100 and layout["smallest_text"] >= 9
        assert max(areas) <= 1.2 * min(areas)


def test_the_sources_figures_are_listed_for_the_course_page(lesson):
    rows = describe(read(lesson[0]))["concordance"].splitlines()[2:]
    assert len(rows) >= 2 and all(row.count("|") == 4 for row in rows)


def test_captions_and_sentences_are_short(lesson):
    _, cells = lesson
    captions = [
        o["data"]["text/plain"]
        for o in outputs(cells)
        if o.get("metadata", {}).get("caption")
    ]
    assert captions and max(len(caption.split()) for caption in captions) <= 35
    for cell in cells:
        if cell.cell_type == "markdown":
            for sentence in sentences(cell.source):
                assert len(sentence.split()) <= 30, sentence


def sentences(markdown):
    """Sentences of the running text: no formulas, tables, hints or headings."""
    text = re.sub(
        r"\$\$.*?\$\$|<details>.*?</details>|^\|.*?$|^#.*?$",
        "\n\n",
        markdown,
        flags=re.DOTALL | re.MULTILINE,
    )
    text = re.sub(r"\$.*?\$|`.*?`", "x", text)
    for paragraph in re.split(r"\n\s*\n|\n- |\n\d\. ", text):
        yield from re.split(r"(?<=[.?!:;])\s+", paragraph)


def test_each_of_four_exercises_has_a_hint_an_empty_cell_and_a_right_solution(
    lesson,
):
    _, cells = lesson
    parts = ["answer", "solution", "check"]
    assert [
        tag for cell in cells for tag in tags(cell) if tag in parts
    ] == parts * 4
    for cell in cells:
        if "check" in tags(cell):
            assert cell.outputs[0]["text"].startswith("Right"), cell.source
    questions = [c.source for c in cells if re.match(r"\*\*\d\. ", c.source)]
    hint = re.compile("<details><summary>Hint</summary>.*</details>", re.DOTALL)
    assert len(questions) == 4 and all(map(hint.search, questions))


def test_the_table_of_evidence_is_that_of_the_benchmark():
    """Chapter 7 shows some rows and columns of the measured summary."""
    text = (ROOT / "benchmarks" / "evidence.md").read_text("utf-8")
    measured = {row[0]: row[1:] for row in rows(text) if len(row) == 6}
    shown = next(
        rows(cell.source)
        for cell in read("07").cells
        if "| Boruta-like |" in cell.source
    )
    assert len(shown) > 5
    for name, false, *recalls in shown[2:]:
        assert [false, *recalls] == measured[name][:1] + measured[name][2:], (
            name
        )


def rows(markdown):
    """Cells of the rows of all tables in a text."""
    lines = (line for line in markdown.splitlines() if line.startswith("|"))
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines
    ]


# Controls of the explorers in each notebook.
SLIDERS = {
    "00": "fitted_to model",
    "01": "axes leave_out sphere",
    "02": "labels lam",
    "03": "beta labels_from",
    "04": "mu scaled",
    "05": "bandwidth lam segments",
    "06": "C gamma",
    "07": "null_space slack",
    "08": "start step",
}


@mark.parametrize("number", SLIDERS)
def test_explorers_of_a_notebook_have_their_sliders(number):
    [path] = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    names = set()
    pattern = r'"Explorer .* at (.+?), one of \d+ settings? comp'
    for setting in re.findall(pattern, path.read_text("utf-8")):
        for value in setting.split(", "):
            names.add(value.partition(" = ")[0])
    assert sorted(names) == sorted(SLIDERS[number].split())
