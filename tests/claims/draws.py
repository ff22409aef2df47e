"""Repetitions of an experiment over seeds, folds and settings, and what several
experiments share.
"""

import os
import warnings
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

from toolkit.datasets import load
from toolkit.embed import TSNE
from toolkit.fisher import ParzenFisher
from toolkit.quality import knn_error


def cores():
    """`n_jobs`: 1 in a worker of a parallel test run, where the other cores are taken;
    else all cores.
    """
    return 1 if "PYTEST_XDIST_WORKER" in os.environ else -1


def over(function, items):
    """List of ``function(item)`` for each item, computed over the cores.

    It may run in another process: what the function needs must come with the item, or
    be the same everywhere. Each process has one numerical thread, so that t-SNE gives
    the same bytes in all of them. Warnings are left out: that a descent still gains a
    little at its last step, or runs away, is no news.
    """
    return Parallel(cores())(
        delayed(_quietly)(function, item) for item in items
    )


def _quietly(function, item):
    with warnings.catch_warnings(action="ignore"):
        return function(item)


def parts(function, items):
    """Arrays (items, ...) of the first, second, ... result of a function of several,
    computed as by `over`.
    """
    return map(np.array, zip(*over(function, items), strict=True))


def sweep(function, *axes, **fixed):
    """Array (length of each axis, ...) of ``function(*setting, **fixed)`` for all
    settings, such as names and seeds.

    They are computed as by `over`.
    """
    found = np.array(
        over(lambda setting: function(*setting, **fixed), product(*axes))
    )
    return found.reshape(*map(len, axes), *found.shape[1:])


def summary(values, center=np.mean, ddof=1, **more):
    """A reading as `check_claim` takes it: mean over the first axis or another centre,
    and standard deviation, flat.
    """
    values = np.asarray(values)
    if values.ndim > 2:
        values = values.reshape(len(values), -1)
    return {
        "value": center(values, axis=0),
        "spread": np.std(values, 0, ddof=ddof),
        **more,
    }


def readings_of(names, runs, rule=None, **options):
    """The `summary` of each run by its name, and whether it meets the rule."""
    found = {}
    for name, run in zip(names, runs, strict=True):
        found[name] = summary(run, **options)
        if rule:
            found[name]["ok"] = rule(run)
    return found


def permute(values, seed=0):
    """Values in a random order, or the numbers below one of them."""
    return np.random.default_rng(seed).permutation(values)


def data_of(bunch):
    """Its data and target."""
    return bunch.data, bunch.target


def samples(name, n=None, seed=0):
    """Data and target of a set, or of so many of its samples in a random order."""
    X, y = data_of(load(name))
    if n is None:
        return X, y
    rows = permute(len(X), seed)[:n]
    return X[rows], y[rows]


def digits():
    """The digits of scikit-learn."""
    return load_digits(return_X_y=True)


def standardize(X):
    """Features with mean 0 and variance 1."""
    return StandardScaler().fit_transform(X)


def held_out_error(model, y, X_new, y_new, k=1):
    """Error of the nearest training samples of a fitted map on new ones."""
    Z_new = model.transform(X_new)
    return knn_error(model.embedding_, y, k, Z_new=Z_new, y_new=y_new)


def tsne(X, seed, **options):
    """Map of t-SNE."""
    return TSNE(random_state=seed, **options).fit_transform(X)


def fisher_tsne(D, seed, **options):
    """Map of t-SNE of distances, which are mostly Fisher distances, from a random
    start.
    """
    return tsne(D, seed, metric="precomputed", init="random", **options)


def parzen_map(X, y, seed):
    """Fisher t-SNE of labelled samples."""
    return fisher_tsne(ParzenFisher().fit(X, y).distances(), seed)


def decimals(values, digits=2):
    """Numbers as text, with so many digits or in a format such as "g"."""
    form = digits if isinstance(digits, str) else f".{digits}f"
    return ", ".join(f"{value:{form}}" for value in np.ravel(values))


def by_name(names, rows, digits=2):
    """Rows of numbers, each after its name, as text."""
    return "; ".join(
        f"{name} {decimals(row, digits)}"
        for name, row in zip(names, rows, strict=True)
    )
