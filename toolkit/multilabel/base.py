"""Base class of the joint maps: one `fit` with its checks, the tags, the check of label sets."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.estimators import restore_on_failure
from ..core.labels import check_labels

__all__ = ["JointMap", "dense"]


class JointMap(BaseEstimator):
    """A map of samples or features together with labels; subclasses define `_fit(X, labels, Y)`."""

    @restore_on_failure
    def fit(self, X, Y):
        """Fit the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"`` the kernel matrix, (n_samples, n_samples).
        Y : array-like of shape (n_samples,) class labels, or (n_samples, n_labels) 0/1 indicators

        Returns
        -------
        self
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        labels = check_labels(Y, X.shape[0])
        self.classes_, self.multilabel_ = labels.classes, labels.multilabel
        self._fit(X, labels.Y, Y)
        return self

    def _new_samples(self, X):
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _label_matrix(self, Y):
        """Indicators (m, l) as floats, or a message."""
        Y = np.asarray(Y)
        if Y.ndim != 2 or Y.shape[1] != len(self.classes_):
            raise ValueError(f"`Y` must have shape (m, {len(self.classes_)}), one column per label; got {Y.shape}.")
        return Y.astype(float)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def dense(X):
    """`X` as an array."""
    return X.toarray() if hasattr(X, "toarray") else X
