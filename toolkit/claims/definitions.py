"""Definitions of the package and of the tests that some code reaches by name.

A definition is what binds a name at the head of a module: a function, a class with its
methods, the statements that give a constant its value. Names that are imported are
followed to the module that defines them, and the name of a module or of a folder is in
no digest.
"""

import ast
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..core.files import PACKAGE
from .canonical import canonical

BLOCKS = ast.Try | ast.If | ast.With | ast.ExceptHandler
BINDING = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For


def digest(*texts):
    """Twelve hex digits of some texts, not the same for "a", "b" as for "ab"."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Definition:
    """What a module binds to a name."""

    path: Path
    name: str

    @property
    def test(self):
        """Its name in pytest."""
        return f"tests/{self.path.as_posix().rpartition('/tests/')[2]}::{self.name}"

    @property
    def in_package(self):
        return self.path.is_relative_to(PACKAGE)

    @property
    def digest(self):
        """Of its code and that of its names: two functions may have one name."""
        text, references = _text_and_references(self)
        return digest(
            text, *(_text_and_references(other)[0] for other in references)
        )


class Module:
    """A Python file and what its names are.

    Attributes
    ----------
    definitions : dict
        The statements that bind or change each name.
    imports : dict
        Of each name from elsewhere (path or dotted name of another package, name there
        or "").
    """

    def __init__(self, path):
        body = ast.parse(path.read_text("utf-8")).body
        self.path = path
        self.imports = _imports(body, path)
        self.definitions = {}
        for node in body:
            for name in _bound_names(node):
                self.definitions.setdefault(name, []).append(node)
        for node in body:
            # `TABLE.update(...)` belongs to the definition of TABLE
            if isinstance(node, ast.Expr):
                for name in self.definitions.keys() & _names(node):
                    self.definitions[name].append(node)

    def follow(self, name, attributes, inner):
        """(definition or None, text) of a name with its attributes.

        `inner` are imports within the definition that uses it.
        """
        # imports within the definition come before those of its module
        source = inner.get(name)
        if not source and name not in self.definitions:
            source = self.imports.get(name)
        if source:
            return _resolve(*source, attributes)
        definition = (
            Definition(self.path, name) if name in self.definitions else None
        )
        return definition, ".".join([name, *attributes])


def _resolve(place, name, attributes):
    """(definition or None, text) of a name of a module, or of a module's attributes."""
    # another package: its names are text
    if isinstance(place, str):
        return None, ".".join(filter(None, [place, name, *attributes]))
    # a module: what is asked of it is a name there
    if not name:
        first, *rest = attributes or [""]
        return _resolve(place, first, rest) if first else (None, "a module")
    file = _file(place)
    module = read(file) if file else None
    if module:
        # a package may import one of its modules by its own name
        is_other = module.imports.get(name, (place, name)) != (place, name)
        if name in module.definitions or is_other:
            return module.follow(name, attributes, {})
    # a module of a package
    if _file(place / name):
        return _resolve(place / name, "", attributes)
    return None, ".".join([name, *attributes])


def _file(place):
    """The file of a module or package that is given without its ending."""
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next(filter(Path.is_file, files), None)


@cache
def read(path):
    """The `Module` of a file, read once."""
    return Module(path)


def find_definition(name):
    """The definition of a name below `toolkit`, such as "lvq.GMLVQ", or None."""
    return _resolve(PACKAGE, "", name.split("."))[0]


def reachable(start):
    """All definitions that some definitions reach by name, themselves among them.

    The ledger writes numbers down and computes none: what `toolkit.claims` defines is
    left out.

    Parameters
    ----------
    start : iterable of Definition
    """
    # depth first, each definition once
    found, waiting = set(), list(start)
    while waiting:
        definition = waiting.pop()
        if definition not in found:
            found.add(definition)
            waiting += _text_and_references(definition)[1]
    return found


@cache
def _text_and_references(definition):
    """Canonical text of a definition, and the definitions that it names.

    Names from elsewhere are written as they are there.
    """
    module = read(definition.path)
    nodes = module.definitions[definition.name]
    inner = _imports(
        [part for node in nodes for part in ast.walk(node)], module.path
    )
    references = {}  # by definition, in the order in which they come

    def global_name(name, attributes):
        other, text = module.follow(name, attributes, inner)
        references[other] = None
        return text

    text = " ".join(canonical(node, global_name) for node in nodes)
    if not definition.in_package:
        # pytest hands them over by the names of arguments
        fixtures = filter(module.definitions.__contains__, _fixtures(nodes))
        references |= {Definition(module.path, name): None for name in fixtures}
    ledger = PACKAGE / "claims"
    return text, [
        other
        for other in references
        if other not in (None, definition)
        and not other.path.is_relative_to(ledger)
    ]


def _fixtures(nodes):
    """Names of possible fixtures of a test: its arguments, constants of decorators."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            yield from (argument.arg for argument in node.args.args)
            parts = (
                part for each in node.decorator_list for part in ast.walk(each)
            )
            yield from (
                part.value for part in parts if isinstance(part, ast.Constant)
            )


def _bound_names(node):
    """Names that a statement at the head of a module binds or changes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, BLOCKS):
        return set().union(*map(_bound_names, ast.iter_child_nodes(node)))
    if not isinstance(node, BINDING):
        return set()
    # of `TABLE["a"] = ...` TABLE
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    body = getattr(node, "body", ())
    return set().union(*map(_names, targets), *map(_bound_names, body)) - {
        "__all__"
    }


def _names(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _imports(nodes, path):
    """{name: (path or dotted name, name there or "")} of the imports among nodes."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                dotted = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                found[alias.asname or dotted] = (_place(dotted, path), "")
        elif isinstance(node, ast.ImportFrom):
            # `from ..core import x`: one folder up for each dot but the first
            if node.level:
                steps = node.module.split(".") if node.module else []
                place = path.parents[node.level - 1].joinpath(*steps)
            else:
                place = _place(node.module, path)
            for alias in node.names:
                found[alias.asname or alias.name] = (place, alias.name)
        elif isinstance(node, BLOCKS):
            found |= _imports(ast.iter_child_nodes(node), path)
    return found


def _place(dotted, path):
    """Path, without ending, of a module of the package or the tests; or `dotted`."""
    first, *rest = dotted.split(".")
    if first == "toolkit":
        return PACKAGE.joinpath(*rest)
    if "tests" in path.parts:
        depth = len(path.parts) - path.parts.index("tests") - 1
        for folder in path.parents[:depth]:
            if (folder / first).with_suffix(".py").is_file():
                return (folder / first).joinpath(*rest)
    return dotted
