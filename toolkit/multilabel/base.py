"""Base class of the joint maps: `fit` with its checks, and the check of label sets."""

from ..core import (
    Estimator,
    check_labels,
    check_memory,
    check_table,
    fit_method,
    parameters,
    training_samples,
)


@parameters
class JointMap(Estimator):
    """A map of samples or features together with labels.

    Subclasses define `_fit(X, Y, target)`, which sets all results. It gets samples X
    (n, d), indicators Y (n, l) as floats, and the target as the user gave it.
    """

    _labels_required = True
    _multilabel = True
    _accepts_sparse = True
    _compares_samples = False

    n_components: int = 2

    @fit_method
    def fit(self, X, Y):
        """Fit the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; with ``kernel="precomputed"`` the kernel matrix, (n_samples,
            n_samples).
        Y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Target: class labels, or 0/1 indicators.

        Returns
        -------
        self : estimator
            Fitted estimator.
        """
        # The steps of each method stand in its `_fit`.
        X = training_samples(self, X, magnitude="squares")
        labels = check_labels(Y, X.shape[0])
        self.classes_ = labels.classes
        self.multilabel_ = labels.multilabel
        self._fit(X, labels.Y, Y)
        return self

    def _label_matrix(self, Y):
        """Indicators (m, l) as floats, or a message."""
        return check_table(Y, "Y", shape=("m", len(self.classes_)))


def dense(X):
    """`X` as an array."""
    if not hasattr(X, "toarray"):
        return X
    check_memory(
        "`X` as an array",
        *X.shape,
        arrays=3,
        remedy="Take fewer features or samples.",
    )
    return X.toarray()
