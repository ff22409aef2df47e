"""Prototypes (LVQ) and large margin nearest neighbours (LMNN)."""

import numpy as np

from toolkit.lmnn import target_neighbors
from toolkit.lvq import GMLVQ
from toolkit.lvq.cost import glvq_cost
from toolkit.lvq.training import TrainingSet

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]

FEW = {"max_iter": 10}  # the costs have kinks, at which a longer descent would amplify rounding
BLOCKS = {"toolkit.core.scaling.row_blocks.__defaults__": (64,)}  # of a dozen rows and less
LMNN_BLOCKS = {"toolkit.lmnn.PAIRS_PER_BLOCK": 200}
TWICE = {"prototypes_per_class": 2, "random_state": 0}
MATRICES = "lambda_ omega_"  # of 30 features; the components and eigenvalues say the same


def samples(given):
    return TrainingSet.of(given["X"], given["y"], np.arange(1.0, given["y"].max() + 2))


def starts(count):
    """Prototypes beside the class means, so many of each class, in the coordinates of `samples`."""

    def made(given):
        found = samples(given)
        means = [found.inside(given["X"][given["y"] == c]).mean(axis=0) for c in np.unique(given["y"])]
        return np.repeat(means, count, axis=0) + 0.1 * wave(len(means) * count, found.rank)

    return Made(made)


def codes(count):
    return Made(lambda given: np.repeat(np.unique(given["y"]), count))


def wave(*shape):
    """A matrix of full rank without a seed."""
    return np.sin(1.0 + np.arange(np.prod(shape)) ** 2).reshape(shape)


def omegas(rows, each=False):
    """One matrix of so many rows, or one per class."""
    count = (lambda given: given["y"].max() + 1) if each else (lambda given: 1)
    return Made(lambda given: wave(count(given), rows, samples(given).rank))


def at(rows=None, count=1, each=False):
    """Where a cost of LVQ is taken: samples, prototypes and matrices."""
    matrices = Made(lambda given: None) if rows is None else omegas(rows, each)
    return {"samples": Made(samples), "W": starts(count), "w_codes": codes(count), "omegas": matrices}


def with_gradient(model, given):
    """What a GLVQ or GMLVQ has found, and the gradient there.

    Where each first step of L-BFGS is taken, the path does not change with the length of the gradient.
    """
    found = TrainingSet.of(given["X"], given["y"])
    Omega = getattr(model, "omega_", None)
    if Omega is not None:
        Omega = Omega if found.basis is None else Omega @ found.basis
    matrices = None if Omega is None else Omega[None]
    cost = glvq_cost(found, found.inside(model.prototypes_), model._w_codes, matrices)
    names = ("prototypes_", "eigenvalues_", "relevances_", "components_")
    attributes = {name: getattr(model, name, None) for name in names}
    by_omega = None if Omega is None else cost.grad_omegas.sum(axis=1)
    descent = {"cost": cost.value, "by_prototypes": cost.grad_W, "by_omega": by_omega}
    return attributes | descent | {"fractions": model.predict_proba(given["X_new"])}


def covariances(given):
    return np.cov(given["X"].T)


def fitted(**options):
    return Made(lambda given: GMLVQ(max_iter=8, **options).fit(given["X"], given["y"]))


def of_path(model, given):
    return [(m.omega_, m.prototypes_, m.history_["cost"][-1]) for m in model.path([0.01, 0.1])]


def of_stages(model, given):
    return [(m.omega_, m.prototypes_) for m in model.stages(given["X"], given["y"], [2, 5])]


def with_metric(like):
    """The metric without the first feature; prototypes may follow it."""

    def taken(model, given):
        Omega = model.components_ * (np.arange(model.n_features_in_) > 0)
        other = model.with_metric(Omega, **({"like": model.components_} if like else {}))
        found = {name: getattr(other, name) for name in ("eigenvalues_", "relevances_", "components_")}
        found |= {"prototypes": getattr(other, "prototypes_", None), "map": other.transform(given["X_new"])}
        return found | {"fractions": other.predict_proba(given["X_new"])}

    return taken


def margins_at(rows):
    return {
        "Omega": Made(lambda given: 0.3 * wave(rows, given["X"].shape[1]) / given["X"].std(axis=0)),
        "codes": "@y",
        "targets": Made(lambda given: target_neighbors(given["X"], given["y"], 3)),
        "push": 0.4,
    }


def in_half(given):
    """Two classes, by the sign of the first feature about its median."""
    return (given["X"][:, 0] > np.median(given["X"][:, 0])).astype(int)


DEFAULTS = [
    *[Case(f"glvq few steps, {input}", "lvq.GLVQ", FEW, input=input,
           taken=with_gradient) for input in INPUTS],
    *[Case(f"gmlvq few steps, {input}", "lvq.GMLVQ", FEW, input=input,
           taken=with_gradient) for input in INPUTS],
    *[Case(f"rslvq few steps, {input}", "lvq.RSLVQ", FEW, input=input, skipped="mean_") for input in INPUTS],
    *[Case(f"classwise gmlvq few steps, {input}", "lvq.ClasswiseGMLVQ", FEW, input=input, skipped="mean_")
      for input in INPUTS],
    *[Case(f"lmnn few steps, {input}", "lmnn.LMNN", FEW, input=input, skipped="mean_ lambda_ components_")
      for input in INPUTS],
]  # fmt: skip

GLVQ_CASES = [
    Case("glvq default", "lvq.GLVQ", taken=with_gradient),
    Case("glvq two prototypes", "lvq.GLVQ", TWICE | FEW),
    Case("glvq more prototypes of one class", "lvq.GLVQ",
         {"prototypes_per_class": {0: 3}, "random_state": 1} | FEW),
    Case("glvq k-means, uneven", "lvq.GLVQ", TWICE | FEW | {"prototype_init": "kmeans"}, input="uneven"),
    Case("glvq balanced, uneven", "lvq.GLVQ", FEW | {"class_weight": "balanced"}, input="uneven"),
    Case("glvq class weights, uneven", "lvq.GLVQ", FEW | {"class_weight": {0: 3.0, 2: 0.5}}, input="uneven"),
    Case("glvq names of classes and distances, uneven", "lvq.GLVQ", FEW, "X names", "uneven",
         after={"distances": "X_new"}),
    Case("glvq blocks of rows, uneven", "lvq.GLVQ", TWICE | FEW, input="uneven", lowered=BLOCKS),
    Case("glvq large tolerance, uneven", "lvq.GLVQ", {"tol": 0.01}, input="uneven"),
]  # fmt: skip

GMLVQ_CASES = [
    Case("gmlvq default", "lvq.GMLVQ"),
    Case("gmlvq with a penalty, few iterations", "lvq.GMLVQ", {"mu": 0.1, "max_iter": 10}),
    Case("gmlvq weak penalty", "lvq.GMLVQ", {"mu": 0.001} | FEW),
    Case("gmlvq penalty, more features", "lvq.GMLVQ", {"mu": 0.01} | FEW, input="more features",
         skipped=MATRICES),
    *[Case(f"gmlvq rank {rank}", "lvq.GMLVQ", {"rank": rank} | FEW, skipped="mean_") for rank in (1, 2, 3)],
    Case("gmlvq rank 1, more features", "lvq.GMLVQ", {"rank": 1} | FEW, input="more features",
         skipped=MATRICES),
    Case("gmlvq rank 1, uneven", "lvq.GMLVQ", {"rank": 1} | FEW, input="uneven"),
    Case("gmlvq rank 2 with a penalty", "lvq.GMLVQ", {"rank": 2, "mu": 0.05} | FEW),
    *[
        Case(f"gmlvq components {k}", "lvq.GMLVQ", {"n_components": k} | FEW, skipped="lambda_ omega_ mean_")
        for k in (1, 3)
    ],
    Case("gmlvq scaled map", "lvq.GMLVQ", {"scaled": True, "n_components": 3} | FEW,
         skipped="lambda_ omega_"),
    Case("gmlvq random start, uneven", "lvq.GMLVQ", {"omega_init": "random", "random_state": 3} | FEW,
         input="uneven"),
    Case("gmlvq random start, rank 2 and a penalty", "lvq.GMLVQ",
         {"omega_init": "random", "rank": 2, "mu": 0.01, "random_state": 4} | FEW),
    Case("gmlvq two prototypes", "lvq.GMLVQ", TWICE | FEW),
    Case("gmlvq k-means, uneven", "lvq.GMLVQ", TWICE | FEW | {"prototype_init": "kmeans"}, input="uneven"),
    Case("gmlvq balanced, uneven", "lvq.GMLVQ", {"class_weight": "balanced"} | FEW, input="uneven"),
    Case("gmlvq class weights, uneven", "lvq.GMLVQ", {"class_weight": {3: 2.0}} | FEW, input="uneven"),
    Case("gmlvq names of classes", "lvq.GMLVQ", FEW, "X names", skipped="lambda_ omega_ mean_"),
    Case("gmlvq distances and what decides", "lvq.GMLVQ", FEW,
         after={"distances": "X_new", "explain": "X_new"},
         skipped="lambda_ omega_ mean_ transform predict_proba"),
    Case("gmlvq blocks of rows", "lvq.GMLVQ", FEW | {"mu": 0.01}, lowered=BLOCKS),
    Case("gmlvq blocks of rows, more features", "lvq.GMLVQ", {"mu": 0.001} | FEW, input="more features",
         lowered=BLOCKS, skipped=MATRICES),
    Case("gmlvq lanczos start, more features", "lvq.GMLVQ", {"rank": 1, "max_iter": 5}, input="more features",
         lowered={"toolkit.core.linalg.LANCZOS_ABOVE": 20}, skipped=MATRICES),
    Case("gmlvq path of penalties", "lvq.GMLVQ", FEW, taken=of_path),
    Case("gmlvq stages", "lvq.GMLVQ", FEW, taken=of_stages),
    Case("gmlvq with another metric", "lvq.GMLVQ", FEW, taken=with_metric(like=False)),
    Case("gmlvq with another metric, moved prototypes", "lvq.GMLVQ", FEW, taken=with_metric(like=True)),
    Case("gmlvq stochastic", "lvq.GMLVQ", {"solver": "sgd", "max_iter": 3, "random_state": 0}),
    Case("gmlvq stochastic, penalty", "lvq.GMLVQ",
         {"solver": "sgd", "max_iter": 3, "random_state": 1, "mu": 0.1}),
    Case("gmlvq stochastic, penalty and rank 2", "lvq.GMLVQ",
         {"solver": "sgd", "max_iter": 3, "random_state": 2, "mu": 0.1, "rank": 2}),
    Case("gmlvq stochastic, rates and weights, uneven", "lvq.GMLVQ",
         TWICE | {"solver": "sgd", "max_iter": 3, "eta": 0.01, "eta_w": 0.1, "class_weight": "balanced"},
         input="uneven"),
    Case("gmlvq stochastic stages", "lvq.GMLVQ", {"solver": "sgd", "max_iter": 1, "random_state": 5},
         taken=of_stages),
    Case("gmlvq history", "lvq.GMLVQ", {"mu": 0.01} | FEW, taken=lambda model, given: model.history_),
]  # fmt: skip

COST_CASES = [
    Case("glvq cost and gradient", "lvq.cost.glvq_cost", at(), ""),
    Case("glvq cost and gradient, two prototypes, uneven", "lvq.cost.glvq_cost", at(count=2), "", "uneven"),
    Case("gmlvq cost and gradient", "lvq.cost.glvq_cost", at(rows=4), ""),
    Case("gmlvq cost and gradient, more features", "lvq.cost.glvq_cost", at(rows=2), "", "more features"),
    Case("gmlvq cost and gradient, two prototypes, uneven", "lvq.cost.glvq_cost", at(rows=2, count=2), "",
         "uneven"),
    Case("gmlvq cost and gradient, blocks of rows", "lvq.cost.glvq_cost", at(rows=4), "", lowered=BLOCKS),
    Case("classwise gmlvq cost and gradient", "lvq.cost.glvq_cost", at(rows=2, each=True), ""),
    Case("classwise gmlvq cost and gradient, blocks of rows", "lvq.cost.glvq_cost",
         at(rows=2, count=2, each=True), "", lowered=BLOCKS),
    Case("gmlvq penalty and gradient", "lvq.cost.penalty",
         {"Omega": Made(lambda given: given["X"][:4]), "mu": 0.3}, ""),
    Case("gmlvq matrix of the gradient", "lvq.cost.gradient_matrix",
         {"samples": Made(samples), "W": starts(2), "w_codes": codes(2),
         "Omega": Made(lambda given: wave(3, 5))}, "", lowered=BLOCKS),
    *[
        Case(f"rslvq cost and gradient, {input}", "lvq.rslvq.rslvq_cost",
             {"samples": Made(samples), "W": starts(2), "w_codes": codes(2), "sigma2": 0.7}, "", input,
             lowered=lowered)
        for input, lowered in (("three classes", BLOCKS), ("uneven", {}))
    ],
]  # fmt: skip

RSLVQ_CASES = [
    Case("rslvq default", "lvq.RSLVQ"),
    Case("rslvq fixed width", "lvq.RSLVQ", {"sigma2": 2.0} | FEW, skipped="mean_"),
    Case("rslvq two prototypes", "lvq.RSLVQ", TWICE | FEW, skipped="mean_"),
    Case("rslvq k-means, uneven", "lvq.RSLVQ", TWICE | FEW | {"prototype_init": "kmeans"}, input="uneven"),
    Case("rslvq balanced, uneven", "lvq.RSLVQ", {"class_weight": "balanced"} | FEW, input="uneven"),
    Case("rslvq posterior and its derivatives", "lvq.RSLVQ", TWICE | FEW, skipped="mean_",
         after={"log_posterior": "X_new", "proba_gradient": "X_new"}),
    Case("rslvq blocks of rows", "lvq.RSLVQ", TWICE | {"max_iter": 5}, lowered=BLOCKS),
    Case("rslvq large tolerance", "lvq.RSLVQ", {"tol": 0.03}, skipped="mean_"),
    Case("rslvq names of classes", "lvq.RSLVQ", FEW, "X names", skipped="mean_"),
    Case("rslvq history", "lvq.RSLVQ", FEW, taken=lambda model, given: model.history_),
]  # fmt: skip

CLASSWISE_CASES = [
    Case("classwise gmlvq default", "lvq.ClasswiseGMLVQ", {"max_iter": 5}),
    Case("classwise gmlvq rank 1", "lvq.ClasswiseGMLVQ", {"rank": 1} | FEW, skipped="mean_"),
    Case("classwise gmlvq rank 3, uneven", "lvq.ClasswiseGMLVQ", {"rank": 3} | FEW, input="uneven",
         skipped="mean_"),
    Case("classwise gmlvq random start, uneven", "lvq.ClasswiseGMLVQ",
         {"omega_init": "random", "random_state": 6} | FEW, input="uneven"),
    Case("classwise gmlvq two prototypes, distances", "lvq.ClasswiseGMLVQ", TWICE | FEW,
         after={"distances": "X_new"}),
    Case("classwise gmlvq k-means", "lvq.ClasswiseGMLVQ", TWICE | FEW | {"prototype_init": "kmeans"}),
    Case("classwise gmlvq balanced, uneven", "lvq.ClasswiseGMLVQ", {"class_weight": "balanced"} | FEW,
         input="uneven"),
    Case("classwise gmlvq blocks of rows", "lvq.ClasswiseGMLVQ", FEW, lowered=BLOCKS),
    Case("classwise gmlvq history, uneven", "lvq.ClasswiseGMLVQ", FEW, input="uneven",
         taken=lambda model, given: model.history_),
]  # fmt: skip

STATIONARY_CASES = [
    Case("gmlvq final gradient matrix", "lvq.final_gradient_matrix", {"model": fitted(mu=0.001)}, ""),
    Case("gmlvq final gradient matrix, penalty, uneven", "lvq.final_gradient_matrix",
         {"model": fitted(mu=0.1)}, "", "uneven"),
    *[Case(f"gmlvq rank one limit, {input}", "lvq.rank_one_limit", {"G": Made(covariances)}, "", input)
      for input in ("three classes", "uneven")],
    Case("gmlvq weak penalty matrix", "lvq.weak_penalty_matrix", {"G": Made(covariances), "mu": 0.01}, ""),
    Case("gmlvq weak penalty matrix, none", "lvq.weak_penalty_matrix", {"G": Made(covariances), "mu": 0.0},
         ""),
    Case("gmlvq stationary matrix", "lvq.stationary_matrix", {"G": Made(covariances), "mu": 0.5}, ""),
    Case("gmlvq stationary matrix, rank 2", "lvq.stationary_matrix",
         {"G": Made(covariances), "mu": 0.5, "rank": 2}, ""),
]  # fmt: skip

LMNN_CASES = [
    Case("lmnn default", "lmnn.LMNN", {"max_iter": 10}),
    *[Case(f"lmnn rank {rank}", "lmnn.LMNN", {"rank": rank} | FEW, skipped="mean_") for rank in (1, 2)],
    Case("lmnn rank 2, more features", "lmnn.LMNN", {"rank": 2} | FEW, input="more features",
         skipped="mean_ lambda_"),
    *[
        Case(f"lmnn neighbours {k}, uneven", "lmnn.LMNN", {"n_neighbors": k, "max_iter": 5}, input="uneven")
        for k in (1, 6)
    ],
    Case("lmnn large tolerance", "lmnn.LMNN", {"tol": 0.05}, skipped="mean_"),
    Case("lmnn weak push", "lmnn.LMNN", {"push": 0.1} | FEW, skipped="mean_"),
    Case("lmnn strong push, uneven", "lmnn.LMNN", {"push": 0.9, "max_iter": 5}, input="uneven"),
    Case("lmnn names of classes", "lmnn.LMNN", {"max_iter": 5}, "X names", skipped="mean_ lambda_"),
    Case("lmnn blocks of rows, uneven", "lmnn.LMNN", {"max_iter": 5}, input="uneven", lowered=LMNN_BLOCKS),
    Case("lmnn history", "lmnn.LMNN", {"max_iter": 5}, taken=lambda model, given: model.history_),
    Case("lmnn with another metric", "lmnn.LMNN", {"max_iter": 5}, taken=with_metric(like=False)),
    Case("lmnn margin cost and gradient", "lmnn.margin_cost", margins_at(5), "X"),
    Case("lmnn margin cost and gradient, rank 2, more features", "lmnn.margin_cost", margins_at(2), "X",
         "more features"),
    Case("lmnn margin cost and gradient, uneven", "lmnn.margin_cost", margins_at(4), "X", "uneven"),
    Case("lmnn margin cost and gradient, blocks of rows", "lmnn.margin_cost", margins_at(5), "X",
         lowered=LMNN_BLOCKS),
    *[Case(f"lmnn target neighbours, {input}", "lmnn.target_neighbors", {"k": 3}, "X y", input)
      for input in INPUTS],
    Case("lmnn target neighbours, search", "lmnn.target_neighbors",
         {"k": 1, "codes": Made(lambda given: 0 * given["y"])},
         "X", lowered={"toolkit.core.graphs.ROWS_PER_SEARCH": 10}),
    Case("lmnn target neighbours, halves", "lmnn.target_neighbors", {"k": 2, "codes": Made(in_half)}, "X",
         "uneven", lowered={"toolkit.core.graphs.BLOCK_ENTRIES": 100}),
]  # fmt: skip

CASES = [
    *DEFAULTS, *GLVQ_CASES, *GMLVQ_CASES, *COST_CASES, *RSLVQ_CASES, *CLASSWISE_CASES,
    *STATIONARY_CASES, *LMNN_CASES,
]  # fmt: skip
