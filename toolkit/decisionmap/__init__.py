"""Decision maps: any classifier or regressor seen in the plane, with measures of how far the picture can be trusted."""

from .agreement import Agreement, agreement
from .certainty import Answers, ModelFunction
from .faithfulness import boundary_length, margins_kept, regions_kept
from .map import DecisionMap
from .raw import RawRows

__all__ = [
    "Agreement",
    "Answers",
    "DecisionMap",
    "ModelFunction",
    "RawRows",
    "agreement",
    "boundary_length",
    "margins_kept",
    "regions_kept",
]
