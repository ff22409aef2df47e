"""What tasks share reaches every worker once, as one memory that none of them writes into."""

import gc
import os
import signal

import joblib
import numpy as np
import pytest

from toolkit.core import sent
from toolkit.core.parallel import results
from toolkit.core.sent import Sent


def seen(shared):
    """Whether the numbers lie in a mapped file, whether they can be written, and their sum."""
    return isinstance(shared.X, np.memmap), shared.X.flags.writeable, float(shared.X.sum())


@pytest.mark.slow
def test_processes_of_this_machine_map_large_arrays_for_reading():
    shared = Sent(X=np.ones((400, 400)))
    assert shared.X.nbytes > 2**20
    with joblib.parallel_config("loky", n_jobs=2):
        found = list(results(joblib.delayed(seen)(shared) for _ in range(4)))
    assert found == [(True, False, 160_000.0)] * 4
    with joblib.parallel_config("threading", n_jobs=2):
        assert list(results(joblib.delayed(seen)(shared) for _ in range(2))) == [(False, True, 160_000.0)] * 2


@pytest.mark.slow
def test_what_is_made_of_the_parts_is_made_once():
    made, first, second = [], Sent(X=np.arange(3.0)), Sent(X=np.arange(4.0))

    def total(shared):
        made.append(shared)
        return shared.X.sum()

    assert [first.once("sum", total) for _ in range(3)] == [3.0] * 3 and made == [first]
    assert first.once("sum", total, of=1) == 3.0 and len(made) == 2  # of something else
    assert second.once("sum", total) == 6.0 and made[-1] is second
    made.clear()
    del second, first
    gc.collect()
    assert not sent._kept  # nothing is held that nobody can ask for


def total(rows, table, flag, scale=1.0):
    """A task that ends its worker once; the sum it was asked for, and how many processes its own loops would use."""
    if not flag.exists():
        flag.touch()
        os._exit(1)
    return scale * float(table[rows].sum()), joblib.effective_n_jobs()


def calls(n, flag, table):
    """Of `total`, each with row numbers of its own, which are large, and a table that all have."""
    rng = np.random.default_rng(0)
    return (joblib.delayed(total)(rng.permutation(20_000), table, flag, scale=i) for i in range(n))


@pytest.mark.cluster
def test_arguments_of_tasks_outlive_the_worker_that_had_them(cluster, tmp_path):
    flag, table = tmp_path / "died", np.arange(20_000.0)
    before = set(cluster.run(os.getpid).values())
    with joblib.parallel_config("dask"):
        found = list(results(calls(12, flag, table)))
    assert found == [(i * table.sum(), 1) for i in range(12)]  # and with tasks for all workers, each does its own loops
    assert flag.exists()
    cluster.wait_for_workers(2, timeout=60)
    assert set(cluster.run(os.getpid).values()) != before


@pytest.mark.cluster
def test_a_task_alone_may_use_the_other_workers(cluster, tmp_path):
    (tmp_path / "died").touch()
    with joblib.parallel_config("dask"):
        assert list(results(calls(1, tmp_path / "died", np.zeros(20_000)))) == [(0.0, 2)]


@pytest.mark.cluster
def test_what_the_tasks_have_in_common_is_sent_apart_from_them(cluster, tmp_path):
    """The first task has its table with it; the others have that of their worker, until they are done."""
    table, small = np.arange(20_000.0), np.arange(3)
    with joblib.parallel_config("dask"):
        backend, _ = joblib.parallel.get_active_backend()
        tasks = sent.for_workers([joblib.delayed(seen)(small, table) for _ in range(4)])
        first, *others = [args[1:] for _, args, _ in tasks]
        assert first == ((small,), (table,)) and all(own == (small,) for own, _ in others)
        common = others[0][1]
        assert isinstance(common, Sent) and all(theirs is common for _, theirs in others)
        future = backend.data_futures[id(common)]
        assert len(cluster.who_has([future])[future.key]) == 2
        del others, common, tasks
        gc.collect()
        assert not backend.data_futures


@pytest.mark.cluster
def test_parts_that_no_worker_has_any_more_are_sent_again(cluster):
    with joblib.parallel_config("dask"):
        shared = Sent(X=np.ones((400, 400)))
        for pid in cluster.run(os.getpid).values():
            os.kill(pid, signal.SIGKILL)
        assert [total for _, _, total in results(joblib.delayed(seen)(shared) for _ in range(4))] == [160_000.0] * 4
