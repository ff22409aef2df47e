"""Transfer: the embeddings that two sets share, by linear maps and kernel maps, and the steps on the way."""

from functools import partial

import numpy as np
from scipy.spatial.distance import cdist, squareform

from toolkit.discriminant import FDA
from toolkit.embed import MDS, TSNE
from toolkit.embed.affinities import affinities
from toolkit.transfer import search
from toolkit.transfer.em import expect
from toolkit.transfer.kernel import Cost
from toolkit.transfer.linear import RidgeProblem
from toolkit.transfer.search import Candidate
from toolkit.transfer.structure import gw_coupling

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]

LINEAR, KERNEL = "transfer.SharedLinearEmbedding", "transfer.SharedKernelEmbedding"
FEW = {"n_bandwidths": 3, "ridge": 0.01, "random_state": 0}
PARTS = {"toolkit.transfer.base.MAX_SEARCHED": 15}
PAIRS = {"toolkit.transfer.em.PAIRS_PER_BLOCK": 100}


def embedding(model, given):
    """Both sides, the evidence, the candidates and the course."""
    words = "source_embedding target_embedding theta bandwidth log_likelihood self_log_likelihood"
    words += " coefficients intercept ridge lam centers"
    found = {word: getattr(model, f"{word}_", None) for word in words.split()}
    found |= {"evidence": model.evidence_, "step 1": model.target_embedding_at(1)[::4]}
    likelihoods = [(c["log_likelihood"], c["objective"]) for c in model.candidates_]
    return found | {"candidates": likelihoods, "course": model.history_["log_likelihood"]}


def new(source, target):
    """The embedding, and new samples of either side."""

    def taken(model, given):
        sides = model.transform_source(given[source]), model.transform_target(given[target])
        return {"sides": sides, "embedding": model.target_embedding_, "confidence": model.confidence_}

    return taken


LINEARS = [
    *[Case(f"shared linear few bandwidths, {input}", LINEAR, FEW, "X X_new", input, taken=embedding)
           for input in INPUTS],
    Case("shared linear default", LINEAR, {"random_state": 0}, "X X_new", taken=embedding),
    *[Case(f"shared linear, target a map, {input}", LINEAR, FEW, "X Z", input, taken=new("X_new", "Z_new"))
           for input in INPUTS],
    Case("shared linear, source a map", LINEAR, FEW, "Z X", taken=embedding),
    Case("shared linear, coordinates", LINEAR, FEW | {"source": "@Z"}, "X X_new", taken=new("X_new", "X")),
    Case("shared linear, MDS", LINEAR, FEW | {"source": MDS()}, "X X_new", taken=new("X_new", "X")),
    Case("shared linear, classes of the source", LINEAR, FEW | {"source": FDA()}, "X X_new y",
         taken=new("X_new", "X")),
    *[Case(f"shared linear, components {k}", LINEAR, FEW | {"n_components": k}, "X X_new", taken=embedding)
           for k in (1, 3)],
    Case("shared linear, components 5", LINEAR, FEW | {"n_components": 5, "n_bandwidths": 1}, "X X",
         taken=new("X_new", "X_new")),
    Case("shared linear, not standardised, uneven", LINEAR, FEW | {"standardize": False}, "X Z", "uneven",
         taken=embedding),
    *[Case(f"shared linear, ridge {ridge}", LINEAR, FEW | {"ridge": ridge}, "X X_new", taken=embedding)
           for ridge in (0, 1)],
    Case("shared linear, directions 2, more features", LINEAR, FEW | {"n_directions": 2}, "X X_new",
         "more features", taken=embedding),
    Case("shared linear, bandwidth", LINEAR, FEW | {"bandwidth": 0.3}, "X X_new", taken=embedding),
    *[Case(f"shared linear, start {start}", LINEAR, FEW | {"starts": start}, "X X_new", taken=embedding)
           for start in ("axes", "structure")],
    Case("shared linear, weights", LINEAR, FEW | {"fit_weights": True}, "X X_new", taken=embedding),
    Case("shared linear, some samples", LINEAR, FEW, "X Z", taken=embedding, lowered=PARTS),
    Case("shared linear, blocks of rows", LINEAR, FEW, "X X_new", taken=embedding, lowered=PAIRS),
]  # fmt: skip

SHORT = partial(TSNE, max_iter=251)
# Few steps of everything: longer descents amplify rounding.
STEPS = {
    "toolkit.transfer.base.TSNE": SHORT,
    "toolkit.transfer.kernel.TSNE": SHORT,
    "toolkit.transfer.kernel.MAX_DESCENT": 2,
    "toolkit.transfer.kernel.STEPS": 1,
    "toolkit.transfer.search.STEPS": 1,
    "toolkit.transfer.search.anneal.__kwdefaults__": search.anneal.__kwdefaults__ | {"last_steps": 2},
}
MIXED = {"source": "pca", "n_bandwidths": 2, "lam": 0.1, "random_state": 0}


def kernel(words, options, input="three classes", taken=embedding, given="X X_new", **more):
    """A case of few steps."""
    return Case(f"shared kernel, {words}", KERNEL, MIXED | options, given, input, taken=taken,
                lowered=STEPS | more)  # fmt: skip


KERNELS = [
    *[kernel(f"few steps, {input}", {}, input) for input in INPUTS],
    *[kernel(f"source t-SNE, {input}", {"source": "tsne"}, input, new("X_new", "X")) for input in INPUTS],
    kernel("coordinates", {"source": "@Z"}, taken=new("X_new", "X")),
    kernel("classes of the source, uneven", {"source": FDA()}, "uneven", new("X_new", "X"), "X X_new y"),
    kernel("weights tried in turn", {"lam": None}),
    kernel("weights tried in turn, uneven", {"lam": None, "starts": "turns"}, "uneven"),
    *[kernel(f"weight {lam}", {"lam": lam}) for lam in (0, 2)],
    *[kernel(f"start {start}", {"starts": (start,)}) for start in ("turns", "structure")],
    *[kernel(f"components {k}", {"n_components": k}) for k in (1, 3)],
    kernel("perplexity", {"perplexity": 2.5}),
    kernel("centres 6, uneven", {"n_centers": 6}, "uneven"),
    kernel("narrow kernels", {"kernel_width": 0.2}),
    kernel("bandwidth, one step", {"bandwidth": 0.4, "n_bandwidths": 1}),
    kernel("four bandwidths, more features", {"n_bandwidths": 4}, "more features", new("X_new", "X")),
    kernel("some samples", {}, given="X_new X", **PARTS),
]


def in_unit(given, key="Z"):
    return given[key] / np.sqrt(np.mean(given[key] ** 2))


def design(given):
    """Three scores of new samples, and ones."""
    Z = in_unit(given, "Z_new")
    return np.column_stack([Z, Z[:, 0] * Z[:, 1], np.ones(len(Z))])


def wave(*shape):
    """A matrix of full rank without a seed."""
    return np.sin(1.0 + np.arange(np.prod(shape)) ** 2).reshape(shape)


def e_step(given):
    n = len(given["Z_new"])
    return expect(in_unit(given), in_unit(given, "Z_new"), np.full(n, -np.log(n)), 0.4)


def mixture(bandwidth):
    """What an E-step gets: samples in the unit of the map, and new ones as centres of unequal weights."""
    log_theta = Made(lambda given: np.log(np.linspace(0.5, 1.5, len(given["Z_new"])) / len(given["Z_new"])))
    sides = {"source": Made(in_unit), "target": Made(lambda given: in_unit(given, "Z_new"))}
    return {**sides, "log_theta": log_theta, "bandwidth": bandwidth}


def candidates(given):
    """Alignments by turns of the new samples, as a search would have found them."""
    Z, target, found = in_unit(given), in_unit(given, "Z_new"), []
    for angle in (0.0, 0.1, 1.5, 3.0):
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        rows = expect(Z, target @ turn, np.full(len(target), -np.log(len(target))), 0.4).rows
        found.append(Candidate("", turn, np.zeros(len(target)), target @ turn, rows, 0.1 * angle, []))
    return sorted(found, key=lambda c: -c.objective)


def pairs(given):
    return gw_coupling(given["D"], cdist(given["X_new"], given["X_new"]))


def of_evidence(**options):
    return {
        "candidates": Made(candidates), "pairs": Made(pairs), "source": Made(in_unit), "reference": -1.5,
        "by": "log_likelihood", "weights": (0.3, 1.0, -1.15),
    } | options  # fmt: skip


def cost(given, lam=0.3):
    D = cdist(given["X_new"], given["X_new"])
    return Cost(design(given), squareform(affinities(D**2, 2.5), checks=False), lam, 2.0)


def candidate(result, given):
    names = ("B", "log_theta", "positions", "rows", "penalty", "log_likelihood", "objective")
    return {name: getattr(result, name) for name in names} | {"course": result.course()["expected"]}


def ridge_problem(**options):
    return Made(lambda given: RidgeProblem(in_unit(given), design(given), 0.05, **options))


START = {"B": 0.5 * wave(4, 2), "bandwidths": np.array([1.0, 0.5])}
PARTS_OF_IT = [
    *[Case(f"transfer expectation, {input}", "transfer.em.expect", mixture(0.5), "", input)
           for input in INPUTS],
    Case("transfer expectation, narrow", "transfer.em.expect", mixture(0.05), ""),
    Case("transfer expectation, blocks of rows", "transfer.em.expect", mixture(0.5), "", lowered=PAIRS),
    Case("transfer responsibilities", "transfer.em.responsibilities", mixture(0.3), "", "uneven",
         taken=lambda result, given: result[::4]),
    *[Case(f"transfer likelihood of the source, {input}", "transfer.em.self_log_likelihood",
           {"xi": Made(in_unit), "bandwidth": 0.3}, "", input) for input in INPUTS],
    Case("transfer likelihood of the source, some centres, blocks of rows, uneven",
         "transfer.em.self_log_likelihood", {"xi": Made(in_unit), "bandwidth": 0.3, "n_centers": 7}, "",
         "uneven", lowered=PAIRS),
    *[Case(f"transfer ridge step, penalty {ridge}", "transfer.em.ridge_step",
           {"design": Made(design), "weight": Made(lambda given: e_step(given).weight),
           "pull": Made(lambda given: e_step(given).pull),
           "penalty": np.array([ridge, ridge, ridge, 0.0])}, "") for ridge in (0.0, 0.5)],
    *[Case(f"transfer coupling, {input}", "transfer.structure.gw_coupling",
           {"D_source": "@D", "D_target": Made(lambda given: cdist(given["X_new"], given["X_new"]))}, "",
           input, taken=lambda result, given: result[::3]) for input in INPUTS],
    Case("transfer coupling, one entropy", "transfer.structure.gw_coupling",
         {"D_source": "@D", "D_target": "@D", "entropies": [0.05]}, "", "uneven",
         taken=lambda result, given: result[::5]),
    Case("transfer sinkhorn", "transfer.structure.sinkhorn", {"cost": "@D_new", "entropy": 3.0}, "",
         taken=lambda result, given: result[::2]),
    *[Case(f"transfer starts on axes, {k} dimensions", "transfer.search.axis_starts",
           {"source": Made(lambda given, k=k: given["X"][:, :k]),
           "scores": Made(lambda given: given["X_new"]),
           "rng": Made(lambda given: np.random.RandomState(0))}, "", taken=lambda result, given: list(W for _,
           W in result)[::5]) for k in (1, 2, 4, 5)],
    Case("transfer turns of a map", "transfer.kernel.turns",
         {"source": Made(in_unit), "Z": Made(lambda given: given["Z_new"]), "rng": None}, "",
         taken=lambda result, given: [Z for _, Z in result][::3]),
    Case("transfer principal axes", "transfer.search.principal_axes", {}, "Z"),
    *[Case(f"transfer annealing, {words}", "transfer.search.anneal",
           START | {"problem": ridge_problem(fit_weights=fits), "last_steps": 3}, "", input,
           taken=candidate) for words, fits, input in (("equal weights", False, "three classes"),
           ("equal weights, uneven", False, "uneven"), ("fitted weights", True, "three classes"))],
    Case("transfer evidence", "transfer.confidence.evidence", of_evidence(), ""),
    Case("transfer evidence without a coupling, uneven", "transfer.confidence.evidence",
         of_evidence(pairs=None, by="objective"), "", "uneven"),
    Case("transfer evidence, one alignment", "transfer.confidence.evidence",
         of_evidence(candidates=Made(lambda given: candidates(given)[:1])), ""),
    Case("transfer evidence, all starts alike", "transfer.confidence.evidence",
         of_evidence(candidates=Made(lambda given: candidates(given)[:1] * 3)), ""),
    *[Case(f"transfer cost and gradient, {input}", "transfer.kernel.Cost",
           {"design": Made(design), "affinities": Made(lambda given: cost(given).affinities), "lam": 0.3,
           "unit": 2.0}, "", input, taken=lambda result, given: result(wave(4, 2))) for input in INPUTS],
    *[Case(f"transfer objective and gradient of a step, {input}", "transfer.kernel.m_step_objective",
           {"e": Made(e_step), "design": Made(design), "n": 36, "cost": Made(cost)}, "", input,
           taken=lambda result, given: result(wave(4, 2))) for input in ("three classes", "uneven")],
]  # fmt: skip

BASELINE = Case("transfer baseline, linear classes", "transfer.baselines.linear_svm", {}, "Z y Z_new")
CASES = [*LINEARS, *KERNELS, *PARTS_OF_IT, BASELINE]
