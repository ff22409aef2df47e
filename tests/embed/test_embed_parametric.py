"""Parametric t-SNE: gradients against finite differences, costs on paper, held-out
samples, wrong input.
"""

import numpy as np
from literal import central_differences, squared
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, mark, raises
from sklearn.datasets import load_iris

from toolkit.embed import ParametricTSNE
from toolkit.embed.affinities import affinities, divergence, divergence_gradient
from toolkit.embed.parametric import Adam, backward, forward

SMALL = {"hidden": (20, 20), "max_iter": 100, "random_state": 0}


IRIS = np.unique(load_iris().data, axis=0)
IRIS.flags.writeable = False


def test_affinities_beside_a_far_sample():
    """No sample sees it, so the conditional p of all others stay.

    It adds its own share of 1 / (n + 1).
    """
    outlier = np.vstack([IRIS, [[1e12, 0, 0, 0]]])
    P = affinities(squared(outlier), 20)
    n = len(IRIS)
    expected = affinities(squared(IRIS), 20) * n
    assert_allclose(P[:n, :n] * (n + 1), expected, atol=1e-12)
    assert P[n, :n].sum() == approx(0.5 / (n + 1))


def test_divergence_term_by_term():
    rng = default_rng(0)
    Z = rng.normal(size=(9, 2))
    n = 9
    P = affinities(squared(rng.normal(size=(9, 3))), 3)
    q = 1 / (1 + squared(Z)) - np.eye(n)
    q /= q.sum()
    by_hand = 0
    for i in range(n):
        for j in range(n):
            if i != j:
                ratio = P[i, j] / q[i, j]
                by_hand += P[i, j] * np.log(ratio)
    assert divergence(P, Z) == approx(by_hand, rel=1e-12)


def test_gradient_for_each_weight_against_finite_differences():
    rng = default_rng(1)
    X = rng.normal(size=(15, 4))
    P = affinities(squared(X), 5)
    shapes = ((4, 5), (5,), (5, 3), (3,), (3, 2), (2,))
    layers = [0.7 * rng.normal(size=s) for s in shapes]
    outputs = forward(layers, X)
    gradient = backward(layers, outputs, divergence_gradient(P, outputs[-1]))
    for k, (weights, slopes) in enumerate(zip(layers, gradient, strict=True)):

        def cost(changed, k=k):
            layers_changed = [*layers[:k], changed, *layers[k + 1 :]]
            return divergence(P, forward(layers_changed, X)[-1])

        assert_allclose(
            slopes,
            central_differences(cost, weights, 1e-5),
            atol=1e-8,
            rtol=1e-6,
        )


def test_exaggeration_multiplies_the_attraction_alone():
    """F = 4 sum_j (e p - q) ... is linear in e."""
    rng = default_rng(2)
    P = affinities(squared(rng.normal(size=(12, 3))), 4)
    Z = rng.normal(size=(12, 2))
    repulsion = divergence_gradient(P, Z, 0.0)
    gradient = divergence_gradient(P, Z, 1.0)
    four = divergence_gradient(P, Z, 4.0)
    assert_allclose(four - repulsion, 4 * (gradient - repulsion), atol=1e-14)


def test_first_step_of_adam_is_the_rate_against_the_sign():
    w = np.array([1.0, 2.0])
    gradient = [np.array([3.0, -0.1])]
    Adam([w]).step(gradient, 0.01)
    assert_allclose(w, [0.99, 2.01], atol=1e-9)


@mark.parametrize("batch_size, per_turn", [(1500, 1), (60, 3)])
def test_the_cost_falls(batch_size, per_turn):
    options = SMALL | {"max_iter": 300, "batch_size": batch_size}
    net = ParametricTSNE(perplexity=15, **options).fit(IRIS)
    cost = net.history_["cost"]
    assert len(cost) == 6 * per_turn and net.history_["iteration"][-1] == 300
    assert cost[-per_turn:].mean() < cost[per_turn : 2 * per_turn].mean() < 1.5
    assert net.kl_divergence_ == approx(cost[-per_turn:].mean())
    if per_turn == 1:
        P = affinities(squared(IRIS), 15)
        assert net.kl_divergence_ == approx(divergence(P, net.embedding_))


def test_more_coordinates_than_features():
    X = np.linspace(0, 1, 60)[:, None]
    Z = ParametricTSNE(
        perplexity=10, **SMALL | {"max_iter": 300}
    ).fit_transform(X)
    assert Z.shape == (60, 2) and Z.std(axis=0).min() > 1e-3 * Z.std()


@mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_hostile_samples():
    tiny = ParametricTSNE(**SMALL).fit(IRIS * 1e-220)
    assert np.isfinite(tiny.embedding_).all()
    with raises(ValueError, match="`X` must not hold values beyond"):
        tiny.transform(IRIS[:1] * 1e-110)


@mark.parametrize("batch_size", [1500, 60])
def test_training_samples_come_home(batch_size):
    net = ParametricTSNE(batch_size=batch_size, perplexity=15, **SMALL).fit(
        IRIS
    )
    assert_allclose(net.transform(IRIS), net.embedding_, atol=1e-12)
    tolerance = 1e-9 * net.embedding_.std()
    assert_allclose(net.embedding_.mean(axis=0), 0, atol=tolerance)
