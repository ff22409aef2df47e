"""Neighbour graphs: ties, duplicates, order, local scales."""

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import mark, raises
from scipy.sparse import block_diag, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits

from toolkit.core import graphs

X = default_rng(0).normal(size=(80, 4)) + 1000
X.flags.writeable = False


def direct(X, k):
    """The rule of ties word for word, in plain loops."""
    D = cdist(X - X.mean(axis=0), X - X.mean(axis=0))
    G = np.zeros_like(D)
    for i in range(len(X)):
        other_distances = np.delete(D[i], i)
        limit = np.sort(other_distances)[k - 1] * (1 + 1e-9)
        is_near = D[i] <= limit
        is_near[i] = False
        G[i, is_near] = D[i, is_near]
    return G


@mark.parametrize("k", [1, 5, 79])
def test_knn_graph_without_ties(k):
    G = graphs.knn_graph(X, k)
    assert_allclose(G.toarray(), direct(X, k), atol=1e-9)
    assert G.nnz == k * len(X)


def test_knn_graph_keeps_every_tie_so_that_order_does_not_matter():
    X = load_digits().data[:400]
    G = graphs.knn_graph(X, 60)
    assert_allclose(G.toarray(), direct(X, 60), atol=1e-9)
    assert G.nnz > 60 * 400  # there are ties
    order = default_rng(0).permutation(400)
    assert (graphs.knn_graph(X[order], 60) != G[order][:, order]).nnz == 0


def test_many_equal_rows_give_at_most_twice_as_many_neighbors():
    G = graphs.knn_graph(np.zeros((50, 2)), 3)
    assert np.diff(G.indptr).tolist() == [6] * 50
    # zero distances are stored entries
    assert set(G[10].indices) == set(range(6))


def test_of_too_many_ties_the_first_beside_what_is_nearer():
    D = np.array([[3.0, 1, 0, 1, 1, 1, 1]])
    graph = graphs.nearest_graph([D], 2, D.shape)
    assert graph.indices.tolist() == [1, 2, 3, 4]


def test_the_mean_squared_distance_is_that_of_all_pairs():
    X = default_rng(0).normal(size=(7, 3))
    mean = cdist(X, X, "sqeuclidean").sum() / (7 * 6)
    assert_allclose(graphs.mean_squared_distance(X), mean)


def test_ties_among_many_samples():
    """More than twenty samples per neighbour.

    A tree finds them, and ties all the same, of length 2 sqrt(2) or 0.
    """
    grid = 2.0 * np.argwhere(np.ones((10, 10)))
    G = graphs.knn_graph(grid, 5)
    assert_allclose(G.toarray(), direct(grid, 5), atol=1e-9)
    assert np.diff(G.indptr).max() == 8  # within the grid: 4 beside, 4 across
    assert (
        np.diff(graphs.knn_graph(np.zeros((100, 2)), 3).indptr).tolist()
        == [6] * 100
    )


class GivenGraph(BaseEstimator):
    def __init__(self, graph=None):
        self.graph = graph

    def fit_transform(self, X):
        return self.graph


@mark.parametrize(
    "graph, message",
    [
        (np.zeros((80, 80)), "sparse matrix of distances of shape .80, 80."),
        (
            csr_matrix(np.ones((80, 80))),
            "all it gives are 1: set its mode='distance'",
        ),
        (-csr_matrix(np.ones((80, 80))), "finite distances >= 0"),
    ],
)
def test_an_unusable_search(graph, message):
    with raises(ValueError, match=message):
        graphs.knn_graph(X, 7, neighbors=GivenGraph(graph))


def test_one_sample_without_neighbours_is_named_and_one_length_of_1_is_none():
    D = cdist(X, X)
    D[0, 1] = 1.0
    graph = graphs.knn_graph(X, 7, neighbors=GivenGraph(csr_matrix(D)))
    assert_array_equal(graph.toarray(), D)
    D[3] = 0
    with raises(
        ValueError, match="one neighbour of each sample; none of sample 3"
    ):
        graphs.knn_graph(X, 7, neighbors=GivenGraph(csr_matrix(D)))


def test_exact_search_has_a_limit(monkeypatch):
    monkeypatch.setattr(graphs, "EXACT_LIMIT", 79)
    with raises(ValueError, match="at most 79 samples.*KNeighborsTransformer"):
        graphs.knn_graph(X, 7)


def test_squared_distances_of_equal_rows_are_zero():
    shifted = X - 1000
    expected = cdist(X, X[:9], "sqeuclidean")
    assert_allclose(graphs.squared_distances(shifted, shifted[:9]), expected)
    assert np.all(np.diag(graphs.squared_distances(X, X)) == 0)


def test_squared_distances_by_blocks_are_the_same_bits(monkeypatch):
    at_once = graphs.squared_distances(X, X)
    assert np.array_equal(at_once, at_once.T)
    monkeypatch.setattr("toolkit.core.scaling.row_blocks.__defaults__", (1,))
    assert np.array_equal(graphs.squared_distances(X, X), at_once)


def test_squared_distances_of_rows_that_nearly_coincide():
    """Far from the origin, where the squared lengths leave no digits.

    0.5^2 and 0.25^2 + 0.5^2.
    """
    far_samples = np.array([[1e6, 0.0], [1e6, 0.5], [1e6 + 0.25, 0.5]])
    assert_array_equal(
        graphs.squared_distances(far_samples, far_samples[:1]),
        [[0], [0.25], [0.3125]],
    )


def test_heat_weights_never_cut_an_edge():
    graph = csr_matrix([[0, 1.0], [1e9, 0]])
    weights = graphs.heat_weights(graph, 2.0)
    assert_allclose(weights[0, 1], np.exp(-0.5))
    assert 0 < weights[1, 0] <= 1e-12


def test_components_largest_first():
    blocks = [np.ones((1, 1)), np.ones((4, 4)), np.ones((2, 2))]
    W = block_diag(blocks)
    count, component = graphs.components_of(W)
    assert count == 3 and component.tolist() == [2, 0, 0, 0, 0, 1, 1]


def test_local_scales_of_duplicates_reach_the_nearest_different_sample():
    X = np.repeat([[0.0, 0.0], [3.0, 4.0], [3.0, 10.0]], [9, 2, 9], axis=0)
    scales = graphs.local_scales(X, 7)
    assert_allclose(scales, [5] * 11 + [6] * 9, atol=1e-6)
    with raises(ValueError, match="at least two different samples"):
        graphs.local_scales(np.ones((5, 2)))


def test_scales_in_any_unit_and_far_from_the_origin():
    """Another unit is a factor; offsets as long as 10^7, other ones in each feature,
    cost no more than their digits.
    """
    X = default_rng(1).normal(size=(60, 20))
    scales = graphs.local_scales(X, 3)
    assert_allclose(scales, np.sort(cdist(X, X), axis=1)[:, 3])
    for unit in (2.0**-100, 2.0**100):
        assert_allclose(graphs.local_scales(unit * X, 3), unit * scales)
    assert_allclose(
        graphs.local_scales(X + 1e7 * np.arange(20), 3), scales, rtol=1e-6
    )


@mark.parametrize("n_affinity", [None, 9])
def test_local_scaling_of_shifted_samples_keeps_twelve_digits(n_affinity):
    # sums with the shift are exact
    X = np.round(default_rng(2).normal(size=(50, 4)), 1) * 2.0**-3
    X = np.round(X * 2.0**20) / 2.0**20
    affinities = csr_matrix(
        graphs.local_scaling(X, n_affinity=n_affinity)
    ).toarray()
    shifted_affinities = csr_matrix(
        graphs.local_scaling((X + 2.0**8), n_affinity=n_affinity)
    ).toarray()
    assert_allclose(affinities, shifted_affinities, rtol=1e-12)


@mark.parametrize("n", [80, 4])
def test_local_scaling_word_for_word(n):
    """Four samples have no seventh neighbour, and take the furthest."""
    samples = X[:n]
    D = cdist(samples, samples)
    s = np.sort(D, axis=1)[:, min(7, n - 1)]
    A = np.exp(-(D**2) / np.outer(s, s))
    assert_allclose(graphs.local_scaling(samples), A, atol=1e-8)
    with raises(ValueError, match="minimum of 2"):
        graphs.local_scaling(samples[:1])
    for k in (n - 1, min(5, n - 2)):
        is_near = direct(samples, k) > 0
        sparse = graphs.local_scaling(samples, n_affinity=k).toarray()
        assert_allclose(sparse, A * (is_near | is_near.T | (D == 0)), atol=1e-8)
