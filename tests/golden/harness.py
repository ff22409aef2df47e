"""Cases, how they are run, and how their numbers are compared with the stored ones."""

import dataclasses
import hashlib
import importlib
import inspect
import json
import math
import re
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from unittest.mock import patch

import numpy as np
import scipy.sparse
from threadpoolctl import threadpool_info

from .inputs import INPUTS, inputs

__all__ = [
    "Case", "Made", "all_cases", "codes_of", "deviation", "find", "numbers", "run", "store", "stored", "tolerance",
    "versions_are_locked",
]  # fmt: skip

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXACT, ELSEWHERE = 1e-9, 1e-5  # of the largest entry: with the versions of the lock on one thread, and otherwise
AFTER_FIT = ("transform", "predict", "predict_proba", "decision_function")


@dataclass(frozen=True)
class Made:
    """An option that is made from the input: ``Made(lambda given: given["X"][:, :2])``."""

    make: object


@dataclass(frozen=True)
class Case:
    """A call whose numbers are stored.

    Parameters
    ----------
    id : str
        What the case is, in words; it stays when names in the code change.
    name : str
        Of the class or function, below `toolkit`: "lvq.GMLVQ".
    options : dict
        Keyword arguments. A text "@D" stands for that array of the input, a `Made` for what it makes of the input.
    given : str
        What is handed to `fit`, or to the function, by position: "X y".
    input : str
        One of `INPUTS`.
    lowered : dict
        Thresholds for this case: {"toolkit.fisher.paths.ENTRIES_AT_ONCE": 64}.
    after : dict
        For estimators, what is called besides those of `AFTER_FIT`: {"distances": "X X_new"}.
    taken : callable, optional
        (fitted estimator or result, input) -> dict of numbers, in place of all that is public.
    skipped : str
        Words: which attributes are left out, such as numbers of iterations.
    needs : str
        A module that is no dependency and that the case imports, such as "ot": without it there is nothing to compare.
    maker : str
        A class method that is called in place of the class: "from_estimator".
    """

    id: str
    name: str
    options: dict = field(default_factory=dict)
    given: str = "X y"
    input: str = "three classes"
    lowered: dict = field(default_factory=dict)
    after: dict = field(default_factory=dict)
    taken: object = None
    skipped: str = ""
    needs: str = ""
    maker: str = ""


def find(name):
    """The object of a name below `toolkit`."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(f"toolkit.{module}" if module else "toolkit"), attribute)


@cache
def all_cases():
    """{id: Case} of all files of `cases`."""
    found = {}
    for path in sorted((HERE / "cases").glob("[a-z]*.py")):
        for case in importlib.import_module(f"{__package__}.cases.{path.stem}").CASES:
            if case.id in found or case.input not in INPUTS:
                raise ValueError(f"{path.name}: the id {case.id!r} stands there twice, or its input is unknown.")
            found[case.id] = case
    return found


def run(case, given=None):
    """Numbers of a case by name: {quantity: array}. Warnings are of no interest here, errors are."""
    given = inputs(case.input) if given is None else given
    arguments = [given[key] for key in case.given.split()]
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        options = {key: _option(value, given) for key, value in case.options.items()}
        for name, value in case.lowered.items():
            stack.enter_context(patch(name, value))
        target = getattr(find(case.name), case.maker) if case.maker else find(case.name)
        if inspect.isclass(target) and hasattr(target, "fit"):
            result = _fitted(target(**options).fit(*arguments), case, given)
        else:
            result = target(*arguments, **options)
            result = case.taken(result, given) if case.taken else result
        return numbers(result)


def _option(value, given):
    if isinstance(value, Made):
        return value.make(given)
    return given[value[1:]] if isinstance(value, str) and value.startswith("@") else value


def _fitted(model, case, given):
    if case.taken:
        return case.taken(model, given)
    left_out = {"n_iter_", "history_", "n_features_in_", *case.skipped.split()}
    names = [name for name in {**vars(model), **_properties(model)} if name.endswith("_") and not name.startswith("_")]
    found = {name: getattr(model, name) for name in sorted(set(names) - left_out)}
    for method in AFTER_FIT:
        if hasattr(model, method) and method not in case.skipped.split() and "X" in case.given.split():
            found[method] = getattr(model, method)(given["X_new"])
    for method, arguments in case.after.items():
        found[method] = getattr(model, method)(*(given[key] for key in arguments.split()))
    return found


def _properties(model):
    return dict(inspect.getmembers(type(model), lambda member: isinstance(member, property)))


def numbers(result, name=""):
    """All numbers of a result, however it is nested, by name; texts, functions and models are passed over."""
    if result is None or isinstance(result, str | bytes | type) or callable(result):
        return {}
    if scipy.sparse.issparse(result):
        result = result.tocsr(copy=True)
        result.sort_indices()
        return numbers({"data": result.data, "indices": result.indices, "indptr": result.indptr}, name)
    if dataclasses.is_dataclass(result):
        result = {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
    if isinstance(result, dict):
        parts = result.items()
    elif isinstance(result, list | tuple) and not _is_numeric(result):
        parts = enumerate(result)
    elif _is_numeric(result):
        return {name or "result": np.asarray(result)}
    else:
        return {}
    return {key: value for part, inner in parts for key, value in numbers(inner, f"{name}.{part}".strip(".")).items()}


def _is_numeric(value):
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:  # lists of different lengths
        return False


def codes_of(words):
    """Numbers for words, in the order of their first occurrence: other words of the same meaning change nothing."""
    words = np.asarray(words).tolist()
    known = list(dict.fromkeys(words))
    return np.array([known.index(word) for word in words])


def stored():
    """{id: {quantity: array}} of the file, which has all numbers in one array and their shapes as JSON."""
    with np.load(HERE / "golden.npz") as file:
        values, shapes = file["values"], json.loads(str(file["shapes"]))
    found, first = {}, 0
    for id, quantities in shapes.items():
        for quantity, shape in quantities.items():
            size = math.prod(shape)
            found.setdefault(id, {})[quantity] = values[first : first + size].reshape(shape)
            first += size
    return found


def store(results):
    """Write numbers, and ``index.json``: {id: [name, digest]}, by which the ledger knows what was renewed."""
    shapes = {id: {name: array.shape for name, array in result.items()} for id, result in results.items()}
    values = [array.astype(float).ravel() for result in results.values() for array in result.values()]
    np.savez_compressed(HERE / "golden.npz", values=np.concatenate(values), shapes=json.dumps(shapes))
    index = {id: [all_cases()[id].name, digest(result)] for id, result in results.items()}
    text = json.dumps(index, sort_keys=True).replace("], ", "],\n")
    (HERE / "index.json").write_text(text + "\n", encoding="utf-8")


def digest(result):
    """Twelve hex digits of the numbers of a case."""
    found = hashlib.sha256()
    for quantity, array in sorted(result.items()):
        found.update(f"{quantity} {array.shape} ".encode() + array.astype(float).tobytes())
    return found.hexdigest()[:12]


def deviation(new, old):
    """Largest difference of two results, as a fraction of the largest entry of each quantity.

    It is infinite where they differ in kind; NaN and infinities must stand in the same places.
    """
    if new.keys() != old.keys():
        return np.inf
    most = 0.0
    for quantity, a in new.items():
        a, b = a.astype(float), old[quantity].astype(float)
        if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return np.inf
        a, b = (np.where(np.isfinite(array), array, np.sign(np.nan_to_num(array))) for array in (a, b))
        largest = np.abs(b).max(initial=0.0)
        most = max(most, np.abs(a - b).max(initial=0.0) / (largest or 1.0))
    return most


@cache
def versions_are_locked():
    """Whether numpy, SciPy and scikit-learn are those of the lock."""
    lock = dict(re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.M))
    return all(metadata.version(name) == lock[name] for name in ("numpy", "scipy", "scikit-learn"))


@cache
def tolerance():
    """`EXACT` where the versions are those of the lock and libraries use one thread, else `ELSEWHERE`."""
    one = all(library["num_threads"] == 1 for library in threadpool_info())
    return EXACT if versions_are_locked() and one else ELSEWHERE
