"""How large the tasks of the heavy loops are, and what each of them sends: `tasks.md`.

Each loop runs as it does in use, on data of a size at which it takes a while, under a
backend of joblib that does its tasks one after the other in this process, takes their
time and counts their bytes. What tasks share (`Shared`, arrays above a megabyte under
loky) counts separately: it goes to each worker once.
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
from joblib.parallel import ParallelBackendBase
from problems import digits_like
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

    supports_retrieve_callback = True
    supports_return_generator = True

    def __init__(self, **options):
        super().__init__(**options)
        self.tasks = []
        self.shared = {}
        self.worker = ThreadPoolExecutor(1)

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
        seconds = (time.perf_counter() - start) / len(func)
        self.tasks += [(seconds, size / len(func)) for _ in range(len(func))]
        return result

    def retrieve_result_callback(self, out):
        return out.result()


class _Weigher(cloudpickle.Pickler):
    def __init__(self, file, size_of_shared):
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.size_of_shared = size_of_shared

    def persistent_id(self, part):
        is_large = isinstance(part, np.ndarray) and part.nbytes > SHARED_FROM
        if not is_large and not isinstance(part, Shared):
            return None
        number = id(part)
        if number not in self.size_of_shared:
            self.size_of_shared[number] = len(cloudpickle.dumps(part))
            weakref.finalize(part, _count_gone, self.size_of_shared, number)
        return number


def _count_gone(size_of_shared, number):
    """Another object may get the number of one that is gone."""
    gone = size_of_shared.get("gone", 0)
    size_of_shared["gone"] = gone + size_of_shared.pop(number)


def squared_residuals(X, y):
    design = np.column_stack([X, np.ones(len(X))])
    coefficients = np.linalg.lstsq(design, y, rcond=None)[0]
    return float(np.sum((y - design @ coefficients) ** 2))


def neighbours():
    X, y = digits_like(20_000)
    fisher = ParzenFisher(n_centers=500, random_state=0).fit(X, y)
    fisher.knn_distances(n_neighbors=30)


def decision_map():
    model = SVC().fit(SCORES, NAMES)
    DecisionMap.from_map(model, SCORES, PLANE, NAMES, grid=200)


def permutations():
    fisher = ParzenFisher()
    X, y = SCORES[::2], NAMES[::2]
    overfitting_check(fisher, X, y, n_permutations=5, random_state=0)


def weighted_errors():
    y = np.where(np.arange(600) % 3, -1, NAMES[:600])
    importance_weighted_cv(SCORES[:600], y, random_state=0)


def bounds():
    w = LinearRegression().fit(A, B).coef_
    relevance_bounds(w, A, null_space=3)


def null_space():
    model = LinearRegression().fit(A[:300], B[:300])
    choose_null_space(model, A[:300], B[:300], A[300:], B[300:])


def linear_transfer():
    SharedLinearEmbedding().fit(SCORES[::2], SCORES[1::2])


def kernel_transfer():
    SharedKernelEmbedding().fit(SCORES[:600:2], SCORES[1:600:2])


LOOPS = {
    "Fisher neighbours of 20,000 samples": neighbours,
    "Fisher lines, 1,797 samples": lambda: (
        ParzenFisher().fit(SCORES, NAMES).distances()
    ),
    "GP lines, 442 samples": lambda: GPFisher().fit(A, B).distances(),
    "`overfitting_check`, 899 samples": permutations,
    "`DecisionMap`, grid of 200 x 200": decision_map,
    "`relevance_bounds`, 442 x 10": bounds,
    "`generic_bounds`, 442 x 10": lambda: generic_bounds(
        A, B, squared_residuals
    ),
    "`choose_null_space`, 300 x 10": null_space,
    "`forward_relevance`, 1,797 x 30": lambda: forward_relevance(SCORES, PLANE),
    "`q_nx`, 1,797 samples": lambda: q_nx(SCORES, PLANE),
    "`importance_weighted_cv`, 600 samples": weighted_errors,
    "`SharedLinearEmbedding`, 899 samples": linear_transfer,
    "`SharedKernelEmbedding`, 300 samples": kernel_transfer,
}


def weigh(call):
    """Cells of the table: tasks, median and longest milliseconds, kB of a task, MB shared."""
    backends = []

    def backend(**options):
        backends.append(Weighing(**options))
        return backends[-1]

    joblib.register_parallel_backend("weighing", backend)
    with joblib.parallel_config("weighing", n_jobs=2):
        call()
    tasks = np.array([task for backend in backends for task in backend.tasks])
    milliseconds = 1e3 * tasks[:, 0]
    kilobytes = tasks[:, 1] / 1e3
    shared = sum(sum(backend.shared.values()) for backend in backends)
    return [
        f"{len(tasks)}",
        f"{np.median(milliseconds):.3g}",
        f"{milliseconds.max():.3g}",
        f"{np.median(kilobytes):.3g}",
        f"{shared / 1e6:.3g}",
    ]


def main():
    lines = [
        "# How large tasks are",
        "",
        "By `python benchmarks/task_sizes.py`, in one process with one thread. A task costs Dask about "
        f"{1e3 * overhead():.1f} ms on this machine (tasks that do nothing, two workers).",
        "",
        "| loop | tasks | ms, median | ms, longest | kB a task | MB shared |",
        "|---|---|---|---|---|---|",
    ]
    for name, call in LOOPS.items():
        line = f"| {name} | {' | '.join(weigh(call))} |"
        lines.append(line)
        print(line, flush=True)
    page = Path(__file__).with_name("tasks.md")
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def overhead():
    """Seconds that a task which does nothing takes of two workers."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    )
    with cluster, Client(cluster), joblib.parallel_config("dask"):
        run = joblib.Parallel()
        run(joblib.delayed(abs)(1) for _ in range(100))
        start = time.perf_counter()
        run(joblib.delayed(abs)(1) for _ in range(1000))
        return (time.perf_counter() - start) / 1000


if __name__ == "__main__":
    main()
