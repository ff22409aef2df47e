"""`toolkit.show`: one line from data to maps that say first what they tell of samples that had no part in them."""

import re

import numpy as np
import pandas as pd
from label_sets import multilabel_gaussians
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, mark, raises
from scipy.sparse import csr_matrix
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    make_blobs,
)
from sklearn.neighbors import KNeighborsClassifier
from small_tables import last_value

import toolkit
from toolkit.multilabel import SampleLabelMap
from toolkit.tabular import fitted_rows
from toolkit.tabular.rows import read_rows

IRIS = load_iris(return_X_y=True)
BLOBS = make_blobs(
    60, centers=[[0, 0, 0], [20, 0, 0], [0, 20, 0]], random_state=0
)


def table(n):
    """Numbers, words and flags that tell the kind; dates and names, left out of a map."""
    rng = default_rng(0)
    names = [f"F{i}" for i in range(n)]
    frame = pd.DataFrame({"u": rng.normal(size=n)}, names)
    frame["n"] = pd.array(rng.integers(0, 9, n), dtype="Int64")
    frame["hue"] = rng.choice(["red", "blue", None], n)
    frame["sort"] = pd.Categorical(rng.choice(["x", "y"], n))
    frame["flag"] = rng.random(n) < 0.5
    frame["day"] = pd.date_range("2024-05-01", periods=n)
    frame["label"] = [f"fruit {i}" for i in range(n)]
    kind = np.where(frame.u + (frame.hue == "red") > 0, "ripe", "raw")
    return frame, pd.Series(kind, names, name="kind")


FRAME, KIND = table(90)


def accuracies(explorer):
    """Of the kept out and of the fitted samples, and baseline, as the status says them."""
    status = explorer._shown["status"]
    found = re.findall(r"(?:kept out|fitted|baseline) ([\d.]+) %", status)
    return [float(percent) / 100 for percent in found]


# ---- known answers ----


def test_the_first_view_is_sla_of_two_thirds():
    """SL-A does not care about scales: its map of the table as it is."""
    X, y = IRIS
    explorer = toolkit.show(X, y)
    fitted = fitted_rows(y)
    assert fitted.sum() == 102  # two thirds of 50, rounded up, of each class
    expected = SampleLabelMap(None).fit(X[fitted], y[fitted]).transform(X)
    assert_allclose(explorer.embedding_, expected, atol=1e-5)
    assert explorer.setting_ == {"map": "linear"}
    assert explorer.side_names == ["fitted", "kept out"]
    assert explorer.outlined == fitted.tolist()


def test_numbers_are_those_of_nearest_fitted_neighbours():
    X, y = IRIS
    explorer = toolkit.show(X, y)
    fitted = fitted_rows(y)
    # one of the kept out is equal to a fitted one
    new = ~fitted & ~(X[:, None] == X[fitted]).all(axis=2).any(axis=1)
    assert new.sum() == 47 and "% of 47 (90% interval" in explorer.text_()
    model = KNeighborsClassifier(5, algorithm="brute")
    frequent = np.bincount(y[fitted]).argmax()
    for name in ("linear", "PCA"):
        explorer.set(map=name)
        Z = explorer.embedding_
        kept_out, _, baseline = accuracies(explorer)
        expected = model.fit(Z[fitted], y[fitted]).score(Z[new], y[new])
        assert kept_out == approx(expected, abs=1 / 47 + 5e-3)  # ties
        assert baseline == approx(np.mean(y[new] == frequent), abs=5e-3)


@mark.parametrize("name", ["linear", "SLE-ML", "Fisher t-SNE", "PCA", "t-SNE"])
def test_all_maps_separate_and_say_whether_they_are_supervised(name):
    explorer = toolkit.show(*BLOBS)
    explorer.set(map=name)
    assert explorer.error == "" and accuracies(explorer)[:2] == [1, 1]
    assert ("not told y" in explorer.text_()) == (name in ("PCA", "t-SNE"))


def test_labels_that_mean_nothing_separate_the_fitted_and_tell_nothing_of_the_others():
    rng = default_rng(0)
    explorer = toolkit.show(rng.normal(size=(300, 5)), rng.integers(0, 2, 300))
    explorer.set(map="SLE-ML")
    kept_out, fitted, baseline = accuracies(explorer)
    assert fitted > 0.95
    assert abs(kept_out - 0.5) < 0.15 and abs(baseline - 0.5) < 0.1


def test_values_have_an_error_beside_the_baseline():
    X = default_rng(0).normal(size=(200, 4))
    explorer = toolkit.show(X, X[:, 0])
    assert explorer.axes[0]["values"] == [
        "linear",
        "Fisher t-SNE",
        "PCA",
        "t-SNE",
    ]
    found = re.findall(r"(?:kept out|baseline) (\d\.\d\d)", explorer.text_())
    error, baseline = map(float, found)
    assert error < 0.2 and baseline == approx(1, abs=0.2)
    assert explorer.color_by == column_names(explorer)[0] == "y"
    # also where half are alike
    assert toolkit.show(X, np.maximum(X[:, 0], 0)).color_by == "y"


def test_two_classes_have_one_axis_and_the_rest_of_the_data():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = fitted_rows(y)
    Z = toolkit.show(X, y).embedding_
    expected = SampleLabelMap(None).fit(X[fitted], y[fitted]).transform(X)
    assert_allclose(Z[:, :1], expected, atol=1e-5)
    assert_allclose(
        np.cov(Z[fitted].T) / Z[fitted, 0].var(ddof=1), np.eye(2), atol=1e-5
    )


def test_the_linear_map_alone_has_label_points_cells_and_sliders():
    X, Y = multilabel_gaussians(90)
    explorer = toolkit.show(
        csr_matrix(X), Y, map="linear", label_names=list("abcd")
    )
    assert {"a", "a + b"} <= set(explorer.label_names)
    assert (
        explorer.anchor_names == list("abcd")
        and "by the cell" in explorer.text_()
    )
    for variance in (0.9, 1):
        setting = {"axes": "2 and 3", "variance": variance}
        explorer.set(**setting)
        assert explorer.setting_ == setting
    fitted = fitted_rows(Y)
    expected = (
        SampleLabelMap(None).fit(X[fitted], Y[fitted]).label_embedding_[:, 1:3]
    )
    assert_allclose(explorer._shown["anchors"], expected, atol=1e-5)


@mark.parametrize(
    ("options", "n"), [({}, "1,002"), ({"map": "linear"}, "1,602")]
)
def test_the_linear_map_alone_is_fitted_to_two_thirds_and_the_list_to_a_thousand(
    options, n
):
    explorer = toolkit.show(
        *make_blobs(2400, centers=3, random_state=0), **options
    )
    assert f"fitted to {n} of 2,400, the others placed" in explorer.text_()


# ---- code ----


def check_code(explorer, X, y):
    """Of each value of the first slider the code gives the positions shown."""
    axis = explorer.axes[0]
    for value in axis["values"]:
        explorer.set(**{axis["name"]: value})
        assert explorer.error == "", (value, explorer.error)
        Z = explorer.embedding_
        found = last_value(explorer.code_, X=X, y=y)
        assert_allclose(found, Z, atol=1e-6 * np.abs(Z).max(), err_msg=value)


SAMPLES, CLASSES = BLOBS
POINTS, LABELS = multilabel_gaussians(60)
DATA = {
    "classes": BLOBS,
    "one column": (SAMPLES[:, :1], np.where(CLASSES > 0, "b", "a")),
    "labels": (csr_matrix(POINTS), LABELS),
    "values": (SAMPLES, SAMPLES[:, 0] + SAMPLES[:, 1]),
    "none": (SAMPLES, None),
    "table": (FRAME[:60], KIND[:60]),
    "table of values": (FRAME[:60], FRAME["u"][:60] + 0.5),
    "lists": (SAMPLES.tolist(), CLASSES.tolist()),
}


@mark.parametrize(("X", "y"), DATA.values(), ids=DATA)
def test_code_gives_the_positions_shown(X, y):
    check_code(toolkit.show(X, y), X, y)


@mark.parametrize("name", ["linear", "SLE-ML", "Fisher t-SNE", "PCA", "t-SNE"])
def test_code_of_each_slider(name):
    explorer = toolkit.show(*BLOBS, map=name, scale=False, random_state=3)
    check_code(explorer, *BLOBS)
    assert "StandardScaler" not in explorer.code_


# ---- invariances ----


def test_names_of_classes_change_no_position():
    X, y = BLOBS
    # -1 is a class
    targets = y, np.array(["c", "a", "b"])[y], y - 1
    one, *others = (toolkit.show(X, target) for target in targets)
    for name in one.axes[0]["values"]:
        for explorer in (one, *others):
            explorer.set(map=name)
            assert accuracies(explorer) == accuracies(one)
        # in which the order of classes changes roundings, and descents differ
        if name != "Fisher t-SNE":
            Z, expected = np.abs(others[0].embedding_), np.abs(one.embedding_)
            assert_allclose(Z, expected, atol=1e-4)


def test_order_of_samples_changes_no_position():
    """Samples change places within their class and side, so that the same are kept out."""
    X, y = IRIS
    side = 2 * y + fitted_rows(y)
    order = np.arange(150)
    for part in range(6):
        order[side == part] = order[side == part][::-1]
    one, other = toolkit.show(X, y), toolkit.show(X[order], y)
    for name in ("linear", "SLE-ML", "PCA"):
        one.set(map=name)
        other.set(map=name)
        expected = np.abs(one.embedding_[order])
        assert_allclose(np.abs(other.embedding_), expected, atol=1e-4)


def test_units_of_columns_change_no_position_unless_they_are_to():
    X, y = BLOBS
    units = [1.0, 1024.0, 2.0**-6]
    one, other, raw = (
        toolkit.show(X * factors, y, map="PCA", scale=scale).embedding_
        for factors, scale in ((1.0, True), (units, True), (units, False))
    )
    assert_allclose(one, other)
    assert np.ptp(raw[:, 0]) > 10_000  # the largest column alone


# ---- which samples are fitted ----


def test_each_class_is_fitted_in_proportion():
    y = np.repeat(["a", "b", "c", "d"], [300, 30, 2, 1])
    fitted = fitted_rows(y)
    assert fitted[0] and [fitted[y == c].sum() for c in "abcd"] == [
        200,
        20,
        2,
        1,
    ]
    few = fitted_rows(y, 111)
    assert [few[y == c].sum() for c in "abcd"] == [100, 10, 1, 1]
    assert fitted_rows(default_rng(0).normal(size=300)).sum() == 200  # values
    Y = multilabel_gaussians(60)[1]
    assert Y[fitted_rows(Y)].any(axis=0).all()


def test_a_label_that_no_fitted_sample_has_is_left_out():
    """Label 0 has one of the three samples of each other label: all can be kept out."""
    Y = np.c_[np.arange(12) % 3 == 1, np.repeat(np.eye(4), 3, axis=0)].astype(
        int
    )
    X = default_rng(0).normal(size=(12, 3)) + 5 * Y[:, 1:4]
    seed = 0
    while Y[fitted_rows(Y, random_state=seed), 0].any():
        seed += 1
    explorer = toolkit.show(X, Y, map="linear", random_state=seed)
    assert explorer.anchor_names == [f"label {j}" for j in range(1, 5)]
    # the sets that samples have are shown all the same
    assert len(explorer.label_names) == 8
    check_code(explorer, X, Y)


# ---- tables ----


def test_a_table_names_samples_and_shows_its_columns():
    explorer = toolkit.show(FRAME, KIND)
    assert explorer.names == FRAME.index.tolist()
    assert explorer.label_names == ["raw", "ripe"]
    assert column_names(explorer) == FRAME.columns.tolist()
    left_out = "Not in the map: day (dates), label (90 different words)."
    assert left_out in explorer.caption and explorer.title == "Samples and kind"
    numbers = FRAME.reset_index(drop=True)
    assert toolkit.show(numbers, KIND).names == []  # numbers from 0
    options = {"columns": {"size": np.arange(90)}, "names": np.arange(90)}
    chosen = toolkit.show(FRAME, KIND, hover=["hi"] * 90, **options)
    assert column_names(chosen) == ["size"] and chosen.names[5] == "5"
    wide = pd.DataFrame(default_rng(0).normal(size=(90, 50)))
    wide = toolkit.show(wide, KIND.to_numpy())
    assert column_names(wide) == [str(j) for j in range(40)]


def column_names(explorer):
    return [column["name"] for column in explorer.columns]


def test_what_is_neither_number_nor_word_has_a_reason():
    X = FRAME.assign(
        text=[1, "a"] * 45,
        empty=None,
        gaps=pd.array(["a", None] * 45, dtype="string"),
        month=pd.period_range("2024-01", periods=90, freq="M"),
    )
    rows = read_rows(X)
    # u, n, flag; hue, sort, gaps
    assert rows.numbers.shape == rows.words.shape == (90, 3)
    reasons = ["neither numbers nor words", "nothing but gaps", "dates"]
    assert [
        rows.left_out[name] for name in ("text", "empty", "month")
    ] == reasons
    assert column_names(toolkit.show(X, KIND)) == list(X)


# ---- what is refused ----


X4 = np.eye(4)
Y4 = [0, 1, 0, 1]
REFUSED = [
    (X4, [1, 1, 1, 1], {}, "`y` must hold at least two classes"),
    (X4, [0.5] * 4, {}, "`y` must hold values that differ among the samples .*; all are 0.5"),
    (FRAME, "kind", {}, "`y` must hold the class, labels or value of each sample; got 'kind'. .*X.drop"),
    (X4, [0.5, 1, 0.2, 0.1], {"label_names": ["a"]}, "`label_names` must be None for values"),
    (np.ones((4, 2)), Y4, {}, "`X` must hold samples that differ"),
    (np.full((4, 2), np.nan), Y4, {"map": "PCA"}, "`X` must be a table of finite real numbers"),
    (X4, Y4, {"random_state": "abc"}, "`random_state` must be an integer between 0 and 4294967295"),
    (X4, Y4, {"map": "UMAP"}, '`map` must be one of None, "linear", "SLE-ML", "Fisher t-SNE", "PCA", "t-SNE"'),
    (X4, Y4, {"scale": 2}, "`scale` must be True or False"),
    (FRAME.assign(u=FRAME.u.where(np.arange(90) > 1)), KIND, {}, "no missing numbers; column 'u' has 2 .*X.fillna"),
    (FRAME[["day", "label"]], KIND, {}, "`X` must hold samples that differ.*day: dates, label: 90 different words"),
    (FRAME[["u", "n", "u"]], KIND, {}, "`X` must have columns of different names; it repeats 'u'"),
    (FRAME.assign(kind=KIND), KIND, {}, "`X` must not hold the target; its column 'kind' is `y`"),
]  # fmt: skip


@mark.parametrize(("X", "y", "options", "says"), REFUSED)
def test_the_message_says_what_is_wrong(X, y, options, says):
    with raises(ValueError, match=says):
        toolkit.show(X, y, **options)


def test_two_samples_are_shown_and_nothing_is_said_of_others():
    explorer = toolkit.show(np.eye(2), [0, 1])
    assert explorer.axes[0]["values"] == ["linear", "PCA"]  # t-SNE needs more
    assert "nothing is known of new samples" in explorer.text_()
    assert np.isfinite(explorer.embedding_).all()


def test_whole_numbers_that_measure_are_values():
    X, y = load_diabetes(return_X_y=True)  # 214 different integers in 442 rows
    y = y.astype(int)
    for target in (y, y.tolist(), y[:, None]):
        assert "Samples and values" in toolkit.show(X, target).text_()
    # as many as numbers may name
    assert len(toolkit.show(X, y % 30).label_names) == 30
    assert len(toolkit.show(X, y.astype(str)).label_names) == 214
