"""Kernel maps of new samples, and the way back."""

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


CASES = [
    *[Case(f"kernel map, {input}", FORWARD, {}, "X Z", input, taken=positions) for input in INPUTS],
    Case("kernel map, wide kernel", FORWARD, {"bandwidth": 1.0, "cutoff": 1e-4}, "X Z", taken=positions),
    Case("kernel map, widths of each sample", FORWARD, {"widths": "own"}, "X Z", taken=positions),
    Case("kernel map, centres", FORWARD, {"n_centers": 9, "random_state": 0}, "X Z", taken=positions),
    Case("kernel map, distances", FORWARD, {"metric": "precomputed"}, "D Z", taken=from_distances),
    *[Case(f"inverse map, {input}", BACK, {}, "X Z", input, taken=samples) for input in INPUTS],
    Case("inverse map, few centres", BACK, {"n_centers": 5}, "X Z", taken=samples),
    Case("inverse map, ridge and width", BACK, {"lam": 0.1, "bandwidth": 2.0}, "X Z", taken=samples),
]
