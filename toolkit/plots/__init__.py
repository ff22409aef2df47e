"""Pictures: arrays in, matplotlib out."""

from .decisions import DecisionDisplay, RegressionDisplay, decision_image, value_image
from .drawing import CLASS_COLORS, CLASS_MARKERS, class_styles, place_names, publish, voronoi_segments
from .ellipses import ellipse_segments
from .labels import FeatureLabelDisplay, SampleLabelDisplay
from .maps import MapDisplay
from .relevance import BoundsDisplay, CurvesDisplay
from .targets import TargetDisplay

__all__ = [
    "BoundsDisplay",
    "CLASS_COLORS",
    "CLASS_MARKERS",
    "CurvesDisplay",
    "DecisionDisplay",
    "FeatureLabelDisplay",
    "MapDisplay",
    "RegressionDisplay",
    "SampleLabelDisplay",
    "TargetDisplay",
    "class_styles",
    "decision_image",
    "ellipse_segments",
    "place_names",
    "publish",
    "value_image",
    "voronoi_segments",
]
