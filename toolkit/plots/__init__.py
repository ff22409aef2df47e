"""Figures by matplotlib: displays of embeddings, decision regions, relevance; colours for the colour-blind.

A display holds arrays. Its `plot(ax=None, ...)` draws on the axes given or on new ones, keeps them as `ax_` and
`figure_`, and returns the display.
"""

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
