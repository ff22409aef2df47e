"""Columns that name groups of rows are found; quantities on which rows depend smoothly are not."""

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import mark

from toolkit.validation import as_target
from toolkit.validation.dependence import ranks, residuals
from toolkit.validation.naming import named_groups, opposed_sets
from toolkit.validation.trials import Key, Trial


def persons(seed, n_persons=100, n_rows=4, correlation=0.3):
    """Rows of persons: columns, a class for each person, and numbers of persons."""
    rng = default_rng(seed)
    person = np.repeat(np.arange(n_persons), n_rows)
    of_person = rng.normal(size=(n_persons, 4))[person]
    of_row = rng.normal(size=(len(person), 4))
    between = np.sqrt(correlation) * of_person
    X = between + np.sqrt(1 - correlation) * of_row
    return X, rng.integers(2, size=n_persons)[person], person


def named(X, y, *keys):
    target = as_target(y, len(y))
    return named_groups(target, X, np.arange(X.shape[1]), keys)


def numbers(name, values):
    return Key(name=name, values=np.asarray(values, float), is_number=True)


@mark.parametrize("is_number", [False, True])
@mark.parametrize("n_rows", [2, 4])
def test_persons_are_named_by_words_and_by_numbers(is_number, n_rows):
    X, y, person = persons(0, n_rows=n_rows)
    key = Key(name="id", values=1011.0 + person, is_number=is_number)
    found = named(X, y, key)
    assert found.key is key and found.names == [key] and found.finer == []
    order = default_rng(1).permutation(len(y))
    assert named(X[order], y[order], key.at(order)).key.name == "id"
    shuffled = key.at(order)
    assert named(X, y, shuffled) is None


@mark.parametrize("of_target", [True, False])
def test_words_that_tell_of_the_target_or_of_the_columns_alone_are_no_names(
    of_target,
):
    n_named = 0
    for seed in range(30):
        rng = default_rng(seed)
        product = rng.integers(25, size=400)
        effect = np.isin(product, (3, 7, 11))
        X = rng.normal(size=(400, 12))
        y = rng.random(400) < 0.3
        if of_target:
            y = rng.random(400) < np.where(effect, 0.9, 0.2)
        else:
            X[:, 0] += 2 * effect
        key = Key(name="product", values=product.astype(float), is_number=False)
        n_named += named(X, y, key) is not None
    assert n_named <= 3  # at a level of 0.01


def test_rows_without_a_name_are_left_out():
    X, y, person = persons(0)
    values = np.where(default_rng(2).random(len(y)) < 0.2, np.nan, person)
    key = numbers("id", values)
    assert named(X, y, key).key is key
    assert len(np.unique(key.groups)) == 100 + np.isnan(values).sum()


@mark.parametrize(
    "effect",
    [
        lambda age: (age - 45) / 15,
        lambda age: ((age - 45) / 15) ** 2,
        lambda age: 2.0 * (age >= 65),
        lambda age: 2.0 * (age // 5 >= 7),
        lambda age: np.sin(age / 6),
    ],
)
def test_quantities_are_no_names_whatever_smoothly_depends_on_them(effect):
    n_named = 0
    for seed in range(5):
        rng = default_rng(seed)
        age = np.round(rng.normal(45, 15, 400).clip(18, 90))
        effects = np.outer(effect(age), [1, 1, 0, 0])
        X = rng.normal(size=(400, 4)) + effects
        y = effect(age) + rng.normal(size=400) > np.median(effect(age))
        n_named += named(X, y, numbers("age", age)) is not None
    assert n_named <= 1


def test_of_nested_columns_the_coarsest_with_an_effect_of_its_own_is_taken():
    rng = default_rng(0)
    X, y, person = persons(0, n_persons=240)
    site = person // 12
    age = rng.integers(18, 80, size=240)[person]
    keys = numbers("person", person), numbers("site", site), numbers("age", age)
    found = named(X, y, *keys)
    assert found.key.name == "person" and found.names == [keys[0]]
    X = X + rng.normal(size=(20, 4))[site]
    found = named(X, y, *keys)
    assert found.key.name == "site" and found.finer == ["person"]


def test_jumps_are_those_of_a_direct_computation():
    rng = default_rng(0)
    values = np.repeat([1.0, 2, 4, 5, 9, 10, 11, 15, 16, 17, 18, 20], 3)[:-1]
    A = ranks(rng.normal(size=(len(values), 2)))
    key = numbers("v", values)
    blocks = np.zeros(len(values))
    trial = Trial(
        full_key=key,
        rows=np.arange(len(values)),
        A=A,
        n_targets=1,
        blocks=blocks,
    )
    levels = np.unique(values)
    means = np.array([A[values == v].mean(axis=0) for v in levels])
    counts = np.array([np.sum(values == v) for v in levels])
    residual_squares = 0
    for v, m in zip(levels, means, strict=True):
        residual_squares += ((A[values == v] - m) ** 2).sum(axis=0)
    within = residual_squares / (len(values) - len(levels))
    squares = []
    for i in range(1, len(levels) - 1):
        lower, middle, upper = levels[i - 1 : i + 2]
        share = (upper - middle) / (upper - lower)
        following = (1 - share) * means[i + 1]
        line = share * means[i - 1] + following
        noise = (
            1 / counts[i]
            + share**2 / counts[i - 1]
            + (1 - share) ** 2 / counts[i + 1]
        )
        squares.append((means[i] - line) ** 2 / noise)
    # The two largest squares are left out: a threshold makes as many.
    expected = np.sort(squares, axis=0)[:8].mean(axis=0) / within
    assert_allclose(trial.statistics(A), expected)
    # A line through all values has no jumps.
    line = np.column_stack([values, 3 - 2 * values])
    assert_allclose(trial.statistics(line), 0, atol=1e-12)


def test_of_many_rows_whole_values_are_drawn():
    key = numbers("v", np.arange(9000) // 3)
    rows = key.sample(2000, default_rng(0))
    assert 1990 <= len(rows) <= 2000
    drawn = key.values[rows]
    assert (np.unique(drawn, return_counts=True)[1] == 3).all()
    # Their neighbours are those of the table.
    assert np.sum(np.diff(np.unique(drawn)) > 1) <= 1


def test_residuals_are_orthogonal_to_what_they_are_residuals_of():
    A, B = default_rng(0).normal(size=(2, 30, 2))
    assert_allclose(B.T @ residuals(A, B), 0, atol=1e-12)
    assert_allclose(residuals(A, B).mean(axis=0), 0, atol=1e-12)


def test_sets_with_different_targets_are_found_by_a_column_or_by_neighbours():
    rng = default_rng(0)
    couple = np.arange(100) // 2
    spouse = np.tile([0, 1], 50)
    target = as_target(spouse, 100)
    X = rng.normal(size=(100, 3))
    key = numbers("couple", couple)
    assert opposed_sets(target, X, [key]) == "couple"
    order = rng.permutation(100)
    assert opposed_sets(target, X, [key.at(order)]) == ""
    X = rng.normal(size=(50, 3))[couple] + 0.1 * X
    assert opposed_sets(target, X, []) == "nearest neighbours"
    # each judge tastes each wine
    judge = Key(name="judge", values=np.arange(60) // 6 * 1.0, is_number=False)
    wine = as_target(np.tile(np.arange(6), 10), 60)
    assert opposed_sets(wine, rng.normal(size=(60, 2)), [judge]) == "judge"
    target_of_couples = as_target(couple % 2, 100)
    assert (
        opposed_sets(target_of_couples, rng.normal(size=(100, 3)), [key]) == ""
    )
