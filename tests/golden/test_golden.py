"""All cases beside the stored numbers, which names they cover, and small errors that they must notice."""

import importlib
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, wraps
from importlib.util import find_spec
from typing import NamedTuple
from unittest.mock import patch

from pytest import mark, param, skip

from .coverage import excuses, options_by_name, public_names
from .harness import (
    EXACT,
    HERE,
    ROOT,
    all_cases,
    deviation,
    find,
    has_lock_versions,
    index_of,
    run,
    stored_results,
    tolerance,
)

# A case runs once in a process: in one process for all tests.
pytestmark = mark.xdist_group("golden")

LONGER = 1 + 1e-6  # a gradient that is wrong by this factor is noticed

numbers_of_file = cache(stored_results)


class Control(NamedTuple):
    """A wrong function in place of a right one: all cases that depend on it must change.

    `wrong` takes the right function and its arguments. `counts`, of a case and the
    keywords of a call, says whether what is wrong has a part in it.
    """

    name: str
    wrong: Callable
    counts: Callable = lambda case, keywords: True


def longer_glvq_gradient(right, *arguments):
    cost = right(*arguments)
    by_omegas = None if cost.grad_omegas is None else LONGER * cost.grad_omegas
    return cost._replace(grad_W=LONGER * cost.grad_W, grad_omegas=by_omegas)


def longer_nerv_gradient(right, *arguments, **keywords):
    cost, slopes = right(*arguments, **keywords)
    return cost, LONGER * slopes


def one_neighbor_more(right, X, n_neighbors, *, neighbors=None, **keywords):
    return right(X, n_neighbors + 1, neighbors=neighbors, **keywords)


# Stochastic descent has a gradient of its own; a search that is handed in has its own
# number of neighbours.
CONTROLS = {
    "gradient of GLVQ": Control(
        "lvq.cost.glvq_cost",
        longer_glvq_gradient,
        lambda case, keywords: case.options.get("solver") != "sgd",
    ),
    "gradient of NeRV": Control("embed.affinities.nerv_cost", longer_nerv_gradient),
    "neighbours": Control(
        "core.graphs.knn_graph",
        one_neighbor_more,
        lambda case, keywords: keywords.get("neighbors") is None,
    ),
}


@cache
def targets():
    """{control: (function, [(module, attribute) where it stands])}.

    Modules that name a function are imported before: later they would find and keep
    what stands in its place.
    """
    all_cases()
    words = [control.name.rpartition(".")[2] for control in CONTROLS.values()]
    for path in sorted((ROOT / "toolkit").rglob("*.py")):
        if any(word in path.read_text("utf-8") for word in words):
            parts = path.relative_to(ROOT).with_suffix("").parts
            importlib.import_module(".".join(parts).removesuffix(".__init__"))
    packages = "toolkit", __package__.partition(".")[0]
    attributes = [
        (module, *item)
        for name, module in sys.modules.items()
        if name.partition(".")[0] in packages
        for item in vars(module).items()
    ]
    found = {}
    for key, control in CONTROLS.items():
        right = find(control.name)
        where = [(m, name) for m, name, value in attributes if value is right]
        found[key] = right, where
    return found


def replace(stack, key, function):
    """Let `function`, which takes the right one and its arguments, stand in all places of the right one."""
    right, where = targets()[key]

    @wraps(right)
    def replacement(*arguments, **keywords):
        return function(right, *arguments, **keywords)

    for module, name in where:
        stack.enter_context(patch.object(module, name, replacement))


@cache  # the one run that all tests of a process share
def run_once(id):
    """Numbers of a case, and the controls on whose functions they depend."""
    case = all_cases()[id]
    calls = set()

    def spy(key):
        def function(right, *arguments, **keywords):
            if CONTROLS[key].counts(case, keywords):
                calls.add(key)
            return right(*arguments, **keywords)

        return function

    with ExitStack() as stack:
        for key in CONTROLS:
            replace(stack, key, spy(key))
        return run(case), calls


def changes(id, key):
    """Whether a case has other numbers, or none, where a control's function is wrong."""
    with ExitStack() as stack:
        replace(stack, key, CONTROLS[key].wrong)
        try:
            return deviation(run(all_cases()[id]), run_once(id)[0]) > tolerance()
        except Exception:
            return True


def can_run(case):
    return not case.needs or find_spec(case.needs) is not None


def module_of(case):
    return case.name.rpartition(".")[0]


NAMES = {module_of(case) for case in all_cases().values()}
SLOW = ["bounds", "tabular", "transfer"]  # more than three seconds each


@mark.parametrize(
    "name", [*sorted(NAMES - {*SLOW}), *(param(name, marks=mark.slow) for name in SLOW)]
)
def test_numbers_are_those_of_the_file(name):
    other = {} if has_lock_versions() else excuses("by_library")
    wrong = {}
    for id, case in all_cases().items():
        if module_of(case) == name and id not in other and can_run(case):
            gap = deviation(run_once(id)[0], numbers_of_file().get(id, {}))
            if gap > tolerance():
                wrong[id] = gap
    assert not wrong, "If it is meant, store it: python -m tests.golden --renew"


@mark.slow  # all cases
@mark.parametrize("key", CONTROLS)
def test_what_is_wrong_changes_all_cases_that_depend_on_it(key):
    if tolerance() > EXACT:
        skip("the tolerance for versions other than those of the lock is too wide")
    ids = [id for id, case in all_cases().items() if can_run(case)]
    callers = [id for id in ids if key in run_once(id)[1]]
    assert 0 < len(callers) < len(ids)
    assert [id for id in callers if not changes(id, key)] == []


def test_public_names_without_a_case_have_an_excuse():
    assert set(public_names()) - options_by_name().keys() == excuses().keys()


def test_all_stored_numbers_have_a_case():
    ids = numbers_of_file().keys() | excuses("by_library").keys()
    assert ids <= all_cases().keys()


def test_index_is_that_of_the_stored_numbers():
    assert json.loads((HERE / "index.json").read_text("utf-8")) == index_of(
        numbers_of_file()
    )


def test_stored_numbers_are_small():
    assert (HERE / "golden.npz").stat().st_size < 2_000_000
