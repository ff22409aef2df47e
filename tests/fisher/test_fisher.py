"""Fisher metrics against derivatives, quadrature and loops; invariances, errors."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from literal import (
    bhattacharyya_bound,
    curved_target,
    gradient,
    relative,
    squared,
)
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, fixture, mark, raises
from scipy.stats import ortho_group, spearmanr
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from toolkit import claims
from toolkit.core.scaling import perplexity_widths
from toolkit.datasets import make_two_modes
from toolkit.embed import MDS
from toolkit.fisher import (
    GPFisher,
    KernelFisher,
    ModelFisher,
    ParzenFisher,
    overfitting_check,
)
from toolkit.fisher.paths import (
    graph_distances,
    min_plus_product,
    pair_distances,
)
from toolkit.fisher.softmax_models import stratified_centers
from toolkit.lvq import RSLVQ


@fixture(scope="module")
def three():
    """Forty samples of three overlapping classes in 3-D, in mixed order."""
    rng = default_rng(0)
    y = rng.permutation(np.arange(40) % 3)
    centres = np.array([[0, 0, 0], [1.5, 0, 0], [0, 1.5, 1]])
    X = rng.normal(size=(40, 3)) + centres[y]
    X.flags.writeable = y.flags.writeable = False
    return X, y


def literal_matrix(probabilities, x):
    """(2.14) by numerical derivatives of ln p."""
    gradients = gradient(lambda z: np.log(probabilities(z)), x)  # (c, d)
    return np.einsum("c,ci,cj->ij", probabilities(x), gradients, gradients)


def literal_parzen(X, y, sigma):
    def probabilities(x):
        squared = np.sum((x - X) ** 2, axis=1)
        weights = np.exp(-squared / (2 * sigma**2))
        sums = np.array([weights[y == c].sum() for c in np.unique(y)])
        return sums / weights.sum()

    return probabilities


def one_by_one(model):
    return lambda x: model.predict_proba(x[None])[0]


def literal_line(matrix, a, b, T):
    """(2.18) in both directions, averaged."""
    total = 0.0
    for start, end in ((a, b), (b, a)):
        u = (end - start) / T
        total += sum(np.sqrt(u @ matrix(start + t * u) @ u) for t in range(T))
    return total / 2


# ---------------------------------------------------------------- Parzen
@mark.parametrize(
    "metric",
    [
        ParzenFisher(0.8),
        ParzenFisher(0.8, 0.3),
        ModelFisher(RSLVQ(2, sigma2=0.8, max_iter=3, random_state=0), 0.1),
        ModelFisher(LogisticRegression(), 0.1),
        ModelFisher(LinearDiscriminantAnalysis(), 0.1),
    ],
    ids=repr,
)
@mark.parametrize("n_classes", [2, 3])
# prototypes of few samples run away, and probabilities underflow
@mark.filterwarnings("ignore:`max_iter`")
def test_matrices_are_the_definition(three, metric, n_classes):
    X, y = three
    y = np.minimum(y, n_classes - 1)
    fisher = clone(metric).fit(X, y)
    p = literal_parzen(X, y, 0.8)
    if isinstance(metric, ModelFisher):
        p = one_by_one(fisher.model_)
    points = np.vstack([X[:5], [[3.0, -2.0, 1.0]]])
    assert_allclose(
        fisher.predict_proba(points), [p(x) for x in points], atol=1e-14
    )
    for x, J in zip(points, fisher.matrix(points), strict=True):
        assert_allclose(
            J, literal_matrix(p, x) + metric.lam * np.eye(3), atol=1e-8
        )


def test_parzen_matrix_is_the_limit_of_a_divergence(check_claim):
    iris = load_iris()
    toy = make_two_modes(120, random_state=0)
    claims.start(seed=0)
    closed = 0.0
    limit = 0.0
    for X, y, sigma in (
        (iris.data, iris.target, 0.5),
        (toy.data, toy.target, 0.5),
    ):
        fisher = ParzenFisher(sigma).fit(X, y)

        p_of = one_by_one(fisher)
        rng = default_rng(0)
        between = np.argsort(fisher.predict_proba(X).max(axis=1))[:10]
        for x in X[between]:
            p = p_of(x)
            G = gradient(lambda z, p_of=p_of: np.log(p_of(z)), x)
            J = fisher.matrix(x[None])[0]
            information = (G * p[:, None]).T @ G
            closed = max(closed, relative(J, information))
            v = rng.normal(size=len(x))
            v /= norm(v)
            e = 1e-4
            ends = [np.log(p_of(x + s * e * v)) for s in (1, -1)]
            # the mean over both directions: the term of third order drops out
            divergence = np.mean([p @ (np.log(p) - end) for end in ends])
            of_matrix = v @ J @ v / 2
            limit = max(limit, abs(divergence / e**2 / of_matrix - 1))
    check_claim(
        "FI-19", [closed, limit], note="steps of 1e-4 to both sides of v"
    )
    assert closed < 1e-8 and limit < 1e-3


def test_two_classes_have_rank_one(check_claim, three):
    toy = make_two_modes(120, random_state=0)
    claims.start(seed=0)
    for X, y, sigma in (
        (three[0], three[1] == 1, 0.7),
        (toy.data, toy.target, 0.4),
    ):
        fisher = ParzenFisher(sigma).fit(X, y)
        x = X[::6]
        J = fisher.matrix(x)
        values = np.linalg.eigvalsh(J)
        p = fisher.predict_proba(x)[:, 0]

        slopes = np.array([gradient(one_by_one(fisher), v)[0] for v in x])
        products = slopes[:, :, None] * slopes[:, None]
        expected = products / (p * (1 - p))[:, None, None]
        ratios = np.abs(values[:, :-1]) / values[:, -1:]
        rank = float(np.max(ratios))
        errors = [rank, relative(J, expected)]
        assert errors[0] < 1e-12 and errors[1] < 1e-8
    correlation = spearmanr(np.sqrt(values[:, 1]), norm(slopes, axis=1))[0]
    note = (
        "rank correlation of the largest eigenvalue with |grad p|^2:"
        f" {correlation:.2f}. Largest where p changes, with one reserve: it is |grad"
        " p|^2 / (p (1 - p)), which also grows where p is near 0 or 1"
    )
    check_claim("FI-03", errors, note=note)


METRICS = [
    ParzenFisher(0.9),
    ParzenFisher(0.25),
    ParzenFisher(0.5, 0.2),
    GPFisher(0.3, 0.05),
    GPFisher(0.3, 0.05, lam=0.2),
    ModelFisher(LogisticRegression(), 0.1),
]


@mark.parametrize("T", [1, 3, 4, 9])
@mark.parametrize("metric", METRICS, ids=repr)
def test_lines_against_a_loop(three, metric, T):
    """Of the matrices, which other tests compare with derivatives."""
    X, y = three
    metric = clone(metric).fit(X, y)

    def matrix(x):
        return metric.matrix(x[None])[0]

    truth = [[literal_line(matrix, a, b, T) for b in X[:4]] for a in X[::16]]
    D = metric.distances(n_segments=T)
    assert_allclose(D[::16, :4], truth, rtol=1e-9, atol=1e-9)
    assert_array_equal(D, D.T)
    to_others = metric.distances(X[::16], X[:4] + 0.0, n_segments=T)
    assert_allclose(to_others, truth, rtol=1e-9, atol=1e-9)
    if T == 1:
        assert_allclose(metric.distances(path="local"), D, atol=1e-12)


def test_lines_where_weights_underflow(three):
    """Distant clusters and a narrow window: products of weights underflow."""
    X, y = three
    far_samples = np.vstack([X, X + [300.0, 0, 0], [[0, 0, 5e3]]])
    labels = np.concatenate([y, (y + 1) % 3, [0]])
    fisher = ParzenFisher(0.4).fit(far_samples, labels)
    D = fisher.distances(n_segments=3)
    assert np.all(np.isfinite(D)) and np.all(D >= 0)
    i, j = np.array([[0, 45], [3, 70], [10, 80], [80, 50]]).T
    pairs = pair_distances(
        fisher._logits(far_samples), fisher._components, i, j, n_segments=3
    )
    assert_allclose(D[i, j], pairs, rtol=1e-8)
    for samples in (far_samples, [[1e6, 0, 0]]):
        assert np.all(np.isfinite(fisher.matrix(samples)))


def breaks(D):
    """Largest excess of a side over a way round it."""
    return max(float(np.max(D - (D[:, [k]] + D[k]))) for k in range(len(D)))


def test_of_the_lengths_the_graph_alone_is_a_pseudometric(check_claim):
    toy = make_two_modes(120, random_state=0)
    X = toy.data
    claims.start(seed=0)
    fisher = ParzenFisher(0.3).fit(X, toy.target)
    T = 4

    def one_way(i, j):
        u = (X[j] - X[i]) / T
        points = X[i] + np.arange(T)[:, None] * u
        J = fisher.matrix(points)
        return np.sum(np.sqrt(u @ J @ u))

    pairs = itertools.combinations(range(0, 120, 8), 2)
    asymmetry = max(
        abs(one_way(i, j) - one_way(j, i)) / one_way(i, j) for i, j in pairs
    )
    line = fisher.distances()
    lengths = fisher.distances(path="local"), line, graph_distances(line)
    local, along, graph = excess = [breaks(D) for D in lengths]
    ok = asymmetry > 1e-3 and min(local, along) > 1e-6 and graph <= 1e-12
    note = (
        "largest relative asymmetry of (2.18); largest excess of a side over a way"
        " round it: (2.17) with the matrices of both ends averaged, (2.18) averaged,"
        " graph"
    )
    check_claim("FI-29", [float(asymmetry), *excess], ok, note=note)
    assert ok


def test_graph_distances_of_new_samples(three):
    X, y = three
    fisher = ParzenFisher(0.4).fit(X, y)
    line = fisher.distances()
    graph = fisher.distances(path="graph")
    assert np.any(graph < 0.95 * line)
    to_some = fisher.distances(X, X[:5] * 1.0, path="graph")
    assert_allclose(to_some, graph[:, :5], atol=1e-12)
    new = X[:6] + 0.05
    inside = fisher.distances(new, path="graph")
    assert np.all(inside <= fisher.distances(new) + 1e-12)
    assert_array_equal(inside, inside.T)
    to_old = fisher.distances(new, X, path="graph")
    assert np.all(to_old <= to_old[:, [4]] + graph[4] + 1e-12)


def test_shortest_paths_on_paper():
    # length 0 is no missing edge
    assert_array_equal(graph_distances(np.zeros((3, 3))), 0)
    D = np.array([[0.0, 1, 9], [1, 0, 1], [9, 1, 0]])
    assert graph_distances(D)[0].tolist() == [0, 1, 2]
    left = np.array([[1.0, 5.0]])
    product = min_plus_product(left, np.array([[4.0], [1.0]]))
    assert product.tolist() == [[5.0]]


def test_invariance_of_the_parzen_metric(three):
    """Rotation, shift and unit (with the window), names of classes."""
    X, y = three
    D = ParzenFisher(0.6).fit(X, y).distances()
    Q = ortho_group.rvs(3, random_state=1)
    labels = np.array(["b", "c", "a"])[y]
    moved = ParzenFisher(6.0).fit(10 * X @ Q + 1e3, labels)
    assert_allclose(moved.distances(), D, atol=1e-9)


def test_bandwidths(three):
    X, y = three
    sigma = ParzenFisher(perplexity=8).fit(X, y).bandwidth_
    assert sigma == approx(
        perplexity_widths(squared(X), 8, np.arange(40)).mean()
    )
    assert ParzenFisher(perplexity=8).fit(7 * X + 3, y).bandwidth_ == approx(
        7 * sigma
    )
    # A perplexity above a third of the centres is lowered to that.
    assert ParzenFisher(perplexity=500).fit(X, y).bandwidth_ == approx(
        perplexity_widths(squared(X), len(X) / 3, np.arange(len(X))).mean()
    )
    with raises(ValueError, match="`perplexity` must be above 1; got 0.9"):
        ParzenFisher(perplexity=0.9).fit(X, y)
    with raises(ValueError, match="needs more than 3 centres.*; got 3"):
        ParzenFisher(n_centers=3).fit(X, y)


# ---------------------------------------------------------------- kernel
def test_kernel_is_the_vector_version(check_claim, three):
    rng = default_rng(0)
    claims.start(seed=0)
    largest_error = 0.0
    for n, d, c in ((60, 3, 2), (80, 12, 4), (40, 60, 3)):
        X = rng.normal(size=(n, d))
        y = np.arange(n) % c
        vectors = ParzenFisher(1.5).fit(X, y).distances()
        kernel = KernelFisher(1.5).fit(X @ X.T, y).distances()
        largest_error = max(largest_error, relative(kernel, vectors))
    check_claim("FI-07", largest_error)
    assert largest_error < 1e-9
    X, y = three
    for options in ({"lam": 0.4}, {"n_centers": 20}, {"bandwidth": None}):
        vector = ParzenFisher(
            **{"bandwidth": 0.7, "random_state": 3} | options
        ).fit(X, y)
        S = (X - 5) @ (X - 5).T
        both = KernelFisher(**vector.get_params()).fit(S, y), vector
        for way in ({}, {"path": "graph"}, {"n_segments": 7}):
            assert_allclose(*(m.distances(**way) for m in both), atol=1e-9)
        near = [m.knn_distances(n_neighbors=5).toarray() for m in both]
        assert_allclose(*near, atol=1e-9)
    new = X[:6] + 0.3
    vector = ParzenFisher(0.7).fit(X, y)
    kernel = KernelFisher(0.7).fit(X @ X.T, y)
    assert kernel.negative_fraction_ < 1e-12
    P = kernel.predict_proba(new @ X.T)
    assert_allclose(P, vector.predict_proba(new), atol=1e-9)
    D = kernel.distances(new @ X.T, X @ X.T)
    assert_allclose(D, vector.distances(new, X), atol=1e-8)


def test_a_sample_at_the_origin_is_no_sign_of_distances(three):
    X, y = three
    is_not_first = np.arange(len(X)) > 0
    A = np.abs(X) * is_not_first[:, None]
    KernelFisher(0.7).fit(A @ A.T, y)
    with raises(
        ValueError, match="`X` must hold similarities, but is 0 from each"
    ):
        KernelFisher(0.7).fit(norm(A[:, None] - A, axis=-1), y)


def test_kernel_matrix_measures_combinations(three):
    """c^T matrix c is the squared length of u = sum_l c_l x_l."""
    X, y = three
    c = default_rng(0).normal(size=40)
    u = c @ X
    for lam in (0.0, 0.5):
        J = ParzenFisher(0.7, lam).fit(X, y).matrix(X[:3])
        similarities = (X @ X.T)[:3]
        K = KernelFisher(0.7, lam).fit(X @ X.T, y).matrix(similarities)
        assert_allclose(c @ K @ c, u @ J @ u, rtol=1e-8)


@mark.parametrize("indefinite, lam", [("clip", 0), ("none", 0), ("none", 0.5)])
def test_indefinite_similarities(three, indefinite, lam):
    """Lengths of all pairs or of neighbours; with `lam` new rows are refused."""
    X, y = three
    noise = default_rng(0).normal(size=(40, 40))
    ridge = (6 if lam else 0) * np.eye(40)
    S = X @ X.T + 0.5 * (noise + noise.T) + ridge
    fisher = KernelFisher(1.5, lam, indefinite=indefinite).fit(S, y)
    D = fisher.distances()
    assert np.all(np.isfinite(D)) and np.all(D >= 0) and np.all(np.diag(D) == 0)
    graph = fisher.knn_distances(n_neighbors=5).tocoo()
    assert_allclose(graph.data, D[graph.row, graph.col], atol=1e-12)
    scaled = KernelFisher(1e3, indefinite=indefinite).fit(1e6 * S, y)
    assert_allclose(scaled.negative_fraction_, fisher.negative_fraction_)
    minimum = np.linalg.eigvalsh(fisher.similarities_).min()
    assert (minimum > -1e-10) == (indefinite != "none")
    if lam:
        for call in (
            fisher.distances,
            lambda rows: fisher.knn_distances(rows, 2),
        ):
            with raises(
                ValueError, match="needs the similarity of each sample to"
            ):
                call(S[:5] + 0.1)
    else:
        assert fisher.negative_fraction_ > 0.1
        is_other = ~np.eye(40, dtype=bool)
        assert_allclose(fisher.distances(S, S * 1.0)[is_other], D[is_other])


# ---------------------------------------------------------------- models
def test_other_models_give_their_labels(three):
    X, y = three
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    unfitted = ModelFisher(clone(tree)).fit(X, y)
    fisher = ModelFisher(tree.fit(X, y)).fit(X)
    assert fisher.model_ is tree
    D = ParzenFisher().fit(X, tree.predict(X)).distances()
    assert_array_equal(fisher.distances(), D)
    assert_array_equal(unfitted.distances(), D)


# ---------------------------------------------------------------- Gaussian process
@fixture(scope="module")
def process():
    X, y = curved_target()
    return X, y, GPFisher(beta=0.3, noise=0.05).fit(X, y)


def test_gp_matrix_by_quadrature(check_claim, process):
    """(2.35) with the density (2.36), by differences and quadrature over y."""
    X, _, gp = process
    claims.start(seed=0)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    largest_error = 0.0
    slip = 0.0
    for x in X[:8] + 0.3:

        def density(v):
            return np.array([a[0] for a in gp.predictive_density(v[None])])

        mean, variance = density(x)
        targets = mean + np.sqrt(variance) * nodes

        def log_density(v, targets=targets):
            m, s2 = density(v)
            squared = (targets - m) ** 2
            return -0.5 * np.log(2 * np.pi * s2) - squared / (2 * s2)

        G = gradient(log_density, x)
        J = (G * weights[:, None]).T @ G
        found = gp.matrix(x[None])[0]
        largest_error = max(largest_error, relative(found, J))
        assert np.linalg.matrix_rank(found, tol=1e-10 * np.abs(J).max()) <= 2
        # (2.37) has the second term with the wrong sign, which the square of an odd and
        # an even part hides in (2.40)
        m, s2 = gradient(density, x)
        first = np.outer(nodes / np.sqrt(variance), m)
        second = np.outer((nodes**2 - 1) / (2 * variance), s2)
        assert relative(first + second, G) < 1e-6
        slip = max(slip, relative(first - second, G))
    note = (
        f"the score (2.37) has a wrong sign before t2 (off by up to {slip:.1f} of the"
        " largest entry); (A.21) has the right one, and (2.40) is right because mixed"
        " terms have mean zero"
    )
    check_claim("FI-17", largest_error, note=note)
    assert largest_error < 1e-8


def test_gp_predicts(process):
    X, y, gp = process
    kernel = RBF(np.sqrt(1 / 0.6), "fixed") + WhiteKernel(0.05, "fixed")
    other = GaussianProcessRegressor(kernel).fit(X, (y - y.mean()) / y.std())
    mean, sd = other.predict(X[:5] + 0.1, return_std=True)
    assert_allclose(
        gp.predictive_density(X[:5] + 0.1), (mean, sd**2), atol=1e-10
    )


def test_gp_of_two_samples_on_paper():
    """Targets -+1, k = e^-1: (K + I / 2) alpha = y has alpha = -+ 1 / (1.5 - e^-1)."""
    gp = GPFisher(beta=1.0, noise=0.5).fit([[0.0], [1.0]], [3.0, 7.0])
    expected = np.array([-1, 1]) / (1.5 - np.exp(-1))
    assert_allclose(gp.alpha_, expected)


def test_gp_hyperparameters_have_the_largest_likelihood(process):
    """-y^T M y / 2 - ln det(K + s2 I) / 2 is smaller at other widths and noise."""
    X, y, _ = process
    D2 = squared(X)
    y = (y - y.mean()) / y.std()

    def likelihood(beta, noise):
        kernel = np.exp(-beta * D2)
        C = kernel + noise * np.eye(len(X))
        log_determinant = np.linalg.slogdet(C)[1]
        return -0.5 * y @ np.linalg.solve(C, y) - 0.5 * log_determinant

    gp = GPFisher().fit(X, y)
    best = likelihood(gp.beta_, gp.noise_)
    for factor in (0.8, 1.25):
        assert likelihood(factor * gp.beta_, gp.noise_) < best
        assert likelihood(gp.beta_, factor * gp.noise_) < best


def test_narrow_kernels_are_centred_at_the_mean_of_the_samples():
    """1e-10 is many lengths of this kernel, but not too many, wherever samples lie."""
    X = np.array([[1.0], [1 + 1e-10], [1 + 3e-10]])
    gp = GPFisher(beta=1e205, noise=0.5).fit(X, [0, 1, 3])
    expected = np.array([-4, -1, 5]) / np.sqrt(14) / 1.5
    assert_allclose(gp.alpha_, expected)


# ---------------------------------------------------------------- neighbours
def nearest_lengths(D, k):
    infinite = np.diag(np.full(len(D), np.inf))
    return np.sort(D + infinite, axis=1)[:, :k]


def test_bhattacharyya_bound_is_below_every_path(three):
    """Great circles are shorter than lines, and than shortest paths over samples."""
    X, y = three
    fisher = ParzenFisher(0.5).fit(X, y)
    i, j = np.triu_indices(40, 1)
    bound = bhattacharyya_bound(fisher.predict_proba(X), i, j)
    line = fisher.distances(n_segments=300)[i, j]
    assert np.all(line >= bound - 1e-3) and np.median(line / bound) < 2
    assert np.all(
        fisher.distances(path="graph", n_segments=300)[i, j] >= bound - 1e-3
    )


@fixture(
    scope="module",
    params=[
        (metric, lam)
        for metric in (ParzenFisher, KernelFisher)
        for lam in (0.0, 0.05, 50.0)
    ],
)
def all_lengths(request):
    """A metric of 300 samples with a `lam`, and the lengths between all of them."""
    metric, lam = request.param
    rng = default_rng(0)
    y = np.arange(300) % 4
    noise = rng.normal(size=(300, 5))
    X = noise + 3 * rng.normal(size=(4, 5))[y]
    fisher = metric(lam=lam, n_jobs=2)
    fisher.fit(X if metric is ParzenFisher else X @ X.T, y)
    return fisher, fisher.distances(n_segments=8)


@mark.parametrize("cost", [64, 0])
def test_neighbours_without_all_distances(all_lengths, cost, monkeypatch):
    """Those of the full matrix: by products, pair by pair."""
    limits = {"TILE_ROWS": 32, "PAIR_COST": cost, "BOUND_FACTOR": 0.5}
    for name, value in limits.items():
        monkeypatch.setattr(f"toolkit.fisher.neighbors.{name}", value)
    fisher, D = all_lengths
    graph = fisher.knn_distances(n_neighbors=10, n_segments=8)
    assert graph.nnz == 3000 and np.all(np.diff(graph.indptr) == 10)
    coo = graph.tocoo()
    assert_allclose(coo.data, D[coo.row, coo.col], atol=1e-12)
    lengths = np.sort(graph.data.reshape(300, 10))
    assert_allclose(lengths, nearest_lengths(D, 10), atol=1e-12)
    assert fisher.knn_fraction_ < 1 if cost == 0 else fisher.knn_fraction_ == 1


def test_neighbours_of_samples_that_are_certain():
    """All bounds within a class are nearly 0; duplicates are at distance 0."""
    centers = np.repeat([[0, 0], [9, 0]], 30, axis=0)
    X = np.repeat(default_rng(0).normal(size=(60, 2)) + centers, 2, axis=0)
    fisher = ParzenFisher(0.3).fit(X, np.repeat([0, 1], 60))
    D = fisher.distances()
    graph = fisher.knn_distances(n_neighbors=4)
    lengths = np.sort(graph.data.reshape(120, 4))
    assert_allclose(lengths, nearest_lengths(D, 4), atol=1e-12)
    assert graph[0, 1] < 1e-60 and 1 in graph[0].indices


def test_neighbours_that_few_segments_bring_near(monkeypatch):
    """Lengths below the bound, which would be missed."""
    for name, value in {"TILE_ROWS": 32, "PAIR_COST": 1}.items():
        monkeypatch.setattr(f"toolkit.fisher.neighbors.{name}", value)
    X, y = load_breast_cancer(return_X_y=True)
    fisher = ParzenFisher().fit(X, y)
    found = fisher.knn_distances().data.reshape(-1, 15)
    nearest = nearest_lengths(fisher.distances(), 15)
    assert_allclose(np.sort(found), nearest, atol=1e-12)


# ---------------------------------------------------------------- wrong and hard input
def test_samples_far_off_in_an_irrelevant_feature(three):
    X, y = three
    fisher = ParzenFisher(0.7).fit(np.column_stack([X, np.zeros(40)]), y)
    near_samples = np.column_stack([X[:9], np.full(9, 0.0)])
    off = np.column_stack([X[:9], np.full(9, 1e8)])
    assert_allclose(
        fisher.predict_proba(off),
        fisher.predict_proba(near_samples),
        atol=1e-12,
    )
    assert_allclose(
        fisher.distances(off), fisher.distances(near_samples), atol=1e-11
    )


def test_names_of_features_reach_the_model(three):
    X, y = three
    frame = pd.DataFrame(X, columns=list("abc"))
    model = LogisticRegression().fit(frame, y)
    P = ModelFisher(model).fit(frame).predict_proba(frame)
    assert_allclose(P, model.predict_proba(frame))
    stump = DecisionTreeClassifier(min_samples_leaf=40)
    cannot = "`model` cannot predict `X`: The feature names should match"
    for wrong, samples, message in (
        (model, frame[["c", "b", "a"]], cannot),
        (GPFisher(), X, "`model` must be a classifier"),
        (stump, X, "`model` gives all of `X` one class"),
    ):
        with raises(ValueError, match=message):
            ModelFisher(wrong).fit(samples, y)


def test_units_of_the_target_and_outliers_of_the_process(process):
    X, y, _ = process
    D = GPFisher().fit(X, y).distances()
    for unit in (1e160, 1e-170):
        scaled = GPFisher().fit(X, unit * y)
        assert_allclose(scaled.distances(), D, rtol=1e-6, atol=1e-6)
    far_samples = X.copy()
    far_samples[0] = 1e6
    assert np.median(
        GPFisher().fit(far_samples, y).distances()[1:, 1:]
    ) > 0.3 * np.median(D)


def test_units_of_the_samples_of_the_process(process):
    """Lengths are the same in any unit, matrices and beta_ are in its square."""
    X, y, _ = process
    plain = GPFisher().fit(X, y)
    D = plain.distances()
    euclid = np.sqrt(squared(X))
    model = GPFisher(beta=0.3).fit(X, y)
    for unit in (1e-90, 1e90):
        gp = GPFisher().fit(unit * X, y)
        assert_allclose(gp.distances(), D, rtol=1e-4)
        assert gp.beta_ * unit * unit == approx(plain.beta_, rel=1e-4)
        scaled = GPFisher(beta=0.3 / unit / unit, lam=0.2).fit(unit * X, y)
        assert scaled.noise_ == approx(model.noise_, rel=1e-4)
        of_scaled = model.matrix(X[:3]) / unit / unit
        J = of_scaled + 0.2 * np.eye(3)
        scaled_matrix = scaled.matrix(unit * X[:3])
        assert_allclose(scaled_matrix, J, rtol=1e-3, atol=1e-9 / unit**2)
    with raises(ValueError, match="`X` must .* Rescale it"):
        GPFisher().fit(1e-160 * X, y)
    with raises(
        ValueError, match="`X_new` must be within 1e.100 lengths of the"
    ):
        GPFisher().fit(1e-90 * X, y).distances(1e-90 * X, X * 1e90)
    for beta in (5e-324, 1e150):
        gp = GPFisher(beta, lam=1.0).fit(X, y)
        assert_allclose(gp.distances(), euclid, rtol=1e-6)


@settings(max_examples=examples(40), deadline=None)
@given(
    hnp.arrays(
        float,
        st.tuples(st.integers(4, 10), st.integers(1, 4)),
        elements=st.floats(-1e4, 1e4, width=32),
    ),
    st.sampled_from([1e-3, 0.1, 10.0, 1e5]),
)
def test_hostile_samples(X, sigma):
    try:
        D = ParzenFisher(sigma).fit(X, np.arange(len(X)) % 2).distances()
    except ValueError as error:
        assert "`bandwidth` must be between" in str(error)
    else:
        assert np.all(np.isfinite(D)) and np.all(D >= 0)
        assert_array_equal(D, D.T)


def test_overfitting_shows_in_permuted_labels_and_in_held_out_ones():
    """A narrow window overfits random labels; held-out samples show it."""
    rng = default_rng(0)
    X = rng.normal(size=(90, 6))
    y = np.arange(90) % 3
    narrow = overfitting_check(
        ParzenFisher(0.4), X, y, n_permutations=4, random_state=0, n_jobs=2
    )
    wide = overfitting_check(
        ParzenFisher(4.0), X, y, n_permutations=4, random_state=0, n_jobs=2
    )
    # chance is 2/3
    assert narrow.in_sample < 0.2 and narrow.permuted.max() < 0.2
    assert narrow.held_out.mean() > 0.5
    assert (
        narrow.unsupervised.mean() > 0.5
        and narrow.unsupervised.tolist() == wide.unsupervised.tolist()
    )
    assert wide.permuted.mean() > 0.4


def test_overfitting_of_similarities_targets_and_maps():
    rng = default_rng(1)
    X = rng.normal(size=(60, 4))
    y = np.arange(60) % 2
    X[:, 0] += 6 * y
    check = partial(overfitting_check, n_permutations=2, random_state=0)
    vectors = check(ParzenFisher(1.0), X, y)
    kernel = check(KernelFisher(1.0), pd.DataFrame(X @ X.T), y)
    for score in ("held_out", "permuted", "unsupervised"):
        assert_allclose(kernel[score], vectors[score])
    target = X[:, 0] + 0.1 * rng.normal(size=60)
    gp = check(GPFisher(0.05, 0.1), X, target, MDS(metric="precomputed"))
    assert gp.score == "5-nearest-neighbour nRMSE"
    assert gp.held_out.mean() < 0.5 < gp.permuted.min()
    with raises(
        ValueError, match='`embedder` must .* with metric="precomputed"'
    ):
        overfitting_check(ParzenFisher(1.0), X, y, MDS())


@mark.parametrize(
    ("sizes", "n_centers", "counts"),
    [
        ([10] * 10, 19, [2] * 9 + [1]),
        ([98, 1, 1], 4, [2, 1, 1]),
        # of 25.5, 24.99 and .51 the last is served first
        ([50, 49, 1], 51, [25, 25, 1]),
        ([1, 1, 48], 0.5, [1, 1, 23]),
    ],
)
def test_centres_are_in_proportion(sizes, n_centers, counts):
    codes = default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    chosen = stratified_centers(codes, n_centers, 0)
    assert np.bincount(codes[chosen]).tolist() == counts
    assert len(set(chosen)) == len(chosen)


PARZEN = ParzenFisher()


@mark.parametrize(
    ("metric", "options", "message"),
    [
        (
            "a",
            {},
            "`metric` must be a Fisher metric such as ParzenFisher.*; got 'a'",
        ),
        (PARZEN, {"y": None}, "`y` is missing"),
        (
            KernelFisher(),
            {},
            r"`X` must give a square matrix .*; got shape \(40, 3\)",
        ),
        (
            PARZEN,
            {"y": np.arange(39) % 2},
            "must have the same number .* 40 and 39",
        ),
        (
            PARZEN,
            {"n_neighbors": 40},
            "`n_neighbors` must be .* between 1 and 3",
        ),
        (
            GPFisher(),
            {"y": np.arange(40.0), "n_splits": 40},
            "`n_splits` must be .* between 2 and 20",
        ),
    ],
)
def test_wrong_input_of_the_check_is_named_before_any_fit(
    three, monkeypatch, metric, options, message
):
    for kind in (ParzenFisher, GPFisher, KernelFisher):
        monkeypatch.setattr(kind, "fit", None)
    with raises(ValueError, match=message):
        overfitting_check(metric, **{"X": three[0], "y": three[1]} | options)


def test_check_of_frames(three):
    """Names of features reach the metric."""
    X, y = three
    names = []

    class Recorder(ParzenFisher):
        def fit(self, X, y):
            names.append(list(X.columns))
            return super().fit(X, y)

    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(40)[::-1])
    overfitting_check(Recorder(), frame, y, n_permutations=1, n_splits=2)
    assert names == [["a", "b", "c"]] * 4
