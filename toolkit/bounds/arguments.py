"""Checks of what the bounds are asked for: weights or a fitted model, slack, an equivalence that leaves a choice."""

import numpy as np

from ..core.checks import check_magnitude, check_positive
from ..core.estimators import warn

__all__ = ["check_columns", "checked_slack", "checked_weights", "warn_if_alone"]


def checked_weights(w, d, names=None):
    """Weights (d,) as floats; those of a fitted linear model with one row of coefficients."""
    given = type(w).__name__
    if hasattr(w, "coef_"):
        check_columns(w, names)
        w = w.coef_
        if np.ndim(w) == 2 and len(w) > 1:
            raise ValueError(
                f"`w` must be one mapping; the model has {len(w)}, one a class or target. Give one row, such as "
                "model.coef_[0], or all of them to `metric_bounds`."
            )
    elif hasattr(w, "lambda_"):
        raise ValueError(f"`w` must be one mapping; {given} has a metric, give it to `metric_bounds`.")
    elif hasattr(w, "fit"):
        raise ValueError(
            f"`w` must be weights or a fitted linear model with `coef_`; got {given}. Of a pipeline give the last "
            "step, and `X` as the others transform it; other models have no weights."
        )
    try:
        w = np.asarray(w)
    except ValueError:
        w = np.empty(0, dtype=object)
    if w.dtype.kind in "iufb" and w.shape == (1, d):
        w = w[0]
    if w.dtype.kind not in "iufb" or w.shape != (d,):
        raise ValueError(
            f"`w` must hold one weight a feature, numbers of shape ({d},) as `X` has {d}; got shape {w.shape}, type "
            f"{w.dtype}. Leave out the intercept; `metric_bounds` takes matrices."
        )
    w = w.astype(float)
    if not np.isfinite(w).all():
        raise ValueError("`w` must be finite; there is NaN or infinity.")
    check_magnitude(w, "w")
    return w


def check_columns(model, names):
    """Refuse a DataFrame whose columns are not those that a model was fitted to, in their order."""
    fitted = getattr(model, "feature_names_in_", None)
    if fitted is not None and names is not None and list(map(str, fitted)) != names:
        raise ValueError(
            f"`X` must have the columns that {type(model).__name__} was fitted to, in their order; got {names[:4]} ... "
            f"for {list(map(str, fitted))[:4]} .... Give X[list(model.feature_names_in_)]."
        )


def checked_slack(slack):
    """A factor >= 1 on the least norm."""
    if check_positive(slack, "slack") < 1:
        raise ValueError(
            f"`slack` must be at least 1: no equivalent weights have a norm below the least one; got {slack!r}."
        )
    return float(slack)


def warn_if_alone(null_space, same):
    """Warn where the default leaves every mapping equivalent to itself only."""
    if null_space is None and same.null_space == 0:
        warn(
            "The samples vary along all directions, so that only the mapping itself acts alike on them and both bounds "
            "are its weights. Give a `null_space` above 0 to count directions of little variance; compare errors on "
            "samples held out, as `choose_null_space` does."
        )
