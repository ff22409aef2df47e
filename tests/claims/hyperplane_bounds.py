"""Bounds over all hyperplanes that separate as well as a given one: equivalence by the
hinge loss, not by the mapping.

Beyond the thesis, Eq. (4.13), where equivalent means the same image of all data: here
two linear classifiers count as equivalent where the hinge loss of a support vector
machine on the training samples is no larger.
"""

import numpy as np

from toolkit.bounds.programs import WeightSet, weight_ranges


def hinge_loss(w, intercept, X, y):
    """Sum of the losses of samples X (n, d) of the classes 0 and 1; 1 is on the
    positive side of w . x + intercept.
    """
    return np.maximum(0, 1 - (2.0 * y - 1) * (X @ w + intercept)).sum()


def hyperplane_bounds(w, intercept, X, y, norm, n_jobs=None):
    """Smallest and largest |w_j|, each (d,), over the hyperplanes with no more hinge
    loss and at most this L1 norm.
    """
    n, d = X.shape
    side = 2.0 * y - 1
    loss = hinge_loss(w, intercept, X, y)
    mean = X.mean(0)
    # of weights; the intercept takes up the mean
    unit = 1 / np.abs(X - mean).max()
    X = (X - mean) * unit
    # Variables p, n, the losses of samples, and the intercept as a difference.
    margins = -side[:, None] * np.hstack([X, -X])
    A_ub = np.block(
        [
            [margins, -np.eye(n), -side[:, None], side[:, None]],
            [np.zeros(2 * d), np.ones(n), np.zeros(2)],
        ]
    )
    feasible = WeightSet(
        d,
        A_ub[:0],
        A_ub[:0, 0],
        A_ub,
        np.append(np.full(n, -1.0), loss * (1 + 1e-9) + 1e-9),
    )
    near = feasible.within(feasible.norm, norm / unit)
    lower, upper, *_ = weight_ranges(near, 1e-9 * norm / unit, n_jobs=n_jobs)
    return unit * lower, unit * upper
