"""Valid bounds on the relevance of features for linear mappings and metrics (thesis, section 4.3)."""

from ..core.metrics import principal_rows
from .choice import NullSpaceChoice, choose_null_space
from .equivalence import Equivalence, canonical_weights, equivalence, minimal_weights
from .generic import GenericBounds, ModelError, generic_bounds, left_out_error, linear_error
from .groups import GroupBounds, group_bounds
from .hyperplane import HyperplaneBounds, hyperplane_bounds
from .linear import RelevanceBounds, relevance_bounds
from .metric import MetricBounds, metric_bounds
from .paths import CoefficientPath, coefficient_paths

__all__ = [
    "CoefficientPath",
    "Equivalence",
    "GenericBounds",
    "GroupBounds",
    "HyperplaneBounds",
    "MetricBounds",
    "ModelError",
    "NullSpaceChoice",
    "RelevanceBounds",
    "canonical_weights",
    "choose_null_space",
    "coefficient_paths",
    "equivalence",
    "generic_bounds",
    "group_bounds",
    "hyperplane_bounds",
    "left_out_error",
    "linear_error",
    "metric_bounds",
    "minimal_weights",
    "principal_rows",
    "relevance_bounds",
]
