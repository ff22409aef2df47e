"""Decision maps: models as scikit-learn has them, known answers in the plane, held out is held out, wrong input."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from claims.view_topology import boundary_length, margins_kept, painted_regions, regions_kept
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.manifold import SpectralEmbedding
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from toolkit.datasets import make_ball_with_tube
from toolkit.decisionmap import Answers, DecisionMap, ModelFunction, agreement
from toolkit.decisionmap.agreement import correlation
from toolkit.decisionmap.certainty import PairwiseMachine, pairwise_distances_to_boundaries
from toolkit.decisionmap.view import grid_cells
from toolkit.embed import MDS
from toolkit.fisher import KernelFisher, ParzenFisher
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.lvq import GMLVQ, RSLVQ


@pytest.fixture(scope="module")
def flowers():
    """Fifty flowers of three kinds, a little moved so that all differ; read-only."""
    data = load_iris()
    X = data.data[::3] + 0.01 * np.random.default_rng(0).normal(size=(50, 4))
    y = data.target[::3]
    X.flags.writeable = y.flags.writeable = False
    return X, y


@pytest.fixture(scope="module")
def between(flowers):
    """Points among and beyond the flowers."""
    X, _ = flowers
    rng = np.random.default_rng(1)
    return X[rng.integers(50, size=200)] + rng.normal(size=(200, 4))


def product(A, B):
    return A @ B.T


# ---------------------------------------------------------------- what a model says
MACHINES = [
    SVC(),
    SVC(kernel="poly", degree=2, coef0=1.0, gamma=0.5),
    SVC(kernel="linear", C=10.0),
    SVC(kernel="sigmoid", gamma=0.01, coef0=-0.5),
    SVC(kernel=product),
    SVC(break_ties=True, decision_function_shape="ovr"),
    SVC(class_weight="balanced", gamma="auto"),
    NuSVC(nu=0.3),
]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: repr(machine).partition(" at 0x")[0])
def test_pairwise_machines_are_scikit_learns(flowers, between, machine, n_classes):
    X, y = flowers
    y = {2: y > 1, 3: y, 5: y + 3 * (X[:, 1] > 3) * (y > 0)}[n_classes]
    y = np.array(["rose", "aster", "lily", "iris", "daisy"])[np.unique(y, return_inverse=True)[1]]
    machine.fit(X, y)
    assert len(machine.classes_) == n_classes
    answers = ModelFunction(machine)(between)
    np.testing.assert_array_equal(answers.values, machine.predict(between))
    raw = machine.decision_function(between) if n_classes == 2 else ovo(machine, between)
    values = PairwiseMachine(machine).values(between)
    if n_classes == 2:
        np.testing.assert_allclose(-values[:, 0], raw, atol=1e-10)
        assert np.array_equal(answers.signed > 0, answers.values == machine.classes_[1])
        np.testing.assert_allclose(np.abs(answers.signed), answers.certainty)
    else:
        np.testing.assert_allclose(values, raw, atol=1e-10)
        assert answers.signed is None and answers.certainty.min() >= 0


def ovo(machine, X):
    shape, ties = machine.decision_function_shape, machine.break_ties
    try:
        return machine.set_params(decision_function_shape="ovo", break_ties=False).decision_function(X)
    finally:
        machine.set_params(decision_function_shape=shape, break_ties=ties)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_certainty_of_a_linear_machine_is_the_distance_to_its_planes(flowers, between, n_classes):
    X, y = flowers[0], np.minimum(flowers[1], n_classes - 1)
    for kernel in ("linear", product):
        machine = SVC(kernel=kernel, C=5.0).fit(X, y)
        W = SVC(kernel="linear", C=5.0).fit(X, y).coef_
        norms = np.linalg.norm(W, axis=1)
        np.testing.assert_allclose(PairwiseMachine(machine).norms, norms, rtol=1e-6)
    distances = np.abs(between @ W.T + machine.intercept_) / norms
    answers = ModelFunction(machine)(between)
    if n_classes == 3:  # pairs (0, 1), (0, 2), (1, 2)
        knows = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool)[answers.values]
        distances = np.where(knows, distances, np.inf)
    np.testing.assert_allclose(answers.certainty, distances.min(axis=1), atol=1e-9)


def test_an_svc_in_pipelines_sparse_or_with_given_kernels(flowers, between):
    X, y = flowers
    steps = make_pipeline(StandardScaler(), PCA(3), SVC()).fit(X, y)
    alone = ModelFunction(steps[-1])(steps[:-1].transform(between))
    np.testing.assert_allclose(ModelFunction(steps)(between).certainty, alone.certainty)
    single = Pipeline([("svc", SVC())]).fit(X, y)
    np.testing.assert_allclose(
        ModelFunction(single)(between).certainty, ModelFunction(SVC().fit(X, y))(between).certainty
    )
    sparse = SVC().fit(scipy.sparse.csr_matrix(X), y)
    np.testing.assert_allclose(
        ModelFunction(sparse)(between).certainty, ModelFunction(SVC().fit(X, y))(between).certainty, atol=1e-9
    )
    given = SVC(kernel="precomputed").fit(X @ X.T, y)
    np.testing.assert_array_equal(
        ModelFunction(given)(between @ X.T).values, SVC(kernel="linear").fit(X, y).predict(between)
    )


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(max_iter=1000),
        RandomForestClassifier(8, random_state=0),
        KNeighborsClassifier(3),
        DecisionTreeClassifier(max_depth=2, random_state=0),
        RSLVQ(random_state=0),
        GridSearchCV(LogisticRegression(max_iter=1000), {"C": [1.0]}, cv=2),
        GMLVQ(random_state=0),
        LinearSVC(),
    ],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_certainty_is_the_lead_of_the_first(flowers, between, model, n_classes):
    X, y = flowers[0], np.minimum(flowers[1], n_classes - 1)
    model.fit(X, y)
    answers = ModelFunction(model)(between)
    np.testing.assert_array_equal(answers.values, model.predict(between))
    name = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    scores = getattr(model, name)(between)
    if scores.ndim == 1:
        scores = np.column_stack([0 * scores, scores])
    ordered = np.sort(scores, axis=1)
    np.testing.assert_allclose(answers.certainty, ordered[:, -1] - ordered[:, -2], atol=1e-12)
    if n_classes == 2:
        np.testing.assert_allclose(answers.signed, scores[:, 1] - scores[:, 0], atol=1e-12)
        sure = answers.certainty > 1e-9
        assert np.array_equal(answers.signed[sure] > 0, answers.values[sure] == 1)
    else:
        assert answers.signed is None
    by_hand = ModelFunction(model, lambda A: np.arange(len(A)))(between)
    np.testing.assert_array_equal(by_hand.certainty, np.arange(200))
    nothing = ModelFunction(model, None)(between)
    assert nothing.certainty is None and nothing.signed is None


def test_callables_of_two_classes_may_be_signed_or_not(flowers, between):
    X, y = flowers[0], np.minimum(flowers[1], 1)
    model = LogisticRegression().fit(X, y)
    signed = ModelFunction(model, "decision_function")(between).signed
    for function in (model.decision_function, lambda A: np.abs(model.decision_function(A))):
        answers = ModelFunction(model, function)(between)
        np.testing.assert_allclose(answers.signed, signed)
        np.testing.assert_allclose(answers.certainty, np.abs(signed))
    # one rule for all rows, however they are cut into blocks: below zero is the first class everywhere
    rows = np.vstack([np.tile(X[:1], (4096, 1)), X])
    shifted = ModelFunction(model, lambda A: A[:, 0] - X[0, 0])(rows)
    np.testing.assert_array_equal(shifted.signed, rows[:, 0] - X[0, 0])


@pytest.mark.parametrize("model", [LinearRegression(), SVR(), DummyRegressor()], ids=repr)
def test_regressors_have_predictions_only(flowers, between, model):
    X, y = flowers
    answers = ModelFunction(model.fit(X, y))(between)
    np.testing.assert_array_equal(answers.values, model.predict(between))
    assert answers.certainty is None and answers.signed is None


def test_many_rows_and_threads_change_nothing(flowers):
    X, y = flowers
    model = SVC().fit(X, y)
    many = np.tile(X, (200, 1))
    for n_jobs in (None, 2):
        answers = ModelFunction(model, n_jobs=n_jobs)(many)
        np.testing.assert_array_equal(answers.values, model.predict(many))
        np.testing.assert_allclose(answers.certainty, np.tile(ModelFunction(model)(X).certainty, 200))


class Odd(ClassifierMixin, BaseEstimator):
    """A classifier with answers of a wrong shape."""

    def __init__(self, columns=None, scores=None):
        self.columns, self.scores = columns, scores

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict(self, X):
        one = np.full(len(X), self.classes_[0])
        return one if self.columns is None else np.column_stack([one] * self.columns)

    def decision_function(self, X):
        return np.ones((len(X), self.scores))


def _missing(self):
    raise AttributeError("decision_function")


class Blind(RegressorMixin, BaseEstimator):
    """A regressor that does not know some points."""

    def fit(self, X, y):
        self.low_ = X[:, 0].min()
        return self

    def predict(self, X):
        return np.where(X[:, 0] < self.low_, np.nan, X[:, 0])


def test_bad_models_and_certainties(flowers):
    X, y = flowers
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    machine = LinearSVC().fit(X, y)
    ovo_search = GridSearchCV(SVC(decision_function_shape="ovo"), {"C": [1.0]}, cv=2).fit(X, y)
    no_classes = type("NoClasses", (Odd,), {"fit": lambda self, X, y: setattr(self, "a_", 1) or self})
    for arguments, message in [
        ((SVC(),), "`model` must be fitted; call its `fit`"),
        ((3,), "`model` must be a classifier or a regressor"),
        ((SVC,), "`model` must be"),
        ((StandardScaler().fit(X),), "`model` must be a classifier or a regressor"),
        ((tree, "margin"), '`certainty` must be "auto", "decision_function", "predict_proba", None or a callable'),
        ((tree, 3), "`certainty` must be"),
        ((tree, "decision_function"), "`model` has no decision_function"),
        ((machine, "predict_proba"), "`model` has no predict_proba"),
        ((ovo_search, "decision_function"), 'Set `decision_function_shape="ovr"`'),
        ((ovo_search.best_estimator_, "decision_function"), 'Set `decision_function_shape="ovr"`'),
        ((no_classes().fit(X, y),), "`model` must have `classes_`"),
        ((RandomForestClassifier(2).fit(X, np.column_stack([y, y])), None), "one class per sample"),
    ]:
        with pytest.raises(ValueError, match=message):
            ModelFunction(*arguments)(X)
    for model, certainty, message in [
        (tree, lambda A: np.ones((len(A), 2)), "`certainty` must return one number per sample; got shape .50, 2."),
        (tree, lambda A: -np.ones(len(A)), "`certainty` must not be negative with more than two classes; got -1"),
        (tree, lambda A: np.full(len(A), np.nan), "certainties that are not finite for 50 of 50"),
        (Odd(2, 3).fit(X, y), "auto", "`model` must predict one class per sample"),
        (Odd(None, 4).fit(X, y), "auto", "must return one column per class .3.; got shape .50, 4."),
    ]:
        with pytest.raises(ValueError, match=message):
            ModelFunction(model, certainty)(X)
    with pytest.raises(ValueError, match="one number per sample"):
        ModelFunction(LinearRegression().fit(X, np.column_stack([y, y])))(X)


# ---------------------------------------------------------------- agreement
def test_agreement_on_paper():
    true = Answers(np.array(["a", "a", "b", "b", "c"]), np.array([1.0, 2, 3, 4, 5]))
    shown = Answers(np.array(["a", "b", "b", "b", "c"]), np.array([2.0, 4, 6, 8, 10]))
    result = agreement(true, shown, [np.array([0, 1]), np.array([2, 3, 4])])
    assert (result.labels, result.majority) == (0.8, 0.4)
    assert result.certainty == pytest.approx(1)
    assert result.kappa == pytest.approx((0.8 - 0.36) / 0.64)  # by chance 0.4 0.2 + 0.4 0.6 + 0.2 0.2
    assert result.folds["labels"].tolist() == [0.5, 1.0] and "signed" not in result.folds
    assert result.signed is None and result.predictions is None and result.error is None
    numbers = agreement(Answers(np.array([1.0, 3.0])), Answers(np.array([2.0, 4.0])), [np.array([0])], classifies=False)
    assert numbers.predictions == pytest.approx(1) and numbers.error == pytest.approx(1)
    assert np.isnan(numbers.folds["error"]).all() and numbers.labels is None and numbers.kappa is None
    two = agreement(
        Answers(np.array([0, 1]), np.ones(2), np.array([-1.0, 1])),
        Answers(np.array([0, 1]), np.ones(2), np.array([1.0, -1])),
    )
    assert two.signed == -1 and np.isnan(two.certainty) and two.kappa == 1
    one = agreement(Answers(np.zeros(3)), Answers(np.zeros(3)))
    assert (one.labels, one.kappa, one.certainty) == (1, 0, None)


@pytest.mark.parametrize("unit", [1e-310, 1e-200, 1.0, 1e160, 1e308])
def test_agreement_in_any_unit(unit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a, b = (Answers(np.array(v) * unit) for v in ([1.0, -1.0, 0.0], [1.0, -1.0, 0.5]))
        result = agreement(a, b, classifies=False)
    assert result.predictions == pytest.approx(np.corrcoef([1, -1, 0], [1, -1, 0.5])[0, 1])
    assert result.error == pytest.approx(np.sqrt(0.25 / 2))


@pytest.mark.parametrize("value", [0.0, 0.1, -1e90])
def test_nothing_to_compare_is_not_a_number(value):
    alike, other = np.full(7, value), np.arange(7.0)
    assert np.isnan(correlation(alike, other)) and np.isnan(correlation(other, alike))
    assert np.isnan(agreement(Answers(alike), Answers(other), classifies=False).error)


# ---------------------------------------------------------------- maps
def shown_in_the_plane(model, X, y, **options):
    return DecisionMap.from_estimator(model, X, y, embedder=PCA(2), **({"grid": 25} | options))


@pytest.mark.parametrize(
    "model", [SVC(), KNeighborsClassifier(), LogisticRegression(), LinearRegression(), SVR()], ids=repr
)
def test_two_dimensional_data_are_their_own_map(flowers, model):
    X, y = flowers[0][:, 1:3], flowers[1]
    model.fit(X, y)
    pca = PCA(2).fit(X)
    shown = shown_in_the_plane(model, X, y, grid=(9, 13))
    x0, x1, y0, y1 = shown.extent_
    places = np.array(
        [[x0 + (j + 0.5) * (x1 - x0) / 13, y0 + (i + 0.5) * (y1 - y0) / 9] for i in range(9) for j in range(13)]
    )
    points = pca.inverse_transform(places)
    np.testing.assert_allclose(shown.grid_values_.ravel(), model.predict(points), atol=1e-9)
    answers = ModelFunction(model)(points)
    if answers.certainty is not None:
        np.testing.assert_allclose(shown.grid_certainty_.ravel(), answers.certainty, atol=1e-9)
        assert shown.grid_certainty_.shape == (9, 13)
    assert shown.round_trip().max() < 1e-10 and shown.round_trip(places).max() < 1e-10
    np.testing.assert_allclose(shown.inverse_transform(shown.embedding_), X, atol=1e-10)
    np.testing.assert_allclose(shown.project(X), shown.embedding_, atol=1e-10)
    # a fine grid shows every sample as it is
    fine = shown_in_the_plane(model, X, y, grid=400)
    if answers.certainty is not None:
        assert fine.in_sample_.labels > 0.97 and fine.label_agreement_ > 0.95
        assert not fine.misrepresented_[fine.certainty_ > 0.3].any()
    else:
        assert fine.in_sample_.predictions > 0.999 and fine.in_sample_.error < 0.05


def test_trust_falls_away_from_samples(flowers):
    X, y = flowers
    shown = shown_in_the_plane(SVC().fit(X, y), X, y, grid=60)
    x0, x1, y0, y1 = shown.extent_
    columns = ((shown.embedding_[:, 0] - x0) / (x1 - x0) * 60).astype(int)
    rows = ((shown.embedding_[:, 1] - y0) / (y1 - y0) * 60).astype(int)
    assert (shown.trust_[rows, columns] == 1).all()
    assert 0 <= shown.trust_.min() < 0.1 and shown.trust_.max() == 1


@pytest.mark.parametrize("explicit", [False, True])
def test_a_held_out_sample_has_no_say_in_its_own_point(flowers, explicit):
    X, y = flowers
    Z = PCA(2).fit_transform(X)
    model = LinearRegression().fit(X, y)

    def held_out(X):
        if explicit:
            view = DecisionMap.from_estimator(model, X, embedder=PCA(2), grid=200)._view
        else:
            view = DecisionMap.from_map(model, X, Z, grid=200)._view
        return view.held_out_samples, view.folds

    before, folds = held_out(X)
    assert np.array_equal(np.sort(np.concatenate(folds)), np.arange(50)) and len(folds) == 10
    fold = next(f for f in folds if 7 in f)
    others = np.setdiff1d(np.arange(50), fold)
    changed = X.copy()
    changed[7] += [3.0, 0.0, -2.0, 1.0]
    after, _ = held_out(changed)
    mates = np.setdiff1d(fold, 7)
    np.testing.assert_array_equal(after[mates], before[mates])
    assert not np.allclose(after[others], before[others])
    if not explicit:  # the place stayed, so that the point of sample 7 stays too
        np.testing.assert_array_equal(after[7], before[7])
        # by hand: the way back of the others, read at the middle of the cell
        back = InverseMap().fit(X[others], Z[others])
        np.testing.assert_allclose(before[fold], back.inverse_transform(Z[fold]), atol=0.05)


def test_another_model_in_the_same_plane(flowers):
    X, y = flowers
    first, second = SVC().fit(X, y), LogisticRegression(max_iter=1000).fit(X, y)
    both = shown_in_the_plane(first, X, y).with_model(second)
    alone = shown_in_the_plane(second, X, y)
    same_picture(both, alone)
    assert both.with_model(second, certainty="decision_function").held_out_ != alone.held_out_
    # without `y` each model brings its own answers
    names = SVC().fit(X, np.array(list("abc"))[y])
    unnamed = DecisionMap.from_map(first, X, X[:, :2], grid=5).with_model(names)
    assert set(unnamed.y_) == set(unnamed.classes_) == set("abc")
    with pytest.raises(ValueError, match="must be a classifier where the first was one"):
        both.with_model(LinearRegression().fit(X, y))
    with pytest.raises(ValueError, match="cannot answer for `X`"):
        both.with_model(SVC().fit(X[:, :2], y))


def same_picture(one, two):
    np.testing.assert_array_equal(one.grid_values_, two.grid_values_)
    np.testing.assert_array_equal(one.grid_certainty_, two.grid_certainty_)
    np.testing.assert_array_equal(one.misrepresented_, two.misrepresented_)
    assert one.label_agreement_ == two.label_agreement_
    assert one.certainty_correlation_ == two.certainty_correlation_
    assert one.extent_ == two.extent_ and one.in_sample_.kappa == two.in_sample_.kappa


def test_order_of_samples_and_names_of_classes(flowers):
    X, y = flowers
    Z = PCA(2).fit_transform(X)
    order = np.random.default_rng(0).permutation(50)
    model = SVC().fit(X, y)
    plain = DecisionMap.from_map(model, X, Z, y, grid=30, cv=None)
    mixed = DecisionMap.from_map(model, X[order], Z[order], y[order], grid=30, cv=None)
    np.testing.assert_allclose(mixed.grid_certainty_, plain.grid_certainty_, atol=1e-8)
    np.testing.assert_array_equal(mixed.misrepresented_, plain.misrepresented_[order])
    np.testing.assert_array_equal(mixed.trust_, plain.trust_)
    names = np.array(["c", "a", "b"])
    model = SVC(tol=1e-10).fit(X, y)
    renamed = DecisionMap.from_map(SVC(tol=1e-10).fit(X, names[y]), X, Z, names[y], grid=30)
    numbered = DecisionMap.from_map(model, X, Z, y, grid=30)
    np.testing.assert_array_equal(renamed.grid_values_, names[numbered.grid_values_])
    np.testing.assert_allclose(renamed.grid_certainty_, numbered.grid_certainty_, atol=1e-7)
    assert renamed.label_agreement_ == numbered.label_agreement_
    # pandas gives strings as objects
    objects = DecisionMap.from_map(SVC().fit(X, names[y]), X, Z, pd.Series(names[y], dtype=object), grid=30)
    assert objects.classes_.tolist() == ["a", "b", "c"]
    assert objects.display().names == ["a", "b", "c"]
    # and integers as floats
    for whole in (y * 1.0, pd.Series(y, dtype="Int64")):
        floats = DecisionMap.from_map(model, X, Z, whole, grid=5)
        assert floats.classes_.tolist() == [0, 1, 2] and floats.display().names == ["0", "1", "2"]
        np.testing.assert_array_equal(floats.display().index, y)


@pytest.mark.parametrize("options", [{}, {"metric": "fisher"}, {"metric": "fisher", "auxiliary": "model"}])
def test_data_frames_keep_their_columns(flowers, options):
    X, y = flowers
    frame = pd.DataFrame(X, columns=list("abcd"))
    by_name = make_column_transformer((StandardScaler(), ["a", "c"]), ("passthrough", ["b", "d"]))
    model = make_pipeline(by_name, LogisticRegression(max_iter=1000)).fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = DecisionMap.from_estimator(model, frame, y, embedder=MDS(), grid=9, cv=3, **options)
        assert shown.score(frame[::6]).labels > 0.5
        shown.display(new=(frame[::6], y[::6]))
        plain = LogisticRegression(max_iter=1000).fit(frame, y)
        DecisionMap.from_estimator(plain, frame, y, embedder=MDS(), grid=9, cv=3, **options)
    np.testing.assert_array_equal(shown.predicted_, model.predict(frame))


# ---------------------------------------------------------------- metrics and ways
@pytest.mark.parametrize("auxiliary", ["truth", "model"])
def test_the_metric_is_fitted_to_the_truth_or_to_the_model(flowers, auxiliary):
    X, y = flowers
    turned = (y + (np.arange(50) % 5 == 0)) % 3  # labels that the model does not have
    model = SVC().fit(X, y)
    target = turned if auxiliary == "truth" else model.predict(X)
    shown = DecisionMap.from_estimator(
        model, X, turned, metric=ParzenFisher(), auxiliary=auxiliary, embedder=MDS(), grid=9, cv=None
    )
    fisher = ParzenFisher().fit(X, target)
    Z = MDS(metric="precomputed").fit_transform(fisher.distances())
    np.testing.assert_allclose(shown.embedding_, Z)
    np.testing.assert_allclose(shown.inverse_transform(Z[:5]), InverseMap().fit(X, Z, fisher).inverse_transform(Z[:5]))
    by_hand = DecisionMap.from_map(model, X, Z, turned, metric=fisher, distances=fisher.distances(), grid=9, cv=None)
    same_fields = ("grid_values_", "grid_certainty_")
    assert all(np.array_equal(getattr(shown, f), getattr(by_hand, f)) for f in same_fields)
    np.testing.assert_allclose(shown.project(X[:9] + 0.01), by_hand.project(X[:9] + 0.01))
    assert np.isfinite(shown.round_trip()).all()
    string = DecisionMap.from_estimator(
        model, X, turned, metric="fisher", auxiliary=auxiliary, embedder=MDS(), grid=9, cv=None
    )
    np.testing.assert_allclose(string.embedding_, Z)  # an SVC brings no probabilities: Parzen windows again


def test_fisher_metric_of_a_target_and_of_similarities(flowers):
    X, y = flowers
    shown = DecisionMap.from_estimator(SVR().fit(X, X[:, 0]), X, X[:, 0], metric="fisher", embedder=MDS(), grid=9, cv=3)
    assert shown.prediction_correlation_ > 0.5 and shown.held_out_.folds["error"].shape == (3,)
    S = X @ X.T
    model = SVC(kernel="precomputed").fit(S, y)
    kernel = DecisionMap.from_estimator(model, S, y, metric=KernelFisher(), embedder=MDS(), grid=9, cv=3)
    assert kernel.grid_values_.shape == (9, 9) and kernel.project(S[:2]).shape == (2, 2)


def test_new_samples_by_the_map_by_a_kernel_map_or_not_at_all(flowers):
    X, y = flowers
    model = SVC().fit(X, y)
    without = DecisionMap.from_estimator(model, X, y, embedder=SpectralEmbedding(affinity="rbf"), grid=9)
    np.testing.assert_allclose(without.project(X[:5]), KernelMap().fit(X, without.embedding_).transform(X[:5]))
    assert without.score(X).labels > 0.6
    Z = X[:, [0, 2]]
    D = np.sqrt(np.sum((X[:, None] - X) ** 2, axis=-1))
    for metric in (None, np.tile(np.eye(4), (50, 1, 1)), np.tile(np.eye(4), (50, 1, 1)).tolist()):
        nowhere = DecisionMap.from_map(model, X, Z, y, metric=metric, distances=D, grid=9)
        with pytest.raises(ValueError, match="New samples have no position"):
            nowhere.project(X)
    ways = DecisionMap.from_map(model, X, Z, y, projector=PCA(2).fit(X), grid=9)
    np.testing.assert_allclose(ways.project(X[:5]), PCA(2).fit(X).transform(X[:5]))


def test_score_compares_with_the_model(flowers, between):
    X, y = flowers
    model = SVC().fit(X, y)
    shown = shown_in_the_plane(model, X, y, grid=80)
    x0, x1, y0, y1 = shown.extent_
    columns = np.clip(((shown.project(between)[:, 0] - x0) / (x1 - x0) * 80).astype(int), 0, 79)
    rows = np.clip(((shown.project(between)[:, 1] - y0) / (y1 - y0) * 80).astype(int), 0, 79)
    expected = np.mean(shown.grid_values_[rows, columns] == model.predict(between))
    assert shown.score(between).labels == expected
    display = shown.display(["x", "y", "z"], new=(between[:3], [0, 1, 2]))
    assert display.names == ["x", "y", "z"] and display.misrepresented.shape == (3,)
    regression = shown_in_the_plane(Ridge().fit(X, y), X, y)
    assert regression.score(between).predictions > 0.5
    assert regression.display(new=(between[:3], [0, 1, 2])).targets.tolist() == [0, 1, 2]
    for new, message in [
        ((between[:3], [0, 1]), r"`new\[0\]` and `new\[1\]` must have the same number of samples; got 3 and 2"),
        ((between[:3], [0, 1, 7]), "`new` must hold classes of"),
        ((between[:3], ["a", "b", "c"]), "`new` must hold classes of"),
        ((between[:3], [None, 1, "a"]), r"`new\[1\]` has 1 sample.s. with a missing label"),
        ((between[:3, :2], [0, 1, 2]), r"`new\[0\]` must have shape .m, 4."),
        (between[:3], "`new` must be a pair"),
        (3, "`new` must be a pair"),
    ]:
        with pytest.raises(ValueError, match=message):
            shown.display(new=new)
    with pytest.raises(ValueError, match="`class_names` must be a sequence of 3 names"):
        shown.display(["a", "b"])
    for method in (shown.project, shown.score):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            method(np.full((2, 4), np.nan))
    for method in (shown.round_trip, DecisionMap.from_map(model, X, X[:, :2], grid=5).inverse_transform):
        with pytest.raises(ValueError, match="Input Z contains NaN"):
            method(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="has no prototypes"):
        shown.prototype_positions()


def test_prototypes_and_frames(flowers):
    X, y = flowers
    shown = shown_in_the_plane(RSLVQ(random_state=0).fit(X, y), X, y, cv=None)
    assert shown.prototype_positions().shape == (len(shown.model_.prototypes_), 2)
    frame = shown.frame("three kinds")
    assert frame["background"].shape == (25, 25, 3) and frame["status"] == "three kinds"
    np.testing.assert_array_equal(frame["rings"], np.flatnonzero(shown.misrepresented_))


# ---------------------------------------------------------------- edges
def test_no_folds_and_grids(flowers):
    X, y = flowers
    shown = shown_in_the_plane(SVC().fit(X, y), X, y, cv=None, grid=(4, 7))
    assert shown.grid_values_.shape == shown.trust_.shape == (4, 7)
    assert shown.label_agreement_ is None and shown.held_out_.folds == {}
    assert shown.in_sample_.labels is not None
    assert shown_in_the_plane(SVC().fit(X, y), X, y, cv=3, grid=np.int64(5)).grid_values_.shape == (5, 5)
    many = shown_in_the_plane(SVC().fit(X, y), X, y, cv=1000, grid=5)
    assert len(many._view.folds) == 50


def test_models_of_one_answer(flowers):
    X, y = flowers
    Z = X[:, :2]
    one = DecisionMap.from_map(DummyClassifier().fit(X, 0 * y), X, Z, 0 * y, grid=5)
    assert one.label_agreement_ == 1 and np.isnan(one.certainty_correlation_) and one.held_out_.kappa == 0
    most = DecisionMap.from_map(DummyClassifier().fit(X, y), X, Z, y, grid=5)
    assert most.held_out_.majority == 1 and np.isnan(most.certainty_correlation_)
    flat = DecisionMap.from_map(DummyRegressor(strategy="constant", constant=0.1).fit(X, y), X, Z, y, grid=5)
    assert np.isnan(flat.prediction_correlation_) and np.isnan(flat.held_out_.error)
    assert not flat.misrepresented_.any()
    # a full-grown tree is certain everywhere: its correlation is not a number, as `Agreement` says
    tree = DecisionMap.from_map(DecisionTreeClassifier(random_state=0).fit(X, y), X, Z, y, grid=5)
    assert (tree.certainty_ == 1).all() and np.isnan(tree.certainty_correlation_)


def test_a_model_without_certainty(flowers):
    X, y = flowers
    plain = type("Plain", (Odd,), {"decision_function": property(_missing)})
    model = plain().fit(X, y)
    with pytest.raises(ValueError, match="Give `certainty` a function of samples, or None"):
        DecisionMap.from_map(model, X, X[:, :2], y, grid=5)
    shown = DecisionMap.from_map(model, X, X[:, :2], y, grid=5, certainty=None)
    assert shown.certainty_ is None and shown.grid_certainty_ is None
    assert shown.certainty_correlation_ is None and shown.label_agreement_ == 1
    assert shown.display().image().shape == (5, 5, 3)


def test_classes_that_the_model_never_met(flowers):
    X, y = flowers
    Z = X[:, :2]
    model = SVC().fit(X[y < 2], y[y < 2])
    with pytest.warns(UserWarning, match=r"`y` holds classes that the model never met and cannot show: \[2\]"):
        shown = DecisionMap.from_map(model, X, Z, y, grid=5)
    assert shown.classes_.tolist() == [0, 1, 2] and shown.display().names == ["0", "1", "2"]
    names = np.array(list("abc"))
    for wrong, message in [
        (np.full(50, 7), "`y` must hold classes that the model knows"),
        (names[y], "`y` must hold classes of the same kind"),
        (y * 1.5, "`y` must hold classes of the same kind"),
        (np.where(y > 0, y, np.nan), "`y` has .* a missing label"),
        (np.array(["a", 1] * 25, dtype=object), "`y` must hold classes of one kind"),
        (np.array([None] * 50), "`y` has 50 sample.s. with a missing label"),
        (y[:-1], "`X` and `y` must have the same number of samples; got 50 and 49"),
        (np.column_stack([y, y]), "`y` must be one class per sample"),
    ]:
        with pytest.raises(ValueError, match=message):
            DecisionMap.from_map(model, X, Z, wrong, grid=5)
    with pytest.raises(ValueError, match="`y` must hold classes"):
        DecisionMap.from_map(SVC().fit(X, names[y]), X, Z, y, grid=5)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        DecisionMap.from_map(LinearRegression().fit(X, y), X, Z, y * np.nan, grid=5)
    with pytest.raises(ValueError, match="`X` and `y` must have"):
        DecisionMap.from_map(LinearRegression().fit(X, y), X, Z, y[:-1] * 1.0, grid=5)


def test_answers_that_are_no_numbers(flowers):
    X, y = flowers
    with pytest.raises(ValueError, match="`model` gives predictions that are not finite for .* between the samples"):
        shown_in_the_plane(Blind().fit(X, y), X, y * 1.0)
    with pytest.raises(ValueError, match="`model` gives certainties that are not finite"):
        shown_in_the_plane(SVC().fit(X, y), X, y, certainty=lambda A: np.full(len(A), np.inf))


def test_places_that_coincide(flowers):
    X, y = flowers
    model = SVC().fit(X, y)
    twice = DecisionMap.from_map(model, np.vstack([X, X]), np.tile(X[:, :2], (2, 1)), np.tile(y, 2), grid=9)
    assert np.isfinite(twice.grid_certainty_).all()
    for place in (0.0, 1.0, -1e20, 1e99):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one = DecisionMap.from_map(model, X, np.full((50, 2), place), y, grid=5)
            assert len(np.unique(one.grid_values_)) == 1 and np.isfinite(one.trust_).all()
            assert np.isfinite(one.round_trip()).all()
            assert one.extent_[0] < place < one.extent_[1]
    line = DecisionMap.from_map(model, X, np.column_stack([X[:, 0], np.zeros(50)]), y, grid=9)
    x0, x1, y0, y1 = line.extent_
    assert y1 - y0 == pytest.approx(0.1 * (x1 - x0))
    same = np.ones((50, 4))
    alike = DecisionMap.from_map(model, same, X[:, :2], grid=5)
    assert len(np.unique(alike.grid_values_)) == 1 and alike.label_agreement_ == 1
    with pytest.raises(ValueError, match="at least two different samples"):
        alike.project(X)


def test_few_samples():
    X, y = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), np.array([0, 1, 1])
    model = SVC().fit(X, y)
    for make in (
        lambda n, **o: DecisionMap.from_map(model, X[:n], X[:n, :2], y[:n], grid=5, **o),
        lambda n, **o: DecisionMap.from_estimator(model, X[:n], y[:n], grid=5, embedder=PCA(2), **o),
    ):
        assert make(3).held_out_.folds["labels"].shape == (3,)
        assert make(2, cv=None).grid_values_.shape == (5, 5)
        with pytest.raises(ValueError, match="`X` must hold at least 3 samples to keep some out.*`cv=None`"):
            make(2)
        with pytest.raises(ValueError, match="minimum of 2"):
            make(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": 1}, "`grid` must be an integer between 2 and 2000; got 1. Or give two: .rows, columns."),
        ({"grid": 2001}, "`grid` must be"),
        ({"grid": True}, "`grid` must be"),
        ({"grid": 3.0}, "`grid` must be"),
        ({"grid": (3, 4, 5)}, "`grid` must be"),
        ({"grid": (3, "4")}, "`grid` must be"),
        ({"grid": None}, "`grid` must be"),
        ({"cv": 1}, "`cv` must be None or an integer >= 2; got 1"),
        ({"cv": 2.0}, "`cv` must be"),
        ({"cv": True}, "`cv` must be"),
        ({"cv": "all"}, "`cv` must be"),
        ({"auxiliary": "labels"}, '`auxiliary` must be "truth" or "model"'),
        ({"auxiliary": 3}, "`auxiliary` must be"),
        ({"metric": "cosine"}, '`metric` must be None, "fisher" or a metric of toolkit.fisher'),
        ({"metric": 3}, "`metric` must be"),
        ({"metric": np.eye(3)}, "`metric` must be"),
        ({"metric": "fisher"}, "`embedder` PCA cannot take the distances of `metric`"),
        ({"metric": "fisher", "y": None}, "`y` is needed by `metric`"),
        ({"certainty": "margin"}, "`certainty` must be"),
        ({"certainty": 3}, "`certainty` must be"),
        ({"embedder": "tsne"}, "`embedder` must be .* an object with `get_params` and `fit_transform`"),
        ({"embedder": PCA}, "`embedder` must be .* an object"),
        ({"embedder": PCA(3)}, r"A picture needs a map `Z` of shape \(50, 2\); got \(50, 3\). Set `n_components=2`"),
        ({"inverse": 3}, "`inverse` must be .* an object with `get_params` and `inverse_transform`"),
        ({"model": SVC()}, "`model` must be fitted"),
        ({"model": "svc"}, "`model` must be a classifier or a regressor"),
        ({"X": np.full((50, 4), np.nan)}, "Input X contains NaN"),
        ({"X": np.full((50, 4), 1e101)}, "`X` must not hold values beyond"),
        ({"X": np.ones((50, 3))}, "`model` cannot answer for `X`: X has 3 features|expecting 4 features"),
        ({"X": np.ones(50)}, "Expected 2D array"),
    ],
)
def test_bad_arguments_of_from_estimator(flowers, options, message):
    X, y = flowers
    given = {"model": LogisticRegression(max_iter=1000).fit(X, y), "X": X, "y": y, "embedder": PCA(2)} | options
    with pytest.raises(ValueError, match=message), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="invalid value", category=RuntimeWarning)  # of PCA
        DecisionMap.from_estimator(**({"grid": 5} | given))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Z": np.ones((50, 3))}, r"A picture needs a map `Z` of shape \(50, 2\); got \(50, 3\)"),
        ({"Z": np.ones((49, 2))}, r"`Z` must hold one position per sample \(50\); got 49"),
        ({"Z": np.full((50, 2), np.inf)}, "Input Z contains infinity"),
        ({"Z": np.full((50, 2), 1e101)}, "`Z` must not hold values beyond"),
        ({"metric": np.eye(4)}, "`metric` must be a fitted Fisher metric of vectors, or finite matrices"),
        ({"metric": "fisher"}, "`metric` must be .* got str"),
        ({"metric": ParzenFisher()}, "not fitted"),
        ({"distances": np.ones((50, 3))}, "`distances` must give a square matrix"),
        ({"distances": np.zeros((3, 3))}, r"`distances` must have shape \(50, 50\)"),
        ({"distances": -np.ones((50, 50))}, "`distances` must hold distances"),
        ({"projector": 3}, "`projector` must have a method `transform`"),
        ({"inverse": InverseMap}, "`inverse` must be .* an object"),
        ({"inverse": InverseMap(1)}, "`n_centers` must be None or an integer >= 2"),
    ],
)
def test_bad_arguments_of_from_map(flowers, options, message):
    X, y = flowers
    with pytest.raises(ValueError, match=message):
        DecisionMap.from_map(**({"model": SVC().fit(X, y), "X": X, "Z": X[:, :2], "y": y, "grid": 5} | options))


HOSTILE = st.one_of(
    st.sampled_from([0.0, 1.0, 1.0 + 1e-15, -3.5, 1e-300, -5e-324, 1e99, -1e99, 1e14]), st.floats(-1e3, 1e3)
)


@given(st.data())
@settings(max_examples=examples(120), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_hostile_samples_and_places_end_in_numbers_or_a_value_error(data):
    n = data.draw(st.integers(2, 8))
    X = data.draw(hnp.arrays(float, (n, 2), elements=HOSTILE))
    Z = data.draw(hnp.arrays(float, (n, 2), elements=HOSTILE))
    if data.draw(st.integers(0, 9)) == 0:
        Z[0, 0] = data.draw(st.sampled_from([np.nan, np.inf, 1e300]))
    model = data.draw(st.sampled_from(MODELS))
    metric = np.tile(np.diag([1.0, 0.0]), (n, 1, 1)) if data.draw(st.booleans()) else None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".* spreads about")
        try:
            shown = DecisionMap.from_map(
                model, X, Z, metric=metric, grid=4, cv=data.draw(st.sampled_from([None, 2, 10]))
            )
        except ValueError:
            return
        fields = [shown.trust_, shown.grid_certainty_]
        if shown.classes_ is None:
            fields.append(shown.grid_values_)
        for field in fields:
            assert field is None or np.isfinite(field).all()
        assert shown.display().image().shape == (4, 4, 3)
        try:
            assert np.isfinite(shown.round_trip()).all()
        except ValueError:
            return


def _small_models():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 3
    return [
        KNeighborsClassifier(3).fit(X, y),
        LogisticRegression().fit(X, y > 0),
        DummyRegressor().fit(X, y),
        LinearRegression().fit(X, X[:, 0]),
        SVC().fit(X, y),
    ]


MODELS = _small_models()


def test_prototypes_of_a_model_view_stay_in_the_picture():
    ball = make_ball_with_tube(300, gap=0.25, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RSLVQ(4, random_state=0).fit(ball.data, ball.target)
    shown = DecisionMap.from_estimator(
        model, ball.data, ball.target, metric="fisher", auxiliary="model", embedder=MDS(), grid=20, cv=None
    )
    x0, x1, y0, y1 = shown.extent_
    places = np.vstack([shown.prototype_positions(), shown.project(2 * ball.data)])
    assert (places >= [x0, y0]).all() and (places <= [x1, y1]).all()


def test_columns_in_another_order_are_refused():
    frame = load_iris(as_frame=True)
    X, y = frame.data, frame.target
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    shown = shown_in_the_plane(model, X, y, grid=20, cv=None)
    for call in (
        lambda other: shown_in_the_plane(model, other, y, grid=20, cv=None),
        shown.project,
        shown.score,
        lambda other: shown.display(new=(other, y)),
    ):
        with pytest.raises(ValueError, match=r"`(X|new\[0\])` must have the columns"):
            call(X[X.columns[::-1]])
    assert shown.score(X.to_numpy()).labels == shown.score(X).labels
    with pytest.raises(ValueError, match="must have the columns"):
        shown.with_model(SVC().fit(X[X.columns[::-1]], y))


def test_an_svm_within_a_search_has_its_own_certainty(flowers):
    X, y = flowers
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0]}, cv=2).fit(X, y)
    plain = make_pipeline(StandardScaler(), SVC(C=1.0)).fit(X, y)
    assert np.allclose(ModelFunction(search)(X).certainty, ModelFunction(plain)(X).certainty)


def test_uneven_units_are_told(flowers):
    X, y = flowers
    X = X * [1, 1, 1e4, 1]
    with pytest.warns(UserWarning, match="spreads about .*StandardScaler"):
        shown = DecisionMap.from_estimator(SVC().fit(X, y), X, y, embedder=PCA(2), grid=5, cv=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown.with_model(SVC(C=5).fit(X, y))  # has been told


def test_a_map_without_its_way_back_gets_one(flowers):
    from sklearn.decomposition import KernelPCA

    X, y = flowers
    shown = DecisionMap.from_estimator(SVC().fit(X, y), X, y, embedder=KernelPCA(2), grid=5, cv=None)
    assert np.isfinite(shown.inverse_transform(shown.embedding_)).all()


def test_one_line_tells_agreement_and_the_model(flowers):
    X, y = flowers
    model = SVC().fit(X, y)
    shown = shown_in_the_plane(model, X, y, grid=20)
    assert shown.model_score_ == model.score(X, y)
    assert f"labels {shown.label_agreement_:.3f} held out" in repr(shown) and "SVC" in repr(shown)
    assert "folds" not in repr(shown.held_out_)
    numbers = LinearRegression().fit(X, y)
    shown = shown_in_the_plane(numbers, X, y.astype(float), grid=20, cv=None)
    assert shown.model_score_ == pytest.approx(numbers.score(X, y))
    assert "held out" not in repr(shown)


def test_regions_boundaries_and_margins_of_a_faithful_picture():
    """A plane of two features that hold what the classes are."""
    X, y = load_iris(return_X_y=True)
    shown = DecisionMap.from_map(SVC().fit(X, y), X, X[:, 2:], cv=None)
    assert regions_kept(shown) == 1
    assert round(boundary_length(shown), 1) == 0.9
    assert margins_kept(shown) > 0.9


def test_regions_on_paper():
    """Cells of one class that touch by a corner only are of two regions."""
    regions = painted_regions(np.array([[0, 0, 1], [1, 0, 1], [1, 2, 2]]))
    assert regions.tolist() == [[0, 0, 1], [2, 0, 1], [2, 3, 3]]


def test_new_samples_are_projected_as_told(flowers):
    X, y = flowers
    pca = PCA(2).fit(X)
    decision_map = DecisionMap.from_map(SVC().fit(X, y), X, X[:, :2], y, projector=pca, grid=5, cv=None)
    np.testing.assert_array_equal(decision_map.project(X), pca.transform(X))


def test_a_callable_kernel_may_be_fitted_to_a_table(flowers):
    """What the library hands to the kernel is the table; norms are those of the same kernel by name."""
    X, y = flowers
    frame = pd.DataFrame(X, columns=list("abcd"))
    by_name = PairwiseMachine(SVC(kernel="linear").fit(X, y)).norms
    of_table = SVC(kernel=lambda A, B: np.asarray(A) @ np.asarray(B).T).fit(frame, y)
    np.testing.assert_allclose(PairwiseMachine(of_table).norms, by_name, rtol=1e-6)


def test_pairwise_distances_on_paper():
    scores, norms = np.array([[2.0, 1.0, -3.0]]), np.array([1.0, 4.0, 1.0])
    assert pairwise_distances_to_boundaries(scores, np.array([0]), norms).tolist() == [0.25]
    assert pairwise_distances_to_boundaries(scores, np.array([1]), norms).tolist() == [2.0]


def test_cells_and_correlations_on_paper():
    rows, columns = grid_cells(np.array([[0.1, 0.9]]), (0, 1, 0, 1), (2, 2))
    assert (rows.tolist(), columns.tolist()) == ([1], [0])
    assert correlation(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])) == 1
    with pytest.raises(TypeError, match="unexpected keyword argument 'cells'"):
        DecisionMap.from_map(MODELS[0], np.eye(2), np.eye(2), cells=5)
