"""How large the tasks of the heavy loops are, and what each of them sends: `tasks.md`.

Each loop runs as it does in use, on data of a size at which it takes a while, under a
backend of joblib that does its tasks one after the other in this process, takes their
time and counts their bytes. What tasks share (`Shared`, arrays above a megabyte under
loky) counts apart: it goes to each worker once.
"""

import io
import pickle
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cloudpickle
import joblib
import numpy as np
from bench_large import digits_like
from joblib.parallel import ParallelBackendBase
from sklearn.datasets import load_diabetes, load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC

from toolkit.bounds import choose_null_space, generic_bounds, relevance_bounds
from toolkit.core.progress import Shared
from toolkit.decisionmap import DecisionMap
from toolkit.discriminant import importance_weighted_cv
from toolkit.fisher import GPFisher, ParzenFisher, overfitting_check
from toolkit.quality import q_nx
from toolkit.relevance import forward_relevance
from toolkit.transfer import SharedKernelEmbedding, SharedLinearEmbedding

SHARED_FROM = 2**20  # bytes of an array that loky maps into memory
A, B = load_diabetes(return_X_y=True)
DIGITS, NAMES = load_digits(return_X_y=True)
SCORES = PCA(30).fit_transform(DIGITS)
PLANE = SCORES[:, :2]


class Weighing(ParallelBackendBase):
    """One thread that does what two workers would; keeps seconds and bytes of each task, and bytes of shared parts."""

    supports_retrieve_callback = supports_return_generator = True

    def __init__(self, **options):
        super().__init__(**options)
        self.tasks, self.shared, self.worker = [], {}, ThreadPoolExecutor(1)

    def effective_n_jobs(self, n_jobs):
        return 2

    def submit(self, func, callback=None):
        file = io.BytesIO()
        _Weigher(file, self.shared).dump(func)
        future = self.worker.submit(self._timed, func, file.tell())
        future.add_done_callback(callback)
        return future

    def _timed(self, func, size):
        start = time.perf_counter()
        result = func()
        self.tasks += [
            ((time.perf_counter() - start) / len(func), size / len(func))
        ] * len(func)
        return result

    def retrieve_result_callback(self, out):
        return out.result()


class _Weigher(cloudpickle.Pickler):
    def __init__(self, file, shared):
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.known = shared

    def persistent_id(self, part):
        if isinstance(part, Shared) or (
            isinstance(part, np.ndarray) and part.nbytes > SHARED_FROM
        ):
            if id(part) not in self.known:
                self.known[id(part)] = len(cloudpickle.dumps(part))
                weakref.finalize(part, _count_gone, self.known, id(part))
            return id(part)
        return None


def _count_gone(known, number):
    """Another object may get the number of one that is gone."""
    known["gone"] = known.get("gone", 0) + known.pop(number)


def criterion(X, y):
    design = np.column_stack([X, np.ones(len(X))])
    return float(
        np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2)
    )


def neighbours():
    X, y = digits_like(20_000)
    ParzenFisher(n_centers=500, random_state=0).fit(X, y).knn_distances(
        n_neighbors=30
    )


def decision_map():
    DecisionMap.from_map(
        SVC().fit(SCORES, NAMES), SCORES, PLANE, NAMES, grid=200
    )


def permuted():
    overfitting_check(
        ParzenFisher(),
        SCORES[::2],
        NAMES[::2],
        n_permutations=5,
        random_state=0,
    )


def weighted():
    y = np.where(np.arange(600) % 3, -1, NAMES[:600])
    importance_weighted_cv(SCORES[:600], y, random_state=0)


def null_space():
    parts = A[:300], B[:300], A[300:], B[300:]
    choose_null_space(LinearRegression().fit(*parts[:2]), *parts)


LOOPS = {
    "Fisher neighbours of 20,000 samples": neighbours,
    "Fisher lines, 1,797 samples": lambda: (
        ParzenFisher().fit(SCORES, NAMES).distances()
    ),
    "GP lines, 442 samples": lambda: GPFisher().fit(A, B).distances(),
    "`overfitting_check`, 899 samples": permuted,
    "`DecisionMap`, grid of 200 x 200": decision_map,
    "`relevance_bounds`, 442 x 10": lambda: relevance_bounds(
        LinearRegression().fit(A, B).coef_, A, null_space=3
    ),
    "`generic_bounds`, 442 x 10": lambda: generic_bounds(A, B, criterion),
    "`choose_null_space`, 300 x 10": null_space,
    "`forward_relevance`, 1,797 x 30": lambda: forward_relevance(SCORES, PLANE),
    "`q_nx`, 1,797 samples": lambda: q_nx(SCORES, PLANE),
    "`importance_weighted_cv`, 600 samples": weighted,
    "`SharedLinearEmbedding`, 899 samples": lambda: SharedLinearEmbedding().fit(
        SCORES[::2], SCORES[1::2]
    ),
    "`SharedKernelEmbedding`, 300 samples": lambda: SharedKernelEmbedding().fit(
        SCORES[:600:2], SCORES[1:600:2]
    ),
}


def weighed(call):
    """Number of tasks, their median and longest milliseconds, kilobytes of a task, megabytes that they share."""
    made = []

    def backend(**options):
        made.append(Weighing(**options))
        return made[-1]

    joblib.register_parallel_backend("weighing", backend)
    with joblib.parallel_config("weighing", n_jobs=2):
        call()
    tasks = [task for one in made for task in one.tasks]
    shared = sum(size for one in made for size in one.shared.values())
    seconds, sizes = zip(*tasks, strict=True)
    return (
        len(tasks),
        1e3 * np.median(seconds),
        1e3 * max(seconds),
        np.median(sizes) / 1e3,
        shared / 1e6,
    )


def main():
    lines = [
        "# How large tasks are",
        "",
        "By `python benchmarks/bench_tasks.py`, in one process with one thread. A task costs Dask about "
        f"{1e3 * overhead():.1f} ms on this machine (tasks that do nothing, two workers).",
        "",
        "| loop | tasks | ms, median | ms, longest | kB a task | MB shared |",
        "|---|---|---|---|---|---|",
    ]
    for name, call in LOOPS.items():
        number, median, longest, size, shared = weighed(call)
        lines.append(
            f"| {name} | {number} | {median:.3g} | {longest:.3g} | {size:.3g} | {shared:.3g} |"
        )
        print(lines[-1], flush=True)
    Path(__file__).with_name("tasks.md").write_text(
        "\n".join(lines) + "\n", encoding="utf-8"
    )


def overhead():
    """Seconds that a task which does nothing takes of two workers."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        with joblib.parallel_config("dask"):
            run = joblib.Parallel()
            run(joblib.delayed(abs)(1) for _ in range(100))
            start = time.perf_counter()
            run(joblib.delayed(abs)(1) for _ in range(1000))
            return (time.perf_counter() - start) / 1000


if __name__ == "__main__":
    main()
