"""Bounds as they are asked for: fitted models, DataFrames, defaults that say little."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.bounds import choose_null_space, equivalence, generic_bounds, group_bounds, metric_bounds, relevance_bounds
from toolkit.lvq import GMLVQ


@pytest.fixture(scope="module")
def patients():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(ddof=0), y


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(ddof=0), y


def test_columns_in_another_order_are_refused(patients, flowers):
    X, y = patients
    turned = X.iloc[:, ::-1]
    model = LinearRegression().fit(X, y)
    for call in (
        lambda: relevance_bounds(model, turned, 3),
        lambda: group_bounds(model, turned, np.arange(10) // 5, 3),
        lambda: choose_null_space(model, turned, y, turned, y),
        lambda: metric_bounds(GMLVQ().fit(*flowers), flowers[0].iloc[:, ::-1], 1),
    ):
        with pytest.raises(ValueError, match="`X` must have the columns that .* was fitted to, in their order"):
            call()
    with pytest.raises(ValueError, match=r"; s1, s2, s3 and 3 more are missing\."):
        relevance_bounds(model, X.iloc[:, :4])
    upright = relevance_bounds(model, X, 3)
    again = relevance_bounds(LinearRegression().fit(turned, y), turned, 3)  # fitted in that order it is right
    assert_allclose(again.upper[::-1], upright.upper)


def test_models_that_are_not_linear_are_told_where_to_go(patients, flowers):
    X, y = patients
    pipeline = make_pipeline(StandardScaler(), Ridge()).fit(X, y)
    with pytest.raises(ValueError, match="got Pipeline. Of a pipeline give the last step"):
        group_bounds(pipeline, X, np.arange(10) // 5, 3)
    with pytest.raises(ValueError, match="got Pipeline. Of a pipeline give the last step"):
        relevance_bounds(Pipeline([("one", pipeline[-1])]), X, 3)
    with pytest.raises(ValueError, match="GMLVQ has a metric, give it to `metric_bounds`"):
        relevance_bounds(GMLVQ().fit(*flowers), flowers[0], 1)
    with pytest.raises(ValueError, match="fitted linear model with `coef_`; got Ridge"):
        relevance_bounds(Ridge(), X, 3)
    last = relevance_bounds(pipeline[-1], pipeline[:-1].transform(X), 3)
    assert_allclose(last.weights, pipeline[-1].coef_)
    for bounds in (relevance_bounds, metric_bounds):  # which take the last step by themselves
        of_last = bounds(pipeline[-1], pipeline[:-1].transform(X), 3)
        assert_allclose(bounds(pipeline, X, 3).upper, of_last.upper)  # but for rounding: a table, an array


def test_one_row_of_coefficients_is_a_mapping(patients):
    X, y = patients
    two = LogisticRegression().fit(X, y > 140)
    for w in (two, two.coef_, two.coef_[0], two.coef_.tolist()):
        assert_array_equal(relevance_bounds(w, X, 3).weights, two.coef_[0])
    several = LogisticRegression().fit(X, pd.qcut(y, 3, labels=False))
    assert len(metric_bounds(several, X, 3).rows) == 2  # three classes are a plane


def test_the_default_says_when_it_says_nothing(patients):
    X, y = patients
    w = LinearRegression().fit(X, y).coef_
    for call in (
        lambda: relevance_bounds(w, X),
        lambda: metric_bounds([w], X),
        lambda: group_bounds(w, X, np.arange(10) // 5),
    ):
        with pytest.warns(UserWarning, match="only the mapping itself") as caught:
            call()
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        relevance_bounds(w, X, 0)
        relevance_bounds(np.append(w, 0), np.column_stack([X, X.iloc[:, 0]]))


def test_all_bounds_name_kinds_and_show_themselves_shortly(patients):
    X, y = patients
    w = LinearRegression().fit(X, y).coef_
    found = relevance_bounds(w, X, 3)
    assert repr(found) == (
        "RelevanceBounds(2 always weighted, 1 never weighted, 7 sometimes weighted, null_space=3, slack=1.1)"
    )
    generic = generic_bounds(X, y, n_steps=2)
    kinds = generic.kinds(0.05)
    share = 0.05 * generic.upper.max()
    assert (kinds == "always helps").tolist() == (generic.lower > share).tolist()
    assert (kinds == "never helps").tolist() == (generic.upper <= share).tolist()
    assert set(group_bounds(w, X, np.arange(10) // 5, 3).kinds()) <= {"always weighted", "sometimes weighted"}
    assert len(metric_bounds([w], X, 3).kinds(0.5)) == 10
    assert "always helps" in repr(generic_bounds(X, y, upper=False))


def test_null_space_of_a_regression_is_chosen_by_its_errors(patients):
    X, y = patients
    train, other = np.arange(len(X)) % 2 == 0, np.arange(len(X)) % 2 == 1
    model = LinearRegression().fit(X[train], y[train])
    sizes = [0, 2, 4]
    choice = choose_null_space(model, X[train], y[train], X[other], y[other], null_spaces=sizes, slack=1.1)
    mean = X[train].mean().to_numpy()
    for m, train_error, error, average in zip(
        sizes[::-1], choice.train_error, choice.error, choice.average_error, strict=True
    ):
        found = relevance_bounds(model, X[train], m, 1.1)
        level = model.intercept_ + mean @ model.coef_
        errors = [
            [
                1 - r2_score(y[part], (X[part] - mean) @ w + level)
                for w in [*found.at_lower, *found.at_upper, found.average]
            ]
            for part in (train, other)
        ]
        assert_allclose(np.mean(errors[0][:-1]), train_error)
        assert_allclose(np.mean(errors[1][:-1]), error)
        assert_allclose(errors[1][-1], average)
    small = choice.error <= choice.error.min() + 0.01
    assert choice.null_space == np.array(sizes)[::-1][small].max()
    assert choice.original == pytest.approx((1 - model.score(X[train], y[train]), 1 - model.score(X[other], y[other])))
    assert_array_equal(model.coef_, LinearRegression().fit(X[train], y[train]).coef_)  # untouched


def test_null_space_of_a_linear_classifier(flowers):
    X, y = flowers
    model = LogisticRegression().fit(X, y)
    choice = choose_null_space(model, X, y, X, y, null_spaces=[0, 1])
    assert choice.error[-1] == pytest.approx(1 - model.score(X, y))  # an empty null space changes nothing
    assert choice.effective_dimensions.tolist() == [3, 4]
    with pytest.raises(ValueError, match="`X` must have 4 features"):
        choose_null_space(model, X.to_numpy()[:, :3], y, X.to_numpy()[:, :3], y)


def test_null_space_of_a_model_with_a_constant_feature(flowers):
    """A feature that does not vary counts in no direction, and hinders nothing."""
    X, y = flowers[0].to_numpy(), flowers[1]
    model = LogisticRegression().fit(np.column_stack([X, np.ones(len(X))]), y)
    wide = [np.column_stack([A, np.ones(len(A))]) for A in (X, X + 0.1)]
    choice = choose_null_space(model, wide[0], y, wide[1], y)
    assert choice.effective_dimensions.tolist() == [1, 2, 3, 4]
    assert not choice.bounds[0].upper[-1]


def test_variances_tell_what_a_direction_costs(patients):
    X, _ = patients
    relation = equivalence(X, 3)
    assert_allclose(relation.variances.sum(), 10)
    assert (np.diff(relation.variances) <= 0).all() and len(relation.variances) == 10
