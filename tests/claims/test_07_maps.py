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
    by_nerv = relevance_profile(NeRVRelevance(), X, Z, SIZES)
    by_forward = forward_relevance(X, Z, SIZES)
    profiles = [by_nerv, by_forward, backward_relevance(X, Z, SIZES)]
    parameters = ((0.5, 0.1), (0.5, 3), (0, 1), (1, 1))
    other_profiles = [
        relevance_profile(
            NeRVRelevance(gamma=gamma, delta=delta), X, Z, [25, 40, 55]
        )
        for gamma, delta in parameters
    ]
    Z_other = tsne(X, seed, perplexity=10)
    other_profiles.append(
        relevance_profile(NeRVRelevance(), X, Z_other, [25, 40, 55])
    )
    Z_random = tsne(X, seed, init="random")
    # A feature that the map never saw is the true baseline.
    unseen = default_rng(1000 + seed).normal(size=(len(X), 1))
    chance = SIZES / (len(X) - 1)
    Q = q_nx(X, Z)[SIZES - 1]
    of_unseen = forward_relevance(np.hstack([X, unseen]), Z, SIZES)[:, 3]
    forward_of_random = forward_relevance(X, Z_random, SIZES)[:, 2]
    backward_of_random = backward_relevance(X, Z_random, SIZES)[:, 2]
    Q_random = q_nx(X, Z_random)[SIZES - 1]
    baseline = [
        of_unseen - chance,
        Q,
        profiles[1][:, 2] - chance,
        profiles[2][:, 2] - Q,
        forward_of_random - chance,
        backward_of_random - Q_random,
    ]
    return profiles, other_profiles, baseline


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
    profiles, other_profiles, baseline = cluster_profiles
    nerv, forward, backward = profiles.swapaxes(0, 1)
    # (measures, seeds, sizes)
    extremes = [nerv.argmin(-1), forward.argmin(-1), backward.argmax(-1)]
    last = np.stack(extremes) == 2
    ranked = last[..., RANKED]
    ratio = share_of_third(nerv)
    largest_ratio = ratio[:, (SIZES >= 25) & (SIZES <= 58)].max(1)
    before_58 = ratio[:, (SIZES >= 25) & (SIZES <= 55)].max(1)
    is_small = largest_ratio < 0.1
    Q_at_20 = baseline[:, 1, SIZES == 20].mean()
    R_at_20 = (59 * Q_at_20 - 20) / (59 - 20)
    Q_at_40 = baseline[:, 1, SIZES == 40].mean()
    far_samples = (59 * Q_at_40 - 40) / (59 - 40)
    text = by_name(("NeRV", "forward", "backward"), last.sum(1), 0)
    measured = [*ranked.mean((1, 2)), np.median(largest_ratio)]
    holds = np.mean(ranked.all((0, 2)) & is_small) > 0.5
    n_without_58 = np.sum(before_58 < 0.1)
    note = f"""share of ten draws and k = 16, 24 at which dimension 3 is last, by
        NeRV, forward, backward; lambda_3 against the smaller other, largest at k >= 25,
        median draw (below .1 in {is_small.sum()} draws, without k = 58 in
        {n_without_58}). Draws with 3 last at k = {decimals(SIZES, 0)}:"""
    note += f""" {text}. Below the cluster size lambda_3 is as large as the others (RE-27); from
        35 on the selections fail, since which other cluster is next is an accident of
        the map where all are as far (R_NX falls from {R_at_20:.2f} at k = 20 to {far_samples:.2f}
        at 40). lambda_3 at k = 25 to 55: at most {before_58.max():.0e} of the others;
        for delta .1, 3, gamma 0, 1 and perplexity 10"""
    others_text = decimals(share_of_third(other_profiles).max((0, 2)))
    note += f""" {others_text}; at 58, all but one sample,
        {np.median(ratio[:, -1]):.1f}"""
    check_claim("RE-01", measured, holds, SEEDS, note=note)


def test_re_27_small_neighborhoods(check_claim, cluster_profiles):
    profiles, _, baseline = cluster_profiles
    small = SIZES <= 15
    ratio = share_of_third(profiles[:, 0])[:, small].mean(0)
    unseen, _, *means = baseline[..., small].mean(0)
    magnitudes = np.abs(baseline[:, 2:4, SIZES >= 20])
    late = magnitudes.mean(0).max(1)
    measured = [*ratio, *means[0], *means[1]]
    holds = ratio.min() >= 1 / 3 and np.abs(means[:2]).max() <= 0.05
    largest_of_unseen = np.abs(unseen).max()
    note = f"""k = {decimals(SIZES[small], 0)}, mean of ten draws: lambda_3 against
        the smaller other; forward minus k/(N - 1); backward minus Q(X). The first
        holds. The baselines hold for a feature that the map never saw (forward misses
        by {largest_of_unseen:.3f}), and for dimension 3 from k = 20 on (by"""
    note += f""" {late[0]:.2f} and {late[1]:.2f}); below, the selections see that the map orders
        the samples of a cluster by dimension 3 too, as NeRV does. Maps from a random
        start miss alike: {decimals(means[2:])}"""
    check_claim("RE-27", measured, holds, SEEDS, note=note)


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


def set2_share(profiles):
    """Share of draws with the printed ranks, (maps, measures, sizes)."""
    pca_last = profiles[:, 0].argmin(-1) == 2
    t_sne_first = profiles[:, 1].argmax(-1) == 2
    return np.stack([pca_last, t_sne_first]).mean(1)


def test_re_02_stacked_gaussians(check_claim):
    runs = sweep(table, SEEDS[:5], make=make_stacked_gaussians)
    free = sweep(table, SEEDS[:3], make=free_gaussians)
    share = set2_share(runs)
    pca, t_sne = runs.mean(0)[:, 0, 0]
    lowest_of_free = set2_share(free).min()
    note = f"""share of five draws with dimension 3 last on the PCA map, then first on
        the t-SNE map, each by NeRV, forward, backward at k = 80, 120. Mean lambda^2 at
        k = 80: PCA {decimals(pca)}; t-SNE {decimals(t_sne)}. With Gaussians drawn
        freely (three draws) the lowest share is {lowest_of_free:.1f}"""
    holds = share.min() == 1
    check_claim("RE-02", share.ravel(), holds, seed=SEEDS[:5], note=note)


def clean_alone(seed):
    """How much more it costs to explain the Fisher map by features 1 and 2 alone, as a
    factor.
    """
    X, y = data_of(noisy_copies(random_state=seed))
    Z = median_centred(parzen_map(X, y, seed)).X
    X = median_centred(X).X
    neighborhoods = Neighborhoods(X, Z, 40, 0.5)
    # at the optimum of `NeRVRelevance` reached from given weights
    clean = minimize(
        diagonal_energy,
        (np.arange(10) < 2.0),
        args=(X, neighborhoods, 1.0),
        jac=True,
        method="L-BFGS-B",
    ).fun
    cost_of_all = minimize(
        diagonal_energy,
        np.ones(10),
        args=(X, neighborhoods, 1.0),
        jac=True,
        method="L-BFGS-B",
    ).fun
    return clean / cost_of_all


@fixture(scope="module")
def copies():
    """Of data set3 (draws, maps, measures, sizes, features); maps PCA, t-SNE, Fisher
    t-SNE.
    """
    return sweep(table, range(20), make=noisy_copies)


def count_clean(profiles):
    """In how many draws features 1 and 2 are the two largest, (...,) of (draws, ...,
    features).
    """
    first = np.argsort(-profiles, -1, kind="stable")[..., :2]
    return np.all(first < 2, -1).sum(0)


def test_re_03_noisy_copies(check_claim, copies):
    fisher = copies[:, 2, 0]
    clean = count_clean(fisher)
    first_ten = count_clean(fisher[:10])
    tables = sweep(table, SEEDS[:6], make=noisy_copies, noise=0.5)
    half = count_clean(tables[:, 0, 0])
    noisier_tables = sweep(table, SEEDS[:6], make=noisy_copies, noise=1.0)
    n_clean_of_one = count_clean(noisier_tables[:, 0, 0])
    factors = over(clean_alone, SEEDS[:3])
    holds = clean.min() > len(copies) / 2
    note = f"share of {len(copies)} draws at k = 40 and 60, {clean[0]} and"
    note += f" {clean[1]} of them: most, not all; of the first ten {first_ten[0]} and"
    fisher_profile = fisher[:, 0].mean(0)
    note += f""" {first_ten[1]}. Mean lambda^2 at k = 40: {decimals(fisher_profile)}. The
        thesis does not give the noise, on which it depends: here it grows by .25 a
        feature (copies correlate by .99 and less); with .5 and 1 features 1 and 2 lead"""
    half_text = decimals(half, 0)
    one_text = decimals(n_clean_of_one, 0)
    note += f""" in {half_text} and {one_text} of six draws. The penalty sums
        lambda^2, so it is indifferent between a feature and its exact copy; and
        features 1 and 2 alone cost {min(factors):.2f} to {max(factors):.2f} times as
        much as the optimum found (three draws)"""
    check_claim("RE-03", clean / len(copies), holds, range(20), note=note)


def ranks(profile):
    """The three most relevant of a mean profile, such as 1 > 3 > 2."""
    order = np.argsort(-profile, kind="stable")[:3]
    return " > ".join(str(j + 1) for j in order)


def test_re_28_selection_and_redundancy(check_claim, copies):
    share = 1 - count_clean(copies) / len(copies)  # (maps, measures, sizes)
    pca, t_sne, _ = (
        ", ".join(ranks(row) for row in profiles.reshape(6, -1))
        for profiles in copies.mean(0)
    )
    nerv, forward, backward = share[2]
    best_of_selections = share[:2, 1:].max((0, 1))
    holds = (best_of_selections > nerv).all()
    note = f"""share of draws with a noisy copy among the first two: PCA, t-SNE,
        Fisher t-SNE map, each by NeRV, forward, backward at k = 40, 60. Ranks of the
        mean over {len(copies)} draws in the same order: PCA {pca}; t-SNE {t_sne}. On
        the same Fisher map NeRV has a copy there in {decimals(nerv)}, forward in"""
    nerv_on_pca = share[0, 0]
    note += f""" {decimals(forward)}, backward in {decimals(backward)} of the draws; NeRV on the
        PCA map in {decimals(nerv_on_pca)}"""
    check_claim("RE-28", share.ravel(), holds, range(20), note=note)


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
    smaller = plane[..., :2].min(-1)
    balance = plane[..., :2].max(-1) / smaller
    larger_of_others = curved[..., 1:].min(-1)
    first = curved[..., 0] / larger_of_others
    largest_ratios = np.max([third[1:7], balance[1:7], first[1:7]], 1).T
    holds = largest_ratios < [0.2, 2, 0.2]
    all_three = holds.all(1)
    note = f"""in most draws, not in all: {all_three.sum()} of ten. Largest at k = 10
        to 60, median draw: lambda_3 of the LDA map against the smaller other, larger
        against smaller of these, lambda_1 of the Fisher t-SNE map; they hold in"""
    note += f" {decimals(holds.sum(0), 0)} draws. lambda_1 at k = 5: {np.median(first[0]):.2f};"
    note += f""" at k = 190 of 200: {np.median(first[-1]):.2f}, of the LDA map's lambda_3
        {np.median(third[-1]):.2f}"""
    check_claim(
        "RE-06",
        **summary(largest_ratios, np.median),
        ok=all_three.mean() > 0.5,
        seed=SEEDS,
        note=note,
    )
