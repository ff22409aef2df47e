"""CS, S-LapEig and S-LE: against dense problems written out; where they fail, they say so."""

import warnings

import numpy as np
import pytest
import scipy.linalg
from scipy.linalg import subspace_angles
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import check_estimator

from toolkit.eigenmaps import CCDR, SLE, SLEML, ConstraintScoreMap, LaplacianEigenmap, SLapEig
from toolkit.quality import knn_error

ALL = [ConstraintScoreMap(), SLapEig(), SLE(beta=0.2)]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X.flags.writeable = y.flags.writeable = False
    return X, y


@pytest.mark.filterwarnings("ignore:CS puts", "ignore:S-LE", "ignore:The graph has")
@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_scikit_learn_contract(estimator):
    check_estimator(estimator)


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


def squared(X):
    return np.sum((X[:, None] - X) ** 2, axis=-1)


def test_cs_equals_the_dense_problem_and_ignores_the_features(wine):
    X, y = wine
    same = (y[:, None] == y).astype(float)
    L = laplacian(same) - 0.7 * laplacian(1 - same)
    values = np.linalg.eigvalsh(L)
    with pytest.warns(UserWarning, match="CS puts each class at one point, whatever `X` is.*2 equal eigenvalues"):
        cs = ConstraintScoreMap(beta=0.7).fit(X, y)
    np.testing.assert_allclose(cs.eigenvalues_, values[:2], atol=1e-8)
    np.testing.assert_allclose(L @ cs.embedding_, cs.embedding_ * cs.eigenvalues_, atol=1e-8)
    np.testing.assert_allclose(cs.embedding_.T @ cs.embedding_, len(X) * np.eye(2), atol=1e-8)
    with warnings.catch_warnings(action="ignore"):
        other = ConstraintScoreMap(beta=0.7).fit(np.random.default_rng(0).normal(size=X.shape), y)
    np.testing.assert_array_equal(other.embedding_, cs.embedding_)


def test_cs_of_two_classes_has_one_coordinate(wine):
    X, y = wine
    with pytest.warns(UserWarning, match="2 classes give 1 coordinates, the other 1 are zero"):
        Z = ConstraintScoreMap().fit_transform(X, y > 0)
    assert np.all(Z[:, 1] == 0)


def test_slapeig_word_for_word(wine):
    X, y = wine
    X, y = X[::2], y[::2]
    n, k = len(X), 40
    D2, same = squared(X), y[:, None] == y
    tau2 = (np.sqrt(D2).sum() / (n * (n - 1))) ** 2
    d2 = np.where(same, 1 - np.exp(-D2 / tau2), np.exp(D2 / tau2))
    np.fill_diagonal(d2, 0)
    sigma2 = d2.sum() / (n * (n - 1))
    np.fill_diagonal(d2, np.inf)
    near = np.argsort(np.argsort(d2, axis=1), axis=1) < k
    W = np.where(near | near.T, np.maximum(np.exp(-d2 / sigma2), 1e-12), 0)
    mu, Z = scipy.linalg.eigh(laplacian(W), np.diag(W.sum(axis=1)))
    ours = SLapEig(n_neighbors=k).fit(X, y)
    np.testing.assert_allclose([ours.tau2_, ours.sigma2_], [tau2, sigma2], rtol=1e-9)
    np.testing.assert_allclose(ours.eigenvalues_, mu[1:3], atol=1e-9)
    assert subspace_angles(ours.embedding_, Z[:, 1:3]).max() < 1e-7


def test_slapeig_joins_the_own_class_first(wine):
    X, y = wine
    graph = SLapEig(n_neighbors=20).fit
    with warnings.catch_warnings(action="ignore"):  # fewer neighbours than a class has: one piece a class
        W = graph(X, y).graph_.toarray() > 0
    assert not np.any(W & (y[:, None] != y))


@pytest.mark.parametrize("beta", [0.1, 0.6])
def test_sle_word_for_word(wine, beta):
    X, y = wine
    D2, same = squared(X), y[:, None] == y
    S = np.exp(-D2 / (D2.sum() / (len(X) * (len(X) - 1))))
    near = S > S.mean(axis=1)[:, None]
    near = near | near.T
    W_W, W_B = S * (near & same), (near & ~same).astype(float)
    A = beta * laplacian(W_B) - (1 - beta) * laplacian(W_W)
    values, Z = scipy.linalg.eigh(A, np.diag(W_W.sum(axis=1)))
    constant = np.abs(values) < 1e-10  # the constant vector, wherever it stands
    values, Z = values[~constant][::-1], Z[:, ~constant][:, ::-1]
    ours = SLE(beta=beta).fit(X, y)
    np.testing.assert_allclose(ours.eigenvalues_, values[:2], rtol=1e-8)
    assert subspace_angles(ours.embedding_, Z[:, :2]).max() < 1e-6


def test_sle_says_when_it_is_degenerate(wine):
    X, y = wine
    with pytest.warns(UserWarning, match="nothing to push apart"):
        SLE(beta=0.0).fit(X, y)
    far = X + 100 * y[:, None]
    with pytest.warns(UserWarning, match="no near pair lies between classes"):
        SLE().fit(far, y)
    corners = np.repeat(np.eye(4), 5, axis=0)  # four points, each class at each of them: directions cannot differ
    with pytest.warns(UserWarning, match="eigenvalues 1 and 2 are equal"):
        SLE(1, beta=1.0, sigma2=10.0).fit(corners, np.tile([0, 1, 2, 3, 0], 4))


@pytest.mark.filterwarnings("ignore:CS puts")
@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_new_samples(wine, estimator):
    X, y = wine
    train = np.arange(len(X)) % 3 > 0
    estimator.fit(X[train], y[train])
    np.testing.assert_allclose(estimator.transform(X[train]), estimator.embedding_, atol=1e-12)
    vote = KNeighborsClassifier(5).fit(estimator.embedding_, y[train])
    # no worse than the labels it predicts by, give or take what the map itself confuses
    assert vote.score(estimator.transform(X[~train]), y[~train]) > 0.9 - knn_error(estimator.embedding_, y[train], 5)


@pytest.mark.filterwarnings("ignore:CS puts", "ignore:S-LE")
@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_order_and_names_do_not_matter(estimator):
    X, y = load_iris(return_X_y=True)
    X, first = np.unique(X, axis=0, return_index=True)
    y = y[first]
    base = estimator.fit_transform(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    distances = np.sqrt(squared(base))
    if not isinstance(estimator, ConstraintScoreMap):  # its arrangement is arbitrary, which it says
        np.testing.assert_allclose(estimator.fit_transform(X[order], y[order]), base[order], atol=1e-6)
    named = estimator.fit_transform(X, np.array(["z", "x", "y"])[y])
    np.testing.assert_allclose(np.sqrt(squared(named)), distances, atol=1e-6)


@pytest.mark.filterwarnings("ignore:CS puts")
@pytest.mark.parametrize("estimator", [*ALL, SLEML(), CCDR(), LaplacianEigenmap()], ids=repr)
def test_a_refused_fit_keeps_the_fitted_map_and_warnings_name_the_caller(wine, estimator):
    X, y = wine
    fitted = dict(vars(estimator.fit(X, y)))
    with pytest.raises(ValueError, match="at least two classes"):
        estimator.fit(X[:9], np.ones(9))
    assert vars(estimator) == fitted
    if isinstance(estimator, ConstraintScoreMap):
        with pytest.warns(UserWarning, match="CS puts") as caught:
            estimator.fit_transform(X, y)
        assert caught[0].filename == __file__


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_bad_input(wine, estimator):
    X, y = wine
    with pytest.raises(ValueError, match="no rule for several labels per sample.*SLEML and CCDR take one"):
        estimator.fit(X, np.eye(3)[y])
    with pytest.raises(ValueError, match="at least two classes"):
        estimator.fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="exactly the values -1 and"):
        estimator.fit(X, np.where(y == 0, 1, -1))
    with pytest.raises(ValueError, match="`y` holds unlabelled samples .-1."):
        estimator.fit(X, np.where(y == 0, -1, y))
    with pytest.raises(ValueError, match="`n_components`"):
        type(estimator)(n_components=len(X)).fit(X, y)


@pytest.mark.parametrize(
    "estimator, message",
    [
        (ConstraintScoreMap(beta=-1), "`beta` must be a finite number >= 0"),
        (SLE(beta=1.2), "`beta` must be a number between 0 and 1"),
        (SLE(sigma2=-1.0), "`sigma2` must be a finite number > 0"),
        (SLapEig(sigma2=0), "`sigma2` must be a finite number > 0"),
        (SLapEig(tau2=np.inf), "`tau2` must be a finite number > 0"),
        (SLapEig(n_neighbors=178), "`n_neighbors` must be an integer between 1 and 177"),
    ],
)
def test_bad_parameters(wine, estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*wine)
