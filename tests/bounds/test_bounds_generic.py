"""Bounds by any criterion, choice of the null space, metrics put into a classifier.

Hyperplanes.
"""

import re
import warnings

import numpy as np
import pandas as pd
from claims.hyperplane_bounds import hyperplane_bounds
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from pytest import approx, mark, raises
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

from toolkit.bounds import (
    choose_null_space,
    generic_bounds,
    left_out_error,
    linear_error,
    metric_bounds,
    principal_rows,
)
from toolkit.bounds.generic import LEFT_OUT_PENALTIES
from toolkit.lvq import GMLVQ

rng = default_rng(0)
X3 = rng.normal(size=(20, 3))
W3 = [1.0, 2.0, 3.0]
Y2 = [0, 1] * 10


def literal_generic(X, y, criterion, n_steps):
    """Algorithms 1 and 2 line by line.

    With the backward maximum over the selected features.
    """
    count = 0

    def c(features):
        nonlocal count
        count += 1
        return criterion(X[:, sorted(features)], y)

    everything = set(range(X.shape[1]))
    upper = []
    error_of_all = c(everything)
    nothing = c(set())
    lower = [c(everything - {j}) - error_of_all for j in everything]
    for j in everything:
        u = max(lower[j], nothing - c({j}))
        C = everything - {j}
        S = set()
        for _ in range(2, n_steps + 1):
            if C:
                gains = {k: c(S | {k}) - c(S | {j, k}) for k in sorted(C)}
                best = max(gains, key=gains.get)
                u = max(u, gains[best])
                C = C - {best}
                S = S | {best}
        while S:
            gains = {k: c(S - {k}) - c((S - {k}) | {j}) for k in sorted(S)}
            best = max(gains, key=gains.get)
            u = max(u, gains[best])
            S = S - {best}
        upper.append(u)
    return np.array(lower), np.array(upper), count


def arbitrary(X, y):
    """An arbitrary error for each set of columns, always the same for the same set."""
    seeds = np.abs(1e6 * X[0]).astype(int)
    return default_rng(seeds).uniform()


@mark.parametrize("d", [1, 2, 5, 7])
@mark.parametrize("n_steps", [1, 2, 4, 6])
@mark.parametrize("criterion", [arbitrary, linear_error])
def test_generic_bounds_are_the_algorithms_line_by_line(d, n_steps, criterion):
    rng = default_rng(d)
    X = rng.normal(size=(30, d))
    y = rng.normal(size=30)
    lower, upper, count = literal_generic(X, y, criterion, n_steps)
    bounds = generic_bounds(X, y, criterion, n_steps=n_steps)
    assert_allclose([*bounds], [lower, upper], atol=1e-14)
    assert bounds.n_evaluations == count <= 2 * d**2 * n_steps + 2
    assert (bounds.error, bounds.empty) == (
        criterion(X, y),
        criterion(X[:, :0], y),
    )
    first = generic_bounds(X, y, criterion, n_steps=n_steps, upper=False)
    assert_array_equal(first.lower, bounds.lower)
    assert np.isnan(first.upper).all() and first.n_evaluations == d + 1


@mark.parametrize("d", [4, 40])
@mark.parametrize("kind", ["target", "classes"])
def test_left_out_error_is_that_of_refitting_without_each_sample(kind, d):
    """The closed form against n fits of scikit-learn's ridge regression.

    For each penalty.
    """
    rng = default_rng(0)
    X = scale(rng.normal(size=(25, d)))
    y = X[:, 0] + rng.normal(size=25)
    indicators = y[:, None]
    if kind == "classes":
        codes = np.digitize(y, [-0.5, 0.5])
        y = np.array(["a", "b", "c"])[codes]
        is_class = y[:, None] == np.unique(y)
        indicators = is_class.astype(float)

    def held_out(model, X):
        predicted = cross_val_predict(
            model, X, indicators, cv=LeaveOneOut()
        ).reshape(indicators.shape)
        return np.mean(np.sum((predicted - indicators) ** 2, axis=1))

    errors = [
        held_out(Ridge(alpha=share * np.linalg.norm(X, 2) ** 2), X)
        for share in LEFT_OUT_PENALTIES
    ]
    assert left_out_error(X, y) == approx(min(errors), rel=1e-9)
    assert left_out_error(3 * X + np.arange(d), y) == approx(
        left_out_error(X, y)
    )
    assert left_out_error(X[:, :0], y) == approx(held_out(DummyRegressor(), X))
    assert left_out_error(np.ones((25, 2)), y) == left_out_error(X[:, :0], y)


def test_linear_error_is_that_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    X = np.column_stack([X, X[:, 0]])
    predicted = LinearRegression().fit(X, y).predict(X)
    expected = np.mean((predicted - y) ** 2)
    assert linear_error(X, y) == approx(expected)


def test_a_picture_of_lower_bounds_alone():
    bounds = generic_bounds(X3, X3[:, 0], upper=False)
    assert np.isnan(bounds.upper).all()
    display = bounds.plot()
    assert_array_equal(display.upper, np.maximum(bounds.lower, 0))


FLOWERS = scale(load_iris().data) + 1
FLOWERS.flags.writeable = False
NAMES = np.array(["a", "b", "c"])[load_iris().target]
X = FLOWERS[::2]
y = NAMES[::2]
X_other = FLOWERS[1::2]
y_other = NAMES[1::2]
MODEL = GMLVQ(rank=2).fit(X, y)
IRIS = MODEL, X, y, X_other, y_other


def test_choice_is_a_literal_loop():
    choice = choose_null_space(*IRIS)
    images = (MODEL.prototypes_ - MODEL.mean_) @ principal_rows(MODEL).T

    def error(Omega, A, classes):
        projected = (A - MODEL.mean_) @ Omega.T
        apart = projected[:, None] - images
        winners = np.sum(apart**2, axis=2).argmin(axis=1)
        return np.mean(MODEL.prototype_labels_[winners] != classes)

    assert choice.effective_dimensions.tolist() == [1, 2, 3, 4]
    training = (X, y, choice.train_error, choice.average_train_error)
    parts = (training, (X_other, y_other, choice.error, choice.average_error))
    for i, kept in enumerate(choice.effective_dimensions):
        bounds = metric_bounds(MODEL, X, int(4 - kept), 1.01)
        for A, classes, errors, of_average in parts:
            assert errors[i] == approx(
                np.mean([error(Omega, A, classes) for Omega in bounds.mappings])
            )
            assert of_average[i] == approx(error(bounds.average, A, classes))
    # no null space
    assert choice.original == approx((choice.train_error[-1], choice.error[-1]))
    minimum = choice.error.min()
    variance = minimum * (1 - minimum) / len(X_other)
    allowed = minimum + np.sqrt(variance)
    assert (
        choice.effective_dimension
        == choice.effective_dimensions[choice.error <= allowed + 1e-12][0]
    )
    assert choice.null_space == 4 - choice.effective_dimension


def test_choice_with_names_of_features():
    """DataFrames give what arrays give, without a warning about names."""
    named = pd.DataFrame(X, columns=list("abcd"))
    named_other = pd.DataFrame(X_other, columns=list("abcd"))
    with warnings.catch_warnings(action="error"):
        model = GMLVQ(rank=2).fit(named, y)
        choice = choose_null_space(model, named, y, named_other, y_other)
    assert_array_equal(choice.error, choose_null_space(*IRIS).error)


def test_null_spaces_are_tried_once_each_and_the_largest_first():
    choice_of_some = choose_null_space(
        *IRIS, null_spaces=[0, 3, 3, 1], tolerance=1
    )
    assert (
        choice_of_some.null_space,
        choice_of_some.effective_dimensions.tolist(),
    ) == (3, [1, 3, 4])


def test_a_rank_of_the_metric_is_left_out_only_if_it_is_nothing():
    Omega = np.diag([3.0, 1e-3, 0.0])
    assert_allclose(principal_rows(Omega), Omega[:2])


def test_hyperplanes_on_paper():
    """Weights (.4, .4, 1) have hinge loss .4.

    By symmetry w_1 + w_2 = s and w_3 = v have 2 [1 - s]_+ + 2 [1 - v]_+.

    With s + v <= 1.8 both must be within [.8, 1], and s may be that of either twin
    alone.
    """
    X = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    w = np.array([0.4, 0.4, 1.0])
    mirrored = np.vstack([X, -X])
    lower, upper = hyperplane_bounds(
        w, 0.0, mirrored, np.array([1, 1, 0, 0]), 1.8
    )
    assert_allclose([lower, upper], [[0, 0, 0.8], [1, 1, 1]], atol=1e-8)


def nan_for_one(X, y):
    return np.nan if X.shape[1] == 1 else 1.0


@mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: generic_bounds(X3, Y2, nan_for_one),
            "`criterion` must be a function that returns a finite number",
        ),
        (
            lambda: generic_bounds(X3, [1e200, *Y2[1:]]),
            "`y` must not hold values beyond",
        ),
    ],
)
def test_wrong_input(call, message):
    with raises(ValueError, match=re.escape(message)):
        call()


@mark.parametrize(
    ("change", "message"),
    [
        (
            {"model": LinearSVC()},
            "`model` must be a fitted GMLVQ, LMNN or linear model",
        ),
        ({"X_other": X3, "y_other": Y2}, "`X_other` must have shape (n, 4)"),
        ({"y": [0, 1]}, "`X` and `y` must have the same number of samples"),
        ({"y_other": [[0, 1]]}, "`y_other` must be one class per sample"),
        (
            {"y_other": np.zeros(75)},
            "`y_other` must hold classes that `model` was fitted to, ['a', 'b', 'c']; got "
            "[0.0]",
        ),
        (
            {"null_spaces": []},
            "`null_spaces` must be a sequence of integers, at least one",
        ),
    ],
)
@mark.filterwarnings("ignore::UserWarning")
def test_wrong_input_of_the_choice(change, message):
    options = {"model": MODEL, "X": X, "y": y}
    options |= {"X_other": X_other, "y_other": y_other} | change
    with raises(ValueError, match=re.escape(message)):
        choose_null_space(**options)


def test_wrong_metrics_for_a_classifier():
    rows = np.ones((2, 4))
    with raises(ValueError, match="`Omega` must"):
        MODEL.with_metric(rows[:, :3])
    with raises(ValueError, match="`like` must"):
        MODEL.with_metric(rows, like=rows[:1])
    with raises(NotFittedError):
        clone(MODEL).with_metric(np.eye(4))
