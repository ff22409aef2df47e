"""`toolkit.show`: one line from data to maps that say first what they tell of samples that had no part in them."""

import re

import numpy as np
import pandas as pd
from label_sets import multilabel_gaussians
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, mark, raises
from scipy.sparse import csr_matrix
from sklearn.cross_decomposition import PLSRegression
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
from toolkit.tabular import read_samples
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


def errors(explorer):
    """Of the held-out and of the fitted samples, and baseline, as the status says them."""
    status = explorer._frame["status"]
    matches = re.findall(r"(?:error|baseline) ([\d.]+) %", status)
    return [float(percent) / 100 for percent in matches]


def fitted_to(X, y, **options):
    """Numbers, target and which samples maps are fitted to (n,)."""
    A, task, fitted, *_ = read_samples(X, y, **options)
    return A, task, np.isin(np.arange(len(A)), fitted)


# ---- known answers ----


def test_the_first_view_is_sla_of_two_thirds():
    """SL-A does not care about scales: its map of the table as it is."""
    X, y = IRIS
    explorer = toolkit.show(X, y)
    _, _, fitted = fitted_to(X, y)
    # of 149 different ones
    assert fitted.sum() in (99, 100)
    expected = SampleLabelMap(None).fit(X[fitted], y[fitted]).transform(X)
    assert_allclose(abs(explorer.embedding_), abs(expected[:, :2]), atol=1e-5)
    assert explorer.setting_ == {"map": "linear"}
    assert set(explorer.side_names) == {"training", "held out"}
    outlined = fitted == (explorer.side_names[0] == "training")
    assert explorer.outlined == outlined.tolist()
    assert explorer.caption.startswith(
        f"Outlines: {explorer.side_names[0]} samples."
    )


def test_numbers_are_those_of_nearest_fitted_neighbours():
    X, y = IRIS
    explorer = toolkit.show(X, y)
    _, _, fitted = fitted_to(X, y)
    new = ~fitted
    assert not (X[new][:, None] == X[fitted]).all(axis=2).any()
    model = KNeighborsClassifier(5, algorithm="brute")
    for name in ("linear", "PCA"):
        explorer.set(map=name)
        Z = explorer.embedding_
        held_out, _, baseline = errors(explorer)
        neighbours = model.fit(Z[fitted], y[fitted])
        expected = 1 - neighbours.score(Z[new], y[new])
        assert held_out == approx(expected, abs=1 / 50 + 5e-3)  # ties
        counts = np.bincount(y[new])
        assert baseline == approx(1 - counts.max() / new.sum(), abs=5e-3)


@mark.parametrize("name", ["linear", "SLE-ML", "Fisher t-SNE", "PCA", "t-SNE"])
def test_all_maps_separate_and_say_whether_they_are_supervised(name):
    explorer = toolkit.show(*BLOBS)
    explorer.set(map=name)
    assert explorer.error == "" and errors(explorer)[:2] == [0, 0]
    assert ("unsupervised" in explorer.text_()) == (name in ("PCA", "t-SNE"))


def test_labels_that_mean_nothing_separate_the_fitted_and_tell_nothing_of_the_others():
    rng = default_rng(0)
    explorer = toolkit.show(rng.normal(size=(300, 5)), rng.integers(0, 2, 300))
    explorer.set(map="SLE-ML")
    held_out, fitted, baseline = errors(explorer)
    assert fitted < 0.05
    assert abs(held_out - 0.5) < 0.15 and abs(baseline - 0.5) < 0.1


def test_values_have_an_error_beside_the_baseline():
    X = default_rng(0).normal(size=(300, 4))
    explorer = toolkit.show(X, X[:, 0])
    assert explorer.axes[0]["values"] == [
        "linear",
        "Fisher t-SNE",
        "PCA",
        "t-SNE",
    ]
    matches = re.findall(
        r"(?:held-out error|baseline) (\d\.\d\d)", explorer.text_()
    )
    error, baseline = map(float, matches)
    assert error < 0.2 and baseline == approx(1, abs=0.2)
    assert explorer.color_by == column_names(explorer)[0] == "y"
    # also where half are alike
    assert toolkit.show(X, np.maximum(X[:, 0], 0)).color_by == "y"


def test_two_classes_and_values_have_partial_least_squares():
    X, y = load_breast_cancer(return_X_y=True)
    for target in (y, X[:, 0] / 3):
        A, task, fitted = fitted_to(X, target)
        embedding = toolkit.show(X, target).embedding_
        pls = PLSRegression(2, scale=False).fit(A[fitted], task.y[fitted])
        assert_allclose(embedding, pls.transform(A), atol=1e-5)


def test_maps_are_fitted_to_a_thousand_samples_at_most():
    explorer = toolkit.show(*make_blobs(2400, centers=3, random_state=0))
    assert "fitted to 1,000 of 2,400" in explorer.text_()


def test_sets_of_labels_have_names():
    X, Y = multilabel_gaussians(90)
    explorer = toolkit.show(csr_matrix(X), Y, label_names=list("abcd"))
    assert {"a", "a + b"} <= set(explorer.label_names)


# ---- code ----


def check_code(explorer, X, y):
    """Of each value of the first slider the code gives the positions shown."""
    axis = explorer.axes[0]
    for value in axis["values"]:
        explorer.set(**{axis["name"]: value})
        assert explorer.error == "", (value, explorer.error)
        Z = explorer.embedding_
        positions = last_value(explorer.code_, X=X, y=y)
        assert_allclose(
            positions, Z, atol=1e-6 * np.abs(Z).max(), err_msg=value
        )


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


# ---- invariances ----


def test_names_of_classes_change_no_position():
    X, y = BLOBS
    # -1 is a class
    targets = y, np.array(["c", "a", "b"])[y], y - 1
    explorer_of_names, *other_explorers = (
        toolkit.show(X, target) for target in targets
    )
    for name in explorer_of_names.axes[0]["values"]:
        for explorer in (explorer_of_names, *other_explorers):
            explorer.set(map=name)
            assert errors(explorer) == errors(explorer_of_names)
        # in which the order of classes changes roundings, and descents differ
        if name != "Fisher t-SNE":
            Z = np.abs(other_explorers[0].embedding_)
            expected = np.abs(explorer_of_names.embedding_)
            assert_allclose(Z, expected, atol=1e-4)


def test_units_of_columns_change_no_position():
    X, y = BLOBS
    embedding = toolkit.show(X * 1.0, y).embedding_
    other = toolkit.show(X * [1.0, 1024.0, 2.0**-6], y).embedding_
    assert_allclose(embedding, other)


# ---- which samples are fitted ----


def test_a_label_that_no_fitted_sample_has_is_left_out():
    """Label 0 has one of the three samples of each other label: all can be kept out."""
    is_third = np.arange(12) % 3 == 1
    Y = np.c_[is_third, np.repeat(np.eye(4), 3, axis=0)].astype(int)
    noise = default_rng(0).normal(size=(12, 3))
    X = noise + 5 * Y[:, 1:4]
    seed = 0
    while "label 0" in fitted_to(X, Y, random_state=seed)[1].names:
        seed += 1
    explorer = toolkit.show(X, Y, random_state=seed)
    assert not any("label 0" in name for name in explorer.label_names)
    assert "random_state=" + str(seed) in explorer.code_
    check_code(explorer, X, Y)


# ---- tables ----


def test_a_table_names_samples_and_shows_its_columns():
    explorer = toolkit.show(FRAME, KIND)
    assert explorer.names == FRAME.index.tolist()
    assert explorer.label_names == ["raw", "ripe"]
    assert column_names(explorer) == FRAME.columns.tolist()
    left_out = "Not in the map: label (free text)."
    assert left_out in explorer.caption and explorer.title == "Samples and kind"
    numbers = FRAME.reset_index(drop=True)
    assert toolkit.show(numbers, KIND).names == []  # numbers from 0
    wide = pd.DataFrame(default_rng(0).normal(size=(90, 50)))
    wide = toolkit.show(wide, KIND.to_numpy())
    assert column_names(wide) == [str(j) for j in range(40)]


def column_names(explorer):
    return [column["name"] for column in explorer.columns]


def test_a_table_is_read_as_a_look_reads_it():
    other_rows = [[1, 2]] * 90
    X = FRAME.assign(
        empty=None, list=other_rows, comma=["1,5", "2,5", None] * 30
    )
    samples = read_rows(X)
    A, left_out = samples.A, samples.left_out
    # u, n, hue with gaps, sort, flag, day, empty, comma and whether it is missing
    assert A.shape == (90, 11)
    left = {"label": "free text", "list": "neither numbers nor words"}
    assert left_out == left
    assert column_names(toolkit.show(X, KIND)) == list(X)


# ---- what is refused ----


EYE = np.eye(10)
PAIR = [0, 1] * 5
REFUSED = [
    (EYE, [1] * 10, {}, "`y` must hold at least two classes"),
    (EYE, [0.5] * 10, {}, "`y` must hold targets that differ among the samples .*; all are 0.5"),
    (FRAME, "kind", {}, "`y` must hold the class, labels or value of each sample; got 'kind'. .*X.drop"),
    (EYE, np.arange(10) / 7, {"label_names": ["a"]}, "`label_names` must be None for values"),
    (np.ones((10, 2)), PAIR, {}, "`X` must hold at least 10 samples that differ .* got 1, and left out: none"),
    (np.full((10, 2), np.nan), PAIR, {}, "`X` must be a table of finite real numbers"),
    (EYE, PAIR, {"random_state": "abc"}, "`random_state` must be an integer between 0 and 4294967295"),
    (FRAME[["label"]], KIND, {}, "`X` must hold at least 10 samples that differ.*`label` \\(free text\\)"),
    (FRAME.assign(u=np.inf), KIND, {}, "`X` must hold finite numbers .*; column `u` is inf in F0"),
    (FRAME[["u", "n", "u"]], KIND, {}, "`X` must have columns of different names; it repeats 'u'"),
    (FRAME.assign(kind=KIND), KIND, {}, "`X` must not hold the target; its column 'kind' is `y`"),
]  # fmt: skip


@mark.parametrize(("X", "y", "options", "says"), REFUSED)
def test_the_message_says_what_is_wrong(X, y, options, says):
    with raises(ValueError, match=says):
        toolkit.show(X, y, **options)


def test_whole_numbers_that_measure_are_values():
    X, y = load_diabetes(return_X_y=True)  # 214 different integers in 442 rows
    y = y.astype(int)
    for target in (y, y.tolist(), y[:, None]):
        assert "Samples and values" in toolkit.show(X, target).text_()
    # as many as numbers may name
    assert len(toolkit.show(X, y % 30).label_names) == 30
    assert len(toolkit.show(X, y.astype(str)).label_names) == 214
