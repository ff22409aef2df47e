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
    process = draw(name, seed)
    options = {"labels": process.labels} if process.labels else {"target": "y"}
    if process.keep and "keep" in signature(toolkit.look).parameters:
        options["keep"] = process.keep
    begin = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        look_result = toolkit.look(
            process.frame,
            **options,
            groups=process.groups,
            verbose=False,
            n_jobs=1,
        )
        separation = look_result.separation_
        is_asked = (
            seed < columns and name not in LIGHT and process.balanced is None
        )
        bounds = look_result.bounds_ if is_asked else None
    statements = {"seconds": time.process_time() - begin}
    if separation.interval_level != LEVEL:
        raise ValueError(f"the interval must be of level {LEVEL}")
    statements["error"] = separation.error
    statements["low"], statements["high"] = separation.interval
    statements["signal"] = separation.is_signal
    statements["probable"] = "probabilities" in separation.verdict
    groups = look_result.table_.groups
    statements["true"] = true_error(
        look_result, process, process.fresh(FRESH), groups
    )
    units = groups if process.groups else np.arange(separation.n_rows)
    statements["n"] = len(np.unique(units))
    statements["leak"] = bool(separation.leaks)
    statements["worse"] = getattr(separation, "is_worse", False)
    statements |= about_dependence(look_result, process)
    if separation.area is not None:
        _, (low, high) = separation.area
        statements["area cover"] = (
            low <= true_area(look_result, process) <= high
        )
    statements["all seconds"] = time.process_time() - begin
    return (
        statements
        if bounds is None
        else statements | about_columns(bounds, process)
    )


def in_worker(trees, function, *arguments):
    """Call a function with less overhead and smaller forests, both for all that follows."""
    less_overhead()
    if trees:
        models.FOREST_TREES = features.TREES = trees
    return function(*arguments)


def about_columns(bounds, process):
    """Which columns of a process are named, right or falsely."""
    if unknown := set(bounds.kinds) - {*KINDS, "not judged"}:
        raise ValueError(f"unknown kinds {unknown}")
    strong, weak = (set(bounds.of(kind)) for kind in KINDS[:2])
    relevant = set(process.relevant)
    needed = relevant if process.needed is None else set(process.needed)
    false_found = bool((strong | weak) - relevant)
    statements = {
        "false strong": bool(strong - needed),
        "false found": false_found,
    }
    if needed:
        statements["right strong"] = len(strong & needed) / len(needed)
    if relevant:
        statements["right found"] = len((strong | weak) & relevant) / len(
            relevant
        )
    return statements


def about_dependence(look_result, process):
    """What is said of rows that depend on each other, and of columns that name them."""
    dependence = look_result.dependence_
    second_error = dependence.error.get(process.dependent, np.nan)
    statements = {
        "found": process.dependent in dependence.found,
        "alarm": bool(dependence.found) and not process.dependent,
        "second": second_error,
    }
    names = called_names(look_result)
    if process.column:
        statements["column"] = process.column in names
    if process.quantities:
        statements["misnamed"] = not names.isdisjoint(process.quantities)
    if process.others is None:
        return statements
    # 1. rows of values that the table does not have
    statements["second low"] = statements["second high"] = statements[
        "second true"
    ] = np.nan
    if statements["found"]:
        evidence = dependence.evidence[process.dependent]
        statements["second low"], statements["second high"] = evidence.interval
        groups = dependence.groups[process.dependent]
        fresh_others = process.others(FRESH)
        statements["second true"] = true_error(
            look_result, process, fresh_others, groups
        )
    # 2. the error that the verdict is about
    separation = look_result.separation_
    leading = getattr(separation, "leading", separation)
    right = separation.error if process.keep else statements["second"]
    statements["leads"] = leading.error == right
    return statements


def called_names(look_result):
    """The columns that are said to name persons, places or the like."""
    left_out = look_result.table_.left_out.items()
    names = {name for name, reason in left_out if reason.startswith("names")}
    if linked := look_result.dependence_.linked.get("group column"):
        in_words = re.search("`(.+?)`", linked.sentence)[1]
        names.add(getattr(linked, "column", in_words))
    return names


def names_at(name, seed):
    """Which columns are said to name persons, of the table alone."""
    process = draw(name, seed)
    begin = time.process_time()
    named = toolkit.tabular.as_table(process.frame, "y").row_names
    names = {*named.names, *named.not_features}
    return {
        "misnamed": not names.isdisjoint(process.quantities),
        "seconds": time.process_time() - begin,
    }


def columns_at(name, model, seed):
    """Which columns are named with a model of one name, or a user's own."""
    process = draw(name, seed)
    table = toolkit.tabular.as_table(process.frame, "y")
    data = prepare_rows(table.features, table.kinds)
    if model == OWN:
        kind = (
            GradientBoostingRegressor
            if table.task == "value"
            else GradientBoostingClassifier
        )
        forest = kind(n_estimators=30, random_state=0)
        model = RawModel(forest, process.frame.drop(columns="y"), table.y)
    task = task_of(table.task, table.y)
    begin = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        bounds = which_features(data, task, table.groups, model, n_jobs=1)
    statements = {"seconds": time.process_time() - begin}
    return statements | about_columns(bounds, process)


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


def true_area(look_result, process):
    """Area under the ROC curve at fresh rows of the best model, fitted to four fifths."""
    fresh = process.balanced or process.fresh
    X, y = with_fresh(look_result, process, fresh(FRESH))
    task = look_result.task
    n = len(task.y)
    second = task.name_of(task.classes[1])
    areas = []
    for train in training_rows(np.arange(n), together=False):
        model = task.models(look_result.seed)[look_result.separation_.best]
        P = task.fit_predict(model, X, train, np.arange(n, len(X)))
        areas.append(roc_auc_score(y == second, P[:, 1]))
    return np.mean(areas)


def with_fresh(look_result, process, fresh):
    """The rows of a look, then fresh ones, as numbers, and the target of the fresh ones."""
    of_table = look_result.table_
    # both tables as numbers at once
    all_rows = pd.concat([of_table.features, fresh[list(of_table.features)]])
    X = prepare_rows(all_rows.reset_index(drop=True), of_table.kinds).X
    y = fresh[process.labels or "y"].to_numpy()
    return X, y.astype(str) if look_result.task.kind == "classes" else y


# ---- rates of many draws


def rate_interval(happened, level=0.99):
    """The interval of a rate, from what happened in each draw."""
    test = binomtest(int(np.sum(happened)), len(happened))
    return test.proportion_ci(level)


def is_within(happened, least, most):
    """Whether the rate can be one between two limits; a limit is violated otherwise."""
    low, high = rate_interval(happened)
    return low <= most and high >= least
