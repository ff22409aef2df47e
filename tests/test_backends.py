"""Every function that spreads its work with joblib gives the same result under every backend."""

import warnings

import joblib
import numpy as np
from pytest import MonkeyPatch, fixture, mark, param
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC

from toolkit.bounds import choose_null_space, generic_bounds, relevance_bounds
from toolkit.decisionmap import DecisionMap
from toolkit.discriminant import importance_weighted_cv
from toolkit.fisher import (
    GPFisher,
    KernelFisher,
    ModelFisher,
    ParzenFisher,
    overfitting_check,
)
from toolkit.lvq import GMLVQ
from toolkit.neighbors import BlockNeighbors
from toolkit.quality import q_nx
from toolkit.relevance import (
    backward_relevance,
    forward_relevance,
    relevance_evidence,
)
from toolkit.transfer import SharedKernelEmbedding, SharedLinearEmbedding
from toolkit.validation import (
    as_target,
    choice_of,
    permutations_of,
    shifts,
    significance,
    validate_map,
)

X, Y = load_iris(return_X_y=True)
X = X[::2] - X.mean(0)
Y = Y[::2]
A, B = (part[:90] for part in load_diabetes(return_X_y=True))
MAP = X[:, 2:]
SOME = {"n_splits": 3, "random_state": 0}


def least_squares_error(X, y):
    """A criterion of features that other processes can load by its name."""
    design = np.column_stack([X, np.ones(len(X))])
    return float(
        np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2)
    )


def null_space():
    some = A[:, :6]
    model = LinearRegression().fit(some[:60], B[:60])
    choice = choose_null_space(model, some[:60], B[:60], some[60:], B[60:])
    return [
        choice.null_space,
        choice.error,
        choice.train_error,
        choice.average_error,
    ]


def decision_map():
    metric = ParzenFisher().fit(X, Y)
    options = {"metric": metric, "grid": 12, "cv": 3}
    view = DecisionMap.from_map(SVC().fit(X, Y), X, MAP, Y, **options)
    return [
        view.label_agreement_,
        view.certainty_correlation_,
        view.grid_values_,
    ]


def parzen():
    metric = ParzenFisher(lam=0.1).fit(X, Y)
    return [metric.distances(path=path) for path in ("line", "graph")]


def knn():
    metric = ParzenFisher(lam=0.1).fit(X, Y)
    graph = metric.knn_distances(n_neighbors=6)
    return [graph.indptr, graph.indices, graph.data, metric.knn_fraction_]


def block_neighbors():
    graph = BlockNeighbors(5).fit_transform(X)
    return [graph.indices, graph.data]


def weighted_errors():
    part = np.where(np.arange(len(Y)) % 3, -1, Y)
    choice = importance_weighted_cv(X, part, **SOME)
    return [choice.weighted, choice.unweighted]


def overfitting():
    check = overfitting_check(ParzenFisher(), X, Y, n_permutations=2, **SOME)
    return list(check.values())[:4]


def evidence():
    forest = RandomForestClassifier(5, random_state=0)
    evidence = relevance_evidence(forest, X, Y, n_repeats=8, random_state=0)
    return [evidence.upper, evidence.level]


def shared(kind, **settings):
    """Every end of the search, in their order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This alignment may be wrong")
        model = kind(n_bandwidths=2, random_state=0, **settings).fit(
            X, X[::2, ::-1]
        )
    ends = [one["history"]["objective"] for one in model.candidates_]
    return [model.target_embedding_, *ends]


def shared_by_kernels():
    return shared(SharedKernelEmbedding, source="pca", lam=0.1, n_centers=5)


def permuted_targets():
    """The p-value, and the models of the caller, which stay as they are."""
    target = as_target(Y, len(Y))
    groups = np.arange(len(Y))
    models = target.models()
    choice = choice_of(target, X, groups, models)
    ways = shifts(len(Y), np.random.default_rng(0))
    found = significance(target, X, groups, models, ways)
    known = [hasattr(model, "n_features_in_") for model in models.values()]
    assert not any(known)
    return [choice.losses, list(found.values())]


def targets_permuted_in_two_ways():
    """Of noise: the first way ends before all of its permutations are asked."""
    rng = np.random.default_rng(0)
    noise = as_target(rng.integers(2, size=len(X)), len(X))
    groups = np.arange(len(X)) // 3
    ways = permutations_of(noise.y, groups, True, rng)
    found = significance(noise, X, groups, noise.models(), ways)
    assert len(found) == 2 and min(found.values()) > 5 / 39
    return list(found.values())


def validated():
    validation = validate_map(PCA(2), X, Y, n_permutations=3)
    return [
        validation.error,
        validation.permuted_error,
        validation.training_error,
    ]


def program_bounds():
    model = LinearRegression().fit(A, B)
    return [*relevance_bounds(model.coef_, A, null_space=3)]


PARALLEL = {
    "ParzenFisher": parzen,
    "ModelFisher": lambda: ModelFisher(GMLVQ().fit(X, Y)).fit(X).distances(),
    "KernelFisher": lambda: KernelFisher(lam=0.1).fit(X @ X.T, Y).distances(),
    "GPFisher": lambda: (
        GPFisher(beta=30.0, noise=0.5, lam=0.1).fit(A, B).distances()
    ),
    "knn_distances": knn,
    "BlockNeighbors": block_neighbors,
    "overfitting_check": overfitting,
    "importance_weighted_cv": weighted_errors,
    "q_nx": lambda: q_nx(X, MAP),
    "forward_relevance": lambda: forward_relevance(X, MAP),
    "backward_relevance": lambda: backward_relevance(X, MAP),
    "relevance_evidence": evidence,
    "SharedLinearEmbedding": lambda: shared(SharedLinearEmbedding),
    "SharedKernelEmbedding": shared_by_kernels,
    "significance": permuted_targets,
    "significance, two ways": targets_permuted_in_two_ways,
    "validate_map": validated,
    "relevance_bounds": program_bounds,
    "generic_bounds": lambda: [
        *generic_bounds(A[:, :4], B, least_squares_error)
    ],
    "choose_null_space": null_space,
    "DecisionMap": decision_map,
}


# Blocks so small that there is work for several workers.
BLOCKS = {
    "fisher.gp.PRODUCTS_AT_ONCE": 2**24,
    "fisher.neighbors.TILE_ROWS": 20,
    "fisher.paths.ENTRIES_AT_ONCE": 2**10,
    "neighbors.ROWS_PER_TASK": 20,
    "quality.BLOCK_PAIRS": 2**10,
    "relevance.selection.BLOCK_PAIRS": 2**10,
    "decisionmap.certainty.ROWS_AT_ONCE": 50,
}


@fixture(scope="module")
def sequential():
    with MonkeyPatch.context() as patch:
        for name, size in BLOCKS.items():
            patch.setattr(f"toolkit.{name}", size)
        yield {name: call() for name, call in PARALLEL.items()}


@mark.parametrize(
    "backend", ["loky", param("multiprocessing", marks=mark.slow), "threading"]
)
@mark.parametrize("name", PARALLEL)
def test_every_backend_gives_the_sequential_result(sequential, name, backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        check_same(PARALLEL[name](), sequential[name])


@mark.slow
@mark.parametrize("name", PARALLEL)
def test_a_cluster_gives_the_sequential_result(sequential, name, cluster):
    with joblib.parallel_config("dask"):
        check_same(PARALLEL[name](), sequential[name])


def check_same(result, expected):
    """Of arrays: row by row; a row that no worker could write into stays 0."""
    for part, wanted in zip(result, expected, strict=True):
        # products end in other bits elsewhere
        np.testing.assert_allclose(part, wanted, rtol=1e-12, atol=1e-12)
        assert np.any(part)
