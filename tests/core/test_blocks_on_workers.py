"""Blocks on workers of Dask: more data than a worker's memory, a worker that dies, a model that travels once."""

import os
from pathlib import Path

import dask.array as da
import numpy as np
import psutil
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris

from toolkit.core.blocks import by_blocks
from toolkit.core.lazy import lazy_file
from toolkit.discriminant import SELF
from toolkit.lvq import GMLVQ

X, Y = load_iris(return_X_y=True)
FIRST = X[0]
pytestmark = pytest.mark.cluster

MOST = 500_000_000  # bytes of a worker
ROWS, COLUMNS, BLOCK = 3_400_000, 40, 50_000  # 1.09 GB in blocks of 16 MB


@pytest.fixture
def small_worker():
    """A client of one worker process that may take 500 MB."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "memory_limit": MOST, "dashboard_address": ":0"}
    with LocalCluster(n_workers=1, **options) as workers, Client(workers) as client:
        yield client


@pytest.fixture
def large_file(tmp_path):
    """A file of random numbers, written block by block, that is removed afterwards."""
    path, rng = tmp_path / "X.npy", np.random.default_rng(0)
    on_disk = np.lib.format.open_memmap(path, mode="w+", dtype=float, shape=(ROWS, COLUMNS))
    for start in range(0, ROWS, BLOCK):
        on_disk[start : start + BLOCK] = rng.random((len(on_disk[start : start + BLOCK]), COLUMNS))
    del on_disk
    yield path
    path.unlink()


def most_memory():
    """The most memory that this process had so far, in bytes; where the system does not say, what it has now."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return psutil.Process().memory_info().rss
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


class Watched(BaseEstimator):
    """What another model predicts, the most memory of the process, its number, and how often it got the model."""

    received = 0

    def __init__(self, model):
        self.model = model

    @by_blocks
    def predict(self, X):
        classes = self.model.predict(X)
        seen = [most_memory(), os.getpid(), Watched.received]
        return np.column_stack([classes, np.tile(seen, (len(X), 1))])

    def __setstate__(self, state):
        Watched.received += 1
        super().__setstate__(state)


class Dying(BaseEstimator):
    """The map of another model; the first process that reaches row 0 of the data ends there."""

    def __init__(self, model, flag):
        self.model, self.flag = model, flag

    @by_blocks
    def transform(self, X):
        if X.any() and not self.flag.exists() and np.array_equal(X[0], FIRST):
            self.flag.touch()
            os._exit(1)
        return self.model.transform(X)


def test_a_file_of_twice_the_memory_of_a_worker(small_worker, large_file):
    X = np.random.default_rng(1).random((300, COLUMNS))
    model = GMLVQ(tol=1e-2).fit(X, (X[:, 0] > 0.5).astype(int))
    before = small_worker.run(os.getpid)
    lazy = Watched(model).predict(lazy_file(large_file, BLOCK))
    share, most, pid, received = da.compute(lazy[:, 0].mean(), lazy[:, 1].max(), lazy[:, 2].min(), lazy[:, 3].max())
    print(f"{most / 1e6:.0f} MB of {MOST / 1e6:.0f}; {lazy.numblocks[0]} blocks; model received {received:.0f} times")
    assert large_file.stat().st_size > 2 * MOST and most < 0.8 * MOST  # with more, a worker pauses
    assert small_worker.run(os.getpid) == before and set(before.values()) == {int(pid)}  # nothing was started again
    assert received < 5
    on_disk = np.load(large_file, mmap_mode="r")
    expected = np.mean([model.predict(on_disk[i : i + BLOCK]).mean() for i in range(0, ROWS, BLOCK)])
    assert share == pytest.approx(expected, rel=1e-12)


def test_blocks_of_a_worker_that_died_are_done_again(cluster, tmp_path):
    model = SELF().fit(X[::2], Y[::2])
    before = set(cluster.run(os.getpid).values())
    Z = Dying(model, tmp_path / "died").transform(da.from_array(X, chunks=(10, 4))).compute()
    np.testing.assert_allclose(Z, model.transform(X), rtol=0, atol=1e-12)
    assert (tmp_path / "died").exists()
    cluster.wait_for_workers(2, timeout=30)
    assert set(cluster.run(os.getpid).values()) != before
