"""Samples, features and (multi-)labels in one plane: SL-A, SL-AK, SL-B and FL-A.

Kudo, Kimura, Haindl and Tenmoto, "Simultaneous visualization of samples, features and multi-labels" (2016), cited as
Kudo2016. The paper writes samples as columns; here they are rows, and the paper's ``X`` is ``X.T``.
"""

from ..core.labels import label_sets
from .features import FeatureLabelEigenmap, correlations
from .graph import SampleLabelEigenmap
from .regression import KernelSampleLabelMap, SampleLabelMap

__all__ = [
    "FeatureLabelEigenmap",
    "KernelSampleLabelMap",
    "SampleLabelEigenmap",
    "SampleLabelMap",
    "correlations",
    "label_sets",
]
