"""Decision maps: predictions of any classifier or regressor in the plane.

A decision map has a map of the samples, the inverse map of each pixel, the model's
prediction there, and the agreement with the model at held-out samples. Here the map is
t-SNE of Fisher distances:

>>> from sklearn.datasets import load_digits
>>> from sklearn.svm import SVC
>>> from toolkit.decisionmap import DecisionMap
>>> X, y = load_digits(return_X_y=True)
>>> train, labels = X[:200], y[:200]
>>> svm = SVC().fit(train, labels)
>>> seen = DecisionMap.from_estimator(svm, train, labels, metric="fisher", grid=50)

The agreement at samples held out from the inverse map, and at new samples:

>>> held_out, new = seen.label_agreement_, seen.score(X[200:]).labels
>>> bool(held_out > new > 0.85)
True

The figure, in which rings mark samples shown as a class that the model does not
predict, and another model in the same plane, without a new map:

>>> picture = seen.plot().legend().figure_
>>> other = seen.with_model(SVC(gamma=0.01).fit(train, labels))

The lower agreement, at new samples, is the one to report: samples of the first are held
out from the inverse map, not from the map.

A pipeline on a raw DataFrame (text, categories, gaps) is shown in the columns that its
first steps return. Models that take gaps and categories themselves, such as histogram
gradient boosting, are evaluated at rows that `MixedColumns` computes from the grid's
points. ``prepare=`` sets either.
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
