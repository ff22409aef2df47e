"""What every embedder owes, and MDS, t-SNE and Isomap against forms of their own."""

import numpy as np
import scipy.sparse
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, mark, raises, warns
from registry import embedders, takes_distances
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.datasets import load_iris, make_swiss_roll
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap as SklearnIsomap
from sklearn.manifold import smacof

from toolkit.core.graphs import knn_graph, squared_distances
from toolkit.embed import GTM, MDS, MVU, SOM, TSNE, Isomap, NeRV
from toolkit.embed.base import EmbedInput
from toolkit.embed.isomap import neighborhood_graph
from toolkit.quality import knn_error

# Settings for few samples, and how far maps may differ where rounding alone does: some
# descents make rounding errors grow. Other embedders have their defaults, and 1e-6.
SETTINGS = {
    "TSNE": (
        TSNE(
            perplexity=3, max_iter=300, early_exaggeration=1, n_jobs=np.int64(1)
        ),
        0.05,
    ),
    "Isomap": (Isomap(n_neighbors=4), 1e-6),
    "MVU": (MVU(max_iter=300), 0.05),
    "NeRV": (NeRV(perplexity=4, max_iter=50), 0.02),
    "SOM": (SOM(grid=(3, 5)), 1e-6),
    "GTM": (GTM(grid=(5, 6), basis=(3, 3)), 1e-6),
}
OF_DISTANCES = {
    cls.__name__: cls for cls in embedders() if takes_distances(cls)
}
EMBEDDERS = {
    name: SETTINGS.get(name, (cls(), 1e-6))
    for name, cls in OF_DISTANCES.items()
}
# t-SNE spreads samples that are equal; it and the grids keep no distances.
SPREADING = {"TSNE"}
KEEPS_NO_DISTANCES = {"TSNE", "SOM", "GTM"}
OF_TWO_SAMPLES = {"Isomap": {"n_neighbors": 1}, "MVU": {"n_neighbors": 1}}
each_embedder = mark.parametrize(
    "embedder, tolerance", EMBEDDERS.values(), ids=EMBEDDERS
)
quiet = mark.filterwarnings(
    "ignore:The graph of", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def with_params(embedder, **parameters):
    return type(embedder)(**(embedder.get_params() | parameters))


def blobs(n=60, d=5, seed=0):
    rng = default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, d)) + 6 * rng.normal(size=(3, d))[y], y


def assert_same_map(Z, other, tolerance=1e-6):
    """Up to how it lies and its unit."""
    first = pdist(Z / np.abs(Z).max())
    second = pdist(other / np.abs(other).max())
    assert np.abs(first / first.max() - second / second.max()).max() < tolerance


@quiet
@each_embedder
def test_vectors_and_their_distances_give_one_map(embedder, tolerance):
    X, _ = blobs()
    expected = with_params(embedder, metric="euclidean").fit(X)
    other = with_params(embedder, metric="precomputed").fit(cdist(X, X))
    assert_same_map(expected.embedding_, other.embedding_, tolerance)
    if hasattr(embedder, "grid"):
        moved = X + 0.1
        assert_allclose(
            other.transform(cdist(moved, X)),
            expected.transform(moved),
            atol=1e-7,
        )


def test_distances_read_as_vectors_are_named_at_the_line_of_the_caller():
    D = squareform(pdist(blobs()[0]))
    for call in (MDS().fit, MDS().fit_transform):
        with warns(
            UserWarning,
            match='looks like a matrix of distances.*metric="precomputed"',
        ) as caught:
            call(D)
        assert caught[0].filename == __file__


ODD = [
    0.0,
    1.0,
    -1.0,
    1e-300,
    -1e-160,
    1e-9,
    1e8,
    1e99,
    -1e60,
    1e150,
    np.nan,
    np.inf,
]
SIZES = st.tuples(st.integers(8, 14), st.integers(1, 4))
VALUES = st.sampled_from(ODD) | st.floats(-10, 10) | st.floats(-1e100, 1e100)


@each_embedder
@settings(max_examples=examples(20), deadline=None)
@example(X=np.ones((8, 3)), metric="euclidean")
@example(X=np.zeros((9, 1)), metric="precomputed")
@given(
    X=arrays(float, SIZES, elements=VALUES),
    metric=st.sampled_from(["euclidean", "precomputed"]),
)
@mark.filterwarnings("ignore")
def test_hostile_values_give_a_finite_map_or_a_value_error(
    embedder, tolerance, X, metric
):
    """Only values that are no numbers, whose squares overflow, or that all have
    vanishing squares may be refused.
    """
    data = X if metric == "euclidean" else np.abs(X[:, :1] - X[:, 0]) ** 1.5
    try:
        model = with_params(embedder, metric=metric).fit(data)
    except ValueError as error:
        size = np.abs(data).max()
        assert str(error).strip() and not 1e-100 <= size <= 1e99
        return
    assert (
        model.embedding_.shape == (len(X), 2)
        and np.isfinite(model.embedding_).all()
    )
    numbers = [
        value
        for value in vars(model).values()
        if isinstance(value, float | np.ndarray)
    ]
    assert not any(np.isnan(value).any() for value in numbers)
    if isinstance(model, MVU):
        assert model.bound_ >= model.variance_ * (1 - 1e-6)
    if hasattr(model, "transform"):
        assert_allclose(model.transform(data), model.embedding_, atol=1e-6)


@quiet
@mark.parametrize("name", [n for n in EMBEDDERS if n not in SPREADING])
def test_equal_samples_are_one_point(name):
    embedder = EMBEDDERS[name][0]
    model = with_params(embedder).fit(np.full((9, 3), 0.1))
    assert np.ptp(model.embedding_, axis=0).max() < 1e-12
    names = ["eigenvalues_", "variance_", "bound_", "gap_", "cost_"]
    assert not any(np.any(getattr(model, name, 0)) for name in names)
    assert_allclose(getattr(model, "prototypes_", 0.1), 0.1)


@mark.parametrize(
    "name", [n for n in OF_DISTANCES if n not in KEEPS_NO_DISTANCES]
)
def test_two_samples_keep_their_distance(name):
    embedder = OF_DISTANCES[name](1, **OF_TWO_SAMPLES.get(name, {}))
    model = embedder.fit([[0.0, 0.0], [3.0, 4.0]])
    assert np.ptp(model.embedding_) == approx(5, rel=1e-3)
    assert getattr(model, "cost_", 0) == 0


def test_classical_scaling_is_principal_components(check_claim):
    X = load_iris().data
    principal = PCA(2).fit_transform(X)

    def away(Z):
        signs = np.sign(np.sum(Z * principal, axis=0))
        return float(np.abs(Z * signs - principal).max())

    D = np.sqrt(squared_distances(X, X))
    models = MDS().fit(X), MDS(metric="precomputed").fit(D)
    stress, _ = smacof(D, init=models[1].embedding_, n_init=1)
    check_claim(
        "VI-13",
        away(models[1].embedding_),
        note="iris, classical scaling of the matrix of distances against PCA, up to"
        " signs; the map of least stress is another: its coordinates differ by up to"
        f" {away(stress):.2f}",
    )
    for model in models:
        assert away(model.embedding_) < 1e-8
        assert_allclose(model.eigenvalues_, np.sum(principal**2, axis=0))
        lengths = pdist(model.embedding_)
        assert_allclose(model.stress_, np.sum((lengths - pdist(X)) ** 2))


def test_classical_scaling_of_distances_of_no_euclidean_space():
    """Three points at distance 1 from each other, a fourth at .5 from all.

    No plane and no space holds them.
    """
    D = np.ones((4, 4)) - np.eye(4)
    D[3, :3] = D[:3, 3] = 0.5
    model = MDS(3, metric="precomputed").fit(D)
    assert_allclose(model.eigenvalues_, [0.5, 0.5, 0.0], atol=1e-12)
    assert_allclose(np.linalg.eigvalsh(EmbedInput(D=D).gram()).min(), -0.0625)
    assert_allclose(model.embedding_[:, 2], 0, atol=1e-6)


def test_isomap_of_vectors_and_of_a_graph_is_scikit_learns_without_ties():
    X, _ = make_swiss_roll(300, random_state=0)
    theirs = SklearnIsomap(n_neighbors=8, eigen_solver="dense").fit_transform(X)
    for ours in (
        Isomap(n_neighbors=8).fit(X),
        Isomap(metric="precomputed").fit(knn_graph(X, 8)),
    ):
        assert_allclose(np.abs(ours.embedding_), np.abs(theirs), atol=1e-6)


def test_pieces_are_joined_by_a_shortest_tree():
    """Four pairs on a line: the joints are the three gaps between the pairs."""
    x = np.array([0.0, 0.1, 1, 1.1, 3, 3.1, 7, 7.1])[:, None]
    with warns(UserWarning, match="4 pieces"):
        graph = neighborhood_graph(EmbedInput(x), 1)
    edges = {(i, j) for i, j in zip(*graph.nonzero(), strict=True) if i < j}
    assert edges == {(0, 1), (2, 3), (4, 5), (6, 7), (1, 2), (3, 4), (5, 6)}


def test_joints_of_pieces_that_are_near_beside_an_outlier():
    """Two triples, 6e-9 of the largest distance from each other, which scipy's trees of
    dense matrices take for 0.
    """
    x = np.array([0.0, 0.1, 0.2, 2.0, 2.1, 2.2, 3e8])[:, None]
    with warns(UserWarning, match="2 pieces"):
        graph = neighborhood_graph(EmbedInput(x / 3e8), 2)
    assert graph[2, 3] == approx(6e-9)


def test_given_graphs_are_made_symmetric():
    graph = np.array([[0, 1.0, 0], [1, 0, 2], [0, 0, 0]])
    W = scipy.sparse.csr_matrix(graph)
    assert neighborhood_graph(EmbedInput(D=W), 5).toarray().tolist() == [
        [0, 1, 0],
        [1, 0, 2],
        [0, 2, 0],
    ]


@mark.parametrize("distance", [1e8, 1e17])
def test_a_far_sample_costs_the_others_no_digits(distance):
    X, y = blobs()
    far_samples = np.vstack([X, [[distance] * 5]])
    assert (
        knn_error(
            TSNE(perplexity=5, max_iter=300).fit_transform(far_samples)[:-1], y
        )
        == 0
    )
    with warns(UserWarning, match="small ones are lost in rounding"):
        MDS().fit(far_samples)


def test_sparse_distances_are_held_to_the_rules_of_dense_ones():
    graph = knn_graph(blobs()[0], 20)
    isomap = Isomap(metric="precomputed")
    with raises(ValueError, match="overflow"):
        isomap.fit(graph * 1e200)
    i, j = (int(a[0]) for a in graph.nonzero())
    wrong = (graph + graph.T).tolil()
    wrong[i, j] = 3 * wrong[j, i]
    with raises(
        ValueError, match="must be symmetric where both directions are stored"
    ):
        isomap.fit(wrong.tocsr())
