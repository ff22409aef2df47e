"""SOM and GTM: against plain vector forms written here, answers on paper, invariances,
wrong input.
"""

import numpy as np
import scipy.stats
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import mark, raises, warns
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from test_embed import with_params

from toolkit.embed import GTM, MDS, SOM
from toolkit.quality import knn_error

SMALL = [SOM(grid=(3, 5)), GTM(grid=(5, 6), basis=(3, 3))]
pytestmark = mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)
both_grids = mark.parametrize(
    "estimator", SMALL, ids=lambda e: type(e).__name__
)


# a bent sheet in five dimensions, 120 samples without a tie
rng = default_rng(0)
u, v = rng.uniform(-1, 1, size=(2, 120))
X = (
    np.column_stack([3 * u, 2 * v, u**2 - v, np.sin(2 * u), 0 * u])
    + 0.1 * rng.normal(size=(120, 5))
    + 4
)
X.flags.writeable = False


# the vector forms, word for word
def squares(A, B):
    return cdist(A, B, "sqeuclidean")


def plain_som(X, rows, cols, start, radii):
    """Batch SOM: prototypes as weighted means of vectors, winners by distances averaged
    over the neighbourhood.
    """
    nodes = np.array(
        [(c, r) for r in range(rows) for c in range(cols)], dtype=float
    )
    standard = (start - start.mean(axis=0)) / (4 * start.std(axis=0))
    place = (standard + 0.5) * [cols - 1, rows - 1]
    winners = squares(place, nodes).argmin(axis=1)
    for radius in radii:
        squared = squares(nodes, nodes)
        h = np.exp(-squared / (2 * radius**2))
        P = h / h.sum(axis=1, keepdims=True)
        W = np.array(
            [np.average(X, axis=0, weights=weights) for weights in P[winners].T]
        )
        d2 = squares(X, W)
        winners = (d2 @ P.T).argmin(axis=1)
    return W, d2


def test_som_of_vectors_and_of_distances_is_the_plain_one():
    start = MDS().fit_transform(X)
    largest = np.abs(start).argmax(axis=0)
    start *= np.sign(start[largest, [0, 1]])
    radii = np.append(np.geomspace(3, 0.6, 10), np.full(10, 0.6))
    W, d2 = plain_som(X, 4, 6, start, radii)
    settings = {"grid": (4, 6), "radius": (3, 0.6), "max_iter": 20}
    som = SOM(**settings).fit(X)
    relational = SOM(metric="precomputed", **settings).fit(cdist(X, X))
    w = W.reshape(4, 6, -1)
    right = norm(w[0, 0] - w[0, 1])
    below = norm(w[0, 0] - w[1, 0])
    corner = (right + below) / 2
    for fitted in (som, relational):
        assert 10 < fitted.n_iter_ == som.n_iter_
        assert_allclose(fitted.coefficients_ @ X, W, atol=1e-8)
        assert_array_equal(fitted.winners_, d2.argmin(axis=1))
        assert_allclose(fitted.u_matrix_[0, 0], corner, atol=1e-8)
        assert_allclose(fitted.u_matrix_, som.u_matrix_, atol=1e-8)
        assert_allclose(fitted.embedding_, som.embedding_, atol=1e-8)
    assert_allclose(som.prototypes_, W, atol=1e-8)


def plain_gtm(X, rows, cols, basis, width, ridge, iterations):
    """Bishop, Svensen and Williams, with the start on the principal plane.

    `ridge` is the precision of the prior.
    """
    n, d = X.shape

    def grid(a, b):
        xs = np.linspace(-1, 1, b)
        return np.array([(x, y) for y in np.linspace(-1, 1, a) for x in xs])

    Z = grid(rows, cols)
    centers = grid(basis, basis)
    sigma = width * 2 / (basis - 1)

    def basis_functions(A):
        squared = squares(A, centers)
        gaussians = np.exp(-squared / (2 * sigma**2))
        return np.column_stack([gaussians, np.ones(len(A))])

    Phi = basis_functions(Z)
    between = basis_functions(X[:, :2] / 9)
    mean = X.mean(axis=0)
    _, s, U = np.linalg.svd(X - mean, full_matrices=False)
    scores = (X - mean) @ U[:2].T
    largest = np.abs(scores).argmax(axis=0)
    signs = np.sign(scores[largest, [0, 1]])
    U[:2] *= signs[:, None]
    spread = Z / Z.std(axis=0)
    scale = s[:2] / np.sqrt(n)
    start = U[:2] * scale[:, None]
    W = np.linalg.pinv(Phi) @ spread @ start
    right = spread[1, 0] - spread[0, 0]
    step = np.array([right, spread[cols, 1] - spread[0, 1]])
    step = step * s[:2] / np.sqrt(n)
    R = None
    mean_step = np.mean(step**2) / 4
    beta = 1 / max(s[2] ** 2 / n, mean_step)
    for iteration in range(iterations + 1):
        images = Phi @ W + mean
        d2 = squares(X, images)
        if iteration:
            beta = n * d / np.sum(R * d2)
        p = np.exp(-beta / 2 * d2)
        R = p / p.sum(axis=1, keepdims=True)
        prior = ridge / beta * np.eye(Phi.shape[1])
        weights = np.diag(R.sum(axis=0))
        A = Phi.T @ weights @ Phi + prior
        inverse = np.linalg.inv(A)
        W = inverse @ Phi.T @ R.T @ (X - mean)
    back = between @ np.linalg.pinv(Phi) @ (images - mean) + mean
    return (R, images, beta, Z, back)


def test_gtm_of_vectors_and_of_distances_is_the_plain_one():
    ridge = 0.05 / X.var(axis=0).mean()
    R, images, beta, Z, between = plain_gtm(X, 5, 7, 3, 1.2, ridge, 12)
    normals = [
        scipy.stats.multivariate_normal(y, np.eye(5) / beta) for y in images
    ]
    density = np.mean([normal.pdf(X) for normal in normals], axis=0)
    settings = {
        "width": 1.2,
        "ridge": 0.05,
        "dimension": 5,
        "max_iter": 12,
        "tol": 0,
    }
    gtm = GTM((5, 7), (3, 3), **settings).fit(X)
    relational = with_params(gtm, metric="precomputed").fit(cdist(X, X))
    for fitted in (gtm, relational):
        assert_allclose(fitted.responsibilities_, R, atol=1e-8)
        assert_allclose(fitted.embedding_, R @ Z, atol=1e-8)
        assert_allclose(fitted.beta_, beta, rtol=1e-8)
        assert_allclose(fitted.modes_, Z[R.argmax(axis=1)], atol=1e-12)
        assert_allclose(fitted.coefficients_.sum(axis=1), 1, atol=1e-9)
        assert_allclose(fitted.coefficients_ @ X, images, atol=1e-8)
        assert_allclose(
            fitted.log_likelihood_, np.log(density).sum(), rtol=1e-9
        )
        assert_allclose(fitted.history_, gtm.history_, rtol=1e-9)
    assert_allclose(gtm.prototypes_, images, atol=1e-8)
    assert_allclose(gtm.inverse_transform(X[:, :2] / 9), between, atol=1e-6)
    assert relational.prototypes_ is None


# answers on paper
def test_som_of_two_samples_on_paper():
    """Samples -1 and 1, two nodes, h = exp(-1 / (2 s^2)).

    Each node's mean is (1 - h) / (1 + h) of its own sample.
    """
    som = SOM(grid=(1, 2), radius=(0.8, 0.8)).fit([[1.0], [-1.0]])
    h = np.exp(-1 / (2 * 0.8**2))
    w = (1 - h) / (1 + h)
    order = som.winners_
    assert sorted(order) == [0, 1]
    expected = [w, -w]
    assert_allclose(som.prototypes_[order].ravel(), expected, atol=1e-12)
    assert_allclose(som.u_matrix_, [[2 * w, 2 * w]])
    # Gaussian weights of variance (2 w)^2 / 4 = w^2 at squared distances (1 - w)^2 and
    # (1 + w)^2
    far_samples = 1 / (1 + np.exp(2 / w))
    assert_allclose(
        np.sort(som.embedding_[:, 0]), [far_samples, 1 - far_samples]
    )


def test_som_of_a_line_keeps_its_order():
    t = np.sort(default_rng(1).exponential(size=60))
    X = np.outer(t, [1.0, -2, 0.5])
    som = SOM(grid=(1, 12)).fit(X)
    steps = np.diff(som.embedding_[:, 0])
    assert np.all(steps > 0) or np.all(steps < 0)
    assert np.all(som.embedding_[:, 1] == 0)
    # the default grid of a line is a line
    assert SOM().fit(X).u_matrix_.shape[0] == 1


@mark.parametrize("far, end", [(0, 0.7), (100, 0.7), (1e4, 0.3), (1e6, 0.2)])
def test_som_shows_clusters_beside_a_far_sample(far, end):
    """Two clusters 6 standard deviations apart share no node, have several each, and
    lie apart on the map.
    """
    y = np.arange(41) < 20
    for seed in range(3):
        X = default_rng(seed).normal(size=(41, 4))
        X[y, 0] += 6
        X[40, 1] += far
        som = SOM((6, 6), radius=(3, end)).fit(X)
        first = set(som.winners_[y])
        second = set(som.winners_[~y][:-1])
        assert not first & second and min(len(first), len(second)) >= 3
        assert not far or som.winners_[40] not in first | second
        assert knn_error(som.embedding_[:40], y[:40], 5) < 0.05


def test_a_far_sample_waits_for_the_last_radius():
    """While the radius falls, prototypes are means of the other samples."""
    cluster = default_rng(0).normal(size=(200, 2))
    X = np.vstack([cluster, [[1e6, 0]]])
    costs = SOM((4, 4)).fit(X).history_
    assert min(costs[:40]) > 0.9e12 > costs[-1]


def test_som_finds_a_grid_and_interpolates_on_it():
    """Samples on a grid: prototypes go there, positions between are right to 0.0227.

    With s half a step, sum_k k g(x - k) / sum_k g(x - k) = x - 4 pi s^2 exp(-2 pi^2
    s^2) sin(2 pi x) + ..., 0.0226 at most, along each side.
    """
    cols, rows = np.meshgrid(np.arange(8.0), np.arange(6.0))
    places = np.column_stack([cols.ravel(), rows.ravel()])
    som = SOM(grid=(6, 8), radius=(4, 0.05)).fit(3 * places)
    assert_allclose(som.prototypes_[som.winners_], 3 * places, atol=1e-6)
    assert len(np.unique(som.winners_)) == 48
    assert_allclose(som.u_matrix_, 3)
    correlations = np.corrcoef(som.grid_[som.winners_].T, places.T)
    flips = 2 * (correlations[[0, 1], [2, 3]] > 0) - 1
    middle = np.array([3.5, 2.5])
    inside = default_rng(0).uniform([2, 2], [5, 3], size=(200, 2))
    positions = som.transform(3 * inside)
    error = np.abs((positions - middle) * flips + middle - inside)
    # the nodes beyond the border are missing: 0.0002
    assert 0.02 < error.max() < 0.0229


@mark.parametrize("radius", [0.4, 1.0, 2.0])
def test_som_cost_never_rises_at_a_fixed_radius(radius):
    costs = SOM((4, 5), radius=(radius, radius)).fit(X).history_
    assert len(costs) > 2 and np.all(np.diff(costs) <= 1e-9 * costs[0])


@mark.parametrize("ridge, dimension", [(1e-4, None), (0.1, 5), (10.0, None)])
def test_gtm_likelihood_never_falls(ridge, dimension):
    gtm = GTM((8, 8), ridge=ridge, dimension=dimension, max_iter=60, tol=0).fit(
        X
    )
    assert len(gtm.history_) == gtm.n_iter_ + 1 > 10
    assert np.all(np.diff(gtm.history_) >= -1e-9 * np.abs(gtm.history_).max())


def test_dimension_counts_the_directions():
    X = default_rng(0).normal(size=(40, 5))
    # variances 1 and 1/4
    orthonormal = np.linalg.qr(X - X.mean(axis=0))[0]
    X = orthonormal * [1, 1, 1, 1, 0.5]
    for wide in (X, X @ np.eye(5, 90)):  # also with more features than samples
        expected = 4.25**2 / (4 + 1 / 16)
        assert_allclose(GTM((4, 4)).fit(wide).dimension_, expected)


# behaviour of both


@both_grids
@mark.parametrize("interpolate", [True, False])
def test_new_samples_and_the_way_back(estimator, interpolate):
    if isinstance(estimator, SOM):
        estimator = with_params(estimator, interpolate=interpolate)
    Z = estimator.fit_transform(X)
    assert_allclose(estimator.transform(X), Z, atol=1e-10)
    # a far one changes nothing for the others
    with_far = np.vstack([X, 1e20 * X[:1]])
    assert_allclose(estimator.transform(with_far)[:-1], Z, atol=1e-10)
    assert_allclose(
        estimator.inverse_transform(estimator.grid_),
        estimator.prototypes_,
        atol=1e-9,
    )
    assert norm(estimator.inverse_transform(Z) - X) < 0.75 * np.sqrt(X.size)
    assert np.isfinite(estimator.inverse_transform([[1e99, -1e99]])).all()


def test_som_goes_back_bilinearly():
    som = SOM((3, 4)).fit(X)
    W = som.prototypes_.reshape(3, 4, -1)
    between = W[1:3, 2:4].mean(axis=1)
    mixed = 0.75 * between[0] + 0.25 * between[1]
    expected = [mixed, W[2, 0]]
    assert_allclose(som.inverse_transform([[2.5, 1.25], [-7, 9]]), expected)


@mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_som_stops_where_the_cost_no_longer_falls():
    """Far from all Euclidean distances the winners need not settle.

    Here they go round, and no warning is due.
    """
    rng = default_rng(0)
    som = SOM((4, 5), metric="precomputed")
    for _ in range(4):
        D = np.triu(rng.exponential(size=(60, 60)) ** 2, 1)
        costs = som.fit(D + D.T).history_
        assert len(costs) < 99 and np.all(np.diff(costs[49:])[:-1] < 0)


def test_gtm_of_distances_of_no_euclidean_space():
    """It is the map of the coordinates that their positive eigenvalues give, and the
    likelihood still rises.
    """
    D = default_rng(0).exponential(size=(60, 60))
    D = np.triu(D, 1) + np.triu(D, 1).T
    gtm = GTM((6, 6), ridge=1e-3, metric="precomputed").fit(D)
    assert np.diff(gtm.history_).min() > -1e-9 * np.abs(gtm.history_).max()
    assert_allclose(gtm.transform(D), gtm.embedding_, atol=1e-9)
    C = np.eye(60) - 1 / 60
    scalar_products = -0.5 * C @ D**2 @ C
    values, V = np.linalg.eigh(scalar_products)
    assert values[0] < -0.5
    is_positive = values > 1e-9
    scales = np.sqrt(values[is_positive])
    plain = GTM((6, 6), ridge=1e-3).fit(V[:, is_positive] * scales)
    assert_allclose(np.abs(plain.embedding_), np.abs(gtm.embedding_), atol=1e-6)


def test_numbers_of_nodes():
    # most nodes are far from each winner
    som = SOM((15, 40), radius=(0.5, 0.3), max_iter=10).fit(X[:5])
    assert_allclose(som.coefficients_.sum(axis=1), 1)
    assert SOM().fit(X[:2]).u_matrix_.shape == (1, 2)
    rows, cols = SOM().fit(X).u_matrix_.shape
    assert rows < cols and abs(rows * cols - 5 * np.sqrt(120)) < 8


@both_grids
def test_too_few_iterations_say_so(estimator):
    with warns(
        ConvergenceWarning, match="after `max_iter`=2 iterations; raise it"
    ):
        with_params(estimator, max_iter=2).fit(X)


EXTREMES = [SOM((3, 3), radius=(1e99, end)) for end in (1e-3, 1e99)]
EXTREMES += [GTM((3, 3), dimension=1e-9), GTM((3, 3), width=1e-99)]
EXTREMES += [GTM((3, 3), width=1e99), GTM((3, 3), ridge=1e-99)]


@mark.parametrize("estimator", EXTREMES, ids=repr)
def test_extreme_parameters_have_an_answer(estimator):
    assert np.isfinite(estimator.fit_transform(X)).all()
    assert np.isfinite(estimator.prototypes_).all()


def test_wrong_new_samples_and_positions():
    relational = SOM((3, 5), metric="precomputed").fit(cdist(X, X))
    with raises(ValueError, match="not negative"):
        relational.transform(-cdist(X, X))
    with raises(
        ValueError, match='needs vectors.*Fit vectors with metric="euclidean"'
    ):
        relational.inverse_transform([[0.0, 0.0]])
    with raises(
        ValueError, match=r"`Z` must have shape \(m, 2\); got shape \(1, 3\)"
    ):
        SOM((3, 5)).fit(X).inverse_transform([[0.0, 0.0, 0.0]])
