"""Relevance of features for a given map.

Costs word for word, gradients, invariances, known truths, wrong input.
"""

import warnings

import numpy as np
from contract import refusal_test
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from literal import central_differences
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, warns
from sklearn.exceptions import ConvergenceWarning

from toolkit.core.graphs import squared_distances
from toolkit.core.scaling import perplexity_widths
from toolkit.quality import q_nx
from toolkit.relevance import (
    NeRVMetric,
    NeRVRelevance,
    backward_relevance,
    forward_relevance,
)
from toolkit.relevance.cost import Neighborhoods, diagonal_energy, energy

BOTH = [NeRVRelevance, NeRVMetric]


# the map shows the first two of five features
X = default_rng(1).normal(size=(120, 5))
Z = X[:, :2].copy()
X.flags.writeable = Z.flags.writeable = False


def squared_of(X):
    return squared_distances(X - X.mean(axis=0), X - X.mean(axis=0))


def literal_energy(Omega, X, Z, k, gamma, delta, rows, weights):
    """(4.1) to (4.3) and (4.8) word for word, with widths from X and Z."""
    n = len(X)
    sigma_x = perplexity_widths(squared_of(X), k, np.arange(n))
    sigma_z = perplexity_widths(squared_of(Z), k, np.arange(n))
    total = 0.0
    for i, weight in zip(rows, weights, strict=True):
        other_rows = [j for j in range(n) if j != i]
        p = np.exp(
            [
                -0.5 * np.sum((Omega @ (X[i] - X[j])) ** 2) / sigma_x[i] ** 2
                for j in other_rows
            ]
        )
        q = np.exp(
            [
                -0.5 * np.sum((Z[i] - Z[j]) ** 2) / sigma_z[i] ** 2
                for j in other_rows
            ]
        )
        p = p / p.sum()
        q = q / q.sum()
        recall_cost = np.sum(p * np.log(p / q))
        precision_cost = np.sum(q * np.log(q / p))
        total += weight * (gamma * recall_cost + (1 - gamma) * precision_cost)
    return total + delta * np.trace(Omega.T @ Omega)


# ---------------------------------------------------------------- the cost


@mark.parametrize("gamma", [0.0, 0.3, 1.0])
@mark.parametrize("rows", [np.arange(15), np.array([1, 4, 5, 11])])
def test_cost_and_gradients_are_the_definition(gamma, rows):
    rng = default_rng(0)
    X = rng.normal(size=(15, 4))
    Z = rng.normal(size=(15, 2))
    Omega = rng.normal(size=(3, 4))
    weights = default_rng(2).uniform(0.5, 2, size=len(rows))
    neighborhoods = Neighborhoods(X, Z, 4, gamma, rows, weights)
    value, gradient = energy(Omega, X, neighborhoods, 0.7)
    assert value == approx(
        literal_energy(Omega, X, Z, 4, gamma, 0.7, rows, weights), rel=1e-10
    )
    lam = np.array([0.5, -1.0, 2.0, 0.1])
    of_weights, slopes = diagonal_energy(lam, X, neighborhoods, 0.7)
    cost_of_matrix = energy(np.diag(lam), X, neighborhoods, 0.7)[0]
    assert of_weights == approx(cost_of_matrix, rel=1e-13)
    for function, at, gradient_of_cost in (
        (energy, Omega, gradient),
        (diagonal_energy, lam, slopes),
    ):
        numeric = central_differences(
            lambda A, f=function: f(A, X, neighborhoods, 0.7)[0], at, h=1e-5
        )
        assert (
            np.abs(gradient_of_cost - numeric).max()
            < 1e-6 * np.abs(numeric).max()
        )


# ---------------------------------------------------------------- the estimators


def test_a_stretched_torus_is_found_exactly():
    """Every sample of a lattice on a torus sees the others alike.

    So all widths in the data are one, s, and all in the
    map another, t. The metric of the map, in the data's widths, has weights s/t
    times the stretch and cost 0."""
    a = np.repeat(np.arange(8), 8) * np.pi / 4
    b = np.tile(np.arange(8), 8) * np.pi / 4
    circles = [np.cos(a), np.sin(a), np.cos(b), np.sin(b)]
    X = np.column_stack(circles)
    stretch = np.array([2, 2, 1, 1.0])
    Z = X * stretch
    s = perplexity_widths(squared_of(X), 12.0, np.arange(64))
    t = perplexity_widths(squared_of(Z), 12.0, np.arange(64))
    assert np.ptp(s) < 1e-9 and np.ptp(t) < 1e-9
    for method in BOTH:
        model = method(12, delta=0.0).fit(X, Z)
        assert model.cost_ < 1e-5
        expected = np.diag((s[0] / t[0] * stretch) ** 2)
        assert_allclose(model.lambda_, expected, atol=5e-3)
        assert_allclose(model.sigma_, s, rtol=1e-9)


@mark.parametrize("method", BOTH)
@mark.parametrize("k", [1.5, 5, 15, 60, 110])
def test_planted_features_lead_at_every_size(method, k):
    relevances = method(k).fit(X, Z).relevances_
    assert relevances[2:].max() < 0.05 * relevances[:2].min()


def test_the_metric_finds_a_direction_and_weights_do_not():
    direction = np.array([0.6, -0.8, 0, 0, 0])
    weights, metric = (method().fit(X, X @ direction) for method in BOTH)
    values, vectors = np.linalg.eigh(metric.lambda_)
    assert values[-2] < 0.05 * values[-1]
    assert abs(vectors[:, -1] @ direction) > 0.99
    assert metric.lambda_[0, 1] < 0 and metric.cost_ < 0.5 * weights.cost_


@mark.parametrize("method", BOTH)
def test_attributes_hang_together(method):
    model = method().fit(X, Z)
    C = model.components_
    assert_allclose(model.lambda_, C.T @ C, atol=1e-12)
    assert_allclose(model.relevances_, model.lambda_.diagonal(), rtol=1e-12)
    # in a unit to compute in; the cost does not know it
    inside = X - np.median(X, axis=0)
    inside /= np.abs(inside).max()
    neighborhoods = Neighborhoods(inside, Z / 7, 10, 0.5)
    ends = [
        energy(Omega, inside, neighborhoods, 1.0) for Omega in (np.eye(5), C)
    ]
    costs = [value for value, _ in ends]
    assert_allclose(model.history_[[0, -1]], costs, rtol=1e-9)
    assert (
        model.history_[-1] == model.cost_
        and len(model.history_) == model.n_iter_ + 1
    )
    assert np.all(np.diff(model.history_) <= 0)
    if method is NeRVMetric:
        assert np.abs(ends[1][1]).max() < 1e-4 * len(X)


def close(values, expected):
    assert_allclose(values, expected, atol=2e-3 * np.abs(expected).max())


@mark.parametrize("method", BOTH)
def test_movements_of_the_map_and_of_the_features_turn_the_metric_along(method):
    features_of_noise = 0.3 * X[:, 2:4]
    Z = X[:, :2] * [1, 0.5] + features_of_noise
    rng = default_rng(3)

    def fitted(X, Z):
        return method(tol=1e-8).fit(X, Z).lambda_

    expected = fitted(X, Z)
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    turned = 1e-4 * Z @ turn - 3
    close(fitted(1e3 * X + 5, turned), expected)
    close(fitted(1e-200 * X, 1e90 * Z), expected)
    features = rng.permutation(5)
    signs = np.array([1, -1, 1, -1, -1.0])
    permuted = expected[np.ix_(features, features)]
    close(fitted(X[:, features], Z), permuted)
    with_signs = expected * np.outer(signs, signs)
    close(fitted(X * signs, Z), with_signs)
    if method is NeRVMetric:
        R = np.linalg.qr(rng.normal(size=(5, 5)))[0]
        rotated = R @ expected @ R.T
        close(fitted(X @ R.T, Z), rotated)


@mark.parametrize("method", BOTH)
def test_constant_and_repeated_features(method):
    expected = method(tol=1e-8).fit(X, Z).relevances_
    for delta in (0.0, 1.0):
        with_constant = np.column_stack([np.full(120, 0.1), X])
        constant = (
            method(tol=1e-8, delta=delta).fit(with_constant, Z).relevances_
        )
        assert constant[0] < 1e-20
    close(constant[1:], expected)
    with_copies = np.column_stack([X, X[:, :2]])
    copies = method(tol=1e-8).fit(with_copies, Z).relevances_
    close(copies[:2], copies[5:])
    # the copies stand for one direction: no part of Lambda lies across it
    if method is NeRVMetric:
        with_copy = np.column_stack([X, X[:, 0]])
        Lambda = NeRVMetric(delta=0.0).fit(with_copy, Z).lambda_
        assert np.abs(Lambda[0] - Lambda[5]).max() < 1e-10 * Lambda.max()


@mark.parametrize("method", BOTH)
def test_one_feature(method):
    x = X[:, :1]
    model = method(delta=0.0).fit(x, x[:, 0])
    assert model.relevances_ == approx([1.0]) and model.cost_ == approx(
        0, abs=1e-9
    )
    penalised = method(delta=20.0).fit(x, x[:, 0])
    assert penalised.relevances_[0] < 0.9


@mark.parametrize("method", BOTH)
def test_duplicates_and_equal_samples(method):
    repeated_rows = [*range(40)] + [
        0
    ] * 15  # more equal samples than neighbours
    model = method().fit(X[repeated_rows], Z[repeated_rows])
    assert (
        np.isfinite(model.cost_)
        and model.relevances_[2:].max() < 0.2 * model.relevances_[:2].min()
    )
    with warnings.catch_warnings(action="error"):
        # no penalty is needed for a feature that does not vary to have no part
        for delta in (0.0, 1.0):
            alike = method(3, delta=delta).fit(np.ones((8, 3)), Z[:8])
            assert not alike.lambda_.any() and alike.n_iter_ <= 1
    # a map that shows nothing
    assert np.isfinite(
        method(3).fit(X[:20], np.zeros((20, 2))).relevances_
    ).all()


@mark.parametrize("method", BOTH)
def test_parts_of_the_samples(method):
    # drawn by the seed
    a = method(max_samples=40, random_state=0).fit(X, Z)
    b = method(max_samples=40, random_state=1).fit(X, Z)
    assert a.components_.tobytes() != b.components_.tobytes()
    assert len(a.rows_) == len(a.sigma_) == 40 and np.all(np.diff(a.rows_) > 0)
    assert a.relevances_[2:].max() < 0.2 * a.relevances_[:2].min()
    assert method(max_samples=None).fit(X, Z).cost_ == approx(a.cost_, rel=0.3)


@mark.parametrize("method", BOTH)
def test_importance(method):
    half = X[:, 0] < 0
    wide = X[:, :2] * [1, 3]
    narrow = X[:, :2] * [1, 0.2]
    Z = np.where(half[:, None], narrow, wide)
    model = method().fit(X, Z, np.full(120, 7.0))
    fitted = method().fit(X, Z, half)
    other = method().fit(X, Z, (~half))
    assert_array_equal(model.components_, method().fit(X, Z).components_)
    assert_array_equal(fitted.rows_, np.flatnonzero(half))
    nearly = method().fit(X, Z, importance=np.where(half, 1, 1e-12))
    close(nearly.relevances_, fitted.relevances_)
    fractions = [
        m.relevances_[1] / m.relevances_[0] for m in (fitted, model, other)
    ]
    assert fractions[0] < fractions[1] < fractions[2]


def test_a_descent_cut_short_warns():
    cut = NeRVMetric(max_iter=2)
    with warns(ConvergenceWarning, match="`max_iter`=2") as caught:
        cut.fit(X, Z)
    assert caught[0].filename == __file__


@settings(max_examples=examples(40), deadline=None)
@given(
    X=hnp.arrays(
        float,
        st.tuples(st.just(7), st.integers(1, 3)),
        elements=st.floats(-1e100, 1e100),
    ),
    Z=hnp.arrays(float, (7, 2), elements=st.floats(-1e100, 1e100)),
)
def test_any_finite_samples(X, Z):
    for method in BOTH:
        with warnings.catch_warnings(action="error"):
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings(
                "ignore", message=".* times the standard deviation"
            )
            model = method(2.5, max_iter=20).fit(X, Z)
        assert np.all(np.isfinite(model.lambda_)) and np.isfinite(model.cost_)
        assert np.all(model.relevances_ >= 0)


# ---------------------------------------------------------------- selection


def test_selection_is_the_quality_of_parts():
    forward = forward_relevance(X, Z)
    backward = backward_relevance(X, Z, n_jobs=2)
    for feature in range(5):
        of_feature = q_nx(X[:, [feature]], Z)
        assert_array_equal(forward[:, feature], of_feature)
        without = np.delete(X, feature, axis=1)
        assert_array_equal(backward[:, feature], q_nx(without, Z))
    assert_array_equal(forward_relevance(X, Z, [3, 50]), forward[[2, 49]])
    assert_array_equal(backward_relevance(X, Z, 3), backward[2])


def test_selection_by_part_of_the_samples():
    """Each drawn row has all its neighbours.

    The mean over parts that cover all rows is the value of all.
    """
    of_all_samples = forward_relevance(X, Z, [5, 30])
    assert_array_equal(
        forward_relevance(X, Z, [5, 30], max_samples=120), of_all_samples
    )
    parts = [
        forward_relevance(X, Z, [5, 30], max_samples=30, random_state=seed)
        for seed in range(30)
    ]
    assert_allclose(np.mean(parts, axis=0), of_all_samples, atol=0.02)


test_wrong_input_of_selection = refusal_test(
    [
        (
            lambda: backward_relevance(X[:, :1], X),
            "`X` must have at least 2 features.*got 1",
        ),
        (
            lambda: forward_relevance(X, X[1:]),
            "`X` and `Z` must have the same number of samples",
        ),
        (
            lambda: forward_relevance(X, X, 120),
            "`n_neighbors` must be an integer between 1 and 119",
        ),
        (
            lambda: forward_relevance(X, X, [2.5]),
            "`n_neighbors` must be an integer between 1 and",
        ),
        (
            lambda: forward_relevance(X, X, max_samples=0),
            "`max_samples` must be None or an integer >= 1",
        ),
    ]
)


def test_labels_in_place_of_a_map_warn():
    X = default_rng(0).normal(size=(60, 3))
    with warns(
        UserWarning, match="`y` holds 3 integers, as labels of classes do"
    ) as caught:
        NeRVRelevance().fit(X, np.arange(60) % 3)
    assert caught[0].filename == __file__
    with warnings.catch_warnings(action="error"):
        NeRVRelevance().fit(X, np.arange(60))  # ranks are a map
