"""FDA, LPP, LFDA, SELF, label propagation, and the choice between them by weighted cross-validation."""

import numpy as np
import scipy.sparse

from toolkit.discriminant import SELF, GraphLabelRegression

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]

REST = "mean_"  # of the attributes: the same for all methods
SEARCHED = {"toolkit.core.graphs.ROWS_PER_SEARCH": 10}
ROWS = {"toolkit.core.graphs.BLOCK_ENTRIES": 100}
SPARSE = {"n_affinity": 5}
ONE = {"n_affinity": 1}  # neighbours of one sample each are searched in a tree, and the graph falls apart


def of_path(model, given):
    embeddings, components = model.path([0.0, 0.3, 1.0])
    return {"embeddings": embeddings[:, ::3], "components": components}


def of_sparse(model, given):
    """Labels by a sparse affinity of which the weak links are cut."""
    S = np.where(given["S"] > 0.5, given["S"], 0.0)
    return {"scores": model.fit(scipy.sparse.csr_matrix(S), given["part"]).scores_}


def of_pieces(model, given):
    """Labels by an affinity of two pieces, one of them without labels."""
    left = given["X"][:, 0] > np.median(given["X"][:, 0])
    S = given["S"] * (left[:, None] == left)
    labels = np.where(left & (given["part"] != given["part"].max()), given["part"], -1)
    dense, sparse = (model.fit(A, labels).scores_ for A in (S, scipy.sparse.csr_matrix(S)))
    return {"dense": dense, "sparse": sparse}


def of_predicted(model, given):
    return {"codes": np.unique(model.fit_predict(given["X"], given["part"]), return_inverse=True)[1]}


DEFAULTS = [
    Case(f"{method} default, {input}", f"discriminant.{name}", {}, labels, input, skipped=REST)
    for method, name, labels in (
        ("fda", "FDA", "X y"),
        ("lpp", "LPP", "X"),
        ("lfda", "LFDA", "X y"),
        ("self", "SELF", "X part"),
        ("graph regression", "GraphLabelRegression", "X part"),
    )
    for input in INPUTS
    if (method, input) != ("fda", "more features")  # two classes differ in one direction only
]  # fmt: skip

FDA_CASES = [
    *[Case(f"fda components {k}", "discriminant.FDA", {"n_components": k}, skipped=REST) for k in (1, 2)],
    Case("fda components 3, uneven", "discriminant.FDA", {"n_components": 3}, input="uneven", skipped=REST),
    Case("fda one direction, more features", "discriminant.FDA", {"n_components": 1}, input="more features"),
    Case("fda no ridge", "discriminant.FDA", {"ridge": 0.0}, skipped=REST),
    Case("fda strong ridge, more features", "discriminant.FDA", {"ridge": 0.5, "n_components": 1},
         input="more features", skipped=REST),
    Case("fda unlabelled samples", "discriminant.FDA", {}, "X part", skipped=REST),
    Case("fda names of classes", "discriminant.FDA", {}, "X names", skipped=f"{REST} embedding_"),
]  # fmt: skip

LPP_CASES = [
    *[Case(f"lpp components {k}", "discriminant.LPP", {"n_components": k}, "X", skipped=REST)
      for k in (1, 3)],
    Case("lpp scale of the third neighbour", "discriminant.LPP", {"local_neighbor": 3}, "X", skipped=REST),
    Case("lpp few neighbours", "discriminant.LPP", SPARSE, "X", skipped=REST),
    Case("lpp few neighbours, uneven", "discriminant.LPP", SPARSE | {"local_neighbor": 2}, "X", "uneven",
         skipped=REST),
    Case("lpp one neighbour", "discriminant.LPP", ONE, "X", lowered=SEARCHED, skipped=REST),
    Case("lpp ridge", "discriminant.LPP", {"ridge": 0.1}, "X", skipped=REST),
]  # fmt: skip

LFDA_CASES = [
    *[Case(f"lfda components {k}", "discriminant.LFDA", {"n_components": k}, skipped=REST) for k in (1, 3)],
    Case("lfda scale of the third neighbour", "discriminant.LFDA", {"local_neighbor": 3}, skipped=REST),
    Case("lfda few neighbours", "discriminant.LFDA", SPARSE, skipped=REST),
    Case("lfda few neighbours, blocks of rows, uneven", "discriminant.LFDA", SPARSE, input="uneven",
         lowered=ROWS, skipped=REST),
    Case("lfda one neighbour", "discriminant.LFDA", ONE, lowered=SEARCHED, skipped=REST),
    Case("lfda ridge, more features", "discriminant.LFDA", {"ridge": 0.1, "n_components": 1},
         input="more features", skipped=REST),
    Case("lfda unlabelled samples", "discriminant.LFDA", {}, "X part", skipped=REST),
    Case("lfda names of classes", "discriminant.LFDA", {}, "X names", skipped=f"{REST} embedding_"),
]  # fmt: skip

SELF_CASES = [
    *[
        Case(f"self balance {beta}", "discriminant.SELF", {"beta": beta}, "X part",
             skipped=f"{REST} embedding_")
        for beta in (0.0, 0.1, 1.0)
    ],
    *[Case(f"self components {k}", "discriminant.SELF", {"n_components": k}, "X part", skipped=REST)
      for k in (1, 3)],
    Case("self all labelled", "discriminant.SELF", {}, "X y", skipped=REST),
    Case("self few neighbours", "discriminant.SELF", SPARSE, "X part", skipped=REST),
    Case("self few neighbours, uneven", "discriminant.SELF", SPARSE | {"local_neighbor": 3}, "X part",
         "uneven", skipped=REST),
    Case("self one neighbour", "discriminant.SELF", ONE, "X part", lowered=SEARCHED, skipped=REST),
    Case("self ridge", "discriminant.SELF", {"ridge": 0.1}, "X part", skipped=REST),
    Case("self path", "discriminant.SELF", {}, "X part", taken=of_path),
    Case("self path, more features", "discriminant.SELF", {"n_components": 1}, "X part", "more features",
         taken=of_path),
]  # fmt: skip

REGRESSION_CASES = [
    *[
        Case(f"graph regression smoothness {gamma}", "discriminant.GraphLabelRegression", {"gamma": gamma},
             "X part")
        for gamma in (0.01, 10.0)
    ],
    Case("graph regression two dimensions", "discriminant.GraphLabelRegression", {}, "Z part"),
    Case("graph regression few neighbours", "discriminant.GraphLabelRegression", SPARSE, "X part"),
    Case("graph regression few neighbours, uneven", "discriminant.GraphLabelRegression", SPARSE, "X part",
         "uneven"),
    Case("graph regression one neighbour", "discriminant.GraphLabelRegression", ONE, "X part",
         lowered=SEARCHED),
    Case("graph regression given affinity", "discriminant.GraphLabelRegression", {"affinity": "precomputed"},
         "S part"),
    Case("graph regression given affinity, sparse", "discriminant.GraphLabelRegression",
         {"affinity": "precomputed"}, "S part", taken=of_sparse),
    Case("graph regression pieces without labels", "discriminant.GraphLabelRegression",
         {"affinity": "precomputed"}, "S part", taken=of_pieces),
    Case("graph regression all labelled", "discriminant.GraphLabelRegression", {}, "X y"),
    Case("graph regression fitted and predicted, uneven", "discriminant.GraphLabelRegression", {}, "X part",
         "uneven", taken=of_predicted),
]  # fmt: skip

SELECTION_CASES = [
    Case("importance weights", "discriminant.selection.importance_weights", {}, "X_new X"),
    Case("importance weights, more features", "discriminant.selection.importance_weights", {}, "X_new X",
         "more features"),
    Case("importance weights, uneven", "discriminant.selection.importance_weights", {}, "X_new X", "uneven"),
    Case("importance weights flattened", "discriminant.selection.importance_weights", {"flattening": 0.5}, "X_new X"),
    Case("importance weights regularised", "discriminant.selection.importance_weights", {"C": 0.001}, "X_new X"),
    Case("weighted cross-validation default", "discriminant.importance_weighted_cv", {"random_state": 0},
         "X part"),
    Case("weighted cross-validation, more features", "discriminant.importance_weighted_cv",
         {"random_state": 1, "betas": (0.0, 0.5), "n_splits": 2}, "X part", "more features"),
    Case("weighted cross-validation, own methods, uneven", "discriminant.importance_weighted_cv",
         {"random_state": 2, "betas": (0.1, 1.0), "dimensions": (1, 3), "n_splits": 3, "flattening": 0.3,
          "estimator": SELF(local_neighbor=3, ridge=0.01), "classifier": GraphLabelRegression(gamma=0.1)},
         "X part", "uneven"),
]  # fmt: skip

SCALING_CASES = [
    *[Case(f"local scaling, {input}", "discriminant.local_scaling", {}, "X_new", input) for input in INPUTS],
    Case("local scaling second neighbour", "discriminant.local_scaling", {"n_neighbors": 2}, "X_new"),
    *[
        Case(f"local scaling few neighbours, {input}", "discriminant.local_scaling", {"n_affinity": 3},
             "X", input)
        for input in INPUTS
    ],
    Case("local scaling as many neighbours as the scale", "discriminant.local_scaling",
         {"n_affinity": 4, "n_neighbors": 4}, "X"),
    Case("local scaling one neighbour, uneven", "discriminant.local_scaling",
         {"n_affinity": 1, "n_neighbors": 1}, "X", "uneven", lowered=SEARCHED),
    Case("local scaling nearest duplicates, uneven", "discriminant.local_scaling", {"n_neighbors": 1}, "X",
         "uneven", taken=lambda A, given: A[::4]),
    Case("local scaling blocks of rows", "discriminant.local_scaling", {"n_affinity": 3}, "X", lowered=ROWS),
]  # fmt: skip

HALVES = Made(lambda given: (given["X"][:, 0] > np.median(given["X"][:, 0])).astype(int))
SCATTER_CASES = [
    Case("scatter within and between classes", "discriminant.scatter.class_scatters",
         {"codes": "@part"}, "X"),
    Case("scatter within and between halves, uneven", "discriminant.scatter.class_scatters",
         {"codes": HALVES}, "X", "uneven"),
    Case("scatter local", "discriminant.scatter.local_scatters", {"A": "@S"}, "X"),
    Case("scatter local, of classes", "discriminant.scatter.local_class_scatters",
         {"codes": "@part", "A": "@S"}, "X"),
]  # fmt: skip

CASES = [
    *DEFAULTS, *FDA_CASES, *LPP_CASES, *LFDA_CASES, *SELF_CASES, *REGRESSION_CASES, *SELECTION_CASES,
    *SCALING_CASES, *SCATTER_CASES,
]  # fmt: skip
