"""The truth of the simulated tables is what they say, and a table of statements is a table of rates."""

import subprocess
import sys

import numpy as np
import pandas as pd
from pytest import approx, mark

from toolkit import look
from toolkit.core.files import project_root

from . import named_groups
from .__main__ import store, stored_draws
from .processes import PROCESSES, draw
from .statements import (
    about_dependence,
    columns_at,
    is_within,
    training_rows,
    true_error,
)


@mark.parametrize("name", PROCESSES)
def test_a_draw_is_a_table_and_its_fresh_rows_are_others_of_the_same_columns(
    name,
):
    process = draw(name, 0)
    fresh = process.fresh(len(process.frame))
    assert list(fresh) == list(process.frame) and len(fresh) == len(
        process.frame
    )
    assert not fresh.equals(process.frame)
    pd.testing.assert_frame_equal(draw(name, 0).frame, process.frame)
    assert not draw(name, 1).frame.equals(process.frame)


@mark.parametrize("bayes", [0.2, 0.05, 0.01])
def test_the_best_rule_has_the_bayes_error(bayes):
    fresh = draw(f"signal {str(bayes)[1:]}", 0).fresh(50_000)
    middle = fresh["x0"].mean()
    wrong = (fresh["x0"] > middle) != (fresh["y"] == "b")
    assert wrong.mean() == approx(bayes, abs=3 * np.sqrt(bayes / 50_000))


def test_rows_depend_on_each_other_as_they_should():
    series = draw("AR(1)", 0).frame["x0"]
    assert series.autocorr(1) > 0.8
    shuffled = draw("patients, shuffled", 0).frame
    assert abs(shuffled["x0"].autocorr(1)) < 0.3
    X = draw("near duplicates, 20 %", 0).frame.filter(like="x").to_numpy()
    off_diagonal = 9 * np.eye(len(X))
    D = np.linalg.norm(X[:, None] - X, axis=2) + off_diagonal
    # a tenth of the rows, and their copies
    assert np.sum(D.min(axis=1) < 0.3) == 40
    named = draw("patients named", 0).frame
    assert (named.groupby("who")["y"].nunique() == 1).all()


def test_proxies_are_related_as_they_should_and_copies_not_called_needed():
    X = draw("proxy .8", 0).fresh(50_000)
    assert X["x0"].corr(X["x1"]) == approx(0.8, abs=0.01)
    copy = draw("duplicate", 0).frame
    np.testing.assert_allclose(copy["x1"], 2 * copy["x0"] + 1)
    statements = columns_at("one good of three classes", "linear model", 0)
    assert statements["right strong"] == 1 and not statements["false strong"]
    statements = columns_at("duplicate, values", "5 nearest neighbours", 0)
    assert "right strong" not in statements and not statements["false strong"]


def test_limits_are_violated_where_the_interval_of_a_rate_lies_outside():
    happened = np.arange(100) < 80
    assert is_within(happened, 0.86, 0.96)
    assert not is_within(np.arange(400) < 320, 0.86, 0.96)


def correlation_within(values, groups):
    """Part of the variance, mean over columns, that is between groups (analysis of variance)."""
    values = pd.DataFrame(values).astype(float)
    means = values.groupby(groups).transform("mean")
    n = len(values)
    k = groups.nunique()
    within = ((values - means) ** 2).sum() / (n - k)
    between = ((means - values.mean()) ** 2).sum() / (k - 1)
    size = n / k
    return ((between - within) / (between + (size - 1) * within)).mean()


@mark.parametrize("name", [p for p in PROCESSES if p.startswith("persons")])
def test_rows_of_a_person_are_alike_and_the_class_is_that_of_no_column(name):
    process = draw(name, 0)
    rows = process.others(20_000)
    known_rows = process.fresh(500)
    person_of_row = rows["who"].astype(str).str.split("-").str[0]
    known_rows = known_rows["who"].astype(str).str.split("-").str[0]
    names = process.frame["who"].astype(str).str.split("-").str[0]
    assert set(known_rows) <= set(names) and set(names).isdisjoint(
        person_of_row
    )
    X = rows.filter(like="x")
    is_b = (rows["y"] == "b").astype(float)
    # of normal values that are cut at 0 it is the arc sine of theirs
    expected = 2 / np.pi * np.arcsin(0.3) if "few kinds" in name else 0.3
    assert correlation_within(X, person_of_row) == approx(expected, abs=0.03)
    share = 1 / 3 if "varies" in name else 1
    assert correlation_within(is_b, person_of_row) == approx(share, abs=0.05)
    assert np.abs(X.corrwith(is_b)).max() < 0.06


def test_pupils_of_a_class_have_one_target_and_one_school():
    process = draw("pupils in schools", 0)
    rows = process.others(20_000)
    for frame in (process.frame, process.fresh(2000), rows):
        assert (frame.groupby("group")[["y", "school"]].nunique() == 1).all(
            axis=None
        )
    X = rows.filter(like="x")
    assert correlation_within(X, rows["group"]) == approx(0.3, abs=0.03)
    # half of what pupils of a class share is that of the school
    by_class = rows.groupby("group")
    means = by_class[list(X)].mean()
    school = by_class["school"].first()
    expected = 0.15 / (0.3 + 0.7 / 6)
    assert correlation_within(means, school) == approx(expected, abs=0.06)


@mark.parametrize("name", ["couples, words", "measures at places, numbers"])
def test_each_set_has_one_row_of_each_class(name):
    frame = draw(name, 0).frame
    assert (pd.crosstab(frame["set"], frame["y"]) == 1).all(axis=None)


@mark.parametrize("name", named_groups.QUANTITIES)
def test_rows_of_one_quantity_are_alike_by_its_effect_only(name):
    rows = draw(name, 0).fresh(20_000)
    q = rows["quantity"]
    function = named_groups.QUANTITIES[name][1]
    rest = rows["x0"] - 0.7 * function(q)
    assert correlation_within(rest, q) == approx(0, abs=0.01)


def test_true_errors_at_rows_of_known_and_of_new_values():
    process = draw("occupations, 20, kept", 0)
    look_result = look(
        process.frame, "y", keep=process.keep, n_jobs=1, verbose=False
    )
    groups = process.frame["who"].factorize()[0]
    known_error = true_error(
        look_result, process, process.fresh(1000), look_result.table_.groups
    )
    new = true_error(look_result, process, process.others(1000), groups)
    assert 0.1 < known_error < new - 0.02 < 0.4
    statements = about_dependence(look_result, process)
    assert (
        statements["column"]
        and statements["leads"]
        and statements["second"] > known_error
    )
    for rows in training_rows(groups, True):
        assert np.isin(groups, groups[rows]).sum() == len(rows) < len(groups)


def test_draws_that_are_stored_are_the_same_when_they_are_read(tmp_path):
    path = tmp_path / "draws.jsonl"
    assert stored_draws(path) == {}
    statements = {
        "true": np.float64(0.25),
        "found": np.True_,
        "process": "AR(1)",
    }
    for seed in 3, 5:
        store(path, {"seed": seed, **statements})
    options = {"true": 0.25, "found": True}
    assert stored_draws(path) == {"AR(1)": {3: options, 5: options}}


def test_results_do_not_change_where_less_is_checked():
    code = """
import numpy as np
from sklearn.ensemble import RandomForestRegressor
from tests.honesty.faster import less_overhead
X = np.random.default_rng(0).normal(size=(80, 5))
forest = RandomForestRegressor(20, random_state=0)
before = forest.fit(X, X[:, :2]).predict(X), forest.get_params()
less_overhead()
assert np.array_equal(forest.fit(X, X[:, :2]).predict(X), before[0])
assert forest.get_params() == before[1]
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=project_root())
