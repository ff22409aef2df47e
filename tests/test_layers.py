"""The shape of the package: imports go to lower ranks only, optional packages have their places, files stay short."""

import ast
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "toolkit"

# From the ground up; a name is a module or a folder of modules, within which imports are free.
MATHEMATICS = [
    {"core"},
    {"datasets", "neighbors", "quality", "plots"},
    {"multilabel", "eigenmaps", "discriminant", "lvq", "lmnn", "embed", "kernelmap", "bounds"},
    {"fisher", "relevance", "transfer"},
    {"decisionmap"},
]
# ---- the wall: nothing above this line imports anything below it ----
MACHINERY = [{"explore", "claims", "course"}, {"report"}, {"tabular"}, {"__main__"}]
RANKS = {name: rank for rank, names in enumerate(MATHEMATICS + MACHINERY) for name in names}

# Optional packages and the modules that may import them; False: only within a function, so that it stays optional.
PLACES = {
    "matplotlib": ({"plots", "explore", "tabular"}, False),
    "IPython": ({"plots", "explore"}, False),
    "PIL": ({"plots"}, False),
    "ipywidgets": ({"explore", "tabular"}, True),
    "anywidget": ({"explore"}, True),
    "traitlets": ({"explore"}, True),
    "tqdm": ({"core", "explore", "report"}, False),
    "pandas": ({"core", "tabular"}, False),
    "psutil": ({"report"}, False),
    "pooch": ({"datasets"}, False),
    "papermill": ({"report"}, False),
    "nbclient": ({"report"}, False),
    "ipykernel": ({"report"}, False),
    "nbformat": ({"report", "tabular"}, False),
    "nbconvert": ({"report"}, False),
    "pygments": ({"report"}, False),
    "jinja2": ({"report"}, False),
    "latex2mathml": ({"report"}, False),
    "pdoc": ({"report"}, False),
    "dask": ({"core"}, False),
    "openTSNE": ({"embed"}, False),
}
ALWAYS = {"numpy", "scipy", "sklearn", "joblib", "threadpoolctl", "toolkit"} | set(sys.stdlib_module_names)

FILES = sorted(PACKAGE.rglob("*.py"))


def place(path):
    """Name of the module or folder below the package, "" for the package itself."""
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem.replace("__init__", "")


def imports(path):
    """(module, whether at import time, line) of each import of a file, relative ones resolved."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    folder = ["toolkit", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(tree):
        at_once = id(node) not in inside
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, at_once, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module == "toolkit":
                for alias in node.names:
                    yield f"toolkit.{alias.name}", at_once, node.lineno
            else:
                yield module, at_once, node.lineno


def imported_names(path):
    """(module, names, line) of each import from a module of the package."""
    folder = ["toolkit", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module.partition(".")[0] == "toolkit":
                yield module, [alias.name for alias in node.names], node.lineno


def public_names(path):
    """What `__all__` of a module lists."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def test_each_module_has_a_rank():
    unknown = {place(path) for path in FILES} - {""} - set(RANKS)
    assert not unknown, f"give {sorted(unknown)} a place in RANKS"


def test_imports_go_to_lower_ranks_only():
    wrong = []
    for path in FILES:
        own = place(path)
        for module, _, line in imports(path):
            first, _, rest = module.partition(".")
            if first != "toolkit" or not rest:
                continue
            other = rest.partition(".")[0]
            if own and other in RANKS and other != own and RANKS[other] >= RANKS.get(own, -1):
                wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {module}")
    assert not wrong, wrong


def test_optional_packages_stay_in_their_places():
    wrong = []
    for path in FILES:
        own = place(path)
        for module, at_once, line in imports(path):
            first, where = module.partition(".")[0], f"{path.relative_to(PACKAGE)}:{line}"
            if first in ALWAYS:
                continue
            if first not in PLACES:
                wrong.append(f"{where} imports {first}, which no requirement names")
                continue
            modules, early = PLACES[first]
            if own not in modules:
                wrong.append(f"{where} imports {first}; its place is {sorted(modules)}")
            if at_once and not early:
                wrong.append(f"{where} must import {first} where it is used, not at the top")
    assert not wrong, wrong


def test_a_file_is_one_concept():
    """A long file is a question, not an error: does it hold two concepts?"""
    for path in FILES:
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400:
            warnings.warn(f"{path.name} has {lines} lines: is it one concept?", stacklevel=1)


def test_no_hidden_name_is_taken_from_another_folder():
    wrong = []
    for path in FILES:
        for module, names, line in imported_names(path):
            source = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
            if source.is_file() and source.parent != path.parent:
                hidden = set(names) - public_names(source)
                wrong += [f"{path.relative_to(PACKAGE)}:{line} takes {name} from {module}" for name in sorted(hidden)]
    assert not wrong, f"{wrong}: put the names into `__all__` there, or use what is there"


def test_the_core_imports_without_any_optional_package_and_without_matplotlib():
    modules = [
        ".".join(["toolkit", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
        for path in FILES
        if place(path) in set().union({""}, *MATHEMATICS)
    ]
    assert "toolkit.core.linalg" in modules and "toolkit.datasets" in modules
    code = f"""
import importlib, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(set(PLACES) - {"matplotlib"})}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Blocked())
for name in {modules}:
    importlib.import_module(name)
assert "matplotlib" not in sys.modules, "matplotlib is imported before anything is drawn"
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


def test_the_rules_catch_what_they_forbid(tmp_path, monkeypatch):
    """The checks above, on a file that breaks each rule."""
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)

    def check(rule, *files):
        monkeypatch.setattr(sys.modules[__name__], "FILES", files)
        rule()

    bad = tmp_path / "core" / "linalg.py"
    bad.parent.mkdir()
    bad.write_text(
        "import matplotlib\nfrom .. import claims\nfrom ..report import main\nimport requests\n" + "\n" * 400
    )
    with pytest.raises(AssertionError, match="imports toolkit.claims.*imports toolkit.report"):
        check(test_imports_go_to_lower_ranks_only, bad)
    with pytest.raises(AssertionError, match="its place is"):
        check(test_optional_packages_stay_in_their_places, bad)
    with pytest.warns(UserWarning, match="is it one concept"):
        check(test_a_file_is_one_concept, bad)
    (tmp_path / "plots").mkdir()
    (tmp_path / "plots" / "b.py").write_text('__all__ = ["seen"]\n')
    (tmp_path / "core" / "takes.py").write_text("from ..plots.b import seen, unseen\n")
    with pytest.raises(AssertionError, match="takes unseen from toolkit.plots.b"):
        check(test_no_hidden_name_is_taken_from_another_folder, tmp_path / "core" / "takes.py")
    early = tmp_path / "plots" / "a.py"
    early.write_text("def f():\n    import matplotlib\nfrom matplotlib import pyplot\n")
    with pytest.raises(AssertionError, match="a.py:3 must import matplotlib where it is used"):
        check(test_optional_packages_stay_in_their_places, early)
