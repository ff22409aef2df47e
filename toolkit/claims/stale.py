"""Which stored measurements are out of date.

That is where the claim's rule, its data or the code that it stands on has changed since
it was measured. An entry of the ledger keeps the digests that `digests` gives, and
`data`, checksums of the data sets. The code is the experiment, which is a test function
with the fixture `check_claim`, with what it reaches among the tests, and the
definitions of the package that it reaches.
"""

import ast
import json
import re
from dataclasses import asdict
from functools import cache

from .. import datasets
from ..core.files import project_root, read_json
from ..datasets import registry
from .claim import SCALES, load
from .definitions import Definition, digest, find_definition, reachable, read

ID = re.compile(r"[A-Z]{2}-\d\d")
# Fields of a claim that are words about it and decide nothing; of readings only names
# and the main one count.
NOT_RULE = {"title", "where", "reason", "mended", "readings", "why"}


@cache
def experiments(root):
    """The experiment that measures each claim, by id; no claim may have two."""
    found = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            for id in _claims_of(node):
                one = Definition(path, node.name)
                if found.setdefault(id, one) != one:
                    raise ValueError(
                        f"{id} is measured twice, by {found[id].test} and {one.test};"
                        " keep one."
                    )
    return found


def _claims_of(node):
    """Ids of the claims that a statement of a test file measures."""
    if isinstance(node, ast.FunctionDef) and any(
        argument.arg == "check_claim" for argument in node.args.args
    ):
        constants = (
            part for part in ast.walk(node) if isinstance(part, ast.Constant)
        )
        yield from filter(ID.fullmatch, (str(part.value) for part in constants))


@cache
def code_of(experiment):
    """Digests of an experiment and of the package's definitions that it reaches."""
    package = package_definitions(experiment)
    return {
        "experiment": _digest_of_set(_definitions(experiment) - package),
        "code": _digest_of_set(package),
    }


def package_definitions(experiment):
    """The definitions of the package that an experiment reaches."""
    return {found for found in _definitions(experiment) if found.in_package}


@cache
def _definitions(experiment):
    """The definitions that an experiment reaches, also by fixtures of all tests."""
    always = [
        name
        for name, nodes in read(experiment.path).definitions.items()
        if any(map(_is_autouse, nodes))
    ]
    # fixtures that every test uses are named by none
    names = [experiment.name, *always]
    return reachable(Definition(experiment.path, name) for name in names)


def _is_autouse(node):
    return any(
        "autouse" in ast.unparse(decorator)
        for decorator in getattr(node, "decorator_list", ())
    )


def _digest_of_set(definitions):
    return digest(*sorted({definition.digest for definition in definitions}))


def experiment_of(id):
    """The experiment that measures a claim; None if there is none, or no clone."""
    root = project_root()
    return experiments(root).get(id) if root else None


def digests(id):
    """Digests of what the measurement of a claim stands on now.

    Returns
    -------
    dict of str
        `rule`, the claim's table; `experiment`, the test and what it reaches among the
        tests; `code`, the set of the package's definitions that it reaches; `golden`,
        the golden results of those definitions. Empty where nothing measures it.
    """
    experiment = experiment_of(id)
    if experiment is None:
        return {}
    claim = load()[id]
    rule = {
        key: value
        for key, value in asdict(claim).items()
        if key not in NOT_RULE
    }
    if claim.readings:
        others = sorted(reading.name for reading in claim.readings)
        rule["readings"] = [claim.main.name, *others]
    golden = sorted(golden_of(experiment).items())
    return {
        "rule": digest(json.dumps(rule, sort_keys=True)),
        "golden": digest(*map(str, golden)),
    } | code_of(experiment)


def golden_of(experiment):
    """{id: digest} of the golden results of what an experiment reaches."""
    package = package_definitions(experiment)
    return {
        id: numbers
        for id, (definition, numbers) in _golden().items()
        if definition in package
    }


@cache
def _golden():
    """{id: (definition, digest of the numbers)} of the stored golden results."""
    stored = read_json(project_root() / "tests" / "golden" / "index.json")
    return {
        id: (find_definition(name), found)
        for id, (name, found) in stored.items()
    }


def why_stale(id, entry, scale="default"):
    """Why an entry, of the ledger or of a run, is out of date; "" if it is not.

    `scale` is the least that counts. "" also where nothing can be measured: no
    experiment, or unavailable data.

    Examples
    --------
    >>> why_stale("FI-11", {"reason": "not measured yet", "verdict": "not checked"})
    ''
    """
    # nothing measures it, or not without these data
    now = digests(id)
    available, missing = available_data(load()[id], _local_checksum)
    if not now or missing:
        return ""
    if "measured" not in entry:
        reason = entry["reason"]
        return (
            "its data are at hand now"
            if reason.startswith("no data")
            else reason
        )
    if SCALES.index(entry["scale"]) < SCALES.index(scale):
        return f"measured at {entry['scale']} scale"
    reasons = why_digests_differ(entry, now)
    # data sets that came since are a change too
    stored = entry.get("data", {})
    changed = [
        name for name in available if stored.get(name) != available[name]
    ]
    if changed:
        reasons.insert(0, f"data: {', '.join(changed)}")
    return "; ".join(reasons)


def why_digests_differ(entry, now):
    """Which of rule, experiment and code have changed since an entry was measured.

    Examples
    --------
    >>> why_digests_differ({"rule": "1", "code": "a"}, {"rule": "1", "code": "b"})
    ['code']
    """
    kinds = ("rule", "experiment", "code")
    return [kind for kind in kinds if entry.get(kind) != now.get(kind)]


def available_data(claim, checksum):
    """Checksums of a claim's data sets by name, and the required sets without one.

    Of a checksum the first 12 hex digits. An `OSError` of ``checksum(name)`` means that
    the set is unavailable.
    """
    found, missing = {}, []
    names = [*claim.data, *claim.optional] if claim.available else []
    for name in filter("synthetic".__ne__, names):
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
