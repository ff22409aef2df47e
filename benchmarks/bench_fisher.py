"""Fisher distances: products against a loop, growth with n, a Gaussian process, shortest paths, and peak memory."""

import time
import tracemalloc

import numpy as np
from timing import timed

from toolkit.fisher import GPFisher, ParzenFisher

THREADS = 2


def made(n, d=16, c=26, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % c
    return rng.normal(size=(n, d)) + 2 * rng.normal(size=(c, d))[y], y


def looped(X, y, sigma, pairs, T=4):
    """(2.18) with (2.20) at each point of each line, both directions; seconds for `pairs` lines."""
    classes = np.unique(y)

    def matrix(x):
        weights = np.exp(-np.sum((x - X) ** 2, axis=1) / (2 * sigma**2))
        sums = np.array([weights[y == c].sum() for c in classes])
        means = (
            np.array([weights[y == c] @ X[y == c] for c in classes])
            / sums[:, None]
        )
        b = means - weights @ X / weights.sum()
        return (b.T * (sums / weights.sum())) @ b / sigma**4

    start, lengths = time.perf_counter(), []
    for i, j in pairs:
        total = 0.0
        for a, b in ((X[i], X[j]), (X[j], X[i])):
            u = (b - a) / T
            total += sum(np.sqrt(u @ matrix(a + t * u) @ u) for t in range(T))
        lengths.append(total / 2)
    return time.perf_counter() - start, np.array(lengths)


def main():
    X, y = made(1500)
    for threads in (1, THREADS):
        fisher = ParzenFisher(1.5, n_jobs=threads).fit(X, y)
        seconds, peak = timed(fisher.distances, 2)
        print(
            f"n = 1,500, d = 16, 26 classes, 4 segments, {threads} thread(s): {seconds:.2f} s, "
            f"peak {peak / (8 * 1500**2):.1f} n x n arrays"
        )
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 1500, size=(60, 2))
    loop, lengths = looped(X, y, 1.5, pairs)
    D = fisher.distances()
    error = np.abs(D[pairs[:, 0], pairs[:, 1]] - lengths).max()
    print(
        f"  {loop / 60 * 1500 * 1499 / 2 / seconds:.0f} times a plain loop (60 lines timed), difference {error:.0e}"
    )

    sizes, times = [750, 1500, 3000], []
    for n in sizes:
        fisher = ParzenFisher(1.5, n_jobs=THREADS).fit(*made(n))
        times.append(timed(fisher.distances, 1)[0])
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print(
        f"  n = 750 to 3,000, all samples as centres: log-log slope {slope:.2f}"
    )
    times = []
    for n in sizes:
        fisher = ParzenFisher(1.5, n_centers=500, n_jobs=THREADS).fit(*made(n))
        times.append(timed(fisher.distances, 1)[0])
    print(
        f"  the same with 500 centres: {np.polyfit(np.log(sizes), np.log(times), 1)[0]:.2f}"
    )

    fisher = ParzenFisher(1.5, n_jobs=THREADS).fit(*made(5000))
    tracemalloc.start()
    start = time.perf_counter()
    fisher.distances()
    seconds, peak = (
        time.perf_counter() - start,
        tracemalloc.get_traced_memory()[1],
    )
    tracemalloc.stop()
    print(
        f"n = 5,000: {seconds:.1f} s, peak {peak / (8 * 5000**2):.1f} n x n arrays"
    )

    X, _ = made(500, d=10)
    gp = GPFisher(beta=0.05, noise=0.1, n_jobs=THREADS).fit(
        X, np.sin(X[:, 0]) + X[:, 1]
    )
    seconds, peak = timed(gp.distances, 1)
    print(
        f"Gaussian process, n = 500: {seconds:.1f} s, peak {peak / (8 * 500**2):.1f} n x n arrays"
    )
    start = time.perf_counter()
    ParzenFisher(1.5, n_jobs=THREADS).fit(*made(1500)).distances(path="graph")
    print(
        f"shortest paths, n = 1,500: {time.perf_counter() - start:.1f} s with the lines"
    )


if __name__ == "__main__":
    main()
