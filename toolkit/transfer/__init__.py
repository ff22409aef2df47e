"""Transfer (domain adaptation) without labels or correspondences: shared embeddings.

Chapter 5 of the thesis. A sensor is replaced: other features, no labels, no pairs. The
two sets are aligned by the shapes of their distributions, and the confidence of the
alignment needs no label either. Here ten unknown mixtures take the place of four
features:

>>> import numpy as np
>>> from sklearn.datasets import load_iris
>>> from sklearn.svm import SVC
>>> from toolkit.transfer import SharedLinearEmbedding
>>> X, y = load_iris(return_X_y=True)
>>> rng = np.random.default_rng(0)
>>> first, rest = np.split(rng.permutation(150), 2)
>>> old, new = X[first], X[rest] @ rng.normal(size=(4, 10))
>>> shared = SharedLinearEmbedding().fit(old, new)
>>> model = SVC(kernel="linear").fit(shared.transform_source(old), y[first])
>>> accuracy = model.score(shared.transform_target(new), y[rest])
>>> round(float(shared.confidence_), 2), round(float(accuracy), 2)
(0.99, 0.87)
"""

from .kernel import SharedKernelEmbedding
from .linear import SharedLinearEmbedding

__all__ = ["SharedKernelEmbedding", "SharedLinearEmbedding"]
