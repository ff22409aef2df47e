"""All cases beside the stored numbers, and which names they cover."""

import json
from importlib.util import find_spec

from pytest import mark, param

from .coverage import excuses, public_names
from .harness import (
    HERE,
    all_cases,
    deviation,
    has_lock_versions,
    index_of,
    run,
    stored_results,
    tolerance,
)


def module_of(case):
    return case.name.rpartition(".")[0]


NAMES = {module_of(case) for case in all_cases().values()}
SLOW = ["bounds", "tabular", "transfer"]  # more than three seconds each


@mark.parametrize(
    "name",
    [
        *sorted(NAMES - {*SLOW}),
        *(param(name, marks=mark.slow) for name in SLOW),
    ],
)
def test_numbers_are_those_of_the_file(name):
    other = {} if has_lock_versions() else excuses("by_library")
    stored = stored_results()
    wrong = {}
    for id, case in all_cases().items():
        can_run = not case.needs or find_spec(case.needs)
        if module_of(case) == name and id not in other and can_run:
            gap = deviation(run(case), stored.get(id, {}))
            if gap > tolerance():
                wrong[id] = gap
    assert not wrong, "If it is meant, store it: python -m tests.golden --renew"


def test_public_names_without_a_case_have_an_excuse():
    names = {case.name for case in all_cases().values()}
    assert set(public_names()) - names == excuses().keys()


def test_stored_numbers_have_a_case_and_an_index_and_are_small():
    stored = stored_results()
    assert stored.keys() | excuses("by_library").keys() <= all_cases().keys()
    index = json.loads((HERE / "index.json").read_text("utf-8"))
    assert index == index_of(stored)
    assert (HERE / "golden.npz").stat().st_size < 2_000_000
