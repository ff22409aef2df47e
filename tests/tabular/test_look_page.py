"""The page of a look: all sections, nothing loaded from outside, and whatever a table holds is only text in it."""

import ast
import warnings

import nbformat
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from page_loads import external_loads
from small_tables import quiet, with_separation

from toolkit.report.project import Project
from toolkit.tabular.page import notebook_of, page_of
from toolkit.tabular.sections import SECTIONS

EVIL = "<script>alert(1)</script>"
BOLD = "<b>bold</b>"
CLOSING = "</script><img src=x onerror=alert(2)>"
MARKUP = {EVIL, BOLD, CLOSING}
TITLE = f"It's {EVIL} & `a` $5 *b*"
TITLES = ["Maps", "Relevant columns", "Models", "Data", "Method"]


def evil_table(n=48):
    u, bold, price = np.random.default_rng(0).normal(size=(3, n))
    columns = {f"u {EVIL}": u, BOLD: bold, "price in $ or $^": price}
    rng = np.random.default_rng(1)
    columns["_hidden"] = rng.choice([EVIL, BOLD, CLOSING], n)
    columns[f"id {CLOSING}"] = [f"{k} {CLOSING}" for k in range(n)]
    columns[f"free {EVIL}"] = f"constant {EVIL}"
    kinds = np.where(u > 0, f"_{EVIL}", f"$x_{{ {CLOSING}")
    columns[f"kind {BOLD}"] = kinds
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def page(tmp_path_factory, quick):
    """(text of the page, its tree, Look) of a table with markup in names and values."""
    path = tmp_path_factory.mktemp("page") / "evil.html"
    with warnings.catch_warnings(action="ignore"):
        look_result = quiet(evil_table(), f"kind {BOLD}", id=f"id {CLOSING}")
        with_separation(look_result, n_permutations=1).report(path, title=TITLE)
    text = path.read_text(encoding="utf-8")
    return text, BeautifulSoup(text, "html.parser"), look_result


def test_nothing_of_a_table_becomes_markup(page):
    text, tree, _ = page
    attributes = [name for tag in tree.find_all() for name in tag.attrs]
    assert not any(name.startswith("on") for name in attributes)
    assert tree.find("img", src="x") is None
    assert not any(word in text for word in MARKUP)
    # no name opens or closes one
    assert text.count("<script") == text.count("</script>")
    for word in (f"u {EVIL}", BOLD, "_hidden", "price in $ or $^"):
        assert word in tree.text, word


def test_every_section_is_there_and_each_sentence_once(page):
    _, tree, look_result = page
    headings = [
        heading.text.strip().rstrip("¶").strip()
        for heading in tree.find_all(["h1", "h2"])
    ]
    assert headings == [TITLE, *TITLES]
    text_of_page = tree.find("main").text
    for sentence in look_result.conclusions_:
        assert text_of_page.count(sentence.replace("`", "")) == 1, sentence
    # figures, map and notes come before the sections
    first = tree.find_all(class_="first")
    assert len(first) == 3 and not first[-1].find_previous("h2")
    assert [row.th.text for row in first[0].find_all("tr")[1:]] == list(
        look_result.show_summary().frame.index
    )
    assert first[1].find(class_="remark")
    # method and code are folded
    folded = [heading.summary.text for heading in tree.find_all("details")]
    assert {"Equivalent code", "All errors of this page; references"} <= set(
        folded
    )
    assert "task.usual_models" in tree.text


def test_the_notebook_of_the_table_shows_the_sections_in_their_order():
    path = Project.find().notebooks / "00_your_data.ipynb"
    cells = [
        cell
        for cell in nbformat.read(path, 4).cells
        if "example" not in cell.metadata.get("tags", [])
    ]
    calls = []
    for cell in cells[1:]:
        *_, last_line = cell.source.splitlines()
        if last_line.startswith(("## ", "seen.")):
            calls.append(last_line)
    expected = []
    for section in SECTIONS:
        if section.title:
            expected.append(f"## {section.title}")
        expected += [f"seen.{part.__name__}()" for part in section.parts]
    assert calls == expected
    # What stands above the first heading is in the first window of a page.
    first = [cell for cell in cells if "first" in cell.metadata.get("tags", [])]
    assert len(first) == len(SECTIONS[0].parts)


def test_page_and_notebook_have_the_same_outputs(page):
    """Its cells are those of the command, which can be run again."""
    *_, look_result = page
    parameters = {"data": "t.csv", "target": "kind", "options": {"rows": 9}}
    nb = notebook_of(look_result, TITLE, parameters)
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    assert code[0].source == (
        "data = 't.csv'\ntarget = 'kind'\noptions = {'rows': 9}"
    )
    assert code[1].source.endswith(
        "seen = toolkit.look(data, target, **options)\nseen.show_summary()"
    )
    assert all(cell.outputs for cell in code[1:])
    nbformat.validate(nb)
    tree = BeautifulSoup(page_of(nb, TITLE), "html.parser")
    assert tree.find("main").text == page[1].find("main").text


def test_no_table_has_nan_or_numbers_of_rows(page):
    for table in page[1].find("main").find_all("table"):
        assert "NaN" not in table.text
        assert not any(
            cell.text.strip().isdigit() for cell in table.find_all("th")
        )


def test_words_are_within_the_limits(page):
    main = BeautifulSoup(str(page[1].find("main")), "html.parser")
    for other in main.find_all(["table", "pre", "script", "style", "svg"]):
        other.decompose()
    assert len(main.text.split()) <= 1600
    for folded in main.find_all("details"):
        folded.decompose()
    assert len(main.text.split()) <= 900


def test_above_and_below_the_null_level_are_those_of_the_marks(page):
    """What the picture shows, the subtitle, and what the table says of each column."""
    bounds = page[2].bounds_
    picture = page[2].show_bounds()
    (ax,) = picture.figure_.axes
    rows = [label.get_text() for label in ax.get_yticklabels()]
    above = np.zeros(len(rows), dtype=bool)
    _, *measures = ax.collections  # after the lines of the rows
    for marks, (name, is_met) in zip(
        measures, bounds.criteria.items(), strict=True
    ):
        assert marks.get_label() == name
        for x, row in marks.get_offsets():
            column = rows[int(row)].rpartition(": ")[0]
            assert (x >= 1) == is_met[bounds.names.index(column)]
            above[int(row)] |= x >= 1
    assert f"above a null level: {above.sum()} of {len(above)} col" in (
        picture.below
    )
    for row, is_above in zip(rows, above, strict=True):
        column, _, kind = row.rpartition(": ")
        j = bounds.names.index(column)
        assert kind == bounds.kinds[j]
        assert (
            bool(bounds.evidence[j]) == is_above == (kind != "not significant")
        )


def test_pictures_have_texts_and_nothing_is_loaded_from_outside(page):
    assert not external_loads(page[0])
    images = page[1].find_all("img")
    assert len(images) >= 3 and all(
        image.get("alt", "").strip() for image in images
    )
    assert all(image["src"].startswith("data:image/") for image in images)


def test_explorers_hold_the_names_as_text(page):
    *_, seen = page
    explorer = seen.explore_map()
    assert set(explorer.label_names) == set(seen.table_.label_names)
    assert all(CLOSING in name for name in explorer.names)
    columns = {column["name"]: column for column in explorer.columns}
    shown = {
        f"u {EVIL}",
        BOLD,
        "price in $ or $^",
        "_hidden",
        "a permuted target",
    }
    assert set(columns) == shown
    assert set(columns["_hidden"]["names"]) == MARKUP


def test_code_is_python_that_names_the_columns(page):
    code = page[2].show_code().code
    ast.parse(code)
    assert repr(f"kind {BOLD}") in code and repr(f"id {CLOSING}") in code
