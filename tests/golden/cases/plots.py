"""Pictures: images, counts and segments that are drawn, and the numbers of displays."""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.discriminant import FDA
from toolkit.multilabel import FeatureLabelEigenmap, SampleLabelEigenmap, SampleLabelMap
from toolkit.plots.density import Cells

from ..harness import Case, Made
from ..inputs import INPUTS

__all__ = ["CASES"]


def wave(*shape):
    """Numbers from -1 to 1 without a seed."""
    return np.sin(1.0 + np.arange(np.prod(shape)) ** 2).reshape(shape)


def cell(given):
    """A cell of which some seven lie beside each other."""
    return np.ptp(given["Z"], axis=0) / [6.7, 4.6]


def matrices(given):
    """A positive semi-definite matrix for each sample, some of rank one."""
    A = wave(len(given["Z"]), 2, 2)
    A[::3, 1] = 0.0
    return np.einsum("nki,nkj->nij", A, A)


def box(given):
    (x0, y0), (x1, y1) = given["Z"].min(axis=0), given["Z"].max(axis=0)
    return x0, x1, y0, y1


def in_order(segments, given):
    """Segments in an order that does not depend on how they were found."""
    ends = segments.reshape(-1, 2, 2)
    turned = ends[:, 0, 0] > ends[:, 1, 0]
    ends = np.where(turned[:, None, None], ends[:, ::-1], ends).reshape(-1, 4)
    return ends[np.lexsort(np.round(ends, 6).T)]


def colors(result, given):
    """Colours as numbers, and signs as their number."""
    signs = list(dict.fromkeys(sign for _, sign in result))
    return [(int(color[1:], 16), signs.index(sign)) for color, sign in result]


def counts_of(k):
    """Samples of each of k classes in each cell, and the edges of the cells."""
    return lambda cells, given: [np.stack([cells.sums(given["y"] == c) for c in range(k)], axis=-1), cells.extent]


def drawn(cells, given):
    """A value in each cell, how many samples it has, and the edges of the cells."""
    return [cells.drawn(given["t"])[0], cells.counts, cells.extent]


def frames(result, given):
    from matplotlib import pyplot as plt

    figure, axes = result
    found = {"size": figure.get_size_inches(), "frames": [ax.get_position().bounds for ax in axes]}
    plt.close(figure)
    return found


def densities(counts, faintest):
    """Options of the image of cells that hold so many samples of each class, `counts` (h, w, k)."""
    at = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0)
    found, _ = Cells(at[:, 1::-1], np.ones(2)).drawn(at[:, 2])
    drawn = np.full(counts.shape[:2], np.nan)
    drawn[: found.shape[0], : found.shape[1]] = found  # the last column may have no samples
    return {"drawn": drawn, "counts": counts.sum(axis=-1), "colors": THREE, "faintest": faintest}


THREE = ["#ff0000", "#00ff00", "#0000ff"]
COUNTS = np.arange(36).reshape(3, 4, 3) ** 2 % 11
CODES = np.arange(20).reshape(4, 5) % 3
CERTAINTY, TRUST = np.abs(wave(4, 5)), np.linspace(0, 1, 20).reshape(4, 5)
FUNCTIONS = [
    *[Case(f"counts of classes in cells, {input}", "plots.density.Cells", {"cell": Made(cell)}, "Z", input,
           taken=counts_of(5)) for input in INPUTS],
    Case("counts of classes in cells, one cell", "plots.density.Cells", {"cell": (1e3, 1e3)}, "Z", taken=counts_of(3)),
    *[Case(f"values in cells, {input}", "plots.density.Cells", {"cell": Made(cell)}, "Z", input, taken=drawn)
           for input in INPUTS],
    Case("values in cells, one row", "plots.density.Cells",
         {"embedding": Made(lambda given: given["Z"] * [1, 0]), "cell": (1.0, 1.0)}, "", taken=drawn),
    Case("image of densities", "plots.density.density_image", densities(COUNTS, 0.4), ""),
    Case("image of densities, faintest", "plots.density.density_image", densities(COUNTS * (COUNTS > 4), 0.1), ""),
    Case("image of decisions", "plots.decisions.decision_image", {"codes": CODES}, ""),
    Case("image of decisions, certainty", "plots.decisions.decision_image", {"codes": CODES, "certainty": CERTAINTY},
         ""),
    Case("image of decisions, certainty and trust", "plots.decisions.decision_image",
         {"codes": CODES, "certainty": CERTAINTY, "trust": TRUST}, ""),
    Case("image of decisions, no trust", "plots.decisions.decision_image",
         {"codes": CODES, "certainty": CERTAINTY, "trust": 0.4 * TRUST}, ""),
    Case("image of decisions, many classes", "plots.decisions.decision_image", {"codes": CODES + 9},
         ""),
    Case("image of decisions, no certainty at all", "plots.decisions.decision_image",
         {"codes": CODES, "certainty": 0 * TRUST}, ""),
    Case("image of values", "plots.decisions.value_image", {"values": wave(4, 5)}, ""),
    Case("image of values, trust and limits", "plots.decisions.value_image",
         {"values": wave(4, 5), "trust": TRUST, "limits": (-0.3, 0.5)}, ""),
    Case("image of values, constant", "plots.decisions.value_image", {"values": np.ones((2, 2))}, ""),
    *[Case(f"ellipses, {input}", "plots.ellipse_segments",
           {"points": Made(lambda given: given["Z"][::3]),
           "matrices": Made(lambda given: matrices(given)[::3]), "size": 0.5,
           "n_edges": 6}, "", input) for input in INPUTS],
    Case("ellipses, usual edges", "plots.ellipse_segments",
         {"points": np.array([[0.0, 1.0], [2.0, -1.0]]),
         "matrices": np.stack([np.eye(2), [[2.0, 0.5], [0.5, 1.0]]]), "size": 2.0}, ""),
    Case("ellipses, no metric", "plots.ellipse_segments",
         {"points": np.ones((1, 2)), "matrices": np.zeros((1, 2, 2)), "size": 1.0, "n_edges": 3}, ""),
    *[Case(f"voronoi cells, {input}", "plots.voronoi_segments",
           {"points": Made(lambda given: given["Z"][:9]), "box": Made(box)}, "", input,
           taken=in_order) for input in INPUTS],
    Case("voronoi cells, points on a line and twice", "plots.voronoi_segments",
         {"points": np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [3.0, 0.0]]), "box": (0, 3, 0, 0)}, "",
         taken=in_order),
    Case("voronoi cells, one point", "plots.voronoi_segments",
         {"points": np.ones((2, 2)), "box": (0, 1, 0, 1)}, "", taken=lambda result, given: result.shape),
    Case("styles of classes", "plots.style.class_styles", {"n_classes": 23}, "", taken=colors),
    *[Case(f"panels, {count}", "plots.panels", {"count": count} | options, "", taken=frames) for count,
           options in ((1, {}), (4, {}), (5, {"ratio": 1.2, "columns": 2, "width": 5}))],
    Case("panels in space", "plots.panels", {"count": 2, "projection": "3d"}, "", taken=frames),
    Case("centres of cells", "plots.decisions.cell_centers",
         {"extent": (-1.0, 2.0, 0.0, 1.0), "shape": (2, 3)}, ""),
]  # fmt: skip

FIELD = {"codes": CODES, "extent": (-1, 1, -1, 1), "class_names": ["a", "b", "c", "d"]}
VALUES = {"values": wave(4, 5), "extent": (-1, 1, -1, 1)}


def image(display, given):
    return display.image()


def arrows(display, given):
    names = ("embedding", "components", "shown_", "hidden_", "scale_", "tips_", "anchors")
    found = {name: getattr(display, name) for name in names}
    return found | {"index": getattr(display.samples, "index", None)}


def fitted(model, target):
    return Made(lambda given: model.fit(given["X"], given[target]))


def linear(words, model, target="y", input="three classes", **options):
    """The arrows of a fitted linear map."""
    options = {"estimator": fitted(model, target), "X": "@X", "y": f"@{target}"} | options
    return Case(f"arrows of a linear map, {words}", "plots.LinearMapDisplay", options, "", input,
    taken=arrows,
                maker="from_estimator")  # fmt: skip


def labels(display, given):
    return {name: getattr(display, name) for name in ("embedding", "Y", "label_points", "set_points")}


ARROWS = {"embedding": "@Z", "y": "@y", "components": Made(lambda given: given["X"][:2] * [1, 0, 1, 2, 1])}
DISPLAYS = [
    Case("display of decisions", "plots.DecisionDisplay", FIELD | {"index": "@y"}, "Z", taken=image),
    Case("display of decisions, certainty and trust, uneven", "plots.DecisionDisplay",
         FIELD | {"index": "@y", "certainty": CERTAINTY, "trust": TRUST}, "Z", "uneven", taken=image),
    Case("display of a regression", "plots.RegressionDisplay", VALUES | {"targets": "@t"}, "Z", taken=image),
    Case("display of a regression, trust, uneven", "plots.RegressionDisplay",
         VALUES | {"targets": "@t", "trust": TRUST}, "Z", "uneven", taken=image),
    Case("histogram of classes", "plots.HistogramDisplay", {"values": "@t", "y": "@names"}, "", "uneven",
         taken=lambda display, given: display.index),
    Case("map of classes", "plots.MapDisplay",
         {"y": "@names", "prototypes": "@Z_new", "prototype_labels": "@names_new",
         "sides": Made(lambda given: given["part"] < 0)}, "Z", "uneven",
         taken=lambda display, given: [display.index, display.prototype_index, display.outlined]),
    *[Case(f"equivalent weights, slack {slack}", "plots.EquivalentWeightsDisplay",
           {"weights": [2.0, -1.5], "direction": direction, "slack": slack}, "",
           taken=lambda display, given: [display.norm, display.shortest,
           display.ends]) for slack, direction in ((1.0, [1.0, -1.0]), (1.3, [1.0, 0.4]), (2.0, [1.0, 1.0]))],
    Case("arrows of given components", "plots.LinearMapDisplay", ARROWS, "", taken=arrows),
    Case("arrows of given components, groups and anchors", "plots.LinearMapDisplay",
         ARROWS | {"groups": [0, 0, 1, 2, 2], "most": 2, "anchors": np.eye(2)}, "", taken=arrows),
    *[linear(f"principal components, {input}", PCA(2, svd_solver="full"), input=input) for input in INPUTS],
    linear("samples and labels", SampleLabelMap()),
    linear("label matrix", SampleLabelMap(), "Y", "uneven"),
    linear("pipeline of a discriminant map, names", make_pipeline(StandardScaler(), FDA()), "names",
    "uneven"),
    linear("values, few arrows", PCA(2, svd_solver="full"), "t", "more features", most=3),
    Case("arrows of a linear map, few features at once", "plots.arrows.linear_parts",
         {"estimator": fitted(PCA(2, svd_solver="full"), "y"), "X": "@X"}, "",
         lowered={"toolkit.plots.arrows.PROBED": 12}),
    *[Case(f"display of samples and labels, {words}", "plots.SampleLabelDisplay",
           {"estimator": fitted(model, target), "X": "@X_new", "Y": f"@{target}_new"}, "", input,
           taken=labels, maker="from_estimator") for words, model, target, input in (("label matrix",
           SampleLabelMap(), "Y", "three classes"), ("classes, uneven", SampleLabelMap(), "names",
           "uneven"), ("eigenmap", SampleLabelEigenmap(), "Y", "three classes"))],
    Case("display of features and labels", "plots.FeatureLabelDisplay",
         {"estimator": fitted(FeatureLabelEigenmap(), "Y")}, "", maker="from_estimator",
         taken=lambda display, given: [display.feature_points, display.label_points]),
]  # fmt: skip

CASES = [*FUNCTIONS, *DISPLAYS]
