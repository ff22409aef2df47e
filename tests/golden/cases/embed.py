"""Maps of samples, in vectors and in distances."""

from functools import partial

import openTSNE
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

from toolkit.embed.affinities import (
    affinities,
    log_affinities,
    neighbor_widths,
    nerv_cost,
)

from ..harness import alone, case, each, estimator
from ..inputs import INPUTS, quantity

PLACES = "embedding_"
DISTANCES = {"metric": "precomputed", "given": "D"}

# Methods, and options with which they are stable: those that amplify rounding stop
# after a few iterations.
embedder = partial(estimator, given="X", taken=PLACES)
mds = partial(embedder, "embed.MDS")
isomap = partial(embedder, "embed.Isomap")
# less than one update of the multipliers
mvu = partial(embedder, "embed.MVU", n_neighbors=4, max_iter=1)
som = partial(embedder, "embed.SOM", grid=(4, 3), max_iter=10)
gtm = partial(embedder, "embed.GTM", grid=(5, 5), basis=(3, 3), max_iter=10)
# of features of unequal scale more iterations amplify rounding
sheet = partial(gtm, max_iter=3)
nerv = partial(embedder, "embed.NeRV", max_iter=3, perplexity=5)
network = partial(
    embedder, "embed.ParametricTSNE", perplexity=3, hidden=(8,), max_iter=2, random_state=0,
    taken="embedding_ kl_divergence_ history_", after={"transform": "X_new"},
)  # fmt: skip

# All steps together amplify rounding: three exaggerated ones and three others are taken.
OPTIMIZE = openTSNE.TSNEEmbedding.optimize


def first_steps(Z, n_iter, **options):
    return OPTIMIZE(Z, 3, **options)


tsne = partial(
    embedder, "embed.TSNE", perplexity=5, init="@Z", random_state=0,
    lowered={"openTSNE.TSNEEmbedding.optimize": first_steps},
)  # fmt: skip


@quantity
def nearest(X, n_neighbors: int):
    """Sparse distances to the nearest others; an edge in one direction stands in both."""
    graph = kneighbors_graph(
        X, n_neighbors, mode="distance", include_self=False
    )
    return graph.maximum(graph.T)


def distances(model):
    return model.eigenvalues_, model.distances_[::7]


def back_to_samples(model):
    return model.inverse_transform(model.embedding_[::4] + 0.3)[:, :6]


# What a map on a grid says of its nodes, and of new samples.
GRID = "modes_ beta_ dimension_ log_likelihood_ history_"
ON_GRID = {"taken": GRID, "after": {"transform": "X_new"}}
DISTANCES_ON_GRID = DISTANCES | {"taken": GRID, "after": {"transform": "D_new"}}


mds(*INPUTS, taken="embedding_ eigenvalues_")
for method in (
    partial(isomap, n_neighbors=6),
    partial(mvu, max_iter=3),
    som,
    gtm,
):
    method(*INPUTS)
nerv(taken="embedding_ cost_ history_ sigma_")
# the first steps of the other are too short to notice a longer gradient
nerv("more features")
for method in (mds, partial(isomap, n_neighbors=6), som, gtm, nerv):
    method(**DISTANCES)

mds(n_components=3, given=each("X", "blocks"))

isomap(*INPUTS, taken=distances)
isomap("more features", n_components=1)
isomap(n_components=3, n_neighbors=6)
isomap(n_neighbors=3)
# pieces are joined; all are neighbours
isomap("uneven", n_neighbors=each(2, 33))
isomap(metric="precomputed", given="nearest:18")

mvu(taken="variance_ bound_ gap_ violation_ eigenvalues_")
mvu(rank=5, max_iter=3)
mvu(n_neighbors=9, rank=3, **DISTANCES)
mvu("more features", n_components=1, rank=2)
mvu("uneven", n_components=3)
mvu("uneven", n_neighbors=2)

NODES = {"taken": "u_matrix_ winners_"}
som(*INPUTS, **ON_GRID | NODES)
som("uneven", **DISTANCES_ON_GRID | NODES)
som(radius=(2.0, 0.5), interpolate=False)
som(grid=(1, 6), **ON_GRID | NODES)
alone(som, grid=None, radius=(1.5, 0.1))
som("more features", grid=(6, 1))

sheet(*INPUTS, **ON_GRID)
sheet(taken=back_to_samples)
sheet("uneven", **DISTANCES_ON_GRID)
gtm(ridge=0.1, width=2.0)
gtm(dimension=5.0)
sheet("uneven", grid=(3, 7), basis=(2, 4))
gtm("more features", tol=0.1)

alone(nerv, gamma=each(0.0, 1.0), n_components=3)
nerv("more features", n_components=1)

network("three classes", "uneven")
network(perplexity=5, taken=PLACES, after={})
network(n_components=3, hidden=(6, 4))
network(batch_size=12)
network("more features", n_components=1)
network("more features", max_iter=7, learning_rate=1e-3)

tsne(taken="embedding_ kl_divergence_")
tsne(**DISTANCES)
alone(tsne, init=None)
tsne("uneven", init="random")
alone(tsne, "more features", perplexity=None, early_exaggeration=4.0)
tsne("more features", n_components=1, init=None)
tsne(n_components=3, init=None)
tsne(
    "uneven", metric="precomputed", perplexity=3, init=None, given="nearest:12"
)


# The parts of methods whose descents cannot be stored, or only their first steps.
@quantity
def widths(squared, rows):
    return neighbor_widths(squared, 5, rows)


@quantity
def log_p(squared, widths, rows):
    return log_affinities(squared, widths, rows)


@quantity
def squared_map(Z):
    return cdist(Z, Z) ** 2


@quantity
def slopes(log_p, squared_map, widths, rows):
    return nerv_cost(log_p, squared_map, widths, sample_of_row=rows)[1]


@quantity
def p(squared):
    return affinities(squared, 5)


def cost_and_slopes(result):
    return result[0], result[1][::6]


PARTS = "embed.affinities."
state = {
    "log_p": "@log_p",
    "squared": "@squared_map",
    "sigma": "@widths",
    "sample_of_row": "@rows",
}
cost = partial(case, PARTS + "nerv_cost", taken=cost_and_slopes, **state)
cost(gamma=each(0.2, 0.5, 1.0))
cost("uneven")
case(PARTS + "divergence", given="p Z")
gradient = partial(case, PARTS + "divergence_gradient", given="p Z")
gradient()
gradient(
    "uneven", lowered={"toolkit.embed.affinities.CACHE_ENTRIES_PER_BLOCK": 100}
)
case(PARTS + "position_gradient", given="Z slopes")
