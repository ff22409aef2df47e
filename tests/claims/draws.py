"""Repetitions of an experiment over seeds, folds and settings."""

import os
import warnings
from itertools import product

import numpy as np
from joblib import Parallel, delayed

from toolkit.embed import TSNE
from toolkit.fisher import ParzenFisher


def cores():
    """What `n_jobs` is to be: 1 in a worker of a parallel test run, where the other cores are taken; else all cores."""
    return 1 if "PYTEST_XDIST_WORKER" in os.environ else -1


def over(function, items):
    """List of ``function(item)`` for each item, computed over the cores.

    It may run in another process: what the function needs must come with the item, or
    be the same everywhere. Each process has one numerical thread, so that t-SNE gives
    the same bytes in all of them. Warnings are left out: that a descent still gains a
    little at its last step, or runs away, is no news.
    """
    return Parallel(cores())(delayed(_quietly)(function, item) for item in items)


def _quietly(function, item):
    with warnings.catch_warnings(action="ignore"):
        return function(item)


def parts(function, items):
    """Arrays (items, ...) of the first, second, ... result of a function of several, computed as by `over`."""
    return [np.array(part) for part in zip(*over(function, items), strict=True)]


def sweep(function, *axes, **fixed):
    """Array (length of each axis, ...) of ``function(*setting, **fixed)`` for all settings, such as names and seeds.

    They are computed as by `over`.
    """
    found = np.array(over(lambda setting: function(*setting, **fixed), product(*axes)))
    return found.reshape(*map(len, axes), *found.shape[1:])


def summary(values, center=np.mean, ddof=1):
    """A reading as `check_claim` takes it: mean over the first axis or another centre, and standard deviation, flat."""
    values = np.asarray(values)
    if values.ndim > 2:
        values = values.reshape(len(values), -1)
    return {"value": center(values, axis=0), "spread": np.std(values, 0, ddof=ddof)}


def permuted(values, seed=0):
    """Values in a random order, or the numbers below one of them."""
    return np.random.default_rng(seed).permutation(values)


def fisher_tsne(D, seed, **options):
    """Map of t-SNE of distances, which are mostly Fisher distances, from a random start."""
    return TSNE(
        metric="precomputed", init="random", random_state=seed, **options
    ).fit_transform(D)


def parzen_map(X, y, seed):
    """Fisher t-SNE of labelled samples."""
    return fisher_tsne(ParzenFisher().fit(X, y).distances(), seed)


def listed(values, digits=2):
    """Numbers as text."""
    return ", ".join(f"{value:.{digits}f}" for value in np.ravel(values))


def by_name(names, rows, digits=2):
    """Rows of numbers, each after its name, as text."""
    return "; ".join(
        f"{name} {listed(row, digits)}" for name, row in zip(names, rows, strict=True)
    )
