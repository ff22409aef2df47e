"""Quality of maps, and neighbours in blocks."""

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]


CORNERS = Made(lambda given: given["Z"][:3])

CASES = [
    *[Case(f"q_nx, {input}", "quality.q_nx", {}, "X Z", input) for input in INPUTS],
    *[Case(f"r_nx, {input}", "quality.r_nx", {}, "X Z", input) for input in INPUTS],
    Case("q_nx, distances", "quality.q_nx", {"metric": "precomputed"}, "D Z"),
    Case("r_nx, some samples", "quality.r_nx", {"n_samples": 20, "n_repeats": 2, "random_state": 0}, "X Z"),
    Case("q_nx, blocks", "quality.q_nx", {}, "X Z", lowered={"toolkit.core.ranks.BLOCK_PAIRS": 200}),
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
]  # fmt: skip
