"""The code that a measurement depends on: the experiment itself, and the definitions of the package that it reaches.

An experiment is a test function with the fixture `check_claim`, with what it reaches among the tests, or a notebook
that calls `record`.
"""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..core.files import PACKAGE
from .definitions import WHOLE, Definition, code, digest, reached, read

__all__ = ["Experiment", "code_of", "experiments", "package_definitions"]

ID = re.compile(r"[A-Z]{2}-\d\d")


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
        for node in ast.parse(code(path)).body:
            if isinstance(node, ast.FunctionDef) and "check_claim" in [argument.arg for argument in node.args.args]:
                _enter(found, _ids(node), Experiment(path, node.name))
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        statements = ast.parse(code(path)).body
        recording = (node for node in statements if any(_called(part) == "record" for part in ast.walk(node)))
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
    """Digests of an experiment and of the set of definitions of the package that it reaches: {"experiment", "code"}."""
    own, package = _reached(experiment)
    return {"experiment": _digest_of_set(own), "code": _digest_of_set(package)}


def package_definitions(experiment):
    """The definitions of the package that an experiment reaches."""
    return _reached(experiment)[1]


@cache
def _reached(experiment):
    """(definitions outside of the package, those of the package) that an experiment reaches."""
    always = [name for name, nodes in read(experiment.path).defined.items() if name and any(map(_runs_always, nodes))]
    names = [experiment.test, *always] if experiment.test else [WHOLE]
    found = reached(Definition(experiment.path, name) for name in names)
    package = {definition for definition in found if definition.path.is_relative_to(PACKAGE)}
    return found - package, package


def _runs_always(node):
    """Whether a statement is a fixture that every test of the file uses."""
    return any("autouse" in ast.unparse(decorator) for decorator in getattr(node, "decorator_list", ()))


def _digest_of_set(definitions):
    return digest(*sorted({definition.digest for definition in definitions}))
