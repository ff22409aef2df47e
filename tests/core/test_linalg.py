"""toolkit.core.linalg: order, signs, ranks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import mark, raises

from toolkit.core import linalg
from toolkit.core.linalg import (
    fix_signs,
    procrustes,
    sphering,
    symmetric_eigenpairs,
    thin_svd,
)


def test_svd_and_signs_do_not_depend_on_the_order_of_rows():
    rng = default_rng(0)
    A = rng.normal(size=(40, 6))
    order = rng.permutation(40)
    U, s, V = thin_svd(A)
    other, _, V_other = thin_svd(A[order])
    assert_allclose(V, V_other, atol=1e-12)
    assert_allclose(U[order], other, atol=1e-12)
    assert_allclose(U * s @ V.T, A, atol=1e-12)


def test_signs_of_tied_extremes_survive_rounding():
    """The vector (1, -1, 0) has two extreme entries.

    Noise in the last place must not flip it.
    """
    assert fix_signs(np.array([[1.0], [-1.0 - 1e-12], [0.0]])) == 1


def test_each_column_has_a_sign_of_its_own():
    """The largest entries are -3, the second of its column, and -0.2, small beside
    those of the other column.
    """
    V = np.array([[1.0, 0.1], [-3.0, -0.2], [2.0, 0.1]])
    assert fix_signs(V).tolist() == [-1, -1]
    assert fix_signs(np.empty((2, 0))).tolist() == []


@mark.parametrize("n_pairs", [None, 3])
@mark.parametrize("general", [False, True])
@mark.parametrize("rising", [False, True])
def test_eigenpairs_fall_or_rise(n_pairs, general, rising):
    matrices = default_rng(0).normal(size=(2, 6, 6))
    A, B = (M + M.T for M in matrices)
    given = B @ B + np.eye(6) if general else None
    B = given if general else np.eye(6)
    values, V = symmetric_eigenpairs(A, n_pairs, B=given, rising=rising)
    # each value with its own vector
    assert_allclose(A @ V, B @ V * values, atol=1e-9)
    assert_allclose(V.T @ B @ V, np.eye(len(values)), atol=1e-12)
    assert np.all(fix_signs(V) == 1)
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(B, A)).real)
    assert_allclose(
        values, (expected if rising else expected[::-1])[: n_pairs or 6]
    )


@mark.parametrize("n, d, rank", [(50, 5, 5), (5, 50, 4), (30, 30, 29)])
def test_sphering(n, d, rank):
    scales = 10.0 ** np.arange(-2, d - 2).clip(max=2)
    X = default_rng(0).normal(size=(n, d)) * scales + 7
    sphered = sphering(X)
    Z = sphered.Z
    assert Z.shape == (n, rank)
    assert_allclose(Z.T @ Z / n, np.eye(rank), atol=1e-10)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-10)
    assert_allclose((X - sphered.mean) @ sphered.W, Z, atol=1e-8)


def test_sphering_ignores_constant_repeated_and_huge_constant_columns():
    X = default_rng(0).normal(size=(20, 3))
    huge = np.full(20, 1e9 / 3)
    padded = np.column_stack([X, X[:, 0], np.full(20, 3.7), huge])
    assert sphering(padded).Z.shape == (20, 3)


def test_sphering_keeps_small_directions_in_any_unit():
    """A direction with 1e-8 of the deviation has 1e-16 of the variance and counts.

    Without any variance none does.
    """
    X = default_rng(0).normal(size=(50, 3)) * [1, 1e-8, 0]
    for unit in (1e-30, 1.0, 1e30):
        assert sphering(unit * X).Z.shape == (50, 2)
    assert sphering(np.zeros((5, 2))).Z.shape == (5, 0)


def test_sphering_by_variance_keeps_the_first_directions():
    """Variances 9, 4, 1 of 14: 64 % need one direction, 93 % two.

    Half of the variance in each of two is enough for .5, whatever rounding does to it.
    """
    X = sphering(default_rng(0).normal(size=(400, 3))).Z * [3, 2, 1]
    assert [sphering(X, v).Z.shape[1] for v in (0.6, 0.9, 0.95)] == [1, 2, 3]
    for angle in np.linspace(0, 1, 7):
        c = np.cos(angle)
        s = np.sin(angle)
        half = 3 * np.array([[c, -s], [s, c]])
        assert sphering(np.vstack([half, -half]), 0.5).Z.shape[1] == 1


def test_procrustes_of_a_map_that_is_one_point():
    """All samples come to the centre of the reference, (1, 2)."""
    reference = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 3.0]])
    Z = procrustes(np.ones((3, 2)), reference)
    assert_array_equal(Z, [[1, 2]] * 3)


@given(st.integers(0, 10_000), st.floats(0.1, 10))
def test_procrustes_undoes_movements(seed, size):
    rng = default_rng(seed)
    Z = rng.normal(size=(12, 2))
    R, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    moved = size * Z @ R + rng.normal(size=2)
    assert_allclose(procrustes(moved / size, Z), Z, atol=1e-8)
    still = procrustes(moved, Z)
    distance = norm(still[0] - still[1])
    assert_allclose(distance, size * norm(Z[0] - Z[1]), rtol=1e-8)


@mark.parametrize(
    "values",
    [np.arange(-50.0, 10), np.repeat([0.0, 1.0, 5.0], 20), np.zeros(60)],
)
def test_few_pairs_of_many_rows_are_those_of_all(monkeypatch, values):
    """Lanczos steps, beside larger negative eigenvalues, and of equal ones, of which they
    could find one vector only.
    """
    Q = np.linalg.qr(default_rng(0).normal(size=(60, 60)))[0]
    A = Q * values @ Q.T
    monkeypatch.setattr(linalg, "LANCZOS_ABOVE", 10)
    found, V = symmetric_eigenpairs(A, 2)
    assert_allclose(found, values[:-3:-1], atol=1e-12)
    assert_allclose(A @ V, V * found, atol=1e-11)
    assert_allclose(V.T @ V, np.eye(2), atol=1e-12)


def test_what_is_not_finite_has_no_eigenvalues():
    with raises(ValueError, match="infs or NaNs"):
        symmetric_eigenpairs(np.full((3, 3), np.nan))


def test_means_roots_and_padding_of_arrays():
    assert linalg.root_mean_square(np.array([[3.0, 4.0]])) == np.sqrt(12.5)
    assert linalg.safe_root(np.array([-1e-20, 0.25])).tolist() == [0, 0.5]
    A = default_rng(0).normal(size=(2, 3, 4))
    padded = linalg.pad_zeros(A, 6)
    assert_array_equal(padded[..., :4], A)
    assert padded.shape == (2, 3, 6) and not padded[..., 4:].any()
    first, second = (linalg.fixed_noise((50, 40)) for _ in range(2))
    assert_array_equal(first, second)
    assert first.shape == (50, 40) and abs(first.std() - 1) < 0.1
