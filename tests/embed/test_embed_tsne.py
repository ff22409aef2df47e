"""t-SNE: openTSNE's own map, vectors and distances and neighbours alike, the same bytes
each time, and what it refuses.
"""

import numpy as np
import openTSNE
import scipy.sparse
from numpy.testing import assert_allclose
from pytest import approx, mark, raises, warns
from sklearn.datasets import load_digits
from test_embed import assert_same_map, blobs

from toolkit.core.graphs import squared_distances
from toolkit.embed import TSNE
from toolkit.embed.affinities import affinities, divergence
from toolkit.fisher import ParzenFisher
from toolkit.neighbors import BlockNeighbors
from toolkit.quality import knn_error

SOME = load_digits().data[::6]  # (300, 64)


def of_graph(n_neighbors, X=SOME):
    return BlockNeighbors(n_neighbors).fit_transform(X)


GRAPH = of_graph(15)


@mark.parametrize("k", [1, 2, 3])
def test_the_map_is_that_of_opentsne(k):
    """In the units that ours makes of vectors: median 0, median size 1."""
    X = blobs(61)[0]
    X = X - np.median(X, axis=0)
    median = np.median(np.abs(X[X != 0]))
    X = X / median
    options = {"perplexity": 10, "early_exaggeration": 2}
    ours = TSNE(k, **options, max_iter=300, init=X[:, :k]).fit(X)
    theirs = openTSNE.TSNE(
        k,
        **options,
        n_iter=50,
        initialization=X[:, :k],
        neighbors="exact",
        negative_gradient_method="bh",
    ).fit(X)
    assert_same_map(ours.embedding_, np.array(theirs), 0.05)
    assert ours.kl_divergence_ == approx(theirs.kl_divergence, rel=0.01)


def test_the_cost_is_that_of_the_formula():
    X = SOME[::3]
    model = TSNE(perplexity=32.9, max_iter=400).fit(X)
    P = affinities(squared_distances(X, X), 32.9)
    assert model.kl_divergence_ == approx(
        divergence(P, model.embedding_), rel=0.02
    )
    assert model.kl_divergence_ < divergence(P, X[:, 20:22]) / 2


def test_some_fisher_distances_give_the_map_of_all_of_them():
    X, y = blobs(200, seed=2)
    fisher = ParzenFisher(2.0, lam=1e-3).fit(X, y)
    D = fisher.distances()
    off_diagonal = D + 1e9 * np.eye(200)
    nearest = np.argsort(np.argsort(off_diagonal, axis=1), axis=1) < 31
    graph = scipy.sparse.csr_matrix(np.where(nearest, D, 0))
    options = {"metric": "precomputed", "perplexity": 10}
    start = {"init": X[:, :2], "max_iter": 300, "early_exaggeration": 1}
    dense = TSNE(**options, **start).fit_transform(D)
    sparse = TSNE(**options, **start).fit_transform(graph)
    assert_same_map(dense, sparse, 0.05)
    searched = TSNE(**options, max_iter=400).fit(
        fisher.knn_distances(n_neighbors=31)
    )
    assert knn_error(searched.embedding_, y) == 0


def test_a_given_search_of_neighbours_is_used():
    options = {"perplexity": 5, "max_iter": 251, "early_exaggeration": 1}
    exact, of_search, too_few = (
        TSNE(**options, neighbors=search)
        for search in (None, *map(BlockNeighbors, (20, 9)))
    )
    X, _ = blobs()
    assert_same_map(exact.fit_transform(X), of_search.fit_transform(X), 0.05)
    with raises(
        ValueError, match="at least 3 perplexity = 15 neighbours.*one has 9"
    ):
        too_few.fit(X)


def test_the_same_bytes_each_time_from_a_grid(monkeypatch):
    """The forces come from the grid that openTSNE takes from 10,000 samples on."""
    used = []

    def from_grid(*arguments, **options):
        used.append(len(arguments[0]))
        return openTSNE.tsne.kl_divergence_fft(*arguments, **options)

    optimize = openTSNE.TSNEEmbedding.optimize
    monkeypatch.setattr(openTSNE.tsne, "kl_divergence_bh", from_grid)
    monkeypatch.setattr(
        openTSNE.TSNEEmbedding,
        "optimize",
        lambda Z, _, **how: optimize(Z, 15, **how),
    )
    model = TSNE(metric="precomputed")
    first, second = (model.fit_transform(GRAPH) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert used


def test_perplexity_is_a_third_of_the_neighbours_of_the_shortest_row():
    D = GRAPH.tolil()
    D[3, D.rows[3][-1]] = 0
    D = D.tocsr()
    D.eliminate_zeros()
    options = {"metric": "precomputed", "max_iter": 251}
    expected = TSNE(**options, perplexity=14 / 3).fit_transform(D)
    assert_allclose(TSNE(**options).fit_transform(D), expected)


def test_duplicates_and_separate_groups_have_a_map():
    far_group = SOME[:60, 20:23] + 1e3
    two = np.vstack([np.zeros((40, 3)), far_group])
    Z = TSNE(metric="precomputed", max_iter=300).fit_transform(
        of_graph(12, two)
    )
    assert np.isfinite(Z).all() and knn_error(Z, np.arange(100) < 40) == 0
    assert np.isfinite(TSNE(max_iter=251).fit_transform(np.ones((50, 2)))).all()


@mark.parametrize("n", [2, 3, 4, 12])
def test_few_samples_have_a_map(n):
    X, _ = blobs(n)
    k = min(n - 1, 3)
    assert np.ptp(TSNE(k, max_iter=300).fit_transform(X)) > 0
    model = TSNE(k, metric="precomputed", max_iter=300)
    assert np.ptp(model.fit_transform(of_graph(n - 1, X))) > 0


def test_a_start_of_a_graph_that_is_not_found_is_random(monkeypatch):
    nowhere = np.full((300, 2), np.nan)
    monkeypatch.setattr(
        openTSNE.initialization, "spectral", lambda *_, **__: nowhere
    )
    model = TSNE(metric="precomputed", max_iter=251, random_state=0)
    with warns(
        UserWarning, match="eigenvectors of the graph .* were not found"
    ):
        Z = model.fit_transform(GRAPH)
    assert_allclose(Z, model.set_params(init="random").fit_transform(GRAPH))


ALONE = scipy.sparse.csr_matrix(GRAPH.multiply((np.arange(300) != 7)[:, None]))
ALONE.eliminate_zeros()


@mark.parametrize(
    "given, options, says",
    [
        (
            ALONE,
            {},
            "at least 3 perplexity = 3 neighbours of each sample; one has 0",
        ),
        (-GRAPH, {}, "must hold distances, which are not negative"),
        (GRAPH + scipy.sparse.eye(300), {}, "zero diagonal"),
        (GRAPH, {"perplexity": 6}, "at least 3 perplexity = 18 .*; one has 15"),
        (GRAPH, {"init": "pca"}, '"pca" needs all distances'),
        (
            GRAPH,
            {"n_components": 4},
            "between 1 and 3; got 4. MDS makes maps of more",
        ),
    ],
)
def test_refusals(given, options, says):
    with raises(ValueError, match=says):
        TSNE(metric="precomputed", **options).fit(given)
