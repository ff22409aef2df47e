"""Maps without a rule for new samples, with a kernel map as that rule."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import _num_samples, validate_data

from ..core import row_blocks
from ..kernelmap import KernelMap

PROJECTED_PAIRS_AT_ONCE = 2**24
# of a kernel map of Fisher distances, which are nearly equal in whole regions
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
        inner = self.embedder if self.metric is None else self.metric
        tags.input_tags.pairwise = inner.__sklearn_tags__().input_tags.pairwise
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
        embedder = clone(self.embedder)
        if self.metric is None:
            self.embedding_ = embedder.fit_transform(X, y)
            pairwise = self.__sklearn_tags__().input_tags.pairwise
            kernel_map = KernelMap(
                metric="precomputed" if pairwise else "euclidean"
            )
        else:
            self.metric_ = clone(self.metric).fit(X, y)
            X = self.distances_ = self.metric_.distances()
            self.embedding_ = embedder.fit_transform(X)
            kernel_map = KernelMap(metric="precomputed", cutoff=CUTOFF)
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
        if self.metric is None or not n:
            return self._kernel_map.transform(X) if n else Z[:0]
        validate_data(self, X, reset=False, skip_check_array=True)
        positions = np.empty((n, Z.shape[1]))
        for block in row_blocks(n, len(Z), PROJECTED_PAIRS_AT_ONCE):
            D = self.metric_.transform(X[block])
            placed = self._kernel_map.transform(D)
            inside = (placed >= Z.min(axis=0)) & (placed <= Z.max(axis=0))
            outside = ~inside.all(axis=1)
            # of samples thrown out of the map: that of the nearest
            placed[outside] = Z[D.argmin(axis=1)[outside]]
            positions[block] = placed
            del D  # or it would stay beside the next
        return positions
