"""Quality of maps, and neighbours in blocks."""

import numpy as np
from scipy.spatial.distance import cdist

from toolkit.quality import r_nx

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]

CORNERS = Made(lambda given: given["Z"][:3])
CENTERS = Made(lambda given: given["Y"].T @ given["Z"] / given["Y"].sum(axis=0)[:, None])
LINE = Made(lambda given: np.round(given["t"], 1)[:, None])  # a poor map with ties
BLOCKS = {"toolkit.quality.BLOCK_PAIRS": 200}
HELD_OUT = {"Z_new": "@Z_new", "y_new": "@y_new"}
FAR = {"metric": "precomputed", "Z_new": "@D_new"}
SOME = {"n_samples": 12, "n_repeats": 3, "random_state": 1}


def new_neighbors(model, given):
    return model.fit_transform(given["X"])


def of_duplicates(model, given):
    """Of samples each of which stands there four times."""
    return model.fit_transform(np.repeat(given["X"], 4, axis=0)).sum(axis=1)


def sums(model, given):
    """Sums of the distances, and of them times the number of the neighbour."""
    graph = model.fit_transform(given["X"])
    return {"sums": graph.sum(axis=1), "numbered": graph @ np.arange(1.0, 1 + graph.shape[1])}


# Functions by their name in ids, options, what is given, and the input.
MORE = [
    ("q_nx, line, uneven", "q_nx", {"Z": LINE}, "X", "uneven"),
    ("r_nx, line, three classes", "r_nx", {"Z": LINE}, "X", "three classes"),
    ("q_nx, distances, uneven", "q_nx", {"metric": "precomputed"}, "D Z", "uneven"),
    ("q_nx, city blocks", "q_nx", {"X": Made(lambda given: cdist(given["X"], given["X"], "cityblock")),
                                   "Z": "@Z",
                                   "metric": "precomputed"}, "", "more features"),
    ("r_nx, distances", "r_nx", {"metric": "precomputed"}, "D Z", "more features"),
    ("r_nx, line, some samples", "r_nx", SOME | {"Z": LINE}, "X", "uneven"),
    ("r_nx, some samples, distances", "r_nx", SOME | {"metric": "precomputed"}, "D Z", "three classes"),
    ("log area of neighbours kept", "log_area", {"R": Made(lambda given: r_nx(given["X"], given["Z"]))}, "",
     "three classes"),
    *[(f"knn error, names of classes, k {k}", "knn_error", {"k": k}, "X names", "uneven") for k in (1, 4)],
    ("knn error, distances, uneven, k 2", "knn_error", {"metric": "precomputed", "k": 2}, "D y", "uneven"),
    ("knn error, distances, held out", "knn_error", FAR | {"y_new": "@y_new", "k": 3}, "D y",
     "three classes"),
    ("knn error, held out, k 5", "knn_error", HELD_OUT | {"k": 5}, "Z y", "uneven"),
    ("knn error, many neighbours", "knn_error", {"k": 7}, "X part", "three classes"),
    *[(f"knn nrmse default, {input}", "knn_nrmse", {}, "X t", input)
      for input in ("more features", "uneven")],
    ("knn nrmse, uniform, k 3", "knn_nrmse", {"k": 3, "weights": "uniform"}, "X t", "uneven"),
    ("knn nrmse, distances", "knn_nrmse", {"metric": "precomputed"}, "D t", "three classes"),
    ("knn nrmse, distances, uneven, k 1", "knn_nrmse", {"metric": "precomputed", "k": 1}, "D t", "uneven"),
    ("knn nrmse, distances, held out", "knn_nrmse", FAR | {"y_new": "@t_new", "k": 3}, "D t",
     "three classes"),
    ("knn nrmse, held out, uniform, k 2", "knn_nrmse",
     {"Z_new": "@Z_new", "y_new": "@t_new", "k": 2, "weights": "uniform"}, "Z t", "more features"),
    *[(f"nearest label, centres, {input}", "nearest_label", {"label_points": CENTERS}, "Z", input)
      for input in ("three classes", "uneven")],
    *[(f"nearest label share, centres, {input}", "nearest_label_share", {"label_points": CENTERS, "Y": "@Y"},
       "Z", input)
      for input in ("three classes", "uneven")],
]  # fmt: skip
SEARCHES = [
    ("default", {}, {}, "more features", sums),
    ("one", {"n_neighbors": 1}, {}, "uneven", new_neighbors),
    ("blocks of rows", {"n_neighbors": 4}, {"toolkit.neighbors.ROWS_PER_TASK": 10}, "three classes",
     new_neighbors),
    ("all pairs", {"n_neighbors": 4}, {"toolkit.neighbors.MOST_FEATURES_OF_A_TREE": 2}, "three classes",
     new_neighbors),
    ("duplicates", {"n_neighbors": 5}, {}, "three classes", of_duplicates),
    ("fewer than duplicates", {"n_neighbors": 2}, {"toolkit.neighbors.ROWS_PER_TASK": 50}, "uneven",
     of_duplicates),
]  # fmt: skip

CASES = [
    *[Case(f"q_nx, {input}", "quality.q_nx", {}, "X Z", input) for input in INPUTS],
    *[Case(f"r_nx, {input}", "quality.r_nx", {}, "X Z", input) for input in INPUTS],
    Case("q_nx, distances", "quality.q_nx", {"metric": "precomputed"}, "D Z"),
    Case("r_nx, some samples", "quality.r_nx", {"n_samples": 20, "n_repeats": 2, "random_state": 0}, "X Z"),
    Case("q_nx, blocks", "quality.q_nx", {}, "X Z", lowered=BLOCKS),
    *[Case(f"log area, {input}", "quality.log_area", {"R": Made(lambda given: given["t"])}, "", input)
      for input in INPUTS],
    *[Case(f"knn error, k {k}, {input}", "quality.knn_error", {"k": k}, "Z y", input)
      for k in (1, 3) for input in INPUTS],
    Case("knn error, distances", "quality.knn_error", {"metric": "precomputed"}, "D y"),
    Case("knn error, held out", "quality.knn_error", {"Z_new": "@Z_new", "y_new": "@y_new"}, "Z y"),
    *[Case(f"knn nrmse, {weights}", "quality.knn_nrmse", {"weights": weights}, "Z t")
      for weights in ("distance", "uniform")],
    Case("knn nrmse, k 2, uneven", "quality.knn_nrmse", {"k": 2}, "Z t", "uneven"),
    Case("knn nrmse, held out", "quality.knn_nrmse", {"Z_new": "@Z_new", "y_new": "@t_new"}, "Z t"),
    Case("nearest label", "quality.nearest_label", {"label_points": CORNERS}, "Z"),
    Case("nearest label share", "quality.nearest_label_share", {"label_points": CORNERS, "Y": "@Y"}, "Z"),
    *[Case(f"block neighbours, {input}", "neighbors.BlockNeighbors", {"n_neighbors": 4}, "", input,
           taken=lambda model, given: model.fit_transform(given["X"])) for input in INPUTS],
    *[Case(id, f"quality.{name}", options, given, input) for id, name, options, given, input in MORE],
    *[Case(f"block neighbours, {words}", "neighbors.BlockNeighbors", options, "", input, lowered=lowered,
           taken=taken)
      for words, options, lowered, input, taken in SEARCHES],
    Case("q_nx, blocks, distances", "quality.q_nx", {"metric": "precomputed"}, "D Z", "uneven",
         lowered=BLOCKS),
]  # fmt: skip
