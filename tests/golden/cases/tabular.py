"""Looking at a table: splits, numbers of raw columns, errors, leaks, relevance, maps,
and answers to exercises."""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeClassifier

from toolkit.embed import TSNE
from toolkit.tabular.rows import prepared
from toolkit.tabular.separation import separation
from toolkit.tabular.targets import task_of

from ..harness import Case, Made, codes_of
from ..inputs import INPUTS

__all__ = ["CASES"]

FEW = {
    "toolkit.tabular.separation.separation.__kwdefaults__": separation.__kwdefaults__ | {"n_permutations": 2},
    "toolkit.tabular.targets.TREES": 2,
    "toolkit.tabular.features.TREES": 3,
    "toolkit.tabular.features.COLUMNS_OF_NOISE": 10,
    "toolkit.tabular.placing.TSNE": partial(TSNE, max_iter=251),
}
QUIET = {"n_jobs": 1, "verbose": False}


def raw(given):
    """Columns of numbers with and without gaps, words and dates; one nearly is the target."""
    X, n = given["X"], len(given["X"])
    frame = pd.DataFrame(X[:, :3], columns=["first", "second", "third"])
    frame["gaps"] = np.where(np.arange(n) % 5 == 1, np.nan, X[:, 3])
    frame["colour"] = np.where(X[:, 0] > np.median(X[:, 0]), "red", np.where(X[:, 1] > 0, "green", "blue"))
    frame["side"] = np.where(np.arange(n) % 3 == 1, "left", "right")
    return frame.assign(day=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n) ** 2 % 17, unit="D"))


KINDS = {
    "first": "number", "second": "number", "third": "number", "gaps": "number", "colour": "category",
    "side": "category", "day": "date",
}  # fmt: skip


def numbers_of(given, columns=tuple(KINDS), leak=None):
    """Some of the columns as numbers, and one that follows from an array of the input."""
    frame, kinds = raw(given), {name: KINDS[name] for name in columns}
    if leak is not None:
        frame["known after"] = 2.0 * given[leak] if given[leak].ndim == 1 else given[leak][:, 0] + 0.5
        kinds["known after"] = "number"
    return prepared(frame, kinds)


def task(kind):
    targets = {"classes": ("names", ()), "value": ("t", ()), "labels": ("Y", tuple("pqrs"))}
    key, names = targets[kind]
    return Made(lambda given: task_of(kind, given[key], names[: given["Y"].shape[1]] if names else ()))


def of(kind, groups=np.arange, **options):
    """What is asked about a table: its numbers, its target, and which rows belong together."""
    data = {"data": Made(lambda given: numbers_of(given, **options)), "task": task(kind)}
    return data | {"groups": Made(lambda given: groups(len(given["X"])))}


def pairs(n):
    return np.arange(n) // 2


def errors(result, given):
    found = {"errors": list(result.errors.values()), "standard errors": list(result.standard_errors.values())}
    found |= {"permuted": result.permuted, "chance": result.chance, "noise": result.noise, "n": result.n_rows}
    return found | {"without": list(result.without_leaks.values()), "leaks": list(result.leaks.values())}


def errors_of_two(result, given):
    """Without the forest, whose splits of values are as good as others up to rounding."""
    columns = {"errors": result.errors.values(), "standard errors": result.standard_errors.values()}
    found = {name: list(column)[:2] for name, column in columns.items()}
    return found | {"chance": result.chance, "permuted": result.permuted[:, :2]}


def features(result, given):
    found = {"kinds": codes_of(result.kinds), "without": result.without, "lower": result.weights.lower}
    return found | {"upper": result.weights.upper, "level": result.weights.level}


def features_and_forest(result, given):
    forest = {"forest": result.forest.upper, "level of the forest": result.forest.level}
    return features(result, given) | forest


def placed(one):
    names = ("rows", "Z", "n_fitted", "error", "standard_error", "fitted_error")
    return {name: getattr(one, name) for name in names}


def halves(given):
    n = len(given["X"])
    return {"fitted": np.arange(0, n, 2), "held_out": np.arange(1, n, 2)}


def sides():
    return {name: Made(lambda given, name=name: halves(given)[name]) for name in ("fitted", "held_out")}


def in_plane(result, given):
    display = result.display(numbers_of(given).X)
    return placed(result.map) | {"arrows": display.components, "parents": result.parents}


def maps(result, given):
    found = {name: placed(getattr(result, name)) for name in ("true", "plain", "shuffled")}
    return found | {"choice": list(result.choice.values())}


def by_folds(result, given):
    return {f"fold {k}": test for k, (_, test) in enumerate(result)}


PARTS = [
    *[Case(f"looking: columns as numbers, {input}", "tabular.prepared",
           {"features": Made(raw), "kinds": KINDS}, "", input,
           taken=lambda result, given: [result.X, result.parents]) for input in INPUTS],
    Case("looking: columns as numbers, rare categories", "tabular.prepared",
         {"features": Made(raw), "kinds": {"colour": "category"}}, "",
         taken=lambda result, given: [result.X, result.without([]).sum(), result.of("colour").sum()],
         lowered={"toolkit.tabular.rows.MOST_CATEGORIES": 2}),
    *[Case(f"looking: coordinates of similarities, {input}", "tabular.squares.coordinates", {}, "S",
           input, taken=lambda result, given: result[0][:, :4]) for input in INPUTS],
    Case("looking: coordinates of distances", "tabular.squares.coordinates",
         {"S": Made(lambda given: given["D"] ** 2), "distances": True}, "",
         taken=lambda result, given: [result[0][:, :4], result[1]]),
    Case("looking: split", "tabular.split",
         {"strata": None, "groups": np.arange(20), "most": 100, "seed": 0}, ""),
    Case("looking: split of classes with groups", "tabular.split",
         {"strata": "@names", "groups": pairs(34), "most": 100, "seed": 1, "held_out": 0.4}, "", "uneven"),
    Case("looking: split, few to fit", "tabular.split",
         {"strata": "@names", "groups": np.arange(36), "most": 9, "seed": 2}, ""),
    Case("looking: split, rows of a test", "tabular.split",
         {"strata": None, "groups": pairs(20), "most": 100, "seed": 0, "is_test": np.arange(20) % 5 > 2}, ""),
    Case("looking: folds of classes", "tabular.splits.folds",
         {"strata": "@names", "groups": np.arange(36), "n_splits": 3, "seed": 0}, "", taken=by_folds),
    Case("looking: folds with groups", "tabular.splits.folds",
         {"strata": None, "groups": pairs(21), "n_splits": 4, "seed": 0}, "", taken=by_folds),
    *[Case(f"looking: errors of {kind}", "tabular.separation", of(kind) | {"n_permutations": 2},
           "", taken=errors_of_two if kind == "value" else errors, lowered=FEW) for kind in ("classes",
           "value", "labels")],
    Case("looking: errors of classes with groups, uneven", "tabular.separation",
         of("classes", pairs) | {"n_permutations": 1}, "", "uneven", taken=errors, lowered=FEW),
    Case("looking: errors without a leak", "tabular.separation",
         of("classes", leak="y") | {"n_permutations": 1, "leaks": {"known after": 0.0}}, "", taken=errors,
         lowered=FEW),
    Case("looking: errors of some rows", "tabular.separation", of("value") | {"n_permutations": 1},
         "", taken=errors_of_two, lowered=FEW | {"toolkit.tabular.separation.MAX_ROWS": 25}),
    *[Case(f"looking: leaks of {kind}", "tabular.separation.find_leaks", of(kind, leak=leak), "", input)
           for kind, leak, input in (("classes", "y", "three classes"), ("value", "t", "uneven"),
           ("labels", "Y", "uneven"))],
    Case("looking: leaks among few columns", "tabular.separation.find_leaks", of("classes", leak="y"), "",
         lowered={"toolkit.tabular.separation.MAX_COLUMNS": 2}),
    *[Case(f"looking: columns most related to {kind}", "tabular.separation.most_related",
           {"data": Made(numbers_of), "X": Made(lambda given: numbers_of(given).X), "y": f"@{key}"},
           "") for kind, key in (("classes", "names"), ("values", "t"), ("labels", "Y"))],
    Case("looking: which columns matter for classes", "tabular.which_features",
         of("classes", columns=("first", "gaps", "colour")), "", taken=features_and_forest, lowered=FEW),
    Case("looking: which columns matter for a value", "tabular.which_features",
         of("value", columns=("first", "second", "colour")), "", taken=features, lowered=FEW),
    Case("looking: which columns matter for labels", "tabular.which_features",
         of("labels", columns=("first", "second", "side")), "", taken=features_and_forest, lowered=FEW),
    Case("looking: which columns matter, half of the rows", "tabular.which_features", of("value"),
         "", "uneven", taken=features, lowered=FEW | {"toolkit.tabular.features.MOST_PARTS": 4}),
    *[Case(f"looking: plane of {kind}", "tabular.linear_map",
           {"data": Made(numbers_of), "task": task(kind)} | sides(), "",
           taken=in_plane) for kind in ("classes", "value", "labels")],
    *[Case(f"looking: maps of {kind}", "tabular.maps.true_map",
           {"X": Made(lambda given: numbers_of(given).X),
           "task": task(kind)} | sides() | {"groups": Made(lambda given: np.arange(len(given["X"])))}, "",
           taken=maps, lowered=FEW) for kind in ("classes", "labels")],
    Case("looking: each class", "tabular.models.of_each_class",
         {"y": "@names", "predicted": Made(lambda given: np.roll(given["names"], 1))}, "", "uneven",
         taken=lambda result, given: result[["rows", "right", "fraction right"]].to_numpy()),
    *[Case(f"placing: votes of {words}", "tabular.placing.by_neighbours", {"new": "@Z_new"}, given, input,
           taken=lambda result, given: codes_of(result) if result.dtype.kind == "U" else result) for words,
           given, input in (("values", "Z t", "three classes"), ("classes", "Z names", "uneven"),
           ("labels", "Z Y", "uneven"))],
    Case("placing: votes of others", "tabular.placing.by_neighbours", {"new": None, "own": True}, "Z t"),
    Case("placing: linear regression as a metric", "tabular.LinearFisher", {}, "X t",
         taken=lambda model, given: model.distances(given["X_new"], given["X"])[:, ::4]),
]  # fmt: skip


def with_target(key):
    return Made(lambda given: raw(given).assign(target=given[key]))


def numbers_alone(given):
    return pd.DataFrame({f"x{j}": x for j, x in enumerate(given["X"].T)}).assign(target=given["names"])


def seen(*names):
    """Parts of what is seen."""

    def taken(look, given):
        found = {"fitted": look._fitted, "held out": look._held_out}
        parts = {"separation_": errors_of_two, "bounds_": features}
        for name in names:
            part = getattr(look, name)
            found[name] = parts[name](part, given) if name in parts else part
        return found

    return taken


LOOKS = [
    Case("look at classes", "tabular.look", {"data": with_target("names"), "target": "target"} | QUIET, "",
         taken=seen("leaks_", "separation_"), lowered=FEW),
    Case("look at values", "tabular.look",
         {"data": with_target("t"), "target": "target", "random_state": 1} | QUIET, "",
         taken=seen("leaks_"), lowered=FEW),
    Case("look at similarities", "tabular.look", {"classes": "@names", "similarities": True} | QUIET, "S",
         taken=lambda look, given: [look._data.X[:, :3], look._fitted, look._held_out]),
    Case("look at distances", "tabular.look", {"classes": "@names", "distances": True} | QUIET, "D",
         taken=lambda look, given: [look._data.X[:, :3], look._fitted, look._held_out]),
    Case("look at a model of one's own", "tabular.look",
         {"data": Made(numbers_alone), "target": "target", "model": RidgeClassifier()} | QUIET, "",
         taken=lambda look, given: [look.models_[0].error, look.models_[0].standard_error,
         look.models_[0].agreement.labels], lowered={"toolkit.decisionmap.map.TSNE": partial(TSNE,
         max_iter=251), "toolkit.tabular.models.GRID": 8}),
]  # fmt: skip

EXERCISES = [
    Case(f"digest of an answer, {answer}", "course.digest", {"answer": answer}, "",
         taken=lambda result, given: int(result, 16)) for answer in (7, "Mountain ", 0.5)
]  # fmt: skip

CASES = [*PARTS, *LOOKS, *EXERCISES]
