"""The code that a claim's experiment depends on, read with `ast`: comments, docstrings and layout do not count.

An experiment is a test function with the fixture `check_claim` and what it uses in its file, or a notebook's code. It
depends on the modules of the package that it imports, directly or through others. Names that a package hands on are
followed to the module that defines them. The decorator `by_blocks` and the modules that spread tasks do not count:
what is measured passes them untouched, which `tests/core/test_blocks.py` and `tests/test_backends.py` make sure of.
"""

import ast
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .files import PACKAGE

__all__ = ["Experiment", "code_of", "digest", "experiments", "measures"]

# Folders that load data, write results down or draw them: no measured number passes through. What loaders give has
# a checksum; `datasets.made` computes.
NOT_MEASURING = ("claims", "datasets", "explore", "plots", "report")

SPREADING = ("core.parallel", "core.sent")  # hand on tasks and their results

ID = re.compile(r"[A-Z]{2}-\d\d")
LAYOUT = {"lineno", "col_offset", "end_lineno", "end_col_offset", "ctx", "kind", "type_comment", "type_params"}


@dataclass(frozen=True)
class Experiment:
    """Where a claim is measured: a test file with the name of the test function, or a notebook with none."""

    path: Path
    test: str = ""

    @property
    def name(self):
        """As pytest calls the test, or the notebook's name."""
        if not self.test:
            return self.path.stem
        return f"tests/{self.path.as_posix().rpartition('/tests/')[2]}::{self.test}"


def experiments(root):
    """The experiment that measures each claim, by the claim's id; a ValueError if two of them name one claim."""
    found = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in _tree(path).body:
            if isinstance(node, ast.FunctionDef) and "check_claim" in [argument.arg for argument in node.args.args]:
                _enter(found, _ids(node), Experiment(path, node.name))
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        recording = (node for node in _tree(path).body if any(_called(part) == "record" for part in ast.walk(node)))
        _enter(found, {id for node in recording for id in _ids(node)}, Experiment(path))
    return found


def _enter(found, ids, experiment):
    for id in sorted(ids):
        if id in found:
            raise ValueError(f"{id} is measured twice, by {found[id].name} and {experiment.name}; keep one of them.")
        found[id] = experiment


def _called(node):
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", None))


def _ids(node):
    strings = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return {text for text in strings if ID.fullmatch(text)}


@cache
def code_of(experiment):
    """Six hex digits for an experiment's own code ("experiment") and for each module of the package it stands on."""
    tree = _tree(experiment.path)
    own = [tree] if not experiment.test else _used_by(tree, experiment.test)
    found, waiting = {}, _modules_of(own, experiment.path)
    while waiting:
        path = waiting.pop()
        base = PACKAGE if path.is_relative_to(PACKAGE) else path.parent  # the tests have helpers of their own
        name = ".".join(path.relative_to(base).with_suffix("").parts)
        if name not in found and measures(name):
            found[name], further = _module(path)
            waiting |= further
    return {"experiment": digest(*map(canonical, own))} | dict(sorted(found.items()))


def measures(name):
    """Whether measured numbers pass through a module, given by its name without "toolkit." """
    if name in SPREADING:
        return False
    return name.partition(".")[0] not in NOT_MEASURING or name.startswith("datasets.made.")


@cache
def _module(path):
    """Digest of a module, and the files of those that it imports."""
    return _digest(_text(path)), _modules_of([_tree(path)], path)


def digest(*texts):
    """Six hex digits of some texts, not the same for "a", "b" as for "ab"."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:6]


def canonical(node):
    """A syntax tree as text that depends on what is computed only, the same under every version of Python."""
    if isinstance(node, list):
        return f"[{' '.join(canonical(part) for part in node if not _words(part))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, value) for name, value in ast.iter_fields(node) if name not in LAYOUT and value not in (None, []))
    return f"{type(node).__name__}({' '.join(f'{name}={canonical(value)}' for name, value in fields)})"


def _words(node):
    """Docstrings, strings below constants, and the list of public names."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign) and [getattr(t, "id", "") for t in node.targets] == ["__all__"]


@cache
def _tree(path):
    """Syntax tree of a module, or of a notebook's code without its magics."""
    return _parsed(_text(path))


def _text(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        import json

        cells = (cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")
        lines = "\n".join("".join(cell["source"]) for cell in cells).splitlines()
        text = "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!")))
    return text


@cache
def _parsed(text):
    return _without_blocks(ast.parse(text))


@cache
def _digest(text):
    return digest(canonical(_parsed(text)))


def _without_blocks(tree):
    """A module without the decorator `by_blocks` of `core.blocks` and its import, if it has it from there."""
    kept = [node for node in tree.body if not _imports_blocks(node)]
    if len(kept) < len(tree.body):
        tree.body = kept
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.decorator_list = [part for part in node.decorator_list if not _is_by_blocks(part)]
    return tree


def _is_by_blocks(decorator):
    return getattr(getattr(decorator, "func", decorator), "id", "") == "by_blocks"


def _imports_blocks(node):
    known = isinstance(node, ast.ImportFrom) and node.module in ("blocks", "core.blocks", "toolkit.core.blocks")
    return known and [(alias.name, alias.asname) for alias in node.names] == [("by_blocks", None)]


def _used_by(tree, test):
    """Statements of a test file that a test needs: itself, fixtures, helpers, constants, imports."""
    defined = {}
    for node in tree.body:
        for name in _bound(node):
            defined.setdefault(name, []).append(node)
    always = [name for name, nodes in defined.items() if any("autouse" in canonical(_decorators(n)) for n in nodes)]
    needed, waiting = [], [test, *always]
    seen = set(waiting)
    while waiting:
        for node in defined.get(waiting.pop(), []):
            if isinstance(node, ast.Import | ast.ImportFrom):
                node = _only(node, seen)
            if all(node is not other for other in needed):
                needed.append(node)
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            names |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
            names |= {n.value for n in ast.walk(_decorators(node)) if isinstance(getattr(n, "value", 0), str)}
            waiting += sorted(names - seen)
            seen |= names
    return sorted(needed, key=lambda node: (node.lineno, canonical(node)))


def _bound(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _decorators(node):
    return ast.Module(getattr(node, "decorator_list", []), [])


def _only(node, names):
    """An import without what is not needed."""
    kept = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) in names]
    return ast.copy_location(type(node)(**dict(ast.iter_fields(node)) | {"names": kept}), node)


def _modules_of(nodes, path):
    """Files of the modules that some code imports by name, at its head or in functions."""
    found, attributes, code = set(), {}, ast.Module(list(nodes), [])
    for node in ast.walk(code):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.setdefault(node.value.id, set()).add(node.attr)
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom):
            folder = _folder(node, path)
            for alias in node.names if folder else ():
                found |= _resolved(folder, alias.name, attributes.get(alias.asname or alias.name, ()))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                first, *rest = alias.name.split(".")
                if first == "toolkit" and rest:
                    found |= _resolved(PACKAGE.joinpath(*rest[:-1]), rest[-1], attributes.get(alias.asname, ()))
    return found


def _folder(node, path):
    """What an import takes names from, without suffix; None for other packages."""
    parts = (node.module or "").split(".") if node.module else []
    if node.level:
        return path.parents[node.level - 1].joinpath(*parts)
    if parts and parts[0] == "toolkit":
        return PACKAGE.joinpath(*parts[1:])
    if len(parts) == 1 and path.suffix == ".py":  # a helper of the tests
        for folder in path.parents[: len(path.parts) - path.parts.index("tests") - 1] if "tests" in path.parts else ():
            if (folder / parts[0]).with_suffix(".py").is_file():
                return folder / parts[0]
    return None


def _resolved(folder, name, attributes):
    """Files that define a name of a module or package; of a package itself those that define its attributes used."""
    inside, head = folder / name, folder / "__init__.py"
    if inside.with_suffix(".py").is_file():
        return {inside.with_suffix(".py")}
    if (inside / "__init__.py").is_file():
        return set().union(*(_resolved(inside, attribute, ()) for attribute in attributes))
    if folder.with_suffix(".py").is_file():
        return {folder.with_suffix(".py")}
    if not head.is_file():
        return set()
    for node in ast.walk(_tree(head)):
        source = _folder(node, head) if isinstance(node, ast.ImportFrom) else None
        for alias in node.names if source else ():
            if (alias.asname or alias.name) == name:
                return _resolved(source, alias.name, ())
    return {head}
