"""Bounds on groups of features: lower bounds for the total weight of a group, even where each feature is replaceable.

Beyond the thesis: in a spectrum each wavelength can be replaced by its neighbours and has a lower bound of 0, the band
around it cannot. The least L1 norm within a group is one more linear program.
"""

from dataclasses import dataclass

import numpy as np

from .base import Bounds, check_order, checked_groups, checked_slack, checked_weights, warn_if_alone
from .equivalence import equivalence, least_norm
from .programs import absolute_ranges, smallest, weight_ranges

__all__ = ["GroupBounds", "group_bounds"]


@dataclass(frozen=True, repr=False)
class GroupBounds(Bounds):
    """Bounds on the L1 norm of the weights within each group; unpacks as ``lower, upper``.

    Attributes
    ----------
    lower, upper : ndarray of shape (g,)
    groups : ndarray of shape (g,), in sorted order
    """

    groups: np.ndarray

    @property
    def names(self):
        """The groups as a list of str."""
        return [str(group) for group in self.groups]


def group_bounds(w, X, groups, null_space=None, slack=1.1, *, verbose=False):
    """Smallest and largest L1 norm that the weights of each group of features can have together.

    Parameters
    ----------
    w, X, null_space, slack
        As in :func:`~toolkit.bounds.relevance_bounds`.
    groups : array-like of shape (d,), group of each feature
    verbose : bool, default=False, show a progress bar

    Returns
    -------
    GroupBounds
        Those of a group of one feature are its :func:`~toolkit.bounds.relevance_bounds`. Of larger groups lower bounds
        are attained; upper bounds are the norm allowed less what the other groups must carry, or the sum of the
        features' own upper bounds if that is less: never too small, and attained for ``slack=1``.

    Examples
    --------
    >>> x, z = np.random.default_rng(0).normal(size=(2, 50))
    >>> X = np.column_stack([x, x, z]) / [x.std(), x.std(), z.std()]
    >>> bands = group_bounds([1.0, 1.0, 3.0], X, ["twins", "twins", "single"], slack=1)
    >>> bands.groups.tolist(), bands.lower.round(9).tolist(), bands.upper.round(9).tolist()
    (['single', 'twins'], [3.0, 2.0], [3.0, 2.0])
    """
    check_order(X, "w")
    relation, slack = equivalence(X, null_space), checked_slack(slack)
    w = checked_weights(w, len(relation.varying), relation.names)
    names, codes = checked_groups(groups, len(w))
    warn_if_alone(null_space, relation)
    _, mu, feasible, unit = least_norm(w, relation)
    allowed = slack * mu
    feasible = feasible.within(feasible.norm, allowed / unit)
    least, most = absolute_ranges(weight_ranges(feasible, verbose=verbose), 0.0)[:2]
    lower, upper = np.zeros((2, len(names)))
    for g in range(len(names)):
        inside = codes[relation.varying] == g
        if inside.sum() == 1:
            lower[g], upper[g] = unit * least[inside][0], unit * most[inside][0]
            continue
        inside = np.tile(inside, 2)
        lower[g] = unit * max(0.0, smallest(inside.astype(float), feasible)[0])
        without_others = allowed - unit * max(0.0, smallest((~inside).astype(float), feasible)[0])
        upper[g] = min(without_others, unit * most[inside[: len(most)]].sum())
    tiny = 1e-9 * mu
    return GroupBounds(np.where(lower > tiny, lower, 0.0), np.where(upper > tiny, upper, 0.0), names)
