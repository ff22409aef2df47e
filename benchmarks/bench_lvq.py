"""GMLVQ: Landsat to convergence, products against a loop over samples, growth with n and prototypes, peak memory."""

import time
import tracemalloc

import numpy as np
from sklearn.preprocessing import StandardScaler
from timing import timed

from toolkit.datasets import load
from toolkit.lvq import GMLVQ, RSLVQ
from toolkit.lvq.cost import glvq_cost
from toolkit.lvq.training import TrainingSet


def looped(X, codes, W, w_codes, Omega):
    """Cost (6) and gradients (4), (8) sample by sample."""
    value, grad_W, grad_Omega = 0.0, np.zeros_like(W), np.zeros_like(Omega)
    for x, c in zip(X, codes, strict=True):
        differences = x - W
        d = np.sum((differences @ Omega.T) ** 2, axis=1)
        J, K = (
            np.where(w_codes == c, d, np.inf).argmin(),
            np.where(w_codes == c, np.inf, d).argmin(),
        )
        total = d[J] + d[K]
        value += (d[J] - d[K]) / total
        for L, factor in ((J, 2 * d[K] / total**2), (K, -2 * d[J] / total**2)):
            outer = np.outer(differences[L], differences[L])
            grad_Omega += 2 * factor * Omega @ outer
            grad_W[L] -= 2 * factor * Omega.T @ (Omega @ differences[L])
    return value / len(X), grad_W / len(X), grad_Omega / len(X)


def made(n, d=36, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 6
    return rng.normal(size=(n, d)) + 2 * rng.normal(size=(6, d))[y], y


def evaluation(n, p, d=36):
    X, y = made(n, d)
    samples, w_codes = TrainingSet.of(X, y), np.repeat(np.arange(6), p // 6)
    W = np.random.default_rng(1).normal(size=(p, d))
    Omega = np.eye(d)[None] / np.sqrt(d)
    return lambda: glvq_cost(samples, W, w_codes, Omega)


def main():
    landsat = load("landsat")
    X, y = (
        StandardScaler().fit_transform(landsat.data.astype(float)),
        landsat.target,
    )
    print("Landsat, 6,435 x 36, to convergence")
    for name, model in (
        ("one prototype a class", GMLVQ()),
        ("three", GMLVQ(3, random_state=0)),
        ("three, mu = .1", GMLVQ(3, mu=0.1, random_state=0)),
        ("one, rank 2", GMLVQ(rank=2)),
        ("RSLVQ, one", RSLVQ()),
    ):
        seconds, peak = timed(lambda model=model: model.fit(X, y), 2)
        print(
            f"  {name}: {seconds:.2f} s, {model.n_iter_} iterations, {peak / X.nbytes:.1f} x the data at most"
        )

    codes = np.unique(y, return_inverse=True)[1]
    samples = TrainingSet.of(X, codes)
    for p in (6, 18):
        w_codes = np.repeat(np.arange(6), p // 6)
        W, Omega = np.random.default_rng(0).normal(size=(p, 36)), np.eye(36) / 6
        ours, _ = timed(
            lambda W=W, w=w_codes, O=Omega: glvq_cost(samples, W, w, O[None]), 5
        )
        start = time.perf_counter()
        value = looped(samples.inside(X), codes, W, w_codes, Omega)[0]
        loop = time.perf_counter() - start
        assert (
            abs(value - glvq_cost(samples, W, w_codes, Omega[None]).value)
            < 1e-10
        )
        print(
            f"  cost and gradient, {p} prototypes: {1000 * ours:.1f} ms, {loop / ours:.0f} times a loop"
        )

    sizes = [10_000, 20_000, 40_000, 80_000]
    slope = np.polyfit(
        np.log(sizes),
        np.log([timed(evaluation(n, 12), 5)[0] for n in sizes]),
        1,
    )[0]
    print(f"  n = 10,000 to 80,000: log-log slope of an iteration {slope:.2f}")
    counts = [6, 24, 96, 384]
    times = [timed(evaluation(20_000, p), 3)[0] for p in counts]
    slopes = np.diff(np.log(times)) / np.diff(np.log(counts))
    print(f"  prototypes {counts}: slopes {slopes.round(2).tolist()}")
    print(
        f"  {times[-1] / times[0]:.0f} times the time for {counts[-1] // counts[0]} times as many prototypes"
    )

    X, y = made(200_000)
    tracemalloc.start()
    start = time.perf_counter()
    model = GMLVQ(max_iter=200).fit(X, y)
    seconds, peak = (
        time.perf_counter() - start,
        tracemalloc.get_traced_memory()[1],
    )
    print(
        f"  n = 200,000 x 36: {seconds:.1f} s for {model.n_iter_} iterations, peak {peak / 1e6:.0f} MB beside the "
        f"{X.nbytes / 1e6:.0f} MB of data"
    )


if __name__ == "__main__":
    main()
