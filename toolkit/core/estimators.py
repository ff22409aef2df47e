"""Helpers for estimators: restore the fitted state when `fit` fails, check new samples, warn at the caller's line."""

import functools
import sys
import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from .checks import check_magnitude

__all__ = ["new_samples", "restore_on_failure", "warn"]


def new_samples(estimator, X):
    """Samples (m, d) for a fitted estimator, checked against what `fit` has seen."""
    check_is_fitted(estimator)
    X = validate_data(estimator, X, dtype=np.float64, reset=False)
    check_magnitude(X)
    return X


def restore_on_failure(fit):
    """Decorator of `fit`: where it raises, all attributes are those from before."""

    @functools.wraps(fit)
    def guarded(self, *args, **kwargs):
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return guarded


def warn(message, category=UserWarning):
    """Warn at the first line outside this package, scikit-learn and joblib, through whatever calls led here."""
    frame, level = sys._getframe(1), 2
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in ("toolkit", "sklearn", "joblib"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
