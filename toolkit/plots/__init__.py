"""Pictures: arrays in, matplotlib out."""

from .drawing import CLASS_COLORS, CLASS_MARKERS, class_styles, place_names, publish, voronoi_segments
from .labels import FeatureLabelDisplay, SampleLabelDisplay
from .maps import MapDisplay

__all__ = [
    "CLASS_COLORS",
    "CLASS_MARKERS",
    "FeatureLabelDisplay",
    "MapDisplay",
    "SampleLabelDisplay",
    "class_styles",
    "place_names",
    "publish",
    "voronoi_segments",
]
