"""Maps as the judge sees them: an estimator with `transform`, fitted to some rows."""

from ..core import short_repr
from .contract import fit_positions, fresh_copy
from .projected import ProjectedMap


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
