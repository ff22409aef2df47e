"""Laplacian eigenmaps without and with labels (LE, SLE-ML, CCDR), and those that they are compared with."""

from functools import partial

from sklearn.neighbors import KNeighborsTransformer

from ..harness import alone, each, estimator, reader
from ..inputs import INPUTS

ARPACK = {"toolkit.eigenmaps.solver.DENSE_LIMIT": 10}
SEARCHED = {"toolkit.core.graphs.ROWS_PER_SEARCH": 10}
PAIRS = {"toolkit.eigenmaps.baselines.BLOCK_ENTRIES": 200}
GRAPH = "graph_ sigma2_ n_neighbors_"
SEARCH = KNeighborsTransformer(n_neighbors=7)

LE = partial(estimator, "eigenmaps.LaplacianEigenmap", given="X")
SLEML = partial(estimator, "eigenmaps.SLEML")
CCDR = partial(estimator, "eigenmaps.CCDR")
SLAPEIG = partial(estimator, "eigenmaps.SLapEig")
SLE = partial(estimator, "eigenmaps.SLE")
CS = partial(estimator, "eigenmaps.ConstraintScoreMap")


@reader
def of_path(model, given, *lams):
    """Every third sample of the maps, and the eigenvalues."""
    maps, eigenvalues = model.path(list(lams))
    return maps[:, ::3], eigenvalues


for method in (LE, SLEML, CCDR, SLAPEIG, SLE, CS):
    method(*INPUTS)
for method in (LE, CCDR, SLAPEIG, SLE):
    method(n_components=each(1, 3))
for method in (LE, SLEML, CCDR, SLE):
    method(sigma2=5.0)
for method in (LE, SLEML, CCDR):
    method(neighbors=SEARCH)
for method in (SLEML, CCDR):
    method(*INPUTS, given="X Y")
    method(lam=each(0.0, 0.1, 0.9, 1.0))
    method(n_neighbors=5)
    method(given="X part")
    method(given="X names")
for method in (SLAPEIG, CS):
    method(given="X names")

LE(*INPUTS, given="X y")
LE(*INPUTS, n_neighbors=4, taken=GRAPH)
LE("uneven", n_neighbors=1, lowered=SEARCHED, taken=GRAPH)
LE(
    n_neighbors=4,
    lowered={"toolkit.core.graphs.BLOCK_ENTRIES": 100},
    taken=GRAPH,
)
LE(n_neighbors=2)
LE(lowered=ARPACK, given="X y")
LE(n_components=1, lowered={"toolkit.core.linalg.LANCZOS_ABOVE": 20})
LE("uneven", after={"transform": "X"})

SLEML(lam=0.0, given=each("X part", "X Y_part"))
SLEML(lam=0.3, given="X Y_part")
# Where labels are linked, the map does not change with the graph.
limit = partial(
    SLEML, lam=0.0, n_neighbors=2, given="X Y", taken="graph_ embedding_"
)
alone(
    limit,
    n_components=each(2, 3),
    lowered={"toolkit.eigenmaps.solver.DENSE_LIMIT": 3},
)
SLEML("uneven", class_weight=each("balanced", {0: 5.0, 2: 0.2}))
SLEML(n_neighbors=5, keep_balance=True)
SLEML(neighbors=SEARCH, keep_balance=True)
SLEML(n_neighbors=1, lowered=SEARCHED)
alone(
    SLEML,
    lowered=each({"toolkit.eigenmaps.graphmap.MAX_LINKS": 360}, ARPACK),
    taken=of_path(0.9, 0.5, 0.0),
)
SLEML(n_components=each(1, 3), given="X Y")
SLEML("uneven", lam=0.2, lowered=ARPACK, given="X Y")

alone(partial(CCDR, lam=0.1), lowered=ARPACK, taken=of_path(0.5, 0.1, 1.0))
SLAPEIG("uneven", lowered=PAIRS)
SLAPEIG(sigma2=0.5, tau2=20.0)
alone(SLAPEIG, n_neighbors=5, lowered=ARPACK)
SLAPEIG(n_neighbors=3, taken=GRAPH)
SLAPEIG("uneven", after={"transform": "X"})
SLE(beta=each(0.1, 0.9))
SLE(lowered=PAIRS)
CS(beta=0.3)
CS("uneven", n_components=each(1, 3))
