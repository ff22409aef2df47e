"""What estimators refuse, as tables: the rules of parameters, and (estimator, what is changed, what the message says).

A change is a dict of parameters, or a function of what `fit` is given. The rest is as
in `contract.ESTIMATORS`. There is one row for each kind of argument and message;
estimators that share the code of a check do not repeat it.
"""

import numpy as np
from registry import embedders
from scipy.sparse import csr_matrix
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE as SklearnTSNE
from sklearn.neighbors import KNeighborsTransformer

from toolkit.discriminant import SELF, GraphLabelRegression
from toolkit.eigenmaps import SLE, SLEML, ConstraintScoreMap
from toolkit.embed import GTM, MDS, MVU, SOM, TSNE, Isomap, ParametricTSNE
from toolkit.fisher import GPFisher, KernelFisher, ParzenFisher
from toolkit.kernelmap import InverseMap, KernelMap
from toolkit.lmnn import LMNN
from toolkit.lvq import GMLVQ, RSLVQ
from toolkit.multilabel import (
    KernelSampleLabelMap,
    SampleLabelEigenmap,
    SampleLabelMap,
)
from toolkit.relevance import NeRVRelevance
from toolkit.transfer import SharedKernelEmbedding, SharedLinearEmbedding


def first(change):
    """A change of the first array that `fit` is given."""
    return lambda X, *rest: (change(np.array(X)), *rest)


def second(change):
    """A change of the second array."""
    return lambda X, y: (X, change(y))


NO_INTEGER = [2.5, True, "two"]
NO_NUMBER = [np.nan, np.inf, True, "a"]


# What the message says, and values against the rule.
KINDS_WITHOUT_LIMITS = {
    "check_fraction": ("a number between 0 and 1", [-0.1, 1.2, *NO_NUMBER]),
    "check_flag": ("True or False", ["no", None, 2]),
    "check_option": ('"', ["other", 3]),
    "check_seed": ("None, an integer from 0", [-1, True, "a"]),
    "check_jobs": (
        "None or an integer from 1 to 1000",
        [0, 10**9, *NO_INTEGER],
    ),
    "check_part": ("an estimator, an object with", [PCA, "knn", {}]),
}


def violations(check):
    """What the message of a rule of a table says, and values against the rule.

    They follow from the kind of check and its limits, not from the code of the check.
    """
    limits = check.keywords
    least = limits.get("low", 1)
    low = limits.get("low", -1e100)
    high = limits.get("high", 1e100)
    zero = limits.get("zero", False)
    kinds = dict(KINDS_WITHOUT_LIMITS)
    kinds["check_integer"] = (
        f"an integer (>=|between) {least}( |;)",
        [least - 1, limits.get("high", 10**7) + 1, *NO_INTEGER],
    )
    kinds["check_positive"] = (
        f"a finite number >{'=' * zero} 0",
        [-1 if zero else 0, *NO_NUMBER],
    )
    kinds["check_number"] = (
        "a finite number from",
        [np.nextafter(low, -np.inf), np.nextafter(high, np.inf), *NO_NUMBER],
    )
    name = check.func.__name__
    if name not in kinds:  # the rule of one class, whose values are in RULES
        return None
    rule, wrong = kinds[name]
    none = limits.get("optional", name in MAY_BE_NONE) or None in limits.get(
        "options", ()
    )
    ends = [] if limits.get("ends", True) else [0, 1]
    return rule, [*wrong, *ends, *([] if none else [None])]


MAY_BE_NONE = "check_seed", "check_jobs", "check_part"

# (what the message says, wrong values, the parameters), of limits that depend on the
# samples and of rules that no table has; a name with its class comes before the name
# alone.
RULES = [
    (
        "an integer >= 1",
        [0, *NO_INTEGER],
        [
            "SharedLinearEmbedding.n_components",
            "SharedKernelEmbedding.n_components",
        ],
    ),
    ("an integer >= 2", [1, *NO_INTEGER], ["n_directions"]),
    ("an integer between 1 and 15", [0, *NO_INTEGER], ["prototypes_per_class"]),
    (
        "an integer (>= 1|between (1|251) and 1000000)",
        [0, *NO_INTEGER],
        ["max_iter"],
    ),
    ("an integer (>= 1|between 1 and)", [0, 45, *NO_INTEGER], ["n_components"]),
    (
        "an integer (>= 1|between 1 and 5;)",
        [0, 6],
        [
            "GMLVQ.rank",
            "LMNN.rank",
            "FDA.n_components",
            "SELFMap.n_components",
            "GMLVQ.n_components",
        ],
    ),
    (
        "an integer (>= 1|between 1 and 3;)",
        [0, 4],
        ["SampleLabelMap.n_components", "KernelSampleLabelMap.n_components"],
    ),
    (
        "an integer (>= 1|between 1 and 44)",
        [0, 45, *NO_INTEGER],
        ["n_affinity", "n_neighbors"],
    ),
    ("an integer >= 1", [0, *NO_INTEGER], ["local_neighbor"]),
    (
        "None or an integer (>= 2|between 2 and 45)",
        [1, 46, *NO_INTEGER],
        ["KernelMap.n_centers"],
    ),
    (
        "None or an integer (>= 3|between 3 and 22)",
        [2, 23, *NO_INTEGER],
        ["SharedKernelEmbedding.n_centers"],
    ),
    (
        "an integer between 3 and 45",
        [2, 1.5],
        ["ParzenFisher.n_centers", "KernelFisher.n_centers"],
    ),
    (
        "(above 1 and below the number of other samples, 44|a finite number > 0)",
        [1, 44],
        ["NeRVRelevance.n_neighbors", "NeRVMetric.n_neighbors"],
    ),
    ("a (finite )?number (> 0|from)", [0, *NO_NUMBER], ["bandwidth"]),
    (
        "two integers",
        [5, (0, 9), (1, 1), (2.5, 3), ("a", None)],
        ["basis", "grid"],
    ),
    ("a sequence of integers >= 1", [(), 100], ["hidden"]),
    (
        "an estimator, an object with",
        [KNeighborsTransformer, "knn", {}],
        ["neighbors"],
    ),
    ('"', ["other", 3], ["init"]),
    ("a name or a function", ["other", 3], ["kernel"]),
    (
        "be some of",
        [(), None, ["axes", "x"], [["axes"]], {"axes": 1}, b"axes"],
        ["starts"],
    ),
    # of all others
    (
        "(None, .balanced.,? or a dict|None or two numbers|a dict|a classifier|a table)",
        [3],
        [],
    ),
]

LINE = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
KERNEL = SharedKernelEmbedding(
    source="pca", lam=0.1, starts="structure", n_bandwidths=2
)

OF_ONE = {
    # multilabel: (X, Y) with three labels
    SampleLabelMap(): {"constant|one point": lambda X, Y: (np.ones_like(X), Y)},
    KernelSampleLabelMap(): {
        "same labels": second(lambda Y: np.ones_like(Y)),
        "symmetric": {"kernel": lambda a, b: float(a[0] - b[0])},
        "square": {"kernel": "precomputed"},
    },
    SampleLabelEigenmap(alpha=1.0): {
        r"sample \d+ a total.*smaller `alpha`": lambda X, Y: (
            X - 50 * (X == X[0]),
            Y,
        )
    },
    # eigenmaps: (X, y) with three classes, of which a third is unlabelled where that is
    # allowed
    SLEML(): {
        "two samples of different classes; all 45 are unlabelled": second(
            lambda y: 0 * y - 1
        ),
        "values -1 and .1.*recode|Name the classes otherwise": second(
            lambda y: np.where(y > 0, 1, -1)
        ),
        "at least two classes; got 1 class": second(
            lambda y: np.where(y > 0, 3, -1)
        ),
        "`y` is missing": second(lambda y: None),
        "empty row.*add a label for them": second(
            lambda y: np.eye(3)[y] * (y > 0)[:, None]
        ),
        "empty column": second(
            lambda y: np.pad(np.eye(3)[y], ((0, 0), (0, 1)))
        ),
        "read as 0/1 indicators.*holds 2": second(lambda y: 2 * np.eye(3)[y]),
        "`class_weight` must be None, 'balanced', or a dict": {
            "class_weight": {"who": 2.0}
        },
    },
    SLE(): {
        "no rule for several labels per sample.*SLEML and CCDR take one": second(
            lambda y: np.eye(3)[y]
        )
    },
    ConstraintScoreMap(): {
        "`y` holds unlabelled samples .-1.": second(
            lambda y: np.where(y == 0, -1, y)
        )
    },
    # discriminant: (X, y) with a third unlabelled
    SELF(): {
        "at least two different samples": lambda X, y: (np.ones((45, 3)), y)
    },
    GraphLabelRegression(affinity="precomputed"): {
        "symmetric affinity": lambda X, y: (np.tri(45), y)
    },
    # lvq, lmnn: (X, y) with three classes of 15
    RSLVQ(): {
        "all rows are equal": lambda X, y: (np.ones((4, 2)), [0, 0, 1, 1])
    },
    GMLVQ(): {
        "between 1 and 15; got 16. Class 'setosa' has 15 samples": {
            "prototypes_per_class": 16
        },
        "as a dict must name classes in `y`": {
            "prototypes_per_class": {"setosa": 1, "tulip": 1}
        },
    },
    GMLVQ(rank=1): {
        "`n_components` must be an integer between 1 and 1;": {
            "n_components": 2
        }
    },
    LMNN(): {
        "`X` must hold two different samples; all rows are equal": first(
            np.ones_like
        )
    },
    LMNN(1): {
        "no sample has another of its class": lambda X, y: (X[:3], y[:3])
    },
    # relevance: (X, Z), and how much each sample matters
    NeRVRelevance(): {
        "`y` .the map Z. is missing": second(lambda Z: None),
        "`importance` must have shape .45,.; got shape .44,.": lambda X, Z: (
            X,
            Z,
            np.ones(44),
        ),
        "`importance` must hold a number >= 0 per sample": lambda X, Z: (
            X,
            Z,
            1 - 2 * np.eye(45)[3],
        ),
    },
    # embed: X
    TSNE(): {
        "`init` must hold positions that differ": {"init": np.zeros((45, 2))},
        r"with numbers up to 1e\+06; its largest is": {
            "init": 1e38 * np.eye(45, 2)
        },
    },
    MVU(metric="precomputed"): {"not negative": lambda X: (-csr_matrix(LINE),)},
    Isomap(metric="precomputed"): {
        "in 30 pieces": lambda X: (csr_matrix((30, 30)),)
    },
    SOM(): {
        "`radius` must be None or two numbers .start, end.; got": {
            "radius": (3, 2, 1)
        },
        "`radius` must fall, .* an end of 0.001 or more": {"radius": (1, 1e-9)},
    },
    GTM(): {"`grid` must be two integers .*, each >= 2": {"grid": (1, 9)}},
    ParametricTSNE(): {
        "`metric` must be one of \"euclidean\"; got 'precomputed'": {
            "metric": "precomputed"
        },
        r"`perplexity` must be above 1 and below .*; got 30. Try": {
            "batch_size": 30,
            "perplexity": 30,
        },
        "`X` must hold samples that differ; got 45 equal rows": first(
            lambda X: np.full(X.shape, 0.1)
        ),
    },
    # fisher and kernelmap
    ParzenFisher(): {
        "`bandwidth` must be between 1e-9 and 1e9 times": {"bandwidth": 1e-77},
        "got 1.5.* or give a fraction of the samples above 0 and up to 1.0": {
            "n_centers": 1.5
        },
        "`bandwidth` cannot be chosen": first(np.ones_like),
    },
    KernelFisher(): {
        "`X` must give a symmetric matrix": first(np.triu),
        "similarities, but is 0 from each sample to itself": first(
            lambda S: S - np.diag(np.diag(S))
        ),
    },
    GPFisher(): {
        "`beta` must be at most .* for these samples": {"beta": 1e300},
        "all rows are equal": first(np.ones_like),
        "`y` must vary": second(lambda y: 0 * y),
    },
    KernelMap(): {
        "`cutoff` must be a fraction below 1": {"cutoff": 2.0},
        "at least two different samples": first(np.ones_like),
    },
    InverseMap(): {
        "minimum of 2": lambda X, Z: (X[:1], Z[:1]),
        "5 features": lambda X, Z: (
            X,
            Z,
            ParzenFisher().fit(X[:, :2], Z[:, 0] > 0),
        ),
    },
    # transfer from (23, 5) to (22, 7)
    KERNEL: {
        r"below the number of other samples, 21; got 21\. Try": {
            "perplexity": 21
        },
        "`X_target` must .* 4 sample.*minimum of 5": second(lambda Z: Z[:4]),
        "more than `n_components` = 2 different samples; got 2": second(
            lambda Z: np.repeat(Z[:2], 9, axis=0)
        ),
    },
}
REFUSALS = [
    (model, change, says)
    for model, changes in OF_ONE.items()
    for says, change in changes.items()
]

OF_EMBEDDERS = [
    ({"init": np.ones((3, 2))}, r"`init`.*got shape \(3, 2\)"),
    (
        {"perplexity": 60},
        "`perplexity` must be above 1 and below the number of other samples.*, 44; got 60. Try",
    ),
    ({"perplexity": 1}, "`perplexity` must be above 1"),
    (first(lambda X: X[:1]), "minimum of 2"),
    (first(lambda X: 1e101 * X), "must not hold values beyond 1e.100"),
]
REFUSALS += [
    (model, change, says)
    for model in [cls() for cls in embedders()]
    for change, says in OF_EMBEDDERS
    if callable(change) or change.keys() <= model.get_params().keys()
]

# Matrices that hold no distances, made of those of the samples (45, 45).
NO_DISTANCES = [
    (lambda D: D[:, :-1], "square"),
    (
        np.triu,
        r"symmetric matrix; entries .* differ by up to .*: \(\d+, \d+\) is",
    ),
    (
        lambda D: -D,
        r"distances, which are not negative; the least is -.*, entry \(\d+, \d+\)",
    ),
    (lambda D: D + np.eye(len(D)), r"0 from a sample to itself.*sqrt\(s_ii"),
    (lambda D: D * 1e101, "must not hold values beyond|overflow"),
]
GIVEN = MDS(metric="precomputed")
REFUSALS += [
    (GIVEN, lambda X, to=to: (to(squareform(pdist(X))),), says)
    for to, says in NO_DISTANCES
]

NOT_METRIC = [
    ("fisher", "`metric` must be a fitted Fisher metric.*'fisher'"),
    (np.eye(5), r"or finite matrices.* got shape \(5, 5\)"),
    (
        np.tile(-np.eye(5), (45, 1, 1)),
        "`metric` must hold positive semi-definite",
    ),
    (ParzenFisher(), "not fitted"),
]
REFUSALS += [
    (InverseMap(), lambda X, Z, metric=metric: (X, Z, metric), says)
    for metric, says in NOT_METRIC
]

NOT_SOURCE = [
    (
        None,
        'must be "pca", "tsne", an estimator with `fit_transform`, or coordinates',
    ),
    (
        PCA,
        r"must be an estimator, an object with get_params.* Create one: PCA\(\)",
    ),
    (PCA(3), r"must have shape \(23, 2\); got shape \(23, 3\)"),
    (np.full((23, 2), np.nan), "must be a table of finite real numbers"),
    (
        np.ones((23, 2)),
        "must give coordinates that vary in all of 2 directions",
    ),
    (
        PCA(9),
        "must be able to map the 23 samples of `X_source`, but PCA says: n_components=9",
    ),
    (SklearnTSNE(perplexity=99), "must be able to map.*TSNE says: perplexity"),
]
REFUSALS += [
    (SharedLinearEmbedding(), {"source": source}, f"`source` {says}")
    for source, says in NOT_SOURCE
]
