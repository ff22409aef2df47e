"""Decision maps of any classifier or regressor in the plane, and their agreement.

A map and its inverse map give a point of the data space for each pixel, where the model
predicts. Agreement of decision map and model is measured at held-out samples. Here the
map is t-SNE of Fisher distances:

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

The picture, in which rings mark samples whose class differs from the model's
prediction, and another model in the same plane, without a new map:

>>> picture = seen.plot().legend().figure_
>>> other = seen.with_model(SVC(gamma=0.01).fit(train, labels))

The lower agreement, at new samples, is the one to report: the samples of the first are
held out from the inverse map, not from the map.

For a pipeline on a raw DataFrame (text, categories, missing values) the map uses the
columns that its first steps make. Models that take missing values and categories
themselves, such as histogram gradient boosting, are evaluated at rows that
`MixedColumns` makes of the grid's points. ``prepare=`` sets either.

`DecisionMap` is what most users need; it returns `Agreement` and `Predictions`. Its
parts serve other pictures of a model: `ModelFunction` gives predictions and certainties
of any model, `agreement` compares two sets of predictions.
"""

from ..core.mixed import MixedColumns
from .agreement import Agreement, agreement
from .certainty import ModelFunction, Predictions
from .map import DecisionMap

__all__ = [
    "Agreement",
    "Predictions",
    "DecisionMap",
    "MixedColumns",
    "ModelFunction",
    "agreement",
]
