"""Executed notebooks as pages that need no network and no kernel.

nbconvert's filters turn Markdown, code and terminal text into HTML; its page templates
would load scripts from the network and drop alt texts, so the pages are ours:
`page.html`, of which `reports.html` and `claims.html` are variants. Formulas become
MathML, pictures carry the alt text and the caption that their maker gave them
(`toolkit.plots.publish`), explorers play their frames with their own script, and
nothing is loaded from outside, which the Content-Security-Policy of the page enforces.
"""

import html
import re
from functools import partial
from pathlib import Path

from ..claims import PAPERS, summary
from ..explorer.offline import offline_fragment, offline_module
from ..plots.inputs import sanitize_text
from ..plots.pictures import as_base64, thumbnail
from .mathml import to_mathml
from .stored import WIDGET_VIEW, describe, tags

FOLDER = Path(__file__).parent
PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
# Of Pygments: the styles whose every colour has a contrast of 4.5 on the grounds of
# `report.css`.
CODE_STYLES = {
    "print, (prefers-color-scheme: light)": "xcode",
    "screen and (prefers-color-scheme: dark)": "monokai",
}
BADGES = {
    "injected-parameters": "Parameters of this run",
    "parameters": "Parameters",
}
HOME = ("index.html", "All reports")
STATE = "application/vnd.jupyter.widget-state+json"


def notebook_page(nb, name, *, home=HOME, beside=(None, None), alt_texts=True):
    """The page of one executed notebook, and a line for each thing that is missing.

    `name` is the title of a notebook without H1; `home` is address and name of the list
    of pages, None for a page that stands alone; `beside` are such pairs of the pages
    before and after it, or None. Without `alt_texts` pictures may lack theirs.
    Explorers need the widget state in the notebook's metadata. A ValueError names the
    cell of a formula that cannot be shown.
    """
    writer = _Writer(
        nb.metadata.get("widgets", {}).get(STATE, {}).get("state", {}),
        alt_texts,
    )
    parts = []
    for writer.number, cell in enumerate(nb.cells):
        try:
            parts.append(writer.cell(cell))
        except ValueError as error:
            raise ValueError(f"cell {writer.number + 1}: {error}") from None
    if writer.plays:
        parts.append(offline_module())
    page = page_of(
        describe(nb)["title"] or name,
        content="\n".join(parts),
        headings=_contents(writer.headings),
        home=home,
        beside=beside,
    )
    return page, writer.problems


def neighbours(notebooks):
    """Address and title of the pages before and after each notebook.

    None at both ends. `notebooks` are by name and in order.

    Examples
    --------
    >>> from nbformat.v4 import new_notebook
    >>> neighbours({"01_a": new_notebook(), "02_b": new_notebook()})["01_a"]
    (None, ('02_b.html', '02_b'))
    """
    pages = [
        None,
        *(
            (f"{name}.html", describe(nb)["title"] or name)
            for name, nb in notebooks.items()
        ),
        None,
    ]
    return {name: (pages[i], pages[i + 2]) for i, name in enumerate(notebooks)}


def claims_page(rows):
    """The page of the claims; `rows` as `toolkit.claims.table` gives them."""
    return page_of(
        "Published claims",
        "claims.html",
        rows=rows,
        counts=summary(rows),
        papers=PAPERS,
        home=HOME,
    )


class _Writer:
    """Cells as HTML, with the headings and problems so far, and whether one plays."""

    def __init__(self, state, alt_texts):
        self.state = state
        self.alt_texts = alt_texts
        self.number = 0
        self.headings = []
        self.problems = []
        self.plays = False

    def lacks(self, what):
        self.problems.append(f"cell {self.number + 1}: {what}")

    def cell(self, cell):
        if cell.cell_type == "markdown":
            return _prose(_markdown(cell.source, headings=self.headings))
        if cell.cell_type != "code":
            return ""
        parts = [_code(cell)]
        for output in cell.outputs:
            is_caption = output.get("metadata", {}).get("caption") is True
            if output.output_type == "error":
                parts.append(_text("\n".join(output.traceback), "error"))
            elif output.output_type == "stream":
                # warnings and progress bars are no part of the lesson
                if output.name == "stdout":
                    parts.append(_text(output.text.rstrip("\n")))
            elif is_caption and parts[-1].endswith("</figure>"):
                figure = parts.pop().removesuffix("</figure>")
                text = output.data["text/markdown"].strip().strip("*")
                text = _markdown(text, markup=False)
                parts.append(
                    f"{figure}<figcaption>{text}</figcaption></figure>"
                )
            else:
                parts.append(self.display(output))
        content = "\n".join(filter(None, parts))
        is_first = "first" in tags(cell) and content
        return f'<div class="first">{content}</div>' if is_first else content

    def display(self, output):
        data = output.data
        picture = self.picture(output)
        if view := data.get(WIDGET_VIEW):
            fragment = offline_fragment(self.state, view["model_id"])
            if fragment is not None:
                self.plays = True
                return fragment + (
                    picture and f"<noscript>{picture}</noscript>"
                )
        if picture:
            return picture
        if view:
            self.lacks(
                "a widget cannot be shown without a kernel and has no picture"
            )
        if "text/html" in data:
            # pandas leaves the corner of a table empty, as a heading of nothing.
            table = re.sub(
                r"<th([^>]*)></th>", r"<td\1></td>", data["text/html"]
            )
            return f'<div class="scroll">{table}</div>'
        for kind in ("text/markdown", "text/latex"):
            if kind in data:
                return _prose(_markdown(data[kind]))
        return _text(data["text/plain"]) if "text/plain" in data else ""

    def picture(self, output):
        """The figure of an output, "" where it has none."""
        kind = next((kind for kind in PICTURES if kind in output.data), None)
        if kind is None:
            return ""
        about = output.get("metadata", {}).get(kind, {})
        text = ""
        # an explorer's text says what its picture shows
        if WIDGET_VIEW in output.data:
            text = output.data.get("text/plain", "")
        alt = html.escape(about.get("alt", text))
        if self.alt_texts and not alt.strip():
            self.lacks(
                "a picture has no alt text (toolkit.plots.publish asks for one)"
            )
        content = output.data[kind]
        if kind == "image/svg+xml":
            content = as_base64(content.encode())
        size = "".join(
            f' {side}="{int(about[side])}"'
            for side in ("width", "height")
            if about.get(side)
        )
        caption = html.escape(about.get("caption") or "")
        caption = caption and f"<figcaption>{caption}</figcaption>"
        source = f"data:{kind};base64,{''.join(content.split())}"
        return (
            f'<figure><img src="{source}" alt="{alt}"{size}>{caption}</figure>'
        )


def _code(cell):
    from nbconvert.filters import Highlight2HTML

    if not cell.source.strip():
        return ""
    code = Highlight2HTML(pygments_lexer="ipython3")(cell.source)
    n_lines = len(cell.source.splitlines())
    if n_lines > 10:
        code = (
            f'<details class="code"><summary>Code, {n_lines} lines</summary>{code}'
            "</details>"
        )
    else:
        code = f'<div class="code">{code}</div>'
    for tag, badge in BADGES.items():
        if tag in tags(cell):
            return f'<p class="badge">{badge}</p>\n{code}'
    return code


def _prose(markup):
    return f'<div class="prose">{markup}</div>'


def _text(text, kind="text"):
    from nbconvert.filters import ansi2html

    return f'<pre class="{kind}">{ansi2html(text)}</pre>'


def _markdown(source, markup=True, headings=None):
    """Markdown as HTML.

    HTML in it is shown as text unless `markup` lets it pass, as in the cells of an
    author. The parser knows code spans, so that a dollar in one stays a dollar. With a
    list `headings`, each heading gets an address and a link to itself, and is added to
    the list as level, address and text.
    """
    from nbconvert.filters.markdown_mistune import (
        IPythonRenderer,
        MarkdownWithMath,
    )

    class Renderer(IPythonRenderer):
        def inline_math(self, body):
            return to_mathml(body)

        def block_math(self, body):
            return to_mathml(body, display=True)

        def table(self, text):  # a wide one scrolls in itself
            return f'<div class="scroll"><table>{text}</table></div>'

        def heading(self, text, level, **about):
            if headings is None:
                return super().heading(text, level, **about)
            words = html.unescape(re.sub(r"<[^>]*>", "", text)).strip()
            slug = _slug(words, {other for _, other, _ in headings})
            headings.append((level, slug, words))
            link = f'href="#{slug}" aria-label="Link to this section"'
            link = f'<a class="anchor" {link}></a>' if level > 1 else ""
            return f'<h{level} id="{slug}">{text}{link}</h{level}>\n'

        def latex_environment(self, name, body):
            return to_mathml(
                f"\\begin{{{name}}}{body}\\end{{{name}}}", display=True
            )

    return MarkdownWithMath(
        renderer=Renderer(
            escape=not markup,
            allow_harmful_protocols=markup,
            exclude_anchor_links=True,
        )
    ).render(source)


def _slug(words, others):
    """The address of a heading, unlike `others`: it changes with its own words alone.

    Examples
    --------
    >>> _slug("The idea: weight & wait", set()), _slug("The idea", {"the-idea"})
    ('the-idea-weight-wait', 'the-idea-2')
    >>> _slug("?!", set())
    'section'
    """
    slug = re.sub(r"\W+", "-", words.lower()).strip("-") or "section"
    while slug in others | {"content"}:
        slug += "-2"
    return slug


def _contents(headings):
    """The headings in the list of contents: chapters, and their parts if they are few.

    There is no list for one alone.
    """
    levels = [level for level, *_ in headings]
    deepest = 3 if levels.count(2) < 9 else 2
    entries = [heading for heading in headings if 2 <= heading[0] <= deepest]
    return entries if len(entries) > 1 else []


def page_of(title, template="page.html", **content):
    """A page; its template shows `content` as text, but for what it declares safe."""
    from jinja2 import Environment, FileSystemLoader
    from pygments.formatters import HtmlFormatter

    styles = [(FOLDER / "report.css").read_text("utf-8")]
    for media, name in CODE_STYLES.items():
        rules = HtmlFormatter(style=name).get_style_defs(".highlight")
        # those for line numbers: we show none
        rules = re.sub(r"^(pre|td|span)[^\n]*\n", "", rules, flags=re.M)
        styles.append(f"@media {media} {{\n{rules}\n}}")
    pages = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # pixels: shown 12rem wide, sharp on screens of twice the density too
    pages.filters["thumbnail"] = partial(thumbnail, width=384)
    pages.filters["markdown"] = partial(_markdown, markup=False)
    return sanitize_text(
        pages.get_template(template).render(
            title=title, style="\n".join(styles), **content
        )
    )
