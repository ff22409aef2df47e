"""SL-B and FL-A: against the matrices as printed, and with wrong input."""

import numpy as np
import scipy.linalg
from literal import dense_slb, shuffled_scene
from numpy.testing import assert_allclose
from pytest import mark, raises, warns
from scipy import sparse
from scipy.linalg import subspace_angles

from toolkit.core.linalg import sphering, thin_svd
from toolkit.multilabel import FeatureLabelEigenmap, SampleLabelEigenmap

rng = np.random.default_rng(0)
X = rng.random(size=(40, 6))
Y = (X @ rng.normal(size=(6, 4)) + 0.3 * rng.normal(size=(40, 4)) > 0.5).astype(
    int
)
Y[np.arange(40), rng.integers(4, size=40)] = 1
X.flags.writeable = Y.flags.writeable = False


def assert_same_map(A, B):
    """Up to the signs of the axes."""
    signs = np.sign(np.sum(A * B, axis=0))
    assert_allclose(A * signs, B, atol=1e-8)


@mark.parametrize(
    "alpha, beta, gamma", [(1, 1, 1), (0.02, 1, 0), (0.3, 0, 0.5), (1e-4, 5, 0)]
)
# 12 + 4 nodes: fewer than d + 2 l = 14 columns plus labels
@mark.parametrize("n", [40, 12])
def test_slb_equals_the_dense_problem(alpha, beta, gamma, n):
    samples = X[:n], Y[:n]
    _, values, U = dense_slb(*samples, alpha, beta, gamma)
    assert abs(values[0] - 1) < 1e-12
    slb = SampleLabelEigenmap(alpha=alpha, beta=beta, gamma=gamma).fit(*samples)
    assert_allclose(slb.eigenvalues_, values[1:3], atol=1e-10)
    embeddings = np.vstack([slb.embedding_, slb.label_embedding_])
    assert_same_map(embeddings, U[:, 1:3])
    rate = values[1:3].sum() / values[1:].sum()
    assert_allclose(slb.contribution_rate_, rate)
    # training samples with their labels
    assert_allclose(slb.transform(*samples), slb.embedding_, atol=1e-9)


def test_slb_of_centred_features_passes_over_eigenvalues_above_one():
    centred = X - X.mean(axis=0)
    _, values, _ = dense_slb(centred, Y, 5.0, 1, 0)
    with warns(match="eigenvalues above one"):
        slb = SampleLabelEigenmap(alpha=5.0).fit(centred, Y)
    assert values[0] > 1 + 1e-9
    assert_allclose(slb.eigenvalues_, values[values < 1 - 1e-9][:2], atol=1e-10)


def test_slb_of_separate_pieces_warns():
    pieces = np.repeat(np.eye(2), 5, axis=0)
    with warns(match="not connected"):
        SampleLabelEigenmap(1).fit(pieces, pieces[:, 0])


def test_slb_label_point_is_a_sample_without_features():
    """With alpha to 0 a sample is joined to its labels alone: `transform_labels`."""
    slb = SampleLabelEigenmap(alpha=1e-14).fit(X, Y)
    assert_allclose(slb.transform_labels(Y), slb.embedding_, atol=1e-8)
    with raises(ValueError, match="rows without labels"):
        slb.transform_labels(np.zeros((1, 4)))


def test_fla_equals_the_printed_problem():
    W = np.abs(np.corrcoef(X.T, Y.T))
    degrees = np.diag(W.sum(axis=1))
    values, U = scipy.linalg.eigh(W, degrees)
    values = values[::-1]
    U = U[:, ::-1]
    fla = FeatureLabelEigenmap().fit(X, Y)
    assert_allclose(fla.eigenvalues_, values[1:3], atol=1e-12)
    assert_same_map(fla.embedding_, U[:, 1:3])
    rate = values[1:3].sum() / values[1:].sum()
    assert_allclose(fla.contribution_rate_, rate)


def test_fla_is_not_cca(check_claim):
    X, Y = shuffled_scene()
    fla = FeatureLabelEigenmap().fit(X, Y)
    Zx = (X - X.mean(axis=0)) / X.std(axis=0)
    Zy = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    x, y = sphering(Zx), sphering(Zy)
    Sx = x.Z
    cross_covariance = Sx.T @ y.Z / len(X)
    U, _, V = thin_svd(cross_covariance)
    U = U[:, :2]
    V = V[:, :2]
    structure = Zx.T @ Sx @ U / len(X)
    weights = (fla.feature_embedding_, x.W @ U)
    pairs = [
        weights,
        (fla.feature_embedding_, structure),
        (fla.label_embedding_, y.W @ V),
    ]
    angles = [np.degrees(subspace_angles(*pair).max()) for pair in pairs]
    sphered = np.hstack([Sx, y.Z])
    products = sphered.T @ sphered
    vectors = np.linalg.eigh(products)[1][:, -2:]
    exact = subspace_angles(vectors, np.vstack([U, V])).max()
    note = (
        f"largest angle to the weights of CCA {angles[0]:.0f}, to its structure"
        f" correlations {angles[1]:.0f}, of the labels {angles[2]:.0f} degrees: FL-A"
        " takes absolute values, keeps the blocks X^T X and Y^T Y and divides by D"
        " where CCA whitens. With signed correlations, X and Y sphered and no D the"
        f" planes agree, to {exact:.0e}"
    )
    check_claim("SL-28", float(np.radians(min(angles))), note=note)


def test_fla_of_sparse_features_is_the_same_and_stays_sparse(monkeypatch):
    sparse_features = np.where(X > 0.5, X, 0)
    dense = FeatureLabelEigenmap().fit(sparse_features, Y).embedding_
    real = sparse.csr_matrix.toarray

    def only_small(matrix, *args, **kwargs):
        assert matrix.shape != X.shape, "the samples were made dense"
        return real(matrix, *args, **kwargs)

    monkeypatch.setattr(sparse.csr_matrix, "toarray", only_small)
    thin = (
        FeatureLabelEigenmap()
        .fit(sparse.csr_matrix(sparse_features), Y)
        .embedding_
    )
    assert_allclose(thin, dense, atol=1e-10)


@mark.parametrize("wrap", [np.asarray, sparse.csr_matrix])
def test_fla_names_constant_columns(wrap):
    constant = np.repeat([[0.1, 0.0]], 40, axis=0)
    ones = np.ones((40, 1))
    for features, labels, message in (
        ([X, constant], [Y], "column 6 of `X` is constant.*VarianceThr"),
        ([X], [Y, ones], "column 4 of `Y` is constant"),
    ):
        with raises(ValueError, match=message):
            FeatureLabelEigenmap().fit(
                wrap(np.hstack(features)), np.hstack(labels)
            )
