"""What `toolkit.look` says of a table, and whether that is true."""

import time
import warnings

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)

import toolkit
from toolkit.tabular import (
    RawModel,
    features,
    prepare_rows,
    task_of,
    which_features,
)
from toolkit.validation import cross_predict, folds, targets

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


def look_at(name, trees, columns, seed):
    """Statements about one draw of a process beside the truth, as a dict.

    Those about columns only of the first draws.
    """
    if trees:
        targets.TREES = features.TREES = trees
    one = draw(name, seed)
    target = {"labels": one.labels} if one.labels else {"target": "y"}
    begin = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        seen = toolkit.look(
            one.frame, **target, groups=one.groups, verbose=False, n_jobs=1
        )
        found = seen.separation_
        bounds = seen.bounds_ if seed < columns else None
    said = {"seconds": time.process_time() - begin}
    if found.interval_level != LEVEL:
        raise ValueError(f"the interval must be of level {LEVEL}")
    said["error"] = found.error
    said["low"], said["high"] = found.interval
    said["signal"] = found.is_signal
    said["probable"] = "probabilities" in found.verdict
    said["true"] = true_error(seen, one)
    units = seen.table_.groups if one.groups else np.arange(found.n_rows)
    said["n"] = len(np.unique(units))
    dependence = seen.dependence_
    said["found"] = one.dependent in dependence.found
    said["alarm"] = bool(dependence.found) and not one.dependent
    said["second"] = dependence.error.get(one.dependent, np.nan)
    said["leak"] = bool(found.leaks)
    return said if bounds is None else said | about_columns(bounds, one)


def about_columns(bounds, one):
    """Which columns of a process are named, right or falsely."""
    if unknown := set(bounds.kinds) - set(KINDS):
        raise ValueError(f"unknown kinds {unknown}")
    strong, weak = (set(bounds.of(kind)) for kind in KINDS[:2])
    relevant = set(one.relevant)
    needed = relevant if one.needed is None else set(one.needed)
    said = {
        "false strong": bool(strong - needed),
        "false found": bool((strong | weak) - relevant),
    }
    if needed:
        said["right strong"] = len(strong & needed) / len(needed)
    if relevant:
        said["right found"] = len((strong | weak) & relevant) / len(relevant)
    return said


def columns_at(name, model, seed):
    """Which columns are named with a model of one name, or a user's own."""
    one = draw(name, seed)
    seen = toolkit.tabular.as_table(one.frame, "y")
    data = prepare_rows(seen.features, seen.kinds)
    if model == OWN:
        kind = (
            GradientBoostingRegressor
            if seen.task == "value"
            else GradientBoostingClassifier
        )
        own = kind(n_estimators=30, random_state=0)
        model = RawModel(own, one.frame.drop(columns="y"), seen.y)
    task = task_of(seen.task, seen.y)
    begin = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        bounds = which_features(data, task, seen.groups, model, n_jobs=1)
    said = {"seconds": time.process_time() - begin}
    return said | about_columns(bounds, one)


def true_error(seen, one):
    """Error at fresh rows of the model chosen on four fifths of the rows.

    In the unit of the page; of values in standard deviations of fresh ones.
    """
    of_table = seen.table_
    fresh = one.fresh(FRESH)
    names = list(of_table.features)
    # both tables as numbers at once
    both = pd.concat([of_table.features, fresh[names]], ignore_index=True)
    X = prepare_rows(both, of_table.kinds).X
    n = len(of_table.features)
    task = seen._task
    y = fresh[one.labels or "y"].to_numpy()
    if task.kind == "classes":
        y = y.astype(str)
    errors = []
    for part in np.array_split(np.random.default_rng(0).permutation(n), 5):
        train = np.setdiff1d(np.arange(n), part)
        own = task.of(task.y[train])
        splits = folds(own, of_table.groups[train], 5, seen.seed)

        def score(model, own=own, X=X[train], splits=splits):
            answers = cross_predict(own, model, X, splits)
            return own.scores(answers).mean()

        model = clone(min(task.models(seen.seed).values(), key=score))
        model.fit(X[train], own.y)
        losses = task.of(y).prediction_losses(task.predict(model, X[n:]))
        errors.append(np.mean(losses))
    error = np.mean(errors)
    return np.sqrt(error) / np.std(y) if task.is_value else error


# ---- rates of many draws


def rate_interval(happened, level=0.99):
    """The interval of a rate, from what happened in each draw."""
    found = binomtest(int(np.sum(happened)), len(happened))
    return found.proportion_ci(level)


def is_within(happened, least, most):
    """Whether the rate can be one between two limits; a limit is violated otherwise."""
    low, high = rate_interval(happened)
    return low <= most and high >= least
