"""Repetitions of an experiment over seeds, folds and settings."""

import os
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

__all__ = ["converged_or_not", "cores", "listed", "mean_and_spread", "over"]


def cores():
    """What `n_jobs` is to be: 1 in a worker of a parallel test run, where the other cores are taken; else all cores."""
    return 1 if "PYTEST_XDIST_WORKER" in os.environ else -1


def over(function, items):
    """List of ``function(item)`` for each item, computed over the cores.

    It may run in another process: what the function needs must come with the item, or be the same everywhere. Each
    process has one numerical thread, so that t-SNE gives the same bytes in all of them.
    """
    return Parallel(cores())(delayed(function)(item) for item in items)


def converged_or_not(model, X, y):
    """The fitted model: that a descent still gains a little at its last step, or runs away, is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def mean_and_spread(values):
    """Mean and standard deviation over the first axis."""
    return np.mean(values, axis=0).tolist(), np.std(values, axis=0, ddof=1).tolist()


def listed(values, digits=2):
    """Numbers as text."""
    return ", ".join(f"{value:.{digits}f}" for value in np.ravel(values))
