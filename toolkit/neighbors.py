"""Exact nearest neighbours of many samples, searched by blocks of rows that joblib spreads over workers."""

import numpy as np
import scipy.sparse
from joblib import delayed, parallel_config
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors

from .core.checks import check_flag
from .core.estimators import training_samples
from .core.graphs import check_n_neighbors
from .core.progress import Shared, openmp_threads, progress, results

__all__ = ["BlockNeighbors"]

ROWS_PER_TASK = 2**12
MOST_FEATURES_OF_A_TREE = 8  # beyond it a tree takes longer than all pairs: at 15 features ten times as long


class BlockNeighbors(BaseEstimator):
    """Distances to the nearest neighbours of each sample, for ``neighbors=`` of a graph method.

    The result is that of scikit-learn's ``KNeighborsTransformer(mode="distance")``: exact, of any number of samples.
    Within ``joblib.parallel_config("dask")`` each worker of the cluster gets the samples once.

    Parameters
    ----------
    n_neighbors : int, default=15, of each sample beside itself
    n_jobs : int or None, default=None, workers of joblib; threads where no backend is chosen
    verbose : bool, default=False, show a bar of the search

    Notes
    -----
    A tree saves most comparisons up to 8 features; above, all pairs are compared. Of equally near samples any may
    be taken. There is no `transform`: the search is for the samples of a map.

    Examples
    --------
    >>> BlockNeighbors(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """

    def __init__(self, n_neighbors=15, *, n_jobs=None, verbose=False):
        self.n_neighbors, self.n_jobs, self.verbose = n_neighbors, n_jobs, verbose

    def fit_transform(self, X, y=None):
        """Search the neighbours of all samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        csr_matrix of shape (n, n)
            Row i holds 0 for sample i itself, then the distances to its neighbours, rising; zeros are stored.
        """
        X = training_samples(self, X)
        n, k = len(X), check_n_neighbors(self.n_neighbors, len(X))
        check_flag(self.verbose, "verbose")
        X = X - X.mean(axis=0)  # large common offsets cost digits in squared distances
        algorithm = "kd_tree" if X.shape[1] <= MOST_FEATURES_OF_A_TREE else "brute"
        samples = Shared(X=X, search=NearestNeighbors(n_neighbors=k + 1, algorithm=algorithm).fit(X))
        starts = range(0, n, ROWS_PER_TASK)
        tasks = (delayed(_searched)(samples, start, min(start + ROWS_PER_TASK, n), k) for start in starts)
        integer = np.int32 if n * (k + 1) < 2**31 else np.int64
        distances, indices = np.zeros((n, k + 1)), np.empty((n, k + 1), dtype=integer)
        indices[:, 0] = np.arange(n)
        with progress(n, "neighbours", self.verbose) as done:
            parts = results(tasks, self.n_jobs, prefer="threads")
            for start, (lengths, found) in zip(starts, parts, strict=True):
                rows = slice(start, start + len(found))
                distances[rows, 1:], indices[rows, 1:] = lengths, found
                done(len(found))
        ends = np.arange(0, n * (k + 1) + 1, k + 1, dtype=integer)
        return scipy.sparse.csr_matrix((distances.ravel(), indices.ravel(), ends), shape=(n, n))


def _searched(samples, start, stop, k):
    """Distances and indices (stop - start, k) of the nearest other samples of a block of rows."""
    with openmp_threads(1), parallel_config("sequential"):  # the tasks are what runs in parallel
        lengths, found = samples.search.kneighbors(samples.X[start:stop])
    other = found != np.arange(start, stop)[:, None]
    other[:, -1] &= ~other.all(axis=1)  # more duplicates than neighbours: the sample itself is not among those found
    return lengths[other].reshape(-1, k), found[other].reshape(-1, k)
