"""Definitions of the package and of the tests that some code reaches by name, wherever they stand.

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
        """As pytest calls it."""
        return f"tests/{self.path.as_posix().rpartition('/tests/')[2]}::{self.name}"

    @property
    def digest(self):
        """Of its code, and of the code that its names stand for: two functions may have one name."""
        text, references = _written(self)
        return digest(text, *(_written(other)[0] for other in references))


class Module:
    """A Python file: what its names stand for.

    Attributes
    ----------
    defined : dict, the statements that bind or change each name
    imported : dict, (path or dotted name of another package, name there or "") of each name from elsewhere
    """

    def __init__(self, path):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        self.path, self.defined, self.imported = path, {}, _imports(body, path)
        for node in body:
            for name in _bound(node):
                self.defined.setdefault(name, []).append(node)
        for node in body:
            # `TABLE.update(...)` belongs to what it names
            if isinstance(node, ast.Expr):
                for name in self.defined.keys() & {
                    part.id for part in ast.walk(node) if isinstance(part, ast.Name)
                }:
                    self.defined[name].append(node)

    def follow(self, name, attributes, inner):
        """(definition or None, text) of a name, with what is asked of it; `inner` are imports within the definition."""
        imported = inner.get(name) or (
            name not in self.defined and self.imported.get(name)
        )
        if imported:
            return _followed(*imported, attributes)
        return Definition(self.path, name) if name in self.defined else None, ".".join(
            [name, *attributes]
        )


def _followed(place, name, attributes):
    """(definition or None, text) of a name of a module, or of a module with what is asked of it."""
    if isinstance(place, str):
        return None, ".".join(filter(None, [place, name, *attributes]))
    if not name:
        return (
            _followed(place, attributes[0], attributes[1:])
            if attributes
            else (None, "a module")
        )
    file = _file(place)
    module = read(file) if file else None
    if module and (
        name in module.defined
        or module.imported.get(name, (place, name)) != (place, name)
    ):
        return module.follow(name, attributes, {})
    if _file(place / name):
        return _followed(place / name, "", attributes)
    return None, ".".join([name, *attributes])


def _file(place):
    """The file of a module or package that is given without its ending."""
    return next(
        filter(Path.is_file, (place.with_suffix(".py"), place / "__init__.py")), None
    )


@cache
def read(path):
    """The `Module` of a file, read once."""
    return Module(path)


def find_definition(name):
    """The definition of a name below `toolkit`, such as "lvq.GMLVQ"; None if there is none."""
    return _followed(PACKAGE, *name.split(".")[:1], name.split(".")[1:])[0]


def reached(start):
    """All definitions that some definitions reach by name, themselves among them.

    The ledger writes numbers down and computes none: what `toolkit.claims` defines is
    left out.

    Parameters
    ----------
    start : iterable of Definition
    """
    found, waiting = set(), list(start)
    while waiting:
        definition = waiting.pop()
        if definition not in found:
            found.add(definition)
            waiting += _written(definition)[1]
    return found


@cache
def _written(definition):
    """Canonical text of a definition, with names from elsewhere as they are there; the definitions that it names."""
    module, named = read(definition.path), []
    nodes = module.defined[definition.name]
    inner = {
        name: source
        for node in nodes
        for name, source in _imports(ast.walk(node), module.path).items()
    }

    def global_name(name, attributes):
        other, text = module.follow(name, attributes, inner)
        named.append(other)
        return text

    text = " ".join(canonical(node, global_name) for node in nodes)
    if not definition.path.is_relative_to(PACKAGE):
        named += [
            Definition(module.path, name)
            for name in _fixtures(nodes)
            if name in module.defined
        ]
    references = [
        other for other in dict.fromkeys(named) if other not in (None, definition)
    ]
    return text, [
        other
        for other in references
        if not other.path.is_relative_to(PACKAGE / "claims")
    ]


def _fixtures(nodes):
    """Names by which pytest finds fixtures of a test: those of arguments, and the texts of decorators."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            parts = (
                part
                for decorator in node.decorator_list
                for part in ast.walk(decorator)
            )
            texts = (
                part.value
                for part in parts
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )
            yield from [*(argument.arg for argument in node.args.args), *texts]


def _bound(node):
    """Names that a statement at the head of a module binds or changes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, BLOCKS):
        return set().union(*map(_bound, ast.iter_child_nodes(node)))
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    # `TABLE["a"] = ...`
    while any(isinstance(target, ast.Subscript | ast.Attribute) for target in targets):
        targets = [getattr(target, "value", target) for target in targets]
    stored = (
        part
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name)
    )
    inner = (_bound(part) for part in getattr(node, "body", ()))
    return {part.id for part in stored}.union(*inner) - {"__all__"}


def _imports(nodes, path):
    """{name: (path or dotted name, name there or "")} of the import statements among some nodes."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                dotted = alias.name if alias.asname else alias.name.partition(".")[0]
                found[alias.asname or dotted] = (_place(dotted, path), "")
        elif isinstance(node, ast.ImportFrom):
            dotted = node.module or ""
            above = path.parents[node.level - 1] if node.level else None
            place = (
                above.joinpath(*filter(None, dotted.split(".")))
                if above
                else _place(dotted, path)
            )
            found |= {
                alias.asname or alias.name: (place, alias.name) for alias in node.names
            }
        elif isinstance(node, BLOCKS):
            found |= _imports(ast.iter_child_nodes(node), path)
    return found


def _place(dotted, path):
    """Path, without ending, of a module of the package or beside the tests; the dotted name of any other."""
    first, *rest = dotted.split(".")
    if first == "toolkit":
        return PACKAGE.joinpath(*rest)
    if "tests" in path.parts:
        for folder in path.parents[: len(path.parts) - path.parts.index("tests") - 1]:
            if (folder / first).with_suffix(".py").is_file():
                return (folder / first).joinpath(*rest)
    return dotted
