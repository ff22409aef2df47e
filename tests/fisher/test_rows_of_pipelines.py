"""The Fisher metric of a pipeline on rows that are no numbers; missing targets."""

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal
from pytest import fixture, mark, raises
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from toolkit.fisher import ModelFisher


@fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    n = 60
    X = pd.DataFrame(
        {"age": rng.normal(40, 10, n), "city": rng.choice(["Bern", "Rome"], n)}
    )
    y = np.where((X["city"] == "Rome") ^ (X["age"] > 50), "stays", "goes")
    X.loc[::9, "age"] = np.nan
    return X, y


def encoder():
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_column_transformer(
        (numbers, ["age"]), (OneHotEncoder(), ["city"])
    )


@mark.parametrize(
    "last",
    [LogisticRegression(), RandomForestClassifier(9, random_state=0)],
    ids=repr,
)
@mark.parametrize("fitted", [True, False])
def test_distances_of_rows_are_those_of_transformed_columns(rows, last, fitted):
    X, y = rows
    pipe = make_pipeline(encoder(), clone(last))
    known = clone(pipe).fit(X, y)
    metric = ModelFisher(known if fitted else pipe, lam=0.1).fit(X, y)
    P = known[:-1].transform(X)
    by_hand = ModelFisher(known[-1], lam=0.1).fit(P)
    assert_array_equal(metric.distances(), by_hand.distances())
    for method in ("transform", "factors", "predict"):
        ours, theirs = getattr(metric, method), getattr(by_hand, method)
        assert_array_equal(ours(X[:5]), theirs(P[:5]))
    some = metric.distances(X[:3], X[3:7])
    assert_array_equal(some, by_hand.distances(P[:3], P[3:7]))
    if fitted:
        assert metric.model_ is known
    # a later fit to numbers is one of numbers
    numbers = metric.set_params(model=LogisticRegression()).fit(P, y)
    assert numbers.transform(P[:2]).shape == (2, 60)


def test_refusals_of_rows(rows):
    X, y = rows
    pipe = make_pipeline(encoder(), LogisticRegression())
    metric = ModelFisher(pipe).fit(X, y)
    for call, message in [
        (
            lambda: metric.transform(X[["city", "age"]]),
            "`X` must have the columns .* in their order; got city",
        ),
        (
            lambda: metric.distances(X, X.assign(city="Oslo")),
            "`X_new` must be rows as `fit` was given; Found",
        ),
        (
            lambda: ModelFisher(LogisticRegression()).fit(X, y),
            "columns hold text.*'city'.* ParzenFisher",
        ),
        (
            lambda: ModelFisher(pipe).fit(X.to_numpy(), y),
            "`model` must turn `X` into numbers by the steps before its last",
        ),
    ]:
        with raises(ValueError, match=message):
            call()
