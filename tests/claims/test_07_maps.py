"""Claims of the thesis, section 4.2, about made sets: the features a map shows, by
selection and by learned weights.
"""

import numpy as np
from numpy.random import default_rng
from pytest import fixture
from scipy.optimize import minimize
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from toolkit.core.scaling import median_centred
from toolkit.datasets import make_stacked_gaussians, make_three_clusters
from toolkit.quality import q_nx
from toolkit.relevance import (
    NeRVMetric,
    NeRVRelevance,
    backward_relevance,
    forward_relevance,
)
from toolkit.relevance.cost import Neighborhoods, diagonal_energy

from .draws import (
    by_name,
    data_of,
    decimals,
    over,
    parts,
    parzen_map,
    summary,
    sweep,
    tsne,
)
from .relevance_profiles import relevance_profile
from .relevance_sets import bimodal_class, noisy_copies

SEEDS = range(10)


# ------------------------------------------------------------------------------
# made sets, Table 4.1

# 58 is the largest k of 60 samples
SIZES = np.array([5, 10, 15, 16, 20, 24, 25, 30, 35, 40, 45, 50, 55, 58])
RANKED = np.isin(SIZES, [16, 24])  # .8 and 1.2 of the cluster size


def three_clusters(seed):
    """Profiles, profiles with other parameters, and baselines of one draw."""
    X = make_three_clusters(random_state=seed).data
    Z = tsne(X, seed)
    profiles = [
        relevance_profile(NeRVRelevance(), X, Z, SIZES),
        forward_relevance(X, Z, SIZES),
        backward_relevance(X, Z, SIZES),
    ]
    others = [
        relevance_profile(
            NeRVRelevance(gamma=gamma, delta=delta), X, Z, [25, 40, 55]
        )
        for gamma, delta in ((0.5, 0.1), (0.5, 3), (0, 1), (1, 1))
    ]
    Z_other = tsne(X, seed, perplexity=10)
    others.append(relevance_profile(NeRVRelevance(), X, Z_other, [25, 40, 55]))
    Z_random = tsne(X, seed, init="random")
    # A feature that the map never saw is the true baseline.
    unseen = default_rng(1000 + seed).normal(size=(len(X), 1))
    chance = SIZES / (len(X) - 1)
    Q = q_nx(X, Z)[SIZES - 1]
    baseline = [
        forward_relevance(np.hstack([X, unseen]), Z, SIZES)[:, 3] - chance,
        Q,
        profiles[1][:, 2] - chance,
        profiles[2][:, 2] - Q,
        forward_relevance(X, Z_random, SIZES)[:, 2] - chance,
        backward_relevance(X, Z_random, SIZES)[:, 2]
        - q_nx(X, Z_random)[SIZES - 1],
    ]
    return profiles, others, baseline


@fixture(scope="module")
def cluster_profiles():
    """Profiles (seeds, measures, sizes, features); with other parameters; baselines
    (seeds, 6, sizes): of a feature that the map never saw, less chance; Q(X); forward
    less chance and backward less Q(X), then the same of a map from a random start.
    """
    return list(parts(three_clusters, SEEDS))


def share_of_third(nerv):
    """lambda_3 over the smaller of the other two."""
    return nerv[..., 2] / nerv[..., :2].min(-1)


def test_re_01_three_clusters(check_claim, cluster_profiles):
    profiles, others, baseline = cluster_profiles
    nerv, forward, backward = profiles.swapaxes(0, 1)
    # (measures, seeds, sizes)
    last = (
        np.stack([nerv.argmin(-1), forward.argmin(-1), backward.argmax(-1)])
        == 2
    )
    ranked = last[..., RANKED]
    ratio = share_of_third(nerv)
    worst, before_58 = (
        ratio[:, (SIZES >= 25) & (SIZES <= most)].max(1) for most in (58, 55)
    )
    few = worst < 0.1
    near, far = (
        (59 * baseline[:, 1, SIZES == k].mean() - k) / (59 - k)
        for k in (20, 40)
    )
    text = by_name(("NeRV", "forward", "backward"), last.sum(1), 0)
    check_claim(
        "RE-01",
        [*ranked.mean((1, 2)), np.median(worst)],
        np.mean(ranked.all((0, 2)) & few) > 0.5,
        SEEDS,
        note=f"""share of ten draws and k = 16, 24 at which dimension 3 is last, by
        NeRV, forward, backward; lambda_3 against the smaller other, largest at k >= 25,
        median draw (below .1 in {few.sum()} draws, without k = 58 in
        {np.sum(before_58 < 0.1)}). Draws with 3 last at k = {decimals(SIZES, 0)}:
        {text}. Below the cluster size lambda_3 is as large as the others (RE-27); from
        35 on the selections fail, since which other cluster is next is an accident of
        the map where all are as far (R_NX falls from {near:.2f} at k = 20 to {far:.2f}
        at 40). lambda_3 at k = 25 to 55: at most {before_58.max():.0e} of the others;
        for delta .1, 3, gamma 0, 1 and perplexity 10
        {decimals(share_of_third(others).max((0, 2)))}; at 58, all but one sample,
        {np.median(ratio[:, -1]):.1f}""",
    )


def test_re_27_small_neighborhoods(check_claim, cluster_profiles):
    profiles, _, baseline = cluster_profiles
    small = SIZES <= 15
    ratio = share_of_third(profiles[:, 0])[:, small].mean(0)
    unseen, _, *means = baseline[..., small].mean(0)
    late = np.abs(baseline[:, 2:4, SIZES >= 20]).mean(0).max(1)
    check_claim(
        "RE-27",
        [*ratio, *means[0], *means[1]],
        ratio.min() >= 1 / 3 and np.abs(means[:2]).max() <= 0.05,
        SEEDS,
        note=f"""k = {decimals(SIZES[small], 0)}, mean of ten draws: lambda_3 against
        the smaller other; forward minus k/(N - 1); backward minus Q(X). The first
        holds. The baselines hold for a feature that the map never saw (forward misses
        by {np.abs(unseen).max():.3f}), and for dimension 3 from k = 20 on (by
        {late[0]:.2f} and {late[1]:.2f}); below, the selections see that the map orders
        the samples of a cluster by dimension 3 too, as NeRV does. Maps from a random
        start miss alike: {decimals(means[2:])}""",
    )


def table(seed, make, **options):
    """Profiles (measures, sizes, features) of maps of one draw at k = .8 and 1.2 of the
    cluster size.
    """
    X, y = data_of(make(random_state=seed, **options))
    size = np.bincount(y).min()
    sizes = [round(0.8 * size), round(1.2 * size)]
    maps = []
    if not options:
        maps += [PCA(2).fit_transform(X), tsne(X, seed)]
    if make is noisy_copies:
        maps.append(parzen_map(X, y, seed))
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
    return np.stack(
        [found[:, 0].argmin(-1) == 2, found[:, 1].argmax(-1) == 2]
    ).mean(1)


def test_re_02_stacked_gaussians(check_claim):
    found = sweep(table, SEEDS[:5], make=make_stacked_gaussians)
    free = sweep(table, SEEDS[:3], make=free_gaussians)
    share = set2_share(found)
    pca, t_sne = found.mean(0)[:, 0, 0]
    check_claim(
        "RE-02",
        share.ravel(),
        share.min() == 1,
        seed=SEEDS[:5],
        note=f"""share of five draws with dimension 3 last on the PCA map, then first on
        the t-SNE map, each by NeRV, forward, backward at k = 80, 120. Mean lambda^2 at
        k = 80: PCA {decimals(pca)}; t-SNE {decimals(t_sne)}. With Gaussians drawn
        freely (three draws) the lowest share is {set2_share(free).min():.1f}""",
    )


def clean_alone(seed):
    """How much more it costs to explain the Fisher map by features 1 and 2 alone, as a
    factor.
    """
    X, y = data_of(noisy_copies(random_state=seed))
    Z = median_centred(parzen_map(X, y, seed))[0]
    X = median_centred(X)[0]
    neighborhoods = Neighborhoods(X, Z, 40, 0.5)
    # at the optimum of `NeRVRelevance` reached from given weights
    clean, every = (
        minimize(
            diagonal_energy,
            weights,
            args=(X, neighborhoods, 1.0),
            jac=True,
            method="L-BFGS-B",
        ).fun
        for weights in (np.arange(10) < 2.0, np.ones(10))
    )
    return clean / every


@fixture(scope="module")
def copies():
    """Of data set3 (draws, maps, measures, sizes, features); maps PCA, t-SNE, Fisher
    t-SNE.
    """
    return sweep(table, range(20), make=noisy_copies)


def count_clean(found):
    """In how many draws features 1 and 2 are the two largest, (...,) of (draws, ...,
    features).
    """
    first = np.argsort(-found, -1, kind="stable")[..., :2]
    return np.all(first < 2, -1).sum(0)


def test_re_03_noisy_copies(check_claim, copies):
    fisher = copies[:, 2, 0]
    clean = count_clean(fisher)
    first_ten = count_clean(fisher[:10])
    half, one = (
        count_clean(
            sweep(table, SEEDS[:6], make=noisy_copies, noise=noise)[:, 0, 0]
        )
        for noise in (0.5, 1.0)
    )
    factors = over(clean_alone, SEEDS[:3])
    check_claim(
        "RE-03",
        clean / len(copies),
        clean.min() > len(copies) / 2,
        range(20),
        note=f"""share of {len(copies)} draws at k = 40 and 60, {clean[0]} and
        {clean[1]} of them: most, not all; of the first ten {first_ten[0]} and
        {first_ten[1]}. Mean lambda^2 at k = 40: {decimals(fisher[:, 0].mean(0))}. The
        thesis does not give the noise, on which it depends: here it grows by .25 a
        feature (copies correlate by .99 and less); with .5 and 1 features 1 and 2 lead
        in {decimals(half, 0)} and {decimals(one, 0)} of six draws. The penalty sums
        lambda^2, so it is indifferent between a feature and its exact copy; and
        features 1 and 2 alone cost {min(factors):.2f} to {max(factors):.2f} times as
        much as the optimum found (three draws)""",
    )


def ranks(profile):
    """The three most relevant of a mean profile, such as 1 > 3 > 2."""
    return " > ".join(
        str(j + 1) for j in np.argsort(-profile, kind="stable")[:3]
    )


def test_re_28_selection_and_redundancy(check_claim, copies):
    share = 1 - count_clean(copies) / len(copies)  # (maps, measures, sizes)
    pca, t_sne, _ = (
        ", ".join(ranks(row) for row in profiles.reshape(6, -1))
        for profiles in copies.mean(0)
    )
    nerv, forward, backward = share[2]
    check_claim(
        "RE-28",
        share.ravel(),
        (share[:2, 1:].max((0, 1)) > nerv).all(),
        range(20),
        note=f"""share of draws with a noisy copy among the first two: PCA, t-SNE,
        Fisher t-SNE map, each by NeRV, forward, backward at k = 40, 60. Ranks of the
        mean over {len(copies)} draws in the same order: PCA {pca}; t-SNE {t_sne}. On
        the same Fisher map NeRV has a copy there in {decimals(nerv)}, forward in
        {decimals(forward)}, backward in {decimals(backward)} of the draws; NeRV on the
        PCA map in {decimals(share[0, 0])}""",
    )


# ------------------------------------------------------------------------------
# multimodal, Fig. 4.4


def bimodal(seed):
    X, y = data_of(bimodal_class(random_state=seed))
    plane = LinearDiscriminantAnalysis(n_components=2).fit(X, y).transform(X)
    sizes = [5, 10, 20, 30, 40, 50, 60, 120, 190]
    return [
        relevance_profile(NeRVMetric(), X, Z, sizes)
        for Z in (plane, parzen_map(X, y, seed))
    ]


def test_re_06_two_maps_of_a_bimodal_class(check_claim):
    # (maps, sizes, seeds, features)
    plane, curved = sweep(bimodal, SEEDS).transpose(1, 2, 0, 3)
    third = share_of_third(plane)
    balance = plane[..., :2].max(-1) / plane[..., :2].min(-1)
    first = curved[..., 0] / curved[..., 1:].min(-1)
    worst = np.max([third[1:7], balance[1:7], first[1:7]], 1).T
    holds = worst < [0.2, 2, 0.2]
    all_three = holds.all(1)
    check_claim(
        "RE-06",
        **summary(worst, np.median),
        ok=all_three.mean() > 0.5,
        seed=SEEDS,
        note=f"""in most draws, not in all: {all_three.sum()} of ten. Largest at k = 10
        to 60, median draw: lambda_3 of the LDA map against the smaller other, larger
        against smaller of these, lambda_1 of the Fisher t-SNE map; they hold in
        {decimals(holds.sum(0), 0)} draws. lambda_1 at k = 5: {np.median(first[0]):.2f};
        at k = 190 of 200: {np.median(first[-1]):.2f}, of the LDA map's lambda_3
        {np.median(third[-1]):.2f}""",
    )
