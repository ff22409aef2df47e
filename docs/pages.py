"""Pages made of data, and what notebooks and the API reference say of each other."""

import ast
import functools
import importlib
import inspect
import json
import re
from collections import defaultdict
from pathlib import Path

from nbformat.v4 import new_markdown_cell
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

import toolkit
from toolkit import claims
from toolkit.core import PACKAGE
from toolkit.report.equations import equations, sources
from toolkit.report.stored import describe, read_notebook, tags

ROOT = Path(__file__).parents[1]
# of `make`, in the folder above the site
LIVE_PAGE = '<a href="../../{}.html">page that <code>make</code> writes</a>'
# a name that so many notebooks use is taught by none of them
N_NOTEBOOKS_OF_HELPER = 4


# ---- notebooks ----


@functools.cache
def notebooks():
    """The stored notebooks by name, in order."""
    paths = sorted(ROOT.glob("notebooks/*.ipynb"))
    return {path.stem: read_notebook(path) for path in paths}


def complete(nb, name):
    """A notebook as the site shows it.

    It has links to its live page and to the classes that it teaches, an address and an
    alternative text for each figure; solutions are folded.
    """
    title, _, text = nb.cells[0].source.partition("\n")
    live = (
        f"The explorers below are static images; they play in the {LIVE_PAGE}."
    )
    methods = ", ".join(f"{{py:obj}}`~{method}`" for method in taught_by(name))
    parts = [title, live.format(name), text, f"**API reference:** {methods}."]
    nb.cells[0].source = "\n\n".join(parts)
    cells = []
    for cell in nb.cells:
        for figure, alt in images_of(cell):
            cell.metadata["mystnb"] = {"image": {"alt": alt}}
            if figure:
                cells.append(new_markdown_cell(f'<span id="{figure}"></span>'))
        if "solution" in tags(cell):
            cell.metadata.tags.append("hide-cell")
        cells.append(cell)
    nb.cells = cells
    return nb


def images_of(cell):
    """Name and alternative text of each image of a cell; an explorer has no name."""
    for output in cell.get("outputs", []):
        if "image/png" in output.get("data", {}):
            about = output.metadata.get("image/png", {})
            name = re.match(r"\[Figure (\w+)\]", output.data["text/plain"])
            yield name and name[1], about.get("alt", "")


def figures_of(cells):
    """Name and alternative text of the figures of some cells."""
    for cell in cells:
        for name, alt in images_of(cell):
            if name:
                yield name, alt


# ---- names that notebooks use ----


@functools.cache
def uses():
    """{full name: {notebook: numbers of the cells that use it}}."""
    found = defaultdict(dict)
    for notebook, nb in notebooks().items():
        known = {"toolkit": "toolkit"}
        for number, cell in enumerate(nb.cells):
            if cell.cell_type == "code":
                tree = ast.parse(cell.source)
                known |= imported_names(tree)
                for name in used_names(tree, known):
                    found[name].setdefault(notebook, []).append(number)
    return found


def imported_names(tree):
    """{name in the code: full name} of what is imported from the toolkit."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and node.module.startswith("toolkit")
        for alias in node.names
    }


def used_names(tree, known):
    """Full names of what the code uses, such as `module.name`."""
    texts = {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
    }
    for text in texts:
        first, dot, rest = text.partition(".")
        if first in known:
            yield known[first] + dot + rest


def users_of(name):
    """The notebooks that use a name, first the one with the most cells that do."""
    return sorted(uses()[name], key=lambda user: -len(uses()[name][user]))


def taught_by(notebook):
    """The public names that a notebook teaches."""
    subpackages = [f"toolkit.{name}" for name in toolkit.SUBPACKAGES]
    return [
        name
        for name in sorted(uses())
        if name.rpartition(".")[0] in ["toolkit", *subpackages]
        and name not in subpackages
        and len(uses()[name]) < N_NOTEBOOKS_OF_HELPER
        and users_of(name)[0] == notebook
    ]


def taught_lines(name):
    """Which notebook teaches a name, and the figure after its first use there."""
    if name not in uses():
        return
    links = [
        f":doc:`notebook {int(user[:2])} </notebooks/{user}>`"
        for user in users_of(name)
    ]
    also = f"; also used in {', '.join(links[1:])}" if links[1:] else ""
    yield from ["", f"Taught in {links[0]}{also}.", ""]
    notebook = users_of(name)[0]
    later = notebooks()[notebook].cells[uses()[name][notebook][0] :]
    for figure, alt in figures_of(later):
        yield f".. image:: /figures/{figure}.png"
        yield f"   :target: ../../notebooks/{notebook}.html#{figure}"
        yield f"   :alt: {alt}"
        yield ""
        break


# ---- pages ----


def write_pages(folder):
    """Write equations, claims and gallery into a copy of the sources."""
    for page in equations_page, claims_page, gallery_page:
        name = page.__name__.removesuffix("_page")
        text = "\n".join(page()) + "\n"
        Path(folder, "docs", f"{name}.md").write_text(text, "utf-8")


def equations_page():
    yield "# Equations\n"
    yield "Which line computes which numbered equation. The papers write samples as"
    yield "columns; here they are rows."
    rows = equations()
    for source in sorted({row["source"] for row in rows}):
        about = sources()[source]
        key = "" if source == "thesis" else f"{source} "
        yield f"\n## {about['authors']}\n\n*{about['title']}*\n"
        yield "| equation | meaning | line of `toolkit/` | function |"
        yield "|---|---|---|---|"
        for row in rows:
            if row["source"] == source:
                address = source_address(PACKAGE / row["file"], row["line"])
                line = f"{row['file']}:{row['line']}"
                # a main entry of the index, which the search lists first
                number = (
                    f"{{index}}`!{key}Eq. {row['number']}` ({row['number']})"
                )
                link = f'<a href="{address}">{line}</a>'
                yield f"| {number} | {row['meaning']} | {link} | `{row['function']}` |"


def claims_page():
    yield "# Claims\n"
    yield "What the papers report, what we measured, and whether the two agree; claims"
    yield "that differ come first. The rule of each claim, and its readings, are in the"
    yield LIVE_PAGE.format("claims") + "."
    for paper, title in claims.PAPERS.items():
        ids = [
            id for id, claim in claims.load().items() if claim.paper == paper
        ]
        found = claims.comparison(ids)
        rows = re.search("<thead>.*</tbody>", found._repr_html_(), re.DOTALL)
        authors, _, title = title.partition(": ")
        yield f"\n## {authors}\n\n*{title}*: {found}.\n"
        yield f'<div class="wide"><table class="table">{rows[0]}</table></div>'


def gallery_page():
    yield "# Gallery\n\nThe figures of the notebooks; each leads to its place there."
    for notebook, nb in notebooks().items():
        yield f"\n## {describe(nb)['title']}\n\n````{{container}} gallery"
        for figure, alt in figures_of(nb.cells):
            yield f"```{{image}} ../figures/{figure}.png"
            yield f":target: ../notebooks/{notebook}.html#{figure}"
            yield f":alt: {json.dumps(alt)}"
            yield ":loading: lazy"
            yield "```"
        yield "````"


# ---- source ----


def source_address(file, line):
    """The address of a line of the package, as seen from `docs/`."""
    name = Path(file).relative_to(PACKAGE).with_suffix("").as_posix()
    return f"../source/{name}.html#line-{line}"


def linkcode_resolve(domain, info):
    """The address of the line that defines a name; None where there is none."""
    path = info["fullname"].split(".")
    try:
        module = importlib.import_module(info["module"])
        thing = own_code(functools.reduce(getattr, path, module))
        file = inspect.getsourcefile(thing)
        line = inspect.getsourcelines(thing)[1]
    except (AttributeError, TypeError):
        return None
    return "../" + source_address(file, line)


def own_code(member):
    """The function of a property, or below decorators."""
    return inspect.unwrap(getattr(member, "fget", None) or member)


def source_pages():
    """The modules of the package as pages: name, content, template."""
    form = HtmlFormatter(linenos="inline", lineanchors="line")
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE)
        title = f"toolkit/{file.as_posix()}"
        code = highlight(path.read_text("utf-8"), PythonLexer(), form)
        content = {"title": title, "body": f"<h1>{title}</h1>{code}"}
        yield f"source/{file.with_suffix('').as_posix()}", content, "page.html"
