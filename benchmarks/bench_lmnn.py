"""LMNN: products against a loop over triples, whole fits, growth with n, peak memory."""

import time

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from timing import timed

from toolkit.lmnn import LMNN, margin_cost, target_neighbors


def looped(X, Omega, codes, targets, push):
    """Cost and gradient triple by triple."""
    value, G = 0.0, np.zeros((X.shape[1], X.shape[1]))
    for i, row in enumerate(targets):
        others = np.flatnonzero(codes != codes[i])
        for j in row[row >= 0]:
            pull = np.outer(X[i] - X[j], X[i] - X[j])
            near = np.sum((Omega @ (X[i] - X[j])) ** 2)
            value += (1 - push) * near
            G += (1 - push) * pull
            for other in others:
                excess = 1 + near - np.sum((Omega @ (X[i] - X[other])) ** 2)
                if excess > 0:
                    value += push * excess
                    G += push * (
                        pull - np.outer(X[i] - X[other], X[i] - X[other])
                    )
    return value, 2 * Omega @ G


def made(n, d=50, classes=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    return rng.normal(size=(n, d)) + 0.6 * rng.normal(size=(classes, d))[y], y


def main():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    targets = target_neighbors(X, y, 3)
    model = LMNN().fit(X, y)
    for name, Omega in (
        ("at the start", np.eye(30) / 4),
        ("at the end", model.components_),
    ):
        ours, _ = timed(lambda O=Omega: margin_cost(X, O, y, targets, 0.5), 5)
        start = time.perf_counter()
        value, gradient = looped(X, Omega, y, targets, 0.5)
        loop = time.perf_counter() - start
        cost, *_, active, ours_gradient = margin_cost(X, Omega, y, targets, 0.5)
        assert abs(cost / value - 1) < 1e-10
        assert np.allclose(
            ours_gradient, gradient, atol=1e-8 * np.abs(gradient).max()
        )
        print(
            f"  cost and gradient, 569 x 30, {name}, {active} active triples: {1000 * ours:.1f} ms, "
            f"{loop / ours:.0f} times a loop"
        )

    for name, model in (("full rank", LMNN()), ("rank 2", LMNN(rank=2))):
        seconds, peak = timed(lambda model=model: model.fit(X, y), 2)
        print(
            f"  breast cancer, {name}: {seconds:.2f} s, {model.n_iter_} iterations, "
            f"{peak / X.nbytes:.0f} x the data at most"
        )

    A, a = made(2000)
    seconds, peak = timed(lambda: LMNN().fit(A, a), 1)
    print(
        f"  n = 2,000 x 50, five classes: {seconds:.1f} s, peak {peak / 1e6:.0f} MB"
    )

    sizes, times = [1000, 2000, 4000, 8000], []
    for n in sizes:
        A, a = made(n)
        near = target_neighbors(A, a, 3)
        times.append(
            timed(
                lambda A=A, a=a, near=near: margin_cost(
                    A, 2 * np.eye(50), a, near, 0.5
                ),
                3,
            )
        )
    slope = np.polyfit(np.log(sizes), np.log([t for t, _ in times]), 1)[0]
    print(
        f"  n = 1,000 to 8,000, few active: log-log slope of an evaluation {slope:.2f}, "
        f"peaks {[round(peak / 1e6) for _, peak in times]} MB"
    )


if __name__ == "__main__":
    main()
