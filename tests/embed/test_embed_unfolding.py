"""Maximum variance unfolding.

Answers on paper, an independent solver, the bound, invariances, wrong input.
"""

import numpy as np
import scipy.sparse
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, fixture, mark, warns
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from toolkit.embed import MVU
from toolkit.embed.base import EmbedInput
from toolkit.embed.isomap import neighborhood_graph


def neighbor_edges(samples, k):
    edges = scipy.sparse.triu(neighborhood_graph(samples, k)).tocoo()
    return np.column_stack([edges.row, edges.col]), edges.data


def distances(Z):
    return cdist(Z, Z)


def optimal_map(X, tol=1e-7, **options):
    """A map of X whose bound says that it is the best one."""
    mvu = MVU(tol=tol, **options).fit(X)
    assert mvu.bound_ >= mvu.variance_ * (1 - 1e-9)
    assert 0 <= mvu.gap_ + 1e-9 and mvu.gap_ <= tol
    assert mvu.variance_ == approx(mvu.eigenvalues_.sum())
    return mvu


def test_a_bent_chain_becomes_straight():
    """Edges between successive points only.

    |z_i - z_k| <= sum of the edges between, reached on a straight line.
    """
    rng = default_rng(0)
    lengths = rng.uniform(0.5, 2, 19)
    W = scipy.sparse.diags([lengths, lengths], [1, -1], format="csr")
    mvu = optimal_map(W, metric="precomputed")
    line = np.concatenate([[0], np.cumsum(lengths)])
    assert mvu.variance_ == approx(np.sum((line - line.mean()) ** 2), rel=1e-6)
    expected = np.abs(line[:, None] - line)
    assert_allclose(distances(mvu.embedding_), expected, atol=1e-3)
    assert_allclose(mvu.eigenvalues_[1:], 0, atol=1e-3)


@mark.parametrize("n", [3, 4, 5, 8])
def test_a_ring_becomes_a_regular_polygon(n):
    """By symmetry and convexity K is a circulant.

    The best has all weight on the longest wave: circumradius 1 / (2 sin(pi / n)), so
    sum |z|^2 = n / (4 sin^2(pi / n)): 2 for the square of side 1.
    """
    shifted = np.roll(np.eye(n), 1, axis=0)
    W = scipy.sparse.csr_matrix(shifted)
    mvu = optimal_map(W + W.T, metric="precomputed")
    assert mvu.variance_ == approx(n / (4 * np.sin(np.pi / n) ** 2), rel=1e-6)
    polygon = distances(mvu.embedding_)
    edges = polygon[np.arange(n), np.arange(n) - 1]
    assert_allclose(edges, 1, rtol=1e-4)


@mark.filterwarnings("ignore:The graph of 2")
@mark.parametrize("seed", [0, 1, 2])
def test_against_a_general_solver(seed):
    """Full-rank factor and all constraints by SLSQP, best of several starts, on
    distances of no Euclidean space.
    """
    rng = default_rng(seed)
    n = 7
    D = rng.uniform(1, 3, (n, n))
    D = np.triu(D, 1) + np.triu(D, 1).T
    pairs, d = neighbor_edges(EmbedInput(D=D), 2)
    i, j = pairs.T

    def cost(z):
        points = z.reshape(n, -1)
        Z = points - points.mean(axis=0)
        return -np.sum(Z**2), -2 * Z.ravel()

    def slack(z):
        points = z.reshape(n, -1)
        differences = points[i] - points[j]
        return d**2 - np.sum(differences**2, axis=1)

    solver = {
        "method": "SLSQP",
        "jac": True,
        "constraints": {"type": "ineq", "fun": slack},
    }
    solver["options"] = {"maxiter": 500, "ftol": 1e-12}
    best = max(
        -minimize(cost, rng.normal(size=n * (n - 1)), **solver).fun
        for _ in range(3)
    )
    mvu = optimal_map(D, metric="precomputed", n_neighbors=2)
    assert mvu.variance_ == approx(best, rel=1e-5)
    assert mvu.bound_ >= best * (1 - 1e-7)


@mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@mark.parametrize("rank", [2, 20])
def test_the_bound_holds_for_any_weights(rank):
    """Too low a rank leaves a gap, and a bound that the map of higher rank respects."""
    X = default_rng(3).normal(size=(60, 8))
    mvu = MVU(rank=rank, max_iter=1500).fit(X)
    of_full_rank = MVU(rank=30, tol=1e-5).fit(X)
    assert mvu.bound_ >= of_full_rank.variance_ * (1 - 1e-6)
    assert of_full_rank.bound_ >= mvu.variance_
    assert (mvu.gap_ > 0.01) == (rank == 2)


@fixture(scope="module")
def samples():
    X = default_rng(5).normal(size=(21, 3)) * [3, 2, 0.5]
    X.flags.writeable = False
    return X, MVU(tol=1e-6).fit(X)


def test_duplicates_are_one_heavy_point():
    """Points 0, 0, 1 on a line: masses 2 and 1, sum m (x - 1/3)^2 = 2/9 + 4/9."""
    mvu = optimal_map([[0.0], [0.0], [1.0]], n_components=1, n_neighbors=2)
    assert mvu.embedding_[0, 0] == mvu.embedding_[1, 0]
    assert [mvu.variance_, mvu.bound_] == approx([2 / 3, 2 / 3], rel=1e-6)
    X = default_rng(0).normal(size=(15, 3))
    Z = optimal_map(np.vstack([X, X, X]), 1e-3).embedding_
    assert_array_equal(Z[:15], Z[15:30])


@mark.filterwarnings("ignore")
@mark.parametrize("x", [[0.0, 7e-67, 7e-67, 7e-67], [0.0, 1e12, 1.0, 2.0, 4.0]])
def test_lengths_of_all_magnitudes(x):
    samples = np.array(x)[:, None]
    mvu = MVU(n_neighbors=2, max_iter=200).fit(samples)
    assert np.all(np.isfinite(mvu.embedding_))
    assert mvu.bound_ >= mvu.variance_ * (1 - 1e-6)
    assert 0 <= mvu.violation_ < np.inf


def test_a_graph_of_neighbours_gives_the_map_of_the_vectors(samples):
    X, mvu = samples
    pairs, d = neighbor_edges(EmbedInput(X), 6)
    W = scipy.sparse.csr_matrix((d, pairs.T), shape=(21, 21))
    graph = optimal_map(W, 1e-5, metric="precomputed")
    assert_allclose(
        distances(graph.embedding_), distances(mvu.embedding_), atol=0.1
    )


@mark.filterwarnings("ignore")
@mark.parametrize("far", [1e4, 1e8, 1e12])
def test_a_far_outlier_ends_soon_and_leaves_the_others_apart(far):
    """Its edges hold all but 1 / far^2 of the variance.

    The others stay within theirs, and no two fall together.
    """
    cluster = default_rng(0).normal(size=(40, 3))
    X = np.vstack([cluster, [[far, 0, 0]]])
    mvu = MVU(max_iter=400).fit(X)
    assert mvu.n_iter_ <= 400
    assert mvu.gap_ < 0.01
    pairs, limits = neighbor_edges(EmbedInput(X), 6)
    differences = np.diff(mvu.embedding_[pairs], axis=1)[:, 0]
    lengths = np.linalg.norm(differences, axis=1)
    assert np.all(lengths <= limits * (1 + 1e-9) + 1e-15 * far)
    other_positions = mvu.embedding_[:40]
    assert (
        other_positions.std(axis=0).min() > 0.01
        and len(np.unique(other_positions, axis=0)) == 40
    )
    assert np.ptp(mvu.embedding_[:, 0]) > 0.9 * far


def test_the_warning_of_a_gap_has_a_remedy(samples):
    says = r"raise `max_iter` \(5\) or `rank` \(20\), or leave distant outliers out"
    with warns(ConvergenceWarning, match=says):
        mvu = MVU(max_iter=5).fit(samples[0])
    assert mvu.gap_ > 1e-3 and mvu.bound_ >= samples[1].variance_
