"""Linear discriminant maps from weighted pairs of samples: FDA, LPP, LFDA and SELF, which mixes the last two.

Kitamura and Sugiyama, "Dimensionality reduction of partially labeled multimodal data" (2007), cited as Kitamura2007.
"""

from ..core.deprecation import renamed_names
from ..core.graphs import local_scaling
from .maps import FDA, LFDA, LPP, SELF
from .regression import GraphLabelRegression
from .selection import importance_weighted_cv, importance_weights

__all__ = [
    "FDA",
    "LFDA",
    "LPP",
    "SELF",
    "GraphLabelRegression",
    "importance_weighted_cv",
    "importance_weights",
    "local_scaling",
]

__getattr__ = renamed_names(globals(), SELFMap="SELF")
