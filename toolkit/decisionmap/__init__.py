"""Decision maps: any classifier or regressor seen in the plane, with measures of how far the picture can be trusted.

The map, the inverse map of each pixel, what the model predicts there, and how often the
picture agrees with the model at held-out samples:

>>> from sklearn.datasets import load_digits
>>> from sklearn.svm import SVC
>>> from toolkit.decisionmap import DecisionMap
>>> X, y = load_digits(return_X_y=True)
>>> model = SVC().fit(X[:200], y[:200])
>>> shown = DecisionMap.from_estimator(model, X[:200], y[:200], metric="fisher", grid=50)  # t-SNE of Fisher distances
>>> held_out, new = shown.label_agreement_, shown.score(X[200:]).labels  # held out of the inverse map; new samples
>>> bool(held_out > new > 0.85)
True
>>> picture = shown.plot().legend().figure_  # rings: shown as another class than the model says
>>> other = shown.with_model(SVC(gamma=0.01).fit(X[:200], y[:200]))  # the same plane, without a new map

Believe the lower agreement, at new samples: those of the first are kept out of the
inverse map, not out of the map.

A pipeline on a raw DataFrame (text, categories, gaps) is seen in the columns that its
first steps make. Models that take gaps and categories themselves, such as histogram
gradient boosting, are asked on rows that `MixedColumns` makes of the grid's points.
``prepare=`` sets either.
"""

from ..core.mixed import MixedColumns
from .agreement import Agreement, agreement
from .certainty import Answers, ModelFunction
from .map import DecisionMap

__all__ = [
    "Agreement",
    "Answers",
    "DecisionMap",
    "MixedColumns",
    "ModelFunction",
    "agreement",
]
