"""What the linear and the graph maps, LVQ and LMNN have in common: refusals of functions, scales, bars, copies."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.core import memory
from toolkit.discriminant import FDA, LFDA, LPP, SELF, GraphLabelRegression, importance_weighted_cv, local_scaling
from toolkit.eigenmaps import CCDR, SLE, SLEML, ConstraintScoreMap, LaplacianEigenmap, SLapEig
from toolkit.lmnn import LMNN
from toolkit.lvq import GLVQ, GMLVQ, RSLVQ, ClasswiseGMLVQ, rank_one_limit, stationary_matrix
from toolkit.multilabel import (
    FeatureLabelEigenmap,
    KernelSampleLabelMap,
    SampleLabelEigenmap,
    SampleLabelMap,
    correlations,
)
from toolkit.plots import FeatureLabelDisplay, MapDisplay, SampleLabelDisplay

rng = np.random.default_rng(0)
y = np.arange(45) % 3
X = rng.normal(size=(45, 4)) + 2 * np.eye(4)[y]
WORDS = np.full((45, 4), "red")
HOLE = np.where(np.arange(4) == 1, np.nan, X)

REFUSED = [
    (lambda: correlations(HOLE, X), "`X` must be a table of finite real numbers.*NaN"),
    (lambda: correlations(X, WORDS), "`Y` must be a table of finite real numbers"),
    (lambda: correlations(X, 3), "`Y` must be a table"),
    (lambda: correlations(X, X[:-1]), r"`Y` must have shape \(45, l\)"),
    (lambda: correlations(X, np.ones((45, 1))), "constant column.*label 0"),
    (lambda: local_scaling(HOLE), "`X` must be a table"),
    (lambda: local_scaling(X[:1]), "minimum of 2"),
    (lambda: local_scaling(X * 1e-300), "`X` must not only hold values below"),
    (lambda: local_scaling(X, n_affinity=45), "`n_affinity` must be an integer between 1 and 44"),
    (lambda: importance_weighted_cv(WORDS, y), "`X` must be a table"),
    (lambda: importance_weighted_cv(X, y, flattening=2), "`flattening` must be"),
    (lambda: importance_weighted_cv(X, y, dimensions=9), "`dimensions` must be an integer between 1 and 4"),
    (lambda: importance_weighted_cv(X, y, classifier="knn"), "`classifier` must be an estimator.*`fit_predict`"),
    (lambda: rank_one_limit("G"), "`G` must be a table"),
    (lambda: stationary_matrix(csr_matrix(np.eye(3)), 0.1), "`G` must be a table"),
    (lambda: SampleLabelMap().fit(X, y).transform_labels([0, "b"]), "`Y` must hold classes of one kind"),
    (lambda: SampleLabelMap().fit(X, y).transform_labels([0, 7]), "`Y` holds classes not seen in `fit`: .7."),
    (lambda: GMLVQ().fit(X, y).path([0.1], callback=3), "`callback` must be a function"),
    (lambda: GMLVQ(solver="sgd", eta=1e100, mu=1e100).fit(X, y), "`eta`=1e.100 made the descent overflow"),
    (lambda: MapDisplay(X[:, :2], y, 3), "`class_names` must be a sequence of 3 names, one per class; got 3"),
]


@pytest.mark.parametrize("call, says", REFUSED, ids=[says[:40] for _, says in REFUSED])
def test_refused(call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call()


CARES = [CCDR(), SLE(), SLEML(), SLEML(label_predictor=GLVQ()), ConstraintScoreMap(), LaplacianEigenmap(), SLapEig()]
CARES += [LFDA(), LPP(), SELF(), GraphLabelRegression(), LMNN(), GLVQ(), GMLVQ(), RSLVQ(), ClasswiseGMLVQ()]
CARES += [KernelSampleLabelMap(), SampleLabelEigenmap()]
DOES_NOT = [FDA(), SampleLabelMap(), SampleLabelMap(scaling="center"), FeatureLabelEigenmap()]
DOES_NOT += [KernelSampleLabelMap(kernel="linear")]


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in caught if "spreads about" in str(w.message)]


@pytest.mark.parametrize("model", CARES, ids=lambda model: type(model).__name__)
def test_scales_are_told_once_and_only_in_fit(model):
    unscaled = pd.DataFrame(X * [1, 1, 1, 1000], columns=["hue", "ash", "acid", "proline"])
    model = clone(model)
    [message] = told(lambda: model.fit(unscaled, y))
    assert '"proline" spreads about' in message and "StandardScaler" in message
    assert not told(lambda: getattr(model, "transform", getattr(model, "predict", id))(unscaled))
    assert not told(lambda: clone(model).fit(np.hstack([StandardScaler().fit_transform(X), np.eye(3)[y]]), y))


@pytest.mark.parametrize("model", DOES_NOT, ids=lambda model: type(model).__name__)
def test_maps_without_distances_do_not_care_for_scales(model):
    assert not told(lambda: model.fit(X * [1, 1, 1, 1000], y))


def test_given_similarities_and_many_fits():
    K = X @ X.T * np.where(np.arange(45) == 3, 1e3, 1) * np.where(np.arange(45) == 3, 1e3, 1)[:, None]
    assert not told(lambda: KernelSampleLabelMap(kernel="precomputed").fit(K, y))
    assert not told(lambda: GraphLabelRegression(affinity="precomputed").fit(np.abs(K), y))
    assert len(told(lambda: importance_weighted_cv(X * [1, 1, 1, 1000], y, random_state=0))) == 1


WITH_BAR = [CCDR, SLEML, LaplacianEigenmap, SLapEig, LMNN, GLVQ, GMLVQ, RSLVQ, ClasswiseGMLVQ]
WITH_BAR += [partial(GMLVQ, solver="sgd", max_iter=2)]


@pytest.mark.parametrize("make", WITH_BAR, ids=lambda make: getattr(make, "__name__", "sgd"))
def test_bars(make, capsys, bars):
    make().fit(X, y)
    assert capsys.readouterr() == ("", "") and not bars
    make(verbose=True).fit(X, y)
    assert "|" in capsys.readouterr().err
    descends = hasattr(make(), "max_iter")  # and may end before that
    assert bars and all(0 < done <= total if descends else done == total for done, total in bars), bars
    with pytest.raises(ValueError, match="`verbose` must be True or False; got 'yes'"):
        make(verbose="yes").fit(X, y)


@pytest.mark.filterwarnings("ignore:CS puts each class at one point")
@pytest.mark.parametrize("model", [KernelSampleLabelMap(), ConstraintScoreMap(), SLapEig(), SLE()], ids=repr)
def test_a_fitted_model_does_not_follow_changes_of_the_samples(model):
    given = X.copy()
    model = clone(model).fit(given, y)
    before = model.transform(X)
    given += 5
    np.testing.assert_array_equal(model.transform(X), before)


def test_a_path_of_gmlvq_starts_from_the_samples_of_fit():
    given = X.copy()
    model = GMLVQ().fit(given, y)
    before = model.path([0.1])[0].prototypes_
    given += 5
    np.testing.assert_array_equal(model.path([0.1])[0].prototypes_, before)


@pytest.mark.parametrize(
    "model, says",
    [
        (SLEML(neighbors=KNeighborsTransformer), "`neighbors` must be an estimator, an object with .*`fit_transform`"),
        (SLEML(label_predictor="knn"), "`label_predictor` must be an estimator, an object with .*`predict`"),
        (SampleLabelEigenmap(label_predictor={}), "`label_predictor` must be an estimator, an object with .*`predict`"),
    ],
)
def test_parts_are_estimators(model, says):
    with pytest.raises(ValueError, match=says):
        model.fit(X, y)


@pytest.mark.parametrize(
    "model", [KernelSampleLabelMap(), SLE(), SLEML(), local_scaling], ids=lambda m: getattr(m, "__name__", str(m))
)
def test_steps_over_all_pairs_look_at_the_memory_first(model, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1e4)
    with pytest.raises(ValueError, match=r"needs 0.0 GB for 45 x \d+ numbers.*(Give|Fit|Take|Lower)"):
        model(X) if callable(model) else clone(model).fit(X, y)


def test_score_is_the_accuracy_of_classes_and_of_whole_label_sets():
    Y = np.eye(3, dtype=int)[y] | (np.arange(45) % 5 == 0)[:, None] * np.array([1, 0, 0])
    for model in (SampleLabelMap(), KernelSampleLabelMap()):
        model = clone(model).fit(X, y)
        assert model.score(X, y) == np.mean(model.predict(X) == y)
        sets = clone(model).fit(X, Y)
        assert sets.score(X, Y) == np.mean((sets.predict(X) == Y).all(axis=1)) > 0
        ordered = np.argsort(y)  # stratified folds, as for every classifier: each holds all classes
        assert cross_val_score(model, X[ordered], y[ordered], cv=3).min() > 0.5


def test_self_is_called_self_and_works_in_a_pipeline():
    assert repr(SELF(beta=0.3)) == "SELF(beta=0.3)"
    grid = GridSearchCV(make_pipeline(SELF(), KNeighborsClassifier(1)), {"selfmap__beta": [0.2, 0.8]}, cv=2)
    assert grid.fit(X, y).best_score_ > 0.5
    assert "SELF()" in repr(grid)


def test_names_of_columns_are_shown():
    frame = pd.DataFrame(X, columns=["hue", "ash", "acid", "proline"])
    Y = pd.DataFrame(np.eye(3, dtype=int)[y], columns=["sea", "sky", "sand"])
    Y.iloc[::5, 0] = 1
    fla, sla = FeatureLabelEigenmap().fit(frame, Y), SampleLabelMap().fit(frame, Y)
    assert FeatureLabelDisplay.from_estimator(fla).feature_names == list(frame)
    assert FeatureLabelDisplay.from_estimator(fla).label_names == list(Y)
    assert SampleLabelDisplay.from_estimator(sla, frame, Y).label_names == list(Y)
    assert FeatureLabelDisplay.from_estimator(FeatureLabelEigenmap().fit(X, y)).feature_names[0] == "#1"
    with pytest.raises(ValueError, match="`feature_names` must be a sequence of 4 names, one per feature"):
        FeatureLabelDisplay.from_estimator(fla, ["a", "b"])
    assert GMLVQ().fit(frame, y).explain(frame).feature_names == list(frame)
    with pytest.raises(ValueError, match="constant column.*feature 'ash'.*VarianceThreshold"):
        FeatureLabelEigenmap().fit(frame.assign(ash=1.0), Y)
