"""LMNN: against loops and finite differences, an answer on paper, invariances.

Other metrics, wrong input.
"""

import numpy as np
from literal import central_differences, squared
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import fixture, mark, warns
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from toolkit import lmnn
from toolkit.lmnn import LMNN, margin_cost, target_neighbors
from toolkit.lvq import GMLVQ

# wine, z-scored
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
X.flags.writeable = y.flags.writeable = False


@fixture
def problem():
    """Random samples in three mixed classes, one of them with a single sample.

    And their target neighbours.
    """
    X = default_rng(0).normal(size=(31, 4))
    codes = np.append(np.arange(30) % 2, 2)
    return X, codes, target_neighbors(X, codes, 3)


# ---------------------------------------------------------------- cost and gradient
def literal_cost(X, Omega, codes, k, push):
    """(11) to (13) triple by triple; targets by sorting, where no distances tie."""
    pull = 0.0
    hinge = 0.0
    active = 0
    for i in range(len(X)):
        own = [j for j in range(len(X)) if codes[j] == codes[i] and j != i]
        for j in sorted(own, key=lambda j: np.sum((X[i] - X[j]) ** 2))[:k]:
            difference = X[i] - X[j]
            near = np.sum((Omega @ difference) ** 2)
            pull += near
            for l in np.flatnonzero(codes != codes[i]):
                other_distance = np.sum((Omega @ (X[i] - X[l])) ** 2)
                excess = 1 + near - other_distance
                hinge += max(excess, 0)
                active += excess > 0
    cost = (1 - push) * pull + push * hinge
    return cost, pull, hinge, active


@mark.parametrize("rank", [1, 2, 4])
@mark.parametrize(
    "entries", [lmnn.PAIRS_PER_BLOCK, 200], ids=["one block", "blocks"]
)
def test_cost_and_gradient(problem, rank, entries, monkeypatch):
    """The loop's cost, and central differences, whatever the blocks."""
    monkeypatch.setattr(lmnn, "PAIRS_PER_BLOCK", entries)
    X, codes, targets = problem
    rng = default_rng(1)
    for scale in (0.1, 0.7, 3.0):  # all, many and few margins broken
        Omega = scale * rng.normal(size=(rank, 4))
        *found, gradient = margin_cost(X, Omega, codes, targets, 0.3)
        assert_allclose(
            found, literal_cost(X, Omega, codes, 3, 0.3), rtol=1e-12
        )
        numeric = central_differences(
            lambda A: margin_cost(X, A, codes, targets, 0.3)[0], Omega, h=1e-7
        )
        assert_allclose(gradient, numeric, atol=1e-6 * np.abs(numeric).max())


def test_targets(problem):
    X, codes, targets = problem
    same_class = codes[:, None] == codes
    D = np.where(same_class, squared(X), np.inf)
    np.fill_diagonal(D, np.inf)
    nearest = np.argsort(D, 1)[:30, :3]
    assert_array_equal(np.sort(targets[:30]), np.sort(nearest))
    assert targets[30].tolist() == [-1] * 3  # alone in its class
    few = target_neighbors(X, np.repeat([0, 1], [28, 3]), 5)
    assert set(few[28]) == {29, 30, -1}  # those that there are
    # the copies of each
    repeated = np.repeat(X, 3, axis=0)
    thrice = target_neighbors(repeated, np.repeat(codes, 3), 2)
    expected = np.repeat(np.arange(31), 3)[:, None] * [1, 1]
    assert_array_equal(thrice // 3, expected)
    positions = np.array([[0.0], [1.0], [-1.0], [5.0]])
    tied = target_neighbors(positions, np.zeros(4, int), 1)
    assert set(tied[0]) == {1, 2} and set(tied[3]) == {1, -1}


def test_the_pull_balances_the_push():
    """On a line: targets 2 apart, the other class 1 beyond, mirrored.

    The best Lambda = s by hand.

    x = 0, 2 | 3, 5. Pull 4 * 4 s. Triples: 0 and 5 see others at 9 s, 25 s, 2 and 3 see
    them at 1 s and 9 s, each against 4 s + 1: 2 [1 - 5 s]_+ + 2 [1 - 21 s]_+ + 2 [1 + 3
    s]_+ + 2 [1 - 5 s]_+. With push = .9 the slope is 1.6 + .9 (6 - 20) < 0 up to s =
    1/5 (beyond 1/21), then 1.6 + 5.4 > 0: the best is s = 1/5.
    """
    samples = [[0.0], [2], [3], [5]]
    model = LMNN(1, push=0.9, tol=0).fit(samples, [0, 0, 1, 1])
    assert_allclose(model.lambda_, [[0.2]], rtol=1e-5)
    expected = 0.1 * 16 * 0.2 + 0.9 * 2 * 1.6
    assert_allclose(model.history_["cost"][-1], expected, rtol=1e-6)


# ---------------------------------------------------------------- the fit
@mark.parametrize("rank", [None, 2])
def test_attributes_fit_together(rank):
    model = LMNN(rank=rank).fit(X, y)
    Omega = model.components_
    assert Omega.shape == (rank or 13, 13)
    assert_allclose(model.lambda_, Omega.T @ Omega, atol=1e-12)
    # rows are eigenvectors times roots of the eigenvalues
    assert_allclose(Omega @ Omega.T, np.diag(model.eigenvalues_), atol=1e-9)
    assert np.all(np.diff(model.eigenvalues_) <= 0)
    history = model.history_
    last = margin_cost(X, Omega, y, target_neighbors(X, y, 3), 0.5)
    assert np.all(np.diff(history["cost"]) <= 0)
    assert len(history["cost"]) == model.n_iter_ + 1
    assert_allclose(
        [values[-1] for values in history.values()], last[:4], rtol=1e-6
    )


# ---------------------------------------------------------------- invariances
@mark.parametrize("rank", [None, 2])
def test_turned_moved_and_in_another_unit(rank):
    random_matrix = default_rng(0).normal(size=(13, 13))
    Q = np.linalg.qr(random_matrix)[0]
    with warns(ConvergenceWarning, match="`max_iter`=30: the limit"):
        a = LMNN(rank=rank, max_iter=30, tol=0).fit(X, y)
        turned = 50 * X @ Q + 1e3
        b = LMNN(rank=rank, max_iter=30, tol=0).fit(turned, y)
    turned_back = 2500 * Q @ b.lambda_ @ Q.T
    assert_allclose(turned_back, a.lambda_, atol=1e-5 * a.lambda_.max())
    turned_samples = 50 * (X + 0.5) @ Q + 1e3
    assert_array_equal(a.predict(X + 0.5), b.predict(turned_samples))


def test_the_order_of_samples_does_not_matter_where_distances_tie():
    tied = np.round(X, 1)
    order = default_rng(0).permutation(len(X))
    a = LMNN().fit(tied, y)
    b = LMNN().fit(tied[order], y[order])
    assert_allclose(a.lambda_, b.lambda_, atol=1e-6 * a.lambda_.max())
    assert_array_equal(a.predict(tied), b.predict(tied))


def test_directions_without_variance():
    """A constant feature has no part.

    A repeated one shares its part evenly with its copy; more features than samples
    have no part outside the span."""
    with_constant = np.column_stack([X, np.full(178, 0.1), X[:, 0]])
    more = LMNN(tol=1e-8).fit(with_constant, y)
    assert len(more.components_) == 13
    assert_allclose(more.lambda_[13], 0, atol=1e-12)
    assert_allclose(more.lambda_[14], more.lambda_[0], atol=1e-8)
    # two copies count in all distances as one feature times sqrt(2)
    twice = np.r_[np.sqrt(2), np.ones(12)]
    fitted = LMNN(tol=1e-8).fit(X * twice, y)
    weighted = more.lambda_[:13, :13] * np.outer(twice, twice)
    assert_allclose(weighted, fitted.lambda_, atol=1e-3 * fitted.lambda_.max())
    wide = default_rng(0).normal(size=(20, 60))
    model = LMNN().fit(wide, np.arange(20) % 2)
    assert len(model.components_) == 19
    axes = np.linalg.svd(wide - wide.mean(0))[2]
    assert_allclose(axes[19:] @ model.lambda_, 0, atol=1e-10)


# ---------------------------------------------------------------- another metric
def test_with_metric():
    model = LMNN().fit(X, y)
    before = model.predict_proba(X)
    same = model.with_metric(model.components_)
    assert_array_equal(same.predict_proba(X), before)
    assert_allclose(same.eigenvalues_, model.eigenvalues_)
    two = model.with_metric(model.components_[:2])
    assert two.get_feature_names_out().tolist() == ["lmnn0", "lmnn1"]
    # the model itself is as it was
    assert_array_equal(model.predict_proba(X), before)


@mark.parametrize("scaled", [False, True])
def test_gmlvq_with_metric(scaled):
    model = GMLVQ(scaled=scaled).fit(X, y)
    assert_allclose(
        model.with_metric(model.omega_).components_,
        model.components_,
        atol=1e-10,
    )
    omega = default_rng(0).normal(size=(3, 13))
    other = model.with_metric(omega)
    differences = (X[:, None] - model.prototypes_) @ omega.T
    squared = np.sum(differences**2, 2)
    assert_allclose(other.distances(X), squared)
    assert_array_equal(
        other.predict(X), other.prototype_labels_[squared.argmin(1)]
    )
    assert_allclose(other.lambda_, omega.T @ omega)  # not normalised
    assert other._samples is model._samples


def test_no_metric_says_so():
    """Neighbours of the own class far away, the other class at hand.

    Any metric costs more than none.
    """
    X = np.array([[0.0], [0.001], [10.0], [10.001]])
    with warns(UserWarning, match="the best metric is none"):
        model = LMNN(1, push=0.1).fit(X, [0, 1, 0, 1])
    assert np.all(model.eigenvalues_ < 1e-6) and np.all(
        np.isfinite(model.predict_proba(X))
    )


def test_predicts_as_nearest_neighbours_of_the_mapped_samples():
    names = np.array(["x", "a", "m"])[y]
    model = LMNN(5).fit(X[::2], names[::2])
    direct = KNeighborsClassifier(5).fit(model.transform(X[::2]), names[::2])
    Z = model.transform(X[1::2])
    assert_array_equal(model.predict(X[1::2]), direct.predict(Z))
    assert_allclose(model.predict_proba(X[1::2]), direct.predict_proba(Z))
