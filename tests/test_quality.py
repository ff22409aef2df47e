"""Shares of samples in the right cell, on points whose answer is seen."""

import numpy as np
from contract import refusal_test
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from toolkit import claims
from toolkit.core.graphs import neighbor_ranks
from toolkit.quality import (
    knn_error,
    knn_misses,
    knn_nrmse,
    log_area,
    nearest_label,
    nearest_label_accuracy,
    q_nx,
    r_nx,
)


def test_nearest_label_is_the_plain_distance():
    rng = default_rng(0)
    Z = rng.normal(size=(50, 3)) + 100
    P = rng.normal(size=(4, 3)) + 100
    squared = ((Z[:, None] - P) ** 2).sum(-1)
    nearest = squared.argmin(1)
    assert_array_equal(nearest_label(Z, P), nearest)
    Y = np.eye(4)[nearest]
    Y[:, 0] = 1  # a sample with two labels may lie in either cell
    assert nearest_label_accuracy(Z, P, Y) == 1
    assert nearest_label_accuracy(
        Z, P, np.eye(4)[np.zeros(50, int)]
    ) == np.mean(nearest == 0)


def test_nearest_label_of_small_integers():
    """Twice 100 does not fit into eight bits: still 90 is the nearest of 0 and 90."""
    assert nearest_label(
        np.array([[100]], np.int8), [[0.0], [90.0]]
    ).tolist() == [1]


# ------------------------------------------------------------ neighbours kept
def literal_q(X, Z):
    """Shared members of the two neighbour lists, sample by sample."""
    n = len(X)

    def order(A):
        D = np.sum((A[:, None] - A) ** 2, -1)
        np.fill_diagonal(D, -1)
        return np.argsort(D, 1, kind="stable")[:, 1:]

    a = order(X)
    b = order(Z)
    fractions = []
    for k in range(1, n):
        n_shared = 0
        for i in range(n):
            n_shared += len(set(a[i, :k]) & set(b[i, :k]))
        fractions.append(n_shared / (n * k))
    return np.array(fractions)


def test_q_nx_counts_shared_neighbors():
    rng = default_rng(0)
    X = rng.normal(size=(40, 5))
    Z = rng.normal(size=(40, 2))
    assert_allclose(q_nx(X, Z), literal_q(X, Z))
    squared = np.sum((X[:, None] - X) ** 2, -1)
    D = np.sqrt(squared)
    assert_allclose(q_nx(D, Z, metric="precomputed"), literal_q(X, Z))


def test_random_maps_keep_as_many_neighbors_as_chance(check_claim):
    rng = default_rng(0)
    claims.start(seed=0)
    n = 40
    X = rng.normal(size=(n, 5))
    maps = [rng.normal(size=(n, 2)) for _ in range(50)]
    Q = np.array([q_nx(X, Z) for Z in maps])[:, :-1]
    chance = np.arange(1, n - 1) / (n - 1)
    standard_errors = Q.std(0, ddof=1) / np.sqrt(50)
    errors = np.abs(Q.mean(0) - chance) / standard_errors
    R = np.array([r_nx(X, Z) for Z in maps])
    assert (
        R.shape == (50, n - 2) and abs(np.mean([log_area(r) for r in R])) < 0.01
    )
    check_claim(
        "FI-20",
        float(errors.max()),
        errors.max() <= 3,
        note="largest deviation in standard errors",
    )
    assert errors.max() <= 3


def test_r_nx_of_a_perfect_map_and_of_another_order():
    rng = default_rng(0)
    X = rng.normal(size=(300, 2))
    rotation = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    turned = X @ rotation * 3 + 7
    assert_allclose(r_nx(X, turned), 1)
    order = rng.permutation(300)
    Z = X[:, :1]
    assert_allclose(r_nx(X[order], Z[order]), r_nx(X, Z))


def test_duplicates_are_neighbors_and_nobody_is_its_own():
    X = np.repeat(np.arange(5.0), 2)[:, None]
    assert_allclose(q_nx(X, X), 1)


def test_ranks_count_from_the_sample_itself_and_ties_go_by_row_number():
    distances = np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0]])
    assert neighbor_ranks(distances, np.array([0, 2])).tolist() == [
        [0, 2, 1],
        [1, 2, 0],
    ]


def test_many_ties_go_by_row_number():
    D = default_rng(0).integers(1, 6, (2, 300)).astype(float)
    for row, ranks in zip(D, neighbor_ranks(D, np.array([7, 0])), strict=True):
        is_other = ranks > 0
        expected = np.argsort(row[is_other], kind="stable")
        assert np.array_equal(np.argsort(ranks[is_other]), expected)


def test_log_area_on_paper():
    assert log_area([1.0, 0.0]) == 1 / (1 + 1 / 2)


def test_knn_error_leaves_the_sample_out_and_breaks_ties_by_nearness():
    Z = np.array([[0.0], [0.1], [5.0], [5.1]])
    # 0 and 0.1 call each other wrong
    assert knn_error(Z, [0, 1, 1, 1], 1) == 0.5
    # one vote each: the nearer
    assert knn_error(Z, [0, 1, 0, 1], 2, Z_new=[[0.02]], y_new=[0]) == 0.0
    # two votes to one, though 0 is nearer
    assert knn_error(Z, [0, 1, 1, 0], 3, Z_new=[[0.02]], y_new=[1]) == 0.0


@mark.parametrize("weights", ["distance", "uniform"])
def test_knn_nrmse_against_scikit_learn(weights):
    """Leave-one-out by refitting, on vectors and on distances.

    Held-out samples likewise.
    """
    rng = default_rng(0)
    Z = rng.normal(size=(40, 2))
    y = rng.normal(size=40)
    D = norm(Z[:, None] - Z, axis=2)
    predicted = cross_val_predict(
        KNeighborsRegressor(5, weights=weights), Z, y, cv=LeaveOneOut()
    )
    root_mean_square = np.sqrt(np.mean((y - predicted) ** 2))
    truth = root_mean_square / y.std()
    assert knn_nrmse(Z, y, weights=weights) == approx(truth)
    assert knn_nrmse(D, y, weights=weights, metric="precomputed") == approx(
        truth
    )
    a, b = np.split(np.arange(40), [30])
    regressor = KNeighborsRegressor(3, weights=weights).fit(Z[a], y[a])
    predicted = regressor.predict(Z[b])
    root_mean_square_error = np.sqrt(np.mean((y[b] - predicted) ** 2))
    error = root_mean_square_error / y[b].std()
    new = {"weights": weights, "y_new": y[b]}
    assert knn_nrmse(Z[a], y[a], 3, Z_new=Z[b], **new) == approx(error)
    D_a = D[a][:, a]
    D_b = D[b][:, a]
    new["metric"] = "precomputed"
    assert knn_nrmse(D_a, y[a], 3, Z_new=D_b, **new) == approx(error)


def test_knn_nrmse_of_duplicates():
    # at distance 0 nobody else counts
    assert knn_nrmse([[0], [0], [1], [1]], [0, 0, 3, 3], k=2) == 0


def test_subsets_of_one_size_and_threads():
    X = default_rng(0).normal(size=(60, 4))
    Z = X[:, :2]
    D = norm(X[:, None] - X, axis=-1)
    options = {"n_samples": 20, "n_repeats": 3, "random_state": 0}
    first = r_nx(X, Z, **options)
    rng = np.random.RandomState(0)
    subsets = [np.sort(rng.choice(60, 20, replace=False)) for _ in range(3)]
    curves = [r_nx(X[rows], Z[rows]) for rows in subsets]
    assert_allclose(first, np.mean(curves, 0))
    assert_allclose(
        first, r_nx(D, Z, metric="precomputed", n_jobs=2, **options)
    )


def test_tied_distances_go_by_the_order_of_the_rows():
    D = np.array([[0.0, 1, 1], [1, 0, 0], [1, 0, 0]])
    assert knn_error(D, ["a", "a", "b"], metric="precomputed") == approx(2 / 3)
    assert knn_error(D[::-1, ::-1], ["b", "a", "a"], metric="precomputed") == 1


TARGETS = np.array([0.0, 1, 1, 3, 2, 5])
LINE = np.array([[0.0], [1.5], [2], [4.5], [5], [9]])
GAPS = np.abs(LINE - LINE.T)


BAD = np.where(TARGETS == 5, np.nan, TARGETS)
OF_BOTH = [
    ({"Z": -GAPS}, "`Z` must hold distances, which are not negative"),
    ({"Z": GAPS[:, :2]}, "`Z` must give a square matrix"),
    (
        {"Z_new": -GAPS, "y_new": TARGETS},
        "`Z_new` must hold distances, which are not negative; the least is -9",
    ),
    (
        {"Z_new": GAPS[:3], "y_new": TARGETS[:1]},
        "`Z_new` and `y_new` must .* number of samples; got 3 and 1",
    ),
    (
        {"Z_new": GAPS[:3, :5], "y_new": TARGETS[:3]},
        r"`Z_new` must have shape \(q, 6\); got shape \(3, 5\)",
    ),
    ({"Z_new": GAPS}, "go together"),
    ({"y": TARGETS[:5]}, "`Z` and `y`"),
    ({"k": 6}, "`k` must be an integer between 1 and 5; got 6"),
]
OF_ONE = [
    (knn_nrmse, {"weights": "even"}, "`weights` must be"),
    (knn_nrmse, {"Z_new": GAPS, "y_new": BAD}, "`y_new` must be finite"),
    (
        knn_nrmse,
        {"y": np.full(6, 0.1)},
        "`y` must vary: .* all 6 values are 0.1",
    ),
]


@mark.parametrize("k", [1, 3])
def test_misses_are_those_of_scikit_learn_and_the_error_is_their_fraction(k):
    rng = default_rng(0)
    Z, Z_new = rng.normal(size=(2, 60, 2))
    y, y_new = rng.integers(0, 2, (2, 60))
    new = {"Z_new": Z_new, "y_new": y_new}
    model = KNeighborsClassifier(k).fit(Z, y)
    misses = knn_misses(Z, y, k, **new)
    assert_array_equal(misses, model.predict(Z_new) != y_new)
    assert knn_error(Z, y, k, **new) == approx(misses.mean())
    own = knn_misses(Z, y, k)
    predicted = cross_val_predict(model, Z, y, cv=LeaveOneOut())
    assert_array_equal(own, predicted != y)
    assert knn_error(Z, y, k) == approx(own.mean())


@mark.parametrize(
    "score, options, message",
    [
        *((score, *row) for row in OF_BOTH for score in (knn_error, knn_nrmse)),
        *OF_ONE,
    ],
)
def test_wrong_neighbours(score, options, message):
    with raises(ValueError, match=message):
        score(
            **{"Z": GAPS, "y": TARGETS, "k": 1, "metric": "precomputed"}
            | options
        )


test_bad_input_of_the_measures = refusal_test(
    [
        (lambda: q_nx(np.eye(2), np.eye(2)), "minimum of 3"),
        (
            lambda: q_nx(-GAPS, LINE, metric="precomputed"),
            "`X` must hold distances, which are",
        ),
        (
            lambda: r_nx(LINE, LINE, n_samples=7),
            "`n_samples` must be an integer between 3 and 6; got 7",
        ),
        (lambda: log_area([]), "`R`"),
        (
            lambda: r_nx(LINE, LINE, n_samples=3, n_repeats=0),
            "`n_repeats` must be an integer between 1 and 1000000",
        ),
        (
            lambda: nearest_label_accuracy(LINE, LINE[:2], np.eye(6)),
            "`Y` must have shape",
        ),
        (
            lambda: nearest_label_accuracy(
                LINE, LINE[:2], 2 * np.eye(6)[:, :2]
            ),
            "`Y` must hold 0 and 1 only",
        ),
    ]
)


@mark.parametrize("weights", ["distance", "uniform"])
def test_targets_in_any_unit(weights):
    error = knn_nrmse(LINE, TARGETS, 2, weights=weights)
    given = [(LINE, unit * TARGETS) for unit in (1e200, 1e-200, 1e307)]
    for Z, y in [*given, (1e-170 * LINE, TARGETS), (1e160 * LINE, TARGETS)]:
        assert knn_nrmse(Z, y, 2, weights=weights) == approx(error)
        assert knn_error(Z, TARGETS, 2) == knn_error(LINE, TARGETS, 2)
    assert knn_nrmse(
        1e-310 * GAPS, TARGETS, 2, metric="precomputed", weights=weights
    ) == approx(error)


def test_ranks_in_any_unit():
    rng = default_rng(0)
    X = rng.normal(size=(20, 3))
    Z = rng.normal(size=(20, 2))
    D = norm(X[:, None] - X, axis=-1)
    expected = q_nx(X, Z)
    for unit in (1e-170, 1e300):
        assert_array_equal(q_nx(unit * X, unit * Z), expected)
        assert_array_equal(q_nx(unit * D, Z, metric="precomputed"), expected)
    # a constant feature of another size
    beside = np.column_stack([1e-170 * X, np.ones(20)])
    assert_array_equal(q_nx(beside, Z), expected)


@mark.parametrize("k", [2, 60, 130, 400])
def test_a_tie_of_many_votes_goes_to_the_nearest(k):
    """Half of the votes for each class, the nearest of class 1.

    The nearest decides, however many there are.
    """
    Z = np.arange(1.0, k + 1)[:, None]
    for own in (0, 1):
        y = np.full(k, 1 - own)
        y[0], y[k // 2 + 1 :] = own, own
        assert np.sum(y == own) == k // 2
        assert knn_error(Z, y, k, Z_new=[[0.0]], y_new=[own]) == 0
