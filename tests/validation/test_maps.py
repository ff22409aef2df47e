"""Maps judged by held-out rows: known answers, invariances, arguments, and what is refused."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import approx, mark, raises
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.model_selection import (
    LeaveOneOut,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer

from toolkit import validate_map
from toolkit.embed import MDS, TSNE
from toolkit.fisher import KernelFisher, ParzenFisher
from toolkit.kernelmap import KernelMap
from toolkit.validation import Classes, ProjectedMap

N = 60
X = default_rng(0).normal(size=(N, 4))
Y = (X[:, 0] + 0.5 * default_rng(1).normal(size=N) > 0).astype(int)
IDENTITY = FunctionTransformer()
NEAREST = KNeighborsClassifier(5)


def judged(map, X=X, y=Y, **options):
    options = {"n_permutations": 1, "verbose": False} | options
    return validate_map(map, X, y, **options)


def error_of(cv, X=X, y=Y):
    return np.mean(cross_val_predict(NEAREST, X, y, cv=cv) != y)


# ---- known answers ----


def test_the_identity_has_the_errors_of_nearest_neighbours():
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    validation = judged(IDENTITY, cv=cv)
    assert validation.error == approx(error_of(cv)) and validation.n_rows == N
    assert validation.baseline == min(Y.mean(), 1 - Y.mean())
    validation = judged(IDENTITY, X[:40], Y[:40], X_test=X[40:], y_test=Y[40:])
    assert validation.baseline == Classes(Y[40:]).baseline()
    model = NEAREST.fit(X[:40], Y[:40])
    right = model.score(X[40:], Y[40:])
    assert validation.error == approx(1 - right) and validation.n_rows == 20
    expected = error_of(LeaveOneOut(), X[:40], Y[:40])
    assert validation.training_error == approx(expected)
    gap, (low, high) = validation.optimism
    assert gap == approx(validation.error - expected) and low < gap < high


def test_a_map_of_all_rows_that_ignores_y_is_asked_by_leaving_one_out():
    validation = judged(MDS())
    Z = MDS().fit_transform(X)
    assert (
        validation.error
        == validation.training_error
        == error_of(LeaveOneOut(), Z)
    )
    assert "the same map, rows placed by a kernel map" in validation.others
    # rows share neighbours: the interval is that of a level of .95
    wrong = np.arange(N) < round(validation.error * N)
    wider = Classes(Y).interval(wrong.astype(float), np.arange(N), 0.95)
    assert (
        validation.interval == approx(wider)
        and validation.interval_level == 0.9
    )


def test_overfitting_is_seen():
    noise = default_rng(2).normal(size=(N, 40))
    validation = judged(LDA(), noise, n_permutations=19)
    assert validation.verdict == "not shown to separate"
    assert validation.optimism[0] > 0.2 < validation.permuted_error
    assert validation.permuted_training_error < 0.2
    validation = judged(LDA(), n_permutations=19)
    assert validation.p_value == 1 / 20
    assert validation.verdict == "separates held-out rows about as drawn"


def test_a_map_of_tsne_is_placed_by_a_kernel_map():
    tsne = TSNE(random_state=0)
    model = ProjectedMap(tsne).fit(X[:40])
    Z = TSNE(random_state=0).fit_transform(X[:40])
    assert_allclose(model.embedding_, Z)
    expected = KernelMap().fit(X[:40], Z).transform(X[40:])
    assert_allclose(model.transform(X[40:]), expected)


# ---- invariances ----


class Turned(LDA):
    """Linear discriminants, turned and mirrored in four dimensions."""

    def transform(self, X):
        Z = np.pad(super().transform(X), ((0, 0), (0, 3)))
        return Z @ ortho_group.rvs(4, random_state=0)


def test_rotation_names_and_frames_change_nothing():
    validation = judged(LDA())
    frame = pd.DataFrame(X, columns=list("abcd"))
    names = np.array(["no", "yes"])[Y]
    other_validations = (
        judged(Turned()),
        judged(LDA(), y=names),
        judged(LDA(), frame),
    )
    for other in other_validations:
        assert (validation.error, validation.p_value) == (
            other.error,
            other.p_value,
        )
        assert validation.training_error == other.training_error


def counted(kind, **options):
    """Fits of a map in `validate_map`, and what it found; an interrupt comes at `stop`."""
    fits = []

    class Map(kind):
        def fit_transform(self, X, y=None):
            fits.append(y is None)
            if len(fits) == stop:
                raise KeyboardInterrupt
            return super().fit_transform(X, y)

    stop = options.pop("stop", None)
    return fits, judged(Map(), n_splits=3, **options)


def test_a_map_that_ignores_y_is_fitted_once_per_fold():
    # and once more to see that it does
    assert len(counted(PCA, n_permutations=9)[0]) == 4


def test_an_interrupt_keeps_the_permutations_that_were_done():
    # folds, once more, without y, and one permuted target and a bit
    fits, validation = counted(LDA, n_permutations=9, stop=9)
    assert validation.n_permutations == 1 and len(fits) == 9
    assert validation.p_value in (0.5, 1)


# ---- targets and arguments ----


def test_groups_stay_together_and_are_permuted_whole():
    groups = np.arange(N) // 2
    y = Y[groups * 2]
    twins = X[groups * 2]
    apart = judged(IDENTITY, twins, y, groups=groups)
    assert apart.error > judged(IDENTITY, twins, y).error
    validation = judged(IDENTITY, twins, y, groups=groups // 10)
    assert (
        np.isnan(validation.p_value)
        and validation.verdict == "not shown to separate"
    )


LABELS = (X[:, :2] > 0).astype(int)


@mark.parametrize("y", [X[:, 0], np.c_[LABELS, ~LABELS.any(axis=1)]])
def test_values_and_labels_have_errors(y):
    validation = judged(IDENTITY, y=y, n_permutations=19)
    assert (
        validation.error < validation.baseline and validation.p_value == 1 / 20
    )
    assert validation.interval[0] < validation.error < validation.interval[1]


@mark.parametrize(
    ("map", "matrix"),
    [
        (KernelFisher(perplexity=5), X @ X.T),
        (MDS(metric="precomputed"), cdist(X, X)),
    ],
)
def test_neighbours_in_a_matrix_are_those_of_the_points(map, matrix):
    embedder = MDS(metric="precomputed")
    cv = StratifiedKFold(5)
    is_metric = isinstance(map, KernelFisher)
    validation = judged(
        map, matrix, embedder=embedder if is_metric else None, cv=cv
    )
    of_columns, _ = validation.others["the columns themselves"]
    assert validation.error - of_columns == approx(error_of(cv))


def test_several_maps_fitted_ones_and_classes():
    fitted = LDA().fit(X[:30], Y[:30])
    before = fitted.scalings_.copy()
    validation = judged({"a": fitted, "b": IDENTITY})
    assert (fitted.scalings_ == before).all()
    assert validation["a"].error == judged(LDA()).error
    assert validation["b"].interval_level == approx(0.95)
    assert judged(LDA).error == validation["a"].error


@mark.parametrize(
    ("options", "says"),
    [
        ({"map": KNeighborsClassifier()}, "`map` must have `fit` and `transform`"),
        ({"map": ParzenFisher()}, "`embedder` must be given with a metric"),
        ({"y": Y[:9]}, "`y`.*9"),
        ({"n_splits": 1}, "`n_splits` must be .*got 1"),
        ({"groups": [1, 2]}, "`groups`.*2"),
        ({"X_test": X, "y_test": Y[:5]}, "`y_test`.*5"),
    ],
)  # fmt: skip
def test_what_is_refused(options, says):
    with raises(ValueError, match=says):
        judged(**({"map": IDENTITY} | options))


@settings(max_examples=15, deadline=None)
@given(
    y=st.lists(st.integers(0, 2), min_size=12, max_size=12),
    scale=st.sampled_from([0.0, 1e-300, 1.0, 1e100]),
)
def test_any_classes_and_scales_have_an_error_or_a_refusal(y, scale):
    try:
        validation = judged(IDENTITY, scale * X[:12], y)
    except ValueError as refused:
        assert "`" in str(refused)
    else:
        assert 0 <= validation.error <= 1 and validation.verdict


def test_the_result_in_words_and_as_a_table():
    validation = judged(LDA())
    said = validation.summary()
    assert said.count("\n") == 4 and validation.verdict in said
    frame = validation.to_frame()
    assert frame["held-out error"]["this map"] == validation.error
    assert frame["held-out error"]["baseline"] == validation.baseline


def test_without_permuted_targets_none_has_an_error():
    X = default_rng(0).normal(size=(40, 3))
    y = np.arange(40) % 2
    validation = validate_map(PCA(2), X, y, n_permutations=0, verbose=False)
    assert np.isnan(validation.permuted_error)
    assert "No permuted target" in validation.summary()
    assert np.isnan(validation.to_frame()["held-out error"]["permuted targets"])
