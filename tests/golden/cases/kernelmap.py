"""Kernel maps of new samples, and the way back."""

from scipy.spatial.distance import cdist

from toolkit.fisher import GPFisher, ParzenFisher

from ..harness import Case
from ..inputs import INPUTS

__all__ = ["CASES"]

FORWARD, BACK = "kernelmap.KernelMap", "kernelmap.InverseMap"


def positions(model, given):
    return {"new": model.transform(given["X_new"]), "training": model.transform(given["X"])}


def from_distances(model, given):
    return {"new": model.transform(given["D_new"])}


def samples(model, given):
    return {"new": model.inverse_transform(given["Z_new"])}


def fitted(model, given):
    """What the fit found, and new positions."""
    found = {"coefficients": model.coefficients_, "bandwidth": model.bandwidth_, "centers": model.centers_}
    return found | {"new": model.transform(given["X_new"])}


def fitted_distances(model, given):
    """The same of distances."""
    found = {"coefficients": model.coefficients_, "bandwidth": model.bandwidth_}
    return found | {"new": model.transform(given["D_new"])}


def from_city_blocks(model, given):
    """New positions by distances of no Euclidean space."""
    X, X_new = given["X"], given["X_new"]
    return {"new": model.fit(cdist(X, X, "cityblock"), given["Z"]).transform(cdist(X_new, X, "cityblock"))}


def fitted_back(model, given):
    """What the fit found, and samples at new positions; some features of many."""
    found = {"centers": model.centers_, "coefficients": model.coefficients_[:, :6], "mean": model.mean_}
    return found | {"new": model.inverse_transform(given["Z_new"])[:, :6]}


def by_metric(make):
    """Samples at new positions, where `make` gives the metric of their errors."""

    def numbers(model, given):
        model.fit(given["X"], given["Z"], make(given))
        found = {"new": model.inverse_transform(given["Z_new"])[:, :6]}
        return found | {"centers": model.centers_, "coefficients": model.coefficients_[:, :6]}

    return numbers


def window(given):
    return ParzenFisher(perplexity=8).fit(given["X"], given["y"])


def window_with_lam(given):
    return ParzenFisher(perplexity=8, lam=0.1).fit(given["X"], given["y"])


def process(given):
    return GPFisher(beta=0.1, noise=0.05).fit(given["X"], given["t"])


def matrices(given):
    return window(given).matrix(given["X"])


SOME = {"n_centers": 9, "random_state": 0}
BLOCKS = {"toolkit.kernelmap.kernels.BLOCK_ENTRIES": 100}

# Options, what is given, the input, and what is taken.
FORWARDS = [
    *[(f"coefficients, {input}", {}, "X Z", input, fitted) for input in INPUTS],
    *[(f"rule for the width, {input}", {"bandwidth": "rule"}, "X Z", input, fitted)
      for input in ("three classes", "uneven")],
    ("rule and widths of each sample", {"bandwidth": "rule", "widths": "own"}, "X Z", "three classes",
     fitted),
    ("widths of each sample, uneven", {"bandwidth": 0.5, "widths": "own"}, "X Z", "uneven", fitted),
    ("widths of each centre", SOME | {"widths": "own"}, "X Z", "more features", fitted),
    ("other centres", SOME | {"n_centers": 5, "random_state": 3}, "X Z", "uneven", fitted),
    ("narrow kernel", {"bandwidth": 0.01}, "X Z", "three classes", fitted),
    ("very wide kernel, half of the directions", {"bandwidth": 10.0, "cutoff": 0.01}, "X Z", "three classes",
     fitted),
    ("no cutoff", SOME | {"cutoff": 0.0}, "X Z", "three classes", fitted),
    ("one target", SOME, "X t", "three classes", fitted),
    ("four targets", SOME, "X Y", "uneven", fitted),
    ("distances, uneven", {"metric": "precomputed"}, "D Z", "uneven", fitted_distances),
    ("distances, centres", SOME | {"metric": "precomputed"}, "D Z", "three classes", fitted_distances),
    ("distances, rule for the width", {"metric": "precomputed", "bandwidth": "rule"}, "D Z", "more features",
     fitted_distances),
    ("distances, widths of each sample", {"metric": "precomputed", "widths": "own"}, "D Z", "three classes",
     fitted_distances),
    ("city blocks", {"metric": "precomputed"}, "D Z", "three classes", from_city_blocks),
]  # fmt: skip
BACKS = [
    *[(f"coefficients, {input}", {}, "X Z", input, fitted_back) for input in ("three classes",
                                                                              "more features")],
    ("all centres", {"n_centers": 36}, "X Z", "three classes", fitted_back),
    ("samples as centres", {"centers": "samples", "n_centers": 8}, "X Z", "three classes", fitted_back),
    ("samples as centres, other seed", {"centers": "samples", "random_state": 5}, "X Z", "uneven",
     fitted_back),
    ("other seed", {"n_centers": 6, "random_state": 5}, "X Z", "more features", fitted_back),
    ("narrow kernel", {"bandwidth": 0.3}, "X Z", "three classes", fitted_back),
    ("three dimensions", {"n_centers": 6}, "X Y", "three classes",
     lambda model, given: {"new": model.inverse_transform(0.5 * given["Y_new"])}),
]  # fmt: skip
# Errors by a metric: conjugate gradients go on down to rounding, as they may stop one step sooner or later.
SOLVED = {"toolkit.kernelmap.inverse.RELATIVE_TOLERANCE": 1e-14}
METRICS = [
    *[(f"window, {input}", {}, input, window) for input in INPUTS],
    ("window, small ridge", {"lam": 0.01}, "three classes", window),
    ("window with lam, no ridge", {"lam": 0.0}, "three classes", window_with_lam),
    ("process", {}, "three classes", process),
    ("matrices", {}, "three classes", matrices),
    ("matrices of nothing", {}, "three classes", lambda given: 0 * matrices(given)),
]

CASES = [
    *[Case(f"kernel map, {input}", FORWARD, {}, "X Z", input, taken=positions) for input in INPUTS],
    Case("kernel map, wide kernel", FORWARD, {"bandwidth": 1.0, "cutoff": 1e-4}, "X Z", taken=positions),
    Case("kernel map, widths of each sample", FORWARD, {"widths": "own"}, "X Z", taken=positions),
    Case("kernel map, centres", FORWARD, {"n_centers": 9, "random_state": 0}, "X Z", taken=positions),
    Case("kernel map, distances", FORWARD, {"metric": "precomputed"}, "D Z", taken=from_distances),
    *[Case(f"inverse map, {input}", BACK, {}, "X Z", input, taken=samples) for input in INPUTS],
    Case("inverse map, few centres", BACK, {"n_centers": 5}, "X Z", taken=samples),
    Case("inverse map, ridge and width", BACK, {"lam": 0.1, "bandwidth": 2.0}, "X Z", taken=samples),
    *[Case(f"kernel map, {words}", FORWARD, options, given, input, taken=taken)
      for words, options, given, input, taken in FORWARDS],
    *[Case(f"inverse map, {words}", BACK, options, given, input, taken=taken)
      for words, options, given, input, taken in BACKS],
    *[Case(f"inverse map, {words}", BACK, {"n_centers": 6} | options, "X Z", input, lowered=SOLVED,
           taken=by_metric(make))
      for words, options, input, make in METRICS],
    Case("kernel map, blocks of rows", FORWARD, {}, "X Z", lowered=BLOCKS, taken=positions),
    Case("inverse map, blocks of rows", BACK, {}, "X Z", lowered=BLOCKS, taken=samples),
]  # fmt: skip
