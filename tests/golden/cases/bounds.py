"""Bounds on the relevance of features: by linear programs, by feature selection, along penalties."""

from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.bounds import left_out_error
from toolkit.lmnn import LMNN
from toolkit.lvq import GMLVQ

from ..harness import alone, case, each, value_of
from ..inputs import INPUTS, Option, fitted, quantity

CLASSIFIER = GMLVQ(max_iter=5, rank=2, mu=0.1)


@quantity
def first_features(scaled):
    return scaled[:, :6]


@quantity
def copies(scaled):
    """Two features more: the first in another scale and sign, and the sum of two others."""
    X = scaled
    mean_of_two = (X[:, 1] + X[:, 2]) / 2
    return np.column_stack([X, -0.8 * X[:, 0], mean_of_two])


@quantity
def constant(copies, X):
    return np.column_stack([copies, np.full(len(X), 3.0)])


@quantity
def single(copies):
    return copies.astype(np.float32)


@quantity
def no_feature(X):
    return X[:, :0]


@quantity
def weights(X, more: int):
    """Weights of the features and so many more, of both signs and different sizes."""
    d = np.arange(X.shape[1] + more)
    return np.cos(d**1.5) * (1 + d % 3)


@quantity
def mapping(given, more: int):
    """Three rows of a mapping."""
    w = given[f"weights:{more}"]
    return np.stack([w, 0.5 * np.roll(w, 1), 0.2 * np.roll(w, 3)])


@quantity
def couples(X):
    return np.arange(X.shape[1]) // 2


# What is unique: the ends, not all of the vectors at them.
ENDS = "lower upper mu null_space effective_dimension error empty n_evaluations"
VECTORS = ENDS + " at_lower at_upper minimal weights average"
bounds = partial(case, taken=ENDS, after={"kinds": ""})
relevance = partial(bounds, "bounds.relevance_bounds", given="weights:0 scaled")
copied = partial(relevance, given="weights:2 copies")
relevance("three classes", "uneven", taken=VECTORS)
relevance(null_space=each(0, 2), taken=VECTORS)
relevance("uneven", null_space=1, taken=VECTORS)
relevance("more features", null_space=20)
copied(slack=each(1, 2), null_space=3)
copied()
alone(copied, given=each("weights:2 single", "weights:3 constant"))
copied(w=fitted(Ridge(), "copies t"), X="@copies", given="")
copied(
    "uneven",
    w=fitted(make_pipeline(StandardScaler(), Ridge()), "X t"),
    X="@X",
    null_space=1,
    given="",
)

group = partial(bounds, "bounds.group_bounds", given="weights:0 scaled")
group(*INPUTS, groups="@couples")
group(groups=list("abbabca"), given="weights:2 copies")
group(groups=[1, 0, 1, 2, 0], null_space=2, slack=each(1, 1.5))
metric = partial(bounds, "bounds.metric_bounds", given="mapping:0 scaled")
of_model = partial(metric, X="@scaled", null_space=1, given="")
metric("three classes", "uneven", taken=ENDS + " mappings average")
metric("more features")
metric(null_space=2, slack=1.1)
metric(null_space=3, slack=1, given="mapping:2 copies")
of_model(metric=fitted(CLASSIFIER, "scaled y"))
of_model("uneven", metric=fitted(LMNN(max_iter=3), "scaled y"))
of_model(metric=fitted(RidgeClassifier(), "scaled y"), null_space=2)
of_model(
    "uneven",
    metric=fitted(make_pipeline(StandardScaler(), GMLVQ(max_iter=5, mu=0.1))),
    X="@X",
)
principal = partial(case, "bounds.principal_rows")
principal(*INPUTS, given="mapping:0")
principal(
    metric=each(
        fitted(CLASSIFIER, "scaled y"), fitted(RidgeClassifier(), "scaled y")
    )
)


def two_thirds(model, samples="scaled", target="y"):
    """Options: a model fitted to two of three samples, which the third ones test."""

    def part(key, tests):
        return Option(
            lambda given: given[key][(given["rows"] % 3 == 2) == tests],
            f"{key} {tests}",
        )

    X = part(samples, False)
    y = part(target, False)
    fit = Option(
        lambda given: model.fit(value_of(X, given), value_of(y, given)),
        repr(model),
    )
    return {
        "model": fit,
        "X": X,
        "y": y,
        "X_other": part(samples, True),
        "y_other": part(target, True),
    }


VALUES = two_thirds(Ridge(), target="t")


def choice(result):
    null_spaces = [row.null_space for row in result.bounds]
    return [bound.upper for bound in result.bounds], np.column_stack(
        [
            null_spaces,
            result.train_error,
            result.error,
            result.average_train_error,
            result.average_error,
        ]
    )


choose = partial(case, "bounds.choose_null_space", taken=choice)
choose(**two_thirds(CLASSIFIER))
choose("uneven", slack=1.1, **two_thirds(CLASSIFIER))
choose(null_spaces=[0, 2], **two_thirds(LMNN(max_iter=3)))
choose(
    "uneven",
    tolerance=0.2,
    **two_thirds(LogisticRegression(tol=1e-10, max_iter=5000)),
)
choose("uneven", tolerance=0.0, slack=1.5, **VALUES)
choose(**two_thirds(Ridge(), "copies", "t"))
choose(
    "more features",
    lowered={"toolkit.bounds.null_space_selection.MAX_DIMENSIONS": 2},
    **VALUES,
)


generic = partial(bounds, "bounds.generic_bounds", given="scaled t")
generic(*INPUTS, given="first_features t")
generic(n_steps=each(1, 2), given="copies t")
generic(upper=False, taken="lower error n_evaluations", after={})
generic(criterion=left_out_error, n_steps=1, given="scaled names")
case("bounds.linear_error", given=each("scaled t", "no_feature t"))
left_out = partial(case, "bounds.left_out_error")
left_out(*INPUTS, given="scaled t")
left_out("uneven", given="scaled names")


def relation(result):
    """The directions as their projector, whose rows do not depend on the order of equal ones."""
    projector = result.retained @ result.retained.T
    results = {
        "sizes": [result.null_space, result.effective_dimension],
        "varying": result.varying,
    }
    return results | {
        "variances": result.variances,
        "projector": projector[:: len(projector) // 4],
    }


def second(result):
    return result[1]


equivalence = partial(case, "bounds.equivalence", taken=relation)
equivalence(*INPUTS, given="scaled")
equivalence(given=each("copies", "single"))
equivalence(null_space=4, given="constant")
equivalence(null_space=0, given="copies")
canonical = partial(case, "bounds.canonical_weights")
canonical(*INPUTS, given="weights:2 copies")
canonical(null_space=each(1, 3), given="weights:0 scaled")
canonical(w=fitted(Ridge(), "copies t"), X="@copies")
minimal = partial(case, "bounds.minimal_weights", given="weights:0 scaled")
minimal(*INPUTS, taken=second)
minimal(null_space=each(1, 3))
