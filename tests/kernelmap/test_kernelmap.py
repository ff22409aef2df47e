"""The kernel map: (2.4) to (2.8) written out, the training samples, wrong input."""

import numpy as np
from literal import relative
from normalised_kernels import normalised_kernels
from numpy.random import default_rng
from numpy.testing import assert_allclose
from pytest import mark, raises
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris

from toolkit import claims
from toolkit.kernelmap import KernelMap

FLOWERS = np.unique(load_iris().data, axis=0)
rng = default_rng(0)
X = FLOWERS + 0.01 * rng.normal(size=FLOWERS.shape)
Z = FLOWERS @ rng.normal(size=(4, 2))


def test_word_for_word():
    D = cdist(X, X)
    width = 0.7 * np.sort(D, axis=1)[:, 1]
    new = X[:5] + 0.05
    K = np.exp(-0.5 * D**2 / width**2)
    squared = cdist(new, X) ** 2
    k = np.exp(-0.5 * squared / width**2)
    normalised = K / K.sum(axis=1, keepdims=True)
    A = np.linalg.pinv(normalised, rcond=1e-8) @ Z
    fitted = KernelMap(0.7, widths="own").fit(X, Z)
    expected = k / k.sum(axis=1, keepdims=True) @ A
    assert_allclose(fitted.transform(new), expected, atol=1e-6)


def test_training_samples_keep_their_positions_and_distant_ones_go_to_a_center():
    fitted = KernelMap(0.3).fit(X, Z)
    assert_allclose(fitted.transform(X), Z, atol=1e-4)
    far_samples = fitted.transform(np.full((1, 4), 1e6))
    assert np.isfinite(far_samples).all()  # in the log domain: no 0 / 0
    assert (
        np.min(np.linalg.norm(fitted.coefficients_ - far_samples, axis=1))
        < 1e-9
    )


def test_coefficients_are_those_of_least_squares(check_claim):
    """Eq. (2.8) for fewer centres than samples, where it is no interpolation."""
    digits = load_digits().data
    places = default_rng(0).normal(size=(len(digits), 2))
    claims.start(seed=0)
    fitted = KernelMap(n_centers=300, random_state=0).fit(digits, places)
    K = normalised_kernels(digits[fitted.centers_], fitted.bandwidth_)(digits)
    error = relative(fitted.coefficients_, np.linalg.pinv(K) @ places)
    check_claim(
        "FI-01",
        error,
        note="1,797 samples, 300 centres, against numpy's pseudo-inverse, condition"
        f" {np.linalg.cond(K):.1f}; with samples in rows it is K^+ Z, the transpose of"
        " (2.8)",
    )
    assert error < 1e-8
    fitted = KernelMap(0.9, n_centers=40, random_state=1).fit(X, Z)
    assert len(np.unique(fitted.centers_)) == 40
    k = normalised_kernels(X[fitted.centers_], fitted.bandwidth_)
    new = X[::7] + 0.05
    A = np.linalg.lstsq(k(X), Z, rcond=1e-8)[0]
    assert_allclose(fitted.transform(new), k(new) @ A, atol=1e-8)


def test_small_singular_values_are_cut():
    """(2.8) with the pseudoinverse that leaves out what is below a third of the largest
    singular value.
    """
    fitted = KernelMap(2.0, n_centers=40, cutoff=1 / 3, random_state=0).fit(
        X, Z
    )
    K = normalised_kernels(X[fitted.centers_], fitted.bandwidth_)(X)
    expected = np.linalg.pinv(K, rcond=1 / 3) @ Z
    assert_allclose(fitted.coefficients_, expected, atol=1e-9)


@mark.parametrize("cutoff", [1e-8, 1e-2, 0.5])
@mark.parametrize("bandwidth", [0.25, 1.5])
@mark.parametrize("widths", ["own", "shared"])
@mark.parametrize("repeats", [1, 2])
def test_equations_are_solved_only_where_nothing_is_cut(
    cutoff, bandwidth, widths, repeats
):
    """Of kernels well and badly conditioned, the pseudoinverse."""
    digits = load_digits().data[:150]
    samples = np.repeat(digits, repeats, axis=0)
    places = default_rng(0).normal(size=(len(samples), 2))
    fitted = KernelMap(bandwidth, widths=widths, cutoff=cutoff)
    K = fitted.fit(samples, places)._kernels(samples)
    expected = K @ (np.linalg.pinv(K, rcond=cutoff) @ places)
    assert_allclose(fitted.transform(samples), expected, atol=1e-9)


@mark.parametrize("widths", ["own", "shared"])
def test_the_printed_rule_is_the_least_factor_without_a_zero(widths):
    fitted = KernelMap("rule", widths=widths).fit(X, Z)
    D = cdist(X, X)
    nearest = np.sort(D, axis=1)[:, 1]
    if widths == "shared":
        nearest = np.median(nearest)
    factors = fitted.bandwidth_ * np.array([1.0001, 0.9999])
    smallest_kernels = [
        np.exp(-0.5 * (D / (f * nearest)) ** 2).min() for f in factors
    ]
    assert smallest_kernels[0] >= np.finfo(float).tiny > smallest_kernels[1]


def test_distances_in_place_of_vectors():
    D = cdist(X, X)
    settings = {"n_centers": 60, "random_state": 0}
    model = KernelMap(metric="precomputed", **settings)
    ours = model.fit(D[:100, :100], Z[:100])
    theirs = KernelMap(**settings).fit(X[:100], Z[:100])
    expected = theirs.transform(X[100:])
    assert_allclose(ours.transform(D[100:, :100]), expected, atol=1e-6)
    with raises(ValueError, match="not negative"):
        ours.transform(-D[100:, :100])


def test_a_far_sample_costs_the_others_little():
    far_sample = np.vstack([X, [[1e14] * 4]])
    model = KernelMap().fit(far_sample, np.vstack([Z, [[0, 0]]]))
    expected = KernelMap().fit(X, Z).transform(X)
    assert_allclose(model.transform(X), expected, atol=0.05)
