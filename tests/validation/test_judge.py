"""The judge of everybody's map: maps of any class, splits of any kind, and what is refused."""

import copy

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.random import default_rng
from pytest import approx, mark, raises
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    StratifiedKFold,
)
from sklearn.preprocessing import FunctionTransformer

from toolkit import validate_map
from toolkit.fisher import ParzenFisher, overfitting_check
from toolkit.tabular.maps import MapRows, measure_map
from toolkit.validation import as_map, as_target, fit_map, validate
from toolkit.validation.judge import Projection, judge, judge_split, project
from toolkit.validation.maps import as_positions

N = 60
X = default_rng(0).normal(size=(N, 4))
Y = (X[:, 0] + 0.5 * default_rng(1).normal(size=N) > 0).astype(int)
ROWS = np.arange(N)


def judged(map, X=X, y=Y, **options):
    options = {"n_permutations": 1, "verbose": False} | options
    return validate_map(map, X, y, **options)


# ---- maps of any class ----


class Plain:
    """Linear discriminants behind a class of no library."""

    def fit(self, X, y):
        self.map = LDA().fit(X, y)
        return self

    def transform(self, X):
        return self.map.transform(X)


class FitsNone(Plain):
    def fit(self, X, y):
        super().fit(X, y)


class KeywordTarget(Plain):
    def fit(self, X, *, y=None):
        return super().fit(X, y)


class MixedIn(TransformerMixin, BaseEstimator):
    """The mixin's `fit_transform` would hand `y` by position to a `fit` that takes none."""

    def fit(self, X):
        self.map_ = PCA(2).fit(X)

    def transform(self, X):
        return self.map_.transform(X)


class WithoutTarget:
    def fit(self, X):
        self.mean = X.mean(axis=0)

    def transform(self, X):
        return X - self.mean


class Wrapper:
    """A function as a map, which cannot be cloned from its parameters."""

    def __init__(self, function):
        self.call = function

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return self.call(X)


class Remembers:
    """Keeps all rows that it was ever fitted to."""

    def __init__(self):
        self.rows = []

    def fit(self, X, y=None):
        self.rows += [tuple(row) for row in X]
        return self

    def transform(self, X):
        return X


class Alone:
    """A map with `fit_transform` alone, without `fit`."""

    def fit_transform(self, X):
        return X[:, :2]


class Breaks(BaseEstimator):
    """A constructor that changes its parameter, which `clone` refuses."""

    def __init__(self, size=2):
        self.size = [size]

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[:, : self.size[0]]


IDENTITY = judged(FunctionTransformer())


@mark.parametrize(
    ("map", "same_as"),
    [
        (Plain(), LDA()),
        (Plain, LDA()),
        (FitsNone(), LDA()),
        (KeywordTarget(), LDA()),
        (MixedIn(), PCA(2)),
        (WithoutTarget(), FunctionTransformer()),
        (Wrapper(lambda X: X), FunctionTransformer()),
        (Wrapper(pd.DataFrame), FunctionTransformer()),
        (Wrapper(np.ndarray.tolist), FunctionTransformer()),
        (Wrapper(csr_array), FunctionTransformer()),
        (Remembers(), FunctionTransformer()),
        (Breaks(), Wrapper(lambda X: X[:, :2])),
    ],
)
def test_a_map_of_any_class_is_judged_as_that_of_scikit_learn(map, same_as):
    validation = judged(map)
    expected = judged(same_as)
    assert (validation.error, validation.training_error) == (
        expected.error,
        expected.training_error,
    )
    assert validation.p_value == expected.p_value
    assert validation.others.keys() == expected.others.keys()


def test_positions_of_lower_precision_are_those_numbers():
    validation = judged(Wrapper(lambda X: X.astype(np.float32)))
    assert validation.error == approx(IDENTITY.error, abs=0.05)


def test_a_map_with_fit_transform_alone_is_extended():
    validation = judged(Alone())
    assert "the same map, rows placed by a kernel map" in validation.others


def test_each_fit_is_that_of_a_copy():
    remembers = Remembers()
    judged(remembers)
    assert remembers.rows == []
    fitted = Plain().fit(X[:30], Y[:30])
    before = copy.copy(fitted.map)
    judged(fitted)
    assert fitted.map.coef_ is before.coef_


WRONG = {
    "rows": lambda X: X[:-1],
    "NaN": lambda X: np.where(X > 1, np.nan, X),
    "one dimension": lambda X: X[:, 0],
    "no column": lambda X: X[:, :0],
    "strings": lambda X: X.astype(str),
    "complex": lambda X: X + 1j,
    "None": lambda X: None,
    "a dict": lambda X: {},
    "other columns": lambda X: X[:, : 2 + len(X) % 2],
    "huge": lambda X: 1e200 * (1 + X),
}


@mark.parametrize("name", WRONG)
def test_what_is_no_map_is_refused_by_name(name):
    test = {"X_test": X[45:], "y_test": Y[45:]}
    with raises(ValueError, match="`map` must return.*Wrapper.*returns"):
        judged(Wrapper(WRONG[name]), X[:44], Y[:44], **test)


class Fails(Plain):
    def fit(self, X, y):
        raise KeyError("nothing there")


@mark.parametrize(
    ("map", "says"),
    [
        (Fails(), "`map` .*Fails.* cannot be fitted.*KeyError"),
        (Wrapper, "`map` must be an instance, or a class that needs no arg"),
        (Wrapper(lambda X: X.nothing), "`map` .*Wrapper.* cannot be fitted"),
        (object(), "`map` must have `fit` and `transform`"),
        ({}, "`map` must be one map or more"),
        ("LDA", "`map` must have `fit`"),
    ],
)
def test_maps_that_fail_are_named(map, says):
    with raises(ValueError, match=says):
        judged(map)


def test_an_embedder_is_for_metrics():
    with raises(ValueError, match="`embedder` must be None with a map"):
        judged(PCA(2), embedder=PCA(2))
    with raises(ValueError, match="`embedder` must be a map of distances"):
        as_map(ParzenFisher(), object())


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    arrays(
        st.sampled_from([float, int, bool, complex, "U2", object]),
        st.tuples(st.integers(0, 4), st.integers(0, 3)),
    ),
    st.integers(0, 4),
)
def test_what_any_map_returns_is_finite_positions_or_refused(A, n):
    try:
        Z = as_positions(A, n, Plain())
    except ValueError as error:
        assert "`map` must return" in str(error)
    else:
        assert Z.dtype == float and np.isfinite(Z).all()
        assert len(Z) == n and Z.shape[1]


# ---- one judge ----


def test_a_look_and_an_overfitting_check_judge_as_validate_map_does():
    train = ROWS[:40]
    test = ROWS[40:]
    model = LDA()
    validation = judged(
        model, X[train], Y[train], X_test=X[test], y_test=Y[test]
    )
    rows = MapRows(X=X, groups=ROWS, fitted=train, held_out=test)
    result, fitted = measure_map(LDA(), as_target(Y, N), rows)
    assert result.error == validation.error
    assert result.training_error == approx(validation.training_error)
    assert result.interval == validation.interval
    assert fitted.predict(X).shape == (N,)
    check = overfitting_check(LDA(), X, Y, n_permutations=1, n_neighbors=5)
    Z, _ = fit_map(LDA(), X, Y)
    joint = judged(FunctionTransformer(), Z, Y)
    assert check.in_sample == approx(joint.training_error, abs=0.03)


def test_projections_are_judged_by_their_rows():
    target = as_target(Y, N)
    splits = list(KFold(3).split(X))
    projections = project(FunctionTransformer(), X, Y, splits)
    judgement = judge(projections, target)
    assert np.isfinite(judgement.losses).all()
    of_one_projection = judge(projections[:1], target)
    assert np.isnan(of_one_projection.losses[splits[0][0]]).all()
    assert (of_one_projection.losses[:20] == judgement.losses[:20]).all()


# ---- splits ----


def test_splits_are_those_of_scikit_learn():
    folds = StratifiedKFold(4)
    pairs = list(folds.split(X, Y))
    errors = {
        judged(LDA(), cv=cv).error for cv in (4, folds, pairs, iter(pairs))
    }
    assert len(errors) == 1
    values = judged(PCA(2), y=X[:, 0], cv=4)
    assert values.error == judged(PCA(2), y=X[:, 0], cv=KFold(4)).error
    groups = ROWS // 2
    grouped = judged(LDA(), groups=groups, cv=GroupKFold(3))
    assert grouped.n_rows == N
    assert judged(PCA(2), cv=PredefinedSplit(ROWS % 3)).n_rows == N


def test_several_maps_are_compared_in_their_order():
    maps = {"b": LDA(), "a": PCA(2), "c": Plain}
    found = judged(maps, cv=3, groups=ROWS[:, None])
    assert list(found) == list(maps)
    assert list(found["b"].others)[-2:] == ["a", "c"]
    assert found["b"].others["c"][0] == 0


def test_pairs_are_about_all_rows():
    pairs = [(ROWS[:50], ROWS[50:])]
    assert judged(LDA(), cv=pairs, max_rows=20).n_rows == 10


class OnTrainingRows:
    def split(self, X, y=None, groups=None):
        yield np.arange(len(X)), np.arange(len(X))

    def get_n_splits(self, *arguments):
        return 1


@mark.parametrize(
    ("cv", "says"),
    [
        (OnTrainingRows(), "without a row on both sides; split 0 has 60 such"),
        ([(ROWS, ROWS[:5])], "without a row on both sides; split 0 has 5 such"),
        ([(ROWS[:50], ROWS[50:] + 1)], "row numbers from 0 to 59.*held-out.*60"),
        ([(ROWS[:50] - 1, ROWS[50:])], "row numbers from 0 to 59.*-1"),
        ([(ROWS < 50, ROWS >= 50)], "np.flatnonzero"),
        ([(ROWS[:50] * 1.0, ROWS[50:])], "row numbers.*training"),
        ([(ROWS[:1], ROWS[50:])], "at least 2, as training"),
        ([(ROWS, [])], "at least 1, as held-out"),
        ([(ROWS[[0, 0, 1]], ROWS[50:])], "different row numbers"),
        ([(ROWS[:5], ROWS[5:9], ROWS[9:])], "pairs of training and held-out rows"),
        ([], "at least one split"),
        (1, "a number of folds"),
        ("five", "`cv` must be"),
        (StratifiedKFold(40), "`cv` must be a number of folds.*n_splits"),
        (GroupKFold(3), "`cv` must be a number of folds.*groups"),
    ],
)  # fmt: skip
def test_splits_that_are_none_are_refused(cv, says):
    with raises(ValueError, match="`cv` must be") as error:
        judged(LDA(), cv=cv)
    assert error.match(says)


def test_a_group_is_on_one_side():
    with raises(ValueError, match="`cv` must be splits with each of the `gr"):
        judged(LDA(), groups=ROWS % 7, cv=3)
    with raises(ValueError, match="`X_test` must be splits with each of the"):
        judged(
            LDA(), X[:40], Y[:40], X_test=X[40:], y_test=Y[40:], groups=ROWS % 7
        )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(-2, 15), max_size=12),
            st.lists(st.integers(-2, 15), max_size=4),
        ),
        max_size=2,
    )
)
def test_any_pairs_have_an_error_or_a_refusal(pairs):
    try:
        validation = judged(FunctionTransformer(), X[:14], Y[:14], cv=pairs)
    except ValueError as error:
        assert "`cv` must be" in str(error)
        return
    for train, test in pairs:
        assert not set(train) & set(test) and len(set(train)) > 1
    assert validation.n_rows == len({row for _, test in pairs for row in test})


# ---- samples, targets, groups ----

HOLED = np.where(ROWS == 3, np.nan, ROWS // 2)


@mark.parametrize(
    ("options", "says"),
    [
        ({"X": csr_array(X)}, "`X` must be a dense table.*toarray"),
        ({"X": X[:, 0]}, "`X` must be a table.*Reshape"),
        ({"X": X[:3], "y": [0, 1, 0]}, "`X` must be 4 samples or more; got 3"),
        ({"X": X + 1j}, "`X` must be a table.*Complex"),
        ({"X": X.astype("M8[D]")}, "`X`: column '0' must hold numbers"),
        ({"X": np.where(X > 2, np.nan, X)}, "`map` .*cannot be fitted.*NaN"),
        ({"X": np.where(X > 2, np.inf, X)}, "`X`.*infinity"),
        ({"X": X[:0], "y": []}, "`X`.*0 sample"),
        ({"X": X.astype(str)}, "`map` .*cannot be fitted|`X`"),
        ({"X": [[1.0], [2.0, 3.0]] * 30}, "`X` must be a table"),
        ({"y": Y[:9]}, "`X` and `y`.*60 and 9"),
        ({"y": Y + 1j}, "`y` must hold classes or real numbers"),
        ({"y": np.where(ROWS == 2, np.nan, Y)}, "`y` has a missing label"),
        ({"y": None}, "`y` is missing"),
        ({"groups": HOLED}, "`groups` has a missing label.*sample 3"),
        ({"groups": ROWS[:9]}, "`groups` must be a value for each.*9"),
        ({"groups": np.c_[ROWS, ROWS]}, "`groups` must be a value for each"),
        ({"groups": 0 * ROWS}, "`groups` must be at least two groups; got 1"),
        ({"groups": [None, "a"] * 30}, "`groups` has a missing label"),
        ({"groups": np.array([1, "a"] * 30, object)}, "`groups` must hold val"),
        ({"X_test": X}, "`X_test` and `y_test` must be given together"),
        ({"y_test": Y}, "`X_test` and `y_test` must be given together"),
        ({"X_test": X[:, :2], "y_test": Y}, "`X_test` must have the columns"),
        ({"X_test": pd.DataFrame(X), "y_test": Y}, "`X_test` must be a Data"),
        ({"X_test": X, "y_test": Y.astype(str)}, "`y_test` must hold targets"),
        ({"X_test": X, "y_test": Y, "cv": 3}, "`cv` must be None where `X_te"),
        ({"X": pd.DataFrame(X), "y": pd.Series(Y)[::-1]}, "in the order of `X`"),
        ({"n_jobs": 0}, "`n_jobs`"),
        ({"verbose": "no"}, "`verbose`"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_belong_together_are_refused(options, says):
    with raises(ValueError, match=says):
        judged(**({"map": LDA()} | options))


@settings(max_examples=40, deadline=None)
@given(
    arrays(
        st.sampled_from([float, np.float32, int, complex, "U2", object]),
        st.tuples(st.integers(0, 14), st.integers(0, 3)),
    ),
    st.lists(st.sampled_from([0, 1, 2.5, None, "a", np.nan]), max_size=14),
    st.none() | st.lists(st.sampled_from([0, 1, None]), max_size=14),
)
def test_any_arguments_have_an_error_or_a_refusal_that_names_one(A, y, groups):
    try:
        validation = judged(FunctionTransformer(), A, y, groups=groups)
    except ValueError as error:
        names = ("`X", "`y`", "`groups`", "`map`", "`n_splits`")
        assert any(name in str(error) for name in names)
    else:
        assert np.isfinite(validation.error)


def test_a_few_rows_to_be_held_out_have_an_interval():
    validation = judged(LDA(), X, Y, X_test=X[:2], y_test=Y[:2])
    assert np.isfinite(validation.optimism[1]).all()
    with raises(ValueError, match="`y_test` must be values that differ"):
        judged(PCA(2), X, X[:, 0], X_test=X[:1], y_test=[0.5])


# ---- names of classes ----


@mark.parametrize("map", [LDA(), PCA(2), FunctionTransformer()])
def test_other_names_of_classes_change_nothing(map):
    iris, kinds = load_iris(return_X_y=True)
    order = default_rng(0).permutation(150)
    iris = iris[order] + 0.3 * default_rng(1).normal(size=iris.shape)
    validations = [
        judged(map, iris, np.array(names)[kinds[order]])
        for names in ("abc", "bca", [2, 0, 1], ["10", "9", "8"])
        for names in [list(names)]
    ]
    for validation in validations:
        assert validation.error == validations[0].error
        assert validation.training_error == validations[0].training_error
        assert validation.permuted_error == validations[0].permuted_error


def test_classes_are_numbered_by_their_first_rows():
    validation = judged(LDA(), y=np.array(["no", "yes"])[Y])
    first = Y[0]
    assert (validation.target.y == (Y != first)).all()
    assert validation.target.names == [
        ["no", "yes"][first],
        ["no", "yes"][1 - first],
    ]


def test_distances_are_judged_as_the_positions_they_are_of():
    rng = default_rng(0)
    Z = rng.normal(size=(40, 2))
    target = as_target(rng.integers(0, 2, size=40), 40)
    train = np.arange(30)
    test = np.arange(30, 40)
    D = cdist(Z, Z[train])
    positions = Projection(train=train, test=test, Z=Z[train], Z_new=Z[test])
    distances = Projection(
        train=train, test=test, Z=D[train], Z_new=D[test], metric="precomputed"
    )
    losses = judge_split(positions, target).losses
    assert losses.any() and not losses.all()
    assert np.array_equal(judge_split(distances, target).losses, losses)


def two_ways_to_permute():
    """Samples, and a target that varies within ten groups of four rows."""
    X = default_rng(0).normal(size=(40, 3))
    return X, np.tile([0, 1], 20), np.repeat(np.arange(10), 4)


def test_no_permuted_target_is_judged_where_none_is_asked_for():
    X, y, groups = two_ways_to_permute()
    validation = validate_map(
        PCA(2), X, y, groups=groups, n_permutations=0, verbose=False
    )
    assert validation.n_permutations == 0
    assert np.isnan(validation.p_value)


def test_an_interrupt_ends_both_ways_to_permute_and_bounds_the_p_value(
    monkeypatch,
):
    n_judged = 0
    judge = validate.judge

    def interrupted_judge(projections, target, n_neighbors):
        nonlocal n_judged
        n_judged += 1
        if n_judged == 6:
            raise KeyboardInterrupt
        return judge(projections, target, n_neighbors)

    X, y, groups = two_ways_to_permute()
    monkeypatch.setattr(validate, "judge", interrupted_judge)
    validation = validate_map(
        PCA(2), X, y, groups=groups, n_permutations=19, verbose=False
    )
    # The true target and a comparator come before the permuted targets.
    assert 1 <= validation.n_permutations < 6
    assert n_judged == 6
    assert validation.smallest_p == min(
        1.0, 2 / (1 + validation.n_permutations)
    )
    assert validation.p_value >= validation.smallest_p
