"""The metric of a fitted model, in its canonical form or exchanged for another."""

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ..linalg import thin_svd
from ..validation import check_magnitude

__all__ = ["MetricMixin"]


class MetricMixin:
    """`omega_` and all that follows from it, for classifiers with one matrix for all prototypes."""

    def with_omega(self, omega):
        """The same prototypes in another metric, such as one with weights taken out.

        Parameters
        ----------
        omega : array-like of shape (n_features, M)
            Taken as it is, of any rank and length.

        Returns
        -------
        GMLVQ
            A copy; `lambda_`, `eigenvalues_`, `relevances_` and `components_` are those of the new metric, whose trace
            is 1 only if the squares in `omega` sum to 1. `history_` and `n_iter_` tell of the old one.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from toolkit.lvq import GMLVQ
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GMLVQ().fit(X, y)
        >>> petals = model.with_omega(model.omega_ * [[0], [0], [1], [1]])
        >>> petals.relevances_.round(2).tolist()[:2], bool(petals.score(X, y) > 0.9)
        ([0.0, 0.0], True)
        """
        check_is_fitted(self)
        omega = check_array(omega, dtype=np.float64, input_name="omega", copy=True)
        if len(omega) != self.n_features_in_:
            raise ValueError(
                f"`omega` must have a row for each of the {self.n_features_in_} features; got shape {omega.shape}."
            )
        check_magnitude(omega, "omega")
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        _, s, U = thin_svd(omega.T)
        other._store_metric(omega, U, s**2)
        return other

    def _store_metric(self, omega, U, eigenvalues):
        """`U` (n_features, r) holds the unit eigenvectors, signs fixed, in the order of `eigenvalues` (r,)."""
        self.omega_, self.eigenvalues_ = omega, eigenvalues
        self.lambda_ = omega @ omega.T
        self.relevances_ = np.diag(self.lambda_).copy()
        self.components_ = (U * np.sqrt(eigenvalues) if self._params["scaled"] else U).T[: self._k]
        self._n_features_out = len(self.components_)

    def _matrices(self):
        return [(slice(None), self.omega_)]
