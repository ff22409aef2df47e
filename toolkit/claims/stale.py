"""Which stored measurements are out of date.

That is where one of four things has changed since the claim was measured: its rule, its
data, its experiment, or the code that this imports. An experiment is a test with the
fixture `check_claim`, and what it uses among the tests: functions and constants of its
file, and the helper modules that it imports. The code is the modules of the package to
which imports lead from there. Comments, layout and docstrings do not count.
"""

import ast
import hashlib
import json
import re
from dataclasses import asdict
from functools import cache

from .. import datasets
from ..arguments import SCALES
from ..core import project_root, read_json
from ..datasets import registry
from .claim import load

ID = re.compile(r"[A-Z]{2}-\d\d")
# Fields of a claim that are words about it and decide nothing; of readings only names
# and the main one count.
NOT_RULE = {"title", "where", "reason", "mended", "readings", "why"}


def digest(*texts):
    """Twelve hex digits of some texts, not the same for "a", "b" as for "ab"."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node):
        return None if isinstance(node.value, ast.Constant) else node


@cache
def read(path):
    """The syntax tree of a file, without docstrings."""
    return _WithoutDocstrings().visit(ast.parse(path.read_text("utf-8")))


@cache
def _text(node):
    # empty lists go: not all versions of Python write them
    return re.sub(r"\w+=\[\](, )?", "", ast.dump(node)).replace(", )", ")")


def _words(node):
    """All names, arguments and constants of some code."""
    return {
        getattr(part, field, None)
        for part in ast.walk(node)
        for field in ("id", "arg", "value")
    }


def _file(dotted, *folders):
    """The file of a module in one of some folders, None where it is in none."""
    for folder in folders:
        place = folder.joinpath(*dotted.split("."))
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None


@cache
def _imports(root, path):
    """{name: file} of what a file imports from the project."""
    found = {}
    for node in ast.walk(read(path)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        folders = [root, root / "tests", path.parent]
        # `from ..core import x`: one folder up for each dot but the first
        if level := getattr(node, "level", 0):
            folders = [path.parents[level - 1]]
        for alias in node.names:
            module = _file(getattr(node, "module", alias.name) or "", *folders)
            if module:
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = _home(root, module, alias.name)
    return found


def _home(root, module, name):
    """The file in which a name of a module is defined; packages import theirs."""
    if module.name != "__init__.py":
        return module
    inner = _file(name, module.parent)
    return inner or _imports(root, module).get(name, module)


def _bound(node):
    """The names to which a statement gives a value."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    return set().union(*map(_words, getattr(node, "targets", [])))


@cache
def _reached(root, test):
    """Statements of its file, and other files, that an experiment refers to by name."""
    file, name = test.split("::")
    body = read(root / file).body
    parts, words = [], {name}
    while new := [n for n in body if n not in parts and _bound(n) & words]:
        parts += new
        words = words.union(*map(_words, new))
    imports = _imports(root, root / file)
    waiting = [imports[word] for word in words & imports.keys()]
    # the ledger writes numbers down, and computes none
    ledger = root / "toolkit" / "claims"
    files = set()
    while waiting:
        file = waiting.pop()
        if file not in files and not file.is_relative_to(ledger):
            files.add(file)
            waiting += _imports(root, file).values()
    return parts, files


@cache
def code_of(root, test):
    """Digests of an experiment, and of the modules of the package that it reaches."""
    parts, files = _reached(root, test)
    package = {file for file in files if file.is_relative_to(root / "toolkit")}
    helpers = [*parts, *map(read, sorted(files - package))]
    return {
        "experiment": digest(*map(_text, helpers)),
        "code": digest(*map(_text, map(read, sorted(package)))),
    }


@cache
def experiments(root):
    """The test that measures each claim, by id; no claim may have two.

    Tests are named as in pytest: "tests/claims/test_01_scene.py::test_sl_07".
    """
    found = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in read(path).body:
            is_test = isinstance(node, ast.FunctionDef)
            if not is_test or "check_claim" not in _words(node.args):
                continue
            test = f"{path.relative_to(root).as_posix()}::{node.name}"
            for id in filter(ID.fullmatch, map(str, _words(node))):
                if found.setdefault(id, test) != test:
                    raise ValueError(
                        f"{id} is measured twice, by {found[id]} and {test}; keep one."
                    )
    return found


def experiment_of(id):
    """The test that measures a claim; None if there is none, or no clone."""
    root = project_root()
    return experiments(root).get(id) if root else None


def digests(id):
    """Digests of what the measurement of a claim depends on now.

    Returns
    -------
    dict of str
        `rule`, the claim's table; `experiment` and `code`; `golden`, the golden results
        of what that code defines. Empty where nothing measures it.
    """
    test = experiment_of(id)
    if test is None:
        return {}
    claim = load()[id]
    rule = {
        key: value
        for key, value in asdict(claim).items()
        if key not in NOT_RULE
    }
    if claim.readings:
        names = sorted(reading.name for reading in claim.readings)
        rule["readings"] = [claim.main.name, *names]
    return {
        "rule": digest(json.dumps(rule, sort_keys=True)),
        "golden": digest(*map(str, golden_of(test))),
    } | code_of(project_root(), test)


def golden_of(test):
    """(id, digest) of each golden result of what an experiment reaches."""
    root = project_root()
    files = _reached(root, test)[1]
    stored = read_json(root / "tests" / "golden" / "index.json")
    return [
        (id, numbers)
        for id, (name, numbers) in sorted(stored.items())
        if _defined_in(root, name) in files
    ]


@cache
def _defined_in(root, name):
    """The file that defines what a golden result is of."""
    module, _, attribute = f"toolkit.{name}".rpartition(".")
    return _home(root, _file(module, root), attribute)


def why_stale(id, entry, scale="default"):
    """Why an entry, of the ledger or of a run, is out of date; "" if it is not.

    `scale` is the least that counts. "" also where nothing can be measured: no
    experiment, or unavailable data.

    Examples
    --------
    >>> why_stale("FI-11", {"reason": "not measured yet", "verdict": "not checked"})
    ''
    """
    now = digests(id)
    available, missing = available_data(load()[id], _local_checksum)
    # nothing measures it, or not without these data
    if not now or missing:
        return ""
    if "measured" not in entry:
        reason = entry["reason"]
        return (
            "its data are available now"
            if reason.startswith("no data")
            else reason
        )
    if SCALES.index(entry["scale"]) < SCALES.index(scale):
        return f"measured at {entry['scale']} scale"
    # data sets that came since are a change too
    stored = entry.get("data", {})
    reasons = [
        f"data: {name}"
        for name, checksum in available.items()
        if stored.get(name) != checksum
    ]
    reasons += [
        kind
        for kind in ("rule", "experiment", "code")
        if entry.get(kind) != now[kind]
    ]
    return "; ".join(reasons)


def available_data(claim, checksum, replaced=()):
    """Checksums of a claim's data sets by name, and the required sets without one.

    Of a checksum the first 12 hex digits. An `OSError` of ``checksum(name)`` means that
    the set is unavailable. Those in `replaced` are missing, also optional ones.
    """
    found, missing = {}, []
    names = [*claim.data, *claim.optional] if claim.available else []
    for name in filter("synthetic".__ne__, names):
        # no download is tried again
        if name in replaced:
            missing.append(name)
            continue
        try:
            found[name] = checksum(name)[:12]
        except OSError:
            missing += [name] if name in claim.data else []
    return found, missing


@cache
def _local_checksum(name):
    """Of a set on this machine: a look at the ledger downloads nothing."""
    what = registry.entry(name)
    if not what.sklearn and registry.find(what)[0] is None:
        raise OSError(name)
    return datasets.checksums(name)
