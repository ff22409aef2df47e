"""Relevance bounds: seconds and peak memory, against the programs as the thesis prints them, (4.18) and (4.19).

The literal form has 2D + 1 constraints on D + (D - I) variables and three programs a
feature. It is timed on some features, for as long as BUDGET allows, because with many
features and much slack one program may take minutes. Both times are from the same run,
one process unless said otherwise. Memory is that of the arrays in Python, without the
solver's own copies. The whole takes one to two minutes.
"""

import sys
import time
import tracemalloc

import numpy as np
from scipy.optimize import linprog
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from timing import timed

from toolkit.bounds import generic_bounds, relevance_bounds
from toolkit.datasets import load_or_substitute

BUDGET = 5.0
"""Seconds for the literal form of one problem."""


def literal(w, V, mu, features, budget=BUDGET):
    """Bounds (2, k) of the first k features for which the seconds suffice: alpha free, new variables for |w|."""
    d, m = V.shape
    end = time.perf_counter() + budget

    def solve(c, A, b):
        left = max(0.1, end - time.perf_counter())
        found = linprog(c, A, b, bounds=limits, options={"time_limit": left})
        if found.status == 1 or time.perf_counter() > end:
            raise TimeoutError
        return found

    above = np.block([[-np.eye(d), V], [-np.eye(d), -V]])
    A, b = (
        np.vstack([np.append(np.ones(d), np.zeros(m)), above]),
        np.concatenate([[mu], -w, w]),
    )
    limits, bounds = [(0, None)] * d + [(None, None)] * m, []
    for j in features:
        upper = 0.0
        try:
            lower = solve(np.eye(d + m)[j], A, b).fun
            for sign in (1.0, -1.0):
                row = np.append(np.zeros(d), sign * V[j])
                found = solve(
                    -row, np.vstack([A, -row]), np.append(b, sign * w[j])
                )
                if found.status == 0:
                    upper = max(upper, sign * w[j] - found.fun)
        except TimeoutError:
            break
        bounds.append((lower, upper))
    return np.array(bounds).reshape(-1, 2).T


def once(call):
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def peak(call):
    tracemalloc.start()
    call()
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


def compare(name, w, X, kept, slack, n_literal):
    d = X.shape[1]
    V = np.linalg.svd(X - X.mean(axis=0))[2][kept:].T
    features = np.linspace(0, d - 1, n_literal).astype(int)
    bounds, seconds = once(
        lambda: relevance_bounds(w, X, d - kept, slack, n_jobs=1)
    )
    two, seconds_two = once(
        lambda: relevance_bounds(w, X, d - kept, slack, n_jobs=2)
    )
    assert np.array_equal(bounds.upper, two.upper)
    as_printed, seconds_literal = once(
        lambda: literal(w, V, slack * bounds.mu, features)
    )
    done = as_printed.shape[1]
    at_least = "" if done else "more than "
    seconds_literal *= d / max(1, done)
    size = peak(lambda: relevance_bounds(w, X, d - kept, slack, n_jobs=1))
    size_literal = peak(
        lambda: literal(w, V, slack * bounds.mu, features[:1], 1.0)
    )
    print(f"{name}: {d} features, {kept} directions kept, slack {slack}")
    print(
        f"  {seconds:.2f} s ({size / 1e6:.1f} MB), two processes {seconds_two:.2f} s; literal {at_least}"
        f"{seconds_literal:.1f} s ({size_literal / 1e6:.1f} MB, {done} features timed): {at_least}"
        f"{seconds_literal / seconds:.1f} times faster, memory 1/{size_literal / size:.1f}"
    )
    if done:
        apart = np.abs(
            np.array([bounds.lower, bounds.upper])[:, features[:done]]
            - as_printed
        ).max()
        print(
            f"  largest difference {apart / bounds.upper.max():.1e} of the largest bound, gap {bounds.gap:.1e}"
        )
    else:
        print(
            f"  not compared: no feature in {BUDGET:g} s of the literal form; gap {bounds.gap:.1e}"
        )
    sys.stdout.flush()


def smooth_spectra(n=120, d=256, random_state=0):
    """Sums of broad bands of random strength and a little noise."""
    rng = np.random.default_rng(random_state)
    at, centres = np.linspace(0, 1, d), np.linspace(0, 1, 12)
    bands = np.exp(-0.5 * ((at - centres[:, None]) / 0.08) ** 2)
    return rng.normal(size=(n, 12)) @ bands + 1e-3 * rng.normal(size=(n, d))


def main():
    X, y = load_diabetes(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    w = LinearRegression().fit(X, y).coef_

    def everything():
        relevance_bounds(w, X, 2), generic_bounds(X, y)

    seconds, size = timed(everything)
    print(
        f"diabetes, all bounds (linear, generic): {seconds:.2f} s ({size / 1e6:.1f} MB)"
    )
    for name, call in (
        ("linear", lambda: relevance_bounds(w, X, 2)),
        ("generic", lambda: generic_bounds(X, y)),
    ):
        print(f"  {name} {timed(call)[0]:.3f} s")
    relevance_bounds(w, X, 2, n_jobs=2)  # starts the processes
    compare("diabetes", w, X, 8, 1.1, 10)

    tecator = load_or_substitute("tecator")
    sets = {"tecator": tecator[0].data, "smooth spectra": smooth_spectra()}
    for name, X in sets.items():
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        w = np.random.default_rng(0).normal(size=X.shape[1])
        for slack in (1.01, 1.1):
            compare(name, w, X, 9, slack, min(X.shape[1], 20))


if __name__ == "__main__":
    main()
