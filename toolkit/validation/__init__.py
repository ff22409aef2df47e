"""Validation: held-out errors with intervals, p-values, dependence among rows.

Any map or model is evaluated on rows that it was not fitted to, and compared with
permuted targets.
"""

from .choice import Choice, choice_of, cross_predict, significance
from .dependence import linked_rows, shifts
from .intervals import (
    INTERVAL_LEVEL,
    difference,
    permutations_of,
    simultaneous_level,
    standard_error,
)
from .map_validation import MapValidation
from .maps import ProjectedMap, as_map, fit_map
from .splits import folds
from .target import Target
from .targets import Classes, Labels, Values, as_target, compare_misses
from .validate import validate_map

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
