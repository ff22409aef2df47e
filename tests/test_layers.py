"""The shape of the package: imports go to lower ranks only, optional packages have their places."""

import ast
import subprocess
import sys
from functools import cache

from folders import ROOT

PACKAGE = ROOT / "toolkit"

# From the ground up; a name is a module or a folder of modules, within which imports
# are free.
MATHEMATICS = [
    {"core"},
    {"datasets", "neighbors", "quality", "plots"},
    {
        "multilabel",
        "eigenmaps",
        "discriminant",
        "lvq",
        "lmnn",
        "embed",
        "kernelmap",
        "bounds",
    },
    {"validation"},
    {"fisher", "relevance", "transfer"},
    {"decisionmap"},
]
# ---- the wall: nothing above this line imports anything below it ----
MACHINERY = [
    {"arguments"},
    {"explorer", "claims", "course"},
    {"report"},
    {"tabular"},
    {"__main__"},
]
LEVELS = enumerate(MATHEMATICS + MACHINERY)
RANKS = {name: rank for rank, names in LEVELS for name in names}

# Optional packages, by the modules that may import them.
PLACES = {
    "core": {"tqdm", "pandas", "dask"},
    "datasets": {"pooch", "IPython"},
    "bounds": {"highspy"},
    "embed": {"openTSNE"},
    "plots": {"matplotlib", "IPython", "PIL"},
    "explorer": {
        "matplotlib",
        "IPython",
        "ipywidgets",
        "anywidget",
        "traitlets",
        "tqdm",
    },
    "report": {
        "tqdm",
        "papermill",
        "nbclient",
        "jupyter_client",
        "ipykernel",
        "nbformat",
        "nbconvert",
        "pygments",
        "jinja2",
        "latex2mathml",
    },
    "tabular": {"matplotlib", "ipywidgets", "pandas", "nbformat"},
}
# All others only within a function, so that they stay optional.
AT_ONCE = {"ipywidgets", "anywidget", "traitlets"}
ALWAYS = {
    "numpy",
    "scipy",
    "sklearn",
    "joblib",
    "threadpoolctl",
    "toolkit",
} | set(sys.stdlib_module_names)

FILES = sorted(PACKAGE.rglob("*.py"))


def place(path):
    """Name of the module or folder below the package, "" for the package itself."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py").replace("__init__", "")


@cache
def imports(path):
    """[(module, names taken from it, whether at import time, where)] of a file, relative imports resolved."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    inside = {
        node
        for function in nodes
        if isinstance(
            function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        )
        for node in ast.walk(function)
    }
    folder = ["toolkit", *path.relative_to(PACKAGE).parent.parts]
    results = []
    for node in nodes:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        modules = names
        taken = []
        if isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else []
            module = ".".join(filter(None, [*base, node.module]))
            taken = names
            modules = [f"toolkit.{name}" for name in names]
            if module != "toolkit":
                modules = [module]
        where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
        results += [
            (module, taken, node not in inside, where) for module in modules
        ]
    return results


def test_each_module_has_a_rank():
    unknown = {place(path) for path in FILES} - {""} - set(RANKS)
    assert not unknown, f"give {sorted(unknown)} a place in RANKS"


def test_imports_go_to_lower_ranks_only():
    wrong = []
    for path in FILES:
        own = place(path)
        for module, _, _, where in imports(path):
            first, _, rest = module.partition(".")
            other = rest.partition(".")[0]
            if first == "toolkit" and own and other in RANKS and other != own:
                if RANKS[other] >= RANKS[own]:
                    wrong.append(f"{where} imports {module}")
    assert not wrong, wrong


def test_optional_packages_stay_in_their_places():
    wrong = []
    for path in FILES:
        own = place(path)
        for module, _, at_once, where in imports(path):
            first = module.partition(".")[0]
            if first in ALWAYS:
                continue
            # without a place no requirement names it
            if first not in PLACES.get(own, ()):
                wrong.append(
                    f"{where} imports {first}, which has no place there"
                )
            if at_once and first not in AT_ONCE:
                wrong.append(f"{where} must import {first} where it is used")
    assert not wrong, wrong


def test_no_hidden_name_is_taken_from_another_module():
    wrong = [
        f"{where} takes {name} from {module}"
        for path in FILES
        for module, names, _, where in imports(path)
        for name in names
        if module.startswith("toolkit.") and name.startswith("_")
    ]
    assert not wrong, f"{wrong}: name them without the underscore"


def test_the_core_imports_without_any_optional_package_and_without_matplotlib():
    paths = [path for path in FILES if place(path) in {""}.union(*MATHEMATICS)]
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
            ".__init__"
        )
        for path in paths
    ]
    assert "toolkit.core.linalg" in modules and "toolkit.datasets" in modules
    optional = set().union(*PLACES.values()) - {"matplotlib"}
    code = f"""
import importlib, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {optional}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Blocked())
for name in {modules}:
    importlib.import_module(name)
assert "matplotlib" not in sys.modules, "matplotlib is imported before anything is drawn"
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
