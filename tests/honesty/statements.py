"""What `toolkit.look` says of a table, and whether that is true."""

import re
import time
import warnings
from inspect import signature

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from sklearn.metrics import roc_auc_score

import toolkit
from toolkit.tabular import (
    RawModel,
    features,
    prepare_rows,
    task_of,
    which_features,
)
from toolkit.validation import cross_predict, folds, models

from .faster import less_overhead
from .named_groups import LIGHT
from .processes import draw

FRESH = 5000
LEVEL = 0.9
OWN = "own boosting"
RELEVANCE_MODELS = (
    "linear model",
    "5 nearest neighbours",
    "random forest",
    OWN,
)
KINDS = "strongly relevant", "weakly relevant", "not significant"


def look_at(name, columns, seed):
    """Statements about one draw of a process beside the truth, as a dict.

    Those about columns only of the first draws.
    """
    one = draw(name, seed)
    options = {"labels": one.labels} if one.labels else {"target": "y"}
    if one.keep and "keep" in signature(toolkit.look).parameters:
        options["keep"] = one.keep
    begin = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        look_result = toolkit.look(
            one.frame, **options, groups=one.groups, verbose=False, n_jobs=1
        )
        found = look_result.separation_
        is_asked = seed < columns and name not in LIGHT and one.balanced is None
        bounds = look_result.bounds_ if is_asked else None
    said = {"seconds": time.process_time() - begin}
    if found.interval_level != LEVEL:
        raise ValueError(f"the interval must be of level {LEVEL}")
    said["error"] = found.error
    said["low"], said["high"] = found.interval
    said["signal"] = found.is_signal
    said["probable"] = "probabilities" in found.verdict
    groups = look_result.table_.groups
    said["true"] = true_error(look_result, one, one.fresh(FRESH), groups)
    units = groups if one.groups else np.arange(found.n_rows)
    said["n"] = len(np.unique(units))
    said["leak"] = bool(found.leaks)
    said["worse"] = getattr(found, "is_worse", False)
    said |= about_dependence(look_result, one)
    if found.area is not None:
        _, (low, high) = found.area
        said["area cover"] = low <= true_area(look_result, one) <= high
    said["all seconds"] = time.process_time() - begin
    return said if bounds is None else said | about_columns(bounds, one)


def in_worker(trees, function, *arguments):
    """Call a function with less overhead and smaller forests, both for all that follows."""
    less_overhead()
    if trees:
        models.FOREST_TREES = features.TREES = trees
    return function(*arguments)


def about_columns(bounds, one):
    """Which columns of a process are named, right or falsely."""
    if unknown := set(bounds.kinds) - {*KINDS, "not judged"}:
        raise ValueError(f"unknown kinds {unknown}")
    strong, weak = (set(bounds.of(kind)) for kind in KINDS[:2])
    relevant = set(one.relevant)
    needed = relevant if one.needed is None else set(one.needed)
    false_found = bool((strong | weak) - relevant)
    said = {"false strong": bool(strong - needed), "false found": false_found}
    if needed:
        said["right strong"] = len(strong & needed) / len(needed)
    if relevant:
        said["right found"] = len((strong | weak) & relevant) / len(relevant)
    return said


def about_dependence(seen, one):
    """What is said of rows that depend on each other, and of columns that name them."""
    dependence = seen.dependence_
    second_error = dependence.error.get(one.dependent, np.nan)
    said = {
        "found": one.dependent in dependence.found,
        "alarm": bool(dependence.found) and not one.dependent,
        "second": second_error,
    }
    names = called_names(seen)
    if one.column:
        said["column"] = one.column in names
    if one.quantities:
        said["misnamed"] = not names.isdisjoint(one.quantities)
    if one.others is None:
        return said
    # 1. rows of values that the table does not have
    said["second low"] = said["second high"] = said["second true"] = np.nan
    if said["found"]:
        evidence = dependence.evidence[one.dependent]
        said["second low"], said["second high"] = evidence.interval
        groups = dependence.groups[one.dependent]
        others = one.others(FRESH)
        said["second true"] = true_error(seen, one, others, groups)
    # 2. the error that the verdict is about
    separation = seen.separation_
    leading = getattr(separation, "leading", separation)
    right = separation.error if one.keep else said["second"]
    said["leads"] = leading.error == right
    return said


def called_names(seen):
    """The columns that are said to name persons, places or the like."""
    left_out = seen.table_.left_out.items()
    names = {name for name, reason in left_out if reason.startswith("names")}
    if linked := seen.dependence_.linked.get("group column"):
        in_words = re.search("`(.+?)`", linked.sentence)[1]
        names.add(getattr(linked, "column", in_words))
    return names


def names_at(name, seed):
    """Which columns are said to name persons, of the table alone."""
    one = draw(name, seed)
    begin = time.process_time()
    named = toolkit.tabular.as_table(one.frame, "y").row_names
    names = {*named.names, *named.not_features}
    return {
        "misnamed": not names.isdisjoint(one.quantities),
        "seconds": time.process_time() - begin,
    }


def columns_at(name, model, seed):
    """Which columns are named with a model of one name, or a user's own."""
    one = draw(name, seed)
    table = toolkit.tabular.as_table(one.frame, "y")
    data = prepare_rows(table.features, table.kinds)
    if model == OWN:
        kind = (
            GradientBoostingRegressor
            if table.task == "value"
            else GradientBoostingClassifier
        )
        own = kind(n_estimators=30, random_state=0)
        model = RawModel(own, one.frame.drop(columns="y"), table.y)
    task = task_of(table.task, table.y)
    begin = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        bounds = which_features(data, task, table.groups, model, n_jobs=1)
    said = {"seconds": time.process_time() - begin}
    return said | about_columns(bounds, one)


def true_error(seen, one, fresh, groups):
    """Error at fresh rows of the model chosen on four fifths of the rows.

    Rows of a group stay together. In the unit of the page; of values in standard
    deviations of fresh ones.
    """
    of_table = seen.table_
    n = len(of_table.features)
    task = seen.task
    X, y = with_fresh(seen, one, fresh)
    new_rows = n + np.arange(len(fresh))
    of_both = task.of(np.concatenate([task.y, y]))
    errors = []
    # of many rows one part of them is enough
    n_parts = 5 if n <= 1000 else 1
    for train in training_rows(groups, one.others is not None, n_parts):
        own = task[train]
        splits = folds(own, groups[train], 5, seen.seed)

        def score(model, own=own, X=X[train], splits=splits):
            answers = cross_predict(own, model, X, splits)
            return own.scores(answers).mean()

        model = min(task.models(seen.seed).values(), key=score)
        answers = of_both.fit_predict(clone(model), X, train, new_rows)
        errors.append(np.mean(task.of(y).prediction_losses(answers)))
    error = np.mean(errors)
    return np.sqrt(error) / np.std(y) if task.is_value else error


def training_rows(groups, together, n_parts=5):
    """Four fifths of the rows, or of the groups if they stay together, so many times."""
    units = np.arange(len(groups))
    if together:
        units = np.unique(groups, return_inverse=True)[1]
    order = np.random.default_rng(0).permutation(units.max() + 1)
    for part in np.array_split(order, 5)[:n_parts]:
        yield np.flatnonzero(~np.isin(units, part))


def true_area(seen, one):
    """Area under the ROC curve at fresh rows of the best model, fitted to four fifths."""
    fresh = one.balanced or one.fresh
    X, y = with_fresh(seen, one, fresh(FRESH))
    task = seen.task
    n = len(task.y)
    second = task.name_of(task.classes[1])
    areas = []
    for train in training_rows(np.arange(n), together=False):
        model = task.models(seen.seed)[seen.separation_.best]
        P = task.fit_predict(model, X, train, np.arange(n, len(X)))
        areas.append(roc_auc_score(y == second, P[:, 1]))
    return np.mean(areas)


def with_fresh(seen, one, fresh):
    """The rows of a look, then fresh ones, as numbers, and the target of the fresh ones."""
    of_table = seen.table_
    # both tables as numbers at once
    both = pd.concat([of_table.features, fresh[list(of_table.features)]])
    X = prepare_rows(both.reset_index(drop=True), of_table.kinds).X
    y = fresh[one.labels or "y"].to_numpy()
    return X, y.astype(str) if seen.task.kind == "classes" else y


# ---- rates of many draws


def rate_interval(happened, level=0.99):
    """The interval of a rate, from what happened in each draw."""
    test = binomtest(int(np.sum(happened)), len(happened))
    return test.proportion_ci(level)


def is_within(happened, least, most):
    """Whether the rate can be one between two limits; a limit is violated otherwise."""
    low, high = rate_interval(happened)
    return low <= most and high >= least
