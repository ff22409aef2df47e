"""Which stored measurements are out of date.

That is where one of four things has changed since the claim was measured: its rule, its
data, its experiment, or the code that this imports. An experiment is a test with the
fixture `check_claim`, and what it uses among the tests: functions and constants of its
file, and the helper modules that it imports. The code is the modules of the package to
which imports lead from there. Comments, layout and docstrings do not count.
"""

import ast
import json
import re
from dataclasses import asdict
from functools import cache

from toolkit import datasets
from toolkit.arguments import SCALES
from toolkit.claims import load
from toolkit.claims.recording import available_data
from toolkit.claims.show import text_table
from toolkit.core import digest, project_root, read_json
from toolkit.datasets import registry

CLAIM_ID = re.compile(r"[A-Z]{2}-\d\d")
# These fields of a claim are words about it and decide nothing; of its readings only
# the names, and which is the main one, decide.
FIELDS_THAT_DECIDE_NOTHING = {
    "title",
    "where",
    "reason",
    "mended",
    "readings",
    "why",
}


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node):
        return None if isinstance(node.value, ast.Constant) else node


@cache
def syntax_tree(path):
    """The syntax tree of a file, without docstrings."""
    return _WithoutDocstrings().visit(ast.parse(path.read_text("utf-8")))


@cache
def _text(node):
    """The text of a syntax tree, the same for all versions of Python."""
    # Not all versions write empty lists: they are left out.
    text = re.sub(r"\w+=\[\](, )?", "", ast.dump(node))
    return text.replace(", )", ")")


def _words(node):
    """All names, arguments and constants of some code."""
    return {
        getattr(part, field, None)
        for part in ast.walk(node)
        for field in ("id", "arg", "value")
    }


def _file(dotted_name, *folders):
    """The file of a module in one of some folders, None where it is in none."""
    for folder in folders:
        stem = folder.joinpath(*dotted_name.split("."))
        for file in (stem.with_suffix(".py"), stem / "__init__.py"):
            if file.is_file():
                return file
    return None


@cache
def _imports(root, path):
    """{name: file} of what a file imports from the project."""
    file_of_name = {}
    for node in ast.walk(syntax_tree(path)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        folders = [root, root / "tests", path.parent]
        # `from ..core import x` goes one folder up for each dot but the first.
        level = getattr(node, "level", 0)
        if level:
            folders = [path.parents[level - 1]]
        for alias in node.names:
            module_name = getattr(node, "module", alias.name) or ""
            module = _file(module_name, *folders)
            if module:
                name = alias.asname or alias.name.partition(".")[0]
                file_of_name[name] = _home(root, module, alias.name)
    return file_of_name


def _home(root, module, name):
    """The file in which a name of a module is defined; packages import theirs."""
    if module.name != "__init__.py":
        return module
    submodule = _file(name, module.parent)
    return submodule or _imports(root, module).get(name, module)


def _bound_names(statement):
    """The names to which a statement gives a value."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    names = set()
    for target in getattr(statement, "targets", []):
        names |= _words(target)
    return names


@cache
def _reached(root, test):
    """Statements of its file, and other files, that an experiment refers to by name."""
    test_path, test_name = test.split("::")
    statements, words = _statements_used(root / test_path, test_name)
    imports = _imports(root, root / test_path)
    waiting = [imports[word] for word in words & imports.keys()]
    # The ledger writes numbers down and computes none.
    ledger_folder = root / "toolkit" / "claims"
    files = set()
    while waiting:
        file = waiting.pop()
        if file not in files and not file.is_relative_to(ledger_folder):
            files.add(file)
            waiting += _imports(root, file).values()
    return statements, files


def _statements_used(path, name):
    """Statements of a file that one of its names refers to, and all their words."""
    statements = []
    words = {name}
    while True:
        added = [
            statement
            for statement in syntax_tree(path).body
            if statement not in statements and _bound_names(statement) & words
        ]
        if not added:
            return statements, words
        statements += added
        for statement in added:
            words |= _words(statement)


@cache
def code_of(root, test):
    """Digests of an experiment, and of the modules of the package that it reaches."""
    statements, files = _reached(root, test)
    modules = {file for file in files if file.is_relative_to(root / "toolkit")}
    helper_trees = [syntax_tree(file) for file in sorted(files - modules)]
    module_trees = [syntax_tree(file) for file in sorted(modules)]
    return {
        "experiment": _digest_of_code([*statements, *helper_trees]),
        "code": _digest_of_code(module_trees),
    }


def _digest_of_code(trees):
    return digest(*[_text(tree) for tree in trees])


@cache
def experiments(root):
    """The test that measures each claim, by id; no claim may have two.

    Tests are named as in pytest: "tests/claims/test_01_scene.py::test_sl_07".
    """
    test_of_id = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in syntax_tree(path).body:
            is_test = isinstance(node, ast.FunctionDef)
            if not is_test or "check_claim" not in _words(node.args):
                continue
            test = f"{path.relative_to(root).as_posix()}::{node.name}"
            for id in _claim_ids(node):
                other_test = test_of_id.setdefault(id, test)
                if other_test != test:
                    raise ValueError(
                        f"{id} is measured twice, by {other_test} and {test}; keep one."
                    )
    return test_of_id


def _claim_ids(node):
    """The ids of claims among the words of some code."""
    texts = [str(word) for word in _words(node)]
    return [text for text in texts if CLAIM_ID.fullmatch(text)]


def experiment_of(id):
    """The test that measures a claim; None if there is none."""
    return experiments(project_root()).get(id)


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
    rule_text = json.dumps(_rule_of(load()[id]), sort_keys=True)
    golden_texts = [str(result) for result in golden_of(test)]
    return {
        "rule": digest(rule_text),
        "golden": digest(*golden_texts),
    } | code_of(project_root(), test)


def _rule_of(claim):
    """The fields of a claim that decide its verdict."""
    rule = {
        field: value
        for field, value in asdict(claim).items()
        if field not in FIELDS_THAT_DECIDE_NOTHING
    }
    if claim.readings:
        names = sorted(reading.name for reading in claim.readings)
        rule["readings"] = [claim.main.name, *names]
    return rule


def golden_of(test):
    """(id, digest) of each golden result of what an experiment reaches."""
    root = project_root()
    _, files = _reached(root, test)
    golden_results = read_json(root / "tests" / "golden" / "index.json")
    return [
        (id, digest_of_numbers)
        for id, (name, digest_of_numbers) in sorted(golden_results.items())
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
    digests_now = digests(id)
    checksums, missing = available_data(load()[id], _local_checksum)
    # Nothing measures it, or not without these data.
    if not digests_now or missing:
        return ""
    if "missing" in entry:
        return "its data are available now"
    if "measured" not in entry:
        return entry["reason"]
    if SCALES.index(entry["scale"]) < SCALES.index(scale):
        return f"measured at {entry['scale']} scale"
    # Data sets that came since are a change too.
    stored_checksums = entry.get("data", {})
    reasons = [
        f"data: {name}"
        for name, checksum in checksums.items()
        if stored_checksums.get(name) != checksum
    ]
    reasons += [
        kind
        for kind in ("rule", "experiment", "code")
        if entry.get(kind) != digests_now[kind]
    ]
    return "; ".join(reasons)


@cache
def _local_checksum(name):
    """Checksum of a set on this machine: a look at the ledger downloads nothing."""
    data_set = registry.entry(name)
    if not data_set.sklearn:
        path, _ = registry.find(data_set)
        if path is None:
            raise OSError(name)
    return datasets.checksums(name)


def stale_table(stored):
    """The entries that are out of date, each with its reason and its experiment."""
    rows = []
    for id, entry in stored.items():
        reason = why_stale(id, entry)
        if reason:
            rows.append([id, reason, experiment_of(id)])
    if not rows:
        return f"Of {len(stored)} stored entries none is out of date."
    return (
        f"{text_table(['claim', 'what has changed', 'measured by'], rows)}\n\n"
        f"{len(rows)} of {len(stored)} stored entries are out of date; `make claims`"
        " measures them."
    )
