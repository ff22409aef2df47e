"""FDA, LPP, LFDA, SELF, label propagation, and the choice between them by weighted cross-validation."""

from functools import partial

import numpy as np
import scipy.sparse

from toolkit.discriminant import SELF

from ..harness import alone, case, each, estimator
from ..inputs import INPUTS, quantity

ROWS = {"toolkit.core.graphs.BLOCK_ENTRIES": 100}
SEARCHED = {"toolkit.core.graphs.ROWS_PER_SEARCH": 10}

fda = partial(estimator, "discriminant.FDA")
lpp = partial(estimator, "discriminant.LPP", given="X")
lfda = partial(estimator, "discriminant.LFDA")
self = partial(estimator, "discriminant.SELF", given="X part")
regression = partial(
    estimator, "discriminant.GraphLabelRegression", given="X part"
)
chosen = partial(case, "discriminant.importance_weighted_cv", given="X part")
scaling = partial(case, "discriminant.local_scaling", given="X")


def of_path(model):
    embeddings, components = model.path([0.0, 0.3, 1.0])
    return embeddings[:, ::3], components


@quantity
def sparse_affinity(S):
    """A sparse affinity of which the weak links are cut."""
    return scipy.sparse.csr_matrix(np.where(S > 0.5, S, 0.0))


fda("three classes", "uneven")  # two classes differ in one direction only
for method in (lpp, lfda, self, regression):
    method(*INPUTS)
# Neighbours of one sample each are searched in a tree, and the graph falls apart.
regression(n_affinity=1, lowered=SEARCHED)
for method in (lpp, lfda, self):
    method(n_components=each(1, 3))
for method in (fda, lfda):
    method(given=each("X part", "X names"))
for method in (lpp, lfda):
    method(local_neighbor=3)

alone(fda, n_components=each(1, 2), ridge=0.0)
fda("uneven", n_components=3)
fda("more features", ridge=0.5, n_components=1)
lpp("uneven", local_neighbor=2)
lfda("more features", ridge=0.1, n_components=1)
for method in (lpp, self):
    method(ridge=0.1)
self(beta=each(0.0, 0.1, 1.0), skipped="embedding_")
alone(self, given="X y", taken=of_path)
self("uneven", local_neighbor=3)

alone(regression, gamma=each(0.01, 10.0), given=each("Z part", "X y"))
regression("uneven", n_affinity=5)
regression(
    affinity="precomputed",
    given=each("S part", "sparse_affinity part"),
    taken="scores_",
)

chosen(random_state=0)
chosen("more features", random_state=1, betas=(0.0, 0.5), n_splits=2)
chosen(
    "uneven", random_state=2, betas=(0.1, 1.0), dimensions=(1, 3), n_splits=3,
    estimator=SELF(local_neighbor=3, ridge=0.01),
)  # fmt: skip

scaling(*INPUTS, given="X_new")
scaling(*INPUTS, n_affinity=3)
scaling(n_neighbors=2, given="X_new")
scaling(n_affinity=4, n_neighbors=4)
scaling("uneven", n_affinity=1, n_neighbors=1, lowered=SEARCHED)
scaling(n_affinity=3, lowered=ROWS)
