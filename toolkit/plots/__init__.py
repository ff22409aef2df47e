"""Figures by matplotlib: displays of embeddings, decision regions, relevance; colours for the colour-blind.

A display holds arrays. Its `plot(ax=None, ...)` draws on the axes given or on new ones, keeps them as `ax_` and
`figure_`, and returns the display.
"""

from .arrows import LinearMapDisplay
from .bounds import BoundsDisplay, EquivalentWeightsDisplay
from .charts import CurvesDisplay, HistogramDisplay
from .decisions import DecisionDisplay, RegressionDisplay
from .drawing import point_out, publish, voronoi_segments
from .ellipses import ellipse_segments
from .labels import FeatureLabelDisplay, SampleLabelDisplay
from .maps import MapDisplay, MapsDisplay
from .style import panels, write_heading, write_title
from .targets import TargetDisplay

__all__ = [
    "BoundsDisplay",
    "CurvesDisplay",
    "DecisionDisplay",
    "EquivalentWeightsDisplay",
    "FeatureLabelDisplay",
    "HistogramDisplay",
    "LinearMapDisplay",
    "MapDisplay",
    "MapsDisplay",
    "RegressionDisplay",
    "SampleLabelDisplay",
    "TargetDisplay",
    "ellipse_segments",
    "panels",
    "point_out",
    "publish",
    "voronoi_segments",
    "write_heading",
    "write_title",
]
