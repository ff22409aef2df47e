"""Helpers for `fit`: restore the previous fitted state when fitting fails; attribute warnings to the caller's line."""

import functools
import sys
import warnings

__all__ = ["restore_on_failure", "warn"]


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
