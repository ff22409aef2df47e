"""The same numbers in less time: what scikit-learn repeats in each of many small fits is done once.

A forest of 50 trees on 100 rows spends more time on checks and on looking up the names of
parameters than on its trees.
"""

from functools import cache

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.ensemble import _forest
from sklearn.tree import _classes


class Serial:
    """In place of joblib's `Parallel`, for jobs that run one after the other anyway."""

    def __init__(self, *options, **more):
        pass

    def __call__(self, jobs):
        return [
            function(*arguments, **options)
            for function, arguments, options in jobs
        ]


def delayed(function):
    return lambda *arguments, **options: (function, arguments, options)


def weights_as_they_are(weights, X, **options):
    """The forest counts how often it draws each row: nothing to check for each tree."""
    return np.asarray(weights, dtype=np.float64)


@cache
def less_overhead():
    """Set up this process; no result changes by it."""
    names = cache(BaseEstimator._get_param_names.__func__)
    BaseEstimator._get_param_names = classmethod(names)
    _forest.Parallel = Serial
    _forest.delayed = delayed
    _classes._check_sample_weight = weights_as_they_are
    # the forest has checked the target of all of its trees
    _classes.check_classification_targets = lambda y: None
    sklearn.set_config(skip_parameter_validation=True)
