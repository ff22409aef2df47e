"""Pages load nothing, formulas are MathML, pictures have their texts, code folds."""

import base64
import copy
import io
from html.parser import HTMLParser

from nbformat.v4 import new_output
from page_loads import external_loads
from PIL import Image
from pytest import fixture, mark, raises
from small_notebooks import notebook

from toolkit import claims
from toolkit.report import export
from toolkit.report.export import (
    STATE,
    claims_page,
    count_claims,
    index_page,
    notebook_page,
)
from toolkit.report.stored import WIDGET_VIEW

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Elements(HTMLParser):
    """Elements of a page with their attributes, and the text within each."""

    VOID = {"meta", "img", "link", "br", "hr", "input"}

    def __init__(self, page):
        super().__init__()
        self.all = []
        self.open = []
        self.texts = {}
        self.feed(page)
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.all.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag in self.VOID or self.open.pop() == tag

    def handle_data(self, data):
        for tag in set(self.open):
            self.texts[tag] = self.texts.get(tag, "") + data

    def select(self, tag):
        """Attributes of the elements with this tag."""
        return [attributes for name, attributes in self.all if name == tag]

    def values(self, tag, key):
        """An attribute of the elements with this tag, None where there is none."""
        return [attributes.get(key) for attributes in self.select(tag)]


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
        new_output(
            "display_data",
            data={"text/markdown": "*Look at $x$.*"},
            metadata={"caption": True},
        ),
        new_output("stream", name="stdout", text="a < b & \x1b[31mred\x1b[0m\n"),
        new_output("stream", name="stderr", text="a warning of a library"),
    ]
    table = {"text/html": "<table><tr><td>1</td></tr></table>"}
    nb.cells[4].outputs = [new_output("execute_result", data=table)]
    return nb


def test_page_is_whole_and_loads_nothing(nb):
    before = copy.deepcopy(nb)
    page, problems = notebook_page(nb, "01_maps")
    assert nb == before and problems == []
    elements = Elements(page)
    for tag, attributes in elements.all:
        for key in ("src", "srcset", "data", "poster"):
            assert attributes.get(key, "data:").startswith("data:"), (tag, key)
    assert external_loads(page) == []
    assert elements.select("link") == []
    assert "@import" not in page
    assert "url(" not in page
    assert elements.select("html") == [{"lang": "en"}]
    assert elements.texts["title"] == "Maps & labels"
    [policy] = [
        meta["content"] for meta in elements.select("meta") if "http-equiv" in meta
    ]
    assert "default-src 'none'" in policy and "http" not in policy
    assert {"main", "header", "nav", "footer"} <= {tag for tag, _ in elements.all}
    skip, back = elements.select("a")[:2]
    assert skip["href"] == "#content" and elements.select("main")[0]["id"] == "content"
    assert back["href"] == "index.html"
    # a link is followed, not loaded
    assert {"href": "https://example.org/paper"} in elements.select("a")


def test_formulas_are_mathml_pictures_have_their_texts_and_long_code_folds(nb):
    page, _ = notebook_page(nb, "01_maps")
    elements = Elements(page)
    formulas = elements.values("math", "alttext")
    assert formulas == ["1 < 2", r"z = \mathbf{A}x", r"\sum_i x_i", "x", "1 < 2"]
    assert [element["display"] for element in elements.select("math")].count(
        "block"
    ) == 1
    assert "$not math$" in elements.texts["code"] and "five $." in page
    assert elements.values("img", "alt") == ['A "line" <up>']
    assert elements.texts["figcaption"].startswith("Look at")
    assert [details.get("class") for details in elements.select("details")].count(
        "code"
    ) == 1
    assert "Code, 11 lines" in elements.texts["summary"]
    assert "Solution" in elements.texts["summary"]
    assert "a &lt; b &amp; " in page
    assert "\x1b" not in page
    assert "a warning of a library" not in page
    assert '<p class="badge">Parameters</p>' in page
    nb.cells[3].metadata["tags"] = ["injected-parameters"]
    assert '<p class="badge">Parameters of this run</p>' in notebook_page(nb, "x")[0]


def test_a_picture_without_alt_text_is_listed_with_its_cell(nb):
    nb.cells[4].outputs.append(picture())
    _, [problem] = notebook_page(nb, "01_maps")
    assert problem.startswith("cell 5: a picture has no alt text")


def test_half_of_a_surrogate_pair_is_shown_as_unknown(nb):
    nb.cells[0].source = "# Maps\ud800"
    page, _ = notebook_page(nb, "x")
    assert "<title>Maps\ufffd" in page and page.encode()


@mark.parametrize(
    "source", ["*a $x \\tag{1}$", "*b\n\n$$\\foo$$", "*c\n\n\\begin{foo}x\\end{foo}"]
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
    '<img srcset="a.png 2x">',
    '<object data="a.svg"></object>',
    '<svg><use xlink:href="https://example.org/a.svg"></use></svg>',
)


@mark.parametrize("content", LOADS)
def test_a_load_from_outside_is_found_and_the_page_forbids_it(nb, content):
    """That a browser obeys the policy is tested in ``tests/browser``."""
    nb.cells[3].outputs = [new_output("display_data", data={"text/html": content})]
    page, _ = notebook_page(nb, "x")
    assert len(external_loads(page)) == 1
    assert page.index('http-equiv="Content-Security-Policy"') < page.index(content)


@fixture
def explorer(monkeypatch, nb):
    """A notebook with a widget, and a stand-in for the player of "known"."""
    monkeypatch.setattr(export, "offline_module", lambda: "<script>play()</script>")
    monkeypatch.setattr(export, "offline_fragment", dict.get)
    nb.metadata["widgets"] = {STATE: {"state": {"known": "<div>frames</div>"}}}

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
    Image.new("RGB", (1200, 600)).save(buffer := io.BytesIO(), format="png")
    png = base64.b64encode(buffer.getvalue()).decode()
    entry = {"name": "01_a", "title": "T", "question": "", "alt": "x", "runs": []}

    def pictures(png):
        page = index_page([entry | {"png": png}], "")
        return Elements(page).values("img", "src")

    [source] = pictures(png)
    with Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2]))) as small:
        assert small.size == (384, 192)
    for content in (base64.b64encode(b"no picture").decode(), "?", png[:100]):
        assert pictures(content) == []


def test_index_says_of_each_notebook_how_its_runs_went():
    blank = {"title": "T & t", "question": "Why <so>?", "png": PIXEL, "alt": "x"}
    usual = {
        "scale": "default",
        "parameters": {},
        "substituted": [],
        "seconds": 12.3,
        "ok": True,
        "failed_page": None,
        "error": {"cell": 4, "name": "E", "says": "<bad>"},
    }
    runs = {
        "01_a": [
            {"page": "01_a.html"},
            {"page": "01_a.x.html", "scale": "quick", "parameters": {"seed": 3}},
        ],
        "02_b": [
            {"page": "02_b.html", "ok": False, "failed_page": "02_b.failed.html"},
            {"page": None, "scale": "quick", "ok": False},
        ],
        "03_c": [],
        "04_d": [{"page": "04_d.html", "substituted": ["scene"]}],
    }
    entries = [
        blank | {"name": name, "runs": [usual | run for run in of]}
        for name, of in runs.items()
    ]
    entries[2]["png"] = None
    page = index_page(entries, "123 reproduced, 2 < 3", has_reference=True)
    elements = Elements(page)
    paragraphs = elements.texts["p"]
    assert "default scale" not in paragraphs and "12 s" not in paragraphs
    for text in (
        "At quick scale with seed = 3",
        "The last run failed in cell 5: E: <bad> (how far it came)",
        "Failed at quick scale in cell 5",
        "not run yet",
        "Without scene, on substitute data",
        "123 reproduced, 2 < 3",
    ):
        assert text in paragraphs
    assert elements.values("a", "title").count("Ran in 12 s") == 4
    runs = "01_a.html 01_a.x.html 02_b.html 02_b.failed.html 04_d.html"
    addresses = f"#content {runs} claims.html api/index.html"
    assert elements.values("a", "href") == addresses.split()
    assert elements.texts["h2"].count("T & t") == 4 and external_loads(page) == []


def test_the_claims_in_a_sentence():
    row = {"id": "SL-01", "stored_verdict": "differs", "change": ""}
    stored = "Claims in the ledger: 0 reproduced, 1 differ, 0 not checked"
    for change, words in {
        "": "0, otherwise than stored: none.",
        "same": "1, otherwise than stored: none.",
        "worse": "1, otherwise than stored: SL-01.",
    }.items():
        sentence = f"{stored}; measured by this run: {words}"
        assert count_claims([row | {"change": change}]) == sentence


def test_claims_have_a_page_that_leads_back_and_addresses_of_their_own():
    rows = claims.table(claims.stored_ledger(), only="SL")
    rows[6]["remark"] = "<script>alert('x')</script> & more"
    elements = Elements(claims_page(rows))
    ids = [attributes["id"] for _, attributes in elements.all if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {"kudo", *(row["id"] for row in rows)} <= set(ids)
    assert {"href": "index.html"} in elements.select("a")
    assert {"href": "#SL-07"} in elements.select("a")
    assert [attributes["scope"] for attributes in elements.select("th")].count(
        "row"
    ) == len(rows) + 1
    assert rows[6]["remark"] in elements.texts["p"]
    assert claims.PAPERS["kudo"] in elements.texts["h2"]
    # the verdict is a word, not only a colour
    assert elements.texts["td"].count("reproduced") >= 23


def test_headings_have_addresses_of_their_own_in_the_contents(nb):
    nb.cells[
        4
    ].source = "## The *idea*: $x$ & y\n\n## The idea x y\n\n### Content\n\n## ?!"
    nb.cells[4].cell_type = "markdown"
    elements = Elements(notebook_page(nb, "x")[0])
    ids = [about["id"] for tag, about in elements.all if tag in ("h1", "h2", "h3")]
    assert ids == [
        "maps-labels",
        "the-idea-x-y",
        "the-idea-x-y-2",
        "content-2",
        "section",
        "exercise",
    ]
    addresses = [f"#{slug}" for slug in ids[1:]]
    links = [a for a in elements.select("a") if a["href"].startswith("#")]
    contents = [a["href"] for a in links if set(a) == {"href"}]
    assert contents == 2 * addresses  # beside the text and above it
    anchors = [a["href"] for a in links if a.get("class") == "anchor"]
    assert anchors == addresses


def test_many_chapters_are_listed_without_their_parts_and_one_alone_not_at_all(nb):
    chapters = (f"## Chapter {i}\n\n### Part {i}\n\n" for i in range(9))
    nb.cells[2].source = "".join(chapters)
    page, _ = notebook_page(nb, "x")
    assert page.count('<li class="level2">') == 2 * 9
    assert "level3" not in page.partition("<body>")[2]
    nb.cells[2].source, nb.cells[-1].source = "## One", ""
    assert 'aria-label="Contents"' not in notebook_page(nb, "x")[0]
