"""Decision maps of models that take raw tables: pipelines with encoders, trees with gaps."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

from toolkit.decisionmap import DecisionMap, MixedColumns
from toolkit.embed import MDS
from toolkit.lvq import GMLVQ

FIELDS = ("grid_values_", "grid_certainty_", "embedding_", "predicted_", "certainty_", "misrepresented_")


@pytest.fixture(scope="module")
def people():
    """A table as people have it, gaps and a shuffled index included, and a class that depends on three columns."""
    rng, n = np.random.default_rng(0), 90
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "children": rng.integers(0, 6, n),
            "city": rng.choice(["Bern", "Oslo", "Rome"], n),
            "member": rng.random(n) > 0.5,
        },
        index=rng.permutation(n) * 1.5,
    )
    X["size"] = pd.Categorical(rng.choice(["small", "large"], n), categories=["none", "large", "small"])
    X["visits"] = pd.array(rng.integers(0, 50, n), dtype="Int16")
    y = np.where((X["city"] == "Rome") | (X["age"] > 45) & X["member"], "stays", "goes")
    X.loc[X.index[::7], "age"] = np.nan
    X.loc[X.index[::11], "city"] = None
    X.loc[X.index[::13], "visits"] = pd.NA
    return X, y


def encoder():
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_column_transformer(
        (numbers, ["age", "children"]), (OneHotEncoder(handle_unknown="ignore"), ["city", "member", "size"])
    )


@pytest.fixture(scope="module")
def pipe(people):
    return make_pipeline(encoder(), LogisticRegression()).fit(*people)


def boosted(X, y):
    X = X.assign(city=X["city"].astype("category"))
    return HistGradientBoostingClassifier(max_iter=15, categorical_features="from_dtype").fit(X, y), X


@pytest.fixture(scope="module", params=["pipeline", "rows"])
def seen(request, people, pipe):
    """A map of a pipeline or of a model of rows, and its table."""
    X, y = people
    model, X = (pipe, X) if request.param == "pipeline" else boosted(X, y)
    return shown(model, X, y), X, y


def shown(model, X, y=None, **options):
    return DecisionMap.from_estimator(model, X, y, **({"embedder": PCA(2), "grid": 12, "cv": 3} | options))


# ---------------------------------------------------------------- pipelines
@pytest.mark.parametrize("last", [RandomForestClassifier(9, random_state=0), SVC(), LogisticRegression()], ids=repr)
def test_a_pipeline_is_its_last_step_on_transformed_columns(people, last):
    X, y = people
    pipe = make_pipeline(encoder(), clone(last)).fit(X, y)
    whole = shown(pipe, X, y)
    by_hand = shown(pipe[-1], pipe[:-1].transform(X), y)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(whole, name), getattr(by_hand, name))
    np.testing.assert_array_equal(whole.predicted_, pipe.predict(X))
    assert whole.held_out_.labels == by_hand.held_out_.labels and whole.model_score_ == pipe.score(X, y)
    assert whole.model_ is pipe and by_hand.prepare_ is None
    assert whole.score(X[::2], y[::2]) == by_hand.score(pipe[:-1].transform(X[::2]), y[::2])
    np.testing.assert_array_equal(whole.project(X.iloc[:5]), by_hand.project(pipe[:-1].transform(X.iloc[:5])))
    np.testing.assert_array_equal(whole.round_trip(), by_hand.round_trip())
    assert whole.plot(new=(X[::2], y[::2])).misrepresented.shape == (45,)


def test_searches_text_and_regressors(people):
    X, y = people
    pipe = make_pipeline(encoder(), LogisticRegression(C=0.5))
    search = GridSearchCV(pipe, {"logisticregression__C": [0.5]}, cv=2).fit(X, y)
    np.testing.assert_array_equal(shown(search, X, y).grid_values_, shown(pipe.fit(X, y), X, y).grid_values_)
    words = X[["age"]].assign(note=np.where(y == "stays", "happy here", "off we go"), age=X["age"].fillna(40))
    bags = make_column_transformer((CountVectorizer(), "note"), (StandardScaler(), ["age"]))
    assert shown(make_pipeline(bags, LogisticRegression()).fit(words, y), words, y).model_score_ == 1  # sparse inside
    ridge = make_pipeline(encoder(), Ridge()).fit(X, X["children"])
    target = shown(ridge, X, X["children"])
    np.testing.assert_allclose(target.predicted_, ridge.predict(X))
    assert target.classes_ is None and target.prediction_correlation_ > 0.5


@pytest.mark.parametrize("auxiliary", ["truth", "model"])
def test_fisher_metrics_and_supervised_maps_of_raw_tables(people, pipe, auxiliary):
    X, y = people
    options = {"metric": "fisher", "auxiliary": auxiliary, "embedder": MDS()}
    whole, by_hand = shown(pipe, X, y, **options), shown(pipe[-1], pipe[:-1].transform(X), y, **options)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(whole, name), getattr(by_hand, name))
    model, table = boosted(X, y)
    assert shown(model, table, y, **options).in_sample_.labels > 0.8
    assert shown(pipe, X, y, embedder=GMLVQ(rank=2), auxiliary=auxiliary).embedding_.shape == (90, 2)


def test_the_same_numbers_for_another_model(people, pipe):
    X, y = people
    first = shown(pipe, X, y)
    machine = make_pipeline(encoder(), SVC()).fit(X, y)  # an encoder of its own, which makes the same numbers
    second = first.with_model(machine)
    assert second.model_ is machine
    np.testing.assert_array_equal(second.embedding_, first.embedding_)
    np.testing.assert_array_equal(second.grid_values_, shown(machine, X, y).grid_values_)
    fewer = make_pipeline(make_column_transformer((SimpleImputer(), ["age", "children"])), SVC()).fit(X, y)
    model, table = boosted(X, y)
    for other in (fewer, HistGradientBoostingClassifier(categorical_features=[2, 3, 4]).fit(X.assign(city="Rome"), y)):
        with pytest.raises(ValueError, match="prepare=MixedColumns"):
            first.with_model(other)
    rows = shown(fewer, table, y, prepare=MixedColumns())
    np.testing.assert_array_equal(rows.with_model(model).grid_values_, shown(model, table, y).grid_values_)


# ---------------------------------------------------------------- models that take rows as they are
def test_models_of_gaps_and_categories(people):
    model, X = boosted(*people)
    y = people[1]
    seen = shown(model, X, y)
    assert isinstance(seen.prepare_, MixedColumns)
    np.testing.assert_array_equal(seen.predicted_, model.predict(X))  # gaps stay gaps for the model
    rows = seen.prepare_.inverse_transform(seen._view.grid_samples)
    np.testing.assert_array_equal(seen.grid_values_.ravel(), model.predict(rows))
    again = seen.score(X, y)
    assert again.model_score == model.score(X, y) and 0 < again.labels <= 1
    target = HistGradientBoostingRegressor(max_iter=9, categorical_features="from_dtype").fit(X, X["children"])
    assert shown(target, X, X["children"]).prediction_correlation_ > 0.3


def test_answers_for_gaps_are_those_of_the_row_not_of_the_filled_one():
    x = np.linspace(-1, 1, 60)
    X = np.column_stack([x, np.sin(9 * x)])
    X[::3, 0] = np.nan
    y = np.where(np.isnan(X[:, 0]), "gap", "none")
    model = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5).fit(X, y)
    seen = shown(model, X, y, cv=None)
    assert seen.model_score_ == 1 and (seen.predicted_[::3] == "gap").all()
    assert "gap" not in seen.grid_values_ and seen.misrepresented_[::3].all()  # no point of the plane has a gap
    assert seen.in_sample_.labels == pytest.approx(2 / 3)


def test_steps_that_leave_gaps_are_no_points(people):
    X, y = people[0].drop(columns="visits"), people[1]  # whose gaps are no NaN
    codes = make_column_transformer((OrdinalEncoder(), ["city", "size"]), remainder="passthrough")
    model = make_pipeline(codes, HistGradientBoostingClassifier(max_iter=9)).fit(X, y)
    seen = shown(model, X, y)
    assert isinstance(seen.prepare_, MixedColumns)
    np.testing.assert_array_equal(seen.predicted_, model.predict(X))
    imputed = make_pipeline(SimpleImputer(), SVC()).fit(X[["age", "children"]].to_numpy(), y)
    by_steps = shown(imputed, X[["age", "children"]].to_numpy(), y)  # an array with NaN
    assert by_steps.prepare_.steps == imputed[:-1].steps


# ---------------------------------------------------------------- what is prepared how
def test_prepare_is_taken_as_given(people):
    X, y = people
    pipe = make_pipeline(encoder(), PCA(5), LogisticRegression()).fit(X, y)
    last = shown(pipe, X, y)
    assert last._view.X.shape == (90, 5)
    first = shown(pipe, X, y, prepare=pipe[:1])  # the encoder alone: the rest of the pipeline is asked
    np.testing.assert_array_equal(first._view.X, pipe[0].transform(X))
    np.testing.assert_array_equal(first.grid_values_.ravel(), pipe[1:].predict(first._view.grid_samples))
    same = shown(pipe, X, y, prepare=pipe[0])
    np.testing.assert_array_equal(same.grid_values_, first.grid_values_)
    # numbers, too: a scaler that was never fitted, in front of a model that has none
    numbers = X[["age", "children"]].fillna(40).to_numpy() * [1000, 1]
    tree = RandomForestClassifier(9, random_state=0).fit(numbers, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = shown(tree, numbers, y, prepare=StandardScaler())
    np.testing.assert_allclose(scaled._view.X, StandardScaler().fit_transform(numbers))
    back = scaled.prepare_.inverse_transform(scaled._view.grid_samples)
    np.testing.assert_array_equal(scaled.grid_values_.ravel(), tree.predict(back))
    np.testing.assert_array_equal(scaled.predicted_, tree.predict(numbers))


def test_certainties_by_hand_need_rows(people, pipe):
    X, y = people

    def by_age(rows):
        return np.abs(rows["age"].fillna(40) - 40)

    with pytest.raises(ValueError, match="`certainty` as a function takes rows of `X`.*`prepare=MixedColumns"):
        shown(pipe, X, y, certainty=by_age)
    by_rows = shown(pipe, X, y, certainty=by_age, prepare=MixedColumns())
    np.testing.assert_allclose(by_rows.certainty_, by_age(X))


def test_maps_that_exist_and_samples_that_are_placed(people, pipe):
    X, y = people
    Z = np.random.default_rng(0).normal(size=(90, 2))
    seen = DecisionMap.from_map(pipe, X, Z, y, grid=9, cv=3)
    by_hand = DecisionMap.from_map(pipe[-1], pipe[:-1].transform(X), Z, y, grid=9, cv=3)
    np.testing.assert_array_equal(seen.grid_values_, by_hand.grid_values_)
    some = shown(pipe, X, y, max_samples=40)
    assert len(some.sample_) == 40 and len(some.embedding_) == 90
    np.testing.assert_array_equal(some.predicted_, pipe.predict(X))


def test_maps_of_raw_tables_pickle(seen):
    decision_map, X, y = seen
    again = pickle.loads(pickle.dumps(decision_map))
    assert again.score(X[::2], y[::2]) == decision_map.score(X[::2], y[::2])


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.drop(columns="age"), "age is missing"),
        (lambda X: X[X.columns[::-1]], "got visits in place of age"),
        (lambda X: X.to_numpy(), "a table with the columns of the map's samples; got ndarray"),
    ],
    ids=["missing", "in another order", "without names"],
)
def test_new_rows_must_look_like_the_first(seen, change, message):
    decision_map, X, y = seen
    with pytest.raises(ValueError, match=f"`X` must .*{message}"):
        decision_map.score(change(X))
    with pytest.raises(ValueError, match=rf"`new\[0\]` must .*{message}"):
        decision_map.display(new=(change(X), y))


def test_a_category_that_no_sample_has(people):
    model, X = boosted(*people)
    with pytest.raises(ValueError, match="column 'city' has 'Paris' at row 4"):
        shown(model, X, cv=None).score(X.assign(city=np.where(np.arange(90) == 4, "Paris", "Rome")))


@pytest.mark.parametrize("row", [0, 1, 37, 89])
def test_the_first_row_at_which_a_model_fails(people, row):
    X, y = people
    X = X.assign(city="Rome").reset_index(drop=True)
    X.loc[row, "city"] = "Bern"
    strict = make_column_transformer((OneHotEncoder(), ["city"]), (SimpleImputer(), ["age"]))
    known = X.drop(index=row)
    model = make_pipeline(strict, LogisticRegression()).fit(known, np.delete(y, row))
    with pytest.raises(
        ValueError, match=f"`model` cannot answer for `X`, first at row {row}: Found unknown categories"
    ):
        shown(model, X, y)


def test_numbers_that_a_model_cannot_take(people):
    X, y = people
    plain = SVC().fit(X[["age", "children"]].fillna(40).to_numpy(), y)
    with pytest.raises(ValueError, match="`model` cannot answer for `X`, first at row 0: Input X contains NaN"):
        shown(plain, X[["age", "children"]].to_numpy(), y)
    with pytest.raises(ValueError, match="`X` must be a table of finite real numbers"):  # infinity is no gap
        shown(plain, np.full((90, 2), np.inf), y)


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (
            lambda X: "raw",
            "`prepare` must be .* an object with `get_params`, `fit` and `transform`, or None; got 'raw'",
        ),
        (
            lambda X: make_column_transformer((SimpleImputer(), ["age", "children"])).fit(X),
            "`prepare` must have `inverse_transform`",
        ),
        (lambda X: StandardScaler(), "`prepare` cannot be fitted to `X`: "),
        (lambda X: StandardScaler().fit(X[["age", "children"]].fillna(40)), "`prepare` cannot transform `X`"),
    ],
    ids=["no transformer", "no way back", "not to be fitted", "of other columns"],
)
def test_transformers_that_do_not_serve(people, pipe, prepare, message):
    X, y = people
    with pytest.raises(ValueError, match=message):
        shown(pipe, X, y, prepare=prepare(X))


def test_one_row_is_no_map(people, pipe):
    X, y = people
    with pytest.raises(ValueError, match="minimum of 2"):
        shown(pipe, X.iloc[:1], y[:1], cv=None)


def test_uneven_units_of_what_is_prepared_are_told_by_name(people):
    X, y = people
    salary = X[["age"]].fillna(40).assign(salary=1e6 * X["children"])
    same = make_column_transformer(("passthrough", ["age", "salary"]))
    model = make_pipeline(same, RandomForestClassifier(5, random_state=0)).fit(salary, y)
    with pytest.warns(UserWarning, match='"passthrough__salary" spreads about .* as far as "passthrough__age"'):
        shown(model, salary.assign(age=salary["age"].astype(object)), y, prepare=model[:-1])


# ---------------------------------------------------------------- new samples unlike those of the map
@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 100)
    raw = rng.normal(size=(200, 3)) + 3 * (y == "b")[:, None] * [1, 0, 0]
    raw = raw * [20, 1, 5] + [500, 60, 90]
    scaler = StandardScaler().fit(raw[::2])
    return raw, scaler.transform(raw), y


def test_samples_that_were_not_scaled_are_told(blobs):
    raw, X, y = blobs
    seen = shown(LogisticRegression().fit(X[::2], y[::2]), X[::2], y[::2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert seen.score(X[1::2], y[1::2]).labels > 0.8
        seen.score(X[1:100:2], y[1:100:2])  # of one class, as `y` says
        seen.score(X[1:5:2])  # of one class by chance
        seen.score(X[1::2] * 1.2)
    message = "100 of 100 samples lie outside the range .* `model` gives all 100 samples one class, 'b'"
    with pytest.warns(UserWarning, match=message):
        assert seen.score(raw[1::2]).kappa == 0
    with pytest.warns(UserWarning, match="lie outside the range"):
        seen.display(new=(raw[1::2], y[1::2]))
    with pytest.warns(UserWarning, match="^`X`: `model` gives all 50 samples one class, 'a'. Agreement then says"):
        seen.score(X[1:100:2].clip(max=0))


def test_all_samples_of_a_regression_may_be_new(blobs):
    raw, X, _ = blobs
    seen = shown(Ridge().fit(X, X[:, 0]), X, X[:, 0])
    with pytest.warns(UserWarning, match="200 of 200 samples lie outside"):
        seen.score(raw)
    for unit in (1e-90, 1e90):  # of the samples that were mapped
        far = shown(Ridge().fit(X * unit, X[:, 0]), X * unit, X[:, 0])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            far.score(X * unit)
        with pytest.warns(UserWarning, match="200 of 200 samples lie outside"):
            far.score(X * unit * 1e3 + 30 * unit)
