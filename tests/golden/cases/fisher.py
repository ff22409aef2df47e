"""The Fisher metric of classes, kernels, regressions and models."""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from toolkit.fisher import ParzenFisher

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]


def of_pairs(path, **options):
    """Distances of a few samples, and of new ones, by a path; matrices of new ones."""

    def numbers(model, given):
        found = {"distances": model.distances(given["X"], path=path, **options)[::6]}
        if path != "graph":
            found["new"] = model.distances(given["X"], given["X_new"][:3], path=path, **options)
        return found

    return numbers


def matrices(model, given):
    return model.matrix(given["X_new"][:4])


def neighbors(model, given):
    return model.knn_distances(given["X"], 3)


def of_similarities(model, given):
    return {"distances": model.distances(given["S"])[::6]}


def linear_model(given):
    """Fitted in closed form: a descent would amplify rounding."""
    return LinearDiscriminantAnalysis().fit(given["X"], given["y"])


LINEAR = Made(linear_model)
PARZEN, GP = "fisher.ParzenFisher", "fisher.GPFisher"
BLOCKS = {"toolkit.fisher.paths.ENTRIES_AT_ONCE": 64, "toolkit.fisher.paths.PAIR_ENTRIES": 32}
FEW = {"perplexity": 8}

CASES = [
    *[Case(f"parzen fisher, {path}, {input}", PARZEN, FEW, "X y", input, taken=of_pairs(path))
      for path in ("line", "graph", "local") for input in INPUTS],
    *[Case(f"parzen fisher, matrices, {input}", PARZEN, FEW, "X y", input, taken=matrices) for input in INPUTS],
    *[Case(f"parzen fisher, neighbours, {input}", PARZEN, FEW, "X y", input, taken=neighbors) for input in INPUTS],
    Case("parzen fisher, two segments", PARZEN, FEW, taken=of_pairs("line", n_segments=2)),
    Case("parzen fisher, lam and bandwidth", PARZEN, {"lam": 0.1, "bandwidth": 1.5}, taken=of_pairs("line")),
    Case("parzen fisher, centres", PARZEN, FEW | {"n_centers": 9, "random_state": 0}, taken=of_pairs("line")),
    Case("parzen fisher, blocks of pairs", PARZEN, FEW, lowered=BLOCKS, taken=of_pairs("line")),
    Case("parzen fisher, matrices, lam", PARZEN, FEW | {"lam": 0.2}, taken=matrices),
    *[Case(f"gp fisher, {path}", GP, {"beta": 0.1, "noise": 0.05}, "X t", taken=of_pairs(path))
      for path in ("line", "graph", "local")],
    Case("gp fisher, matrices", GP, {"beta": 0.1, "noise": 0.05}, "X t", taken=matrices),
    Case("gp fisher, lam", GP, {"beta": 0.1, "noise": 0.05, "lam": 0.1}, "X t", taken=of_pairs("line")),
    *[Case(f"kernel fisher, {words}", "fisher.KernelFisher", FEW | more, "S y", taken=of_similarities)
      for words, more in {"clip": {}, "flip": {"indefinite": "flip"}, "lam": {"lam": 0.1}}.items()],
    Case("kernel gp fisher", "fisher.KernelGPFisher", {"beta": 1.0, "noise": 0.05}, "S t", taken=of_similarities),
    *[Case(f"model fisher, {path}", "fisher.ModelFisher", {"model": LINEAR}, "X", taken=of_pairs(path))
      for path in ("line", "graph")],
    *[Case(f"overfitting check, {input}", "fisher.overfitting_check",
           {"metric": Made(lambda given: ParzenFisher(perplexity=5)), "X": "@X", "y": "@y", "n_permutations": 2,
            "n_splits": 3, "random_state": 0}, "", input) for input in ("three classes", "uneven")],
    Case("model fisher, matrices", "fisher.ModelFisher", {"model": LINEAR}, "X", taken=matrices),
]  # fmt: skip
