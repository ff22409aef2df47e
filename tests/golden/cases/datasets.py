"""Data sets: what the makers draw, and what is loaded, in short."""

import numpy as np
import scipy.sparse

from toolkit.datasets import DatasetUnavailable, load

from ..harness import Case

__all__ = ["CASES"]

SEED = {"random_state": 0}


def made(words, name, options=None, n=12):
    """A case of few samples."""
    return Case(f"data made, {words}", f"datasets.{name}", {"n_samples": n} | SEED | (options or {}), "")


MAKERS = [
    made("two modes", "make_two_modes"),
    made("two modes, wide", "make_two_modes", {"spread": 1.5, "random_state": 1}, 10),
    made("ball with tube", "make_ball_with_tube", n=20),
    made("ball with tube, wide tube with a gap", "make_ball_with_tube",
         {"tube_radius": 0.5, "noise_below": -1, "gap": 0.4}, 20),
    made("ball with tube, much noise", "make_ball_with_tube", {"noise_below": 0.2}, 20),
    made("sphere", "make_sphere"),
    made("sphere, noise", "make_sphere", {"noise": 0.3}),
    made("torus", "make_torus"),
    made("torus, jitter", "make_torus",
         {"n_garbage": 2, "n_classes": 3, "radii": (2.0, 0.5), "garbage": 0.5, "jitter": 0.1}),
    made("clusters", "make_clusters"),
    made("clusters, more of them", "make_clusters",
         {"n_garbage": 1, "n_classes": 2, "clusters_per_class": 3, "spread": 0.3, "garbage": 2.0}),
    made("hidden moons", "make_hidden_moons", {"n_features": 6, "n_labelled": 2}),
    made("hidden moons, labels on one side", "make_hidden_moons",
         {"n_features": 3, "n_labelled": 2, "noise": 0.1, "jitter": 0.2, "placement": "one-sided"}, 20),
    made("hidden moons, own seed of labels", "make_hidden_moons",
         {"n_features": 3, "n_labelled": 3, "labels_state": 3}, 20),
    made("enclosed class", "make_enclosed_class"),
    made("enclosed class, centres", "make_enclosed_class",
         {"centers": [[0, 0, 1], [0, 2, 0], [3, 0, 0]], "spread": (0.1, 0.2, 0.3)}),
    made("plate in ring", "make_plate_in_ring"),
    made("plate in ring, no outlier", "make_plate_in_ring", {"outlier": False}),
    made("stacked discs", "make_stacked_discs"),
    made("labelled cube", "make_labelled_cube"),
    made("labelled cube, fewer features", "make_labelled_cube", {"n_features": 4, "random_state": 5}),
    made("stacked clusters", "make_stacked_clusters"),
    made("two clusters with outlier", "make_two_clusters_with_outlier", n=13),
    made("three clusters", "make_three_clusters"),
    made("stacked gaussians", "make_stacked_gaussians"),
    made("noisy copies", "make_noisy_copies"),
    made("noisy copies, little noise", "make_noisy_copies", {"n_features": 5, "noise": 0.01}),
    made("bimodal class", "make_bimodal_class"),
    made("redundant regression", "make_redundant_regression"),
    made("redundant regression, correlated", "make_redundant_regression",
         {"n_noise": 3, "correlation": 0.6, "copy_noise": 0.2}),
    made("xor copies", "make_xor_copies"),
    made("xor copies, other shares", "make_xor_copies", {"spread": 0.4, "noise": 0.5, "share": 0.2}),
    made("switching relevance", "make_switching_relevance"),
    made("switching relevance, gap", "make_switching_relevance", {"n_noise": 3, "gap": 0.5}),
]  # fmt: skip


def in_short(bunch, given=None):
    """Shape, means and deviations of the first columns, the target, and what else there is,
    by its size and sum."""
    X = bunch.data.toarray() if scipy.sparse.issparse(bunch.data) else np.asarray(bunch.data, dtype=float)
    columns = X.reshape(len(X), -1)[:, :20]
    found = {"shape": X.shape, "means": np.nanmean(columns, axis=0), "deviations": np.nanstd(columns, axis=0)}
    found["gaps"] = np.isnan(X).sum()
    if "target" in bunch:
        y = bunch.target
        found["target"] = np.bincount(y) if y.dtype.kind in "iu" and y.ndim == 1 else y.mean(axis=0)
    others = set(bunch) - {"data", "target", "DESCR"}
    arrays = {name: np.asarray(bunch[name]) for name in sorted(others)}
    numeric = {name: A for name, A in arrays.items() if A.dtype.kind in "biuf"}
    return found | {name: [A.size, A.sum()] for name, A in numeric.items()}


def only_shipped(name):
    """`load` on a machine that has few sets."""
    if name in ("votes", "tecator"):
        return load(name)
    raise DatasetUnavailable(name)


SILENT = {
    "toolkit.datasets.substitutes.load": only_shipped,
    "toolkit.datasets.substitutes._substituted": set(),
    "toolkit.datasets.substitutes.print": lambda *words: None,
}
SHIPPED = ("boston", "landsat", "letter", "tecator", "votes")
OF_SKLEARN = ("iris", "digits", "wine", "diabetes", "breast_cancer")
# Not santa_fe, whose orbit is chaotic.
OTHERS = (
    "scene", "medical", "usps", "coil20", "ida_heart", "ida_banana", "ida_german", "adrenal", "voting",
    "phoneme",
    "wine_spectra", "poland_electricity",
)  # fmt: skip
LOADERS = [
    *[Case(f"data loaded, {name}", "datasets.load", {"name": name}, "", taken=in_short)
           for name in (*SHIPPED, *OF_SKLEARN)],
    *[Case(f"data in place of others, {name}", "datasets.load_or_substitute", {"name": name}, "",
           taken=lambda result, given: [in_short(result[0]), result[1]], lowered=SILENT) for name in OTHERS],
    Case("data that are there", "datasets.load_or_substitute", {"name": "votes"}, "", lowered=SILENT,
         taken=lambda result, given: [in_short(result[0]), result[1]]),
    *[Case(f"data checksum, {name}", "datasets.checksums", {"name": name}, "",
           taken=lambda result, given: [int(result[i : i + 8], 16)
           for i in range(0, 64, 8)]) for name in ("iris", "votes")],
    Case("data known", "datasets.list_datasets", {}, "",
         taken=lambda result, given: [row["shape"] for row in result]),
]  # fmt: skip

CASES = [*MAKERS, *LOADERS]
