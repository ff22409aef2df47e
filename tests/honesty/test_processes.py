"""The truth of the simulated tables is what they say, and a table of statements is a table of rates."""

import numpy as np
import pandas as pd
from pytest import approx, mark

from .processes import PROCESSES, draw
from .statements import is_within


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


def test_limits_are_violated_where_the_interval_of_a_rate_lies_outside():
    happened = np.arange(100) < 80
    assert is_within(happened, 0.86, 0.96)
    assert not is_within(np.arange(400) < 320, 0.86, 0.96)
