"""Quality, bounds, relevance, transfer, decision maps, displays.

Refusals of functions, scales, bars, sizes, tables.
"""

import io
import sys
from functools import partial

import numpy as np
import pandas as pd
from contract import refusal_test, scale_warnings
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression

from toolkit.bounds import (
    choose_null_space,
    generic_bounds,
    group_bounds,
    metric_bounds,
    relevance_bounds,
)
from toolkit.core import memory
from toolkit.decisionmap import DecisionMap
from toolkit.discriminant import LFDA
from toolkit.embed import MDS
from toolkit.lvq import GMLVQ
from toolkit.plots import (
    BoundsDisplay,
    CurvesDisplay,
    DecisionDisplay,
    MapDisplay,
    SampleLabelDisplay,
    TargetDisplay,
    ellipse_segments,
    publish,
    voronoi_segments,
)
from toolkit.quality import q_nx, r_nx
from toolkit.relevance import forward_relevance
from toolkit.transfer import SharedLinearEmbedding

rng = default_rng(0)
y = np.arange(45) % 3
X = rng.normal(size=(45, 4)) + 2 * np.eye(4)[y]
Z = X[:, :2]
W = np.arange(1.0, 5)
WORDS = np.full((45, 4), "red")
BOX = 0, 1, 0, 1
CELLS = np.zeros((3, 3), int)
REGRESSION = LinearRegression().fit(X, X[:, 0])
MODEL = LogisticRegression().fit(X, y)
PLANE = PCA(2)


def picture(model=MODEL, **options):
    return DecisionMap.from_map(
        model, X, Z, y, **{"grid": 6, "cv": 3} | options
    )


test_refused = refusal_test(
    [
        (
            lambda: generic_bounds(X, WORDS[:, 0]),
            "Of classes give `criterion` an error",
        ),
        (
            lambda: generic_bounds(X, y, 3),
            "`criterion` must be a function of X and y",
        ),
        (
            lambda: picture(max_samples=2),
            "`max_samples` must be None or an integer >= 3",
        ),
        (lambda: picture().plot(new=(3, y)), r"`new\[0\]` must be a table"),
        (
            lambda: DecisionMap.from_estimator(MODEL, X, embedder=LFDA()),
            "`y` is needed by `embedder`",
        ),
        (
            lambda: ellipse_segments(Z, np.ones((45, 2, 2)), size=np.nan),
            "`size` must be a finite number > 0",
        ),
        (
            lambda: voronoi_segments(Z, (1, 0, 0, 1)),
            "`box` must be .x_min, x_max, y_min, y_max.",
        ),
        (
            lambda: publish(3, "03_x", "A caption.", "A text."),
            "`figure` must be a matplotlib Figure; got 3",
        ),
        (
            lambda: MapDisplay(Z, X[:, 0]),
            "`y` must hold classes; got 45 different numbers.*TargetDisplay",
        ),
        (
            lambda: MapDisplay(Z, y, prototypes=Z),
            "`prototypes` and `prototype_labels` must have the same number of rows",
        ),
        (
            lambda: MapDisplay(Z, y).plot(size=1e308),
            "`size` must be a finite number from 0 to 100000",
        ),
        (
            lambda: DecisionDisplay(Z, y, list("abc"), CELLS, 3),
            r"`extent` must have shape \(4,\)",
        ),
        (
            lambda: DecisionDisplay(
                Z, y, list("abc"), CELLS, BOX, certainty=[1.0]
            ),
            "`certainty` must have shape",
        ),
        (
            lambda: SampleLabelDisplay(
                Z, np.eye(3)[y] * 2, np.eye(3, 2), np.eye(3, 2), "abc"
            ),
            "`label_names` must be",
        ),
    ]
)


CARE = {
    "bounds": lambda A: relevance_bounds(W, A, 1),
    "choice": lambda A: choose_null_space(
        LinearRegression().fit(A, X[:, 0]),
        A,
        X[:, 0],
        A,
        X[:, 0],
        null_spaces=[1],
    ),
    "transfer": lambda A: SharedLinearEmbedding(
        standardize=False, n_bandwidths=2
    ).fit(X, A),
    "picture": lambda A: DecisionMap.from_estimator(
        MODEL, A, y, metric="fisher", embedder=MDS(), grid=4, cv=2
    ),
}


@mark.parametrize("kind", CARE)
def test_scales_are_told_once(kind):
    unscaled = pd.DataFrame(X * [1, 1, 1, 1000])
    assert len(scale_warnings(lambda: CARE[kind](unscaled))) == 1
    assert not scale_warnings(
        lambda: CARE[kind](
            np.hstack([X[:, :3] / X[:, :3].std(0), np.eye(3)[y][:, :1]])
        )
    )


WITH_BAR = {
    "q_nx": lambda v: q_nx(X, Z, verbose=v),
    "r_nx": lambda v: r_nx(X, Z, n_samples=9, verbose=v),
    "forward": lambda v: forward_relevance(X, Z, 3, verbose=v),
    "bounds": lambda v: relevance_bounds(W, X, 1, verbose=v),
    "metric bounds": lambda v: metric_bounds(np.diag(W), X, 1, verbose=v),
    "groups": lambda v: group_bounds(W, X, list("aabb"), 1, verbose=v),
    "generic": lambda v: generic_bounds(X, X[:, 0], n_steps=1, verbose=v),
    "choice": lambda v: choose_null_space(
        REGRESSION, X, X[:, 0], X, X[:, 0], null_spaces=[1], verbose=v
    ),
    "picture": lambda v: picture(verbose=v),
}


@mark.filterwarnings("ignore")
@mark.parametrize("kind", WITH_BAR)
def test_bars(kind, capsys, bars):
    WITH_BAR[kind](False)
    assert capsys.readouterr() == ("", "") and not bars
    WITH_BAR[kind](True)
    assert "|" in capsys.readouterr().err
    assert bars and all(done == total for done, total in bars), bars
    with raises(ValueError, match="`verbose` must be True or False; got 'yes'"):
        WITH_BAR[kind]("yes")


# ---------------------------------------------------------------- sizes


def in_plane(embedder=PLANE, y=y, **options):
    options = {"grid": 6, "cv": 3} | options
    return DecisionMap.from_estimator(MODEL, X, y, embedder=embedder, **options)


def test_many_samples_have_a_map_of_some_of_them():
    view_of_all = in_plane()
    assert (
        view_of_all.sample_.tolist() == list(range(45))
        and view_of_all.projected_.labels is None
    )
    shown, again = (in_plane(max_samples=30) for _ in range(2))
    assert_array_equal(shown.sample_, again.sample_)
    alone = PCA(2).fit(X[shown.sample_])
    # all, also those placed
    assert_allclose(shown.embedding_, alone.transform(X), atol=1e-12)
    assert shown.misrepresented_.shape == shown.y_.shape == (45,)
    other_rows = np.setdiff1d(np.arange(45), shown.sample_)
    assert shown.projected_ == shown.score(X[other_rows])
    assert len(shown.held_out_.folds["labels"]) == 3
    given = picture(
        max_samples=30, distances=np.linalg.norm(Z[:, None] - Z, axis=2)
    )
    assert_array_equal(given.embedding_, Z)
    assert given.with_model(MODEL).projected_ == given.projected_


def test_memory_is_asked_for_before_the_work(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1e4)
    with raises(
        ValueError,
        match="The grid in the data space needs .* Take a smaller `grid`",
    ):
        picture(grid=100)


# ---------------------------------------------------------------- habits


@mark.parametrize("embedder", [LFDA(), GMLVQ(rank=2)])
def test_a_map_that_learns_labels_gets_them(embedder):
    assert_array_equal(
        in_plane(embedder).embedding_, embedder.fit_transform(X, y)
    )
    learned = in_plane(embedder, y=None, auxiliary="model")
    assert_array_equal(
        learned.embedding_, embedder.fit_transform(X, MODEL.predict(X))
    )


def test_score_with_the_truth_is_also_that_of_scikit_learn():
    shown_of = partial(DecisionMap.from_map, X=X, Z=Z, grid=4, cv=None)
    for model, truth in ((MODEL, y), (REGRESSION, X[:, 1])):
        shown = shown_of(model)
        found = shown.score(X, truth)
        assert found.model_score == approx(model.score(X, truth))
        assert found.picture_score is not None
        assert shown.score(X).model_score is None
    assert shown_of(REGRESSION, y=np.ones(45)).model_score_ == 0.0


def test_results_are_tables(monkeypatch):
    unnamed = relevance_bounds(W, X, 1).to_frame()
    assert list(unnamed.index) == ["X1", "X2", "X3", "X4"]
    held_out = picture().held_out_
    labels = [held_out.labels, *held_out.folds["labels"]]
    assert list(held_out.to_frame().loc["labels"]) == labels
    monkeypatch.setitem(sys.modules, "pandas", None)
    with raises(
        ImportError, match="a DataFrame needs pandas; install it with `pip"
    ):
        held_out.to_frame()


def test_a_criterion_of_classes_gets_them():
    def classes(A):
        return np.where(A[:, 0] > 0, "b", "a")

    def wrong(A, names):
        return np.mean(names != classes(A)) if A.shape[1] else 0.5

    bounds = generic_bounds(X, classes(X), wrong, n_steps=1)
    assert bounds.error == 0 and bounds.lower.argmax() == 0


# ---------------------------------------------------------------- displays
NAMES = ["cost $5 or $6", r"$\foo$", "$x^$", "_hidden", "", "a\ud800"]
HOMES = np.eye(3, 2)
LABELS = np.eye(3)[y]
DRAWN = {
    "map": lambda t, ax: (
        MapDisplay(Z, y, [t, "b", "c"]).plot(ax, title=t).legend()
    ),
    "decisions": lambda t, ax: DecisionDisplay(
        Z, y, [t, "b", "c"], CELLS, BOX
    ).plot(ax, name_classes=True, title=t),
    "target": lambda t, ax: TargetDisplay(Z, X[:, 0], t).plot(ax, title=t),
    "bounds": lambda t, ax: BoundsDisplay(
        [0.1, 0.2], [0.3, 0.4], [t, "b"]
    ).plot(ax, title=t, xlabel=t),
    "curves": lambda t, ax: CurvesDisplay(
        [0, 1], [[0, 1], [1, 2]], [t, "b"]
    ).plot(ax, ylabel=t, legend=True),
    "labels": lambda t, ax: SampleLabelDisplay(
        Z, LABELS, HOMES, HOMES, [t, "b", "c"]
    ).plot(ax),
}


@mark.parametrize("kind", DRAWN)
def test_names_are_shown_as_they_are_without_pyplot_by_every_backend(kind):
    figure = Figure(dpi=50)
    for name, ax in zip(NAMES, figure.subplots(2, 3).flat, strict=True):
        DRAWN[kind](name, ax)
    for form in ("png", "svg", "pdf"):
        figure.savefig(io.BytesIO(), format=form)
    for name in filter(None, NAMES):
        # half of a surrogate pair is unknown
        as_shown = name.replace("\ud800", "\ufffd")
        texts = [
            text for text in figure.findobj(Text) if text.get_text() == as_shown
        ]
        assert texts and all(not text.get_parse_math() for text in texts)


def test_names_of_the_largest_of_very_many_classes():
    words = np.array([f"class {k}" for k in range(200)])
    Z = default_rng(0).normal(size=(400, 2))
    y = np.append(np.arange(200), np.zeros(200, int))
    named = {
        text.get_text() for text in MapDisplay(Z, words[y]).plot().ax_.texts
    }
    assert len(named) == 60 and "class 0" in named
