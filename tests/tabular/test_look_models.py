"""Models of the user's own in a look: fitted or not, on raw rows, from a file, and those that are refused."""

from types import SimpleNamespace

import numpy as np
from pytest import approx, mark, raises
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from small_tables import quiet, table_of, with_separation

from toolkit.tabular.evidence import Conclusion
from toolkit.tabular.models import calibration_table, class_table
from toolkit.tabular.targets import task_of

pytestmark = mark.usefixtures("quick")


def mixed_table():
    """A table with gaps and a category, as pandas has it, and its features."""
    frame = table_of()
    frame.loc[::9, "u"] = np.nan
    frame["hue"] = frame["hue"].astype("category")
    return frame, frame.drop(columns="kind")


def check_error(look_result, model, X, y):
    """The look's only model errs at held-out rows as this one does; returns it."""
    (model_view,) = look_result.models_
    rows = look_result.held_out
    assert model_view.error == approx(
        np.mean(model.predict(X.iloc[rows]) != y.iloc[rows])
    )
    return model_view


def test_a_fitted_pipeline_is_asked_about_raw_rows():
    frame, X = mixed_table()
    words = OneHotEncoder(handle_unknown="ignore")
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = make_column_transformer((numbers, ["u", "v"]), (words, ["hue"]))
    model = make_pipeline(columns, LogisticRegression()).fit(X, frame["kind"])
    look_result = quiet(frame, "kind", model=model)
    message = check_error(look_result, model, X, frame["kind"])
    assert not message.is_held_out and message.name == "LogisticRegression"
    assert look_result.decision_map_ is message.decision_map


def test_an_unfitted_boosting_learns_gaps_and_categories_from_the_fitted_rows_only():
    frame, X = mixed_table()
    y = frame["kind"]
    options = {
        "max_iter": 20,
        "categorical_features": "from_dtype",
        "random_state": 0,
    }
    model = HistGradientBoostingClassifier(**options)
    look_result = quiet(frame, "kind", model=model)
    fitted_model = clone(model).fit(
        X.iloc[look_result.fitted], y.iloc[look_result.fitted]
    )
    assert check_error(look_result, fitted_model, X, y).is_held_out
    assert not hasattr(model, "classes_"), (
        "the user's own object stays as it was"
    )


def test_columns_are_relevant_for_a_model_of_ones_own():
    """Fitted anew to raw columns; where a part of the rows lacks a category, as before."""
    frame, X = mixed_table()
    words = make_column_transformer(
        (OneHotEncoder(), ["hue"]), (SimpleImputer(), ["u", "v"])
    )
    model = make_pipeline(words, LogisticRegression()).fit(X, frame["kind"])
    look_result = with_separation(quiet(frame, "kind", model=model))
    assert look_result.bounds_.model == "LogisticRegression"
    assert look_result.bounds_.of("strongly relevant") == ["u"]
    assert "error of the LogisticRegression with the column permuted" in (
        look_result.list_columns().frame
    )
    # The pipeline drops w: no score grows.
    assert (
        look_result.bounds_.p_values[look_result.bounds_.names.index("w")] == 1
    )
    frame["hue"] = frame["hue"].astype(object)
    frame.loc[look_result.fitted[0], "hue"] = "blue"
    other = with_separation(quiet(frame, "kind", model=clone(model)))
    assert other.bounds_.model == other.separation_.best
    note = other.table_.notes[-1]
    assert note.startswith("`model`, fitted to a part of the rows, cannot")
    assert f"measured with the {other.separation_.best}." in note


def test_errors_of_each_class_are_those_of_the_confusion_matrix():
    rng = np.random.default_rng(0)
    names = np.array(list("abcd"))
    y = rng.choice(names, 200, p=[0.6, 0.2, 0.15, 0.05])
    predicted = np.where(rng.random(200) < 0.7, y, rng.choice(["a", "b"], 200))
    predicted[y == "d"] = "b"
    table = class_table(y, predicted)
    # the diagonal has the right predictions
    predicted_as = [f"predicted {name}" for name in table.index]
    assert list(table.columns[-4:]) == predicted_as
    assert list(table)[2:] == [f"predicted {name}" for name in names]
    counts = confusion_matrix(y, predicted)
    for name, row, n_right in zip(names, counts, np.diag(counts), strict=True):
        n = row.sum()
        cells = [f"{count} ({100 * count / n:.0f} %)" for count in row]
        accuracy = f"{100 * n_right / n:.0f} %"
        assert table.loc[name].tolist() == [n, accuracy, *cells]
    # of many classes the most frequent confusion
    table_of_many = class_table(np.arange(24) % 12, np.arange(24) // 2)
    assert table_of_many.columns[
        -1
    ] == "most often confused with" and table_of_many.shape == (12, 3)


def test_calibration_of_the_rarest_class_by_hand():
    rng = np.random.default_rng(0)
    p = rng.permutation(500) / 500
    y = np.where(rng.random(500) < p / 2, "rare", "usual")
    P = np.column_stack([p, 1 - p])
    task = task_of("classes", y)
    calibration = calibration_table(task, P, np.unique(y), np.arange(500))
    assert (
        calibration.index.name == "rare"
        and calibration["rows"].tolist() == [100] * 5
    )
    np.testing.assert_allclose(
        calibration["predicted"], np.arange(5) / 5 + 0.099
    )
    fifths = (y == "rare")[np.argsort(p)].reshape(5, 100).mean(axis=1)
    assert calibration["observed"].tolist() == fifths.tolist()
    assert all(calibration["from"] < fifths) and all(fifths < calibration["to"])


def test_a_look_lists_the_classes_at_held_out_rows():
    frame = table_of().drop(columns="hue")
    frame.loc[::20, "kind"] = "rare"  # where nothing tells them from the others
    look_result = quiet(frame, "kind", model=LogisticRegression())
    found = look_result.models_[0].by_class
    truth = frame["kind"].iloc[look_result.held_out]
    assert found["rows"].to_dict() == truth.value_counts().to_dict()
    assert found["accuracy"]["rare"] == "0 %"
    # the table is of the model that the sentences name
    shown = look_result.show_models()
    assert all("ogisticRegression" in said for said in shown.sentences)
    assert shown.frame is found
    # a value has no classes
    assert quiet(frame[["u", "v"]], "v").show_models().frame is None


def concluded(conclusion, is_judged):
    return SimpleNamespace(
        conclusion=conclusion, leading=None, is_judged=lambda _: is_judged
    )


def test_a_calibration_curve_where_only_probabilities_are_better():
    look_result = quiet(table_of(), "kind")
    other_conclusions = (
        (Conclusion.IN_DECISIONS, True),
        (Conclusion.IN_PROBABILITIES, False),
    )
    for conclusion, is_judged in other_conclusions:
        vars(look_result)["separation_"] = concluded(conclusion, is_judged)
        assert look_result.show_calibration().frame is None
    vars(look_result)["separation_"] = concluded(
        Conclusion.IN_PROBABILITIES, True
    )
    picture = look_result.show_calibration()
    first = next(m for m in look_result.models_ if m.calibration is not None)
    assert picture.below.startswith(
        f"{first.name}, {len(look_result.held_out)} held-out"
    )
    drawn = picture.figure_.axes[0].lines[0].get_xydata()
    assert (
        drawn.tolist()
        == first.calibration[["predicted", "observed"]].values.tolist()
    )


def test_best_and_worst_model_are_those_of_the_numbers():
    look_result = quiet(table_of(), "kind")
    sentence = look_result.show_models().sentences[0]
    errors = {model.name: model.error for model in look_result.models_}
    assert sentence.lower().startswith(min(errors, key=errors.get).lower())
    name_of_worst = sentence.partition("; that of the ")[2].partition(
        " is the largest"
    )[0]
    assert errors[name_of_worst] == max(errors.values())
    # the pair that is compared is the pair that is named
    best = look_result.models_[0]
    last = look_result.models_[-1]
    excess, (low, high) = last.excess
    assert excess == last.error - best.error and low < excess < high
    assert last.task.difference_phrase(excess, (low, high)) in sentence
    assert sentence.endswith("the order may be chance.") == (low <= 0)


@mark.parametrize("fitted", [False, True])
@mark.parametrize("kind", ["array", "dict", "frame"])
def test_models_of_arrays_and_of_classes_that_are_numbers(kind, fitted):
    frame = table_of()
    y = (frame["kind"] == "ripe").to_numpy().astype(int)
    # constant: no feature of the map, but the model was fitted to it
    X = frame[["u", "v"]].assign(one=1.0)
    columns = make_column_transformer((StandardScaler(), ["u", "v"]))
    model = make_pipeline(columns, LogisticRegression())
    data = X.assign(y=y)
    if kind == "array":
        model = LogisticRegression()
        data = X = X.to_numpy()
    elif kind == "dict":
        data = dict(data)
    target = y if kind == "array" else "y"
    look_result = quiet(
        data, target, model=model.fit(X, y) if fitted else model
    )
    assert (
        look_result.models_[0].error < 0.2
        and look_result.models_[0].is_held_out is not fitted
    )


def test_a_map_of_ones_own_is_in_place_of_the_supervised_one(tmp_path):
    frame = table_of(n=60)
    mine = NeighborhoodComponentsAnalysis(2, random_state=0)
    file = tmp_path / "maps.py"
    file.write_text(f"from sklearn.neighbors import *\nmine = {mine}")
    look_result = quiet(frame, "kind", map=mine)
    X = look_result.data.X
    fitted = look_result.fitted
    fitted_map = clone(mine).fit(X[fitted], look_result.task.y[fitted])
    maps = look_result.map_
    rows = maps.supervised.rows
    np.testing.assert_allclose(maps.supervised.Z, fitted_map.transform(X[rows]))
    assert maps.method == "NeighborhoodComponentsAnalysis"
    assert not hasattr(mine, "components_")
    other = quiet(frame, "kind", map=f"{file}:mine").map_
    assert other.supervised.error == maps.supervised.error
    with raises(ValueError, match="`map` must have `fit` and `transform`"):
        quiet(frame, "kind", map=LOGISTIC)


class WholeNumbers(LogisticRegression):
    """Takes 0, 1, ... as classes, as boosted trees and nets do."""

    def __init__(self, columns=None):
        self.columns = columns and list(columns)  # no clone has the same
        super().__init__()

    def fit(self, X, y):
        if max(y) + 1 != len(set(y)):
            raise ValueError("classes must be 0, 1, ...")
        return super().fit(X, y)


@mark.parametrize(
    "names", [[0, 1], ["0", "1"], [2, 5], [False, True], ["raw", "ripe"]]
)
def test_models_of_whole_numbers(names):
    X = NUMBERS[["u", "v"]]
    ripe = NUMBERS["kind"] == "ripe"
    data = X.assign(kind=np.where(ripe, *names[::-1]))
    look_result = quiet(data, "kind", model=WholeNumbers())
    fitted_model = LogisticRegression().fit(
        X.iloc[look_result.fitted], ripe[look_result.fitted]
    )
    message = check_error(look_result, fitted_model, X, ripe)
    classes = message.decision_map.classes_
    assert message.name == "WholeNumbers"
    assert classes.astype(str).tolist() == list(map(str, names))
    noted = any("whole numbers" in note for note in look_result.table_.notes)
    assert noted == (names[0] in (2, "raw"))


@mark.filterwarnings("ignore:`model` has no predict_proba")
def test_votes_without_probabilities():
    votes = [("a", LogisticRegression()), ("b", LinearSVC())]
    look_result = quiet(NUMBERS, "kind", model=VotingClassifier(votes))
    assert look_result.models_[0].error < 0.2
    assert look_result.decision_map_.certainty_ is None


class Fails(LogisticRegression):
    """Fails at rows with u above 1.5."""

    def predict(self, X):
        if (np.asarray(X["u"]) > 1.5).any():
            raise RuntimeError("u is too large\nfor me")
        return super().predict(X)


def test_a_model_that_fails_is_refused_with_its_message_and_the_row():
    frame = table_of().drop(columns="hue")
    held_out = quiet(frame, "kind").held_out
    row = next(row for row in held_out if frame["u"][row] > 1.5) + 1
    says = rf"first at row {row}: RuntimeError: u is too large for me$"
    with raises(ValueError, match=says):
        quiet(frame, "kind", model=Fails())


class Duck:
    """Not of scikit-learn's kind."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return ["raw"] * len(X)


FRAME = table_of()
NUMBERS = FRAME.drop(columns="hue")
LOGISTIC = LogisticRegression()


@mark.parametrize(
    ("data", "target", "model", "says"),
    [
        (FRAME, "kind", LinearRegression(), "must be a classifier, as the target holds classes; got LinearRegression"),
        (FRAME, "u", LOGISTIC, "must be a regressor, as the target holds numbers"),
        (FRAME, "kind", LogisticRegression, "must be a classifier, as"),
        (FRAME, "kind", Duck(), "got .*Duck.*BaseEstimator"),
        (FRAME, "kind", LOGISTIC, "cannot be fitted to the columns .*ValueError: .*could not convert string to float"),
        (FRAME, "kind", "model.txt", "'file.py:name'"),
        (FRAME, "kind", "nowhere.py:model", "cannot be imported from nowhere.py: FileNotFoundError"),
        (NUMBERS.drop(columns="v"), "kind", clone(LOGISTIC).fit(FRAME[["u", "v"]], FRAME["kind"]),
            "columns that `data` has not: v. Add them"),
        (NUMBERS, "kind", clone(LOGISTIC).fit(NUMBERS[["u", "v"]], NUMBERS["u"] > 0),
            r"`target` must be classes that `model` was fitted to, \[False, True\]; got \['raw', 'ripe'\]"),
        (NUMBERS, "kind", WholeNumbers(["u"]), "Fit it first, and give the fitted model"),
        (NUMBERS, "v", LinearRegression().fit(NUMBERS[["u"]], NUMBERS[["u", "v"]]), "must be a model of one output"),
    ],
)  # fmt: skip
def test_models_that_are_refused(data, target, model, says):
    with raises(ValueError, match=says) as caught:
        quiet(data, target, model=model)
    assert "\n" not in str(caught.value)


def test_a_file_without_the_model_is_refused(tmp_path):
    (tmp_path / "mine.py").write_text("other = 1", encoding="utf-8")
    with raises(ValueError, match="there is no 'model' in it"):
        quiet(FRAME, "kind", model=f"{tmp_path / 'mine.py'}:model")
