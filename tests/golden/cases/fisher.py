"""The Fisher metric of classes, kernels, regressions and models."""

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from toolkit.discriminant import FDA
from toolkit.embed import MDS
from toolkit.fisher import GPFisher, KernelFisher, ModelFisher, ParzenFisher
from toolkit.lvq import RSLVQ

from ..harness import Case, Made, codes_of
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


def to_others(path):
    """Distances by a path: of new samples to a few training samples, back, and among new samples."""

    def numbers(model, given):
        some, new = given["X"][::6], given["X_new"][:6]
        found = {"to": model.distances(new, some, path=path), "among": model.distances(new, path=path)}
        return found | {"from": model.distances(given["X"], new[:3], path=path)}

    return numbers


def of_neighbors(key="X", n_neighbors=3, **options):
    """The graph of neighbours, and how many pairs were measured for it."""

    def numbers(model, given):
        graph = model.knn_distances(given[key], n_neighbors, **options)
        numbered = graph @ np.arange(1.0, 1 + graph.shape[1])
        found = {"graph": graph} if n_neighbors < 5 else {"sums": graph.sum(axis=1), "numbered": numbered}
        return found | {"share": model.knn_share_}

    return numbers


def answers(model, given):
    """Of new samples: the classes, their probabilities, and distances to the training samples."""
    found = {"width": getattr(model, "bandwidth_", None), "classes": codes_of(model.predict(given["X_new"]))}
    found["probabilities"] = model.predict_proba(given["X_new"])
    return found | {"distances": model.transform(given["X_new"])[::4]}


def answers_of_kernel(model, given):
    """The same of similarities, with matrices."""
    found = {"width": model.bandwidth_, "probabilities": model.predict_proba(given["S_new"])}
    found["distances"] = model.transform(given["S_new"])[::4]
    return found | {"matrix": model.matrix(given["S_new"])[0, ::6]}


def factors(model, given):
    return {"factors": model.factors(given["X_new"])[::3, :, :8]}


def density(model, given):
    """The process, its answers to new samples, and distances to the training samples."""
    found = {"beta": model.beta_, "noise": model.noise_, "alpha": model.alpha_}
    found |= {"density": model.predictive_density(given["X_new"])}
    return found | {"distances": model.transform(given["X_new"])[::4]}


def indefinite(given):
    """Similarities, of the samples and of new ones, that belong to distances of no Euclidean space."""
    D, D_new = (cdist(A, given["X"], "cityblock") ** 2 for A in (given["X"], given["X_new"]))
    means = D.mean(axis=0)
    S, S_new = (-0.5 * (A - A.mean(axis=1, keepdims=True) - means + means.mean()) for A in (D, D_new))
    return (S + S.T) / 2, S_new


def of_indefinite(key):
    """What a fit to such similarities says."""

    def numbers(model, given):
        S, S_new = indefinite(given)
        model.fit(S, given[key])
        found = {"negative": model.negative_share_, "distances": model.distances()[::9]}
        return found | {"new": model.transform(S_new[:3]), "matrix": model.matrix(S_new[:1])[0, ::6]}

    return numbers


def of_copies(model, given):
    """The window of so many samples that some of them decide: each sample five times, moved a little."""
    n, d = given["X"].shape
    shift = 0.1 * np.sin(1.0 + np.arange(5 * n * d)).reshape(-1, d) * given["X"].std(axis=0)
    model.fit(np.tile(given["X"], (5, 1)) + shift, np.tile(given["y"], 5))
    return {"width": model.bandwidth_, "probabilities": model.predict_proba(given["X_new"])}


def of_text(model, given):
    """Distances where a pipeline turns words into numbers."""
    cuts = np.quantile(given["X"], [0.3, 0.6], axis=0)

    def frame(X):
        return pd.DataFrame({f"f{i}": np.array(["low", "mid", "high"])[(x[:, None] > cut).sum(axis=1)]
                             for i, (x, cut) in enumerate(zip(X.T, cuts.T, strict=True))})  # fmt: skip

    rows, new = frame(given["X"]), frame(given["X_new"])
    model.fit(rows, given["y"])
    found = {"distances": model.distances(rows)[::6], "probabilities": model.predict_proba(new)}
    return found | {"new": model.transform(new)[::4]}


def check(metric, key="y", X="@X", **options):
    """Options of an overfitting check."""
    settings = {"metric": metric, "X": X, "y": f"@{key}", "random_state": 0}
    return settings | {"n_permutations": 2, "n_splits": 3} | options


def linear_model(given):
    """Fitted in closed form: a descent would amplify rounding."""
    return LinearDiscriminantAnalysis().fit(given["X"], given["y"])


LINEAR = Made(linear_model)
PARZEN, GP = "fisher.ParzenFisher", "fisher.GPFisher"
BLOCKS = {"toolkit.fisher.paths.ENTRIES_AT_ONCE": 64, "toolkit.fisher.paths.PAIR_ENTRIES": 32}
FEW = {"perplexity": 8}
PROCESS = {"beta": 0.1, "noise": 0.05}
TILES = {f"toolkit.fisher.neighbors.{name}": size for name, size in {
    "TILE_ROWS": 8, "BLOCK_COLUMNS": 8, "PAIRS_AT_ONCE": 16}.items()}  # fmt: skip
PRODUCTS = TILES | {f"toolkit.fisher.neighbors.{name}": size for name, size in {
    "FIRST_CANDIDATES": 6, "MOST_CANDIDATES": 1, "ENTRIES_AT_ONCE": 200}.items()}  # fmt: skip
NARROW = {"bandwidth": 0.03}  # so that all weights between two samples vanish


def shrunken_model(given):
    """A linear model of two classes with more features than samples."""
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5).fit(given["X"], given["y"])


def robust_model(given):
    return RSLVQ(2, sigma2=4.0, max_iter=3, random_state=0).fit(given["X"], given["y"])


# Options of a window, its input, and what is taken of it.
WINDOWS = [
    *[(f"default, {input}", {}, input, answers) for input in INPUTS],
    *[(f"factors, {input}", FEW, input, factors) for input in ("three classes", "uneven")],
    *[(f"rule for the bandwidth, {input}", {"bandwidth": "rule"}, input, answers)
      for input in ("three classes", "more features")],
    ("fraction of centres", FEW | {"n_centers": 0.5, "random_state": 0}, "uneven", answers),
    ("few centres, matrices", {"n_centers": 6, "bandwidth": 2.0, "random_state": 1}, "more features",
     factors),
    *[(f"{path} to others", FEW, "three classes", to_others(path)) for path in ("line", "graph", "local")],
    ("graph to others, lam", FEW | {"lam": 0.1}, "three classes", to_others("graph")),
    ("graph, lam", FEW | {"lam": 0.1}, "three classes", of_pairs("graph")),
    ("local, lam", FEW | {"lam": 0.1}, "uneven", of_pairs("local")),
    ("one segment", FEW, "uneven", of_pairs("line", n_segments=1)),
    ("five segments", FEW, "more features", of_pairs("line", n_segments=5)),
    ("narrow window", NARROW, "three classes", of_pairs("line")),
    ("narrow window, uneven", {"bandwidth": 1.0}, "uneven", of_pairs("line")),
    ("neighbours, new samples", FEW, "three classes", of_neighbors("X_new")),
    ("neighbours, seven", FEW, "uneven", of_neighbors(n_neighbors=7)),
    ("neighbours, lam", FEW | {"lam": 0.1}, "three classes", of_neighbors()),
    ("neighbours, nine segments", FEW, "three classes", of_neighbors(n_segments=9)),
    ("neighbours, narrow window", NARROW, "three classes", of_neighbors(n_neighbors=14)),
    ("neighbours, centres", FEW | {"n_centers": 9, "random_state": 0}, "three classes", of_neighbors()),
]  # fmt: skip
# What is done only for many samples: options, thresholds, and what is taken.
LARGE = [
    ("neighbours, tiles", FEW, TILES, of_neighbors()),
    ("neighbours, tiles, lam", FEW | {"lam": 0.1}, TILES, of_neighbors()),
    ("neighbours, blocks of pairs", FEW, BLOCKS, of_neighbors()),
    ("neighbours, products", FEW, PRODUCTS, of_neighbors()),
    ("neighbours, products, lam", FEW | {"lam": 0.1}, PRODUCTS, of_neighbors()),
    ("neighbours, products, narrow window", NARROW, PRODUCTS, of_neighbors(n_neighbors=14)),
    ("bandwidth of some rows", {}, {"toolkit.fisher.window.ALL_ROWS": 100,
                                    "toolkit.fisher.window.SOME_ROWS": 100},
     of_copies),
    ("answers, blocks of rows", FEW, {"toolkit.fisher.base.ENTRIES_KEPT": 100}, answers),
    ("factors, blocks of rows", FEW, {"toolkit.fisher.base.ENTRIES_KEPT": 100}, factors),
    ("blocks of pairs, lam", FEW | {"lam": 0.1}, BLOCKS, of_pairs("line")),
    ("blocks of pairs, narrow window", NARROW, BLOCKS, of_pairs("line")),
]  # fmt: skip
PROCESSES = [
    *[(f"answers, {input}", {"beta": beta, "noise": 0.05}, input, density)
      for input, beta in zip(INPUTS, (0.1, 0.01, 1e-5), strict=True)],
    ("line, uneven", {"beta": 1e-5, "noise": 0.1}, "uneven", of_pairs("line")),
    ("three segments", PROCESS, "three classes", of_pairs("line", n_segments=3)),
    ("factors", PROCESS, "three classes", factors),
    ("matrices, lam", PROCESS | {"lam": 0.2}, "three classes", matrices),
    ("graph to others", PROCESS, "three classes", to_others("graph")),
    ("local, lam", PROCESS | {"lam": 0.1}, "three classes", of_pairs("local")),
    *[(f"by likelihood, {input}", {}, input, density) for input in INPUTS],
    ("width by likelihood", {"noise": 0.05}, "uneven", density),
    ("noise by likelihood", {"beta": 0.01}, "three classes", density),
]  # fmt: skip
MODELS = [
    ("local", LINEAR, {}, "three classes", of_pairs("local")),
    ("answers", LINEAR, {}, "three classes", answers),
    ("answers, uneven", LINEAR, {}, "uneven", answers),
    ("lam", LINEAR, {"lam": 0.1}, "three classes", of_pairs("line")),
    ("factors", LINEAR, {}, "uneven", factors),
    ("neighbours", LINEAR, {}, "three classes", of_neighbors()),
    ("two classes, line", Made(shrunken_model), {}, "more features", of_pairs("line")),
    ("two classes, answers", Made(shrunken_model), {}, "more features", answers),
    ("robust soft lvq, line", Made(robust_model), {}, "three classes", of_pairs("line")),
    ("robust soft lvq, answers", Made(robust_model), {}, "three classes", answers),
    ("robust soft lvq, factors", Made(robust_model), {}, "three classes", factors),
    ("robust soft lvq, neighbours", Made(robust_model), {}, "uneven", of_neighbors()),
]  # fmt: skip
UNFITTED = [
    ("not fitted yet", LinearDiscriminantAnalysis, "three classes", answers),
    ("predicted labels", GaussianNB, "three classes", answers),
    ("predicted labels, uneven", GaussianNB, "uneven", factors),
    ("pipeline", lambda: make_pipeline(StandardScaler(), GaussianNB()), "uneven", answers),
]  # fmt: skip
MAPS = Made(lambda given: MDS(1, metric="precomputed"))
CHECKS = {
    "more features": (check(Made(lambda given: ParzenFisher(lam=0.1))), "more features"),
    "three neighbours": (check(Made(lambda given: ParzenFisher(perplexity=5)), n_neighbors=3),
                         "three classes"),
    "maps": (check(Made(lambda given: ParzenFisher(perplexity=5)), embedder=MAPS), "three classes"),
    "linear map": (check(Made(lambda given: FDA(1))), "uneven"),
    "linear map, mapped again": (check(Made(lambda given: FDA(2)), embedder=MAPS), "three classes"),
    "real target": (check(Made(lambda given: GPFisher(**PROCESS)), key="t"), "three classes"),
    "real target, maps": (check(Made(lambda given: GPFisher(**PROCESS)), key="t", n_neighbors=2,
                                embedder=MAPS),
                          "three classes"),
    "similarities": (check(Made(lambda given: KernelFisher(perplexity=5)), X="@S"), "three classes"),
    "model": (check(Made(lambda given: ModelFisher(LinearDiscriminantAnalysis()))), "three classes"),
}  # fmt: skip

CASES = [
    *[Case(f"parzen fisher, {path}, {input}", PARZEN, FEW, "X y", input, taken=of_pairs(path))
      for path in ("line", "graph", "local") for input in INPUTS],
    *[Case(f"parzen fisher, matrices, {input}", PARZEN, FEW, "X y", input,
           taken=matrices) for input in INPUTS],
    *[Case(f"parzen fisher, neighbours, {input}", PARZEN, FEW, "X y", input,
           taken=neighbors) for input in INPUTS],
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
    *[Case(f"model fisher, {path}", "fisher.ModelFisher", {"model": LINEAR}, "X", taken=of_pairs(path))
      for path in ("line", "graph")],
    *[Case(f"overfitting check, {input}", "fisher.overfitting_check",
           {"metric": Made(lambda given: ParzenFisher(perplexity=5)), "X": "@X", "y": "@y",
            "n_permutations": 2,
            "n_splits": 3, "random_state": 0}, "", input) for input in ("three classes", "uneven")],
    Case("model fisher, matrices", "fisher.ModelFisher", {"model": LINEAR}, "X", taken=matrices),
    *[Case(f"parzen fisher, {words}", PARZEN, options, "X y", input, taken=taken)
      for words, options, input, taken in WINDOWS],
    *[Case(f"parzen fisher, {words}", PARZEN, options, lowered=lowered, taken=taken)
      for words, options, lowered, taken in LARGE],
    Case("parzen fisher, names of classes", PARZEN, FEW, "X names", taken=answers),
    *[Case(f"gp fisher, {words}", GP, options, "X t", input, taken=taken) for words, options, input,
      taken in PROCESSES],
    Case("gp fisher, blocks of rows", GP, PROCESS, "X t",
         lowered={"toolkit.fisher.gp.PRODUCTS_AT_ONCE": 10**6},
         taken=of_pairs("line")),
    *[Case(f"kernel fisher answers, {input}", "fisher.KernelFisher", {}, "S y", input,
           taken=answers_of_kernel)
      for input in INPUTS],
    *[Case(f"kernel fisher, no euclidean space, {way}", "fisher.KernelFisher", FEW | {"indefinite": way},
           "S y",
           input, taken=of_indefinite("y"))
      for way, input in [("clip", "three classes"), ("flip", "uneven"), ("none", "three classes")]],
    Case("parzen fisher, shares of small classes", "fisher.density._shares",
         {"sizes": Made(lambda given: np.array([1, 2, 1, 30])), "total": 8}, ""),
    Case("kernel fisher, bandwidth", "fisher.KernelFisher", {"bandwidth": 0.5}, "S y", taken=of_similarities),
    Case("kernel fisher, centres", "fisher.KernelFisher", FEW | {"n_centers": 9, "random_state": 0}, "S y",
         taken=answers_of_kernel),
    Case("kernel fisher, matrices, lam", "fisher.KernelFisher", FEW | {"lam": 0.2}, "S y",
         taken=lambda model, given: {"matrix": model.matrix(given["S_new"])[0, ::6]}),
    Case("kernel fisher, graph", "fisher.KernelFisher", FEW, "S y",
         taken=lambda model, given: {"distances": model.distances(path="graph")[::6]}),
    Case("kernel fisher, neighbours", "fisher.KernelFisher", FEW, "S y", taken=of_neighbors("S")),
    Case("kernel fisher, neighbours, lam", "fisher.KernelFisher", FEW | {"lam": 0.1}, "S y",
         taken=of_neighbors("S")),
    Case("kernel fisher, neighbours, products, lam", "fisher.KernelFisher", FEW | {"lam": 0.1}, "S y",
         lowered=PRODUCTS, taken=of_neighbors("S")),
    *[Case(f"model fisher, {words}", "fisher.ModelFisher", {"model": model, **options}, "X", input,
           taken=taken)
      for words, model, options, input, taken in MODELS],
    *[Case(f"model fisher, {words}", "fisher.ModelFisher", {"model": Made(lambda given, make=make: make())},
           "X y",
           input, taken=taken) for words, make, input, taken in UNFITTED],
    Case("model fisher, words as features", "fisher.ModelFisher",
         {"model": Made(lambda given: make_pipeline(OneHotEncoder(sparse_output=False), BernoulliNB()))},
         "X y",
         taken=of_text),
    *[Case(f"overfitting check, {words}", "fisher.overfitting_check", options, "", input)
      for words, (options, input) in CHECKS.items()],
]  # fmt: skip
