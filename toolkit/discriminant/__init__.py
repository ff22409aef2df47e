"""Linear discriminant maps from weighted pairs of samples: FDA, LPP, LFDA and SELF.

Kitamura and Sugiyama, "Dimensionality reduction of partially labeled multimodal data"
(2007), cited as Kitamura2007.

In `SELF`, -1 means "no label". In `FDA` and `LFDA`, which are compared with it, samples
with -1 are ignored if there are three classes or more. Therefore no class may be named
-1: the labels -1 and +1 alone are an error, whose message says what to do. `FDA` does
not depend on the scales of columns; the others compare samples by distance.

>>> import numpy as np
>>> from sklearn.datasets import load_wine
>>> from sklearn.pipeline import make_pipeline
>>> from sklearn.preprocessing import StandardScaler
>>> from toolkit.discriminant import SELF
>>> X, y = load_wine(return_X_y=True)
>>> few = np.where(np.arange(len(y)) % 10 == 0, y, -1)  # one sample in ten has a label
>>> make_pipeline(StandardScaler(), SELF(beta=0.5)).fit_transform(X, few).shape
(178, 2)
"""

from ..core import local_scaling
from .maps import FDA, LFDA, LPP, SELF
from .regression import GraphLabelRegression
from .selection import importance_weighted_cv

__all__ = [
    "FDA",
    "LFDA",
    "LPP",
    "SELF",
    "GraphLabelRegression",
    "importance_weighted_cv",
    "local_scaling",
]
