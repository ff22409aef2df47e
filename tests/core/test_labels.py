"""toolkit.core.checks: the labels that users really pass."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from pytest import mark, raises
from scipy import sparse

from toolkit.core.labels import (
    check_labels,
    check_partial_labels,
    class_names,
    label_sets,
)
from toolkit.core.matrices import check_distances


def test_class_labels_in_every_form_give_the_same_matrix():
    expected = np.array([[0.0, 1], [1, 0], [0, 1]])
    for y in (
        ["b", "a", "b"],
        np.array([[2], [1], [2]]),
        np.array([True, False, True]),
        np.array([7.0, 3.0, 7.0]),
    ):
        labels = check_labels(y, 3)
        assert_array_equal(labels.Y, expected)
        assert not labels.multilabel


def test_indicators_dense_sparse_and_boolean():
    Y = np.array([[1, 0, 1], [0, 1, 0]])
    for form in (Y, Y.astype(bool), sparse.csr_matrix(Y), Y.tolist()):
        labels = check_labels(form, 2)
        assert_array_equal(labels.Y, Y)
        assert labels.multilabel


@mark.parametrize(
    "y, n, message",
    [
        ([[1, 0], [0, np.nan]], 2, "missing label .*the first: sample 1"),
        ([0.5, 1.5, 2.5], 3, "continuous"),
        ([["a", "b"], ["c", "d"]], 2, "numeric 0/1"),
        (np.zeros((2, 2, 2)), 2, "shape"),
    ],
)
def test_wrong_labels(y, n, message):
    with raises(ValueError, match=message):
        check_labels(y, n)


@given(
    hnp.arrays(
        float,
        hnp.array_shapes(min_dims=1, max_dims=2, max_side=6),
        elements=st.floats(allow_nan=True),
    )
)
def test_hostile_labels_are_read_or_refused_with_a_message(y):
    try:
        labels = check_labels(y, len(y))
    except ValueError as error:
        assert len(str(error)) > 20
    else:
        assert set(np.unique(labels.Y)) <= {0, 1}
        assert (labels.Y.sum(axis=1) >= 1).all() and (
            labels.Y.sum(axis=0) >= 1
        ).all()


def test_roundings_of_distances_are_no_asymmetry():
    """Roots of sums of products, of which those of equal rows end with rounding only,
    here or there.
    """
    D = np.array([[0.0, 2.0, 2.0], [2.0, 0.0, np.sqrt(4e-16)], [2.0, 0.0, 0.0]])
    D_checked = check_distances(D)
    assert np.array_equal(D_checked, D_checked.T) and np.all(
        D_checked.diagonal() == 0
    )
    D[1, 2] = 1e-5
    with raises(
        ValueError,
        match="symmetric matrix.* differ by up to 1e-05: .* is .* and .* is ",
    ):
        check_distances(D)


def test_label_sets_come_singles_first_whatever_the_order_of_samples():
    Y = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 0], [1, 1, 1], [0, 0, 1]])
    sets, index, names = label_sets(Y, ["a", "b", "c"])
    assert names == ["a", "c", "a + b", "a + b + c"]
    assert_array_equal(sets[index], Y)
    order = [4, 2, 0, 3, 1]
    sets_again, index_again, _ = label_sets(Y[order])
    assert_array_equal(sets_again, sets)
    assert_array_equal(index_again, index[order])


def test_wrong_entries_of_label_sets():
    with raises(ValueError, match="`Y` must hold 0 and 1 only"):
        label_sets([[1, 2]])


def test_class_names():
    labels = check_labels([3, 5], 2)
    assert class_names(None, labels) == ["3", "5"]
    columns = check_labels(np.eye(2), 2)
    assert class_names(None, columns) == ["label 0", "label 1"]
    with raises(ValueError, match=r"2 names, one per label; got"):
        class_names(["x"], labels)


def test_partial_labels_keep_names_and_row_numbers():
    labels, labelled = check_partial_labels(["a", -1, "b"], 3)
    assert list(labels.classes) == ["a", "b"]
    assert list(labelled) == [True, False, True]
    assert labels.Y.tolist() == [[1, 0], [0, 0], [0, 1]]
    Y = np.array([[-1, -1], [1, 0], [0, 1], [0, 0]])
    with raises(ValueError, match="first: row 3"):
        check_partial_labels(Y, 4, multilabel=True)


@mark.parametrize(
    "y, message",
    [
        (["a", "-1", "b"], "holds the string '-1'.*the number -1"),
        (
            ["a", None, "b"],
            "missing label .* Mark samples without a label with -1",
        ),
        (np.zeros((3, 2, 2)), "must have shape"),
    ],
)
def test_partial_labels_say_what_is_wrong(y, message):
    with raises(ValueError, match=message):
        check_partial_labels(y, 3)
