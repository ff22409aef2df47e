"""The API reference: a page per subpackage, made by pdoc from the docstrings. It needs no network.

Public is what the ``__all__`` of a subpackage lists. A class shows, beside its docstring, the notebook that teaches it
and a picture of that notebook.
"""

import argparse
import json
import shutil
import time
from pathlib import Path
from unittest import mock

from toolkit.report.project import Project

__all__ = ["PICTURES", "main", "picture_of", "write_docs"]

# The public subpackages, and single classes: a picture of the notebook that teaches them (its number begins the name).
PICTURES = {
    "datasets": "",
    "plots": "02_digits_pair",
    "plots.BoundsDisplay": "07_wine",
    "plots.CurvesDisplay": "07_paths",
    "plots.DecisionDisplay": "06_plate",
    "plots.FeatureLabelDisplay": "01_scene_fla",
    "plots.RegressionDisplay": "06_diabetes",
    "plots.SampleLabelDisplay": "01_scene_sla",
    "plots.TargetDisplay": "05_regression",
    "quality": "05_quality",
    "multilabel": "01_scene_sla",
    "multilabel.FeatureLabelEigenmap": "01_scene_fla",
    "multilabel.KernelSampleLabelMap": "01_scene_slak",
    "multilabel.SampleLabelEigenmap": "01_scene_slb",
    "eigenmaps": "02_digits_rivals",
    "eigenmaps.LaplacianEigenmap": "02_digits_plain",
    "eigenmaps.SLEML": "02_digits_sweep",
    "discriminant": "03_moons",
    "lvq": "04_landsat_planes",
    "lmnn": "07_two_metrics",
    "embed": "05_methods",
    "embed.ParametricTSNE": "05_kernel_tsne",
    "kernelmap": "05_kernel_tsne",
    "kernelmap.InverseMap": "06_cube",
    "bounds": "07_diabetes",
    "bounds.CoefficientPath": "07_paths",
    "fisher": "05_ball",
    "fisher.GPFisher": "05_regression",
    "fisher.KernelFisher": "05_similarities",
    "fisher.KernelGPFisher": "05_similarities",
    "relevance": "07_local",
    "transfer": "08_digits",
    "decisionmap": "06_ten_maps",
    "explore": "02_digits_sweep",
    "claims": "",
}


def picture_of(name):
    """Stem of the picture for a subpackage or a class, such as ``lvq.GMLVQ``; "" where no notebook teaches it.

    Examples
    --------
    >>> picture_of("eigenmaps.SLEML"), picture_of("eigenmaps.CCDR"), picture_of("claims.Claim")
    ('02_digits_sweep', '02_digits_rivals', '')
    """
    return PICTURES.get(name, PICTURES.get(name.partition(".")[0], ""))


def write_docs(out, project, only=None):
    """Write the pages into a folder; what an earlier run left there is replaced.

    Parameters
    ----------
    out : Path
        ``reports/api``, for the links to the pages of the notebooks one folder above.
    project : Project
    only : iterable of str, default None
        Subpackages; all by default.

    Returns
    -------
    Path
        The page to begin with.
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
    pdoc.render.env.globals["taught"] = taught
    for folder in ("toolkit", "pictures"):
        shutil.rmtree(out / folder, ignore_errors=True)
        (out / folder).mkdir(parents=True)
    for name, module in modules.items():
        path = (out / name.replace(".", "/")).with_suffix(".html")
        path.write_text(pdoc.render.html_module(module, modules), encoding="utf-8")
    (out / "index.html").write_text(pdoc.render.html_index(modules), encoding="utf-8")
    with mock.patch("pdoc.render.precompile_index", lambda index, _: json.dumps(index)):  # the same without node.js
        (out / "search.js").write_text(pdoc.render.search_index(modules), encoding="utf-8")
    for picture in sorted(set(PICTURES.values()) - {""}):
        if (project.figures / f"{picture}.png").is_file():
            shutil.copy(project.figures / f"{picture}.png", out / "pictures")
    return out / "index.html"


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
    parser = argparse.ArgumentParser(
        prog="python -m toolkit docs", description="Write the API reference into reports/api/."
    )
    parser.parse_args(argv)
    begin, project = time.perf_counter(), Project.find()
    page = write_docs((project.root or Path.cwd()) / "reports" / "api", project)
    print(f"Wrote {page} in {time.perf_counter() - begin:.0f} s.")
    return 0
