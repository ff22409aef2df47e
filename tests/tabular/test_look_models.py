"""Models of the user's own in a look: fitted or not, on raw rows, from a file, and those that are refused."""

import numpy as np
from pytest import approx, mark, raises
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import confusion_matrix, recall_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from small_tables import quiet, table_of

from toolkit.tabular.models import class_table

pytestmark = mark.usefixtures("quick")


def mixed():
    """A table with gaps and a category, as pandas has it, and its features."""
    frame = table_of()
    frame.loc[::9, "u"] = np.nan
    frame["hue"] = frame["hue"].astype("category")
    return frame, frame.drop(columns="kind")


def pipeline():
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = [
        ("numbers", numbers, ["u", "v"]),
        ("words", OneHotEncoder(handle_unknown="ignore"), ["hue"]),
    ]
    return make_pipeline(ColumnTransformer(columns), LogisticRegression())


def error(model, X, y, rows):
    return np.mean(model.predict(X.iloc[rows]) != y.iloc[rows])


def test_a_fitted_pipeline_is_asked_about_raw_rows():
    frame, X = mixed()
    model = pipeline().fit(X, frame["kind"])
    one = quiet(frame, "kind", model=model)
    (found,) = one.models_
    assert not found.is_held_out and found.name == "LogisticRegression"
    assert found.error == approx(error(model, X, frame["kind"], one._held_out))
    assert one.decision_map_ is found.decision_map


def test_an_unfitted_boosting_learns_gaps_and_categories_from_the_fitted_rows_only():
    frame, X = mixed()
    model = HistGradientBoostingClassifier(
        max_iter=20, categorical_features="from_dtype", random_state=0
    )
    one = quiet(frame, "kind", model=model)
    (found,) = one.models_
    own = clone(model).fit(X.iloc[one._fitted], frame["kind"].iloc[one._fitted])
    assert found.is_held_out and found.error == approx(
        error(own, X, frame["kind"], one._held_out)
    )
    assert not hasattr(model, "classes_"), "the user's own object stays as it was"


def test_errors_of_each_class_are_those_of_the_confusion_matrix():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c", "d"], 200, p=[0.6, 0.2, 0.15, 0.05])
    predicted = np.where(rng.random(200) < 0.7, y, rng.choice(["a", "b"], 200))
    predicted[y == "d"] = "b"
    found = class_table(y, predicted).set_index("class").loc[list("abcd")]
    counts = confusion_matrix(y, predicted)
    assert found["rows"].tolist() == counts.sum(axis=1).tolist()
    assert found["right"].tolist() == np.diag(counts).tolist()
    np.testing.assert_allclose(
        found["fraction right"], recall_score(y, predicted, average=None), atol=5e-4
    )
    wrong = counts - np.diag(np.diag(counts))
    assert found["taken for"].tolist() == [
        list("abcd")[j] for j in wrong.argmax(axis=1)
    ]
    assert class_table(y, predicted)["class"][0] == "d"  # the worst comes first


def test_a_look_lists_the_classes_at_held_out_rows():
    frame = table_of()
    frame.loc[::20, "kind"] = "rare"  # where nothing tells them from the others
    model = LogisticRegression()
    one = quiet(frame.drop(columns="hue"), "kind", model=model)
    found = one.models_[0].by_class
    truth = frame["kind"].iloc[one._held_out]
    assert (
        dict(zip(found["class"], found["rows"], strict=True))
        == truth.value_counts().to_dict()
    )
    assert 1 - found["right"].sum() / len(truth) == approx(one.models_[0].error)
    said = one.list_classes()
    assert (
        "held-out rows of each class" in said.sentences[0]
        and said.sentences[1] == "Never right: rare."
    )
    # a value has no classes
    assert quiet(frame[["u", "v"]], "v").list_classes().sentences == []


@mark.parametrize("fitted", [False, True])
@mark.parametrize("kind", ["array", "dict", "frame of numbers"])
def test_models_of_arrays_and_of_classes_that_are_numbers(kind, fitted):
    frame = table_of()
    y = (frame["kind"] == "ripe").to_numpy().astype(int)
    # constant: no feature of the map, but the model was told of it
    X = frame[["u", "v"]].assign(one=1.0)
    model = make_pipeline(
        ColumnTransformer([("n", StandardScaler(), ["u", "v"])]), LogisticRegression()
    )
    data, target = X.assign(y=y), "y"
    if kind == "array":
        model, X, target = LogisticRegression(), X.to_numpy(), y
        data = X
    elif kind == "dict":
        data = {name: data[name].to_numpy() for name in data}
    one = quiet(data, target, model=model.fit(X, y) if fitted else model)
    assert one.models_[0].error < 0.2 and one.models_[0].is_held_out is not fitted


class Fails(LogisticRegression):
    """Fails at rows with u above 1.5."""

    def predict(self, X):
        if (np.asarray(X["u"]) > 1.5).any():
            raise RuntimeError("u is too large\nfor me")
        return super().predict(X)


def test_a_model_that_fails_is_refused_with_its_message_and_the_row():
    frame = table_of().drop(columns="hue")
    one = quiet(frame, "kind")
    first = next(row for row in one._held_out if frame["u"][row] > 1.5)
    with raises(
        ValueError,
        match=rf"first at row {first + 1}: RuntimeError: u is too large for me$",
    ):
        quiet(frame, "kind", model=Fails())


class Duck:
    """Not of scikit-learn's kind."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return ["raw"] * len(X)


@mark.parametrize(
    ("model", "says"),
    [
        (
            LinearRegression(),
            "must be a classifier, as the target holds classes; got LinearRegression",
        ),
        (LogisticRegression, "with `fit` and `predict`"),
        (Duck(), "derives from its BaseEstimator; got Duck"),
        (
            LogisticRegression(),
            "cannot be fitted to the table: ValueError: .*could not convert string to float",
        ),
        ("model.txt", "'file.py:name'"),
        ("nowhere.py:model", "cannot be imported from nowhere.py: FileNotFoundError"),
    ],
)
def test_models_that_are_refused(model, says):
    with raises(ValueError, match=says) as caught:
        quiet(table_of(), "kind", model=model)
    assert "\n" not in str(caught.value)


def test_a_classifier_for_a_value_and_columns_that_are_not_there_are_refused():
    frame = table_of()
    with raises(ValueError, match="must be a regressor, as the target holds numbers"):
        quiet(frame, "u", model=LogisticRegression())
    model = LogisticRegression().fit(frame[["u", "v"]], frame["kind"])
    with raises(ValueError, match="columns that `data` has not: v. Add them"):
        quiet(frame.drop(columns="v"), "kind", model=model)


@mark.parametrize(
    ("code", "says"),
    [
        ("model = 1 / 0", "cannot be imported .*ZeroDivisionError"),
        ("other = 1", "there is no 'model' in it"),
        ("model = 5", "with `fit` and `predict`; got 5"),
    ],
)
def test_files_with_models_that_are_refused(tmp_path, code, says):
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    with raises(ValueError, match=says):
        quiet(table_of(), "kind", model=f"{tmp_path / 'mine.py'}:model")
