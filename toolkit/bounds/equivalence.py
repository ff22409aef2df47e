"""Equivalent weights have the same values on given data: they differ in the null space.

Thesis, Eq. (4.13).
"""

from dataclasses import dataclass
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
    """Principal directions on which equivalent weights agree.

    Weight vectors w and w' are equivalent where ``retained.T @ w == retained.T @ w'``.

    Parameters
    ----------
    retained : ndarray of shape (d, I)
        Orthonormal principal directions; 0 for constant features.
    varying : ndarray of shape (d,), bool
        Features that are not constant. The others get weight 0, since they do not
        affect differences of samples.
    null_space : int
        Number of directions ignored, of those of the features that vary.
    variances : ndarray of shape (d,)
        Variances of the data along all principal directions, descending.
    names : list of str or None, default=None
        Names of the features, if X was a DataFrame.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> relation = equivalence(np.column_stack([x, -x]))
    >>> relation.retained.shape, relation.null_space
    ((2, 1), 1)
    """

    retained: np.ndarray
    varying: np.ndarray
    null_space: int
    variances: np.ndarray
    names: list | None = None

    @property
    def effective_dimension(self):
        """Number of directions used, I."""
        return self.retained.shape[1]

    def whole(self, w):
        """Insert weight 0 for constant features.

        Parameters
        ----------
        w : ndarray of shape (..., d_varying)
            Weights of the features that vary.

        Returns
        -------
        weights : ndarray of shape (..., d)
            Weights of all features.
        """
        result = np.zeros((*w.shape[:-1], len(self.varying)))
        result[..., self.varying] = w
        return result


def equivalence(X, null_space=None):
    """Compute the principal directions that define equivalence.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features on one scale; different scales warn, because their weights cannot be
        compared.
    null_space : int or None, default=None
        Number of principal directions of least variance in the null space. None:
        those along which the data do not vary beyond the rounding of X as given,
        which is larger in single precision. 0: none, so that each weight vector is
        equivalent to itself only.

    Returns
    -------
    relation : Equivalence
        Directions used, and the features that vary.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> relation = equivalence(np.column_stack([x, x, -x]))
    >>> relation.null_space, relation.effective_dimension
    (2, 1)
    """
    table = X
    X = check_table(X, min_rows=2)
    # A feature varies if it does by more than the rounding of the numbers given.
    precision = np.finfo(float)
    if getattr(table, "dtype", None) == np.float32:
        precision = np.finfo(np.float32)
    rounding = 10 * precision.eps * np.sqrt(len(X))
    largest = np.abs(X).max(axis=0)
    varying = X.std(axis=0) > rounding * largest
    d = int(varying.sum())
    if not d:
        raise ValueError(
            "`X` must have a feature that varies; all are constant. Give the samples of"
            " the fit."
        )
    warn_of_scales(
        X, table, limit=1.5, consequence="weights compare only on one scale"
    )
    _, s, V = thin_svd(about_mean(X)[:, varying])
    rounding_of_singular_values = rounding * largest[varying].max()
    tolerance = max(RANK_TOLERANCE * s[0], rounding_of_singular_values)
    rank = int(np.sum(s > tolerance))
    remedy = (
        "With all directions in it, every mapping would be equivalent to 0."
    )
    null_space = check_integer(
        null_space, "null_space", 0, d - 1, optional=True, remedy=remedy
    )
    if null_space is None:
        null_space = d - rank
    elif 0 < null_space < d - rank:
        raise ValueError(
            f"`null_space` must be at least {d - rank}, as the {d} features vary along"
            f" {rank} directions only and the choice among the others is arbitrary, or"
            f" 0; got {null_space}. None counts them."
        )
    effective_dimension = d - null_space
    if 0 < effective_dimension < min(d, len(s)):
        last_retained = s[effective_dimension - 1]
        first_in_null_space = s[effective_dimension]
        if last_retained < (1 + 1e-8) * first_in_null_space:
            warn(
                f"`null_space`={null_space} cuts between directions of equal variance:"
                " which of them is arbitrary. Take one more or fewer."
            )
    # The principal directions of most variance are retained; without a null space any
    # basis will do.
    retained = np.zeros((len(varying), effective_dimension))
    if null_space == 0:
        retained[varying] = np.eye(d)
    else:
        retained[varying] = V[:, :effective_dimension]
    return Equivalence(
        retained=retained,
        varying=varying,
        null_space=null_space,
        variances=s**2 / len(X),
        names=feature_names(table),
    )


def weights_and_relation(w, X, null_space):
    """Weights (d,) and the `Equivalence` of samples, which says how many there are."""
    w, X = last_step(w, X, "w")
    relation = equivalence(X, null_space)
    w = check_weights(w, len(relation.varying), relation.names)
    return w, relation


def canonical_weights(w, X, null_space=None):
    """Compute the equivalent weights of least L2 norm.

    The null space is projected out: Psi w in Schulz (2017), section 4.3.2.

    Parameters
    ----------
    w : array-like of shape (d,) or fitted linear model
        Weights without the intercept, or a model with `coef_`.
    X : array-like of shape (n, d)
        Samples whose images must not change, features on one scale.
    null_space : int or None, default=None
        Number of principal directions of least variance that are ignored. None: those
        along which the data do not vary.

    Returns
    -------
    weights : ndarray of shape (d,)
        The equivalent weights.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> canonical_weights([0.0, 6.0, 0.0], np.column_stack([x, x, x])).round(9).tolist()
    [2.0, 2.0, 2.0]
    """
    w, relation = weights_and_relation(w, X, null_space)
    images = relation.retained.T @ w
    return relation.retained @ images


def minimal_weights(w, X, null_space=None):
    """Compute equivalent weights of least L1 norm.

    If several weight vectors attain it, one of them is returned.

    Parameters
    ----------
    w : array-like of shape (d,) or fitted linear model
        Weights without the intercept, or a model with `coef_`.
    X : array-like of shape (n, d)
        Samples whose images must not change, features on one scale.
    null_space : int or None, default=None
        Number of principal directions of least variance that are ignored. None: those
        along which the data do not vary.

    Returns
    -------
    weights : ndarray of shape (d,)
        The equivalent weights.
    norm : float
        Their L1 norm, mu.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> w, norm = minimal_weights([3.0, 6.0, 0.0], np.column_stack([x, x, -x]))
    >>> print(round(norm, 9))
    9.0
    """
    w, relation = weights_and_relation(w, X, null_space)
    minimal = least_norm(w, relation)
    return minimal.weights, minimal.mu


@dataclass(frozen=True, kw_only=True)
class LeastNorm:
    """Equivalent weights of least L1 norm."""

    weights: np.ndarray  # (d,)
    mu: float  # the norm
    programs: Programs  # over all equivalent weights, in their unit
    unit: float


def least_norm(w, relation):
    """The :class:`LeastNorm` of weights (d,), for their `Equivalence`."""
    images = relation.retained.T @ w
    canonical = relation.retained @ images
    # Not in the unit of w, which may be huge along the null space: programs could not
    # tell the remainder from 0.
    unit = magnitude(canonical)
    if unit <= 1e-12 * magnitude(w):
        # These weights lie in the null space up to rounding.
        canonical = np.zeros_like(w)
        unit = 1.0
    R = relation.retained[relation.varying].T
    A = np.hstack([R, -R])
    images = relation.retained.T @ (canonical / unit)
    # Eq. (4.13)
    feasible = WeightSet(
        n_weights=R.shape[1], A_eq=A, b_eq=images, A_ub=A[:0], b_ub=images[:0]
    )
    programs = Programs(feasible)
    minimal = programs.minimal  # Eq. (4.15)
    return LeastNorm(
        weights=unit * relation.whole(minimal.weights),
        mu=unit * minimal.value,
        programs=programs,
        unit=unit,
    )
