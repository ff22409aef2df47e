"""Validation: held-out errors with intervals, p-values, dependence among rows.

Any map or model is evaluated on rows that it was not fitted to, and compared with
permuted targets.
"""

from .choice import Choice, choice_of, cross_predict, folds, significance
from .dependence import linked_rows, shifts
from .intervals import (
    INTERVAL_LEVEL,
    difference,
    permutations_of,
    simultaneous_level,
    standard_error,
)
from .maps import MapValidation, as_map, fit_map, validate_map
from .projected import ProjectedMap
from .targets import Classes, Labels, Target, Values, as_target, compare_misses

__all__ = [
    "INTERVAL_LEVEL",
    "Choice",
    "Classes",
    "Labels",
    "MapValidation",
    "ProjectedMap",
    "Target",
    "Values",
    "as_map",
    "as_target",
    "choice_of",
    "compare_misses",
    "cross_predict",
    "difference",
    "fit_map",
    "folds",
    "linked_rows",
    "permutations_of",
    "shifts",
    "significance",
    "simultaneous_level",
    "standard_error",
    "validate_map",
]
