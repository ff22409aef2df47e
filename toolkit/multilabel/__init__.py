"""Samples, features and (multi-)labels in one plane: SL-A, SL-AK, SL-B and FL-A.

Kudo, Kimura, Haindl and Tenmoto, "Simultaneous visualization of samples, features and
multi-labels" (2016), cited as Kudo2016. The paper writes samples as columns; here they
are rows, and the paper's ``X`` is ``X.T``.

Labels are given as one column of classes or as a 0/1 matrix with one column per label.
The maps follow scikit-learn's contract: pipelines, grid search, DataFrames,
``set_output``. `SampleLabelMap` does not depend on the scales of columns.

>>> from sklearn.datasets import load_iris
>>> from toolkit.multilabel import SampleLabelMap
>>> from toolkit.plots import SampleLabelDisplay
>>> iris = load_iris()
>>> X, y = iris.data, iris.target
>>> sla = SampleLabelMap().fit(X, y)  # or a 0/1 label matrix instead of y
>>> sla.transform(X).shape, sla.predict(X)[:3].tolist()
((150, 2), [0, 0, 0])
>>> round(float(sla.contribution_rate_), 3)
1.0
>>> display = SampleLabelDisplay.from_estimator(sla, X, y, iris.target_names)
>>> picture = display.plot().figure_
"""

from ..core import label_sets
from .eigenmaps import FeatureLabelEigenmap, SampleLabelEigenmap, correlations
from .regression import KernelSampleLabelMap, SampleLabelMap

__all__ = [
    "FeatureLabelEigenmap",
    "KernelSampleLabelMap",
    "SampleLabelEigenmap",
    "SampleLabelMap",
    "correlations",
    "label_sets",
]
