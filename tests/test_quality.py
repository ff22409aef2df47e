"""Shares of samples in the right cell, on points whose answer is seen."""

import numpy as np
import pytest

from toolkit.quality import nearest_label, nearest_label_share


def test_nearest_label_is_the_plain_distance():
    rng = np.random.default_rng(0)
    Z, P = rng.normal(size=(50, 3)) + 100, rng.normal(size=(4, 3)) + 100
    np.testing.assert_array_equal(nearest_label(Z, P), ((Z[:, None] - P) ** 2).sum(axis=-1).argmin(axis=1))


def test_a_sample_with_two_labels_may_lie_in_either_cell():
    P = [[0.0, 0], [1, 0], [0, 1]]
    Z = [[0.1, 0], [0.9, 0], [0, 0.9]]
    assert nearest_label_share(Z, P, [[1, 1, 0], [1, 1, 0], [1, 1, 0]]) == pytest.approx(2 / 3)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="as many columns"):
        nearest_label(np.zeros((3, 2)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"`Y` must have shape \(3, 2\)"):
        nearest_label_share(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros((3, 3)))
