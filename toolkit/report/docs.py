"""The API reference: a page per subpackage, made by pdoc from the docstrings. It needs no network.

Public is what the ``__all__`` of a subpackage lists. A class shows, beside its docstring, the notebook that teaches it
and a picture of that notebook.
"""

import argparse
import json
import shutil
import time
import tomllib
from pathlib import Path
from unittest import mock

from toolkit.report.export import notebook_page
from toolkit.report.project import Project

__all__ = ["PICTURES", "main", "picture_of", "write_docs"]

# Pictures of the public subpackages, and of single classes, by name.
PICTURES = tomllib.loads(Path(__file__).with_name("pictures.toml").read_text(encoding="utf-8"))


def picture_of(name):
    """Stem of the picture for a subpackage or a class, such as ``lvq.GMLVQ``; "" where no notebook teaches it.

    Examples
    --------
    >>> picture_of("eigenmaps.SLEML"), picture_of("eigenmaps.CCDR"), picture_of("claims.Claim")
    ('02_digits_sweep', '02_digits_rivals', '')
    """
    return PICTURES.get(name, PICTURES.get(name.partition(".")[0], ""))


def write_docs(out, project, only=None):
    """Write the pages into the folder `out`, in place of earlier ones, and return the path of the first.

    They link to the pages of the notebooks one folder above `out`; `only` names subpackages, all by default.
    """
    import pdoc.doc
    import pdoc.render

    notebooks = {path.stem[:2]: path.stem for path in sorted(project.notebooks.glob("[0-9][0-9]_*.ipynb"))}

    def taught(doc):
        """The notebook that teaches a class or a subpackage, its number, and its picture, if there is one."""
        picture = picture_of(doc.fullname.removeprefix("toolkit."))
        if doc.kind not in ("module", "class") or picture[:2] not in notebooks:
            return None
        has_picture = (project.figures / f"{picture}.png").is_file()
        return {"notebook": notebooks[picture[:2]], "number": int(picture[:2]), "picture": picture * has_picture}

    names = [name for name in PICTURES if "." not in name and (only is None or name in only)]
    modules = {name: pdoc.doc.Module.from_name(name) for name in ["toolkit", *(f"toolkit.{name}" for name in names)]}
    for module in modules.values():
        for doc in module.members.values():
            if isinstance(doc, pdoc.doc.Class):
                _complete(doc)
    pdoc.render.configure(docformat="numpy", template_directory=Path(__file__).parent)
    scale = project.root and project.root / "docs" / "scale.md"  # none beside an installed package
    pdoc.render.env.globals |= {"taught": taught, "has_scale": bool(scale)}
    for folder in ("toolkit", "pictures"):
        shutil.rmtree(out / folder, ignore_errors=True)
        (out / folder).mkdir(parents=True)
    pages = {f"{name.replace('.', '/')}.html": pdoc.render.html_module(doc, modules) for name, doc in modules.items()}
    pages["index.html"] = pdoc.render.html_index(modules)
    with mock.patch("pdoc.render.precompile_index", lambda index, _: json.dumps(index)):  # the same without node.js
        pages["search.js"] = pdoc.render.search_index(modules)
    if scale:
        pages["scale.html"] = _page(scale)
    for name, page in pages.items():
        (out / name).write_text(page, encoding="utf-8")
    for picture in sorted(set(PICTURES.values()) - {""}):
        if (project.figures / f"{picture}.png").is_file():
            shutil.copy(project.figures / f"{picture}.png", out / "pictures")
    return out / "index.html"


def _page(path):
    """A page of its own from a file of markdown."""
    import nbformat

    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(path.read_text(encoding="utf-8"))])
    return notebook_page(nb, path.stem, home=("index.html", "API reference"))[0]


def _complete(cls):
    """The members that the page of a class shows: its own and those of our own base classes, which have no page.

    Without what scikit-learn generates, and what has no docstring, such as the parameters, which stand in the class's.
    """
    ours = [doc for key, docs in cls.inherited_members.items() if key[0].startswith("toolkit.") for doc in docs]
    shown = {doc.name: doc for doc in [*cls.own_members, *ours] if doc.docstring or doc.name == "__init__"}
    generated = {name for name in shown if name.startswith("set_") and name.endswith("_request")}
    first = [doc for name, doc in shown.items() if name == "__init__"]
    cls.own_members = first + [doc for name, doc in shown.items() if name not in {"__init__", *generated}]
    cls.members = {doc.name: doc for doc in cls.own_members}
    cls.inherited_members, cls.bases = {}, []


def main(argv=None):
    """``python -m toolkit docs``: write the API reference. Returns 0; wrong usage exits with 2."""
    says = "Write the API reference into reports/api/."
    argparse.ArgumentParser("python -m toolkit docs", description=says).parse_args(argv)
    begin, project = time.perf_counter(), Project.find()
    page = write_docs((project.root or Path.cwd()) / "reports" / "api", project)
    print(f"Wrote {page} in {time.perf_counter() - begin:.0f} s.")
    return 0
