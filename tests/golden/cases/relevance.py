"""Relevance of features for a map, and beside noise."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier

from toolkit.bounds import generic_bounds, relevance_bounds
from toolkit.relevance import NeRVRelevance
from toolkit.relevance.cost import Neighborhoods

from ..harness import Case, Made, codes_of
from ..inputs import INPUTS

__all__ = ["CASES"]

METRIC, WEIGHTS = "relevance.NeRVMetric", "relevance.NeRVRelevance"
FEW = {"max_iter": 4, "n_neighbors": 5}  # longer descents amplify rounding
BLOCKS = {"toolkit.relevance.cost.CACHE_ENTRIES": 200}
ROWS = {"toolkit.relevance.selection.BLOCK_PAIRS": 200}


def scaled(given, key="X"):
    X = given["X"]
    return (given[key] - X.mean(axis=0)) / X.std(axis=0)


def wave(*shape):
    """A matrix of full rank without a seed."""
    return np.sin(1.0 + np.arange(np.prod(shape)) ** 2).reshape(shape)


def with_others(given):
    """Features one of which is constant and one of which is the sum of two others."""
    X = scaled(given)
    return np.column_stack([X, np.ones(len(X)), X[:, 0] + X[:, 1]])


def on_scaled(model, given):
    """Of a fit to features on one scale."""
    return metric(model.fit(scaled(given), given["Z"]), given)


def on_others(model, given):
    return metric(model.fit(with_others(given), given["Z"]), given)


def metric(model, given):
    """The metric and the way to it; a map of a few rows says the same as Omega."""
    found = {name: getattr(model, name) for name in ("relevances_", "history_", "rows_", "sigma_")}
    return found | {"lambda": model.lambda_[:: 1 + len(model.lambda_) // 5]}


def of_importance(model, given):
    n = len(given["X"])
    return metric(model.fit(given["X"], given["Z"], np.arange(n) % 3), given)


def neighborhoods(given, **options):
    X, Z = scaled(given) / 10, given["Z"] / np.abs(given["Z"]).max()
    return Neighborhoods(X, Z, 6.0, options.pop("gamma", 0.4), **options)


def at(matrix, **options):
    """Where a cost is taken: at a matrix or at weights, of samples and their map."""
    found = {"X": Made(lambda given: scaled(given) / 10), "delta": options.pop("delta", 0.3)}
    return {**matrix, **found, "neighborhoods": Made(lambda given: neighborhoods(given, **options))}


def omega(rows):
    return {"Omega": Made(lambda given: wave(rows, given["X"].shape[1]))}


LINE = {"weights": Made(lambda given: 1 + 0.5 * wave(given["X"].shape[1]))}
SOME = {"rows": np.arange(0, 20, 3), "weights": 1.0 + np.arange(7)}

BOTH = (("weights", WEIGHTS), ("a metric", METRIC))
METRICS = [
    *[Case(f"relevance by {words} default", name, {}, "X Z", skipped="history_ cost_") for words,
           name in BOTH],
    *[
        Case(f"relevance by {words}, few steps, {input}", name, FEW, "X Z", input,
             taken=on_scaled if input == "uneven" else metric)
        for words, name in BOTH
        for input in INPUTS
    ],
    *[
        Case(f"relevance by {words}, {option} {value}", name, FEW | {option: value}, "X Z", taken=metric)
        for words, name in BOTH
        for option, value in (("gamma", 0), ("gamma", 1), ("delta", 0.1), ("delta", 10))
    ],
    *[Case(f"relevance by a metric, rank {rank}", METRIC, FEW | {"rank": rank}, "X Z", taken=metric)
           for rank in (1, 2)],
    Case("relevance by a metric, rank 2, more features", METRIC, FEW | {"rank": 2}, "X Z", "more features",
         taken=metric),
    *[
        Case(f"relevance by {words}, some samples, uneven", name,
             FEW | {"max_samples": 15, "random_state": 0}, "X Z", "uneven", taken=on_scaled)
        for words, name in BOTH
    ],
    *[Case(f"relevance by {words}, importance", name, FEW, "X Z", taken=of_importance) for words,
           name in BOTH],
    Case("relevance by weights, importance of some samples", WEIGHTS,
         FEW | {"max_samples": 10, "random_state": 1}, "X Z", taken=of_importance),
    *[Case(f"relevance by {words}, constant and dependent features", name, FEW, "X Z", taken=on_others)
           for words, name in BOTH],
    *[Case(f"relevance by {words}, blocks of rows", name, FEW, "X Z", taken=metric, lowered=BLOCKS) for words,
           name in BOTH],
    Case("relevance by weights, map on a line", WEIGHTS, FEW, "X t", taken=metric),
    Case("relevance by weights, neighbours 2.5, uneven", WEIGHTS, FEW | {"n_neighbors": 2.5}, "X Z", "uneven",
         taken=on_scaled),
    Case("relevance by weights, large tolerance", WEIGHTS, {"tol": 0.05}, "X Z", taken=metric),
]  # fmt: skip

COSTS = [
    *[Case(f"relevance cost and gradient, weights, {input}", "relevance.cost.diagonal_energy", at(LINE), "",
           input) for input in INPUTS],
    *[Case(f"relevance cost and gradient, matrix, {input}", "relevance.cost.energy", at(omega(2)), "", input)
           for input in INPUTS],
    *[Case(f"relevance cost and gradient, gamma {gamma}", "relevance.cost.energy", at(omega(3), gamma=gamma),
           "") for gamma in (0, 1)],
    Case("relevance cost and gradient, no penalty", "relevance.cost.energy", at(omega(3), delta=0.0), ""),
    Case("relevance cost and gradient, some samples", "relevance.cost.energy", at(omega(3), **SOME), ""),
    Case("relevance cost and gradient, some samples, blocks of rows", "relevance.cost.diagonal_energy",
         at(LINE, **SOME), "", lowered=BLOCKS),
    Case("relevance cost and gradient, blocks of rows, uneven", "relevance.cost.energy", at(omega(4)), "",
         "uneven", lowered=BLOCKS),
]  # fmt: skip


def selections(name, words):
    """Both kinds of selection, with the same options."""
    return [
        *[Case(f"relevance by {words} selection default, {input}", name, {}, "X Z", input,
               taken=lambda result, given: result[::8]) for input in INPUTS],
        Case(f"relevance by {words} selection, one size", name, {"n_neighbors": 5}, "X Z"),
        Case(f"relevance by {words} selection, sizes, more features", name, {"n_neighbors": [1, 10]}, "X Z",
             "more features"),
        Case(f"relevance by {words} selection, some samples, uneven", name,
             {"n_neighbors": [2, 9], "max_samples": 12, "random_state": 0}, "X Z", "uneven"),
        Case(f"relevance by {words} selection, blocks of rows", name, {"n_neighbors": [3, 30]}, "X Z",
             lowered=ROWS),
        Case(f"relevance by {words} selection, two workers, uneven", name,
             {"n_neighbors": [3, 30], "n_jobs": 2}, "X Z", "uneven"),
    ]  # fmt: skip


def evidence(result, given):
    found = {name: getattr(result, name) for name in ("lower", "upper", "level", "spread", "noise")}
    return found | {"alpha": result.alpha, "kinds": codes_of(result.kinds())}


def without_spread(result, given):
    """Where all draws measure the same of the features."""
    return {name: value for name, value in evidence(result, given).items() if name != "spread"}


def by_program(X, y):
    return relevance_bounds(LinearRegression().fit(X, y), X, null_space=4)


def by_selection(X, y):
    return generic_bounds(X, y, n_steps=1)


def by_norms(X, y):
    """One value each, of a data frame with its shadows or an array."""
    A = np.asarray(X, dtype=float)
    return np.abs((A - A.mean(axis=0)).T @ (y - y.mean())) / len(A)


def as_frame(given):
    X = scaled(given)
    return pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])


def measured(measure, **options):
    return {"measure": measure, "X": Made(scaled), "y": "@t", "n_draws": 6, "random_state": 0} | options


EVIDENCE = "relevance.relevance_evidence"
NOISE = [
    *[Case(f"relevance evidence default, {input}", EVIDENCE, measured(Ridge()), "", input, taken=evidence)
           for input in INPUTS],
    Case("relevance evidence, usual number of draws", EVIDENCE, measured(by_norms, n_draws=None), "",
         taken=lambda result, given: {"level": result.level, "upper": result.upper,
         "noise": result.noise[::8]}),
    Case("relevance evidence of bounds", EVIDENCE, measured(by_program), "", taken=evidence),
    Case("relevance evidence of selection, uneven", EVIDENCE, measured(by_selection, n_draws=4), "", "uneven",
         taken=evidence),
    Case("relevance evidence of classes", EVIDENCE, measured(RidgeClassifier(), y="@y"), "", "uneven",
         taken=evidence),
    Case("relevance evidence of a tree", EVIDENCE,
         measured(DecisionTreeClassifier(max_depth=2, random_state=0), y="@names"), "", taken=evidence),
    Case("relevance evidence of a map", EVIDENCE, measured(NeRVRelevance(5, max_iter=2), y="@Z", n_draws=4),
         "", taken=evidence),
    *[Case(f"relevance evidence, permuted targets, {input}", EVIDENCE, measured(Ridge(), noise="labels"), "",
           input, taken=without_spread) for input in ("three classes", "uneven")],
    Case("relevance evidence, bootstrap", EVIDENCE, measured(Ridge(), bootstrap=True, random_state=3), "",
         taken=evidence),
    Case("relevance evidence, alpha 0.3, uneven", EVIDENCE, measured(Ridge(), alpha=0.3), "", "uneven",
         taken=evidence),
    Case("relevance evidence, data frame", EVIDENCE, measured(by_norms, X=Made(as_frame)), "",
         taken=without_spread),
    *[Case(f"level of noise, alpha {alpha}", "relevance.noise.noise_level",
           {"alpha": alpha, "noise": np.abs(wave(20, 4))}, "") for alpha in (0.05, 0.5)],
    *[Case(f"level of noise, {input}", "relevance.noise.noise_level",
           {"noise": Made(lambda given: given["X"] ** 2)}, "", input) for input in INPUTS],
    Case("level of noise, constant draws", "relevance.noise.noise_level", {"noise": np.tile([1.0, -2.0], (5, 1))},
         ""),
    Case("relevance evidence, kinds of bounds", "relevance.RelevanceEvidence",
         {"lower": np.array([0.0, 1.0, 2.0]), "upper": np.array([0.5, 2.0, 3.0]), "level": np.full(3, 1.5),
         "alpha": 0.05, "noise": np.ones((4, 3)),
         "spread": np.ones(3)}, "", taken=lambda result, given: codes_of(result.kinds())),
]  # fmt: skip

CASES = [
    *METRICS, *COSTS, *selections("relevance.forward_relevance", "forward"),
    *selections("relevance.backward_relevance", "backward"), *NOISE,
]  # fmt: skip
