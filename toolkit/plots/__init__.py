"""Figures by matplotlib: displays of embeddings, decision regions, relevance.

A display holds arrays. Its `plot(ax=None, ...)` draws on the axes given or on new ones,
keeps them as `ax_` and `figure_`, and returns the display.

The displays are for everybody who draws a map or a result; `panels`, `write_title`,
`write_heading` and `point_out` put several into one figure. `publish` and `in_words`
are for notebooks: a figure with its caption and alternative text. `ellipse_segments`
and `voronoi_segments` are line segments as arrays, for the explorer and for other
libraries of figures.
"""

from .arrows import LinearMapDisplay
from .bounds import BoundsDisplay, EquivalentWeightsDisplay
from .curves import CurvesDisplay, HistogramDisplay
from .decisions import DecisionDisplay
from .evidence import EvidenceDisplay
from .feature_labels import FeatureLabelDisplay
from .labels import SampleLabelDisplay
from .maps import MapDisplay, MapsDisplay, TargetDisplay
from .pictures import in_words
from .publishing import publish
from .regression import RegressionDisplay
from .segments import ellipse_segments, voronoi_segments
from .style import panels, point_out, write_heading, write_title

__all__ = [
    "BoundsDisplay",
    "CurvesDisplay",
    "DecisionDisplay",
    "EquivalentWeightsDisplay",
    "EvidenceDisplay",
    "FeatureLabelDisplay",
    "HistogramDisplay",
    "LinearMapDisplay",
    "MapDisplay",
    "MapsDisplay",
    "RegressionDisplay",
    "SampleLabelDisplay",
    "TargetDisplay",
    "ellipse_segments",
    "in_words",
    "panels",
    "point_out",
    "publish",
    "voronoi_segments",
    "write_heading",
    "write_title",
]
