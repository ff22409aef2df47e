"""Feature relevance for a given map: by selection, weights, a metric; evidence of it.

A weight measures how a model uses a feature, not whether the feature predicts: a model
of pure noise has weights as well. Relevances are compared with those of shadows,
permuted copies of all columns in the same table. *Strongly relevant* features have
weights above the null level in every equivalent model, *weakly relevant* ones in some;
``benchmarks/evidence.md`` tests this.

>>> from sklearn.datasets import load_diabetes
>>> from sklearn.linear_model import LinearRegression
>>> from sklearn.preprocessing import StandardScaler
>>> from toolkit.bounds import relevance_bounds
>>> from toolkit.embed import TSNE
>>> from toolkit.relevance import NeRVRelevance, relevance_evidence
>>> X, y = load_diabetes(return_X_y=True, as_frame=True)
>>> X = StandardScaler().set_output(transform="pandas").fit_transform(X)
>>> def bounds(X, y):
...     # of a table with its shadows: directions of little variance, 2 + 2
...     return relevance_bounds(LinearRegression().fit(X, y), X, null_space=4)
>>> found = relevance_evidence(bounds, X, y, random_state=0)
>>> kinds = found.to_frame()["kind"]
>>> sorted(kinds.index[kinds == "strongly relevant"])
['bmi', 'bp', 's5', 'sex']
>>> sorted(kinds.index[kinds == "weakly relevant"])
['s2', 's3']
>>> picture = found.plot().figure_

What a map shows, whether it predicts or not:

>>> Z = TSNE(random_state=0).fit_transform(X[:100])
>>> NeRVRelevance().fit(X[:100], Z).relevances_.shape
(10,)
"""

from .metric import NeRVMetric, NeRVRelevance
from .noise import RelevanceEvidence, relevance_evidence
from .selection import backward_relevance, forward_relevance

__all__ = [
    "NeRVMetric",
    "NeRVRelevance",
    "RelevanceEvidence",
    "backward_relevance",
    "forward_relevance",
    "relevance_evidence",
]
