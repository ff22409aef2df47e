"""Claims of Kudo2016 that would clutter the lesson: identities, theory, long repetitions.

Letters as in the paper, but samples are rows: the paper's X Y^T is X.T @ Y here.
"""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.cross_decomposition import CCA
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from toolkit.core.linalg import sphering, symmetric_eigenpairs, thin_svd
from toolkit.datasets import load
from toolkit.multilabel import (
    FeatureLabelEigenmap,
    KernelSampleLabelMap,
    SampleLabelEigenmap,
    SampleLabelMap,
    correlations,
)


def random_problem(seed, n=60, d=8, l=5):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, l)) < 0.3).astype(float)
    Y[np.arange(n), rng.integers(l, size=n)] = 1
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2, Y


def relative(A, B):
    return np.linalg.norm(A - B) / np.linalg.norm(B)


def cut(M, k):
    U, s, V = thin_svd(M)
    return U[:, :k] * s[:k] @ V[:, :k].T


def reduced_rank_regression(Z, Y, k):
    """The classical solution: fit all, then project the fit on its k leading right singular vectors."""
    B = np.linalg.lstsq(Z, Y, rcond=None)[0]
    V = np.linalg.svd(Z @ B)[2][:k].T
    return B @ V @ V.T


def test_sl_01_theorem_1(check_claim):
    worst = 0.0
    for seed, (n, d, l) in enumerate([(60, 8, 5), (200, 30, 6), (40, 100, 7), (50, 5, 12)]):
        X, Y = random_problem(seed, n, d, l)
        Z = sphering(X)[2]  # on the row space where d > n
        for k in range(1, min(Z.shape[1], l) + 1):
            worst = max(worst, relative(cut(Z.T @ Y / n, k), reduced_rank_regression(Z, Y, k)))
    check_claim("SL-01", worst)


def test_sl_02_corollary_2(check_claim):
    X, Y = random_problem(0)
    Z, n = sphering(X)[2], len(X)
    A = np.linalg.lstsq(Z, Y - Y.mean(axis=0), rcond=None)[0]
    least = np.sum((Y - Y.mean(axis=0) - Z @ A) ** 2)
    worst = 0.0
    for y0 in np.random.default_rng(1).normal(size=(10, Y.shape[1])):
        worst = max(worst, relative(Z.T @ (Y - y0) / n, A))
        excess = np.sum((Y - y0 - Z @ A) ** 2) - least
        worst = max(worst, abs(excess / (n * np.sum((y0 - Y.mean(axis=0)) ** 2)) - 1))
    check_claim("SL-02", worst)


def test_sl_03_two_classes(check_claim):
    rng = np.random.default_rng(0)
    n1, n = 30, 100
    Z = sphering(rng.normal(size=(n, 4)) + np.outer(np.arange(n) < n1, [2, 0, 1, 0]))[2]
    y = np.where(np.arange(n) < n1, "a", "b")
    mu1 = Z[:n1].mean(axis=0)
    sla = SampleLabelMap(n_components=1).fit(Z, y)
    sign = np.sign(sla.label_components_[0, 0])
    errors = [
        sign * sla.transform(Z)[:, 0] - n1 / n * np.sqrt(2) * Z @ mu1,
        sign * sla.label_embedding_[:, 0] - [np.sqrt(2) * (1 - n1 / n), -np.sqrt(2) * n1 / n],
        sla.decision_function(Z) - (np.outer(Z @ mu1, [n1 / n, -n1 / n]) + [n1 / n, 1 - n1 / n]),
    ]
    # The image in the plane, V^T (y - mean), differs from the predicted values: 1-D against l-D.
    note = "printed prediction adds the mean to the image in the plane; it belongs to the predicted label values"
    check_claim("SL-03", max(np.abs(e).max() for e in errors), note=note)


def test_sl_04_kernel_at_full_rank(check_claim):
    _, Y = random_problem(0)
    n = len(Y)
    # Theorem 3 as stated, G = n I and no centring, with 1/n restored in (12): x~ = (1/n) S U^T K(X, x).
    U, s, V = thin_svd(Y)
    literal = (n * np.eye(n)) @ (U * s) / n - Y @ V
    # The estimator on the same kernel, which it centres: G becomes n I - 1 1^T.
    slak = KernelSampleLabelMap(n_components=None, kernel="precomputed").fit(n * np.eye(n), Y)
    centred = slak.embedding_ - slak.transform_labels(Y)
    check_claim("SL-04", max(np.abs(literal).max(), np.abs(centred).max()), note="factor 1/n restored in (12)")


def test_sl_05_ranks(check_claim):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), [10, 20, 30, 40])
    Z = sphering(rng.normal(size=(100, 6)) + y[:, None] * rng.normal(size=6))[2]
    Y = np.eye(4)[y]
    M = Z.T @ Y / 100
    weighted_means = np.column_stack([np.sum(y == c) / 100 * Z[y == c].mean(axis=0) for c in range(4)])
    identity = np.abs(M - weighted_means).max()
    rank = np.linalg.matrix_rank(M, tol=1e-10 * np.linalg.norm(M, 2))
    # Multi-label: 4 distinct label sets among 6 labels.
    sets = np.array([[1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0], [1, 0, 0, 0, 0, 1]])
    M2 = Z.T @ sets[y] / 100
    rank2 = np.linalg.matrix_rank(M2, tol=1e-10 * np.linalg.norm(M2, 2))
    note = f"(9) to {identity:.0e}; rank {rank} with 4 classes, {rank2} with 4 label sets of 6 labels"
    check_claim("SL-05", [int(rank), int(rank2)], ok=bool(identity <= 1e-12 and rank <= 3 and rank2 < 4), note=note)


def test_sl_06_cca_and_fisher(check_claim):
    angles, first = [], []
    for X, y in (load_iris(return_X_y=True), load_wine(return_X_y=True)):
        Y, c = np.eye(3)[y], 2
        _, W, Z = sphering(X)
        Zy = sphering(Y)[2]
        U = thin_svd(Z.T @ Zy / len(X))[0]
        cca = CCA(n_components=c, scale=False, tol=1e-12, max_iter=100_000).fit(X, Y[:, :c])
        angles.append(subspace_angles(W @ U[:, :c], cca.x_rotations_).max())
        lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, :c]
        sla = SampleLabelMap().fit(X, y).components_.T
        angles.append(subspace_angles(sla, lda).max())
        first.append(np.degrees(subspace_angles(sla[:, :1], lda[:, :1])[0]))
    note = f"first axis alone against Fisher's: iris (balanced) {first[0]:.2g}, wine {first[1]:.2g} degrees"
    check_claim("SL-06", max(angles), note=note)


def shares(X, Y, sizes, weights):
    """Share of the label block in the sum of all weights of SL-B, for growing n."""
    result = []
    for n in sizes:
        alpha, beta, gamma = weights(n)
        x, y = X[:n], Y[:n]
        label = beta * np.sum(y.T @ y)
        total = alpha * np.sum(x.sum(axis=0) ** 2) + gamma * np.sum(y.sum(axis=0) ** 2) + 2 * y.sum() + label
        result.append(label / total)
    return np.array(result)


@pytest.fixture(scope="module")
def scene():
    bunch = load("scene")  # where it is not at hand the test is skipped (conftest.py)
    order = np.random.default_rng(0).permutation(len(bunch.data))
    return bunch.data[order], np.asarray(bunch.target)[order].astype(float)


SIZES = np.array([150, 300, 600, 1200, 2400])


def slope(values):
    return np.polyfit(np.log(SIZES), np.log(values), 1)[0]


def test_sl_15_sample_block_dominates(check_claim, scene):
    X, Y = scene
    printed = slope(shares(X, Y, SIZES, lambda n: (1, 1, 1)))
    scaled = slope(shares(X, Y, SIZES, lambda n: (SampleLabelEigenmap().fit(X[:n], Y[:n]).alpha_, 1, 0)))
    note = f"slope with the default alpha (about 1/n) and gamma = 0: {scaled:.3f}"
    check_claim("SL-15", printed, ok=bool(abs(printed + 1) <= 0.1 and abs(scaled) <= 0.1), note=note)


def test_sl_16_two_criteria(check_claim):
    X, Y = random_problem(0)
    Z, n = sphering(X)[2], len(X)
    M = Z.T @ Y / n
    gaps = [
        np.sum((Y - Z @ A) ** 2) - n * np.sum((M - A) ** 2)
        for A in np.random.default_rng(1).normal(size=(100, *M.shape))
    ]
    check_claim("SL-16", np.ptp(gaps) / abs(np.mean(gaps)))


def test_sl_17_sphering_is_necessary(check_claim):
    rng = np.random.default_rng(0)
    X, _ = random_problem(0)
    Z, n = sphering(X)[2], len(X)
    sphered = max(
        relative(np.linalg.lstsq(Z, Y, rcond=None)[0], Z.T @ Y / n) for Y in rng.random(size=(10, n, 5)).round()
    )
    Y = random_problem(1)[1]
    steps = np.logspace(-4, -1.5, 8)
    gaps = []
    for e in steps:
        Ze = Z * np.r_[np.sqrt(1 + e), np.ones(Z.shape[1] - 1)]  # one eigenvalue of Z^T Z / n becomes 1 + e
        gaps.append(np.linalg.norm(np.linalg.lstsq(Ze, Y, rcond=None)[0] - Ze.T @ Y / n))
    exponent = np.polyfit(np.log(steps), np.log(gaps), 1)[0]
    ok = bool(sphered < 1e-10 and abs(exponent - 1) <= 0.05)
    check_claim("SL-17", exponent, ok=ok, note=f"sphered: minimisers equal to {sphered:.0e}")


def test_sl_18_regression_gauss_pls(check_claim):
    X, Y = random_problem(0)
    Z, n = sphering(X)[2], len(X)
    M = Z.T @ Y / n
    joint = np.cov(np.hstack([Z, Y]).T, bias=True)
    d = Z.shape[1]
    gauss = np.linalg.solve(joint[:d, :d], joint[:d, d:])  # E[y | z] = mean + Sigma_yz Sigma_zz^-1 z
    values, vectors = symmetric_eigenpairs(Z.T @ Z)
    pls = vectors / np.sqrt(values) @ vectors.T @ Z.T @ Y / np.sqrt(n)  # (Z^T Z)^(-1/2) Z^T Y
    errors = [relative(np.linalg.lstsq(Z, Y, rcond=None)[0], M), relative(gauss, M), relative(pls, M)]
    check_claim("SL-18", max(errors))


def test_sl_19_kernel_regression(check_claim):
    _, Y = random_problem(0)
    n = len(Y)
    Phi = np.sqrt(n) * np.linalg.qr(np.random.default_rng(2).normal(size=(n, n)))[0]  # G = Phi Phi^T = n I
    worst = 0.0
    for k in range(1, Y.shape[1] + 1):
        B = cut(Y, k) / n
        worst = max(worst, relative(B, np.linalg.solve(Phi.T, reduced_rank_regression(Phi, Y, k))))
    training_error = np.linalg.norm(Y - Phi @ Phi.T @ Y / n) / np.linalg.norm(Y)
    printed = np.linalg.norm(Phi @ Phi.T @ Y) / np.linalg.norm(Y)
    note = f"(12) as printed, without 1/n, predicts {printed:.0f} times too much at n = {n}"
    check_claim("SL-19", max(worst, training_error), note=note)


def test_sl_20_kernel_sphering(check_claim):
    n = 60
    X, _ = random_problem(0, n)
    G = np.exp(-np.sum((X[:, None] - X) ** 2, axis=-1) / 10)

    def sphered(K):
        values, V = symmetric_eigenpairs(K)
        keep = values > 1e-10 * values[0]
        Phi = np.sqrt(n) * K @ V[:, keep] / values[keep]
        return Phi @ Phi.T, int(keep.sum())

    plain, rank = sphered(G)
    H = np.eye(n) - 1 / n
    centred, centred_rank = sphered(H @ G @ H)
    error = max(np.abs(plain - n * np.eye(n)).max(), np.abs(centred - (n * np.eye(n) - 1)).max())
    note = f"rank {rank} uncentred, {centred_rank} centred: footnote 4 then needs a pseudo-inverse, G becomes nI - 11^T"
    check_claim("SL-20", error, note=note)


def test_sl_21_affine_invariance(check_claim):
    X, y = load_iris(return_X_y=True)
    base, worst, without = SampleLabelMap().fit(X, y), 0.0, 0.0
    rng = np.random.default_rng(0)
    for _ in range(10):
        moved = X @ rng.normal(size=(4, 4)) + 10 * rng.normal(size=4)
        other = SampleLabelMap().fit(moved, y)
        signs = np.sign(np.sum(base.embedding_ * other.embedding_, axis=0))
        worst = max(worst, np.abs(other.embedding_ * signs - base.embedding_).max())
        worst = max(worst, np.abs(other.label_embedding_ * signs - base.label_embedding_).max())
        plain = [SampleLabelMap(scaling="center").fit(A, y).singular_values_ for A in (X, moved)]
        without = max(without, relative(*plain))
    check_claim("SL-21", worst, note=f"without sphering the singular values change by a factor up to {1 + without:.1f}")


def test_sl_22_trivial_eigenvalue(check_claim, scene):
    X, Y = scene

    def largest(X):
        W = np.block([[X @ X.T + Y @ Y.T, Y], [Y.T, Y.T @ Y]])
        return W, np.abs(W.sum(axis=1))

    W, degrees = largest(X)
    normalised = W / np.sqrt(degrees)[:, None] / np.sqrt(degrees)
    top = np.linalg.eigvalsh(normalised)[-1]
    constant = np.abs(W.sum(axis=1) / degrees - 1).max()
    W, degrees = largest(X - X.mean(axis=0))
    centred = np.linalg.eigvalsh(W / np.sqrt(degrees)[:, None] / np.sqrt(degrees))[-1]
    note = f"centred X has negative weights and a largest eigenvalue of {centred:.3g}: 1 is then not the largest"
    check_claim("SL-22", max(abs(top - 1), constant), note=note)


def test_sl_23_samples_act_evenly_in_fla(check_claim, scene):
    X, Y = scene
    fla = []
    for n in SIZES:
        W = np.abs(correlations(X[:n], Y[:n]))
        fla.append(W[X.shape[1] :].sum() / W.sum())
    fla = np.array(fla)
    slb = []
    for n in SIZES:
        x, y = X[:n], Y[:n]
        rows = y.sum() + np.sum(y.T @ y)
        slb.append(rows / (np.sum(x.sum(axis=0) ** 2) + np.sum(y.sum(axis=0) ** 2) + y.sum() + rows))
    uneven = np.abs(fla / fla.mean() - 1).max()
    note = f"label rows' share in FL-A stays within {uneven:.1%} of its mean {fla.mean():.4f}"
    check_claim("SL-23", slope(slb), ok=bool(uneven <= 0.1 and abs(slope(slb) + 1) <= 0.1), note=note)


def test_sl_28_fla_and_cca(check_claim, scene):
    X, Y = scene
    fla = FeatureLabelEigenmap().fit(X, Y)
    Zx, Zy = X - X.mean(axis=0), Y - Y.mean(axis=0)
    Zx, Zy = Zx / Zx.std(axis=0), Zy / Zy.std(axis=0)
    (_, Wx, Sx), (_, Wy, Sy) = sphering(Zx), sphering(Zy)
    U, _, V = thin_svd(Sx.T @ Sy / len(X))
    angles = [
        np.degrees(subspace_angles(fla.feature_embedding_, loadings).max())
        for loadings in (Wx @ U[:, :2], Zx.T @ Sx @ U[:, :2] / len(X))
    ]
    angles.append(np.degrees(subspace_angles(fla.label_embedding_, Wy @ V[:, :2]).max()))
    note = (
        f"largest angle to the weights of CCA {angles[0]:.0f}, to its structure correlations {angles[1]:.0f}, of the "
        f"labels {angles[2]:.0f} degrees: FL-A takes absolute values, keeps the blocks X^T X and Y^T Y and divides "
        "by D where CCA whitens"
    )
    check_claim("SL-28", float(np.radians(min(angles))), note=note)
