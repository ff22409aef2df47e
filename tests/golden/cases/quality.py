"""Quality of maps, and neighbours in blocks."""

from functools import partial

import numpy as np

from toolkit.quality import r_nx

from ..harness import case, each
from ..inputs import INPUTS, quantity

PAIRS = {"toolkit.quality.BLOCK_PAIRS": 200}
PRECOMPUTED = {"metric": "precomputed", "given": "D Z"}

kept = partial(case, "quality.q_nx", given="X Z")
gain = partial(case, "quality.r_nx", given="X Z")
area = partial(case, "quality.log_area")
error = partial(case, "quality.knn_error")
nrmse = partial(case, "quality.knn_nrmse")
held_out = {"Z_new": "@Z_new", "given": "Z y", "y_new": "@y_new"}
far = {"metric": "precomputed", "Z_new": "@D_new"}


@quantity
def corners(Z):
    return Z[:3]


@quantity
def centers(Z, Y):
    return Y.T @ Z / Y.sum(0)[:, None]


@quantity
def line(t):
    """A poor map with ties."""
    return np.round(t, 1)[:, None]


@quantity
def curve(X, Z):
    return r_nx(X, Z)


def of_samples(model, X):
    graph = model.fit_transform(X)
    graph.setdiag(0)  # rounding
    return graph


def of_duplicates(model, X):
    """Of samples each of which stands there four times."""
    return model.fit_transform(np.repeat(X, 4, axis=0)).sum(1)


for measure in (kept, gain):
    measure(*INPUTS)
kept("three classes", "uneven", **PRECOMPUTED)
kept("uneven", given="X line")
kept("more features", metric="precomputed", given="blocks Z")
kept(lowered=PAIRS)
gain(n_samples=20, n_repeats=2, random_state=0)
gain(n_samples=12, n_repeats=3, random_state=1, **PRECOMPUTED)
area(*INPUTS, given="t")
area(given="curve")

error(*INPUTS, k=each(1, 3), given="Z y")
error("uneven", k=each(1, 4), given="X names")
error(k=7, given="X part")
error(metric="precomputed", given="D y")
error("uneven", metric="precomputed", k=2, given="D y")
error(**held_out)
error("uneven", k=5, **held_out)
error(k=3, y_new="@y_new", given="D y", **far)
nrmse(weights=each("distance", "uniform"), given="Z t")
nrmse("uneven", k=2, given="Z t")
nrmse("uneven", k=3, weights="uniform", given="X t")
nrmse("uneven", metric="precomputed", k=1, given="D t")
nrmse(k=3, y_new="@t_new", given="D t", **far)

for measure, more in (
    ("quality.nearest_label", {}),
    ("quality.nearest_label_accuracy", {"Y": "@Y"}),
):
    case(measure, label_points="@corners", given="Z", **more)
    case(
        measure,
        "three classes",
        "uneven",
        label_points="@centers",
        given="Z",
        **more,
    )

neighbors = partial(case, "neighbors.BlockNeighbors", taken=of_samples)
neighbors(*INPUTS, n_neighbors=4)
neighbors("uneven", n_neighbors=1)
neighbors(
    n_neighbors=4, lowered={"toolkit.neighbors.MOST_FEATURES_OF_A_TREE": 2}
)
neighbors(n_neighbors=5, taken=of_duplicates)
neighbors(
    "uneven",
    n_neighbors=2,
    lowered={"toolkit.neighbors.ROWS_PER_TASK": 50},
    taken=of_duplicates,
)
