"""The neighbour retrieval visualizer.

Cost by hand, gradient, limits of gamma, invariances, wrong input.
"""

import numpy as np
from literal import central_differences
from literal import squared as squared_of
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, fixture, mark
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group
from sklearn.datasets import load_iris

from toolkit.core.scaling import perplexity_widths
from toolkit.embed import NeRV
from toolkit.embed.affinities import (
    log_affinities,
    neighbor_widths,
    nerv_cost,
    position_gradient,
)


def literal_cost(squared, squared_map, sigma, gamma):
    """(4.1) to (4.3) word for word."""
    total = 0.0
    n = len(squared)
    for i in range(n):
        other_rows = [j for j in range(n) if j != i]
        narrow = sigma[i] ** 2
        p = np.exp(-0.5 * squared[i, other_rows] / narrow)
        q = np.exp(-0.5 * squared_map[i, other_rows] / sigma[i] ** 2)
        p = p / p.sum()
        q = q / q.sum()
        recall = np.sum(p * np.log(p / q))
        precision = np.sum(q * np.log(q / p))
        total += gamma * recall + (1 - gamma) * precision
    return total


rng = default_rng(0)
X = rng.normal(size=(12, 4))
Z = rng.normal(size=(12, 2))
X.flags.writeable = Z.flags.writeable = False


@mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_cost_and_gradient_are_the_definition(gamma):
    squared = squared_of(X)
    squared_map = squared_of(Z)
    sigma = neighbor_widths(squared, 4)
    log_p = log_affinities(squared, sigma)

    def cost(Z):
        return nerv_cost(log_p, squared_of(Z), sigma, gamma)[0]

    def cost_of_row(row):
        other = squared_map.copy()
        other[3] = row
        return nerv_cost(log_p, other, sigma, gamma)[0]

    value, slopes = nerv_cost(log_p, squared_map, sigma, gamma)
    assert value == approx(
        literal_cost(squared, squared_map, sigma, gamma), rel=1e-12
    )
    nerv = NeRV(gamma=gamma).fit(X)
    assert nerv.cost_ == approx(
        literal_cost(squared, squared_of(nerv.embedding_), nerv.sigma_, gamma)
    )
    gradient = position_gradient(Z, slopes)
    numeric = central_differences(cost, Z, 1e-5)
    assert_allclose(gradient, numeric, atol=1e-8 * np.abs(gradient).max())
    # the derivatives with respect to squared distances, entry by entry of one row
    expected = central_differences(cost_of_row, squared_map[3])
    of_sample = np.where(np.arange(12) == 3, 0, expected)
    assert_allclose(slopes[3], of_sample, atol=1e-8)


def test_widths_beside_far_samples():
    """Who does not see a far sample has the same width with and without it.

    1e-12 of ln(perplexity) is left over.
    """
    squared = squared_of(X)
    widths_alone = perplexity_widths(squared, 4.5, np.arange(12))
    for distance in (1e8, 1e24, 1e150):
        wider = np.pad(squared, (0, 1), constant_values=distance)
        wider[-1, -1] = 0
        assert_allclose(
            perplexity_widths(wider, 4.5, np.arange(13))[:12],
            widths_alone,
            rtol=1e-10,
        )
    # 2 of 3 centres at 0 and a third at 1: weights 1, 1, w with ln 2.5 = ln(2 + w) - w
    # ln w / (2 + w)
    sigma = perplexity_widths(
        np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1e30]]), 2.5
    )
    w = np.exp(-0.5 / sigma[0] ** 2)
    assert np.log(2 + w) - w * np.log(w) / (2 + w) == approx(
        np.log(2.5), abs=1e-10
    )
    assert sigma[1] == approx(1e15 * sigma[0], rel=1e-10)
    # two duplicates are seen at any width, three at no finite one
    assert np.isnan(perplexity_widths(np.array([[0.0, 0.0, 1.0]]), 2.0)).all()
    assert np.isnan(perplexity_widths(np.array([[0.0, 1.0, 2.0]]), 3.0)).all()


def test_samples_of_a_plane_are_found_again():
    """The cost is 0 only where all conditional affinities agree, so planar data come
    back with their distances.
    """
    X = default_rng(1).normal(size=(40, 2)) * [2, 1]
    turned = X @ ortho_group.rvs(5, random_state=2)[:2]
    nerv = NeRV(max_iter=500).fit(turned)
    assert nerv.cost_ < 1e-4
    D = cdist(X, X)
    is_near = D < np.median(D)
    map_distances = cdist(nerv.embedding_, nerv.embedding_)
    assert_allclose(map_distances[is_near], D[is_near], atol=0.05)


@fixture(scope="module")
def iris():
    X = load_iris().data[::3].copy()
    X.flags.writeable = False
    return X, NeRV().fit(X)


@mark.filterwarnings("error")
@mark.parametrize("metric", ["euclidean", "precomputed"])
@mark.parametrize("far", [1e3, 1e11])
def test_a_far_outlier_costs_a_finite_amount(iris, far, metric):
    """And the others get the map that they get without it, about as good."""
    outlier = [[far, 0.3 * far, 0, 0]]
    X = np.vstack([iris[0], outlier])
    nerv = NeRV(metric=metric).fit(X if metric == "euclidean" else cdist(X, X))
    assert np.isfinite(nerv.cost_)
    squared = squared_of(iris[0])
    sigma = neighbor_widths(squared, 10)
    # 1e11 + iris has 5 digits left
    assert_allclose(nerv.sigma_[:-1], sigma, rtol=1e-4)
    log_p = log_affinities(squared, sigma)
    cost, _ = nerv_cost(log_p, squared_of(nerv.embedding_[:-1]), sigma)
    assert cost < 1.6 * iris[1].cost_
    assert cdist(nerv.embedding_, nerv.embedding_)[-1, :-1].min() > 0.1 * far


def test_the_cost_falls(iris):
    nerv = iris[1]
    assert len(nerv.history_) < nerv.n_iter_
    assert np.all(np.diff(nerv.history_) <= 0)
    assert nerv.history_[-1] == approx(nerv.cost_, rel=1e-9)
