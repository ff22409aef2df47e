"""What estimators refuse, as one table: (estimator, what is changed, what the message says).

A change is a dict of parameters, or a function of what `fit` is given. The rest is as in `contract.ESTIMATORS`.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import TSNE as SklearnTSNE

from toolkit.discriminant import FDA, LFDA, SELF, GraphLabelRegression
from toolkit.eigenmaps import CCDR, SLE, SLEML, ConstraintScoreMap, LaplacianEigenmap, SLapEig
from toolkit.embed import GTM, MDS, MVU, SOM, TSNE, Isomap, NeRV, ParametricTSNE
from toolkit.fisher import GPFisher, KernelFisher, ParzenFisher
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.lmnn import LMNN
from toolkit.lvq import GLVQ, GMLVQ, RSLVQ, ClasswiseGMLVQ
from toolkit.multilabel import FeatureLabelEigenmap, KernelSampleLabelMap, SampleLabelEigenmap, SampleLabelMap
from toolkit.relevance import NeRVMetric, NeRVRelevance
from toolkit.transfer import SharedKernelEmbedding, SharedLinearEmbedding

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
    (SLEML(), {"keep_balance": "yes"}, "`keep_balance` must be True or False"),
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
    (NeRVRelevance(), lambda X, Z: (X, Z, np.ones(44)), "`importance` must have shape .45,.; got shape .44,."),
    (NeRVRelevance(), lambda X, Z: (X, Z, np.zeros(45)), "`importance` must hold a number >= 0 per sample"),
    (NeRVRelevance(), lambda X, Z: (X, Z, -np.ones(45)), "`importance` must hold a number >= 0 per sample"),
    (NeRVRelevance(), lambda X, Z: (X, Z, np.ones((45, 1))), "`importance` must have shape"),
]

# Embedders: a parameter counts where the estimator has it.
OF_EMBEDDERS = [
    ("metric", "cosine", '`metric` must be "euclidean"'),
    ("n_components", 0, "`n_components` must be an integer between 1 and 44"),
    ("n_components", 60, "`n_components` must be an integer between 1 and 44"),
    ("max_iter", 0, "`max_iter` must be an integer .*got 0"),
    ("max_iter", 1.5, "`max_iter` must be an integer .*got 1.5"),
    ("init", "best", '`init` must be "pca", "random" or finite numbers of shape'),
    ("init", np.ones((3, 2)), r"`init`.*got shape \(3, 2\)"),
    ("criterion", "other", "`criterion`"),
    ("perplexity", 60, "`perplexity` must be above 1 and below the number of other samples.*, 44; got 60. Try"),
    ("perplexity", 0.5, "`perplexity` must be above 1"),
    ("perplexity", 1, "`perplexity` must be above 1"),
    ("perplexity", "10", "`perplexity` must be a finite number > 0; got '10'"),
    ("early_exaggeration", 0.5, "`early_exaggeration` must be a finite number from 1 to 1e.06"),
    ("tol", -1.0, "`tol`"),
    ("callback", 3, "`callback` must be a function"),
    ("n_jobs", 0, "`n_jobs`"),
    ("n_neighbors", 60, "`n_neighbors` must be an integer between 1 and 44"),
    ("gamma", 1.2, "`gamma` must be a number between 0 and 1; got 1.2"),
    ("rank", 0, "`rank` must be an integer >= 1; got 0"),
]
EMBEDDERS = [MDS(criterion="stress"), TSNE(), Isomap(), MVU(), NeRV(), SOM(), GTM(), ParametricTSNE()]
REFUSALS += [(model, {k: v}, says) for model in EMBEDDERS for k, v, says in OF_EMBEDDERS if k in model.get_params()]

# Matrices that hold no distances, made of those of the samples (45, 45).
NO_DISTANCES = [
    (lambda D: D[:, :-1], "square"),
    (lambda D: D + np.outer(np.eye(45)[3], np.eye(45)[5]), r"symmetric matrix; entries \(3, 5\) and \(5, 3\)"),
    (lambda D: -D, r"distances, which are not negative; entry \(\d+, \d+\) is -"),
    (lambda D: D + np.eye(len(D)), r"0 from a sample to itself.*sqrt\(s_ii"),
    (lambda D: D * np.nan, "NaN"),
    (lambda D: D * 1e101, "must not hold values beyond|overflow"),
]
for model in [MDS(), *EMBEDDERS[:-1]]:
    model = type(model)(**model.get_params() | {"metric": "precomputed"})
    REFUSALS += [(model, lambda X, to=to: (to(squareform(pdist(X))),), says) for to, says in NO_DISTANCES]
REFUSALS += [(model, first(lambda X: X[:1]), "minimum of 2") for model in EMBEDDERS]
REFUSALS += [(model, first(lambda X: 1e101 * X), "must not hold values beyond 1e.100") for model in EMBEDDERS]

LINE = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
REFUSALS += [
    (MDS(criterion="stress"), {"init": np.zeros((45, 2))}, "`init` must hold positions that differ"),
    (MDS(criterion="stress", init=np.eye(45, 2)), first(lambda X: 1e-200 * X), "`init` must be in units .* Rescale it"),
    (TSNE(), {"init": 1e38 * np.eye(45, 2)}, r"with numbers up to 1e\+15; its largest is"),
    (NeRV(init=np.eye(45, 2)), first(lambda X: 1e-200 * X), "`init` must be in units of the distances.*Rescale it"),
    (NeRV(), first(lambda X: X[:2]), "`n_components` must be an integer between 1 and 1"),
    (MVU(), first(lambda X: X[:2]), "`n_components` must be an integer between 1 and 1"),
    (MVU(), {"tol": 0}, "`tol` must be a finite number > 0; got 0"),
    (MVU(), {"tol": 1.0}, "`tol` must be below 1"),
    (MVU(metric="precomputed"), lambda X: (-csr_matrix(LINE),), "not negative"),
    (MVU(metric="precomputed", init="pca"), lambda X: (csr_matrix(LINE),), "needs all distances"),
    (Isomap(metric="precomputed"), lambda X: (csr_matrix((30, 30)),), "in 30 pieces"),
    (SOM(), {"grid": (1, 1)}, r"two integers \(rows, columns\), each >= 1 and with at least 2 nodes; got \(1, 1\)"),
    (SOM(), {"grid": 5}, "`grid` must be two integers"),
    (SOM(), {"grid": (2.5, 3)}, "`grid`"),
    (SOM(), {"grid": (0, 9)}, "`grid`"),
    (SOM(), {"grid": ("a", None)}, "`grid`"),
    (SOM(), {"radius": 3}, r"`radius` must be None or two numbers \(start, end\); got 3"),
    (SOM(), {"radius": (1, 2)}, "`radius` must not grow: start >= end; got .1, 2.. Swap the two"),
    (SOM(), {"radius": (1, 1e-9)}, "`radius` must end at 0.001 or more"),
    (SOM(), {"radius": (1, 0)}, "`radius` must be a finite number > 0; got 0"),
    (SOM(), {"interpolate": "yes"}, "`interpolate` must be True or False; got 'yes'"),
    (GTM(), {"grid": (1, 9)}, "`grid` must be two integers .*, each >= 2"),
    (GTM(), {"basis": (4, 1)}, "`basis` must be two integers .*, each >= 2"),
    (GTM(), {"width": 0}, "`width` must be a finite number > 0; got 0"),
    (GTM(), {"ridge": -1}, "`ridge` must be a finite number > 0; got -1"),
    (GTM(), {"dimension": 0}, "`dimension` must be a finite number > 0; got 0"),
    (GTM(), {"tol": np.nan}, "`tol` must be a finite number >= 0; got nan"),
    (ParametricTSNE(), {"metric": "precomputed"}, "`metric` must be \"euclidean\".*got 'precomputed'.*KernelMap"),
    (ParametricTSNE(), {"perplexity": "a"}, "`perplexity` must be a finite number > 0; got 'a'"),
    (ParametricTSNE(), {"batch_size": 30}, r"`perplexity` must be above 1 and below .*; got 30. Try"),
    (ParametricTSNE(), {"batch_size": 2}, "`batch_size` must be an integer >= 3; got 2"),
    (ParametricTSNE(), {"hidden": ()}, r"`hidden` must be a sequence of integers >= 1, such as \(100, 100\); got \(\)"),
    (ParametricTSNE(), {"hidden": 100}, "`hidden` must be a sequence .* got 100"),
    (ParametricTSNE(), {"hidden": (10, 0.5)}, "`hidden` must be an integer >= 1; got 0.5"),
    (ParametricTSNE(), {"learning_rate": -1}, "`learning_rate` must be a finite number from 1e-12"),
    (ParametricTSNE(), {"learning_rate": 1e4}, "`learning_rate` must be .* to 1000; got 10000"),
    (ParametricTSNE(), first(lambda X: np.full(X.shape, 0.1)), "`X` must hold samples that differ; got 45 equal rows"),
    (ParametricTSNE(), first(lambda X: X[:3]), r"`perplexity` must be above 1 and below .* 2; got 30. Try 1.5"),
    (ParametricTSNE(1), first(lambda X: X[:2]), "`perplexity`.*Give more samples"),
    (ParzenFisher(), {"bandwidth": 0}, "`bandwidth` must be a finite number > 0"),
    (ParzenFisher(), {"bandwidth": 1e-77}, "`bandwidth` must be between 1e-9 and 1e9 times"),
    (ParzenFisher(), {"bandwidth": "wide"}, '`bandwidth` must be a number > 0, "rule" or None'),
    (ParzenFisher(), {"lam": -1}, "`lam` must be a finite number >= 0"),
    (ParzenFisher(), {"perplexity": 0}, "`perplexity` must be a finite number > 0"),
    (ParzenFisher(), {"n_centers": 2}, "`n_centers` must be an integer between the number of classes, 3"),
    (ParzenFisher(), {"n_centers": 1.5}, "or a fraction of the samples above 0 and up to 1.0; got 1.5"),
    (ParzenFisher(), lambda X, y: (X, 0 * y), "at least two classes"),
    (ParzenFisher(), first(np.ones_like), "`bandwidth` cannot be chosen"),
    (KernelFisher(), {"n_centers": 2}, "`n_centers` must be an integer between the number of classes, 3"),
    (KernelFisher(), {"indefinite": "drop"}, "`indefinite` must be"),
    (KernelFisher(), first(np.triu), "`X` must give a symmetric matrix"),
    (KernelFisher(), first(lambda S: S - np.diag(np.diag(S))), "similarities, but is 0 from each sample to itself"),
    (GPFisher(), {"noise": 1e-9}, "`noise` must be at least 0.0001"),
    (GPFisher(), {"beta": 1e300}, "`beta` must be at most .* for these samples"),
    (GPFisher(), first(np.ones_like), "all rows are equal"),
    (GPFisher(), lambda X, y: (X, 0 * y), "`y` must vary"),
    (GPFisher(), lambda X, y: (X, y * np.nan), "NaN"),
    (KernelMap(), {"bandwidth": 0}, "`bandwidth` must be a finite number > 0"),
    (KernelMap(), {"bandwidth": -1}, "`bandwidth` must be a finite number > 0"),
    (KernelMap(), {"bandwidth": np.nan}, "`bandwidth` must be a finite number > 0"),
    (KernelMap(), {"bandwidth": 1e-70}, "`bandwidth` must lie between"),
    (KernelMap(), {"bandwidth": "other"}, "`bandwidth` must be a finite number"),
    (KernelMap(), {"widths": "some"}, '`widths` must be "shared" or "own"'),
    (KernelMap(), {"metric": "cosine"}, '`metric` must be "euclidean" or "precomputed"'),
    (KernelMap(), {"n_centers": 1}, "`n_centers` must be None or an integer between 2 and 45"),
    (KernelMap(), {"n_centers": 1000}, "`n_centers` must be None or an integer between 2 and 45"),
    (KernelMap(), {"cutoff": "a"}, "`cutoff` must be a finite number"),
    (KernelMap(), {"cutoff": 2.0}, "`cutoff` must be a fraction below 1"),
    (KernelMap(), first(np.ones_like), "at least two different samples"),
    (KernelMap(metric="precomputed"), lambda X, Z: (np.triu(squareform(pdist(X))), Z), "symmetric"),
    (InverseMap(), {"n_centers": 1}, "`n_centers` must be None or an integer >= 2; got 1"),
    (InverseMap(), {"n_centers": 2.5}, "`n_centers` must be None or an integer"),
    (InverseMap(), {"n_centers": True}, "`n_centers` must be None or an integer"),
    (InverseMap(), {"centers": "all"}, '`centers` must be "kmeans" or "samples"'),
    (InverseMap(), {"centers": 3}, '`centers` must be "kmeans" or "samples"'),
    (InverseMap(), {"bandwidth": 0}, "`bandwidth` must be a finite number > 0"),
    (InverseMap(), {"bandwidth": 1e7}, "`bandwidth` must lie between"),
    (InverseMap(), {"bandwidth": "rule"}, "`bandwidth` must be a finite number > 0"),
    (InverseMap(), {"lam": -1}, "`lam` must be a finite number >= 0"),
    (InverseMap(), {"lam": np.nan}, "`lam` must be a finite number >= 0"),
    (InverseMap(), {"lam": None}, "`lam` must be a finite number >= 0"),
    (InverseMap(9), {"random_state": "a"}, "`random_state` must be None, an integer"),
    (InverseMap(), lambda X, Z: (X[:1], Z[:1]), "minimum of 2"),
    (InverseMap(), lambda X, Z: (X, Z * np.nan), "Input Z contains NaN"),
    (InverseMap(), lambda X, Z: (X, Z[:, 0]), "Expected 2D array"),
    (InverseMap(), first(lambda X: 1e101 * X), "`X` must not hold values beyond"),
    (InverseMap(), lambda X, Z: (X, 1e101 * Z), "`Z` must not hold values beyond"),
    (InverseMap(), lambda X, Z: (X, Z, np.eye(5)), r"or finite matrices.* got ndarray of shape \(5, 5\)"),
    (InverseMap(), lambda X, Z: (X, Z, np.tile(np.eye(5), (44, 1, 1))), "`metric` must be .*finite matrices of shape"),
    (InverseMap(), lambda X, Z: (X, Z, np.full((45, 5, 5), np.inf)), "`metric` must be"),
    (InverseMap(), lambda X, Z: (X, Z, np.tile(-np.eye(5), (45, 1, 1))), "`metric` must hold positive semi-definite"),
    (InverseMap(), lambda X, Z: (X, Z, "fisher"), "`metric` must be .* got str"),
    (InverseMap(), lambda X, Z: (X, Z, object()), "`metric` must be .* got object"),
    (InverseMap(), lambda X, Z: (X, Z, ParzenFisher()), "not fitted"),
    (InverseMap(), lambda X, Z: (X, Z, ParzenFisher().fit(X[:, :2], Z[:, 0] > 0)), "5 features"),
]

# Transfer from (23, 5) to (22, 7).
LINEAR = SharedLinearEmbedding()
KERNEL = SharedKernelEmbedding(source="pca", lam=0.1, starts="structure", n_bandwidths=2)
OF_LINEAR = [
    ("n_components", [0, -1, 1.5, True, None, "2"], "must be an integer >= 1"),
    ("standardize", ["no", None, 2], "must be True or False"),
    ("fit_weights", ["no", None, 2], "must be True or False"),
    ("ridge", [-1, np.nan, np.inf, "a", True, 1e7], r"must be None or a finite number from 0 to 1e\+06"),
    ("bandwidth", [0, -1, np.nan, "a", True], "must be a finite number > 0"),
    ("bandwidth", [1e-200, 1e200], "must be a finite number > 0"),
    ("n_bandwidths", [0, 1.5, None, True], "must be an integer >= 1"),
    ("n_directions", [1, 2.5, None, True], "must be an integer >= 2"),
    ("starts", [(), None, 5, "tsne", ["axes", "x"], [["axes"]], [{}], {"axes": 1}, b"axes"], "must name some of"),
    ("callback", [5, "print"], "must be a function"),
    ("source", [None, "umap"], 'must be "pca", "tsne", an estimator with `fit_transform`, or coordinates'),
    ("source", [5, {}, object(), [["a"]], {1, 2}], "must be a table of finite real numbers"),
    ("source", [PCA, LinearDiscriminantAnalysis], r"must be an estimator with its settings, such as \w+\(\)"),
    ("source", [PCA(3)], r"must map 23 source samples to `n_components` = 2 dim.*PCA has shape \(23, 3\)"),
    ("source", [np.ones((3, 2)), np.ones((23, 3))], "must map 23 source samples.*array has shape"),
    ("source", [np.full((23, 2), np.nan), np.ones(23)], "must be a table of finite real numbers"),
    ("source", [np.eye(23, 2) * 1e150], "must not hold values beyond"),
    ("source", [np.ones((23, 2))], "must give coordinates that vary in all of 2 directions"),
    ("source", [PCA(9)], "must be able to map the 23 samples of `X_source`, but PCA says: n_components=9"),
    ("source", [SklearnTSNE(perplexity=99)], "must be able to map.*TSNE says: perplexity"),
]
REFUSALS += [(LINEAR, {name: value}, f"`{name}` {says}") for name, values, says in OF_LINEAR for value in values]
REFUSALS += [
    (KERNEL, {"perplexity": 21}, r"below the number of other samples of `X_target`, 21; got 21\. None chooses"),
    (KERNEL, {"perplexity": 1}, "`perplexity` must be above 1"),
    (KERNEL, {"perplexity": np.nan}, "`perplexity` must be a finite number > 0; got nan"),
    (KERNEL, {"perplexity": "many"}, "`perplexity` must be a finite number > 0; got 'many'"),
    (KERNEL, {"n_centers": 23}, r"`n_centers` must be None or an integer between 3 and 22; got 23\. .* None takes"),
    (KERNEL, {"n_centers": 2}, r"`n_centers` must be .* integer between 3 and 22; got 2\. Above `n_components`"),
    (KERNEL, {"n_centers": 5.0}, r"`n_centers` must be .* integer .* got 5\.0"),
    (KERNEL, {"n_centers": True}, "`n_centers` must be .* integer .* got True"),
    (KERNEL, {"lam": -1}, r"`lam` must be None or a finite number from 0 to 1e\+06; got -1"),
    (KERNEL, {"lam": 1e9}, r"`lam` must be .*; got 1000000000\.0"),
    (KERNEL, {"lam": "auto"}, "`lam` must be .*; got 'auto'"),
    (KERNEL, {"kernel_width": 0}, "`kernel_width` must be a finite number > 0; got 0"),
    (KERNEL, {"kernel_width": 1e9}, "`kernel_width` must lie between 1e-6 and 1e6"),
    (KERNEL, {"kernel_width": None}, "`kernel_width` must be a finite number > 0; got None"),
    (KERNEL, {"source": "umap"}, "`source` must be .*\"pca\".* got 'umap'"),
    (KERNEL, {"source": None}, "`source` must be .* got None"),
    (KERNEL, {"source": np.zeros((23, 2))}, "`source` must give coordinates that vary in all"),
    (KERNEL, {"source": np.ones((23, 3))}, "`source` must map 23 source samples to `n_components` = 2"),
    (KERNEL, {"n_components": 0}, "`n_components` must be an integer >= 1; got 0"),
    (KERNEL, {"n_components": 2.0}, r"`n_components` must be an integer >= 1; got 2\.0"),
    (KERNEL, {"n_components": 6}, "`n_components` must not exceed the number of features"),
    (KERNEL, {"n_bandwidths": 0}, "`n_bandwidths` must be an integer >= 1; got 0"),
    (KERNEL, {"bandwidth": 0}, "`bandwidth` must be a finite number > 0; got 0"),
    (KERNEL, {"starts": "axes"}, "`starts` must name some of .*; got 'axes'"),
    (KERNEL, {"starts": ()}, r"`starts` must name some of .*; got \(\)"),
    (SharedKernelEmbedding(perplexity=18), lambda X, Z: (X[:15], Z), "`perplexity` .* of `X_source`, 14; got 18. None"),
    (KERNEL, lambda X, Z: (X, np.where(np.arange(7) == 2, np.nan, Z)), "NaN"),
    (KERNEL, lambda X, Z: (X, Z[:4]), "`X_target` must hold more samples than `n_components` = 2"),
    (KERNEL, lambda X, Z: (X, np.repeat(Z[:1], 9, axis=0)), "`X_target` must hold samples that differ; got 9 eq"),
    (KERNEL, lambda X, Z: (X, np.repeat(Z[:2], 9, axis=0)), "more than `n_components` = 2 different samples; got 2"),
    (KERNEL, lambda X, Z: (X, Z * 1e120), r"`X_target` must not hold values beyond 1e\+100"),
]
