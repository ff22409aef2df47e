"""Bounds over all hyperplanes that separate as well as a given one: equivalence by the hinge loss, not by the mapping.

Beyond the thesis, Eq. (4.13), where equivalent means the same image of all data: here two linear classifiers count as
equivalent where the hinge loss of a support vector machine on the training samples is no larger.
"""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import check_table
from ..core.checks import check_magnitude, check_number, check_positive
from ..core.estimators import warn
from ..core.labels import check_labels
from ..core.scales import warn_of_scales
from .base import Bounds, checked_slack, checked_weights, column_names
from .equivalence import WEIGHT_RATIO, WEIGHTS
from .programs import WeightSet, absolute_ranges, smallest, weight_ranges

__all__ = ["HyperplaneBounds", "hyperplane_bounds"]


@dataclass(frozen=True, repr=False)
class HyperplaneBounds(Bounds):
    """Bounds over hyperplanes; unpacks as ``lower, upper``.

    Attributes
    ----------
    lower, upper, at_lower, at_upper, gap, names
        As of :class:`~toolkit.bounds.RelevanceBounds`.
    loss : float, sum of the hinge losses, which must not be exceeded
    norm : float, L1 norm allowed
    """

    loss: float
    norm: float
    at_lower: np.ndarray
    at_upper: np.ndarray
    gap: float
    names: list | None = None


def hyperplane_bounds(w, intercept, X, y, slack=1.1, *, norm=None, n_jobs=None, verbose=False):
    """Smallest and largest |w_j| over all hyperplanes with no more hinge loss than the given one, and a small norm.

    Parameters
    ----------
    w, intercept : array-like of shape (d,) and float
        Of a linear classifier with decision w . x + intercept, such as ``LinearSVC().fit(X, y).coef_[0]``.
    X : array-like of shape (n, d), training samples, features on one scale; different scales warn
    y : array-like of shape (n,), two classes; the second in sorted order is the positive side
    slack : float >= 1, default=1.1; weights may have an L1 norm of up to slack times the least with that loss
    norm : float, optional, the L1 norm allowed in place of that, not below the least
    n_jobs : int, optional, processes for joblib, over features
    verbose : bool, default=False, show a progress bar

    Returns
    -------
    HyperplaneBounds

    Examples
    --------
    >>> X = np.array([[-1.0, -1.0], [1.0, 1.0]])
    >>> lower, upper = hyperplane_bounds([0.5, 0.5], 0.0, X, [0, 1], slack=1)
    >>> lower.round(6).tolist(), upper.round(6).tolist()
    ([0.0, 0.0], [1.0, 1.0])
    """
    names = column_names(X)
    table, X = X, check_table(X)
    n, d = X.shape
    labels = check_labels(y, n, name="y")
    if labels.multilabel or len(labels.classes) != 2:
        raise ValueError(f"`y` must hold two classes; got {labels.classes[:5].tolist()}.")
    w, slack = checked_weights(w, d, names), checked_slack(slack)
    b = check_number(np.ravel(intercept)[0] if np.size(intercept) == 1 else intercept, "intercept")
    norm = None if norm is None else check_positive(norm, "norm", zero=True)
    check_magnitude(X, squares=True)
    side = 2.0 * labels.Y[:, 1] - 1
    loss = float(np.maximum(0, 1 - side * (X @ w + b)).sum())
    mean = X.mean(axis=0)
    warn_of_scales(X, table, limit=WEIGHT_RATIO, so=WEIGHTS)
    if loss >= 2 * min(np.sum(side > 0), np.sum(side < 0)):
        warn(
            f"The hyperplane has a hinge loss of {loss:.3g}, no less than one without weights, so that no feature is "
            f"needed. The positive side of `w` must be {labels.classes[1]}, the second class in sorted order."
        )
    unit = 1 / (np.abs(X - mean).max() or 1.0)  # of weights; the intercept takes up the mean
    X = (X - mean) * unit
    # Variables p, n, the losses of samples, and the intercept, which is free.
    margins = -side[:, None] * np.hstack([X, -X])
    A_ub = np.block([[margins, -np.eye(n), -side[:, None]], [np.zeros(2 * d), np.ones(n), np.zeros(1)]])
    feasible = WeightSet(d, None, None, A_ub, np.append(np.full(n, -1.0), loss * (1 + 1e-9) + 1e-9), free=1)
    least = unit * max(0.0, smallest(feasible.norm, feasible)[0])
    norm = slack * least if norm is None else norm
    if norm < least * (1 - 1e-9):
        raise ValueError(f"`norm` must be at least {least:.6g}, the least one with a loss of {loss:.6g}; got {norm:g}.")
    norm = max(norm, least)
    ranges = weight_ranges(feasible.within(feasible.norm, norm / unit), n_jobs=n_jobs, verbose=verbose)
    lower, upper, at_lower, at_upper = (unit * part for part in absolute_ranges(ranges, 1e-9 * norm / unit))
    return HyperplaneBounds(lower, upper, loss, norm, at_lower, at_upper, ranges.gap, names)
