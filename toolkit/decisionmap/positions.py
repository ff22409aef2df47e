"""Positions of the samples: of a map that is fitted, or given with what made them.

Here `samples` are the :class:`Samples` of the user, and `sample` (m,) the numbers of
those that are drawn.
"""

import copy
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from ..core import (
    check_distances,
    check_option,
    check_part,
    check_table,
    pick_rows,
    require,
)
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..kernelmap.inverse import check_matrices


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Positions of samples in the plane, and what made them.

    Attributes
    ----------
    Z : ndarray of shape (n, 2) or (m, 2)
        Positions of all samples, or of those drawn.
    metric : metric of :mod:`toolkit.fisher`, ndarray of shape (m, d, d) or None
        Metric of the map, or its matrices at the samples drawn.
    distances : ndarray of shape (m, m) or None
        Distances that the map was computed from.
    projector : fitted estimator or None
        Projects new samples.
    embedder : fitted estimator or None
        A map with an inverse transform.
    """

    Z: np.ndarray
    metric: object = None
    distances: np.ndarray | None = None
    projector: object = None
    embedder: object = None


def check_placement(Z, X, sample, *, metric, distances, projector):
    """The :class:`Placement` of samples X (n, d) with known positions Z (n, 2).

    `metric`, `distances` (n, n) and `projector`, or None, are what made the positions.
    """
    n = len(X)
    Z = check_embedding(Z, n)
    if metric is not None and not hasattr(metric, "factors"):
        metric = check_matrices(metric, X)[sample]
    if distances is not None:
        D = check_table(distances, "distances", shape=(n, n))
        D = check_distances(D, name="distances")
        distances = D[np.ix_(sample, sample)]
    require(
        hasattr(projector, "transform"),
        "projector",
        "an object with a method `transform` for new samples",
        projector,
        optional=True,
    )
    return Placement(
        Z=Z, metric=metric, distances=distances, projector=projector
    )


def fit_map(samples, y, sample, *, metric, embedder, auxiliary, inverse):
    """The :class:`Placement` of the samples drawn by a map that is fitted to them.

    Classes or targets are given or predicted. A map with an inverse transform is its
    own inverse map, unless `inverse` is given.

    `y` (n,) are classes or targets; `auxiliary` says whether the metric takes these
    ("truth") or predictions ("model").
    """
    check_option(auxiliary, "auxiliary", ("truth", "model"))
    embedder = check_part(embedder, "embedder", "fit_transform")
    # Auxiliary information of the metric is the truth, or the model's predictions.
    target = y
    if auxiliary == "model":
        target = samples.predictions.values
    if target is not None:
        target = target[sample]
    X = pick_rows(samples.X, sample)
    metric = _fit_metric(metric, X, target, auxiliary, samples)
    if metric is None:
        return _place_vectors(embedder, X, target, inverse)
    return _place_distances(embedder, metric, len(X))


def _place_vectors(embedder, X, target, inverse):
    """The placement by a map of vectors.

    `target` (m,) are classes or values of the samples X (m, d), `inverse` is an inverse
    map of the user, or None.
    """
    labels = []
    if get_tags(embedder).target_tags.required:
        labels = [_require_target(target, "embedder")]
    Z = embedder.fit_transform(X, *labels)
    projector = None
    with_inverse = None
    if hasattr(embedder, "transform"):
        projector = embedder
        # Such a map needs no InverseMap; kernel PCA has an inverse if asked for.
        with suppress(AttributeError, NotFittedError):
            embedder.inverse_transform(Z[:1])
            if inverse is None:
                with_inverse = embedder
    Z = check_embedding(Z, len(X))
    return Placement(Z=Z, projector=projector, embedder=with_inverse)


def _place_distances(embedder, metric, n):
    """The placement by a map of the distances of a metric."""
    if "metric" not in embedder.get_params():
        raise ValueError(
            f"`embedder` {type(embedder).__name__} cannot take the distances of"
            " `metric`: it has no parameter `metric`. Use a map of toolkit.embed, such"
            " as MDS, or leave `metric` out."
        )
    D = metric.distances()
    embedder.set_params(metric="precomputed")
    Z = check_embedding(embedder.fit_transform(D), n)
    return Placement(Z=Z, metric=metric, distances=D)


def _fit_metric(metric, X, target, auxiliary, samples):
    """The metric fitted to points X (m, d) with their classes or targets, or None."""
    if metric is None:
        return None
    by_name = isinstance(metric, str) and metric == "fisher"
    require(
        by_name or hasattr(metric, "distances"),
        "metric",
        'None, "fisher" or a metric of toolkit.fisher',
        metric,
    )
    if not by_name:
        metric = copy.copy(metric)
    elif not samples.function.classifies:
        metric = GPFisher()
    elif auxiliary == "model" and samples.model_of_points is not None:
        # The Fisher metric is that of the classifier's own probabilities.
        metric = ModelFisher(samples.model_of_points)
    else:
        metric = ParzenFisher()
    metric.fit(samples.with_names(X), _require_target(target, "metric"))
    # Samples come as arrays from here on.
    vars(metric).pop("feature_names_in_", None)
    return metric


def _require_target(target, reader):
    """The target, or a message that `reader`, which reads it, needs one."""
    if target is None:
        raise ValueError(
            f'`y` is needed by `{reader}`; give it, or take `auxiliary="model"`.'
        )
    return target


def check_embedding(Z, n):
    """Positions of n samples in the plane (n, 2)."""
    Z = check_table(Z, "Z")
    if Z.shape != (n, 2):
        raise ValueError(
            f"`Z` must hold one position in the plane per sample, ({n}, 2); got"
            f" {Z.shape}. Set `n_components=2` or, of a learned metric, `rank=2`."
        )
    return Z
