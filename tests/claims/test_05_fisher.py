"""Claims of the thesis, chapter 2, that would clutter the lesson: identities, theory, cost."""

import itertools
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_digits, load_iris

from toolkit import claims
from toolkit.core.graphs import squared_distances
from toolkit.datasets import load, make_two_modes
from toolkit.embed import TSNE
from toolkit.fisher import GPFisher, KernelFisher, KernelGPFisher, ParzenFisher
from toolkit.fisher.density import Components
from toolkit.fisher.paths import graph_distances, line_distances
from toolkit.kernelmap import KernelMap
from toolkit.quality import knn_error, q_nx, r_nx

from .draws import cores


@pytest.fixture
def toy():
    claims.start(seed=0)
    bunch = make_two_modes(120, random_state=0)
    return bunch.data, bunch.target


def log_probabilities(fisher):
    return lambda x: np.log(fisher.predict_proba(x[None])[0])


def gradient(function, x, h=1e-3):
    """Central differences of fourth order, rows: outputs."""
    steps = h * np.eye(len(x))
    return np.array(
        [
            (8 * (function(x + s) - function(x - s)) - function(x + 2 * s) + function(x - 2 * s)) / (12 * h)
            for s in steps
        ]
    ).T


def relative(A, B):
    return float(np.abs(A - B).max() / np.abs(B).max())


def test_fi_01_kernel_map_by_least_squares(check_claim):
    X = load_digits().data
    Z = np.random.default_rng(0).normal(size=(len(X), 2))
    claims.start(seed=0)
    fitted = KernelMap(n_centers=300, random_state=0).fit(X, Z)
    C = X[fitted.centers_]
    between = np.sqrt(squared_distances(C, C))
    width = fitted.bandwidth_ * np.median(np.sort(between, axis=1)[:, 1])
    E = -0.5 * squared_distances(X, C) / width**2
    K = np.exp(E - E.max(axis=1, keepdims=True))
    K /= K.sum(axis=1, keepdims=True)
    A = np.linalg.lstsq(K, Z, rcond=1e-8)[0]
    check_claim(
        "FI-01",
        relative(fitted.coefficients_, A),
        note="1,797 samples, 300 centres; with samples in rows it is K^+ Z, the transpose of (2.8)",
    )


def test_fi_03_two_classes_have_rank_one(check_claim, toy):
    X, y = toy
    fisher = ParzenFisher(0.4).fit(X, y)
    x = X[::6]
    J = fisher.matrix(x)
    values = np.linalg.eigvalsh(J)
    p = fisher.predict_proba(x)[:, 0]
    slopes = np.array([gradient(lambda v: fisher.predict_proba(v[None])[0], v)[0] for v in x])
    expected = slopes[:, :, None] * slopes[:, None] / (p * (1 - p))[:, None, None]
    speed = np.sqrt(values[:, 1])
    check_claim(
        "FI-03",
        [float(np.max(np.abs(values[:, 0]) / values[:, 1])), relative(J, expected)],
        note="rank correlation of the largest eigenvalue with |grad p|^2: "
        f"{spearmanr(speed, np.linalg.norm(slopes, axis=1))[0]:.2f}. Largest where p changes, with one reserve: "
        "it is |grad p|^2 / (p (1 - p)), which also grows where p is near 0 or 1",
    )


def test_fi_04_graph_below_line(check_claim):
    claims.start(seed=list(range(5)))
    ratios, worst = [], []
    for seed in range(5):
        toy = make_two_modes(200, random_state=seed)
        fisher = ParzenFisher(0.4).fit(toy.data, toy.target)
        line, graph = fisher.distances(), fisher.distances(path="graph")
        off = np.triu_indices(200, 1)
        worst.append(np.max(graph[off] - line[off]))
        ratios.append(np.median(graph[off] / line[off]))
    check_claim(
        "FI-04",
        float(np.mean(ratios)),
        max(worst) <= 0,
        spread=float(np.std(ratios)),
        note="median over pairs of graph over line; the printed pair has .973",
    )


def test_fi_07_similarities_alone(check_claim):
    rng = np.random.default_rng(0)
    claims.start(seed=0)
    worst = 0.0
    for n, d, c in ((60, 3, 2), (80, 12, 4), (40, 60, 3)):
        X, y = rng.normal(size=(n, d)), np.arange(n) % c
        vectors = ParzenFisher(1.5).fit(X, y).distances()
        worst = max(worst, relative(KernelFisher(1.5).fit(X @ X.T, y).distances(), vectors))
    check_claim("FI-07", worst)


def process(noise=0.05):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] ** 2
    return X, y, GPFisher(beta=0.3, noise=noise).fit(X, y)


def test_fi_17_closed_form_of_the_process(check_claim):
    X, _, gp = process()
    claims.start(seed=0)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    worst, slip = 0.0, 0.0
    for x in X[:8] + 0.3:
        mean, variance = (a[0] for a in gp.predictive_density(x[None]))
        targets = mean + np.sqrt(variance) * nodes

        def log_density(v, targets=targets):
            m, s2 = (a[0] for a in gp.predictive_density(v[None]))
            return -0.5 * np.log(2 * np.pi * s2) - (targets - m) ** 2 / (2 * s2)

        G = gradient(log_density, x)
        J = (G * weights[:, None]).T @ G
        worst = max(worst, relative(gp.matrix(x[None])[0], J))
        # (2.37) has the second term with the wrong sign, which the square of an odd and an even part hides in (2.40)
        m, s2 = (gradient(lambda v, i=i: gp.predictive_density(v[None])[i], x)[0] for i in (0, 1))
        u = nodes / np.sqrt(variance)
        right = u[:, None] * m + ((nodes**2 - 1) / (2 * variance))[:, None] * s2
        wrong = u[:, None] * m - ((nodes**2 - 1) / (2 * variance))[:, None] * s2
        assert relative(right, G) < 1e-6
        slip = max(slip, relative(wrong, G))
    check_claim(
        "FI-17",
        worst,
        note=f"the score (2.37) has a wrong sign before t2 (off by up to {slip:.1f} of the largest entry); (A.21) has "
        "the right one, and (2.40) is right because mixed terms have mean zero",
    )


def test_fi_19_closed_form_and_divergence(check_claim):
    iris = load_iris()
    toy = make_two_modes(120, random_state=0)
    claims.start(seed=0)
    closed, limit = 0.0, 0.0
    for X, y, sigma in ((iris.data, iris.target, 0.5), (toy.data, toy.target, 0.5)):
        fisher = ParzenFisher(sigma).fit(X, y)
        rng = np.random.default_rng(0)
        between = np.argsort(fisher.predict_proba(X).max(axis=1))[:10]
        for x in X[between]:
            p = fisher.predict_proba(x[None])[0]
            G = gradient(log_probabilities(fisher), x)
            J = fisher.matrix(x[None])[0]
            closed = max(closed, relative(J, (G * p[:, None]).T @ G))
            v = rng.normal(size=len(x))
            v /= np.linalg.norm(v)
            e = 1e-4
            ends = [log_probabilities(fisher)(x + s * e * v) for s in (1, -1)]
            # the mean over both directions: the term of third order drops out
            divergence = np.mean([p @ (np.log(p) - end) for end in ends])
            limit = max(limit, abs(divergence / e**2 / (v @ J @ v / 2) - 1))
    check_claim("FI-19", [closed, limit], note="steps of 1e-4 to both sides of v")


def test_fi_20_random_maps(check_claim):
    rng = np.random.default_rng(0)
    claims.start(seed=0)
    n = 40
    X = rng.normal(size=(n, 5))
    maps = [rng.normal(size=(n, 2)) for _ in range(50)]
    Q = np.array([q_nx(X, Z) for Z in maps])[:, :-1]
    k = np.arange(1, n - 1)
    errors = np.abs(Q.mean(axis=0) - k / (n - 1)) / (Q.std(axis=0, ddof=1) / np.sqrt(50))
    R = np.array([r_nx(X, Z) for Z in maps])
    assert R.shape == (50, n - 2) and np.isfinite(R).all()
    check_claim("FI-20", float(errors.max()), errors.max() <= 3, note="largest deviation in standard errors")


def clipped(S):
    values, V = np.linalg.eigh(S)
    return (V * np.maximum(values, 0)) @ V.T, float(-values[values < 0].sum() / np.abs(values).sum())


def as_distances(S):
    squared = np.diag(S)[:, None] + np.diag(S) - 2 * S
    return squared.min(), np.sqrt(np.maximum(squared, 0)) * (1 - np.eye(len(S)))


def tied_error(D, y):
    """1-NN error where each of the nearest samples is as likely to be taken, and how many rows have several."""
    D = D + np.diag(np.full(len(D), np.inf))
    near = D <= D.min(axis=1, keepdims=True) * (1 + 1e-12)
    wrong = np.sum(near & (y[:, None] != y), axis=1) / near.sum(axis=1)
    return float(wrong.mean()), int(np.sum(near.sum(axis=1) > 1))


def test_fi_23_original_similarities(check_claim):
    clip, plain, share, ties = [], [], [], []
    for name in ("aural_sonar", "voting"):
        bunch = load(name)
        S, negative = clipped(bunch.data)
        for errors, matrix in ((clip, S), (plain, bunch.data)):
            D = as_distances(matrix)[1]
            errors.append(knn_error(D, bunch.target, metric="precomputed"))
            ties.append(tied_error(D, bunch.target))
        share.append(negative)
    text = "; ".join(f"{error:.3f} ({rows} rows)" for error, rows in ties)
    check_claim(
        "FI-23",
        clip + plain + share,
        note="tied neighbours in the order of the rows. With each as likely (rows with ties): Aural Sonar clipped, "
        f"plain; Voting clipped, plain: {text}",
    )


def test_fi_27_rank_of_the_regression_metric(check_claim):
    claims.start(seed=0)
    second, rank = [], 0
    for noise in (1e-1, 1e-2, 1e-3, 1e-4):
        X, _, gp = process(noise)
        values = np.linalg.eigvalsh(gp.matrix(X))
        second.append(float(np.median(values[:, -2] / values[:, -1])))
        rank = max(rank, int(np.sum(values > 1e-9 * values[:, -1:], axis=1).max()))
    rng = np.random.default_rng(1)
    noise_only = GPFisher(beta=0.3, noise=1.0).fit(X, rng.normal(size=40))
    values = np.linalg.eigvalsh(noise_only.matrix(X))
    random = float(np.median(values[:, -2] / values[:, -1]))
    check_claim(
        "FI-27",
        second,
        second[-1] < 1e-3 and rank <= 2,
        note=f"noise 1e-1 to 1e-4; a random target: {random:.2f}. Never more than rank {rank} in three dimensions: the "
        "mean and the variance of the process each bring one direction, so full rank is out of reach for (2.40)",
    )


class Counted(np.ndarray):
    """An array that counts the multiplications and additions of what is done with it."""

    total = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(a) for a in inputs]
        if out is not None:
            kwargs["out"] = tuple(np.asarray(a) for a in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        inner = plain[0].shape[-1] if ufunc is np.matmul else 1
        Counted.total += inner * max(
            np.size(result), *(a.size for a in plain if ufunc is not np.matmul or a is None), 1
        )
        return result.view(Counted) if isinstance(result, np.ndarray) and out is None else result


def line_operations(n, n_centers):
    Z = np.random.default_rng(0).normal(size=(n, n_centers)).view(Counted)
    Counted.total = 0
    line_distances(Z, Components(np.arange(n_centers) * 4 // n_centers), n_segments=4)
    return Counted.total


def graph_operations(n):
    """The loop of Floyd and Warshall, whose compiled form is in use."""
    D = np.ones((n, n)).view(Counted)
    Counted.total = 0
    for k in range(n):
        D = np.minimum(D, D[:, [k]] + D[k])
    return Counted.total


def exponent(count, sizes):
    return float(np.polyfit(np.log(sizes), np.log([count(n) for n in sizes]), 1)[0])


def test_fi_28_cost(check_claim):
    claims.start(seed=0)
    graph = exponent(graph_operations, [100, 200, 400])
    few = exponent(lambda n: line_operations(n, 200), [500, 1000, 2000, 4000])
    all_of_them = exponent(lambda n: line_operations(n, n), [250, 500, 1000, 2000])
    check_claim(
        "FI-28",
        [graph, few],
        graph <= 3.2 and few <= 2.2,
        note="exponents of the number of operations, counted: all shortest paths, then straight lines with 200 "
        f"kernels. With as many kernels as samples it is {all_of_them:.2f}: each point of a line sees all kernels, so "
        "that the straight line costs O(N^3 T) too. Times are in the benchmarks",
    )


def breaks(D):
    """Largest excess of a side over a way round it."""
    return max(float(np.max(D - (D[:, [k]] + D[k]))) for k in range(len(D)))


def test_fi_29_which_lengths_are_pseudometrics(check_claim, toy):
    X, y = toy
    fisher = ParzenFisher(0.3).fit(X, y)
    T = 4

    def one_way(i, j):
        u = (X[j] - X[i]) / T
        return sum(np.sqrt(u @ fisher.matrix((X[i] + t * u)[None])[0] @ u) for t in range(T))

    pairs = list(itertools.combinations(range(0, 120, 8), 2))
    asymmetry = max(abs(one_way(i, j) - one_way(j, i)) / one_way(i, j) for i, j in pairs)
    local, line = fisher.distances(path="local"), fisher.distances()
    excess = [breaks(local), breaks(line), breaks(graph_distances(line))]
    check_claim(
        "FI-29",
        [float(asymmetry), *excess],
        asymmetry > 1e-3 and excess[0] > 1e-6 and excess[1] > 1e-6 and excess[2] <= 1e-12,
        note="largest relative asymmetry of (2.18); largest excess of a side over a way round it: (2.17) with the "
        "matrices of both ends averaged, (2.18) averaged, graph",
    )


def test_fi_18_beyond_the_thesis(check_claim, scale):
    """Similarities with real-valued targets always; 60,000 samples, minutes of work, at paper scale."""
    X, y, gp = process()
    gap = relative(KernelGPFisher(beta=0.3, noise=0.05).fit(X @ X.T, y).distances(), gp.distances())
    assert gap < 1e-9
    if scale != "paper":
        pytest.skip("60,000 samples take minutes; TOOLKIT_SCALE=paper runs them")
    digits_like = runpy.run_path(Path(__file__).parents[2] / "benchmarks" / "bench_large.py")["digits_like"]
    X, y = digits_like(60_000)
    fisher = ParzenFisher(n_centers=300, n_jobs=cores(), random_state=0).fit(X, y)
    graph = fisher.knn_distances(n_neighbors=91)
    rows = np.arange(0, 60_000, 600)
    exact = np.sort(fisher.distances(X[rows], X), axis=1)[:, 1:92]
    found = np.sort(graph[rows].data.reshape(len(rows), 91), axis=1)
    recall = float(np.mean(found <= exact * (1 + 1e-9) + 1e-12))
    model = TSNE(metric="precomputed", max_iter=500, n_jobs=2, init=1e-4 * X[:, :2]).fit(graph)
    few = np.random.default_rng(0).permutation(len(y))[:5000]
    claims.start(seed=0, scale=scale)
    check_claim(
        "FI-18",
        [float(gap), recall, knn_error(model.embedding_[few], y[few])],
        bool(gap < 1e-9 and np.isfinite(model.embedding_).all() and recall > 0.99),
        note="largest relative difference of similarities to vectors; share of 91 true neighbours found (100 rows); "
        f"1-NN error of the map after 500 iterations. {fisher.knn_share_:.1%} of the pairs were measured; 30 features, "
        "ten classes of three modes",
    )
