"""The Fisher metric of classes, kernels, regressions and models."""

from functools import partial

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from toolkit.discriminant import FDA
from toolkit.embed import MDS
from toolkit.fisher import GPFisher, KernelFisher, ModelFisher, ParzenFisher
from toolkit.lvq import RSLVQ

from ..harness import case, each, estimator, reader
from ..inputs import INPUTS, fitted, quantity

BLOCKS = {
    "toolkit.fisher.paths.ENTRIES_AT_ONCE": 64,
    "toolkit.fisher.paths.PAIR_ENTRIES": 32,
}
PROCESS = {"beta": 0.1, "noise": 0.05}
NEIGHBORS = "toolkit.fisher.neighbors."
TILES = {NEIGHBORS + "TILE_ROWS": 8, NEIGHBORS + "PAIRS_MEASURED_AT_ONCE": 16}
PAIRS = {
    NEIGHBORS + "PAIR_COST": 0,
    NEIGHBORS + "ENTRIES_AT_ONCE": 200,
    **TILES,
}

usual = partial(estimator, "fisher.ParzenFisher")
parzen = partial(usual, perplexity=8)
# so that all weights between two samples vanish
narrow = partial(usual, bandwidth=0.03)
process = partial(estimator, "fisher.GPFisher", given="X t")
gp = partial(process, **PROCESS)
kernel = partial(estimator, "fisher.KernelFisher", given="S y", perplexity=8)
model = partial(estimator, "fisher.ModelFisher", given="X y")
check = partial(
    case,
    "fisher.overfitting_check",
    X="@X",
    y="@y",
    random_state=0,
    n_permutations=2,
    n_splits=3,
)

# Fitted in closed form: a descent would amplify rounding.
linear = fitted(LinearDiscriminantAnalysis())
shrunken = fitted(LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5))
robust = fitted(RSLVQ(2, sigma2=4.0, max_iter=3, random_state=0))


@reader
def pairs(model, given, path):
    """Distances of a few samples, and of new ones, by a path."""
    results = {"distances": model.distances(given["X"], path=path)[::6]}
    if path != "graph":
        results["new"] = model.distances(
            given["X"], given["X_new"][:3], path=path
        )
    return results


def matrices(model, X_new):
    return model.matrix(X_new[:4])


def graph_to_others(model, X_new, X):
    """Distances through the graph, of new samples to a few training samples and among each other."""
    new = X_new[:6]
    return [
        model.distances(*samples, path="graph")
        for samples in ((new, X[::6]), (new,))
    ]


@reader
def neighbors(model, given, key="X"):
    """The graph of neighbours, and how many pairs were measured for it."""
    return {
        "graph": model.knn_distances(given[key], 3),
        "fraction": model.knn_fraction_,
    }


def nearest(model, X):
    return model.knn_distances(X, 3)


def factors(model, X_new):
    return model.factors(X_new)[::3, :, :8]


@quantity
def indefinite(blocks):
    """Similarities that belong to distances of no Euclidean space."""
    D = blocks**2
    means = D.mean(0)
    centred = D - D.mean(1, keepdims=True) - means + means.mean()
    S = -0.5 * centred
    return (S + S.T) / 2


def of_indefinite(model):
    return model.negative_fraction_, model.distances()[::9]


@quantity
def many(X):
    """So many samples that some of them decide on the bandwidth: each five times, moved a little."""
    n, d = X.shape
    wave = np.sin(1.0 + np.arange(5 * n * d)).reshape(-1, d)
    shift = 0.1 * wave * X.std(0)
    return np.tile(X, (5, 1)) + shift


@quantity
def many_classes(y):
    return np.tile(y, 5)


def similarities(model, S):
    return model.distances(S)[::6]


def matrix(model, S_new):
    return model.matrix(S_new)[0, ::6]


ANSWERS = {"taken": "bandwidth_", "after": {"predict_proba": "X_new"}}
for path in ("line", "graph", "local"):
    parzen(*INPUTS, taken=pairs(path))
    gp(taken=pairs(path))
    model(model=linear, taken=pairs(path), given="X")
parzen(lam=0.2, taken=matrices)
parzen(*INPUTS, taken=matrices)
parzen(*INPUTS, taken=nearest)
usual(lam=0.1, bandwidth=1.5, taken=pairs("line"))
narrow(taken=pairs("line"))
usual("uneven", bandwidth=1.0, taken=pairs("line"))
parzen(lowered=BLOCKS, taken=pairs("line"))
parzen(n_centers=9, random_state=0, taken=pairs("line"))
parzen("uneven", n_centers=0.5, random_state=0, **ANSWERS)
usual(
    "more features", n_centers=6, bandwidth=2.0, random_state=1, taken=factors
)
usual(*INPUTS, **ANSWERS)
parzen(given="X names", **ANSWERS)
parzen("three classes", "uneven", taken=factors)
parzen(lowered={"toolkit.fisher.base.ENTRIES_KEPT": 100}, taken=factors)
for lowered in ({}, TILES, PAIRS):
    parzen(lam=0.1, lowered=lowered, taken=neighbors())
for lowered in (TILES, PAIRS, BLOCKS):
    parzen(lowered=lowered, taken=neighbors())
some = {
    "toolkit.fisher.parzen.ALL_ROWS": 100,
    "toolkit.fisher.parzen.SOME_ROWS": 100,
}
usual(lowered=some, given="many many_classes", **ANSWERS)

DENSITY = {
    "taken": "beta_ noise_ alpha_",
    "after": {"predictive_density": "X_new"},
}
gp(taken=matrices)
gp(lam=0.2, taken=matrices)
gp(lam=0.1, taken=pairs("local"))
gp(lowered={"toolkit.fisher.gp.PRODUCTS_AT_ONCE": 10**6}, taken=pairs("line"))
parzen(taken=graph_to_others)
gp(taken=graph_to_others)
gp(**DENSITY)
process("uneven", beta=1e-5, noise=0.05, **DENSITY)
process("uneven", beta=1e-5, noise=0.1, taken=pairs("line"))
process(*INPUTS, **DENSITY)
process(beta=0.01, **DENSITY)

KERNEL_ANSWERS = {"taken": "bandwidth_", "after": {"predict_proba": "S_new"}}
kernel(indefinite="clip", taken=similarities)
kernel(lam=0.1, taken=similarities)
wide = partial(estimator, "fisher.KernelFisher", given="S y")
wide(bandwidth=0.5, taken=similarities)
wide(*INPUTS, **KERNEL_ANSWERS)
kernel(n_centers=9, random_state=0, **KERNEL_ANSWERS)
kernel(
    indefinite=each("clip", "none"), given="indefinite y", taken=of_indefinite
)
kernel(lam=0.2, taken=matrix)
for lowered in ({}, PAIRS):
    kernel(lam=0.1, lowered=lowered, taken=neighbors("S"))

PROBABILITIES = {"taken": "classes_", "after": {"predict_proba": "X_new"}}
model(model=linear, taken=matrices)
model(model=linear, lam=0.1, taken=pairs("line"))
model("more features", model=shrunken, taken=pairs("line"))
for taken in (pairs("line"), factors):
    model(model=robust, taken=taken)
model(model=each(LinearDiscriminantAnalysis(), GaussianNB()), **PROBABILITIES)

line = MDS(1, metric="precomputed")
check("three classes", "uneven", metric=ParzenFisher(perplexity=5))
check("more features", metric=ParzenFisher(lam=0.1))
check(metric=ParzenFisher(perplexity=5), n_neighbors=3)
check("uneven", metric=FDA(1))
check(metric=FDA(2), embedder=line)
check(metric=GPFisher(**PROCESS), n_neighbors=2, embedder=line, y="@t")
check(metric=KernelFisher(perplexity=5), X="@S")
check(metric=ModelFisher(LinearDiscriminantAnalysis()))
