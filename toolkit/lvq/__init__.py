"""Learning vector quantisation: GLVQ, GMLVQ and its map, RSLVQ.

`GMLVQ` is a classifier by prototypes that learns its metric. The plane of that metric
is a map, and `explain` gives the reasons for the position of a sample: the winning
prototypes, the margin, and the contribution of each feature to it.

>>> from sklearn.datasets import load_iris
>>> from sklearn.preprocessing import StandardScaler
>>> from toolkit.lvq import GMLVQ
>>> iris = load_iris()
>>> X, y = StandardScaler().fit_transform(iris.data), iris.target_names[iris.target]
>>> gmlvq = GMLVQ(mu=0.01).fit(X, y)
>>> gmlvq.predict(X[:1]).tolist(), gmlvq.relevances_.round(2).tolist()
(['setosa'], [0.03, 0.03, 0.58, 0.36])
>>> from toolkit.plots import MapDisplay
>>> stars = gmlvq.transform(gmlvq.prototypes_)
>>> of = gmlvq.prototype_labels_
>>> display = MapDisplay(gmlvq.transform(X), y, prototypes=stars, prototype_labels=of)
>>> picture = display.plot().figure_
>>> sorted(gmlvq.explain(X[:1]))
['contributions', 'feature_names', 'margin', 'winner_labels', 'winners']

`toolkit.lmnn.LMNN` learns a metric of the same form for nearest neighbours instead of
prototypes, with a margin to other classes. The method ``with_metric`` of both replaces
the learned metric by another one.
"""

from .classifier import GLVQ
from .gmlvq import GMLVQ
from .rslvq import RSLVQ
from .stationarity import (
    final_gradient_matrix,
    stationary_matrix,
    weak_penalty_matrix,
)

__all__ = [
    "GLVQ",
    "GMLVQ",
    "RSLVQ",
    "final_gradient_matrix",
    "stationary_matrix",
    "weak_penalty_matrix",
]
