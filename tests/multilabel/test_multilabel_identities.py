"""Identities of Kudo2016 on regression; those on its graphs: test_multilabel_graph.py.

Letters as in the paper, but samples are rows: the paper's X Y^T is X.T @ Y here.
"""

import numpy as np
from literal import relative_error, squared
from numpy.linalg import norm
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.linalg import subspace_angles
from sklearn.cross_decomposition import CCA
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from toolkit.core.linalg import sphering, symmetric_eigenpairs, thin_svd
from toolkit.multilabel import KernelSampleLabelMap, SampleLabelMap


def random_problem(seed, n=60, d=8, l=5):
    rng = default_rng(seed)
    Y = (rng.random((n, l)) < 0.3).astype(float)
    Y[np.arange(n), rng.integers(l, size=n)] = 1
    samples = rng.normal(size=(n, d))
    return samples @ rng.normal(size=(d, d)) + 2, Y


def sphered_problem(seed=0, *sizes):
    """Sphered samples, their labels, and Z^T Y / n."""
    X, Y = random_problem(seed, *sizes)
    Z = sphering(X).Z  # on the row space where d > n
    return Z, Y, Z.T @ Y / len(Z)


def least_squares(Z, Y):
    return np.linalg.lstsq(Z, Y, rcond=None)[0]


def numerical_rank(M):
    return int(np.linalg.matrix_rank(M, tol=1e-10 * norm(M, 2)))


def cut(M, k):
    U, s, V = thin_svd(M)
    scores = U[:, :k] * s[:k]
    return scores @ V[:, :k].T


def reduced_rank_regression(Z, Y, k):
    """The classical solution: the fit on its k leading right singular vectors."""
    B = least_squares(Z, Y)
    V = np.linalg.svd(Z @ B)[2][:k].T
    return B @ V @ V.T


def test_a_cut_svd_is_reduced_rank_regression(check_claim):
    """And so is the map, whose predictions at full rank are those of least squares."""
    largest_error = 0.0
    for seed, (n, d, l) in enumerate(
        [(60, 8, 5), (200, 30, 6), (40, 100, 7), (50, 5, 12)]
    ):
        X, _ = random_problem(seed, n, d, l)
        Z, Y, M = sphered_problem(seed, n, d, l)
        for k in range(1, min(Z.shape[1], l) + 1):
            A = reduced_rank_regression(Z, Y, k)
            largest_error = max(largest_error, relative_error(cut(M, k), A))
            values = SampleLabelMap(k).fit(X, Y).decision_function(X)
            assert_allclose(values, Y.mean(axis=0) + Z @ A, atol=1e-10)
    check_claim("SL-01", largest_error)


def test_the_minimiser_does_not_depend_on_the_label_shift(check_claim):
    Z, Y, _ = sphered_problem()
    n = len(Z)
    centred = Y - Y.mean(axis=0)
    A = least_squares(Z, centred)
    minimum = np.sum((centred - Z @ A) ** 2)
    largest_error = 0.0
    for y0 in default_rng(1).normal(size=(10, Y.shape[1])):
        shifted = Z.T @ (Y - y0) / n
        largest_error = max(largest_error, relative_error(shifted, A))
        residuals = Y - y0 - Z @ A
        excess = np.sum(residuals**2) - minimum
        constant = n * np.sum((y0 - Y.mean(axis=0)) ** 2)
        largest_error = max(largest_error, abs(excess / constant - 1))
    check_claim("SL-02", largest_error)


def test_two_classes_lie_on_their_line(check_claim):
    rng = default_rng(0)
    n1 = 30
    n = 100
    noise = rng.normal(size=(n, 4))
    shift = np.outer(np.arange(n) < n1, [2, 0, 1, 0])
    Z = sphering(noise + shift).Z
    y = np.where(np.arange(n) < n1, "a", "b")
    mu1 = Z[:n1].mean(axis=0)
    sla = SampleLabelMap(n_components=1).fit(Z, y)
    sign = np.sign(sla.label_components_[0, 0])
    on_line = n1 / n * np.sqrt(2) * Z @ mu1
    score_error = sign * sla.transform(Z)[:, 0] - on_line
    share = n1 / n
    line = [np.sqrt(2) * (1 - share), -np.sqrt(2) * n1 / n]
    decisions = np.outer(Z @ mu1, [n1 / n, -n1 / n]) + [n1 / n, 1 - n1 / n]
    label_error = sign * sla.label_embedding_[:, 0] - line
    errors = [score_error, label_error, sla.decision_function(Z) - decisions]
    # The image in the plane, V^T (y - mean), differs from the predicted values: 1-D
    # against l-D.
    note = (
        "printed prediction adds the mean to the image in the plane; it belongs to the"
        " predicted label values"
    )
    measured = max(np.abs(e).max() for e in errors)
    check_claim("SL-03", measured, note=note)


def test_a_kernel_of_full_rank_puts_samples_on_their_label_points(check_claim):
    X, Y = random_problem(0)
    n = len(Y)
    gaussian = KernelSampleLabelMap(n_components=None, gamma=1.0).fit(X, Y)
    # Theorem 3 as stated, G = n I, in the estimator, which centres the kernel: it
    # becomes n I - 1 1^T.
    slak = KernelSampleLabelMap(n_components=None, kernel="precomputed")
    slak.fit(n * np.eye(n), Y)
    gaps = [
        np.abs(fitted.embedding_ - fitted.transform_labels(Y)).max()
        for fitted in (gaussian, slak)
    ]
    note = (
        "a Gaussian kernel that the estimator spheres, and G = nI itself, factor 1/n"
        " restored in (12); with G = nI the formulas alone say no more than that U L"
        " V^T is Y^T"
    )
    check_claim("SL-04", max(gaps), note=note)


def test_the_rank_is_below_the_number_of_label_sets(check_claim):
    rng = default_rng(0)
    y = np.repeat(np.arange(4), [10, 20, 30, 40])
    samples = rng.normal(size=(100, 6))
    effect = y[:, None] * rng.normal(size=6)
    Z = sphering(samples + effect).Z
    Y = np.eye(4)[y]
    M = Z.T @ Y / 100
    sums = [Z[y == c].sum(axis=0) / 100 for c in range(4)]
    weighted_means = np.transpose(sums)
    identity = np.abs(M - weighted_means).max()
    # Multi-label: 4 distinct label sets among 6 labels.
    sets = np.zeros((4, 6), dtype=int)
    sets[[0, 1, 1, 2, 2, 3, 3], [0, 1, 2, 3, 4, 0, 5]] = 1
    rank = numerical_rank(M)
    rank2 = numerical_rank(Z.T @ sets[y] / 100)
    note = (
        f"(9) to {identity:.0e}; rank {rank} with 4 classes, {rank2} with 4 label sets"
        " of 6 labels"
    )
    ok = bool(identity <= 1e-12 and rank <= 3 and rank2 < 4)
    check_claim("SL-05", [rank, rank2], ok=ok, note=note)


def test_single_labels_span_cca_and_fishers_discriminants(check_claim):
    angles = []
    first = []
    for X, y in (load_iris(return_X_y=True), load_wine(return_X_y=True)):
        Y = np.eye(3)[y]
        sphered = sphering(X)
        Zy = sphering(Y).Z
        U = thin_svd(sphered.Z.T @ Zy / len(X))[0]
        cca = CCA(n_components=2, scale=False, tol=1e-12, max_iter=100_000).fit(
            X, Y[:, :2]
        )
        weights = sphered.W @ U[:, :2]
        angles.append(subspace_angles(weights, cca.x_rotations_).max())
        lda = (
            LinearDiscriminantAnalysis(solver="eigen")
            .fit(X, y)
            .scalings_[:, :2]
        )
        sla = SampleLabelMap().fit(X, y).components_.T
        angles.append(subspace_angles(sla, lda).max())
        angle = subspace_angles(sla[:, :1], lda[:, :1])[0]
        first.append(np.degrees(angle))
    note = (
        f"first axis alone against Fisher's: iris (balanced) {first[0]:.2g}, wine"
        f" {first[1]:.2g} degrees"
    )
    assert max(angles) < 1e-6
    check_claim("SL-06", max(angles), note=note)


def test_two_criteria_differ_by_a_constant(check_claim):
    Z, Y, M = sphered_problem()
    other_matrices = default_rng(1).normal(size=(100, *M.shape))
    gaps = [
        np.sum((Y - Z @ A) ** 2) - len(Z) * np.sum((M - A) ** 2)
        for A in other_matrices
    ]
    check_claim("SL-16", np.ptp(gaps) / abs(np.mean(gaps)))


def test_the_criteria_part_where_samples_are_not_sphered(check_claim):
    Z, _, _ = sphered_problem()
    n = len(Z)
    samples = default_rng(0).random(size=(10, len(Z), 5)).round()
    largest_error = max(
        relative_error(least_squares(Z, Y), Z.T @ Y / n) for Y in samples
    )
    Y = random_problem(1)[1]
    steps = np.logspace(-4, -1.5, 8)
    gaps = []
    for e in steps:
        # one eigenvalue of Z^T Z / n becomes 1 + e
        ones = np.ones(Z.shape[1] - 1)
        factors = np.r_[np.sqrt(1 + e), ones]
        Ze = Z * factors
        printed = Ze.T @ Y / n
        gaps.append(norm(least_squares(Ze, Y) - printed))
    exponent = np.polyfit(np.log(steps), np.log(gaps), 1)[0]
    ok = bool(largest_error < 1e-10 and abs(exponent - 1) <= 0.05)
    check_claim(
        "SL-17",
        exponent,
        ok=ok,
        note=f"sphered: minimisers equal to {largest_error:.0e}",
    )


def test_regression_gaussian_and_whitened_pls_are_one(check_claim):
    Z, Y, M = sphered_problem()
    joint = np.cov(np.hstack([Z, Y]).T, bias=True)
    d = Z.shape[1]
    # E[y | z] = mean + Sigma_yz Sigma_zz^-1 z
    covariance = joint[:d, :d]
    gauss = np.linalg.solve(covariance, joint[:d, d:])
    values, vectors = symmetric_eigenpairs(Z.T @ Z)
    # (Z^T Z)^(-1/2) Z^T Y
    whitening = vectors / np.sqrt(values) @ vectors.T
    pls = whitening @ Z.T @ Y / np.sqrt(len(Z))
    solutions = (least_squares(Z, Y), gauss, pls)
    measured = max(relative_error(A, M) for A in solutions)
    check_claim("SL-18", measured)


def test_the_kernel_form_is_regression_too(check_claim):
    _, Y = random_problem(0)
    n = len(Y)
    # G = Phi Phi^T = n I
    orthogonal = np.linalg.qr(default_rng(2).normal(size=(n, n)))[0]
    Phi = np.sqrt(n) * orthogonal
    largest_error = 0.0
    for k in range(1, Y.shape[1] + 1):
        B = cut(Y, k) / n
        A = np.linalg.solve(Phi.T, reduced_rank_regression(Phi, Y, k))
        largest_error = max(largest_error, relative_error(B, A))
    residual = Y - Phi @ Phi.T @ Y / n
    training_error = norm(residual) / norm(Y)
    printed = norm(Phi @ Phi.T @ Y) / norm(Y)
    note = (
        f"(12) as printed, without 1/n, predicts {printed:.0f} times too much at"
        f" n = {n}"
    )
    check_claim("SL-19", max(largest_error, training_error), note=note)


def test_a_sphered_kernel_is_n_times_the_identity(check_claim):
    n = 60
    X, _ = random_problem(0, n)
    G = np.exp(-squared(X) / 10)

    def products(K):
        values, V = symmetric_eigenpairs(K)
        keep = values > 1e-10 * values[0]
        Phi = np.sqrt(n) * K @ V[:, keep] / values[keep]
        return Phi @ Phi.T, int(keep.sum())

    plain, rank = products(G)
    H = np.eye(n) - 1 / n
    centred, centred_rank = products(H @ G @ H)
    nI = n * np.eye(n)
    plain_error = np.abs(plain - nI).max()
    error = max(plain_error, np.abs(centred - (nI - 1)).max())
    note = (
        f"rank {rank} uncentred, {centred_rank} centred: footnote 4 then needs a"
        " pseudo-inverse, G becomes nI - 11^T"
    )
    check_claim("SL-20", error, note=note)


def test_sphering_makes_affine_maps_of_the_features_invisible(check_claim):
    X, y = load_iris(return_X_y=True)
    base = SampleLabelMap().fit(X, y)
    largest_error = 0.0
    without = 0.0
    rng = default_rng(0)
    for _ in range(10):
        moved = X @ rng.normal(size=(4, 4)) + 10 * rng.normal(size=4)
        other = SampleLabelMap().fit(moved, y)
        signs = np.sign(np.sum(base.embedding_ * other.embedding_, axis=0))
        flipped = other.embedding_ * signs
        largest_error = max(
            largest_error, np.abs(flipped - base.embedding_).max()
        )
        flipped_labels = other.label_embedding_ * signs
        largest_error = max(
            largest_error, np.abs(flipped_labels - base.label_embedding_).max()
        )
        plain = [
            SampleLabelMap(scaling="center").fit(A, y).singular_values_
            for A in (X, moved)
        ]
        without = max(without, relative_error(*plain))
    assert largest_error < 1e-8 and without > 0.1
    note = (
        "without sphering the singular values change by a factor up to"
        f" {1 + without:.1f}"
    )
    check_claim("SL-21", largest_error, note=note)
