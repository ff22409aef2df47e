"""Relevance beside a level of noise.

What noise reaches, by a formula and in made tables; permuted labels.
"""

import numpy as np
import pandas as pd
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import mark, raises
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression

from toolkit.bounds import generic_bounds, left_out_error, relevance_bounds
from toolkit.lmnn import LMNN
from toolkit.lvq import GMLVQ
from toolkit.relevance import (
    NeRVRelevance,
    backward_relevance,
    forward_relevance,
    relevance_evidence,
)
from toolkit.relevance.noise import noise_level


def squares(X, y):
    """Share of the variance that each feature explains alone."""
    A = X - X.mean(axis=0)
    b = y - y.mean()
    norms = np.sum(A**2, axis=0) * (b @ b)
    return (A.T @ b) ** 2 / norms


def linear_bounds(X, y):
    # 1 of 6, 2 of 12 with shadows
    model = LinearRegression().fit(X, y)
    return relevance_bounds(model, X, null_space=X.shape[1] // 6)


def test_the_level_of_an_exponential_tail_is_exact():
    """P(any of d > level) = alpha: log(d / alpha) for the exponential distribution.

    Each column in its own unit.
    """
    waits = default_rng(0).exponential(scale=3, size=(20_000, 10))
    for alpha in (0.01, 0.05, 0.5):
        expected = 3 * np.log(10 / alpha)
        assert_allclose(noise_level(waits, alpha), expected, rtol=0.05)
    few_waits = waits[:30] * np.arange(1, 11)
    reversed_level = noise_level(7 * few_waits[::-1, ::-1])
    assert_allclose(reversed_level, 7 * noise_level(few_waits)[::-1])
    for constant in (0.0, -1.0):
        assert noise_level(np.full((5, 3), constant)).tolist() == [0, 0, 0]
    rare = np.zeros((20, 5))
    rare[3, 2] = 1.0  # of weights that are mostly 0
    assert np.isfinite(noise_level(rare)).all() and np.all(
        noise_level(rare, 0.01) > 0
    )


def test_a_new_draw_of_noise_exceeds_its_level_with_probability_alpha():
    """Columns of very different spread, as collinear ones give.

    Any of six is above its own in alpha of the cases.
    """
    rng = default_rng(0)
    unit = np.array([1, 1, 2, 5, 20, 100.0])
    alpha = 0.1
    above = 0
    for _ in range(1000):
        draws = np.abs(rng.normal(size=(21, 6))) * unit
        level = noise_level(draws[1:], alpha)
        above += np.any(draws[0] > level)
    assert (
        0.02 < above / 1000 <= alpha + 3 * np.sqrt(alpha * (1 - alpha) / 1000)
    )


def test_family_wise_error_of_columns_of_noise():
    """400 tables of nothing but noise.

    A feature is found in at most about alpha of them (three standard errors).
    """
    alpha = 0.1
    n_found = 0
    for seed in range(400):
        rng = default_rng(seed)
        X = rng.normal(size=(40, 8))
        y = rng.normal(size=40)
        evidence = relevance_evidence(
            squares, X, y, alpha=alpha, random_state=seed
        )
        n_found += np.any(evidence.kinds() == "significant")
    assert n_found / 400 <= alpha + 3 * np.sqrt(alpha * (1 - alpha) / 400)
    assert n_found > 0  # the level is no wall: chance does reach it


def test_what_predicts_is_found_and_what_is_copied_is_replaceable():
    rng = default_rng(0)
    X = rng.normal(size=(200, 6))
    noise = 0.02 * rng.normal(size=200)
    X[:, 1] = X[:, 0] + noise
    signal = 2 * X[:, 0] + 2 * X[:, 2]
    y = signal + 0.5 * rng.normal(size=200)
    evidence = relevance_evidence(
        linear_bounds, X, y, n_repeats=12, random_state=0
    )
    kinds = (
        ["weakly relevant"] * 2
        + ["strongly relevant"]
        + ["not significant"] * 3
    )
    assert evidence.kinds().tolist() == kinds
    lower, upper = evidence
    assert np.all(lower <= upper + 1e-12) and evidence.noise.shape == (12, 6)
    assert relevance_evidence(squares, X, y, random_state=0).noise.shape == (
        34,
        6,
    )


def test_a_table_keeps_its_names_and_shadows_say_of_what():
    samples = default_rng(0).normal(size=(60, 3))
    X = pd.DataFrame(samples, columns=["hue", "size", "age"])
    tables = []

    def measure(X, y):
        tables.append(list(X.columns))
        return squares(X.to_numpy(), y)

    evidence = relevance_evidence(
        measure, X, X["hue"].to_numpy(), n_repeats=4, random_state=0
    )
    assert sorted(tables[0]) == [
        "age",
        "hue",
        "shadow of age",
        "shadow of hue",
        "shadow of size",
        "size",
    ]
    assert tables[0] != tables[1]  # the order is left to chance
    frame = evidence.to_frame()
    assert frame.index[0] == "hue" and frame.loc["hue", "kind"] == "significant"
    assert list(frame.columns) == ["lower", "upper", "level", "kind"]
    assert (
        repr(evidence) == "RelevanceEvidence(2 not significant, 1 significant)"
    )
    ax = evidence.plot().ax_
    assert ax.get_yticklabels()[0].get_text() == "hue"
    assert ax.collections[0].get_segments()[0][0, 0] == evidence.level[0]


def test_neither_processes_nor_the_order_of_samples_nor_a_unit_decide():
    rng = default_rng(0)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] + rng.normal(size=80)
    evidence = relevance_evidence(squares, X, y, random_state=3, n_jobs=None)
    two = relevance_evidence(squares, X, y, random_state=3, n_jobs=2)
    scaled = relevance_evidence(
        squares, (7 * X), y, random_state=3, n_jobs=None
    )
    assert_array_equal(evidence.upper, two.upper)
    assert_array_equal(evidence.noise, two.noise)
    assert_allclose(scaled.noise, evidence.noise)
    order = rng.permutation(80)
    assert (
        relevance_evidence(squares, X[order], y[order], random_state=3)
        .kinds()
        .tolist()
        == evidence.kinds().tolist()
    )


def test_maps_are_measures_too():
    X = default_rng(0).normal(size=(80, 4))

    def forward(X, Z):
        return forward_relevance(X, Z, 10)

    def backward(X, Z):
        return 1 - backward_relevance(X, Z, 10)

    for measure in (NeRVRelevance(), forward, backward):
        evidence = relevance_evidence(
            measure, X, X[:, :2], n_repeats=5, random_state=0
        )
        assert evidence.kinds().tolist() == [
            "significant",
            "significant",
            "not significant",
            "not significant",
        ]


def search_bounds(X, y):
    return generic_bounds(X, y, left_out_error, n_steps=1)


# of few steps
@mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@mark.parametrize(
    "measure",
    [
        RandomForestClassifier(10, random_state=0),
        GMLVQ(max_iter=30),
        LMNN(max_iter=20),
        search_bounds,
    ],
)
def test_estimators_and_searches_are_measures(measure):
    """The one feature that predicts is found in each table.

    Of the others none in all but one, at alpha = .05.
    """
    tables_with_noise = 0
    for seed in range(4):
        rng = default_rng(seed)
        X = rng.normal(size=(80, 4))
        noisy = X[:, 0] + 0.3 * rng.normal(size=80)
        y = np.where(noisy > 0, "up", "down")
        kinds = relevance_evidence(
            measure, X, y, n_repeats=8, random_state=0
        ).kinds()
        assert kinds[0] == (
            "strongly relevant" if measure is search_bounds else "significant"
        )
        tables_with_noise += set(kinds[1:]) != {"not significant"}
    assert tables_with_noise <= 1


def test_a_measure_that_prefers_a_place_prefers_no_feature():
    """As a forest with a fixed seed does.

    Were the columns not reordered, the first would be found each time.
    """

    def preferring(X, y):
        return squares(X, y) + np.eye(X.shape[1])[0]

    X = default_rng(0).normal(size=(60, 4))
    evidence = relevance_evidence(
        preferring, X, default_rng(1).normal(size=60), random_state=0
    )
    assert "significant" not in evidence.kinds()


@mark.parametrize(
    ("change", "message"),
    [
        (
            {"measure": "weights"},
            "`measure` must be a function of X and y or an estimator; got 'weights'",
        ),
        (
            {"measure": lambda X, y: [1.0]},
            r"`measure` must return finite numbers.* for 6 columns",
        ),
        ({"y": np.zeros(3)}, "the same number of samples"),
        ({"alpha": 0}, "`alpha` must be a number between 0 and 1"),
        ({"n_repeats": 3}, "`n_repeats`"),
    ],
)
def test_refusal_of_wrong_input(change, message):
    rng = default_rng(0)
    arguments = {
        "measure": squares,
        "X": rng.normal(size=(9, 3)),
        "y": rng.normal(size=9),
        "n_repeats": 4,
    } | change
    measure = arguments.pop("measure")
    X = arguments.pop("X")
    y = arguments.pop("y")
    with raises(ValueError, match=message):
        relevance_evidence(measure, X, y, **arguments)
