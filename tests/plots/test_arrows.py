"""Linear maps with arrows of features: directions, lengths, names, refusals."""

import warnings

import numpy as np
from matplotlib.patches import FancyArrowPatch
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA, KernelPCA
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.discriminant import FDA, LFDA, SELF
from toolkit.lvq import GMLVQ
from toolkit.multilabel import SampleLabelMap
from toolkit.plots import LinearMapDisplay, TargetDisplay
from toolkit.plots.style import figure_layout

X, y = load_wine(return_X_y=True, as_frame=True)
y = np.array(["Barolo", "Grignolino", "Barbera"])[y]


def arrows(display):
    """Begin and end of each arrow drawn, (q, 2) each."""
    drawn = [
        patch
        for patch in display.ax_.patches
        if isinstance(patch, FancyArrowPatch)
    ]
    begin, end = zip(*(patch._posA_posB for patch in drawn), strict=True)
    return np.array(begin), np.array(end)


@mark.parametrize(
    "model",
    [
        SampleLabelMap(),
        FDA(),
        LFDA(),
        SELF(),
        GMLVQ(n_components=2),
        PCA(2),
        PLSRegression(2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_an_arrow_is_the_change_of_the_map_by_a_standard_deviation(model):
    target = (
        (y == "Barolo").astype(float) if isinstance(model, PLSRegression) else y
    )
    model = make_pipeline(StandardScaler(), model).fit(X, target)
    display = LinearMapDisplay.from_estimator(model, X, y, most=13)
    moved = X.copy()
    moved["ash"] += X["ash"].std(ddof=0)
    step = np.asarray(model.transform(moved) - model.transform(X))
    j = list(X.columns).index("ash")
    assert_allclose(
        step, np.tile(display.components[:, j], (len(X), 1)), atol=1e-9
    )
    assert display.feature_names == list(X.columns)
    begin, end = arrows(display.plot())
    assert_allclose(begin, np.tile(display.embedding.mean(axis=0), (13, 1)))
    assert_allclose(
        end - begin, display.scale_ * display.components[:, display.visible_].T
    )
    lengths = np.hypot(*(end - begin).T)
    assert (np.diff(lengths) <= 1e-12).all()
    assert lengths[0] == approx(0.4 * np.ptp(display.embedding, axis=0).max())


def test_samples_labels_and_features_in_one_picture(labelled, shows, legend_of):
    X, Y = labelled
    model = SampleLabelMap().fit(X, Y)
    display = LinearMapDisplay.from_estimator(model, X, Y, most=4).plot(
        title="all three", number="12 %"
    )
    assert_array_equal(display.anchors, model.label_embedding_)
    written = {text.get_text() for text in display.ax_.texts}
    assert written == {*Y.columns, *(X.columns[j] for j in display.visible_)}
    assert display.hidden_ == 2
    title = display.ax_.get_title(loc="left").replace("\n", " ")
    assert title.startswith("all three 12 % arrows: a feature's")
    assert title.endswith("the 4 longest of 6 (2 left out)")
    assert shows(display, model.embedding_, model.label_embedding_)
    assert_array_equal(display.samples.index == 4, Y.to_numpy().sum(axis=1) > 1)
    assert legend_of(display) == [
        *Y.columns,
        "several labels",
        "position of a label",
    ]


def test_samples_without_a_label_have_a_class_of_their_own(labelled):
    X, Y = labelled
    without = Y.copy()
    without.iloc[:3] = 0
    display = LinearMapDisplay.from_estimator(
        SampleLabelMap().fit(X, Y), X, without, class_names=list("1234")
    )
    assert display.samples.names == [*"1234", "several labels", "no label"]
    assert_array_equal(np.flatnonzero(display.samples.index == 5), [0, 1, 2])


def test_names_of_features_and_labels_overlap_nothing_and_stand_in_the_frame(
    apart,
):
    display = LinearMapDisplay.from_estimator(
        SampleLabelMap().fit(X, y), X, y
    ).plot()
    assert apart(display) == 8 + 3
    assert figure_layout(display.figure_)["smallest_text"] >= 9


def test_real_values_are_shown_by_colour():
    model = PLSRegression(2).fit(X, X["proline"])
    display = LinearMapDisplay.from_estimator(
        model, X, X["proline"] + 0.5, most=3
    ).plot()
    assert isinstance(display.samples, TargetDisplay)
    assert len(display.ax_.texts) == 3


def test_constant_features_and_those_without_influence_have_no_arrow():
    rng = default_rng(0)
    X = np.column_stack([rng.normal(size=(30, 2)), np.ones(30)])
    display = LinearMapDisplay.from_estimator(
        PCA(2).fit(X), X, np.arange(30) % 2
    )
    assert display.hidden_ == 1 and set(display.visible_) == {0, 1}
    assert display.feature_names == ["X1", "X2", "X3"]


def test_new_samples_and_tables_without_names():
    model = make_pipeline(StandardScaler(), PCA(2)).fit(X[::2], y[::2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = LinearMapDisplay.from_estimator(model, X[1::2], y[1::2])
        plain = LinearMapDisplay.from_estimator(
            model, X[1::2].to_numpy(), y[1::2]
        )
    assert plain.feature_names == named.feature_names == list(X.columns)
    assert_allclose(plain.tips_, named.tips_)


def test_large_offsets_do_not_pass_for_curvature():
    rng = default_rng(0)
    X = rng.normal(size=(50, 3)) + 1e7
    LinearMapDisplay.from_estimator(PCA(2).fit(X), X, np.arange(50) % 2)


@mark.parametrize(
    ("model", "says"),
    [
        (
            KernelPCA(2, kernel="rbf"),
            "`estimator` must be linear, .*KernelPCA lie up to .*MapDisplay, or fit a linear",
        ),
        (PCA(3), "`estimator` must have `n_components`=2 to be drawn; got 3"),
        (
            TSNE(),
            "`estimator` must have a `transform`, .* got TSNE, .* LFDA or PCA",
        ),
    ],
)
def test_what_is_no_linear_map_to_the_plane_is_refused_with_the_remedy(
    model, says
):
    X = default_rng(0).normal(size=(40, 4))
    model = model if isinstance(model, TSNE) else model.fit(X)
    with raises(ValueError, match=says):
        LinearMapDisplay.from_estimator(model, X, np.arange(40) % 2)


def test_wrong_arrows_and_labels(labelled):
    with raises(ValueError, match="`components` must not be all 0"):
        LinearMapDisplay(np.eye(2), ["a", "b"], np.zeros((2, 3)))
    with raises(
        ValueError, match="`anchors` and `classes` must have the same number"
    ):
        LinearMapDisplay(np.eye(2), ["a", "b"], np.eye(2), anchors=np.eye(3, 2))
    X, Y = labelled
    model = SampleLabelMap().fit(X, Y)
    with raises(ValueError, match="`y` must hold 0 and 1 only"):
        LinearMapDisplay.from_estimator(model, X, 2 * Y)
