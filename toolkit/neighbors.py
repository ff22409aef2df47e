"""Exact nearest neighbours of many samples, searched by blocks of rows that joblib spreads over workers."""

from dataclasses import KW_ONLY

import numpy as np
import scipy.sparse
from joblib import delayed, parallel_config
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors

from .core.estimators import training_samples
from .core.graphs import check_n_neighbors, other_neighbors
from .core.parameters import parameters
from .core.progress import Shared, openmp_threads, results
from .core.scaling import row_blocks

__all__ = ["BlockNeighbors"]

ROWS_PER_TASK = 2**12
# beyond it a tree takes longer than all pairs: at 15 features ten times as long
MOST_FEATURES_OF_A_TREE = 8


@parameters
class BlockNeighbors(BaseEstimator):
    """Distances to the nearest neighbours of each sample, for ``neighbors=`` of a graph method.

    The result is that of scikit-learn's ``KNeighborsTransformer(mode="distance")``:
    exact, of any number of samples. Within ``joblib.parallel_config("dask")`` each
    worker of the cluster gets the samples once.

    Parameters
    ----------
    n_neighbors : int, default=15, of each sample beside itself
    n_jobs : int or None, default=None, workers of joblib; threads where no backend is chosen
    verbose : bool, default=False, show a bar of the search

    Notes
    -----
    A tree saves most comparisons up to 8 features; above, all pairs are compared. Of
    equally near samples any may be taken. There is no `transform`: the search is for
    the samples of a map.

    Examples
    --------
    >>> BlockNeighbors(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """

    n_neighbors: int = 15
    _: KW_ONLY
    n_jobs: int = None
    verbose: bool = False

    def fit_transform(self, X, y=None):
        """Search the neighbours of all samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        csr_matrix of shape (n, n)
            Row i holds 0 for sample i itself, then the distances to its neighbours,
            rising; zeros are stored.
        """
        X = training_samples(self, X)
        n, k = len(X), check_n_neighbors(self.n_neighbors, len(X))
        X = X - X.mean(axis=0)  # large common offsets cost digits in squared distances
        algorithm = "kd_tree" if X.shape[1] <= MOST_FEATURES_OF_A_TREE else "brute"
        samples = Shared(
            X=X, search=NearestNeighbors(n_neighbors=k + 1, algorithm=algorithm).fit(X)
        )
        blocks = row_blocks(n, 1, ROWS_PER_TASK)
        tasks = (delayed(_searched)(samples, rows, k) for rows in blocks)
        bar = [rows.stop - rows.start for rows in blocks], "neighbours", self.verbose
        integer = np.int32 if n * (k + 1) < 2**31 else np.int64
        distances, indices = np.zeros((n, k + 1)), np.empty((n, k + 1), dtype=integer)
        indices[:, 0] = np.arange(n)
        for rows, part in zip(
            blocks, results(tasks, self.n_jobs, "threads", bar=bar), strict=True
        ):
            distances[rows, 1:], indices[rows, 1:] = part
        ends = np.arange(0, n * (k + 1) + 1, k + 1, dtype=integer)
        return scipy.sparse.csr_matrix(
            (distances.ravel(), indices.ravel(), ends), shape=(n, n)
        )


def _searched(samples, rows, k):
    """Distances and indices of the `k` nearest other samples of a block of rows."""
    # the tasks are what runs in parallel
    with openmp_threads(1), parallel_config("sequential"):
        return other_neighbors(samples.search, samples.X, rows, k)
