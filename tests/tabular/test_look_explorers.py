"""Explorers of a look: names and columns of rows, and code that runs after the page's own call."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from pytest import fixture, mark, raises
from small_tables import last_value, quiet, table_of

pytestmark = mark.usefixtures("quick")

COLUMNS = 14


@fixture(scope="module")
def frame():
    """60 rows with names, of which column u decides; more columns than tips tell."""
    rng = np.random.default_rng(1)
    more = pd.DataFrame(
        rng.normal(size=(60, COLUMNS)),
        columns=[f"noise {{{j}}}" for j in range(COLUMNS)],
    )
    return table_of(n=60).join(more).assign(fruit=[f"F{i:02d}" for i in range(60)])


@fixture(scope="module")
def seen(frame, tmp_path_factory):
    # braces are no place to put a setting in
    path = tmp_path_factory.mktemp("small") / "fruit {kind}.csv"
    frame.to_csv(path, index=False)
    return quiet(path, "kind", id="fruit", drop=["w"], random_state=2)


@mark.parametrize("target", ["true", "none", "shuffled"])
def test_code_of_each_map_gives_the_positions_shown(seen, target):
    explorer = seen.explore_map()
    explorer.set(target=target)
    Z = last_value(explorer.code_)
    assert_allclose(Z, explorer.embedding_, atol=1e-5 * np.abs(Z).max())


def test_code_of_each_model_gives_the_positions_shown(seen):
    explorer = seen.explore_models()
    for name in explorer.axes[0]["values"]:
        explorer.set(model=name)
        assert f"one.name == {name!r}" in explorer.code_
    Z = last_value(explorer.code_)
    assert_allclose(Z, explorer.embedding_, atol=1e-5 * np.abs(Z).max())


def test_code_of_a_matrix_starts_from_what_was_looked_at(frame):
    S = np.corrcoef(frame[["u", "v", "w"]])
    one = quiet(S, similarities=True, classes=frame["kind"])
    assert one._call() == ""
    with raises(NameError, match="seen"):
        last_value(one.explore_map().code_)


def test_rows_have_their_names_and_the_columns_that_go_best_with_the_target(
    seen, frame
):
    explorer, rows = seen.explore_map(), seen.map_.true.rows
    assert explorer.names == frame["fruit"].iloc[rows].tolist()
    names = [column["name"] for column in explorer.columns]
    assert (
        len(names) == 12
        and names[0] == "u"
        and "w" not in names
        and "fruit" not in names
    )
    values = np.frombuffer(explorer.columns[0]["values"], "<f8")
    assert_allclose(values, frame["u"].iloc[rows], rtol=1e-6)
    assert explorer.hover == [] and explorer.side_names == ["fitted", "held out"]
    n_fitted = seen.map_.true.n_fitted
    assert seen.explore_models().names == explorer.names[:n_fitted]


def test_a_value_comes_before_the_columns(frame):
    one = quiet(frame, "u", drop=["fruit"])
    explorer = one.explore_map()
    assert explorer.columns[0]["name"] == "u" and len(explorer.columns) == 13
    values = np.frombuffer(explorer.columns[0]["values"], "<f8")
    assert_allclose(values, frame["u"].iloc[one.map_.true.rows], rtol=1e-6)
