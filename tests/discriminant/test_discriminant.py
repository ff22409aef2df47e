"""FDA, LPP, LFDA and SELF: against pairwise sums written out, special cases, invariances, wrong input."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.linalg import subspace_angles
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from toolkit.core.graphs import local_scaling
from toolkit.datasets import make_hidden_moons
from toolkit.discriminant import FDA, LFDA, LPP, SELF, GraphLabelRegression, importance_weighted_cv, importance_weights
from toolkit.discriminant.scatter import class_scatters, local_class_scatters, local_scatters, pair_scatter

ALL = [FDA(), LPP(), LFDA(), SELF(), SELF(beta=0.0)]


@pytest.fixture(scope="module")
def data():
    """Iris with jitter (no ties), a third of the labels hidden; read-only."""
    X, y = load_iris(return_X_y=True)
    X = X + 0.01 * np.random.default_rng(0).normal(size=X.shape)
    y = np.where(np.arange(150) % 3 == 0, -1, y)
    X.flags.writeable = y.flags.writeable = False
    return X, y


@pytest.mark.parametrize("estimator", [*ALL, GraphLabelRegression()], ids=repr)
def test_scikit_learn_contract(estimator):
    check_estimator(estimator)


def test_self_in_a_pipeline(data):
    """A step of make_pipeline is named after its class, and none can be called "self"."""
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SELF(), KNeighborsClassifier(5)).fit(X, y)
    assert pipeline.score(X, y) > 0.9


def pairwise(W, X):
    """1/2 sum_ij W_ij (x_i - x_j)(x_i - x_j)^T, all n x n x d of it."""
    differences = X[:, None] - X
    return np.einsum("ij,ijk,ijl->kl", W, differences, differences) / 2


def literal_scatters(X, y, A):
    """(9), (10), (18), (19) word for word; n is the number of labelled samples in (18) and (19)."""
    labelled = y >= 0
    n = labelled.sum()
    W_lw, W_lb = np.zeros((2, len(X), len(X)))
    for i in np.flatnonzero(labelled):
        for j in np.flatnonzero(labelled):
            n_c = np.sum(y == y[i])
            W_lw[i, j] = A[i, j] / n_c if y[i] == y[j] else 0
            W_lb[i, j] = A[i, j] * (1 / n - 1 / n_c) if y[i] == y[j] else 1 / n
    W = A / len(X)
    centred = X - X.mean(axis=0)
    return pairwise(W_lb, X), pairwise(W_lw, X), -pairwise(W, X), centred.T @ np.diag(W.sum(axis=1)) @ centred


def test_scatters_word_for_word(data):
    X, y = data
    A = local_scaling(X)
    S_lb, S_lw, S_l, S_n = literal_scatters(X, y, A)
    for ours, theirs in zip(
        (*local_class_scatters(X, y, A), *local_scatters(X, A)), (S_lb, S_lw, S_l, S_n), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-10 * np.abs(theirs).max())
    assert np.linalg.eigvalsh(S_l).max() < 1e-12  # negative semi-definite
    np.testing.assert_allclose(pair_scatter(A, X + 1e4), pairwise(A, X), rtol=1e-6)


def test_pairwise_forms_of_the_class_scatters(data):
    """(12)-(15) equal (6), (7)."""
    X, y = data[0], load_iris().target
    same, n_c = y[:, None] == y, 50
    S_b, S_w = class_scatters(X, y)
    np.testing.assert_allclose(pairwise(same / n_c, X), S_w, rtol=1e-10)
    np.testing.assert_allclose(pairwise(np.where(same, 1 / 150 - 1 / n_c, 1 / 150), X), S_b, rtol=1e-10)
    ones = np.ones((150, 150))
    for ours, theirs in zip(local_class_scatters(X, y, ones), (S_b, S_w), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10 * np.abs(theirs).max())


def test_fda_is_lda(data):
    X, y = data[0], load_iris().target
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    fda = FDA(ridge=0.0).fit(X, y)
    assert subspace_angles(fda.components_.T, lda.scalings_[:, :2]).max() < 1e-6
    values = FDA(4).fit(X, y).eigenvalues_
    assert values[2] < 1e-10 * values[0]


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
def test_self_is_the_printed_eigenproblem(data, beta):
    X, y = data
    S_lb, S_lw, S_l, S_n = literal_scatters(X, y, local_scaling(X))
    upper, lower = (1 - beta) * S_lb + beta * S_l, (1 - beta) * S_lw + beta * S_n
    lower = lower + 1e-6 * np.trace(lower) / 4 * np.eye(4)
    values, T = scipy.linalg.eigh(upper, lower)
    ours = SELF(beta=beta).fit(X, y)
    np.testing.assert_allclose(ours.eigenvalues_, values[::-1][:2], rtol=1e-8)
    assert subspace_angles(ours.components_.T, T[:, ::-1][:, :2]).max() < 1e-6
    form = ours.components_ @ lower @ ours.components_.T
    np.testing.assert_allclose(form, form[0, 0] * np.eye(2), atol=1e-8 * form[0, 0])
    np.testing.assert_allclose(np.mean(np.sum(ours.embedding_**2, axis=1)), 2)


def test_ends_of_beta(data):
    X, y = data
    np.testing.assert_allclose(SELF(beta=0.0).fit_transform(X, y), LFDA().fit_transform(X, y), atol=1e-10)
    np.testing.assert_allclose(SELF(beta=1.0).fit_transform(X, y), LPP().fit_transform(X), atol=1e-10)
    other = np.roll(y, 7)  # at 1 the labels are discarded
    np.testing.assert_allclose(SELF(beta=1.0).fit_transform(X, other), LPP().fit_transform(X), atol=1e-10)


def test_bimodal_class_on_paper():
    """One class at (-2, 0) and (2, 0), the other at (0, 0), each +-(0, 5) spread: the class means agree.

    S_b = 0, so FDA has nothing to find and its eigenvalues are 0; LFDA separates along the first axis.
    """
    X = np.array([[x, s] for x in (-2.0, 2.0, 0.0, 0.0) for s in np.linspace(-5, 5, 20)])
    y = np.repeat([0, 0, 1, 1], 20)
    assert FDA(1).fit(X, y).eigenvalues_[0] < 1e-12
    direction = LFDA(1, local_neighbor=3).fit(X, y).components_[0]
    assert abs(direction[0]) > 20 * abs(direction[1])


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_invariances(data, estimator):
    X, y = data
    base = estimator.fit(X, y).embedding_
    rng = np.random.default_rng(0)
    order = rng.permutation(150)
    same = estimator.fit(X[order], y[order])
    np.testing.assert_allclose(same.embedding_, base[order], atol=1e-8)
    names = np.array(["c", "a", "b", -1], dtype=object)[y]
    np.testing.assert_allclose(estimator.fit(X, names).embedding_, base, atol=1e-8)
    turned = X @ np.linalg.qr(rng.normal(size=(4, 4)))[0] + 50
    moved = estimator.fit(turned, y).embedding_
    np.testing.assert_allclose(moved @ moved.T, base @ base.T, atol=1e-6)
    np.testing.assert_allclose(estimator.transform(turned), moved, atol=1e-8)


@pytest.mark.parametrize("estimator", [LPP(), LFDA(), SELF()], ids=repr)
def test_sparse_affinity_with_all_neighbors_is_the_dense_one(data, estimator):
    X, y = data
    dense = estimator.set_params(n_affinity=None).fit(X, y).embedding_
    sparse = estimator.set_params(n_affinity=149).fit(X, y).embedding_
    np.testing.assert_allclose(sparse, dense, atol=1e-7)


def test_path_is_the_fit_of_each_beta(data):
    X, y = data
    fitted = SELF().fit(X, y)
    embeddings, components = fitted.path([0, 0.4, 1])
    for beta, Z, T in zip([0, 0.4, 1], embeddings, components, strict=True):
        alone = SELF(beta=beta).fit(X, y)
        np.testing.assert_allclose(alone.components_, T, atol=1e-9)
        np.testing.assert_allclose(Z @ Z.T, alone.embedding_ @ alone.embedding_.T, atol=1e-8)
    with pytest.raises(ValueError, match="`betas` must be a number between 0 and 1"):
        fitted.path([1.5])


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_more_features_than_samples(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 300))
    y = np.arange(40) % 2
    X[:, 0] += 6 * y
    fitted = estimator.fit(X, y)
    assert np.isfinite(fitted.components_).all() and fitted.components_.shape == (2, 300)
    np.testing.assert_allclose(fitted.transform(X), fitted.embedding_, atol=1e-8)
    # the same in coordinates of the samples' own space
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    small = estimator.fit(U[:, :39] * s[:39], y).embedding_
    np.testing.assert_allclose(small @ small.T, fitted.embedding_ @ fitted.embedding_.T, atol=1e-5)


def test_odd_input_that_has_an_answer(data):
    X, y = data
    one = np.where(np.arange(150) == 4, 3, y)  # a class with one sample
    same = np.repeat(X[:15], 10, axis=0)  # local scales of zero
    constant = np.column_stack([X, np.ones(150)])
    for estimator in ALL:
        for A, b in ((X, one), (same, y), (constant, y)):
            assert np.isfinite(estimator.fit(A, b).embedding_).all()
    for beta in (0.0, 0.5, 1.0):  # local scatter prefers directions without variance: they are left out
        fitted = SELF(beta=beta).fit(constant, y)
        assert abs(fitted.components_[:, 4]).max() < 1e-10
        assert subspace_angles(fitted.components_[:, :4].T, SELF(beta=beta).fit(X, y).components_.T).max() < 1e-5
    singles = np.full(150, -1)
    singles[[0, 60, 120]] = [0, 1, 2]  # S_lw is zero
    assert np.isfinite(LFDA().fit(X, singles).embedding_).all()


BAD = [
    ({}, lambda X, y: (X, np.full(150, -1)), "all 150 are unlabelled"),
    ({}, lambda X, y: (X, np.where(y == 0, 1, -1)), "exactly the values -1 and .1.*Name the classes otherwise"),
    ({}, lambda X, y: (X, np.where(y == 0, 0, -1)), "at least two classes; got 1 class"),
    ({}, lambda X, y: (X, None), "`y` is missing"),
    ({}, lambda X, y: (X, np.eye(3)[np.maximum(y, 0)]), "no rule for several labels per sample"),
    ({}, lambda X, y: (np.ones((150, 3)), y), "at least two different samples"),
    ({}, lambda X, y: (np.where(X > 6, np.nan, X), y), "NaN"),
    ({"beta": -0.1}, None, "`beta` must be a number between 0 and 1; got -0.1"),
    ({"beta": "0.5"}, None, "`beta`"),
    ({"n_components": 5}, None, "`n_components` must be an integer between 1 and 4"),
    ({"n_components": 0}, None, "`n_components`"),
    ({"ridge": -1.0}, None, "`ridge` must be a finite number >= 0"),
    ({"n_affinity": 150}, None, "`n_affinity` must be an integer between 1 and 149"),
    ({"local_neighbor": 0}, None, "`local_neighbor` must be an integer"),
]


@pytest.mark.parametrize("parameters, change, message", BAD)
def test_bad_input(data, parameters, change, message):
    X, y = change(*data) if change else data
    with pytest.raises(ValueError, match=message):
        SELF(**parameters).fit(X, y)


def test_a_refused_fit_keeps_the_fitted_map(data):
    X, y = data
    for estimator in (*map(clone, ALL), GraphLabelRegression()):
        fitted = dict(vars(estimator.fit(X, y)))
        with pytest.raises(ValueError, match="unlabelled|NaN"):
            estimator.fit(np.full((9, 2), np.nan) if isinstance(estimator, LPP) else np.eye(9), np.full(9, -1))
        assert vars(estimator) == fitted


def test_singular_without_ridge_says_so(data):
    X, y = data
    few = np.full(150, -1)
    few[[1, 61, 121]] = [0, 1, 2]  # no scatter within classes
    with pytest.raises(ValueError, match="`ridge`=0.0 leaves the lower scatter matrix singular.*Raise `ridge`"):
        FDA(ridge=0.0).fit(X, few)
    repeated = np.column_stack([X, X[:, 0]])  # singular in its features only: no ridge needed
    assert np.isfinite(FDA(ridge=0.0).fit(repeated, y).components_).all()


def test_many_samples_need_a_sparse_affinity(monkeypatch, data):
    monkeypatch.setattr("toolkit.discriminant.maps.DENSE_LIMIT", 100)
    with pytest.raises(ValueError, match="`n_affinity` must be given for more than 100 samples, got 150"):
        SELF().fit(*data)


def test_no_array_of_n_times_n():
    n = 4000
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 3)), rng.integers(-1, 3, size=n)
    SELF(n_affinity=10).fit(X[:100], y[:100])
    tracemalloc.start()
    SELF(n_affinity=10).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 8 / 5


@settings(max_examples=40, deadline=None)
@given(
    X=hnp.arrays(
        float,
        st.tuples(st.integers(1, 12), st.integers(1, 4)),
        elements=st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, np.nan, np.inf, 1e150, 1e-300])),
    ),
    seed=st.integers(0, 10),
    beta=st.sampled_from([0.0, 0.4, 1.0]),
)
@pytest.mark.filterwarnings("ignore")
def test_hostile_input_gives_a_finite_map_or_a_value_error(X, seed, beta):
    y = np.random.default_rng(seed).integers(-1, 3, size=len(X))
    try:
        Z = SELF(1, beta=beta).fit_transform(X, y)
    except ValueError as error:
        assert str(error).strip()
        return
    assert Z.shape == (len(X), 1) and np.isfinite(Z).all()


# ------------------------------------------------------------ regression on the graph
@pytest.mark.parametrize("n_affinity", [None, 6])
def test_graph_regression_minimises_23(data, n_affinity):
    """Two classes as -1 and +1 in (23): the gradient (f_i - y_i) [labelled] + 2 gamma (L f)_i vanishes."""
    X, y = data
    X, y = X[50:], np.where(y[50:] < 0, -1, y[50:] - 1)
    rule = GraphLabelRegression(gamma=0.7, n_affinity=n_affinity).fit(X, y)
    f = rule.scores_[:, 1] - rule.scores_[:, 0]
    A = local_scaling(X, n_affinity=n_affinity)
    A = A if n_affinity is None else A.toarray()
    L = np.diag(A.sum(axis=1)) - A
    target = np.where(y == 1, 1.0, -1.0)
    np.testing.assert_allclose(np.where(y >= 0, f - target, 0) + 2 * 0.7 * L @ f, 0, atol=1e-9)
    assert np.array_equal(rule.transduction_, (f > 0).astype(int))
    given = GraphLabelRegression(gamma=0.7, affinity="precomputed").fit(A, y)
    np.testing.assert_allclose(given.scores_, rule.scores_, atol=1e-9)


def test_graph_regression_of_three_classes_and_names(data):
    X, y = data
    truth = load_iris().target
    names = np.array(["a", "b", "c", -1], dtype=object)[y]
    predicted = GraphLabelRegression().fit_predict(X, names)
    assert np.mean(predicted[y < 0] == np.array(["a", "b", "c"])[truth[y < 0]]) > 0.9


def test_a_piece_without_labels_gets_the_most_frequent_class():
    X = np.vstack([np.linspace(0, 1, 10)[:, None], 1e6 + np.linspace(0, 1, 10)[:, None]])
    y = np.full(20, -1)
    y[[0, 4, 9]] = [0, 1, 1]
    with pytest.warns(UserWarning, match="10 samples lie in connected components without a labelled sample"):
        predicted = GraphLabelRegression(n_affinity=3).fit_predict(X, y)
    assert predicted[0] == 0 and set(predicted[10:]) == {1}


@pytest.mark.parametrize(
    "parameters, X, message",
    [
        ({"gamma": 0}, np.eye(4), "`gamma` must be a finite number > 0"),
        ({"affinity": "rbf"}, np.eye(4), '`affinity` must be "local" or "precomputed"'),
        ({"affinity": "precomputed"}, np.eye(4)[:, :3], "symmetric affinity >= 0 of shape"),
        ({"affinity": "precomputed"}, np.triu(np.ones((4, 4))), "symmetric affinity"),
        ({"affinity": "precomputed"}, -np.eye(4), "symmetric affinity"),
        ({"n_affinity": 4}, np.eye(4), "`n_affinity` must be an integer between 1 and 3"),
    ],
)
def test_graph_regression_bad_input(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        GraphLabelRegression(**parameters).fit(X, [0, 1, -1, -1])


# ------------------------------------------------------------ selection
def test_importance_weights_follow_a_known_ratio():
    """Labelled N(0, 1), all N(1, 1): the log ratio is x - 1/2, linear, which the logistic regression can fit."""
    rng = np.random.default_rng(0)
    few, everyone = rng.normal(size=(3000, 1)), 1 + rng.normal(size=(6000, 1))
    w = importance_weights(few, everyone, C=100.0)
    slope = np.polyfit(few.ravel(), np.log(w), 1)[0]
    assert abs(slope - 1) < 0.1
    np.testing.assert_allclose(importance_weights(few, everyone, flattening=0.0), 1)
    with pytest.raises(ValueError, match="`flattening`"):
        importance_weights(few, everyone, flattening=2)


def test_importance_weighted_cv_counts_errors_by_hand():
    """Weights of 1 make both estimates the plain share of wrong votes of held-out labelled samples."""
    moons = make_hidden_moons(200, 4, random_state=0)
    chosen = importance_weighted_cv(moons.data, moons.target, betas=[0.2, 0.9], flattening=0.0, random_state=0)
    np.testing.assert_allclose(chosen.weighted, chosen.plain)
    assert chosen.plain.shape == (2, 2) and np.all(np.round(chosen.plain * 20, 9) % 1 == 0)
    assert chosen.plain[[0.2, 0.9].index(chosen.beta), chosen.n_components - 1] == chosen.plain.min()
    again = importance_weighted_cv(moons.data, moons.target, betas=[0.2, 0.9], flattening=0.0, random_state=0)
    np.testing.assert_array_equal(again.plain, chosen.plain)


def test_importance_weighted_cv_bad_input():
    moons = make_hidden_moons(200, 4, random_state=0)
    few = np.where(np.cumsum(moons.target == 0) > 1, np.where(moons.target == 0, -1, moons.target), moons.target)
    with pytest.raises(ValueError, match="at least two samples of each class.*class '0' has 1"):
        importance_weighted_cv(moons.data, few)
    for settings_, message in (
        ({"betas": [2]}, "`betas` must be a number between 0 and 1"),
        ({"betas": []}, "`betas` and `dimensions` must hold a value each"),
        ({"dimensions": [-1, 2]}, "must be an integer between 1 and 4"),
        ({"dimensions": [2.7]}, "must be an integer between 1 and 4"),
        ({"n_splits": 1}, "`n_splits` must be an integer >= 2"),
        ({"estimator": LFDA()}, "`estimator` must be a SELF"),
    ):
        with pytest.raises(ValueError, match=message):
            importance_weighted_cv(moons.data, moons.target, **settings_)


def test_hidden_moons_place_their_labels():
    for placement in ("even", "one-sided"):
        moons = make_hidden_moons(random_state=0, placement=placement)
        labelled = moons.target >= 0
        assert np.array_equal(moons.target[labelled], moons.truth[labelled])
        assert np.bincount(moons.target[labelled]).tolist() == [10, 10]
        spread = np.ptp(moons.data[labelled & (moons.truth == 0), 0])
        assert spread > 1 if placement == "even" else spread < 1
    again = make_hidden_moons(random_state=0, labels_state=3)
    np.testing.assert_array_equal(again.data, make_hidden_moons(random_state=0, labels_state=4).data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="`placement`"):
            make_hidden_moons(placement="middle")
