"""Prototypes (LVQ) and large margin nearest neighbours (LMNN)."""

from functools import partial

import numpy as np

from toolkit.lmnn import target_neighbors
from toolkit.lvq import GMLVQ
from toolkit.lvq.cost import glvq_cost
from toolkit.lvq.training import TrainingSet

from ..harness import alone, case, each, estimator, reader
from ..inputs import INPUTS, fitted, quantity, wave

# of a dozen rows and less
BLOCKS = {"toolkit.core.scaling.row_blocks.__defaults__": (64,)}
PAIRS = {"toolkit.lmnn.PAIRS_PER_BLOCK": 200}
# of 30 features; the components and eigenvalues say the same
MATRICES = "lambda_ omega_"
TWICE = {"prototypes_per_class": 2, "random_state": 0}
DISTANCES = {"distances": "X_new"}

# The costs have kinks, at which a longer descent would amplify rounding.
glvq = partial(estimator, "lvq.GLVQ", max_iter=10)
gmlvq = partial(estimator, "lvq.GMLVQ", max_iter=10, skipped=MATRICES)
stochastic = partial(estimator, "lvq.GMLVQ", solver="sgd", max_iter=3)
rslvq = partial(estimator, "lvq.RSLVQ", max_iter=10)
lmnn = partial(estimator, "lmnn.LMNN", max_iter=10)


@quantity
def training(X, y):
    return TrainingSet.of(X, y)


@quantity
def starts(training, y, X, count: int):
    """Prototypes beside the class means, so many of each class, in the coordinates of the training samples."""
    inside = training.inside
    means = [inside(X[y == c]).mean(0) for c in np.unique(y)]
    noise = 0.1 * wave(len(means) * count, training.rank)
    return np.repeat(means, count, axis=0) + noise


@quantity
def codes(y, count: int):
    return np.repeat(np.unique(y), count)


@quantity
def no_matrix():
    return None


@quantity
def matrix(training, rows: int):
    return wave(1, rows, training.rank)


@quantity
def class_matrices(training, y, rows: int):
    return wave(y.max() + 1, rows, training.rank)


def with_gradient(model, X, y):
    """What a GLVQ or GMLVQ has found, and the gradient there.

    Where each first step of L-BFGS is taken, the path does not change with the length
    of the gradient.
    """
    found = TrainingSet.of(X, y)
    Omega = getattr(model, "omega_", None)
    if Omega is not None:
        Omega = (Omega if found.basis is None else Omega @ found.basis)[None]
    cost = glvq_cost(
        found, found.inside(model.prototypes_), model._w_codes, Omega
    )
    by_omega = None if Omega is None else cost.grad_omegas.sum(1)
    return (
        model.prototypes_,
        getattr(model, "components_", None),
        cost.value,
        cost.grad_W,
        by_omega,
    )


@quantity
def covariance(X):
    return np.cov(X.T)


def of_stages(model, X, y):
    return [(m.omega_, m.prototypes_) for m in model.snapshots(X, y, [2, 5])]


@reader
def with_metric(model, given, *like):
    """The metric without the first feature; prototypes may follow it."""
    Omega = model.components_ * (np.arange(model.n_features_in_) > 0)
    other = model.with_metric(
        Omega, **{name: model.components_ for name in like}
    )
    prototypes = getattr(other, "prototypes_", None)
    return (
        prototypes,
        other.transform(given["X_new"]),
        other.predict_proba(given["X_new"]),
    )


def history(model):
    return model.history_


@quantity
def start(X, rows: int):
    return 0.3 * wave(rows, X.shape[1]) / X.std(0)


@quantity
def targets(X, y):
    return target_neighbors(X, y, 3)


@quantity
def one_class(y):
    return 0 * y


for method in (glvq, gmlvq):
    method(*INPUTS, taken=with_gradient)
rslvq(*INPUTS)
for method in (glvq, gmlvq, rslvq):
    method(**TWICE)

glvq(prototypes_per_class={0: 3}, random_state=1)
glvq("uneven", after=DISTANCES, given="X names")
glvq("uneven", lowered=BLOCKS, **TWICE)
estimator("lvq.GLVQ", "uneven", tol=0.01)

estimator("lvq.GMLVQ")
alone(
    gmlvq,
    mu=each(0.001, 0.1),
    n_components=each(1, 3),
    given="X names",
    taken=of_stages,
)
gmlvq(rank=each(1, 2, 3), skipped="")
gmlvq(rank=2, mu=0.05)
gmlvq(scaled=True, n_components=3)
gmlvq("uneven", omega_init="random", random_state=3)
gmlvq(omega_init="random", rank=2, mu=0.01, random_state=4)
gmlvq(after=DISTANCES | {"explain": "X_new"}, skipped=f"{MATRICES} transform")
gmlvq(mu=0.01, lowered=BLOCKS)
gmlvq(
    "more features",
    rank=1,
    max_iter=5,
    lowered={"toolkit.core.linalg.LANCZOS_ABOVE": 20},
)
for method in (gmlvq, partial(lmnn, max_iter=5)):
    method(taken=with_metric())
gmlvq(taken=with_metric("like"))
stochastic(random_state=1, mu=0.1)
stochastic(random_state=2, mu=0.1, rank=2)
stochastic("uneven", eta=0.01, eta_w=0.1, **TWICE)
stochastic(max_iter=1, random_state=5, taken=of_stages)

estimator("lvq.RSLVQ", tol=0.03)
alone(rslvq, sigma2=2.0, given="X names", taken=history)
rslvq(max_iter=5, lowered=BLOCKS, **TWICE)


cost = partial(case, "lvq.cost.glvq_cost")
cost(
    "uneven",
    given=each(
        "training starts:2 codes:2 no_matrix",
        "training starts:2 codes:2 matrix:2",
    ),
)
cost(
    lowered=BLOCKS,
    given=each(
        "training starts:1 codes:1 matrix:4",
        "training starts:2 codes:2 class_matrices:2",
    ),
)
case("lvq.final_gradient_matrix", model=fitted(GMLVQ(max_iter=8, mu=0.001)))
case("lvq.weak_penalty_matrix", mu=each(0.0, 0.01), given="covariance")
case("lvq.stationary_matrix", mu=0.5, rank=2, given="covariance")

lmnn("more features", "uneven", skipped="lambda_ components_")
estimator("lmnn.LMNN", tol=0.05)
alone(lmnn, rank=each(1, 2), push=0.1)
alone(
    partial(lmnn, "uneven", max_iter=5),
    n_neighbors=each(1, 6),
    push=0.9,
    lowered=PAIRS,
)
margin = partial(case, "lmnn.margin_cost", push=0.4)
margin("uneven", given="X start:4 y targets")
margin(lowered=PAIRS, given="X start:5 y targets")
neighbors = partial(case, "lmnn.target_neighbors")
neighbors(*INPUTS, k=3, given="X y")
neighbors(
    k=1,
    given="X one_class",
    lowered={"toolkit.core.graphs.ROWS_PER_SEARCH": 10},
)
neighbors(
    "uneven",
    k=2,
    given="X halves",
    lowered={"toolkit.core.graphs.BLOCK_ENTRIES": 100},
)
