"""What `toolkit.look` says of a table, and whether that is true."""

import time
import warnings

import numpy as np
import pandas as pd
from scipy.stats import binomtest, norm
from sklearn.base import clone

import toolkit
from toolkit.tabular import prepare_rows

from .processes import draw

FRESH = 5000
LEVEL = 0.9
# the kinds of columns, and the names that they had before
KINDS = {
    "strongly relevant": "needed",
    "weakly relevant": "replaceable",
    "not significant": "no evidence",
}


def look_at(name, seed):
    """Statements about one draw of a process beside the truth, as a dict."""
    one = draw(name, seed)
    target = {"labels": one.labels} if one.labels else {"target": "y"}
    begin = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        seen = toolkit.look(
            one.frame, **target, groups=one.groups, verbose=False, n_jobs=1
        )
        found = seen.separation_
        bounds = seen.bounds_
    said = {"seconds": time.process_time() - begin}
    said["error"], said["low"], said["high"] = error_and_interval(found)
    said["signal"] = bool(found.is_signal)
    said["p"] = getattr(found, "p_value", np.nan)
    said["true"] = true_error(seen, one)
    said["n"] = found.n_rows
    dependence = getattr(seen, "dependence_", None)
    said["found"] = one.dependent in getattr(dependence, "found", {})
    said["alarm"] = bool(getattr(dependence, "found", {})) and not one.dependent
    second = getattr(dependence, "error", {}).get(one.dependent, np.nan)
    said["second"] = second
    strong, weak = (set(columns_of(bounds, kind)) for kind in list(KINDS)[:2])
    relevant = set(one.relevant)
    said["false strong"] = bool(strong - relevant)
    said["false found"] = bool((strong | weak) - relevant)
    if relevant:
        said["right strong"] = len(strong & relevant) / len(relevant)
        said["right found"] = len((strong | weak) & relevant) / len(relevant)
    said["leak"] = bool(found.leaks)
    return said


def error_and_interval(found):
    """The error that a page prints, and an interval of the level .9.

    Where there is none it is that of the standard error.
    """
    if hasattr(found, "interval"):
        if found.interval_level != LEVEL:
            raise ValueError(f"the interval must be of level {LEVEL}")
        return found.error, *found.interval
    error = found.errors[found.best]
    half = norm.ppf((1 + LEVEL) / 2) * found.standard_errors[found.best]
    return error, error - half, error + half


def columns_of(bounds, kind):
    """Names of the columns of a kind; a kind that is not known fails."""
    known = set(bounds.kinds)
    if known & set(KINDS.values()):
        kind = KINDS[kind]
    elif not known <= set(KINDS):
        raise ValueError(f"unknown kinds {known - set(KINDS)}")
    return bounds.of(kind)


def true_error(seen, one):
    """Error at fresh rows of the best model, fitted to four fifths of the rows.

    In the unit of the page.
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
        model = clone(task.models(seen.seed)[seen.separation_.best])
        model.fit(X[train], task.y[train])
        losses = task.losses(y, task.predict(model, X[n:]))
        errors.append(np.mean(losses))
    error = np.mean(errors)
    return np.sqrt(error) / np.std(task.y) if task.is_value else error


# ---- rates of many draws


def rate_interval(happened, level=0.99):
    """The interval of a rate, from what happened in each draw."""
    found = binomtest(int(np.sum(happened)), len(happened))
    return found.proportion_ci(level)


def is_within(happened, least, most):
    """Whether the rate can be one between two limits; a limit is violated otherwise."""
    low, high = rate_interval(happened)
    return low <= most and high >= least
