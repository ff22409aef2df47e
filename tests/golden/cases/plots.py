"""Pictures: images, counts and segments that are drawn, and the numbers of displays."""

from functools import partial

import numpy as np
from matplotlib import pyplot as plt
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.discriminant import FDA
from toolkit.multilabel import (
    FeatureLabelEigenmap,
    SampleLabelEigenmap,
    SampleLabelMap,
)
from toolkit.plots.density import Cells

from ..harness import case, each
from ..inputs import INPUTS, fitted, quantity, wave


@quantity
def cell(Z):
    """A cell of which some seven lie beside each other."""
    return np.ptp(Z, 0) / [6.7, 4.6]


@quantity
def some_points(Z):
    return Z[::3]


@quantity
def some_matrices(Z):
    """A positive semi-definite matrix for each sample, some of rank one."""
    A = wave(len(Z), 2, 2)
    A[::3, 1] = 0.0
    return np.einsum("nki,nkj->nij", A, A)[::3]


@quantity
def first_points(Z):
    return Z[:9]


@quantity
def box(Z):
    return np.column_stack([Z.min(0), Z.max(0)]).ravel()


@quantity
def components(X):
    return X[:2] * [1, 0, 1, 2, 1]


@quantity
def outlined(part):
    return part < 0


def in_order(segments):
    """Segments in an order that does not depend on how they were found."""
    ends = segments.reshape(-1, 2, 2)
    turned = ends[:, 0, 0] > ends[:, 1, 0]
    chosen = np.where(turned[:, None, None], ends[:, ::-1], ends)
    ends = chosen.reshape(-1, 4)
    return ends[np.lexsort(np.round(ends, 6).T)]


def counts_of_classes(cells, y):
    """Samples of each class in each cell, and the edges of the cells."""
    return [np.stack([cells.sums(y == c) for c in range(5)], -1), cells.extent]


def drawn_values(cells, t):
    """A value in each cell, how many samples it has, and the edges of the cells."""
    return [cells.pick(t), cells.counts, cells.extent]


def drawn_of(counts):
    """A class in each cell that holds so many samples of each class, `counts` (h, w, k), and the samples of a cell."""
    at = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0)
    found = Cells(at[:, 1::-1], np.ones(2)).pick(at[:, 2])
    drawn = np.full(counts.shape[:2], np.nan)
    # the last column may have no samples
    drawn[:, : found.shape[1]] = found
    return {"drawn": drawn, "counts": counts.sum(-1)}


def frames(result):
    figure, axes = result
    results = {
        "size": figure.get_size_inches(),
        "frames": [ax.get_position().bounds for ax in axes],
    }
    plt.close(figure)
    return results


CODES = np.arange(20).reshape(4, 5) % 3
CERTAINTY = np.abs(wave(4, 5))
TRUST = np.linspace(0, 1, 20).reshape(4, 5)
COUNTS = np.arange(36).reshape(3, 4, 3) ** 2 % 11

case(
    "plots.density.Cells", *INPUTS, cell="@cell", given="Z",
    taken=each(counts_of_classes, drawn_values),
)  # fmt: skip
RGB = ["#ff0000", "#00ff00", "#0000ff"]
for counts, faintest in ((COUNTS, 0.4), (COUNTS * (COUNTS > 4), 0.1)):
    drawn = drawn_of(counts)
    case("plots.density.density_image", colors=RGB, **drawn, faintest=faintest)
decisions = partial(case, "plots.decisions.decision_image", codes=CODES)
decisions()
decisions(certainty=each(CERTAINTY, 0 * TRUST))
decisions(certainty=CERTAINTY, trust=each(TRUST, 0.4 * TRUST))
decisions(codes=CODES + 9)
values = partial(case, "plots.regression.value_image")
values(values=each(wave(4, 5), np.ones((2, 2))))
values(values=wave(4, 5), trust=TRUST, limits=(-0.3, 0.5))
case(
    "plots.ellipse_segments",
    *INPUTS,
    size=0.5,
    n_edges=6,
    given="some_points some_matrices",
)
case(
    "plots.voronoi_segments", *INPUTS, given="first_points box", taken=in_order
)
panels = partial(case, "plots.panels", taken=frames)
panels(count=each(1, 4))
panels(count=5, ratio=1.2, columns=2, width=5)
panels(count=2, projection="3d")


def image(display):
    return display.image()


ARROWS = "embedding components visible_ hidden_ scale_ tips_ anchors"
PRINCIPAL = PCA(2, svd_solver="full")
shown = partial(case, given="Z", taken=image)
SQUARE = -1, 1, -1, 1
decided = partial(
    shown,
    "plots.DecisionDisplay",
    codes=CODES,
    extent=SQUARE,
    class_names=list("abcd"),
)
decided(index="@y")
decided("uneven", index="@y", certainty=CERTAINTY, trust=TRUST)
regression = partial(
    shown,
    "plots.RegressionDisplay",
    values=wave(4, 5),
    extent=SQUARE,
    targets="@t",
)
regression()
regression("uneven", trust=TRUST)
case("plots.HistogramDisplay", "uneven", values="@t", y="@names", taken="index")
case(
    "plots.MapDisplay", "uneven", y="@names", prototypes="@Z_new", prototype_labels="@names_new", sides="@outlined",
    given="Z", taken="index prototype_index outlined",
)  # fmt: skip
for slack, direction in (
    (1.0, [1.0, -1.0]),
    (1.3, [1.0, 0.4]),
    (2.0, [1.0, 1.0]),
):
    case(
        "plots.EquivalentWeightsDisplay", weights=[2.0, -1.5], slack=slack, direction=direction,
        taken="norm shortest ends",
    )  # fmt: skip
given_arrows = partial(
    case,
    "plots.LinearMapDisplay",
    embedding="@Z",
    y="@y",
    components="@components",
    taken=ARROWS,
)
given_arrows()
given_arrows(groups=[0, 0, 1, 2, 2], most=2, anchors=np.eye(2))
linear = partial(
    case,
    "plots.LinearMapDisplay",
    X="@X",
    y="@y",
    taken=ARROWS,
    maker="from_estimator",
)
linear(*INPUTS, estimator=fitted(PRINCIPAL))
linear(estimator=fitted(SampleLabelMap()))
linear("uneven", estimator=fitted(SampleLabelMap(), "X Y"), y="@Y")
linear(
    "uneven",
    estimator=fitted(make_pipeline(StandardScaler(), FDA()), "X names"),
    y="@names",
)
linear("more features", estimator=fitted(PRINCIPAL, "X t"), y="@t", most=3)
labelled = partial(
    case,
    "plots.SampleLabelDisplay",
    X="@X_new",
    taken="embedding Y label_points set_points",
    maker="from_estimator",
)
labelled(estimator=fitted(SampleLabelMap(), "X Y"), Y="@Y_new")
labelled(
    "uneven", estimator=fitted(SampleLabelMap(), "X names"), Y="@names_new"
)
labelled(estimator=fitted(SampleLabelEigenmap(), "X Y"), Y="@Y_new")
case(
    "plots.FeatureLabelDisplay", estimator=fitted(FeatureLabelEigenmap(), "X Y"), maker="from_estimator",
    taken="feature_points label_points",
)  # fmt: skip
