"""Parts of a look: known answers, which rows are held out, raw columns as numbers, errors by hand."""

import ast
import importlib
import runpy
import warnings
from functools import partial

import numpy as np
import pandas as pd
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, fixture, mark, param
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from small_tables import N, quiet, table_of, with_separation

from toolkit.tabular import as_table, features, findings
from toolkit.tabular.features import which_features
from toolkit.tabular.rows import prepare_rows
from toolkit.tabular.squares import coordinates
from toolkit.tabular.targets import Task, task_of
from toolkit.tabular.text import about_separation
from toolkit.tabular.validation import find_leaks, folds, separation, split

pytestmark = mark.usefixtures("quick")

# ---- known answers ----


def numbers(X):
    """A table of numbers alone, prepared."""
    frame = pd.DataFrame(X)
    return prepare_rows(frame, dict.fromkeys(frame, "number"))


def errors_of(data, y, groups=None, n_permutations=1):
    """The separation of classes or values y, or of a look's data and task."""
    task = (
        y
        if isinstance(y, Task)
        else task_of("value" if y.dtype.kind == "f" else "classes", y)
    )
    groups = np.arange(len(data.X)) if groups is None else groups
    return separation(data, task, groups, n_permutations=n_permutations, n_jobs=1)


def errors_in(one, n_permutations=1):
    return errors_of(one._data, one._task, one.table_.groups, n_permutations)


@mark.parametrize("seed", [0, 1])
def test_noise_is_no_signal_and_the_words_say_so(seed):
    rng = default_rng(seed)
    found = errors_of(
        numbers(rng.normal(size=(60, 4))), rng.normal(size=60), n_permutations=9
    )
    said = " ".join(about_separation(found))
    assert (
        not found.is_signal
        and found.leaks == {}
        and "nothing to see" in said
        and "something" not in said
    )


def test_a_shuffled_target_loses_what_the_true_one_has():
    frame = table_of()
    mixed = frame.assign(kind=default_rng(1).permutation(frame["kind"]))
    one, other = (errors_in(quiet(data, "kind"), 5) for data in (frame, mixed))
    assert one.is_signal and not other.is_signal
    assert "something to see" in " ".join(about_separation(one))
    # only the order was lost
    assert np.sort(one.task.y).tolist() == np.sort(other.task.y).tolist()


@mark.parametrize("target", ["kind", "u"])
def test_a_target_that_is_a_column_too_is_a_leak(target):
    frame = table_of()
    copy = (
        frame[target].map({"ripe": 1.0, "raw": 0.0})
        if target == "kind"
        else 3 * frame[target] - 1
    )
    one = quiet(
        frame.assign(told=copy), target, task="classes" if target == "kind" else "value"
    )
    assert list(one.leaks_) == ["told"]
    assert "told" not in quiet(frame.assign(told=copy[::-1].to_numpy()), target).leaks_


def test_a_label_that_is_a_column_too_is_a_leak():
    frame = table_of().drop(columns="kind")
    frame["a"], frame["b"] = frame.u > 0, frame.v > 0
    one = quiet(frame.assign(told=frame.b), labels=["a", "b"])
    assert one.leaks_ == {"told": approx(0, abs=1e-12)}


def test_kinds_do_not_depend_on_scale_and_sign_of_columns():
    """All columns are standardised: units and signs (here powers of two, exact in floats) must not matter.

    The order of columns or rows changes the random draws; this does not."""
    frame = table_of(n=80)
    X, task = (
        frame[["u", "v", "w"]],
        task_of("classes", frame["kind"].to_numpy(dtype=str)),
    )
    one, other = (
        which_features(numbers(X * units), task, np.arange(80), n_jobs=1)
        for units in (1.0, [4.0, 0.25, 1024.0])
    )
    assert one.kinds.tolist() == other.kinds.tolist() and one.kinds[0] == "needed"
    assert_allclose(one.weights.upper, other.weights.upper, rtol=1e-6)
    assert_allclose(one.forest.upper, other.forest.upper, rtol=1e-6)


def test_names_of_classes_change_no_error():
    frame = table_of()
    one, other = (
        quiet(frame, "kind"),
        quiet(frame.assign(kind=frame["kind"].map({"raw": "A", "ripe": "B"})), "kind"),
    )
    assert one._fitted.tolist() == other._fitted.tolist()
    a, b = errors_in(one), errors_in(other)
    assert a.errors == b.errors and a.permuted.tolist() == b.permuted.tolist()


@fixture(scope="module")
def small(tmp_path_factory):
    """A look at a file of 40 rows."""
    path = tmp_path_factory.mktemp("small") / "small.csv"
    table_of(n=40).drop(columns="w").to_csv(path, index=False)
    return with_separation(quiet(path, "kind"))


def test_two_runs_with_one_seed_agree(small):
    again = quiet(small.arguments["file"], "kind")
    assert small.map_.true.Z.tolist() == again.map_.true.Z.tolist()
    assert (
        small.map_.choice == again.map_.choice
        and small.map_.shuffled.error == again.map_.shuffled.error
    )
    other = quiet(small.arguments["file"], "kind", random_state=1)
    assert small._held_out.tolist() != other._held_out.tolist()


def run(code, **names):
    """Names that the code leaves, without permutations and columns of noise, which take long; these lines are there."""
    assert "separation(" in code
    lines = [
        line
        for line in code.splitlines()
        if not line.startswith(("matter", "print(matter", "print(separation"))
    ]
    with warnings.catch_warnings(action="ignore"):
        exec("\n".join(lines), names)
    return names


def check_imports(code):
    """All that the code takes from the package is public, and one level deep."""
    imports = [
        node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)
    ]
    ours = [node for node in imports if node.module.startswith("toolkit")]
    assert ours and "import toolkit" not in code
    for node in ours:
        public = importlib.import_module(node.module).__all__
        assert node.module.count(".") == 1 and {
            alias.name for alias in node.names
        } <= set(public)


def check_code(one, capsys=None, **names):
    """The code is public, and gives the rows and the map of the look, and the score of its model; its names.

    The error of the map is that of a vote of five neighbours.
    """
    check_imports(one.code_)
    names = run(one.code_, **names)
    found = one.map_.true
    shown = {"fitted": one._fitted, "held_out": one._held_out}
    shown |= {"Z": found.Z[: found.n_fitted], "Z_new": found.Z[found.n_fitted :]}
    assert {name: names[name].tolist() for name in shown} == {
        name: values.tolist() for name, values in shown.items()
    }
    n, y = found.n_fitted, one._task.y[found.rows]
    vote = (KNeighborsClassifier if y.dtype.kind == "U" else KNeighborsRegressor)(5)
    answers = vote.fit(found.Z[:n], y[:n]).predict(found.Z[n:])
    assert found.error == approx(one._task.error(y[n:], answers)[0])
    if capsys:
        assert float(capsys.readouterr().out.split()[0]) == approx(
            1 - one.models_[0].error
        )
    return names


def test_the_code_gives_the_same_map_and_the_same_errors(small, capsys):
    assert small.show_code().code == small.code_ and "which_features(" in small.code_
    names = check_code(small, capsys)
    by_hand = separation(
        names["data"], names["task"], names["table"].groups, n_permutations=1, n_jobs=1
    )
    assert by_hand.errors == small.separation_.errors


def test_the_code_of_test_rows_and_of_labels_runs(tmp_path):
    frame = table_of(n=60).drop(columns=["kind", "hue"])
    frame["a"], frame["b"] = frame.u > 0, frame.v > 0.3
    frame.iloc[:40].to_csv(tmp_path / "old.csv", index=False)
    frame.iloc[40:].to_csv(tmp_path / "new.csv", index=False)
    check_code(
        with_separation(
            quiet(tmp_path / "old.csv", labels=["a", "b"], test=tmp_path / "new.csv")
        )
    )


@mark.parametrize("kind", ["similarities", "distances"])
def test_the_code_of_a_matrix_runs(tmp_path, kind):
    frame = table_of(n=40)
    points = frame[["u", "v", "w"]].to_numpy()
    np.savetxt(
        tmp_path / "m.csv",
        cdist(points, points) if kind == "distances" else points @ points.T,
        delimiter=",",
    )
    (tmp_path / "classes.csv").write_text("\n".join(frame["kind"]))
    one = with_separation(
        quiet(tmp_path / "m.csv", classes=tmp_path / "classes.csv", **{kind: True})
    )
    check_code(one)
    assert "which_features(" not in one.code_


def test_no_coordinate_of_a_matrix_is_a_suspected_column(monkeypatch):
    apart = default_rng(0).normal(size=(40, 3)) + np.repeat([0, 9], 20)[:, None]
    monkeypatch.setattr(findings, "separation", partial(separation, n_permutations=1))
    seen = quiet(
        cdist(apart, apart), distances=True, classes=np.repeat(["near", "far"], 20)
    )
    assert (
        seen.separation_.is_signal
        and not seen.separation_.leaks
        and not seen.separation_.without_leaks
    )


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
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "mine.py").write_text(OWN)
    check_code(
        with_separation(
            quiet(tmp_path / "t.csv", "kind", model=f"{tmp_path / 'mine.py'}:{name}")
        ),
        capsys,
    )
    model = runpy.run_path(tmp_path / "mine.py")[name].fit(
        frame.drop(columns="kind"), frame["kind"]
    )
    fitted = with_separation(quiet(tmp_path / "t.csv", "kind", model=model))
    assert "model =" not in fitted.code_
    check_code(fitted, capsys, model=model)


def test_code_of_an_array_names_the_files_to_be_written(small):
    frame = table_of(n=40)
    one = with_separation(quiet(frame[["u", "v"]].to_numpy(), frame["kind"].to_numpy()))
    # any map: only the first lines count here
    one.__dict__ |= {"map_": small.map_, "models_": []}
    head = one.code_.splitlines()
    assert "table = as_table(frame, 'target')" in head and "array" not in "\n".join(
        head[:12]
    )
    S = np.corrcoef(frame[["u", "v", "w"]])
    code = with_separation(quiet(S, similarities=True, classes=frame["kind"])).code_
    assert "table_of_matrix('matrix.csv', 'classes.csv', distances=False)" in code


# ---- which rows are held out ----


def test_rows_of_one_group_are_never_on_both_sides():
    frame = table_of().assign(farm=np.arange(N) // 4)
    one = quiet(frame, "kind", groups="farm")
    farms = frame["farm"].to_numpy()
    assert "farm" not in one.table_.features
    assert not set(farms[one._fitted]) & set(farms[one._held_out])
    assert sorted([*one._fitted, *one._held_out]) == list(range(N))


def test_given_test_rows_are_exactly_those_held_out():
    frame = table_of()
    one = quiet(frame.iloc[:90], "kind", test=frame.iloc[90:])
    assert one._held_out.tolist() == list(
        range(90, N)
    ) and one._fitted.tolist() == list(range(90))
    # five rows that were fitted are no test
    repeated = quiet(frame.iloc[:90], "kind", test=frame.iloc[85:])
    held = set(one.table_.features.iloc[one._held_out]["u"])
    assert set(repeated.table_.features.iloc[repeated._held_out]["u"]) == held
    assert any("5 of the rows of the test" in note for note in repeated.table_.notes)


def test_folds_hold_each_row_once_and_are_stratified_by_groups():
    groups, strata = np.repeat(np.arange(20), 3), np.repeat(["a", "b"], 30)
    parts = folds(strata, groups, 5, 0)
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(60))
    for train, test in parts:
        assert sorted([*train, *test]) == list(range(60)) and not set(
            groups[train]
        ) & set(groups[test])
        assert np.sum(strata[test] == "a") == np.sum(strata[test] == "b") == 6
    fitted, held_out = split(strata, groups, 10, 5)  # one row of each of ten groups
    assert np.sum(strata[fitted] == "a") == 5 and len(held_out) == 30
    assert len(split(strata, groups, 99, 0)[1]) == 15


@mark.parametrize(
    ("groups", "least"),
    [(np.arange(60) % 3, 0), (np.r_[0, 0, np.arange(1, 59)], 2 / 60)],
)
def test_rare_classes_and_few_groups_are_measured(groups, least):
    """A class whose two rows are one group is unknown where these are predicted: both are wrong, and nothing fails."""
    found = errors_of(
        numbers(table_of(n=60)[["u", "v"]]), np.array(["c"] * 2 + ["a"] * 58), groups
    )
    assert all(least - 1e-12 <= error <= 0.5 for error in found.errors.values())
    assert found.chance == approx(2 / 60)


@mark.parametrize(
    "case",
    [
        "most in one class",
        "two rows of a class",
        "few patterns",
        "one column",
        "ten rows",
    ],
)
def test_tables_at_the_edge_have_a_map(case):
    """Models of such tables answer alike for all rows, or most rows coincide: the map is there nevertheless."""
    frame = table_of(n=10 if case == "ten rows" else 60)
    X, y = (
        frame[["u"] if case == "one column" else ["u", "v"]],
        frame["kind"].to_numpy(dtype=str),
    )
    if case in ("most in one class", "two rows of a class"):
        y = np.where(
            np.arange(60) < (50 if case == "most in one class" else 58), "a", "b"
        )
    if case == "few patterns":
        X = X > 0
    one = quiet(X.assign(kind=y), "kind")
    for found in (one.map_.true, one.map_.plain, one.map_.shuffled):
        assert (
            found.Z.shape == (len(found.rows), 2)
            and np.isfinite(found.Z).all()
            and 0 <= found.error <= 1
        )
    assert len(one.map_.true.rows) == len(one._fitted) + len(one._held_out)
    assert np.unique(one.map_.shuffled.y).tolist() == np.unique(y).tolist()
    assert (one.linear_map_ is None) is (case == "one column")


@mark.parametrize("data", ["u", "uv"])
def test_numbers_at_the_edge_have_code_that_runs(data, tmp_path):
    table_of(n=40)[[*data, "w"]].to_csv(tmp_path / "t.csv", index=False)
    one = with_separation(quiet(tmp_path / "t.csv", "w"))
    if one.linear_map_ is None:
        assert "linear_map" not in one.code_ and "no plane" in repr(
            one.show_linear_map()
        )
    check_code(one)
    assert "TargetDisplay(" in one.code_


# ---- labels ----


def test_unlabelled_rows_and_labels_that_no_fitted_row_has():
    frame = table_of(n=80).drop(columns=["kind", "hue"])
    frame["a"], frame["b"] = frame.u > 0.5, frame.v > 0.5
    # the split does not depend on labels
    row = quiet(frame, labels=["a", "b"])._held_out[0]
    one = quiet(frame.assign(rare=np.arange(80) == row), labels=["a", "b", "rare"])
    notes = "\n".join(one.table_.notes)
    empty = ~frame[["a", "b"]].any(axis=1).to_numpy()
    assert 10 < empty.sum() < 60
    assert (
        "No row that the maps are fitted to has rare" in notes
        and one._task.names == ["a", "b"]
    )
    assert f"{empty.sum()} rows without a label are in no map and no error." in notes
    assert not empty[one._fitted].any() and not empty[one._held_out].any()
    found = errors_in(one)
    assert found.n_rows == 80 - empty.sum()
    assert found.chance == approx(1 - frame.loc[~empty, ["a", "b"]].mean().max())


# ---- raw columns as numbers ----


def test_numbers_with_gaps_are_filled_and_marked():
    raw = pd.DataFrame({"size": [1.0, 2.0, 6.0, np.nan]})
    found = prepare_rows(raw, {"size": "number"})
    assert found.names == ["size", "size missing"] and found.parents.tolist() == [0, 0]
    assert found.X[:, 1].tolist() == [0, 0, 0, 1]
    scaled = (np.array([1, 2, 6]) - 3) / np.std([1, 2, 6])
    assert_allclose(found.X[:, 0], [*scaled, scaled[1]])  # the median, which is 2


def test_dates_are_days_of_one_unit():
    days = pd.to_datetime(["2024-05-01", "2024-05-02", "2024-05-11", None])
    found = prepare_rows(pd.DataFrame({"picked": days}), {"picked": "date"})
    expected = (np.array([0, 1, 10]) - 11 / 3) / np.std([0, 1, 10])
    assert_allclose(found.X[:3, 0], expected)
    assert found.names == ["picked", "picked missing"] and found.X[
        3
    ].tolist() == approx([expected[1], 1])


def test_rare_and_many_categories_share_a_column():
    words = [f"w{k:02d}" for k in range(30) for _ in range(30 - k)]
    found = prepare_rows(pd.DataFrame({"word": words}), {"word": "category"})
    assert found.X.shape == (len(words), 20) and np.all(found.X.sum(axis=1) == 1)
    assert found.names[0] == "word = w00" and "infrequent" in found.names[-1]
    assert found.X[:, -1].sum() == sum(w >= "w19" for w in words)


def test_names_with_signs_and_categories_keep_their_parents():
    raw = pd.DataFrame(
        {
            "a = b": ["x < y", "z", "x < y", "k"],
            "a": [1.0, 2.0, 3.0, 5.0],
            "<b>": ["=", "=", "<", "<"],
        }
    )
    found = prepare_rows(raw, {"a = b": "category", "a": "number", "<b>": "category"})
    assert found.names == ["a = b = k", "a = b = x < y", "a = b = z", "a", "<b> = ="]
    assert found.parents.tolist() == [0, 0, 0, 1, 2] and found.columns == [
        "a = b",
        "a",
        "<b>",
    ]
    assert found.of("a = b").tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert found.without(["a = b"]).shape == (4, 2) and found.without(["a"]).shape == (
        4,
        4,
    )


def test_categories_with_gaps_have_a_category_for_them():
    table = as_table(
        pd.DataFrame(
            {"hue": ["red", None, "blue", "red"] * 10, "kind": ["a", "b"] * 20}
        ),
        "kind",
    )
    found = prepare_rows(table.features, table.kinds)
    assert (
        "hue = missing" in found.names
        and found.of("hue").sum(axis=1).tolist() == [1] * 40
    )


# ---- errors by hand ----


def test_errors_by_hand():
    y = np.array(["a", "a", "a", "b"])
    task = task_of("classes", y)
    assert task.chance() == 0.25
    # (2 + 1) / (4 + 2)
    assert task.error(y, np.array(["a", "b", "a", "a"])) == approx(
        (0.5, np.sqrt(0.25 / 4))
    )
    y = np.array([1.0, 3.0])
    task = task_of("value", y)
    assert task.chance() == 1 and task.error(y, np.array([2.0, 2.0]))[0] == approx(1)
    assert task.error(y, y)[0] == 0
    Y = np.array([[1, 0], [1, 1], [0, 1], [0, 1]])
    task = task_of("labels", Y, ["p", "q"])
    scores = np.array([[0.9, 0.1], [0.2, 0.3], [0.6, 0.5], [0.1, 0.2]])
    assert task.chance() == 0.25 and task.error(Y, scores)[0] == 0.25
    assert (
        task_of("classes", y.astype(str)).percent(0.034) == "3.4 %"
        and task_of("value", y).percent(0.5) == "0.50"
    )


def test_leaks_of_classes_are_found_by_a_tree_alone():
    rng = default_rng(0)
    y = rng.choice(["a", "b", "c"], 150)
    told = (y == "b") * 2.0 + (y == "c") * 5.0 + 0.1 * rng.normal(size=150)
    data = numbers({"told": told, "x": rng.normal(size=150)})
    assert list(find_leaks(data, task_of("classes", y), np.arange(150))) == ["told"]


def test_coordinates_of_distances_and_similarities_are_those_of_the_points():
    P = default_rng(0).normal(size=(12, 3))
    D = norm(P[:, None] - P, axis=2)
    for X, lost in (coordinates(D, distances=True), coordinates(P @ P.T)):
        assert X.shape == (12, 3) and lost < 1e-12
        assert_allclose(norm(X[:, None] - X, axis=2), D, atol=1e-9)
    # no triangle
    _, lost = coordinates(np.array([[0, 1, 5.0], [1, 0, 1], [5, 1, 0]]), distances=True)
    assert lost > 0.1


def test_a_column_that_no_other_knows_is_needed_and_one_of_twins_is_not():
    """Three independent causes, one of them a text category, as a newcomer's table had them; and a copy of a fourth."""
    rng = default_rng(0)
    n = 500
    age, dose, twin = rng.normal(size=(3, n))
    smokes = rng.choice(["yes", "no"], n)
    y = np.where(
        age + dose + twin + 1.6 * (smokes == "yes") - 0.8 + rng.normal(0, 0.7, n) > 0,
        "ill",
        "well",
    )
    frame = pd.DataFrame({"age": age, "dose": dose, "smokes": smokes, "twin": twin})
    frame["other twin"], frame["noise"] = (
        twin + rng.normal(0, 0.01, n),
        rng.normal(size=n),
    )
    kinds = dict.fromkeys(frame, "number") | {"smokes": "category"}
    found = which_features(
        prepare_rows(frame, kinds), task_of("classes", y), np.arange(n), n_jobs=1
    )
    kinds = dict(zip(found.names, found.kinds, strict=True))
    assert [kinds[name] for name in ("age", "dose", "smokes")] == ["needed"] * 3
    assert (
        kinds["twin"] == kinds["other twin"] == "replaceable"
        and kinds["noise"] == "no evidence"
    )


@mark.slow
@mark.parametrize("seed", [0, 1])
def test_of_thousands_of_columns_of_noise_none_is_found(seed, monkeypatch):
    """Chosen and measured on the same rows, each of these tables had columns that were above noise."""
    monkeypatch.setattr(features, "MOST_PARTS", 20)
    rng = default_rng(seed)
    data = numbers(rng.normal(size=(120, 3000)))
    found = which_features(
        data, task_of("value", rng.normal(size=120)), np.arange(120), n_jobs=1
    )
    assert len(found.names) == 20 and set(found.kinds) == {"no evidence"}


def test_one_column_that_does_as_well_as_all_is_named_where_the_rest_does_worse():
    """Days in hospital, known only afterwards, with errors: no single tree is nearly without error on them."""
    rng = default_rng(0)
    a, b, c = rng.normal(size=(3, 400))
    y = np.where(a + 0.6 * b + rng.normal(0, 1.5, 400) > 0, "x", "y")
    rest = {"a": a, "b": b, "c": c}
    data = numbers(
        rest | {"days": np.where(y == "x", 3.0, 7.0) + rng.normal(0, 1.3, 400)}
    )
    found = errors_of(data, y, n_permutations=2)
    assert find_leaks(data, found.task, np.arange(400)) == {} and list(found.leaks) == [
        "days"
    ]
    assert min(found.without_leaks.values()) > 2 * found.errors[found.best]
    assert any(
        "One column does it all: `days`" in said for said in about_separation(found)
    )
    assert errors_of(numbers(rest), y, n_permutations=0).leaks == {}
