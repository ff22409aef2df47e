"""SL-B and FL-A: Laplacian eigenmaps of graphs whose nodes are labels and others.

Both solve D^-1 W U = U S for the weights W of a graph and its row sums D, leave out the
constant vector (eigenvalue 1) and show the next eigenvectors. The other nodes of SL-B
(Kudo2016, section III-B) are the samples, those of FL-A (section III-C) the features,
with absolute correlations as weights.
"""

from dataclasses import KW_ONLY

import numpy as np
from scipy import linalg
from scipy.sparse import issparse

from ..core import (
    MapEstimator,
    NotNegative,
    OptionalPositive,
    check_is_fitted,
    check_memory,
    check_n_components,
    check_same_length,
    check_table,
    fix_signs,
    new_samples,
    parameters,
    suppress_scale_warning,
    symmetric_eigenpairs,
    warn,
    warn_of_scales,
    with_ones,
)
from .base import JointMap, dense
from .regression import SampleLabelMap

LIMIT = "the eigenvectors besides the constant one"


@parameters
class SampleLabelEigenmap(MapEstimator, JointMap):
    """SL-B (Kudo2016, section III-B): a Laplacian eigenmap of samples and labels.

    The weights are ``W = [[alpha X X^T + gamma Y Y^T, Y], [Y^T, beta Y^T Y]]``. The
    paper has ``alpha = beta = gamma = 1``; the weight of the sample block then grows
    with the number of samples until labels have no influence. The defaults follow the
    remedy that the paper quotes: no Y Y^T between samples, and alpha about 1/n.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    alpha : float > 0 or None, default=None
        Weight of the sample similarities `X X^T`. None: the value at which they weigh
        as much as the edges between samples and labels, ``sum(Y) / sum(|X X^T|)``. The
        latter sum is replaced by its bound n sum(x^2); the value falls as 1/n.
    beta : float >= 0, default=1.0
        Weight of the label similarities `Y^T Y`.
    gamma : float >= 0, default=0.0
        Weight of `Y Y^T` between samples.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    label_embedding_ : ndarray of shape (n_labels, n_components)
        Coordinates of the labels.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the axes, below one and falling.
    largest_eigenvalue_ : float
        The largest but for the trivial one; above 1 only if `W` has negative weights.
    contribution_rate_ : float
        Fraction of the shown eigenvalues in the sum of all but the trivial one.
    alpha_ : float
        The weight used.

    Notes
    -----
    Which eigenvectors: the constant vector, always a solution with eigenvalue 1, is
    removed exactly; of the others the largest below one are shown. With non-negative
    `X` none exceeds one. With centred `X` some weights are negative. Unless alpha is
    about 1/n, eigenvalues above one then appear: they are skipped, as the paper says,
    with a warning.

    No n x n array is formed: `W` has rank at most d + 2 l and the problem is solved in
    that space.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> slb = SampleLabelEigenmap().fit(X, y)
    >>> slb.embedding_.shape, slb.label_embedding_.shape, bool(slb.eigenvalues_[0] < 1)
    ((150, 2), (3, 2), True)
    """

    _: KW_ONLY
    alpha: OptionalPositive = None
    beta: NotNegative = 1.0
    gamma: NotNegative = 0.0

    def _fit(self, X, Y, target):
        """The map of samples and labels; the arguments are those of the base class."""
        X = dense(X)
        n, d = X.shape
        warn_of_scales(
            X,
            self,
            consequence="similarities between samples hardly depend on the latter",
        )
        # 1. the weights of the graph; bounds sum(|X X^T|) from above, for centred X too
        size = n * np.sum(X**2)
        self.alpha_ = self.alpha
        if self.alpha is None:
            self.alpha_ = 1.0
            if size > 0:
                self.alpha_ = float(Y.sum() / size)
        F, S = self._factors(X, Y)
        degrees = F @ (S @ F.sum(axis=0))  # (n + l,)
        i = int(np.argmin(degrees))
        if degrees[i] <= 1e-12 * degrees.max():
            node = f"sample {i}" if i < n else f"label {i - n}"
            raise ValueError(
                f"`alpha`={self.alpha_:.3g} gives {node} a total weight of"
                f" {degrees[i]:.3g}; it must be positive. Use non-negative features,"
                " centre `X`, or take a smaller `alpha`."
            )
        # 2. the eigenvectors of D^-1/2 F S F^T D^-1/2 below the constant one
        root = np.sqrt(degrees)[:, None]
        Q, R = linalg.qr(F / root, mode="economic")
        A = R @ S @ R.T
        trivial = Q.T @ np.sqrt(degrees / degrees.sum())
        A_nontrivial = (A + A.T) / 2 - np.outer(trivial, trivial)
        # Kudo2016 Eq. (10)
        values, V = symmetric_eigenpairs(A_nontrivial)
        below_one = np.flatnonzero(values < 1 - 1e-9)
        k = check_n_components(self.n_components, len(below_one), d, LIMIT)
        self.largest_eigenvalue_ = float(values[0])
        if values[0] > 1 + 1e-9:
            n_above = int(np.sum(values > 1 + 1e-9))
            warn(
                f"`W` has negative weights and {n_above}"
                " eigenvalues above one, which are skipped. Use non-negative `X`, or a"
                " smaller `alpha` (1 / n_samples for centred `X`)."
            )
        elif values[0] > 1 - 1e-9:
            warn("The graph of samples and labels is not connected.")
        columns = below_one[:k]
        self.eigenvalues_ = values[columns]
        nontrivial_sum = np.trace(A) - 1
        self.contribution_rate_ = float(
            self.eigenvalues_.sum() / nontrivial_sum
        )
        vectors = Q @ V
        U = vectors[:, columns] / root  # U^T D U = I
        U *= fix_signs(U)
        self.embedding_ = U[:n]
        self.label_embedding_ = U[n:]
        # 3. what new samples need: sums over the nodes for a further row of D^-1 W U =
        # U S, and labels
        sums = S @ F.T @ with_ones(U)
        self._sums = sums[: d + Y.shape[1]]
        predictor = SampleLabelMap(n_components=None, variance=0.95)
        with suppress_scale_warning():
            self.label_predictor_ = predictor.fit(X, target)
        self._n_features_out = k

    def _factors(self, X, Y):
        """F (n + l, r), S (r, r) of W = F S F^T, Kudo2016 (7) and (8), r = d + 2 l."""
        n, d = X.shape
        l = Y.shape[1]
        I = np.eye(l)
        of_samples = [X, Y, np.zeros((n, l))]
        of_labels = [np.zeros((l, d + l)), I]
        F = np.block([of_samples, of_labels])
        # Kudo2016 Eq. (8)
        S_labels = np.block([[self.gamma * I, I], [I, self.beta * Y.T @ Y]])
        # Kudo2016 Eq. (7), its terms weighted
        return F, linalg.block_diag(self.alpha_ * np.eye(d), S_labels)

    def transform(self, X, Y=None):
        """Map samples by the eigenvector equation, an out-of-sample extension.

        The paper leaves open how a sample without labels is mapped (Kudo2016, section
        III-B). Here :class:`SampleLabelMap` at full rank on 95 % of the variance
        predicts its labels, at least the most likely one. The eigenvector equation then
        gives its coordinates from those of the training samples and labels with edges
        to it. With their true labels, training samples get exactly their positions in
        `embedding_`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples.
        Y : array-like of shape (n_queries, n_labels), optional
            Labels as 0 and 1, where they are known.

        Returns
        -------
        Z : ndarray of shape (n_queries, n_components)
            Coordinates of the samples.
        """
        X = dense(new_samples(self, X))
        if Y is None:
            values = self.label_predictor_.decision_function(X)
            # Each sample gets its likeliest label at least.
            indicators = np.eye(len(self.classes_))
            likeliest = np.argmax(values, axis=1)
            Y = np.maximum(values > 0.5, indicators[likeliest])
        Y = self._label_matrix(Y)
        check_same_length(X, Y, ("X", "Y"))
        return self._solve_row(X, Y)

    def transform_labels(self, Y):
        """Map label sets.

        The coordinates solve the eigenvector equation of a sample that has these labels
        and no features.

        Parameters
        ----------
        Y : array-like of shape (n_sets, n_labels)
            Label sets as 0 and 1; each row needs at least one label.

        Returns
        -------
        Z : ndarray of shape (n_sets, n_components)
            Coordinates of the label sets.
        """
        check_is_fitted(self)
        Y = self._label_matrix(Y)
        if (Y.sum(axis=1) == 0).any():
            raise ValueError(
                "`Y` has rows without labels; a label set needs at least one label."
            )
        no_features = np.zeros((len(Y), self.n_features_in_))
        return self._solve_row(no_features, Y)

    def _solve_row(self, X, Y):
        """Coordinates (m, k) of rows with features X (m, d) and labels Y (m, l)."""
        sums = np.hstack([X, Y]) @ self._sums
        weighted_coordinates = sums[:, :-1]
        degrees = sums[:, -1:]
        return weighted_coordinates / degrees / self.eigenvalues_


class FeatureLabelEigenmap(JointMap):
    """FL-A (Kudo2016, section III-C): features and labels, close where they correlate.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_features + n_labels, n_components)
        Coordinates of features and labels, features first.
    feature_embedding_ : ndarray of shape (n_features, n_components)
        Coordinates of the features.
    label_embedding_ : ndarray of shape (n_labels, n_components)
        Coordinates of the labels.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the axes, falling.
    contribution_rate_ : float
        Fraction of the shown eigenvalues in the sum of all but the trivial one.

    Notes
    -----
    The plane holds the eigenvectors of D^-1 W after the constant one, where W holds the
    absolute correlations and D their row sums. Sparse `X` stays sparse: only the
    (d + l) x (d + l) matrix of correlations is dense. A constant feature or label has
    no correlation and raises an error that names it. There is no `transform`: the map
    shows features, not samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> fla = FeatureLabelEigenmap().fit(X, y)
    >>> fla.feature_embedding_.shape, fla.label_embedding_.shape
    ((4, 2), (3, 2))
    """

    def _fit(self, X, Y, target):
        """The map of features and labels; the arguments are those of the base class."""
        d = X.shape[1]
        # 1. the weights: absolute correlations
        names = getattr(self, "feature_names_in_", range(d))
        W = np.abs(_correlations(X, Y, names, self.classes_.tolist()))
        k = check_n_components(self.n_components, len(W) - 1, d, LIMIT)
        # 2. the eigenvectors of D^-1/2 W D^-1/2 below the constant one
        root = np.sqrt(W.sum(axis=1))
        W /= root[:, None] * root
        nontrivial_sum = np.trace(W) - 1
        if nontrivial_sum <= 1e-12 * len(W):
            raise ValueError(
                "`X` and `Y` must not all correlate with coefficients of 1 or -1; there"
                " is nothing to show."
            )
        trivial = root / np.linalg.norm(root)
        W_nontrivial = W - np.outer(trivial, trivial)
        self.eigenvalues_, V = symmetric_eigenpairs(W_nontrivial, n_pairs=k)
        U = V / root[:, None]
        self.embedding_ = U * fix_signs(U)
        self.contribution_rate_ = float(
            self.eigenvalues_.sum() / nontrivial_sum
        )
        self.feature_embedding_ = self.embedding_[:d]
        self.label_embedding_ = self.embedding_[d:]


def correlations(X, Y):
    """Compute the correlation coefficients of all features and labels with each other.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples, no column constant; sparse input is never made dense.
    Y : array-like of shape (n_samples, n_labels)
        Labels, no column constant.

    Returns
    -------
    correlations : ndarray of shape (n_features + n_labels, n_features + n_labels)
        Correlation coefficients, features first, with unit diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> correlations(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [0.0], [-1.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    A = check_table(X, min_rows=2, sparse=True)
    B = check_table(Y, "Y", min_rows=2, shape=(A.shape[0], "l"))
    return _correlations(
        A,
        B,
        getattr(X, "columns", range(A.shape[1])),
        getattr(Y, "columns", range(B.shape[1])),
    )


def _correlations(X, Y, features, labels):
    """Correlations (d + l, d + l); `features` and `labels` are names for messages."""
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
    YY = Yc.T @ Yc
    rounding_y = 1e-26 * n * mean_y**2
    if issparse(X):
        products = X.T @ X
        XX = products.toarray() - n * np.outer(mean_x, mean_x)
        XY = X.T @ Yc  # Y is centred, so X need not be
        # XX is a difference of these sums.
        squares = np.asarray(X.multiply(X).sum(axis=0))
        rounding_x = 1e-13 * squares.ravel()
    else:
        Xc = X - mean_x
        XX = Xc.T @ Xc
        XY = Xc.T @ Yc
        # Xc is off by a few units in the last place of the mean.
        rounding_x = 1e-26 * n * mean_x**2
    # Kudo2016 Eq. (6), of centred features and labels
    W = np.block([[XX, XY], [XY.T, YY]])
    scale = np.diag(W).copy()
    rounding = np.concatenate([rounding_x, rounding_y])
    constant = np.flatnonzero(scale <= rounding)
    if len(constant):
        j = constant[0]
        names = [*features, *labels]
        table = "X" if j < d else "Y"
        raise ValueError(
            "`X` and `Y` must vary; column"
            f" {names[j]!r} of `{table}` is"
            f" constant and has no correlation, {len(constant)} of the"
            f" {len(names)} in all (n_features={d}). Drop them, for features with"
            " sklearn.feature_selection.VarianceThreshold."
        )
    root = np.sqrt(scale)
    W /= root[:, None] * root
    np.fill_diagonal(W, 1.0)
    return W
