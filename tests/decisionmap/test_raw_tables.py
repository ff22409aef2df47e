"""Decision maps of models that take raw tables: pipelines, trees with gaps."""

import pickle

import numpy as np
import pandas as pd
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, fixture, mark, raises, warns
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

from toolkit.decisionmap import DecisionMap, MixedColumns
from toolkit.embed import MDS


def people():
    """A table with gaps and a shuffled index, and a class that depends on it."""
    rng = default_rng(0)
    n = 90
    columns = {"age": rng.normal(40, 10, n)}
    columns["children"] = rng.integers(0, 6, n)
    columns["city"] = rng.choice(["Bern", "Oslo", "Rome"], n)
    columns["member"] = rng.random(n) > 0.5
    X = pd.DataFrame(columns, index=rng.permutation(n) * 1.5)
    sizes = rng.choice(["small", "large"], n)
    X["size"] = pd.Categorical(sizes, categories=["none", "large", "small"])
    X["visits"] = pd.array(rng.integers(0, 50, n), dtype="Int16")
    is_member = (X["age"] > 45) & X["member"]
    y = np.where((X["city"] == "Rome") | is_member, "stays", "goes")
    for column, step in (("age", 7), ("city", 11), ("visits", 13)):
        X.loc[X.index[::step], column] = None
    return X, y


def pipeline_of(*steps):
    """A pipeline fitted to the people, which starts with an encoder of its own."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore")
    encoder = make_column_transformer(
        (numbers, ["age", "children"]), (words, ["city", "member", "size"])
    )
    return make_pipeline(encoder, *steps).fit(X, y)


def map_of(model, X, y=None, **options):
    settings = {"embedder": PCA(2), "grid": 12, "cv": 3} | options
    return DecisionMap.from_estimator(model, X, y, **settings)


def same_pictures(one, other):
    for name in (
        "grid_values_",
        "grid_certainty_",
        "embedding_",
        "certainty_",
        "misrepresented_",
    ):
        assert_array_equal(getattr(one, name), getattr(other, name))


X, y = people()
NUMBERS = X[["age", "children"]].to_numpy()
FILLED = np.nan_to_num(NUMBERS, nan=40.0)
PIPE = pipeline_of(LogisticRegression())
# as histogram gradient boosting takes them
CITIES = X.assign(city=X["city"].astype("category"))
BOOSTED = HistGradientBoostingClassifier(
    max_iter=15, categorical_features="from_dtype"
).fit(CITIES, y)


@fixture(
    scope="module",
    params=[(PIPE, X), (BOOSTED, CITIES)],
    ids=["pipeline", "rows"],
)
def map_and_table(request):
    """A map of a pipeline or of a model of rows, and its table."""
    model, table = request.param
    return map_of(model, table, y), table


# ---------------------------------------------------------------- pipelines
@mark.parametrize(
    "last",
    [RandomForestClassifier(9, random_state=0), SVC(), LogisticRegression()],
    ids=repr,
)
def test_a_pipeline_is_its_last_step_on_transformed_columns(last):
    pipe = pipeline_of(last)
    steps = pipe[:-1]
    rows = X[::2]
    view_of_all = map_of(pipe, X, y)
    by_hand = map_of(last, steps.transform(X), y)
    same_pictures(view_of_all, by_hand)
    search = GridSearchCV(pipe, {"memory": [None]}, cv=2).fit(X, y)
    same_pictures(view_of_all, map_of(search, X, y))
    assert view_of_all.held_out_.labels == by_hand.held_out_.labels
    assert (
        view_of_all.model_score_ == pipe.score(X, y)
        and view_of_all.model_ is pipe
    )
    assert view_of_all.score(rows, y[::2]) == by_hand.score(
        steps.transform(rows), y[::2]
    )
    assert_array_equal(
        view_of_all.project(rows), by_hand.project(steps.transform(rows))
    )
    assert view_of_all.plot(new=(rows, y[::2])).misrepresented.shape == (45,)


def test_text_and_regressors():
    notes = np.where(y == "stays", "happy here", "off we go")
    words = X[["age"]].assign(note=notes, age=FILLED[:, 0])
    bags = make_column_transformer(
        (CountVectorizer(), "note"), (StandardScaler(), ["age"])
    )
    # sparse inside
    model = make_pipeline(bags, LogisticRegression()).fit(words, y)
    assert map_of(model, words, y).model_score_ == 1
    ridge = make_pipeline(PIPE[0], Ridge()).fit(X, X["children"])
    target = map_of(ridge, X, X["children"])
    assert_allclose(target.predicted_, ridge.predict(X))
    assert target.classes_ is None and target.prediction_correlation_ > 0.5


@mark.parametrize("auxiliary", ["truth", "model"])
def test_fisher_metrics_of_raw_tables(auxiliary):
    options = {"metric": "fisher", "auxiliary": auxiliary, "embedder": MDS()}
    of_last_step = map_of(PIPE[-1], PIPE[:-1].transform(X), y, **options)
    same_pictures(map_of(PIPE, X, y, **options), of_last_step)
    assert map_of(BOOSTED, CITIES, y, **options).in_sample_.labels > 0.8


def test_the_same_numbers_for_another_model():
    # an encoder of its own, which makes the same numbers
    first = map_of(PIPE, X, y)
    machine = pipeline_of(SVC())
    second = first.with_model(machine)
    assert second.model_ is machine
    same_pictures(second, map_of(machine, X, y))
    columns = make_column_transformer((SimpleImputer(), ["age", "children"]))
    fewer = make_pipeline(columns, SVC()).fit(X, y)
    with raises(ValueError, match="prepare=MixedColumns"):
        first.with_model(fewer)
    rows = map_of(fewer, CITIES, y, prepare=MixedColumns())
    same_pictures(rows.with_model(BOOSTED), map_of(BOOSTED, CITIES, y))


# ---------------------------------------------------------------- models that take rows
# as they are
def test_answers_for_gaps_are_those_of_the_row_not_of_the_filled_one():
    x = np.linspace(-1, 1, 60)
    gaps = np.arange(60) % 3 == 0
    with_gaps = np.where(gaps, np.nan, x)
    A = np.column_stack([with_gaps, np.sin(9 * x)])
    kinds = np.where(gaps, "gap", "none")
    view = map_of(
        HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5).fit(
            A, kinds
        ),
        A,
        kinds,
        cv=None,
    )
    assert view.model_score_ == 1 and (view.predicted_[gaps] == "gap").all()
    # no point of the plane has a gap
    assert "gap" not in view.grid_values_ and view.misrepresented_[gaps].all()
    assert view.in_sample_.labels == approx(2 / 3)


def test_steps_that_leave_gaps_are_no_points():
    table = X.drop(columns="visits")  # whose gaps are no NaN
    codes = make_column_transformer(
        (OrdinalEncoder(), ["city", "size"]), remainder="passthrough"
    )
    model = make_pipeline(
        codes, HistGradientBoostingClassifier(max_iter=9)
    ).fit(table, y)
    view = map_of(model, table, y)
    assert isinstance(view.prepare_, MixedColumns)
    assert_array_equal(view.predicted_, model.predict(table))
    rows = view.prepare_.inverse_transform(view._view.grid_samples)
    assert_array_equal(view.grid_values_.ravel(), model.predict(rows))
    imputed = make_pipeline(SimpleImputer(), SVC()).fit(NUMBERS, y)
    # an array with NaN
    assert map_of(imputed, NUMBERS, y).prepare_.steps == imputed[:-1].steps


# ---------------------------------------------------------------- what is prepared how
@mark.filterwarnings("error")
def test_prepare_stays_as_the_user_gives_it():
    pipe = pipeline_of(PCA(5), LogisticRegression())
    assert map_of(pipe, X, y)._view.X.shape == (90, 5)
    # the encoder alone: the rest of the pipeline is asked
    first = map_of(pipe, X, y, prepare=pipe[:1])
    assert_array_equal(first._view.X, pipe[0].transform(X))
    answers = pipe[1:].predict(first._view.grid_samples)
    assert_array_equal(first.grid_values_.ravel(), answers)
    same_pictures(map_of(pipe, X, y, prepare=pipe[0]), first)
    # numbers, too: a scaler that was never fitted, in front of a model that has none
    numbers = FILLED * [1000, 1]
    tree = RandomForestClassifier(9, random_state=0).fit(numbers, y)
    scaled = map_of(tree, numbers, y, prepare=StandardScaler())
    assert_allclose(scaled._view.X, StandardScaler().fit_transform(numbers))
    back = scaled.prepare_.inverse_transform(scaled._view.grid_samples)
    assert_array_equal(scaled.grid_values_.ravel(), tree.predict(back))


def test_certainties_by_hand_need_rows():
    def by_age(rows):
        return np.abs(rows["age"].fillna(40) - 40)

    with raises(
        ValueError,
        match="`certainty` as a function takes rows of `X`.*`prepare=MixedColumns",
    ):
        map_of(PIPE, X, y, certainty=by_age)
    by_rows = map_of(PIPE, X, y, certainty=by_age, prepare=MixedColumns())
    assert_allclose(by_rows.certainty_, by_age(X))


def test_maps_that_exist_and_samples_beyond_the_most():
    Z = default_rng(0).normal(size=(90, 2))
    transformed = PIPE[:-1].transform(X)
    pairs = ((PIPE, X), (PIPE[-1], transformed))
    same_pictures(
        *(
            DecisionMap.from_map(model, table, Z, y, grid=9, cv=3)
            for model, table in pairs
        )
    )
    view_of_some = map_of(PIPE, X, y, max_samples=40)
    assert (
        len(view_of_some.sample_) == 40 and len(view_of_some.embedding_) == 90
    )
    assert_array_equal(view_of_some.predicted_, PIPE.predict(X))


def test_maps_of_raw_tables_pickle(map_and_table):
    decision_map, table = map_and_table
    unpickled = pickle.loads(pickle.dumps(decision_map))
    assert unpickled.score(table[::2], y[::2]) == decision_map.score(
        table[::2], y[::2]
    )


# ---------------------------------------------------------------- refusals
def test_new_rows_must_look_like_the_first(map_and_table):
    decision_map, table = map_and_table
    for other, message in (
        (table.drop(columns="age"), "not there: age"),
        (table[table.columns[::-1]], "got visits in place of age"),
        (table.to_numpy(), "(for dataframes|be a DataFrame)"),
    ):
        with raises(ValueError, match=rf"`new\[0\]`.*{message}"):
            decision_map.display(new=(other, y))


def test_a_category_that_no_sample_has():
    with raises(ValueError, match="column 'city' has 'Paris' at row 4"):
        with_paris = X.assign(
            city=np.where(np.arange(90) == 4, "Paris", "Rome")
        )
        map_of(BOOSTED, CITIES, cv=None).score(with_paris)


@mark.parametrize("row", [0, 1, 37, 89])
def test_the_first_row_at_which_a_model_fails(row):
    table = X.assign(city=np.where(np.arange(90) == row, "Bern", "Rome"))
    strict = make_column_transformer(
        (OneHotEncoder(), ["city"]), (SimpleImputer(), ["age"])
    )
    is_known = np.arange(90) != row
    model = make_pipeline(strict, LogisticRegression()).fit(
        table[is_known], y[is_known]
    )
    with raises(
        ValueError,
        match=f"`model` cannot answer for `X`, first at row {row}: ValueError: Found unknown",
    ):
        map_of(model, table, y)


def test_numbers_that_a_model_cannot_take():
    plain = SVC().fit(FILLED, y)
    # infinity is no gap
    with raises(ValueError, match="`X` must be a table of finite real numbers"):
        map_of(plain, np.full((90, 2), np.inf), y)


PAIR = X[["age", "children"]]
BAD_PREPARES = [
    (
        make_column_transformer((SimpleImputer(), list(PAIR))).fit(X),
        "`prepare` must have `inverse_transform`",
    ),
    (StandardScaler(), "`prepare` cannot be fitted to `X`: "),
    (StandardScaler().fit(PAIR.fillna(40)), "`prepare` cannot transform `X`"),
]


@mark.parametrize("prepare, message", BAD_PREPARES)
def test_transformers_that_do_not_serve(prepare, message):
    with raises(ValueError, match=message):
        map_of(PIPE, X, y, prepare=prepare)


def test_uneven_units_of_what_is_prepared_are_told_by_name():
    salaries = 1e6 * FILLED[:, 1]
    salary = pd.DataFrame({"age": FILLED[:, 0], "salary": salaries})
    passed_through = make_column_transformer(("passthrough", ["age", "salary"]))
    model = make_pipeline(
        passed_through, RandomForestClassifier(5, random_state=0)
    ).fit(salary, y)
    with warns(
        UserWarning,
        match='"passthrough__salary" has about .* deviation of "passthrough__age"',
    ):
        map_of(model, salary.astype({"age": object}), y, prepare=model[:-1])


# ---------------------------------------------------------------- new samples unlike
# those of the map
def blobs():
    """Samples of two classes, the same standardised, and the classes."""
    rng = default_rng(0)
    kinds = np.repeat(["a", "b"], 100)
    shift = 3 * (kinds == "b")[:, None] * [1, 0, 0]
    raw = rng.normal(size=(200, 3)) + shift
    raw = raw * [20, 1, 5] + [500, 60, 90]
    return raw, StandardScaler().fit(raw[::2]).transform(raw), kinds


RAW, SCALED, KINDS = blobs()


@mark.filterwarnings("error")
def test_samples_without_scaling_warn():
    model = LogisticRegression().fit(SCALED[::2], KINDS[::2])
    view = map_of(model, SCALED[::2], KINDS[::2])
    new = SCALED[1::2]
    kinds = KINDS[1::2]
    assert view.score(new, kinds).labels > 0.8
    view.score(new * 1.2)
    message = "^`X`: 100 of 100 samples are outside the range of .* agreement is unreliable"
    with warns(UserWarning, match=message):
        view.display(new=(RAW[1::2], kinds))


@mark.filterwarnings("error")
@mark.parametrize("unit", [1e-90, 1.0, 1e90])
def test_all_samples_of_a_regression_may_be_new(unit):
    A = SCALED * unit  # the samples that were mapped
    model = Ridge().fit(A, SCALED[:, 0])
    view = map_of(model, A, SCALED[:, 0])
    view.score(A)
    with warns(UserWarning, match="200 of 200 samples are outside"):
        view.score(A * 1e3 + 30 * unit)
