"""What every embedder owes, and MDS, t-SNE and Isomap against forms of their own."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris, make_swiss_roll
from sklearn.decomposition import PCA

from toolkit.core import linalg
from toolkit.core.graphs import knn_graph, squared_distances
from toolkit.embed import MDS, TSNE, Isomap
from toolkit.embed.base import EmbedInput, starting_map
from toolkit.embed.neighborhoods import neighborhood_graph
from toolkit.fisher import ParzenFisher
from toolkit.quality import knn_error

EMBEDDERS = [
    MDS(),
    MDS(criterion="stress", max_iter=30),
    TSNE(perplexity=3, max_iter=300, early_exaggeration=1),
    Isomap(n_neighbors=4),
]
NAMES = ["classical", "stress", "tsne", "isomap"]
each = pytest.mark.parametrize("embedder", EMBEDDERS, ids=NAMES)


def cloned(embedder, **parameters):
    return type(embedder)(**(embedder.get_params() | parameters))


def assert_same_map(embedder, Z, other):
    """Up to how it lies; the steps of t-SNE, in single precision, make rounding errors grow."""
    largest = pdist(Z).max()
    gap = np.abs(pdist(Z) - pdist(other)).max() / largest
    assert gap < (0.05 if isinstance(embedder, TSNE) else 1e-6)


def blobs(n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, d)) + 6 * rng.normal(size=(3, d))[y], y


@each
def test_distances_give_the_map_of_their_vectors(embedder):
    X, _ = blobs()
    start = X[:, :2]
    extra = {"init": start} if "init" in embedder.get_params() else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The graph of")
        Z = cloned(embedder, **extra).fit_transform(X)
        other = cloned(embedder, metric="precomputed", **extra).fit_transform(squareform(pdist(X)))
    assert_same_map(embedder, Z, other)


def test_order_of_the_samples_does_not_matter_to_tsne():
    X, _ = blobs()
    order = np.random.default_rng(1).permutation(len(X))
    settings_ = {"perplexity": 3, "max_iter": 300, "early_exaggeration": 1}
    Z, other = (TSNE(init=A[:, :2], **settings_).fit(A) for A in (X, X[order]))
    assert_same_map(Z, Z.embedding_[order], other.embedding_)


@each
def test_distances_read_as_vectors_are_named(embedder):
    with pytest.warns(UserWarning, match='looks like a matrix of distances.*metric="precomputed"'):
        cloned(embedder).fit(squareform(pdist(blobs(20)[0])))


@each
@settings(max_examples=12, deadline=None)
@given(
    X=arrays(
        float,
        st.tuples(st.integers(8, 14), st.integers(1, 4)),
        elements=st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e-9, 1e8, -1e60]) | st.floats(-10, 10),
    )
)
def test_hostile_values_give_a_finite_map(embedder, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Z = cloned(embedder).fit_transform(X)
    assert Z.shape == (len(X), 2)
    assert np.isfinite(Z).all()


@each
def test_equal_samples(embedder):
    assert np.isfinite(cloned(embedder).fit_transform(np.ones((8, 3)))).all()


def test_classical_scaling_is_principal_components(check_claim):
    X = load_iris().data
    principal = PCA(2).fit_transform(X)

    def away(Z):
        signs = np.sign(np.sum(Z * principal, axis=0))
        return float(np.abs(Z * signs - principal).max())

    D = np.sqrt(squared_distances(X, X))
    models = MDS().fit(X), MDS(metric="precomputed").fit(D)
    stress = MDS(criterion="stress", metric="precomputed").fit_transform(D)
    check_claim(
        "VI-13",
        away(models[1].embedding_),
        note="iris, classical scaling of the matrix of distances against PCA, up to signs; the map of least stress is "
        f"another: its coordinates differ by up to {away(stress):.2f}",
    )
    for model in models:
        assert away(model.embedding_) < 1e-8
        assert_allclose(model.eigenvalues_, np.sum(principal**2, axis=0))


def test_classical_scaling_of_distances_of_no_euclidean_space():
    """Three points at distance 1 from each other, a fourth at .5 from all: no plane and no space holds them."""
    D = np.ones((4, 4)) - np.eye(4)
    D[3, :3] = D[:3, 3] = 0.5
    model = MDS(3, metric="precomputed").fit(D)
    assert_allclose(model.eigenvalues_, [0.5, 0.5, 0.0], atol=1e-12)
    assert_allclose(np.linalg.eigvalsh(EmbedInput(D=D).gram()).min(), -0.0625)
    assert_allclose(model.embedding_[:, 2], 0, atol=1e-6)


@pytest.mark.parametrize("power", [1, 4], ids=["Euclidean", "not Euclidean"])
def test_lanczos_steps_find_the_map_of_the_dense_problem(monkeypatch, power):
    D = squareform(pdist(np.random.default_rng(0).normal(size=(60, 5)))) ** power
    dense, equal = MDS(3, metric="precomputed").fit(D), MDS(metric="precomputed").fit(0 * D)
    monkeypatch.setattr(linalg, "LANCZOS_ABOVE", 10)
    model = MDS(3, metric="precomputed").fit(D)
    assert_allclose(model.eigenvalues_, dense.eigenvalues_, rtol=1e-10)
    assert_allclose(model.embedding_, dense.embedding_, atol=1e-9 * np.abs(dense.embedding_).max())
    assert_allclose(MDS(metric="precomputed").fit(0 * D).embedding_, equal.embedding_)


def test_stress_of_a_square_on_a_line_falls_and_is_counted():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1.2]])
    seen = []
    model = MDS(1, criterion="stress", callback=lambda i, s: seen.append((i, s)), init="random", random_state=0).fit(X)
    D, Z = squareform(pdist(X)), model.embedding_
    assert_allclose(model.stress_, np.sum((np.abs(Z - Z.T) - D) ** 2) / 2)
    iterations, stresses = np.array(seen).T
    assert np.all(np.diff(iterations) > 0)
    assert np.all(np.diff(stresses) <= 1e-9)
    assert MDS(1).fit(X).stress_ > MDS(1, criterion="stress").fit(X).stress_  # starts from the classical one


def test_isomap_with_all_neighbours_is_classical_scaling():
    X, _ = blobs(30)
    assert_allclose(Isomap(n_neighbors=29).fit_transform(X), MDS().fit_transform(X), atol=1e-7)


def test_isomap_agrees_with_scikit_learn_where_there_are_no_ties():
    from sklearn.manifold import Isomap as Theirs

    X, _ = make_swiss_roll(300, random_state=0)
    ours, theirs = (
        Isomap(n_neighbors=8).fit_transform(X),
        Theirs(n_neighbors=8, eigen_solver="dense").fit_transform(X),
    )
    assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-6)


def test_isomap_of_a_sparse_graph_and_of_one_in_pieces():
    X, _ = make_swiss_roll(200, random_state=0)
    graph = knn_graph(X, 8)
    Z = Isomap(metric="precomputed").fit_transform(graph)
    assert_allclose(Z, Isomap(n_neighbors=8).fit_transform(X), atol=1e-6)
    pieces = scipy.sparse.block_diag([graph, graph], format="csr")
    with pytest.raises(ValueError, match="in 2 pieces"):
        Isomap(metric="precomputed").fit(pieces)
    far = np.vstack([X, X + [1000, 0, 0]])
    with pytest.warns(UserWarning, match="falls into 2 pieces"):
        Z = Isomap(n_neighbors=8).fit_transform(far)
    assert knn_error(Z, np.repeat([0, 1], 200)) == 0


def test_pieces_are_joined_by_a_shortest_tree():
    """Four pairs on a line: the joints are the three gaps between neighbouring pairs."""
    x = np.array([0.0, 0.1, 1, 1.1, 3, 3.1, 7, 7.1])[:, None]
    with pytest.warns(UserWarning, match="4 pieces"):
        graph = neighborhood_graph(EmbedInput(x), 1)
    edges = {(i, j) for i, j in zip(*graph.nonzero(), strict=True) if i < j}
    assert edges == {(0, 1), (2, 3), (4, 5), (6, 7), (1, 2), (3, 4), (5, 6)}


def test_pieces_that_are_near_beside_an_outlier_are_joined():
    """Two triples, 6e-9 of the largest distance from each other, which scipy's trees of dense matrices take for 0."""
    x = np.array([0.0, 0.1, 0.2, 2.0, 2.1, 2.2, 3e8])[:, None]
    with pytest.warns(UserWarning, match="2 pieces"):
        graph = neighborhood_graph(EmbedInput(x / 3e8), 2)
    assert graph[2, 3] == pytest.approx(6e-9)


def test_given_graphs_are_made_symmetric():
    W = scipy.sparse.csr_matrix(np.array([[0, 1.0, 0], [3, 0, 2], [0, 0, 0]]))
    assert neighborhood_graph(EmbedInput(graph=W), 5).toarray().tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]


def test_tsne_reads_lengths_and_their_unit_does_not_matter():
    """Squares of the lengths in place of the lengths give another map, a change of unit gives the same one."""
    X, _ = blobs(90)
    D = squareform(pdist(X))
    settings_ = {"metric": "precomputed", "perplexity": 5, "init": X[:, :2], "max_iter": 300}
    lengths, other_unit, squares = (pdist(TSNE(**settings_).fit_transform(A)) for A in (D, 1024 * D, D**2))
    assert_allclose(other_unit, lengths, rtol=0)
    assert np.abs(squares - lengths).max() > 0.2 * lengths.max()


def test_tsne_from_fisher_neighbours_is_that_from_all_fisher_distances():
    X, y = blobs(200, seed=2)
    fisher = ParzenFisher(2.0, lam=1e-3).fit(X, y)
    D = fisher.distances()
    k = 31
    near = np.argsort(D + 1e9 * np.eye(200), axis=1)[:, :k]
    graph = scipy.sparse.csr_matrix(
        (np.take_along_axis(D, near, axis=1).ravel(), near.ravel(), np.arange(0, 200 * k + 1, k)), shape=D.shape
    )
    settings_ = {"metric": "precomputed", "perplexity": 10, "init": X[:, :2], "max_iter": 300, "early_exaggeration": 1}
    dense, sparse = TSNE(**settings_).fit(D), TSNE(**settings_).fit(graph)
    assert_same_map(dense, dense.embedding_, sparse.embedding_)
    searched = TSNE(metric="precomputed", perplexity=10, random_state=0).fit(fisher.knn_distances(n_neighbors=k))
    assert knn_error(searched.embedding_, y) == 0
    with pytest.raises(ValueError, match=r"at least 3 perplexity \+ 1 = 61 neighbours"):
        TSNE(metric="precomputed", perplexity=20).fit(graph)
    with pytest.raises(ValueError, match='"pca" needs all distances'):
        TSNE(metric="precomputed", perplexity=10, init="pca").fit(graph)


def test_tsne_far_outlier_and_progress():
    X, y = blobs(60)
    X = np.vstack([X, [[1e8] * 5]])
    seen = []
    model = TSNE(perplexity=5, max_iter=300, callback=lambda i, cost: seen.append((i, cost))).fit(X)
    assert knn_error(model.embedding_[:-1], y) == 0
    assert [i for i, _ in seen] == [50, 100, 150, 200, 250, 300]
    assert all(np.isfinite(cost) and cost > 0 for _, cost in seen)


def test_a_start_of_its_own_size():
    samples = EmbedInput(blobs(40)[0])
    assert_allclose(starting_map("pca", samples, 2, 0, size=1e-4)[:, 0].std(), 1e-4, rtol=0.02)
    assert_allclose(starting_map("random", samples, 3, 0, size=2.0)[:, 0].std(), 2.0, rtol=0.02)
    equal = starting_map("pca", EmbedInput(np.ones((4, 2))), 2, 0, size=1.0)
    assert 0 < np.abs(equal).max() < 0.05  # so that they can part


@each
@pytest.mark.parametrize("unit", [1e-165, 1e90])
def test_the_unit_of_the_samples_does_not_matter(embedder, unit):
    X, y = blobs()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The graph of")
        Z, other = cloned(embedder).fit_transform(X), cloned(embedder).fit_transform(unit * X)
    if isinstance(embedder, TSNE):  # whose map has a size of its own
        assert knn_error(other, y) == 0
    else:
        assert_same_map(embedder, Z, other / unit)


@pytest.mark.parametrize(
    "embedder", [MDS(criterion="stress"), TSNE(perplexity=5, max_iter=300)], ids=["stress", "tsne"]
)
def test_a_callback_may_print(embedder, capsys):
    X, _ = blobs()
    cloned(embedder, callback=lambda i, cost: print("Iteration 7: error = 1.0", i)).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert lines and all(line.startswith("Iteration 7: error = 1.0") for line in lines)


def test_a_far_sample_costs_the_others_no_digits():
    X, y = blobs()
    far = np.vstack([X, [[1e17] * 5]])
    Z = TSNE(perplexity=5, max_iter=300).fit_transform(far)[:-1]
    assert knn_error(Z, y) == 0
    with pytest.warns(UserWarning, match="small ones are lost in rounding"):
        MDS().fit(far)


def test_sparse_distances_are_held_to_the_rules_of_dense_ones():
    X, _ = blobs()
    graph = knn_graph(X, 20)
    for embedder in (Isomap(metric="precomputed"), TSNE(metric="precomputed", perplexity=5)):
        with pytest.raises(ValueError, match="overflow"):
            cloned(embedder).fit(graph * 1e200)
        wrong = (graph + graph.T).tolil()
        i, j = (int(a[0]) for a in graph.nonzero())
        wrong[i, j] = 3 * wrong[j, i]
        with pytest.raises(ValueError, match="must be symmetric where both directions are stored"):
            cloned(embedder).fit(wrong.tocsr())
    with pytest.raises(ValueError, match="at most 3 for a sparse `X`"):
        TSNE(4, metric="precomputed", perplexity=5).fit(graph)
    diagonal = graph + scipy.sparse.csr_matrix((np.zeros(60), (np.arange(60), np.arange(60))), shape=(60, 60))
    assert TSNE(metric="precomputed", perplexity=5, max_iter=300).fit_transform(diagonal).shape == (60, 2)
    few = TSNE(max_iter=300).fit_transform(X[:12])  # the default perplexity makes room
    assert few.shape == (12, 2)


def test_warnings_name_the_line_of_the_caller():
    X, _ = blobs()
    for call in (lambda: MDS().fit(squareform(pdist(X))), lambda: MDS().fit_transform(squareform(pdist(X)))):
        with pytest.warns(UserWarning, match="looks like") as caught:
            call()
        assert caught[0].filename == __file__
