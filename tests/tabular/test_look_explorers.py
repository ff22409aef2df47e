"""Explorers of a look: names and columns of rows, and code that runs after the page's own call."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from pytest import fixture, mark, raises
from small_tables import last_value, quiet, table_of

from toolkit.tabular.generated_code import call_of

pytestmark = mark.usefixtures("quick")

COLUMNS = 14


@fixture(scope="module")
def frame():
    """60 rows with names, of which column u decides; more columns than tips tell."""
    frame = table_of(n=60).assign(fruit=[f"F{i:02d}" for i in range(60)])
    noise = np.random.default_rng(1).normal(size=(60, COLUMNS))
    return frame.join(pd.DataFrame(noise).add_prefix("noise {}"))


@fixture(scope="module")
def look_at_file(frame, tmp_path_factory):
    # braces are no place to put a setting in
    path = tmp_path_factory.mktemp("small") / "fruit {kind}.csv"
    frame.to_csv(path, index=False)
    return quiet(path, "kind", id="fruit", drop=["w"], random_state=2)


def check_code(explorer):
    Z = last_value(explorer.code_)
    assert_allclose(Z, explorer.embedding_, atol=1e-5 * np.abs(Z).max())


@mark.parametrize("fitted_to", ["the target", "no target", "a permuted target"])
def test_code_of_each_map_gives_the_positions_shown(look_at_file, fitted_to):
    explorer = look_at_file.explore_map()
    explorer.set(fitted_to=fitted_to)
    check_code(explorer)


def test_code_of_each_model_gives_the_positions_shown(look_at_file):
    explorer = look_at_file.explore_models()
    explorer.set(model="5 nearest neighbours")
    assert "one.name == '5 nearest neighbours'" in explorer.code_
    check_code(explorer)


def test_code_of_a_matrix_starts_from_what_was_looked_at(frame):
    S = np.corrcoef(frame[["u", "v", "w"]])
    look_result = quiet(S, similarities=True, classes=frame["kind"])
    assert call_of(look_result) == ""
    with raises(NameError, match="seen"):
        last_value(look_result.explore_map().code_)


def test_rows_have_their_names_and_the_columns_that_go_best_with_the_target(
    look_at_file, frame
):
    full = look_at_file.map_.supervised
    explorer = look_at_file.explore_map()
    assert explorer.names == frame["fruit"].iloc[full.rows].tolist()
    names = [column["name"] for column in explorer.columns]
    assert (
        names[0] == "u" and len(names) == 13 and not {"w", "fruit"} & set(names)
    )
    assert explorer.hover == [] and explorer.side_names == [
        "training",
        "held out",
    ]
    of_models = look_at_file.explore_models().names
    assert of_models == explorer.names[: full.n_fitted]


def test_a_value_comes_before_the_columns(frame):
    look_result = quiet(frame, "u", drop=["fruit"])
    first, *other_columns = look_result.explore_map().columns
    assert first["name"] == "u" and len(other_columns) == 13
    values = np.frombuffer(first["values"], "<f8")
    assert_allclose(
        values, frame["u"].iloc[look_result.map_.supervised.rows], rtol=1e-6
    )


def test_without_rows_a_page_has_no_name_or_value_of_one(tmp_path):
    frame = table_of(n=60)
    secrets = [f"secret {i:02d}" for i in range(60)]
    frame = frame.assign(name=secrets)
    frame.loc[59, "kind"] = None  # a row that is left out, with its name
    texts = {}
    for no_rows in (False, True):
        look_result = quiet(frame, "kind", id="name", no_rows=no_rows)
        page = look_result.report(tmp_path / f"{no_rows}.html").read_text(
            "utf-8"
        )
        texts[no_rows] = [name for name in secrets if name in page]
        rows = look_result.show_rows()
        assert (rows.frame is None) == no_rows
        if not no_rows:
            assert rows.frame.index.tolist() == secrets[:5]
            assert rows.frame["kind"].tolist() == frame["kind"][:5].tolist()
        notes = "\n".join(look_result.show_table().sentences)
        assert "1 row left out" in notes
        explorer = look_result.explore_map()
        assert (explorer.names == []) == no_rows
        columns = [column["name"] for column in explorer.columns]
        assert ("v" in columns) != no_rows
        # what is counted stays
        assert look_result.list_errors().sentences
    assert len(texts[False]) == 60 and texts[True] == []
