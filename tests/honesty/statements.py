"""What `toolkit.look` says of a table, and whether that is true."""

import time
import warnings

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

import toolkit
from toolkit.tabular import features, prepare_rows
from toolkit.validation import cross_predict, folds, targets

from .processes import draw

FRESH = 5000
LEVEL = 0.9
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
        # of a rare class the columns are not asked, which takes long
        asks = seed < columns and one.balanced is None
        bounds = seen.bounds_ if asks else None
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
    if one.balanced is not None:
        low, high = found.rankings[0].interval
        said["area cover"] = low <= true_area(seen, one) <= high
    if bounds is None:
        return said
    if unknown := set(bounds.kinds) - set(KINDS):
        raise ValueError(f"unknown kinds {unknown}")
    strong, weak = (set(bounds.of(kind)) for kind in KINDS[:2])
    relevant = set(one.relevant)
    said["false strong"] = bool(strong - relevant)
    said["false found"] = bool((strong | weak) - relevant)
    if relevant:
        said["right strong"] = len(strong & relevant) / len(relevant)
        said["right found"] = len((strong | weak) & relevant) / len(relevant)
    return said


def true_error(seen, one):
    """Error at fresh rows of the model chosen on four fifths of the rows.

    In the unit of the page; of values in standard deviations of fresh ones.
    """
    of_table = seen.table_
    n = len(of_table.features)
    task = seen._task
    X, y = with_fresh(seen, one, one.fresh)
    errors = []
    # of many rows one part of them is enough
    for part in parts_of(n)[: 5 if n <= 1000 else 1]:
        train = np.setdiff1d(np.arange(n), part)
        own = task.of(task.y[train])
        splits = folds(own, of_table.groups[train], 5, seen.seed)

        def score(model, own=own, X=X[train], splits=splits):
            answers = cross_predict(own, model, X, splits)
            return own.scores(answers).mean()

        model = min(task.models(seen.seed).values(), key=score)
        P = task.fit_predict(model, X, train, np.arange(n, len(X)))
        errors.append(np.mean(task.of(y).prediction_losses(P)))
    error = np.mean(errors)
    return np.sqrt(error) / np.std(y) if task.is_value else error


def true_area(seen, one):
    """Area under the ROC curve at fresh rows of the best model, fitted to four fifths."""
    X, y = with_fresh(seen, one, one.balanced)
    task = seen._task
    n = len(task.y)
    areas = []
    for part in parts_of(n):
        train = np.setdiff1d(np.arange(n), part)
        model = task.models(seen.seed)[seen.separation_.best]
        P = task.fit_predict(model, X, train, np.arange(n, len(X)))
        areas.append(roc_auc_score(y == "b", P[:, 1]))
    return np.mean(areas)


def with_fresh(seen, one, make):
    """The rows of a look, then fresh ones, as numbers, and the target of the fresh ones."""
    fresh = make(FRESH)
    of_table = seen.table_
    # both tables as numbers at once
    both = pd.concat([of_table.features, fresh[list(of_table.features)]])
    X = prepare_rows(both.reset_index(drop=True), of_table.kinds).X
    y = fresh[one.labels or "y"].to_numpy()
    return X, y.astype(str) if seen._task.kind == "classes" else y


def parts_of(n):
    return np.array_split(np.random.default_rng(0).permutation(n), 5)


# ---- rates of many draws


def rate_interval(happened, level=0.99):
    """The interval of a rate, from what happened in each draw."""
    found = binomtest(int(np.sum(happened)), len(happened))
    return found.proportion_ci(level)


def is_within(happened, least, most):
    """Whether the rate can be one between two limits; a limit is violated otherwise."""
    low, high = rate_interval(happened)
    return low <= most and high >= least
