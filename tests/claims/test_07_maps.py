"""Claims of the thesis, section 4.2, about made sets: the features a map shows, by selection and by learned weights."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from toolkit import claims
from toolkit.core.scaling import about_median
from toolkit.datasets import make_bimodal_class, make_noisy_copies, make_stacked_gaussians, make_three_clusters
from toolkit.embed import TSNE
from toolkit.fisher import ParzenFisher
from toolkit.quality import q_nx
from toolkit.relevance import NeRVMetric, NeRVRelevance, backward_relevance, forward_relevance
from toolkit.relevance.cost import Neighborhoods, diagonal_energy

from .draws import listed, over
from .relevance_profiles import relevance_profile

SEEDS = list(range(10))


def fisher_tsne(X, y, seed):
    D = ParzenFisher().fit(X, y).distances()
    return TSNE(metric="precomputed", init="random", random_state=seed).fit_transform(D)


# ---------------------------------------------------------------------------------------------- made sets, Table 4.1

SIZES = np.array([5, 10, 15, 16, 20, 24, 25, 30, 35, 40, 45, 50, 55, 58])  # 58 is the largest k of 60 samples
RANKED = np.isin(SIZES, [16, 24])  # .8 and 1.2 of the cluster size


def three_clusters(seed):
    X = make_three_clusters(random_state=seed).data
    Z = TSNE(random_state=seed).fit_transform(X)
    profiles = [relevance_profile(NeRVRelevance(), X, Z, SIZES)]
    profiles += [f(X, Z, SIZES) for f in (forward_relevance, backward_relevance)]
    others = [
        relevance_profile(NeRVRelevance(gamma=gamma, delta=delta), X, Z, [25, 40, 55])
        for gamma, delta in ((0.5, 0.1), (0.5, 3), (0, 1), (1, 1))
    ]
    Z_other = TSNE(random_state=seed, perplexity=10).fit_transform(X)
    others.append(relevance_profile(NeRVRelevance(), X, Z_other, [25, 40, 55]))
    Z_random = TSNE(init="random", random_state=seed).fit_transform(X)
    random = [f(X, Z_random, SIZES)[:, 2] for f in (forward_relevance, backward_relevance)]
    # A feature that the map never saw is the true baseline.
    unseen = np.random.default_rng(1000 + seed).normal(size=(len(X), 1))
    wider = np.hstack([X, unseen])
    baseline = forward_relevance(wider, Z, SIZES)[:, 3], q_nx(X, Z)[SIZES - 1], *random, q_nx(X, Z_random)[SIZES - 1]
    return np.array(profiles), np.array(others), np.array(baseline)


@pytest.fixture(scope="module")
def cluster_profiles():
    """Profiles (seeds, measures, sizes, features); with other parameters; baselines (seeds, 5, sizes): of a feature
    that the map never saw, Q(X), and of a map from a random start forward, backward and Q(X)."""
    return [np.array(part) for part in zip(*over(three_clusters, SEEDS), strict=True)]


def share_of_third(nerv):
    """lambda_3 over the smaller of the other two."""
    return nerv[..., 2] / nerv[..., :2].min(axis=-1)


@pytest.mark.xdist_group("cluster_profiles")
def test_re_01_three_clusters(check_claim, cluster_profiles):
    profiles, others, baseline = cluster_profiles
    last = np.stack(
        [profiles[:, 0].argmin(axis=-1) == 2, profiles[:, 1].argmin(axis=-1) == 2, profiles[:, 2].argmax(axis=-1) == 2]
    )  # (measures, seeds, sizes)
    ratio = share_of_third(profiles[:, 0])
    worst, before_58 = (ratio[:, (SIZES >= 25) & (SIZES <= most)].max(axis=1) for most in (58, 55))
    agree, few = last[..., RANKED].all(axis=(0, 2)), worst < 0.1
    quality = [((59 * q - k) / (59 - k)).mean() for k, q in ((k, baseline[:, 1, SIZES == k]) for k in (20, 40))]
    counts = last.sum(axis=1)
    claims.start(seed=SEEDS)
    text = "; ".join(
        f"{name} " + ", ".join(map(str, row)) for name, row in zip(("NeRV", "forward", "backward"), counts, strict=True)
    )
    check_claim(
        "RE-01",
        [*last[..., RANKED].mean(axis=(1, 2)).tolist(), float(np.median(worst))],
        bool(np.mean(agree & few) > 0.5),
        note="share of ten draws and k = 16, 24 at which dimension 3 is last, by NeRV, forward, backward; lambda_3 "
        f"against the smaller other, largest at k >= 25, median draw (below .1 in {few.sum()} draws, without k = 58 in "
        f"{np.sum(before_58 < 0.1)}). Draws with 3 last at k = {', '.join(map(str, SIZES))}: "
        f"{text}. Below the cluster size lambda_3 is as large as the others (RE-27); from 35 on the selections fail, "
        "since which other cluster is next is an accident of the map where all are as far (R_NX falls from "
        f"{quality[0]:.2f} at k = 20 to {quality[1]:.2f} at 40). lambda_3 at k = 25 to 55: at most "
        f"{before_58.max():.0e} of the others; for delta .1, 3, gamma 0, 1 and perplexity "
        f"10 {listed(share_of_third(others).max(axis=(0, 2)))}; at 58, all but one sample, "
        f"{np.median(ratio[:, -1]):.1f}",
    )


@pytest.mark.xdist_group("cluster_profiles")
def test_re_27_small_neighborhoods(check_claim, cluster_profiles):
    profiles, _, baseline = cluster_profiles
    small, later = SIZES <= 15, SIZES >= 20
    k, chance = SIZES[small], SIZES / 59
    ratio = share_of_third(profiles[:, 0])[:, small].mean(axis=0)
    off = [profiles[:, 1, :, 2] - chance, profiles[:, 2, :, 2] - baseline[:, 1]]
    forward, backward = (values[:, small] for values in off)
    unseen = (baseline[:, 0] - chance)[:, small]
    late = [np.abs(values[:, later]).mean(axis=0).max() for values in off]
    random = [(baseline[:, 2] - chance)[:, small], (baseline[:, 3] - baseline[:, 4])[:, small]]
    means = [values.mean(axis=0) for values in (forward, backward)]
    claims.start(seed=SEEDS)
    check_claim(
        "RE-27",
        [float(v) for v in (*ratio, *means[0], *means[1])],
        bool(ratio.min() >= 1 / 3 and np.abs(means).max() <= 0.05),
        note=f"k = {', '.join(map(str, k))}, mean of ten draws: lambda_3 against the smaller other; forward minus "
        "k/(N - 1); backward minus Q(X). The first holds. The baselines hold for a feature that the map never saw "
        f"(forward misses by {np.abs(unseen.mean(axis=0)).max():.3f}), and for dimension 3 from k = 20 on (by "
        f"{late[0]:.2f} and {late[1]:.2f}); below, the selections see that the map orders the samples of a cluster "
        "by dimension 3 too, as NeRV does. Maps from a random start miss alike: "
        f"{listed([values.mean(axis=0) for values in random])}",
    )


def table(item):
    """Profiles (measures, sizes, features) of maps of one draw at k = .8 and 1.2 of the cluster size."""
    make, seed, options = item
    bunch = make(random_state=seed, **options)
    X, y = bunch.data, bunch.target
    size = np.bincount(y).min()
    sizes = [round(0.8 * size), round(1.2 * size)]
    maps = [PCA(2).fit_transform(X), TSNE(random_state=seed).fit_transform(X)]
    if make is make_noisy_copies:
        fisher = fisher_tsne(X, y, seed)
        maps = [*maps, fisher] if not options else [fisher]
    return np.array(
        [
            [
                relevance_profile(NeRVRelevance(), X, Z, sizes),
                forward_relevance(X, Z, sizes),
                -backward_relevance(X, Z, sizes),
            ]
            for Z in maps
        ]
    )  # (maps, measures, sizes, features); the larger the more relevant


def free_gaussians(random_state):
    """Data set2 without the even filling: Gaussians drawn freely."""
    bunch = make_stacked_gaussians(random_state=random_state)
    rng = np.random.default_rng(random_state)
    bunch.data[:, :2] = rng.normal(size=(len(bunch.data), 2))
    return bunch


def set2_share(found):
    """Share of draws with the printed ranks, (maps, measures, sizes)."""
    return np.stack([found[:, 0].argmin(axis=-1) == 2, found[:, 1].argmax(axis=-1) == 2]).mean(axis=1)


def test_re_02_stacked_gaussians(check_claim):
    found = np.array(over(table, [(make_stacked_gaussians, seed, {}) for seed in SEEDS[:5]]))
    free = np.array(over(table, [(free_gaussians, seed, {}) for seed in SEEDS[:3]]))
    share = set2_share(found)
    mean = found.mean(axis=0)
    claims.start(seed=SEEDS[:5])
    check_claim(
        "RE-02",
        share.ravel().tolist(),
        bool(share.min() == 1),
        note="share of five draws with dimension 3 last on the PCA map, then first on the t-SNE map, each by NeRV, "
        "forward, backward at k = 80, 120. Mean lambda^2 at k = 80: PCA "
        f"{listed(mean[0, 0, 0])}; t-SNE {listed(mean[1, 0, 0])}. With Gaussians drawn freely (three draws) the "
        f"lowest share is {set2_share(free).min():.1f}",
    )


def cost_of(weights, X, Z, k):
    """Cost at the optimum of `NeRVRelevance` reached from given weights."""
    X, Z = about_median(X)[0], about_median(Z)[0]
    neighborhoods = Neighborhoods(X, Z, k, 0.5)
    return minimize(diagonal_energy, weights, args=(X, neighborhoods, 1.0), jac=True, method="L-BFGS-B").fun


def clean_alone(seed):
    """How much more it costs to explain the Fisher map by features 1 and 2 alone, as a factor."""
    bunch = make_noisy_copies(random_state=seed)
    Z = fisher_tsne(bunch.data, bunch.target, seed)
    return cost_of(np.arange(10) < 2.0, bunch.data, Z, 40) / cost_of(np.ones(10), bunch.data, Z, 40)


@pytest.fixture(scope="module")
def copies():
    """Of data set3 (draws, maps, measures, sizes, features); maps PCA, t-SNE, Fisher t-SNE."""
    seeds = list(range(20))
    return seeds, np.array(over(table, [(make_noisy_copies, seed, {}) for seed in seeds]))


def count_clean(found):
    """In how many draws features 1 and 2 are the two largest, (...,) of (draws, ..., features)."""
    first = np.sort(np.argsort(-found, axis=-1, kind="stable")[..., :2], axis=-1)
    return np.all(first == [0, 1], axis=-1).sum(axis=0)


@pytest.mark.xdist_group("copies")
def test_re_03_noisy_copies(check_claim, copies):
    seeds, found = copies
    clean, first_ten = count_clean(found[:, 2, 0]), count_clean(found[:10, 2, 0])
    other = {
        noise: count_clean(
            np.array(over(table, [(make_noisy_copies, s, {"noise": noise}) for s in SEEDS[:6]]))[:, 0, 0]
        )
        for noise in (0.5, 1.0)
    }
    dearer = over(clean_alone, SEEDS[:3])
    claims.start(seed=seeds)
    check_claim(
        "RE-03",
        [float(c) / len(seeds) for c in clean],
        bool(clean.min() > len(seeds) / 2),
        note=f"share of {len(seeds)} draws at k = 40 and 60, {clean[0]} and {clean[1]} of them: most, not all; of the "
        f"first ten {first_ten[0]} and {first_ten[1]}. Mean lambda^2 at k = 40: "
        f"{listed(found[:, 2, 0, 0].mean(axis=0))}. "
        "The thesis does not give the noise, on which it depends: here it grows by .25 a feature (copies correlate "
        "by .99 and less); with .5 and 1 features 1 and 2 lead in "
        f"{', '.join(map(str, other[0.5]))} and {', '.join(map(str, other[1.0]))} of six draws. The penalty sums "
        "lambda^2, so it is indifferent between a feature and its exact copy; and features 1 and 2 alone cost "
        f"{min(dearer):.2f} to {max(dearer):.2f} times as much as the optimum found (three draws)",
    )


def ranks(profile):
    """The three most relevant of a mean profile, such as 1 > 3 > 2."""
    return " > ".join(str(j + 1) for j in np.argsort(-profile, kind="stable")[:3])


@pytest.mark.xdist_group("copies")
def test_re_28_selection_and_redundancy(check_claim, copies):
    seeds, found = copies
    share = 1 - count_clean(found) / len(seeds)  # (maps, measures, sizes)
    mean = found.mean(axis=0)
    cells = "; ".join(
        f"{name} " + ", ".join(ranks(row) for measure in mean[i] for row in measure)
        for i, name in enumerate(("PCA", "t-SNE"))
    )
    nerv = share[2, 0]
    claims.start(seed=seeds)
    check_claim(
        "RE-28",
        share.ravel().tolist(),
        bool((share[:2, 1:].max(axis=(0, 1)) > nerv).all()),
        note="share of draws with a noisy copy among the first two: PCA, t-SNE, Fisher t-SNE map, each by NeRV, "
        f"forward, backward at k = 40, 60. Ranks of the mean over {len(seeds)} draws in the same order: {cells}. On "
        f"the same Fisher map NeRV has a copy there in {listed(nerv)}, forward in {listed(share[2, 1])}, backward "
        f"in {listed(share[2, 2])} of the draws; NeRV on the PCA map in {listed(share[0, 0])}",
    )


# ---------------------------------------------------------------------------------------------- multimodal, Fig. 4.4

FROM_10_TO_60 = [10, 20, 30, 40, 50, 60]


def bimodal(seed):
    bunch = make_bimodal_class(random_state=seed)
    X, y = bunch.data, bunch.target
    plane = LinearDiscriminantAnalysis(n_components=2).fit(X, y).transform(X)
    curved = fisher_tsne(X, y, seed)
    return [relevance_profile(NeRVMetric(), X, Z, [5, *FROM_10_TO_60, 120, 190]) for Z in (plane, curved)]


def test_re_06_two_maps_of_a_bimodal_class(check_claim):
    found = np.array(over(bimodal, SEEDS))  # (seeds, maps, sizes, features)
    third = found[:, 0, :, 2] / found[:, 0, :, :2].min(axis=-1)
    balance = found[:, 0, :, :2].max(axis=-1) / found[:, 0, :, :2].min(axis=-1)
    first = found[:, 1, :, 0] / found[:, 1, :, 1:].min(axis=-1)
    inner = slice(1, 7)
    worst = [values[:, inner].max(axis=1) for values in (third, balance, first)]
    holds = [worst[0] < 0.2, worst[1] < 2, worst[2] < 0.2]
    claims.start(seed=SEEDS)
    check_claim(
        "RE-06",
        [float(np.median(w)) for w in worst],
        bool(np.all(holds, axis=0).mean() > 0.5),
        spread=[float(np.std(w, ddof=1)) for w in worst],
        note=f"in most draws, not in all: {np.all(holds, axis=0).sum()} of ten. Largest at k = 10 to 60, median draw: "
        "lambda_3 of the LDA map against the smaller other, larger against smaller of these, lambda_1 of the Fisher "
        f"t-SNE map; they hold in {', '.join(str(h.sum()) for h in holds)} draws. lambda_1 at k = 5: "
        f"{np.median(first[:, 0]):.2f}; at k = 190 of 200: {np.median(first[:, -1]):.2f}, of the LDA map's lambda_3 "
        f"{np.median(third[:, -1]):.2f}",
    )
