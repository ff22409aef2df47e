"""Models of other libraries: forms of their answers, dtypes, codes, samplers."""

import numpy as np
import pandas as pd
from numpy.random import default_rng
from numpy.testing import assert_array_equal
from pytest import mark, raises, warns
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

from toolkit.decisionmap import DecisionMap, MixedColumns

rng = default_rng(3)
KINDS = np.repeat(["oak", "ash", "elm"], 25)
X = rng.normal(size=(75, 3)) + 2 * (KINDS[:, None] == ["oak", "ash", "elm"])
TABLE = pd.DataFrame(X, columns=["height", "girth", "age"])
LOGISTIC = LogisticRegression().fit(X, KINDS)


def map_of(model, X, y=KINDS, **options):
    options = {"embedder": PCA(2), "grid": 14, "cv": 3} | options
    return DecisionMap.from_estimator(model, X, y, **options)


class Foreign(ClassifierMixin, BaseEstimator):
    """Logistic regression that answers in another form."""

    def __init__(
        self, answer=np.asarray, classes=np.asarray, scores=np.asarray
    ):
        self.answer = answer
        self.classes = classes
        self.scores = scores

    def fit(self, X, y):
        self.own_ = LogisticRegression().fit(X, y)
        self.classes_ = self.classes(self.own_.classes_)
        return self

    def predict(self, X):
        return self.answer(self.own_.predict(X))

    def predict_proba(self, X):
        return self.scores(self.own_.predict_proba(X))


def column(a):
    return np.array(a, dtype=object)[:, None]


@mark.filterwarnings("error")
@mark.parametrize(
    "forms",
    [
        {"answer": column},
        {"answer": list, "classes": list},
        {"answer": pd.Series, "classes": column},
        {"answer": pd.DataFrame, "scores": pd.DataFrame},
        {"answer": column, "classes": lambda c: [c], "scores": lambda P: [P]},
    ],
)
def test_answers_in_any_form_of_one_output(forms):
    view = map_of(Foreign(**forms).fit(X, KINDS), X)
    plain = map_of(LOGISTIC, X)
    for name in ("predicted_", "grid_values_", "grid_certainty_", "classes_"):
        assert_array_equal(getattr(view, name), getattr(plain, name))


PAIRS = np.column_stack([KINDS == "oak", KINDS == "ash"]).astype(int)


@mark.parametrize(
    "model",
    [
        MultiOutputClassifier(LogisticRegression()),
        LinearRegression(),
        KNeighborsClassifier(),
    ],
)
def test_several_outputs_are_refused_and_a_column_is_none(model):
    map_of(LinearRegression().fit(X, X[:, :1]), X, X[:, :1])
    with raises(ValueError, match="`model` must be a model of one output"):
        map_of(model.fit(X, PAIRS), X, None)


class Single(Foreign):
    """Takes single precision only, as nets do."""

    def predict(self, X):
        assert np.asarray(X).dtype == np.float32
        return super().predict(X)


@mark.parametrize("kind", [np.asarray, pd.DataFrame])
@mark.parametrize("prepare", [None, StandardScaler(), MixedColumns()])
def test_single_precision_stays_single(kind, prepare):
    table = kind(X.astype("float32"))
    model = Single().fit(table, KINDS)
    view = map_of(model, table, prepare=prepare)
    assert view.with_model(model).score(table).labels > 0.6


# ---------------------------------------------------------------- codes
WARDS = np.array([1, 3, 10])[rng.integers(0, 3, 75)]


def encoded(encoder, key):
    return make_pipeline(
        make_column_transformer((encoder, [key]), remainder="passthrough"),
        LogisticRegression(),
    )


@mark.parametrize("encoder", [OneHotEncoder(), OrdinalEncoder()])
@mark.parametrize("codes", [WARDS, -WARDS, WARDS / 4])
@mark.parametrize("kind", ["float64", "float32", "array", "rows"])
def test_the_nearest_code_that_a_sample_has(encoder, codes, kind):
    table = TABLE.assign(ward=codes)
    key = "ward"
    prepare = None
    if kind == "rows":
        table["ward"] = table["ward"].astype(object)
        prepare = MixedColumns()
    elif kind == "array":
        table = table.to_numpy()
        key = 3
    else:
        table = table.astype(kind)
    model = encoded(encoder, key).fit(table, KINDS)
    with warns(
        UserWarning, match=rf"numbers .* \['?{key}'?\]: at \d+ % of the grid"
    ):
        view = map_of(model, table, prepare=prepare)
    points = view._view.grid_samples
    if prepare:
        points = view.prepare_.inverse_transform(points).to_numpy()
    codes_of_samples = np.unique(codes)
    gaps = np.abs(points[:, 3:] - codes_of_samples)
    points[:, 3] = codes_of_samples[gaps.astype(float).argmin(axis=1)]
    rows = points if key == 3 else pd.DataFrame(points, columns=table.columns)
    assert_array_equal(view.grid_values_.ravel(), model.predict(rows))


# ---------------------------------------------------------------- samplers
class Sampler(BaseEstimator):
    """Has a part in `fit` alone, as those of imbalanced-learn."""

    def fit_resample(self, X, y):
        return X, y


class SamplingPipeline(Pipeline):
    """Passes over samplers; without `transform` where the last step is one."""

    def plain(self):
        steps = [s for s in self.steps if not isinstance(s[1], Sampler)]
        return Pipeline(steps)

    def fit(self, X, y):
        self.plain().fit(X, y)
        return self

    def predict(self, X):
        return self.plain().predict(X)


WORDS = make_column_transformer(
    (OneHotEncoder(), ["site"]), ("passthrough", [0])
)


@mark.parametrize("place", range(3))
@mark.parametrize("rows", [X, TABLE.assign(site=KINDS)], ids=["points", "rows"])
def test_samplers_have_no_part_in_predictions(place, rows):
    steps = [StandardScaler() if rows is X else WORDS, PCA(2), SVC()]
    steps.insert(place, Sampler())
    model = SamplingPipeline(list(zip("abcd", steps, strict=True)))
    view = map_of(model.fit(rows, KINDS), rows)
    expected = map_of(model.plain(), rows)
    assert_array_equal(view.grid_certainty_, expected.grid_certainty_)
