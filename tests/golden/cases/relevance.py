"""Relevance of features for a map, and beside noise."""

from functools import partial

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

from toolkit.bounds import relevance_bounds
from toolkit.relevance import NeRVRelevance
from toolkit.relevance.cost import Neighborhoods

from ..harness import alone, case, each, every
from ..inputs import INPUTS, quantity, wave

BLOCKS = {"toolkit.relevance.cost.CACHE_ENTRIES": 200}


@quantity
def importance(rows):
    return rows % 3


@quantity
def small(scaled):
    return scaled / 10


@quantity
def line_weights(X):
    return 1 + 0.5 * wave(X.shape[1])


@quantity
def omega(X, rows: int):
    return wave(rows, X.shape[1])


@quantity
def neighborhoods(small, Z, percent: int):
    return Neighborhoods(small, Z / np.abs(Z).max(), 6.0, percent / 100)


# Longer descents amplify rounding.
few = {
    "max_iter": 4,
    "n_neighbors": 5,
    "given": "X Z",
    "taken": "relevances_ history_ rows_ sigma_",
}
for name in ("relevance.NeRVRelevance", "relevance.NeRVMetric"):
    case(name, given="X Z", skipped="cost_")
    method = partial(case, name, **few)
    method("three classes", "more features")
    method("uneven", given="scaled Z")
    method("uneven", max_samples=15, random_state=0, given="scaled Z")
    alone(
        method,
        gamma=each(0, 1),
        delta=each(0.1, 10),
        given="X Z importance",
        lowered=BLOCKS,
    )
weights = partial(case, "relevance.NeRVRelevance", **few)
weights(max_samples=10, random_state=1, given="X Z importance")
weights("uneven", n_neighbors=2.5, given="scaled Z")
case(
    "relevance.NeRVRelevance",
    tol=0.05,
    given="X Z",
    taken="relevances_ history_",
)

diagonal = partial(
    case,
    "relevance.cost.diagonal_energy",
    delta=0.3,
    given="line_weights small neighborhoods:40",
)
energy = partial(
    case,
    "relevance.cost.energy",
    delta=0.3,
    given="omega:3 small neighborhoods:40",
)
diagonal(*INPUTS)
energy(*INPUTS, given="omega:2 small neighborhoods:40")
energy(delta=0.0)
diagonal(lowered=BLOCKS)
energy("uneven", lowered=BLOCKS, given="omega:4 small neighborhoods:40")

for name in ("relevance.forward_relevance", "relevance.backward_relevance"):
    selection = partial(case, name, given="X Z")
    selection(*INPUTS, taken=every(8))
    selection("more features", n_neighbors=[1, 10])
    selection("uneven", n_neighbors=[2, 9], max_samples=12, random_state=0)
    selection("uneven", n_neighbors=[3, 30], n_jobs=2)
    selection(n_neighbors=5)
    selection(
        n_neighbors=[3, 30],
        lowered={"toolkit.relevance.selection.BLOCK_PAIRS": 200},
    )


def by_program(X, y):
    return relevance_bounds(LinearRegression().fit(X, y), X, null_space=4)


def by_norms(X, y):
    """One value each, of a data frame with its shadows or an array."""
    A = np.asarray(X, float)
    products = (A - A.mean(0)).T @ (y - y.mean())
    return np.abs(products) / len(A)


LEVELS = "lower upper level noise alpha"
KINDS = {"kinds": ""}
measured = partial(
    case, "relevance.relevance_evidence", n_repeats=6, random_state=0, X="@scaled", y="@t", taken=LEVELS,
    after=KINDS,
)  # fmt: skip
ridge = partial(measured, measure=Ridge())
ridge(*INPUTS)
ridge("uneven", alpha=0.3)
measured(measure=by_norms, n_repeats=None, taken="level upper")
measured(measure=by_program)
measured("uneven", measure=RidgeClassifier(), y="@y")
measured(measure=NeRVRelevance(5, max_iter=2), y="@Z", n_repeats=4)
