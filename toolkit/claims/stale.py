"""Which stored measurements are out of date: the claim's rule, its data or the code it stands on has changed since.

An entry of the ledger keeps the digests that `digests` gives, and `data`, checksums of
the data sets. The code is the experiment, which is a test function with the fixture
`check_claim`, with what it reaches among the tests, and the definitions of the package
that it reaches.
"""

import ast
import json
import re
from dataclasses import asdict
from functools import cache

from .. import datasets
from ..core.files import PACKAGE, project_root, read_json
from ..datasets.registry import entry as entry_of
from ..datasets.registry import find
from .claim import SCALES, load
from .definitions import Definition, digest, find_definition, reached, read

ID = re.compile(r"[A-Z]{2}-\d\d")
# Fields of a claim that are words about it and decide nothing; of readings only names
# and the main one count.
NOT_RULE = {"title", "where", "reason", "mended", "readings", "why"}


@cache
def experiments(root):
    """The experiment that measures each claim, by the claim's id; a ValueError if two of them name one claim."""
    found = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "check_claim" in [
                argument.arg for argument in node.args.args
            ]:
                one = Definition(path, node.name)
                texts = (
                    str(part.value)
                    for part in ast.walk(node)
                    if isinstance(part, ast.Constant)
                )
                for id in filter(ID.fullmatch, texts):
                    if found.setdefault(id, one) != one:
                        raise ValueError(
                            f"{id} is measured twice, by {found[id].test} and"
                            f" {one.test}; keep one."
                        )
    return found


@cache
def code_of(experiment):
    """Digests of an experiment and of the set of definitions of the package that it reaches: {"experiment", "code"}."""
    found, package = _reached(experiment), package_definitions(experiment)
    return {
        "experiment": _digest_of_set(found - package),
        "code": _digest_of_set(package),
    }


def package_definitions(experiment):
    """The definitions of the package that an experiment reaches."""
    return {
        definition
        for definition in _reached(experiment)
        if definition.path.is_relative_to(PACKAGE)
    }


@cache
def _reached(experiment):
    """The definitions that an experiment reaches, also by the fixtures that every test of its file uses."""
    defined = read(experiment.path).defined
    always = [name for name, nodes in defined.items() if any(map(_runs_always, nodes))]
    return reached(
        Definition(experiment.path, name) for name in [experiment.name, *always]
    )


def _runs_always(node):
    return any(
        "autouse" in ast.unparse(decorator)
        for decorator in getattr(node, "decorator_list", ())
    )


def _digest_of_set(definitions):
    return digest(*sorted({definition.digest for definition in definitions}))


def experiment_of(id):
    """The experiment that measures a claim, None if there is none or the package is an installed wheel."""
    root = project_root()
    return experiments(root).get(id) if root else None


def digests(id):
    """Digests of what the measurement of a claim stands on now; empty where nothing measures it.

    Returns
    -------
    dict of str : `rule`, the claim's table; `experiment`, the test and what it reaches among the tests; `code`, the set
        of the package's definitions that it reaches; `golden`, the golden results of
        those definitions
    """
    experiment = experiment_of(id)
    if experiment is None:
        return {}
    claim = load()[id]
    rule = {
        name: value for name, value in asdict(claim).items() if name not in NOT_RULE
    }
    if claim.readings:
        rule["readings"] = [
            claim.main.name,
            *sorted(reading.name for reading in claim.readings),
        ]
    golden = sorted(golden_of(experiment).items())
    return {
        "rule": digest(json.dumps(rule, sort_keys=True)),
        "golden": digest(*map(str, golden)),
    } | code_of(experiment)


def golden_of(experiment):
    """{id: digest} of the golden results of what an experiment reaches."""
    definitions = package_definitions(experiment)
    return {
        id: found
        for id, (definition, found) in _golden().items()
        if definition in definitions
    }


@cache
def _golden():
    """{id: (definition, digest of the numbers)} of the stored golden results."""
    path = project_root() / "tests" / "golden" / "index.json"
    return {
        id: (find_definition(name), found)
        for id, (name, found) in read_json(path).items()
    }


def why_stale(id, entry, scale="default"):
    """Why an entry, of the ledger or of a run, does not say what a measurement would give now; "" if it does.

    `scale` is the least that counts. "" also where nothing can be measured: no
    experiment, or unavailable data.

    Examples
    --------
    >>> why_stale("FI-11", {"reason": "not measured yet", "verdict": "not checked"})
    ''
    """
    now, (available, missing) = digests(id), available_data(load()[id], _checksum_here)
    if not now or missing:
        return ""
    if "measured" not in entry:
        return (
            "its data are at hand now"
            if entry["reason"].startswith("no data")
            else entry["reason"]
        )
    if SCALES.index(entry["scale"]) < SCALES.index(scale):
        return f"measured at {entry['scale']} scale"
    stored = entry.get("data", {})
    changed = [name for name in available if stored.get(name) != available[name]]
    reasons = [f"data: {', '.join(changed)}"] if changed else []
    return "; ".join([*reasons, *why_digests_differ(entry, now)])


def why_digests_differ(entry, now):
    """Which of rule, experiment and code have changed since an entry was measured.

    Examples
    --------
    >>> why_digests_differ({"rule": "1", "code": "a"}, {"rule": "1", "code": "b"})
    ['code']
    """
    return [
        name
        for name in ("rule", "experiment", "code")
        if entry.get(name) != now.get(name)
    ]


def available_data(claim, checksum):
    """Checksums (12 hex digits by name) of a claim's data sets that can be loaded, and the required ones that cannot.

    An `OSError` of ``checksum(name)`` means that the set is unavailable.
    """
    found, missing = {}, []
    for name in [*claim.data, *claim.optional] if claim.available else []:
        if name != "synthetic":
            try:
                found[name] = checksum(name)[:12]
            except OSError:
                missing += [name] if name in claim.data else []
    return found, missing


@cache
def _checksum_here(name):
    """Of a set on this machine: a look at the ledger downloads nothing."""
    what = entry_of(name)
    if not what.sklearn and find(what)[0] is None:
        raise OSError(name)
    return datasets.checksums(name)
