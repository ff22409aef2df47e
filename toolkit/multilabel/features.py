"""FL-A: a Laplacian eigenmap of features and labels, weighted by their absolute correlations."""

import numpy as np
from scipy.sparse import issparse

from ..core.arrays import check_table
from ..core.checks import check_n_components
from ..core.linalg import fix_signs, symmetric_eigenpairs
from ..core.memory import check_memory
from .base import JointMap


class FeatureLabelEigenmap(JointMap):
    """FL-A (Kudo2016, section III-C): features and labels in one plane, close where they correlate in absolute value.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    embedding_ : ndarray of shape (n_features + n_labels, n_components), features first
    feature_embedding_ : ndarray of shape (n_features, n_components)
    label_embedding_ : ndarray of shape (n_labels, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
    contribution_rate_ : float, fraction of the shown eigenvalues in the sum of all but the trivial one

    Notes
    -----
    The plane holds the eigenvectors of D^-1 W after the constant one, W the absolute
    correlations, D their row sums. Sparse `X` stays sparse: only the (d + l) x (d + l)
    matrix of correlations is dense. A constant feature or label has no correlation and
    is refused by name. There is no `transform`: the map shows features, not samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> fla = FeatureLabelEigenmap().fit(X, y)
    >>> fla.feature_embedding_.shape, fla.label_embedding_.shape
    ((4, 2), (3, 2))
    """

    def _fit(self, X, Y, given):
        d = X.shape[1]
        W = np.abs(
            _correlations(
                X,
                Y,
                getattr(self, "feature_names_in_", range(d)),
                self.classes_.tolist(),
            )
        )
        k = check_n_components(
            self.n_components,
            len(W) - 1,
            d,
            "the eigenvectors besides the constant one",
        )
        root = np.sqrt(W.sum(axis=1))
        W /= root[:, None] * root
        trace = np.trace(W)
        if trace - 1 <= 1e-12 * len(W):
            raise ValueError(
                "`X` and `Y` must not all correlate with coefficients of 1 or -1; there"
                " is nothing to show."
            )
        trivial = root / np.linalg.norm(root)
        values, vectors = symmetric_eigenpairs(
            W - np.outer(trivial, trivial), n_pairs=k
        )
        U = vectors / root[:, None]
        U *= fix_signs(U)
        self.eigenvalues_ = values
        self.contribution_rate_ = float(values.sum() / (trace - 1))
        self.embedding_ = U
        self.feature_embedding_ = U[:d]
        self.label_embedding_ = U[d:]


def correlations(X, Y):
    """Correlation coefficients of all features and labels with each other.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), no column constant; sparse input is never made dense
    Y : array-like of shape (n, l), no column constant

    Returns
    -------
    ndarray of shape (d + l, d + l), features first, unit diagonal

    Examples
    --------
    >>> import numpy as np
    >>> correlations(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [0.0], [-1.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    given = (X, Y)
    X = check_table(X, least=2, sparse=True)
    Y = check_table(Y, "Y", least=2, shape=(X.shape[0], "l"))
    return _correlations(
        X,
        Y,
        *(
            getattr(A, "columns", range(B.shape[1]))
            for A, B in zip(given, (X, Y), strict=True)
        ),
    )


def _correlations(X, Y, features, labels):
    """Correlations (d + l, d + l); `features` and `labels` name the columns in messages."""
    n, d = X.shape
    check_memory(
        "The correlations of all features and labels",
        d + Y.shape[1],
        arrays=4,
        remedy="Take fewer features.",
    )
    mean_x = np.asarray(X.mean(axis=0)).ravel()
    mean_y = Y.mean(axis=0)
    Yc = Y - mean_y
    if issparse(X):
        XX = (X.T @ X).toarray() - n * np.outer(mean_x, mean_x)
        XY = X.T @ Yc  # Y is centred, so X need not be
        # XX is a difference of such sums
        rounding = 1e-13 * np.asarray(X.multiply(X).sum(axis=0)).ravel()
    else:
        Xc = X - mean_x
        XX = Xc.T @ Xc
        XY = Xc.T @ Yc
        # Xc is off by a few units in the last place of the mean
        rounding = 1e-26 * n * mean_x**2
    # Kudo2016 Eq. (6), of centred features and labels
    W = np.block([[XX, XY], [XY.T, Yc.T @ Yc]])
    scale = np.diag(W).copy()
    constant = np.flatnonzero(
        scale <= np.concatenate([rounding, 1e-26 * n * mean_y**2])
    )
    if len(constant):
        what = [
            f"feature {features[j]!r}" if j < d else f"label {labels[j - d]!r}"
            for j in constant[:5]
        ]
        raise ValueError(
            f"`X` and `Y` must vary: {len(constant)} constant column(s) have no"
            f" correlation, such as {', '.join(what)} (n_features={d}). Drop them, for"
            " features with sklearn.feature_selection.VarianceThreshold."
        )
    root = np.sqrt(scale)
    W /= root[:, None] * root
    np.fill_diagonal(W, 1.0)
    return W
