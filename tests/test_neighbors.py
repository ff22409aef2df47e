"""Exact neighbours by blocks of rows.

What scikit-learn's transformer gives, on any backend.
"""

import joblib
import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import fixture, mark
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors
from sklearn.pipeline import make_pipeline

from toolkit import neighbors
from toolkit.core.progress import Shared
from toolkit.embed import Isomap
from toolkit.neighbors import BlockNeighbors


@fixture
def several_blocks(monkeypatch):
    monkeypatch.setattr(neighbors, "ROWS_PER_TASK", 64)


def samples(n=300, d=20):
    return default_rng(0).normal(size=(n, d))


@mark.parametrize("d", [3, 20], ids=["tree", "all pairs"])
def test_it_is_the_graph_of_scikit_learn(d, several_blocks):
    X = samples(d=d)
    graph = BlockNeighbors(7).fit_transform(X)
    theirs = KNeighborsTransformer(n_neighbors=7).fit_transform(X)
    assert np.array_equal(graph.indices, theirs.indices) and np.array_equal(
        graph.indptr, theirs.indptr
    )
    assert_allclose(graph.data, theirs.data, rtol=1e-12, atol=1e-6)


def test_it_is_a_step_before_a_map():
    """New samples, too, have the distances of scikit-learn's transformer."""
    search = BlockNeighbors(30)
    pipeline = make_pipeline(search, Isomap(metric="precomputed"))
    X = samples()
    assert_allclose(
        pipeline.fit_transform(X),
        Isomap(n_neighbors=30).fit_transform(X),
        atol=1e-9,
    )
    graphs = (
        s.fit(X[::2]).transform(X[1::2]).toarray()
        for s in (search, KNeighborsTransformer(n_neighbors=30))
    )
    assert_allclose(*graphs)


@mark.parametrize("d", [3, 20], ids=["tree", "all pairs"])
def test_a_task_sends_no_tasks_of_its_own(d, monkeypatch):
    """On a cluster scikit-learn would send its tree to the workers once more, with each
    block.
    """
    jobs = []

    class Search(NearestNeighbors):
        def kneighbors(self, *arguments):
            jobs.append(joblib.effective_n_jobs())
            return super().kneighbors(*arguments)

    monkeypatch.delenv("LOKY_MAX_CPU_COUNT", raising=False)
    with joblib.parallel_config("threading", n_jobs=2):
        assert joblib.effective_n_jobs() == 2
        X = samples(d=d)
        neighbors._block_neighbors(
            Shared(X=X, search=Search(n_neighbors=6).fit(X)), np.arange(10)
        )
    assert jobs == [1]
