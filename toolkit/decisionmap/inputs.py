"""Validation of what a decision map is given: samples, classes, grid, maps; the Fisher metric of truth or model."""

import copy
from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from ..core.arrays import check_table, check_target
from ..core.checks import (
    check_distances,
    check_flag,
    check_integer,
    check_jobs,
    check_option,
    check_same_length,
    check_seed,
    shown,
)
from ..core.estimators import warn
from ..core.labels import class_column
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..kernelmap.inverse import checked_matrices
from .tables import picked, read_table

MAX_SAMPLES = 3000  # that are mapped by default; the others are placed


def checked_inputs(
    model, X, y, *, inverse=None, grid=100, certainty="auto", cv=10, max_samples=MAX_SAMPLES, n_jobs=None,
    random_state=0, verbose=False, prepare=None,
):  # fmt: skip
    """Samples and model as a table, classes or targets, numbers of the samples mapped, options by name."""
    check_seed(random_state)
    table = read_table(X, model, certainty, prepare, check_jobs(n_jobs))
    X = table.X
    if y is not None:
        y = checked_targets(y, table.function.classifies)
        check_same_length(X, y, ("X", "y"))
    if check_integer(cv, "cv", 2, none=True) and len(X) < 3:
        raise ValueError(f"`X` must hold at least 3 samples to keep some out; got {len(X)}. Give `cv=None`.")
    options = {"shape": _checked_grid(grid), "inverse": checked_clone(inverse, "inverse", "inverse_transform")}
    sample, most = np.arange(len(X)), check_integer(max_samples, "max_samples", 3, none=True)
    if most is not None and most < len(X):
        sample = np.sort(check_seed(random_state).choice(len(X), most, replace=False))
    options |= {"cv": cv, "n_jobs": n_jobs, "random_state": random_state, "verbose": check_flag(verbose, "verbose")}
    return table, y, sample, options


def checked_targets(y, classifies, name="y"):
    """Classes of one kind, or finite numbers, as an array (n,)."""
    if y is None:
        raise ValueError(f"`{name}` must hold one class or target per sample; got None.")
    return class_column(y, name) if classifies else check_target(y, None, name)


def all_classes(known, y):
    """The model's classes and those of `y`, sorted."""
    whole = y.dtype.kind == "f" and np.isfinite(y).all() and np.array_equal(y, np.rint(y))
    if whole and known.dtype.kind in "iu":  # as pandas and text files give integers
        y = y.astype(np.int64)
    try:
        unknown, both = np.setdiff1d(y, known), np.union1d(known, y)
    except TypeError:  # strings among numbers do not sort
        unknown = both = None
    some = known.tolist()[:5]
    if both is None or both.dtype.kind != known.dtype.kind and {both.dtype.kind, known.dtype.kind} != {"i", "u"}:
        raise ValueError(f"`y` must hold classes of the same kind as the model's, {some}; got {np.unique(y)[:5]}.")
    if len(unknown) == len(np.unique(y)):
        raise ValueError(f"`y` must hold classes that the model knows, {some}; got {unknown.tolist()[:5]} only.")
    if len(unknown):
        warn(f"`y` holds classes that the model never met and cannot show: {unknown.tolist()[:5]}.")
    return both


def _checked_grid(grid):
    """Rows and columns."""
    pair = (grid, grid) if isinstance(grid, Integral) else grid
    good = isinstance(pair, tuple | list) and len(pair) == 2
    if not good or not all(isinstance(v, Integral) and not isinstance(v, bool) and 2 <= v <= 2000 for v in pair):
        raise ValueError(f"`grid` must be an integer from 2 to 2000, or two (rows, columns); got {shown(grid)}.")
    return int(pair[0]), int(pair[1])


def checked_clone(part, name, method):
    """A clone of the map or inverse map given, if any."""
    if part is None:
        return None
    if isinstance(part, type) or not hasattr(part, "get_params") or not hasattr(part, method):
        raise ValueError(f"`{name}` must be an object with `get_params` and `{method}`; got {shown(part)}.")
    return clone(part)


def checked_embedding(Z, X):
    """Positions in the plane (n, 2), one per sample."""
    Z = check_table(Z, "Z")
    if len(Z) != len(X):
        raise ValueError(f"`Z` must hold one position per sample ({len(X)}); got {len(Z)}.")
    if Z.shape[1] != 2:
        rule, remedy = "A picture needs a map `Z` of shape", "Set `n_components=2` or, of a learned metric, `rank=2`."
        raise ValueError(f"{rule} ({len(X)}, 2); got {Z.shape}. {remedy}")
    return Z


def checked_projector(X, metric, distances, projector, sample):
    """What a given map may bring: a metric or matrices (n, d, d), distances (n, n), a projector; each may be None.

    Of matrices and distances those of the samples drawn.
    """
    if metric is not None and not hasattr(metric, "factors"):
        metric = picked(checked_matrices(metric, X), sample)
    if distances is not None:
        distances, n = check_distances(check_table(distances, "distances"), name="distances"), len(X)
        if len(distances) != n:
            raise ValueError(f"`distances` must have shape ({n}, {n}), those among `X`; got {distances.shape}.")
        distances = distances if len(sample) == n else distances[np.ix_(sample, sample)]
    if projector is not None and not hasattr(projector, "transform"):
        raise ValueError(f"`projector` must have a method `transform` for new samples; got {type(projector).__name__}.")
    return {"metric": metric, "distances": distances, "projector": projector}


def is_invertible(embedder, Z):
    """Whether a fitted map takes new samples to positions, and positions to samples."""
    if not hasattr(embedder, "inverse_transform") or not hasattr(embedder, "transform"):
        return False
    try:
        embedder.inverse_transform(Z[:1])
    except NotFittedError:  # as kernel PCA has it, unless asked for
        return False
    return True


def labels_of(auxiliary, table, sample, y, reader):
    """What a metric or a map learns from: classes or targets as given, or as the model predicts them."""
    if auxiliary == "model":
        return table.predicted(sample)
    if y is None:
        raise ValueError(f'`y` is needed by `{reader}`; give it, or take `auxiliary="model"`.')
    return y


def fitted_map(embedder, auxiliary, table, sample, y):
    """Positions of samples by a map, fitted in place; one that needs labels gets them."""
    X = picked(table.X, sample)
    if get_tags(embedder).target_tags.required:
        return embedder.fit_transform(X, labels_of(auxiliary, table, sample, y, "embedder"))
    return embedder.fit_transform(X)


def fitted_metric(metric, auxiliary, table, sample, y):
    """The metric fitted to classes or targets, or None."""
    check_option(auxiliary, "auxiliary", ("truth", "model"))
    by_name = isinstance(metric, str)
    if metric is None or by_name and metric == "euclidean":
        return None
    if metric != "fisher" if by_name else not hasattr(metric, "distances"):
        raise ValueError(f'`metric` must be None, "fisher" or a metric of toolkit.fisher; got {shown(metric)}.')
    samples, classifies = table.named(picked(table.X, sample)), table.function.classifies
    target = labels_of(auxiliary, table, sample, y, "metric")
    if not by_name:
        metric = copy.copy(metric)
    elif auxiliary == "model" and classifies and table.model_of_points is not None:
        metric = ModelFisher(table.model_of_points)
    else:
        metric = ParzenFisher() if classifies else GPFisher()
    metric.fit(samples, target)
    vars(metric).pop("feature_names_in_", None)  # from here on samples come as arrays
    return metric


def warn_of_strangers(P, mapped, predicted, own, y, classifies):
    """Warn where new samples P (m, d) are unlike those mapped (n, d), or get one class where these get several.

    By half as much again as any mapped sample, in standard deviations, no sample of the same kind is distant from their
    mean. One class is a warning where chance gives it in less than 1 % of cases, and `y` (m,), if known, has several.
    """
    center, scale = mapped.mean(axis=0), mapped.std(axis=0)
    varying = scale > 0
    with np.errstate(over="ignore", invalid="ignore"):  # beyond all numbers is outside, too
        units = ((A[:, varying] - center[varying]) / scale[varying] for A in (mapped, P))
        reach, lengths = (np.linalg.norm(A, axis=1) for A in units)
    outside = int(np.sum(lengths > 1.5 * reach.max()))
    found = []
    if 2 * outside > len(P):
        found.append(f"{outside} of {len(P)} samples lie outside the range of those that were mapped")
    if classifies and len(np.unique(own)) == 1 and (y is None or len(np.unique(y)) > 1):
        counts = np.unique(predicted, return_counts=True)[1]
        if len(counts) > 1 and (counts.max() / counts.sum()) ** len(own) < 0.01:
            found.append(f"`model` gives all {len(own)} samples one class, {shown(own[:1].tolist()[0])}")
    if found:
        warn(f"`X`: {', and '.join(found)}. Agreement then says little. Were they scaled as the first ones?")
