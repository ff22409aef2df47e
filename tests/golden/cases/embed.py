"""Maps of samples, in vectors and in distances."""

from functools import partial

import numpy as np
import scipy.sparse
from scipy.spatial.distance import cdist
from sklearn.manifold import _t_sne
from sklearn.neighbors import kneighbors_graph

from toolkit.embed.affinities import affinities, log_affinities, neighbor_widths, nerv_cost
from toolkit.embed.mvu import _incidence
from toolkit.embed.parametric import forward, starting_layers

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]

# Methods, and options with which they are stable: those that amplify rounding stop after a few iterations.
STARTS = {
    "mds": ("embed.MDS", {}),
    "mds stress": ("embed.MDS", {"criterion": "stress", "max_iter": 20}),
    "isomap": ("embed.Isomap", {"n_neighbors": 6}),
    "mvu": ("embed.MVU", {"n_neighbors": 4, "max_iter": 3}),
    "som": ("embed.SOM", {"grid": (4, 3), "max_iter": 10}),
    "gtm": ("embed.GTM", {"grid": (5, 5), "basis": (3, 3), "max_iter": 10}),
    "nerv": ("embed.NeRV", {"max_iter": 3, "perplexity": 5}),
}
OPTIONS = [
    ("mds", "components 3", {"n_components": 3}),
    ("mds stress", "components 1", {"n_components": 1}),
    ("isomap", "components 3", {"n_components": 3}),
    ("isomap", "neighbours 3", {"n_neighbors": 3}),
    ("mvu", "rank 5", {"rank": 5}),
    ("som", "grid of its own", {"grid": None}),
    ("som", "radius, no interpolation", {"radius": (2.0, 0.5), "interpolate": False}),
    ("gtm", "ridge and width", {"ridge": 0.1, "width": 2.0}),
    ("nerv", "recall only", {"gamma": 1.0}),
    ("nerv", "precision only", {"gamma": 0.0}),
]
POSITIONS = {"taken": lambda model, given: {"embedding": model.embedding_}}


def squared(X):
    return cdist(X, X) ** 2


def rows(given):
    return np.arange(len(given["X"]))


def widths(given):
    return neighbor_widths(squared(given["X"]), 5, rows(given))


def of(*names):
    """What a fitted model says in these attributes."""
    return lambda model, given: {name: getattr(model, f"{name}_") for name in names}


def nearest(given, n_neighbors):
    """Sparse distances to the nearest others; an edge in one direction stands in both."""
    graph = kneighbors_graph(given["X"], n_neighbors, mode="distance", include_self=False)
    return graph.maximum(graph.T)


def near_and_next(given):
    """Sparse distances to the nearest two and to the next sample, which connects all of them."""
    X, n = given["X"], len(given["X"])
    lengths = np.linalg.norm(X - np.roll(X, -1, axis=0), axis=1)
    ring = scipy.sparse.csr_matrix((lengths, (rows(given), np.roll(rows(given), -1))), shape=(n, n))
    return nearest(given, 2).maximum(ring).maximum(ring.T)


def of_graph(make, *names):
    """The same of a fit to the distances to some neighbours alone."""

    def numbers(model, given):
        return of(*names)(model.set_params(metric="precomputed").fit(make(given)), given)

    return numbers


def of_city_blocks(model, given):
    """Of a fit to distances of no Euclidean space."""
    model.fit(cdist(given["X"], given["X"], "cityblock"))
    names = ("embedding_", "eigenvalues_", "stress_")
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def of_outlier(model, given):
    """Of a fit to samples the first of which lies far away."""
    far = np.where(rows(given)[:, None] == 0, 40 * np.abs(given["X"]).max(), given["X"])
    return {"embedding": model.fit(far).embedding_}


def of_grid(model, given):
    """What a map on a grid says of its nodes, of new samples and of positions."""
    names = ["quantization_error_", "topographic_error_", "u_matrix_", "winners_"]
    names += ["modes_", "beta_", "dimension_", "log_likelihood_", "history_"]
    found = {name: getattr(model, name) for name in names if hasattr(model, name)}
    found["coefficients"] = model.coefficients_[::7]
    found["new"] = model.transform(given["X_new" if model.prototypes_ is not None else "D_new"])
    if model.prototypes_ is not None:
        found["prototypes"] = model.prototypes_[:, :5]
        found["back"] = model.inverse_transform(model.embedding_[::4] + 0.3)[:, :6]
    return found


def of_network(model, given):
    """Positions, weights, the cost and new positions of a network."""
    found = {"embedding": model.embedding_, "cost": model.kl_divergence_, "history": model.history_}
    return found | {"new": model.transform(given["X_new"]), "output": model.layers_[-2:]}


# Cost and gradient of NeRV at a fixed map.
NERV_STATE = {
    "log_p": Made(lambda given: log_affinities(squared(given["X"]), widths(given), rows(given))),
    "squared": Made(lambda given: squared(given["Z"])),
    "sigma": Made(widths),
    "own": Made(rows),
}
SMALL = {"perplexity": 5, "max_iter": 251, "init": Made(lambda given: given["Z"]), "random_state": 0}


def first_steps(*arguments, it, max_iter, **rest):
    return DESCENT(*arguments, it=it, max_iter=min(max_iter, it + 3), **rest)


# 251 steps amplify rounding, of single precision: three exaggerated steps and three others are taken.
DESCENT = _t_sne._gradient_descent
CUT_SHORT = {"sklearn.manifold._t_sne._gradient_descent": first_steps}
NETWORK = {"perplexity": 3, "hidden": (8,), "max_iter": 2, "random_state": 0}
GIVEN_MAP = {"init": "@Z"}
RANDOM = {"init": "random", "random_state": 0}
EDGES = {"n_neighbors": 4, "max_iter": 1}  # of MVU: less than one update of the multipliers
NODES = {"grid": (4, 3), "max_iter": 10}
SHEET = {"grid": (5, 5), "basis": (3, 3), "max_iter": 10}
NEW_SHEET = SHEET | {"max_iter": 3}  # of features of unequal scale more iterations amplify rounding
STRESS = {"criterion": "stress", "max_iter": 20}
FIRST_STEPS = {"max_iter": 3, "perplexity": 5}


def path_of_samples(given):
    """A ring of the samples in their order: the ends of its edges, and their lengths."""
    pairs = np.column_stack([rows(given), np.roll(rows(given), -1)])
    return pairs, np.linalg.norm(given["X"][pairs[:, 0]] - given["X"][pairs[:, 1]], axis=1)


def certificate_state(name):
    def make(given):
        pairs, lengths = path_of_samples(given)
        root = np.ones(len(given["X"]))
        state = {"B": _incidence(pairs, lengths, root), "weights": 1 + np.arange(len(pairs)) % 3}
        return (state | {"d": lengths, "flat": root / np.sqrt(len(root))})[name]

    return Made(make)


def few_rows(given):
    """Every third row of squared distances."""
    return squared(given["X"])[::3]


def every_third(given):
    return rows(given)[::3]


def layers(given):
    rng = np.random.default_rng(0)
    return starting_layers(given["X"] / np.abs(given["X"]).max(), given["Z"], [6, 4], rng)


def slopes(given):
    state = {key: option.make(given) for key, option in NERV_STATE.items()}
    return nerv_cost(**state)[1]


# Attributes beside the positions, and other data: (id, name, options, what is given, input, what is taken).
MORE = [
    *[(f"mds eigenvalues and stress, {input}", "embed.MDS", {}, "X", input, of("eigenvalues", "stress"))
      for input in INPUTS],
    ("mds, components 1", "embed.MDS", {"n_components": 1}, "X", "uneven",
     of("embedding", "eigenvalues", "stress")),
    ("mds, city blocks", "embed.MDS", {"n_components": 3}, "X", "three classes", of_city_blocks),
    ("mds stress, random start", "embed.MDS", STRESS | RANDOM, "X", "uneven", of("embedding", "stress")),
    ("mds stress, given start", "embed.MDS", STRESS | GIVEN_MAP, "X", "more features",
     of("embedding", "stress")),
    ("mds stress, components 3", "embed.MDS", STRESS | {"n_components": 3}, "X", "uneven", of("embedding")),
    ("mds stress, tolerance", "embed.MDS", STRESS | {"tol": 0.01}, "X", "three classes",
     of("embedding", "stress")),
    ("mds stress, city blocks", "embed.MDS", STRESS, "X", "three classes", of_city_blocks),
    *[(f"isomap default, {input}", "embed.Isomap", {}, "X", input,
       lambda model, given: {"eigenvalues": model.eigenvalues_, "distances": model.distances_[::7]})
      for input in INPUTS],
    ("isomap, components 1", "embed.Isomap", {"n_components": 1}, "X", "more features", of("embedding")),
    ("isomap, pieces are joined", "embed.Isomap", {"n_neighbors": 2}, "X", "uneven",
     of("embedding", "eigenvalues")),
    ("isomap, all are neighbours", "embed.Isomap", {"n_neighbors": 33}, "X", "uneven",
     of("embedding", "eigenvalues")),
    ("isomap, graph", "embed.Isomap", {"metric": "precomputed"}, "D", "three classes",
     of_graph(partial(nearest, n_neighbors=18), "embedding", "eigenvalues")),
    ("isomap, graph of few neighbours", "embed.Isomap", {"metric": "precomputed"}, "D", "more features",
     of_graph(near_and_next, "embedding", "eigenvalues")),
    ("mvu variance and bound", "embed.MVU", EDGES, "X", "three classes",
     of("variance", "bound", "gap", "violation", "eigenvalues")),
    ("mvu, random start", "embed.MVU", EDGES | RANDOM, "X", "three classes", of("embedding", "variance")),
    ("mvu, given start", "embed.MVU", EDGES | GIVEN_MAP, "X", "three classes", of("embedding", "variance")),
    ("mvu, components 1", "embed.MVU", EDGES | {"n_components": 1, "rank": 2}, "X", "more features",
     of("embedding")),
    ("mvu, components 3", "embed.MVU", EDGES | {"n_components": 3, "init": "pca"}, "X", "uneven",
     of("embedding")),
    ("mvu, pieces are joined", "embed.MVU", EDGES | {"n_neighbors": 2}, "X", "uneven",
     of("embedding", "variance")),
    ("mvu, graph", "embed.MVU", {"max_iter": 1, "metric": "precomputed", "random_state": 0}, "D",
     "more features",
     of_graph(partial(nearest, n_neighbors=18), "embedding", "variance")),
    ("som default grid and answers, uneven", "embed.SOM", {"max_iter": 10}, "X", "uneven",
     lambda model, given: {"grid": model.grid_, "u_matrix": model.u_matrix_,
                           "new": model.transform(given["X_new"])}),
    *[(f"som answers, {input}", "embed.SOM", NODES, "X", input, of_grid) for input in INPUTS],
    ("som answers, distances", "embed.SOM", NODES | {"metric": "precomputed"}, "D", "uneven", of_grid),
    ("som answers, no interpolation", "embed.SOM", NODES | {"interpolate": False}, "X", "three classes",
     lambda model, given: {"new": model.transform(given["X_new"]),
                           "back": model.inverse_transform(given["Z_new"])}),
    ("som, random start", "embed.SOM", NODES | RANDOM, "X", "three classes", of("embedding", "winners")),
    ("som, given start", "embed.SOM", NODES | GIVEN_MAP, "X", "more features", of("embedding", "winners")),
    ("som, one row", "embed.SOM", NODES | {"grid": (1, 6)}, "X", "three classes", of_grid),
    ("som, one column", "embed.SOM", NODES | {"grid": (6, 1)}, "X", "more features",
     of("embedding", "u_matrix")),
    ("som, small end radius", "embed.SOM", NODES | {"radius": (1.5, 0.1)}, "X", "three classes",
     of("embedding", "u_matrix", "quantization_error")),
    ("som, outlier", "embed.SOM", NODES, "X", "three classes", of_outlier),
    *[(f"gtm answers, {input}", "embed.GTM", NEW_SHEET, "X", input, of_grid) for input in INPUTS],
    ("gtm answers, distances", "embed.GTM", NEW_SHEET | {"metric": "precomputed"}, "D", "uneven", of_grid),
    ("gtm responsibilities", "embed.GTM", SHEET, "X", "three classes",
     lambda model, given: {"responsibilities": model.responsibilities_[::6]}),
    ("gtm default grid, few iterations", "embed.GTM", {"max_iter": 3}, "X", "more features",
     of("embedding", "modes", "beta", "history")),
    ("gtm, city blocks", "embed.GTM", SHEET | {"metric": "precomputed"}, "D", "three classes",
     of_city_blocks),
    ("gtm, dimension", "embed.GTM", SHEET | {"dimension": 5.0}, "X", "three classes",
     of("embedding", "beta", "history")),
    ("gtm, random start", "embed.GTM", SHEET | RANDOM, "X", "three classes", of("embedding", "history")),
    ("gtm, given start", "embed.GTM", NEW_SHEET | GIVEN_MAP, "X", "uneven", of("embedding", "history")),
    ("gtm, uneven grid and basis", "embed.GTM", NEW_SHEET | {"grid": (3, 7), "basis": (2, 4)}, "X", "uneven",
     of("embedding", "beta")),
    ("gtm, tolerance", "embed.GTM", SHEET | {"tol": 0.1}, "X", "more features", of("embedding", "history")),
    ("nerv cost and widths", "embed.NeRV", FIRST_STEPS, "X", "three classes", of("cost", "history", "sigma")),
    ("nerv default perplexity", "embed.NeRV", {"max_iter": 3}, "X", "more features",
     of("embedding", "sigma")),
    ("nerv, components 1", "embed.NeRV", FIRST_STEPS | {"n_components": 1}, "X", "more features",
     of("embedding")),
    ("nerv, components 3", "embed.NeRV", FIRST_STEPS | {"n_components": 3}, "X", "three classes",
     of("embedding")),
    ("nerv, given start", "embed.NeRV", FIRST_STEPS | GIVEN_MAP, "X", "three classes", of("embedding")),
    ("nerv, random start", "embed.NeRV", FIRST_STEPS | RANDOM, "X", "three classes", of("embedding")),
    *[(f"parametric tsne answers, {words}", "embed.ParametricTSNE", NETWORK | more, "X", input, of_network)
      for words, more, input in [
          ("three classes", {}, "three classes"),
          ("uneven", {}, "uneven"),
          ("components 1", {"n_components": 1}, "more features"),
          ("components 3, two layers", {"n_components": 3, "hidden": (6, 4)}, "three classes"),
          ("batches", {"batch_size": 12}, "three classes"),
          ("exaggeration and rate", {"max_iter": 7, "learning_rate": 1e-3}, "more features"),
      ]],
]  # fmt: skip

TSNES = [
    ("tsne", {}, "X", "three classes", of("embedding")),
    ("tsne, distances", {"metric": "precomputed"}, "D", "three classes", of("embedding")),
    ("tsne, start of its own", {"init": None}, "X", "three classes", of("embedding", "kl_divergence")),
    ("tsne, random start", {"init": "random"}, "X", "uneven", of("embedding", "kl_divergence")),
    ("tsne, default perplexity", {"perplexity": None}, "X", "more features",
     of("embedding", "kl_divergence")),
    ("tsne, components 1", {"n_components": 1, "init": None}, "X", "more features",
     of("embedding", "kl_divergence")),
    ("tsne, components 4", {"n_components": 4, "init": None}, "X", "three classes",
     of("embedding", "kl_divergence")),
    ("tsne, exaggeration", {"early_exaggeration": 4.0}, "X", "more features",
     of("embedding", "kl_divergence")),
    ("tsne, graph", {"metric": "precomputed"}, "D", "three classes",
     of_graph(partial(nearest, n_neighbors=16), "embedding", "kl_divergence")),
    ("tsne, graph, random start", {"metric": "precomputed", "perplexity": 3, "init": None}, "D", "uneven",
     of_graph(partial(nearest, n_neighbors=12), "embedding", "kl_divergence")),
]  # fmt: skip

# The parts of methods whose descents cannot be stored, or only their first steps.
PARTS = [
    ("tsne affinities, duplicates", "embed.affinities.affinities",
     {"squared": Made(lambda given: squared(given["X"])), "perplexity": 4}, "uneven",
     lambda P, given: P[::6]),
    ("tsne affinities, fewer neighbours than duplicates", "embed.affinities.affinities",
     {"squared": Made(lambda given: squared(np.repeat(given["X"][:8], 4, axis=0))), "perplexity": 2},
     "uneven",
     lambda P, given: P[::6]),
    ("tsne divergence and gradient of pairs", "embed.affinities.divergence_with_gradient",
     {"p": Made(lambda given: affinities(squared(given["X"]), 5)[np.triu_indices(len(given["X"]), 1)]),
      "entropy": 0.5, "Z": "@Z"}, "uneven", None),
    ("tsne gradient, exaggeration", "embed.affinities.divergence_gradient",
     {"P": Made(lambda given: affinities(squared(given["X"]), 5)), "Z": "@Z", "exaggeration": 4.0}, "uneven",
     None),
    ("nerv widths of some rows", "embed.affinities.neighbor_widths",
     {"squared": Made(few_rows), "perplexity": 5, "own": Made(every_third)}, "uneven", None),
    ("nerv widths, duplicates", "embed.affinities.neighbor_widths",
     {"squared": Made(lambda given: squared(np.vstack([given["X"][:1]] * 6 + [given["X"]]))),
      "perplexity": 4},
     "uneven", None),
    ("nerv affinities of some rows", "embed.affinities.log_affinities",
     {"squared": Made(few_rows), "sigma": Made(lambda given: widths(given)[::3]), "own": Made(every_third)},
     "three classes", lambda log_p, given: np.exp(log_p)[::2]),
    ("nerv cost, weights of rows", "embed.affinities.nerv_cost",
     NERV_STATE | {"weights": Made(lambda given: 1.0 + rows(given) % 3)}, "three classes",
     lambda result, given: {"cost": result[0], "slopes": result[1][::6]}),
    ("nerv gradient by positions", "embed.affinities.pull", {"Z": "@Z", "slopes": Made(slopes)},
     "three classes", None),
    ("nerv gradient by positions, some rows", "embed.affinities.pull",
     {"Z": "@Z", "slopes": Made(lambda given: slopes(given)[::3]), "own": Made(every_third)}, "three classes",
     None),
    *[(f"mvu bound of weights, {input}", "embed.mvu._certificate",
       {name: certificate_state(name) for name in ("B", "weights", "d", "flat")} | {"wanted": 0.0}, input,
       None)
      for input in ("three classes", "more features")],
    ("parametric tsne start", "embed.parametric.forward",
     {"layers": Made(layers), "X": Made(lambda given: given["X_new"] / np.abs(given["X"]).max())},
     "three classes",
     lambda outputs, given: outputs[1:]),
    ("parametric tsne gradient of weights", "embed.parametric.backward",
     {"layers": Made(layers), "G": Made(lambda given: (given["Z"] + 1) / len(given["Z"])),
      "outputs": Made(lambda given: forward(layers(given), given["X"] / np.abs(given["X"]).max()))},
      "three classes",
     None),
    ("large tsne neighbours by rank", "embed.large._by_rank", {"W": Made(lambda given: nearest(given, 6))},
     "uneven", None),
]  # fmt: skip

CASES = [
    *[Case(f"nerv cost and gradient, gamma {gamma}", "embed.affinities.nerv_cost",
           {**NERV_STATE, "gamma": gamma}, "",
           taken=lambda result, given: {"cost": result[0], "slopes": result[1][::6]}) for gamma in (0.2, 0.5,
                                                                                                    1.0)],
    Case("tsne divergence", "embed.affinities.divergence",
         {"P": Made(lambda given: affinities(squared(given["X"]), 5)), "Z": "@Z"}, ""),
    Case("tsne gradient", "embed.affinities.divergence_gradient",
         {"P": Made(lambda given: affinities(squared(given["X"]), 5)), "Z": "@Z"}, ""),
    *[Case(id, "embed.TSNE", SMALL | options, given, input, lowered=CUT_SHORT, taken=taken)
      for id, options, given, input, taken in TSNES],
    Case("parametric tsne", "embed.ParametricTSNE", {"perplexity": 5, "hidden": (8,), "max_iter": 2,
                                                     "random_state": 0},
         "X", **POSITIONS),
    *[Case(f"{key}, {input}", name, options, "X", input, **POSITIONS)
      for key, (name, options) in STARTS.items() for input in INPUTS if (key, input) != ("nerv", "uneven")],
    # There the first steps of NeRV are too short to notice a gradient that is slightly longer.
    Case("nerv cost and gradient, uneven", "embed.affinities.nerv_cost", NERV_STATE, "", "uneven",
         taken=lambda result, given: {"cost": result[0], "slopes": result[1][::6]}),
    *[Case(f"{key}, distances", name, {**options, "metric": "precomputed"}, "D", **POSITIONS)
      for key, (name, options) in STARTS.items() if key != "mvu"],
    Case("mvu, distances", "embed.MVU", {"n_neighbors": 9, "rank": 3, "max_iter": 1, "metric": "precomputed"},
         "D",
         **POSITIONS),
    *[Case(f"{key}, {words}", STARTS[key][0], {**STARTS[key][1], **more}, "X", **POSITIONS)
      for key, words, more in OPTIONS],
    *[Case(id, name, options, given, input, taken=taken) for id, name, options, given, input, taken in MORE],
    *[Case(id, name, options, "", input, taken=taken) for id, name, options, input, taken in PARTS],
    # What is done only for many samples.
    Case("isomap, paths in parts", "embed.Isomap", {"n_neighbors": 4}, "X",
         lowered={"toolkit.embed.isomap.SAMPLES_AT_ONCE": 10}, taken=of("embedding", "eigenvalues")),
    Case("tsne gradient, blocks of rows", "embed.affinities.divergence_gradient",
         {"P": Made(lambda given: affinities(squared(given["X"]), 5)), "Z": "@Z"}, "", "uneven",
         lowered={"toolkit.embed.affinities.CACHE_ENTRIES": 100}),
    # Few steps without a wait for the exaggerated ones, which amplify rounding.
    *[Case(f"large tsne, {words}", "embed.LargeTSNE", {"perplexity": 4, "max_iter": 6,
                                                       "random_state": 0} | options,
           given, lowered={"toolkit.embed.large.EXAGGERATED": 3}, needs="openTSNE", taken=taken)
      for words, options, given, taken in [
          ("first steps", {}, "X", of("embedding", "kl_divergence", "perplexity")),
          ("components 1", {"n_components": 1}, "X", of("embedding", "kl_divergence")),
          ("given start", {"init": "@Z"}, "X", of("embedding", "kl_divergence")),
          ("default perplexity", {"perplexity": None}, "X", of("embedding", "perplexity")),
          ("graph", {}, "X",
           of_graph(partial(nearest, n_neighbors=15), "embedding", "kl_divergence")),
          ("graph, random start", {"init": "random"}, "X",
           of_graph(partial(nearest, n_neighbors=15), "embedding", "kl_divergence")),
          ("exaggeration", {"init": "random", "early_exaggeration": 4.0}, "X",
           of("embedding", "kl_divergence")),
      ]],
]  # fmt: skip
