"""What `make matrix` calls a difference."""

import runpy

from folders import ROOT
from pytest import approx
from sklearn.utils import Bunch

compare = runpy.run_path(str(ROOT / "benchmarks" / "matrix.py"))["compare"]


def notebook_of(*texts):
    return Bunch(
        cells=[
            Bunch(outputs=[Bunch(output_type="stream", text=text)])
            for text in texts
        ]
    )


def test_numbers_are_compared_one_by_one_and_words_as_they_are():
    stored = notebook_of(
        "error .25 of 3 in 1.2 s,\n-1e-3", "same 1", "first 1 2", "numpy 2.4.6"
    )
    comparison = compare(
        stored,
        notebook_of(
            "error .20 of 3 in 9.9 s, -2e-3",
            "same 1",
            "second 1 2",
            "numpy 2.0.0",
        ),
    )
    assert (
        comparison["numbers"] == 4
    )  # three of the first cell, one of the second
    assert [row[:1] + row[2:4] for row in comparison["differ"]] == [
        (0, "-1e-3", "-2e-3"),
        (0, ".25", ".20"),
    ]
    assert [row[-1] for row in comparison["differ"]] == approx([0.5, 0.2])
    assert comparison["words"] == [(2, "first 1 2", "second 1 2")]


def test_an_output_that_is_missing_and_a_table_by_its_text():
    table = Bunch(
        output_type="execute_result",
        data={"text/html": "<style>a 1</style><td>7</td>", "text/plain": "7\\"},
    )
    comparison = compare(
        *(
            Bunch(cells=[Bunch(outputs=outputs)])
            for outputs in ([table, table], [table])
        )
    )
    assert comparison["numbers"] == 1 and comparison["words"] == [(0, "7", "")]
