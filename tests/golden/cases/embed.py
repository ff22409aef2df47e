"""Maps of samples, in vectors and in distances."""

import numpy as np
from scipy.spatial.distance import cdist

from toolkit.embed.affinities import affinities, log_affinities, neighbor_widths

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


# Cost and gradient of NeRV at a fixed map.
NERV_STATE = {
    "log_p": Made(lambda given: log_affinities(squared(given["X"]), widths(given), rows(given))),
    "squared": Made(lambda given: squared(given["Z"])),
    "sigma": Made(widths),
    "own": Made(rows),
}
SMALL = {"perplexity": 5, "max_iter": 251, "init": Made(lambda given: given["Z"]), "random_state": 0}

CASES = [
    *[Case(f"nerv cost and gradient, gamma {gamma}", "embed.affinities.nerv_cost", {**NERV_STATE, "gamma": gamma}, "",
           taken=lambda result, given: {"cost": result[0], "slopes": result[1][::6]}) for gamma in (0.2, 0.5, 1.0)],
    Case("tsne divergence", "embed.affinities.divergence",
         {"P": Made(lambda given: affinities(squared(given["X"]), 5)), "Z": "@Z"}, ""),
    Case("tsne gradient", "embed.affinities.divergence_gradient",
         {"P": Made(lambda given: affinities(squared(given["X"]), 5)), "Z": "@Z"}, ""),
    Case("tsne", "embed.TSNE", SMALL, "X", **POSITIONS),
    Case("tsne, distances", "embed.TSNE", SMALL | {"metric": "precomputed"}, "D", **POSITIONS),
    Case("parametric tsne", "embed.ParametricTSNE", {"perplexity": 5, "hidden": (8,), "max_iter": 2, "random_state": 0},
         "X", **POSITIONS),
    *[Case(f"{key}, {input}", name, options, "X", input, **POSITIONS)
      for key, (name, options) in STARTS.items() for input in INPUTS if (key, input) != ("nerv", "uneven")],
    # There the first steps of NeRV are too short to notice a gradient that is slightly longer: its gradient is stored.
    Case("nerv cost and gradient, uneven", "embed.affinities.nerv_cost", NERV_STATE, "", "uneven",
         taken=lambda result, given: {"cost": result[0], "slopes": result[1][::6]}),
    *[Case(f"{key}, distances", name, {**options, "metric": "precomputed"}, "D", **POSITIONS)
      for key, (name, options) in STARTS.items() if key != "mvu"],
    Case("mvu, distances", "embed.MVU", {"n_neighbors": 9, "rank": 3, "max_iter": 1, "metric": "precomputed"}, "D",
         **POSITIONS),
    *[Case(f"{key}, {words}", STARTS[key][0], {**STARTS[key][1], **more}, "X", **POSITIONS)
      for key, words, more in OPTIONS],
]  # fmt: skip
