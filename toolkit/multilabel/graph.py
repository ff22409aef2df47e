"""SL-B: a Laplacian eigenmap of one graph over samples and labels.

Solves D^-1 W U = U S for the weights W of the graph and its row sums D, leaves out the
constant vector (eigenvalue 1) and shows the next eigenvectors (Kudo2016, section
III-B).
"""

from dataclasses import KW_ONLY

import numpy as np
import scipy.linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..core.checks import (
    check_n_components,
    check_part,
    check_positive,
    check_same_length,
)
from ..core.estimators import warn
from ..core.linalg import fix_signs, symmetric_eigenpairs
from ..core.parameters import parameters
from ..core.scaling import suppress_scale_warning, warn_of_scales
from .base import JointMap, dense
from .regression import SampleLabelMap


@parameters
class SampleLabelEigenmap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, JointMap):
    """SL-B (Kudo2016, section III-B): a Laplacian eigenmap of samples and labels together.

    The weights are ``W = [[alpha X X^T + gamma Y Y^T, Y], [Y^T, beta Y^T Y]]``. The
    paper has ``alpha = beta = gamma = 1``; the sample block then grows with n until
    labels no longer count. The defaults follow the remedy that the paper quotes: no Y
    Y^T between samples, and alpha about 1/n.

    Parameters
    ----------
    n_components : int, default=2
    alpha : float > 0 or None, default=None
        Weight of the sample similarities `X X^T`. None: the value at which they weigh
        as much as the links between samples and labels, sum(Y) / sum(|X X^T|) with the
        sum bounded by n sum(x^2); it falls as 1/n.
    beta : float >= 0, default=1.0
        Weight of the label similarities `Y^T Y`.
    gamma : float >= 0, default=0.0
        Weight of `Y Y^T` between samples.
    label_predictor : estimator or None, default=None
        Predicts the labels of new samples for `transform`. None:
        :class:`SampleLabelMap` at full rank on 95 % of the variance, with at least the
        most likely label.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    label_embedding_ : ndarray of shape (n_labels, n_components)
    eigenvalues_ : ndarray of shape (n_components,), below one and falling
    largest_eigenvalue_ : float, the largest but for the trivial one; above 1 only if `W` has negative weights
    contribution_rate_ : float, fraction of the shown eigenvalues in the sum of all but the trivial one
    alpha_ : float, the weight used

    Notes
    -----
    Which eigenvectors: the constant vector, always a solution with eigenvalue 1, is
    taken out exactly; of the others the largest below one are shown. With non-negative
    `X` none exceeds one. With centred `X` some weights are negative and, unless alpha
    is about 1/n, eigenvalues above one appear: they are skipped, as the paper says,
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
    alpha: float = None
    beta: float = 1.0
    gamma: float = 0.0
    label_predictor: object = None

    def _fit(self, X, Y, given):
        X = dense(X)
        predictor = check_part(
            self.label_predictor, "label_predictor", "fit", "predict"
        )
        for name in ("beta", "gamma"):
            check_positive(getattr(self, name), name, zero=True)
        warn_of_scales(
            X, self, so="similarities between samples hardly depend on the latter"
        )
        # bounds sum(|X X^T|) from above, for centred X too
        size = len(X) * np.sum(X**2)
        balanced = float(Y.sum() / size) if size > 0 else 1.0
        self.alpha_ = (
            balanced if self.alpha is None else check_positive(self.alpha, "alpha")
        )
        degrees = self._degrees(X, Y)  # (n + l,)
        F, S = self._factors(X, Y)
        values, vectors, trace = _eigenpairs_of_factors(F, S, degrees)
        below = np.flatnonzero(values < 1 - 1e-9)
        limit_is = "the eigenvectors besides the constant one"
        k = check_n_components(
            self.n_components, len(below), self.n_features_in_, limit_is
        )
        self.largest_eigenvalue_ = float(values[0])
        if values[0] > 1 + 1e-9:
            warn(
                f"`W` has negative weights and {int(np.sum(values > 1 + 1e-9))}"
                " eigenvalues above one, which are skipped. Use non-negative `X`, or a"
                " smaller `alpha` (1 / n_samples for centred `X`)."
            )
        elif values[0] > 1 - 1e-9:
            warn("The graph of samples and labels is not connected.")
        shown = below[:k]
        U = vectors[:, shown] / np.sqrt(degrees)[:, None]  # U^T D U = I
        U *= fix_signs(U)
        self.eigenvalues_ = values[shown]
        self.contribution_rate_ = float(self.eigenvalues_.sum() / (trace - 1))
        self.embedding_ = U[: len(X)]
        self.label_embedding_ = U[len(X) :]
        # sums over the training samples that a further row of D^-1 W U = U S needs
        samples = np.column_stack([self.embedding_, np.ones(len(X))])
        labels = np.column_stack([self.label_embedding_, np.ones(Y.shape[1])])
        self._feature_sums = self.alpha_ * X.T @ samples  # (d, k + 1)
        self._label_sums = self.gamma * Y.T @ samples + labels  # (l, k + 1)
        if predictor is None:
            predictor = SampleLabelMap(n_components=None, variance=0.95)
        with suppress_scale_warning():
            self.label_predictor_ = predictor.fit(np.array(X), given)
        self._n_features_out = k

    def _degrees(self, X, Y):
        """Row sums of W, without W."""
        samples = (
            self.alpha_ * X @ X.sum(axis=0)
            + self.gamma * Y @ Y.sum(axis=0)
            + Y.sum(axis=1)
        )
        labels = Y.sum(axis=0) + self.beta * Y.T @ Y.sum(axis=1)
        degrees = np.concatenate([samples, labels])
        i = int(np.argmin(degrees))
        if degrees[i] <= 1e-12 * degrees.max():
            what = f"sample {i}" if i < len(X) else f"label {i - len(X)}"
            raise ValueError(
                f"`alpha`={self.alpha_:.3g} gives {what} a total weight of"
                f" {degrees[i]:.3g}; it must be positive. Use non-negative features,"
                " centre `X`, or take a smaller `alpha`."
            )
        return degrees

    def _factors(self, X, Y):
        """W = F S F^T, of Kudo2016 (7) and (8), with F (n + l, d + 2 l) and S (d + 2 l, d + 2 l)."""
        n, d = X.shape
        l = Y.shape[1]
        I = np.eye(l)
        F = np.block([[X, Y, np.zeros((n, l))], [np.zeros((l, d + l)), I]])
        # Kudo2016 Eq. (8)
        labels = np.block([[self.gamma * I, I], [I, self.beta * Y.T @ Y]])
        # Kudo2016 Eq. (7), its terms weighted
        S = scipy.linalg.block_diag(self.alpha_ * np.eye(d), labels)
        return F, S

    def transform(self, X, Y=None):
        """Map samples by the eigenvector equation (out-of-sample extension), with their labels or predicted ones.

        The paper leaves open how a sample without labels is mapped (Kudo2016, section
        III-B). Here `label_predictor` predicts its labels, and the eigenvector equation
        then gives its coordinates from those of the training samples and labels it is
        linked to. With their true labels training samples get exactly those of
        `embedding_`.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        Y : array-like of shape (m, n_labels), 0/1, optional
            Labels where they are known.

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        X = dense(self._new_samples(X))
        Y = self._predicted_labels(X) if Y is None else self._label_matrix(Y)
        check_same_length(X, Y, ("X", "Y"))
        return self._solve_row(X, Y)

    def transform_labels(self, Y):
        """Coordinates (m, n_components) of label sets `Y` (m, n_labels), 0/1, with at least one label per row.

        They solve the eigenvector equation of a sample that has these labels and no
        features.
        """
        check_is_fitted(self)
        Y = self._label_matrix(Y)
        if (Y.sum(axis=1) == 0).any():
            raise ValueError(
                "`Y` has rows without labels; a label set needs at least one label."
            )
        return self._solve_row(np.zeros((len(Y), self.n_features_in_)), Y)

    def _solve_row(self, X, Y):
        sums = X @ self._feature_sums + Y @ self._label_sums
        return sums[:, :-1] / sums[:, -1:] / self.eigenvalues_

    def _predicted_labels(self, X):
        if self.label_predictor is not None:
            Y = np.asarray(self.label_predictor_.predict(X))
            return self._label_matrix(
                Y if self.multilabel_ else Y.ravel()[:, None] == self.classes_
            )
        values = self.label_predictor_.decision_function(X)
        # never none
        return np.maximum(
            values > 0.5, np.eye(len(self.classes_))[np.argmax(values, axis=1)]
        )


def _eigenpairs_of_factors(F, S, degrees):
    """All nonzero eigenpairs of D^-1/2 F S F^T D^-1/2 without the trivial one, and the trace with it."""
    Q, R = scipy.linalg.qr(F / np.sqrt(degrees)[:, None], mode="economic")
    small = R @ S @ R.T
    trivial = Q.T @ np.sqrt(degrees / degrees.sum())
    # Kudo2016 Eq. (10)
    values, vectors = symmetric_eigenpairs(
        (small + small.T) / 2 - np.outer(trivial, trivial)
    )
    return values, Q @ vectors, float(np.trace(small))
