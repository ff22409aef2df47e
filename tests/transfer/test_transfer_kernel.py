"""Shared kernel embedding.

(5.6) and (5.7) word for word, ascent, choice of lam, invariances, sources, wrong input.
"""

import warnings

import numpy as np
from groups import mixture, noisy_image
from literal import central_differences, squared
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, fixture, mark, raises
from scipy.spatial.distance import cdist, squareform
from sklearn.exceptions import NotFittedError

from toolkit.core.graphs import squared_distances
from toolkit.embed.affinities import affinities
from toolkit.kernelmap.forward import kernels
from toolkit.transfer import base
from toolkit.transfer.annealing import Start, anneal, expect, ridge_step
from toolkit.transfer.kernel import (
    LAMBDAS,
    RIDGE,
    Cost,
    KernelProblem,
    SharedKernelEmbedding,
    m_step_objective,
    rotations,
)

pytestmark = mark.filterwarnings("ignore:This alignment may be wrong")

QUICK = {
    "source": "pca",
    "lam": 0.1,
    "starts": "structure",
    "n_bandwidths": 2,
    "random_state": 0,
}


def quick(*sets, **settings):
    return SharedKernelEmbedding(**QUICK | settings).fit(*sets)


rng = default_rng(0)
X = noisy_image(rng, 50, 4)
Z = noisy_image(rng, 60, 5) + 3
X.flags.writeable = Z.flags.writeable = False


@fixture(scope="module")
def fitted():
    with warnings.catch_warnings(action="ignore"):
        return quick(X, Z)


def parts(seed, n=20, K=25):
    """Source places, a kernel design of a target.

    The cost of (5.7) and coefficients to begin with.
    """
    rng = default_rng(seed)
    xi = rng.normal(size=(n, 2))
    Z = rng.normal(size=(K, 4))
    squared = squared_distances(Z, Z)
    design = kernels(squared[:, :8], np.full(8, 1.5))
    cost = Cost(
        design, squareform(affinities(squared, 6), checks=False), 0.1, 3.0
    )
    return xi, design, cost, rng.normal(size=(8, 2))


def objective_at(xi, design, cost, B, bandwidth=0.5):
    """The expectation of coefficients, and what its M-step lowers."""
    e = expectation(xi, design @ B, bandwidth)
    return e, m_step_objective(e, design, len(xi), cost)


def expectation(xi, Y, bandwidth):
    log_theta = np.full(len(Y), -np.log(len(Y)))
    return expect(xi, Y, log_theta, bandwidth)


def divergence(P, Z):
    """(2.1) word for word."""
    Q = 1 / (1 + squared(Z))
    np.fill_diagonal(Q, 0)
    is_positive = P > 0
    normalised = Q / Q.sum()
    return np.sum(
        P[is_positive] * np.log(P[is_positive] / normalised[is_positive])
    )


# The formulas


def test_there_are_no_coefficients_before_fit():
    with raises(NotFittedError):
        assert SharedKernelEmbedding().coefficients_


def test_places_are_the_sum_of_kernels_word_for_word(fitted):
    """(5.6) with the width as documented, from public attributes."""
    standard = fitted.target_scaler_.transform(Z)
    C = fitted.centers_
    W = fitted.coefficients_
    nearest = np.sort(cdist(C, C))[:, 1]
    sigma = 0.5 * np.median(nearest)
    squared = cdist(standard, C, "sqeuclidean")
    k = np.exp(-0.5 * squared / sigma**2)
    places = k @ W / k.sum(axis=1, keepdims=True)
    assert_allclose(fitted.target_embedding_, places, atol=1e-8)
    # centres are target samples
    assert len(C) == 20 and all((standard == c).all(axis=1).any() for c in C)


def test_objective_of_the_m_step_is_the_definition_and_its_gradient():
    xi, design, cost, B = parts(0)
    Y = design @ B
    P = squareform(cost.affinities)
    _, objective = objective_at(xi, design, cost, B)
    squared = cdist(xi, Y, "sqeuclidean")
    density = np.exp(-squared / (2 * 0.5**2))
    gamma = density / density.sum(axis=1, keepdims=True)
    literal = np.sum(gamma * cdist(xi, Y, "sqeuclidean")) / 20
    ridge_penalty = RIDGE * np.sum(B**2)
    literal += 0.1 * divergence(P, 3 * Y) + ridge_penalty
    constant = np.mean(np.sum(xi**2, axis=1))  # left out
    assert objective(B)[0] == approx(literal - constant, rel=1e-10)
    assert_allclose(
        objective(B)[1],
        central_differences(lambda B: objective(B)[0], B, h=1e-5),
        atol=1e-8,
    )


def test_cost_of_other_coefficients_is_computed_anew():
    _, _, cost, B = parts(0)
    first = cost(B)
    assert cost(B + 0.1)[0] != first[0]
    B_again = B.copy()
    value = cost(B_again)[0]
    B_again += 1.0  # changed in place: what is kept must not be taken for it
    assert value == first[0] != cost(B_again)[0]


@mark.parametrize("seed", range(5))
def test_each_m_step_lowers_and_em_never_falls(seed):
    xi, design, cost, B = parts(seed)
    made = KernelProblem(xi, design, cost)
    for _ in range(4):
        e, objective = objective_at(xi, design, cost, B, 0.4)
        better = made.maximise(e, B)
        assert objective(better)[0] < objective(B)[0]
        B = better
    steps = [h["objective"] for h in anneal(made, Start(B), [0.4]).history]
    assert (
        len(steps) > 2
        and np.all(np.diff(steps) >= -1e-10)
        and steps[-1] > steps[0]
    )
    penalty = made.penalty(B) / (2 * 0.4**2)
    by_hand = expectation(xi, design @ B, 0.4).log_likelihood - penalty
    assert by_hand == approx(steps[0], rel=1e-12)


def test_without_the_cost_the_m_step_is_least_squares_on_kernels(monkeypatch):
    """lam = 0: nothing of t-SNE is left of (5.7).

    And the minimum is that of the linear embedding's M-step.
    """
    monkeypatch.setattr("toolkit.transfer.kernel.MAX_DESCENT", 500)
    xi, design, cost, B = parts(3)
    nothing = Cost(design, cost.affinities, 0.0, 3.0)
    e, objective = objective_at(xi, design, nothing, B)
    ridge = np.full(8, RIDGE * len(xi))
    exact = ridge_step(design, e.weight, e.pull, ridge)
    assert np.abs(objective(exact)[1]).max() < 1e-10
    maximum = KernelProblem(xi, design, nothing).maximise(e, B)
    assert objective(maximum)[0] == approx(objective(exact)[0], abs=1e-5)


@mark.parametrize("seed, n_centers", [(2, None), (0, None), (0, 3)])
def test_lam_is_the_largest_with_which_the_target_explains_the_source(
    seed, n_centers
):
    """Or the smallest of all, where none does, as with three kernels."""
    rng = default_rng(seed)
    sets = mixture(rng, 40), mixture(rng, 40)
    model = quick(*sets, lam=None, n_centers=n_centers)
    for lam in LAMBDAS:
        fitted = quick(*sets, lam=float(lam), n_centers=n_centers)
        if fitted.log_likelihood_ >= fitted.self_log_likelihood_:
            break
    assert model.lam_ == lam
    assert (fitted.log_likelihood_ < fitted.self_log_likelihood_) == (
        n_centers == 3
    )
    assert_array_equal(fitted.target_embedding_, model.target_embedding_)


@mark.parametrize("k, count", [(1, 2), (2, 16), (3, 48)])
def test_turns_lay_the_map_on_the_source_and_keep_distances_in_the_plane(
    k, count
):
    rng = default_rng(0)
    source = rng.normal(size=(30, k)) * [3, 2, 1][:k]
    places = rng.normal(size=(30, k))
    turned_places = dict(rotations(source, places, rng))
    assert (
        len(np.unique(np.round(list(turned_places.values()), 9), axis=0))
        == len(turned_places)
        == count
    )
    if k == 2:
        for turned in turned_places.values():
            assert_allclose(squared(turned), squared(places), atol=1e-9)
        quarter_turn = [[0, 1], [-1, 0]]
        assert_allclose(
            turned_places["turned 90"], places @ quarter_turn, atol=1e-12
        )
        return
    covariance = np.cov(source.T).reshape(k, k)
    axes = np.linalg.eigh(covariance)[1]
    # the principal axes come to lie on each other, whatever the axes of the map given
    for turned in turned_places.values():
        turned_covariance = np.cov(turned.T).reshape(k, k)
        rotated = axes.T @ turned_covariance @ axes
        assert np.abs(rotated - np.diag(np.diag(rotated))).max() < 1e-9


# What must not matter


@mark.parametrize("starts", ["structure", "turns"])
def test_order_of_the_target(starts):
    order = default_rng(1).permutation(len(Z))
    model = quick(X, Z, starts=starts)
    other = quick(X, Z[order], starts=starts)
    assert_allclose(
        other.target_embedding_, model.target_embedding_[order], atol=1e-5
    )
    assert_allclose(other.centers_, model.centers_, atol=1e-9)


# New samples


def test_far_samples_take_the_place_of_their_nearest_center(fitted):
    directions = default_rng(0).normal(size=(6, 5))
    low = fitted.coefficients_.min(axis=0) - 1e-9
    high = fitted.coefficients_.max(axis=0) + 1e-9
    for size in (1e2, 1e4, 1e50, 1e99):
        Y = fitted.transform_target(directions * size)
        assert np.isfinite(Y).all() and np.all((low <= Y) & (Y <= high))
    far_samples = fitted.target_scaler_.inverse_transform(1e4 * directions)
    distances = squared_distances(1e4 * directions, fitted.centers_)
    nearest = distances.argmin(axis=1)
    assert_allclose(
        fitted.transform_target(far_samples),
        fitted.coefficients_[nearest],
        atol=1e-6,
    )


# Settings


def test_starts_that_go_on_differ():
    """A set with a symmetry has rivals.

    Where all starts that go on are copies of one, the evidence sees none.
    """
    rng = default_rng(0)
    half = rng.normal(size=(20, 2)) * [1, 0.2] + [3, 1]
    X = np.vstack([half, -half])
    model = quick(X, X, starts="turns", n_bandwidths=4)
    assert (
        np.isfinite(model.evidence_["gap"])
        and model.evidence_["starts_alike"] < 1
    )
    objectives = [c["objective"] for c in model.candidates_]
    assert objectives == sorted(objectives, reverse=True)


def test_perplexity_is_that_of_the_maps():
    """Of the target above 1; of the source only if its map is a t-SNE one."""
    quick(X, Z, perplexity=1.5)
    quick(X[:25], Z, perplexity=30)
    with raises(
        ValueError,
        match="`perplexity` must be above 1 and .* of other samples, 24",
    ):
        quick(X[:25], Z, perplexity=30, source="tsne")


def test_copies_of_one_sample_do_not_crowd_out_the_centers():
    crowded = np.vstack([np.repeat(Z[:1], 50, axis=0), Z[1:11]])
    model = quick(X, crowded, n_centers=8)
    assert len(np.unique(model.centers_, axis=0)) == 8
    copies = model.target_embedding_[:50]
    assert np.isfinite(copies).all() and np.abs(copies - copies[0]).max() < 1e-9


# Above MAX_SEARCHED samples on a side


def test_the_last_steps_are_those_of_all_samples(monkeypatch):
    monkeypatch.setattr(base, "MAX_SEARCHED", 30)
    model = quick(X, Z)
    # the t-SNE cost stays that of the part
    assert squareform(model._affinities).shape == (30, 30)
    h = model.history_
    xi = (model.source_embedding_ - model._middle) / model._unit
    steps = zip(h["coefficients"], h["bandwidth"], strict=True)
    of_all = [
        expectation(xi, model._whole_design @ B, width).log_likelihood
        for B, width in steps
    ]
    # steps on all 50 and 60
    is_of_all = np.isclose(of_all, h["log_likelihood"], rtol=1e-10, atol=0)
    first = int(np.argmax(is_of_all))
    assert first > 3 and is_of_all[first:].all()
    last = h["objective"][first:]
    assert (
        len(last) > 2 and last[-1] > last[0] and np.all(np.diff(last) >= -1e-10)
    )


def test_constant_features_and_units_do_not_matter(fitted):
    X_more = np.column_stack([X, np.full(50, 7.0)])
    sets = [(X_more, np.column_stack([Z, np.zeros(60)]))]
    X_units = X * 2.0 ** np.arange(4)
    sets += [(X_units, Z * 2.0 ** np.arange(-2, 3) - 8)]
    sets += [(X * unit, Z * unit) for unit in (2.0**-200, 2.0**200)]
    for other in sets:
        assert_allclose(
            quick(*other).target_embedding_, fitted.target_embedding_, atol=1e-5
        )
