"""Helpers for estimators: restore the fitted state when `fit` fails, check new samples, warn at the caller's line."""

import functools
import sys
import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from .arrays import TABLE, reading
from .checks import check_magnitude
from .frames import check_columns

__all__ = ["new_samples", "restore_on_failure", "training_samples", "warn"]


def training_samples(estimator, X, *, least=2, sparse=False, magnitude=True, rule=TABLE):
    """Samples (n, d) that an estimator is fitted to, as floats; sets `n_features_in_` and the names of the features."""
    return _samples(estimator, X, "X", magnitude, rule, accept_sparse=sparse and "csr", ensure_min_samples=least)


def new_samples(estimator, X, name="X", *, sparse=False, magnitude=True, rule=TABLE):
    """Samples (m, d) for a fitted estimator, checked against what `fit` has seen."""
    check_is_fitted(estimator)
    check_columns(getattr(X, "columns", None), estimator, name)
    return _samples(estimator, X, name, magnitude, rule, accept_sparse=sparse and "csr", reset=False)


def _samples(estimator, X, name, magnitude, rule, **how):
    with reading(name, X, rule):
        A = validate_data(estimator, X, dtype=np.float64, **how)
    if magnitude:
        check_magnitude(A, name, squares=magnitude == "squares")
    return A


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
