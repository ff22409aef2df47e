"""Relevance bounds.

Vertices of the polytope, the programs of the thesis, known answers, invariances, wrong
input.
"""

from functools import partialmethod
from types import SimpleNamespace

import numpy as np
import pandas as pd
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from literal import printed_programs, vertices
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises, warns
from sklearn.preprocessing import StandardScaler, scale

from toolkit import claims
from toolkit.bounds import (
    canonical_weights,
    equivalence,
    group_bounds,
    metric_bounds,
    minimal_weights,
    principal_rows,
    programs,
    relevance_bounds,
)
from toolkit.bounds.equivalence import least_norm

rng = default_rng(0)
X_SMALL = rng.normal(size=(20, 3))


def problem(seed, d, null_space, n=30):
    """Random weights.

    And standardised data with exact copies if `null_space` is None.
    """
    rng = default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=(n, 1))
    if null_space is None:
        X[:, -1] = -X[:, 0]
    return rng.normal(size=d), scale(X)


def assert_sound(bounds, w, X, relation):
    """All that must hold for any weights and data."""
    canonical = canonical_weights(w, X, relation.null_space)
    unit = max(np.abs(canonical).max(), np.abs(w).max() * 1e-6, 1e-300)
    tolerance_of_weights = 1e-8 * unit
    allowed = bounds.slack * bounds.mu
    assert np.all(0 <= bounds.lower)
    assert np.all(bounds.lower <= bounds.upper)
    assert np.all(bounds.lower <= np.abs(bounds.minimal) + tolerance_of_weights)
    assert np.all(np.abs(bounds.minimal) <= bounds.upper + tolerance_of_weights)
    assert np.all(bounds.upper <= allowed + tolerance_of_weights)
    for rows, ends in (
        (bounds.at_lower, bounds.lower),
        (bounds.at_upper, bounds.upper),
    ):
        expected = np.tile(w @ relation.retained, (len(w), 1))
        assert_allclose(
            rows @ relation.retained, expected, atol=10 * tolerance_of_weights
        )
        assert np.all(
            np.abs(rows).sum(axis=1) <= allowed + 10 * tolerance_of_weights
        )
        assert_allclose(
            np.abs(np.diag(rows)), ends, atol=10 * tolerance_of_weights
        )


def test_bounds_are_extremes_over_all_vertices_and_solve_the_printed_programs(
    check_claim,
):
    seeds = list(range(3))
    largest_error = 0.0
    literal = 0.0
    sizes = set()
    for seed in seeds:
        rng = default_rng(seed)
        for d, rank in ((3, 2), (4, 2), (5, 3), (6, 4), (6, 5)):
            factors = rng.normal(size=(30, rank))
            X = StandardScaler().fit_transform(
                factors @ rng.normal(size=(rank, d))
            )
            w = rng.normal(size=d)
            _, s, V = np.linalg.svd(X)
            split = np.sum(s > 1e-10 * s[0])
            for slack in (1.0, 1.01, 1.1):
                bounds = np.array(tuple(relevance_bounds(w, X, slack=slack)))
                of_vertices = vertices(V[:split], w, slack)[0]
                largest_error = max(
                    largest_error, np.abs(bounds - of_vertices).max()
                )
                if slack > 1:  # at 1 rounding may leave their solver no point
                    printed, _, shape = printed_programs(w, V[split:].T, slack)
                    literal = max(literal, np.abs(bounds - printed).max())
                    sizes.add((d, rank, *shape))
    assert sizes == {
        (d, rank, 2 * d + 1, d + d - rank) for d, rank, _, _ in sizes
    }
    assert largest_error < 1e-8 and literal < 1e-8
    claims.start(seed=seeds)
    check_claim(
        "RE-20",
        float(largest_error),
        note="3 to 6 features of rank 2 to 5, slack 1, 1.01 and 1.1, three draws each, "
        "against all vertices; the "
        f"programs as printed differ by {literal:.0e} at most. They have 2D + 1 "
        "constraints (a sign in the upper one "
        "more) on D + (D - I) variables, not 2D on I + 1: alpha spans the null space, "
        "of dimension D - I",
    )


@mark.parametrize("slack", [1, 1.01, 1.1, 2])
@mark.parametrize(
    ("d", "null_space"),
    [(2, 1), (3, 1), (4, 2), (5, None), (5, 3), (6, 2), (6, 5)],
)
def test_bounds_are_extremes_for_any_null_space(d, null_space, slack):
    w, X = problem(10 * d, d, null_space)
    bounds = relevance_bounds(w, X, null_space, slack)
    relation = equivalence(X, null_space)
    ends, _, mu = vertices(relation.retained.T, w, slack)
    assert bounds.mu == approx(mu, abs=1e-9)
    assert_allclose([*bounds], ends, atol=1e-8)
    assert_sound(bounds, w, X, relation)


def test_weights_are_equivalent_where_they_differ_within_the_null_space(
    check_claim,
):
    seeds = list(range(10))
    residuals = []
    for seed in seeds:
        rng = default_rng(seed)
        factors = rng.normal(size=(40, 5))
        X = StandardScaler().fit_transform(factors @ rng.normal(size=(5, 8)))
        w = rng.normal(size=8)
        V = np.linalg.svd(X)[2]
        direction = V[5:].T @ rng.normal(size=3)
        residuals += [X @ (w + direction) - X @ w]  # one way
        other = w + rng.normal(size=8)
        # any weights, corrected to the same images
        other -= np.linalg.pinv(X) @ (X @ (other - w))
        residuals += [X @ other - X @ w, V[:5] @ (other - w)]
        least_squares = np.linalg.lstsq(X, X @ w, rcond=None)[0]
        residuals += [canonical_weights(w, X) - least_squares]
        for m in (2, 5, 10):
            samples = rng.normal(size=(40, 2))
            x, z = StandardScaler().fit_transform(samples).T
            repeated = np.tile(x[:, None], m)
            copies = np.column_stack([repeated, z])
            # of the copies 3 in all
            weights = np.append(3 * rng.dirichlet(np.ones(m)), 1.0)
            expected = np.append(np.full(m, 3 / m), 1.0)
            residuals += [canonical_weights(weights, copies) - expected]
            lower, upper = relevance_bounds(weights, copies, slack=1)
            expected_lower = np.append(np.zeros(m), 1)
            expected_upper = np.append(np.full(m, 3), 1)
            residuals += [lower - expected_lower, upper - expected_upper]
    claims.start(seed=seeds)
    measured = max(float(np.abs(residual).max()) for residual in residuals)
    check_claim(
        "RE-19",
        measured,
        note="largest of six residuals over ten draws of 40 samples on 5 of 8 "
        "dimensions: images after a step in the "
        "null space; the part outside it of weights with equal images, and these "
        "images; shortest weights against "
        "least squares; 2, 5 and 10 copies with 3 in all, evenly shared by the "
        "shortest, bounds 0 and 3 by L1",
    )


def test_twins_of_opposite_sign_cancel():
    """X_2 = -X_1 makes w_1 - w_2 = 0 all that counts: nothing is left of (5, 5)."""
    x, z = scale(rng.normal(size=(30, 2))).T
    X = np.column_stack([x, -x, z])
    bounds = relevance_bounds([5.0, 5.0, 1.0], X, slack=1)
    assert_allclose(bounds.upper, [0, 0, 1], atol=1e-9)
    assert bounds.kinds().tolist() == ["never weighted"] * 2 + [
        "always weighted"
    ]
    bounds = relevance_bounds([5.0, -1.0, 1.0], X, slack=1)
    assert_allclose([*bounds], [[0, 0, 1], [6, 6, 1]], atol=1e-9)
    assert bounds.kinds().tolist() == ["sometimes weighted"] * 2 + [
        "always weighted"
    ]
    nothing = relevance_bounds([5e8, 5e8, 0.0], X)
    assert not np.any([*nothing, *nothing.at_upper]) and nothing.mu == 0


def test_copies_share_a_weight_as_long_as_the_signs_are_one(check_claim):
    x, z = default_rng(0).normal(size=(2, 50))
    X = np.column_stack([x, x, z])

    def exchange(a, b, t):
        mixed_a = t * a + (1 - t) * b
        mixed_b = (1 - t) * a + t * b
        return np.array([mixed_a, mixed_b, 1.0])

    residual = 0.0
    for a, b in ((1.0, 3.0), (-1.0, -3.0), (0.0, 2.0)):
        for t in np.linspace(0, 1, 21):
            before = np.array([a, b, 1.0])
            after = exchange(a, b, t)
            change = X @ (after - before)
            change_of_norm = abs(np.abs(after).sum() - np.abs(before).sum())
            residual = max(residual, np.abs(change).max(), change_of_norm)
    opposite = np.abs(exchange(2.0, -1.0, 0.5)[:2]).sum()
    outside = np.abs(exchange(1.0, 3.0, 2.0)[:2]).sum()
    holds = bool(residual <= 1e-10 and opposite != 3 and outside != 4)
    note = (
        "largest residual for weights of one sign and t in [0, 1]. Not in "
        "general: 2 and -1 at t = 1/2 give "
        f"equivalent weights of norm {opposite:g} in place of 3, 1 and 3 at t = 2 of "
        f"{outside:g} in place of 4. The "
        "restriction to one sign and [0, 1] is missing in the text"
    )
    check_claim("RE-21", [residual, opposite, outside], ok=holds, note=note)


def test_without_a_null_space_the_weights_are_their_bounds():
    w = np.array([1.0, -2.0, 1e-11])
    for X in (scale(X_SMALL), np.repeat(scale(X_SMALL)[:, :1], 3, axis=1)):
        bounds = relevance_bounds(w, X, 0, slack=3)
        assert_array_equal([*bounds], [np.abs(w), np.abs(w)])
        assert_array_equal(bounds.at_upper, np.tile(w, (3, 1)))
    unique = relevance_bounds(w, scale(X_SMALL), 1, slack=1)
    assert_allclose(unique.lower, unique.upper, atol=1e-9)


def test_weights_huge_along_the_null_space_do_not_drown_the_rest():
    x, z = scale(rng.normal(size=(30, 2))).T
    X = np.column_stack([x, x, z])
    for huge in (1e3, 1e6, 1e9):
        bounds = relevance_bounds([1 + huge, -huge, 0.5], X, slack=1)
        expected = [[0, 0, 0.5], [1, 1, 0.5]]
        tolerance = 1e-15 * huge + 1e-9
        assert_allclose([*bounds], expected, atol=tolerance)


@mark.parametrize("null_space", [None, 3])
def test_invariances(null_space):
    w, X = problem(3, 6, null_space)
    lower, upper = relevance_bounds(w, X, null_space)
    rng = default_rng(4)
    signs = rng.choice([-1.0, 1.0], 6)
    features = rng.permutation(6)
    rows = rng.permutation(len(X))
    repeated = np.repeat(X, 3, axis=0)
    canonical = canonical_weights(w, X, null_space)
    alike = [(w * signs, X * signs), (w, X[rows])]
    alike.append((w, 1e-3 * X + rng.normal(size=6)))
    alike += [(w, repeated), (canonical, X)]
    alike.append((pd.Series(w), pd.DataFrame(X)))
    for case in alike:
        bounds = relevance_bounds(*case, null_space)
        assert_allclose([*bounds], [lower, upper], atol=1e-8)
    for size in (1e7, 1e-20):
        scaled = relevance_bounds(size * w, X, null_space)
        assert_allclose(scaled.upper, size * upper, rtol=1e-8)
    exchange = relevance_bounds(w[features], X[:, features], null_space)
    assert_allclose([*exchange], [lower[features], upper[features]], atol=1e-8)


def test_the_gap_is_small_and_refuses_a_dual_that_disagrees(monkeypatch):
    w, X = problem(6, 6, 3)
    assert relevance_bounds(w, X, 3).gap < 1e-9
    solution = programs.Programs._solution
    calls = []

    def false_solution(self, c, method, part):
        """What the solver finds, of which one part is off by a thousandth."""
        found = list(solution(self, c, method))
        calls.append(method)
        found[part] = found[part] * 1.001
        return found

    for part in (0, 1):
        monkeypatch.setattr(
            programs.Programs,
            "_solution",
            partialmethod(false_solution, part=part),
        )
        with raises(ArithmeticError, match="could not be certified"):
            minimal_weights(w, X, 3)
    assert calls == ["simplex", "ipm"] * 2
    monkeypatch.setattr(
        programs.Programs, "_solution", lambda *a: (None, None, "no")
    )
    with raises(ArithmeticError, match="gap inf, no"):
        relevance_bounds(w, X, 3)


def test_a_dual_of_the_wrong_sign_certifies_nothing(monkeypatch):
    """Least x with x >= 1, twice.

    Multipliers (-2, 1) add up to the right value, but one has the sign of x <= 1.
    """
    no_equations = np.empty((0, 2)), []
    A = np.array([[-1.0, 1.0]] * 2)
    twice = programs.WeightSet(1, *no_equations, A, -np.ones(2))
    assert programs.Programs(twice).smallest(np.ones(2)).gap < 1e-12
    solution = programs.Programs._solution

    def false_solution(*given):
        x, _, ended = solution(*given)
        return x, np.array([-2.0, 1.0]), ended

    monkeypatch.setattr(programs.Programs, "_solution", false_solution)
    with raises(ArithmeticError, match="gap 1,"):
        programs.Programs(twice)


def test_the_gap_of_many_programs_is_the_largest(monkeypatch):
    free = programs.WeightSet(60, *[np.zeros((0, 120)), []] * 2)
    for largest in (0, 1, 2, 59):  # 60 features, in more than one task
        gaps = iter(np.where(np.arange(60) == largest, 3e-9, 1e-9))
        monkeypatch.setattr(
            programs.Programs,
            "ends",
            lambda *_, gaps=gaps: (
                [
                    programs.Optimum(
                        value=0.0, weights=np.zeros(60), gap=next(gaps)
                    )
                ]
                * 2
            ),
        )
        assert programs.weight_ranges(free, 0.0).gap == 3e-9


def test_programs_do_not_depend_on_those_before_them():
    w, X = problem(12, 12, 5)
    fresh_programs, used_programs = (
        least_norm(w, equivalence(X, 5)).programs for _ in range(2)
    )
    fresh_programs.limit_norm(50)
    used_programs.limit_norm(50)
    anew = programs.Programs(used_programs.feasible)
    *_, low, high = [end for j in range(12) for end in used_programs.ends(j)]
    results_of_end = fresh_programs.ends(11), (low, high), anew.ends(11)
    for end, same_value, value in zip(*results_of_end, strict=True):
        assert_array_equal(end.weights, same_value.weights)
        assert end.value == approx(value.value, rel=1e-9)


def test_metric_bounds_are_sums_over_rows_and_know_the_metric_only():
    rng = default_rng(8)
    X = problem(8, 5, 1)[1]
    Omega = rng.normal(size=(2, 5))
    bounds = metric_bounds(Omega, X, 2)
    rows = principal_rows(Omega)
    bounds_of_rows = [relevance_bounds(row, X, 2, 1.01) for row in rows]
    expected = np.sum([[*b] for b in bounds_of_rows], axis=0)
    assert_allclose([*bounds], expected, atol=1e-12)
    assert_allclose(rows.T @ rows, Omega.T @ Omega, atol=1e-12)
    model = SimpleNamespace(lambda_=Omega.T @ Omega)
    # the same distances
    rotation = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    turned = rotation[:, :2] @ Omega
    for equal_metric in (
        turned,
        model,
        -Omega,
        np.vstack([Omega, np.zeros(5)]),
    ):
        assert_allclose(
            [*metric_bounds(equal_metric, X, 2)], [*bounds], atol=1e-8
        )
    assert_allclose(bounds.average, bounds.mappings.mean(axis=0), atol=1e-12)


@mark.parametrize("slack", [1, 1.1])
def test_groups(slack):
    w, X = problem(9, 6, 3)
    lower, upper = relevance_bounds(w, X, 3, slack)
    single = group_bounds(w, X, np.arange(6), 3, slack)
    assert_allclose([*single], [lower, upper], atol=1e-8)
    bounds = group_bounds(w, X, np.zeros(6), 3, slack)
    mu = minimal_weights(w, X, 3)[1]
    assert_allclose([*bounds], [[mu], [slack * mu]], atol=1e-8)
    codes = np.array([0, 0, 1, 1, 1, 0])
    retained = equivalence(X, 3).retained.T
    corners = np.abs(vertices(retained, w, slack)[1])
    sums = np.column_stack([corners[:, codes == g].sum(axis=1) for g in (0, 1)])
    labels = np.array(["a", "b"])[codes]
    pairs = group_bounds(w, X, labels, 3, slack)
    assert_allclose(pairs.lower, sums.min(axis=0), atol=1e-8)
    assert np.all(pairs.upper >= sums.max(axis=0) - 1e-8)
    assert pairs.plot().names == ["a", "b"]


@mark.parametrize(
    ("dtype", "offset"), [(np.float32, 0), (np.float64, 0), (np.float64, 1e5)]
)
@mark.filterwarnings("error")
def test_rounding_is_no_direction(dtype, offset):
    """Features are sums of three, up to the rounding of the numbers given."""
    rng = default_rng(5)
    factors = rng.normal(size=(60, 3))
    X = scale(factors @ rng.normal(size=(3, 8)))
    w = rng.normal(size=8)
    rounded = (X + offset).astype(dtype)
    assert equivalence(rounded).effective_dimension == 3
    expected = [*relevance_bounds(w, X)]
    assert_allclose([*relevance_bounds(w, rounded)], expected, atol=1e-4)


W3 = [1.0, 2.0, 3.0]
TIED = np.vstack([np.eye(4), -np.eye(4)])


@mark.parametrize(
    "call, message",
    [
        (
            lambda: relevance_bounds(W3[:2], X_SMALL),
            "`w` must hold one weight per",
        ),
        (
            lambda: relevance_bounds([1.0, np.nan, 0], X_SMALL),
            "`w` must be finite",
        ),
        (
            lambda: relevance_bounds(W3, X_SMALL, 3),
            "`null_space` must be None or an integer between 0 and 2",
        ),
        (
            lambda: relevance_bounds(
                [*W3, 1, 1], X_SMALL[:4][:, [0, 1, 2, 0, 1]], 1
            ),
            "at least 2",
        ),
        (
            lambda: relevance_bounds(W3, X_SMALL, slack=0.99),
            "`slack` must be a finite",
        ),
        (
            lambda: relevance_bounds(W3, X_SMALL * 0),
            "`X` must have a feature that",
        ),
        (
            lambda: metric_bounds(np.ones((3, 2)), X_SMALL),
            "`metric` must have one column per feature",
        ),
        (
            lambda: metric_bounds(np.zeros((2, 3)), X_SMALL),
            "`metric` must not be 0",
        ),
        (
            lambda: group_bounds(W3, X_SMALL, [0, 1]),
            "`w` and `groups` must have the same number of features",
        ),
    ],
)
@mark.filterwarnings("ignore")
def test_wrong_input(call, message):
    with raises(ValueError, match=message):
        call()


def test_warnings_and_one_feature():
    with warns(UserWarning, match="weights compare only on one scale"):
        relevance_bounds(W3, X_SMALL * [1, 1, 50])
    with warns(UserWarning, match="equal variance"):
        relevance_bounds(np.ones(4), TIED, 2)
    with warns(UserWarning, match="eigenvalues are equal"):
        metric_bounds(np.eye(3), scale(X_SMALL), 1)
    bounds = [*relevance_bounds([-2], X_SMALL[:, :1])]
    assert_array_equal(bounds, [[2], [2]])


VALUES = st.floats(-1e3, 1e3, width=32) | st.sampled_from(
    [0.0, 1.0, -1.0, 1e-9, 1e9, 1e30, 1e-30, np.nan]
)


@given(
    data=st.data(),
    n=st.integers(1, 7),
    d=st.integers(1, 4),
    slack=st.sampled_from([1, 1.01, 1.5, 100]),
)
@settings(
    max_examples=examples(120),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@mark.filterwarnings("ignore::UserWarning")
def test_any_input_gives_sound_bounds_or_a_clear_error(data, n, d, slack):
    X = data.draw(hnp.arrays(float, (n, d), elements=VALUES))
    w = data.draw(hnp.arrays(float, (d,), elements=VALUES))
    null_space = data.draw(st.none() | st.integers(0, d))
    try:
        bounds = relevance_bounds(w, X, null_space, slack)
    except (ValueError, ArithmeticError) as error:
        assert (
            "`" in str(error)
            or "NaN" in str(error)
            or "minimum of 2" in str(error)
        )
        return
    assert all(
        np.isfinite(value).all()
        for name, value in vars(bounds).items()
        if value is not None
    )
    assert_sound(bounds, w, X, equivalence(X, null_space))
