"""Durations: seconds that are shown as time, in the table of columns and among the first rows."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose, assert_array_equal
from pytest import mark
from small_tables import flowers

from toolkit.explorer.samples import read_columns
from toolkit.tabular import as_table, prepare_rows
from toolkit.tabular.columns import (
    DurationColumn,
    colored_values,
    read_column,
    shown_values,
)

WAITS = pd.to_timedelta(np.arange(40) % 25 * 90, "s")


@mark.parametrize(
    ("values", "seconds", "extent"),
    [
        (pd.to_timedelta(["1min", None]), [60, np.nan], "1 min to 1 min, median 1 min"),
        (pd.to_timedelta([250, 750], "ms"), [0.25, 0.75], "0.25 s to 0.75 s, median 0.5 s"),
        (pd.to_timedelta([-1, 49], "h"), [-3600, 176400], "-1 h to 2 d 1 h, median 1 d"),
        (["1h 20m", "1 h 20 min", "90 min", "?"], [4800, 4800, 5400, np.nan], "1 h 20 min to 1 h 30 min, median 1 h 20 min"),
        (["1h 30m", "2h 5m", "50 mins"], [5400, 7500, 3000], "50 min to 2 h 5 min, median 1 h 30 min"),
        (["1 day 6 h", "45 s", "0s"], [108000, 45, 0], "0 s to 1 d 6 h, median 45 s"),
        (["1:30", "2h 30m"], [5400, 9000], "1 h 30 min to 2 h 30 min, median 2 h"),
    ],
)  # fmt: skip
def test_durations_are_seconds_that_are_shown_as_time(values, seconds, extent):
    column = read_column(pd.Series(values, name="a"))
    assert column.kind == "duration"
    assert "`a` holds durations: taken as seconds." in column.notes
    assert_array_equal(column.values, seconds)
    text, bars = column.summary()
    assert text == extent and bars.strip()


@mark.parametrize(
    ("values", "numbers"),
    [
        (["90 min", "45 min"], [90, 45]),
        (["5 m", "7 m"], [5, 7]),
        (["1.5 h", "2 h"], [1.5, 2]),
        (["08:15", "1:30 PM"], [29700, 48600]),
    ],
)
def test_one_unit_and_clock_times_stay_numbers(values, numbers):
    column = read_column(pd.Series(values, name="a"))
    assert column.kind == "number"
    assert_array_equal(column.values, numbers)


def test_a_duration_as_a_feature():
    equal_texts = ["1 h 20 min", "80 min"] * 20
    table = as_table(flowers(wait=WAITS, same=equal_texts), "kind")
    assert table.kinds["wait"] == "duration"
    assert table.left_out["same"] == "constant: '1 h 20 min'"
    overview = table.overview().loc["wait"]
    assert overview["kind"] == "duration" and overview["used"] == "feature"
    assert overview["values"] == "0 s to 36 min, median 14 min 15 s"
    texts = shown_values(table.features.iloc[[1, 2]], table.kinds)
    assert texts["wait"].tolist() == ["1 min 30 s", "3 min"]
    numbers = prepare_rows(table.features, table.kinds)
    assert_allclose(numbers.of("wait").std(), 1)


def test_a_duration_names_no_rows():
    days = pd.to_timedelta(np.arange(40) * 3600, "s")
    table = as_table(flowers(id=days), "kind")
    assert "id" in table.features and not table.left_out


def test_a_duration_as_the_target():
    table = as_table(flowers(wait=WAITS), "wait")
    assert table.task == "value" and table.y[1] == 90
    table = as_table(flowers(wait=WAITS), "wait", task="classes")
    assert "1 min 30 s" in table.label_names


def test_an_explorer_colours_by_seconds_and_shows_time():
    waits = np.array([4800.0, np.nan, 11940.0])
    table = as_table(flowers(wait=WAITS), "kind")
    colored = colored_values(table.features, table.kinds)
    assert colored["wait"].dtype.kind == "m"
    assert colored.keys() == set(table.features)
    column = DurationColumn.as_colored(pd.Series(waits))
    (shown,) = read_columns({"wait": column}, 3)
    assert_array_equal(np.frombuffer(shown["values"]), waits)
    assert shown["texts"] == ["1 h 20 min", "", "3 h 19 min"]
    too_long = pd.Series([1.0, 1e15])
    assert_array_equal(DurationColumn.as_colored(too_long), too_long)
