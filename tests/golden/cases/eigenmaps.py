"""Laplacian eigenmaps without and with labels (LE, SLE-ML, CCDR), and those that they are compared with."""

import numpy as np
import scipy.sparse
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer

from toolkit.core.graphs import knn_of_new

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]

LE, SLEML, CCDR = "eigenmaps.LaplacianEigenmap", "eigenmaps.SLEML", "eigenmaps.CCDR"
SLAPEIG, SLE, CS = "eigenmaps.SLapEig", "eigenmaps.SLE", "eigenmaps.ConstraintScoreMap"
REST = "residual_ graph_"  # of the size of rounding, and covered by cases of its own
ARPACK = {"toolkit.eigenmaps.solver.DENSE_LIMIT": 10}
SEARCHED = {"toolkit.core.graphs.ROWS_PER_SEARCH": 10}
ROWS = {"toolkit.core.graphs.BLOCK_ENTRIES": 100}
LANCZOS = {"toolkit.core.linalg.LANCZOS_ABOVE": 20}
FEW_LINKS = {"toolkit.eigenmaps.graphmap.MAX_LINKS": 360}  # ten neighbours of each sample
PAIRS = {"toolkit.eigenmaps.baselines.PAIRS_PER_BLOCK": 200}
GIVEN_SEARCH = KNeighborsTransformer(n_neighbors=7)
LIMIT = {"lam": 0.0, "n_neighbors": 2}  # where labels are linked, the map does not change with the graph
VOTERS = KNeighborsClassifier(3)


def graph(model, given):
    return {"graph": model.graph_, "sigma2": model.sigma2_, "neighbours": model.n_neighbors_}


def of_path(lams):
    """Every third sample of the maps, and the eigenvalues."""

    def taken(model, given):
        maps, eigenvalues = model.path(lams)
        return {"maps": maps[:, ::3], "eigenvalues": eigenvalues}

    return taken


def chain(given):
    """A sparse positive definite matrix of 2100 rows, more than are solved directly."""
    links = 0.1 + np.abs(np.resize(given["X"] / given["X"].std(axis=0), 2100))
    both = scipy.sparse.diags([links[1:], links[1:]], [-1, 1])
    return (scipy.sparse.diags(np.asarray(both.sum(axis=1)).ravel() + 1.0) - both).tocsr()


def right_side(given):
    return np.resize(given["Z"], (2100, 2))


def repeated(given):
    return np.repeat(given["X"][::6], 6, axis=0)


def distances_of_new(given):
    return knn_of_new(given["X_new"], given["X"], 4)


DEFAULTS = [
    Case(f"{method} default, {input}", name, options, given, input, skipped=REST)
    for method, name, options, given in (
        ("le", LE, {}, "X y"),
        ("sle-ml", SLEML, {}, "X y"),
        ("ccdr", CCDR, {}, "X y"),
        ("s-lapeig", SLAPEIG, {}, "X y"),
        ("s-le", SLE, {}, "X y"),
        ("cs", CS, {}, "X y"),
    )
    for input in INPUTS
]  # fmt: skip

LE_CASES = [
    *[Case(f"le without labels, {input}", LE, {}, "X", input, skipped=REST) for input in INPUTS],
    *[Case(f"le graph, {input}", LE, {"n_neighbors": 4}, "X", input, taken=graph) for input in INPUTS],
    Case("le graph of one neighbour", LE, {"n_neighbors": 1}, "X", lowered=SEARCHED, taken=graph),
    Case("le graph of one neighbour, uneven", LE, {"n_neighbors": 1}, "X", "uneven", lowered=SEARCHED,
         taken=graph),
    Case("le graph, blocks of rows", LE, {"n_neighbors": 4}, "X", lowered=ROWS, taken=graph),
    *[Case(f"le components {k}", LE, {"n_components": k}, "X", skipped=REST) for k in (1, 3)],
    Case("le width", LE, {"sigma2": 5.0}, "X", skipped=REST),
    Case("le pieces", LE, {"n_neighbors": 2}, "X", skipped=REST),
    Case("le pieces, one component", LE, {"n_neighbors": 2, "n_components": 1}, "X", skipped=REST),
    Case("le given search", LE, {"neighbors": GIVEN_SEARCH}, "X", skipped=REST),
    Case("le arpack", LE, {}, "X y", lowered=ARPACK, skipped=REST),
    Case("le arpack, uneven", LE, {"n_components": 3}, "X", "uneven", lowered=ARPACK, skipped=REST),
    Case("le lanczos", LE, {"n_components": 1}, "X", lowered=LANCZOS, skipped=REST),
    Case("le fitted samples again, uneven", LE, {}, "X", "uneven", after={"transform": "X"},
         skipped=f"{REST} embedding_"),
    Case("le path", LE, {}, "X y", taken=of_path([1.0])),
]  # fmt: skip

SLEML_CASES = [
    *[
        Case(f"sle-ml balance {lam}", SLEML, {"lam": lam}, skipped=f"{REST} n_neighbors_ sigma2_")
        for lam in (0.0, 0.1, 0.9, 1.0)
    ],
    Case("sle-ml limit, more features", SLEML, {"lam": 0.0, "n_components": 1}, input="more features",
         skipped=REST),
    Case("sle-ml limit, label matrix", SLEML, LIMIT, "X Y", skipped="residual_"),
    Case("sle-ml limit, label matrix, three components", SLEML, LIMIT | {"n_components": 3}, "X Y",
         skipped="residual_"),
    Case("sle-ml limit, three components, uneven", SLEML, {"lam": 0.0, "n_components": 3}, input="uneven",
         skipped=REST),
    Case("sle-ml limit, more components than classes", SLEML, {"lam": 0.0, "n_components": 3}, skipped=REST),
    Case("sle-ml limit, unlabelled samples", SLEML, {"lam": 0.0}, "X part", skipped=REST),
    Case("sle-ml limit, label matrix with gaps", SLEML, {"lam": 0.0}, "X Y_part", skipped=REST),
    Case("sle-ml limit, arpack, label matrix", SLEML, LIMIT, "X Y", skipped="residual_",
         lowered={"toolkit.eigenmaps.solver.DENSE_LIMIT": 3}),
    Case("sle-ml limit, iterative solution", "eigenmaps.solver._solve",
         {"A": Made(chain), "B": Made(right_side)}, "", taken=lambda U, given: U[::50]),
    *[Case(f"sle-ml label matrix, {input}", SLEML, {}, "X Y", input, skipped=REST) for input in INPUTS],
    *[Case(f"sle-ml unlabelled samples, {input}", SLEML, {}, "X part", input, skipped=REST)
      for input in INPUTS],
    Case("sle-ml label matrix with gaps", SLEML, {"lam": 0.3}, "X Y_part", skipped=REST),
    Case("sle-ml names of classes", SLEML, {}, "X names", skipped=f"{REST} embedding_"),
    Case("sle-ml balanced, uneven", SLEML, {"class_weight": "balanced"}, input="uneven", skipped=REST),
    Case("sle-ml balanced, label matrix", SLEML, {"class_weight": "balanced"}, "X Y", skipped=REST),
    Case("sle-ml class weights, uneven", SLEML, {"class_weight": {0: 5.0, 2: 0.2}}, input="uneven",
         skipped=REST),
    Case("sle-ml five neighbours", SLEML, {"n_neighbors": 5}, skipped=REST),
    Case("sle-ml five neighbours, balance kept", SLEML, {"n_neighbors": 5, "keep_balance": True},
         skipped=REST),
    Case("sle-ml one neighbour", SLEML, {"n_neighbors": 1}, lowered=SEARCHED, skipped=REST),
    Case("sle-ml most links", SLEML, {}, lowered=FEW_LINKS, skipped=REST),
    Case("sle-ml width", SLEML, {"sigma2": 5.0}, skipped=REST),
    Case("sle-ml given search", SLEML, {"neighbors": GIVEN_SEARCH}, skipped=REST),
    Case("sle-ml given search, balance kept", SLEML, {"neighbors": GIVEN_SEARCH, "keep_balance": True},
         skipped=REST),
    Case("sle-ml nearest neighbours predict", SLEML, {"label_predictor": VOTERS}, "X names",
         skipped=f"{REST} embedding_"),
    Case("sle-ml nearest neighbours predict, label matrix", SLEML, {"label_predictor": VOTERS}, "X Y",
         skipped=f"{REST} embedding_"),
    *[Case(f"sle-ml components {k}", SLEML, {"n_components": k}, "X Y", skipped=REST) for k in (1, 3)],
    Case("sle-ml arpack", SLEML, {}, lowered=ARPACK, skipped=REST),
    Case("sle-ml arpack, label matrix, uneven", SLEML, {"lam": 0.2}, "X Y", "uneven", lowered=ARPACK,
         skipped=REST),
    Case("sle-ml path", SLEML, {}, taken=of_path([0.9, 0.5, 0.0])),
    Case("sle-ml path, arpack", SLEML, {}, "X part", taken=of_path([0.9, 0.4]), lowered=ARPACK),
]  # fmt: skip

CCDR_CASES = [
    *[
        Case(f"ccdr balance {lam}", CCDR, {"lam": lam}, skipped=f"{REST} n_neighbors_ sigma2_")
        for lam in (0.0, 0.1, 0.9, 1.0)
    ],
    *[Case(f"ccdr label matrix, {input}", CCDR, {}, "X Y", input, skipped=REST) for input in INPUTS],
    Case("ccdr unlabelled samples", CCDR, {}, "X part", skipped=REST),
    Case("ccdr label matrix with gaps", CCDR, {}, "X Y_part", skipped=REST),
    Case("ccdr five neighbours", CCDR, {"n_neighbors": 5}, skipped=REST),
    Case("ccdr width", CCDR, {"sigma2": 5.0}, skipped=REST),
    Case("ccdr given search", CCDR, {"neighbors": GIVEN_SEARCH}, skipped=REST),
    Case("ccdr nearest neighbours predict", CCDR, {"label_predictor": VOTERS}, "X names",
         skipped=f"{REST} embedding_"),
    *[Case(f"ccdr components {k}", CCDR, {"n_components": k}, skipped=REST) for k in (1, 3)],
    Case("ccdr arpack", CCDR, {"lam": 0.1}, lowered=ARPACK, skipped=REST),
    Case("ccdr path", CCDR, {"lam": 0.1}, taken=of_path([0.5, 0.1, 1.0])),
]  # fmt: skip

BASELINE_CASES = [
    Case("s-lapeig five neighbours", SLAPEIG, {"n_neighbors": 5}, skipped=REST),
    Case("s-lapeig widths", SLAPEIG, {"sigma2": 0.5, "tau2": 20.0}, skipped=REST),
    *[Case(f"s-lapeig components {k}", SLAPEIG, {"n_components": k}, skipped=REST) for k in (1, 3)],
    Case("s-lapeig blocks of rows, uneven", SLAPEIG, {}, input="uneven", lowered=PAIRS, skipped=REST),
    Case("s-lapeig arpack", SLAPEIG, {}, lowered=ARPACK, skipped=REST),
    Case("s-lapeig graph", SLAPEIG, {"n_neighbors": 3}, taken=graph),
    Case("s-lapeig fitted samples again, uneven", SLAPEIG, {}, input="uneven", after={"transform": "X"},
         skipped=f"{REST} embedding_"),
    Case("s-lapeig names of classes", SLAPEIG, {}, "X names", skipped=f"{REST} embedding_"),
    *[Case(f"s-le balance {beta}", SLE, {"beta": beta}) for beta in (0.1, 0.9)],
    Case("s-le width", SLE, {"sigma2": 5.0}),
    *[Case(f"s-le components {k}", SLE, {"n_components": k}) for k in (1, 3)],
    Case("s-le blocks of rows", SLE, {}, lowered=PAIRS),
    Case("s-le names of classes", SLE, {}, "X names", skipped="embedding_"),
    Case("cs balance", CS, {"beta": 0.3}),
    *[Case(f"cs components {k}, uneven", CS, {"n_components": k}, input="uneven") for k in (1, 3)],
    Case("cs names of classes", CS, {}, "X names"),
]  # fmt: skip

GRAPH_CASES = [
    *[
        Case(f"neighbours of new samples, {input}", "core.graphs.knn_of_new", {"n_neighbors": 3},
             "X_new X", input)
        for input in INPUTS
    ],
    Case("neighbours of new samples, blocks of rows", "core.graphs.knn_of_new", {"n_neighbors": 5}, "X_new X",
         lowered=ROWS),
    Case("neighbours of new samples, repeated", "core.graphs.knn_of_new",
         {"X": Made(repeated), "n_neighbors": 2}, "X_new"),
    Case("neighbours of new samples, all", "core.graphs.knn_of_new", {"n_neighbors": 50}, "X_new X_new"),
    *[
        Case(f"heat weights, width {sigma2}", "core.graphs.heat_weights",
             {"distances": Made(distances_of_new), "sigma2": sigma2}, "")
        for sigma2 in (0.01, 5.0)
    ],
]  # fmt: skip

CASES = [*DEFAULTS, *LE_CASES, *SLEML_CASES, *CCDR_CASES, *BASELINE_CASES, *GRAPH_CASES]
