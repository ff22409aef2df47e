"""Claims of Kitamura2007 that would clutter the lesson; its identities are in tests/discriminant."""

from functools import partial

import numpy as np
import scipy.sparse
from pytest import fixture
from scipy.stats import binomtest, norm, spearmanr
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toolkit.core import graphs
from toolkit.datasets import load, make_hidden_moons
from toolkit.discriminant import (
    FDA,
    LFDA,
    SELF,
    GraphLabelRegression,
    importance_weighted_cv,
    maps,
)
from toolkit.discriminant.scatter import class_scatters
from toolkit.quality import knn_error

from .draws import by_name, listed, parts, permuted, summary, sweep

IDA = [
    "banana",
    "breast_cancer",
    "diabetis",
    "flare_solar",
    "heart",
    "thyroid",
    "titanic",
    "twonorm",
    "waveform",
]
BETAS = [0, 0.25, 0.5, 0.75, 1]


def chosen_errors(name, seed):
    """Errors of the unlabelled for each beta and dimension, flat, and of what weighted and plain estimate choose."""
    if name == "moons":
        moons = make_hidden_moons(500, placement="one-sided", random_state=seed)
        X, y, truth = moons.data, moons.target, moons.truth
    else:
        bunch = load(f"ida_{name}")
        rows = permuted(len(bunch.target), seed)[: int(bunch.n_train) + 120]
        X, truth = StandardScaler().fit_transform(bunch.data[rows]), bunch.target[rows]
        y = np.where(np.arange(len(rows)) < int(bunch.n_train), truth, -1)
    dimensions = list(range(1, min(3, X.shape[1]) + 1))
    choice = importance_weighted_cv(
        X, y, betas=BETAS, dimensions=dimensions, random_state=seed
    )
    mappings = SELF(dimensions[-1]).fit(X, y).path(BETAS)[1]
    errors = np.array(
        [[hidden_error(X @ T[:r].T, y, truth) for r in dimensions] for T in mappings]
    )
    pairs = (
        (choice.beta, choice.n_components),
        (choice.plain_beta, choice.plain_n_components),
    )
    return errors, [errors[BETAS.index(beta), dimensions.index(r)] for beta, r in pairs]


def test_se_07_choice_of_beta_and_dimension(check_claim):
    names, draws = ["moons", *IDA], range(10)
    place = []
    for name in names:
        errors, chosen = (
            part.mean(0) for part in parts(partial(chosen_errors, name), draws)
        )
        # 0: as good as the best pair, 1: as the worst; also 0 where every pair has the
        # same error
        place.append((chosen - errors.min()) / max(np.ptp(errors), 1e-12))
    place = np.array(place)
    weighted, plain = np.median(place, 0)
    gains = place[:, 1] - place[:, 0]
    check_claim(
        "SE-07",
        [weighted, plain],
        weighted <= 0.5,
        draws,
        note="place of the chosen pair's error between the best (0) and the worst (1) fixed pair, weighted and plain: "
        + by_name(names, place)
        + f""". By more than .01 weights help on {np.sum(gains > 0.01)} and harm on {np.sum(gains < -0.01)} of
        {len(names)} sets; the rule asks whether validation avoids bad pairs, not whether weights are needed for it""",
    )


def two_classes(kind, rng, n=200):
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


def errors_1d(kind, seed):
    """Held-out errors of FDA and LFDA; outliers are among the training samples only."""
    rng = np.random.default_rng(seed)
    X, y = two_classes(kind, rng)
    X_new, y_new = two_classes(kind if kind != "outliers" else "equal", rng, 1000)
    models = FDA(1).fit(X, y), LFDA(1).fit(X, y)
    return [
        knn_error(m.embedding_, y, 1, Z_new=m.transform(X_new), y_new=y_new)
        for m in models
    ]


def test_se_10_multimodal_classes(check_claim):
    errors = sweep(errors_1d, ("bimodal", "equal", "outliers"), range(20))
    (fda, lfda), equal, outliers = errors.mean(1)
    check_claim(
        "SE-10",
        **summary(errors[:2].swapaxes(0, 1), ddof=0),
        ok=lfda <= fda / 3 and abs(np.subtract(*equal)) <= 0.02,
        note=f"FDA, LFDA; with 2 % outliers {outliers[0]:.3f} and {outliers[1]:.3f}",
    )


SIZES = [5, 10, 20, 50, 100, 200]


def gaps(name, seed):
    """By number of labels: held-out minus training error of the nearest mean, and minus leave-one-out error of 1-NN."""
    bunch = load(f"ida_{name}")
    X, y = np.asarray(bunch.data, float), bunch.target
    order = permuted(len(X), seed)
    test, rows = order[200:700], []
    for m in SIZES:
        few = order[:m]
        # one class only: the last gives way to a sample of the other
        if len(np.unique(y[few])) < 2:
            few = np.append(few[:-1], order[:200][y[order[:200]] != y[few[0]]][0])
        fitted = LFDA(1).fit(X[few], y[few])
        Z, Z_new = fitted.embedding_, fitted.transform(X[test])
        rule = NearestCentroid().fit(Z, y[few])
        outside = 1 - rule.score(Z_new, y[test])
        left_out = knn_error(Z, y[few], 1, Z_new=Z_new, y_new=y[test]) - knn_error(
            Z, y[few], 1
        )
        rows.append([outside - (1 - rule.score(Z, y[few])), left_out])
    return rows


def test_se_11_few_labels(check_claim):
    found = sweep(
        gaps, ("diabetis", "heart", "twonorm", "waveform"), range(20)
    ).reshape(-1, len(SIZES), 2)
    mean, left_out = found.mean(0).T
    check_claim(
        "SE-11",
        **summary(found[..., 0], ddof=0),
        ok=mean[:3].min() >= 3 * mean[-1],  # up to 20 labels, and 200
        note=f"""held-out minus training error of the nearest class mean on the first LFDA direction, {SIZES} labels,
        means of four IDA sets and 20 draws. It does not fall at each step: it peaks where labels are as many as
        features (8 to 21). With the leave-one-out error of the nearest neighbour in place of the training error
        {left_out.round(3).tolist()}""",
    )


def test_se_12_size_of_the_between_scatter(check_claim):
    X, y = load_iris(return_X_y=True)
    moved = [X + distance * np.eye(4)[y] for distance in (0, 1, 2, 4)]
    traces = [np.trace(class_scatters(A, y)[0]) for A in moved]
    check_claim(
        "SE-12",
        traces,
        np.all(np.diff(traces) < 0),
        note="it grows as the class means move apart: 'small' and 'large' are swapped in the remark after (15)",
    )


def one_draw(placement, seed):
    """How well labelled and unlabelled are told apart (AUC), and plain and weighted estimate less error by beta."""
    moons = make_hidden_moons(500, placement=placement, random_state=seed)
    X, y, hidden = moons.data, moons.target, moons.target < 0
    chosen = importance_weighted_cv(
        X, y, betas=BETAS, dimensions=[2], random_state=seed
    )
    true = [hidden_error(Z, y, moons.truth) for Z in SELF().fit(X, y).path(BETAS)[0]]
    model = make_pipeline(
        StandardScaler(), LogisticRegression(C=0.1, class_weight="balanced")
    )
    auc = roc_auc_score(
        ~hidden, cross_val_predict(model, X, ~hidden, cv=5, method="decision_function")
    )
    return [auc, *(chosen.plain[:, 0] - true), *(chosen.weighted[:, 0] - true)]


def half_interval(values, level):
    """Half the length of the interval around a mean over draws, of a share `level` for each column."""
    return norm.ppf((1 + level) / 2) * values.std(0, ddof=1) / np.sqrt(len(values))


def test_se_14_covariate_shift(check_claim):
    runs = sweep(one_draw, ("even", "one-sided"), range(50))
    auc, plain, weighted = runs[:, :, 0], runs[:, :, 1:6], runs[:, :, 6:]
    differ = auc[1].mean() - half_interval(auc[1], 0.95) > 0.5
    jointly = 1 - 0.05 / len(BETAS)  # so that all five hold in 95 of 100
    readings = {}
    for name, level, chosen in (
        ("every beta", jointly, slice(None)),
        ("beta = .5", 0.95, [BETAS.index(0.5)]),
    ):
        bias = plain[1][:, chosen]
        apart = np.abs(bias.mean(0)) > half_interval(bias, level)
        readings[name] = summary(np.column_stack([auc[1], bias]), ddof=0) | {
            "ok": differ and apart.any()
        }
    told = "; ".join(
        f"""{where}: AUC {a.mean():.2f}, plain {signed(p.mean(0))} (+- {listed(half_interval(p, jointly), 3)}),
        weighted {signed(w.mean(0))}"""
        for where, a, p, w in zip(
            ("labels even", "one-sided"), auc, plain, weighted, strict=True
        )
    )
    check_claim(
        "SE-14",
        seed=range(50),
        readings=readings,
        note=f"""AUC of labelled against unlabelled, then estimate minus true error at beta 0 to 1, {told}. 500
        samples; with labels at one end the estimate grows too small as beta does, most so for LPP, where the errors
        lie away from the labels; at beta = 0 every sample gets one class""",
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
            Counted.done += result.size * (
                plain[0].shape[-1] if ufunc is np.matmul else 1
            )
        return result.view(Counted) if isinstance(result, np.ndarray) else result


class CountedSparse(scipy.sparse.csr_matrix):
    def __matmul__(self, other):
        Counted.done += self.nnz * other.shape[1]
        return super().__matmul__(other)


def multiplications(n, monkeypatch, **options):
    """How many a fit of SELF to n samples does: in products as they run, in LAPACK by the shapes that it is given."""
    moons = make_hidden_moons(n, random_state=0)
    affinity, scatters = maps.affinity_of, SELF._scatters

    def counted_affinity(*args, **kwargs):
        A = affinity(*args, **kwargs)
        return CountedSparse(A) if scipy.sparse.issparse(A) else A.view(Counted)

    with monkeypatch.context() as patch:

        def count(module, name, size):
            function = getattr(module, name)

            def counted(*args, **kwargs):
                Counted.done += size(*args)
                return function(*args, **kwargs)

            patch.setattr(module, name, counted)

        count(graphs, "squared_distances", lambda A, B: len(A) * B.size)
        count(maps, "thin_svd", lambda X: X.size * X.shape[1])
        count(maps, "symmetric_eigenpairs", lambda S, k: len(S) ** 3)
        patch.setattr(maps, "affinity_of", counted_affinity)
        patch.setattr(
            SELF,
            "_scatters",
            lambda self, X, codes: scatters(self, X.view(Counted), codes),
        )
        Counted.done = 0
        SELF(**options).fit(moons.data, moons.target)
    return Counted.done


def test_se_15_cost(check_claim, monkeypatch):
    moons = make_hidden_moons(600, random_state=0)
    order = permuted(600)
    a = SELF().fit(moons.data, moons.target).embedding_
    gap = np.abs(
        a[order] - SELF().fit(moons.data[order], moons.target[order]).embedding_
    ).max()
    kinds = {
        "sparse": ((4000, 8000, 16000), {"n_affinity": 10}),
        "dense": ((1000, 2000, 4000), {}),
    }
    slopes, told = [], []
    for kind, (sizes, options) in kinds.items():
        costs = [multiplications(n, monkeypatch, **options) for n in sizes]
        slopes.append(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
        told.append(
            f"{kind} {listed(np.divide(costs, 1e6), 1)} at n = {listed(sizes, 0)}"
        )
    check_claim(
        "SE-15",
        [gap, *slopes],
        gap <= 1e-8 and slopes[0] <= 1.3 and slopes[1] <= 2.2,
        note=f"""largest change under permuted rows; log-log slopes of the multiplications with a sparse and a dense
        affinity, in millions {"; ".join(told)}. The search for the neighbours of a sparse affinity, exact and in 20
        dimensions over all pairs, is left out; times stand in benchmarks/""",
    )


def hidden_error(Z, y, truth):
    """Share of the unlabelled samples that the regression (23) on the graph of a map gets wrong."""
    return np.mean(GraphLabelRegression().fit_predict(Z, y)[y < 0] != truth[y < 0])


def moon_errors(noise, placement, seed):
    """Errors of the unlabelled for each beta in a draw of 1,000 samples, and whether LPP's plane has two clusters."""
    moons = make_hidden_moons(1000, noise=noise, placement=placement, random_state=seed)
    maps, _ = SELF().fit(moons.data, moons.target).path(BETAS)
    one, two = (
        GaussianMixture(k, n_init=3, random_state=0).fit(maps[-1]).bic(maps[-1])
        for k in (1, 2)
    )
    return [*(hidden_error(Z, moons.target, moons.truth) for Z in maps), two < one]


def test_se_04_the_middle_on_moons(check_claim):
    """Notebook 03 shows the first of these draws."""
    noises = {"noise .5": 0.5, "noise 1": 1.0}
    # noise, placement, draw; errors, clusters
    runs = sweep(moon_errors, noises.values(), ("even", "one-sided"), range(20))
    readings, told = {}, []
    for name, found in zip(noises, runs, strict=True):
        errors, clusters = found[:, :, :-1], found[:, :, -1]
        at, middle = np.median(errors, 1), errors[:, :, 2]
        below = (at[:, 2] < at[:, 0]) & (at[:, 2] < at[:, 4])
        readings[name] = {"value": at.ravel(), "ok": below.all()}
        told.append(
            f"""{name}: .5 below both ends even {below[0]}, one-sided {below[1]} (below LPP in
            {" and ".join(map(str, np.sum(middle < errors[:, :, 4], axis=1)))} of 20 draws); two clusters in LPP's
            plane in {clusters.sum():.0f} of 40"""
        )
    check_claim(
        "SE-04",
        seed=0,
        readings=readings,
        note=f"""median errors at beta 0 to 1, labels even, then one-sided. {"; ".join(told)} (two Gaussians fit
        better than one, by BIC). The text sees two clusters in LPP's plane; where the noise hides them the labels
        alone decide, and LPP errs like a coin""",
    )


def split_errors(seed, name, n_labels, most_unlabelled):
    """Errors (3 betas, dimensions) of the unlabelled of one split; `n_labels` of its training part stay (None: all)."""
    bunch = load(f"ida_{name}")
    X, y, n_train = (
        StandardScaler().fit_transform(bunch.data),
        bunch.target,
        int(bunch.n_train),
    )
    order = permuted(len(X), seed)
    size = (
        n_train + min(int(bunch.n_test), most_unlabelled) if n_labels is None else 300
    )
    rows, m = order[:size], n_labels or n_train
    while len(np.unique(y[rows[:m]])) < 2:
        m += 1
    labels = np.where(np.arange(len(rows)) < m, y[rows], -1)
    R = min(X.shape[1], 4 if n_labels is None else 2)
    mappings = (
        SELF(R, n_affinity=None if len(rows) <= 3000 else 50)
        .fit(X[rows], labels)
        .path([0, 0.5, 1])[1]
    )
    return [
        [hidden_error(X[rows] @ T[:r].T, labels, y[rows]) for r in range(1, R + 1)]
        for T in mappings
    ]


@fixture(scope="module")
def splits(scale):
    """Errors (splits, 3 betas, dimensions) of each IDA set: of twenty splits, and of five with twenty labels."""
    most = 10_000 if scale == "paper" else 60
    return [
        {
            name: sweep(
                split_errors,
                range(draws),
                name=name,
                n_labels=labels,
                most_unlabelled=most,
            )
            for name in IDA
        }
        for labels, draws in ((None, 20), (20, 5))
    ]


def sign_test(fewer, more):
    """Wins, sets that differ, and one-sided p: is `fewer` below `more` on more sets than chance would have it?"""
    wins, n = np.sum(fewer < more), np.sum(fewer != more)
    return wins, n, binomtest(wins, n, alternative="greater").pvalue if n else 1.0


def means_by_beta(errors):
    return np.array([values.mean((0, 2)) for values in errors.values()])  # (sets, 3)


def test_se_05_sets_where_labels_win(check_claim, splits):
    many, few = map(means_by_beta, splits)
    better = many[:, 0] < many[:, 2]
    first, early = many[better], few[few[:, 0] < few[:, 2]]
    wins = sign_test(first[:, 1], first[:, 0])
    check_claim(
        "SE-05",
        wins,
        wins[2] < 0.05,
        seed=0,
        note=f"""LFDA better than LPP on {", ".join(np.compress(better, IDA))}; beta .5 better still on {wins[0]} of
        {wins[1]} (wins, sets, p). The official training parts have 140 to 666 labels, enough for LFDA (60
        unlabelled a split); with 20 labels LFDA is better than LPP on {len(early)} sets and .5 better still on
        {sign_test(early[:, 1], early[:, 0])[0]} of them""",
    )


def test_se_06_sets_where_clusters_win(check_claim, splits):
    many = means_by_beta(splits[0])
    better = many[:, 0] >= many[:, 2]
    second = many[better]
    to_1, to_0 = (
        sign_test(second[:, 2], second[:, 1]),
        sign_test(second[:, 0], second[:, 1]),
    )
    check_claim(
        "SE-06",
        to_1,
        to_1[2] < 0.05,
        seed=0,
        note=f"""LPP better on {", ".join(np.compress(better, IDA)) or "none"}; .5 loses to 1 on {to_1[0]} of
        {to_1[1]}, to 0 on {to_0[0]} of {to_0[1]}; the paper's 'outperformed by beta = 0' must
        mean 1 by its own reasoning""",
    )


def test_se_08_gain_and_lead(check_claim, splits):
    # (3, dimensions) of each set
    ends = [errors.mean(0) for errors in splits[0].values()]
    lead = np.concatenate([e[0] - e[2] for e in ends])
    rho, p = spearmanr(
        lead, np.concatenate([np.minimum(e[0], e[2]) - e[1] for e in ends])
    )
    check_claim(
        "SE-08",
        rho,
        rho > 0,
        seed=0,
        note=f"""Spearman over {len(lead)} pairs of set and dimension, p = {p:.3f}; section 5 says the gain
        grows with trust in clusters, section 4 reports the opposite""",
    )
