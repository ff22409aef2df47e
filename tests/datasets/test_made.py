"""Made sets refuse what makes no set; those of the chapter on relevant features have the property they are made for."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestNeighbors

from toolkit import datasets

MAKERS = [getattr(datasets, name) for name in datasets.__all__ if name.startswith("make_")]
NONSENSE = (np.nan, np.inf, "abc", {}, object(), [np.nan], [1, [2]], 1j, np.array(1j), b"a", pd.NA, 10**400, 1e308)
REDUNDANT = {
    datasets.make_three_clusters: 3,
    datasets.make_stacked_gaussians: 3,
    datasets.make_noisy_copies: 3,
    datasets.make_bimodal_class: 4,
    datasets.make_redundant_regression: 2,
    datasets.make_xor_copies: 4,
    datasets.make_switching_relevance: 2,
}


@pytest.mark.parametrize("maker, least", REDUNDANT.items())
def test_redundant_sets_are_of_the_size_asked_for_and_the_same_again(maker, least):
    for n in (least, 7, 50, 301):
        bunch, again = maker(n, random_state=2), maker(n, random_state=np.random.RandomState(2))
        assert bunch.data.shape == (n, len(bunch.feature_names))
        assert len(bunch.target) == n and np.isfinite(bunch.data).all()
        assert bunch.keys() == again.keys()
        assert all(np.array_equal(bunch[key], again[key]) for key in bunch)
        if "target_names" in bunch:
            assert bunch.target.min() >= 0 and bunch.target.max() < len(bunch.target_names)
    assert not np.array_equal(maker(50, random_state=3).data, maker(50, random_state=2).data)


def nearest_neighbour_error(Z, y):
    return np.mean(y[NearestNeighbors(n_neighbors=1).fit(Z).kneighbors()[1][:, 0]] != y)


def test_three_clusters_are_round_and_apart_in_two_features():
    for seed in range(5):
        toy = datasets.make_three_clusters(random_state=seed)
        assert silhouette_score(toy.data[:, :2], toy.target) > 0.7
        assert silhouette_score(toy.data[:, 2:], toy.target) < 0.1
    toy = datasets.make_three_clusters(30000, random_state=0)
    for c in range(3):
        assert np.abs(np.cov(toy.data[toy.target == c].T) - np.eye(3)).max() < 0.05
    assert np.allclose(toy.data.var(axis=0), [13.5, 13.5, 1], rtol=0.03)


def test_stacked_gaussians_are_apart_along_the_feature_of_least_variance():
    for seed in range(5):
        toy = datasets.make_stacked_gaussians(random_state=seed)
        variance = toy.data.var(axis=0)
        assert variance[2] < 0.8 * variance[:2].min()
        heights = [toy.data[toy.target == c, 2] for c in range(3)]
        assert heights[0].max() < heights[1].min() - 0.5 and heights[1].max() < heights[2].min() - 0.5
        assert nearest_neighbour_error(toy.data, toy.target) < 0.02
        flat = PCA(2).fit(toy.data)
        assert np.abs(flat.components_[:, 2]).max() < 0.1
        assert nearest_neighbour_error(flat.transform(toy.data), toy.target) > 0.5
    toy = datasets.make_stacked_gaussians(30000, random_state=0)
    for c in range(3):  # two-dimensional Gaussians, not discs: |x|^2 / 2 is exponential
        plane = toy.data[toy.target == c, :2]
        assert np.abs(np.cov(plane.T) - np.eye(2)).max() < 0.05
        assert np.allclose(np.quantile((plane**2).sum(axis=1) / 2, [0.25, 0.9]), -np.log([0.75, 0.1]), atol=0.01)


def test_copies_are_increasingly_noisy_and_the_first_two_say_all():
    toy = datasets.make_noisy_copies(20000, random_state=0)
    X = toy.data
    assert toy.copy_of.tolist() == [0, 1] * 5 and toy.noise.tolist() == [0, *np.arange(9) / 4]
    assert np.allclose((X - X[:, toy.copy_of])[:, 2:].std(axis=0), toy.noise[2:], rtol=0.03)
    correlation = [np.corrcoef(X[:, j], X[:, j % 2])[0, 1] for j in range(2, 10)]
    assert np.all(np.diff(correlation) < 0) and 0.98 < correlation[0] < 1 and 0.7 < correlation[-1] < 0.8
    assert np.abs(np.corrcoef((X - X[:, toy.copy_of])[:, 2:].T) - np.eye(8)).max() < 0.05  # noise of its own
    errors = [nearest_neighbour_error(X[:3000, [j, j + 1]], toy.target[:3000]) for j in (0, 4, 8)]
    assert np.all(np.diff(errors) > 0)
    exact = datasets.make_noisy_copies(50, 7, noise=0, random_state=0)
    assert np.array_equal(exact.data, exact.data[:, exact.copy_of])
    assert datasets.make_noisy_copies(50, 2, random_state=0).data.shape == (50, 2)


@pytest.mark.parametrize("n", [200, 201, 203])
def test_discriminant_analysis_overlooks_the_modes_of_a_bimodal_class(n):
    """Its plane is features 1 and 2, about equally weighted, where classes 1 and 2 overlap; in the data they do not."""
    for seed in range(10):
        toy = datasets.make_bimodal_class(n, random_state=seed)
        X, y = toy.data, toy.target
        lda = LinearDiscriminantAnalysis(n_components=2).fit(X, y)
        relevance = (lda.scalings_[:, :2] ** 2).sum(axis=1)
        assert 0.5 < relevance[0] / relevance[1] < 2 and relevance[2] < 0.05 * relevance[:2].min()
        first = y < 2
        assert nearest_neighbour_error(lda.transform(X)[first], y[first]) > 0.08
        assert nearest_neighbour_error(X[first], y[first]) < 0.05
        assert nearest_neighbour_error(X[:, 1:], toy.mode) < 0.1
        assert nearest_neighbour_error(X[:, [0, 2]], toy.mode) > 0.2  # class 2 from class 3: feature 2 only
        assert silhouette_score(X[:, :1], toy.mode) < 0.1 < 0.5 < silhouette_score(X[:, 1:], toy.mode)
        assert np.array_equal(y, np.array([0, 0, 1, 2])[toy.mode])


def test_redundant_regression_is_the_sum_of_the_last_three():
    toy = datasets.make_redundant_regression(20000, random_state=0)
    correlation = [np.corrcoef(x, toy.target)[0, 1] for x in toy.data.T]
    assert np.allclose(correlation[:12], 0.1, atol=0.03) and np.allclose(correlation[12:], 3**-0.5, atol=0.02)
    assert np.allclose(toy.data.var(axis=0), 1, atol=0.05)
    assert abs((toy.data[:, 12] - toy.data[:, 13]).std() - 0.05) < 0.002
    assert np.abs(np.corrcoef(toy.data[:, 13:].T) - np.eye(3)).max() < 0.03
    weights = np.linalg.lstsq(toy.data, toy.target)[0]
    assert np.allclose(weights, [0] * 13 + [1] * 3)
    assert toy.relevance.tolist() == [0] * 12 + [1, 1, 2, 2]
    values = np.linalg.eigvalsh(np.corrcoef(datasets.make_redundant_regression(random_state=0).data.T))
    assert values[0] < 0.01 < 0.3 < values[1]  # one direction is all but empty
    few = datasets.make_redundant_regression(50, 0, correlation=0, copy_noise=0, random_state=0)
    assert few.data.shape == (50, 4) and np.array_equal(few.data[:, 0], few.data[:, 1])


def test_xor_copies_need_both_directions_and_any_copy():
    toy = datasets.make_xor_copies(random_state=0)
    assert np.array_equal(toy.data[:, 4], toy.data[:, 5]) and np.array_equal(toy.data[:, 3], toy.clean[:, 1])
    assert np.array_equal(toy.target == 0, toy.clean[:, 0] * toy.clean[:, 1] > 0)
    for copy in range(3):  # any copy will do beside feature 4
        assert nearest_neighbour_error(toy.data[:, [copy, 3]], toy.target) < 0.01
    for without in ([0, 1, 2, 4, 5], [3, 4, 5]):
        assert nearest_neighbour_error(toy.data[:, without], toy.target) > 0.3
    toy = datasets.make_xor_copies(20000, random_state=0)
    assert np.allclose((toy.data[:, :3] - toy.clean[:, :1]).std(axis=0), 0.2, atol=0.01)
    assert abs(np.corrcoef(toy.data[:, [4, 3]].T)[0, 1]) < 0.03
    assert np.allclose(np.linalg.eigvalsh(np.corrcoef(toy.data.T))[::-1][:3], [3, 2, 1], atol=0.1)
    assert np.bincount(datasets.make_xor_copies(40, share=0.75, random_state=0).cluster).tolist() == [15, 15, 5, 5]
    for share in (1e-9, 1 - 1e-9):  # no cluster is empty
        assert np.bincount(datasets.make_xor_copies(9, share=share, random_state=0).cluster, minlength=4).min() == 1


def test_relevance_switches_with_the_place():
    toy = datasets.make_switching_relevance(n_noise=2, random_state=0)
    place = toy.data[:, 0]
    assert np.array_equal(toy.relevant, np.where(place < 0, 1, 2)) and np.bincount(toy.relevant)[1] == 200
    counts = toy.data[np.arange(400), toy.relevant]
    assert np.array_equal(toy.map, np.column_stack([place, counts]))
    assert np.array_equal(toy.target, counts > 0)
    assert toy.data.min() >= -1 and toy.data.max() <= 1 and toy.data.shape == (400, 5)
    for gap, least in ((0.0, 0.9), (0.4, 0.98)):
        toy = datasets.make_switching_relevance(gap=gap, random_state=1)
        assert np.abs(toy.data[:, 0]).min() >= gap / 2
        neighbours = NearestNeighbors(n_neighbors=10).fit(toy.map).kneighbors()[1]
        spread = toy.data[neighbours][:, :, 1:].std(axis=1)  # of features 2, 3, 4 over the neighbours in the map
        assert np.mean(1 + spread.argmin(axis=1) == toy.relevant) > least


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_each_argument_refuses_nonsense_by_its_name(maker):
    for parameter in inspect.signature(maker).parameters:
        for value in NONSENSE:
            with pytest.raises((ValueError, TypeError), match=rf"^`{parameter}` must "):
                maker(**{parameter: value})


def test_sizes_beyond_any_memory_are_refused_and_small_types_do_not_overflow():
    with pytest.raises(ValueError, match="`n_features` must be an integer between 2 and 1000000; got 1000000000"):
        datasets.make_hidden_moons(n_features=10**9)
    with pytest.raises(ValueError, match="`n_samples` must be an integer >= 3 and at most 10,000,000; got 10000001"):
        datasets.make_two_modes(10**7 + 1)
    small = datasets.make_torus(np.int8(100), radii=(np.float16(3), 1), jitter=np.float32(0.5), random_state=0)
    usual = datasets.make_torus(100, radii=(3, 1), jitter=0.5, random_state=0)
    assert all(np.array_equal(small[key], usual[key]) for key in usual)


@pytest.mark.parametrize(
    ("maker", "wrong", "message"),
    [
        (datasets.make_torus, {"radii": (1, 3)}, "`radii` must be two numbers, ring > tube > 0"),
        (datasets.make_torus, {"radii": (3, 0)}, "`radii` must be two numbers, ring > tube > 0"),
        (datasets.make_enclosed_class, {"spread": [1, 1]}, r"`spread` must have shape \(3,\); got shape \(2,\)"),
        (datasets.make_enclosed_class, {"spread": [1, -1, 1]}, "`spread` must not be negative"),
        (datasets.make_hidden_moons, {"n_samples": 30}, "`n_labelled` must be .* between 1 and 5; got 10. A sixth"),
        (datasets.make_hidden_moons, {"n_samples": 5}, "`n_samples` must be"),
    ],
)
def test_arguments_that_do_not_fit(maker, wrong, message):
    with pytest.raises(ValueError, match=message):
        maker(**wrong)


@pytest.mark.parametrize("maker, least", REDUNDANT.items())
def test_redundant_sets_refuse_what_makes_no_set(maker, least):
    no_number = ("a", None, True, [0.5])
    hostile = {
        "n_samples": (least - 1, 0, -1, 2.5, 10.0, True, "a", None, np.nan, [5]),
        "random_state": (-1, 1.5, "a", 2**32, [1]),
    }
    if maker is datasets.make_noisy_copies:
        hostile |= {"n_features": (1, 0, -1, 3.0, True, "a", None), "noise": (-0.1, np.inf, *no_number)}
    if maker is datasets.make_redundant_regression:
        hostile |= {"n_noise": (-1, 2.0, True, "a", None), "correlation": (-0.1, 1, 1.5, np.inf, *no_number)}
        hostile |= {"copy_noise": (-1, np.inf, *no_number)}
    if maker is datasets.make_xor_copies:
        hostile |= {"spread": (0, -1, np.inf, *no_number), "noise": (-1, np.inf, *no_number)}
        hostile |= {"share": (0, 1, -0.1, np.inf, *no_number)}
    if maker is datasets.make_switching_relevance:
        hostile |= {"n_noise": (-1, 2.0, True, "a", None), "gap": (-0.1, 2, np.inf, *no_number)}
    for parameter, values in hostile.items():
        for value in values:
            with pytest.raises(ValueError, match=rf"`{parameter}` must be .*; got {re.escape(repr(value))}"):
                maker(**{parameter: value})
