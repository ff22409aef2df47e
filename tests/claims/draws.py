"""Repetitions of an experiment over seeds, folds and settings."""

import os

from joblib import Parallel, delayed

__all__ = ["cores", "over"]


def cores():
    """What `n_jobs` is to be: 1 in a worker of a parallel test run, where the other cores are taken; else all cores."""
    return 1 if "PYTEST_XDIST_WORKER" in os.environ else -1


def over(function, items):
    """List of ``function(item)`` for each item, computed over the cores.

    It may run in another process: what the function needs must come with the item, or be the same everywhere. Each
    process has one numerical thread, so that t-SNE gives the same bytes in all of them.
    """
    return Parallel(cores())(delayed(function)(item) for item in items)
