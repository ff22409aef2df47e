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
    one = draw(name, 0)
    fresh = one.fresh(len(one.frame))
    assert list(fresh) == list(one.frame) and len(fresh) == len(one.frame)
    assert not fresh.equals(one.frame)
    pd.testing.assert_frame_equal(draw(name, 0).frame, one.frame)
    assert not draw(name, 1).frame.equals(one.frame)


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
    D = np.linalg.norm(X[:, None] - X, axis=2) + 9 * np.eye(len(X))
    # a tenth of the rows, and their copies
    assert np.sum(D.min(axis=1) < 0.3) == 40
    named = draw("patients named", 0).frame
    assert (named.groupby("who")["y"].nunique() == 1).all()


def test_proxies_are_related_as_they_should_and_copies_not_called_needed():
    X = draw("proxy .8", 0).fresh(50_000)
    assert X["x0"].corr(X["x1"]) == approx(0.8, abs=0.01)
    copy = draw("duplicate", 0).frame
    np.testing.assert_allclose(copy["x1"], 2 * copy["x0"] + 1)
    said = columns_at("one good of three classes", "linear model", 0)
    assert said["right strong"] == 1 and not said["false strong"]
    said = columns_at("duplicate, values", "5 nearest neighbours", 0)
    assert "right strong" not in said and not said["false strong"]


def test_limits_are_violated_where_the_interval_of_a_rate_lies_outside():
    happened = np.arange(100) < 80
    assert is_within(happened, 0.86, 0.96)
    assert not is_within(np.arange(400) < 320, 0.86, 0.96)


def correlation_within(values, groups):
    """Part of the variance (d,) that is between groups, by one-way analysis of variance."""
    values = pd.DataFrame(values).astype(float)
    by_group = values.groupby(groups)
    sizes = by_group.size()
    n, k = len(values), len(sizes)
    within = (values - by_group.transform("mean")).pow(2).sum() / (n - k)
    total = (values - values.mean()).pow(2).sum()
    between = (total - within * (n - k)) / (k - 1)
    size = (n - sizes.pow(2).sum() / n) / (k - 1)
    return (between - within) / (between + (size - 1) * within)


PERSONS = [name for name in PROCESSES if name.startswith("persons")]


@mark.parametrize("name", PERSONS)
def test_rows_of_a_person_are_alike_and_the_class_is_that_of_no_column(name):
    one = draw(name, 0)
    rows = one.others(20_000)
    who = rows["who"].astype(str).str.split("-").str[0]
    X = rows.filter(like="x")
    assert correlation_within(X, who).mean() == approx(0.3, abs=0.03)
    is_b = rows["y"] == "b"
    varies = "varies" in name
    of_class = correlation_within(is_b, who).iloc[0]
    assert of_class == approx(1 / 3 if varies else 1, abs=0.05)
    assert np.abs(X.corrwith(is_b.astype(float))).max() < 0.06
    # new persons have new names, and fresh rows are of those in the table
    names = set(one.frame["who"].astype(str).str.split("-").str[0])
    assert names.isdisjoint(who)
    assert set(one.fresh(500)["who"].astype(str).str.split("-").str[0]) <= names


def test_a_target_is_that_of_all_pupils_of_a_class_and_each_class_is_in_one_school():
    one = draw("pupils in schools", 0)
    for rows in (one.frame, one.fresh(2000), one.others(20_000)):
        of_class = rows.groupby("group")
        assert of_class["y"].nunique().max() == 1
        assert of_class["school"].nunique().max() == 1
    X = rows.filter(like="x")
    assert correlation_within(X, rows["group"]).mean() == approx(0.3, abs=0.03)
    # half of what pupils of a class share is that of the school
    means = X.groupby(rows["group"]).mean()
    school = rows.groupby("group")["school"].first()
    of_school = correlation_within(means, school).mean()
    assert of_school == approx(0.15 / (0.3 + 0.7 / 6), abs=0.06)
    assert set(one.frame["school"]).isdisjoint(rows["school"])


def test_each_set_has_one_row_of_each_class():
    for name in PROCESSES:
        one = draw(name, 0)
        if one.worse and one.column:
            of_set = one.frame.groupby(one.column)["y"]
            n_classes = one.frame["y"].nunique()
            assert (of_set.nunique() == n_classes).all()
            assert (of_set.size() == n_classes).all()


def test_rows_of_one_quantity_are_alike_by_its_effect_only():
    for name, (_, effect) in named_groups.QUANTITIES.items():
        rows = draw(name, 0).fresh(20_000)
        q = rows["quantity"]
        own = rows["x0"] - 0.7 * effect(q)
        assert correlation_within(own, q).iloc[0] == approx(0, abs=0.01)
        assert own.std() == approx(1, abs=0.03)


def test_the_error_for_new_occupations_is_larger_than_that_for_known_ones():
    one = draw("occupations, 20, kept", 0)
    seen = look(one.frame, "y", keep=one.keep, n_jobs=1, verbose=False)
    known = true_error(seen, one, one.fresh(1000), seen.table_.groups)
    codes = one.frame["occupation"].factorize()[0]
    new = true_error(seen, one, one.others(1000), codes)
    assert 0.1 < known < new - 0.03 < 0.4
    said = about_dependence(seen, one)
    assert said["column"] and said["leads"] and said["second"] > known


def test_the_true_error_is_known_where_the_forest_is_the_best_model():
    one = draw("pair of classes", 0)
    seen = look(one.frame, "y", n_jobs=1, verbose=False)
    error = true_error(seen, one, one.fresh(1000), seen.table_.groups)
    assert 0.1 < error < 0.45


def test_training_rows_are_four_fifths_of_rows_or_of_groups():
    groups = np.repeat(np.arange(20), 3)
    for together in (False, True):
        sides = list(training_rows(groups, together))
        counts = sum(np.bincount(rows, minlength=60) for rows in sides)
        assert len(sides) == 5 and (counts == 4).all()
    for rows in sides:
        others = np.setdiff1d(np.arange(60), rows)
        assert not np.isin(groups[rows], groups[others]).any()


def test_draws_that_are_stored_are_the_same_when_they_are_read(tmp_path):
    path = tmp_path / "draws.jsonl"
    assert stored_draws(path) == {}
    said = {"true": np.float64(0.25), "found": np.True_, "second": np.nan}
    for seed in 3, 5:
        store(path, {"process": "persons", "seed": seed, **said})
    read = stored_draws(path)["persons"]
    assert list(read) == [3, 5]
    assert read[5]["true"] == 0.25 and read[5]["found"] is True
    assert np.isnan(read[5]["second"])


def test_results_do_not_change_where_less_is_checked():
    code = """
import numpy as np
from sklearn.ensemble import RandomForestRegressor
from tests.honesty.faster import less_overhead
rng = np.random.default_rng(0)
X, Y = rng.normal(size=(80, 5)), rng.normal(size=(80, 2))
first, second = (RandomForestRegressor(20, random_state=0) for _ in range(2))
before = first.fit(X, Y).predict(X)
less_overhead()
assert second.get_params() == first.get_params()
assert np.array_equal(second.fit(X, Y).predict(X), before)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=project_root())
