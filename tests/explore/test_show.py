"""`toolkit.show`: one line from data to a map with sliders."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import toolkit
from toolkit.datasets import make_multilabel_gaussians
from toolkit.multilabel import SampleLabelMap


def test_the_first_view_is_sla_of_two_thirds():
    X, y = load_iris(return_X_y=True)
    explorer = toolkit.show(X, y)
    kept_out = np.random.default_rng(0).permutation(150) % 3 == 0
    expected = SampleLabelMap(None).fit(X[~kept_out], y[~kept_out]).transform(X)
    np.testing.assert_allclose(explorer.embedding_, expected, atol=1e-5)
    assert "kept-out" in explorer.text_()


def test_sparse_features_strings_and_several_labels():
    from scipy.sparse import csr_matrix

    bunch = make_multilabel_gaussians(90, random_state=0)
    explorer = toolkit.show(csr_matrix(bunch.data), bunch.target, label_names=list("abcd"))
    assert {"a", "a + b"} <= set(explorer.label_names)
    assert explorer.anchor_names == list("abcd")
    explorer.set(axes="2 and 3", variance=0.9)
    assert explorer.setting_ == {"axes": "2 and 3", "variance": 0.9}


def test_two_classes_have_one_axis():
    explorer = toolkit.show(*load_breast_cancer(return_X_y=True))
    assert np.ptp(explorer.embedding_[:, 1]) == 0 < np.ptp(explorer.embedding_[:, 0])


def test_wrong_labels_are_named():
    with pytest.raises(ValueError, match="`y` must hold at least two classes"):
        toolkit.show(np.eye(4), [1, 1, 1, 1])


def test_wrong_samples_and_seeds_are_named():
    with pytest.raises(ValueError, match="`X` must be a table of finite real numbers"):
        toolkit.show(np.full((4, 2), np.nan), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="`random_state` must be an integer between 0 and 4294967295; got 'abc'"):
        toolkit.show(np.eye(4), [0, 1, 0, 1], random_state="abc")


def test_whole_numbers_that_measure_are_no_classes():
    X, y = load_diabetes(return_X_y=True)  # 214 different integers in 442 rows
    for target in (y, y.astype(int), y.astype(int).tolist(), y[:, None]):
        with pytest.raises(ValueError, match="`y` must hold classes; got 214 different numbers.*TargetDisplay.*astype"):
            toolkit.show(X, target)
    assert len(toolkit.show(X, y.astype(int) % 30).label_names) == 30  # as many as numbers may name
    assert len(toolkit.show(X, y.astype(int).astype(str)).label_names) == 214
