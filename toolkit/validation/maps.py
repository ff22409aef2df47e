"""Maps as the judge sees them: an estimator with `transform`, fitted to some rows.

A map has `fit` and `transform`, or `fit_transform` alone; a kernel map then projects
new rows. It need not be an estimator of scikit-learn: `fit` may take no target and
return nothing, and positions may be a DataFrame, a list or a sparse matrix.
"""

import copy
import warnings
from inspect import Parameter, signature

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, validate_data

from ..core import LARGEST, evaluate, row_blocks, short_repr
from ..kernelmap import KernelMap

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
# Dtypes of complex numbers, texts, bytes and times, which are no positions.
NO_POSITIONS = "cUSMm"
PROJECTED_PAIRS_AT_ONCE = 2**24
# Fisher distances are nearly equal in whole regions: their kernel map is cut off here.
CUTOFF = 1e-2


def as_map(map, embedder=None):
    """Return a map with `transform`, not fitted.

    Parameters
    ----------
    map : estimator or class of one
        Map with `fit` and `transform`, or with `fit_transform` alone; or a metric of
        :mod:`toolkit.fisher` with an `embedder`. A map of another class than
        scikit-learn's is copied as it is.
    embedder : estimator with ``metric="precomputed"``, optional
        Map of distances, where `map` is a metric.

    Returns
    -------
    map : estimator
        Clone of the map; a :class:`ProjectedMap` where it has no `transform`.

    Raises
    ------
    ValueError
        If `map` has neither `transform` nor `fit_transform`, or is a metric without an
        `embedder`.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.preprocessing import StandardScaler
    >>> as_map(PCA), hasattr(as_map(StandardScaler()), "mean_")
    (PCA(), False)
    """
    estimator = _instance(map)
    has_transform = hasattr(estimator, "transform")
    has_fit = hasattr(estimator, "fit") and has_transform
    if not has_fit and not hasattr(estimator, "fit_transform"):
        raise ValueError(
            "`map` must have `fit` and `transform`, or `fit_transform`; got"
            f" {short_repr(estimator)}."
        )
    if embedder is not None:
        if not hasattr(embedder, "fit_transform"):
            raise ValueError(
                "`embedder` must be a map of distances with `fit_transform`, such as"
                f' TSNE(metric="precomputed"); got {short_repr(embedder)}.'
            )
        if not hasattr(estimator, "distances"):
            raise ValueError(
                "`embedder` must be None with a map that is no metric; `map` is"
                f" {short_repr(estimator)}. Leave it out, or give a Fisher metric."
            )
        return ProjectedMap(embedder, estimator)
    if hasattr(estimator, "matrix") and hasattr(estimator, "distances"):
        raise ValueError(
            "`embedder` must be given with a metric, such as"
            f' TSNE(metric="precomputed"); `map` is {short_repr(estimator)}.'
        )
    return estimator if has_transform else ProjectedMap(estimator)


def _instance(map):
    """A copy of a map, or one of a class with its default parameters."""
    if not isinstance(map, type):
        return fresh_copy(map)
    try:
        return map()
    except TypeError as error:
        raise ValueError(
            "`map` must be an instance, or a class that needs no arguments; got"
            f" {short_repr(map)}: {error}. Give an instance."
        ) from error


def fit_map(map, X, labels=None):
    """Fit a map, and return the positions of the training samples.

    Parameters
    ----------
    map : estimator
        Map, which is cloned.
    X : array-like of shape (n_samples, n_features)
        Training samples.
    labels : array-like of shape (n_samples,) or (n_samples, n_labels), optional
        Target of the training samples.

    Returns
    -------
    Z : ndarray of shape (n_samples, n_components)
        Positions of the training samples.
    fitted : estimator
        Fitted map.

    Raises
    ------
    ValueError
        If the map cannot be fitted, or returns other than finite positions.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> Z, _ = fit_map(PCA(2), np.eye(4))
    >>> Z.shape
    (4, 2)
    """
    fitted = fresh_copy(map)
    return fit_positions(fitted, X, labels), fitted


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


class ProjectedMap(TransformerMixin, BaseEstimator):
    """A map with `fit_transform` alone; new samples are projected by a kernel map.

    Parameters
    ----------
    embedder : estimator with `fit_transform`
        Map such as :class:`~toolkit.embed.TSNE`; with a `metric` one of distances.
    metric : Fisher metric, optional
        Metric with `distances()` of its samples, and `transform` of new ones.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the training samples.
    metric_ : estimator
        The fitted metric.
    distances_ : ndarray of shape (n_samples, n_samples)
        Distances of the training samples in this metric.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.embed import TSNE
    >>> from toolkit.fisher import ParzenFisher
    >>> X, y = load_iris(return_X_y=True)
    >>> tsne = ProjectedMap(TSNE(metric="precomputed"), ParzenFisher())
    >>> tsne.fit(X[::2], y[::2]).transform(X[1::2]).shape
    (75, 2)
    """

    def __init__(self, embedder, metric=None):
        self.embedder = embedder
        self.metric = metric

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        is_metric = self.metric is not None
        tags.input_tags.pairwise = is_pairwise(
            self.metric if is_metric else self.embedder
        )
        return tags

    def fit(self, X, y=None):
        """Fit the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), optional
            Target, used where `metric` or `embedder` is supervised.

        Returns
        -------
        self : ProjectedMap
            Fitted estimator.
        """
        validate_data(self, X, skip_check_array=True)
        embedder = fresh_copy(self.embedder)
        if self.metric is None:
            Z = call_with_target(embedder.fit_transform, X, y)
            kernel_map = KernelMap()
            if is_pairwise(embedder):
                kernel_map = KernelMap(metric="precomputed")
        else:
            self.metric_ = fresh_copy(self.metric).fit(X, y)
            self.distances_ = self.metric_.distances()
            X = self.distances_
            Z = embedder.fit_transform(X)
            kernel_map = KernelMap(metric="precomputed", cutoff=CUTOFF)
        self.embedding_ = as_positions(Z, _num_samples(X), embedder)
        self._kernel_map = kernel_map.fit(X, self.embedding_)
        return self

    def fit_transform(self, X, y=None):
        """Fit the map, and return the positions of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), optional
            Target, used where `metric` or `embedder` is supervised.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Positions of the samples.
        """
        return self.fit(X, y).embedding_

    def transform(self, X):
        """Project new samples.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_queries, n_components)
            Positions of the samples.
        """
        Z = self.embedding_
        n = _num_samples(X)
        if n == 0:
            return Z[:0]
        if self.metric is None:
            return self._kernel_map.transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        positions = np.empty((n, Z.shape[1]))
        for block in row_blocks(n, len(Z), PROJECTED_PAIRS_AT_ONCE):
            D = self.metric_.transform(X[block])
            Z_new = self._kernel_map.transform(D)
            is_inside = (Z_new >= Z.min(axis=0)) & (Z_new <= Z.max(axis=0))
            is_outside = ~is_inside.all(axis=1)
            # A sample outside of the map gets the position of its nearest one.
            nearest = D.argmin(axis=1)[is_outside]
            Z_new[is_outside] = Z[nearest]
            positions[block] = Z_new
            del D  # Else it would stay in memory beside the next block.
        return positions
