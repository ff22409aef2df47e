"""Claims of Biehl2012 that would clutter the lesson; its identities are in tests/lvq."""

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
from toolkit.lvq import GMLVQ, ClasswiseGMLVQ
from toolkit.quality import knn_error

from .draws import over

SEEDS = list(range(10))


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


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
