"""Transfer: the embeddings that two sets share, by linear maps and kernel maps, and the steps on the way."""

from functools import partial

import numpy as np
from scipy.spatial.distance import cdist, squareform

from toolkit.discriminant import FDA
from toolkit.embed import MDS
from toolkit.embed.affinities import affinities
from toolkit.transfer import annealing
from toolkit.transfer.annealing import expect
from toolkit.transfer.kernel import Cost

from ..harness import case, each, estimator, every
from ..inputs import INPUTS, quantity, wave
from .embed import first_steps

PARTS = {"toolkit.transfer.base.MAX_SEARCHED": 15}
PAIRS = {"toolkit.transfer.annealing.PAIRS_PER_BLOCK_OF_E_STEP": 100}
# Few steps of everything: longer descents amplify rounding.
STEPS = {
    "openTSNE.TSNEEmbedding.optimize": first_steps,
    "toolkit.transfer.kernel.MAX_DESCENT": 2,
    "toolkit.transfer.kernel.STEPS": 1,
    "toolkit.transfer.annealing.STEPS": 1,
    "toolkit.transfer.annealing.anneal.__kwdefaults__": annealing.anneal.__kwdefaults__
    | {"last_steps": 2},
}


EMBEDDING = "source_embedding_ target_embedding_ theta_ bandwidth_ log_likelihood_ self_log_likelihood_ evidence_"
EMBEDDING += " coefficients_ intercept_ ridge_ lam_ centers_"


def of_new(source, target):
    """The embedding, and new samples of either side."""
    sides = {"transform_source": source, "transform_target": target}
    return {"taken": "target_embedding_ confidence_", "after": sides}


both = of_new("X_new", "X")
shared = partial(
    estimator,
    "transfer.SharedLinearEmbedding",
    random_state=0,
    given="X X_new",
    taken=EMBEDDING,
)
linear = partial(shared, n_bandwidths=3, ridge=0.01)
linear(*INPUTS)
shared()
linear(*INPUTS, given="X Z", **of_new("X_new", "Z_new"))
linear(source="@Z", **both)
linear(source=MDS(), **both)
linear(source=FDA(), given="X X_new y", **both)
linear(n_components=each(1, 3))
linear(n_components=5, n_bandwidths=1, given="X X", **of_new("X_new", "X_new"))
linear("uneven", standardize=False, given="X Z")
linear(ridge=each(0, 1))
linear("more features", n_directions=2)
linear(bandwidth=0.3)
linear(starts=each("axes", "structure"))
linear(fit_weights=True)
linear(lowered=PARTS, given="X Z")
linear(lowered=PAIRS)

kernel = partial(
    estimator, "transfer.SharedKernelEmbedding", source="pca", n_bandwidths=2, lam=0.1, random_state=0, given="X X_new",
    taken=EMBEDDING, lowered=STEPS,
)  # fmt: skip
kernel(*INPUTS)
kernel(*INPUTS, source="tsne", **both)
kernel(source="@Z", **both)
kernel("uneven", source=FDA(), given="X X_new y", **both)
kernel(lam=each(None, 0, 2))
kernel("uneven", lam=None, starts="turns")
kernel(starts=each(("turns",), ("structure",)))
kernel(n_components=each(1, 3))
kernel(perplexity=2.5)
kernel("uneven", n_centers=6)
kernel(kernel_width=0.2)
kernel(bandwidth=0.4, n_bandwidths=1)
kernel("more features", n_bandwidths=4, **both)
kernel(lowered=STEPS | PARTS, given="X_new X")


@quantity
def source(Z):
    """The map in the unit of the map."""
    return Z / np.sqrt(np.mean(Z**2))


@quantity
def target(Z_new):
    return Z_new / np.sqrt(np.mean(Z_new**2))


@quantity
def design(target):
    """Three scores of new samples, and ones."""
    Z = target
    product = Z[:, 0] * Z[:, 1]
    return np.column_stack([Z, product, np.ones(len(Z))])


@quantity
def equal_weights(Z_new):
    n = len(Z_new)
    return np.full(n, -np.log(n))


@quantity
def step(source, target, equal_weights):
    return expect(source, target, equal_weights, 0.4)


@quantity
def among_new(X_new):
    return cdist(X_new, X_new)


@quantity
def new_affinities(among_new):
    return squareform(affinities(among_new**2, 2.5), checks=False)


@quantity
def cost(design, new_affinities):
    return Cost(design, new_affinities, 0.3, 2.0)


def at_wave(result):
    return result(wave(4, 2))


coupled = partial(case, "transfer.gromov_wasserstein.gw_coupling")
coupled(*INPUTS, given="D among_new", taken=every(3))
coupled("uneven", entropies=[0.05], given="D D", taken=every(5))
case(
    "transfer.kernel.Cost",
    *INPUTS,
    lam=0.3,
    unit=2.0,
    given="design new_affinities",
    taken=at_wave,
)
objective = partial(
    case, "transfer.kernel.m_step_objective", n=36, taken=at_wave
)
objective("three classes", "uneven", e="@step", design="@design", cost="@cost")
case("transfer.confidence.linear_svm", given="Z y Z_new")
