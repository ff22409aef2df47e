"""Valid bounds on the relevance of features, for linear mappings and metrics.

Thesis, section 4.3. Many weight vectors are equivalent, so each feature gets its
smallest and its largest weight in an equivalent model. `relevance_bounds` is for linear
models, `metric_bounds` for `GMLVQ` and `LMNN`, `generic_bounds` for any criterion.

>>> from sklearn.datasets import load_diabetes
>>> from sklearn.linear_model import LinearRegression
>>> from sklearn.preprocessing import StandardScaler
>>> from toolkit.bounds import relevance_bounds
>>> X, y = load_diabetes(return_X_y=True, as_frame=True)
>>> X = StandardScaler().set_output(transform="pandas").fit_transform(X)
>>> model = LinearRegression().fit(X, y)
>>> found = relevance_bounds(model, X, null_space=2).to_frame()
>>> found.loc[["bmi", "s3", "s4"], ["lower", "upper"]].round(1).to_numpy().tolist()
[[24.5, 25.7], [3.0, 18.7], [0.0, 13.8]]

A weight says how a model uses a feature, not whether the feature predicts: noise has
weights, too. `toolkit.relevance.relevance_evidence` compares bounds with those of
columns of noise.
"""

from ..core import principal_rows
from .equivalence import (
    Equivalence,
    canonical_weights,
    equivalence,
    minimal_weights,
)
from .generic import GenericBounds, generic_bounds, left_out_error, linear_error
from .linear import (
    GroupBounds,
    MetricBounds,
    RelevanceBounds,
    group_bounds,
    metric_bounds,
    relevance_bounds,
)
from .null_space_selection import NullSpaceChoice, choose_null_space

__all__ = [
    "Equivalence",
    "GenericBounds",
    "GroupBounds",
    "MetricBounds",
    "NullSpaceChoice",
    "RelevanceBounds",
    "canonical_weights",
    "choose_null_space",
    "equivalence",
    "generic_bounds",
    "group_bounds",
    "left_out_error",
    "linear_error",
    "metric_bounds",
    "minimal_weights",
    "principal_rows",
    "relevance_bounds",
]
