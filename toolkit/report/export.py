"""Executed notebooks as pages that need no network and no kernel.

nbconvert's filters turn Markdown, code and terminal text into HTML; its page templates
would load scripts from the network and drop alt texts, so the pages are ours:
`cell.html` shows a cell, `page.html` what a page holds, of which `reports.html` and
`claims.html` are variants, within the frame of all pages (`toolkit.explorer.offline`).
Formulas become MathML, pictures carry the alt text and the caption that their maker
gave them (`toolkit.plots.publish`), explorers play their frames with their own script,
and nothing is loaded from outside, which the Content-Security-Policy of the page
enforces.
"""

import html
import re
from functools import partial
from pathlib import Path

from ..claims import PAPERS
from ..explorer.offline import offline_fragment, offline_module, page_frame
from ..plots.pictures import as_base64, thumbnail
from .mathml import to_mathml
from .stored import WIDGET_VIEW, describe, tags

FOLDER = Path(__file__).parent
PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
# Styles of Pygments whose every colour has a contrast of 4.5 on the grounds of
# `report.css`.
CODE_STYLES = {
    "print, (prefers-color-scheme: light)": "xcode",
    "screen and (prefers-color-scheme: dark)": "monokai",
}
HOME = ("index.html", "All reports")
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"


def notebook_page(
    nb, name, *, title="", home=HOME, adjacent=(None, None), alt_texts=True
):
    """The page of one executed notebook, and a line for each thing that is missing.

    `title` is that of the browser's tab, by default the H1 without its markup, and
    `name` for a notebook without H1; `home` is address and name of the list
    of pages, None for a single page; `adjacent` are such pairs of the previous and the
    next page, or None. Without `alt_texts` pictures may lack theirs.
    Explorers need the widget state in the notebook's metadata. A ValueError names the
    cell of a formula that cannot be shown.
    """
    from nbconvert.filters import Highlight2HTML, ansi2html

    widgets = nb.metadata.get("widgets", {})
    models = widgets.get(WIDGET_STATE, {}).get("state", {})
    parts = []
    fragments = []
    headings = []
    problems = []

    def explorer(data):
        """The fragment of a widget, or None; "" if it is no widget.

        `data` are the contents of an output by MIME type.
        """
        if WIDGET_VIEW not in data:
            return ""
        fragment = offline_fragment(models, data[WIDGET_VIEW]["model_id"])
        fragments.append(fragment)
        return fragment

    template = _template(
        "cell.html",
        code=Highlight2HTML(pygments_lexer="ipython3"),
        terminal=ansi2html,
        picture=_picture,
        explorer=explorer,
        # The corner of a table of pandas is a heading of nothing.
        without_empty_headings=partial(
            re.sub, r"<th([^>]*)></th>", r"<td\1></td>"
        ),
    )
    for number, cell in enumerate(nb.cells, 1):
        lacking = []
        try:
            parts.append(
                template.render(
                    cell=cell,
                    tags=tags(cell),
                    headings=headings,
                    alt_texts=alt_texts,
                    lacks=lacking.append,
                )
            )
        except ValueError as error:
            raise ValueError(f"cell {number}: {error}") from None
        for problem in lacking:
            problems.append(f"cell {number}: {problem}")
    if any(fragments):
        parts.append(offline_module())
    page = page_of(
        title or describe(nb)["title"] or name,
        content="\n".join(parts),
        headings=headings,
        home=home,
        adjacent=adjacent,
    )
    return page, problems


def _picture(output):
    """Source, alternative text, caption and size of the picture of an output, or None.

    Of an explorer the text says what its picture shows.
    """
    data = output.get("data", {})
    kinds = [kind for kind in PICTURES if kind in data]
    if not kinds:
        return None
    kind = kinds[0]
    content = "".join(data[kind].split())
    if kind == "image/svg+xml":
        content = as_base64(data[kind].encode())
    alt = ""
    if WIDGET_VIEW in data:
        alt = data.get("text/plain", "")
    picture = {"alt": alt, "source": f"data:{kind};base64,{content}"}
    return picture | output.metadata.get(kind, {})


def neighbours(notebooks):
    """Address and title of the pages before and after each notebook.

    None at both ends. `notebooks` are by name and in order.

    Examples
    --------
    >>> from nbformat.v4 import new_notebook
    >>> neighbours({"01_a": new_notebook(), "02_b": new_notebook()})["01_a"]
    (None, ('02_b.html', '02_b'))
    """
    pages = [None]
    for name, nb in notebooks.items():
        pages.append((f"{name}.html", describe(nb)["title"] or name))
    pages.append(None)
    before_and_after = zip(pages[:-2], pages[2:], strict=True)
    return dict(zip(notebooks, before_and_after, strict=True))


def claims_page(rows):
    """The page of the claims; `rows` as `toolkit.claims.table` gives them."""
    return page_of(
        "Published claims",
        "claims.html",
        styles=["claims.css"],
        rows=rows,
        papers=PAPERS,
        home=HOME,
    )


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

        def table(self, text):
            # A wide table scrolls in itself.
            return f'<div class="scroll"><table>{text}</table></div>'

        def heading(self, text, level, **about):
            """A heading with an identifier; text is HTML."""
            if headings is None:
                return super().heading(text, level, **about)
            words = html.unescape(re.sub(r"<[^>]*>", "", text)).strip()
            slug = _slug(words, [heading[1] for heading in headings])
            headings.append((level, slug, words))
            link = ""
            if level > 1:
                address = f'href="#{slug}" aria-label="Link to this section"'
                link = f'<a class="anchor" {address}></a>'
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


def _slug(words, slugs):
    """The address of a heading, unlike `slugs`: it changes with its own words alone.

    Examples
    --------
    >>> _slug("The idea: weight & wait", []), _slug("The idea", ["the-idea"])
    ('the-idea-weight-wait', 'the-idea-2')
    >>> _slug("?!", [])
    'section'
    """
    slug = re.sub(r"\W+", "-", words.lower()).strip("-") or "section"
    while slug in [*slugs, "content"]:
        slug += "-2"
    return slug


def page_of(title, template="page.html", *, styles=(), **content):
    """A page; its template shows `content` as text, but for what it declares safe.

    `styles` are files of rules for this page alone.
    """
    rules = [
        (FOLDER / file).read_text("utf-8") for file in ("report.css", *styles)
    ]
    for media, name in CODE_STYLES.items():
        rules.append(f"@media {media} {{\n{_code_rules(name)}\n}}")
    # Pixels: shown 12rem wide, sharp on screens of twice the density too.
    small = partial(thumbnail, width=384)
    body = _template(template, thumbnail=small).render(content)
    body_class = ""
    if not content.get("home"):
        body_class = "alone"
    return page_frame(
        title, body, style="\n".join(rules), body_class=body_class
    )


def _code_rules(name):
    """Rules of CSS for code in a style of Pygments."""
    from pygments.formatters import HtmlFormatter

    rules = HtmlFormatter(style=name).get_style_defs(".highlight")
    # We show no line numbers, which have rules too.
    return re.sub(r"^(pre|td|span)[^\n]*\n", "", rules, flags=re.M)


def _template(name, **filters):
    """The template in the file `name`; `filters` are functions that it calls."""
    from jinja2 import Environment, FileSystemLoader

    pages = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters |= {"markdown": _markdown} | filters
    return pages.get_template(name)
