"""GLVQ, GMLVQ, class-wise GMLVQ.

Against loops, finite differences, known answers, invariances, wrong input.
"""

import pickle
import tracemalloc
import warnings

import numpy as np
from claims.classwise import ClasswiseGMLVQ
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from literal import central_differences, relative_error
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, fixture, mark, raises, warns
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from toolkit.lmnn import LMNN
from toolkit.lvq import GLVQ, GMLVQ, RSLVQ, final_gradient_matrix
from toolkit.lvq.cost import glvq_cost, gradient_matrix, penalty, stochastic
from toolkit.lvq.rslvq import rslvq_cost
from toolkit.lvq.training import TrainingSet

# Iris z-scored, with jitter so that no distances tie
X, y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X) + 0.01 * default_rng(0).normal(
    size=X.shape
)
X.flags.writeable = y.flags.writeable = False


@fixture
def problem():
    """Random samples, five prototypes of three classes, and generators for matrices."""
    rng = default_rng(1)
    X = rng.normal(size=(40, 5))
    codes = np.arange(40) % 3
    samples = TrainingSet.of(X, codes)
    return (samples, rng.normal(size=(5, 5)), np.array([0, 0, 1, 2, 2]), rng)


def literal_cost(samples, W, w_codes, omegas):
    """(2) and (6) sample by sample."""
    total = 0.0
    for x, c in zip(samples.inside(samples.X), samples.codes, strict=True):
        d = []
        for w, k in zip(W, w_codes, strict=True):
            Omega = omegas[k if len(omegas) > 1 else 0]
            difference = x - w
            d.append(difference @ Omega.T @ Omega @ difference)
        d = np.array(d)
        d_J = d[w_codes == c].min()
        d_K = d[w_codes != c].min()
        total += (d_J - d_K) / (d_J + d_K)
    return total / len(samples.X)


# ---------------------------------------------------------------- cost and gradients
@mark.parametrize(
    "shape", [(1, 5, 5), (1, 2, 5), (3, 5, 5), (3, 2, 5)], ids=str
)
def test_cost_and_gradients(problem, shape, monkeypatch):
    """Any rank, one matrix or one per class.

    The loop's cost, and finite differences to 1e-6.
    """
    # six blocks of samples
    monkeypatch.setattr("toolkit.core.scaling.row_blocks.__defaults__", (35,))
    samples, W, w_codes, rng = problem
    omegas = rng.normal(size=shape)
    cost = glvq_cost(samples, W, w_codes, omegas)
    assert cost.value == approx(
        literal_cost(samples, W, w_codes, omegas), abs=1e-12
    )
    for gradient, at, function in (
        (cost.grad_W, W, lambda V: glvq_cost(samples, V, w_codes, omegas)),
        (cost.grad_omegas, omegas, lambda A: glvq_cost(samples, W, w_codes, A)),
    ):
        numeric = central_differences(lambda x, f=function: f(x).value, at)
        assert relative_error(gradient, numeric) < 1e-6


def test_penalty():
    """That of the log-determinant, infinite for a singular matrix.

    Derivatives are in test_lvq_identities.py.
    """
    Omega = default_rng(0).normal(size=(2, 4))
    log_determinant = np.linalg.slogdet(Omega @ Omega.T)[1]
    expected = -0.15 * log_determinant
    assert penalty(Omega, 0.3)[0] == approx(expected)
    value, gradient = penalty(np.diag([1.0, 0.0]), 0.1)
    assert value == np.inf and np.all(np.isfinite(gradient))


def test_objective_of_the_classwise_matrices():
    """The descent follows the chain rule through Omega and Psi.

    At the end nothing near is lower.
    """
    model = ClasswiseGMLVQ(tol=1e-7, max_iter=5000).fit(X, y)
    samples = TrainingSet.of(X, y)
    rng = default_rng(0)
    W = samples.inside(model.prototypes_)

    def cost(omegas):
        return glvq_cost(samples, W, model._w_codes, omegas).value

    cost_at_end = cost(model._omegas)
    assert cost_at_end == approx(model.history_["cost"][-1], abs=1e-10)
    inner = model._omegas @ model.components_.T
    for _ in range(50):
        moved_omegas = inner + 1e-3 * rng.normal(size=inner.shape)
        ratio = norm(inner, axis=(1, 2)) / norm(moved_omegas, axis=(1, 2))
        moved_omegas *= ratio[:, None, None]
        noise = 1e-3 * rng.normal(size=(4, 2))
        turned = np.linalg.qr(model.components_.T + noise)[0]
        assert (
            cost(moved_omegas @ (model.components_ @ turned) @ turned.T)
            >= cost_at_end - 1e-9
        )


def test_nothing_larger_than_n_times_prototypes():
    """One evaluation, and a fit, on 200,000 x 36.

    Peak memory below the n x p array of six prototypes.
    """
    rng = default_rng(0)
    n = 200_000
    X = rng.normal(size=(n, 36))
    y = np.arange(n) % 6
    X += y[:, None] * rng.normal(size=36)
    tracemalloc.start()
    samples = TrainingSet.of(X, y)
    for rank in (36, 2):
        Omega = samples.initial_matrix(rank, "pca", None)
        W = rng.normal(size=(6, 36))
        glvq_cost(samples, W, np.arange(6), Omega[None])
        gradient_matrix(samples, rng.normal(size=(6, 36)), np.arange(6), Omega)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * 6


@mark.parametrize("mu", [0.0, 0.3])
@mark.parametrize("rank", [5, 2])
def test_an_epoch_of_tiny_steps_is_one_along_the_gradient(problem, rank, mu):
    """Stochastic descent at rates near 0, several prototypes per class.

    Omega moves along the sphere, by as much as the gradient lies along it; the penalty
    counts once per sample.
    """
    samples, W, w_codes, rng = problem
    Omega = rng.normal(size=(rank, 5))
    n = len(samples.X)
    rate = 1e-9
    Omega /= norm(Omega)
    model = GMLVQ(mu=mu, eta_w=rate, eta=rate, max_iter=1)
    end = stochastic(
        samples, W, w_codes, Omega, model, rng, lambda value, *_: (value,)
    )
    cost = glvq_cost(samples, W, w_codes, Omega[None])
    step_of_W = (end.W - W) / rate / n
    tolerance_of_W = 1e-4 * np.abs(cost.grad_W).max()
    assert_allclose(step_of_W, -cost.grad_W, atol=tolerance_of_W)
    slope = cost.grad_omegas[0] + penalty(Omega, mu)[1]
    slope -= np.sum(slope * Omega) * Omega
    step_of_Omega = (end.Omega - Omega) / rate / n
    assert_allclose(step_of_Omega, -slope, atol=1e-4 * np.abs(slope).max())


# ---------------------------------------------------------------- known answers and
# special cases
@mark.parametrize(
    "options",
    [
        {},
        {"mu": 0.05},
        {"prototypes_per_class": 2, "random_state": 0},
        {"rank": 2},
    ],
)
def test_cost_never_rises(options):
    model = GMLVQ(**options).fit(X, y)
    assert np.all(np.diff(model.history_["cost"]) <= 1e-12)
    assert_allclose(
        model.history_["eigenvalues"][-1], model.eigenvalues_, atol=1e-12
    )
    assert model.history_["error"][-1] == approx(1 - model.score(X, y))


# ---------------------------------------------------------------- invariances
@mark.parametrize(
    "model", [GMLVQ(mu=0.02), GMLVQ(mu=0.02, rank=2), RSLVQ()], ids=repr
)
def test_rotation_and_shift(model):
    random_matrix = default_rng(3).normal(size=(4, 4))
    Q = np.linalg.qr(random_matrix)[0]
    moved = 50 * X @ Q + 1e3
    a = clone(model).set_params(tol=1e-7).fit(X, y)
    b = clone(model).set_params(tol=1e-7).fit(moved, y)
    assert_allclose(a.predict_proba(X), b.predict_proba(moved), atol=1e-4)
    if isinstance(model, GMLVQ):
        assert_allclose(Q.T @ a.lambda_ @ Q, b.lambda_, atol=1e-5)


def test_canonical_form():
    """Any orthogonal factor on Omega leaves distances alone.

    Rows of `omega_` are scaled eigenvectors.
    """
    model = GMLVQ(mu=0.02).fit(X, y)
    product = model.omega_ @ model.omega_.T
    assert_allclose(product, np.diag(model.eigenvalues_), atol=1e-12)
    assert_allclose(model.lambda_, model.omega_.T @ model.omega_, atol=1e-12)
    d = np.array(
        [
            [(x - w) @ model.lambda_ @ (x - w) for w in model.prototypes_]
            for x in X
        ]
    )
    assert_allclose(model.distances(X), d, atol=1e-12)
    scaled = GMLVQ(mu=0.02, scaled=True, n_components=4).fit(X, y)
    Z = scaled.transform(X)
    V = (scaled.prototypes_ - scaled.mean_) @ scaled.components_.T
    map_distances = ((Z[:, None] - V) ** 2).sum(axis=2)
    assert_allclose(map_distances, d, atol=1e-12)


def test_margins_and_shares():
    model = GMLVQ(mu=0.02).fit(X, y)
    margins = model.decision_function(X)
    d = model.distances(X)
    expected = (1 / d) / (1 / d).sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(X), expected)
    for i in (0, 60, 149):
        to_own_class = d[i, y[i]]
        other = np.delete(d[i], y[i]).min()
        assert margins[i, y[i]] == approx(
            (other - to_own_class) / (other + to_own_class)
        )


def test_explained_decisions():
    """Feature by feature, as the docstring says."""
    model = GMLVQ(2, mu=0.02, random_state=0).fit(X, y)
    explanation = model.explain(X)
    labels = model.prototype_labels_[explanation.winners]
    assert_array_equal(labels[:, 0], model.predict(X))
    assert np.all(labels[:, 0] != labels[:, 1])
    assert_allclose(
        explanation.margin, model.decision_function(X).max(axis=1), atol=1e-12
    )
    parts = [
        (X - p) * ((X - p) @ model.lambda_)
        for p in model.prototypes_[explanation.winners.T]
    ]
    total = np.sum(parts, axis=(0, 2))[:, None]
    expected = (parts[1] - parts[0]) / total
    assert_allclose(explanation.contributions, expected, atol=1e-12)


@mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@mark.parametrize("solver", ["lbfgs", "sgd"])
def test_stages_are_the_fits_that_stop_there(solver):
    options = {"solver": solver, "omega_init": "random", "random_state": 3}
    steps = [4, 1, 2, 1000] if solver == "lbfgs" else [4, 1, 2]
    model = GMLVQ(2, **options)
    for n, stage in zip(steps, model.snapshots(X, y, steps), strict=True):
        fitted = GMLVQ(2, max_iter=n, **options).fit(X, y)
        assert_array_equal(stage.omega_, fitted.omega_)
        assert_array_equal(stage.distances(X), fitted.distances(X))
        assert stage.n_iter_ == fitted.n_iter_
        assert stage.get_params() == fitted.get_params()


# ---------------------------------------------------------------- hard data
def test_directions_without_variance():
    """Constant and repeated features: no relevance, half of it each.

    More features than samples work.
    """
    constant = np.full(150, 7.7)
    X_more = np.column_stack([X, constant, X[:, 2]])
    for mu in (0.0, 0.05):
        model = GMLVQ(mu=mu).fit(X_more, y)
        assert (
            abs(model.relevances_[4]) < 1e-20 and len(model.eigenvalues_) == 4
        )
        assert model.lambda_[2, 2] == approx(model.lambda_[5, 5])
    rng = default_rng(0)
    wide = rng.normal(size=(20, 60))
    wide[::2, 0] += 4
    model = GMLVQ(mu=0.01).fit(wide, np.arange(20) % 2)
    assert model.omega_.shape == (19, 60)
    assert model.score(wide, np.arange(20) % 2) == 1
    with raises(ValueError, match="`rank` must be an integer between 1 and 4"):
        GMLVQ(rank=5).fit(X_more, y)


@mark.parametrize("n", [1000, 100_000])
def test_many_rows_of_a_constant(n):
    """Sums of many equal numbers are not exact.

    The constant must not become a direction for it.
    """
    rng = default_rng(0)
    y = np.arange(n) % 2
    feature = rng.normal(size=n) + 3 * y
    X = np.column_stack([feature, np.full(n, 0.1)])
    model = GMLVQ(mu=0.05).fit(X, y)
    assert_array_equal(model.relevances_, [1, 0])
    assert model.transform(X).shape == (n, 1)
    with raises(ValueError, match="all rows are equal"):
        GMLVQ().fit(np.full((n, 2), 0.1), y)


def test_span_of_features_in_very_different_units():
    """A dependent feature leaves the space that the others span.

    Whatever their units.
    """
    rng = default_rng(0)
    X = rng.normal(size=(50, 3)) * [1e6, 1.0, 1e-6]
    combination = X[:, 0] / 1e6 + X[:, 1] + X[:, 2] * 1e6
    X_more = np.column_stack([X, combination])
    samples = TrainingSet.of(X_more, np.arange(50) % 2)
    assert samples.rank == 3
    assert_allclose(
        samples.to_data_space(samples.inside(X_more)),
        X_more,
        rtol=1e-9,
        atol=1e-9,
    )


def test_copies_do_not_carry_the_training_samples():
    model = GMLVQ(mu=0.1).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.score(X, y) > 0.9
    with raises(ValueError, match="that holds its training samples"):
        final_gradient_matrix(copy)


def test_classwise_map_measures_the_distances():
    """`class_matrices_` in the map give `distances`."""
    model = ClasswiseGMLVQ(
        {0: 2, 1: 1, 2: 1}, omega_init="random", random_state=1, tol=1e-2
    ).fit(X, y)
    assert_allclose(
        model.components_ @ model.components_.T, np.eye(2), atol=1e-12
    )
    Z = model.transform(X)
    V = (model.prototypes_ - model.mean_) @ model.components_.T
    for k, c in enumerate(model._w_codes):
        differences = Z - V[k]
        d = np.einsum(
            "ij,jk,ik->i", differences, model.class_matrices_[c], differences
        )
        assert_allclose(model.distances(X)[:, k], d, atol=1e-10)


def test_rates_that_are_too_large():
    with warns(ConvergenceWarning, match="ended at a higher cost"):
        GMLVQ(solver="sgd", eta_w=100.0, max_iter=3, random_state=0).fit(X, y)


def test_zero_distances_and_coinciding_prototypes():
    """All samples of both classes in one place give 0/0 in (6).

    Cost 0, margin 0, equal shares; no NaN.
    """
    X = np.array([[0.0, 0], [0, 0], [0, 0], [0, 0], [3, 1]])
    y = np.array([0, 0, 1, 1, 1])
    sgd = GMLVQ(solver="sgd", max_iter=5)
    for estimator in (GLVQ(), GMLVQ(), sgd, RSLVQ()):
        model = estimator.fit(X, y)
        assert np.all(np.isfinite(model.prototypes_))
        assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    model = GLVQ().fit(X, y)
    model.prototypes_ = np.zeros((2, 2))
    assert not model.decision_function(X).any()
    assert np.all(model.predict_proba(X) == 0.5)


def test_an_unfinished_descent_says_so():
    with warns(ConvergenceWarning, match="`max_iter`=2: the limit") as caught:
        GMLVQ(max_iter=2).fit(X, y)
    assert caught[0].filename == __file__


HOSTILE = [
    GMLVQ(),
    GMLVQ(mu=0.1),
    GMLVQ(rank=1),
    GMLVQ(solver="sgd", max_iter=3),
    GMLVQ(omega_init="random"),
]
HOSTILE += [LMNN(), LMNN(rank=1), LMNN(push=0.01), LMNN(1)]


@settings(max_examples=examples(100), deadline=None)
@given(
    hnp.arrays(
        float,
        st.tuples(st.integers(4, 14), st.integers(1, 6)),
        elements=st.floats(-1e6, 1e6, width=32),
    ),
    st.sampled_from(HOSTILE),
    st.integers(2, 4),
)
def test_hostile_samples(X, model, n_classes):
    with warnings.catch_warnings(action="ignore"):
        try:
            codes = np.arange(len(X)) % n_classes
            model = clone(model).fit(X, codes)
        except ValueError as error:
            assert "`" in str(error)
            return
    for values in (
        model.lambda_,
        model.transform(X),
        model.predict_proba(X),
        *model.history_.values(),
    ):
        assert np.all(np.isfinite(values))
    if isinstance(model, GMLVQ):
        assert np.trace(model.lambda_) == approx(1)


# ---------------------------------------------------------------- RSLVQ
def literal_posterior(x, W, w_codes, sigma2, c):
    squared = np.sum((x - W) ** 2, axis=1)
    weights = np.exp(-squared / (2 * sigma2))
    return weights[w_codes == c].sum() / weights.sum()


def test_rslvq_cost_and_gradients(problem):
    samples, W, w_codes, _ = problem
    X = samples.inside(samples.X)
    cost = rslvq_cost(samples, W, w_codes, 0.7)
    literal = [
        literal_posterior(x, W, w_codes, 0.7, c)
        for x, c in zip(X, samples.codes, strict=True)
    ]
    assert cost.value == approx(-np.mean(np.log(literal)))
    by_W = central_differences(
        lambda W: rslvq_cost(samples, W, w_codes, 0.7).value, W
    )
    assert_allclose(cost.grad_W, by_W, atol=1e-6)
    by_log = central_differences(
        lambda s: rslvq_cost(samples, W, w_codes, np.exp(s.item())).value,
        np.log([0.7]),
    )
    assert_allclose(cost.grad_log_sigma2, by_log, atol=1e-6)


def test_rslvq_of_samples_that_are_far_apart():
    """-ln P(y | x) is 0 at the own prototype and D / (2 sigma^2) at the other.

    However large; here up to 20,000.
    """
    x = np.array([[0.0], [100.0]])
    W = TrainingSet.of(x, np.array([0, 1])).inside(x)
    for codes, value, wrong in (
        ([0, 1], 0.0, 0.0),
        ([1, 0], np.sum((W[0] - W[1]) ** 2) / 2e-4, 1.0),
    ):
        samples = TrainingSet.of(x, np.array(codes))
        cost = rslvq_cost(samples, W, np.array([0, 1]), 1e-4)
        assert (cost.value, cost.error) == (approx(value), wrong)
        assert np.isfinite(cost.grad_W).all()


def test_rslvq_posteriors():
    model = RSLVQ(2, random_state=0).fit(X, y)
    P = model.predict_proba(X)
    for i in (0, 70, 120):
        for c in range(3):
            posterior = literal_posterior(
                X[i], model.prototypes_, model._w_codes, model.sigma2_, c
            )
            assert P[i, c] == approx(posterior, abs=1e-12)
    assert model.history_["error"][-1] == approx(1 - model.score(X, y))


def test_rslvq_far_away_and_separable():
    """Probabilities are known where weights underflow.

    Separable data end at a small variance, not at NaN.
    """
    X = np.array([[0.0], [1], [10], [11]])
    model = RSLVQ().fit(X, [0, 0, 1, 1])
    assert np.all(np.isfinite(model.prototypes_)) and model.sigma2_ > 0
    far_samples = [[1e6], [-1e6]]
    assert_allclose(model.predict_proba(far_samples), [[0, 1], [1, 0]])


def test_glvq_is_gmlvq_with_a_fixed_metric():
    """Stochastic descent at rate 0 for Omega moves prototypes alone.

    Its cost ends where GLVQ's does.
    """
    fixed = GMLVQ(
        solver="sgd", eta=0.0, eta_w=0.05, max_iter=150, random_state=0
    ).fit(X, y)
    assert_allclose(fixed.lambda_, np.eye(4) / 4, atol=1e-12)
    glvq = GLVQ(tol=1e-6).fit(X, y)
    assert fixed.history_["cost"][-1] == approx(
        glvq.history_["cost"][-1], abs=2e-3
    )
    assert_allclose(fixed.prototypes_, glvq.prototypes_, atol=0.05)
