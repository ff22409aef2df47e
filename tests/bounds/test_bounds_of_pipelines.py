"""Bounds of a pipeline are those of its last step on the columns that the others make, with their names."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from toolkit.bounds import metric_bounds, relevance_bounds
from toolkit.lvq import GMLVQ


@pytest.fixture(scope="module")
def flats():
    rng, n = np.random.default_rng(0), 60
    X = pd.DataFrame({"size": rng.normal(70, 20, n), "city": rng.choice(["Bern", "Oslo", "Rome"], n)})
    return X, X["size"] + 30.0 * (X["city"] == "Rome")


def encoder():
    return make_column_transformer((StandardScaler(), ["size"]), (OneHotEncoder(), ["city"]))


def test_bounds_of_a_linear_pipeline_on_raw_rows(flats):
    X, y = flats
    pipe = make_pipeline(encoder(), LinearRegression()).fit(X, y)
    found = relevance_bounds(pipe, X)
    by_hand = relevance_bounds(pipe[-1], pipe[:-1].transform(X))
    assert_array_equal([*found], [*by_hand])
    names = ["standardscaler__size", *(f"onehotencoder__city_{name}" for name in ("Bern", "Oslo", "Rome"))]
    assert found.names == names == found.to_frame().index.tolist() and by_hand.names is None
    assert found.null_space == 1  # one of three indicators says what the others do


def test_metrics_of_pipelines_and_tables_without_names(flats):
    X, y = flats
    sign = np.where(y > y.median(), "dear", "cheap")
    pipe = make_pipeline(encoder(), GMLVQ(random_state=0)).fit(X, sign)
    found, by_hand = metric_bounds(pipe, X), metric_bounds(pipe[-1], pipe[:-1].transform(X))
    assert_array_equal(found.upper, by_hand.upper)
    assert found.names[0] == "standardscaler__size"
    numbers = X[["size"]].to_numpy()
    plain = make_pipeline(StandardScaler(), LinearRegression()).fit(numbers, y)
    assert relevance_bounds(plain, numbers, 0).names is None
    nameless = make_pipeline(encoder(), FunctionTransformer(lambda P: 2 * P), LinearRegression()).fit(X, y)
    assert relevance_bounds(nameless, X).names is None


def test_pipelines_that_have_no_bounds(flats):
    X, y = flats
    pipe = make_pipeline(encoder(), LinearRegression())
    fitted = make_pipeline(encoder(), LinearRegression()).fit(X, y)
    sign = make_pipeline(encoder(), LogisticRegression()).fit(X, X["city"])
    for call, message in [
        (lambda: relevance_bounds(pipe, X), "`w` must be a fitted pipeline; call its `fit`"),
        (lambda: metric_bounds(pipe, X), "`metric` must be a fitted pipeline"),
        (lambda: relevance_bounds(X, fitted), "`w` comes first, `X` second; got the fitted Pipeline as `X`"),
        (lambda: relevance_bounds(fitted, X[["city"]]), "`X` must have the columns .*; size is missing"),
        (
            lambda: relevance_bounds(fitted, X.assign(city="Paris")),
            "`X` must be what the pipeline `w` was fitted to: Found",
        ),
        (lambda: relevance_bounds(sign, X), "`w` must be one mapping; the model has 3"),
        (lambda: relevance_bounds(fitted[-1], X), "column 'city' holds text"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
