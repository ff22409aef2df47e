"""The kernel map: against (2.4)-(2.8) written out, at home on its samples, wrong input."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

from toolkit.kernelmap import KernelMap


@pytest.fixture(scope="module")
def data():
    X = np.unique(load_iris().data, axis=0)
    rng = np.random.default_rng(0)
    return X + 0.01 * rng.normal(size=X.shape), X @ rng.normal(size=(4, 2))


def test_scikit_learn_contract():
    check_estimator(KernelMap())


def test_word_for_word(data):
    X, Z = data
    D2 = np.sum((X[:, None] - X) ** 2, axis=-1)
    width = 0.7 * np.sqrt(np.sort(D2, axis=1)[:, 1])
    K = np.exp(-0.5 * D2 / width**2)
    K /= K.sum(axis=1, keepdims=True)
    A = np.linalg.pinv(K, rcond=1e-8) @ Z
    fitted = KernelMap(0.7).fit(X, Z)
    new = X[:5] + 0.05
    k = np.exp(-0.5 * np.sum((new[:, None] - X) ** 2, axis=-1) / width**2)
    np.testing.assert_allclose(fitted.transform(new), k / k.sum(axis=1, keepdims=True) @ A, atol=1e-6)


def test_training_samples_come_home_and_far_ones_go_to_a_center(data):
    X, Z = data
    fitted = KernelMap(0.3).fit(X, Z)
    np.testing.assert_allclose(fitted.transform(X), Z, atol=1e-4)
    far = fitted.transform(np.full((1, 4), 1e6))
    assert np.isfinite(far).all()  # in the log domain: no 0 / 0
    assert np.min(np.linalg.norm(fitted.coefficients_ - far, axis=1)) < 1e-9


def test_duplicates_and_one_column(data):
    X, Z = data
    twice = np.vstack([X, X])
    assert np.isfinite(KernelMap().fit(twice, np.vstack([Z, Z])).transform(X)).all()
    assert KernelMap().fit(X, Z[:, 0]).transform(X).shape == (len(X), 1)


@pytest.mark.parametrize("bandwidth", [0, -1, np.nan])
def test_bad_input(data, bandwidth):
    with pytest.raises(ValueError, match="`bandwidth` must be a finite number > 0"):
        KernelMap(bandwidth).fit(*data)
    with pytest.raises(ValueError, match="same number of samples"):
        KernelMap().fit(data[0], data[1][:-1])
