"""Equivalent weights have the same values on given data: they differ in the null space.

Thesis, Eq. (4.13).
"""

from typing import NamedTuple

import numpy as np

from ..core import (
    RANK_TOLERANCE,
    about_mean,
    check_integer,
    check_table,
    feature_names,
    magnitude,
    thin_svd,
    warn,
    warn_of_scales,
)
from .base import check_weights, last_step
from .programs import Programs, WeightSet


class Equivalence(NamedTuple):
    """Weight vectors w and w' count as equivalent where ``kept.T @ w == kept.T @ w'``.

    Attributes
    ----------
    kept : ndarray of shape (d, I)
        Orthonormal principal directions; constant features have no part in them.
    varying : ndarray of shape (d,), bool
        Features that are not constant; the others get weight 0, since they change no
        difference of two samples.
    null_space, effective_dimension : int
        Numbers of directions ignored, out of those of the features that vary, and used.
    variances : ndarray of shape (d,)
        Of the data along all principal directions, falling.
    names : list of str or None
        Of the features, if X was a DataFrame.
    """

    kept: np.ndarray
    varying: np.ndarray
    null_space: int
    variances: np.ndarray
    names: list | None = None

    @property
    def effective_dimension(self):
        return self.kept.shape[1]

    def whole(self, w):
        """Weights (..., d) from those of the features that vary; else 0."""
        result = np.zeros((*w.shape[:-1], len(self.varying)))
        result[..., self.varying] = w
        return result


def equivalence(X, null_space=None):
    """The directions that decide on equivalence.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features on one scale; different scales warn, because weights do not compare.
    null_space : int or None, default=None
        How many of the principal directions of least variance are the null space.
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
    table = X
    X = check_table(X, least=2)
    # rounding of the numbers given, of which a feature must be more to vary
    single = getattr(table, "dtype", None) == np.float32
    noise = 10 * np.finfo(np.float32 if single else float).eps * np.sqrt(len(X))
    largest = np.abs(X).max(axis=0)
    varying = X.std(axis=0) > noise * largest
    d = int(varying.sum())
    if not d:
        raise ValueError(
            "`X` must have a feature that varies; all are constant. Give the samples of"
            " the fit."
        )
    so = "weights compare only on one scale"
    warn_of_scales(X, table, limit=1.5, so=so)
    _, s, V = thin_svd(about_mean(X)[:, varying])
    rank = int(
        np.sum(s > max(RANK_TOLERANCE * s[0], noise * largest[varying].max()))
    )
    remedy = (
        "With all directions in it, every mapping would be equivalent to 0."
    )
    null_space = check_integer(
        null_space, "null_space", 0, d - 1, none=True, remedy=remedy
    )
    if null_space is None:
        null_space = d - rank
    elif 0 < null_space < d - rank:
        raise ValueError(
            f"`null_space` must be at least {d - rank}, as the {d} features vary along"
            f" {rank} directions only and the choice among the others is arbitrary, or"
            f" 0; got {null_space}. None counts them."
        )
    cut = d - null_space
    if null_space and s[cut - 1] < (1 + 1e-8) * np.append(s, 0.0)[cut]:
        warn(
            f"`null_space`={null_space} cuts between directions of equal variance:"
            " which of them is arbitrary. Take one more or fewer."
        )
    # principal directions of most variance; without a null space any basis will do
    kept = np.zeros((len(varying), d - null_space))
    kept[varying] = np.eye(d) if null_space == 0 else V[:, : d - null_space]
    variances = s**2 / len(X)
    return Equivalence(
        kept, varying, null_space, variances, feature_names(table)
    )


def weights_and_relation(w, X, null_space):
    """Weights (d,) and the `Equivalence` of samples, which says how many there are."""
    w, X = last_step(w, X, "w")
    relation = equivalence(X, null_space)
    return check_weights(w, len(relation.varying), relation.names), relation


def canonical_weights(w, X, null_space=None):
    """The equivalent weights of least L2 norm: the null space projected out.

    Psi w in Schulz (2017), section 4.3.2.

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
    >>> canonical_weights([0.0, 6.0, 0.0], np.column_stack([x, x, x])).round(9).tolist()
    [2.0, 2.0, 2.0]
    """
    w, relation = weights_and_relation(w, X, null_space)
    return relation.kept @ (relation.kept.T @ w)


def minimal_weights(w, X, null_space=None):
    """Equivalent weights of least L1 norm; where several are, one of them.

    Parameters
    ----------
    w, X, null_space
        As in :func:`canonical_weights`.

    Returns
    -------
    weights : ndarray of shape (d,)
    norm : float
        The least one, mu.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> w, norm = minimal_weights([3.0, 6.0, 0.0], np.column_stack([x, x, -x]))
    >>> print(round(norm, 9))
    9.0
    """
    return least_norm(*weights_and_relation(w, X, null_space))[:2]


def least_norm(w, relation):
    """Weights (d,) of least L1 norm, that norm, all equivalent ones, and their unit."""
    canonical = relation.kept @ (relation.kept.T @ w)
    # Not in the unit of w, which may be huge along the null space: programs could not
    # tell the remainder from 0.
    unit = magnitude(canonical)
    if unit <= 1e-12 * magnitude(w):
        # w lies in the null space up to rounding
        canonical, unit = np.zeros_like(w), 1.0
    R = relation.kept[relation.varying].T
    A = np.hstack([R, -R])
    images = relation.kept.T @ (canonical / unit)
    feasible = WeightSet(R.shape[1], A, images, A[:0], images[:0])  # Eq. (4.13)
    mu, minimal, _ = Programs(feasible).smallest(feasible.norm)  # Eq. (4.15)
    return unit * relation.whole(minimal), unit * mu, feasible, unit
