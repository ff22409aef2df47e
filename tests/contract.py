"""What every estimator must do, as functions of one case, and the list of all cases.

`registry.py` finds the estimators of the package; one without an entry here is tested
with its defaults (tests/test_contract.py). A case says what `fit` is given and what is
looked at: the map, or distances, or predictions, one row per training sample. Where a
check does not apply, `spared` gives the one reason.
"""

import pickle
import warnings
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
from joblib import parallel_config
from numpy.random import default_rng
from pytest import mark, raises, skip
from registry import embedders, estimators, takes_distances
from scipy.sparse import issparse
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression

from toolkit.discriminant import FDA, LPP, SELF, GraphLabelRegression
from toolkit.eigenmaps import CCDR, SLE, SLEML, LaplacianEigenmap, SLapEig
from toolkit.embed import GTM, MVU, SOM, TSNE, Isomap, NeRV, ParametricTSNE
from toolkit.fisher import GPFisher, KernelFisher, ModelFisher, ParzenFisher
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.lmnn import LMNN
from toolkit.lvq import GLVQ, GMLVQ, RSLVQ
from toolkit.multilabel import (
    FeatureLabelEigenmap,
    KernelSampleLabelMap,
    SampleLabelEigenmap,
    SampleLabelMap,
)
from toolkit.neighbors import BlockNeighbors
from toolkit.relevance import NeRVMetric, NeRVRelevance
from toolkit.transfer import SharedKernelEmbedding, SharedLinearEmbedding

N, D = 45, 5


def samples():
    """Three classes in five features (n, 5), without ties; the same on each call."""
    rng = default_rng(0)
    y = np.arange(N) % 3
    noise = rng.normal(size=(N, D)) * [1.0, 2.0, 0.5, 1.0, 1.5]
    return noise + 3 * rng.normal(size=(3, D))[y], y


def names():
    X, y = samples()
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def partial_labels():
    X, y = samples()
    return X, np.where(np.arange(N) < 30, y, -1)


def label_matrix():
    X, y = samples()
    indicators = np.eye(3, dtype=int)
    return X, indicators[y] | indicators[(y + (X[:, 0] > X[:, 0].mean())) % 3]


def target():
    X, _ = samples()
    return X, X[:, 0] + np.sin(X[:, 1])


def a_map():
    X, _ = samples()
    return X, PCA(2).fit_transform(X)


def similarities():
    X, y = samples()
    return np.exp(-0.05 * squareform(pdist(X, "sqeuclidean"))), y


def lengths():
    return (squareform(pdist(samples()[0])),)


def two_sets():
    X, _ = samples()
    return X[::2], X[1::2] @ default_rng(1).normal(size=(D, 7))


def unlabelled():
    return (samples()[0],)


SQUARE = similarities, lengths
OF_SECOND = "inverse_transform", "transform_target"


@dataclass(frozen=True)
class Case:
    """An estimator, what it is fitted to, what is looked at, and the checks that do not apply, each with its reason.

    `result` names an attribute, several that are stacked, or a method, which is called
    with the first array that `fit` was given, or with the second if it is in `OF_SECOND`.
    `rounding` is the relative difference allowed where only rounding may differ; MVU
    ends at its `tol`, 1e-3. `quick` are parameters for checks that do not ask how good
    a fit is, such as scikit-learn's, which fit dozens of times. `spared` names checks
    of this file, `excused` those of scikit-learn's that fail for a good reason.
    """

    estimator: object
    data: object = samples
    result: str = "transform"
    rounding: float = 1e-6
    spared: dict = field(default_factory=dict)
    excused: dict = field(default_factory=dict)
    quick: dict = field(default_factory=dict)

    @property
    def name(self):
        return type(self.estimator).__name__

    def __str__(self):
        return repr(self.estimator)

    @property
    def is_square(self):
        return self.data in SQUARE

    @cached_property
    def model(self):
        return self.fitted()

    @cached_property
    def reference(self):
        """The result of the estimator fitted to its data: most checks compare another fit with it."""
        result = self.result_of(self.model)
        result.setflags(write=False)
        return result

    def copy(self, **parameters):
        return clone(self.estimator).set_params(**parameters)

    def fitted(self, *given, **parameters):
        with warnings.catch_warnings(action="ignore"):
            return self.copy(**parameters).fit(*(given or self.data()))

    def result_of(self, model, *given):
        array = (given or self.data())[self.result in OF_SECOND]
        results = [getattr(model, name) for name in self.result.split()]
        with warnings.catch_warnings(action="ignore"):
            results = [
                part(array) if callable(part) else part for part in results
            ]
        return np.vstack([A.toarray() if issparse(A) else A for A in results])

    def result_for(self, *given, **parameters):
        """Of an estimator fitted to other samples or with other parameters."""
        return self.result_of(self.fitted(*given, **parameters), *given)

    def check_same(self, *given, **parameters):
        assert (
            gap(self.reference, self.result_for(*given, **parameters))
            < self.rounding
        )


DISTANCES = {
    "check_positive_only_tag_during_fit": "distances are not negative; the message says so in other words"
}
FEW = {"max_iter": 5}
PER_LABEL = {
    name: "`decision_function` gives a value per label, also of two"
    for name in ("check_classifiers_classes", "check_classifiers_train")
}
PER_LABEL |= {"check_classifier_multioutput": "every sample needs a label"}
TWO_SETS = {"check_scikit_learn": "`fit` is given two sets of samples"}

# Estimators that need other samples, settings or results than the usual ones.
SPECIAL_CASES = [
    Case(SampleLabelMap(), label_matrix, excused=PER_LABEL),
    Case(
        KernelSampleLabelMap(),
        label_matrix,
        spared={"check_units": "`gamma` has a unit, as in scikit-learn"},
        excused=PER_LABEL,
    ),
    Case(SampleLabelEigenmap(), label_matrix, "embedding_"),
    Case(
        FeatureLabelEigenmap(),
        label_matrix,
        "feature_embedding_ label_embedding_",
    ),
    Case(CCDR(), partial_labels, "embedding_"),
    Case(SLEML(), partial_labels, "embedding_"),
    Case(SLE(), result="embedding_"),
    Case(SLapEig(), result="embedding_"),
    Case(FDA(), names),
    Case(LPP(), unlabelled),
    Case(SELF(), partial_labels),
    Case(GraphLabelRegression(), partial_labels, "scores_"),
    Case(GLVQ(), names, "distances", quick=FEW),
    Case(GMLVQ(max_iter=30), names, quick=FEW),
    Case(
        GMLVQ(solver="sgd", max_iter=5, random_state=0),
        spared={"check_order": "visits samples by their numbers"},
    ),
    Case(RSLVQ(max_iter=30), result="predict_proba", quick=FEW),
    Case(LMNN(max_iter=50), quick=FEW),
    Case(ParzenFisher(perplexity=10), result="distances"),
    Case(KernelFisher(perplexity=10), similarities, "distances"),
    Case(GPFisher(), target, "distances"),
    Case(
        ModelFisher(LogisticRegression()),
        result="distances",
        spared={"check_units": "the classifier has a unit"},
    ),
    Case(
        TSNE(perplexity=5, max_iter=300, early_exaggeration=1),
        unlabelled,
        "embedding_",
        spared={
            "check_order": "the descent amplifies rounding; tests/embed has it with a given start"
        },
    ),
    Case(
        MVU(n_neighbors=3, rank=5),
        unlabelled,
        "embedding_",
        rounding=1e-3,
        quick={"tol": 0.1, "max_iter": 100},
    ),
    Case(
        ParametricTSNE(perplexity=5, hidden=(8,), max_iter=30, random_state=0),
        unlabelled,
    ),
    Case(
        BlockNeighbors(),
        unlabelled,
        spared={"check_frame": "pandas has no sparse output"},
    ),
    Case(KernelMap(), a_map),
    Case(
        InverseMap(n_centers=10),
        a_map,
        "inverse_transform",
        spared={"check_scikit_learn": "`fit` is given a map"},
    ),
    Case(NeRVRelevance(5, max_iter=30), a_map, quick=FEW),
    Case(NeRVMetric(5, max_iter=30), a_map, quick=FEW),
    Case(
        SharedLinearEmbedding(n_directions=6, n_bandwidths=3, starts="axes"),
        two_sets,
        "transform_target",
        spared=TWO_SETS,
    ),
    Case(
        SharedKernelEmbedding(
            source="pca",
            n_centers=12,
            n_bandwidths=2,
            starts="structure",
            random_state=0,
        ),
        two_sets,
        "transform_target",
        rounding=1e-3,  # without structure to find, the steps amplify rounding
        spared=TWO_SETS,
    ),
]
SPECIAL_CASES += [
    Case(model, unlabelled, "embedding_")
    for model in (
        LaplacianEigenmap(),
        Isomap(n_neighbors=8),
        NeRV(max_iter=20),
        SOM(grid=(5, 4), max_iter=30),
        GTM(grid=(6, 6), max_iter=20),
    )
]

# Of tables and of validation: `test_contract.py` has scikit-learn's checks of the
# models, tests of the folders have the others.
TESTED_ELSEWHERE = "LinearFisher", "Logistic", "MixedColumns", "ProjectedMap"


def usual_case(cls):
    """An estimator with its defaults: classes are given, unless it maps without them."""
    if cls in embedders():
        return Case(cls(), unlabelled, "embedding_")
    return Case(cls())


def case_of_distances(case):
    """The same embedder, fitted to the distances of its samples."""
    has_transform = hasattr(case.estimator, "transform")
    return replace(
        case,
        estimator=case.copy(metric="precomputed"),
        data=lengths,
        result="transform" if has_transform else "embedding_",
        excused=DISTANCES,
    )


def all_cases():
    """Special cases, usual cases of all other estimators, and cases of distances."""
    cases = list(SPECIAL_CASES)
    names = {case.name for case in SPECIAL_CASES}
    names.update(TESTED_ELSEWHERE)
    for name, cls in estimators().items():
        if name not in names:
            cases.append(usual_case(cls))
    from_distances = [cls for cls in embedders() if takes_distances(cls)]
    for case in list(cases):
        if type(case.estimator) in from_distances:
            cases.append(case_of_distances(case))
    return cases


ESTIMATORS = all_cases()

# Further settings, each a part of the code that the others do not reach, for
# scikit-learn's checks only (slow)
OTHER_SETTINGS = [
    Case(SampleLabelMap(variance=0.999), excused=PER_LABEL),
    Case(KernelSampleLabelMap(kernel="precomputed"), excused=PER_LABEL),
]
OTHER_SETTINGS += [
    Case(model)
    for model in (
        SLEML(lam=0.0),
        SLEML(lam=1.0),
        SLEML(class_weight="balanced"),
        KernelMap("rule", widths="own", n_centers=2),
    )
]


def scale_warnings(call):
    """What a function without arguments warns of, where units of features differ too much."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [
        str(w.message)
        for w in caught
        if "times the standard deviation" in str(w.message)
    ]


def refusal_test(rows):
    """The test that calls, functions without arguments, are refused: rows (call, what the message says)."""

    @mark.parametrize("call, says", rows, ids=[says[:40] for _, says in rows])
    def test_refusal(call, says):
        with raises((ValueError, TypeError), match=says):
            call()

    return test_refusal


def gap(first, second):
    """The largest difference of two results: of values, or of the distances between rows, relative to the largest."""
    A = pdist(first) if first.shape[1] < 10 else first.ravel()
    B = pdist(second) if second.shape[1] < 10 else second.ravel()
    return np.abs(A / A.max() - B / B.max()).max()


def check_order(case):
    """Samples in another order: the same result, in that order."""
    X, *rest = case.data()
    order = default_rng(1).permutation(len(X))
    if case.data is not two_sets:
        rest = [a[order] for a in rest]
    other = X[np.ix_(order, order)] if case.is_square else X[order]
    A = case.reference
    if len(A) == len(order):
        A = A[order]
        if A.shape[1] == len(order):
            A = A[:, order]
    assert gap(A, case.result_for(other, *rest)) < case.rounding


def check_names(case):
    """Other names of the classes, which sort otherwise: the same result."""
    if case.data not in (samples, names, partial_labels, similarities):
        skip("no classes")
    X, _ = case.data()
    _, codes = partial_labels() if case.data is partial_labels else samples()
    case.check_same(X, np.array(["zebra", "ant", "mole", -1], object)[codes])


def check_units(case):
    """Another unit of length, far from 1: the same result but for its own unit."""
    X, *rest = case.data()
    for unit in (1e-60, 1e60):
        case.check_same(X * unit, *rest)


def check_seed(case):
    """The same seed gives the same bytes, and arrays of the caller stay as they are."""
    arrays = case.data()
    for array in arrays:
        array.setflags(write=False)
    seed = (
        {"random_state": 3}
        if "random_state" in case.estimator.get_params()
        else {}
    )
    first = case.result_for(**seed) if seed else case.reference
    assert first.tobytes() == case.result_for(*arrays, **seed).tobytes()


def check_refused_refit(case):
    """A `fit` that refuses its data leaves the fitted model as it was."""
    X, *rest = case.data()
    model = deepcopy(case.model)
    before = pickle.dumps(vars(model))
    X[0, 0] = np.nan
    with raises(ValueError, match=r"NaN|missing"):
        model.fit(X, *rest)
    assert pickle.dumps(vars(model)) == before


def check_copies(case):
    """A fitted model does not follow changes of the samples that it was given."""
    arrays = case.data()
    model = case.fitted(*arrays)
    arrays[0][:] += 5
    assert gap(case.reference, case.result_of(model)) <= 1e-12


def check_threads(case):
    """Another backend of joblib changes rounding at the most (scikit-learn takes other ways to a kernel matrix)."""
    with parallel_config("threading", n_jobs=2):
        check_rounding(case.reference, case.result_for())


def check_pickle(case):
    """A model that was pickled says the same."""
    model = pickle.loads(pickle.dumps(case.model))
    check_rounding(case.reference, case.result_of(model))


def check_rounding(A, B):
    assert np.abs(A - B).max() <= 1e-12 * np.abs(A).max()


def check_frame(case):
    """A DataFrame gives the same result, its columns are remembered; others, and too large numbers, are refused."""
    X, *rest = case.data()
    columns = [f"feature {j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=columns, index=range(100, 100 + len(X)))
    model = case.fitted(frame, *rest)
    # columns lie in memory in another order
    assert (
        gap(case.reference, case.result_of(model, frame, *rest)) < case.rounding
    )
    if case.data is not two_sets:  # whose features differ
        assert model.feature_names_in_.tolist() == columns
    if hasattr(model, "set_output"):
        with warnings.catch_warnings(action="ignore"):
            model = case.copy().set_output(transform="pandas")
            Z = model.fit_transform(frame, *rest)
        assert isinstance(Z, pd.DataFrame) and Z.index.equals(frame.index)
        prefix = case.name.lower()
        assert Z.columns.tolist() == [f"{prefix}{k}" for k in range(Z.shape[1])]
    if hasattr(model, "transform"):
        with raises(ValueError, match="`X.*` must have the columns"):
            model.transform(frame[columns[::-1]])
        with raises(ValueError, match="must not hold values beyond"):
            model.transform(frame * 1e160)


def check_duplicates(case):
    """Every sample twice: finite numbers."""
    X, *rest = case.data()
    twice = np.tile(X, (2, 2) if case.is_square else (2, 1))
    rest = [np.concatenate([a, a]) for a in rest]
    assert np.isfinite(case.result_for(twice, *rest)).all()


def check_range(case):
    """A number whose square overflows: finite numbers, or a refusal."""
    X, *rest = case.data()
    X[1, 1] = 1e200
    if case.is_square:
        X = np.maximum(X, X.T)
    try:
        model = case.fitted(X, *rest)
    except ValueError:
        return
    assert np.isfinite(case.result_of(model, X, *rest)).all()


CHECKS = [
    check_order,
    check_names,
    check_units,
    check_seed,
    check_refused_refit,
    check_copies,
    check_threads,
    check_frame,
    check_pickle,
    check_duplicates,
    check_range,
]
