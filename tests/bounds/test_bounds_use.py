"""Bounds as they are asked for.

Fitted models, pipelines, DataFrames, defaults that say little.
"""

import warnings

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal
from pytest import approx, mark, raises, warns
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    StandardScaler,
)

from toolkit.bounds import (
    choose_null_space,
    generic_bounds,
    group_bounds,
    metric_bounds,
    relevance_bounds,
)
from toolkit.lvq import GMLVQ

# Patients, flowers and flats, of which the city is text.
X, y = load_diabetes(return_X_y=True, as_frame=True)
X = (X - X.mean()) / X.std(ddof=0)
MODEL = LinearRegression().fit(X, y)
FLOWERS, KINDS = load_iris(return_X_y=True, as_frame=True)
FLOWERS = (FLOWERS - FLOWERS.mean()) / FLOWERS.std(ddof=0)
OF_FLOWERS = GMLVQ().fit(FLOWERS, KINDS)
rng = np.random.default_rng(0)
FLATS = pd.DataFrame(
    {
        "size": rng.normal(70, 20, 60),
        "city": rng.choice(["Bern", "Oslo", "Rome"], 60),
    }
)
RENTS = FLATS["size"] + 30.0 * (FLATS["city"] == "Rome")


def encoder():
    return make_column_transformer(
        (StandardScaler(), ["size"]), (OneHotEncoder(), ["city"])
    )


LINEAR = make_pipeline(encoder(), LinearRegression())
FITTED = make_pipeline(encoder(), LinearRegression()).fit(FLATS, RENTS)
TURNED = X.iloc[:, ::-1]
COLUMNS = "`X` must have the columns that .* was fitted to, in their order"
REFUSED = [
    (lambda: relevance_bounds(MODEL, TURNED, 3), COLUMNS),
    (lambda: group_bounds(MODEL, TURNED, np.arange(10) // 5, 3), COLUMNS),
    (lambda: choose_null_space(MODEL, TURNED, y, TURNED, y), COLUMNS),
    (lambda: metric_bounds(OF_FLOWERS, FLOWERS.iloc[:, ::-1], 1), COLUMNS),
    (lambda: relevance_bounds(MODEL, X.iloc[:, :4]), "; not there: s1"),
    (
        lambda: relevance_bounds(Pipeline([("one", MODEL)]), X, 3),
        "got Pipeline.*of a pipeline give the last",
    ),
    (
        lambda: relevance_bounds(OF_FLOWERS, FLOWERS, 1),
        "got GMLVQ. Give a metric to `metric_bounds`",
    ),
    (
        lambda: relevance_bounds(LINEAR, FLATS),
        "what the pipeline `w` was fitted to; .* not fitted yet",
    ),
    (
        lambda: relevance_bounds(FITTED, FLATS[["city"]]),
        "`X` must have the columns .*; not there: size",
    ),
    (
        lambda: relevance_bounds(FITTED, FLATS.assign(city="Paris")),
        "`X` must be what the pipeline `w` was fitted to; Found",
    ),
    (lambda: relevance_bounds(FITTED[-1], FLATS), "columns hold text.*'city'"),
]


@mark.parametrize("call, message", REFUSED)
def test_refusals(call, message):
    with raises(ValueError, match=message):
        call()


def test_one_row_of_coefficients_is_a_mapping():
    two = LogisticRegression().fit(X, y > 140)
    for w in (two, two.coef_, two.coef_[0].tolist()):
        assert_array_equal(relevance_bounds(w, X, 3).weights, two.coef_[0])
    several = LogisticRegression().fit(X, pd.qcut(y, 3, labels=False))
    # three classes are a plane
    assert len(metric_bounds(several, X, 3).rows) == 2


def test_the_default_says_when_it_says_nothing():
    w = MODEL.coef_
    for bounds, *rest in (
        (relevance_bounds, w, X),
        (metric_bounds, [w], X),
        (group_bounds, w, X, np.arange(10) // 5),
    ):
        with warns(
            UserWarning, match="no other mapping has the same"
        ) as caught:
            bounds(*rest)
        assert caught[0].filename == __file__
    with warnings.catch_warnings(action="error"):
        relevance_bounds(w, X, 0)
        doubled = np.column_stack([X, X.iloc[:, 0]])
        relevance_bounds(np.append(w, 0), doubled)


def test_all_bounds_name_kinds_and_show_themselves_shortly():
    kinds = "2 always weighted, 1 never weighted, 7 sometimes weighted"
    assert repr(relevance_bounds(MODEL, X, 3)) == f"RelevanceBounds({kinds})"
    generic = generic_bounds(X, y, n_steps=2)
    kinds = generic.kinds()
    share = 0.05 * generic.upper.max()
    assert_array_equal(kinds == "always helps", generic.lower > share)
    assert_array_equal(kinds == "never helps", generic.upper <= share)
    assert "always helps" in repr(generic_bounds(X, y, upper=False))


def test_null_space_of_a_regression_is_chosen_by_its_errors():
    """The value at the mean of the samples stays."""
    train = np.arange(len(X)) % 2 == 0
    model = LinearRegression().fit(X[train], y[train])
    before = model.coef_.copy()
    mean = X[train].mean().to_numpy()
    sizes = np.array([4, 2, 0])
    choice = choose_null_space(
        model,
        X[train],
        y[train],
        X[~train],
        y[~train],
        null_spaces=sizes,
        slack=1.1,
    )

    def error(w, part):
        predicted = (X[part] - mean) @ w + model.intercept_ + mean @ before
        return 1 - r2_score(y[part], predicted)

    for i, size in enumerate(sizes):
        bounds = relevance_bounds(model, X[train], size, 1.1)
        of_all = [
            error(w, ~train) for w in [*bounds.at_lower, *bounds.at_upper]
        ]
        assert choice.error[i] == approx(np.mean(of_all))
        assert choice.average_error[i] == approx(error(bounds.average, ~train))
    assert (
        choice.null_space
        == sizes[choice.error <= choice.error.min() + 0.01].max()
    )
    assert choice.original == approx(
        (error(before, train), error(before, ~train))
    )
    assert_array_equal(model.coef_, before)


def test_null_space_of_a_model_with_a_constant_feature():
    """A feature that does not vary counts in no direction, and hinders nothing."""
    wide = np.column_stack([FLOWERS, np.ones(len(FLOWERS))])
    model = LogisticRegression().fit(wide, KINDS)
    choice = choose_null_space(model, wide, KINDS, wide + 0.1, KINDS)
    assert choice.effective_dimensions.tolist() == [1, 2, 3, 4]
    # an empty null space changes nothing
    assert choice.train_error[-1] == approx(1 - model.score(wide, KINDS))
    assert not choice.bounds[0].upper[-1]


def test_bounds_of_a_linear_pipeline_on_raw_rows():
    bounds = relevance_bounds(FITTED, FLATS)
    encoded = FITTED[:-1].transform(FLATS)
    by_hand = relevance_bounds(FITTED[-1], encoded)
    assert_array_equal([*bounds], [*by_hand])
    names = [
        "standardscaler__size",
        *(f"onehotencoder__city_{name}" for name in ("Bern", "Oslo", "Rome")),
    ]
    assert (
        bounds.names == names == bounds.to_frame().index.tolist()
        and by_hand.names is None
    )
    # one of three indicators says what the others do
    assert bounds.null_space == 1


def test_metrics_of_pipelines_and_tables_without_names():
    sign = np.where(RENTS > RENTS.median(), "dear", "cheap")
    pipe = make_pipeline(encoder(), GMLVQ(random_state=0)).fit(FLATS, sign)
    bounds = metric_bounds(pipe, FLATS)
    encoded = pipe[:-1].transform(FLATS)
    by_hand = metric_bounds(pipe[-1], encoded)
    assert_array_equal(bounds.upper, by_hand.upper)
    assert bounds.names[0] == "standardscaler__size"
    nameless = make_pipeline(
        encoder(), FunctionTransformer(lambda P: 2 * P), LinearRegression()
    ).fit(FLATS, RENTS)
    assert relevance_bounds(nameless, FLATS).names is None


@mark.parametrize("bounds", [relevance_bounds, metric_bounds])
def test_swapped_arguments_are_said_to_be_so(bounds):
    X = np.eye(4)
    model = LinearRegression().fit(X, X[:, 0])
    with raises(ValueError, match="comes first, `X` second.* Swap them."):
        bounds(X, model)
