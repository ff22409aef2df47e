"""Pictures: arrays in, matplotlib out."""

from .drawing import CLASS_COLORS, CLASS_MARKERS, class_styles, place_names, publish, voronoi_segments
from .ellipses import ellipse_segments
from .labels import FeatureLabelDisplay, SampleLabelDisplay
from .maps import MapDisplay
from .targets import TargetDisplay

__all__ = [
    "CLASS_COLORS",
    "CLASS_MARKERS",
    "FeatureLabelDisplay",
    "MapDisplay",
    "SampleLabelDisplay",
    "TargetDisplay",
    "class_styles",
    "ellipse_segments",
    "place_names",
    "publish",
    "voronoi_segments",
]
