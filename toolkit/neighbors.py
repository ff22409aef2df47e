"""Exact nearest neighbours of many samples, by blocks of rows on joblib's workers."""

from dataclasses import KW_ONLY

import numpy as np
from joblib import delayed, parallel_config
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from .core import (
    FLAG,
    JOBS,
    Estimator,
    Shared,
    about_mean,
    check_n_neighbors,
    even_blocks,
    fit_method,
    openmp_threads,
    other_neighbors,
    parameters,
    results,
    training_samples,
)

__all__ = ["BlockNeighbors"]

ROWS_PER_TASK = 2**12
# beyond it a tree takes longer than all pairs: at 15 features ten times as long
MOST_FEATURES_OF_A_TREE = 8


@parameters
class BlockNeighbors(Estimator):
    """Distances to the nearest neighbours, for ``neighbors=`` of a graph method.

    The result is that of scikit-learn's ``KNeighborsTransformer(mode="distance")``:
    exact, of any number of samples. Within ``joblib.parallel_config("dask")`` each
    worker of the cluster gets the samples once.

    Parameters
    ----------
    n_neighbors : int, default=15
        Of each sample beside itself.
    n_jobs : int or None, default=None
        Workers of joblib; threads where no backend is chosen.
    verbose : bool, default=False
        Show a bar of the search.

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
    n_jobs: JOBS = None
    verbose: FLAG = False

    @fit_method
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
        n = len(X)
        k = check_n_neighbors(self.n_neighbors, n)
        # large common offsets cost digits in squared distances
        X = about_mean(X)
        algorithm = (
            "kd_tree" if X.shape[1] <= MOST_FEATURES_OF_A_TREE else "brute"
        )
        search = NearestNeighbors(n_neighbors=k + 1, algorithm=algorithm).fit(X)
        samples = Shared(X=X, search=search)
        blocks = even_blocks(n, 1, ROWS_PER_TASK)
        tasks = (delayed(_block_neighbors)(samples, rows, k) for rows in blocks)
        bar = list(map(len, blocks)), "neighbours", self.verbose
        parts = results(tasks, self.n_jobs, "threads", bar=bar)
        distances = np.zeros((n, k + 1))
        indices = np.empty((n, k + 1), dtype=np.int32)
        indices[:, 0] = np.arange(n)
        for rows, part in zip(blocks, parts, strict=True):
            distances[rows, 1:], indices[rows, 1:] = part
        ends = np.arange(0, n * (k + 1) + 1, k + 1)
        entries = distances.ravel(), indices.ravel(), ends
        return sparse.csr_matrix(entries, shape=(n, n))


def _block_neighbors(samples, rows, k):
    """Distances and indices of the `k` nearest other samples of a block of rows."""
    # the tasks are what runs in parallel
    with openmp_threads(1), parallel_config("sequential"):
        return other_neighbors(samples.search, samples.X, rows, k)
