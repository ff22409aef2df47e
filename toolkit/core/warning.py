"""Warnings that point to the line a user wrote."""

import sys
import warnings
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning

# modules whose lines are not those that a user wrote
INTERNAL = "toolkit.", "sklearn.", "joblib."


def warn(message, category=UserWarning):
    """Warn at the first line outside this package, scikit-learn and joblib."""
    frame = sys._getframe(1)
    level = 2
    while frame and frame.f_globals.get("__name__", "").startswith(INTERNAL):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def warn_convergence(message):
    """Warn of a search that ended before its tolerance was met."""
    warn(message, ConvergenceWarning)


@contextmanager
def suppress_name_warning():
    """Let an estimator that was fitted with names of columns take arrays without."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="X does not have valid feature names"
        )
        yield
