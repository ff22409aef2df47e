"""The kind of a target: the rule on paper, and one rule for `look` and `validate_map`."""

import numpy as np
import pandas as pd
from pytest import mark

from toolkit.core import kind_of_numbers, kind_of_target
from toolkit.tabular import as_table
from toolkit.validation import as_target


@mark.parametrize(
    "values, kind",
    [
        ([0.5, 1.0], "value"),
        # at most five different ones, however few the rows are
        (range(5), "classes"),
        (range(6), "value"),
        # at most twenty, with five rows each
        ([*range(10, 30)] * 5, "classes"),
        (([*range(10, 30)] * 5)[1:], "value"),
        ([*range(10, 31)] * 5, "value"),
        # codes from 0 or 1, with five rows each
        ([*range(40)] * 5, "classes"),
        ([*range(1, 41)] * 5, "classes"),
        (([*range(40)] * 5)[1:], "value"),
        ([*range(2, 42)] * 5, "value"),
        ([*range(20), *range(21, 41)] * 5, "value"),
    ],
)
def test_whole_numbers_are_classes_if_they_are_few_or_codes(values, kind):
    assert kind_of_numbers(list(values)) == kind
    shuffled = np.random.default_rng(0).permutation(list(values))
    assert kind_of_target(shuffled) == kind


def test_words_and_flags_are_classes():
    assert kind_of_target([f"{value}.5" for value in range(50)]) == "classes"
    assert kind_of_target(np.arange(50) % 2 == 0) == "classes"


@mark.parametrize("seed", range(200))
def test_look_and_validate_map_take_a_target_as_the_same(seed):
    rng = np.random.default_rng(seed)
    n_rows = rng.integers(20, 201)
    start = rng.integers(0, 4)
    n_values = rng.integers(2, 61)
    steps = rng.integers(1, 3)
    y = start + steps * rng.integers(0, n_values, size=n_rows)
    frame = pd.DataFrame({"x": rng.normal(size=n_rows), "y": y})
    table = as_table(frame, "y")
    kind = as_target(y, n_rows).kind
    assert {"classes": "classes", "values": "value"}[kind] == table.task
    assert table.task == kind_of_target(y)
