"""t-SNE by openTSNE: the same bytes each time, vectors and neighbours alike, and what
it refuses.
"""

import sys

import numpy as np
import scipy.sparse
from numpy.random import default_rng
from pytest import approx, importorskip, mark, raises
from sklearn.datasets import load_digits

from toolkit.embed import TSNE, LargeTSNE
from toolkit.neighbors import BlockNeighbors
from toolkit.quality import knn_error

tsne = importorskip("openTSNE.tsne")

SOME = load_digits().data[::6]  # (300, 64)


def graph(X, k):
    return BlockNeighbors(k).fit_transform(X)


def test_the_same_bytes_each_time_from_a_grid(monkeypatch):
    """The forces come from the grid that openTSNE takes from 10,000 samples on."""
    monkeypatch.setattr("toolkit.embed.large.EXAGGERATED", 15)
    steps = []

    def from_grid(*given, **options):
        steps.append(len(given[0]))
        return tsne.kl_divergence_fft(*given, **options)

    monkeypatch.setattr(tsne, "kl_divergence_bh", from_grid)
    D = graph(default_rng(0).normal(size=(300, 5)), 15)
    first, again = (
        LargeTSNE(metric="precomputed", max_iter=30).fit_transform(D) for _ in range(2)
    )
    assert first.tobytes() == again.tobytes()
    assert steps


def test_vectors_are_as_their_neighbours():
    """By the cost after 50 steps.

    Later the descent amplifies rounding. The noise leaves no ties among neighbours.
    """
    samples = SOME + default_rng(1).normal(scale=0.1, size=SOME.shape)
    start = default_rng(0).normal(scale=1e-4, size=(len(SOME), 2))
    steps = []
    options = {
        "perplexity": 10,
        "max_iter": 350,
        "init": start,
        "callback": lambda *step: steps.append(step),
    }
    of_vectors = LargeTSNE(**options).fit(samples)
    LargeTSNE(**options, metric="precomputed").fit(graph(samples, 30))
    iterations, costs = zip(*steps, strict=True)
    assert iterations == (50, 100, 150, 200, 250, 300, 350) * 2
    assert costs[0] == approx(costs[7], rel=1e-6)
    assert of_vectors.perplexity_ == 10 and of_vectors.n_iter_ == 350
    exact = TSNE(perplexity=10, max_iter=350, init=start).fit(samples)
    assert of_vectors.kl_divergence_ == approx(exact.kl_divergence_, rel=0.1)


def test_perplexity_is_a_third_of_the_neighbours_of_the_shortest_row():
    D = graph(SOME, 15).tolil()
    D[3, D.rows[3][-1]] = 0
    D = D.tocsr()
    D.eliminate_zeros()
    assert LargeTSNE(metric="precomputed", max_iter=251).fit(D).perplexity_ == approx(
        14 / 3
    )


def test_duplicates_and_separate_groups_have_a_map():
    two = np.vstack([np.zeros((40, 3)), SOME[:60, 20:23] + 1e3])
    Z = LargeTSNE(metric="precomputed", max_iter=300).fit_transform(graph(two, 12))
    assert np.isfinite(Z).all() and knn_error(Z, np.arange(100) < 40) == 0
    assert np.isfinite(LargeTSNE(max_iter=251).fit_transform(np.ones((50, 2)))).all()


D = graph(SOME, 15)
ALONE = scipy.sparse.csr_matrix(D.multiply((np.arange(len(SOME)) != 7)[:, None]))
ALONE.eliminate_zeros()


@mark.parametrize(
    "given, options, says",
    [
        (
            D.toarray(),
            {},
            r"must be a sparse matrix \(n, n\).*TSNE takes all distances",
        ),
        (ALONE, {}, "at least 4 neighbours of each sample; sample 7 has 0"),
        (-D, {}, "must hold distances, which are not negative"),
        (D + scipy.sparse.eye(len(SOME)), {}, "zero diagonal"),
        (
            D,
            {"perplexity": 6},
            "at least 3 perplexity = 18 neighbours of each sample; one has 15",
        ),
    ],
)
def test_refusals(given, options, says):
    with raises(ValueError, match=says):
        LargeTSNE(metric="precomputed", **options).fit(given)


def test_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with raises(
        ImportError,
        match="`LargeTSNE` needs openTSNE; install it with `pip install openTSNE`",
    ):
        LargeTSNE().fit(SOME)
