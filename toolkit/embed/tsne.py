"""t-distributed stochastic neighbour embedding (t-SNE) of vectors, distances or neighbours, thesis, Eq. (2.1)."""

from numbers import Integral

import numpy as np
import scipy.sparse
from joblib import effective_n_jobs
from sklearn.manifold import TSNE as SklearnTSNE

from ..core.checks import check_jobs, check_number
from ..core.progress import openmp_threads
from .affinities import check_perplexity
from .base import Embedder, check_dimension, check_max_iter, off_diagonal

__all__ = ["TSNE"]

START_DEVIATION = 1e-4  # standard deviation of the first coordinate of a computed start, as in scikit-learn
LINE = r"Iteration (\d+): error = ([\d.e+-]+)"  # of scikit-learn every 50 steps
MOST_EXAGGERATION = 1e6
LARGEST = 1e15  # limit of distances in units of their median, and of a start: squares fit single precision


class TSNE(Embedder):
    """t-SNE: a map in which the probabilities of being neighbours agree with those in the data.

    Parameters
    ----------
    n_components : int, default=2
    perplexity : float > 1, optional
        Effective number of neighbours, below the number of other samples; 30 by default, or a third of the others where
        these are fewer than 90.
    metric : {"euclidean", "precomputed"}
        Whether `fit` gets vectors (n, d) or distances: a matrix (n, n), or a sparse one with those of at least
        3 `perplexity` + 1 neighbours per sample (such as `knn_distances` of a Fisher metric).
    init : {"pca", "random"} or array-like of shape (n, n_components), optional
        "pca", classical scaling, by default; "random" for a sparse matrix.
    early_exaggeration : float from 1 to 1e6, default=12
    max_iter : int > 250, default=1000
    random_state : as in :class:`MDS`
    n_jobs : int or None, default=1
        Threads; -1 for as many as there are cores. Maps from different numbers of threads differ after many steps; one
        always gives the same bytes.
    callback : callable, optional
        Called with (iteration, cost) every 50 steps; for the first 250 the cost is that with exaggerated probabilities.
    verbose : bool, default=False, whether to show the progress of the descent

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
    kl_divergence_, n_iter_ : float, the cost, and int

    Notes
    -----
    The descent is scikit-learn's (Barnes-Hut up to three dimensions), which squares the distances it gets: give
    lengths. Their scale does not matter.

    References
    ----------
    van der Maaten and Hinton (2008), Visualizing data using t-SNE. Schulz (2017), section 2.2.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> TSNE(max_iter=300).fit_transform(load_iris().data).shape
    (150, 2)
    """

    _takes_graphs = True
    _spared = ", or give a sparse `X` with the distances to some neighbours (`knn_distances` of a Fisher metric)"

    def __init__(
        self, n_components=2, *, perplexity=None, metric="euclidean", init=None, early_exaggeration=12.0, max_iter=1000,
        random_state=None, n_jobs=1, callback=None, verbose=False,
    ):  # fmt: skip
        self.n_components, self.perplexity, self.metric, self.init = n_components, perplexity, metric, init
        self.early_exaggeration, self.max_iter, self.random_state = early_exaggeration, max_iter, random_state
        self.n_jobs, self.callback, self.verbose = n_jobs, callback, verbose

    def _all_pairs(self, given):
        exact = isinstance(self.n_components, Integral) and self.n_components > 3
        return 6 if exact or given == "distances" else 0

    def _embed(self, samples):
        k = check_dimension(self.n_components, samples)
        max_iter = check_max_iter(self.max_iter, 251)
        check_number(self.early_exaggeration, "early_exaggeration", 1, MOST_EXAGGERATION)
        n_jobs = effective_n_jobs(check_jobs(self.n_jobs))
        if samples.graph is not None and k > 3:
            raise ValueError(f"`n_components` must be at most 3 for a sparse `X`; got {k}. Give all distances.")
        perplexity = min(30.0, max(1.01, (samples.n - 1) / 3))
        if self.perplexity is not None:
            perplexity = check_perplexity(self.perplexity, max(samples.n - 1, 1.5))
        given, metric = _as_the_library_reads(samples, perplexity)
        rules = {"size": START_DEVIATION, "limit": LARGEST, "default": "pca" if samples.graph is None else "random"}
        start = self._starting_map(samples, k, **rules)
        options = {"perplexity": perplexity, "metric": metric, "init": start, "n_jobs": n_jobs}
        options["method"] = "barnes_hut" if k <= 3 else "exact"
        options |= {name: getattr(self, name) for name in ("early_exaggeration", "max_iter", "random_state")}
        with openmp_threads(n_jobs), self._watched_by_lines(max_iter, "t-SNE", LINE) as shown:
            descent = SklearnTSNE(k, verbose=shown, **options)
            Z = descent.fit_transform(given).astype(float)
        self.embedding_, self.kl_divergence_, self.n_iter_ = Z, descent.kl_divergence_, descent.n_iter_


def _as_the_library_reads(samples, perplexity):
    """Vectors (n, d) or distances (n, n) with median about one, and their metric."""
    if samples.graph is None:
        given = samples.distances() if samples.X is None else samples.vectors
        size = np.abs(given)
        size = np.median(size[size > 0]) if size.any() else 1.0
        return np.clip(given / size, -LARGEST, LARGEST), "euclidean" if samples.X is not None else "precomputed"
    wanted = min(samples.n - 1, int(3 * perplexity + 1))
    known = np.diff(samples.graph.indptr).min()
    if known < wanted:
        rule = f"`X` must hold the distances to at least 3 perplexity + 1 = {wanted} neighbours of each sample"
        raise ValueError(f"{rule}; one has {known}. Compute more neighbours or lower the perplexity.")
    D = _with_diagonal(samples.graph)
    size = np.median(D.data[D.data > 0]) if D.data.any() else 1.0
    D.data = np.minimum(D.data / size, LARGEST)
    return D, "precomputed"


def _with_diagonal(graph):
    """The library expects each sample to be its own neighbour, as a stored zero, and rows sorted by distance."""
    n = graph.shape[0]
    values, (rows, columns) = off_diagonal(graph)
    rows, columns, values = np.r_[rows, np.arange(n)], np.r_[columns, np.arange(n)], np.r_[values, np.zeros(n)]
    order = np.lexsort((values, rows))
    starts = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))]
    return scipy.sparse.csr_matrix((values[order], columns[order], starts), shape=graph.shape)
