"""Rare classes: areas under the ROC curve by hand, samples and weights by class, fractions in words."""

import numpy as np
from numpy.random import default_rng
from pytest import approx, mark
from scipy.special import expit, logit
from scipy.stats import norm, t
from sklearn.metrics import roc_auc_score

from toolkit.core import percent
from toolkit.validation import Classes, folds
from toolkit.validation.rankings import area_under_roc, rankings_of

N = 3000
RARE = np.repeat([0, 1, 2], [N - 512, 500, 12])


def scores_of(m, n, seed=0):
    """Which of m + n rows are of a class, and scores that vary much in it."""
    is_class = np.arange(m + n) < m
    x = default_rng(seed).normal(size=m + n)
    return is_class, np.where(is_class, 3 * x + 1, x)


def test_the_interval_of_an_area_is_that_of_delong_on_the_logit_scale():
    """The components V10 and V01 by pairs, and their sample variances."""
    is_class, scores = scores_of(15, 40)
    V = scores[is_class][:, None] > scores[~is_class]
    rows = V.mean(axis=1)
    of_others = V.mean(axis=0)
    variance = rows.var(ddof=1) / 15 + of_others.var(ddof=1) / 40
    area = V.mean()
    variance *= 2 - (2 * area - 1) ** 2  # of common training rows
    half = t.ppf(0.95, 54) * np.sqrt(variance) / (area * (1 - area))
    computed_area, interval = area_under_roc(
        is_class, scores[None], np.arange(55)
    )
    assert computed_area == approx(area) == roc_auc_score(is_class, scores)
    assert interval == approx(expit(logit(area) + np.array([-half, half])))


def test_of_few_rows_that_rank_nearly_perfectly_the_interval_is_that_of_newcombe():
    is_class = np.arange(105) < 5
    scores = np.where(is_class, 0.985, np.linspace(0, 1, 105))
    area, (low, high) = area_under_roc(is_class, scores[None], np.arange(105))
    for end in low, high:
        ratio = (1 - end) / (2 - end) + end / (1 + end)
        factor = 1 + (105 / 2 - 1) * ratio
        variance = end * (1 - end) * factor / 500
        assert abs(area - end) == approx(norm.ppf(0.95) * np.sqrt(variance))


@mark.parametrize("m", [2, 5])
def test_a_perfect_order_of_few_rows_is_bounded_by_its_probability(m):
    is_class = np.arange(60) < m
    bound = 0.05 ** (1 / m)
    rows = np.arange(60)
    perfect = is_class.astype(float)[None]
    assert area_under_roc(is_class, perfect, rows) == (1, approx((bound, 1)))
    reversed_area = area_under_roc(is_class, -perfect, rows)
    assert reversed_area == (0, approx((0, 1 - bound)))


def test_rows_that_are_repeated_in_groups_count_once_and_scores_by_their_ranks():
    is_class, scores = scores_of(12, 30)
    area, interval = area_under_roc(is_class, scores[None], np.arange(42))
    three = np.repeat(np.arange(42), 3)
    repeated = area_under_roc(is_class[three], scores[three][None], three)
    assert repeated == (approx(area), approx(interval))
    ranked = area_under_roc(is_class, np.exp(scores)[None], np.arange(42))
    assert ranked == (area, interval)
    turned = area_under_roc(~is_class, -scores[None], np.arange(42))
    assert turned == (approx(area), approx(interval))


def test_rare_classes_are_ranked_one_against_the_rest():
    target = Classes(RARE, ["often", "seldom", "rare"])
    assert target.rare_classes.tolist() == [2]
    assert len(Classes(np.arange(100) % 25).rare_classes) == 0
    P = default_rng(0).dirichlet([1, 1, 1], N)
    (ranking,) = rankings_of(target, P[None], np.arange(N))
    assert ranking.area == roc_auc_score(RARE == 2, P[:, 2])
    assert (ranking.name, ranking.n_rows) == ("rare", 12)
    assert ranking.baseline == 12 / N


# ---- samples ----


def test_samples_keep_rows_of_rare_classes_and_are_else_as_without_classes():
    plain = np.sort(default_rng(3).permutation(N)[:1000])
    often = Classes(np.arange(N) % 3)
    assert often.sample(1000, 3).tolist() == plain.tolist()
    rows = Classes(RARE).sample(1000, 3)
    assert len(set(rows)) == 1000
    assert np.bincount(RARE[rows])[2] == 12
    sample_of_many = Classes(np.arange(N) % 100).sample(1000, 3)
    assert (np.bincount(sample_of_many % 100) >= 10).all()


def test_errors_in_samples_are_those_of_the_proportions_of_all_rows():
    target = Classes(RARE)
    rows = target.sample(1000, 0)
    part = target.with_sample(rows)[rows]
    for kind in range(3):
        is_kind = (part.y == kind).astype(float)
        assert part.error(is_kind) == approx(np.mean(RARE == kind))
    assert part.baseline() == approx(target.baseline())
    # twelve rows of weight 1/3 tell as much as twelve among all rows
    interval = part.interval((part.y == 2).astype(float), np.arange(1000))
    interval_of_all = target.interval((RARE == 2).astype(float), np.arange(N))
    assert interval == approx(interval_of_all, rel=0.05)
    small = Classes(RARE[-900:])
    assert small.with_sample(np.arange(300)).weights is None


def test_folds_spread_a_rare_class_where_groups_have_several_classes():
    groups = np.arange(N) // 6
    rng = default_rng(0)
    y = np.zeros(N, dtype=int)
    y[6 * rng.choice(N // 6, 10, replace=False)] = 1
    for seed in range(5):
        parts = folds(Classes(y), groups, 5, seed)
        assert [y[test].sum() for _, test in parts] == [2] * 5
        assert all(not set(groups[a]) & set(groups[b]) for a, b in parts)


# ---- words ----


@mark.parametrize(
    ("fraction", "digits", "text"),
    [
        (0, 0, "0 %"),
        (1, 1, "100.0 %"),
        (0.314, 0, "31 %"),
        (0.998, 0, "99.8 %"),
        (0.004, 0, "0.4 %"),
        (0.00001, 0, "< 0.01 %"),
        (0.999999, 0, "> 99.99 %"),
    ],
)
def test_only_nothing_and_all_are_0_and_100_percent(fraction, digits, text):
    assert percent(fraction, digits) == text


def test_an_interval_near_zero_is_not_said_to_end_there():
    target = Classes(RARE)
    assert target.span((0.00004, 0.001)) == "0.004 to 0.1 %"
