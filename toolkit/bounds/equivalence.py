"""Which weight vectors map given data alike: they differ by directions in which the data do not vary, (4.13)."""

from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_array

from ..core.checks import check_magnitude
from ..core.estimators import warn
from ..core.linalg import RANK_TOLERANCE, fix_signs, thin_svd
from .arguments import checked_weights
from .programs import WeightSet, smallest
from .result import column_names

__all__ = ["Equivalence", "canonical_weights", "equivalence", "minimal_weights"]


class Equivalence(NamedTuple):
    """Weight vectors w and w' count as equivalent where ``kept.T @ w == kept.T @ w'``.

    Attributes
    ----------
    kept : ndarray of shape (d, I)
        Orthonormal principal directions; constant features have no part in them.
    varying : ndarray of shape (d,), bool
        Features that are not constant; the others get weight 0, since they change no difference of two samples.
    null_space : int
        Directions given up, out of those of the features that vary.
    variances : ndarray, of the data along all principal directions, falling
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
        """All weight vectors of the features that vary, equivalent to w."""
        R = self.kept[self.varying].T
        return WeightSet(int(self.varying.sum()), np.hstack([R, -R]), self.kept.T @ w)

    def whole(self, w):
        """Weights of the features that vary, with zeros for the constant ones."""
        result = np.zeros((*w.shape[:-1], len(self.varying)))
        result[..., self.varying] = w
        return result


def equivalence(X, null_space=None):
    """The directions that decide on equivalence.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features on one scale; different scales warn, because then weights do not compare.
    null_space : int or None, default=None
        How many of the principal directions of least variance count as null space. None: those along which the data do
        not vary beyond rounding, that of X as given: single precision has more. 0: none, so that each weight vector is
        equivalent to itself only.

    Returns
    -------
    Equivalence

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> same = equivalence(np.column_stack([x, x, -x]))
    >>> same.null_space, same.effective_dimension
    (2, 1)
    """
    names = column_names(X)
    X = check_array(X, dtype=[np.float64, np.float32], ensure_min_samples=2, input_name="X")
    noise = 10 * np.finfo(X.dtype).eps * np.sqrt(len(X))
    X = X.astype(float)
    check_magnitude(X)
    deviation, largest = X.std(axis=0), np.abs(X).max(axis=0)
    varying = deviation > noise * largest
    d = int(varying.sum())
    if not d:
        raise ValueError("`X` must have a feature that varies; all are constant. Give the samples of the fit.")
    warn_of_scales(deviation[varying])
    _, s, V = thin_svd((X - X.mean(axis=0))[:, varying])
    rank = int(np.sum(s > max(RANK_TOLERANCE * s[0], noise * largest[varying].max())))
    null_space = _checked_null_space(null_space, d, rank, s)
    V = V * fix_signs(V)
    kept = np.zeros((len(varying), d - null_space))
    kept[varying] = np.eye(d) if null_space == 0 else V[:, : d - null_space]
    return Equivalence(kept, varying, null_space, s**2 / len(X), names)


def warn_of_scales(deviation):
    """Warn where the standard deviations of features differ so much that their weights do not compare."""
    least, most = deviation.min(), deviation.max()
    if most > 1.5 * least:
        warn(
            f"Features have standard deviations from {least:.3g} to {most:.3g}; weights compare only on one scale. "
            "Standardise the features, and fit the mapping to them."
        )


def _checked_null_space(null_space, d, rank, s):
    if null_space is None:
        return d - rank
    if not isinstance(null_space, Integral) or isinstance(null_space, bool) or not 0 <= null_space < d:
        raise ValueError(
            f"`null_space` must be None or an integer from 0 to {d - 1}, one less than there are features that vary; "
            f"got {null_space!r}. With all directions in it, every mapping would be equivalent to 0."
        )
    if 0 < null_space < d - rank:
        raise ValueError(
            f"`null_space` must be at least {d - rank}, because the {d} features vary along {rank} directions only, or "
            f"0; got {null_space}, which would leave some of these directions to chance. None counts them."
        )
    if 0 < null_space and s[d - null_space - 1] < (1 + 1e-8) * np.append(s, 0.0)[d - null_space]:
        warn(
            f"`null_space`={null_space} cuts between directions of equal variance, so that the choice among them is "
            "arbitrary; take one more or fewer."
        )
    return int(null_space)


def canonical_weights(w, X, null_space=None):
    """The equivalent weights of least L2 norm: the null space projected out, Psi w of section 4.3.2.

    Parameters
    ----------
    w : array-like of shape (d,)
    X : array-like of shape (n, d)
    null_space : int or None, as in :func:`equivalence`

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> canonical_weights([0.0, 6.0, 0.0], np.column_stack([x, x, x])).round(9).tolist()  # shared evenly
    [2.0, 2.0, 2.0]
    """
    same = equivalence(X, null_space)
    w = checked_weights(w, len(same.varying), same.names)
    return same.kept @ (same.kept.T @ w)


def minimal_weights(w, X, null_space=None):
    """Equivalent weights of least L1 norm, (4.15); where several are, one of them.

    Parameters
    ----------
    w : array-like of shape (d,)
    X : array-like of shape (n, d)
    null_space : int or None, as in :func:`equivalence`

    Returns
    -------
    weights : ndarray of shape (d,)
    norm : float, the least one, mu

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> print(round(minimal_weights([3.0, 6.0, 0.0], np.column_stack([x, x, -x]))[1], 9))
    9.0
    """
    same = equivalence(X, null_space)
    w = checked_weights(w, len(same.varying), same.names)
    weights, mu, _, _ = least_norm(w, same)
    return weights, mu


def least_norm(w, same):
    """Weights of least L1 norm, that norm, the set of equivalent weights in some unit, and the unit.

    The unit is the largest canonical weight: w itself may be huge along the null space, and the programs could not tell
    what is left from 0.
    """
    canonical = same.kept @ (same.kept.T @ w)
    unit = np.abs(canonical).max()
    if unit <= 1e-12 * np.abs(w).max():  # w lies in the null space up to rounding
        canonical, unit = np.zeros_like(w), 1.0
    weights = same.weight_set(canonical / unit)
    mu, x, _ = smallest(weights.norm, weights)  # Eq. (4.15)
    return unit * same.whole(weights.weights(x)), unit * mu, weights, unit
