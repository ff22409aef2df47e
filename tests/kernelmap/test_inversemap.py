"""The inverse map: (3.3) written out and solved without any shortcut, special cases,
invariances, wrong input.
"""

import numpy as np
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from normalised_kernels import normalised_kernels
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises
from scipy.optimize import minimize
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from toolkit.fisher import GPFisher, KernelFisher, ModelFisher, ParzenFisher
from toolkit.kernelmap import InverseMap
from toolkit.kernelmap.inverse import metric_least_squares

# fifty flowers of three kinds with places in the plane that are no function of two
# features
rng = default_rng(0)
X = load_iris().data[::3] + 0.01 * rng.normal(size=(50, 4))
Z = X @ rng.normal(size=(4, 2)) + 0.1 * rng.normal(size=(50, 2))
y = load_iris().target[::3]
for a in (X, Z, y):
    a.flags.writeable = False


def cost(B, K, X, J, lam):
    """(3.3) word for word."""
    E = X - K @ B
    matrices = J + lam * np.eye(X.shape[1])
    return np.einsum("ni,nij,nj", E, matrices, E) / len(X)


def normal_equations(K, X, J, lam):
    """All m d unknowns at once: sum_i k_i k_i^T kron (J_i + lam I)."""
    m = K.shape[1]
    d = X.shape[1]
    A = np.zeros((m * d, m * d))
    b = np.zeros(m * d)
    for k, x, j in zip(K, X, J + lam * np.eye(d), strict=True):
        A += np.kron(np.outer(k, k), j)
        b += np.kron(k, j @ x)
    return np.linalg.lstsq(A, b, rcond=1e-13)[0].reshape(m, d)


def problem(seed, n=12, m=4, d=3, c=2):
    rng = default_rng(seed)
    return (
        rng.uniform(size=(n, m)),
        rng.normal(size=(n, d)),
        rng.normal(size=(n, c, d)),
    )


def of_factors(F):
    return F.transpose(0, 2, 1) @ F


@mark.parametrize("lam", [0.0, 1e-6, 0.3, 1e6])
@mark.parametrize("seed", range(3))
def test_metric_least_squares_is_the_minimum_of_the_definition(seed, lam):
    K, X, F = problem(seed)
    J = of_factors(F)
    B = metric_least_squares(K, X, F, lam)
    assert_allclose(B, normal_equations(K, X, J, lam), rtol=1e-6, atol=1e-8)
    scaled = metric_least_squares(K, 2.0**-600 * X, F, lam)
    assert_array_equal(scaled * 2.0**600, B)

    def cost_at(b):
        return cost(b.reshape(B.shape), K, X, J, lam)

    options = {"gtol": 1e-7 * (1 + lam)}
    minimum = minimize(cost_at, np.zeros(B.size), options=options)
    assert cost_at(B) == approx(minimum.fun, rel=1e-8)


def test_unit_matrices_are_ordinary_least_squares_and_few_equations_have_some_minimum():
    K, X, F = problem(0)
    plain = np.linalg.lstsq(K, X, rcond=None)[0]
    unit = np.tile(np.eye(3), (12, 1, 1))
    for factors, lam in (
        (None, 0.0),
        (unit, 0.0),
        (0 * F, 1.0),
        (0 * F, 0.0),
        (F, 1e12),
    ):
        assert_allclose(
            metric_least_squares(K, X, factors, lam), plain, atol=1e-9
        )
    # m d = 12 unknowns, at most N (C - 1) = 5 equations: the error in the metric is
    # zero
    K, X, F = problem(1, n=5, c=1)
    B = metric_least_squares(K, X, F, 0.0)
    assert np.isfinite(B).all() and cost(B, K, X, of_factors(F), 0.0) < 1e-14


@mark.filterwarnings("error")
def test_a_right_hand_side_that_is_only_rounding_ends_the_steps():
    """The terms of K^T J X cancel.

    (0, 1), (0, -1) share their kernel and matrix, and the first sample has no say.
    """
    K = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    X = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    F = np.array([[[0.0, 1.0]], [[1.0, 1.0]], [[1.0, 1.0]]])
    # the mean that is taken off leaves a little
    for offset in (0.0, 1e-17, 0.1):
        B = metric_least_squares(K, X - offset * X[1], F, 0.0)
        for factors, b in zip(F[:2], B, strict=True):
            expected = -offset * factors @ X[1]
            assert_allclose(factors @ b, expected, atol=1e-9)


@mark.parametrize("lam", [0.01, 1.0])
def test_word_for_word(lam):
    J = ParzenFisher().fit(X, y).matrix(X)
    fitted = InverseMap(7, bandwidth=1.3, lam=lam).fit(X, Z, J)
    assert fitted.centers_.shape == (7, 2)
    at = normalised_kernels(fitted.centers_, 1.3)
    # in units of the mean eigenvalue
    weight = lam * np.trace(J.mean(axis=0)) / 4
    Xc = X - X.mean(axis=0)
    problem = at(Z), Xc, J, weight
    B = normal_equations(*problem)
    assert cost(fitted.coefficients_, *problem) == approx(
        cost(B, *problem), rel=1e-8
    )
    new = Z[:6] + 0.05
    expected = at(new) @ B + X.mean(axis=0)
    assert_allclose(fitted.inverse_transform(new), expected, atol=1e-5)


def test_all_samples_as_centres_hit_the_samples_and_few_do_not():
    J = ParzenFisher().fit(X, y)
    for metric in (None, J):
        of_all_centres = InverseMap(50, bandwidth=0.3).fit(X, Z, metric)
        assert_allclose(of_all_centres.inverse_transform(Z), X, atol=1e-6)
    two = InverseMap(2).fit(X, Z)
    assert np.abs(two.inverse_transform(Z) - X).max() > 0.1


@mark.parametrize(
    "metric",
    [
        ParzenFisher(lam=0.2),
        ModelFisher(LogisticRegression(max_iter=1000)),
        GPFisher(beta=0.1, noise=0.1),
        KernelFisher(),
    ],
    ids=repr,
)
def test_a_metric_is_its_matrices(metric):
    samples = X @ X.T if isinstance(metric, KernelFisher) else X
    metric = clone(metric).fit(samples, y)
    J = metric.matrix(samples)
    products = of_factors(metric.factors(samples))
    unit = metric.lam * np.eye(samples.shape[1])
    tolerance = 1e-9 * np.abs(J).max()
    assert_allclose(products + unit, J, atol=tolerance)
    by_object = InverseMap(9).fit(samples, Z, metric)
    by_array = InverseMap(9).fit(samples, Z, J)
    scale = np.abs(by_array.coefficients_).max()
    assert_allclose(
        by_object.coefficients_, by_array.coefficients_, atol=1e-6 * scale
    )


# ---------------------------------------------------------------- invariances
def test_order_rotation_shift_and_unit():
    places = np.round(Z * 1024) / 1024  # so that shifts are exact
    J = ParzenFisher().fit(X, y).matrix(X)
    new = places[:9] + 0.0625

    def back(X, Z=places, metric=J, new=new):
        return InverseMap().fit(X, Z, metric).inverse_transform(new)

    points = back(X)
    order = default_rng(0).permutation(50)
    R = ortho_group.rvs(4, random_state=1)
    turned_metric = R.T @ J[order] @ R
    turned = back(X[order] @ R, places[order], turned_metric)
    assert_allclose(turned, points @ R, atol=1e-7)
    shift = np.array([2.0**20, -(2.0**18)])
    assert_allclose(back(X, places + shift, J, new + shift), points)
    assert_allclose(back(X + 1e6) - 1e6, points, atol=1e-6)
    for unit in (2.0**-498, 2.0**299):  # 1e-150 and 1e90
        assert_allclose(back(X, unit * places, J, unit * new), points)
        assert_allclose(back(unit * X) / unit, points)
        # a metric whose lengths stay the same when the unit of the data changes
        metric = ParzenFisher().fit(unit * X, y)
        assert_allclose(back(unit * X, metric=metric) / unit, points, atol=1e-5)
    for unit in (5e-301, 1e-200, 1e300):
        assert_allclose(back(X, metric=unit * J), points, atol=1e-8)


def test_places_that_coincide():
    for place in (0.0, 3.0, 1e99):
        alike = InverseMap().fit(X, np.full((50, 2), place))
        assert_allclose(alike.inverse_transform([[0.0, 1.0]]), [X.mean(axis=0)])
    of_single = InverseMap(20).fit(np.tile(X, (1, 1)), np.tile(Z, (1, 1)))
    of_doubled = InverseMap(20).fit(np.tile(X, (2, 1)), np.tile(Z, (2, 1)))
    assert_allclose(
        of_doubled.inverse_transform(Z),
        of_single.inverse_transform(Z),
        atol=1e-9,
    )
    equal = InverseMap().fit(np.full((50, 4), 7.0), Z)
    assert_allclose(equal.inverse_transform(Z), 7.0)


@mark.filterwarnings("error")
@mark.parametrize("first", [1e100, 1e14, 1e12])
@mark.parametrize("m", [None, 2, 49])
def test_a_far_place_makes_the_others_coincide_but_for_rounding(first, m):
    places = np.arange(49) * (1.0 if first < 1e20 else 1e-100)
    positions = np.append(first, places)[:, None]
    fitted = InverseMap(m).fit(X, positions)
    assert np.isfinite(fitted.inverse_transform([[0.0], [first]])).all()
    assert len(np.unique(fitted.centers_)) == len(fitted.centers_)


def test_a_seed_changes_the_centres_and_far_places_go_to_one():
    metric = ParzenFisher().fit(X, y)
    model = InverseMap(9).fit(X, Z, metric)
    other = InverseMap(9, random_state=1).fit(X, Z)
    assert not np.array_equal(other.centers_, model.centers_)
    far_samples = model.inverse_transform([[1e6, -1e6]])
    assert (
        np.min(
            np.abs(model.coefficients_ + model.mean_ - far_samples).max(axis=1)
        )
        < 1e-9
    )


# ---------------------------------------------------------------- contract and wrong
# input
@mark.parametrize(
    ("unit", "width", "message"),
    [
        (1, 1, "`Z` must have shape .m, 2.; got shape"),
        (1e-300, 2, "`Z` must not hold values beyond"),
    ],
)
def test_wrong_new_positions(unit, width, message):
    with raises(ValueError, match=message):
        fitted = InverseMap(9).fit(X, unit * Z)
        fitted.inverse_transform(Z[:, :width])


HOSTILE = st.one_of(
    st.sampled_from(
        [0.0, -0.0, 1.0, 1.0 + 1e-15, -3.5, 1e-300, -5e-324, 1e99, -1e99, 1e14]
    ),
    st.floats(-1e3, 1e3),
)


@mark.filterwarnings("error")
@given(st.data())
@settings(
    max_examples=examples(200),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_hostile_arrays_end_in_numbers_or_a_value_error(data):
    def arrays_of(*shape, elements=HOSTILE):
        return data.draw(hnp.arrays(float, shape, elements=elements))

    def one_of(*values):
        return data.draw(st.sampled_from(values))

    n = one_of(*range(2, 10))
    d = one_of(1, 2, 3)
    k = one_of(1, 2)
    X = arrays_of(n, d)
    Z = arrays_of(n, k)
    if one_of(*range(20)) == 0:
        Z[0, 0] = one_of(np.nan, np.inf, -np.inf, 1e300)
    numbers = st.sampled_from([0.0, 1.0, -2.0, 1e-9, 1e5, 1e-150, 1e150])
    factors = arrays_of(n, 1, d, elements=numbers)
    lam = one_of(0.0, 1e-12, 1.0, 1e99)
    model = InverseMap(
        one_of(None, 2, 3), lam=lam, bandwidth=one_of(1e-6, 1.0, 1e6)
    )
    try:
        points = model.fit(
            X, Z, one_of(None, of_factors(factors))
        ).inverse_transform(Z)
    except ValueError as error:
        assert not isinstance(error, np.linalg.LinAlgError)
    else:
        assert points.shape == X.shape and np.isfinite(points).all()
