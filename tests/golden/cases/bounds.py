"""Bounds on the relevance of features: by linear programs, by feature selection, along penalties."""

from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.bounds import choose_null_space, left_out_error
from toolkit.bounds.programs import WeightSet
from toolkit.lmnn import LMNN
from toolkit.lvq import GMLVQ

from ..harness import Case, Made, codes_of
from ..inputs import INPUTS

__all__ = ["CASES"]


def scaled(given, key="X"):
    X = given["X"]
    return (given[key] - X.mean(axis=0)) / X.std(axis=0)


def first_features(given):
    return scaled(given)[:, :6]


def with_copies(given):
    """Two features more: the first in another scale and sign, and the sum of two others."""
    X = scaled(given)
    return np.column_stack([X, -0.8 * X[:, 0], (X[:, 1] + X[:, 2]) / 2])


def with_constant(given):
    return np.column_stack([with_copies(given), np.full(len(given["X"]), 3.0)])


def as_single(given):
    return with_copies(given).astype(np.float32)


def as_frame(given):
    X = with_copies(given)
    return pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])


def weights(d):
    """Weights of d features, of both signs and different sizes."""
    return np.cos(np.arange(d) ** 1.5) * (1 + np.arange(d) % 3)


def of(samples, key="w", made=weights):
    """Options of what is asked about samples, and the samples."""
    return {key: Made(lambda given: made(samples(given).shape[1])), "X": Made(samples)}


def rows(d):
    """Three rows of a mapping."""
    return np.stack([weights(d), 0.5 * np.roll(weights(d), 1), 0.2 * np.roll(weights(d), 3)])


def along_nothing(given):
    """Weights along which `with_copies` does not vary, as the sum of two features is one more."""
    w = np.zeros(with_copies(given).shape[1])
    w[[1, 2, -1]] = 1.0, 1.0, -2.0
    return w


def fitted(model, samples=with_copies, target="t"):
    return Made(lambda given: model.fit(samples(given), given[target]))


def groups(d):
    return np.arange(d) // 2


def bounds(result, given):
    """What is unique: the ends, not all of the vectors at them; and what kinds of features there are."""
    found = {name: getattr(result, name) for name in ("lower", "upper")}
    numbers = ("mu", "null_space", "effective_dimension", "error", "empty", "n_evaluations")
    found |= {name: getattr(result, name) for name in numbers if hasattr(result, name)}
    return found | {"kinds": codes_of(result.kinds()), "kinds by half": codes_of(result.kinds(0.5))}


def with_vectors(result, given):
    names = ("at_lower", "at_upper", "minimal", "weights", "average")
    return bounds(result, given) | {name: getattr(result, name) for name in names if hasattr(result, name)}


def with_mappings(result, given):
    return bounds(result, given) | {"mappings": result.mappings, "average": result.average}


def with_lengths(result, given):
    """Norms of the vectors at the ends, where there are many."""
    lengths = {name: np.abs(getattr(result, name)).sum(axis=1) for name in ("at_lower", "at_upper")}
    return bounds(result, given) | lengths


def relation(result, given):
    """The directions as their projector, whose rows do not depend on the order of equal ones."""
    sizes = {"null_space": result.null_space, "effective_dimension": result.effective_dimension}
    projector = result.kept @ result.kept.T
    found = {"varying": result.varying, "variances": result.variances}
    return sizes | found | {"projector": projector[:: len(projector) // 4]}


def choice(result, given):
    names = ("null_space", "effective_dimension", "effective_dimensions", "train_error", "error")
    names = (*names, "average_train_error", "average_error", "original")
    found = {name: getattr(result, name) for name in names}
    return found | {"upper": [bound.upper for bound in result.bounds], "frame": result.to_frame().to_numpy()}


def of_choice(model, samples=scaled, target="y", **options):
    """What `choose_null_space` gets: a model fitted to two of three samples, which the third ones test."""

    def parts(given):
        test = np.arange(len(given["y"])) % 3 == 2
        return samples(given)[~test], given[target][~test], samples(given)[test], given[target][test]

    def part(number):
        return Made(lambda given: parts(given)[number])

    found = {name: part(number) for number, name in enumerate(("X", "y", "X_other", "y_other"))}
    return found | {"model": Made(lambda given: model.fit(*parts(given)[:2]))} | options


def known(given):
    """A choice among few sizes, for one among more."""
    options = of_choice(Ridge(), target="t", null_spaces=[1, 3])
    made = {name: value.make(given) for name, value in options.items() if isinstance(value, Made)}
    return choose_null_space(**options | made)


RELEVANCE = "bounds.relevance_bounds"
LINEAR = [
    *[Case(f"relevance bounds default, {input}", RELEVANCE, of(scaled), "", input,
           taken=with_lengths if input == "more features" else with_vectors) for input in INPUTS],
    Case("relevance bounds default, copies of features", RELEVANCE, of(with_copies), "", taken=with_lengths),
    *[Case(f"relevance bounds, null space {k}", RELEVANCE, of(scaled) | {"null_space": k}, "",
           taken=with_vectors) for k in (0, 2)],
    Case("relevance bounds, null space 1, uneven", RELEVANCE, of(scaled) | {"null_space": 1}, "", "uneven",
         taken=with_vectors),
    Case("relevance bounds, null space 20, more features", RELEVANCE, of(scaled) | {"null_space": 20}, "",
         "more features", taken=bounds),
    *[Case(f"relevance bounds, slack {slack}", RELEVANCE, of(with_copies) | {"slack": slack, "null_space": 3},
           "", taken=bounds) for slack in (1, 2)],
    Case("relevance bounds of a linear model", RELEVANCE, {"w": fitted(Ridge()), "X": Made(with_copies)}, "",
         taken=bounds),
    Case("relevance bounds of a pipeline", RELEVANCE,
         {"w": fitted(make_pipeline(StandardScaler(), Ridge()), lambda given: given["X"]), "X": "@X",
         "null_space": 1}, "", "uneven", taken=bounds),
    Case("relevance bounds of a data frame", RELEVANCE, of(as_frame), "", taken=bounds),
    Case("relevance bounds, single precision", RELEVANCE, of(as_single), "", taken=bounds),
    Case("relevance bounds, constant feature", RELEVANCE, of(with_constant), "", taken=with_lengths),
    Case("relevance bounds, weights without effect", RELEVANCE,
         {"w": Made(along_nothing), "X": Made(with_copies)}, "", taken=with_lengths),
    Case("relevance bounds beside a level of noise", RELEVANCE, of(with_copies) | {"null_space": 3}, "",
         taken=lambda result, given: codes_of(replace(result, level=0.9 * result.upper[::-1]).kinds())),
    *[Case(f"group bounds default, {input}", "bounds.group_bounds",
           of(scaled) | {"groups": Made(lambda given: groups(given["X"].shape[1]))}, "", input,
           taken=bounds) for input in INPUTS],
    Case("group bounds, copies of features", "bounds.group_bounds",
         of(with_copies) | {"groups": list("abbabca")}, "", taken=bounds),
    *[Case(f"group bounds, null space 2, slack {slack}", "bounds.group_bounds",
           of(scaled) | {"groups": [1, 0, 1, 2, 0], "null_space": 2, "slack": slack}, "",
           taken=bounds) for slack in (1, 1.5)],
    Case("group bounds, constant feature", "bounds.group_bounds",
         of(with_constant) | {"groups": [0, 0, 1, 1, 2, 2, 3, 3]}, "", taken=bounds),
    Case("smallest of a linear program with a free variable", "bounds.programs.smallest",
         {"c": np.array([1.0, 1.0, 0.5]),
         "feasible": WeightSet(1, None, None, -np.array([[1.0, -1.0, 2.0], [0.0, 1.0, -1.0]]),
         np.array([-3.0, -1.0]), free=1)}, "", taken=lambda result, given: result[:2]),
]  # fmt: skip

METRICS = [
    *[Case(f"metric bounds default, {input}", "bounds.metric_bounds", of(scaled, "metric", rows), "", input,
           taken=bounds if input == "more features" else with_mappings) for input in INPUTS],
    Case("metric bounds, copies of features", "bounds.metric_bounds", of(with_copies, "metric", rows), "",
         taken=bounds),
    Case("metric bounds, null space 2", "bounds.metric_bounds",
         of(scaled, "metric", rows) | {"null_space": 2, "slack": 1.1}, "", taken=with_mappings),
    Case("metric bounds, slack 1", "bounds.metric_bounds",
         of(with_copies, "metric", rows) | {"null_space": 3, "slack": 1}, "", taken=bounds),
    Case("metric bounds of GMLVQ", "bounds.metric_bounds",
         {"metric": fitted(GMLVQ(max_iter=5, rank=2, mu=0.1), scaled, "y"), "X": Made(scaled),
         "null_space": 1}, "", taken=with_mappings),
    Case("metric bounds of LMNN, uneven", "bounds.metric_bounds",
         {"metric": fitted(LMNN(max_iter=3), scaled, "y"), "X": Made(scaled), "null_space": 1}, "", "uneven",
         taken=bounds),
    Case("metric bounds of a linear model of classes", "bounds.metric_bounds",
         {"metric": fitted(RidgeClassifier(), scaled, "y"), "X": Made(scaled), "null_space": 2}, "",
         taken=bounds),
    Case("metric bounds of a pipeline", "bounds.metric_bounds",
         {"metric": fitted(make_pipeline(StandardScaler(), GMLVQ(max_iter=5, mu=0.1)),
         lambda given: given["X"], "y"), "X": "@X", "null_space": 1}, "", "uneven", taken=bounds),
    *[Case(f"principal rows of a matrix, {input}", "bounds.principal_rows",
           {"metric": Made(lambda given: rows(given["X"].shape[1]))}, "", input) for input in INPUTS],
    Case("principal rows, rank deficient", "bounds.principal_rows",
         {"metric": Made(lambda given: np.vstack([rows(5), rows(5)[:1] + rows(5)[1:2]]))}, ""),
    Case("principal rows of GMLVQ", "bounds.principal_rows",
         {"metric": fitted(GMLVQ(max_iter=5, rank=2, mu=0.1), scaled, "y")}, ""),
    Case("principal rows of a linear model", "bounds.principal_rows",
         {"metric": fitted(RidgeClassifier(), scaled, "y")}, ""),
]  # fmt: skip

CHOICES = [
    Case("choice of null space, GMLVQ", "bounds.choose_null_space",
         of_choice(GMLVQ(max_iter=5, rank=2, mu=0.1)), "", taken=choice),
    Case("choice of null space, GMLVQ, prototypes stay, uneven", "bounds.choose_null_space",
         of_choice(GMLVQ(max_iter=5, rank=2, mu=0.1), keep_images=False, slack=1.1), "", "uneven",
         taken=choice),
    Case("choice of null space, LMNN", "bounds.choose_null_space",
         of_choice(LMNN(max_iter=3), null_spaces=[0, 2]), "", taken=choice),
    Case("choice of null space, linear classes, uneven", "bounds.choose_null_space",
         of_choice(LogisticRegression(tol=1e-10, max_iter=5000), tolerance=0.2), "", "uneven", taken=choice),
    Case("choice of null space, regression", "bounds.choose_null_space",
         of_choice(LinearRegression(), target="t"), "", taken=choice),
    Case("choice of null space, regression, no tolerance, slack", "bounds.choose_null_space",
         of_choice(Ridge(), target="t", tolerance=0.0, slack=1.5), "", "uneven", taken=choice),
    Case("choice of null space, an earlier choice", "bounds.choose_null_space",
         of_choice(Ridge(), target="t", null_spaces=[0, 1, 3], known=Made(known)), "", taken=choice),
    Case("choice of null space, copies of features", "bounds.choose_null_space",
         of_choice(Ridge(), with_copies, target="t"), "", taken=choice),
    Case("choice of null space, most sizes lowered, more features", "bounds.choose_null_space",
         of_choice(Ridge(), target="t"), "", "more features", taken=choice,
         lowered={"toolkit.bounds.choice.MAX_DIMENSIONS": 2}),
]  # fmt: skip


GENERIC = "bounds.generic_bounds"
SELECTION = [
    *[Case(f"generic bounds default, {input}", GENERIC, {"X": Made(first_features), "y": "@t"}, "", input,
           taken=bounds) for input in INPUTS],
    *[Case(f"generic bounds, steps {steps}", GENERIC, {"X": Made(with_copies), "y": "@t", "n_steps": steps},
           "", taken=bounds) for steps in (1, 2)],
    Case("generic bounds, lower only", GENERIC, {"X": Made(scaled), "y": "@t", "upper": False}, "",
         taken=lambda result, given: [result.lower, result.error, result.n_evaluations]),
    Case("generic bounds, groups", GENERIC,
         {"X": Made(with_copies), "y": "@t", "groups": [0, 1, 1, 2, 2, 0, 1]}, "", taken=bounds),
    Case("generic bounds, error of samples left out, uneven", GENERIC,
         {"X": Made(scaled), "y": "@t", "criterion": left_out_error}, "", "uneven", taken=bounds),
    *[Case(f"generic bounds, error of classes left out, {input}", GENERIC,
           {"X": Made(scaled), "y": Made(lambda given: given["names"]), "criterion": left_out_error,
           "n_steps": 1}, "", input, taken=bounds) for input in ("three classes", "more features")],
    Case("linear error", "bounds.linear_error", {"X": Made(scaled), "y": "@t"}, ""),
    Case("linear error, no feature", "bounds.linear_error",
         {"X": Made(lambda given: given["X"][:, :0]), "y": "@t"}, ""),
    Case("linear error, copies of features, uneven", "bounds.linear_error",
         {"X": Made(with_copies), "y": "@t"}, "", "uneven"),
    *[Case(f"error of samples left out, {input}", "bounds.left_out_error", {"X": Made(scaled), "y": "@t"}, "",
           input) for input in INPUTS],
    Case("error of samples left out, names of classes", "bounds.left_out_error",
         {"X": Made(scaled), "y": Made(lambda given: given["names"])}, "", "uneven"),
    Case("error of samples left out, numbers of classes, constant feature", "bounds.left_out_error",
         {"X": Made(with_constant), "y": "@y"}, ""),
    Case("error of samples left out, no feature", "bounds.left_out_error",
         {"X": Made(lambda given: given["X"][:, :0]), "y": "@y"}, ""),
    Case("error of a model, classes", "bounds.ModelError", {"model": GaussianNB(), "cv": 3}, "",
         taken=lambda error, given: [error(scaled(given), given["y"]), error(given["X"][:, :0], given["y"])]),
    Case("error of a model, target", "bounds.ModelError", {"model": Ridge()}, "",
         taken=lambda error, given: [error(scaled(given), given["t"]), error(given["X"][:, :0], given["t"])]),
    Case("error of a model, scoring, uneven", "bounds.ModelError",
         {"model": Ridge(), "cv": 4, "scoring": "neg_mean_absolute_error"}, "", "uneven",
         taken=lambda error, given: error(scaled(given), given["t"])),
]  # fmt: skip

RELATIONS = [
    *[Case(f"equivalence default, {input}", "bounds.equivalence", {"X": Made(scaled)}, "", input,
           taken=relation) for input in INPUTS],
    Case("equivalence, copies of features", "bounds.equivalence", {"X": Made(with_copies)}, "",
         taken=relation),
    Case("equivalence, constant feature, null space 4", "bounds.equivalence",
         {"X": Made(with_constant), "null_space": 4}, "", taken=relation),
    Case("equivalence, null space 0", "bounds.equivalence", {"X": Made(with_copies), "null_space": 0}, "",
         taken=relation),
    Case("equivalence, single precision", "bounds.equivalence", {"X": Made(as_single)}, "", taken=relation),
    *[Case(f"canonical weights default, {input}", "bounds.canonical_weights", of(with_copies), "", input)
           for input in INPUTS],
    *[Case(f"canonical weights, null space {k}", "bounds.canonical_weights", of(scaled) | {"null_space": k},
           "") for k in (1, 3)],
    Case("canonical weights of a linear model", "bounds.canonical_weights",
         {"w": fitted(Ridge()), "X": Made(with_copies)}, ""),
    *[Case(f"minimal weights default, {input}", "bounds.minimal_weights", of(scaled), "", input,
           taken=lambda result, given: result[1]) for input in INPUTS],
    *[Case(f"minimal weights, null space {k}", "bounds.minimal_weights", of(scaled) | {"null_space": k}, "")
           for k in (1, 3)],
    Case("minimal weights, copies of features", "bounds.minimal_weights", of(with_copies), ""),
]  # fmt: skip

CASES = [*LINEAR, *METRICS, *CHOICES, *SELECTION, *RELATIONS]
