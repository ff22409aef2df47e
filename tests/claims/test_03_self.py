"""Claims of Kitamura2007 that would clutter the lesson; its identities are in tests/discriminant."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from scipy.stats import binomtest, norm, spearmanr
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit import claims
from toolkit.core import graphs
from toolkit.datasets import load, make_hidden_moons
from toolkit.discriminant import FDA, LFDA, SELF, GraphLabelRegression, importance_weighted_cv, maps
from toolkit.discriminant.scatter import class_scatters
from toolkit.quality import knn_error

from .draws import listed, over

IDA = ["banana", "breast_cancer", "diabetis", "flare_solar", "heart", "thyroid", "titanic", "twonorm", "waveform"]
BETAS = [0, 0.25, 0.5, 0.75, 1]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def chosen_errors(job):
    """Errors of the unlabelled for each beta and dimension, flat, and of what weighted and plain estimate choose."""
    name, seed = job
    if name == "moons":
        moons = make_hidden_moons(500, placement="one-sided", random_state=seed)
        X, y, truth = moons.data, moons.target, moons.truth
    else:
        bunch = load(f"ida_{name}")
        rows = np.random.default_rng(seed).permutation(len(bunch.target))[: int(bunch.n_train) + 120]
        X, truth = StandardScaler().fit_transform(bunch.data[rows]), bunch.target[rows]
        y = np.where(np.arange(len(rows)) < int(bunch.n_train), truth, -1)
    dimensions = list(range(1, min(3, X.shape[1]) + 1))
    choice = importance_weighted_cv(X, y, betas=BETAS, dimensions=dimensions, random_state=seed)
    mappings = SELF(dimensions[-1]).fit(X, y).path(BETAS)[1]
    errors = np.array([[hidden_error(X @ T[:r].T, y, truth) for r in dimensions] for T in mappings])
    pairs = (choice.beta, choice.n_components), (choice.plain_beta, choice.plain_n_components)
    return errors, [errors[BETAS.index(beta), dimensions.index(r)] for beta, r in pairs]


def test_se_07_choice_of_beta_and_dimension(check_claim):
    names, draws = ["moons", *IDA], 10
    claims.start(seed=list(range(draws)))
    for name in IDA:
        load(f"ida_{name}")  # skipped here, and not in a worker, if it is not at hand
    results = over(chosen_errors, [(name, seed) for name in names for seed in range(draws)])
    place = []
    for i in range(len(names)):
        errors, chosen = (np.mean(part, axis=0) for part in zip(*results[i * draws : (i + 1) * draws], strict=True))
        # 0: as good as the best pair, 1: as the worst; also 0 where every pair has the same error
        place.append((chosen - errors.min()) / max(np.ptp(errors), 1e-12))
    weighted, plain = np.median(place, axis=0)
    gains = np.array([p - w for w, p in place])
    check_claim(
        "SE-07",
        [weighted, plain],
        ok=bool(weighted <= 0.5),
        note="place of the chosen pair's error between the best (0) and the worst (1) fixed pair, weighted and plain: "
        + "; ".join(f"{name} {w:.2f}, {p:.2f}" for name, (w, p) in zip(names, place, strict=True))
        + f". By more than .01 weights help on {np.sum(gains > 0.01)} and harm on {np.sum(gains < -0.01)} of "
        f"{len(names)} sets; the rule asks whether validation avoids bad pairs, not whether weights are needed for it",
    )


def error_1d(method, X, y, X_new, y_new):
    fitted = method.fit(X, y)
    return knn_error(fitted.embedding_, y, 1, Z_new=fitted.transform(X_new), y_new=y_new)


def test_se_10_multimodal_classes(check_claim):
    def draw(kind, rng, n=200):
        y = np.arange(n) % 2
        X = rng.normal(size=(n, 2)) * [1, 4]
        if kind == "bimodal":  # class 1 on both sides of class 0
            X[:, 0] += np.where(y == 1, 6 * rng.choice([-1, 1], size=n), 0)
        else:
            X[:, 0] += 6 * y
        if kind == "outliers":
            far = rng.choice(n, size=n // 50, replace=False)
            X[far] = 40 * rng.normal(size=(len(far), 2))
        return X, y

    errors = {}
    for kind in ("bimodal", "outliers", "equal"):
        for seed in range(20):
            rng = np.random.default_rng(seed)
            train, test = draw(kind, rng), draw(kind if kind != "outliers" else "equal", rng, 1000)
            errors.setdefault(kind, []).append([error_1d(m, *train, *test) for m in (FDA(1), LFDA(1))])
    mean = {kind: np.mean(e, axis=0) for kind, e in errors.items()}
    check_claim(
        "SE-10",
        [*mean["bimodal"], *mean["equal"]],
        ok=bool(mean["bimodal"][1] <= mean["bimodal"][0] / 3 and abs(np.subtract(*mean["equal"])) <= 0.02),
        spread=[*np.std(errors["bimodal"], axis=0), *np.std(errors["equal"], axis=0)],
        note=f"FDA, LFDA; with 2 % outliers {mean['outliers'][0]:.3f} and {mean['outliers'][1]:.3f}",
    )


def test_se_11_few_labels(check_claim):
    sizes, gaps, left_out = [5, 10, 20, 50, 100, 200], [], []
    for name in ("diabetis", "heart", "twonorm", "waveform"):
        bunch = load(f"ida_{name}")
        X, y = np.asarray(bunch.data, dtype=float), bunch.target
        for seed in range(20):
            order = np.random.default_rng(seed).permutation(len(X))
            test, row, other = order[200:700], [], []
            for m in sizes:
                few = order[:m]
                if len(np.unique(y[few])) < 2:  # one class only: the last gives way to a sample of the other
                    few = np.append(few[:-1], order[:200][y[order[:200]] != y[few[0]]][0])
                fitted = LFDA(1).fit(X[few], y[few])
                Z, Z_new = fitted.embedding_, fitted.transform(X[test])
                rule = NearestCentroid().fit(Z, y[few])
                outside = 1 - rule.score(Z_new, y[test])
                row.append(outside - (1 - rule.score(Z, y[few])))
                other.append(knn_error(Z, y[few], 1, Z_new=Z_new, y_new=y[test]) - knn_error(Z, y[few], 1))
            gaps.append(row)
            left_out.append(other)
    mean = np.mean(gaps, axis=0)
    check_claim(
        "SE-11",
        mean.tolist(),
        ok=bool(mean[:3].min() >= 3 * mean[-1]),  # up to 20 labels, and 200
        spread=np.std(gaps, axis=0).tolist(),
        note=f"held-out minus training error of the nearest class mean on the first LFDA direction, {sizes} labels, "
        "means of four IDA sets and 20 draws. It does not fall at each step: it peaks where labels are as many as "
        "features (8 to 21). With the leave-one-out error of the nearest neighbour in place of the training error "
        f"{np.mean(left_out, axis=0).round(3).tolist()}",
    )


def test_se_12_size_of_the_between_scatter(check_claim, iris):
    X, y = iris
    traces = []
    for distance in (0, 1, 2, 4):
        moved = X + distance * np.eye(4)[np.minimum(y, 2)]
        traces.append(np.trace(class_scatters(moved, y)[0]))
    check_claim(
        "SE-12",
        traces,
        ok=bool(np.all(np.diff(traces) < 0)),
        note="it grows as the class means move apart: 'small' and 'large' are swapped in the remark after (15)",
    )


def one_draw(job):
    """How well labelled and unlabelled are told apart (AUC), and plain and weighted estimate less error by beta."""
    placement, seed = job
    moons = make_hidden_moons(500, placement=placement, random_state=seed)
    X, y, hidden = moons.data, moons.target, moons.target < 0
    chosen = importance_weighted_cv(X, y, betas=BETAS, dimensions=[2], random_state=seed)
    true = [hidden_error(Z, y, moons.truth) for Z in SELF().fit(X, y).path(BETAS)[0]]
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, class_weight="balanced"))
    auc = roc_auc_score(~hidden, cross_val_predict(model, X, ~hidden, cv=5, method="decision_function"))
    return [auc, *(chosen.plain[:, 0] - true), *(chosen.weighted[:, 0] - true)]


def half_interval(values, level):
    """Half the length of the interval around a mean over draws, of a share `level` for each column."""
    return norm.ppf((1 + level) / 2) * values.std(axis=0, ddof=1) / np.sqrt(len(values))


def test_se_14_covariate_shift(check_claim):
    n = 50
    claims.start(seed=list(range(n)))
    jobs = [(placement, seed) for placement in ("even", "one-sided") for seed in range(n)]
    runs = np.array(over(one_draw, jobs)).reshape(2, n, -1)
    auc, plain, weighted = runs[:, :, 0], runs[:, :, 1:6], runs[:, :, 6:]
    differ = auc[1].mean() - half_interval(auc[1], 0.95) > 0.5
    jointly = 1 - 0.05 / len(BETAS)  # so that all five hold in 95 of 100
    readings = {}
    for name, level, chosen in (("every beta", jointly, slice(None)), ("beta = .5", 0.95, [BETAS.index(0.5)])):
        bias = plain[1][:, chosen]
        apart = np.abs(bias.mean(axis=0)) > half_interval(bias, level)
        value, spread = ([f(auc[1]), *f(bias, axis=0)] for f in (np.mean, np.std))
        readings[name] = {"value": value, "spread": spread, "ok": bool(differ and apart.any())}
    told = "; ".join(
        f"{where}: AUC {a.mean():.2f}, plain {signed(p.mean(axis=0))} (+- {listed(half_interval(p, jointly), 3)}), "
        f"weighted {signed(w.mean(axis=0))}"
        for where, a, p, w in zip(("labels even", "one-sided"), auc, plain, weighted, strict=True)
    )
    check_claim(
        "SE-14",
        readings=readings,
        note=f"AUC of labelled against unlabelled, then estimate minus true error at beta 0 to 1, {told}. 500 samples; "
        "with labels at one end the estimate grows too small as beta does, most so for LPP, where the errors lie away "
        "from the labels; at beta = 0 every sample gets one class",
    )


def signed(values):
    return ", ".join(f"{value:+.3f}" for value in values)


class Counted(np.ndarray):
    """An array that counts the multiplications in which it takes part into `Counted.done`."""

    done = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [np.asarray(x) if isinstance(x, Counted) else x for x in inputs]
        if "out" in kwargs:
            kwargs["out"] = tuple(np.asarray(x) for x in kwargs["out"])
        result = getattr(ufunc, method)(*plain, **kwargs)
        if method == "__call__" and ufunc in (np.matmul, np.multiply, np.divide):
            Counted.done += result.size * (plain[0].shape[-1] if ufunc is np.matmul else 1)
        return result.view(Counted) if isinstance(result, np.ndarray) else result


class CountedSparse(scipy.sparse.csr_matrix):
    def __matmul__(self, other):
        Counted.done += self.nnz * other.shape[1]
        return super().__matmul__(other)


def multiplications(n, monkeypatch, **options):
    """How many a fit of SELF to n samples does: in products as they run, in LAPACK by the shapes that it is given."""
    moons = make_hidden_moons(n, random_state=0)
    distances, affinity, scatters, svd, eigenpairs = (
        graphs.squared_distances,
        maps.affinity_of,
        SELF._scatters,
        maps.thin_svd,
        maps.symmetric_eigenpairs,
    )

    def counting(function, size):
        def counted(*args, **kwargs):
            Counted.done += size(*args)
            return function(*args, **kwargs)

        return counted

    def counted_affinity(*args, **kwargs):
        A = affinity(*args, **kwargs)
        return CountedSparse(A) if scipy.sparse.issparse(A) else A.view(Counted)

    with monkeypatch.context() as patch:
        patch.setattr(graphs, "squared_distances", counting(distances, lambda A, B: len(A) * B.size))
        patch.setattr(maps, "affinity_of", counted_affinity)
        patch.setattr(SELF, "_scatters", lambda self, X, codes: scatters(self, X.view(Counted), codes))
        patch.setattr(maps, "thin_svd", counting(svd, lambda X: X.size * X.shape[1]))
        patch.setattr(maps, "symmetric_eigenpairs", counting(eigenpairs, lambda S, k: len(S) ** 3))
        Counted.done = 0
        SELF(**options).fit(moons.data, moons.target)
    return Counted.done


def test_se_15_cost(check_claim, monkeypatch):
    moons = make_hidden_moons(600, random_state=0)
    order = np.random.default_rng(0).permutation(600)
    a = SELF().fit(moons.data, moons.target).embedding_
    b = SELF().fit(moons.data[order], moons.target[order]).embedding_
    gap = np.abs(a[order] - b).max()
    kinds = {"sparse": ((4000, 8000, 16000), {"n_affinity": 10}), "dense": ((1000, 2000, 4000), {})}
    slopes, told = [], []
    for kind, (sizes, options) in kinds.items():
        costs = [multiplications(n, monkeypatch, **options) for n in sizes]
        slopes.append(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
        told.append(f"{kind} {', '.join(f'{cost / 1e6:.1f}' for cost in costs)} at n = {', '.join(map(str, sizes))}")
    check_claim(
        "SE-15",
        [gap, *slopes],
        ok=bool(gap <= 1e-8 and slopes[0] <= 1.3 and slopes[1] <= 2.2),
        note="largest change under permuted rows; log-log slopes of the multiplications with a sparse and a dense "
        f"affinity, in millions {'; '.join(told)}. The search for the neighbours of a sparse affinity, exact and in 20 "
        "dimensions over all pairs, is left out; times stand in benchmarks/",
    )


def hidden_error(Z, y, truth):
    """Share of the unlabelled samples that the regression (23) on the graph of a map gets wrong."""
    with warnings.catch_warnings(action="ignore"):  # samples without any link to a labelled one get one class
        return np.mean(GraphLabelRegression().fit_predict(Z, y)[y < 0] != truth[y < 0])


def moon_errors(job):
    """Errors of the unlabelled for each beta in a draw of 1,000 samples, and whether LPP's plane has two clusters."""
    noise, placement, seed = job
    moons = make_hidden_moons(1000, noise=noise, placement=placement, random_state=seed)
    maps, _ = SELF().fit(moons.data, moons.target).path(BETAS)
    one, two = (GaussianMixture(k, n_init=3, random_state=0).fit(maps[-1]).bic(maps[-1]) for k in (1, 2))
    return [*(hidden_error(Z, moons.target, moons.truth) for Z in maps), two < one]


def test_se_04_the_middle_on_moons(check_claim):
    """Notebook 03 shows the first of these draws."""
    noises, placements, draws = {"noise .5": 0.5, "noise 1": 1.0}, ("even", "one-sided"), range(20)
    claims.start(seed=0)
    jobs = [(noise, placement, draw) for noise in noises.values() for placement in placements for draw in draws]
    runs = np.array(over(moon_errors, jobs)).reshape(2, 2, 20, -1)  # (noise, placement, draw; errors, clusters)
    readings, told = {}, []
    for name, found in zip(noises, runs, strict=True):
        errors, clusters = found[:, :, :-1], found[:, :, -1]
        at, middle = np.median(errors, axis=1), errors[:, :, 2]
        below = (at[:, 2] < at[:, 0]) & (at[:, 2] < at[:, 4])
        readings[name] = {"value": at.ravel(), "ok": bool(below.all())}
        told.append(
            f"{name}: .5 below both ends even {below[0]}, one-sided {below[1]} (below LPP in "
            f"{' and '.join(map(str, np.sum(middle < errors[:, :, 4], axis=1)))} of 20 draws); two clusters in LPP's "
            f"plane in {clusters.sum():.0f} of 40"
        )
    check_claim(
        "SE-04",
        readings=readings,
        note=f"median errors at beta 0 to 1, labels even, then one-sided. {'; '.join(told)} (two Gaussians fit better "
        "than one, by BIC). The text sees two clusters in LPP's plane; where the noise hides them the labels alone "
        "decide, and LPP errs like a coin",
    )


def split_errors(job):
    """Errors (3 betas, dimensions) of the unlabelled of one split; `n_labels` of its training part stay (None: all)."""
    name, seed, n_labels, most_unlabelled = job
    bunch = load(f"ida_{name}")
    X, y, n_train = StandardScaler().fit_transform(bunch.data), bunch.target, int(bunch.n_train)
    order = np.random.default_rng(seed).permutation(len(X))
    size = n_train + min(int(bunch.n_test), most_unlabelled) if n_labels is None else 300
    rows, m = order[:size], n_labels or n_train
    while len(np.unique(y[rows[:m]])) < 2:
        m += 1
    labels = np.where(np.arange(len(rows)) < m, y[rows], -1)
    R = min(X.shape[1], 4 if n_labels is None else 2)
    model = SELF(R, n_affinity=None if len(rows) <= 3000 else 50).fit(X[rows], labels)
    mappings = model.path([0, 0.5, 1])[1]
    return [[hidden_error(X[rows] @ T[:r].T, labels, y[rows]) for r in range(1, R + 1)] for T in mappings]


@pytest.fixture(scope="module")
def splits(scale):
    """Errors (splits, 3 betas, dimensions) of each IDA set: of twenty splits, and of five with twenty labels."""
    for name in IDA:
        load(f"ida_{name}")  # skipped here, and not in a worker, if it is not at hand
    most = 10_000 if scale == "paper" else 60
    kinds = [(None, 20), (20, 5)]
    jobs = [(name, seed, labels, most) for labels, draws in kinds for name in IDA for seed in range(draws)]
    found = iter(over(split_errors, jobs))
    return [{name: np.array([next(found) for _ in range(draws)]) for name in IDA} for _, draws in kinds]


def sign_test(fewer, more):
    """Wins, sets that differ, and one-sided p: is `fewer` below `more` on more sets than chance would have it?"""
    wins, n = int(np.sum(fewer < more)), int(np.sum(fewer != more))
    return wins, n, binomtest(wins, n, alternative="greater").pvalue if n else 1.0


def means_by_beta(errors):
    return np.array([values.mean(axis=(0, 2)) for values in errors.values()])  # (sets, 3)


@pytest.mark.xdist_group("splits")
def test_se_05_sets_where_labels_win(check_claim, splits):
    many, few = map(means_by_beta, splits)
    first, early = many[many[:, 0] < many[:, 2]], few[few[:, 0] < few[:, 2]]
    wins = sign_test(first[:, 1], first[:, 0])
    names = [name for name, row in zip(IDA, many, strict=True) if row[0] < row[2]]
    claims.start(seed=0)
    check_claim(
        "SE-05",
        list(wins),
        ok=bool(wins[2] < 0.05),
        note=f"LFDA better than LPP on {', '.join(names)}; beta .5 better still on {wins[0]} of {wins[1]} (wins, sets, "
        "p). The official training parts have 140 to 666 labels, enough for LFDA (60 unlabelled a split); with 20 "
        f"labels LFDA is better than LPP on {len(early)} sets and .5 better still on "
        f"{sign_test(early[:, 1], early[:, 0])[0]} of them",
    )


@pytest.mark.xdist_group("splits")
def test_se_06_sets_where_clusters_win(check_claim, splits):
    many = means_by_beta(splits[0])
    second = many[many[:, 0] >= many[:, 2]]
    names = [name for name, row in zip(IDA, many, strict=True) if row[0] >= row[2]]
    to_1, to_0 = sign_test(second[:, 2], second[:, 1]), sign_test(second[:, 0], second[:, 1])
    claims.start(seed=0)
    check_claim(
        "SE-06",
        list(to_1),
        ok=bool(to_1[2] < 0.05),
        note=f"LPP better on {', '.join(names) or 'none'}; .5 loses to 1 on {to_1[0]} of {to_1[1]}, to 0 on {to_0[0]} "
        f"of {to_0[1]}; the paper's 'outperformed by beta = 0' must mean 1 by its own reasoning",
    )


@pytest.mark.xdist_group("splits")
def test_se_08_gain_and_lead(check_claim, splits):
    ends = [errors.mean(axis=0) for errors in splits[0].values()]  # (3, dimensions) of each set
    lead = np.concatenate([e[0] - e[2] for e in ends])
    gain = np.concatenate([np.minimum(e[0], e[2]) - e[1] for e in ends])
    rho, p = spearmanr(lead, gain)
    claims.start(seed=0)
    check_claim(
        "SE-08",
        rho,
        ok=bool(rho > 0),
        note=f"Spearman over {len(lead)} pairs of set and dimension, p = {p:.3f}; section 5 says the gain grows with "
        "trust in clusters, section 4 reports the opposite",
    )
