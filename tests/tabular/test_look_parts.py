"""Parts of a look: known answers, which rows are held out, raw columns as numbers, errors by hand."""

import importlib
import re
import runpy
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
from joblib import parallel_config
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, fixture, mark, param
from scipy.spatial.distance import cdist
from scipy.stats import t
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from small_tables import N, few_permutations, quiet, table_of, with_separation

from toolkit.core import number_phrase, percent
from toolkit.tabular import LinearFisher, RawModel, column_tests, features, maps
from toolkit.tabular.column_tests import refit
from toolkit.tabular.dependence import find_leaks
from toolkit.tabular.evidence import separation
from toolkit.tabular.features import which_features
from toolkit.tabular.richtext import RichText
from toolkit.tabular.rows import prepare_rows
from toolkit.tabular.sections.features import about_features
from toolkit.tabular.sections.maps import about_maps
from toolkit.tabular.sections.models import disagreement
from toolkit.tabular.sections.notes import remarks_on
from toolkit.tabular.sections.summary import verdict
from toolkit.tabular.squares import coordinates
from toolkit.tabular.targets import task_of
from toolkit.validation import Target, Values

pytestmark = mark.usefixtures("quick")

# ---- known answers ----


def numbers(X):
    """A table of numbers alone, prepared."""
    frame = pd.DataFrame(X)
    return prepare_rows(frame, dict.fromkeys(frame, "number"))


def errors_of(data, y, groups=None, n_permutations=1):
    """The separation of classes or values y, or of a look's data and task."""
    if not isinstance(y, Target):
        y = task_of("value" if y.dtype.kind == "f" else "classes", y)
    groups = np.arange(len(data.X)) if groups is None else groups
    with few_permutations(n_permutations):
        return separation(data, y, groups, n_jobs=1)


def errors_in(look_result, n_permutations=1):
    return errors_of(
        look_result.data, look_result.task, look_result.groups, n_permutations
    )


def test_noise_is_no_signal_and_the_words_say_so():
    y, *X = default_rng(0).normal(size=(5, 60))
    separation_of_noise = errors_of(
        numbers(np.transpose(X)), y, n_permutations=19
    )
    assert separation_of_noise.verdict == "not shown"
    low, high = separation_of_noise.interval
    assert (
        low < separation_of_noise.error < high
        and separation_of_noise.baseline == 1
    )
    assert verdict(separation_of_noise, "columns", "y").startswith(
        "No relation between"
    )


def test_a_shuffled_target_loses_what_the_true_one_has():
    frame = table_of()
    mixed = frame.assign(kind=default_rng(1).permutation(frame["kind"]))
    separation_of_true = errors_in(quiet(frame, "kind"), 19)
    other = errors_in(quiet(mixed, "kind"), 19)
    assert (
        separation_of_true.is_signal
        and separation_of_true.p_value == 1 / 20
        and not other.is_signal
    )
    assert separation_of_true.verdict == "better than chance in decisions"
    assert "better than chance: error" in verdict(
        separation_of_true, "columns", "kind"
    )


def test_with_a_leak_permuted_the_error_is_that_of_the_others():
    frame = table_of()
    frame["copy"] = frame.kind == "ripe"
    look_result = quiet(frame[["v", "w", "copy", "kind"]], "kind")
    with few_permutations(1):
        errors = separation(
            look_result.data,
            look_result.task,
            look_result.groups,
            look_result.leaks_,
            n_jobs=1,
        )
    assert errors.error < 0.02 and errors.without_leaks > 0.35
    fits = SimpleNamespace(error=0.1, training_error=0.1, interval=(0, 1))
    notes = [
        note
        for _, note in remarks_on(
            errors,
            dependence=SimpleNamespace(linked={}),
            supervised=fits,
            row_names=None,
            is_declared=True,
        )
    ]
    assert any(note.startswith("With copy permuted the") for note in notes)


@mark.parametrize("target", ["kind", "u"])
def test_a_target_that_is_a_column_too_is_a_leak(target):
    frame = table_of()
    copy = frame.kind == "ripe" if target == "kind" else 3 * frame.u - 1
    task = "classes" if target == "kind" else "value"
    assert list(quiet(frame.assign(copy=copy), target, task=task).leaks_) == [
        "copy"
    ]
    other = frame.assign(copy=copy[::-1].to_numpy())
    assert "copy" not in quiet(other, target).leaks_


def test_a_label_that_is_a_column_too_is_a_leak():
    frame = table_of().drop(columns="kind")
    frame = frame.assign(a=frame.u > 0, b=frame.v > 0, copy=frame.v > 0)
    assert quiet(frame, labels=["a", "b"]).leaks_ == {
        "copy": approx(0, abs=1e-12)
    }


def test_kinds_do_not_depend_on_scale_and_sign_of_columns():
    """All columns are standardised: units (here powers of two) must not matter.

    The order of columns or rows changes the random draws; this does not."""
    frame = table_of(n=80)
    X = frame[["u", "v", "w"]]
    task = task_of("classes", frame["kind"].to_numpy(dtype=str))
    relevances = which_features(numbers(X * 1.0), task, np.arange(80), n_jobs=1)
    other = which_features(
        numbers(X * [4.0, 0.25, 1024.0]), task, np.arange(80), n_jobs=1
    )
    assert (
        relevances.kinds.tolist() == other.kinds.tolist()
        and relevances.kinds[0] == "strongly relevant"
    )
    assert_allclose(relevances.weights.upper, other.weights.upper, rtol=1e-6)
    assert_allclose(relevances.forest.upper, other.forest.upper, rtol=1e-6)


@fixture(scope="module")
def small(tmp_path_factory):
    """A look at a file of 40 rows."""
    path = tmp_path_factory.mktemp("small") / "small.csv"
    table_of(n=40).drop(columns="w").to_csv(path, index=False)
    return with_separation(quiet(path, "kind"))


def test_two_runs_with_one_seed_agree(small):
    file = small.arguments["file"]
    maps = small.map_
    maps_again = quiet(file, "kind").map_
    assert maps.supervised.Z.tolist() == maps_again.supervised.Z.tolist()
    assert (
        maps.choice == maps_again.choice
        and maps.permuted.error == maps_again.permuted.error
    )
    other = quiet(file, "kind", random_state=1)
    assert not np.array_equal(small.held_out, other.held_out)


def run(code, **names):
    """Names that the code leaves; without permutations and noise, which take long."""
    slow = "matter", "print(matter", "found = separation", "print(found"
    lines = [line for line in code.splitlines() if not line.startswith(slow)]
    assert "separation(" in code
    with warnings.catch_warnings(action="ignore"):
        exec("\n".join(lines), names)
    return names


def check_code(one, capsys=None, **names):
    """The code gives the rows and the map of the look, and the score of its model.

    It takes what is public, one level deep; the error of the map is that of a vote of
    five neighbours. Returns the names of the code.
    """
    imports = re.findall(r"^from toolkit\.(\w+) import (.*)$", one.code_, re.M)
    assert imports and one.code_.count("toolkit") == len(imports)
    for module, public in imports:
        module = importlib.import_module(f"toolkit.{module}")
        assert set(public.split(", ")) <= set(module.__all__)
    names = run(one.code_, **names)
    found = one.map_.supervised
    n = found.n_fitted
    Z = found.Z[:n]
    new = found.Z[n:]
    shown = {
        "fitted": one.fitted,
        "held_out": one.held_out,
        "Z": Z,
        "Z_new": new,
    }
    for name, values in shown.items():
        assert names[name].tolist() == values.tolist()
    y = one.task.y[found.rows]
    vote = (
        KNeighborsClassifier if y.dtype.kind == "U" else KNeighborsRegressor
    )(5)
    answers = vote.fit(Z, y[:n]).predict(new)
    held_out = one.task.of(y[n:])
    losses = held_out.losses(answers)
    # of few rows the error is that of folds, and the code has one split
    if not found.is_cross_validated:
        assert found.error == approx(held_out.error(losses))
    if capsys:
        score = float(capsys.readouterr().out.split()[0])
        assert score == approx(1 - one.models_[0].error)
    return names


def test_the_code_gives_the_same_map_and_the_same_errors(small, capsys):
    assert (
        small.show_code().code == small.code_
        and "which_features(" in small.code_
    )
    names = check_code(small, capsys)
    groups = names["table"].groups
    by_hand = errors_of(names["data"], names["task"], groups)
    assert by_hand.errors == small.separation_.errors


def test_the_code_of_test_rows_and_of_labels_runs(tmp_path):
    frame = table_of(n=60).drop(columns=["kind", "hue"])
    frame = frame.assign(a=frame.u > 0, b=frame.v > 0.3)
    old = tmp_path / "old.csv"
    new = tmp_path / "new.csv"
    frame[:40].to_csv(old, index=False)
    frame[40:].to_csv(new, index=False)
    check_code(with_separation(quiet(old, labels=["a", "b"], test=new)))


@mark.parametrize("kind", ["similarities", "distances"])
def test_the_code_of_a_matrix_runs(tmp_path, kind):
    frame = table_of(n=40)
    points = frame[["u", "v", "w"]].to_numpy()
    S = cdist(points, points) if kind == "distances" else points @ points.T
    matrix = tmp_path / "m.csv"
    classes = tmp_path / "classes.csv"
    np.savetxt(matrix, S, delimiter=",")
    classes.write_text("\n".join(frame["kind"]))
    look_result = with_separation(
        quiet(matrix, classes=classes, **{kind: True})
    )
    check_code(look_result)
    assert "which_features(" not in look_result.code_


def test_no_coordinate_of_a_matrix_is_a_suspected_column():
    groups = np.repeat([0, 9], 20)[:, None]
    points = default_rng(0).normal(size=(40, 3)) + groups
    classes = np.repeat(["near", "far"], 20)
    look_result = quiet(cdist(points, points), distances=True, classes=classes)
    errors = with_separation(look_result, 19).separation_
    assert errors.is_signal and errors.leaks == {}


OWN = """
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

columns = make_column_transformer((OneHotEncoder(), ["hue"]), remainder="passthrough")
words = make_pipeline(columns, LogisticRegression())
numbers = LogisticRegression()
"""


@mark.parametrize("name", ["words", param("numbers", marks=mark.slow)])
def test_the_code_of_a_model_of_ones_own_runs(tmp_path, name, capsys):
    """From a file, not fitted; and from Python, fitted already."""
    frame = table_of(n=40)
    if name == "numbers":
        frame = frame.drop(columns="hue")
    path = tmp_path / "t.csv"
    mine = tmp_path / "mine.py"
    frame.to_csv(path, index=False)
    mine.write_text(OWN)
    check_code(
        with_separation(quiet(path, "kind", model=f"{mine}:{name}")), capsys
    )
    model = runpy.run_path(mine)[name].fit(
        frame.drop(columns="kind"), frame["kind"]
    )
    fitted = with_separation(quiet(path, "kind", model=model))
    assert "model =" not in fitted.code_
    check_code(fitted, capsys, model=model)


def test_code_of_an_array_names_the_files_to_be_written(small):
    X = table_of(n=40)[["u", "v", "w"]].to_numpy()
    y = table_of(n=40)["kind"].to_numpy()
    look_result = with_separation(quiet(X, y))
    # any map: only the first lines count here
    look_result.__dict__ |= {"map_": small.map_, "models_": []}
    assert "table = as_table(frame, 'target')\n" in look_result.code_
    code = with_separation(
        quiet(np.corrcoef(X), similarities=True, classes=y)
    ).code_
    assert (
        "table_of_matrix('matrix.csv', 'classes.csv', distances=False)" in code
    )


def test_rows_in_order_are_asked_in_blocks_and_declared_groups_whole():
    """A target that wanders as the columns do: related for rows of the same time only."""
    walk = default_rng(0).normal(size=(3, N)).cumsum(axis=1)
    frame = pd.DataFrame(walk.T, columns=list("abt"))
    one = quiet(frame, "t")
    with few_permutations(19):
        found = one.dependence_
    assert list(found.found) == list(found.error) == ["order"]
    assert found.error["order"] > errors_in(one, 0).error
    order = found.evidence["order"]
    assert order.is_useful == (order.choice.scores.mean() < np.var(walk[2]))
    certain = replace(order, p_values={"shifts of the file": 0.05})
    for useful in True, False:
        one = replace(certain, is_useful=useful)
        assert one.is_significant == useful
    site = np.arange(N) % 8
    frame = table_of().assign(site=site)
    sites = with_separation(quiet(frame, "kind", groups="site"), 1)
    ways = sites.separation_.p_values
    assert list(ways) == ["rows within groups", "groups of like size"]


# ---- which rows are held out ----


def test_rows_of_one_group_are_never_on_both_sides():
    farms = np.arange(N) // 4
    look_result = quiet(table_of().assign(farm=farms), "kind", groups="farm")
    assert "farm" not in look_result.table_.features
    assert not set(farms[look_result.fitted]) & set(farms[look_result.held_out])
    assert sorted([*look_result.fitted, *look_result.held_out]) == list(
        range(N)
    )


def test_given_test_rows_are_exactly_those_held_out():
    frame = table_of()
    # five rows that were fitted are no test
    look_result = quiet(frame[:90], "kind", test=frame[85:])
    assert look_result.fitted.tolist() == list(range(90))
    held_out = look_result.table_.features["u"][look_result.held_out]
    assert held_out.tolist() == frame["u"][90:].tolist()
    assert any(
        "5 of the rows of the test" in note for note in look_result.table_.notes
    )


@mark.parametrize(
    ("groups", "least"),
    [(np.arange(60) % 3, 0), (np.r_[0, 0, np.arange(1, 59)], 2 / 60)],
)
def test_rare_classes_and_few_groups_have_errors(groups, least):
    """A class whose two rows are one group is unknown where these are predicted."""
    data = numbers(table_of(n=60)[["u", "v"]])
    found = errors_of(data, np.repeat(["c", "a"], [2, 58]), groups)
    assert all(least - 1e-12 <= error <= 0.5 for error in found.errors.values())
    assert found.baseline == 2 / 60


SMALL = table_of(n=60)[["u", "v", "kind"]]
EDGES = {
    "most in one class": SMALL.assign(kind=["a"] * 50 + ["b"] * 10),
    "two rows of a class": SMALL.assign(kind=["a"] * 58 + ["b"] * 2),
    "few patterns": (SMALL[["u", "v"]] > 0).assign(kind=SMALL.kind),
    "one column": SMALL[["u", "kind"]],
    "ten rows": SMALL[:10],
}


@mark.parametrize("case", EDGES)
def test_tables_at_the_edge_have_a_map(case):
    """Models answer alike for all rows, or most rows coincide: the map is there."""
    look_result = quiet(EDGES[case], "kind")
    maps = look_result.map_
    for map_of_kind in (maps.supervised, maps.unsupervised, maps.permuted):
        assert np.isfinite(map_of_kind.Z).all() and 0 <= map_of_kind.error <= 1
    assert len(maps.supervised.rows) == len(look_result.fitted) + len(
        look_result.held_out
    )
    assert set(maps.permuted.y) == set(EDGES[case].kind)
    assert (look_result.linear_map_ is None) is (case == "one column")


@mark.parametrize("data", ["u", "uv"])
def test_numbers_at_the_edge_have_code_that_runs(data, tmp_path):
    table_of(n=40)[[*data, "w"]].to_csv(tmp_path / "t.csv", index=False)
    look_result = with_separation(quiet(tmp_path / "t.csv", "w"))
    has_plane = data == "uv"
    assert ("linear_map" in look_result.code_) is has_plane
    assert has_plane or "no plane" in repr(look_result.show_linear_map())
    check_code(look_result)
    assert "TargetDisplay(" in look_result.code_


# ---- labels ----


def test_unlabelled_rows_and_labels_that_no_fitted_row_has():
    frame = table_of(n=80).drop(columns=["kind", "hue"])
    frame = frame.assign(a=frame.u > 0.5, b=frame.v > 0.5)
    # the split does not depend on labels
    row = quiet(frame, labels=["a", "b"]).held_out[0]
    look_result = quiet(
        frame.assign(rare=np.arange(80) == row), labels=["a", "b", "rare"]
    )
    empty = ~frame[["a", "b"]].any(axis=1).to_numpy()
    notes = "\n".join(look_result.table_.notes)
    assert "No row that the maps are fitted to has rare" in notes
    assert (
        f"{empty.sum()} rows without a label are in no map and in none of its errors."
        in notes
    )
    assert look_result.task.names == ["a", "b"]
    assert not empty[[*look_result.fitted, *look_result.held_out]].any()
    errors = errors_in(look_result)
    assert errors.n_rows == 80
    shares = frame[["a", "b"]].mean()
    assert errors.baseline == approx(np.minimum(shares, 1 - shares).mean())


def test_each_label_has_its_rows_base_rate_error_and_area():
    frame = table_of(n=80).drop(columns=["kind", "hue"])
    frame = frame.assign(a=frame.u > 0.5, b=frame.v > 0.5)
    look_result = quiet(frame, labels=["a", "b"])
    separation_of_labels = with_separation(look_result, 19).separation_
    models = look_result.show_models()
    table = models.frame
    predictions = separation_of_labels.choice.predictions
    assert (
        f"in cross-validation of {separation_of_labels.n_rows} rows"
        in models.sentences[0]
    )
    for j, name in enumerate("ab"):
        truth = frame[name].to_numpy()[separation_of_labels.rows]
        share = truth.mean()
        errors = [
            np.mean((predicted[:, j] > 0.5) != truth)
            for predicted in predictions
        ]
        row = table.loc[name]
        assert row["rows with it"] == truth.sum()
        assert row["baseline"] == percent(min(share, 1 - share))
        start = separation_of_labels.task.percent(np.mean(errors))
        assert row["error"].startswith(f"{start} (")
        areas = [
            roc_auc_score(truth, predicted[:, j]) for predicted in predictions
        ]
        area = number_phrase(np.mean(areas), 2)
        assert row["area under ROC"].startswith(f"{area} (")
    # rows that are in no map are counted beside it
    empty = ~frame[["a", "b"]].any(axis=1)
    assert f" {empty.sum()} rows without a label: not drawn." in (
        look_result.explore_map().caption
    )
    measured = look_result.show_summary().frame["measured on"]
    assert "rows in 5 folds (those with a label)" in measured.iloc[2]


# ---- raw columns as numbers ----


def test_numbers_and_dates_with_gaps_have_the_median_and_a_mark():
    days = pd.to_datetime(["2024-05-01", "2024-05-02", "2024-05-06", None])
    for values, kind in (([1.0, 2.0, 6.0, np.nan], "number"), (days, "date")):
        prepared = prepare_rows(pd.DataFrame({"a": values}), {"a": kind})
        assert prepared.names == [
            "a",
            "a missing",
        ] and prepared.parents.tolist() == [0, 0]
        assert prepared.X[:, 1].tolist() == [0, 0, 0, 1]
        # the median is 2
        scaled = (np.array([1, 2, 6, 2]) - 3) / np.std([1, 2, 6])
        assert_allclose(prepared.X[:, 0], scaled)


def test_categories_with_gaps_have_a_category_for_them():
    hues = pd.DataFrame({"hue": ["red", None, "blue", "red"]})
    prepared = prepare_rows(hues, {"hue": "category"})
    assert "hue = missing" in prepared.names
    assert prepared.X.sum(axis=1).tolist() == [1] * 4


def test_coordinates_of_distances_and_similarities_are_those_of_the_points():
    P = default_rng(0).normal(size=(12, 3))
    D = norm(P[:, None] - P, axis=2)
    for X, lost in (coordinates(D, distances=True), coordinates(P @ P.T)):
        assert X.shape == (12, 3) and lost < 1e-12
        assert_allclose(norm(X[:, None] - X, axis=2), D, atol=1e-9)
    # no triangle
    _, lost = coordinates(
        np.array([[0, 1, 5.0], [1, 0, 1], [5, 1, 0]]), distances=True
    )
    assert lost > 0.1


def test_a_column_that_no_other_knows_is_strongly_relevant_and_one_of_twins_weakly():
    """Three independent causes, one of them a text category, and two copies of one."""
    rng = default_rng(0)
    n = 500
    age, dose, twin = rng.normal(size=(3, n))
    smokes = rng.choice(["yes", "no"], n)
    noise = rng.normal(0, 0.7, n)
    score = age + dose + twin + 1.6 * (smokes == "yes") - 0.8 + noise
    frame = pd.DataFrame(
        {"age": age, "dose": dose, "smokes": smokes, "twin": twin}
    )
    frame["other twin"] = twin + rng.normal(0, 0.01, n)
    frame["noise"] = rng.normal(size=n)
    look_result = quiet(
        frame.assign(kind=np.where(score > 0, "ill", "well")), "kind"
    )
    relevances = which_features(
        look_result.data, look_result.task, look_result.groups, n_jobs=1
    )
    assert set(relevances.of("strongly relevant")) == {"age", "dose", "smokes"}
    assert set(relevances.of("weakly relevant")) == {"twin", "other twin"}


def bent(n, d, seed, *other_columns):
    """The first of some columns has a U-shaped effect; others are functions of it."""
    rng = default_rng(seed)
    X = rng.normal(size=(n, d))
    for j, other in enumerate(other_columns, start=1):
        X[:, j] = other(X[:, 0])
    return X, X[:, 0] ** 2 + 0.5 * rng.normal(size=n)


@mark.parametrize("seed", range(3))
def test_noise_that_keeps_a_forest_from_overfitting_is_not_needed(seed):
    """A forest of one column overfits: without the noise its score is worse."""
    X, y = bent(600, 2, seed)
    task = task_of("classes", np.where(y > 0.5, "high", "low"))
    relevances = which_features(
        numbers(X), task, np.arange(600), "random forest", n_jobs=1
    )
    assert relevances.of("strongly relevant") == [0]
    assert "error of the random forest with the column permuted" in list(
        relevances.to_frame()
    )


def test_of_a_column_and_its_copy_in_other_units_none_is_needed():
    """Were one permuted without the other, noise would enter the distances."""
    X, y = bent(400, 3, 0, lambda x: 2 * x + 1)
    task = task_of("value", y)
    name_of_model = "5 nearest neighbours"
    relevances = which_features(
        numbers(X), task, np.arange(400), name_of_model, n_jobs=1
    )
    assert relevances.p_values[:2].tolist() == [1, 1]
    assert set(relevances.of("weakly relevant")) == {0, 1}
    two_columns = numbers(X[:, [0, 2]])
    relevances_alone = which_features(
        two_columns, task, np.arange(400), name_of_model, n_jobs=1
    )
    assert 0 in relevances_alone.of("strongly relevant")


def test_copies_keep_what_other_columns_predict_and_are_the_order_otherwise():
    rng = default_rng(0)
    level = np.repeat(np.arange(6), [20, 20, 5, 5, 5, 5])
    hues = np.array(list("abcdef"))[level]
    frame = pd.DataFrame(
        {
            "hue": hues,
            "name": np.array(list("vwzyxu"))[level],
            "u": rng.normal(size=60),
        }
    )
    kinds = {"hue": "category", "name": "category", "u": "number"}
    rows = np.arange(60)
    order = rng.permutation(60)
    [[copy]] = column_tests.copies_of_column(
        prepare_rows(frame, kinds), "hue", [[order]], rows
    )
    assert frame.hue[copy].tolist() == frame.hue.tolist()
    assert copy.tolist() != rows.tolist()
    frame["zero"] = 0.0
    kinds["zero"] = "number"
    for names in ["u"], ["u", "zero"], ["hue", "zero"]:
        table = prepare_rows(frame, {name: kinds[name] for name in names})
        [[copy]] = column_tests.copies_of_column(
            table, names[0], [[order]], rows
        )
        assert copy.tolist() == order.tolist()


def test_a_column_is_found_whose_rows_have_one_order_in_each_group():
    kind = np.tile(np.arange(3), 40)
    rng = default_rng(0)
    columns = {
        "size": 3 * kind + rng.normal(size=120),
        "u": rng.normal(size=120),
    }
    task = task_of("classes", np.array(list("abc"))[kind])
    nest = np.arange(120) // 3
    relevances = which_features(numbers(columns), task, nest, permuted="groups")
    assert relevances.of("strongly relevant") == ["size"]


def test_copies_of_a_column_that_is_constant_in_groups_are_so_too():
    farm = np.repeat(np.arange(12), 5)
    rng = default_rng(0)
    soil = rng.normal(size=12)[farm]
    data = numbers(
        {"soil": soil, "crop": soil + rng.normal(size=60), "w": rng.random(60)}
    )
    task = task_of("value", rng.normal(size=60))
    permute = column_tests.permutation_of_rows(task, farm, "groups", 0)
    orders = [[permute(), permute()]]
    [copies] = column_tests.copies_of_column(data, "soil", orders, farm)
    for copy in copies:
        moved = soil[copy].reshape(12, 5)
        assert (moved == moved[:, :1]).all()
        assert sorted(moved.ravel()) == sorted(soil)
        assert not np.array_equal(moved.ravel(), soil)
    assert not np.array_equal(*copies)


def test_in_each_fold_a_column_is_permuted_in_training_and_test_rows():
    X = np.arange(12.0).reshape(6, 2)
    splits = [(np.arange(3), np.arange(3, 6)), (np.arange(3, 6), np.arange(3))]
    orders = default_rng(0).permuted(np.tile(np.arange(6), (2, 2, 1)), axis=2)
    tables = []

    class Recorded(Values):
        def fit_predict(self, model, table, train, test):
            tables.append(table)
            return table[test, 0]

    is_first = np.array([True, False])
    target = Recorded(np.zeros(6))
    _, scores = refit(
        target, LinearRegression(), X, [splits] * 2, is_first, orders
    )
    for table, order in zip(tables, orders.reshape(4, 6), strict=True):
        expected = np.column_stack([X[order, 0], X[:, 1]])
        assert_allclose(table, expected)
    assert_allclose(scores[1, :3], tables[3][:3, 0] ** 2)


@mark.parametrize("shift", [0, 0.5])
def test_p_values_of_growths_by_hand(shift):
    """Rows and permutations, of which the column itself is one more; the first of three columns has no growth."""
    rng = default_rng(0)
    growths = rng.normal(0.3, 1, size=(3, 3, 20))
    growths += shift * rng.normal(size=(3, 3, 1))
    growths[0] = 0
    p_values = column_tests.growth_p_values(growths, np.arange(20))
    assert p_values[0] == 0.5
    # The analysis of variance of two ways: rows, repeats and the rest.
    rest = growths - growths.mean(axis=1, keepdims=True)
    rest -= rest.mean(axis=2, keepdims=True)
    noise = (rest**2).sum(axis=(1, 2)) / (2 * 19) / 20
    repeats = growths.mean(axis=2).var(axis=1, ddof=1)
    draws = (repeats - noise).mean()
    assert (draws > 0) == (shift > 0)
    for p, growth in zip(p_values[1:], growths[1:], strict=True):
        rows = 1.15**2 * growth.mean(axis=0).var(ddof=1) / 20
        standard_error = np.sqrt(rows + max(draws, 0) * 4 / 3)
        g = growth.mean() / standard_error
        assert p == approx(t.sf(g, 19))


def test_a_model_of_raw_columns_is_judged_as_the_same_of_prepared_ones():
    """Also on two threads, and with truth values for classes."""
    X = prepare_rows(table_of()[["u", "v"]], dict.fromkeys("uv", "number"))
    kind = table_of()["kind"].to_numpy(dtype=str)
    task = task_of("classes", kind)
    rows = np.arange(N)
    linear = which_features(X, task, rows, n_jobs=1)
    frame = pd.DataFrame(X.X, columns=["u", "v"])
    raw = RawModel(LogisticRegression(max_iter=1000), frame, kind == "ripe")
    with parallel_config("threading", n_jobs=2):
        relevances = which_features(X, task, rows, raw)
    assert relevances.model == "LogisticRegression"
    assert_allclose(relevances.permuted_errors, linear.permuted_errors)
    assert_allclose(relevances.p_values, linear.p_values)
    assert relevances.kinds.tolist() == linear.kinds.tolist()


@mark.slow
@mark.parametrize("seed", [0, 1])
def test_of_thousands_of_columns_of_noise_none_is_relevant(seed, monkeypatch):
    """Chosen and measured on the same rows, each of these tables had relevant ones."""
    monkeypatch.setattr(features, "MOST_PARTS", 20)
    rng = default_rng(seed)
    data = numbers(rng.normal(size=(120, 3000)))
    task = task_of("value", rng.normal(size=120))
    relevances = which_features(data, task, np.arange(120), n_jobs=1)
    assert len(relevances.names) == 20 and set(relevances.kinds) == {
        "not significant"
    }


def test_the_columns_most_related_are_asked(monkeypatch):
    monkeypatch.setattr(features, "MOST_PARTS", 2)
    X = default_rng(0).normal(size=(60, 6))
    data = numbers(X)
    target = X[:, 4] - X[:, 1]
    best_columns = features._best_columns(data, target, np.arange(60))
    assert best_columns.tolist() == [1, 4]


def test_the_metric_of_a_linear_regression():
    """J = w w^T / s^2, of noise of the deviation s; the unit of the target is none."""
    X = default_rng(0).normal(size=(400, 2))
    noise = 0.5 * default_rng(1).normal(size=400)
    y = 3 * X[:, 0] + noise
    metric = LinearFisher(lam=0).fit(X, y)
    J = metric.Omega_.T @ metric.Omega_
    assert_allclose(J * np.var(noise), [[9, 0], [0, 0]], atol=0.2)
    D = LinearFisher(lam=0).fit(X, 8 * y).distances()
    assert_allclose(D, metric.distances(), atol=1e-9)


def test_a_column_that_is_wrong_for_one_row_in_twelve_is_no_leak():
    """Days in hospital, known only afterwards, with errors: no tree is sure of them."""
    rng = default_rng(0)
    y = np.where(rng.random(400) < 0.5, "x", "y")
    days = np.where((y == "x") ^ (rng.random(400) < 0.08), 3.0, 7.0)
    data = numbers({"a": rng.normal(size=400), "days": days})
    task = task_of("classes", y, ["x", "y"])
    assert find_leaks(data, task, np.arange(400)) == {}


def test_a_control_map_overfits_only_below_the_baseline_of_its_own_rows():
    fitted_map = SimpleNamespace(interval=(0.3, 0.7))
    training = task_of("classes", np.repeat(["a", "b"], [6, 4]))
    control = SimpleNamespace(training=training, error=0.5)
    task = task_of("classes", np.repeat(["a", "b"], 5))
    maps = SimpleNamespace(
        task=task,
        supervised=fitted_map,
        unsupervised=fitted_map,
        gain=(0, (-1, 1)),
        permuted=control,
    )
    for control.training_error in 0.3, 0.38:
        sentence = list(about_maps(maps))[1]
        assert ("overfitting" in sentence) == (control.training_error < 0.36)


# ---- sentences say what their numbers say


@mark.parametrize("share", [0.5, 0.94, 0.97, 1.0])
def test_a_weak_relation_names_a_class_only_if_nearly_all_are_predicted_so(
    share,
):
    """15 and 15 rows have no most frequent class; predictions may still have one."""
    found = errors_of(numbers({"a": np.arange(200.0)}), np.arange(200) % 2)
    one = (np.arange(200) >= 200 * share).astype(int)
    choice = replace(found.choice, predictions=np.eye(2)[one][None])
    weak = replace(
        found,
        choice=choice,
        error=0.48,
        interval=(0.4, 0.56),
        p_values={"rows": 0.05},
    )
    said = verdict(weak, "columns", "`y`")
    assert "better than chance (area under the ROC curve" in said
    assert "but an error below the baseline is not shown" in said
    name = f"The most probable class is 0 for {percent(share)} of the rows."
    assert (name in said) == (share >= 0.95)


def test_columns_that_are_replaceable_are_not_called_none():
    kinds = ["weakly relevant"] * 3 + ["not significant"]
    relevances = SimpleNamespace(
        names=list("abcd"),
        not_evaluated=[],
        of=lambda kind: [
            n for n, k in zip("abcd", kinds, strict=True) if k == kind
        ],
    )
    judged = SimpleNamespace(columns_are_judged=True)
    sentence = next(about_features(relevances, judged))
    assert sentence == (
        "Associated with the target: 3 of 4 columns (a, b and c); none is shown to be"
        " needed in addition to the others."
    )
    kinds[0] = "strongly relevant"
    assert next(about_features(relevances, judged)).startswith(
        "Strongly relevant: 1"
    )


def test_a_difference_of_errors_is_in_percentage_points():
    classes = task_of("classes", np.arange(10) % 2, ["0", "1"])
    assert classes.difference_phrase(0.5, (0.41, 0.59)) == (
        "larger by 50 percentage points (90 % interval 41 to 59)"
    )
    assert classes.difference_phrase(-0.038, (-0.066, 0.01), 0.95) == (
        "smaller by 3.8 percentage points (95 % interval -1.0 to 6.6)"
    )
    values = task_of("value", np.arange(10.0))
    assert values.difference_phrase(0.1, (0, 0.2)) == (
        "larger by 0.10 standard deviations (90 % interval 0.00 to 0.20)"
    )


def test_cells_of_a_confusion_matrix_are_shaded_and_names_are_not():
    frame = pd.DataFrame(
        {"rows": [4, 4], "predicted a": ["3 (75 %)", "1 (25 %)"]},
        pd.Index(["9 (90 %)", "<td>8 (80 %)</td>"], name="true class"),
    )
    html = RichText([], frame, shaded=True)._repr_html_()
    cells = re.findall(
        r'<td style="background: rgba\(0, 114, 178, (.*?)\)">(.*?)<', html
    )
    assert cells == [("0.34", "3 (75 %)"), ("0.11", "1 (25 %)")]
    assert (
        "<td>8" not in html and "rgba" not in RichText([], frame)._repr_html_()
    )


@mark.parametrize("agreement", [0.68, 0.9, 0.97])
def test_a_decision_map_unlike_its_model_says_so_in_its_title(agreement):
    model = SimpleNamespace(
        name="random forest", agreement=SimpleNamespace(labels=agreement)
    )
    sentence = disagreement([model])
    expected = (
        "; background and model differ for 32 % (random forest) of the rows"
    )
    assert sentence == (expected if agreement < 0.9 else "")


# ---- maps of few rows


@mark.parametrize("n", [60, 260])
def test_maps_of_few_rows_are_judged_by_all_of_them(n):
    frame = table_of(n=n)
    look_result = quiet(frame, "kind")
    three = look_result.map_
    has_few_rows = n < 200
    for map_of_kind in (three.supervised, three.unsupervised, three.permuted):
        assert map_of_kind.is_cross_validated == has_few_rows
        assert len(map_of_kind.losses) == (
            n if has_few_rows else len(look_result.held_out)
        )
        assert map_of_kind.error == approx(np.nanmean(map_of_kind.losses))
    assert look_result.linear_map_.map.is_cross_validated == has_few_rows
    measured = look_result.show_summary().frame["measured on"][
        "Held-out error of the map, wrong classes"
    ]
    assert ("60 rows in 5 folds" in measured) == has_few_rows
    # test rows are what the errors are for
    with_test = quiet(frame[:50], "kind", test=frame[50:60])
    assert not with_test.map_.supervised.is_cross_validated


def test_the_method_is_chosen_anew_in_each_fold(monkeypatch):
    chosen_on = []
    choose = maps._choose_map

    def watched(X, *further_arguments):
        chosen_on.append({tuple(row) for row in X})
        return choose(X, *further_arguments)

    measured = []
    measure = maps.project_split

    def measured_on(estimator, X, y, train, test):
        measured.append({tuple(row) for row in X[test]})
        return measure(estimator, X, y, train, test)

    monkeypatch.setattr(maps, "_choose_map", watched)
    monkeypatch.setattr(maps, "project_split", measured_on)
    X = default_rng(0).normal(size=(40, 3))
    task = task_of("classes", np.arange(40) % 2, ["0", "1"])
    sides = np.arange(30), np.arange(30, 40)
    maps.compare_maps(X, task, np.arange(40), *sides, cross_validate=True)
    # of the split, then of five folds of the supervised map
    assert len(chosen_on) == 6
    for chosen_rows, held_out in zip(chosen_on, measured[:6], strict=True):
        assert chosen_rows and held_out and not chosen_rows & held_out


def test_each_fold_is_predicted_by_a_map_that_has_not_seen_it():
    """A map that remembers its training rows: copies in other groups are not known."""
    rng = default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.arange(40) % 2
    task = task_of("classes", y, ["0", "1"])
    groups = np.arange(40) // 4
    sides = np.arange(30), np.arange(30, 40)
    fitted_samples = []

    class Remembers(PCA):
        def fit_transform(self, X, y=None):
            fitted_samples.append(X)
            return super().fit_transform(X)

        def transform(self, X):
            fitted_rows = {tuple(row) for row in fitted_samples[-1]}
            assert not fitted_rows.intersection(map(tuple, X))
            return super().transform(X)

    maps_of_folds = maps.compare_maps(
        X, task, groups, *sides, user_map=Remembers(2), cross_validate=True
    )
    assert len(maps_of_folds.supervised.losses) == 40
    gain, (low, high) = maps_of_folds.gain
    assert gain == approx(
        maps_of_folds.unsupervised.error - maps_of_folds.supervised.error
    )
    assert (
        low <= gain <= high and maps_of_folds.common is maps_of_folds.supervised
    )
