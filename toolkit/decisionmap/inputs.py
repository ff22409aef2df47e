"""What a decision map is given, checked: model, samples, classes, grid, and the metric fitted to truth or model."""

import copy
from functools import partial
from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_array, column_or_1d

from ..core.checks import check_distances, check_magnitude
from ..core.estimators import warn
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..kernelmap.inverse import checked_matrices
from .certainty import ModelFunction

__all__ = [
    "all_classes",
    "check_columns",
    "checked_cv",
    "checked_grid",
    "checked_places",
    "checked_samples",
    "checked_targets",
    "checked_ways",
    "copied",
    "fitted_metric",
    "has_ways",
]

UNEVEN = 100.0
"""Spread of a feature, over the median of all, from which on the map would show hardly anything else."""


def checked_samples(model, X, y, certainty, n_jobs):
    """The model as a function, samples as an array, classes or targets."""
    frame = None
    if hasattr(X, "columns"):
        check_columns(X.columns, model)
        frame = partial(type(X), columns=X.columns)  # unlike a function made here it reaches other processes
        frame.columns = X.columns
    function = ModelFunction(model, certainty, frame=frame, n_jobs=n_jobs)
    try:
        X = check_array(X, dtype=np.float64, ensure_min_samples=2, input_name="X")
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`X` must be a table of finite numbers, also where `model` itself encodes or imputes; transform it first: "
            f"{error}"
        ) from None
    check_magnitude(X)
    spread = X.std(axis=0)
    spread = spread[spread > 0]
    if len(spread) and spread.max() > UNEVEN * np.median(spread):
        warn(
            f"one feature of `X` spreads {spread.max() / np.median(spread):.0f} times as far as their median, and the "
            "map sees `X` as given; standardise it, and fit the model to that.",
            UserWarning,
        )
    if y is not None:
        y = checked_targets(y, function.classifies)
        if len(y) != len(X):
            raise ValueError(f"`X` and `y` must hold the same number of samples; got {len(X)} and {len(y)}.")
    return function, X, y


def check_columns(columns, known, name="X"):
    """Refuse columns other than those that a model or a frame knows, or in another order."""
    known = getattr(known, "feature_names_in_", getattr(known, "columns", None))
    if columns is None or known is None or list(columns) == list(known):
        return
    other = [f"{a} in place of {b}" for a, b in zip(columns, known, strict=False) if a != b][:3]
    raise ValueError(
        f"`{name}` must have the columns that the model or the map was fitted to, in their order; got "
        f"{', '.join(other) or f'{len(columns)} columns, not {len(known)}'}. Select them by name first."
    )


def has_ways(embedder, Z):
    """Whether a fitted map takes new samples to places, and places to samples."""
    if not hasattr(embedder, "inverse_transform") or not hasattr(embedder, "transform"):
        return False
    try:
        embedder.inverse_transform(Z[:1])
    except NotFittedError:  # as kernel PCA has it, unless asked for
        return False
    return True


def checked_targets(y, classifies, name="y"):
    """Classes of one kind, or finite numbers, as an array (n,)."""
    if y is None or np.ndim(y) == 0:
        raise ValueError(f"`{name}` must hold one class or target a sample; got {y!r}.")
    y = column_or_1d(y)
    if not classifies:
        return check_array(y, dtype=np.float64, ensure_2d=False, input_name=name)
    if y.dtype.kind == "O":  # as pandas gives strings
        if len({type(v) for v in y}) > 1 or any(v is None for v in y):
            raise ValueError(f"`{name}` must hold classes of one kind; got {y[:5].tolist()}.")
        y = np.array(y.tolist())
    return y


def all_classes(known, y):
    """The model's classes and those of `y`, sorted."""
    whole = y.dtype.kind == "f" and np.isfinite(y).all() and np.array_equal(y, np.rint(y))
    if whole and known.dtype.kind in "iu":  # as pandas and text files give integers
        y = y.astype(np.int64)
    try:
        strange, both = np.setdiff1d(y, known), np.union1d(known, y)
    except TypeError:  # strings among numbers do not sort
        strange = both = None
    if both is None or both.dtype.kind != known.dtype.kind and {both.dtype.kind, known.dtype.kind} != {"i", "u"}:
        raise ValueError(
            f"`y` must hold classes of the same kind as the model's, {known.tolist()[:5]}; got {np.unique(y)[:5]}."
        )
    if len(strange) == len(np.unique(y)):
        raise ValueError(
            f"`y` must hold classes that the model knows, {known.tolist()[:5]}; got {strange.tolist()[:5]} only."
        )
    if len(strange):
        warn(f"`y` holds classes that the model never met and cannot show: {strange.tolist()[:5]}.", UserWarning)
    return both


def checked_grid(grid):
    """Rows and columns."""
    pair = (grid, grid) if isinstance(grid, Integral) else grid
    good = isinstance(pair, tuple | list) and len(pair) == 2
    if not good or not all(isinstance(v, Integral) and not isinstance(v, bool) and 2 <= v <= 2000 for v in pair):
        raise ValueError(f"`grid` must be an integer from 2 to 2000, or two (rows, columns); got {grid!r}.")
    return int(pair[0]), int(pair[1])


def checked_cv(cv):
    if cv is not None and (not isinstance(cv, Integral) or isinstance(cv, bool) or cv < 2):
        raise ValueError(f"`cv` must be None or an integer >= 2; got {cv!r}.")
    return cv


def checked_ways(X, metric, distances, way_there):
    """What a given map may bring: a fitted metric or an array of matrices, distances, a way for new samples."""
    if metric is not None and not hasattr(metric, "factors"):
        metric = checked_matrices(metric, X)
    if distances is not None:
        distances = check_distances(distances, name="distances")
        if len(distances) != len(X):
            raise ValueError(
                f"`distances` must have shape ({len(X)}, {len(X)}), those among `X`; got {distances.shape}."
            )
    if way_there is not None and not hasattr(way_there, "transform"):
        raise ValueError(f"`way_there` must have a method `transform` for new samples; got {type(way_there).__name__}.")
    return {"metric": metric, "distances": distances, "way_there": way_there}


def copied(part, name, method):
    """A clone of the map or inverse map given, if any."""
    if part is None:
        return None
    if isinstance(part, type) or not hasattr(part, "get_params") or not hasattr(part, method):
        raise ValueError(f"`{name}` must be an object with `get_params` and `{method}`; got {part!r}.")
    return clone(part)


def checked_places(Z, X):
    Z = check_array(Z, dtype=np.float64, input_name="Z")
    if len(Z) != len(X):
        raise ValueError(f"`Z` must hold one place a sample ({len(X)}); got {len(Z)}.")
    if Z.shape[1] != 2:
        raise ValueError(f"A picture needs a map of shape ({len(X)}, 2); got {Z.shape}. Set `n_components=2`.")
    return Z


def fitted_metric(metric, auxiliary, function, X, y):
    """The metric fitted to classes or targets, or None."""
    if not isinstance(auxiliary, str) or auxiliary not in ("truth", "model"):
        raise ValueError(f'`auxiliary` must be "truth" or "model"; got {auxiliary!r}.')
    if metric is None or isinstance(metric, str) and metric == "euclidean":
        return None
    if (
        isinstance(metric, str)
        and metric != "fisher"
        or not isinstance(metric, str)
        and not hasattr(metric, "distances")
    ):
        raise ValueError(f'`metric` must be None, "fisher" or a metric of toolkit.fisher; got {metric!r}.')
    if auxiliary == "truth" and y is None:
        raise ValueError('`y` is needed by `metric`; give it, or take `auxiliary="model"`.')
    given = X if function._frame is None else function._frame(X)
    target = y if auxiliary == "truth" else function.model.predict(given)
    if not isinstance(metric, str):
        metric = copy.copy(metric)
    elif auxiliary == "model" and function.classifies:
        metric = ModelFisher(function.model)
    else:
        metric = ParzenFisher() if function.classifies else GPFisher()
    metric.fit(given, target)
    vars(metric).pop("feature_names_in_", None)  # from here on samples come as arrays
    return metric
