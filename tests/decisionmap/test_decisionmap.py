"""Decision maps: models, known answers in the plane, held-out samples, refusals."""

import copy
import warnings

import numpy as np
import pandas as pd
import scipy.sparse
from claims.view_topology import region_numbers
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises, warns
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, KernelPCA
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.manifold import SpectralEmbedding
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from toolkit.datasets import make_ball_with_tube
from toolkit.decisionmap import (
    DecisionMap,
    ModelFunction,
    Predictions,
    agreement,
)
from toolkit.decisionmap.agreement import correlation
from toolkit.decisionmap.certainty import PairwiseMachine
from toolkit.decisionmap.view import grid_cells
from toolkit.embed import MDS
from toolkit.fisher import KernelFisher, ParzenFisher
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.lvq import GMLVQ, RSLVQ

# Fifty flowers of three kinds, a little moved so that all differ, and points among and
# beyond them.
IRIS = load_iris(as_frame=True)
NAMES = np.array(["c", "a", "b"])
X = IRIS.data.to_numpy()[::3] + 0.01 * default_rng(0).normal(size=(50, 4))
y = IRIS.target.to_numpy()[::3]
TWO = np.minimum(y, 1)
rng = default_rng(1)
BETWEEN = X[rng.integers(50, size=200)] + rng.normal(size=(200, 4))
X.flags.writeable = y.flags.writeable = False
FRAME = pd.DataFrame(X, columns=list("abcd"))
Z = PCA(2).fit_transform(X)
SVM = SVC().fit(X, y)
LINE = LinearRegression().fit(X, y)
LOGISTIC = LogisticRegression(max_iter=1000).fit(X, y)


def in_plane(model, X=X, y=y, **options):
    settings = {"embedder": PCA(2), "grid": 25} | options
    return DecisionMap.from_estimator(model, X, y, **settings)


def on_map(model, X=X, Z=X[:, :2], y=y, **options):
    return DecisionMap.from_map(model, X, Z, y, **({"grid": 5} | options))


def product(A, B):
    return np.asarray(A) @ np.asarray(B).T


# ---------------------------------------------------------------- what a model says
MACHINES = [
    SVC(),
    SVC(kernel="poly", degree=2, coef0=1.0, gamma=0.5),
    SVC(kernel=product),
    SVC(break_ties=True, decision_function_shape="ovr"),
    NuSVC(nu=0.3),
]


@mark.parametrize("n_classes", [2, 3, 5])
@mark.parametrize(
    "machine",
    MACHINES,
    ids=lambda machine: repr(machine).partition(" at 0x")[0],
)
def test_pairwise_machines_are_scikit_learns(machine, n_classes):
    codes = {2: y > 1, 3: y, 5: y + 3 * (X[:, 1] > 3) * (y > 0)}[n_classes]
    named = np.array(["rose", "aster", "lily", "iris", "daisy"])[
        np.unique(codes, return_inverse=True)[1]
    ]
    machine.fit(X, named)
    answers = ModelFunction(machine)(BETWEEN)
    values = PairwiseMachine(machine).values(BETWEEN)
    assert_array_equal(answers.values, machine.predict(BETWEEN))
    if n_classes == 2:
        assert np.array_equal(
            answers.signed > 0, answers.values == machine.classes_[1]
        )
    pairs = copy.copy(machine).set_params(
        decision_function_shape="ovo", break_ties=False
    )
    theirs = pairs.decision_function(BETWEEN)
    assert_allclose(values.squeeze(), theirs, atol=1e-10)


@mark.parametrize("n_classes", [2, 3])
def test_certainty_of_a_linear_machine_is_the_distance_to_its_planes(n_classes):
    classes = np.minimum(y, n_classes - 1)
    W = SVC(kernel="linear", C=5.0).fit(X, classes).coef_
    norms = norm(W, axis=1)
    for samples in (X, FRAME):
        machine = SVC(kernel="linear", C=5.0).fit(samples, classes)
        assert_allclose(PairwiseMachine(machine).norms, norms, rtol=1e-6)
    signed = BETWEEN @ W.T + machine.intercept_
    distances = np.abs(signed) / norms
    answers = ModelFunction(SVC(kernel="linear", C=5.0).fit(X, classes))(
        BETWEEN
    )
    if n_classes == 3:  # pairs (0, 1), (0, 2), (1, 2)
        knows = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool)[
            answers.values
        ]
        distances = np.where(knows, distances, np.inf)
    assert_allclose(answers.certainty, distances.min(axis=1), atol=1e-9)


def test_an_svc_in_pipelines_sparse_or_with_given_kernels():
    steps = make_pipeline(StandardScaler(), PCA(3), SVC()).fit(X, y)
    search = GridSearchCV(steps, {"svc__C": [1.0]}, cv=2).fit(X, y)
    projected = steps[:-1].transform(BETWEEN)
    certainty_alone = ModelFunction(steps[-1])(projected).certainty
    plain = ModelFunction(SVM)(BETWEEN).certainty
    sparse = SVC().fit(scipy.sparse.csr_matrix(X), y)
    for model, certainty in (
        (steps, certainty_alone),
        (search, certainty_alone),
        (sparse, plain),
    ):
        assert_allclose(
            ModelFunction(model)(BETWEEN).certainty, certainty, atol=1e-9
        )
    of_kernel = ModelFunction(SVC(kernel="precomputed").fit(X @ X.T, y))(
        BETWEEN @ X.T
    )
    expected = SVC(kernel="linear").fit(X, y).predict(BETWEEN)
    assert_array_equal(of_kernel.values, expected)


LEADS = [
    LogisticRegression(max_iter=1000),
    KNeighborsClassifier(3),
    GridSearchCV(LogisticRegression(max_iter=1000), {"C": [1.0]}, cv=2),
    GMLVQ(random_state=0),
    LinearSVC(),
]


@mark.parametrize("model", LEADS, ids=lambda model: type(model).__name__)
@mark.parametrize("n_classes", [2, 3])
def test_certainty_is_the_lead_of_the_first(model, n_classes):
    model.fit(X, np.minimum(y, n_classes - 1))
    answers = ModelFunction(model)(BETWEEN)
    assert_array_equal(answers.values, model.predict(BETWEEN))
    if hasattr(model, "predict_proba"):
        scores = model.predict_proba(BETWEEN)
    else:
        scores = model.decision_function(BETWEEN)
    if scores.ndim == 1:
        scores = np.column_stack([0 * scores, scores])
    second, first = np.sort(scores, axis=1)[:, -2:].T
    assert_allclose(answers.certainty, first - second, atol=1e-12)
    if n_classes == 2:
        lead = scores[:, 1] - scores[:, 0]
        assert_allclose(answers.signed, lead, atol=1e-12)


def test_callables_of_two_classes_may_be_signed_or_not():
    model = LogisticRegression().fit(X, TWO)
    signed = ModelFunction(model, "decision_function")(BETWEEN).signed
    for function in (
        model.decision_function,
        lambda A: np.abs(model.decision_function(A)),
    ):
        answers = ModelFunction(model, function)(BETWEEN)
        assert_allclose(answers.signed, signed)
        assert_allclose(answers.certainty, np.abs(signed))
    # one rule for all rows, however they are cut into blocks: below zero is the first
    # class everywhere
    many_rows = np.tile(X[:1], (4096, 1))
    rows = np.vstack([many_rows, X])
    shifted = ModelFunction(model, lambda A: A[:, 0] - X[0, 0])(rows)
    expected = rows[:, 0] - X[0, 0]
    assert_array_equal(shifted.signed, expected)


class FourColumns(DummyClassifier):
    """A classifier with probabilities of four classes, whatever it was fitted to."""

    def predict_proba(self, X):
        return np.ones((len(X), 4))


class Plain(DummyClassifier):
    """A classifier that says nothing of certainty."""

    predict_proba = property()


class Blind(DummyRegressor):
    """A regressor that does not know points beyond the samples."""

    def predict(self, A):
        is_outside = A[:, 0] < X[:, 0].min()
        return np.where(is_outside, np.nan, A[:, 0])


TREE = DecisionTreeClassifier(random_state=0).fit(X, y)
OVO = make_pipeline(SVC(decision_function_shape="ovo")).fit(X, y)
BAD_MODELS = [
    (SVC(), "auto", "This SVC instance is not fitted yet. Call 'fit'"),
    (TREE, "margin", '`certainty` must be one of "auto", "predict_proba", '),
    (TREE, "decision_function", "`model` has no decision_function"),
    (
        Plain().fit(X, y),
        "predict_proba",
        "Give `certainty` a function of samples, or None",
    ),
    (OVO, "decision_function", 'Set `decision_function_shape="ovr"`'),
    (
        TREE,
        lambda A: A,
        "`certainty` must be a function that returns shape .50,.; got",
    ),
    (
        TREE,
        lambda A: -A[:, 0],
        "`certainty` must not be negative with more than two",
    ),
    (
        TREE,
        lambda A: A[:, 0] * np.nan,
        "certainties that are not finite for 50 of 50",
    ),
    (
        FourColumns().fit(X, y),
        "auto",
        "must return one column per class .3.; got",
    ),
    (
        LinearRegression().fit(X, np.column_stack([y, y])),
        None,
        "`model` must be a model of one output",
    ),
]


@mark.parametrize("model, certainty, message", BAD_MODELS)
def test_bad_models_and_certainties(model, certainty, message):
    with raises(ValueError, match=message):
        ModelFunction(model, certainty)(X)


# ---------------------------------------------------------------- agreement
def test_agreement_on_paper():
    true_names = np.array(["a", "a", "b", "b", "c"])
    true = Predictions(true_names, np.array([1.0, 2, 3, 4, 5]))
    shown_names = np.array(["a", "b", "b", "b", "c"])
    of_picture = Predictions(shown_names, np.array([2.0, 4, 6, 8, 10]))
    folds = [np.array([0, 1]), np.array([2, 3, 4])]
    result = agreement(true, of_picture, folds)
    assert (result.labels, result.majority) == (0.8, 0.4)
    assert result.certainty == approx(1)
    # by chance 0.4 0.2 + 0.4 0.6 + 0.2 0.2
    assert result.kappa == approx((0.8 - 0.36) / 0.64)
    assert result.folds["labels"].tolist() == [0.5, 1.0]
    a = Predictions(np.array([1.0, 3.0]))
    b = Predictions(np.array([2.0, 4.0]))
    numbers = agreement(a, b, [np.array([0])], classifies=False)
    assert numbers.predictions == approx(1) and numbers.error == approx(1)
    assert np.isnan(numbers.folds["error"]).all()
    assert numbers.labels is None and numbers.kappa is None
    two = agreement(
        *(Predictions(TWO[:2], TWO[:2], s * X[:2, 0]) for s in (1, -1))
    )
    assert two.signed == -1 and np.isnan(two.certainty)


@mark.filterwarnings("error")
@mark.parametrize("unit", [1e-310, 1e-200, 1.0, 1e160, 1e308])
def test_agreement_in_any_unit(unit):
    a = Predictions(np.array([1.0, -1.0, 0.0]) * unit)
    b = Predictions(np.array([1.0, -1.0, 0.5]) * unit)
    result = agreement(a, b, classifies=False)
    assert result.predictions == approx(
        np.corrcoef([1, -1, 0], [1, -1, 0.5])[0, 1]
    )
    assert result.error == approx(np.sqrt(0.25 / 2))


# ---------------------------------------------------------------- maps
@mark.parametrize(
    "model",
    [SVC(), KNeighborsClassifier(), LogisticRegression(), LinearRegression()],
    ids=repr,
)
def test_two_dimensional_data_are_their_own_map(model):
    flat = X[:, 1:3]
    model.fit(flat, y)
    view = in_plane(model, flat, grid=(9, 13))
    x0, x1, y0, y1 = view.extent_
    x_middles = (np.arange(13) + 0.5) / 13
    columns, rows = np.meshgrid(x_middles, (np.arange(9) + 0.5) / 9)
    x_cells = x0 + columns.ravel() * (x1 - x0)
    y_cells = y0 + rows.ravel() * (y1 - y0)
    cells = np.column_stack([x_cells, y_cells])
    points = PCA(2).fit(flat).inverse_transform(cells)
    assert_allclose(view.grid_values_.ravel(), model.predict(points), atol=1e-9)
    assert view.round_trip().max() < 1e-10
    assert_allclose(view.inverse_transform(view.embedding_), flat, atol=1e-10)
    assert_allclose(view.project(flat), view.embedding_, atol=1e-10)
    # shows every sample as it is
    fine = in_plane(model, flat, grid=400)
    if view.classes_ is None:
        assert (
            fine.in_sample_.predictions > 0.999 and fine.in_sample_.error < 0.05
        )
        return
    assert fine.in_sample_.labels > 0.97 and fine.label_agreement_ > 0.95
    assert not fine.misrepresented_[fine.certainty_ > 0.3].any()


def test_trust_falls_away_from_samples():
    view = in_plane(SVM, grid=60)
    cells = grid_cells(view.embedding_, view.extent_, (60, 60))
    assert (view.trust_[cells] == 1).all()
    assert 0 <= view.trust_.min() < 0.1 and view.trust_.max() == 1


@mark.parametrize("explicit", [False, True])
def test_a_held_out_sample_has_no_say_in_its_own_point(explicit):
    def held_out(X):
        view = (
            in_plane(LINE, X, None, grid=200)
            if explicit
            else on_map(LINE, X, Z, None, grid=200)
        )
        return view._view.held_out_samples, view._view.folds

    before, folds = held_out(X)
    assert np.array_equal(np.sort(np.concatenate(folds)), np.arange(50))
    fold = next(f for f in folds if 7 in f)
    other_rows = np.setdiff1d(np.arange(50), fold)
    mates = np.setdiff1d(fold, 7)
    after, _ = held_out(X + np.outer(np.arange(50) == 7, [3.0, 0.0, -2.0, 1.0]))
    assert_array_equal(after[mates], before[mates])
    assert not np.allclose(after[other_rows], before[other_rows])
    # the position stayed, so that the point of sample 7 stays too
    if not explicit:
        assert_array_equal(after[7], before[7])
        # of the others, read at the middle of the cell
        back = InverseMap().fit(X[other_rows], Z[other_rows])
        assert_allclose(
            before[fold], back.inverse_transform(Z[fold]), atol=0.05
        )


@mark.filterwarnings("error")
def test_another_model_in_the_same_plane():
    views = in_plane(SVM).with_model(LOGISTIC)
    view_alone = in_plane(LOGISTIC)
    for name in ("grid_values_", "grid_certainty_", "certainty_correlation_"):
        assert_array_equal(getattr(views, name), getattr(view_alone, name))
    by_margin = views.with_model(LOGISTIC, certainty="decision_function")
    assert by_margin.held_out_ != view_alone.held_out_
    # without `y` each model brings its own answers
    unnamed = on_map(SVM, y=None).with_model(SVC().fit(X, NAMES[y]))
    assert set(unnamed.y_) == set(unnamed.classes_) == set("abc")
    uneven = X * [1, 1, 1e4, 1]
    with warns(
        UserWarning, match="times the standard deviation.*StandardScaler"
    ):
        scaled = in_plane(SVC().fit(uneven, y), uneven, cv=None)
    scaled.with_model(SVC(C=5).fit(uneven, y))  # has been told
    with raises(
        ValueError, match="must be a classifier where the first was one"
    ):
        views.with_model(LINE)


def test_order_of_samples_and_names_of_classes():
    order = default_rng(0).permutation(50)
    plain = on_map(SVM, X, Z, cv=None)
    mixed = on_map(SVM, X[order], Z[order], y[order], cv=None)
    assert_allclose(mixed.grid_certainty_, plain.grid_certainty_, atol=1e-8)
    assert_array_equal(mixed.misrepresented_, plain.misrepresented_[order])
    numbered = on_map(SVC(tol=1e-10).fit(X, y), X, Z, y)
    renamed = on_map(SVC(tol=1e-10).fit(X, NAMES[y]), X, Z, NAMES[y])
    assert_array_equal(renamed.grid_values_, NAMES[numbered.grid_values_])
    assert_allclose(
        renamed.grid_certainty_, numbered.grid_certainty_, atol=1e-7
    )
    # pandas gives strings as objects, and integers as floats
    words = pd.Series(NAMES[y], dtype=object)
    assert on_map(renamed.model_, y=words).display().names == ["a", "b", "c"]
    for whole_numbers in (y * 1.0, pd.Series(y, dtype="Int64")):
        display = on_map(SVM, y=whole_numbers).display()
        assert display.names == ["0", "1", "2"] and (display.index == y).all()


@mark.filterwarnings("error")
@mark.parametrize(
    "options",
    [{}, {"metric": "fisher"}, {"metric": "fisher", "auxiliary": "model"}],
)
def test_data_frames_keep_their_columns(options):
    by_name = make_column_transformer(
        (StandardScaler(), ["a", "c"]), ("passthrough", ["b", "d"])
    )
    model = make_pipeline(by_name, LogisticRegression(max_iter=1000)).fit(
        FRAME, y
    )
    options = {"embedder": MDS(), "grid": 9, "cv": 3} | options
    view = in_plane(model, FRAME, **options)
    assert view.score(FRAME[::6]).labels > 0.5
    in_plane(LogisticRegression(max_iter=1000).fit(FRAME, y), FRAME, **options)
    assert_array_equal(view.predicted_, model.predict(FRAME))


# ---------------------------------------------------------------- metrics and ways
def test_fisher_metric_of_a_target_and_of_similarities():
    options = {"embedder": MDS(), "grid": 9, "cv": 3}
    view = in_plane(
        SVR().fit(X, X[:, 0]), y=X[:, 0], metric="fisher", **options
    )
    assert view.prediction_correlation_ > 0.5
    S = X @ X.T
    kernel = in_plane(
        SVC(kernel="precomputed").fit(S, y), S, metric=KernelFisher(), **options
    )
    assert kernel.label_agreement_ > 0.5 and kernel.project(S[:2]).shape == (
        2,
        2,
    )


def test_new_samples_by_the_map_by_a_kernel_map_or_not_at_all():
    without = in_plane(SVM, embedder=SpectralEmbedding(affinity="rbf"), grid=9)
    assert_allclose(
        without.project(X[:5]),
        KernelMap().fit(X, without.embedding_).transform(X[:5]),
    )
    assert without.score(X).labels > 0.6
    D = norm(X[:, None] - X, axis=-1)
    for metric in (None, np.tile(np.eye(4), (50, 1, 1))):
        with raises(ValueError, match="New samples have no position"):
            on_map(SVM, metric=metric, distances=D).project(X)
    with raises(
        ValueError, match="`projector` must be None or an object with a"
    ):
        on_map(SVM, projector=SVC())


NEW = BETWEEN[:3]


def test_score_compares_with_the_model():
    view = in_plane(SVM, grid=80)
    cells = grid_cells(view.project(BETWEEN), view.extent_, (80, 80))
    is_same = view.grid_values_[cells] == SVM.predict(BETWEEN)
    assert view.score(BETWEEN).labels == np.mean(is_same)
    assert view.display(["x", "y", "z"], new=(NEW, [0, 1, 2])).names == [
        "x",
        "y",
        "z",
    ]
    regression = in_plane(Ridge().fit(X, y))
    assert regression.score(BETWEEN).predictions > 0.5
    assert regression.display(new=(NEW, [0, 1, 2])).targets.tolist() == [
        0,
        1,
        2,
    ]
    with raises(
        ValueError, match=r"`new\[0\]` and `new\[1\]` must have the same"
    ):
        view.display(new=(NEW, [0, 1]))
    with raises(ValueError, match="`new` must be a pair"):
        view.display(new=(NEW, None))


def test_prototypes_and_frames():
    view = in_plane(RSLVQ(random_state=0).fit(X, y), cv=None)
    assert view.prototype_positions().shape == (len(view.model_.prototypes_), 2)
    frame = view.frame("three kinds")
    assert (
        frame["background"].shape == (25, 25, 3)
        and frame["status"] == "three kinds"
    )
    assert_array_equal(frame["rings"], np.flatnonzero(view.misrepresented_))


# ---------------------------------------------------------------- edges
def test_models_of_one_answer():
    view = on_map(DummyClassifier().fit(X, 0 * y), y=0 * y)
    assert view.label_agreement_ == 1 and view.held_out_.kappa == 0
    flat = on_map(DummyRegressor(strategy="constant", constant=0.1).fit(X, y))
    assert np.isnan(flat.prediction_correlation_) and np.isnan(
        flat.held_out_.error
    )
    assert not flat.misrepresented_.any()
    tree = on_map(TREE)  # full-grown, and so certain everywhere
    assert (tree.certainty_ == 1).all() and np.isnan(
        tree.certainty_correlation_
    )


def test_a_model_without_certainty():
    with warns(UserWarning, match="no predict_proba or decision_function"):
        view = on_map(Plain().fit(X, y))
    assert (
        view.certainty_ is view.grid_certainty_ is view.certainty_correlation_
    )
    assert view.certainty_ is None and view.label_agreement_ == 1
    assert view.display().image().shape == (5, 5, 3)


BAD_TARGETS = [
    (SVM, np.full(50, 7), "`y` must be classes that `model` was fitted to"),
    (
        SVM,
        np.array(["a", 1] * 25, dtype=object),
        "`y` must hold classes of one kind",
    ),
]


def test_classes_that_the_model_never_met():
    with warns(
        UserWarning,
        match=r"`y` holds classes that the model was not fitted to and cannot show: \[2\]",
    ):
        view = on_map(SVC().fit(X[y < 2], y[y < 2]))
    assert view.classes_.tolist() == [0, 1, 2]
    assert view.display().names == ["0", "1", "2"]
    for model, wrong, message in BAD_TARGETS:
        with raises(ValueError, match=message):
            on_map(model, y=wrong)


def test_answers_that_are_no_numbers():
    with raises(
        ValueError,
        match="`model` gives predictions that are not finite for .* between the samples",
    ):
        in_plane(Blind().fit(X, y), y=y * 1.0)


@mark.filterwarnings("error")
def test_places_that_coincide():
    for place in (0.0, 1.0, -1e20, 1e99):
        view = on_map(SVM, Z=np.full((50, 2), place))
        assert (
            np.isfinite(view.trust_).all()
            and np.isfinite(view.round_trip()).all()
        )
        assert view.extent_[0] < place < view.extent_[1]
    x0, x1, y0, y1 = on_map(SVM, Z=X[:, :2] * [1, 0]).extent_
    assert y1 - y0 == approx(0.1 * (x1 - x0))
    alike = on_map(SVM, np.ones((50, 4)), y=None)
    assert alike.label_agreement_ == 1
    with raises(ValueError, match="at least two different samples"):
        alike.project(X)


def test_few_samples():
    def few(n, **options):
        return in_plane(SVM, X[:n], y[:n], grid=5, **options)

    assert few(3).held_out_.folds["labels"].shape == (3,)
    assert few(2, cv=None).grid_values_.shape == (5, 5)
    with raises(
        ValueError, match="`X` must hold at least 3 samples .*`cv=None`"
    ):
        few(2)


BAD_OPTIONS = [
    ({"grid": (3, 4, 5)}, "`grid` must be"),
    ({"auxiliary": "labels"}, '`auxiliary` must be one of "truth", "model"'),
    (
        {"metric": "cosine"},
        '`metric` must be None, "fisher" or a metric of toolkit.fi',
    ),
    (
        {"metric": "fisher"},
        "`embedder` PCA cannot take the distances of `metric`",
    ),
    (
        {"embedder": "tsne"},
        "`embedder` must be .* an object with get_params, fit_tr",
    ),
    (
        {"embedder": PCA(3)},
        r"`Z` must hold one position .*\(50, 2\); got \(50, 3\)",
    ),
]


@mark.parametrize("options, message", BAD_OPTIONS)
def test_bad_arguments(options, message):
    with raises(ValueError, match=message):
        in_plane(LOGISTIC, **options)


HOSTILE = st.one_of(
    st.sampled_from(
        [0.0, 1.0, 1.0 + 1e-15, -3.5, 1e-300, -5e-324, 1e99, -1e99, 1e14]
    ),
    st.floats(-1e3, 1e3),
)
SMALL = default_rng(0).normal(size=(20, 2)), np.arange(20) % 3
MODELS = [
    model.fit(*SMALL)
    for model in (
        KNeighborsClassifier(3),
        DummyRegressor(),
        LinearRegression(),
        SVC(),
    )
]
MODELS += [LogisticRegression().fit(SMALL[0], SMALL[1] > 0)]


@given(st.data())
@settings(
    max_examples=examples(120),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_hostile_samples_and_places_end_in_numbers_or_a_value_error(data):
    n = data.draw(st.integers(2, 8))
    X, Z = (
        data.draw(hnp.arrays(float, (n, 2), elements=HOSTILE)) for _ in range(2)
    )
    if data.draw(st.integers(0, 9)) == 0:
        Z[0, 0] = data.draw(st.sampled_from([np.nan, np.inf, 1e300]))
    metric = (
        np.tile(np.diag([1.0, 0.0]), (n, 1, 1))
        if data.draw(st.booleans())
        else None
    )
    model = data.draw(st.sampled_from(MODELS))
    cv = data.draw(st.sampled_from([None, 2, 10]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings(
            "ignore", message=".* times the standard deviation"
        )
        try:
            view = on_map(model, X, Z, None, metric=metric, grid=4, cv=cv)
        except ValueError:
            return
        numbers = (
            view.grid_values_ if view.classes_ is None else view.grid_certainty_
        )
        assert np.isfinite(view.trust_).all() and np.isfinite(numbers).all()
        assert view.display().image().shape == (4, 4, 3)
        try:
            assert np.isfinite(view.round_trip()).all()
        except ValueError:
            return


@mark.filterwarnings("ignore")
def test_prototypes_of_a_model_view_stay_in_the_picture():
    ball = make_ball_with_tube(300, gap=0.25, random_state=0)
    A = ball.data
    kinds = ball.target
    model = RSLVQ(4, random_state=0).fit(A, kinds)
    view = in_plane(
        model,
        A,
        kinds,
        metric="fisher",
        auxiliary="model",
        embedder=MDS(),
        grid=20,
        cv=None,
    )
    x0, x1, y0, y1 = view.extent_
    positions = np.vstack([view.prototype_positions(), view.project(2 * A)])
    assert (positions >= [x0, y0]).all() and (positions <= [x1, y1]).all()


def test_columns_in_another_order_are_an_error():
    backwards = FRAME[FRAME.columns[::-1]]
    model = make_pipeline(StandardScaler(), SVC()).fit(FRAME, y)
    view = in_plane(model, FRAME, cv=None)
    with raises(ValueError, match="must have the columns"):
        view.score(backwards)
    with raises(ValueError, match="must have the columns"):
        view.with_model(SVC().fit(backwards, y))
    assert view.score(X).labels == view.score(FRAME).labels


def test_a_map_without_its_way_back_gets_one():
    view = in_plane(SVM, embedder=KernelPCA(2), grid=5, cv=None)
    assert np.isfinite(view.inverse_transform(view.embedding_)).all()


def test_agreement_and_the_score_of_the_model():
    view = in_plane(SVM)
    assert view.model_score_ == SVM.score(X, y)
    assert view.label_agreement_ == view.held_out_.labels
    assert "folds" not in repr(view.held_out_)


def test_regions_on_paper():
    """Cells of one class that touch by a corner only are of two regions."""
    regions = region_numbers(np.array([[0, 0, 1], [1, 0, 1], [1, 2, 2]]))
    assert regions.tolist() == [[0, 0, 1], [2, 0, 1], [2, 3, 3]]


def test_a_machine_without_a_normal():
    alike = SVC(kernel="linear").fit(np.zeros((4, 2)), [0, 0, 1, 1])
    assert PairwiseMachine(alike).norms.tolist() == [1]


def test_cells_and_correlations_on_paper():
    rows, columns = grid_cells(np.array([[0.1, 0.9]]), (0, 1, 0, 1), (2, 2))
    assert (rows.tolist(), columns.tolist()) == ([1], [0])
    x = np.array([1.0, 2.0, 3.0])
    assert correlation(x, 2 * x) == approx(1)


@mark.parametrize("auxiliary", ["truth", "model"])
def test_the_metric_is_fitted_to_the_truth_or_to_the_model(auxiliary):
    # labels that the model does not have
    turned = (y + (np.arange(50) % 5 == 0)) % 3
    fisher = ParzenFisher().fit(
        X, turned if auxiliary == "truth" else SVM.predict(X)
    )
    Z = MDS(metric="precomputed").fit_transform(fisher.distances())
    by_hand = on_map(
        SVM,
        X,
        Z,
        turned,
        metric=fisher,
        distances=fisher.distances(),
        grid=9,
        cv=None,
    )
    for metric in (ParzenFisher(), "fisher"):  # an SVC brings no probabilities
        view = in_plane(
            SVM,
            y=turned,
            metric=metric,
            auxiliary=auxiliary,
            embedder=MDS(),
            grid=9,
            cv=None,
        )
        assert_allclose(view.embedding_, Z)
        assert_array_equal(view.grid_certainty_, by_hand.grid_certainty_)
