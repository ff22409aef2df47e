"""SLE-ML: against the dense problem in the same run, a change of lambda, growth with n, and peak memory.

With `pynndescent` installed (it is not among the requirements) n = 100,000 uses its
approximate search; without it, scikit-learn's exact tree. The log-log slopes are those
of the cost beyond the search of neighbours.
"""

import time
import tracemalloc

import numpy as np
import scipy.linalg
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.neighbors import KNeighborsTransformer
from timing import timed

from toolkit.eigenmaps import SLEML
from toolkit.eigenmaps.solver import eigenmap


class Ready(BaseEstimator):
    """A search of neighbours whose result is there already: what is left is the cost beyond it."""

    def __init__(self, graph=None):
        self.graph = graph

    def __sklearn_clone__(self):
        return self

    def fit_transform(self, X):
        return self.graph


def dense(graph, y, lam, pairs=None):
    """Both terms as n x n arrays and the dense generalised eigenproblem, for all pairs or for some."""
    W = lam * graph.toarray() + (1 - lam) * (y[:, None] == y)
    np.fill_diagonal(W, 0)
    D = np.diag(W.sum(axis=1))
    return scipy.linalg.eigh(
        D - W, D, subset_by_index=None if pairs is None else [0, pairs - 1]
    )


def problem(n, k=30):
    """A rolled sheet in 3-D with ten classes along it, and seven features of noise."""
    X, t = make_swiss_roll(n, noise=0.1, random_state=0)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(n, 7))])
    y = np.clip(((t - t.min()) / np.ptp(t) * 10).astype(int), 0, 9)
    return X, y, k


def approximate(k):
    try:
        from pynndescent import PyNNDescentTransformer
    except ImportError:
        return "exact tree", KNeighborsTransformer(
            n_neighbors=k, algorithm="kd_tree"
        )
    return "pynndescent", PyNNDescentTransformer(n_neighbors=k, random_state=0)


def main():
    X, y = load_digits(return_X_y=True)
    fit, peak = timed(lambda: SLEML().fit(X, y))
    sleml = SLEML().fit(X, y)
    solve, _ = timed(lambda: eigenmap(sleml.graph_, sleml._labels, 0.5, 2))
    literal, dense_peak = timed(lambda: dense(sleml.graph_, y, 0.5), 1)
    three, _ = timed(lambda: dense(sleml.graph_, y, 0.5, 3), 1)
    lams = np.linspace(0.05, 1, 20)
    sweep, _ = timed(lambda: sleml.path(lams))
    print("digits, n = 1,797, k = 270")
    print(
        f"  dense solve {literal:.2f} s, {three:.2f} s for three pairs only ({dense_peak / 1e6:.0f} MB)"
    )
    print(
        f"  our solve {solve:.3f} s: {literal / solve:.0f} times faster, {three / solve:.0f} times than three pairs"
    )
    print(
        f"  whole fit with the search of neighbours {fit:.3f} s ({peak / 1e6:.0f} MB)"
    )
    print(
        f"  change of lambda with the graph in place {1000 * sweep / len(lams):.0f} ms, mean of {len(lams)}"
    )

    sizes, costs = [2_500, 5_000, 10_000, 20_000], []
    print(
        f"{'n (k = 30)':>12} {'search s':>9} {'beyond s':>9} {'peak MB':>8} {'n x n MB':>9}"
    )
    for n in sizes:
        X, y, k = problem(n)
        start = time.perf_counter()
        graph = KNeighborsTransformer(n_neighbors=k).fit_transform(X)
        search = time.perf_counter() - start
        cost, peak = timed(
            lambda X=X, y=y, graph=graph: SLEML(
                neighbors=Ready(graph), keep_balance=True
            ).fit(X, y),
            2,
        )
        costs.append(cost)
        print(
            f"{n:12,} {search:9.2f} {cost:9.2f} {peak / 1e6:8.0f} {8 * n * n / 1e6:9.0f}"
        )
    slope = np.polyfit(np.log(sizes), np.log(costs), 1)[0]
    print(f"slope of the cost beyond the search, log-log: {slope:.2f}")

    X, y, k = problem(100_000, 15)
    name, search = approximate(k)
    # pynndescent compiles itself on first use, half a minute once a process
    search.fit_transform(X[:3000])
    start = time.perf_counter()
    sleml = SLEML(neighbors=search, keep_balance=True).fit(X, y)
    total = time.perf_counter() - start
    print(
        f"n = 100,000, k = 15, {name}: {total:.1f} s in all, residual {sleml.residual_:.0e}"
    )
    tracemalloc.start()
    SLEML(neighbors=search, keep_balance=True).fit(X, y)
    print(f"  peak {tracemalloc.get_traced_memory()[1] / 1e9:.2f} GB")
    tracemalloc.stop()


if __name__ == "__main__":
    main()
