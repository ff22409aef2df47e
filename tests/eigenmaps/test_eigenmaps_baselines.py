"""CS, S-LapEig and S-LE against dense problems; where they fail, they say so."""

import numpy as np
import scipy.linalg
from literal import laplacian, squared
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import mark, warns
from scipy.linalg import subspace_angles
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier

from toolkit.eigenmaps import SLE, ConstraintScoreMap, SLapEig

X, y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
X.flags.writeable = y.flags.writeable = False


def test_cs_equals_the_dense_problem_and_ignores_the_features():
    same_class = (y[:, None] == y).astype(float)
    L = laplacian(same_class) - 0.7 * laplacian(1 - same_class)
    values = np.linalg.eigvalsh(L)
    noise = default_rng(0).normal(size=X.shape)
    with warns(UserWarning, match="CS puts each class at one point") as caught:
        cs = ConstraintScoreMap(beta=0.7).fit(X, y)
        other = ConstraintScoreMap(beta=0.7).fit_transform(noise, y)
    # at the line of the caller
    assert {warning.filename for warning in caught} == {__file__}
    assert_array_equal(other, cs.embedding_)
    assert_allclose(cs.eigenvalues_, values[:2], atol=1e-8)
    assert_allclose(
        L @ cs.embedding_, cs.embedding_ * cs.eigenvalues_, atol=1e-8
    )
    products = cs.embedding_.T @ cs.embedding_
    assert_allclose(products, len(X) * np.eye(2), atol=1e-8)


def test_cs_of_two_classes_has_one_coordinate():
    with warns(match="2 classes is arbitrary.* 1 coordinates are zero"):
        Z = ConstraintScoreMap().fit_transform(X, y > 0)
    assert np.all(Z[:, 1] == 0)


def test_slapeig_as_written():
    samples = X[::2]
    classes = y[::2]
    k = 40
    D2 = squared(samples)
    n_pairs = len(samples) * (len(samples) - 1)
    is_same = classes[:, None] == classes
    tau2 = (np.sqrt(D2).sum() / n_pairs) ** 2
    of_same = 1 - np.exp(-D2 / tau2)
    d2 = np.where(is_same, of_same, np.exp(D2 / tau2))
    np.fill_diagonal(d2, 0)
    sigma2 = d2.sum() / n_pairs
    np.fill_diagonal(d2, np.inf)
    is_near = np.argsort(np.argsort(d2, axis=1), axis=1) < k
    heat = np.maximum(np.exp(-d2 / sigma2), 1e-12)
    W = np.where(is_near | is_near.T, heat, 0)
    degrees = np.diag(W.sum(axis=1))
    mu, Z = scipy.linalg.eigh(laplacian(W), degrees)
    ours = SLapEig(n_neighbors=k).fit(samples, classes)
    assert_allclose([ours.tau2_, ours.sigma2_], [tau2, sigma2], rtol=1e-9)
    assert_allclose(ours.eigenvalues_, mu[1:3], atol=1e-9)
    assert subspace_angles(ours.embedding_, Z[:, 1:3]).max() < 1e-7


@mark.parametrize("beta", [0.1, 0.6])
def test_sle_as_written(beta):
    D2 = squared(X)
    is_same = y[:, None] == y
    mean_squared = D2.sum() / (len(X) * (len(X) - 1))
    S = np.exp(-D2 / mean_squared)
    is_near = S > S.mean(axis=1)[:, None]
    is_near = is_near | is_near.T
    W_W = S * (is_near & is_same)
    W_B = (is_near & ~is_same).astype(float)
    A = beta * laplacian(W_B) - (1 - beta) * laplacian(W_W)
    degrees = np.diag(W_W.sum(axis=1))
    values, Z = scipy.linalg.eigh(A, degrees)
    constant = np.abs(values) < 1e-10  # the constant vector, wherever it stands
    values = values[~constant][::-1]
    Z = Z[:, ~constant][:, ::-1]
    ours = SLE(beta=beta).fit(X, y)
    assert_allclose(ours.eigenvalues_, values[:2], rtol=1e-8)
    assert subspace_angles(ours.embedding_, Z[:, :2]).max() < 1e-6


def test_sle_says_when_it_is_degenerate():
    with warns(match="no pairs to separate: `beta` is 0"):
        SLE(beta=0.0).fit(X, y)
    far_samples = X + 100 * y[:, None]
    with warns(match="no pairs to separate: .*no near pair is between classes"):
        SLE().fit(far_samples, y)
    # four points, each class at each of them: directions cannot differ
    corners = np.repeat(np.eye(4), 5, axis=0)
    with warns(match="eigenvalues 1 and 2 are equal"):
        labels = np.tile([0, 1, 2, 3, 0], 4)
        SLE(1, beta=1.0, sigma2=10.0).fit(corners, labels)


@mark.parametrize("beta", [0.05, 0.3])
def test_a_new_sample_of_sle_solves_its_row_of_the_equations(beta):
    """(beta L^B - (1 - beta) L^W) z = mu D^W z with one row more, the new sample's."""
    sle = SLE(beta=beta).fit(X, y)
    new = X[::9] + 0.1
    classes = KNeighborsClassifier(5).fit(X, y).predict(new)
    similarity = np.exp(-squared(X) / sle.sigma2_)
    mean_similarity = similarity.mean(axis=1)
    for x, z, c in zip(new, sle.transform(new), classes, strict=True):
        squared_distances = np.sum((X - x) ** 2, axis=1)
        s = np.exp(-squared_distances / sle.sigma2_)
        is_near = (s > s.mean()) | (s > mean_similarity)
        pull = np.where(is_near & (y == c), s, 0)
        push = (is_near & (y != c)).astype(float)
        w = beta * push - (1 - beta) * pull
        left = w.sum() * z - w @ sle.embedding_
        right = sle.eigenvalues_ * (pull.sum() + 1) * z
        assert_allclose(left, right, atol=1e-9 * np.abs(left).max())


def test_a_new_sample_of_sle_stays_within_ten_times_the_map():
    """The factor of its own coordinate is at least a tenth of the weights."""
    new = X + default_rng(0).normal(size=X.shape)
    for beta in np.linspace(0.06, 0.2, 15):
        sle = SLE(beta=beta).fit(X, y)
        extent = np.abs(sle.embedding_).max(axis=0)
        assert np.all(np.abs(sle.transform(new)).max(axis=0) <= 10 * extent)


@mark.filterwarnings("ignore:CS puts")
@mark.parametrize(
    "estimator", [ConstraintScoreMap(), SLapEig(), SLE(beta=0.2)], ids=repr
)
def test_training_samples_get_their_own_coordinates(estimator):
    estimator.fit(X, y)
    assert_allclose(
        estimator.transform(X[:9]), estimator.embedding_[:9], atol=1e-12
    )
