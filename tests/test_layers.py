"""The shape of the package: imports go to lower ranks only, optional packages have their places, files stay short."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "toolkit"

# A module or a folder of modules; within a folder, imports are free.
RANKS = {
    name: rank
    for rank, names in enumerate(
        [
            ["linalg", "graphs", "perplexity", "contract", "validation", "tables", "parallel", "pictures"],
            ["datasets", "quality", "plots", "metricfit", "mappings"],
            ["lvq", "lmnn", "multilabel", "discriminant", "kernelmap"],
            ["fisher", "eigenmaps", "embed"],
            ["decisionmap", "relevance", "bounds", "transfer", "frames", "still"],
            ["explore", "offline", "mathml", "stored", "project", "processes", "progress"],
            ["claims", "export", "equations", "overview", "execute", "runner", "pages"],
            ["report"],
            ["measure"],
            ["__main__"],
        ]
    )
    for name in names
}
CORE = {name for name, rank in RANKS.items() if rank <= 4}

# Optional packages and the modules that may import them; False: only within a function, so that it stays optional.
PLACES = {
    "matplotlib": ({"pictures", "plots", "still"}, False),
    "IPython": ({"plots"}, False),
    "PIL": ({"pictures", "plots"}, False),
    "ipywidgets": ({"explore"}, True),
    "anywidget": ({"explore"}, True),
    "traitlets": ({"explore"}, True),
    "tqdm": ({"explore", "progress"}, False),
    "psutil": ({"processes"}, False),
    "pooch": ({"datasets"}, False),
    "ot": ({"transfer"}, False),
    "pycpd": ({"transfer"}, False),
    "papermill": ({"execute"}, False),
    "nbclient": ({"execute"}, False),
    "ipykernel": ({"execute"}, False),
    "nbformat": ({"report", "stored"}, False),
    "nbconvert": ({"export"}, False),
    "pygments": ({"export"}, False),
    "latex2mathml": ({"mathml"}, False),
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


def test_each_module_has_a_rank():
    unknown = {place(path) for path in FILES} - {""} - set(RANKS)
    assert not unknown, f"give {sorted(unknown)} a place in RANKS"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_to_lower_ranks_only(path):
    own = place(path)
    wrong = []
    for module, _, line in imports(path):
        first, _, rest = module.partition(".")
        if first != "toolkit" or not rest:
            continue
        other = rest.partition(".")[0]
        if own and other in RANKS and other != own and RANKS[other] >= RANKS.get(own, -1):
            wrong.append(f"{path.name}:{line} imports {module}")
    assert not wrong, wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_optional_packages_stay_in_their_places(path):
    own = place(path)
    for module, at_once, line in imports(path):
        first = module.partition(".")[0]
        if first in ALWAYS:
            continue
        assert first in PLACES, f"{path.name}:{line} imports {first}, which no requirement names"
        modules, early = PLACES[first]
        assert own in modules, f"{path.name}:{line} imports {first}; its place is {sorted(modules)}"
        assert early or not at_once, f"{path.name}:{line} must import {first} where it is used, not at the top"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_is_one_concept(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_the_core_imports_without_any_optional_package_and_without_matplotlib():
    modules = [
        ".".join(["toolkit", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
        for path in FILES
        if place(path) in CORE | {""}
    ]
    assert "toolkit.linalg" in modules and "toolkit.datasets" in modules
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
    bad = tmp_path / "linalg.py"
    bad.write_text("import matplotlib\nfrom . import claims\nfrom .report import main\nimport requests\n" + "\n" * 400)
    with pytest.raises(AssertionError, match="imports toolkit.claims.*imports toolkit.report"):
        test_imports_go_to_lower_ranks_only(bad)
    with pytest.raises(AssertionError, match="its place is"):
        test_optional_packages_stay_in_their_places(bad)
    with pytest.raises(AssertionError):
        test_a_file_is_one_concept(bad)
    early = tmp_path / "plots" / "a.py"
    early.parent.mkdir()
    early.write_text("def f():\n    import matplotlib\nfrom matplotlib import pyplot\n")
    with pytest.raises(AssertionError, match="a.py:3 must import matplotlib where it is used"):
        test_optional_packages_stay_in_their_places(early)
