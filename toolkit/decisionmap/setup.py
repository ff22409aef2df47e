"""What a decision map is given, checked: model, samples, classes, grid, and the metric fitted to truth or model."""

import copy
from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from ..contract import warn
from ..fisher import GPFisher, ModelFisher, ParzenFisher
from ..validation import check_magnitude
from .certainty import ModelFunction

__all__ = ["all_classes", "checked_cv", "checked_grid", "checked_places", "checked_samples", "fitted_metric"]


def checked_samples(model, X, y, certainty, n_jobs):
    """The model as a function, samples as an array, classes or targets."""
    frame = None
    if hasattr(X, "columns"):
        container, columns = type(X), X.columns

        def frame(A):
            return container(A, columns=columns)

    function = ModelFunction(model, certainty, frame=frame, n_jobs=n_jobs)
    X = check_array(X, dtype=np.float64, ensure_min_samples=2, input_name="X")
    check_magnitude(X)
    if y is not None:
        y = column_or_1d(y)
        if len(y) != len(X):
            raise ValueError(f"`X` and `y` must hold the same number of samples; got {len(X)} and {len(y)}.")
        if not function.classifies:
            y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    return function, X, y


def all_classes(known, y):
    """The model's classes and those of `y`, sorted."""
    try:
        strange = np.setdiff1d(y, known)
        both = np.union1d(known, y)
    except TypeError:
        strange = None
    if (
        strange is None
        or both.dtype.kind != known.dtype.kind
        and {both.dtype.kind, known.dtype.kind} != {"i", "u"}
    ):
        raise ValueError(
            f"`y` must hold classes of the same kind as the model's, {known.tolist()[:5]}; got {np.unique(y)[:5]}."
        )
    if len(strange) == len(np.unique(y)):
        raise ValueError(
            f"`y` must hold classes that the model knows, {known.tolist()[:5]}; got {strange.tolist()[:5]} only."
        )
    if len(strange):
        warn(
            f"`y` holds classes that the model never met and cannot show: {strange.tolist()[:5]}.",
            UserWarning,
        )
    return both


def checked_grid(grid):
    """Rows and columns."""
    pair = (grid, grid) if isinstance(grid, Integral) else grid
    good = isinstance(pair, tuple | list) and len(pair) == 2
    if not good or not all(
        isinstance(v, Integral) and not isinstance(v, bool) and 2 <= v <= 2000 for v in pair
    ):
        raise ValueError(f"`grid` must be an integer from 2 to 2000, or two (rows, columns); got {grid!r}.")
    return int(pair[0]), int(pair[1])


def checked_cv(cv):
    if cv is not None and (not isinstance(cv, Integral) or isinstance(cv, bool) or cv < 2):
        raise ValueError(f"`cv` must be None or an integer >= 2; got {cv!r}.")
    return cv


def checked_places(Z, X):
    Z = check_array(Z, dtype=np.float64, input_name="Z")
    if Z.shape != (len(X), 2):
        raise ValueError(
            f"A picture needs a map of shape ({len(X)}, 2); got {Z.shape}. Set `n_components=2`."
        )
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
    if auxiliary == "truth":
        if y is None:
            raise ValueError('`y` is needed by `metric`; give it, or take `auxiliary="model"`.')
        target = y
    else:
        given = X if function._frame is None else function._frame(X)
        target = function.model.predict(given)
    if isinstance(metric, str):
        if auxiliary == "model" and function.classifies:
            return ModelFisher(function.model).fit(X if function._frame is None else function._frame(X))
        return (ParzenFisher() if function.classifies else GPFisher()).fit(X, target)
    return copy.copy(metric).fit(X, target)
