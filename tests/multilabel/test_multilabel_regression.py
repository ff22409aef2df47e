"""SL-A and SL-AK: known answers, special cases, invariances, wrong input."""

import numpy as np
from examples import check_finite_or_refused, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import mark, raises, warns
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_iris

from toolkit.multilabel import KernelSampleLabelMap, SampleLabelMap
from toolkit.plots import SampleLabelDisplay

FLOATS = st.one_of(
    st.floats(-1e6, 1e6),
    st.sampled_from(
        [0.0, 1.0, -1.0, 1e-300, 1e150, -1e150, np.inf, np.nan, 1e-12]
    ),
)


BOTH = [SampleLabelMap(), KernelSampleLabelMap(variance=0.9)]


# 60 samples in 5-D with 4 labels that overlap
rng = default_rng(0)
X = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5)) + 3
Y = (X @ rng.normal(size=(5, 4)) + rng.normal(size=(60, 4)) > 3).astype(int)
Y[np.arange(60), rng.integers(4, size=60)] = 1
X.flags.writeable = Y.flags.writeable = False


def test_repeated_and_constant_features_change_nothing():
    base = SampleLabelMap().fit(X, Y)
    constant = np.ones(len(X))
    wide = np.column_stack([X, X[:, :2], constant])
    Z = SampleLabelMap().fit_transform(wide, Y)
    assert_allclose(Z, base.embedding_, atol=1e-8)


def test_sum_scaling():
    """Columns of X that sum to one, a label mean of zero, and the SVD of X^T Y / n."""
    binary = (X > 3).astype(float)
    sla = SampleLabelMap(n_components=None, scaling="sum").fit(binary, Y)
    shares = binary / binary.sum(axis=0)
    M = shares.T @ Y / len(X)
    s = np.linalg.svd(M)[1]
    assert_allclose(sla.singular_values_, s, atol=1e-12)
    two = clone(sla).set_params(n_components=2).fit(binary, Y)
    assert_allclose(two.contribution_rate_, s[:2].sum() / s.sum())
    assert not sla.label_mean_.any()
    with raises(ValueError, match="non-negative"):
        SampleLabelMap(scaling="sum").fit(X - 10, Y)


def test_a_centred_map_does_not_depend_on_the_origin():
    embedding = SampleLabelMap(scaling="center").fit_transform(X + 0, Y)
    there = SampleLabelMap(scaling="center").fit_transform(X + 5, Y)
    assert_allclose(embedding, there, atol=1e-9 * np.abs(embedding).max())
    assert_allclose(
        embedding.mean(axis=0), 0, atol=1e-9 * np.abs(embedding).max()
    )


def test_linear_kernel_is_the_linear_map():
    for variance in (1.0, 0.9):
        linear = SampleLabelMap(variance=variance).fit(X[:40], Y[:40])
        kernel = KernelSampleLabelMap(kernel="linear", variance=variance)
        kernel.fit(X[:40], Y[:40])
        assert_allclose(kernel.transform(X), linear.transform(X), atol=1e-8)
        assert_allclose(
            kernel.singular_values_, linear.singular_values_, atol=1e-10
        )


def test_callable_and_precomputed_kernels_are_the_named_one():
    named = KernelSampleLabelMap(gamma=0.1, variance=0.99).fit(X[:40], Y[:40])
    by_call = KernelSampleLabelMap(
        kernel=lambda a, b: np.exp(-0.1 * (a - b) @ (a - b)), variance=0.99
    ).fit(X[:40], Y[:40])
    assert_allclose(by_call.transform(X), named.transform(X), atol=1e-8)
    K = np.exp(-0.1 * cdist(X, X[:40], "sqeuclidean"))
    precomputed = KernelSampleLabelMap(kernel="precomputed", variance=0.99)
    precomputed.fit(K[:40], Y[:40])
    assert_allclose(precomputed.transform(K), named.transform(X), atol=1e-8)


def test_sparse_input():
    sparse_features = np.where(X > 3, X, 0)
    thin = sparse.csr_matrix(sparse_features)
    for estimator in BOTH:
        dense = clone(estimator).fit(sparse_features, Y).embedding_
        assert_allclose(
            clone(estimator).fit(thin, Y).transform(thin), dense, atol=1e-8
        )


def test_class_names_and_label_points_of_unseen_combinations():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    sla = SampleLabelMap().fit(X, names)
    assert_allclose(sla.transform_labels(sla.classes_), sla.label_embedding_)
    assert sla.transform_labels([[1, 1, 1]]).shape == (1, 2)


def test_a_kernel_that_is_indefinite_warns():
    indefinite = np.eye(60)
    indefinite[0, 1] = indefinite[1, 0] = 5
    with warns(match="not positive semi-definite"):
        KernelSampleLabelMap(kernel="precomputed").fit(indefinite, Y)


@mark.filterwarnings("ignore")
@given(
    hnp.arrays(
        float,
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=7),
        elements=FLOATS,
    ),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=examples(150), deadline=None)
def test_hostile_numbers_give_a_finite_map_or_a_message(X, seed):
    """Huge, tiny, repeated and constant values, many features, two samples."""
    Y = default_rng(seed).integers(2, size=(len(X), 3))
    for estimator in (
        SampleLabelMap(None),
        SampleLabelMap(None, scaling="center"),
        KernelSampleLabelMap(None),
    ):
        check_finite_or_refused(estimator, X, Y)


@mark.parametrize("model", BOTH, ids=repr)
def test_two_classes_lie_on_a_line(model):
    """The second axis is zero to the last bit, and the axes show more than a line."""
    X, y = load_iris(return_X_y=True)
    with warns(match="hold zeros.*`n_components`=1 leaves"):
        model = clone(model).fit(X, y > 0)
    for points in (
        model.embedding_,
        model.transform(X + 0.1),
        model.label_embedding_,
    ):
        assert np.all(points[:, 1] == 0) and np.ptp(points[:, 0]) > 0
    ax = SampleLabelDisplay.from_estimator(model, X, y > 0).plot().ax_
    assert np.ptp(ax.get_ylim()) > np.ptp(ax.get_xlim()) / 5
