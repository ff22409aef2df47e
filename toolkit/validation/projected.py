"""Maps without a rule for new samples, with a kernel map as that rule."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _num_samples, validate_data

from ..core import row_blocks
from ..kernelmap import KernelMap
from .contract import as_positions, call_with_target, fresh_copy, is_pairwise

PROJECTED_PAIRS_AT_ONCE = 2**24
# Fisher distances are nearly equal in whole regions: their kernel map is cut off here.
CUTOFF = 1e-2


class ProjectedMap(TransformerMixin, BaseEstimator):
    """A map with `fit_transform` alone; new samples are projected by a kernel map.

    Parameters
    ----------
    embedder : estimator with `fit_transform`
        Map such as :class:`~toolkit.embed.TSNE`; with a `metric` one of distances.
    metric : Fisher metric, optional
        Metric with `distances()` of its samples, and `transform` of new ones.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the training samples.
    metric_ : estimator
        The fitted metric.
    distances_ : ndarray of shape (n_samples, n_samples)
        Distances of the training samples in this metric.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toolkit.embed import TSNE
    >>> from toolkit.fisher import ParzenFisher
    >>> X, y = load_iris(return_X_y=True)
    >>> tsne = ProjectedMap(TSNE(metric="precomputed"), ParzenFisher())
    >>> tsne.fit(X[::2], y[::2]).transform(X[1::2]).shape
    (75, 2)
    """

    def __init__(self, embedder, metric=None):
        self.embedder = embedder
        self.metric = metric

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        is_metric = self.metric is not None
        tags.input_tags.pairwise = is_pairwise(
            self.metric if is_metric else self.embedder
        )
        return tags

    def fit(self, X, y=None):
        """Fit the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), optional
            Target, used where `metric` or `embedder` is supervised.

        Returns
        -------
        self : ProjectedMap
            Fitted estimator.
        """
        validate_data(self, X, skip_check_array=True)
        embedder = fresh_copy(self.embedder)
        if self.metric is None:
            Z = call_with_target(embedder.fit_transform, X, y)
            kernel_map = KernelMap()
            if is_pairwise(embedder):
                kernel_map = KernelMap(metric="precomputed")
        else:
            self.metric_ = fresh_copy(self.metric).fit(X, y)
            self.distances_ = self.metric_.distances()
            X = self.distances_
            Z = embedder.fit_transform(X)
            kernel_map = KernelMap(metric="precomputed", cutoff=CUTOFF)
        self.embedding_ = as_positions(Z, _num_samples(X), embedder)
        self._kernel_map = kernel_map.fit(X, self.embedding_)
        return self

    def fit_transform(self, X, y=None):
        """Fit the map, and return the positions of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), optional
            Target, used where `metric` or `embedder` is supervised.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Positions of the samples.
        """
        return self.fit(X, y).embedding_

    def transform(self, X):
        """Project new samples.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_queries, n_components)
            Positions of the samples.
        """
        Z = self.embedding_
        n = _num_samples(X)
        if n == 0:
            return Z[:0]
        if self.metric is None:
            return self._kernel_map.transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        positions = np.empty((n, Z.shape[1]))
        for block in row_blocks(n, len(Z), PROJECTED_PAIRS_AT_ONCE):
            D = self.metric_.transform(X[block])
            Z_new = self._kernel_map.transform(D)
            is_inside = (Z_new >= Z.min(axis=0)) & (Z_new <= Z.max(axis=0))
            is_outside = ~is_inside.all(axis=1)
            # A sample outside of the map gets the position of its nearest one.
            nearest = D.argmin(axis=1)[is_outside]
            Z_new[is_outside] = Z[nearest]
            positions[block] = Z_new
            del D  # Else it would stay in memory beside the next block.
        return positions
