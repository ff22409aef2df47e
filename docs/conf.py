"""The documentation site: nothing is executed, and nothing is loaded from the net."""

import sys
from pathlib import Path

import nbformat
from docutils import nodes

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import pages  # noqa: E402, beside this file

import toolkit  # noqa: E402
from toolkit.report.mathml import to_mathml  # noqa: E402

project = "didi-toolkit"
release = toolkit.__version__
copyright = "the didi-toolkit authors"
root_doc = "docs/index"
exclude_patterns = ["docs/templates"]
extensions = [
    "sphinx.ext.autosummary",
    "sphinx.ext.linkcode",
    "numpydoc",
    "myst_nb",
]

# One page for each name in the `__all__` of a subpackage.
autosummary_ignore_module_all = False
autosummary_imported_members = True
templates_path = [str(HERE / "templates")]
default_role = "py:obj"  # of single backticks: a link where the name has a page
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"
linkcode_resolve = pages.linkcode_resolve

nb_execution_mode = "off"
nb_code_prompt_show = "Show the solution"  # no other cell is folded
nb_code_prompt_hide = "Hide the solution"
myst_enable_extensions = ["dollarmath", "amsmath"]
html_math_renderer = "mathml"

html_theme = "pydata_sphinx_theme"
html_title = project
html_theme_options = {
    "collapse_navigation": True,
    "secondary_sidebar_items": ["page-toc"],
}
# without a list of pages below
ALONE = "equations claims gallery commands scale troubleshooting".split()
html_sidebars = {f"docs/{page}": [] for page in ALONE} | {"CHANGELOG": []}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "home.html"}
html_copy_source = False
html_show_search_summary = False  # a browser fetches no excerpts from the disk


def setup(app):
    app.connect("config-inited", lambda app, _: pages.write_pages(app.srcdir))
    app.connect("source-read", complete_notebook)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect(
        "autodoc-process-docstring", name_notebook, 600
    )  # numpydoc: 500
    app.connect("html-collect-pages", lambda app: pages.source_pages())
    app.add_html_math_renderer(
        "mathml", (inline_math, None), (block_math, None)
    )


def complete_notebook(app, page, content):
    """Read a notebook as the site shows it."""
    if page.startswith("notebooks/"):
        nb = nbformat.reads(content[0], as_version=4)
        content[0] = nbformat.writes(pages.complete(nb, Path(page).name))


def skip_foreign(app, what, name, member, skip, options):
    """Leave out what scikit-learn defines, and attributes: the class describes them."""
    if what == "class":
        module = getattr(pages.own_code(member), "__module__", None) or ""
        return skip or not module.startswith("toolkit")


def name_notebook(app, what, name, member, options, lines):
    """Say which notebook teaches a class or function, with its picture."""
    if what != "module":
        lines += pages.taught_lines(name)


def inline_math(translator, node):
    translator.body.append(to_mathml(node.astext()))
    raise nodes.SkipNode


def block_math(translator, node):
    translator.body.append(to_mathml(node.astext(), display=True))
    raise nodes.SkipNode
