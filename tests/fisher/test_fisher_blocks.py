"""Fisher neighbours among rows that no process holds all of, and on workers that come and go."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.core.lazy import lazy_file
from toolkit.fisher import KernelFisher, ParzenFisher
from toolkit.fisher import neighbors as in_memory


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 4
    return rng.normal(size=(300, 5)) + 3 * rng.normal(size=(4, 5))[y], y


@pytest.fixture(scope="module", params=[0.0, 0.05])
def whole(request, samples):
    """A metric with this `lam`, and the neighbours that it finds in memory."""
    X, y = samples
    fisher = ParzenFisher(lam=request.param, n_centers=40, random_state=0).fit(X, y)
    return fisher, fisher.knn_distances(X, 6, n_segments=8)


@given(cuts=st.lists(st.integers(0, 300), max_size=5))
@settings(max_examples=8, deadline=None)
def test_blocks_find_what_is_found_in_memory(samples, whole, cuts):
    """Blocks of one row and of none, columns in several blocks; eight segments, so that no bound excludes too much."""
    X, (fisher, expected) = samples[0], whole
    rows = np.diff([0, *sorted(cuts), 300])
    with dask.config.set(scheduler="synchronous"):
        found = fisher.knn_distances(da.from_array(X, chunks=(tuple(map(int, rows)), (3, 2))), 6, n_segments=8)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.data, expected.data, rtol=1e-9, atol=1e-12)
    assert 0 < fisher.knn_share_ <= 1


def test_blocks_that_are_kept(samples, tmp_path):
    X, y = samples
    fisher = ParzenFisher(n_centers=40, random_state=0).fit(X, y)
    lazy = da.from_array(X, chunks=(100, 5))
    with dask.config.set(scheduler="synchronous"):
        whole = fisher.knn_distances(lazy, 4, checkpoint=tmp_path / "kept")
        (tmp_path / "kept" / "000001.npz").unlink()
        again = fisher.knn_distances(lazy, 4, checkpoint=tmp_path / "kept")
        with pytest.raises(ValueError, match="`checkpoint` must be the folder of a run with the same data"):
            fisher.knn_distances(lazy + 1, 4, checkpoint=tmp_path / "kept")
    assert (whole != again).nnz == 0


def test_kept_blocks_are_not_those_of_another_metric_or_file(samples, tmp_path):
    X, y = samples
    np.save(tmp_path / "X.npy", X)
    fisher = ParzenFisher(n_centers=40, random_state=0).fit(X, y)

    def search():
        rows = lazy_file(tmp_path / "X.npy", 100)
        return fisher.knn_distances(rows, 4, checkpoint=tmp_path / "kept")

    with dask.config.set(scheduler="synchronous"):
        search()
        fisher.fit(X, (y + (X[:, 0] > 0)) % 4)
        with pytest.raises(ValueError, match="`checkpoint` must be the folder of a run with the same data"):
            search()
        fisher.fit(X, y)
        search()
        np.save(tmp_path / "X.npy", X + 1.0)
        with pytest.raises(ValueError, match="`checkpoint` must be the folder of a run with the same data"):
            search()


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (da.zeros((20, 4)), {}, "X has 4 features"),
        (da.zeros((9, 5)), {"n_neighbors": 9}, "`n_neighbors` must be an integer between 1 and 8"),
        (da.zeros((20, 5)), {"n_segments": 0}, "`n_segments` must be"),
        (da.zeros(9), {}, "`X` must be a table"),
        (da.zeros((0, 5)), {}, "`X` must hold at least two samples; got 0"),
    ],
)
def test_refusals(samples, X, options, message):
    fisher = ParzenFisher(n_centers=40, random_state=0).fit(*samples)
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match=message):
        fisher.knn_distances(X, **options)


def test_similarities_with_lam_have_no_blocks(samples):
    X, y = samples
    S = X @ X.T
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="`lam` above 0 needs"):
        KernelFisher(lam=0.1).fit(S, y).knn_distances(da.from_array(S, chunks=(100, 300)), 4)


@pytest.mark.cluster
def test_a_worker_that_dies_in_the_middle(cluster, samples, monkeypatch):
    """Its tiles are searched again by the other: the same bits as in this process."""
    X, y = samples
    X, y = np.tile(X, (6, 1)) + np.random.default_rng(1).normal(size=(1800, 5)), np.tile(y, 6)
    monkeypatch.setattr(in_memory, "TILE_ROWS", 30)
    fisher = ParzenFisher().fit(X, y)
    expected, before = fisher.knn_distances(n_neighbors=10), cluster.run(os.getpid)
    victim = next(iter(before.values()))

    def kill():
        while not all(cluster.processing().values()):  # until both are at work
            time.sleep(0.02)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    with joblib.parallel_config("dask"):
        killer.start()
        found = fisher.knn_distances(n_neighbors=10)
    killer.join()
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)
    cluster.wait_for_workers(2, timeout=60)
    assert set(cluster.run(os.getpid).values()) != set(before.values())


@pytest.mark.cluster
def test_blocks_on_workers(cluster, samples, tmp_path):
    X, y = samples
    fisher = ParzenFisher(n_centers=40, random_state=0).fit(X, y)
    np.save(tmp_path / "X.npy", X)
    with dask.config.set(scheduler="synchronous"):
        expected = fisher.knn_distances(lazy_file(tmp_path / "X.npy", 70), 5)
    found = fisher.knn_distances(lazy_file(tmp_path / "X.npy", 70), 5)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
