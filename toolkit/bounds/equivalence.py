"""Equivalent weight vectors map given data alike: they differ by vectors of the null space (thesis, Eq. (4.13))."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import check_table
from ..core.checks import check_integer
from ..core.estimators import warn
from ..core.linalg import RANK_TOLERANCE, thin_svd
from ..core.scaling import warn_of_scales
from .base import checked_weights, column_names, last_step
from .programs import WeightSet, smallest

WEIGHT_RATIO = 1.5  # of the spreads of two features: their weights then do not compare
WEIGHTS = "weights compare only on one scale"


class Equivalence(NamedTuple):
    """Weight vectors w and w' count as equivalent where ``kept.T @ w == kept.T @ w'``.

    Attributes
    ----------
    kept : ndarray of shape (d, I), orthonormal principal directions; constant features have no part in them
    varying : ndarray of shape (d,), bool
        Features that are not constant; the others get weight 0, since they change no
        difference of two samples.
    null_space, effective_dimension : int, directions given up, out of those of the features that vary, and kept
    variances : ndarray of shape (d,), of the data along all principal directions, falling
    names : list of str or None, of the features, if X was a DataFrame
    """

    kept: np.ndarray
    varying: np.ndarray
    null_space: int
    variances: np.ndarray
    names: list | None = None

    @property
    def effective_dimension(self):
        return self.kept.shape[1]

    def weight_set(self, w):
        """All weight vectors of the features that vary, equivalent to w (d,), as a `WeightSet`."""
        R = self.kept[self.varying].T
        # Eq. (4.13)
        return WeightSet(int(self.varying.sum()), np.hstack([R, -R]), self.kept.T @ w)

    def whole(self, w):
        """Weights (..., d) from those of the features that vary, with zeros for the constant ones."""
        result = np.zeros((*w.shape[:-1], len(self.varying)))
        result[..., self.varying] = w
        return result


def equivalence(X, null_space=None):
    """The directions that decide on equivalence.

    Parameters
    ----------
    X : array-like of shape (n, d), features on one scale; different scales warn, because weights do not compare
    null_space : int or None, default=None
        How many of the principal directions of least variance count as null space.
        None: those along which the data do not vary beyond rounding, that of X as
        given: single precision has more. 0: none, so that each weight vector is
        equivalent to itself only.

    Returns
    -------
    Equivalence

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> relation = equivalence(np.column_stack([x, x, -x]))
    >>> relation.null_space, relation.effective_dimension
    (2, 1)
    """
    table, names = X, column_names(X)
    X = check_table(X, least=2)
    precise = getattr(table, "dtype", None) != np.float32
    noise = 10 * np.finfo(float if precise else np.float32).eps * np.sqrt(len(X))
    deviation, largest = X.std(axis=0), np.abs(X).max(axis=0)
    varying = deviation > noise * largest
    d = int(varying.sum())
    if not d:
        raise ValueError(
            "`X` must have a feature that varies; all are constant. Give the samples of"
            " the fit."
        )
    warn_of_scales(X, table, limit=WEIGHT_RATIO, so=WEIGHTS)
    _, s, V = thin_svd((X - X.mean(axis=0))[:, varying])
    rank = int(np.sum(s > max(RANK_TOLERANCE * s[0], noise * largest[varying].max())))
    null_space = _checked_null_space(null_space, d, rank, s)
    kept = np.zeros((len(varying), d - null_space))
    kept[varying] = np.eye(d) if null_space == 0 else V[:, : d - null_space]
    return Equivalence(kept, varying, null_space, s**2 / len(X), names)


def _checked_null_space(null_space, d, rank, s):
    """Size of the null space of `d` features that vary along `rank` directions with singular values `s`."""
    remedy = "With all directions in it, every mapping would be equivalent to 0."
    null_space = check_integer(
        null_space, "null_space", 0, d - 1, none=True, remedy=remedy
    )
    if null_space is None:
        return d - rank
    if 0 < null_space < d - rank:
        why = (
            f"as the {d} features vary along {rank} directions only and chance would"
            " choose among the others"
        )
        raise ValueError(
            f"`null_space` must be at least {d - rank}, {why}, or 0; got {null_space}."
            " None counts them."
        )
    if (
        0 < null_space
        and s[d - null_space - 1] < (1 + 1e-8) * np.append(s, 0.0)[d - null_space]
    ):
        warn(
            f"`null_space`={null_space} cuts between directions of equal variance:"
            " which of them is arbitrary. Take one more or fewer."
        )
    return null_space


def related(w, X, null_space):
    """Checked weights (d,) and the `Equivalence` of samples, which says how many there are."""
    w, X = last_step(w, X, "w")
    relation = equivalence(X, null_space)
    return checked_weights(w, len(relation.varying), relation.names), relation


def canonical_weights(w, X, null_space=None):
    """The equivalent weights of least L2 norm: the null space projected out, Psi w in Schulz (2017), section 4.3.2.

    Parameters
    ----------
    w : array-like of shape (d,) or fitted linear model
    X, null_space
        As in :func:`equivalence`.

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> canonical_weights([0.0, 6.0, 0.0], np.column_stack([x, x, x])).round(9).tolist()  # shared evenly
    [2.0, 2.0, 2.0]
    """
    w, relation = related(w, X, null_space)
    return relation.kept @ (relation.kept.T @ w)


def minimal_weights(w, X, null_space=None):
    """Equivalent weights of least L1 norm; where several are, one of them.

    Parameters
    ----------
    w, X, null_space
        As in :func:`canonical_weights`.

    Returns
    -------
    weights : ndarray of shape (d,), norm : float, the least one, mu

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> print(round(minimal_weights([3.0, 6.0, 0.0], np.column_stack([x, x, -x]))[1], 9))
    9.0
    """
    return least_norm(*related(w, X, null_space))[:2]


def least_norm(w, relation):
    """Weights (d,) of least L1 norm, that norm, the set of equivalent weights in some unit, and the unit."""
    canonical = relation.kept @ (relation.kept.T @ w)
    # Not in the unit of w, which may be huge along the null space: programs could not
    # tell the remainder from 0.
    unit = np.abs(canonical).max()
    if unit <= 1e-12 * np.abs(w).max():  # w lies in the null space up to rounding
        canonical, unit = np.zeros_like(w), 1.0
    feasible = relation.weight_set(canonical / unit)
    mu, x, _ = smallest(feasible.norm, feasible)  # Eq. (4.15)
    return unit * relation.whole(feasible.weights(x)), unit * mu, feasible, unit
