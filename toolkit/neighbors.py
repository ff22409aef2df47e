"""Exact nearest neighbours of many samples, by blocks of rows on joblib's workers."""

from dataclasses import KW_ONLY

import numpy as np
from joblib import delayed, parallel_config
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from .core import (
    Flag,
    Jobs,
    MapEstimator,
    OptionalCount,
    Shared,
    check_n_neighbors,
    even_blocks,
    fit_method,
    new_samples,
    openmp_threads,
    parameters,
    results,
    training_samples,
)

__all__ = ["BlockNeighbors"]

ROWS_PER_TASK = 2**12
# A tree takes longer than all pairs beyond this: at 15 features ten times as long.
MOST_FEATURES_OF_A_TREE = 8


@parameters
class BlockNeighbors(MapEstimator):
    """Distances to the nearest neighbours, for ``neighbors=`` of a graph method.

    Or a step of a pipeline, before ``TSNE(metric="precomputed")`` for example. The
    result is that of scikit-learn's ``KNeighborsTransformer(mode="distance")``: exact,
    for any number of samples. Within ``joblib.parallel_config("dask")`` each
    worker of the cluster gets the samples once.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Number of neighbours of each sample, without itself. None: 15, or all others
        where these are fewer.
    n_jobs : int or None, default=None
        Number of parallel jobs of joblib, threads where no backend is chosen; None
        means 1, -1 all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

    Notes
    -----
    A tree saves most comparisons up to 8 features; above, all pairs are compared. Among
    equally near samples any may be chosen.

    Examples
    --------
    >>> BlockNeighbors(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """

    _compares_samples = False  # the method that takes its graph warns

    n_neighbors: OptionalCount = None
    _: KW_ONLY
    n_jobs: Jobs = None
    verbose: Flag = False

    @fit_method
    def fit(self, X, y=None):
        """Store the samples among which neighbours are searched.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : ignored
            Not used, present by convention.

        Returns
        -------
        self : BlockNeighbors
            Fitted estimator.
        """
        X = training_samples(self, X)
        n, d = X.shape
        k = self.n_neighbors
        if k is None:
            k = min(15, n - 1)
        k = check_n_neighbors(k, n)
        algorithm = "brute"
        if d <= MOST_FEATURES_OF_A_TREE:
            algorithm = "kd_tree"
        # Each sample is one of its own neighbours.
        self._search = NearestNeighbors(n_neighbors=k + 1, algorithm=algorithm)
        # Large common offsets cost digits in squared distances.
        self._center = X.mean(axis=0)
        self._search.fit(X - self._center)
        return self

    def transform(self, X):
        """Search the nearest neighbours of samples.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples whose neighbours among the samples of `fit` are searched.

        Returns
        -------
        distances : csr_matrix of shape (n_queries, n_samples)
            Row i holds the distances to the `n_neighbors` + 1 nearest samples of `fit`,
            rising. For the samples of `fit` themselves, sample i is one of these, with
            a distance of 0 up to rounding (unless it has more duplicates).
        """
        X = new_samples(self, X) - self._center
        samples = Shared(X=X, search=self._search)
        blocks = even_blocks(len(X), 1, ROWS_PER_TASK)
        tasks = (delayed(_block_neighbors)(samples, rows) for rows in blocks)
        sizes = [len(rows) for rows in blocks]
        bar = sizes, "neighbours", self.verbose
        parts = results(tasks, self.n_jobs, "threads", bar=bar)
        k = self._search.n_neighbors
        distances = np.empty((len(X), k))
        indices = np.empty((len(X), k), dtype=np.int32)
        for rows, part in zip(blocks, parts, strict=True):
            distances[rows], indices[rows] = part
        row_starts = np.arange(0, distances.size + 1, k)
        entries = distances.ravel(), indices.ravel(), row_starts
        return sparse.csr_matrix(entries, shape=(len(X), self._n_features_out))

    @property
    def _n_features_out(self):
        return self._search.n_samples_fit_


def _block_neighbors(samples, rows):
    """Distances and indices (r, k + 1) of the nearest samples of a block of rows."""
    # The tasks are what runs in parallel.
    with openmp_threads(1), parallel_config("sequential"):
        return samples.search.kneighbors(samples.X[rows])
