"""What the judge needs of a map of any class, and checks of what the map returns.

A map has `fit` and `transform`, or `fit_transform`. It need not be an estimator of
scikit-learn: `fit` may take no target and return nothing, and positions may be a
DataFrame, a list or a sparse matrix.
"""

import copy
import warnings
from inspect import Parameter, signature

import numpy as np
from scipy.sparse import issparse
from sklearn.base import TransformerMixin, clone
from sklearn.utils import get_tags

from ..core import LARGEST, evaluate, short_repr

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
# Dtypes of complex numbers, texts, bytes and times, which are no positions.
NO_POSITIONS = "cUSMm"


def fresh_copy(estimator):
    """A copy of a map, without what it has learned where the map can tell that.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> hasattr(fresh_copy(PCA().fit(np.eye(3))), "components_")
    False
    """
    if isinstance(estimator, type):
        return estimator
    try:
        return clone(estimator, safe=False)
    except (AttributeError, RuntimeError, TypeError):
        # Its constructor does not follow scikit-learn's rules.
        return copy.deepcopy(estimator)


def is_pairwise(estimator):
    """Whether a map is fitted to a matrix of similarities or distances."""
    try:
        return bool(get_tags(estimator).input_tags.pairwise)
    except (AttributeError, TypeError):
        # Maps of other classes have no tags.
        return False


def call_with_target(method, X, y):
    """Call `fit` or `fit_transform` with a target, if the method takes one.

    Examples
    --------
    >>> def fit(X, *, y=None):
    ...     return X, y
    >>> call_with_target(fit, 1, 2), call_with_target(lambda X: X, 1, 2)
    ((1, 2), 1)
    """
    try:
        parameters = signature(method).parameters
    except (TypeError, ValueError):
        # Compiled methods do not tell their parameters.
        return method(X, y)
    kinds = [parameter.kind for parameter in parameters.values()]
    if "y" in parameters and parameters["y"].kind is Parameter.KEYWORD_ONLY:
        return method(X, y=y)
    n_positional = sum(kind in POSITIONAL for kind in kinds)
    if n_positional > 1 or Parameter.VAR_POSITIONAL in kinds:
        return method(X, y)
    return method(X)


def fit_positions(estimator, X, y=None):
    """Fit a map and return the positions (n, m) of the rows X that it is fitted to."""

    def fit_transform(rows):
        # Fits that did not converge warn; their error is measured.
        with warnings.catch_warnings(action="ignore"):
            if _has_own_fit_transform(estimator):
                return call_with_target(estimator.fit_transform, rows, y)
            call_with_target(estimator.fit, rows, y)
            return estimator.transform(rows)

    name = short_repr(estimator)
    failure = f"`map` {name} cannot be fitted to {len(X):,} training rows"
    positions = evaluate(fit_transform, X, failure)
    return as_positions(positions, len(X), estimator)


def _has_own_fit_transform(estimator):
    """Whether `fit_transform` is another than that of scikit-learn's mixin.

    The mixin's calls `fit` with a target by position, and needs what that returns.
    """
    method = getattr(type(estimator), "fit_transform", None)
    if method is TransformerMixin.fit_transform:
        return False
    return hasattr(estimator, "fit_transform")


def transform_positions(estimator, X_new, n_components):
    """Return the positions (n, n_components) of new rows in a fitted map."""
    name = short_repr(estimator)
    failure = f"`map` {name} cannot project {len(X_new):,} held-out rows"
    Z_new = evaluate(estimator.transform, X_new, failure)
    return as_positions(Z_new, len(X_new), estimator, n_components)


def as_positions(positions, n_rows, estimator, n_components=None):
    """Positions that a map returned, as floats (n_rows, n_components).

    Parameters
    ----------
    positions : array-like, sparse matrix or tuple of these
        What the map returned; of a tuple, as of partial least squares, the first.
    n_rows : int
        Number of rows that were mapped.
    estimator : object
        The map, for messages.
    n_components : int, optional
        Number of components of the training rows.

    Returns
    -------
    Z : ndarray of shape (n_rows, n_components)
        Positions.

    Raises
    ------
    ValueError
        If these are not finite numbers of this shape.
    """
    if isinstance(positions, tuple) and positions:
        positions = positions[0]
    if issparse(positions):
        positions = positions.toarray()
    try:
        Z = np.asarray(positions)
        is_numeric = Z.dtype.kind not in NO_POSITIONS
        problem = f"an array of dtype {Z.dtype}"
        if is_numeric:
            Z = Z.astype(float)
            problem = _problem_of(Z, n_rows, n_components)
    except (TypeError, ValueError):
        problem = short_repr(positions)
    if problem:
        raise ValueError(
            "`map` must return positions, finite numbers of shape (n_rows,"
            f" n_components), here for {n_rows:,} rows; {short_repr(estimator)} returns"
            f" {problem}. Correct its `transform` or `fit_transform`."
        )
    return Z


def _problem_of(Z, n_rows, n_components):
    """What is wrong with positions, in words; "" if nothing is."""
    if Z.ndim != 2 or len(Z) != n_rows or Z.shape[1] == 0:
        return f"shape {Z.shape}"
    if n_components is not None and Z.shape[1] != n_components:
        return f"{Z.shape[1]} columns, and {n_components} for its training rows"
    is_finite = np.isfinite(Z).all(axis=1)
    if not is_finite.all():
        return f"NaN or infinity, first in row {is_finite.argmin()}"
    if np.abs(Z).max(initial=0.0) > LARGEST:
        return f"values beyond {LARGEST:g}, whose squares overflow"
    return ""
