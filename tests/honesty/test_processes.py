"""The truth of the simulated tables is what they say, and a table of statements is a table of rates."""

import numpy as np
import pandas as pd
from pytest import approx, mark

from .processes import PROCESSES, draw
from .statements import columns_at, is_within


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
