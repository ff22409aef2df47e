"""What Fisher metrics, embedders and kernel maps have in common.

Refusals, scales, bars, memory, habits.
"""

from functools import partial

import numpy as np
import pandas as pd
from contract import refusal_test, scale_warnings
from numpy.testing import assert_array_equal
from pytest import approx, mark, raises
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.core import memory
from toolkit.embed import GTM, MDS, MVU, TSNE
from toolkit.fisher import (
    GPFisher,
    KernelFisher,
    ModelFisher,
    ParzenFisher,
    base,
    overfitting_check,
    parzen,
)
from toolkit.kernelmap import KernelMap
from toolkit.lvq import GMLVQ

rng = np.random.default_rng(0)
y = np.arange(45) % 3
X = rng.normal(size=(45, 4)) + 3 * np.eye(4)[y]
D = squareform(pdist(X))
NEW = X[:6] + 0.1
KNN = partial(KNeighborsClassifier, metric="precomputed")

test_refused = refusal_test(
    [
        (
            lambda: ParzenFisher(n_centers=1e-9).fit(X, y),
            "needs more than 3 centres.*more samples .`n_centers`.",
        ),
        (
            lambda: ParzenFisher().fit(X, y).distances(n_segments=10**9),
            "`n_segments` must be .* between 1 and 10000",
        ),
        (
            lambda: ParzenFisher().fit(X, y).distances(X, X_new="a"),
            "`X_new` must be a table",
        ),
        (
            lambda: ParzenFisher().fit(X, y).knn_distances(X[:3], 3),
            "`n_neighbors` must be .* between 1 and 2.*n_samples",
        ),
        (
            lambda: ModelFisher(LogisticRegression()).fit([["a"]] * 45, y),
            "ModelFisher.model.-1.*ParzenFisher",
        ),
        (
            lambda: ModelFisher(LogisticRegression(C=-1)).fit(X, y),
            "`model` cannot be fitted to `X` and `y`: .*C",
        ),
        (
            lambda: (
                KernelMap(metric="precomputed").fit(D, X).transform(D[:, :6])
            ),
            r"distances to the 45 .*shape \(m, 45\)",
        ),
        (
            lambda: GTM(grid=(9000, 9000)).fit(X),
            "The grid needs .* Take a smaller `grid`",
        ),
    ]
)


METRICS = [
    ParzenFisher(),
    ModelFisher(RandomForestClassifier(5)),
    ModelFisher(GMLVQ(max_iter=5)),
    GPFisher(0.1, 0.1),
]


def test_scales_of_models_and_of_the_overfitting_check_are_told_once():
    unscaled = X * [1, 1, 1, 1000]
    calls = [partial(clone(metric).fit, unscaled, y) for metric in METRICS[1:3]]
    calls += [
        partial(overfitting_check, metric, unscaled, y, n_permutations=2)
        for metric in (ParzenFisher(), GMLVQ(max_iter=3))
    ]
    for call in calls:
        assert len(scale_warnings(call)) == 1


def test_neighbours_of_vectors_need_little_memory(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 8 * 45 * 45)
    TSNE().fit(X)
    with raises(
        ValueError, match="needs .* numbers, more than half.*knn_distances"
    ):
        TSNE(metric="precomputed").fit(squareform(pdist(X)))


def test_fisher_metrics_without_an_array_of_all_pairs(monkeypatch):
    """`fit` and `knn_distances` do without.

    `distances` and `transform` say what helps.
    """
    monkeypatch.setattr(base, "ENTRIES_KEPT", 45 * 7)
    monkeypatch.setattr(memory, "available_memory", lambda: 8 * 45 * 45)
    metric = ParzenFisher(lam=0.1).fit(X, y)
    assert metric.knn_distances(n_neighbors=5).nnz == 45 * 5
    for call in (
        metric.distances,
        lambda: metric.transform(X),
        lambda: metric.distances(NEW, path="graph"),
    ):
        with raises(
            ValueError,
            match="all distances needs.*`knn_distances`.*`n_centers`.*KernelMap",
        ):
            call()


def test_the_bandwidth_of_many_centres_is_that_of_a_sample_of_them(monkeypatch):
    many = rng.normal(size=(900, 3))
    labels = np.arange(900) % 2
    full = ParzenFisher().fit(many, labels).bandwidth_
    monkeypatch.setattr(parzen, "SOME_ROWS", 600)
    monkeypatch.setattr(parzen, "ALL_ROWS", 800)
    first = ParzenFisher(random_state=0).fit(many, labels).bandwidth_
    second = ParzenFisher(random_state=1).fit(many, labels).bandwidth_
    assert first == second != full and first == approx(full, rel=0.02)
    kernel = KernelFisher(indefinite="none").fit(many @ many.T, labels)
    assert kernel.bandwidth_ == approx(first, rel=1e-9)


# habits
def test_fisher_metrics_are_classifiers():
    metric = ParzenFisher(perplexity=5).fit(X, y)
    predicted = metric.classes_[metric.predict_proba(X).argmax(1)]
    assert metric.score(X, y) == np.mean(predicted == y) > 0.9
    model = LogisticRegression().fit(X, y)
    assert ModelFisher(model).fit(X).score(NEW, y[:6]) == model.score(
        NEW, y[:6]
    )
    scores = cross_val_score(ParzenFisher(), X, y, scoring="neg_log_loss")
    assert np.isfinite(scores).all()


def test_fisher_metrics_before_a_classifier_of_neighbours():
    """Bandwidth and number of neighbours by cross-validation.

    With the best ones as by hand.
    """
    grid = {
        "parzenfisher__bandwidth": [0.1, 1.0, 30.0],
        "kneighborsclassifier__n_neighbors": [1, 5],
    }
    search = GridSearchCV(
        make_pipeline(ParzenFisher(), KNN()), grid, scoring="neg_log_loss", cv=3
    ).fit(X, y)
    bandwidth, n_neighbors = (search.best_params_[name] for name in grid)
    metric = ParzenFisher(bandwidth).fit(X, y)
    nearest = KNN(n_neighbors).fit(metric.distances(), y)
    assert_array_equal(
        search.predict(NEW), nearest.predict(metric.distances(NEW, X))
    )
    scores = cross_val_score(
        make_pipeline(KernelFisher(), KNN()), X @ X.T, y, cv=3
    )
    assert np.isfinite(scores).all() and scores.mean() > 0.8


def test_distances_to_the_samples_of_fit():
    for metric in METRICS:
        metric = clone(metric).fit(X, y)
        to_fit = metric.transform(NEW)
        assert_array_equal(to_fit, metric.distances(NEW, X))
        assert_array_equal(to_fit, metric.distances(NEW, X_new=X))
        assert_array_equal(
            clone(metric).set_params().fit_transform(X, y).diagonal(), 0
        )
    kernel_map = KernelMap(metric="precomputed").fit(
        metric.distances(), X[:, :2]
    )
    assert kernel_map.transform(to_fit).shape == (6, 2)


def test_maps_of_given_samples_name_those_that_take_new_ones():
    model = MDS()
    assert not hasattr(model, "transform")
    with raises(
        AttributeError,
        match="no attribute 'transform'.*KernelMap.*ParametricTSNE",
    ):
        model.transform(X)
    with raises(AttributeError, match="no attribute 'predict'$"):
        model.predict(X)
    with raises(
        TypeError, match="All intermediate steps should be transformers"
    ):
        make_pipeline(model, KNN()).fit(X, y)


def test_the_check_takes_maps_and_pipelines():
    """The errors are those in the map.

    A map that sees the labels separates permuted ones better than chance.
    """
    model = GMLVQ(max_iter=20)
    options = {"n_permutations": 2, "n_splits": 3, "random_state": 0}
    for metric in (model, make_pipeline(StandardScaler(), model)):
        check = overfitting_check(metric, X, y, **options)
        assert check.held_out.mean() < 0.3 < check.permuted.mean()
    mapped = overfitting_check(
        model, X, y, MDS(metric="precomputed"), **options
    )
    assert mapped.held_out.mean() < 0.3


@mark.filterwarnings("ignore")
def test_the_layout_in_memory_does_not_matter_for_mvu():
    maps = [
        MVU(max_iter=60).fit(A).embedding_
        for A in (X, np.asfortranarray(X), pd.DataFrame(X))
    ]
    assert maps[0].tobytes() == maps[1].tobytes() == maps[2].tobytes()
