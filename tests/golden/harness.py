"""Cases, how they are run, and how their numbers are compared with the stored ones."""

import dataclasses
import hashlib
import importlib
import itertools
import json
import math
import re
import textwrap
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, partial, wraps
from importlib import metadata
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import scipy.sparse
from threadpoolctl import threadpool_info

from .inputs import Arrays, Option, inputs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# of the largest entry: with the versions of the lock on one thread, and otherwise
EXACT, ELSEWHERE = 1e-9, 1e-5
AFTER_FIT = "transform", "predict", "predict_proba", "decision_function"
# Copies and means of what is given, numbers of iterations, and residuals of the size of
# rounding.
LEFT_OUT = "feature_importances_ n_iter_ history_ n_features_in_ mean_ residual_ graph_ kernel_mean_ X_fit_ label_mean_"


@dataclass(frozen=True)
class Case:
    """A call whose numbers are stored.

    Parameters
    ----------
    name : str
        Of the class or function, below `toolkit`: "lvq.GMLVQ".
    input : str
        One of `INPUTS`.
    options : dict
        Keyword arguments. A text "@D" stands for that array of the input, an `Option`
        for what it computes of arrays of the input.
    given : str
        What is handed to `fit`, or to the function, by position: "X y".
    lowered : dict
        Thresholds for this case: {"toolkit.fisher.paths.ENTRIES_AT_ONCE": 64}.
    after : dict
        What is called of the result, besides those of `AFTER_FIT`: {"distances": "X
        X_new"}.
    taken : callable or str
        In place of all that is public: a function of the fitted estimator or result,
        and of arrays of the input, that returns numbers; or names of attributes.
    skipped : str
        Words: which attributes are left out.
    needs : str
        A module that is no dependency and that the case imports, such as "ot": without
        it there is nothing to compare.
    maker : str
        A class method that is called in place of the class: "from_estimator".
    """

    name: str
    input: str
    options: dict
    given: str = ""
    lowered: dict = field(default_factory=dict)
    after: dict = field(default_factory=dict)
    taken: object = ""
    skipped: str = ""
    needs: str = ""
    maker: str = ""

    @property
    def id(self):
        """In words: name, what is given and set, called and lowered, the reader, and the input; it is to be short."""
        name = self.name.rpartition(".")[2]
        start = f"{STORED_NAMES.get(name, name)} {self.given}"
        words = [start.removesuffix(" X y").strip()]
        for key, value in self.options.items():
            text = words_of(value)
            if key not in ("random_state", text.strip("@")):
                words.append(f"{STORED_OPTIONS.get(key, key)} {text}")
        lowered = " ".join(key.rpartition(".")[2] for key in self.lowered)
        words += [*self.after, words_of(lowered, 12)]
        if callable(self.taken):
            words.append(words_of(self.taken))
        words.append(self.input.replace(USUAL, ""))
        return " ".join(filter(None, words))


USUAL = "three classes"
# new name: the name under which the numbers are stored, so that renaming keeps ids
STORED_NAMES = {
    "compare_maps": "true_map",
    "prepare_rows": "prepared",
    "fitted": "_fitted",
    "held_out": "_held_out",
}
STORED_OPTIONS = {"sample_of_row": "own"}  # the same of options
SETTINGS = {each.name for each in dataclasses.fields(Case)[3:]}
CASES = {}


class Each(tuple):
    """Values of an option, for each of which there is a case."""


def each(*values):
    """Values of an option, for each of which there is a case."""
    return Each(values)


def case(name, /, *inputs, **settings):
    """Add a case for each of the inputs and of the values that are `each` of several.

    What is no field of `Case` is an option. Without inputs it is the one of three
    classes.
    """
    lists = [v if isinstance(v, Each) else [v] for v in settings.values()]
    for values in itertools.product(*lists):
        options = dict(zip(settings, values, strict=True))
        fields = {key: options.pop(key) for key in SETTINGS & options.keys()}
        for input in inputs or [USUAL]:
            new = Case(name, input, options, **fields)
            if CASES.setdefault(new.id, new) is not new:
                raise ValueError(f"The case {new.id!r} stands there twice.")


estimator = partial(case, given="X y")


def alone(method, *inputs, **settings):
    """Add cases with one of the settings each."""
    for name, value in settings.items():
        method(*inputs, **{name: value})


def words_of(value, width=32):
    """What an id says of a value: its name, or how it is written, the same in each process."""
    text = getattr(value, "__name__", "") or re.sub(
        r" at 0x\w+", "", str(value)
    )
    return textwrap.shorten(text, width, placeholder="")


@cache
def all_cases():
    """{id: Case} of all files of `cases`."""
    for path in sorted((HERE / "cases").glob("[a-z]*.py")):
        importlib.import_module(f"{__package__}.cases.{path.stem}")
    return CASES


def run(case, given=None):
    """Numbers of a case by name: {quantity: array}. Warnings are of no interest here, errors are."""
    given = Arrays(given or inputs(case.input))
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        arguments = [given[key] for key in case.given.split()]
        options = {
            key: value_of(option, given) for key, option in case.options.items()
        }
        for name, value in case.lowered.items():
            stack.enter_context(patch(name, value))
        module, _, attribute = f"toolkit.{case.name}".rpartition(".")
        target = getattr(importlib.import_module(module), attribute)
        if case.maker:
            target = getattr(target, case.maker)
        fits = hasattr(target, "fit") and bool(arguments)
        if fits:
            result = target(**options).fit(*arguments)
        else:
            result = target(*arguments, **options)
        if callable(case.taken):
            result = given.call(case.taken, result)
        elif fits or case.taken or case.after:
            result = attributes(result, case, given)
        return numbers(result)


def value_of(option, given):
    if isinstance(option, Option):
        return given.call(option.function)
    if isinstance(option, str) and option.startswith("@"):
        return given[option[1:]]
    return option


def attributes(result, case, given):
    """What a fitted model or another result has found, and what it says of new samples."""
    left_out = f"{LEFT_OUT} {case.skipped}".split()
    names = case.taken.split()
    after = case.after
    if not names:
        public = [name for name in dir(result) if re.fullmatch("[^_].*_", name)]
        names = [name for name in public if name not in left_out]
        if "X" in case.given.split():
            methods = [name for name in AFTER_FIT if name not in left_out]
            after = {m: "X_new" for m in methods if hasattr(result, m)} | after
    results = {}
    for name in names:
        results[STORED_NAMES.get(name, name)] = getattr(result, name, None)
    for method, keys in after.items():
        value = getattr(result, method)(*map(given.__getitem__, keys.split()))
        is_text = isinstance(value, np.ndarray) and value.dtype.kind == "U"
        results[method] = codes_of(value) if is_text else value
    return results


def numbers(result, name=""):
    """All numbers of a result, however it is nested, by name; texts, functions and models are passed over."""
    if (
        result is None
        or isinstance(result, str | bytes | type)
        or callable(result)
    ):
        return {}
    if scipy.sparse.issparse(result):
        result = result.tocsr(copy=True)
        result.sort_indices()
        result = {
            key: getattr(result, key) for key in ("data", "indices", "indptr")
        }
    if hasattr(result, "_asdict"):
        result = result._asdict()
    if is_numeric(result):
        return {name or "result": np.asarray(result)}
    if dataclasses.is_dataclass(result) and not hasattr(result, "fit"):
        result = {
            f.name: getattr(result, f.name) for f in dataclasses.fields(result)
        }
    if isinstance(result, list | tuple):
        result = dict(enumerate(result))
    parts = result.items() if isinstance(result, dict) else ()
    return {
        key: value
        for part, inner in parts
        for key, value in numbers(inner, f"{name}.{part}".strip(".")).items()
    }


def is_numeric(value):
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:  # lists of different lengths
        return False


def codes_of(words):
    """Numbers for words, in the order of their first occurrence: other words of the same meaning change nothing."""
    return pd.factorize(np.asarray(words), use_na_sentinel=False)[0]


def reader(function):
    """Let `function(result, given, ...)` be given the rest beforehand: then it is what a case takes."""

    @wraps(function)
    def prepare(*rest):
        def take(result, given):
            return function(result, given, *rest)

        take.__name__ = " ".join(map(str, [function.__name__, *rest]))
        return take

    return prepare


@reader
def every(result, given, step):
    """Rows of a result: every so many."""
    return result[::step]


def stored_results():
    """{id: {quantity: array}} of the file, which has all numbers in one array and their shapes as JSON."""
    with np.load(HERE / "golden.npz") as file:
        values = iter(file["values"])
        shapes = json.loads(str(file["shapes"]))
    return {
        id: {
            quantity: np.fromiter(values, float, math.prod(shape)).reshape(
                shape
            )
            for quantity, shape in quantities.items()
        }
        for id, quantities in shapes.items()
    }


def store(results):
    """Write numbers, and ``index.json``: {id: [name, digest]}, by which the ledger knows what was renewed."""
    shapes = {
        id: {k: a.shape for k, a in r.items()} for id, r in results.items()
    }
    arrays = [array for result in results.values() for array in result.values()]
    values = np.concatenate([array.astype(float).ravel() for array in arrays])
    np.savez_compressed(
        HERE / "golden.npz", values=values, shapes=json.dumps(shapes)
    )
    text = json.dumps(index_of(results), sort_keys=True, separators=(",", ":"))
    text = text.replace('"],"', '"],\n"')  # a line per case
    (HERE / "index.json").write_text(text + "\n", "utf-8")


def index_of(results):
    """{id: [name, digest]} of results."""
    return {id: [all_cases()[id].name, digest(r)] for id, r in results.items()}


def digest(result):
    """Twelve hex digits of the numbers of a case."""
    found = hashlib.sha256()
    for quantity, array in sorted(result.items()):
        found.update(f"{quantity} {array.shape} ".encode())
        found.update(array.astype(float).tobytes())
    return found.hexdigest()[:12]


def deviation(new, old):
    """Largest difference of two results, as a fraction of the largest entry of each quantity.

    It is infinite where they differ in kind; NaN and infinities must stand in the same
    places.
    """
    if new.keys() != old.keys():
        return np.inf
    return max((difference(new[key], old[key]) for key in new), default=0.0)


def difference(a, b):
    a = a.astype(float)
    b = b.astype(float)
    if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return np.inf
    a = np.nan_to_num(a, posinf=1.0, neginf=-1.0)
    b = np.nan_to_num(b, posinf=1.0, neginf=-1.0)
    largest = np.abs(b).max(initial=0.0) or 1.0
    return np.abs(a - b).max(initial=0.0) / largest


@cache
def has_lock_versions():
    """Whether numpy, SciPy and scikit-learn are those of the lock."""
    lock = (ROOT / "requirements.lock").read_text("utf-8").split()
    names = "numpy", "scipy", "scikit-learn"
    return all(f"{name}=={metadata.version(name)}" in lock for name in names)


@cache
def tolerance():
    """`EXACT` where the versions are those of the lock and libraries use one thread, else `ELSEWHERE`."""
    one = all(library["num_threads"] == 1 for library in threadpool_info())
    return EXACT if has_lock_versions() and one else ELSEWHERE
