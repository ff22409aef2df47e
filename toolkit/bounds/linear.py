"""Bounds on the relevance of each feature for a linear mapping: the smallest and largest weight that it can have.

Many weight vectors map given data in the same way; the weights as trained are one of them. Among all that do, and that
have (nearly) the least L1 norm, feature j has a smallest and a largest |w_j|: irreplaceable features have a large lower
bound, replaceable ones only a large upper bound, irrelevant ones none.
"""

from dataclasses import dataclass

import numpy as np

from .arguments import checked_slack, checked_weights, warn_if_alone
from .equivalence import equivalence, least_norm
from .programs import Ranges, absolute_ranges, weight_ranges
from .result import Bounds

__all__ = ["RelevanceBounds", "relevance_bounds"]


@dataclass(frozen=True, repr=False)
class RelevanceBounds(Bounds):
    """Bounds on the relevance of each feature; unpacks as ``lower, upper``.

    Attributes
    ----------
    lower, upper : ndarray of shape (d,), in units of the weights
    weights : ndarray of shape (d,), the mapping as given
    minimal : ndarray of shape (d,), equivalent weights of least L1 norm
    mu : float, that norm, (4.15)
    slack : float
    null_space, effective_dimension : int, directions given up and kept
    at_lower, at_upper : ndarray of shape (d, d)
        Row j holds equivalent weights in which feature j has its lower or its upper bound.
    gap : float
        Largest difference between a program's value and its dual's, or breach of a constraint, in units of the largest
        canonical weight: all bounds are certified up to that.
    names : list of str or None, of the features, if X was a DataFrame
    """

    lower: np.ndarray
    upper: np.ndarray
    weights: np.ndarray
    minimal: np.ndarray
    mu: float
    slack: float
    null_space: int
    effective_dimension: int
    at_lower: np.ndarray
    at_upper: np.ndarray
    gap: float
    names: list | None = None

    @property
    def average(self):
        """Mean of all 2 d equivalent weight vectors, the averaged regularised map of section 4.3.5, shape (d,)."""
        return (self.at_lower.mean(axis=0) + self.at_upper.mean(axis=0)) / 2


def relevance_bounds(w, X, null_space=None, slack=1.1, *, n_jobs=None):
    """Smallest and largest relevance of each feature for the mapping x -> w . x, by linear programming.

    Parameters
    ----------
    w : array-like of shape (d,) or fitted linear model with `coef_`
        Weights of a linear mapping, without the intercept.
    X : array-like of shape (n, d)
        The data whose images must not change, features on one scale (standardised); different scales warn. Constant
        features get the bounds 0.
    null_space : int or None, default=None
        How many principal directions of least variance may be added to w freely. None: those along which the data do
        not vary at all, so that all equivalent mappings agree on the data exactly; more accept the noise in directions
        of little variance. 0: no other mapping is equivalent, both bounds are \\|w\\|.
    slack : float >= 1, default=1.1
        Equivalent weights may have an L1 norm of up to slack times the least. The thesis takes 1.1 for regression,
        1.01 for metrics. With 1, bounds differ only where several weight vectors share the least norm.
    n_jobs : int, optional
        Processes for joblib, over features.

    Returns
    -------
    RelevanceBounds
        Unpacks as ``lower, upper``.

    Raises
    ------
    ValueError
        For arguments that do not fit.
    ArithmeticError
        If a linear program cannot be certified.

    Notes
    -----
    (4.15) to (4.19) of the thesis. Bounds depend on the scale of the features: of two that carry the same, the one with
    the larger variance needs less weight and is preferred.

    References
    ----------
    Schulz (2017), section 4.3.2.

    Examples
    --------
    >>> x, z = np.random.default_rng(0).normal(size=(2, 50))
    >>> X = np.column_stack([x, x, z]) / [x.std(), x.std(), z.std()]
    >>> lower, upper = relevance_bounds([1.0, 1.0, 3.0], X, slack=1)  # of the twins each can do without the other
    >>> lower.round(9).tolist(), upper.round(9).tolist()
    ([0.0, 0.0, 3.0], [2.0, 2.0, 3.0])
    """
    same = equivalence(X, null_space)
    w, slack = checked_weights(w, len(same.varying), same.names), checked_slack(slack)
    warn_if_alone(null_space, same)
    return bounds_of(w, same, slack, n_jobs)


def bounds_of(w, same, slack, n_jobs=None):
    """The bounds of checked weights, for a given equivalence."""
    minimal, mu, weights, unit = least_norm(w, same)
    k = weights.n_weights
    if same.null_space == 0 or mu == 0:
        only = (w if same.null_space == 0 else np.zeros_like(w))[same.varying] / unit
        ranges = Ranges(only, only, np.tile(only, (k, 1)), np.tile(only, (k, 1)), 0.0)
    else:
        ranges = weight_ranges(weights.within(weights.norm, slack * mu / unit), n_jobs=n_jobs)  # Eqs. (4.16)-(4.19)
    tiny = 1e-9 * mu / unit if same.null_space else 0.0
    lower, upper, at_lower, at_upper = absolute_ranges(ranges, tiny)
    d = len(w)
    places = np.zeros((2, d, d))
    places[:, same.varying] = same.whole(np.stack([at_lower, at_upper]))
    places[:, ~same.varying] = minimal / unit  # constant features: any equivalent weights will do
    return RelevanceBounds(
        lower=unit * same.whole(lower),
        upper=unit * same.whole(upper),
        weights=w,
        minimal=minimal,
        mu=mu,
        slack=slack,
        null_space=same.null_space,
        effective_dimension=same.effective_dimension,
        at_lower=unit * places[0],
        at_upper=unit * places[1],
        gap=ranges.gap,
        names=same.names,
    )
