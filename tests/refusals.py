"""What estimators refuse, as one table: (estimator, what is changed, what the message says).

A change is a dict of parameters, or a function of what `fit` is given. The rest is as in `contract.ESTIMATORS`.
"""

import numpy as np

__all__ = ["OF_ALL", "REFUSALS"]


def first(change):
    """A change of the first array that `fit` is given."""
    return lambda X, *rest: (change(np.array(X)), *rest)


def put(value):
    def change(X):
        X[1, 1] = value
        return X

    return first(change)


OF_ALL = [
    (put(np.nan), "NaN|missing"),
    (put(np.inf), "infinity|inf"),
    (first(lambda X: X[:0]), "0 sample|minimum of|at least|number of samples|square"),
    (first(lambda X: X[:, 0]), "1D array|2D|Expected 2|square"),
    (first(lambda X: np.full(X.shape, "red")), "numeric|convert|could not|dtype"),
]

REFUSALS = []
