"""Every function that spreads its work with joblib gives the same result under every backend."""

import warnings

import joblib
import numpy as np
from pytest import MonkeyPatch, fixture, mark, param
from sklearn.datasets import load_diabetes, load_iris
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
    neighbors,
    overfitting_check,
    paths,
)
from toolkit.lvq import GMLVQ
from toolkit.neighbors import BlockNeighbors
from toolkit.quality import q_nx
from toolkit.relevance import backward_relevance, forward_relevance, relevance_evidence
from toolkit.transfer import SharedKernelEmbedding, SharedLinearEmbedding

X, Y = load_iris(return_X_y=True)
X, Y = X[::2] - X.mean(0), Y[::2]
A, B = (part[:90] for part in load_diabetes(return_X_y=True))
MAP = X[:, 2:]


def least_squares_error(X, y):
    """A criterion of features that other processes can load by its name."""
    design = np.column_stack([X, np.ones(len(X))])
    return float(np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2))


def null_space():
    some = A[:, :6]
    choice = choose_null_space(
        LinearRegression().fit(some[:60], B[:60]), some[:60], B[:60], some[60:], B[60:]
    )
    return [choice.null_space, choice.error, choice.train_error, choice.average_error]


def decision_map():
    found = DecisionMap.from_map(
        SVC().fit(X, Y), X, MAP, Y, metric=ParzenFisher().fit(X, Y), grid=12, cv=3
    )
    return [found.label_agreement_, found.certainty_correlation_, found.grid_values_]


def knn():
    metric = ParzenFisher(lam=0.1).fit(X, Y)
    graph = metric.knn_distances(n_neighbors=6)
    return [graph.indptr, graph.indices, graph.data, metric.knn_share_]


def block_neighbors():
    graph = BlockNeighbors(5).fit_transform(X)
    return [graph.indices, graph.data]


def selected():
    chosen = importance_weighted_cv(
        X, np.where(np.arange(len(Y)) % 3, -1, Y), n_splits=3, random_state=0
    )
    return [chosen.weighted, chosen.plain]


def evidence():
    found = relevance_evidence(
        RandomForestClassifier(5, random_state=0), X, Y, n_draws=8, random_state=0
    )
    return [found.upper, found.level]


def shared(kind, **settings):
    """Every end of the search, in their order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This alignment may be wrong")
        found = kind(n_bandwidths=2, random_state=0, **settings).fit(X, X[::2, ::-1])
    return [
        found.target_embedding_,
        *(one["history"]["objective"] for one in found.candidates_),
    ]


PARALLEL = {
    "ParzenFisher": lambda: [
        ParzenFisher(lam=0.1).fit(X, Y).distances(path=path)
        for path in ("line", "graph")
    ],
    "ModelFisher": lambda: ModelFisher(GMLVQ().fit(X, Y)).fit(X).distances(),
    "KernelFisher": lambda: KernelFisher(lam=0.1).fit(X @ X.T, Y).distances(),
    "GPFisher": lambda: GPFisher(beta=30.0, noise=0.5, lam=0.1).fit(A, B).distances(),
    "knn_distances": knn,
    "BlockNeighbors": block_neighbors,
    "overfitting_check": lambda: list(
        overfitting_check(
            ParzenFisher(), X, Y, n_permutations=2, n_splits=3, random_state=0
        ).values()
    )[:4],
    "importance_weighted_cv": selected,
    "q_nx": lambda: q_nx(X, MAP),
    "forward_relevance": lambda: forward_relevance(X, MAP),
    "backward_relevance": lambda: backward_relevance(X, MAP),
    "relevance_evidence": evidence,
    "SharedLinearEmbedding": lambda: shared(SharedLinearEmbedding),
    "SharedKernelEmbedding": lambda: shared(
        SharedKernelEmbedding, source="pca", lam=0.1, n_centers=5
    ),
    "relevance_bounds": lambda: [
        *relevance_bounds(LinearRegression().fit(A, B).coef_, A, null_space=3)
    ],
    "generic_bounds": lambda: [*generic_bounds(A[:, :4], B, least_squares_error)],
    "choose_null_space": null_space,
    "DecisionMap": decision_map,
}


@fixture(scope="module")
def several_blocks():
    """Blocks so small that there is work for several workers."""
    with MonkeyPatch.context() as patch:
        patch.setattr("toolkit.fisher.gp.PRODUCTS_AT_ONCE", 2**24)
        patch.setattr(neighbors, "TILE_ROWS", 20)
        patch.setattr("toolkit.neighbors.ROWS_PER_TASK", 20)
        patch.setattr(paths, "ENTRIES_AT_ONCE", 2**10)
        patch.setattr("toolkit.quality.BLOCK_PAIRS", 2**10)
        patch.setattr("toolkit.relevance.selection.BLOCK_PAIRS", 2**10)
        patch.setattr("toolkit.decisionmap.certainty.ROWS_AT_ONCE", 50)
        yield


@fixture(scope="module")
def sequential(several_blocks):
    return {name: call() for name, call in PARALLEL.items()}


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


def check_same(found, expected):
    for part, wanted in zip(as_list(found), as_list(expected), strict=True):
        # products end in other bits elsewhere
        np.testing.assert_allclose(part, wanted, rtol=1e-12, atol=1e-12)
        # an array that no worker could write into stays 0
        assert np.any(np.asarray(part))


def as_list(found):
    return list(found) if isinstance(found, list | tuple) else [found]
