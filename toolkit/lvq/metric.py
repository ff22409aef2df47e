"""The metric of a fitted model with one matrix, in its canonical form or exchanged for another."""

import numpy as np

from ..linalg import thin_svd
from ..mappings import ReplaceableMetric

__all__ = ["MetricMixin"]


class MetricMixin(ReplaceableMetric):
    """`omega_` and all that follows from it, for classifiers with one matrix for all prototypes."""

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
