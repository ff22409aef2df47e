"""Relevance of features for a map: weights and metric of 500 and 5,000 samples, selection.

The whole takes one to two minutes.
"""

import time
import tracemalloc

import numpy as np

from toolkit.quality import q_nx
from toolkit.relevance import (
    NeRVMetric,
    NeRVRelevance,
    backward_relevance,
    forward_relevance,
)

THREADS = 2


def measured(call, short=None):
    """Seconds, peak memory in MB (of another run, which measuring slows; it may be a short one) and the result."""
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    tracemalloc.start()
    (short or call)()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak / 1e6, result


def compare(X, Z):
    n = len(X)
    base = None
    for method in (NeRVRelevance, NeRVMetric):
        seconds, peak, model = measured(
            lambda: method(random_state=0).fit(X, Z),  # noqa: B023
            lambda: method(random_state=0, max_iter=2, tol=10.0).fit(X, Z),  # noqa: B023
        )
        base = base or seconds
        r = model.relevances_
        print(
            f"{method.__name__:13s} {n} x 32: {seconds:5.1f} s ({seconds / base:.1f} times the weights), "
            f"{model.n_iter_} steps, peak {peak:.0f} MB ({peak * 1e6 / (8 * n * n):.1f} n x n), "
            f"others at most {r[2:].max() / r[:2].min():.1e} of the two planted",
            flush=True,
        )
    start = time.perf_counter()
    q_nx(X, Z, n_jobs=THREADS)
    whole = time.perf_counter() - start
    for selection in (forward_relevance, backward_relevance):
        seconds, peak, _ = measured(
            lambda: selection(  # noqa: B023
                X, Z, max_samples=500, random_state=0, n_jobs=THREADS
            )
        )
        share = seconds / (32 * whole * 500 / n)
        print(
            f"{selection.__name__} {n} x 32, all k, 500 rows: {seconds:.1f} s, {share:.2f} of 32 times Q_NX of them, "
            f"peak {peak:.0f} MB",
            flush=True,
        )


def main():
    rng = np.random.default_rng(0)
    for n in (500, 5000):
        X = rng.normal(size=(n, 32))
        compare(X, X[:, :2] + 0.1 * rng.normal(size=(n, 2)))


if __name__ == "__main__":
    main()
