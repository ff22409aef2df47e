"""Exact neighbours by blocks of rows.

What scikit-learn's transformer gives, on any backend.
"""

import joblib
import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import fixture, mark, raises
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors

from toolkit import neighbors
from toolkit.core.progress import Shared
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
    assert_allclose(
        graph.data[graph.data > 0], theirs.data[graph.data > 0], rtol=1e-12
    )


def test_duplicates_have_neighbours_other_than_themselves(several_blocks):
    """Ten equal samples, two neighbours each.

    Both at distance zero, stored, none the sample itself.
    """
    graph = BlockNeighbors(2).fit_transform(
        np.vstack([np.zeros((10, 2)), samples(90, 2) + 9])
    )
    assert (np.diff(graph.indptr) == 3).all() and not graph[:10].data.any()
    assert all(
        len(set(row)) == 3 and row[0] == i
        for i, row in enumerate(graph.indices.reshape(-1, 3))
    )


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
            Shared(X=X, search=Search(n_neighbors=6).fit(X)), np.arange(10), 5
        )
    assert jobs == [1]


def test_refusals():
    with raises(
        ValueError,
        match="`n_neighbors` must be an integer between 1 and 4; got 5",
    ):
        BlockNeighbors(5).fit_transform(np.eye(5))
    with raises(ValueError, match="NaN"):
        BlockNeighbors(1).fit_transform([[np.nan], [1.0], [2.0]])
