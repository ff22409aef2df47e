"""What estimators refuse, as one table: (estimator, what is changed, what the message says).

A change is a dict of parameters, or a function of what `fit` is given. The rest is as in `contract.ESTIMATORS`.
"""

import numpy as np

from toolkit.discriminant import FDA, LFDA, SELF, GraphLabelRegression
from toolkit.eigenmaps import CCDR, SLE, SLEML, ConstraintScoreMap, LaplacianEigenmap, SLapEig
from toolkit.lmnn import LMNN
from toolkit.lvq import GLVQ, GMLVQ, RSLVQ, ClasswiseGMLVQ
from toolkit.multilabel import FeatureLabelEigenmap, KernelSampleLabelMap, SampleLabelEigenmap, SampleLabelMap
from toolkit.relevance import NeRVMetric, NeRVRelevance

__all__ = ["OF_ALL", "REFUSALS"]


def first(change):
    """A change of the first array that `fit` is given."""
    return lambda X, *rest: (change(np.array(X)), *rest)


def put(value):
    def change(X):
        X[1, 1] = value
        return X

    return first(change)


def of(estimators, change, says):
    """One row for each of some estimators."""
    return [(estimator, change, says) for estimator in estimators]


OF_ALL = [
    (put(np.nan), "NaN|missing"),
    (put(np.inf), "infinity|inf"),
    (first(lambda X: X[:0]), "0 sample|minimum of|at least|number of samples|square"),
    (first(lambda X: X[:, 0]), "1D array|2D|Expected 2|square"),
    (first(lambda X: np.full(X.shape, "red")), "numeric|convert|could not|dtype"),
]

NO_COUNT = [0, 4, 2.5, True, "two"]
REGRESSIONS = [SampleLabelMap(), KernelSampleLabelMap()]
SUPERVISED = [SLEML(), CCDR()]
ONE_LABEL = [ConstraintScoreMap(), SLapEig(), SLE()]
PROTOTYPES = [GLVQ(), GMLVQ(), ClasswiseGMLVQ(), RSLVQ()]
RELEVANCE = [NeRVRelevance(), NeRVMetric()]

REFUSALS = [
    # multilabel: (X, Y) with three labels
    *of(REGRESSIONS, lambda X, Y: (X, 2 * Y), "row 0, column . holds 2"),
    *of(REGRESSIONS, lambda X, Y: (X, Y[:-1]), "45 rows in `X` and 44 in `Y`"),
    *of(REGRESSIONS, lambda X, Y: (X[:1], Y[:1]), "1 sample"),
    *of(REGRESSIONS, lambda X, Y: (np.ones_like(X), Y), "constant|one point"),
    *of(REGRESSIONS, lambda X, Y: (X, np.ones_like(Y)), "same labels"),
    *[(SampleLabelMap(), {"n_components": n}, "`n_components` must be an integer between 1 and 3") for n in NO_COUNT],
    *of([KernelSampleLabelMap(), FeatureLabelEigenmap()], {"n_components": 99}, "`n_components`"),
    *[row for v in (0, 1.5, -1) for row in of(REGRESSIONS, {"variance": v}, "`variance`")],
    (SampleLabelMap(), {"scaling": "whiten"}, "`scaling` must be"),
    (KernelSampleLabelMap(), {"kernel": lambda a, b: float(a[0] - b[0])}, "symmetric"),
    (KernelSampleLabelMap(), {"kernel": "precomputed"}, "square"),
    (SampleLabelEigenmap(), {"alpha": 0}, "`alpha`"),
    (SampleLabelEigenmap(), {"alpha": np.inf}, "`alpha`"),
    (SampleLabelEigenmap(), {"beta": -1}, "`beta`"),
    (SampleLabelEigenmap(), {"gamma": np.nan}, "`gamma`"),
    (SampleLabelEigenmap(), {"n_components": 45}, "`n_components` must be an integer between 1 and"),
    (SampleLabelEigenmap(), {"n_components": 0}, "`n_components`"),
    (SampleLabelEigenmap(alpha=1.0), lambda X, Y: (X - 50 * (X == X[0]), Y), r"sample \d+ a total.*smaller `alpha`"),
    # eigenmaps: (X, y) with three classes, of which a third is unlabelled where that is allowed
    *of(SUPERVISED, lambda X, y: (X, 0 * y - 1), "two samples of different classes; all 45 are unlabelled"),
    *of(SUPERVISED, lambda X, y: (X, np.where(y > 0, 1, -1)), "values -1 and .1.*recode|Name the classes otherwise"),
    *of(SUPERVISED, lambda X, y: (X, np.zeros(len(X))), "at least two classes; got 1 class"),
    *of(SUPERVISED, lambda X, y: (X, np.where(y > 0, 3, -1)), "at least two classes; got 1 class"),
    *of(SUPERVISED, lambda X, y: (X, None), "`y` is missing"),
    *of(SUPERVISED, lambda X, y: (X, y[:-1]), "number of samples; got 45 rows in `X` and 44 in `y`"),
    *of(SUPERVISED, lambda X, y: (X, np.eye(3)[y] * (y > 0)[:, None]), "empty row.*add a label of their own"),
    *of(SUPERVISED, lambda X, y: (X, np.pad(np.eye(3)[y], ((0, 0), (0, 1)))), "empty column"),
    *of(SUPERVISED, lambda X, y: (X, 2 * np.eye(3)[y]), "read as 0/1 indicators.*holds 2"),
    *of(SUPERVISED, {"lam": -0.1}, r"`lam` must be a number between 0 and 1; got -0.1"),
    *of(SUPERVISED, {"lam": np.nan}, "`lam`"),
    *of(SUPERVISED, {"lam": "half"}, "`lam`"),
    *of(SUPERVISED, {"n_neighbors": 45}, "`n_neighbors` must be an integer between 1 and 44"),
    *of(SUPERVISED, {"n_neighbors": 0}, "`n_neighbors`"),
    *of(SUPERVISED, {"n_components": 0}, "`n_components`"),
    *of(SUPERVISED, {"n_components": 45}, "`n_components`"),
    *of(SUPERVISED, {"sigma2": 0.0}, "`sigma2` must be a finite number > 0"),
    (SLEML(), {"class_weight": {"who": 2.0}}, "`class_weight` must be None, 'balanced', or a dict"),
    (SLEML(class_weight={0: 2.0}), lambda X, y: (X, 1 - np.eye(3)[y]), "`class_weight`"),
    (LaplacianEigenmap(), lambda X: (X, np.ones(45)), "at least two classes"),
    (LaplacianEigenmap(), {"n_components": 45}, "`n_components`"),
    *of(ONE_LABEL, lambda X, y: (X, np.eye(3)[y]), "no rule for several labels per sample.*SLEML and CCDR take one"),
    *of(ONE_LABEL, lambda X, y: (X, np.ones(len(X))), "at least two classes"),
    *of(ONE_LABEL, lambda X, y: (X, np.where(y == 0, 1, -1)), "exactly the values -1 and"),
    *of(ONE_LABEL, lambda X, y: (X, np.where(y == 0, -1, y)), "`y` holds unlabelled samples .-1."),
    *of(ONE_LABEL, {"n_components": 45}, "`n_components`"),
    (ConstraintScoreMap(), {"beta": -1}, "`beta` must be a finite number >= 0"),
    (SLE(), {"beta": 1.2}, "`beta` must be a number between 0 and 1"),
    (SLE(), {"sigma2": -1.0}, "`sigma2` must be a finite number > 0"),
    (SLapEig(), {"sigma2": 0}, "`sigma2` must be a finite number > 0"),
    (SLapEig(), {"tau2": np.inf}, "`tau2` must be a finite number > 0"),
    (SLapEig(), {"n_neighbors": 45}, "`n_neighbors` must be an integer between 1 and 44"),
    # discriminant: (X, y) with a third unlabelled
    (SELF(), lambda X, y: (X, 0 * y - 1), "all 45 are unlabelled"),
    (SELF(), lambda X, y: (X, np.where(y == 0, 1, -1)), "exactly the values -1 and .1.*Name the classes otherwise"),
    (SELF(), lambda X, y: (X, np.where(y == 0, 0, -1)), "at least two classes; got 1 class"),
    (SELF(), lambda X, y: (X, None), "`y` is missing"),
    (SELF(), lambda X, y: (X, np.eye(3)[np.maximum(y, 0)]), "no rule for several labels per sample"),
    (SELF(), lambda X, y: (np.ones((45, 3)), y), "at least two different samples"),
    (SELF(), {"beta": -0.1}, "`beta` must be a number between 0 and 1; got -0.1"),
    (SELF(), {"beta": "0.5"}, "`beta`"),
    (SELF(), {"n_components": 6}, "`n_components` must be an integer between 1 and 5"),
    (SELF(), {"n_components": 0}, "`n_components`"),
    (SELF(), {"ridge": -1.0}, "`ridge` must be a finite number >= 0"),
    (SELF(), {"n_affinity": 45}, "`n_affinity` must be an integer between 1 and 44"),
    (SELF(), {"local_neighbor": 0}, "`local_neighbor` must be an integer"),
    *of([FDA(), LFDA()], lambda X, y: (X, np.full(45, -1)), "unlabelled"),
    (GraphLabelRegression(), lambda X, y: (X, 0 * y - 1), "unlabelled"),
    (GraphLabelRegression(), {"gamma": 0}, "`gamma` must be a finite number > 0"),
    (GraphLabelRegression(), {"affinity": "rbf"}, '`affinity` must be "local" or "precomputed"'),
    (GraphLabelRegression(), {"n_affinity": 45}, "`n_affinity` must be an integer between 1 and 44"),
    (GraphLabelRegression(affinity="precomputed"), lambda X, y: (X, y), "symmetric affinity >= 0 of shape"),
    (GraphLabelRegression(affinity="precomputed"), lambda X, y: (np.tri(45), y), "symmetric affinity"),
    (GraphLabelRegression(affinity="precomputed"), lambda X, y: (-np.eye(45), y), "symmetric affinity"),
    # lvq, lmnn: (X, y) with three classes of 15
    *of([*PROTOTYPES, LMNN()], lambda X, y: (X, np.zeros(45)), "at least two classes"),
    *of([*PROTOTYPES, LMNN(1)], lambda X, y: (np.ones((4, 2)), [0, 0, 1, 1]), "all rows are equal"),
    *of([*PROTOTYPES, LMNN()], lambda X, y: (X * 1e150, y), r"1e\+100"),
    (GMLVQ(), {"prototypes_per_class": 16}, "asks for 16 .* of class 'setosa', which has 15 samples.*{'setosa': 15"),
    (GMLVQ(), {"prototypes_per_class": 0}, "`prototypes_per_class` must be an integer >= 1"),
    (GMLVQ(), {"prototypes_per_class": {"setosa": 1, "tulip": 1}}, "as a dict must name classes in `y`"),
    (GMLVQ(), {"class_weight": {"tulip": 1.0}}, "`class_weight` must name classes in `y`"),
    (GMLVQ(), {"class_weight": {"setosa": -1.0}}, "`class_weight` must be a finite number > 0"),
    (GMLVQ(), {"class_weight": "even"}, '`class_weight` must be None, "balanced" or a dict'),
    (GMLVQ(), {"mu": -1}, "`mu` must be a finite number >= 0"),
    (GMLVQ(), {"rank": 0}, "`rank` must be an integer between 1 and 5"),
    (GMLVQ(), {"rank": 99}, "`rank`"),
    (GMLVQ(rank=1), {"n_components": 2}, r"`n_components` must be an integer between 1 and 1 \("),
    (GMLVQ(), {"solver": "adam"}, '`solver` must be "lbfgs" or "sgd"'),
    (GMLVQ(), {"omega_init": "zero"}, '`omega_init` must be "pca" or "random"'),
    (GMLVQ(), {"prototype_init": "zero"}, '`prototype_init` must be "means" or "kmeans"'),
    (GMLVQ(), {"tol": "a"}, "`tol` must be a finite number >= 0"),
    (GMLVQ(), {"max_iter": 0}, "`max_iter` must be an integer >= 1"),
    (GMLVQ(), {"eta": np.nan}, "`eta` must be a finite number >= 0"),
    (RSLVQ(), {"sigma2": 0.0}, "`sigma2` must be a finite number > 0"),
    (LMNN(), {"n_neighbors": 0}, "`n_neighbors` must be an integer between 1 and 44"),
    (LMNN(), {"n_neighbors": 45}, "`n_neighbors` must be an integer between 1 and 44"),
    (LMNN(), {"rank": 6}, "`rank` must be an integer between 1 and 5"),
    (LMNN(), {"push": 0}, "`push` must be a finite number > 0"),
    (LMNN(), {"push": 1.0}, "`push` must lie between 0 and 1"),
    (LMNN(), {"tol": -1}, "`tol` must be a finite number >= 0"),
    (LMNN(), {"max_iter": 0}, "`max_iter` must be an integer >= 1"),
    (LMNN(1), lambda X, y: (X[:3], y[:3]), "no sample has another of its class"),
    # relevance: (X, Z), and how much each sample matters
    *of(RELEVANCE, {"n_neighbors": 44}, "`n_neighbors` must be a number above 1 and below 44.*got 44"),
    *of(RELEVANCE, {"n_neighbors": 1}, "`n_neighbors` must be a number above 1"),
    *of(RELEVANCE, {"n_neighbors": "10"}, "`n_neighbors` must be a number above 1"),
    *of(RELEVANCE, lambda X, Z: (X[:10], Z[:10]), "`n_neighbors` must be a number above 1 and below 9.*got 10"),
    *of(RELEVANCE, lambda X, Z: (X[:2], Z[:2]), "minimum of 3 is required"),
    *of(RELEVANCE, lambda X, Z: (X, Z[:-1]), "same number of samples; got inconsistent 45, 44"),
    *of(RELEVANCE, lambda X, Z: (X, np.nan * Z), "Input y contains NaN"),
    *of(RELEVANCE, lambda X, Z: (X, None), "`y` .the map Z. is missing"),
    *of(RELEVANCE, lambda X, Z: (1e120 * X, Z), "`X` must not hold values beyond"),
    *of(RELEVANCE, lambda X, Z: (X, 1e120 * Z), "`y` must not hold values beyond"),
    *of(RELEVANCE, {"gamma": 1.5}, "`gamma` must be a number between 0 and 1; got 1.5"),
    *of(RELEVANCE, {"delta": -1}, "`delta` must be a finite number >= 0; got -1"),
    *of(RELEVANCE, {"tol": 0}, "`tol` must be a finite number > 0; got 0"),
    *of(RELEVANCE, {"max_iter": 0}, "`max_iter` must be an integer >= 1; got 0"),
    *of(RELEVANCE, {"max_samples": 0}, "`max_samples` must be None or an integer >= 1; got 0"),
    (NeRVMetric(), {"rank": 6}, "`rank` must be an integer between 1 and 5 .n_features"),
    (NeRVRelevance(), lambda X, Z: (X, Z, np.ones(44)), "`importance` must hold a number >= 0 per sample, shape .45,."),
    (NeRVRelevance(), lambda X, Z: (X, Z, np.zeros(45)), "`importance` must hold a number >= 0 per sample"),
    (NeRVRelevance(), lambda X, Z: (X, Z, -np.ones(45)), "`importance` must hold a number >= 0 per sample"),
    (NeRVRelevance(), lambda X, Z: (X, Z, np.ones((45, 1))), "`importance` must hold a number >= 0 per sample"),
]
