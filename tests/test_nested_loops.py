"""Loops within loops: the same numbers, and no more computing at once than there are workers."""

import joblib
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from pytest import mark, param, raises
from sklearn.datasets import load_iris

from toolkit.core.progress import results
from toolkit.fisher import GPFisher, ParzenFisher, overfitting_check

X, Y = load_iris(return_X_y=True)
OPTIONS = {"n_permutations": 2, "n_splits": 3, "random_state": 0}


class SerialFisher(ParzenFisher):
    """Refuses to fit where its own loops would be spread over several workers."""

    def fit(self, X, y):
        if joblib.effective_n_jobs(self.n_jobs) > 1:
            raise RuntimeError("the loops within a task are spread again")
        return super().fit(X, y)


def errors(metric, **options):
    check = overfitting_check(metric, X, Y, **OPTIONS, **options)
    return np.concatenate(
        [
            np.atleast_1d(check[name])
            for name in ("in_sample", "permuted", "held_out", "unsupervised")
        ]
    )


@mark.parametrize(
    "backend",
    [
        param("loky", marks=mark.slow),
        "threading",
        param("dask", marks=mark.slow),
    ],
)
def test_tasks_that_keep_all_workers_busy_do_not_spread_their_own_loops(
    backend, request
):
    expected = errors(ParzenFisher())
    if backend == "dask":
        request.getfixturevalue("cluster")
    with joblib.parallel_config(
        backend, **({} if backend == "dask" else {"n_jobs": 2})
    ):
        assert_array_equal(errors(SerialFisher(n_jobs=2)), expected)


def test_loops_of_the_metric_are_spread_where_the_tasks_are_not():
    with raises(RuntimeError, match="spread again"):
        errors(SerialFisher(n_jobs=2))


def inner(seed):
    """Distances by loops of their own."""
    A = X[seed::4]
    return GPFisher(beta=1.0, noise=0.5).fit(A, A[:, 0]).distances()


@mark.slow
def test_one_task_alone_spreads_its_own_loops(cluster):
    with joblib.parallel_config("dask"):
        for seed in range(2):
            [found] = results([joblib.delayed(inner)(seed)])
            assert_allclose(found, inner(seed), rtol=1e-12)
