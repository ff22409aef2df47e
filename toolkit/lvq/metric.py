"""The metric of a fitted model with one matrix, canonical or exchanged for another, and what decides in it."""

import numpy as np
from sklearn.utils import Bunch

from ..core.linalg import thin_svd
from ..core.metrics import ReplaceableMetric

__all__ = ["MetricMixin"]


class MetricMixin(ReplaceableMetric):
    """`omega_` and all that follows from it, for classifiers with one matrix for all prototypes."""

    def explain(self, X):
        """What decides each sample: its two winning prototypes, its margin, and each feature's part in it.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        Bunch
            ``winners`` (m, 2), numbers of the nearest prototype w and of the nearest v of another class;
            ``winner_labels`` (m, 2), their classes; ``margin`` (m,), (d_v - d_w) / (d_v + d_w), at least 0;
            ``contributions`` (m, n_features), which sum to the margin:
            feature j gives [(x - v)_j (Lambda (x - v))_j - (x - w)_j (Lambda (x - w))_j] / (d_v + d_w).

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from toolkit.lvq import GMLVQ
        >>> X, y = load_iris(return_X_y=True)
        >>> why = GMLVQ().fit(X, y).explain(X[:2])
        >>> why.winners[:, 0].tolist(), bool(np.allclose(why.contributions.sum(axis=1), why.margin))
        ([0, 0], True)
        """
        D = self.distances(X)
        X, rows = self._new(X), np.arange(len(D))
        first = D.argmin(axis=1)
        second = np.where(self._w_codes == self._w_codes[first][:, None], np.inf, D).argmin(axis=1)
        total = D[rows, first] + D[rows, second]
        total[total == 0] = np.inf
        parts = []
        for winner in (first, second):
            difference = X - self.prototypes_[winner]
            parts.append(difference * (difference @ self.lambda_))
        return Bunch(
            winners=np.column_stack([first, second]),
            winner_labels=self.prototype_labels_[np.column_stack([first, second])],
            margin=(D[rows, second] - D[rows, first]) / total,
            contributions=(parts[1] - parts[0]) / total[:, None],
        )

    def _set_mapping(self, Omega):
        _, s, U = thin_svd(Omega)
        self._store_metric(Omega.T, U, s**2)

    def _store_metric(self, omega, U, eigenvalues):
        """`U` (n_features, r) holds the unit eigenvectors, signs fixed, in the order of `eigenvalues` (r,)."""
        self.omega_, self.eigenvalues_ = omega, eigenvalues
        self.lambda_ = omega @ omega.T
        self.relevances_ = np.diag(self.lambda_).copy()
        self.components_ = (U * np.sqrt(eigenvalues) if self._params["scaled"] else U).T[: self._k]
        self._n_features_out = len(self.components_)

    def _matrices(self):
        return [(slice(None), self.omega_)]
