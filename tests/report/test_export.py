"""Pages load nothing, formulas are MathML, pictures have their texts, code folds."""

import base64
import copy
import io

from bs4 import BeautifulSoup
from nbformat.v4 import new_output
from page_loads import external_loads
from PIL import Image
from pytest import fixture, mark, raises
from small_notebooks import notebook

from toolkit import claims
from toolkit.report import export
from toolkit.report.export import (
    WIDGET_STATE,
    claims_page,
    notebook_page,
    page_of,
)
from toolkit.report.stored import WIDGET_VIEW

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def soup_of(page):
    return BeautifulSoup(page, "html.parser")


def picture(**about):
    return new_output(
        "display_data",
        data={"image/png": PIXEL, "text/plain": "p"},
        metadata={"image/png": about},
    )


@fixture
def nb():
    nb = notebook(
        "# Maps & *labels*\n\nSee [the paper](https://example.org/paper).\n\n"
        "**Question.** Is $1 < 2$?",
        "*A $z = \\mathbf{A}x$, code `$not math$`, five \\$.\n\n$$\\sum_i x_i$$\n\n"
        "```python\nprint('$')\n```\n",
        "short = 1",
        "\n".join(f"line_{i} = {i}" for i in range(11)),
        "### Exercise\n\n<details><summary>Solution</summary>\n\n"
        "Because $1 < 2$.\n\n</details>",
    )
    nb.cells[3].outputs = [
        picture(alt='A "line" <up>'),
        new_output("stream", name="stderr", text="a warning of a library"),
        new_output(
            "display_data",
            data={"text/markdown": "*Look at $x$.*"},
            metadata={"caption": True},
        ),
        new_output(
            "stream", name="stdout", text="a < b & \x1b[31mred\x1b[0m\n"
        ),
    ]
    table = {"text/html": "<table><tr><td>1</td></tr></table>"}
    nb.cells[4].outputs = [new_output("execute_result", data=table)]
    return nb


def test_page_is_whole_and_loads_nothing(nb):
    before = copy.deepcopy(nb)
    page, problems = notebook_page(nb, "01_maps")
    assert nb == before and problems == []
    assert (
        external_loads(page) == []
        and "@import" not in page
        and "url(" not in page
    )
    soup = soup_of(page)
    assert soup.html["lang"] == "en" and soup.title.string == "Maps & labels"
    policy = soup.find("meta", {"http-equiv": True})["content"]
    assert "default-src 'none'" in policy and "http" not in policy
    assert all(soup.find(part) for part in ("header", "nav", "footer"))
    skip, back = soup("a")[:2]
    assert skip["href"] == "#content" and soup.main["id"] == "content"
    assert back["href"] == "index.html"
    # a link is followed, not loaded
    assert soup.find("a", href="https://example.org/paper")


def test_formulas_are_mathml_pictures_have_their_texts_and_long_code_folds(nb):
    page, _ = notebook_page(nb, "01_maps")
    soup = soup_of(page)
    formulas = [math["alttext"] for math in soup("math")]
    assert formulas == [
        "1 < 2",
        r"z = \mathbf{A}x",
        r"\sum_i x_i",
        "x",
        "1 < 2",
    ]
    assert len(soup("math", display="block")) == 1
    assert soup.find("code", string="$not math$") and "five $." in page
    [figure] = soup("figure")
    assert figure.img["alt"] == 'A "line" <up>'
    assert figure.figcaption.text.startswith("Look at")
    [folded] = soup("details", class_="code")
    assert folded.summary.text == "Code, 11 lines"
    assert soup.find("summary", string="Solution")
    assert "a &lt; b &amp; " in page and "\x1b" not in page
    assert "a warning of a library" not in page
    assert soup.find(class_="badge").text == "Parameters"


def test_a_picture_without_alt_text_is_listed_with_its_cell(nb):
    nb.cells[4].outputs.append(picture())
    _, [problem] = notebook_page(nb, "01_maps")
    assert problem.startswith("cell 5: a picture has no alt text")


def test_half_of_a_surrogate_pair_is_shown_as_unknown(nb):
    nb.cells[0].source = "# Maps\ud800"
    page, _ = notebook_page(nb, "x")
    assert "<title>Maps\ufffd" in page and page.encode()


@mark.parametrize(
    "source",
    ["*a $x \\tag{1}$", "*b\n\n$$\\foo$$", "*c\n\n\\begin{foo}x&y\\end{foo}"],
)
def test_a_formula_that_cannot_be_shown_names_itself_and_its_cell(nb, source):
    nb.cells[2].source = source
    nb.cells[2].cell_type = "markdown"
    with raises(ValueError, match="cell 3: The formula '"):
        notebook_page(nb, "x")


LOADS = (
    '<script src="https://example.org/a.js"></script>',
    '<link rel="stylesheet" href="//example.org/a.css">',
    "<style>@import 'https://example.org/a.css';</style>",
    '<p style="background: url(http://example.org/a.png)">',
    '<object data="a.svg"></object>',
    '<svg><use xlink:href="https://example.org/a.svg"></use></svg>',
)


@mark.parametrize("content", LOADS)
def test_a_load_from_outside_is_found_and_the_page_forbids_it(nb, content):
    """That a browser obeys the policy is tested in ``tests/browser``."""
    nb.cells[3].outputs = [
        new_output("display_data", data={"text/html": content})
    ]
    page, _ = notebook_page(nb, "x")
    assert len(external_loads(page)) == 1
    assert page.index('http-equiv="Content-Security-Policy"') < page.index(
        content
    )


@fixture
def explorer(monkeypatch, nb):
    """A notebook with a widget, and a stand-in for the player of "known"."""
    monkeypatch.setattr(
        export, "offline_module", lambda: "<script>play()</script>"
    )
    monkeypatch.setattr(export, "offline_fragment", dict.get)
    nb.metadata["widgets"] = {
        WIDGET_STATE: {"state": {"known": "<div>frames</div>"}}
    }

    def page(model_id, with_picture=True):
        view = {"model_id": model_id}
        data = {WIDGET_VIEW: view, "text/plain": "Explorer of 5 samples"}
        if with_picture:
            data["image/png"] = PIXEL
        nb.cells[3].outputs = [new_output("display_data", data=data)]
        return notebook_page(nb, "x")

    return page


def test_an_explorer_plays_and_without_scripts_there_is_its_picture(explorer):
    page, problems = explorer("known")
    assert problems == [] and page.count("<script>play()</script>") == 1
    before, _, after = page.partition("<div>frames</div>")
    assert after.startswith("<noscript><figure><img")
    assert 'alt="Explorer of 5 samples"' in after


def test_a_widget_without_frames_is_shown_by_its_picture(explorer):
    page, problems = explorer("unknown")
    assert problems == []
    assert "play()" not in page
    assert 'alt="Explorer of 5 samples"' in page
    _, problems = explorer("unknown", with_picture=False)
    assert "cannot be shown without a kernel" in problems[0]


def test_the_index_shows_pictures_small():
    buffer = io.BytesIO()
    Image.new("RGB", (1200, 600)).save(buffer, format="png")
    png = base64.b64encode(buffer.getvalue()).decode()
    entry = {
        "name": "01_a",
        "title": "T",
        "question": "",
        "png": png,
        "runs": [],
    }
    shown = [
        Image.open(
            io.BytesIO(base64.b64decode(image["src"].partition(",")[2]))
        ).size
        for image in soup_of(
            page_of("Reports", "reports.html", entries=[entry])
        )("img")
    ]
    assert shown == [(384, 192)]


def test_index_says_which_runs_failed_or_lack_and_leads_to_the_documentation():
    """Of those that went well the tests of the command say what it says."""
    blank = {"name": "a", "title": "T", "question": "Why <so>?", "png": None}
    failed = {
        "page": None,
        "scale": "quick",
        "parameters": {},
        "ok": False,
        "error": {"cell": 4, "name": "E", "says": "<bad>"},
    }
    entries = [blank | {"runs": runs} for runs in ([failed], [])]
    about = {"entries": entries, "has_site": True}
    page = page_of("Reports", "reports.html", **about)
    soup = soup_of(page)
    words = " ".join(soup.text.split())
    for text in ("Why <so>?", "Failed at quick scale in cell 5", "not run yet"):
        assert text in words
    assert (
        soup.find("a", href="site/docs/index.html")
        and external_loads(page) == []
    )


def test_claims_have_a_page_with_addresses_of_their_own():
    rows = claims.table(claims.stored_ledger(), only="SL")
    soup = soup_of(claims_page(rows))
    ids = [element["id"] for element in soup(id=True)]
    assert len(ids) == len(set(ids))
    assert {"kudo", *(row["id"] for row in rows)} <= set(ids)
    for address in ("index.html", "#SL-07"):
        assert soup.find("a", href=address)
    # the verdict is a word, not only a colour
    assert sum("reproduced" in cell.text for cell in soup("td")) >= 23


def test_headings_have_addresses_of_their_own_in_the_contents(nb):
    nb.cells[
        4
    ].source = (
        "## The *idea*: $x$ & y\n\n## The idea x y\n\n### Content\n\n## ?!"
    )
    nb.cells[4].cell_type = "markdown"
    soup = soup_of(notebook_page(nb, "x")[0])
    ids = [heading["id"] for heading in soup.main(["h1", "h2", "h3"])]
    assert ids == [
        "maps-labels",
        "the-idea-x-y",
        "the-idea-x-y-2",
        "content-2",
        "section",
        "exercise",
    ]
    addresses = [f"#{slug}" for slug in ids[1:]]
    contents = [link["href"] for link in soup.select(".contents a")]
    assert contents == 2 * addresses  # beside the text and above it
    assert [link["href"] for link in soup("a", class_="anchor")] == addresses


def test_many_chapters_are_listed_without_their_parts_and_one_alone_not_at_all(
    nb,
):
    chapters = (f"## Chapter {i}\n\n### Part {i}\n\n" for i in range(9))
    nb.cells[2].source = "".join(chapters)
    page, _ = notebook_page(nb, "x")
    assert page.count('<li class="level2">') == 2 * 9
    assert '<li class="level3">' not in page
    nb.cells[2].source = "## One"
    nb.cells.pop()
    assert 'aria-label="Contents"' not in notebook_page(nb, "x")[0]
