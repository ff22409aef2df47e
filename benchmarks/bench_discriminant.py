"""SELF: cost of a beta, pairs as products against pairs written out, many samples, and peak memory.

The log-log slopes are those of scatter matrices and eigenproblem with the local scales
given.
"""

import time
import tracemalloc

import numpy as np
from timing import timed

from toolkit.core.graphs import local_scales, local_scaling
from toolkit.datasets import make_hidden_moons
from toolkit.discriminant import SELF
from toolkit.discriminant.maps import leading_directions
from toolkit.discriminant.scatter import (
    local_class_scatters,
    local_scatters,
    pair_scatter,
)


def literal(W, X):
    """1/2 sum_ij W_ij (x_i - x_j)(x_i - x_j)^T with all n x n x d differences."""
    differences = X[:, None] - X
    return (
        np.einsum("ij,ijk,ijl->kl", W, differences, differences, optimize=True)
        / 2
    )


def from_scales(scales, moons):
    S = zip(
        local_class_scatters(moons.data, moons.target, scales),
        local_scatters(moons.data, scales),
        strict=True,
    )
    return leading_directions(*[(a + b) / 2 for a, b in S], 2, 1e-6)


def main():
    moons = make_hidden_moons(1000, 20, random_state=0)
    fit, peak = timed(lambda: SELF().fit(moons.data, moons.target))
    fitted, betas = SELF().fit(moons.data, moons.target), np.linspace(0, 1, 21)
    sweep, _ = timed(lambda: fitted.path(betas))
    A = local_scaling(moons.data)
    scales = local_scales(moons.data)
    products, product_peak = timed(lambda: pair_scatter(moons.data, scales))
    written_out, literal_peak = timed(lambda: literal(A, moons.data), 1)
    print("n = 1,000, d = 20")
    print(
        f"  fit {1000 * fit:.0f} ms ({peak / 1e6:.0f} MB), another beta {1000 * sweep / len(betas):.1f} ms"
    )
    print(
        f"  one scatter matrix as products {1000 * products:.1f} ms ({product_peak / 1e6:.1f} MB), pairs written out "
        f"{1000 * written_out:.0f} ms ({literal_peak / 1e6:.0f} MB): {written_out / products:.0f} times faster"
    )
    sizes = [500, 1000, 2000, 4000, 8000]
    costs = []
    for n in sizes:
        more = make_hidden_moons(n, random_state=0)
        scales = local_scales(more.data)
        costs.append(timed(lambda s=scales, more=more: from_scales(s, more))[0])
    slope = np.polyfit(np.log(sizes), np.log(costs), 1)[0]
    print(f"  n = {sizes[0]:,} to {sizes[-1]:,}: log-log slope {slope:.2f}")

    n = 50_000
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 50)) * np.where(np.arange(50) < 3, 3, 1)
    y = np.where(
        rng.uniform(size=n) < 0.02,
        (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0),
        -1,
    )
    start = time.perf_counter()
    SELF().fit(X, y)
    print(f"n = 50,000, d = 50: {time.perf_counter() - start:.1f} s")
    tracemalloc.start()
    SELF().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    print(
        f"  peak {peak / X.nbytes:.1f} x X; an n x n array would be {8 * n * n / 1e9:.0f} GB"
    )
    tracemalloc.stop()


if __name__ == "__main__":
    main()
