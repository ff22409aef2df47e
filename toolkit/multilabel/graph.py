"""SL-B: samples and labels in one plane, as a Laplacian eigenmap of one graph over both.

Solves D^-1 W U = U S for the weights W of the graph and its row sums D, leaves out the constant vector
(eigenvalue 1) and shows the next eigenvectors (Kudo2016, section III-B).
"""

import warnings

import numpy as np
import scipy.linalg
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.checks import check_n_components
from ..core.labels import check_labels
from ..core.linalg import fix_signs, symmetric_eigenpairs
from .regression import SampleLabelMap

__all__ = ["SampleLabelEigenmap"]


class SampleLabelEigenmap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """SL-B: a Laplacian eigenmap of samples and labels together.

    The weights are ``W = [[alpha X X^T + gamma Y Y^T, Y], [Y^T, beta Y^T Y]]``. The paper prints
    ``alpha = beta = gamma = 1``; the sample block then grows with n until labels no longer count. The
    defaults follow the remedy that the paper quotes: no Y Y^T between samples, and alpha about 1/n.

    Parameters
    ----------
    n_components : int, default=2
    alpha : float > 0 or None, default=None
        Weight of the sample similarities `X X^T`. None: the value at which they weigh as much as the links
        between samples and labels, sum(Y) / sum(|X X^T|) with the sum bounded by n sum(x^2); it falls as 1/n.
    beta : float >= 0, default=1.0
        Weight of the label similarities `Y^T Y`.
    gamma : float >= 0, default=0.0
        Weight of `Y Y^T` between samples.
    label_predictor : estimator or None, default=None
        Predicts the labels of new samples for `transform`. None: :class:`SampleLabelMap` at full rank on 95 %
        of the variance, with at least the likeliest label.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    label_embedding_ : ndarray of shape (n_labels, n_components)
    eigenvalues_ : ndarray of shape (n_components,), below one and falling
    largest_eigenvalue_ : float, the largest but for the trivial one; above 1 only if `W` has negative weights
    contribution_rate_ : float, share of the shown eigenvalues in the sum of all but the trivial one
    alpha_ : float, the weight used

    Notes
    -----
    Which eigenvectors: the constant vector, always a solution with eigenvalue 1, is taken out exactly; of
    the others the largest below one are shown. With non-negative `X` none exceeds one. With centred `X` some
    weights are negative and, unless alpha is about 1/n, eigenvalues above one appear: they are passed
    over, as the paper's rule says, with a warning.

    No n x n array is formed: `W` has rank at most d + 2 l and the problem is solved in that space.

    References
    ----------
    Kudo2016, section III-B.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> slb = SampleLabelEigenmap().fit(X, y)
    >>> slb.embedding_.shape, slb.label_embedding_.shape, bool(slb.eigenvalues_[0] < 1)
    ((150, 2), (3, 2), True)
    """

    def __init__(self, n_components=2, *, alpha=None, beta=1.0, gamma=0.0, label_predictor=None):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.label_predictor = label_predictor

    def fit(self, X, Y):
        """Fit the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        Y : array-like of shape (n_samples,) class labels, or (n_samples, n_labels) 0/1 indicators

        Returns
        -------
        self
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        X = X.toarray() if issparse(X) else X
        labels, y = check_labels(Y, len(X)), Y
        Y = labels.Y
        self.alpha_ = self._checked_weights(X, Y)
        degrees = self._degrees(X, Y)  # (n + l,)
        F, S = self._factors(X, Y)
        values, vectors, trace = _eigenpairs_of_factors(F, S, degrees)
        k = check_n_components(
            self.n_components,
            int(np.sum(values < 1 - 1e-9)),
            self.n_features_in_,
            "the eigenvectors besides the constant one",
        )
        self.largest_eigenvalue_ = float(values[0])
        if values[0] > 1 + 1e-9:
            warnings.warn(
                f"`W` has negative weights and {int(np.sum(values > 1 + 1e-9))} eigenvalues above one, "
                "which are passed over. Use non-negative `X`, or a smaller `alpha` (1 / n_samples for centred `X`).",
                stacklevel=2,
            )
        elif values[0] > 1 - 1e-9:
            warnings.warn("The graph of samples and labels falls apart into separate pieces.", stacklevel=2)
        shown = np.flatnonzero(values < 1 - 1e-9)[:k]
        U = vectors[:, shown] / np.sqrt(degrees)[:, None]  # U^T D U = I
        U *= fix_signs(U)
        self.classes_, self.multilabel_ = labels.classes, labels.multilabel
        self.eigenvalues_ = values[shown]
        self.contribution_rate_ = float(self.eigenvalues_.sum() / (trace - 1))
        self.embedding_, self.label_embedding_ = U[: len(X)], U[len(X) :]
        self._keep_for_new_samples(X, Y)
        predictor = (
            SampleLabelMap(n_components=None, variance=0.95) if self.label_predictor is None else self.label_predictor
        )
        self.label_predictor_ = clone(predictor).fit(X, y)
        self._n_features_out = k
        return self

    def _checked_weights(self, X, Y):
        for name in ("beta", "gamma"):
            value = getattr(self, name)
            if not np.isfinite(value) or value < 0:
                raise ValueError(f"`{name}` must be a finite number >= 0, a weight in the graph; got {value!r}.")
        if self.alpha is None:
            size = len(X) * np.sum(X**2)  # bounds sum(|X X^T|) from above, for centred X too
            return float(Y.sum() / size) if size > 0 else 1.0
        if not np.isfinite(self.alpha) or self.alpha <= 0:
            raise ValueError(f"`alpha` must be a finite number > 0, or None; got {self.alpha!r}.")
        return float(self.alpha)

    def _degrees(self, X, Y):
        """Row sums of W, without W."""
        samples = self.alpha_ * X @ X.sum(axis=0) + self.gamma * Y @ Y.sum(axis=0) + Y.sum(axis=1)
        labels = Y.sum(axis=0) + self.beta * Y.T @ Y.sum(axis=1)
        degrees = np.concatenate([samples, labels])
        if degrees.min() <= 1e-12 * degrees.max():
            i = int(np.argmin(degrees))
            what = f"sample {i}" if i < len(X) else f"label {i - len(X)}"
            raise ValueError(
                f"`alpha`={self.alpha_:.3g} gives {what} a total weight of {degrees[i]:.3g}; "
                "it must be positive. Use non-negative features, centre `X`, or take a smaller `alpha`."
            )
        return degrees

    def _factors(self, X, Y):
        """W = F S F^T with F (n + l, d + 2 l) and S (d + 2 l, d + 2 l)."""
        n, d, l = len(X), X.shape[1], Y.shape[1]
        F = np.zeros((n + l, d + 2 * l))
        F[:n, :d], F[:n, d : d + l], F[n:, d + l :] = X, Y, np.eye(l)
        S = np.zeros((d + 2 * l, d + 2 * l))
        S[:d, :d] = self.alpha_ * np.eye(d)
        S[d : d + l, d : d + l] = self.gamma * np.eye(l)
        S[d : d + l, d + l :] = S[d + l :, d : d + l] = np.eye(l)
        S[d + l :, d + l :] = self.beta * Y.T @ Y
        return F, S

    def transform(self, X, Y=None):
        """Place samples by the eigenvector equation, with their labels or with predicted ones.

        The paper leaves open how a sample without labels is placed (Kudo2016, section III-B). Here `label_predictor`
        says which labels it would have, and the eigenvector equation then puts it among the training samples
        and labels it is linked to. With their true labels training samples come out at `embedding_` exactly.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        Y : array-like of shape (m, n_labels), 0/1, optional
            Labels where they are known.

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        X = X.toarray() if issparse(X) else X
        Y = self._predicted_labels(X) if Y is None else self._checked_label_sets(Y)
        if len(X) != len(Y):
            raise ValueError(f"`X` and `Y` must hold the same number of samples; got {len(X)} and {len(Y)}.")
        return self._solve_row(X, Y)

    def transform_labels(self, Y):
        """Place label sets: the eigenvector equation of a sample that has these labels and no features.

        Parameters
        ----------
        Y : array-like of shape (m, n_labels), 0/1, at least one label a row

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        check_is_fitted(self)
        Y = self._checked_label_sets(Y)
        if (Y.sum(axis=1) == 0).any():
            raise ValueError("`Y` has rows without labels; a label set needs at least one to be placed.")
        return self._solve_row(np.zeros((len(Y), self.n_features_in_)), Y)

    def _keep_for_new_samples(self, X, Y):
        """Sums over the training samples that a further row of D^-1 W U = U S needs."""
        self._feature_sums = self.alpha_ * X.T @ np.column_stack([self.embedding_, np.ones(len(X))])  # (d, k + 1)
        from_samples = self.gamma * Y.T @ np.column_stack([self.embedding_, np.ones(len(X))])
        self._label_sums = from_samples + np.column_stack([self.label_embedding_, np.ones(Y.shape[1])])  # (l, k + 1)

    def _solve_row(self, X, Y):
        sums = X @ self._feature_sums + Y @ self._label_sums
        return sums[:, :-1] / sums[:, -1:] / self.eigenvalues_

    def _predicted_labels(self, X):
        if self.label_predictor is not None:
            Y = np.asarray(self.label_predictor_.predict(X))
            return self._checked_label_sets(Y if self.multilabel_ else Y.ravel()[:, None] == self.classes_)
        values = self.label_predictor_.decision_function(X)
        return np.maximum(values > 0.5, np.eye(len(self.classes_))[np.argmax(values, axis=1)])  # never none

    def _checked_label_sets(self, Y):
        Y = np.asarray(Y, dtype=float)
        if Y.ndim != 2 or Y.shape[1] != len(self.classes_):
            raise ValueError(f"`Y` must have shape (m, {len(self.classes_)}), one column a label; got {Y.shape}.")
        return Y

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def _eigenpairs_of_factors(F, S, degrees):
    """All nonzero eigenpairs of D^-1/2 F S F^T D^-1/2 without the trivial one, and the trace with it."""
    Q, R = scipy.linalg.qr(F / np.sqrt(degrees)[:, None], mode="economic")
    small = R @ S @ R.T
    trivial = Q.T @ np.sqrt(degrees / degrees.sum())
    values, vectors = symmetric_eigenpairs((small + small.T) / 2 - np.outer(trivial, trivial))
    return values, Q @ vectors, float(np.trace(small))
