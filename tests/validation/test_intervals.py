"""Intervals, p-values, permutations, folds, choices and dependence, by hand and by literal loops."""

import re

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, mark, raises
from scipy.stats import norm, t
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from toolkit.validation import (
    Classes,
    Labels,
    Values,
    as_target,
    choice_of,
    compare_misses,
    folds,
    linked_rows,
    permutations_of,
)
from toolkit.validation.choice import _out_of_bag
from toolkit.validation.intervals import WIDER, p_value, row_weights

N = 60


# ---- targets ----


def test_baselines_are_counted_and_losses_are_those_by_hand():
    rare = Classes(np.repeat([0, 1], [190, 10]))
    assert rare.baseline() == 10 / 200
    y = Classes(np.array([0, 1, 2]))
    P = np.array([[0.5, 0.3, 0.2], [0.6, 0.4, 0], [0, 0, 1.0]])
    assert_allclose(y.scores(P), [0.38, 0.72, 0])
    assert y.prediction_losses(P).tolist() == [0, 1, 0]
    indicators = np.array([[1, 0], [1, 1], [0, 1], [0, 1]])
    labels = Labels(indicators, ["p", "q"])
    assert labels.baseline() == (0.5 + 0.25) / 2
    S = np.array([[0.9, 0.1], [0.2, 0.3], [0.6, 0.5], [0.1, 0.9]])
    # wrong are 0, 2, 2 and 0 of 2
    assert labels.prediction_losses(S).tolist() == [0, 1, 1, 0]
    values = Values(np.array([1.0, 3.0]))
    losses = values.losses(np.array([2.0, 2.0]))
    assert values.baseline() == values.error(losses) == 1
    assert (rare.percent(0.034), values.percent(0.5)) == ("3.4 %", "0.50")


@mark.parametrize("group", [1, 4])
def test_the_interval_of_classes_is_that_of_wilson(group):
    y = np.zeros(N, dtype=int)
    losses = (np.arange(N) < 6).astype(float)
    groups = np.arange(N) // group
    n = N / group
    z = norm.ppf(0.95) if group == 1 else t.ppf(0.95, n - 1)
    n /= 1.15**2  # 1.32
    shrinkage = 1 + z**2 / n
    centre = (0.1 + z**2 / (2 * n)) / shrinkage
    variance = 0.1 * 0.9 / n + z**2 / (4 * n**2)
    half = np.sqrt(variance) * z / (1 + z**2 / n)
    found = Classes(y).interval(losses, groups)
    assert found == approx((centre - half, centre + half))


def test_intervals_of_values_are_not_narrower_than_standard_errors():
    y = default_rng(0).normal(size=200)
    target = Values(y)
    losses = (0.3 * default_rng(1).normal(size=200)) ** 2
    error = target.error(losses)
    assert error == approx(np.sqrt(losses.mean()) / y.std())
    drawn = target.resampled(losses, np.arange(200))
    low, high = target.interval(losses, np.arange(200))
    assert low < error < high
    assert high - error >= 1.644 * 1.15 * drawn.std()


# ---- p-values and permutations ----


def test_a_p_value_stops_at_five_as_good():
    scores = iter([0.0, 1.0] * 10)
    assert p_value(0.0, scores) == 5 / 9 and len(list(scores)) == 11
    assert p_value(0.5, [1.0] * 18 + [0.5]) == 2 / 20
    assert p_value(0.5, []) == 1


def test_a_p_value_of_one_means_the_worst_of_all():
    zeros = iter([0.0] * 19)
    assert p_value(1.0, zeros, ask_worst=True) == 1 and not list(zeros)
    last_is_worse = [0.0] * 18 + [2.0]
    assert p_value(1.0, last_is_worse, ask_worst=True) == 19 / 20
    assert p_value(1.0, last_is_worse) == 1
    scores = iter([2.0] + [0.0] * 18)
    assert p_value(1.0, scores, ask_worst=True) == 5 / 6
    assert len(list(scores)) == 13
    # each of 20 ranks of the true score once: p is valid in both tails
    rng = default_rng(0)
    truths = np.repeat(np.arange(20), 500)
    ps = [
        p_value(
            true,
            rng.permutation(np.delete(np.arange(20), true)),
            ask_worst=True,
        )
        for true in truths
    ]
    assert np.mean(np.equal(ps, 1)) == 1 / 20
    for level in 0.05, 0.1, 0.2, 0.5, 0.8:
        assert np.mean(np.less_equal(ps, level)) <= level + 0.01


def test_groups_are_permuted_whole_or_within_and_between():
    rng = default_rng(0)
    groups = np.repeat(np.arange(12), 5)
    of_whole_groups = permutations_of(groups % 2, groups, False, rng)
    (order,) = (permute() for permute in of_whole_groups.values())
    assert (
        list(of_whole_groups) == ["whole groups"]
        and (order != np.arange(N)).any()
    )
    assert (groups[order].reshape(12, 5) == groups[order][::5, None]).all()
    assert sorted(order) == list(range(N))
    y = rng.integers(0, 2, N)
    permutations = permutations_of(y, groups, True, rng)
    within = permutations["rows within groups"]()
    between = permutations["groups of like size"]()
    assert (groups[within] == groups).all() and sorted(within) == list(range(N))
    assert sorted(groups[between][::5]) == list(range(12))
    assert list(permutations_of(y, groups, False, rng)) == ["rows"]
    assert permutations_of(y, groups // 3, True, rng) == {}


# ---- folds and choices ----


@mark.parametrize("size", [1, 3])
def test_folds_keep_groups_and_shares(size):
    groups = default_rng(0).permutation(N) // size
    target = as_target((groups % 4 == 0).astype(int), N)
    parts = folds(target, groups, 5, 0)
    tests = np.concatenate([test for _, test in parts])
    assert sorted(tests) == list(range(N))
    for train, test in parts:
        assert not set(groups[train]) & set(groups[test])
        assert target.y[test].sum() == 3
    # of groups with several classes the groups count
    mixed = folds(target.of(np.arange(N) % 2), groups, 5, 0)
    assert len(mixed) == 5


MODELS = {"line": LogisticRegression(), "near": KNeighborsClassifier(3)}


def test_the_nested_choice_is_that_of_literal_loops():
    X = default_rng(0).normal(size=(40, 2))
    noise = default_rng(1).normal(size=40)
    y = ((X**2).sum(axis=1) + noise > 1.5).astype(int)
    target = Classes(y)
    groups = np.arange(40)
    losses = np.zeros((3, 40))
    for seed in range(3):
        parts = [test for _, test in folds(target, groups, 5, seed)]
        for test in parts:
            scores = dict.fromkeys(MODELS, 0.0)
            for other in parts:
                if other is test:
                    continue
                rest = np.setdiff1d(groups, [*test, *other])
                for name, model in MODELS.items():
                    P = target.fit_predict(model, X, rest, other)
                    scores[name] += target[other].scores(P).sum()
            best = MODELS[min(scores, key=scores.get)]
            train = np.setdiff1d(groups, test)
            P = target.fit_predict(best, X, train, test)
            losses[seed, test] = target[test].prediction_losses(P)
    choice = choice_of(target, X, groups, MODELS)
    assert_allclose(choice.losses, losses.mean(axis=0))


def test_of_one_model_the_choice_has_its_losses_and_of_a_perfect_one_no_error():
    x = np.r_[-3:-1:30j, 1:3:30j][:, None]
    target = Classes(np.repeat([0, 1], 30))
    one_model = {"line": MODELS["line"]}
    choice = choice_of(target, x, np.arange(N), one_model)
    assert choice.errors == {"line": 0} and choice.auc == 1
    assert choice.scores.mean() == approx(choice.mean_scores["line"])


# ---- dependence ----


def table(rng, n=120):
    """Independent columns with a target: two of numbers, and one of words."""
    a, b = rng.normal(size=(2, n))
    word = rng.integers(0, 10, n)
    return {"a": a, "b": b, "word": word}, a + rng.normal(size=n)


def kinds_of(columns, y):
    X = np.column_stack(list(columns.values()))
    target = as_target(y, len(y))
    return list(linked_rows(target, X, columns))


def test_independent_shuffled_and_sorted_tables_have_no_dependence():
    for seed in range(2):
        columns, y = table(default_rng(seed))
        assert kinds_of(columns, y) == []
        by_target = np.argsort(y)
        moved = {name: x[by_target] for name, x in columns.items()}
        assert kinds_of(moved, y[by_target]) == []


def test_a_file_arranged_by_all_of_its_columns_has_no_order():
    rng = default_rng(0)
    kinds = rng.integers(2, size=(4, 160))
    days = rng.poisson(10, 160) + 3 * kinds[0]
    # within equal kinds nearly in order of the target
    jittered_days = days + 0.6 * rng.normal(size=160)
    order = np.lexsort([jittered_days, *kinds[::-1]])
    columns = {f"kind {j}": kind[order] for j, kind in enumerate(kinds)}
    assert kinds_of(columns, days[order].astype(float)) == []


def test_order_and_near_duplicates_are_found():
    rng = default_rng(0)
    columns, y = table(rng)
    walk = rng.normal(size=(3, 120)).cumsum(axis=1)
    assert kinds_of({"a": walk[0], "b": walk[1]}, walk[2]) == ["order"]
    pairs = rng.permutation(120) // 2
    twins = {
        name: columns[name][pairs] + 1e-4 * rng.normal(size=120)
        for name in "ab"
    }
    assert kinds_of(twins, y) == ["near duplicates"]


def test_rows_that_lack_the_same_numbers_are_no_near_duplicates():
    rng = default_rng(0)
    columns, y = table(rng, 200)
    missing = np.arange(200) < 20
    for name in "cdefgh":
        column = rng.normal(size=200)
        columns[name] = np.where(missing, np.nan, column)
    target = as_target(y, len(y))
    links = linked_rows(target, rng.normal(size=(200, 2)), columns)
    assert links == {}
    pairs = np.where(missing, np.arange(200), np.arange(200) // 2)
    twins = {name: x[pairs] for name, x in columns.items() if name != "word"}
    jittered = {n: x + 1e-4 * rng.normal(size=200) for n, x in twins.items()}
    links = linked_rows(target, rng.normal(size=(200, 2)), jittered)
    groups = links["near duplicates"].groups
    assert np.bincount(groups)[groups[missing]].max() == 1


def test_of_many_rows_the_model_is_chosen_by_bootstrap_samples_without_the_row():
    scores = default_rng(0).random((3, 8))
    groups = np.arange(8) // 2
    shares = np.zeros((3, 8))
    for weights in row_weights(groups):
        best = min(range(3), key=lambda m: sum(weights * scores[m]))
        shares[best, weights == 0] += 1
    shares /= shares.sum(axis=0)
    assert_allclose(_out_of_bag(scores, groups), shares)
    assert ((shares > 0).sum(axis=0) > 1).any()


def test_the_interval_of_values_holds_what_was_overfitted():
    rows = np.arange(40)
    y = default_rng(0).normal(size=40)
    target = Values(y)
    losses = (
        y - y.mean()
    ) ** 2  # of an error of 1, of which nothing is uncertain
    assert_allclose(target.interval(losses, rows), (1, 1), atol=0.05)
    low, high = target.interval(1.44 * losses, rows)
    assert low < 1 < 1.4 < high
    assert (high + low) / 2 == approx(1.2)


# ---- two classifiers on the same samples


def test_the_interval_of_a_paired_difference_is_that_of_the_differences():
    """Known on paper: d of the differences is 0.1, their standard error 0.03."""
    misses = np.repeat([True, False], [20, 80])
    other_misses = np.repeat([True, False], [10, 90])
    gap = misses * 1.0 - other_misses
    half = norm.ppf(0.95) * WIDER * gap.std(ddof=1) / 10
    words = compare_misses(misses, other_misses)
    assert words.startswith("larger by 10 percentage points (90 % interval ")
    low, high = map(
        float, re.findall(r"interval ([-\d.]+) to ([\d.]+)", words)[0]
    )
    assert low == approx(10 - 100 * half, abs=1)
    assert high == approx(10 + 100 * half, abs=1)


def test_the_other_way_round_it_is_smaller_by_as_much():
    rng = default_rng(0)
    misses, other_misses = rng.random((2, 200)) < [[0.5], [0.2]]
    comparison = compare_misses(misses, other_misses)
    other = compare_misses(other_misses, misses)
    assert comparison.replace("larger", "smaller") == other
    assert compare_misses(misses, misses) == (
        "larger by 0 percentage points (90 % interval 0 to 0)"
    )


@mark.parametrize(
    "misses, others, options, message",
    [
        ([], [], {}, "`misses` must be of a sample or more"),
        ([0, 2], [0, 1], {}, "`misses` must hold 0 and 1 only"),
        ([0, 1], [0, 0.5], {}, "`other_misses` must hold 0 and 1 only"),
        (
            [0, 1],
            [1],
            {},
            r"`other_misses` must have shape \(2,\); got shape \(1,\)",
        ),
        ([0, 1], [1, 0], {"level": 1}, "`level` must be"),
    ],
)
def test_misses_that_cannot_be_compared(misses, others, options, message):
    with raises(ValueError, match=message):
        compare_misses(misses, others, **options)
