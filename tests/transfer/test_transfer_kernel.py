"""Shared kernel embedding: (5.6) and (5.7) word for word, ascent, choice of lam, invariances, sources, wrong input."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import squareform
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from toolkit.core.graphs import squared_distances
from toolkit.embed.affinities import affinities, divergence, divergence_gradient, divergence_with_gradient
from toolkit.kernelmap.kernels import kernels
from toolkit.transfer import base
from toolkit.transfer.em import expect, ridge_step, self_log_likelihood
from toolkit.transfer.kernel import LAMBDAS, RIDGE, Cost, SharedKernelEmbedding, m_step_objective, turns
from toolkit.transfer.search import anneal

pytestmark = pytest.mark.filterwarnings("ignore:This alignment may be wrong")

QUICK = {"source": "pca", "lam": 0.1, "starts": "structure", "n_bandwidths": 2, "random_state": 0}


def mixture(rng, n):
    """Three groups of different sizes and shapes in the plane, with no symmetry."""
    sizes = [n // 2, n // 3, n - n // 2 - n // 3]
    centers, widths = [[0, 0], [4, 0.3], [0.8, 1.9]], [[0.7, 0.1], [0.2, 0.3], [0.2, 0.2]]
    return np.vstack([rng.normal(c, w, size=(m, 2)) for m, c, w in zip(sizes, centers, widths, strict=True)])


@pytest.fixture(scope="module")
def data():
    rng = default_rng(0)
    X = mixture(rng, 50) @ rng.normal(size=(2, 4)) + 0.05 * rng.normal(size=(50, 4))
    Z = mixture(rng, 60) @ rng.normal(size=(2, 5)) + 0.05 * rng.normal(size=(60, 5)) + 3
    X.flags.writeable = Z.flags.writeable = False
    return X, Z


@pytest.fixture(scope="module")
def fitted(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SharedKernelEmbedding(**QUICK).fit(*data)


@pytest.fixture(scope="module")
def turned(data):
    """The same from the map laid on the source in each way, which takes more starts."""
    return SharedKernelEmbedding(**QUICK | {"starts": "turns"}).fit(*data)


def parts(seed, lam=0.1, n=20, K=25):
    """Source places, a kernel design of a target, the cost of (5.7) and coefficients to begin with."""
    rng = default_rng(seed)
    xi, Z = rng.normal(size=(n, 2)), rng.normal(size=(K, 4))
    squared = squared_distances(Z, Z)
    design = kernels(squared[:, :8], np.full(8, 1.5))
    cost = Cost(design, squareform(affinities(squared, 6), checks=False), lam, 3.0)
    return xi, design, cost, rng.normal(size=(8, 2))


# The formulas


def test_places_are_the_sum_of_kernels_word_for_word(data, fitted):
    """(5.6) as a double loop, with the width as documented, from public attributes."""
    Z = fitted.target_scaler_.transform(data[1])
    C, W = fitted.centers_, fitted.coefficients_
    gaps = [min(np.linalg.norm(C[j] - C[l]) for l in range(len(C)) if l != j) for j in range(len(C))]
    sigma = 0.5 * np.median(gaps)
    for z, place in zip(Z, fitted.target_embedding_, strict=True):
        k = [np.exp(-0.5 * np.sum((z - c) ** 2) / sigma**2) for c in C]
        assert_allclose(sum(w * kj / sum(k) for w, kj in zip(W, k, strict=True)), place, atol=1e-8)
    assert len(C) == 20 and all((Z == c).all(axis=1).any() for c in C)  # centres are target samples


def test_divergence_from_pairs_is_that_of_the_matrices():
    rng = default_rng(0)
    Z, X = rng.normal(size=(15, 2)), rng.normal(size=(15, 3))
    P = affinities(squared_distances(X, X), 4)
    entropy = np.sum(P[P > 0] * np.log(P[P > 0]))
    value, slope = divergence_with_gradient(squareform(P, checks=False), entropy, Z)
    assert value == pytest.approx(divergence(P, Z), rel=1e-12)
    assert_allclose(slope, divergence_gradient(P, Z), atol=1e-14)


def test_objective_of_the_m_step_is_the_definition_and_its_gradient():
    xi, design, cost, B = parts(0)
    e = expect(xi, design @ B, np.full(25, -np.log(25)), 0.5)
    objective = m_step_objective(e, design, len(xi), cost)
    Y, P = design @ B, squareform(cost.affinities)
    density = np.exp(-((xi[:, None] - Y) ** 2).sum(axis=2) / (2 * 0.5**2))
    gamma = density / density.sum(axis=1, keepdims=True)
    literal = sum(gamma[i, j] * np.sum((xi[i] - Y[j]) ** 2) for i in range(20) for j in range(25)) / 20
    literal += 0.1 * divergence(P, 3 * Y) + RIDGE * np.sum(B**2)
    constant = np.mean(np.sum(xi**2, axis=1))  # left out
    assert objective(B)[0] == pytest.approx(literal - constant, rel=1e-10)
    step = 1e-5

    def central(b):
        return objective(b.reshape(B.shape))[0]

    slopes = [(central(B.ravel() + step * u) - central(B.ravel() - step * u)) / (2 * step) for u in np.eye(16)]
    assert_allclose(objective(B)[1].ravel(), slopes, atol=1e-8)


def test_cost_of_other_coefficients_is_computed_anew():
    _, _, cost, B = parts(0)
    first = cost(B)
    assert cost(B + 0.1)[0] != first[0]
    B_again = B.copy()
    value = cost(B_again)[0]
    B_again += 1.0  # changed in place: what is kept must not be taken for it
    assert value == first[0] != cost(B_again)[0]


@pytest.mark.parametrize("seed", range(10))
def test_each_m_step_lowers_and_em_never_falls(seed):
    xi, design, cost, B = parts(seed)
    model = SharedKernelEmbedding()
    model.lam_, model._map_unit, model._affinities = 0.1, 3.0, cost.affinities
    problem = model._problem(xi, design)
    for _ in range(4):
        e = expect(xi, design @ B, np.full(25, -np.log(25)), 0.4)
        objective = m_step_objective(e, design, len(xi), cost)
        better = problem.maximise(e, B)
        assert objective(better)[0] < objective(B)[0]
        B = better
    steps = [h["objective"] for h in anneal(problem, B, [0.4]).history]
    assert len(steps) > 2 and np.all(np.diff(steps) >= -1e-10) and steps[-1] > steps[0]
    penalty = problem.penalty(B) / (2 * 0.4**2)
    by_hand = expect(xi, design @ B, np.full(25, -np.log(25)), 0.4).log_likelihood - penalty
    assert by_hand == pytest.approx(steps[0], rel=1e-12)


def test_the_whole_fit_never_falls_at_a_bandwidth(fitted):
    h = fitted.history_
    same = np.diff(h["bandwidth"]) == 0
    assert same.sum() > 4 and np.all(np.diff(h["objective"])[same] >= -1e-10)


def test_without_the_cost_the_m_step_is_least_squares_on_kernels(monkeypatch):
    """lam = 0: nothing of t-SNE is left of (5.7), and the minimum is that of the linear embedding's M-step."""
    monkeypatch.setattr("toolkit.transfer.kernel.MAX_DESCENT", 500)
    xi, design, cost, B = parts(3)
    model = SharedKernelEmbedding()
    model.lam_, model._map_unit, model._affinities = 0.0, 3.0, cost.affinities
    e = expect(xi, design @ B, np.full(25, -np.log(25)), 0.5)
    exact = ridge_step(design, e.weight, e.pull, np.full(8, RIDGE * len(xi)))
    objective = m_step_objective(e, design, len(xi), Cost(design, cost.affinities, 0.0, 3.0))
    assert np.abs(objective(exact)[1]).max() < 1e-10
    assert objective(model._problem(xi, design).maximise(e, B))[0] == pytest.approx(objective(exact)[0], abs=1e-5)


@pytest.mark.parametrize("seed, n_centers, place", [(2, None, 0), (0, None, 1), (0, 3, 4)])
def test_lam_is_the_largest_with_which_the_target_explains_the_source(seed, n_centers, place):
    """At once, at the second, and never with three kernels, where the smallest is left."""
    rng = default_rng(seed)
    X, Z = mixture(rng, 40), mixture(rng, 40)
    model = SharedKernelEmbedding(**QUICK | {"lam": None, "n_centers": n_centers}).fit(X, Z)
    assert model.lam_ == LAMBDAS[place]
    deficits = []
    for lam in LAMBDAS[max(0, place - 1) : place + 1]:
        one = clone(model).set_params(lam=float(lam)).fit(X, Z)
        deficits.append(one.self_log_likelihood_ - one.log_likelihood_)
    assert all(d > 0 for d in deficits[:-1]) and (deficits[-1] > 0) == (n_centers == 3)
    assert one.target_embedding_.tobytes() == model.target_embedding_.tobytes()


def test_more_weight_of_the_cost_keeps_more_of_the_target(data):
    costs = []
    for lam in (0.01, 1.0):
        model = SharedKernelEmbedding(**QUICK | {"lam": lam}).fit(*data)
        P = squareform(model._affinities)
        costs.append(divergence(P, model._whole_design @ model._B * model._map_unit))
    assert costs[1] < costs[0]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_turns_lay_the_map_on_the_source_and_keep_distances_in_the_plane(k):
    rng = default_rng(0)
    source, places = rng.normal(size=(30, k)) * [3, 2, 1][:k], rng.normal(size=(30, k))
    found = dict(turns(source, places, rng))
    assert len(found) == {1: 2, 2: 16, 3: 48}[k]
    stacked = np.stack(list(found.values()))
    assert len(np.unique(np.round(stacked, 9), axis=0)) == len(found)
    if k == 2:
        own = squared_distances(places, places)
        for turned in found.values():
            assert_allclose(squared_distances(turned, turned), own, atol=1e-9)
        assert_allclose(found["turned 90"], places @ [[0, 1], [-1, 0]], atol=1e-12)
    else:  # the principal axes come to lie on each other, whatever the axes in which the map was given
        for turned in found.values():
            c = np.cov(turned.T).reshape(k, k)
            axes = np.linalg.eigh(np.cov(source.T).reshape(k, k))[1]
            rotated = axes.T @ c @ axes
            assert np.abs(rotated - np.diag(np.diag(rotated))).max() < 1e-9


# What must not matter


@pytest.mark.parametrize("starts", ["fitted", "turned"])
def test_order_of_the_target(data, starts, request):
    X, Z = data
    order = default_rng(1).permutation(len(Z))
    model = request.getfixturevalue(starts)
    other = clone(model).fit(X, Z[order])
    assert_allclose(other.target_embedding_, model.target_embedding_[order], atol=1e-5)
    assert_allclose(other.centers_, model.centers_, atol=1e-9)


def test_order_of_the_source(data):
    X, Z = data
    order = default_rng(1).permutation(len(X))
    places = PCA(2).fit_transform(X)
    one = SharedKernelEmbedding(**QUICK | {"source": places}).fit(X, Z)
    other = SharedKernelEmbedding(**QUICK | {"source": places[order]}).fit(X[order], Z)
    assert_allclose(other.target_embedding_, one.target_embedding_, atol=1e-5)


def test_units_of_features(data, fitted):
    X, Z = data
    other = clone(fitted).fit(X * 2.0 ** np.arange(4), Z * 2.0 ** np.arange(-2, 3) - 8)
    assert_allclose(other.target_embedding_, fitted.target_embedding_, atol=1e-5)


def test_another_seed_another_map(data, fitted):
    other = clone(fitted).set_params(random_state=1).fit(*data)
    assert other.target_embedding_.tobytes() != fitted.target_embedding_.tobytes()


# New samples


def test_new_samples(data, fitted):
    Z = data[1]
    assert_allclose(fitted.transform_target(Z), fitted.target_embedding_, atol=1e-10)
    one_by_one = np.vstack([fitted.transform_target(z[None]) for z in Z[:5]])
    assert_allclose(one_by_one, fitted.target_embedding_[:5], atol=1e-9)
    near = fitted.transform_target(Z + 1e-4 * Z.std(axis=0))
    assert np.abs(near - fitted.target_embedding_).max() < 0.05 * fitted.source_embedding_.std()
    assert_allclose(fitted.transform_source(data[0]), fitted.source_embedding_, atol=1e-9)


def test_far_samples_take_the_place_of_their_nearest_center(fitted):
    directions = default_rng(0).normal(size=(6, 5))
    low, high = fitted.coefficients_.min(axis=0) - 1e-9, fitted.coefficients_.max(axis=0) + 1e-9
    for size in (1e2, 1e4, 1e50, 1e99):
        Y = fitted.transform_target(directions * size)
        assert np.isfinite(Y).all() and np.all((low <= Y) & (Y <= high))
    far = fitted.target_scaler_.inverse_transform(1e4 * directions)
    distances = squared_distances(1e4 * directions, fitted.centers_)
    assert_allclose(fitted.transform_target(far), fitted.coefficients_[distances.argmin(axis=1)], atol=1e-6)


# Settings


@pytest.mark.parametrize("k", [1, 2, 3])
def test_numbers_of_components(data, k):
    model = SharedKernelEmbedding(k, **QUICK).fit(*data)
    assert model.target_embedding_.shape == (60, k) and model.coefficients_.shape == (20, k)
    assert model.transform_target(data[1][:3]).shape == (3, k)


@pytest.mark.parametrize("source", ["tsne", "pca", "estimator", "array"])
def test_sources(data, source):
    X, Z = data
    given_as = {"estimator": PCA(2, whiten=True), "array": X[:, :2] * 3 + 1}.get(source, source)
    model = SharedKernelEmbedding(**QUICK | {"source": given_as}).fit(X, Z)
    standard = model.source_scaler_.transform(X)
    if source == "array":
        assert_array_equal(model.source_embedding_, given_as)
    elif source == "estimator":
        assert_allclose(model.source_embedding_, PCA(2, whiten=True).fit_transform(standard))
        assert not hasattr(given_as, "components_")
    elif source == "tsne":
        assert type(model.source_map_).__name__ == "KernelMap"
        assert np.abs(model.source_embedding_).max() > 5
    else:
        assert type(model.source_map_).__name__ == "PCA"
    assert np.isfinite(model.transform_source(X[:3])).all()


def test_starts_that_go_on_differ():
    """A set with a symmetry has rivals; where all starts that go on are copies of one, the evidence sees none."""
    rng = default_rng(0)
    half = rng.normal(size=(20, 2)) * [1, 0.2] + [3, 1]
    X = np.vstack([half, -half])
    model = SharedKernelEmbedding(**QUICK | {"starts": "turns", "n_bandwidths": 4}).fit(X, X)
    assert np.isfinite(model.evidence_["gap"]) and model.evidence_["starts_alike"] < 1


def test_starts_alone_and_together(data, fitted, turned):
    alone = {"turns": turned, "structure": fitted}
    both = SharedKernelEmbedding(**QUICK | {"starts": ("turns", "structure")}).fit(*data)
    assert [c["start"] for c in alone["structure"].candidates_] == ["structure"]
    assert {c["start"][:6] for c in alone["turns"].candidates_} == {"turned"}
    assert len(alone["turns"].candidates_) == 4 and len(both.candidates_) == 5
    best = max(alone.values(), key=lambda m: m.history_["objective"][-1])
    assert_allclose(both.target_embedding_, best.target_embedding_, atol=1e-9)


def test_one_bandwidth_and_a_given_one(data):
    model = SharedKernelEmbedding(**QUICK | {"n_bandwidths": 1, "starts": ("turns", "structure"), "bandwidth": 0.3})
    model.fit(*data)
    assert model.bandwidth_ == 0.3 and len(model.candidates_) == 5
    xi = (model.source_embedding_ - model._middle) / model._unit
    assert model.self_log_likelihood_ == pytest.approx(self_log_likelihood(xi, 0.3))


def test_callback_sees_each_step(data, fitted):
    calls = []
    clone(fitted).set_params(callback=lambda *call: calls.append(call)).fit(*data)
    steps, bandwidths, likelihoods = np.array(calls).T
    assert_array_equal(steps, np.arange(fitted.n_iter_))
    assert_array_equal(bandwidths, fitted.history_["bandwidth"])
    assert_array_equal(likelihoods, fitted.history_["log_likelihood"])


def test_perplexity_is_that_of_maps_that_are_made(data):
    """Of the target above 1; of the source, too, if its map is a t-SNE one."""
    X, Z = data
    SharedKernelEmbedding(**QUICK, perplexity=1.5).fit(X, Z)
    SharedKernelEmbedding(**QUICK, perplexity=30).fit(X[:25], Z)
    for wrong, name in (({"perplexity": 1}, "X_target"), ({"perplexity": 30, "source": "tsne"}, "X_source")):
        with pytest.raises(ValueError, match=f"`perplexity` must be above 1 and .* of other samples of `{name}`"):
            SharedKernelEmbedding(**QUICK | wrong).fit(X[:25], Z)


def test_not_fitted(data):
    X, Z = data
    for call in (lambda m: m.transform_target(Z), lambda m: m.transform_source(X), lambda m: m.coefficients_):
        with pytest.raises(NotFittedError):
            call(SharedKernelEmbedding())


# Hostile samples


def test_copies_of_one_sample_do_not_crowd_out_the_centers(data):
    X, Z = data
    crowded = np.vstack([np.repeat(Z[:1], 50, axis=0), Z[1:11]])
    model = SharedKernelEmbedding(**QUICK | {"n_centers": 8}).fit(X, crowded)
    assert len(np.unique(model.centers_, axis=0)) == 8
    copies = model.target_embedding_[:50]
    assert np.isfinite(copies).all() and np.abs(copies - copies[0]).max() < 1e-9


def test_constant_features_and_sizes_do_not_matter(data, fitted):
    X, Z = data
    other = clone(fitted).fit(np.column_stack([X, np.full(50, 7.0)]), np.column_stack([Z, np.zeros(60)]))
    assert_allclose(other.target_embedding_, fitted.target_embedding_, atol=1e-5)
    for size in (2.0**-200, 2.0**200):
        other = clone(fitted).fit(X * size, Z * size)
        assert_allclose(other.target_embedding_, fitted.target_embedding_, atol=1e-5)


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    arrays(float, (8, 2), elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1e-200, 1e90])),
    arrays(float, (9, 3), elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1e-200, 1e90])),
)
def test_finite_places_or_a_refusal(X, Z):
    model = SharedKernelEmbedding(**QUICK)
    try:
        model.fit(X, Z)
    except ValueError as refusal:
        assert "`" in str(refusal)
        return
    assert np.isfinite(model.target_embedding_).all() and np.isfinite(model.transform_target(Z[::-1])).all()
    assert 0 <= model.confidence_ <= 1


# Above MAX_SEARCHED samples on a side


def test_the_last_steps_are_those_of_all_samples(data, monkeypatch):
    monkeypatch.setattr(base, "MAX_SEARCHED", 30)
    model = SharedKernelEmbedding(**QUICK).fit(*data)
    assert squareform(model._affinities).shape == (30, 30)  # the t-SNE cost stays that of the part
    assert model.target_embedding_.shape == (60, 2) and model.source_embedding_.shape == (50, 2)
    h = model.history_
    xi = (model.source_embedding_ - model._middle) / model._unit
    of_all = [
        expect(xi, model._whole_design @ B, np.full(60, -np.log(60)), width).log_likelihood
        for B, width in zip(h["coefficients"], h["bandwidth"], strict=True)
    ]
    whole = np.isclose(of_all, h["log_likelihood"], rtol=1e-10, atol=0)  # steps on all 50 and 60
    first = int(np.argmax(whole))
    assert first > 3 and whole[first:].all()
    steps = h["objective"][first:]
    assert len(steps) > 2 and steps[-1] > steps[0] and np.all(np.diff(steps) >= -1e-10)
    again = clone(model).fit(data[0], data[1])
    assert again.target_embedding_.tobytes() == model.target_embedding_.tobytes()
