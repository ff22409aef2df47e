"""Claims of Biehl2012 that would clutter the lesson: identities, theory, repetitions."""

import warnings

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler

from toolkit import claims
from toolkit.datasets import load, make_enclosed_class
from toolkit.discriminant import FDA
from toolkit.discriminant.scatter import class_scatters
from toolkit.lvq import GMLVQ, ClasswiseGMLVQ, final_gradient_matrix, rank_one_limit, stationary_matrix
from toolkit.lvq.cost import glvq_cost, gradient_matrix, penalty
from toolkit.lvq.training import TrainingSet
from toolkit.quality import knn_error

from .draws import over

SEEDS = list(range(10))


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def state(iris):
    """Samples, prototypes and a matrix somewhere on the way."""
    rng = np.random.default_rng(0)
    samples = TrainingSet.of(*iris)
    return samples, rng.normal(size=(6, 4)), np.repeat(np.arange(3), 2), rng.normal(size=(4, 4)).T


def central_differences(function, x, h=1e-6):
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(function(x + s) - function(x - s)) / (2 * h) for s in steps]).reshape(x.shape)


def relative(A, B):
    return float(np.linalg.norm(A - B) / np.linalg.norm(B))


def iris_errors(model, iris):
    """Prototype error, plane error."""
    with warnings.catch_warnings(action="ignore"):  # stochastic runs may end above their start
        model.fit(*iris)
    return [1 - model.score(*iris), knn_error(model.transform(iris[0]), iris[1])]


def test_gm_04_plane_of_iris(check_claim, iris):
    claims.start(seed=0)

    def errors(**options):
        starts = [GMLVQ(omega_init="random", random_state=seed, **options) for seed in SEEDS]
        return np.array([iris_errors(model, iris) for model in starts])

    runs, (principal, plane) = errors(), iris_errors(GMLVQ(), iris)
    weak, sgd, calm = (
        np.median(errors(**options), axis=0)
        for options in ({"mu": 0.01}, {"solver": "sgd"}, {"solver": "sgd", "eta_w": 0.025})
    )
    check_claim(
        "GM-04",
        np.median(runs, axis=0).tolist(),
        spread=runs.std(axis=0).tolist(),
        note="L-BFGS from 10 random starts. At its end Lambda has rank one and the second direction is left by the "
        f"start; from principal directions the two errors are {principal:.4f} and {plane:.4f}, after 100 epochs of "
        f"stochastic descent {sgd[0]:.4f} and {sgd[1]:.4f}, with a tenth of the printed rate for prototypes "
        f"{calm[0]:.4f} and {calm[1]:.4f}, at mu = .01 {weak[0]:.4f} and {weak[1]:.4f}",
    )


def test_gm_11_rank_one(check_claim, iris):
    worst, first = [], []
    for seed in SEEDS:
        model = GMLVQ(omega_init="random", random_state=seed, tol=1e-9, max_iter=5000).fit(*iris)
        v = rank_one_limit(final_gradient_matrix(model))
        worst.append(np.sqrt(model.components_[0] @ v @ model.components_[0]))
        first.append(model.eigenvalues_[0])
    claims.start(seed=SEEDS)
    check_claim("GM-11", [min(worst), min(first)], note="least of ten random starts")


def test_gm_13_strong_penalty(check_claim, iris):
    gap = [np.abs(GMLVQ(mu=mu).fit(*iris).lambda_ - np.eye(4) / 4).max() for mu in (1, 10, 100)]
    check_claim("GM-13", gap[-1], note=f"mu = 100; mu = 1 and 10: {gap[0]:.3f}, {gap[1]:.4f}")


def printed_matrix(samples, W, w_codes, Omega):
    """(18) word for word: d_J beside x_J, d_K beside x_K, no factor."""
    G = np.zeros((4, 4))
    for x, c in zip(samples.inside(samples.X), samples.codes, strict=True):
        d = np.sum(((x - W) @ Omega.T) ** 2, axis=1)
        J, K = np.where(w_codes == c, d, np.inf).argmin(), np.where(w_codes == c, np.inf, d).argmin()
        G += d[J] / (d[J] + d[K]) ** 2 * np.outer(x - W[J], x - W[J])
        G -= d[K] / (d[J] + d[K]) ** 2 * np.outer(x - W[K], x - W[K])
    return G / len(samples.X)


def test_gm_14_matrix_of_the_gradient(check_claim, state, iris):
    samples, W, w_codes, Omega = state
    numeric = central_differences(lambda A: glvq_cost(samples, W, w_codes, A[None]).value, Omega)
    error = relative(Omega @ gradient_matrix(samples, W, w_codes, Omega), numeric)
    wrong = relative(Omega @ printed_matrix(samples, W, w_codes, Omega), numeric)
    fitted = GMLVQ(tol=1e-9, max_iter=5000).fit(*iris)
    at_end = printed_matrix(samples, samples.inside(fitted.prototypes_), np.arange(3), fitted.omega_)
    cosine = np.sqrt(fitted.components_[0] @ rank_one_limit(at_end) @ fitted.components_[0])
    check_claim(
        "GM-14",
        error,
        note=f"(18) as printed has d_m and d_n interchanged and no factor 4: its G Omega is off by {wrong:.2f} of the "
        f"gradient's length, and the eigenvector of its smallest eigenvalue has |cos| {cosine:.2f} with u1 at the end",
    )


def test_gm_15_degenerate_smallest_eigenvalue(check_claim, iris):
    """Literal training: one feature doubled, with the direction in which nothing varies left in."""
    X, y = np.column_stack([iris[0], iris[0][:, 2]]), iris[1]
    samples = TrainingSet(X, y, np.full(3, 1 / 150), X.mean(axis=0), 1.0, None)
    means = np.array([samples.inside(X)[y == c].mean(axis=0) for c in range(3)])
    outside, split = [], []
    for seed in SEEDS:
        model = GMLVQ(omega_init="random", tol=1e-9, max_iter=5000)
        model.classes_, model._w_codes = np.arange(3), np.arange(3)
        model.__dict__.update(model._checked(samples))
        model._descend(samples, means, np.random.RandomState(seed))
        rho, V = np.linalg.eigh(final_gradient_matrix(model))
        assert abs(rho[1] - rho[0]) < 1e-6
        inside = V[:, :2].T @ model.lambda_ @ V[:, :2]
        outside.append(1 - np.trace(inside))
        null = np.array([0, 0, 1, 0, -1]) / np.sqrt(2)
        split.append(null @ model.lambda_ @ null)
    claims.start(seed=SEEDS)
    check_claim(
        "GM-15",
        [max(outside), float(np.std(split))],
        ok=bool(max(outside) <= 1e-3 and np.std(split) > 1e-2),
        note="largest part outside, standard deviation of the part on the direction between the twin features, "
        f"{min(split):.2f} to {max(split):.2f}. The estimators leave such directions out, so that twins share evenly",
    )


def test_gm_16_rank(check_claim, iris):
    landsat = load("landsat")
    sets = {"iris": iris, "landsat": (StandardScaler().fit_transform(landsat.data.astype(float)), landsat.target)}
    counts, ok = {}, True
    for name, (X, y) in sets.items():
        for M in (1, 2, 3):
            counts[name, M] = [
                int(np.sum(GMLVQ(rank=M, mu=mu, tol=1e-5).fit(X, y).eigenvalues_ > 1e-3)) for mu in (0.01, 0)
            ]
            ok &= counts[name, M][0] == M and (M == 1 or counts[name, M][1] < M)
    check_claim(
        "GM-16",
        [n for pair in counts.values() for n in pair],
        ok=ok,
        note="eigenvalues above 1e-3 at mu = .01 and at 0, M = 1, 2, 3, iris then landsat, one prototype a class; the "
        "penalty keeps rank M everywhere, without it a single direction is left on iris, while the six classes of "
        "landsat need two or three anyway",
    )


def test_gm_17_orthogonal_factor(check_claim, state, iris):
    samples, W, w_codes, Omega = state
    Q = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
    values, U = np.linalg.eigh(Omega.T @ Omega)
    X, worst = samples.inside(samples.X), 0.0

    def distances(A):
        return (((X[:, None] - W) @ A.T) ** 2).sum(axis=2)

    for other in (Q.T @ Omega, (U * np.sqrt(values)).T):
        worst = max(worst, relative(distances(other), distances(Omega)))
        a, b = (glvq_cost(samples, W, w_codes, A[None]) for A in (other, Omega))
        worst = max(worst, abs(a.value / b.value - 1))
        assert np.array_equal(distances(other).argmin(axis=1), distances(Omega).argmin(axis=1))
    check_claim("GM-17", worst)


def test_gm_18_derivatives(check_claim):
    rng, worst = np.random.default_rng(0), 0.0
    for M in (5, 2):
        samples = TrainingSet.of(rng.normal(size=(60, 5)), np.arange(60) % 3)
        W, w_codes, Omega = rng.normal(size=(6, 5)), np.repeat(np.arange(3), 2), rng.normal(size=(5, M)).T
        cost = glvq_cost(samples, W, w_codes, Omega[None])
        by_W = central_differences(lambda V, s=samples, c=w_codes, A=Omega: glvq_cost(s, V, c, A[None]).value, W)
        by_A = central_differences(lambda A, s=samples, c=w_codes, V=W: glvq_cost(s, V, c, A[None]).value, Omega)
        by_penalty = central_differences(lambda A: penalty(A, 0.1)[0], Omega)
        worst = max(
            worst,
            relative(cost.grad_W, by_W),
            relative(cost.grad_omegas[0], by_A),
            relative(penalty(Omega, 0.1)[1], by_penalty),
        )
    check_claim("GM-18", worst)


def test_gm_19_discriminant_analysis(check_claim, iris):
    landsat, worst = load("landsat"), 0.0
    for X, y in (iris, (StandardScaler().fit_transform(landsat.data.astype(float)), landsat.target)):
        codes = np.unique(y, return_inverse=True)[1]
        C_b, C_w = class_scatters(X, codes)
        C = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
        n_c = codes.max() + 1
        s = np.linalg.svd(C_b, compute_uv=False)
        fitted = FDA(2, ridge=0.0).fit(X, y)
        T = fitted.components_.T
        worst = max(
            worst,
            relative(C_w + C_b, C),
            s[n_c] / s[0] if len(s) > n_c else 0.0,
            s[n_c - 1] / s[0],
            relative(np.linalg.solve(C_w, C_b @ T), T * fitted.eigenvalues_),
        )
    check_claim("GM-19", worst, note="(15) prints a sum over s in the mean of class s, which has none")


def landsat_errors(job):
    """Prototype error, plane error, eigenvalues; of all rows, or of the test part after training on the rest."""
    (k, mu, solver, part), seed = job
    bunch = load("landsat")
    X, y, test = bunch.data.astype(float), bunch.target, np.asarray(bunch.is_test, dtype=bool)
    options = {"max_iter": 10} if solver == "sgd" else {}
    model = GMLVQ(k, mu=mu, omega_init="random", random_state=seed, solver=solver, **options)
    if part == "all":
        X = StandardScaler().fit_transform(X)
        model.fit(X, y)
        return [1 - model.score(X, y), knn_error(model.transform(X), y), model.eigenvalues_]
    scaler = StandardScaler().fit(X[~test])
    X, X_new, y, y_new = scaler.transform(X[~test]), scaler.transform(X[test]), y[~test], y[test]
    model.fit(X, y)
    plane = knn_error(model.transform(X), y, Z_new=model.transform(X_new), y_new=y_new)
    return [1 - model.score(X_new, y_new), plane, model.eigenvalues_]


@pytest.fixture(scope="module")
def landsat_runs():
    """Results by (prototypes a class, mu, solver, part) over the seeds."""
    load("landsat")  # skipped here, and not in a worker, if it is not at hand
    settings = [(k, mu, "lbfgs", part) for k, mu in ((1, 0), (3, 0), (3, 0.01), (3, 0.1)) for part in ("all", "test")]
    jobs = [(setting, seed) for setting in settings for seed in SEEDS]
    jobs += [((k, mu, "sgd", "all"), seed) for k, mu in ((1, 0), (3, 0.01), (3, 0.1)) for seed in SEEDS[:3]]
    results = over(landsat_errors, jobs)
    runs = {}
    for (setting, _), result in zip(jobs, results, strict=True):
        runs.setdefault(setting, []).append(result)
    return runs


def medians(runs, *setting):
    return np.median([r[:2] for r in runs[setting]], axis=0)


@pytest.mark.xdist_group("landsat_runs")
@pytest.mark.parametrize(("id", "k"), [("GM-08", 1), ("GM-09", 3)])
def test_gm_08_gm_09_landsat(check_claim, landsat_runs, id, k):
    claims.start(seed=SEEDS)
    runs = np.array([r[:2] for r in landsat_runs[k, 0, "lbfgs", "all"]])
    held_out = medians(landsat_runs, k, 0, "lbfgs", "test").round(3).tolist()
    note = "ten random starts, L-BFGS to a largest gradient entry of 1e-4; official test part after training on the "
    note += f"rest: {held_out}"
    if k == 1:
        sgd = medians(landsat_runs, 1, 0, "sgd", "all").round(3).tolist()
        note += f". Stochastic descent at the rates of iris has {sgd} after 10 epochs (three seeds): with start, "
        note += "solver and stopping the plane error goes from .19 to .34; the notebook draws it against the training "
        note += "step"
    check_claim(id, np.median(runs, axis=0).tolist(), spread=runs.std(axis=0).tolist(), note=note)


@pytest.mark.xdist_group("landsat_runs")
def test_gm_10_penalty_on_landsat(check_claim, landsat_runs):
    claims.start(seed=SEEDS)
    weak, strong = (medians(landsat_runs, 3, mu, "lbfgs", "all") for mu in (0.01, 0.1))
    sgd = [medians(landsat_runs, 3, mu, "sgd", "all").round(3).tolist() for mu in (0.01, 0.1)]
    held_out = [medians(landsat_runs, 3, mu, "lbfgs", "test").round(3).tolist() for mu in (0.01, 0.1)]
    value = [weak[0], strong[0], weak[1], strong[1]]
    close = np.abs(np.subtract(value, [0.148, 0.152, 0.202, 0.233])) <= 0.015
    spread = np.std(
        [
            [w[0], s[0], w[1], s[1]]
            for w, s in zip(*(landsat_runs[3, m, "lbfgs", "all"] for m in (0.01, 0.1)), strict=True)
        ],
        axis=0,
    )
    check_claim(
        "GM-10",
        value,
        ok=bool(close.all() and strong[1] >= weak[1]),
        spread=spread.tolist(),
        note="prototype errors at mu = .01, .1, plane errors at .01, .1; medians of ten random starts, L-BFGS to a "
        "largest gradient entry of 1e-4, penalty on the mean cost. At both mu the spectrum is nearly flat, so that the "
        "two leading directions matter little. Stochastic descent (10 epochs at the rates of iris, three seeds), "
        f"prototype and plane error: {sgd[0]}, {sgd[1]}; official test part: {held_out[0]}, {held_out[1]}",
    )


@pytest.mark.xdist_group("landsat_runs")
def test_gm_20_spectrum_on_landsat(check_claim, landsat_runs):
    claims.start(seed=SEEDS[:5])
    spectra = [np.median([r[2] for r in landsat_runs[3, mu, "lbfgs", "all"][:5]], axis=0) for mu in (0, 0.01, 0.1)]
    first, last = [s[0] for s in spectra], [s[-1] for s in spectra]
    share = [s[:2].sum() for s in spectra]
    check_claim(
        "GM-20",
        [*first, *last],
        ok=bool(last[1] > 1e-5 and last[2] > last[1] > last[0] and first[0] > first[1] > first[2]),
        note="first and smallest eigenvalue at mu = 0, .01, .1; share of the first two "
        + ", ".join(f"{s:.3f}" for s in share),
    )


@pytest.mark.xdist_group("landsat_runs")
def test_gm_21_orders_on_landsat(check_claim, landsat_runs):
    claims.start(seed=SEEDS)
    bunch = load("landsat")
    X, y, test = bunch.data.astype(float), bunch.target, np.asarray(bunch.is_test, dtype=bool)
    ok, values, note = True, [], []
    for part in ("all", "test"):
        rows = np.ones(len(X), dtype=bool) if part == "all" else ~test
        scaler = StandardScaler().fit(X[rows])
        Z = scaler.transform(X)
        planes = []
        for method in (PCA(2).fit(Z[rows]), LinearDiscriminantAnalysis(n_components=2).fit(Z[rows], y[rows])):
            new = {} if part == "all" else {"Z_new": method.transform(Z[test]), "y_new": y[test]}
            planes.append(knn_error(method.transform(Z[rows]), y[rows], **new))
        one, three, weak, strong = (
            medians(landsat_runs, k, mu, "lbfgs", part) for k, mu in ((1, 0), (3, 0), (3, 0.01), (3, 0.1))
        )
        over_mu = np.ptp([three[0], weak[0], strong[0]])
        orders = {
            "PCA beats LDA": planes[0] < planes[1],
            "three beat one": three[1] < one[1],
            "prototypes below plane": all(m[0] < m[1] for m in (one, three, weak, strong)),
            "mu matters little": over_mu <= 0.015,
        }
        ok &= all(orders.values())
        values += [*planes, one[1], three[1], over_mu]
        failed = [name for name, holds in orders.items() if not holds]
        note.append(f"{part}: " + ("all four hold" if not failed else "not: " + ", ".join(failed)))
    check_claim(
        "GM-21",
        values,
        ok=bool(ok),
        note="plane errors of PCA, LDA, one and three prototypes, range of the prototype error over mu = 0, .01, .1; "
        "all rows, then official test part. " + "; ".join(note),
    )


def test_gm_22_robust_toy(check_claim):
    claims.start(seed=list(range(20)))
    base = np.array([[0, 0, -5], [0, 0, 5], [0.4, 0, 0.8]])
    errors, to_x, to_y, kmeans = [], [], [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        centers, spread = base * rng.uniform(0.8, 1.2, (3, 3)), [0.5, 10, 0.5] * rng.uniform(0.7, 1.4, 3)
        bunch = make_enclosed_class(centers=centers, spread=spread, random_state=seed)
        X, y = bunch.data, bunch.target
        for start, into in (("means", errors), ("kmeans", kmeans)):
            model = GMLVQ({0: 2, 1: 1}, n_components=1, prototype_init=start, random_state=seed).fit(X, y)
            into.append(knn_error(model.transform(X), y))
        lda, pca = FDA(1).fit(X, y).components_.T, PCA(1).fit(X).components_.T
        to_x.append(np.degrees(subspace_angles(lda, np.eye(3)[:, :1])[0]))
        to_y.append(np.degrees(subspace_angles(pca, np.eye(3)[:, 1:2])[0]))
    good = int(np.sum(np.array(errors) <= 0.05))
    check_claim(
        "GM-22",
        [good, max(to_x), max(to_y)],
        ok=bool(good >= 18 and 0 < min(to_x) and max(to_x) < 15 and max(to_y) < 10),
        note="variants of twenty in which one direction separates; largest angles of LDA from x and PCA from y in "
        "degrees. The rest end in a poorer minimum; started from k-means within the classes "
        f"{int(np.sum(np.array(kmeans) <= 0.05))} separate",
    )


def test_gm_23_no_normalisation(check_claim, iris):
    rng, frozen = np.random.default_rng(0), []
    for rho in (-0.5, 0.5):
        Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        G, Omega = Q @ np.diag([rho, 1, 2, 3]) @ Q.T, rng.normal(size=(4, 4))
        for _ in range(2000):
            Omega = Omega - 0.02 * G @ Omega
        frozen.append(np.linalg.norm(Omega))
    rho, worst = [], 0.0
    model = GMLVQ(tol=1e-9, max_iter=5000).fit(*iris)
    rho = np.linalg.eigvalsh(final_gradient_matrix(model))[0]
    for mu in (0.01, 0.1, 1):
        model = GMLVQ(mu=mu, tol=1e-9, max_iter=5000).fit(*iris)
        predicted = np.linalg.eigvalsh(stationary_matrix(final_gradient_matrix(model), mu))[::-1]
        worst = max(worst, np.abs(predicted / model.eigenvalues_ - 1).max())
    check_claim(
        "GM-23",
        [abs(rho), worst],
        ok=bool(frozen[0] > 1e6 and frozen[1] < 1e-6 and abs(rho) <= 1e-4 and worst <= 0.01),
        note="|rho_1| at the end without penalty; largest relative error of mu / (rho_i + N mu). With a frozen G the "
        "iteration does diverge or vanish; the true G follows Omega and tr(Lambda G) = 0 keeps its length stationary",
    )


def test_gm_25_against_lda(check_claim):
    claims.start(seed=list(range(20)))
    errors = {}
    for kind in ("round", "multimodal"):
        for seed in range(20):
            rng = np.random.default_rng(seed)
            if kind == "round":  # three unit Gaussians, means 5 apart
                centers, clusters = 5 / np.sqrt(2) * np.eye(3, 5), 1
            else:  # three classes of two unit Gaussians each, means anywhere
                centers, clusters = 2 * rng.normal(size=(6, 5)), 2
            parts = []
            for n in (300, 3000):
                cluster = np.arange(n) % len(centers)
                parts += [centers[cluster] + rng.normal(size=(n, 5)), cluster // clusters]
            X, y, X_new, y_new = parts
            models = LinearDiscriminantAnalysis().fit(X, y), GMLVQ().fit(X, y)
            errors.setdefault(kind, []).append([1 - m.score(X_new, y_new) for m in models])
    flat, rough = np.array(errors["round"]), np.array(errors["multimodal"])
    gap, wins = abs(flat.mean(axis=0) @ [1, -1]), int(np.sum(rough[:, 1] < rough[:, 0]))
    check_claim(
        "GM-25",
        [*flat.mean(axis=0), *rough.mean(axis=0)],
        ok=bool(gap <= 0.01 and wins >= 15),
        spread=[*flat.std(axis=0), *rough.std(axis=0)],
        note="held-out error of LDA and GMLVQ on round, then on overlapping classes of two clusters; "
        f"GMLVQ lower in {wins} of 20",
    )


def classwise_errors(k, seed):
    bunch = load("landsat")
    test = np.asarray(bunch.is_test, dtype=bool)
    scaler = StandardScaler().fit(bunch.data[~test].astype(float))
    X, X_new = (scaler.transform(bunch.data[~test].astype(float)), scaler.transform(bunch.data[test].astype(float)))
    errors = []
    for model in (
        GMLVQ(k, rank=2, omega_init="random", random_state=seed),
        ClasswiseGMLVQ(k, rank=2, omega_init="random", random_state=seed, max_iter=300),
    ):
        with warnings.catch_warnings(
            action="ignore"
        ):  # 300 iterations, after which the cost changes in the third digit
            model.fit(X, bunch.target[~test])
        new = {"Z_new": model.transform(X_new), "y_new": bunch.target[test]}
        errors += [
            1 - model.score(X_new, bunch.target[test]),
            knn_error(model.transform(X), bunch.target[~test], **new),
        ]
    return errors


def test_gm_27_classwise_matrices(check_claim):
    load("landsat")
    claims.start(seed=SEEDS)
    jobs = [(k, seed) for k in (1, 3) for seed in SEEDS]
    results = np.array(over(lambda job: classwise_errors(*job), jobs)).reshape(2, len(SEEDS), 4)
    ok, values, notes = True, [], []
    for k, runs in zip((1, 3), results, strict=True):
        gain = runs[:, 0] - runs[:, 2]
        error = gain.std(ddof=1) / np.sqrt(len(SEEDS))
        ok &= gain.mean() > 2 * error
        values += [runs[:, 0].mean(), runs[:, 2].mean()]
        notes.append(
            f"{k} a class: gain {gain.mean():.4f}, standard error {error:.4f}; 1-NN in the plane "
            f"{runs[:, 1].mean():.3f} and {runs[:, 3].mean():.3f}"
        )
    check_claim(
        "GM-27",
        values,
        ok=bool(ok),
        note="test error of one matrix and of class-wise matrices in a common plane, one then three prototypes; "
        "reproduced only if the gain holds for both. " + "; ".join(notes),
    )
