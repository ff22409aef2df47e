"""What the linear and the graph maps, LVQ and LMNN have in common.

Refusals of functions, scales, bars, copies.
"""

import numpy as np
import pandas as pd
from contract import refusal_test, scale_warnings
from numpy.testing import assert_allclose, assert_array_equal
from pytest import raises
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from toolkit.discriminant import (
    SELF,
    GraphLabelRegression,
    importance_weighted_cv,
    local_scaling,
)
from toolkit.lvq import GMLVQ, final_gradient_matrix, stationary_matrix
from toolkit.multilabel import (
    FeatureLabelEigenmap,
    KernelSampleLabelMap,
    SampleLabelMap,
    correlations,
)
from toolkit.plots import FeatureLabelDisplay, SampleLabelDisplay

rng = np.random.default_rng(0)
y = np.arange(45) % 3
X = rng.normal(size=(45, 4)) + 2 * np.eye(4)[y]
WORDS = np.full((45, 4), "red")

test_refused = refusal_test(
    [
        (lambda: correlations(X, X[:-1]), r"`Y` must have shape \(45, l\)"),
        (
            lambda: local_scaling(X * 1e-300),
            "`X` must not only hold values below",
        ),
        (
            lambda: importance_weighted_cv(X, y, dimensions=9),
            "`dimensions` must be an integer between 1 and 4",
        ),
        (
            lambda: stationary_matrix(csr_matrix(np.eye(3)), 0.1),
            "`G` must be a table",
        ),
        (
            lambda: SampleLabelMap().fit(X, y).transform_labels([0, "b"]),
            "`Y` must hold classes of one kind",
        ),
        (
            lambda: SampleLabelMap().fit(X, y).transform_labels([0, 7]),
            "`Y` holds classes not seen in `fit`: .7.",
        ),
        (
            lambda: GMLVQ(solver="sgd", eta=1e100, mu=1e100).fit(X, y),
            "`eta`=1e.100 made the descent overflow",
        ),
    ]
)


def test_given_similarities_and_many_fits():
    longer = np.where(np.arange(45) == 3, 1e3, 1)
    K = X @ X.T * np.outer(longer, longer)
    unscaled = X * [1, 1, 1, 1000]
    for count, call in (
        (0, lambda: KernelSampleLabelMap(kernel="precomputed").fit(K, y)),
        (
            0,
            lambda: GraphLabelRegression(affinity="precomputed").fit(
                np.abs(K), y
            ),
        ),
        (0, lambda: KernelSampleLabelMap(kernel="linear").fit(unscaled, y)),
        (1, lambda: importance_weighted_cv(unscaled, y, random_state=0)),
    ):
        assert len(scale_warnings(call)) == count


def test_gmlvq_keeps_the_samples_of_fit():
    given = X.copy()
    model = GMLVQ().fit(given, y)
    before = final_gradient_matrix(model)
    given += 5
    assert_array_equal(final_gradient_matrix(model), before)


def test_score_is_the_accuracy_of_classes_and_of_whole_label_sets():
    Y = np.eye(3, dtype=int)[y]
    Y[::5, 0] = 1
    for model in (SampleLabelMap(), KernelSampleLabelMap()):
        model = clone(model).fit(X, y)
        assert model.score(X, y) == np.mean(model.predict(X) == y)
        sets = clone(model).fit(X, Y)
        assert sets.score(X, Y) == np.mean((sets.predict(X) == Y).all(1)) > 0
        # stratified folds, as for every classifier: each holds all classes
        ordered = np.argsort(y)
        assert cross_val_score(model, X[ordered], y[ordered], cv=3).min() > 0.5


def test_self_is_called_self_and_works_in_a_pipeline():
    assert repr(SELF(beta=0.3)) == "SELF(beta=0.3)"
    grid = GridSearchCV(
        make_pipeline(SELF(), KNeighborsClassifier(1)),
        {"selfmap__beta": [0.2, 0.8]},
        cv=2,
    )
    assert grid.fit(X, y).best_score_ > 0.5
    assert "SELFMap()" in repr(grid)


def test_names_of_columns_appear():
    frame = pd.DataFrame(X, columns=["hue", "ash", "acid", "proline"])
    Y = pd.DataFrame(np.eye(3, dtype=int)[y], columns=["sea", "sky", "sand"])
    Y.iloc[::5, 0] = 1
    fla = FeatureLabelEigenmap().fit(frame, Y)
    sla = SampleLabelMap().fit(frame, Y)
    display = FeatureLabelDisplay.from_estimator(fla)
    assert (display.feature_names, display.label_names) == (
        list(frame),
        list(Y),
    )
    assert SampleLabelDisplay.from_estimator(sla, frame, Y).label_names == list(
        Y
    )
    unnamed = FeatureLabelDisplay.from_estimator(
        FeatureLabelEigenmap().fit(X, y)
    )
    assert unnamed.feature_names[0] == "#1"
    with raises(
        ValueError, match="`feature_names` must be a sequence of 4 names, one"
    ):
        FeatureLabelDisplay.from_estimator(fla, ["a", "b"])
    with raises(
        ValueError, match="column 'ash' of `X` is constant.*VarianceThr"
    ):
        FeatureLabelEigenmap().fit(frame.assign(ash=1.0), Y)


def test_features_are_selected_by_their_relevance():
    selection = SelectFromModel(GMLVQ(), threshold=0.3).fit(X, y)
    # relevances are of sum 1
    assert_array_equal(
        selection.get_support(), selection.estimator_.relevances_ >= 0.3
    )


def test_new_samples_may_be_sparse():
    model = GMLVQ().fit(X, y)
    assert_allclose(
        model.transform(csr_matrix(X)), model.transform(X), atol=1e-12
    )
