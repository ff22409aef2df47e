"""Claims of the thesis, section 4.2, about made sets: the features a map shows, by selection and by learned weights."""

import numpy as np
from numpy.random import default_rng
from pytest import fixture
from scipy.optimize import minimize
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from toolkit.core.scaling import median_centred
from toolkit.datasets import (
    make_bimodal_class,
    make_noisy_copies,
    make_stacked_gaussians,
    make_three_clusters,
)
from toolkit.embed import TSNE
from toolkit.quality import q_nx
from toolkit.relevance import (
    NeRVMetric,
    NeRVRelevance,
    backward_relevance,
    forward_relevance,
)
from toolkit.relevance.cost import Neighborhoods, diagonal_energy

from .draws import by_name, listed, over, parts, parzen_map, summary, sweep
from .relevance_profiles import relevance_profile

SEEDS = range(10)


# ----------------------------------------------------------------------------------------------
# made sets, Table 4.1

# 58 is the largest k of 60 samples
SIZES = np.array([5, 10, 15, 16, 20, 24, 25, 30, 35, 40, 45, 50, 55, 58])
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
    random = [
        f(X, Z_random, SIZES)[:, 2] for f in (forward_relevance, backward_relevance)
    ]
    # A feature that the map never saw is the true baseline.
    unseen = default_rng(1000 + seed).normal(size=(len(X), 1))
    wider = np.hstack([X, unseen])
    baseline = (
        forward_relevance(wider, Z, SIZES)[:, 3],
        q_nx(X, Z)[SIZES - 1],
        *random,
        q_nx(X, Z_random)[SIZES - 1],
    )
    return np.array(profiles), np.array(others), np.array(baseline)


@fixture(scope="module")
def cluster_profiles():
    """Profiles (seeds, measures, sizes, features); with other parameters; baselines (seeds, 5, sizes): of a feature
    that the map never saw, Q(X), and of a map from a random start forward, backward
    and Q(X)."""
    return parts(three_clusters, SEEDS)


def share_of_third(nerv):
    """lambda_3 over the smaller of the other two."""
    return nerv[..., 2] / nerv[..., :2].min(-1)


def test_re_01_three_clusters(check_claim, cluster_profiles):
    profiles, others, baseline = cluster_profiles
    nerv, forward, backward = profiles.swapaxes(0, 1)
    last = np.stack([nerv.argmin(-1), forward.argmin(-1), backward.argmax(-1)]) == 2
    # (measures, seeds, sizes)
    ratio = share_of_third(nerv)
    worst, before_58 = (
        ratio[:, (SIZES >= 25) & (SIZES <= most)].max(1) for most in (58, 55)
    )
    agree, few = last[..., RANKED].all((0, 2)), worst < 0.1
    quality = [
        ((59 * q - k) / (59 - k)).mean()
        for k, q in ((k, baseline[:, 1, SIZES == k]) for k in (20, 40))
    ]
    text = by_name(("NeRV", "forward", "backward"), last.sum(1), 0)
    check_claim(
        "RE-01",
        [*last[..., RANKED].mean((1, 2)), np.median(worst)],
        np.mean(agree & few) > 0.5,
        SEEDS,
        note=f"""share of ten draws and k = 16, 24 at which dimension 3 is last, by NeRV, forward,
        backward; lambda_3 against the smaller other, largest at k >= 25, median draw (below .1 in {few.sum()} draws,
        without k = 58 in {np.sum(before_58 < 0.1)}). Draws with 3 last at k = {listed(SIZES, 0)}: {text}.
        Below the cluster size lambda_3 is as large as the others (RE-27); from 35 on the selections fail, since
        which other cluster is next is an accident of the map where all are as far (R_NX falls from {quality[0]:.2f}
        at k = 20 to {quality[1]:.2f} at 40). lambda_3 at k = 25 to 55: at most {before_58.max():.0e} of the others;
        for delta .1, 3, gamma 0, 1 and perplexity 10 {listed(share_of_third(others).max((0, 2)))}; at 58, all
        but one sample, {np.median(ratio[:, -1]):.1f}""",
    )


def test_re_27_small_neighborhoods(check_claim, cluster_profiles):
    profiles, _, baseline = cluster_profiles
    small, later = SIZES <= 15, SIZES >= 20
    k, chance = SIZES[small], SIZES / 59
    ratio = share_of_third(profiles[:, 0])[:, small].mean(0)
    off = [profiles[:, 1, :, 2] - chance, profiles[:, 2, :, 2] - baseline[:, 1]]
    forward, backward = (values[:, small] for values in off)
    unseen = (baseline[:, 0] - chance)[:, small]
    late = [np.abs(values[:, later]).mean(0).max() for values in off]
    random = [
        (baseline[:, 2] - chance)[:, small],
        (baseline[:, 3] - baseline[:, 4])[:, small],
    ]
    means = [values.mean(0) for values in (forward, backward)]
    check_claim(
        "RE-27",
        [*ratio, *means[0], *means[1]],
        ratio.min() >= 1 / 3 and np.abs(means).max() <= 0.05,
        SEEDS,
        note=f"""k = {listed(k, 0)}, mean of ten draws: lambda_3 against the smaller other;
        forward minus k/(N - 1); backward minus Q(X). The first holds. The baselines hold for a feature that the map
        never saw (forward misses by {np.abs(unseen.mean(0)).max():.3f}), and for dimension 3 from k = 20 on (by
        {late[0]:.2f} and {late[1]:.2f}); below, the selections see that the map orders the samples of a cluster by
        dimension 3 too, as NeRV does. Maps from a random start miss alike:
        {listed([values.mean(0) for values in random])}""",
    )


def table(seed, make, **options):
    """Profiles (measures, sizes, features) of maps of one draw at k = .8 and 1.2 of the cluster size."""
    bunch = make(random_state=seed, **options)
    X, y = bunch.data, bunch.target
    size = np.bincount(y).min()
    sizes = [round(0.8 * size), round(1.2 * size)]
    maps = [PCA(2).fit_transform(X), TSNE(random_state=seed).fit_transform(X)]
    if make is make_noisy_copies:
        fisher = parzen_map(X, y, seed)
        maps = [*maps, fisher] if not options else [fisher]
    return [
        [
            relevance_profile(NeRVRelevance(), X, Z, sizes),
            forward_relevance(X, Z, sizes),
            -backward_relevance(X, Z, sizes),
        ]
        for Z in maps
    ]  # (maps, measures, sizes, features); the larger the more relevant


def free_gaussians(random_state):
    """Data set2 without the even filling: Gaussians drawn freely."""
    bunch = make_stacked_gaussians(random_state=random_state)
    rng = default_rng(random_state)
    bunch.data[:, :2] = rng.normal(size=(len(bunch.data), 2))
    return bunch


def set2_share(found):
    """Share of draws with the printed ranks, (maps, measures, sizes)."""
    return np.stack([found[:, 0].argmin(-1) == 2, found[:, 1].argmax(-1) == 2]).mean(1)


def test_re_02_stacked_gaussians(check_claim):
    found = sweep(table, SEEDS[:5], make=make_stacked_gaussians)
    free = sweep(table, SEEDS[:3], make=free_gaussians)
    share = set2_share(found)
    mean = found.mean(0)
    check_claim(
        "RE-02",
        share.ravel(),
        share.min() == 1,
        seed=SEEDS[:5],
        note=f"""share of five draws with dimension 3 last on the PCA map, then first on the t-SNE
        map, each by NeRV, forward, backward at k = 80, 120. Mean lambda^2 at k = 80: PCA {listed(mean[0, 0, 0])};
        t-SNE {listed(mean[1, 0, 0])}. With Gaussians drawn freely (three draws) the lowest share is
        {set2_share(free).min():.1f}""",
    )


def cost_of(weights, X, Z, k):
    """Cost at the optimum of `NeRVRelevance` reached from given weights."""
    X, Z = median_centred(X)[0], median_centred(Z)[0]
    neighborhoods = Neighborhoods(X, Z, k, 0.5)
    return minimize(
        diagonal_energy,
        weights,
        args=(X, neighborhoods, 1.0),
        jac=True,
        method="L-BFGS-B",
    ).fun


def clean_alone(seed):
    """How much more it costs to explain the Fisher map by features 1 and 2 alone, as a factor."""
    bunch = make_noisy_copies(random_state=seed)
    Z = parzen_map(bunch.data, bunch.target, seed)
    return cost_of(np.arange(10) < 2.0, bunch.data, Z, 40) / cost_of(
        np.ones(10), bunch.data, Z, 40
    )


@fixture(scope="module")
def copies():
    """Of data set3 (draws, maps, measures, sizes, features); maps PCA, t-SNE, Fisher t-SNE."""
    seeds = range(20)
    return seeds, sweep(table, seeds, make=make_noisy_copies)


def count_clean(found):
    """In how many draws features 1 and 2 are the two largest, (...,) of (draws, ..., features)."""
    first = np.sort(np.argsort(-found, -1, kind="stable")[..., :2], -1)
    return np.all(first == [0, 1], -1).sum(0)


def test_re_03_noisy_copies(check_claim, copies):
    seeds, found = copies
    clean, first_ten = count_clean(found[:, 2, 0]), count_clean(found[:10, 2, 0])
    noisier = [
        sweep(table, SEEDS[:6], make=make_noisy_copies, noise=noise)
        for noise in (0.5, 1.0)
    ]
    half, one = (count_clean(other[:, 0, 0]) for other in noisier)
    dearer = over(clean_alone, SEEDS[:3])
    check_claim(
        "RE-03",
        clean / len(seeds),
        clean.min() > len(seeds) / 2,
        seeds,
        note=f"""share of {len(seeds)} draws at k = 40 and 60, {clean[0]} and {clean[1]} of them: most,
        not all; of the first ten {first_ten[0]} and {first_ten[1]}. Mean lambda^2 at k = 40:
        {listed(found[:, 2, 0, 0].mean(0))}. The thesis does not give the noise, on which it depends: here it
        grows by .25 a feature (copies correlate by .99 and less); with .5 and 1 features 1 and 2 lead in
        {listed(half, 0)} and {listed(one, 0)} of six draws. The penalty sums
        lambda^2, so it is indifferent between a feature and its exact copy; and features 1 and 2 alone cost
        {min(dearer):.2f} to {max(dearer):.2f} times as much as the optimum found (three draws)""",
    )


def ranks(profile):
    """The three most relevant of a mean profile, such as 1 > 3 > 2."""
    return " > ".join(str(j + 1) for j in np.argsort(-profile, kind="stable")[:3])


def test_re_28_selection_and_redundancy(check_claim, copies):
    seeds, found = copies
    share = 1 - count_clean(found) / len(seeds)  # (maps, measures, sizes)
    mean = found.mean(0)
    cells = "; ".join(
        f"{name} " + ", ".join(ranks(row) for measure in mean[i] for row in measure)
        for i, name in enumerate(("PCA", "t-SNE"))
    )
    nerv = share[2, 0]
    check_claim(
        "RE-28",
        share.ravel(),
        (share[:2, 1:].max((0, 1)) > nerv).all(),
        seeds,
        note=f"""share of draws with a noisy copy among the first two: PCA, t-SNE, Fisher t-SNE map, each
        by NeRV, forward, backward at k = 40, 60. Ranks of the mean over {len(seeds)} draws in the same order:
        {cells}. On the same Fisher map NeRV has a copy there in {listed(nerv)}, forward in {listed(share[2, 1])},
        backward in {listed(share[2, 2])} of the draws; NeRV on the PCA map in {listed(share[0, 0])}""",
    )


# ----------------------------------------------------------------------------------------------
# multimodal, Fig. 4.4

FROM_10_TO_60 = [10, 20, 30, 40, 50, 60]


def bimodal(seed):
    bunch = make_bimodal_class(random_state=seed)
    X, y = bunch.data, bunch.target
    plane = LinearDiscriminantAnalysis(n_components=2).fit(X, y).transform(X)
    curved = parzen_map(X, y, seed)
    return [
        relevance_profile(NeRVMetric(), X, Z, [5, *FROM_10_TO_60, 120, 190])
        for Z in (plane, curved)
    ]


def test_re_06_two_maps_of_a_bimodal_class(check_claim):
    found = sweep(bimodal, SEEDS)  # (seeds, maps, sizes, features)
    third = found[:, 0, :, 2] / found[:, 0, :, :2].min(-1)
    balance = found[:, 0, :, :2].max(-1) / found[:, 0, :, :2].min(-1)
    first = found[:, 1, :, 0] / found[:, 1, :, 1:].min(-1)
    inner = slice(1, 7)
    worst = [values[:, inner].max(1) for values in (third, balance, first)]
    holds = [worst[0] < 0.2, worst[1] < 2, worst[2] < 0.2]
    check_claim(
        "RE-06",
        **summary(np.transpose(worst), np.median),
        ok=np.all(holds, 0).mean() > 0.5,
        seed=SEEDS,
        note=f"""in most draws, not in all: {np.all(holds, 0).sum()} of ten. Largest at k = 10 to 60, median
        draw: lambda_3 of the LDA map against the smaller other, larger against smaller of these, lambda_1 of the
        Fisher t-SNE map; they hold in {", ".join(str(h.sum()) for h in holds)} draws. lambda_1 at k = 5:
        {np.median(first[:, 0]):.2f}; at k = 190 of 200: {np.median(first[:, -1]):.2f}, of the LDA map's lambda_3
        {np.median(third[:, -1]):.2f}""",
    )
