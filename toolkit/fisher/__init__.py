"""Fisher information metrics in the data space: supervised distances.

The distances grow where class probabilities change. Any map can be computed from them,
`toolkit.kernelmap` projects new samples onto it, and `overfitting_check` shows whether
the map has memorised its labels.

>>> from sklearn.datasets import load_digits
>>> from toolkit.embed import TSNE
>>> from toolkit.fisher import ParzenFisher, overfitting_check
>>> from toolkit.kernelmap import KernelMap
>>> X, y = load_digits(return_X_y=True)
>>> D = ParzenFisher().fit(X[:300], y[:300]).distances()
>>> tsne = TSNE(metric="precomputed", random_state=0)  # or MDS, Isomap, MVU, SOM, ...
>>> Z = tsne.fit_transform(D)
>>> Z_new = KernelMap().fit(X[:300], Z).transform(X[300:])
>>> found = overfitting_check(
...     ParzenFisher(), X[:300], y[:300], n_permutations=3, random_state=0
... )
>>> errors = found.to_frame().groupby("kind").error.mean()  # of the nearest neighbour
>>> errors[["in_sample", "permuted", "held_out", "unsupervised"]].round(2).tolist()
[0.0, 0.55, 0.01, 0.01]

The first error, in sample, is no evidence: with permuted labels, where the chance-level
error is 0.9, the same metric has the second. The third is its error on held-out
samples, the last that of the original distances: here the metric is no improvement.

A Fisher metric is also the first step of a pipeline, so that cross-validation chooses
its bandwidth: ``GridSearchCV`` of ``make_pipeline(ParzenFisher(),
KNeighborsClassifier(metric="precomputed"))`` over ``parzenfisher__bandwidth``.
"""

from .gp import GPFisher
from .model import ModelFisher
from .overfitting import overfitting_check
from .parzen import KernelFisher, ParzenFisher

__all__ = [
    "GPFisher",
    "KernelFisher",
    "ModelFisher",
    "ParzenFisher",
    "overfitting_check",
]
