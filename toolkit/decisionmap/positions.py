"""Positions of the samples: of a map that is fitted, or given with what made them."""

import copy
from contextlib import suppress

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


def check_placement(Z, metric, distances, projector, X, sample):
    """Positions Z (n, 2) that samples X have, and what made them, of those drawn.

    The latter, named as :class:`PlaneView` names it, is a metric or matrices (n, d, d),
    distances (n, n), a projector.
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
    return Z, {"metric": metric, "distances": distances, "projector": projector}


def fit_map(samples, y, sample, metric, embedder, auxiliary, inverse):
    """Positions (m, 2) of the samples drawn, and what made them.

    The latter is named as :class:`PlaneView` names it. Classes or targets are given or
    predicted.
    """
    check_option(auxiliary, "auxiliary", ("truth", "model"))
    embedder = check_part(embedder, "embedder", "fit_transform")
    # auxiliary information of the metric: the truth, or the model's predictions
    target = samples.own.values if auxiliary == "model" else y
    target = None if target is None else target[sample]
    X = pick_rows(samples.X, sample)
    metric = _fit_metric(metric, X, target, auxiliary, samples)
    parts = {}
    if metric is None:
        labels = []
        if get_tags(embedder).target_tags.required:
            labels = [_require_target(target, "embedder")]
        Z = embedder.fit_transform(X, *labels)
        if hasattr(embedder, "transform"):
            parts["projector"] = embedder
            # such a map needs no InverseMap; kernel PCA has an inverse if asked for
            with suppress(AttributeError, NotFittedError):
                embedder.inverse_transform(Z[:1])
                if inverse is None:
                    parts["embedder"] = embedder
    # the map of the metric's distances
    elif "metric" in embedder.get_params():
        D = metric.distances()
        parts = {"metric": metric, "distances": D}
        Z = embedder.set_params(metric="precomputed").fit_transform(D)
    else:
        raise ValueError(
            f"`embedder` {type(embedder).__name__} cannot take the distances of"
            " `metric`: it has no parameter `metric`. Use a map of toolkit.embed, such"
            " as MDS, or leave `metric` out."
        )
    return check_embedding(Z, len(X)), parts


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
    # the Fisher metric of the classifier's own probabilities
    elif auxiliary == "model" and samples.model_of_points is not None:
        metric = ModelFisher(samples.model_of_points)
    else:
        metric = ParzenFisher()
    metric.fit(samples.with_names(X), _require_target(target, "metric"))
    # from here on samples come as arrays
    vars(metric).pop("feature_names_in_", None)
    return metric


def _require_target(target, reader):
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
