"""Figures by matplotlib: displays of embeddings, decision regions, relevance; colours for the colour-blind.

A display holds arrays. Its `plot(ax=None, ...)` draws on the axes given or on new ones, keeps them as `ax_` and
`figure_`, and returns the display.
"""

from .arrows import LinearMapDisplay
from .bounds import BoundsDisplay, EquivalentWeightsDisplay
from .charts import CurvesDisplay, DotsDisplay, HistogramDisplay, TableDisplay
from .decisions import DecisionDisplay, RegressionDisplay, decision_image, value_image
from .density import cell_values, class_counts, density_image
from .drawing import point_out, publish, voronoi_segments
from .ellipses import ellipse_segments
from .labels import FeatureLabelDisplay, SampleLabelDisplay
from .maps import MapDisplay, MapsDisplay
from .names import place_names
from .style import CLASS_COLORS, CLASS_MARKERS, class_styles, panels, write_heading, write_title
from .targets import TargetDisplay

__all__ = [
    "BoundsDisplay",
    "CLASS_COLORS",
    "CLASS_MARKERS",
    "CurvesDisplay",
    "DecisionDisplay",
    "DotsDisplay",
    "EquivalentWeightsDisplay",
    "FeatureLabelDisplay",
    "HistogramDisplay",
    "LinearMapDisplay",
    "MapDisplay",
    "MapsDisplay",
    "RegressionDisplay",
    "SampleLabelDisplay",
    "TableDisplay",
    "TargetDisplay",
    "cell_values",
    "class_counts",
    "class_styles",
    "decision_image",
    "density_image",
    "ellipse_segments",
    "panels",
    "place_names",
    "point_out",
    "publish",
    "value_image",
    "voronoi_segments",
    "write_heading",
    "write_title",
]
