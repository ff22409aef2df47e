"""Kernel maps of new samples, and the way back."""

from functools import partial

from toolkit.fisher import GPFisher, ParzenFisher

from ..harness import each, estimator
from ..inputs import INPUTS, quantity

BLOCKS = {"toolkit.kernelmap.forward.BLOCK_ENTRIES": 100}
# Errors by a metric: conjugate gradients go on down to rounding, as they may stop one
# step sooner or later.
SOLVED = {"toolkit.kernelmap.inverse.RELATIVE_TOLERANCE": 1e-14}
WINDOW = ParzenFisher(perplexity=8)


@quantity
def window(X, y):
    return WINDOW.fit(X, y)


@quantity
def window_with_lam(X, y):
    return ParzenFisher(perplexity=8, lam=0.1).fit(X, y)


@quantity
def process(X, t):
    return GPFisher(beta=0.1, noise=0.05).fit(X, t)


@quantity
def matrices(X, window):
    return window.matrix(X)


forward = partial(estimator, "kernelmap.KernelMap", given="X Z")
centers = partial(forward, n_centers=9, random_state=0)
distances = partial(
    forward,
    metric="precomputed",
    given="D Z",
    taken="coefficients_ bandwidth_",
    after={"transform": "D_new"},
)
forward(*INPUTS)
forward(lowered=BLOCKS)
forward("three classes", "uneven", bandwidth="rule")
forward("uneven", bandwidth=0.5, widths="own")
forward("uneven", n_centers=5, random_state=3)
forward(bandwidth=0.01)
forward(bandwidth=10.0, cutoff=0.01)
forward(
    bandwidth=1.0, cutoff=1e-4, taken="bandwidth_", after={"transform": "X_new"}
)
centers(cutoff=0.0)
centers(given="X t")
distances("three classes", "uneven")
distances(widths="own")

inverse = partial(
    estimator,
    "kernelmap.InverseMap",
    given="X Z",
    taken="centers_",
    after={"inverse_transform": "Z_new"},
)
by = partial(inverse, n_centers=6, lowered=SOLVED)
inverse("three classes", "more features", taken="centers_ mean_")
inverse("uneven", taken="mean_")
for options in ({"n_centers": 5}, {"lam": 0.1, "bandwidth": 2.0}):
    inverse(taken="mean_", **options)
inverse(n_centers=36)
inverse(bandwidth=0.3)
inverse(lowered=BLOCKS, taken="mean_")
by("three classes", "uneven", given="X Z window")
by(lam=0.01, given="X Z window")
by(lam=0.0, given="X Z window_with_lam")
by(given=each("X Z process", "X Z matrices"))
